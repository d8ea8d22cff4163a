"""Scenes of `blender_session`: maps on the coarse garment, beside the fine one."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
from blender_objects import OUT
from blender_use import key, lit, pixels
from mathutils import Matrix


def material_with_map(picture: Path) -> bpy.types.Material:
    """Diffuse cloth whose normals are those of a tangent-space map, once its two nodes are linked."""
    made = bpy.data.materials.new("Mapped")
    made.use_nodes = True
    nodes = made.node_tree.nodes
    nodes.clear()
    image, normal, cloth, output = (
        nodes.new(f"ShaderNode{kind}") for kind in ("TexImage", "NormalMap", "BsdfDiffuse", "OutputMaterial")
    )
    image.image = bpy.data.images.load(str(picture))
    image.image.colorspace_settings.name, image.interpolation = "Non-Color", "Linear"
    link = made.node_tree.links.new
    link(image.outputs["Color"], normal.inputs["Color"])
    link(cloth.outputs["BSDF"], output.inputs["Surface"])
    return made


def curtain() -> bpy.types.Object:
    """A sheet that stands before the camera, and that a shape key shears, so that it wrinkles askew."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=1.0)
    obj = bpy.context.object
    obj.data.transform(Matrix.Rotation(np.pi / 2, 4, "X"))
    for polygon in obj.data.polygons:
        polygon.use_smooth = True
    sheared = key(obj, "sheared", (1.0, 1.0, 1.0))
    for point in sheared.data:
        point.co.x += 0.5 * point.co.z
    for frame, value in ((1, 0.0), (6, 1.0)):
        sheared.value = value
        sheared.keyframe_insert("value", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 6
    obj.pucker.method, obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width = "dynamic", 1.02, 0.08
    return obj


def mapped() -> Any:
    """A frame of the sheet smooth, with its map, with its map's green upside down, and as the fine mesh that was mapped."""
    obj = curtain()
    scene = bpy.context.scene
    obj.pucker.map_size, obj.pucker.preview_edge = 512, 0.2
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="NORMALS") == {"FINISHED"}
    (picture,) = (OUT / "Grid_maps").glob("*normal_0005.png")
    cloth = material_with_map(picture)
    obj.data.materials.append(cloth)
    lit(obj)
    scene.cycles.samples, scene.render.film_transparent = 16, True
    scene.render.resolution_x = scene.render.resolution_y = 128
    scene.frame_set(6)

    def drawn(name: str) -> np.ndarray:
        scene.render.filepath = str(OUT / f"{name}.png")
        bpy.ops.render.render(write_still=True)
        return pixels(f"{name}.png")

    found = {"smooth": drawn("smooth")}
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    found["fine"] = drawn("fine")
    assert bpy.ops.pucker.end_preview() == {"FINISHED"}
    tree = cloth.node_tree
    tree.links.new(tree.nodes["Normal Map"].outputs["Normal"], tree.nodes["Diffuse BSDF"].inputs["Normal"])
    found["mapped"] = drawn("mapped")
    image = tree.nodes["Image Texture"].image
    values = np.array(image.pixels[:]).reshape(-1, 4)
    values[:, 1] = 1.0 - values[:, 1]
    other = bpy.data.images.new("flipped", *image.size, float_buffer=True, is_data=True)
    other.pixels = values.ravel().tolist()
    tree.nodes["Image Texture"].image = other
    found["flipped"] = drawn("flipped")
    np.savez(OUT / "mapped.npz", **found)
    return None
