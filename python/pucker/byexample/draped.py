"""Draped cloth as a teacher: fine frames of a garment's clips without any other program."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count as count_up
from pathlib import Path
from threading import Event, Lock
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker._core import _byexample as byexample
from pucker.drape import Body, Drape
from pucker.drape import Params as DrapeParams
from pucker.drape.method import body_of, cut_of, draping, maps_of
from pucker.method import start

from .clips_on_workers import on_scheduler
from .draped_frames import DrapedFrames
from .judged import mean_of
from .learning import LEVELS, Take, rounded_for_file
from .made import MadeMotion
from .regression import Regressed, regress
from .side_by_side import by_workers, side_by_side
from .trained import Floats, Options, Origin

Singles = npt.NDArray[np.float32]

# Of a set at most: the guide's cloth, and these, are played in the time that 40 and 160 take without it.
DETAILS: Final = 32
CENTRES: Final = 128
# Frames after which what was draped is kept.
_STRETCH: Final = 64
# Frames in which cloth that begins otherwise comes to the first of its clip.
_APPROACH: Final = 8
# Frames of a clip that are draped again at most: in 24 the kimono's cloth agrees with itself by 0.947, in 48 by 0.954; the dress's by 0.953
# and by 0.955. In 16 it is 0.02 less.
_AGAIN: Final = 24
# Times of a swing in which it has died down.
_AT_REST: Final = 50.0
# What came out best where clips of three garments were left out in turn.
WIDTHS: Final = (0.4, 0.8)
DAMPINGS: Final = (0.02, 0.1)
# Of the guide's cloth: what folds it may have, in its own edges, and iterations as it is and subdivided once: the kimono's takes a tenth of
# a millisecond and one. In 5 iterations subdivided cloth is hardly better than the other.
_SHORTEST: Final = 2.5
_ITERATIONS: Final = (5, 10)
# Most triangles of the guide's cloth after subdivision; that many take 3 ms a frame.
_SUBDIVIDED: Final = 10_000
# How much longer than on the guide its edges may be at most: where a guide collapses, fine cloth lays what is left over in folds that
# these edges cannot have. As much as draped cloth takes over gave one and a half times its height in the longest folds.
_COMPRESSION: Final = 1.1
# Edges that count at a point: with the vertices at their ends 16 take half as long again as 32 edges alone, and 32 predict hardly better.
EDGES: Final = 16
# Clips that are left out are predicted as well as without it, and coefficients are twenty times smaller.
HELD: Final = 0.1
# What the guide's cloth being displaced by a mean edge counts: 0.3 and 0.7 predict clips that are left out as well.
DISPLACEMENT: Final = 0.5


def teacher(levels: int = LEVELS) -> DrapeParams:
    """The draped cloth that sets are taught by where nobody says otherwise: the default one, without the body.

    Contact depends on which part of the body is near, which the garment's own deformation hardly tells, most of all where a sleeve
    ends inside of the trunk. Sets learned from cloth with contact agree no better with such cloth, in its visible, pose-dependent
    part, and go into the body as often; draping takes twice as long.

    Args:
        levels: Of subdivision.
    """
    return DrapeParams(levels=levels, contact=False)


def drape(
    clips: Sequence[Clip | MadeMotion],
    params: DrapeParams | None = None,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    recordings: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _count: None,
) -> list[Take]:
    """Takes of draped cloth on clips of one garment; how it trails the guide is left out, as no deformation tells that.

    Args:
        clips: The garment's, or motion that was made of them; each is draped by itself.
        params: Of the cloth; None: `teacher()`. Their `lag` is taken for 0; give it to `learn_draped`, and playing
            adds it again.
        workers: Clips draped at once in this process; the result does not depend on it.
        scheduler: Address of a dask scheduler whose workers drape them instead, with the same result; see `pucker.farm.finished`.
        recordings: A folder that keeps the frames, made if it does not exist. What is there of the same clip and cloth is taken from
            there; so after an interruption, or an error, draping goes on where it was. `remove_recordings` empties it. Workers of
            a scheduler must see it under the same path.
        progress: Called with the number of frames done and that of all, from any thread, by one at a time; with a scheduler when a
            clip is done.

    Returns:
        A take of each, in single precision: a ten-thousandth of a fold's height, and half the memory.

    Raises:
        ValueError: As `pucker.run`.
        OSError: For recordings that cannot be written, and as `pucker.farm.finished` for a scheduler.
        pucker.Error: If a clip kills its workers.
    """
    taught = _taught(params)
    if scheduler is not None:
        folder = None if recordings is None else Path(recordings).absolute()
        fine = on_scheduler(_draped, [(clip, taught, folder) for clip in clips], _lengths(clips), scheduler, progress)
        return [Take(_clip_of(clip), each) for clip, each in zip(clips, fine, strict=True)]
    count = sum(_lengths(clips))
    done = count_up(1)
    telling = Lock()
    stopped = Event()

    def told() -> bool:
        with telling:
            progress(next(done), count)
        return stopped.is_set()

    # What goes on when this is interrupted keeps the frames it has and ends.
    fine = by_workers(lambda k: _draped(clips[k], taught, recordings, told), _lengths(clips), workers, stop=stopped.set)
    return [Take(_clip_of(clip), each) for clip, each in zip(clips, fine, strict=True)]


def drape_begun_otherwise(clip: Clip, params: DrapeParams | None = None, frames: int | None = None) -> Singles:
    """Cloth that comes to the first frame of a clip from its last: (frames, N, 3), in single precision.

    It begins in the last frame, goes back through the clip in up to eight slow steps and is at rest when the clip begins. Where it
    differs from cloth that begins in the first frame, what came before decides and not the pose. So its correlation r with that cloth
    says how much there is to predict from a pose: what both have in common correlates with either by √r.

    Args:
        clip: The garment's.
        params: Of the cloth; None: `teacher()`.
        frames: The first of the clip, at most; None: all.

    Raises:
        ValueError: As `pucker.run`.
    """
    chosen = params or teacher()
    last = len(clip) - 1
    back = np.linspace(last, 1, min(_APPROACH, last)).round().astype(int)
    order = np.concatenate([back, np.arange(len(clip))])
    cut = cut_of(clip, chosen.cut)
    body = body_of(clip, cut) if chosen.contact else None
    moved = body and Body(body.faces, np.ascontiguousarray(body.positions[order]), body.cut)
    run = draping(clip, chosen, cut, moved)
    # So slowly that it comes to rest in each frame: how it swings at first is no more of the pose than of the clip.
    step = max(float(clip.times[1] - clip.times[0]) if last else 0.0, _AT_REST * chosen.swing)
    before = clip.times[0] - step * np.arange(len(back), 0, -1)
    for frame, time in zip(back, before, strict=True):
        run.advance(clip.positions[frame], float(time))
    return np.array([_single(run, *each) for each in zip(clip.positions[:frames], clip.times[:frames], strict=True)])


def _taught(params: DrapeParams | None) -> DrapeParams:
    """The parameters that are taught; sets have fewer levels than what is only looked at."""
    return (params or teacher()).replace(lag=0.0)


def _draped(
    given: Clip | MadeMotion,
    params: DrapeParams,
    recordings: str | os.PathLike[str] | None,
    told: Callable[[], bool] = lambda: False,
) -> Singles:
    """The draped frames (frames, N, 3), or those up to the one after which `told` says to stop."""
    clip, run = _clip_of(given), _run_of(given, params)
    frames = None if recordings is None else _frames_of(recordings, given, params)
    found: list[Singles] = []
    for stretch in () if frames is None else frames.read():
        found.extend(stretch.fine)
        run = Drape.restore(stretch.run, run.body)
    written = len(found)

    def keep() -> int:
        if frames is not None and len(found) > written:
            frames.write(written, found[written:], run.save())
        return len(found)

    try:
        stopped = [told() for _ in found]
        while len(found) < len(clip) and not any(stopped):
            found.append(_single(run, clip.positions[len(found)], float(clip.times[len(found)])))
            stopped.append(told())
            if len(found) == written + _STRETCH:
                written = keep()
    finally:
        keep()
    return np.array(found)


def _single(run: Drape, positions: Floats, time: float) -> Singles:
    """(N, 3) of the next frame."""
    return run.advance(positions, time).draped.astype(np.float32)


def _lengths(clips: Sequence[Clip | MadeMotion]) -> list[int]:
    return [len(_clip_of(clip)) for clip in clips]


def _clip_of(given: Clip | MadeMotion) -> Clip:
    return given.clip if isinstance(given, MadeMotion) else given


def _run_of(given: Clip | MadeMotion, params: DrapeParams) -> Drape:
    if not isinstance(given, MadeMotion):
        run = start(given, params)
        assert isinstance(run, Drape)
        return run
    cut = given.cut if not params.cut else cut_of(given.clip, params.cut)
    return draping(given.clip, params, cut, given.body, given.shared)


def _frames_of(recordings: str | os.PathLike[str], given: Clip | MadeMotion, params: DrapeParams) -> DrapedFrames:
    if isinstance(given, MadeMotion):
        worn = () if given.body is None else (given.body.faces, given.body.positions, given.body.cut)
        return DrapedFrames(
            recordings, given.clip, params, (given.cut.pose, given.shared, *worn, *_maps_of(given.clip, params))
        )
    cut = cut_of(given, params.cut)
    body = (given.body_faces, given.body_positions, given.body_weld, cut.body) if params.contact else ()
    return DrapedFrames(recordings, given, params, (cut.pose, given.shared_vertices, *body, *_maps_of(given, params)))


def _maps_of(clip: Clip, params: DrapeParams) -> tuple[Floats, ...]:
    """What the maps hold, as their names alone do not tell when a file has changed."""
    maps = maps_of(clip, params)
    return tuple(array for array in (maps.stiffness, maps.tightness) if len(array))


def remove_recordings(
    recordings: str | os.PathLike[str], clips: Sequence[Clip | MadeMotion], params: DrapeParams | None = None
) -> None:
    """Deletes what `drape` with the same arguments has kept, and the folder if nothing else is in it."""
    taught = _taught(params)
    for clip in clips:
        _frames_of(recordings, clip, taught).remove()


def drape_again(
    clips: Sequence[Clip],
    params: DrapeParams | None = None,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    progress: Callable[[int, int], None] = lambda _done, _count: None,
) -> list[Singles]:
    """As `drape`, cloth that begins otherwise in the first 24 frames of each of several clips at most: see `drape_begun_otherwise`. Nothing is kept."""
    taught = _taught(params)
    # Of a single one quarters are left out in turn, of which none is to be cut off.
    most = _AGAIN if len(clips) > 1 else max(_lengths(clips), default=0)
    lengths = [min(each, most) for each in _lengths(clips)]
    if scheduler is not None:
        arguments = [(clip, taught, most) for clip in clips]
        return on_scheduler(drape_begun_otherwise, arguments, lengths, scheduler, progress)
    done, count = 0, sum(lengths)
    telling = Lock()

    def draped(k: int) -> Singles:
        nonlocal done
        found = drape_begun_otherwise(clips[k], taught, most)
        with telling:
            done += lengths[k]
            progress(done, count)
        return found

    return by_workers(draped, lengths, workers)


def guide_cloth(clip: Clip, params: DrapeParams | None = None) -> byexample.GuideCloth:
    """The coarse mesh of a clip as cloth like that of the parameters, None for `teacher()`, by which `learn_draped` begins.

    It is subdivided once if the draped cloth has more than one level and the result at most 10 000 triangles. Its folds may be as short
    as its edges allow. It swings as the draped cloth does, so that what this is beyond it hardly depends on
    the motion before. It has neither body nor maps, as a set is played where there are none, and keeps no layers.

    Raises ValueError as `pucker.drape.cut_of`.
    """
    chosen = params or teacher()
    levels = int(chosen.levels > 1 and 4 * clip.mesh.triangle_count <= _SUBDIVIDED)
    cloth = _taught(chosen).replace(
        levels=levels,
        contact=False,
        edges_per_wave=_SHORTEST,
        iterations=_ITERATIONS[levels],
        settling=DrapeParams().settling,
        compression=min(chosen.compression, _COMPRESSION),
        stiffness_map="",
        tightness_map="",
        cut="",
    )
    return byexample.GuideCloth(cloth, cut_of(clip, chosen.cut).pose)


def teacher_of(cloth: byexample.GuideCloth, levels: int, lag: float) -> DrapeParams:
    """The draped cloth that taught a set, as far as the set's guide cloth tells: what `guide_cloth` replaces is as in `teacher`.

    Args:
        cloth: Of the set.
        levels: Of the set.
        lag: Its trail.
    """
    plain = teacher(levels)
    return cloth.params.replace(
        levels=levels,
        lag=lag,
        contact=plain.contact,
        edges_per_wave=plain.edges_per_wave,
        iterations=plain.iterations,
        settling=plain.settling,
        compression=plain.compression,
    )


def learn_draped(
    takes: Sequence[Take],
    *,
    params: DrapeParams | None = None,
    made: Sequence[Take] = (),
    again: Sequence[npt.ArrayLike] = (),
    parts: Sequence[str] = (),
    details: int = DETAILS,
    centres: int = CENTRES,
    options: Options | None = None,
    fps: float = 30.0,
    progress: Callable[[float, float, float, float], None] = lambda _width, _damping, _motion, _score: None,
) -> Regressed:
    """A set from takes of draped cloth, rounded for its file, that trails its guide as that cloth does; see `regress`.

    The coarse mesh becomes cloth (`guide_cloth`), and what is learned is what the draped cloth is beyond its balance.

    Args:
        takes: As `drape` gives them, at least one.
        params: Of the cloth, as `drape` took them.
        made: Of motion that was made, from which is learned too. When clips are left out to see how well they are predicted it is
            left out with them, as it is made of their poses.
        again: As `drape_again` gives them for the takes' clips: how well draped cloth agrees with itself is the ceiling of what can be
            predicted. Empty: it is not said.
        parts: Of the character, kept with the set.
        details: Of the set, at most.
        centres: Frames that a deformation is compared with, at most.
        options: Which edges count at a point; None: `EDGES`, with a falloff of 1.
        fps: Frames a second of the takes.
        progress: As `regress`.

    Raises:
        ValueError: For no take, and as `regress`.
        pucker.Error: As `rounded_to_play`.
    """
    if not takes:
        raise ValueError("there must be a take to learn from")
    chosen = params or teacher()
    cloth = guide_cloth(takes[0].clip, chosen)
    every = [*takes, *made]
    shared = takes[0].clip.shared_vertices
    balances = side_by_side(
        lambda: None,
        lambda _, take: cloth.balances(take.clip.mesh, take.clip.positions, take.clip.times, shared),
        every,
    )
    pairs = [(take.clip.positions, take.fine) for take in every]
    regressed = regress(
        takes[0].clip.mesh,
        pairs[: len(takes)],
        others=pairs[len(takes) :],
        balances=balances,
        again=again,
        rest=takes[0].rest,
        levels=_levels(takes[0]),
        fps=fps,
        details=details,
        centres=centres,
        widths=WIDTHS,
        dampings=DAMPINGS,
        motions=(0.0,),
        displacement=DISPLACEMENT,
        held=HELD,
        low_frequency="keep",
        options=options or Options(edges=EDGES, falloff=1.0),
        progress=progress,
    )
    rounded = rounded_for_file(regressed, every, balances).trained
    origin = Origin(
        clips=tuple(take.clip.name for take in takes),
        simulator="drape",
        correlation=max(regressed.scores.values(), default=0.0),
        left_out=regressed.left_out,
        again=mean_of(regressed.again),
        untaught=mean_of(regressed.untaught),
        frames=sum(len(take.clip) for take in takes),
        made=sum(len(take.clip) for take in made),
    )
    options = replace(rounded.options, trail=chosen.lag)
    kept = replace(rounded, parts=tuple(parts), origin=origin, options=options, cloth=cloth)
    return replace(regressed, trained=kept)


def _levels(take: Take) -> int:
    """How often the take's cloth is subdivided."""
    levels = 0
    while byexample.LoopSubdivision(take.clip.mesh, levels).fine.vertex_count < take.fine.shape[1]:
        levels += 1
    return levels
