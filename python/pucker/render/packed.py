"""Packed wrinkles: the only thing drawing knows of how wrinkles were made."""

from dataclasses import dataclass
from typing import Any, Final, Protocol, Self

import numpy as np
import numpy.typing as npt

from .shaders import constants

# Columns of `points`.
POSITION, WIDTH, NORMAL, HEIGHT = slice(0, 3), 3, slice(4, 7), 7
DIRECTION, ARC_LENGTH, MIDDLE_WIDTH, MIDDLE_HEIGHT = slice(8, 11), 11, 12, 13
POINT_COLUMNS = 16
# What fits into the two numbers of an entry of the reach.
TRIANGLE_BITS: Final = constants()["REACH_TRIANGLE_BITS"]
MOST_TRIANGLES: Final = 1 << TRIANGLE_BITS
MOST_SEGMENTS: Final = (1 << (32 - TRIANGLE_BITS)) - 1


class PackedLike(Protocol):
    """Anything with the three arrays, such as `State.packed`."""

    @property
    def triangles(self) -> npt.NDArray[Any]:
        """(m, 2): number of wrinkles that reach a triangle, and where they start in `reach`."""

    @property
    def reach(self) -> npt.NDArray[Any]:
        """(k, 2): first and last path point, both inclusive."""

    @property
    def points(self) -> npt.NDArray[Any]:
        """(p, 16): the path points, one path after another."""


def _table(name: str, values: npt.ArrayLike, columns: int, dtype: type[np.generic]) -> npt.NDArray[Any]:
    table = np.ascontiguousarray(values, dtype=dtype)
    if table.size == 0:
        return np.zeros((0, columns), dtype=dtype)
    if table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(f"packed {name} must have shape (·, {columns}), not {table.shape}")
    return table


@dataclass(frozen=True)
class Packed:
    """Checked packed wrinkles.

    triangles (m, 2) uint32
        count and offset into `reach` of each mesh triangle.
    reach (k, 2) uint32
        first and last path point, both inclusive, of one wrinkle that reaches the triangle.
    points (p, 16) float32
        [0:3] position, [3] full width, [4:7] normal of the triangle of the segment that starts here, [7] height,
        [8:11] unit mean direction, [11] arc length from the path's start (0 starts a path), [12] width and [13] height
        half-way along the segment that starts here, [14:16] unused. Lengths in the units of the mesh.
    """

    triangles: npt.NDArray[np.uint32]
    reach: npt.NDArray[np.uint32]
    points: npt.NDArray[np.float32]

    @classmethod
    def checked(cls, packed: PackedLike, triangle_count: int) -> Self:
        """Converts and checks. Raises ValueError naming the rule and the first place that breaks it."""
        triangles = _table("triangles", packed.triangles, 2, np.uint32)
        reach = _table("reach", packed.reach, 2, np.uint32)
        points = _table("points", packed.points, POINT_COLUMNS, np.float32)
        if len(triangles) != triangle_count:
            raise ValueError(f"packed triangles must have one row a triangle ({triangle_count}), not {len(triangles)}")
        ends = triangles.astype(np.int64).sum(axis=1)
        wrong = np.flatnonzero((triangles[:, 0] > 0) & (ends > len(reach)))
        if len(wrong):
            raise ValueError(f"triangle {wrong[0]} reads packed reach up to {ends[wrong[0]]} of {len(reach)} rows")
        if not np.isfinite(points).all():
            raise ValueError(f"packed point {np.flatnonzero(~np.isfinite(points).all(axis=1))[0]} is not finite")
        wrong = np.flatnonzero((reach[:, 0] > reach[:, 1]) | (reach[:, 1] >= len(points)))
        if len(wrong):
            raise ValueError(
                f"packed reach {wrong[0]} must be first <= last < {len(points)}, not {reach[wrong[0]].tolist()}"
            )
        spans = reach[:, 1].astype(np.int64) - reach[:, 0]
        wrong = np.flatnonzero(spans > MOST_SEGMENTS)
        if len(wrong):
            raise ValueError(
                f"packed reach {wrong[0]} must span at most {MOST_SEGMENTS} segments, not {spans[wrong[0]]}"
            )
        path = np.cumsum(points[:, ARC_LENGTH] == 0.0)
        wrong = np.flatnonzero(path[reach[:, 0]] != path[reach[:, 1]]) if len(reach) else np.zeros(0, dtype=np.intp)
        if len(wrong):
            raise ValueError(f"packed reach {wrong[0]} joins two paths: {reach[wrong[0]].tolist()}")
        return cls(triangles, reach, points)

    @classmethod
    def empty(cls, triangle_count: int) -> Self:
        """No wrinkles on a mesh."""
        return cls(
            np.zeros((triangle_count, 2), dtype=np.uint32),
            np.zeros((0, 2), dtype=np.uint32),
            np.zeros((0, POINT_COLUMNS), dtype=np.float32),
        )

    @property
    def entries(self) -> npt.NDArray[np.uint32]:
        """The reach as the shaders read it (k, 2), triangle by triangle; k counts a triangle once for each of its wrinkles.

        The triangle in the low `REACH_TRIANGLE_BITS` bits and the number of segments above, then the first path point.
        """
        counts, starts = self.triangles.T.astype(np.int64)
        rows = np.repeat(starts - (np.cumsum(counts) - counts), counts) + np.arange(counts.sum())
        first, last = self.reach[rows].T
        triangles = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)
        return np.stack([triangles | (last - first) << TRIANGLE_BITS, first], axis=1)

    @property
    def segments(self) -> npt.NDArray[np.uint32]:
        """Numbers of the path segments: segment i joins points i and i + 1 of one path."""
        return np.flatnonzero(self.points[1:, ARC_LENGTH] > 0.0).astype(np.uint32)
