"""Sets that `pucker train` makes, as users call it, and what they show of clips that they were not learned from."""

import dataclasses
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.byexample.draped import drape_begun_otherwise
from pucker.method import start
from pucker.metrics import Truth
from pucker.metrics.compare import Against, Folds, against
from pucker.metrics.compare.by_truth import takes_of

from . import scenes, simulate
from .bands import with_lag
from .characters import files_of, roughness
from .trained_garments import FIFTEEN, NINE

Array = npt.NDArray[np.float64]

EDGES: Final = (4.0, 8.0, 16.0, 32.0)
"""Cut-offs in mean edges of the draped mesh; four of these are a coarse one."""
SEED: Final = 1
NOISE: Final = "noise of the same spectrum"
AGAIN: Final = "draped cloth that begins otherwise"
SET: Final = "by example"
DRAPED: Final = "draped"
# Clips are played so often; the fastest frame of each place counts, as others run on the machine.
_REPEATS: Final = 5


@dataclass(frozen=True)
class Garment:
    """A garment of the example data: what the set in `data/` is made of, and the clips that judge it."""

    file: str
    part: str
    prefix: str
    """Of the clips' names."""
    learned: tuple[str, ...]
    judged: tuple[str, ...]
    options: tuple[str, ...]
    """Others of the command."""

    @property
    def name(self) -> str:
        """For tables."""
        return self.file.partition(".")[0]

    def clip(self, name: str) -> pucker.Clip:
        """The garment in a clip."""
        return pucker.load(scenes.DATA / self.file, clip=self.prefix + name, parts=[self.part])


KIMONO: Final = Garment(
    "kimono_male.gltf",
    "Clothes",
    "",
    FIFTEEN,
    ("Run", "SitDown"),
    (),
)
DRESS: Final = Garment(
    "female_dress.fbx",
    "Dress",
    "HumanArmature|Female_",
    NINE,
    ("Run", "Sitting"),
    ("--levels", "3", "--details", "34"),
)


def trained(file: Path, output: Path, *options: str) -> dict[str, Any]:
    """What `pucker train` says of the set that it makes of a file, with `took`, seconds from call to end, and `processor`, those of processors.

    Raises pucker.Error with what it says where it makes none.
    """
    call = [sys.executable, "-c", "from pucker.cli import main; main()", "train", str(file), "-o", str(output)]
    begin, before = time.perf_counter(), _children()
    done = subprocess.run([*call, "--json", *options], capture_output=True, text=True, check=False)
    took, processor = time.perf_counter() - begin, _children() - before
    if done.returncode:
        raise pucker.Error(done.stderr.strip().rpartition("\n")[2].removeprefix("pucker: "))
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"took": took, "processor": processor}


def _children() -> float:
    """Processor time of the processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def milliseconds(clip: pucker.Clip, params: Any) -> float:
    """Of one processor for a frame of a clip, the median over its frames but the first."""
    times = []
    for _ in range(_REPEATS):
        run = start(clip, params)
        spent = []
        for positions, moment in zip(clip.positions, clip.times, strict=True):
            begin = time.thread_time()
            run.advance(positions, float(moment))
            spent.append(time.thread_time() - begin)
        times.append(spent[1:])
    return 1e3 * float(np.median(np.min(times, axis=0)))


def figures_of(told: dict[str, Any], file: Path, clip: pucker.Clip) -> dict[str, Any]:
    """Of a set that `trained` told of: how well it predicts clips left out, its size, and how high it folds and what a frame takes on a clip."""
    known = [each for each in told["left_out"] if each is not None]
    found, params = byexample.load(str(file)), byexample.Params(trained=str(file))
    return {
        "clips": len(told["clips"]),
        "frames": told["frames"],
        "learned": float(np.mean(known)) if known else None,
        "least": min(known, default=None),
        "untaught": told["untaught"],
        "again": told["again"],
        "bytes": file.stat().st_size,
        "took": told["took"],
        "processor": told["processor"],
        "triangles": len(found.faces) * 4**found.levels,
        "height": height(clip, found.levels, params),
        "play": milliseconds(clip, params),
        "weights": milliseconds(clip, params.replace(compute="gpu")),
    }


def height(clip: pucker.Clip, levels: int, params: byexample.Params) -> float:
    """Of a clip, root mean square of the heights that a set has over the guide, in mean edges of the coarse mesh."""
    loop = byexample.LoopSubdivision(clip.mesh, levels)
    rest = np.asarray(clip.positions[0] if clip.rest is None else clip.rest)
    guide = np.array([loop.matrix @ pose for pose in clip.positions])
    found = metrics.heights(loop.fine.faces, guide, played(clip, params))
    return float(np.sqrt(np.square(found).mean())) / pucker.mean_edge_length(clip.mesh, rest)


def agreement(clip: pucker.Clip, levels: int, surfaces: dict[str, Any]) -> dict[str, Any]:
    """Surfaces against draped cloth with defaults on a clip: `bands`, what `metrics.band_agreement` finds for each, and `rough` of each.

    Surfaces are positions (frames, N, 3) or parameters of a method, by name.
    """
    guide, draped = draped_on(clip, levels)
    loop = byexample.LoopSubdivision(clip.mesh, levels)
    rest = loop.matrix @ np.asarray(clip.positions[0] if clip.rest is None else clip.rest)
    edge = pucker.mean_edge_length(loop.fine, rest)
    bands = metrics.Bands(loop.fine.faces, rest, [count * edge for count in EDGES])
    true = metrics.heights(loop.fine.faces, guide, draped)
    rows = {
        name: metrics.heights(loop.fine.faces, guide, of if isinstance(of, np.ndarray) else played(clip, of))
        for name, of in surfaces.items()
    }
    rows[NOISE] = metrics.noise_like(true, bands, SEED)
    return {
        "bands": {
            name: [dataclasses.asdict(each) for each in metrics.band_agreement(found, true, bands)]
            for name, found in rows.items()
        },
        "rough": {name: roughness(loop.fine.edges, found) for name, found in {**rows, DRAPED: true}.items()},
    }


def draped_on(clip: pucker.Clip, levels: int) -> tuple[Array, Array]:
    """Guide and draped cloth (frames, N, 3), as a user's own call gives them."""
    states = pucker.run(clip, pucker.drape.Params(levels=levels))
    guide, draped = zip(*((np.array(state.guide), np.array(state.draped)) for state in states), strict=True)
    return np.array(guide), np.array(draped)


def played(clip: pucker.Clip, params: byexample.Params) -> Array:
    """(frames, N, 3)"""
    return np.array([np.array(state.detail.fine_positions) for state in pucker.run(clip, params)])


def on_clip(clip: pucker.Clip, file: Path) -> dict[str, Any]:
    """A set on a clip that it was not learned from, and cloth that begins otherwise: see `agreement`."""
    levels = byexample.load(str(file)).levels
    again = drape_begun_otherwise(clip, pucker.drape.Params(levels=levels))
    return agreement(clip, levels, {SET: byexample.Params(trained=str(file)), AGAIN: again})


def against_truths(file: Path) -> dict[str, list[dict[str, Any]]]:
    """A set against the resolved truths of its garment, beside the cloth that taught it: rows of folds, and those with the lag left in."""
    rows: list[Against] = []
    lagging: list[Against] = []
    trained_set = byexample.load(str(file))
    surfaces = {
        SET: byexample.Params(trained=str(file)),
        DRAPED: pucker.drape.Params(levels=trained_set.levels),
    }
    for name, fabric in simulate.kept():
        truth: Truth = simulate.load(name, fabric)
        if not truth.resolved or tuple(truth.clip.parts) != trained_set.parts:
            continue
        found: list[Folds] = []
        takes = takes_of(truth, simulate.file_of(name, fabric))
        rows += against(truth, surfaces, takes=takes, progress=found.append)
        lagging += with_lag(truth, found)
    return {"folds": [each.plain() for each in rows], "lagging": [each.plain() for each in lagging]}


def of_garment(garment: Garment, folder: Path) -> dict[str, Any]:
    """Trains as the set in `data/` was, and judges what comes of it."""
    file = folder / f"{garment.name}.npz"
    clips = ",".join(garment.prefix + name for name in garment.learned)
    told = trained(scenes.DATA / garment.file, file, "--parts", garment.part, "--clips", clips, *garment.options)
    judged = {name: garment.clip(name) for name in garment.judged}
    return {
        "name": garment.name,
        **figures_of(told, file, judged[garment.judged[0]]),
        "judged": {name: on_clip(clip, file) for name, clip in judged.items()},
        "truths": against_truths(file),
    }


def of_strangers(paths: Iterable[Path]) -> list[dict[str, Any]]:
    """Of each character in files and folders, as `pucker train FILE -o SET` does without any option; `failed`, the reason, where it does not."""
    rows = []
    for file in files_of(paths):
        click.echo(f"training on {file.name}", err=True)
        row: dict[str, Any] = {"name": file.stem}
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder) / "set.npz"
            try:
                told = trained(file, output)
                made = byexample.load(str(output))
                clip = pucker.load(file, clip=_most_of(told, made.origin.clips), parts=list(made.parts), isolated=True)
                row |= {"parts": list(made.parts)} | figures_of(told, output, clip)
            except pucker.Error as error:
                row["failed"] = str(error)
        rows.append(row)
    return rows


def _most_of(told: dict[str, Any], names: Sequence[str]) -> str:
    """The clip, by its name in the file, that most frames are compared with."""
    own: dict[str, str] = dict(zip(told["clips"], names, strict=True))
    centres = [each["clip"] for each in told["centres"]]
    return own[max(own, key=centres.count)]
