"""What ``pucker info`` says of a file: its parts, and which of them to wrinkle."""

import json
import shlex
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import trimesh
from click.testing import CliRunner
from gltf_writer import GltfFile
from pxr import Usd, UsdGeom, Vt

import pucker
from pucker.cli import cli
from pucker.cli.suggestion import choose, liveliest, mirrored
from pucker.cli.view import suggested, wrinkles_in
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.names import is_body, is_cloth, is_hard, is_unusual


def told(*arguments: object) -> str:
    result = CliRunner().invoke(cli, ["info", *(str(argument) for argument in arguments)], prog_name="pucker")
    assert result.exit_code == 0, result.output
    return result.stdout


def content_of(*arguments: object) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(told(*arguments, "--json"))
    return content


@pytest.fixture
def three_sheets(tmp_path: Path) -> Path:
    """Three sheets: one squeezed, one stretched, one that lies still."""
    cloth = squeezed_sheet(6, 6, frames=9, compression=1.5)
    still = np.broadcast_to(cloth.positions[0], cloth.positions.shape)
    stretched = still + 0.4 * (still - cloth.positions)
    positions = np.concatenate([cloth.positions, stretched, still], axis=1)
    path = tmp_path / "sheets.npz"
    np.savez(
        path,
        faces=np.concatenate([cloth.faces + k * cloth.positions.shape[1] for k in range(3)]),
        positions=positions,
        times=cloth.times,
        materials=np.repeat(np.arange(3), len(cloth.faces)),
        material_names=["a shirt", "stretched", "still"],
    )
    return path


def test_only_what_compresses_is_suggested(three_sheets: Path) -> None:
    suggestion = content_of(three_sheets)["suggestion"]
    assert (suggestion["clip"], suggestion["parts"]) == ("all", ["a shirt"])
    ranking = {part["part"]: part for part in suggestion["ranking"]}
    assert ranking["a shirt"]["share"] > 0.3
    assert ranking["a shirt"]["past"] == pytest.approx(72 * ranking["a shirt"]["share"])
    assert [ranking[name]["share"] for name in ("stretched", "still")] == [0.0, 0.0]


def test_suggested_parts_are_ready_for_a_shell(three_sheets: Path) -> None:
    (line,) = (line for line in told(three_sheets).splitlines() if line.startswith("suggested: "))
    options = shlex.split(line.removeprefix("suggested: "))
    assert options == ["--parts", "a shirt"]
    assert content_of(three_sheets, *options)["report"]["triangles"] == 72


def test_shares_are_those_of_a_run_of_the_whole_character(data_dir: Path) -> None:
    path = data_dir / "kimono_male.gltf"
    suggestion = content_of(path, "--clip", "Walk")["suggestion"]
    clip = pucker.load(path, clip="Walk")
    wrinkler = pucker.Wrinkler(clip, pucker.Params(min_width=0.0075 * clip.height, guide={"rounds": 0}))
    past = np.mean([wrinkler.advance(f.positions, f.time).compression > 1.15 for f in clip], axis=0)
    names = [clip.material_list[k].name for k in clip.materials]
    for part in suggestion["ranking"]:
        own = past[[name == part["part"] for name in names]]
        assert (part["triangles"], part["share"]) == (len(own), pytest.approx(own.mean()))
    assert [part["part"] for part in suggestion["ranking"]][:2] == ["Clothes", "Band"]
    assert suggestion["parts"][0] == "Clothes"
    assert "Skin" not in suggestion["parts"]


def test_liveliest_clip_is_taken_unless_one_is_named(data_dir: Path) -> None:
    content = content_of(data_dir / "kimono_male.gltf")
    assert content["clip"] == content["suggestion"]["clip"]
    # More of the cloth compresses in it than in any of these.
    own = content["triangles_past_compression"]["1.15"]
    for name in ("Death", "Idle", "Walk", "Victory"):
        other = content_of(data_dir / "kimono_male.gltf", "--clip", name)["triangles_past_compression"]["1.15"]
        assert np.mean(own) > np.mean(other)


@pytest.mark.parametrize(
    "name", ["Lie_Idle", "Armature|LyingDown", "Sleeping", "Prone Death", "Roll", "JumpStart", "9Dodge"]
)
def test_clips_in_which_cloth_is_seldom_seen_are_told_by_their_names(name: str) -> None:
    assert is_unusual(name)


@pytest.mark.parametrize("name", ["Sit_Floor_Idle", "Walk", "FlyIdle", "Layup"])
def test_other_clips_are_not(name: str) -> None:
    assert not is_unusual(name)


def test_a_clip_that_lets_a_character_appear_is_not_the_liveliest() -> None:
    bends = bending_sleeve(frames=9)
    grown = bends.positions[0] * np.linspace(0.0, 1.0, 9)[:, None, None]
    clips = {
        "Spawn": pucker.Clip.from_arrays(bends.faces, grown, bends.times, rest=bends.positions[0]),
        "Bend": pucker.Clip.from_arrays(bends.faces, bends.positions, bends.times, rest=bends.positions[0]),
    }
    found = SimpleNamespace(clips=dict.fromkeys(clips, 1.0), format="glb", stored_vertices=len(bends.positions[0]))
    source = SimpleNamespace(load=lambda clip, **_: clips[clip])
    assert liveliest(source, found, ["sleeve"]) == "Bend"
    found.clips = {"Spawn": 1.0, "Again": 1.0}
    clips["Again"] = clips["Spawn"]
    assert liveliest(source, found, ["sleeve"]) == "Spawn"  # where all do, the first of the liveliest


@pytest.mark.parametrize("moving", [0, 1, 3])
def test_a_pose_that_is_held_is_not_the_liveliest(moving: int) -> None:
    """A sleeve that stays bent, but for some of eight steps, and one that never bends as far."""
    bends = bending_sleeve(frames=9)
    rest = bends.positions[0]
    bent = max(bends.positions, key=lambda points: float(np.linalg.norm(points - rest)))
    held = np.stack([bent + 0.05 * bends.height * min(step, moving) for step in range(9)])
    clips = {
        "Seated": pucker.Clip.from_arrays(bends.faces, held, bends.times, rest=rest),
        "Bend": pucker.Clip.from_arrays(bends.faces, bends.positions, bends.times, rest=rest),
    }
    found = SimpleNamespace(clips=dict.fromkeys(clips, 1.0), format="glb", stored_vertices=len(rest))
    source = SimpleNamespace(load=lambda clip, **_: clips[clip])
    assert liveliest(source, found, ["sleeve"]) == ("Seated" if moving == 3 else "Bend")


def test_the_ordinary_answer_is_short_and_all_of_it_is_there_when_asked_for(data_dir: Path) -> None:
    short, whole = (told(data_dir / "mage.glb", *more).splitlines() for more in ((), ("--all",)))
    assert len(short) < 45
    assert len(whole) > 100
    assert [line for line in short if line.startswith("suggested: ")] == [
        line for line in whole if line.startswith("suggested: ")
    ]
    assert sum("which --all lists" in line for line in short) >= 1
    assert not any("which --all lists" in line for line in whole)
    for title in ("clips:", "nodes:", "meshes:", "joints:", "connectivity:"):
        assert title in whole


def test_a_clip_beyond_the_limit_of_memory_is_looked_at_in_fewer_frames(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, file = np.random.default_rng(1), GltfFile()
    points = rng.uniform(size=(30_000, 3))
    meshes = [file.mesh(points, np.arange(30_000).reshape(-1, 3)) for _ in range(2)]
    nodes = [file.node(name=name, mesh=mesh) for name, mesh in zip(("shirt", "body"), meshes, strict=True)]
    scales = np.array([[1.0, 1.0, 1.0], [0.5, 1.0, 1.0]])
    file.animation("dance", {(nodes[0], "scale"): ([0.0, 20.0], scales)})
    path = file.write(tmp_path / "dance.gltf")
    monkeypatch.setenv("PUCKER_MAX_MEMORY", str(512 << 20))
    assert "--parts shirt" in told(path)
    assert content_of(path)["suggestion"]["parts"] == ["shirt"]
    arguments = [
        "render",
        str(path),
        "--clip",
        "dance",
        "--parts",
        "shirt",
        "--fps",
        "240",
        "-o",
        str(tmp_path / "x.mp4"),
    ]
    result = CliRunner().invoke(cli, arguments, prog_name="pucker")
    assert result.exit_code == 2
    assert "PUCKER_MAX_MEMORY=BYTES lifts" in result.stderr


def test_sixty_thousand_groups_are_looked_at_in_seconds(tmp_path: Path) -> None:
    groups = "".join(f"g part{k}\nf {3 * k + 1} {3 * k + 2} {3 * k + 3}\n" for k in range(60_000))
    with zipfile.ZipFile(tmp_path / "groups.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for frame in range(3):
            points = "".join(
                f"v {k % 300} {k // 300} 0\nv {k % 300 + 0.9 - 0.2 * frame} {k // 300} 0\nv {k % 300} {k // 300 + 0.9} 0\n"
                for k in range(60_000)
            )
            archive.writestr(f"{frame}.obj", points + groups)
    begin = time.process_time()
    suggestion = content_of(tmp_path / "groups.zip")["suggestion"]
    assert len(suggestion["ranking"]) == len(suggestion["parts"]) == 60_000
    assert len(told(tmp_path / "groups.zip").splitlines()) < 45
    assert pucker.load(tmp_path / "groups.zip", parts=suggestion["parts"][:30_000]).faces.shape == (30_000, 3)
    assert time.process_time() - begin < 40.0


def test_a_roll_is_not_what_a_character_is_shown_by(tmp_path: Path) -> None:
    file = GltfFile()
    meshes = [file.mesh(np.eye(3), np.array([[0, 1, 2]])) for _ in range(2)]
    nodes = [file.node(name=name, mesh=mesh) for name, mesh in zip(("shirt", "body"), meshes, strict=True)]
    for name, share in (("Armature|Roll", 0.3), ("Armature|Walk", 0.7), ("Armature|Idle", 0.99)):
        file.animation(name, {(nodes[0], "scale"): ([0.0, 1.0], np.array([[1.0, 1.0, 1.0], [share] * 3]))})
    assert content_of(file.write(tmp_path / "roll.gltf"))["clip"] == "Armature|Walk"
    for animation, name in zip(file.json["animations"], ("Roll", "Death01", "Duck"), strict=True):
        animation["name"] = name
    assert content_of(file.write(tmp_path / "roll.gltf"))["clip"] == "Roll"


def test_of_rigid_pieces_the_clip_in_which_most_moves_is_taken(tmp_path: Path) -> None:
    file = GltfFile()
    meshes = [file.mesh(np.eye(3), np.array([[0, 1, 2]])) for _ in range(2)]
    nodes = [file.node(name=name, mesh=mesh) for name, mesh in zip(("shirt", "body"), meshes, strict=True)]
    for name, way in (("static", 0.0), ("walk", 1.0), ("idle", 0.1)):
        file.animation(name, {(nodes[0], "translation"): ([0.0, 1.0], np.array([[0.0, 0.0, 0.0], [way, 0.0, 0.0]]))})
    assert content_of(file.write(tmp_path / "pieces.gltf"))["clip"] == "walk"


def test_parts_of_cloth_that_is_modelled_from_both_sides_are_told_apart(tmp_path: Path) -> None:
    cloth = squeezed_sheet(4, 4)
    both = np.concatenate([cloth.faces, cloth.faces[:, ::-1]])
    file = GltfFile()
    meshes = [file.mesh(cloth.positions[0], faces) for faces in (both, cloth.faces, both)]
    nodes = [file.node(name=n, mesh=mesh) for n, mesh in zip(("Cape", "Body", "Robe"), meshes, strict=True)]
    shrink = np.array([[1.0, 1.0, 1.0], [0.5, 1.0, 1.0]])
    apart = {(node, "translation"): ([0.0, 1.0], np.full((2, 3), 3.0 * k)) for k, node in enumerate(nodes)}
    file.animation("squeeze", {(nodes[2], "scale"): ([0.0, 1.0], shrink), **apart})
    suggestion = content_of(file.write(tmp_path / "both.gltf"))["suggestion"]
    assert suggestion["parts"] == ["Robe"]
    # Each side once, and no triangle of one part is counted for another.
    assert {part["part"]: part["triangles"] for part in suggestion["ranking"]} == dict.fromkeys(
        ("Cape", "Body", "Robe"), len(cloth.faces)
    )
    assert [part["share"] > 0.0 for part in suggestion["ranking"]] == [True, False, False]


def test_a_part_of_one_triangle_is_not_what_others_are_held_against(tmp_path: Path) -> None:
    cloth = squeezed_sheet(12, 12, frames=9, compression=1.5)
    # The sheet is squeezed in two frames of nine, the triangle in all but the first.
    sheet = cloth.positions[[0] * 7 + [4] * 2]
    narrow = np.eye(3) * np.array([1.0, *[0.5] * 8])[:, None, None]
    np.savez(
        tmp_path / "parts.npz",
        faces=np.concatenate([cloth.faces, np.arange(3)[None] + cloth.positions.shape[1]]),
        positions=np.concatenate([sheet, narrow], axis=1),
        times=cloth.times,
        materials=np.repeat([0, 1], [len(cloth.faces), 1]),
        material_names=["Hips", "LeftShoulder"],
    )
    suggestion = content_of(tmp_path / "parts.npz")["suggestion"]
    assert sorted(suggestion["parts"]) == ["Hips", "LeftShoulder"]
    shares = {part["part"]: part["share"] for part in suggestion["ranking"]}
    assert 0.0 < shares["Hips"] < shares["LeftShoulder"] / 3.0


def test_the_command_that_shows_the_character_stands_last(three_sheets: Path, tmp_path: Path) -> None:
    last = told(three_sheets, "--parts", "a shirt").splitlines()[-1]
    words = shlex.split(last.removeprefix("a video of it: "))
    assert words == ["pucker", "render", str(three_sheets), "--parts", "a shirt", "-o", "sheets.mp4"]
    result = CliRunner().invoke(cli, [*words[1:5], "--frames", "0", "--size", "32x32", "-o", str(tmp_path / "a.png")])
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize("joints", [False, True])
def test_what_does_not_move_is_told_how_it_might(tmp_path: Path, joints: bool) -> None:
    file = GltfFile()
    bound = {"joints": np.zeros((3, 4), int), "weights": np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))} if joints else {}
    binds = {"inverseBindMatrices": file.accessor(np.eye(4)[None])}
    skin = {"skin": file.add("skins", {"joints": [file.node(name="hips")], **binds})} if joints else {}
    file.node(mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]]), **bound), **skin)
    lines = told(file.write(tmp_path / "still.gltf")).splitlines()
    assert "it has no clip, and only what moves wrinkles" in lines
    assert ("--motion FILE -o still.mp4" in lines[-1]) == joints
    # A file that was to move it, but brings no clip, is not advised again.
    moved = told(tmp_path / "still.gltf", "--motion", str(tmp_path / "still.gltf")).splitlines()
    assert f"{tmp_path / 'still.gltf'} has no clip, and only what moves wrinkles" in moved
    assert moved[-1] == lines[-1]


@pytest.mark.parametrize(
    ("frames", "sentence"),
    [
        (1, "its clips are of one frame, and only what moves wrinkles"),
        (3, "nothing moves in all, and only what moves wrinkles"),
    ],
)
def test_no_video_is_advised_of_frames_that_are_all_alike(tmp_path: Path, frames: int, sentence: str) -> None:
    np.savez(tmp_path / "still.npz", faces=[[0, 1, 2]], positions=np.tile(np.eye(3), (frames, 1, 1)))
    lines = told(tmp_path / "still.npz").splitlines()
    assert sentence in lines
    assert lines[-1] == "clips of another file move glTF, FBX and Collada alone: write it with a clip, as Blender does"
    with pytest.raises(pucker.Error, match="only gltf, glb, vrm, fbx, dae and obj can be moved by another file"):
        pucker.load(tmp_path / "still.npz", motion=tmp_path / "still.npz")


def test_a_player_stands_or_walks_first(tmp_path: Path, data_dir: Path) -> None:
    (tmp_path / "lower.md3").write_bytes((data_dir / "kyonshi_lower.md3").read_bytes())
    (tmp_path / "animation.cfg").write_text("0 20 0 15 // BOTH_DEATH1\n115 9 9 15 // LEGS_WALK\n")
    content = content_of(tmp_path / "lower.md3")
    assert list(content["clips"]) == ["LEGS_WALK", "BOTH_DEATH1", "all"]
    assert content["clip"] == "LEGS_WALK"


def test_compression_is_told_of_a_file_with_one_part(tmp_path: Path) -> None:
    cloth = squeezed_sheet(6, 6, frames=9, compression=1.5)
    np.savez(tmp_path / "sheet.npz", faces=cloth.faces, positions=cloth.positions, times=cloth.times)
    text = told(tmp_path / "sheet.npz")
    assert "triangles past a compression, in a frame:" in text
    assert max(content_of(tmp_path / "sheet.npz")["triangles_past_compression"]["1.15"]) == 72


def test_unnamed_clips_are_listed_so(tmp_path: Path) -> None:
    file = GltfFile()
    node = file.node(name="n", mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]])))
    file.animation("", {(node, "translation"): ([0.0, 1.0], np.zeros((2, 3)))})
    text = told(file.write(tmp_path / "one.gltf"))
    assert "1.000 s  (unnamed)" in text


def test_clips_of_one_name_are_told_apart(tmp_path: Path) -> None:
    file = GltfFile()
    node = file.node(name="n", mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]])))
    for number, name in enumerate(["Run", "Walk", "Run", "", "Run (1)", ""]):
        offsets = np.array([[0.0, 0.0, 0.0], [float(number), 0.0, 0.0]])
        file.animation(name, {(node, "translation"): ([0.0, number + 1.0], offsets)})
    path = file.write(tmp_path / "twice.gltf")
    names = ["Run (2)", "Walk", "Run (3)", "unnamed (1)", "Run (1)", "unnamed (2)"]
    assert list(pucker.inspect(path).clips) == names
    for number, name in enumerate(names):
        clip = pucker.load(path, clip=name)
        assert clip.positions[-1, 0, 0] - clip.positions[0, 0, 0] == pytest.approx(number)
    with pytest.raises(ValueError, match="no clip is named 'Run'; there are: Run \\(2\\), Walk"):
        pucker.load(path, clip="Run")


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("joint:Upper_Arm_L", "joint:Upper_Arm_R"),
        ("Mage_ArmLeft", "Mage_ArmRight"),
        ("rightSleeve", "leftSleeve"),
        ("sleeve.l.001", "sleeve.r.001"),
        ("L_cuff", "R_cuff"),
        ("Torso", None),
        ("Wall", None),
        ("Collar", None),
    ],
)
def test_names_are_mirrored(name: str, other: str | None) -> None:
    assert mirrored(name) == other
    if other is not None:
        assert mirrored(other) == name


@pytest.mark.parametrize(
    "name",
    [
        "Skin",
        "joint:Hand_L",
        "joint:Fist1.L",
        "Mage_Head",
        "LeftFoot",
        "joint:mixamorig:RightHand",
        "hair_01",
        "肌",
        "前髪",
        "joint:左手首",
        "eyeline",
        "mat_cheek",
        "Wolf3D_Outfit_Footwear",
    ],
)
def test_parts_of_the_body_are_told_by_their_names(name: str) -> None:
    assert is_body(name)


@pytest.mark.parametrize("name", ["Shirt", "Clothes", "Dress", "joint:Torso", "Handkerchief", "Headband", "Mage_Body"])
def test_cloth_is_not_taken_for_the_body(name: str) -> None:
    assert not is_body(name)


@pytest.mark.parametrize(
    "name",
    [
        "Shirt",
        "Clothes",
        "F_Dress.001",
        "joint:Sleeve_L",
        "Suit",
        "char:labcoat_mat",
        "Sweatshirt",
        "Jumpsuit",
        "N00_Tops_01_CLOTH",
        "体操服",
        "靴下",
        "スカート",
    ],
)
def test_cloth_is_told_by_its_name(name: str) -> None:
    assert is_cloth(name)


@pytest.mark.parametrize(
    "name", ["Armor", "Helmet1", "Metal_Dark", "Gold", "vanguard_visor", "Beta_Joints_MAT", "Wolf3D_Headwear", "眼鏡"]
)
def test_what_keeps_its_shape_is_told_by_its_name(name: str) -> None:
    assert is_hard(name)
    assert not is_cloth(name)


@pytest.mark.parametrize("name", ["joint:joint12", "joint:Skeleton_torso_joint_1", "joint:leftKneeJoint"])
def test_the_word_joint_in_the_name_of_a_joint_does_not_say_that_it_keeps_its_shape(name: str) -> None:
    assert not is_hard(name)
    assert is_hard(name.removeprefix("joint:"))


@pytest.mark.parametrize("name", ["joint:shield_joint", "joint:jointGun_R"])
def test_a_joint_of_something_hard_keeps_its_shape(name: str) -> None:
    assert is_hard(name)


def squeezed_parts(path: Path, names: list[str], away: float = 0.0) -> Path:
    """Squeezed sheets, one a part, that compress alike; all but the first `away` from the first."""
    cloth = squeezed_sheet(6, 6, frames=9, compression=1.5)
    shift = [np.array([0.0, 0.0, away if k else 0.0]) for k in range(len(names))]
    np.savez(
        path,
        faces=np.concatenate([cloth.faces + k * cloth.positions.shape[1] for k in range(len(names))]),
        positions=np.concatenate([cloth.positions + by for by in shift], axis=1),
        times=cloth.times,
        materials=np.repeat(np.arange(len(names)), len(cloth.faces)),
        material_names=names,
    )
    return path


def changed(path: Path, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Path:
    """The file of arrays with some of them made anew."""
    with np.load(path) as arrays:
        fields = dict(arrays)
    np.savez(path, **fields | change(fields))
    return path


def test_armour_skin_and_boots_are_no_cloth(tmp_path: Path) -> None:
    path = squeezed_parts(tmp_path / "knight.npz", ["Skin", "Armor", "Boots", "Material.003"], away=0.02)
    suggestion = content_of(path)["suggestion"]
    assert suggestion["parts"] == ["Material.003"]
    reasons = {part["part"]: part["reason"] for part in suggestion["ranking"]}
    assert reasons["Armor"] == "is named like something that keeps its shape"
    assert reasons["Skin"] == reasons["Boots"] == "is named like a part of the body"
    assert "from the skin" in reasons["Material.003"]


@pytest.mark.parametrize(
    ("worn", "bare"),
    [
        (["Wolf3D_Outfit_Top", "Wolf3D_Outfit_Bottom"], True),
        (["Hoodie", "Jeans"], True),
        (["Labcoat", "Sweatpants"], True),
        (["Robe"], True),
        (["Jacket"], False),  # the body may be dressed below
        (["Hat", "Cape"], False),
    ],
)
def test_a_body_that_is_dressed_all_over_is_no_cloth(tmp_path: Path, worn: list[str], bare: bool) -> None:
    ranking = content_of(squeezed_parts(tmp_path / "a.npz", ["A_Body", *worn]))["suggestion"]["ranking"]
    (body,) = (part for part in ranking if part["part"] == "A_Body")
    assert body["suggested"] != bare
    assert (body["reason"] == "is the body that wears what is named like cloth") == bare


def test_a_clip_of_minutes_is_ranked_by_some_of_its_frames(tmp_path: Path) -> None:
    path = squeezed_parts(tmp_path / "a.npz", ["Skin", "Shirt"])
    changed(path, lambda fields: {"times": np.linspace(0.0, 120.0, len(fields["times"]))})
    source = pucker.io.open_source(path)
    frames = []
    load = source.load
    spied = SimpleNamespace(
        inspect=source.inspect,
        part_numbers=source.part_numbers,
        load=lambda **options: frames.append(options["fps"] * 120.0) or load(**options),
    )
    assert choose(spied, None, None, 30.0)[1] == ["Shirt"]
    assert 100.0 < max(frames) < 200.0


def test_a_clip_that_holds_a_pose_is_no_motion(tmp_path: Path) -> None:
    path = squeezed_parts(tmp_path / "a.npz", ["Skin", "Shirt"])
    changed(path, lambda fields: {"positions": np.repeat(fields["positions"][:1], 9, axis=0)})
    lines = told(path).splitlines()
    assert "nothing moves in all, and only what moves wrinkles" in lines
    assert lines[-1] == "clips of another file move glTF, FBX and Collada alone: write it with a clip, as Blender does"
    assert "a video of it" not in lines[-1]
    drawn = ["render", str(path), "--frames", "0", "--size", "32x32", "-o", str(tmp_path / "a.png")]
    result = CliRunner().invoke(cli, drawn)
    assert result.exit_code == 0, result.output
    assert f"{path}: nothing moves in a all, and only what moves wrinkles\n" in result.stderr
    assert "nothing moves" not in CliRunner().invoke(cli, [*drawn, "--quiet"]).stderr


def test_what_has_no_skin_under_it_says_so(tmp_path: Path) -> None:
    (trousers,) = (
        part
        for part in content_of(squeezed_parts(tmp_path / "man.npz", ["Skin", "Trousers"], away=0.5))["suggestion"][
            "ranking"
        ]
        if part["part"] == "Trousers"
    )
    assert trousers["reason"] == "compresses, is named like cloth, has no skin under it"


def test_armour_is_taken_where_nothing_else_compresses(tmp_path: Path) -> None:
    assert content_of(squeezed_parts(tmp_path / "a.npz", ["Skin", "Armor"]))["suggestion"]["parts"] == ["Armor"]
    assert "suggested" not in told(squeezed_parts(tmp_path / "b.npz", ["Skin", "Hair"]))


def test_names_of_cloth_count_before_those_that_say_nothing(tmp_path: Path) -> None:
    ranking = content_of(squeezed_parts(tmp_path / "c.npz", ["Green", "Robe"]))["suggestion"]["ranking"]
    assert [part["part"] for part in ranking] == ["Robe", "Green"]
    assert ranking[0]["reason"] == "compresses, is named like cloth"


def test_what_is_closed_all_round_counts_less(tmp_path: Path) -> None:
    box = trimesh.creation.icosphere(2)
    cloth = squeezed_sheet(6, 6, frames=9, compression=1.5)
    squeeze = np.array([[1.0 / (1.0 + 0.0625 * k), 1.0, 1.0] for k in range(9)])
    count = cloth.positions.shape[1]
    np.savez(
        tmp_path / "ball.npz",
        faces=np.concatenate([cloth.faces, box.faces + count]),
        positions=np.concatenate([cloth.positions, box.vertices[None] * squeeze[:, None]], axis=1),
        times=cloth.times,
        materials=np.repeat([0, 1], [len(cloth.faces), len(box.faces)]),
        material_names=["sheet", "ball"],
    )
    reasons = {part["part"]: part["reason"] for part in content_of(tmp_path / "ball.npz")["suggestion"]["ranking"]}
    assert "closed" in reasons["ball"]
    assert "closed" not in reasons["sheet"]


@pytest.mark.parametrize(("file", "clip"), [("cowboy.dae", "animation"), ("mage.glb", "Walking_A")])
def test_left_and_right_are_suggested_together_and_every_part_has_a_reason(
    data_dir: Path, file: str, clip: str
) -> None:
    ranking = content_of(data_dir / file, "--clip", clip)["suggestion"]["ranking"]
    suggested = {part["part"]: part["suggested"] for part in ranking}
    pairs = [name for name in suggested if mirrored(name) in suggested]
    assert pairs
    for name in pairs:
        assert suggested[name] == suggested[mirrored(name) or ""]
    for part in ranking:
        assert part["reason"]
        assert not (part["suggested"] and is_body(part["part"]))


def test_skin_is_not_suggested_however_much_it_compresses(data_dir: Path) -> None:
    suggestion = content_of(data_dir / "female_dress.fbx", "--clip", "HumanArmature|Female_Clapping")["suggestion"]
    assert "Skin" not in suggestion["parts"]
    (skin,) = (part for part in suggestion["ranking"] if part["part"] == "Skin")
    assert skin["reason"] == "is named like a part of the body"


@pytest.mark.parametrize(
    ("command", "output", "options"),
    [
        ("render", "still.png", ("--frames", "0", "--size", "64x64")),
        ("bake", "walk.npz", ("--fps", "4", "--levels", "1")),
        ("export", "paths.csv", ("--fps", "4")),
        ("page", "page.html", ("--fps", "4", "--levels", "1")),
    ],
)
def test_what_was_not_chosen_is_suggested_in_every_command(
    data_dir: Path, tmp_path: Path, command: str, output: str, options: tuple[str, ...]
) -> None:
    arguments = [command, str(data_dir / "kimono_male.gltf"), "-o", str(tmp_path / output), *options]
    result = CliRunner().invoke(cli, arguments, prog_name="pucker")
    assert result.exit_code == 0, result.output
    clip = content_of(data_dir / "kimono_male.gltf")["clip"]
    chosen, shown = (line for line in result.stderr.splitlines() if "taking" in line)
    assert chosen.endswith(f"taking --clip {clip} --parts Clothes,Band, as pucker info suggests")
    assert ": taking --smooth 1, as " in shown


def test_train_takes_the_suggested_garment(data_dir: Path, tmp_path: Path) -> None:
    arguments = ["train", str(data_dir / "kimono_male.gltf"), "--clips", "Walk", "-o", str(tmp_path / "set.npz")]
    # A recording of another mesh, so that nothing is simulated.
    recording = data_dir / "tshirt_wind.zip"
    result = CliRunner().invoke(cli, [*arguments, "--fine", str(recording)], prog_name="pucker")
    assert result.exit_code == 2
    assert "taking --parts Clothes, as pucker info suggests" in result.stderr
    assert "must have" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "added"),
    [
        ((), ["--clip", "Run", "--parts", "Clothes,Band"]),
        (("--clip", "Walk"), ["--parts", "Clothes"]),
        (("--parts=Skin",), ["--clip", None]),
        (("--clip=Walk", "--parts", "Clothes"), []),
        (("--help",), []),
    ],
)
def test_view_is_told_what_was_not_chosen(data_dir: Path, arguments: tuple[str, ...], added: list[str | None]) -> None:
    words = (str(data_dir / "kimono_male.gltf"), *arguments)
    wrinkles = wrinkles_in(words)
    found = suggested(words, wrinkles)
    assert len(found) == len(added)
    assert all(expected in (None, text) for text, expected in zip(found, added, strict=True))
    assert suggested(("nowhere.gltf",), wrinkles) == suggested((), wrinkles) == []


def test_no_suggestion_where_there_is_no_choice(data_dir: Path, three_sheets: Path) -> None:
    assert "suggestion" not in content_of(data_dir / "tshirt_wind.zip", "--clip", "0:3")
    assert "suggestion" not in content_of(three_sheets, "--parts", "still")


def test_character_that_does_not_compress_gets_told_so(tmp_path: Path) -> None:
    path = squeezed_parts(tmp_path / "a.npz", ["Skin", "Shirt"])
    growth = np.linspace([1.0, 1.0, 1.0], [1.05, 1.0, 1.0], 9)[:, None]
    changed(path, lambda fields: {"positions": fields["positions"][:1] * growth})
    assert "no part compresses past 1.15 in all" in told(path)


def test_a_pose_among_other_clips_is_told_from_them(data_dir: Path) -> None:
    lines = told(data_dir / "mage.glb", "--clip", "T-Pose").splitlines()
    assert "nothing moves in T-Pose, and only what moves wrinkles" in lines
    assert lines[-1].startswith("a video of it in the clip in which most is compressed: pucker render ")
    assert "T-Pose" not in lines[-1]


def test_file_without_animation_is_listed(tmp_path: Path) -> None:
    stage = Usd.Stage.CreateNew(str(tmp_path / "still.usda"))
    for name in ("shirt", "skin"):
        mesh = UsdGeom.Mesh.Define(stage, f"/{name}")
        mesh.CreatePointsAttr(Vt.Vec3fArray(3))
        mesh.CreateFaceVertexCountsAttr([3])
        mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    stage.Save()
    content = content_of(tmp_path / "still.usda")
    assert (content["format"], content["clips"], content["meshes"]) == ("usda", {}, {"shirt": 1, "skin": 1})
    assert "suggestion" not in content


def test_point_cache_is_listed_with_its_obj(tmp_path: Path) -> None:
    (tmp_path / "cloth.obj").write_text("o shirt\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    frames = np.zeros((2, 3, 3), ">f4")
    (tmp_path / "cloth.mdd").write_bytes(struct.pack(">iiff", 2, 3, 0.0, 0.5) + frames.tobytes())
    content = content_of(tmp_path / "cloth.mdd")
    assert (content["format"], content["clips"], content["nodes"]) == ("mdd", {"all": 0.5}, {"shirt": 1})


def test_names_reach_the_terminal_without_escapes(data_dir: Path, tmp_path: Path) -> None:
    text = (data_dir / "kimono_male.gltf").read_text(encoding="utf-8")
    for name in ("Clothes", "Walk"):
        assert f'"{name}"' in text
        text = text.replace(f'"{name}"', f'"{name}\\u001b[31m\\r"')
    path = tmp_path / "red.gltf"
    path.write_text(text, encoding="utf-8")
    for arguments in (["info", str(path), "--clip", "Idle"], ["info", str(path), "--clip", "no\x1b[31m"]):
        result = CliRunner().invoke(cli, arguments, prog_name="pucker", color=True)
        told = result.stdout + result.stderr
        assert "\x1b" not in told
        assert "\r" not in told
        assert "\\x1b[31m" in told


def test_a_message_has_at_most_a_thousand_characters(tmp_path: Path) -> None:
    result = CliRunner().invoke(cli, ["info", str(tmp_path / "x.glb"), "--clip", "a" * 30_000], prog_name="pucker")
    assert result.exit_code == 2
    result = CliRunner().invoke(cli, ["render", "x.glb", "-o", "out/" + "a" * 30_000 + ".png"], prog_name="pucker")
    assert result.exit_code == 2
    assert "aaaa" in result.stderr
    assert len(result.stderr) < 1200


def test_a_motion_that_moves_nothing_is_not_advised_beside_another(tmp_path: Path) -> None:
    file = GltfFile()
    bone = file.node(name="Bone")
    joints, weights = np.zeros((3, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    skin = file.add("skins", {"joints": [bone], "inverseBindMatrices": file.accessor(np.eye(4)[None])})
    file.node(name="sheet", mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]]), joints, weights), skin=skin)
    file.animation("hold", {(bone, "translation"): ([0.0, 1.0], np.zeros((2, 3)))})
    path = file.write(tmp_path / "held.gltf")
    last = told(path, "--motion", path).splitlines()[-1]
    assert last.endswith(f": pucker render {path} --motion FILE -o held.mp4")
