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
from .trained import Fine, Floats, Options
from .training import as_frames, as_single_or_double, each_detail

# Of the variance of the first detail: one that has less of its own is none.
_LEAST_VARIANCE: Final = 1e-12
# What holds the projection on details that are alike at a point, against their size there.
_PROJECTION: Final = 1e-3
# Vertices whose details are multiplied at once, so that they stay in the cache; and sums of such products, which are worked out side by side
# on any machine, so that results do not depend on its cores.
_VERTICES: Final = 512
_SUMS: Final = 4
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
        surfaces = [as_single_or_double(fine, smooth.mesh.vertex_count, "fine") for _, fine in pairs]
        # No more digits than what is learned from has.
        away = np.empty((len(self.clip_of), smooth.mesh.vertex_count, 3), np.result_type(*surfaces))
        ends = np.searchsorted(self.clip_of, np.arange(len(pairs) + 1))

        def learn(own: byexample.SmoothSurface, clip: int) -> None:
            details = each_detail(own, poses_of[clip], surfaces[clip], low_frequency=low_frequency)
            for frame, (detail, guide) in enumerate(zip(details, guides[clip], strict=True), start=ends[clip]):
                away[frame] = detail
                if folds is not None:
                    folds.take(own, frame, guide, detail)

        side_by_side(surface, learn, range(len(pairs)))
        mean = away.mean(axis=0, dtype=np.float64)
        for frame in range(len(away)):
            away[frame] -= mean
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
        products = np.zeros((len(shapes), len(self._away)))
        for begin in range(0, len(part), _VERTICES):
            block = slice(begin, begin + _VERTICES)
            near = np.take(self._away, part[block], axis=1).reshape(len(self._away), -1)
            products += weighed[:, block].reshape(len(shapes), -1) @ near.T
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
        part = np.flatnonzero(self._parts[point])
        return part, np.sqrt(self._parts[point, part] * self._areas[part])[:, None]

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
    """(R, N): the share that each point has of each fine vertex."""
    at_vertices = np.zeros((len(regions.points), regions.shares.shape[0]))
    rows = np.repeat(np.arange(at_vertices.shape[1]), np.diff(regions.shares.indptr))
    at_vertices[regions.shares.indices, rows] = regions.shares.data
    inside = loop.barycentrics
    # No row is empty: each fine vertex is in a coarse triangle, or is a coarse vertex.
    return np.array([np.add.reduceat(inside.data * each[inside.indices], inside.indptr[:-1]) for each in at_vertices])


def _components(away: Fine, areas: Floats, count: int) -> tuple[Floats, float]:
    """Up to `count` principal components (count, N, 3) of (frames, N, 3), so large that their weights are 1 in the root mean
    square, and the share of the variance they have.
    """
    frames, vertices, _ = away.shape
    rows = away.reshape(frames, 3 * vertices)
    roots = np.repeat(np.sqrt(areas), 3)
    blocks = [slice(3 * k, 3 * (k + _VERTICES)) for k in range(0, vertices, _VERTICES)]

    def products_of(some: Sequence[slice]) -> Floats:
        found = np.zeros((frames, frames))
        for block in some:
            weighed = rows[:, block] * roots[block]
            found += weighed @ weighed.T
        return found

    sums = side_by_side(lambda: None, lambda _, k: products_of(blocks[k::_SUMS]), range(_SUMS))
    values, vectors = np.linalg.eigh(np.sum(sums, axis=0))
    values, vectors = values[::-1], vectors[:, ::-1]
    total = float(np.maximum(values, 0.0).sum())
    there = int(np.count_nonzero(values > _LEAST_VARIANCE * max(values[0], 0.0))) if total > 0.0 else 0
    taken = min(count, there)
    chosen = vectors[:, :taken]
    # Eigenvectors have no sign of their own.
    chosen = chosen * np.sign(chosen[np.abs(chosen).argmax(axis=0), np.arange(taken)])
    shapes = np.concatenate(side_by_side(lambda: None, lambda _, block: chosen.T @ rows[:, block], blocks), axis=1)
    shapes = shapes.reshape(taken, vertices, 3) / np.sqrt(frames)
    return shapes, float(values[:taken].sum() / total) if total > 0.0 else 1.0
