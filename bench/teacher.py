"""By example taught by draped cloth: what sets that the command makes are asked of, and how much there is to learn from."""

import os
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

import pucker
from pucker import byexample, metrics
from pucker.io import open_source
from pucker.metrics.compare import Against
from pucker.metrics.compare.by_statistics import CEILINGS, shares_within, statistics_table
from pucker.metrics.compare.by_truth import overall_table, table_of_truth

from . import report, scenes
from .taught_sets import (
    AGAIN,
    DRAPED,
    DRESS,
    EDGES,
    KIMONO,
    NOISE,
    SET,
    Garment,
    agreement,
    of_garment,
    of_strangers,
)

TITLE: Final = "Taught by draped cloth"
PEERS: Final = ("scipy", "libigl")

GARMENTS: Final = (KIMONO, DRESS)
MADE: Final = 480
"""Frames of made motion, about what `--made 480` makes of these files."""
CLIPS: Final = "the clips"
BEST: Final = "the clips, the made motion"
PARAMS: Final = pucker.drape.Params(levels=2)
"""What more frames bring is seen at two levels as well, and draped four times as fast."""

# What sets are asked for.
OF_CEILING: Final = 0.95
WITHOUT_LAG: Final = 0.85
OF_TEACHER: Final = 0.9
LEFT_OUT: Final = 0.7
SIZES: Final = (0.9, 1.1)
ROUGH: Final = 0.3
MEGABYTES: Final[dict[str, float]] = {KIMONO.name: 3.0, DRESS.name: 8.0}
PLAY: Final = 0.4
WEIGHTS: Final = 0.1
TRAINING: Final = 60.0
STRANGERS: Final = (0.85, 0.7)
"""Of what can be had: in the median, and the least."""


def _begun(take: byexample.Take, share: float) -> byexample.Take:
    """That share of its frames, from the first on: what cloth does depends on the frames before."""
    frames = max(round(share * len(take.clip)), 1)
    return byexample.Take(take.clip.beginning(frames), take.fine[:frames])


def _growing(garment: Garment) -> dict[str, Any]:
    """Sets of more and more frames, on the clips that judge them."""
    path = scenes.DATA / garment.file
    unseen = [garment.prefix + name for name in garment.judged]
    with open_source(path, isolated=True) as source:
        names = [name for name in source.inspect().clips if name not in unseen]
    clips = [pucker.load(path, clip=name, parts=[garment.part]) for name in names]
    wholes = [pucker.load(path, clip=name) for name in names]
    begin = time.perf_counter()
    motion = byexample.made_motion(clips, wholes, MADE)
    assert motion is not None
    *takes, made = byexample.drape([*clips, motion], PARAMS, workers=os.cpu_count() or 1)
    draping = time.perf_counter() - begin
    begun = {share: [_begun(take, share) for take in takes] for share in (0.25, 0.5)}
    half = _begun(made, 0.5)
    tried: dict[str, tuple[list[byexample.Take], list[byexample.Take]]] = {
        "the first quarter of each clip": (begun[0.25], []),
        "the first half of each clip": (begun[0.5], []),
        CLIPS: (takes, []),
        "the first half of each, half of the made motion": (begun[0.5], [half]),
        "the clips, half of the made motion": (takes, [half]),
        BEST: (takes, [made]),
    }
    frames, seconds, surfaces = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (shown, more)) in enumerate(tried.items()):
            begin = time.perf_counter()
            learned = byexample.learn_draped(shown, params=PARAMS, made=more, parts=(garment.part,)).trained
            seconds[name] = time.perf_counter() - begin
            file = str(Path(folder) / f"{number}.npz")
            learned.save(file)
            surfaces[name] = byexample.Params(trained=file)
            frames[name] = sum(len(take.clip) for take in [*shown, *more])
        rows = {name: agreement(garment.clip(name), learned.levels, surfaces)["bands"] for name in garment.judged}
    return {
        "name": garment.name,
        "clips": len(takes),
        "draping": draping,
        "learning": seconds[BEST],
        "frames": frames,
        "rows": rows,
    }


def measure(files: Sequence[Path] = ()) -> report.Samples:
    """Trains by command, judges, and learns from more and more frames; files and folders are strangers' characters. Takes about six minutes."""
    with tempfile.TemporaryDirectory() as folder:
        sets = [of_garment(garment, Path(folder)) for garment in GARMENTS]
    return {"sets": sets, "strangers": of_strangers(files) if files else [], "growing": list(map(_growing, GARMENTS))}


def page(samples: report.Samples) -> str:
    """Whether the aims are met, and a table for each of what they are about."""
    sets, strangers = samples["sets"], samples["strangers"]
    text = (
        "Sets by `pucker train` on the clips of which [those in data/](../training.md#the-sets-in-data) are made, "
        "without *Run*, *SitDown* and *Sitting*, played with defaults, gain 1. Heights over the Loop-subdivided coarse "
        "clip by [band](../bands.md) of wavelength, in edges of the fine mesh: eight are a coarse one, four at two levels and in the kimono's truths.\n\n"
        f"## Aims\n\n{_aims(sets, strangers)}\n## Sets\n\n{_sets(sets)}"
    )
    text += (
        "\n*Learned*: each clip left out in turn, correlation of what is predicted from the others with its draped cloth in folds of two coarse "
        "edges and longer, without the clip's mean; the mean over the clips, and the least. *Balance alone*: without what was learned. "
        "*Ceiling*: draped cloth that [begins otherwise](../training.md#quality). *Height*: of the folds in a clip, root mean square, of a coarse edge. *Play*: a frame on one processor; *on the GPU*: of that what is left "
        "where the [surface is made where it is drawn](../computed_surface.md).\n"
    )
    text += "\n## Strangers\n\n" + _strangers(strangers)
    text += "\n## Against truths\n\n" + "".join(_truths(each) for each in sets if each["truths"]["folds"])
    text += "\n## Against draped cloth\n\n" + _against_teacher(sets)
    return text + "\n## More to learn from\n\n" + _grown(samples["growing"])


def _ratio(row: dict[str, Any]) -> float:
    """What is learned of what can be had."""
    return float(row["learned"] / row["again"]) if row["again"] > 0.0 and row["learned"] is not None else 0.0


def _rows(found: Iterable[dict[str, Any]]) -> list[Against]:
    return [Against.of_plain(each) for each in found]


def _of_ceiling(folds: Sequence[Against], shown: Sequence[Against]) -> dict[str, float]:
    """By truth: the mean over its bands that are judged by place of the set's correlation as a share of the ceiling's, both of the folds."""
    ceilings = {each.truth: each for each in folds if each.surface == CEILINGS["finer"]}
    found = {}
    for row in shown:
        if row.surface == SET and any(row.judged):
            ceiling = ceilings[row.truth]
            shares = [
                one / most
                for one, most, by_place in zip(row.correlation, ceiling.correlation, row.judged, strict=True)
                if by_place
            ]
            found[row.truth] = float(np.mean(shares))
    return found


def _shares_of_teacher(judged: dict[str, Any]) -> list[float]:
    """By band of four edges and longer: the set's correlation without the mean, of that of cloth that begins otherwise."""
    pairs = zip(judged["bands"][SET], judged["bands"][AGAIN], strict=True)
    return [one["pose"] / most["pose"] if most["pose"] > 0.0 else float("nan") for one, most in pairs][1:]


def _aims(sets: Sequence[dict[str, Any]], strangers: Sequence[dict[str, Any]]) -> str:
    text = "".join(_by_place(each) for each in sets)
    for each in sets:
        text += report.at_least(f"{each['name']}, clips left out in turn, mean", each["learned"], LEFT_OUT, "")
    text += "".join(_forms(each) for each in sets)
    for each in sets:
        name = each["name"]
        text += report.at_most(f"{name}, size of the set", each["bytes"] / 1e6, MEGABYTES[name], "MB")
        text += report.at_most(f"{name}, {each['triangles']} triangles, a frame", each["play"], PLAY, "ms")
        text += report.at_most(f"{name}, a frame without its surface", each["weights"], WEIGHTS, "ms")
    text += report.at_most(f"`pucker train` on {sets[0]['name']}", sets[0]["took"], TRAINING, "s")
    shares = [_ratio(row) for row in strangers if "failed" not in row]
    if shares:
        count = f"{len(shares)} strangers"
        text += report.at_least(f"{count}, the median", float(np.median(shares)), STRANGERS[0], "of the ceiling")
        text += report.at_least(f"{count}, the least", min(shares), STRANGERS[1], "of the ceiling")
    return text


def _by_place(each: dict[str, Any]) -> str:
    """Whether folds lie where those of truths do, or of draped cloth where there is none."""
    name, folds, text = each["name"], _rows(each["truths"]["folds"]), ""
    inside = _of_ceiling(folds, _rows(each["truths"]["lagging"]))
    for truth, share in _of_ceiling(folds, folds).items():
        text += report.at_least(f"{truth}, bands judged by place, lag in", inside[truth], OF_CEILING, "of the ceiling")
        text += report.at_least(f"{truth}, lag taken out", share, WITHOUT_LAG, "of the ceiling")
    for clip, judged in () if folds else each["judged"].items():
        told = f"{name} {clip}, of which there is no truth, against draped cloth, bands from 4 edges on"
        text += report.at_least(told, float(np.nanmean(_shares_of_teacher(judged))), OF_TEACHER, "of the ceiling")
    return text


def _forms(each: dict[str, Any]) -> str:
    """Whether folds are as high and as smooth as they should be, wherever they lie."""
    name, folds, text = each["name"], _rows(each["truths"]["folds"]), ""
    for clip, judged in each["judged"].items():
        sizes = [band["rms"] for band in judged["bands"][SET]]
        within = sum(SIZES[0] <= size <= SIZES[1] for size in sizes)
        told = f"{name} {clip}, bands 0.9 to 1.1 times as high as draped cloth (they are {min(sizes):.2f} to {max(sizes):.2f})"
        text += report.at_least(told, float(within), float(len(sizes)), "bands")
    if folds:
        share = 100.0 * shares_within(folds, SET)["size"]
        text += report.at_least(f"{name}, spectrum of shorter bands within the truths' spread", share, 100.0, "%")
    rough = max(judged["rough"][SET] for judged in each["judged"].values())
    return text + report.at_most(f"{name}, roughness at the mesh's size", rough, ROUGH, "of the heights")


def _cells(row: dict[str, Any]) -> list[str]:
    learned = "–" if row["learned"] is None else f"{row['learned']:.2f} ({row['least']:.2f})"
    return [
        str(row["clips"]),
        str(row["frames"]),
        str(row["triangles"]),
        learned,
        f"{row['untaught']:.2f}",
        f"{row['again']:.2f}",
        f"{_ratio(row):.2f}",
        f"{100.0 * row['height']:.0f}",
        f"{row['bytes'] / 1e6:.1f}",
        f"{row['took']:.0f} ({row['processor']:.0f})",
        f"{row['play']:.2f}",
        f"{row['weights']:.2f}",
    ]


_HEAD: Final = (
    "clips",
    "frames",
    "triangles",
    "learned (least)",
    "balance alone",
    "ceiling",
    "of the ceiling",
    "height, %",
    "MB",
    "s to train (of processors)",
    "ms to play",
    "on the GPU",
)


def _sets(sets: Sequence[dict[str, Any]]) -> str:
    return report.table(("set", *_HEAD), [(each["name"], *_cells(each)) for each in sets])


def _strangers(rows: Sequence[dict[str, Any]]) -> str:
    if not rows:
        return "Characters of your own: `./run bench teacher --file PATH`, a file or a folder.\n"
    made = [row for row in rows if "failed" not in row]
    text = (
        "`pucker train FILE -o SET` without options, on characters that nothing was tuned on, whatever `pucker info` suggests. Others: "
        "`./run bench teacher --file PATH`, a file or a folder.\n\n"
    )
    text += report.table(("character", *_HEAD), [(row["name"], *_cells(row)) for row in made])
    if made:
        text += "\n" + "".join(f"- {row['name']}: {', '.join(row['parts'])}\n" for row in made)
    failed = [row for row in rows if "failed" in row]
    return text + "".join(f"- {row['name']}: {row['failed']}\n" for row in failed)


def _truths(each: dict[str, Any]) -> str:
    folds, lagging = _rows(each["truths"]["folds"]), _rows(each["truths"]["lagging"])
    text = (
        "Correlation with [truths](../truths.md), and in brackets the size over theirs, in edges of the truth's mesh; bold where the next "
        "finer mesh, the ceiling, repeats the folds in their places.\n"
    )
    for truth in dict.fromkeys(row.truth for row in folds):
        text += f"\n### {truth}\n\n{table_of_truth([row for row in folds if row.truth == truth])}"
    text += f"\n### With the lag left in\n\nMeans over the bold bands; the ceiling is that of the folds.\n\n{overall_table(lagging)}"
    text += (
        "\n### Shorter folds\n\nThose that lie by chance, [by statistics](bands.md#bands-that-are-judged-by-statistics); in brackets the share of the "
        f"bands in which a surface is within the spread of two other simulations.\n\n{statistics_table(folds)}"
    )
    return text


def _band_cells(bands: Sequence[dict[str, Any]]) -> list[str]:
    return [f"{band['correlation']:.2f}, {band['pose']:.2f} ({band['rms']:.2f})" for band in bands]


def _against_teacher(sets: Sequence[dict[str, Any]]) -> str:
    text = (
        "Clips that were not learned from, against draped cloth, the teacher, which is no truth. Each cell: correlation, that without the mean "
        "over the frames, and in brackets the size over the draped cloth's. *Roughness*: what heights differ by from the mean of "
        "their neighbours', over the heights.\n"
    )
    for each in sets:
        for clip, judged in each["judged"].items():
            lines = [(row, *_band_cells(judged["bands"][row])) for row in (SET, AGAIN, NOISE)]
            lines.append(
                ("of the ceiling, without the mean", "", *(f"{share:.2f}" for share in _shares_of_teacher(judged)))
            )
            rough = judged["rough"]
            text += f"\n### {each['name']}, {clip}\n\n" + report.table(("", *metrics.band_names(EDGES)), lines)
            text += f"\nRoughness {rough[SET]:.2f}, of draped cloth {rough[DRAPED]:.2f}.\n"
    return text


def _grown(growing: Sequence[dict[str, Any]]) -> str:
    text = (
        "Sets of more and more frames, and of [motion made](../training.md#draped-garments) of their poses, at two levels, from all clips but those "
        "named here. Cells as above. Made motion, which needs `--made`, changes little.\n"
    )
    head = ("learned from", "frames", *metrics.band_names(EDGES))
    for each in growing:
        text += (
            f"\n### {each['name']}: {each['frames'][BEST]} frames\n\nOf {each['clips']} clips and of made motion; draped in {each['draping']:.0f} s, "
            f"learned in {each['learning']:.0f} s.\n"
        )
        for clip, rows in each["rows"].items():
            lines = [(row, str(each["frames"].get(row, "")), *_band_cells(bands)) for row, bands in rows.items()]
            text += f"\n*{clip}*\n\n" + report.table(head, lines)
    return text
