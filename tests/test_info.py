"""What ``pucker info`` says of a file: its parts, and which of them to wrinkle."""

import json
import shlex
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from pxr import Usd, UsdGeom, Vt

import pucker
from pucker.cli import cli
from pucker.examples import squeezed_sheet


def told(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["info", *(str(argument) for argument in arguments)], prog_name="pucker")
    assert result.exit_code == 0, result.output
    return result.stdout


def content_of(*arguments: object) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(told(*arguments, "--json"))
    return content


@pytest.fixture
def three_sheets(tmp_path: Path) -> Path:
    """Three sheets: one squeezed, one stretched, one that lies still."""
    cloth = squeezed_sheet(6, 6, frames=9, compression=1.5)
    still = np.broadcast_to(cloth.positions[0], cloth.positions.shape)
    stretched = still + 0.4 * (still - cloth.positions)
    positions = np.concatenate([cloth.positions, stretched, still], axis=1)
    path = tmp_path / "sheets.npz"
    np.savez(
        path,
        faces=np.concatenate([cloth.faces + k * cloth.positions.shape[1] for k in range(3)]),
        positions=positions,
        times=cloth.times,
        materials=np.repeat(np.arange(3), len(cloth.faces)),
        material_names=["a shirt", "stretched", "still"],
    )
    return path


def test_only_what_compresses_is_suggested(three_sheets: Path) -> None:
    suggestion = content_of(three_sheets)["suggestion"]
    assert (suggestion["clip"], suggestion["parts"]) == ("all", ["a shirt"])
    ranking = {part["part"]: part for part in suggestion["ranking"]}
    assert ranking["a shirt"]["share"] > 0.3
    assert ranking["a shirt"]["past"] == pytest.approx(72 * ranking["a shirt"]["share"])
    assert [ranking[name]["share"] for name in ("stretched", "still")] == [0.0, 0.0]


def test_suggested_parts_are_ready_for_a_shell(three_sheets: Path) -> None:
    (line,) = (line for line in told(three_sheets).splitlines() if line.startswith("suggested: "))
    options = shlex.split(line.removeprefix("suggested: "))
    assert options == ["--parts", "a shirt"]
    assert content_of(three_sheets, *options)["report"]["triangles"] == 72


def test_shares_are_those_of_a_run_of_the_whole_character(data_dir: Path) -> None:
    path = data_dir / "kimono_male.gltf"
    suggestion = content_of(path, "--clip", "Walk")["suggestion"]
    clip = pucker.load(path, clip="Walk")
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.0075 * clip.height))
    past = np.mean([wrinkler.advance(f.positions, f.time).compression > 1.15 for f in clip], axis=0)
    names = [clip.material_list[k].name for k in clip.materials]
    for part in suggestion["ranking"]:
        own = past[[name == part["part"] for name in names]]
        assert (part["triangles"], part["share"]) == (len(own), pytest.approx(own.mean()))
    assert [part["part"] for part in suggestion["ranking"]][:2] == ["Clothes", "Band"]
    assert suggestion["parts"][0] == "Clothes"
    assert "Skin" not in suggestion["parts"]


def test_joints_are_suggested_where_nothing_else_tells_parts_apart(data_dir: Path) -> None:
    suggestion = content_of(data_dir / "cowboy.dae")["suggestion"]
    assert {"joint:Torso", "joint:Chest"} <= set(suggestion["parts"])
    assert "joint:Head" not in suggestion["parts"]
    pucker.load(data_dir / "cowboy.dae", parts=suggestion["parts"])


def test_first_clip_that_lasts_is_taken_unless_one_is_named(data_dir: Path) -> None:
    suggestion = content_of(data_dir / "mage.glb")["suggestion"]
    clips = pucker.inspect(data_dir / "mage.glb").clips
    assert suggestion["clip"] == next(name for name, duration in clips.items() if duration > 0.0)


def test_no_suggestion_where_there_is_no_choice(data_dir: Path, three_sheets: Path) -> None:
    assert "suggestion" not in content_of(data_dir / "tshirt_wind.zip", "--clip", "0:3")
    assert "suggestion" not in content_of(three_sheets, "--parts", "still")


def test_character_that_does_not_compress_gets_told_so(data_dir: Path) -> None:
    assert "no part compresses past 1.15 in T-Pose" in told(data_dir / "mage.glb", "--clip", "T-Pose")


def test_file_without_animation_is_listed(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "still.usda"))
    for name in ("shirt", "skin"):
        mesh = UsdGeom.Mesh.Define(stage, f"/{name}")
        mesh.CreatePointsAttr(Vt.Vec3fArray(3))
        mesh.CreateFaceVertexCountsAttr([3])
        mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    stage.Save()
    content = content_of(tmp_path / "still.usda")
    assert (content["format"], content["clips"], content["meshes"]) == ("usda", {}, {"shirt": 1, "skin": 1})
    assert "suggestion" not in content


def test_point_cache_is_listed_with_its_obj(tmp_path: Path) -> None:
    (tmp_path / "cloth.obj").write_text("o shirt\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    frames = np.zeros((2, 3, 3), ">f4")
    (tmp_path / "cloth.mdd").write_bytes(struct.pack(">iiff", 2, 3, 0.0, 0.5) + frames.tobytes())
    content = content_of(tmp_path / "cloth.mdd")
    assert (content["format"], content["clips"], content["nodes"]) == ("mdd", {"all": 0.5}, {"shirt": 1})
