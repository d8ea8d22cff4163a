"""Straightest lines over a surface whose two sides have the same corners, and beyond a border."""

import numpy as np
import pytest

from pucker.metrics.straightest import StraightestLines

CORNERS = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.5, 1.8, 0.0]])
PILLOW = np.array([[0, 1, 2], [0, 2, 1]])


@pytest.mark.parametrize("angle", [-1.9, -1.57, -1.2])
def test_over_the_edge_of_a_pillow_a_line_is_reflected(angle: float) -> None:
    lines = StraightestLines(PILLOW, CORNERS)
    way = np.array([[np.cos(angle), np.sin(angle), 0.0]])
    found = lines.places(np.array([0]), np.full((1, 3), 1.0 / 3.0), way, 0.1, 9)
    places = np.einsum("lkc,lkcd->lkd", found.barycentrics, CORNERS[PILLOW[found.triangles]])[0]
    straight = CORNERS.mean(axis=0) + 0.1 * np.arange(10)[:, None] * way
    # Below the edge along x it is on the other side, where it goes back up: what runs on a pillow is a ball on a table.
    below = straight[:, 1] < 0.0
    np.testing.assert_array_equal(found.triangles[0], below.astype(int))
    assert 2 <= below.sum() <= 8
    np.testing.assert_allclose(places, np.where(below[:, None], straight * [1.0, -1.0, 1.0], straight), atol=1e-12)


def test_beyond_the_border_there_is_nothing_to_read() -> None:
    square = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
    lines = StraightestLines(np.array([[0, 1, 2], [0, 2, 3]]), square)
    heights = 5.0 + square @ [1.0, 2.0, 0.0]
    read = lines.read(heights, np.array([0]), np.array([[1.0, 0.5, 0.0]]), 0.1, 9)[0]
    at = np.array([2.0 / 3.0, 1.0 / 3.0, 0.0]) + 0.1 * np.arange(10)[:, None] * np.array([2.0, 1.0, 0.0]) / np.sqrt(5.0)
    outside = at[:, 0] > 1.0
    assert 2 <= outside.sum() <= 8
    np.testing.assert_array_equal(np.isnan(read), outside)
    np.testing.assert_allclose(read[~outside], 5.0 + at[~outside] @ [1.0, 2.0, 0.0], atol=1e-12)
