"""Clips from the mesh objects of trimesh and meshio, neither of which is imported."""

from typing import Any

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker.io.polygons import fans

# Corners of meshio's cells that are surfaces; "polygon" cells have as many as their rows are long.
_CELL_CORNERS = {"triangle": 3, "quad": 4}


def _clip(
    faces: npt.NDArray[Any],
    rest: npt.NDArray[Any],
    positions: npt.ArrayLike | None,
    times: npt.ArrayLike | None,
    uv: npt.ArrayLike | None,
) -> Clip:
    points = np.asarray(rest if positions is None else positions)
    points = points[None] if points.ndim == 2 else points
    if points.ndim != 3 or points.shape[1:] != (len(rest), 3):
        raise ValueError(f"positions must have shape (frames, {len(rest)}, 3), as the mesh has, got {points.shape}")
    if times is None and len(points) != 1:
        raise ValueError(f"times must be given for more than one frame, got none for {len(points)}")
    return Clip.from_arrays(faces, points, [0.0] if times is None else times, uv=uv)


def from_trimesh(mesh: Any, positions: npt.ArrayLike | None = None, times: npt.ArrayLike | None = None) -> Clip:
    """A clip of a `trimesh.Trimesh` in motion.

    Args:
        mesh: Gives `faces`, `vertices` and, if its visual has them, texture coordinates.
        positions: (frames, n, 3), its vertices in each frame; None: as they are in the mesh, one frame.
        times: (frames,) seconds, strictly increasing; may be left out for one frame.

    Raises:
        ValueError: If `mesh` has no faces and vertices, as a scene, or the arrays do not fit it (see
            `Clip.from_arrays`).
    """
    if not (hasattr(mesh, "faces") and hasattr(mesh, "vertices")):
        raise ValueError(f"a mesh must have faces and vertices, {type(mesh).__name__} has not")
    uv = getattr(getattr(mesh, "visual", None), "uv", None)
    return _clip(np.asarray(mesh.faces), np.asarray(mesh.vertices), positions, times, uv)


def from_meshio(mesh: Any, positions: npt.ArrayLike | None = None, times: npt.ArrayLike | None = None) -> Clip:
    """A clip of a `meshio.Mesh` in motion: its triangles, quads and polygons, cut into fans.

    Args:
        mesh: Gives `points` and `cells`; points in a plane, (n, 2), lie in z = 0.
        positions: (frames, n, 3), its points in each frame; None: as they are in the mesh, one frame.
        times: (frames,) seconds, strictly increasing; may be left out for one frame.

    Raises:
        ValueError: For cells that are no surface, naming them, and as `Clip.from_arrays`.
    """
    if not (hasattr(mesh, "cells") and hasattr(mesh, "points")):
        raise ValueError(f"a mesh must have cells and points, {type(mesh).__name__} has not")
    faces = [np.empty((0, 3), np.int64)]
    for block in mesh.cells:
        cells = np.asarray(block.data)
        if cells.ndim != 2 or cells.shape[1] != _CELL_CORNERS.get(block.type, cells.shape[1]):
            raise ValueError(f"cells of type {block.type} must be an array of vertices, got shape {cells.shape}")
        if block.type not in _CELL_CORNERS and not block.type.startswith("polygon"):
            raise ValueError(f"cells must be triangles, quads or polygons, got {len(cells)} of type {block.type}")
        corners, _ = fans(np.full(len(cells), cells.shape[1]))
        faces.append(cells.ravel()[corners])
    points = np.asarray(mesh.points, np.float64)
    rest = np.pad(points, ((0, 0), (0, 3 - points.shape[1])))
    return _clip(np.concatenate(faces), rest, positions, times, None)
