"""Wavelengths that differ over a garment."""

import os

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker.vertex_factors import vertex_factors


def factors(path: str | os.PathLike[str], clip: Clip) -> npt.NDArray[np.float64]:
    """What the wavelength is multiplied with at each vertex, (n,). See `pucker.vertex_factors`, also for what it raises."""
    return vertex_factors(path, clip, "wavelengths")
