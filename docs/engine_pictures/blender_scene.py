"""Has Blender import a file and render one frame of it: `python blender_scene.py JSON`, in a process of its own."""

import json
import sys
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

# From y up to z up, as the importers turn what they read.
UP = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])


def imported(given: dict[str, Any]) -> None:
    """The file, with the clip chosen in the armature and in the shape keys, and wrinkle maps where some are told."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = given["rate"]
    if given["file"].endswith(".glb"):
        bpy.ops.import_scene.gltf(filepath=given["file"])
    else:
        bpy.ops.wm.usd_import(filepath=given["file"])
    if given["maps"] is not None:
        sys.path.insert(0, given["examples"])
        from wrinkle_material import add_wrinkles, play  # noqa: PLC0415 - of the examples

        garment = bpy.data.objects["garment"]
        play(garment, add_wrinkles(garment, given["maps"]), given["clip"])
    scene.frame_set(given["frame"])


def lit(given: dict[str, Any]) -> None:
    """Camera, sun and a grey world."""
    scene = bpy.context.scene
    eye, at, sun_at = (Vector(UP @ given[name]) for name in ("eye", "at", "sun"))
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.sensor_fit, camera.data.angle_y = "VERTICAL", np.radians(given["fov"])
    camera.location, camera.rotation_mode = eye, "QUATERNION"
    camera.rotation_quaternion = (eye - at).to_track_quat("Z", "Y")
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_mode = 2.2, "QUATERNION"
    sun.rotation_quaternion = sun_at.to_track_quat("Z", "Y")
    for made in (camera, sun):
        scene.collection.objects.link(made)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    if scene.world.node_tree is None:
        scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.4, 0.4, 0.4, 1.0)


def render(given: dict[str, Any]) -> None:
    """By Cycles, over a plain ground."""
    scene = bpy.context.scene
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 48, False
    scene.render.film_transparent = True
    scene.render.resolution_x, scene.render.resolution_y = given["size"]
    scene.view_settings.view_transform = "Standard"
    scene.render.filepath = given["out"]
    bpy.ops.render.render(write_still=True)


told = json.loads(sys.argv[1])
imported(told)
lit(told)
render(told)
