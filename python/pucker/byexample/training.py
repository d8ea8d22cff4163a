"""Choosing the poses of a trained set from a recorded motion."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.areas import vertex_shares
from pucker.farthest import farthest

from .trained import Fine, Floats, Options, TrainedSet

# Mean squared difference of stretches below which a frame is no other pose than the rest.
_SAME_POSE: Final = 1e-12
# Vertices solved for at once.
_VERTICES: Final = 512


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` found."""

    trained: TrainedSet
    """The set."""
    frames: tuple[int, ...]
    """Frames that became poses 1, 2, …; pose 0 is the rest pose."""
    errors: Floats
    """(steps, frames): of each set there was on the way, the root mean square over the rest area of a frame's distance between
    the synthesised and the recorded vertices, in the clip's unit of length. Greedily chosen poses make a set each, from
    the first on; farthest ones one in all; a fit makes one more."""

    @property
    def error(self) -> Floats:
        """(steps,): the root mean square of `errors` over the frames."""
        mean: Floats = np.sqrt(np.square(self.errors).mean(axis=1))
        return mean


def train(
    mesh: "pucker.Mesh",
    coarse: npt.ArrayLike,
    fine: npt.ArrayLike,
    *,
    rest: npt.ArrayLike,
    rest_fine: npt.ArrayLike | None = None,
    levels: int,
    poses: int = 6,
    low_frequency: Literal["keep", "remove"] = "keep",
    choose: Literal["greedy", "farthest"] = "greedy",
    fit: float = 0.0,
    options: Options | None = None,
    progress: Callable[[int, float], None] = lambda _pose, _error: None,
) -> Training:
    """Chooses poses from pairs of a coarse and a fine recording of one motion (Zurdo et al. 2013, section 5.1).

    The set begins with the rest pose. Then one more frame becomes a pose, again and again, until there are `poses` or none is
    left that differs from them.

    Args:
        mesh: The coarse mesh.
        coarse: (frames, n, 3) its positions.
        fine: (frames, N, 3) positions of the fine mesh, whose vertices are those of `LoopSubdivision(mesh, levels)`.
        rest: (n, 3) the coarse mesh at rest, which stretches are measured against.
        rest_fine: (N, 3) the fine mesh at rest; without it the smooth surface itself.
        levels: How often the coarse mesh is subdivided.
        poses: How many poses the set has at most, the rest pose among them.
        low_frequency: "remove" takes out of what each fine frame is beyond the smooth surface its least-squares fit by the subdivision
            matrix: what the garment as a whole lags or slides, which no pose tells.
        choose: The next pose: "greedy", the frame whose synthesised surface is farthest from the recorded one, as published; or
            "farthest", the frame whose edges' stretches are, in the root mean square, farthest from those of every pose. That
            takes one synthesis of all frames instead of one a pose, and what no pose is near to is less far.
        fit: λ of the least squares by which, in the end, the details of the poses become those that together reproduce all
            frames best, Σ ‖Σᵢ wᵢ dᵢ − d‖² + λ Σᵢ ‖dᵢ − d̄‖² at each vertex, d̄ being the mean of the frames. 0: those that were
            recorded, so that the poses come back exactly.
        options: How weights are computed.
        progress: Called with the number of poses and the error, each time these are known.

    Returns:
        The set, the frames chosen, and the errors.

    Raises:
        ValueError: For shapes that do not fit, numbers that are not finite (naming the frame), less than one pose, and
            what `Synthesis` refuses.
    """
    if poses < 1:
        raise ValueError(f"a set needs at least one pose, not {poses}")
    if choose not in ("greedy", "farthest"):
        raise ValueError(f"choose must be 'greedy' or 'farthest', not {choose!r}")
    if not 0.0 <= fit < np.inf:
        raise ValueError(f"fit must be finite and at least 0, not {fit}")
    at_rest = _finite(rest, "rest")
    smooth = byexample.SmoothSurface(mesh, levels, at_rest)
    weights = vertex_shares(smooth.mesh.faces, smooth.positions)
    guides = as_frames(coarse, mesh.vertex_count, "coarse")
    details = details_of(smooth, guides, fine, low_frequency=low_frequency)
    first = np.zeros_like(smooth.positions)
    if rest_fine is not None:
        first = details_of(smooth, at_rest[None], _finite(rest_fine, "rest_fine")[None], low_frequency=low_frequency)[0]
    errors: list[Floats] = []

    def learned(frames: list[int]) -> TrainedSet:
        """The set of these frames, whose errors are known."""
        trained = TrainedSet(
            mesh.faces,
            at_rest,
            levels,
            np.array([at_rest, *guides[frames]]),
            np.array([first, *details[frames]]),
            options or Options(),
        )
        take(trained)
        return trained

    def take(trained: TrainedSet) -> None:
        errors.append(_errors(trained.synthesis(mesh), guides, details, weights))
        progress(len(trained.poses), float(np.sqrt(np.square(errors[-1]).mean())) if len(guides) else 0.0)

    if choose == "farthest":
        chosen = _farthest(byexample.Features(mesh, at_rest), guides, poses - 1)
        trained = learned(chosen)
    else:
        chosen = []
        trained = learned(chosen)
        while len(chosen) + 1 < poses:
            left = [frame for frame in range(len(guides)) if frame not in chosen and errors[-1][frame] > 0.0]
            if not left:
                break
            chosen.append(max(left, key=errors[-1].__getitem__))
            trained = learned(chosen)
    if fit > 0.0 and len(guides):
        trained = _fitted(trained, guides, details, fit)
        take(trained)
    return Training(trained, tuple(chosen), np.array(errors))


def details_of(
    smooth: byexample.SmoothSurface,
    coarse: npt.ArrayLike,
    fine: npt.ArrayLike,
    *,
    low_frequency: Literal["keep", "remove"] = "keep",
) -> Floats:
    """What fine frames (frames, N, 3) are beyond the smooth surfaces of coarse ones (frames, n, 3), in its frames.

    `smooth` is left at the last of them. For `low_frequency` and for what is raised see `train`.
    """
    details = [*each_detail(smooth, coarse, fine, low_frequency=low_frequency)]
    return np.array(details).reshape(-1, smooth.mesh.vertex_count, 3)


def each_detail(
    smooth: byexample.SmoothSurface,
    coarse: npt.ArrayLike,
    fine: npt.ArrayLike,
    *,
    low_frequency: Literal["keep", "remove"] = "keep",
) -> Iterator[Floats]:
    """As `details_of`, (N, 3) of one frame after the other, at which `smooth` then is."""
    if low_frequency not in ("keep", "remove"):
        raise ValueError(f"low_frequency must be 'keep' or 'remove', not {low_frequency!r}")
    guides = as_frames(coarse, smooth.subdivision.coarse.vertex_count, "coarse")
    surfaces = as_single_or_double(fine, smooth.mesh.vertex_count, "fine")
    if len(guides) != len(surfaces):
        raise ValueError(f"there must be as many coarse as fine frames, not {len(guides)} and {len(surfaces)}")
    low_frequency_part = byexample.LowFrequencyPart(smooth.subdivision) if low_frequency == "remove" else None
    for guide, surface in zip(guides, surfaces, strict=True):
        positions = smooth.step(guide)
        # Fitted in space: frames of neighbours are turned against each other, so that there nothing is smooth.
        yield smooth.detail_of(
            surface if low_frequency_part is None else surface - low_frequency_part.of(surface - positions)
        )


def _farthest(features: byexample.Features, guides: Floats, count: int) -> list[int]:
    """Up to `count` frames, each the farthest from the rest pose and those before it by the stretches of all edges."""
    stretches = np.array([features.stretch(guide) for guide in guides]).reshape(len(guides), -1)
    chosen, _ = farthest(
        np.square(stretches - 1.0).sum(axis=1),
        lambda frame: np.square(stretches - stretches[frame]).sum(axis=1),
        count,
        near=_SAME_POSE * stretches.shape[1],
    )
    return chosen


def _fitted(trained: TrainedSet, guides: Floats, details: Floats, ridge: float) -> TrainedSet:
    """The set with the details of least squares over all frames."""
    synthesis = trained.synthesis()
    # Those of all fine vertices would take gigabytes.
    weights = np.array([np.array(synthesis.step(guide).pose_weights) for guide in guides])
    places, shares = _places(synthesis, trained.options)
    mean = details.mean(axis=0)
    found = np.empty_like(trained.details)
    for begin in range(0, found.shape[1], _VERTICES):
        block = slice(begin, begin + _VERTICES)
        factors = np.einsum("vk,fvkp->vfp", shares[block], weights[:, places[block]])
        # Weights sum to 1, so that of the mean no more is to be added.
        away = (details[:, block] - mean[block]).transpose(1, 0, 2)
        turned = factors.transpose(0, 2, 1)
        solved = np.linalg.solve(turned @ factors + ridge * np.eye(factors.shape[2]), turned @ away)
        found[:, block] = mean[block] + solved.transpose(1, 0, 2)
    return replace(trained, details=found)


def _places(synthesis: byexample.Synthesis, options: Options) -> tuple[npt.NDArray[np.intp], Floats]:
    """Which weights make up those of each fine vertex, (N, k), and how much of each."""
    rows = synthesis.subdivision.barycentrics
    if options.places == "dense":
        count = rows.shape[0]
        return np.arange(count)[:, None], np.ones((count, 1))
    counts = np.diff(rows.indptr)
    inside = np.arange(int(counts.max(initial=1))) < counts[:, None]
    places, shares = np.zeros(inside.shape, np.intp), np.zeros(inside.shape)
    places[inside], shares[inside] = rows.indices, rows.data
    return places, shares


def _errors(synthesis: byexample.Synthesis, guides: Floats, details: Floats, weights: Floats) -> Floats:
    """(frames,): both surfaces stand in the same frames, so that their distance is that of the details."""
    found = np.empty(len(guides))
    for frame, (guide, detail) in enumerate(zip(guides, details, strict=True)):
        away = synthesis.step(guide).detail - detail
        found[frame] = np.sqrt(np.einsum("v,vi,vi->", weights, away, away))
    return found


def _finite(values: npt.ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def as_frames(values: npt.ArrayLike, vertices: int, name: str) -> Floats:
    """Positions (frames, vertices, 3). Raises ValueError for another shape, and what is not finite, naming the frame."""
    return np.asarray(as_single_or_double(values, vertices, name), dtype=np.float64)


def as_single_or_double(values: npt.ArrayLike, vertices: int, name: str) -> Fine:
    """As `as_frames`, without a copy of what is in single precision."""
    array = np.asarray(values)
    if array.dtype != np.float32:
        array = np.asarray(array, dtype=np.float64)
    if array.ndim != 3 or array.shape[1:] != (vertices, 3):
        raise ValueError(f"{name} must have shape (frames, {vertices}, 3), not {array.shape}")
    broken = np.flatnonzero(~np.isfinite(array).all(axis=(1, 2)))
    if len(broken):
        raise ValueError(f"{name} must be finite, but frame {broken[0]} is not")
    return array
