"""Light and colour."""

from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Colour = tuple[float, float, float]

# Contraction, relaxation (rest) and stretching, in the order of the label numbers; sRGB with the share as alpha.
LABEL_TINTS: Final = np.array([[206, 58, 48, 190], [150, 150, 150, 150], [44, 92, 200, 190]], dtype=np.uint8)


@dataclass(frozen=True)
class Light:
    """A key light, a weaker fill light from the other side, and a sky; directions are towards the light, colours linear.

    `attached` turns the key and the fill with the camera (x right, y up, z towards the viewer); otherwise they stand
    in the world.
    """

    key_direction: Colour = (-0.55, 0.75, 0.50)
    key_colour: Colour = (1.08, 1.05, 1.00)
    fill_direction: Colour = (0.80, 0.05, 0.45)
    fill_colour: Colour = (0.17, 0.185, 0.21)
    sky_colour: Colour = (0.18, 0.19, 0.21)
    ground_colour: Colour = (0.09, 0.088, 0.085)
    specular: float = 0.07
    exponent: float = 18.0
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
