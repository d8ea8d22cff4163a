"""The commands with `--method waves`, whose words, measures and files are the method's own."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import ripple
from click.testing import CliRunner, Result
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image
from scipy.spatial import cKDTree

import pucker
from pucker import compare, waves
from pucker.cli import cli
from pucker.method import method_named


def call(*arguments: object) -> Result:
    return CliRunner().invoke(cli, list(map(str, arguments)), prog_name="pucker")


@pytest.fixture(scope="module")
def skirt(data_dir: Path) -> list[str]:
    file = data_dir / "kyonshi_lower.md3"
    return [
        str(file),
        "--clip",
        "115:119",
        "--parts",
        "l_lower,l_dress",
        "--method",
        "waves",
        "--fps",
        "15",
        "--smooth",
        "0",
    ]


@pytest.fixture(scope="module")
def clip(data_dir: Path) -> pucker.Clip:
    return pucker.load(data_dir / "kyonshi_lower.md3", clip="115:119", parts=["l_lower", "l_dress"], fps=15)


def waved(clip: pucker.Clip) -> list[int]:
    """How many vertices have a wave, frame by frame."""
    states = pucker.run(clip, waves.Params())
    return [int(np.count_nonzero(state.waves.amplitudes)) for state in states]


def test_render_says_how_many_vertices_have_waves_and_nothing_of_wrinkles(skirt, clip, tmp_path):
    result = call("render", *skirt, "--size", "96x96", "-o", tmp_path / "skirt.mp4")
    assert result.exit_code == 0, result.output
    assert count_frames_and_secs(str(tmp_path / "skirt.mp4"))[0] == len(clip)
    assert f"{len(clip)} frames, {np.mean(waved(clip)):.1f} waved vertices a frame" in result.stdout.splitlines()
    assert "wrinkles" not in result.stdout
    content = json.loads(
        call("render", *skirt, "--json", "--quiet", "--frames", "2", "--size", "96x96", "-o", tmp_path / "a.png").stdout
    )
    assert content["waved_vertices"] == np.mean(waved(clip)[:3])
    assert content.keys() == {"triangles", "frames", "drawn", "waved_vertices", "seconds", "files"}
    assert content["seconds"].keys() == {"crush", "relax", "packing", "draw", "encode"}


def test_waves_are_seen_and_follow_their_parameters(skirt, tmp_path):
    def picture(name: str, *options: str) -> np.ndarray:
        path = tmp_path / f"{name}.png"
        result = call(
            "render",
            *skirt,
            "--frames",
            "3",
            "--size",
            "160x160",
            "--quiet",
            "--set",
            "crush.threshold=1",
            *options,
            "-o",
            path,
        )
        assert result.exit_code == 0, result.output
        return np.asarray(Image.open(path), dtype=np.int64)

    plain, wavy = picture("plain", "--mode", "base"), picture("wavy")
    seeded, pencil = (
        picture("seeded", "--set", "relax.start=random", "--set", "seed=3"),
        picture("p", "--set", "profile=pencil"),
    )
    for one, other in ((plain, wavy), (wavy, seeded), (wavy, pencil)):
        assert (np.abs(one - other).max(axis=2) > 8).mean() > 0.005
    np.testing.assert_array_equal(wavy, picture("again"))


def test_bake_writes_the_displaced_surface(skirt, clip, tmp_path):
    baked = call("bake", *skirt, "--levels", "3", "--quiet", "-o", tmp_path / "skirt.npz")
    assert baked.exit_code == 0, baked.output
    states = list(pucker.run(clip, waves.Params()))
    with np.load(tmp_path / "skirt.npz") as content:
        positions = content["positions"]
    assert len(positions) == len(clip)
    # The corners of the mesh are among the points; each is where the field has moved it.
    for state, points in zip(states, positions, strict=True):
        corners = state.detail.evaluate(
            np.arange(len(clip.faces)), np.tile([1.0, 0, 0], (len(clip.faces), 1))
        ).positions
        distances, _ = cKDTree(points).query(corners)
        assert distances.max() < 1e-5 * clip.height
    maps = call(
        "bake", *skirt, "--maps", "height,normal", "--map-size", "64", "--overlap", "first", "-o", tmp_path / "m"
    )
    assert maps.exit_code == 0, maps.output
    facts = json.loads((tmp_path / "m" / "maps.json").read_text())
    # Waves go both ways.
    assert facts["height_zero"] < 0 < facts["height_zero"] + facts["height_scale"]


def test_export_has_no_paths(skirt, tmp_path):
    result = call("export", *skirt, "-o", tmp_path / "paths.csv")
    assert result.exit_code == 2
    assert result.stderr == "pucker: the method waves has nothing to export\n"


def test_sweep_writes_the_measures_of_waves(data_dir, clip, tmp_path):
    grid = tmp_path / "grid.toml"
    grid.write_text(
        f'method = "waves"\nseeds = [0, 1]\n[parameters]\nwavelength = [0.05, 0.1]\n'
        f'[clips.skirt]\nfile = {json.dumps(str(data_dir / "kyonshi_lower.md3"))}\nclip = "115:119"\nfps = 15\n'
        'parts = ["l_lower", "l_dress"]\n'
    )
    result = call(
        "sweep", grid, "-o", tmp_path / "out", "--workers", "1", "--table", tmp_path / "out.csv", "--no-surface"
    )
    assert result.exit_code == 0, result.output
    rows = pd.read_csv(tmp_path / "out.csv")
    assert len(rows) == 4
    assert set(rows["method"]) == {"waves"}
    states = list(pucker.run(clip, waves.Params(wavelength=0.05)))
    row = rows[np.isclose(rows["wavelength"], 0.05 * clip.height) & (rows["seed"] == 0)].iloc[0]
    assert row["phase_error"] == pytest.approx(np.mean([np.sqrt(state.energy) for state in states]))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--set", "threshold=1.3"], "params has no 'threshold'"),
        (
            ["--set", "wavelength=0"],
            "params.wavelength (wavelength in the rest pose, in `unit`) must lie in (0, inf), got 0",
        ),
        (["--set", "profile=zigzag"], "params.profile must be one of cosine, accordion, pencil, got 'zigzag'"),
    ],
)
def test_what_waves_do_not_have_is_refused_in_one_sentence(skirt, tmp_path, options, sentence):
    result = call("render", *skirt, *options, "-o", tmp_path / "a.mp4")
    assert result.exit_code == 2
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


# --- compare ------------------------------------------------------------------------------------------------------


def test_compare_shows_both_methods_in_one_table(data_dir, tmp_path):
    shirt = [data_dir / "tshirt_wind.zip", "--clip", "60:63@90", "--fps", 90, "--triangles", 300, "--every", 3]
    result = call("compare", *shirt, "--beside", "waves", "--json", "--quiet", "-o", tmp_path)
    assert result.exit_code == 0, result.output
    found = {line["surface"]: line for line in json.loads(result.stdout)}
    fine = pucker.load(data_dir / "tshirt_wind.zip", clip="60:63@90", fps=90)
    width = compare.fold_width(fine)
    assert list(found) == list(
        compare.surfaces_of(pucker.Params(min_width=width / np.pi), waves.Params(wavelength=width, unit="clip"))
    )
    assert {"coarse", "ours", "verbatim", "waves"} <= found.keys()
    # Waves have no paths to count or to follow; the coarse mesh has none because it has no wrinkles.
    assert found["waves"]["wrinkles"] is found["waves"]["direction"] is None
    assert found["coarse"]["wrinkles"] == 0
    assert all(found["waves"][name] >= 0 for name in compare.MEASURES if name != "direction")
    page = (tmp_path / "index.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("| waves |"))
    assert line.split("|")[2].strip() == "–"
    assert f"a wavelength of {width:.4g}" in page


def test_names_that_two_methods_share_are_followed_by_the_second_ones():
    both = compare.surfaces_of(pucker.Params(), ripple.Params())
    assert list(both) == ["coarse", "ours", "ours, no slenderness", "verbatim", "ours (ripple)"]
    assert both["ours (ripple)"] == ripple.Params()
    with pytest.raises(ValueError, match="compared by their names, but dynamic is given twice"):
        compare.surfaces_of(pucker.Params(), pucker.Params())


@pytest.mark.parametrize(
    ("method", "named", "expected"),
    [
        ("waves", [], {"wavelength": 2.0, "unit": "clip"}),
        ("waves", ["wavelength"], {}),
        ("waves", ["profile"], {"wavelength": 2.0, "unit": "clip"}),
        ("dynamic", [], {"min_width": 2.0 / np.pi}),
        ("dynamic", ["relative_width"], {}),
        ("dynamic", ["min_width"], {}),
    ],
)
def test_folds_are_as_wide_as_told_unless_named(method, named, expected):
    assert method_named(method).folds_of_width(2.0, named) == expected
