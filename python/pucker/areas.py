"""Areas of triangles, and what of them each vertex stands for."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def triangle_areas(faces: npt.ArrayLike, positions: npt.ArrayLike) -> Array:
    """Area of each of the triangles `faces` (m, 3) over `positions` (n, 3), (m,)."""
    corners = np.asarray(positions, dtype=np.float64)[np.asarray(faces)]
    x, y, z = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]).T
    # A square of what is as large would overflow.
    found: Array = 0.5 * np.hypot(np.hypot(x, y), z)
    return found


def vertex_areas(faces: npt.ArrayLike, positions: npt.ArrayLike) -> Array:
    """A third of the area of the triangles round each vertex, (n,)."""
    thirds = np.repeat(triangle_areas(faces, positions) / 3.0, 3)
    return np.bincount(np.ravel(faces), thirds, minlength=len(np.asarray(positions))).astype(np.float64)


def vertex_shares(faces: npt.ArrayLike, positions: npt.ArrayLike) -> Array:
    """Share of the whole area that each vertex stands for, (n,)."""
    areas = vertex_areas(faces, positions)
    found: Array = areas / areas.sum()
    return found
