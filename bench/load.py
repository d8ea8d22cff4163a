"""Loading: each file of the example data whole, in its longest clip, here and in a process of its own."""

import time
from typing import Final

import pucker

from . import report
from .scenes import DATA

TITLE: Final = "Performance of loading"
PEERS: Final = ("usd-core",)
ENDINGS: Final = (".gltf", ".glb", ".fbx", ".dae", ".md3", ".zip")
FPS: Final = 30.0
ROUNDS: Final = 5
ISOLATED_ROUNDS: Final = 2


def measure() -> report.Samples:
    """Seconds by the clock and of the processor for each file, and by the clock with a child process."""
    files = []
    for path in sorted(DATA.iterdir()):
        if path.suffix not in ENDINGS:
            continue
        durations = pucker.inspect(path).clips
        longest = max(durations, key=durations.__getitem__)
        samples: dict[str, list[float]] = {"wall": [], "processor": [], "isolated": []}
        for _ in range(ROUNDS):
            begin, processor = time.perf_counter(), time.process_time()
            clip = pucker.load(path, clip=longest, fps=FPS)
            samples["wall"].append(time.perf_counter() - begin)
            samples["processor"].append(time.process_time() - processor)
        for _ in range(ISOLATED_ROUNDS):
            begin = time.perf_counter()
            pucker.load(path, clip=longest, fps=FPS, isolated=True)
            samples["isolated"].append(time.perf_counter() - begin)
        files.append(
            {
                "name": path.name,
                "triangles": len(clip.faces),
                "frames": len(clip),
                "bytes": path.stat().st_size,
                **samples,
            }
        )
    return {"files": files}


def page(samples: report.Samples) -> str:
    """The page's text."""
    rows = [
        [
            f"`{each['name']}`",
            f"{each['bytes'] / 1e6:.1f}",
            f"{each['triangles']}",
            f"{each['frames']}",
            *(f"{min(each[kind]):.2f}" for kind in ("wall", "processor", "isolated")),
        ]
        for each in samples["files"]
    ]
    head = ["file", "MB", "triangles", "frames", "clock [s]", "processor [s]", "`isolated=True`, clock [s]"]
    return (
        f"The whole character in its longest clip, at {FPS:g} frames per second; the best of {ROUNDS} runs, of "
        f"{ISOLATED_ROUNDS} in a process of its own, which the command line and sweeps always take.\n\n"
        + report.table(head, rows)
    )
