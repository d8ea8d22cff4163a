"""A trained set on a clip, against the draped cloth that it stands for, by band of wavelength."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import numpy as np

import pucker
from pucker import byexample
from pucker.io.files import make_folder, write_text
from pucker.method import run
from pucker.metrics.bands import BandAgreement, Bands, band_agreement, band_names, heights, noise_like

from .by_band import EDGES

_SEED: Final = 1


def agreement_of_set(clip: pucker.Clip, trained: str) -> dict[str, list[BandAgreement]]:
    """Agreement of a set, of a ceiling and of two controls, with draped cloth on a clip, in each band.

    Heights are those over the guide, of the set's own mesh. The cloth is what taught the set, as far as the set tells
    (`byexample.teacher_of`), without the body.

    Args:
        clip: Of the set's garment.
        trained: The set's file.

    Returns:
        Rows of bands from the shortest waves to the longest: `by example`; `draped, begun otherwise`, the ceiling, see
        `byexample.drape_begun_otherwise`; `mean of the clip`, which is what the cloth has in the mean over its frames and depends on no
        pose; and `noise of the same spectrum`.

    Raises:
        pucker.Error: For a file that is no set.
        ValueError: For a clip of another garment.
    """
    found = byexample.load(trained)
    found.check(clip.mesh)
    if found.cloth is None:
        cloth = byexample.teacher(found.levels).replace(lag=found.options.trail, swing=0.0)
    else:
        cloth = byexample.teacher_of(found.cloth, found.levels, found.options.trail)
    guide, draped = (
        np.array(each)
        for each in zip(*((state.guide.copy(), state.draped.copy()) for state in run(clip, cloth)), strict=True)
    )
    played = np.array([np.array(state.detail.fine_positions) for state in run(clip, byexample.Params(trained=trained))])
    loop = byexample.LoopSubdivision(clip.mesh, found.levels)
    rest = loop.matrix @ np.asarray(clip.positions[0] if clip.rest is None else clip.rest)
    edge = pucker.mean_edge_length(loop.fine, rest)
    bands = Bands(loop.fine.faces, rest, [count * edge for count in EDGES])
    true = heights(loop.fine.faces, guide, draped)
    rows = {
        "by example": heights(loop.fine.faces, guide, played),
        "draped, begun otherwise": heights(loop.fine.faces, guide, byexample.drape_begun_otherwise(clip, cloth)),
        "mean of the clip": np.repeat(true.mean(axis=0)[None], len(true), axis=0),
        "noise of the same spectrum": noise_like(true, bands, _SEED),
    }
    return {name: band_agreement(each, true, bands) for name, each in rows.items()}


def set_in_words(rows: Mapping[str, Sequence[BandAgreement]]) -> str:
    """A table: in each band the correlation, that without the cloth's mean over the frames, and the size over the cloth's."""
    lines = [
        "| | " + " | ".join(band_names(EDGES)) + " |",
        "|---|" + "--:|" * (len(EDGES) + 1),
        *(
            f"| {name} | "
            + " | ".join(f"{each.correlation:.2f}, {each.pose:.2f} ({each.rms:.2f})" for each in row)
            + " |"
            for name, row in rows.items()
        ),
    ]
    return "\n".join(lines)


def write_set(folder: Path, rows: Mapping[str, Sequence[BandAgreement]]) -> list[Path]:
    """Writes ``bands.json`` and ``bands.md``; returns the files. The folder is made."""
    make_folder(folder)
    content = {name: [asdict(each) for each in row] for name, row in rows.items()}
    texts = {
        folder / "bands.json": json.dumps(content, indent=2) + "\n",
        folder / "bands.md": set_in_words(rows) + "\n",
    }
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)
