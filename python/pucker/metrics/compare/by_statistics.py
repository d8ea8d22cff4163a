"""Bands that a truth does not judge by place: how alike surfaces fold there, beside what other simulations of the sheet differ by."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pucker.metrics.band_statistics import BandStatistics, FoldPatterns, band_statistics
from pucker.metrics.truth import Truth

from .report import piped
from .telling import EVERY

if TYPE_CHECKING:
    from .by_truth import Against

Array = npt.NDArray[np.float64]

CEILINGS: Final[Mapping[str, str]] = {
    "finer": "ceiling: the next finer mesh",
    "again": "another take, after noise",
    "coarser": "the next coarser mesh",
}
"""What a page calls the simulations of `Truth.reproduced`; the first is what judges, and what no method can pass."""


def _factor(ratio: float) -> float:
    """How far a ratio is from 1 on either side, as a logarithm."""
    if not ratio > 0.0:
        return float("nan") if np.isnan(ratio) else float("inf")
    return abs(float(np.log(ratio)))


AWAY: Final[Mapping[str, Callable[[BandStatistics], float]]] = {
    "size": lambda each: _factor(each.size),
    "slope": lambda each: _factor(each.slope),
    "direction": lambda each: each.direction,
    "where": lambda each: 1.0 - each.where,
    "births": lambda each: _factor(each.births),
}
"""How far a surface is from a truth by each of the statistics; 0 for the truth itself."""


class Statistics:
    """Compares folds with a truth's by statistics, in every `telling.EVERY` frames, as that is what is kept of other simulations."""

    def __init__(self, truth: Truth) -> None:
        """Reads the truth's own patterns."""
        self._patterns = FoldPatterns(truth.mesh.faces, truth.rest, truth.bands)
        self._truth = self._patterns(truth.folds[::EVERY])

    def of(self, folds: Array) -> tuple[BandStatistics, ...]:
        """Of folds (frames, N) in every `telling.EVERY` frames of the truth: of each band but the last, from the shortest waves on."""
        return tuple(band_statistics(self._patterns(folds), self._truth))


def _by_statistics(row: "Against") -> list[int]:
    """Bands of a row that are not judged by place, and of which there are statistics."""
    return [band for band, by_place in enumerate(row.judged[: len(row.statistics)]) if not by_place]


def _others(row: "Against", simulations: Sequence["Against"]) -> list["Against"]:
    """What a row is held against: its truth's other simulations, if there is the finer mesh among these or it is that itself."""
    own = [each for each in simulations if each.truth == row.truth and each.statistics]
    if all(each.surface != CEILINGS["finer"] for each in own):
        return []
    return [each for each in own if each.surface != row.surface]


def within(row: "Against", band: int, simulations: Sequence["Against"]) -> dict[str, bool]:
    """Whether a row is no farther from the truth than the farthest other simulation of the sheet is, by each of `AWAY`.

    Empty where the folds of the next finer mesh are not kept: another take on the same mesh differs by less.
    """
    others = _others(row, simulations)
    return {
        name: bool(away(row.statistics[band]) <= max(away(each.statistics[band]) for each in others))
        for name, away in AWAY.items()
        if others
    }


def shares_within(rows: Sequence["Against"], surface: str) -> dict[str, float]:
    """Of the bands that truths do not judge by place the share in which a surface is `within` the spread, by each of `AWAY`; NaN for none."""
    simulations = [each for each in rows if each.kind == "simulation"]
    found = [within(row, band, simulations) for row in rows if row.surface == surface for band in _by_statistics(row)]
    told = [each for each in found if each]
    return {name: float(np.mean([each[name] for each in told])) if told else float("nan") for name in AWAY}


def statistics_table(rows: Sequence["Against"]) -> str:
    """Means over all bands of all truths that are not judged by place; in brackets the share of them in which a surface is `within` the spread.

    Ratios are as the factor that they are away from 1 by, whichever way.
    """
    lines = [["", "bands", *AWAY], ["---", *["--:"] * (len(AWAY) + 1)]]
    for surface in dict.fromkeys(each.surface for each in rows):
        found = [row.statistics[band] for row in rows if row.surface == surface for band in _by_statistics(row)]
        if not found:
            continue
        shares = shares_within(rows, surface)
        cells = []
        for name, away in AWAY.items():
            mean = float(np.mean([away(each) for each in found]))
            cells.append(
                f"{_in_words(name, mean)} ({100 * shares[name]:.0f} %)"
                if shares[name] == shares[name]
                else _in_words(name, mean)
            )
        lines.append([surface, str(len(found)), *cells])
    return piped(lines)


def _in_words(name: str, away: float) -> str:
    if np.isnan(away):
        return "–"
    if name == "direction":
        return f"{away:.0f}°"
    if name == "where":
        return f"{1.0 - away:.2f}"
    return f"× {np.exp(away):.2f}" if np.isfinite(away) else "none"


def bands_table(rows: Sequence["Against"]) -> str:
    """Of one truth, in each band that it does not judge by place: slope over the truth's, direction, where, and births over the truth's."""
    shown = [each for each in rows if each.statistics]
    bands = _by_statistics(shown[0]) if shown else []
    if not bands:
        return ""
    lines = [["", *(shown[0].bands[band] for band in bands)], ["---", *["--:"] * len(bands)]]
    lines += [[each.surface, *(_cell(each.statistics[band]) for band in bands)] for each in shown]
    return piped(lines)


def _cell(of: BandStatistics) -> str:
    direction = "–" if np.isnan(of.direction) else f"{of.direction:.0f}°"
    return f"{of.slope:.2f}, {direction}, {of.where:.2f}, {of.births:.2f}"
