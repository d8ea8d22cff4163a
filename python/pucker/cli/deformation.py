"""What a clip does to the lengths of a character's edges."""

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pucker

# A clip shrinks or grows the character, as where a game lets it appear, in which half of the edges are by these factors as long as
# in the bind pose.
_RESIZED: Final = (0.5, 2.0)
# Edges are as long as in the first frame that differ by less, as a share; what moves by less than this of the height does not move.
_SAME_LENGTH: Final = 1e-3
_MOVES: Final = 1e-2
# A clip that moves all of a character by less than this share of its height in a second, in the mean of its places, holds a pose
# for a moment; and holds poses if it moves more in less than this share of the moments.
_SPEED: Final = 0.02
_MOVING: Final = 0.25
# A character whose clip moves it, this share of whose triangles keep their shape, is made of rigid pieces.
RIGID: Final = 0.97


def _edges_of_triangles(clip: "pucker.Clip") -> npt.NDArray[np.int32]:
    """The two vertices of each triangle's three edges, (3 m, 2)."""
    return clip.faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2)


def _lengths(points: npt.NDArray[np.float64], edges: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Of edges between points (n, 3)."""
    along = points[edges[:, 1]] - points[edges[:, 0]]
    return np.asarray(np.sqrt(np.einsum("ei,ei->e", along, along)))


def resizes(clip: "pucker.Clip") -> bool:
    """Whether the median edge is less than half or more than twice as long in any frame as in the bind pose, else the first frame."""
    edges = _edges_of_triangles(clip)
    rest = _lengths(clip.positions[0] if clip.rest is None else clip.rest, edges)
    long = rest > 0.0
    if not long.any():
        return False
    factors = [np.median(_lengths(points, edges[long]) / rest[long]) for points in clip.positions]
    return bool(min(factors) < _RESIZED[0] or max(factors) > _RESIZED[1])


def holds_pose(clip: "pucker.Clip") -> bool:
    """Whether nothing moves in a clip."""
    moved = max((float(np.abs(points - clip.positions[0]).max(initial=0.0)) for points in clip.positions), default=0.0)
    return not moved > _MOVES * clip.height


def holds_poses(clip: "pucker.Clip") -> bool:
    """Whether a clip holds poses for most of its time, as one of somebody who sits, or that ends long after its motion does."""
    if len(clip) < 2:
        return True
    speeds = [
        float(np.linalg.norm(after - before, axis=-1).mean()) / step
        for before, after, step in zip(clip.positions, clip.positions[1:], np.diff(clip.times), strict=False)
    ]
    return bool(np.mean(np.array(speeds) > _SPEED * clip.height) < _MOVING)


def _stiff_so_far(clip: "pucker.Clip") -> Iterator[npt.NDArray[np.bool_]]:
    """(m,) whether the edges of a triangle have kept their lengths up to each frame."""
    edges, of_triangles = np.unique(np.sort(_edges_of_triangles(clip), axis=1), axis=0, return_inverse=True)
    lengths, changed = _lengths(clip.positions[0], edges), np.zeros(len(edges), bool)
    for points in clip.positions:
        changed |= np.abs(_lengths(points, edges) - lengths) > _SAME_LENGTH * lengths + 1e-6 * clip.height
        yield np.asarray(~changed[of_triangles.reshape(-1, 3)].any(axis=1))


def stiff_triangles(clip: "pucker.Clip") -> npt.NDArray[np.bool_]:
    """(m,) whether the edges of a triangle keep their lengths while the clip moves it; none if it moves nothing."""
    if holds_pose(clip):
        return np.zeros(len(clip.faces), bool)
    return deque(_stiff_so_far(clip), maxlen=1).pop()


def keeps_shape(clip: "pucker.Clip") -> bool:
    """Whether rigid pieces make up what a clip moves; looks at no more frames than it takes to tell that they do not."""
    return not holds_pose(clip) and all(float(stiff.mean()) >= RIGID for stiff in _stiff_so_far(clip))
