"""Which settings of a sweep do best, and by how much its measures differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from pucker.metrics.meanings import MEANINGS, Meaning

from . import table

# Rounding, seen from the largest value of a measure.
_NOTHING: Final = 1e-9


@dataclass(frozen=True)
class RankedSettings:
    """Where settings stand by one measure."""

    settings: str
    """Their values."""
    place: float
    """Mean of `places`."""
    places: Sequence[float]
    """On each clip, from 1; equal ones share the mean of theirs. NaN where all runs failed."""
    values: Sequence[float]
    """The measure on each clip, mean over the seeds."""


@dataclass(frozen=True)
class Ranking:
    """All settings by one measure, the best first."""

    measure: str
    better: str
    """As `Meaning.better`; "neither" for a measure without a meaning."""
    clips: Sequence[str]
    rows: Sequence[RankedSettings]

    @property
    def spread(self) -> float:
        """Between the mean places of the best and the worst: how much it tells settings apart."""
        return self.rows[-1].place - self.rows[0].place


@dataclass(frozen=True)
class Difference:
    """Of a number from that of the first setting."""

    text: str
    """Signed, as a share of the first or, where that is zero, as it is; empty for none."""
    judged: float
    """How much better it is as a share of the first, negative for worse; 0 where neither is."""


def depending(frame: pd.DataFrame) -> list[str]:
    """The measures that differ between rows of one clip."""
    of_clip = frame.groupby("clip")
    names = [name for name in table.measures(frame) if frame[name].notna().any()]
    spans = {name: float((of_clip[name].max() - of_clip[name].min()).max()) for name in names}
    return [name for name in names if spans[name] > _NOTHING * float(frame[name].abs().max())]


def goodness(values: pd.Series, better: str) -> pd.Series:
    """Numbers that rise with what is better."""
    match better:
        case "less":
            return -values
        case "nearer to 0":
            return -values.abs()
        case "nearer to 1":
            return -(values - 1.0).abs()
        case _:
            return values


def ranked(frame: pd.DataFrame, measure: str) -> Ranking:
    """All settings but clip and seed by a measure; rows that failed are left out."""
    better = MEANINGS[measure].better if measure in MEANINGS else "neither"
    names = [name for name in table.axes(frame) if name not in ("clip", "seed")]
    keys = frame[names].astype(str).agg(", ".join, axis=1) if names else pd.Series("as it is", frame.index)
    means = frame.assign(_settings=keys).pivot_table(measure, index="_settings", columns="clip", sort=False)
    places = means.apply(lambda column: goodness(column, better).rank(ascending=False))
    mean = places.mean(axis=1)
    order = mean.sort_values(kind="stable").index
    rows = [
        RankedSettings(str(key), float(mean[key]), places.loc[key].tolist(), means.loc[key].tolist()) for key in order
    ]
    return Ranking(measure, better, [str(clip) for clip in means.columns], rows)


def differences(first: float, value: float, meaning: Meaning | None) -> Difference:
    """A number against that of the first setting."""
    if np.isnan(first) or np.isnan(value) or first == value:
        return Difference("", 0.0)
    change = value - first
    text = f"{100.0 * change / abs(first):+.2g} %" if first else f"{change:+.3g}"
    if meaning is None or meaning.better == "neither":
        return Difference(text, 0.0)
    before, after = goodness(pd.Series([first, value]), meaning.better)
    return Difference(text, float((after - before) / (abs(before) or abs(after))))
