"""Nodes of an ONNX graph over the vertices of meshes: sparse matrices, normals and local frames."""

from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core._byexample import SparseRows

if TYPE_CHECKING:
    import onnx

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

# The newest that Unity reads; others read newer ones too.
_OPSET: Final = 15
_IR_VERSION: Final = 8
# Of what is divided by, where a length is 0.
_LEAST: Final = 1e-30
# As in VertexFrames: share of an edge's length below which its part across the normal has no direction of its own.
_NO_DIRECTION: Final = 1e-6


class Graph:
    """Nodes that are added one after the other; methods give the name of what they compute, in float32."""

    def __init__(self) -> None:
        self.inputs: dict[str, tuple[int, ...]] = {}
        self.outputs: dict[str, tuple[int, ...]] = {}
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []
        self._known: dict[tuple[str, tuple[int, ...], bytes], str] = {}
        self._integers: set[str] = set()

    def input(self, name: str, *shape: int) -> str:
        """An input of the graph."""
        self.inputs[name] = shape
        return name

    def output(self, name: str, value: str, *shape: int, integers: bool = False) -> None:
        """Gives a value a name outside of the graph."""
        import onnx  # noqa: PLC0415

        self._nodes.append(onnx.helper.make_node("Identity", [value], [name], name=name))
        self.outputs[name] = shape
        if integers:
            self._integers.add(name)

    def node(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """A node of one result."""
        import onnx  # noqa: PLC0415

        name = f"{kind.lower()}_{len(self._nodes)}"
        self._nodes.append(onnx.helper.make_node(kind, inputs, [name], name=name, **attributes))
        return name

    def constant(self, values: npt.ArrayLike) -> str:
        """Of float32, or of int64 if they are whole."""
        import onnx  # noqa: PLC0415

        array = np.asarray(values)
        array = np.ascontiguousarray(array, np.float32 if array.dtype.kind == "f" else np.int64).reshape(array.shape)
        key = (array.dtype.str, array.shape, array.tobytes())
        if key not in self._known:
            self._known[key] = f"constant_{len(self._constants)}"
            self._constants.append(onnx.numpy_helper.from_array(array, self._known[key]))
        return self._known[key]

    def add(self, a: str, b: str) -> str:
        """The sum."""
        return self.node("Add", a, b)

    def sub(self, a: str, b: str) -> str:
        """The difference."""
        return self.node("Sub", a, b)

    def mul(self, a: str, b: str) -> str:
        """The product, entry by entry."""
        return self.node("Mul", a, b)

    def div(self, a: str, b: str) -> str:
        """The quotient."""
        return self.node("Div", a, b)

    def scaled(self, values: str, by: float) -> str:
        """A value times a number."""
        return values if by == 1.0 else self.mul(values, self.constant(np.float32(by)))

    def shifted(self, values: str, by: float) -> str:
        """A value and a number."""
        return self.add(values, self.constant(np.float32(by)))

    def at_least(self, values: str, least: float) -> str:
        """The larger of a value and a number."""
        return self.node("Max", values, self.constant(np.float32(least)))

    def truth(self, comparison: str, a: str, b: str) -> str:
        """1 where it is true, else 0."""
        return self.node("Cast", self.node(comparison, a, b), to=1)

    def total(self, values: str, *axes: int, keep: bool = False) -> str:
        """The sum over axes."""
        return self.node("ReduceSum", values, self.constant(np.array(axes)), keepdims=int(keep))

    def rows(self, values: str, which: npt.ArrayLike, axis: int = 0) -> str:
        """Those of an axis that are named."""
        return self.node("Gather", values, self.constant(np.asarray(which, np.int64)), axis=axis)

    def expanded(self, values: str, axis: int) -> str:
        """With an axis more, of length 1."""
        return self.node("Unsqueeze", values, self.constant(np.array([axis])))

    def turned(self, values: str) -> str:
        """Columns as rows."""
        return self.node("Transpose", values, perm=[1, 0])

    def dot(self, a: str, b: str, axis: int = 0) -> str:
        """Of vectors along an axis, which stays with length 1."""
        return self.total(self.mul(a, b), axis, keep=True)

    def length(self, vectors: str, axis: int = 0) -> str:
        """Of vectors along an axis, which stays with length 1."""
        return self.node("Sqrt", self.dot(vectors, vectors, axis))

    def over(self, vectors: str, length: str) -> str:
        """A quotient; zero where both are."""
        return self.div(vectors, self.at_least(length, _LEAST))

    def cross(self, a: str, b: str) -> str:
        """Of vectors along the first axis."""

        def moved(vectors: str, by: int) -> str:
            return self.rows(vectors, (np.arange(3) + by) % 3)

        return self.sub(self.mul(moved(a, 1), moved(b, 2)), self.mul(moved(a, 2), moved(b, 1)))

    def product(self, matrix: SparseRows, values: str, width: int) -> str:
        """(N, width) of a sparse matrix (N, n) and (n, width)."""
        columns, entries = padded(matrix)
        return self.gathered(values, columns, entries, width)

    def gathered(self, values: str, columns: Integers, entries: Floats, width: int) -> str:
        """(N, width): the sums of rows of (n, width) times entries, both (N, K); what lies behind a row's last entry is 0.

        The few rows that are longer than most are finished apart, as zeros are read as well.
        """
        counts = (entries != 0.0).cumsum(axis=1).argmax(axis=1) + 1
        lengths = np.arange(1, counts.max() + 1)
        longer = (counts > lengths[:, None]).sum(axis=1)
        costs = len(counts) * lengths + longer * (lengths[-1] - lengths) + len(counts) * (longer > 0)
        length = int(lengths[np.argmin(costs)])
        out = self._sum(values, columns[:, :length], entries[:, :length], width)
        further = np.flatnonzero(counts > length)
        if not len(further):
            return out
        rest = self._sum(values, columns[further, length:], entries[further, length:], width)
        # A row of zeros stands behind them for all others.
        none = self.scaled(self.rows(rest, [0]), 0.0)
        which = np.full(len(counts), len(further))
        which[further] = np.arange(len(further))
        return self.add(out, self.rows(self.node("Concat", rest, none, axis=0), which))

    def _sum(self, values: str, columns: Integers, entries: Floats, width: int) -> str:
        taken = self.rows(values, columns.T)
        if (entries != 1.0).any():
            # As often as a row is long, since many programs are slow where lengths differ.
            taken = self.mul(taken, self.constant(np.repeat(entries.T[:, :, None], width, axis=2)))
        return self.total(taken, 0)

    def model(self, name: str) -> "onnx.ModelProto":
        """The whole graph."""
        from onnx import TensorProto, helper  # noqa: PLC0415

        def told(values: dict[str, tuple[int, ...]]) -> "list[onnx.ValueInfoProto]":
            kinds = {each: TensorProto.INT64 if each in self._integers else TensorProto.FLOAT for each in values}
            return [helper.make_tensor_value_info(each, kinds[each], shape) for each, shape in values.items()]

        graph = helper.make_graph(self._nodes, name, told(self.inputs), told(self.outputs), self._constants)
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid("", _OPSET)],
            ir_version=_IR_VERSION,
            producer_name="pucker",
            producer_version=pucker.__version__,
        )


def padded(matrix: SparseRows) -> tuple[Integers, Floats]:
    """Columns and entries (N, K) of the rows, the shorter of which go on with column 0 and the entry 0."""
    counts = np.diff(matrix.indptr)
    there = np.arange(max(int(counts.max(initial=1)), 1)) < counts[:, None]
    columns, entries = np.zeros(there.shape, np.int64), np.zeros(there.shape)
    columns[there], entries[there] = matrix.indices, matrix.data
    return columns, entries


def padded_dense(matrix: Floats) -> tuple[Integers, Floats]:
    """As `padded`, of the entries of a full matrix that are not 0."""
    columns, there = listed([np.flatnonzero(row).tolist() for row in matrix], np.zeros(len(matrix)))
    return columns, there * np.take_along_axis(matrix, columns, axis=1)


def listed(lists: list[list[int]], fill: npt.ArrayLike) -> tuple[Integers, Floats]:
    """Lists as rows (N, K), the shorter of which go on with `fill` (N,), and 1 for what is of a list, else 0."""
    there = np.arange(max(1, *map(len, lists))) < np.array([len(each) for each in lists])[:, None]
    out = np.repeat(np.asarray(fill, np.int64)[:, None], there.shape[1], axis=1)
    out[there] = [item for each in lists for item in each]
    return out, there.astype(np.float64)


class Surface:
    """A mesh at places of a graph, and what follows from them.

    Attributes:
        places: (3, N).
        areas: (3, M) normals of the triangles, twice their area long.
        normals: (3, N), unit.
    """

    def __init__(self, graph: Graph, mesh: "pucker.Mesh", places: str) -> None:
        self._graph, self._mesh, self.places = graph, mesh, places
        rows = graph.turned(places)
        first, second, third = (graph.turned(graph.rows(rows, mesh.faces[:, corner])) for corner in range(3))
        self.areas = graph.cross(graph.sub(second, first), graph.sub(third, first))
        around: list[list[int]] = [[] for _ in range(mesh.vertex_count)]
        for triangle, corners in enumerate(mesh.faces.tolist()):
            for corner in corners:
                around[corner].append(triangle)
        self._around = listed(around, np.zeros(mesh.vertex_count))
        summed = self.at_vertices(self.areas, 3)
        self.normals = graph.over(summed, graph.length(summed))

    def at_vertices(self, values: str, width: int) -> str:
        """(width, N): the sums round each vertex of (width, M)."""
        return self._graph.turned(self._graph.gathered(self._graph.turned(values), *self._around, width))

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
