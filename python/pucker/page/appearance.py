"""Light, colours and pictures of a page: those of all other pictures."""

import base64
from io import BytesIO
from typing import Any, Final

import numpy as np
from PIL import Image

import pucker
from pucker._core import draw
from pucker.render.camera import View
from pucker.render.clip import Palette, fitted_camera
from pucker.render.surface import decoded

from .numbers import Archive, Floats

# Pictures of materials that are wider or higher are made smaller.
MOST_PIXELS: Final = 1024
_QUALITY: Final = 85


def camera_of(clip: "pucker.Clip", view: View, origin: Floats) -> dict[str, Any]:
    """The camera of square pictures; the page moves it back where its window is narrower than high."""
    camera = fitted_camera(clip, view, (512, 512))
    eye, target = (np.subtract(point, origin).tolist() for point in (camera.eye, camera.target))
    return {"camera": {"eye": eye, "target": target, "fieldOfView": camera.field_of_view}}


def appearance_of(clip: "pucker.Clip", archive: Archive, *, body: bool, textures: bool) -> dict[str, Any]:
    """Adds colours of triangles, and texture coordinates; light, style and pictures."""
    palette = Palette(clip.material_list)
    garment = palette.options(clip.materials, clip.stored_faces, clip.uv)
    _write(archive, "", garment, len(clip.faces), textures=textures)
    if body and len(clip.body_faces):
        options = palette.options(clip.body_materials, clip.body_faces, clip.body_uv)
        _write(archive, "body_", options, len(clip.body_faces), textures=textures)
    shown = palette.images if textures and "images" in garment else []
    return {
        "textures": [as_url(content) for content in shown],
        "light": draw.LIGHT,
        "style": draw.STYLE,
        "exposure": _exposure(clip, garment),
    }


def _write(archive: Archive, prefix: str, options: dict[str, Any], count: int, *, textures: bool) -> None:
    colours = options.get("colours")
    plain = np.tile(np.rint(255.0 * np.array(draw.STYLE["surface_colour"])), (count, 1))
    archive.add_wholes(f"{prefix}colours", plain if colours is None else colours[:, :3])
    if textures and "texcoords" in options:
        archive.add_floats(f"{prefix}texcoords", options["texcoords"])
        archive.add_wholes(f"{prefix}textures", options["textures"])


def _exposure(clip: "pucker.Clip", options: dict[str, Any]) -> float:
    images = options.get("images", [])
    texcoords, textures = options.get("texcoords"), options.get("textures")
    surface = draw.Surface(
        clip.faces, clip.positions.shape[1], options.get("colours"), texcoords, textures, len(images), None
    )
    surface.set_positions(clip.positions[0], None, None)
    return surface.exposure([decoded(image) for image in images])


def as_url(content: bytes) -> str:
    """A picture as a page has it inside, as it is if it is small and of a kind that browsers know."""
    with Image.open(BytesIO(content)) as picture:
        kind = str(picture.format)
        if max(picture.size) > MOST_PIXELS or kind not in ("PNG", "JPEG"):
            smaller = picture.convert("RGB")
            smaller.thumbnail((MOST_PIXELS, MOST_PIXELS))
            kind, made = "JPEG", BytesIO()
            smaller.save(made, kind, quality=_QUALITY)
            content = made.getvalue()
    return f"data:image/{kind.lower()};base64,{base64.b64encode(content).decode()}"
