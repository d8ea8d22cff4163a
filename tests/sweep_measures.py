"""Measures for sweeps in tests, where worker processes can import them; run as a program, a sweep to be killed."""

import os
import signal
import sys
import time
from pathlib import Path

import pucker
from pucker import examples

# Where measures leave traces, for processes that share nothing but their environment.
TRACES = "PUCKER_TEST_TRACES"


def wrinkles(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """How many wrinkles there are in all frames, and how long they are."""
    wrinkler = pucker.Wrinkler(clip, params)
    found = [w for frame in clip for w in wrinkler.advance(frame.positions, frame.time).wrinkles]
    return {"wrinkles": len(found), "length": sum(wrinkle.length for wrinkle in found)}


def slow(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """The same, in twice the time, leaving one more trace each time it is done."""
    begin = time.perf_counter()
    measures = wrinkles(clip, params)
    time.sleep(time.perf_counter() - begin)
    with (Path(os.environ[TRACES]) / "measured").open("a", encoding="utf-8") as file:
        file.write(f"{params.threshold} {params.seed}\n")
    return measures


def picky(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """The same, but for one threshold."""
    if params.threshold == 1.3:
        raise ArithmeticError("1.3 is\ntoo much")
    return wrinkles(clip, params)


def deadly_once(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """The same, but the process that gets to 1.3 first is killed."""
    marker = Path(os.environ[TRACES]) / "killed"
    if params.threshold == 1.3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return wrinkles(clip, params)


def deadly(clip: pucker.Clip, params: pucker.Params) -> dict[str, float]:
    """The same, but the process that gets to 1.3 is killed each time."""
    if params.threshold == 1.3:
        os.kill(os.getpid(), signal.SIGKILL)
    return wrinkles(clip, params)


def grid(thresholds: int = 3, seeds: int = 2) -> pucker.sweep.Grid:
    """Points of some hundredths of a second."""
    clips = {"sheet": examples.squeezed_sheet(6, 6, frames=11), "sleeve": examples.bending_sleeve(8, 8, frames=11)}
    parameters = {"threshold": [round(1.1 + 0.1 * k, 1) for k in range(thresholds)], "relative_width": [0.02]}
    return pucker.sweep.Grid(parameters, clips, range(seeds))


if __name__ == "__main__":
    pucker.sweep(grid(thresholds=8), sys.argv[1], measure=slow, workers=int(sys.argv[2]), quiet=True)
