"""Numbers of a state laid over the garment as colours."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.colors import Normalize

import pucker
from pucker.method import Overlay
from pucker.quantities import Floats, Quantity, live_paths
from pucker.render import Lines

# Number of colours that distinguish paths, and of entries in a legend.
_SHADES: Final = 32
_TICKS: Final = 5
_PATH_WIDTH: Final = 3.0
# Share of its colour that a tint gives a triangle.
_SHARE: Final = 235


class QuantityOverlay(Overlay):
    """Numbers of a state laid over the garment as colours.

    Attributes:
        name: What they are.
        values: How they are found in a state.
        limits: Numbers of the first and the last colour.
        colormap: Name of a colour map of matplotlib.
    """

    name: ClassVar[str] = "quantity"

    def __init__(
        self, name: str, values: Callable[[Any], Quantity], limits: tuple[float, float], colormap: str
    ) -> None:
        self.__dict__["name"] = name
        self._values = values
        self.limits = limits
        self._norm = Normalize(*limits, clip=True)
        self._map = colormaps[colormap]

    def of(self, state: Any) -> Quantity:
        """The numbers of a state."""
        return self._values(state)

    def colours(self, values: npt.ArrayLike) -> Floats:
        """Colours (k, 3) of numbers (k,), sRGB in [0, 1]."""
        found: Floats = np.asarray(self._map(self._norm(np.asarray(values, dtype=np.float64))))[..., :3]
        return found

    def tints(self, state: Any, asked: Any) -> npt.NDArray[np.uint8] | None:  # noqa: ARG002
        """Colour (m, 4) of each triangle; of vertices' numbers that of the mean of its corners. None for paths."""
        quantity = self._values(state)
        if quantity.on == "paths":
            return None
        values = quantity.values
        if quantity.on == "vertices":
            values = values[np.asarray(state.detail.faces)].mean(axis=1)
        colours = np.rint(255.0 * self.colours(values)).astype(np.uint8)
        return np.column_stack([colours, np.full(len(colours), _SHARE, np.uint8)])

    def lines(
        self,
        state: Any,
        asked: Any,  # noqa: ARG002
        faces: npt.NDArray[np.integer],
        positions: npt.NDArray[np.floating],
    ) -> Sequence[Lines]:
        """The paths, each in its colour, above the ridges of their wrinkles."""
        quantity = self._values(state)
        if quantity.on != "paths":
            return []
        field = pucker.CompressionField(pucker.Mesh(faces, len(positions)), positions, state.stretch)
        shades = np.rint((_SHADES - 1) * np.asarray(self._norm(quantity.values))).astype(int)
        groups: dict[int, list[Floats]] = {}
        for shade, path in zip(shades.tolist(), live_paths(state), strict=True):
            curve = pucker.sample_curve(field, path)
            pieces = np.repeat(path.triangles, (len(curve.points) - 1) // len(path.triangles))
            normals = state.frames.normals[np.append(pieces, pieces[-1])]
            above = curve.points + 1.05 * curve.heights[:, None] * normals
            groups.setdefault(shade, []).append(np.stack([above[:-1], above[1:]], axis=1))
        shown = np.linspace(*self.limits, _SHADES)
        colours = self.colours(shown).tolist()
        return [Lines(np.concatenate(ends), tuple(colours[shade]), _PATH_WIDTH) for shade, ends in groups.items()]

    def legend(self) -> Sequence[tuple[str, tuple[float, float, float]]]:
        """Some of the numbers."""
        ticks = np.linspace(*self.limits, _TICKS)
        return [(f"{tick:.4g}", (r, g, b)) for tick, (r, g, b) in zip(ticks, self.colours(ticks).tolist(), strict=True)]
