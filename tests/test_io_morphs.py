"""Meshes that morph targets move, alone and under a skin, against an evaluation in NumPy."""

import json
from pathlib import Path

import fbx_writer
import numpy as np
import pytest
from gltf_oracle import Gltf
from gltf_writer import GltfFile
from numpy.typing import NDArray

import pucker

Array = NDArray[np.float64]

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.2]])
FACES = np.array([[0, 1, 2], [0, 2, 3]])
TIMES = [0.5, 0.75, 1.5]  # a clip begins at its first key


def targets(rng: np.random.Generator, count: int) -> list[Array]:
    return [rng.normal(size=POINTS.shape).astype(np.float32).astype(np.float64) for _ in range(count)]


def morphing(path: Path, rng: np.random.Generator, *, skinned: bool) -> Path:
    """A sheet with three morph targets, moved by the clip "flap", and by joints that turn and stretch if it is skinned."""
    file = GltfFile()
    moved = [{"POSITION": target} for target in targets(rng, 3)]
    if skinned:
        joints, weights = np.tile([0, 1, 0, 0], (4, 1)), np.c_[rng.dirichlet([1.0, 1.0], 4), np.zeros((4, 2))]
        mesh = file.mesh(POINTS, FACES, joints, weights, targets=moved)
        hip = file.node(name="hip", translation=[0.1, 0.2, 0.3])
        spine = file.node(parent=hip, name="spine", scale=[1.0, 2.0, 1.5])
        skin = file.add(
            "skins", {"joints": [hip, spine], "inverseBindMatrices": file.accessor(np.stack([np.eye(4)] * 2))}
        )
        node = file.node(name="sheet", mesh=mesh, skin=skin)
        turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [0.6, 0.0, 0.0, 0.8]]
        keys = {(hip, "rotation"): (TIMES, turns)}
    else:
        node = file.node(name="sheet", mesh=file.mesh(POINTS, FACES, targets=moved), translation=[1.0, 2.0, 3.0])
        keys = {}
    file.animation("flap", {**keys, (node, "weights"): (TIMES, rng.uniform(size=(3, 3)))})
    return file.write(path)


@pytest.mark.parametrize("skinned", [False, True])
def test_targets_are_blended_before_the_skin(tmp_path: Path, rng: np.random.Generator, skinned: bool) -> None:
    path = morphing(tmp_path / "sheet.gltf", rng, skinned=skinned)
    clip, oracle = pucker.load(path, fps=16), Gltf(path)
    assert len(clip) == 17
    node = oracle.node("sheet")
    for frame, time in enumerate(clip.times):
        at = TIMES[0] + float(time)
        weights, matrices = oracle.weights(node, "flap", at), oracle.globals("flap", at)
        expected = oracle.pose(node, oracle.primitives(node)[0], matrices, weights)
        np.testing.assert_allclose(clip.positions[frame], expected, atol=1e-6)


@pytest.mark.parametrize("ending", ["gltf", "glb"])
def test_targets_whose_numbers_are_left_out_move_nothing(tmp_path: Path, rng: np.random.Generator, ending: str) -> None:
    def written(name: str, *, whole: bool) -> Path:
        file = GltfFile()
        still, moving = (np.zeros(POINTS.shape), targets(np.random.default_rng(1), 1)[0])
        shapes = [{"POSITION": still, "NORMAL": still}, {"POSITION": moving, "NORMAL": still}, {"POSITION": still}]
        mesh = file.mesh(POINTS, FACES, normals=POINTS + 1.0, targets=shapes)
        node = file.node(name="sheet", mesh=mesh)
        # Of one name, as a writer that repairs the one must keep repairing the other.
        file.node(name="sheet", translation=[1.0, 0.0, 0.0])
        file.animation("flap", {(node, "weights"): (TIMES, [[1.0, 0.0, 1.0], [0.5, 0.7, 0.0], [0.0, 1.0, 0.2]])})
        if not whole:
            for target in file.json["meshes"][0]["primitives"][0]["targets"]:
                for accessor in target.values():
                    entry = file.json["accessors"][accessor]
                    if not np.any(entry["min"] + entry["max"]):
                        entry.pop("bufferView")
        path = tmp_path / f"{name}.{ending}"
        return file.write(path) if ending == "gltf" else file.write_glb(path)

    found = pucker.load(written("left out", whole=False), fps=16)
    expected = pucker.load(written("whole", whole=True), fps=16)
    np.testing.assert_array_equal(found.positions, expected.positions)
    assert np.ptp(found.positions, axis=0).max() > 0.1


def test_a_joint_may_share_the_name_of_what_targets_move(tmp_path: Path, rng: np.random.Generator) -> None:
    path = morphing(tmp_path / "sheet.gltf", rng, skinned=True)
    expected = pucker.load(path, fps=16).positions
    tree = json.loads(path.read_text())
    for node in tree["nodes"]:
        if node["name"] == "spine":
            node["name"] = "sheet"
    path.write_text(json.dumps(tree))
    np.testing.assert_array_equal(pucker.load(path, fps=16).positions, expected)


def test_cloth_that_targets_move_has_a_rest_pose_but_no_skin(tmp_path: Path, rng: np.random.Generator) -> None:
    clip = pucker.load(morphing(tmp_path / "sheet.gltf", rng, skinned=True))
    assert clip.rest is not None
    assert clip.skin is None


def test_targets_of_the_body_leave_the_skin_of_the_cloth(tmp_path: Path, rng: np.random.Generator) -> None:
    file = GltfFile()
    hip = file.node(name="hip")
    skin = file.add("skins", {"joints": [hip], "inverseBindMatrices": file.accessor(np.eye(4)[None])})
    bound = np.zeros((4, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (4, 1))
    face = file.mesh(POINTS + 5.0, FACES, *bound, targets=[{"POSITION": targets(rng, 1)[0]}])
    face_node = file.node(name="face", mesh=face, skin=skin)
    file.node(name="cloth", mesh=file.mesh(POINTS, FACES, *bound), skin=skin)
    smile = {
        (hip, "translation"): ([0.0, 1.0], [[0, 0, 0], [1, 0, 0]]),
        (face_node, "weights"): ([0.0, 1.0], [[0], [1]]),
    }
    file.animation("smile", smile)
    path = file.write(tmp_path / "smile.gltf")
    assert pucker.load(path, parts=["cloth"]).skin is not None
    assert pucker.load(path, parts=["face"]).skin is None


def test_weights_of_the_mesh_hold_where_no_clip_moves_its_targets(tmp_path: Path, rng: np.random.Generator) -> None:
    file = GltfFile()
    shapes, normals = targets(rng, 2), np.tile([0.0, 0.0, 1.0], (4, 1))
    tilt = np.tile([0.5, 0.0, -0.5], (4, 1))
    mesh = file.mesh(
        POINTS, FACES, normals=normals, targets=[{"POSITION": shapes[0], "NORMAL": tilt}, {"POSITION": shapes[1]}]
    )
    file.json["meshes"][mesh]["weights"] = [0.5, 0.25]
    node = file.node(name="sheet", mesh=mesh)
    file.animation("slide", {(node, "translation"): ([0.0, 1.0], [[0, 0, 0], [1, 0, 0]])})
    clip = pucker.load(file.write(tmp_path / "sheet.gltf"))
    np.testing.assert_allclose(clip.positions[0], POINTS + 0.5 * shapes[0] + 0.25 * shapes[1], atol=1e-6)
    expected = np.array([0.25, 0.0, 0.75]) / np.hypot(0.25, 0.75)
    np.testing.assert_allclose(clip.shading_normals(0)[0], np.tile(expected, (4, 1)), atol=1e-6)


def channels(rng: np.random.Generator) -> list[fbx_writer.Channel]:
    return [
        fbx_writer.Channel("bulge", [rng.normal(size=POINTS.shape)], [0.0, 0.5, 1.0], [0.0, 1.0, 0.25]),
        fbx_writer.Channel("twist", [rng.normal(size=POINTS.shape)], [0.0, 1.0], [0.5, -0.5]),
    ]


def test_targets_of_an_fbx_file_are_blended(tmp_path: Path, rng: np.random.Generator) -> None:
    moved = channels(rng)
    clip = pucker.load(fbx_writer.write(tmp_path / "sheet.fbx", POINTS, FACES, moved), fps=8)
    assert len(clip) == 9
    rest = pucker.load(fbx_writer.write(tmp_path / "rest.fbx", POINTS, FACES, moved[:1]), fps=8).positions[0]
    order = [int(np.linalg.norm(rest - point, axis=1).argmin()) for point in POINTS]
    for frame, time in enumerate(clip.times):
        expected = POINTS.copy()
        for channel in moved:
            expected += np.interp(time, channel.times, channel.weights) * channel.shapes[0]
        np.testing.assert_allclose(clip.positions[frame][order], expected, atol=1e-5)


def test_shapes_in_between_are_refused(tmp_path: Path, rng: np.random.Generator) -> None:
    first, second = channels(rng)
    between = fbx_writer.Channel(first.name, [*first.shapes, *second.shapes], first.times, first.weights)
    path = fbx_writer.write(tmp_path / "sheet.fbx", POINTS, FACES, [between])
    with pytest.raises(
        pucker.Error, match="moves the morph target 'bulge' of node 'cloth', which has shapes in between"
    ):
        pucker.load(path)


def test_clip_that_moves_targets_of_a_mesh_without_any_is_refused(tmp_path: Path) -> None:
    file = GltfFile()
    node = file.node(name="sheet", mesh=file.mesh(POINTS, FACES))
    file.animation("flap", {(node, "weights"): ([0.0, 1.0], [[0.0], [1.0]])})
    with pytest.raises(pucker.Error, match="clip 'flap' moves morph targets of node 'sheet', which has none"):
        pucker.load(file.write(tmp_path / "sheet.gltf"))


def test_weights_of_more_targets_than_there_are_is_refused(tmp_path: Path, rng: np.random.Generator) -> None:
    file = GltfFile()
    node = file.node(name="sheet", mesh=file.mesh(POINTS, FACES, targets=[{"POSITION": targets(rng, 1)[0]}]))
    file.animation("flap", {(node, "weights"): ([0.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])})
    with pytest.raises(pucker.Error, match="clip 'flap' moves morph target 1 of node 'sheet', which has 1"):
        pucker.load(file.write(tmp_path / "sheet.gltf"))
