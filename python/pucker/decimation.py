"""Coarse clips made of fine ones, whose finer answer is known."""

import fast_simplification
import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker.closest import closest_places


def coarsen(clip: Clip, triangles: int, *, pose: npt.ArrayLike | None = None) -> Clip:
    """A coarse clip that follows the motion of a fine one.

    The first frame, or `pose`, is decimated to `triangles` by quadric errors (Garland and Heckbert 1997, in
    fast-simplification); each coarse vertex is then bound to the closest place of the fine surface in that pose, and goes
    where it goes. Times are those of `clip`. Edge collapses end where the next would break the surface, so that there may
    be up to two triangles less than asked for, and never more.

    Args:
        clip: Of the fine mesh.
        triangles: At most; positive, and less than the clip has.
        pose: (N, 3) positions of the fine mesh. Clips of one mesh that are decimated in the same pose get the same coarse
            mesh.

    Raises:
        ValueError: For another number of triangles, a pose of another shape or that is not finite, and if the mesh cannot
            be decimated so far.
    """
    if not 0 < triangles < len(clip.faces):
        raise ValueError(
            f"triangles must be more than 0 and less than the fine mesh's {len(clip.faces)}, not {triangles}"
        )
    rest = np.array(clip.positions[0] if pose is None else pose, dtype=np.float64)
    if rest.shape != clip.positions.shape[1:] or not np.isfinite(rest).all():
        raise ValueError(f"the pose must be {clip.positions.shape[1:]} finite numbers, got shape {rest.shape}")
    points, faces = fast_simplification.simplify(rest, np.array(clip.faces), target_count=triangles)
    if len(faces) > triangles:
        raise ValueError(f"the mesh cannot be decimated to {triangles} triangles: {len(faces)} remain")
    places = closest_places(points, clip.faces, rest)
    return Clip.from_arrays(faces, places.carry(clip.positions), clip.times, weld=False)
