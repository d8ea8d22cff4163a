"""Which joints of a skeleton move head, hands and feet, where no name tells: by where they stand in the bind pose."""

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

_NONE = -1
# As shares of the height of all joints and what they move: joints that stand lower are of feet.
_LOW: Final = 0.12
# Ends of the skeleton that reach that high near the middle are of the head; near means that share of the farthest end's way from it,
# and those farther away than the second share are of hands.
_HIGH: Final = 0.85
_NEAR: Final = 0.3
_FAR: Final = 0.6
# Of the way from the trunk to the end of a limb: a hand begins at about three quarters, a foot at four fifths, elbow and knee at half.
_BEGINS: Final = 0.65


def shaped_limbs(
    parents: Sequence[int], places: npt.NDArray[np.float64], reaches: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Which of the joints of something that stands upright, whose parents come before them (-1: none), are of its limbs, (K,).

    Args:
        parents: Of each joint.
        places: (K, 3) where it is bound; y is up.
        reaches: (K,) how far from there the farthest that it moves is.
    """
    count = len(places)
    found = np.zeros(count, bool)
    if count == 0:
        return found
    low, high = float((places[:, 1] - reaches).min()), float((places[:, 1] + reaches).max())
    size = max(high - low, 1e-300)
    inner = {parent for parent in parents if parent != _NONE}
    ends = np.array([k for k in range(count) if k not in inner])
    rise, top = (places[:, 1] - low) / size, (places[:, 1] + reaches - low) / size
    # Arms reach farthest to the sides, whichever way it looks.
    level = places[:, [0, 2]]
    across = level @ np.linalg.eigh(np.cov(level[ends], rowvar=False, bias=True))[1][:, -1]
    away = across - 0.5 * (across[ends].min() + across[ends].max())
    far = max(float(np.abs(away[ends]).max()), 1e-300)
    groups: dict[tuple[str, bool], list[int]] = {}
    for end in ends.tolist():
        side = abs(float(away[end])) / far
        limb = (
            "foot"
            if rise[end] < _LOW
            else "hand"
            if side > _FAR
            else "head"
            if top[end] > _HIGH and side < _NEAR
            else ""
        )
        if limb:
            groups.setdefault((limb, limb != "head" and float(away[end]) < 0.0), []).append(end)
    if any((limb, left) not in groups for limb in ("foot", "hand") for left in (False, True)):
        return found
    for key, own in groups.items():
        others = [end for other, ends_there in groups.items() if other != key for end in ends_there]
        trunk = {k for end in others for k in _way_up(end, parents)}
        for end in own:
            chain = [k for k in _way_up(end, parents) if k not in trunk][::-1]
            along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(places[chain], axis=0), axis=1))])
            begins = _BEGINS * (float(along[-1]) + float(reaches[end]))
            for k, way in zip(chain, along, strict=False):
                found[k] |= key[0] == "head" or way >= begins or (key[0] == "foot" and rise[k] < _LOW)
    for k, parent in enumerate(parents):
        found[k] |= parent != _NONE and bool(found[parent])
    return found


def _way_up(joint: int, parents: Sequence[int]) -> list[int]:
    """A joint, the one it hangs on, and so on."""
    way = [joint]
    while parents[way[-1]] != _NONE:
        way.append(parents[way[-1]])
    return way
