"""A body of rounded cones, which cloth made in code is worn over, and the contact of a sheet with it."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker._core import _byexample as byexample
from pucker.extras import needing

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

# Coulomb's coefficient between cloth and skin.
_FRICTION: Final = 0.3
_PASSES: Final = 4


@dataclass(frozen=True, eq=False)
class Near:
    """The places of limbs that points are nearest to."""

    distances: Floats
    """(k,): from the surface of the body, negative inside."""
    normals: Floats
    """(k, 3): the way out; along y for a point on an axis."""
    limbs: Indices
    """(k,)"""
    along: Floats
    """(k,): where on the limb's axis, 0 to 1."""


def nearest(points: Floats, ends: Floats, radii: Floats) -> Near:
    """The nearest places of a body of limbs to points (k, 3).

    A limb is all balls between the one about its first end and the one about its second, whose radii change evenly. The ball
    that touches a point's nearest place has its centre where the surface's normal, which leans to the thinner end, meets the
    axis.

    Args:
        points: (k, 3).
        ends: (b, 2, 3).
        radii: (b, 2).
    """
    first, axes = ends[:, None, 0], ends[:, 1] - ends[:, 0]
    lengths = np.linalg.norm(axes, axis=1)
    thick, grows = radii[:, :1], radii[:, 1:] - radii[:, :1]
    # Of limbs of which one ball holds the other, that one is all there is.
    inner = lengths <= np.abs(grows[:, 0])
    leans = np.where(inner, 0.0, -grows[:, 0] / np.where(inner, 1.0, lengths))[:, None]
    away = points - first
    heights = np.einsum("bki,bi->bk", away, axes / np.where(lengths > 0.0, lengths, 1.0)[:, None])
    reaches = np.sqrt(np.maximum(np.einsum("bki,bki->bk", away, away) - heights**2, 0.0))
    along = heights - reaches * leans / np.sqrt(1.0 - leans**2)
    along = np.clip(along / np.where(lengths > 0.0, lengths, 1.0)[:, None], 0.0, 1.0)
    along[inner] = grows[inner] > 0.0
    out = away - along[:, :, None] * axes[:, None]
    far = np.sqrt(np.einsum("bki,bki->bk", out, out))
    distances = far - (thick + along * grows)
    limbs = np.argmin(distances, axis=0)
    chosen = (limbs, np.arange(len(points)))
    lengths_out = far[chosen][:, None]
    normals = np.where(lengths_out > 0.0, out[chosen] / np.where(lengths_out > 0.0, lengths_out, 1.0), [0.0, 1.0, 0.0])
    return Near(distances[chosen], normals, limbs, along[chosen])


def pushed_out(points: Floats, before: Floats, now: Floats, then: Floats, radii: Floats, clearance: float) -> Floats:
    """Shifts (k, 3) that take points out of a body, and hold back what slides along it.

    A point nearer than `clearance` is moved out along the normal, and against its slip along the skin by up to Coulomb's
    share of that. Where limbs meet, it may take several passes.

    Args:
        points: (k, 3) at the end of a step.
        before: (k, 3): where they were at its beginning.
        now: (b, 2, 3): ends of the limbs at its beginning.
        then: At its end.
        radii: (b, 2).
        clearance: Metres.
    """
    found = np.zeros_like(points)
    at = nearest(points, then, radii)
    inside = np.flatnonzero(at.distances < clearance)
    depths = (clearance - at.distances[inside])[:, None]
    normals = at.normals[inside]
    along = at.along[inside][:, None]
    led = (then - now)[at.limbs[inside]]
    slips = points[inside] - before[inside] - ((1.0 - along) * led[:, 0] + along * led[:, 1])
    slips -= np.einsum("ki,ki->k", slips, normals)[:, None] * normals
    lengths = np.linalg.norm(slips, axis=1, keepdims=True)
    found[inside] = depths * normals - np.minimum(_FRICTION * depths / np.maximum(lengths, 1e-300), 1.0) * slips
    return found


class Touching:
    """Keeps a surface, whose points are averages of a sheet's vertices, out of a body."""

    def __init__(self, averages: byexample.SparseRows) -> None:
        """`averages`: (k, n), whose rows sum to 1."""
        with needing("simulate", "cloth over a body"):
            from scipy.sparse import csr_array  # noqa: PLC0415
        self._averages = csr_array((averages.data, averages.indices, averages.indptr), shape=averages.shape)
        self._lengths = (self._averages**2).sum(axis=1)

    def correction(
        self, positions: Floats, before: Floats, now: Floats, then: Floats, radii: Floats, clearance: float
    ) -> Floats:
        """Shifts (n, 3) of the vertices; for the rest see `pushed_out`.

        A single point moves by the least change of its vertices that does it; a vertex of several takes the mean of what they
        ask for, by its share in them, and all is asked again.
        """
        found = np.zeros_like(positions)
        started = self._averages @ before
        near = np.arange(len(started))
        rows = self._averages
        for _ in range(_PASSES):
            points = rows @ (positions + found)
            pushes = pushed_out(points, started[near], now, then, radii, clearance)
            moved = pushes.any(axis=1)
            if not moved.any():
                break
            moving = rows[moved]
            asked = (moving**2).T @ (pushes[moved] / self._lengths[near[moved], None])
            shares = moving.sum(axis=0)[:, None]
            found += asked / np.where(shares > 0.0, shares, 1.0)
            # Only what has moved is looked at again.
            if len(near) == len(started):
                near = np.flatnonzero(self._averages @ found.any(axis=1).astype(np.float64) > 0.0)
                rows = self._averages[near]
        return found


def surface(ends: Floats, radii: Floats, sides: int = 24) -> tuple[Floats, npt.NDArray[np.int32]]:
    """Vertices and triangles of each limb's surface, a row of circles about its axis; those of different limbs pass through each other.

    The number of vertices and the triangles do not depend on the ends.
    """
    points, faces = [], []
    column = np.arange(sides)
    turns = 2.0 * np.pi * column / sides
    rows = sides + 1
    for limb, ((first, second), (thick, thin)) in enumerate(zip(ends, radii, strict=True)):
        axis = second - first
        length = float(np.linalg.norm(axis))
        axis = axis / length if length > 0.0 else np.array([0.0, 1.0, 0.0])
        side = np.eye(3)[np.argmin(np.abs(axis))]
        side = side - (side @ axis) * axis
        side /= np.linalg.norm(side)
        across = np.cos(turns)[:, None] * side + np.sin(turns)[:, None] * np.cross(axis, side)
        # Half of the circles go round each end, from pole to where the balls' common cone touches both.
        touch = np.arcsin(np.clip((thick - thin) / length if length > 0.0 else 0.0, -1.0, 1.0))
        for row in range(rows + 1):
            centre, radius = (first, thick) if row <= sides // 2 else (second, thin)
            share = row / (sides // 2) if row <= sides // 2 else (row - sides // 2 - 1) / (rows - sides // 2 - 1)
            angle = (
                -0.5 * np.pi + share * (touch + 0.5 * np.pi)
                if row <= sides // 2
                else touch + share * (0.5 * np.pi - touch)
            )
            points.append(centre + radius * (np.sin(angle) * axis + np.cos(angle) * across))
        start = limb * (rows + 1) * sides
        for row in range(rows):
            a, b = start + row * sides + column, start + row * sides + (column + 1) % sides
            faces += [np.stack([a, b, b + sides], axis=1), np.stack([a, b + sides, a + sides], axis=1)]
    return np.concatenate(points), np.concatenate(faces).astype(np.int32)
