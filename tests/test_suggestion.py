"""What is suggested of characters whose parts are joints, of rigid pieces, and where no name tells limbs."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile

import pucker
from pucker.cli import cli
from pucker.cli.deformation import keeps_shape, stiff_triangles
from pucker.cli.limbs import Limbs
from pucker.cli.shape_of_limbs import shaped_limbs
from pucker.cli.suggestion import choose
from pucker.examples import squeezed_sheet
from pucker.io import open_source


def told(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["info", *(str(argument) for argument in arguments)], prog_name="pucker")
    assert result.exit_code == 0, result.output
    return result.stdout


def test_a_surface_that_joints_cut_up_wrinkles_as_a_whole_but_for_its_limbs(data_dir: Path) -> None:
    file = data_dir / "cowboy.dae"
    content: dict[str, Any] = json.loads(told(file, "--json"))
    parts, clip = content["suggestion"]["parts"], content["suggestion"]["clip"]
    assert all(part.startswith("-joint:") for part in parts)
    assert "-joint:Neck/" in parts
    with open_source(file, isolated=True) as source:
        whole = source.load(clip=clip)
        moved = Limbs(source, source.inspect(), whole).moved
        assert choose(source, clip, None, 30.0) == (clip, parts)
    chosen = pucker.load(file, clip=clip, parts=parts)
    assert len(chosen.faces) == np.count_nonzero(~moved)
    assert 0.3 < len(chosen.faces) / len(whole.faces) < 0.7
    text = told(file)
    assert "all but what moves with head, hands and feet or is bare skin, as joints are its only parts" in text
    assert text.splitlines()[-1] == f"a video of it: pucker render {shlex.quote(str(file))} -o cowboy.mp4"


def test_joints_that_are_all_named_joint_are_left_out_no_more_than_others(data_dir: Path, tmp_path: Path) -> None:
    file = data_dir / "cowboy.dae"
    names = list(pucker.inspect(file).joints)
    text, count = re.subn(
        rf"(?<=[\s\">])({'|'.join(map(re.escape, names))})(?=[\s\"</])", r"\1_joint", file.read_text()
    )
    assert count >= 2 * len(names)
    (tmp_path / "joints.dae").write_text(text)
    parts = []
    for each in (file, tmp_path / "joints.dae"):
        with open_source(each, isolated=True) as source:
            parts.append(choose(source, next(iter(source.inspect().clips)), None, 30.0)[1])
    assert parts[0] is not None
    assert parts[1] == [re.sub(r"(?<=[^/])(?=/?$)", "_joint", part, count=1) for part in parts[0]]


def pieces(path: Path, way: float) -> Path:
    """Two triangles that two nodes move."""
    file = GltfFile()
    for name, share in (("shirt", 1.0), ("trousers", -0.5)):
        node = file.node(name=name, mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]])))
        turn = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]] if way else [[0.0, 0.0, 0.0, 1.0]] * 2
        file.animation(
            f"clip {name}",
            {
                (node, "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [share * way, 0.0, 0.0]]),
                (node, "rotation"): ([0.0, 1.0], turn),
            },
        )
    return file.write(path)


def test_rigid_pieces_are_told_and_nothing_of_them_is_suggested(tmp_path: Path) -> None:
    file = pieces(tmp_path / "pieces.gltf", 1.0)
    text = told(file, "--clip", "clip shirt")
    assert "made of rigid pieces: 100 % of its triangles keep their shape in clip shirt" in text
    assert "suggested: " not in text
    assert "--parts" not in text
    assert "a video of it" not in text
    assert "only what is squeezed wrinkles" in told(file).splitlines()[-1]
    with open_source(file, isolated=True) as source:
        assert choose(source, "clip shirt", None, 30.0) == ("clip shirt", None)


@pytest.mark.parametrize("way", [1.0, 0.0])
def test_commands_say_that_rigid_pieces_do_not_wrinkle(tmp_path: Path, way: float) -> None:
    file = pieces(tmp_path / "pieces.gltf", way)
    shot = [
        "render",
        str(file),
        "--clip",
        "clip shirt",
        "--frames",
        "0",
        "--size",
        "32x32",
        "-o",
        str(tmp_path / "a.png"),
    ]
    result = CliRunner().invoke(cli, shot)
    assert result.exit_code == 0, result.output
    sentence = f"{file}: made of rigid pieces, which keep their shape in pieces clip shirt, and only what is squeezed wrinkles\n"
    assert (sentence in result.stderr) == (way > 0.0)
    assert "rigid" not in CliRunner().invoke(cli, [*shot, "--quiet"]).stderr


def test_one_triangle_that_bends_with_many_that_do_not_is_of_rigid_pieces(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    still = np.repeat(clip.positions[:1], 3, axis=0) + np.array([0.0, 0.0, 1.0])[:, None, None]
    assert keeps_shape(pucker.Clip.from_arrays(clip.faces, still, [0.0, 0.1, 0.2]))
    still[2, clip.faces[0, 0]] += 0.1
    assert keeps_shape(pucker.Clip.from_arrays(clip.faces, still, [0.0, 0.1, 0.2]))
    assert not keeps_shape(clip)


def test_what_lies_still_is_not_of_rigid_pieces(tmp_path: Path) -> None:
    assert "rigid" not in told(pieces(tmp_path / "still.gltf", 0.0), "--clip", "clip shirt")


def squeezed_and_stiff(path: Path, pressed: float, word: str = "cloth") -> Path:
    """Three materials: one pressed in all frames but the first, one for a time, and one of which a fifth is pressed."""
    file = GltfFile()
    end, side = 0.999 - pressed, [1.0, 1.0, 1.0]
    keys: dict[tuple[int, str], tuple[Any, Any]] = {}
    for name, pieces, begin in (("alpha", 1, 0.001), ("beta", 1, end), ("gamma", 5, 0.001)):
        material = file.add("materials", {"name": name})
        for k in range(pieces):
            mesh = file.mesh(np.eye(3) + k, np.array([[0, 1, 2]]))
            file.json["meshes"][mesh]["primitives"][0]["material"] = material
            node = file.node(name=f"{name} {word} {k}", mesh=mesh)
            if k == 0:
                keys[node, "scale"] = ([0.0, begin, begin + 0.001, 1.0], [side, side, [0.5, 1.0, 1.0], [0.5, 1.0, 1.0]])
            else:
                keys[node, "translation"] = ([0.0, 1.0], [[0.0, 0.0, 0.0], [2.0, 0.0, 0.0]])
    file.animation("clip", keys)
    return file.write(path)


def test_parts_are_suggested_from_a_sixth_of_the_first_unless_they_keep_their_shape(tmp_path: Path) -> None:
    for pressed, wanted in ((0.25, ["alpha", "beta"]), (0.1, ["alpha"])):
        file = squeezed_and_stiff(tmp_path / f"{pressed}.gltf", pressed)
        suggestion = json.loads(told(file, "--json"))["suggestion"]
        assert sorted(suggestion["parts"]) == wanted
        ranking = {part["part"]: part for part in suggestion["ranking"]}
        shares = {name: ranking[name]["score"] / ranking["alpha"]["score"] for name in ("beta", "gamma")}
        assert 1 / 6 < shares["gamma"] < 1 / 3
        assert (1 / 6 < shares["beta"] < 1 / 3) == ("beta" in wanted)
        assert [ranking[name]["stiff"] for name in ("alpha", "beta", "gamma")] == pytest.approx([0.0, 0.0, 0.8])
        assert ranking["gamma"]["reason"].startswith(
            "counts less than a third of the first and half of it keeps its shape"
        )
    assert ranking["beta"]["reason"].startswith("counts less than a sixth of the first")


def test_nodes_that_are_rigid_pieces_are_left_out_of_their_material_and_do_not_judge_it(tmp_path: Path) -> None:
    file = squeezed_and_stiff(tmp_path / "a.gltf", 0.1, "plate")
    suggestion = json.loads(told(file, "--json"))["suggestion"]
    pieces = [f"-gamma plate {k}" for k in range(1, 5)]
    assert suggestion["parts"] == ["alpha", "gamma", *pieces]
    (gamma,) = (part for part in suggestion["ranking"] if part["part"] == "gamma")
    assert (gamma["triangles"], gamma["stiff"]) == (1, 0.0)
    assert len(pucker.load(file, parts=suggestion["parts"]).faces) == 2
    assert "  without rigid pieces; --parts alpha,gamma takes these too\n" in told(file)


def test_pieces_whose_names_say_something_else_to_parts_stay(tmp_path: Path) -> None:
    file = squeezed_and_stiff(tmp_path / "a.gltf", 0.1, "plate")
    text = file.read_text()
    for k, name in enumerate(("-a", "a,b", "joint:a", "alpha"), 1):
        text = text.replace(f'"gamma plate {k}"', json.dumps(name))
    file.write_text(text)
    assert not [part for part in json.loads(told(file, "--json"))["suggestion"]["parts"] if part.startswith("-")]


def test_parts_that_are_little_of_a_character_do_not_tell_it_apart(tmp_path: Path) -> None:
    """Two of its seven triangles have a material, all have a node."""
    file = squeezed_and_stiff(tmp_path / "bare.gltf", 0.25)
    tree = json.loads(file.read_text())
    for mesh in [tree["meshes"][0], *tree["meshes"][3:]]:
        del mesh["primitives"][0]["material"]
    file.write_text(json.dumps(tree))
    suggestion = json.loads(told(file, "--json"))["suggestion"]
    assert {part["part"] for part in suggestion["ranking"]} == {node["name"] for node in tree["nodes"]}
    assert "alpha cloth 0" in suggestion["parts"]


def test_share_that_keeps_its_shape_is_that_of_the_triangles() -> None:
    cloth = squeezed_sheet(4, 4, frames=5, compression=1.5)
    count = cloth.positions.shape[1]
    stiff = cloth.positions[:1] + np.linspace(0.0, 1.0, 5)[:, None, None]
    positions = np.concatenate([cloth.positions, stiff, stiff + 9.0], axis=1)
    faces = np.concatenate([cloth.faces + k * count for k in range(3)])
    stays = stiff_triangles(pucker.Clip.from_arrays(faces, positions, cloth.times))
    np.testing.assert_array_equal(stays, np.arange(len(faces)) >= len(cloth.faces))
    assert not stiff_triangles(cloth).any()


def test_a_file_without_clip_and_skeleton_says_what_it_needs(tmp_path: Path) -> None:
    file = GltfFile()
    file.node(mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]])))
    lines = told(file.write(tmp_path / "still.gltf")).splitlines()
    assert lines[-2] == "it has no clip, and only what moves wrinkles"
    assert "--motion FILE moves nodes of the same names; else write it with a clip, as Blender does" in lines[-1]


# --- limbs that no name tells ---

# A person in a T-pose: name, the one above, place.
PERSON = [
    ("hips", -1, (0.0, 1.0, 0.0)),
    ("chest", 0, (0.0, 1.3, 0.0)),
    ("neck", 1, (0.0, 1.5, 0.0)),
    ("head", 2, (0.0, 1.6, 0.0)),
    *(
        joint
        for side, first in ((1.0, 4), (-1.0, 13))
        for joint in (
            ("arm", 1, (0.2 * side, 1.45, 0.0)),
            ("forearm", first, (0.5 * side, 1.45, 0.0)),
            ("hand", first + 1, (0.75 * side, 1.45, 0.0)),
            ("thumb", first + 2, (0.8 * side, 1.45, 0.05)),
            ("finger", first + 2, (0.85 * side, 1.45, 0.0)),
            ("thigh", 0, (0.1 * side, 0.95, 0.0)),
            ("shin", first + 5, (0.1 * side, 0.5, 0.0)),
            ("foot", first + 6, (0.1 * side, 0.08, 0.0)),
            ("toes", first + 7, (0.1 * side, 0.02, 0.12)),
        )
    ),
]
LIMBS = {"neck", "head", "hand", "thumb", "finger", "foot", "toes"}


@pytest.mark.parametrize("turn", [0.0, 45.0, 180.0])
@pytest.mark.parametrize("size", [0.01, 1.0, 300.0])
def test_limbs_are_where_they_stand(turn: float, size: float) -> None:
    angle = np.deg2rad(turn)
    way = np.array([[np.cos(angle), 0.0, np.sin(angle)], [0.0, 1.0, 0.0], [-np.sin(angle), 0.0, np.cos(angle)]])
    places = np.array([place for _, _, place in PERSON]) @ way.T * size
    reaches = np.array([0.2 if name == "head" else 0.05 for name, _, _ in PERSON]) * size
    found = shaped_limbs([above for _, above, _ in PERSON], places, reaches)
    assert [name for (name, _, _), limb in zip(PERSON, found, strict=True) if limb] == [
        name for name, _, _ in PERSON if name in LIMBS
    ]


@pytest.mark.parametrize("lost", ["arm", "thigh"])
def test_what_has_no_arms_or_legs_has_no_limbs(lost: str) -> None:
    kept: list[int] = []
    for k, (name, above, _) in enumerate(PERSON):
        if name != lost and (above == -1 or above in kept):
            kept.append(k)
    parents = [kept.index(PERSON[k][1]) if PERSON[k][1] >= 0 else -1 for k in kept]
    places = np.array([PERSON[k][2] for k in kept])
    assert not shaped_limbs(parents, places, np.full(len(kept), 0.05)).any()
    assert not shaped_limbs([], np.zeros((0, 3)), np.zeros(0)).any()


def test_limbs_without_speaking_names_are_those_that_names_tell(data_dir: Path, tmp_path: Path) -> None:
    tree = json.loads((data_dir / "kimono_male.gltf").read_text())
    joints = {joint for skin in tree["skins"] for joint in skin["joints"]}
    names = {}
    for number in joints:
        names[f"Bone.{number:03}"] = tree["nodes"][number]["name"]
        tree["nodes"][number]["name"] = f"Bone.{number:03}"
    (tmp_path / "bones.gltf").write_text(json.dumps(tree))
    moved: list[set[str]] = []
    for file in (data_dir / "kimono_male.gltf", tmp_path / "bones.gltf"):
        with open_source(file, isolated=True) as source:
            found = source.inspect()
            clip = source.load(clip="Walk")
            limbs = Limbs(source, found, clip)
            numbers = np.delete(source.part_numbers("joints"), clip.other_sides)
            of_limbs = {list(found.joints)[number] for number in np.unique(numbers[limbs.moved])}
            moved.append({names.get(name, name) for name in of_limbs})
    # Its fists have names that say nothing.
    assert moved[1] == moved[0] | {"Fist.L", "Fist.R"}
