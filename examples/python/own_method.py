"""A method of one's own, judged by truths beside pucker's.

    python examples/python/own_method.py data/truths/sleeve-shirt.npz data/truths/knee-coat.npz

The method here is as simple as one can be: cloth that is compressed bulges outwards. All that is asked of it is a detail for each frame
of the truth's clip, which says where points of the coarse mesh have gone. It is then measured as all methods are, beside controls that
know nothing of folds and another simulation of the same sheet. Needs the extras pucker[metrics,render].
"""

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

import pucker
from pucker import compare
from pucker.areas import vertex_areas
from pucker.method import SurfacePoints, points_of_mesh
from pucker.metrics import Truth

STRENGTH = 0.3


class Bulge:
    """The detail of one frame: vertices go along their normals by `heights` (n,), points between them by what lies between."""

    def __init__(self, mesh: pucker.Mesh, positions: npt.NDArray[np.float64], heights: npt.NDArray[np.float64]) -> None:
        self._mesh, self._positions, self._heights = mesh, positions, heights

    def evaluate(self, triangles: npt.ArrayLike, barycentrics: npt.ArrayLike) -> SurfacePoints:
        """Points (N,) of the coarse mesh."""
        base = points_of_mesh(self._mesh, self._positions, triangles, barycentrics)
        corners = self._heights[self._mesh.faces[np.asarray(triangles)]]
        offsets = np.einsum("nc,nc->n", corners, np.asarray(barycentrics))
        return SurfacePoints(base.base, base.base_normals, offsets[:, None] * base.base_normals, base.base_normals)


def bulges(clip: pucker.Clip) -> Iterator[Bulge]:
    """A detail for each frame of the clip: vertices rise by a share of their distance where they have lost area."""
    rest = vertex_areas(clip.faces, clip.positions[0] if clip.rest is None else clip.rest)
    for positions in clip.positions:
        lost = np.maximum(0.0, 1.0 - vertex_areas(clip.faces, positions) / rest)
        yield Bulge(clip.mesh, positions, STRENGTH * np.sqrt(rest) * lost)


def main(files: Sequence[Path]) -> list[compare.Against]:
    """Judges it on truths, beside draped cloth; prints means over the bands that are judged by place, and over the others."""
    rows: list[compare.Against] = []
    for file in files:
        truth = Truth.load(file)
        rows += compare.against(
            truth, {"bulges": bulges, "draped": pucker.drape.Params()}, takes=compare.takes_of(truth, file)
        )
    print(compare.overall_table(rows))
    print(compare.statistics_table(rows))
    return rows


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit("usage: own_method.py TRUTH.npz…")
    main([Path(each) for each in sys.argv[1:]])
