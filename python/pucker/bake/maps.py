"""Normal and height maps of the wrinkles in the model's texture coordinates."""

import json
import os
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import did_you_mean
from pucker.bake.atlas import Atlas, VertexTangents
from pucker.bake.clip import Details, Progress, Written, progressing, surface
from pucker.bake.unwrap import unwrapped
from pucker.bake.write.exr import write_exr
from pucker.bake.write.textures import plain_name
from pucker.dynamic.packed import Packed
from pucker.io.files import check_folder, replacing_in
from pucker.method import Detail

Kind = Literal["normal", "height"]
_KINDS: Final = ("normal", "height")
_SPACES: Final = ("tangent", "object")
_OVERLAPS: Final = ("unwrap", "refuse", "first")
_WHOLE: Final = 65535.0
_SIDECAR: Final = "maps.json"
_UNWRAPPED: Final = "unwrapped.glb"

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class MapReport(Written):
    """What was baked.

    Attributes:
        height_scale: Height in the clip's unit of length that a value of 1 stands for in a PNG.
        covered: Share of the texels that lie on the garment, of each set of maps by its material's name.
        unwrapped: Why the maps are for the texture coordinates of unwrapped.glb, a file among `files`; None where they are for
            the clip's own.
    """

    frames: int
    height_scale: float
    covered: dict[str, float]
    unwrapped: str | None = None


def _write_png(path: Path, values: _Floats) -> None:
    """Numbers in [0, 1], (h, w) or (h, w, 3), as 16 bits."""
    height, width = values.shape[:2]
    words = np.rint(_WHOLE * np.clip(values, 0.0, 1.0)).astype(">u2").reshape(height, -1)
    # Each row begins with the number of its filter: none.
    rows = np.concatenate([np.zeros((height, 1), np.uint8), words.view(np.uint8)], axis=1)
    head = struct.pack(">IIBBBBB", width, height, 16, 0 if values.ndim == 2 else 2, 0, 0, 0)
    chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b""))
    with path.open("wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n")
        for name, content in chunks:
            file.write(struct.pack(">I", len(content)) + name + content)
            file.write(struct.pack(">I", zlib.crc32(name + content)))


_WRITERS: Final[dict[str, Callable[[Path, _Floats], None]]] = {"png": _write_png, "exr": write_exr}


class _MapSet:
    """The maps of the triangles of one material."""

    def __init__(self, clip: "pucker.Clip", atlas: Atlas, prefix: str) -> None:
        self.atlas = atlas
        self.prefix = prefix
        self._clip = clip
        self._tangents = VertexTangents(clip)

    def evaluate(self, index: int, detail: Detail, space: str, kinds: Sequence[str]) -> dict[str, _Floats]:
        """The texels of a frame: heights (k,), normals (k, 3)."""
        atlas = self.atlas
        points = detail.evaluate(atlas.triangles, atlas.barycentrics)
        found: dict[str, _Floats] = {}
        if "height" in kinds:
            found["height"] = points.offsets
        if "normal" in kinds:
            found["normal"] = points.normals
            if space == "tangent":
                frames = self._tangents.at(self._clip.positions[index], atlas.triangles, atlas.barycentrics)
                found["normal"] = frames.coordinates_of(points.normals)
        return found


def _check(kinds: Sequence[str], space: str, overlap: str, file_format: str, size: int, padding: int) -> None:
    for name, value, allowed in (
        ("space", space, _SPACES),
        ("overlap", overlap, _OVERLAPS),
        ("file_format", file_format, tuple(_WRITERS)),
    ):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}{did_you_mean(value, allowed)}")
    unknown = [kind for kind in kinds if kind not in _KINDS]
    if unknown or not kinds:
        guess = did_you_mean(unknown[0], _KINDS) if unknown else ""
        raise ValueError(f"maps must be some of {', '.join(_KINDS)}, not {', '.join(kinds) or 'none'}{guess}")
    if not 1 <= size <= 16384:
        raise ValueError(f"a map must be at least 1 and at most 16384 texels wide, not {size}")
    if padding < 0:
        raise ValueError(f"padding must be at least 0 texels, not {padding}")


def _map_sets(clip: "pucker.Clip", size: int, padding: int, overlap: str) -> dict[str, _MapSet]:
    """The sets of maps by the names of their materials."""
    if len(clip.uv) == 0:
        raise ValueError(f"maps need texture coordinates, and {clip.name or 'the clip'} has none")
    used = np.unique(clip.materials)
    sets: dict[str, _MapSet] = {}
    for number in used:
        material = clip.material_list[number]
        name = plain_name(material.name, f"material_{number}")
        name = name if name not in sets else f"{name}_{number}"
        chosen = np.flatnonzero(clip.materials == number)
        atlas = Atlas(clip.uv[clip.stored_faces], chosen, size, padding=padding, refuse_overlap=overlap != "first")
        sets[name] = _MapSet(clip, atlas, f"{name}_" if len(used) > 1 else "")
    return sets


def _fitting(
    clip: "pucker.Clip", size: int, padding: int, overlap: str
) -> tuple["pucker.Clip", dict[str, _MapSet], str | None]:
    """The clip with texture coordinates that hold maps, the sets, and why it has others than its own if it has."""
    try:
        return clip, _map_sets(clip, size, padding, overlap), None
    except ValueError as error:
        if overlap != "unwrap":
            raise
        reason = str(error)
    other = unwrapped(clip, size, padding)
    return other, _map_sets(other, size, padding, overlap), reason


def _write_unwrapped(clip: "pucker.Clip", path: Path) -> None:
    """The coarse clip, so that there is something to lay the maps on."""
    count = len(clip.faces)
    flat = Packed(np.zeros((count, 2), np.uint32), np.zeros((0, 2), np.uint32), np.zeros((0, 16), np.float32))
    surface(clip, path, states=[flat] * len(clip), levels=1)


def maps(
    clip: "pucker.Clip",
    folder: str | os.PathLike[str],
    *,
    params: Any = None,
    states: Iterable[Any] | None = None,
    kinds: Sequence[Kind] = _KINDS,
    size: int = 1024,
    file_format: Literal["png", "exr"] = "png",
    space: Literal["tangent", "object"] = "tangent",
    padding: int = 8,
    overlap: Literal["unwrap", "refuse", "first"] = "unwrap",
    progress: Progress = False,
) -> MapReport:
    """Writes what the wrinkles add to the coarse mesh as pictures in its texture coordinates, frame by frame.

    A texel holds the value at its centre; row 0 is the upper one, v = 1. Normals are stored as (n + 1)/2. In tangent space
    x goes along u, y along v (green up, as in OpenGL and glTF) and z along the mesh's own normal; the axes are those of
    the frame's coarse mesh: see `VertexTangents`. In object space they are the clip's. Heights are displacements along the
    interpolated normal of the coarse mesh: in a PNG as a share of `MapReport.height_scale`, where 0 stands for the lowest
    (`height_zero` in maps.json, 0 unless the detail goes inwards), in an EXR in the clip's unit. `maps.json` in the folder tells all this too.

    Args:
        clip: The clip.
        folder: Where the files go, NORMAL_0000.png and so on; made if it does not exist. Where the garment has several
            materials, each has maps of its own, with its name before.
        params: Parameters of a method; those of the dynamic one without.
        states: A state or packed wrinkles a frame; without them the clip is run with `params`.
        kinds: Which maps.
        size: Texels of a side.
        file_format: PNG of 16 bits, or EXR, of half floats for normals and floats for heights.
        space: Space of the normals.
        padding: Texels by which the garment's values go on beyond its seams.
        overlap: Where texture coordinates lay two triangles over one texel: "unwrap" the garment anew, each material by
            itself, as also where coordinates are missing or leave the unit square, and write the coarse clip with the new
            ones to unwrapped.glb beside the maps; "refuse" them; or let the "first" triangle have the texel.
        progress: See `surface`.

    Raises:
        ValueError: If a value is out of its range; and unless it is to be unwrapped, if there are no texture coordinates, or
            they overlap or leave the unit square.
        OSError: If something cannot be written; the folder is then as it was.
        pucker.Error: If a package for the format, or for unwrapping, is missing.
    """
    out = Path(folder)
    _check(kinds, space, overlap, file_format, size, padding)
    check_folder(out if out.is_dir() else out.parent)
    chosen = pucker.Params() if params is None else params
    if file_format == "exr" and find_spec("OpenEXR") is None:
        raise pucker.Error("maps as exr need OpenEXR: install the extra pucker[io]")
    clip, sets, reason = _fitting(clip, size, padding, overlap)
    details = Details(clip, states, chosen)
    count = len(clip)
    first = progressing(count, f"{out.name}, heights", shown=progress, after=count)
    ranges = np.array([detail.offset_range for _, detail in zip(first, details, strict=True)])
    low = float(ranges.min(initial=0.0))
    # Where nothing is displaced any scale is right.
    scale = float(ranges.max(initial=0.0)) - low or 1.0
    # PNG holds numbers in [0, 1].
    unit, zero = (scale, low) if file_format == "png" else (1.0, 0.0)
    digits = max(4, len(str(len(clip) - 1)))
    names = [_SIDECAR]
    with replacing_in(out) as temporary:
        facts = {"space": space, "normal": "(n + 1) / 2, y up", "height_scale": unit, "height_zero": zero}
        if reason is not None:
            names.append(_UNWRAPPED)
            facts["coordinates"] = f"those of {_UNWRAPPED}: {reason}"
            _write_unwrapped(clip, temporary / _UNWRAPPED)
        (temporary / _SIDECAR).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
        for index, detail in zip(progressing(count, out.name, shown=progress, before=count), details, strict=True):
            for found in sets.values():
                for kind, texels in found.evaluate(index, detail, space, kinds).items():
                    values = 0.5 * texels + 0.5 if kind == "normal" else (texels - zero) / unit
                    empty = -zero / unit if kind == "height" else [0.5, 0.5, 1.0 if space == "tangent" else 0.5]
                    names.append(f"{found.prefix}{kind}_{index:0{digits}d}.{file_format}")
                    _WRITERS[file_format](temporary / names[-1], found.atlas.picture(values, empty))
    covered = {name: found.atlas.covered for name, found in sets.items()}
    files = tuple(out / name for name in names)
    return MapReport(files=files, frames=len(clip), height_scale=scale, covered=covered, unwrapped=reason)
