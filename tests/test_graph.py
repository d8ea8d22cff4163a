"""Trained sets as ONNX graphs: onnxruntime gives what the core gives, over whole clips, and mistakes are told."""

import dataclasses
import json
import sys

import numpy as np
import onnx
import onnxruntime
import pytest
from byexample_scenes import recorded_tube
from click.testing import CliRunner

import pucker
from pucker import byexample, drape
from pucker.cli import cli

FPS = 30.0
MESH, REST, COARSE, FINE = recorded_tube()
SIZE = float(np.linalg.norm(np.ptp(REST, axis=0)))
CLOTH = drape.Params(levels=0, contact=False, swing=0.0, lag=0.0, iterations=5)
SETS = {
    "kimono.pose.npz": ("kimono_male.gltf", ["Walk", "SitDown"], ["Clothes"]),
    "dress.pose.npz": ("female_dress.fbx", ["HumanArmature|Female_Run"], ["Dress"]),
}


def session(path):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options)


class Played:
    """A graph as an engine runs it: frame after frame, what it gave for the next one as input again."""

    def __init__(self, report):
        self.graph = session(report.path)
        self.first = None if report.first is None else session(report.first)
        self.given = {each.name for each in self.graph.get_inputs()}
        self.before = None

    def advance(self, positions, seconds):
        positions = positions.astype(np.float32)
        start = self.before is None
        none = np.zeros_like(positions)
        before = self.before or dict.fromkeys(("positions", "balance", "trail_next"), none)
        if start and self.first is not None:
            before["cloth_next"] = self.first.run(None, {"positions": positions})[0]
        inputs = {"positions": positions, "seconds": np.array([0.0 if start else seconds], np.float32)}
        inputs |= {f"{name}_before": before.get(name) for name in ("positions", "balance")}
        inputs |= {name: before.get(f"{name}_next") for name in ("cloth", "trail")}
        out = self.run(inputs)
        self.before = {**out, "positions": positions}
        return out

    def run(self, inputs):
        names = [each.name for each in self.graph.get_outputs()]
        return dict(zip(names, self.graph.run(names, {name: inputs[name] for name in sorted(self.given)}), strict=True))


def compared(trained, report, clip, params, shared=()):
    """(frames, N) distances of the fine vertices, as shares of the size; largest difference of normals."""
    size = np.linalg.norm(np.ptp(trained.rest, axis=0))
    run = byexample.ByExample(trained.synthesis(), params.replace(swing=0.0), list(shared), trained.cloth)
    played, apart, normals = Played(report), [], 0.0
    times = np.asarray(clip.times)
    for frame, time in enumerate(times):
        # An engine has no more digits.
        positions = clip.positions[frame].astype(np.float32)
        state = run.advance(positions, float(time))
        out = played.advance(positions, time - times[frame - 1] if frame else 0.0)
        apart.append(np.linalg.norm(out["fine"] - state.surface.positions, axis=1) / size)
        normals = max(normals, float(np.abs(out["normals"] - state.detail.fine_normals).max()))
    return np.array(apart), normals


def learned(**changes):
    clips = [(COARSE[:8], FINE[:8]), (COARSE[8:14], FINE[8:14]), (COARSE[14:], FINE[14:])]
    chosen = {"widths": (0.3,), "dampings": (0.05,), "motions": (0.002,), "low_frequency": "keep", **changes}
    return byexample.regress(MESH, clips, rest=REST, levels=2, fps=FPS, details=3, points=9, **chosen).trained


@pytest.fixture(scope="module")
def trained():
    return learned()


@pytest.fixture(scope="module")
def clip():
    frames = np.concatenate([COARSE, COARSE[::-1]])
    return pucker.Clip.from_arrays(MESH.faces, frames, np.arange(len(frames)) / FPS, weld=False)


def test_displacements_from_the_guide_count_as_in_the_core(clip, tmp_path):
    guide = byexample.GuideCloth(CLOTH, REST)
    run, noise = guide.on(MESH), np.random.default_rng(2)
    balances = [
        np.array([run.advance(frame, k / FPS).draped for k, frame in enumerate(frames, start)])
        for start, frames in ((0, COARSE[:8]), (8, COARSE[8:14]), (14, COARSE[14:]))
    ]
    balances = [each + 0.01 * SIZE * noise.normal(size=each.shape) for each in balances]
    made = dataclasses.replace(learned(motions=(0.0,), balances=balances, displacement=0.5), cloth=guide)
    report = byexample.write_onnx(made, tmp_path / "set.onnx")
    assert set(report.inputs) == {"positions", "seconds", "cloth"}
    assert compared(made, report, clip, byexample.Params())[0].max() < 1e-5
    learns = dataclasses.replace(made.regression, displacement=0.0, displacements=np.zeros((0, 0, 3)))
    plain = byexample.write_onnx(dataclasses.replace(made, regression=learns), tmp_path / "plain.onnx")
    assert compared(made, plain, clip, byexample.Params())[0].max() > 1e-4


@pytest.mark.parametrize(
    ("trail", "cloth", "params", "inputs"),
    [
        (0.0, False, {}, {"positions_before"}),
        (0.2, False, {"trail": 0.5, "gain": 1.5}, {"positions_before", "trail"}),
        (0.0, True, {}, {"cloth", "balance_before"}),
        (0.2, True, {"sewn": False}, {"cloth", "balance_before", "positions_before", "trail"}),
    ],
)
def test_what_it_takes_from_the_frame_before(trained, clip, tmp_path, trail, cloth, params, inputs):
    guide = byexample.GuideCloth(CLOTH, REST) if cloth else None
    made = dataclasses.replace(trained, options=dataclasses.replace(trained.options, trail=trail), cloth=guide)
    chosen, shared = byexample.Params(**params), [0, 1, 2, 9]
    report = byexample.write_onnx(made, tmp_path / "set.onnx", params=chosen, shared=shared)
    assert set(report.inputs) == {"positions", "seconds", *inputs}
    onnx.checker.check_model(onnx.load(report.path), full_check=True)
    apart, normals = compared(made, report, clip, chosen, shared)
    assert apart.max() < 1e-5
    assert normals < 1e-3


def test_a_set_for_which_no_motion_counts_takes_positions_alone(clip, tmp_path):
    made = learned(motions=(0.0,))
    report = byexample.write_onnx(made, tmp_path / "set.onnx")
    assert report.inputs == {"positions": (len(REST), 3)}
    assert report.first is None
    assert compared(made, report, clip, byexample.Params())[0].max() < 1e-5


def test_far_from_the_origin_it_is_as_near(trained, clip, tmp_path):
    report = byexample.write_onnx(trained, tmp_path / "set.onnx")
    away = np.float32(2.0**10) * SIZE
    near, far = Played(report), Played(report)
    for frame in clip.positions[:5]:
        # The same digits, so that only what the graph loses itself is seen.
        positions = (frame + away).astype(np.float32)
        one = far.advance(positions, 1.0 / FPS)["normals"]
        other = near.advance(positions - np.float32(away), 1.0 / FPS)["normals"]
        assert np.abs(one - other).max() < 1e-4


def test_what_never_changes_tells_the_meshes(trained, tmp_path):
    report = byexample.write_onnx(trained, tmp_path / "set.onnx")
    out = Played(report).advance(REST, 1.0)
    subdivision = trained.synthesis().subdivision
    np.testing.assert_array_equal(out["triangles"], subdivision.fine.faces)
    np.testing.assert_array_equal(out["rest"], REST.astype(np.float32))
    linear = np.einsum("vk,vki->vi", out["shares"], REST[out["corners"]])
    np.testing.assert_allclose(linear, subdivision.barycentrics @ REST, atol=1e-6)
    for name, shape in report.outputs.items():
        assert out[name].shape == shape


@pytest.fixture(scope="module", params=SETS)
def worn(request, data_dir, tmp_path_factory):
    """A set of the data folder, its graph, and clips in which it is worn."""
    file, names, parts = SETS[request.param]
    made = byexample.load(data_dir / request.param)
    clips = [pucker.load(data_dir / file, clip=name, parts=parts) for name in names]
    path = tmp_path_factory.mktemp("graph") / "set.onnx"
    return made, clips, byexample.write_onnx(made, path, shared=clips[0].shared_vertices)


def test_in_the_same_balance_onnxruntime_gives_the_same(worn):
    """As of an engine whose own cloth is in balance: `seconds` is 0, and `cloth` says how far it is from the guide."""
    made, clips, report = worn
    graph = session(report.path)
    finer = byexample.LoopSubdivision(made.mesh, made.cloth.params.levels)
    surface = byexample.SmoothSurface(finer.fine, 0, finer.matrix @ made.rest)
    seconds = np.zeros(1, np.float32)
    size = np.linalg.norm(np.ptp(made.rest, axis=0))
    for clip in clips:
        # The cloth of an engine may swing.
        run = byexample.ByExample(made.synthesis(), byexample.Params(), clip.shared_vertices, made.cloth)
        own = made.cloth.on(clip.mesh, clip.shared_vertices)
        for positions, time in zip(clip.positions, clip.times, strict=True):
            state = run.advance(positions, float(time))
            cloth = own.advance(positions, float(time))
            surface.step(cloth.guide)
            given = {"positions": positions, "cloth": surface.detail_of(cloth.balanced)}
            given = {name: value.astype(np.float32) for name, value in given.items()}
            (fine,) = graph.run(["fine"], {**given, "seconds": seconds})
            assert np.abs(fine - state.surface.positions).max() < 1e-5 * size


def test_over_whole_clips_it_keeps_to_the_core(worn):
    """Ten steps of a solver do not end at the balance: where they end depends on rounding, in the core as in the graph."""
    made, clips, report = worn
    for clip in clips:
        apart, _ = compared(made, report, clip, byexample.Params(), clip.shared_vertices)
        assert apart[0].max() < 1e-5
        assert np.median(apart) < 1e-6
        assert (apart < 1e-4).mean() > 0.99
        assert apart.max() < 4e-4


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
def test_over_every_clip_it_keeps_to_the_core(name, data_dir, tmp_path):
    """The farthest are in clips in which the core is as far from itself: see docs/export.md."""
    file, _, parts = SETS[name]
    made, source = byexample.load(data_dir / name), pucker.io.open_source(data_dir / file)
    clips = [source.load(clip=each, parts=parts) for each in source.inspect().clips]
    assert len(clips) > 10
    report = byexample.write_onnx(made, tmp_path / "set.onnx", shared=clips[0].shared_vertices)
    for clip in clips:
        apart, _ = compared(made, report, clip, byexample.Params(), clip.shared_vertices)
        assert np.median(apart) < 2e-6
        assert (apart < 1e-5).mean() > (0.99 if name == "kimono.pose.npz" else 0.93)
        assert (apart < 1e-4).mean() > 0.998
        assert apart.max() < 1e-3


def test_the_core_itself_is_as_far_from_itself_where_positions_are_rounded(data_dir):
    """What the tolerance above stands on."""
    made = byexample.load(data_dir / "dress.pose.npz")
    clip = pucker.load(data_dir / "female_dress.fbx", clip="HumanArmature|Female_Run", parts=["Dress"])
    still = byexample.GuideCloth(made.cloth.params.replace(swing=0.0), made.cloth.cut)
    exact, rounded = (still.on(clip.mesh, clip.shared_vertices) for _ in range(2))
    size, apart = np.linalg.norm(np.ptp(made.rest, axis=0)), 0.0
    noise = np.random.default_rng(3)
    for positions, time in zip(clip.positions, clip.times, strict=True):
        moved = positions + 1e-7 * size * noise.normal(size=positions.shape)
        draped = [run.advance(each, float(time)).draped for run, each in ((exact, positions), (rounded, moved))]
        apart = max(apart, np.abs(draped[0] - draped[1]).max() / size)
    assert apart > 1e-5


def test_engines_find_only_operators_they_know(worn):
    """Those of opset 15 without control flow, subgraphs and double precision."""
    _, _, report = worn
    for path in (report.path, report.first):
        model = onnx.load(path)
        assert [each.version for each in model.opset_import] == [15]
        kinds = {node.op_type for node in model.graph.node}
        known = (
            "Add Cast Concat Div Exp Gather Greater GreaterOrEqual Identity Less LessOrEqual MatMul Max Min Mul Neg ReduceMax "
            "ReduceSum Reshape Sqrt Squeeze Sub Transpose Unsqueeze"
        )
        assert kinds <= set(known.split())
        assert {each.data_type for each in model.graph.initializer} <= {onnx.TensorProto.FLOAT, onnx.TensorProto.INT64}


def test_the_same_set_gives_the_same_bytes(trained, tmp_path):
    one, other = (byexample.write_onnx(trained, tmp_path / f"{k}.onnx").path.read_bytes() for k in range(2))
    assert one == other


def test_mistakes_are_told_and_nothing_is_written(trained, tmp_path):
    path = tmp_path / "set.onnx"
    with pytest.raises(ValueError, match=r"a graph is an \.onnx, not set\.npz"):
        byexample.write_onnx(trained, tmp_path / "set.npz")
    with pytest.raises(ValueError, match=r"shared vertices must lie in \[0, \d+\), got 5000"):
        byexample.write_onnx(trained, path, shared=[1, 5000])
    for name in ("lag", "reach", "sway"):
        with pytest.raises(ValueError, match=f"a graph has no {name}, which must be 0, not 0.5"):
            byexample.write_onnx(trained, path, params=byexample.Params(**{name: 0.5}))
    with pytest.raises(ValueError, match=r"a graph has no swing, which must be 0 or none, not 0\.1"):
        byexample.write_onnx(trained, path, params=byexample.Params(swing=0.1))
    lagging = dataclasses.replace(trained, cloth=byexample.GuideCloth(CLOTH.replace(lag=0.1), REST))
    with pytest.raises(ValueError, match=r"a guide's cloth without lag, which must be 0, not 0\.1"):
        byexample.write_onnx(lagging, path)
    poses = dataclasses.replace(trained, regression=None, poses=trained.poses[:3], details=trained.details[:3])
    with pytest.raises(ValueError, match="this one has 3 poses and none: learn it with"):
        byexample.write_onnx(poses, path)
    with pytest.raises(FileNotFoundError, match="does not exist"):
        byexample.write_onnx(trained, tmp_path / "none" / "set.onnx")
    assert not list(tmp_path.iterdir())


def test_the_cloth_of_a_graph_is_at_rest_in_every_frame(trained, clip, tmp_path):
    still = dataclasses.replace(trained, cloth=byexample.GuideCloth(CLOTH, REST))
    swinging = dataclasses.replace(trained, cloth=byexample.GuideCloth(CLOTH.replace(swing=0.1), REST))
    one, other = (byexample.write_onnx(each, tmp_path / "set.onnx").path.read_bytes() for each in (still, swinging))
    assert one == other
    played = [
        np.array([state.balance.copy() for state in _run(made, clip, params)])
        for made, params in ((still, byexample.Params()), (swinging, byexample.Params(swing=0.0)))
    ]
    assert np.array_equal(*played)


def _run(made, clip, params):
    run = byexample.ByExample(made.synthesis(), params, [], made.cloth)
    return (run.advance(frame, float(time)) for frame, time in zip(clip.positions, clip.times, strict=True))


def test_without_onnx_the_extra_is_named(trained, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ModuleNotFoundError, match=r"a graph needs onnx: install the extra pucker\[onnx\]"):
        byexample.write_onnx(trained, tmp_path / "set.onnx")


def export(*words):
    return CliRunner().invoke(cli, ["export", *map(str, words)])


def test_the_command_writes_a_set_and_sews_it_to_its_character(data_dir, tmp_path):
    alone, sewn = tmp_path / "alone.onnx", tmp_path / "sewn.onnx"
    told = export(data_dir / "kimono.pose.npz", "-o", alone, "--json")
    assert told.exit_code == 0, told.output
    content = json.loads(told.stdout)
    assert content["files"] == [str(alone), str(tmp_path / "alone.first.onnx")]
    assert content["inputs"] == {"positions": [522, 3], "seconds": [1], "cloth": [2007, 3]}
    told = export(data_dir / "kimono_male.gltf", "--trained", data_dir / "kimono.pose.npz", "-o", sewn)
    assert told.exit_code == 0, told.output
    assert "takes positions (522, 3), seconds (1), cloth (2007, 3)" in told.stdout
    assert "it does not swing as the set does" in told.stdout
    assert f"wrote {sewn}" in told.stdout
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    made = byexample.load(data_dir / "kimono.pose.npz")
    inputs = {"positions": clip.positions[7].astype(np.float32), "seconds": np.zeros(1, np.float32)}
    inputs["cloth"] = np.zeros((2007, 3), np.float32)
    fine = [session(path).run(["fine"], inputs)[0] for path in (alone, sewn)]
    # A shared vertex stays where the body has it.
    own = made.synthesis().subdivision.barycentrics @ clip.positions[7]
    stays = clip.shared_vertices
    away = [np.abs(each - own)[stays].max() for each in fine]
    assert away[1] < 1e-6
    assert away[0] > 1e-4


def test_the_command_refuses_in_a_sentence(data_dir, tmp_path):
    trained, out = data_dir / "kimono.pose.npz", tmp_path / "set.onnx"
    with np.load(trained) as arrays:
        held = dict(arrays)
    header = json.loads(str(held["header"]))
    np.savez(tmp_path / "newer.npz", **{**held, "header": np.array(json.dumps({**header, "version": 99}))})
    for words, sentence in (
        ((trained, "-o", tmp_path / "set.csv"), "is a trained set, which has no paths"),
        ((trained, "-o", tmp_path / "set.obj"), "must end in one of .glb"),
        ((tmp_path / "newer.npz", "-o", out), "99"),
        ((tmp_path / "none.npz", "-o", out), "none.npz"),
        ((data_dir / "truths" / "knee-coat.npz", "-o", out), "is no trained set"),
        ((data_dir / "kimono_male.gltf", "-o", out), "--trained names none"),
        ((data_dir / "mage.glb", "--trained", trained, "-o", out), "Clothes"),
        ((trained, "--set", "sway=0.3", "-o", out), "a graph has no sway"),
        ((trained, "--set", "swing=0.3", "-o", out), "a graph has no swing"),
    ):
        told = export(*words)
        assert told.exit_code == 2, words
        assert sentence in told.stderr
        assert told.stderr.count("\n") == 1
    assert [path.name for path in tmp_path.iterdir()] == ["newer.npz"]
