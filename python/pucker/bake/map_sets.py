"""Sets of maps: the texels of each material's triangles, what is evaluated there, and files of pictures."""

import struct
import zlib
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import did_you_mean
from pucker.bake.atlas import Atlas, VertexTangents
from pucker.bake.clip import surface
from pucker.bake.unwrap import unwrapped
from pucker.bake.write.exr import write_exr
from pucker.bake.write.textures import plain_name
from pucker.dynamic.packed import Packed
from pucker.method import Detail

Kind = Literal["normal", "height"]
KINDS: Final = ("normal", "height")
_SPACES: Final = ("tangent", "object")
_OVERLAPS: Final = ("unwrap", "refuse", "first")
UNWRAPPED: Final = "unwrapped.glb"

_Floats = npt.NDArray[np.float64]


def write_png(path: Path, values: _Floats, kind: str = ">u2") -> None:
    """Numbers in [0, 1], (h, w) or (h, w, 3), as 16 bits, or 8 of kind "u1"."""
    height, width = values.shape[:2]
    stored = np.dtype(kind)
    words = np.rint(np.iinfo(stored).max * np.clip(values, 0.0, 1.0)).astype(stored).reshape(height, -1)
    # Each row begins with the number of its filter: none.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), words.view(np.uint8)], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 8 * stored.itemsize, 0 if values.ndim == 2 else 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, content in chunks:
            file.write(struct.pack(">I", len(content)) + name + content)
            file.write(struct.pack(">I", zlib.crc32(name + content)))


WRITERS: Final[dict[str, Callable[[Path, _Floats], None]]] = {"png": write_png, "exr": write_exr}


class MapSet:
    """The maps of the triangles of one material."""

    def __init__(self, clip: "pucker.Clip", atlas: Atlas, prefix: str) -> None:
        self.atlas = atlas
        self.prefix = prefix
        self._tangents = VertexTangents(clip)

    def evaluate(self, positions: _Floats, detail: Detail, space: str, kinds: Sequence[str]) -> dict[str, _Floats]:
        """The texels of a frame whose vertices are at `positions`: heights (k,), normals (k, 3)."""
        atlas = self.atlas
        points = detail.evaluate(atlas.triangles, atlas.barycentrics)
        found: dict[str, _Floats] = {}
        if "height" in kinds:
            found["height"] = points.offsets
        if "normal" in kinds:
            found["normal"] = points.normals
            if space == "tangent":
                frames = self._tangents.at(positions, atlas.triangles, atlas.barycentrics)
                found["normal"] = frames.coordinates_of(points.normals)
        return found


def check(kinds: Sequence[str], space: str, overlap: str, file_format: str, size: int, padding: int) -> None:
    """Raises ValueError for what none of these may be, and pucker.Error if a package for the format is missing."""
    for name, value, allowed in (
        ("space", space, _SPACES),
        ("overlap", overlap, _OVERLAPS),
        ("file_format", file_format, tuple(WRITERS)),
    ):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}{did_you_mean(value, allowed)}")
    unknown = [kind for kind in kinds if kind not in KINDS]
    if unknown or not kinds:
        guess = did_you_mean(unknown[0], KINDS) if unknown else ""
        raise ValueError(f"maps must be some of {', '.join(KINDS)}, not {', '.join(kinds) or 'none'}{guess}")
    if not 1 <= size <= 16384:
        raise ValueError(f"a map must be at least 1 and at most 16384 texels wide, not {size}")
    if padding < 0:
        raise ValueError(f"padding must be at least 0 texels, not {padding}")
    if file_format == "exr" and find_spec("OpenEXR") is None:
        raise pucker.Error("maps as exr need OpenEXR: install the extra pucker[io]")


def _map_sets(clip: "pucker.Clip", size: int, padding: int, overlap: str) -> dict[str, MapSet]:
    """The sets of maps by the names of their materials."""
    if len(clip.uv) == 0:
        raise ValueError(f"maps need texture coordinates, and {clip.name or 'the clip'} has none")
    used = np.unique(clip.materials)
    sets: dict[str, MapSet] = {}
    for number in used:
        material = clip.material_list[number]
        name = plain_name(material.name, f"material_{number}")
        name = name if name not in sets else f"{name}_{number}"
        chosen = np.flatnonzero(clip.materials == number)
        atlas = Atlas(clip.uv[clip.stored_faces], chosen, size, padding=padding, refuse_overlap=overlap != "first")
        sets[name] = MapSet(clip, atlas, f"{name}_" if len(used) > 1 else "")
    return sets


def fitting(
    clip: "pucker.Clip", size: int, padding: int, overlap: str
) -> tuple["pucker.Clip", dict[str, MapSet], str | None]:
    """The clip with texture coordinates that hold maps, the sets, and why it has others than its own if it has."""
    try:
        return clip, _map_sets(clip, size, padding, overlap), None
    except ValueError as error:
        if overlap != "unwrap":
            raise
        reason = str(error)
    other = unwrapped(clip, size, padding)
    return other, _map_sets(other, size, padding, overlap), reason


def write_unwrapped(clip: "pucker.Clip", path: Path) -> None:
    """Writes the coarse clip, so that there is something to lay the maps on."""
    count = len(clip.faces)
    flat = Packed(np.zeros((count, 2), np.uint32), np.zeros((0, 2), np.uint32), np.zeros((0, 16), np.float32))
    surface(clip, path, states=[flat] * len(clip), levels=1)
