"""Files that were baked, opened again."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

import pucker
from pucker import bake, export
from pucker.cli import cli
from pucker.examples import squeezed_sheet
from pucker.io import Limits, open_source
from pucker.io.generator import baked

TOLD = "its cloth has wrinkles already, as pucker bake wrote it"
# OBJ files of frames that share no triangles cannot be opened as one clip.
OPTIONS: dict[str, dict[str, Any]] = {"frames.glb": {"per_frame": True}, "frames": {"per_frame": False}}


def call(*arguments: str | Path) -> Result:
    return CliRunner().invoke(cli, [str(argument) for argument in arguments], prog_name="pucker")


@pytest.fixture(scope="module")
def clip() -> pucker.Clip:
    return squeezed_sheet(4, 4, frames=3, compression=1.5)


@pytest.fixture(scope="module")
def params(clip: pucker.Clip) -> pucker.Params:
    return pucker.Params(min_width=0.05 * clip.height)


@pytest.mark.parametrize("name", ["a.glb", "frames.glb", "a.gltf", "a.usdc", "a.usda", "a.usdz", "a.npz", "frames"])
def test_a_baked_file_says_so_when_it_is_opened_again(
    name: str, clip: pucker.Clip, params: pucker.Params, tmp_path: Path
) -> None:
    file = tmp_path / name
    bake.surface(clip, file, params=params, **OPTIONS.get(name, {}))
    with open_source(file, isolated=True) as source:
        assert source.is_baked()
    assert call("info", file).stderr == f"{file}: {TOLD}\n"


def test_a_baked_character_with_its_skeleton_says_so_too(data_dir: Path, tmp_path: Path) -> None:
    made = pucker.load(data_dir / "kimono_male.gltf", clip="Punch", parts=["Clothes"], fps=6.0)
    for name in ("a.glb", "a.usdc"):
        bake.skinned({"Punch": made}, tmp_path / name, params=pucker.Params(), targets=2)
        assert TOLD in call("info", tmp_path / name).stderr


def test_a_command_tells_once_and_not_when_it_is_quiet(
    clip: pucker.Clip, params: pucker.Params, tmp_path: Path
) -> None:
    file = tmp_path / "a.npz"
    bake.surface(clip, file, params=params)
    arguments = ["bake", file, "--set", "levels=0", "-o"]
    assert call(*arguments, tmp_path / "b.npz").stderr.count(TOLD) == 1
    assert TOLD not in call(*arguments, tmp_path / "c.npz", "--quiet").stderr


def test_other_files_do_not(clip: pucker.Clip, params: pucker.Params, data_dir: Path, tmp_path: Path) -> None:
    np.savez(tmp_path / "own.npz", faces=clip.faces, positions=clip.positions, times=clip.times)
    export.paths(clip, tmp_path / "paths.glb", params=params)
    for file in (tmp_path / "own.npz", tmp_path / "paths.glb", data_dir / "kimono_male.gltf", data_dir / "cowboy.dae"):
        with open_source(file, isolated=True) as source:
            assert not source.is_baked()


@pytest.mark.parametrize("asset", [{}, {"generator": 3}, []])
def test_a_file_whose_writer_makes_no_sense_is_no_baked_one(asset: Any, tmp_path: Path) -> None:
    (tmp_path / "a.gltf").write_text(f'{{"asset": {asset}, "meshes": [3]}}'.replace("'", '"'))
    assert not baked(tmp_path / "a.gltf", Limits())
