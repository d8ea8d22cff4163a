"""What can be drawn over a frame of a clip to show how its wrinkles came about."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from pucker._core import draw, reference_triangles, stretch_ellipses

from .appearance import Colour, label_tints

_LOOK: Final[dict[str, Any]] = draw.OVERLAYS


@dataclass(frozen=True)
class Lines:
    """Straight lines in space.

    ends (k, 2, 3)
        both ends of each; a line of no length is a square dot.
    colour, width
        sRGB in [0, 1], and pixels.

    Raises ValueError for another shape, an end that is not finite, or a width that is not positive.
    """

    ends: npt.NDArray[np.float64]
    colour: Colour
    width: float = 1.0

    def __post_init__(self) -> None:
        ends = np.asarray(self.ends, dtype=np.float64)
        if ends.ndim != 3 or ends.shape[1:] != (2, 3):
            raise ValueError(f"the ends of lines must have shape (k, 2, 3), not {ends.shape}")
        if not np.isfinite(ends).all():
            raise ValueError(f"line {np.flatnonzero(~np.isfinite(ends).all(axis=(1, 2)))[0]} is not finite")
        if not self.width > 0.0:
            raise ValueError(f"the width of lines must be positive, not {self.width}")
        object.__setattr__(self, "ends", ends)

    @classmethod
    def loops(cls, corners: npt.NDArray[np.floating], colour: Colour, width: float) -> Self:
        """Closed polygons of c corners each, (k, c, 3)."""
        ends = np.stack([corners, np.roll(corners, -1, axis=1)], axis=2)
        return cls(ends.reshape(-1, 2, 3).astype(np.float64), colour, width)


@dataclass(frozen=True)
class Overlays:
    """What is drawn over a frame; each alone or with others.

    labels
        True tints triangles by the state's labels, an array (m,) by that.
    reached
        tints the triangles that wrinkles reach, the more strongly the more wrinkles.
    paths
        the curves of the wrinkles' paths.
    wireframe
        the mesh's edges.
    tessellation
        edges of the tessellated triangles, one pixel wide and the fainter the finer they are; there are none in modes
        without displacement.
    ellipses
        stretch against the reference: an ellipse a triangle with the principal stretches along its axes, so scaled that
        an unstretched triangle shows a circle of half its inscribed circle's radius.
    reference
        outlines of the reference triangles, laid centroid on centroid into the plane of the present ones and turned by
        the rotation of their deformation.
    seeds
        points to mark: a sequence of `Seed` as `Tracer.seed` gives them, or positions (k, 3).

    Where lines are drawn, True stands for their usual width and a number for a width in pixels.
    """

    labels: bool | npt.ArrayLike = False
    reached: bool = False
    paths: bool | float = False
    wireframe: bool | float = False
    tessellation: bool = False
    ellipses: bool | float = False
    reference: bool | float = False
    seeds: Iterable[Any] = ()

    @classmethod
    def names(cls) -> list[str]:
        """Names of all overlays but the seeds, which are data that a name does not bring along."""
        return [item.name for item in fields(cls) if item.name != "seeds"]

    @classmethod
    def of(cls, asked: "Overlays | Collection[str]") -> "Overlays":
        """Overlays, or those whose names are given, one or several. Raises ValueError for a name there is not."""
        if isinstance(asked, Overlays):
            return asked
        names = cls.names()
        chosen: dict[str, Any] = {}
        for name in (asked,) if isinstance(asked, str) else asked:
            if name not in names:
                raise ValueError(f"overlays must be of {', '.join(names)}, not {name!r}")
            chosen[name] = True
        return cls(**chosen)

    def tints(self, state: Any) -> npt.NDArray[np.uint8] | None:
        """Colour (m, 4) of each triangle by its label, sRGB with the share as alpha; None without labels."""
        if self.labels is False:
            return None
        return label_tints(_attribute(state, "labels") if self.labels is True else self.labels)

    def lines(self, state: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]) -> list[Lines]:
        """The lines of ellipses, reference triangles and seeds on a mesh (m, 3) with positions (n, 3)."""
        lines = []
        if self.ellipses or self.reference:
            surface = (faces, positions, _attribute(state, "frames"), _attribute(state, "stretch"))
        if self.ellipses:
            width = line_width(self.ellipses, _LOOK["line_width"])
            lines.append(Lines.loops(stretch_ellipses(*surface), _LOOK["ellipse_colour"], width))
        if self.reference:
            width = line_width(self.reference, _LOOK["line_width"])
            polygons = reference_triangles(*surface, _attribute(state, "reference"))
            lines.append(Lines.loops(polygons, _LOOK["reference_colour"], width))
        seeds = seed_positions(self.seeds, faces, positions)
        if len(seeds):
            ends = np.stack([seeds, seeds], axis=1)
            lines.append(Lines(ends, _LOOK["seed_colour"], _LOOK["seed_width"]))
        return lines


def line_width(asked: bool | float, usual: float) -> float:
    """Width in pixels: True stands for the usual one, False for none."""
    return usual if asked is True else float(asked)


def seed_positions(
    seeds: Iterable[Any], faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Positions (k, 3) of seeds, which may be given as such. Raises ValueError for another shape."""
    points = [
        np.asarray(s.barycentrics) @ positions[faces[s.triangle]] if hasattr(s, "barycentrics") else s for s in seeds
    ]
    if not points:
        return np.zeros((0, 3))
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 3:
        raise ValueError(f"seeds must be of Tracer.seed or positions (k, 3), not of shape {found.shape}")
    return found


def _attribute(state: Any, name: str) -> Any:
    if not hasattr(state, name):
        raise ValueError(f"an overlay needs a state that has {name}; {type(state).__name__} has none")
    return getattr(state, name)
