"""Which pairs a study shows, in which order, and on which side."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np


@dataclass(frozen=True)
class Pair:
    """Two videos of one scene, by the names of what they show."""

    scene: str
    items: tuple[str, str]


@dataclass(frozen=True)
class Trial:
    """One question: number of the pair, and whether its first item stands on the right."""

    pair: int
    turned: bool


def pairs_of(scenes: Mapping[str, Sequence[str]]) -> list[Pair]:
    """Every two items of each scene.

    Raises ValueError for no scenes and for a scene of which fewer than two items, or an item twice, are there.
    """
    if not scenes:
        raise ValueError("a study needs a scene")
    for scene, items in scenes.items():
        if len(items) < 2 or len(set(items)) < len(items):
            raise ValueError(f"{scene} must have at least two items, each once, not {list(items)}")
    return [Pair(scene, pair) for scene, items in scenes.items() for pair in combinations(items, 2)]


def orders_of(pairs: Sequence[Pair], *, orders: int, questions: int, seed: int) -> list[list[Trial]]:
    """Counterbalanced orders, of which each person gets one.

    Pairs are dealt out in turn from a seeded shuffle, so that over all orders any two pairs are asked equally often, or once more. Orders come in twos
    that ask the same and put every pair the other way round: over all of them each item stands on the left as often as on the right. Within an order as many pairs are turned as are not, or one
    more, and the second of the two runs backwards, so that what comes early in one comes late in the other.

    Args:
        pairs: What there is to ask.
        orders: How many, an even number.
        questions: How many pairs an order asks; at most as many as there are.
        seed: The same one gives the same orders.

    Raises:
        ValueError: For an odd or no number of orders, and for more questions than pairs or none.
    """
    if orders < 2 or orders % 2:
        raise ValueError(f"orders come in twos, so that their number must be even and positive, not {orders}")
    if not 1 <= questions <= len(pairs):
        raise ValueError(f"questions must be from 1 to {len(pairs)}, the number of pairs, not {questions}")
    rng = np.random.default_rng(seed)
    dealt: list[int] = []
    while len(dealt) < orders // 2 * questions:
        dealt += _next_round(rng.permutation(len(pairs)).tolist(), dealt, questions)
    found = []
    for index in range(orders // 2):
        chosen = rng.permutation(dealt[index * questions : (index + 1) * questions]).tolist()
        turned = rng.permutation(np.arange(questions) % 2 == 0).tolist()
        one = [Trial(pair, side) for pair, side in zip(chosen, turned, strict=True)]
        found += [one, [Trial(each.pair, not each.turned) for each in reversed(one)]]
    return found


def _next_round(fresh: list[int], dealt: Sequence[int], questions: int) -> list[int]:
    """All pairs once more, those last that the order which is being dealt has already."""
    begun = len(dealt) % questions
    already = set(dealt[len(dealt) - begun :]) if begun else set()
    return [pair for pair in fresh if pair not in already] + [pair for pair in fresh if pair in already]
