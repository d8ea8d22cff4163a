"""Pictures of materials, decoded with care: a model is worth showing without one that cannot be read."""

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any

from pucker.extras import needing
from pucker.io.limits import Limits

if TYPE_CHECKING:
    from PIL import Image

    import pucker


def _check_size(picture: "Image.Image", most: int) -> None:
    if picture.width * picture.height > most:
        raise ValueError(f"has {picture.width} x {picture.height} pixels, the limit of pixels is {most}")


def decoded(material: "pucker.Material | Any", limits: Limits | None = None) -> "Image.Image | None":
    """The material's picture; None if it has none, and with a warning that names it if it cannot be read or has more pixels
    than the limits allow.
    """
    content = bytes(material.texture)
    if not content:
        return None
    with needing("io", "the picture of a material"):
        from PIL import Image  # noqa: PLC0415 - a character without pictures does not need it
    most = (limits or Limits.from_environment()).pixels
    try:
        with warnings.catch_warnings():
            # The limit here is the stricter one.
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            picture = Image.open(BytesIO(content))
        _check_size(picture, most)
        picture.load()
    except Exception as error:  # noqa: BLE001 - Pillow raises whatever the bytes lead it to
        name, reason = material.texture_name, " ".join(str(error).split())
        warnings.warn(f"texture {name!r} of material {material.name!r} is left out: {reason}", stacklevel=2)
        return None
    return picture
