"""Which parts of a character to wrinkle, and in which of its clips most happens."""

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

from pucker.cli.bare_patches import without_patches
from pucker.cli.deformation import RIGID, holds_pose, holds_poses, resizes, stiff_triangles
from pucker.cli.limbs import Limbs
from pucker.cli.pieces import RigidPieces
from pucker.names import bare_bodies, is_body, is_cloth, is_hard, is_skin, is_unusual

if TYPE_CHECKING:
    import pucker
    from pucker._core.sources import Source
    from pucker.io import IsolatedSource

PART_KINDS: Final = ("materials", "nodes", "meshes", "joints")
# Triangles count that are past it.
COUNTED: Final = 1.15
# Parts are suggested that score at least this much of what the first does; those of which this share keeps its shape, more.
_LEAST: Final = 1.0 / 6.0
_LEAST_STIFF: Final = 1.0 / 3.0
_STIFF: Final = 0.5
# What the share that compresses counts for a part that is named like cloth, that lies away from the skin, and that is closed all
# round, as solid things are.
_NAMED: Final = 2.0
_LOOSE: Final = 1.5
_CLOSED: Final = 0.5
# A part lies away from the skin that is, by its median, this share of the character's height away from it.
_GAP: Final = 0.005
# Farther away there is no skin under it: many characters have none below their clothes.
_NO_SKIN: Final = 0.05
# The share of a character's triangles that a part must have for others to be held against it: of a joint's one triangle all or
# nothing compresses.
_COUNTS: Final = 0.01
# The share of a part that moves with head, hands or feet from which it is of the body.
_OF_BODY: Final = 0.9
# Points of the skin, and of a part, that this is measured at.
_MOST_POINTS: Final = 1000
# Frames per second at which clips are compared.
_GLANCE: Final = 6.0
# Of the limit of memory, what the positions of a clip that is looked at only may take, with the copies made on the way.
_SHARE: Final = 0.25
# Frames of a clip that parts are ranked by, at most: a dance of minutes tells no more, and takes minutes.
_MOST_FRAMES: Final = 150
_BYTES_A_VERTEX: Final = 48
# What parts begin with that leave out limbs and bare skin.
_SKIN: Final = ("-joint:", "-triangles:")
_SIDES: Final = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_SIDE_LETTER: Final = re.compile(r"(?<![A-Za-z])([LRlr])(?![A-Za-z])")


@dataclass
class Part:
    """A part of a character and what of it compresses.

    Attributes:
        part: Its name as --parts takes it.
        triangles: How many it has, but for those of nodes that are rigid pieces, unless all are.
        past: How many of them are past the counted compression, mean of a frame.
        share: That of all its triangles.
        stiff: The share of its triangles that keep their shape.
        score: The share, by what name, borders and distance from the skin say; what the parts are ranked by.
        suggested: Whether it should wrinkle.
        reason: Why, or why not.
    """

    part: str
    triangles: int
    past: float
    share: float
    stiff: float = 0.0
    score: float = 0.0
    suggested: bool = False
    reason: str = ""


def mirrored(name: str) -> str | None:
    """The name of the part on the other side of the body: left for right, L for R; None for one in the middle."""
    for one, other in (*_SIDES, *((b, a) for a, b in _SIDES)):
        if one in name:
            return name.replace(one, other)
    swapped = _SIDE_LETTER.sub(lambda found: found[1].translate(str.maketrans("LRlr", "RLrl")), name)
    return None if swapped == name else swapped


def separate_parts(found: "pucker.FileInfo") -> list[str]:
    """The parts of the first kind that cuts the character up at all, as --parts takes them."""
    kind = separating(found)
    prefix = "joint:" if kind == "joints" else ""
    return [] if kind is None else [prefix + name for name, triangles in getattr(found, kind).items() if triangles > 0]


def separating(found: "pucker.FileInfo") -> str | None:
    """The first kind of part of which there are several with triangles, rather one whose parts are most of the character."""
    several = [kind for kind in PART_KINDS if sum(n > 0 for n in getattr(found, kind).values()) > 1]
    most = [kind for kind in several if 2 * sum(getattr(found, kind).values()) > found.triangles]
    return next(iter(most or several), None)


def looking_rate(found: "pucker.FileInfo", duration: float, fps: float) -> float:
    """The rate at which a clip of the whole character is looked at: `fps`, or fewer where so many frames would take too much."""
    from pucker.io import Limits

    frames = _SHARE * Limits.from_environment().memory / (_BYTES_A_VERTEX * max(found.stored_vertices, 1))
    return min(fps, max(frames, 2.0) / duration) if duration > 0.0 else fps


def compressions(clip: "pucker.Clip") -> Iterator[npt.NDArray[np.float64]]:
    """The compression of each triangle against its reference shape, frame by frame."""
    import pucker

    # Compression does not depend on the width, which a character that is one point has no height to be a share of. Each triangle's
    # own, as smoothing would carry some of it over to other parts.
    for state in pucker.run(clip, pucker.Params(min_width=None if clip.height > 0.0 else 1.0, guide={"rounds": 0})):
        yield state.compression


def _glanced(clip: "pucker.Clip") -> npt.NDArray[np.bool_]:
    """Which triangles are past the counted compression against the bind pose, else the first frame, (frames, m)."""
    first, second, third = clip.faces.T

    def products(points: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], ...]:
        """Inner products of the first two edges of each triangle, (m,) each."""
        one, other = (points[end] - points[first] for end in (second, third))
        return tuple(np.einsum("mi,mi->m", a, b) for a, b in ((one, one), (one, other), (other, other)))

    a, b, c = products(clip.positions[0] if clip.rest is None else clip.rest)
    area = a * c - b * b
    flat = area <= 1e-12 * (a + c) ** 2
    area[flat] = 1.0
    past = np.empty((len(clip), len(clip.faces)), bool)
    for k, points in enumerate(clip.positions):
        # The squares of the stretches are the eigenvalues of the metrics' quotient.
        p, q, r = products(points)
        half, product = 0.5 * (c * p - 2.0 * b * q + a * r) / area, (p * r - q * q) / area
        past[k] = (half - np.sqrt(np.maximum(half**2 - product, 0.0)) < COUNTED**-2) & ~flat
    return past


def liveliest(
    source: "Source | IsolatedSource", found: "pucker.FileInfo", parts: Sequence[str] | None = None
) -> str | None:
    """The clip in which the largest share of the cloth is compressed, on average over its frames; None if none lasts.

    Where nothing compresses in any, as of a character of rigid pieces, that in which most moves.

    Of those whose names say that a character stands, walks or does what it does on its feet, if there are any: rolls, deaths and
    jumps fold cloth most, and show it least; nor one that shrinks or grows the character, or holds a pose for most of its time, if another does not. Of frames that a game's file names, the first that is listed, which stands or walks.
    Cloth is `parts`, else what is not named like a part of the body.
    """
    lasting: list[str] = [name for name, duration in found.clips.items() if duration > 0.0]
    lasting = [name for name in lasting if not is_unusual(name)] or lasting
    if len(lasting) < 2 or found.format == "md3":
        return lasting[0] if lasting else None
    names = list(parts) if parts else [name for name in separate_parts(found) if not is_body(name)]
    scores: list[tuple[bool, bool, float, float]] = []
    for name in lasting:
        # Short clips too get a few frames.
        fps = looking_rate(found, found.clips[name], max(_GLANCE, 4.0 / found.clips[name]))
        clip = source.load(clip=name, parts=names or None, fps=fps)
        moved = np.linalg.norm(np.ptp(clip.positions, axis=0), axis=1)
        scores.append((not resizes(clip), not holds_poses(clip), float(_glanced(clip).mean()), float(moved.mean())))
    return lasting[max(range(len(lasting)), key=scores.__getitem__)]


def rank(
    source: "Source | IsolatedSource",
    found: "pucker.FileInfo",
    clip: "pucker.Clip",
    limbs: Limbs,
    stays: npt.NDArray[np.bool_],
    pieces: npt.NDArray[np.bool_],
) -> list[Part]:
    """The parts of a character by how much of them compresses in a clip of all of it; none if it has one part only.

    Ranked by the share of their triangles that is past `COUNTED`, on average over the frames, left and right together, and by
    what else tells cloth: its name, open borders, and how far it lies away from the skin. Those with at least a sixth of the
    score of the first are suggested, a third if half of their triangles keep their shape, none that is named like a part of the
    body, and what is named like armour or metal only where there is nothing else. `stays` (m,) are the triangles that do,
    `pieces` (m,) those of rigid pieces, which say nothing of the rest of their part.
    """
    kind = separating(found)
    if kind is None:
        return []
    names = list(getattr(found, kind))
    numbers = np.delete(source.part_numbers(kind), clip.other_sides)
    bends = np.bincount(numbers[(numbers >= 0) & ~pieces], minlength=len(names)) > 0
    numbers = np.where(pieces & np.append(bends, False)[numbers], -1, numbers).astype(np.int32)
    past = np.mean([compression > COUNTED for compression in compressions(clip)], axis=0)
    inside = numbers >= 0
    triangles = np.bincount(numbers[inside], minlength=len(names))
    sums = np.bincount(numbers[inside], weights=past[inside], minlength=len(names))
    stiff = np.bincount(numbers[inside], weights=stays[inside], minlength=len(names))
    prefix = "joint:" if kind == "joints" else ""
    kept = [k for k in range(len(names)) if triangles[k] > 0]
    parts = {
        prefix + names[k]: Part(
            prefix + names[k],
            int(triangles[k]),
            float(sums[k]),
            float(sums[k] / triangles[k]),
            float(stiff[k] / triangles[k]),
        )
        for k in kept
    }
    order = {name: k for k, name in enumerate(parts)}
    pairs = [_pair(part, parts) for part in parts.values()]
    evidence = _Evidence(clip, numbers, [prefix + name for name in names], limbs, are_joints=kind == "joints")
    shares_of = [sum(p.past for p in pair) / sum(p.triangles for p in pair) for pair in pairs]
    judged = [evidence.judged(k, share) for k, share in zip(kept, shares_of, strict=True)]
    if not any(score > 0.0 for score, _ in judged):
        judged = [evidence.judged(k, share, by_colour=False) for k, share in zip(kept, shares_of, strict=True)]
    for k, pair, (score, reason) in zip(kept, pairs, judged, strict=True):
        part = parts[prefix + names[k]]
        part.score = score
        part.reason = reason + (" with its mirror image" if len(pair) > 1 and score > 0.0 else "")
    _suggest_best(list(parts.values()))
    first = {name: min(order[p.part] for p in _pair(part, parts)) for name, part in parts.items()}
    together = {name: max(p.score for p in _pair(part, parts)) for name, part in parts.items()}
    shares = {name: sum(p.past for p in _pair(part, parts)) for name, part in parts.items()}
    return [
        parts[name]
        for name in sorted(parts, key=lambda name: (-together[name], -shares[name], first[name], -parts[name].share))
    ]


def _suggest_best(parts: list[Part]) -> None:
    """Marks those that should wrinkle, and says of the others why not."""
    soft = [part for part in parts if part.score > 0.0 and not is_hard(part.part)]
    candidates = soft or [part for part in parts if part.score > 0.0]
    least = _COUNTS * sum(part.triangles for part in parts)
    counting = [part for part in candidates if part.triangles >= least] or candidates
    best = max((part.score for part in counting), default=0.0)
    for part in candidates:
        is_stiff = part.stiff >= _STIFF
        part.suggested = part.score >= (_LEAST_STIFF if is_stiff else _LEAST) * best
        if not part.suggested:
            share = "a third of the first and half of it keeps its shape" if is_stiff else "a sixth of the first"
            part.reason = f"counts less than {share}: {part.reason}"
    if soft:
        for part in parts:
            if part.score > 0.0 and is_hard(part.part):
                part.reason = "is named like something that keeps its shape"


class _Evidence:
    """What tells cloth from other parts of a character, which are numbered by triangle."""

    def __init__(
        self,
        clip: "pucker.Clip",
        numbers: npt.NDArray[np.int32],
        names: list[str],
        limbs: Limbs,
        *,
        are_joints: bool,
    ) -> None:
        self._names = names
        inside = numbers >= 0
        triangles = np.bincount(numbers[inside], minlength=len(names))
        moved = np.bincount(numbers[inside], weights=limbs.moved[inside], minlength=len(names))
        self._of_body = moved >= _OF_BODY * np.maximum(triangles, 1)
        self._height = clip.height
        # Joints cut one surface up: that of a sleeve has the borders of a hand's.
        self._skins = np.zeros(len(names), bool) if are_joints else limbs.skins(numbers, len(names))
        self._open = np.ones(len(names), bool) if are_joints else _have_borders(clip.faces, numbers, len(names))
        self._points = clip.positions[0] if clip.rest is None else clip.rest
        self._faces = clip.faces
        # The triangles of a part stand together in this order.
        self._order = np.argsort(numbers, kind="stable")
        self._ends = np.searchsorted(numbers[self._order], np.arange(len(names) + 1))
        self._bare = set() if are_joints else bare_bodies(names)
        skin = np.append(self._skins | [is_skin(name) or name in self._bare for name in names], False)
        self._skin = None if are_joints else _some(self._points[np.unique(clip.faces[skin[numbers]])])

    def judged(self, number: int, share: float, *, by_colour: bool = True) -> tuple[float, str]:
        """The score of a part, and what it comes from; `by_colour` says whether its colour may tell that it is skin."""
        name = self._names[number]
        if share == 0.0:
            return 0.0, "does not compress"
        if is_body(name):
            return 0.0, "is named like a part of the body"
        if name in self._bare:
            return 0.0, "is the body that wears what is named like cloth"
        if by_colour and self._skins[number] and not is_cloth(name):
            return 0.0, "is of the hands, and of their colour all over"
        if self._of_body[number] and not is_cloth(name):
            return 0.0, "moves with head, hands or feet"
        score, said = share, ["compresses"]
        if is_cloth(name):
            score *= _NAMED
            said.append("is named like cloth")
        if not self._open[number]:
            score *= _CLOSED
            said.append("is closed all round")
        gap = self._gap(number)
        if gap > _GAP:
            score *= _LOOSE
            near = f"lies {100.0 * gap:.1f} % of the height from the skin"
            said.append(near if gap <= _NO_SKIN else "has no skin under it")
        return score, ", ".join(said)

    def _gap(self, number: int) -> float:
        """How far a part is from the skin, by its median, as a share of the height; 0 without a skin."""
        if self._skin is None or len(self._skin) == 0 or not self._height > 0.0:
            return 0.0
        own = _some(self._points[np.unique(self._faces[self._order[self._ends[number] : self._ends[number + 1]]])])
        away = np.linalg.norm(own[:, None] - self._skin[None], axis=-1).min(axis=1)
        return float(np.median(away)) / self._height


def _some(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """At most so many of the points, evenly taken."""
    return points[:: max(1, -(-len(points) // _MOST_POINTS))]


def _have_borders(faces: npt.NDArray[np.int32], numbers: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.bool_]:
    """Whether each part has an edge of one triangle of the part only, (count,)."""
    edges = np.sort(faces[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    owners = np.repeat(numbers, 3)
    uses, times = np.unique(np.column_stack([owners, edges]), axis=0, return_counts=True)
    found = np.zeros(count + 1, bool)
    found[uses[times == 1, 0]] = True
    return found[:count]


def _pair(part: Part, parts: dict[str, Part]) -> list[Part]:
    other = parts.get(mirrored(part.part) or "")
    return [part] if other is None else [part, other]


def suggest(source: "Source | IsolatedSource", found: "pucker.FileInfo", clip_name: str, fps: float) -> dict[str, Any]:
    """The clip, the parts suggested for it, the ranking they come from, the share of the triangles that keep their shape, and
    whether nothing is suggested as nothing moves.
    """
    judged = _judged(source, found, clip_name, fps) if separating(found) else _Judged([], [])
    return {
        "clip": clip_name,
        "parts": judged.parts,
        "ranking": [asdict(part) for part in judged.ranking],
        "stiff": judged.stiff,
        "still": judged.still,
    }


def _whole(source: "Source | IsolatedSource", found: "pucker.FileInfo", clip: str | None, fps: float) -> "pucker.Clip":
    """A clip of the whole character, of as many frames as there is memory for, and enough."""
    durations = found.clips
    duration = durations.get(clip, 0.0) if clip is not None else next(iter(durations.values()), 0.0)
    rate = looking_rate(found, duration, fps)
    return source.load(clip=clip, fps=min(rate, _MOST_FRAMES / duration) if duration > 0.0 else rate)


def choose(
    source: "Source | IsolatedSource", clip: str | None, parts: list[str] | None, fps: float
) -> tuple[str | None, list[str] | None]:
    """The clip and the parts, and where one is None, the liveliest clip and the parts suggested; None if there is no choice."""
    found = source.inspect()
    if clip is None and len(found.clips) > 1:
        clip = liveliest(source, found, parts)
    if parts is None and separate_parts(found) and (clip is not None or len(found.clips) == 1):
        parts = _judged(source, found, clip, fps).parts or None
    return clip, parts


@dataclass
class _Judged:
    """The ranking of parts, those suggested as --parts takes them, and the share of the triangles that keep their shape.

    `still` says that nothing is suggested as nothing moves.
    """

    ranking: list[Part]
    parts: list[str]
    stiff: float = 0.0
    still: bool = False


def _judged(source: "Source | IsolatedSource", found: "pucker.FileInfo", clip_name: str | None, fps: float) -> _Judged:
    """What is suggested for a clip: of a part that has the skin too, limbs and bare skin are left out; nothing of rigid pieces.

    Where joints are all that tells parts apart, they cut one surface up, and it wrinkles as a whole but for limbs, bare skin and
    what keeps its shape.
    """
    clip = _whole(source, found, clip_name, fps)
    stays = stiff_triangles(clip)
    stiff = float(stays.mean()) if len(stays) else 0.0
    if stiff >= RIGID:
        return _Judged([], [], stiff)
    limbs = Limbs(source, found, clip)
    kind = separating(found)
    # Nodes that are the parts are judged themselves.
    pieces = RigidPieces(source, found, clip, np.zeros_like(stays) if kind == "nodes" else stays)
    ranking = rank(source, found, clip, limbs, stays, pieces.triangles)
    taken = [part.part for part in ranking if part.suggested]
    if kind is None or not taken:
        return _Judged(ranking, taken, stiff, not taken and holds_pose(clip))
    if kind == "joints":
        everything = np.ones(len(clip.faces), bool)
        bare, patches = limbs.bare(everything)
        for part in ranking:
            if part.part in bare:
                part.suggested, part.reason = False, "has the colour of hands and face"
        out = limbs.left_out(everything, stays) + [f"-{part}" for part in bare]
        out += [f"-{part.part}" for part in ranking if is_hard(part.part)]
        out += pieces.left_out(everything)
        return _Judged(ranking, without_patches(source, clip, clip_name, out, patches) or taken, stiff)
    names = list(getattr(found, kind))
    numbers = np.delete(source.part_numbers(kind), clip.other_sides)
    suggested = set(taken)
    chosen = [number for number, name in enumerate(names) if name in suggested]
    out = pieces.left_out(np.isin(numbers, chosen))
    mixed = [number for number in chosen if not is_cloth(names[number])]
    if mixed and found.joints:
        inside = np.isin(numbers, mixed) & ~pieces.triangles
        bare, patches = limbs.bare(inside)
        out = [*limbs.left_out(inside, stays), *(f"-{part}" for part in bare), *out]
        return _Judged(ranking, without_patches(source, clip, clip_name, [*taken, *out], patches), stiff)
    return _Judged(ranking, [*taken, *out], stiff)


def limb_warning(parts: Sequence[str]) -> str:
    """Half a sentence that says what suggested parts leave out, and how to have it; empty if it is nothing."""
    taken = [part for part in parts if not part.startswith("-")]
    if len(taken) == len(parts):
        return ""
    if not taken:
        return "all but what moves with head, hands and feet or is bare skin, as joints are its only parts"
    out = [part for part in parts if part.startswith("-")]
    kinds = [
        kind
        for kind, holds in (
            ("the joints of head, hands, feet and bare skin", any(part.startswith(_SKIN) for part in out)),
            ("rigid pieces", not all(part.startswith(_SKIN) for part in out)),
        )
        if holds
    ]
    return f"without {' and '.join(kinds)}; --parts {shlex.quote(','.join(taken))} takes these too"
