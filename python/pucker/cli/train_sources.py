"""What ``pucker train`` learns from: clips of a garment, and fine cloth over them."""

import contextlib
import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pucker.cli.choices import WITHOUT_TRIANGLES, Cloth
from pucker.cli.errors import Interrupted, fail, printable
from pucker.cli.train_summary import Recording, listed
from pucker.io.files import make_folder, plain_names
from pucker.io.npz import write_arrays

if TYPE_CHECKING:
    import pucker
    from pucker.byexample.draped import Singles
    from pucker.byexample.simulation import Body, Floats
    from pucker.byexample.simulation import Cloth as Fabric


def garments_of(
    file: Path, cloth: Cloth, clips: list[str] | None, *, one: bool, whole: bool, quiet: bool
) -> "tuple[list[str | None], list[pucker.Clip], list[str], list[pucker.Clip]]":
    """Names of clips, all of the file unless they are given, the garment in each, its parts, and the `whole` character in each.

    Raises ValueError for a file that has no clips or no triangle.
    """
    from pucker.cli.suggestion import choose

    with cloth.opened(file) as source:
        found = source.inspect()
        names: list[str | None] = [*found.clips] if clips is None else [*clips]
        if not names:
            raise ValueError(
                f"{printable(str(file))} has no clip to learn from; --motion names another file of the same skeleton that has some"
            )
        if found.triangles == 0:
            raise ValueError(f"{printable(str(file))} {WITHOUT_TRIANGLES}")
        if one and clips is None:
            names = [None]
        parts = cloth.parts
        # The parts are suggested by what compresses in a clip; which is no matter where all are learned from.
        if parts is None:
            parts = choose(source, cloth.clip, None, cloth.fps)[1]
            if parts and not quiet:
                click.echo(
                    printable(f"{file}: taking --parts {shlex.quote(','.join(parts))}, as pucker info suggests"),
                    err=True,
                )
        garments = [source.load(clip=name, parts=parts, fps=cloth.fps) for name in names]
        if whole and parts and garments[0].skin is not None:
            return names, garments, parts, [source.load(clip=name, fps=cloth.fps) for name in names]
        return names, garments, parts or [], garments


def cloth_to_drape(
    clip: "pucker.Clip", file: Path, levels: int | None, cut: str | None, settings: dict[str, Any]
) -> "pucker.drape.Params":
    """As the options say; where nobody chose the levels, as many as time and memory of a frame have room for."""
    from pucker import byexample

    room = byexample.levels_with_room(clip.mesh.triangle_count)
    params = byexample.teacher(room if levels is None else levels).replace(**settings)
    return params if cut is None else params.replace(cut=f"{file}:{cut}")


@contextlib.contextmanager
def progress(what: str, *, quiet: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar on the error output, of frames done and of all."""
    from tqdm import tqdm

    with tqdm(desc=what, unit="frame", disable=quiet) as bar:

        def report(done: int, count: int) -> None:
            bar.total = count
            bar.update(done - bar.n)

        yield report


def draped_takes(
    coarse: "list[pucker.Clip]",
    wholes: "list[pucker.Clip]",
    params: "pucker.drape.Params",
    frames: int | None,
    made: int,
    folder: Path,
    *,
    named: bool,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
) -> tuple[list[Recording], list[Recording]]:
    """The draped cloth of the clips, and of motion made of them, kept in the folder.

    Of the clips those are taken, unless they were `named`, that add the most, as far as `frames` has room.
    """
    import pucker
    from pucker import byexample

    if frames is None:
        frames = byexample.frames_with_room(coarse[0].mesh.triangle_count, params.levels)
    chosen = range(len(coarse)) if named else byexample.covering(coarse, frames)
    learned = [coarse[k] for k in chosen]
    if not named and len(learned[0]) > frames:
        click.echo(printable(f"only the first {frames} frames of {learned[0].name} are learned from"), err=True)
        learned = [learned[0].beginning(frames)]
    left_out = [clip.name for k, clip in enumerate(coarse) if k not in chosen]
    if left_out and not quiet:
        told = (
            f"{len(left_out)} clips are not learned from, as {frames} frames have no room for them: {listed(left_out)}"
        )
        click.echo(printable(told), err=True)
    motion = byexample.made_motion(learned, [wholes[k] for k in chosen], made, fps=_rate(learned[0]))
    moved: list[pucker.Clip | byexample.MadeMotion] = [*learned]
    moved += [] if motion is None else [motion]
    try:
        with progress("draping", quiet=quiet) as report, _warned_once():
            takes = byexample.drape(
                moved, params, workers=_threads(workers), scheduler=scheduler, recordings=folder, progress=report
            )
    except KeyboardInterrupt:
        fail(f"interrupted; what is draped is in {folder}, and the same command goes on from there", Interrupted)
    found = [Recording(take.clip.name, take.clip, take.fine, each) for take, each in zip(takes, moved, strict=True)]
    return found[: len(learned)], found[len(learned) :]


def draped_again(
    clips: "list[pucker.Clip]",
    params: "pucker.drape.Params",
    *,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
) -> "list[Singles]":
    """The clips' cloth once more, begun otherwise: what can be predicted at all."""
    from pucker import byexample

    with progress("draping again", quiet=quiet) as report, _warned_once():
        return byexample.drape_again(clips, params, workers=_threads(workers), scheduler=scheduler, progress=report)


def _threads(workers: int | None) -> int:
    """One a core where nobody chose; threads are enough, as draping lets go of Python's lock."""
    return workers or os.cpu_count() or 1


def _rate(clip: "pucker.Clip") -> float:
    """Frames a second."""
    return float(1.0 / (clip.times[1] - clip.times[0])) if len(clip) > 1 else 30.0


@contextlib.contextmanager
def _warned_once() -> Iterator[None]:
    """Of warnings inside, which each clip of a file gives, the first, as one line."""
    import warnings

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    for each in found[:1]:
        click.echo(printable(f"pucker: {each.message}"), err=True)


def write_clip(path: Path, clip: "pucker.Clip") -> None:
    """A coarse clip, to be played."""
    write_arrays(path, {"faces": clip.faces, "positions": clip.positions, "times": clip.times})


def decimated_takes(fine: Sequence["pucker.Clip"], triangles: int, levels: int, folder: Path) -> list[Recording]:
    """Coarse and fine clips of fine ones; the coarse ones are written, to be played."""
    from pucker import byexample

    takes = byexample.decimated(fine, triangles, levels=levels)
    make_folder(folder)
    for name, take in zip(plain_names([clip.name for clip in fine]), takes, strict=True):
        write_clip(folder / f"{name}.npz", take.clip)
    return [Recording(take.clip.name, take.clip, take.fine) for take in takes]


def recorded(file: Path, clip: "pucker.Clip", levels: int, fps: float) -> "Floats":
    """The frames (frames, N, 3) of a recording of the clip on its mesh, subdivided.

    Raises ValueError for a recording of another mesh or number of frames, saying what differs.
    """
    import numpy as np

    import pucker
    from pucker import byexample

    found = pucker.load(file, fps=fps, isolated=True)
    wanted = byexample.LoopSubdivision(clip.mesh, levels).fine
    for what, have, want in (
        ("vertices", found.mesh.vertex_count, wanted.vertex_count),
        ("triangles", found.mesh.triangle_count, wanted.triangle_count),
        ("frames", len(found), len(clip)),
    ):
        if have != want:
            raise ValueError(f"{file} must have {want} {what}, those of the clip subdivided {levels} times, not {have}")
    differing = np.count_nonzero((found.mesh.faces != wanted.faces).any(axis=1))
    if differing:
        raise ValueError(
            f"{file} must have the triangles of LoopSubdivision in their order, but {differing} of them are others"
        )
    return np.asarray(found.positions)


def worn_parts(file: Path, parts: list[str] | None, body: list[str] | None, *, quiet: bool) -> list[str]:
    """What a simulated garment is worn over, which is reported if it was not chosen.

    Raises ValueError for a body that has triangles of the garment.
    """
    from pucker.io import open_source

    if body == ["none"]:
        return []
    if body is None:
        worn = _body_parts(file, parts)
        if not quiet:
            click.echo(f"worn over {', '.join(worn)}" if worn else "worn over nothing", err=True)
        return worn
    with open_source(file, isolated=True) as source:
        garment = source.select(parts or [])
        for name in body:
            both = int((source.select([name]) & garment).sum())
            if both:
                raise ValueError(
                    f"the garment cannot be worn over itself, but {both} triangles of --body {name} are its own"
                )
    return body


def _body_parts(file: Path, parts: list[str] | None) -> list[str]:
    """The parts that have no triangle of the garment; none if all is garment."""
    from pucker.cli.suggestion import separate_parts
    from pucker.io import open_source

    if not parts:
        return []
    with open_source(file, isolated=True) as source:
        garment = source.select(parts)
        masks = {name: source.select([name]) for name in separate_parts(source.inspect())}
    return [name for name, mask in masks.items() if mask.any() and not (mask & garment).any()]


def bodies_of(
    file: Path, clips: Sequence[str | None], worn: list[str], cut: str | None, fps: float
) -> "list[Body | None]":
    """What is worn under the garment in each clip, beginning as in the first frame of the clip `cut`."""
    import pucker
    from pucker.byexample import Body

    def load(clip: str | None) -> pucker.Clip:
        return pucker.load(file, clip=clip, parts=worn, fps=fps, isolated=True)

    if not worn:
        return [None for _ in clips]
    start = None if cut is None else load(cut).positions[0]
    return [Body.of(load(clip), start) for clip in clips]


def simulated_takes(
    clips: Sequence["pucker.Clip"],
    bodies: Sequence["Body | None"],
    start: "Floats | None",
    levels: int,
    cloth: "Fabric",
    recordings: Path,
    *,
    quiet: bool,
) -> list[Recording]:
    """The clips, as far as their simulation did not blow up, and it."""
    found = []
    for clip, body in zip(clips, bodies, strict=True):
        fine = _simulated(clip, body, start, levels, cloth, recordings, quiet=quiet)
        if len(fine):
            found.append(Recording(clip.name, clip.beginning(len(fine)), fine))
    if not found:
        fail("no clip is left to learn from")
    return found


def _simulated(
    clip: "pucker.Clip",
    body: "Body | None",
    start: "Floats | None",
    levels: int,
    cloth: "Fabric",
    recordings: Path,
    *,
    quiet: bool,
) -> "Floats":
    """The simulated frames; if it blew up those before, and a line that says so."""
    from pucker.byexample import BlownUpError, simulate

    with progress(clip.name, quiet=quiet) as report:
        try:
            return simulate(clip, body, start=start, levels=levels, cloth=cloth, recordings=recordings, progress=report)
        except BlownUpError as error:
            left = len(error.good)
            kept = f"only the {left} frames before are learned from" if left else "the clip is not learned from"
            click.echo(f"pucker: {error}; {kept}", err=True)
            return error.good
