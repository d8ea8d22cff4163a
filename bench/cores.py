"""How many times as fast one large cloth is on up to 64 cores: its loops' blocks are timed on one and dealt to many by calculation."""

import re
import subprocess
from typing import Any, Final

from . import native, report

TITLE: Final = "Performance on many cores, by simulation"
PEERS: Final = ()
# Of ideal, on any number of cores; and how far what is simulated may be from what is measured on two.
AIM: Final = 0.8
AGREEMENT: Final = 0.1
MOST: Final = "64"
# A frame of one thread that took as much longer than it computed had to wait for a core.
WAITED: Final = 1.03
# Of what one core spends: parts below are not listed.
LISTED: Final = 0.01
FUNCTION: Final = re.compile(
    r"((?:[A-Za-z_]\w*::)*~?[A-Za-z_]\w*)(?:<[^()]*>)?\([^()]*(?:\([^()]*\)[^()]*)*\)(?: const)?::\{lambda"
)


def _names() -> dict[int, str]:
    """The functions that the program's loops are in, by where what a loop calls is."""
    command = ["nm", "--demangle", "--defined-only", str(native.PROGRAM)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    return {
        int(address, 16): found
        for address, _, symbol in (line.split(" ", 2) for line in lines if line[0] != " ")
        if (found := function_name(symbol))
    }


def function_name(symbol: str) -> str:
    """The function whose loop a demangled symbol is of, with its class; empty for another symbol."""
    if "parallel_for" not in symbol:
        return ""
    if symbol.startswith("_Z"):
        names = _mangled_names(symbol.rpartition("15parallel_blocksIZN")[2].lstrip("KS_"))
        return "::".join(names[-2:])
    found = [
        each for each in FUNCTION.findall(symbol.replace("(anonymous namespace)::", "")) if "parallel_" not in each
    ]
    return "::".join(found[0].removeprefix("pucker::").split("::")[-2:]) if found else ""


def _mangled_names(nested: str) -> list[str]:
    """The names, each after its length, that a nested name begins with: nm leaves some symbols as they are."""
    names = []
    while found := re.match(r"\d+", nested):
        end = found.end() + int(found[0])
        names.append(nested[found.end() : end])
        nested = nested[end:]
    return [name for name in names if not name.startswith("_GLOBAL_")]


def measure() -> report.Samples:
    """Seconds of blocks and of what lies between loops, simulated seconds by number of threads, and those on one and two."""
    samples: report.Samples = native.run("cores")
    names = _names()
    for run in samples["runs"]:
        for loop in run["loops"]:
            loop["function"] = names.get(loop["function"], "") if loop["blocks"] else ""
    return samples


def _whole(stages: list[dict[str, float]]) -> float:
    return sum(stage["serial"] + stage["loops"] for stage in stages)


def _alone(stages: list[dict[str, float]]) -> float:
    return sum(stage["serial"] + stage["blocks"] for stage in stages)


def _one(run: dict[str, Any]) -> float:
    """Seconds of one core: as recorded without sharing, or as all blocks together for two, if that is less."""
    return min(_whole(run["simulated"]["1"]), _alone(run["simulated"]["2"]))


def _faster(run: dict[str, Any], threads: str) -> float:
    """Against one thread."""
    return _one(run) / _whole(run["simulated"][threads])


def _label(run: dict[str, Any]) -> str:
    return f"{run['name']}, {run['triangles']} triangles"


def _speed(runs: list[dict[str, Any]]) -> str:
    counts = [count for count in runs[0]["simulated"] if count != "1"]
    counts.sort(key=int)
    rows = [
        [
            run["name"],
            f"{run['triangles']}",
            f"{1e3 * _one(run):.1f}",
            *(f"{_faster(run, count):.1f}" for count in counts),
            max((count for count in ("1", *counts) if _faster(run, count) >= AIM * int(count)), key=int),
        ]
        for run in runs
    ]
    return report.table(
        ["method", "triangles", "ms on one", *(f"{count} cores" for count in counts), f"≥ {AIM} n up to"], rows
    )


def _checked(runs: list[dict[str, Any]]) -> str:
    rows, text = [], ""
    for run in runs:
        (one, spent), (two, _) = (min(run["timed"][count]) for count in ("1", "2"))
        away = abs(_faster(run, "2") * two / one - 1)
        rows.append(
            [
                run["name"],
                f"{run['triangles']}",
                f"{1e3 * one:.1f}",
                f"{1e3 * two:.1f}",
                f"{one / two:.2f} ×",
                f"{_faster(run, '2'):.2f} ×",
                f"{100 * away:.0f} %",
            ]
        )
        if one > WAITED * spent:
            text += (
                f"- {_label(run)}: not judged, the machine was busy: on one thread {1e3 * one:.1f} ms passed while its core computed "
                f"{1e3 * spent:.1f}.\n"
            )
        else:
            text += report.at_most(_label(run), 100 * away, 100 * AGREEMENT, "% from what is measured")
    head = ["method", "triangles", "one thread [ms]", "two [ms]", "measured", "simulated", "apart"]
    return report.table(head, rows) + "\n" + text


def _stages(run: dict[str, Any]) -> str:
    """Where one frame's time is, on one core and on the most."""
    one, two, most = (run["simulated"][count] for count in ("1", "2", MOST))
    rows = []
    for name, alone, shared, on_many in zip(run["stages"], one, two, most, strict=True):
        spent = min(alone["serial"], shared["serial"] + shared["blocks"])
        # What is ideal for loops is their blocks' time by the number of threads: the rest is waiting for one another.
        ideal = on_many["blocks"] / int(MOST)
        rows.append(
            [
                name,
                f"{1e3 * spent:.2f}",
                f"{1e3 * (on_many['serial'] + on_many['loops']):.2f}",
                f"{1e3 * on_many['serial']:.2f}",
                f"{1e3 * ideal:.2f}",
                f"{1e3 * (on_many['loops'] - ideal):.2f}",
            ]
        )
    return report.table(["stage", "ms on one", f"ms on {MOST}", "on one thread", "shared", "waiting"], rows)


def serial_parts(run: dict[str, Any]) -> list[tuple[str, str, float]]:
    """What one thread computes between two loops: its stage, between which loops, and its seconds; those alike added up."""
    sums: dict[tuple[str, str], float] = {}
    before = "begin"
    waiting: list[tuple[int, float]] = []
    for loop in run["loops"]:
        waiting.append((loop["stage"], loop["serial"]))
        if not loop["blocks"]:
            continue
        for stage, seconds in waiting:
            key = (run["stages"][stage], f"{before} → {loop['function']}")
            sums[key] = sums.get(key, 0.0) + seconds
        before, waiting = loop["function"], []
    for stage, seconds in waiting:
        key = (run["stages"][stage], f"{before} → end")
        sums[key] = sums.get(key, 0.0) + seconds
    return sorted(((stage, where, seconds) for (stage, where), seconds in sums.items()), key=lambda part: -part[2])


def _parts(run: dict[str, Any]) -> str:
    whole = _one(run)
    rows = [
        [stage, f"`{where}`", f"{1e3 * seconds:.2f}", f"{100 * seconds / whole:.1f} %"]
        for stage, where, seconds in serial_parts(run)
        if seconds >= LISTED * whole
    ]
    serial = sum(stage["serial"] for stage in run["simulated"][MOST])
    # By Amdahl's law, were all other time shared at no cost.
    bound = f"On one thread: {1e3 * serial:.2f} ms of {1e3 * whole:.1f}, so at most **{whole / serial:.2g} ×** on any number.\n"
    if not rows:
        return f"{bound} No part is above {100 * LISTED:g} %.\n"
    return f"{bound}\n" + report.table(["stage", "between the loops of", "ms", "of the frame"], rows)


def page(samples: report.Samples) -> str:
    """The page's text."""
    costs = {name: f"{1e6 * seconds:.2g}" for name, seconds in samples["costs"].items()}
    runs = samples["runs"]
    large = [run for run in runs if run["triangles"] > 500_000]
    text = (
        "One frame of one cloth by each method. Its loops are run on one core, block by block, with "
        "`pucker.threads` at 1 to 64, and each block and what lies between loops is timed in seconds of the processor, as in the quicker of two recordings. "
        "Then the blocks are dealt to so many threads as the [pool](../threads.md) deals them: each begins with its own part of the "
        "blocks, then takes what others have left; the next loop begins when all are done. What that costs was measured with two "
        f"threads here: {costs['dispatch']} µs until a thread that waits has its first block, {costs['notify']} of the caller to wake one "
        f"that sleeps and {costs['wake']} until that one is there, {costs['close']} from the last block until the caller goes on, "
        f"{costs['line']} for each thread that changes a number of all. A thread sleeps when it has waited for 0.1 ms.\n\n"
        "Each simulated core is as fast as this one is alone. Real ones share the bandwidth of the memory and get slower as more of them "
        "compute.\n\n"
        "The sheets are those of [Performance by size](scale.md), *larger* for dynamic wrinkles, *finer* for the others. By example has a "
        "pose space of eight poses, draped cloth a ball that rises into it; both have three levels.\n\n"
        "## Times as fast\n\n" + _speed(runs) + "\n"
    )
    for run in large:
        for count in ("8", MOST):
            text += report.at_least(
                f"{_label(run)}, {count} cores, by core", _faster(run, count) / int(count), AIM, "of one core's speed"
            )
    text += "\n## Two threads, measured\n\nThe same frame by the clock, the quickest of several.\n\n" + _checked(runs)
    text += "\n## What bounds it\n\nMilliseconds by stage. *Shared*: blocks by core; *waiting*: for one another, to begin and to end.\n"
    for run in large:
        text += f"\n### {run['name'][:1].upper() + run['name'][1:]}\n\n" + _stages(run) + "\n" + _parts(run)
    return text
