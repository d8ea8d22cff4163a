"""Parts of a skeleton: what the joints below one move, what is left out, and characters that are one part with their skin."""

import json

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile

import pucker
from pucker.cli import cli
from pucker.cli.body_joints import body_joints, topmost
from pucker.cli.deformation import stiff_triangles
from pucker.cli.limbs import Limbs
from pucker.examples import grid_faces
from pucker.io import open_source

# Joints by their parents, and where what they move stands: Bun hangs on Skull, which no name calls a head.
PLAIN = {
    "Hips": None,
    "Spine": "Hips",
    "Skull": "Spine",
    "Hair": "Skull",
    "Bun": "Skull",
    "Arm": "Spine",
    "Hand": "Arm",
}
PLAIN |= {"Thumb": "Hand", "Cuff": "Hand", "Leg": "Hips", "Foot": "Leg", "Toe": "Foot"}
CELLS = 3
LIMBS = {"Skull", "Hair", "Bun", "Hand", "Thumb", "Foot", "Toe"}


def written(path, *, material="body", extra=("eyes", "Skull"), squeezed=None):
    """A sheet for each joint, all of one material; that of the spine is squeezed. And one of another material and its joint,
    which may be squeezed towards a second one.
    """
    file, names = GltfFile(), list(PLAIN)
    nodes = file.joints(PLAIN)
    v, u = np.mgrid[: CELLS + 1, : CELLS + 1] / CELLS
    sheet, faces = np.stack([u.ravel(), 1.0 - v.ravel(), 0.0 * u.ravel()], 1), grid_faces(CELLS, CELLS)

    def mesh(name, moved, blends):
        points = np.concatenate([sheet + np.array([2.0 * k, 0.0, 0.0]) for k in range(len(moved))])
        corners = np.concatenate([faces + k * len(sheet) for k in range(len(moved))])
        numbers, weights = np.zeros((len(points), 4), int), np.zeros((len(points), 4))
        for k, joint in enumerate(moved):
            rows = slice(k * len(sheet), (k + 1) * len(sheet))
            numbers[rows, 0], weights[rows, 0] = names.index(joint), 1.0
            if joint in blends:
                numbers[rows, 1], weights[rows, 1] = names.index(blends[joint]), 0.9 * (1.0 - sheet[:, 1])
                weights[rows, 0] -= weights[rows, 1]
        number = file.mesh(points, corners, numbers, weights)
        file.json["meshes"][number]["primitives"][0]["material"] = file.add("materials", {"name": name})
        file.node(mesh=number, skin=0, name=name)

    binds = file.accessor(np.tile(np.eye(4), (len(nodes), 1, 1)))
    file.add("skins", {"joints": list(nodes.values()), "inverseBindMatrices": binds})
    mesh(material, names, {"Spine": "Hips"})
    mesh(extra[0], [extra[1]], {extra[1]: squeezed} if squeezed else {})
    moves = {"Spine": -0.5} | ({squeezed: 0.5} if squeezed else {})
    keys = {(nodes[name], "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, y, 0.0]]) for name, y in moves.items()}
    file.animation("Walk", keys)
    return file.write(path)


def triangles(path, parts):
    return len(pucker.load(path, parts=parts, fps=2.0).faces)


def suggestion(path):
    done = CliRunner().invoke(cli, ["info", str(path), "--json"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["suggestion"]


ONE = 2 * CELLS**2


@pytest.mark.parametrize(
    ("parts", "sheets"),
    [
        (["joint:Hand"], 1),
        (["joint:Hand/"], 3),
        (["joint:Arm/"], 4),
        (["body", "-joint:Hand/"], 12 - 3),
        (["body", "-joint:Hand"], 12 - 1),
        (["-joint:Hand/", "body"], 12 - 3),
        (["-eyes"], 12),
        (["-joint:Hand/", "-joint:T*"], 13 - 3 - 1),
        (["joint:Hand/", "joint:Toe"], 4),
        ([f"triangles:0-{ONE - 1}"], 1),
        (["body", f"-triangles:0-{ONE - 2}+{ONE - 1}+{ONE}-{2 * ONE - 1}+3"], 12 - 2),
    ],
)
def test_joints_below_one_are_chosen_and_left_out(parts, sheets, tmp_path):
    assert triangles(written(tmp_path / "a.gltf"), parts) == sheets * ONE


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        (["body", "-joint:Hnad/"], "part 'joint:Hnad/'.* names no triangle"),
        (["body", "-bdy"], "part 'bdy' names no triangle|part 'bdy'.*did you mean 'body'"),
        (["triangles:"], "part 'triangles:' must list triangles as in triangles:12-40[+]55"),
        (["triangles:1+"], "must list triangles as"),
        (["triangles:5-3"], "must list triangles as"),
        (["triangles:1,2"], "must list triangles as"),
        (["body", "-triangles:9-9999"], "'triangles:9-9999' names triangle 9999, but .*a.gltf has 234 triangles"),
        (["eyes", "-joint:Skull/"], "parts eyes, -joint:Skull/ leave no triangle"),
    ],
)
def test_parts_that_leave_nothing_or_name_nothing_are_refused(parts, told, tmp_path):
    with pytest.raises(ValueError, match=told):
        triangles(written(tmp_path / "a.gltf"), parts)


def test_what_has_no_skeleton_has_no_joints_below_one(tmp_path):
    np.savez(tmp_path / "a.npz", faces=[[0, 1, 2]], positions=np.eye(3)[None])
    with pytest.raises(
        ValueError, match=r"part 'joint:Head/' asks for the joints below one, but .*npz tells of no skeleton"
    ):
        pucker.load(tmp_path / "a.npz", parts=["joint:Head/"])


def tree(joints):
    names = list(joints)
    return names, [-1 if joints[name] is None else names.index(joints[name]) for name in names]


def limbs(joints):
    names, parents = tree(joints)
    return {name for name, found in zip(names, body_joints(names, parents), strict=True) if found}


def test_limbs_are_told_by_names_and_by_what_hangs_on_them():
    assert limbs(PLAIN) == LIMBS
    names, parents = tree(PLAIN)
    roots = topmost(body_joints(names, parents), parents)
    assert [names[k] for k in roots] == ["Skull", "Hand", "Foot"]


def test_a_joint_of_two_limbs_is_none():
    assert limbs({"HandRig": None, "Head": "HandRig", "Arm": "HandRig", "Hand": "Arm"}) == {"Head", "Hand"}
    assert limbs({"Root": None, "Hair": "Root", "Foot": "Root"}) == {"Hair", "Foot"}


def test_a_wrist_on_which_fingers_hang_moves_the_palm_and_all_fingers():
    fingers = {f"{name}1.L": "Wrist.L" for name in ("Index", "Middle", "Ring", "Thumb")}
    joints = {"LowerArm.L": None, "Wrist.L": "LowerArm.L", **fingers, "Middle2.L": "Middle1.L"}
    assert limbs(joints) == set(joints) - {"LowerArm.L"}
    assert limbs({"Arm": None, "Wrist": "Arm", "Hand": "Wrist", "Thumb1": "Hand", "Index1": "Hand"}) == {
        "Hand",
        "Thumb1",
        "Index1",
    }


def test_cloth_that_hangs_on_a_limb_is_none():
    joints = {"Neck": None, "Scarf1": "Neck", "Scarf2": "Scarf1", "Head": "Neck", "Hood": "Head", "Nose": "Head"}
    assert limbs(joints) == {"Neck", "Head", "Nose"}
    assert limbs({"Spine": None, "Head": "Spine", "top_bun": "Head"}) == {"Head", "top_bun"}


def test_of_a_part_that_is_skin_and_clothes_the_limbs_are_left_out(tmp_path):
    path = written(tmp_path / "a.gltf")
    found = suggestion(path)
    assert found["parts"] == ["body", "-joint:Skull/", "-joint:Hand", "-joint:Thumb", "-joint:Foot/"]
    cloth = pucker.load(path, parts=found["parts"], fps=2.0)
    assert len(cloth.faces) == (len(PLAIN) - len(LIMBS)) * ONE
    done = CliRunner().invoke(cli, ["info", str(path)])
    assert "  without the joints of head, hands, feet and bare skin; --parts body takes these too\n" in done.output


@pytest.mark.parametrize(
    ("inside", "found"),
    [
        ({"Arm", "Hand"}, []),  # a sleeve, of a hand whose fingers are skin
        ({"Arm", "Thumb"}, ["-joint:Hand", "-joint:Thumb"]),  # a glove
        ({"Arm", "Hand", "Thumb"}, ["-joint:Hand", "-joint:Thumb"]),
        ({"Skull"}, ["-joint:Skull/"]),
    ],
)
def test_a_hand_is_left_out_for_its_fingers_and_not_for_the_end_of_a_sleeve(tmp_path, inside, found):
    with open_source(written(tmp_path / "a.gltf"), isolated=True) as source:
        info = source.inspect()
        names = np.array([*info.joints])[source.part_numbers("joints")]
        clip = source.load(fps=2.0)
        bends = np.zeros(len(clip.faces), bool)
        assert Limbs(source, info, clip).left_out(np.isin(names, [*inside]), bends) == found


@pytest.mark.parametrize(("squeezed", "found"), [(None, ["-joint:Skull/"]), ("Thumb", [])])
def test_what_keeps_its_shape_on_a_head_is_left_out_where_the_face_is_another_part(tmp_path, squeezed, found):
    with open_source(written(tmp_path / "a.gltf", extra=("hood", "Skull"), squeezed=squeezed), isolated=True) as source:
        info, clip = source.inspect(), source.load(fps=2.0)
        of_skull = np.array([*info.joints])[source.part_numbers("joints")] == "Skull"
        in_hood = np.array([*info.materials])[source.part_numbers("materials")] == "hood"
        inside = of_skull & in_hood
        inside[np.flatnonzero(inside)[2 * np.count_nonzero(of_skull) // 5 :]] = False
        assert 0 < np.count_nonzero(inside) < np.count_nonzero(of_skull) / 2
        assert Limbs(source, info, clip).left_out(inside, stiff_triangles(clip)) == found


def test_a_command_says_once_what_it_leaves_out_and_takes_it_if_told(tmp_path):
    path, picture = written(tmp_path / "a.gltf"), tmp_path / "a.png"
    # Draped, it warns that the file has a T-pose only.
    drawn = ["--method", "dynamic", "--frames", "1:1", "--size", "64x64"]
    arguments = ["render", str(path), "-o", str(picture), *drawn]
    done = CliRunner().invoke(cli, arguments)
    assert done.exit_code == 0, done.output
    sentence = (
        "taking --parts body,-joint:Skull/,-joint:Hand,-joint:Thumb,-joint:Foot/, as pucker info suggests, "
        "without the joints of head, hands, feet and bare skin; --parts body takes these too\n"
    )
    assert done.output.count(sentence) == 1
    assert f"{(len(PLAIN) - len(LIMBS)) * ONE} triangles of cloth" in done.output
    done = CliRunner().invoke(cli, [*arguments, "--parts", "body"])
    assert "without the joints" not in done.output
    assert f"{len(PLAIN) * ONE} triangles of cloth" in done.output


def test_what_is_named_like_cloth_keeps_what_a_limb_moves(tmp_path):
    assert suggestion(written(tmp_path / "a.gltf", material="jacket"))["parts"] == ["jacket"]


def test_a_part_that_a_limb_moves_alone_is_no_cloth(tmp_path):
    ranking = suggestion(written(tmp_path / "a.gltf", extra=("mat", "Hand"), squeezed="Thumb"))["ranking"]
    (mat,) = (part for part in ranking if part["part"] == "mat")
    assert mat["past"] > 0.0
    assert not mat["suggested"]
    assert mat["reason"] == "moves with head, hands or feet"
