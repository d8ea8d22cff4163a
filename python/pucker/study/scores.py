"""What people chose, as scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .answers import SIMULATED, Answers, wins_of
from .bradley_terry import CONFIDENCE, bradley_terry


@dataclass(frozen=True)
class ItemScore:
    """One item of a study.

    Attributes:
        item: Its name.
        score, low, high: Log-odds whose mean over the items is 0, and its 95 % interval.
        taken: Share of the questions beside what is simulated in which it was taken for that; NaN for what is simulated, and if there was no question.
        taken_low, taken_high: Its 95 % interval (Wilson 1927).
        asked: How many questions showed it.
    """

    item: str
    score: float
    low: float
    high: float
    taken: float
    taken_low: float
    taken_high: float
    asked: int


def item_scores(answers: Sequence[Answers]) -> list[ItemScore]:
    """The items of a study from the answers of all who took part, the highest score first; raises ValueError as `bradley_terry` does."""
    items, wins = answers[0].items, wins_of(answers)
    asked = [row + column for row, column in zip(wins.sum(axis=1), wins.sum(axis=0), strict=True)]
    shown = [number for number, count in enumerate(asked) if count > 0]
    if len(shown) < len(items):
        missing = ", ".join(item for number, item in enumerate(items) if number not in shown)
        raise ValueError(f"no answer shows {missing}: more answers are needed")
    found = bradley_terry(items, wins)
    rows = []
    for number, item in enumerate(items):
        taken = (float("nan"),) * 3
        if SIMULATED in items and item != SIMULATED:
            true = items.index(SIMULATED)
            taken = wilson(wins[number, true], wins[number, true] + wins[true, number])
        ends = float(found.scores[number]), float(found.low[number]), float(found.high[number])
        rows.append(ItemScore(item, *ends, *taken, int(asked[number])))
    return sorted(rows, key=lambda each: -each.score)


def wilson(hits: float, count: float) -> tuple[float, float, float]:
    """A share and its 95 % interval (Wilson 1927); NaN of nothing."""
    if not count > 0.0:
        return (float("nan"),) * 3
    share, square = hits / count, CONFIDENCE**2
    middle = (share + square / (2.0 * count)) / (1.0 + square / count)
    wide = CONFIDENCE / (1.0 + square / count) * np.sqrt(share * (1.0 - share) / count + square / (4.0 * count**2))
    return share, max(float(middle - wide), 0.0), min(float(middle + wide), 1.0)
