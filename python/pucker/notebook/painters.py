"""What makes the pictures of a view: OpenGL or, where there is none, matplotlib."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

import pucker
from pucker.render import Camera, ClipRenderer, Lines, Mode, Overlays

from .run import Snapshot

# Seconds of a draft above and below which the next one is coarser or finer. Edges twice as long are a quarter as many,
# so that the two must lie farther apart than that.
_SLOW: Final = 0.06
_QUICK: Final = 0.012
_COARSEST: Final = 3

Picture = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Shot:
    """Everything a picture depends on."""

    snapshot: Snapshot
    camera: Camera
    mode: Mode
    overlays: Overlays
    lines: Sequence[Lines] = ()


class Painter(Protocol):
    """Makes pictures; all calls come from the thread that made it."""

    def paint(self, shot: Shot, *, draft: bool) -> Picture:
        """A picture (height, width, 3); a `draft` may be coarser if that is quicker."""
        ...

    def close(self) -> None:
        """Frees what the pictures needed."""
        ...


class GlPainter:
    """Draws as `ClipRenderer` does. Raises ContextError without OpenGL 4.3.

    A draft has no antialiasing, and edges as much longer as keep its time within bounds.
    """

    def __init__(self, clip: pucker.Clip, size: tuple[int, int], camera: Camera) -> None:
        self._fine = ClipRenderer(clip, size, camera=camera)
        context = self._fine.renderer.context
        self._draft = ClipRenderer(clip, size, camera=camera, samples=0, context=context)
        self._coarseness = 0

    def paint(self, shot: Shot, *, draft: bool) -> Picture:
        """A picture (height, width, 3)."""
        renderer = self._draft if draft else self._fine
        snapshot = shot.snapshot
        renderer.camera = shot.camera
        begin = time.perf_counter()
        picture = renderer.frame(
            snapshot.frame, snapshot.state, mode=shot.mode, overlays=shot.overlays, lines=shot.lines
        )
        if draft:
            self._adapt(time.perf_counter() - begin)
        return picture

    def _adapt(self, seconds: float) -> None:
        """Makes drafts coarser if the last one took long, finer if it was quick."""
        if seconds > _SLOW:
            self._coarseness = min(self._coarseness + 1, _COARSEST)
        elif seconds < _QUICK:
            self._coarseness = max(self._coarseness - 1, 0)
        least_edge = self._fine.style.least_edge * 2.0**self._coarseness
        self._draft.style = self._draft.style.replace(least_edge=least_edge)

    def close(self) -> None:
        """Frees the GPU memory and the context."""
        self._draft.close()
        self._fine.close()
