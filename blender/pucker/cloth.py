"""A garment in Blender's scene: what the evaluated object is in each frame of the scene's range."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Refusal(Exception):  # noqa: N818 - it is what is told, not a fault of the program
    """Why something cannot be done, as one sentence."""


def y_up(positions: npt.NDArray[Any]) -> Floats:
    """Points (…, 3) of Blender, whose z is up, as pucker has them, whose y is."""
    return np.stack([positions[..., 0], positions[..., 2], -positions[..., 1]], axis=-1).astype(np.float64)


def z_up(positions: npt.NDArray[Any]) -> Floats:
    """The reverse of `y_up`."""
    return np.stack([positions[..., 0], -positions[..., 2], positions[..., 1]], axis=-1)


class _Unseen:
    now = False


@contextmanager
def unseen() -> Iterator[None]:
    """The scene's frames are gone through only to be read or written, so that nothing needs to be shown of them."""
    before, _Unseen.now = _Unseen.now, True
    try:
        yield
    finally:
        _Unseen.now = before


def is_unseen() -> bool:
    """Whether the scene's frame is within `unseen`."""
    return _Unseen.now


@dataclass(frozen=True)
class Frames:
    """The scene's range, ends included."""

    first: int
    last: int
    rate: float

    @classmethod
    def of(cls, scene: bpy.types.Scene) -> "Frames":
        """Of a scene."""
        return cls(scene.frame_start, scene.frame_end, _rate(scene))

    def __len__(self) -> int:
        return self.last - self.first + 1


def check(obj: bpy.types.Object | None) -> None:
    """Raises Refusal for an object that is nothing to wrinkle."""
    if obj is not None and obj.instance_collection is not None:
        raise Refusal(
            f"{obj.name} only shows the collection {obj.instance_collection.name}: "
            "make its objects real (Object > Library Override > Make), and choose the garment"
        )
    if obj is None or obj.type != "MESH":
        raise Refusal("Choose a mesh: the garment, or the character that wears it")
    # A linked mesh is only read; on its object settings are kept.
    if obj.library is not None:
        raise Refusal(
            f"{obj.name} is linked from {obj.library.filepath}: override it (Object > Library Override > Make)"
        )
    if obj.mode != "OBJECT":
        raise Refusal(f"{obj.name} is being edited: leave {obj.mode.replace('_', ' ').title()}")
    # Whether any of it does move the object is seen when it is read.
    if not (obj.animation_data or obj.parent or obj.data.shape_keys or obj.modifiers or obj.constraints):
        raise Refusal(
            f"{obj.name} has nothing that moves it: give it an Armature or a Mesh Cache modifier, or shape keys"
        )


def unapplied_scale(obj: bpy.types.Object) -> str:
    """What to tell of an object whose scale is not applied; empty if it is."""
    scale = obj.matrix_world.to_scale()
    if max(abs(size - 1.0) for size in scale) < 1e-4:
        return ""
    sizes = ", ".join(f"{size:g}" for size in scale)
    return f"The scale ({sizes}) of {obj.name} is not applied; lengths are those of the world"


@dataclass
class Topology:
    """What must be the same in all frames."""

    corners: npt.NDArray[np.int32]  # (l,) vertex of each corner
    vertices: int
    clip_vertices: npt.NDArray[np.intp]  # (N,) Blender's vertex of each stored one
    faces: npt.NDArray[np.int32]  # (m, 3) stored vertices
    uv: Floats | None
    normals: (
        Floats | None
    )  # (N, 3) of the mesh before its modifiers, which say where it is shaded sharp; None if these add faces
    cloth: npt.NDArray[np.bool_]  # (m,)
    materials: npt.NDArray[np.int32]  # (m,)
    slots: list[bpy.types.Material | None]


def numbers(collection: Any, attribute: str, width: int, kind: type) -> npt.NDArray[Any]:
    """An attribute of all of a collection: (n, width), or (n,) of one number each."""
    out = np.empty(len(collection) * width, kind)
    collection.foreach_get(attribute, out)
    return out.reshape(-1, width) if width > 1 else out


def materials_of(evaluated: bpy.types.Object) -> list[bpy.types.Material | None]:
    """The materials of an evaluated object's faces; a modifier may have added some."""
    return [slot.material and slot.material.original for slot in evaluated.material_slots]


def _is_cloth(
    obj: bpy.types.Object,
    evaluated: bpy.types.Object,
    mesh: bpy.types.Mesh,
    triangles: npt.NDArray[np.int32],
    slots: npt.NDArray[np.int32],
) -> Any:
    settings = obj.pucker
    if settings.cloth == "GROUP":
        if settings.vertex_group not in evaluated.vertex_groups:
            names = ", ".join(group.name for group in evaluated.vertex_groups) or "none"
            raise Refusal(f"{obj.name} has no vertex group '{settings.vertex_group}'; there are: {names}")
        index = evaluated.vertex_groups[settings.vertex_group].index
        inside = np.array([any(g.group == index and g.weight >= 0.5 for g in v.groups) for v in mesh.vertices])
        cloth = inside[triangles].all(axis=1)
    elif settings.cloth == "MATERIALS":
        names = [material.name if material else "" for material in materials_of(evaluated)]
        wanted = [name.strip() for name in settings.materials.split(",") if name.strip()]
        for name in wanted:
            if not any(_matches(have, name) for have in names):
                raise Refusal(f"{obj.name} has no material '{name}'; there are: {', '.join(names)}")
        taken = np.array([any(_matches(have, name) for name in wanted) for have in names] or [False])
        cloth = taken[slots]
    else:
        cloth = np.ones(len(triangles), dtype=bool)
    if not cloth.any():
        raise Refusal(f"No face of {obj.name} is cloth")
    return cloth


def _matches(name: str, pattern: str) -> bool:
    return name.startswith(pattern[:-1]) if pattern.endswith("*") else name == pattern


def _without_faces(obj: bpy.types.Object) -> str:
    """What to add of an object that has no faces, if modifiers make something else of it."""
    graph = bpy.context.evaluated_depsgraph_get()
    made = {each.object.type for each in graph.object_instances if each.is_instance and each.parent.original == obj}
    if "MESH" in made:
        return "; its modifiers make instances, which a Realize Instances node makes a mesh"
    return f"; its modifiers make no mesh, but {', '.join(sorted(made)).lower()}" if made else ""


def _topology(obj: bpy.types.Object, evaluated: bpy.types.Object, mesh: bpy.types.Mesh, *, worn: bool) -> Topology:
    mesh.calc_loop_triangles()
    if len(mesh.loop_triangles) == 0:
        raise Refusal(f"{obj.name} has no faces in frame {bpy.context.scene.frame_current}{_without_faces(obj)}")
    materials = materials_of(evaluated)
    corners = numbers(mesh.loops, "vertex_index", 1, np.int32)
    loops = numbers(mesh.loop_triangles, "loops", 3, np.int32)
    if (
        evaluated.matrix_world.is_negative
    ):  # by a negative scale, after which the front is that of the faces gone round the other way
        loops = loops[:, ::-1]
    slots = np.minimum(numbers(mesh.loop_triangles, "material_index", 1, np.int32), max(len(materials) - 1, 0))
    layer = mesh.uv_layers.active
    coordinates = (
        np.zeros((len(corners), 2), np.float32) if layer is None else numbers(layer.uv, "vector", 2, np.float32)
    )
    normals = _normals_before_modifiers(obj, corners)
    split = np.column_stack([corners, coordinates, *([] if normals is None else [normals])])
    _, first, stored = np.unique(split, axis=0, return_index=True, return_inverse=True)
    return Topology(
        corners=corners,
        vertices=len(mesh.vertices),
        clip_vertices=corners[first],
        faces=stored.reshape(-1)[loops].astype(np.int32),
        uv=None if layer is None else coordinates[first].astype(np.float64),
        normals=None if normals is None else y_up(normals[first] @ np.linalg.pinv(np.array(obj.matrix_world)[:3, :3])),
        cloth=np.zeros(len(slots), dtype=bool) if worn else _is_cloth(obj, evaluated, mesh, corners[loops], slots),
        materials=slots.astype(np.int32),
        slots=materials,
    )


def _normals_before_modifiers(obj: bpy.types.Object, corners: npt.NDArray[np.int32]) -> npt.NDArray[np.float32] | None:
    """Normals (l, 3) of the corners of an object's own mesh, if its faces are those with these corners."""
    own = numbers(obj.data.loops, "vertex_index", 1, np.int32)
    return numbers(obj.data.corner_normals, "vector", 3, np.float32) if np.array_equal(own, corners) else None


@dataclass
class Recorded:
    """An object over some frames."""

    topology: Topology
    positions: Floats  # (frames, n, 3), y up
    keys: Floats  # (frames, k), values of its shape keys
    rate: float


def record(
    context: bpy.types.Context, obj: bpy.types.Object, frames: Frames | None = None, *, worn: bool = False
) -> Generator[float, None, Recorded]:
    """An object over some frames, the scene's if none are named; yields the share that is done.

    What cloth is `worn` over has no cloth, and may stand still. The scene's frame is put back in the end, also if the caller gives
    up. Raises Refusal for an object that changes what it consists of, or stands still.
    """
    scene = context.scene
    frames = frames or Frames.of(scene)
    if len(frames) < 2:
        raise Refusal(f"There is {len(frames)} frame: wrinkles need a range of several to come about in")
    before = scene.frame_current
    try:
        positions: list[Floats] = []
        keys: list[list[float]] = []
        topology: Topology | None = None
        begin = min(frames.first, _physics_begin(scene, frames.first))
        for frame in range(begin, frames.last + 1):
            with unseen():
                scene.frame_set(frame)
            if frame < frames.first:
                yield (frame + 1 - begin) / (frames.last + 1 - begin)
                continue
            evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
            if not evaluated.is_evaluated:
                raise Refusal(
                    f"{obj.name} is switched off in viewports, itself or its collection, so that Blender does not move it"
                )
            mesh = evaluated.to_mesh()
            if topology is None:
                topology = _topology(obj, evaluated, mesh, worn=worn)
            _check_same(obj, mesh, topology, frames.first, frame)
            positions.append(_in_world(evaluated, mesh))
            evaluated.to_mesh_clear()
            keys.append(_key_values(obj))
            yield (frame + 1 - begin) / (frames.last + 1 - begin)
    finally:
        scene.frame_set(before)
    assert topology is not None
    moving = np.array(positions)
    if not np.isfinite(moving).all():
        raise Refusal(f"{obj.name} has positions that are not numbers in frame {_first_bad(moving) + frames.first}")
    if not worn and np.ptp(moving, axis=0).max() == 0.0:
        raise Refusal(f"{obj.name} does not move from frame {frames.first} to {frames.last}{_unbound(obj)}")
    return Recorded(topology, moving, np.array(keys), frames.rate)


def posed(context: bpy.types.Context, obj: bpy.types.Object, like: Recorded) -> Recorded | None:
    """An object as it is now, for two frames; None if it does not consist of what was recorded."""
    evaluated = obj.evaluated_get(context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    same = len(mesh.vertices) == like.topology.vertices
    positions = np.array(2 * [_in_world(evaluated, mesh)])
    evaluated.to_mesh_clear()
    return Recorded(like.topology, positions, np.array(2 * [_key_values(obj)]), like.rate) if same else None


def _in_world(evaluated: bpy.types.Object, mesh: bpy.types.Mesh) -> Floats:
    """Vertices (n, 3) of the mesh of an evaluated object, y up."""
    points = numbers(mesh.vertices, "co", 3, np.float32).astype(np.float64)
    matrix = np.array(evaluated.matrix_world)
    return y_up(points @ matrix[:3, :3].T + matrix[:3, 3])


def _physics_begin(scene: bpy.types.Scene, first: int) -> int:
    """The frame from which the scene must be gone through in order, so that what Blender simulates arrives at `first`."""
    caches = [
        each.point_cache
        for obj in scene.objects
        for each in (*obj.modifiers, *obj.particle_systems)
        if getattr(each, "point_cache", None) is not None
    ]
    return min([cache.frame_start for cache in caches if not cache.is_baked], default=first)


def _unbound(obj: bpy.types.Object) -> str:
    """What to add of an object that does not move: the modifier that should move it, if that must be bound."""
    for modifier in obj.modifiers:
        if modifier.type in ("SURFACE_DEFORM", "MESH_DEFORM"):
            again = " again, if the mesh that it follows has changed" if modifier.is_bound else ""
            return f": bind its modifier '{modifier.name}'{again}"
    return ""


def _key_values(obj: bpy.types.Object) -> list[float]:
    keys = obj.data.shape_keys
    return [] if keys is None else [key.value for key in keys.key_blocks]


def _rate(scene: bpy.types.Scene) -> float:
    return scene.render.fps / scene.render.fps_base


def _first_bad(moving: Floats) -> int:
    return int(np.flatnonzero(~np.isfinite(moving).all(axis=(1, 2)))[0])


def _check_same(obj: bpy.types.Object, mesh: bpy.types.Mesh, topology: Topology, first: int, frame: int) -> None:
    if len(mesh.vertices) != topology.vertices:
        raise Refusal(
            f"{obj.name} changes: {len(mesh.vertices)} vertices in frame {frame}, {topology.vertices} in frame {first}; "
            "bake or remove the modifier that makes them"
        )
    corners = numbers(mesh.loops, "vertex_index", 1, np.int32)
    if not np.array_equal(corners, topology.corners):
        raise Refusal(f"{obj.name} changes: its faces in frame {frame} are not those of frame {first}")
