"""Values over a surface as pictures."""

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core.draw import PLAIN_STYLE
from pucker.render import Camera, ClipRenderer

Array = npt.NDArray[np.float64]
Picture = npt.NDArray[np.uint8]

MEASURED: Final = PLAIN_STYLE.replace(exposure=1.0)
"""Of pictures that are measured: the same light whatever is seen."""


def tinted(drawn: ClipRenderer, colours: Array) -> Picture:
    """The surface that `drawn` shows, each triangle in a colour of `colours` (m, 3), from 0 to 1."""
    tints = np.round(255.0 * colours).astype(np.uint8)
    drawn.garment.set_tints(np.column_stack([tints, np.full(len(tints), 255, dtype=np.uint8)]))
    drawn.garment.send()
    shown = drawn.renderer.render([drawn.garment], drawn.camera, drawn.style, [])
    return np.ascontiguousarray(shown[..., :3])


def drawn_by_value(
    clip: pucker.Clip, index: int, rows: Iterable[Array], most: float, camera: Camera, size: tuple[int, int]
) -> Picture:
    """A frame of a clip with values at its vertices, a picture for each of `rows` (N,), side by side.

    Green is above zero, purple below, full at `most`.
    """
    faces = np.asarray(clip.faces)
    pictures = []
    with ClipRenderer(clip, size, camera=camera, style=MEASURED) as drawn:
        drawn.show(index)
        for values in rows:
            share = np.clip(values[faces].mean(axis=1) / most, -1.0, 1.0)[:, None]
            colour = np.where(share > 0.0, [0.0, 0.45, 0.2], [0.45, 0.0, 0.5])
            pictures.append(tinted(drawn, (1.0 - abs(share)) + abs(share) * colour))
    return np.hstack(pictures)
