"""Clips from NumPy archives."""

import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucker._core import Error, Material, sources
from pucker.io.polygons import split_at_seams

_REQUIRED = ("faces", "positions")
# What zipfile and NumPy raise for bytes that are not what they should be.
_DAMAGES = (OSError, ValueError, EOFError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error)
_OPTIONAL = ("times", "uv", "materials", "material_names")


def _read(path: Path) -> dict[str, npt.NDArray[Any]]:
    if not path.exists():
        raise Error(f"{path}: no such file or folder")
    try:
        # Pickled objects could run code; none of the keys needs them.
        with path.open("rb") as file, np.lib.npyio.NpzFile(file, allow_pickle=False) as archive:
            return {key: archive[key] for key in (*_REQUIRED, *_OPTIONAL) if key in archive}
    except _DAMAGES as error:
        raise Error(f"{path}: is truncated or damaged, or no .npz: {error}") from error


def _materials(arrays: dict[str, npt.NDArray[Any]]) -> list[Material]:
    if "material_names" in arrays:
        return [Material(name=str(name)) for name in arrays["material_names"]]
    count = int(arrays["materials"].max(initial=0)) + 1 if "materials" in arrays else 1
    return [Material(name=str(k) if count > 1 else "") for k in range(count)]


def open_source(path: Path) -> sources.Source:
    """A clip stored as arrays.

    The keys, of any real dtype: `faces` (m, 3) vertex numbers; `positions` (frames, n, 3), or (n, 3) for one frame;
    and, where wanted, `times` (frames,) seconds, strictly increasing; `uv` (n, 2), or (m, 3, 2) for each corner of each
    triangle, (0, 0) in the lower left corner of the picture; `materials` (m,) whole numbers from 0, and
    `material_names` (k,) strings. Other keys are left alone.

    Raises:
        pucker.Error: If the file is missing or damaged, a key is missing, or the arrays do not fit each other.
    """
    arrays = _read(path)
    for key in _REQUIRED:
        if key not in arrays:
            raise Error(f"{path}: must hold the arrays {' and '.join(_REQUIRED)}, {key} is missing")
    positions = arrays["positions"][None] if arrays["positions"].ndim == 2 else arrays["positions"]
    if positions.ndim != 3 or positions.shape[2] != 3:
        raise Error(f"{path}: positions must have shape (frames, n, 3), got {positions.shape}")
    faces, uv = arrays["faces"], arrays.get("uv")
    try:
        if uv is not None and uv.ndim == 3:
            if uv.shape != (len(faces), 3, 2):
                raise Error(f"{path}: uv must have shape (n, 2) or ({len(faces)}, 3, 2), got {uv.shape}")
            if not np.isin(faces, np.arange(positions.shape[1])).all():
                raise Error(f"{path}: faces must name vertices in [0, {positions.shape[1]})")
            rows, faces, uv = split_at_seams(faces.astype(np.int64), uv.astype(np.float64))
            positions = positions[:, rows]
        character = sources.Character(
            positions.shape[1],
            faces,
            uv=uv,
            face_materials=arrays.get("materials"),
            materials=_materials(arrays),
        )
        return sources.from_frames(path, "npz", character, positions, arrays.get("times"))
    except ValueError as error:
        raise Error(f"{path}: {error}") from error
