"""Draped cloth as compute programs, against the core: one solve, many frames, and the pictures of both."""

import pickle
from itertools import islice

import numpy as np
import pytest
from computed_cloth import ShownCloth, apart
from motion import odd_mesh
from shown import assert_pictures_of_the_core

import pucker
from pucker import bake, drape, method
from pucker.examples import bending_sleeve, squeezed_sheet

PICTURE_SIDE = 48

pytestmark = pytest.mark.usefixtures("no_gl_error")

# Frames whose cloth neither swings nor goes on from the frame before start from the guide, and are one solve each.
ALONE = {"swing": 0.0, "memory": 0.0}
# Where in Solver numbers of 32 bits stand.
RESIDUAL, ITERATIONS, EVALUATIONS, STEPS, JUMPED = 43, 47, 49, 50, 52


def computed(**params):
    """What is compared is the balance, unless a gain is given."""
    return drape.Params(**({"compute": "gpu", "gain": 1.0} | params))


def core(params):
    return params.replace(compute="cpu")


def bumped(clip, by=0.01):
    """The frames of a clip whose guide is no plane, so that it is decided to which side cloth folds."""
    return clip.positions + by * np.sin(9.0 * clip.positions[:, :, :1]) * [0.0, 0.0, 1.0]


SHEET = squeezed_sheet(8, 8, frames=9, compression=1.15)
GUIDE = bumped(SHEET)


def both(renderer, params, frames=GUIDE, rate=24.0, mesh=SHEET.mesh, cut=None):
    """States of the core and what the programs make of each, (N, 3)."""
    cut = frames[0] if cut is None else cut
    run = drape.ComputedDrape(mesh, cut, params)
    other = drape.Drape(mesh, cut, core(params))
    shown = ShownCloth(renderer, mesh)
    for k, positions in enumerate(frames):
        found = shown.show(run.advance(positions, k / rate))
        yield other.advance(positions, k / rate), found, shown


def spread(params, frames, rate=24.0, cut=None):
    """How far the core's cloth comes from itself, frame by frame, if positions change by what 32 bits round: a share of the extent."""
    cut = frames[0] if cut is None else cut
    noise = np.random.default_rng(7).uniform(-1.0, 1.0, (3, *frames.shape)) * 2.0**-24 * np.abs(frames).max()
    runs = [drape.Drape(SHEET.mesh, cut, core(params)) for _ in range(4)]
    for k, positions in enumerate(frames):
        one, *others = (
            run.advance(positions + shift, k / rate) for run, shift in zip(runs, (0.0, *noise[:, k]), strict=True)
        )
        yield max(apart(other.draped, one) for other in others)


# One solve


@pytest.mark.parametrize("levels", [0, 1, 2, 3])
@pytest.mark.parametrize("iterations", [1, 5])
def test_so_many_iterations_end_where_those_of_the_core_do(renderer, levels, iterations):
    params = computed(levels=levels, iterations=iterations, settling=1, tolerance=0.0, **ALONE)
    for state, (positions, _), shown in both(renderer, params, GUIDE[1:], cut=GUIDE[0]):
        assert apart(positions, state) < 2e-5
        assert shown.solver()[ITERATIONS] == state.solved.iterations == iterations
    assert np.linalg.norm(state.draped - state.guide, axis=1).max() > (1e-5 if iterations == 1 else 2e-4)


def test_normals_are_those_of_the_core(renderer):
    for state, (_, normals), _ in both(renderer, computed(levels=2, iterations=5, settling=1)):
        np.testing.assert_allclose(normals, state.detail.fine_normals, atol=2e-3)
        np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-5)


def test_converged_it_is_the_minimum_that_the_core_finds(renderer):
    params = computed(levels=1, iterations=1500, settling=1, tolerance=1e-7, **ALONE)
    for state, (positions, _), _ in both(renderer, params, GUIDE[[3, 5, 8]], cut=GUIDE[0]):
        assert state.solved.residual < 1e-5
        assert apart(positions, state) < 1e-4


def test_of_several_minima_it_finds_one_that_is_as_low(renderer):
    """A finer sheet folds in more than one way, and rounding of the guide alone takes the core from one to the other."""
    params = computed(levels=2, iterations=400, settling=1, depth=1.0, **ALONE)
    balance = drape.Balance(SHEET.mesh, GUIDE[0], core(params))
    # At the end it is as it was cut, where all energy is rounding.
    frames = GUIDE[4:-1]
    distances, others = [], list(spread(params, frames, cut=GUIDE[0]))
    for k, (state, (positions, _), _) in enumerate(both(renderer, params, frames, cut=GUIDE[0])):
        balance.aim(frames[k])
        assert balance.evaluate(positions)[0] == pytest.approx(balance.evaluate(state.balanced)[0], rel=0.01)
        distances.append(apart(positions, state))
    assert max(distances) <= 4.0 * max(others)


@pytest.mark.parametrize(
    "change",
    [
        {"gain": 2.5},
        {"gain": 0.0},
        {"depth": 0.0},
        {"creep": 0.0, "tightness": 1.2},
        {"compression": 1.0},
        {"fabric": {"cloth": "wool", "size": 1.0}},
        {"edges_per_wave": 3.0, "thickness": 0.0},
    ],
    ids=str,
)
def test_every_parameter_counts_as_in_the_core(renderer, change):
    # Later, where folds are short, rounding alone takes the core from itself.
    params = computed(levels=1, iterations=4, settling=1, **ALONE, **change)
    for state, (positions, _), _ in both(renderer, params, GUIDE[:6]):
        np.testing.assert_allclose(positions, state.detail.fine_positions, atol=5e-5)


def test_maps_count_as_in_the_core(renderer, rng):
    maps = drape.Maps(stiffness=rng.uniform(0.2, 9.0, len(GUIDE[0])), tightness=rng.uniform(0.8, 1.2, len(GUIDE[0])))
    params = computed(levels=1, iterations=8, settling=1)
    run = drape.ComputedDrape(SHEET.mesh, GUIDE[0], params, maps=maps)
    other = drape.Drape(SHEET.mesh, GUIDE[0], core(params), maps=maps)
    positions, _ = ShownCloth(renderer, SHEET.mesh).show(run.advance(GUIDE[5], 0.0))
    assert apart(positions, other.advance(GUIDE[5], 0.0)) < 2e-5
    np.testing.assert_array_equal(run.maps.stiffness, maps.stiffness)


def test_what_is_sewn_stays_on_the_coarse_mesh(renderer):
    # A border that is bent in the frame, as a straight one stays where it is anyway.
    shared = np.flatnonzero(GUIDE[0][:, 1] < GUIDE[0][:, 1].min() + 1e-6)
    assert len(shared) > 5
    for sewn in (True, False):
        params = computed(levels=2, iterations=8, settling=1, sewn=sewn)
        run = drape.ComputedDrape(SHEET.mesh, GUIDE[0], params, shared)
        other = drape.Drape(SHEET.mesh, GUIDE[0], core(params), shared)
        positions, _ = ShownCloth(renderer, SHEET.mesh).show(run.advance(GUIDE[8], 0.0))
        assert apart(positions, other.advance(GUIDE[8], 0.0)) < 2e-5
        moved = np.abs(positions[shared] - GUIDE[8][shared]).max()
        assert (moved < 1e-6) == sewn


def test_any_mesh(renderer, rng):
    mesh, rest = odd_mesh()
    frames = rest + 0.1 * rng.normal(size=(3, *rest.shape))
    for levels in (0, 2):
        params = computed(levels=levels, iterations=5, settling=1)
        for state, (positions, _), _ in both(renderer, params, frames, mesh=mesh, cut=rest):
            assert apart(positions, state) < 2e-5


def test_a_mesh_without_triangles_is_drawn(renderer):
    mesh = pucker.Mesh(np.zeros((0, 3), np.int32), 3)
    state = drape.ComputedDrape(mesh, np.eye(3)).advance(np.eye(3), 0.0)
    positions, _ = ShownCloth(renderer, mesh).show(state)
    np.testing.assert_allclose(positions, np.eye(3), atol=1e-6)


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e9])
@pytest.mark.parametrize("away", [0.0, 1e4])
def test_any_unit_and_any_place(renderer, scale, away):
    frames = scale * (GUIDE[[3, 5]] + away * np.array([1.0, -0.3, 0.7]))
    params = computed(levels=1, iterations=8, settling=1)
    for state, (positions, _), _ in both(renderer, params, frames, cut=scale * GUIDE[0]):
        assert apart(positions, state) < 2e-5


# Frame after frame


SWINGS = [{}, {"swing": 0.05, "memory": 0.0}, {"swing": 0.0}, {"lag": 0.03}, {"swing": 0.05, "lag": 0.01}]


@pytest.mark.parametrize("change", SWINGS, ids=str)
def test_cloth_that_moves_stays_where_the_core_has_it(renderer, change):
    """The guide goes up and down while it is squeezed: no farther apart than rounding takes the core from itself."""
    phases = np.concatenate([np.arange(9), np.arange(9)[::-1], np.arange(6)])
    frames = GUIDE[phases] + 0.1 * np.sin(0.8 * np.arange(24))[:, None, None] * [0.0, 0.3, 1.0]
    params = computed(levels=2, iterations=30, **change)
    found = [apart(positions, state) for state, (positions, _), _ in both(renderer, params, frames)]
    alone = list(spread(params, frames))
    assert max(found) <= max(2e-5, 4.0 * max(alone))


@pytest.mark.parametrize("change", [*SWINGS, {"memory": 0.3}], ids=str)
def test_time_steps_of_any_length_and_jumps_are_those_of_the_core(renderer, change):
    times = np.cumsum([0.04, 0.04, 0.04, 0.2, 0.03, 0.03, 1e-9, 0.04, 0.04, 0.04])
    up = np.array([0.0, 0.02, 0.05, 0.1, 0.11, 0.12, 0.12, 9.0, 9.02, 9.05])
    params = computed(levels=1, iterations=12, **change)
    run, other = (
        kind(SHEET.mesh, GUIDE[0], p) for kind, p in ((drape.ComputedDrape, params), (drape.Drape, core(params)))
    )
    shown = ShownCloth(renderer, SHEET.mesh)
    steps = []
    for time, height in zip(times, up, strict=True):
        at = GUIDE[0] + [0.0, 0.0, height]
        positions, _ = shown.show(run.advance(at, time))
        state = other.advance(at, time)
        assert apart(positions, state) < 2e-5
        steps.append(shown.solver()[STEPS])
    # Started anew in the first frame and at the jump of the guide: no velocity there, nor in the one that follows.
    assert steps == [0, 0, 1, 2, 2, 2, 2, 0, 0, 1]


def test_cloth_that_would_fly_off_starts_anew(renderer):
    params = computed(levels=1, iterations=12, swing=5.0, memory=0.0)
    run, other = (
        kind(SHEET.mesh, GUIDE[0], p) for kind, p in ((drape.ComputedDrape, params), (drape.Drape, core(params)))
    )
    shown = ShownCloth(renderer, SHEET.mesh)
    jumped = []
    # As fast as 45 garments a second, and then a step that is long.
    for time, height in ((0.0, 0.0), (0.02, 0.9), (0.04, 1.8), (0.2, 2.0), (0.22, 2.0)):
        at = GUIDE[0] + [0.0, 0.0, height]
        positions, _ = shown.show(run.advance(at, time))
        assert apart(positions, other.advance(at, time)) < 5e-5
        jumped.append(shown.solver()[JUMPED])
    assert 1 in jumped


# What is drawn


@pytest.fixture(scope="module")
def kimono(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="SitDown", parts=["Clothes", "Band"])


@pytest.mark.parametrize("contact", [False, True])
def test_pictures_are_those_of_the_core(kimono, contact):
    params = computed(contact=contact, levels=2, iterations=20, settling=2)
    assert_pictures_of_the_core(kimono, params, 3, outlines=2e-3)


def test_a_character_gets_its_iterations_and_after_the_first_frame_sends_coarse_positions_alone(renderer, kimono):
    params = computed(levels=1, contact=False, tolerance=0.0)
    shown, sent = ShownCloth(renderer, kimono.mesh), []
    for state in islice(pucker.run(kimono, params), 3):
        before = shown.surface.uploaded
        shown.show(state)
        sent.append(shown.surface.uploaded - before)
        solver = shown.solver()
        assert solver[ITERATIONS] == params.iterations * (params.settling if state.frame == 0 else 1)
        assert solver[EVALUATIONS] <= 1.25 * solver[ITERATIONS] + 8
        assert 0.0 <= solver.view(np.float32)[RESIDUAL] < 0.1
    assert sent[1:] == [12 * kimono.mesh.vertex_count] * 2
    assert sent[0] > 20 * sent[1]


def test_no_block_of_the_usual_mesh_is_larger_than_any_device_takes(renderer, kimono):
    """OpenGL 4.3 promises 2^24 bytes a block."""
    shown = ShownCloth(renderer, kimono.mesh)
    positions, _ = shown.show(next(pucker.run(kimono, computed(iterations=1, settling=1))))
    assert len(positions) > 30_000
    for name in shown.surface.content.method_blocks:
        assert shown.surface.read(name, np.uint8).nbytes <= 2**24, name


def test_what_was_shown_before_does_not_count(renderer):
    runs = [
        drape.ComputedDrape(SHEET.mesh, GUIDE[0], computed(levels=1, iterations=6, creep=creep)) for creep in (0.5, 0.1)
    ]
    states = [[run.advance(GUIDE[k], k / 24) for k in range(5)] for run in runs]
    in_order = ShownCloth(renderer, SHEET.mesh)
    wanted = [in_order.show(state) for state in states[0]]
    on_processor = drape.Drape(SHEET.mesh, GUIDE[0], computed(compute="cpu", levels=1)).advance(GUIDE[2], 0.0)
    jumping = ShownCloth(renderer, SHEET.mesh)
    for item in (3, 4, 1, 1, on_processor, 4, states[1][1], 2, None, 2, "sent", 0):
        if item is None:
            jumping.surface.set_detail(None)
            renderer.read(jumping.surface, "Positions")
        elif item == "sent":
            jumping.surface.set_detail(states[1][0].detail)
            jumping.surface.send()
        else:
            found = jumping.show(states[0][item] if isinstance(item, int) else item)
            for one, other in zip(found, wanted[item] if isinstance(item, int) else found, strict=True):
                np.testing.assert_array_equal(one, other)


# What it is asked for on the processor


def test_numbers_are_those_of_a_run_of_the_same_frames():
    run, other = (kind(SHEET.mesh, GUIDE[0]) for kind in (drape.ComputedDrape, drape.Drape))
    states = [run.advance(GUIDE[k], k / 24) for k in range(4)]
    wanted = [other.advance(GUIDE[k], k / 24) for k in range(4)]
    triangles = np.arange(len(SHEET.faces))
    middle = np.full((len(triangles), 3), 1 / 3)
    for index in (3, 1, 2):
        state, each = states[index], wanted[index]
        assert (state.frame, state.time, state.detail.shaders) == (each.frame, each.time, "drape")
        np.testing.assert_array_equal(state.reference.draped, each.draped)
        found = state.detail.evaluate(triangles, middle).positions
        np.testing.assert_array_equal(found, each.detail.evaluate(triangles, middle).positions)
        assert state.detail.feature_size == each.detail.feature_size
        assert state.detail.offset_range == each.detail.offset_range


def test_measures_overlays_and_bakes_are_those_of_the_processor(tmp_path):
    short = pucker.Clip.from_arrays(SHEET.faces, GUIDE[:4], np.arange(4) / 24)
    params = computed(levels=1)
    found, wanted = (pucker.metrics.measure(short, p) for p in (params, core(params)))
    np.testing.assert_equal(found.summary, wanted.summary)
    states = [next(pucker.run(short, p)) for p in (params, core(params))]
    for overlay in method.method_named("drape").overlays():
        np.testing.assert_array_equal(overlay.tints(states[0], None), overlay.tints(states[1], None))
    for name, p in (("gpu.npz", params), ("cpu.npz", core(params))):
        bake.surface(short, tmp_path / name, params=p)
    with np.load(tmp_path / "gpu.npz") as one, np.load(tmp_path / "cpu.npz") as other:
        np.testing.assert_array_equal(one["positions"], other["positions"])


def test_a_saved_run_goes_on_with_the_same_cloth(renderer):
    run = drape.ComputedDrape(SHEET.mesh, GUIDE[0], computed(levels=1, iterations=6))
    for frame in range(3):
        run.advance(GUIDE[frame], frame / 24)
    again = [pickle.loads(pickle.dumps(run)), run.restored(run.save()), drape.ComputedDrape.restore(run.save())]
    found = [ShownCloth(renderer, SHEET.mesh).show(each.advance(GUIDE[3], 3 / 24))[0] for each in (run, *again)]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    with pytest.raises(pucker.Error, match="checksum"):
        drape.ComputedDrape.restore(run.save()[:-9])
    with pytest.raises(pucker.Error, match="are not a saved run"):
        drape.ComputedDrape.restore(b"drape")


# What is refused


def test_there_is_no_third_place_to_compute_at():
    with pytest.raises(ValueError, match=r"compute .*cpu, gpu.*'tpu'"):
        drape.Params(compute="tpu")


def test_a_refused_frame_changes_nothing():
    run = method.start(bending_sleeve(6, 6, frames=4), computed())
    positions = bending_sleeve(6, 6, frames=4).positions
    state = run.advance(positions[0], 0.0)
    with pytest.raises(ValueError, match="time must grow"):
        run.advance(positions[1], 0.0)
    with pytest.raises(ValueError, match="positions must be finite"):
        run.advance(np.full_like(positions[1], np.nan), 1.0)
    with pytest.raises(ValueError, match=r"draped cloth needs positions within 1e\+100, got 1e\+101"):
        run.advance(np.full_like(positions[1], 1e101), 1.0)
    assert run.state is state


def test_a_device_without_room_says_how_much_is_needed(renderer, monkeypatch):
    info = dict(renderer.context.info) | {"GL_MAX_SHADER_STORAGE_BLOCK_SIZE": 10_000}
    monkeypatch.setattr(type(renderer.context), "info", property(lambda _: info))
    state = drape.ComputedDrape(SHEET.mesh, GUIDE[0]).advance(GUIDE[0], 0.0)
    surface = renderer.surface(SHEET.mesh.faces, SHEET.mesh.vertex_count)
    surface.set_positions(GUIDE[0])
    surface.set_detail(state.detail)
    with pytest.raises(pucker.Error, match=r"offers at most 10000 bytes a buffer, \d+ are needed"):
        surface.send()
