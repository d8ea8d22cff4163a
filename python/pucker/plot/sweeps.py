"""Comparisons of the runs of a sweep."""

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.figure import FigureBase

from .figure import colour, drawn_in, plain_axes

if TYPE_CHECKING:
    import pandas as pd

# Points and means of all hues together take this share of the distance between two categories.
_BREADTH: Final = 0.7
# Up to so many numbers each has its own tick.
_FEW: Final = 8


def sweep(
    frame: "pd.DataFrame", *, x: str, y: str, hue: str | None = None, figure: FigureBase | None = None
) -> FigureBase:
    """Measure `y` of all rows over parameter `x`, with a colour for each value of `hue`.

    Each row is a faint point. Over numbers, a line joins the means of the rows with equal `x` and `hue`; over names,
    a dash marks them, the hues of one name side by side. Names stand in the order in which they come. Rows without
    `y`, such as those of failed points, cannot be drawn: the title says how many there are.

    Raises ValueError for a column that is not in the frame, or a measure that is not numbers.
    """
    from pandas.api.types import is_bool_dtype, is_numeric_dtype  # noqa: PLC0415 - only sweeps have tables

    for column in (x, y, *([] if hue is None else [hue])):
        if column not in frame.columns:
            raise ValueError(f"the table has no column {column!r}; it has {', '.join(map(str, frame.columns))}")
    if not is_numeric_dtype(frame[y]):
        raise ValueError(f"column {y!r} must hold numbers to be drawn, not {frame[y].dtype}")
    drawn = frame[frame[y].notna()]
    over_numbers = is_numeric_dtype(frame[x]) and not is_bool_dtype(frame[x])
    names = list(dict.fromkeys(drawn[x]))
    groups = {None: drawn} if hue is None else {key: drawn[drawn[hue] == key] for key in dict.fromkeys(drawn[hue])}

    whole = drawn_in(figure, (6.4, 3.8))
    axes = plain_axes(whole.subplots(), x=x, y=y)
    for number, (key, rows) in enumerate(groups.items()):
        shade = colour(number)
        means = rows.groupby(x, sort=over_numbers, observed=True)[y].mean()
        label = "" if key is None else str(key)
        if over_numbers:
            axes.plot(rows[x], rows[y], ".", color=shade, alpha=0.3, markeredgewidth=0)
            axes.plot(means.index, means, "o-", color=shade, markersize=4, label=label)
            continue
        shift = _BREADTH * ((number + 0.5) / len(groups) - 0.5)
        places = {name: index + shift for index, name in enumerate(names)}
        half = 0.4 * _BREADTH / len(groups)
        axes.plot([places[name] for name in rows[x]], rows[y], ".", color=shade, alpha=0.5, markeredgewidth=0)
        middles = np.array([places[name] for name in means.index])
        axes.hlines(means, middles - half, middles + half, color=shade, linewidth=2.5, label=label)
    if over_numbers and len(names) <= _FEW:
        axes.set_xticks(names, [f"{name:g}" for name in names])
    elif not over_numbers:
        axes.set_xticks(
            range(len(names)), [str(name) for name in names], rotation=25, ha="right", rotation_mode="anchor"
        )
    if hue is not None:
        whole.legend(title=hue, frameon=False, loc="outside right center")
    if len(drawn) < len(frame):
        axes.set_title(f"{len(frame) - len(drawn)} of {len(frame)} rows have no {y}", fontsize="small")
    return whole
