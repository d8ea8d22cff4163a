"""What the pages of all benchmarks share: tables, verdicts, and the machine they were made on."""

import importlib.metadata
import platform
import statistics
import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Samples = dict[str, Any]


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least `share` of all do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, int(np.ceil(share * len(ordered))) - 1)]


def median(values: Iterable[float]) -> float:
    """The middle value."""
    return statistics.median(values)


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown, its first column to the left, the others to the right."""
    lines = [head, ["---"] + ["--:"] * (len(head) - 1), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |\n" for line in lines)


def wrapped(page: str, width: int = 120) -> str:
    """A page with its prose in lines of at most `width`; tables and pictures keep theirs."""
    return "\n".join(
        line
        if len(line) <= width or line.startswith(("|", "!", "#"))
        else textwrap.fill(
            line,
            width,
            subsequent_indent="  " if line.startswith("- ") else "",
            break_long_words=False,
            break_on_hyphens=False,
        )
        for line in page.split("\n")
    )


def at_least(what: str, found: float, aim: float, unit: str = "×") -> str:
    """A line that says whether a figure that should be large is."""
    verdict = "met" if found >= aim else f"missed by {100 * (1 - found / aim):.0f} %"
    return f"- {what}: **{found:.3g} {unit}**, aim ≥ {aim:g} {unit}: {verdict}.\n"


def at_most(what: str, found: float, aim: float, unit: str) -> str:
    """A line that says whether a figure that should be small, or none, is."""
    if aim == 0.0:
        return f"- {what}: **{found:.3g} {unit}**, aim none: {'met' if found <= 0.0 else 'missed'}.\n"
    verdict = "met" if found <= aim else f"missed by {100 * (found / aim - 1):.0f} %"
    return f"- {what}: **{found:.3g} {unit}**, aim ≤ {aim:g} {unit}: {verdict}.\n"


def machine() -> dict[str, str]:
    """The processor, its cores, the system and the compiler-independent versions."""
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    load = Path("/proc/loadavg").read_text(encoding="utf-8").split()[0]
    return {
        "processor": names[0] if names else platform.processor(),
        "cores": str(len(names)),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "load": load,
    }


def versions(*packages: str) -> dict[str, str]:
    """The versions of the packages measured, and of pucker."""
    return {name: importlib.metadata.version(name) for name in ("pucker", "numpy", *packages)}
