"""Normal and height maps of the wrinkles in the model's texture coordinates."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np

import pucker
from pucker.bake.clip import Details, Progress, Written, progressing
from pucker.bake.map_sets import KINDS, UNWRAPPED, WRITERS, Kind, check, fitting, write_unwrapped
from pucker.io.files import check_output_folder, replacing_in

_SIDECAR: Final = "maps.json"


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


def maps(
    clip: "pucker.Clip",
    folder: str | os.PathLike[str],
    *,
    params: Any = None,
    states: Iterable[Any] | None = None,
    kinds: Sequence[Kind] = KINDS,
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
    check(kinds, space, overlap, file_format, size, padding)
    check_output_folder(out)
    chosen = pucker.Params() if params is None else params
    clip, sets, reason = fitting(clip, size, padding, overlap)
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
            names.append(UNWRAPPED)
            facts["coordinates"] = f"those of {UNWRAPPED}: {reason}"
            write_unwrapped(clip, temporary / UNWRAPPED)
        (temporary / _SIDECAR).write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
        for index, detail in zip(progressing(count, out.name, shown=progress, before=count), details, strict=True):
            for found in sets.values():
                for kind, texels in found.evaluate(clip.positions[index], detail, space, kinds).items():
                    values = 0.5 * texels + 0.5 if kind == "normal" else (texels - zero) / unit
                    empty = -zero / unit if kind == "height" else [0.5, 0.5, 1.0 if space == "tangent" else 0.5]
                    names.append(f"{found.prefix}{kind}_{index:0{digits}d}.{file_format}")
                    WRITERS[file_format](temporary / names[-1], found.atlas.picture(values, empty))
    covered = {name: found.atlas.covered for name, found in sets.items()}
    files = tuple(out / name for name in names)
    return MapReport(files=files, frames=len(clip), height_scale=scale, covered=covered, unwrapped=reason)
