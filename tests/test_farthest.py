"""Farthest-point selection: each the farthest from those before, held against the best choice there is."""

from itertools import combinations

import numpy as np
import pytest

from pucker.farthest import distances_of, farthest


def spread(places: np.ndarray, count: int, **options) -> tuple[list[int], float]:
    """Of places of which none is there already."""
    away = np.full(len(places), np.inf)
    return farthest(away, lambda k: np.linalg.norm(places - places[k], axis=1), count, **options)


def covered(places: np.ndarray, chosen: list[int]) -> float:
    """How far the farthest place is from those chosen."""
    return float(np.linalg.norm(places[:, None] - places[chosen], axis=2).min(axis=1).max())


def test_each_is_the_farthest_from_those_before(rng):
    places = rng.normal(size=(60, 3))
    chosen, left = spread(places, 9)
    for k in range(1, 9):
        away = np.linalg.norm(places[:, None] - places[chosen[:k]], axis=2).min(axis=1)
        assert away[chosen[k]] == away.max()
    assert left == covered(places, chosen)


def test_no_choice_is_twice_as_good(rng):
    for _ in range(20):
        places = rng.normal(size=(12, 2))
        _, left = spread(places, 3)
        assert left <= 2.0 * min(covered(places, list(some)) for some in combinations(range(12), 3))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_scale_and_order_choose_the_same_places(rng, scale):
    places = rng.normal(size=(40, 3))
    chosen, _ = farthest(places[:, 0] ** 2, lambda k: np.linalg.norm(places - places[k], axis=1), 6)
    moved = rng.permutation(40)
    other = scale * places[moved]
    found, _ = farthest(scale * places[moved, 0] ** 2, lambda k: np.linalg.norm(other - other[k], axis=1), 6)
    assert moved[found].tolist() == chosen


def test_none_is_chosen_twice_none_that_is_barred_and_none_that_is_near():
    places = np.zeros((4, 2))
    assert spread(places, 9) == ([0, 1, 2, 3], 0.0)
    line = np.arange(5.0)
    away = np.where(line == 4.0, -1.0, line)
    assert farthest(away, lambda k: np.abs(line - line[k]), 9) == ([3, 1, 2, 0], 0.0)
    assert farthest(away, lambda k: np.abs(line - line[k]), 9, near=1.0) == ([3], 1.0)
    assert farthest(away, lambda k: np.abs(line - line[k]), 0) == ([], 3.0)
    assert farthest([], lambda _: [], 3) == ([], 0.0)


def test_distances_are_those_of_every_pair(rng):
    places, others = rng.normal(size=(7, 5)), rng.normal(size=(4, 5))
    expected = [[np.linalg.norm(a - b) for b in others] for a in places]
    np.testing.assert_allclose(distances_of(places, others), expected, rtol=1e-12)
    # The difference of large squares that are equal may be below zero.
    assert not np.isnan(distances_of(1e8 * places, 1e8 * places)).any()
