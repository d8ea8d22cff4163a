"""Wavefront OBJ: a folder with one file a frame and the materials."""

from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

import numpy as np
import numpy.typing as npt

from pucker import AlphaMode
from pucker.bake.mesh import BakedClip, Part, Shape
from pucker.bake.write.textures import picture_of, plain_name
from pucker.io import generator
from pucker.io.files import replacing_in

_MATERIALS = "materials.mtl"


def _rows(line: str, values: npt.NDArray[np.generic]) -> str:
    """Each row of a table put into the line."""
    return (line * len(values)) % tuple(values.ravel().tolist())


class _ObjWriter:
    """Writes parts one after the other; their numbers go on through the file."""

    def __init__(self, file: TextIO, names: list[str]) -> None:
        self._file = file
        self._names = names
        self._points = self._coordinates = self._normals = 1

    def add(self, part: Part, shape: Shape) -> None:
        write = self._file.write
        write(f"o {part.name}\n")
        write(_rows("v %.7g %.7g %.7g\n", shape.positions))
        write(_rows("vn %.5f %.5f %.5f\n", shape.normals))
        if part.uv is not None:
            write(_rows("vt %.7g %.7g\n", part.uv))
        for material in np.unique(part.materials):
            write(f"usemtl {self._names[material]}\n")
            chosen = part.materials == material
            corners = part.faces[chosen].astype(np.int64) + self._points
            normal_faces = part.faces if part.normal_faces is None else part.normal_faces
            normals = normal_faces[chosen].astype(np.int64) + self._normals
            if part.uv is None or part.uv_faces is None:
                table = np.stack([corners, normals], axis=2).reshape(len(corners), 6)
                write(_rows("f %d//%d %d//%d %d//%d\n", table))
            else:
                places = part.uv_faces[chosen].astype(np.int64) + self._coordinates
                table = np.stack([corners, places, normals], axis=2).reshape(len(corners), 9)
                write(_rows("f %d/%d/%d %d/%d/%d %d/%d/%d\n", table))
        self._points += len(shape.positions)
        self._normals += len(shape.normals)
        self._coordinates += 0 if part.uv is None else len(part.uv)


def _write_materials(folder: Path, baked: BakedClip) -> tuple[list[str], list[Path]]:
    """Names of the materials as the files use them, and the files written."""
    names, files, lines = [], [], []
    for number, material in enumerate(baked.clip.material_list):
        name = plain_name(material.name, f"material_{number}")
        names.append(name if name not in names else f"{name}_{number}")
        red, green, blue, alpha = material.color
        opaque = material.alpha_mode is AlphaMode.opaque
        lines += [f"newmtl {names[-1]}", f"Kd {red:.6g} {green:.6g} {blue:.6g}", f"d {1.0 if opaque else alpha:.6g}"]
        picture = picture_of(material)
        if picture is not None:
            file = folder / f"{names[-1]}_{picture.stem}{picture.suffix}"
            file.write_bytes(picture.content)
            lines.append(f"map_Kd {file.name}")
            if not opaque:
                lines.append(f"map_d {file.name}")
            files.append(file)
    (folder / _MATERIALS).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return names, [folder / _MATERIALS, *files]


def write(folder: Path, baked: BakedClip, frames: Iterable[int]) -> list[Path]:
    """Writes the frames into `folder`, which is made if need be; they appear when the last is complete."""
    digits = max(4, len(str(len(baked) - 1)))
    paths = [folder / f"{folder.name}_{index:0{digits}d}.obj" for index in range(len(baked))]
    others = set(folder.glob("*.obj")) - set(paths)
    if others:
        raise ValueError(f"folder {folder} holds {min(others).name}, which is no frame of this clip")
    with replacing_in(folder) as temporary:
        names, files = _write_materials(temporary, baked)
        for index in frames:
            files.append(temporary / paths[index].name)
            with files[-1].open("w", encoding="ascii") as file:
                file.write(f"# {generator.NAME}\nmtllib {_MATERIALS}\n")
                writer = _ObjWriter(file, names)
                writer.add(*baked.garment(index))
                if baked.body is not None:
                    writer.add(baked.body.part, baked.body.shape(index))
    return [folder / file.name for file in files]
