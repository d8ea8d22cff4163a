"""Which joints of a skeleton move head, hands and feet, whatever their triangles are painted with."""

import numpy as np
import numpy.typing as npt

from pucker.names import hangs_on_head, is_body, is_cloth_joint, is_finger, limb_of

_NONE = -1


def body_joints(names: list[str], parents: list[int]) -> npt.NDArray[np.bool_]:
    """Which nodes of a skeleton, whose parents come before them (-1: none), are of head, hands or feet, (K,).

    These are the nodes named so, what hair, eyes or a jaw hang on, a wrist on which fingers hang, and all below, except what is
    named like cloth. No node is that has joints of two limbs below it.
    """
    count = len(names)
    limbs: list[set[str]] = [set() for _ in range(count)]
    holds_face = np.zeros(count, bool)
    fingers = np.zeros(count, int)
    for k in reversed(range(count)):
        limb = limb_of(names[k])
        limbs[k] |= {limb} if limb else set()
        if parents[k] == _NONE:
            continue
        limbs[parents[k]] |= limbs[k]
        holds_face[parents[k]] |= hangs_on_head(names[k])
        fingers[parents[k]] += is_finger(names[k])
    found = np.zeros(count, bool)
    for k, name in enumerate(names):
        below = parents[k] != _NONE and found[parents[k]]
        # Of a skeleton without a joint for the hand it moves the palm, of others a cuff.
        is_palm = fingers[k] > 1 and limb_of(name) == "hand"
        of_limb = below or is_body(name) or holds_face[k] or is_palm
        found[k] = of_limb and len(limbs[k]) < 2 and not is_cloth_joint(name)
    return found


def topmost(chosen: npt.NDArray[np.bool_], parents: list[int]) -> npt.NDArray[np.int64]:
    """The chosen nodes whose parents are not."""
    return np.array([k for k in np.flatnonzero(chosen) if parents[k] == _NONE or not chosen[parents[k]]], np.int64)
