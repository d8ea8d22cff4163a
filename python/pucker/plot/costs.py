"""Label costs over the plane of compression and stretch."""

from typing import Final

import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.colors import ListedColormap, Normalize
from matplotlib.figure import FigureBase

import pucker

from .cloth import LABEL_COLOURS, LABEL_NAMES
from .figure import INK, drawn_in

_STEPS: Final = 241
_COLORMAP: Final = "Oranges"


def label_costs(
    params: "pucker.Params | None" = None,
    *,
    limits: tuple[float, float] = (0.9, 1.3),
    figure: FigureBase | None = None,
) -> FigureBase:
    """The costs A(C), A(R), A(S) over compression a = 1/λ_min and stretch b = λ_max, and the cheapest label.

    Gillette 2015, equations 4.4-4.7 and figure 4.2. Left blank is b < 1/a, where λ_max would be less than λ_min.

    Args:
        params: Its node `label` is read; by default that of `Params()`.
        limits: Of a and b; must rise from above 0.
        figure: What it is drawn into; by default a new one.
    """
    if not 0.0 < limits[0] < limits[1]:
        raise ValueError(f"limits must rise from above 0, not go from {limits[0]:g} to {limits[1]:g}")
    ticks = np.linspace(*limits, _STEPS)
    compression, stretch = np.meshgrid(ticks, ticks)
    possible = stretch * compression >= 1.0
    costs = np.full((*possible.shape, 3), np.nan)
    costs[possible] = pucker.label_costs(1.0 / compression[possible], stretch[possible], params or pucker.Params())
    cheapest = np.ma.masked_array(np.argmin(costs, axis=2), mask=~possible)

    whole = drawn_in(figure, (10.0, 3.1))
    panels = whole.subplots(1, 4, sharex=True, sharey=True)
    # The costs of what deforms lie in [0, 1]; what grows both ways costs more, what shears strongly less.
    scale, levels = Normalize(0.0, 1.0), np.linspace(0.1, 0.9, 9)
    for axes, title, cost in zip(panels, ("A(C)", "A(R)", "A(S)"), np.moveaxis(costs, 2, 0), strict=False):
        axes.pcolormesh(ticks, ticks, np.ma.masked_invalid(cost), norm=scale, cmap=_COLORMAP, rasterized=True)
        axes.contour(ticks, ticks, np.ma.masked_invalid(cost), levels=levels, colors=INK, linewidths=0.4)
        axes.set_title(title, fontsize="medium")
    whole.colorbar(ScalarMappable(scale, _COLORMAP), ax=list(panels[:3]), label="cost", shrink=0.7, extend="both")
    panels[3].pcolormesh(
        ticks, ticks, cheapest, cmap=ListedColormap(LABEL_COLOURS), vmin=-0.5, vmax=2.5, rasterized=True
    )
    panels[3].set_title("cheapest label", fontsize="medium")
    for label, name in enumerate(LABEL_NAMES):
        where = cheapest.filled(-1) == label
        if where.any():
            panels[3].text(compression[where].mean(), stretch[where].mean(), name, ha="center", va="center")
    for axes in panels:
        axes.set_aspect("equal")
        axes.set_xlabel("a = 1/λ_min")
    panels[0].set_ylabel("b = λ_max")
    return whole
