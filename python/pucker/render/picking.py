"""What lies under a pixel of a picture of a clip."""

from collections.abc import Sequence

from pucker._core import Clip
from pucker._core.draw import Camera, seen_at


def surface_under(
    clip: Clip, frame: int, camera: Camera, size: tuple[int, int], x: float, y: float
) -> tuple[int, Sequence[float]] | None:
    """The garment's triangle under a pixel and barycentric coordinates in it; None if there is none in sight."""
    body = (clip.body_faces, clip.body_positions[frame]) if len(clip.body_faces) else ()
    hit = seen_at(camera, size, x, y, clip.faces, clip.positions[frame], *body)
    return None if hit is None else hit[:2]
