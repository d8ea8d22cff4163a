"""The wrinkled surface of all frames, as a mesh that a cache moves."""

import os
import struct
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import bpy
import numpy as np

import pucker
from pucker.bake.mesh import MAX_LEVEL, own_mesh
from pucker.method import levels_for

from . import surface
from .cloth import Frames, Refusal, read, unseen, z_up
from .jobs import aside, section

# Kinds of bakes that are pictures, and which.
MAPS = {"NORMALS": ("normal",), "MAPS": ("normal", "height")}


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A name to write under, which becomes `path` when all is written, and is gone if not."""
    part = path.with_name(f".{path.name}.part{path.suffix}")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def folder_of(path: str) -> Path:
    """The folder that a user named. Raises Refusal if there is none."""
    if path.startswith("//") and not bpy.data.filepath:
        raise Refusal("Save the file first, or choose a folder whose name is whole: // is the folder of the file")
    folder = Path(bpy.path.abspath(path)).resolve()
    if not folder.is_dir():
        raise Refusal(f"There is no folder {folder}")
    return folder


def steps(
    context: bpy.types.Context, obj: bpy.types.Object, params: Any, folder: str, kind: str
) -> Generator[float, None, bpy.types.Object]:
    """Bakes an object's wrinkles; returns the object that is moved by them.

    `kind` is CACHE, ALEMBIC or USD: a point cache, which the new object reads, or the same exported to a file as well.
    """
    into = folder_of(folder)
    frames = Frames.of(context.scene)
    clip = yield from section(read(context, obj), 0.0, 0.3)
    levels = np.ones(len(clip.mesh.edges), np.int32)
    fine = None
    details = []
    for index, state in enumerate(pucker.run(clip, params)):
        positions, detail = clip.positions[index], state.detail
        details.append(detail)
        fine = own_mesh(detail)
        if fine is None:
            wanted = levels_for(detail, clip.mesh, positions, obj.pucker.bake_edge)
            levels = np.maximum(levels, np.minimum(wanted, MAX_LEVEL))
        yield 0.3 + 0.4 * (index + 1) / len(clip)
    divided = surface.Divided(clip, pucker.Subdivision(clip.mesh, levels) if fine is None else fine)
    name = f"{obj.name} baked"
    cache = into / f"{bpy.path.clean_name(name)}.pc2"
    first = None
    with replacing(cache) as part, part.open("wb") as file:
        for index, detail in enumerate(details):
            positions = divided.positions(detail, index)
            if first is None:
                first = positions
                file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(first), 0.0, 1.0, len(clip)))
            file.write(np.ascontiguousarray(z_up(positions), "<f4").tobytes())
            yield 0.7 + 0.25 * (index + 1) / len(clip)
    baked = _moved(obj, name, divided, first, cache, frames)
    yield 0.96
    if kind != "CACHE":
        suffix, export = (".abc", _export_alembic) if kind == "ALEMBIC" else (".usdc", _export_usd)
        target = into / f"{bpy.path.clean_name(name)}{suffix}"
        with replacing(target) as part, unseen():
            export(context, baked, part, frames)
    yield 1.0
    return baked


def map_steps(
    context: bpy.types.Context, obj: bpy.types.Object, params: Any, folder: str, kind: str
) -> Generator[float, None, "pucker.bake.MapReport"]:
    """Bakes an object's wrinkles into pictures, one a frame, in a folder of the object's name; see `pucker.bake.maps`."""
    into = folder_of(folder) / bpy.path.clean_name(f"{obj.name} maps")
    size = obj.pucker.map_size
    clip = yield from section(read(context, obj), 0.0, 0.3)
    writing = aside(
        lambda tell: pucker.bake.maps(
            clip, into, params=params, kinds=MAPS[kind], size=size, progress=lambda done, count: tell(done / count)
        )
    )
    written = yield from section(writing, 0.3, 1.0)
    return written


def _moved(
    source: bpy.types.Object, name: str, divided: surface.Divided, first: Any, cache: Path, frames: Frames
) -> bpy.types.Object:
    mesh = surface.empty_mesh(name, source)
    surface.fill(mesh, first, divided.faces, uv=divided.uv, materials=divided.materials)
    baked, replaced = surface.shown(name, mesh)
    if replaced is not None and replaced.users == 0:
        bpy.data.meshes.remove(replaced)
    baked.modifiers.clear()
    modifier = baked.modifiers.new("Wrinkles", "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = bpy.path.relpath(str(cache)) if bpy.data.filepath and os.name == "posix" else str(cache)
    modifier.frame_start = frames.first
    modifier.interpolation = "NONE"
    return baked


@contextmanager
def _selected(context: bpy.types.Context, obj: bpy.types.Object) -> Iterator[None]:
    before, active = list(context.selected_objects), context.view_layer.objects.active
    for other in before:
        other.select_set(False)
    obj.select_set(True)
    context.view_layer.objects.active = obj
    try:
        yield
    finally:
        obj.select_set(False)
        for other in before:
            other.select_set(True)
        context.view_layer.objects.active = active


def _export_alembic(context: bpy.types.Context, obj: bpy.types.Object, path: Path, frames: Frames) -> None:
    with _selected(context, obj):
        bpy.ops.wm.alembic_export(
            filepath=str(path), selected=True, start=frames.first, end=frames.last, as_background_job=False, uvs=True
        )


def _export_usd(context: bpy.types.Context, obj: bpy.types.Object, path: Path, frames: Frames) -> None:  # noqa: ARG001
    with _selected(context, obj):
        bpy.ops.wm.usd_export(filepath=str(path), selected_objects_only=True, export_animation=True)
