"""How busy a sweep keeps the cores, as JSON: ``python bench/sweep.py``.

A sweep of 64 points over a clip of 60 frames, on a process a core. `busy` is its processor time, starting and stopping
the processes included, as a share of what the cores could give meanwhile; it says nothing if anything else is running.
`occupied` is the share of the time in which a process has a point to measure, whatever else is running.
"""

import json
import os
import resource
import tempfile
import time
from pathlib import Path

import pucker

_GRID = """
[parameters]
threshold = [1.1, 1.125, 1.15, 1.175, 1.2, 1.225, 1.25, 1.275, 1.3, 1.325, 1.35, 1.375, 1.4, 1.425, 1.45, 1.475]
shape.profile = ["quartic", "sinusoidal", "arcs", "bspline"]

[clips.kimono]
file = "{data}/kimono_male.gltf"
clip = "Walk"
parts = ["Clothes", "Band"]
loops = 2
frames = 60
"""


def _processor_seconds() -> float:
    """Of this process and of its children that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def timed(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """The measures of the package, and the seconds they took."""
    begin = time.perf_counter()
    summary = pucker.metrics.measure(clip, params).summary
    return summary | {"spent": time.perf_counter() - begin}


def main() -> None:
    """Prints the seconds of the sweep, and the share of the cores' time it used."""
    data = Path(__file__).resolve().parents[1] / "data"
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "grid.toml"
        path.write_text(_GRID.format(data=data), encoding="utf-8")
        grid = pucker.sweep.Grid.from_toml(path)
        begin, used = time.perf_counter(), _processor_seconds()
        frame = pucker.sweep(grid, Path(folder) / "points", measure=timed, workers=None, quiet=True)
        wall, used = time.perf_counter() - begin, _processor_seconds() - used
    cores = len(os.sched_getaffinity(0))
    shares = {"busy": used / wall / cores, "occupied": frame["spent"].sum() / wall / cores}
    found = {"points": len(frame), "cores": cores, "wall": wall, "processor": used} | shares
    print(json.dumps(found, indent=2))  # noqa: T201


if __name__ == "__main__":
    main()
