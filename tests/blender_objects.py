"""What the scenes of `blender_session` share: the objects they work on, and what is asked of these."""

import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np

ZIP, DATA, OUT = (Path(word) for word in sys.argv[1:4])


def coordinates(obj: bpy.types.Object) -> np.ndarray:
    """Vertices (N, 3) of an evaluated object in the world."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    evaluated.to_mesh_clear()
    matrix = np.array(evaluated.matrix_world)
    return points.reshape(-1, 3) @ matrix[:3, :3].T + matrix[:3, 3]


def faces(obj: bpy.types.Object) -> np.ndarray:
    """Triangles (M, 3) of an object's mesh."""
    corners = np.empty(len(obj.data.loops), np.int32)
    obj.data.loops.foreach_get("vertex_index", corners)
    return corners.reshape(-1, 3)


def areas(obj: bpy.types.Object) -> dict[str, float]:
    """The area of an object's surface by material."""
    mesh = obj.evaluated_get(bpy.context.evaluated_depsgraph_get()).to_mesh()
    found = dict.fromkeys((slot.material.name for slot in obj.material_slots), 0.0)
    for polygon in mesh.polygons:
        found[obj.material_slots[polygon.material_index].material.name] += polygon.area
    return found


def activate(obj: bpy.types.Object) -> None:
    """Makes it the one that operators are for."""
    obj.hide_set(False)
    for other in bpy.context.selected_objects:
        other.select_set(False)
    obj.select_set(True)
    bpy.context.view_layer.objects.active = obj


def play(action: str) -> None:
    """Has the armature move by an action, over whose frames the scene goes."""
    scene = bpy.context.scene
    armatures = [obj for obj in bpy.data.objects if obj.type == "ARMATURE"]
    armature = bpy.data.objects.get("CharacterArmature", armatures[0])  # which may be beside that of a sleeve
    # Before Blender 4.4 an action is imported under its name and that of what it moves.
    names = (action, f"{action}_{armature.name}")
    chosen = next(bpy.data.actions[name] for name in names if name in bpy.data.actions)
    armature.animation_data.action = chosen
    if hasattr(chosen, "slots"):  # from Blender 4.4 on
        armature.animation_data.action_slot = chosen.slots[0]
    for track in armature.animation_data.nla_tracks:
        track.mute = True
    scene.frame_start, scene.frame_end = (round(end) for end in chosen.frame_range)


def kimono() -> bpy.types.Object:
    """The kimono's walk, of which the garment is chosen, with dynamic wrinkles."""
    bpy.ops.import_scene.gltf(filepath=str(DATA / "kimono_male.gltf"))
    play("Walk")
    obj = bpy.data.objects["Body"]
    activate(obj)
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Clothes,Band"
    obj.pucker.method, obj.pucker.dynamic.threshold, obj.pucker.smooth = "dynamic", 1.03, "0"
    return obj


def refused(operator: Any, **options: Any) -> str:
    """What an operator reports that is to fail; it must leave the file as it was."""

    before, frame = content(), bpy.context.scene.frame_current
    try:
        operator(**options)
    except RuntimeError as error:
        assert content() == before
        assert bpy.context.scene.frame_current == frame
        return str(error).strip()
    raise AssertionError("it was not refused")


def recorded(name: str, frames: tuple[int, ...]) -> dict[str, np.ndarray]:
    """What an object shows in some frames of the scene: `positionsFRAME`, and `facesFRAME` of its mesh."""
    obj, found = bpy.data.objects[name], {}
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found[f"positions{frame}"], found[f"faces{frame}"] = coordinates(obj), faces(obj)
    return found


def picture(obj: bpy.types.Object, name: str = "kimono.png") -> None:
    scene = bpy.context.scene
    points = coordinates(obj)
    middle, size = (points.max(axis=0) + points.min(axis=0)) / 2, np.ptp(points, axis=0).max()
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = middle + np.array([0.0, -2.2 * size, 0.0])
    camera.rotation_euler = (np.pi / 2, 0.0, 0.0)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.data.energy, sun.rotation_euler = 3.0, (0.9, -0.9, 0.0)
    for made in (camera, sun):
        scene.collection.objects.link(made)
    scene.camera = camera
    scene.world = bpy.data.worlds.new("world")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs["Color"].default_value = (0.2, 0.22, 0.25, 1.0)
    for material in obj.data.materials:
        shader = material.node_tree.nodes["Principled BSDF"].inputs
        shader["Metallic"].default_value, shader["Roughness"].default_value = 0.0, 0.7
    scene.render.engine = "CYCLES"
    scene.cycles.samples = 16
    scene.render.resolution_x = scene.render.resolution_y = 480
    scene.render.filepath = str(OUT / name)
    bpy.ops.render.render(write_still=True)


def cloth_faces() -> int:
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    return len(module.of(bpy.data.objects["Grid"]).run.clip.faces)


def turning() -> bpy.types.Object:
    """A grid that turns over five frames."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    obj = bpy.context.object
    obj.keyframe_insert("rotation_euler", frame=1)
    obj.rotation_euler.x = 1.0
    obj.keyframe_insert("rotation_euler", frame=5)
    bpy.context.scene.frame_end = 5
    obj.pucker.method = "dynamic"
    return obj


def content() -> list[str]:
    """The names of all objects, meshes and curves."""
    return sorted(each.name for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.curves) for each in kind)


def sleeve() -> bpy.types.Object:
    """A tube that an armature bends over an arm, with two actions, its mesh and texture coordinates made here."""
    bpy.ops.mesh.primitive_cylinder_add(vertices=10, radius=0.16, depth=1.0, end_fill_type="NOTHING")
    obj = bpy.context.object
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.subdivide(number_cuts=7)
    bpy.ops.mesh.quads_convert_to_tris()
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = bpy.data.armatures.new("bones")
    armature = bpy.data.objects.new("armature", bones)
    bpy.context.scene.collection.objects.link(armature)
    activate(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, ends in (("upper", (-0.5, 0.0)), ("lower", (0.0, 0.5))):
        bone = bones.edit_bones.new(name)
        bone.head, bone.tail = (0.0, 0.0, ends[0]), (0.0, 0.0, ends[1])
    bpy.ops.object.mode_set(mode="OBJECT")
    for name in ("upper", "lower"):
        group = obj.vertex_groups.new(name=name)
        for vertex in obj.data.vertices:
            share = min(max(0.5 + 2.5 * vertex.co.z, 0.0), 1.0)
            group.add([vertex.index], share if name == "lower" else 1.0 - share, "REPLACE")
    obj.modifiers.new("armature", "ARMATURE").object = armature
    lower = armature.pose.bones["lower"]
    lower.rotation_mode = "XYZ"
    for name, angle in (("bend", 1.2), ("turn", -0.9)):
        armature.animation_data_create().action = bpy.data.actions.new(name)
        for frame, share in ((1, 0.0), (6, 1.0), (10, 0.3)):
            lower.rotation_euler.x = share * angle
            lower.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 10
    activate(obj)
    obj.pucker.method, obj.pucker.smooth = "dynamic", "0"
    return obj


def toml_of(obj: bpy.types.Object) -> str:
    return obj.pucker.dynamic.params().to_toml()


def enable() -> None:
    """Turns the extension on."""
    import addon_utils  # noqa: PLC0415

    assert addon_utils.enable("bl_ext.user_default.pucker", default_set=True) is not None
