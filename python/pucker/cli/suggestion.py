"""Which parts of a character to wrinkle, and in which of its clips most happens."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pucker
    from pucker._core.sources import Source
    from pucker.io import IsolatedSource

PART_KINDS: Final = ("materials", "nodes", "meshes", "joints")
# Triangles count that are past it: a little under the default threshold.
COUNTED: Final = 1.15
# Parts are suggested that compress at least this much of what the first does.
_LEAST: Final = 1.0 / 3.0
# Frames per second at which clips are compared.
_GLANCE: Final = 6.0
_BODY: Final = re.compile(
    r"(?<![a-z])(skin|face|eyes?|eyebrows?|hair|beard|heads?|neck|hands?|fingers?|thumb|foot|feet|toes?|shoes?|boots?|teeth|"
    r"tongue|mouth|jaw|nose|ears?|nails?)(?![a-z])"
)
_SIDES: Final = (("left", "right"), ("Left", "Right"), ("LEFT", "RIGHT"))
_SIDE_LETTER: Final = re.compile(r"(?<![A-Za-z])([LRlr])(?![A-Za-z])")


@dataclass
class Part:
    """A part of a character and what of it compresses.

    Attributes:
        part: Its name as --parts takes it.
        triangles: How many it has.
        past: How many of them are past the counted compression, mean of a frame.
        share: That of all its triangles.
        suggested: Whether it should wrinkle.
        reason: Why, or why not.
    """

    part: str
    triangles: int
    past: float
    share: float
    suggested: bool = False
    reason: str = ""


def mirrored(name: str) -> str | None:
    """The name of the part on the other side of the body: left for right, L for R; None for one in the middle."""
    for one, other in (*_SIDES, *((b, a) for a, b in _SIDES)):
        if one in name:
            return name.replace(one, other)
    swapped = _SIDE_LETTER.sub(lambda found: found[1].translate(str.maketrans("LRlr", "RLrl")), name)
    return None if swapped == name else swapped


def is_body(name: str) -> bool:
    """Whether a part is named like something that is no cloth: skin, hair, hands, shoes."""
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return _BODY.search(words) is not None


def separate_parts(found: "pucker.FileInfo") -> list[str]:
    """The parts of the first kind that cuts the character up at all, as --parts takes them."""
    for kind in PART_KINDS:
        names = [name for name, triangles in getattr(found, kind).items() if triangles > 0]
        if len(names) > 1:
            return [f"joint:{name}" for name in names] if kind == "joints" else names
    return []


def compressions(clip: "pucker.Clip") -> Iterator[npt.NDArray[np.float64]]:
    """The compression of each triangle against its reference shape, frame by frame."""
    import pucker

    # Compression does not depend on the width, which a character that is one point has no height to be a share of.
    for state in pucker.run(clip, pucker.Params(min_width=None if clip.height > 0.0 else 1.0)):
        yield state.compression


def _glanced(clip: "pucker.Clip") -> npt.NDArray[np.bool_]:
    """Which triangles are past the counted compression against the bind pose, else the first frame, (frames, m)."""
    rest = clip.positions[0] if clip.rest is None else clip.rest

    def products(points: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Inner products of the first two edges of each triangle, (..., m, 2, 2)."""
        corners = points[..., clip.faces, :]
        edges = corners[..., 1:, :] - corners[..., :1, :]
        return np.asarray(edges @ np.swapaxes(edges, -1, -2))

    metric = products(rest)
    flat = np.linalg.det(metric) <= 1e-12 * np.trace(metric, axis1=-2, axis2=-1) ** 2
    metric[flat] = np.eye(2)
    # The squares of the stretches are the eigenvalues of the metrics' quotient.
    quotient = np.linalg.solve(metric, products(clip.positions))
    half, product = 0.5 * np.trace(quotient, axis1=-2, axis2=-1), np.linalg.det(quotient)
    smallest = half - np.sqrt(np.maximum(half**2 - product, 0.0))
    return np.asarray((smallest < COUNTED**-2) & ~flat)


def liveliest(
    source: "Source | IsolatedSource", found: "pucker.FileInfo", parts: Sequence[str] | None = None
) -> str | None:
    """The clip in which the largest share of the cloth is compressed, on average over its frames; None if none lasts.

    Cloth is `parts`, else what is not named like a part of the body.
    """
    lasting: list[str] = [name for name, duration in found.clips.items() if duration > 0.0]
    if len(lasting) < 2:
        return lasting[0] if lasting else None
    names = list(parts) if parts else [name for name in separate_parts(found) if not is_body(name)]
    scores = []
    for name in lasting:
        # Short clips too get a few frames.
        fps = max(_GLANCE, 4.0 / found.clips[name])
        scores.append(float(_glanced(source.load(clip=name, parts=names or None, fps=fps)).mean()))
    return lasting[int(np.argmax(scores))]


def rank(source: "Source | IsolatedSource", found: "pucker.FileInfo", clip: "pucker.Clip") -> list[Part]:
    """The parts of a character by how much of them compresses in a clip of all of it; none if it has one part only.

    Ranked by the share of their triangles that is past `COUNTED`, on average over the frames; left and right together.
    Those with at least a third of the share of the first are suggested, unless they are named like a part of the body.
    """
    names = separate_parts(found)
    if not names:
        return []
    past = np.mean([compression > COUNTED for compression in compressions(clip)], axis=0)
    parts = {}
    for name in names:
        own = past[source.select([name])]
        parts[name] = Part(name, len(own), float(own.sum()), float(own.mean()))
    pairs = {name: _pair(part, parts) for name, part in parts.items()}
    shares = {name: sum(p.past for p in pair) / sum(p.triangles for p in pair) for name, pair in pairs.items()}
    best = max((share for name, share in shares.items() if not is_body(name)), default=0.0)
    for name, part in parts.items():
        share, together = shares[name], " with its mirror image" if len(pairs[name]) > 1 else ""
        part.suggested = share > 0.0 and share >= _LEAST * best and not is_body(name)
        if share == 0.0:
            part.reason = "does not compress"
        elif is_body(name):
            part.reason = "is named like a part of the body"
        elif part.suggested:
            part.reason = f"compresses{together}"
        else:
            part.reason = f"compresses less than a third as much as the first{together}"
    first = {name: min(k for k, n in enumerate(names) if parts[n] in pairs[name]) for name in names}
    return [parts[name] for name in sorted(names, key=lambda name: (-shares[name], first[name], -parts[name].share))]


def _pair(part: Part, parts: dict[str, Part]) -> list[Part]:
    other = parts.get(mirrored(part.part) or "")
    return [part] if other is None else [part, other]


def suggest(source: "Source | IsolatedSource", found: "pucker.FileInfo", clip_name: str, fps: float) -> dict[str, Any]:
    """The clip, the parts suggested for it, and the ranking they come from."""
    ranking = rank(source, found, source.load(clip=clip_name, fps=fps))
    return {
        "clip": clip_name,
        "parts": [part.part for part in ranking if part.suggested],
        "ranking": [asdict(part) for part in ranking],
    }


def choose(
    source: "Source | IsolatedSource", clip: str | None, parts: list[str] | None, fps: float
) -> tuple[str | None, list[str] | None]:
    """The clip and the parts, and where one is None, the liveliest clip and the parts suggested; None if there is no choice."""
    found = source.inspect()
    if clip is None and len(found.clips) > 1:
        clip = liveliest(source, found, parts)
    if parts is None and separate_parts(found) and (clip is not None or len(found.clips) == 1):
        parts = [part.part for part in rank(source, found, source.load(clip=clip, fps=fps)) if part.suggested] or None
    return clip, parts
