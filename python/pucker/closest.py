"""The places of a triangle mesh closest to points, which move with it."""

from dataclasses import dataclass

import igl
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Places:
    """Points on a triangle mesh, given by triangle and barycentric coordinates: they move with the mesh.

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
