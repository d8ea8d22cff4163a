"""The command line, end to end."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from click.testing import CliRunner, Result
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image

import pucker
from pucker import render
from pucker.cli import cli, demo
from pucker.cli.choices import method_with
from pucker.examples import squeezed_sheet

COWBOY_CLOTH = "joint:Torso,joint:Chest,joint:Upper_Arm_*,joint:Lower_Arm_*,joint:Upper_Leg_*,joint:Lower_Leg_*"
# File, options that choose the clip and the cloth.
CHARACTERS = {
    "kimono_male.gltf": ["--clip", "Walk", "--parts", "Clothes,Band"],
    "kyonshi_lower.md3": ["--clip", "115:123", "--parts", "l_lower,l_dress"],
    "kyonshi_upper.md3": ["--clip", "95:131", "--parts", "u_torso,u_sleeve"],
    "mage.glb": ["--clip", "Walking_A", "--parts", "Mage_Body,Mage_ArmLeft,Mage_ArmRight"],
    "female_dress.fbx": ["--clip", "HumanArmature|Female_Walk", "--parts", "Dress"],
    "cowboy.dae": ["--parts", COWBOY_CLOTH],
    "tshirt_wind.zip": ["--clip", "0:20"],
}


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="pucker")


def failure_of(*arguments: str | Path) -> str:
    """The one sentence of a call that must fail with status 2."""
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stderr.startswith("pucker: ")
    return result.stderr


def kimono(data_dir: Path) -> list[str]:
    return [str(data_dir / "kimono_male.gltf"), *CHARACTERS["kimono_male.gltf"]]


def sheet_row(path: Path, row: int, *, cell: int) -> npt.NDArray[np.int64]:
    """The pictures of a row of a contact sheet of three rows and six columns of cells of that height."""
    pixels = np.asarray(Image.open(path), dtype=np.int64)
    gap, width = cell // 80, cell * 3 // 4
    top = len(pixels) - (3 - row) * (cell + gap)
    left = pixels.shape[1] - 6 * (width + gap)
    return pixels[top : top + cell, left : left + 6 * (width + gap) - gap]


def changed(before: npt.NDArray[np.int64], after: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
    """Pixels that differ clearly."""
    return np.abs(after - before).max(axis=2) > 12


def test_help_and_version_need_no_file() -> None:
    assert {"demo", "render", "info"} <= set(call("--help").output.split())
    version = r"\d+\.\d+\.\d+\S*"
    inside = ", ".join(f"{re.escape(name)} {version}" for name in pucker.libraries())
    assert re.fullmatch(
        rf"pucker {version} with {inside}; Python {version}, NumPy {version}\n", call("--version").output
    )
    assert {"assimp", "libzip", "maxflow"} <= set(pucker.libraries())


def test_the_installed_module_runs_as_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "info", str(tmp_path / "none.gltf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "none.gltf" in done.stderr
    assert "Traceback" not in done.stderr


def test_warnings_are_sentences_as_errors_are() -> None:
    program = "from pucker import cli; import warnings; cli.cli = lambda **_: warnings.warn('a\\nb'); cli.main()"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "pucker: a b\n")


def test_unknown_clip_lists_those_there_are(data_dir: Path, tmp_path: Path) -> None:
    message = failure_of("render", data_dir / "kimono_male.gltf", "--clip", "Waltz", "-o", tmp_path / "a.mp4")
    assert "Waltz" in message
    assert "Walk_Carry" in message


@pytest.mark.parametrize(("asked", "named"), [("Pick", True), ("walk_", True), ("Fly", False)])
def test_a_part_of_a_clip_s_name_is_told_to_be_one(asked: str, named: bool, data_dir: Path, tmp_path: Path) -> None:
    kimono = data_dir / "kimono_male.gltf"
    for arguments in (["train", kimono, "--clips", asked, "-o", tmp_path / "a.npz"], ["info", kimono, "--clip", asked]):
        told = failure_of(*arguments)
        assert "there are: Death, Defeat, Idle" in told
        assert ("a clip is named by its whole name, or by all that follows its last '|'" in told) == named


def test_a_file_without_triangles_says_so(tmp_path: Path) -> None:
    points = tmp_path / "points.npz"
    np.savez(points, faces=np.zeros((0, 3), int), positions=np.ones((3, 5, 3)) * np.arange(3)[:, None, None])
    told = f"{points} has no triangle, at most points or lines, and only triangles wrinkle\n"
    for command, output in (("render", "a.mp4"), ("bake", "a.glb"), ("page", "a.html"), ("train", "b.npz")):
        assert failure_of(command, points, "-o", tmp_path / output) == f"pucker: {told}"
    assert call("info", points).stdout.endswith(told)


def test_unknown_part_lists_those_there_are(data_dir: Path) -> None:
    message = failure_of("info", data_dir / "kimono_male.gltf", "--clip", "Walk", "--parts", "Clothes,Cape")
    assert "Cape" in message
    assert "Band" in message


def test_damaged_file_is_named(tmp_path: Path) -> None:
    broken = tmp_path / "broken.md3"
    broken.write_bytes(b"IDP3" + bytes(20))
    assert "broken.md3" in failure_of("info", broken)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--set", "threshold=-1"),
        ("--set", "threshold=nan"),
        ("--set", "relative_width=0"),
        ("--fps", "0"),
        ("--loops", "0"),
    ],
)
def test_numbers_out_of_range_are_told(option: str, value: str, data_dir: Path, tmp_path: Path) -> None:
    failure_of("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", option, value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", ["1280", "0x0", "321x180", "320x181", "axb"])
def test_sizes_a_video_cannot_have_are_refused(size: str, data_dir: Path, tmp_path: Path) -> None:
    result = call("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", "--size", size)
    assert result.exit_code == 2
    assert "--size" in result.stderr


def test_output_must_be_a_video_in_a_folder_that_exists(data_dir: Path, tmp_path: Path) -> None:
    assert "a.txt" in failure_of("render", *kimono(data_dir), "-o", tmp_path / "a.txt")
    assert "nowhere" in failure_of("render", *kimono(data_dir), "-o", tmp_path / "nowhere" / "a.mp4")
    assert "b.bmp" in failure_of("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", "--sheet", tmp_path / "b.bmp")


def test_failure_in_the_middle_leaves_no_file(data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Tiring(pucker.Wrinkler):
        def advance(self, positions: npt.ArrayLike, time: float) -> pucker.State:
            if time > 0.2:
                raise pucker.Error("tired at last")
            return super().advance(positions, time)

    monkeypatch.setattr("pucker.dynamic.method.Wrinkler", Tiring)
    sizes = ["--size", "160x90", "--smooth", "0", "--sheet", str(tmp_path / "a.png")]
    words = ["render", *kimono(data_dir), "--method", "dynamic", "-o", tmp_path / "a.mp4", *sizes]
    assert "tired at last" in failure_of(*words)
    assert list(tmp_path.iterdir()) == []


# As the library has it where nothing is said.
PLAIN = ["--focus", "cloth", "--smooth", "0"]
FAST = ["--fps", "6", "--size", "64x48", *PLAIN, "--quiet"]


def picture(data_dir: Path, output: Path, *options: str) -> npt.NDArray[np.uint8]:
    """Frame 5 as it is drawn with some options."""
    result = call("render", *kimono(data_dir), "-o", output, "--frames", "5", *FAST, *options)
    assert result.exit_code == 0, result.output
    with Image.open(output) as image:
        return np.asarray(image)


def test_a_picture_is_what_python_draws(data_dir: Path, tmp_path: Path) -> None:
    camera = render.Camera.orbit((0.0, 2.0, 0.0), 5.0, 60.0, 20.0)
    camera.to_json(tmp_path / "camera.json")
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=6.0)
    params = pucker.Params().for_height(clip.height)
    wrinkler = pucker.Wrinkler(clip, params)
    states = [wrinkler.advance(frame.positions, frame.time) for frame in clip]
    looks: list[tuple[list[str], dict[str, Any], dict[str, Any]]] = [
        ([], {}, {}),
        (["--view", "back", "--mode", "base"], {"view": "back"}, {"mode": "base"}),
        (
            ["--view", "-40,30", "--overlays", "paths,labels"],
            {"view": (-40.0, 30.0)},
            {"overlays": ["paths", "labels"]},
        ),
        (["--camera", str(tmp_path / "camera.json"), "--transparent"], {"camera": camera}, {"alpha": True}),
    ]
    for options, of_renderer, of_frame in looks:
        with render.ClipRenderer(clip, (64, 48), params=params, frames=(5, 5), **of_renderer) as renderer:
            expected = renderer.frame(5, states[5], **of_frame)
        np.testing.assert_array_equal(picture(data_dir, tmp_path / "a.png", "--method", "dynamic", *options), expected)


def test_a_folder_gets_a_picture_of_each_frame(data_dir: Path, tmp_path: Path) -> None:
    render.Camera.orbit((0.0, 2.0, 0.0), 5.0, 60.0, 20.0).to_json(tmp_path / "camera.json")
    seen = ["--camera", str(tmp_path / "camera.json"), "--transparent"]
    result = call("render", *kimono(data_dir), "-o", tmp_path / "walk", "--frames", "2:5", *FAST, *seen)
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in (tmp_path / "walk").iterdir()) == [f"frame_000{k}.png" for k in (2, 3, 4, 5)]
    alone = picture(data_dir, tmp_path / "alone.png", *seen)
    assert alone.shape == (48, 64, 4)
    with Image.open(tmp_path / "walk" / "frame_0005.png") as image:
        np.testing.assert_array_equal(np.asarray(image), alone)


@pytest.mark.parametrize(
    ("output", "options", "told"),
    [
        ("a.png", [], "--frames says which"),
        ("a.jpg", ["--frames", "2:3"], "--frames says which"),
        ("a.mp4", ["--transparent"], "cannot be transparent"),
        ("a.png", ["--frames", "99"], r"--frames must lie in \[0, 8\), not 99: the clip has 8 frames"),
        ("a.mp4", ["--overlays", "path"], "overlays must be of .*paths.*, not 'path'"),
        ("a.mp4", ["--view", "below"], "below"),
        (
            "a.mp4",
            ["--set", "tracing.min_lenth=3"],
            "no method has 'tracing.min_lenth' .did you mean 'tracing.min_length'",
        ),
        (
            "a.mp4",
            ["--method", "dynamic", "--set", "tracing.min_lenth=3"],
            "params has no 'tracing.min_lenth' .did you mean 'min_length'.*there are",
        ),
        (
            "a.mp4",
            ["--set", "threshold=1.1", "--set", "levels=2"],
            "no method has all that is named: levels is of drape, threshold is of dynamic",
        ),
        (
            "a.mp4",
            ["--overlays", "labels,hold"],
            "no method has all that is named: hold is of drape, labels is of dynamic",
        ),
        (
            "a.mp4",
            ["--method", "waves", "--overlays", "labels"],
            "overlays of waves must be of reached, wireframe, tessellation, not 'labels'",
        ),
        ("a.mp4", ["--set", "threshold=0.5"], "threshold .* got 0.5"),
        ("a.png", ["--method", "none"], "there is no method 'none'"),
        ("a.mp4", ["--set", "min_width=0.1", "--set", "relative_width=0.1"], "cannot both be given"),
        ("a.mp4", ["--set", "relative_width=wide"], "relative_width must be a number, got 'wide'"),
    ],
)
def test_what_cannot_be_drawn_is_told(
    output: str, options: list[str], told: str, data_dir: Path, tmp_path: Path
) -> None:
    assert re.search(told, failure_of("render", *kimono(data_dir), "-o", tmp_path / output, *FAST, *options))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--frames", "5:4"], "5:4 holds no frame"),
        (["--frames", "some"], "is not FIRST:LAST"),
        (["--set", "threshold"], "is not NAME=VALUE"),
        (["--set", "seed=1", "--set", "seed=2"], "seed is given twice"),
        (["--set", "trained=a.npz", "--trained", "b.npz"], "trained is given twice"),
        (["--view", "top", "--camera", __file__], "cannot both be given"),
        (["--params", "none.toml"], "none.toml"),
    ],
)
def test_options_that_make_no_sense_are_told(options: list[str], told: str, data_dir: Path, tmp_path: Path) -> None:
    result = call("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", *options)
    assert result.exit_code == 2
    assert told in result.stderr


@pytest.mark.parametrize("option", ["--motion", "--camera", "--params"])
def test_a_file_that_is_none_is_told_in_one_sentence(option: str, data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name, told in (("folder", "is a folder, not a file"), ("missing", "cannot be opened")):
        file = tmp_path / name
        options = ["-o", tmp_path / "a.mp4", option, file]
        assert f"{option} {file} {told}" in failure_of("render", data_dir / "kimono_male.gltf", *options)


def test_parameters_come_from_a_file_then_from_names(data_dir: Path, tmp_path: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=6.0)
    params = pucker.Params(min_width=0.01 * clip.height, threshold=1.1, shape={"profile": "arcs"})
    whole, part = tmp_path / "whole.toml", tmp_path / "part.toml"
    whole.write_text(params.to_toml())
    part.write_text("threshold = 1.3\nrelative_width = 0.01\n")
    for options, expected in (
        (["--params", whole], params),
        (["--params", part, "--set", "threshold=1.1", "--set", "shape.profile=arcs"], params),
        (["--params", whole, "--set", "relative_width=0.02"], params.replace(min_width=0.02 * clip.height)),
        (["--set", "tracing.min_length=5"], pucker.Params(min_width=0.04 * clip.height, tracing={"min_length": 5})),
    ):
        output = tmp_path / "paths.csv"
        result = call("export", *kimono(data_dir), "-o", output, "--fps", "6", "--smooth", "0", "--quiet", *options)
        assert result.exit_code == 0, result.output
        pd.testing.assert_frame_equal(
            pd.read_csv(output), pucker.export.table(clip, params=expected), check_dtype=False, rtol=0.0
        )


def test_parameters_that_are_no_toml_are_told(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("threshold = ")
    assert "a.toml is not TOML" in failure_of(
        "export", *kimono(data_dir), "-o", tmp_path / "a.csv", "--params", tmp_path / "a.toml"
    )


def test_a_character_is_no_sweep_file(tmp_path: Path) -> None:
    (tmp_path / "a.fbx").write_bytes(bytes(range(128, 256)))
    told = failure_of("sweep", tmp_path / "a.fbx", "-o", tmp_path / "out")
    assert told.rstrip().endswith("a.fbx is not TOML: it is no text")


def test_a_sweep_takes_parameters_by_name(tmp_path: Path) -> None:
    np.savez(tmp_path / "sheet.npz", **archive(pucker.examples.folded_sheet(6, 6, frames=4)))
    grid = tmp_path / "grid.toml"
    grid.write_text('[parameters]\nthreshold = [1.1, 1.2]\nmin_width = 0.05\n[clips.sheet]\nfile = "sheet.npz"\n')
    options = ["--set", "threshold=[1.3, 1.4, 1.5]", "--set", "relative_width=0.02", "--workers", "1", "--no-surface"]
    result = call("sweep", grid, "-o", tmp_path / "points", "--quiet", "--json", *options)
    assert result.exit_code == 0, result.output
    rows = json.loads(result.stdout)
    assert [row["threshold"] for row in rows] == [1.3, 1.4, 1.5]
    assert {row["relative_width"] for row in rows} == {0.02}


def archive(clip: pucker.Clip) -> dict[str, npt.NDArray[Any]]:
    return {"faces": clip.faces, "positions": clip.positions, "times": clip.times}


def test_demo_writes_video_and_sheet_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "results"
    result = call("demo", "-o", out, "--size", "320x180")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in out.iterdir()) == ["demo.mp4", "demo.png"]
    # Two rounds of 0.875 s at 30 frames per second, both ends shown.
    assert count_frames_and_secs(str(out / "demo.mp4"))[0] == 53
    for expected in (r"draw +\d+\.\d+ ms a frame", r"encode +\d", r"53 frames", r"demo\.mp4", r"demo\.png"):
        assert re.search(expected, result.output)


def test_demo_has_a_row_for_each_method_and_by_example_only_with_its_set(data_dir: Path) -> None:
    coarse = demo.clip()
    assert list(demo.rows(coarse, None)) == ["draped", "waves", "dynamic"]
    methods = demo.rows(coarse, data_dir / "kimono.pose.npz")
    assert list(methods) == ["draped", "by example", "waves", "dynamic"]
    # A set of by example is of the file's mesh.
    assert [len(shown.faces) // len(coarse.faces) for shown, _ in methods.values()] == [4, 1, 4, 4]
    assert {len(shown.body_faces) // len(coarse.body_faces) for shown, _ in methods.values()} == {4}
    frames = demo.columns(len(coarse))
    assert min(frames) >= len(coarse) / 2 - 1
    assert max(frames) < len(coarse)
    assert len(set(frames)) == 4


def test_rendered_characters_are_whole_in_all_frames(data_dir: Path, tmp_path: Path) -> None:
    small = ["--clip", "Run", "--parts", "Clothes", "--fps", "10", "--size", "160x120", "--quiet"]
    assert call("render", data_dir / "kimono_male.gltf", *small, "-o", tmp_path).exit_code == 0
    pictures = [np.asarray(Image.open(path)) for path in sorted(tmp_path.iterdir())]
    assert len(pictures) > 8
    for picture in pictures:
        frame = np.concatenate([picture[0], picture[-1], picture[:, 0], picture[:, -1]])
        assert (frame == picture[0, 0]).all()


def test_the_frames_that_are_drawn_fill_the_picture(data_dir: Path, tmp_path: Path) -> None:
    # Of the clip the first frames lie, the last ones stand.
    options = ["--clip", "Death", "--parts", "Clothes", "--fps", "10", "--size", "160x120", "--quiet"]
    for frames in ("0", "4:5"):
        folder = tmp_path / frames.replace(":", "-")
        result = call("render", data_dir / "kimono_male.gltf", *options, "--frames", frames, "-o", folder)
        assert result.exit_code == 0, result.output
        shown = np.any([(p := np.asarray(Image.open(each))) != p[0, 0] for each in folder.iterdir()], axis=(0, 3))
        high, wide = np.flatnonzero(shown.any(axis=1)), np.flatnonzero(shown.any(axis=0))
        assert max((high[-1] - high[0]) / 120, (wide[-1] - wide[0]) / 160) > 0.88


def test_demo_refuses_a_width_that_two_pictures_cannot_share(tmp_path: Path) -> None:
    result = call("demo", "-o", tmp_path, "--size", "322x180")
    assert result.exit_code == 2
    assert "two pictures beside each other need a width that 4 divides, not 322" in " ".join(result.output.split())


def test_wrinkles_are_seen(data_dir: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    short = ["--set", "tracing.min_length=4", "--set", "shape.slenderness=4"]
    choices = [
        "--fps",
        "15",
        "--size",
        "640x360",
        "--set",
        "relative_width=0.015",
        *short,
        "--sheet",
        str(sheet),
        "--quiet",
    ]
    result = call("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", *choices)
    assert (result.exit_code, result.output) == (0, "")
    plain, labelled, wrinkled = (sheet_row(sheet, row, cell=240) for row in range(3))
    # Labels tint the garment and nothing else.
    garment = changed(plain, labelled)
    assert 0.05 < garment.mean() < 0.6
    assert changed(plain, wrinkled)[garment].mean() > 0.02
    # Beside it only wrinkles on the silhouette, which stand out of it.
    assert changed(plain, wrinkled)[~garment].mean() < 0.01


def ten_a_second(name: str, data_dir: Path) -> pucker.Clip:
    options = dict(zip(CHARACTERS[name][::2], CHARACTERS[name][1::2], strict=True))
    parts = options["--parts"].split(",") if "--parts" in options else None
    return pucker.load(data_dir / name, clip=options.get("--clip"), parts=parts, fps=10.0)


@pytest.mark.parametrize("name", CHARACTERS)
def test_every_character_can_be_rendered(name: str, data_dir: Path, tmp_path: Path) -> None:
    video = tmp_path / "a.mp4"
    result = call("render", data_dir / name, *CHARACTERS[name], "-o", video, "--fps", "10", "--size", "160x90")
    assert result.exit_code == 0, result.output
    clip = ten_a_second(name, data_dir)
    assert count_frames_and_secs(str(video))[0] == len(clip)
    assert list(tmp_path.iterdir()) == [video]


@pytest.mark.parametrize("name", CHARACTERS)
def test_info_lists_what_can_be_chosen(name: str, data_dir: Path) -> None:
    result = call("info", data_dir / name, "--json")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    assert sum(content["materials"].values()) == content["triangles"] or not content["materials"]
    assert content["clips"]
    assert call("info", data_dir / name).stdout.startswith(f"{data_dir / name}: {content['format']}, ")


@pytest.mark.parametrize("name", CHARACTERS)
def test_info_of_a_clip_tells_what_the_garment_does(name: str, data_dir: Path) -> None:
    result = call("info", data_dir / name, *CHARACTERS[name], "--fps", "10", "--json")
    assert result.exit_code == 0, result.output
    content = json.loads(result.stdout)
    past = content["triangles_past_compression"]
    assert len(past["1.15"]) == content["report"]["frames"]
    assert all(low >= high for low, high in zip(past["1.15"], past["1.25"], strict=True))
    clip = ten_a_second(name, data_dir)
    start = clip.positions[0] if clip.rest is None else clip.rest
    frames = [pucker.local_frames(clip.mesh, positions).matrices for positions in (start, clip.positions[0])]
    assert past["1.15"][0] == np.sum(pucker.compression(pucker.stretch(*frames)) > 1.15)


def test_info_counts_the_compression_of_the_kimono(data_dir: Path) -> None:
    result = call("info", *kimono(data_dir), "--loops", "2", "--json")
    content = json.loads(result.stdout)
    assert content["report"]["triangles"] == 1252
    assert max(content["triangles_past_compression"]["1.15"]) > 100
    assert max(content["triangles_past_compression"]["1.25"]) > 50
    text = call("info", *kimono(data_dir), "--all").stdout
    assert re.search(r"1252 +triangles", text)
    assert "triangles past a compression" in text


@pytest.mark.parametrize("command", ["bake", "compare", "demo", "export", "info", "render", "sweep"])
def test_help_has_an_example(command):
    assert f"Example: pucker {command} " in call(command, "--help").output.replace("\n", " ").replace("  ", " ")


def test_the_shell_completes_commands():
    told = {"_PUCKER_COMPLETE": "bash_complete", "COMP_WORDS": "pucker ex", "COMP_CWORD": "1"}
    done = CliRunner().invoke(cli, prog_name="pucker", env=told)
    assert done.output.split() == ["plain,export"]


def test_the_summary_of_a_film_as_json(tmp_path):
    told = call("demo", "-o", tmp_path, "--size", "64x64", "--json").stdout
    content = json.loads(told)
    assert content["files"] == [str(tmp_path / "demo.mp4"), str(tmp_path / "demo.png")]
    assert content["frames"] == 53
    assert content["iterations"] > 1
    assert min(content["seconds"].values()) > 0


def test_help_describes_common_options_and_names_the_rare_ones() -> None:
    short, long = (" ".join(call("render", option).stdout.split()) for option in ("--help", "--help-all"))
    assert "--transparent Pictures without a background" not in short
    assert "More options, which --help-all describes: --fps, --loops" in short
    assert "--transparent Pictures without a background" in long
    assert "More options" not in long
    assert len(short) < 0.75 * len(long)
    # Every option of every command is named by its help.
    for name, command in cli.commands.items():
        told = call(name, "--help").stdout
        for param in command.params:
            if isinstance(param, click.Option):
                assert max(param.opts, key=len) in told, (name, param.opts)


@pytest.mark.parametrize("method", ["dynamic", "waves", "byexample", "drape"])
def test_params_lists_the_common_parameters_and_with_all_every_one(method: str) -> None:
    fields = pucker.method.method_named(method).params.fields()
    common = [field.name for field in fields if field.common]
    assert 4 <= len(common) <= 10
    assert [line.split()[0] for line in call("params", method).stdout.splitlines() if " = " in line[:40]] == common
    told = json.loads(call("params", method, "--all", "--json").stdout)
    assert [each["name"] for each in told] == [field.name for field in fields]
    assert [each["name"] for each in told if each["common"]] == common
    text = " ".join(call("params", method, "--all").stdout.split())
    for field in fields:
        assert " ".join(field.doc.split()) in text


def test_params_prints_the_defaults_that_hold() -> None:
    text = call("params", "dynamic").stdout
    params = pucker.Params()
    for name, value in (
        ("threshold", f"{params.threshold:g}"),
        ("relative_width", f"{params.relative_width:g}"),
        ("shape.profile", params.shape.profile.name),
        ("seed", f"{params.seed}"),
    ):
        assert re.search(rf"^{name} = {re.escape(value)} ", text, re.MULTILINE)


def test_params_of_a_method_that_is_not_there_is_one_sentence() -> None:
    assert "there is no method 'wave' (did you mean 'waves'?)" in failure_of("params", "wave")


def test_a_picture_of_one_frame_says_that_it_is_one(data_dir: Path, tmp_path: Path) -> None:
    result = call("render", *kimono(data_dir), "-o", tmp_path / "walk.png", "--frames", "5", *FAST[:-1])
    assert result.exit_code == 0, result.output
    assert "1 frame after a run over 6, " in result.output


def test_a_picture_that_is_not_beside_the_file_is_told_once(data_dir: Path, tmp_path: Path) -> None:
    arguments = ["--parts", COWBOY_CLOTH, "--frames", "0", "--size", "64x64", "-o", tmp_path / "a.png"]
    done = call("render", data_dir / "cowboy.dae", *arguments)
    told = "drawn without picture 'character Texture.png' of material 'Material', which is not in the file's folder"
    assert done.stderr.count(told) == 1
    assert "drawn without" not in call("render", data_dir / "cowboy.dae", *arguments, "--quiet").stderr


def test_of_many_missing_pictures_one_is_named_without_its_folder(tmp_path: Path) -> None:
    (tmp_path / "a.mtl").write_text("newmtl shirt\nmap_Kd D:\\art\\linen.tga\nnewmtl hat\nmap_Kd D:\\art\\felt.tga\n")
    for frame, y in enumerate((0.0, 0.1)):
        lines = ["mtllib a.mtl", "v 0 0 0", f"v 1 {y} 0", "v 0 1 0", "v 1 1 1"]
        lines += ["usemtl shirt", "f 1 2 3", "usemtl hat", "f 2 4 3"]
        (tmp_path / f"{frame}.obj").write_text("\n".join(lines))
    done = call("render", tmp_path, "--parts", "shirt", "--frames", "0", "--size", "64x64", "-o", tmp_path / "a.png")
    assert (
        "drawn without 2 pictures, as 'linen.tga' of material 'shirt', which are not in the file's folder"
        in done.stderr
    )


@pytest.mark.parametrize(
    ("name", "options", "told"),
    [
        ("a.xyz", [], "must end in one of .glb, "),
        ("none/a.glb", [], "none does not exist"),
        ("a.abc", ["--skinned"], "must end in one of .glb, "),
        ("a.glb", ["--vat"], "must end in one of .exr"),
        ("none/maps", ["--maps", "normal"], "none does not exist"),
    ],
)
def test_what_cannot_be_baked_is_told_before_the_file_is_read(
    name: str, options: list[str], told: str, tmp_path: Path
) -> None:
    assert told in failure_of("bake", tmp_path / "missing.glb", *options, "-o", tmp_path / name)


@pytest.mark.parametrize(("command", "name"), [("bake", "a.npz"), ("page", "a.html"), ("export", "a.csv")])
def test_a_log_holds_no_progress_bar(command: str, name: str, tmp_path: Path) -> None:
    cloth = squeezed_sheet(4, 4, frames=3, compression=1.5)
    np.savez(tmp_path / "sheet.npz", faces=cloth.faces, positions=cloth.positions, times=cloth.times)
    done = call(command, tmp_path / "sheet.npz", "-o", tmp_path / name)
    assert done.exit_code == 0, done.stderr
    assert "frame" not in done.stderr


def test_help_names_every_overlay() -> None:
    said = re.split(r"[\s,;.:]+", call("render", "--help").output)
    assert not [name for name in render.Overlays.names() if name not in said]


@pytest.mark.parametrize(
    ("parameters", "overlays", "method"),
    [
        ((), (), "drape"),
        (("fold_size", "fabric.cloth"), (), "drape"),
        (("threshold", "shape.profile"), (), "dynamic"),
        (("relax.rounds",), (), "waves"),
        (("trained",), (), "byexample"),
        (("compute",), (), "drape"),  # waves have one of that name too
        (("profile",), (), "dynamic"),
        ((), ("wireframe", "reached"), "drape"),
        ((), ("wireframe", "labels"), "dynamic"),
        (("threshold",), ("paths",), "dynamic"),
        ((), ("hold",), "drape"),
        ((), ("no such",), "drape"),
    ],
)
def test_the_method_is_the_one_that_has_what_is_named(
    parameters: tuple[str, ...], overlays: tuple[str, ...], method: str
) -> None:
    assert method_with(parameters, overlays) == method


@pytest.mark.parametrize(
    ("words", "method"),
    [
        ([], "drape"),
        (["--set", "threshold=1.1"], "dynamic"),
        (["--set=shape.profile=arcs"], "dynamic"),
        (["--set", "levels=2", "fold_size=0.2"], "drape"),
        (["--headless", "--labels"], "dynamic"),
        (["--trained", "set.npz"], "byexample"),
        (["--method", "waves"], None),
    ],
)
def test_the_window_is_told_the_method(words: list[str], method: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[list[str]] = []

    def start(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        started.append(command)
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr("pucker.cli.view.viewer_program", lambda: "pucker-view")
    monkeypatch.setattr("pucker.cli.view.subprocess.run", start)
    monkeypatch.setenv("DISPLAY", ":0")
    done = call("view", *words)
    assert done.exit_code == 0, done.output
    (command,) = started
    assert command[1 : 1 + len(words)] == words
    added = command[1 + len(words) :]
    assert (added[added.index("--method") + 1] if "--method" in added else None) == method


def test_of_several_methods_that_have_what_is_named_a_command_says_which() -> None:
    assert method_with(("compute",), default="waves") == "waves"
    assert method_with(("compute",), default="dynamic") in ("waves", "drape")


def test_help_names_the_methods() -> None:
    told = " ".join(call("render", "--help").output.split())
    assert "drape, byexample, dynamic, waves, or a module that brings one" in told
    own = [
        name
        for name in pucker.method.methods()
        if type(pucker.method.method_named(name)).__module__.startswith("pucker.")
    ]
    assert len(own) == 4
    assert all(name in told for name in own)


def test_a_trained_set_says_its_method_and_its_parts(data_dir: Path, tmp_path: Path) -> None:
    words = ["bake", data_dir / "kimono_male.gltf", "--clip", "Walk", "-o", tmp_path / "walk.npz"]
    done = call(*words, "--trained", data_dir / "kimono.pose.npz")
    assert done.exit_code == 0, done.output
    trained = pucker.byexample.load(data_dir / "kimono.pose.npz")
    assert f"{len(trained.faces) * 4**trained.levels} triangles" in done.output


def test_a_scene_without_mujoco_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    done = call("train", "--scene", "curtain", "--quiet", "-o", tmp_path / "set.npz")
    assert done.exit_code == 2
    assert done.stderr == "pucker: simulating a sheet needs mujoco: install the extra pucker[simulate]\n"


def test_a_window_without_a_display_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pucker.cli.view.viewer_program", lambda: "pucker-view")
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    done = call("view")
    assert done.exit_code == 2
    assert done.stderr.startswith("pucker: a window needs a display, and neither DISPLAY nor WAYLAND_DISPLAY names one")
    assert done.stderr.count("\n") == 1


def test_a_reader_that_has_seen_enough_ends_it_quietly(data_dir: Path) -> None:
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "info", str(data_dir / "mage.glb"), "--all"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.close()
        told = run.stderr.read()
    assert told == b""
