"""The actions that can move a garment, and the poses that these begin with."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager

import bpy

from .cloth import Frames, unseen

_POSED = ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle", "scale")


def mover(obj: bpy.types.Object) -> bpy.types.Object:
    """Who plays the actions that move an object: an armature, of its own or of what it follows, else its parent, else itself."""
    seen, waiting = set(), [obj]
    while waiting:
        each = waiting.pop(0)
        if each.type == "ARMATURE":
            return each
        seen.add(each)
        followed = [*each.modifiers, *each.constraints]
        targets = [getattr(one, name, None) for one in followed for name in ("object", "target")]
        waiting += [one for one in (*targets, each.parent) if isinstance(one, bpy.types.Object) and one not in seen]
    return obj.parent or obj


@contextmanager
def playing(obj: bpy.types.Object, action: str | None) -> Iterator[Frames]:
    """Has an object be moved by an action alone, and gives the frames of that; None: by what moves it as it is.

    Bones that have no keys in the object's own action are put back to where they were.
    """
    scene = bpy.context.scene
    own = Frames.of(scene)
    if action is None:
        yield own
        return
    chosen, moving = bpy.data.actions[action], mover(obj)
    animated = moving.animation_data is not None
    data = moving.animation_data_create()
    before, slot = data.action, getattr(data, "action_slot", None)
    muted = [track.mute for track in data.nla_tracks]
    bones = moving.pose.bones if moving.pose else ()
    posed = [[tuple(getattr(bone, name)) for name in _POSED] for bone in bones]
    try:
        data.action = chosen
        # From Blender 4.4 on an action moves nothing without one of its slots.
        if hasattr(data, "action_slot") and chosen.slots:
            data.action_slot = chosen.slots[0]
        for track in data.nla_tracks:
            track.mute = True
        first, last = (round(end) for end in chosen.frame_range)
        yield Frames(first, last, own.rate)
    finally:
        data.action = before
        if slot is not None:
            data.action_slot = slot
        for track, mute in zip(data.nla_tracks, muted, strict=True):
            track.mute = mute
        if not animated:
            moving.animation_data_clear()
        for bone, values in zip(bones, posed, strict=True):
            for name, value in zip(_POSED, values, strict=True):
                setattr(bone, name, value)


def _curves(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    if not hasattr(action, "layers"):  # before Blender 4.4
        yield from action.fcurves
        return
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def of_bones(armature: bpy.types.Object) -> list[str]:
    """The names of the actions that move any bone of an armature."""
    paths = tuple(f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]' for bone in armature.pose.bones)
    return [
        action.name
        for action in bpy.data.actions
        if paths and any(curve.data_path.startswith(paths) for curve in _curves(action))
    ]


def beginnings(context: bpy.types.Context, obj: bpy.types.Object) -> Generator[tuple[float, str], None, None]:
    """Has the scene show the first frame of each action of the armature that moves an object, by name and share of the way.

    In the end everything stands as before. Without an armature there is none, nor where Blender simulates anything, whose state
    at a frame depends on the frames before.
    """
    armature = mover(obj)
    simulated = any(
        getattr(each, "point_cache", None) is not None
        for other in context.scene.objects
        for each in (*other.modifiers, *other.particle_systems)
    )
    names = of_bones(armature) if armature.type == "ARMATURE" and not simulated else []
    before = context.scene.frame_current
    try:
        for index, name in enumerate(names):
            with playing(obj, name) as frames:
                with unseen():
                    context.scene.frame_set(frames.first)
                yield index / len(names), name
    finally:
        if names:
            context.scene.frame_set(before)
