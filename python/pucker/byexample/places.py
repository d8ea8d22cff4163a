"""Where deformations are in the space that a regression compares them in, point by point."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.farthest import distances_of, farthest

from .trained import Floats, Options, rounded_poses


class Places:
    """The frames of all clips, and the centres among them, by stretches and velocities about R points of the garment."""

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
    ) -> None:
        features = byexample.Features(mesh, rest)
        self.regions = byexample.Regions(features, points)
        motion_of = _Motion(mesh, rest, features, self.regions.points, fps)
        self._stretches = np.array([features.stretch(pose) for guide in poses_of for pose in guide])
        self.velocities = np.concatenate([motion_of.velocities(guide) for guide in poses_of])
        metric = features.metric(rest[self.regions.points], falloff=options.falloff, edges=options.edges)
        rows = (slice(*metric.indptr[k : k + 2]) for k in range(len(self.regions.points)))
        self._near = [(metric.indices[row], np.sqrt(metric.data[row])) for row in rows]
        self.picked = {motion: _farthest(self._stretches, motion * self.velocities, centres) for motion in motions}
        # A file rounds the centres. Coefficients that are large, and make up for each other, are to be those of the rounded ones.
        self.poses = {motion: rounded_poses(np.concatenate(poses_of)[to]) for motion, to in self.picked.items()}
        self._compared = {
            motion: np.array([features.stretch(pose) for pose in each]) for motion, each in self.poses.items()
        }

    def distances(self, point: int, motion: float) -> Floats:
        """(frames, C) from the centres."""
        edges, scales = self._near[point]
        moving = motion * self.velocities[:, point]
        place = np.concatenate([self._stretches[:, edges] * scales, moving], axis=1)
        other = np.concatenate([self._compared[motion][:, edges] * scales, moving[self.picked[motion]]], axis=1)
        return distances_of(place, other)


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


def _farthest(stretches: Floats, velocities: Floats, count: int) -> npt.NDArray[np.intp]:
    """Up to `count` frames, each the farthest from the rest and those before it, by stretches and velocities of all."""
    moving = velocities.reshape(len(velocities), -1) * np.sqrt(stretches.shape[1] / velocities.shape[1])
    places = np.concatenate([stretches - 1.0, moving], axis=1)
    chosen, _ = farthest(
        np.square(places).sum(axis=1), lambda frame: np.square(places - places[frame]).sum(axis=1), count
    )
    return np.array(chosen)
