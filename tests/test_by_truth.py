"""Methods against truths: the ceiling, the controls, and what a folder of truths gives."""

import dataclasses
import json

import numpy as np
import pytest
from click.testing import CliRunner
from farm_jobs import cluster

import pucker
from pucker import byexample, compare
from pucker.cli import cli
from pucker.examples import bending_sleeve
from pucker.io import blender
from pucker.metrics import Reproduced, Truth
from pucker.metrics.compare import by_truth as module

LEVELS, FRAMES, FIRST = 1, 10, 3
NAMES = ("below 3", "3 to 6", "6 to 12", "above 12")


@pytest.fixture(scope="module")
def truth() -> Truth:
    clip = bending_sleeve(12, 18, frames=FRAMES)
    loop = byexample.LoopSubdivision(clip.mesh, LEVELS)
    rest = loop.matrix @ clip.positions[0]
    edge = pucker.mean_edge_length(loop.fine, rest)
    lift = np.sin(2.0 * np.pi * rest[:, 1] / (8.0 * edge))[:, None]
    fine = []
    for index, pose in enumerate(clip.positions):
        guide = loop.matrix @ pose
        fine.append(guide + 0.002 * index * lift * pucker.vertex_normals(loop.fine, guide))
    made = Truth.of_simulation(
        "sleeve",
        "sine",
        clip,
        fine,
        start=clip.positions[0],
        simulated_levels=LEVELS,
        levels=LEVELS,
        first=FIRST,
        count=FRAMES - FIRST,
        shortest=2.0 * edge,
        cutoffs=(3.0 * edge, 6.0 * edge, 12.0 * edge),
    )
    finer = Reproduced("finer", (0.5, 0.92, 0.96, 0.99), (1.0, 1.0, 1.0, 1.0))
    return dataclasses.replace(made, reproduced=(finer,))


@pytest.fixture(scope="module")
def rows(truth):
    def itself(clip):
        class Detail:
            own_mesh = None

            def __init__(self, index):
                self.index = index

            def evaluate(self, *_places):
                guide = truth.guide[self.index]
                normals = pucker.vertex_normals(truth.mesh, guide)
                heights = np.einsum("nd,nd->n", truth.away[self.index], normals)[:, None]
                project, _ = truth._base
                return dataclasses.make_dataclass("Points", ["offsets"])(project._hats @ heights)

        return (None if frame < FIRST else Detail(frame - FIRST) for frame in range(len(clip)))

    return list(module.against(truth, {"itself": itself, "draped": pucker.drape.Params(levels=1, cut="first")}))


def test_rows_are_the_ceiling_the_controls_and_what_is_judged(rows):
    names = [each.surface for each in rows]
    assert names == ["ceiling: the next finer mesh", *compare.CONTROLS, "itself", "draped"]
    assert [each.kind for each in rows] == ["simulation", *["control"] * 3, "method", "method"]
    for each in rows:
        assert each.bands == NAMES
        assert each.judged == (False, True, True, False)
    by_name = dict(zip(names, rows, strict=True))
    assert by_name["guide alone"].correlation == (0.0, 0.0, 0.0, 0.0)
    assert by_name["itself"].correlation[1:3] == pytest.approx((1.0, 1.0), abs=1e-3)
    assert by_name["itself"].size[1:3] == pytest.approx((1.0, 1.0), abs=0.02)
    # A control that knows nothing of the folds, in the bands that hold them.
    assert max(map(abs, by_name["noise of the same spectrum"].correlation[1:3])) < 0.2
    assert by_name["lag alone"].lag >= 0.0


def test_the_same_sheet_has_the_constants_of_the_truth(truth):
    assert module.same_sheet(truth) is None
    told = {"wavelength": 0.1, "reach": 0.2, "response": 0.8, "damping": 0.7}
    found = module.same_sheet(dataclasses.replace(truth, constants=told))
    extent = np.ptp(truth.start, axis=0).max()
    assert found.fold_size * extent == pytest.approx(0.2 * truth.side)
    assert found.wavelength * found.fold_size * extent == pytest.approx(0.1 * truth.side)
    frame = float(truth.clip.times[1] - truth.clip.times[0])
    assert found.swing == pytest.approx(0.8 * frame)
    assert found.memory == pytest.approx(2 * 0.7 * 0.8 * frame)


def test_means_are_over_the_bands_that_are_judged_by_place(rows):
    lines = dict(line.strip("| ").split(" | ", 1) for line in module.overall_table(rows).splitlines()[2:])
    assert lines["ceiling: the next finer mesh"] == "2 | 0.94 | 0.92 to 0.96 | 0.94 | 1.00"
    assert lines["itself"].startswith("2 | 1.00 | 1.00 to 1.00 | 0.94")
    assert "**0.92 (1.00)** | **0.96 (1.00)** | 0.99 (1.00) | 0.00 |" in module.table_of_truth(rows)


def test_what_is_not_resolved_is_measured_and_drawn_but_judged_by_nothing(truth):
    picture = dataclasses.replace(truth, reproduced=())
    with pytest.raises(ValueError, match="is no truth"):
        picture.agreement(truth.mesh.faces, truth.rest, truth.positions)
    found = list(module.against(picture, {}))
    assert [each.surface for each in found] == list(compare.CONTROLS)
    assert not any(map(any, (each.judged for each in found)))
    assert module.overall_table(found).count("\n") == 2
    drawn = module.picture_by_band(picture, picture.folds, 0, (32, 40))
    assert drawn.shape == (40, 3 * 32, 3)
    # The ripple is in the third band.
    colourful = np.ptp(drawn.astype(int), axis=2).reshape(40, 3, 32).sum(axis=(0, 2))
    assert colourful[2] == colourful.max() > 0 or colourful[1] == colourful.max() > 0


def test_workers_judge_by_truths_as_one_process_does(truth, tmp_path):
    (tmp_path / "truths").mkdir()
    for fabric in ("cosine", "sine"):
        dataclasses.replace(truth, fabric=fabric).save(tmp_path / "truths" / f"sleeve-{fabric}.npz")
    where = ["compare", "--suite", str(tmp_path / "truths"), "--json", "-o"]
    here = CliRunner().invoke(cli, [*where, str(tmp_path / "here")])
    with cluster() as address:
        there = CliRunner().invoke(cli, [*where, str(tmp_path / "there"), "--scheduler", address])
    assert here.exit_code == there.exit_code == 0, there.output
    assert [row["truth"] for row in json.loads(here.stdout)] == [*["sleeve, cosine"] * 7, *["sleeve, sine"] * 7]
    for file in ("index.md", "samples.json"):
        assert (tmp_path / "here" / file).read_bytes() == (tmp_path / "there" / file).read_bytes()
    alone = CliRunner().invoke(cli, ["compare", "sleeve.npz", "--workers", "2", "-o", str(tmp_path / "out")])
    assert "--workers and --scheduler are for a suite" in alone.output


def test_the_command_judges_all_methods_on_a_folder_of_truths(truth, tmp_path):
    (tmp_path / "truths").mkdir()
    truth.save(tmp_path / "truths" / "sleeve-sine.npz")
    where = ["--suite", str(tmp_path / "truths"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, ["compare", *where, "--quiet", "--json", "--set", "threshold=1.05"])
    assert done.exit_code == 0, done.output
    assert [row["surface"] for row in json.loads(done.output)] == [
        "ceiling: the next finer mesh",
        *compare.CONTROLS,
        "draped",
        "dynamic",
        "waves",
        "chosen",
    ]
    assert len(json.loads((tmp_path / "out" / "samples.json").read_text())["against"]) == 8
    page = (tmp_path / "out" / "index.md").read_text()
    assert "## sleeve, sine" in page
    assert "| below 3 | 3 to 6 | 6 to 12 | above 12 | lag |" in page
    smooth = CliRunner().invoke(cli, ["compare", *where, "--smooth", "1"])
    assert "--smooth is not for truths" in smooth.output
    np.savez(tmp_path / "truths" / "scene.npz", header="pucker scene 1")
    mixed = CliRunner().invoke(cli, ["compare", *where])
    assert "holds truths and scenes" in mixed.output + str(mixed.exception)
    np.savez(tmp_path / "truths" / "scene.npz", faces=np.zeros(3))
    other = CliRunner().invoke(cli, ["compare", *where])
    assert "is neither a truth nor a scene" in other.output + str(other.exception)


def test_without_blender_no_truth_is_made_and_the_message_says_what_to_install(monkeypatch, tmp_path):
    from bench import simulate  # noqa: PLC0415 - not part of the package

    monkeypatch.setattr(blender, "find_spec", lambda _name: None)
    monkeypatch.setattr(simulate, "RECORDINGS", tmp_path)
    with pytest.raises(pucker.Error, match=r"simulating needs bpy, .*pip install --no-deps bpy"):
        simulate.make("sleeve", "coat", simulate._Clock([1.0]))
    assert not list(tmp_path.iterdir())
