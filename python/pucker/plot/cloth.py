"""Values on the triangles of a mesh, laid flat or seen in space.

The functions take corners: (m, 3, 2) of a layout, such as `unfolded(mesh, positions)` or the texture coordinates
`clip.uv[clip.stored_faces]`, or (m, 3, 3) in space, `positions[mesh.faces]`. Corners in space are seen from afar along
`view`, (azimuth, elevation) in degrees as in `pucker.render.VIEWS`, and the nearer triangles hide those behind.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colorbar import Colorbar
from matplotlib.colors import CenteredNorm, Normalize, to_hex, to_rgba, to_rgba_array
from matplotlib.figure import FigureBase
from matplotlib.patches import Patch

from pucker._core import LABEL_TINTS, Label

from .figure import FAINT, INK, Floats, drawn_in, real_array
from .painter import facing, from_behind, painted

if TYPE_CHECKING:
    import pucker

View = tuple[float, float]

THREE_QUARTER: Final[View] = (35.0, 12.0)
# Compress, rest, stretch: the tints of the drawn overlay, opaque.
LABEL_COLOURS: Final = tuple(to_hex(tint) for tint in LABEL_TINTS[:, :3] / 255.0)
# What stands behind ellipses and paths.
CLOTH: Final = "#f3f3f4"
LABEL_NAMES: Final = tuple(label.name for label in Label)
SIZE: Final = (4.6, 5.0)
_CIRCLE_POINTS: Final = 32
# An undeformed triangle's circle fills this share of its incircle, so that neighbours' ellipses stay apart.
_CIRCLE_SHARE: Final = 0.7


def labels(
    corners: npt.ArrayLike,
    labels: npt.ArrayLike,
    *,
    view: View = THREE_QUARTER,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Triangles coloured by label: red 0 compress, grey 1 rest, blue 2 stretch.

    The legend counts the triangles that are in sight; laid flat, all are.

    Args:
        corners: (m, 3, 2) or (m, 3, 3).
        labels: (m,) 0, 1 or 2.
        view: Where corners in space are seen from.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: For another shape or number.
    """
    shapes = checked_corners(corners)
    numbers = real_array(labels, (len(shapes),), "labels")
    wrong = np.flatnonzero(~np.isin(numbers, (0, 1, 2)))
    if len(wrong):
        raise ValueError(f"labels must be 0, 1 or 2, but triangle {wrong[0]} has {numbers[wrong[0]]:g}")
    whole = drawn_in(figure, SIZE)
    axes = whole.subplots()
    draw_triangles(axes, shapes, to_rgba_array(LABEL_COLOURS)[numbers.astype(int)], view)
    seen = in_sight(shapes.mean(axis=1), shapes, view)
    handles = [
        Patch(color=colour, label=f"{name} ({np.sum(seen & (numbers == label))})")
        for label, (colour, name) in enumerate(zip(LABEL_COLOURS, LABEL_NAMES, strict=True))
    ]
    legend_below(whole, handles)
    return whole


def triangles(
    corners: npt.ArrayLike,
    values: npt.ArrayLike,
    *,
    name: str,
    limits: tuple[float, float] | None = None,
    marks: Mapping[str, float] | None = None,
    colormap: str = "magma_r",
    view: View = THREE_QUARTER,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Triangles coloured by a number each, with a bar that says which colour means what.

    Args:
        corners: (m, 3, 2) or (m, 3, 3).
        values: (m,) finite numbers.
        name: What they are, written at the bar.
        limits: Numbers of the first and the last colour, by default the least and the largest value.
        marks: Numbers that the bar marks, by what is written there, as ``{"1": 1.0, "τ": params.threshold}`` for
            compression.
        colormap: Name of a colour map of matplotlib.
        view: Where corners in space are seen from.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: For another shape, a value that is not finite, limits that do not rise, or a mark beyond them.
    """
    shapes = checked_corners(corners)
    numbers = real_array(values, (len(shapes),), "values")
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if len(wrong):
        raise ValueError(f"values must be finite, but triangle {wrong[0]} has {numbers[wrong[0]]}")
    if limits is not None and not limits[0] < limits[1]:
        raise ValueError(f"limits must rise, not go from {limits[0]:g} to {limits[1]:g}")
    low, high = limits or (float(numbers.min(initial=np.inf)), float(numbers.max(initial=-np.inf)))
    scale = ScalarMappable(Normalize(low, high) if low <= high else Normalize(0.0, 1.0), colormaps[colormap])
    whole = drawn_in(figure, SIZE)
    axes = whole.subplots()
    draw_triangles(axes, shapes, scale.to_rgba(numbers), view)
    beyond = "min" if numbers.min(initial=low) < low else "neither"
    if numbers.max(initial=high) > high:
        beyond = "max" if beyond == "neither" else "both"
    bar = whole.colorbar(scale, ax=axes, label=name, shrink=0.7, extend=beyond)
    _mark(bar, marks or {})
    return whole


def ellipses(
    corners: npt.ArrayLike,
    frames: "pucker.LocalFrames",
    stretch: "pucker.Stretch",
    *,
    strongest: float = 1.5,
    threshold: float | None = None,
    view: View = THREE_QUARTER,
    figure: FigureBase | None = None,
) -> FigureBase:
    """The stretch of each triangle as the ellipse that it makes of a circle of the reference.

    The long axis lies along a_max and is as many times the circle's diameter as λ_max, the short one along a_min likewise
    (Gillette 2015, figure 3.2c). Red is compression, blue stretch, whichever of the two is the larger as a ratio.

    Args:
        corners: (m, 3, 2) or (m, 3, 3).
        frames: Local frames of the current triangles, as `State.frames`.
        stretch: From the reference to these, as `State.stretch` or `State.motion`.
        strongest: Stretch or compression from which a colour is full; above 1.
        threshold: Compression τ from which cloth wrinkles, `Params.threshold`; the bar marks λ_min = 1/τ.
        view: Where corners in space are seen from.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If they are of different meshes, and for a threshold beyond `strongest`.
    """
    shapes = checked_corners(corners)
    for count, owner in ((len(frames.areas), "frames"), (len(stretch.minimum), "stretch")):
        if count != len(shapes):
            raise ValueError(f"{owner} must be of {len(shapes)} triangles as the corners, not {count}")
    outlines = ellipse_outlines(shapes, frames, stretch)
    if not strongest > 1.0:
        raise ValueError(f"strongest must be above 1, not {strongest}")
    change = _change(stretch)
    scale = ScalarMappable(CenteredNorm(halfrange=np.log(strongest)), colormaps["RdBu"])
    whole = drawn_in(figure, SIZE)
    axes = whole.subplots()
    paper = np.tile(to_rgba(CLOTH), (len(shapes), 1))
    draw_triangles(axes, shapes, paper, view, outlines, scale.to_rgba(change))
    bar = whole.colorbar(scale, ax=axes, label="λ_min or λ_max", shrink=0.7, extend="both")
    marks = strongest ** np.linspace(-1.0, 1.0, 5)
    bar.set_ticks(np.log(marks).tolist(), labels=[f"{mark:.2f}" for mark in marks])
    _mark(bar, {"1": 0.0} if threshold is None else {"1": 0.0, "1/τ": -float(np.log(threshold))})
    return whole


def ellipse_outlines(corners: Floats, frames: "pucker.LocalFrames", stretch: "pucker.Stretch") -> Floats:
    """Outlines (m, 32, d) of the ellipses on corners (m, 3, d); a triangle without area has a point."""
    angle = 2.0 * np.pi * np.arange(_CIRCLE_POINTS) / _CIRCLE_POINTS
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    whole = np.flatnonzero(frames.areas > 0.0)
    # What takes vectors of the local frame to the layout, which need not keep lengths (texture coordinates do not).
    edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)[whole]
    embedding = edges @ np.linalg.inv(frames.matrices[whole])
    principal = np.stack([stretch.maximum, stretch.minimum], axis=1)[whole]
    ellipse = np.einsum("mik,mk,pk->mpi", stretch.left[whole], principal, circle)
    first, second = frames.matrices[whole, :, 0], frames.matrices[whole, :, 1]
    sides = np.linalg.norm(np.stack([first, second, second - first]), axis=2).sum(axis=0)
    inradius = 2.0 * frames.areas[whole] / sides
    centres = corners.mean(axis=1)
    outlines = np.repeat(centres[:, None], _CIRCLE_POINTS, axis=1)
    outlines[whole] += _CIRCLE_SHARE * inradius[:, None, None] * np.einsum("mdi,mpi->mpd", embedding, ellipse)
    return outlines


def in_view(points: Floats, view: View) -> Floats:
    """Points (…, d) as they are drawn, (…, 2)."""
    return points if points.shape[-1] == 2 else (points @ _axes_of(view).T)[..., :2]


def in_sight(points: Floats, corners: Floats, view: View) -> npt.NDArray[np.bool_]:
    """Whether points (k, d) are hidden by none of the triangles with these corners (m, 3, d); (k,).

    In the plane all are in sight. A point on a triangle is not hidden by it.
    """
    seen = np.ones(len(points), dtype=bool)
    if corners.shape[2] == 2 or len(points) == 0:
        return seen
    axes = _axes_of(view)
    order = np.argsort(points @ axes[0], kind="stable")
    across, up, depth = axes @ points[order].T
    local = corners @ axes.T
    margin = 1e-9 * float(np.ptp(corners, axis=(0, 1)).max())
    first = np.searchsorted(across, local[:, :, 0].min(axis=1))
    last = np.searchsorted(across, local[:, :, 0].max(axis=1), side="right")
    for (a, b, c), start, end in zip(local, first, last, strict=True):
        edges = np.stack([b[:2] - a[:2], c[:2] - a[:2]], axis=1)
        area = np.linalg.det(edges)
        if start == end or area == 0.0:
            continue
        near = slice(start, end)
        from_a = np.stack([across[near] - a[0], up[near] - a[1]])
        second, third = np.array([[edges[1, 1], -edges[0, 1]], [-edges[1, 0], edges[0, 0]]]) @ from_a / area
        above = a[2] + second * (b[2] - a[2]) + third * (c[2] - a[2])
        seen[order[near]] &= ~((second >= 0) & (third >= 0) & (second + third <= 1) & (above > depth[near] + margin))
    return seen


def legend_below(figure: FigureBase, handles: Sequence[Artist]) -> None:
    """One line of legend below the axes."""
    figure.legend(
        handles=list(handles),
        loc="outside lower center",
        ncols=len(handles),
        frameon=False,
        fontsize="small",
        columnspacing=0.8,
        handlelength=1.2,
    )


def _mark(bar: Colorbar, marks: Mapping[str, float]) -> None:
    """Lines across a colour bar, with what they are on its left. Raises ValueError for one that lies beyond it."""
    low, high = bar.ax.get_ylim()
    for name, value in marks.items():
        if not low <= value <= high:
            raise ValueError(f"mark {name!r} must lie on the bar, in [{low:g}, {high:g}], not at {value:g}")
        bar.ax.axhline(value, color=INK, linewidth=1.2)
        bar.ax.annotate(
            name,
            (0.0, value),
            (-3.0, 0.0),
            textcoords="offset points",
            xycoords=bar.ax.get_yaxis_transform(),
            ha="right",
            va="center",
            fontsize="small",
            color=INK,
        )


def _change(stretch: "pucker.Stretch") -> Floats:
    """Logarithm of that principal stretch (m,) which is farther from 1; 0 for a triangle that has collapsed."""
    least = np.log(np.maximum(stretch.minimum, 1e-6))
    most = np.log(np.maximum(stretch.maximum, 1e-6))
    change = np.where(-least > most, least, most)
    return np.where(stretch.minimum > 1e-6, change, 0.0)


def checked_corners(corners: npt.ArrayLike) -> Floats:
    """The corners as float64; ValueError for another shape and for what is not finite."""
    array = np.asarray(corners, dtype=np.float64)
    if array.ndim != 3 or array.shape[1] != 3 or array.shape[2] not in (2, 3):
        raise ValueError(f"corners must have shape (m, 3, 2) or (m, 3, 3), not {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError("corners must be finite")
    return array


def _axes_of(view: View) -> Floats:
    """Right, up and towards the viewer, rows of (3, 3)."""
    azimuth, elevation = np.radians(view)
    back = np.array([np.sin(azimuth) * np.cos(elevation), np.sin(elevation), np.cos(azimuth) * np.cos(elevation)])
    right = np.array([np.cos(azimuth), 0.0, -np.sin(azimuth)])
    return np.stack([right, np.cross(back, right), back])


def draw_triangles(
    axes: Axes,
    corners: Floats,
    colours: Floats,
    view: View,
    outlines: Floats | None = None,
    outline_colours: Floats | None = None,
) -> None:
    """Draws triangles, each followed by its outline; in space those that face away have none."""
    order = np.arange(len(corners))
    shown = np.ones(len(corners), dtype=bool)
    flat, flat_outlines = corners, outlines
    if corners.shape[2] == 3:
        seen = _axes_of(view)
        local = corners @ seen.T
        order = from_behind(corners, seen[2])
        towards = facing(corners, seen[2])
        shown = towards > 0.0
        colours = colours * np.stack([0.72 + 0.28 * np.abs(towards)] * 3 + [np.ones(len(corners))], axis=1)
        flat = local[:, :, :2]
        flat_outlines = None if outlines is None else in_view(outlines, view)
    polygons, fills, borders = [], [], []
    for triangle in order:
        polygons.append(flat[triangle])
        fills.append(colours[triangle])
        borders.append(to_rgba(INK, 0.3))
        if flat_outlines is not None and outline_colours is not None and shown[triangle]:
            polygons.append(flat_outlines[triangle])
            fills.append(outline_colours[triangle])
            borders.append(to_rgba(FAINT, 0.0))
    axes.add_collection(painted(polygons, fills, borders, 0.4))
    axes.set_aspect("equal")
    axes.margins(0.02)
    axes.autoscale_view()
    axes.set_axis_off()
