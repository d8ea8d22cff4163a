"""Packed wrinkles that were made elsewhere."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Packed:
    """Packed wrinkles that come from anywhere.

    Attributes:
        triangles: (m, 2) uint32, count and offset into `overlaps` of each mesh triangle.
        overlaps: (k, 2) uint32, first and last path point, both inclusive, of one wrinkle that overlaps the triangle.
        points: (p, 16) float32, [0:3] position, [3] full width, [4:7] normal of the triangle of the segment that starts
            here, [7] height, [8:11] unit mean direction, [11] arc length from the path's start (0 starts a path), [12]
            width and [13] height half-way along the segment that starts here, [14:16] unused. Lengths in the units of
            the mesh.
        origin: What positions are relative to.
    """

    triangles: npt.NDArray[np.uint32]
    overlaps: npt.NDArray[np.uint32]
    points: npt.NDArray[np.float32]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
