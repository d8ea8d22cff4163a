"""Vertex animation textures: a mesh, and textures of where its vertices and normals are in every frame."""

import json
import os
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.bake.clip import Details, Progress, Written, divided, progressing
from pucker.bake.mesh import BakedClip, Shape
from pucker.bake.write.exr import write_exr
from pucker.extras import needing
from pucker.io.files import check_folder, replacing_in
from pucker.shading import Normals, check_normals

# Texels of a row: what graphics cards of the last ten years take. More vertices than that go on in the next row.
MOST_COLUMNS: Final = 8192
MOST_ROWS: Final = 16384


@dataclass(frozen=True)
class VatReport(Written):
    """What was baked.

    Attributes:
        vertices: Of garment and body, split at seams as glTF has them.
        size: Width and height of the textures in texels.
        error: The largest error of a position by the rounding to 16 bits, in the clip's unit of length.
    """

    frames: int
    vertices: int
    size: tuple[int, int]
    error: float


def vat(
    clip: "pucker.Clip",
    path: str | os.PathLike[str],
    *,
    params: Any = None,
    levels: int | None = None,
    edge_share: float | None = None,
    body: bool = True,
    normals: Normals = "file",
    progress: Progress = False,
) -> VatReport:
    """Writes NAME.exr with positions, NAME_vnrm.exr with normals, NAME.glb and NAME-remap_info.json, with OpenVAT's keys.

    The mesh is that of the first frame. A texel of the first texture is how far a vertex is from there, as a share of the way from
    `Min` to `Max` of the JSON file's `os-remap`, axis by axis; of the second (n + 1)/2. Frame k is `rows_per_frame` rows further down
    than the one before; `TEXCOORD_1` of the mesh names each vertex's texel of the first frame.

    Args:
        clip: The clip.
        path: A name that ends in .exr.
        params: Parameters of a method; those of the dynamic one without.
        levels: See `surface`.
        edge_share: See `surface`.
        body: Whether the rest of the character is there too.
        normals: See `surface`.
        progress: See `surface`.

    Raises:
        ValueError: For another ending, a number out of its range, and more vertices and frames than a texture of 8192 × 16384 holds.
        OSError: If something cannot be written, as NAME.glb is there and is no such mesh; everything is then as it was.
        pucker.Error: If a package is missing.
    """
    out = Path(path)
    if out.suffix.lower() != ".exr":
        raise ValueError(f"the name of {out} must end in .exr: vertex animation textures are written as EXR only")
    if levels is not None and levels < 1:
        raise ValueError(f"the number of pieces of an edge must be at least 1, not {levels}")
    check_normals(normals)
    check_folder(out.parent)
    check_mesh_beside(out)
    if find_spec("OpenEXR") is None:
        raise pucker.Error("vertex animation textures need OpenEXR: install the extra pucker[io]")
    with needing("io", "baking"):
        from pucker.bake.write import vat_gltf  # noqa: PLC0415 - needs pygltflib, of an extra
    details = Details(clip, None, pucker.Params() if params is None else params)
    divisions, _ = divided(clip, details, levels, edge_share, fixed=True)
    baked = BakedClip(clip, details, divisions, fixed=True, body=body, normals=normals)
    mesh = vat_gltf.Mesh([baked.garment_part, *([] if baked.body is None else [baked.body.part])])
    columns = min(mesh.vertices, MOST_COLUMNS)
    rows = -(-mesh.vertices // columns)
    if rows * len(clip) > MOST_ROWS:
        raise ValueError(
            f"{mesh.vertices} vertices over {len(clip)} frames need a texture of {columns} x {rows * len(clip)} texels, which is higher than "
            f"{MOST_ROWS}: a shorter clip, less frames a second or a coarser mesh will do"
        )
    places = np.zeros((len(clip), mesh.vertices, 3), np.float32)
    turns = np.zeros((len(clip), mesh.vertices, 3), np.float16)
    for index in progressing(len(clip), out.name, shown=progress):
        shapes: list[Shape] = [baked.garment(index)[1]]
        if baked.body is not None:
            shapes.append(baked.body.shape(index))
        places[index], turns[index] = mesh.attributes(shapes)
    offsets = places - places[0]
    low, high = (bound(offsets, axis=(0, 1)).astype(np.float64) for bound in (np.min, np.max))
    span = np.where(high > low, high - low, 1.0)
    shares = ((offsets - low) / span).astype(np.float16)
    error = float(np.linalg.norm(low + shares.astype(np.float64) * span - offsets, axis=2).max())
    columns_of = (np.arange(mesh.vertices) % columns + 0.5) / columns
    rows_of = (np.arange(mesh.vertices) // columns + 0.5) / (rows * len(clip))
    names = [out.name, f"{out.stem}_vnrm.exr", f"{out.stem}.glb", f"{out.stem}-remap_info.json"]
    with replacing_in(out.parent, out.name) as temporary:
        write_exr(temporary / names[0], _rows(shares, columns, rows))
        write_exr(temporary / names[1], _rows(0.5 + 0.5 * turns, columns, rows))
        vat_gltf.write(
            temporary / names[2],
            mesh,
            places[0],
            turns[0].astype(np.float32),
            np.stack([columns_of, rows_of], axis=1),
            clip.material_list,
        )
        (temporary / names[3]).write_text(_sidecar(clip, low, low + span, rows), encoding="utf-8")
    return VatReport(
        tuple(out.parent / name for name in names), len(clip), mesh.vertices, (columns, rows * len(clip)), error
    )


def check_mesh_beside(path: Path) -> None:
    """Raises FileExistsError if the mesh of textures would replace a file that is none, such as a clip that was baked before."""
    with needing("io", "baking"):
        from pucker.bake.write.vat_gltf import is_mesh_of_textures  # noqa: PLC0415 - needs pygltflib, of an extra
    mesh = path.with_suffix(".glb")
    if mesh.is_file() and not is_mesh_of_textures(mesh):
        raise FileExistsError(
            f"{mesh} is no mesh of vertex animation textures, and those of {path.name} would replace it: give them another name"
        )


def _rows(values: npt.NDArray[np.float16], columns: int, rows: int) -> npt.NDArray[np.float16]:
    """The picture (frames * rows, columns, 3) of values (frames, V, 3); texels of no vertex are 0."""
    frames, vertices, _ = values.shape
    out = np.zeros((frames, rows * columns, 3), np.float16)
    out[:, :vertices] = values
    return out.reshape(frames * rows, columns, 3)


def _sidecar(clip: "pucker.Clip", low: npt.NDArray[np.float64], high: npt.NDArray[np.float64], rows: int) -> str:
    last = len(clip) - 1
    length = float(clip.times[-1] - clip.times[0])
    rate = last / length if length > 0.0 else 30.0
    content = {
        "os-remap": {"Min": low.tolist(), "Max": high.tolist(), "Frames": len(clip)},
        "animations": {clip.name: {"startFrame": 0, "endFrame": last, "framerate": rate, "looping": False}},
        "rows_per_frame": rows,
    }
    return json.dumps(content, indent=2) + "\n"
