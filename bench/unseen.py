"""How near every method comes to simulated cloth in motions that nothing was tuned on or learned from."""

from typing import Any, Final

import numpy as np

from pucker.metrics import compare

from . import report, scenes_of_cloth

TITLE: Final = "Motions that nothing was tuned on"
PEERS: Final = ("libigl", "flip-evaluator", "scipy")
TUNED: Final = "tshirt"
"""The scene of the motion that defaults were chosen on, and that the set by example has learned from."""


def measure() -> report.Samples:
    """Judges all methods in the wind that was tuned on, and in the others; records those that have no recording."""
    judged: list[compare.Judged] = []
    for name in (TUNED, *scenes_of_cloth.UNSEEN):
        scene = scenes_of_cloth.scene(name)
        judge = compare.Judge(scene)
        judged += [judge.judge(*each) for each in compare.standard(scene, scenes_of_cloth.UNSEEN_KEPT).items()]
        judged += [*judge.controls(), judge.mean_detail()]
    return {"judged": [each.plain() for each in judged], "winds": _winds()}


def _winds() -> dict[str, dict[str, float]]:
    """How far each unseen wind's T-shirt is from the one that was tuned on, in the frames that are judged."""
    tuned = scenes_of_cloth.scene(TUNED)
    size = float(np.linalg.norm(np.ptp(tuned.clip.positions[0], axis=0)))
    out = {}
    for name in scenes_of_cloth.UNSEEN:
        scene = scenes_of_cloth.scene(name)
        shown = slice(scene.frames.start, scene.frames.stop)
        own, other = scene.clip.positions[shown], tuned.clip.positions[shown]
        product = float((scene.detail * tuned.detail).sum())
        out[scene.name] = {
            "away": float(np.linalg.norm(own - other, axis=-1).mean()) / size,
            "alike": product / float(np.linalg.norm(scene.detail) * np.linalg.norm(tuned.detail)),
        }
    return out


def page(samples: report.Samples) -> str:
    """How far the motions are from the tuned one, and a table each."""
    judged = [compare.Judged(**each) for each in samples["judged"]]
    text = (
        "The T-shirt of DiffCloth, simulated elsewhere in several winds. Defaults were chosen with one of them among the "
        "[scenes](../believe.md#scenes), and the set by example has learned from that one alone; two others are only judged. Columns as in "
        "[distances](believe.md); curvature and curvedness are shares of the coarse mesh's distance.\n\n"
    )
    for name, found in samples["winds"].items():
        text += (
            f"- *{name}*: vertices are {100 * found['away']:.0f} % of the shirt's diagonal from where they are in the first wind, in the "
            f"mean over the frames; the detail beyond the smooth surface correlates with the first one's by {found['alike']:.2f}.\n"
        )
    for scene, own in _by_scene(judged).items():
        text += f"\n## {scene}\n\n{compare.markdown(compare.overall(own))}"
    return text + "\nFrom a shell: `pucker compare --suite data/unseen -o FOLDER`.\n"


def _by_scene(judged: list[compare.Judged]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for each in judged:
        found.setdefault(each.scene, []).append(each)
    return found
