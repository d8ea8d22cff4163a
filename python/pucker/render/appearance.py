"""Light and colour. The defaults are those of ``appearance.json``, which the native viewer reads too."""

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from .shaders import shader_dir

Colour = tuple[float, float, float]

DEFAULTS: Final[dict[str, Any]] = json.loads((shader_dir() / "appearance.json").read_text(encoding="utf-8"))
DEFAULT_SIZE: Final[tuple[int, int]] = tuple(DEFAULTS["picture"]["size"])
DEFAULT_SAMPLES: Final[int] = DEFAULTS["picture"]["samples"]

# Contraction, relaxation (rest) and stretching, in the order of the label numbers; sRGB with the share as alpha.
LABEL_TINTS: Final = np.array(DEFAULTS["surface"]["label_tints"], dtype=np.uint8)

_LIGHT: Final[dict[str, Any]] = {name: tuple(v) if isinstance(v, list) else v for name, v in DEFAULTS["light"].items()}


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


def srgb_from_linear(colours: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """8-bit sRGB (IEC 61966-2-1) of linear colour in [0, 1]; any shape."""
    linear = np.asarray(colours, dtype=np.float64)
    if linear.size and not (np.all(linear >= 0.0) and np.all(linear <= 1.0)):
        raise ValueError(f"linear colour must lie in [0, 1], not {linear.min()} to {linear.max()}")
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * np.power(linear, 1.0 / 2.4) - 0.055)
    return np.rint(255.0 * encoded).astype(np.uint8)


def linear_from_srgb(colours: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Linear light of sRGB colour in [0, 1]; any shape."""
    encoded = np.asarray(colours, dtype=np.float64)
    return np.where(encoded <= 0.04045, encoded / 12.92, np.power((encoded + 0.055) / 1.055, 2.4))


def label_tints(labels: npt.ArrayLike) -> npt.NDArray[np.uint8]:
    """Tints (m, 4) of labels (m,): red for contraction (0), grey for rest (1), blue for stretching (2).

    Raises ValueError for any other label.
    """
    numbers = np.asarray(labels)
    if numbers.ndim != 1:
        raise ValueError(f"labels must have shape (m,), not {numbers.shape}")
    wrong = np.flatnonzero((numbers < 0) | (numbers > 2))
    if len(wrong):
        raise ValueError(f"labels must be 0, 1 or 2, but triangle {wrong[0]} has {numbers[wrong[0]]}")
    return LABEL_TINTS[numbers.astype(np.intp)]
