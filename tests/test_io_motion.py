"""A character moved by the clips of another file."""

import base64
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from click.testing import CliRunner

import pucker
from pucker.cli import cli
from pucker.sweeps.grid import Grid

Floats = npt.NDArray[np.float64]

# Keys are float32.
NEAR = 2e-6


class Rig:
    """A glTF with its buffer inside, whose skeleton and motion can be changed."""

    def __init__(self, path: Path) -> None:
        self.json: dict[str, Any] = json.loads(path.read_text())
        self._buffer = bytearray(base64.b64decode(self.json["buffers"][0]["uri"].split(",")[1]))
        self.nodes: list[dict[str, Any]] = self.json["nodes"]

    def named(self, name: str) -> int:
        return next(k for k, node in enumerate(self.nodes) if node["name"] == name and "mesh" not in node)

    def rename(self, change: Callable[[str], str]) -> None:
        for node in self.nodes:
            node["name"] = change(node["name"])

    def values(self, accessor: int) -> npt.NDArray[np.float32]:
        """The numbers of an accessor, which may be written."""
        entry = self.json["accessors"][accessor]
        view = self.json["bufferViews"][entry["bufferView"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[entry["type"]]
        start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
        found = np.frombuffer(self._buffer, "<f4", entry["count"] * width, start)
        return found.reshape(entry["count"], width)

    def keys(self, path: str) -> list[tuple[int, npt.NDArray[np.float32]]]:
        """Node and keys of every channel of all clips that moves the `path` of a node."""
        found: dict[int, int] = {}
        for clip in self.json["animations"]:
            for channel in clip["channels"]:
                if channel["target"]["path"] == path:
                    found[clip["samplers"][channel["sampler"]]["output"]] = channel["target"]["node"]
        return [(node, self.values(accessor)) for accessor, node in found.items()]

    def stretch(self, factors: dict[int, float]) -> None:
        """Takes what moves a node, and where it is stored, that much farther from its parent."""
        for node, keys in self.keys("translation"):
            keys[:] *= np.float32(factors.get(node, 1.0))
        for node, factor in factors.items():
            if "translation" in self.nodes[node]:
                self.nodes[node]["translation"] = [factor * x for x in self.nodes[node]["translation"]]

    def without_mesh(self) -> "Rig":
        for key in ("meshes", "skins", "materials"):
            self.json.pop(key)
        gone = next(k for k, node in enumerate(self.nodes) if "mesh" in node)
        for node in self.nodes:
            node["children"] = [k for k in node.get("children", []) if k != gone]
            if not node["children"]:
                node.pop("children")
        self.nodes[gone] = {"name": "nothing"}
        return self

    def without_clips(self) -> "Rig":
        self.json.pop("animations")
        return self

    def write(self, path: Path) -> Path:
        for entry in self.json["accessors"]:
            entry.pop("min", None)
            entry.pop("max", None)
        uri = "data:application/octet-stream;base64," + base64.b64encode(self._buffer).decode()
        self.json["buffers"][0]["uri"] = uri
        path.write_text(json.dumps(self.json))
        return path


@pytest.fixture
def model(data_dir: Path, tmp_path: Path) -> Path:
    """The kimono without its clips."""
    return Rig(data_dir / "kimono_male.gltf").without_clips().write(tmp_path / "model.gltf")


@pytest.fixture
def motion(data_dir: Path) -> Rig:
    """The clips of the kimono, without it."""
    return Rig(data_dir / "kimono_male.gltf").without_mesh()


@pytest.fixture(scope="module")
def walk(data_dir: Path) -> Floats:
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk").positions


def assert_walks(found: Floats, walk: Floats) -> None:
    np.testing.assert_allclose(found, walk, rtol=0, atol=NEAR * np.ptp(walk))


@pytest.mark.parametrize(
    ("file", "clip"),
    [
        ("kimono_male.gltf", "StandUp"),
        ("mage.glb", "Walking_A"),
        ("female_dress.fbx", "Female_Walk"),
        ("cowboy.dae", None),
    ],
)
def test_a_file_moves_itself(file: str, clip: str | None, data_dir: Path) -> None:
    path = data_dir / file
    own = pucker.load(path, clip=clip)
    moved = pucker.load(path, clip=clip, motion=path)
    np.testing.assert_array_equal(moved.times, own.times)
    np.testing.assert_allclose(moved.positions, own.positions, rtol=0, atol=NEAR * np.ptp(own.positions))


def test_clips_of_a_file_without_mesh(model: Path, motion: Rig, tmp_path: Path, walk: Floats) -> None:
    clips = motion.write(tmp_path / "clips.gltf")
    with pytest.raises(pucker.Error, match="has no mesh"):
        pucker.inspect(clips)
    assert pucker.inspect(model).clips == {}
    assert "Walk" in pucker.inspect(model, motion=clips).clips
    clip = pucker.load(model, clip="Walk", motion=clips)
    assert_walks(clip.positions, walk)
    np.testing.assert_array_equal(
        pucker.load(model, clip="Walk", motion=clips, isolated=True).positions, clip.positions
    )
    assert clip.skin is not None
    assert len(clip.skin.matrices) == len(clip)


def test_a_unit_of_its_own_and_an_armature_that_is_turned(
    model: Path, motion: Rig, tmp_path: Path, walk: Floats
) -> None:
    # In centimetres with z up, as an exporter leaves it: the node above turns and scales it back.
    motion.stretch(dict.fromkeys(range(len(motion.nodes)), 100.0))
    armature = motion.nodes[motion.named("CharacterArmature")]
    bone = motion.nodes[motion.named("Bone")]
    half = np.sqrt(0.5)
    armature["rotation"], armature["scale"] = [-half, 0, 0, half], [0.01] * 3
    turned = {"name": "z up", "rotation": [half, 0, 0, half], "children": armature["children"]}
    motion.nodes.append(turned)
    armature["children"] = [len(motion.nodes) - 1]
    assert bone["name"] == "Bone"
    assert_walks(pucker.load(model, clip="Walk", motion=motion.write(tmp_path / "cm.gltf")).positions, walk)
    # Without the scale the skeleton is 100 times as large, which is the model's again on the model.
    armature.pop("scale")
    assert_walks(pucker.load(model, clip="Walk", motion=motion.write(tmp_path / "large.gltf")).positions, walk)


def test_nodes_that_only_one_has(model: Path, motion: Rig, tmp_path: Path, walk: Floats) -> None:
    # Between two bones, above all and at the end; the one between takes over half of the way.
    neck, head = motion.named("Neck"), motion.named("Head")
    for node, keys in motion.keys("translation"):
        if node == head:
            keys[:] *= np.float32(0.5)
    held = np.array(motion.nodes[head]["translation"]) / 2
    motion.nodes[head]["translation"] = held.tolist()
    motion.nodes += [
        {"name": "between", "translation": held.tolist(), "children": [head]},
        {"name": "hat", "translation": [0, 1, 0]},
        {"name": "above", "children": motion.json["scenes"][0]["nodes"]},
    ]
    first = len(motion.nodes) - 3
    motion.nodes[neck]["children"] = [first]
    motion.nodes[head]["children"] = [first + 1]
    motion.json["scenes"][0]["nodes"] = [first + 2]
    found = pucker.load(model, clip="Walk", motion=motion.write(tmp_path / "more.gltf")).positions
    # A held offset, halved, is one only as far as the clip holds it.
    np.testing.assert_allclose(found, walk, rtol=0, atol=1e-3 * np.ptp(walk))


def test_a_clip_of_half_a_skeleton(model: Path, motion: Rig, data_dir: Path, tmp_path: Path, walk: Floats) -> None:
    legs = ("UpperLeg.L", "LowerLeg.L", "UpperLeg.R", "LowerLeg.R")
    for clip in motion.json["animations"]:
        clip["channels"] = [c for c in clip["channels"] if motion.nodes[c["target"]["node"]]["name"] in legs]
    found = pucker.load(model, clip="Walk", motion=motion.write(tmp_path / "legs.gltf"))
    own = pucker.load(data_dir / "kimono_male.gltf", clip="Walk")
    assert own.rest is not None
    moved = np.abs(found.positions - found.positions[0]).max(axis=(0, 2)) > 1e-3
    assert 0.1 < moved.mean() < 0.5
    # What has no clip stands as the model stores it.
    np.testing.assert_allclose(np.ptp(found.positions[:, ~moved], axis=0), 0, atol=1e-6)


def test_bones_keep_their_lengths(data_dir: Path, model: Path, motion: Rig, tmp_path: Path, walk: Floats) -> None:
    limbs = [motion.named(f"{part}.{side}") for part in ("LowerArm", "Fist", "LowerLeg") for side in "LR"]
    spine = [motion.named(name) for name in ("Hips", "Abdomen", "Torso", "Neck", "Head")]
    motion.stretch(dict.fromkeys(limbs, 1.3) | dict.fromkeys(spine, 0.8))
    found = pucker.load(model, clip="Walk", motion=motion.write(tmp_path / "lanky.gltf"))
    own = pucker.load(data_dir / "kimono_male.gltf", clip="Walk")
    assert found.skin is not None
    assert own.skin is not None
    joints = {name: k for k, name in enumerate(own.skin.joints)}
    assert list(found.skin.joints) == list(own.skin.joints)
    bones = [("UpperArm.L", "LowerArm.L"), ("LowerArm.L", "Fist.L"), ("Torso", "Neck"), ("Neck", "Head")]

    def lengths(clip: pucker.Clip) -> Floats:
        assert clip.skin is not None
        places = np.asarray(clip.skin.matrices)[:, :, :3, 3]
        return np.array([np.linalg.norm(places[:, joints[a]] - places[:, joints[b]], axis=1) for a, b in bones])

    np.testing.assert_allclose(lengths(found), lengths(own), rtol=1e-3)
    # And bend as the clip says, so that only what it moves beside its bones differs: it holds the shoulders, which the
    # model stores a little higher.
    np.testing.assert_allclose(
        np.asarray(found.skin.matrices)[..., :3, :3], np.asarray(own.skin.matrices)[..., :3, :3], atol=1e-5
    )
    np.testing.assert_allclose(found.positions, walk, rtol=0, atol=0.003 * np.ptp(walk))


def test_another_skeleton_is_refused(model: Path, motion: Rig, data_dir: Path, tmp_path: Path) -> None:
    def refused(rig: Rig, match: str) -> None:
        with pytest.raises(pucker.Error, match=match):
            pucker.load(model, clip="Walk", motion=rig.write(tmp_path / "other.gltf"))

    head, hips = motion.named("Head"), motion.named("Hips")
    motion.nodes[motion.named("Neck")].pop("children")
    motion.nodes[hips].setdefault("children", []).append(head)
    refused(motion, r"other\.gltf: is of another skeleton than .*model\.gltf: 'Head' hangs on 'Hips', there on 'Neck'")

    renamed = Rig(data_dir / "kimono_male.gltf").without_mesh()
    renamed.rename(lambda name: name[::-1])
    none = (
        r"other\.gltf: is of another skeleton than .*model\.gltf: of 23 nodes that clip 'Walk' moves, 0 are there, not: eno"
        r"(\S+, ){4}\S+, \S+ and 17 more; there are: (\S+, ){5}\S+ and \d+ more$"
    )
    refused(renamed, none)

    # Names that most skeletons have make no common one.
    few = Rig(data_dir / "kimono_male.gltf").without_mesh()
    few.rename(lambda name: name if name in ("Hips", "Neck", "Head") else "x" + name)
    refused(few, r"of 23 nodes that clip 'Walk' moves, 3 are there, not: xBone, xFoot\.L, ")

    # Another program's bones run along x where these run along y.
    turned = Rig(data_dir / "kimono_male.gltf").without_mesh()
    for node in turned.nodes:
        if "translation" in node:
            node["translation"] = np.roll(node["translation"], 1).tolist()
    for _, keys in turned.keys("translation"):
        keys[:] = np.roll(keys, 1, axis=1)
    refused(turned, r"other\.gltf: is of another skeleton than .*: of \d+ bones \d+ point elsewhere, as '")

    # Bones along y, but joints that are turned about it: where the legs go off, all of them point elsewhere.
    rolled = Rig(data_dir / "kimono_male.gltf").without_mesh()
    forked = [k for k, node in enumerate(rolled.nodes) if len(node.get("children", [])) > 1 and "translation" in node]
    for node in [child for k in forked for child in rolled.nodes[k]["children"]]:
        if "translation" in rolled.nodes[node]:
            rolled.nodes[node]["translation"] = [-x for x in rolled.nodes[node]["translation"]]
        for moved, keys in rolled.keys("translation"):
            if moved == node:
                keys[:] *= -1
    refused(rolled, r"other\.gltf: is of another skeleton than .*: '[^']+' is turned otherwise, as all of its \d bones")

    refused(Rig(data_dir / "kimono_male.gltf").without_mesh().without_clips(), r"other\.gltf: has no animation")


@pytest.mark.parametrize(
    ("own", "motion_has"),
    [
        ("", "mixamorig:"),
        ("DEF-", ""),
        ("mixamorig1:", "mixamorig:"),
        ("", "Armature|mixamorig:"),
        ("Character1_", "Bip01 "),
    ],
)
def test_names_that_begin_otherwise(own: str, motion_has: str, data_dir: Path, tmp_path: Path, walk: Floats) -> None:
    model = Rig(data_dir / "kimono_male.gltf").without_clips()
    model.rename(lambda name: own + name)
    motion = Rig(data_dir / "kimono_male.gltf").without_mesh()
    motion.rename(lambda name: name if name == "RootNode" else motion_has + name)
    files = model.write(tmp_path / "model.gltf"), motion.write(tmp_path / "clips.gltf")
    assert pucker.inspect(files[0], motion=files[1]).prefixes == (own, motion_has)
    assert pucker.inspect(files[0], motion=files[1], isolated=True).prefixes == (own, motion_has)
    assert_walks(pucker.load(files[0], clip="Walk", motion=files[1]).positions, walk)
    told = CliRunner().invoke(cli, ["info", str(files[0]), "--motion", str(files[1])], prog_name="pucker")
    assert told.exit_code == 0, told.output
    found = f"clips.gltf are found by their names without {motion_has!r}"
    if not own:
        assert f"{found}\n" in told.stderr
    elif motion_has:
        assert f"{found}, its own without {own!r}\n" in told.stderr
    else:
        assert f"its joints are found in {files[1]} by their names without {own!r}\n" in told.stderr


def test_names_that_agree_lose_nothing(model: Path, motion: Rig, tmp_path: Path) -> None:
    assert pucker.inspect(model).prefixes is None
    assert pucker.inspect(model, motion=motion.write(tmp_path / "clips.gltf")).prefixes is None


def test_numbers_alone_are_no_names(data_dir: Path, tmp_path: Path) -> None:
    numbered = [Rig(data_dir / "kimono_male.gltf").without_clips(), Rig(data_dir / "kimono_male.gltf").without_mesh()]
    for rig, name in zip(numbered, ("Bone.", "Joint."), strict=True):
        for k, node in enumerate(rig.nodes):
            node["name"] = f"{name}{k:03}"
    model, clips = (rig.write(tmp_path / f"{k}.gltf") for k, rig in enumerate(numbered))
    with pytest.raises(pucker.Error, match=r"1\.gltf: is of another skeleton"):
        pucker.load(model, clip="Walk", motion=clips)


def twins(rig: Rig, *, skinned: bool) -> Rig:
    """All nodes of a file as 'first:…' and once more as 'second:…', with or without a mesh and skin."""
    count, skins = len(rig.nodes), len(rig.json["skins"])
    seconds = []
    for node in rig.nodes:
        second = {**node, "name": "second:" + node["name"]}
        if "children" in node:
            second["children"] = [child + count for child in node["children"]]
        if skinned and "skin" in node:
            second |= {"skin": node["skin"] + skins, "mesh": node["mesh"] + len(rig.json["meshes"])}
        if not skinned:
            second.pop("skin", None)
            second.pop("mesh", None)
        seconds.append(second)
    if skinned:
        skin = [{**skin, "joints": [joint + count for joint in skin["joints"]]} for skin in rig.json["skins"]]
        for each in skin:
            each.pop("skeleton", None)
        rig.json["skins"] += skin
        rig.json["meshes"] *= 2
    rig.rename(lambda name: "first:" + name)
    rig.nodes += seconds
    rig.json["scenes"][0]["nodes"] += [root + count for root in rig.json["scenes"][0]["nodes"]]
    return rig


def test_one_of_two_skeletons_is_found_by_its_skin(data_dir: Path, motion: Rig, tmp_path: Path, walk: Floats) -> None:
    model = twins(Rig(data_dir / "kimono_male.gltf").without_clips(), skinned=False).write(tmp_path / "model.gltf")
    clips = motion.write(tmp_path / "clips.gltf")
    assert pucker.inspect(model, motion=clips).prefixes == ("first:", "")
    assert_walks(pucker.load(model, clip="Walk", motion=clips).positions, walk)


def test_two_characters_of_the_same_names_are_refused(data_dir: Path, motion: Rig, tmp_path: Path) -> None:
    model = twins(Rig(data_dir / "kimono_male.gltf").without_clips(), skinned=True).write(tmp_path / "twins.gltf")
    with pytest.raises(pucker.Error, match=r"may move .*twins\.gltf in two ways: .*'first:' there .*'second:' there"):
        pucker.load(model, clip="Walk", motion=motion.write(tmp_path / "clips.gltf"))


def test_what_cannot_move_or_be_moved_is_told(model: Path, data_dir: Path, tmp_path: Path) -> None:
    with pytest.raises(pucker.Error, match=r"gone\.gltf"):
        pucker.load(model, motion=tmp_path / "gone.gltf")
    with pytest.raises(
        pucker.Error, match=r"lower\.md3: only gltf, glb, vrm, fbx, dae and obj can be moved .* not 'md3'"
    ):
        pucker.load(data_dir / "kyonshi_lower.md3", motion=data_dir / "kimono_male.gltf")
    with pytest.raises(pucker.Error, match=r"lower\.md3: cannot move .*model\.gltf: .* not 'md3'"):
        pucker.load(model, motion=data_dir / "kyonshi_lower.md3")
    (tmp_path / "a.usda").write_text("#usda 1.0\n")
    with pytest.raises(pucker.Error, match=r"a\.usda: only gltf"):
        pucker.load(tmp_path / "a.usda", motion=model)
    with pytest.raises(pucker.Error, match=r"model\.gltf: has no animation; another file's can move it"):
        pucker.load(model)


def test_commands_and_sweeps_take_it(model: Path, motion: Rig, tmp_path: Path, walk: Floats) -> None:
    clips = motion.write(tmp_path / "clips.gltf")
    told = CliRunner().invoke(
        cli, ["info", str(model), "--motion", str(clips), "--clip", "Walk", "--json"], prog_name="pucker"
    )
    assert told.exit_code == 0, told.output
    assert json.loads(told.stdout)["clip"] == "Walk"
    folder = tmp_path / "sweep"
    folder.mkdir()
    shutil.move(clips, folder / "clips.gltf")
    (folder / "walk.toml").write_text(
        '[clips.walk]\nfile = "../model.gltf"\nmotion = "clips.gltf"\nclip = "Walk"\n[parameters]\nthreshold = [1.2]\n'
    )
    assert_walks(Grid.from_toml(folder / "walk.toml").clips["walk"].positions, walk)


def test_a_second_skeleton_that_nothing_moves_is_not_taken_for_the_first(
    tmp_path: Path, model: Path, motion: Rig, walk: Floats
) -> None:
    """As Blender leaves it, whose first skeleton is named Armature.001."""
    scene, count = motion.json["scenes"][0]["nodes"], len(motion.nodes)
    motion.nodes += [
        node | ({"children": [count + k for k in node["children"]]} if "children" in node else {})
        for node in map(dict, motion.nodes)
    ]
    for top in scene:
        motion.nodes[top]["name"] += ".001"
    scene += [count + top for top in scene]
    own = Rig(model)
    for rig, head in ((own, own.named("Head")), (motion, count + motion.named("Head"))):
        rig.nodes[head]["children"] = [len(rig.nodes)]
        rig.nodes.append({"name": "Head_end", "translation": [0.0, 1.0, 0.0]})
    own.write(model)
    assert_walks(pucker.load(model, motion=motion.write(tmp_path / "two.gltf"), clip="Walk").positions, walk)
