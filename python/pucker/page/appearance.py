"""Light, colours and pictures of a page: those of all other pictures."""

import base64
from io import BytesIO
from typing import Any, Final

import numpy as np
from PIL import Image

import pucker
from pucker._core import draw
from pucker.render.camera import View
from pucker.render.clip import Focus, Palette, fitted_camera, points_of
from pucker.render.surface import decoded

from .numbers import Archive, Floats

# Pictures of materials that are wider or higher are made smaller.
MOST_PIXELS: Final = 1024
_QUALITY: Final = 85


def camera_of(clip: "pucker.Clip", view: View, origin: Floats, focus: Focus) -> dict[str, Any]:
    """The camera of square pictures; in a window that is narrower than high the page opens its angle.

    `shares` are the width and the height that what is in focus has of such a picture, however the camera is turned about the
    upright axis, 1 at most.
    """
    camera = fitted_camera(clip, view, (512, 512), focus=focus)
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


def appearance_of(clip: "pucker.Clip", archive: Archive, *, body: bool, textures: bool) -> dict[str, Any]:
    """Adds colours of triangles, and texture coordinates; light, style and pictures."""
    palette = Palette(clip.material_list)
    garment = palette.options(clip.materials, clip.stored_faces, clip.uv)
    parts = {"": (garment, len(clip.faces))}
    if body and len(clip.body_faces):
        parts["body_"] = (palette.options(clip.body_materials, clip.body_faces, clip.body_uv), len(clip.body_faces))
    for prefix, (options, count) in parts.items():
        _write(archive, prefix, options, count, textures=textures)
    alphas = _write_alphas(archive, parts)
    style = draw.Style()
    shown = palette.images if textures and "images" in garment else []
    return {
        "textures": [as_url(content, alpha=bool(alphas)) for content in shown],
        "alphas": alphas,
        "light": draw.Light().to_dict(),
        "style": {"background": style.background, "wire_colour": style.wire_colour},
        "exposure": _exposure(clip, garment),
    }


def _write(archive: Archive, prefix: str, options: dict[str, Any], count: int, *, textures: bool) -> None:
    colours = options.get("colours")
    plain = np.tile(np.rint(255.0 * np.array(draw.SURFACE_COLOUR)), (count, 1))
    archive.add_wholes(f"{prefix}colours", plain if colours is None else colours[:, :3])
    if textures and "texcoords" in options:
        archive.add_floats(f"{prefix}texcoords", options["texcoords"])
        archive.add_wholes(f"{prefix}textures", options["textures"])


def _write_alphas(archive: Archive, parts: dict[str, tuple[dict[str, Any], int]]) -> list[list[float]]:
    """The modes, cutoffs and opacities of colours that triangles have, which name theirs by its number; none if all are opaque."""
    if not any("alpha_modes" in options for options, _ in parts.values()):
        return []
    rows = []
    for options, count in parts.values():
        opaque = np.tile([0.0, 0.5, 1.0], (count, 1))
        if "alpha_modes" in options:
            opacity = options["colours"][:, 3] / 255.0
            opaque = np.stack([options["alpha_modes"], options["alpha_cutoffs"], opacity], axis=1)
        rows.append(opaque)
    found, numbers = np.unique(np.concatenate(rows), axis=0, return_inverse=True)
    ends = np.cumsum([count for _, count in parts.values()])[:-1]
    for prefix, of_part in zip(parts, np.split(numbers.ravel(), ends), strict=True):
        archive.add_wholes(f"{prefix}alphas", of_part)
    return [[float(value) for value in row] for row in found]


def _exposure(clip: "pucker.Clip", options: dict[str, Any]) -> float:
    images = options.get("images", [])
    texcoords, textures = options.get("texcoords"), options.get("textures")
    surface = draw.Surface(
        clip.faces,
        clip.positions.shape[1],
        options.get("colours"),
        texcoords,
        textures,
        len(images),
        alpha_modes=options.get("alpha_modes"),
        alpha_cutoffs=options.get("alpha_cutoffs"),
    )
    surface.set_positions(clip.positions[0], None, None)
    return surface.exposure([decoded(image) for image in images])


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
