"""Wrinkled surfaces as Blender's meshes."""

from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

import pucker
from pucker import _core

from . import cloth

LABELS = "labels"


def fill(
    mesh: bpy.types.Mesh,
    positions: npt.NDArray[Any],
    faces: npt.NDArray[Any],
    *,
    uv: npt.NDArray[Any] | None = None,
    materials: npt.NDArray[Any] | None = None,
    tints: npt.NDArray[np.uint8] | None = None,
) -> None:
    """Makes a mesh of positions (N, 3), y up, and triangles (M, 3), in place of what it had.

    uv: (M, 3, 2) of the corners. materials: (M,) slots. tints: (M, 4) colours kept in the attribute `LABELS`.
    """
    mesh.clear_geometry()
    count = len(faces)
    mesh.vertices.add(len(positions))
    mesh.loops.add(3 * count)
    mesh.polygons.add(count)
    move(mesh, positions)
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(faces, np.int32).ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, 3 * count, 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(count, dtype=bool))
    if materials is not None:
        mesh.polygons.foreach_set("material_index", np.ascontiguousarray(materials, np.int32))
    if uv is not None:
        layer = mesh.uv_layers.new(name="UVMap", do_init=False)
        layer.uv.foreach_set("vector", np.ascontiguousarray(uv, np.float32).ravel())
    if tints is not None:
        attribute = mesh.color_attributes.new(LABELS, "BYTE_COLOR", "CORNER")
        shares = np.repeat(tints, 3, axis=0).astype(np.float32) / 255.0
        attribute.data.foreach_set("color_srgb", shares.ravel())
    mesh.update(calc_edges=True)
    mesh.validate()


def move(mesh: bpy.types.Mesh, positions: npt.NDArray[Any]) -> None:
    """Puts the vertices of a mesh at positions (N, 3), y up."""
    mesh.vertices.foreach_set("co", np.ascontiguousarray(cloth.z_up(positions), np.float32).ravel())


def moved(mesh: bpy.types.Mesh, positions: npt.NDArray[Any], faces: npt.NDArray[Any]) -> bool:
    """Puts a mesh that `fill` has made of such triangles at other positions; whether it is one, which is seen by its size."""
    if (len(mesh.vertices), len(mesh.polygons), len(mesh.loops)) != (len(positions), len(faces), 3 * len(faces)):
        return False
    move(mesh, positions)
    mesh.update()
    return True


def paths_of(state: Any) -> list[npt.NDArray[np.float32]]:
    """The smoothed curves (k, 4) of a frame's wrinkles: position, y up, and width."""
    if not hasattr(state, "packed"):
        return []
    points = np.asarray(state.packed.points)
    starts = np.flatnonzero(points[:, 11] == 0.0)
    return [curve[:, :4] for curve in np.split(points, starts[1:]) if len(curve) > 1]


def shown(name: str, data: Any) -> tuple[bpy.types.Object, Any]:
    """The scene's object of a name among those that pucker made, now with this data, and what it had; or a new one and None."""
    for obj in bpy.context.scene.objects:
        if obj.is_property_set("pucker") and obj.pucker.made == name:
            replaced, obj.data = obj.data, data
            return obj, replaced
    obj = bpy.data.objects.new(name, data)
    obj.pucker.made = name
    bpy.context.scene.collection.objects.link(obj)
    return obj, None


def empty_mesh(name: str, source: bpy.types.Object) -> bpy.types.Mesh:
    """A mesh with the materials of the object that it is made of."""
    mesh = bpy.data.meshes.new(name)
    for material in cloth.materials_of(source.evaluated_get(bpy.context.evaluated_depsgraph_get())):
        mesh.materials.append(material)
    return mesh


class Divided:
    """A clip's garment on one subdivision, and behind it the rest of its object: the first `rest` of the body's triangles.

    Attributes:
        faces: (M, 3); of the garment are the first `cloth_faces`.
        uv: (M, 3, 2) of the corners, or None.
        materials: (M,) slots.
    """

    def __init__(self, clip: "pucker.Clip", fine: "pucker.Subdivision", rest: int) -> None:
        self._clip = clip
        self.fine = fine
        self.cloth_faces = len(fine.faces)
        # Body vertices that are one point become one.
        stored = clip.body_faces[:rest]
        _, first, body = np.unique(clip.body_weld[stored], return_index=True, return_inverse=True)
        self._first = stored.reshape(-1)[first]
        self.faces = np.concatenate([fine.faces, len(fine.triangles) + body.reshape(-1, 3)]).astype(np.int32)
        self.materials = np.concatenate([clip.materials[fine.source], clip.body_materials[:rest]])
        self.uv = None
        if len(clip.uv):
            corners = np.einsum("fkc,fcd->fkd", fine.corners, clip.uv[clip.stored_faces[fine.source]])
            self.uv = np.concatenate([corners, clip.body_uv[stored].reshape(-1, 3, 2)])

    def positions(self, detail: Any, index: int) -> npt.NDArray[np.float64]:
        """Of all vertices in frame `index`, (N, 3)."""
        wrinkled = detail.evaluate(self.fine.triangles, self.fine.barycentrics).positions
        return np.concatenate([wrinkled, self._clip.body_positions[index][self._first]])

    def tints(self, state: Any) -> npt.NDArray[np.uint8] | None:
        """Colours (M, 4) of the labels, the rest white; None of a method that has no labels."""
        if not hasattr(state, "labels"):
            return None
        colours = np.full((len(self.faces), 4), 255, np.uint8)
        colours[: self.cloth_faces] = _core.label_tints(state.labels)[self.fine.source]
        return colours
