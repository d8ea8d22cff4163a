"""Where the picture is taken from."""

from typing import Final

import numpy as np
import numpy.typing as npt

from pucker._core.draw import USUAL_VIEW, VIEWS, Camera

__all__ = ["DEFAULT_VIEW", "VIEWS", "Camera", "View", "orbit_cameras"]

# The name of a view, or azimuth and elevation in degrees.
View = str | tuple[float, float]
DEFAULT_VIEW: Final[str] = USUAL_VIEW


def orbit_cameras(points: npt.NDArray[np.float64], count: int, elevation: float, aspect: float) -> list[Camera]:
    """Cameras at equal angles round the vertical axis through the middle of points (k, 3), each of which sees them all."""
    middle = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radius = np.hypot(*(points - middle)[:, [0, 2]].T)
    angles = np.linspace(0.0, 2.0 * np.pi, 64, endpoint=False)
    circles = radius[:, None, None] * np.stack([np.sin(angles), 0.0 * angles, np.cos(angles)], axis=1)
    circles += middle * [1.0, 0.0, 1.0] + points[:, None] * [0.0, 1.0, 0.0]
    fitted = Camera.fit(circles, (0.0, elevation), aspect=aspect)
    distance = float(np.linalg.norm(np.subtract(fitted.eye, fitted.target)))
    orbit = (Camera.orbit(fitted.target, distance, 360.0 * k / count, elevation) for k in range(count))
    return [camera.replace(near=fitted.near, far=fitted.far) for camera in orbit]
