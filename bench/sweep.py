"""How busy a sweep keeps the cores."""

import os
import resource
import tempfile
import time
from pathlib import Path
from typing import Final

import pucker

from . import report, scenes

TITLE: Final = "Performance of sweeps"
PEERS: Final = ("dask", "distributed", "pyarrow")
AIM: Final = 0.9
FRAMES: Final = 60
THRESHOLDS: Final = tuple(1.1 + 0.025 * k for k in range(16))
PROFILES: Final = ("quartic", "sinusoidal", "arcs", "bspline")


def _processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """The measures of the package, and the seconds they took."""
    begin = time.perf_counter()
    summary = pucker.metrics.measure(clip, params).summary
    return summary | {"spent": time.perf_counter() - begin}


def measure() -> report.Samples:
    """Wall clock, processor time and seconds of each point of a sweep on a process a core."""
    whole = next(c for c in scenes.CHARACTERS if c.file == "kimono_male.gltf").load(2)
    clip = whole.beginning(FRAMES)
    grid = pucker.sweep.Grid({"threshold": THRESHOLDS, "shape.profile": PROFILES}, clips={"kimono": clip})
    with tempfile.TemporaryDirectory() as folder:
        begin, used = time.perf_counter(), _processor_seconds()
        frame = pucker.sweep(grid, Path(folder), measure=timed, workers=None, quiet=True)
        wall, used = time.perf_counter() - begin, _processor_seconds() - used
    cores = len(os.sched_getaffinity(0))
    return {"cores": cores, "wall": wall, "processor": used, "points": frame["spent"].to_list()}


def page(samples: report.Samples) -> str:
    """The page's text."""
    cores, wall, points = samples["cores"], samples["wall"], samples["points"]
    occupied, busy = sum(points) / wall / cores, samples["processor"] / wall / cores
    return (
        f"{len(points)} points over {FRAMES} frames of the kimono's walk, on a process a core.\n\n"
        + report.at_least("cores busy", busy, AIM, "of their time")
        + "\n"
        + report.table(
            ["cores", "s", "processor s", "busy", "occupied", "median s a point"],
            [
                [
                    f"{cores}",
                    f"{wall:.1f}",
                    f"{samples['processor']:.1f}",
                    f"{busy:.3f}",
                    f"{occupied:.3f}",
                    f"{report.median(points):.2f}",
                ]
            ],
        )
        + "\n`busy` is the processor time, starting and stopping the processes included, as a share of what the cores could "
        "give meanwhile; it says nothing if anything else is running. `occupied` is the share of the time in which a process "
        "has a point to measure, whatever else is running.\n"
    )
