"""The native viewer against the Python renderer, and its window under a virtual display."""

import io
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Collection
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile
from PIL import Image
from viewer_program import PLAIN, SIZE, VIEWER, WALK, assert_equal_pictures, native, picture, refusal, view

import pucker
from pucker import byexample, drape, render, waves
from pucker.cli import cli
from pucker.cli import view as view_module
from pucker.render.camera import DEFAULT_VIEW

pytestmark = pytest.mark.skipif(VIEWER is None, reason="pucker-view is not built; ./run test builds it")


def reference(
    path: Path,
    frame: int,
    clip: str,
    parts: list[str],
    camera: render.Camera | None = None,
    *,
    mode: str = "both",
    overlays: Collection[str] = (),
    seeds: bool = False,
    style: render.Style | None = None,
    share: float = pucker.Params().relative_width,
    smooth: int = 0,
    **options: Any,
) -> npt.NDArray[np.int64]:
    """The same picture by Python; `options` are parameters, `share` is the smallest width over the height."""
    loaded = pucker.load(path, clip=clip, parts=parts, smooth=smooth)
    params = pucker.Params(min_width=share * loaded.height, **options)
    wrinkler = pucker.Wrinkler(loaded, params)
    for index in range(frame + 1):
        state = wrinkler.advance(loaded.positions[index], loaded.times[index])
    assert bool(state.wrinkles) == (frame > 0)
    shown = render.Overlays.of(overlays)
    if seeds:
        field = pucker.CompressionField(loaded.mesh, loaded.positions[frame], state.stretch)
        shown = shown.replace(seeds=pucker.Tracer(loaded.mesh, params).seed(field, frame))
    with render.ClipRenderer(loaded, SIZE, params=params, camera=camera, style=style) as renderer:
        return renderer.frame(frame, state, mode=mode, overlays=shown).astype(np.int64)


@pytest.fixture(scope="module")
def kimono(data_dir: Path) -> Path:
    return data_dir / "kimono_male.gltf"


@pytest.mark.parametrize("mode", ["base", "normals", "displacement", "both"])
def test_both_programs_draw_the_same_picture(mode: str, kimono: Path, tmp_path: Path) -> None:
    drawn = native(tmp_path, kimono, 20, *WALK, "--mode", mode)
    assert_equal_pictures(drawn, reference(kimono, 20, "Walk", ["Clothes", "Band"], mode=mode))


def test_both_programs_make_a_character_smooth(kimono: Path, tmp_path: Path) -> None:
    drawn = native(tmp_path, kimono, 20, *WALK, "--smooth", "1", "--focus", "cloth")
    assert_equal_pictures(drawn, reference(kimono, 20, "Walk", ["Clothes", "Band"], smooth=1))
    # So it does where nobody chose, with all of the character in sight.
    size = "x".join(map(str, SIZE))
    words = ["--method", "dynamic", "--headless", "--frames", "20:20", "--size", size, "-o", tmp_path / "usual"]
    done = view(kimono, *WALK, *words)
    assert done.returncode == 0, done.stderr
    clip = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"], smooth=1)
    camera = render.fitted_camera(clip, DEFAULT_VIEW, SIZE, focus="all")
    usual = reference(kimono, 20, "Walk", ["Clothes", "Band"], camera, smooth=1)
    assert_equal_pictures(picture(tmp_path / "usual", 20), usual)
    told = refusal(kimono, *WALK, "--smooth", "5", "--headless")
    assert "smoothed by 0 to 4 levels, not 5" in told


def test_both_programs_look_at_a_character_from_the_front_whatever_moves_it(kimono: Path, tmp_path: Path) -> None:
    # Turned round below a node, without clips, and moved by the file as it was.
    content = json.loads(kimono.read_text())
    content["nodes"].append({"name": "turn", "rotation": [0, 1, 0, 0], "children": content["scenes"][0]["nodes"]})
    content["scenes"][0]["nodes"] = [len(content["nodes"]) - 1]
    turned, moving = tmp_path / "turned.gltf", tmp_path / "moving.gltf"
    moving.write_text(json.dumps(content))
    content.pop("animations")
    turned.write_text(json.dumps(content))
    drawn = native(tmp_path, turned, 5, *WALK, "--motion", moving)
    with render.ClipRenderer(pucker.load(turned, clip="Walk", parts=["Clothes", "Band"], motion=moving), SIZE) as shown:
        expected = shown.frame(5, mode="base").astype(np.int64)
    assert_equal_pictures(native(tmp_path / "base", turned, 5, *WALK, "--motion", moving, "--mode", "base"), expected)
    assert (np.abs(drawn - native(tmp_path / "own", kimono, 5, *WALK)).max(axis=2) > 40).mean() < 0.01


@pytest.mark.parametrize(
    ("name", "clip", "parts"), [("mage.glb", "Walking_A", ["Mage_Body"]), ("cowboy.dae", None, ["*"])]
)
def test_both_programs_light_by_the_same_normals(
    name: str, clip: str | None, parts: list[str], data_dir: Path, tmp_path: Path
) -> None:
    loaded = pucker.load(data_dir / name, clip=clip, parts=parts)
    state = list(islice(pucker.run(loaded, pucker.Params()), 11))[-1]
    options = ["--parts", ",".join(parts), *(["--clip", clip] if clip else [])]
    drawn = {}
    for normals in ("smooth", "file"):
        drawn[normals] = native(tmp_path, data_dir / name, 10, *options, "--normals", normals)
        with render.ClipRenderer(loaded, SIZE, normals=normals) as renderer:
            assert_equal_pictures(drawn[normals], renderer.frame(10, state).astype(np.int64))
    changed = (np.abs(drawn["file"] - drawn["smooth"]).max(axis=2) > 20).mean()
    assert changed > 1e-3 if loaded.has_authored_normals else changed == 0.0


@pytest.mark.parametrize("mode", ["base", "normals", "displacement", "both", "parallax"])
def test_both_programs_draw_the_same_waves(mode: str, kimono: Path, tmp_path: Path) -> None:
    file = tmp_path / "waves.toml"
    file.write_text('wavelength = 0.05\nprofile = "accordion"\n[relax]\nrounds = 2\n')
    options = ["--method", "waves", "--params", file, "--set", "gradient=full", "--mode", mode]
    drawn = native(tmp_path, kimono, 12, *WALK, *options)
    loaded = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"])
    params = waves.Params(wavelength=0.05, profile="accordion", gradient="full", relax={"rounds": 2})
    state = list(islice(pucker.run(loaded, params), 13))[-1]
    with render.ClipRenderer(loaded, SIZE) as renderer:
        expected = renderer.frame(12, state, mode=mode).astype(np.int64)
        plain = renderer.frame(12).astype(np.int64)
    assert_equal_pictures(drawn, expected)
    changed = (np.abs(drawn - plain).max(axis=2) > 20).mean()
    assert changed == 0.0 if mode == "base" else changed > 1e-4 if mode == "displacement" else changed > 3e-3


@pytest.mark.parametrize("mode", ["base", "both"])
def test_both_programs_draw_the_same_detail_of_a_trained_set(
    mode: str, kimono: Path, data_dir: Path, tmp_path: Path
) -> None:
    trained = data_dir / "kimono.pose.npz"
    options = ["--method", "byexample", "--trained", trained, "--set", "lag=0.1", "--mode", mode]
    drawn = native(tmp_path, kimono, 5, "--clip", "Walk", *options)  # the parts are those of the set
    loaded = pucker.load(kimono, clip="Walk", parts=["Clothes"])
    state = list(islice(pucker.run(loaded, byexample.Params(trained=str(trained), lag=0.1)), 6))[-1]
    with render.ClipRenderer(loaded, SIZE) as renderer:
        expected = renderer.frame(5, state, mode=mode).astype(np.int64)
        plain = renderer.frame(5).astype(np.int64)
    assert_equal_pictures(drawn, expected)
    assert ((np.abs(drawn - plain).max(axis=2) > 20).mean() > 3e-3) == (mode == "both")


@pytest.mark.parametrize("clip", ["SitDown", "Walk"])
def test_both_programs_drape_cloth_over_the_same_body(clip: str, kimono: Path, tmp_path: Path) -> None:
    params = drape.Params(levels=1, clearance=0.02)
    options = ["--clip", clip, "--parts", "Clothes", "--method", "drape", "--set", "levels=1"]
    drawn = native(tmp_path / "drawn", kimono, 12, *options, "--set", "clearance=0.02")
    bare = native(tmp_path / "bare", kimono, 12, *options, "--set", "contact=false")
    loaded = pucker.load(kimono, clip=clip, parts=["Clothes"])
    state = list(islice(pucker.run(loaded, params), 13))[-1]
    with render.ClipRenderer(loaded, SIZE) as renderer:
        assert_equal_pictures(drawn, renderer.frame(12, state).astype(np.int64))
    assert (np.abs(drawn - bare).max(axis=2) > 20).mean() > 1e-3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "needs a trained set: --trained FILE.npz"),
        (["--trained", "none.npz"], "none.npz: no such file"),
        (["--trained", "DATA/dress.pose.npz", "--parts", "Clothes"], "trained on a mesh of 205 vertices, not 522"),
        (["--trained", "DATA/kimono_male.gltf"], "kimono_male.gltf: is truncated or damaged, or no .npz"),
    ],
)
def test_a_trained_set_of_something_else_is_told(
    options: list[str], told: str, kimono: Path, data_dir: Path, tmp_path: Path
) -> None:
    given = [text.replace("DATA", str(data_dir)) for text in options]
    sentence = refusal(kimono, "--clip", "Walk", "--method", "byexample", "--headless", "-o", tmp_path / "out", *given)
    assert told in sentence


def test_both_programs_draw_the_same_painting(kimono: Path, tmp_path: Path) -> None:
    loaded = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"])
    painting = waves.Painting(loaded.mesh, loaded.rest)
    painting.random(2, strength=0.9)
    file = tmp_path / "kimono.npz"
    painting.save(file)
    options = [*WALK, "--method", "waves", "--set", "wavelength=0.06"]
    drawn = native(tmp_path, kimono, 3, *options, "--set", f"painting={file}")
    state = list(islice(pucker.run(loaded, waves.Params(wavelength=0.06, painting=str(file))), 4))[-1]
    with render.ClipRenderer(loaded, SIZE) as renderer:
        assert_equal_pictures(drawn, renderer.frame(3, state).astype(np.int64))
    assert (np.abs(drawn - native(tmp_path, kimono, 3, *options)).max(axis=2) > 20).mean() > 3e-3


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none.npz", "none.npz is no painting: .*no such file"),
        ("damaged.npz", "damaged.npz is no painting: .*truncated or damaged"),
        ("other.npz", r"other.npz was painted on another mesh, of \d+ vertices and \d+ triangles, not of 522 and"),
    ],
)
def test_a_painting_of_something_else_is_told(name: str, told: str, kimono: Path, tmp_path: Path) -> None:
    other = pucker.load(kimono, clip="Walk", parts=["Band"])
    waves.Painting(other.mesh, other.rest).save(tmp_path / "other.npz")
    (tmp_path / "damaged.npz").write_bytes((tmp_path / "other.npz").read_bytes()[:-40])
    cloth = ["--clip", "Walk", "--parts", "Clothes", "--smooth", "0"]
    options = [*cloth, "--method", "waves", "--set", f"painting={tmp_path / name}"]
    assert re.search(told, refusal(kimono, *options, "--headless", "-o", tmp_path / "out"))


def in_mode(mode: str) -> Image.Image:
    """A picture of stripes that Pillow reads in a mode."""
    rows, columns = np.mgrid[:24, :40]
    grey = (0.55 + 0.45 * np.sin(columns / 3 + rows / 5)).clip(0.2)
    if mode == "I;16":
        return Image.fromarray((65535 * grey).astype(np.uint16))
    colours = (255 * np.stack([grey, 0.5 + 0.5 * grey, 0.3 + 0.4 * grey, grey], axis=2)).astype(np.uint8)
    if mode == "1":
        return Image.new("1", (40, 24), 1)
    return Image.fromarray(colours).convert(mode)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16", ".npy"])
def test_both_programs_read_the_same_wavelengths(mode: str, data_dir: Path, tmp_path: Path) -> None:
    loaded = pucker.load(data_dir / "mage.glb", clip="Sit_Floor_Down", parts=["Mage_Body"])
    file = tmp_path / ("map.npy" if mode == ".npy" else "map.png")
    if mode == ".npy":
        np.save(file, np.linspace(3.0, 1.0, loaded.mesh.vertex_count).astype(np.float32))
    else:
        in_mode(mode).save(file)
        with Image.open(file) as image:
            assert image.mode == mode
    params = waves.Params(wavelength=0.1, border_fade=0.0)
    settings = ["--set", "wavelength=0.1", "--set", "border_fade=0", "--set", f"wavelength_map={file}"]
    options = ["--clip", "Sit_Floor_Down", "--parts", "Mage_Body", "--method", "waves", *settings]
    drawn = native(tmp_path, data_dir / "mage.glb", 12, *options)
    state = list(islice(pucker.run(loaded, params.replace(wavelength_map=str(file))), 13))[-1]
    with render.ClipRenderer(loaded, SIZE) as renderer:
        assert_equal_pictures(drawn, renderer.frame(12, state).astype(np.int64))
        plain = list(islice(pucker.run(loaded, params), 13))[-1]
        changed = np.abs(drawn - renderer.frame(12, plain).astype(np.int64)).max(axis=2) > 20
    assert (changed.mean() > 3e-3) == (mode != "1")  # all white there


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("none.png", "none.png is no picture: "),
        ("bad.png", "bad.png is no picture: "),
        ("black.png", "must be finite and above 0, but .*black.png has 0 at vertex 0"),
        ("none.npy", "none.npy: cannot be opened"),
        ("short.npy", r"short.npy must hold a number for each of \d+ vertices, not an array of the shape \(3,\)"),
    ],
)
def test_wavelengths_that_are_none_are_told(name: str, told: str, data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "bad.png").write_bytes(b"no picture")
    Image.new("L", (4, 4)).save(tmp_path / "black.png")
    np.save(tmp_path / "short.npy", np.ones(3))
    options = [
        "--clip",
        "Walking_A",
        "--parts",
        "Mage_Body",
        "--method",
        "waves",
        "--set",
        f"wavelength_map={tmp_path / name}",
    ]
    assert re.search(told, refusal(data_dir / "mage.glb", *options, "--headless", "-o", tmp_path / "out"))


@pytest.mark.parametrize("compute", ["gpu", "skinned"])
def test_both_programs_compute_the_same_waves(compute: str, kimono: Path, tmp_path: Path) -> None:
    settings = [f"compute={compute}", "relax.start=carried", "wavelength=0.05"]
    drawn = native(tmp_path, kimono, 12, *WALK, "--method", "waves", *(word for s in settings for word in ("--set", s)))
    loaded = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"])
    pictures = []
    for computed in (compute, "cpu"):
        params = waves.Params(wavelength=0.05, compute=computed, relax={"start": "carried"})
        state = list(islice(pucker.run(loaded, params), 13))[-1]
        with render.ClipRenderer(loaded, SIZE) as renderer:
            pictures.append(renderer.frame(12, state).astype(np.int64))
            plain = renderer.frame(12).astype(np.int64)
    assert_equal_pictures(drawn, pictures[0])
    assert (np.abs(drawn - plain).max(axis=2) > 20).mean() > 3e-3
    # After so long a descent from random phases some waves lie elsewhere.
    assert (np.abs(drawn - pictures[1]).max(axis=2) > 2).mean() < 0.05


def test_both_programs_compute_the_same_surface_by_example(kimono: Path, data_dir: Path, tmp_path: Path) -> None:
    trained = str(data_dir / "kimono.pose.npz")
    options = ["--clip", "Run", "--parts", "Clothes", "--method", "byexample", "--trained", trained]
    drawn = native(tmp_path / "gpu", kimono, 5, *options, "--set", "compute=gpu")
    loaded = pucker.load(kimono, clip="Run", parts=["Clothes"])
    pictures = {}
    for compute in ("gpu", "cpu"):
        params = byexample.Params(trained=trained, compute=compute)
        state = list(islice(pucker.run(loaded, params), 6))[-1]
        with render.ClipRenderer(loaded, SIZE) as renderer:
            pictures[compute] = renderer.frame(5, state).astype(np.int64)
            plain = renderer.frame(5).astype(np.int64)
    assert_equal_pictures(drawn, pictures["gpu"])
    assert_equal_pictures(drawn, pictures["cpu"])
    assert_equal_pictures(native(tmp_path / "cpu", kimono, 5, *options), pictures["cpu"])
    assert (np.abs(drawn - plain).max(axis=2) > 8).mean() > 3e-3


@pytest.mark.parametrize("contact", [False, True])
def test_both_programs_drape_the_same_cloth(kimono: Path, tmp_path: Path, contact: bool) -> None:
    settings = ["compute=gpu", f"contact={str(contact).lower()}", "levels=2", "iterations=10", "cut=first"]
    options = ["--method", "drape", *(word for s in settings for word in ("--set", s))]
    drawn = native(tmp_path, kimono, 5, *WALK, *options)
    loaded = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"])
    pictures = {}
    for compute in ("gpu", "cpu"):
        params = drape.Params(compute=compute, contact=contact, levels=2, iterations=10, cut="first")
        state = list(islice(pucker.run(loaded, params), 6))[-1]
        with render.ClipRenderer(loaded, SIZE) as renderer:
            pictures[compute] = renderer.frame(5, state).astype(np.int64)
            plain = renderer.frame(5).astype(np.int64)
    assert_equal_pictures(drawn, pictures["gpu"])
    assert (np.abs(drawn - pictures["cpu"]).max(axis=2) > 2).mean() < 2e-3
    assert (np.abs(drawn - plain).max(axis=2) > 8).mean() > 3e-3


def test_the_viewer_tells_of_joints_that_are_cut(data_dir: Path, tmp_path: Path) -> None:
    options = ["--method", "waves", "--set", "compute=skinned", "--set", "relax.start=random", "--size", "64x64"]
    done = view(data_dir / "cowboy.dae", "--headless", "--frames", "0:0", "-o", tmp_path, *options)
    assert done.returncode == 0
    assert "25 of 740 vertices follow more than 4 joints" in done.stderr


OVERLAYS = ["labels", "reached", "paths", "wireframe", "tessellation", "ellipses", "reference", "seeds"]


@pytest.fixture(scope="module")
def without_overlays(kimono: Path, tmp_path_factory: pytest.TempPathFactory) -> npt.NDArray[np.int64]:
    return native(tmp_path_factory.mktemp("plain"), kimono, 20, *WALK)


@pytest.mark.parametrize("shown", [*([name] for name in OVERLAYS), OVERLAYS], ids=[*OVERLAYS, "all"])
def test_both_programs_draw_the_same_overlays(
    shown: list[str], kimono: Path, without_overlays: npt.NDArray[np.int64], tmp_path: Path
) -> None:
    drawn = native(tmp_path, kimono, 20, *WALK, *(f"--{name}" for name in shown))
    assert (np.abs(drawn - without_overlays).max(axis=2) > 20).sum() > 100
    named = [name for name in shown if name != "seeds"]
    expected = reference(kimono, 20, "Walk", ["Clothes", "Band"], overlays=named, seeds="seeds" in shown)
    assert_equal_pictures(drawn, expected)


@pytest.mark.parametrize("mode", ["base", "normals", "displacement"])
def test_both_programs_draw_the_same_overlays_in_every_mode(mode: str, kimono: Path, tmp_path: Path) -> None:
    drawn = native(tmp_path, kimono, 20, *WALK, "--mode", mode, *(f"--{name}" for name in OVERLAYS))
    named = [name for name in OVERLAYS if name != "seeds"]
    expected = reference(kimono, 20, "Walk", ["Clothes", "Band"], mode=mode, overlays=named, seeds=True)
    assert_equal_pictures(drawn, expected)


def test_both_programs_draw_the_mesh_where_there_are_no_wrinkles_yet(kimono: Path, tmp_path: Path) -> None:
    drawn = native(tmp_path, kimono, 0, *WALK, *(f"--{name}" for name in OVERLAYS))
    named = [name for name in OVERLAYS if name != "seeds"]
    assert_equal_pictures(drawn, reference(kimono, 0, "Walk", ["Clothes", "Band"], overlays=named, seeds=True))


@pytest.mark.parametrize("least_edge", [0.0, 12.0])
def test_both_programs_limit_the_tessellation_alike(least_edge: float, kimono: Path, tmp_path: Path) -> None:
    drawn = native(tmp_path, kimono, 20, *WALK, "--tessellation", "--least-edge", str(least_edge))
    style = render.Style(least_edge=least_edge)
    expected = reference(kimono, 20, "Walk", ["Clothes", "Band"], overlays=["tessellation"], style=style)
    assert_equal_pictures(drawn, expected)


def test_both_programs_draw_the_same_texture(data_dir: Path, tmp_path: Path) -> None:
    mage, parts = data_dir / "mage.glb", ["Mage_Body", "Mage_ArmLeft", "Mage_ArmRight"]
    drawn = native(tmp_path, mage, 15, "--clip", "Walking_A", "--parts", ",".join(parts))
    assert_equal_pictures(drawn, reference(mage, 15, "Walking_A", parts))


def test_the_command_line_shows_a_file_that_is_written_anew_with_its_pictures(data_dir: Path, tmp_path: Path) -> None:
    content = (data_dir / "cowboy.dae").read_bytes().replace(b"character%20Texture.png", b"cloth.png")
    (tmp_path / "plain.dae").write_bytes(content)
    (tmp_path / "blank.dae").write_bytes(re.sub(rb"(<color(?: [^<>]*)?>)([^<]*)", rb"\1\n  \2  ", content))
    Image.new("RGB", (4, 4), (200, 10, 10)).save(tmp_path / "cloth.png")
    words = [*PLAIN, "--clip", "animation", "--parts", "Material", "--method", "dynamic"]
    given = ["--headless", "--frames", "3:3", "--size", "640x360", *words, "-o", str(tmp_path / "blank")]
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "view", str(tmp_path / "blank.dae"), *given]
    subprocess.run(command, check=True)
    shown = picture(tmp_path / "blank", 3)
    assert_equal_pictures(shown, native(tmp_path / "plain", tmp_path / "plain.dae", 3, *words))
    assert (shown[..., 0] - shown[..., 1]).max() > 100


def test_errors_of_a_content_name_the_file_that_it_stands_for(tmp_path: Path) -> None:
    for name, content in (("cloth.glb", b"glTF"), ("other", b"no glTF")):
        (tmp_path / name).write_bytes(content)
    cloth, other, none = (tmp_path / name for name in ("cloth.glb", "other", "none"))
    told = refusal(cloth, "--content", cloth, other, "--headless", "-o", tmp_path / "out")
    assert told.startswith(f"pucker-view: {cloth}: ")
    assert str(other) not in told
    told = refusal(cloth, "--content", other, cloth, "--headless", "-o", tmp_path / "out")
    assert f"--content is for FILE or that of --motion, not for {other}" in told
    assert f"{none} cannot be read" in refusal(cloth, "--content", cloth, none, "--headless", "-o", tmp_path / "out")


def test_a_camera_file_of_python_gives_the_same_picture(kimono: Path, tmp_path: Path) -> None:
    camera = render.Camera.orbit((0.1, 2.0, 0.0), 5.0, -50.0, 20.0, field_of_view=40.0)
    camera.to_json(tmp_path / "camera.json")
    assert render.Camera.from_json(tmp_path / "camera.json") == camera
    drawn = native(tmp_path, kimono, 20, *WALK, "--camera", tmp_path / "camera.json")
    assert_equal_pictures(drawn, reference(kimono, 20, "Walk", ["Clothes", "Band"], camera))


@pytest.mark.parametrize(
    ("options", "params"),
    [
        (["--set", "threshold=1.2"], {"threshold": 1.2}),
        (["--set", "relative_width=0.015"], {"share": 0.015}),
        (["--set", "profile=wave"], {"shape": {"profile": "wave"}}),
        (["--set", "seed=1"], {"seed": 1}),
    ],
    ids=["threshold", "min-width", "profile", "seed"],
)
def test_both_programs_take_the_options_of_the_method_alike(
    options: list[str],
    params: dict[str, Any],
    kimono: Path,
    without_overlays: npt.NDArray[np.int64],
    tmp_path: Path,
) -> None:
    drawn = native(tmp_path, kimono, 20, *WALK, *options)
    assert_equal_pictures(drawn, reference(kimono, 20, "Walk", ["Clothes", "Band"], **params))
    # With the defaults it is another picture: an option without effect in either program would be found out.
    assert (np.abs(drawn - without_overlays).max(axis=2) > 2).mean() > 0.002


def test_frames_are_written_from_the_first_to_the_last(kimono: Path, tmp_path: Path) -> None:
    assert view(kimono, *WALK, "--headless", "--frames", "3:5", "--size", "32x20", "-o", tmp_path).returncode == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"frame_000{k}.png" for k in (3, 4, 5)]
    assert picture(tmp_path, 3).shape == (20, 32, 3)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], "the file has 17 clips, choose one of"),
        (["--clip", "Swim"], "Swim"),
        ([*WALK, "--frames", "5:4"], "--frames 5:4 holds no frame"),
        ([*WALK, "--frames", "0:99"], r"--frames must lie in \[0, 38\), not 0:99"),
        ([*WALK, "--frames", "all"], "--frames must be FIRST:LAST"),
        ([*WALK, "--size", "0x10"], "at least 1 and at most .* not 0 x 10"),
        ([*WALK, "--size", "big"], "--size must be WIDTHxHEIGHT"),
        ([*WALK, "--samples", "1000"], r"samples must lie in \[0, .* not 1000"),
        ([*WALK, "--method", "dynamic", "--set", "threshold=0.5"], "threshold .* got 0.5"),
        ([*WALK, "--set", "threshold=1.1"], "params has no 'threshold'; there are levels, "),
        (
            [*WALK, "--method", "dynamic", "--set", "profile=flat"],
            "--set profile must be one of quartic, sinusoidal, arcs, bspline, wave, crease, not 'flat'",
        ),
        ([*WALK, "--mode", "none"], "--mode must be one of base, normals, displacement, both, parallax, not 'none'"),
        ([*WALK, "--normals", "flat"], "--normals must be one of smooth, file, not 'flat'"),
        ([*WALK, "--least-edge", "-1"], "--least-edge must be at least 0 pixels, not -1"),
        ([*WALK, "--view", "below"], "--view must be one of .*three-quarter.*not 'below'"),
        ([*WALK, "--camera", "none.json"], "none.json cannot be read"),
        ([*WALK, "--shaders", "/"], "/programs.json cannot be read"),
        ([*WALK, "--colour"], "--colour"),
        ([*WALK, "--method", "tides"], "--method must be one of dynamic, waves, byexample, drape, not 'tides'"),
        ([*WALK, "--method", "waves", "--set", "depth=1"], "params has no 'depth'; there are wavelength, "),
        ([*WALK, "--method", "waves", "--labels"], "overlays of the method waves must be of .*, not 'labels'"),
        ([*WALK, "--set", "threshold"], "--set must be NAME=VALUE, not 'threshold'"),
        ([*WALK, "--method", "dynamic", "--set", "seed=1.5"], "--set seed must be a whole number, not '1.5'"),
        ([*WALK, "--params", "none.toml"], "none.toml cannot be read"),
    ],
)
def test_what_cannot_be_done_is_told_in_one_sentence(
    options: list[str], told: str, kimono: Path, tmp_path: Path
) -> None:
    assert re.search(told, refusal(kimono, "--headless", "-o", tmp_path / "out", *options))
    assert not (tmp_path / "out").exists()


def test_a_picture_that_cannot_be_read_is_left_out(tmp_path: Path) -> None:
    file = GltfFile()
    points, faces = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]), np.array([[0, 1, 2]])
    node = file.node(mesh=file.mesh(points, faces))
    file.animation("slide", {(node, "translation"): ([0.0, 1.0], np.zeros((2, 3)))})
    file.add("images", {"uri": "paint.png"})
    file.add("textures", {"source": 0})
    file.add("materials", {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    file.write(tmp_path / "cloth.gltf")
    huge = io.BytesIO()
    Image.new("L", (9000, 9000)).save(huge, "PNG")
    for content, words in (
        (b"\xabKTX 20\xbb" + bytes(100), "cannot be decoded"),
        (huge.getvalue(), "9000 x 9000 pixels"),
    ):
        (tmp_path / "paint.png").write_bytes(content)
        arguments = ("--headless", "--frames", "0:0", "--size", "32x32", "-o", tmp_path / "out")
        done = view(tmp_path / "cloth.gltf", *arguments)
        assert done.returncode == 0, done.stderr
        assert words in done.stderr
        assert "paint.png" in done.stderr
        assert (tmp_path / "out" / "frame_0000.png").exists()


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    assert "none.gltf" in refusal(tmp_path / "none.gltf", "--headless")


def test_a_folder_that_takes_no_files_is_told(kimono: Path, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    refusal(kimono, *WALK, "--headless", "--frames", "0:0", "-o", tmp_path / "taken")
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]


def limited_files() -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))


def test_a_full_disk_is_told_and_leaves_the_earlier_pictures(kimono: Path, tmp_path: Path) -> None:
    (tmp_path / "frame_0001.png").write_text("earlier")
    done = subprocess.run(
        [str(VIEWER), str(kimono), *WALK, "--headless", "--frames", "0:2", "-o", str(tmp_path)],
        capture_output=True, text=True, check=False, timeout=120, preexec_fn=limited_files, restore_signals=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == f"pucker-view: {tmp_path}/frame_0000.png cannot be written: File too large\n"
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("frame_0001.png", "earlier")]


def test_an_interruption_leaves_no_picture(kimono: Path, tmp_path: Path) -> None:
    arguments = [str(VIEWER), str(kimono), *WALK, "--headless", "--loops", "50", "-o", str(tmp_path / "out")]
    with subprocess.Popen(arguments, stderr=subprocess.PIPE, text=True) as process:
        while not list(tmp_path.rglob("*.png")):
            assert process.poll() is None
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        told = process.communicate(timeout=60)[1]
    assert (process.returncode, told) == (130, "pucker-view: interrupted; no picture is there\n")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("{", "camera.json"),
        ("[]", "must be an object of eye, target"),
        ('{"eye": [0, 0, 1]}', "at least eye and target"),
        ('{"eye": [0, 0, 1], "target": [0, 0]}', "target must be three numbers"),
        ('{"eye": [0, 0, 1], "target": [0, 0, 1]}', "must not have its eye at its target"),
        ('{"eye": [0, 0, 1], "target": [0, 0, 0], "near": 5, "far": 1}', "must have 0 < near < far, not 5"),
        ('{"eye": [0, 0, 1], "target": [0, 0, 0], "field_of_view": 180}', r"field_of_view in \(0, 180\), not 180"),
        ('{"eye": [0, 0, 1], "target": [0, 0, 0], "up": 1}', "must be an object of eye, target"),
    ],
)
def test_both_programs_refuse_a_wrong_camera_file(content: str, told: str, kimono: Path, tmp_path: Path) -> None:
    path = tmp_path / "camera.json"
    path.write_text(content)
    assert re.search(told, refusal(kimono, *WALK, "--headless", "--camera", path, "-o", tmp_path / "out"))
    with pytest.raises(ValueError, match=told):
        render.Camera.from_json(path)


def test_a_context_that_is_too_old_is_told(kimono: Path, tmp_path: Path) -> None:
    told = refusal(kimono, *WALK, "--headless", "-o", tmp_path / "out", MESA_GL_VERSION_OVERRIDE="3.3")
    assert "OpenGL 4.3 is needed, found 3.3" in told


def test_a_machine_without_a_display_is_told(kimono: Path) -> None:
    assert "no window can be opened" in refusal(kimono, *WALK, DISPLAY="")


def test_a_shader_that_does_not_compile_is_told_with_the_line_of_its_author(kimono: Path, tmp_path: Path) -> None:
    shaders = tmp_path / "shaders"
    shutil.copytree(render.shader_dir(), shaders)
    lighting = shaders / "common" / "lighting.glsl"
    lighting.write_text(lighting.read_text().replace("#include", "float broken = missing;\n#include", 1))
    line = lighting.read_text().splitlines().index("float broken = missing;") + 1
    told = refusal(kimono, *WALK, "--headless", "--shaders", shaders, "-o", tmp_path / "out")
    assert re.search(rf"program plain/\w+, stage fragment: lighting\.glsl:{line}: error: .*missing", told)


def test_an_include_that_does_not_exist_is_told_with_its_line(kimono: Path, tmp_path: Path) -> None:
    shaders = tmp_path / "shaders"
    shutil.copytree(render.shader_dir(), shaders)
    (shaders / "dynamic" / "path.vert").write_text('#version 430 core\n#include "none.glsl"\n')
    told = refusal(kimono, *WALK, "--headless", "--shaders", shaders, "-o", tmp_path / "out")
    assert 'path.vert:2: include "none.glsl" is not in' in told


def test_the_command_line_starts_the_viewer() -> None:
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "view", "--frames", "x"]
    # Options are looked at before a window is opened, so that no display of this name is missed.
    given = {**os.environ, "DISPLAY": ":99"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=given)
    assert (done.returncode, done.stderr) == (2, "pucker-view: --frames needs --headless\n")


def test_a_viewer_that_is_not_installed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_module, "viewer_program", lambda: None)
    done = CliRunner().invoke(cli, ["view"], prog_name="pucker")
    assert done.exit_code == 2
    assert "pucker-view is not installed" in done.stderr
