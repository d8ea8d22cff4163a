"""
Cross-sections of a wrinkle and the heights that keep the cloth's length across it.

Gillette 2015, section 6.1. All lengths have one unit; every function broadcasts over arrays.
"""

from __future__ import annotations
import numpy
import numpy.typing
import pucker._core
from pucker._core import Profile
import typing

__all__: list[str] = ["HeightTable", "Profile", "circle_height"]

class HeightTable:
    """
    Heights by width and arc length from a table of 64 samples, to 1e-4·arc.

    Args:
        rule: HeightRule.circle for circle_height, of wave as profile; HeightRule.profile for the profile's own height_for;
            HeightRule.measured for its measured_height.
        profile: A Profile.
    """
    def __init__(self, rule: pucker._core.HeightRule, profile: pucker._core.Profile) -> None: ...
    def height(
        self,
        width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        arc: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Any:
        """
        The height for `width` and `arc`, broadcasting; exactly 0 for width = arc.

        Raises:
            ValueError: Unless width/arc lies in [lowest_ratio, 1], up to rounding.
        """
    @property
    def lowest_ratio(self) -> float:
        """
        Smallest width/arc: 1/π, and 2/π for arcs, which are then as high as their half width.
        """

def circle_height(
    width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    arc: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
) -> typing.Any:
    """
    Height over its chord of a circular arc with chord `width` and length `arc`.

    sin φ = φ·width/arc, height = arc·(1 - cos φ)/2φ (Gillette 2015, equation 6.1), to a residual of 1e-13.

    Raises:
        ValueError: Unless width/arc lies in [1/π, 1], up to rounding.
    """
