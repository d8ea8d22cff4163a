"""Clips from files, and from the mesh objects of other libraries.

Light to import: a format's library is imported when a file of the format is opened.
"""

import os
import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final, Literal, overload

from pucker._core import Clip, Error, FileInfo, sources
from pucker._core import Facets as Facets
from pucker._core import facets_of as facets_of
from pucker.io import blender, scene
from pucker.io.first_bytes import told_by_content, told_by_first_bytes
from pucker.io.isolated import IsolatedSource as IsolatedSource
from pucker.io.limits import Limits as Limits
from pucker.io.objects import from_meshio as from_meshio
from pucker.io.objects import from_trimesh as from_trimesh
from pucker.io.scene import UnpackedSource as UnpackedSource

StrPath = str | os.PathLike[str]

# Of errors, what says that another program may read the file: FBX of an old or rare make, and what assimp takes for wrong.
_READ_ELSEWHERE: Final = ("FBX-", "Validation failed: ")
# What is said of a folder or an archive that may hold a model of another format.
_WITHOUT_OBJ: Final = "holds no OBJ file"
_USD_SUFFIXES: Final = (".usd", ".usda", ".usdc", ".usdz")


@overload
def open_source(
    path: StrPath,
    *,
    motion: StrPath | None = None,
    isolated: Literal[True],
    anywhere: bool = False,
    limits: Limits | None = None,
) -> IsolatedSource: ...
@overload
def open_source(
    path: StrPath,
    *,
    motion: StrPath | None = None,
    isolated: bool = False,
    anywhere: bool = False,
    limits: Limits | None = None,
) -> sources.Source | UnpackedSource | IsolatedSource: ...
def open_source(
    path: StrPath,
    *,
    motion: StrPath | None = None,
    isolated: bool = False,
    anywhere: bool = False,
    limits: Limits | None = None,
) -> sources.Source | UnpackedSource | IsolatedSource:
    """An open file, of which several clips can be loaded without reading it again.

    Args:
        path: A file of any format that `load` knows.
        motion: See `load`.
        isolated: See `load`.
        anywhere: See `load`.
        limits: See `load`.

    Raises:
        pucker.Error: If the file is missing, damaged, beyond the limits, of an unknown format, or of one whose library is
            not installed.
    """
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a str or os.PathLike, got {path!r}")
    limits = limits or Limits.from_environment()
    suffix = Path(path).suffix.lower()
    is_usd = motion is None and suffix in _USD_SUFFIXES
    if is_usd and find_spec("pxr") is None:
        raise Error(f"{path}: reading USD needs pxr: install the extra pucker[io]")
    is_alembic = motion is None and suffix == ".abc"
    if is_alembic:
        blender.require(f"{path}: reading Alembic")
    if isolated:
        return IsolatedSource(
            Path(path), motion=None if motion is None else Path(motion), anywhere=anywhere, limits=limits
        )
    if is_usd:
        from pucker.io import usd  # noqa: PLC0415 - needs usd-core, of an extra

        return usd.open_source(Path(path), anywhere=anywhere, limits=limits)
    if is_alembic:
        from pucker.io import alembic  # noqa: PLC0415 - as few need it as USD

        return alembic.open_source(Path(path), limits=limits)
    if motion is None and suffix == ".npz":
        from pucker.io import npz  # noqa: PLC0415

        return npz.open_source(Path(path), limits=limits)
    try:
        return scene.open_file(Path(path), None if motion is None else Path(motion), anywhere=anywhere, limits=limits)
    except Error as error:
        if _WITHOUT_OBJ in str(error) and (held := told_by_content(Path(path))):
            raise Error(f"{error}; {held}") from error
        is_known = "unknown format" not in str(error)
        for file in (path, motion) if is_known and "; known are" not in str(error) else ():
            if file is not None and (told := told_by_first_bytes(Path(file))):
                raise Error(f"{file}: {told}") from error
        if not is_known or any(each in str(error) for each in _READ_ELSEWHERE):
            raise Error(f"{error}; what opens it, such as Blender, can write it as .glb") from error
        raise


def load(
    path: StrPath,
    *,
    clip: str | None = None,
    parts: str | Sequence[str] | None = None,
    fps: float = 30.0,
    loops: int = 1,
    smooth: int = 0,
    motion: StrPath | None = None,
    isolated: bool = False,
    anywhere: bool = False,
    limits: Limits | None = None,
) -> Clip:
    """Loads one clip of a character: glTF, GLB, FBX, Collada, USD, Alembic, MD3, npz, OBJ sequences, point caches over an OBJ.

    Frame k is at k / fps seconds, up to `loops` times the clip's duration. Positions keep the file's unit of length,
    turned so that y is up (an MD3 faces +z; OBJ, MDD, PC2 and npz are taken as they are). Vertices that coincide at
    rest and in every frame are welded; `Clip.weld` maps stored to welded ones.

    Args:
        path: The file; a folder or .zip for a sequence of OBJ files; an MDD or PC2 point cache moves the OBJ file of
            the same name beside it; lower, upper and head of an MD3 player bring one another along.
        clip: Its name, or what of it follows a '|', before which Blender writes the armature, if no other clip is named
            so; may be left out if the file has one clip only. Files of frames (MD3, npz, OBJ sequences, point
            caches) have the clip 'all' and every range 'FIRST:LAST' of frames, both included, optionally
            'FIRST:LAST@RATE' in frames per second. Without a rate an MD3 runs at 15 frames per second, an MDD and an
            npz with times by their times, an OBJ sequence and an npz without times at `fps`, and a PC2 at as many
            samples per frame as it says, `fps` frames per second.
        parts: The garment, by names of materials, nodes or meshes (surfaces of an MD3, objects and groups of an OBJ),
            or 'joint:NAME' for the triangles that the joint governs: those whose three vertices' skin weights, summed,
            are largest for it; 'joint:NAME/' for those of the joint and of all below it. A name may end in '*', which
            stands for any ending. What follows a '-' is left out: '-joint:Head/' of the other parts, or of the whole
            character where no others are named. One name need not be in a list. None: the whole character.
        fps: Frames per second of the result.
        loops: How often the clip is run through.
        smooth: How often garment and body are subdivided into a smooth surface, which then wrinkles: see `Clip.smoothed`.
        motion: Another file that moves `path`: the MDD or PC2 point cache of an OBJ file; for glTF, GLB, FBX and Collada
            any other of these, with or without a mesh, whose clips then take the place of the file's own. The skeletons
            must have the same names, axes and hierarchy; unit of length and proportions may differ, bones keep the
            lengths that `path` gives them, and what only one of the two has stays as it is stored. Names that agree
            but for what most of them begin with, as 'mixamorig:Hips' and 'Hips', are the same: see
            `FileInfo.prefixes`.
        isolated: Read the file in a child process, so that no file, however damaged, can end this one, hang it or take
            more memory than the limits allow; the clip has the same bits. Costs the start of the process.
        anywhere: Follow the names of pictures, buffers and layers to any place. Otherwise only to the file's own folder
            and below: a model from a stranger could bring any file of this machine into what is made of it.
        limits: What the file may take, however much it claims. None: `Limits.from_environment()`.

    Raises:
        pucker.Error: If the file is missing, damaged, beyond the limits, of an unknown format, without animation, or uses
            what is not supported, such as morph targets of a Collada file.
        ValueError: For an unknown clip or part (listing those there are), if a clip must be chosen, for fps or
            loops that are not positive, and for `smooth` outside of 0 to 4.
    """
    names = [parts] if isinstance(parts, str) else parts
    limits = limits or Limits.from_environment()
    source = open_source(path, motion=motion, isolated=isolated, anywhere=anywhere, limits=limits)
    _warn_of_notes(source)
    if isinstance(source, IsolatedSource):
        with source:
            return source.load(clip=clip, parts=names, fps=fps, loops=loops, smooth=smooth)
    return source.load(
        clip=clip, parts=names, fps=fps, loops=loops, smooth=smooth, memory=limits.memory, frames=limits.frames
    )


def _warn_of_notes(source: sources.Source | UnpackedSource | IsolatedSource) -> None:
    """Warns, for who called the caller, of what of a file is read otherwise than it says."""
    for note in scene.notes_of(source):
        warnings.warn(note, stacklevel=3)


def inspect(
    path: StrPath,
    *,
    motion: StrPath | None = None,
    isolated: bool = False,
    anywhere: bool = False,
    limits: Limits | None = None,
) -> FileInfo:
    """The clips, materials, nodes, meshes and joints of a file. A file without animation is no error.

    For the arguments see `load`.

    Raises:
        pucker.Error: If the file is missing, damaged, beyond the limits or of an unknown format.
    """
    source = open_source(path, motion=motion, isolated=isolated, anywhere=anywhere, limits=limits)
    _warn_of_notes(source)
    if isinstance(source, IsolatedSource):
        with source:
            return source.inspect()
    return source.inspect()
