"""By example taught by draped cloth: clips that were not learned from, beside the draped cloth, by band of wavelength."""

import dataclasses
import os
import tempfile
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.io import open_source

from . import report, scenes

Array = npt.NDArray[np.float64]

TITLE: Final = "Taught by draped cloth"
PEERS: Final = ("scipy", "libigl")

GARMENTS: Final = (
    ("kimono_male.gltf", ("Clothes",), ("Run", "SitDown")),
    ("female_dress.fbx", ("Dress",), ("HumanArmature|Female_Run", "HumanArmature|Female_Sitting")),
)
"""File, parts, and the clips that are judged, not learned from."""

EDGES: Final = (4.0, 8.0, 16.0, 32.0)
"""Cut-offs in mean edges of the draped mesh; four of these are a coarse one."""
SEED: Final = 1
MADE: Final = 480
"""Frames of made motion, about what the command makes of these files."""
BEST: Final = "the clips, the made motion"
PARAMS: Final = pucker.drape.Params(levels=2)
"""A set is played in a millisecond: finer cloth than sets have levels for is not taught."""


def _draped(clip: pucker.Clip) -> tuple[Array, Array]:
    """Guide and draped cloth (frames, N, 3), as a user's own call gives them."""
    states = pucker.run(clip, PARAMS)
    guide, draped = zip(*((np.array(state.guide), np.array(state.draped)) for state in states), strict=True)
    return np.array(guide), np.array(draped)


def _judged(clip: pucker.Clip, levels: int, trained: dict[str, str]) -> dict[str, list[dict[str, Any]]]:
    guide, draped = _draped(clip)
    loop = byexample.LoopSubdivision(clip.mesh, levels)
    rest = loop.matrix @ np.asarray(clip.positions[0] if clip.rest is None else clip.rest)
    edge = pucker.mean_edge_length(loop.fine, rest)
    bands = metrics.Bands(loop.fine.faces, rest, [count * edge for count in EDGES])

    def played(file: str) -> Array:
        states = pucker.run(clip, byexample.Params(trained=file))
        return np.array([np.array(state.detail.fine_positions) for state in states])

    def heights(positions: Array) -> Array:
        return metrics.heights(loop.fine.faces, guide, positions)

    true = heights(draped)
    rows = {name: heights(played(file)) for name, file in trained.items()}
    rows["noise of the same spectrum"] = metrics.noise_like(true, bands, SEED)
    return {
        name: [dataclasses.asdict(each) for each in metrics.band_agreement(found, true, bands)]
        for name, found in rows.items()
    }


def _begun(take: byexample.Take, share: float) -> byexample.Take:
    """That share of its frames, from the first on: what cloth does depends on the frames before."""
    frames = max(round(share * len(take.clip)), 1)
    return byexample.Take(take.clip.beginning(frames), take.fine[:frames])


def measure() -> report.Samples:
    """Drapes, learns and judges; takes about three minutes of two cores."""
    found: list[dict[str, Any]] = []
    for file, parts, judged in GARMENTS:
        path = scenes.DATA / file
        with open_source(path, isolated=True) as source:
            names = [name for name in source.inspect().clips if name not in judged]
        clips = [pucker.load(path, clip=name, parts=parts) for name in names]
        wholes = [pucker.load(path, clip=name) for name in names]
        begin = time.perf_counter()
        motion = byexample.made_motion(clips, wholes, MADE)
        assert motion is not None
        *takes, made = byexample.drape([*clips, motion], PARAMS, workers=os.cpu_count() or 1)
        draping = time.perf_counter() - begin
        begun = {share: [_begun(take, share) for take in takes] for share in (0.25, 0.5)}
        half = _begun(made, 0.5)
        tried = {
            "the first quarter of each clip": (begun[0.25], []),
            "the first half of each clip": (begun[0.5], []),
            "the clips": (takes, []),
            "the first half of each, half of the made motion": (begun[0.5], [half]),
            "the clips, half of the made motion": (takes, [half]),
            BEST: (takes, [made]),
        }
        sizes, frames, seconds = {}, {}, {}
        with tempfile.TemporaryDirectory() as folder:
            files = {name: str(Path(folder) / f"{number}.npz") for number, name in enumerate(tried)}
            for name, (shown, more) in tried.items():
                begin = time.perf_counter()
                trained = byexample.learn_draped(shown, params=PARAMS, made=more, parts=parts).trained
                seconds[name] = time.perf_counter() - begin
                trained.save(files[name])
                sizes[name] = Path(files[name]).stat().st_size
                frames[name] = sum(len(take.clip) for take in [*shown, *more])
            rows = {name: _judged(pucker.load(path, clip=name, parts=parts), trained.levels, files) for name in judged}
        found.append(
            {
                "file": file,
                "clips": len(takes),
                "draping": draping,
                "learning": seconds[BEST],
                "bytes": sizes[BEST],
                "frames": frames,
                "correlation": trained.origin.correlation,
                "rows": rows,
            }
        )
    return {"found": found}


def page(samples: report.Samples) -> str:
    """A table for each garment."""
    text = (
        "Sets learned from [draped cloth](../drape.md) on all clips of a file except those named here, and on "
        "[motion made](../training.md#draped-garments) of their poses, against draped cloth on the clips left out, both with "
        "defaults, at two levels. Heights over the Loop-subdivided coarse clip by [band](../bands.md) of wavelength, in edges "
        "of the fine mesh: four are a coarse one. Each cell: correlation, that without the mean over the frames, and in "
        "brackets the size over the draped cloth's. The draped cloth is the teacher, not a truth. Made motion, which needs "
        f"`--made`, changes little. All cloth swings as by default ({PARAMS.swing:g} s), and does not lag.\n"
    )
    head = ("learned from", "frames", *metrics.band_names(EDGES))
    for each in samples["found"]:
        text += (
            f"\n## {each['file']}\n\n{each['frames'][BEST]} frames of {each['clips']} clips and of made motion: draped in {each['draping']:.0f} s, learned in {each['learning']:.0f} s; "
            f"{each['bytes'] / 1e6:.1f} MB. Each clip left out in turn, and with it what was made, its weights are predicted with a correlation of {each['correlation']:.2f} in the mean, without the clip's own mean.\n"
        )
        for clip, rows in each["rows"].items():
            lines = [
                (
                    row,
                    str(each["frames"].get(row, "")),
                    *(f"{band['correlation']:.2f}, {band['pose']:.2f} ({band['rms']:.2f})" for band in bands),
                )
                for row, bands in rows.items()
            ]
            text += f"\n### {clip}\n\n" + report.table(head, lines)
    return text
