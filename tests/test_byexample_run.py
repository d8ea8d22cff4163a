"""Wrinkles by example as a method among the others."""

import dataclasses
import json
import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.signal
from byexample_scenes import recorded_tube
from click.testing import CliRunner

import pucker
import pucker.method
from pucker import bake, byexample, metrics, render
from pucker.cli import cli
from pucker.metrics.compare import agreement_of_set
from pucker.notebook import View

MESH, REST, COARSE, FINE = recorded_tube()
CLIP = pucker.Clip.from_arrays(MESH.faces, COARSE, np.arange(len(COARSE)) / 30, weld=False)
FINE_MESH = byexample.LoopSubdivision(MESH, 2).fine


@pytest.fixture(scope="module")
def trained():
    return byexample.train(MESH, COARSE, FINE, rest=REST, levels=2, poses=6).trained


@pytest.fixture(scope="module")
def file(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("sets") / "tube.npz"
    trained.save(path)
    return path


@pytest.fixture(scope="module")
def params(file):
    return byexample.Params(trained=str(file))


def test_a_set_builds_its_synthesis_once(file, params, monkeypatch):
    built = []
    inner = byexample.trained.byexample

    class Counted(inner.Synthesis):
        def __init__(self, *args, **kwargs):
            built.append(1)
            super().__init__(*args, **kwargs)

    monkeypatch.setattr(inner, "Synthesis", Counted)
    kind = pucker.method.method_of(params)
    kind.start(CLIP, params)
    assert len(built) == 1
    assert kind.parts(params) == ()
    assert "6 poses" in kind.description(CLIP, params)
    assert len(built) == 1, "what a file says of itself needs no synthesis"

    trained = byexample.load(file)
    here, there = (pickle.loads(pickle.dumps(trained)).synthesis() for _ in range(2))
    built.clear()
    here, there = trained.synthesis(), trained.synthesis(MESH)
    assert not built
    assert here is not there
    kept = here.step(COARSE[1]).positions.copy()
    assert not np.array_equal(there.step(COARSE[5]).positions, kept)
    assert np.array_equal(here.step(COARSE[1]).positions, kept)


def test_it_is_a_method_of_its_parameters(params):
    assert pucker.method.method_of(params).name == "byexample"
    assert byexample.Params.from_toml(params.to_toml()) == params
    assert pickle.loads(pickle.dumps(params)) == params
    assert params.replace(gain=2.0) != params
    quoted = byexample.Params(trained='a "set" \\ of\ttwo\n.npz')
    assert byexample.Params.from_toml(quoted.to_toml()) == quoted
    names = ["trained", "gain", "lag", "reach", "trail", "swing", "sway", "damping", "sewn", "compute"]
    assert [field.name for field in params.fields()] == names
    for values, sentence in (
        ({"gain": -1.0}, r"params.gain .* must lie in \[0, 1e\+06\], got -1"),
        ({"lag": np.nan}, "params.lag"),
        ({"reach": -0.1}, "params.reach"),
        ({"swing": -0.1}, "params.swing"),
        ({"sway": -0.1}, "params.sway"),
        ({"damping": 0.0}, r"params.damping .* must lie in \[0.01, 1\], got 0"),
        ({"trained": 3}, "params.trained must be a text, got 3"),
    ):
        with pytest.raises(ValueError, match=sentence):
            params.replace(**values)


def test_frames_are_those_of_the_synthesis(trained, params):
    synthesis = trained.synthesis()
    loop = byexample.LoopSubdivision(MESH, 2)
    # Where the fine vertices lie on the coarse mesh.
    places = np.zeros((FINE_MESH.vertex_count, MESH.vertex_count))
    rows = loop.barycentrics
    places[np.repeat(np.arange(len(places)), np.diff(rows.indptr)), rows.indices] = rows.data
    for frame, state in enumerate(pucker.run(CLIP, params)):
        expected = synthesis.step(COARSE[frame])
        assert np.array_equal(state.surface.positions, expected.positions)
        assert np.array_equal(state.detail.fine_positions, expected.positions)
        at_vertices = places_of(places)
        points = state.detail.evaluate(*at_vertices)
        assert np.abs(points.positions - expected.positions).max() < 1e-12
        assert np.abs(points.base - places @ COARSE[frame]).max() < 1e-12


def places_of(places):
    """A coarse triangle and barycentric coordinates for each fine vertex."""
    triangles, barycentrics = [], []
    for row in places:
        inside = row[MESH.faces]
        triangle = int(np.argmax(inside.sum(axis=1)))
        triangles.append(triangle)
        barycentrics.append(inside[triangle])
    return np.array(triangles), np.array(barycentrics)


def test_sets_that_do_not_fit_are_refused_by_what_differs(trained, params, tmp_path):
    with pytest.raises(ValueError, match=r"needs a trained set: --trained FILE\.npz, or params\.trained"):
        pucker.run(CLIP, byexample.Params())
    with pytest.raises(pucker.Error, match=r"nowhere\.npz: no such file"):
        pucker.run(CLIP, byexample.Params(trained=str(tmp_path / "nowhere.npz")))
    other = pucker.Clip.from_arrays(MESH.faces[:-1], COARSE, CLIP.times, weld=False)
    with pytest.raises(ValueError, match="was trained on a mesh of 96 triangles, not 95"):
        pucker.run(other, params)
    larger = pucker.Clip.from_arrays(MESH.faces, 100.0 * COARSE, CLIP.times, weld=False)
    with pytest.raises(ValueError, match=r"in another unit of length: edges are 1.* times as long here"):
        pucker.run(larger, params)
    trained.check_rest(REST)
    with pytest.raises(ValueError, match=r"another rest pose: \d+ of \d+ edges differ .* which are 1\.1 times as long"):
        trained.check_rest(1.1 * REST)


def test_a_character_in_another_unit_is_refused(data_dir, tmp_path):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Punch", parts=["Clothes"])
    smooth = byexample.SmoothSurface(clip.mesh, 0, clip.rest)
    fine = clip.positions[:3] + 0.01
    small = byexample.train(clip.mesh, clip.positions[:3], fine, rest=clip.rest, levels=0, poses=2).trained
    assert len(smooth.positions) == len(clip.rest)
    small.rounded().save(tmp_path / "punch.npz")
    assert len(list(pucker.run(clip, byexample.Params(trained=str(tmp_path / "punch.npz"))))) == len(clip)
    dataclasses.replace(small, rest=2 * small.rest).save(tmp_path / "punch.npz")
    with pytest.raises(ValueError, match=r"another rest pose: 1485 of 1485 edges .* 0\.5 times as long"):
        pucker.run(clip, byexample.Params(trained=str(tmp_path / "punch.npz")))


@pytest.mark.parametrize("damping", [0.2, 1.0])
def test_garments_sway_as_scipy_solves_a_damped_spring(params, damping):
    period = 0.35
    pulse = 2.0 * np.pi / period
    system = ([[0.0, 1.0], [-(pulse**2), -2.0 * damping * pulse]], [[0.0], [pulse**2]], [[1.0, 0.0]], [[0.0]])
    still = list(pucker.run(CLIP, params))
    swayed = list(pucker.run(CLIP, params.replace(sway=period, damping=damping)))
    away = np.zeros_like(COARSE)
    for vertex, axis in np.ndindex(COARSE.shape[1:]):
        guide = COARSE[:, vertex, axis]
        # Exact for an input on straight lines between the samples.
        _, place, _ = scipy.signal.lsim(system, guide, CLIP.times, X0=[guide[0], 0.0], interp=True)
        away[:, vertex, axis] = place - guide
    smooth = byexample.LoopSubdivision(MESH, 2).matrix
    for frame, (state, before) in enumerate(zip(swayed, still, strict=True)):
        assert np.abs(state.sway.offsets - away[frame]).max() < 1e-9
        moved = state.detail.fine_positions - before.detail.fine_positions
        assert np.abs(moved - smooth @ away[frame]).max() < 1e-9
        assert np.array_equal(state.surface.detail, before.surface.detail)
    assert np.abs(away).max() > 0.01


@pytest.mark.parametrize(("lag", "sway"), [(0.0, 0.0), (0.1, 0.0), (0.0, 0.2)])
def test_a_run_goes_on_from_its_bytes(params, lag, sway):
    run = pucker.method.start(CLIP, params.replace(lag=lag, sway=sway))
    for frame in range(5):
        run.advance(COARSE[frame], CLIP.times[frame])
    again, other = run.restored(run.save()), pickle.loads(pickle.dumps(run))
    for frame in range(5, 9):
        states = [each.advance(COARSE[frame], CLIP.times[frame]) for each in (run, again, other)]
        assert np.array_equal(states[0].surface.positions, states[1].surface.positions)
        assert np.array_equal(states[0].surface.positions, states[2].surface.positions)


def test_states_stay_as_they_are(params):
    states = list(pucker.run(CLIP, params))
    synthesis = byexample.load(params.trained).synthesis()
    for frame in (2, 9):
        assert np.array_equal(states[frame].surface.positions, synthesis.step(COARSE[frame]).positions)


@pytest.mark.parametrize("sway", [0.0, 0.35])
def test_it_is_drawn_where_it_is(params, sway):
    state = list(pucker.run(CLIP, params.replace(sway=sway)))[10]
    fine = pucker.Clip.from_arrays(FINE_MESH.faces, state.surface.positions[None], [0.0], weld=False)
    with render.ClipRenderer(CLIP, (160, 160), samples=0) as film:
        film.show(10, state)
        drawn = film.renderer.measure(film.surfaces, film.camera, render.Output.position)
        camera = film.camera
    with render.ClipRenderer(fine, (160, 160), samples=0, camera=camera) as film:
        film.show(0)
        wanted = film.renderer.measure(film.surfaces, film.camera, render.Output.position)
    # The very same triangles.
    assert np.array_equal(drawn[..., 3] > 0, wanted[..., 3] > 0)
    assert (drawn[..., 3] > 0).mean() > 0.05
    assert np.abs(drawn[..., :3] - wanted[..., :3]).max() < 1e-5


def test_it_is_baked_and_measured(params, tmp_path):
    report = bake.surface(CLIP, tmp_path / "tube.npz", params=params)
    with np.load(tmp_path / "tube.npz") as baked:
        assert baked["positions"].shape == (len(CLIP), report.vertices, 3)
    found = metrics.measure(CLIP, params)
    assert {"weights", "detail", "normals", "frame"} == found.seconds.keys()
    details = [state.surface.detail for state in pucker.run(CLIP, params)]
    expected = np.mean([np.sqrt((d**2).sum(axis=1).mean()) for d in details])
    assert found.summary["detail"] == pytest.approx(expected)
    assert found.summary["offset"] > 0
    none = metrics.measure(CLIP, params.replace(gain=0.0))
    assert none.summary["detail"] == 0.0
    with pytest.raises(ValueError, match="the method byexample has no paths"):
        metrics.measure(CLIP, params, directions=np.zeros((len(CLIP), 96, 3)))


def test_it_is_swept(params, tmp_path):
    grid = pucker.sweep.Grid({"trained": params.trained, "gain": [0.5, 1.0]}, {"tube": CLIP}, method="byexample")
    frame = pucker.sweep(grid, tmp_path / "points", quiet=True)
    assert frame["error"].isna().all()
    assert frame["detail"][1] == pytest.approx(2 * frame["detail"][0])


def test_a_sweep_runs_again_when_its_set_was_trained_anew(params, trained, tmp_path):
    own = params.replace(trained=str(tmp_path / "set.npz"))
    trained.save(own.trained)
    ids = []
    for factor in (1.0, 1.0, 0.5):
        dataclasses.replace(trained, details=factor * trained.details).save(own.trained)
        grid = pucker.sweep.Grid({"trained": own.trained}, {"tube": CLIP}, method="byexample")
        frame = pucker.sweep(grid, tmp_path / "points", quiet=True)
        ids.append(frame["id"][0])
    assert ids[0] == ids[1] != ids[2]


def test_the_widget_shows_it_and_takes_another_set(params, trained, tmp_path):
    trained.save(tmp_path / "other.npz")
    view = View(CLIP, params, size=(80, 60), frame=2)
    try:
        detailed = view.picture()
        view.mode = "base"
        assert (np.abs(detailed.astype(int) - view.picture().astype(int)).max(axis=2) > 8).mean() > 0.01
        view.panel.params["trained"].value = str(tmp_path / "other.npz")
        assert view.params == params.replace(trained=str(tmp_path / "other.npz"))
    finally:
        view.close()


def test_the_command_line_takes_it(file, tmp_path):
    clip = tmp_path / "tube_clip.npz"
    np.savez(clip, faces=MESH.faces, positions=COARSE, times=CLIP.times)
    options = ["--clip", "all", "--method", "byexample", "--trained", str(file)]
    runner = CliRunner()
    drawn = runner.invoke(
        cli, ["render", str(clip), *options, "--size", "96x96", "--json", "-o", str(tmp_path / "tube.mp4")]
    )
    assert drawn.exit_code == 0, drawn.output
    assert json.loads(drawn.stdout)["seconds"].keys() >= {"weights", "detail", "draw"}
    baked = runner.invoke(cli, ["bake", str(clip), *options, "--quiet", "-o", str(tmp_path / "tube.glb")])
    assert baked.exit_code == 0, baked.output
    without = runner.invoke(cli, ["bake", str(clip), *options[:4], "-o", str(tmp_path / "tube.glb")])
    assert without.exit_code == 2
    assert "needs a trained set" in without.output
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'method = "byexample"\n[parameters]\ntrained = {json.dumps(str(file))}\ngain = [0.5, 1.0]\n'
        f"[clips.tube]\nfile = {json.dumps(str(clip))}\n"
    )
    swept = runner.invoke(
        cli, ["sweep", str(grid), "-o", str(tmp_path / "out"), "--workers", "1", "--table", str(tmp_path / "out.csv")]
    )
    assert swept.exit_code == 0, swept.output
    assert len(pd.read_csv(tmp_path / "out.csv")) == 2


def test_without_parts_those_of_the_set_are_taken(data_dir, tmp_path):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Punch", parts=["Clothes"])
    fine = np.array([byexample.LoopSubdivision(clip.mesh, 1).matrix @ positions for positions in clip.positions[:3]])
    made = byexample.train(clip.mesh, clip.positions[:3], fine, rest=clip.rest, levels=1, poses=2).trained
    dataclasses.replace(made, parts=("Clothes",)).save(tmp_path / "set.npz")
    result = CliRunner().invoke(
        cli,
        ["bake", str(data_dir / "kimono_male.gltf"), "--clip", "Punch", "--method", "byexample",
         "--trained", str(tmp_path / "set.npz"), "--quiet", "-o", str(tmp_path / "punch.npz")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output


# --- the set that comes with pucker -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "file", "clip"),
    [("kimono", "kimono_male.gltf", "Run"), ("dress", "female_dress.fbx", "HumanArmature|Female_Run")],
)
def test_a_clip_that_was_not_learned_from_is_folded_as_draped_cloth(data_dir, name, file, clip):
    trained = byexample.load(data_dir / f"{name}.pose.npz")
    assert clip not in trained.origin.clips
    moving = pucker.load(data_dir / file, clip=clip, parts=list(trained.parts))
    rows = agreement_of_set(moving, str(data_dir / f"{name}.pose.npz"))
    bands, noise = rows["by example"], rows["noise of the same spectrum"]
    # From waves below a coarse edge to the longest; what is the same in every frame of the clip does not count for `pose`.
    assert min(band.correlation for band in bands) > 0.45
    assert bands[0].pose > 0.25
    assert min(band.pose for band in bands[2:5]) > 0.5
    assert all(0.65 < band.rms < 1.15 for band in bands)
    assert max(abs(band.pose) for band in noise) < 0.1


@pytest.mark.parametrize(
    ("name", "parts", "details", "triangles"),
    [("kimono", "Clothes", 32, 61440), ("dress", "Dress", 34, 23808)],
)
def test_the_sets_are_small_and_say_what_they_are_for(data_dir, name, parts, details, triangles):
    file = data_dir / f"{name}.pose.npz"
    assert file.stat().st_size < 3.5 * details * triangles
    trained = byexample.load(file)
    assert trained.parts == (parts,)
    assert trained.origin.simulator == "drape"
    assert len(trained.details) == details
    assert len(trained.faces) * 4**trained.levels == triangles
    page = (data_dir.parent / "docs" / "training.md").read_text(encoding="utf-8")
    origin = trained.origin
    figures = " | ".join(f"{each:.2f}" for each in (origin.correlation, origin.untaught, origin.again))
    assert f"| `{file.name}` | {len(origin.clips)} | {figures} | {file.stat().st_size / 1e6:.1f} |" in page


def test_no_crack_opens_between_garment_and_body(data_dir):
    clip = pucker.load(data_dir / "female_dress.fbx", clip="HumanArmature|Female_Run", parts=["Dress"])
    params = byexample.Params(trained=str(data_dir / "dress.pose.npz"))
    shared = clip.shared_vertices
    assert len(shared) > 20
    for sewn in (True, False):
        state = pucker.method.start(clip, params.replace(sewn=sewn)).advance(clip.positions[9], 0.0)
        moved = np.linalg.norm(state.surface.positions[shared] - clip.positions[9][shared], axis=1)
        assert (moved.max() < 1e-9) == sewn


@pytest.mark.parametrize(
    ("name", "file", "clip"),
    [("kimono", "kimono_male.gltf", "Run"), ("dress", "female_dress.fbx", "HumanArmature|Female_Run")],
)
def test_one_command_draws_it(data_dir, tmp_path, name, file, clip):
    result = CliRunner().invoke(
        cli,
        ["render", str(data_dir / file), "--clip", clip, "--method", "byexample", "--trained",
         str(data_dir / f"{name}.pose.npz"), "--frames", "3", "--size", "96x96", "--quiet", "-o", str(tmp_path / "run.png")],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
