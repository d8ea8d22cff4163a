"""What can be known about folds: methods, and controls, against the truths by band of wavelength."""

import dataclasses
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.metrics import Truth

from . import report, scenes_of_cloth, simulate

Array = npt.NDArray[np.float64]

TITLE: Final = "What can be known about folds"
PEERS: Final = ("scipy", "libigl")

SETS: Final = {"kimono-run": "kimono.pose.npz", "kimono-sitdown": "kimono.pose.npz", "dress-run": "dress.pose.npz"}
"""Trained sets of the garments that have one."""
SEED: Final = 1


def surfaces(truth: Truth) -> Iterator[tuple[str, Array]]:
    """Methods and controls by name, and their positions (frames, N, 3) at the truth's vertices."""
    yield "the guide alone", truth.guide
    ratio = metrics.fitted_lag(truth.guide, truth.positions, truth.bands.areas)
    yield "the guide with the truth's lag alone", metrics.lagging(truth.guide, ratio)
    yield "draped cloth", truth.shown(pucker.run(truth.clip, pucker.drape.Params()))
    if truth.name in SETS:
        params = byexample.Params(trained=str(scenes_of_cloth.DATA / SETS[truth.name]))
        yield "by example", truth.shown(pucker.run(truth.clip, params))


def rows_of(truth: Truth) -> dict[str, list[metrics.BandAgreement]]:
    """Agreement of every surface, and of noise, in each band."""
    rows = {
        name: metrics.band_agreement(
            truth.heights_of(truth.mesh.faces, truth.rest, positions), truth.heights, truth.bands
        )
        for name, positions in surfaces(truth)
    }
    noise = metrics.noise_like(truth.heights, truth.bands, SEED)
    return rows | {"noise of the same spectrum": metrics.band_agreement(noise, truth.heights, truth.bands)}


def measure() -> report.Samples:
    """Every truth that there is; a minute of two cores."""
    found: list[dict[str, Any]] = []
    for name, fabric in simulate.kept():
        truth = simulate.load(name, fabric)
        found.append(
            {
                "name": name,
                "fabric": fabric,
                "judged": truth.judged,
                "ceilings": [dataclasses.asdict(each) for each in truth.reproduced],
                "rows": {row: [dataclasses.asdict(band) for band in bands] for row, bands in rows_of(truth).items()},
            }
        )
    return {"found": found}


def page(samples: report.Samples) -> str:
    """A table for each truth."""
    text = (
        "Methods against [truths](../truths.md): simulated cloth, with what other meshes and takes of the same sheet have of it. Heights over the Loop-subdivided "
        "coarse clip, split by [band](../bands.md) of wavelength, in edges of the mesh that folds are kept on; four are an edge of the coarse one. Each cell: correlation, and "
        "size over the truth's in brackets; in bold the bands that the truth reproduces, by which alone a method is judged. The first lines are the ceiling: "
        "the same sheet on other meshes, and in another take. The guide, its lag and noise are controls: what they reach, a method has not earned.\n"
    )
    head = ("", *metrics.band_names(simulate.EDGES))
    for each in samples["found"]:
        text += f"\n## {each['name']}, {each['fabric']}\n\n"
        if not any(each["judged"]):
            text += "Not resolved in any band: no truth, told for what it is.\n\n"
        lines = [
            (simulate.ROWS[row["of"]], *_cells(row["correlation"], row["rms"], each["judged"]))
            for row in each["ceilings"]
        ]
        lines += [
            (name, *_cells([band["correlation"] for band in bands], [band["rms"] for band in bands], each["judged"]))
            for name, bands in each["rows"].items()
        ]
        shares = next(iter(each["rows"].values()))
        lines.append(("share of the truth", *(f"{100 * band['share']:.0f} %" for band in shares)))
        text += report.table(head, lines)
    return text


def _cells(correlations: list[float], sizes: list[float], judged: list[bool]) -> Iterator[str]:
    for one, size, by_place in zip(correlations, sizes, judged, strict=True):
        cell = f"{one:.2f} ({size:.2f})"
        yield f"**{cell}**" if by_place else cell
