"""Statistics of folds by band of wavelength: what can be compared of two surfaces whose folds lie in other places by chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
from scipy import sparse

import pucker

from .agreement import correlation, rms
from .bands import Bands
from .folds import Smoothing, fold_births

Array = npt.NDArray[np.float64]

# Pairs of coordinates whose products a symmetric tensor holds.
_PAIRS: Final = ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
# Share of the size below which how much is folded is the same everywhere but for rounding.
_EVEN: Final = 1e-9


@dataclass(frozen=True, eq=False)
class FoldPattern:
    """Folds of one surface in one band of wavelength.

    Attributes:
        size: Root mean square of the heights.
        slope: Root mean square of their gradient, which has no unit.
        amount: (frames, n) mean square of the heights round each vertex, averaged over the band's longest wave.
        axes: (frames, n, 2) main axis of the gradients there as (cos 2α, sin 2α) of its angle α in the vertex's tangent plane, times
            (λ₁ − λ₂) / (λ₁ + λ₂) of ∇h ∇hᵀ averaged likewise: of length 1 where all folds are parallel, 0 where they go all ways.
        steepness: (frames, n) mean square of the gradient there.
        births: Folds in a frame that were not there in the frame before, as `fold_births` of those higher than `size`.
        areas: (n,) area that each vertex stands for.
    """

    size: float
    slope: float
    amount: Array
    axes: Array
    steepness: Array
    births: float
    areas: Array


@dataclass(frozen=True)
class BandStatistics:
    """How alike two surfaces fold in one band of wavelength, wherever each fold lies.

    Attributes:
        size: Root mean square of the heights over the truth's; over all bands, the spectrum.
        slope: That of their gradient over the truth's; slope over size is how much shorter the waves are.
        direction: Degrees between the folds of the one and of the other in the same places, mean over frames and area, weighted by the
            truth's steepness and by how parallel its folds are; 45 for folds that know nothing of them, NaN where either has none.
        where: Correlation over the surface of how much is folded where, √`amount`, mean over frames; 0 for a surface that has
            no folds or as many everywhere, NaN for such a truth.
        births: New folds a frame over the truth's, with one added to both.
    """

    size: float
    slope: float
    direction: float
    where: float
    births: float


class FoldPatterns:
    """Reads the patterns of folds over one surface, in all bands but that of the longest waves, which has no longest one."""

    def __init__(self, faces: npt.ArrayLike, positions: npt.ArrayLike, bands: Bands) -> None:
        """The surface, `faces` (m, 3) and `positions` (n, 3), is the one that lengths are measured on: that of `bands`.

        Raises ValueError for another number of vertices than `bands` has.
        """
        self._faces = np.ascontiguousarray(faces, dtype=np.int64)
        points = np.asarray(positions, dtype=np.float64)
        if points.shape != (len(bands.areas), 3):
            raise ValueError(f"positions must be ({len(bands.areas)}, 3), those of the bands, not {points.shape}")
        self._bands = bands
        self._gradients, areas = _gradients(self._faces, points)
        count = len(points)
        corners = (self._faces.ravel(), np.repeat(np.arange(len(self._faces)), 3))
        thirds = sparse.coo_matrix((np.repeat(areas / 3.0, 3), corners), shape=(count, len(areas)))
        # What is at triangles, averaged over those round each vertex.
        self._round = sparse.diags(1.0 / np.where(bands.areas > 0.0, bands.areas, 1.0)) @ thirds.tocsr()
        normals = pucker.vertex_normals(pucker.Mesh(self._faces, count), points)
        self._tangents = _tangents(normals)
        self._smoothings = [Smoothing(self._faces, points, float(cutoff)) for cutoff in bands.cutoffs]

    def __call__(self, heights: npt.ArrayLike) -> list[FoldPattern]:
        """Of heights (frames, n), from the shortest waves on; as many as the bands have cut-offs.

        Raises ValueError for another shape.
        """
        found = np.asarray(heights, dtype=np.float64)
        if found.ndim != 2:
            raise ValueError(f"heights must be (frames, {len(self._bands.areas)}), not {found.shape}")
        split = self._bands(found)[:-1]
        return [self._pattern(band, smoothing) for band, smoothing in zip(split, self._smoothings, strict=True)]

    def _pattern(self, heights: Array, smoothing: Smoothing) -> FoldPattern:
        areas, frames = self._bands.areas, len(heights)
        slopes = np.einsum("tcd,ftc->dft", self._gradients, heights[:, self._faces])
        products = np.stack([slopes[i] * slopes[j] for i, j in _PAIRS])
        at_vertices = (self._round @ products.reshape(len(_PAIRS) * frames, -1).T).T
        read = smoothing(np.concatenate([at_vertices, np.square(heights)]).T).T
        tensors, amount = read[: len(at_vertices)].reshape(len(_PAIRS), frames, -1), read[len(at_vertices) :]
        axes, steepness = self._axes(tensors)
        size = rms(heights, areas)
        return FoldPattern(
            size,
            float(
                np.sqrt(
                    max(at_vertices.reshape(tensors.shape)[[0, 3, 5]].sum(axis=0).mean(axis=0) @ areas, 0.0)
                    / areas.sum()
                )
            ),
            np.maximum(amount, 0.0),
            axes,
            steepness,
            float(fold_births(self._faces, heights, size)[1:].mean()) if size > 0.0 and frames > 1 else 0.0,
            areas,
        )

    def _axes(self, tensors: Array) -> tuple[Array, Array]:
        """What `FoldPattern` says of axes and steepness, of tensors (6, frames, n)."""
        full = np.empty((3, 3, *tensors.shape[1:]))
        for (i, j), values in zip(_PAIRS, tensors, strict=True):
            full[i, j] = full[j, i] = values
        one, other = self._tangents
        uu, uv, vv = (
            np.einsum("nd,defn,ne->fn", a, full, b, optimize=True)
            for a, b in ((one, one), (one, other), (other, other))
        )
        steepness = uu + vv
        turned = np.stack([uu - vv, 2.0 * uv], axis=-1)
        safe = np.where(steepness > 0.0, steepness, 1.0)
        return np.where(steepness[..., None] > 0.0, turned / safe[..., None], 0.0), np.maximum(steepness, 0.0)


def band_statistics(found: Sequence[FoldPattern], truth: Sequence[FoldPattern]) -> list[BandStatistics]:
    """How alike patterns of one `FoldPatterns` are, band by band, of as many frames.

    NaN in a band in which the truth has nothing. Raises ValueError for patterns of other frames, vertices or bands.
    """
    if len(found) != len(truth):
        raise ValueError(f"patterns must be of as many bands, not of {len(found)} and {len(truth)}")
    rows = []
    for one, other in zip(found, truth, strict=True):
        if one.amount.shape != other.amount.shape:
            raise ValueError(
                f"patterns must be of the same frames and vertices, not {one.amount.shape} and {other.amount.shape}"
            )
        rows.append(
            BandStatistics(
                one.size / other.size if other.size > 0.0 else float("nan"),
                one.slope / other.slope if other.slope > 0.0 else float("nan"),
                _direction(one, other),
                _where(one, other),
                (1.0 + one.births) / (1.0 + other.births),
            )
        )
    return rows


def _direction(one: FoldPattern, other: FoldPattern) -> float:
    parallel = np.linalg.norm(other.axes, axis=-1)
    weights = other.steepness * parallel * other.areas * (np.linalg.norm(one.axes, axis=-1) > 0.0)
    if not weights.sum() > 0.0:
        return float("nan")
    (a, b), (c, d) = np.moveaxis(one.axes, -1, 0), np.moveaxis(other.axes, -1, 0)
    # Angles of axes, which are doubled.
    apart = 0.5 * np.abs(np.arctan2(a * d - b * c, a * c + b * d))
    return float(np.degrees((weights * apart).sum() / weights.sum()))


def _where(one: FoldPattern, other: FoldPattern) -> float:
    shares = other.areas / other.areas.sum()
    amounts = [np.sqrt(each.amount) for each in (one, other)]
    rows = []
    for mine, true in zip(*(each - (each @ shares)[:, None] for each in amounts), strict=True):
        spread = [rms(each[None], shares) for each in (mine, true)]
        if not spread[1] > _EVEN * other.size:
            continue
        even = not spread[0] > _EVEN * max(one.size, np.finfo(float).tiny)
        rows.append(0.0 if even else correlation(mine[None], true[None], shares))
    return float(np.mean(rows)) if rows else float("nan")


def _gradients(faces: npt.NDArray[np.int64], points: Array) -> tuple[Array, Array]:
    """Of each corner's hat function in each triangle, (m, 3, 3), 0 in those without area, and their areas (m,)."""
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    squares = np.einsum("td,td->t", normals, normals)
    opposite = corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]]
    safe = np.where(squares > 0.0, squares, 1.0)[:, None, None]
    hats = np.cross(normals[:, None], opposite) / safe
    return np.where(squares[:, None, None] > 0.0, hats, 0.0), 0.5 * np.sqrt(squares)


def _tangents(normals: Array) -> tuple[Array, Array]:
    """Two unit vectors (n, 3) each across the normals and each other."""
    least = np.eye(3)[np.abs(normals).argmin(axis=1)]
    one = np.cross(normals, least)
    lengths = np.linalg.norm(one, axis=1, keepdims=True)
    one = one / np.where(lengths > 0.0, lengths, 1.0)
    return one, np.cross(normals, one)
