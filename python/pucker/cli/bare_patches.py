"""Bare skin within a joint that moves clothes too, such as a knee under shorts: patches of its colour, triangle by triangle."""

from typing import TYPE_CHECKING, Final

import numpy as np
import numpy.typing as npt

from pucker.cli.bare_skin import Skin, areas_at_rest

if TYPE_CHECKING:
    import pucker
    from pucker._core.sources import Source
    from pucker.io import IsolatedSource

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# Patches, and gaps within them, that are narrower than about four times this share of the height do not pay for their borders:
# 3 cm of a man, less than skin that shows anywhere and more than a button, a seam or what a picture's noise makes.
_BORDER: Final = 0.005
# A patch that holds more of the hips than this is of trousers or a robe that have the colour of skin.
_OF_HIPS: Final = 0.1
# The share of a patch that one arm or leg moves from which it is of that limb.
_OF_LIMB: Final = 0.9
# The areas of a strip that goes three quarters round a limb, as vectors along the normals, sum to this share of its area; those of
# one that goes all round to the difference of its two ends, and of a pad on one side to 0.64 or more.
_ROUND: Final = 0.3


def bare_patches(
    clip: "pucker.Clip",
    skin: Skin,
    known: Mask,
    hips: Mask,
    sides: npt.NDArray[np.intp],
) -> Mask:
    """(m,) which triangles are of patches of bare skin.

    Patches come from a minimum cut between skin and the rest: a triangle on the wrong side costs its area, a border its length
    times 0.5 % of the height. Of these, patches are skin that hold some which is known by its joints, that go all round one arm
    or leg, or that touch such a patch. Clothes of the colour of skin do not, or cover the hips as well.

    Args:
        clip: Of the whole character.
        skin: Where it shows the colour of skin.
        known: (m,) what head, hands and bare joints move.
        hips: (m,) what joints named like hips move.
        sides: (m,) the number of the arm or leg whose joints move each triangle, -1 for none.
    """
    points = clip.positions[0] if clip.rest is None else clip.rest
    areas = areas_at_rest(clip)
    lengths = np.linalg.norm(points[clip.mesh.edges[:, 1]] - points[clip.mesh.edges[:, 0]], axis=1)
    patches = clip.mesh.wanted_patches(areas * (2.0 * skin.alike - 1.0), _BORDER * clip.height * lengths)
    coloured = int(patches.max(initial=-1)) + 1
    patches = _with_shades(clip.mesh, patches, areas * (2.0 * skin.shaded - 1.0), lengths, _BORDER * clip.height)
    first, second, third = points[clip.faces.T]
    normals = 0.5 * np.cross(second - first, third - first)
    of_hips = float(areas[hips].sum())
    count = int(patches.max(initial=-1)) + 1
    possible, bare = np.zeros(count, bool), np.zeros(count, bool)
    for patch in range(count):
        inside = patches == patch
        whole = float(areas[inside].sum())
        possible[patch] = whole > 0.0 and float(areas[inside & hips].sum()) <= _OF_HIPS * of_hips
        is_round = float(np.linalg.norm(normals[inside].sum(axis=0))) <= _ROUND * whole
        of_side = np.bincount(sides[inside] + 1, weights=areas[inside])[1:]
        tells = np.any(inside & known) or (is_round and of_side.max(initial=0.0) >= _OF_LIMB * whole)
        bare[patch] = tells and patch < coloured
    bare &= possible
    # What touches skin is skin too, be it at a corner, as where a painted crease runs across.
    touched = np.zeros(clip.positions.shape[1], bool)
    while True:
        touched[clip.faces[np.append(bare, False)[patches]]] = True
        reached = np.zeros(count, bool)
        reached[patches[(patches >= 0) & touched[clip.faces].any(axis=1)]] = True
        if not np.any(reached & possible & ~bare):
            return np.asarray(np.append(bare, False)[patches])
        bare |= reached & possible


def _with_shades(
    mesh: "pucker.Mesh", patches: npt.NDArray[np.int32], wishes: Floats, lengths: Floats, border: float
) -> npt.NDArray[np.int32]:
    """(m,) patches, and after these such of skin's hue as have more than half of their border on some: light and shade that skin is
    painted with.
    """
    coloured = patches >= 0
    wider = mesh.wanted_patches(np.where(coloured, np.abs(wishes), wishes), border * lengths)
    rest = np.where(coloured, -1, wider)
    neighbours = mesh.triangle_neighbours
    is_outer = np.where(neighbours >= 0, rest[neighbours], -1) != rest[:, None]
    outer = np.where(is_outer & (mesh.triangle_edges >= 0), lengths[mesh.triangle_edges], 0.0)
    shared = np.where((neighbours >= 0) & coloured[neighbours], outer, 0.0)
    whole, on_some = (np.bincount(rest + 1, weights=each.sum(axis=1))[1:] for each in (outer, shared))
    chosen = np.append(on_some > 0.5 * whole, False)
    numbers = np.append(np.cumsum(chosen[:-1]) - 1, -1) + patches.max(initial=-1) + 1
    return np.where(chosen[rest], numbers[rest], patches).astype(np.int32)


def without_patches(
    source: "Source | IsolatedSource", clip: "pucker.Clip", name: str | None, parts: list[str], patches: Mask
) -> list[str]:
    """Parts, and that patches of bare skin are left out of them, as --parts takes them; as they are if that leaves nothing.

    Args:
        source: An open file.
        clip: Its clip `name` of the whole character.
        name: None if it has one only.
        parts: As --parts takes them.
        patches: (m,) which triangles of the clip are of a patch.
    """
    sides = np.asarray(clip.other_sides)
    bare = np.zeros(len(patches) + len(sides), bool)
    chosen = source.select(parts) if parts else ~bare
    bare[np.delete(np.arange(len(bare)), sides)] = patches
    bare &= chosen
    if bare.any() and len(sides):
        bare[sides] = chosen[sides] & _backs_of(source, clip, name, patches)
    return [*parts, f"-{_numbered(np.flatnonzero(bare))}"] if bare.any() and not bare[chosen].all() else parts


def _backs_of(source: "Source | IsolatedSource", clip: "pucker.Clip", name: str | None, marked: Mask) -> Mask:
    """Which of a clip's other sides are those of marked triangles: they lie in the same places."""

    def places(which: "pucker.Clip", some: Mask) -> list[bytes]:
        """Of each triangle the box around it in the first frame, of either winding."""
        corners = np.float32(which.positions[0][which.faces[some]])
        return [box.tobytes() for box in np.concatenate([corners.min(axis=1), corners.max(axis=1)], axis=1)]

    # Few frames, as only the first is looked at; what of the backs lies there twice counts as marked too.
    rate = 1.0 / max(float(clip.times[-1]), 1.0)
    backs = source.load(clip=name, parts=[_numbered(np.asarray(clip.other_sides))], fps=rate)
    here = set(places(clip, marked))
    found = [place in here for place in places(backs, np.ones(len(backs.faces), bool))]
    out = np.ones(len(clip.other_sides), bool)
    out[np.delete(np.arange(len(out)), backs.other_sides)] = found
    return out


def _numbered(numbers: npt.NDArray[np.intp]) -> str:
    """Ascending numbers of triangles, at least one, as --parts takes them: triangles:12-40+55."""
    starts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 2) > 1)
    ends = np.append(starts[1:], len(numbers)) - 1
    ranges = zip(numbers[starts].tolist(), numbers[ends].tolist(), strict=True)
    return "triangles:" + "+".join(str(a) if a == b else f"{a}-{b}" for a, b in ranges)
