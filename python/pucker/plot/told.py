"""How surfaces differ to the eye: patches of relief side by side, and what gives one of them away."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from matplotlib.figure import FigureBase

from .figure import COLOURS, INK, drawn_in, plain_axes, real_array

if TYPE_CHECKING:
    from pucker.metrics import ToldApart


def giveaways(told: "ToldApart", *, most: int = 12, figure: FigureBase | None = None) -> FigureBase:
    """The features that tell two samples apart, a bar each with its share, largest first; beside it how much more or less the second has, in standard deviations.

    Args:
        told: From `pucker.metrics.told_apart`.
        most: How many features are drawn.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: If `most` is not positive.
    """
    if most < 1:
        raise ValueError(f"most must be positive, not {most}")
    shown = told.weights[:most][::-1]
    whole = drawn_in(figure, (6.4, 0.6 + 0.24 * len(shown)))
    axes = plain_axes(whole.subplots(), x="share of what tells them apart [%]")
    shares = [100.0 * each.share for each in shown]
    colours = [COLOURS[1] if each.difference > 0.0 else COLOURS[0] for each in shown]
    axes.barh([each.feature for each in shown], shares, color=colours, height=0.7)
    for row, each in enumerate(shown):
        told_as = f" {abs(each.difference):.1f} σ {'more' if each.difference > 0.0 else 'less'}"
        axes.text(shares[row], row, told_as, va="center", color=INK, fontsize="small")
    axes.margins(x=0.25, y=0.02)
    axes.grid(visible=False, axis="y")
    return whole


def relief(
    patches: Mapping[str, npt.ArrayLike], *, most: float | None = None, figure: FigureBase | None = None
) -> FigureBase:
    """Patches of relief, a row of pictures for each name: red is outward, blue inward.

    Args:
        patches: (k, n, n) heights by name, as `pucker.metrics.Patches.read` gives them; the same k in each row.
        most: The height of full colour; by default three times the root mean square of the first row.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: For no rows, for rows of different shapes and for a height that is not positive.
    """
    rows = {name: real_array(values, (None, None, None), name) for name, values in patches.items()}
    shapes = {values.shape for values in rows.values()}
    if len(shapes) != 1:
        raise ValueError(f"rows of patches must be of one shape (k, n, n), not {sorted(shapes)}")
    ((count, _, _),) = shapes
    first = next(iter(rows.values()))
    full = most if most is not None else max(3.0 * float(np.sqrt(np.square(first).mean())), np.finfo(float).tiny)
    if not full > 0.0:
        raise ValueError(f"the height of full colour must be positive, not {full}")
    whole = drawn_in(figure, (1.0 * count + 0.9, 1.0 * len(rows)))
    grid = whole.subplots(len(rows), count, squeeze=False)
    for (name, values), line in zip(rows.items(), grid, strict=True):
        for axes, patch in zip(line, values, strict=True):
            axes.imshow(patch, cmap="RdYlBu_r", vmin=-full, vmax=full, interpolation="bilinear")
            axes.set_xticks([])
            axes.set_yticks([])
            for side in axes.spines.values():
                side.set_visible(False)
        line[0].set_ylabel(name, rotation=0, ha="right", va="center", color=INK)
    return whole
