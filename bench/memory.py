"""What one long run of each method holds in memory, at its start, in its middle and at its end."""

import re
import subprocess
from typing import Final

from . import native, report

TITLE: Final = "Memory over 100 000 frames"
PEERS: Final = ()
FRAMES: Final = 100_000
PROGRAM: Final = native.PROGRAM.parents[1] / "tests" / "soak" / "pucker_soak"
# Mebibytes that a run may hold more in the end: what the program refuses beyond.
MOST: Final = 1.0
LINE: Final = re.compile(
    r"(?P<name>[\w ]+): (?P<frames>\d+) frames of (?P<triangles>\d+) triangles, resident (?P<resident>[\d, ]+) bytes, in use (?P<in_use>[\d, ]+) bytes"
)


def read(text: str) -> report.Samples:
    """Bytes at start, in the middle and at the end by method, from what the soak prints."""
    runs = [
        {
            "name": found["name"],
            "frames": int(found["frames"]),
            "triangles": int(found["triangles"]),
            **{what: [int(each) for each in found[what].split(", ")] for what in ("resident", "in_use")},
        }
        for found in map(LINE.fullmatch, text.splitlines())
        if found
    ]
    if not runs:
        raise ValueError(f"the soak printed no line of a method, but {text[:200]!r}")
    return {"runs": runs}


def measure() -> report.Samples:
    """Of FRAMES frames of each method; CalledProcessError for one that grows."""
    command = [str(PROGRAM), "--memory", str(FRAMES)]
    return read(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def _mebibytes(values: list[int]) -> list[str]:
    return [f"{value / 2**20:.2f}" for value in values]


def page(samples: report.Samples) -> str:
    """The page's text."""
    runs = samples["runs"]
    head = ["method", *(f"{what}, {when}" for what in ("resident", "in use") for when in ("start", "middle", "end"))]
    rows = [[run["name"], *_mebibytes(run["resident"]), *_mebibytes(run["in_use"])] for run in runs]
    text = (
        f"`pucker_soak --memory {runs[0]['frames']}`, a part of the [soak](../trust.md#soak): one run of each method of so many frames on "
        f"cloth of {runs[0]['triangles']} triangles (the coarse ones, where there are finer), one after the other in one process, with all "
        "that programs do with frames: buffers to be drawn, states held for a while, runs saved and restored, frames refused. "
        "Mebibytes of the process that are in memory (*resident*), and that were allocated and not given back (*in use*): each the least of a "
        "hundredth of the frames, the start's after a tenth of them.\n\n" + report.table(head, rows) + "\n"
    )
    for run in runs:
        for what, title in (("resident", "resident"), ("in_use", "in use")):
            grown = max(0.0, (run[what][2] - run[what][0]) / 2**20)
            text += report.at_most(f"{run['name']}, {title}, more at the end than at the start", grown, MOST, "MiB")
    return text
