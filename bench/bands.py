"""What can be known about folds: methods, and controls, against the truths by band of wavelength."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from pucker.metrics import Truth, noise_like
from pucker.metrics.compare import Against, against
from pucker.metrics.compare.by_truth import CEILINGS, overall_table, picture_by_band, positions_on, table
from pucker.render import captioned, still

from . import report, simulate

TITLE: Final = "What can be known about folds"
PEERS: Final = ("scipy", "libigl")

SHOWN: Final = ("kimono-sitdown", "coat")
FRAME: Final = 12
SIZE: Final = (192, 240)
PICTURE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance" / "bands.png"


def _draw(truth: Truth, surfaces: dict[str, Any]) -> None:
    """A frame in its bands: the truth, every method, and noise."""
    rows = {"truth": truth.folds}
    for name, params in surfaces.items():
        rows[name], _ = truth.folds_of(truth.mesh.faces, truth.rest, positions_on(truth, params))
    rows["noise"] = noise_like(truth.folds, truth.bands, 1)
    pictures = [captioned(picture_by_band(truth, of, FRAME, SIZE), name) for name, of in rows.items()]
    still(PICTURE, np.vstack(pictures))


def measure() -> report.Samples:
    """Every truth that there is; half a minute each."""
    found: list[dict[str, Any]] = []
    for name, fabric in simulate.kept():
        truth = simulate.load(name, fabric)
        surfaces = simulate.surfaces_on(truth)
        if (name, fabric) == SHOWN:
            _draw(truth, surfaces)
        found += [asdict(each) for each in against(truth, surfaces)]
    return {"found": found}


def page(samples: report.Samples) -> str:
    """Means over what is judged by place, the picture, and a table for each truth."""
    rows = [_row(each) for each in samples["found"]]
    truths = list(dict.fromkeys(each.truth for each in rows))
    unresolved = [truth for truth in truths if not any(next(each for each in rows if each.truth == truth).judged)]
    text = (
        "Methods against [truths](../truths.md), simulated cloth. Folds are heights over the Loop-subdivided coarse clip "
        "without lag, by [band](../bands.md) of wavelength, in edges of the stored mesh; four are a coarse edge. Each cell: "
        "correlation, and size over the truth's in brackets. Bold bands are reproduced on the next finer mesh, the "
        "**ceiling**, and only these judge a method. *Lag* is drag over hold per frame, each surface's own, and is removed. "
        "How each truth reproduces: [truths](simulate.md).\n\n"
        f"## Bands that are judged by place\n\nMeans over them, of {len(truths) - len(unresolved)} truths.\n\n{overall_table(rows)}\n![](bands.png)\n\n"
        f"Folds of {SHOWN[0]}, {SHOWN[1]}, in one frame; a column per band, from the shortest waves to 32 to 64 edges; green is outward, purple inward.\n"
    )
    text += f"\nNot resolved in any band: {'; '.join(unresolved)}.\n"
    for truth in truths:
        if truth in unresolved:
            continue
        text += f"\n## {truth}\n\n"
        text += table([each for each in rows if each.truth == truth and _shown(each)])
    return text


def _shown(row: Against) -> bool:
    """Methods and the ceiling; the page of truths has the others."""
    return row.kind == "method" or row.surface == CEILINGS["finer"]


def _row(kept: dict[str, Any]) -> Against:
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in kept.items()}
    return Against(**values)
