"""Motion made for learning: limbs take poses that a file's clips show, in combinations that they do not.

A set predicts badly what no frame it learned from is like. A file's clips show each limb in many poses, but seldom an arm of one
clip with the legs of another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Skin
from pucker._core import _byexample as byexample
from pucker.drape import Body, Cut, cut_of
from pucker.farthest import distances_of, farthest

from .rotations import between, widened
from .trained import Floats

# Frames from one pose to the next.
HOP: Final = 8
# Poses among which those are chosen that are farthest from all frames so far.
_CANDIDATES: Final = 600
# By how much of its angle from a joint's mean rotation a pose goes on, or back, at most.
_WIDEN: Final = 0.3
# A candidate whose worst edge is stretched or squeezed by more than this multiple of what nearly all frames have is no pose of clothes.
_WORST: Final = 1.3
_NEARLY_ALL: Final = 0.99
# Frames of the clips that candidates are compared with, at most.
_COMPARED: Final = 600
# Of the height: what the skin may be off from the clip it is of.
_OFF: Final = 1e-6
# Of the height: what a joint's rotation against another counts beside how far its origin moves there. It decides between ancestors.
_TURN: Final = 1e-3


@dataclass(frozen=True, eq=False)
class MadeMotion:
    """A garment's motion that no file has."""

    clip: Clip
    """The garment alone, with the rest pose of the clips."""
    body: Body | None
    """All of the character that is not the garment, in each frame."""
    cut: Cut
    """What the garment was cut for."""
    shared: npt.NDArray[np.int32]
    """Vertices of the garment that the body has as well."""
    covered: float
    """How far the farthest candidate is from all frames, in stretch, root mean square over the edges."""


def made_motion(
    clips: Sequence[Clip], wholes: Sequence[Clip], frames: int, *, fps: float = 30.0, near: float = 0.0, seed: int = 0
) -> MadeMotion | None:
    """A motion of up to `frames` frames through poses that are far, by the garment's edges, from those of the clips.

    The joints' tree is found from their motion: a joint hangs on the one in whose frame its origin moves least (O'Brien et al. 2000).
    Where the tree branches limbs begin. A candidate takes each limb's pose from another frame, each joint of it a little nearer to, or
    farther from, the joint's mean rotation. Of the candidates that is taken, again and again, that is farthest from all frames of
    clips and candidates before, and the character goes there from the one before in `HOP` frames, by turning its joints.

    Args:
        clips: The garment in each clip of a file.
        wholes: The whole character in each, with as many frames.
        frames: How many to make at most.
        fps: Frames a second.
        near: Stretch, root mean square over the edges, within which candidates count as known.
        seed: Of the candidates.

    Returns:
        The motion; None for a character without a skin, whose joints do not move against each other, or of which all candidates are
        known, and for fewer frames than `HOP`.
    """
    if frames < HOP or any(whole.skin is None for whole in wholes):
        return None
    rig = _Rig(wholes)
    at = _places(clips[0], wholes[0])
    if at is None or rig.limbs < 2 or not rig.shows(wholes[0]):
        return None
    rest = np.asarray(clips[0].rest)
    features = byexample.Features(clips[0].mesh, rest)

    def stretches(poses: Floats) -> Floats:
        return np.array([features.stretch(pose) for pose in poses])

    shown = rig.local[:: -(-len(rig.local) // _COMPARED)]
    known = stretches(rig.positions(shown, at))
    candidates = rig.candidates(_CANDIDATES, np.random.default_rng(seed))
    places = stretches(rig.positions(candidates, at))
    worst = _WORST * np.quantile(np.abs(known - 1.0).max(axis=1), _NEARLY_ALL)
    possible = np.abs(places - 1.0).max(axis=1) <= worst
    chosen, covered = farthest(
        np.where(possible, distances_of(places, known).min(axis=1), -1.0),
        lambda index: distances_of(places, places[[index]])[:, 0],
        frames // HOP,
        near=near * np.sqrt(places.shape[1]),
    )
    if not chosen:
        return None
    ways, before = [], rig.local[0]
    shares = (np.arange(HOP) + 1.0) / HOP
    for index in chosen:
        ways.append(between(before, candidates[index], shares * shares * (3.0 - 2.0 * shares)))
        before = candidates[index]
    made = np.concatenate(ways)
    clip = Clip.from_arrays(clips[0].faces, rig.positions(made, at), np.arange(len(made)) / fps, rest=rest, weld=False)
    cut = cut_of(clips[0])
    body = _body(rig, clips[0], wholes[0], at, made)
    return MadeMotion(clip, body, cut, clips[0].shared_vertices, covered / float(np.sqrt(places.shape[1])))


class _Rig:
    """The joints of a character in all frames of its clips, each in the frame of the one it hangs on, and its skin."""

    def __init__(self, wholes: Sequence[Clip]) -> None:
        skin = wholes[0].skin
        world = _whole_matrices(np.concatenate([whole.skin.matrices for whole in wholes]))
        rest = np.asarray(wholes[0].rest)
        self._rest = np.hstack([rest, np.ones((len(rest), 1))])
        self._binds = _whole_matrices(skin.inverse_binds)
        self._weights = _weights_of(skin)
        self._height = wholes[0].height
        self._parents, self._order = _tree(world, self._height)
        self.local = world.copy()
        for joint in self._order[1:]:
            self.local[:, joint] = np.linalg.solve(world[:, self._parents[joint]], world[:, joint])
        # Where it stands and how it is turned folds nothing.
        self.local[:, self._order[0]] = world[0, self._order[0]]
        self._limb_of, self.limbs = self._limbs()

    def _limbs(self) -> tuple[npt.NDArray[np.intp], int]:
        """The limb of each joint, and how many there are; a joint that never moves against its own belongs to what it hangs on."""
        moving = np.ptp(self.local, axis=0).max(axis=(1, 2)) > _TURN
        children = np.bincount(self._parents[self._order[1:]][moving[self._order[1:]]], minlength=len(moving))
        found, count = np.zeros(len(moving), dtype=np.intp), 1
        for joint in self._order[1:]:
            above = self._parents[joint]
            found[joint] = found[above]
            if moving[joint] and children[above] > 1:
                found[joint] = count
                count += 1
        return found, count if moving.any() else 0

    def candidates(self, count: int, rng: np.random.Generator) -> Floats:
        """Local matrices (count, J, 4, 4) of poses whose limbs are each of a frame of its own."""
        picked = rng.integers(len(self.local), size=(count, self.limbs))
        found: Floats = self.local[picked[:, self._limb_of], np.arange(len(self._limb_of))]
        for joint in self._order[1:]:
            more = 1.0 + _WIDEN * rng.uniform(-1.0, 1.0, size=count)
            found[:, joint] = widened(found[:, joint], self.local[:, joint], more)
        return found

    def positions(self, local: Floats, vertices: npt.NDArray[np.intp]) -> Floats:
        """Of vertices, (frames, v, 3)."""
        world = local.copy()
        for joint in self._order[1:]:
            world[:, joint] = world[:, self._parents[joint]] @ local[:, joint]
        skinned = (world @ self._binds)[:, :, :3].reshape(len(local), len(self._binds), 12)
        weights, rest = self._weights[vertices], self._rest[vertices]
        return np.array([np.einsum("vik,vk->vi", (weights @ each).reshape(-1, 3, 4), rest) for each in skinned])

    def shows(self, whole: Clip) -> bool:
        """Whether the skin moves the rest pose as the clip has it, but for where it stands."""
        found = self.positions(self.local[:1], np.arange(len(self._rest)))[0]
        return bool(np.abs(found - whole.positions[0]).max() <= _OFF * max(self._height, np.finfo(float).tiny))


def _tree(world: Floats, height: float) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Parent of each of the joints in (frames, J, 4, 4), itself for the first, and their order from it, parents first."""
    count = world.shape[1]
    inverse = np.linalg.inv(world)
    apart = np.empty((count, count))
    for joint in range(count):
        seen = inverse @ world[:, joint : joint + 1]
        spread = seen.std(axis=0)
        apart[:, joint] = np.linalg.norm(spread[:, :3, 3], axis=1) + _TURN * height * spread[:, :3, :3].sum(axis=(1, 2))
    apart = 0.5 * (apart + apart.T)
    # The first is the one against which all others move least: the trunk.
    order = [int(apart.sum(axis=1).argmin())]
    parents = np.full(count, order[0])
    nearest = apart[order[0]].copy()
    left = np.ones(count, dtype=bool)
    left[order] = False
    while len(order) < count:
        joint = int(np.where(left, nearest, np.inf).argmin())
        order.append(joint)
        left[joint] = False
        closer = left & (apart[joint] < nearest)
        parents[closer] = joint
        nearest[closer] = apart[joint][closer]
    return parents, np.array(order)


def _whole_matrices(rows: npt.ArrayLike) -> Floats:
    """(…, 4, 4) of (…, 3, 4)."""
    given = np.asarray(rows)
    found = np.zeros((*given.shape[:-2], 4, 4))
    found[..., :3, :] = given
    found[..., 3, 3] = 1.0
    return found


def _weights_of(skin: Skin) -> Floats:
    """(n, J)"""
    found = np.zeros((len(skin.first) - 1, len(skin.joints)))
    vertices = np.repeat(np.arange(len(found)), np.diff(skin.first))
    np.add.at(found, (vertices, skin.influence_joints), skin.influence_weights)
    return found


def _places(garment: Clip, whole: Clip) -> npt.NDArray[np.intp] | None:
    """Which vertices of the whole character the garment's are; None if there is one that is none of them."""
    middle = len(garment) // 2

    def keys(clip: Clip) -> list[bytes]:
        rows = np.hstack([np.asarray(clip.rest), clip.positions[middle]])
        return [row.tobytes() for row in np.ascontiguousarray(rows)]

    numbers = {key: number for number, key in enumerate(keys(whole))}
    found = [numbers.get(key, -1) for key in keys(garment)]
    return None if min(found) < 0 else np.array(found)


def _body(rig: _Rig, garment: Clip, whole: Clip, at: npt.NDArray[np.intp], made: Floats) -> Body | None:
    """All triangles of the character that are not the garment's, in each of the made frames."""
    own = {tuple(sorted(face)) for face in at[garment.faces].tolist()}
    others = np.array([face for face in whole.faces.tolist() if tuple(sorted(face)) not in own], dtype=np.int32)
    if not len(others):
        return None
    used, faces = np.unique(others, return_inverse=True)
    standing = whole.standing if whole.standing is not None else whole.rest
    return Body(faces.reshape(-1, 3), rig.positions(made, used.astype(np.intp)), np.asarray(standing)[used])
