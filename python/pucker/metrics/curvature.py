"""Curvature of triangle meshes, by libigl, and how differently it is distributed on two of them."""

from dataclasses import dataclass

import igl
import numpy as np
import numpy.typing as npt
from scipy.stats import wasserstein_distance

from pucker.areas import vertex_areas

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Curvature:
    """Curvature at the vertices of a mesh.

    Attributes:
        largest: (n,) larger principal curvature, 1/length; positive where the surface is convex seen from outside.
        smallest: (n,) smaller principal curvature.
        along: (n, 3) unit tangents along the fold: the direction of the principal curvature of smaller magnitude; zero
            where it has none, as on a flat surface.
        areas: (n,) area that each vertex stands for; 0, like the others, where no curvature could be fitted.
    """

    largest: Array
    smallest: Array
    along: Array
    areas: Array

    @property
    def mean(self) -> Array:
        """Mean curvature (κ₁ + κ₂)/2, (n,)."""
        return 0.5 * (self.largest + self.smallest)

    @property
    def curvedness(self) -> Array:
        """Curvedness √((κ₁² + κ₂²)/2), (n,) (Koenderink and van Doorn 1992)."""
        return np.sqrt(0.5 * (np.square(self.largest) + np.square(self.smallest)))


def curvature(faces: npt.ArrayLike, positions: npt.ArrayLike, *, radius: int = 3) -> Curvature:
    """Curvature from quadrics fitted to the `radius` rings of triangles round each vertex (Panozzo et al. 2010).

    faces: (m, 3). positions: (n, 3). Raises ValueError for a radius less than 2, which no quadric can be fitted to.
    """
    if radius < 2:
        raise ValueError(f"radius must be at least 2 rings, not {radius}")
    triangles = np.ascontiguousarray(faces, dtype=np.int64)
    points = np.ascontiguousarray(positions, dtype=np.float64)
    largest, smallest, areas = np.zeros((3, len(points)))
    along = np.zeros_like(points)
    kept = _with_normals(triangles, points)
    if kept.any():
        used, renumbered = np.unique(triangles[kept], return_inverse=True)
        high, low, large, small, bad = igl.principal_curvature(
            points[used], renumbered.reshape(-1, 3).astype(np.int64), radius, True
        )
        axes = np.where((np.abs(large) <= np.abs(small))[:, None], high, low)
        axes[~np.isclose(np.linalg.norm(axes, axis=1), 1.0)] = 0.0
        fitted = np.isfinite(large) & np.isfinite(small)
        fitted[np.asarray(bad, dtype=np.intp)] = False
        numbers = used[fitted]
        largest[numbers], smallest[numbers], along[numbers] = large[fitted], small[fitted], axes[fitted]
        areas[numbers] = vertex_areas(triangles, points)[numbers]
    return Curvature(largest, smallest, along, areas)


def _with_normals(triangles: npt.NDArray[np.int64], points: Array) -> npt.NDArray[np.bool_]:
    """Which triangles (m,) are left when all vertices are taken away whose triangles have no area or cancel each other.

    libigl ends the process where it finds no normal to fit along.
    """
    kept = np.ones(len(triangles), dtype=bool)
    while kept.any():
        normals = igl.per_vertex_normals(points, triangles[kept])
        lengths = np.linalg.norm(normals, axis=1)
        with_normal = np.isfinite(lengths) & (lengths > 0.5)
        lost = kept & ~with_normal[triangles].all(axis=1)
        if not lost.any():
            break
        kept &= ~lost
    return kept


def curvature_histogram(values: npt.ArrayLike, areas: npt.ArrayLike, edges: npt.ArrayLike) -> Array:
    """Share of the area whose curvature falls into each bin, (k,), for bin `edges` (k + 1,).

    Values beyond the edges fall into no bin, so that the shares may sum to less than 1.
    """
    weights = np.asarray(areas, dtype=np.float64)
    counts, _ = np.histogram(values, bins=np.asarray(edges, dtype=np.float64), weights=weights / weights.sum())
    return counts


def curvature_distance(
    values: npt.ArrayLike, areas: npt.ArrayLike, other_values: npt.ArrayLike, other_areas: npt.ArrayLike
) -> float:
    """Wasserstein distance of two distributions of curvature over area, 1/length, without binning.

    The integral of `|F(κ) − G(κ)|` over κ, for the shares F and G of either area with a curvature of at most κ: how far
    curvature would have to be moved, on average over the area, to turn one distribution into the other. Raises
    ValueError where no area is left to compare.
    """
    for weights in (areas, other_areas):
        if not np.sum(weights) > 0.0:
            raise ValueError("curvature could be fitted nowhere on the surface: all of its triangles are degenerate")
    return float(wasserstein_distance(values, other_values, areas, other_areas))
