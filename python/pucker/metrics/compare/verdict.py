"""What a suite found, as tables."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from pucker.io.files import make_folder, write_text

from .by_band import BANDS, correlation_in, size_in
from .judged import MEASURES, PLAIN, Judged
from .report import machine, piped

_COLUMNS: Final = {
    "curvature": ("curvature", 1.0, 2),
    "curvedness": ("curvedness", 1.0, 2),
    "distance": ("distance %", 100.0, 2),
    "normals": ("normals °", 1.0, 1),
    "area": ("area %", 100.0, 1),
    "silhouette": ("outline %", 100.0, 1),
    "direction": ("folds °", 1.0, 0),
    "where": ("where", 1.0, 2),
    "wavelength": ("wavelength ×", 1.0, 2),
    "flicker": ("flicker ×", 1.0, 2),
    "births": ("births ×", 1.0, 2),
    "flip": ("FLIP", 1.0, 4),
    "wrinkles": ("wrinkles", 1.0, 0),
    "milliseconds": ("ms", 1.0, 2),
}


def verdicts(judged: Sequence[Judged]) -> pd.DataFrame:
    """The means of every measure, by scene and surface in their order."""
    rows = [{"scene": each.scene, "surface": each.surface, **each.means} for each in judged]
    return pd.DataFrame(rows).set_index(["scene", "surface"])


def overall(judged: Sequence[Judged]) -> pd.DataFrame:
    """Means over the scenes by surface.

    Curvature and curvedness are shares of the coarse mesh's own, scene by scene, if that is among the surfaces; ratios to the
    truth's (``wavelength``, ``rms``, ``flicker``, ``births``) are geometric means.
    """
    found = verdicts(judged)
    if PLAIN in found.index.get_level_values("surface"):
        plain = found.xs(PLAIN, level="surface")
        for name in ("curvature", "curvedness"):
            found[name] = found[name] / plain[name].reindex(found.index.get_level_values("scene")).to_numpy()
    by_surface = found.groupby("surface", sort=False)
    out = by_surface.mean()
    for name in (*(size_in(band) for band in BANDS), "wavelength", "flicker", "births"):
        logs = np.log(found[name].where(found[name] > 0.0))
        out[name] = np.exp(logs.groupby(level="surface", sort=False).mean())
    return out


def markdown(means: pd.DataFrame) -> str:
    """A table by surface; – where there was nothing to measure."""
    head = ["", *(name for name, _, _ in _COLUMNS.values())]
    lines = [head, ["---", *["--:"] * len(_COLUMNS)]]
    for surface, values in means.iterrows():
        cells = [
            "–" if np.isnan(values[measure]) else f"{factor * values[measure]:.{digits}f}"
            for measure, (_, factor, digits) in _COLUMNS.items()
        ]
        lines.append([str(surface), *cells])
    return piped(lines)


def markdown_by_band(means: pd.DataFrame) -> str:
    """A table by surface of the heights in each band: correlation, and size over the truth's in brackets.

    Lag has been taken out of both; it is the last column but one, and the last is the correlation with it left in.
    """
    lines = [["", *BANDS, "lag", "with lag"], ["---", *["--:"] * (len(BANDS) + 2)]]
    for surface, values in means.iterrows():
        cells = [f"{values[correlation_in(band)]:.2f} ({values[size_in(band)]:.2f})" for band in BANDS]
        cells += [f"{values['lag']:.2f}", f"{values['with lag']:.2f}"]
        lines.append([str(surface), *(cell.replace("nan (nan)", "–").replace("(nan)", "(–)") for cell in cells)])
    return piped(lines)


def write_verdicts(folder: Path, judged: Sequence[Judged]) -> list[Path]:
    """Writes ``samples.json``, every number there is, and ``index.md``; returns the files. The folder is made."""
    make_folder(folder)
    samples = [
        {
            "scene": each.scene,
            "surface": each.surface,
            **{name: [None if np.isnan(value) else float(value) for value in each.samples[name]] for name in MEASURES},
        }
        for each in judged
    ]
    blocks = ["# Results of the suite", f"Measured on {machine()}.", "## All scenes", *_tables(overall(judged))]
    found = verdicts(judged)
    for scene, means in found.groupby(level="scene", sort=False):
        blocks += [f"## {scene}", *_tables(means.droplevel("scene"))]
    texts = {
        folder / "samples.json": json.dumps({"machine": machine(), "judged": samples}) + "\n",
        folder / "index.md": "\n\n".join(blocks),
    }
    for path, text in texts.items():
        write_text(path, text)
    return list(texts)


def _tables(means: pd.DataFrame) -> list[str]:
    about = (
        "Heights by band of wavelength, in edges of the truth's mesh: correlation, and size over the truth's. A scene does not say what "
        "another mesh has of it: whether folds lie where they should, only truths show."
    )
    return [markdown(means), about, markdown_by_band(means)]
