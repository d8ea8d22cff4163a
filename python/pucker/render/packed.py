"""Packed wrinkles: the only thing drawing knows of how wrinkles were made."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt


class PackedLike(Protocol):
    """Anything with the three arrays, such as `State.packed`; with `origin` too, points are relative to that."""

    @property
    def triangles(self) -> npt.NDArray[Any]:
        """(m, 2): number of wrinkles that reach a triangle, and where they start in `reach`."""

    @property
    def reach(self) -> npt.NDArray[Any]:
        """(k, 2): first and last path point, both inclusive."""

    @property
    def points(self) -> npt.NDArray[Any]:
        """(p, 16): the path points, one path after another."""


@dataclass(frozen=True)
class Packed:
    """Packed wrinkles that come from anywhere.

    Attributes:
        triangles: (m, 2) uint32, count and offset into `reach` of each mesh triangle.
        reach: (k, 2) uint32, first and last path point, both inclusive, of one wrinkle that reaches the triangle.
        points: (p, 16) float32, [0:3] position, [3] full width, [4:7] normal of the triangle of the segment that starts
            here, [7] height, [8:11] unit mean direction, [11] arc length from the path's start (0 starts a path), [12]
            width and [13] height half-way along the segment that starts here, [14:16] unused. Lengths in the units of
            the mesh.
        origin: What positions are relative to.
    """

    triangles: npt.NDArray[np.uint32]
    reach: npt.NDArray[np.uint32]
    points: npt.NDArray[np.float32]
    origin: tuple[float, float, float] = (0.0, 0.0, 0.0)
