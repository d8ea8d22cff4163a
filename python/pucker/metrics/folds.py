"""Measures of the folds of a surface: where they are, how wide, and how often new ones form."""

from typing import Final

import igl
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import factorized

import pucker
from pucker.areas import vertex_areas

from .straightest import StraightestLines, joined

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# Backward steps of the heat equation; of more the kernel is nearer to a Gaussian.
_STEPS: Final = 4
# A vertex of no triangle keeps its value.
_LEAST_AREA: Final = 1e-12
# How finely heights are read along a line, and how far it goes to either side.
_SAMPLES_AN_EDGE: Final = 4
_REACH: Final = 6.0
# Share of the threshold below which a fold is gone.
_GONE: Final = 0.5


class Smoothing:
    """Averages values over neighbourhoods of a surface.

    The heat equation $u_t = Δu$, run to t = width²/8 in four backward steps with the cotangent Laplacian: nearly a Gaussian
    of standard deviation width/2, however the surface is triangulated. A wave of number k is left with the share
    (1 + k² width²/32)⁻⁴, a constant as it is, and the integral over the surface is kept.

    Attributes:
        faces: (m, 3)
        positions: (n, 3)
        areas: (n,) area that each vertex stands for.
        width: As given.
    """

    def __init__(self, faces: npt.ArrayLike, positions: npt.ArrayLike, width: float) -> None:
        """Raises ValueError for a width that is not positive."""
        if not width > 0.0:
            raise ValueError(f"width must be positive, not {width}")
        self.width = width
        self.faces = np.ascontiguousarray(faces, dtype=np.int64)
        self.positions = np.ascontiguousarray(positions, dtype=np.float64)
        self.areas = vertex_areas(self.faces, self.positions)
        self._mass = np.maximum(self.areas, _LEAST_AREA * self.areas.mean())
        stiffness = -igl.cotmatrix(self.positions, self.faces)
        self._solve = factorized((sparse.diags(self._mass) + width**2 / (8 * _STEPS) * stiffness).tocsc())

    def __call__(self, values: npt.ArrayLike) -> Array:
        """Values (n,) averaged, or several side by side, (n, k)."""
        found = np.asarray(values, dtype=np.float64)
        mass = self._mass if found.ndim == 1 else self._mass[:, None]
        for _ in range(_STEPS):
            found = self._solve(mass * found)
        return found


def where(truth: npt.ArrayLike, found: npt.ArrayLike, smoothing: Smoothing) -> float:
    """Correlation over the surface of how much is folded here, in [-1, 1].

    `truth` and `found` (n,) say how much each point is folded, such as by its curvedness; both are smoothed first, over a
    width within which folds count as in the same place. NaN if either is the same everywhere.
    """
    one, other = (smoothing(each) for each in (truth, found))
    shares = smoothing.areas / smoothing.areas.sum()
    one, other = one - shares @ one, other - shares @ other
    size = float(np.sqrt((shares @ one**2) * (shares @ other**2)))
    return float(shares @ (one * other)) / size if size > 0.0 else float("nan")


def wavelength(heights: npt.ArrayLike, smoothing: Smoothing, *, lines: int = 1024) -> float:
    """Dominant wavelength of the heights (n,) of folds over a surface, across them.

    Heights are read along straightest lines (Polthier and Schmies 1998) that start where the surface is folded, across the
    folds there: along the main axis of ∇h ∇hᵀ, smoothed. Of their autocorrelation over the length of the way between two
    places, the wavelength is twice where it first is least. NaN where it never falls below 0 within six of the
    smoothing's widths: nothing is folded, or more widely than that.
    """
    values = np.asarray(heights, dtype=np.float64)
    values = values - np.average(values, weights=smoothing.areas)
    if not np.any(values):
        return float("nan")
    walk = StraightestLines(smoothing.faces, smoothing.positions)
    slopes = np.einsum("tcd,tc->td", walk.gradients, values[smoothing.faces])
    tensors = smoothed_tensors(slopes, smoothing, walk.areas)
    weights = np.trace(tensors, axis1=1, axis2=2) * walk.areas
    if not weights.sum() > 0.0:
        return float("nan")
    starts = np.searchsorted(np.cumsum(weights), (np.arange(lines) + 0.5) / lines * weights.sum())
    across = np.linalg.eigh(tensors[starts]).eigenvectors[:, :, 2]
    step = pucker.mean_edge_length(walk.mesh, smoothing.positions) / _SAMPLES_AN_EDGE
    count = int(np.ceil(_REACH * smoothing.width / step))
    ways = [walk.read(values, starts, sign * across, step, count) for sign in (-1.0, 1.0)]
    return _twice_first_least(joined(*ways), count) * step


def smoothed_tensors(slopes: Array, smoothing: Smoothing, areas: Array) -> Array:
    """∇h ∇hᵀ of each triangle (m, 3, 3), smoothed."""
    corners = smoothing.faces.ravel()
    total = np.maximum(np.bincount(corners, np.repeat(areas, 3), minlength=len(smoothing.positions)), 1e-300)
    out = np.zeros((len(slopes), 3, 3))
    for i in range(3):
        for j in range(i, 3):
            product = np.repeat(areas * slopes[:, i] * slopes[:, j], 3)
            smooth = smoothing(np.bincount(corners, product, minlength=len(total)) / total)
            out[:, i, j] = out[:, j, i] = smooth[smoothing.faces].mean(axis=1)
    return out


def _twice_first_least(samples: Array, count: int) -> float:
    """Twice the lag, in steps, of the first minimum of the autocorrelation of rows after it has fallen below 0."""
    found = np.array([np.nanmean(samples[:, lag:] * samples[:, : samples.shape[1] - lag]) for lag in range(count + 1)])
    below = np.flatnonzero(found < 0.0)
    if not len(below):
        return float("nan")
    for lag in range(max(int(below[0]), 1), count):
        before, here, after = found[lag - 1 : lag + 2]
        if here <= before and here < after:
            # The minimum of the parabola through the three.
            return float(2.0 * (lag + 0.5 * (before - after) / (before - 2.0 * here + after)))
    return float("nan")


def fold_births(faces: npt.ArrayLike, heights: npt.ArrayLike, threshold: float) -> Array:
    """Folds of each frame that were not there in the frame before, (frames,); 0 in the first frame.

    A fold is a connected part of the mesh with `heights` (frames, n) above `threshold`, or below −`threshold`. It was there
    if in the frame before any of its points was beyond half the threshold to the same side: a fold that goes on, moves on
    or parts is not born. Raises ValueError for a threshold that is not positive.
    """
    if not threshold > 0.0:
        raise ValueError(f"threshold must be positive, not {threshold}")
    frames = np.asarray(heights, dtype=np.float64)
    corners = np.asarray(faces, dtype=np.int64)
    ends = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    out = np.zeros(len(frames))
    for index in range(1, len(frames)):
        out[index] = sum(_born(ends, sign * frames[index], sign * frames[index - 1], threshold) for sign in (1.0, -1.0))
    return out


def _born(ends: Indices, now: Array, before: Array, threshold: float) -> int:
    folded = now > threshold
    links = ends[folded[ends].all(axis=1)]
    graph = sparse.coo_matrix((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(len(now), len(now)))
    parts = connected_components(graph, directed=False)[1]
    return len(np.setdiff1d(parts[folded], parts[folded & (before > _GONE * threshold)]))
