"""Parameters with which wrinkles have the form of simulated folds."""

from typing import Final

from pucker._core import Params

CREASES: Final = Params(
    threshold=1.02,
    relative_width=0.05,
    shape={"profile": "crease", "slenderness": 1.0, "taper": 1.0},
    tracing={"min_length": 3.0, "seed_distance": 0.6},
)
"""Wrinkles as wide, as close and as deep as folds of simulated cloth, instead of single ridges."""
