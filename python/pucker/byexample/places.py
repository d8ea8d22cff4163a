"""Where deformations are in the space that a regression compares them in, point by point."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.farthest import distances_of, farthest

from .rounding import rounded_poses
from .trained import Floats, Options


class Places:
    """The frames of all clips, and the centres among them, by stretches, velocities and displacements about R points of the garment."""

    def __init__(
        self,
        mesh: "pucker.Mesh",
        rest: Floats,
        poses_of: Sequence[Floats],
        options: Options,
        *,
        points: int,
        motions: Sequence[float],
        centres: int,
        fps: float,
        guides: Sequence[Floats] = (),
        displacement: float = 0.0,
    ) -> None:
        features = byexample.Features(mesh, rest)
        self.regions = byexample.Regions(features, points)
        motion_of = _Motion(mesh, rest, features, self.regions.points, fps)
        self._stretches = np.array([features.stretch(pose) for guide in poses_of for pose in guide])
        self.velocities = np.concatenate([motion_of.velocities(guide) for guide in poses_of])
        metric = features.metric(rest[self.regions.points], falloff=options.falloff, edges=options.edges)
        rows = (slice(*metric.indptr[k : k + 2]) for k in range(len(self.regions.points)))
        self._near = [(metric.indices[row], np.sqrt(metric.data[row])) for row in rows]
        self.displacement = displacement
        self.displacements = np.zeros((len(self._stretches), 0, 3))
        if displacement > 0.0:
            displaced = _Displaced(mesh, rest, features)
            self.displacements = np.concatenate([displaced.of(*each) for each in zip(poses_of, guides, strict=True)])
            self._corners = corner_counts(metric, mesh)
        self.picked = {motion: _farthest(self._stretches, motion * self.velocities, centres) for motion in motions}
        # A file rounds the centres. Coefficients that are large, and make up for each other, are to be those of the rounded ones.
        self.poses = {motion: rounded_poses(np.concatenate(poses_of)[to])[0] for motion, to in self.picked.items()}
        self._compared = {
            motion: np.array([features.stretch(pose) for pose in each]) for motion, each in self.poses.items()
        }

    def about(self, point: int, motion: float) -> tuple[Floats, Floats]:
        """(frames, d) and (C, d): what frames and centres have about a point, whose distances are compared."""
        edges, scales = self._near[point]
        apart = self._displaced(point)
        moving = motion * self.velocities[:, point]
        to = self.picked[motion]
        place = np.concatenate([self._stretches[:, edges] * scales, moving, apart], axis=1)
        other = np.concatenate([self._compared[motion][:, edges] * scales, moving[to], apart[to]], axis=1)
        return place, other

    def distances(self, point: int, motion: float) -> Floats:
        """(frames, C) from the centres."""
        return distances_of(*self.about(point, motion))

    def _displaced(self, point: int) -> Floats:
        """(frames, k): the displacements of the vertices about the point, as they count."""
        if self.displacement == 0.0:
            return np.zeros((len(self._stretches), 0))
        corners = np.flatnonzero(self._corners[point])
        scales = self.displacement * np.sqrt(self._corners[point, corners])
        return np.asarray((scales[:, None] * self.displacements[:, corners]).reshape(len(self.displacements), -1))


class _Motion:
    """Velocities of points in their frames."""

    def __init__(
        self,
        mesh: "pucker.Mesh",
        rest: Floats,
        features: byexample.Features,
        points: npt.NDArray[np.int32],
        fps: float,
    ) -> None:
        self._surface = byexample.SmoothSurface(mesh, 0, rest)
        self._points = points
        self._scale = fps / features.mean_length

    def velocities(self, guide: Floats) -> Floats:
        """(frames, R, 3) of (frames, n, 3), in mean edge lengths a second; the first frame's are zero."""
        found = np.zeros((len(guide), len(self._points), 3))
        for frame in range(1, len(guide)):
            self._surface.step(guide[frame])
            away = (guide[frame] - guide[frame - 1])[self._points]
            found[frame] = self._scale * np.einsum("ri,rij->rj", away, self._surface.frames[self._points])
        return found


def corner_counts(metric: byexample.SparseRows, mesh: "pucker.Mesh") -> Floats:
    """(R, n): how much each vertex counts at points of a metric (R, e), half as much as its edges together."""
    found = np.zeros((metric.shape[0], mesh.vertex_count))
    rows = np.repeat(np.arange(len(found)), np.diff(metric.indptr))
    np.add.at(found, (rows[:, None], mesh.edges[metric.indices]), 0.5 * metric.data[:, None])
    return found


class _Displaced:
    """Where a mesh is beyond its guide."""

    def __init__(self, mesh: "pucker.Mesh", rest: Floats, features: byexample.Features) -> None:
        self._surface = byexample.SmoothSurface(mesh, 0, rest)
        self._length = features.mean_length

    def of(self, poses: Floats, guides: Floats) -> Floats:
        """(frames, n, 3), in the guide's frames and mean edge lengths."""
        found = np.empty_like(poses)
        for frame, (pose, guide) in enumerate(zip(poses, guides, strict=True)):
            self._surface.step(guide)
            found[frame] = self._surface.detail_of(pose) / self._length
        return found


def _farthest(stretches: Floats, velocities: Floats, count: int) -> npt.NDArray[np.intp]:
    """Up to `count` frames, each the farthest from the rest and those before it, by stretches and velocities of all."""
    moving = velocities.reshape(len(velocities), -1) * np.sqrt(stretches.shape[1] / velocities.shape[1])
    places = np.concatenate([stretches - 1.0, moving], axis=1)
    chosen, _ = farthest(
        np.square(places).sum(axis=1), lambda frame: np.square(places - places[frame]).sum(axis=1), count
    )
    return np.array(chosen)
