"""Setting up: a fresh copy of the checkout until its demo is drawn, and the package until it is installed."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Final

from . import report, scenes

TITLE: Final = "Performance of setting up"
PEERS: Final = ()
DEMO_AIM: Final = 130.0
PIP_AIM: Final = 200.0
# Compiling the package in the demo's checkout once more, as fast as the compiler can.
PLAIN: Final = """
cmake -S . -B build/plain -G Ninja -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O0 -DPUCKER_BINDINGS=ON \\
  -DPython_EXECUTABLE="$PWD/.venv/bin/python" -Dpybind11_DIR="$(.venv/bin/python -m pybind11 --cmakedir)"
cmake --build build/plain --target _core --parallel "$(nproc)"
"""


def _run(command: list[str], folder: Path) -> dict[str, float]:
    """Seconds by the clock and of the processor of a command, which finds nothing compiled before."""
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
    return {"wall": wall, "processor": now.ru_utime + now.ru_stime - spent.ru_utime - spent.ru_stime}


def measure() -> report.Samples:
    """Seconds by the clock and of the processor of each step."""
    with tempfile.TemporaryDirectory() as folder:

        def clone(name: str) -> Path:
            checkout = Path(folder) / name
            subprocess.run(["git", "clone", "--quiet", str(scenes.DATA.parent), str(checkout)], check=True)
            return checkout

        checkout, demo = clone("demo"), ["./run", "demo"]
        steps = {"demo": _run(demo, checkout), "again": _run(demo, checkout)}
        steps["plain"] = _run(["bash", "-ec", PLAIN], checkout)
        environment = Path(folder) / "environment"
        subprocess.run([sys.executable, "-m", "venv", str(environment)], check=True)
        steps["pip"] = _run([str(environment / "bin" / "pip"), "install", "."], clone("pip"))
    return {"steps": steps}


def page(samples: report.Samples) -> str:
    """The page's text."""
    steps = samples["steps"]
    names = {
        "demo": "`./run demo` in a fresh clone: environment, packages, build, picture",
        "again": "the same once more",
        "plain": "its core and bindings compiled alone, not optimised (`-O0`)",
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
        f"{plain['processor']:.0f} s of the processor: what these sources and the headers of their libraries cost at least.\n"
    )
