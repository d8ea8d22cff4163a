"""The skeleton of clips as nodes that turn, move and scale: what animations of joints can hold."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.quaternions import quaternions

Floats = npt.NDArray[np.float64]

# How far the axes of a node may be from perpendicular.
_SHEAR: Final = 1e-3
# Two bind transforms of one node closer than that are one.
_SAME_BIND: Final = 1e-6


@dataclass(frozen=True)
class Track:
    """Nodes (K) in each frame, relative to the one each hangs on.

    Attributes:
        times: Seconds (frames,), the first frame at 0.
        translations, scales: (frames, K, 3).
        rotations: (frames, K, 4), unit quaternions x, y, z, w, of which one never leaps to its negative.
    """

    times: Floats
    translations: Floats
    rotations: Floats
    scales: Floats


@dataclass(frozen=True)
class Joints:
    """The nodes of a character: their names, the node each hangs on or -1, where the bind pose has them, and their clips."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    bind: Track
    clips: Mapping[str, Track]


def joints_of(clips: "Mapping[str, pucker.Clip]") -> Joints:
    """Of clips of one character, all with a skeleton.

    Raises ValueError for a node whose axes are not perpendicular, as those of one that turns below uneven scale.
    """
    skeleton = next(iter(clips.values())).skeleton
    parents = skeleton.parents
    tracks = {name: _track(name, clip, parents) for name, clip in clips.items()}
    return Joints(tuple(skeleton.nodes), tuple(parents.tolist()), _bind(clips), tracks)


def _whole(matrices: npt.ArrayLike) -> Floats:
    """(…, 4, 4) of (…, 3, 4)."""
    given = np.asarray(matrices)
    out = np.zeros((*given.shape[:-2], 4, 4))
    out[..., :3, :], out[..., 3, 3] = given, 1.0
    return out


def _track(name: str, clip: "pucker.Clip", parents: npt.NDArray[np.int32]) -> Track:
    world = _whole(clip.skeleton.matrices)
    return _parted(f"clip {name}", clip.skeleton.nodes, clip.times - clip.times[0], _local(world, parents))


def _local(world: Floats, parents: npt.NDArray[np.int32]) -> Floats:
    """Each relative to the node it hangs on; below one that is scaled to nothing, nothing is known and all stays."""
    above = np.where((parents >= 0)[:, None, None], world[..., parents, :, :], np.eye(4))
    flat = np.abs(np.linalg.det(above)) < 1e-18
    inverse = np.linalg.inv(np.where(flat[..., None, None], np.eye(4), above))
    local: Floats = np.where(flat[..., None, None], np.eye(4), inverse @ world)
    return local


def _bind(clips: "Mapping[str, pucker.Clip]") -> Track:
    """Joints where they were bound; what is none hangs on the node above as in the first frame of the first clip."""
    clip = next(iter(clips.values()))
    skeleton = clip.skeleton
    bound: dict[int, Floats] = {}
    for skin in (clip.skin, clip.body_skin):
        if skin is not None:
            for node, bind in zip(skin.nodes.tolist(), _whole(skin.inverse_binds), strict=True):
                bound.setdefault(node, np.linalg.inv(bind))
    first = _local(_whole(skeleton.matrices[0]), skeleton.parents)
    world = np.empty_like(first)
    for node, parent in enumerate(skeleton.parents.tolist()):
        above = world[parent] if parent >= 0 else np.eye(4)
        world[node] = bound.get(node, above @ first[node])
    return _parted("the bind pose", skeleton.nodes, np.zeros(1), _local(world, skeleton.parents)[None])


def _parted(where: str, names: list[str], times: Floats, local: Floats) -> Track:
    linear = local[..., :3, :3]
    scales = np.linalg.norm(linear, axis=-2)
    hidden = scales < 1e-12
    turns = np.where(hidden[..., None, :], np.eye(3), linear / np.where(hidden, 1.0, scales)[..., None, :])
    turns[hidden.any(axis=-1)] = np.eye(3)
    shear = np.abs(np.swapaxes(turns, -1, -2) @ turns - np.eye(3)).max(axis=(-1, -2))
    if shear.max(initial=0.0) > _SHEAR:
        frame, node = np.unravel_index(np.argmax(shear), shear.shape)
        raise ValueError(
            f"joints can turn, move and scale along their own axes only, but {names[node]!r} is sheared by {shear[frame, node]:.2g} in "
            f"frame {frame} of {where}, as by uneven scale above it"
        )
    mirrored = np.linalg.det(turns) < 0.0
    scales = np.where(mirrored[..., None], -scales, scales)
    turns = np.where(mirrored[..., None, None], -turns, turns)
    return Track(times, local[..., :3, 3], _steady(turns), scales)


def _steady(turns: Floats) -> Floats:
    """Unit quaternions (frames, K, 4) of rotations, x, y, z, w: in the first frame the largest number is positive."""
    unit = np.roll(quaternions(turns), -1, axis=-1)
    largest = np.argmax(np.abs(unit), axis=-1)[..., None]
    unit *= np.sign(np.take_along_axis(unit, largest, axis=-1))
    for frame in range(1, len(unit)):
        unit[frame] *= np.where((unit[frame] * unit[frame - 1]).sum(axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
    return unit


@dataclass(frozen=True)
class Rig:
    """The joints of a skin, each once: a node that several meshes were bound to in the same place is one joint.

    Attributes:
        nodes: Of the skeleton, (J,).
        inverse_binds: (J, 4, 4), from the bind pose to each.
        weights: (n, J), of a vertex sum 1.
    """

    nodes: tuple[int, ...]
    inverse_binds: Floats
    weights: Floats

    @staticmethod
    def of(skin: "pucker.Skin") -> "Rig":
        """That of a skin."""
        binds = _whole(skin.inverse_binds)
        kept: list[int] = []
        number = np.zeros(len(binds), np.int64)
        for k, bind in enumerate(binds):
            near = _SAME_BIND * np.abs(bind).max()
            alike = (
                r
                for r, other in enumerate(kept)
                if skin.nodes[other] == skin.nodes[k] and np.abs(binds[other] - bind).max() <= near
            )
            number[k] = next(alike, len(kept))
            if number[k] == len(kept):
                kept.append(k)
        weights = np.zeros((len(skin.first) - 1, len(kept)))
        owners = np.repeat(np.arange(len(weights)), np.diff(skin.first))
        np.add.at(weights, (owners, number[skin.influence_joints]), skin.influence_weights)
        return Rig(tuple(skin.nodes[kept].tolist()), binds[kept], weights)

    def bones(self, skeleton: "pucker.Skeleton", frame: int) -> Floats:
        """From the bind pose to the world in a frame, (J, 3, 4)."""
        found: Floats = skeleton.matrices[frame][list(self.nodes)] @ self.inverse_binds
        return found
