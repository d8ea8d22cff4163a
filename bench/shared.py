"""How much faster a frame is on two threads than on one."""

import os
import resource
import time
from pathlib import Path
from typing import Any, Final, Self

import pucker

from . import report

AIM: Final = 1.8
HEAD: Final = ("one thread", "two threads", "faster")

# Seconds that other processes may compute in a second, of all cores, beside two threads that are judged.
OTHERS: Final = 0.1

Seconds = dict[str, list[float]]


def _computed() -> tuple[float, float]:
    """Seconds of all cores that all processes have computed, and that this one and those it waited for have."""
    ticks = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:4]
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK"), sum(each.ru_utime + each.ru_stime for each in spent)


class Others:
    """What other processes compute while the block runs: `rate`, seconds in a second."""

    rate: float

    def __enter__(self) -> Self:
        self._begin, self._before = time.perf_counter(), _computed()
        return self

    def __exit__(self, *_: object) -> None:
        (every, own), (before, own_before) = _computed(), self._before
        self.rate = max(0.0, every - before - (own - own_before)) / (time.perf_counter() - self._begin)


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


def verdict(what: str, seconds: Seconds, others: float = 0.0) -> str:
    """Whether two threads are as much faster as they should be, if other processes have left them two cores."""
    one, two = medians(seconds)
    if others > OTHERS:
        return f"- {what}: not judged, two threads had no two cores: other processes computed {others:.2g} s in a second.\n"
    return report.at_least(f"{what}, two threads against one", one / two, AIM, "×")
