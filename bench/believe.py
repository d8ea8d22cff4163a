"""How near every method, and every change to the dynamic one, comes to simulated cloth."""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from PIL import Image

import pucker
from pucker.metrics import compare
from pucker.metrics.compare.judged import MEASURES

from . import report, scenes_of_cloth

TITLE: Final = "Against simulated cloth"
PEERS: Final = ("libigl", "flip-evaluator", "scipy")
PAGES: Final = Path(__file__).resolve().parents[1] / "docs" / "performance"
SHOWN: Final = "kimono-run"

CHANGES: Final[dict[str, dict[str, Any]]] = {
    "stretch as it is": {"guide": {"rounds": 0}},
    "narrowed": {"guide": {"narrowing": 0.5}},
    "hysteresis": {"tracing": {"hysteresis": 0.5}},
    "start at the first frame": {"reference": {"start": "first_frame"}},
    "τ 1.1": {"threshold": 1.1},
    "half as wide": {"relative_width": 0.02},
    "half as wide again": {"relative_width": 0.06},
    "scattered": {"tracing": {"seeding": "scattered"}},
    "no gaps bridged": {"tracing": {"bridge": 0.0}},
    "no junctions": {"shape": {"junctions": 0.0}},
    "round ends": {"shape": {"taper": 0.0}},
    "measured heights": {"shape": {"height": "measured"}},
    "as steep as it comes": {"shape": {"aspect": 0.0}},
    "crests alone": {"shape": {"profile": "bspline"}},
}
"""Changes to the dynamic method's defaults."""

COTTON: Final = {"bending": 5e-6, "tension": 0.7, "length": 0.5}
"""Shirting, under the weight of half a metre of it: N m, N/m and metres."""

TALL: Final = 1.7
"""Metres that the characters, whose clips have units of their own, are taken to be tall."""

SEWN_IN_METRES: Final = ("sleeve", "knee", "curtain", "towel")

SMOOTHED: Final = {f"{name}, smooth": name for name in ("ridges", "half as wide", "as steep as it comes")}
"""Which of them over the character made smooth, too."""

PICTURED: Final = ("coarse", "dynamic", "dynamic, smooth", *SMOOTHED)
"""Drawing takes longer than all else: FLIP is measured of what its aim is about."""


def surfaces(scene: compare.Scene, *, metres: bool) -> dict[str, Any]:
    """All that is judged on a scene, whose clip is in metres or in a unit of its own."""
    found = compare.standard(scene, scenes_of_cloth.KEPT)
    found["ridges"] = pucker.Params.ridges()
    for name, values in CHANGES.items():
        found[name] = pucker.Params().replace(**values)
    for name, plain in SMOOTHED.items():
        found[name] = compare.Smoothed(found[plain])
    found["cotton"] = pucker.Params(fabric=_cotton(scene, metres=metres))
    return found


def _cotton(scene: compare.Scene, *, metres: bool) -> dict[str, float]:
    """COTTON in the clip's unit of length."""
    unit = 1.0 if metres else scene.clip.height / TALL
    return COTTON | {"bending": COTTON["bending"] * unit**2, "length": COTTON["length"] * unit}


def measure() -> report.Samples:
    """Judges everything on every scene; simulates those that have no recording."""
    judged: list[compare.Judged] = []
    for name in scenes_of_cloth.SCENES:
        scene = scenes_of_cloth.scene(name)
        judge = compare.Judge(scene)
        for surface, params in surfaces(scene, metres=name in SEWN_IN_METRES).items():
            judged.append(judge.judge(surface, params, looks=surface in PICTURED))
        judged += judge.controls()
        judged.append(judge.mean_detail(looks=False))
        again = judge.second_take(looks=False)
        if again is not None:
            judged.append(again)
        if name == SHOWN:
            shown = [judge.where(None), judge.where(pucker.Params())]
            pictures = [shown[0][0], shown[0][1], shown[1][1]]
            PAGES.mkdir(exist_ok=True)
            Image.fromarray(np.concatenate(pictures, axis=1)).save(PAGES / "believe.png")
    return {
        "judged": [
            {"scene": each.scene, "surface": each.surface, "samples": {n: list(each.samples[n]) for n in MEASURES}}
            for each in judged
        ]
    }


def page(samples: report.Samples) -> str:
    """The tables, and whether the aims are met."""
    judged = [compare.Judged(each["scene"], each["surface"], each["samples"]) for each in samples["judged"]]
    means, scenes = compare.overall(judged), compare.verdicts(judged)
    added = [name for name in ("ridges", *CHANGES, *SMOOTHED, "cotton") if name in means.index]
    text = (
        "Columns and scenes: [against simulated cloth](../believe.md). Means over the scenes; curvature and curvedness are "
        "shares of the coarse mesh's distance. By example is there on the two garments it has learned, FLIP for the coarse "
        "mesh, the defaults and *smooth*, the character subdivided once.\n\n"
        f"## Methods\n\n{compare.markdown(means.drop(index=added))}\n"
        "Whether folds lie where they should, [truths](bands.md) tell.\n\n"
        "![](believe.png)\n\nHow much is folded where, kimono, running: truth, coarse, dynamic.\n\n"
        f"## Changes to the dynamic method\n\nEach alone.\n\n{compare.markdown(means.loc[['dynamic', *added]])}\n"
        "| change | parameters |\n|---|---|\n"
    )
    for name, values in CHANGES.items():
        text += f"| {name} | `{json.dumps(values)}` |\n"
    text += f"| cotton | `{json.dumps({'fabric': COTTON})}`, the characters taken to be {TALL} m tall |\n"
    text += "\n## Aims of the dynamic method's defaults\n\n"
    text += f"Over the coarse mesh:\n\n{_aims(means, scenes, 'dynamic')}\nOver the character made smooth:\n\n{_aims(means, scenes, 'dynamic, smooth')}"
    return text + "\nBy scene: `pucker compare --suite data/scenes -o FOLDER`.\n"


def _aims(means: pd.DataFrame, scenes: pd.DataFrame, surface: str) -> str:
    """Whether a surface meets the aims."""
    own, plain = means.loc[surface].to_dict(), means.loc["coarse"].to_dict()
    flip, flip_of_plain = (scenes.xs(each, level="surface")["flip"] for each in (surface, "coarse"))
    return (
        report.at_most("curvature", own["curvature"], 0.65, "of the coarse mesh's")
        + report.at_most("curvedness", own["curvedness"], 0.65, "of the coarse mesh's")
        + report.at_most("distance", own["distance"] / plain["distance"], 1.0, "of the coarse mesh's")
        + report.at_most("normals", own["normals"] / plain["normals"], 1.0, "of the coarse mesh's")
        + report.at_least("where", own["where"], 0.5, "")
        + report.at_most("wavelength, away from the truth's by", abs(own["wavelength"] - 1.0), 0.25, "of it")
        + report.at_most("direction of folds", own["direction"], 25.0, "degrees")
        + report.at_least(
            "FLIP lower than the coarse mesh's on",
            float((flip < flip_of_plain).sum()),
            float(len(flip_of_plain)),
            "scenes",
        )
    )
