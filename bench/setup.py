"""Setting up: a fresh copy of the checkout until its demo is drawn, and the package until it is installed."""

import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final, NamedTuple

from . import report, scenes

TITLE: Final = "Performance of setting up"
PEERS: Final = ()
DEMO_AIM: Final = 130.0
PIP_AIM: Final = 200.0
# Compiling the package in the demo's checkout once more, into a folder, as a kind of build and with flags.
COMPILE: Final = """
cmake -S . -B "build/$1" -G Ninja -DCMAKE_BUILD_TYPE="$2" -DCMAKE_CXX_FLAGS="$3" -DPUCKER_BINDINGS=ON \\
  -DPython_EXECUTABLE="$PWD/.venv/bin/python" -Dpybind11_DIR="$(.venv/bin/python -m pybind11 --cmakedir)"
cmake --build "build/$1" --target _core --parallel "$(nproc)" --verbose
"""
# What GCC accounts for by -ftime-report, in seconds of user and system.
PHASES: Final = {
    "phase parsing": "reading",
    "phase lang. deferred": "making functions of templates",
    "phase opt and generate": "optimising, and writing code",
}
UNIT: Final = re.compile(r"^\[\d+/\d+\] .* -o (\S+)\.o\b.* -c ")
SPENT: Final = re.compile(r"^ (\S.*?) *: +([\d.]+)(?: \( *\d+%\))? +([\d.]+)")


class Spent(NamedTuple):
    """Seconds of a command, and what it printed."""

    wall: float
    processor: float
    printed: str


def _run(command: list[str], folder: Path) -> Spent:
    """Runs a command that finds nothing compiled before."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PUCKER_", "VIRTUAL_ENV"))}
    spent, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command,
        cwd=folder,
        env={**environment, "CCACHE_DISABLE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    wall = time.perf_counter() - begin
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}")
    now = resource.getrusage(resource.RUSAGE_CHILDREN)
    return Spent(wall, now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime, done.stdout)


def by_unit(printed: str) -> dict[str, dict[str, float]]:
    """Seconds of each phase by unit, of a verbose build with -ftime-report; a unit is the path of its object."""
    none = dict.fromkeys(PHASES.values(), 0.0)
    units: dict[str, dict[str, float]] = {}
    phases: dict[str, float] = {}
    for line in printed.splitlines():
        if line.startswith("["):
            unit = UNIT.match(line)
            phases = units.setdefault(re.sub(r"CMakeFiles/|\.dir|_cxx\.cxx", "", unit[1]), none.copy()) if unit else {}
        elif (spent := SPENT.match(line)) and spent[1] in PHASES:
            phases[PHASES[spent[1]]] = float(spent[2]) + float(spent[3])
    return units


def measure() -> report.Samples:
    """Seconds by the clock and of the processor of each step, and of the compiler's phases."""
    with tempfile.TemporaryDirectory() as folder:

        def clone(name: str) -> Path:
            checkout = Path(folder) / name
            subprocess.run(["git", "clone", "--quiet", str(scenes.DATA.parent), str(checkout)], check=True)
            return checkout

        def compiled(*how: str) -> Spent:
            return _run(["bash", "-ec", COMPILE, "compile", *how], checkout)

        checkout, demo = clone("demo"), ["./run", "demo"]
        steps = {"demo": _run(demo, checkout), "again": _run(demo, checkout)}
        steps["optimised"] = compiled("optimised", "Release", "")
        steps["plain"] = compiled("plain", "None", "-O0")
        units = by_unit(compiled("report", "Release", "-ftime-report").printed)
        environment = Path(folder) / "environment"
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        steps["pip"] = _run([str(environment / "bin" / "pip"), "install", "."], clone("pip"))
    seconds = {name: {"wall": step.wall, "processor": step.processor} for name, step in steps.items()}
    return {"steps": seconds, "units": units}


def _compiler(units: dict[str, dict[str, float]]) -> str:
    """What the compiler spends, by what is compiled, and the units that take longest."""
    kinds = {"cpp/pucker_core": "core", "cpp/pucker_io": "files and scenes", "cpp/bindings": "bindings"}
    phases = list(PHASES.values())
    rows = []
    for start, kind in kinds.items():
        own = [unit for name, unit in units.items() if name.startswith(start)]
        spent = [sum(unit[phase] for unit in own) for phase in phases]
        rows.append([kind, f"{len(own)}", *(f"{seconds:.0f}" for seconds in spent), f"{sum(spent):.0f}"])
    slowest = sorted(units, key=lambda name: -sum(units[name].values()))[:5]
    longest = ", ".join(f"`{name.rpartition('/')[2]}` {sum(units[name].values()):.0f} s" for name in slowest)
    return (
        "## What the compiler spends\n\n"
        "Seconds of the processor by phase, as GCC accounts for them by `-ftime-report`, which takes longer itself. A unit "
        "is several sources that are compiled as one.\n\n"
        + report.table(["part", "units", *phases, "all"], rows)
        + f"\nThe longest: {longest}.\n\n"
        "What was tried: a precompiled header of pybind11, Eigen and the library gains nothing, because a unit reads what it "
        "includes once for nine to twelve sources, and loading hundreds of MiB takes as long. Bindings, which are glue, "
        "are compiled by `-O1`, a fifth quicker than by `-O3`. Units of 30 sources are compiled a tenth quicker, but a "
        "change of one source would wait for a minute.\n"
    )


def page(samples: report.Samples) -> str:
    """The page's text."""
    steps = samples["steps"]
    names = {
        "demo": "`./run demo` in a fresh clone: environment, packages, build, picture",
        "again": "the same once more",
        "optimised": "its core and bindings compiled alone",
        "plain": "these not optimised (`-O0`)",
        "pip": "`pip install .` of another fresh clone into an empty environment, which builds in one of its own",
    }
    rows = [[names[name], f"{step['wall']:.0f}", f"{step['processor']:.0f}"] for name, step in steps.items()]
    plain = steps["plain"]
    return (
        "Nothing compiled before is used; system packages are there, Python's are downloaded or taken from pip's cache.\n\n"
        + report.table(["step", "clock [s]", "processor [s]"], rows)
        + "\n"
        + report.at_most("`./run demo` by the clock", steps["demo"]["wall"], DEMO_AIM, "s")
        + report.at_most("`pip install .`, of the processor", steps["pip"]["processor"], PIP_AIM, "s")
        + f"\nCompiling the same sources without any optimisation alone takes {plain['wall']:.0f} s by the clock and "
        f"{plain['processor']:.0f} s of the processor: what these sources and the headers of their libraries cost at least.\n\n"
        + _compiler(samples["units"])
    )
