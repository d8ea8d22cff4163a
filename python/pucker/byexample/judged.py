"""How well what is predicted for a clip agrees with what its cloth has: in folds that a pose decides, without the clip's own mean."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pucker._core import _byexample as byexample

from .side_by_side import side_by_side
from .trained import Floats
from .training import as_single_or_double, each_detail

# Of the mean square, what varies in a clip that counts.
_STILL: Final = 1e-9


class Judged(NamedTuple):
    """What is judged about a point, q numbers a frame."""

    true: Floats
    """(frames, q) what the cloth has."""
    shapes: Floats
    """(P - 1, q) what a weight of 1 of each detail adds to it."""
    missing: Floats
    """(frames, q) what no weights of the details show."""

    def sums(self, off: Floats, groups: npt.NDArray[np.intp]) -> Floats:
        """As `sums_of`, of weights that are off by this (frames of the groups, P - 1); frames after these do not count."""
        frames = len(groups)
        true = self.true[:frames]
        return sums_of(true - off @ self.shapes - self.missing[:frames], true, groups, count=int(groups[-1]) + 1)


def of_weights(wanted: Floats, squares: Floats) -> Judged:
    """The weights (frames, P - 1) themselves, whose squares count as in (P - 1, P - 1)."""
    values, vectors = np.linalg.eigh(squares)
    shapes = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    true = wanted @ shapes
    return Judged(true, shapes, np.zeros_like(true))


class LongFolds:
    """Of what cloth has beyond its guide, that in folds of two coarse edges and longer, at the coarse vertices.

    It is the least-squares fit by the subdivision matrix, W (WᵀW)⁻¹ Wᵀ d, in the frames of the smooth surface. Where shorter folds lie
    hangs on the mesh and on chance.
    """

    def __init__(self, surface: Callable[[], byexample.SmoothSurface], balances: Sequence[Floats]) -> None:
        """Over the `balances` (frames, n, 3) of the guides of clips; `surface` makes a smooth surface, of which each thread has one.

        `take` of each frame, then `finish`, before anything is asked.
        """
        self._surface = surface
        self._balances = balances
        smooth = surface()
        self._matrix = smooth.subdivision.matrix
        self._low = byexample.LowFrequencyPart(smooth.subdivision)
        self._count = smooth.subdivision.coarse.vertex_count
        self._ends = np.cumsum([0, *(len(each) for each in balances)])
        self._carried = np.empty((self._ends[-1], self._count, 3))
        self._own = np.empty_like(self._carried)

    def take(self, smooth: byexample.SmoothSurface, frame: int, guide: Floats, detail: Floats) -> None:
        """The `detail` (N, 3) of a frame of all clips, beyond the balance of its `guide` (n, 3), at which `smooth` is."""
        # What the guide is beyond its balance, turned round.
        self._carried[frame] = -self._of(smooth.detail_of(self._matrix @ guide))
        self._own[frame] = self._of(detail)

    def finish(self, mean: Floats, shapes: Floats) -> None:
        """The `mean` (N, 3) of all details, and what a weight of 1 of each adds to it (P - 1, N, 3)."""
        self._true = self._carried + self._own
        self._own -= self._of(mean)
        self._shapes = np.array([self._of(shape) for shape in shapes]).reshape(-1, self._count, 3)

    def _of(self, detail: Floats) -> Floats:
        """(n, 3) of (N, 3)."""
        return np.asarray(self._low.of(detail)[: self._count])

    def at(self, wanted: Floats, part: npt.NDArray[np.intp], roots: Floats) -> Judged:
        """About a point, whose part of the surface and the roots of its shares are given; `wanted` (frames, P - 1) weights there."""
        here = part < self._count
        take = _taking(part[here], roots[here])
        shapes = take(self._shapes)
        return Judged(take(self._true), shapes, take(self._own) - wanted @ shapes)

    def again(self, fine: Sequence[npt.ArrayLike]) -> tuple[npt.NDArray[np.intp], Floats]:
        """Other cloth (k, N, 3) in the first frames of the first of the clips: which frames, and (frames, n, 3)."""

        def long(smooth: byexample.SmoothSurface, clip: int) -> Floats:
            every = as_single_or_double(fine[clip], smooth.mesh.vertex_count, "again")
            details = each_detail(smooth, self._balances[clip][: len(every)], every)
            return np.array([self._of(detail) for detail in details]).reshape(-1, self._count, 3)

        found = side_by_side(self._surface, long, range(len(fine)))
        frames = np.concatenate([self._ends[clip] + np.arange(len(each)) for clip, each in enumerate(found)])
        return frames, np.concatenate(found) + self._carried[frames]

    def agreement(
        self,
        frames: npt.NDArray[np.intp],
        other: Floats,
        parts: Sequence[tuple[npt.NDArray[np.intp], Floats]],
        groups: npt.NDArray[np.intp],
    ) -> tuple[float, ...]:
        """Correlation of other cloth (frames, n, 3) in these frames with this, over these parts of the surface, of each group of frames."""
        sums = np.zeros((int(groups[-1]) + 1, 3))
        there = frames < len(groups)
        for part, roots in parts:
            here = part < self._count
            take = _taking(part[here], roots[here])
            sums += sums_of(take(other)[there], take(self._true[frames[there]]), groups[frames[there]], count=len(sums))
        return correlations(sums)

    @property
    def carried(self) -> tuple[npt.NDArray[np.intp], Floats]:
        """Of the balance alone, as `again`."""
        return np.arange(len(self._carried)), self._carried


def _taking(part: npt.NDArray[np.intp], roots: Floats) -> Callable[[Floats], Floats]:
    def take(fields: Floats) -> Floats:
        return np.asarray((fields[:, part] * roots).reshape(len(fields), -1))

    return take


def sums_of(predicted: Floats, true: Floats, groups: npt.NDArray[np.intp], *, count: int) -> Floats:
    """(count, 3): Σ of products and of squares of what is predicted and true (frames, q), without the mean of the true over the group; 0 of
    a group without frames.
    """
    found = np.zeros((count, 3))
    for group in np.unique(groups):
        mine = groups == group
        mean = true[mine].mean(axis=0)
        ours, theirs = predicted[mine] - mean, true[mine] - mean
        found[group] = (ours * theirs).sum(), np.square(ours).sum(), np.square(theirs).sum()
    return found


def correlations(sums: Floats) -> tuple[float, ...]:
    """Of Σ of products and of squares (k, 3); NaN where nothing was wanted, 0 where nothing was predicted."""
    least = _STILL * float(sums[:, 2].max(initial=0.0))
    return tuple(
        float("nan") if theirs <= least else float(both / np.sqrt(ours * theirs)) if ours > 0.0 else 0.0
        for both, ours, theirs in sums
    )


def mean_of(each: Sequence[float]) -> float:
    """Of those that are numbers; 0 of none."""
    numbers = [number for number in each if np.isfinite(number)]
    return float(np.mean(numbers)) if numbers else 0.0
