"""The numbers of a glTF file, however it stores them: packed by meshopt or Draco, quantised, sparse."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker.extras import needing
from pucker.io.gltf_file import GltfFile

_Numbers = npt.NDArray[Any]

FLOAT: Final = 5126
UNSIGNED_INT: Final = 5125
KINDS: Final = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", UNSIGNED_INT: "<u4", FLOAT: "<f4"}
WIDTHS: Final = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
DRACO: Final = "KHR_draco_mesh_compression"


class Numbers:
    """The accessors of a file; reading raises ValueError, KeyError, IndexError or TypeError where they make no sense."""

    def __init__(self, file: GltfFile) -> None:
        self._file = file
        self._drawn: dict[int, Any] = {}

    def entry(self, number: Any) -> dict[str, Any]:
        """What the tree says of an accessor."""
        if not isinstance(number, int) or number < 0:
            raise ValueError(f"accessors are numbered from 0, got {number!r}")
        found: dict[str, Any] = self._file.tree["accessors"][number]
        return found

    def stored(self, number: int) -> _Numbers:
        """As stored, (count, width)."""
        entry = self.entry(number)
        kind, width, count = np.dtype(KINDS[entry["componentType"]]), WIDTHS[entry["type"]], int(entry["count"])
        limits = self._file.limits
        if count < 0 or count * width * kind.itemsize > limits.memory:
            raise ValueError(f"accessor {number} has {count} rows of {width} numbers; {limits.told}")
        if entry.get("bufferView") is None:
            values = np.zeros((count, width), kind)
        else:
            values = self._rows(entry, count, width, kind, f"accessor {number}")
        if (sparse := entry.get("sparse")) is not None:
            many, places = int(sparse["count"]), sparse["indices"]
            where = self._rows(places, many, 1, np.dtype(KINDS[places["componentType"]]), f"accessor {number}")[:, 0]
            wrong = where[(where < 0) | (where >= count)]
            if len(wrong):
                raise ValueError(f"accessor {number} of {count} rows changes row {wrong[0]}")
            values[where] = self._rows(sparse["values"], many, width, kind, f"accessor {number}")
        return values

    def floats(self, number: int) -> npt.NDArray[np.float32]:
        """As they are meant, (count, width): whole numbers that are normalized lie in [-1, 1] (glTF 2.0, 3.11)."""
        return self.meant(self.stored(number), self.entry(number))

    @staticmethod
    def meant(values: _Numbers, entry: dict[str, Any]) -> npt.NDArray[np.float32]:
        """Numbers as an accessor means them."""
        if values.dtype.kind != "f" and entry.get("normalized", False):
            values = np.maximum(values / np.iinfo(values.dtype).max, -1.0)
        return np.asarray(values, np.float32)

    def drawn(self, primitive: dict[str, Any]) -> tuple[dict[str, _Numbers], _Numbers] | None:
        """The attributes that Draco packs, as stored, and the corners of triangles, (3 m,); None where it packs none."""
        packed = primitive.get("extensions", {}).get(DRACO)
        if packed is None:
            return None
        with needing("io", "a mesh that is packed by Draco"):
            import DracoPy  # noqa: PLC0415 - few files need it
        view = int(packed["bufferView"])
        if view not in self._drawn:
            try:
                self._drawn[view] = DracoPy.decode(self._file.view(view)[0])
            except Exception as error:  # it raises whatever the bytes lead it to
                raise ValueError(f"what Draco packs in view {view} cannot be read: {error}") from error
        mesh = self._drawn[view]
        attributes = {}
        for name, number in packed["attributes"].items():
            found = mesh.get_attribute_by_unique_id(number)
            if found is None:
                raise ValueError(f"attribute {name} is number {number} of view {view}, which Draco has not packed")
            attributes[name] = np.asarray(found["data"])
            if name in primitive["attributes"]:
                attributes[name] = self._as_said(attributes[name], primitive["attributes"][name])
        return attributes, np.asarray(mesh.faces, np.uint32).ravel()

    def _as_said(self, values: _Numbers, number: int) -> _Numbers:
        """Numbers of the kind that an accessor says, which Draco may hand over as a larger one."""
        kind = np.dtype(KINDS[self.entry(number)["componentType"]])
        with np.errstate(invalid="ignore"):
            found = values.astype(kind)
        if kind.kind != "f" and not np.array_equal(found, values):
            raise ValueError(
                f"accessor {number} says numbers of {kind.name}, and Draco packs others, to {values.max()}"
            )
        return found

    def _rows(self, place: dict[str, Any], count: int, width: int, kind: np.dtype[Any], whose: str) -> _Numbers:
        content, stride = self._file.view(place["bufferView"])
        start, row = int(place.get("byteOffset", 0)), width * kind.itemsize
        step = row if stride is None else int(stride)
        needed = start + (count - 1) * step + row if count else 0
        if min(start, count) < 0 or step < row or needed > len(content):
            raise ValueError(f"{whose} ends at byte {needed} of a view of {len(content)}")
        if not count:
            return np.empty((0, width), kind)
        return np.ndarray((count, width), kind, content, start, (step, kind.itemsize)).copy()
