"""Straightest lines over a triangle mesh (Polthier and Schmies 1998): straight in a triangle, and over an edge as if both triangles lay flat."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import pucker
from pucker.vectors import unit

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

# A line that crosses more edges in a step than that turns round a vertex.
_MOST_EDGES = 16


@dataclass(frozen=True)
class LinePlaces:
    """Points on lines over a mesh.

    Attributes:
        triangles: (lines, k) triangle of each point; −1 beyond the surface's border.
        barycentrics: (lines, k, 3) its coordinates there.
        directions: (lines, k, 3) unit vectors in which the line runs there.
    """

    triangles: Indices
    barycentrics: Array
    directions: Array

    def read(self, faces: Indices, values: Array) -> Array:
        """Values (lines, k) at the points from values (n,) at the vertices of `faces` (m, 3); NaN beyond the border."""
        found: Array = np.einsum("lkc,lkc->lk", self.barycentrics, values[faces[self.triangles]])
        return np.where(self.triangles < 0, np.nan, found)


class StraightestLines:
    """Walks over the triangles `faces` (m, 3) of a surface with vertices `positions` (n, 3).

    Attributes:
        mesh: Of the triangles.
        areas: (m,) of the triangles.
        gradients: (m, 3, 3) of the barycentric coordinates; zero in a triangle without an area.
    """

    def __init__(self, faces: Indices, positions: Array) -> None:
        corners = positions[faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        squares = np.einsum("td,td->t", normals, normals)
        self.areas = 0.5 * np.sqrt(squares)
        self._faces = faces
        self.mesh = pucker.Mesh(faces, len(positions))
        self._neighbours = np.asarray(self.mesh.triangle_neighbours)
        opposite = corners[:, [2, 0, 1]] - corners[:, [1, 2, 0]]
        self.gradients = (
            np.cross(normals[:, None, :], opposite) / np.where(squares > 0.0, squares, np.inf)[:, None, None]
        )
        self.normals = unit(normals)

    def read(self, values: Array, triangles: Indices, directions: Array, step: float, count: int) -> Array:
        """Values (lines, count + 1) on lines from the triangles' middles, every `step`; NaN beyond the surface's border."""
        middles = np.full((len(triangles), 3), 1.0 / 3.0)
        return self.places(triangles, middles, directions, step, count).read(self._faces, values)

    def places(self, triangles: Indices, barycentrics: Array, directions: Array, step: float, count: int) -> LinePlaces:
        """Points (lines, count + 1) on lines from the places given, every `step`.

        Directions (lines, 3) are brought into the plane of their triangle. A line that starts at −1, beyond the border, has no points.
        """
        at, weights = triangles.copy(), barycentrics.copy()
        in_plane = unit(directions - _along(directions, self.normals[at]))
        alive = np.any(in_plane != 0.0, axis=1) & (at >= 0)
        found = np.full((len(at), count + 1), -1)
        places, ways = np.zeros((len(at), count + 1, 3)), np.zeros((len(at), count + 1, 3))
        for index in range(count + 1):
            found[alive, index] = at[alive]
            places[alive, index], ways[alive, index] = weights[alive], in_plane[alive]
            left = np.where(alive, step, 0.0)
            for _ in range(_MOST_EDGES):
                moving = np.flatnonzero(left > 0.0)
                if not len(moving):
                    break
                self._move(moving, at, weights, in_plane, left, alive)
            alive &= left == 0.0
        return LinePlaces(found, places, ways)

    def _move(
        self, moving: Indices, at: Indices, weights: Array, directions: Array, left: Array, alive: npt.NDArray[np.bool_]
    ) -> None:
        """Goes on to the end of the way that is left or of the triangle."""
        rates = np.einsum("lcd,ld->lc", self.gradients[at[moving]], directions[moving])
        with np.errstate(divide="ignore", invalid="ignore"):
            times = np.where(rates < 0.0, np.maximum(weights[moving], 0.0) / -rates, np.inf)
        corner = np.argmin(times, axis=1)
        way = times[np.arange(len(moving)), corner]
        leaving = way < left[moving]
        weights[moving] += np.minimum(way, left[moving])[:, None] * rates
        left[moving] = np.where(leaving, left[moving] - way, 0.0)
        out, corner = moving[leaving], corner[leaving]
        weights[out, corner] = 0.0
        old = at[out]
        new = self._neighbours[old, (corner + 1) % 3]
        ended = new < 0
        alive[out[ended]] = False
        left[out[ended]] = 0.0
        out, corner, old, new = out[~ended], corner[~ended], old[~ended], new[~ended]
        # Old corners as corners of the new triangle; the one that is none of them is opposite the edge.
        same = self._faces[new][:, :, None] == self._faces[old][:, None, :]
        same[np.arange(len(out)), :, corner] = False
        weights[out] = np.einsum("lnc,lc->ln", same, weights[out])
        apex = np.argmin(same.any(axis=2), axis=1)
        outward = -unit(self.gradients[old, corner])
        inward = unit(self.gradients[new, apex])
        across = np.einsum("ld,ld->l", directions[out], outward)
        directions[out] = directions[out] + across[:, None] * (inward - outward)
        at[out] = new


def joined(back: npt.NDArray[Any], ahead: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Lines (k, 2 r + 1, …) through their starts, of what is along both halves (k, r + 1, …) from there on."""
    return np.concatenate([back[:, :0:-1], ahead], axis=1)


def _along(vectors: Array, axes: Array) -> Array:
    """The part of vectors (k, 3) along axes (k, 3)."""
    units = unit(axes)
    part: Array = np.einsum("kd,kd->k", vectors, units)[:, None] * units
    return part
