"""Patches of relief: what of a surface's heights the eye has before it at once, turned along the main compression there."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker.vectors import unit

from .folds import Smoothing
from .straightest import Indices, StraightestLines, joined

Array = npt.NDArray[np.float64]

GRID: Final = 33
"""Points of a patch in either direction."""

# Candidates drawn for each patch that is wanted: many reach over a border.
_CANDIDATES: Final = 6
# Compression that rounding cannot make.
_LEAST: Final = 1e-6
# Share of a patch over which compression is averaged.
_SMOOTHED: Final = 0.5


@dataclass(frozen=True, eq=False)
class Patches:
    """Square patches of a surface in motion, along its straightest lines.

    The middle row of a patch runs along the folds, across the main compression; every column of points is one straightest line across them, along the compression.

    Attributes:
        faces: (m, 3) triangles of the surface.
        width: Of a patch, in the unit of the cut pose.
        frames: (k,) which of the frames each patch is of.
        triangles: (k, n, n) triangle of each point; the last axis runs along the compression.
        barycentrics: (k, n, n, 3) coordinates of the points there.
        compression: (k, 2) of the surface at the middle, along the main direction and across it: one less the stretch.
    """

    faces: Indices
    width: float
    frames: Indices
    triangles: Indices
    barycentrics: Array
    compression: Array

    def __len__(self) -> int:
        """Patches."""
        return len(self.frames)

    def read(self, heights: npt.ArrayLike) -> Array:
        """Relief (k, n, n) of heights (frames, N) over the surface, in widths of a patch, without its best quadratic.

        What is longer than the patch is shape and no relief. Raises ValueError for heights that are not finite, and for too few frames.
        """
        values = np.asarray(heights, dtype=np.float64)
        if values.ndim != 2 or len(values) <= self.frames.max(initial=0) or values.shape[1] <= self.faces.max():
            raise ValueError(
                f"heights must be (frames, N) of at least {self.frames.max(initial=0) + 1} frames and {self.faces.max() + 1} vertices, not {values.shape}"
            )
        if not np.isfinite(values).all():
            raise ValueError("heights must be finite")
        corners = self.faces[self.triangles]
        at = values[self.frames[:, None, None, None], corners]
        return without_quadratic(np.einsum("kvuc,kvuc->kvu", self.barycentrics, at) / self.width)


def patches_of(
    faces: npt.ArrayLike,
    rest: npt.ArrayLike,
    positions: npt.ArrayLike,
    *,
    width: float,
    count: int,
    every: int = 1,
    seed: int = 0,
) -> Patches:
    """Places for patches on a smooth surface in motion: as often as it is compressed, wherever a whole one fits.

    Args:
        faces: (m, 3) triangles of the surface.
        rest: (N, 3) vertices in the cut pose, on which lengths are measured.
        positions: (frames, N, 3) of the smooth surface, by which compression is measured.
        width: Of a patch, in the unit of `rest`.
        count: The most patches of a frame.
        every: Every how many frames patches are taken, from the first.
        seed: Chooses places among equals; the same seed gives the same patches.

    Raises:
        ValueError: For shapes that do not fit, for values that are not finite, for numbers that are not positive, and where no whole patch
            fits on the surface.
    """
    corners, cut = np.ascontiguousarray(faces, dtype=np.int64), np.ascontiguousarray(rest, dtype=np.float64)
    moved = np.asarray(positions, dtype=np.float64)
    if moved.ndim != 3 or not len(moved) or moved.shape[1:] != cut.shape:
        raise ValueError(f"positions must be (frames, {len(cut)}, 3), not {moved.shape}")
    if not (np.isfinite(moved).all() and np.isfinite(cut).all()):
        raise ValueError("positions must be finite")
    if not (0.0 < width < np.inf and count > 0 and every > 0):
        raise ValueError(f"width, count and every must be positive, not {width}, {count} and {every}")
    lines, smoothing = StraightestLines(corners, cut), Smoothing(corners, cut, _SMOOTHED * width)
    rng = np.random.default_rng(seed)
    found = []
    for frame in range(0, len(moved), every):
        strain = _smooth_strain(lines, smoothing, corners, moved[frame])
        most = _main_compression(lines, strain, corners, np.arange(len(corners)))[1][:, 0]
        ends = np.cumsum(lines.areas * np.where(most > _LEAST, most, 0.0))
        if not ends[-1] > 0.0:
            continue
        drawn = (np.arange(_CANDIDATES * count) + rng.random(_CANDIDATES * count)) / (_CANDIDATES * count)
        starts = rng.permutation(np.searchsorted(ends, drawn * ends[-1]))
        across, compression = _main_compression(lines, strain, corners, starts)
        kept, triangles, weights = _whole_grids(lines, starts, across, width, count)
        found.append((np.full(len(kept), frame), triangles, weights, compression[kept]))
    if not sum(len(each[0]) for each in found):
        raise ValueError(f"no whole patch of {width:g} fits on the surface where it is compressed")
    frames, triangles, weights, compression = (np.concatenate(each) for each in zip(*found, strict=True))
    return Patches(corners, width, frames, triangles, weights, compression)


def _smooth_strain(lines: StraightestLines, smoothing: Smoothing, faces: Indices, positions: Array) -> Array:
    """Green's strain with the sign of compression at the vertices, (n, 3, 3), smoothed: 0 where the surface keeps its lengths."""
    deformation = np.einsum("tca,tcb->tab", positions[faces], lines.gradients)
    plane = np.eye(3) - lines.normals[:, :, None] * lines.normals[:, None, :]
    strain = 0.5 * (plane - np.einsum("tab,tac->tbc", deformation, deformation))
    at_vertices = np.zeros((len(smoothing.areas), 3, 3))
    for corner in range(3):
        np.add.at(at_vertices, faces[:, corner], lines.areas[:, None, None] / 3.0 * strain)
    at_vertices /= np.maximum(smoothing.areas, np.finfo(float).tiny)[:, None, None]
    smooth = np.empty_like(at_vertices)
    for i in range(3):
        for j in range(i, 3):
            smooth[:, i, j] = smooth[:, j, i] = smoothing(at_vertices[:, i, j])
    return smooth


def _main_compression(
    lines: StraightestLines, strain: Array, faces: Indices, triangles: Indices
) -> tuple[Array, Array]:
    """At triangles: in which direction of the cut pose (k, 3) the surface is compressed most, and by how much there and across (k, 2)."""
    normals = lines.normals[triangles]
    first = unit(np.cross(normals, np.eye(3)[np.abs(normals).argmin(axis=1)]))
    frame = np.stack([first, np.cross(normals, first)], axis=1)
    here = strain[faces[triangles]].mean(axis=1)
    found, axes = np.linalg.eigh(np.einsum("kia,kab,kjb->kij", frame, here, frame))
    return np.einsum("ki,kia->ka", axes[:, :, 1], frame), 1.0 - np.sqrt(np.maximum(1.0 - 2.0 * found[:, ::-1], 0.0))


def _whole_grids(
    lines: StraightestLines, starts: Indices, across: Array, width: float, count: int
) -> tuple[Indices, Indices, Array]:
    """The first `count` places whose patch is whole: their numbers, and the points' triangles (k, n, n) and barycentrics (k, n, n, 3)."""
    half, step = GRID // 2, width / (GRID - 1)
    middles = np.full((len(starts), 3), 1.0 / 3.0)
    spine = _both_ways(lines, starts, middles, np.cross(lines.normals[starts], across), step, half)
    left = np.flatnonzero((spine[0] >= 0).all(axis=1))
    kept: list[int] = []
    triangles, weights = [np.empty((0, GRID, GRID), dtype=np.int64)], [np.empty((0, GRID, GRID, 3))]
    while len(left) and len(kept) < count:
        some, left = left[:count], left[count:]
        at = spine[0][some].reshape(-1)
        places, ways = spine[1][some].reshape(-1, 3), spine[2][some].reshape(-1, 3)
        rows = _both_ways(lines, at, places, np.cross(ways, lines.normals[at]), step, half)
        found = rows[0].reshape(-1, GRID, GRID)
        whole = np.flatnonzero((found >= 0).all(axis=(1, 2)))[: count - len(kept)]
        kept += some[whole].tolist()
        triangles.append(found[whole])
        weights.append(rows[1].reshape(-1, GRID, GRID, 3)[whole])
    return np.array(kept, dtype=np.int64), np.concatenate(triangles), np.concatenate(weights)


def _both_ways(
    lines: StraightestLines, at: Indices, weights: Array, directions: Array, step: float, half: int
) -> tuple[Indices, Array, Array]:
    """Points on lines to both sides of places, in order, with the direction of the line towards its end."""
    ahead = lines.places(at, weights, directions, step, half)
    back = lines.places(at, weights, -directions, step, half)
    whole = [
        joined(sign * getattr(back, name), getattr(ahead, name))
        for name, sign in (("triangles", 1), ("barycentrics", 1), ("directions", -1))
    ]
    return whole[0], whole[1], whole[2]


def without_quadratic(relief: Array) -> Array:
    """Relief (k, n, n) less its best quadratic."""
    row = np.linspace(-1.0, 1.0, relief.shape[-1])
    u, v = np.meshgrid(row, row)
    basis = np.stack([u * 0.0 + 1.0, u, v, u * u, u * v, v * v]).reshape(6, -1)
    unit = np.linalg.qr(basis.T).Q
    flat = relief.reshape(len(relief), -1)
    left: Array = flat - (flat @ unit) @ unit.T
    return left.reshape(relief.shape)
