"""Label solvers on the same costs: time and energy a frame."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import gco
import maxflow
import numpy as np
import numpy.typing as npt

import pucker
from pucker.examples import grid_faces

from . import report

TITLE: Final = "Performance of labels"
PEERS: Final = ("PyMaxflow", "gco-wrapper")
# Quads along a side, and frames measured.
SIZES: Final = ((18, 60), (60, 40), (200, 10), (707, 3))
OURS: Final = ("exact", "expansion", "swap")
OTHERS: Final = ("PyMaxflow", "gco expansion", "gco swap")
# gco works on whole numbers, so that its energies are rounded.
ENERGY_TOLERANCE: Final = 1e-6

Array = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int8]


@dataclass(frozen=True)
class _Problem:
    """The labelling of one frame."""

    mesh: pucker.Mesh
    pairs: npt.NDArray[np.int32]  # (k, 2): triangles that share an edge
    smoothness: float
    costs: Array  # (m, 3)
    previous: Labels  # (m,)

    def unary(self) -> Array:
        """Costs with the ties to the previous frame, each triangle's least 0."""
        out: Array = self.costs + self.smoothness * np.abs(np.arange(3) - self.previous[:, None])
        out -= out.min(axis=1, keepdims=True)
        return out


def _waves(cells: int, frame: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Stretches of a sheet over which waves of compression and stretch move, with noise."""
    y, x = np.mgrid[:cells, :cells] / cells
    wave = 0.08 * np.sin(9 * x + 0.1 * frame) * np.cos(7 * y - 0.07 * frame)
    wave = np.repeat(wave.ravel(), 2)
    noise = np.abs(rng.normal(0, 0.01, (2, wave.size)))
    return np.exp(np.minimum(wave, 0) - noise[0]), np.exp(np.maximum(wave, 0) + noise[1])


def _pymaxflow(problem: _Problem) -> Labels:
    """The same cut, its graph built anew as the library asks: two nodes a triangle (Ishikawa 2003)."""
    unary = problem.unary()
    count = len(unary)
    graph = maxflow.GraphFloat(2 * count, count + 2 * len(problem.pairs))
    nodes = graph.add_nodes(2 * count).reshape(count, 2)
    zero = np.zeros(count)
    graph.add_grid_tedges(nodes[:, 0], unary[:, 0], zero)
    graph.add_grid_tedges(nodes[:, 1], zero, unary[:, 2])
    graph.add_edges(nodes[:, 0], nodes[:, 1], unary[:, 1], np.full(count, 1e9))
    weight = np.full(len(problem.pairs), problem.smoothness)
    for layer in range(2):
        graph.add_edges(nodes[problem.pairs[:, 0], layer], nodes[problem.pairs[:, 1], layer], weight, weight)
    graph.maxflow()
    labels: Labels = (2 - graph.get_grid_segments(nodes).sum(axis=1)).astype(np.int8)
    return labels


def _gco(problem: _Problem, algorithm: str) -> Labels:
    distance = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    weight = np.full(len(problem.pairs), problem.smoothness)
    labels: Labels = gco.cut_general_graph(
        problem.pairs, weight, problem.unary(), distance, algorithm=algorithm
    ).astype(np.int8)
    return labels


def _solvers(mesh: pucker.Mesh) -> dict[str, Callable[[_Problem], Labels]]:
    labellers = {name: pucker.Labeller(mesh, pucker.Params(label={"solver": name})) for name in OURS}

    def ours(name: str) -> Callable[[_Problem], Labels]:
        def solve(problem: _Problem) -> Labels:
            labellers[name].previous = problem.previous
            return labellers[name].step(problem.costs)

        return solve

    return {name: ours(name) for name in OURS} | {
        "PyMaxflow": _pymaxflow,
        "gco expansion": lambda problem: _gco(problem, "expansion"),
        "gco swap": lambda problem: _gco(problem, "swap"),
    }


def _pairs(mesh: pucker.Mesh) -> npt.NDArray[np.int32]:
    triangles, sides = np.nonzero(mesh.triangle_neighbours > np.arange(mesh.triangle_count)[:, None])
    return np.stack([triangles, mesh.triangle_neighbours[triangles, sides]], axis=1).astype(np.int32)


def _measure(cells: int, frames: int) -> dict[str, Any]:
    mesh = pucker.Mesh(grid_faces(cells, cells), (cells + 1) ** 2)
    params = pucker.Params()
    judge = pucker.Labeller(mesh, params)
    solvers = _solvers(mesh)
    rng = np.random.default_rng(7)
    seconds: dict[str, list[float]] = {name: [] for name in solvers}
    energies: dict[str, list[float]] = {name: [] for name in solvers}
    pairs = _pairs(mesh)
    previous = np.ones(mesh.triangle_count, np.int8)
    # The first frame sets memory aside and has no flow to start from.
    for frame in range(frames + 1):
        costs = pucker.label_costs(*_waves(cells, frame, rng), params)
        problem = _Problem(mesh, pairs, params.label.smoothness, costs, previous)
        for name, solve in solvers.items():
            begin = time.perf_counter()
            labels = solve(problem)
            taken = time.perf_counter() - begin
            energy = judge.energy(costs, labels, previous)
            if name == "exact":
                best, optimum = labels, energy
            _check(name, energy, optimum, problem)
            if frame > 0:
                seconds[name].append(taken)
                energies[name].append(energy)
        previous = best
    return {"triangles": mesh.triangle_count, "seconds": seconds, "energies": energies}


def _check(name: str, energy: float, optimum: float, problem: _Problem) -> None:
    tolerance = ENERGY_TOLERANCE * max(1.0, abs(optimum))
    if energy < optimum - tolerance or (name == "PyMaxflow" and energy > optimum + tolerance):
        size = len(problem.costs)
        raise RuntimeError(f"{name} finds the energy {energy} on {size} triangles, the exact solver {optimum}")


def measure() -> report.Samples:
    """Seconds and energies of each frame and solver."""
    return {"sizes": [_measure(cells, frames) for cells, frames in SIZES]}


def page(samples: report.Samples) -> str:
    """The page's text."""
    aims = ""
    rows = []
    for size in samples["sizes"]:
        times = {name: report.median(values) for name, values in size["seconds"].items()}
        other = min(OTHERS, key=lambda name: times[name])
        aims += report.at_least(
            f"{size['triangles']} triangles, exact against {other}", times[other] / times["exact"], 4
        )
        for name, value in times.items():
            excess = [e - b for e, b in zip(size["energies"][name], size["energies"]["exact"], strict=True)]
            missed = sum(x > ENERGY_TOLERANCE for x in excess)
            rows.append(
                [
                    name if name in OTHERS else f"pucker {name}",
                    f"{size['triangles']}",
                    f"{1e3 * value:.3f}",
                    f"{1e3 * max(size['seconds'][name]):.3f}",
                    f"{value / times['exact']:.2f}",
                    f"{max(0.0, sum(excess) / len(excess)):.4f}",
                    f"{missed} of {len(excess)}",
                ]
            )
    head = ["solver", "triangles", "median ms", "slowest ms", "times exact", "energy above optimum", "frames missed"]
    return (
        "Labels of successive frames of a sheet over which waves of compression and stretch run; every solver gets the same costs "
        "and previous labels. pucker's exact solver cuts only undecided triangles; PyMaxflow gets the whole graph, and gco-wrapper "
        "builds its own. Times are those of calls from Python. First, PyMaxflow's energy must equal the exact solver's, and no "
        "other may be lower.\n\n" + aims + "\n" + report.table(head, rows)
    )
