"""A clip's wrinkled surface as triangles, frame by frame."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import draw, method
from pucker.method import Detail, levels_for
from pucker.shading import Normals, detailed_normals, shading_normals
from pucker.vectors import up_where_zero

# Length of edges as a share of a wrinkle's width: for frames of their own what drawing has at the narrowest wrinkle
# (Gillette 2015, section 7.3). One mesh for all frames is finer than a single frame needs and may start coarser;
# docs/bake.md tells what is lost.
FRAME_EDGE_SHARE: Final = draw.TARGET_EDGE_SHARE
COMMON_EDGE_SHARE: Final = 0.5
# Most pieces an edge is divided into, as in drawing.
MAX_LEVEL: Final = draw.MAX_LEVEL

_Floats = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.int32]


@dataclass(frozen=True)
class Part:
    """The connectivity of one mesh.

    Attributes:
        faces: (M, 3), vertices of the triangles.
        uv: (U, 2), texture coordinates, (0, 0) in the lower left corner; None without.
        uv_faces: (M, 3), rows of these that the corners have; None without.
        materials: (M,), index into the clip's materials.
        normal_faces: (M, 3), rows of a shape's normals that the corners have; None: those of `faces`.
    """

    name: str
    faces: _Indices
    uv: _Floats | None
    uv_faces: _Indices | None
    materials: _Indices
    normal_faces: _Indices | None = None

    @property
    def corner_uv(self) -> _Floats | None:
        """Texture coordinates of the corners, (M, 3, 2)."""
        return None if self.uv is None else self.uv[self.uv_faces]

    @property
    def owners(self) -> npt.NDArray[np.int64]:
        """The vertex that each of a shape's normals is one of."""
        faces = self.faces if self.normal_faces is None else self.normal_faces
        out = np.zeros(int(faces.max(initial=-1)) + 1, np.int64)
        out[faces] = self.faces
        return out


@dataclass(frozen=True)
class Shape:
    """Positions (N, 3) of a mesh's vertices in one frame, and its unit normals: (N, 3), or as `Part.normal_faces` says."""

    positions: _Floats
    normals: _Floats


def own_mesh(detail: Detail) -> "pucker.Subdivision | None":
    """The mesh that a detail is; None for one that may be divided as finely as asked.

    Other pieces would cut across the folds of such a mesh. It is the same in all frames of a run.
    """
    return detail.own_mesh if isinstance(detail, method.Detail) else None


def wanted_levels(clip: "pucker.Clip", details: Iterable[Detail], edge_share: float) -> list[npt.NDArray[np.int32]]:
    """`levels_for` of each frame's detail."""
    frames = zip(clip.positions, details, strict=True)
    return [levels_for(detail, clip.mesh, positions, edge_share) for positions, detail in frames]


def _seam_corners(stored: npt.NDArray[np.integer], fine: "pucker.Subdivision") -> npt.NDArray[np.int64]:
    """A number (M, 3) for each corner, the same where two triangles that meet there share the stored vertices.

    `stored` (m, 3) are the vertices of the coarse triangles as the file has them, split at seams.
    """
    at = fine.corners > 0.0
    vertices = stored[fine.source].astype(np.int64)[:, None]
    low = np.where(at, vertices, np.iinfo(np.int64).max).min(axis=2)
    high = np.where(at, vertices, -1).max(axis=2)
    span = int(stored.max(initial=0)) + 1
    # Inside a triangle nothing is shared, and the vertex alone tells.
    sides = np.unique(np.where(at.all(axis=2), 0, low * span + high), return_inverse=True)[1].reshape(-1, 3)
    keys = fine.faces.astype(np.int64) * (int(sides.max(initial=0)) + 1) + sides
    numbers: npt.NDArray[np.int64] = np.unique(keys, return_inverse=True)[1].reshape(-1, 3)
    return numbers


class Garment:
    """The wrinkled garment of a clip on one subdivision of its mesh; `normals` are what it is shaded by."""

    def __init__(self, clip: "pucker.Clip", fine: "pucker.Subdivision", normals: Normals) -> None:
        self._clip = clip
        self._normals = normals
        self._fine = fine

    @cached_property
    def part(self) -> Part:
        """The connectivity."""
        fine, clip = self._fine, self._clip
        uv = uv_faces = None
        if len(clip.uv):
            uv_faces = self._seams
            corners = np.einsum("fkc,fcd->fkd", fine.corners, clip.uv[clip.stored_faces[fine.source]])
            uv = np.zeros((int(uv_faces.max(initial=-1)) + 1, 2))
            uv[uv_faces] = corners
        normal_faces = None if shading_normals(clip, 0, self._normals) is None else self._seams
        return Part("garment", fine.faces, uv, uv_faces, clip.materials[fine.source], normal_faces)

    @cached_property
    def _seams(self) -> _Indices:
        return _seam_corners(self._clip.stored_faces, self._fine).astype(np.int32)

    def shape(self, detail: Detail, index: int) -> Shape:
        """The detailed surface of frame `index`."""
        points = detail.evaluate(self._fine.triangles, self._fine.barycentrics)
        shading = shading_normals(self._clip, index, self._normals)
        if shading is None:
            return Shape(points.positions, points.normals)
        normals = np.zeros((int(self._seams.max(initial=-1)) + 1, 3))
        normals[self._seams] = detailed_normals(shading[0], self._fine, points.base_normals, points.normals)
        return Shape(points.positions, normals)


class Body:
    """The rest of the character, as it is."""

    def __init__(self, clip: "pucker.Clip", normals: Normals) -> None:
        self._clip = clip
        self._normals = normals
        # Vertices that are one point share a normal.
        self._first = np.unique(clip.body_weld, return_index=True)[1]
        self._mesh = pucker.Mesh(clip.body_weld[clip.body_faces], len(self._first))
        has_uv = len(clip.body_uv) > 0
        self.part = Part(
            "body",
            clip.body_faces,
            clip.body_uv if has_uv else None,
            clip.body_faces if has_uv else None,
            clip.body_materials,
        )

    def shape(self, index: int) -> Shape:
        """The body of frame `index`."""
        positions = self._clip.body_positions[index]
        shading = shading_normals(self._clip, index, self._normals)
        if shading is not None:
            return Shape(positions, shading[1])
        normals = pucker.vertex_normals(self._mesh, positions[self._first])
        return Shape(positions, up_where_zero(normals)[self._clip.body_weld])


class BakedClip:
    """All frames of a clip, wrinkled.

    Attributes:
        packed: The wrinkles of each frame.
        levels: Pieces of each edge, (e,), frame by frame; or the mesh that the detail of all frames is.
        fixed: One subdivision for all frames, fine enough for each; otherwise each frame has its own.
        body: Whether the rest of the character is there too.
        normals: What both are shaded by.

    `most_vertices` and `most_triangles` are those of the largest garment made so far.
    """

    def __init__(
        self,
        clip: "pucker.Clip",
        details: Iterable[Detail],
        levels: "Sequence[npt.NDArray[np.int32]] | pucker.Subdivision",
        *,
        fixed: bool,
        body: bool,
        normals: Normals,
    ) -> None:
        self.clip = clip
        self.fixed = fixed
        self._normals = normals
        self.body = Body(clip, normals) if body and len(clip.body_faces) else None
        self.most_vertices = self.most_triangles = 0
        self._details = details
        self._levels = levels
        self._place = -1

    def __len__(self) -> int:
        return len(self.clip)

    @property
    def times(self) -> _Floats:
        """Seconds (frames,), the first frame at 0."""
        times: _Floats = self.clip.times - self.clip.times[0]
        return times

    @cached_property
    def _common(self) -> Garment:
        if isinstance(self._levels, pucker.Subdivision):
            return Garment(self.clip, self._levels, self._normals)
        return Garment(self.clip, pucker.Subdivision(self.clip.mesh, np.max(self._levels, axis=0)), self._normals)

    def garment(self, index: int) -> tuple[Part, Shape]:
        """The detailed garment of a frame; frames are best asked for in order."""
        if self.fixed or isinstance(self._levels, pucker.Subdivision):
            garment = self._common
        else:
            garment = Garment(self.clip, pucker.Subdivision(self.clip.mesh, self._levels[index]), self._normals)
        shape = garment.shape(self._detail(index), index)
        self.most_vertices = max(self.most_vertices, len(shape.positions))
        self.most_triangles = max(self.most_triangles, len(garment.part.faces))
        return garment.part, shape

    def _detail(self, index: int) -> Detail:
        if self._place < 0 or index < self._place:
            self._run, self._place = iter(self._details), -1
        while self._place < index:
            self._latest = next(self._run)
            self._place += 1
        return self._latest

    @property
    def garment_part(self) -> Part:
        """The connectivity that all frames share."""
        return self._common.part
