"""How sharply the paths of wrinkles bend, as they are drawn."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker

Array = npt.NDArray[np.float64]

# Places at which the drawn curve of a segment is read.
_SAMPLES: Final = 8
# A fold narrower than that cannot turn within less than about its width.
_WIDTHS: Final = 3.0


def sharpest_bends(
    wrinkles: Sequence[pucker.Wrinkle], faces: npt.ArrayLike, positions: npt.ArrayLike, *, widths: float = _WIDTHS
) -> Array:
    """By how many degrees each path turns at most within so many of its widths, (k,).

    The surface is laid flat triangle by triangle along the path, so that a path round a sleeve is straight. It is the drawn
    curve that counts: a cubic over each segment, whose tangent at a point halves the angle there. The width is the largest
    along the path. Turns to one side and the other cancel, so that this is the largest difference of two headings.

    `faces`: (m, 3), `positions`: (n, 3) of the frame that the wrinkles are of. Raises ValueError unless `widths` is positive.
    """
    if not widths > 0.0:
        raise ValueError(f"widths must be positive, not {widths}")
    triangles = np.asarray(faces, dtype=np.int64)
    places = np.asarray(positions, dtype=np.float64)
    return np.array([_sharpest(wrinkle, triangles, places, widths) for wrinkle in wrinkles], dtype=np.float64)


def _sharpest(wrinkle: pucker.Wrinkle, faces: npt.NDArray[np.int64], positions: Array, widths: float) -> float:
    steps = np.diff(wrinkle.points, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    headings = _headings(wrinkle, steps, faces, positions)
    middles, turned = _drawn(headings, lengths)
    reach = widths * float(wrinkle.knot_widths.max())
    worst = 0.0
    for first, begin in enumerate(middles):
        last = int(np.searchsorted(middles, begin + reach, side="right"))
        worst = max(worst, float(np.ptp(turned[first:last])))
    return float(np.degrees(worst))


def _headings(wrinkle: pucker.Wrinkle, steps: Array, faces: npt.NDArray[np.int64], positions: Array) -> Array:
    """Heading of each segment against the first one's, radians to the left of the first triangle."""
    out = np.zeros(len(steps))
    side = 1.0  # -1 where the next triangle is seen from the other side
    for i in range(1, len(steps)):
        a, b = wrinkle.vertices[i]
        here, there = faces[wrinkle.triangles[i - 1]], faces[wrinkle.triangles[i]]
        along = (positions[b] - positions[a]) / np.linalg.norm(positions[b] - positions[a])
        before, after = steps[i - 1], steps[i]
        across = before - (before @ along) * along
        beyond = after - (after @ along) * along
        # A path that touches an edge and turns back stays on its side.
        inward = (
            float(beyond @ across) / float(np.linalg.norm(across)) if (here == there).all() else np.linalg.norm(beyond)
        )
        normal = np.cross(positions[here[1]] - positions[here[0]], positions[here[2]] - positions[here[0]])
        left = np.sign(along @ np.cross(normal, across))
        turn = np.arctan2(after @ along, inward) - np.arctan2(before @ along, np.linalg.norm(across))
        out[i] = out[i - 1] + side * left * ((turn + np.pi) % (2 * np.pi) - np.pi)
        if not (here == there).all() and _runs(here, a, b) == _runs(there, a, b):
            side = -side
    return out


def _runs(face: npt.NDArray[np.int64], a: int, b: int) -> bool:
    """Whether the corners of a triangle run from a to b."""
    return bool(face[(int(np.flatnonzero(face == a)[0]) + 1) % 3] == b)


def _drawn(headings: Array, lengths: Array) -> tuple[Array, Array]:
    """Arc lengths along the drawn curve and its headings there."""
    units = np.stack([np.cos(headings), np.sin(headings)], axis=1)
    ends = np.concatenate([units[:1], units[:-1] + units[1:], units[-1:]])
    sizes = np.linalg.norm(ends, axis=1, keepdims=True)
    straight = np.concatenate([units[:1], units])
    tangents = np.where(sizes > 1e-9, ends / np.maximum(sizes, 1e-9), straight)
    third = lengths[:, None] / 3.0
    start = np.concatenate([np.zeros((1, 2)), np.cumsum(lengths[:, None] * units, axis=0)])
    corners = np.stack(
        [start[:-1], start[:-1] + third * tangents[:-1], start[1:] - third * tangents[1:], start[1:]], axis=1
    )
    u = np.arange(_SAMPLES)[:, None] / _SAMPLES
    weights = np.concatenate([(1 - u) ** 3, 3 * u * (1 - u) ** 2, 3 * u**2 * (1 - u), u**3], axis=1)
    points = np.concatenate([np.einsum("uc,scx->sux", weights, corners).reshape(-1, 2), start[-1:]])
    ways = np.diff(points, axis=0)
    sizes = np.linalg.norm(ways, axis=1)
    ways, sizes = ways[sizes > 1e-9 * sizes.sum()], sizes[sizes > 1e-9 * sizes.sum()]
    return np.cumsum(sizes) - 0.5 * sizes, np.unwrap(np.arctan2(ways[:, 1], ways[:, 0]))
