"""Files in which several nodes have one name, as glTF and FBX allow."""

import json
import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from gltf_writer import GltfFile
from numpy.typing import NDArray

import pucker

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.2]])
FACES = np.array([[0, 1, 2]])
TIMES = [0.0, 0.5, 1.0]
MOVES = [[0.0, 0.0, 0.0], [1.0, 2.0, 0.0], [0.0, 3.0, 1.0]]

# --- glTF ---


def two_skins(path: Path, names: Sequence[str]) -> Path:
    """Two triangles, each skinned to a joint of its own, of which each moves by itself."""
    file = GltfFile()
    joints, weights = np.zeros((3, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    bones = [file.node(name=name, translation=[3.0 * k, 0.0, 0.0]) for k, name in enumerate(names)]
    for bone in bones:
        skin = file.add("skins", {"joints": [bone], "inverseBindMatrices": file.accessor(np.eye(4)[None])})
        file.node(name=f"sheet {bone}", mesh=file.mesh(POINTS + bone, FACES, joints, weights), skin=skin)
    file.animation("move", {(bone, "translation"): (TIMES, np.array(MOVES) * (1 + k)) for k, bone in enumerate(bones)})
    return file.write_glb(path) if path.suffix == ".glb" else file.write(path)


@pytest.mark.parametrize("ending", ["gltf", "glb"])
def test_joints_of_one_name_move_what_they_are_bound_to(tmp_path: Path, ending: str) -> None:
    named = two_skins(tmp_path / f"named.{ending}", ["Left", "Right"])
    same = two_skins(tmp_path / f"same.{ending}", ["Bone", "Bone"])
    expected, found = pucker.load(named, fps=8), pucker.load(same, fps=8)
    assert np.ptp(expected.positions, axis=0).max() > 1.0
    np.testing.assert_array_equal(found.positions, expected.positions)
    assert pucker.inspect(same).joints == {"Bone": 1, "Bone (2)": 1}
    assert found.skeleton is not None
    assert list(found.skeleton.nodes) == ["ROOT", "Bone", "Bone (2)"]
    second = pucker.load(same, parts=["joint:Bone (2)"], fps=8)
    np.testing.assert_array_equal(second.positions, expected.positions[:, 3:])


def one_skin(path: Path, names: Sequence[str]) -> Path:
    """Two triangles, one skinned to each of two joints of one skin, which move by themselves."""
    file = GltfFile()
    bones = [file.node(name=name, translation=[3.0 * k, 0.0, 0.0]) for k, name in enumerate(names)]
    joints, weights = np.zeros((6, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (6, 1))
    joints[3:, 0] = 1
    skin = file.add("skins", {"joints": bones, "inverseBindMatrices": file.accessor(np.tile(np.eye(4), (2, 1, 1)))})
    sheet = file.mesh(np.concatenate([POINTS, POINTS + 3.0]), np.concatenate([FACES, FACES + 3]), joints, weights)
    file.node(name="sheet", mesh=sheet, skin=skin)
    file.animation("move", {(bone, "translation"): (TIMES, np.array(MOVES) * (1 + k)) for k, bone in enumerate(bones)})
    return file.write_glb(path) if path.suffix == ".glb" else file.write(path)


@pytest.mark.parametrize("ending", ["gltf", "glb"])
def test_joints_of_one_name_in_one_skin_move_by_themselves(tmp_path: Path, ending: str) -> None:
    """As hair and skirts of avatars have, whose readers go by numbers."""
    expected = pucker.load(one_skin(tmp_path / f"named.{ending}", ["Left", "Right"]), fps=8)
    same = one_skin(tmp_path / f"same.{ending}", ["Bone", "Bone"])
    np.testing.assert_array_equal(pucker.load(same, fps=8).positions, expected.positions)
    assert pucker.inspect(same).joints == {"Bone": 1, "Bone (2)": 1}


def test_of_a_file_that_is_damaged_besides_the_damage_is_told(tmp_path: Path) -> None:
    same = one_skin(tmp_path / "same.gltf", ["Bone", "Bone"])
    tree = json.loads(same.read_text())
    tree["meshes"][0]["primitives"][0]["material"] = 7
    same.write_text(json.dumps(tree))
    with pytest.raises(pucker.Error, match=r"same\.gltf: (?!.*the same name)"):
        pucker.load(same)


def test_a_number_that_a_node_has_already_is_left_to_it(tmp_path: Path) -> None:
    file = two_skins(tmp_path / "taken.gltf", ["Bone", "Bone (2)", "Bone"])
    assert list(pucker.inspect(file).joints) == ["Bone", "Bone (2)", "Bone (3)"]


def test_motion_of_another_file_is_told_apart_alike(tmp_path: Path) -> None:
    still = two_skins(tmp_path / "still.gltf", ["Bone", "Bone"])
    tree = json.loads(still.read_text())
    del tree["animations"]
    still.write_text(json.dumps(tree))
    moving = two_skins(tmp_path / "moving.gltf", ["Bone", "Bone"])
    borrowed = pucker.load(still, motion=moving, fps=8)
    np.testing.assert_allclose(borrowed.positions, pucker.load(moving, fps=8).positions, atol=1e-12)


# --- FBX ---

# A record: its name, values, and the records in it. A text of two words has a class, as "Bone Model".
Record = tuple[str, list[object], list["Record"]]
TICKS = 46_186_158_000


def two_nulls(names: Sequence[str]) -> Record:
    """Two triangles, each below a node of its own, of which each moves by itself."""
    objects: list[Record] = [
        (
            "AnimationStack",
            [1, "AnimStack::move", ""],
            [("Properties70", [], [("P", ["LocalStop", "KTime", "Time", "", TICKS], [])])],
        ),
        ("AnimationLayer", [2, "AnimLayer::move", ""], [("Version", [np.int32(100)], [])]),
    ]
    links: list[Record] = [("C", ["OO", 2, 1], [])]
    for k, name in enumerate(names):
        bone, sheet, mesh, moved = (100 * (k + 1) + n for n in range(4))
        corners: list[Record] = [
            ("Vertices", [(POINTS + 5.0 * k).ravel()], []),
            ("PolygonVertexIndex", [np.array([0, 1, -3], np.int32)], []),
        ]
        objects += [
            ("Model", [bone, f"Model::{name}", "Null"], [("Version", [np.int32(232)], [])]),
            ("Model", [sheet, f"Model::sheet {k}", "Mesh"], [("Version", [np.int32(232)], [])]),
            ("Geometry", [mesh, "Geometry::triangle", "Mesh"], corners),
            ("AnimationCurveNode", [moved, "AnimCurveNode::T", ""], [("Version", [np.int32(100)], [])]),
        ]
        links += [("C", ["OO", *pair], []) for pair in ((bone, 0), (sheet, bone), (mesh, sheet), (moved, 2))]
        links.append(("C", ["OP", moved, bone, "Lcl Translation"], []))
        for axis in range(3):
            keys: list[Record] = [
                ("Default", [0.0], []),
                ("KeyVer", [np.int32(4008)], []),
                ("KeyTime", [np.array([round(time * TICKS) for time in TIMES], np.int64)], []),
                ("KeyValueFloat", [np.array([(1 + k) * move[axis] for move in MOVES], np.float32)], []),
            ]
            objects.append(("AnimationCurve", [moved + 10 + axis, "AnimCurve::", ""], keys))
            links.append(("C", ["OP", moved + 10 + axis, moved, f"d|{'XYZ'[axis]}"], []))
    header: Record = (
        "FBXHeaderExtension",
        [],
        [("FBXHeaderVersion", [np.int32(1003)], []), ("FBXVersion", [np.int32(7400)], [])],
    )
    return ("", [], [header, ("Objects", [], objects), ("Connections", [], links)])


def written(record: Record) -> str:
    """A record as text."""
    name, values, below = record

    def told(value: object) -> str:
        if isinstance(value, np.ndarray):
            return f"*{value.size} {{ a: {','.join(str(number) for number in value.tolist())} }}"
        return f'"{value}"' if isinstance(value, str) else str(value)

    inside = "".join(written(each) for each in below)
    if not name:
        return inside
    return f"{name}: {','.join(told(value) for value in values)}" + (f" {{\n{inside}}}\n" if below else "\n")


def packed_value(value: object) -> bytes:
    if isinstance(value, np.ndarray):
        kind: NDArray[np.generic] = value
        letter = {"float64": b"d", "float32": b"f", "int32": b"i", "int64": b"l"}[str(kind.dtype)]
        return letter + struct.pack("<III", kind.size, 0, kind.nbytes) + kind.tobytes()
    if isinstance(value, str):
        kind_of, _, name = value.rpartition("::")
        data = f"{name}\0\1{kind_of}".encode() if kind_of else value.encode()
        return b"S" + struct.pack("<I", len(data)) + data
    if isinstance(value, np.int32):
        return b"I" + struct.pack("<i", value)
    return b"D" + struct.pack("<d", value) if isinstance(value, float) else b"L" + struct.pack("<q", value)


def packed(record: Record, at: int) -> bytes:
    """A binary record that begins at a byte of the file."""
    name, values, below = record
    own = b"".join(packed_value(value) for value in values)
    result = name.encode() + own
    head = 13
    for each in below:
        result += packed(each, at + head + len(result))
    result += bytes(head) if below else b""
    return struct.pack("<IIIB", at + head + len(result), len(values), len(own), len(name)) + result


def write_fbx(path: Path, root: Record, *, binary: bool) -> Path:
    if not binary:
        path.write_text("; FBX 7.4.0 project file\n" + written(root))
        return path
    data = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    for record in root[2]:
        data += packed(record, len(data))
    path.write_bytes(data + bytes(13))
    return path


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("name", ["Bone", "B"])
def test_nodes_of_one_name_in_fbx_move_by_themselves(tmp_path: Path, binary: bool, name: str) -> None:
    named = write_fbx(tmp_path / "named.fbx", two_nulls(["Left", "Right"]), binary=binary)
    same = write_fbx(tmp_path / "same.fbx", two_nulls([name, name]), binary=binary)
    expected, found = pucker.load(named, fps=8), pucker.load(same, fps=8)
    assert np.ptp(expected.positions, axis=0).max() > 5.0
    np.testing.assert_array_equal(found.positions, expected.positions)
