"""Which settings of a sweep do best, and by how much its measures differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import numpy as np
import pandas as pd

from pucker.metrics.meanings import MEANINGS, Meaning

from . import table

if TYPE_CHECKING:
    from .on_truths import JudgedSettings

SUITE: Final[Mapping[str, Meaning]] = MappingProxyType(
    {
        "told": Meaning(
            "How often patches of the cloth, and of simulated cloth in the same places, are recognised by a classifier trained on "
            "other scenes: 50 cannot be told, 100 always",
            "%",
            "nearer to 50",
        ),
        "suite": Meaning(
            "How far folds are from the truths', in the bands that are judged by place, over the size of the truths': 0 for the truth "
            "itself, 1 without folds, more for folds in other places",
            "1",
            "less",
        ),
        "suite.correlation": Meaning(
            "Correlation with the truths' folds, in the bands that are judged by place", "1", "more"
        ),
        "suite.size": Meaning(
            "Size of the folds over that of the truths', in the bands that are judged by place", "1", "nearer to 1"
        ),
        "suite.statistics": Meaning(
            "Share of statistics of the other bands that are no farther from the truths' than another simulation of the same sheet",
            "1",
            "more",
        ),
    }
)
"""What truths say of settings, by the names that a sweep has for it."""

TOLD: Final = "told"
SUITE_DISTANCE: Final = "suite"
COST: Final = "cost"

_MEANINGS: Final[Mapping[str, Meaning]] = MappingProxyType(
    {**MEANINGS, **SUITE, COST: Meaning("Time of a frame, mean over the clip", "seconds", "less")}
)
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
    mean: float
    """Of `values`."""
    note: str = ""
    """What else is to be said of them."""


@dataclass(frozen=True)
class Ranking:
    """All settings by one measure, the best first: by their places or, of what truths say, which is of one unit everywhere, by their means."""

    measure: str
    better: str
    """As `Meaning.better`; "neither" for a measure without a meaning."""
    clips: Sequence[str]
    rows: Sequence[RankedSettings]

    @property
    def spread(self) -> float:
        """Between the mean places of the best and the worst: how much it tells settings apart."""
        return self.rows[-1].place - self.rows[0].place


def rankings_of(frame: pd.DataFrame, judged: "JudgedSettings | None" = None) -> dict[str, Ranking]:
    """By name: what truths say of the settings, the measures that depend on them, and the cost."""
    found = {}
    if judged is not None:
        found[TOLD] = ranked(judged.told, TOLD, judged.given_away)
        found |= {name: ranked(judged.by_truth, name) for name in SUITE if name in judged.by_truth}
    found |= {name: ranked(frame, name) for name in depending(frame)}
    if "seconds.frame" in frame and labels(frame).nunique() > 1:
        found[COST] = ranked(frame.assign(**{COST: frame["seconds.frame"]}), COST)
    return {name: ranking for name, ranking in found.items() if ranking.rows}


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
        case "nearer to 50":
            return -(values - 50.0).abs()
        case _:
            return values


def meaning_of(measure: str) -> Meaning | None:
    """Of a measure, of what truths say, or of the cost; None of a user's own."""
    return _MEANINGS.get(measure)


def labels(frame: pd.DataFrame) -> pd.Series:
    """What a ranking calls the settings of each row: their values, but for clip and seed."""
    names = [name for name in table.axes(frame) if name not in ("clip", "seed")]
    return frame[names].astype(str).agg(", ".join, axis=1) if names else pd.Series("as it is", frame.index)


def ranked(frame: pd.DataFrame, measure: str, notes: Mapping[str, str] | None = None) -> Ranking:
    """All settings but clip and seed by a measure, with notes by their `labels`; rows that failed are left out."""
    meaning = meaning_of(measure)
    better = meaning.better if meaning else "neither"
    means = frame.assign(_settings=labels(frame)).pivot_table(measure, index="_settings", columns="clip", sort=False)
    places = means.apply(lambda column: goodness(column, better).rank(ascending=False))
    mean = places.mean(axis=1)
    means_of_all = means.mean(axis=1)
    # A length in the units of several clips has no mean, what truths say has.
    judged = -goodness(means_of_all, better) if measure in SUITE else mean
    order = judged.sort_values(kind="stable").index
    rows = [
        RankedSettings(
            str(key),
            float(mean[key]),
            places.loc[key].tolist(),
            means.loc[key].tolist(),
            float(means_of_all[key]),
            (notes or {}).get(str(key), ""),
        )
        for key in order
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
