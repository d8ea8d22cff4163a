"""Writes an Alembic file in Blender; what `alembic` starts as a process of its own.

In the folder it is given it finds `job.json` and the arrays of the meshes, z up.
"""

import json
import struct
import sys
from pathlib import Path

import bpy
import numpy as np


def _moving(file: Path) -> None:
    """An object that a point cache moves, which is what Blender takes for animated."""
    with np.load(file) as arrays:
        faces, positions = arrays["faces"], arrays["positions"]
        uv = arrays.get("uv")
    mesh = bpy.data.meshes.new(file.stem)
    mesh.vertices.add(positions.shape[1])
    mesh.loops.add(faces.size)
    mesh.polygons.add(len(faces))
    mesh.vertices.foreach_set("co", positions[0].ravel())
    mesh.loops.foreach_set("vertex_index", np.ascontiguousarray(faces, np.int32).ravel())
    mesh.polygons.foreach_set("loop_start", np.arange(0, faces.size, 3, dtype=np.int32))
    mesh.polygons.foreach_set("use_smooth", np.ones(len(faces), dtype=bool))
    if uv is not None:
        mesh.uv_layers.new(name="UVMap", do_init=False).uv.foreach_set("vector", uv.ravel())
    mesh.update(calc_edges=True)
    made = bpy.data.objects.new(file.stem, mesh)
    bpy.context.scene.collection.objects.link(made)
    cache = file.with_suffix(".pc2")
    head = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, positions.shape[1], 0.0, 1.0, len(positions))
    cache.write_bytes(head + np.ascontiguousarray(positions, "<f4").tobytes())
    modifier = made.modifiers.new("frames", "MESH_CACHE")
    modifier.cache_format, modifier.filepath = "PC2", str(cache)
    modifier.frame_start, modifier.interpolation = 0, "NONE"


def main(folder: Path) -> None:
    """Writes what the folder says."""
    job = json.loads((folder / "job.json").read_text(encoding="utf-8"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = max(1, round(job["rate"]))
    scene.render.fps_base = scene.render.fps / job["rate"]
    scene.frame_start, scene.frame_end = 0, job["frames"] - 1
    for file in sorted(folder.glob("*.npz")):
        _moving(file)
    bpy.ops.wm.alembic_export(filepath=job["output"], start=0, end=job["frames"] - 1, as_background_job=False)


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
