"""Lengths taken off vectors."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
UP = (0.0, 1.0, 0.0)


def unit(vectors: Floats, otherwise: npt.ArrayLike = 0.0) -> Floats:
    """Unit vectors along vectors (…, d); `otherwise`, which broadcasts to (…, d), for those without a length."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found = np.empty_like(vectors)
    found[...] = otherwise
    np.divide(vectors, lengths, out=found, where=lengths > 0.0)
    return found


def up_where_zero(normals: Floats) -> Floats:
    """Normals (n, 3), where they are zero, as of vertices without area, (0, 1, 0)."""
    return np.where((normals == 0.0).all(axis=1)[:, None], UP, normals)
