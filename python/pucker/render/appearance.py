"""Light and colour, and what of a surface is drawn. The numbers are those of the core's `draw`, which the native viewer has too."""

from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker._core import draw
from pucker._core.draw import label_tints, linear_from_srgb, srgb_from_linear

__all__ = ["LABEL_TINTS", "Colour", "Light", "Mode", "Output", "label_tints", "linear_from_srgb", "srgb_from_linear"]

Colour = tuple[float, float, float]

# Contraction, relaxation (rest) and stretching, in the order of the label numbers; sRGB with the share as alpha.
LABEL_TINTS: Final[npt.NDArray[np.uint8]] = draw.LABEL_TINTS


class Mode(IntEnum):
    """What of the detail is drawn.

    `PARALLAX` moves nothing, as `NORMALS`, but shifts textures by how high the detail stands (Loviscach 2006).
    """

    BASE = 0
    NORMALS = 1
    DISPLACEMENT = 2
    BOTH = 3
    PARALLAX = 4

    @classmethod
    def of(cls, mode: "Mode | str") -> "Mode":
        """A mode or its name in lower case."""
        if isinstance(mode, cls):
            return mode
        names = {member.name.lower(): member for member in cls}
        if mode not in names:
            raise ValueError(f"mode must be one of {', '.join(names)}, not {mode!r}")
        return names[str(mode)]


class Output(IntEnum):
    """What a pixel holds: the shaded colour, or the surface's unit normal or position as floats."""

    SHADED = 0
    NORMAL = 1
    POSITION = 2


_LIGHT: Final[dict[str, Any]] = draw.LIGHT


@dataclass(frozen=True)
class Light:
    """A key light, a weaker fill light from the other side, and a sky; directions are towards the light, colours linear.

    `attached` turns the key and the fill with the camera (x right, y up, z towards the viewer); otherwise they stand
    in the world.
    """

    key_direction: Colour = _LIGHT["key_direction"]
    key_colour: Colour = _LIGHT["key_colour"]
    fill_direction: Colour = _LIGHT["fill_direction"]
    fill_colour: Colour = _LIGHT["fill_colour"]
    sky_colour: Colour = _LIGHT["sky_colour"]
    ground_colour: Colour = _LIGHT["ground_colour"]
    specular: float = _LIGHT["specular"]
    exponent: float = _LIGHT["exponent"]
    attached: bool = True
