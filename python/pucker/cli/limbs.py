"""What of a character moves with head, hands and feet, or is bare."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pucker.cli.bare_patches import bare_patches
from pucker.cli.bare_skin import Skin, bare_joints, bare_parts, skin_of
from pucker.cli.body_joints import body_joints, topmost
from pucker.cli.shape_of_limbs import shaped_limbs
from pucker.names import is_hips, limb_of

if TYPE_CHECKING:
    import pucker
    from pucker._core.sources import Source
    from pucker.io import IsolatedSource


class Limbs:
    """What of a character moves with joints of head, hands and feet."""

    def __init__(self, source: "Source | IsolatedSource", found: "pucker.FileInfo", clip: "pucker.Clip") -> None:
        self._clip = clip
        self._names = list(found.joints)
        self._joints = np.delete(source.part_numbers("joints"), clip.other_sides)
        self._of_limbs = np.zeros(len(self._names), bool)
        self._roots = np.full(len(self._names), -1)
        self._nodes: list[str] = []
        self._parents: list[int] = []
        self._chosen = np.zeros(0, bool)
        if clip.skeleton is not None:
            self._nodes = list(clip.skeleton.nodes)
            self._parents = parents = [int(parent) for parent in clip.skeleton.parents]
            chosen = body_joints(self._nodes, parents)
            if not chosen.any():
                chosen = self._shaped(clip)
            self._chosen = chosen
            roots = np.full(len(self._nodes), -1)
            tops = topmost(chosen, parents)
            roots[tops] = tops
            for k in np.flatnonzero(chosen & (roots < 0)):
                roots[k] = roots[parents[k]]
            places = {name: k for k, name in enumerate(self._nodes)}
            for number, name in enumerate(self._names):
                if name in places:
                    self._of_limbs[number], self._roots[number] = chosen[places[name]], roots[places[name]]
        # Of each triangle.
        self.moved = np.append(self._of_limbs, False)[self._joints]

    def _shaped(self, clip: "pucker.Clip") -> npt.NDArray[np.bool_]:
        """Which nodes are of limbs by where they are bound, as no name tells; none unless it has arms, legs and a head."""
        bound: dict[int, npt.NDArray[np.float64]] = {}
        for skin in (clip.skin, clip.body_skin):
            if skin is not None:
                for node, bind in zip(skin.nodes.tolist(), skin.inverse_binds, strict=True):
                    bound.setdefault(node, -np.linalg.solve(bind[:, :3], bind[:, 3]))
        points = clip.positions[0] if clip.rest is None else clip.rest
        numbers = {name: k for k, name in enumerate(self._names)}
        reaches: dict[int, float] = {}
        for node, place in bound.items():
            number = numbers.get(self._nodes[node])
            moved = points[clip.faces[self._joints == number].ravel()] if number is not None else points[:0]
            if len(moved):
                reaches[node] = float(np.linalg.norm(moved - place, axis=1).max())
        kept = sorted(reaches)
        above = []
        for node in kept:
            parent = self._parents[node]
            while parent >= 0 and parent not in reaches:
                parent = self._parents[parent]
            above.append(kept.index(parent) if parent >= 0 else -1)
        found = np.zeros(len(self._nodes), bool)
        if kept:
            places = np.array([bound[node] for node in kept])
            found[kept] = shaped_limbs(above, places, np.array([reaches[node] for node in kept]))
        return found

    def left_out(self, inside: npt.NDArray[np.bool_], stays: npt.NDArray[np.bool_]) -> list[str]:
        """What is to be left out of some triangles as --parts takes it: joints of limbs that most of what they move is inside.

        Also those of a head of which half of what is inside keeps its shape, which `stays` (m,) tells: hair or a hat beside
        a face of another part. Not those of a hand of which only what its first joint moves is, the end of a sleeve: the
        fingers are skin.
        """
        out: list[str] = []
        within = (self._mostly(inside) | self._worn_on_heads(inside, stays)) & self._of_limbs
        moving = np.bincount(self._joints[self._joints >= 0], minlength=len(self._names)) > 0
        for root in np.unique(self._roots[within]):
            fingers = moving & (self._roots == root) & (np.array(self._names) != self._nodes[root])
            if limb_of(self._nodes[root]) == "hand" and fingers.any() and not np.any(within & fingers):
                continue
            below = [node for node in np.flatnonzero(self._below(root)) if self._nodes[node] in self._names]
            if self._chosen[below].all():
                out.append(f"-joint:{self._nodes[root]}/")
            else:
                out += [f"-joint:{self._nodes[node]}" for node in below if self._chosen[node]]
        return out

    def bare(self, inside: npt.NDArray[np.bool_]) -> tuple[list[str], npt.NDArray[np.bool_]]:
        """What else moves bare skin: other joints, as --parts takes them, of those that most of what they move is inside; and of what
        is left, (m,) which triangles are of patches of skin.

        Nothing where nothing that the hands move is inside: there skin is a part of its own.
        """
        nothing = np.zeros_like(inside)
        mostly = self._mostly(inside)
        if not np.any(mostly & ~self._of_limbs):
            return [], nothing
        hands = self._roots_of("hand")
        if not np.any(mostly & np.isin(self._roots, hands)) or self._skin is None:
            return [], nothing
        arms = np.isin(self._names, [self._nodes[self._parents[hand]] for hand in hands if self._parents[hand] >= 0])
        joints = self._bare_joints
        # Trousers that are as dark as their wearer, whose arms are not bare.
        if self._hips[joints].any() and not set(np.flatnonzero(arms)) <= set(joints):
            return [], nothing
        out = [k for k in joints if mostly[k]]
        known = np.isin(self._of_triangle, [*self._roots_of("head"), *hands]) | np.isin(self._joints, joints)
        sides = np.append(self._sides(), -1)[self._joints]
        patches = bare_patches(self._clip, self._skin, known, np.append(self._hips, False)[self._joints], sides)
        return [f"joint:{self._names[k]}" for k in out], patches & inside & ~self.moved & ~np.isin(self._joints, out)

    def skins(self, numbers: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.bool_]:
        """(count,) which parts are bare skin as a whole, by their colour; `numbers` (m,) tell the part of each triangle.

        None where hips have it, as a suit with its gloves.
        """
        if self._skin is None or self._hips[self._bare_joints].any():
            return np.zeros(count, bool)
        of_hands = [self._of_triangle == hand for hand in self._roots_of("hand")]
        return bare_parts(self._clip, self._skin.alike, of_hands, numbers, count)

    def _roots_of(self, kind: str) -> list[int]:
        return [root for root, its in self._kinds.items() if its == kind]

    @cached_property
    def _kinds(self) -> dict[int, str | None]:
        return {int(root): limb_of(self._nodes[root]) for root in np.unique(self._roots[self._roots >= 0])}

    @cached_property
    def _hips(self) -> npt.NDArray[np.bool_]:
        return np.array([is_hips(name) for name in self._names], bool)

    @cached_property
    def _of_triangle(self) -> npt.NDArray[np.intp]:
        return np.append(self._roots, -1)[self._joints]

    @cached_property
    def _skin(self) -> Skin | None:
        return skin_of(self._clip, self._of_triangle, self._kinds)

    @cached_property
    def _bare_joints(self) -> list[int]:
        return [] if self._skin is None else bare_joints(self._clip, self._skin.alike, self._joints, self._roots)

    def _sides(self) -> npt.NDArray[np.intp]:
        """(joints,) the number of the arm or leg that each is of, -1 for none: below it are some of the hands, or of the feet, not all
        of them, and nothing of another limb.
        """
        ends = {kind: {root for root, its in self._kinds.items() if its == kind} for kind in ("head", "hand", "foot")}
        limbs: list[frozenset[int]] = []
        for name in self._names:
            below = self._below(self._nodes.index(name)) if name in self._nodes else np.zeros(0, bool)
            reached = {root for root in np.flatnonzero(below).tolist() if self._kinds.get(root)}
            own = next((kind for kind in ("hand", "foot") if reached and reached < ends[kind]), None)
            limbs.append(frozenset(reached) if own else frozenset())
        numbers = {limb: k for k, limb in enumerate(sorted({limb for limb in limbs if limb}, key=sorted))}
        return np.array([numbers.get(limb, -1) for limb in limbs], np.intp)

    def _mostly(self, inside: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(joints,) whether most of what each moves is inside."""
        known = self._joints >= 0
        all_of = np.bincount(self._joints[known], minlength=len(self._names))
        of_inside = np.bincount(self._joints[known & inside], minlength=len(self._names))
        return np.asarray((of_inside > 0) & (2 * of_inside >= all_of))

    def _worn_on_heads(self, inside: npt.NDArray[np.bool_], stays: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
        """(joints,) whether each moves some of what is inside, with a head at least half of whose share of it keeps its shape."""
        count = len(self._names)
        all_of, stiff = (
            np.bincount(self._joints[(self._joints >= 0) & chosen], minlength=count)
            for chosen in (inside, inside & stays)
        )
        found = np.zeros(count, bool)
        for root in np.unique(self._roots[self._roots >= 0]):
            if any(limb_of(self._nodes[node]) == "head" for node in np.flatnonzero(self._below(root))):
                of_root = self._roots == root
                found |= of_root & (all_of > 0) & (2 * stiff[of_root].sum() >= all_of[of_root].sum())
        return found

    def _below(self, root: int) -> npt.NDArray[np.bool_]:
        """Which nodes are a node or below it."""
        found = np.zeros(len(self._nodes), bool)
        for k, parent in enumerate(self._parents):
            found[k] = k == root or (parent >= 0 and found[parent])
        return found
