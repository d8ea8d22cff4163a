"""How well what is predicted for a clip agrees with what its cloth has: in folds that a pose decides, without the clip's own mean."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pucker._core import _byexample as byexample

from .trained import Floats
from .training import as_frames, details_of

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
        count = len(groups)
        true = self.true[:count]
        return sums_of(true - off @ self.shapes - self.missing[:count], true, groups)


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

    def __init__(
        self,
        smooth: byexample.SmoothSurface,
        guides: Sequence[Floats],
        balances: Sequence[Floats],
        details: Floats,
        mean: Floats,
        shapes: Floats,
    ) -> None:
        """`details` (frames, N, 3), without their `mean`, are beyond the `balances` (frames, n, 3) of the guides of clips.

        Raises ValueError for another number of frames.
        """
        self._smooth = smooth
        self._balances = balances
        self._low = byexample.LowFrequencyPart(smooth.subdivision)
        self._count = smooth.subdivision.coarse.vertex_count
        matrix = smooth.subdivision.matrix
        # What the guide is beyond its balance, turned round.
        self._carried = -np.concatenate(
            [
                self._of(details_of(smooth, balance, np.array([matrix @ each for each in guide])))
                for guide, balance in zip(guides, balances, strict=True)
            ]
        )
        self._shapes = self._of(shapes)
        self._own = self._of(details)
        self._true = self._carried + self._of(mean[None]) + self._own

    def _of(self, details: Floats) -> Floats:
        """(k, n, 3) of (k, N, 3)."""
        return np.array([self._low.of(each)[: self._count] for each in details]).reshape(-1, self._count, 3)

    def at(self, wanted: Floats, part: npt.NDArray[np.intp], roots: Floats) -> Judged:
        """About a point, whose part of the surface and the roots of its shares are given; `wanted` (frames, P - 1) weights there."""
        here = part < self._count
        take = _taking(part[here], roots[here])
        shapes = take(self._shapes)
        return Judged(take(self._true), shapes, take(self._own) - wanted @ shapes)

    def again(self, fine: Sequence[npt.ArrayLike]) -> Floats:
        """(frames, n, 3) of other cloth (frames, N, 3) on the first of the clips."""
        every = [as_frames(each, self._smooth.mesh.vertex_count, "again") for each in fine]
        found = np.concatenate(
            [
                self._of(details_of(self._smooth, balance, each))
                for balance, each in zip(self._balances[: len(every)], every, strict=True)
            ]
        )
        return np.asarray(found + self._carried[: len(found)])

    def agreement(
        self, other: Floats, parts: Sequence[tuple[npt.NDArray[np.intp], Floats]], groups: npt.NDArray[np.intp]
    ) -> tuple[float, ...]:
        """Correlation of other cloth (frames, n, 3) with this, over these parts of the surface, of each group of frames."""
        sums = np.zeros((int(groups[-1]) + 1, 3))
        for part, roots in parts:
            here = part < self._count
            take = _taking(part[here], roots[here])
            sums += sums_of(take(other)[: len(groups)], take(self._true)[: len(groups)], groups)
        return correlations(sums)

    @property
    def carried(self) -> Floats:
        """(frames, n, 3) of the balance alone."""
        return self._carried


def _taking(part: npt.NDArray[np.intp], roots: Floats) -> Callable[[Floats], Floats]:
    def take(fields: Floats) -> Floats:
        return np.asarray((fields[:, part] * roots).reshape(len(fields), -1))

    return take


def sums_of(predicted: Floats, true: Floats, groups: npt.NDArray[np.intp]) -> Floats:
    """(groups, 3): Σ of products and of squares of what is predicted and true (frames, q), without the mean of the true over the group."""
    found = np.zeros((int(groups[-1]) + 1, 3))
    for group in range(len(found)):
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
