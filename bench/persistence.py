"""Moving paths: time of the solve and of the whole move a path point, and SciPy's banded solver on the same systems."""

import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import scipy.linalg

from . import native, report

TITLE: Final = "Performance of persistence"
PEERS: Final = ("scipy",)
ROUNDS: Final = 2000
TOLERANCE: Final = 1e-12


def _lapack_bands(bands: list[float], points: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Row d holds the diagonal d below the main one, as solveh_banded wants it."""
    return np.ascontiguousarray(np.array(bands).reshape(points, 3).T)


def _with_scipy(system: dict[str, Any]) -> dict[str, list[float]]:
    """Seconds of SciPy's two banded solvers, whose answers must be those of pucker's."""
    lower = _lapack_bands(system["bands"], system["points"])
    right_side = np.array(system["right_side"])
    full = np.zeros((5, system["points"]))
    full[2:] = lower
    full[1, 1:] = lower[1, :-1]
    full[0, 2:] = lower[2, :-2]
    solvers: dict[str, Callable[[], Any]] = {
        "solveh_banded": lambda: scipy.linalg.solveh_banded(lower, right_side, lower=True, check_finite=False),
        "solve_banded": lambda: scipy.linalg.solve_banded((2, 2), full, right_side, check_finite=False),
    }
    out: dict[str, list[float]] = {}
    for name, solve in solvers.items():
        miss = float(np.abs(solve() - system["solution"]).max() / np.abs(system["solution"]).max())
        if not miss < TOLERANCE:
            raise RuntimeError(f"{name} differs by {miss} from pucker's solution of {system['points']} points")
        out[name] = []
        for _ in range(ROUNDS):
            begin = time.perf_counter()
            solve()
            out[name].append(time.perf_counter() - begin)
    return out


def measure() -> report.Samples:
    """Seconds of each path of each frame, and of each solution of each system."""
    samples = native.run("persistence")
    for system in samples["systems"]:
        system["scipy"] = _with_scipy(system)
    return {**samples}


def page(samples: report.Samples) -> str:
    """The page's text."""
    clips = []
    for clip in samples["clips"]:
        points = sum(clip["points"])
        each = {
            name: [1e9 * s / p for s, p in zip(clip[name], clip["points"], strict=True)] for name in ("solve", "move")
        }
        clips.append(
            [
                clip["name"],
                f"{clip['triangles']}",
                f"{len(clip['points'])}",
                f"{points / len(clip['points']):.1f}",
                *(f"{report.median(each[name]):.0f}" for name in each),
                *(f"{report.percentile(each[name], 0.99):.0f}" for name in each),
            ]
        )
    systems = []
    aims = ""
    for system in samples["systems"]:
        own = report.median(system["seconds"])
        others = {name: report.median(values) for name, values in system["scipy"].items()}
        fastest = min(others, key=lambda name: others[name])
        aims += f"- {system['points']} points: SciPy's {fastest} takes **{others[fastest] / own:.1f}** times as long.\n"
        systems.append(
            [
                f"{system['points']}",
                f"{1e9 * own:.0f}",
                f"{1e9 * own / system['points']:.1f}",
                *(f"{1e9 * value:.0f}" for value in others.values()),
            ]
        )
    return (
        "The solve sets up and solves a pentadiagonal system for the points of a path; the move is the solve, then the walk around "
        "vertices that points have slid past. Path by path, on one core, with the clock's own 20 to 40 ns.\n\n"
        + report.table(
            [
                "clip",
                "triangles",
                "moves",
                "points a path",
                "solve ns a point",
                "move ns a point",
                "solve p99",
                "move p99",
            ],
            clips,
        )
        + "\nThe system alone, of as many points as paths have, next to SciPy's LAPACK on the same numbers; the solutions "
        "must agree to 1e-12 first. SciPy is called from Python as it is offered, so that for short paths this is what "
        "the call takes.\n\n"
        + aims
        + "\n"
        + report.table(
            ["points", "pucker ns", "ns a point", *(f"{n} ns" for n in samples["systems"][0]["scipy"])], systems
        )
    )
