"""What differs over a garment, from a picture in its texture coordinates or one number a vertex."""

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Error
from pucker._core import vertex_factors as _factors
from pucker.io.limits import Limits
from pucker.io.pictures import opened

Floats = npt.NDArray[np.float64]


def vertex_factors(path: str | os.PathLike[str], clip: Clip, what: str) -> Floats:
    """What a quantity is multiplied with at each vertex, (n,); `what` names it in messages.

    An .npy holds the numbers themselves. A picture is read at the texture coordinates of the vertex, bilinearly between
    the middles of its pixels, white as 1; where the texture has a seam it is the mean of both sides.

    Raises:
        OSError: For a file that cannot be opened.
        pucker.Error: For a file that is neither.
        ValueError: For numbers of another count, a picture for a clip without texture coordinates, and factors that are not finite
            and above 0, naming the vertex.
    """
    with Path(path).open("rb"):
        pass
    name = os.fspath(path)
    return _factors(name, what, clip, None if name.endswith(".npy") else _grey_values(name))


def _grey_values(path: str) -> Floats:
    """Of a picture, (rows, columns), white as 1."""
    limits = Limits.from_environment()
    limits.check_size(Path(path))
    try:
        picture = opened(Path(path).read_bytes(), limits)
        # 16 bits and floating point as they are; eight bits would lose them, and what is no number.
        white = 65535.0 if picture.mode.startswith("I") else 1.0 if picture.mode == "F" else 255.0
        if white == 255.0:
            # Pillow warns of palettes whose transparency is left out.
            picture = (picture.convert("RGBA") if picture.mode == "P" else picture).convert("L")
    except Exception as error:  # Pillow raises whatever the bytes lead it to
        raise Error(f"{path} is no picture: {error}") from error
    return np.asarray(picture, dtype=np.float64) / white
