"""Rays through pixels, and what they meet."""

from typing import Any

import numpy as np
import numpy.typing as npt

from .camera import Camera

Floats = npt.NDArray[np.float64]


def pixel_ray(camera: Camera, size: tuple[int, int], x: float, y: float) -> tuple[Floats, Floats]:
    """Origin and unit direction (3,) of the line of sight through the middle of a pixel.

    x, y: column and row of the pixel in a picture of `size` (width, height), from the upper left corner.
    """
    width, height = size
    right, up, back = camera.axes
    slope = np.tan(np.radians(0.5 * camera.field_of_view))
    across = (2.0 * (np.floor(x) + 0.5) / width - 1.0) * slope * width / height
    along = (1.0 - 2.0 * (np.floor(y) + 0.5) / height) * slope
    direction = across * right + along * up - back
    return np.asarray(camera.eye, dtype=np.float64), direction / np.linalg.norm(direction)


def first_hit(origin: Floats, direction: Floats, corners: npt.NDArray[Any]) -> tuple[int, float] | None:
    """The first of triangles (m, 3, 3) that a ray meets, and the distance along it; None if it meets none.

    Möller and Trumbore 1997; from either side.
    """
    first, second = corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]
    across = np.cross(direction, second)
    determinant = np.einsum("mi,mi->m", first, across)
    offset = origin - corners[:, 0]
    turned = np.cross(offset, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        u = np.einsum("mi,mi->m", offset, across) / determinant
        v = turned @ direction / determinant
        distance = np.einsum("mi,mi->m", second, turned) / determinant
    # A triangle seen edge-on has quotients that are not numbers, for which every comparison is false.
    met = np.flatnonzero((u >= 0.0) & (v >= 0.0) & (u + v <= 1.0) & (distance > 0.0))
    if len(met) == 0:
        return None
    nearest = met[np.argmin(distance[met])]
    return int(nearest), float(distance[nearest])
