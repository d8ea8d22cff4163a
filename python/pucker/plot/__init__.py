"""Figures of what the stages hold and of what runs measured, drawn with matplotlib.

Every function returns its figure and leaves the state of pyplot alone; a notebook shows the figure as the value of a
cell. With `figure` given, it draws into that figure or subfigure instead, so that several stand beside each other.
"""

try:
    from .figure import Figure
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(f"plots need {error.name}: install the extra pucker[plot]", name=error.name) from None

from .cloth import LABEL_COLOURS, ellipses, labels, triangles
from .costs import label_costs
from .paths import lifelines, path_strip, paths
from .profiles import heights, profiles
from .series import energies, stage_times
from .sweeps import sweep
from .unfold import unfolded

__all__ = [
    "LABEL_COLOURS",
    "Figure",
    "ellipses",
    "energies",
    "heights",
    "label_costs",
    "labels",
    "lifelines",
    "path_strip",
    "paths",
    "profiles",
    "stage_times",
    "sweep",
    "triangles",
    "unfolded",
]
