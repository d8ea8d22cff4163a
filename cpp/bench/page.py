"""Writes docs/performance.md from the samples that pucker_frames prints."""

import json
import platform
import statistics
import sys
from pathlib import Path
from typing import Any

STAGES = ("stretch", "labels", "reference", "persistence", "tracing", "shape", "packing")

HEAD = """# Performance

Milliseconds a frame of all CPU stages, one core, in the second half of each scene: a sheet that folds and is squeezed
along its middle, and characters. Made by `./run bench frames` on {machine};
other work on the machine makes the slowest frames slower. L_min is the smallest width as a share of the character's
height or the sheet's side. `wrinkles` are alive on average; `new` are those that appear in a frame, parts cut off
included. `allocations` is the median over the frames without new wrinkles. Bytes are what the heap holds for a run at its
end, the samples of this measurement included.

"""


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -int(-share * len(ordered) // 1) - 1))]


def machine() -> str:
    """The processor's name and how many cores there are."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return f"{len(names)} cores of {names[0]}, {platform.system()}" if names else platform.platform()


def row(scene: dict[str, Any]) -> list[str]:
    """One line of the table."""
    half = len(scene["wrinkles"]) // 2
    totals = [1e3 * sum(scene["seconds"][stage][k] for stage in STAGES) for k in range(half, len(scene["wrinkles"]))]
    new = scene["new_wrinkles"][half:]
    quiet = [count for count, born in zip(scene["allocations"][half:], new, strict=True) if born == 0]
    return [
        scene["name"].replace("|", "\\|"),
        f"{scene['threshold']:g}",
        f"{100 * scene['min_width']:g} %",
        f"{scene['triangles']}",
        f"{statistics.mean(scene['wrinkles'][half:]):.1f}",
        f"{statistics.mean(new):.1f}",
        f"{statistics.median(totals):.3f}",
        f"{percentile(totals, 0.99):.3f}",
        *(f"{1e3 * statistics.median(scene['seconds'][stage][half:]):.3f}" for stage in STAGES),
        f"{statistics.median(quiet):g}" if quiet else "-",
        f"{scene['bytes_held'] / scene['triangles']:.0f}",
    ]


def table(scenes: list[dict[str, Any]]) -> str:
    """The table of all scenes in Markdown."""
    head = [
        "scene",
        "τ",
        "L_min",
        "triangles",
        "wrinkles",
        "new",
        "median",
        "p99",
        *STAGES,
        "allocations",
        "bytes a triangle",
    ]
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *(row(scene) for scene in scenes)]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def main() -> None:
    """page.py SAMPLES.json PAGE.md."""
    samples, page = (Path(name) for name in sys.argv[1:])
    scenes = json.loads(samples.read_text(encoding="utf-8"))
    page.write_text(HEAD.format(machine=machine()) + table(scenes), encoding="utf-8")


if __name__ == "__main__":
    main()
