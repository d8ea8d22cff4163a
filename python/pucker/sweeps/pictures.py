"""Pictures of the points of a sweep, side by side."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from PIL import Image

import pucker
from pucker.render import ClipRenderer, captioned, contact_sheet
from pucker.render.output import Picture

_SIZE: Final = (360, 400)
_COLUMNS: Final = 4
# A close-up shows this part of the picture's width and height.
_CLOSER: Final = 3
# Of 255: what an eye tells apart, and more than rounding.
_SEEN: Final = 8


@dataclass(frozen=True)
class Shots:
    """One frame of a clip with each of several parameters."""

    frame: int
    """Its number."""
    states: Sequence[Any]
    pictures: Sequence[Picture]
    """Of the whole."""
    close: Sequence[Picture]
    """Of the place where the pictures differ most, all of the same."""
    changed: Sequence[float]
    """Share of the pixels with something in them that differ from the first picture's."""


def _frames(
    clip: pucker.Clip,
    params: Sequence[Any],
    captions: Sequence[str],
    size: tuple[int, int],
    progress: Callable[[str], None],
) -> Iterator[tuple[int, Any, npt.NDArray[np.uint8]]]:
    """The frame in which the wrinkles of the first of `params` reach most triangles: its number, state and picture with each."""
    shown = -1
    for each, caption in zip(params, captions, strict=True):
        progress(caption)
        states = list(islice(pucker.run(clip, each), None if shown < 0 else shown + 1))
        if shown < 0:
            shown = int(np.argmax([np.isfinite(state.detail.feature_sizes).sum() for state in states]))
        with ClipRenderer(clip, size, params=each) as renderer:
            yield shown, states[shown], renderer.frame(shown, states[shown])


def shots(clip: pucker.Clip, params: Sequence[Any], captions: Sequence[str], progress: Callable[[str], None]) -> Shots:
    """The frame in which the wrinkles of the first of `params` reach most triangles, with all of them.

    `progress` is called with each caption before its run. Raises ContextError without OpenGL.
    """
    made = list(_frames(clip, params, captions, (_CLOSER * _SIZE[0], _CLOSER * _SIZE[1]), progress))
    large = [picture for _, _, picture in made]
    stack = np.stack(large).astype(np.int16)
    covered = (np.abs(stack[0] - stack[0, 0, 0]) > _SEEN).any(axis=2)
    off = np.abs(stack - stack[0]).max(axis=3)
    changed = [float((each > _SEEN).sum() / max(covered.sum(), 1)) for each in off]
    # Without a difference the cloth itself is what there is to see.
    top, left = _busiest(off.sum(axis=0) if off.any() else covered.astype(np.int64))
    return Shots(
        made[0][0],
        [state for _, state, _ in made],
        [np.asarray(Image.fromarray(picture).resize(_SIZE, Image.Resampling.LANCZOS)) for picture in large],
        [picture[top : top + _SIZE[1], left : left + _SIZE[0]] for picture in large],
        changed,
    )


def _busiest(amounts: npt.NDArray[np.integer]) -> tuple[int, int]:
    """Row and column of the upper left corner of the window of a picture's size with the largest sum."""
    sums = np.zeros((amounts.shape[0] + 1, amounts.shape[1] + 1), np.int64)
    sums[1:, 1:] = amounts.cumsum(axis=0, dtype=np.int64).cumsum(axis=1)
    wide, high = _SIZE
    windows = sums[high:, wide:] - sums[:-high, wide:] - sums[high:, :-wide] + sums[:-high, :-wide]
    row, column = np.unravel_index(np.argmax(windows), windows.shape)
    return int(row), int(column)


def draw_points(
    clip: pucker.Clip,
    params: Sequence[Any],
    captions: Sequence[str],
    path: Path,
    progress: Callable[[str], None],
) -> int:
    """Draws one frame of a clip with each of `params` into one picture, and returns the number of the frame.

    It is the frame in which the wrinkles of the first reach most triangles. `progress` is called with each caption before
    its run. Raises ContextError without OpenGL, and OSError if the picture cannot be written.
    """
    made = list(_frames(clip, params, captions, _SIZE, progress))
    pictures = [captioned(picture, caption) for (_, _, picture), caption in zip(made, captions, strict=True)]
    columns = min(len(pictures), _COLUMNS)
    pictures += [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    contact_sheet(path, [pictures[start : start + columns] for start in range(0, len(pictures), columns)])
    return made[0][0]
