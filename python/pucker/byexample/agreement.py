"""How much of a garment's true detail another detail has."""

import numpy as np
import numpy.typing as npt

import pucker

from .trained import Floats
from .training import vertex_shares


def correlation(
    found: npt.ArrayLike, truth: npt.ArrayLike, shares: npt.ArrayLike, *, mean: npt.ArrayLike | None = None
) -> float:
    """Correlation of two details (frames, N, 3) over all frames, <f, t> / (|f| |t|), in [-1, 1].

    The product is the sum over frames and vertices of their inner products, weighted by `shares` (N,) of the area. Of two
    takes of one simulation it is the ceiling of what can be foretold. With `mean` (N, 3), the training frames' mean, that is
    taken from both first: what is left is the part that depends on the pose.

    Raises ValueError for shapes that do not fit each other, and a detail that is zero.
    """
    details = [np.asarray(each, dtype=np.float64) for each in (found, truth)]
    weights = np.asarray(shares, dtype=np.float64)
    if details[0].shape != details[1].shape or details[0].shape[1:] != (len(weights), 3):
        raise ValueError(
            f"details must be two of shape (frames, {len(weights)}, 3), not {details[0].shape} and {details[1].shape}"
        )
    if mean is not None:
        details = [each - np.asarray(mean, dtype=np.float64) for each in details]
    sizes = [rms(each, weights) for each in details]
    if min(sizes) == 0.0:
        raise ValueError("a detail that is zero correlates with nothing")
    product = np.einsum("v,fvi,fvi->", weights, *details) / (weights.sum() * len(details[0]))
    return float(product / (sizes[0] * sizes[1]))


def rms(detail: npt.ArrayLike, shares: npt.ArrayLike) -> float:
    """Root mean square length of a detail (frames, N, 3), weighted by `shares` (N,) of the area."""
    values, weights = np.asarray(detail, dtype=np.float64), np.asarray(shares, dtype=np.float64)
    return float(np.sqrt(np.einsum("v,fvi,fvi->", weights, values, values) / (weights.sum() * len(values))))


def smoothed(mesh: "pucker.Mesh", values: npt.ArrayLike, shares: npt.ArrayLike, rounds: int) -> Floats:
    """Values (N,) of vertices, `rounds` times replaced by the mean of each and its neighbours, weighted by `shares`."""
    found, weights = np.asarray(values, dtype=np.float64), np.asarray(shares, dtype=np.float64)
    ends = np.concatenate([mesh.edges, mesh.edges[:, ::-1]])
    total = weights + np.bincount(ends[:, 0], weights[ends[:, 1]], minlength=len(weights))
    for _ in range(rounds):
        products = weights * found
        found = (products + np.bincount(ends[:, 0], products[ends[:, 1]], minlength=len(weights))) / total
    return found


__all__ = ["correlation", "rms", "smoothed", "vertex_shares"]
