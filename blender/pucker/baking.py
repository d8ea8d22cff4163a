"""The wrinkled surface of all frames, as a mesh that a cache moves."""

import os
import struct
import tempfile
from collections.abc import Collection, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt

import pucker
from pucker.bake.mesh import MAX_LEVEL, own_mesh
from pucker.method import levels_for

from . import surface
from .clips import beside_the_point, read
from .cloth import Frames, Refusal, unseen, z_up
from .jobs import aside, heard, section

# Kinds of bakes that are pictures, and which.
MAPS = {"NORMALS": ("normal",), "MAPS": ("normal", "height")}
# The other kinds, and what their files end in.
SUFFIXES = {"CACHE": ".pc2", "ALEMBIC": ".abc", "USD": ".usdc"}
_MODIFIER = "Wrinkles"
_USD_ROOT = "/root"


@dataclass(frozen=True)
class Done:
    """What to tell of a bake."""

    smoothed: bool
    """Whether the object was made smooth though nobody chose."""
    warned: list[str]


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
) -> Generator[float, None, tuple[bpy.types.Object, Done]]:
    """Bakes an object's wrinkles; returns the object that is moved by them, and what to tell.

    `kind` is CACHE, ALEMBIC or USD, the one file that is written, and that the new object reads. Blender exports what an
    object shows, so that the latter two come from a point cache that is gone afterwards.
    """
    into = folder_of(folder)
    frames = Frames.of(context.scene)
    garment = yield from section(read(context, obj), 0.0, 0.3)
    clip = garment.clip
    levels = np.ones(len(clip.mesh.edges), np.int32)
    fine = None
    details = []
    states, warned = heard(lambda: pucker.run(clip, params), beside_the_point(obj))
    for index, state in enumerate(states):
        positions, detail = clip.positions[index], state.detail
        details.append(detail)
        fine = own_mesh(detail)
        if fine is None:
            wanted = levels_for(detail, clip.mesh, positions, obj.pucker.bake_edge)
            levels = np.maximum(levels, np.minimum(wanted, MAX_LEVEL))
        yield 0.3 + 0.4 * (index + 1) / len(clip)
    divided = surface.Divided(clip, pucker.Subdivision(clip.mesh, levels) if fine is None else fine, garment.rest)
    name = f"{obj.name} baked"
    target = into / f"{bpy.path.clean_name(name)}{SUFFIXES[kind]}"
    if kind == "CACHE":
        with replacing(target) as part:
            first = yield from _written(divided, details, part, len(clip))
        baked = _moved(obj, name, divided, first)
        _play_points(baked, target, frames)
    else:
        # Beside the target, where there is room for files of this size.
        with tempfile.TemporaryDirectory(prefix=".", suffix=".part", dir=into) as aside_in, replacing(target) as part:
            points = Path(aside_in) / "points.pc2"
            first = yield from _written(divided, details, points, len(clip))
            baked = _moved(obj, name, divided, first)
            _play_points(baked, points, frames)
            yield 0.96
            with unseen():
                _EXPORTS[kind](context, baked, part, frames)
        _play_file(baked, target)
    yield 1.0
    return baked, Done(garment.smoothed > 0, warned)


def _written(
    divided: surface.Divided, details: list[Any], path: Path, count: int
) -> Generator[float, None, npt.NDArray[np.float64]]:
    """Writes the frames of a surface as a point cache; gives the positions of the first."""
    first = None
    with path.open("wb") as file:
        for index, detail in enumerate(details):
            positions = divided.positions(detail, index)
            if first is None:
                first = positions
                file.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(first), 0.0, 1.0, count))
            file.write(np.ascontiguousarray(z_up(positions), "<f4").tobytes())
            yield 0.7 + 0.25 * (index + 1) / count
    return first


def map_steps(
    context: bpy.types.Context, obj: bpy.types.Object, params: Any, folder: str, kind: str
) -> Generator[float, None, tuple["pucker.bake.MapReport", Done]]:
    """Bakes an object's wrinkles into pictures, one a frame, in a folder of the object's name; see `pucker.bake.maps`.

    They are of what wrinkles add to the object, as smooth as it is made; returned with what to tell.
    """
    into = folder_of(folder) / bpy.path.clean_name(f"{obj.name} maps")
    size, but = obj.pucker.map_size, beside_the_point(obj)
    garment = yield from section(read(context, obj), 0.0, 0.3)
    writing = aside(
        lambda report: heard(
            lambda: pucker.bake.maps(
                garment.clip,
                into,
                params=params,
                kinds=MAPS[kind],
                size=size,
                overlap="refuse",  # what is unwrapped anew would not be the object's own
                progress=lambda done, count: report(done / count),
            ),
            but,
        )
    )
    try:
        written, warned = yield from section(writing, 0.3, 1.0)
    except ValueError as error:
        if "texture coordinates" not in str(error):
            raise
        raise Refusal(f"{error}; unwrap {obj.name} (UV > Unwrap, in edit mode)") from error
    return written, Done(garment.smoothed > 0, warned)


def _moved(source: bpy.types.Object, name: str, divided: surface.Divided, first: Any) -> bpy.types.Object:
    """The object of a bake, in its first frame, in the place of an earlier one."""
    mesh = surface.empty_mesh(name, source)
    surface.fill(mesh, first, divided.faces, uv=divided.uv, materials=divided.materials)
    baked, replaced = surface.shown(name, mesh)
    if replaced is not None and replaced.users == 0:
        bpy.data.meshes.remove(replaced)
    return baked


def _named(path: Path) -> str:
    """A file as Blender keeps it: relative to the file that is open, if one is."""
    return bpy.path.relpath(str(path)) if bpy.data.filepath and os.name == "posix" else str(path)


def _play_points(obj: bpy.types.Object, cache: Path, frames: Frames) -> None:
    """Has a point cache move an object."""
    obj.modifiers.clear()
    modifier = obj.modifiers.new(_MODIFIER, "MESH_CACHE")
    modifier.cache_format = "PC2"
    modifier.filepath = _named(cache)
    modifier.frame_start = frames.first
    modifier.interpolation = "NONE"


def _play_file(obj: bpy.types.Object, path: Path) -> None:
    """Has an Alembic or USD file of one object move it."""
    obj.modifiers.clear()
    # What an earlier bake of this name was read from is open still, and has what stood in the file then.
    for old in [each for each in bpy.data.cache_files if Path(bpy.path.abspath(each.filepath)) == path]:
        if not bpy.data.user_map(subset={old})[old]:
            bpy.data.batch_remove([old])
    before = set(bpy.data.cache_files)
    bpy.ops.cachefile.open(filepath=str(path))
    (opened,) = set(bpy.data.cache_files) - before
    opened.filepath = _named(path)
    modifier = obj.modifiers.new(_MODIFIER, "MESH_SEQUENCE_CACHE")
    modifier.cache_file = opened
    # Only what has been asked of a file says what is in it.
    bpy.context.view_layer.update()
    modifier.read_data = {"VERT"}
    modifier.object_path = _mesh_in([each.path for each in opened.object_paths])


def _mesh_in(paths: Collection[str]) -> str:
    """The mesh in a file of one object: OBJECT/MESH, in USD below a root that has the materials too."""
    below = [
        path.removeprefix(_USD_ROOT).split("/")[1:] for path in paths if not path.startswith(f"{_USD_ROOT}/_materials")
    ]
    (found,) = {"/".join(["", *names]) for names in below if len(names) == 2}
    return f"{_USD_ROOT}{found}" if f"{_USD_ROOT}{found}" in paths else found


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
        bpy.ops.wm.usd_export(
            filepath=str(path), selected_objects_only=True, export_animation=True, root_prim_path=_USD_ROOT
        )


_EXPORTS = {"ALEMBIC": _export_alembic, "USD": _export_usd}
