"""What the weights of details are learned from, point by point, and how well a prediction of them is."""

from collections.abc import Sequence
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.areas import vertex_shares

from .judged import Judged, LongFolds, of_weights
from .places import Places
from .side_by_side import side_by_side
from .trained import Floats, Options
from .training import as_frames, details_of

# Of the variance of the first detail: one that has less of its own is none.
_LEAST_VARIANCE: Final = 1e-12
# What holds the projection on details that are alike at a point, against their size there.
_PROJECTION: Final = 1e-3
# Vertices whose details are multiplied with each other at once.
_VERTICES: Final = 2048
# Parts of a clip that are left out in turn where there is no other clip to learn from.
QUARTERS: Final = 4


class Targets:
    """Frames of a garment's clips: where they are about each of R points, and which weights of P details they have there.

    The details are the mean of all frames and the principal components of what is left, by area.
    """

    def __init__(
        self,
        mesh: "pucker.Mesh",
        clips: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]],
        *,
        others: Sequence[tuple[npt.ArrayLike, npt.ArrayLike]] = (),
        balances: Sequence[npt.ArrayLike] = (),
        rest: npt.ArrayLike,
        levels: int,
        fps: float,
        details: int,
        centres: int,
        points: int,
        motions: Sequence[float],
        displacement: float,
        low_frequency: Literal["keep", "remove"],
        options: Options,
    ) -> None:
        """Arguments are those of `regress`.

        Raises ValueError for no clips or frames, shapes that do not fit, and a displacement that is negative, not finite or without
        balances.
        """
        if not clips:
            raise ValueError("a regression needs at least one clip")
        at_rest = np.asarray(rest, dtype=np.float64)

        def surface() -> byexample.SmoothSurface:
            return byexample.SmoothSurface(mesh, levels, at_rest)

        smooth = surface()
        self._areas = vertex_shares(smooth.mesh.faces, smooth.positions)
        pairs = [*clips, *others]
        _check_balances(balances, len(pairs), displacement)
        guides = [as_frames(coarse, mesh.vertex_count, "coarse") for coarse, _ in pairs]
        poses_of = [as_frames(each, mesh.vertex_count, "balances") for each in balances] or guides
        self.clip_of: Final = np.repeat(np.arange(len(poses_of)), [len(guide) for guide in poses_of])
        """(frames,) which of clips and others each frame is of."""
        own = self.clip_of[self.clip_of < len(clips)]
        self.groups: Final = own if len(clips) > 1 else QUARTERS * np.arange(len(own)) // max(len(own), 1)
        """(frames of clips,) which of them are left out together: those of a clip, or of a quarter of a single one."""
        if not len(self.clip_of):
            raise ValueError("a regression needs at least one frame")
        folds = LongFolds(surface, poses_of) if balances else None
        # Vertices first, so that what is taken about a point lies together.
        away = np.empty((smooth.mesh.vertex_count, 3, len(self.clip_of)))
        ends = np.searchsorted(self.clip_of, np.arange(len(pairs) + 1))

        def learn(own: byexample.SmoothSurface, clip: int) -> None:
            found = details_of(own, poses_of[clip], pairs[clip][1], low_frequency=low_frequency)
            away[:, :, ends[clip] : ends[clip + 1]] = found.transpose(1, 2, 0)
            if folds is not None:
                folds.take(own, clip, guides[clip], found)

        side_by_side(surface, learn, range(len(pairs)))
        mean = away.mean(axis=2)
        away -= mean[:, :, None]
        self.mean: Final = mean
        """(N, 3) detail 0."""
        shapes, kept = _components(away, self._areas, details - 1)
        self.shapes: Final = shapes
        """(P − 1, N, 3) the others, of which a frame has 1 in the root mean square."""
        self.kept: Final = kept
        """Share of the variance that they can show."""
        self.places: Final = Places(
            mesh,
            at_rest,
            poses_of,
            options,
            points=points,
            motions=motions,
            centres=centres,
            fps=fps,
            guides=guides,
            displacement=displacement,
        )
        self._away = away
        self._parts = _parts(smooth.subdivision, self.places.regions)
        if folds is not None:
            folds.finish(mean, shapes)
        self._folds = folds

    def spread(self, most: int) -> list[int]:
        """At most so many of the points, evenly taken: predictions at them agree with those at all."""
        count = len(self.places.regions.points)
        return [int(point) for point in np.unique(np.linspace(0, count - 1, min(count, most)).astype(int))]

    def wanted(self, point: int) -> Floats:
        """(frames, P − 1) weights of the details about the point: by least squares over its part of the surface."""
        shapes, squares = self._there(point)
        part, roots = self._part(point)
        hold = _PROJECTION * np.trace(squares) / max(len(squares), 1)
        if not hold > 0.0:
            return np.zeros((len(self.clip_of), len(shapes)))
        weighed = shapes.reshape(len(shapes), len(part), 3) * roots
        products = weighed.reshape(shapes.shape) @ self._away[part].reshape(3 * len(part), -1)
        weights: Floats = np.linalg.solve(squares + hold * np.eye(len(squares)), products).T
        return weights

    def judged(self, point: int, wanted: Floats) -> Judged:
        """How weights about the point are judged: by long folds, with balances, else by the weights' own size."""
        if self._folds is not None:
            return self._folds.at(wanted, *self._part(point))
        return of_weights(wanted, self._there(point)[1])

    def beside(
        self, points: Sequence[int], again: Sequence[npt.ArrayLike]
    ) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Of each group, about these points: how the balances alone agree with the cloth, and how cloth that began otherwise
        (k, N, 3) in the first k frames of each clip does. Both empty without balances, the second without such cloth.
        """
        if self._folds is None:
            return (), ()
        parts = [self._part(point) for point in points]
        untaught = self._folds.agreement(*self._folds.carried, parts, self.groups)
        ceiling = self._folds.agreement(*self._folds.again(again), parts, self.groups) if again else ()
        return untaught, ceiling

    def _part(self, point: int) -> tuple[npt.NDArray[np.intp], Floats]:
        """Fine vertices (k,) that the point has a share of, and the roots (k, 1) of that by area."""
        part = np.flatnonzero(self._parts[:, point])
        return part, np.sqrt(self._parts[part, point] * self._areas[part])[:, None]

    def _there(self, point: int) -> tuple[Floats, Floats]:
        """(P − 1, 3 k) the details over the part of the point, and (P − 1, P − 1) by which squares of weights count."""
        part, roots = self._part(point)
        shapes = (self.shapes[:, part] * roots).reshape(len(self.shapes), 3 * len(part))
        return shapes, shapes @ shapes.T


def _check_balances(balances: Sequence[npt.ArrayLike], pairs: int, displacement: float) -> None:
    if balances and len(balances) != pairs:
        raise ValueError(f"there must be a balance of each of {pairs} clips, not {len(balances)}")
    if not (np.isfinite(displacement) and displacement >= 0.0):
        raise ValueError(f"what a displacement counts must be finite and at least 0, not {displacement}")
    if displacement > 0.0 and not balances:
        raise ValueError(
            "where displacements count, there must be balances, which are displaced from the coarse positions"
        )


def _parts(loop: byexample.LoopSubdivision, regions: byexample.Regions) -> Floats:
    """(N, R): the share that each point has of each fine vertex."""
    at_vertices = np.zeros((regions.shares.shape[0], len(regions.points)))
    rows = np.repeat(np.arange(len(at_vertices)), np.diff(regions.shares.indptr))
    at_vertices[rows, regions.shares.indices] = regions.shares.data
    inside = loop.barycentrics
    # No row is empty: each fine vertex is in a coarse triangle, or is a coarse vertex.
    found: Floats = np.add.reduceat(inside.data[:, None] * at_vertices[inside.indices], inside.indptr[:-1], axis=0)
    return found


def _components(away: Floats, areas: Floats, count: int) -> tuple[Floats, float]:
    """Up to `count` principal components (count, N, 3) of (N, 3, frames), so large that their weights are 1 in the root mean
    square, and the share of the variance they have.
    """
    vertices, _, frames = away.shape
    products = np.zeros((frames, frames))
    for begin in range(0, vertices, _VERTICES):
        block = slice(begin, begin + _VERTICES)
        rows = (away[block] * np.sqrt(areas[block])[:, None, None]).reshape(-1, frames)
        products += rows.T @ rows
    values, vectors = np.linalg.eigh(products)
    values, vectors = values[::-1], vectors[:, ::-1]
    total = float(np.maximum(values, 0.0).sum())
    there = int(np.count_nonzero(values > _LEAST_VARIANCE * max(values[0], 0.0))) if total > 0.0 else 0
    taken = min(count, there)
    chosen = vectors[:, :taken]
    # Eigenvectors have no sign of their own.
    chosen = chosen * np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(taken)])
    shapes = (away.reshape(3 * vertices, frames) @ chosen).T.reshape(taken, vertices, 3) / np.sqrt(frames)
    return shapes, float(values[:taken].sum() / total) if total > 0.0 else 1.0
