"""A detail without shaders of its own: divided into small triangles on the processor, and drawn as a plain surface."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import draw
from pucker.method import Detail

from .renderer import Mode
from .surface import Surface


class FineSurface:
    """The garment of a clip, divided as finely as its details have asked for so far.

    Args:
        clip: The clip.
        make: Makes a surface of faces (M, 3), a number of vertices and options for its triangles.
        options: Those of the coarse triangles, as `Surface` takes them.
    """

    def __init__(
        self,
        clip: Any,
        make: Callable[..., Surface],
        options: Mapping[str, Any],
    ) -> None:
        self._clip = clip
        self._make = make
        self._options = options
        self._levels = np.ones(0, np.int32)
        self._fine: pucker.Subdivision | None = None
        self._surface: Surface | None = None

    def show(self, positions: npt.ArrayLike, detail: Detail, mode: Mode, origin: Any) -> Surface:
        """The surface of a frame with what `mode` says of its detail; `origin` is that of the rest of the picture."""
        levels = pieces(self._mesh, positions, np.asarray(detail.feature_sizes))
        if self._surface is None or (levels > self._levels).any():
            self._levels = levels if self._surface is None else np.maximum(self._levels, levels)
            self._divide()
        fine, surface = self._fine, self._surface
        assert fine is not None and surface is not None  # noqa: PT018 - _divide has made both
        points = detail.evaluate(fine.triangles, fine.barycentrics)
        surface.set_positions(
            points.positions if mode & Mode.DISPLACEMENT else points.base,
            points.normals if mode & Mode.NORMALS else points.base_normals,
            origin=origin,
        )
        return surface

    def tint(self, tints: npt.NDArray[np.uint8] | None) -> None:
        """Tints of the coarse triangles (m, 4), or None."""
        if self._surface is not None and self._fine is not None:
            self._surface.set_tints(None if tints is None else tints[self._fine.source])

    @cached_property
    def _mesh(self) -> pucker.Mesh:
        return pucker.Mesh(self._clip.faces, self._clip.positions.shape[1])

    def _divide(self) -> None:
        fine = pucker.Subdivision(self._mesh, self._levels)
        options = dict(self._options)
        for name in options.keys() & {"colours", "textures"}:
            options[name] = np.asarray(options[name])[fine.source]
        if "texcoords" in options:
            options["texcoords"] = np.einsum(
                "fkc,fcd->fkd", fine.corners, np.asarray(options["texcoords"])[fine.source]
            )
        self._fine, self._surface = fine, self._make(fine.faces, len(fine.triangles), **options)


def pieces(mesh: pucker.Mesh, positions: npt.ArrayLike, sizes: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    """Pieces (e,) of each edge, short enough for the features (m,) at its triangles, but `draw.MAX_LEVEL` at most."""
    ends, sides, points = mesh.edges, mesh.triangle_edges, np.asarray(positions)
    # A collapsed triangle has no edges.
    whole = sides[:, 0] >= 0
    target = np.full(len(ends), np.inf)
    np.minimum.at(target, sides[whole], np.repeat(draw.TARGET_EDGE_SHARE * sizes[whole, None], 3, axis=1))
    lengths = np.linalg.norm(points[ends[:, 1]] - points[ends[:, 0]], axis=1)
    levels: npt.NDArray[np.int32] = np.clip(np.ceil(lengths / target), 1, draw.MAX_LEVEL).astype(np.int32)
    return levels
