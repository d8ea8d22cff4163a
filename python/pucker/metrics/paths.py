"""Measures of the paths: how many there are, how long they last, how steadily they grow, where they point."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import pucker

Array = npt.NDArray[np.float64]
History = Sequence[Sequence[pucker.Wrinkle]]  # the wrinkles of each frame


def _living(history: History) -> list[set[int]]:
    return [{wrinkle.id for wrinkle in wrinkles if wrinkle.alive} for wrinkles in history]


def alive(history: History) -> Array:
    """Living wrinkles of each frame, (frames,); dying ones, which only sink, do not count."""
    return np.array([len(ids) for ids in _living(history)], dtype=np.float64)


def births(history: History) -> Array:
    """Wrinkles of each frame that did not live in the frame before, (frames,); in the first frame all that live."""
    ids = _living(history)
    return np.array([len(now - before) for before, now in zip([set(), *ids], ids, strict=False)], dtype=np.float64)


def deaths(history: History) -> Array:
    """Wrinkles that lived in the frame before and no longer do, (frames,); 0 in the first frame."""
    ids = _living(history)
    return np.array([len(before - now) for before, now in zip([set(), *ids], ids, strict=False)], dtype=np.float64)


@dataclass(frozen=True)
class Survival:
    """How long wrinkles lived.

    Attributes:
        seconds: (k,) from a wrinkle's first frame to the first in which it no longer lives, or to the end of the clip.
        ended: (k,) bool, False for a wrinkle that still lived at the end.
    """

    seconds: Array
    ended: npt.NDArray[np.bool_]

    @property
    def mean(self) -> float:
        """Restricted mean lifetime in seconds: the area under the Kaplan–Meier estimate up to the longest lifetime.

        Wrinkles that outlive the clip count as having lived at least so long (Kaplan and Meier 1958). NaN without any
        wrinkle.
        """
        from scipy.stats import CensoredData, ecdf  # noqa: PLC0415 - slow to import, and the only use in this module

        if len(self.seconds) == 0:
            return float("nan")
        found = CensoredData(uncensored=self.seconds[self.ended], right=self.seconds[~self.ended])
        surviving = ecdf(found).sf
        steps = np.diff(np.concatenate([[0.0], surviving.quantiles]))
        return float(steps @ np.concatenate([[1.0], surviving.probabilities[:-1]]))


def survival(history: History, times: npt.ArrayLike) -> Survival:
    """Lifetimes of all wrinkles of a run whose frames are at `times` (frames,) seconds.

    Raises ValueError unless there is one time a frame.
    """
    at = np.asarray(times, dtype=np.float64)
    if at.shape != (len(history),):
        raise ValueError(f"times must be one number for each of {len(history)} frames, not of shape {at.shape}")
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    for frame, ids in enumerate(_living(history)):
        for number in ids:
            first.setdefault(number, frame)
            last[number] = frame
    begin = np.array(list(first.values()), dtype=np.intp)
    end = np.array([last[number] + 1 for number in first], dtype=np.intp)
    ended = end < len(at)
    return Survival(at[np.minimum(end, len(at) - 1)] - at[begin], ended)


def length_ratios(before: Sequence[pucker.Wrinkle], after: Sequence[pucker.Wrinkle]) -> Array:
    """Length over length a frame before of every wrinkle that lives in both frames, (k,), in the order of `after`."""
    lengths = {wrinkle.id: wrinkle.length for wrinkle in before if wrinkle.alive}
    return np.array(
        [w.length / lengths[w.id] for w in after if w.alive and lengths.get(w.id, 0.0) > 0.0], dtype=np.float64
    )


def wrinkle_directions(state: pucker.State) -> Array:
    """The direction a_max of each triangle, (m, 3), unit, undirected: across the strongest compression.

    It is the first column of A of F = A Σ Bᵀ (Gillette 2015, equation 4.1), carried into space by the triangle's frame.
    """
    directions: Array = np.einsum("mk,mkd->md", state.stretch.left[:, :, 0], state.frames.axes)
    return directions


def direction_error(wrinkles: Sequence[pucker.Wrinkle], directions: npt.ArrayLike) -> float:
    """Mean angle in degrees, 0 to 90, between living paths and a field of undirected `directions` (m, 3), one a triangle.

    Each segment counts by its length; triangles whose direction is zero do not count. NaN if nothing does. Directions
    drawn at random in the plane have a mean of 45. Raises ValueError for another shape or a direction that is not finite.
    """
    field = np.asarray(directions, dtype=np.float64)
    if field.ndim != 2 or field.shape[1] != 3:
        raise ValueError(f"directions must have shape (m, 3), not {field.shape}")
    if not np.isfinite(field).all():
        raise ValueError(f"direction {int(np.argmin(np.isfinite(field).all(axis=1)))} is not finite")
    living = [wrinkle for wrinkle in wrinkles if wrinkle.alive]
    if not living:
        return float("nan")
    segments = np.concatenate([np.diff(wrinkle.points, axis=0) for wrinkle in living])
    triangles = np.concatenate([wrinkle.triangles for wrinkle in living])
    if triangles.max() >= len(field):
        raise ValueError(f"directions must cover triangle {int(triangles.max())}, but there are {len(field)}")
    wanted = field[triangles]
    # atan2 of sine and cosine is exact near 0, where the arc cosine is not.
    sine = np.linalg.norm(np.cross(segments, wanted), axis=1)
    cosine = np.abs(np.einsum("kd,kd->k", segments, wanted))
    weights = np.where(np.any(wanted != 0.0, axis=1), np.linalg.norm(segments, axis=1), 0.0)
    if not weights.sum() > 0.0:
        return float("nan")
    return float(np.average(np.degrees(np.arctan2(sine, cosine)), weights=weights))
