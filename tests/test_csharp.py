"""The example in C#: over the frames of a clip, by Mono, it gives the bits that Python gives."""

import os
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import pucker
from pucker.drape import Params as DrapeParams

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build/python"
FPS = 24.0

pytestmark = [
    pytest.mark.skipif(not (BUILD / "CMakeCache.txt").exists(), reason="no build tree; ./run test makes it"),
    pytest.mark.skipif(
        shutil.which("mcs") is None or shutil.which("mono") is None,
        reason="no compiler of C#: apt-get install mono-mcs mono-runtime",
    ),
]


def call(*command, **environment):
    done = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, check=False, env=os.environ | environment
    )
    return done.returncode, done.stdout, done.stderr


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    built = tmp_path_factory.mktemp("csharp") / "wrinkle.exe"
    assert call("cmake", "--build", BUILD, "--target", "pucker_c")[0] == 0
    source = ROOT / "examples" / "csharp" / "Wrinkle.cs"
    status, out, errors = call("mcs", "-warnaserror", f"-out:{built}", source)
    assert status == 0, out + errors
    return lambda *words: call("mono", built, *words, LD_LIBRARY_PATH=str(BUILD / "cpp" / "c"))


@pytest.fixture(scope="module")
def clip():
    bending = pucker.examples.bending_sleeve(frames=6)
    times = np.arange(len(bending.positions)) / FPS
    # Mono reads numbers of more digits, but not to the last bit.
    positions = np.round(bending.positions * 2**20) / 2**20
    return pucker.Clip.from_arrays(bending.faces, positions, times, weld=False, rest=positions[0])


@pytest.fixture(scope="module")
def frames(clip, tmp_path_factory):
    """A folder of OBJ files that hold all digits."""
    folder = tmp_path_factory.mktemp("frames")
    faces = [f"f {a}/1 {b}/1 {c}/1" for a, b, c in (clip.faces + 1).tolist()]
    for number, positions in enumerate(clip.positions):
        lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in positions.tolist()]
        (folder / f"{number:04}.obj").write_text("\n".join([*lines, *faces]))
    return folder


def numbers(path, first):
    lines = [line.split() for line in path.read_text().splitlines()]
    return np.array([line[1:] for line in lines if line[0] == first], dtype=float)


@pytest.mark.parametrize(
    ("method", "params", "settings"),
    [
        ("drape", DrapeParams(levels=1, iterations=5, cut="rest"), ["levels=1", "iterations=5"]),
        ("waves", pucker.waves.Params(), []),
    ],
)
def test_every_frame_has_the_bits_of_python(program, clip, frames, tmp_path, method, params, settings):
    status, _, errors = program(method, frames, tmp_path, FPS, *settings)
    assert (status, errors) == (0, "")
    shown = sorted(tmp_path.iterdir())
    for file, state in zip(shown, pucker.run(clip, params), strict=True):
        detail = state.detail
        if method == "drape":
            positions, normals = detail.fine_positions, detail.fine_normals
        else:
            fine = pucker.Subdivision(clip.mesh, 4)
            made = detail.evaluate(fine.triangles, fine.barycentrics)
            positions, normals = made.positions, made.normals
        np.testing.assert_array_equal(numbers(file, "v"), positions)
        np.testing.assert_array_equal(numbers(file, "vn"), normals)


def test_what_fails_is_told_in_a_sentence(program, frames, tmp_path):
    assert program("waltz", frames, tmp_path, FPS)[0] == 1
    status, out, errors = program("drape", frames, tmp_path, FPS, "levles=1")
    assert (status, out) == (1, "")
    assert errors.startswith("wrinkle: ")
    assert "levles" in errors
    assert "levels" in errors
    assert program("drape", tmp_path, tmp_path, FPS)[2] == f"wrinkle: {tmp_path} has no OBJ files\n"


def test_it_is_short():
    assert len((ROOT / "examples" / "csharp" / "Wrinkle.cs").read_text().splitlines()) <= 150
