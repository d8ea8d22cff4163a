"""Waves over a mesh, and the Fourier transform of the field they make."""

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import Normalize
from matplotlib.figure import FigureBase

from .cloth import SIZE, THREE_QUARTER, View, draw_triangles, in_sight, in_view
from .figure import COLOURS, INK, Floats, drawn_in, real_array

if TYPE_CHECKING:
    import pucker
    from pucker import waves as field

# A wave lower than this share of the greatest height has no line.
_SEEN: Final = 0.02
_PADDING: Final = 8
# The part of the transform that is drawn, in lengths of the peak.
_AROUND: Final = 2.5


def waves(
    mesh: "pucker.Mesh",
    positions: npt.ArrayLike,
    planes: "field.PlaneWaves",
    *,
    view: View = THREE_QUARTER,
    figure: FigureBase | None = None,
) -> FigureBase:
    """The wave of each vertex: triangles coloured by height, and a line across the crests, as long as a wave is.

    Args:
        mesh: Of the waves.
        positions: (n, 3) of the frame; or (n, 2) for cloth in a plane, as it lies there.
        planes: Of the frame, as `State.waves`. Heights are shares of the greatest there can be, W/4; the colour of a
            triangle is the mean of its corners'. Vertices that are hidden have no line, nor have those without a wave.
        view: Where corners in space are seen from.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If they are of different meshes.
    """
    points = np.asarray(positions, dtype=np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3) or len(points) != mesh.vertex_count:
        raise ValueError(f"positions must have shape ({mesh.vertex_count}, 2) or (…, 3), not {points.shape}")
    if len(planes.amplitudes) != len(points):
        raise ValueError(f"waves must be of {len(points)} vertices as the mesh, not {len(planes.amplitudes)}")
    heights = 4.0 * np.asarray(planes.amplitudes) / np.asarray(planes.wavelengths)
    corners = points[mesh.faces]
    whole = drawn_in(figure, SIZE)
    axes = whole.subplots()
    scale = ScalarMappable(Normalize(0.0, 1.0), colormaps["YlGnBu"])
    draw_triangles(axes, corners, scale.to_rgba(heights[mesh.faces].mean(axis=1)), view)
    shown = np.flatnonzero(heights > _SEEN)
    shown = shown[in_sight(points[shown], corners, view)]
    vectors = np.asarray(planes.wave_vectors)[shown]
    # A wave is W/|k'| long in the frame, and a vector of length |k'| lies along it.
    along = vectors / np.square(np.linalg.norm(vectors, axis=1))[:, None] * np.asarray(planes.wavelengths)[shown, None]
    along = along[:, : points.shape[1]]
    ends = np.stack([points[shown] - 0.5 * along, points[shown] + 0.5 * along], axis=1)
    axes.add_collection(LineCollection(list(in_view(ends, view)), colors=INK, linewidths=0.9))
    whole.colorbar(scale, ax=axes, label="height / (W/4)", shrink=0.7)
    return whole


def spectrum(
    heights: npt.ArrayLike,
    size: tuple[float, float],
    *,
    expected: npt.ArrayLike | None = None,
    figure: FigureBase | None = None,
) -> FigureBase:
    """The Fourier transform of a height field on a plane, with its strongest peak.

    Args:
        heights: (rows, columns), at the middles of the cells of a grid: columns along x, rows along y.
        size: Of the grid along x and y.
        expected: (2,) the true wave, in cycles per length; marked by a circle, as is its opposite.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: For another shape, heights that are not finite or all the same, and a size that is not positive.
    """
    transform = _transformed(real_array(heights, (None, None), "heights"), size)
    peak = transform.peak
    whole = drawn_in(figure, (4.6, 4.2))
    axes = whole.subplots()
    axes.pcolormesh(transform.x, transform.y, transform.strength, cmap="magma", shading="nearest", rasterized=True)
    around = _AROUND * float(np.linalg.norm(peak))
    axes.set(xlim=(-around, around), ylim=(-around, around), xlabel="cycles per length along x", ylabel="along y")
    axes.set_aspect("equal")
    axes.plot(*np.stack([peak, -peak]).T, "+", color=COLOURS[5], markersize=11)
    if expected is not None:
        true = real_array(expected, (2,), "expected")
        axes.plot(*np.stack([true, -true]).T, "o", color="white", fillstyle="none", markersize=13)
    length, angle = 1.0 / np.linalg.norm(peak), np.degrees(np.arctan2(peak[1], peak[0])) + 0.0
    axes.set_title(f"strongest: length {length:.4g}, at {angle:.1f}°", fontsize="medium")
    return whole


class _Transform:
    """Strength (rows, columns) of the frequencies x (columns,), y (rows,)."""

    def __init__(self, x: Floats, y: Floats, strength: Floats) -> None:
        self.x, self.y, self.strength = x, y, strength

    @property
    def peak(self) -> Floats:
        """Frequency (2,) of the strongest, of the two opposite ones that with x > 0, or x = 0 and y > 0."""
        row, column = np.unravel_index(int(np.argmax(self.strength)), self.strength.shape)
        found = np.array([self.x[column], self.y[row]])
        return found if tuple(found) > (0.0, 0.0) else -found


def _transformed(heights: Floats, size: tuple[float, float]) -> _Transform:
    if not (np.isfinite(heights).all() and np.ptp(heights) > 0.0):
        raise ValueError("heights must be finite and not all the same")
    if not min(size) > 0.0:
        raise ValueError(f"size must be positive, not {size}")
    rows, columns = heights.shape
    window = np.hanning(rows + 2)[1:-1, None] * np.hanning(columns + 2)[None, 1:-1]
    padded = (_PADDING * rows, _PADDING * columns)
    strength = np.abs(np.fft.fftshift(np.fft.fft2((heights - heights.mean()) * window, padded)))
    x = np.fft.fftshift(np.fft.fftfreq(padded[1], size[0] / columns))
    y = np.fft.fftshift(np.fft.fftfreq(padded[0], size[1] / rows))
    return _Transform(x, y, strength)
