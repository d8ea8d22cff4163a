"""Vertex animation textures: what the shader of the examples shows is the baked mesh."""

import importlib
import json
from pathlib import Path

import numpy as np
import OpenEXR
import pytest
from click.testing import CliRunner
from gltf_oracle import Gltf

import pucker
from pucker import bake
from pucker.cli import cli
from pucker.render import create_context

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def walk(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Punch", parts=["Clothes", "Band"], fps=10.0)


@pytest.fixture(scope="module")
def baked(walk, tmp_path_factory):
    """Textures and report, and the same surface as an archive."""
    folder = tmp_path_factory.mktemp("vat")
    report = bake.vat(walk, folder / "punch.exr", levels=2)
    bake.surface(walk, folder / "punch.npz", levels=2)
    return folder, report


def exr(path):
    with OpenEXR.File(str(path)) as file:
        return np.array(file.channels()["RGB"].pixels)


def played(folder, seconds, loops=False):
    """Corners of the garment, positions and normals, that the shader gives at each time."""
    gltf = Gltf(folder / "punch.glb")
    facts = json.loads((folder / "punch-remap_info.json").read_text())
    (clip,) = facts["animations"].values()
    context = create_context()
    # Without a surface there is nothing to draw to, which even drawing nothing needs.
    context.simple_framebuffer((1, 1)).use()
    textures = []
    for name in ("punch.exr", "punch_vnrm.exr"):
        values = exr(folder / name)
        texture = context.texture(
            values.shape[1::-1], 3, np.ascontiguousarray(values).tobytes(), dtype="f2", alignment=1
        )
        texture.filter = (context.NEAREST, context.NEAREST)
        textures.append(texture)
    program = context.program(
        (ROOT / "examples" / "opengl" / "vat.vert").read_text(), varyings=("shown", "shown_normal")
    )
    for unit, (name, texture) in enumerate(zip(("offsets", "normals"), textures, strict=True)):
        texture.use(unit)
        program[name] = unit
    for name, value in (("low", "Min"), ("high", "Max"), ("frames", "Frames")):
        program[name] = facts["os-remap"][value]
    program["rows"], program["rate"], program["loops"] = facts["rows_per_frame"], clip["framerate"], loops
    out = []
    for time in seconds:
        program["seconds"] = time
        corners = []
        for primitive in gltf.primitives(gltf.node("garment")):
            columns = [gltf.accessor(primitive["attributes"][name]) for name in ("POSITION", "NORMAL", "TEXCOORD_1")]
            vertices = context.buffer(np.hstack(columns).astype(np.float32).tobytes())
            given = [
                (
                    vertices,
                    "3f 3f 2f" if "normal" in program else "3f 12x 2f",
                    *(n for n in ("position", "normal", "texel") if n in program),
                )
            ]
            result = context.buffer(reserve=24 * len(columns[0]))
            context.vertex_array(program, given).transform(result, context.POINTS, len(columns[0]))
            values = np.frombuffer(result.read(), np.float32).reshape(-1, 6)
            corners.append(values[gltf.accessor(primitive["indices"])[:, 0].astype(int)])
        out.append(np.concatenate(corners))
    context.release()
    return np.array(out)


@pytest.fixture(scope="module")
def surface(baked):
    """Positions and normals (frames, corners, 3) of the archive, triangles sorted by material."""
    with np.load(baked[0] / "punch.npz") as file:
        order = np.argsort(file["materials"], kind="stable")
        normal_faces = file["normal_faces"] if "normal_faces" in file else file["faces"]
        return file["positions"][:, file["faces"][order]].reshape(len(file["times"]), -1, 3), file["normals"][
            :, normal_faces[order]
        ].reshape(len(file["times"]), -1, 3)


def test_the_shader_shows_the_baked_mesh(baked, surface, walk):
    folder, report = baked
    shown = played(folder, walk.times)
    positions, normals = surface
    assert np.linalg.norm(shown[..., :3] - positions, axis=2).max() <= report.error + 1e-5 * walk.height
    assert report.error < 5e-4 * walk.height
    assert (shown[..., 3:] * normals).sum(axis=2).min() > 0.999


def test_between_two_frames_it_blends_and_at_the_end_it_stays_or_begins_anew(baked, walk):
    folder, _ = baked
    step = float(walk.times[1])
    frames = played(folder, walk.times)
    last = float(walk.times[-1])
    middle, held = played(folder, [0.5 * step, last + 3.0])
    np.testing.assert_allclose(middle[:, :3], frames[:2, :, :3].mean(axis=0), atol=1e-5)
    np.testing.assert_allclose(held, frames[-1], atol=1e-5)
    (again,) = played(folder, [last + 2 * step], loops=True)
    np.testing.assert_allclose(again, frames[1], atol=1e-4)


def test_more_vertices_than_columns_go_on_in_the_next_row(baked, surface, walk, tmp_path, monkeypatch):
    monkeypatch.setattr(importlib.import_module("pucker.bake.vat"), "MOST_COLUMNS", 1000)
    report = bake.vat(walk, tmp_path / "punch.exr", levels=2)
    assert report.size[0] == 1000
    assert report.size[1] == len(walk) * -(-report.vertices // 1000)
    shown = played(tmp_path, walk.times)
    assert np.linalg.norm(shown[..., :3] - surface[0], axis=2).max() <= report.error + 1e-5 * walk.height


def test_the_example_is_short():
    assert len((ROOT / "examples" / "opengl" / "vat.vert").read_text().splitlines()) <= 60


def test_what_cannot_be_done_is_refused_and_leaves_nothing(walk, tmp_path, monkeypatch):
    with pytest.raises(ValueError, match=r"must end in \.exr"):
        bake.vat(walk, tmp_path / "punch.png")
    with pytest.raises(ValueError, match="at least 1, not 0"):
        bake.vat(walk, tmp_path / "punch.exr", levels=0)
    monkeypatch.setattr(importlib.import_module("pucker.bake.vat"), "MOST_ROWS", 4)
    with pytest.raises(ValueError, match="higher than 4"):
        bake.vat(walk, tmp_path / "punch.exr", levels=1)
    assert not list(tmp_path.iterdir())


def test_from_the_command_line(data_dir, tmp_path):
    words = [
        "bake",
        data_dir / "kimono_male.gltf",
        "--clip",
        "Jump",
        "--parts",
        "Clothes",
        "--fps",
        "4",
        "--vat",
        "--levels",
        "1",
    ]
    result = CliRunner().invoke(cli, [*map(str, words), "-o", str(tmp_path / "jump.exr")])
    assert result.exit_code == 0, result.output
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "jump-remap_info.json",
        "jump.exr",
        "jump.glb",
        "jump_vnrm.exr",
    ]


def test_a_clip_that_was_baked_under_the_name_of_the_mesh_is_not_replaced(data_dir, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    common = ["bake", str(data_dir / "kimono_male.gltf"), "--clip", "Jump", "--parts", "Band", "--fps", "4"]
    common += ["--method", "waves", "--levels", "1"]

    def status(*options):
        result = CliRunner().invoke(cli, [*common, *options], prog_name="pucker")
        return result.exit_code, result.stderr

    refused = "jump.glb is no mesh of vertex animation textures, and those of jump.exr would replace it: give them another name"
    assert status("-o", "jump.glb")[0] == 0
    before = Path("jump.glb").read_bytes()
    assert status("--vat", "-o", "jump.exr") == (2, f"pucker: {refused}\n")
    for content in (b"", b"glTF", b"text", before[:100], before):
        Path("jump.glb").write_bytes(content)
        with pytest.raises(FileExistsError, match=refused):
            bake.vat(pucker.load(data_dir / "kimono_male.gltf", clip="Jump", fps=4.0), "jump.exr")
    assert [each.name for each in tmp_path.iterdir()] == ["jump.glb"]
    assert status("--vat", "-o", "other.exr")[0] == 0
    # Its own mesh is replaced, as every output that is named.
    assert status("--vat", "-o", "other.exr")[0] == 0
    assert Path("jump.glb").read_bytes() == before
