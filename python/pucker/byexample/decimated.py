"""Pairs of a coarse and a fine recording from fine recordings alone."""

from collections.abc import Sequence

import numpy as np

from pucker._core import Clip
from pucker._core import _byexample as byexample
from pucker.extras import needing

from .learning import LEVELS, Take


def decimated(clips: Sequence[Clip], triangles: int, *, levels: int = LEVELS) -> list[Take]:
    """Takes of one cloth from fine recordings of it, whose coarse mesh is made by decimation.

    The first frame of the first clip, the rest pose, is decimated by quadric errors (`pucker.compare.coarsen`). The
    vertices of the coarse mesh, and those of its smooth surface, are bound to the closest place of the fine surface in that
    frame and go where it goes: so the recording comes to have the triangles of `LoopSubdivision`, whatever its own.

    Args:
        clips: Recordings of one mesh.
        triangles: Of the coarse mesh at most, less than the recordings have.
        levels: How often it is subdivided.

    Raises:
        ValueError: For no clip, clips of different meshes, saying which, and what `coarsen` refuses.
        ModuleNotFoundError: Without the packages of the extra pucker[metrics].
    """
    with needing("metrics", "pucker.byexample.decimated"):
        from pucker.closest import closest_places  # noqa: PLC0415 - a package of an extra
        from pucker.decimation import coarsen  # noqa: PLC0415 - a package of an extra

    if not clips:
        raise ValueError("there must be a recording to decimate")
    first = clips[0]
    for clip in clips:
        if not np.array_equal(clip.faces, first.faces):
            raise ValueError(
                f"clips must have the triangles of the first, {first.name!r}, but {clip.name!r} has others"
            )
    rest = first.positions[0]
    coarse = coarsen(first, triangles)
    smooth = byexample.SmoothSurface(coarse.mesh, levels, coarse.positions[0]).positions
    guides = closest_places(coarse.positions[0], first.faces, rest)
    surface = closest_places(smooth, first.faces, rest)
    return [
        Take(
            Clip.from_arrays(coarse.faces, guides.carry(clip.positions), clip.times, weld=False),
            surface.carry(clip.positions),
        )
        for clip in clips
    ]
