"""Another CMake project finds the installed core, builds the example program with it, and gets what Python gets."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import numpy as np
import pybind11
import pytest
import scikit_build_core.build
from PIL import Image
from test_stage_pages import assert_same_text

import pucker
from pucker.render import Camera, Light, Renderer, Style

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/python"

pytestmark = pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="no build tree; ./run test makes it")


def run(*command: str | Path, status: int = 0) -> str:
    """What a command prints, and its errors."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CMAKE_PREFIX")}
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == status, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the core is installed."""
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--build", BUILD, "--target", "pucker_c", "pucker_c_static")
    run("cmake", "--install", BUILD, "--component", "development", "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def program(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example program."""
    build = tmp_path_factory.mktemp("example")
    run("cmake", "-G", "Ninja", "-S", ROOT / "examples/cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    return build / "wrinkle"


def test_the_example_agrees_with_python(program: Path, tmp_path: Path, data_dir: Path) -> None:
    out = tmp_path / "walk.obj"
    told = run(program, data_dir / "kimono_male.gltf", "Walk", out, "Clothes", "Band")

    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    *_, state = pucker.run(clip, pucker.Params(threshold=1.05))
    detail = state.detail
    reached = np.isfinite(detail.feature_sizes)
    targets = np.where(reached, detail.feature_size / 3.0, np.inf)
    fine = pucker.Subdivision(clip.mesh, clip.mesh.edge_levels(clip.positions[-1], targets, 64))
    expected = detail.evaluate(fine.triangles, fine.barycentrics).positions

    lines = [line.split() for line in out.read_text().splitlines()]
    vertices = np.array([line[1:] for line in lines if line[0] == "v"], dtype=float)
    faces = np.array([line[1:] for line in lines if line[0] == "f"], dtype=int) - 1
    assert len(vertices) > 10 * clip.positions.shape[1]
    np.testing.assert_allclose(vertices, expected, rtol=0, atol=1e-7)
    np.testing.assert_array_equal(faces, fine.faces)
    assert f"triangles {len(faces)}" in told
    page = (ROOT / "docs/cplusplus.md").read_text(encoding="utf-8")
    (shown,) = re.findall(r"^```text\n(.*?)^```\n", page, re.MULTILINE | re.DOTALL)
    assert_same_text(told, shown)


def test_the_packed_layout_drawn_by_plain_opengl_looks_as_pucker_draws_it(
    prefix: Path, tmp_path: Path, data_dir: Path
) -> None:
    build = tmp_path / "build"
    run("cmake", "-G", "Ninja", "-S", ROOT / "examples/opengl", "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", build)
    frame, out = 12, tmp_path / "run.ppm"
    run(build / "packed", data_dir / "kimono_male.gltf", "Run", str(frame), out, "Clothes", "Band")
    with Image.open(out) as picture:
        drawn = np.asarray(picture).astype(int)

    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    state = list(pucker.run(clip, pucker.Params.ridges()))[frame]
    style = Style(light=Light(specular=0.0))
    with Renderer((drawn.shape[1], drawn.shape[0])) as renderer:
        surface = renderer.surface(clip.faces, len(state.positions))
        surface.set_positions(state.positions)
        camera = Camera.fit(state.positions, aspect=1.0)
        coarse = renderer.render([surface], camera, style)[..., :3].astype(int)
        surface.set_detail(state.detail)
        wrinkled = renderer.render([surface], camera, style)[..., :3].astype(int)
    changed = np.abs(wrinkled - coarse).max(axis=2) > 8
    assert changed.sum() > 1000
    assert np.abs(drawn - wrinkled).mean() < 0.15
    # Where there are wrinkles the example draws them, but for the straight segments of its paths.
    assert np.abs(drawn - wrinkled)[changed].mean() < 0.3 * np.abs(drawn - coarse)[changed].mean()


def test_what_goes_wrong_is_told_by_the_example(program: Path, tmp_path: Path, data_dir: Path) -> None:
    told = run(program, data_dir / "kimono_male.gltf", "Waltz", tmp_path / "a.obj", status=1)
    assert re.match(r"wrinkle: .*Waltz", told)


@pytest.mark.parametrize("version", ["0.2", "1.0"])
def test_another_version_is_not_taken(version: str, prefix: Path, tmp_path: Path) -> None:
    example = tmp_path / "example"
    shutil.copytree(ROOT / "examples/cpp", example)
    listing = example / "CMakeLists.txt"
    listing.write_text(listing.read_text().replace("find_package(pucker 0.1", f"find_package(pucker {version}"))
    command = ["cmake", "-G", "Ninja", "-S", example, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={prefix}"]
    assert "version: 0.1.0" in run(*command, status=1)


def test_an_sdist_has_all_that_it_is_built_from(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    name = scikit_build_core.build.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / name) as archive:
        archive.extractall(tmp_path, filter="data")
    sources = tmp_path / name.removesuffix(".tar.gz")
    for folder in ("cpp/include", "cpp/src", "cpp/bindings", "cmake", "shaders", "licenses", "python"):
        there = {path.relative_to(ROOT) for path in (ROOT / folder).rglob("*") if path.is_file()}
        wanted = {path for path in there if not {"__pycache__", ".mypy_cache"} & set(path.parts)}
        assert {path for path in wanted if not (sources / path).is_file()} == set()
    assert (sources / "data/kimono_male.gltf").read_bytes() == pucker.examples.kimono().read_bytes()
    options = [f"-DPython_EXECUTABLE={sys.executable}", f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]
    run("cmake", "-G", "Ninja", "-S", sources, "-B", tmp_path / "build", "-DPUCKER_BINDINGS=ON", *options)
    assert not (sources / "tests").exists()


def test_sources_that_cannot_be_fetched_are_told(tmp_path: Path) -> None:
    command = [
        "cmake",
        "-G",
        "Ninja",
        "-S",
        ROOT,
        "-B",
        tmp_path,
        "-DPUCKER_STATIC_DEPS=ON",
        "-DGIT_EXECUTABLE=/bin/false",
    ]
    told = " ".join(run(*command, status=1).split())
    assert re.search(r"builds assimp 5\.2\.5, and \S+ does not answer", told)
    assert "-DFETCHCONTENT_SOURCE_DIR_ASSIMP=FOLDER" in told
