"""Normals that a garment is shaded by: those of its file, and at borders sewn to the rest of a character those of both.

Detail is evaluated with normals that are the same over seams, or it would tear there; where it is shaded by others it is
turned with them.
"""

from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Subdivision

Floats = npt.NDArray[np.float64]

# What is shaded by: the means over the triangles round a vertex, or the file's normals where it has some.
Normals = Literal["smooth", "file"]


def check_normals(normals: str) -> None:
    """Raises ValueError for what is none of `Normals`."""
    if normals not in get_args(Normals):
        raise ValueError(f"normals must be one of {', '.join(get_args(Normals))}, not {normals!r}")


def shading_normals(clip: Clip, frame: int, normals: Normals) -> tuple[Floats, Floats] | None:
    """Normals of the corners (m, 3, 3) of a frame's garment, and of the body's vertices (nb, 3).

    None if the triangles of each say all there is to say.
    """
    authored = normals == "file" and clip.has_authored_normals
    if not authored and len(clip.shared_vertices) == 0:
        return None
    garment, body = clip.shading_normals(frame, authored)
    return garment[clip.stored_faces], body


def vertex_normals(clip: Clip, frame: int) -> tuple[Floats | None, Floats | None]:
    """Smooth normals of the garment's welded vertices (n, 3) and the body's stored ones (nb, 3).

    None for both unless they are sewn to each other: the triangles of each say all there is to say then.
    """
    if len(clip.shared_vertices) == 0:
        return None, None
    stored, body = clip.shading_normals(frame, authored=False)
    garment = np.empty((clip.positions.shape[1], 3))
    garment[clip.weld] = stored
    return garment, body


def detailed_normals(corners: Floats, fine: Subdivision, base: Floats, detailed: Floats) -> Floats:
    """Normals (M, 3, 3) of the corners of fine triangles.

    Args:
        corners: Those of the coarse triangles, (m, 3, 3).
        fine: What divides them into M.
        base: Normals (N, 3) of the vertices of `fine` on the coarse mesh.
        detailed: The same (N, 3) with the detail.
    """
    given = np.einsum("fkc,fcd->fkd", fine.corners, corners[fine.source])
    lengths = np.linalg.norm(given, axis=2, keepdims=True)
    smooth = detailed[fine.faces]
    return np.where(lengths > 1e-6, turned(smooth, base[fine.faces], given / np.maximum(lengths, 1e-6)), smooth)


def turned(directions: Floats, origin: Floats, target: Floats) -> Floats:
    """Unit vectors (…, 3) turned by the least rotation that takes one unit vector to another; `target` where that is none."""
    share = 1.0 + (origin * target).sum(axis=-1, keepdims=True)
    axis = np.cross(origin, target)
    first = np.cross(axis, directions)
    found = directions + first + np.cross(axis, first) / np.maximum(share, 1e-4)
    found /= np.linalg.norm(found, axis=-1, keepdims=True)
    return np.where(share < 1e-4, target, found)
