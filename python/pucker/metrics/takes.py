"""Other simulations of a truth's sheet, as folds: controls of what is told apart."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.io.npz import arrays_of, write_arrays

from .long_waves import rounding_step
from .truth import Truth

Array = npt.NDArray[np.float64]

_HEADER: Final = "pucker takes 1"
_SHOWN: Final = 60
_OF: Final = "of "


def save_takes(path: str | os.PathLike[str], folds: Mapping[str, npt.ArrayLike]) -> None:
    """Writes folds (frames, N) of other simulations of one truth, by what they are (`Reproduced.of`), as multiples of 1/32767 of the largest number.

    Raises ValueError for values that are not finite.
    """
    arrays: dict[str, Any] = {"header": _HEADER}
    for of, values in folds.items():
        found = np.asarray(values, dtype=np.float64)
        if not np.isfinite(found).all():
            raise ValueError(f"folds of {of!r} must be finite")
        step = rounding_step(found)
        arrays[f"{_OF}{of}"] = np.round(found / step).astype(np.int16)
        arrays[f"step {_OF}{of}"] = np.float64(step)
    write_arrays(path, arrays, compressed=True)


def load_takes(path: str | os.PathLike[str], truth: Truth, *, every: int) -> dict[str, Array]:
    """Folds of other simulations of a truth's sheet in every so many of its frames, by what they are.

    Raises pucker.Error for a file that is none, and for one of another truth or of other frames.
    """
    file = Path(path)
    kept = arrays_of(file)
    if str(kept.get("header", ""))[:_SHOWN] != _HEADER:
        raise pucker.Error(f"{file}: is no file of other takes")
    shape = (len(range(0, len(truth), every)), truth.mesh.vertex_count)
    found = {}
    for name, values in kept.items():
        if not name.startswith(_OF):
            continue
        step = kept.get(f"step {name}")
        if values.shape != shape or step is None or step.shape != () or not np.isfinite(step):
            raise pucker.Error(
                f"{file}: takes must be {shape}, as every {every} frames of {truth.name}, {truth.fabric}, are, not {values.shape}"
            )
        found[name.removeprefix(_OF)] = values * float(step)
    return found
