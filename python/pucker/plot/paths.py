"""Paths on the cloth and over time."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib import colormaps
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import Normalize, to_rgba
from matplotlib.figure import FigureBase
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from pucker.kinds import kind_of

from .cloth import CLOTH, SIZE, THREE_QUARTER, View, checked_corners, draw_triangles, in_sight, in_view, legend_below
from .figure import COLOURS, FAINT, Floats, drawn_in, plain_axes

if TYPE_CHECKING:
    import pucker

Edge = tuple[int, int]

_COLORMAP: Final = "viridis"
_LIVING: Final = COLOURS[0]
_DYING: Final = COLOURS[-1]
_LENGTHS: Final = "YlGnBu"


def paths(
    corners: npt.ArrayLike,
    faces: npt.ArrayLike,
    wrinkles: "Sequence[pucker.Wrinkle]",
    *,
    view: View = THREE_QUARTER,
    figure: FigureBase | None = None,
) -> FigureBase:
    """The paths of wrinkles on the cloth: blue while they live, grey while they die; those that are gone are left out.

    The legend counts the paths of which a segment is in sight; laid flat, all are.

    Args:
        corners: (m, 3, 2) or (m, 3, 3).
        faces: (m, 3) vertices of the triangles, `mesh.faces`, which place a path in its triangles.
        wrinkles: Those of a frame, as `State.wrinkles`.
        view: Where corners in space are seen from.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: For another shape, and for a wrinkle that does not lie on these faces.
    """
    shapes = checked_corners(corners)
    vertices = np.asarray(faces)
    if vertices.shape != (len(shapes), 3):
        raise ValueError(f"faces must have shape ({len(shapes)}, 3) as the corners, not {vertices.shape}")
    whole = drawn_in(figure, SIZE)
    axes = whole.subplots()
    draw_triangles(axes, shapes, np.tile(to_rgba(CLOTH), (len(shapes), 1)), view)
    handles = []
    for alive, (name, shade) in ((True, ("living", _LIVING)), (False, ("dying", _DYING))):
        drawn = [
            segments[in_sight(segments.mean(axis=1), shapes, view)]
            for segments in (path_segments(w, vertices, shapes) for w in wrinkles if w.alive == alive and not w.gone)
        ]
        lines = LineCollection([], colors=shade, linewidths=1.6, capstyle="round")
        lines.set_segments([ends for segments in drawn for ends in in_view(segments, view)])
        axes.add_collection(lines)
        handles.append(Line2D([], [], color=shade, label=f"{name} ({sum(len(segments) > 0 for segments in drawn)})"))
    legend_below(whole, handles)
    return whole


def path_segments(wrinkle: "pucker.Wrinkle", faces: npt.NDArray[Any], corners: Floats) -> Floats:
    """The ends (k−1, 2, d) of a path's segments on triangles with these corners (m, 3, d).

    Raises ValueError if a segment's triangle has not the vertices of its ends.
    """
    triangles = np.asarray(wrinkle.triangles)
    if (triangles >= len(faces)).any():
        raise ValueError(f"wrinkle {wrinkle.id} lies in triangle {triangles.max()} of another mesh")
    ends = []
    for at in (slice(None, -1), slice(1, None)):
        first, second = (faces[triangles] == wrinkle.vertices[at, end, None] for end in (0, 1))
        if not (first.any(axis=1) & second.any(axis=1)).all():
            raise ValueError(f"wrinkle {wrinkle.id} lies on another mesh than these faces")
        t, depth = wrinkle.t[at, None], wrinkle.depth[at, None]
        weights = np.where(first, (1 - depth) * t, np.where(second, (1 - depth) * (1 - t), depth))
        ends.append(np.einsum("kc,kcd->kd", weights, corners[triangles]))
    return np.stack(ends, axis=1)


def path_strip(
    states: Sequence["pucker.State"],
    wrinkle: int,
    *,
    figure: FigureBase | None = None,
) -> FigureBase:
    """The space-time strip of one path: a column a frame, a row an edge that it crosses, the colour its t there.

    Rows are in the order in which the path crosses the edges; t counts from the edge's vertex of the smaller number. A
    band that drifts through the colours slides along its edge; one that ends where another begins has passed a vertex.

    Args:
        states: Of consecutive frames.
        wrinkle: Id of the path.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If no state has it.
        TypeError: For states of another method than the dynamic one.
    """
    edges, strip = strip_of(states, wrinkle)
    times = np.array([state.time for state in states])
    whole = drawn_in(figure, (6.4, 0.9 + max(2.0, 0.14 * len(edges))))
    axes = plain_axes(whole.subplots(), x="time [s]", y="edge (v0, v1)")
    axes.grid(visible=False)
    axes.pcolormesh(_borders(times), np.arange(len(edges) + 1), strip, cmap=_COLORMAP, vmin=0.0, vmax=1.0)
    axes.set_yticks(np.arange(len(edges)) + 0.5, [f"{first}, {second}" for first, second in edges], fontsize="x-small")
    axes.set_title(f"wrinkle {wrinkle}", fontsize="medium")
    whole.colorbar(ScalarMappable(Normalize(0.0, 1.0), _COLORMAP), ax=axes, label="t")
    return whole


def lifelines(states: Sequence["pucker.State"], *, figure: FigureBase | None = None) -> FigureBase:
    """When each wrinkle lives: a bar a wrinkle over time, darker where it is longer, grey while it dies.

    Args:
        states: Of consecutive frames.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If there is none.
        TypeError: For states of another method than the dynamic one.
    """
    if len(states) == 0:
        raise ValueError("lifelines need at least one state")
    _check_wrinkles(states)
    times = _borders(np.array([state.time for state in states]))
    ids = sorted({wrinkle.id for state in states for wrinkle in state.wrinkles})
    row = {number: index for index, number in enumerate(ids)}
    longest = max((wrinkle.length for state in states for wrinkle in state.wrinkles), default=1.0)
    lengths = colormaps[_LENGTHS]
    whole = drawn_in(figure, (6.4, 3.6))
    axes = plain_axes(whole.subplots(), x="time [s]", y="wrinkles by birth")
    bars, shades = [], []
    for state, start, end in zip(states, times[:-1], times[1:], strict=True):
        for wrinkle in state.wrinkles:
            low, high = row[wrinkle.id] - 0.4, row[wrinkle.id] + 0.4
            bars.append([(start, low), (end, low), (end, high), (start, high)])
            shades.append(lengths(wrinkle.length / longest) if wrinkle.alive else to_rgba(FAINT))
    axes.add_collection(PolyCollection(bars, facecolors=shades))
    axes.set_xlim(times[0], times[-1])
    axes.set_ylim(-1, len(ids))
    axes.set_yticks([])
    whole.colorbar(ScalarMappable(Normalize(0.0, longest), lengths), ax=axes, label="length")
    whole.legend(handles=[Patch(color=FAINT, label="dying")], loc="outside upper right", frameon=False)
    return whole


def _check_wrinkles(states: Sequence[Any]) -> None:
    for state in states:
        if not hasattr(state, "wrinkles"):
            kind = kind_of(type(state))
            raise TypeError(f"wrinkles are drawn of the dynamic method's states, which have some, not of a {kind}")


def strip_of(states: Sequence["pucker.State"], wrinkle: int) -> tuple[list[Edge], Floats]:
    """The edges a path crosses, in its order, and its t (edges, frames) there, NaN where it does not cross."""
    _check_wrinkles(states)
    columns: list[dict[Edge, float]] = []
    rows: list[Edge] = []
    for state in states:
        path = next((each for each in state.wrinkles if each.id == wrinkle), None)
        column: dict[Edge, float] = {}
        if path is not None:
            # An end may lie inside a triangle; it crosses nothing there.
            for (first, second), t, apex in zip(path.vertices.tolist(), path.t.tolist(), path.apex, strict=True):
                if apex < 0:
                    column[min(first, second), max(first, second)] = t if first < second else 1.0 - t
            _take_in(rows, list(column))
        columns.append(column)
    if not rows:
        known = sorted({each.id for state in states for each in state.wrinkles})
        raise ValueError(f"no state has a wrinkle {wrinkle}; there are {known}")
    strip = np.array([[column.get(edge, np.nan) for column in columns] for edge in rows])
    return rows, strip


def _take_in(rows: list[Edge], path: list[Edge]) -> None:
    """Inserts the edges of a path that `rows` lack, each beside its neighbour on the path."""
    known = [edge for edge in path if edge in rows]
    place = rows.index(known[0]) if known else len(rows)
    for edge in path:
        if edge in rows:
            place = rows.index(edge) + 1
        else:
            rows.insert(place, edge)
            place += 1


def _borders(times: Floats) -> Floats:
    """Where the columns of a strip begin and end (frames + 1,): half way between the frames."""
    if len(times) < 2:
        return np.array([times[0] - 0.5, times[0] + 0.5])
    middle = 0.5 * (times[1:] + times[:-1])
    return np.concatenate([[2 * times[0] - middle[0]], middle, [2 * times[-1] - middle[-1]]])
