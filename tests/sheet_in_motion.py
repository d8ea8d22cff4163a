"""A sheet in motion, as the tests of formats write it."""

import numpy as np
from numpy.typing import NDArray

import pucker
from pucker.examples import grid_faces

Array = NDArray[np.float64]

FACES = grid_faces(6, 5)
QUADS = np.array([[y * 7 + x, y * 7 + x + 1, (y + 1) * 7 + x + 1, (y + 1) * 7 + x] for y in range(5) for x in range(6)])
FRAMES = 7
FPS = 24.0
TIMES = np.arange(FRAMES) / FPS


def rest_sheet() -> Array:
    y, x = np.mgrid[:6, :7]
    return np.stack([x.ravel() / 6, y.ravel() / 5, np.zeros(42)], axis=1)


def assert_moves(clip: pucker.Clip, expected: Array, tolerance: float = 1e-6) -> None:
    """The stored vertices of the clip are at the expected places, to a share of their extent."""
    assert clip.positions.shape[0] == len(expected)
    difference = np.abs(clip.positions[:, clip.weld] - expected).max()
    assert difference <= tolerance * np.ptp(expected, axis=(0, 1)).max()
