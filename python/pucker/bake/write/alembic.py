"""Alembic, which Blender's module writes, in a process of its own: it has one scene only."""

import json
import tempfile
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from pucker import Error
from pucker.bake.mesh import BakedClip, Part
from pucker.io import blender
from pucker.io.files import replacing
from pucker.rates import frame_rate

if find_spec("bpy") is None:
    raise ModuleNotFoundError("no Blender", name="bpy")


def _keep(folder: Path, name: str, part: Part, frames: list[Any]) -> None:
    x, y, z = np.moveaxis(np.asarray(frames), -1, 0)
    arrays: dict[str, Any] = {"faces": part.faces, "positions": np.stack([x, -z, y], axis=-1).astype(np.float32)}
    if part.corner_uv is not None:
        arrays["uv"] = part.corner_uv.astype(np.float32)
    np.savez(folder / f"{name}.npz", **arrays)


def write(path: Path, baked: BakedClip, frames: Iterable[int]) -> list[Path]:
    """Writes a mesh `garment` and, if it is there, a mesh `body`, whose vertices move."""
    rate = frame_rate(baked.times, alone=24.0, within=1e-6, what="an Alembic file")
    garment, body = [], []
    for index in frames:
        garment.append(baked.garment(index)[1].positions)
        if baked.body is not None:
            body.append(baked.body.shape(index).positions)
    with tempfile.TemporaryDirectory() as name, replacing(path) as temporary:
        folder = Path(name)
        _keep(folder, "garment", baked.garment_part, garment)
        if baked.body is not None:
            _keep(folder, "body", baked.body.part, body)
        job = {"rate": rate, "frames": len(garment), "output": str(temporary)}
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        blender.run(Path(__file__).with_name("blender_abc.py"), folder, f"writing {path}")
        if not temporary.is_file():
            raise Error(f"Blender did not write {path}")
    return [path]
