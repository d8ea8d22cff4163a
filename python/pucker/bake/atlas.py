"""Texels of a mesh in its texture coordinates, and the tangent frames there."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import pucker
from pucker.vectors import unit

_Floats = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.int64]

# Texels closer to an edge than this, in barycentric coordinates, belong to both its triangles.
_ON_EDGE = 1e-6
# Of texture coordinates, in single precision.
_ROUNDING = 1e-6


class Atlas:
    """The texels whose centres lie on some triangles, each with its place there.

    Args:
        uv: (m, 3, 2), texture coordinates of the triangles' corners, (0, 0) in the lower left corner.
        chosen: (c,), the triangles to lay out. Those whose coordinates have no area, or hold no centre of a texel, have
            none.
        padding: Texels by which values are carried on beyond the triangles.

    `triangles` (k,) and `barycentrics` (k, 3) say where the k covered texels lie.

    Raises:
        ValueError: For coordinates outside of [0, 1], and if `refuse_overlap` for a texel inside two triangles;
            otherwise the first has it.
    """

    def __init__(self, uv: _Floats, chosen: _Indices, size: int, *, padding: int, refuse_overlap: bool) -> None:
        # What a rounding is beyond holds no other texel's centre.
        outside = chosen[((uv[chosen] < -_ROUNDING) | (uv[chosen] > 1.0 + _ROUNDING)).any(axis=(1, 2))]
        if len(outside):
            corner = uv[outside[0]][np.argmax(np.abs(uv[outside[0]] - 0.5).max(axis=1))]
            raise ValueError(
                f"texture coordinates must lie in [0, 1], but triangle {outside[0]} has ({corner[0]:g}, {corner[1]:g})"
            )
        self._size = size
        self._owner = np.full((size, size), -1, np.int64)
        self._place = np.zeros((size, size, 3))
        for triangle in chosen:
            self._lay(int(triangle), uv[triangle], refuse_overlap=refuse_overlap)
        covered = self._owner >= 0
        self.triangles = self._owner[covered]
        self.barycentrics = self._place[covered]
        self._covered = covered
        self._filled, nearest = _carried_on(covered, padding)
        numbers = np.cumsum(covered.ravel()).reshape(size, size) - 1
        self._source = numbers[tuple(nearest[:, self._filled])]

    @property
    def covered(self) -> float:
        """Share of the texels that lie on a triangle."""
        return float(self._covered.mean())

    def _lay(self, triangle: int, uv: _Floats, *, refuse_overlap: bool) -> None:
        # Columns go along u, rows against v; a texel's centre has coordinates that end in a half.
        corners = np.stack([uv[:, 0], 1.0 - uv[:, 1]], axis=1) * self._size
        first = np.maximum(np.floor(corners.min(axis=0)).astype(int), 0)
        last = np.minimum(np.ceil(corners.max(axis=0)).astype(int), self._size)
        u, v = corners[1] - corners[0], corners[2] - corners[0]
        area = u[0] * v[1] - u[1] * v[0]
        if area == 0.0:
            return
        x = np.arange(first[0], last[0])[None, :] + 0.5 - corners[0, 0]
        y = np.arange(first[1], last[1])[:, None] + 0.5 - corners[0, 1]
        second = (x * v[1] - y * v[0]) / area
        third = (u[0] * y - u[1] * x) / area
        at = np.stack([1.0 - second - third, second, third], axis=2)
        depth = at.min(axis=2)
        window = np.s_[first[1] : last[1], first[0] : last[0]]
        owner, place = self._owner[window], self._place[window]
        inside = depth >= 0.0
        taken = inside & (owner >= 0)
        clash = taken & (depth > _ON_EDGE) & (place.min(axis=2) > _ON_EDGE)
        if refuse_overlap and clash.any():
            raise ValueError(
                f"texture coordinates must not overlap, but triangles {owner[clash][0]} and {triangle} share "
                f"{int(clash.sum())} texels"
            )
        free = inside & (owner < 0)
        owner[free] = triangle
        place[free] = at[free]

    def picture(self, values: _Floats, empty: npt.ArrayLike) -> _Floats:
        """The picture (size, size) or (size, size, c) of the texels' values (k,) or (k, c); `empty` is the rest's."""
        picture = np.empty((self._size, self._size, *values.shape[1:]))
        picture[...] = empty
        picture[self._filled] = values[self._source]
        return picture


def _carried_on(covered: npt.NDArray[np.bool_], padding: int) -> tuple[npt.NDArray[np.bool_], _Indices]:
    """Which texels lie at most `padding` from a covered one, and the row and column (2, h, w) of the nearest."""
    height, width = covered.shape
    filled = covered.copy()
    nearest = np.indices(covered.shape)
    reach = np.arange(-min(padding, max(height, width)), min(padding, max(height, width)) + 1)
    down, right = (axis.ravel() for axis in np.meshgrid(reach, reach, indexing="ij"))
    squares = down * down + right * right
    # From near to far, so that the first that is found is the nearest.
    for way in np.argsort(squares, kind="stable")[1:]:
        if squares[way] > padding * padding:
            break
        y, x = int(down[way]), int(right[way])
        if abs(y) >= height or abs(x) >= width:
            continue
        to = np.s_[max(-y, 0) : height - max(y, 0), max(-x, 0) : width - max(x, 0)]
        source = np.s_[max(y, 0) : height - max(-y, 0), max(x, 0) : width - max(-x, 0)]
        rows, columns = np.nonzero(covered[source] & ~filled[to])
        rows, columns = rows + max(-y, 0), columns + max(-x, 0)
        filled[rows, columns] = True
        nearest[:, rows, columns] = rows + y, columns + x
    return filled, nearest


@dataclass(frozen=True)
class TangentFrames:
    """Frames (k, 3, 3) of points, whose rows are tangent, bitangent and normal, not of unit length between vertices."""

    axes: _Floats

    def coordinates_of(self, normals: _Floats) -> _Floats:
        """Unit vectors (k, 3) t for which the normalised t_x T + t_y B + t_z N are the `normals`."""
        found = np.linalg.solve(np.swapaxes(self.axes, 1, 2), normals[:, :, None])[:, :, 0]
        unit: _Floats = found / np.linalg.norm(found, axis=1)[:, None]
        return unit


class VertexTangents:
    """Tangent frames of a garment, as MikkTSpace makes them (Mikkelsen 2008, section 3).

    A vertex's tangent is the mean of the directions in which u grows in its triangles, projected into the plane of its
    normal and weighted by the triangles' angles there. Only triangles with the same texture coordinates at the vertex, and
    mirrored in them alike, share one. Between vertices tangent and normal are interpolated, the bitangent is their
    cross product N × T, turned round in mirrored triangles.
    """

    def __init__(self, clip: "pucker.Clip") -> None:
        self._clip = clip
        corners = clip.uv[clip.stored_faces]
        self._first, self._second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        self._area = self._first[:, 0] * self._second[:, 1] - self._first[:, 1] * self._second[:, 0]
        self._mirrored = self._area < 0.0
        keys = np.column_stack([clip.faces.ravel(), corners.reshape(-1, 2), np.repeat(self._mirrored, 3)])
        self._slots = np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1, 3)

    def at(self, positions: _Floats, triangles: _Indices, barycentrics: _Floats) -> TangentFrames:
        """Frames at points (k,) of the garment with the vertices at `positions` (n, 3)."""
        normals = pucker.vertex_normals(self._clip.mesh, positions)[self._clip.faces]
        tangents = self._tangents(positions, normals)
        normal = np.einsum("kc,kcd->kd", barycentrics, normals[triangles])
        tangent = np.einsum("kc,kcd->kd", barycentrics, tangents[triangles])
        side = np.where(self._mirrored[triangles], -1.0, 1.0)[:, None]
        return TangentFrames(np.stack([tangent, side * np.cross(normal, tangent), normal], axis=1))

    def _tangents(self, positions: _Floats, normals: _Floats) -> _Floats:
        """Unit tangents (m, 3, 3) at the corners."""
        corners = positions[self._clip.faces]
        first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
        # The sign of the area alone counts: the length is lost when it is made a direction.
        along_u = np.sign(self._area)[:, None] * (first * self._second[:, 1:] - second * self._first[:, 1:])
        flat = unit(along_u[:, None] - (along_u[:, None] * normals).sum(axis=2)[:, :, None] * normals)
        to_next = unit(np.roll(corners, -1, axis=1) - corners)
        to_last = unit(np.roll(corners, 1, axis=1) - corners)
        angles = np.arccos(np.clip((to_next * to_last).sum(axis=2), -1.0, 1.0))
        weighted = (angles[:, :, None] * flat).reshape(-1, 3)
        slots = self._slots.ravel()
        sums: _Floats = np.stack([np.bincount(slots, column) for column in weighted.T], axis=1)
        found = unit(sums)[self._slots]
        # Where texture coordinates have no area any direction will do.
        lost = (found == 0.0).all(axis=2)
        return np.where(lost[:, :, None], _across(normals), found)


def _across(normals: _Floats) -> _Floats:
    """Unit vectors perpendicular to the normals."""
    axis: _Floats = np.where(np.abs(normals[..., :1]) < 0.5, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    return unit(np.cross(axis, normals))
