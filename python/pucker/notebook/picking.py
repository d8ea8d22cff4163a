"""The triangle and the wrinkle that were picked in a picture, and what is said of them."""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core.draw import Camera, Lines
from pucker.render.picking import surface_under

from .run import Snapshot

Floats = npt.NDArray[np.float64]

_TRIANGLE_COLOUR: Final = (0.95, 0.10, 0.55)
_WRINKLE_COLOUR: Final = (0.10, 0.85, 0.95)
_MARK_WIDTH: Final = 3.0
# Marks stand off the surface by this share of the smallest wrinkle width, or it would hide them.
_MARK_LIFT: Final = 0.1


@dataclass(frozen=True)
class Pick:
    """A triangle of the garment, and the wrinkle (its id) that was under the pointer there, if one was."""

    triangle: int
    wrinkle: int | None = None


@dataclass(frozen=True)
class Selected:
    """The numbers of a picked triangle and wrinkle in one frame; of another method than the dynamic one, the triangle alone.

    Attributes:
        triangle: Its number.
        label: "compress", "rest" or "stretch".
        minimum, maximum: Principal stretches against the reference, 1 = no deformation.
        compression: 1 / minimum.
        reference: (2, 2): the reference triangle, columns its edges from vertex 0.
        wrinkle: The wrinkle as it is in this frame; None if none was picked or it is gone.
    """

    triangle: int
    label: str = ""
    minimum: float = np.nan
    maximum: float = np.nan
    compression: float = np.nan
    reference: Floats | None = None
    wrinkle: "pucker.Wrinkle | None" = None

    @classmethod
    def of(cls, pick: Pick, state: Any) -> "Selected":
        """What a state says of a pick."""
        triangle = pick.triangle
        if not hasattr(state, "wrinkles"):
            return cls(triangle)
        found = (wrinkle for wrinkle in state.wrinkles if wrinkle.id == pick.wrinkle and not wrinkle.gone)
        return cls(
            triangle=triangle,
            label=list(pucker.Label)[state.labels[triangle]].name,
            minimum=float(state.stretch.minimum[triangle]),
            maximum=float(state.stretch.maximum[triangle]),
            compression=float(state.compression[triangle]),
            reference=state.reference[triangle].copy(),
            wrinkle=next(found, None),
        )

    def rows(self) -> list[tuple[str, str]]:
        """Names and values, as text."""
        rows = [("triangle", str(self.triangle))]
        if self.reference is None:
            return rows
        (ax, bx), (ay, by) = self.reference
        rows += [
            ("label", self.label),
            ("stretches", f"{self.minimum:.4f}, {self.maximum:.4f}"),
            ("compression", f"{self.compression:.4f}"),
            ("reference", f"({ax:.4g}, {ay:.4g}), ({bx:.4g}, {by:.4g})"),
        ]
        wrinkle = self.wrinkle
        if wrinkle is not None:
            rows += [
                ("wrinkle", f"{wrinkle.id}{'' if wrinkle.alive else ', dying'}"),
                ("age", f"{wrinkle.age:.3f} s"),
                ("length", f"{wrinkle.length:.4g}"),
                ("widths", f"{wrinkle.widths.min():.4g} to {wrinkle.widths.max():.4g}"),
                ("greatest height", f"{wrinkle.heights.max():.4g}"),
            ]
        return rows


def pick(
    clip: pucker.Clip, snapshot: Snapshot, camera: Camera, size: tuple[int, int], x: float, y: float
) -> Pick | None:
    """The garment's triangle under a pixel, with the wrinkle that covers that point; None if there is none in sight.

    The mesh itself is hit, not its displaced surface; the rest of the character hides what is behind it.
    """
    hit = surface_under(clip, snapshot.frame, camera, size, x, y)
    if hit is None:
        return None
    triangle, barycentrics = hit
    point = np.asarray(barycentrics) @ clip.positions[snapshot.frame][clip.faces[triangle]]
    return Pick(triangle, _wrinkle_at(clip, snapshot, triangle, point))


def _wrinkle_at(clip: pucker.Clip, snapshot: Snapshot, triangle: int, point: Floats) -> int | None:
    """The id of the wrinkle whose middle is the nearest, in half widths, of those that cover a point of a triangle."""
    state = snapshot.state
    if not hasattr(state, "wrinkles"):
        return None
    field = pucker.CompressionField(clip.mesh, clip.positions[snapshot.frame], state.stretch)
    best, nearest = None, 1.0
    for wrinkle in _overlapping(state, triangle):
        samples = pucker.sample_curve(field, wrinkle)
        share = _distance_in_half_widths(point, samples.points, samples.widths)
        if share < nearest:
            best, nearest = wrinkle.id, share
    return best


def _overlapping(state: "pucker.State", triangle: int) -> "list[pucker.Wrinkle]":
    """The wrinkles that overlap a triangle: those whose packed points it lists."""
    packed = state.packed
    count, first = (int(number) for number in packed.triangles[triangle])
    points = packed.overlaps[first : first + count, 0]
    wrinkles = state.wrinkles
    # Packing keeps the order of the wrinkles and gives each as many points as it has.
    ends = np.cumsum([len(wrinkle.t) for wrinkle in wrinkles])
    numbers = np.unique(np.searchsorted(ends, points, side="right"))
    return [wrinkles[number] for number in numbers]


def _distance_in_half_widths(point: Floats, line: Floats, widths: Floats) -> float:
    """Distance of a point to a polyline (s, 3), over half its width (s,) at the nearest place."""
    spans = np.diff(line, axis=0)
    lengths = np.einsum("si,si->s", spans, spans)
    projected = np.einsum("si,si->s", point - line[:-1], spans)
    along = np.clip(np.divide(projected, lengths, out=np.zeros_like(lengths), where=lengths > 0.0), 0.0, 1.0)
    distances = np.linalg.norm(line[:-1] + along[:, None] * spans - point, axis=1)
    nearest = int(np.argmin(distances))
    width = widths[nearest] + along[nearest] * (widths[nearest + 1] - widths[nearest])
    return float(distances[nearest] / (0.5 * width))


def marks(clip: pucker.Clip, snapshot: Snapshot, picked: Pick) -> list[Lines]:
    """Lines round the picked triangle and along the crest of the picked wrinkle."""
    positions = clip.positions[snapshot.frame]
    lift = _MARK_LIFT * snapshot.state.detail.feature_size
    normals = pucker.local_frames(clip.mesh, positions).normals
    outline = positions[clip.faces[[picked.triangle]]] + lift * normals[picked.triangle]
    lines = [Lines.loops(outline, _TRIANGLE_COLOUR, _MARK_WIDTH)]
    wrinkle = Selected.of(picked, snapshot.state).wrinkle
    if wrinkle is not None:
        field = pucker.CompressionField(clip.mesh, positions, snapshot.state.stretch)
        samples = pucker.sample_curve(field, wrinkle)
        pieces = (len(samples.points) - 1) // len(wrinkle.triangles)
        above = np.repeat(normals[wrinkle.triangles], pieces, axis=0)
        heights = samples.heights[:, None] + lift
        ends = np.stack([samples.points[:-1] + heights[:-1] * above, samples.points[1:] + heights[1:] * above], axis=1)
        lines.append(Lines(ends.astype(np.float32), _WRINKLE_COLOUR, _MARK_WIDTH))
    return lines
