"""How much faster a frame is on two threads than on one."""

import time
from typing import Any, Final

import pucker

from . import report

AIM: Final = 1.8
HEAD: Final = ("one thread", "two threads", "faster")

Seconds = dict[str, list[float]]


def by_threads(clip: pucker.Clip, params: Any, frames: int, *, before: int = 1) -> Seconds:
    """Seconds by the clock of the same frames on one and two threads, which take turns; without the first ones, `before`."""
    runs = {threads: pucker.run(clip, params) for threads in (1, 2)}
    seconds: Seconds = {str(threads): [] for threads in runs}
    set_before = pucker.threads()
    try:
        for _ in range(frames):
            for threads, states in runs.items():
                pucker.threads(threads)
                begin = time.perf_counter()
                next(states)
                seconds[str(threads)].append(time.perf_counter() - begin)
    finally:
        pucker.threads(set_before)
    return {threads: each[before:] for threads, each in seconds.items()}


def medians(seconds: Seconds) -> tuple[float, float]:
    """On one thread and on two."""
    return report.median(seconds["1"]), report.median(seconds["2"])


def cells(seconds: Seconds) -> list[str]:
    """Milliseconds on one thread, on two, and how many times as fast that is."""
    one, two = medians(seconds)
    return [f"{1e3 * one:.1f}", f"{1e3 * two:.1f}", f"{one / two:.2f} ×"]


def verdict(what: str, seconds: Seconds) -> str:
    """Whether two threads are as much faster as they should be."""
    one, two = medians(seconds)
    return report.at_least(f"{what}, two threads against one", one / two, AIM, "×")
