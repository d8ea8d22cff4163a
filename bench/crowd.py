"""Many characters over all cores."""

from collections import defaultdict
from typing import Any, Final

from . import native, report

TITLE: Final = "Performance of a crowd"
PEERS: Final = ()
AIM: Final = 0.95


def measure() -> report.Samples:
    """Seconds of each frame of the crowd, and of each character in it."""
    return {**native.run("crowd")}


def page(samples: report.Samples) -> str:
    """The page's text."""
    walls: dict[tuple[int, int], list[float]] = defaultdict(list)
    each: dict[tuple[int, int], list[float]] = defaultdict(list)
    for run in samples["runs"]:
        key = (run["characters"], run["threads"])
        # Of the rounds that took turns the quietest is compared, all of them are shown.
        walls[key].append(report.median(run["walls"]))
        each[key] += run["each"]
    aims = ""
    rows = []
    for (characters, threads), rounds in sorted(walls.items()):
        efficiency = min(walls[characters, 1]) / (threads * min(rounds))
        times: list[Any] = each[characters, threads]
        if threads > 1 and characters > 1:
            aims += report.at_least(
                f"{characters} characters on {threads} cores, efficiency", efficiency, AIM, "of one core's speed"
            )
        rows.append(
            [
                f"{characters}",
                f"{threads}",
                f"{1e3 * min(rounds):.3f}",
                f"{1e3 * max(rounds):.3f}",
                f"{1e6 * min(rounds) / characters:.1f}",
                f"{100 * efficiency:.0f} %",
                f"{1e6 * report.median(times):.1f}",
                f"{1e6 * report.percentile(times, 0.99):.1f}",
            ]
        )
    head = [
        "characters",
        "threads",
        "ms a frame",
        "slowest round",
        "µs a character",
        "efficiency",
        "median µs",
        "p99 µs",
    ]
    return (
        f"`pucker.Crowd` with {samples['scene']} ({samples['triangles']} triangles, τ 1.25, L_min 1 %), each character at another "
        "place of its clip, without rest pose and border. Efficiency is the speed of all threads over that of one, by thread, from "
        "the quietest of three rounds. Median and p99 are of one character's frame.\n\n"
        + aims
        + "\n"
        + report.table(head, rows)
    )
