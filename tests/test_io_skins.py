"""Skins, and the pose they were bound in, against NumPy."""

import gc
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_oracle import Gltf, rotation
from gltf_writer import GltfFile
from numpy.typing import NDArray
from posing import skinned, whole

import pucker

Array = NDArray[np.float64]


def random_turn(rng: np.random.Generator) -> Array:
    return rotation(rng.normal(size=4))


def placing(turn: Array, shift: Any, scale: float = 1.0) -> Array:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = scale * turn, shift
    return out


def moved(matrix: Array, points: Array) -> Array:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def sides(points: Array, faces: Any) -> Array:
    return np.asarray(np.linalg.norm(points[faces] - points[np.roll(faces, 1, axis=1)], axis=2))


# The bind pose of files


@pytest.mark.parametrize(
    ("name", "clip_name", "mesh_node", "parts"),
    [
        ("kimono_male.gltf", "Walk", "Body", ["Clothes"]),
        ("mage.glb", "Jump_Full_Long", "Mage_Body", ["Mage_Body"]),
        ("mage.glb", "Jump_Full_Long", "Mage_ArmLeft", ["Mage_ArmLeft"]),
    ],
)
def test_bind_pose_is_the_skin_with_its_joints_where_they_were_bound(
    data_dir: Path, name: str, clip_name: str, mesh_node: str, parts: list[str]
) -> None:
    clip = pucker.load(data_dir / name, clip=clip_name, parts=parts, fps=5)
    oracle = Gltf(data_dir / name)
    node = oracle.node(mesh_node)
    primitive = next(
        p for p in oracle.primitives(node) if oracle.material(p) in parts or len(oracle.primitives(node)) == 1
    )
    stored = oracle.stored_globals()
    joints, binds = oracle.skin(node)
    # Every joint at the inverse of its inverse bind; the whole where the topmost joint of all skins is stored.
    top = min((k for n in oracle.skinned_nodes() for k in oracle.moving_joints(n)), key=oracle.depth)
    place = stored[top] @ oracle.skin(oracle.node_bound_to(top))[1][top]
    matrices = list(stored)
    for joint in joints:
        matrices[joint] = place @ np.linalg.inv(binds[joint])
    expected = oracle.pose(node, primitive, matrices)
    assert np.abs(clip.rest[clip.weld] - expected).max() < 2e-6 * clip.height
    assert np.linalg.det(place[:3, :3]) == pytest.approx(1.0, abs=1e-4)
    # The body of the pose has the lengths of the mesh that was bound.
    np.testing.assert_allclose(
        sides(clip.rest, clip.faces), sides(oracle.bind_pose(primitive), clip.stored_faces), atol=2e-6 * clip.height
    )


def test_bind_pose_of_an_fbx_has_the_scale_of_its_frames(data_dir: Path) -> None:
    """The armature scales by 100."""
    clip = pucker.load(data_dir / "female_dress.fbx", clip="HumanArmature|Female_Idle", parts=["Dress"])
    lengths = sides(clip.rest, clip.faces)
    assert np.median(sides(clip.positions[0], clip.faces) / lengths) == pytest.approx(1.0, abs=0.02)


def test_bind_pose_of_a_collada_skin_is_its_mesh_turned(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "cowboy.dae")
    text = (data_dir / "cowboy.dae").read_text()
    numbers = text[text.index("<float_array") :]
    numbers = numbers[numbers.index(">") + 1 : numbers.index("</float_array>")]
    mesh = np.array(numbers.split(), np.float64).reshape(-1, 3)
    assert len(mesh) == len(clip.rest)
    # In the order of first use, so compare what does not depend on order: the distances from the middle.
    far = [np.sort(np.linalg.norm(points - points.mean(0), axis=1)) for points in (mesh, clip.rest)]
    np.testing.assert_allclose(far[1], far[0], atol=1e-5 * clip.height)


@pytest.mark.parametrize("name", ["kyonshi_lower.md3", "tshirt_wind.zip"])
def test_file_without_skin_has_no_bind_pose(data_dir: Path, name: str) -> None:
    clip = pucker.load(data_dir / name, clip="0:2")
    assert clip.rest is None
    assert pickle.loads(pickle.dumps(clip)).rest is None


# The bind pose of what is known


class Figure:
    """Two skinned meshes that share a joint, a hat on the head, under an armature that is turned and scaled; stored in
    another pose than it was bound in."""

    def __init__(self, rng: np.random.Generator, scale: float, *, bound_where_stored: bool) -> None:
        file = GltfFile()
        armature = placing(random_turn(rng), rng.normal(size=3), scale)
        top = file.node(armature, name="armature")
        # Joints in the armature's space: hip → chest → head.
        bound = [placing(random_turn(rng), rng.normal(size=3)) for _ in range(3)]
        turns = [np.eye(4) if bound_where_stored else placing(random_turn(rng), rng.normal(size=3)) for _ in range(3)]
        stored = [turn @ bind for turn, bind in zip(turns, bound, strict=True)]
        joints: list[int] = []
        parent = top
        for k, name in enumerate(("hip", "chest", "head")):
            local = stored[k] if k == 0 else np.linalg.inv(stored[k - 1]) @ stored[k]
            parent = file.node(local, parent, name=name)
            joints.append(parent)
        self.faces = np.arange(60).reshape(-1, 3)
        self.meshes = {"shirt": rng.normal(size=(60, 3)), "hood": rng.normal(size=(60, 3))}
        hat = rng.normal(size=(60, 3))
        # The hood's skin knows the upper two joints only, and was bound in a space of its own.
        own = {"shirt": np.eye(4), "hood": placing(random_turn(rng), rng.normal(size=3))}
        for name, used in (("shirt", [0, 1]), ("hood", [1, 2])):
            binds = [np.linalg.inv(bound[k]) @ own[name] for k in used]
            skin = {"joints": [joints[k] for k in used], "inverseBindMatrices": file.accessor(np.array(binds))}
            weights = np.zeros((60, 4))
            weights[:, :2] = rng.dirichlet([1, 1], 60)
            mesh = file.mesh(self.meshes[name], self.faces, np.tile([0, 1, 0, 0], (60, 1)), weights)
            file.node(name=name, mesh=mesh, skin=file.add("skins", skin))
        placed_hat = placing(random_turn(rng), rng.normal(size=3))
        file.node(placed_hat, joints[2], name="hat", mesh=file.mesh(hat, self.faces))
        file.animation("wave", {(top, "translation"): ([0.0, 1.0], rng.normal(size=(2, 3)))})
        self.file = file
        self.parts = ["shirt", "hood", "hat"]
        # The hip stands where it is stored, the rest is to it as it was bound.
        place = armature @ turns[0]
        local = {"shirt": np.eye(4), "hood": own["hood"], "hat": bound[2] @ placed_hat}
        points = {**self.meshes, "hat": hat}
        self.expected = {part: moved(place @ local[part], points[part]) for part in self.parts}


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("bound_where_stored", [False, True])
def test_bind_pose_keeps_meshes_together_at_the_scale_of_the_frames(
    tmp_path: Path, rng: np.random.Generator, scale: float, bound_where_stored: bool
) -> None:
    figure = Figure(rng, scale, bound_where_stored=bound_where_stored)
    path = figure.file.write(tmp_path / "figure.gltf")
    for part in figure.parts:
        clip = pucker.load(path, parts=[part])
        assert np.abs(clip.rest[clip.weld] - figure.expected[part]).max() < 2e-6 * clip.height
        copy = pickle.loads(pickle.dumps(clip))
        assert copy.rest.tobytes() == clip.rest.tobytes()
        assert not clip.rest.flags.writeable


def enlarged(path: Path, rng: np.random.Generator, points: Array, sizes: Any) -> Path:
    """A skinned figure whose topmost joint, at (0.3, 1, -0.2), a clip scales by `sizes` (2, 3)."""
    file = GltfFile()
    hip = file.node(name="hip", translation=[0.3, 1.0, -0.2])
    head = file.node(parent=hip, name="head", translation=[0.0, 0.7, 0.0])
    binds = [placing(np.eye(3), [-0.3, -1.0, 0.2]), placing(np.eye(3), [-0.3, -1.7, 0.2])]
    skin = file.add("skins", {"joints": [hip, head], "inverseBindMatrices": file.accessor(np.array(binds))})
    faces = np.arange(len(points)).reshape(-1, 3)
    weights = np.zeros((len(points), 4))
    weights[:, :2] = rng.dirichlet([1, 1], len(points))
    influences = np.tile([0, 1, 0, 0], (len(points), 1))
    file.node(name="shirt", mesh=file.mesh(points, faces, influences, weights), skin=skin)
    turns = rng.normal(size=(2, 4))
    file.animation(
        "wave",
        {
            (hip, "scale"): ([0.0, 1.0], sizes),
            (head, "rotation"): ([0.0, 1.0], turns / np.linalg.norm(turns, axis=1, keepdims=True)),
        },
    )
    return file.write(path)


@pytest.mark.parametrize("size", [0.8, 1.005, 3.0])
@pytest.mark.parametrize("how", ["steady", "growing", "wider"])
def test_bind_pose_is_as_large_as_all_frames_of_a_clip_that_scales_the_topmost_joint(
    tmp_path: Path, rng: np.random.Generator, size: float, how: str
) -> None:
    points = rng.normal(size=(60, 3))
    sizes = np.full((2, 3), size)
    if how == "growing":
        sizes[1] *= 1.5
    elif how == "wider":
        sizes[:, 0] *= 1.5
    clip = pucker.load(enlarged(tmp_path / "figure.gltf", rng, points, sizes))
    larger = size if how == "steady" and abs(size - 1.0) > 0.01 else 1.0
    stored = np.empty_like(points)
    stored[:] = [0.3, 1.0, -0.2] + larger * (points - [0.3, 1.0, -0.2])
    np.testing.assert_allclose(clip.rest[clip.weld], stored, atol=2e-6 * clip.height)
    # The skin goes from the pose that the clip has.
    for frame in (0, len(clip) - 1):
        np.testing.assert_allclose(blended(clip, frame), clip.positions[frame], atol=2e-6 * clip.height)


# The bind pose of arrays


def test_arrays_come_with_the_rest_pose_they_are_given(rng: np.random.Generator) -> None:
    points = rng.normal(size=(2, 5, 3))
    points[:, 4] = points[:, 0]
    rest = rng.normal(size=(5, 3))
    apart = pucker.Clip.from_arrays([[0, 1, 2], [2, 3, 4]], points, [0, 1], rest=rest)
    np.testing.assert_array_equal(apart.rest, rest)
    rest[4] = rest[0]
    welded = pucker.Clip.from_arrays([[0, 1, 2], [2, 3, 4]], points, [0, 1], rest=rest)
    np.testing.assert_array_equal(welded.rest, rest[:4])
    assert pucker.Clip.from_arrays([[0, 1, 2]], points, [0, 1]).rest is None


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        (np.zeros((4, 3)), r"rest must have shape \(5, 3\), got \(4, 3\)"),
        (np.full((5, 3), np.nan), "rest must be finite, vertex 0 is not"),
        ("flat", "rest must hold real numbers"),
    ],
)
def test_rest_poses_that_do_not_fit_are_refused(rest: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pucker.Clip.from_arrays([[0, 1, 2]], np.zeros((1, 5, 3)), [0], rest=rest)


# The skin of a clip


def blended(clip: pucker.Clip, frame: int, *, body: bool = False) -> Array:
    """Linear blend skinning of the rest pose."""
    skin, rest = (clip.body_skin, clip.body_rest) if body else (clip.skin, clip.rest)
    assert skin is not None
    return skinned(skin, rest, whole(skin.matrices[frame]))


@pytest.mark.parametrize(
    ("name", "clip_name", "parts"),
    [
        ("kimono_male.gltf", "Walk", ["Clothes", "Band"]),
        ("kimono_male.gltf", "SitDown", None),
        ("mage.glb", "Jump_Full_Long", None),
        ("mage.glb", "Sit_Floor_Down", ["Mage_Body", "Mage_Arm*", "Mage_Cape"]),
        ("female_dress.fbx", "HumanArmature|Female_Run", ["Dress"]),
        ("female_dress.fbx", "HumanArmature|Female_Death", None),
        ("cowboy.dae", "animation", None),
    ],
)
def test_blend_of_the_skin_is_where_the_clip_is(
    data_dir: Path, name: str, clip_name: str, parts: list[str] | None
) -> None:
    clip = pucker.load(data_dir / name, clip=clip_name, parts=parts, fps=12)
    skin = clip.skin
    assert skin.matrices.shape == (len(clip), len(skin.joints), 3, 4)
    np.testing.assert_allclose(np.add.reduceat(skin.influence_weights, skin.first[:-1]), 1.0, atol=1e-12)
    apart = max(np.abs(blended(clip, k) - clip.positions[k]).max() for k in range(len(clip)))
    assert apart < 1e-5 * clip.height
    for k in range(len(clip)) if len(clip.body_faces) else ():
        assert np.abs(blended(clip, k, body=True) - clip.body_positions[k]).max() < 1e-5 * clip.height


def test_joints_are_nodes_of_the_skeleton(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=6.0)
    skeleton = clip.skeleton
    for skin in (clip.skin, clip.body_skin):
        assert [skeleton.nodes[k] for k in skin.nodes] == skin.joints
        np.testing.assert_array_equal(skeleton.matrices[:, skin.nodes], skin.matrices)
    oracle = Gltf(data_dir / "kimono_male.gltf")
    names = {node["name"]: k for k, node in enumerate(oracle.json["nodes"]) if "mesh" not in node}
    assert set(skeleton.nodes) == set(names)
    for name, parent in zip(skeleton.nodes, skeleton.parents, strict=True):
        above = oracle.parents.get(names[name])
        assert (None if parent < 0 else names[skeleton.nodes[parent]]) == above
    short = clip.beginning(3)
    np.testing.assert_array_equal(short.skeleton.matrices, skeleton.matrices[:3])
    np.testing.assert_array_equal(short.body_skin.matrices, clip.body_skin.matrices[:3])


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_blend_of_a_known_skin_is_where_the_clip_is(tmp_path: Path, rng: np.random.Generator, scale: float) -> None:
    figure = Figure(rng, scale, bound_where_stored=False)
    clip = pucker.load(figure.file.write(tmp_path / "figure.gltf"))
    for frame in (0, len(clip) // 2, len(clip) - 1):
        assert np.abs(blended(clip, frame) - clip.positions[frame]).max() < 1e-5 * clip.height
    assert {"hip", "chest", "head", "hat"} == set(clip.skin.joints)


def test_skin_survives_pickling_and_its_clip(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "cowboy.dae", fps=5)
    copy = pickle.loads(pickle.dumps(clip))
    names = ("inverse_binds", "matrices", "first", "influence_joints", "influence_weights")
    for name in names:
        assert getattr(copy.skin, name).tobytes() == getattr(clip.skin, name).tobytes()
        assert not getattr(clip.skin, name).flags.writeable
    assert copy.skin.joints == clip.skin.joints
    assert copy.skeleton.nodes == clip.skeleton.nodes
    np.testing.assert_array_equal(copy.skeleton.parents, clip.skeleton.parents)
    np.testing.assert_array_equal(copy.skeleton.matrices, clip.skeleton.matrices)
    apart = pucker.load(data_dir / "cowboy.dae", fps=5, isolated=True)
    for each in ("skin", "body_skin"):
        for name in (*names, "nodes"):
            assert getattr(getattr(apart, each), name).tobytes() == getattr(getattr(clip, each), name).tobytes()
    matrices, expected = copy.skin.matrices, clip.skin.matrices.copy()
    del copy
    gc.collect()
    np.testing.assert_array_equal(matrices, expected)


@pytest.mark.parametrize("name", ["kyonshi_lower.md3", "tshirt_wind.zip"])
def test_file_without_skin_has_none(data_dir: Path, name: str) -> None:
    clip = pucker.load(data_dir / name, clip="0:1")
    assert clip.skin is None
    assert clip.body_skin is None
    assert clip.skeleton is None
    assert pickle.loads(pickle.dumps(clip)).skin is None


@pytest.mark.parametrize("most", [1, 2, 4, 6, 20])
def test_a_cut_skin_says_what_it_lost(data_dir: Path, most: int) -> None:
    """Vertices of the cowboy have up to six influences."""
    skin = pucker.load(data_dir / "cowboy.dae", fps=5).skin
    found = skin.cut(most)
    lost = np.zeros(len(skin.first) - 1)
    for vertex in range(len(lost)):
        span = slice(skin.first[vertex], skin.first[vertex + 1])
        order = np.argsort(-skin.influence_weights[span], kind="stable")
        weights, joints = skin.influence_weights[span][order], skin.influence_joints[span][order]
        kept = min(most, len(order))
        np.testing.assert_array_equal(found.joints[vertex, :kept], joints[:kept])
        np.testing.assert_allclose(found.weights[vertex, :kept], weights[:kept] / weights[:kept].sum(), rtol=1e-12)
        assert not found.weights[vertex, kept:].any()
        lost[vertex] = weights[kept:].sum()
    np.testing.assert_allclose(found.lost, lost, atol=1e-15)
    assert found.vertices_cut == np.count_nonzero(found.lost)
    assert (found.vertices_cut > 0) == (most < np.diff(skin.first).max())
    assert f"{found.vertices_cut} of {len(lost)} vertices cut" in repr(found)


def test_a_skin_cannot_be_cut_to_nothing(data_dir: Path) -> None:
    with pytest.raises(ValueError, match="1 influence a vertex or more, not 0"):
        pucker.load(data_dir / "cowboy.dae", fps=1).skin.cut(0)


@pytest.mark.parametrize("second", [True, False])
def test_two_that_wear_one_mesh_are_each_where_their_joints_are(tmp_path: Path, second: bool) -> None:
    """The same mesh on two nodes, with a skin each, or the second as it is; the joint of the first moves up, of the other down."""
    file = GltfFile()
    nodes = file.joints({"left": None, "right": None})
    binds = file.accessor(np.eye(4)[None])
    skins = [file.add("skins", {"joints": [node], "inverseBindMatrices": binds}) for node in nodes.values()]
    triangle = np.eye(3)
    mesh = file.mesh(triangle, np.array([[0, 1, 2]]), np.zeros((3, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))
    file.node(mesh=mesh, skin=skins[0], name="one")
    file.node(mesh=mesh, name="other", **({"skin": skins[1]} if second else {}))
    keys = {"left": [0.0, 2.0, 0.0], "right": [0.0, -3.0, 0.0]}
    file.animation("go", {(nodes[n], "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], to]) for n, to in keys.items()})
    path = file.write(tmp_path / "two.gltf")
    last = {name: pucker.load(path, parts=[name], fps=1.0).positions[-1] for name in ("one", "other")}
    np.testing.assert_allclose(last["one"] - triangle, np.tile(keys["left"], (3, 1)), atol=1e-6)
    np.testing.assert_allclose(
        last["other"] - triangle, np.tile(keys["right"] if second else [0.0] * 3, (3, 1)), atol=1e-6
    )
