"""Which triangles are tessellated, how finely, and in how many draws."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from .appearance import DEFAULTS

# Every implementation offers at least this level; it is the most a triangle's edge is divided into.
MAX_LEVEL: Final[int] = DEFAULTS["surface"]["max_level"]
# Mesa's software rasteriser takes about forty times as long for a draw that generates more vertices than this.
MAX_DRAW_VERTICES: Final[int] = DEFAULTS["surface"]["max_draw_vertices"]


def edge_numbers(faces: npt.NDArray[np.uint32]) -> npt.NDArray[np.intp]:
    """Number (m, 3) of the edge from corner k to corner k + 1; triangles that share an edge share its number."""
    ends = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2).astype(np.int64)
    ends.sort(axis=1)
    # A single key sorts much faster than rows do.
    keys = ends[:, 0] * (int(faces.max(initial=0)) + 1) + ends[:, 1]
    numbers: npt.NDArray[np.intp] = np.unique(keys, return_inverse=True)[1].reshape(-1, 3)
    return numbers


def edge_twins(edges: npt.NDArray[np.intp]) -> npt.NDArray[np.uint32]:
    """Next slot 3 t + k (m, 3) of the same edge, in a ring through all triangles that share the edge."""
    numbers = edges.ravel()
    order = np.argsort(numbers, kind="stable")
    starts = np.flatnonzero(np.diff(numbers[order], prepend=-1))
    following = np.arange(1, len(order) + 1)
    following[np.append(starts[1:], len(order)) - 1] = starts
    twins = np.empty(len(order), dtype=np.uint32)
    twins[order] = order[following]
    return twins.reshape(-1, 3)


@dataclass(frozen=True)
class Patches:
    """The tessellated triangles of a frame.

    triangles (q,)
        triangle numbers: those that wrinkles reach and, so that no T-junction remains, those that share an edge with one.
    edges (q, 3)
        whether edge (k, k + 1) is divided: it is where one of its triangles is reached by a wrinkle.
    """

    triangles: npt.NDArray[np.intp]
    edges: npt.NDArray[np.bool_]


def find_patches(counts: npt.NDArray[np.uint32], edges: npt.NDArray[np.intp]) -> Patches:
    """Patches of a mesh from the number of wrinkles (m,) that reach each triangle and its edge numbers (m, 3)."""
    divided = np.zeros(int(edges.max(initial=-1)) + 1, dtype=np.bool_)
    divided[edges[counts > 0]] = True
    sides = divided[edges]
    triangles = np.flatnonzero(sides.any(axis=1))
    return Patches(triangles, sides[triangles])


def edge_levels(
    patches: Patches, faces: npt.NDArray[np.uint32], positions: npt.NDArray[np.float32], target_edge: float
) -> npt.NDArray[np.float32]:
    """Wanted tessellation level (q, 3) of each edge before the limit `MAX_LEVEL`, as the control shader computes it."""
    corners = positions[faces[patches.triangles]]
    lengths = np.linalg.norm(np.roll(corners, -1, axis=1) - corners, axis=2)
    levels = np.maximum(np.ceil(lengths / np.float32(target_edge)), np.float32(1.0))
    return np.where(patches.edges, levels, np.float32(1.0))


def vertex_counts(levels: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Vertices a patch generates at most, from the levels (q, 3) of its edges: rings of n, n - 2, … pieces a side."""
    level = np.minimum(levels.max(axis=1, initial=1.0), MAX_LEVEL).astype(np.int64)
    half = (level + 1) // 2
    counts: npt.NDArray[np.int64] = np.where(level % 2 == 0, 3 * half * (half + 1) + 1, 3 * half * half)
    return counts


def split_draws(counts: npt.NDArray[np.int64]) -> list[tuple[int, int]]:
    """Cuts triangles into draws (first, last + 1), none of which generates more than `MAX_DRAW_VERTICES` vertices.

    A single triangle that generates more is a draw of its own; draws that would generate none are left out.
    """
    draws = []
    totals = np.cumsum(counts)
    first = before = 0
    while first < len(counts):
        last = max(int(np.searchsorted(totals, before + MAX_DRAW_VERTICES, side="right")), first + 1)
        if totals[last - 1] > before:
            draws.append((first, last))
        first, before = last, int(totals[last - 1])
    return draws
