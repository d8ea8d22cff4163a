"""NumPy archives."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from pucker.bake.mesh import BakedClip, Part, Shape
from pucker.io import generator
from pucker.io.npz import write_arrays


def _arrays(prefix: str, part: Part, shapes: list[Shape]) -> dict[str, Any]:
    arrays: dict[str, Any] = {
        "faces": part.faces,
        "positions": np.stack([shape.positions for shape in shapes]).astype(np.float32),
        "normals": np.stack([shape.normals for shape in shapes]).astype(np.float32),
        "materials": part.materials,
    }
    if part.normal_faces is not None:
        arrays["normal_faces"] = part.normal_faces
    if part.corner_uv is not None:
        arrays["uv"] = part.corner_uv.astype(np.float32)
    return {f"{prefix}{name}": values for name, values in arrays.items()}


def write(path: Path, baked: BakedClip, frames: Iterable[int]) -> list[Path]:
    """Writes the garment under the plain names, the body under the same with `body_` before."""
    garment, body = [], []
    for index in frames:
        garment.append(baked.garment(index)[1])
        if baked.body is not None:
            body.append(baked.body.shape(index))
    arrays = _arrays("", baked.garment_part, garment)
    if baked.body is not None:
        arrays |= _arrays("body_", baked.body.part, body)
    arrays[generator.KEY] = np.array(generator.NAME)
    names = [material.name for material in baked.clip.material_list]
    write_arrays(path, {"times": baked.clip.times, "material_names": np.array(names, dtype=str), **arrays})
    return [path]
