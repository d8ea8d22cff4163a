"""Rotations as unit quaternions."""

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def quaternions(turn: Floats) -> Floats:
    """Of rotations (…, 3, 3): (…, 4), real part first, of either sign."""
    # The quaternion is the eigenvector of the largest eigenvalue of this matrix (Bar-Itzhack 2000), whatever the angle.
    x, y, z = turn[..., 0, :], turn[..., 1, :], turn[..., 2, :]
    rows = np.empty((*turn.shape[:-2], 4, 4))
    rows[..., 0, 0] = x[..., 0] + y[..., 1] + z[..., 2]
    rows[..., 0, 1] = rows[..., 1, 0] = z[..., 1] - y[..., 2]
    rows[..., 0, 2] = rows[..., 2, 0] = x[..., 2] - z[..., 0]
    rows[..., 0, 3] = rows[..., 3, 0] = y[..., 0] - x[..., 1]
    rows[..., 1, 1] = x[..., 0] - y[..., 1] - z[..., 2]
    rows[..., 1, 2] = rows[..., 2, 1] = x[..., 1] + y[..., 0]
    rows[..., 1, 3] = rows[..., 3, 1] = x[..., 2] + z[..., 0]
    rows[..., 2, 2] = y[..., 1] - x[..., 0] - z[..., 2]
    rows[..., 2, 3] = rows[..., 3, 2] = y[..., 2] + z[..., 1]
    rows[..., 3, 3] = z[..., 2] - x[..., 0] - y[..., 1]
    found: Floats = np.linalg.eigh(rows)[1][..., -1]
    return found


def rotations(quaternion: Floats) -> Floats:
    """Of unit quaternions (…, 4), real part first: rotations (…, 3, 3)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
