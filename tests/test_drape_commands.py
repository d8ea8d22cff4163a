"""Draped cloth everywhere the other methods are: commands, bakes, crowds, frames in any order, widget, and live guides."""

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from imageio_ffmpeg import count_frames_and_secs

import pucker
from pucker import bake, drape, page
from pucker.cli import cli
from pucker.convert import FineMesh
from pucker.examples import bending_sleeve
from pucker.method import start
from pucker.notebook import View
from pucker.replay import Replay

SLEEVE = bending_sleeve(12, 18)
PARAMS = drape.Params(levels=1, iterations=15)


@pytest.fixture(scope="module")
def states() -> list[drape.State]:
    return list(pucker.run(SLEEVE, PARAMS))


@pytest.fixture(scope="module")
def skirt(data_dir: Path) -> list[str]:
    file = data_dir / "kyonshi_lower.md3"
    return [str(file), "--clip", "115:119", "--parts", "l_lower,l_dress", "--method", "drape", "--fps", "15"]


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="pucker")


# --- runs -------------------------------------------------------------------------------------------------------------


def test_frames_asked_for_at_random_have_the_bits_of_a_straight_run(states):
    replay = Replay(SLEEVE, PARAMS)
    for frame in (20, 3, 30, 17, 0, 18):
        np.testing.assert_array_equal(replay.seek(frame).draped, states[frame].draped)
    # From the nearest that was kept, not from the first.
    assert replay.saved == [0, 16]


@pytest.mark.threads
def test_characters_of_a_crowd_get_the_same_bits_as_alone(states):
    crowd, runs = pucker.Crowd(3), [start(SLEEVE, PARAMS) for _ in range(4)]
    for frame in range(6):
        for state in crowd.advance(runs, [SLEEVE.positions[frame]] * 4, SLEEVE.times[frame]):
            np.testing.assert_array_equal(state.draped, states[frame].draped)
    with pytest.raises(ValueError, match="step 3 of the crowd: time must grow"):
        crowd.advance(runs, [SLEEVE.positions[6]] * 4, [1.0, 1.0, 1.0, 0.0])
    assert all(run.state.frame == 5 for run in runs)


def test_positions_from_anywhere_are_a_guide_and_the_run_goes_on_where_it_was_kept(states):
    run = drape.Drape(SLEEVE.mesh, SLEEVE.positions[0], PARAMS)
    for frame in range(10):
        # Single precision, another order in memory and lists, as streams bring them.
        brought = np.asfortranarray(SLEEVE.positions[frame])
        state = run.advance(brought.tolist() if frame == 4 else brought, SLEEVE.times[frame])
        if frame == 5:
            run = pickle.loads(pickle.dumps(run))
            assert run.params == PARAMS
            np.testing.assert_array_equal(run.state.draped, state.draped)
            np.testing.assert_array_equal(run.state.detail.fine_normals, state.detail.fine_normals)
        np.testing.assert_array_equal(state.draped, states[frame].draped)
    kept = state.draped.copy()
    run.advance(SLEEVE.positions[10].astype(np.float32), SLEEVE.times[10])
    np.testing.assert_array_equal(state.draped, kept)
    with pytest.raises(ValueError, match="positions must be finite"):
        run.advance(np.full_like(SLEEVE.positions[0], np.nan), 100.0)
    with pytest.raises(ValueError, match=r"time must grow"):
        run.advance(SLEEVE.positions[0], 0.0)
    assert run.state.frame == 10


def test_a_jump_of_the_guide_starts_anew_and_says_so(states):
    run = start(SLEEVE, PARAMS)
    run.advance(SLEEVE.positions[0], 0.0)
    far = run.advance(SLEEVE.positions[0] + 1000.0, 0.1)
    assert far.started
    np.testing.assert_allclose(far.draped - 1000.0, states[0].draped, atol=1e-9)


@pytest.mark.parametrize("scale", [1e-100, 1e60])
def test_a_guide_that_collapses_or_explodes_is_survived(states, scale):
    run = start(SLEEVE, PARAMS)
    run.advance(SLEEVE.positions[0], 0.0)
    broken = run.advance(scale * SLEEVE.positions[1], 0.1)
    assert np.isfinite(broken.draped).all()
    assert np.isfinite(run.advance(SLEEVE.positions[0], 0.2).draped).all()


@pytest.mark.parametrize("scale", [1e-130, 1e130])
def test_a_size_whose_squares_are_no_numbers_is_refused(scale):
    with pytest.raises(ValueError, match=r"draped cloth needs a garment between 1e-100 and 1e\+?100 large"):
        drape.Drape(SLEEVE.mesh, scale * SLEEVE.positions[0], PARAMS)
    run = start(SLEEVE, PARAMS)
    run.advance(SLEEVE.positions[0], 0.0)
    if scale > 1.0:
        before = run.save()
        with pytest.raises(ValueError, match=r"draped cloth needs positions within 1e\+?100"):
            run.advance(scale * SLEEVE.positions[1], 0.1)
        assert run.save() == before


def test_one_frame_alone_is_a_run_too():
    alone = pucker.Clip.from_arrays(SLEEVE.faces, SLEEVE.positions[:1], SLEEVE.times[:1])
    (state,) = pucker.run(alone, PARAMS)
    assert state.started
    assert pucker.metrics.measure(alone, PARAMS).summary["distance_from_guide"] >= 0.0


# --- files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [0, 1, 2])
@pytest.mark.parametrize("name", ["sleeve.npz", "sleeve.glb", "sleeve.usda", "sleeve"])
def test_it_is_baked_as_the_mesh_that_it_is(name, levels, tmp_path):
    """Whatever the number of levels: vertices and triangles are those of the subdivision, in every frame."""
    clip = pucker.Clip.from_arrays(SLEEVE.faces, SLEEVE.positions[:4], SLEEVE.times[:4], weld=False)
    params = PARAMS.replace(levels=levels)
    report = bake.surface(clip, tmp_path / name, params=params)
    states = list(pucker.run(clip, params))
    fine = states[0].detail.subdivision.fine
    assert (report.triangles, report.vertices) == (fine.triangle_count, fine.vertex_count)
    if name.endswith(".npz"):
        with np.load(tmp_path / name) as baked:
            np.testing.assert_array_equal(baked["faces"], fine.faces)
            for positions, state in zip(baked["positions"], states, strict=True):
                np.testing.assert_allclose(positions, state.draped, atol=1e-6)
    elif name.endswith(".glb"):
        again = pucker.load(tmp_path / name, fps=1.0 / (clip.times[1] - clip.times[0]))
        assert len(again.faces) == fine.triangle_count
        np.testing.assert_allclose(np.sort(again.positions[-1], axis=0), np.sort(states[-1].draped, axis=0), atol=1e-4)


def test_alembic_holds_the_mesh_that_it_is(states, tmp_path):
    pytest.importorskip("bpy")
    report = bake.surface(SLEEVE, tmp_path / "sleeve.abc", params=PARAMS)
    again = pucker.load(tmp_path / "sleeve.abc")
    assert (len(again.faces), report.triangles) == (4 * len(SLEEVE.faces), 4 * len(SLEEVE.faces))


def test_a_page_holds_the_mesh_that_it_is(tmp_path):
    report = page.write(SLEEVE, tmp_path / "sleeve.html", params=PARAMS)
    assert (report.triangles, report.edge_share) == (4 * len(SLEEVE.faces), None)
    with pytest.raises(page.TooLarge, match="are allowed"):
        page.write(SLEEVE, tmp_path / "none.html", params=PARAMS, limit=1000)
    divided = page.write(SLEEVE, tmp_path / "share.html", params=PARAMS, edge_share=1.0)
    assert divided.edge_share == 1.0


def test_a_state_is_a_mesh_for_other_libraries(states):
    fine = FineMesh.of(states[7])
    np.testing.assert_array_equal(fine.faces, states[7].detail.subdivision.fine.faces)
    np.testing.assert_allclose(fine.positions, states[7].draped, atol=1e-12)


# --- commands ---------------------------------------------------------------------------------------------------------


def test_render_and_bake_take_it(skirt, tmp_path):
    drawn = call("render", *skirt, "--size", "96x96", "--json", "--quiet", "-o", tmp_path / "skirt.mp4")
    assert drawn.exit_code == 0, drawn.output
    assert count_frames_and_secs(str(tmp_path / "skirt.mp4"))[0] == 5
    content = json.loads(drawn.stdout)
    assert content["seconds"].keys() == {"guide", "balance", "normals", "draw", "encode"}
    assert 0 < content["iterations"] <= 150
    baked = call("bake", *skirt, "--set", "levels=1", "--quiet", "-o", tmp_path / "skirt.npz")
    assert baked.exit_code == 0, baked.output
    with np.load(tmp_path / "skirt.npz") as file:
        # Levels are of the file's own mesh, which is made smooth, once, where they are not given.
        assert len(file["faces"]) == content["triangles"]


def test_export_has_no_paths(skirt, tmp_path):
    result = call("export", *skirt, "--quiet", "-o", tmp_path / "paths.csv")
    assert result.exit_code == 2
    assert result.stderr == "pucker: the method drape has nothing to export\n"


def test_it_is_swept_and_runs_again_when_its_cut_pose_is_another(tmp_path):
    cut = tmp_path / "cut.npy"
    ids = []
    for pose in (0, 0, 3):
        np.save(cut, SLEEVE.positions[pose])
        grid = pucker.sweep.Grid(
            {"fold_size": [0.1, 0.2], "levels": 1, "cut": str(cut)}, {"sleeve": SLEEVE}, method="drape"
        )
        rows = pucker.sweep(grid, tmp_path / "points", quiet=True)
        assert rows["error"].isna().all()
        ids.append(rows["id"][0])
    assert ids[0] == ids[1] != ids[2]
    # The stiffer hold is nearer to the guide.
    assert rows["distance_from_guide"][0] < rows["distance_from_guide"][1]


def test_the_command_line_sweeps_and_compares_it(data_dir, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'method = "drape"\n[parameters]\nlevels = 2\nlag = [0.0, 0.01]\n[clips.skirt]\n'
        f'file = {json.dumps(str(data_dir / "kyonshi_lower.md3"))}\nclip = "115:119"\nfps = 15\nparts = ["l_dress"]\n'
    )
    result = call("sweep", grid, "-o", tmp_path / "out", "--workers", "1", "--table", tmp_path / "out.csv")
    assert result.exit_code == 0, result.output
    rows = pd.read_csv(tmp_path / "out.csv")
    assert len(rows) == 2
    assert set(rows["method"]) == {"drape"}
    shirt = [data_dir / "tshirt_wind.zip", "--clip", "60:63@90", "--fps", 90, "--triangles", 300, "--every", 3]
    result = call(
        "compare", *shirt, "--method", "drape", "--set", "levels=2", "--json", "--quiet", "-o", tmp_path / "compared"
    )
    assert result.exit_code == 0, result.output
    assert [line["surface"] for line in json.loads(result.stdout)] == ["coarse", "smooth", "draped"]
    assert "in balance, held to the guide over 30 %" in (tmp_path / "compared/index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--set", "threshold=1.3"], "params has no 'threshold'; there are levels, fold_size"),
        (["--set", "fold_size=0"], "params.fold_size"),
        (["--set", "levels=9"], "params.levels"),
        (["--set", "cut=none.npy"], "none.npy"),
        (["--set", "cut=rest"], "params.cut = rest needs a rest pose, the clip has none"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(skirt, tmp_path, options, sentence):
    result = call("bake", *skirt, *options, "--quiet", "-o", tmp_path / "skirt.npz")
    assert result.exit_code == 2, result.output
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "skirt.npz").exists()


def test_the_widget_shows_it_and_takes_other_values(states):
    view = View(SLEEVE, PARAMS, size=(80, 60), frame=12)
    try:
        draped = view.picture()
        view.mode = "base"
        assert (np.abs(draped.astype(int) - view.picture().astype(int)).max(axis=2) > 8).mean() > 0.01
        view.mode = "both"
        view.frame = 3
        view.frame = 12
        np.testing.assert_array_equal(view.picture(), draped)
        view.panel.params["fold_size"].value = 0.1
        assert view.params == PARAMS.replace(fold_size=0.1)
        view.panel.params["cut"].value = "first"
        assert view.params.cut == "first"
        assert view.pick(40, 30) is not None
    finally:
        view.close()
