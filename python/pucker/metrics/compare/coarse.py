"""Coarse clips whose finer answer is known."""

from dataclasses import dataclass

import fast_simplification
import igl
import numpy as np
import numpy.typing as npt

import pucker

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """Points on a triangle mesh, told by triangle and barycentric coordinates: they move with the mesh.

    Attributes:
        faces: (m, 3) of the mesh.
        triangles: (k,) triangle of each point.
        barycentrics: (k, 3) its coordinates there.
        distances: (k,) how far the point that was asked for is from the mesh.
    """

    faces: npt.NDArray[np.int64]
    triangles: npt.NDArray[np.int64]
    barycentrics: Array
    distances: Array

    def carry(self, values: npt.ArrayLike) -> Array:
        """Values at the points (…, k, d) from values at the vertices (…, n, d), interpolated linearly."""
        corners = np.asarray(values, dtype=np.float64)[..., self.faces[self.triangles], :]
        carried: Array = np.einsum("kc,...kcd->...kd", self.barycentrics, corners)
        return carried


def closest_places(points: npt.ArrayLike, faces: npt.ArrayLike, positions: npt.ArrayLike) -> Places:
    """The places of a mesh (faces (m, 3), positions (n, 3)) that are closest to `points` (k, 3)."""
    triangles = np.ascontiguousarray(faces, dtype=np.int64)
    vertices = np.ascontiguousarray(positions, dtype=np.float64)
    squares, nearest, closest = igl.point_mesh_squared_distance(
        np.ascontiguousarray(points, dtype=np.float64), vertices, triangles
    )
    corners = [np.ascontiguousarray(vertices[triangles[nearest, k]]) for k in range(3)]
    return Places(triangles, nearest, igl.barycentric_coordinates(closest, *corners), np.sqrt(squares))


def coarsen(clip: pucker.Clip, triangles: int) -> pucker.Clip:
    """A coarse clip that follows the motion of a fine one.

    The first frame is decimated to `triangles` by quadric errors (Garland and Heckbert 1997, in fast-simplification);
    each coarse vertex is then bound to the closest place of the fine surface in that frame, and goes where it goes. Times
    are those of `clip`. Edge collapses end where the next would break the surface, so that there may be up to two
    triangles less than asked for, and never more.

    Raises ValueError for a number of triangles that is not positive and less than the clip's, and if the mesh cannot be
    decimated so far.
    """
    if not 0 < triangles < len(clip.faces):
        raise ValueError(
            f"triangles must be more than 0 and less than the fine mesh's {len(clip.faces)}, not {triangles}"
        )
    rest = np.array(clip.positions[0])
    points, faces = fast_simplification.simplify(rest, np.array(clip.faces), target_count=triangles)
    if len(faces) > triangles:
        raise ValueError(f"the mesh cannot be decimated to {triangles} triangles: {len(faces)} remain")
    places = closest_places(points, clip.faces, rest)
    return pucker.Clip.from_arrays(faces, places.carry(clip.positions), clip.times, weld=False)
