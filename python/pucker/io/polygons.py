"""Polygons into triangles, and values at corners into values at vertices."""

import numpy as np
import numpy.typing as npt

Indices = npt.NDArray[np.int64]
Numbers = npt.NDArray[np.float64]


def fans(counts: npt.ArrayLike) -> tuple[Indices, Indices]:
    """Cuts polygons into fans of triangles about their first corners.

    Args:
        counts: (p,) corners of each polygon, at least 3; the corners lie one polygon after the other.

    Returns:
        The corners (m, 3) and the polygon (m,) of each triangle.
    """
    sizes = np.asarray(counts, np.int64)
    polygons = np.repeat(np.arange(len(sizes)), sizes - 2)
    first = (np.cumsum(sizes) - sizes)[polygons]
    before = np.cumsum(sizes - 2) - (sizes - 2)
    step = np.arange(len(polygons)) - before[polygons]
    return np.stack([first, first + step + 1, first + step + 2], axis=1), polygons


def split_at_seams(faces: npt.NDArray[np.integer], corner_uv: Numbers) -> tuple[Indices, Indices, Numbers]:
    """Gives each vertex one texture coordinate: a vertex with several becomes several stored vertices.

    Args:
        faces: (m, 3).
        corner_uv: (m, 3, 2).

    Returns:
        The vertex (N,) of each stored one, in the order of first use; the faces (m, 3) of stored vertices; their
        texture coordinates (N, 2).
    """
    corners = np.empty(faces.size, [("vertex", np.int64), ("u", np.float64), ("v", np.float64)])
    corners["vertex"] = faces.ravel()
    corners["u"], corners["v"] = (corner_uv.reshape(-1, 2) + 0.0).T  # -0.0 and 0.0 are one place
    distinct, first, inverse = np.unique(corners, return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    stored = distinct[order]
    return stored["vertex"], number[inverse].reshape(faces.shape), np.stack([stored["u"], stored["v"]], axis=1)
