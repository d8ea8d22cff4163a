"""Meshes in an ONNX graph: normals and local frames."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from pucker.onnx_graph import Floats, Graph, listed, padded

if TYPE_CHECKING:
    import pucker
    from pucker.byexample import SparseRows

# As in VertexFrames: share of an edge's length below which its part across the normal has no direction of its own.
_NO_DIRECTION: Final = 1e-6


def corners_of(graph: Graph, mesh: "pucker.Mesh", values: str) -> list[str]:
    """Of (3, N) what the three corners of each triangle have, (3, M) each."""
    rows = graph.turned(values)
    return [graph.turned(graph.rows(rows, mesh.faces[:, corner])) for corner in range(3)]


def areas(graph: Graph, mesh: "pucker.Mesh", places: str) -> str:
    """(3, M): normals of the triangles at places (3, N), twice their area long."""
    first, second, third = corners_of(graph, mesh, places)
    return graph.cross(graph.sub(second, first), graph.sub(third, first))


class Surface:
    """A mesh at places of a graph, and what follows from them.

    Attributes:
        places: (3, N).
        areas: (3, M) normals of the triangles, twice their area long.
        normals: (3, N), unit.
    """

    def __init__(self, graph: Graph, mesh: "pucker.Mesh", places: str) -> None:
        self._graph, self._mesh, self.places = graph, mesh, places
        self.areas = areas(graph, mesh, places)
        around: list[list[int]] = [[] for _ in range(mesh.vertex_count)]
        for triangle, corners in enumerate(mesh.faces.tolist()):
            for corner in corners:
                around[corner].append(triangle)
        self._around = listed(around, [each[0] if each else 0 for each in around])
        summed = self.at_vertices(self.areas, 3)
        self.normals = graph.over(summed, graph.length(summed))

    def at_vertices(self, values: str, width: int) -> str:
        """(width, N): the sums round each vertex of (width, M)."""
        return self._graph.turned(self._graph.gathered(self._graph.turned(values), *self._around, width))

    def means_at_vertices(self, values: str) -> str:
        """(3, N): the means round each vertex of (3, M); zero where there is no triangle."""
        return self._graph.div(
            self.at_vertices(values, 3), self._graph.constant(self._around[1].sum(axis=1).clip(1.0)[None])
        )

    def least_at_vertices(self, values: str) -> str:
        """(1, N): the least round each vertex of (1, M); of any triangle where there is none."""
        graph = self._graph
        around = graph.rows(graph.node("Neg", values), self._around[0], 1)
        return graph.node("Neg", graph.node("ReduceMax", around, axes=[2], keepdims=0))

    def frames(self) -> "Frames":
        """The local frames of the vertices."""
        return Frames(self._graph, self._mesh, self)


class Frames:
    """Local frames of vertices as `VertexFrames` has them: columns along, across and normal, (3, N) each."""

    def __init__(self, graph: Graph, mesh: "pucker.Mesh", surface: Surface) -> None:
        def neighbour(vertex: int) -> int:
            ring = mesh.ring(vertex)
            if not len(ring):
                return vertex
            corners = mesh.faces[ring[0]].tolist()
            return int(corners[(corners.index(vertex) + 1) % 3])

        neighbours = [neighbour(vertex) for vertex in range(mesh.vertex_count)]
        edge = graph.sub(graph.rows(surface.places, neighbours, 1), surface.places)
        left = graph.sub(edge, graph.mul(graph.dot(edge, surface.normals), surface.normals))
        length = graph.length(left)
        some = graph.truth("Greater", length, graph.scaled(graph.length(edge), _NO_DIRECTION))
        # Where there is no frame all of it is zero, also where only the normal is.
        there = graph.mul(some, graph.dot(surface.normals, surface.normals))
        normal = graph.mul(surface.normals, there)
        along = graph.mul(graph.over(left, length), there)
        self._graph, self._columns = graph, (along, graph.cross(normal, along), normal)

    def turned(self, local: str) -> str:
        """(3, N) in space, of (3, N) in the frames."""
        graph = self._graph
        parts = [graph.mul(graph.rows(local, [axis]), column) for axis, column in enumerate(self._columns)]
        return graph.add(graph.add(parts[0], parts[1]), parts[2])

    def local(self, vectors: str) -> str:
        """(3, N) in the frames, of (3, N) in space."""
        return self._graph.node("Concat", *(self._graph.dot(vectors, each) for each in self._columns), axis=0)


def subdivided(graph: Graph, matrix: "SparseRows", coarse: str) -> str:
    """(3, N) of a sparse matrix (N, n) and (3, n)."""
    return graph.turned(graph.product(matrix, graph.turned(coarse), 3))


def sewing(spread: "SparseRows", shared: Sequence[int]) -> Floats:
    """(N,) how far fine vertices are drawn to the coarse mesh: as their corners are shared; see `Sewing`."""
    columns, shares = padded(spread)
    drawn: Floats = np.where(np.isin(columns, shared), shares, 0.0).sum(axis=1)
    return drawn


def sewn(graph: Graph, spread: "SparseRows", shared: Sequence[int], coarse: str, fine: str) -> str:
    """(3, N) drawn to the coarse mesh."""
    holds = sewing(spread, shared)
    if not holds.any():
        return fine
    back = graph.sub(subdivided(graph, spread, coarse), fine)
    return graph.add(fine, graph.mul(graph.constant(holds[None]), back))
