"""Meshes in motion and the invariants of paths, for the tests of the dynamic method."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from exact import meetings

import pucker
from pucker.examples import grid_faces

Motion = Callable[[float], np.ndarray]


@dataclass(frozen=True)
class Shape:
    """A mesh with a rest shape."""

    mesh: pucker.Mesh
    rest: np.ndarray

    @property
    def faces(self) -> np.ndarray:
        return self.mesh.faces

    def frames(self, positions: np.ndarray) -> pucker.LocalFrames:
        return pucker.local_frames(self.mesh, positions)

    def stretch(self, before: np.ndarray, after: np.ndarray) -> pucker.Stretch:
        return pucker.stretch(self.frames(before).matrices, self.frames(after).matrices)

    def field(self, positions: np.ndarray, reference: np.ndarray | None = None) -> pucker.CompressionField:
        """The compression of `positions` against `reference`, the rest shape if there is none."""
        stretch = self.stretch(self.rest if reference is None else reference, positions)
        return pucker.CompressionField(self.mesh, positions, stretch)


def shape(faces: np.ndarray, rest: np.ndarray) -> Shape:
    return Shape(pucker.Mesh(faces, len(rest)), np.asarray(rest, float))


def sheet(rng: np.random.Generator, cells: int = 8, jitter: float = 0.3) -> Shape:
    """A unit square in the plane z = 0 whose inner vertices are displaced at random by up to `jitter` of a cell."""
    y, x = np.mgrid[: cells + 1, : cells + 1] / cells
    rest = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    inner = ((rest[:, :2] > 0) & (rest[:, :2] < 1)).all(axis=1)
    rest[inner, :2] += rng.uniform(-jitter, jitter, (inner.sum(), 2)) / cells
    return shape(grid_faces(cells, cells), rest)


def odd_mesh() -> tuple[pucker.Mesh, np.ndarray]:
    """A sheet with a triangle that has no area, one that stands on an edge of two others, two that meet in a point, and a vertex
    of no triangle.
    """
    faces = np.array([[0, 1, 3], [1, 4, 3], [1, 2, 4], [2, 5, 4], [4, 1, 6], [5, 7, 8], [0, 0, 1]], dtype=np.int32)
    rest = np.array(
        [[0, 0, 0], [1, 0, 0.1], [2, 0, 0], [0, 1, 0.2], [1, 1, 0], [2, 1, 0.1], [1, 0.5, 1], [3, 1, 0], [3, 2, 0.3], [5, 5, 5]],
        dtype=np.float64,
    )  # fmt: skip
    return pucker.Mesh(faces, len(rest)), rest


def tube(columns: int = 14, rows: int = 8) -> Shape:
    """A tube of radius 0.5 and length 1 about the z axis."""
    y, x = (index.ravel() for index in np.mgrid[: rows + 1, :columns])
    angle = 2 * np.pi * x / columns
    return shape(
        grid_faces(columns, rows, closed=True), np.stack([0.5 * np.cos(angle), 0.5 * np.sin(angle), y / rows], axis=1)
    )


def sphere(columns: int = 14, rows: int = 10) -> Shape:
    """A sphere of radius 0.5 with a pole at each end of the z axis."""
    ring, turn = (index.ravel() for index in np.mgrid[1:rows, :columns])
    polar, angle = np.pi * ring / rows, 2 * np.pi * turn / columns
    rest = 0.5 * np.stack([np.sin(polar) * np.cos(angle), np.sin(polar) * np.sin(angle), np.cos(polar)], axis=1)
    rest = np.concatenate([rest, [[0, 0, 0.5], [0, 0, -0.5]]])
    first, last = np.arange(columns), np.arange(columns) + (rows - 2) * columns
    caps = [
        np.stack([np.roll(first, -1), first, np.full(columns, len(rest) - 2)], axis=1),
        np.stack([last, np.roll(last, -1), np.full(columns, len(rest) - 1)], axis=1),
    ]
    return shape(np.concatenate([grid_faces(columns, rows - 2, closed=True), *caps]), rest)


def rotation(rng: np.random.Generator) -> np.ndarray:
    """A rotation of space, (3, 3)."""
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q *= np.sign(np.diag(r))
    return q * np.linalg.det(q)


def waves(rng: np.random.Generator, rest: np.ndarray, strength: float = 0.1) -> Motion:
    """A smooth random deformation: a few waves whose phases drift."""
    vectors, directions = 3 * rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    phases, rates = 6 * rng.normal(size=4), 4 * rng.normal(size=4)

    def at(time: float) -> np.ndarray:
        return rest + strength * np.sin(rest @ vectors.T + phases + rates * time) @ directions

    return at


def squeeze(angle: float, compression: float) -> np.ndarray:
    """The symmetric map (3, 3) that shortens the plane z = 0 to 1/compression across the direction at `angle`."""
    along = np.array([np.cos(angle), np.sin(angle), 0.0])
    across = np.array([-along[1], along[0], 0.0])
    return np.eye(3) - (1 - 1 / compression) * np.outer(across, across)


def expect_valid(mesh: pucker.Mesh, state: pucker.State, positions: np.ndarray) -> None:
    """Points on their edges, segments in their triangles, all finite, and no living path crosses another or itself."""
    assert len(positions) == mesh.vertex_count
    for wrinkle in state.wrinkles:
        pucker.require_path(mesh, wrinkle)
        assert np.isfinite(wrinkle.points).all()
    crossed = list(meetings(mesh, [wrinkle for wrinkle in state.wrinkles if wrinkle.alive]))
    assert not crossed, f"(wrinkle, wrinkle, triangle) in frame {state.frame}: {crossed}"
    assert np.isfinite(state.packed.points).all()
    assert np.isfinite(state.compression).all()
    assert np.isin(state.labels, [0, 1, 2]).all()


def run(wrinkler: pucker.Wrinkler, clip: pucker.Clip) -> list[pucker.State]:
    return [wrinkler.advance(frame.positions, frame.time) for frame in clip]


def params_for(clip: pucker.Clip, **values: object) -> pucker.Params:
    # Tests of stages keep these, whatever the defaults are.
    tracing = {"seeding": "scattered", "coherence": 0.0}
    fixed = pucker.Params.ridges().replace(
        min_width=0.0075 * clip.height, threshold=1.2, guide={"rounds": 0}, tracing=tracing
    )
    return fixed.replace(**values)
