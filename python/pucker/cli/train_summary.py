"""What ``pucker train`` prints of a set, and what a set says of itself."""

import datetime as dt
import json
import math
import os
import shlex
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from pucker.cli.errors import printable

if TYPE_CHECKING:
    import pucker
    from pucker.byexample import MadeMotion, Origin
    from pucker.byexample.regression import Regressed
    from pucker.byexample.trained import Fine
    from pucker.byexample.training import Training

# Clips that a sentence names.
_MOST_NAMES: Final = 8


class Recording(NamedTuple):
    """A clip, or its beginning, under the clip's name, and its fine frames."""

    name: str
    clip: "pucker.Clip"
    fine: "Fine"
    moved: "pucker.Clip | MadeMotion | None" = None
    """What it was draped over."""


def listed(names: Sequence[str]) -> str:
    """The first of the names, and … for more."""
    return ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")


def own_names(
    takes: Sequence[Recording], clips: "Sequence[pucker.Clip]", names: Sequence[str | None]
) -> tuple[str, ...]:
    """Those that the clips of the takes have in their file."""
    own = {clip.name: name or clip.name for clip, name in zip(clips, names, strict=True)}
    return tuple(own.get(take.name, take.name) for take in takes)


def today() -> str:
    """The date, as 2026-11-24; that of SOURCE_DATE_EPOCH where builds are to be the same again."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    seconds = int(given) if given.isdigit() else time.time()
    return dt.datetime.fromtimestamp(seconds, dt.UTC).date().isoformat()


def played(file: Path, motion: Path | None) -> str:
    """What a command that plays a set of the file begins with."""
    moved = "" if motion is None else f" --motion {shlex.quote(str(motion))}"
    return f"pucker render {shlex.quote(str(file))}{moved}"


def summarise_regression(
    regressed: "Regressed",
    takes: Sequence[Recording],
    more: Sequence[Recording],
    origin: "Origin",
    output: Path,
    spent: float,
    play: str,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """What was learned from where, how well it predicts, and the command that plays it."""
    learned = regressed.trained.regression
    assert learned is not None
    frames = sum(len(take.clip) for take in [*takes, *more])
    content = {
        "clips": [take.name for take in takes],
        "frames": origin.frames,
        "made": origin.made,
        "centres": [{"clip": [*takes, *more][clip].name, "frame": frame} for clip, frame in regressed.frames],
        "details": len(regressed.trained.details),
        "kept": regressed.kept,
        "width": learned.width,
        "damping": regressed.damping,
        "motion": learned.motion,
        "scores": [[*tried, score] for tried, score in regressed.scores.items()],
        "left_out": origin.as_json()["left_out"],
        "again": origin.again,
        "untaught": origin.untaught,
    }
    sentence = (
        f"{len(regressed.trained.details)} details, {len(regressed.frames)} centres of {frames} frames at {len(learned.points)} "
        f"points; width {learned.width:g}, damping {regressed.damping:g}, motion {learned.motion:g}"
    )
    _tell_of_set(content, sentence, output, spent, quiet=quiet, as_json=as_json)
    if quiet or as_json:
        return
    for sentence in in_words(origin):
        click.echo(printable(sentence))
    click.echo(f"play it: {play} --method byexample --trained {shlex.quote(str(output))} -o out.mp4")


def in_words(origin: "Origin") -> list[str]:
    """What a set was learned from, and how well that predicts a clip that is left out: a sentence each."""
    told = [f"{origin.frames} frames of"] if origin.frames else []
    count = len(origin.clips)
    told.append(f"the clip {listed(origin.clips)}" if count == 1 else f"{count} clips: {listed(origin.clips)}")
    if origin.made:
        told.append(f"and {origin.made} frames of motion made of their poses")
    sentences = [f"learned from {' '.join(told)}"]
    known = [each for each in origin.left_out if math.isfinite(each)]
    if known and origin.correlation:
        whole = "clip" if count > 1 else "quarter of the clip"
        sentence = (
            f"each {whole} left out in turn is predicted from the rest with a correlation of {origin.correlation:.2f} in the mean, "
            f"{min(known):.2f} to {max(known):.2f}"
        )
        if count > 1 and len(origin.left_out) == count:
            sentence += f", the least for {origin.clips[origin.left_out.index(min(known))]}"
        sentences.append(sentence)
        sentences += _beside(origin)
    return sentences


def _beside(origin: "Origin") -> list[str]:
    """What that correlation is to be seen beside; nothing where it is not known."""
    if not origin.again:
        return []
    sentence = (
        f"that is of folds of two coarse edges and longer; draped cloth that begins otherwise has {origin.again:.2f}, the balance of the "
        f"coarse mesh without what was learned {origin.untaught:.2f}, the subdivided mesh 0"
    )
    return [sentence]


def summarise(
    training: "Training", takes: Sequence[Recording], output: Path, spent: float, *, quiet: bool, as_json: bool
) -> None:
    """What was learned from where."""
    places = [(take.name, frame) for take in takes for frame in range(len(take.clip))]
    chosen = [places[frame] for frame in training.frames]
    content = {
        "clips": [take.name for take in takes],
        "frames": len(places),
        "poses": [{"clip": name, "frame": frame} for name, frame in chosen],
        "errors": [float(error) for error in training.error],
    }
    sentence = (
        f"{len(chosen) + 1} poses of {len(places)} frames; error {training.error[0]:.4g} to {training.error[-1]:.4g}"
    )
    _tell_of_set(content, sentence, output, spent, quiet=quiet, as_json=as_json)


def _tell_of_set(
    content: dict[str, Any], sentence: str, output: Path, spent: float, *, quiet: bool, as_json: bool
) -> None:
    """What was learned, in JSON or in a sentence, and the file that has it."""
    size = output.stat().st_size
    if as_json:
        written = {**content, "seconds": spent, "bytes": size, "file": str(output)}
        click.echo(json.dumps(written, indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo(sentence)
        click.echo(f"wrote {output}, {size / 1e6:.2f} MB")
