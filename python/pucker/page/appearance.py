"""Light, colours and pictures of a page: those of all other pictures."""

import base64
from io import BytesIO
from typing import Any, Final

import numpy as np
from PIL import Image

import pucker
from pucker._core import draw
from pucker.render.camera import Camera
from pucker.render.clip import Focus, points_of, scene_of

from .numbers import Archive, Floats

# Pictures of materials that are wider or higher are made smaller.
MOST_PIXELS: Final = 1024
_QUALITY: Final = 85


def camera_of(clip: "pucker.Clip", camera: Camera, origin: Floats, focus: Focus) -> dict[str, Any]:
    """The camera, of square pictures, as a page has it; in a window that is narrower than high the page opens its angle.

    `shares` are the width and the height that what is in focus has of such a picture, however the camera is turned about the
    upright axis, 1 at most.
    """
    eye, target = (np.subtract(point, origin).tolist() for point in (camera.eye, camera.target))
    points = points_of(clip, slice(None)) if focus == "all" else np.asarray(clip.positions).reshape(-1, 3)
    away = points - camera.target
    distance = float(np.linalg.norm(np.subtract(camera.eye, camera.target)))
    radius = float(np.hypot(away[:, 0], away[:, 2]).max())
    tilt = abs(camera.eye[1] - camera.target[1]) / distance
    # Of what stands nearest.
    half = max(distance - radius, 1e-6 * distance) * np.tan(np.radians(0.5 * camera.field_of_view))
    shares = np.minimum([radius / half, (np.abs(away[:, 1]).max() + tilt * radius) / half], 1.0)
    return {"camera": {"eye": eye, "target": target, "fieldOfView": camera.field_of_view, "shares": shares.tolist()}}


def appearance_of(
    clip: "pucker.Clip", camera: Camera, archive: Archive, *, body: bool, textures: bool
) -> dict[str, Any]:
    """Adds colours of triangles, and texture coordinates; light, style and pictures.

    The key light is that of pictures from this camera, at first: it grazes the cloth there, and turns with the camera.
    """
    drawn, images, _ = scene_of(clip)
    surfaces = {"": drawn.garment}
    if body and drawn.body is not None:
        surfaces["body_"] = drawn.body
    textured = False
    for prefix, surface in surfaces.items():
        archive.add_wholes(f"{prefix}colours", surface.colours[:, :3])
        if textures and (surface.textures >= 0).any():
            textured = True
            archive.add_floats(f"{prefix}texcoords", _texcoords(surface))
            archive.add_wholes(f"{prefix}textures", surface.textures)
    alphas = _write_alphas(archive, surfaces)
    style = drawn.style(draw.Style(), camera).to_dict()
    return {
        "textures": [as_url(content, alpha=bool(alphas)) for content in images] if textured else [],
        "alphas": alphas,
        "light": style["light"].to_dict(),
        "style": {name: style[name] for name in ("background", "wire_colour")},
        "exposure": style["exposure"],
    }


def _texcoords(surface: draw.Surface) -> Floats:
    """Texture coordinates (m, 3, 2), 0 where they are of no use."""
    return np.where(surface.textures[:, None, None] >= 0, surface.texcoords, 0.0)


def _write_alphas(archive: Archive, surfaces: dict[str, draw.Surface]) -> list[list[float]]:
    """The modes, cutoffs and opacities that triangles have, which name theirs by its number; none if all are opaque."""
    rows = []
    for surface in surfaces.values():
        modes, cutoffs = surface.alphas
        opacities = np.where(modes == 0, 1.0, surface.colours[:, 3] / 255.0)
        rows.append(np.stack([modes, cutoffs, opacities], axis=1))
    found, numbers = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    if not found[:, 0].any():
        return []
    ends = np.cumsum([surface.triangle_count for surface in surfaces.values()])[:-1]
    for prefix, of_part in zip(surfaces, np.split(numbers.ravel(), ends), strict=True):
        archive.add_wholes(f"{prefix}alphas", of_part)
    return [[float(value) for value in row] for row in found]


def as_url(content: bytes, *, alpha: bool = False) -> str:
    """A picture as a page has it inside, as it is if it is small and of a kind that browsers know; `alpha`: with its alpha."""
    with Image.open(BytesIO(content)) as picture:
        kind = str(picture.format)
        if max(picture.size) > MOST_PIXELS or kind not in ("PNG", "JPEG"):
            keeps = alpha and ("A" in picture.getbands() or "transparency" in picture.info)
            smaller = picture.convert("RGBA" if keeps else "RGB")
            smaller.thumbnail((MOST_PIXELS, MOST_PIXELS))
            kind, made = "PNG" if keeps else "JPEG", BytesIO()
            smaller.save(made, kind, quality=_QUALITY)
            content = made.getvalue()
    return f"data:image/{kind.lower()};base64,{base64.b64encode(content).decode()}"
