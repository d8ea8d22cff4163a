"""Heights over the guide by band of wavelength: every method, and what must fail, on every scene."""

from pathlib import Path
from typing import Any, Final

import numpy as np

from pucker.metrics import compare
from pucker.render import captioned, still

from . import report, scenes_of_cloth

TITLE: Final = "Folds by band of wavelength"
PEERS: Final = ("scipy", "libigl")
SHOWN: Final = "kimono-run"
PICTURED: Final = ("draped", "by example", "dynamic")
FRAME: Final = 9
PICTURE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance" / "folds.png"


def measure() -> report.Samples:
    """Judges the heights of the standard surfaces and of the controls; some minutes."""
    found: list[dict[str, Any]] = []
    for file in sorted(scenes_of_cloth.KEPT.glob("*.npz")):
        scene = compare.Scene.load(file)
        judge = compare.Judge(scene)
        surfaces = compare.standard(scene, scenes_of_cloth.KEPT)
        heights = {name: judge.heights_of(params) for name, params in surfaces.items() if params is not None}
        rows = {name: dict(judge.heights.judge(*of)) for name, of in heights.items()}
        if file.stem == SHOWN:
            _draw(judge, heights)
        rows |= {name: dict(values) for name, values in judge.bounds_by_band().items()}
        found.append(
            {"scene": scene.name, "shares": judge.heights.shares.tolist(), "lag": judge.heights.lag, "rows": rows}
        )
    return {"found": found}


def _draw(judge: compare.Judge, heights: dict[str, tuple[Any, float]]) -> None:
    """A frame in its bands: the truth, some methods and noise."""
    truth = judge.heights
    rows = {
        "truth": (truth.truth, truth.lag),
        **{name: heights[name] for name in PICTURED},
        "noise": (truth.noise(), 0.0),
    }
    pictures = [captioned(judge.picture_by_band(*of, FRAME), name) for name, of in rows.items()]
    still(PICTURE, np.vstack(pictures))


def _cell(row: dict[str, float], band: str) -> str:
    correlation, size = row[compare.correlation_in(band)], row[compare.size_in(band)]
    return "–" if np.isnan(correlation) else f"{correlation:.2f} ({size:.2f})"


def _mean(values: list[float]) -> float:
    """Without NaN; NaN if there is nothing else."""
    told = [value for value in values if not np.isnan(value)]
    return sum(told) / len(told) if told else float("nan")


def _table(rows: dict[str, dict[str, float]], shares: list[float]) -> str:
    lines = [
        (name, *(_cell(row, band) for band in compare.BANDS), f"{row['lag']:.2f}", f"{row['with lag']:.2f}")
        for name, row in rows.items()
    ]
    lines.append(("share of the truth", *(f"{100.0 * share:.0f} %" for share in shares), "", ""))
    return report.table(("", *compare.BANDS, "lag", "with lag"), lines)


def page(samples: report.Samples) -> str:
    """A table of means over the scenes, and one a scene."""
    found = samples["found"]
    names = list(dict.fromkeys(name for each in found for name in each["rows"]))
    means = {}
    for name in names:
        rows = [each["rows"][name] for each in found if name in each["rows"]]
        means[name] = {key: _mean([row[key] for row in rows]) for key in rows[0]}
    shares = np.mean([each["shares"] for each in found], axis=0).tolist()
    text = (
        "Heights over the guide, the smooth surface of the coarse clip, against the truth's in each [band](../bands.md) of wavelength, in mean edges of the truth's mesh; four are about an edge of "
        "the coarse one. Each cell: correlation, and size over the truth's in brackets, both after the lag of either has been taken out; *lag* is drag over hold a frame, *with lag* the correlation of "
        "all heights with it left in. A band that holds less than 2 % of a truth is left out (–). What a control (the guide alone, the guide with the truth's lag, noise of its spectrum) reaches, no method has earned.\n\n"
        "**These truths are not resolved.** They hold what a fine simulation has beyond all coarse positions, and *share of the truth* tells that most of it is as short as their mesh, where "
        "[another mesh folds elsewhere](bands.md): by place nothing can be judged there, and *second take on the same mesh* is no ceiling. The waves from eight edges on, where simulations agree, are "
        "hardly in them.\n\n## All scenes\n\n" + _table(means, shares)
    )
    for each in found:
        text += f"\n## {each['scene']}\n\n" + _table(each["rows"], each["shares"])
    return text
