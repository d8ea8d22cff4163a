"""A study as one HTML file: everything is in it, and nothing is fetched when it is read."""

import base64
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import pucker
from pucker.io.files import make_folder, write_text
from pucker.metrics import Truth
from pucker.metrics.compare import standard_on
from pucker.metrics.compare.scene import scenes_of

from .answers import HEADER, SIMULATED
from .design import orders_of, pairs_of
from .videos import digest_of, write_videos

_PLACE: Final = re.compile(r"/\*\{(\w+)\}\*/")


@dataclass(frozen=True)
class StudyReport:
    """What a page holds: its bytes, and how many videos, pairs and questions of one person."""

    path: Path
    bytes: int
    videos: int
    pairs: int
    questions: int


@dataclass(frozen=True)
class _Film:
    file: Path
    methods: dict[str, Any]
    paths: dict[str, Path]


def write_study(
    folder: Path,
    output: Path,
    *,
    scenes: Sequence[str] | None = None,
    questions: int = 24,
    orders: int = 16,
    seed: int = 1,
    size: tuple[int, int] = (480, 480),
    limit: int = 20_000_000,
    progress: Callable[[str, int], None] = lambda _name, _count: None,
) -> StudyReport:
    """Writes the page of a study: of every resolved truth in a folder, simulated cloth and each method, in pairs.

    Videos are kept in a folder beside the page, of its name with ``.videos``, until the page is there: a study that was interrupted goes on there.

    Args:
        folder: Of truths.
        output: Of the page.
        scenes: Names of files in the folder, without ending; by default all.
        questions: Pairs that one person is asked; all, if there are fewer.
        orders: How many orders there are, an even number.
        seed: Of the orders.
        size: Of a video, in pixels; even numbers.
        limit: Bytes that the page may have.
        progress: Called with the name of a video that is made and with how many there are in all.

    Raises:
        ValueError: For a folder without a resolved truth, for what `orders_of` refuses, and for a page larger than `limit`.
        OSError: If a file cannot be written.
    """
    kept = output.with_suffix(".videos")
    films = _films(folder, scenes, kept, size)
    pairs = pairs_of({name: list(film.paths) for name, film in films.items()})
    asked = min(questions, len(pairs))
    made = orders_of(pairs, orders=orders, questions=asked, seed=seed)
    count = sum(len(film.paths) for film in films.values())
    make_folder(kept)
    for name, film in films.items():
        truth = Truth.load(film.file)
        for item in write_videos(truth, film.methods, size, film.paths, SIMULATED):
            progress(f"{name}, {item}", count)
    numbers = {(name, item): number for number, (name, item) in enumerate(_all(films))}
    videos = [base64.b64encode(films[name].paths[item].read_bytes()).decode() for name, item in numbers]
    head = {
        "header": HEADER,
        "version": pucker.__version__,
        "items": sorted({item for _, item in numbers}, key=lambda item: (item != SIMULATED, item)),
        "pairs": [
            {
                "scene": pair.scene,
                "items": list(pair.items),
                "videos": [numbers[pair.scene, item] for item in pair.items],
            }
            for pair in pairs
        ],
        "orders": [[[trial.pair, trial.turned] for trial in order] for order in made],
    }
    text = _document(head, videos)
    size_of_page = len(text.encode("utf-8"))
    if size_of_page > limit:
        raise ValueError(
            f"the page would have {size_of_page / 1e6:.1f} MB, more than {limit / 1e6:g}: take fewer scenes or smaller videos"
        )
    write_text(output, text)
    for film in films.values():
        for path in film.paths.values():
            path.unlink()
    if not any(kept.iterdir()):
        kept.rmdir()
    return StudyReport(output, size_of_page, len(videos), len(pairs), asked)


def _films(folder: Path, scenes: Sequence[str] | None, kept: Path, size: tuple[int, int]) -> dict[str, _Film]:
    found = {}
    for file in scenes_of(folder, scenes):
        truth = Truth.load(file)
        if not truth.resolved:
            continue
        methods = standard_on(truth, file.parent)
        items = {SIMULATED: None, **methods}
        paths = {
            item: kept / f"{file.stem}-{re.sub(r'[^a-z]+', '-', item)}-{digest_of(file, params, size)}.mp4"
            for item, params in items.items()
        }
        found[file.stem] = _Film(file, methods, paths)
    if not found:
        raise ValueError(f"{folder} has no resolved truth, so that nothing simulated is there to be found")
    return found


def _all(films: dict[str, _Film]) -> list[tuple[str, str]]:
    return [(name, item) for name, film in films.items() for item in film.paths]


def _document(head: dict[str, Any], videos: Sequence[str]) -> str:
    here = files("pucker.study")
    whole = hashlib.sha256(json.dumps([head, list(videos)]).encode()).hexdigest()[:16]
    parts = {
        "style": (here / "page.css").read_text(encoding="utf-8"),
        "head": json.dumps({**head, "study": whole}).replace("<", "\\u003c"),
        "videos": "\n".join(
            f'<script type="text/plain" id="video{n}">{each}</script>' for n, each in enumerate(videos)
        ),
        "script": (here / "page.js").read_text(encoding="utf-8"),
    }
    template = (here / "page.html").read_text(encoding="utf-8")
    return _PLACE.sub(lambda found: parts[found[1]], template)
