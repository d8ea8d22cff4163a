"""Surfaces of any fineness as a mesh of another can hold them."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import factorized

import pucker
from pucker.closest import closest_places

Array = npt.NDArray[np.float64]

# Points in each direction of a fine triangle that a finer surface is averaged over.
_POINTS: Final = 4


@dataclass(frozen=True, eq=False)
class Base:
    """A clip that methods run over, and where on it the points of the fine mesh are."""

    clip: pucker.Clip
    triangles: npt.NDArray[np.int64]
    barycentrics: Array
    owners: npt.NDArray[np.int64]
    """The triangle of each fine vertex."""


class Projection:
    """Finer surfaces as a fine mesh can hold them: the vertex values nearest to them in the mean over its triangles.

    So a wrinkle narrower than a fine edge is neither missed nor taken for a wide one.
    """

    def __init__(self, faces: npt.ArrayLike, flat: npt.ArrayLike) -> None:
        """Of the mesh with triangles `faces` (m, 3), whose vertices lie at `flat` (N, 3) on the coarse triangles of a clip's first frame."""
        corners = np.asarray(faces)
        self._flat = np.asarray(flat, dtype=np.float64)
        steps = (np.arange(_POINTS) + 1.0 / 3.0) / _POINTS
        across = np.array([(a, b) for a in steps for b in steps if a + b < 1.0])
        weights = np.column_stack([1.0 - across.sum(axis=1), across])
        columns = np.repeat(corners, len(weights), axis=0)
        values = np.tile(weights, (len(corners), 1))
        rows = np.repeat(np.arange(len(columns)), 3)
        shape = (len(columns), len(self._flat))
        self._hats = sparse.csr_matrix((values.ravel(), (rows, columns.ravel())), shape=shape)
        mass = (self._hats.T @ self._hats).tocsc()
        self._solve: Any = factorized(mass + 1e-12 * sparse.identity(shape[1], format="csc"))

    def over(self, clip: pucker.Clip) -> Base:
        """The points on a clip: a fine triangle may lie over an edge of it, and goes to where it is closest."""
        start = clip.positions[0]
        places = closest_places(self._hats @ self._flat, clip.faces, start)
        owners = closest_places(self._flat, clip.faces, start).triangles
        return Base(clip, places.triangles, places.barycentrics, owners)

    def __call__(self, values: npt.ArrayLike) -> Array:
        """Values (N, k) at the fine vertices from those at the points (P, k)."""
        columns = np.asarray(self._hats.T @ np.asarray(values)).reshape(self._hats.shape[1], -1)
        return np.stack([self._solve(column) for column in columns.T], axis=1)
