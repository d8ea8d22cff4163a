"""Figures of what the stages hold and of what runs measured, drawn with matplotlib.

Every function returns its figure and leaves the state of pyplot alone; a notebook shows the figure as the value of a
cell. With `figure` given, it draws into that figure or subfigure instead, so that several stand beside each other.
"""

from pucker.extras import needing

with needing("plot", "pucker.plot"):
    from .cloth import LABEL_COLOURS, ellipses, labels, triangles
    from .costs import label_costs
    from .figure import Figure
    from .paths import lifelines, path_strip, paths
    from .profiles import heights, profiles
    from .series import energies, stage_times
    from .sweeps import sweep
    from .told import giveaways, relief
    from .unfold import unfolded
    from .waves import spectrum, waves

__all__ = [
    "LABEL_COLOURS",
    "Figure",
    "ellipses",
    "energies",
    "giveaways",
    "heights",
    "label_costs",
    "labels",
    "lifelines",
    "path_strip",
    "paths",
    "profiles",
    "relief",
    "spectrum",
    "stage_times",
    "sweep",
    "triangles",
    "unfolded",
    "waves",
]
