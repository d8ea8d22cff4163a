"""A set from a garment's clips by draped cloth, from beginning to end."""

import os
from collections.abc import Callable, Sequence
from typing import Final

from pucker._core import Clip
from pucker.drape import Params as DrapeParams

from .covering import FRAMES
from .draped import DAMPINGS, WIDTHS, drape, drape_again, learn_draped
from .regression import Regressed

# Of the draped mesh where nobody chose its levels. The kimono's third one predicts clips that are left out better than two do (0.83 against
# 0.80), and shows folds that two have no room for.
_MOST_TRIANGLES: Final = 65_536
_MOST_LEVELS: Final = 3
# Of all draped frames together where nobody chose their number: a minute or two, and 1.2 gigabytes.
_TRIANGLE_FRAMES: Final = 40_000_000
# Of the whole: draping, draping again to see what can be predicted, and learning.
_SHARES: Final = (0.48, 0.34, 0.18)


def levels_with_room(triangles: int, most: int = _MOST_TRIANGLES) -> int:
    """How often a garment of so many triangles is subdivided where nobody says so: until it has `most`, or three times."""
    return max(k for k in range(_MOST_LEVELS + 1) if k == 0 or triangles * 4**k <= most)


def frames_with_room(triangles: int, levels: int) -> int:
    """How many frames are learned from at most where nobody says so."""
    draped = triangles << 2 * max(levels, 0)  # each triangle becomes four
    return max(1, min(FRAMES, _TRIANGLE_FRAMES // draped))


def teach(
    clips: Sequence[Clip],
    params: DrapeParams | None = None,
    *,
    workers: int = 1,
    scheduler: str | None = None,
    recordings: str | os.PathLike[str] | None = None,
    fps: float = 30.0,
    progress: Callable[[float], None] = lambda _share: None,
) -> Regressed:
    """`drape`, `drape_again` and `learn_draped` on clips of one garment, as `pucker train` does.

    Args:
        clips: The garment's.
        params: Of the cloth; None: `teacher()`.
        workers: Clips draped at once; the result does not depend on it.
        scheduler: As for `drape`.
        recordings: As for `drape`.
        fps: Frames a second of the clips.
        progress: Called with the share that is done, from any thread, by one at a time; what it raises ends the work.

    Raises:
        ValueError: For no clip, and as `pucker.run`.
        OSError: For recordings that cannot be written, and as `drape`.
        pucker.Error: As `drape`.
    """
    first, second, last = _SHARES
    takes = drape(
        clips,
        params,
        workers=workers,
        scheduler=scheduler,
        recordings=recordings,
        progress=lambda done, count: progress(first * done / count),
    )
    again = drape_again(
        clips,
        params,
        workers=workers,
        scheduler=scheduler,
        progress=lambda done, count: progress(first + second * done / count),
    )
    tried = 0

    def told(*_: float) -> None:
        nonlocal tried
        tried += 1
        progress(first + second + last * min(tried / (len(WIDTHS) * len(DAMPINGS)), 1.0))

    return learn_draped(takes, params=params, again=again, fps=fps, progress=told)
