"""Pictures of the points of a sweep, side by side."""

from collections.abc import Callable, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np

import pucker
from pucker.render import ClipRenderer, captioned, contact_sheet

_SIZE: Final = (360, 400)
_COLUMNS: Final = 4


def draw_points(
    clip: pucker.Clip,
    params: Sequence[Any],
    captions: Sequence[str],
    path: Path,
    tell: Callable[[str], None],
) -> int:
    """Draws one frame of a clip with each of `params` into one picture, and returns the number of the frame.

    It is the frame in which the wrinkles of the first reach most triangles. `tell` is called with each caption before
    its run. Raises ContextError without OpenGL, and OSError if the picture cannot be written.
    """
    shown = -1
    pictures = []
    for each, caption in zip(params, captions, strict=True):
        tell(caption)
        states = list(islice(pucker.run(clip, each), None if shown < 0 else shown + 1))
        if shown < 0:
            shown = int(np.argmax([np.isfinite(state.detail.feature_sizes).sum() for state in states]))
        with ClipRenderer(clip, _SIZE, params=each) as renderer:
            pictures.append(captioned(renderer.frame(shown, states[shown]), caption))
    columns = min(len(pictures), _COLUMNS)
    pictures += [np.full_like(pictures[0], 255)] * (-len(pictures) % columns)
    contact_sheet(path, [pictures[start : start + columns] for start in range(0, len(pictures), columns)])
    return shown
