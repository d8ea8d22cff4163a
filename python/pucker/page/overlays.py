"""What a page can lay over the garment: tints of triangles, and lines."""

from collections.abc import Callable, Collection
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core.draw import STROKE_SHARE, Style
from pucker.method import MethodType, Overlay

from .numbers import Archive, Floats, Wholes

_STROKE_COLOUR: Final = Style().stroke_colour
# The page has it of any clip.
MESH: Final = "wireframe"


class Drawn:
    """An overlay of a method, frame by frame."""

    def __init__(self, overlay: Overlay) -> None:
        self.overlay = overlay
        self._tints: list[npt.NDArray[np.uint8]] = []
        self._lengths: list[int] = []
        self._counts: list[int] = []
        self._points: list[Floats] = []
        self._heights: list[Floats] = []
        self._colours: list[tuple[float, float, float]] = []
        self._width: float | None = None

    def take(self, state: Any, mesh: "pucker.Mesh", positions: Floats) -> None:
        """A frame."""
        tints = self.overlay.tints(state, True)
        if tints is not None:
            self._tints.append(tints)
            return
        curves = list(self.overlay.curves(state, mesh))
        self._colours += [_STROKE_COLOUR] * len(curves)
        for group in self.overlay.lines(state, True, mesh.faces, positions):
            self._width = group.width
            curves += [(ends, np.zeros(2)) for ends in group.ends]
            self._colours += [group.colour] * len(group.ends)
        self._counts.append(len(curves))
        self._lengths += [len(points) for points, _ in curves]
        self._points += [points for points, _ in curves]
        self._heights += [heights for _, heights in curves]

    def write(self, archive: Archive, whole: Callable[[Floats], Wholes]) -> dict[str, Any]:
        """Adds it; what a page has to know besides."""
        name = self.overlay.name
        told = {"name": name, "legend": self.overlay.legend()}
        if self._tints:
            colours, numbers = np.unique(np.concatenate(self._tints), axis=0, return_inverse=True)
            archive.add_wholes(f"overlay_{name}", numbers.reshape(len(self._tints), -1))
            return told | {"kind": "tint", "colours": colours.tolist()}
        points = np.concatenate([np.zeros((0, 3)), *self._points])
        heights = np.concatenate([np.zeros(0), *self._heights])
        # A height is a length, which is relative to nothing.
        steps = whole(np.repeat(heights[:, None], 3, axis=1)) - whole(np.zeros((1, 3)))
        archive.add_wholes(f"overlay_{name}", np.column_stack([whole(points), steps[:, :1]]))
        archive.add_wholes(f"overlay_{name}_lengths", np.array(self._lengths, np.int64))
        archive.add_wholes(f"overlay_{name}_counts", np.array(self._counts, np.int64))
        shades = sorted(set(self._colours))
        archive.add_wholes(f"overlay_{name}_colours", np.array([shades.index(c) for c in self._colours], np.int64))
        share = STROKE_SHARE if self._width is None else None
        return told | {"kind": "lines", "colours": shades, "width": self._width, "share": share}


def computed(method: MethodType, names: Collection[str | Overlay] | None) -> list[dict[str, Any]]:
    """What a live page has to know of the overlays that it computes: tints, and what a method draws as strokes.

    Raises ValueError as `chosen_overlays`, and for others.
    """
    out: list[dict[str, Any]] = []
    own = {type(overlay) for overlay in method.overlays()}
    for drawn in chosen_overlays(method, names):
        overlay = drawn.overlay
        told = {"name": overlay.name, "legend": overlay.legend()}
        kind = type(overlay)
        if kind in own and overlay.strokes:
            out.append(told | {"kind": "lines", "colours": [_STROKE_COLOUR], "width": None, "share": STROKE_SHARE})
        elif kind in own and kind.tints is not Overlay.tints:
            out.append(told | {"kind": "tint"})
        else:
            raise ValueError(
                f"a live page has no overlay {overlay.name}: it computes tints of the method and paths alone"
            )
    return out


def chosen_overlays(method: MethodType, names: Collection[str | Overlay] | None) -> list[Drawn]:
    """The overlays of a method that are named, or else those of its contact sheets; and those that are given themselves.

    Raises ValueError for a name that the method has no overlay of, one that needs data which no name brings along, and one
    that is given twice.
    """
    known = {overlay.name: overlay for overlay in method.overlays() if overlay.named}
    asked = method.sheet_overlays if names is None else names
    for name in asked:
        if not isinstance(name, Overlay) and name not in known and name != MESH:
            raise ValueError(f"overlays must be of {', '.join([MESH, *known])}, not {name!r}")
    called = [name.name if isinstance(name, Overlay) else name for name in asked]
    for name in called:
        if called.count(name) > 1:
            raise ValueError(f"overlays must differ by name, but {name!r} is given twice")
    return [Drawn(name if isinstance(name, Overlay) else known[name]) for name in asked if name != MESH]
