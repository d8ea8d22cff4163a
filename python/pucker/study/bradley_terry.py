"""Scores from choices between two (Bradley and Terry 1952)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

CONFIDENCE: Final = 1.959964
"""Standard deviations to either side of a normal's middle that hold 95 %."""

_STEPS: Final = 100
_NEAR: Final = 1e-12


@dataclass(frozen=True)
class Scores:
    """How likely each item is chosen beside another: with probability 1 / (1 + exp(score of the other - own score)).

    Attributes:
        items: Names.
        scores: (k,) log-odds, whose mean is 0.
        low, high: (k,) ends of their 95 % intervals, by the Fisher information.
        covariance: (k, k) of the scores.
    """

    items: tuple[str, ...]
    scores: Array
    low: Array
    high: Array
    covariance: Array

    def beside(self, item: str, other: str) -> tuple[float, float, float]:
        """Probability that `item` is chosen beside `other`, and the ends of its 95 % interval."""
        one, two = self.items.index(item), self.items.index(other)
        odds = float(self.scores[one] - self.scores[two])
        spread = float(self.covariance[one, one] + self.covariance[two, two] - 2.0 * self.covariance[one, two])
        wide = CONFIDENCE * float(np.sqrt(max(spread, 0.0)))
        return _chosen(odds), _chosen(odds - wide), _chosen(odds + wide)


def bradley_terry(items: Sequence[str], wins: npt.ArrayLike) -> Scores:
    """Scores of items from how often each was chosen beside each other, by maximum likelihood.

    Newton's method on the log-likelihood, which is concave (Hunter 2004); intervals are those of the inverse of the Fisher information on scores whose mean is 0. They
    take all choices as independent, which those of one person are not quite.

    Args:
        items: (k,) names, at least two.
        wins: (k, k) how often the item of the row was chosen beside that of the column.

    Raises:
        ValueError: For other shapes, for numbers that are negative or not finite, and where no finite scores are the most likely: some items were
            never shown beside the others, or chosen always or never beside them (Ford 1957).
    """
    names, counts = tuple(items), np.asarray(wins, dtype=np.float64)
    if len(names) < 2 or counts.shape != (len(names), len(names)):
        raise ValueError(f"wins must be ({len(names)}, {len(names)}) of at least two items, not {counts.shape}")
    if not (np.isfinite(counts).all() and (counts >= 0.0).all()):
        raise ValueError("wins must be finite and not negative")
    _require_connected(names, counts)
    shown = counts + counts.T
    scores = np.zeros(len(names))
    for _ in range(_STEPS):
        gradient, information = _derivatives(scores, counts, shown)
        # The information is blind to what all scores have in common, which is held at 0.
        step = np.linalg.solve(information + 1.0 / len(names), gradient)
        # Far from the most likely scores a whole step may go too far.
        scores = scores + step * min(1.0, 2.0 / max(float(np.abs(step).max()), _NEAR))
        if np.abs(step).max() < _NEAR:
            break
    scores -= scores.mean()
    covariance = np.asarray(np.linalg.pinv(_derivatives(scores, counts, shown)[1]), dtype=np.float64)
    wide: Array = CONFIDENCE * np.sqrt(np.diag(covariance))
    return Scores(names, scores, scores - wide, scores + wide, covariance)


def _derivatives(scores: Array, wins: Array, shown: Array) -> tuple[Array, Array]:
    """The log-likelihood's gradient, and its Hessian with the other sign."""
    chance = 1.0 / (1.0 + np.exp(scores[None, :] - scores[:, None]))
    weights = shown * chance * (1.0 - chance)
    return (wins - shown * chance).sum(axis=1), np.diag(weights.sum(axis=1)) - weights


def _chosen(odds: float) -> float:
    return float(1.0 / (1.0 + np.exp(-odds)))


def _reached(first: int, links: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    found = np.zeros(len(links), dtype=bool)
    found[first] = True
    for _ in range(len(links)):
        found |= links[found].any(axis=0)
    return found


def _require_connected(names: tuple[str, ...], wins: Array) -> None:
    """Raises ValueError unless every item can be reached from every other over items that were chosen beside the next."""
    together = _reached(0, (wins + wins.T) > 0.0)
    if not together.all():
        apart = ", ".join(name for name, within in zip(names, together, strict=True) if not within)
        raise ValueError(
            f"nothing compares {apart} with {names[0]}: scores need choices between them, even over others"
        )
    for number in range(len(names)):
        beaten = _reached(number, wins > 0.0)
        if not beaten.all():
            above = ", ".join(name for name, within in zip(names, beaten, strict=True) if not within)
            below = ", ".join(name for name, within in zip(names, beaten, strict=True) if within)
            raise ValueError(
                f"{above} was always chosen beside {below}, so that no finite score is the most likely: more answers are needed"
            )
