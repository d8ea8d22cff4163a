"""Learning the weights of details from all recorded frames at once, by kernel ridge regression."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample

from .judged import Judged, correlations, mean_of
from .rounding import LARGEST
from .shared_cores import one_thread_a_product
from .side_by_side import side_by_side
from .targets import QUARTERS, Targets
from .trained import Floats, Learned, Options, TrainedSet

# Damping of the constant, which is hardly any, and what keeps the system of equal centres regular, against the damping.
_CONSTANT: Final = 0.1
_REGULAR: Final = 1e-9
# What rounding may change of the detail of the frames that a set was learned from, in the root mean square.
_MOST_LOST: Final = 0.05
# Frames that are played to find that out, at most.
_PLAYED: Final = 256
# Points at which damping is chosen, at most: they agree.
_CHOOSING: Final = 32
# Frames of which parts can be left out at all.
FEWEST: Final = 2 * QUARTERS


@dataclass(frozen=True, eq=False)
class Regressed:
    """What `regress` found."""

    trained: TrainedSet
    """The set."""
    frames: tuple[tuple[int, int], ...]
    """Clip and frame of each centre."""
    damping: float
    """The one chosen."""
    scores: dict[tuple[float, float, float], float]
    """Of each width, damping and motion that was tried: the mean of `left_out`. Empty with fewer than `FEWEST` frames."""
    left_out: tuple[float, ...]
    """Of each clip: the correlation of the weights predicted for it, learned from the other clips, with those that it has, without
    their mean over its frames, so that only what depends on the pose counts. Of one clip: of each quarter of it. NaN for a clip whose
    weights never change, which says nothing; empty with fewer than `FEWEST` frames. With `balances`: of folds of two coarse edges and
    longer, instead of weights."""
    again: tuple[float, ...]
    """That of the cloth given as `again`, the ceiling; empty without."""
    untaught: tuple[float, ...]
    """That of the balances alone, without detail; empty without `balances`."""
    kept: float
    """Share of the details' variance that the set's P details can show."""
    products: Floats
    """(R, 1 + C, 1 + C) by which squares of changes of the coefficients count at each point, for `TrainedSet.rounded`."""


@one_thread_a_product()
def regress(
    mesh: "pucker.Mesh",
    clips: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
    *,
    others: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = (),
    balances: Sequence[npt.ArrayLike] = (),
    again: Sequence[npt.ArrayLike] = (),
    rest: npt.ArrayLike,
    levels: int,
    fps: float = 30.0,
    details: int = 40,
    centres: int = 160,
    points: int = 128,
    widths: Sequence[float] = (0.1, 0.2, 0.4),
    dampings: Sequence[float] = (0.05, 0.2),
    motions: Sequence[float] = (0.0, 0.0025),
    displacement: float = 0.0,
    held: float = _REGULAR,
    low_frequency: Literal["keep", "remove"] = "remove",
    options: Options | None = None,
    progress: Callable[[float, float, float, float], None] = lambda _width, _damping, _motion, _score: None,
) -> Regressed:
    """Learns details and the regression that weighs them from pairs of a coarse and a fine recording.

    The P details are the mean of all frames and the principal components of what is left, by area. At each of the points their
    weights are predicted by kernel ridge regression, φ(r) = exp(-r/width), whose centres are a subset of the frames, each
    the farthest from those before it: with Φ the kernel of frames and centres, K that of centres, T the frames' own weights
    about the point, the coefficients are (ΦᵀΦ + damping K)⁻¹ΦᵀT.

    Args:
        mesh: The coarse mesh.
        clips: Coarse (frames, n, 3) and fine (frames, N, 3) positions of each; as `train` takes them.
        others: As clips. They are learned from, but neither left out nor learned from where a clip is left out, since they are
            made of the clips' poses.
        balances: (frames, n, 3) of each of clips and others: the coarse positions as cloth, see `GuideCloth`. Stretches are theirs, and
            details what is beyond them; all that is beyond the coarse positions is judged where clips are left out. Empty: without.
        again: (k, N, 3) of each of clips, in its first k frames: cloth that began otherwise, to judge what can be predicted at all; needs
            `balances`.
        rest: (n, 3) the coarse mesh at rest, which stretches are measured against.
        levels: How often the coarse mesh is subdivided.
        fps: Frames a second of all clips.
        details: P at most.
        centres: C at most.
        points: R at most.
        widths: Of the kernel, in stretch. Of several widths, dampings and motions, those are taken that predict each clip best
            from the others.
        dampings: The ridge.
        motions: What a velocity of one mean edge length a second counts, in stretch.
        displacement: What a displacement of the balances from the coarse positions by one mean edge length counts, in stretch; above 0
            it needs `balances`.
        held: Damping of each coefficient, against that of the function: of centres that are alike, coefficients make up for each
            other, and the smaller they are the less is lost where they are rounded.
        low_frequency: As `train`.
        options: Which edges count at a point; the rest of it does not matter.
        progress: Called with each width, damping and motion that was tried, and its score.

    Raises:
        ValueError: For no clips, shapes that do not fit, numbers that are not finite, and numbers out of range.
    """
    _check_numbers({"details": details, "centres": centres, "points": points}, widths, dampings, motions, fps, held)
    _check_again(again, balances, len(clips))
    chosen = options or Options(edges=32, falloff=1.0)
    targets = Targets(
        mesh,
        clips,
        others=others,
        balances=balances,
        rest=rest,
        levels=levels,
        fps=fps,
        details=details,
        centres=centres,
        points=points,
        motions=motions,
        displacement=displacement,
        low_frequency=low_frequency,
        options=chosen,
    )
    places, groups = targets.places, targets.groups
    count = len(places.regions.points)
    some = targets.spread(_CHOOSING)
    wants = side_by_side(lambda: None, lambda _, point: targets.wanted(point), range(count))
    judged = {point: targets.judged(point, wants[point]) for point in some}

    def sums_at(width: float, motion: float) -> Floats:
        """(dampings, groups, 3) over the points at which they are chosen."""
        to = places.picked[motion]

        def at(_: None, point: int) -> Floats:
            basis = _basis(places.distances(point, motion), width)
            return _left_out(basis, to, dampings, groups, held, wants[point], judged[point])

        return np.asarray(np.sum(side_by_side(lambda: None, at, some), axis=0))

    left_out = _tried(widths, dampings, motions, sums_at, progress) if len(groups) >= FEWEST else {}
    scores = {tried: mean_of(found) for tried, found in left_out.items()}
    width, damping, motion = best = (
        max(scores, key=scores.__getitem__) if scores else (widths[0], dampings[0], motions[0])
    )

    to = places.picked[motion]

    def learned_at(_: None, point: int) -> tuple[Floats, Floats]:
        """What squares of changes count there, and the coefficients."""
        basis = _basis(places.distances(point, motion), width)
        products = basis.T @ basis + _ridge(basis[to], damping, held)
        return products, np.asarray(np.linalg.solve(products, basis.T @ wants[point]))

    products, coefficients = zip(*side_by_side(lambda: None, learned_at, range(count)), strict=True)
    learned = Learned(
        places.regions.points,
        places.velocities[to],
        np.array(coefficients),
        width,
        motion,
        displacement=displacement,
        displacements=places.displacements[to] if displacement > 0.0 else np.zeros((0, 0, 3)),
    )
    every = np.concatenate([targets.mean[None], targets.shapes])
    at_rest = np.asarray(rest, dtype=np.float64)
    trained = TrainedSet(mesh.faces, at_rest, levels, places.poses[motion], every, chosen, regression=learned)
    frames = [
        (int(clip), int(frame - np.searchsorted(targets.clip_of, clip)))
        for frame, clip in zip(to, targets.clip_of[to], strict=True)
    ]
    untaught, ceiling = targets.beside(some, again) if scores else ((), ())
    return Regressed(
        trained,
        tuple(frames),
        damping,
        scores,
        left_out.get(best, ()),
        ceiling,
        untaught,
        targets.kept,
        np.array(products),
    )


@one_thread_a_product()
def rounded_to_play(
    trained: TrainedSet,
    clips: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
    largest: int = LARGEST,
    *,
    guides: Sequence[npt.ArrayLike] = (),
    products: Floats | None = None,
) -> TrainedSet:
    """A regression rounded for its file, whose clips play as before.

    Of the clips it was learned from 256 frames at most, evenly spread, are played with it and with what it was. Where rounding changes them by more than a twentieth of
    their detail, in the root mean square, steps become a fourth, again and again, as long as there are no more than 32767.

    Args:
        trained: A set with a regression.
        clips: Coarse positions (frames, n, 3) and times (frames,) in seconds of each, as cloth if the set has a guide's cloth.
        largest: See `TrainedSet.rounded`.
        guides: What these are displaced from (frames, n, 3), for a set whose displacements count.
        products: See `TrainedSet.rounded`.

    Raises:
        pucker.Error: If the clips do not play as before with that either.
        ValueError: For a set without a regression.
    """
    if trained.regression is None:
        raise ValueError("only a regression is played again after rounding; this set has none")
    lost = np.inf
    steps = largest
    while True:
        rounded = trained.rounded(steps, products=products)
        lost = _lost(trained, rounded, clips, guides)
        if lost <= _MOST_LOST:
            return rounded
        if 4 * steps > LARGEST:
            break
        steps *= 4
    raise pucker.Error(
        f"a set must show the clips it was learned from, but rounded for its file it shows them with an error of {lost:.3g} of "
        f"their detail, where at most {_MOST_LOST:g} is taken; learn it with more damping, or from fewer centres"
    )


def _lost(
    before: TrainedSet,
    after: TrainedSet,
    clips: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
    guides: Sequence[npt.ArrayLike],
) -> float:
    """Root mean square by which what is played differs, as a share of the detail's; infinite where it is not finite."""
    frames_of = [np.asarray(coarse, dtype=np.float64) for coarse, _ in clips]
    ends = np.cumsum([0, *map(len, frames_of)])
    played = np.unique(np.linspace(0, ends[-1] - 1, min(int(ends[-1]), _PLAYED)).astype(int))

    def apart(play: tuple[byexample.Synthesis, byexample.Synthesis], at: int) -> tuple[float, float]:
        """Σ of squares of what a frame differs by, and of its detail."""
        clip = int(np.searchsorted(ends, at, side="right")) - 1
        frame, poses = at - ends[clip], frames_of[clip]
        seconds = np.asarray(clips[clip][1], dtype=np.float64)
        earlier = poses[frame - 1] if frame else None
        passed = float(seconds[frame] - seconds[frame - 1]) if frame else None
        displaced = np.asarray(guides[clip], dtype=np.float64)[frame] if guides else None
        given = (poses[frame], earlier, passed, displaced)
        was, found = (np.asarray(each.step(*given).detail) for each in play)
        return float(np.square(found - was).sum()), float(np.square(was).sum())

    each = side_by_side(lambda: (before.synthesis(), after.synthesis()), apart, played.tolist())
    change, size = np.sum(each, axis=0) if each else (0.0, 0.0)
    if not np.isfinite(change):
        return np.inf
    return float(np.sqrt(change / size)) if size > 0.0 else float(change > 0.0)


def _require_frames(count: int) -> None:
    if not count:
        raise ValueError("a regression needs at least one frame")


def _check_numbers(
    counts: dict[str, int],
    widths: Sequence[float],
    dampings: Sequence[float],
    motions: Sequence[float],
    fps: float,
    held: float,
) -> None:
    for name, count in counts.items():
        if count < 1:
            raise ValueError(f"a regression needs at least 1 of {name}, not {count}")
    for name, values, least in (("widths", widths, 0.0), ("dampings", dampings, 0.0), ("motions", motions, None)):
        if not values or not all(np.isfinite(v) and (v >= 0.0 if least is None else v > least) for v in values):
            raise ValueError(f"{name} must be finite and positive, motions at least 0, not {tuple(values)}")
    for name, value in (("fps", fps), ("held", held)):
        if not (np.isfinite(value) and value > 0.0):
            raise ValueError(f"{name} must be positive, not {value}")


def _check_again(again: Sequence[npt.ArrayLike], balances: Sequence[npt.ArrayLike], clips: int) -> None:
    if again and not (balances and len(again) == clips):
        raise ValueError(
            f"cloth that began otherwise must be beyond balances, on each of {clips} clips; there are {len(balances)} balances and it is "
            f"on {len(again)}"
        )


def _basis(distances: Floats, width: float) -> Floats:
    """(frames, 1 + C): the constant, then the kernel."""
    return np.concatenate([np.ones((len(distances), 1)), np.exp(-distances / width)], axis=1)


def _ridge(among: Floats, damping: float, held: float) -> Floats:
    """What is added to the normal equations, of the basis (C, 1 + C) at the centres."""
    found = np.zeros((among.shape[1],) * 2)
    found[0, 0] = _CONSTANT
    found[1:, 1:] = 0.5 * (among[:, 1:] + among[:, 1:].T)
    total: Floats = damping * (found + held * np.eye(len(found)))
    return total


def _tried(
    widths: Sequence[float],
    dampings: Sequence[float],
    motions: Sequence[float],
    sums_of: Callable[[float, float], Floats],
    progress: Callable[[float, float, float, float], None],
) -> dict[tuple[float, float, float], tuple[float, ...]]:
    """The correlations of each width, damping and motion, from the sums (dampings, groups, 3) of a width and a motion."""
    found = {}
    for motion, width in product(motions, widths):
        for damping, sums in zip(dampings, sums_of(width, motion), strict=True):
            each = correlations(sums)
            found[width, damping, motion] = each
            progress(width, damping, motion, mean_of(each))
    return found


def _left_out(
    basis: Floats,
    centres: npt.NDArray[np.intp],
    dampings: Sequence[float],
    groups: npt.NDArray[np.intp],
    held: float,
    wanted: Floats,
    judged: Judged,
) -> Floats:
    """(dampings, groups, 3): as `sums_of`, of what is predicted for each group of frames from the others. Frames after those of the
    groups are not learned from.

    With H the matrix by which all frames together predict T, leaving out the frames l changes what they are off by from
    T − HT to (1 − H_ll)⁻¹ (T − HT)_l, the same as learning without them (Woodbury; Rifkin and Lippert 2007).
    """
    among = basis[centres]
    count = len(groups)
    basis, wanted = basis[:count], wanted[:count]
    own = basis.T @ basis
    found = np.zeros((len(dampings), int(groups[-1]) + 1, 3))
    for k, damping in enumerate(dampings):
        hat = np.linalg.solve(own + _ridge(among, damping, held), basis.T)
        off = wanted - basis @ (hat @ wanted)
        for group in range(found.shape[1]):
            left = groups == group
            off[left] = np.linalg.solve(np.eye(int(left.sum())) - basis[left] @ hat[:, left], off[left])
        found[k] = judged.sums(off, groups)
    return found
