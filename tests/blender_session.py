"""What is done in Blender for `test_blender`: `python blender_session.py ZIP DATA OUT SCENE`, in a process of its own.

Only Blender's module, NumPy and the extension's wheel are there. Each scene writes OUT/SCENE.json, and arrays beside it.
"""

import json
import os
import pickle
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
    armature = next(obj for obj in bpy.data.objects if obj.type == "ARMATURE")
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
    """The kimono's walk, of which the garment is chosen."""
    bpy.ops.import_scene.gltf(filepath=str(DATA / "kimono_male.gltf"))
    play("Walk")
    obj = bpy.data.objects["Body"]
    activate(obj)
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Clothes,Band"
    obj.pucker.dynamic.threshold = 1.1
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


def settings() -> Any:
    """The properties that there are, by method: name, tooltip and default."""
    import pucker.method  # noqa: PLC0415 - found once the extension is enabled

    obj = bpy.data.objects.new("thing", bpy.data.meshes.new("thing"))
    found = {}
    for method in ("dynamic", "waves", "byexample"):
        group = getattr(obj.pucker, method)
        properties = [p for p in group.bl_rna.properties if p.identifier not in ("rna_type", "name")]
        found[method] = {p.identifier: p.description for p in properties}
        assert group.params() == pucker.method.method_named(method).params()
    from bl_ext.user_default.pucker import parameters  # noqa: PLC0415

    for name in ("Clothes", "Band", "Skin"):
        obj.data.materials.append(bpy.data.materials.new(name))
    listed = [parameters._materials_like(obj.pucker, bpy.context, text) for text in ("", "Clothes, b", "Skin,", "x")]
    return {
        "listed": listed,
        "properties": found,
        "panel": hasattr(bpy.types, "VIEW3D_PT_pucker"),
        "file": pucker.__file__,
    }


def preview() -> Any:
    """The kimono's wrinkled surface in some frames, in order and by jumps."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    import pucker  # noqa: PLC0415

    obj = kimono()
    scene = bpy.context.scene
    scene.frame_set(0)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    shown = bpy.data.objects["Body wrinkled"]
    arrays = recorded(shown.name, (0, 12, 36))
    again = recorded(shown.name, (12, 0, 36))
    assert all(np.array_equal(again[key], arrays[key]) for key in arrays)
    run = module.of(obj).run
    colours = shown.data.color_attributes["labels"].data
    tints = np.empty(4 * len(colours), np.float32)
    colours.foreach_get("color_srgb", tints)
    assert bpy.ops.pucker.paths() == {"FINISHED"}
    paths = bpy.data.objects["Body paths"].data.splines
    wrinkles = len(run.seek(36).wrinkles)
    np.savez(OUT / "preview.npz", **arrays)
    (OUT / "clip.pickle").write_bytes(pickle.dumps(run.clip))
    result = {
        "saved": run.saved,
        "paths": len(paths),
        "wrinkles": wrinkles,
        "tints": len(np.unique(tints.reshape(-1, 4), axis=0)),
        "display": obj.display_type,
        "params": run.params.to_toml(),
        "version": pucker.__version__,
    }
    assert bpy.ops.pucker.end_preview() == {"FINISHED"}
    assert "Body wrinkled" not in bpy.data.objects
    assert obj.display_type == "TEXTURED"
    return result


def bakes() -> Any:
    """The kimono baked in each way and opened again, and a picture."""
    obj = kimono()
    obj.pucker.bake_edge = 0.7
    scene = bpy.context.scene
    scene.frame_end = 8
    left, played = {}, {}
    # Twice, as baking again takes the place of what was baked.
    for kind in ("ALEMBIC", "USD", "ALEMBIC", "USD", "CACHE"):
        folder = OUT / kind
        folder.mkdir(exist_ok=True)
        activate(obj)
        assert bpy.ops.pucker.bake(folder=str(folder), kind=kind) == {"FINISHED"}
        left[kind] = sorted(path.name for path in folder.iterdir())
        played[kind] = recorded("Body baked", (0, 5, 8))
    baked = bpy.data.objects["Body baked"]
    apart = {
        kind: max(float(np.abs(found - played["CACHE"][name]).max()) for name, found in arrays.items())
        for kind, arrays in played.items()
    }
    caches = len(bpy.data.cache_files)
    scene.frame_set(0)
    painted = {"coarse": areas(obj), "baked": areas(baked)}
    frames = {}
    for frame in (0, 5, 8):
        scene.frame_set(frame)
        frames[frame] = coordinates(baked)
    _picture(baked)
    distances = {}
    for kind, ending, reader in (
        ("ALEMBIC", ".abc", bpy.ops.wm.alembic_import),
        ("USD", ".usdc", bpy.ops.wm.usd_import),
    ):
        before = set(bpy.data.objects)
        reader(filepath=str(OUT / kind / f"Body_baked{ending}"))
        again = next(made for made in set(bpy.data.objects) - before if made.type == "MESH")
        for frame, expected in frames.items():
            scene.frame_set(frame)
            distances[f"{ending} {frame}"] = float(np.abs(coordinates(again) - expected).max())
    moved = float(np.abs(frames[8] - frames[0]).max())
    return {
        "areas": painted,
        "left": left,
        "apart": apart,
        "caches": caches,
        "distances": distances,
        "triangles": len(baked.data.polygons),
        "moved": moved,
        "hidden": obj.hide_render,
    }


def _picture(obj: bpy.types.Object, name: str = "kimono.png") -> None:
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


def alembic() -> Any:
    """What pucker itself has written, OUT/walk.abc, frame by frame."""
    before = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=str(OUT / "walk.abc"), set_frame_range=True)
    scene = bpy.context.scene
    made = {obj.name: obj for obj in set(bpy.data.objects) - before if obj.type == "MESH"}
    frames: dict[str, list[np.ndarray]] = {name: [] for name in made}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for name, obj in made.items():
            frames[name].append(coordinates(obj))
    np.savez(OUT / "alembic.npz", **{name: np.array(found) for name, found in frames.items()})
    return {name: len(obj.data.polygons) for name, obj in made.items()}


def cancelled() -> Any:
    """A bake that is given up in the middle."""
    from bl_ext.user_default.pucker import baking  # noqa: PLC0415

    obj = kimono()
    scene = bpy.context.scene
    scene.frame_set(3)
    objects = len(bpy.data.objects)
    for share in (0.1, 0.5, 0.8):
        steps = baking.steps(bpy.context, obj, obj.pucker.dynamic.params(), str(OUT), "CACHE")
        while next(steps) < share:
            pass
        steps.close()
        assert scene.frame_current == 3
        assert len(bpy.data.objects) == objects
    return [path.name for path in OUT.iterdir() if "baked" in path.name]


def dress() -> Any:
    """The dress by Blender's own importer, whose scale is not applied."""
    bpy.ops.import_scene.fbx(filepath=str(DATA / "female_dress.fbx"))
    play(next(action.name for action in bpy.data.actions if action.name.endswith("Female_Run")))
    obj = next(
        o for o in bpy.data.objects if o.type == "MESH" and "Dress" in [s.material.name for s in o.material_slots]
    )
    activate(obj)
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Dress*"
    found = {}
    for method in ("dynamic", "waves"):
        obj.pucker.method = method
        obj.pucker.dynamic.threshold = 1.1
        assert bpy.ops.pucker.preview() == {"FINISHED"}
        bpy.context.scene.frame_set(bpy.context.scene.frame_end)
        shown = bpy.data.objects[f"{obj.name} wrinkled"]
        found[method] = {"triangles": len(shown.data.polygons), "height": float(np.ptp(coordinates(shown)[:, 2]))}
    found["coarse"] = float(np.ptp(coordinates(obj)[:, 2]))
    return found


def drape() -> Any:
    """Cloth that Blender itself simulates: a sheet that hangs from one side."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=12, y_subdivisions=12, size=1.0)
    obj = bpy.context.object
    group = obj.vertex_groups.new(name="pinned")
    group.add([v.index for v in obj.data.vertices if v.co.y > 0.49], 1.0, "REPLACE")
    obj.modifiers.new("cloth", "CLOTH").settings.vertex_group_mass = "pinned"
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 20
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    bpy.context.scene.frame_set(20)
    lowest = float(coordinates(bpy.data.objects["Grid wrinkled"])[:, 2].min())
    whole = _cloth_faces()
    obj.vertex_groups.new(name="half").add([v.index for v in obj.data.vertices if v.co.x < 0.01], 1.0, "REPLACE")
    obj.pucker.cloth, obj.pucker.vertex_group = "GROUP", "half"
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    return {"lowest": lowest, "whole": whole, "half": _cloth_faces()}


def _cloth_faces() -> int:
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
    return obj


def content() -> list[str]:
    """The names of all objects, meshes and curves."""
    return sorted(each.name for kind in (bpy.data.objects, bpy.data.meshes, bpy.data.curves) for each in kind)


def undone() -> Any:
    """A preview that is undone, done again, and undone for good, with the scene's frame between."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    turning()
    bpy.ops.ed.undo_push(message="before")
    found = []

    def note() -> None:
        bpy.context.scene.frame_set(3)
        obj = bpy.data.objects["Grid"]
        found.append([content(), obj.display_type, module.of(obj) is not None])

    note()
    assert bpy.ops.pucker.preview("EXEC_DEFAULT", True) == {"FINISHED"}
    note()
    assert bpy.ops.ed.undo() == {"FINISHED"}
    note()
    assert bpy.ops.ed.redo() == {"FINISHED"}
    note()
    shown = recorded("Grid wrinkled", (1, 4))
    assert bpy.ops.ed.undo() == {"FINISHED"}
    note()
    return {"found": found, "moved": float(np.abs(shown["positions4"] - shown["positions1"]).max())}


def renamed() -> Any:
    """A preview both of whose objects get other names."""
    obj = turning()
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    obj.name, bpy.data.objects["Grid wrinkled"].name = "Sheet", "Surface"
    shown = recorded("Surface", (1, 4))
    found = {"moved": float(np.abs(shown["positions4"] - shown["positions1"]).max()), "display": obj.display_type}
    # Another one gets the name that the first one had.
    bpy.context.scene.frame_set(1)
    other = turning()
    other.name = "Grid"
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    found["both"] = content()
    activate(obj)
    assert bpy.ops.pucker.end_preview() == {"FINISHED"}
    found |= {"one": content(), "displays": [obj.display_type, other.display_type]}
    return found


def deleted() -> Any:
    """A preview one of whose objects is deleted, and comes back."""
    found = {}
    for name, left in (("Grid wrinkled", "Grid"), ("Grid", "Grid wrinkled")):
        bpy.ops.wm.read_homefile(use_empty=True)
        turning()
        assert bpy.ops.pucker.preview() == {"FINISHED"}
        activate(bpy.data.objects[name])
        bpy.ops.ed.undo_push(message="before")
        assert bpy.ops.object.delete() == {"FINISHED"}
        bpy.ops.ed.undo_push(message="deleted")
        bpy.context.scene.frame_set(3)
        obj = bpy.data.objects.get("Grid")
        gone = {"left": [each.name for each in bpy.data.objects], "display": obj.display_type if obj else None}
        assert bpy.ops.ed.undo() == {"FINISHED"}
        shown = recorded("Grid wrinkled", (1, 4))
        gone["back"] = float(np.abs(shown["positions4"] - shown["positions1"]).max())
        gone["wires"] = bpy.data.objects["Grid"].display_type
        found[left] = gone
    return found


def saved() -> Any:
    """A file that is saved while there is a preview, and opened again."""
    obj = turning()
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    before = content()
    file = OUT / "previewed.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(file))
    shown = recorded("Grid wrinkled", (1, 4))
    found = {
        "same": content() == before and bool(bpy.data.objects["Grid wrinkled"].users_scene),
        "display": obj.display_type,
        "moved": float(np.abs(shown["positions4"] - shown["positions1"]).max()),
    }
    bpy.ops.wm.open_mainfile(filepath=str(file))
    bpy.context.scene.frame_set(2)
    obj = bpy.data.objects["Grid"]
    found["opened"] = [content(), obj.display_type]
    activate(obj)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    found["again"] = sorted(each.name for each in bpy.data.objects)
    return found


def neighbours() -> Any:
    """Objects of the artist's own that happen to have the names that pucker gives, and a second scene."""
    obj = turning()
    own = {}
    for name in ("Grid wrinkled", "Grid baked", "Grid paths"):
        own[name] = bpy.data.objects.new(name, bpy.data.meshes.new(name))
        bpy.context.scene.collection.objects.link(own[name])
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "SUN")))
    data = {name: each.data.name for name, each in own.items()}
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    shown = bpy.data.objects["Grid wrinkled.001"]
    first = coordinates(shown)
    # A second scene has frames of its own, which are none of the preview's.
    other = bpy.data.scenes.new("other")
    other.frame_set(4)
    apart = bool(np.array_equal(coordinates(shown), first))
    for _ in range(2):
        activate(obj)
        assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    return {
        "apart": apart,
        "names": sorted(each.name for each in bpy.data.objects),
        "untouched": {name: each.data.name for name, each in own.items()} == data,
    }


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
    return obj


def rigged() -> Any:
    """The sleeve as artists have it: in the editor of strips, mirrored, scaled, divided, bound to another mesh, hidden."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    found: dict[str, Any] = {}

    def sewn() -> tuple[bpy.types.Object, bpy.types.Object]:
        bpy.ops.wm.read_homefile(use_empty=True)
        obj = sleeve()
        obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width = 1.02, 0.02
        return obj, obj.modifiers["armature"].object

    def seen(obj: bpy.types.Object) -> dict[str, Any]:
        """Of a preview in frame 6: the share of the tube's faces whose front is outside, the largest offset, and the size."""
        bpy.context.scene.frame_set(6)
        assert bpy.ops.pucker.preview() == {"FINISHED"}
        run = module.of(obj).run
        faces, rest = run.clip.faces, run.clip.positions[0]
        corners = rest[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        outward = corners.mean(axis=1) - rest.mean(axis=0)
        outward[:, 1] = 0.0  # along the tube
        thirds = np.full((len(faces), 3), 1 / 3)
        middles = run.seek(5).detail.evaluate(np.arange(len(faces)), thirds).positions
        return {
            "outward": float((np.einsum("fd,fd->f", normals, outward) > 0.0).mean()),
            "offset": float(np.abs(middles - run.clip.positions[5][faces].mean(axis=1)).max()),
            "triangles": len(module.of(obj).shown.data.polygons),
        }

    obj, armature = sewn()
    found["action"] = seen(obj)
    expected = coordinates(module.of(obj).shown)

    obj, armature = sewn()
    track = armature.animation_data.nla_tracks.new()
    track.strips.new("turn", 1, armature.animation_data.action)
    armature.animation_data.action = None
    found["strip"] = seen(obj)
    found["same"] = bool(np.array_equal(coordinates(module.of(obj).shown), expected))

    obj, _ = sewn()
    obj.scale = (-2.0, 2.0, 2.0)
    found["mirrored"] = seen(obj)

    obj, _ = sewn()
    obj.modifiers.new("finer", "SUBSURF").levels = 1
    found["divided"] = seen(obj)

    # Another mesh, which a modifier binds to the sleeve, as tailors bind cloth to a body.
    obj, _ = sewn()
    bound = obj.copy()
    bound.data = obj.data.copy()
    bpy.context.scene.collection.objects.link(bound)
    bound.modifiers.clear()
    bound.vertex_groups.clear()
    bound.modifiers.new("bound", "SURFACE_DEFORM").target = obj
    bpy.context.scene.frame_set(1)
    activate(bound)
    assert bpy.ops.object.surfacedeform_bind(modifier="bound") == {"FINISHED"}
    found["bound"] = seen(bound)

    # One that follows another object by a constraint moves, though it is never compressed.
    obj, armature = sewn()
    obj.modifiers.clear()
    obj.constraints.new("COPY_ROTATION").target = armature
    armature.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (10, 1.0)):
        armature.rotation_euler.x = angle
        armature.keyframe_insert("rotation_euler", frame=frame)
    found["constrained"] = seen(obj)

    obj, _ = sewn()
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    # The bake has hidden it, which is no reason to refuse it.
    bpy.context.view_layer.objects.active = obj
    assert obj.hide_get()
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    obj.hide_viewport = True
    found["off"] = refused(bpy.ops.pucker.preview)
    return found


def trained() -> Any:
    """A set trained in place, from two actions, and then from what was kept; its preview and its bake."""
    import time  # noqa: PLC0415

    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415
    from bl_ext.user_default.pucker import training  # noqa: PLC0415

    obj = sleeve()
    armature = obj.modifiers["armature"].object
    settings = obj.pucker.training
    settings.actions, settings.levels, settings.poses = "bend, turn", 1, 6
    settings.cloth.quality = 3
    file = OUT / "sleeve.npz"

    # Given up in the middle: the motion that was done is kept, and everything stands as before.
    steps = training.steps(bpy.context, obj, file)
    while next(steps) < 0.6:
        pass
    steps.close()
    kept = sorted(path.name for path in training.recordings_of(file).iterdir())
    left = {"file": file.exists(), "action": armature.animation_data.action.name}

    shares, gaps, before = [], [], time.perf_counter()
    for share in training.steps(bpy.context, obj, file):
        shares.append(share)
        gaps.append(time.perf_counter() - before)
        before = time.perf_counter()
    assert bpy.ops.pucker.train(filepath=str(file)) == {"FINISHED"}
    assert obj.pucker.method == "byexample"
    scene = bpy.context.scene
    scene.frame_set(1)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    arrays = recorded("Cylinder wrinkled", (1, 6, 9))
    run = module.of(obj).run
    (OUT / "sleeve.pickle").write_bytes(pickle.dumps(run.clip))
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    baked = bpy.data.objects["Cylinder baked"]
    scene.frame_set(6)
    arrays["baked"] = coordinates(baked)
    np.savez(OUT / "trained.npz", **arrays)
    return {
        "kept": kept,
        "left": left,
        "recordings": sorted(path.name for path in training.recordings_of(file).iterdir()),
        "shares": shares,
        "usual": float(np.median(gaps)),
        "params": run.params.to_toml(),
        "cloth": settings.cloth.params().to_dict(),
    }


def chosen() -> Any:
    """A set that was trained outside, of the same file, on the kimono as Blender imports it."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = kimono()
    play("Run")
    obj.pucker.materials, obj.pucker.method = "Clothes", "byexample"
    obj.pucker.byexample.trained = str(DATA / "kimono.pose.npz")
    scene = bpy.context.scene
    scene.frame_set(scene.frame_start)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    scene.frame_set(scene.frame_start + 9)
    shown = bpy.data.objects["Body wrinkled"]
    (OUT / "chosen.pickle").write_bytes(pickle.dumps(module.of(obj).run.clip))
    np.save(OUT / "chosen.npy", coordinates(shown))
    obj.hide_render = True
    _picture(shown, "chosen.png")
    return {"params": obj.pucker.byexample.params().to_toml()}


def draped() -> Any:
    """Draped cloth on the kimono as Blender imports it, shown and baked; nothing is learned before."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = kimono()
    play("SitDown")
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + 11
    obj.pucker.materials, obj.pucker.method = "Clothes", "drape"
    scene.frame_set(scene.frame_start)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    scene.frame_set(scene.frame_end)
    shown = bpy.data.objects["Body wrinkled"]
    (OUT / "draped.pickle").write_bytes(pickle.dumps(module.of(obj).run.clip))
    np.save(OUT / "draped.npy", coordinates(shown))
    obj.hide_render = True
    _picture(shown, "draped.png")
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    baked = coordinates(bpy.data.objects["Body baked"])
    np.save(OUT / "draped_baked.npy", baked)
    return {"params": obj.pucker.drape.params().to_toml()}


def maps() -> Any:
    """Normal and height maps of the sleeve, baked in Blender."""
    obj = sleeve()
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width, obj.pucker.map_size = 1.02, 0.02, 64
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="MAPS") == {"FINISHED"}
    from bl_ext.user_default.pucker import cloth  # noqa: PLC0415

    reading = cloth.read(bpy.context, obj)
    try:
        while True:
            next(reading)
    except StopIteration as finished:
        (OUT / "mapped.pickle").write_bytes(pickle.dumps(finished.value))
    names = sorted(path.name for path in (OUT / "Cylinder_maps").iterdir())
    return {"names": names, "objects": sorted(obj.name for obj in bpy.data.objects), "params": _toml(obj)}


def _toml(obj: bpy.types.Object) -> str:
    return obj.pucker.dynamic.params().to_toml()


def jumps() -> Any:
    """A jump over many frames, as with a window: step by step, each a moment long, and at last the same bits."""
    import time  # noqa: PLC0415

    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = kimono()
    scene = bpy.context.scene
    scene.frame_set(0)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    shown = bpy.data.objects["Body wrinkled"]
    scene.frame_set(37)
    expected = coordinates(shown)
    scene.frame_set(2)
    first = coordinates(shown)
    # As on a machine that is so slow, or with a cloth so large, that a moment is enough for a frame only.
    module.at_once, module.SLICE = (lambda: False), 0.0
    made = module.of(obj)
    moments = []

    def arrive() -> int:
        count = 0
        while made.way is not None:
            before = time.perf_counter()
            again = module.catch_up()
            moments.append(time.perf_counter() - before)
            count += again is not None
        return count

    scene.frame_set(37)
    waiting = [np.array_equal(coordinates(shown), first), made.way is not None]
    calls = arrive()
    there = np.array_equal(coordinates(shown), expected)
    # A second jump before the first has ended goes where the last one says.
    scene.frame_set(0)
    arrive()
    scene.frame_set(37)
    scene.frame_set(2)
    arrive()
    return {
        "waiting": waiting,
        "calls": calls,
        "there": there,
        "back": np.array_equal(coordinates(shown), first),
        "longest": max(moments),
    }


def slices() -> Any:
    """Work in slices, as with a window, of which there is none here: a stand-in notes what it is asked for."""
    import time  # noqa: PLC0415
    from types import SimpleNamespace  # noqa: PLC0415

    from bl_ext.user_default.pucker import jobs  # noqa: PLC0415

    jobs.bpy = SimpleNamespace(app=SimpleNamespace(background=False))
    found: dict[str, Any] = {}

    def done(steps: Any, keys: int) -> dict[str, Any]:
        """What becomes of some steps if Escape is pressed after so many ticks of the timer."""
        seen: dict[str, Any] = {"shares": [], "told": [], "closed": False, "timers": 0, "moments": []}

        class Operator(jobs.Job):
            def steps(self, _context: Any) -> Any:
                try:
                    yield from steps()
                finally:
                    seen["closed"] = True

            def report(self, kinds: set[str], text: str) -> None:
                seen["told"].append([*kinds, text])

        def timer(by: int) -> Any:
            def change(*_: Any, **_window: Any) -> str:
                seen["timers"] += by
                return "timer"

            return change

        manager = SimpleNamespace(
            event_timer_add=timer(1),
            event_timer_remove=timer(-1),
            progress_begin=lambda *_: None,
            progress_update=seen["shares"].append,
            progress_end=lambda: seen["shares"].append("end"),
            modal_handler_add=lambda _operator: None,
        )
        workspace = SimpleNamespace(status_text_set=lambda _text: None)
        context = SimpleNamespace(window_manager=manager, window=None, workspace=workspace)
        operator = Operator()
        seen["answers"] = [*operator.invoke(context, None)]
        for tick in range(1000):
            before = time.perf_counter()
            kind = "ESC" if tick == keys else "TIMER"
            (answer,) = operator.modal(context, SimpleNamespace(type=kind, value="PRESS"))
            seen["moments"].append(time.perf_counter() - before)
            if answer != "RUNNING_MODAL":
                seen["answers"].append(answer)
                break
        return seen

    def steps() -> Any:
        for k in range(20):
            time.sleep(0.02)
            yield k / 20

    def failing() -> Any:
        yield 0.5
        raise ValueError("params.threshold is wrong")

    def aside() -> Any:
        yield from jobs.section(
            jobs.aside(lambda report: [report(k / 8) or time.sleep(0.03) for k in range(8)]), 0.0, 1.0
        )

    for name, work, keys in (
        ("whole", steps, -1),
        ("escaped", steps, 2),
        ("failing", failing, -1),
        ("aside", aside, -1),
    ):
        found[name] = done(work, keys)
    found["stopped"] = done(aside, 1)
    return found


class Watch:
    """A window manager of its own, which tells how long the main thread worked while no progress bar stood."""

    def __init__(self) -> None:
        self.bare: list[float] = []
        self.barred: list[float] = []
        self.shares: list[float] = []
        self._stands, self._since = False, 0.0

    def call(self, work: Any, *arguments: Any) -> Any:
        """Does a part of work, between whose end and the next one Blender draws."""
        import time  # noqa: PLC0415

        self._since = time.thread_time()
        result = work(*arguments)
        self._note()
        return result

    def _note(self) -> None:
        import time  # noqa: PLC0415

        now = time.thread_time()
        (self.barred if self._stands else self.bare).append(now - self._since)
        self._since = now

    def progress_begin(self, *_: Any) -> None:
        self._note()
        self._stands = True

    def progress_update(self, share: float) -> None:
        self.shares.append(share)

    def progress_end(self) -> None:
        self._note()
        self._stands = False

    def event_timer_add(self, *_: Any, **_window: Any) -> None:
        """The test itself is the timer."""

    def event_timer_remove(self, *_: Any) -> None:
        """Nor is there anything to remove."""

    def modal_handler_add(self, *_: Any) -> None:
        """The test calls `modal`."""


def blocking() -> Any:
    """The operators and the frames after them as a window has them done, with a watch on how long it stands still."""
    from types import SimpleNamespace  # noqa: PLC0415

    from bl_ext.user_default.pucker import jobs, operators  # noqa: PLC0415
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = kimono()
    scene = bpy.context.scene
    jobs.bpy = SimpleNamespace(app=SimpleNamespace(background=False))
    module.at_once = lambda: False
    found: dict[str, Any] = {}

    class Context:
        """Blender's, with a window."""

        def __init__(self, watch: Watch) -> None:
            self.window_manager, self.window = watch, None
            self.workspace = SimpleNamespace(status_text_set=lambda _text: None)

        def __getattr__(self, name: str) -> Any:
            return getattr(bpy.context, name)

    def told(watch: Watch) -> dict[str, Any]:
        return {"bare": max(watch.bare), "barred": max(watch.barred, default=0.0), "shares": len(watch.shares)}

    def operate(operators_class: Any, **properties: Any) -> dict[str, Any]:
        watch, notes = Watch(), []
        members = {"steps": operators_class.steps, "report": lambda _self, *words: notes.append(words), **properties}
        operator, context = type("Operator", (jobs.Job,), members)(), Context(watch)
        answer = watch.call(operator.invoke, context, None)
        while answer == {"RUNNING_MODAL"}:
            answer = watch.call(operator.modal, context, SimpleNamespace(type="TIMER", value="NOTHING"))
        assert answer == {"FINISHED"}, notes
        return told(watch)

    def frames(numbers: Any) -> dict[str, Any]:
        watch = Watch()
        module._bar = lambda: watch
        for number in numbers:
            # Reading the scene is Blender's own time.
            scene.frame_current = number
            watch.call(module._follow, scene)
            while module.of(obj).way is not None:
                watch.call(module.catch_up)
        return told(watch)

    module._bar = Watch
    obj.pucker.bake_edge, scene.frame_end = 1.5, 12
    scene.frame_set(0)
    for name, share in (("usual", 1.0), ("fine", 0.3)):
        obj.pucker.preview_edge = share
        found[f"preview {name}"] = operate(operators.PuckerPreview)
        found[f"played {name}"] = frames(range(1, 4))
        found[f"jumps {name}"] = frames((12, 2))
    # Frames that are only read are not shown.
    follow, followed = module.Preview.update, []
    module.Preview.update = lambda made, frame: followed.append(frame) or follow(made, frame)
    found["bake"] = operate(operators.PuckerBake, kind="ALEMBIC", folder=str(OUT))
    found["bake"]["followed"] = followed
    return found


def unfit() -> Any:
    """The extension where its wheel is for another Python."""
    import addon_utils  # noqa: PLC0415

    addon_utils.disable("bl_ext.user_default.pucker")
    for name in [each for each in sys.modules if each.partition(".")[0] == "pucker" or "user_default.pucker" in each]:
        del sys.modules[name]
    sys.modules["pucker"] = None
    enable()
    (panel,) = (each for each in dir(bpy.types) if each.startswith("VIEW3D_PT_pucker"))
    module = sys.modules["bl_ext.user_default.pucker"]
    addon_utils.disable("bl_ext.user_default.pucker")
    return {"panel": panel, "missing": module.MISSING, "left": hasattr(bpy.types, panel)}


def cached() -> Any:
    """A mesh that an Alembic file moves, with Blender's own modifier for that."""
    kimono()
    scene = bpy.context.scene
    scene.frame_end = 8
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    scene.frame_set(8)
    expected = coordinates(bpy.data.objects["Body wrinkled"])
    assert bpy.ops.pucker.end_preview() == {"FINISHED"}
    bpy.ops.wm.alembic_export(
        filepath=str(OUT / "coarse.abc"), selected=True, start=0, end=8, as_background_job=False, face_sets=True
    )
    before = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=str(OUT / "coarse.abc"), as_background_job=False)
    again = next(made for made in set(bpy.data.objects) - before if made.type == "MESH")
    again.pucker.cloth, again.pucker.materials = "MATERIALS", "Clothes,Band"
    again.pucker.dynamic.threshold = 1.1
    activate(again)
    scene.frame_set(0)
    modifiers = [modifier.type for modifier in again.modifiers]
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    scene.frame_set(8)
    found = coordinates(bpy.data.objects[f"{again.name} wrinkled"])
    return {"modifiers": modifiers, "heights": [float(np.ptp(each[:, 2])) for each in (expected, found)]}


def guide() -> Any:
    """The listing of the page about Blender, word by word, after the steps above it."""
    page = (Path(__file__).resolve().parents[1] / "docs/blender.md").read_text(encoding="utf-8")
    listing = page.partition("```python\n")[2].partition("```")[0]
    bpy.ops.import_scene.gltf(filepath=str(DATA / "kimono_male.gltf"))
    play("Walk")
    bpy.context.scene.frame_end = 6
    os.chdir(OUT)
    exec(compile(listing, "blender.md", "exec"), {})
    baked = bpy.data.objects["Body baked"]
    bpy.context.scene.frame_set(6)
    expected = coordinates(baked)
    before = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=str(OUT / "Body_baked.abc"))
    again = next(made for made in set(bpy.data.objects) - before if made.type == "MESH")
    bpy.context.scene.frame_set(6)
    return float(np.abs(coordinates(again) - expected).max())


def presets() -> Any:
    """Saved, changed, loaded."""
    obj = kimono()
    file = OUT / "preset.toml"
    obj.pucker.dynamic.shape__profile = "arcs"
    assert bpy.ops.pucker.save_preset(filepath=str(file)) == {"FINISHED"}
    saved = obj.pucker.dynamic.params()
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.seed = 1.7, 4
    assert bpy.ops.pucker.load_preset(filepath=str(file)) == {"FINISHED"}
    assert obj.pucker.dynamic.params() == saved
    (OUT / "broken.toml").write_text("threshold = 0.5\n")
    told = refused(bpy.ops.pucker.load_preset, filepath=str(OUT / "broken.toml"))
    assert obj.pucker.dynamic.params() == saved
    return {"preset": file.read_text(), "told": told}


def refusals() -> Any:
    """What cannot be wrinkled."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 10
    told = {}
    bpy.ops.object.empty_add()
    told["empty"] = refused(bpy.ops.pucker.preview)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    obj = bpy.context.object
    told["unmoved"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.new("cache", "MESH_CACHE")
    told["still"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.clear()
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 1.0
    obj.keyframe_insert("location", frame=10)
    build = obj.modifiers.new("build", "BUILD")
    build.frame_start, build.frame_duration = 1, 10
    told["faceless"] = refused(bpy.ops.pucker.preview)
    build.frame_start = -2
    told["topology"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.clear()
    obj.pucker.cloth, obj.pucker.vertex_group = "GROUP", "collar"
    told["group"] = refused(bpy.ops.pucker.preview)
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Silk"
    told["material"] = refused(bpy.ops.pucker.preview)
    obj.pucker.cloth = "ALL"
    told["folder"] = refused(bpy.ops.pucker.bake, folder=str(OUT / "none"))
    told["unsaved"] = refused(bpy.ops.pucker.bake, folder="//")
    obj.pucker.method = "byexample"
    told["untrained"] = refused(bpy.ops.pucker.preview)
    file = str(OUT / "set.npz")
    obj.pucker.training.actions = "Walk"
    told["action"] = refused(bpy.ops.pucker.train, filepath=file)
    obj.pucker.training.actions = ""
    told["ending"] = refused(bpy.ops.pucker.train, filepath=str(OUT / "set.txt"))
    obj.pucker.byexample.trained = str(DATA / "dress.pose.npz")
    told["other"] = refused(bpy.ops.pucker.preview)
    obj.pucker.method = "dynamic"
    scene.frame_end = 1
    told["range"] = refused(bpy.ops.pucker.preview)
    scene.frame_end = 10
    bpy.ops.object.mode_set(mode="EDIT")
    told["mode"] = refused(bpy.ops.pucker.preview)
    bpy.ops.object.mode_set(mode="OBJECT")
    library = OUT / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), copy=True)
    name = obj.name
    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable()
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = [name]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    told["linked"] = refused(bpy.ops.pucker.preview)
    return told


SCENES = {
    each.__name__: each
    for each in (
        settings,
        preview,
        bakes,
        alembic,
        cancelled,
        undone,
        renamed,
        deleted,
        saved,
        neighbours,
        rigged,
        dress,
        drape,
        trained,
        chosen,
        draped,
        maps,
        jumps,
        slices,
        blocking,
        unfit,
        cached,
        guide,
        presets,
        refusals,
    )
}


def enable() -> None:
    """Turns the extension on."""
    import addon_utils  # noqa: PLC0415

    assert addon_utils.enable("bl_ext.user_default.pucker", default_set=True) is not None


def main(name: str) -> None:
    """One scene in an empty file."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = 30
    if name == "install":
        bpy.ops.extensions.package_install_files(filepath=str(ZIP), repo="user_default", enable_on_install=True)
        found: Any = [key for key in bpy.context.preferences.addons.keys() if key.endswith("pucker")]  # noqa: SIM118
    else:
        enable()
        found = SCENES[name]()
    (OUT / f"{name}.json").write_text(json.dumps(found))
    if bpy.app.version < (4, 4):
        # On leaving it goes through classes of modules that were loaded anew since.
        sys.stdout.flush()
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[4])
