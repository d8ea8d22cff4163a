"""How the mouse moves a camera: as in the native viewer."""

from dataclasses import replace
from typing import Final

import numpy as np

from pucker.render import Camera

# At 90 degrees of elevation the picture would turn over.
_STEEPEST: Final = 89.0


def turned(camera: Camera, azimuth: float, elevation: float) -> Camera:
    """The camera gone round its target by angles in degrees, no higher or lower than 89 degrees over the horizon."""
    distance, around, above = _sphere(camera)
    height = float(np.clip(above + elevation, -_STEEPEST, _STEEPEST))
    return Camera.orbit(camera.target, distance, around + azimuth, height, field_of_view=camera.field_of_view)


def zoomed(camera: Camera, factor: float) -> Camera:
    """The camera at `factor` times its distance from its target."""
    distance, around, above = _sphere(camera)
    return Camera.orbit(camera.target, factor * distance, around, above, field_of_view=camera.field_of_view)


def shifted(camera: Camera, right: float, up: float, picture_height: int) -> Camera:
    """The camera moved in its own plane, by what so many pixels are at its target."""
    axes = camera.axes
    step = camera.pixel_size(picture_height) * (right * axes[0] + up * axes[1])
    eye, target = (np.add(point, step).tolist() for point in (camera.eye, camera.target))
    return replace(camera, eye=tuple(eye), target=tuple(target))


def _sphere(camera: Camera) -> tuple[float, float, float]:
    """Distance from the target, and azimuth and elevation in degrees as `Camera.orbit` takes them."""
    back = np.subtract(camera.eye, camera.target)
    distance = float(np.linalg.norm(back))
    azimuth = np.degrees(np.arctan2(back[0], back[2]))
    elevation = np.degrees(np.arcsin(np.clip(back[1] / distance, -1.0, 1.0)))
    return distance, float(azimuth), float(elevation)
