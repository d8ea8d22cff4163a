"""How much of the true detail another detail has."""

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


def correlation(
    found: npt.ArrayLike, truth: npt.ArrayLike, shares: npt.ArrayLike, *, mean: npt.ArrayLike | None = None
) -> float:
    """Correlation of two details over all frames, the cosine of the angle between them, in [-1, 1].

    Details are heights (frames, N) or displacements (frames, N, 3). The product is the sum over frames and points of their
    inner products, weighted by `shares` (N,) of the area. Of two takes of one simulation it is the ceiling of what can be
    predicted. With `mean`, (N,) or (N, 3), such as that of the frames that were learned from, that is taken from both first:
    what is left is the part that depends on the pose.

    Raises ValueError for shapes that do not fit each other, and a detail that is zero.
    """
    details = [np.asarray(each, dtype=np.float64) for each in (found, truth)]
    weights = np.asarray(shares, dtype=np.float64)
    shape = details[0].shape
    if shape != details[1].shape or shape[1:] not in ((len(weights),), (len(weights), 3)):
        raise ValueError(
            f"details must be two of shape (frames, {len(weights)}) or (frames, {len(weights)}, 3), not {shape} and {details[1].shape}"
        )
    if mean is not None:
        details = [each - np.asarray(mean, dtype=np.float64) for each in details]
    sizes = [rms(each, weights) for each in details]
    if min(sizes) == 0.0:
        raise ValueError("a detail that is zero correlates with nothing")
    product = np.einsum("v,fvi,fvi->", weights, *map(_columns, details)) / (weights.sum() * shape[0])
    return float(product / (sizes[0] * sizes[1]))


def rms(detail: npt.ArrayLike, shares: npt.ArrayLike) -> float:
    """Root mean square size of a detail, (frames, N) or (frames, N, 3), weighted by `shares` (N,) of the area."""
    values, weights = _columns(np.asarray(detail, dtype=np.float64)), np.asarray(shares, dtype=np.float64)
    return float(np.sqrt(np.einsum("v,fvi,fvi->", weights, values, values) / (weights.sum() * len(values))))


def _columns(detail: Array) -> Array:
    return detail.reshape(*detail.shape[:2], -1)
