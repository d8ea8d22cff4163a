"""Pictures of materials, in formats that every reader of a baked file knows."""

import io
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from pucker.io.pictures import decoded

if TYPE_CHECKING:
    import pucker

_KEPT: Final = {b"\x89PNG": ("image/png", ".png"), b"\xff\xd8\xff": ("image/jpeg", ".jpg")}


def plain_name(name: str, fallback: str) -> str:
    """A name made of letters, digits and underscores alone, starting with a letter or an underscore."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return f"_{plain}" if plain[:1].isdigit() else plain or fallback


@dataclass(frozen=True)
class Picture:
    """An encoded picture, and its name without an ending."""

    stem: str
    suffix: str
    mime: str
    content: bytes


def picture_of(material: "pucker.Material") -> Picture | None:
    """The material's picture: PNG and JPEG as they are, others as PNG; None if it has none that can be read."""
    content = bytes(material.texture)
    if not content:
        return None
    stem = plain_name(PurePath(material.texture_name).stem, "texture")
    for magic, (mime, suffix) in _KEPT.items():
        if content.startswith(magic):
            return Picture(stem, suffix, mime, content)
    image = decoded(material)
    if image is None:
        return None
    converted = io.BytesIO()
    image.save(converted, "PNG")
    return Picture(stem, ".png", "image/png", converted.getvalue())
