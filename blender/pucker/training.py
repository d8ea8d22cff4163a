"""Training in place: Blender simulates the garment over the body, and a set is learned from that."""

from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy

import pucker
from pucker import byexample

from .cloth import CLOTH, REST, Frames, Refusal, check, read_source
from .jobs import aside, section

# Of the whole: reading and simulating a motion, against learning from all.
_LEARNING = 0.1
_READING = 0.15


def names_of(actions: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in actions.split(",") if name.strip()]


def recordings_of(file: Path) -> Path:
    """The folder in which simulated motions are kept, as `pucker train` has it."""
    return file.with_suffix("")


def _mover(obj: bpy.types.Object) -> bpy.types.Object:
    """Who plays the actions that move an object."""
    armatures = [modifier.object for modifier in obj.modifiers if modifier.type == "ARMATURE" and modifier.object]
    return next((each for each in (*armatures, obj.parent) if each is not None), obj)


@contextmanager
def _playing(obj: bpy.types.Object, action: str | None) -> Iterator[Frames]:
    """Has an object be moved by an action alone, and gives the frames of that; None: by what moves it as it is."""
    scene = bpy.context.scene
    own = Frames.of(scene)
    if action is None:
        yield own
        return
    chosen, mover = bpy.data.actions[action], _mover(obj)
    data = mover.animation_data_create()
    before, slot = data.action, getattr(data, "action_slot", None)
    muted = [track.mute for track in data.nla_tracks]
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


def _body(source: Any, rate: float) -> "pucker.Clip | None":
    return source.load(parts=[REST], fps=rate) if source.inspect().nodes.get(REST) else None


def _read(
    context: bpy.types.Context, obj: bpy.types.Object, action: str | None
) -> Generator[float, None, tuple["pucker.Clip", "pucker.Clip | None"]]:
    """The clips of a garment and of what it is worn over."""
    worn = obj.pucker.training.body
    with _playing(obj, action) as frames:
        source = yield from section(read_source(context, obj, frames), 0.0, 1.0 if worn is None else 0.5)
        if worn is not None:
            over = yield from section(read_source(context, worn, frames, worn=True), 0.5, 1.0)
    clip = source.load(parts=[CLOTH], fps=frames.rate)
    return clip, _body(source if worn is None else over, frames.rate)


def _simulated(
    clip: "pucker.Clip", worn: "pucker.Clip | None", starts: tuple[Any, Any], settings: tuple[int, Any], folder: Path
) -> Generator[float, None, "byexample.Take"]:
    levels, cloth = settings
    body = None if worn is None else byexample.Body.of(worn, starts[1])
    fine = yield from aside(
        lambda report: byexample.simulate(
            clip,
            body,
            start=starts[0],
            levels=levels,
            cloth=cloth,
            recordings=folder,
            progress=lambda done, count: report(done / count),
        )
    )
    return byexample.Take(clip, fine)


def steps(
    context: bpy.types.Context, obj: bpy.types.Object, file: Path
) -> Generator[float, None, tuple["byexample.Training", list[str]]]:
    """Trains a set for an object's cloth and writes it; returns it, and what to tell of motions that blew up.

    A motion that was simulated is kept beside the file, and not simulated again unless it or the cloth changed.
    Raises Refusal as `read`, and for an action that there is not.
    """
    check(obj)
    settings = obj.pucker.training
    names: list[str | None] = list(names_of(settings.actions)) or [None]
    for name in names:
        if name is not None and name not in bpy.data.actions:
            raise Refusal(
                f"There is no action '{name}'; there are: {', '.join(a.name for a in bpy.data.actions) or 'none'}"
            )
    if file.suffix != ".npz":
        raise Refusal(f"A trained set is an .npz, not {file.name}")
    if not file.parent.is_dir():
        raise Refusal(f"There is no folder {file.parent}")
    cloth, levels, poses = settings.cloth.params(), settings.levels, settings.poses
    share = (1.0 - _LEARNING) / len(names)
    takes, told = [], []
    starts: tuple[Any, Any] | None = None
    for index, name in enumerate(names):
        begin = index * share
        clip, worn = yield from section(_read(context, obj, name), begin, begin + _READING * share)
        if starts is None:
            starts = _starts(clip, worn)
        simulating = _simulated(clip, worn, starts, (levels, cloth), recordings_of(file))
        try:
            takes.append((yield from section(simulating, begin + _READING * share, begin + share)))
        except byexample.BlownUpError as error:
            told.append(f"{name or context.scene.name} is not learned from: {error}")
    if not takes:
        raise Refusal("; ".join(told))
    learning = aside(
        lambda report: byexample.learn(
            takes,
            simulated=True,
            levels=levels,
            poses=poses,
            progress=lambda done, _error: report(min(1.0, done / poses)),
        )
    )
    training = yield from section(learning, 1.0 - _LEARNING, 1.0)
    training.trained.save(file)
    return training, told


def _starts(clip: "pucker.Clip", worn: "pucker.Clip | None") -> tuple[Any, Any]:
    """The poses that garment and body begin in, the same for all motions: at rest, or else as in the first frame."""
    if clip.rest is not None and (worn is None or worn.rest is not None):
        return clip.rest, None if worn is None else worn.rest
    return clip.positions[0], None if worn is None else worn.positions[0]
