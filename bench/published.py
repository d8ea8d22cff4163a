"""The scenes of the paper on wrinkles by example: cloth that tracks a coarse simulation, learned and predicted."""

import dataclasses
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.byexample import scenes
from pucker.byexample.limbs import nearest, surface
from pucker.render import Camera, ClipRenderer, captioned, still
from pucker.render.clip import fitted_camera

from . import report, simulate
from .worn import Worn

TITLE: Final = "The published scenes"
PEERS: Final = ("mujoco-core",)
ROOT: Final = Path(__file__).resolve().parents[1]
# Simulated clips are kept: they take minutes.
RECORDINGS: Final = ROOT / "build" / "bench" / "scenes"
PICTURES: Final = ROOT / "docs" / "performance" / "published"
POSES: Final = (1, 3, 6, 12)
PLAYED: Final = 6
# Frames before this one stand or begin to move; of the others, those whose curvature is fitted, and the rings it is fitted to.
FIRST: Final = 8
EVERY: Final = 6
RINGS: Final = 3
CURVATURES: Final = ("mean", "curvedness")
DEGREES: Final = {"curtain": (20.0, 6.0), "sail": (20.0, 6.0), "flag": (17.0, 6.0), "dress": (20.0, 6.0)}
SIZE: Final = (300, 360)
# Folds are looked at on this mesh, as those of truths.
KEPT: Final = 2
# Of the other take, whose coarse cloth is the same: too little to see, enough to send chance other ways.
STIFFER: Final = 1.02
# Triangles that fit into the memory that MuJoCo is given.
FINEST: Final = 80_000
NAMES: Final = {
    "finer": "the next finer mesh",
    "again": "another take, 2 % stiffer",
    "coarser": "the next coarser mesh",
}

Array = npt.NDArray[np.float64]


def _bends(faces: npt.NDArray[np.int32], surfaces: Array) -> list[metrics.Curvature]:
    return [metrics.curvature(faces, positions, radius=RINGS) for positions in surfaces[FIRST::EVERY]]


def _principal(bend: metrics.Curvature) -> tuple[Array, Array]:
    """Both principal curvatures of all vertices, and the areas."""
    return np.concatenate([bend.largest, bend.smallest]), np.concatenate([bend.areas, bend.areas])


def _away(found: list[metrics.Curvature], truth: list[metrics.Curvature]) -> dict[str, float]:
    """Mean Wasserstein distance of the distributions of each curvature."""
    out = {
        name: float(
            np.mean(
                [
                    metrics.curvature_distance(getattr(a, name), a.areas, getattr(b, name), b.areas)
                    for a, b in zip(found, truth, strict=True)
                ]
            )
        )
        for name in CURVATURES
    }
    pairs = [(_principal(a), _principal(b)) for a, b in zip(found, truth, strict=True)]
    out["principal"] = float(np.mean([metrics.curvature_distance(*a, *b) for a, b in pairs]))
    return out


class _Test:
    """A motion that nothing is learned from, and what is to be predicted of it."""

    def __init__(self, scene: scenes.PublishedScene, motion: str) -> None:
        self.scene = scene
        self.recording = scenes.record(scene, motion, recordings=RECORDINGS)
        self.smooth = byexample.SmoothSurface(scene.mesh, scene.levels, scene.rest)
        self.faces = self.smooth.mesh.faces
        self.guides = np.asarray(self.recording.clip.positions)
        self.smooth.step(scene.rest)
        self.flat = np.array(self.smooth.detail_of(scenes.rest_fine(scene)))
        self.truth = byexample.details_of(self.smooth, self.guides, self.recording.fine)
        self.surfaces = np.array([np.array(self.smooth.step(guide)) for guide in self.guides])
        self.areas = metrics.vertex_areas(self.faces, scenes.rest_fine(scene))
        self.bends = _bends(self.faces, self.recording.fine)
        self.plain = _away(_bends(self.faces, self.surfaces), self.bends)

    def predicted(self, trained: byexample.TrainedSet) -> tuple[Array, Array, float]:
        """Details and surfaces (frames, N, 3), and the least seconds that a frame took."""
        synthesis = trained.synthesis(self.scene.mesh)
        details, surfaces, spent = [], [], []
        for guide in self.guides:
            begin = time.process_time()
            step = synthesis.step(guide)
            spent.append(time.process_time() - begin)
            details.append(np.array(step.detail))
            surfaces.append(np.array(step.positions))
        return np.array(details), np.array(surfaces), min(spent)

    def inside(self, surfaces: Array) -> float:
        """The mean share of the vertices that lie in the body."""
        limbs, body = self.scene.motions["test"].limbs, self.scene.body
        assert limbs is not None
        assert body is not None
        ends = [limbs(frame / scenes.FPS) for frame in range(len(surfaces))]
        return float(
            np.mean(
                [(nearest(shown, at, body).distances < 0.0).mean() for shown, at in zip(surfaces, ends, strict=True)]
            )
        )

    def measures(self, trained: byexample.TrainedSet) -> dict[str, Any]:
        details, surfaces, seconds = self.predicted(trained)
        away = _away(_bends(self.faces, surfaces), self.bends)
        after = slice(FIRST, None)
        return {
            "seconds": seconds,
            "away": {name: away[name] / self.plain[name] for name in away},
            "error": metrics.rms(details - self.truth, self.areas),
            "correlation": metrics.correlation(details[after], self.truth[after], self.areas, mean=self.flat)
            if np.any(details[after] != self.flat)
            else 0.0,
            "rms": metrics.rms(details[after], self.areas) / metrics.rms(self.truth[after], self.areas),
        }


def _learned(scene: scenes.PublishedScene, motion: str, poses: int) -> byexample.Training:
    return scenes.learn(scene, scenes.record(scene, motion, recordings=RECORDINGS), poses=poses)


def resolution(scene: scenes.PublishedScene, motion: str = "train") -> dict[str, Any]:
    """How far what is learned from is the same on the next finer and coarser mesh, and in another take."""
    recording = scenes.record(scene, motion, recordings=RECORDINGS)
    worn = Worn(recording.clip, None, scene.rest, FIRST, KEPT, scene.name, np.zeros(0, dtype=np.int64))
    edge = pucker.mean_edge_length(*simulate.stored(worn))
    truth = metrics.Truth.of_simulation(
        scene.name,
        motion,
        recording.clip,
        recording.fine,
        start=scene.rest,
        simulated_levels=scene.levels,
        levels=KEPT,
        first=FIRST,
        count=len(recording.clip) - FIRST,
        shortest=simulate.SHORTEST * edge,
        cutoffs=tuple(count * edge for count in simulate.EDGES),
    )
    stiffer = dataclasses.replace(scene.fine, bending=STIFFER * scene.fine.bending)
    others = {
        "finer": dataclasses.replace(scene, levels=scene.levels + 1),
        "again": dataclasses.replace(scene, fine=stiffer),
        "coarser": dataclasses.replace(scene, levels=scene.levels - 1),
    }
    found = []
    for of, other in others.items():
        if scene.mesh.triangle_count * 4**other.levels <= FINEST:
            fine = scenes.record(other, motion, recordings=RECORDINGS).fine
            found.append(simulate.reproduced(truth, worn, of, other.levels, fine))
    truth = dataclasses.replace(truth, reproduced=tuple(found))
    shares = metrics.band_agreement(truth.folds, truth.folds, truth.bands)
    return {
        "rows": [dataclasses.asdict(each) for each in truth.reproduced],
        "bands": list(metrics.band_names(simulate.EDGES)),
        "shares": [band.share for band in shares],
        "judged": list(truth.judged),
        "folds": metrics.rms(truth.folds, truth.bands.areas / truth.side**2),
    }


def measure() -> report.Samples:
    """Simulates what is not there yet, trains, compares, and draws the pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    samples: report.Samples = {"scenes": {}}
    for name, make in scenes.SCENES.items():
        scene = make()
        test = _Test(scene, "test")
        training = _learned(scene, "train", max(POSES))
        kept: dict[str, Any] = {
            "triangles": scene.mesh.triangle_count,
            "fine": len(test.faces),
            "frames": [scene.motions["train"].frames, scene.motions["test"].frames],
            "coarse_seconds": test.recording.coarse_seconds,
            "fine_seconds": test.recording.fine_seconds,
            "plain": test.plain,
            "unwrinkled": metrics.rms(test.truth, test.areas),
            "error": training.error.tolist(),
            "poses": {},
        }
        played = None
        for poses in POSES:
            trained = _first(training.trained, poses)
            kept["poses"][str(poses)] = test.measures(trained)
            played = trained if poses == PLAYED else played
        assert played is not None
        if "shear" in scene.motions:
            kept["failure"] = test.measures(_learned(scene, "shear", PLAYED).trained)
        if scene.body is not None:
            kept["inside"] = {
                "smooth": test.inside(test.surfaces),
                "synthesised": test.inside(test.predicted(played)[1]),
                "simulated": test.inside(test.recording.fine),
            }
        _draw(test, played)
        kept["resolution"] = resolution(scene)
        samples["scenes"][name] = kept
    return samples


def _first(trained: byexample.TrainedSet, poses: int) -> byexample.TrainedSet:
    """The set that greedy training had when it had so many poses."""
    return byexample.TrainedSet(
        trained.faces, trained.rest, trained.levels, trained.poses[:poses], trained.details[:poses], trained.options
    )


def _worn(test: _Test, positions: Array, frame: int) -> pucker.Clip:
    """A surface, and who wears it, in one frame."""
    faces, limbs = test.faces, test.scene.motions["test"].limbs
    if test.scene.body is not None and limbs is not None:
        body, skin = surface(limbs(frame / scenes.FPS), test.scene.body)
        faces = np.concatenate([faces, skin + len(positions)])
        positions = np.concatenate([positions, body])
    return pucker.Clip.from_arrays(faces, positions[None], [0.0], weld=False)


def _camera(clip: pucker.Clip, name: str) -> Camera:
    return fitted_camera(clip, DEGREES[name], SIZE)


def _draw(test: _Test, trained: byexample.TrainedSet) -> None:
    """Three frames of the test: subdivided, predicted, simulated; the weights of the poses, and the distributions."""
    name = test.scene.name
    _, surfaces, _ = test.predicted(trained)
    count = len(test.guides)
    frames = [count // 3, 2 * count // 3, count - 3]
    rows = []
    for caption, shown in (
        ("coarse, subdivided", test.surfaces),
        ("by example", surfaces),
        ("simulated", test.recording.fine),
    ):
        cells = []
        for frame in frames:
            clip = _worn(test, shown[frame], frame)
            guide = _worn(test, test.recording.fine[frame], frame)
            with ClipRenderer(clip, SIZE, camera=_camera(guide, name)) as renderer:
                picture = renderer.frame(0)
            cells.append(captioned(picture, caption) if frame == frames[0] else picture)
        height = max(len(cell) for cell in cells)
        rows.append(np.hstack([np.pad(cell, ((height - len(cell), 0), (0, 0), (0, 0)), mode="edge") for cell in cells]))
    still(PICTURES / f"{name}.png", np.vstack(rows))
    _draw_weights(test, trained, frames[1])
    _draw_distributions(test, surfaces)


def _draw_weights(test: _Test, trained: byexample.TrainedSet, frame: int) -> None:
    """As figure 2 of the paper: how much of each pose a frame is, on the flat cloth; of a dress, its front."""
    synthesis = trained.synthesis()
    weights = synthesis.step(test.guides[frame]).pose_weights
    figure = pucker.plot.Figure((9.0, 3.2))
    axes: Any = figure.subplots(1, weights.shape[1])
    faces = test.scene.mesh.faces
    faces = faces[test.scene.rest[faces, 2].mean(axis=1) >= 0.0]
    for pose, ax in enumerate(axes):
        shown = ax.tripcolor(*test.scene.rest[:, :2].T, faces, weights[:, pose], shading="gouraud", vmin=-0.5, vmax=1.0)
        ax.set(aspect="equal", title=f"pose {pose}")
        ax.axis("off")
    figure.colorbar(shown, ax=axes, shrink=0.6)
    figure.savefig(PICTURES / f"{test.scene.name}_weights.png")


def _draw_distributions(test: _Test, surfaces: Array) -> None:
    """Histograms of principal and mean curvature, by area, of all frames looked at."""
    figure = pucker.plot.Figure((9.0, 3.0))
    axes = figure.subplots(1, 2)
    of = {
        "coarse, subdivided": _bends(test.faces, test.surfaces),
        "by example": _bends(test.faces, surfaces),
        "simulated": test.bends,
    }
    for ax, what in zip(axes, ("principal", "mean"), strict=True):
        for caption, bends in of.items():
            pairs = [_principal(bend) if what == "principal" else (bend.mean, bend.areas) for bend in bends]
            values, areas = (np.concatenate(each) for each in zip(*pairs, strict=True))
            ax.hist(values, bins=np.linspace(-40, 40, 81), weights=areas / areas.sum(), histtype="step", label=caption)
        ax.set(xlabel=f"{what} curvature, 1/m", yscale="log")
    axes[0].set_ylabel("share of the area")
    axes[1].legend(frameon=False)
    figure.savefig(PICTURES / f"{test.scene.name}_curvature.png")


def page(samples: report.Samples) -> str:
    """The tables, the pictures, and whether the aims are met."""
    text = (
        "The four scenes of Zurdo, Brito and Otaduy 2013, made in code: `pucker train --scene curtain`, `sail`, `flag`, "
        "`dress` ([how](../training.md#scenes)). Poses are learned from one motion, greedily, as published, and play another. "
        "*Curvature* is the Wasserstein distance from the simulated cloth's distribution, as a share of the smooth surface's; "
        "*error* the root mean square distance from the simulated surface, in millimetres; *correlation* that of the detail "
        "with the simulated one, both less the detail of the flat cloth.\n\n"
    )
    for name, kept in samples["scenes"].items():
        played = kept["poses"][str(PLAYED)]
        text += (
            f"## {name.capitalize()}\n\n{kept['triangles']} triangles to {kept['fine']}; learned from {kept['frames'][0]} frames, played on "
            f"{kept['frames'][1]}.\n\n![{name.capitalize()}: coarse and subdivided, by example, simulated](published/{name}.png)\n\n"
        )
        rows = [
            [poses]
            + [f"{found['away'][which]:.2f}" for which in ("principal", "mean", "curvedness")]
            + [f"{1e3 * found['error']:.2f}", f"{found['correlation']:.2f}", f"{found['rms']:.2f}"]
            + [f"{1e3 * kept['error'][int(poses) - 1]:.2f}"]
            for poses, found in kept["poses"].items()
        ]
        head = [
            "poses",
            "principal curvature",
            "mean curvature",
            "curvedness",
            "error",
            "correlation",
            "rms of the truth's",
            "error on the clip learned from",
        ]
        text += report.table(head, rows) + "\n"
        text += (
            f"Without detail, corners rounded, the error is {1e3 * kept['unwrinkled']:.2f} mm. With {PLAYED} poses:\n\n"
        )
        for which in ("principal", "mean"):
            text += report.at_most(f"{which} curvature", played["away"][which], 1 / 3, "of the smooth surface's")
        ratio = kept["fine_seconds"] / (kept["coarse_seconds"] + played["seconds"])
        text += report.at_least(
            f"simulating fine ({1e3 * kept['fine_seconds']:.0f} ms a frame) against simulating coarse "
            f"({1e3 * kept['coarse_seconds']:.1f} ms) and playing ({1e3 * played['seconds']:.2f} ms)", ratio, 30.0
        )  # fmt: skip
        text += (
            f"\n![{name.capitalize()}: weights of the poses on the flat cloth](published/{name}_weights.png)\n\n"
            f"![{name.capitalize()}: distributions of curvature](published/{name}_curvature.png)\n\n"
        )
        text += _resolved(kept["resolution"])
        if "inside" in kept:
            text += (
                f"Of the vertices {100 * kept['inside']['synthesised']:.2f} % lie in the dancer by example, "
                f"{100 * kept['inside']['smooth']:.2f} % of the smooth surface's and {100 * kept['inside']['simulated']:.2f} % of the simulated ones.\n\n"
            )
        if played["correlation"] < 0.0:
            text += (
                "The correlation is negative: the folds stand to the other side in the motion played. The lengths of a sheet's edges "
                "are those of its mirror image, so that features of lengths alone cannot tell the two apart.\n\n"
            )
        if "failure" in kept:
            failed = kept["failure"]
            text += (
                "The paper's failure: learned from sideways shear, played on the twist. The error is "
                f"{1e3 * failed['error']:.2f} mm instead of {1e3 * played['error']:.2f}, the correlation {failed['correlation']:.2f} instead of "
                f"{played['correlation']:.2f}, the principal curvature {failed['away']['principal']:.2f} instead of "
                f"{played['away']['principal']:.2f}.\n\n"
            )
    return text


def _resolved(found: dict[str, Any]) -> str:
    """Whether what was learned from is the same on another mesh and in another take."""
    rows = [
        [NAMES[row["of"]]]
        + [
            f"**{one:.2f} ({size:.2f})**" if by_place else f"{one:.2f} ({size:.2f})"
            for one, size, by_place in zip(row["correlation"], row["rms"], found["judged"], strict=True)
        ]
        for row in found["rows"]
    ]
    rows.append(["share of the mean square"] + [f"{100 * share:.0f} %" for share in found["shares"]])
    held = sum(share for share, by_place in zip(found["shares"], found["judged"], strict=True) if by_place)
    if any(row["of"] == "finer" for row in found["rows"]):
        verdict = (
            f"{100 * held:.0f} % of the mean square is in bands that the next finer mesh and another take have too."
        )
    else:
        verdict = "The next finer mesh is more than the memory that MuJoCo is given holds."
    return (
        "Is what was learned from resolved? Folds over the smooth surface, by band of wavelength in edges of the mesh after two "
        "subdivisions, without lag; correlation with those of other simulations of the same sheet over the same coarse cloth, and their size in "
        f"brackets, as [truths](simulate.md) have them:\n\n{report.table(['', *found['bands']], rows)}\n{verdict}\n\n"
    )
