"""What a call of `advance` from Python takes beyond the C++ it calls."""

import time
from typing import Any, Final

import pucker

from . import report, scenes

TITLE: Final = "Overhead of Python"
PEERS: Final = ()
LOOPS: Final = 20
AIM_US: Final = 20.0


def _measure(character: scenes.Character) -> dict[str, Any]:
    clip = character.load(LOOPS)
    wrinkler = pucker.Wrinkler(clip, scenes.params(clip, 1.25, 0.01))
    out: dict[str, Any] = {"name": character.name, "triangles": clip.mesh.triangle_count, "call": [], "core": []}
    for positions, instant in [(frame.positions, frame.time) for frame in clip]:
        begin = time.perf_counter()
        state = wrinkler.advance(positions, instant)
        out["call"].append(time.perf_counter() - begin)
        out["core"].append(sum(state.seconds.values()))
    return out


def measure() -> report.Samples:
    """Seconds of each call, and of all stages within it."""
    return {"characters": [_measure(character) for character in scenes.CHARACTERS]}


def page(samples: report.Samples) -> str:
    """The page's text."""
    aims = ""
    rows = []
    for one in samples["characters"]:
        half = len(one["call"]) // 2
        beyond = [1e6 * (call - core) for call, core in zip(one["call"], one["core"], strict=True)][half:]
        aims += report.at_most(f"{one['name']}, median", report.median(beyond), AIM_US, "µs")
        rows.append(
            [
                one["name"],
                f"{one['triangles']}",
                f"{1e6 * report.median(one['core'][half:]):.0f}",
                f"{report.median(beyond):.1f}",
                f"{report.percentile(beyond, 0.99):.1f}",
            ]
        )
    head = ["clip", "triangles", "C++ µs", "beyond, median µs", "beyond, p99 µs"]
    return (
        "`Wrinkler.advance` called from Python in a loop that keeps the last `State`, as most loops do: time of the call less "
        "what all stages take by the core's own clock; second half of each run.\n\n"
        + aims
        + "\n"
        + report.table(head, rows)
    )
