"""Tracing straight lines over a surface: pucker's tracer and potpourri3d's, on the same lines."""

import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import potpourri3d

import pucker
from pucker.examples import grid_faces

from . import report

TITLE: Final = "Performance of tracing"
PEERS: Final = ("potpourri3d",)
CELLS: Final = (20, 60, 200)
SEEDS: Final = 400
ROUNDS: Final = 5
# Of the side of the sheet.
TOLERANCE: Final = 1e-6

Array = npt.NDArray[np.float64]


def _surface(cells: int) -> tuple[npt.NDArray[np.int32], Array]:
    """A hilly unit square."""
    y, x = (index.ravel() / cells for index in np.mgrid[: cells + 1, : cells + 1])
    return grid_faces(cells, cells), np.stack([x, y, 0.08 * np.sin(7 * x) * np.cos(6 * y)], axis=1)


class _Lines:
    """Paths that run straight ahead: compressed cloth without a direction keeps the one a path comes with."""

    def __init__(self, cells: int, rng: np.random.Generator) -> None:
        self.faces, self.positions = _surface(cells)
        self.mesh = pucker.Mesh(self.faces, len(self.positions))
        params = pucker.Params(min_width=1e-5, tracing={"isotropy": 0.01, "max_points": 100_000})
        self.frames = pucker.local_frames(self.mesh, self.positions)
        # Reference triangles that are larger by a third, and by a little more in a direction of each triangle's own.
        turn = rng.uniform(0, np.pi, len(self.faces))
        direction = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        across = np.eye(2) - direction[:, :, None] * direction[:, None, :]
        reference = 1.3 * (np.eye(2) + 1e-3 * across) @ self.frames.matrices
        stretch = pucker.stretch(_upright(reference), self.frames.matrices)
        self.field = pucker.CompressionField(self.mesh, self.positions, stretch)
        self.tracer = pucker.Tracer(self.mesh, params)
        self.nothing = pucker.SegmentIndex(self.mesh)
        # Along the stretches as they came out.
        self.directions = np.einsum("tk,tkd->td", stretch.left[:, :, 0], self.frames.axes)

    def seeds(self, rng: np.random.Generator) -> list[pucker.Seed]:
        weights = rng.dirichlet(np.full(3, 4.0), SEEDS)
        triangles = rng.choice(len(self.faces), SEEDS)
        return [pucker.Seed(int(t), w.tolist()) for t, w in zip(triangles, weights, strict=True)]

    def trace(self, seed: pucker.Seed) -> pucker.Wrinkle | None:
        return self.tracer.trace(seed, self.field, self.nothing)


def _upright(matrices: Array) -> Array:
    """The same triangles in frames of their own: [[x1, x2], [0, y2]]."""
    first, second = matrices[:, :, 0], matrices[:, :, 1]
    base = np.linalg.norm(first, axis=1)
    out = np.zeros_like(matrices)
    out[:, 0, 0] = base
    out[:, 0, 1] = np.einsum("tk,tk->t", first, second) / base
    out[:, 1, 1] = (first[:, 0] * second[:, 1] - first[:, 1] * second[:, 0]) / base
    return out


def _ways(path: pucker.Wrinkle, start: Array) -> tuple[float, float]:
    """Lengths of the path from its first point to `start`, which lies on it, and from there to its last."""
    steps = np.diff(path.points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    # The seed itself is no point of the path, but lies on the segment it is nearest to.
    share = np.clip(np.einsum("id,id->i", start - path.points[:-1], steps) / lengths**2, 0, 1)
    nearest = int(np.argmin(np.linalg.norm(path.points[:-1] + share[:, None] * steps - start, axis=1)))
    before = lengths[:nearest].sum() + share[nearest] * lengths[nearest]
    return float(before), float(lengths.sum() - before)


def _measure(cells: int) -> dict[str, Any]:
    rng = np.random.default_rng(11)
    lines = _Lines(cells, rng)
    other = potpourri3d.GeodesicTracer(lines.positions, lines.faces)
    seconds: dict[str, list[float]] = {"pucker": [], "potpourri3d": []}
    crossed: dict[str, list[int]] = {"pucker": [], "potpourri3d": []}
    smoothing: list[float] = []
    worst = 0.0
    for seed in lines.seeds(rng):
        path = lines.trace(seed)
        if path is None:
            continue
        weights = np.array(seed.barycentrics)
        start = weights @ lines.positions[lines.faces[seed.triangle]]
        ways = zip((-1, 1), _ways(path, start), (path.points[0], path.points[-1]), strict=True)
        requests = [(sign * length * lines.directions[seed.triangle], end) for sign, length, end in ways]
        traced = [other.trace_geodesic_from_face(seed.triangle, weights, request) for request, _ in requests]
        miss = max(float(np.linalg.norm(t[-1] - end)) for t, (_, end) in zip(traced, requests, strict=True))
        if miss > TOLERANCE:
            raise RuntimeError(f"potpourri3d's line ends {miss} from pucker's on {cells} x {cells} quads")
        worst = max(worst, miss)
        crossed["pucker"].append(len(path.points) - 2)
        crossed["potpourri3d"].append(sum(len(t) - 2 for t in traced))
        begin = time.perf_counter()
        for _ in range(ROUNDS):
            lines.trace(seed)
        middle = time.perf_counter()
        for _ in range(ROUNDS):
            for request, _ in requests:
                other.trace_geodesic_from_face(seed.triangle, weights, request)
        end = time.perf_counter()
        for _ in range(ROUNDS):
            pucker.smooth_path(lines.field, path)
        smoothed = time.perf_counter()
        for _ in range(ROUNDS):
            pucker.require_path(lines.mesh, path)
        last = time.perf_counter()
        seconds["pucker"].append((middle - begin) / ROUNDS)
        seconds["potpourri3d"].append((end - middle) / ROUNDS)
        smoothing.append(((smoothed - end) - (last - smoothed)) / ROUNDS)
    return {
        "triangles": len(lines.faces),
        "seconds": seconds,
        "crossed": crossed,
        "smoothing": smoothing,
        "worst": worst,
    }


def measure() -> report.Samples:
    """Seconds and crossed edges of each path."""
    return {"sizes": [_measure(cells) for cells in CELLS]}


def page(samples: report.Samples) -> str:
    """The page's text."""
    aims = ""
    rows = []
    for size in samples["sizes"]:
        walk = [w - s for w, s in zip(size["seconds"]["pucker"], size["smoothing"], strict=True)]
        seconds = {**size["seconds"], "pucker, less smoothing": walk}
        crossed = {**size["crossed"], "pucker, less smoothing": size["crossed"]["pucker"]}
        edge = {name: sum(seconds[name]) / sum(crossed[name]) for name in seconds}
        path = {name: report.median(values) for name, values in seconds.items()}
        for name, aim in (("pucker", 3), ("pucker, less smoothing", 5)):
            for what, times in (("crossed edge", edge), ("path", path)):
                aims += report.at_least(
                    f"{size['triangles']} triangles, {name}, per {what}", times["potpourri3d"] / times[name], aim
                )
        rows += [
            [
                name,
                f"{size['triangles']}",
                f"{len(seconds[name])}",
                f"{sum(crossed[name]) / len(crossed[name]):.1f}",
                f"{1e6 * path[name]:.2f}",
                f"{1e9 * edge[name]:.0f}",
                f"{1 / path[name]:.0f}",
                f"{size['worst']:.1e}",
            ]
            for name in seconds
        ]
    head = [
        "tracer",
        "triangles",
        "paths",
        "edges a path",
        "µs a path",
        "ns an edge",
        "paths a second",
        "ends differ by",
    ]
    return (
        "Straight lines over a hilly unit square, from random points in random directions, both ways to the rim. Without a "
        "compression direction pucker's paths are geodesics; they also keep clear of other paths, are smoothed and get a width. "
        "potpourri3d (geometry-central) gets the same starts, directions and lengths; the ends of both must agree first. Both are "
        "called from Python, once or twice a path. *Less smoothing* is the time of a path less that of `smooth_path`: about the walk "
        "alone.\n\n" + aims + "\n" + report.table(head, rows)
    )
