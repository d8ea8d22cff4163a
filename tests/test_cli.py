"""The command line, end to end."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner, Result
from imageio_ffmpeg import count_frames_and_secs
from PIL import Image

import pucker
from pucker.cli import cli

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
    assert re.fullmatch(r"pucker, version \d+\.\d+\.\d+\n", call("--version").output)


def test_the_installed_module_runs_as_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "info", str(tmp_path / "none.gltf")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "none.gltf" in done.stderr
    assert "Traceback" not in done.stderr


def test_unknown_clip_lists_those_there_are(data_dir: Path, tmp_path: Path) -> None:
    message = failure_of("render", data_dir / "kimono_male.gltf", "--clip", "Waltz", "-o", tmp_path / "a.mp4")
    assert "Waltz" in message
    assert "Walk_Carry" in message


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
    [("--threshold", "-1"), ("--threshold", "nan"), ("--min-width", "0"), ("--fps", "0"), ("--loops", "0")],
)
def test_numbers_out_of_range_are_told(option: str, value: str, data_dir: Path, tmp_path: Path) -> None:
    failure_of("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", option, value)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("size", ["1280", "0x0", "321x180", "axb"])
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

    monkeypatch.setattr(pucker, "Wrinkler", Tiring)
    sizes = ["--size", "160x90", "--sheet", str(tmp_path / "a.png")]
    assert "tired at last" in failure_of("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", *sizes)
    assert list(tmp_path.iterdir()) == []


def test_demo_writes_video_and_sheet_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "results"
    result = call("demo", "-o", out, "--size", "320x180")
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in out.iterdir()) == ["demo.mp4", "demo.png"]
    # Two rounds of 1.25 s at 30 frames per second, both ends shown.
    assert count_frames_and_secs(str(out / "demo.mp4"))[0] == 76
    for expected in (r"draw +\d+\.\d+ ms a frame", r"encode +\d", r"76 frames", r"demo\.mp4", r"demo\.png"):
        assert re.search(expected, result.output)


def test_wrinkles_are_seen(data_dir: Path, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.png"
    choices = ["--fps", "15", "--size", "640x360", "--min-width", "0.015", "--sheet", str(sheet), "--quiet"]
    result = call("render", *kimono(data_dir), "-o", tmp_path / "a.mp4", *choices)
    assert (result.exit_code, result.output) == (0, "")
    plain, labelled, wrinkled = (sheet_row(sheet, row, cell=240) for row in range(3))
    # Labels tint the garment and nothing else.
    garment = changed(plain, labelled)
    assert 0.05 < garment.mean() < 0.6
    assert changed(plain, wrinkled)[garment].mean() > 0.02
    # Beside it only wrinkles on the silhouette, which stand out of it.
    assert changed(plain, wrinkled)[~garment].mean() < 0.01


@pytest.mark.parametrize("name", CHARACTERS)
def test_every_character_can_be_rendered(name: str, data_dir: Path, tmp_path: Path) -> None:
    video = tmp_path / "a.mp4"
    result = call("render", data_dir / name, *CHARACTERS[name], "-o", video, "--fps", "10", "--size", "160x90")
    assert result.exit_code == 0, result.output
    options = dict(zip(CHARACTERS[name][::2], CHARACTERS[name][1::2], strict=True))
    parts = options["--parts"].split(",") if "--parts" in options else None
    clip = pucker.load(data_dir / name, clip=options.get("--clip"), parts=parts, fps=10.0)
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
    assert past["1.15"][0] == 0


def test_info_counts_the_compression_of_the_kimono(data_dir: Path) -> None:
    result = call("info", *kimono(data_dir), "--loops", "2", "--json")
    content = json.loads(result.stdout)
    assert content["report"]["triangles"] == 1252
    assert max(content["triangles_past_compression"]["1.15"]) > 100
    assert max(content["triangles_past_compression"]["1.25"]) > 50
    text = call("info", *kimono(data_dir)).stdout
    assert re.search(r"1252 +triangles", text)
    assert "triangles past a compression" in text


@pytest.mark.parametrize("command", ["bake", "compare", "demo", "export", "info", "render", "sweep"])
def test_help_has_an_example(command):
    assert f"Example: pucker {command} " in call(command, "--help").output.replace("\n", " ").replace("  ", " ")


def test_the_shell_completes_commands():
    told = {"_PUCKER_COMPLETE": "bash_complete", "COMP_WORDS": "pucker ex", "COMP_CWORD": "1"}
    done = CliRunner().invoke(cli, prog_name="pucker", env=told)
    assert done.output.split() == ["plain,export"]


def test_the_summary_of_a_film_as_json(data_dir, tmp_path):
    told = call("demo", "--data", data_dir, "-o", tmp_path, "--size", "64x64", "--json").stdout
    content = json.loads(told)
    assert content["files"] == [str(tmp_path / "demo.mp4"), str(tmp_path / "demo.png")]
    assert content["frames"] > 60
    assert content["wrinkles"] > 1
    assert min(content["seconds"].values()) > 0
