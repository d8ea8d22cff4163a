"""NumPy archives: written to the same bytes whenever, read within limits; clips from them."""

import math
import os
import zipfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucker._core import Error, Material, sources
from pucker.io.files import replacing
from pucker.io.limits import Limits
from pucker.io.polygons import split_at_seams

_REQUIRED = ("faces", "positions")
# Of what is unpacked: read, converted, kept.
_COPIES = 3
_MOST_MATERIALS = 256
_OPTIONAL = ("times", "uv", "materials", "material_names")


def _array(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> npt.NDArray[Any]:
    """An array whose header claims no more than its entry holds: NumPy takes the memory before it reads."""
    with archive.open(entry) as stream:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, _, dtype = header(stream)
        claimed, held = math.prod(shape) * dtype.itemsize, entry.file_size - stream.tell()
        if claimed != held:
            raise ValueError(f"{entry.filename} claims {claimed} bytes for shape {shape} and holds {held}")
    with archive.open(entry) as stream:
        # Pickled objects could run code; none of the keys needs them.
        array: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
        return array


def _check_size(unpacked: int, limits: Limits) -> None:
    if unpacked * _COPIES > limits.memory:
        raise ValueError(f"unpacks to {unpacked} bytes, which with what is made of them is too much; {limits.told}")


def arrays_of(
    path: Path, limits: Limits | None = None, names: Collection[str] | None = None
) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an archive by their names, without pickled objects: all, or those of `names` that are there.

    Raises:
        pucker.Error: If the file is missing or damaged, is no archive of arrays, or unpacks to more than the limit of memory.
    """
    limits = limits or Limits.from_environment()
    if not path.exists():
        raise Error(f"{path}: no such file or folder")
    try:
        with zipfile.ZipFile(path) as archive:
            entries = {entry.filename.removesuffix(".npy"): entry for entry in archive.infolist()}
            wanted = {name: entry for name, entry in entries.items() if names is None or name in names}
            _check_size(sum(entry.file_size for entry in wanted.values()), limits)
            return {name: _array(archive, entry) for name, entry in wanted.items()}
    except Exception as error:  # zipfile and NumPy raise whatever the bytes lead them to
        raise Error(f"{path}: is truncated or damaged, or no .npz: {error}") from error


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, Any], *, compressed: bool = False) -> None:
    """Writes an archive of arrays by their names, atomically; the same arrays make the same bytes.

    Raises:
        ValueError: For arrays of Python objects.
        WriteError: If the file cannot be written.
    """
    kind = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with replacing(path) as temporary, zipfile.ZipFile(temporary, "w", kind) as archive:
        for name, values in arrays.items():
            # Without a date of its own an entry has the earliest, where `numpy.savez` notes the time of writing.
            entry = zipfile.ZipInfo(f"{name}.npy")
            entry.compress_type = kind
            with archive.open(entry, "w", force_zip64=True) as stream:
                np.lib.format.write_array(stream, np.asanyarray(values), allow_pickle=False)


def _materials(arrays: dict[str, npt.NDArray[Any]]) -> list[Material]:
    if "material_names" in arrays:
        return [Material(name=str(name)) for name in arrays["material_names"]]
    count = int(arrays["materials"].max(initial=0)) + 1 if "materials" in arrays else 1
    return [Material(name=str(k) if count > 1 else "") for k in range(count)]


def _few_materials(arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Numbers of materials must not be larger than there can be a use for: each makes one."""
    if "materials" in arrays and "material_names" not in arrays:
        largest, most = arrays["materials"].max(initial=0), max(len(arrays["faces"]), _MOST_MATERIALS)
        if not largest < most:
            raise ValueError(f"numbers of materials without names must be less than {most}, got {largest}")


def open_source(path: Path, *, limits: Limits | None = None) -> sources.Source:
    """A clip stored as arrays.

    The keys, of any real dtype: `faces` (m, 3) vertex numbers; `positions` (frames, n, 3), or (n, 3) for one frame;
    and, where wanted, `times` (frames,) seconds, strictly increasing; `uv` (n, 2), or (m, 3, 2) for each corner of each
    triangle, (0, 0) in the lower left corner of the picture; `materials` (m,) whole numbers from 0, and
    `material_names` (k,) strings. Other keys are left alone.

    Raises:
        pucker.Error: If the file is missing or damaged, a key is missing, or the arrays do not fit each other.
    """
    limits = limits or Limits.from_environment()
    arrays = arrays_of(path, limits, (*_REQUIRED, *_OPTIONAL))
    for key in _REQUIRED:
        if key not in arrays:
            raise Error(f"{path}: must hold the arrays {' and '.join(_REQUIRED)}, {key} is missing")
    positions = arrays["positions"][None] if arrays["positions"].ndim == 2 else arrays["positions"]
    if positions.ndim != 3 or positions.shape[2] != 3:
        raise Error(f"{path}: positions must have shape (frames, n, 3), got {positions.shape}")
    if len(positions) > limits.frames:
        raise Error(f"{path}: has {len(positions)} frames, the limit of frames is {limits.frames}")
    try:
        return _source(path, arrays, positions)
    except Exception as error:  # of arrays of kinds and sizes that no one thought of
        raise Error(f"{path}: {error}") from error


def _source(path: Path, arrays: dict[str, npt.NDArray[Any]], positions: npt.NDArray[Any]) -> sources.Source:
    """The arrays as a source; raises ValueError for what does not fit."""
    _few_materials(arrays)
    faces, uv = arrays["faces"], arrays.get("uv")
    if uv is not None and uv.ndim == 3:
        if uv.shape != (len(faces), 3, 2):
            raise ValueError(f"uv must have shape (n, 2) or ({len(faces)}, 3, 2), got {uv.shape}")
        if not np.isin(faces, np.arange(positions.shape[1])).all():
            raise ValueError(f"faces must name vertices in [0, {positions.shape[1]})")
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
