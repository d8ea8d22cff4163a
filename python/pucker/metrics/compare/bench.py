"""The bench: coarse, wrinkled and verbatim surfaces against the fine one they stand for."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.closest import closest_places
from pucker.method import method_of
from pucker.metrics import Samples, area, curvature, curvature_distance, direction_error, vertex_areas

from .silhouette import Views, difference

Array = npt.NDArray[np.float64]

FOLD_EDGES: Final = 4
"""Edges of the fine mesh in the narrowest fold it can hold: up, down, and level on either side."""

CURVATURE_RINGS: Final = 3
"""Rings of the fine mesh that its curvature is fitted to."""


@dataclass(frozen=True)
class Row:
    """One surface in one frame; smaller is nearer to the fine surface in every measure.

    Attributes:
        triangles: Of the coarse mesh.
        surface: Its name, one of those that `compare` was given.
        frame: Of the clip.
        time: Seconds.
        wrinkles: Alive; NaN of a method that has none.
        curvature: Wasserstein distance of the distributions of mean curvature, times the clip's height.
        curvedness: The same of curvedness.
        distance: Root mean square distance between the surfaces, both ways, over the clip's height.
        normals: Mean angle between the normals that are drawn, at the closest points, in degrees.
        area: Difference of the areas over that of the fine surface.
        silhouette: Area that only one of the outlines covers over that of the fine one, in four views.
        direction: Mean angle between the wrinkles and the folds of the fine surface in degrees; NaN without wrinkles.
    """

    triangles: int
    surface: str
    frame: int
    time: float
    wrinkles: float
    curvature: float
    curvedness: float
    distance: float
    normals: float
    area: float
    silhouette: float
    direction: float


MEASURES: Final = ("curvature", "curvedness", "distance", "normals", "area", "silhouette", "direction")
"""The measures of a `Row`."""


@dataclass(frozen=True)
class Drawn:
    """A surface of one frame: triangles (m, 3), points (n, 3) and the normals (n, 3) that are drawn there."""

    faces: npt.NDArray[np.int64]
    positions: Array
    normals: Array


def fold_width(fine: pucker.Clip) -> float:
    """Width of the narrowest fold that the fine mesh can hold."""
    return FOLD_EDGES * pucker.mean_edge_length(fine.mesh, fine.positions[0])


def narrowest_fold(fine: pucker.Clip) -> float:
    """The `min_width` whose flat wrinkle is as wide as the narrowest fold that the fine mesh can hold."""
    return fold_width(fine) / float(np.pi)


class Reference:
    """The fine surface of one frame, and how far others are from it."""

    def __init__(self, fine: pucker.Clip, index: int, views: Views) -> None:
        self._fine, self._views = fine, views
        self._positions = np.array(fine.positions[index])
        self._normals = pucker.vertex_normals(fine.mesh, self._positions)
        self._areas = vertex_areas(fine.faces, self._positions)
        self._curvature = curvature(fine.faces, self._positions, radius=CURVATURE_RINGS)
        self._masks = views.masks(fine.faces, self._positions)

    def measure(self, drawn: Drawn, rings: int) -> dict[str, float]:
        """The measures of a `Row` but for the direction, with curvature from `rings` rings of triangles."""
        height = self._fine.height
        found = curvature(drawn.faces, drawn.positions, radius=rings)
        there = closest_places(self._positions, drawn.faces, drawn.positions)
        back = closest_places(drawn.positions, self._fine.faces, self._positions)
        squares = _mean(there.distances**2, self._areas) + _mean(
            back.distances**2, vertex_areas(drawn.faces, drawn.positions)
        )
        return {
            "curvature": height
            * curvature_distance(found.mean, found.areas, self._curvature.mean, self._curvature.areas),
            "curvedness": height
            * curvature_distance(found.curvedness, found.areas, self._curvature.curvedness, self._curvature.areas),
            "distance": float(np.sqrt(0.5 * squares)) / height,
            "normals": _mean(_angles(there.carry(drawn.normals), self._normals), self._areas),
            "area": abs(area(drawn.faces, drawn.positions) / float(self._areas.sum()) - 1.0),
            "silhouette": difference(self._views.masks(drawn.faces, drawn.positions), self._masks),
        }

    def fold_directions(self, owners: npt.ArrayLike, count: int) -> Array:
        """The direction of the fine surface's folds in each of `count` coarse triangles, (count, 3).

        It is the main axis of Σ A (|κ_across| − |κ_along|) d dᵀ over the fine vertices that `owners` (n,) gives to the
        triangle, with d the direction of the principal curvature of smaller magnitude, κ_along. Zero in the half of the
        triangles where the mean of |κ_across| − |κ_along| is least, which are not folded, and in those without a vertex.
        """
        numbers, found = np.asarray(owners), self._curvature
        bent = found.areas * np.abs(np.abs(found.largest) - np.abs(found.smallest))
        tensors = np.zeros((count, 3, 3))
        np.add.at(tensors, numbers, bent[:, None, None] * found.along[:, :, None] * found.along[:, None, :])
        areas = np.bincount(numbers, found.areas, minlength=count)
        means = np.divide(np.trace(tensors, axis1=1, axis2=2), areas, out=np.zeros(count), where=areas > 0.0)
        axes = np.linalg.eigh(tensors).eigenvectors[:, :, 2]
        folded = (means > 0.0) & (means >= np.median(means[areas > 0.0]))
        directions: Array = np.where(folded[:, None], axes, 0.0)
        return directions


def _mean(values: Array, areas: Array) -> float:
    return float(np.average(values, weights=areas))


def _angles(normals: Array, others: Array) -> Array:
    """Degrees between vectors (k, 3)."""
    sine = np.linalg.norm(np.cross(normals, others), axis=1)
    angles: Array = np.degrees(np.arctan2(sine, np.einsum("kd,kd->k", normals, others)))
    return angles


def surfaces_of(*params: Any) -> dict[str, Any]:
    """What is compared by default, as `compare` takes it: the coarse mesh, and what the methods of `params` name.

    Of the dynamic method: with wrinkles, with wrinkles that are not thinner for being short, and with those of the
    theses' formulas alone. A name that an earlier method has is followed by that of the method. Raises ValueError for two
    parameters of one method.
    """
    surfaces: dict[str, Any] = {"coarse": None}
    methods = [method_of(each) for each in params]
    for index, method in enumerate(methods):
        if method in methods[:index]:
            raise ValueError(f"methods are compared by their names, but {method.name} is given twice")
        for name, each in method.candidates(params[index]).items():
            surfaces[f"{name} ({method.name})" if name in surfaces else name] = each
    return surfaces


class Candidate:
    """A surface over the coarse mesh, with detail or without."""

    def __init__(self, coarse: pucker.Clip, params: Any) -> None:
        """Stands at the first frame."""
        self._mesh = coarse.mesh
        self._states = None if params is None else pucker.run(coarse, params)
        self._state: Any = None
        self.advance()

    def advance(self) -> None:
        """Goes on to the next frame."""
        if self._states is not None:
            self._state = next(self._states)

    @property
    def wrinkles(self) -> list[pucker.Wrinkle]:
        """Those alive, of a method that has any."""
        return [wrinkle for wrinkle in getattr(self._state, "wrinkles", ()) if wrinkle.alive]

    @property
    def detail(self) -> Any:
        """That of the frame; None without."""
        return None if self._state is None else self._state.detail

    @property
    def count(self) -> float:
        """Of wrinkles; NaN of a method that has none."""
        has_none = self._state is not None and not hasattr(self._state, "wrinkles")
        return np.nan if has_none else len(self.wrinkles)

    @property
    def feature_size(self) -> float:
        """Length of the smallest feature there can be; infinite without detail."""
        return np.inf if self._state is None else float(self._state.detail.feature_size)

    def draw(self, samples: Samples, positions: npt.ArrayLike) -> Drawn:
        """The surface over `positions` (n, 3) of the frame."""
        state = self._state
        points = samples.of_mesh(self._mesh, positions) if state is None else samples.evaluate(state.detail)
        return Drawn(samples.faces, np.array(points.positions), np.array(points.normals))


def compare(
    fine: pucker.Clip,
    coarse: pucker.Clip,
    surfaces: Mapping[str, Any],
    *,
    every: int = 10,
) -> Iterator[Row]:
    """Measures surfaces over a coarse mesh against the fine one that it follows.

    fine: a clip whose mesh is fine enough to fold by itself.
    coarse: a clip of the same frames, as `coarsen` makes it.
    surfaces: parameters of any methods by name; None for the coarse mesh as it is.
    every: every how many frames are measured, the first one left out; all are run.

    Gives one row for each of the surfaces, frame by frame. Raises ValueError for clips of different length, for a fine
    clip without height, and for an `every` that is not positive or leaves no frame to measure.
    """
    if not fine.height > 0.0:
        raise ValueError(f"measures are shares of the fine clip's height, which must be positive, not {fine.height}")
    if len(fine) != len(coarse):
        raise ValueError(f"the clips must have the same frames, not {len(fine)} and {len(coarse)}")
    if not 0 < every < len(fine):
        raise ValueError(f"the frames measured must be 1 to {len(fine) - 1} apart, not {every}")
    fine_edge = pucker.mean_edge_length(fine.mesh, fine.positions[0])
    edge = pucker.mean_edge_length(coarse.mesh, coarse.positions[0])
    candidates = {name: Candidate(coarse, params) for name, params in surfaces.items()}
    sizes = [candidate.feature_size for candidate in candidates.values()]
    # Half of the finest detail that either side can have.
    level = int(np.ceil(edge / (0.5 * min([fine_edge, *sizes]))))
    samples = Samples(coarse.mesh, coarse.positions[0], level)
    rings = round(CURVATURE_RINGS * fine_edge * level / edge)
    views = Views(fine.positions)
    owners = closest_places(fine.positions[0], coarse.faces, coarse.positions[0]).triangles
    for frame in coarse:
        if frame.index > 0:
            for candidate in candidates.values():
                candidate.advance()
        if frame.index == 0 or frame.index % every:
            continue
        reference = Reference(fine, frame.index, views)
        folds = reference.fold_directions(owners, len(coarse.faces))
        for name, candidate in candidates.items():
            yield Row(
                triangles=len(coarse.faces),
                surface=name,
                frame=frame.index,
                time=frame.time,
                wrinkles=candidate.count,
                direction=direction_error(candidate.wrinkles, folds),
                **reference.measure(candidate.draw(samples, frame.positions), rings),
            )
