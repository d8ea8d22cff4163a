"""Runs one cloth simulation in Blender; what `simulation` starts as a process of its own.

Stands alone on Blender's module and the standard library, so that a Blender which is not of this environment can run it
as well: `blender --background --python blender.py -- FOLDER`. In the folder it finds `job.json`, the faces of garment and
body, and their positions as point caches; it appends the garment's positions of each frame to `fine.f32`.
"""

import array
import json
import sys
from pathlib import Path
from typing import Any


def _faces(file: Path) -> list[tuple[int, int, int]]:
    numbers = array.array("i", file.read_bytes())
    return list(zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True))


def _object(bpy: Any, folder: Path, name: str) -> Any:
    """A mesh that the point cache NAME.pc2 moves."""
    with (folder / f"{name}.pc2").open("rb") as file:
        file.seek(16)
        (count,) = array.array("i", file.read(4))
        file.seek(32)
        numbers = array.array("f", file.read(12 * count))
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(
        list(zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True)), [], _faces(folder / f"{name}.i32")
    )
    mesh.update()
    made = bpy.data.objects.new(name, mesh)
    bpy.context.collection.objects.link(made)
    cache = made.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = "PC2"
    cache.filepath = str(folder / f"{name}.pc2")
    cache.frame_start = 1
    cache.interpolation = "NONE"
    return made


def _drape(garment: Any, job: dict[str, Any]) -> None:
    """Makes the garment cloth that springs hold to the positions of its cache."""
    group = garment.vertex_groups.new(name="held")
    group.add(range(len(garment.data.vertices)), job["hold"], "REPLACE")
    if job["sewn"]:
        group.add(job["sewn"], 1.0, "REPLACE")
    cloth = garment.modifiers.new("cloth", "CLOTH")
    cloth.point_cache.frame_start = 1
    cloth.point_cache.frame_end = job["frames"]
    settings = cloth.settings
    settings.vertex_group_mass = group.name
    settings.pin_stiffness = job["hold_stiffness"]
    settings.goal_friction = job["hold_damping"]
    settings.quality = job["quality"]
    settings.mass = job["mass"] / len(garment.data.vertices)
    settings.air_damping = job["air"]
    settings.tension_stiffness = settings.compression_stiffness = job["tension"]
    settings.shear_stiffness = job["shear"]
    settings.bending_stiffness = job["bending"]
    settings.tension_damping = settings.compression_damping = settings.shear_damping = job["damping"]
    settings.bending_damping = job["bending_damping"]
    contact = cloth.collision_settings
    contact.use_collision = job["body"]
    contact.collision_quality = job["contact_quality"]
    contact.use_self_collision = False


def main(folder: Path) -> None:
    """Simulates what the folder holds."""
    import bpy  # noqa: PLC0415 - only the process that simulates has it

    job = json.loads((folder / "job.json").read_text())
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, job["frames"]
    if job["body"]:
        body = _object(bpy, folder, "body")
        body.modifiers.new("collision", "COLLISION")
        body.collision.thickness_outer = job["clearance"]
    garment = _object(bpy, folder, "guide")
    _drape(garment, job)
    positions = array.array("f", bytes(12 * len(garment.data.vertices)))
    with (folder / "fine.f32").open("wb") as out:
        for frame in range(1, job["frames"] + 1):
            scene.frame_set(frame)
            evaluated = garment.evaluated_get(bpy.context.evaluated_depsgraph_get())
            evaluated.data.vertices.foreach_get("co", positions)
            out.write(positions.tobytes())
            out.flush()
            sys.stdout.write(f"frame {frame}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[-1]))
