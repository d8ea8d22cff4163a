"""Outlines of surfaces, compared as areas of the picture plane."""

from typing import Final

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

Mask = npt.NDArray[np.bool_]

SIDE: Final = 512
"""Width and height of a mask in pixels."""

# Opposite views have mirrored outlines, so half a turn is enough.
_AZIMUTHS: Final = np.radians([0.0, 45.0, 90.0, 135.0])


class Views:
    """Orthographic views at four azimuths round the y axis, in which all of some points (…, 3) are seen."""

    def __init__(self, points: npt.ArrayLike) -> None:
        cloud = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        self._middle = 0.5 * (cloud.min(axis=0) + cloud.max(axis=0))
        # A tenth is left for surfaces that reach a little farther than the points.
        self._scale = 0.45 * SIDE / float(np.linalg.norm(cloud - self._middle, axis=1).max())

    def masks(self, faces: npt.ArrayLike, positions: npt.ArrayLike) -> Mask:
        """The pixels that a mesh covers in each view, (4, SIDE, SIDE)."""
        points = (np.asarray(positions, dtype=np.float64) - self._middle) * self._scale
        pictures = []
        for azimuth in _AZIMUTHS:
            across = np.cos(azimuth) * points[:, 0] - np.sin(azimuth) * points[:, 2]
            corners = np.stack([0.5 * SIDE + across, 0.5 * SIDE - points[:, 1]], axis=1)[np.asarray(faces)]
            picture = Image.new("1", (SIDE, SIDE))
            draw = ImageDraw.Draw(picture)
            for triangle in corners.reshape(-1, 6).tolist():
                draw.polygon(triangle, fill=1)
            pictures.append(np.asarray(picture))
        return np.array(pictures)


def difference(masks: Mask, reference: Mask) -> float:
    """Area that only one of two outlines covers, over that of `reference`, summed over the views."""
    return float(np.count_nonzero(masks ^ reference) / np.count_nonzero(reference))
