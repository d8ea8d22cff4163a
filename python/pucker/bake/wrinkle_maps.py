"""Wrinkle maps as game engines take them: one map of the deepest wrinkles, and a mask with weights for each region."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker.bake.clip import Details, Progress, Written, progressing
from pucker.bake.map_sets import KINDS, UNWRAPPED, WRITERS, Kind, MapSet, check, fitting, write_png, write_unwrapped
from pucker.bake.morphs import region_shares
from pucker.io.files import check_output_folder, replacing_in
from pucker.method import Detail
from pucker.vectors import unit

_Floats = npt.NDArray[np.float64]

_SIDECAR: Final = "wrinkles.json"
_SHOWN: Final = "normal = normalize(mix((0, 0, 1), map, w)), height = w * map; w: sum over regions of mask * weight"
_WEIGHT: Final = (
    "clamp((compression - from) / (to - from), 0, 1); compression: mean over the region of 1 - the smaller stretch against "
    "the rest pose, 0 where that is above 1"
)
# Pieces of an edge at whose ends depth is measured.
_PIECES: Final = 4
# Of the deepest wrinkles' depth: below that there are none.
_FLAT: Final = 1e-9
_FLAT_NORMAL: Final = (0.0, 0.0, 1.0)
MOST_REGIONS: Final = 64
# How sharply regions pass into each other: where two mix, wrinkles of two frames do, which are flatter than either.
SHARPNESS: Final = 3.0


@dataclass(frozen=True)
class Region:
    """A part of the garment whose wrinkles come and go together.

    Attributes:
        name: That of the joint that most of it follows; "region" without a skin.
        clip, frame: Where its wrinkles are deepest: what the map shows there.
        depth: How deep they are there: the root mean square of the distance between unit normals and the coarse mesh's.
        begin, end: The compressions at which its weight begins to grow, and is 1.
        correlation: Of its weight with the depth of its wrinkles, over all frames; 0 where either never changes.
    """

    name: str
    clip: str
    frame: int
    depth: float
    begin: float
    end: float
    correlation: float


@dataclass(frozen=True)
class WrinkleMapReport(Written):
    """What was baked.

    Attributes:
        frames: Of all clips together.
        height_scale: Height in the clips' unit of length that a value of 1 stands for in a PNG.
        covered, unwrapped: As those of `MapReport`.
    """

    clips: tuple[str, ...]
    frames: int
    regions: tuple[Region, ...]
    height_scale: float
    covered: dict[str, float]
    unwrapped: str | None = None


@dataclass(frozen=True)
class _Deepest:
    """The frame in which a region's wrinkles are deepest."""

    depth: float
    clip: str
    frame: int
    detail: Detail


class _Regions:
    """The regions of a garment: whose they are, how compressed they are, and how deep their wrinkles."""

    def __init__(self, clip: "pucker.Clip", count: int) -> None:
        rest = np.asarray(clip.positions[0] if clip.rest is None else clip.rest)
        self._mesh, self._faces = clip.mesh, clip.faces
        self._rest = pucker.local_frames(clip.mesh, rest)
        self.shares = region_shares(rest, count, sharpness=SHARPNESS)
        self._of_faces = self._rest.areas[:, None] * self.shares[clip.faces].mean(axis=1)
        self._fine = pucker.Subdivision(clip.mesh, _PIECES)
        corners = (self._fine.barycentrics[:, :, None] * rest[clip.faces[self._fine.triangles]]).sum(axis=1)
        areas = pucker.local_frames(pucker.Mesh(self._fine.faces, len(corners)), corners).areas
        of_points = np.bincount(self._fine.faces.ravel(), np.repeat(areas, 3), minlength=len(corners))
        self._of_points = of_points[:, None] * self.at(self._fine.triangles, self._fine.barycentrics)

    def at(self, triangles: npt.NDArray[np.integer], barycentrics: _Floats) -> _Floats:
        """The share (k, R) that each region has of points of the garment."""
        found: _Floats = np.einsum("kc,kcr->kr", barycentrics, self.shares[self._faces[triangles]])
        return found

    def compressions(self, positions: _Floats) -> _Floats:
        """How compressed each region is, (R,), in [0, 1]."""
        smaller = pucker.stretch(self._rest.matrices, pucker.local_frames(self._mesh, positions).matrices).minimum
        return _means(np.maximum(1.0 - smaller, 0.0), self._of_faces)

    def depths(self, detail: Detail) -> _Floats:
        """How deep each region's wrinkles are, (R,)."""
        points = detail.evaluate(self._fine.triangles, self._fine.barycentrics)
        turned = np.square(points.normals - points.base_normals).sum(axis=1)
        found: _Floats = np.sqrt(_means(turned, self._of_points))
        return found

    def names(self, clip: "pucker.Clip") -> list[str]:
        """Of each the joint that most of it follows, each another name."""
        out: list[str] = []
        for number, share in enumerate(self.shares.T):
            name = f"region {number + 1}"
            if clip.skin is not None:
                owners = np.repeat(np.arange(len(share)), np.diff(clip.skin.first))
                weights = np.bincount(clip.skin.influence_joints, share[owners] * clip.skin.influence_weights)
                joint = clip.skeleton.nodes[clip.skin.nodes[int(np.argmax(weights))]]
                name = joint if joint not in out else f"{joint} {number + 1}"
            out.append(name)
        return out


def _means(values: _Floats, weights: _Floats) -> _Floats:
    """Means of values (k,), each with weights (k, R)."""
    sums = weights.sum(axis=0)
    found: _Floats = np.divide(values @ weights, sums, out=np.zeros(len(sums)), where=sums > 0.0)
    return found


def _ramp(compressions: _Floats, depths: _Floats) -> tuple[float, float]:
    """From which compression to which wrinkles grow: the line that is nearest to the depths (F,), of which the largest is 1.

    Where wrinkles do not grow with compression, from the least to the most that there is.
    """
    low, high = float(compressions.min()), float(compressions.max())
    apart = compressions - compressions.mean()
    squares = float(apart @ apart)
    slope = float(apart @ depths) / squares if squares > 0.0 else 0.0
    if slope <= 0.0:
        return low, max(high, low + _FLAT)
    begin = float(compressions.mean()) - float(depths.mean()) / slope
    return begin, begin + 1.0 / slope


def _correlation(weights: _Floats, depths: _Floats) -> float:
    if min(np.ptp(weights), np.ptp(depths)) <= _FLAT:
        return 0.0
    return float(np.corrcoef(weights, depths)[0, 1])


def _check_clips(clips: "Mapping[str, pucker.Clip]") -> None:
    if not clips:
        raise ValueError("there must be at least one clip")
    first_name, first = next(iter(clips.items()))
    for name, clip in clips.items():
        if not np.array_equal(clip.faces, first.faces):
            raise ValueError(
                f"clip {name} has another garment than {first_name}: {len(clip.faces)} triangles over {clip.positions.shape[1]} vertices, "
                f"there {len(first.faces)} over {first.positions.shape[1]}"
            )


def wrinkle_maps(
    clips: "Mapping[str, pucker.Clip]",
    folder: str | os.PathLike[str],
    *,
    params: Any = None,
    regions: int = 8,
    kinds: Sequence[Kind] = KINDS,
    size: int = 1024,
    file_format: Literal["png", "exr"] = "png",
    padding: int = 8,
    overlap: Literal["unwrap", "refuse", "first"] = "unwrap",
    progress: Progress = False,
) -> WrinkleMapReport:
    """Writes one map of the deepest wrinkles of all clips, a mask for each region, and each region's weights over the clips.

    A renderer mixes the map into the coarse mesh by the sum of masks times weights. Each region shows the frame in which its
    wrinkles are deepest; regions pass into each other, their masks' sum is 1. A weight grows with how compressed the coarse
    region is, along the line that comes nearest to its wrinkles' depth over all frames, so it can be computed for other
    motion too. `wrinkles.json` in the folder has regions, weights and what the numbers mean.

    Args:
        clips: By name: clips of one garment.
        folder: Where the files go: normal.png, height.png, mask_1.png and so on; made if it does not exist. Where the garment
            has several materials, each has maps and masks of its own, with its name before.
        params: Parameters of a method; those of the dynamic one without.
        regions: How many, 1 to 64.
        kinds: Which maps. Normals are in tangent space; both are stored as by `maps`.
        size: Texels of a side.
        file_format: Of the maps: PNG of 16 bits, or EXR. Masks are PNG of 8 bits.
        padding: Texels by which the garment's values go on beyond its seams.
        overlap: See `maps`.
        progress: See `surface`.

    Raises:
        ValueError: For no clips, clips of different garments, or a value out of its range; unless it is to be unwrapped, for
            texture coordinates that hold no maps; and if no clip has any wrinkles.
        OSError: If something cannot be written; the folder is then as it was.
        pucker.Error: If a package for the format, or for unwrapping, is missing.
    """
    out = Path(folder)
    check(kinds, "tangent", overlap, file_format, size, padding)
    if not 1 <= regions <= MOST_REGIONS:
        raise ValueError(f"there can be 1 to {MOST_REGIONS} regions, not {regions}")
    _check_clips(clips)
    check_output_folder(out)
    first, sets, reason = fitting(next(iter(clips.values())), size, padding, overlap)
    parts = _Regions(first, regions)
    count = sum(map(len, clips.values()))
    numbers = progressing(count, out.name, shown=progress)
    compressions, depths, deepest = _run(clips, parts, pucker.Params() if params is None else params, numbers)
    if max(each.depth for each in deepest) <= _FLAT:
        raise ValueError(f"there is nothing to map: no frame of {', '.join(clips)} has wrinkles")
    described, weights = _weighed(parts.names(first), compressions, depths, deepest)
    pictures = {name: _pictures(found, clips, parts, deepest, kinds) for name, found in sets.items()}
    heights = [found["height"] for found, _ in pictures.values() if "height" in found]
    low = min((float(each.min(initial=0.0)) for each in heights), default=0.0)
    scale = max((float(each.max(initial=0.0)) for each in heights), default=0.0) - low or 1.0
    unit_of, zero = (scale, low) if file_format == "png" else (1.0, 0.0)
    names = [_SIDECAR]
    facts: dict[str, Any] = {"shown": _SHOWN, "weight": _WEIGHT, "space": "tangent", "normal": "(n + 1) / 2, y up"}
    facts |= {"height_scale": unit_of, "height_zero": zero}
    masks: dict[str, list[str]] = {}
    with replacing_in(out) as temporary:
        if reason is not None:
            names.append(UNWRAPPED)
            facts["coordinates"] = f"those of {UNWRAPPED}: {reason}"
            write_unwrapped(first, temporary / UNWRAPPED)
        for material, found in sets.items():
            maps, shares = pictures[material]
            for kind, texels in maps.items():
                values = 0.5 * texels + 0.5 if kind == "normal" else (texels - zero) / unit_of
                empty: Any = -zero / unit_of if kind == "height" else [0.5, 0.5, 1.0]
                names.append(f"{found.prefix}{kind}.{file_format}")
                WRITERS[file_format](temporary / names[-1], found.atlas.picture(values, empty))
            masks[material] = [f"{found.prefix}mask_{k + 1}.png" for k in range(len(described))]
            for name, share in zip(masks[material], shares.T, strict=True):
                write_png(temporary / name, found.atlas.picture(share, 0.0), "u1")
            names += masks[material]
        facts["regions"] = [
            {
                "name": each.name,
                "masks": {material: files[k] for material, files in masks.items()},
                "from": each.begin,
                "to": each.end,
                "deepest": {"clip": each.clip, "frame": each.frame},
            }
            for k, each in enumerate(described)
        ]
        facts["clips"] = _animations(clips, weights)
        (temporary / _SIDECAR).write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    return WrinkleMapReport(
        files=tuple(out / name for name in names),
        clips=tuple(clips),
        frames=count,
        regions=tuple(described),
        height_scale=scale,
        covered={name: found.atlas.covered for name, found in sets.items()},
        unwrapped=reason,
    )


def _run(
    clips: "Mapping[str, pucker.Clip]", parts: _Regions, params: Any, numbers: Iterable[int]
) -> tuple[_Floats, _Floats, list[_Deepest]]:
    """Compressions and depths (F, R) of all frames, and where each region's wrinkles are deepest."""
    steps = iter(numbers)
    compressions, depths = [], []
    deepest: list[_Deepest] = []
    for name, clip in clips.items():
        for index, detail in enumerate(Details(clip, None, params)):
            next(steps)
            compressions.append(parts.compressions(clip.positions[index]))
            found = parts.depths(detail)
            depths.append(found)
            here = [_Deepest(depth, name, index, detail) for depth in found.tolist()]
            deepest = [max(pair, key=lambda each: each.depth) for pair in zip(deepest or here, here, strict=True)]
    next(steps, None)
    return np.array(compressions), np.array(depths), deepest


def _weighed(
    names: list[str], compressions: _Floats, depths: _Floats, deepest: list[_Deepest]
) -> tuple[list[Region], _Floats]:
    """The regions, and their weights (F, R)."""
    out, weights = [], np.zeros_like(depths)
    for k, (name, most) in enumerate(zip(names, deepest, strict=True)):
        relative = depths[:, k] / max(most.depth, _FLAT)
        begin, end = _ramp(compressions[:, k], relative)
        weights[:, k] = np.clip((compressions[:, k] - begin) / (end - begin), 0.0, 1.0)
        correlation = _correlation(weights[:, k], relative)
        out.append(Region(name, most.clip, most.frame, most.depth, begin, end, correlation))
    return out, weights


def _pictures(
    found: MapSet,
    clips: "Mapping[str, pucker.Clip]",
    parts: _Regions,
    deepest: list[_Deepest],
    kinds: Sequence[str],
) -> tuple[dict[str, _Floats], _Floats]:
    """The texels of a set's maps, each region's from its deepest frame, and the regions' shares (k, R) of them."""
    shares = parts.at(found.atlas.triangles, found.atlas.barycentrics)
    out: dict[str, _Floats] = {}
    for share, most in zip(shares.T, deepest, strict=True):
        texels = found.evaluate(clips[most.clip].positions[most.frame], most.detail, "tangent", kinds)
        for kind, values in texels.items():
            part = values * (share if values.ndim == 1 else share[:, None])
            out[kind] = out[kind] + part if kind in out else part
    if "normal" in out:
        out["normal"] = unit(out["normal"], _FLAT_NORMAL)
    return out, shares


def _animations(clips: "Mapping[str, pucker.Clip]", weights: _Floats) -> dict[str, Any]:
    """Of each clip its times in seconds, and a row of the regions' weights at each."""
    out, row = {}, 0
    for name, clip in clips.items():
        rows = weights[row : row + len(clip)]
        row += len(clip)
        out[name] = {"times": (clip.times - clip.times[0]).tolist(), "weights": np.round(rows, 6).tolist()}
    return out
