"""Synthesis as compute programs, against the core, and the pictures of both."""

from itertools import islice

import numpy as np
import pytest
from byexample_scenes import recorded_tube
from motion import odd_mesh
from shown import Shown, assert_pictures_of_the_core

import pucker
from pucker import byexample, method

PICTURE_SIDE = 48

pytestmark = pytest.mark.usefixtures("no_gl_error")

MESH, REST, COARSE, FINE = recorded_tube()
TIMES = np.arange(len(COARSE)) / 30


@pytest.fixture(scope="module")
def trained():
    return byexample.train(MESH, COARSE, FINE, rest=REST, levels=2, poses=6).trained


@pytest.fixture(scope="module")
def regressed():
    clips = [(COARSE[:11], FINE[:11]), (COARSE[11:], FINE[11:])]
    return byexample.regress(
        MESH, clips, rest=REST, levels=2, details=8, centres=12, points=9, low_frequency="keep"
    ).trained


def agree(found, state, extent):
    """Whether positions are those of the core to 1e-5 of the extent, and normals to 1e-5.

    A normal is that of the sum of the areas round its vertex: where they cancel each other it is as uncertain as they are larger
    than their sum, and where edges are short, as single precision of the positions is beside them.
    """
    positions, normals = found
    wanted, faces = np.asarray(state.detail.fine_positions), state.detail.subdivision.fine.faces
    assert positions.shape == wanted.shape
    assert np.abs(positions - wanted).max() <= 1e-5 * extent
    corners = wanted[faces]
    edges = np.roll(corners, -1, axis=1) - corners
    areas = np.cross(edges[:, 0], edges[:, 1])
    sums, whole, around = np.zeros_like(wanted), np.zeros(len(wanted)), np.zeros(len(wanted))
    for corner in range(3):
        np.add.at(sums, faces[:, corner], areas)
        np.add.at(whole, faces[:, corner], np.square(edges).sum(axis=(1, 2)))
        np.add.at(around, faces[:, corner], np.linalg.norm(edges, axis=2).sum(axis=1))
    size = np.linalg.norm(sums, axis=1)
    there = size > 1e-6 * whole
    assert there.mean() >= 0.9
    apart = np.linalg.norm(normals - state.detail.fine_normals, axis=1)[there]
    uncertain = 1e-5 * whole + 2.0**-23 * extent * around
    assert (apart <= (uncertain / size.clip(1e-300))[there]).all()
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)


def run_of(synthesis, shared=(), **params):
    return byexample.ByExample(synthesis, byexample.Params(compute="gpu", **params), shared)


SWITCHES = [
    {},
    {"gain": 1.7},
    {"gain": 0.0},
    {"lag": 0.2},
    {"reach": 0.05},
    {"sway": 0.3},
    {"lag": 0.1, "reach": 0.1, "gain": 3.0, "sway": 0.5, "damping": 0.1},
    {"sway": 0.2, "sewn": False},
]


@pytest.mark.parametrize("kind", ["pose space", "regression", "dense"])
@pytest.mark.parametrize("params", SWITCHES, ids=str)
def test_positions_and_normals_are_those_of_the_core(renderer, trained, regressed, kind, params):
    if kind == "dense":
        synthesis = byexample.Synthesis(MESH, 2, REST, trained.poses, trained.details, places="dense", equal="share")
    else:
        synthesis = (trained if kind == "pose space" else regressed).synthesis()
    shared = np.flatnonzero(REST[:, 2] < REST[:, 2].min() + 1e-6)
    assert len(shared) > 3
    shown = Shown(renderer, MESH)
    run = run_of(synthesis, shared, **params)
    highest = 0.0
    for frame in range(0, len(COARSE), 3):
        # Further than what was learned, so that there is something to fade.
        state = run.advance(REST + 1.3 * (COARSE[frame] - REST), TIMES[frame])
        agree(shown.show(state), state, np.ptp(REST))
        highest = max(highest, np.abs(state.surface.detail).max())
    assert highest > 1e-3 or params.get("gain") == 0.0


@pytest.mark.parametrize("poses", [1, 2, 5, 40])
def test_any_weights_of_any_number_of_poses(renderer, rng, poses):
    """A lag without end keeps weights far from those of a frame, also negative ones and large ones."""
    space = REST + 0.2 * rng.normal(size=(poses, *REST.shape))
    details = 0.05 * rng.normal(size=(poses, byexample.LoopSubdivision(MESH, 1).fine.vertex_count, 3))
    synthesis = byexample.Synthesis(MESH, 1, REST, space, details)
    shown = Shown(renderer, MESH)
    run = run_of(synthesis, lag=10.0)
    for frame in range(4):
        state = run.advance(REST + 0.3 * rng.normal(size=REST.shape), TIMES[frame])
        agree(shown.show(state), state, np.ptp(REST))


@pytest.mark.parametrize("levels", [0, 1, 3])
def test_any_number_of_levels(renderer, rng, levels):
    details = 0.03 * rng.normal(size=(2, byexample.LoopSubdivision(MESH, levels).fine.vertex_count, 3))
    run = run_of(byexample.Synthesis(MESH, levels, REST, [REST, COARSE[5]], details))
    state = run.advance(COARSE[3], 0.0)
    agree(Shown(renderer, MESH).show(state), state, np.ptp(REST))


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1.0, 1e12])
@pytest.mark.parametrize("away", [0.0, 1e5])
def test_any_unit_and_any_place(renderer, trained, scale, away):
    synthesis = byexample.Synthesis(
        MESH, 2, scale * REST, scale * trained.poses, scale * trained.details, equal="share"
    )
    shown = Shown(renderer, MESH)
    run = run_of(synthesis)
    for frame in (4, 9):
        state = run.advance(scale * (COARSE[frame] + away * np.array([1.0, -0.3, 0.7])), TIMES[frame])
        agree(shown.show(state), state, scale * np.ptp(REST))


def test_any_mesh(renderer, rng):
    mesh, rest = odd_mesh()
    for levels in (0, 2):
        details = 0.05 * rng.normal(size=(2, byexample.LoopSubdivision(mesh, levels).fine.vertex_count, 3))
        synthesis = byexample.Synthesis(mesh, levels, rest, [rest, 1.3 * rest], details)
        state = run_of(synthesis, [3, 9]).advance(rest + 0.1 * rng.normal(size=rest.shape), 0.0)
        agree(Shown(renderer, mesh).show(state), state, np.ptp(rest))


def test_a_garment_without_extent_has_no_detail(renderer, trained):
    state = run_of(trained.synthesis()).advance(np.full_like(REST, 2.0), 0.0)
    positions, normals = Shown(renderer, MESH).show(state)
    np.testing.assert_array_equal(positions, 2.0)
    np.testing.assert_array_equal(normals, np.broadcast_to([0.0, 1.0, 0.0], normals.shape))


SETS = [
    ("kimono_male.gltf", "Run", "kimono.pose.npz"),
    ("female_dress.fbx", "HumanArmature|Female_Run", "dress.pose.npz"),
]


@pytest.fixture(scope="module")
def garments(data_dir):
    out = {}
    for file, clip, name in SETS:
        parts = list(byexample.load(data_dir / name).parts)
        out[name] = pucker.load(data_dir / file, clip=clip, parts=parts)
    return out


@pytest.mark.parametrize("name", [name for *_, name in SETS])
def test_the_sets_that_come_with_pucker(renderer, data_dir, garments, name):
    clip = garments[name]
    params = byexample.Params(trained=str(data_dir / name), gain=1.25, lag=0.05, reach=0.5, compute="gpu")
    shown = Shown(renderer, clip.mesh)
    sent = []
    for state in islice(pucker.run(clip, params), 6):
        before = shown.surface.uploaded
        agree(shown.show(state), state, np.ptp(state.positions, axis=0).max())
        sent.append(shown.surface.uploaded - before)
        vertices, poses = state.pose_weights.shape
    # Feature positions and weights; the rest was sent with the first frame.
    assert vertices == clip.mesh.vertex_count
    assert set(sent[1:]) == {12 * vertices + 4 * vertices * poses}
    assert sent[0] > 20 * sent[1]


@pytest.mark.parametrize("name", [name for *_, name in SETS])
def test_pictures_are_those_of_the_core(data_dir, garments, name):
    params = byexample.Params(trained=str(data_dir / name), gain=1.25)
    assert_pictures_of_the_core(garments[name], params, 5, outlines=1e-3)


def test_what_was_shown_before_does_not_count(renderer, trained, regressed):
    runs = {name: run_of(each.synthesis()) for name, each in (("a", trained), ("b", regressed))}
    states = {(name, k): run.advance(COARSE[3 * k], TIMES[k]) for name, run in runs.items() for k in range(4)}
    wanted = {key: Shown(renderer, MESH).show(state) for key, state in states.items()}
    jumping = Shown(renderer, MESH)
    order = ("a", 3), ("a", 0), ("b", 1), ("a", 1), ("b", 1), ("b", 3), None, ("b", 0), "sent", ("b", 2)
    for key in order:
        if key is None:
            jumping.surface.set_detail(None)
            renderer.read(jumping.surface, "Positions")
        elif key == "sent":
            jumping.surface.set_detail(states["a", 1].detail)
            jumping.surface.send()
        else:
            for found, each in zip(jumping.show(states[key]), wanted[key], strict=True):
                np.testing.assert_array_equal(found, each)


def test_a_state_is_made_on_the_processor_when_it_is_asked_for(trained, tmp_path):
    trained.save(tmp_path / "tube.npz")
    clip = pucker.Clip.from_arrays(MESH.faces, COARSE, TIMES, weld=False)
    each, asked = (
        list(pucker.run(clip, byexample.Params(trained=str(tmp_path / "tube.npz"), lag=0.1, compute=compute)))
        for compute in ("cpu", "gpu")
    )
    for wanted, state in zip(each, asked, strict=True):
        assert list(wanted.seconds) == ["weights", "detail", "normals"]
        assert list(state.seconds) == ["weights"]
        assert (wanted.detail.shaders, state.detail.shaders) == ("", "byexample")
        np.testing.assert_array_equal(state.pose_weights, wanted.pose_weights)
    for index in (7, 2, 9):
        wanted, state = each[index], asked[index]
        np.testing.assert_array_equal(state.surface.positions, wanted.surface.positions)
        np.testing.assert_array_equal(state.detail.fine_normals, wanted.detail.fine_normals)
        np.testing.assert_array_equal(state.surface.pose_weights, state.pose_weights)
    run = method.start(clip, byexample.Params(trained=str(tmp_path / "tube.npz"), compute="gpu"))
    assert list(run.stages) == ["weights"]


def test_what_it_is_not_is_refused(renderer, trained):
    with pytest.raises(ValueError, match=r"compute .*cpu, gpu.*'tpu'"):
        byexample.Params(compute="tpu")
    state = run_of(trained.synthesis()).advance(COARSE[0], 0.0)
    other = renderer.surface(MESH.faces[:-1], MESH.vertex_count)
    other.set_positions(REST)
    with pytest.raises(ValueError, match=r"the detail of 96 triangles .* cannot lie over a surface of 95"):
        other.set_detail(state.detail)
    fresh = renderer.surface(MESH.faces, MESH.vertex_count)
    with pytest.raises(ValueError, match="must be given positions before their detail"):
        fresh.set_detail(state.detail)


def test_a_device_without_room_says_how_much_is_needed(renderer, trained, monkeypatch):
    info = dict(renderer.context.info) | {"GL_MAX_SHADER_STORAGE_BLOCK_SIZE": 10_000}
    monkeypatch.setattr(type(renderer.context), "info", property(lambda _: info))
    state = run_of(trained.synthesis()).advance(COARSE[0], 0.0)
    surface = renderer.surface(MESH.faces, MESH.vertex_count)
    surface.set_positions(REST)
    surface.set_detail(state.detail)
    with pytest.raises(pucker.Error, match=r"offers at most 10000 bytes a buffer, \d+ are needed"):
        surface.send()
