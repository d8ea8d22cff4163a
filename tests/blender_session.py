"""What is done in Blender for `test_blender`: `python blender_session.py ZIP DATA OUT SCENE`, in a process of its own.

Only Blender's module, NumPy and the extension's wheel are there. Each scene writes OUT/SCENE.json, and arrays beside it.
"""

import json
import os
import pickle
import sys
from typing import Any

import bpy
import numpy as np
from blender_button import button, button_over_body
from blender_maps import mapped
from blender_objects import (
    DATA,
    OUT,
    ZIP,
    activate,
    areas,
    cloth_faces,
    content,
    coordinates,
    enable,
    kimono,
    picture,
    play,
    recorded,
    refused,
    sleeve,
    toml_of,
    turning,
)
from blender_older import new_files, old_files, old_overrides
from blender_steps import blocking, cached, guide, presets, refusals, slices, unfit
from blender_use import (
    clicked,
    geometry_nodes,
    geometry_nodes_refused,
    overridden,
    rendered,
    shape_keys,
    simulated,
    smooth,
    surface_deform,
    warned,
    worn,
)


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
    picture(baked)
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
        obj.pucker.dynamic.threshold = 1.03
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
    whole = cloth_faces()
    obj.vertex_groups.new(name="half").add([v.index for v in obj.data.vertices if v.co.x < 0.01], 1.0, "REPLACE")
    obj.pucker.cloth, obj.pucker.vertex_group = "GROUP", "half"
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    return {"lowest": lowest, "whole": whole, "half": cloth_faces()}


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
    settings.simulator, settings.actions, settings.levels, settings.poses = "BLENDER", "bend, turn", 1, 6
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
    picture(shown, "chosen.png")
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
    seen = seen_again(module.of(obj), (scene.frame_end - 1, scene.frame_start + 5, scene.frame_end))
    obj.hide_render = True
    picture(shown, "draped.png")
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    baked = coordinates(bpy.data.objects["Body baked"])
    np.save(OUT / "draped_baked.npy", baked)
    return {"params": obj.pucker.drape.params().to_toml(), **seen}


def cut() -> Any:
    """The kimono that sits down, whose file has other actions too, of which one is how its clothes are cut."""
    from bl_ext.user_default.pucker import clips  # noqa: PLC0415

    obj = kimono()
    play("SitDown")
    armature = obj.modifiers[0].object
    obj.pucker.method, scene = "drape", bpy.context.scene
    scene.frame_set(3)
    before = [list(each.matrix_basis.to_quaternion()) for each in armature.pose.bones]
    playing = [armature.animation_data.action.name, scene.frame_current]

    def read() -> Any:
        reading = clips.read(bpy.context, obj)
        try:
            while True:
                next(reading)
        except StopIteration as finished:
            return finished.value.clip

    clip = read()
    after = [list(each.matrix_basis.to_quaternion()) for each in armature.pose.bones]
    found = {"same": before == after, "from": clip.standing_from, "frames": len(clip)}
    found["playing"] = playing == [armature.animation_data.action.name, scene.frame_current]
    arrays = {"standing": clip.standing, "body": clip.standing_body, "first": clip.positions[0]}
    obj.pucker.smooth = "1"
    np.savez(OUT / "cut.npz", **arrays, smooth=read().standing)
    obj.pucker.smooth = "0"
    obj.pucker.drape.cut = "first"
    found["chosen"] = read().standing_from
    file = DATA / "kimono_male.gltf"
    obj.pucker.drape.cut = f"{file}:Idle"
    found["file"] = refused(bpy.ops.pucker.preview)
    obj.pucker.drape.cut, scene.frame_end = "rest", scene.frame_start + 1
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    found["paths"] = bpy.ops.pucker.paths.poll()
    # A process of its own that reads a file finds the package, which is in no place of Python's own.
    import pucker  # noqa: PLC0415

    found["read"] = len(pucker.load(file, clip="Idle", isolated=True))
    return found


def seen_again(made: Any, frames: tuple[int, ...]) -> dict[str, Any]:
    """What a preview does to show frames for a second time, and after someone has changed its mesh."""
    from bl_ext.user_default.pucker import surface  # noqa: PLC0415

    shown, fill, filled = made.shown, surface.fill, []
    first = recorded(shown.name, frames)
    normals = [vertex.normal.copy() for vertex in shown.data.vertices[:100]]
    run, made.run = made.run, None  # which is not asked any more
    surface.fill = lambda mesh, *words, **named: filled.append(mesh.name) or fill(mesh, *words, **named)
    again = recorded(shown.name, frames)
    turned = max((one - vertex.normal).length for one, vertex in zip(normals, shown.data.vertices, strict=False))
    count = len(filled)
    shown.data.clear_geometry()
    changed = recorded(shown.name, frames)
    made.run, surface.fill = run, fill
    same = [all(np.array_equal(seen[name], first[name]) for name in first) for seen in (again, changed)]
    return {"same": same, "filled": [count, len(filled)], "turned": turned}


def maps() -> Any:
    """Normal and height maps of the sleeve, baked in Blender."""
    obj = sleeve()
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width, obj.pucker.map_size = 1.02, 0.02, 64
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="MAPS") == {"FINISHED"}
    from bl_ext.user_default.pucker import clips  # noqa: PLC0415

    reading = clips.read(bpy.context, obj)
    try:
        while True:
            next(reading)
    except StopIteration as finished:
        (OUT / "mapped.pickle").write_bytes(pickle.dumps(finished.value.clip))
    names = sorted(path.name for path in (OUT / "Cylinder_maps").iterdir())
    return {"names": names, "objects": sorted(obj.name for obj in bpy.data.objects), "params": toml_of(obj)}


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
        cut,
        maps,
        jumps,
        slices,
        blocking,
        unfit,
        cached,
        guide,
        presets,
        refusals,
        smooth,
        shape_keys,
        surface_deform,
        geometry_nodes,
        geometry_nodes_refused,
        rendered,
        overridden,
        simulated,
        worn,
        warned,
        clicked,
        mapped,
        button,
        button_over_body,
        old_files,
        old_overrides,
        new_files,
    )
}


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
