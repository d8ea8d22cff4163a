"""Ridges of folds: how high, wide and far apart they are, and their cross-sections."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker

from .folds import Smoothing, smoothed_tensors
from .straightest import LinePlaces, StraightestLines, joined

Array = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

SECTION: Final = 9
"""Points of a section from the crest to the valley's floor."""
ENDS: Final = 9
"""Points of a ridge's course from its end on."""

# Samples in a width, and widths that are read to either side of a place and along a ridge.
_SAMPLES: Final = 32
_REACH: Final = 2
_COURSE: Final = 3
# Samples along a ridge in a width, and across it there; a crest that moves sideways by more than a step is another one.
_STEPS: Final = 4
_ACROSS: Final = 16
# In widths: what is lower is flat.
_FLAT: Final = 0.005
# Share of its height at which a ridge has ended.
_ENDED: Final = 0.1


@dataclass(frozen=True, eq=False)
class Ridges:
    """Ridges of one frame's folds, each cut once across. Lengths are in the surface's unit.

    Attributes:
        heights: (k,) of the crest over the mean of the two valleys' floors beside it.
        crests: (k,) of the crest over the surface.
        widths: (k,) between the floors.
        distances: (k,) mean distance to the crests beside it; NaN where none is read on either side.
        compression: (k,) λ̃ of the surface there, averaged over `width`.
        extents: (k,) length, across the ridge, of the region round it that is compressed at least half as much.
        sections: (k, `SECTION`) mean of both sides, from 1 at the crest to 0 at the floor.
        courses: (k, `ENDS`) height along the ridge over its height at the cut, from an end on, a quarter of its width apart; NaN
            beyond the cut, and for a ridge whose end is not reached.
    """

    heights: Array
    crests: Array
    widths: Array
    distances: Array
    compression: Array
    extents: Array
    sections: Array
    courses: Array

    def __len__(self) -> int:
        """Ridges."""
        return len(self.heights)


def ridges_of(
    faces: npt.ArrayLike,
    rest: npt.ArrayLike,
    positions: npt.ArrayLike,
    heights: npt.ArrayLike,
    width: float,
    *,
    count: int = 600,
    seed: int = 0,
) -> Ridges:
    """The ridges nearest to random places of a smooth surface that has folds.

    From each place the heights are read along the straightest line (Polthier and Schmies 1998) across the folds: the main axis of
    ∇h ∇hᵀ, averaged over half of `width`. The crest nearest to the place counts if it is within half a `width` and its valleys'
    floors, the next minima on both sides, within two; ridges lower than 0.005 `width` are left out.

    Args:
        faces: (m, 3) triangles.
        rest: (n, 3) vertices of the uncompressed surface.
        positions: (n, 3) vertices of the smooth surface.
        heights: (n,) of the folds over it.
        width: About the width of a fold.
        count: Places.
        seed: Of the places.

    Raises:
        ValueError: For a width that is not positive, no places, other shapes, and values that are not finite.
    """
    triangles = np.ascontiguousarray(faces, dtype=np.int64)
    cut, guide, values = (np.asarray(each, dtype=np.float64) for each in (rest, positions, heights))
    if not (np.isfinite(width) and width > 0.0):
        raise ValueError(f"width must be finite and positive, not {width}")
    if count < 1:
        raise ValueError(f"count must be at least 1, not {count}")
    if cut.shape != guide.shape or values.shape != guide.shape[:1]:
        raise ValueError(
            f"rest, positions and heights must be of the same vertices, not {cut.shape}, {guide.shape} and {values.shape}"
        )
    if not all(np.isfinite(each).all() for each in (cut, guide, values)):
        raise ValueError("rest, positions and heights must be finite")
    return _Cutter(triangles, cut, guide, values, width).ridges(count, seed)


class _Cutter:
    def __init__(self, faces: Indices, rest: Array, guide: Array, heights: Array, width: float) -> None:
        self._faces, self._heights, self._width = faces, heights, width
        self._lines = StraightestLines(faces, guide)
        smoothing = Smoothing(faces, guide, width / 2.0)
        slopes = np.einsum("tcd,tc->td", self._lines.gradients, heights[faces])
        self._tensors = smoothed_tensors(slopes, smoothing, self._lines.areas)
        self._compression = Smoothing(faces, guide, width)(
            _compression(self._lines.mesh, rest, guide, self._lines.areas)
        )

    def ridges(self, count: int, seed: int) -> Ridges:
        shares = self._lines.areas / self._lines.areas.sum()
        starts = np.random.default_rng(seed).choice(len(self._faces), count, p=shares)
        across = np.linalg.eigh(self._tensors[starts]).eigenvectors[:, :, 2]
        middles = np.full((count, 3), 1.0 / 3.0)
        step, reach = self._width / _SAMPLES, _REACH * _SAMPLES
        sides = [self._lines.places(starts, middles, sign * across, step, reach) for sign in (-1.0, 1.0)]
        sections = joined(*(side.read(self._faces, self._heights) for side in sides))
        pressed = joined(*(side.read(self._faces, self._compression) for side in sides))
        flat = _FLAT * self._width
        found = ((line, _cut(row, reach, _SAMPLES // 2, flat)) for line, row in enumerate(sections))
        cuts = [(line, cut) for line, cut in found if cut is not None]
        courses = self._courses(sides, cuts) if cuts else np.empty((0, ENDS))
        return Ridges(
            np.array([cut.height for _, cut in cuts]),
            np.array([sections[line, cut.crest] for line, cut in cuts]),
            np.array([cut.width * step for _, cut in cuts]),
            np.array([_neighbours(sections[line], cut) * step for line, cut in cuts]),
            np.array([pressed[line, cut.crest] for line, cut in cuts]),
            np.array([_extent(pressed[line], cut.crest) * step for line, cut in cuts]),
            np.array([_section(sections[line], cut) for line, cut in cuts]).reshape(len(cuts), SECTION),
            courses,
        )

    def _courses(self, sides: list[LinePlaces], cuts: list[tuple[int, "_Cut"]]) -> Array:
        """Height along each ridge, walked to both sides of the cut; the end that is found first counts."""
        at = np.array([abs(cut.crest - _REACH * _SAMPLES) for _, cut in cuts])
        side = np.array([int(cut.crest >= _REACH * _SAMPLES) for _, cut in cuts])
        line = np.array([line for line, _ in cuts])
        pick = [
            np.stack([getattr(each, name)[line, at] for each in sides])
            for name in ("triangles", "barycentrics", "directions")
        ]
        triangles, weights, across = (each[side, np.arange(len(cuts))] for each in pick)
        step, count = self._width / _STEPS, _COURSE * _STEPS
        out = np.full((len(cuts), ENDS), np.nan)
        for sign in (1.0, -1.0):
            along = sign * np.cross(self._lines.normals[triangles], across)
            way = self._lines.places(triangles, weights, along, step, count)
            courses = np.stack([self._crossing(way, index) for index in range(count + 1)], axis=1)
            for row, (_, cut) in enumerate(cuts):
                if np.isnan(out[row, 0]):
                    out[row] = _from_end(_followed(courses[row]), cut.height, cut.width / _SAMPLES * _STEPS)
        return out

    def _crossing(self, way: LinePlaces, index: int) -> Array:
        """Heights (lines, samples) across a ridge at one point of the way along it, a width to either side."""
        triangles, weights = way.triangles[:, index], way.barycentrics[:, index]
        across = np.cross(way.directions[:, index], self._lines.normals[triangles])
        step = self._width / _ACROSS
        sides = [
            self._lines.places(triangles, weights, sign * across, step, _ACROSS).read(self._faces, self._heights)
            for sign in (-1.0, 1.0)
        ]
        return joined(*sides)


@dataclass(frozen=True)
class _Cut:
    """Samples of the crest and of the floors on a line, and how high the crest is over these."""

    crest: int
    first: int
    last: int
    height: float

    @property
    def width(self) -> int:
        return self.last - self.first


def _compression(mesh: pucker.Mesh, rest: Array, guide: Array, areas: Array) -> Array:
    """λ̃ at the vertices, the mean of their triangles."""
    stretch = pucker.stretch(pucker.local_frames(mesh, rest).matrices, pucker.local_frames(mesh, guide).matrices)
    corners = np.asarray(mesh.faces).ravel()
    total = np.bincount(corners, np.repeat(areas, 3), minlength=len(guide))
    pressed = np.repeat(areas / np.asarray(stretch.minimum), 3)
    mean: Array = np.bincount(corners, pressed, minlength=len(guide)) / np.where(total > 0.0, total, 1.0)
    return mean


def _crest_near(row: Array, middle: int, reach: int) -> int | None:
    inside = row[1:-1]
    crests = np.flatnonzero((inside > row[:-2]) & (inside >= row[2:])) + 1
    near = crests[np.abs(crests - middle) <= reach]
    return int(near[np.argmin(np.abs(near - middle))]) if len(near) else None


def _floor(row: Array, crest: int, sign: int) -> int | None:
    """The next minimum on one side; None where it is not before the line's end."""
    at = crest
    while 0 < at < len(row) - 1 and row[at + sign] < row[at]:
        at += sign
    return at if 0 < at < len(row) - 1 and row[at + sign] >= row[at] else None


def _cut(row: Array, middle: int, reach: int, flat: float = -np.inf) -> _Cut | None:
    """The ridge whose crest is nearest to a sample and within `reach` of it; None where there is none, or a lower one than `flat`."""
    crest = _crest_near(row, middle, reach)
    if crest is None:
        return None
    first, last = _floor(row, crest, -1), _floor(row, crest, 1)
    if first is None or last is None or row[crest] - max(row[first], row[last]) < flat:
        return None
    return _Cut(crest, first, last, float(row[crest] - 0.5 * (row[first] + row[last])))


def _section(row: Array, cut: _Cut) -> Array:
    """From the crest to the floor, each side in its own half width and height."""
    samples = np.arange(len(row))
    share = np.linspace(0.0, 1.0, SECTION)
    sides = []
    for floor in (cut.first, cut.last):
        read = np.interp(cut.crest + share * (floor - cut.crest), samples, row)
        sides.append((read - row[floor]) / (row[cut.crest] - row[floor]))
    mean: Array = np.mean(sides, axis=0)
    return mean


def _neighbours(row: Array, cut: _Cut) -> float:
    """Mean distance, in samples, to the next maxima beyond the floors."""
    found = []
    for floor, sign in ((cut.first, -1), (cut.last, 1)):
        at = floor
        while 0 < at < len(row) - 1 and row[at + sign] >= row[at]:
            at += sign
        if 0 < at < len(row) - 1 and row[at + sign] < row[at]:
            found.append(abs(at - cut.crest))
    return float(np.mean(found)) if found else float("nan")


def _extent(row: Array, crest: int) -> float:
    """Samples round the crest that are compressed at least half as much; NaN where nothing is, or where they go on beyond the line."""
    least = 1.0 + 0.5 * (row[crest] - 1.0)
    if not row[crest] > 1.0:
        return float("nan")
    ends = []
    for sign in (-1, 1):
        at = crest
        while 0 <= at < len(row) and row[at] >= least:
            at += sign
        if not 0 <= at < len(row) or np.isnan(row[at]):
            return float("nan")
        ends.append(at)
    return float(ends[1] - ends[0] - 1)


def _followed(crossings: Array) -> Array:
    """Height of one crest over the floors beside it, from the cut on; it ends where the crest is lost."""
    middle = crossings.shape[1] // 2
    found = []
    for row in crossings:
        cut = _cut(row, middle, _ACROSS // _STEPS)
        if cut is None:
            # Past the border nothing is known; elsewhere there is no ridge any more.
            found.append(float("nan") if np.isnan(row).any() else 0.0)
            break
        found.append(cut.height)
        middle = cut.crest
    return np.array(found)


def _from_end(course: Array, height: float, width: float) -> Array:
    """The course read from its end, every quarter of a width (in steps), over the height at the cut."""
    out = np.full(ENDS, np.nan)
    ended = np.flatnonzero(course <= _ENDED * height)
    if not len(ended) or ended[0] == 0:
        return out
    end = int(ended[0])
    back = end - 0.25 * width * np.arange(ENDS)
    inside = back >= 0.0
    out[inside] = np.interp(back[inside], np.arange(len(course)), course) / height
    return out
