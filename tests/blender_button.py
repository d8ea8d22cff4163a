"""Scenes of `blender_session`: a set that is trained by one button."""

import pickle
from typing import Any

import bpy
import numpy as np
from blender_objects import OUT, coordinates, refused, sleeve
from blender_use import bound, coarser, seen_in


def taught() -> list[Any]:
    """What the button has draped from now on: (clips, parameters) of each call."""
    from pucker import byexample  # noqa: PLC0415 - found once the extension is enabled

    calls, teach = [], byexample.teach

    def noted(clips: Any, params: Any, **options: Any) -> Any:
        calls.append((clips, params.to_toml()))
        return teach(clips, params, **options)

    byexample.teach = noted
    return calls


def button() -> Any:
    """A sleeve that a modifier makes coarser, trained on the scene's frames as they are, and shown by its set."""
    calls = taught()
    obj = sleeve()
    coarser(obj)
    scene = bpy.context.scene
    scene.frame_set(3)
    assert bpy.ops.pucker.train(filepath=str(OUT / "button.npz")) == {"FINISHED"}
    found = {"frame": scene.frame_current, "method": obj.pucker.method, "left": (OUT / "button.draped").exists()}
    ((clips, params),) = calls
    (OUT / "button.pickle").write_bytes(pickle.dumps(clips))
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    np.save(OUT / "button_shown.npy", seen_in(bpy.data.objects["Cylinder wrinkled"], [7])[0])
    return {**found, "params": params, "played": obj.pucker.byexample.params().to_toml()}


def button_over_body() -> Any:
    """A skirt bound to a body, trained on that body's actions, given up in the middle and gone on with."""
    from bl_ext.user_default.pucker import training  # noqa: PLC0415

    calls = taught()
    skirt, body = bound()
    coarser(skirt)
    assert bpy.ops.object.modifier_apply(modifier="coarser") == {"FINISHED"}
    assert bpy.ops.object.surfacedeform_bind(modifier="follow") == {"FINISHED"}
    settings, armature = skirt.pucker.training, body.modifiers["armature"].object
    settings.actions, settings.levels, skirt.pucker.body = "bend, turn", 1, body
    skirt.pucker.drape.fold_size = 0.0625
    # Without the choice cloth that teaches is draped without the body.
    skirt.pucker.drape.contact = True
    file, folder = OUT / "body.npz", OUT / "body.draped"

    steps = training.steps(bpy.context, skirt, file)
    while next(steps) < 0.35:
        pass
    steps.close()
    kept = [file.exists(), bool(list(folder.iterdir())), armature.animation_data.action.name]
    shares = list(training.steps(bpy.context, skirt, file))
    (OUT / "body.pickle").write_bytes(pickle.dumps(calls[-1][0]))
    found = {"kept": kept, "shares": shares, "left": folder.exists(), "params": calls[-1][1], "calls": len(calls)}
    found["same"] = [len(clips) for clips, _ in calls]
    np.save(OUT / "body.npy", coordinates(body))
    settings.actions = "walk"
    found["none"] = refused(bpy.ops.pucker.train, filepath=str(file))
    return found
