"""How near every method, and every change to the dynamic one, comes to simulated cloth."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

import pucker
from pucker.metrics import compare
from pucker.render import captioned, still

from . import report, scenes_of_cloth

TITLE: Final = "Against simulated cloth"
PEERS: Final = ("libigl", "flip-evaluator", "scipy")
PICTURE: Final = Path(__file__).resolve().parents[1] / "docs" / "performance" / "believe.png"
SHOWN: Final = "kimono-run"
ABREAST: Final = 4

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

PICTURED: Final = ("coarse", "dynamic", "dynamic, smooth", "waves", "draped", "by example", *SMOOTHED)
"""Drawing takes longer than all else: FLIP is measured of methods, and of what its aim is about."""


AIMS: Final = {
    "curvature": (0.65, "of the coarse mesh's", False),
    "curvedness": (0.65, "of the coarse mesh's", False),
    "distance": (1.0, "of the coarse mesh's", False),
    "normals": (1.0, "of the coarse mesh's", False),
    "where": (0.5, "", True),
    "wavelength, away from the truth's by": (0.25, "of it", False),
    "direction of folds": (25.0, "degrees", False),
    "FLIP lower than the coarse mesh's on": (float(len(scenes_of_cloth.SCENES)), "scenes", True),
}
"""How far the dynamic method should come, and whether that is the least or the most."""


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
        judged.append(judge.mean_detail())
        again = judge.second_take()
        if again is not None:
            judged.append(again)
        if name == SHOWN:
            _draw(judge, compare.standard(scene, scenes_of_cloth.KEPT))
    return {"judged": [each.plain() for each in judged]}


def _draw(judge: compare.Judge, methods: Mapping[str, Any]) -> None:
    """How much is folded where in one frame: the truth, then every surface, four in a row."""
    found = {name: judge.where(params) for name, params in methods.items()}
    truth = next(iter(found.values()))[0]
    cells = [captioned(truth, "truth"), *(captioned(picture, name) for name, (_, picture) in found.items())]
    cells += [np.full_like(cells[0], cells[0][0, 0])] * (-len(cells) % ABREAST)
    still(PICTURE, np.vstack([np.hstack(cells[at : at + ABREAST]) for at in range(0, len(cells), ABREAST)]))


def page(samples: report.Samples) -> str:
    """The tables, and whether the aims are met."""
    judged = [compare.Judged(**each) for each in samples["judged"]]
    means, scenes = compare.overall(judged), compare.verdicts(judged)
    added = [name for name in ("ridges", *CHANGES, *SMOOTHED, "cotton") if name in means.index]
    text = (
        "Columns and scenes: [against simulated cloth](../believe.md). Means over the scenes; curvature and curvedness are "
        "shares of the coarse mesh's distance. By example is there on the two garments it has learned, FLIP for methods and "
        "controls with pictures; *smooth*: over the character subdivided once.\n\n"
        f"## Methods\n\n{compare.markdown(means.drop(index=added))}\n"
        "Whether folds lie where they should, [truths](bands.md) tell.\n\n"
        "What is smooth is nearer to folded cloth, point by point, than what folds elsewhere: only the mean of the truth's own heights and "
        "another simulation are nearer than *guide alone*.\n\n![](believe.png)\n\nHow much is folded where, by curvedness, in one frame of the running kimono.\n\n"
        f"## Changes to the dynamic method\n\nEach alone.\n\n{compare.markdown(means.loc[['dynamic', *added]])}\n"
        "| change | parameters |\n|---|---|\n"
    )
    for name, values in CHANGES.items():
        text += f"| {name} | `{json.dumps(values)}` |\n"
    text += f"| cotton | `{json.dumps({'fabric': COTTON})}`, the characters taken to be {TALL} m tall |\n"
    text += "\n## Aims of the dynamic method's defaults\n\n"
    text += _aims(means, scenes)
    return text + "\nBy scene: `pucker compare --suite data/scenes -o FOLDER`.\n"


def _reached(means: pd.DataFrame, scenes: pd.DataFrame, surface: str) -> dict[str, float]:
    """What a surface has of each of `AIMS`."""
    own, plain = means.loc[surface].to_dict(), means.loc["coarse"].to_dict()
    flip, flip_of_plain = (scenes.xs(each, level="surface")["flip"] for each in (surface, "coarse"))
    return {
        "curvature": own["curvature"],
        "curvedness": own["curvedness"],
        "distance": own["distance"] / plain["distance"],
        "normals": own["normals"] / plain["normals"],
        "where": own["where"],
        "wavelength, away from the truth's by": abs(own["wavelength"] - 1.0),
        "direction of folds": own["direction"],
        "FLIP lower than the coarse mesh's on": float((flip < flip_of_plain).sum()),
    }


def _aims(means: pd.DataFrame, scenes: pd.DataFrame) -> str:
    """Whether the defaults meet the aims, but for those that a control meets too."""
    controls = {name: _reached(means, scenes, name) for name in compare.CONTROLS if name in means.index}
    none = {
        name: [control for control, found in controls.items() if _met(found[name], aim, least=least)]
        for name, (aim, _, least) in AIMS.items()
    }
    text = ""
    for heading, surface in (
        ("Over the coarse mesh", "dynamic"),
        ("Over the character made smooth", "dynamic, smooth"),
    ):
        found = _reached(means, scenes, surface)
        text += f"{heading}:\n\n"
        for name, (aim, unit, least) in AIMS.items():
            if not none[name]:
                text += (report.at_least if least else report.at_most)(name, found[name], aim, unit)
        text += "\n"
    told = "; ".join(f"{name} ({', '.join(passed)})" for name, passed in none.items() if passed)
    return f"{text}What a control reaches is no aim: {told}.\n"


def _met(found: float, aim: float, *, least: bool) -> bool:
    return found >= aim if least else found <= aim
