"""Wrinkle maps of pucker in Blender: materials that mix the map in by masks times weights, and weights for an object's frames.

In Blender's text editor, with the coarse garment chosen (its import, or the `unwrapped.glb` beside the maps):

    garment = bpy.context.object
    wrinkles = add_wrinkles(garment, "/where/the/maps/are")
    play(garment, wrinkles, "Walk")  # the weights of a clip, or for motion that no clip has:
    follow(garment, wrinkles)  # weights by how compressed the garment is, in all frames of the scene
"""

import json
from pathlib import Path
from typing import Any

import bpy
import numpy as np

WEIGHT = "wrinkle_{}"


def add_wrinkles(obj: bpy.types.Object, folder: str | Path) -> dict[str, Any]:
    """Mixes the maps of a folder into an object's materials that have some, by weights of 0; gives what wrinkles.json says.

    A weight is a custom property of the object, `wrinkle_1` and so on, so that several characters share a material.

    Raises ValueError if no material of the object is one of the maps'.
    """
    wrinkles: dict[str, Any] = json.loads((Path(folder) / "wrinkles.json").read_text())
    wrinkles["folder"] = str(folder)
    regions = wrinkles["regions"]
    materials = [slot.material for slot in obj.material_slots if slot.material is not None]
    mapped = [material for material in materials if _mask(material, regions[0]) is not None]
    if not mapped:
        names = [material.name for material in materials]
        raise ValueError(f"maps are for materials {sorted(regions[0]['masks'])}, and {obj.name} has {names}")
    for number in range(1, len(regions) + 1):
        obj[WEIGHT.format(number)] = 0.0
    for material in mapped:
        _mix(material, Path(folder), [_mask(material, region) for region in regions])
    return wrinkles


def _mask(material: bpy.types.Material | None, region: dict[str, Any]) -> str | None:
    """A region's mask for a material, which Blender may have given a number: `Silk.001`."""
    name = "" if material is None else material.name
    return region["masks"].get(name) or region["masks"].get(name.rpartition(".")[0])


def _mix(material: bpy.types.Material, folder: Path, masks: list[str]) -> None:
    """Gives a material the normal map at the strength sum(mask * weight): (0, 0, 1) mixed with the map's normal."""
    if material.node_tree is None:  # before Blender 5
        material.use_nodes = True
    nodes, link = material.node_tree.nodes, material.node_tree.links.new
    total = None
    for number, name in enumerate(masks, 1):
        weight, product = nodes.new("ShaderNodeAttribute"), nodes.new("ShaderNodeMath")
        weight.attribute_type, weight.attribute_name = "OBJECT", WEIGHT.format(number)
        product.operation, product.inputs[2].default_value = "MULTIPLY_ADD", 0.0
        link(_image(nodes, folder / name).outputs["Color"], product.inputs[0])
        link(weight.outputs["Fac"], product.inputs[1])
        if total is not None:
            link(total, product.inputs[2])
        total = product.outputs[0]
    clamp, normal = nodes.new("ShaderNodeClamp"), nodes.new("ShaderNodeNormalMap")
    link(total, clamp.inputs["Value"])
    link(clamp.outputs[0], normal.inputs["Strength"])
    (picture,) = folder.glob(masks[0].replace("mask_1.png", "normal.*"))
    link(_image(nodes, picture).outputs["Color"], normal.inputs["Color"])
    for node in nodes:
        if node.type.startswith("BSDF"):
            link(normal.outputs["Normal"], node.inputs["Normal"])


def _image(nodes: bpy.types.Nodes, path: Path) -> bpy.types.ShaderNodeTexImage:
    """A node with a picture whose numbers are no colours."""
    node = nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.load(str(path), check_existing=True)
    node.image.colorspace_settings.name = "Non-Color"
    return node


def play(obj: bpy.types.Object, wrinkles: dict[str, Any], clip: str, start: int = 0) -> None:
    """Keys the weights of a clip, which begins in a frame of the scene."""
    rate = bpy.context.scene.render.fps / bpy.context.scene.render.fps_base
    told = wrinkles["clips"][clip]
    _key(obj, [start + rate * time for time in told["times"]], told["weights"])


def follow(obj: bpy.types.Object, wrinkles: dict[str, Any]) -> None:
    """Keys weights in all frames of the scene by how compressed each region is, against the mesh before its modifiers.

    Raises ValueError for an object whose modifiers make other vertices, which cannot be compared.
    """
    scene, regions = bpy.context.scene, wrinkles["regions"]
    obj.data.calc_loop_triangles()
    faces = np.array([triangle.vertices[:] for triangle in obj.data.loop_triangles])
    rest = _points(obj.data)
    axes = _axes(rest[faces])
    shares = _shares(obj, wrinkles) * 0.5 * np.linalg.det(axes)[:, None]
    begin, end = (np.array([region[name] for region in regions]) for name in ("from", "to"))
    weights = []
    frames = range(scene.frame_start, scene.frame_end + 1)
    for frame in frames:
        scene.frame_set(frame)
        evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
        points = _points(evaluated.to_mesh())
        evaluated.to_mesh_clear()
        if points.shape != rest.shape:
            raise ValueError(f"{obj.name} has {len(points)} vertices in frame {frame}, and {len(rest)} at rest")
        stretch = np.linalg.svd(_axes(points[faces]) @ np.linalg.inv(axes), compute_uv=False)
        compression = np.maximum(1.0 - stretch[:, 1], 0.0) @ shares / np.maximum(shares.sum(axis=0), 1e-30)
        weights.append(np.clip((compression - begin) / (end - begin), 0.0, 1.0).tolist())
    _key(obj, frames, weights)


def _points(mesh: bpy.types.Mesh) -> np.ndarray:
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3).astype(float)


def _axes(corners: np.ndarray) -> np.ndarray:
    """Two edges of each triangle (M, 3, 3) as columns in its own plane, (M, 2, 2)."""
    one, other = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    length = np.linalg.norm(one, axis=1)
    along = (one * other).sum(axis=1) / length
    height = np.linalg.norm(np.cross(one, other), axis=1) / length
    return np.stack([np.stack([length, along], 1), np.stack([np.zeros_like(length), height], 1)], 1)


def _shares(obj: bpy.types.Object, wrinkles: dict[str, Any]) -> np.ndarray:
    """The share that each region has of each triangle (M, R): its masks where the corners lie."""
    loops, regions = obj.data.loop_triangles, wrinkles["regions"]
    places = np.empty(2 * len(obj.data.loops), np.float32)
    obj.data.uv_layers.active.uv.foreach_get("vector", places)
    corners = places.reshape(-1, 2)[np.array([triangle.loops[:] for triangle in loops])]
    slots = np.array([triangle.material_index for triangle in loops])
    shares = np.zeros((len(loops), len(regions)))
    for index, slot in enumerate(obj.material_slots):
        own = slots == index
        for k, region in enumerate(regions):
            mask = _mask(slot.material, region)
            if mask is None:
                continue
            image = bpy.data.images.load(str(Path(wrinkles["folder"]) / mask), check_existing=True)
            texels = np.empty(len(image.pixels), np.float32)
            image.pixels.foreach_get(texels)
            width, height = image.size
            at = np.clip((corners[own] * (width, height)).astype(int), 0, (width - 1, height - 1))
            shares[own, k] = texels.reshape(height, width, -1)[at[..., 1], at[..., 0], 0].mean(axis=1)
    return shares


def _key(obj: bpy.types.Object, frames: Any, rows: Any) -> None:
    """Keys a row of weights in each frame; keys in other frames stay."""
    for number in range(1, len(rows[0]) + 1):
        name = WEIGHT.format(number)
        for frame, row in zip(frames, rows, strict=True):
            obj[name] = row[number - 1]
            obj.keyframe_insert(f'["{name}"]', frame=frame)
