"""The places of a mesh closest to points."""

import numpy as np
import pytest

from pucker.closest import closest_places

FACES = np.array([[0, 1, 2], [0, 2, 3]])
SQUARE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])


def test_distances_are_lengths_and_places_move_with_the_mesh() -> None:
    points = np.array([[0.25, 0.5, 0.5], [3.0, 0.0, 0.5], [1.0, 4.0, 4.0]])
    places = closest_places(points, FACES, SQUARE)
    np.testing.assert_allclose(places.distances, [0.5, 2.0, 5.0], atol=1e-12)
    nearest = np.array([[0.25, 0.0, 0.5], [1.0, 0.0, 0.5], [1.0, 0.0, 1.0]])
    np.testing.assert_allclose(places.carry(SQUARE), nearest, atol=1e-12)
    frames = np.stack([SQUARE, 2.0 * SQUARE + [0.0, 3.0, 0.0]])
    np.testing.assert_allclose(places.carry(frames)[1], 2.0 * nearest + [0.0, 3.0, 0.0], atol=1e-12)
    assert places.carry(np.arange(4.0)[:, None]).shape == (3, 1)
    assert places.barycentrics.sum(axis=1) == pytest.approx(1.0)
