"""Graphs of morph weights: onnxruntime gives what the asset's animations set, from the joints that the asset has there."""

import itertools
import json
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from click.testing import CliRunner
from gltf_oracle import Gltf, rotation
from gltf_writer import GltfFile

import pucker
from pucker import bake, byexample
from pucker.bake.pose_weights import PoseWeights, edge_lengths, edge_transforms
from pucker.cli import cli
from pucker.drape import Params
from pucker.examples import grid_faces

PARAMS = Params(levels=1, iterations=5)
COLUMNS, ROWS = 12, 16


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options)


class Asset:
    """A skinned asset and its graph, read as an engine would: joints of the file's own animations."""

    def __init__(self, path):
        self.gltf, self.graph = Gltf(path), session(path.with_suffix(".onnx"))
        self.node = self.gltf.node("garment")
        self.joints, self.binds = self.gltf.skin(self.node)

    def keys(self, clip):
        times, values = self.gltf.clip_keys(clip)[self.node, "weights"]
        return times, values.reshape(len(times), -1)

    def transforms(self, clip, time):
        matrices = self.gltf.globals(clip, time)
        return np.array([(matrices[joint] @ self.binds[joint])[:3] for joint in self.joints])

    def weights(self, transforms):
        return self.graph.run(None, {"joints": transforms.astype(np.float32)})[0]

    def apart(self, clip):
        """(frames,) how far the graph's weights are from the animation's, of the largest of these."""
        times, baked = self.keys(clip)
        found = np.array([self.weights(self.transforms(clip, time)) for time in times])
        assert found.shape == baked.shape
        return np.abs(found - baked).max(axis=1) / baked.max()

    def corners(self, clip, time, weights):
        matrices = self.gltf.globals(clip, time)
        shown = [
            self.gltf.pose(self.node, primitive, matrices, weights)[
                self.gltf.accessor(primitive["indices"])[:, 0].astype(int)
            ]
            for primitive in self.gltf.primitives(self.node)
        ]
        return np.concatenate(shown)


def limb(path):
    """A tube that follows two joints, which bends in one clip, and twists and travels in the other."""
    y, x = (index.ravel() for index in np.mgrid[: ROWS + 1, :COLUMNS])
    turn = 2.0 * np.pi * x / COLUMNS
    rest = np.stack([0.12 * np.sin(turn), y / ROWS - 0.5, 0.12 * np.cos(turn)], axis=1)
    share = np.clip(0.5 + rest[:, 1] / 0.3, 0.0, 1.0)
    weights = np.stack([1.0 - share, share, 0.0 * share, 0.0 * share], axis=1)
    joints = np.tile([0, 1, 0, 0], (len(rest), 1))
    file = GltfFile()
    upper = file.node(name="upper")
    lower = file.node(name="lower", parent=upper)
    skin = file.add(
        "skins", {"joints": [upper, lower], "inverseBindMatrices": file.accessor(np.array([np.eye(4)] * 2))}
    )
    file.node(mesh=file.mesh(rest, grid_faces(COLUMNS, ROWS, closed=True), joints, weights), skin=skin)
    times = np.arange(13) / 12
    angles = times * 1.4

    def turns(axis):
        return np.stack([*(np.sin(angles / 2) * each for each in axis), np.cos(angles / 2)], axis=1)

    file.animation("bend", {(lower, "rotation"): (times, turns((1, 0, 0)))})
    shifts = np.stack([times, 0 * times, 2 * times], axis=1)
    file.animation("twist", {(lower, "rotation"): (times, turns((0, 1, 0))), (upper, "translation"): (times, shifts)})
    return file.write(path)


@pytest.fixture(scope="module")
def kimono(data_dir):
    """The clips that wear the set."""
    return {
        name: pucker.load(data_dir / "kimono_male.gltf", clip=name, parts=["Clothes"]) for name in ("Walk", "Punch")
    }


@pytest.fixture(scope="module")
def worn(kimono, data_dir, tmp_path_factory):
    """Of the set: the asset, its report and the parameters. What swings has a memory, and the pose does not know it."""
    file = tmp_path_factory.mktemp("worn") / "kimono.glb"
    params = byexample.Params(trained=str(data_dir / "kimono.pose.npz"), swing=0.0)
    return file, bake.skinned(kimono, file, params=params, graph=True), params


@pytest.fixture(scope="module")
def tube(tmp_path_factory):
    folder = tmp_path_factory.mktemp("limb")
    source = pucker.io.open_source(limb(folder / "limb.gltf"))
    clips = {name: source.load(clip=name, fps=12.0) for name in ("bend", "twist")}
    file = folder / "tube.glb"
    return clips, file, bake.skinned(clips, file, params=PARAMS, targets=6, quantized=False, graph=True)


@pytest.mark.parametrize("clip", ["Walk", "Punch"])
def test_the_graph_gives_the_weights_of_the_animation(worn, clip):
    file, report, _ = worn
    assert report.quantized
    assert report.graph.error < 1e-6
    assert Asset(file).apart(clip).max() < 1e-5


@pytest.mark.parametrize("clip", ["bend", "twist"])
def test_it_does_so_for_a_made_character_and_targets_of_floats(tube, clip):
    _, file, report = tube
    assert report.graph.targets == 6
    assert Asset(file).apart(clip).max() < 1e-5


def test_with_its_weights_the_asset_is_as_near_to_the_set_as_with_those_baked(worn, kimono):
    file, report, params = worn
    asset, clip = Asset(file), kimono["Walk"]
    times, baked = asset.keys("Walk")
    errors = []
    for state in itertools.islice(pucker.run(clip, params), 0, None, 9):
        fine = state.detail.own_mesh
        order = np.argsort(clip.materials[fine.source], kind="stable")
        run = state.detail.fine_positions[fine.faces[order]].reshape(-1, 3)
        time = times[state.frame]
        sets = (asset.weights(asset.transforms("Walk", time)), baked[state.frame])
        errors.append([np.square(asset.corners("Walk", time, each) - run).sum(axis=1).mean() for each in sets])
    live, stored = np.sqrt(np.mean(errors, axis=0))
    assert live == pytest.approx(stored, rel=1e-4)
    assert live == pytest.approx(report.fits[-1].error, rel=0.3)


def test_turning_and_moving_the_character_changes_no_weight(tube):
    asset = Asset(tube[1])
    given = asset.transforms("bend", 0.5)
    moved = np.eye(4)
    moved[:3, :3], moved[:3, 3] = rotation(np.array([0.3, -0.5, 0.2, 0.7])), [50.0, -20.0, 90.0]
    away = (moved @ np.concatenate([given, np.tile([[[0, 0, 0, 1]]], (len(given), 1, 1))], axis=1))[:, :3]
    apart = np.abs(asset.weights(away) - asset.weights(given)).max()
    assert apart < 1e-3
    assert np.abs(asset.weights(asset.transforms("bend", 1.0)) - asset.weights(given)).max() > 100 * apart


def test_far_from_the_origin_it_is_as_near(tube):
    asset, shift = Asset(tube[1]), np.zeros((3, 4), np.float32)
    shift[:, 3] = 2.0**10
    # The same digits, so that only what the graph loses itself is seen.
    far = asset.transforms("bend", 0.5).astype(np.float32) + shift
    assert np.abs(asset.weights(far) - asset.weights(far - shift)).max() < 1e-6


def test_between_baked_poses_weights_lie_between(tube):
    """As an engine shows a clip that is played at another rate."""
    asset = Asset(tube[1])
    times, baked = asset.keys("bend")
    for k in range(4, 12):
        found = asset.weights(asset.transforms("bend", (times[k] + times[k + 1]) / 2))
        span = np.abs(baked[k + 1] - baked[k]).max()
        assert np.abs(found - (baked[k] + baked[k + 1]) / 2).max() < max(0.5 * span, 0.02)


def test_it_names_its_joints_in_the_order_of_the_skin(worn, tube):
    for file, report in (worn[:2], tube[1:]):
        asset, model = Asset(file), onnx.load(report.graph.path)
        told = {each.key: each.value for each in model.metadata_props}
        assert json.loads(told["joints"]) == [asset.gltf.json["nodes"][joint]["name"] for joint in asset.joints]
        assert told["asset"] == file.name
        assert report.files[-1] == report.graph.path == file.with_suffix(".onnx")
        assert report.graph.bytes == report.graph.path.stat().st_size
        assert report.graph.joints == len(asset.joints)


def test_engines_find_only_operators_they_know(worn):
    model = onnx.load(worn[1].graph.path)
    onnx.checker.check_model(model, full_check=True)
    assert [each.version for each in model.opset_import] == [15]
    known = "Add Gather Identity MatMul Max Min Mul ReduceSum Reshape Sqrt Sub Transpose"
    assert {node.op_type for node in model.graph.node} <= set(known.split())
    assert len(model.graph.node) < 40


def test_usd_has_the_weights_too(tube, tmp_path):
    from pxr import Usd, UsdSkel  # noqa: PLC0415 - of an extra

    clips, file, _ = tube
    out = tmp_path / "tube.usdc"
    bake.skinned(clips, out, params=PARAMS, targets=6, graph=True)
    asset, graph = Asset(file), session(out.with_suffix(".onnx"))
    stage = Usd.Stage.Open(str(out))
    found = UsdSkel.Animation(stage.GetPrimAtPath("/character/clips/bend")).GetBlendShapeWeightsAttr()
    for frame in range(0, 13, 4):
        given = asset.transforms("bend", frame / 12).astype(np.float32)
        (weights,) = graph.run(None, {"joints": given})
        assert np.abs(weights - np.array(found.Get(frame / 12 * stage.GetTimeCodesPerSecond()))).max() < 1e-5


def test_same_input_same_bytes(tube, tmp_path):
    clips, file, report = tube
    again = bake.skinned(clips, tmp_path / file.name, params=PARAMS, targets=6, quantized=False, graph=True)
    assert again.graph.path.read_bytes() == report.graph.path.read_bytes()


def test_without_a_graph_nothing_else_is_written(tube, tmp_path):
    clips, file, report = tube
    plain = bake.skinned(clips, tmp_path / file.name, params=PARAMS, targets=6, quantized=False)
    assert plain.graph is None
    assert [path.name for path in tmp_path.iterdir()] == [file.name]
    assert plain.files[0].read_bytes() == report.files[0].read_bytes()


# The mathematics


def bending(angles):
    """Transforms (F, 2, 3, 4): the second joint turns about x."""
    out = np.zeros((len(angles), 2, 3, 4))
    out[:, :, :, :3] = np.eye(3)
    out[:, 1, :, :3] = [rotation(np.array([np.sin(a / 2), 0.0, 0.0, np.cos(a / 2)])) for a in angles]
    return out


@pytest.fixture(scope="module")
def edges():
    rng = np.random.default_rng(4)
    rest, share = rng.normal(size=(40, 3)), rng.uniform(size=40)
    pairs = np.array([[k, (k + 1) % 40] for k in range(40)])
    return rest, np.stack([1.0 - share, share], axis=1), pairs, edge_transforms(rest, np.c_[1.0 - share, share], pairs)


def test_lengths_are_those_of_the_skinned_mesh(edges):
    rest, weights, pairs, found = edges
    joints = bending(np.array([0.7]))
    posed = np.einsum("vj,jab,vb->va", weights, joints[0], np.c_[rest, np.ones(len(rest))])
    lengths, own = (np.linalg.norm(each[pairs[:, 1]] - each[pairs[:, 0]], axis=1) for each in (posed, rest))
    np.testing.assert_allclose(edge_lengths(found, joints)[0], lengths / own.mean(), atol=1e-12)


def test_of_many_edges_some_are_taken_everywhere():
    """A strip of 3000 edges along x."""
    rest = np.zeros((3001, 3))
    rest[:, 0] = np.arange(3001)
    pairs = np.stack([np.arange(3000), np.arange(1, 3001)], axis=1)
    found = edge_transforms(rest, np.ones((3001, 1)), pairs)
    assert found.shape == (1024, 1, 4)
    joints = np.eye(3, 4)[None, None]
    np.testing.assert_allclose(edge_lengths(found, joints), 1.0)
    share = np.linspace(0.0, 1.0, 3001)
    # Their transforms by the second joint are (2 k + 1)/3000 for edge k.
    chosen = (edge_transforms(rest, np.c_[1.0 - share, share], pairs)[:, 1, 0] * 3000 - 1) / 2
    assert np.diff(chosen, prepend=0.0, append=2999.0).max() < 2 * 3000 / 1024


def test_edges_without_a_length_are_refused(edges):
    rest, weights, _, _ = edges
    with pytest.raises(ValueError, match="the lengths of edges, and none of 1 has one"):
        edge_transforms(rest, weights, np.array([[3, 3]]))


def test_one_pose_of_several_weights_has_their_mean_and_the_error_says_so(edges):
    angles = np.array([0.0, 0.5, 1.0, 0.5])
    weights = np.array([[0.0], [0.4], [1.0], [0.6]])
    found = PoseWeights(edges[3], bending(angles), weights)
    assert len(found.centres) == 3
    np.testing.assert_allclose(found.at(bending(angles))[:, 0], [0.0, 0.5, 1.0, 0.5], atol=1e-6)
    assert found.error(bending(angles)) == pytest.approx(0.1, abs=1e-6)


@pytest.mark.parametrize("stills", [9, 40])
def test_a_character_that_stands_still_most_of_the_time_keeps_its_few_poses(edges, stills):
    noise = 1e-9 * np.random.default_rng(6).normal(size=stills)
    weights = np.random.default_rng(7).uniform(size=(stills, 1))
    found = PoseWeights(edges[3], bending(noise), weights)
    assert len(found.centres) == 1
    np.testing.assert_allclose(found.at(bending(noise))[:, 0], weights.mean(), atol=1e-6)
    moving = PoseWeights(edges[3], bending(np.r_[noise, 0.4, 0.9]), np.r_[weights, [[1.0], [0.3]]])
    assert len(moving.centres) == 3
    np.testing.assert_allclose(moving.at(bending(np.array([0.4, 0.9])))[:, 0], [1.0, 0.3], atol=1e-6)


def test_off_the_poses_weights_stay_in_their_range_and_the_graph_has_the_files_scale(edges, tmp_path):
    angles = np.linspace(0.0, 0.6, 7)
    every_other = np.arange(7) % 2
    found = PoseWeights(edges[3], bending(angles), np.c_[every_other, 1 - every_other].astype(float))
    np.testing.assert_allclose(found.coefficients.sum(axis=0), 0.0, atol=1e-9)
    off = bending(np.linspace(-3.0, 3.0, 41))
    off[::2, 1, 0, 3] = 2.0
    places = (edge_lengths(edges[3], off) - found.mean) @ found.axes
    free = np.linalg.norm(places[:, None] - found.centres, axis=2) @ found.coefficients + found.constant
    assert free.min() < -0.05
    assert free.max() > 1.05
    held = found.at(off)
    np.testing.assert_allclose(held, np.clip(free, 0.0, 1.0), atol=1e-6)
    found.graph([0.5, 0.25]).save(tmp_path / "scaled.onnx", {})
    graph = session(tmp_path / "scaled.onnx")
    given = [graph.run(None, {"joints": each.astype(np.float32)})[0] for each in off]
    np.testing.assert_allclose(given, held * [0.5, 0.25], atol=1e-5)


def test_weights_that_follow_the_pose_are_predicted_of_an_unseen_clip_and_others_are_not(edges):
    angles = np.tile(np.linspace(0.0, 1.0, 11), 2) + np.repeat([0.0, 0.05], 11)
    clips = [slice(0, 11), slice(11, 22)]
    weights = (1.0 - np.cos(angles))[:, None]
    follows = PoseWeights(edges[3], bending(angles), weights).unseen(clips, weights.mean(axis=0), [1.0])
    random = np.random.default_rng(5).uniform(size=(22, 1))
    does_not = PoseWeights(edges[3], bending(angles), random).unseen(clips, random.mean(axis=0), [1.0])
    assert follows > 0.99
    assert does_not < 0.7
    assert PoseWeights(edges[3], bending(angles), weights).unseen([slice(0, 22)], [0.0], [1.0]) is None


def test_one_frame_gives_its_weights(edges):
    found = PoseWeights(edges[3], bending(np.array([0.3])), np.array([[0.25, 1.0]]))
    np.testing.assert_allclose(found.at(bending(np.array([0.3]))), [[0.25, 1.0]], atol=1e-9)


# What is refused


def test_a_garment_of_one_shape_has_no_weights(tube, tmp_path):
    clip = tube[0]["bend"].beginning(1)
    with pytest.raises(ValueError, match="a graph gives the weights of targets, and the garment has none"):
        bake.skinned({"bend": clip}, tmp_path / "still.glb", params=PARAMS, graph=True)
    assert not list(tmp_path.iterdir())


def test_without_onnx_the_extra_is_named_before_anything_runs(tube, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    monkeypatch.setattr("pucker.bake.clip.pucker.run", lambda *_, **__: pytest.fail("the method ran first"))
    with pytest.raises(ModuleNotFoundError, match=r"a graph needs onnx: install the extra pucker\[onnx\]"):
        bake.skinned(tube[0], tmp_path / "tube.glb", params=PARAMS, graph=True)
    assert not list(tmp_path.iterdir())


def test_from_the_command_line(tmp_path):
    source = limb(tmp_path / "limb.gltf")

    def called(*words):
        settings = ["--fps", "12", "--method", "drape", "--set", "levels=1", "--set", "iterations=2"]
        return CliRunner().invoke(cli, ["bake", str(source), *settings, *map(str, words)])

    out = tmp_path / "tube.glb"
    told = called("--skinned", "--graph", "-o", out)
    assert told.exit_code == 0, told.output
    assert "gives the weights of" in told.output
    assert "from 2 joints" in told.output
    assert "learned from all clips but one" in told.output
    assert f"wrote {out.with_suffix('.onnx')}" in told.output
    told = called("--skinned", "--graph", "--json", "-o", out)
    content = json.loads(told.stdout)
    assert content["graph"]["path"] == str(out.with_suffix(".onnx")) == content["files"][-1]
    refused = called("--graph", "-o", tmp_path / "plain.glb")
    assert refused.exit_code == 2
    assert "--graph are for --skinned" in refused.output
