"""How near every method, and every addition to the dynamic one, comes to simulated cloth."""

import json
from pathlib import Path
from typing import Any, Final

import numpy as np
from PIL import Image

import pucker
from pucker.metrics import compare
from pucker.metrics.compare.judging import MEASURES

from . import report, scenes_of_cloth

TITLE: Final = "Against simulated cloth"
PEERS: Final = ("libigl", "flip-evaluator", "scipy")
PAGES: Final = Path(__file__).resolve().parents[1] / "docs" / "performance"
SHOWN: Final = "kimono-run"

FOUR_FLAT_WIDTHS: Final = 12.566
"""4π, in L_min."""

ADDITIONS: Final[dict[str, dict[str, Any]]] = {
    "relaxed guide": {"guide": {"sweeps": 5}},
    "smoothed stretch": {"guide": {"rounds": 1}},
    "hysteresis": {"tracing": {"hysteresis": 0.5}},
    "none born short": {"tracing": {"min_length": FOUR_FLAT_WIDTHS}},
    "twice as wide": {"relative_width": 0.015},
    "start at the first frame": {"reference": {"start": "first_frame"}},
    "valleys": {"shape": {"profile": "wave"}},
    "trains": {"tracing": {"seeding": "trains"}},
    "narrowed": {"guide": {"narrowing": 0.5}},
    "gaps bridged": {"tracing": {"bridge": 1.0}},
    "junctions": {"shape": {"junctions": 0.5}},
    "short tapers": {"shape": {"taper": 1.5}},
}
"""To the dynamic method's defaults, each alone. To start at the first frame was the default before."""

COTTON: Final = {"bending": 5e-6, "tension": 0.7, "length": 0.5}
"""Shirting, under the weight of half a metre of it: N m, N/m and metres."""

TALL: Final = 1.7
"""Metres that the characters, whose clips have units of their own, are taken to be tall."""

SEWN_IN_METRES: Final = ("sleeve", "knee", "curtain", "towel")

COMBINED: Final[dict[str, dict[str, Any]]] = {
    "guide, smoothed, hysteresis, none short": {
        "guide": {"sweeps": 5, "rounds": 1},
        "tracing": {"hysteresis": 0.5, "min_length": FOUR_FLAT_WIDTHS},
    },
    "guide, none short": {"guide": {"sweeps": 7}, "tracing": {"min_length": 8.0}},
    "slender": {"shape": {"slenderness": 8.0}, "tracing": {"min_length": 8.0}},
    "joined": {
        "tracing": {"bridge": 1.0, "min_length": 8.0},
        "shape": {"junctions": 0.5, "slenderness": 6.0},
    },
    "valleys, trains, twice as wide": {
        "shape": {"profile": "wave"},
        "relative_width": 0.015,
        "tracing": {"seeding": "trains", "seed_distance": 0.67},
    },
    "τ 1.05, twice as wide": {"threshold": 1.05, "relative_width": 0.015},
}
"""Several together."""

SMOOTHED: Final[dict[str, dict[str, Any]]] = {
    "smooth, joined": COMBINED["joined"],
    "smooth, joined, τ 1.1, twice as wide": COMBINED["joined"] | {"threshold": 1.1, "relative_width": 0.015},
}
"""Over the character made smooth."""

PICTURED: Final = ("coarse", "dynamic", "dynamic, smooth", *SMOOTHED)
"""Drawing takes longer than all else: FLIP is measured of what its aim is about."""


def surfaces(scene: compare.Scene, *, metres: bool) -> dict[str, Any]:
    """All that is judged on a scene, whose clip is in metres or in a unit of its own."""
    found = compare.standard(scene, scenes_of_cloth.KEPT)
    for name, values in (ADDITIONS | COMBINED).items():
        found[name] = pucker.Params().replace(**values)
    for name, values in SMOOTHED.items():
        found[name] = compare.Smoothed(pucker.Params().replace(**values))
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
        judged.append(judge.smooth_surface())
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
    means = compare.overall(judged)
    added = [name for name in (*ADDITIONS, *COMBINED, *SMOOTHED, "cotton") if name in means.index]
    own = means.loc["dynamic"].to_dict()
    plain = compare.verdicts(judged).xs("coarse", level="surface")["flip"]
    drawn = compare.verdicts(judged).xs("dynamic", level="surface")["flip"]
    text = (
        "What the columns say, and how the scenes were made: [against simulated cloth](../believe.md). Means over the scenes; "
        "curvature and curvedness are shares of the coarse mesh's distance, *×* multiples of the truth's. "
        "By example is there on the scenes of the two garments it has learned, FLIP of the coarse mesh, the defaults and what is *smooth*: over the character subdivided once.\n\n"
        f"## Methods\n\n{compare.markdown(means.drop(index=added))}\n"
        "![](believe.png)\n\nHow much is folded where, kimono, running: truth, coarse, dynamic.\n\n"
        f"## Additions to the dynamic method\n\nEach alone, and some together.\n\n{compare.markdown(means.loc[['dynamic', *added]])}\n"
        "| addition | parameters |\n|---|---|\n"
    )
    for name, values in (ADDITIONS | COMBINED | SMOOTHED).items():
        text += f"| {name} | `{json.dumps(values)}` |\n"
    text += f"| cotton | `{json.dumps({'fabric': COTTON})}`, the characters taken to be {TALL} m tall |\n"
    text += "\n## Aims of the dynamic method's defaults\n\n"
    text += report.at_most("curvature", own["curvature"], 0.65, "of the coarse mesh's")
    text += report.at_most("curvedness", own["curvedness"], 0.65, "of the coarse mesh's")
    text += report.at_least("correlation of heights", own["correlation"], 0.2, "")
    text += report.at_least("where", own["where"], 0.5, "")
    text += report.at_most("wavelength, away from the truth's by", abs(own["wavelength"] - 1.0), 0.25, "of it")
    text += report.at_most("direction of folds", own["direction"], 25.0, "degrees")
    text += report.at_least(
        "FLIP lower than the coarse mesh's on", float((drawn < plain).sum()), float(len(plain)), "scenes"
    )
    for scene, found in compare.verdicts(judged).groupby(level="scene", sort=False):
        text += f"\n## {scene}\n\n{compare.markdown(found.droplevel('scene'))}"
    return text
