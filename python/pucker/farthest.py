"""Choosing from many places a few that are spread over all of them: each the farthest from those before."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def distances_of(places: Floats, others: Floats) -> Floats:
    """Of each place (f, d) from each of the others (c, d), (f, c)."""
    squared = np.square(places).sum(axis=1)[:, None] + np.square(others).sum(axis=1) - 2.0 * places @ others.T
    found: Floats = np.sqrt(np.maximum(squared, 0.0))
    return found


def farthest(
    away: npt.ArrayLike, distances: Callable[[int], npt.ArrayLike], count: int, *, near: float = -np.inf
) -> tuple[list[int], float]:
    """Farthest-point selection (Gonzalez 1985), at most 2 times as far from all places as the best choice would be.

    Args:
        away: (k,) how far each place is from what is there already, in any measure that grows with distance; infinite if nothing
            is, and below 0 for a place that must not be chosen.
        distances: The same (k,) from a place, given by its index.
        count: How many to choose at most.
        near: Places that are no farther are not chosen.

    Returns:
        The indices in the order they were chosen, none of them twice and of equals the first; and how far the farthest of those
        left is, 0 if there are none.
    """
    left = np.array(away, dtype=np.float64)
    chosen: list[int] = []
    while len(chosen) < count and left.max(initial=-1.0) >= 0.0 and left.max() > near:
        chosen.append(int(left.argmax()))
        left = np.minimum(left, distances(chosen[-1]))
        left[chosen] = -1.0
    return chosen, max(float(left.max(initial=0.0)), 0.0)


def farthest_places(places: Floats, count: int) -> tuple[list[int], float]:
    """The same of places (k, d) in space, the first of which is chosen first; `count` is at least 1."""

    def distances(place: int) -> Floats:
        found: Floats = np.linalg.norm(places - places[place], axis=1)
        return found

    others, far = farthest(distances(0), distances, min(count, len(places)) - 1)
    return [0, *others], far
