"""What can be known about folds: methods, and controls, against the truths by band of wavelength."""

from pathlib import Path
from typing import Final

import numpy as np

from pucker.metrics import Truth, band_agreement
from pucker.metrics.compare import Against, Folds, against
from pucker.metrics.compare.by_statistics import AWAY, CEILINGS, bands_table, shares_within, statistics_table
from pucker.metrics.compare.by_truth import (
    names,
    overall_table,
    picture_by_band,
    table_of_truth,
    takes_of,
    title,
)
from pucker.metrics.compare.judged import GUIDE, LAG, NOISE
from pucker.render import captioned, still

from . import report, simulate

TITLE: Final = "What can be known about folds"
PEERS: Final = ("scipy", "libigl")

SHOWN: Final = ("kimono-sitdown", "coat")
FRAME: Final = 12
SIZE: Final = (192, 240)
PICTURE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance" / "bands.png"
SAME_SHEET: Final = "draped, the same sheet"
# What an artist would see of shorter folds.
AIMED: Final = ("size", "slope", "direction")


def _draw(truth: Truth, found: list[Folds]) -> None:
    """A frame in its bands: the truth, every method, and noise."""
    folds = {each.surface: each.folds for each in found}
    noise = folds.pop(NOISE)
    rows = {"truth": truth.folds} | {name: folds[name] for name in folds if name not in (GUIDE, LAG)} | {"noise": noise}
    pictures = [captioned(picture_by_band(truth, of, FRAME, SIZE), name) for name, of in rows.items()]
    still(PICTURE, np.vstack(pictures))


def with_lag(truth: Truth, found: list[Folds]) -> list[Against]:
    """The same surfaces as they are, lag among their heights and among the truth's."""
    rows = []
    for each in found:
        if each.surface in (GUIDE, NOISE):
            continue
        bands = band_agreement(each.folds + truth.lagging(each.lag), truth.heights, truth.bands)
        correlation, size = tuple(band.correlation for band in bands), tuple(band.rms for band in bands)
        rows.append(
            Against(title(truth), each.surface, each.kind, truth.judged, names(truth), correlation, size, each.lag)
        )
    return rows


def measure() -> report.Samples:
    """Every resolved truth; half a minute each."""
    rows: list[Against] = []
    lagging: list[Against] = []
    unresolved = []
    for name, fabric in simulate.kept():
        truth = simulate.load(name, fabric)
        if not truth.resolved:
            unresolved.append(title(truth))
            continue
        found: list[Folds] = []
        takes = takes_of(truth, simulate.file_of(name, fabric))
        rows += against(truth, simulate.surfaces_on(truth), takes=takes, progress=found.append)
        lagging += with_lag(truth, found)
        if (name, fabric) == SHOWN:
            _draw(truth, found)
    return {
        "found": [each.plain() for each in rows],
        "with lag": [each.plain() for each in lagging],
        "unresolved": unresolved,
    }


def page(samples: report.Samples) -> str:
    """Means over what is judged by place and by statistics, the picture, and tables for each truth."""
    rows = [Against.of_plain(each) for each in samples["found"]]
    lagging = [Against.of_plain(each) for each in samples["with lag"]]
    truths = list(dict.fromkeys(each.truth for each in rows))
    text = (
        "Methods against [truths](../truths.md), simulated cloth. Folds are heights over the Loop-subdivided coarse clip "
        "without lag, by [band](../bands.md) of wavelength, in edges of the stored mesh; four are a coarse edge. Each cell: "
        "correlation, and size over the truth's in brackets. Bold bands are reproduced on the next finer mesh, the "
        "**ceiling**, and only these judge a method by place. *Lag* is drag over hold per frame, each surface's own, and is removed. "
        "How each truth reproduces: [truths](simulate.md).\n\n"
        f"## Bands that are judged by place\n\nMeans over them, of {len(truths)} truths.\n\n{overall_table(rows)}\n![](bands.png)\n\n"
        f"Folds of {SHOWN[0]}, {SHOWN[1]}, in one frame; a column per band, from the shortest waves to 32 to 64 edges; green is outward, purple inward.\n"
    )
    text += f"\nNot resolved in any band: {'; '.join(samples['unresolved'])}.\n"
    text += (
        "\n## With the lag left in\n\nThe same bands of heights as they are: how much of an agreement is that both trail the motion.\n\n"
        + overall_table(lagging)
    )
    text += "\n## Bands that are judged by statistics\n\n" + _by_statistics(rows)
    for truth in truths:
        own = [each for each in rows if each.truth == truth]
        text += f"\n## {truth}\n\n{table_of_truth(own)}\n{bands_table(own)}"
    return text


def _by_statistics(rows: list[Against]) -> str:
    text = (
        "The others but the last, whose folds lie by chance: [how they fold](../bands.md#statistics), in every fourth frame. *Size* "
        "is the spectrum; it, *slope* and *births* (new folds) are the typical factor away from the truth's, whichever way; *direction* is the angle to "
        "the truth's folds in the same places, 45° by chance; *where* the correlation of how much is folded where. In brackets: the share "
        f"of the bands, of the {_held(rows)} truths of which the finer mesh's folds are kept, in which a surface is no farther from the truth than the "
        "farther of two other simulations of the same sheet, the next finer mesh and another take; each of these is held against the "
        "other. Tables of single truths: slope over the truth's, direction, where, births over the truth's.\n\n"
        f"{statistics_table(rows)}\n"
    )
    found, noise = shares_within(rows, SAME_SHEET), shares_within(rows, NOISE)
    for name in AIMED:
        text += report.at_least(
            f"{SAME_SHEET}: {name} within the spread", round(100.0 * found[name]), 100.0, "% of the bands"
        )
    passed = [name for name in AWAY if noise[name] >= 0.5]
    if passed:
        text += f"\nNoise of the same spectrum passes {' and '.join(passed)} in half of the bands and more: no aims by themselves.\n"
    return text


def _held(rows: list[Against]) -> int:
    return sum(1 for row in rows if row.surface == CEILINGS["finer"] and row.statistics)
