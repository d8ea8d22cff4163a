"""The files that the page of a study saves, and what was chosen in them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker

HEADER: Final = "pucker answers 1"
SIMULATED: Final = "simulated"
"""The item that people are asked to find."""

_MOST_BYTES: Final = 4_000_000
_SHOWN: Final = 60


@dataclass(frozen=True)
class Answer:
    """What was chosen: of two items of a scene `chosen` and not `other`."""

    scene: str
    chosen: str
    other: str


@dataclass(frozen=True)
class Answers:
    """All answers of one person.

    Attributes:
        study: Which one, by its digest.
        person: A number that the page drew for whoever answered.
        items: Names of all items of the study.
        answers: One for each question.
    """

    study: str
    person: str
    items: tuple[str, ...]
    answers: tuple[Answer, ...]


def read_answers(path: Path) -> Answers:
    """The answers of a file that the page of a study saved.

    Raises pucker.Error for a file that is none or is damaged, and for one in which questions were left out.
    """
    try:
        told = _object(path)
        items = tuple(str(each) for each in told["items"])
        answers = tuple(_answer(each, items) for each in told["answers"])
        found = Answers(str(told["study"]), str(told["person"]), items, answers)
        asked = int(told["asked"])
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise pucker.Error(f"{path}: is no file of answers: {error}") from error
    if len(answers) != asked:
        raise pucker.Error(f"{path}: {len(answers)} of {asked} questions are answered: all must be")
    return found


def _object(path: Path) -> dict[str, Any]:
    if path.stat().st_size > _MOST_BYTES:
        raise ValueError(f"has more than {_MOST_BYTES} bytes")
    told = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(told, dict) or told.get("header") != HEADER:
        raise ValueError(f"its header is not {HEADER!r}")
    return told


def _answer(told: Any, items: tuple[str, ...]) -> Answer:
    sides = str(told["left"]), str(told["right"])
    chosen = str(told["chosen"])
    if chosen not in ("left", "right"):
        raise ValueError(f"left or right was chosen, not {chosen[:_SHOWN]!r}")
    for each in sides:
        if each not in items:
            raise ValueError(f"the study has no item {each[:_SHOWN]!r}")
    if sides[0] == sides[1]:
        raise ValueError(f"{sides[0][:_SHOWN]!r} stands beside itself")
    first, second = sides if chosen == "left" else sides[::-1]
    return Answer(str(told["scene"]), first, second)


def read_all(paths: Sequence[Path]) -> list[Answers]:
    """The answers of several persons to one study.

    Raises pucker.Error as `read_answers` does, for no files, for files of different studies, and for a person who is there twice.
    """
    if not paths:
        raise pucker.Error("scores need at least one file of answers")
    found: list[Answers] = []
    people: dict[str, Path] = {}
    for path in paths:
        each = read_answers(path)
        if found and each.study != found[0].study:
            raise pucker.Error(f"{path}: is of another study than {paths[0]}")
        if each.person in people:
            raise pucker.Error(f"{path}: holds the answers of the same person as {people[each.person]}")
        people[each.person] = path
        found.append(each)
    return found


def wins_of(answers: Sequence[Answers]) -> npt.NDArray[np.float64]:
    """(k, k) how often the item of the row was chosen beside that of the column, over all scenes and persons."""
    items = answers[0].items
    wins = np.zeros((len(items), len(items)))
    for person in answers:
        for each in person.answers:
            wins[items.index(each.chosen), items.index(each.other)] += 1.0
    return wins
