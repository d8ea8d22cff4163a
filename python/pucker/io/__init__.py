"""Clips from files, and from the mesh objects of other libraries.

Light to import: a format's library is imported when a file of the format is opened.
"""

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, overload

from pucker._core import Clip, FileInfo, sources
from pucker._core import Facets as Facets
from pucker._core import facets_of as facets_of
from pucker.io import opening
from pucker.io.isolated import IsolatedSource as IsolatedSource
from pucker.io.limits import Limits as Limits
from pucker.io.objects import from_meshio as from_meshio
from pucker.io.objects import from_trimesh as from_trimesh

StrPath = str | os.PathLike[str]


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
) -> sources.Source | IsolatedSource: ...
def open_source(
    path: StrPath,
    *,
    motion: StrPath | None = None,
    isolated: bool = False,
    anywhere: bool = False,
    limits: Limits | None = None,
) -> sources.Source | IsolatedSource:
    """An open file, of which several clips can be loaded without reading it again.

    What is read otherwise than the file says is told by a warning; an isolated source has it as its `notes`.

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
    source, notes = _opened(path, motion, isolated=isolated, anywhere=anywhere, limits=limits)
    if not isolated:
        _warn_of(notes)
    return source


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
            are largest for it; 'joint:NAME/' for those of the joint and of all below it; 'triangles:12-40+55' for
            triangles by their numbers in the file, from 0. A name may end in '*', which stands for any ending. What
            follows a '-' is left out: '-joint:Head/' of the other parts, or of the whole character where no others are
            named. One name need not be in a list. None: the whole character.
        fps: Frames per second of the result.
        loops: How often the clip is run through.
        smooth: How often garment and body are subdivided into a smooth surface, which then wrinkles: see `Clip.smoothed`.
        motion: Another file that moves `path`: the MDD or PC2 point cache of an OBJ file; for glTF, GLB, FBX and Collada
            any other of these, with or without a mesh, whose clips then take the place of the file's own. The skeletons
            must have the same names, axes and hierarchy; unit of length and proportions may differ, bones keep the
            lengths that `path` gives them, and what only one of the two has stays as it is stored. Names that agree
            but for what most of them begin with, as 'mixamorig:Hips' and 'Hips', are the same: see
            `FileInfo.prefixes`. A VRM Animation (.vrma) moves the humanoid bones of any VRM, whatever their names, rest
            rotations and proportions.
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
    source, notes = _opened(path, motion, isolated=isolated, anywhere=anywhere, limits=limits)
    _warn_of(notes)
    if isinstance(source, IsolatedSource):
        with source:
            return source.load(clip=clip, parts=names, fps=fps, loops=loops, smooth=smooth)
    return source.load(
        clip=clip, parts=names, fps=fps, loops=loops, smooth=smooth, memory=limits.memory, frames=limits.frames
    )


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
    source, notes = _opened(path, motion, isolated=isolated, anywhere=anywhere, limits=limits)
    _warn_of(notes)
    if isinstance(source, IsolatedSource):
        with source:
            return source.inspect()
    return source.inspect()


def _opened(
    path: StrPath, motion: StrPath | None, *, isolated: bool, anywhere: bool, limits: Limits | None
) -> tuple[sources.Source | IsolatedSource, Sequence[str]]:
    """What `open_source` opens, and what of it is read otherwise than it says."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be a str or os.PathLike, got {path!r}")
    limits = limits or Limits.from_environment()
    file, other = Path(path), None if motion is None else Path(motion)
    opening.require_library(file, other)
    if isolated:
        source = IsolatedSource(file, motion=other, anywhere=anywhere, limits=limits)
        return source, source.notes
    return opening.opened(file, other, anywhere=anywhere, limits=limits)


def _warn_of(notes: Sequence[str]) -> None:
    """Warns who called the caller."""
    for note in notes:
        warnings.warn(note, stacklevel=3)
