"""What of a character is bare skin: joints, where clothes and skin are one part of one texture, and parts that no name tells."""

import warnings
from collections.abc import Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pucker._core import draw
from pucker.areas import triangle_areas

if TYPE_CHECKING:
    import pucker

Floats = npt.NDArray[np.float64]

# Distance in Oklab up to which colours are those of one skin. Lightness counts less, as textures paint light and shade.
_ALIKE: Final = 0.035
_LIGHTNESS: Final = 0.25
# Where a picture has light and shade painted in, skin is paler or deeper, of one hue: up to so many degrees from it, and of so much of
# its colourfulness. Cloth has such colours too.
_SAME_HUE: Final = 15.0
_COLOURFUL: Final = (0.4, 1.6)
# Hands that show less of one colour wear gloves or are not all hands, unless the other one holds something, of which it shows this
# much at least; heads show hair, eyes and more besides.
_OF_HANDS: Final = 0.8
_OF_FULL_HAND: Final = 0.15
_OF_HEAD: Final = 0.15
# The share of a joint's surface from which it is bare.
_BARE: Final = 0.6
# The share of a part's surface from which all of it is skin, and of a hand's from which the hand is of the part.
_SKIN: Final = 0.95
_OF_PART: Final = 0.5
# Of one colour all over, as a suit or a statue, no colour tells skin.
_ALL_OVER: Final = 0.8
# Where the texture is looked at: in the middle of a triangle, and half-way from there to its corners.
_PLACES: Final = np.array([[2, 2, 2], [4, 1, 1], [1, 4, 1], [1, 1, 4]]) / 6.0
# Triangles of the hands whose colours are tried, at most.
_TRIED: Final = 200

_TO_CONES: Final = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_OKLAB: Final = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


class Skin(NamedTuple):
    """Shares of each triangle, (m,): what has the colour of skin, and what has its hue, in whatever light and shade."""

    alike: Floats
    shaded: Floats


def skin_of(clip: "pucker.Clip", of_triangle: npt.NDArray[np.intp], kinds: dict[int, str | None]) -> Skin | None:
    """Where a character shows the colour of its skin, which hands are of, if the head shows it too.

    None where there is no such colour, where everything has it, and without Pillow, which reads the pictures.

    Args:
        clip: Of the whole character.
        of_triangle: (m,) the limb that moves each triangle, -1 for none.
        kinds: Of each limb: "head", "hand", "foot", or None where no name tells.
    """
    hands = [root for root, kind in kinds.items() if kind == "hand"]
    heads = [root for root, kind in kinds.items() if kind == "head"]
    if len(hands) < 2 or not heads or find_spec("PIL") is None:
        return None
    colours = _oklab(_linear_colours(clip))
    areas = areas_at_rest(clip)
    # Of the hand that is most of one colour, as the other one may hold something.
    of_hands = [of_triangle == hand for hand in hands]
    if not all(inside.any() for inside in of_hands):
        return None
    tried = [_commonest(colours, areas, inside) for inside in of_hands]
    _, alike, colour = max(
        (
            (_share(areas, inside, own := _alike(colours, each)), own, each)
            for inside, each in zip(of_hands, tried, strict=True)
        ),
        key=lambda each: each[0],
    )
    shares = sorted(_share(areas, inside, alike) for inside in of_hands)
    if (
        shares[0] < _OF_FULL_HAND
        or shares[-1] < _OF_HANDS
        or _share(areas, np.isin(of_triangle, heads), alike) < _OF_HEAD
        or _share(areas, of_triangle < 0, alike) > _ALL_OVER
    ):
        return None
    return Skin(alike, np.maximum(alike, _of_hue(colours, colour)))


def bare_joints(
    clip: "pucker.Clip", alike: Floats, joints: npt.NDArray[np.int32], limbs: npt.NDArray[np.intp]
) -> list[int]:
    """Numbers of joints that are of no limb and move hardly anything but skin.

    Args:
        clip: Of the whole character.
        alike: (m,) see `Skin`.
        joints: (m,) the number of the joint that moves each triangle most, -1 for none.
        limbs: (joints,) which limb each is of, -1 for none.
    """
    areas = areas_at_rest(clip)
    return [int(k) for k in np.flatnonzero(limbs < 0) if _share(areas, joints == k, alike) >= _BARE]


def bare_parts(
    clip: "pucker.Clip",
    alike: Floats,
    hands: Sequence[npt.NDArray[np.bool_]],
    numbers: npt.NDArray[np.int32],
    count: int,
) -> npt.NDArray[np.bool_]:
    """(count,) which parts are skin as a whole: they have its colour, and all hands are of them.

    Args:
        clip: Of the whole character.
        alike: (m,) see `Skin`.
        hands: (m,) of each hand, which triangles are of it.
        numbers: (m,) the number of the part that each triangle is of, -1 for none.
        count: How many parts there are.
    """
    areas = areas_at_rest(clip)
    found = np.zeros(count, bool)
    for number in range(count):
        mine = numbers == number
        found[number] = _share(areas, mine, alike) >= _SKIN and all(
            _share(areas, hand, mine) >= _OF_PART for hand in hands
        )
    return found


def areas_at_rest(clip: "pucker.Clip") -> Floats:
    """(m,) areas of the triangles in the bind pose, else in the first frame."""
    return triangle_areas(clip.faces, clip.positions[0] if clip.rest is None else clip.rest)


def _share(areas: Floats, inside: npt.NDArray[np.bool_], alike: Floats | npt.NDArray[np.bool_]) -> float:
    """What of the area of some triangles a share of each of them makes up."""
    whole = float(areas[inside].sum())
    return float((areas * alike)[inside].sum()) / whole if whole > 0.0 else 0.0


def _linear_colours(clip: "pucker.Clip") -> Floats:
    """(m, places, 3) linear RGB at places of each triangle: the material's colour, times its picture where it has one."""
    from pucker.io.pictures import decoded

    materials = np.asarray(clip.materials)
    found = np.ones((len(clip.faces), len(_PLACES), 3))
    for number, material in enumerate(clip.material_list):
        mine = np.flatnonzero(materials == number)
        if not len(mine):
            continue
        found[mine] = np.asarray(material.color)[:3]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what cannot be read is told where it is drawn
            picture = decoded(material)
        if picture is None or not len(clip.uv):
            continue
        pixels = np.asarray(picture.convert("RGB"))
        places = np.einsum("pc,mcd->mpd", _PLACES, clip.uv[clip.stored_faces[mine]])
        # Rows of a picture go down, the second coordinate goes up.
        across, down = places[..., 0] % 1.0, (1.0 - places[..., 1]) % 1.0
        height, width = pixels.shape[:2]
        shown = pixels[(down * height).astype(int) % height, (across * width).astype(int) % width]
        found[mine] *= draw.linear_from_srgb(shown / 255.0)
    return found


def _oklab(colours: Floats) -> Floats:
    """Lightness, as it counts here, and how red or green and yellow or blue, of linear RGB (..., 3): Oklab (Ottosson 2020)."""
    return np.asarray(np.cbrt(colours @ _TO_CONES.T) @ _TO_OKLAB.T * [_LIGHTNESS, 1.0, 1.0])


def _alike(colours: Floats, colour: Floats) -> Floats:
    """(m,) the share of the places of each triangle that have a colour."""
    return np.asarray((np.linalg.norm(colours - colour, axis=-1) < _ALIKE).mean(axis=1))


def _of_hue(colours: Floats, colour: Floats) -> Floats:
    """(m,) the share of the places of each triangle that have the hue of a colour, and about as much of it."""
    along = (colours[..., 1:] @ colour[1:]) / max(float(colour[1:] @ colour[1:]), 1e-300)
    off = np.linalg.norm(colours[..., 1:] - along[..., None] * colour[1:], axis=-1)
    near = off <= np.tan(np.radians(_SAME_HUE)) * along * np.linalg.norm(colour[1:])
    return np.asarray((near & (along >= _COLOURFUL[0]) & (along <= _COLOURFUL[1])).mean(axis=1))


def _commonest(colours: Floats, areas: Floats, inside: npt.NDArray[np.bool_]) -> Floats:
    """(3,) that of some triangles which most of their surface is like."""
    mine = np.flatnonzero(inside)
    tried = colours[mine[np.argsort(-areas[mine], kind="stable")[:_TRIED]], 0]
    like = [float((areas[mine] * _alike(colours[mine], each)).sum()) for each in tried]
    return np.asarray(tried[int(np.argmax(like))])
