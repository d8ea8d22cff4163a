"""The suite: scenes that come back from their files, measures that vanish on the truth itself, and tables known by hand."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import pucker
from pucker import byexample, compare, metrics
from pucker.cli import cli
from pucker.examples import bending_sleeve
from pucker.metrics.compare import Heights, correlation_in, judging, size_in
from pucker.metrics.compare.judged import MEASURES as SUITE_MEASURES
from pucker.metrics.compare.judged import Judged
from pucker.metrics.compare.judging import Judge
from pucker.metrics.compare.projection import Projection

DATA = Path(__file__).resolve().parents[1] / "data"
FRAMES = 24


def corrugated(clip: pucker.Clip, *, phase: float = 0.0) -> np.ndarray:
    """The smooth surface of each frame with waves over it that grow, (frames, N, 3)."""
    smooth = byexample.SmoothSurface(clip.mesh, 2, clip.positions[0])
    start = np.array(smooth.positions)
    out = []
    for index, guide in enumerate(clip.positions):
        smooth.step(guide)
        height = 0.01 * (1.0 + index / len(clip)) * np.sin(2.0 * np.pi * start[:, 1] / 0.09 + phase)
        out.append(smooth.positions + height[:, None] * smooth.normals)
    return np.array(out)


def _bent(around: int, along: int) -> np.ndarray:
    return np.array(bending_sleeve(around, along, frames=FRAMES).positions)


@pytest.fixture(autouse=True, scope="module")
def small_pictures():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(judging, "SIZE", (64, 80))
        patch.setattr(judging, "VIEWS", 2)
        yield


@pytest.fixture(scope="module")
def clip() -> pucker.Clip:
    return bending_sleeve(8, 12, frames=FRAMES)


@pytest.fixture(scope="module")
def scene(clip) -> compare.Scene:
    fine = corrugated(clip)
    return compare.Scene.of_simulation("sleeve", clip, fine, fine, levels=2, first=4, count=18)


@pytest.fixture(scope="module")
def judge(scene) -> Judge:
    return Judge(scene)


def test_a_detail_is_what_no_coarse_positions_could_show(scene, clip, rng):
    assert np.abs(np.einsum("fnd,nk->fkd", scene.detail, scene.smooth.toarray())).max() < 1e-12
    lag = np.array([scene.smooth @ rng.normal(size=guide.shape) for guide in clip.positions])
    moved = compare.Scene.of_simulation("sleeve", clip, corrugated(clip) + lag, levels=2, first=4, count=18)
    np.testing.assert_allclose(moved.detail, scene.detail, atol=1e-10)
    np.testing.assert_allclose(scene.truth(scene.detail) - scene.truth(0.0 * scene.detail), scene.detail, atol=1e-12)
    with pytest.raises(ValueError, match="frames 10 to 29 are not all among the clip's 24"):
        compare.Scene.of_simulation("sleeve", clip, corrugated(clip), levels=2, first=10, count=20)


def test_a_scene_comes_back_from_its_file_to_half_a_step(scene, tmp_path):
    scene.save(tmp_path / "sleeve.npz")
    back = compare.Scene.load(tmp_path / "sleeve.npz")
    step = np.abs(scene.detail).max() / 32767
    assert np.abs(back.detail - scene.detail).max() <= 0.5001 * step
    assert back.frames == range(4, 22)
    assert len(back.clip) == 22
    np.testing.assert_array_equal(back.clip.positions, scene.clip.positions)
    np.testing.assert_array_equal(back.faces, scene.faces)
    assert (back.smooth != scene.smooth).nnz == 0


@pytest.mark.parametrize(
    ("scene", "file", "clip", "part"),
    [
        ("kimono-run", "kimono_male.gltf", "Run", "Clothes"),
        ("kimono-sitdown", "kimono_male.gltf", "SitDown", "Clothes"),
        ("dress-run", "female_dress.fbx", "HumanArmature|Female_Run", "Dress"),
    ],
)
def test_a_character_of_the_suite_is_what_a_user_loads(data_dir, scene, file, clip, part):
    kept = compare.Scene.load(DATA / "scenes" / f"{scene}.npz")
    users = pucker.load(data_dir / file, clip=clip, parts=[part])
    frames = len(kept.clip)
    assert kept.frames.stop == frames <= len(users)
    assert kept.clip.height == users.height
    assert kept.clip.parts == users.parts
    assert len(kept.clip.shared_vertices) > 10
    for name in ("faces", "shared_vertices", "rest", "body_faces", "weld"):
        np.testing.assert_array_equal(getattr(kept.clip, name), getattr(users, name), err_msg=name)
    for name in ("positions", "times", "body_positions"):
        np.testing.assert_array_equal(getattr(kept.clip, name), getattr(users, name)[:frames], err_msg=name)
    # So a run has the same bits, widths and joined and faded ends among them.
    for mine, theirs in zip(pucker.run(kept.clip, pucker.Params()), pucker.run(users, pucker.Params()), strict=False):
        np.testing.assert_array_equal(mine.packed.points, theirs.packed.points)


def test_a_scene_of_a_character_that_is_missing_or_another_one_is_refused(tmp_path, data_dir):
    arrays = dict(np.load(DATA / "scenes" / "kimono-run.npz"))
    (tmp_path / "scenes").mkdir()
    path = tmp_path / "scenes" / "run.npz"
    np.savez(path, **arrays)
    with pytest.raises(pucker.Error, match=r"its character kimono_male\.gltf is in none of"):
        compare.Scene.load(path)
    (tmp_path / "kimono_male.gltf").write_bytes((data_dir / "kimono_male.gltf").read_bytes())
    assert compare.Scene.load(path).source.clip == "Run"
    np.savez(path, **arrays | {"coarse": arrays["coarse"] + 1e-9})
    with pytest.raises(
        pucker.Error, match=r"kimono_male\.gltf has other triangles or moves otherwise than in the recording"
    ):
        compare.Scene.load(path)
    for file in ("../kimono_male.gltf", "/etc/passwd", ""):
        np.savez(path, **arrays | {"source": json.dumps({"file": file, "clip": None, "parts": []})})
        with pytest.raises(pucker.Error, match="must be a file name without folders"):
            compare.Scene.load(path)


def test_a_scene_with_a_body_needs_the_source_of_it(tmp_path, data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    fine = np.array([byexample.LoopSubdivision(clip.mesh, 1).matrix @ each for each in clip.positions])
    scene = compare.Scene.of_simulation("run", clip, fine, levels=1, first=0, count=2)
    with pytest.raises(ValueError, match="scene 'run' has a character's body, so that its source must be given"):
        scene.save(tmp_path / "run.npz")


@pytest.mark.parametrize("content", [b"", b"nothing", b"PK\x05\x06" + bytes(18)])
def test_a_file_that_is_no_scene_is_refused(content, tmp_path):
    (tmp_path / "other.npz").write_bytes(content)
    with pytest.raises(pucker.Error, match=r"other\.npz: is no scene"):
        compare.Scene.load(tmp_path / "other.npz")


def test_a_surface_that_the_fine_mesh_can_hold_is_projected_to_itself(scene, rng):
    projection = Projection(scene.faces, scene.linear @ scene.clip.positions[0])
    base = projection.over(scene.clip)
    values = rng.normal(size=(len(scene.triangles), 3))
    np.testing.assert_allclose(projection(projection._hats @ values), values, atol=1e-9)
    # Linear over the coarse triangles: their own points.
    start = scene.clip.positions[0]
    there = pucker.method.points_of_mesh(scene.clip.mesh, start, base.triangles, base.barycentrics)
    np.testing.assert_allclose(projection(there.base), scene.linear @ start, atol=1e-9)


def test_the_truth_is_nothing_away_from_itself(judge):
    found = judge.second_take().means
    for name in ("curvature", "curvedness", "distance", "area", "silhouette", "flip"):
        assert found[name] == pytest.approx(0.0, abs=1e-6), name
    assert found["normals"] == pytest.approx(0.0, abs=1e-4)
    for name in ("where", "wavelength", "flicker", "births", "with lag"):
        assert found[name] == pytest.approx(1.0, abs=1e-6), name
    told = [band for band in compare.BANDS if not np.isnan(found[correlation_in(band)])]
    assert len(told) >= 2
    for band in told:
        assert found[correlation_in(band)] == pytest.approx(1.0, abs=1e-6), band
        assert found[size_in(band)] == pytest.approx(1.0, abs=1e-6), band


def test_a_truth_that_lags_is_judged_by_what_folds_and_its_lag_is_shown(clip):
    loop = byexample.LoopSubdivision(clip.mesh, 2)
    guide = np.array([loop.matrix @ each for each in clip.positions])
    waves = corrugated(clip) - guide
    heights = Heights(loop.fine.faces, guide[0], guide, metrics.lagging(guide, 0.3)[4:] + waves[4:])
    assert heights.lag == pytest.approx(0.3, rel=0.05)
    # The controls: what knows nothing of the folds has nothing of them, though lag alone has some of the heights.
    alone = heights.judge(heights.lagging(heights.lag), heights.lag)
    assert alone["with lag"] > 0.3
    assert heights.judge(0.0 * heights.truth)["with lag"] == 0.0
    noise = heights.judge(heights.noise())
    same = heights.judge(heights.truth, heights.lag)
    folds = metrics.heights(loop.fine.faces, guide[4:], guide[4:] + waves[4:])
    still = heights.judge(folds)
    told = [band for band in compare.BANDS if not np.isnan(same[correlation_in(band)])]
    assert told
    for band in told:
        name = correlation_in(band)
        assert (same[name], same[size_in(band)]) == (pytest.approx(1.0), pytest.approx(1.0))
        assert alone[name] == 0.0
        assert abs(noise[name]) < 0.2
        assert still[name] > 0.95, band


def test_the_controls_reach_nothing_and_heights_alone_are_judged_as_with_all_else(judge):
    guide, lag, noise = judge.controls(looks=False)
    bounds = judge.bounds_by_band()
    assert (guide.surface, lag.surface, noise.surface) == compare.CONTROLS
    for each in (guide, lag, noise):
        for band in compare.BANDS:
            name = correlation_in(band)
            assert np.isnan(each.means[name]) or abs(each.means[name]) < 0.3
            np.testing.assert_allclose(each.means[name], bounds[each.surface][name], atol=0.02)
    params = pucker.Params(min_width=0.01)
    alone, whole = judge.by_band(params), judge.judge("dynamic", params, looks=False).means
    for name, value in alone.items():
        np.testing.assert_equal(whole[name], value)


def test_the_coarse_mesh_has_no_folds_and_wrinkles_have_some(judge):
    plain, wrinkled = judge.judge("coarse", None).means, judge.judge("dynamic", pucker.Params(min_width=0.01)).means
    assert (plain["with lag"], plain["flicker"]) == (0.0, 0.0)
    assert np.isnan(plain["wavelength"])
    assert max(wrinkled[size_in(band)] for band in compare.BANDS) > 0.0
    assert wrinkled["wrinkles"] > 0.0
    assert wrinkled["milliseconds"] > 0.0
    assert 0.0 < plain["flip"] < 1.0
    bare = next(judge.controls()).means
    assert (bare["with lag"], bare["flicker"]) == (0.0, 0.0)
    # The tube's truth bulges between the facets: the smooth surface is nearer to it.
    assert bare["silhouette"] < plain["silhouette"]
    # The waves only grow: their mean over the frames is what they are like.
    assert judge.mean_detail().means["with lag"] > 0.95


def test_a_method_that_displaces_nothing_is_the_coarse_mesh_also_where_fine_vertices_lie_anywhere(clip):
    fine = pucker.Clip.from_arrays(bending_sleeve(19, 33, frames=FRAMES).faces, _bent(19, 33), clip.times, weld=False)
    found = Judge(compare.Scene.of_clip("sleeve", fine, 192, levels=1, first=4, count=18))
    still, plain = found.judge("still", pucker.Params(threshold=1e6)), found.judge("coarse", None)
    for name in ("curvature", "curvedness", "distance", "normals", "area", "where", "flip"):
        assert still.means[name] == pytest.approx(plain.means[name], rel=1e-9), name


def test_a_scene_of_another_motion_of_a_mesh_has_the_mesh_and_places_of_the_first():
    sleeve = bending_sleeve(19, 33, frames=FRAMES)
    whole = pucker.Clip.from_arrays(sleeve.faces, _bent(19, 33), sleeve.times, weld=False)
    bent = pucker.Clip.from_arrays(sleeve.faces, _bent(19, 33)[6:], sleeve.times[6:], weld=False)

    def of(fine: pucker.Clip, first: int, **options) -> compare.Scene:
        return compare.Scene.of_clip("sleeve", fine, 192, levels=1, first=first, count=8, **options)

    one, other = of(whole, 10), of(bent, 4, pose=whole.positions[0], trained="sleeve.pose.npz")
    for name in ("triangles", "barycentrics", "detail"):
        np.testing.assert_array_equal(getattr(other, name), getattr(one, name))
    np.testing.assert_array_equal(other.clip.positions, one.clip.positions[6:])
    assert (one.trained, other.trained) == ("", "sleeve.pose.npz")
    assert not np.array_equal(of(bent, 4).clip.faces, one.clip.faces)


def test_scenes_of_data_that_nothing_was_tuned_on_are_one_shirt_in_other_winds():
    tuned = compare.Scene.load(DATA / "scenes" / "tshirt.npz")
    trained = byexample.load(DATA / "tshirt.pose.npz")
    for name in ("tshirt-0", "tshirt-3"):
        scene = compare.Scene.load(DATA / "unseen" / f"{name}.npz")
        for of in (tuned.clip.faces, trained.faces):
            np.testing.assert_array_equal(scene.clip.faces, of)
        np.testing.assert_array_equal(scene.triangles, tuned.triangles)
        assert scene.trained == "tshirt.pose.npz"
        assert np.vdot(scene.detail, tuned.detail) < 0.5 * np.linalg.norm(scene.detail) * np.linalg.norm(tuned.detail)


def test_a_function_that_gives_states_is_judged_like_the_method_it_runs(judge):
    params = pucker.Params(min_width=0.01)

    def packed(clip):
        for state in pucker.run(clip, params):
            yield state.packed if state.frame else None

    one, other = (judge.judge("ours", each).means for each in (params, packed))
    for name in ("curvature", "normals", "with lag", "flicker", "flip"):
        assert other[name] == pytest.approx(one[name], nan_ok=True), name
    with pytest.raises(ValueError, match="there is no state of frame 3; the clip has 22"):
        judge.judge("short", lambda _clip: [None] * 3)


def test_a_method_over_a_smooth_clip_is_judged_on_it(judge, clip):
    params = pucker.Params(min_width=0.01)
    found = judge.judge("smooth", compare.Smoothed(params)).means
    assert found["flicker"] > 0.0
    # What is measured is the surface of that clip: without wrinkles it is nearer to a truth that bulges between the facets.
    bare, plain = judge.judge("bare", compare.Smoothed(None)).means, judge.judge("coarse", None).means
    assert bare["silhouette"] < plain["silhouette"]
    assert (bare["with lag"], bare["flip"] < plain["flip"]) == (0.0, True)
    states = list(pucker.run(clip.smoothed(1), params))
    again = judge.judge("given", compare.Smoothed(lambda smooth: states[: len(smooth)])).means
    assert (again["with lag"], again["curvature"]) == (found["with lag"], found["curvature"])
    unchanged = judge.judge("none", compare.Smoothed(params, 0)).means
    assert unchanged["curvature"] == judge.judge("dynamic", params).means["curvature"]


def test_places_are_pictures_of_one_size(judge):
    truth, found = judge.where(None)
    assert truth.shape == found.shape
    assert np.abs(truth.astype(int) - found).max() > 50


def test_means_over_scenes_are_shares_of_the_coarse_mesh_and_geometric_for_ratios():
    def row(scene: str, surface: str, **values: float) -> Judged:
        return Judged(scene, surface, {name: [values.get(name, np.nan)] for name in SUITE_MEASURES})

    rows = [
        row("a", "coarse", curvature=2.0, flip=0.1),
        row("a", "ours", curvature=1.0, wavelength=0.5, flip=0.2),
        row("b", "coarse", curvature=4.0, flip=0.3),
        row("b", "ours", curvature=3.0, wavelength=8.0, flip=0.4),
    ]
    found = compare.overall(rows)
    assert list(found.index) == ["coarse", "ours"]
    assert found.loc["ours", "curvature"] == pytest.approx((0.5 + 0.75) / 2)
    assert found.loc["ours", "wavelength"] == pytest.approx(2.0)
    assert found.loc["ours", "flip"] == pytest.approx(0.3)
    assert "| ours | 0.62 |" in compare.markdown(found)
    assert isinstance(compare.verdicts(rows), pd.DataFrame)


def test_the_command_judges_all_methods_on_a_folder_of_scenes(scene, tmp_path):
    (tmp_path / "scenes").mkdir()
    scene.save(tmp_path / "scenes" / "sleeve.npz")
    where = ["--suite", str(tmp_path / "scenes"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, ["compare", *where, "--quiet", "--json", "--set", "tracing.min_length=8"])
    assert done.exit_code == 0, done.output
    names = [row["surface"] for row in json.loads(done.output)]
    assert names == [
        "coarse",
        "verbatim",
        "dynamic",
        "dynamic, smooth",
        "waves",
        "draped",
        "chosen",
        *compare.CONTROLS,
        "mean detail",
        "second take on the same mesh",
    ]
    samples = json.loads((tmp_path / "out" / "samples.json").read_text())
    assert len(samples["judged"]) == len(names)
    assert len(samples["judged"][2]["flip"]) == 2
    page = (tmp_path / "out" / "index.md").read_text()
    assert "## sleeve" in page
    assert "| guide alone | " in page
    assert "| below 4 | 4 to 8 |" in page
    for arguments, said in (
        (["compare", "-o", "x"], "needs either FILE or --suite FOLDER"),
        (["compare", *where, "--scene", "towel"], "has no scene 'towel'; there are sleeve"),
    ):
        refused = CliRunner().invoke(cli, arguments)
        assert refused.exit_code != 0
        assert said in refused.output + str(refused.exception)
    (tmp_path / "empty").mkdir()
    with pytest.raises(pucker.Error, match="holds no recordings of scenes"):
        list(compare.suite(tmp_path / "empty"))


def test_what_is_judged_comes_back_from_json():
    one = Judged("sleeve", "waves", {name: np.array([0.5, np.nan]) for name in SUITE_MEASURES})
    again = Judged(**json.loads(json.dumps(one.plain())))
    assert (again.scene, again.surface) == ("sleeve", "waves")
    assert again.means == one.means
