"""Does it look simulated? How well a small classifier distinguishes methods, and controls, from simulated cloth."""

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker.plot
from pucker.metrics import ToldApart, Weight
from pucker.metrics.compare import Folds, Telling, Told, folds_on
from pucker.metrics.compare.by_truth import found_by, takes_of, tell_apart
from pucker.metrics.compare.telling import in_all_frames, patches_on, shows_nothing, telling_table

from . import report, simulate

TITLE: Final = "Does it look simulated?"
PEERS: Final = ("scipy", "libigl", "scikit-learn")

SHOWN: Final = ("kimono-sitdown", "coat")
# Pictures in a row.
PICTURES: Final = 10
DRAWN: Final = ("by example", "draped", "draped, the same sheet", "dynamic", "waves")
FOLDER: Final = Path(__file__).resolve().parents[1] / "docs" / "performance"


def _draw_patches(folds: dict[str, Any]) -> None:
    """The same places of the truth and of each surface, evenly over all patches."""
    truth = simulate.load(*SHOWN)
    patches = patches_on(truth)
    chosen = np.linspace(0, len(patches) - 1, PICTURES).astype(int)
    figure = pucker.plot.Figure((11.0, 8.0))
    pucker.plot.relief({name: patches.read(values)[chosen] for name, values in folds.items()}, figure=figure)
    figure.savefig(FOLDER / "told_patches.png", dpi=80)


def measure() -> report.Samples:
    """Every resolved truth."""
    telling, truths = Telling(), 0
    for name, fabric in simulate.kept():
        truth = simulate.load(name, fabric)
        if not truth.resolved:
            continue
        truths += 1
        file = simulate.file_of(name, fabric)
        found: list[Folds] = list(folds_on(truth, simulate.surfaces_on(truth)))
        tell_apart(telling, truth, file, found)
        if (name, fabric) == SHOWN:
            takes = {of: in_all_frames(each, len(truth)) for of, each in takes_of(truth, file).items()}
            shown = {each.surface: each.folds for each in found if not shows_nothing(each.surface)}
            _draw_patches({"simulated": truth.folds, **takes, **shown})
    return {"truths": truths, "told": [{"surface": each.surface, **asdict(each.told)} for each in found_by(telling)]}


def page(samples: report.Samples) -> str:
    """The table, patches in a row, and what gives each surface away, drawn."""
    rows = [_row(each) for each in samples["told"]]
    drawn = [each for each in rows if each.surface in DRAWN]
    figure = pucker.plot.Figure((12.0, 3.6 * ((len(drawn) + 1) // 2)))
    parts: npt.NDArray[np.object_] = np.asarray(figure.subfigures((len(drawn) + 1) // 2, 2, squeeze=False))
    for part, (surface, told) in zip(parts.ravel(), drawn, strict=False):
        part.suptitle(f"{surface}: {100 * told.accuracy:.0f} %")
        pucker.plot.giveaways(told, most=10, figure=part)
    figure.savefig(FOLDER / "told.png", dpi=80)
    text = (
        "How well a small classifier [distinguishes](../told.md) surfaces from simulated cloth on a scene that it was not trained on, "
        f"over the {samples['truths']} resolved [truths](../truths.md) of {max(len(row.told.scenes) for row in rows)} scenes: 50 % is indistinguishable, 100 % always recognised. ± is the standard "
        "deviation over the scenes, each left out in turn. First what two simulations of one sheet have, then controls.\n\n"
        f"{telling_table(rows)}\n![](told_patches.png)\n\nThe same places of {SHOWN[0]}, {SHOWN[1]}, compressed from left to "
        "right; red is outward, blue inward.\n\n## What gives a method away\n\nFeatures by their share of what the classifier "
        "decides by, and how much more or less of them a method has than simulated cloth, in standard deviations.\n\n"
        "![](told.png)\n"
    )
    for surface, told in rows:
        by_scene = ", ".join(
            f"{scene} {100 * found:.0f} %" for scene, found in zip(told.scenes, told.accuracies, strict=True)
        )
        text += f"\n- {surface}: {by_scene}"
    return text + "\n\nAll weights: `pucker compare --suite data/truths -o FOLDER`.\n"


def _row(kept: dict[str, Any]) -> Told:
    weights = tuple(Weight(**each) for each in kept["weights"])
    return Told(
        kept["surface"], ToldApart(tuple(kept["scenes"]), tuple(kept["accuracies"]), tuple(kept["patches"]), weights)
    )
