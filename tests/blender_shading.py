"""What `engine_scenes.blender_pictures` has Blender draw: `python blender_shading.py GIVEN OUT EXAMPLES`, in a process of its own."""

import pickle
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

GIVEN, OUT = (Path(word) for word in sys.argv[1:3])
sys.path.insert(0, sys.argv[3])

from wrinkle_material import WEIGHT, add_wrinkles, follow, play  # noqa: E402 - of the examples


def stage(size: int, view: tuple[float, float, float, float]) -> None:
    """A camera along -z, and a sun, as the page of three.js has them."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    left, right, low, high = view
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.type, camera.data.ortho_scale = "ORTHO", right - left
    camera.location = ((left + right) / 2, (low + high) / 2, 10.0)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle = 2.0, 0.0
    for made in (camera, sun):
        scene.collection.objects.link(made)
    sun.rotation_mode = "QUATERNION"
    sun.rotation_quaternion = Vector((2.0, 1.0, 2.0)).to_track_quat("Z", "Y")
    scene.camera = camera
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 4, False
    scene.cycles.max_bounces = 0
    scene.render.resolution_x = scene.render.resolution_y = size
    scene.render.fps = 30
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.color_depth = "16"


def sheet(given: dict[str, Any]) -> bpy.types.Object:
    """An object with a mesh's vertices, normals and texture coordinates."""
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata(given["position"], [], given["faces"])
    corners = np.asarray(given["faces"]).ravel()
    if "uv" in given:
        mesh.uv_layers.new().uv.foreach_set("vector", np.asarray(given["uv"], np.float32)[corners].ravel())
    mesh.shade_smooth()
    if "normal" in given:
        mesh.normals_split_custom_set_from_vertices(given["normal"])
    obj = bpy.data.objects.new("sheet", mesh)
    material = bpy.data.materials.new("material_0")
    if material.node_tree is None:
        material.use_nodes = True
    shader = material.node_tree.nodes["Principled BSDF"].inputs
    shader["Roughness"].default_value, shader["Specular IOR Level"].default_value = 1.0, 0.0
    mesh.materials.append(material)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def dress(obj: bpy.types.Object, given: dict[str, Any]) -> None:
    """Its wrinkle maps with weights of a clip or as they are told, or a height map that displaces it."""
    if "maps" in given:
        wrinkles = add_wrinkles(obj, given["maps"])
        if "clip" in given:
            play(obj, wrinkles, given["clip"])
            bpy.context.scene.frame_set(round(30 * given["time"]))
        for number, weight in enumerate(given.get("weights", ()), 1):
            obj[WEIGHT.format(number)] = weight
    if "height" in given:
        material = obj.data.materials[0]
        nodes, link = material.node_tree.nodes, material.node_tree.links.new
        image, moved = nodes.new("ShaderNodeTexImage"), nodes.new("ShaderNodeDisplacement")
        image.image = bpy.data.images.load(given["height"])
        image.image.colorspace_settings.name = "Non-Color"
        moved.inputs["Scale"].default_value, moved.inputs["Midlevel"].default_value = given["scale"], given["middle"]
        link(image.outputs["Color"], moved.inputs["Height"])
        link(moved.outputs[0], nodes["Material Output"].inputs["Displacement"])
        material.displacement_method = "DISPLACEMENT"


def drawn(given: dict[str, Any]) -> np.ndarray:
    """The grey picture (size, size) of a mesh, 0 to 1, upper row first."""
    obj = sheet(given)
    dress(obj, given)
    scene = bpy.context.scene
    scene.render.filepath = str(OUT.with_suffix(".png"))
    bpy.ops.render.render(write_still=True)
    image = bpy.data.images.load(scene.render.filepath)
    picture = np.array(image.pixels[:], np.float32).reshape(*image.size, 4)[::-1, :, 0]
    bpy.data.images.remove(image)
    return picture


def followed(given: dict[str, Any]) -> list[list[float]]:
    """The weights that the example computes from a sheet which a shape key pushes, in all frames."""
    obj = sheet(given)
    obj.shape_key_add(name="Basis")
    key = obj.shape_key_add(name="pushed", from_mix=False)
    key.data.foreach_set("co", np.asarray(given["pushed"], np.float32).ravel())
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 0, len(given["values"]) - 1
    for frame, value in enumerate(given["values"]):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    wrinkles = add_wrinkles(obj, given["maps"])
    follow(obj, wrinkles)
    found = []
    for frame in range(len(given["values"])):
        scene.frame_set(frame)
        found.append([obj[WEIGHT.format(number + 1)] for number in range(len(wrinkles["regions"]))])
    return found


def refused(given: dict[str, Any]) -> list[str]:
    """What the example says of modifiers that make vertices, and of materials that have no maps."""
    obj = sheet(given)
    wrinkles = add_wrinkles(obj, given["maps"])
    obj.modifiers.new("finer", "SUBSURF").subdivision_type = "SIMPLE"
    told = []
    for call in (lambda: follow(obj, wrinkles), lambda: add_wrinkles(obj, given["maps"])):
        try:
            call()
        except ValueError as error:
            told.append(str(error))
        obj.material_slots[0].material.name = "Silk"
    return told


content = pickle.loads(GIVEN.read_bytes())
stage(content["size"], content["view"])


def alone(work: Any, given: dict[str, Any]) -> Any:
    """What is found of a sheet, of which nothing is left."""
    found = work(given)
    bpy.data.batch_remove([*bpy.data.materials, *bpy.data.meshes, *bpy.data.actions])
    return found


work = ((drawn, content["meshes"]), (followed, content["followed"]), (refused, content["followed"][:1]))
OUT.write_bytes(pickle.dumps([[alone(each, given) for given in several] for each, several in work]))
