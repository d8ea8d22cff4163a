"""Asking people which of two is simulated: a page with videos in pairs, and scores from their answers."""

from .answers import HEADER, SIMULATED, Answer, Answers, read_all, read_answers, wins_of
from .bradley_terry import CONFIDENCE, Scores, bradley_terry
from .design import Pair, Trial, orders_of, pairs_of
from .scores import ItemScore, item_scores, wilson

__all__ = [
    "CONFIDENCE",
    "HEADER",
    "SIMULATED",
    "Answer",
    "Answers",
    "ItemScore",
    "Pair",
    "Scores",
    "Trial",
    "bradley_terry",
    "item_scores",
    "orders_of",
    "pairs_of",
    "read_all",
    "read_answers",
    "wilson",
    "wins_of",
]
