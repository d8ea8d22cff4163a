"""A trained set as ONNX graphs, for engines that run graphs: from the coarse garment of a frame to its fine surface."""

import json
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Final

import numpy as np

from pucker._core._byexample import Params, Regions
from pucker.extras import needing
from pucker.onnx_graph import ONNX_SUFFIX, Graph, padded, padded_dense

from .graph_cloth import balanced
from .graph_nodes import Surface, sewn, subdivided
from .places import corner_counts
from .trained import Learned, TrainedSet

# Of a frame without duration, in seconds, and of the time by which cloth trails.
_SHORTEST: Final = 1e-6


@dataclass(frozen=True)
class GraphReport:
    """What was written.

    Attributes:
        path: The graph.
        first: That of the first frame, of a set with a guide's cloth; else None.
        inputs, outputs: Shapes by name, of `path`.
        bytes: Size of `path`.
    """

    path: Path
    first: Path | None
    inputs: dict[str, tuple[int, ...]]
    outputs: dict[str, tuple[int, ...]]
    bytes: int


def _require_playable(trained: TrainedSet, params: Params) -> Learned:
    if trained.regression is None:
        raise ValueError(
            f"a graph needs a set with a regression, and this one has {len(trained.poses)} poses and none: learn it with "
            "pucker train --regression"
        )
    for name in ("lag", "reach", "sway"):
        if (value := getattr(params, name)) != 0.0:
            raise ValueError(f"a graph has no {name}, which must be 0, not {value:g}")
    if params.swing:
        raise ValueError(f"a graph has no swing, which must be 0 or none, not {params.swing:g}")
    if trained.cloth is not None and (lag := trained.cloth.params.lag) != 0.0:
        raise ValueError(f"a graph has a guide's cloth without lag, which must be 0, not {lag:g}")
    return trained.regression


def _weights(
    graph: Graph,
    trained: TrainedSet,
    learned: Learned,
    surface: Surface,
    velocity: str | None,
    displaced: str | None,
) -> str:
    """(n, P - 1) of the details after the first, at the vertices of the feature mesh; see `Regression`.

    Args:
        graph: Gets the nodes.
        trained: The set.
        learned: Its regression.
        surface: The feature mesh.
        velocity: (3, n) of the vertices, in mean edge lengths a second; None: it does not count.
        displaced: (3, n) of the vertices from the guide, in its frames and mean edge lengths; None: it does not count.
    """
    features = trained.features
    edges, chosen = trained.mesh.edges, trained.options
    apart = graph.sub(*(graph.rows(surface.places, edges[:, end], 1) for end in (0, 1)))
    stretch = graph.turned(graph.div(graph.length(apart), graph.constant(features.rest_lengths[None])))

    points = features.metric(trained.rest[learned.points], falloff=chosen.falloff, edges=chosen.edges)
    columns, counts = padded(points)
    centres = np.array([features.stretch(pose) for pose in trained.poses])
    difference = graph.sub(graph.rows(stretch, columns), graph.constant(centres.T[columns]))
    counted = graph.mul(graph.mul(difference, difference), graph.constant(counts[:, :, None]))
    square = graph.total(counted, 1)
    if velocity is not None:
        moving = graph.expanded(graph.turned(graph.rows(surface.frames().local(velocity), learned.points, 1)), 2)
        faster = graph.sub(moving, graph.constant(learned.velocities.transpose(1, 2, 0)))
        square = graph.add(square, graph.scaled(graph.total(graph.mul(faster, faster), 1), learned.motion**2))
    if displaced is not None:
        corners, counts = padded_dense(corner_counts(points, trained.mesh))
        apart = graph.expanded(graph.rows(displaced, corners, 1), 3)
        away = graph.sub(apart, graph.constant(learned.displacements.transpose(2, 1, 0)[:, corners]))
        counted = graph.mul(graph.mul(away, away), graph.constant(counts[None, :, :, None]))
        square = graph.add(square, graph.scaled(graph.total(counted, 0, 2), learned.displacement**2))
    kernel = graph.node("Exp", graph.scaled(graph.node("Sqrt", square), -1.0 / learned.width))
    rows = graph.node("MatMul", graph.expanded(kernel, 1), graph.constant(learned.coefficients[:, 1:]))
    solved = graph.add(rows, graph.constant(learned.coefficients[:, :1]))
    flat = graph.node("Reshape", solved, graph.constant(np.array([len(learned.points), -1])))
    return graph.product(Regions(features, learned.points).shares, flat, len(trained.details) - 1)


def _trailing(graph: Graph, way: str, count: int, time: float) -> str:
    """(3, n) by which the cloth trails its guide; see `Trail`."""
    steps = graph.at_least(graph.scaled("seconds", 1.0 / time), _SHORTEST)
    left = graph.node("Exp", graph.node("Neg", steps))
    missing = graph.div(graph.sub(graph.constant(np.float32(1.0)), left), steps)
    out = graph.sub(graph.mul(graph.turned(graph.input("trail", count, 3)), left), graph.mul(missing, way))
    graph.output("trail_next", graph.turned(out), count, 3)
    return out


def _built(trained: TrainedSet, params: Params, shared: Sequence[int]) -> Graph:
    learned = _require_playable(trained, params)
    subdivision = trained.synthesis().subdivision
    spread, fine_mesh = subdivision.barycentrics, subdivision.fine
    coarse, fine = len(trained.rest), fine_mesh.vertex_count
    time, moves = params.trail * trained.options.trail, learned.motion > 0.0
    way = velocity = None

    graph = Graph()
    positions = graph.turned(graph.input("positions", coarse, 3))
    # Near the origin single precision has more digits.
    origin = graph.rows(positions, [0], 1)
    places = graph.sub(positions, origin)
    local = graph.constant(np.zeros((3, coarse)))
    passes = ""
    if moves or time > 0.0 or trained.cloth is not None:
        passes = graph.truth("Greater", graph.input("seconds", 1), graph.constant(np.float32(0.0)))
    if trained.cloth is not None:
        places, local = balanced(graph, trained.mesh, trained.cloth, shared, places, first=False)
        graph.output("balance", graph.turned(graph.add(places, origin)), coarse, 3)
    if time > 0.0:
        way = graph.mul(graph.sub(positions, graph.turned(graph.input("positions_before", coarse, 3))), passes)
    if moves and trained.cloth is not None:
        before = graph.sub(graph.turned(graph.input("balance_before", coarse, 3)), origin)
        velocity = graph.sub(places, before)
    elif moves:
        velocity = way or graph.sub(positions, graph.turned(graph.input("positions_before", coarse, 3)))
    if velocity is not None:
        mean_length = trained.features.mean_length
        velocity = graph.div(
            graph.mul(velocity, passes), graph.scaled(graph.at_least("seconds", _SHORTEST), mean_length)
        )

    guide = Surface(graph, trained.mesh, places)
    displaced = graph.scaled(local, 1.0 / trained.features.mean_length) if learned.displacement > 0.0 else None
    weights = _weights(graph, trained, learned, guide, velocity, displaced)
    weights = graph.expanded(graph.product(spread, weights, len(trained.details) - 1), 0)
    shapes = graph.constant(trained.details[1:].transpose(2, 1, 0) * params.gain)
    detail = graph.add(graph.total(graph.mul(shapes, weights), 2), graph.constant(trained.details[0].T * params.gain))

    smooth = Surface(graph, fine_mesh, subdivided(graph, subdivision.matrix, places))
    surface = graph.add(smooth.places, smooth.frames().turned(detail))
    if way is not None:
        surface = graph.add(surface, subdivided(graph, subdivision.matrix, _trailing(graph, way, coarse, time)))
    if params.sewn:
        surface = sewn(graph, spread, shared, places, surface)
    graph.output("fine", graph.turned(graph.add(surface, origin)), fine, 3)
    graph.output("normals", graph.turned(Surface(graph, fine_mesh, surface).normals), fine, 3)

    columns, shares = padded(spread)
    graph.output("triangles", graph.constant(fine_mesh.faces), *fine_mesh.faces.shape, integers=True)
    graph.output("rest", graph.constant(trained.rest), coarse, 3)
    graph.output("corners", graph.constant(columns), *columns.shape, integers=True)
    graph.output("shares", graph.constant(shares), *shares.shape)
    return graph


def _built_first(trained: TrainedSet, shared: Sequence[int]) -> Graph:
    assert trained.cloth is not None
    graph = Graph()
    positions = graph.turned(graph.input("positions", len(trained.rest), 3))
    origin = graph.rows(positions, [0], 1)
    balanced(graph, trained.mesh, trained.cloth, shared, graph.sub(positions, origin), first=True)
    return graph


def write_onnx(
    trained: TrainedSet,
    path: str | os.PathLike[str],
    *,
    params: Params | None = None,
    shared: Iterable[int] = (),
) -> GraphReport:
    """Writes a set with a regression as ONNX graphs, atomically.

    Each run of the graph takes the coarse garment of a frame and gives its fine surface, in single precision. Shapes are fixed,
    and operators those of opset 15, without loops and conditions. It holds nothing from run to run: what a frame needs of the
    one before is an input again. A guide's cloth is at rest in every frame, as with a `swing` of 0, also of a set that swings.

    The inputs are `positions` (n, 3) of the feature mesh, in the set's unit of length, and, as far as the set needs them:

    * `seconds` (1,) since the frame before; 0 in the first frame and after a jump, where nothing is taken from a frame before.
    * `cloth` (N', 3): the `cloth_next` of the frame before, of a set with a guide's cloth, which has the feature mesh or, of most
      garments, that mesh subdivided once. Where `seconds` is 0 the cloth stays as it is given: as NAME.first.onnx beside the graph
      makes it of `positions`; or of an engine's own cloth of that mesh how far it is from `positions`, in the frames of
      their vertices; or 0, which puts the detail on `positions` themselves, but for vertices near shared ones.
    * `positions_before` (n, 3), of a set for which motion counts or whose cloth trails; of one with both motion and a guide's
      cloth `balance_before` (n, 3), the `balance` of the frame before.
    * `trail` (n, 3): the `trail_next` of the frame before, at first 0, of a set whose cloth trails.

    Outputs are `fine` (N, 3), `normals` (N, 3), unit, what goes into the next frame, and what never changes: `triangles` (M, 3)
    of the fine mesh, `rest` (n, 3) of the feature mesh, by which its vertices are found again, and `corners` (N, K) and
    `shares` (N, K): feature vertices between which a fine one lies, and how much each counts, for texture coordinates.

    Args:
        trained: The set.
        path: An .onnx.
        params: Of them gain, trail and sewn count; lag, reach and sway must be 0, swing 0 or none.
        shared: Feature vertices that the rest of the character has as well, `Clip.shared_vertices`.

    Raises:
        ValueError: For a set without a regression, another ending, parameters that a graph has not, and vertices that there are
            not.
        ModuleNotFoundError: Without the package onnx.
        OSError: If it cannot be written.
    """
    out = Path(path)
    if out.suffix.lower() != ONNX_SUFFIX:
        raise ValueError(f"a graph is an {ONNX_SUFFIX}, not {out.name}")
    kept = [int(vertex) for vertex in shared]
    for vertex in kept:
        if not 0 <= vertex < len(trained.rest):
            raise ValueError(f"shared vertices must lie in [0, {len(trained.rest)}), got {vertex}")
    chosen = Params() if params is None else params
    _require_playable(trained, chosen)
    with needing("onnx", "a graph"):
        import_module("onnx")
    graph = _built(trained, chosen, kept)
    first = None
    if trained.cloth is not None:
        first = out.with_suffix(f".first{ONNX_SUFFIX}")
        _save(_built_first(trained, kept), trained, first)
    _save(graph, trained, out)
    return GraphReport(out, first, graph.inputs, graph.outputs, out.stat().st_size)


def _save(graph: Graph, trained: TrainedSet, path: Path) -> None:
    graph.save(path, {"parts": json.dumps(trained.parts), "file": trained.origin.file})
