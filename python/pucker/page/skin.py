"""What a live page holds of a character's skeleton, so that its reader can turn joints."""

from typing import Any, Final

import numpy as np

import pucker
from pucker.bake.joints import Rig

from .content import Coarse
from .numbers import Archive

# Numbers are finer than those that are drawn, as contact turns on little: steps of axes as shares of the largest, and of
# places as shares of the page's step.
_AXIS_STEPS: Final = 2**27
_PLACE_STEPS: Final = 2**11


def write_skin(clip: "pucker.Clip", coarse: Coarse, archive: Archive) -> dict[str, Any] | None:
    """Adds skeleton and skin; what a page has to know besides. None where joints alone do not say where all vertices are."""
    skins = [clip.skin] if coarse.body_vertices is None else [clip.skin, clip.body_skin]
    if any(skin is None for skin in skins):
        return None
    assert clip.body_rest is not None  # of a clip with a skin
    rigs = [Rig.of(skin) for skin in skins]
    weights = [rigs[0].weights]
    place_step = coarse.quantum / _PLACE_STEPS
    if coarse.body_vertices is not None:
        weights.append(rigs[1].weights[coarse.body_vertices])
        body_rest = clip.body_rest[coarse.body_vertices] - coarse.origin
        archive.add_wholes("skin_body_rest", np.rint(body_rest / place_step))
    moving = [np.flatnonzero(part.any(axis=0)) for part in weights]
    nodes = np.concatenate([np.array(rig.nodes)[joints] for rig, joints in zip(rigs, moving, strict=True)])
    binds = np.concatenate([rig.inverse_binds[joints, :3] for rig, joints in zip(rigs, moving, strict=True)])
    kept = _with_those_above(nodes, clip.skeleton.parents)
    number = np.full(len(clip.skeleton.parents) + 1, -1)
    number[kept] = np.arange(len(kept))
    archive.add_wholes("skin_parents", number[clip.skeleton.parents[kept]])
    archive.add_wholes("skin_nodes", number[nodes])
    archive.add_doubles("skin_binds", binds)
    _write_influences([part[:, joints] for part, joints in zip(weights, moving, strict=True)], archive)
    world = clip.skeleton.matrices[:, kept]
    axis_step = float(np.abs(world[..., :3]).max() / _AXIS_STEPS) or 1.0
    archive.add_wholes("skin_axes", np.rint(world[..., :3] / axis_step))
    archive.add_wholes("skin_places", np.rint((world[..., 3] - coarse.origin) / place_step))
    names = [clip.skeleton.nodes[node] for node in kept]
    joints = sorted(set(number[nodes].tolist()))
    return {"names": names, "joints": joints, "axisStep": axis_step, "placeStep": place_step}


def _with_those_above(nodes: np.ndarray[Any, Any], parents: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Nodes and all they hang on, ascending."""
    kept = np.zeros(len(parents), dtype=bool)
    for node in set(nodes.tolist()):
        above = node
        while above >= 0 and not kept[above]:
            kept[above] = True
            above = parents[above]
    return np.flatnonzero(kept)


def _write_influences(weights: "list[np.ndarray[Any, Any]]", archive: Archive) -> None:
    """Those of the garment's vertices, then of the body's, whose joints come after the garment's."""
    counts, joints, shares, before = [], [], [], 0
    for part in weights:
        vertex, joint = np.nonzero(part)
        counts.append(np.bincount(vertex, minlength=len(part)))
        joints.append(before + joint)
        shares.append(part[vertex, joint])
        before += part.shape[1]
    archive.add_wholes("skin_first", np.concatenate([[0], np.cumsum(np.concatenate(counts))]))
    archive.add_wholes("skin_influences", np.concatenate(joints))
    archive.add_doubles("skin_weights", np.concatenate(shares))
