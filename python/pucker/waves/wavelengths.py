"""Wavelengths that differ over a garment, from a picture in its texture coordinates or one number a vertex."""

import os
from pathlib import Path

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Error

Floats = npt.NDArray[np.float64]


def factors(path: str | os.PathLike[str], clip: Clip) -> Floats:
    """What the wavelength is multiplied with at each vertex, (n,).

    An .npy holds the numbers themselves. A picture is read at the texture coordinates of the vertex, bilinearly between
    the middles of its pixels, white as 1; where the texture has a seam it is the mean of both sides.

    Raises:
        pucker.Error: For a file that is neither.
        ValueError: For numbers of another count, a picture for a clip without texture coordinates, and factors that are not finite
            and above 0, naming the vertex.
    """
    found = _numbers(Path(path), clip) if Path(path).suffix == ".npy" else _texture(Path(path), clip)
    wrong = np.flatnonzero(~(np.isfinite(found) & (found > 0.0)))
    if len(wrong):
        raise ValueError(
            f"wavelengths must be finite and above 0, but {path} has {found[wrong[0]]:g} at vertex {wrong[0]}"
        )
    return found


def _numbers(path: Path, clip: Clip) -> Floats:
    try:
        found = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise Error(f"{path} is no .npy: {error}") from error
    if found.shape != (clip.mesh.vertex_count,) or found.dtype.kind not in "iuf":
        raise ValueError(
            f"{path} must hold a number for each of {clip.mesh.vertex_count} vertices, not {found.dtype} of shape {found.shape}"
        )
    out: Floats = found.astype(np.float64)
    return out


def _texture(path: Path, clip: Clip) -> Floats:
    from PIL import Image  # noqa: PLC0415 - of an extra

    if not len(clip.uv):
        raise ValueError(f"the clip {clip.name} has no texture coordinates, where {path} is to be read")
    try:
        with Image.open(path) as picture:
            # 16 bits and floating point as they are; eight bits would lose them, and what is no number.
            white = 65535.0 if picture.mode.startswith("I") else 1.0 if picture.mode == "F" else 255.0
            pixels = np.asarray(picture.convert("L") if white == 255.0 else picture, dtype=np.float64)
    except (OSError, Image.DecompressionBombError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise Error(f"{path} is no picture: {error}") from error
    pixels = pixels / white
    stored = clip.stored_faces.ravel()
    vertices, uv = np.unique(np.stack([clip.faces.ravel(), stored], axis=1), axis=0).T
    values = _sampled(pixels, clip.uv[uv])
    count = np.bincount(vertices, minlength=clip.mesh.vertex_count)
    sums = np.bincount(vertices, values, minlength=clip.mesh.vertex_count)
    # A vertex without a triangle has no wave.
    return np.where(count > 0, sums / np.maximum(count, 1), 1.0)


def _sampled(pixels: Floats, uv: npt.ArrayLike) -> Floats:
    """Bilinear samples (k,) of a picture (rows, columns) that repeats, at coordinates (k, 2) from the lower left corner."""
    rows, columns = pixels.shape
    at = np.asarray(uv, dtype=np.float64) * [columns, -rows] - 0.5
    low = np.floor(at)
    share = at - low
    x, y = low.astype(np.int64).T
    left, right = x % columns, (x + 1) % columns
    up, down = y % rows, (y + 1) % rows
    upper = (1.0 - share[:, 0]) * pixels[up, left] + share[:, 0] * pixels[up, right]
    lower = (1.0 - share[:, 0]) * pixels[down, left] + share[:, 0] * pixels[down, right]
    out: Floats = (1.0 - share[:, 1]) * upper + share[:, 1] * lower
    return out
