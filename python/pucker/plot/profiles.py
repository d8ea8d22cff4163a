"""Cross-sections of wrinkles and their heights."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.figure import FigureBase

import pucker
from pucker._core.profiles import HeightTable, circle_height

from .figure import INK, colour, drawn_in, plain_axes

# In the order of the parameter; members of a compiled enumeration cannot be iterated over directly.
PROFILES: Final = tuple(pucker.Profile.__members__.values())


def profiles(
    width: float,
    arc: float,
    shown: "Sequence[pucker.Profile]" = PROFILES,
    *,
    rule: "pucker.HeightRule" = pucker.HeightRule.profile,
    figure: FigureBase | None = None,
) -> FigureBase:
    """Cross-sections of one width over cloth that was `arc` long, with their heights and lengths.

    Args:
        width: Of the wrinkle.
        arc: Length of the cloth across it.
        shown: The profiles that are drawn.
        rule: Of heights, as `HeightTable` takes it.
        figure: What it is drawn into; by default a new one.

    Raises:
        ValueError: As `HeightTable.height` does, such as for arcs with arc > π/2·width.
    """
    whole = drawn_in(figure, (7.0, 2.2))
    axes = plain_axes(whole.subplots(), x="x", y="f(x)")
    x = np.linspace(-0.5 * width, 0.5 * width, 401)
    for number, profile in enumerate(shown):
        height = float(HeightTable(rule, profile).height(width, arc))
        length = float(profile.arc_length(width, height))
        label = f"{profile.name}: h = {height:.3g}, {length:.4g} long"
        axes.plot(x, profile.value(x, width, height), color=colour(number), label=label)
    axes.set_aspect("equal", adjustable="datalim")
    whole.legend(frameon=False, fontsize="small", loc="outside right center")
    return whole


def heights(shown: "Sequence[pucker.Profile]" = PROFILES, *, figure: FigureBase | None = None) -> FigureBase:
    """Height over width, both as shares of the cloth's length s: one curve a profile, and that of the circle rule.

    Each curve ends where its profile does: arcs at L/s = 2/π, the others at 1/π, the least width there is.
    """
    whole = drawn_in(figure, (6.4, 3.6))
    axes = plain_axes(whole.subplots(), x="width / length  L/s", y="height / length  h/s")
    for number, profile in enumerate(shown):
        least = 2.0 / np.pi if profile == pucker.Profile.arcs else 1.0 / np.pi
        # The root makes the samples even in height, which rises steeply as cloth begins to buckle.
        ratio = 1.0 - np.linspace(0.0, np.sqrt(1.0 - least), 200) ** 2
        ratio[-1] = least
        axes.plot(ratio, profile.height_for(ratio, np.ones(200)), color=colour(number), label=profile.name)
    ratio = np.linspace(1.0 / np.pi, 1.0, 400)
    axes.plot(ratio, circle_height(ratio, np.ones(400)), color=INK, linestyle="--", label="circle rule")
    axes.set_ylim(bottom=0.0)
    axes.legend(frameon=False)
    return whole
