"""Settings of a sweep on truths: the numbers are those of `compare`, and what cannot be judged is refused before it runs."""

import dataclasses
import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from farm_jobs import cluster
from test_by_truth import truth  # noqa: F401 - a fixture
from test_sweep import CLIPS, SHEET, assert_same_rows, times_of, write_grid

import pucker
from pucker import metrics
from pucker.cli import cli
from pucker.metrics.compare import Telling, by_truth
from pucker.metrics.compare.by_truth import OnTruth
from pucker.sweeps import ranking
from pucker.sweeps.on_truths import OnTruths

SETTINGS = {"relative_width": [0.05, 0.1]}
# Of the bands of the fixture those that are judged by place.
PLACE = slice(1, 3)


@pytest.fixture(scope="module")
def suite(truth: metrics.Truth, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: F811 - the fixture
    """Truths of two scenes, one of which folds the other way, and one that is not resolved."""
    folder = tmp_path_factory.mktemp("truths")
    dataclasses.replace(truth, name="arm").save(folder / "arm.npz")
    dataclasses.replace(truth, name="leg", away=-truth.away).save(folder / "leg.npz")
    dataclasses.replace(truth, name="tail", reproduced=()).save(folder / "tail.npz")
    return folder


def grid(**parameters: object) -> pucker.sweep.Grid:
    return pucker.sweep.Grid(parameters or SETTINGS, {"sheet": SHEET})


@pytest.fixture(scope="module")
def kept(suite: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds all runs of `grid`."""
    folder = tmp_path_factory.mktemp("points")
    pucker.sweep.on_truths(grid(), suite, folder, quiet=True)
    return folder


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["sweep", *map(str, arguments)])


def test_the_numbers_are_those_of_compare(suite: Path, kept: Path) -> None:
    judged = pucker.sweep.on_truths(grid(), suite, kept, quiet=True)
    assert judged.by_truth["clip"].tolist() == ["arm, sine"] * 2 + ["leg, sine"] * 2
    assert judged.told["clip"].tolist() == ["arm", "leg"] * 2
    telling = Telling()
    for scene in ("arm", "leg"):
        one = metrics.Truth.load(suite / f"{scene}.npz")
        surfaces = {str(width): pucker.Params(relative_width=width) for width in SETTINGS["relative_width"]}
        found: list[by_truth.Folds] = []
        rows = {each.surface: each for each in by_truth.against(one, surfaces, progress=found.append)}
        by_truth.tell_apart(telling, one, suite / f"{scene}.npz", [each for each in found if each.surface in surfaces])
        own = judged.by_truth[judged.by_truth["clip"] == f"{scene}, sine"].set_index("relative_width")
        for width in SETTINGS["relative_width"]:
            row = rows[str(width)]
            assert own["suite.correlation"][width] == np.mean(row.correlation[PLACE])
            assert own["suite.size"][width] == np.mean(row.size[PLACE])
            # The definition: the mean square of the difference over the truth's, of each band.
            folds = next(each.folds for each in found if each.surface == str(width))
            apart = [
                metrics.rms(band, one.bands.areas) / metrics.rms(true, one.bands.areas)
                for band, true in list(zip(one.bands(folds - one.folds), one.bands(one.folds), strict=True))[PLACE]
            ]
            assert own["suite"][width] == pytest.approx(np.mean(apart))
    for surface, told in telling.told():
        own = judged.told[judged.told["relative_width"] == float(surface)].set_index("clip")["told"]
        assert own.to_dict() == {s: 100.0 * a for s, a in zip(told.scenes, told.accuracies, strict=True)}
        assert told.weights[0].feature in judged.given_away[surface]


def test_only_what_is_missing_is_run_and_how_long_it_takes_is_said_before(
    suite: Path, kept: Path, tmp_path: Path
) -> None:
    judging = OnTruths(grid(relative_width=[0.05, 0.1, 0.2]), suite)
    told = judging.expected(tmp_path)
    assert re.fullmatch(r"4 runs on 2 truths, and 3 settings to tell from them: about \d+ s of one core", told)
    probed = times_of(tmp_path / "_truths")
    assert len(probed) == 2
    pucker.sweep.on_truths(grid(), suite, tmp_path, quiet=True)
    after = times_of(tmp_path / "_truths")
    assert len(after) == 4
    assert probed.items() <= after.items()
    again = pucker.sweep.on_truths(grid(), suite, tmp_path, quiet=True)
    assert times_of(tmp_path / "_truths") == after
    assert OnTruths(grid(), suite).expected(tmp_path) == ""
    elsewhere = pucker.sweep.on_truths(grid(), suite, kept, quiet=True)
    assert_same_rows(again.by_truth, elsewhere.by_truth)
    assert_same_rows(again.told, elsewhere.told)


def test_a_truth_that_changes_is_run_anew(truth: metrics.Truth, suite: Path, tmp_path: Path) -> None:  # noqa: F811
    (tmp_path / "truths").mkdir()
    truth.save(tmp_path / "truths" / "arm.npz")
    first = pucker.sweep.on_truths(grid(), tmp_path / "truths", tmp_path / "points", quiet=True)
    dataclasses.replace(truth, away=0.5 * truth.away).save(tmp_path / "truths" / "arm.npz")
    second = pucker.sweep.on_truths(grid(), tmp_path / "truths", tmp_path / "points", quiet=True)
    assert (second.by_truth["suite.size"] > 1.5 * first.by_truth["suite.size"]).all()
    # One scene cannot be told from another.
    assert second.told.empty
    assert second.given_away == {}


def test_workers_judge_as_one_process_does(suite: Path, kept: Path, tmp_path: Path) -> None:
    here = pucker.sweep.on_truths(grid(), suite, kept, quiet=True)
    with cluster() as address:
        there = pucker.sweep.on_truths(grid(), suite, tmp_path, scheduler=address, quiet=True)
    assert_same_rows(there.by_truth, here.by_truth)
    assert_same_rows(there.told, here.told)
    assert there.given_away == here.given_away


def test_runs_on_truths_are_no_points_of_the_sweep(suite: Path, tmp_path: Path) -> None:
    measured = pucker.sweep(grid(), tmp_path, quiet=True)
    pucker.sweep.on_truths(grid(), suite, tmp_path, quiet=True)
    assert len(pucker.sweep.load(tmp_path)) == len(pd.read_parquet(tmp_path)) == len(measured)


def test_what_fails_on_a_truth_has_its_error_and_is_not_told(
    suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds = OnTruth.folds

    def picky(on: OnTruth, surface: str, params: pucker.Params) -> by_truth.Folds:
        if on.truth.name == "leg" and params.relative_width == 0.1:
            raise ArithmeticError("too wide")
        return folds(on, surface, params)

    monkeypatch.setattr(OnTruth, "folds", picky)
    judged = pucker.sweep.on_truths(grid(), suite, tmp_path, quiet=True)
    assert judged.by_truth["error"].dropna().tolist() == ["ArithmeticError: too wide"]
    assert judged.told.set_index(["relative_width", "clip"])["told"].isna().tolist() == [False, False, True, True]
    assert judged.told["error"].dropna().unique().tolist() == ["it failed on some of the truths"]
    assert [row.settings for row in ranking.ranked(judged.told, "told").rows] == ["0.05"]
    monkeypatch.undo()
    assert pucker.sweep.on_truths(grid(), suite, tmp_path, quiet=True).told["told"].isna().sum() == 2
    whole = pucker.sweep.on_truths(grid(), suite, tmp_path, quiet=True, retry=True)
    assert whole.by_truth["error"].isna().all()
    assert whole.told["told"].notna().all()


@pytest.mark.parametrize(
    ("parameters", "scenes", "sentence"),
    [
        ({"min_width": 0.1}, None, "min_width is in the unit of the sweep's clips, .*: give relative_width"),
        ({"shape.clearance": 0.1}, None, "shape.clearance is in the unit of the sweep's clips"),
        ({"threshold": 1.1}, ["tail"], r"tail\.npz is not resolved in any band"),
        ({"threshold": 1.1}, ["nose"], "has no scene 'nose'; there are arm, leg, tail"),
    ],
)
def test_what_cannot_be_judged_is_refused(
    parameters: dict[str, object], scenes: list[str] | None, sentence: str, suite: Path, tmp_path: Path
) -> None:
    with pytest.raises((ValueError, pucker.Error), match=sentence):
        pucker.sweep.on_truths(grid(**parameters), suite, tmp_path / "points", scenes=scenes)
    assert not (tmp_path / "points").exists()


def test_a_set_of_another_garment_is_refused(suite: Path, data_dir: Path, tmp_path: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    trained = {"trained": str(data_dir / "kimono.pose.npz")}
    sets = pucker.sweep.Grid(trained, {"run": clip}, method="byexample")
    with pytest.raises(ValueError, match=r"the settings do not go with the truth arm, sine: .* not 228"):
        pucker.sweep.on_truths(sets, suite, tmp_path)


def test_waves_in_a_clips_unit_are_refused(suite: Path, tmp_path: Path) -> None:
    waves = pucker.sweep.Grid({"wavelength": 0.1, "unit": "clip"}, {"sheet": SHEET}, method="waves")
    with pytest.raises(ValueError, match="unit = clip is the unit of the sweep's clips"):
        pucker.sweep.on_truths(waves, suite, tmp_path)


PLAIN = "[parameters]\nrelative_width = [0.05, 0.1]\n" + CLIPS


def test_the_page_ranks_by_what_truths_say(suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    options = ["--suite", suite, "--html", "page.html", "--report", "report", "--workers", 1, "--no-surface", "--json"]
    result = call(write_grid(tmp_path, PLAIN), "-o", "points", *options)
    assert result.exit_code == 0, result.output
    assert "2 runs on 2 truths, and 2 settings to tell from them: about " in result.stderr
    rows = json.loads(result.stdout)
    assert [row["clip"] for row in rows] == ["sheet"] * 2 + ["arm, sine"] * 2 + ["leg, sine"] * 2 + ["arm", "leg"] * 2
    judged = pucker.sweep.on_truths("grid.toml", suite, "points", quiet=True)
    text = html.unescape((tmp_path / "page.html").read_text())
    options = re.findall(r"<option value=\"(.*?)\"( selected)?>", text)
    assert [name for name, _ in options[:4]] == ["told", "suite", "suite.correlation", "suite.size"]
    assert options[-1][0] == "cost"
    assert [name for name, chosen in options if chosen] == ["told"]
    report = (tmp_path / "report" / "index.md").read_text()
    for name in ("told", "suite", "suite.correlation", "suite.size"):
        assert ranking.SUITE[name].sentence() in text
        assert ranking.SUITE[name].sentence() in report
        frame = judged.told if name == "told" else judged.by_truth
        table = re.search(rf'data-measure="{re.escape(name)}".*?</div></div>', text, re.DOTALL)
        assert table is not None
        for value in frame[name]:
            assert f">{value:.4g}<" in table[0]
        means = frame.groupby("relative_width")[name].mean()
        for width, mean in means.items():
            assert f"| {width} | {mean:.4g} |" in report
        order = re.findall(r"<tr><td>\d</td><th>(.*?)</th>", table[0])
        assert order == [row.settings for row in ranking.ranked(frame, name).rows]
    assert all(each in text and each in report for each in judged.given_away.values())
    seconds = pucker.sweep.load("points")["seconds.frame"]
    assert all(f">{value:.4g}<" in text for value in seconds)
    assert len(pd.read_csv(tmp_path / "report" / "table.csv")) == len(rows)
    for what in ("cost", "suite"):
        again = call(
            "grid.toml", "-o", "points", "--suite", suite, "--html", "page.html", "--rank-by", what, "--no-surface"
        )
        assert again.exit_code == 0, again.output
        assert "about" not in again.stderr
        assert f'<option value="{what}" selected>' in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--rank-by", "told"], "--rank-by told needs --suite FOLDER"),
        (["--rank-by", "suite.size"], "--rank-by suite.size needs --suite FOLDER"),
        (["--rank-by", "flikker"], "there is no measure 'flikker' (did you mean 'flicker'?); there are told, "),
        (["--scene", "arm"], "--scene is of the suite, which --suite names"),
        (["--suite", "SUITE", "--scene", "arm", "--rank-by", "told"], "it takes truths of two scenes"),
        (["--suite", "SUITE", "--set", "min_width=0.1"], "min_width is in the unit of the sweep's clips"),
        (["--suite", "."], "holds no recordings of scenes"),
    ],
)
def test_what_no_page_can_show_is_one_sentence_before_anything_runs(
    options: list[str], sentence: str, suite: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = [str(suite) if word == "SUITE" else word for word in options]
    result = call(write_grid(tmp_path, PLAIN), "-o", "points", "--html", "page.html", *words)
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert not (tmp_path / "points").exists()


def test_what_truths_say_must_go_somewhere(suite: Path, tmp_path: Path) -> None:
    result = call(write_grid(tmp_path, PLAIN), "-o", tmp_path / "points", "--suite", suite)
    assert result.exit_code == 2
    assert "goes to --html, --report, --table or --json" in result.stderr


def test_scenes_are_no_truths(data_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"settings are judged on truths, .* and .*scenes holds scenes"):
        pucker.sweep.on_truths(grid(), data_dir / "scenes", tmp_path)


def test_told_is_best_where_it_is_a_guess_in_the_mean() -> None:
    rows = [("a", "x", 48.0), ("a", "y", 49.0), ("a", "z", 40.0), ("b", "x", 60.0), ("b", "y", 60.5), ("b", "z", 99.0)]
    rows += [("c", "x", 70.0), ("c", "y", 60.0), ("c", "z", 65.0)]
    frame = pd.DataFrame(
        [{"id": str(k), "clip": c, "s": s, "error": None, "told": v} for k, (c, s, v) in enumerate(rows)]
    )
    found = ranking.ranked(frame, "told", {"y": "height"})
    # 40 is farther from a guess than 48; y is best in the mean, although x is on one scene.
    assert [(row.settings, row.place) for row in found.rows] == [("y", 4 / 3), ("x", 2.0), ("z", 8 / 3)]
    assert [row.mean for row in found.rows] == pytest.approx([56.5, 178 / 3, 68.0])
    assert [row.note for row in found.rows] == ["height", "", ""]
    # By places z would be before x.
    frame.loc[frame["s"].eq("x") & frame["clip"].eq("b"), "told"] = 99.5
    assert [row.settings for row in ranking.ranked(frame, "told").rows] == ["y", "z", "x"]


def test_measures_in_units_of_clips_are_ranked_by_places() -> None:
    rows = [("a", "x", 1.0), ("a", "y", 2.0), ("b", "x", 30.0), ("b", "y", 40.0), ("c", "x", 5000.0), ("c", "y", 100.0)]
    frame = pd.DataFrame(
        [{"id": str(k), "clip": c, "s": s, "error": None, "flicker": v} for k, (c, s, v) in enumerate(rows)]
    )
    assert [row.settings for row in ranking.ranked(frame, "flicker").rows] == ["x", "y"]
    told = frame.rename(columns={"flicker": "suite"})
    assert [row.settings for row in ranking.ranked(told, "suite").rows] == ["y", "x"]
