"""Pictures of materials, decoded with care: a model is worth showing without one that cannot be read."""

import warnings
from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, Final

from pucker.extras import needing
from pucker.io.limits import Limits

if TYPE_CHECKING:
    from PIL import Image

    import pucker


# Bytes that a pixel takes where a character is drawn: as decoded, as RGBA, as handed over, and as a texture with its mipmaps.
_BYTES_A_PIXEL: Final = 16
# Tags of a TIFF.
_CHANNELS: Final = 277
_STRIP_ROWS: Final = 278
_TILE_WIDTH: Final = 322
_TILE_ROWS: Final = 323
_MOST_CHANNELS: Final = 16


def _check_blocks(picture: Any, limits: Limits) -> None:
    """Raises ValueError if a TIFF's tiles or strips, each of which is unpacked as a whole, have more than all its pixels may."""
    tags = picture.tag_v2
    width, rows = (
        tags.get(_TILE_WIDTH, picture.width),
        tags.get(_TILE_ROWS, min(tags.get(_STRIP_ROWS, 1), picture.height)),
    )
    channels = tags.get(_CHANNELS, 1)
    if width * rows > limits.pixels or channels > _MOST_CHANNELS:
        raise ValueError(
            f"has blocks of {width} x {rows} pixels of {channels} channels, the limit of pixels is {limits.pixels}"
        )


def opened(content: bytes, limits: Limits) -> "Image.Image":
    """An encoded picture with its pixels, which memory is taken for only if the limits allow so many.

    Raises Exception: Pillow raises whatever the bytes lead it to.
    """
    from PIL import Image  # noqa: PLC0415 - a character without pictures does not need it

    with warnings.catch_warnings():
        # The limit here is the stricter one.
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        picture = Image.open(BytesIO(content))
    if picture.width * picture.height > limits.pixels:
        raise ValueError(f"has {picture.width} x {picture.height} pixels, the limit of pixels is {limits.pixels}")
    if picture.format == "TIFF":
        _check_blocks(picture, limits)
    picture.load()
    return picture


def as_png(content: bytes, limits: Limits) -> bytes | None:
    """An encoded picture as PNG; None if it cannot be read, which whoever decodes it tells, or without Pillow."""
    try:
        picture = opened(content, limits)
        result = BytesIO()
        (picture if picture.mode in {"L", "LA", "RGB", "RGBA"} else picture.convert("RGBA")).save(result, "PNG")
    except Exception:  # noqa: BLE001 - Pillow raises whatever the bytes lead it to
        return None
    return result.getvalue()


def decoded(material: "pucker.Material | Any", limits: Limits | None = None) -> "Image.Image | None":
    """The material's picture; None if it has none, and with a warning that names it if it cannot be read or has more pixels
    than the limits allow.
    """
    content = bytes(material.texture)
    if not content:
        return None
    with needing("io", "the picture of a material"):
        import PIL  # noqa: F401, PLC0415 - as above
    limits = limits or Limits.from_environment()
    try:
        return opened(content, limits)
    except Exception as error:  # noqa: BLE001 - Pillow raises whatever the bytes lead it to
        name, reason = material.texture_name, " ".join(str(error).split())
        warnings.warn(f"texture {name!r} of material {material.name!r} is left out: {reason}", stacklevel=2)
        return None


def distinct(
    materials: "Sequence[pucker.Material | Any]", limits: Limits | None = None
) -> tuple[list[bytes], list[int]]:
    """The pictures that materials show, each once and as the file has it, and for each material its picture, −1 without.

    A picture that cannot be read is left out, with a warning that names it; so is one with which all of them would take
    more memory than the limits allow.
    """
    limits = limits or Limits.from_environment()
    found: list[bytes] = []
    numbers: dict[bytes, int] = {}
    pixels = 0
    for material in materials:
        content = bytes(material.texture)
        if content in numbers:
            continue
        numbers[content] = -1
        picture = decoded(material, limits)
        if picture is None:
            continue
        wanted = pixels + picture.width * picture.height
        if _BYTES_A_PIXEL * wanted > limits.memory:
            warnings.warn(
                f"texture {material.texture_name!r} of material {material.name!r} is left out: with those before it the pictures "
                f"would take {_BYTES_A_PIXEL * wanted} bytes; {limits.told}",
                stacklevel=2,
            )
            continue
        pixels = wanted
        numbers[content] = len(found)
        found.append(content)
    return found, [numbers[bytes(material.texture)] for material in materials]
