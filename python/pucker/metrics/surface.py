"""Measures of the wrinkled surface: its area, and how it flickers."""

from typing import Final

import numpy as np
import numpy.typing as npt
from scipy.signal import butter, sosfiltfilt

import pucker
from pucker.areas import triangle_areas, vertex_areas
from pucker.method import Detail, SurfacePoints, points_of_mesh

Array = npt.NDArray[np.float64]

BAND: Final = (0.125, 0.45)
"""Band of flicker as shares of the frame rate: at 30 frames per second 3.75 to 13.5 Hz, periods of 2.2 to 8 frames."""

_ORDER: Final = 2

# Points filtered at once: the filter needs several copies of what it is given.
_BLOCK: Final = 4096

# sosfiltfilt continues either end by three samples for each of the 2 · order + 1 coefficients, and needs one more.
MIN_FRAMES: Final = 3 * (2 * _ORDER + 1) + 1
"""Fewest frames that can be band-passed."""


def area(faces: npt.ArrayLike, positions: npt.ArrayLike) -> float:
    """Area of all triangles `faces` (m, 3) over `positions` (n, 3)."""
    return float(triangle_areas(faces, positions).sum())


def area_deficit(reference: npt.ArrayLike, area: float) -> float:
    """Share of the area of the cloth that a surface of `area` lacks: 1 − area / Σ ½ det of the reference triangles.

    `reference` is (m, 2, 2), as `State.reference`. Negative where the surface is larger. Raises ValueError for a
    reference without area.
    """
    total = 0.5 * float(np.abs(np.linalg.det(np.asarray(reference, dtype=np.float64))).sum())
    if not total > 0.0:
        raise ValueError(f"the reference triangles must have an area, not {total}")
    return 1.0 - area / total


def compressed_area(compression: npt.ArrayLike, areas: npt.ArrayLike, threshold: float) -> float:
    """Area that compression takes from the triangles that wrinkle: Σ A (λ̃ − 1) over those with λ̃ > `threshold`.

    By so much they would be larger if they were let out across their wrinkles and kept along them. `compression` and
    `areas` are (m,), as `State.compression` and `State.frames.areas`.
    """
    factor = np.asarray(compression, dtype=np.float64)
    return float(((factor - 1.0) * np.asarray(areas, dtype=np.float64))[factor > threshold].sum())


class Samples:
    """The same points of the cloth in every frame, and the triangles between them.

    Every edge of the mesh is divided into `level` pieces.

    Attributes:
        faces: (M, 3) int64 triangles between the points.
        weights: (N,) share of the area in `positions` that each point stands for.
    """

    def __init__(self, mesh: pucker.Mesh, positions: npt.ArrayLike, level: int) -> None:
        self._subdivision = pucker.Subdivision(mesh, level)
        self.faces = self._subdivision.faces.astype(np.int64)
        corners = np.asarray(positions, dtype=np.float64)[mesh.faces[self._subdivision.triangles]]
        rest = np.einsum("nk,nkd->nd", self._subdivision.barycentrics, corners)
        self.weights = vertex_areas(self.faces, rest)
        self.weights /= self.weights.sum()

    def evaluate(self, detail: Detail) -> SurfacePoints:
        """The points on the detailed surface of one frame."""
        return detail.evaluate(self._subdivision.triangles, self._subdivision.barycentrics)

    def of_mesh(self, mesh: pucker.Mesh, positions: npt.ArrayLike) -> SurfacePoints:
        """The points on the mesh itself."""
        return points_of_mesh(mesh, positions, self._subdivision.triangles, self._subdivision.barycentrics)


def band_pass(offsets: npt.ArrayLike, fps: float, band: tuple[float, float] | None = None) -> Array:
    """The part of `offsets` (frames, N) whose frequency lies in `band` (low, high), in Hz; the default is BAND · fps.

    A Butterworth filter of order 2, run forward and backward, so that nothing is delayed (scipy.signal.sosfiltfilt).
    Raises ValueError for a band that is not inside (0, fps/2), and for fewer frames than MIN_FRAMES.
    """
    signal = np.asarray(offsets, dtype=np.float64)
    low, high = band if band is not None else (BAND[0] * fps, BAND[1] * fps)
    if not 0.0 < low < high < 0.5 * fps:
        raise ValueError(
            f"the band must lie inside 0 to {0.5 * fps:g} Hz, half the frame rate, not {low:g} to {high:g}"
        )
    if len(signal) < MIN_FRAMES:
        raise ValueError(f"a band-pass needs at least {MIN_FRAMES} frames, not {len(signal)}")
    filtered: Array = sosfiltfilt(butter(_ORDER, (low, high), btype="bandpass", fs=fps, output="sos"), signal, axis=0)
    return filtered


def flicker(
    offsets: npt.ArrayLike, weights: npt.ArrayLike, fps: float, band: tuple[float, float] | None = None
) -> Array:
    """How much the wrinkled surface trembles over the base surface, frame by frame, (frames,), in the unit of `offsets`.

    `offsets` (frames, N) are the displacements along the normal of the same points of the cloth in every frame, so that
    what the base surface does is no part of them; what remains after `band_pass` is squared, averaged with `weights`
    (N,), the points' shares of the area, and the root is taken. Errors as of `band_pass`.
    """
    signal, shares = np.asarray(offsets), np.asarray(weights, dtype=np.float64)
    squares = np.zeros(len(signal))
    for begin in range(0, len(shares), _BLOCK):
        block = slice(begin, begin + _BLOCK)
        squares += np.square(band_pass(signal[:, block], fps, band)) @ shares[block]
    return np.asarray(np.sqrt(squares / shares.sum()), dtype=np.float64)
