"""What predicts the details of draped cloth best, at the same size and in the same time: kernel ridge, local linear maps, networks."""

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample
from pucker.byexample.draped import CENTRES, DAMPINGS, DETAILS, DISPLACEMENT, EDGES, HELD, WIDTHS, guide_cloth, teacher
from pucker.byexample.judged import Judged, correlations, mean_of
from pucker.byexample.targets import Targets
from pucker.byexample.trained import Options
from pucker.cli.suggestion import choose
from pucker.io import open_source

from . import report
from .characters import files_of
from .predictors import Fit, Model, Stack, kernels, local_maps, network
from .taught_sets import DRESS, KIMONO

TITLE: Final = "Predictors side by side"
PEERS: Final = ("scipy",)

POINTS: Final = 128
"""Of a set, at which weights are predicted."""
JUDGED: Final = 16
"""Of them, spread evenly, where predictors are judged: they agree."""
LEVELS: Final = 2
REPEATS: Final = 50

SHIPPED: Final = "kernel ridge, 128 centres"
EXACT: Final = "the details' own weights"


@dataclass(frozen=True)
class Tried:
    """A predictor and the settings of which the best is shown, as those of kernel ridge are chosen."""

    name: str
    fits: tuple[Fit, ...]


@dataclass(frozen=True, eq=False)
class Asked:
    """What predictors are asked of a garment, in stacks of `JUDGED` points."""

    places: Stack
    centres: Stack
    weights: Stack
    squares: Stack
    groups: npt.NDArray[np.intp]
    judged: list[Judged]
    shared: int
    """Numbers that the centres take in a set's file, for all points together."""
    again: tuple[float, ...]
    untaught: tuple[float, ...]


def tried_on(asked: Asked) -> list[Tried]:
    """All predictors: sizes are such that numbers, or products, are about those of kernel ridge."""
    grid = [(width, damping) for width in (0.3, 1.0) for damping in (0.3, 1.0)]
    noises = (0.5, 1.0)
    return [
        Tried(SHIPPED, tuple(kernels(asked.centres, w, damping, HELD) for w in WIDTHS for damping in DAMPINGS)),
        Tried(
            "a linear map", tuple(local_maps(1, asked.places.shape[2], 1.0, damping) for damping in (3.0, 10.0, 30.0))
        ),
        Tried("5 local linear maps, 31 axes", tuple(local_maps(5, 31, *each) for each in grid)),
        Tried("9 local linear maps, 31 axes", tuple(local_maps(9, 31, *each) for each in grid)),
        Tried("12 local linear maps, 15 axes", tuple(local_maps(12, 15, *each) for each in grid)),
        Tried("network, 84 hidden units", tuple(network(84, noise) for noise in noises)),
        Tried("network, 126 hidden units", tuple(network(126, noise) for noise in noises)),
        Tried("4 local subspaces of 8, network, 60 units", tuple(network(60, noise, regions=4) for noise in noises)),
        Tried("4 local subspaces of 8, network, 100 units", tuple(network(100, noise, regions=4) for noise in noises)),
    ]


def _asked(clips: Sequence[pucker.Clip]) -> Asked:
    """Of draped cloth on the clips, as `pucker train` teaches sets."""
    params, workers = teacher(LEVELS), os.cpu_count() or 1
    takes = byexample.drape(clips, params, workers=workers)
    again = byexample.drape_again(clips, params, workers=workers)
    cloth = guide_cloth(clips[0], params)
    mesh, shared = clips[0].mesh, clips[0].shared_vertices
    targets = Targets(
        mesh,
        [(take.clip.positions, take.fine) for take in takes],
        balances=[cloth.balances(mesh, clip.positions, clip.times, shared) for clip in clips],
        rest=takes[0].rest,
        levels=LEVELS,
        fps=30.0,
        details=DETAILS,
        centres=CENTRES,
        points=POINTS,
        motions=(0.0,),
        displacement=DISPLACEMENT,
        low_frequency="keep",
        options=Options(edges=EDGES, falloff=1.0),
    )
    points = targets.spread(JUDGED)
    wanted = [targets.wanted(point) for point in points]
    judged = [targets.judged(point, own) for point, own in zip(points, wanted, strict=True)]
    places, centres = _stacks([targets.places.about(point, 0.0) for point in points])
    untaught, ceiling = targets.beside(points, again)
    return Asked(
        places,
        centres,
        np.array(wanted, np.float32),
        np.array([_squares(each) for each in judged], np.float32),
        targets.groups,
        judged,
        2 * 3 * len(targets.places.picked[0.0]) * mesh.vertex_count,
        ceiling,
        untaught,
    )


def _stacks(each: Sequence[tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]]) -> tuple[Stack, Stack]:
    """Places and centres of all points, without the places' mean; where a point has fewer numbers than others, zeros are added."""
    most = max(place.shape[1] for place, _ in each)
    places, centres = [], []
    for place, centre in each:
        mean, wide = place.mean(axis=0), ((0, 0), (0, most - place.shape[1]))
        places.append(np.pad(place - mean, wide))
        centres.append(np.pad(centre - mean, wide))
    return np.array(places, np.float32), np.array(centres, np.float32)


def _squares(judged: Judged) -> npt.NDArray[np.float64]:
    """(p, p): by how much products of weights count, 1 in the mean."""
    found = judged.shapes @ judged.shapes.T
    return np.asarray(found / max(np.trace(found) / len(found), np.finfo(float).tiny))


def left_out(asked: Asked, fit: Fit) -> tuple[float, ...]:
    """Of each group of frames: how well what is predicted for it from the others agrees with its cloth, as `Regressed.left_out`."""
    found = np.empty_like(asked.weights[:, : len(asked.groups)])
    for group in np.unique(asked.groups):
        left = asked.groups == group
        model = fit(asked.places[:, ~left], asked.weights[:, ~left], asked.squares)
        found[:, left] = model(asked.places[:, left])
    return _agreement(asked, found)


def _agreement(asked: Asked, found: Stack) -> tuple[float, ...]:
    sums = [
        judged.sums((own[: len(asked.groups)] - each).astype(np.float64), asked.groups)
        for judged, own, each in zip(asked.judged, asked.weights, found, strict=True)
    ]
    return correlations(np.sum(sums, axis=0))


def _microseconds(model: Model, places: Stack) -> float:
    """Of one processor for a frame, for all points of a set; the least of many."""
    least = np.inf
    for repeat in range(REPEATS):
        frame = np.ascontiguousarray(places[:, repeat % places.shape[1]][:, None])
        begin = time.perf_counter()
        model(frame)
        least = min(least, time.perf_counter() - begin)
    return 1e6 * least * POINTS / len(places)


def _garment(name: str, clips: Sequence[pucker.Clip]) -> dict[str, Any]:
    asked = _asked(clips)
    own = _agreement(asked, asked.weights[:, : len(asked.groups)])
    rows = {}
    for tried in tried_on(asked):
        click.echo(f"{name}: {tried.name}", err=True)
        begin = time.perf_counter()
        scores = [left_out(asked, fit) for fit in tried.fits]
        best = max(range(len(scores)), key=lambda k: mean_of(scores[k]))
        model = tried.fits[best](asked.places, asked.weights, asked.squares)
        rows[tried.name] = {
            "learned": mean_of(scores[best]),
            "least": min(score for score in scores[best] if np.isfinite(score)),
            "numbers": POINTS * model.numbers + (asked.shared if tried.name == SHIPPED else 0),
            "products": POINTS * model.products,
            "play": _microseconds(model, asked.places),
            "took": time.perf_counter() - begin,
        }
    return {
        "name": name,
        "clips": len(clips),
        "frames": sum(len(clip) for clip in clips),
        "rows": rows,
        "exact": mean_of(own),
        "untaught": mean_of(asked.untaught),
        "again": mean_of(asked.again),
    }


def _of_file(file: Path) -> list[pucker.Clip]:
    """The clips that `pucker train FILE` learns from."""
    with open_source(file, isolated=True) as source:
        parts = choose(source, None, None, 30.0)[1]
        clips = [source.load(clip=name, parts=parts) for name in source.inspect().clips]
    most = byexample.frames_with_room(clips[0].mesh.triangle_count, LEVELS)
    return [clips[k] for k in byexample.covering(clips, most)]


def measure(files: Iterable[Path] = ()) -> report.Samples:
    """Kimono and dress, and the characters of files and folders. Takes about a quarter of an hour."""
    garments = {each.name: [each.clip(name) for name in each.learned] for each in (KIMONO, DRESS)}
    garments |= {file.stem: _of_file(file) for file in files_of(files)}
    return {"garments": [_garment(name, clips) for name, clips in garments.items()]}


def page(samples: report.Samples) -> str:
    """A table for all garments: how well each predicts, what it takes."""
    garments = samples["garments"]
    text = (
        "What predicts the [weights of details](../regression.md) about a point from the lengths and displacements there: what sets have, "
        "and others, given the same frames, points, details and balances of draped cloth at two levels. Clips are left out in "
        "turn; cells are the mean correlation over the clips of what is predicted for them with their cloth, in folds of two coarse edges "
        "and longer, without each clip's mean, and in brackets the least. Of a few settings each has that which does best, "
        "as sets have: width, damping; of networks, the noise on what they learn from.\n\n"
    )
    names = list(garments[0]["rows"])
    lines = [
        (name, *(_cell(each["rows"][name]) for each in garments), f"{_mean(garments, name):.3f}") for name in names
    ]
    lines += [
        (label, *(f"{each[key]:.3f}" for each in garments), f"{np.mean([each[key] for each in garments]):.3f}")
        for label, key in (
            ("the balance alone", "untaught"),
            (EXACT, "exact"),
            ("cloth that begins otherwise", "again"),
        )
    ]
    text += report.table(("", *(each["name"] for each in garments), "mean"), lines)
    text += (
        "\nOf each: "
        + "; ".join(f"{each['name']} {each['clips']} clips, {each['frames']} frames" for each in garments)
        + ".\n"
    )
    first = garments[0]
    text += (
        f"\n## Size and time\n\n{first['name']}, all {POINTS} points of a set: numbers that are kept, multiplications a frame, and "
        "microseconds a frame of one processor in NumPy, single precision. The centres' poses are counted with kernel ridge. *Tried*: seconds to "
        "leave out each clip with each setting.\n\n"
    )
    costs = [
        (
            name,
            f"{row['numbers'] / 1e3:.0f} K",
            f"{row['products'] / 1e3:.0f} K",
            f"{row['play']:.0f}",
            f"{row['took']:.0f}",
        )
        for name, row in first["rows"].items()
    ]
    text += report.table(("", "numbers", "multiplications", "µs", "tried"), costs)
    best = max(names, key=lambda name: _mean(garments, name))
    lost = _mean(garments, SHIPPED) - max(_mean(garments, name) for name in names if name != SHIPPED)
    text += f"\nBest in the mean: **{best}**; kernel ridge is {abs(lost):.3f} {'above' if lost >= 0.0 else 'below'} the best of the others.\n"
    return text


def _mean(garments: Sequence[dict[str, Any]], name: str) -> float:
    return float(np.mean([each["rows"][name]["learned"] for each in garments]))


def _cell(row: dict[str, Any]) -> str:
    return f"{row['learned']:.3f} ({row['least']:.2f})"
