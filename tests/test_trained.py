"""Files of trained sets as the core reads them, against NumPy, which wrote them."""

import dataclasses
import json
import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import pucker
from pucker import byexample
from pucker._core import _byexample as byexample_core
from pucker.byexample.trained import Origin
from pucker.cli import cli
from pucker.cli.view import suggested, wrinkles_in

FACES = np.array([[0, 1, 2], [0, 2, 3]])
REST = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]])
HEADER = {"format": "pucker.byexample", "version": 2, "levels": 0, "options": {}, "parts": [], "step": 0.0}


def parts(rng):
    poses = np.stack([REST, REST * [0.75, 0.5, 1.0]])
    return {"faces": FACES, "rest": REST, "poses": poses, "details": rng.integers(-99, 99, (2, 4, 3)) / 64}


def written(path, arrays, header=HEADER):
    np.savez(path, header=np.array(json.dumps(header)), **arrays)
    return path


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("faces", ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"])
@pytest.mark.parametrize("layout", ["C", "F"])
def test_arrays_of_any_form_are_read_as_numpy_reads_them(tmp_path, rng, order, faces, layout):
    arrays = parts(rng)
    kept = {name: np.asarray(value, order + "f8", order=layout) for name, value in arrays.items()}
    kept["faces"] = np.asarray(FACES, order + faces, order=layout)
    kept["poses"] = np.asarray(arrays["poses"], order + "f4", order=layout)
    found = byexample.load(written(tmp_path / "set.npz", kept))
    for name, value in arrays.items():
        assert np.array_equal(getattr(found, name), value), name


def test_multiples_of_a_step_are_what_numpy_makes_of_them(tmp_path, rng):
    arrays = parts(rng)
    arrays["details"] = rng.integers(-32767, 32767, (2, 4, 3)).astype(np.int16)
    step = float(rng.random())
    found = byexample.load(written(tmp_path / "set.npz", arrays, {**HEADER, "step": step}))
    assert np.array_equal(found.details, step * arrays["details"])
    arrays["details"] = arrays["details"] + 0.5
    with pytest.raises(pucker.Error, match=r"set\.npz: is damaged: details must be whole multiples"):
        byexample.load(written(tmp_path / "set.npz", arrays, {**HEADER, "step": step}))


def test_names_of_parts_are_text_of_any_language(tmp_path, rng):
    names = ["Ärmel", "袖", "\U0001f457", 'a"b']
    found = byexample.load(written(tmp_path / "set.npz", parts(rng), {**HEADER, "parts": names}))
    assert found.parts == tuple(names)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"faces": FACES + 0.5}, "is damaged: faces must hold whole numbers of 32 bits, got 0.5"),
        ({"faces": FACES.astype(complex)}, "holds what are no real numbers, of NumPy's type c16"),
        ({"faces": np.array(["a"])}, "holds several texts"),
        ({"faces": np.array("a")}, r"is damaged: faces must have shape \(any, 3\), got \(\)"),
        ({"faces": np.array([(1, 2.0)], "i4,f8")}, "holds records"),
        ({"faces": FACES + 2**60}, "which is more than a double counts"),
        ({"rest": REST[:, :2]}, r"is damaged: rest must have shape \(any, 3\), got \(4, 2\)"),
        ({"poses": REST}, r"is damaged: poses must have shape \(any, 4, 3\), got \(4, 3\)"),
        ({"details": np.zeros((1, 4, 3))}, r"is damaged: details must have shape \(2, any, 3\), got \(1, 4, 3\)"),
        ({"rest": np.full((4, 3), np.nan)}, "is damaged: .*finite"),
        ({"rest": REST * 1e30}, r"is damaged: rest must be finite and at most 1e\+20 in magnitude, got 1e\+30"),
        ({"details": np.full((2, 4, 3), -5e299)}, r"is damaged: details must be finite and at most 1e\+20"),
        (
            {"poses": np.zeros((0, 4, 3)), "details": np.zeros((0, 2**40, 3))},
            "is damaged: a set needs at least one pose",
        ),
    ],
)
def test_arrays_of_something_else_are_told(tmp_path, rng, change, told):
    with pytest.raises(pucker.Error, match=told):
        byexample.load(written(tmp_path / "set.npz", {**parts(rng), **change}))


def test_more_levels_than_details_are_not_subdivided(tmp_path, rng):
    for levels in (-1, 14, 2**31 - 1):
        with pytest.raises(pucker.Error, match="is damaged: details must have one row a vertex"):
            byexample.load(written(tmp_path / "set.npz", parts(rng), {**HEADER, "levels": levels}))


@pytest.mark.parametrize(
    ("shape", "kind", "held"),
    [
        ("(1000000000, 3)", "<i4", 24),
        ("(4611686018427387904, 4)", "<i4", 24),
        ("(3,)", "<i4", 24),
        ("(-2, 3)", "<i4", 24),
        ("(2, x)", "<i4", 24),
        ("2", "<i4", 24),
        ("(1000000000000000000, 3)", "<f0", 0),
        ("(1000000000000, 3)", "<i0", 0),
    ],
)
def test_a_shape_that_is_not_there_is_told_before_memory_is_taken(tmp_path, rng, shape, kind, held):
    path = written(tmp_path / "set.npz", parts(rng))
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    entries["faces.npy"] = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(held)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    with pytest.raises(pucker.Error, match=r"set\.npz: is truncated or damaged, or no \.npz: faces\.npy: "):
        byexample.load(path)


def test_the_viewer_is_started_with_the_parts_of_the_set(data_dir: Path) -> None:
    character, trained = str(data_dir / "kimono_male.gltf"), str(data_dir / "kimono.pose.npz")

    def found(from_set: str) -> list[str]:
        words = (character, "--clip", "Walk", "--method", "byexample", "--trained", from_set)
        return suggested(words, wrinkles_in(words))

    assert found(trained) == ["--parts", "Clothes"]
    assert found(character) == []


def test_a_set_says_what_it_is_for(data_dir: Path, tmp_path: Path) -> None:
    trained = dataclasses.replace(byexample.load(data_dir / "kimono.pose.npz"), origin=Origin(file="kimono_male.gltf"))
    trained.save(tmp_path / "set.npz")
    assert byexample.load(tmp_path / "set.npz").origin.file == "kimono_male.gltf"
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Band"])
    told = r"the set was trained on a mesh of \d+ vertices, not \d+; it is for --parts Clothes"
    old = dataclasses.replace(trained, origin=Origin())
    old.save(tmp_path / "old.npz")
    for path, ending in ((tmp_path / "set.npz", " of kimono_male.gltf$"), (tmp_path / "old.npz", "$")):
        with pytest.raises(ValueError, match=told + ending):
            next(pucker.run(clip, byexample.Params(trained=str(path))))
    command = [sys.executable, "-c", "from pucker.cli import main; main()", "info", str(tmp_path / "set.npz")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "a trained set for --parts Clothes of kimono_male.gltf, " in done.stdout
    found = json.loads(subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout)
    assert "learned from" not in done.stdout
    assert found["parts"] == ["Clothes"]
    assert found["character"] == "kimono_male.gltf"


def test_a_set_says_what_it_was_learned_from(data_dir: Path, tmp_path: Path) -> None:
    origin = Origin(
        "kimono_male.gltf",
        ("Walk", "Idle", "Jump"),
        "drape",
        0.45,
        (0.3, float("nan"), 0.6),
        frames=120,
        date="2026-11-24",
    )
    dataclasses.replace(byexample.load(data_dir / "kimono.pose.npz"), origin=origin).save(tmp_path / "set.npz")
    found = byexample.load(tmp_path / "set.npz").origin
    assert str(found) == str(origin)
    done = CliRunner().invoke(cli, ["info", str(tmp_path / "set.npz")], prog_name="pucker")
    assert done.output.splitlines()[1:3] == [
        "learned from 120 frames of 3 clips: Walk, Idle, Jump; draped cloth, on 2026-11-24",
        "each clip left out in turn is predicted from the rest with a correlation of 0.45 in the mean, 0.30 to 0.60, the least for Walk",
    ]
    done = CliRunner().invoke(cli, ["info", str(tmp_path / "set.npz"), "--json"], prog_name="pucker")
    learned = json.loads(done.output)["learned_from"]
    assert learned["left_out"] == [0.3, None, 0.6]
    assert learned["date"] == "2026-11-24"


@pytest.mark.parametrize("motion", ["", "Falling Idle.fbx"])
def test_a_set_tells_the_command_that_plays_it_with_the_motion_it_was_learned_from(
    motion: str, data_dir: Path, tmp_path: Path
) -> None:
    trained, path = byexample.load(data_dir / "kimono.pose.npz"), tmp_path / "set.npz"
    dataclasses.replace(trained, origin=dataclasses.replace(trained.origin, motion=motion)).save(path)
    # Readers of before pass over it.
    assert "motion" not in byexample_core.read_trained(str(path))["origin"]
    assert byexample.load(path).origin == dataclasses.replace(trained.origin, motion=motion)
    with np.load(path) as arrays:
        assert ("motion" in json.loads(str(arrays["header"]))["origin"]) == bool(motion)
    told = CliRunner().invoke(cli, ["info", str(path)], prog_name="pucker").output.splitlines()[-1]
    moved = " --motion 'Falling Idle.fbx'" if motion else ""
    assert told == f"plays with: pucker view kimono_male.gltf{moved} --trained {path}"
    found = json.loads(CliRunner().invoke(cli, ["info", str(path), "--json"], prog_name="pucker").output)
    assert found["learned_from"]["motion"] == motion


def test_a_set_whose_motion_is_no_name_is_damaged(data_dir: Path, tmp_path: Path) -> None:
    path = tmp_path / "set.npz"
    with np.load(data_dir / "kimono.pose.npz") as arrays:
        content = dict(arrays)
    header = json.loads(str(content["header"]))
    header["origin"]["motion"] = 3
    np.savez(path, **{**content, "header": json.dumps(header)})
    with pytest.raises(pucker.Error, match=r"set\.npz: is damaged: 'motion' is 3"):
        byexample.load(path)


def test_a_set_that_is_given_says_its_method_and_its_parts(data_dir: Path, tmp_path: Path) -> None:
    out = tmp_path / "walk.npz"
    words = [
        "bake",
        data_dir / "kimono_male.gltf",
        "--clip",
        "Walk",
        "--trained",
        data_dir / "kimono.pose.npz",
        "-o",
        out,
    ]
    done = CliRunner().invoke(cli, [str(word) for word in words], prog_name="pucker")
    assert done.exit_code == 0, done.output
    trained = byexample.load(data_dir / "kimono.pose.npz")
    assert f"{len(trained.faces) * 4**trained.levels} triangles" in done.output
    refused = CliRunner().invoke(
        cli, [*map(str, words[:4]), "--method", "byexample", "-o", str(out)], prog_name="pucker"
    )
    assert refused.exit_code == 2
    assert refused.stderr == (
        "pucker: the method byexample needs a trained set: --trained FILE.npz, or params.trained in a program\n"
    )


@pytest.mark.parametrize("name", ["kimono", "dress"])
def test_the_page_on_training_says_of_the_sets_what_they_say_of_themselves(data_dir, name):
    file = data_dir / f"{name}.pose.npz"
    page = (data_dir.parent / "docs" / "training.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith(f"| `{file.name}` |"))
    origin = byexample.load(str(file)).origin
    told = [float(cell) for cell in line.strip("| ").split(" | ")[1:]]
    found = [len(origin.clips), origin.correlation, origin.untaught, origin.again, file.stat().st_size / 1e6]
    assert told == [len(origin.clips), *(round(each, 2) for each in found[1:4]), round(found[4], 1)]
