"""How much of a garment's simulated folds a trained set foretells in clips it was not learned from."""

import json
import resource
import time
from collections.abc import Iterator
from pathlib import Path
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

TITLE: Final = "By example against simulation"
PEERS: Final = ("bpy",)
ROOT: Final = Path(__file__).resolve().parents[1]
KIMONO: Final = ROOT / "data" / "kimono_male.gltf"
# Simulated clips are kept: they take minutes.
RECORDINGS: Final = ROOT / "build" / "bench" / "byexample"
SIX: Final = ("Walk", "Jump", "PickUp", "Victory", "Punch", "SwordSlash")
FIFTEEN: Final = (
    *SIX, "Death", "Defeat", "Idle", "RecieveHit", "Roll", "Run_Carry", "Shoot_OneHanded", "StandUp", "Walk_Carry",
)  # fmt: skip
UNSEEN: Final = ("Run", "SitDown")
CUT: Final = "Idle"
LEVELS: Final = 2
FPS: Final = 30.0
# Another take: it stands longer before the clip, about half a second.
STILL: Final = 5
OTHER_STILL: Final = 21
OPTIONS: Final = byexample.Options(edges=64, falloff=1.0)
# Frames whose curvature is fitted, and the rings it is fitted to.
EVERY: Final = 4
RINGS: Final = 3
# Width over which folds count as in the same place, in fine edges: that of a flat fold of four.
FOLD_EDGES: Final = 4.0
# What unseen folds keep of their height, made good.
GAIN: Final = 1.25
# What leaving clips out chooses, so that it is not chosen anew for each set.
LEARNED: Final[dict[str, Any]] = {"widths": (0.1,), "dampings": (0.2,), "motions": (0.0025,)}
SETS: Final[dict[str, dict[str, Any]]] = {
    "6 clips, 8 poses, as published": {"clips": SIX, "poses": 8, "choose": "greedy", "fit": 0.0},
    "15 clips, 48 poses": {"clips": FIFTEEN, "poses": 48, "choose": "farthest", "fit": 0.3},
    "6 clips, regression": {"clips": SIX, "regression": LEARNED},
    "15 clips, regression without motion": {"clips": FIFTEEN, "regression": {**LEARNED, "motions": (0.0,)}},
    "15 clips, regression": {"clips": FIFTEEN, "regression": LEARNED},
    "15 clips, regression, gain 1.25": {"clips": FIFTEEN, "regression": LEARNED, "gain": GAIN},
}
# The one that comes with pucker, as the gallery plays it.
SHIPPED: Final = "15 clips, regression, gain 1.25"

# Frames that all methods are measured in, and measures of how far a surface is.
BESIDE: Final = 8
NEAR: Final = ("distance", "normals", "area", "silhouette")

# The published size: a sheet of 400 triangles, divided three times, and six poses.
SHEET: Final = (20, 10)
SHEET_LEVELS: Final = 3
SHEET_POSES: Final = 6
SHEET_STEPS: Final = 600

Array = npt.NDArray[np.float64]


class _Garment:
    """The kimono's clips and what is simulated of them."""

    def __init__(self) -> None:
        first = self.clip(CUT)
        self.mesh, self.rest = first.mesh, np.asarray(first.rest)
        self.start = np.asarray(first.positions[0])
        self._body_start = np.asarray(self.body_clip(CUT).positions[0])
        self.smooth = byexample.SmoothSurface(self.mesh, LEVELS, self.rest)
        fold = FOLD_EDGES * pucker.mean_edge_length(self.smooth.mesh, self.smooth.positions)
        self.smoothing = metrics.Smoothing(self.smooth.mesh.faces, self.smooth.positions, fold)
        self.shares = self.smoothing.areas

    @staticmethod
    def clip(name: str) -> pucker.Clip:
        return pucker.load(KIMONO, clip=name, parts=["Clothes"])

    @staticmethod
    def body_clip(name: str) -> pucker.Clip:
        return pucker.load(KIMONO, clip=name, parts=["Skin"])

    def simulated(self, name: str, still: int = STILL) -> Array:
        body = byexample.Body.of(self.body_clip(name), self._body_start)
        return byexample.simulate(
            self.clip(name), body, start=self.start, levels=LEVELS, still=still, recordings=RECORDINGS
        )

    def details(self, name: str, fine: Array) -> Array:
        """What the frames of a clip are beyond the smooth surface, (frames, N, 3), without their slow part."""
        guides = self.clip(name).positions
        return np.asarray(byexample.details_of(self.smooth, guides, fine, slow="remove"))

    def surfaces(self, name: str, details: Array) -> Iterator[Array]:
        for guide, detail in zip(self.clip(name).positions, details, strict=True):
            self.smooth.step(guide)
            yield np.asarray(self.smooth.add(detail))


def _bends(garment: _Garment, surfaces: Iterator[Array]) -> list[metrics.Curvature]:
    return [
        metrics.curvature(garment.smooth.mesh.faces, positions, radius=RINGS)
        for frame, positions in enumerate(surfaces)
        if frame % EVERY == 0
    ]


def _away(found: list[metrics.Curvature], truth: list[metrics.Curvature], name: str) -> float:
    """Mean Wasserstein distance of the distributions of a curvature."""
    pairs = zip(found, truth, strict=True)
    return float(
        np.mean([metrics.curvature_distance(getattr(a, name), a.areas, getattr(b, name), b.areas) for a, b in pairs])
    )


def _where(garment: _Garment, found: list[metrics.Curvature], truth: list[metrics.Curvature]) -> float:
    """Mean correlation of smoothed curvedness."""
    pairs = zip(found, truth, strict=True)
    return float(np.mean([metrics.where(b.curvedness, a.curvedness, garment.smoothing) for a, b in pairs]))


def _inside(garment: _Garment, name: str, surfaces: Iterator[Array]) -> float:
    """Mean share of the vertices that lie in the body."""
    body = garment.body_clip(name)
    faces = np.ascontiguousarray(body.faces, dtype=np.int64)
    sign = igl.SIGNED_DISTANCE_TYPE_FAST_WINDING_NUMBER
    return float(
        np.mean(
            [
                (igl.signed_distance(positions, np.array(body.positions[frame]), faces, sign_type=sign)[0] < 0.0).mean()
                for frame, positions in enumerate(surfaces)
                if frame % EVERY == 0
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
    garment = _Garment()
    seconds: list[float] = []
    fine: dict[str, Array] = {}
    for name in (*FIFTEEN, *UNSEEN):
        fine[name] = garment.simulated(name)
    truth = {name: garment.details(name, fine[name]) for name in (*FIFTEEN, *UNSEEN)}
    others = {}
    for name in UNSEEN:
        before = _children_seconds()
        other = garment.simulated(name, OTHER_STILL)
        if _children_seconds() > before:
            seconds.append((_children_seconds() - before) / (len(other) + OTHER_STILL))
        others[name] = garment.details(name, other)
    bends = {name: _bends(garment, garment.surfaces(name, truth[name])) for name in UNSEEN}
    plain = {name: _bends(garment, garment.surfaces(name, 0.0 * truth[name])) for name in UNSEEN}
    samples: report.Samples = {"simulation": seconds, "sheet": _sheet_seconds(), "sets": {}, "clips": {}}
    for name in UNSEEN:
        samples["clips"][name] = {
            "rms": rms(truth[name], garment.shares),
            "ceiling": correlation(others[name], truth[name], garment.shares),
            "motion": _motion(truth[name], garment.shares),
            "curvature": _away(plain[name], bends[name], "mean"),
            "curvedness": _away(plain[name], bends[name], "curvedness"),
            "where": _where(garment, plain[name], bends[name]),
            "inside": _inside(garment, name, garment.surfaces(name, truth[name])),
            "inside_smooth": _inside(garment, name, garment.surfaces(name, 0.0 * truth[name])),
        }
    trained: dict[str, byexample.TrainedSet] = {}
    for title, how in SETS.items():
        clips = how["clips"]
        key = json.dumps({each: value for each, value in how.items() if each != "gain"})
        if key not in trained:
            trained[key] = _learned(garment, {name: fine[name] for name in clips}, how)
        synthesis = trained[key].synthesis()
        mean = np.concatenate([truth[name] for name in clips]).mean(axis=0)
        samples["sets"][title] = {"clips": {}}
        for name in UNSEEN:
            found, spent = [], []
            guides = garment.clip(name).positions
            for frame, guide in enumerate(guides):
                begin = time.process_time()
                step = synthesis.step(guide, guides[frame - 1], 1 / FPS) if frame else synthesis.step(guide)
                spent.append(time.process_time() - begin)
                found.append(how.get("gain", 1.0) * np.array(step.detail))
            detail = np.array(found)
            drawn = _bends(garment, garment.surfaces(name, detail))
            samples["sets"][title]["clips"][name] = {
                "seconds": spent,
                "correlation": correlation(detail, truth[name], garment.shares),
                "pose": correlation(detail, truth[name], garment.shares, mean=mean),
                "pose_ceiling": correlation(others[name], truth[name], garment.shares, mean=mean),
                "mean": correlation(np.broadcast_to(mean, detail.shape), truth[name], garment.shares),
                "rms": rms(detail, garment.shares),
                "motion": _motion(detail, garment.shares),
                "curvature": _away(drawn, bends[name], "mean"),
                "curvedness": _away(drawn, bends[name], "curvedness"),
                "where": _where(garment, drawn, bends[name]),
                "inside": _inside(garment, name, garment.surfaces(name, detail)),
            }
    samples["beside"] = {name: _beside(garment, name, truth[name]) for name in UNSEEN}
    return samples


def _learned(garment: _Garment, fine: dict[str, Array], how: dict[str, Any]) -> byexample.TrainedSet:
    """A set of the clips whose fine frames are given."""
    coarse = {name: garment.clip(name).positions for name in fine}
    if "regression" in how:
        pairs = [(coarse[name], fine[name]) for name in fine]
        return byexample.regress(
            garment.mesh, pairs, rest=garment.rest, levels=LEVELS, fps=FPS, **how["regression"]
        ).trained
    return byexample.train(
        garment.mesh,
        np.concatenate(list(coarse.values())),
        np.concatenate(list(fine.values())),
        rest=garment.rest,
        levels=LEVELS,
        poses=how["poses"],
        slow="remove",
        choose=how["choose"],
        fit=how["fit"],
        options=OPTIONS,
    ).trained


def _beside(garment: _Garment, name: str, truth: Array) -> dict[str, dict[str, float]]:
    """Means of the measures of `pucker.compare` against the truth: without detail, and with that of each method."""
    clip = garment.clip(name)
    faces = garment.smooth.mesh.faces
    fine = pucker.Clip.from_arrays(faces, np.array(list(garment.surfaces(name, truth))), clip.times, weld=False)
    bare = pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times, weld=False)
    surfaces = {
        "coarse": None,
        "dynamic": pucker.Params(min_width=compare.narrowest_fold(fine)),
        "waves": waves.Params(),
        "subdivided": byexample.Params(trained=str(ROOT / "data" / "kimono.pose.npz"), gain=0.0),
        "by example": byexample.Params(trained=str(ROOT / "data" / "kimono.pose.npz"), gain=GAIN),
    }
    candidates = {title: Candidate(bare, params) for title, params in surfaces.items()}
    samples = metrics.Samples(bare.mesh, bare.positions[0], 2 * 2**LEVELS)
    views = Views(fine.positions)
    owners = compare.closest_places(fine.positions[0], bare.faces, bare.positions[0]).triangles
    found: dict[str, list[dict[str, float]]] = {title: [] for title in surfaces}
    for frame in range(1, len(bare)):
        for candidate in candidates.values():
            candidate.advance()
        if frame % BESIDE:
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
        title: {key: float(np.mean([row[key] for row in rows])) for key in rows[0]} for title, rows in found.items()
    }


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
        "The kimono's `Clothes`, 960 triangles, simulated as 15 360 by Blender over the character ([how](../training.md#simulated-garments)), "
        "is the truth, less its slow part. *Run* and *SitDown* are not learned from. Among the fifteen clips, however, is *Run_Carry*, which runs with other arms, and *StandUp*; the six have nothing like either. A detail's correlation with the truth's has a "
        "**ceiling**: that of another take of the same simulation, which stands half a second longer before the clip. The **mean** of all training frames is "
        "what a constant detail reaches; *pose-dependent* is what is left without it. *Curvature* and *curvedness* are Wasserstein distances of "
        "their distributions from the truth's, as a share of the smooth surface's without detail; *where* is the correlation of "
        "curvedness smoothed over a fold's width; *motion* the change of the detail from frame to frame against the truth's. *Poses* are "
        "those of a [pose space](../pose_space.md), a [regression](../regression.md) compares with 160 frames unless said.\n\n"
    )
    for name, clip in samples["clips"].items():
        rows = []
        for title, kept in samples["sets"].items():
            s = kept["clips"][name]
            rows.append(
                [
                    title,
                    f"{s['correlation']:.2f}",
                    f"{s['correlation'] / clip['ceiling']:.2f}",
                    f"{s['pose'] / s['pose_ceiling']:.2f}",
                    f"{s['rms'] / clip['rms']:.2f}",
                    f"{s['curvature'] / clip['curvature']:.2f}",
                    f"{s['curvedness'] / clip['curvedness']:.2f}",
                    f"{s['where']:.2f}",
                    f"{s['motion'] / clip['motion']:.2f}",
                    f"{1e3 * report.median(s['seconds']):.2f}",
                ]
            )
        head = [
            name, "correlation", "of the ceiling", "pose-dependent, of its ceiling", "rms", "curvature", "curvedness", "where",
            "motion", "ms a frame",
        ]  # fmt: skip
        last = samples["sets"][SHIPPED]["clips"][name]
        text += (
            f"## {name}\n\nCeiling {clip['ceiling']:.2f}, mean {last['mean']:.2f}, pose-dependent ceiling {last['pose_ceiling']:.2f}; "
            f"*where* of the smooth surface {clip['where']:.2f}.\n\n{report.table(head, rows)}\n"
        )
        text += f"The set that comes with pucker, *{SHIPPED}*:\n\n"
        text += _at_least("correlation, of the ceiling", last["correlation"] / clip["ceiling"], 0.75)
        text += _at_least("pose-dependent, of its ceiling", last["pose"] / last["pose_ceiling"], 0.65)
        text += _at_least("rms, of the truth's", last["rms"] / clip["rms"], 0.85)
        text += report.at_most("curvature", last["curvature"] / clip["curvature"], 0.5, "of the smooth surface's")
        text += report.at_most("curvedness", last["curvedness"] / clip["curvedness"], 0.5, "of the smooth surface's")
        text += _at_least("where", last["where"], 0.7)
        text += report.at_most("motion", last["motion"] / clip["motion"], 1.5, "of the truth's")
        text += (
            f"- in the body: **{100 * last['inside']:.1f} %** of the vertices, of the smooth surface's "
            f"{100 * clip['inside_smooth']:.1f} %, of the truth's {100 * clip['inside']:.1f} %.\n"
        )
        beside = samples["beside"][name]
        text += report.at_most("fold direction", beside["by example"]["direction"], 20.0, "°")
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
    sheet = report.median(samples["sheet"])
    text += "## Time\n\n"
    text += report.at_most("synthesis of 25 600 triangles from six poses", 1e3 * sheet, 0.4, "ms of one processor")
    if samples["simulation"]:
        spent = report.median(samples["simulation"])
        play = report.median(samples["sets"][SHIPPED]["clips"]["Run"]["seconds"])
        text += (
            f"- simulating a frame of the kimono ({1e3 * spent:.0f} ms of processor time) against synthesising it "
            f"({1e3 * play:.2f} ms): **{spent / play:.0f} ×**, aim ≥ 100 ×: {'met' if spent / play >= 100 else 'missed'}.\n"
        )
    return text
