"""Truths: cloth simulated finely enough to be judged by, over the scenes' motions, in two fabrics; and how far they reproduce."""

import dataclasses
import time
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.io import blender
from pucker.metrics import Truth
from pucker.metrics.compare import Against, standard_on
from pucker.metrics.compare.by_truth import overall_table, simulations, table_of_truth
from pucker.metrics.compare.telling import EVERY

from . import report
from .sheet import COAT, SHIRT, Sheet
from .worn import WORN, Worn

Array = npt.NDArray[np.float64]

TITLE: Final = "Truths"
PEERS: Final = ("scipy", "libigl")

ROOT: Final = Path(__file__).resolve().parents[1]
KEPT: Final = ROOT / "data" / "truths"
"""The truths."""
RECORDINGS: Final = ROOT / "build" / "bench" / "truths"

FABRICS: Final[dict[str, Sheet]] = {"coat": COAT, "shirt": SHIRT}
EDGES: Final = (4.0, 8.0, 16.0, 32.0, 64.0)
"""Cut-offs in mean edges of the mesh that folds are kept on; four are an edge of the coarse mesh."""
SHORTEST: Final = 3.0
FEWEST: Final = 4.0
"""Edges of the mesh in a fold: the next finer mesh, by which it is judged, has eight."""
COUNT: Final = 20
STILL: Final = 2
# The other take goes through poses that are this share of the garment's side away, and so many frames back from there.
_NOISE: Final = 0.02
_NOISY: Final = 3
_SEED: Final = 1


def level_of(worn: Worn, fabric: Sheet) -> int:
    """The least subdivisions with `FEWEST` edges in a fold."""
    for level in range(worn.levels, worn.levels + 4):
        mesh, rest = _at(worn, level)
        if fabric.edges(mesh, rest, worn.side) >= FEWEST:
            return level
    raise ValueError(f"no mesh of {worn.source} has {FEWEST:g} edges in a fold")


def _at(worn: Worn, level: int) -> tuple[pucker.Mesh, Array]:
    loop = byexample.LoopSubdivision(worn.clip.mesh, level)
    return loop.fine, np.asarray(loop.matrix @ worn.start)


def stored(worn: Worn) -> tuple[pucker.Mesh, Array]:
    """The mesh that folds are kept on, in the cut pose."""
    return _at(worn, worn.levels)


def disturbed(worn: Worn, seed: int = _SEED) -> Worn:
    """The same motion after a few frames of noise, from which the garment goes to the first one."""
    way = np.linspace(1.0, 0.0, _NOISY + 2)[:-1, None, None]
    noise = _NOISE * worn.side * np.random.default_rng(seed).normal(size=worn.start.shape)
    before = worn.clip.positions[0] + way * noise
    body = worn.body
    if body is not None:
        still = np.repeat(body.positions[:1], len(before), axis=0)
        body = byexample.Body(body.faces, body.start, np.concatenate([still, body.positions]))
    step = float(worn.clip.times[1] - worn.clip.times[0])
    times = np.concatenate([np.arange(len(before)) * step, len(before) * step + worn.clip.times - worn.clip.times[0]])
    clip = pucker.Clip.from_arrays(
        worn.clip.faces, np.concatenate([before, worn.clip.positions]), times, weld=False, rest=worn.clip.rest
    )
    return dataclasses.replace(worn, clip=clip, body=body)


def simulated(
    worn: Worn, fabric: Sheet, level: int, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> Array:
    """Positions (frames, N, 3) of all frames of the clip, from a recording if there is one."""
    mesh, rest = _at(worn, level)
    return byexample.simulate(
        worn.clip,
        worn.body,
        start=worn.start,
        levels=level,
        cloth=fabric.cloth(mesh, rest, worn.side),
        still=STILL,
        sewn=worn.sewn,
        recordings=RECORDINGS,
        progress=progress,
    )


def truth_of(name: str, fabric: str, worn: Worn, level: int, positions: Array) -> Truth:
    """Of a simulation on the mesh after `level` subdivisions."""
    edge = pucker.mean_edge_length(*stored(worn))
    mesh, rest = _at(worn, level)
    sheet = FABRICS[fabric]
    constants = {
        **sheet.constants(),
        "edges_in_a_fold": sheet.edges(mesh, rest, worn.side),
        "steps_a_frame": float(sheet.steps(mesh, rest, worn.side)),
        "triangles": float(len(mesh.faces)),
    }
    return Truth.of_simulation(
        name,
        fabric,
        worn.clip,
        positions,
        start=worn.start,
        sewn=worn.sewn,
        simulated_levels=level,
        levels=worn.levels,
        first=worn.first,
        count=min(COUNT, len(worn.clip) - worn.first),
        shortest=SHORTEST * edge,
        cutoffs=tuple(count * edge for count in EDGES),
        constants=constants,
        made=f"Blender {blender.VERSION}; {worn.source}",
        source=worn.character,
    )


def reproduced(truth: Truth, worn: Worn, of: str, level: int, positions: Array) -> metrics.Reproduced:
    """How far a simulation on another mesh, whose last frames are the truth's clip, has the truth's folds."""
    found = other_surface(truth, worn, level, positions)
    lag = truth.lag_of(found)
    folds = metrics.heights(truth.mesh.faces, truth.guide, found) - truth.lagging(lag)
    return metrics.Reproduced.of_rows(of, metrics.band_agreement(folds, truth.folds, truth.bands), lag)


def other_surface(truth: Truth, worn: Worn, level: int, positions: Array) -> Array:
    """Such a simulation at the truth's vertices, (frames, N, 3)."""
    shown = positions[-len(worn.clip) :][worn.first : worn.first + len(truth)]
    mesh, rest = _at(worn, level)
    if level < worn.levels:
        return truth.surface_of(mesh.faces, rest, shown)
    loop = byexample.LoopSubdivision(worn.clip.mesh, level)
    guide = np.array([loop.matrix @ each for each in worn.clip.positions[worn.first : worn.first + len(truth)]])
    low = metrics.low_pass(mesh.faces, rest, truth.shortest, shown - guide)[:, : truth.mesh.vertex_count]
    return truth.guide + low


class _Clock:
    """Tells how far all is, and how long the rest will take."""

    def __init__(self, works: list[float]) -> None:
        self._all, self._done, self._now = sum(works), 0.0, 0.0
        self._begin = time.perf_counter()

    def part(self, words: str, work: float) -> Callable[[int, int], None]:
        """What is called with the frames done and all of them."""
        self._done += self._now
        self._now = work

        def step(done: int, count: int) -> None:
            share = (self._done + work * done / count) / self._all
            left = (time.perf_counter() - self._begin) * (1.0 - share) / max(share, 1e-9)
            click.echo(f"\r{words}: frame {done} of {count}; {left / 60.0:.0f} min left in all   ", nl=False, err=True)

        return step


@dataclasses.dataclass(frozen=True)
class Part:
    """One simulation that a truth needs: of the truth itself, or one of those that it is compared with."""

    name: str
    fabric: str
    of: str
    level: int

    @property
    def words(self) -> str:
        """For progress."""
        return f"{self.name}, {self.fabric}, {self.of}"


@cache
def _worn(name: str) -> Worn:
    return WORN[name]()


def parts_of(name: str, fabric: str) -> list[Part]:
    """What is to be simulated of a truth, itself first."""
    level = level_of(_worn(name), FABRICS[fabric])
    levels = {"itself": level, "coarser": level - 1, "again": level, "finer": level + 1}
    return [Part(name, fabric, of, each) for of, each in levels.items()]


def _work(part: Part) -> float:
    mesh, rest = _at(_worn(part.name), part.level)
    return len(mesh.faces) * FABRICS[part.fabric].steps(mesh, rest, _worn(part.name).side)


def other_folds(truth: Truth, worn: Worn, level: int, positions: Array) -> Array:
    """Folds of such a simulation, (frames, N): its heights without its lag."""
    found = other_surface(truth, worn, level, positions)
    return metrics.heights(truth.mesh.faces, truth.guide, found) - truth.lagging(truth.lag_of(found))


def make(name: str, fabric: str, clock: _Clock) -> Truth:
    """Simulates what a truth needs, and the truth."""
    worn = _worn(name)
    made: Truth | None = None
    others = []
    for part in parts_of(name, fabric):
        step = clock.part(part.words, _work(part))
        motion = disturbed(worn) if part.of == "again" else worn
        positions = simulated(motion, FABRICS[fabric], part.level, step)
        if made is None:
            made = truth_of(name, fabric, worn, part.level, positions)
            continue
        others.append(reproduced(made, worn, part.of, part.level, positions))
    assert made is not None
    return dataclasses.replace(made, reproduced=tuple(others))


def keep_takes(name: str, fabric: str, of: Sequence[str] = ("again", "finer")) -> None:
    """Writes folds of other simulations of a truth, which say how far two of one sheet can be told apart."""
    worn, truth = _worn(name), load(name, fabric)
    found = {}
    for part in parts_of(name, fabric):
        if part.of in of:
            motion = disturbed(worn) if part.of == "again" else worn
            positions = simulated(motion, FABRICS[fabric], part.level)
            found[part.of] = other_folds(truth, worn, part.level, positions)[::EVERY]
    file = _takes(name, fabric)
    file.parent.mkdir(exist_ok=True)
    metrics.save_takes(file, found)


def _takes(name: str, fabric: str) -> Path:
    return KEPT / "takes" / f"{name}-{fabric}.npz"


def file_of(name: str, fabric: str) -> Path:
    """Of a truth."""
    return KEPT / f"{name}-{fabric}.npz"


def kept() -> list[tuple[str, str]]:
    """Scenes and fabrics of which there is a truth."""
    return [(name, fabric) for name in WORN for fabric in FABRICS if file_of(name, fabric).exists()]


def load(name: str, fabric: str) -> Truth:
    """One of those."""
    return Truth.load(file_of(name, fabric))


def surfaces_on(truth: Truth) -> dict[str, Any]:
    """What pages judge by a truth: `standard_on`, and dynamic wrinkles as wide everywhere and as single ridges."""
    others = {"dynamic, thickness 0": pucker.Params(thickness=0.0), "dynamic, ridges": pucker.Params.ridges()}
    return standard_on(truth, KEPT) | others


def missing() -> list[tuple[str, str]]:
    """Scenes and fabrics of which there is no truth yet."""
    return [(name, fabric) for name in WORN for fabric in FABRICS if not file_of(name, fabric).exists()]


def measure() -> report.Samples:
    """Simulates the truths that are missing, about an hour for all; what was simulated before is taken from its recording."""
    wanted = missing()
    clock = _Clock([_work(part) for pair in wanted for part in parts_of(*pair)])
    KEPT.mkdir(exist_ok=True)
    failed = {}
    for name, fabric in wanted:
        try:
            make(name, fabric, clock).save(file_of(name, fabric))
        except byexample.BlownUpError as error:
            failed[f"{name}, {fabric}"] = str(error)
    for name, fabric in kept():
        if load(name, fabric).resolved and not _takes(name, fabric).exists():
            keep_takes(name, fabric)
    return {"failed": failed}


def page(samples: report.Samples) -> str:
    """A table of how far each truth reproduces, means over the bands that are judged, and those that are no truths."""
    truths = [load(name, fabric) for name, fabric in kept()]
    rows = [list(simulations(truth)) for truth in truths]
    text = (
        "Each scene in two fabrics, simulated by Blender so that the sheet is the same on a mesh of any fineness "
        "([how](../truths.md)). Beside each truth: the next finer mesh, another take that goes through a few frames of noise before "
        "the clip, and the next coarser mesh, by band of wavelength, in edges of the stored mesh, four of which are a coarse edge. Each cell: "
        "correlation with the truth's folds, and size over the truth's in brackets, both without lag; *lag* is drag over hold per frame. "
        f"Bold bands are judged by place: the finer mesh correlates by at least {metrics.PLACE:g}, with a size within "
        f"{metrics.SIZE:.0%}, and so does another take.\n\n## Bands that are judged by place\n\nMeans over them, and the least.\n\n"
        f"{overall_table([row for of in rows for row in of])}"
    )
    for truth, own in zip(truths, rows, strict=True):
        text += f"\n## {truth.name}, {truth.fabric}\n\n{_of_truth(truth, own)}"
    for name, why in samples["failed"].items():
        text += f"\n{name}: {why}\n"
    absent = [f"{name} in the {fabric}" for name, fabric in missing()]
    if absent:
        text += f"\nNot simulated yet: {', '.join(absent)}.\n"
    return text


def _of_truth(truth: Truth, rows: list[Against]) -> str:
    shares = metrics.band_agreement(truth.folds, truth.folds, truth.bands)
    told = ", ".join(f"{100 * band.share:.0f}" for band in shares)
    constants = truth.constants
    size = metrics.rms(truth.folds, truth.bands.areas / truth.side**2) / truth.side
    return (
        f"{table_of_truth(rows)}\nThe bands hold {told} % of the truth's mean square. {constants['triangles']:.0f} triangles, "
        f"{constants['edges_in_a_fold']:.1f} edges in a fold, {constants['steps_a_frame']:.0f} steps a frame; folds of "
        f"{1e3 * size:.1f} thousandths of the garment's side.{'' if truth.resolved else ' **Not resolved.**'}\n"
    )
