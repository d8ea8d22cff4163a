"""A hundred characters baked by one command, on one worker and on two."""

import contextlib
import os
import resource
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

import psutil

from . import report, scenes

TITLE: Final = "Performance of shots on workers"
PEERS: Final = ("dask", "distributed")
COUNT: Final = 100
WORKERS: Final = (1, 2)
# Of the kimono, in turn; from 23 to 57 frames.
CLIPS: Final = (
    "Walk",
    "Run",
    "Jump",
    "Punch",
    "SitDown",
    "StandUp",
    "Walk_Carry",
    "Run_Carry",
    "SwordSlash",
    "Victory",
)
_SHOT: Final = """
[all]
file = "{file}"
parts = ["Clothes", "Band"]
method = "drape"
set.levels = 1
body = false
"""


def _write_shot(path: Path) -> None:
    lines = [_SHOT.format(file=scenes.DATA / "kimono_male.gltf")]
    lines += [f'[outputs."{k:03}.glb"]\nclip = "{CLIPS[k % len(CLIPS)]}"\n' for k in range(COUNT)]
    path.write_text("\n".join(lines), encoding="utf-8")


def _bytes_of(process: psutil.Process) -> int:
    """What a worker and the reader of its file have in memory; 0 of one that has just ended."""
    try:
        return int(process.memory_info().rss) + sum(map(_bytes_of, process.children()))
    except psutil.NoSuchProcess:
        return 0


def _workers_of(command: psutil.Process) -> list[psutil.Process]:
    """The processes that dask has started."""
    found = []
    with contextlib.suppress(psutil.NoSuchProcess):
        for child in command.children():
            with contextlib.suppress(psutil.NoSuchProcess):
                if any("spawn_main" in word for word in child.cmdline()):
                    found.append(child)
    return found


def _run(shot: Path, folder: Path, workers: int) -> dict[str, float]:
    """Seconds of the command and of the processors, and the most bytes of a worker, looked at ten times a second."""
    words = ["bake", str(shot), "-o", str(folder), "--workers", str(workers), "--quiet"]
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    process = psutil.Popen(
        [sys.executable, "-c", "from pucker.cli import main; main()", *words],
        env={**os.environ, "PUCKER_THREADS": "1"},
    )
    most = 0
    while process.poll() is None:
        most = max([most, *map(_bytes_of, [process] if workers == 1 else _workers_of(process))])
        time.sleep(0.1)
    wall = time.perf_counter() - begin
    if process.returncode != 0:
        raise RuntimeError(f"the shot ended with {process.returncode}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime
    return {"workers": workers, "wall": wall, "processor": spent, "bytes": most}


def measure() -> report.Samples:
    """Each number of workers, twice in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _write_shot(folder / "shot.toml")
        runs = [_run(folder / "shot.toml", folder / f"{k}-{n}", n) for k in range(2) for n in WORKERS]
        written = [
            {path.name: path.read_bytes() for path in sorted((folder / f"0-{n}").glob("*.glb"))} for n in WORKERS
        ]
    if any(each != written[0] or len(each) != COUNT for each in written):
        raise RuntimeError("workers have written other files than one process")
    return {"runs": runs}


def page(samples: report.Samples) -> str:
    """The page's text."""
    rows, fastest = [], []
    for workers in WORKERS:
        runs = [each for each in samples["runs"] if each["workers"] == workers]
        best = min(runs, key=lambda each: each["wall"])
        fastest.append(best)
        slower, most = max(each["wall"] for each in runs), max(each["bytes"] for each in runs) / 1e6
        cells = [best["wall"], slower, best["processor"]]
        rows.append(
            [f"{workers}", *(f"{each:.1f}" for each in cells), f"{best['processor'] / best['wall']:.2f}", f"{most:.0f}"]
        )
    one, two = fastest
    idle = two["processor"] / 2
    return (
        f"`pucker bake shot.toml`: {COUNT} bakes of the kimono, {len(CLIPS)} clips in turn, draped with 3 840 triangles, each "
        "into a glTF file. Both write the same bytes.\n\n"
        + report.table(["workers", "s", "s, the slower of 2 runs", "processor s", "cores it got", "MB a worker"], rows)
        + f"\nTwo workers were {one['wall'] / two['wall']:.2f} times as fast as one. Where two cores have nothing else to do "
        f"they take {idle:.0f} s at least, half of their processor time, and one worker {one['processor']:.0f}: "
        f"{one['processor'] / idle:.2f} times as fast.\n\n"
        "`MB a worker` is the most that a worker and the process that reads its file have in memory together, "
        "pages that both share counted twice. One worker is the process of the command itself.\n"
    )
