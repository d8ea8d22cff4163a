"""Nodes of an ONNX graph, and its file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.io.files import replacing

if TYPE_CHECKING:
    import onnx

    from pucker._core._byexample import SparseRows

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

ONNX_SUFFIX: Final = ".onnx"
# The newest that Unity reads; others read newer ones too.
_OPSET: Final = 15
_IR_VERSION: Final = 8
# Of what is divided by, where a length is 0.
_LEAST: Final = 1e-30


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

    def product(self, matrix: "SparseRows", values: str, width: int) -> str:
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

    def save(self, path: Path, properties: Mapping[str, str]) -> None:
        """Writes it atomically, with properties beside it; raises OSError if it cannot be written."""
        import onnx  # noqa: PLC0415

        model = self.model("pucker")
        onnx.helper.set_model_props(model, dict(properties))
        with replacing(path) as temporary:
            onnx.save(model, os.fspath(temporary))


def padded(matrix: "SparseRows") -> tuple[Integers, Floats]:
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
