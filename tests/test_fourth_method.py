"""A method that pucker has never heard of, all of it in the folder `ripple`, does what the others do."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import ripple
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image

import pucker
import pucker.method
from pucker import bake, compare, metrics, render
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.notebook import View
from pucker.render import Mode, Output, Style

TESTS = Path(__file__).resolve().parent
# Flat, so that what is displaced is the height over the plane z = 0.
SHEET = squeezed_sheet(6, 6, frames=7)
PARAMS = ripple.Params(amplitude=0.03, wavelength=0.4, speed=2.0)


def height_at(x, time, params=PARAMS):
    """The wave of the sheet, which is 1 high."""
    return params.amplitude * np.sin(2.0 * np.pi * (x / params.wavelength - params.speed * time))


def test_no_other_folder_knows_it():
    root = TESTS.parent
    folders = ("python", "shaders", "cpp/include", "cpp/src", "cpp/bindings", "cpp/viewer")
    texts = [path for folder in folders for path in (root / folder).rglob("*") if path.is_file()]
    assert len(texts) > 100
    assert not [path for path in texts if path.suffix != ".pyc" and b"ripple" in path.read_bytes().lower()]


def test_it_is_chosen_by_the_type_of_its_parameters():
    assert pucker.method.method_of(PARAMS).name == "ripple"
    assert pucker.method.method_of(pucker.Params()).name == "dynamic"
    assert {"dynamic", "ripple"} <= pucker.method.methods().keys()
    with pytest.raises(TypeError, match=r"params must be the parameters of a method \(.*\), got dict") as refused:
        pucker.run(SHEET, {"threshold": 1.2})
    # In the order in which they were loaded, which is not always the same.
    listed = str(refused.value).partition("(")[2].partition(")")[0].split(", ")
    assert {"ripple.Params", "pucker.Params", "pucker.drape.Params"} <= set(listed)
    with pytest.raises(ValueError, match=r"there is no method 'tides'; there are .*dynamic"):
        pucker.method.method_named("tides")


def test_names_and_parameters_belong_to_one_method():
    class Other(ripple.RippleKind):
        pass

    with pytest.raises(ValueError, match="there is a method 'ripple' with parameters Params already"):
        pucker.method.register(Other())


def test_its_states_come_frame_by_frame():
    states = list(pucker.run(SHEET, PARAMS))
    assert [state.frame for state in states] == list(range(len(SHEET)))
    np.testing.assert_array_equal([state.time for state in states], SHEET.times)
    fine = pucker.Subdivision(SHEET.mesh, 5)
    for state in states:
        points = state.detail.evaluate(fine.triangles, fine.barycentrics)
        np.testing.assert_allclose(points.positions[:, 2], height_at(points.base[:, 0], state.time), atol=1e-12)


def test_its_parameters_have_all_forms():
    assert ripple.Params.from_toml(PARAMS.to_toml()) == PARAMS
    assert pickle.loads(pickle.dumps(PARAMS)) == PARAMS
    assert PARAMS.replace(speed=0.0) != PARAMS
    assert [field.name for field in PARAMS.fields()] == ["amplitude", "wavelength", "speed"]
    for values, sentence in (
        ({"wavelength": 0.0}, r"params.wavelength \(.*\) must lie in \(0, inf\), got 0.0"),
        ({"speed": "fast"}, r"params.speed .* got 'fast'"),
        ({"depth": 1.0}, "params has no 'depth'; there are amplitude, wavelength, speed"),
    ):
        with pytest.raises(ValueError, match=sentence):
            PARAMS.replace(**values)


@pytest.mark.parametrize("frame", [0, 3])
def test_it_is_drawn_where_it_is(frame):
    (state,) = (state for state in pucker.run(SHEET, PARAMS) if state.frame == frame)
    with render.ClipRenderer(SHEET, (160, 160), view="three-quarter", samples=0) as film:
        film.show(frame, state)
        seen = film.renderer.measure(film.surfaces, film.camera, Output.position)
        x, _, z, there = (seen[..., k] for k in range(4))
        assert (there > 0).mean() > 0.2
        # Between the vertices the wave is cut short by an eighth of (2π/λ · edge)², an edge being 3/8 of λ/4, and inside of
        # triangles with sides of unlike length somewhat longer.
        exact = height_at(x[there > 0], state.time)
        np.testing.assert_allclose(z[there > 0], exact, atol=0.08 * PARAMS.amplitude)
        assert np.ptp(z[there > 0]) > 1.9 * PARAMS.amplitude

        normals = film.renderer.measure(film.surfaces, film.camera, Output.normal)[there > 0, :3]
        wave = 2.0 * np.pi / PARAMS.wavelength
        slope = PARAMS.amplitude * wave * np.cos(wave * x[there > 0] - 2.0 * np.pi * PARAMS.speed * state.time)
        wanted = np.stack([-slope, 0.0 * slope, np.ones_like(slope)], axis=1)
        wanted /= np.linalg.norm(wanted, axis=1)[:, None]
        assert np.degrees(np.arccos(np.clip(np.einsum("nd,nd->n", normals, wanted), -1.0, 1.0))).max() < 3.0


def test_its_modes_are_those_of_any_detail():
    state = list(pucker.run(SHEET, PARAMS))[2]
    with render.ClipRenderer(SHEET, (160, 160), samples=0) as film:
        found = {}
        for mode in Mode:
            film.show(2, state, mode=mode)
            places = film.renderer.measure(film.surfaces, film.camera, Output.position, Style(mode=mode))
            normals = film.renderer.measure(film.surfaces, film.camera, Output.normal, Style(mode=mode))
            there = places[..., 3] > 0
            found[mode] = np.ptp(places[there, 2]) > 0.01, normals[there, 2].min() < 0.99
    assert found == {
        Mode.base: (False, False),
        Mode.normals: (False, True),
        Mode.displacement: (True, False),
        Mode.both: (True, True),
        # Without shaders of its own it is divided, and has no height in each pixel: as NORMALS.
        Mode.parallax: (False, True),
    }


def test_videos_and_runs_side_by_side(tmp_path):
    assert render.video(SHEET, tmp_path / "one.mp4", params=PARAMS, size=(64, 64)) == len(SHEET)
    runs = {"mesh": None, "ours": pucker.Params(), "ripple": PARAMS}
    assert render.side_by_side(SHEET, tmp_path / "three.mp4", runs, size=(64, 64)) == len(SHEET)
    assert count_frames_and_secs(str(tmp_path / "three.mp4"))[0] == len(SHEET)


def test_a_picture_of_it_is_another_one():
    state = list(pucker.run(SHEET, PARAMS))[2]
    with render.ClipRenderer(SHEET, (120, 120)) as film:
        plain, wavy, again = film.frame(2), film.frame(2, state), film.frame(2)
    np.testing.assert_array_equal(plain, again)
    assert (np.abs(plain.astype(int) - wavy.astype(int)).max(axis=2) > 8).mean() > 0.1


def test_it_is_baked(tmp_path):
    report = bake.surface(SHEET, tmp_path / "sheet.npz", params=PARAMS)
    with np.load(tmp_path / "sheet.npz") as baked:
        positions = baked["positions"]
    assert positions.shape == (len(SHEET), report.vertices, 3)
    for moment, points in zip(SHEET.times, positions, strict=True):
        np.testing.assert_allclose(points[:, 2], height_at(points[:, 0], moment), atol=1e-6)


def test_its_maps_hold_heights_of_both_signs(tmp_path):
    corners = SHEET.positions[0, :, :2]
    clip = pucker.Clip.from_arrays(SHEET.faces, SHEET.positions, SHEET.times, uv=corners, weld=False)
    report = bake.maps(clip, tmp_path / "maps", params=PARAMS, kinds=["height"], size=50, padding=0)
    facts = json.loads((tmp_path / "maps" / "maps.json").read_text())
    assert (facts["height_scale"], facts["height_zero"]) == (2 * PARAMS.amplitude, -PARAMS.amplitude)
    assert report.height_scale == 2 * PARAMS.amplitude
    with Image.open(tmp_path / "maps" / "height_0000.png") as image:
        texels = np.asarray(image, dtype=np.float64) / 65535.0
    heights = facts["height_zero"] + facts["height_scale"] * texels
    x = (np.arange(50) + 0.5) / 50
    np.testing.assert_allclose(heights, np.broadcast_to(height_at(x, 0.0), heights.shape), atol=1e-6)


def test_it_is_measured_by_its_own_measures_and_those_of_any_surface():
    found = metrics.measure(SHEET, PARAMS)
    assert found.summary["wave_height"] == PARAMS.amplitude
    # The root mean square of a sine.
    assert found.summary["offset"] == pytest.approx(PARAMS.amplitude / np.sqrt(2.0), rel=0.1)
    assert {"frame", "ripple"} == found.seconds.keys()
    with pytest.raises(ValueError, match="the method ripple has no paths"):
        metrics.measure(SHEET, PARAMS, directions=np.zeros((7, 72, 3)))


def test_it_is_swept(tmp_path):
    grid = pucker.sweep.Grid({"amplitude": [0.01, 0.02], "speed": 0.0}, {"sheet": SHEET}, method="ripple")
    frame = pucker.sweep(grid, tmp_path / "points", quiet=True)
    assert frame["error"].isna().all()
    np.testing.assert_allclose(frame["wave_height"], frame["amplitude"])
    assert set(frame["method"]) == {"ripple"}
    with pytest.raises(ValueError, match="threshold is a parameter of dynamic, but the grid's method is ripple"):
        pucker.sweep.Grid({"threshold": [1.2]}, {"sheet": SHEET}, method="ripple")
    with pytest.raises(ValueError, match=r"the method ripple has no seed, but seeds are \[1\]"):
        pucker.sweep.Grid({}, {"sheet": SHEET}, [1], method="ripple")


def test_workers_of_a_sweep_know_it_too(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(TESTS), prepend=os.pathsep)
    grid = pucker.sweep.Grid({"amplitude": [0.01, 0.02]}, {"sheet": SHEET}, method="ripple")
    frame = pucker.sweep(grid, tmp_path / "points", quiet=True, workers=2)
    assert frame["error"].isna().all()


def test_it_is_compared_with_the_dynamic_method():
    fine = bending_sleeve(18, 24, frames=5)
    coarse = compare.coarsen(fine, 300)
    surfaces = compare.surfaces_of(PARAMS) | {"dynamic": pucker.Params(min_width=compare.narrowest_fold(fine))}
    rows = list(compare.compare(fine, coarse, surfaces, every=2))
    assert {row.surface for row in rows} == {"coarse", "ours", "dynamic"}
    by_name = {name: np.array([row.distance for row in rows if row.surface == name]) for name in surfaces}
    # A wave of 3 % of the height is no fold of the sleeve.
    assert (by_name["ours"] > by_name["coarse"] + 0.01).all()


def test_the_widget_shows_it():
    view = View(SHEET, PARAMS, size=(80, 60), frame=2)
    try:
        wavy = view.picture()
        view.mode = "base"
        assert (np.abs(wavy.astype(int) - view.picture().astype(int)).max(axis=2) > 8).mean() > 0.05
        view.panel.params["amplitude"].value = 0.05
        assert view.params == PARAMS.replace(amplitude=0.05)
        assert view.snapshot.state.detail.amplitude == 0.05
        assert view.pick(40, 30) is not None
        assert [name for name, _ in view.selected.rows()] == ["triangle"]
    finally:
        view.close()


def pucker_command(*arguments):
    """The command line in a process of its own, which finds the folder of the method among its modules."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    return subprocess.run(
        [sys.executable, "-c", "from pucker.cli import main; main()", *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def skirt(data_dir):
    return [data_dir / "kyonshi_lower.md3", "--clip", "115:117", "--parts", "l_lower,l_dress", "--method", "ripple"]


def test_the_command_line_draws_and_bakes_it(skirt, tmp_path):
    file = tmp_path / "waves.toml"
    file.write_text("amplitude = 0.02\nwavelength = 0.3\n")
    options = ["--params", file, "--set", "speed=0", "--json"]
    drawn = pucker_command("render", *skirt, *options, "--size", "96x96", "-o", tmp_path / "skirt.mp4")
    assert drawn.returncode == 0, drawn.stderr
    assert json.loads(drawn.stdout)["seconds"].keys() >= {"ripple", "draw"}
    assert count_frames_and_secs(str(tmp_path / "skirt.mp4"))[0] == 5
    baked = pucker_command("bake", *skirt, *options, "--quiet", "-o", tmp_path / "skirt.npz")
    assert baked.returncode == 0, baked.stderr
    with np.load(tmp_path / "skirt.npz") as content:
        assert len(content["faces"]) > 1000


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--set", "threshold=1.3"], "params has no 'threshold'; there are amplitude, wavelength, speed"),
        (["--set", "wavelength=0"], "params.wavelength"),
    ],
)
def test_the_command_line_refuses_what_it_does_not_have(skirt, tmp_path, options, sentence):
    result = pucker_command("bake", *skirt, *options, "-o", tmp_path / "skirt.npz")
    assert result.returncode == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


def test_the_command_line_exports_nothing_where_there_is_nothing(skirt, tmp_path):
    result = pucker_command("export", *skirt, "-o", tmp_path / "paths.csv")
    assert result.returncode == 2
    assert "the method ripple has nothing to export" in result.stderr


def test_the_command_line_sweeps_it(data_dir, tmp_path):
    grid = tmp_path / "grid.toml"
    file = json.dumps(str(data_dir / "kyonshi_lower.md3"))
    grid.write_text(
        f'method = "ripple"\n[parameters]\namplitude = [0.01, 0.02]\n'
        f'[clips.skirt]\nfile = {file}\nclip = "115:117"\nparts = ["l_dress"]\n'
    )
    result = pucker_command("sweep", grid, "-o", tmp_path / "out", "--workers", "1", "--table", tmp_path / "out.csv")
    assert result.returncode == 0, result.stderr
    rows = pd.read_csv(tmp_path / "out.csv")
    assert set(rows["method"]) == {"ripple"}
    assert len(rows) == 2
