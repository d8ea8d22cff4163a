"""How like a garment's simulated folds those are that a trained set shows in clips it was not learned from."""

import json
import resource
import time
from collections.abc import Iterator
from typing import Any, Final

import igl
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics, waves
from pucker.examples import squeezed_sheet
from pucker.metrics import compare, correlation, rms
from pucker.metrics.compare.bench import Candidate, Reference
from pucker.metrics.compare.silhouette import Views

from . import report
from .trained_garments import DRESS, FPS, GAIN, KIMONO, RECORDINGS, STILL, Garment, Subject

TITLE: Final = "By example against simulation"
PEERS: Final = ("bpy",)
OPTIONS: Final = byexample.Options(edges=64, falloff=1.0)
# Of the frames whose curvature is fitted one is so many later than the last, of a long clip so many are; and the rings it is
# fitted to.
EVERY: Final = 4
FITTED: Final = 16
RINGS: Final = 3

# Periods of springs, critically damped, that are held against the low-frequency part.
SWAYS: Final = (0.018, 0.1, 0.3)

# Frames that all methods are measured in, and measures of how far a surface is.
BESIDE: Final = 8
NEAR: Final = ("distance", "normals", "area", "silhouette")

# The published size: a sheet of 400 triangles, divided three times, and six poses.
SHEET: Final = (20, 10)
SHEET_LEVELS: Final = 3
SHEET_POSES: Final = 6
SHEET_STEPS: Final = 600

Array = npt.NDArray[np.float64]


def _fitted(count: int) -> range:
    """Frames whose curvature is fitted."""
    return range(0, count, max(EVERY, count // FITTED))


def _bends(garment: Garment, name: str, surfaces: Iterator[Array]) -> list[metrics.Curvature]:
    fitted = _fitted(len(garment.clip(name)))
    return [
        metrics.curvature(garment.smooth.mesh.faces, positions, radius=RINGS)
        for frame, positions in enumerate(surfaces)
        if frame in fitted
    ]


def _away(found: list[metrics.Curvature], truth: list[metrics.Curvature], name: str) -> float:
    """Mean Wasserstein distance of the distributions of a curvature."""
    pairs = zip(found, truth, strict=True)
    return float(
        np.mean([metrics.curvature_distance(getattr(a, name), a.areas, getattr(b, name), b.areas) for a, b in pairs])
    )


def _where(garment: Garment, found: list[metrics.Curvature], truth: list[metrics.Curvature]) -> float:
    """Mean correlation of smoothed curvedness."""
    pairs = zip(found, truth, strict=True)
    return float(np.mean([metrics.where(b.curvedness, a.curvedness, garment.smoothing) for a, b in pairs]))


def _inside(garment: Garment, name: str, surfaces: Iterator[Array]) -> float:
    """Mean share of the vertices that lie in the body."""
    body = garment.body_clip(name)
    faces = np.ascontiguousarray(body.faces, dtype=np.int64)
    fitted = _fitted(len(body))
    sign = igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER
    return float(
        np.mean(
            [
                (igl.signed_distance(positions, np.array(body.positions[frame]), faces, sign_type=sign)[0] < 0.0).mean()
                for frame, positions in enumerate(surfaces)
                if frame in fitted
            ]
        )
    )


def _children_seconds() -> float:
    """Processor time of the processes that have ended."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime


def _motion(details: Array, shares: Array) -> float:
    """Root mean square change of the detail from frame to frame."""
    return rms(np.diff(details, axis=0), shares)


def _sheet_seconds() -> list[float]:
    """Of synthesis on a sheet of 25 600 triangles."""
    clip = squeezed_sheet(*SHEET, frames=61)
    smooth = byexample.SmoothSurface(clip.mesh, SHEET_LEVELS, clip.positions[0])
    # On the way in: on the way out they come again.
    poses = np.array(clip.positions)[: len(clip) // 2 : len(clip) // 2 // SHEET_POSES][:SHEET_POSES]
    details = 0.01 * np.random.default_rng(1).standard_normal((len(poses), smooth.mesh.vertex_count, 3))
    synthesis = byexample.Synthesis(clip.mesh, SHEET_LEVELS, clip.positions[0], poses, details)
    spent = []
    for step in range(SHEET_STEPS):
        guide = clip.positions[step % len(clip)]
        begin = time.process_time()
        synthesis.step(guide)
        spent.append(time.process_time() - begin)
    return spent


def measure() -> report.Samples:
    """Simulates what is not there yet, trains, and compares."""
    return {"sheet": _sheet_seconds(), **{subject.title: _measured(subject) for subject in (KIMONO, DRESS)}}


def _measured(subject: Subject) -> report.Samples:
    """What one garment's sets predict of its unseen clips."""
    garment = Garment(subject)
    seconds: list[float] = []
    fine: dict[str, Array] = {}
    for name in (*subject.learned, *subject.unseen):
        before = _children_seconds()
        fine[name] = garment.simulated(name)
        if _children_seconds() > before:
            seconds.append((_children_seconds() - before) / (len(fine[name]) + STILL))
    truth = {name: garment.details(name, fine[name]) for name in subject.unseen}
    bends = {name: _bends(garment, name, garment.surfaces(name, truth[name])) for name in subject.unseen}
    plain = {name: _bends(garment, name, garment.surfaces(name, 0.0 * truth[name])) for name in subject.unseen}
    samples: report.Samples = {"simulation": seconds, "sets": {}, "clips": {}}
    for name in subject.unseen:
        samples["clips"][name] = {
            "rms": rms(truth[name], garment.shares),
            "motion": _motion(truth[name], garment.shares),
            "curvature": _away(plain[name], bends[name], "mean"),
            "curvedness": _away(plain[name], bends[name], "curvedness"),
            "where": _where(garment, plain[name], bends[name]),
            "inside": _inside(garment, name, garment.surfaces(name, truth[name])),
            "inside_smooth": _inside(garment, name, garment.surfaces(name, 0.0 * truth[name])),
        }
    trained: dict[str, byexample.TrainedSet] = {}
    for title, how in subject.sets.items():
        clips = how["clips"]
        key = _key(how)
        if key not in trained:
            trained[key] = _learned(garment, {name: fine[name] for name in clips}, how)
        synthesis = trained[key].synthesis()
        samples["sets"][title] = {"clips": {}}
        for name in subject.unseen:
            steps = [
                (how.get("gain", 1.0) * np.array(step.detail), seconds)
                for step, seconds in _played(garment, synthesis, name)
            ]
            spent = [seconds for _, seconds in steps]
            detail = np.array([each for each, _ in steps])
            drawn = _bends(garment, name, garment.surfaces(name, detail))
            samples["sets"][title]["clips"][name] = {
                "seconds": spent,
                "rms": rms(detail, garment.shares),
                "motion": _motion(detail, garment.shares),
                "curvature": _away(drawn, bends[name], "mean"),
                "curvedness": _away(drawn, bends[name], "curvedness"),
                "where": _where(garment, drawn, bends[name]),
                "inside": _inside(garment, name, garment.surfaces(name, detail)),
            }
    file = RECORDINGS / f"{subject.part.lower()}.npz"
    trained[_key(subject.sets[subject.judged])].save(file)
    samples["sway"] = {name: _swayed(garment, name, fine[name], str(file)) for name in subject.unseen}
    samples["beside"] = {name: _beside(garment, name, truth[name], str(file)) for name in subject.unseen}
    return samples


def _key(how: dict[str, Any]) -> str:
    """The same of sets that differ in their gain alone."""
    return json.dumps({each: value for each, value in how.items() if each != "gain"})


def _swayed(garment: Garment, name: str, fine: Array, trained: str) -> list[list[float]]:
    """Of each period: how what a critically damped spring adds correlates with the low-frequency part, and its size against that one's.

    Both are less their means over the frames, in the frames of the smooth surface.
    """
    clip = garment.clip(name)
    whole = np.asarray(byexample.details_of(garment.smooth, clip.positions, fine, low_frequency="keep"))
    slow = whole - garment.details(name, fine)
    slow -= slow.mean(axis=0)
    found = []
    for period in SWAYS:
        params = byexample.Params(trained=trained, gain=0.0, sway=period, damping=1.0, sewn=False)
        swayed = []
        for guide, state in zip(clip.positions, pucker.run(clip, params), strict=True):
            garment.smooth.step(guide)
            swayed.append(np.array(garment.smooth.detail_of(state.detail.fine_positions)))
        added = np.array(swayed) - np.mean(swayed, axis=0)
        found.append([correlation(added, slow, garment.shares), rms(added, garment.shares) / rms(slow, garment.shares)])
    return found


def _played(
    garment: Garment, synthesis: byexample.Synthesis, name: str
) -> Iterator[tuple[byexample.Synthesised, float]]:
    """What a set makes of each frame of a clip, and the processor time that it takes."""
    guides = garment.clip(name).positions
    for frame, guide in enumerate(guides):
        begin = time.process_time()
        step = synthesis.step(guide, guides[frame - 1], 1 / FPS) if frame else synthesis.step(guide)
        yield step, time.process_time() - begin


def _learned(garment: Garment, fine: dict[str, Array], how: dict[str, Any]) -> byexample.TrainedSet:
    """A set of the clips whose fine frames are given."""
    coarse = {name: garment.clip(name).positions for name in fine}
    if "regression" in how:
        pairs = [(coarse[name], fine[name]) for name in fine]
        return byexample.regress(
            garment.mesh, pairs, rest=garment.rest, levels=garment.levels, fps=FPS, **how["regression"]
        ).trained
    return byexample.train(
        garment.mesh,
        np.concatenate(list(coarse.values())),
        np.concatenate(list(fine.values())),
        rest=garment.rest,
        levels=garment.levels,
        poses=how["poses"],
        low_frequency="remove",
        choose=how["choose"],
        fit=how["fit"],
        options=OPTIONS,
    ).trained


def _beside(garment: Garment, name: str, truth: Array, trained: str) -> dict[str, dict[str, float]]:
    """Means of the measures of `pucker.compare` against the truth: without detail, and with that of each method."""
    clip = garment.clip(name)
    faces = garment.smooth.mesh.faces
    fine = pucker.Clip.from_arrays(faces, np.array(list(garment.surfaces(name, truth))), clip.times, weld=False)
    bare = pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times, weld=False)
    surfaces = {
        "coarse": None,
        "dynamic": pucker.Params(min_width=compare.narrowest_fold(fine)),
        "waves": waves.Params(),
        "subdivided": byexample.Params(trained=trained, gain=0.0),
        "by example": byexample.Params(trained=trained, gain=GAIN),
    }
    candidates = {title: Candidate(bare, params) for title, params in surfaces.items()}
    samples = metrics.Samples(bare.mesh, bare.positions[0], 2 * 2**garment.levels)
    views = Views(fine.positions)
    owners = compare.closest_places(fine.positions[0], bare.faces, bare.positions[0]).triangles
    found: dict[str, list[dict[str, float]]] = {title: [] for title in surfaces}
    for frame in range(1, len(bare)):
        for candidate in candidates.values():
            candidate.advance()
        if frame % max(BESIDE, len(bare) // FITTED):
            continue
        reference = Reference(fine, frame, views)
        folds = reference.fold_directions(owners, len(bare.faces))
        for title, candidate in candidates.items():
            drawn = candidate.draw(samples, bare.positions[frame])
            row = reference.measure(drawn, 2 * RINGS)
            row["direction"] = metrics.direction_error(candidate.wrinkles, folds)
            if title in ("subdivided", "by example"):
                own = np.asarray(candidate.detail.fine_positions)[None]
                shown = pucker.Clip.from_arrays(faces, own, [0.0], weld=False)
                row["direction"] = _between(Reference(shown, 0, views).fold_directions(owners, len(bare.faces)), folds)
            found[title].append(row)
    return {
        title: {key: _mean_of_known([row[key] for row in rows]) for key in rows[0]} for title, rows in found.items()
    }


def _mean_of_known(values: list[float]) -> float:
    """The mean of those that are no NaN: a frame without wrinkles has no direction of them."""
    known = [value for value in values if not np.isnan(value)]
    return float(np.mean(known)) if known else np.nan


def _between(axes: Array, others: Array) -> float:
    """Mean angle in degrees between axes (k, 3), where both are; 45 on average if they have nothing to do with each other."""
    both = axes.any(axis=1) & others.any(axis=1)
    cosines = np.abs(np.einsum("ki,ki->k", axes[both], others[both]))
    return float(np.degrees(np.arccos(np.minimum(cosines, 1.0))).mean())


def _at_least(what: str, found: float, aim: float) -> str:
    """A line that says whether a share that should be large is."""
    verdict = "met" if found >= aim else f"missed by {100 * (1 - found / aim):.0f} %"
    return f"- {what}: **{found:.2f}**, aim ≥ {aim:g}: {verdict}.\n"


def page(samples: report.Samples) -> str:
    """The tables, and whether the aims are met."""
    text = (
        "Sets learned from Blender's simulations; those in `data/` were [taught by draped cloth](teacher.md). Truth are the "
        "kimono's `Clothes`, 960 triangles, simulated as 15 360 over the character "
        "([how](../training.md#simulated-garments)), and the dress's `Dress`, 372 as 23 808, without the low-frequency part. "
        "*Run*, *SitDown* and *Sitting* are not learned from; *Run_Carry* and *StandUp* are, and of the dress *RunningJump*. "
        "*Curvature* and *curvedness* are Wasserstein distances from the truth's, as a share of the smooth surface's; *where* "
        "is the correlation of curvedness smoothed over a fold's width; *motion* the change of the detail from frame to frame "
        "against the truth's. *Poses* are those of a [pose space](../pose_space.md), a [regression](../regression.md) compares "
        "with 160 frames.\n\n"
        "**Statistics, not places.** Truth and sets share one mesh, and most details are as short as it, so another mesh folds "
        "elsewhere. Places are judged by [truths](bands.md), and these sets reproduce hardly any.\n\n"
    )
    for subject in (KIMONO, DRESS):
        text += f"## {subject.title}\n\n{_section(subject, samples[subject.title])}"
    text += "## Time\n\n"
    sheet = report.median(samples["sheet"])
    text += report.at_most("synthesis of 25 600 triangles from six poses", 1e3 * sheet, 0.4, "ms of one processor")
    for subject in (KIMONO, DRESS):
        kept = samples[subject.title]
        if not kept["simulation"]:
            continue
        spent = report.median(kept["simulation"])
        play = report.median(kept["sets"][subject.judged]["clips"]["Run"]["seconds"])
        text += (
            f"- {subject.title.lower()}: simulating a frame ({1e3 * spent:.0f} ms of processor time) against synthesising it "
            f"({1e3 * play:.2f} ms): **{spent / play:.0f} ×**, aim ≥ 100 ×: {'met' if spent / play >= 100 else 'missed'}.\n"
        )
    return text


def _section(subject: Subject, samples: report.Samples) -> str:
    """The tables of one garment."""
    text = ""
    for name, clip in samples["clips"].items():
        rows = []
        for title, kept in samples["sets"].items():
            s = kept["clips"][name]
            rows.append(
                [
                    title,
                    f"{s['rms'] / clip['rms']:.2f}",
                    f"{s['curvature'] / clip['curvature']:.2f}",
                    f"{s['curvedness'] / clip['curvedness']:.2f}",
                    f"{s['where']:.2f}",
                    f"{s['motion'] / clip['motion']:.2f}",
                    f"{1e3 * report.median(s['seconds']):.2f}",
                ]
            )
        head = [name, "rms", "curvature", "curvedness", "where", "motion", "ms a frame"]
        last = samples["sets"][subject.judged]["clips"][name]
        text += f"### {name}\n\n*Where* of the smooth surface {clip['where']:.2f}.\n\n{report.table(head, rows)}\n"
        text += f"*{subject.judged}*:\n\n"
        text += _at_least("rms, of the truth's", last["rms"] / clip["rms"], 0.85)
        text += report.at_most("curvature", last["curvature"] / clip["curvature"], 0.5, "of the smooth surface's")
        text += report.at_most("curvedness", last["curvedness"] / clip["curvedness"], 0.5, "of the smooth surface's")
        text += report.at_most("motion", last["motion"] / clip["motion"], 1.5, "of the truth's")
        text += (
            f"- in the body: **{100 * last['inside']:.1f} %** of the vertices, of the smooth surface's "
            f"{100 * clip['inside_smooth']:.1f} %, of the truth's {100 * clip['inside']:.1f} %.\n"
        )
        beside = samples["beside"][name]
        # No aims: the smooth surface, which has no folds of its own, passes any that would be worth one.
        text += (
            f"- where: **{last['where']:.2f}**, of the smooth surface's {clip['where']:.2f}.\n"
            f"- direction of folds, away from the truth's: **{beside['by example']['direction']:.0f}°**, of the smooth surface's "
            f"{beside['subdivided']['direction']:.0f}°.\n"
        )
        worse = [key for key in NEAR if beside["by example"][key] > beside["coarse"][key]]
        text += f"- distance, outline, area, normals: **{', '.join(worse) or 'none'}** farther than the coarse mesh, aim none.\n\n"
        text += "All methods against the same truth, by the measures of [`pucker compare`](../compare.md):\n\n"
        rows = [
            [
                title,
                f"{row['curvature']:.2f}",
                f"{row['curvedness']:.2f}",
                f"{1e2 * row['distance']:.2f}",
                f"{row['normals']:.1f}",
                f"{1e2 * row['area']:.1f}",
                f"{1e2 * row['silhouette']:.2f}",
                "–" if np.isnan(row["direction"]) else f"{row['direction']:.0f}",
            ]
            for title, row in beside.items()
        ]
        head = [name, "curvature", "curvedness", "distance, %", "normals, °", "area, %", "outline, %", "folds, °"]
        text += report.table(head, rows) + "\n"
    text += (
        "### Lagging\n\nWhat a [critically damped spring](../training.md#lagging-as-a-whole) adds, against the low-frequency "
        "part that training removes, both less their means: correlation, and size as a share of that part's.\n\n"
    )
    rows = [
        [f"{period:g} s"] + [f"{kept[k][0]:.2f}, {kept[k][1]:.2f}" for kept in samples["sway"].values()]
        for k, period in enumerate(SWAYS)
    ]
    text += report.table(["period", *samples["sway"]], rows) + "\n"
    return text
