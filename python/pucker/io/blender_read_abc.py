"""Reads an Alembic file in Blender; what `alembic` starts as a process of its own.

Into the folder it is given it writes `meshes.npz` and `meshes.json`; then, for each time in seconds that it reads from its
standard input, the positions of all meshes at that time as `positions.f32`, z up. After each it says so.
"""

import json
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np

# Frames a second: whole numbers of them make up the frames of all usual rates.
_RATE = 600


def _tell(word: str) -> None:
    sys.stdout.write(f"{word}\n")
    sys.stdout.flush()


def _moves(obj: bpy.types.Object) -> bool:
    """Whether it is read from the file in each frame, or something that carries it is."""
    read = any(modifier.type == "MESH_SEQUENCE_CACHE" for modifier in obj.modifiers)
    carried = any(constraint.type == "TRANSFORM_CACHE" for constraint in obj.constraints)
    return read or carried or (obj.parent is not None and _moves(obj.parent))


def _numbers(collection: Any, attribute: str, width: int, kind: type) -> np.ndarray:
    found: np.ndarray = np.empty(len(collection) * width, kind)
    collection.foreach_get(attribute, found)
    return found.reshape(-1, width) if width > 1 else found


def _evaluated(obj: bpy.types.Object) -> tuple[bpy.types.Object, bpy.types.Mesh]:
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return evaluated, evaluated.to_mesh()


def _describe(meshes: list[bpy.types.Object], folder: Path) -> list[int]:
    """Writes what does not change; returns the number of vertices of each mesh."""
    faces, uv, materials, pieces, names = [], [], [], [], []
    counts: list[int] = []
    colours: dict[str, list[float]] = {}
    has_uv = True
    for index, obj in enumerate(meshes):
        evaluated, mesh = _evaluated(obj)
        mesh.calc_loop_triangles()
        corners = _numbers(mesh.loops, "vertex_index", 1, np.int32)
        loops = _numbers(mesh.loop_triangles, "loops", 3, np.int32)
        faces.append(corners[loops] + sum(counts))
        layer = mesh.uv_layers.active
        has_uv = has_uv and layer is not None
        uv.append(np.zeros((len(loops), 3, 2)) if layer is None else _numbers(layer.uv, "vector", 2, np.float32)[loops])
        slots = [slot.material for slot in obj.material_slots] or [None]
        for material in slots:
            name = "" if material is None else material.name
            colours.setdefault(name, [1.0] * 4 if material is None else list(material.diffuse_color))
        numbers = np.array([list(colours).index("" if material is None else material.name) for material in slots])
        chosen = np.clip(_numbers(mesh.loop_triangles, "material_index", 1, np.int32), 0, len(slots) - 1)
        materials.append(numbers[chosen])
        pieces.append(np.full(len(loops), index))
        counts.append(len(mesh.vertices))
        names.append([obj.name, obj.data.name])
        evaluated.to_mesh_clear()
    np.savez(
        folder / "meshes.npz",
        faces=np.concatenate(faces),
        uv=np.concatenate(uv),
        materials=np.concatenate(materials),
        pieces=np.concatenate(pieces),
    )
    scene = bpy.context.scene
    facts = {
        "counts": counts,
        "names": names,
        "has_uv": has_uv,
        "materials": list(colours.items()),
        "moves": any(_moves(obj) for obj in meshes),
        "duration": (scene.frame_end - scene.frame_start) / _RATE,
    }
    (folder / "meshes.json").write_text(json.dumps(facts), encoding="utf-8")
    return counts


def _positions(meshes: list[bpy.types.Object], counts: list[int]) -> np.ndarray:
    found = []
    for obj, count in zip(meshes, counts, strict=True):
        evaluated, mesh = _evaluated(obj)
        if len(mesh.vertices) != count:
            raise ValueError(f"{obj.name} changes: it has {len(mesh.vertices)} vertices instead of {count}")
        points = _numbers(mesh.vertices, "co", 3, np.float32)
        matrix = np.array(evaluated.matrix_world)
        found.append((points @ matrix[:3, :3].T + matrix[:3, 3]).astype(np.float32))
        evaluated.to_mesh_clear()
    return np.concatenate(found)


def main(folder: Path) -> None:
    """Serves one file until its input ends."""
    path = (folder / "path.txt").read_text(encoding="utf-8")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = _RATE, 1.0
    bpy.ops.wm.alembic_import(filepath=path, set_frame_range=True, as_background_job=False)
    scene.frame_set(scene.frame_start)
    meshes = sorted((obj for obj in bpy.data.objects if obj.type == "MESH"), key=lambda obj: obj.name)
    if not any(len(obj.data.polygons) for obj in meshes):
        raise ValueError("it has no mesh")
    counts = _describe(meshes, folder)
    _tell("meshes")
    for line in sys.stdin:
        frame = scene.frame_start + float(line) * _RATE
        whole = int(np.floor(frame + 1e-4))
        scene.frame_set(whole, subframe=float(np.clip(frame - whole, 0.0, 0.999999)))
        _positions(meshes, counts).tofile(folder / "positions.f32")
        _tell("positions")


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
