"""The wave field: crush, one round of relaxing and the phases of least error, and crush and a round with NumPy and SciPy."""

import time
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from scipy.sparse import csr_array

import pucker
from pucker import waves
from pucker.examples import squeezed_sheet

from . import native, report, shared

TITLE: Final = "Performance of the wave field"
PEERS: Final = ("numpy", "scipy")
# Milliseconds of crush and relax on a GeForce 6800 GT by number of vertices (Loviscach 2006, table 1).
PAPER: Final = {100: 0.19, 5977: 3.58}
CELLS: Final = (9, 31, 76, 315, 999)
TOLERANCE: Final = 1e-9
# Of the sheets that threads share.
SHARED: Final = (100, 316, 707)
SHARED_FRAMES: Final = 12

Floats = npt.NDArray[np.float64]


class Peer:
    """Crush and relax of one mesh, written with NumPy's arrays and SciPy's sparse matrices."""

    def __init__(self, mesh: pucker.Mesh, rest: Floats, wavelength: float, seed: int = 0) -> None:
        self.faces, self.rest, self.wavelength = np.asarray(mesh.faces), rest, wavelength
        self.a, self.b = np.asarray(mesh.edges).T
        n, m = len(rest), len(self.faces)
        self.corners = csr_array((np.ones(3 * m), (self.faces.ravel(), np.repeat(np.arange(m), 3))), shape=(n, m))
        ends, others = np.concatenate([self.a, self.b]), np.concatenate([self.b, self.a])
        self.count = np.bincount(ends, minlength=n).astype(float)
        # The neighbour of the smallest number is the first.
        self.first = np.full(n, n)
        np.minimum.at(self.first, ends, others)
        self.tangent, self.bitangent = self._frames(rest, self._normals(rest))
        edges = rest[others] - rest[ends]
        v = np.stack([(edges * self.tangent[ends]).sum(1), (edges * self.bitangent[ends]).sum(1)], axis=1)
        sums = np.zeros((n, 2, 2))
        np.add.at(sums, ends, v[:, :, None] * v[:, None, :])
        regressors = np.einsum("eij,ej->ei", np.linalg.inv(sums)[ends], v)
        self.regress = [csr_array((regressors[:, i], (ends, others)), shape=(n, n)) for i in (0, 1)]
        self.total = [matrix.sum(axis=1) for matrix in self.regress]
        self.phases: Floats = np.random.default_rng(seed).uniform(-np.pi, np.pi, n)

    def _normals(self, x: Floats) -> Floats:
        p = x[self.faces]
        sums = self.corners @ np.cross(p[:, 1] - p[:, 0], p[:, 2] - p[:, 0])
        out: Floats = sums / np.linalg.norm(sums, axis=1)[:, None]
        return out

    def _frames(self, x: Floats, normals: Floats) -> tuple[Floats, Floats]:
        edge = x[self.first] - x
        flat = edge - (edge * normals).sum(1)[:, None] * normals
        tangent = flat / np.linalg.norm(flat, axis=1)[:, None]
        bitangent: Floats = np.cross(normals, tangent)
        return tangent, bitangent

    def crush(self, x: Floats) -> Floats:
        """Heights; directions and wave vectors are kept."""
        tangent, bitangent = self._frames(x, self._normals(x))
        columns = [matrix @ x - total[:, None] * x for matrix, total in zip(self.regress, self.total, strict=True)]
        m = np.stack([[(t * c).sum(1) for c in columns] for t in (tangent, bitangent)]).transpose(2, 0, 1)
        squares, vectors = np.linalg.eigh(np.swapaxes(m, 1, 2) @ m)
        k: Floats = vectors[:, :, 0]
        self.directions = k[:, :1] * self.tangent + k[:, 1:] * self.bitangent
        carried = np.linalg.solve(np.swapaxes(m, 1, 2), k[:, :, None])[:, :, 0]
        self.wave_vectors = carried[:, :1] * tangent + carried[:, 1:] * bitangent
        heights: Floats = self.wavelength / 4 * np.sqrt(np.maximum(1 - squares[:, 0], 0))
        self.heights = heights
        return heights

    def prepare(self) -> None:
        """Has phases compared in the rest pose."""
        k, edge = self.directions, self.rest[self.b] - self.rest[self.a]
        self.sign = np.where((k[self.a] * k[self.b]).sum(1) < 0, -1.0, 1.0)
        self.offset = -0.5 / self.wavelength * ((self.sign[:, None] * k[self.b] + k[self.a]) * edge).sum(1)
        self.weight = np.clip(16 * self.heights / self.wavelength - 0.2, 0, 1)

    def step(self, step: float = np.pi**2) -> None:
        """A round of the descent."""
        d = (self.sign * self.phases[self.b] - self.phases[self.a]) / (2 * np.pi) + self.offset
        d -= np.rint(d)
        n = len(self.phases)
        pull = np.bincount(self.a, self.weight[self.b] * d, n) - np.bincount(
            self.b, self.weight[self.a] * self.sign * d, n
        )
        self.phases = np.remainder(self.phases + step / (np.pi * self.count) * pull + np.pi, 2 * np.pi) - np.pi


def sheet(cells: int) -> tuple[pucker.Mesh, Floats]:
    """A unit square of irregular triangles."""
    rng = np.random.default_rng(1)
    x, y = np.meshgrid(np.arange(cells + 1.0), np.arange(cells + 1.0))
    rest = np.stack([x.ravel(), y.ravel(), np.zeros(x.size)], axis=1)
    rest[:, :2] += rng.uniform(-1 / 3, 1 / 3, (x.size, 2))
    corner = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    faces = np.concatenate(
        [
            np.stack([corner, corner + 1, corner + cells + 1], 1),
            np.stack([corner + 1, corner + cells + 2, corner + cells + 1], 1),
        ]
    )
    return pucker.Mesh(faces, x.size), rest / cells


def _with_scipy(cells: int) -> dict[str, Any]:
    """Seconds of the peer, whose heights must be pucker's."""
    mesh, rest = sheet(cells)
    wavelength = 5 / (cells + 1)
    peer = Peer(mesh, rest, wavelength)
    moved = rest.copy()
    moved[:, 0] *= 0.7 + 0.05 * np.sin(3 * rest[:, 1])
    moved[:, 2] = 0.05 * np.sin(5 * rest[:, 0])
    own = np.array(
        waves.Crush(mesh, rest, wavelength, waves.CrushParams(smoothing=0, threshold=1)).step(moved).amplitudes
    )
    miss = float(np.abs(peer.crush(moved) - own).max() / wavelength)
    if not miss < TOLERANCE:
        raise RuntimeError(f"the heights of NumPy and SciPy differ by {miss} of a wavelength from pucker's")
    out: dict[str, Any] = {"vertices": len(rest), "crush": [], "prepare": [], "round": []}
    for _ in range(max(3, min(200, 100_000 // len(rest)))):
        for name, call in (("crush", lambda: peer.crush(moved)), ("prepare", peer.prepare), ("round", peer.step)):
            begin = time.perf_counter()
            call()
            out[name].append(time.perf_counter() - begin)
    return out


def _shared(cells: int) -> dict[str, Any]:
    clip = squeezed_sheet(cells, cells, frames=SHARED_FRAMES)
    # The second frame has the first waves, whose phases of least error are found on one thread.
    seconds = shared.by_threads(clip, waves.Params(), SHARED_FRAMES, before=2)
    return {"triangles": clip.mesh.triangle_count, "seconds": seconds}


def measure() -> report.Samples:
    """Seconds of each stage by number of vertices, of both, and of solutions; allocations of frames; seconds by threads."""
    return {
        **native.run("waves"),
        "scipy": [_with_scipy(cells) for cells in CELLS],
        "shared": [_shared(cells) for cells in SHARED],
    }


def _of_threads(timed: list[dict[str, Any]]) -> str:
    rows = [[f"{each['triangles']}", *shared.cells(each["seconds"])] for each in timed]
    return (
        "\n## On two threads\n\nMilliseconds of a frame by the clock, [on one and two threads](../threads.md) in turn; medians. A frame in "
        "which waves appear takes longer: the phases of least error are found on one.\n\n"
        + report.table(["triangles", *shared.HEAD], rows)
        + "\n"
        + shared.verdict(f"{timed[-1]['triangles']} triangles", timed[-1]["seconds"])
    )


def page(samples: report.Samples) -> str:
    """The page's text."""
    peers = {entry["vertices"]: entry for entry in samples["scipy"]}
    rows, whole = [], {}
    for entry in samples["stages"]:
        count = entry["vertices"]
        spent = {name: report.median(entry[name]) for name in ("crush", "prepare", "round")}
        whole[count] = 1e9 * (spent["crush"] + spent["prepare"] + spent["round"]) / count
        row = [f"{count}", *(f"{1e9 * seconds / count:.0f}" for seconds in spent.values()), f"{whole[count]:.0f}"]
        peer = peers.get(count)
        if peer is None:
            rows.append([*row, "–", "–"])
            continue
        theirs = 1e9 * sum(report.median(peer[name]) for name in spent) / count
        rows.append([*row, f"{theirs:.0f}", f"{theirs / whole[count]:.1f} ×"])
    counts = sorted(whole)
    middle = min(counts, key=lambda count: abs(count - 10_000))
    growth = whole[counts[-1]] / whole[middle]
    solutions = samples["solutions"]
    warm = report.median(solutions["seconds"][1:])
    published = []
    for vertices, milliseconds in PAPER.items():
        near = min(counts, key=lambda count: abs(count - vertices))
        published.append([f"{vertices}", f"{milliseconds:.2f}", f"{near}", f"{1e-6 * whole[near] * near:.3f}"])
    steady = samples["allocations"][len(samples["allocations"]) // 2 :]
    return (
        "Nanoseconds a vertex on one core, on sheets of irregular triangles that move; medians. A frame has one crush and one preparation "
        "and, at 30 frames a second, four rounds.\n\n"
        + report.table(["vertices", "crush", "prepare", "round", "all three", "NumPy and SciPy", "they take"], rows)
        + "\nThe peer does the same with arrays, but for the averaging of [Crush](../crush.md#beyond-the-paper): sums over neighbours are products with "
        "sparse matrices. Its heights agree to 10⁻⁹ of a wavelength.\n\n"
        + report.at_most("Crush, preparation and one round", max(whole.values()), 150, "ns a vertex")
        + report.at_most(f"A vertex of {counts[-1]} against one of {middle}", growth, 1.3, "×")
        + f"- Allocations of a frame in steady state: **{max(steady)}**.\n"
        + "\n## Against the paper\n\nCrush and relax in milliseconds, on a GeForce 6800 GT of 2004 and here on one core of the processor.\n\n"
        + report.table(["vertices", "published", "vertices here", "here"], published)
        + "\n## Phases of least error\n\n"
        + f"{solutions['vertices']} vertices, from random phases: {solutions['seconds'][0]:.3f} s, {solutions['products'][0]} solutions of the linear "
        f"system. From those of the frame before: {warm:.3f} s, {report.median(solutions['products'][1:]):.0f} solutions.\n\n"
        + report.at_most("Cold", solutions["seconds"][0], 0.5, "s")
        + report.at_most("Warm", warm, 0.05, "s")
        + "\nThe matrix of each frame is another one and is factorised anew. Where the same edges have weight, the order of the factorisation and "
        "the places of the factors' entries are kept, and with them memory; a start that is nearly right saves one solution.\n"
        + _of_threads(samples["shared"])
    )
