"""What can be drawn over a frame of a clip to show how its wrinkles came about."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from .appearance import Colour, label_tints

ELLIPSE_COLOUR: Final[Colour] = (0.0, 0.40, 0.36)
REFERENCE_COLOUR: Final[Colour] = (0.55, 0.10, 0.62)
SEED_COLOUR: Final[Colour] = (0.93, 0.30, 0.04)
REACHED_COLOUR: Final = (235, 150, 20)
_ELLIPSE_PIECES: Final = 32
# An unstretched triangle shows a circle of half its inscribed circle's radius, which leaves room for stretch.
_ELLIPSE_SHARE: Final = 0.5
_SEED_WIDTH: Final = 5.0
# Each wrinkle that reaches a triangle leaves this share of what its tint let through so far.
_REACHED_LEFT: Final = 0.55

Tints = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Lines:
    """Straight lines in space.

    ends (k, 2, 3)
        both ends of each; a line of no length is a square dot.
    colour, width
        sRGB in [0, 1], and pixels.

    Raises ValueError for another shape, an end that is not finite, or a width that is not positive.
    """

    ends: npt.NDArray[np.float32]
    colour: Colour
    width: float = 1.0

    def __post_init__(self) -> None:
        ends = np.asarray(self.ends, dtype=np.float32)
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
        return cls(ends.reshape(-1, 2, 3).astype(np.float32), colour, width)


@dataclass(frozen=True)
class Overlays:
    """What is drawn over a frame; each alone or with others.

    labels
        True tints triangles by the state's labels, an array (m,) by that.
    reached
        tints triangles that wrinkles reach, the more strongly the more wrinkles.
    paths
        the curves of the wrinkles' paths.
    wireframe
        the mesh's edges.
    tessellation
        edges of the tessellated triangles, one pixel wide; there are none in modes without displacement.
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

    def tints(self, state: Any) -> Tints | None:
        """Colour (m, 4) of each triangle, sRGB with the share as alpha; None for none."""
        layers = []
        if self.labels is not False:
            layers.append(label_tints(_attribute(state, "labels") if self.labels is True else self.labels))
        if self.reached:
            layers.append(reached_tints(_attribute(state, "packed").triangles[:, 0]))
        return _blend(layers) if layers else None

    def lines(self, state: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]) -> list[Lines]:
        """The lines of ellipses, reference triangles and seeds on a mesh (m, 3) with positions (n, 3)."""
        lines = []
        for asked, polygons, colour in (
            (self.ellipses, ellipses, ELLIPSE_COLOUR),
            (self.reference, reference_triangles, REFERENCE_COLOUR),
        ):
            if asked:
                lines.append(Lines.loops(polygons(state, positions[faces]), colour, line_width(asked, 1.0)))
        seeds = seed_positions(self.seeds, faces, positions)
        if len(seeds):
            lines.append(Lines(np.stack([seeds, seeds], axis=1).astype(np.float32), SEED_COLOUR, _SEED_WIDTH))
        return lines


def line_width(asked: bool | float, usual: float) -> float:
    """Width in pixels: True stands for the usual one, False for none."""
    return usual if asked is True else float(asked)


def reached_tints(counts: npt.ArrayLike) -> Tints:
    """Tints (m, 4) of triangles by the number (m,) of wrinkles that reach them; none reached, none tinted."""
    numbers = np.asarray(counts, dtype=np.float64)
    tints = np.empty((len(numbers), 4), dtype=np.uint8)
    tints[:, :3] = REACHED_COLOUR
    tints[:, 3] = np.rint(255.0 * (1.0 - _REACHED_LEFT**numbers))
    return tints


def ellipses(state: Any, corners: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Ellipses of stretch round the incentres of triangles (m, 3, 3), as polygons (k, pieces, 3).

    Triangles without area have none, so k is at most m.
    """
    stretch, frames = _attribute(state, "stretch"), _attribute(state, "frames")
    keep = frames.areas > 0.0
    triangles = corners[keep]
    opposite = np.linalg.norm(np.roll(triangles, -1, axis=1) - np.roll(triangles, 1, axis=1), axis=2)
    perimeter = opposite.sum(axis=1)
    centre = np.einsum("mk,mkx->mx", opposite, triangles) / perimeter[:, None]
    radius = _ELLIPSE_SHARE * 2.0 * frames.areas[keep] / perimeter
    directions = np.einsum("mij,mix->mjx", stretch.left[keep], frames.axes[keep])
    sizes = radius[:, None] * np.stack([stretch.maximum[keep], stretch.minimum[keep]], axis=1)
    angle = 2.0 * np.pi * np.arange(_ELLIPSE_PIECES) / _ELLIPSE_PIECES
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    polygons: npt.NDArray[np.float64] = centre[:, None] + np.einsum("pj,mj,mjx->mpx", circle, sizes, directions)
    return polygons


def reference_triangles(state: Any, corners: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Corners (k, 3, 3) of the reference triangles in the planes of the present ones (m, 3, 3).

    They are turned by A Bᵀ of the deformation F = A Σ Bᵀ (Gillette 2015, equation 4.1). Triangles without area have none.
    """
    stretch, frames, reference = (_attribute(state, name) for name in ("stretch", "frames", "reference"))
    keep = frames.areas > 0.0
    local = np.concatenate([np.zeros((int(keep.sum()), 2, 1)), reference[keep]], axis=2)
    local -= local.mean(axis=2, keepdims=True)
    turned = stretch.left[keep] @ np.swapaxes(stretch.right[keep], 1, 2) @ local
    laid: npt.NDArray[np.float64] = np.einsum("mik,mix->mkx", turned, frames.axes[keep])
    laid += corners[keep].mean(axis=1, keepdims=True)
    return laid


def seed_positions(
    seeds: Iterable[Any], faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Positions (k, 3) of seeds, which may be given as such. Raises ValueError for another shape."""
    points = [np.asarray(s.weights) @ positions[faces[s.triangle]] if hasattr(s, "weights") else s for s in seeds]
    if not points:
        return np.zeros((0, 3))
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 3:
        raise ValueError(f"seeds must be of Tracer.seed or positions (k, 3), not of shape {found.shape}")
    return found


def _blend(layers: Sequence[Tints]) -> Tints:
    """Tints laid one over the other, as one."""
    colour, share = np.zeros((len(layers[0]), 3)), np.zeros((len(layers[0]), 1))
    for layer in layers:
        if len(layer) != len(colour):
            raise ValueError(f"tints must be of one mesh, not of {len(colour)} and {len(layer)} triangles")
        own = layer[:, 3:] / 255.0
        whole = own + share * (1.0 - own)
        mixed = own * layer[:, :3] + share * (1.0 - own) * colour
        colour = np.divide(mixed, whole, out=np.zeros_like(mixed), where=whole > 0.0)
        share = whole
    return np.rint(np.hstack([colour, 255.0 * share])).astype(np.uint8)


def _attribute(state: Any, name: str) -> Any:
    if not hasattr(state, name):
        raise ValueError(f"an overlay needs a state that has {name}; {type(state).__name__} has none")
    return getattr(state, name)
