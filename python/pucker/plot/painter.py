"""Triangles in space drawn without a depth buffer: from the farthest to the nearest."""

import numpy as np
import numpy.typing as npt
from matplotlib.collections import PolyCollection

Floats = npt.NDArray[np.float64]


def facing(corners: Floats, back: Floats) -> Floats:
    """Cosine (m,) between the normals of triangles (m, 3, 3) and the direction `back` (3,) towards the viewer; 1 without area."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    length = np.linalg.norm(across, axis=1)
    found: Floats = np.divide(across @ back, length, out=np.ones(len(corners)), where=length > 0.0)
    return found


def from_behind(corners: Floats, back: Floats) -> npt.NDArray[np.intp]:
    """Order (m,) in which triangles (m, 3, 3) are drawn, so that the nearer ones hide those behind."""
    return np.argsort(corners.mean(axis=1) @ back, kind="stable")


def painted(
    polygons: list[Floats], fills: npt.ArrayLike, borders: npt.ArrayLike, border_width: float
) -> PolyCollection:
    """The polygons (k, 2) in their order, each over those before it."""
    return PolyCollection(polygons, facecolors=fills, edgecolors=borders, linewidths=border_width)
