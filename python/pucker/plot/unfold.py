"""Cloth laid flat, triangle by triangle, as a paper model is."""

import heapq

import numpy as np
import numpy.typing as npt

import pucker

from .figure import Floats

Complexes = npt.NDArray[np.complex128]

# Overlaps below this share of the mean edge are rounding: triangles that share an edge touch.
_TOUCH = 1e-6


def unfolded(mesh: "pucker.Mesh", positions: npt.ArrayLike) -> Floats:
    """The triangles of a mesh in the plane, each with its true size and shape: corners (m, 3, 2), unit of `positions`.

    Beginning with the largest, triangles are laid beside their neighbours, across the longest edge first; where one would
    lie on another, the cloth is cut. Charts stand side by side in rows. Triangles wind counter-clockwise; those without
    area shrink to the origin.

    Args:
        mesh: The mesh.
        positions: (n, 3).

    Raises:
        ValueError: For another shape or a position that is not finite.
    """
    frames = pucker.local_frames(mesh, positions)
    shapes = np.concatenate([np.zeros((mesh.triangle_count, 2, 1)), frames.matrices], axis=2)
    flat: Complexes = shapes[:, 0] + 1j * shapes[:, 1]
    touch = _TOUCH * pucker.mean_edge_length(mesh, positions)
    waiting = frames.areas > 0.0
    charts = []
    while waiting.any():
        root = int(np.argmax(np.where(waiting, frames.areas, -1.0)))
        charts.append(_lay_out(mesh, flat, root, waiting, touch))
    _place(flat, charts)
    return np.stack([flat.real, flat.imag], axis=2)


def _lay_out(
    mesh: "pucker.Mesh", flat: Complexes, root: int, waiting: npt.NDArray[np.bool_], touch: float
) -> npt.NDArray[np.int64]:
    """Moves triangles of `flat` (m, 3) to where they belong round `root` and returns the numbers of those moved."""
    faces, neighbours = mesh.faces, mesh.triangle_neighbours
    laid: list[int] = []
    crossings: list[tuple[float, int, int]] = []

    def take(triangle: int) -> None:
        waiting[triangle] = False
        laid.append(triangle)
        for side in range(3):
            length = abs(flat[triangle, (side + 1) % 3] - flat[triangle, side])
            heapq.heappush(crossings, (-float(length), triangle, side))

    take(root)
    while crossings:
        _, triangle, side = heapq.heappop(crossings)
        neighbour = int(neighbours[triangle, side])
        if neighbour < 0 or not waiting[neighbour]:
            continue
        start, end = flat[triangle, side], flat[triangle, (side + 1) % 3]
        first, second = (
            flat[neighbour, np.flatnonzero(faces[neighbour] == faces[triangle, (side + k) % 3])[0]] for k in (0, 1)
        )
        turned = start + (flat[neighbour] - first) * (end - start) / (second - first)
        if not _lies_on(turned, flat[laid], touch):
            flat[neighbour] = turned
            take(neighbour)
    return np.array(laid)


def _lies_on(triangle: Complexes, others: Complexes, touch: float) -> bool:
    """Whether a triangle (3,) covers part of one of `others` (k, 3): no side of either parts the two."""
    centres = others.mean(axis=1)
    reach = np.abs(others - centres[:, None]).max(axis=1) + np.abs(triangle - triangle.mean()).max()
    others = others[np.abs(centres - triangle.mean()) < reach]
    repeated = np.broadcast_to(triangle, others.shape)
    apart = np.zeros(len(others), dtype=bool)
    for sides in (repeated, others):
        for k in range(3):
            along = sides[:, (k + 1) % 3] - sides[:, k]
            across = (1j * along / np.abs(along))[:, None].conj()
            one, other = (repeated * across).real, (others * across).real
            apart |= (one.max(axis=1) <= other.min(axis=1) + touch) | (other.max(axis=1) <= one.min(axis=1) + touch)
    return not bool(apart.all())


def _place(flat: Complexes, charts: list[npt.NDArray[np.int64]]) -> None:
    """Turns each chart upright and puts them side by side, the tallest first, in rows about as wide as all are high."""
    boxes = []
    for chart in charts:
        points = flat[chart]
        _, axes = np.linalg.eigh(np.cov(np.stack([points.real.ravel(), points.imag.ravel()])))
        points = points * np.conj(axes[0, 1] + 1j * axes[1, 1]) * 1j
        flat[chart] = points - (points.real.min() + 1j * points.imag.min())
        boxes.append((float(np.ptp(points.imag)), float(np.ptp(points.real)), chart))
    boxes.sort(key=lambda box: -box[0])
    width = 1.2 * np.sqrt(sum(height * breadth for height, breadth, _ in boxes))
    gap = 0.02 * width
    corner, row = 0.0 + 0.0j, 0.0
    for height, breadth, chart in boxes:
        if corner.real > 0.0 and corner.real + breadth > width:
            corner = 1j * (corner.imag - row - gap)
            row = 0.0
        row = row or height
        flat[chart] += corner - 1j * height
        corner += breadth + gap
