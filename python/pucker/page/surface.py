"""The fine surface of a clip as a page holds it: each vertex by what it differs by from the coarse mesh, in its frame there.

A wrinkle that the cloth carries along stays the same in such a frame, so that from picture to picture little changes; where
there is none everything is 0.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker

from .numbers import COARSE_STEPS, FINE_STEPS, Archive, Floats, Wholes, octahedral, unit_vectors

# Steps of a barycentric coordinate. Halves are whole numbers of them, so that two that add up to 1 do so when rounded.
WEIGHT_STEPS: Final = 65536
# Below this a vector has no direction, in the unit of the positions or without one.
_NO_LENGTH: Final = 1e-12


@dataclass(frozen=True)
class Layout:
    """How the vertices of a subdivision lie on the coarse triangles.

    A corner is a vertex in a coarse triangle; there are R of them, triangle by triangle, in the order of their barycentric
    coordinates, so that triangles divided alike have the same pattern. A vertex is seen from the frame of its first corner.

    Attributes:
        vertices: (R,), of each corner.
        weights: (R, 3), its barycentric coordinates, in steps.
        counts: (m,), corners of each coarse triangle.
        faces: (M, 3), corners of the fine triangles, coarse triangle by coarse triangle.
        sources: (M,), of which each is part.
        own: (N,), first corner of each vertex.
    """

    vertices: Wholes
    weights: Wholes
    counts: Wholes
    faces: Wholes
    sources: Wholes
    own: Wholes

    @classmethod
    def of(cls, fine: "pucker.Subdivision", triangle_count: int) -> "Layout":
        """The layout of a subdivision of so many triangles."""
        order = np.argsort(fine.source, kind="stable")
        sources = fine.source[order].astype(np.int64)
        steps = np.rint(WEIGHT_STEPS * fine.corners[order]).astype(np.int64)
        keys = np.stack(
            [np.repeat(sources, 3), *(steps[..., k].ravel() for k in (1, 2)), fine.faces[order].ravel()], axis=1
        )
        corners, faces = _unique_rows(keys)
        weights = np.column_stack([WEIGHT_STEPS - corners[:, 1] - corners[:, 2], corners[:, 1:3]])
        vertices = corners[:, 3]
        own = np.unique(vertices, return_index=True)[1]
        counts = np.bincount(corners[:, 0], minlength=triangle_count)
        return cls(vertices, weights, counts, faces.reshape(-1, 3).astype(np.int64), sources, own)

    @cached_property
    def triangles(self) -> Wholes:
        """The coarse triangle (R,) of each corner."""
        return np.repeat(np.arange(len(self.counts)), self.counts)

    def write(self, archive: Archive) -> None:
        """Adds the vertices of the corners, and the patterns of triangles divided alike."""
        first_corner = np.concatenate([[0], np.cumsum(self.counts)])
        face_counts = np.bincount(self.sources, minlength=len(self.counts))
        first_face = np.concatenate([[0], np.cumsum(face_counts)])
        patterns: dict[bytes, int] = {}
        kept: list[tuple[Wholes, Wholes]] = []
        numbers = []
        for t in range(len(self.counts)):
            weights = self.weights[first_corner[t] : first_corner[t + 1]]
            faces = self.faces[first_face[t] : first_face[t + 1]] - first_corner[t]
            key = weights.tobytes() + faces.tobytes()
            if key not in patterns:
                patterns[key] = len(kept)
                kept.append((weights, faces))
            numbers.append(patterns[key])
        archive.add_wholes("corner_vertices", self.vertices)
        archive.add_wholes("patterns", numbers)
        archive.add_wholes("pattern_sizes", [(len(weights), len(faces)) for weights, faces in kept] or np.zeros((0, 2)))
        archive.add_wholes("pattern_weights", np.concatenate([np.zeros((0, 3), int), *(w for w, _ in kept)])[:, 1:])
        archive.add_wholes("pattern_faces", np.concatenate([np.zeros((0, 3), int), *(f for _, f in kept)]))


def _unique_rows(rows: Wholes) -> tuple[Wholes, Wholes]:
    """The different rows in order, and which of them each row is."""
    order = np.lexsort(rows.T[::-1])
    is_new = np.ones(len(rows), bool)
    is_new[1:] = (np.diff(rows[order], axis=0) != 0).any(axis=1)
    numbers = np.empty(len(rows), np.int64)
    numbers[order] = np.cumsum(is_new) - 1
    return rows[order][is_new], numbers


def frames_at(corners: Floats, normals: Floats, weights: Floats) -> Floats:
    """Rows (N, 3, 3) normal, tangent and the third axis of points of triangles.

    Args:
        corners: (N, 3, 3), of the triangles.
        normals: (N, 3, 3), unit ones there.
        weights: (N, 3), barycentric coordinates of the points.

    The page computes the same. Where normals cancel each other the normal is (0, 1, 0), and where the first edge has no
    direction across the normal the tangent is any.
    """
    normal = _unit_or(np.einsum("kc,kcd->kd", weights, normals), np.array([0.0, 1.0, 0.0]))
    edge = corners[:, 1] - corners[:, 0]
    across = edge - (edge * normal).sum(axis=1)[:, None] * normal
    axes = np.where(np.abs(normal[:, :1]) < 0.5, [1.0, 0.0, 0.0], [0.0, 1.0, 0.0])
    tangent = _unit_or(across, _unit_or(np.cross(axes, normal), axes))
    return np.stack([normal, tangent, np.cross(normal, tangent)], axis=1)


def _unit_or(vectors: Floats, otherwise: Floats) -> Floats:
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    found: Floats = np.where(lengths > _NO_LENGTH, vectors / np.maximum(lengths, _NO_LENGTH), otherwise)
    return found


class FineFrames:
    """Collects the fine surface, frame by frame, over the coarse mesh as the page holds it."""

    steps: Final = FINE_STEPS

    def __init__(self, faces: npt.NDArray[np.integer], layout: Layout, quantum: float) -> None:
        self._layout, self._quantum = layout, quantum
        self._corners = faces[layout.triangles[layout.own]]
        self._weights = layout.weights[layout.own] / WEIGHT_STEPS
        self._offsets: list[Wholes] = []
        self._normals: list[Wholes] = []

    def take(self, positions: Wholes, normals: Wholes, displacements: Floats, detailed: Floats) -> None:
        """A frame: coarse `positions` and `normals` in steps, and what is put over them, (N, 3) both."""
        coarse = self._quantum * positions[self._corners]
        frames = frames_at(coarse, unit_vectors(normals, COARSE_STEPS)[self._corners], self._weights)
        offsets = np.einsum("kad,kd->ka", frames, displacements) / self._quantum
        self._offsets.append(np.rint(offsets).astype(np.int64))
        local = np.einsum("kad,kd->ka", frames, detailed)
        self._normals.append(octahedral(local[:, [1, 2, 0]], FINE_STEPS))

    def write(self, archive: Archive) -> None:
        """Adds them, component by component."""
        archive.add_wholes("offsets", np.transpose(self._offsets, (0, 2, 1)))
        archive.add_wholes("detail_normals", np.transpose(self._normals, (0, 2, 1)))
