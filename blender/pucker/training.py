"""Training in place: cloth is draped over the garment's motion, or Blender simulates it, and a set is learned from that."""

import datetime as dt
import os
from collections.abc import Callable, Generator
from dataclasses import replace
from pathlib import Path
from typing import Any

import bpy

import pucker
from pucker import byexample

from .actions import playing
from .clips import CLOTH, REST, WORN, Motion, both, source_of, standing
from .cloth import Refusal, check
from .jobs import aside, heard, section

# Of the whole: reading and simulating a motion, against learning from all.
_LEARNING = 0.1
_READING = 0.15


def names_of(actions: str) -> list[str]:
    """Names with commas between them."""
    return [name.strip() for name in actions.split(",") if name.strip()]


def recordings_of(file: Path) -> Path:
    """The folder in which simulated motions are kept, as `pucker train` has it."""
    return file.with_suffix("")


def _read(context: bpy.types.Context, obj: bpy.types.Object, action: str | None) -> Generator[float, None, Motion]:
    """A garment and what it is worn over in one action, None for the scene's frames as they are."""
    with playing(obj, action) as frames:
        return (yield from both(context, obj, obj.pucker.body, frames, action or context.scene.name))


def _clips(obj: bpy.types.Object, motion: Motion) -> tuple["pucker.Clip", "pucker.Clip | None"]:
    """The clips of a garment and of what it is worn over."""
    source, rate = source_of(obj, [motion]), motion[1].rate
    part = REST if motion[2] is None else WORN
    body = source.load(parts=[part], fps=rate) if source.inspect().nodes.get(part) else None
    return source.load(parts=[CLOTH], fps=rate), body


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
) -> Generator[float, None, tuple[str, list[str]]]:
    """Trains a set for an object's cloth and writes it; returns how well it was learned, and what else to tell.

    Raises Refusal as `record`, and for an action that there is not.
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
    ways = {"DRAPE": _draped_steps, "BLENDER": _simulated_steps}
    return (yield from ways[settings.simulator](context, obj, names, file))


def _draped_steps(
    context: bpy.types.Context, obj: bpy.types.Object, names: list[str | None], file: Path
) -> Generator[float, None, tuple[str, list[str]]]:
    """As `pucker train` does; what was draped is kept beside the file until the set is there."""
    settings, told = obj.pucker.training, []
    motions = []
    for index, name in enumerate(names):
        begin, end = (_READING * k / len(names) for k in (index, index + 1))
        motions.append((yield from section(_read(context, obj, name), begin, end)))
    stands = [] if obj.pucker.drape.cut else (yield from section(standing(context, obj, motions), _READING, _READING))
    source, rate = source_of(obj, [*motions, *stands]), motions[0][1].rate
    clips = [source.load(clip=name, parts=[CLOTH], fps=rate) for name, _, _ in motions]
    triangles = clips[0].mesh.triangle_count
    chosen = settings.is_property_set("levels")
    levels = settings.levels if chosen else byexample.levels_with_room(triangles)
    params = obj.pucker.drape.params().replace(levels=levels)
    if not obj.pucker.drape.is_property_set("contact"):
        params = params.replace(contact=byexample.teacher().contact)
    room = byexample.frames_with_room(triangles, levels)
    if names == [None] and len(clips[0]) > room:
        told.append(f"Only the first {room} frames of {len(clips[0])} are learned from")
        clips = [clips[0].beginning(room)]
    folder = file.with_suffix(".draped")

    def work(report: Callable[[float], None]) -> tuple["byexample.Regressed", list[str]]:
        workers = os.cpu_count() or 1
        return heard(
            lambda: byexample.teach(clips, params, workers=workers, recordings=folder, fps=rate, progress=report)
        )

    regressed, warned = yield from section(aside(work), _READING, 1.0)
    origin = replace(
        regressed.trained.origin,
        file=Path(bpy.data.filepath).name,
        clips=tuple(name for name, _, _ in motions),
        date=dt.datetime.now(dt.UTC).date().isoformat(),
    )
    replace(regressed.trained, origin=origin).save(file)
    byexample.remove_recordings(folder, clips, params)
    result = f"{origin.frames} frames learned, {len(regressed.trained.details)} details"
    if origin.correlation:
        result += f"; motion left out is predicted with a correlation of {origin.correlation:.2f}"
    return result, told + warned


def _simulated_steps(
    context: bpy.types.Context, obj: bpy.types.Object, names: list[str | None], file: Path
) -> Generator[float, None, tuple[str, list[str]]]:
    """By a second Blender; tells of motions that blew up.

    A motion that was simulated is kept beside the file, and not simulated again unless it or the cloth changed.
    """
    settings = obj.pucker.training
    cloth, levels, poses = settings.cloth.params(), settings.levels, settings.poses
    share = (1.0 - _LEARNING) / len(names)
    takes, told = [], []
    starts: tuple[Any, Any] | None = None
    for index, name in enumerate(names):
        begin = index * share
        motion = yield from section(_read(context, obj, name), begin, begin + _READING * share)
        clip, worn = _clips(obj, motion)
        if starts is None:
            starts = _starts(clip, worn)
        simulating = _simulated(clip, worn, starts, (levels, cloth), recordings_of(file))
        try:
            takes.append((yield from section(simulating, begin + _READING * share, begin + share)))
        except byexample.BlownUpError as error:
            told.append(f"{motion[0]} is not learned from: {error}")
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
    return f"{len(training.frames) + 1} poses, error {training.error[-1]:.3g} of {training.error[0]:.3g}", told


def _starts(clip: "pucker.Clip", worn: "pucker.Clip | None") -> tuple[Any, Any]:
    """The poses that garment and body begin in, the same for all motions: at rest, or else as in the first frame."""
    if clip.rest is not None and (worn is None or worn.rest is not None):
        return clip.rest, None if worn is None else worn.rest
    return clip.positions[0], None if worn is None else worn.positions[0]
