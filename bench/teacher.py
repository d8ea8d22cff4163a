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
PARAMS: Final = pucker.drape.Params(levels=2)
"""A set is played in a millisecond: finer cloth than sets have levels for is not taught."""


def _draped(clip: pucker.Clip) -> tuple[Array, Array]:
    """Guide and draped cloth (frames, N, 3), as a user's own call gives them."""
    states = pucker.run(clip, PARAMS)
    guide, draped = zip(*((np.array(state.guide), np.array(state.draped)) for state in states), strict=True)
    return np.array(guide), np.array(draped)


def _judged(clip: pucker.Clip, levels: int, trained: str) -> dict[str, list[dict[str, Any]]]:
    guide, draped = _draped(clip)
    loop = byexample.LoopSubdivision(clip.mesh, levels)
    rest = loop.matrix @ np.asarray(clip.positions[0] if clip.rest is None else clip.rest)
    edge = pucker.mean_edge_length(loop.fine, rest)
    bands = metrics.Bands(loop.fine.faces, rest, [count * edge for count in EDGES])

    def played(**params: float) -> Array:
        states = pucker.run(clip, byexample.Params(trained=trained, **params))
        return np.array([np.array(state.detail.fine_positions) for state in states])

    def heights(positions: Array) -> Array:
        return metrics.heights(loop.fine.faces, guide, positions)

    true = heights(draped)
    lag = metrics.lagging(guide, metrics.fitted_lag(guide, draped, bands.areas))
    rows = {
        "by example": heights(played()),
        "without its trail": heights(played(trail=0.0)),
        "lag alone": heights(lag),
        "noise of the same spectrum": metrics.noise_like(true, bands, SEED),
    }
    return {
        name: [dataclasses.asdict(each) for each in metrics.band_agreement(found, true, bands)]
        for name, found in rows.items()
    }


def measure() -> report.Samples:
    """Drapes, learns and judges; takes about three minutes of two cores."""
    found: list[dict[str, Any]] = []
    for file, parts, judged in GARMENTS:
        path = scenes.DATA / file
        with open_source(path, isolated=True) as source:
            names = [name for name in source.inspect().clips if name not in judged]
        clips = [pucker.load(path, clip=name, parts=parts) for name in names]
        begin = time.perf_counter()
        chosen = byexample.covering(clips)
        takes = byexample.drape([clips[k] for k in chosen], PARAMS, workers=os.cpu_count() or 1)
        draping = time.perf_counter() - begin
        begin = time.perf_counter()
        trained = byexample.learn_draped(takes, trail=PARAMS.lag, parts=parts).trained
        learning = time.perf_counter() - begin
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "set.npz"
            trained.save(out)
            size = out.stat().st_size
            rows = {
                name: _judged(pucker.load(path, clip=name, parts=parts), trained.levels, str(out)) for name in judged
            }
        found.append(
            {
                "file": file,
                "clips": len(takes),
                "frames": sum(len(take.clip) for take in takes),
                "draping": draping,
                "learning": learning,
                "bytes": size,
                "correlation": trained.origin.correlation,
                "rows": rows,
            }
        )
    return {"found": found}


def page(samples: report.Samples) -> str:
    """A table for each garment."""
    text = (
        "Sets learned from [draped cloth](../drape.md) on all clips of a file but those named here, played on these, and compared with draped cloth on them, both with the "
        "shipped defaults. Heights over the Loop-subdivided coarse clip, split by [band](../bands.md) of wavelength, in edges of the fine mesh: four are a coarse one. Each cell: "
        "correlation, that without the mean over the frames, and in brackets the size over the draped cloth's. The draped cloth is the teacher, not a truth: this is what "
        "learning loses of it.\n"
    )
    head = ("", *metrics.band_names(EDGES))
    for each in samples["found"]:
        text += (
            f"\n## {each['file']}\n\n{each['frames']} frames of {each['clips']} clips: draped in {each['draping']:.0f} s, learned in {each['learning']:.0f} s; "
            f"{each['bytes'] / 1e6:.1f} MB. Weights of each clip, predicted from the others, correlate with its own by {each['correlation']:.2f}.\n"
        )
        for clip, rows in each["rows"].items():
            lines = [
                (row, *(f"{band['correlation']:.2f}, {band['pose']:.2f} ({band['rms']:.2f})" for band in bands))
                for row, bands in rows.items()
            ]
            text += f"\n### {clip}\n\n" + report.table(head, lines)
    return text
