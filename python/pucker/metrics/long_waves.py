"""What a truth keeps of simulated cloth: its long waves, in 16 bits."""

from typing import Final

import numpy as np
import numpy.typing as npt

from .bands import Bands

Array = npt.NDArray[np.float64]

_STEPS: Final = 32767


def rounding_step(away: Array) -> float:
    """What numbers are multiples of, so that 16 bits hold each."""
    largest = float(np.abs(away).max(initial=0.0))
    return largest / _STEPS if largest > 0.0 else 1.0


def low_pass(faces: npt.ArrayLike, rest: npt.ArrayLike, shortest: float, vectors: npt.ArrayLike) -> Array:
    """Vectors (frames, N, 3) at the vertices of a surface without the waves that are shorter than `shortest`, of which half is kept.

    `faces` (m, 3) and `rest` (N, 3) are the surface on which lengths are measured. Raises ValueError as `Bands` does.
    """
    columns = np.moveaxis(np.asarray(vectors, dtype=np.float64), 2, 0)
    return np.moveaxis(Bands(faces, rest, [shortest])(columns)[1], 0, 2)
