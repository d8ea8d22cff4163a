"""Numbers as a page holds them: whole ones, differences from frame to frame, in byte planes, deflated together."""

import base64
import zlib
from typing import Any, Final

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Wholes = npt.NDArray[np.int64]

# Steps of an octahedral coordinate in [-1, 1] to either side of 0: half a step is less than 0.1 degrees for normals of the
# coarse mesh, from which the frames of the fine one's vertices are made, and about 0.6 degrees for those of the fine one.
COARSE_STEPS: Final = 2047
FINE_STEPS: Final = 127


def octahedral(normals: npt.ArrayLike, steps: int) -> Wholes:
    """Unit vectors (…, 3) as points (…, 2) of the unfolded octahedron, in [-steps, steps] (Cigolle et al. 2014)."""
    unit = np.asarray(normals, dtype=np.float64)
    unit = unit / np.abs(unit).sum(axis=-1, keepdims=True)
    x, y, z = unit[..., 0], unit[..., 1], unit[..., 2]
    folded = np.stack([(1.0 - np.abs(y)) * _sign(x), (1.0 - np.abs(x)) * _sign(y)], axis=-1)
    plane = np.where((z < 0.0)[..., None], folded, unit[..., :2])
    whole: Wholes = np.rint(steps * plane).astype(np.int64)
    return whole


def unit_vectors(points: npt.ArrayLike, steps: int) -> Floats:
    """The unit vectors (…, 3) of points (…, 2) of `octahedral`."""
    plane = np.asarray(points, dtype=np.float64) / steps
    x, y = plane[..., 0], plane[..., 1]
    z = 1.0 - np.abs(x) - np.abs(y)
    over = np.maximum(-z, 0.0)
    vectors = np.stack([x - _sign(x) * over, y - _sign(y) * over, z], axis=-1)
    unit: Floats = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return unit


def _sign(values: Floats) -> Floats:
    return np.where(values < 0.0, -1.0, 1.0)


class Archive:
    """Arrays of a page under their names; archive.js takes them out again.

    Each has an entry in a table: its place in the deflated bytes, its shape, and how it is coded. "f4", "f8": floats of 32 and 64
    bits.
    "whole": whole numbers, each row as what it differs by from the row before, made positive (0, -1, 1, -2 … as 0, 1, 2,
    3 …), and the lowest bytes of all first, then the next.
    """

    def __init__(self) -> None:
        self.table: dict[str, dict[str, Any]] = {}
        self._content: list[bytes] = []
        self._length = 0

    def add_floats(self, name: str, values: npt.ArrayLike) -> None:
        """Floats of any shape, which keep 32 bits."""
        array = np.ascontiguousarray(values, dtype="<f4")
        self._add(name, array.tobytes(), array.shape, "f4", 4)

    def add_doubles(self, name: str, values: npt.ArrayLike) -> None:
        """Floats of any shape as they are."""
        array = np.ascontiguousarray(values, dtype="<f8")
        self._add(name, array.tobytes(), array.shape, "f8", 8)

    def add_wholes(self, name: str, values: npt.ArrayLike) -> None:
        """Whole numbers of any shape, whose rows, as frames, differ little; below 2^30 in size."""
        array = np.asarray(values, dtype=np.int64)
        differences = np.diff(array, axis=0, prepend=np.zeros((1, *array.shape[1:]), np.int64))
        positive = np.where(differences < 0, -2 * differences - 1, 2 * differences).astype("<u4")
        width = max(1, (int(positive.max(initial=0)).bit_length() + 7) // 8)
        planes = positive.reshape(-1, 1).view(np.uint8)[:, :width].T
        self._add(name, np.ascontiguousarray(planes).tobytes(), array.shape, "whole", width)

    def _add(self, name: str, content: bytes, shape: tuple[int, ...], coding: str, width: int) -> None:
        self.table[name] = {"at": self._length, "shape": list(shape), "coding": coding, "width": width}
        self._content.append(content)
        self._length += len(content)

    def deflated(self) -> bytes:
        """All of it."""
        return zlib.compress(b"".join(self._content), 9)

    def sizes(self) -> dict[str, int]:
        """Deflated bytes of each array alone, by name."""
        return {name: len(zlib.compress(content, 6)) for name, content in zip(self.table, self._content, strict=True)}


def as_text(content: bytes) -> str:
    """Bytes as text that HTML has no other meaning for."""
    return base64.b64encode(content).decode("ascii")
