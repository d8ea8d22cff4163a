"""Where the picture is taken from."""

from typing import Final

from pucker._core.draw import USUAL_VIEW, VIEWS, Camera

__all__ = ["DEFAULT_VIEW", "VIEWS", "Camera", "View"]

# The name of a view, or azimuth and elevation in degrees.
View = str | tuple[float, float]
DEFAULT_VIEW: Final[str] = USUAL_VIEW
