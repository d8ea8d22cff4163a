"""What lies under a pixel of a picture of a clip."""

from collections.abc import Sequence

from pucker._core import Clip
from pucker._core.draw import Camera
from pucker._core.scene import cloth_at


def surface_under(
    clip: Clip, frame: int, camera: Camera, size: tuple[int, int], x: float, y: float
) -> tuple[int, Sequence[float]] | None:
    """The garment's triangle under a pixel and barycentric coordinates in it; None if there is none in sight."""
    hit = cloth_at(clip, frame, camera, size, x, y)
    return None if hit is None else hit[:2]
