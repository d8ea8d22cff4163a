"""Draws the pictures of the page about Blender, by Cycles: the extension works on the kimono as Blender imports it.

    ./run python docs/blender_pictures.py [baked] [preview] [byexample]

Needs Blender's module, which `./run test --blender` installs.
"""

import importlib.util
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import bpy
import numpy as np
from mathutils import Vector
from PIL import Image

ROOT: Final = Path(__file__).resolve().parents[1]
SIZE: Final = (420, 480)
AZIMUTH: Final = 30.0
ELEVATION: Final = 6.0
FIELD_OF_VIEW: Final = 22.0
SAMPLES: Final = 64
# At a grazing angle to what faces the camera, as pucker's own pictures are lit.
SUN: Final = (65.0, 14.0)
"""Degrees to the left of the camera, and above the ground."""


def extended() -> None:
    """An empty file, with the extension as it lies in this checkout."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    if "pucker_extension" in sys.modules:
        return
    folder = ROOT / "blender" / "pucker"
    spec = importlib.util.spec_from_file_location(
        "pucker_extension", folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["pucker_extension"] = module
    spec.loader.exec_module(module)
    module.register()


def kimono(clip: str) -> Any:
    """The character in one of its clips, of which the garment is chosen."""
    bpy.ops.import_scene.gltf(filepath=str(ROOT / "data" / "kimono_male.gltf"))
    armature = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
    action = bpy.data.actions[clip]
    armature.animation_data.action = action
    armature.animation_data.action_slot = action.slots[0]
    for track in armature.animation_data.nla_tracks:
        track.mute = True
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = (round(end) for end in action.frame_range)
    for material in bpy.data.materials:
        shader = material.node_tree.nodes["Principled BSDF"].inputs
        shader["Metallic"].default_value, shader["Roughness"].default_value = 0.0, 0.8
    obj = bpy.data.objects["Body"]
    bpy.context.view_layer.objects.active = obj
    obj.select_set(True)
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Clothes"
    return obj


def points_of(obj: Any, material: str) -> np.ndarray:
    """Vertices (N, 3) in the world of what has a material, as it is shown."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    slots = [slot.material.name for slot in obj.material_slots]
    used = {v for polygon in mesh.polygons if slots[polygon.material_index] == material for v in polygon.vertices}
    found = np.array([evaluated.matrix_world @ mesh.vertices[v].co for v in sorted(used)])
    evaluated.to_mesh_clear()
    return found


def _towards(azimuth: float, elevation: float) -> Vector:
    """From the middle of the scene: degrees to the right of its front, and above the ground."""
    a, e = np.radians((azimuth, elevation))
    return Vector([float(x) for x in (np.sin(a) * np.cos(e), -np.cos(a) * np.cos(e), np.sin(e))])


def lit(points: np.ndarray) -> None:
    """A camera that has points in view, three quarters turned, a sun and a grey world."""
    scene = bpy.context.scene
    middle = Vector((points.max(axis=0) + points.min(axis=0)) / 2)
    towards = _towards(AZIMUTH, ELEVATION)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.data.sensor_fit, camera.data.angle_y = "VERTICAL", np.radians(FIELD_OF_VIEW)
    away = float(0.56 * np.ptp(points, axis=0).max() / np.tan(np.radians(FIELD_OF_VIEW / 2)))
    camera.location, camera.rotation_mode = middle + away * towards, "QUATERNION"
    camera.rotation_quaternion = towards.to_track_quat("Z", "Y")
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.data.angle, sun.rotation_mode = 3.2, np.radians(3.0), "QUATERNION"
    sun.rotation_quaternion = _towards(AZIMUTH - SUN[0], SUN[1]).to_track_quat("Z", "Y")
    for made in (camera, sun):
        scene.collection.objects.link(made)
    scene.camera, scene.world = camera, bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.16, 0.17, 0.19, 1.0)
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", SAMPLES, False
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = SIZE


def rendered() -> np.ndarray:
    """What the camera sees, (h, w, 3) of uint8."""
    with tempfile.TemporaryDirectory() as folder:
        bpy.context.scene.render.filepath = str(Path(folder) / "drawn.png")
        bpy.ops.render.render(write_still=True)
        return np.asarray(Image.open(Path(folder) / "drawn.png").convert("RGB"))


def baked() -> np.ndarray:
    """The kimono runs, draped and baked."""
    obj = kimono("Run")
    obj.pucker.method = "drape"
    with tempfile.TemporaryDirectory() as folder:
        assert bpy.ops.pucker.bake(folder=folder, kind="CACHE") == {"FINISHED"}
        bpy.context.scene.frame_set(13)
        shown = bpy.data.objects["Body baked"]
        lit(points_of(shown, "Clothes"))
        return rendered()


def beside(clip: str, frame: int, method: str, trained: str = "") -> np.ndarray:
    """A frame as it was animated, and with the preview."""
    obj = kimono(clip)
    obj.pucker.method, obj.pucker.byexample.trained = method, trained
    bpy.context.scene.frame_set(frame)
    lit(points_of(obj, "Clothes"))
    before = rendered()
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    return np.hstack([before, rendered()])


PICTURES: Final[dict[str, tuple[str, Callable[[], np.ndarray]]]] = {
    "baked": ("blender.png", baked),
    "preview": ("blender_preview.webp", lambda: beside("Walk", 12, "drape")),
    "byexample": (
        "blender_byexample.webp",
        lambda: beside("SitDown", 22, "byexample", str(ROOT / "data" / "kimono.pose.npz")),
    ),
}


def main(names: list[str]) -> None:
    """Draws those that are named, or all."""
    for name in names or PICTURES:
        file, draw = PICTURES[name]
        extended()
        Image.fromarray(draw()).save(ROOT / "docs" / file, quality=85)


if __name__ == "__main__":
    main(sys.argv[1:])
