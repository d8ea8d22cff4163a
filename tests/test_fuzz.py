"""The fuzzer of tests/fuzz.py: that its inputs reach what they are for, and a short run of all that is asked from Python."""

import io
import json
import random
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import fuzz_mutations
import numpy as np
import pytest
from fuzz_seeds import seeds, valid

import pucker
from pucker.metrics.compare.scene import Scene

ROOT = Path(__file__).parent.parent
INPUTS = 200


def some(kind: str, count: int = 300) -> list[bytes]:
    """What valid files of a kind hold, changed once each."""
    draws, start = random.Random(5), valid(kind)
    return [fuzz_mutations.changed(draws.choice(start), kind, draws) for _ in range(count)]


@pytest.mark.parametrize("kind", ["npz", "trained", "painting", "scene", "recording", "zip"])
def test_changed_archives_have_right_checksums(kind):
    members = 0
    for data in some(kind):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert archive.testzip() is None
            members += len(archive.namelist())
    assert members > 300


@pytest.mark.parametrize("kind", ["gltf", "motion", "camera"])
def test_changed_trees_can_be_parsed(kind):
    parsed = 0
    for data in some(kind):
        try:
            json.loads(data)
            parsed += 1
        except ValueError:
            pass  # of a tree that would hold itself a text is changed
    assert parsed > 270


def test_changed_binary_trees_have_right_lengths():
    for data in some("glb"):
        assert int.from_bytes(data[8:12], "little") == len(data)
        first = int.from_bytes(data[12:16], "little")
        json.loads(data[20 : 20 + first])


def test_arrays_are_changed_in_value_shape_and_type():
    draws = random.Random(2)
    whole = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    out = [fuzz_mutations.array_of(whole, draws) for _ in range(300)]
    assert any(not np.isfinite(each).all() for each in out if each.dtype.kind == "f")
    assert len({each.shape for each in out}) > 8
    assert len({each.dtype.kind for each in out}) > 4
    assert any(each.size == 0 for each in out)


@pytest.mark.parametrize("kind", ["npz", "trained", "painting", "scene", "recording"])
def test_archives_that_pucker_writes_hold_no_time(kind):
    for data in valid(kind):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("kind", ["npz", "zip", "gltf", "usda", "md3"])
def test_the_same_seed_gives_the_same_inputs(kind):
    start = seeds(kind)
    first, second = (fuzz_mutations.mutations(start, kind, random.Random(3)) for _ in range(2))
    assert [next(first) for _ in range(40)] == [next(second) for _ in range(40)]


def test_no_changed_scene_escapes_as_another_error(tmp_path):
    draws = random.Random(11)
    path = tmp_path / "scene.npz"
    (whole,) = valid("scene")
    path.write_bytes(whole)
    assert len(Scene.load(path)) == 2
    said = []
    for data in some("scene", 150) + [whole[: draws.randrange(len(whole))] for _ in range(20)]:
        path.write_bytes(data)
        try:
            Scene.load(path)
        except pucker.Error as error:
            said.append(str(error))
    assert len(said) > 80
    assert [text for text in said if not text.startswith(f"{path}: is no scene: ")] == []
    with pytest.raises(pucker.Error, match="no such file"):
        Scene.load(tmp_path / "none.npz")


def test_a_scene_of_frames_that_its_clip_has_not_is_refused(tmp_path):
    with np.load(io.BytesIO(valid("scene")[0])) as archive:
        arrays = dict(archive)
    for first in (-1, 3, 2**40):
        np.savez(tmp_path / "scene.npz", **{**arrays, "numbers": np.array([1, first])})
        with pytest.raises(pucker.Error, match=f"frames {first} to {first + 1} are not all among the clip's"):
            Scene.load(tmp_path / "scene.npz")


def test_every_reader_from_python_takes_its_seeds_and_refuses_damage(tmp_path):
    table = tmp_path / "table.md"
    command = [sys.executable, ROOT / "tests" / "fuzz.py", "--python", "--inputs", str(INPUTS), "--keep", table]
    result = subprocess.run(command, check=False, capture_output=True, text=True, errors="replace", timeout=300)
    assert result.returncode == 0, result.stdout + result.stderr[-3000:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.read_text().splitlines()[2:]]
    assert len(rows) > 20
    for reader, inputs, _, taken, _, found in rows:
        assert (int(inputs), found) == (INPUTS, "nothing"), reader
        # Some of what is changed is taken, and some refused: inputs get past the first check.
        share = re.fullmatch(r"(\d+) %", taken)
        assert share is not None, reader
        assert 0 < int(share[1]) < 95, reader
