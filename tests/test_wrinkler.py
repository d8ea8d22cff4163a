"""Whole runs: the stages by hand, saving, threads, bad input, and meshes that hardly are any."""

import pickle
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import count
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
import pytest
from motion import expect_valid, params_for, rotation, run, sheet, sphere, waves

import pucker
from pucker.examples import bending_sleeve, squeezed_sheet

WALK = {"clip": "Walk", "parts": ["Clothes", "Band"]}


@pytest.fixture(scope="module")
def sleeve() -> pucker.Clip:
    return bending_sleeve()


@pytest.fixture(scope="module")
def kimono() -> pucker.Clip:
    return pucker.load(Path(__file__).resolve().parents[1] / "data" / "kimono_male.gltf", **WALK)


# --- the stages by hand -------------------------------------------------------------------------------------------


def stages_by_hand() -> type:
    """The class listed in the documentation."""
    page = (Path(__file__).resolve().parents[1] / "docs" / "wrinkler.md").read_text(encoding="utf-8")
    (listing,) = (code for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL) if "class ByHand" in code)
    namespace: dict = {}
    exec(compile(listing, "docs/wrinkler.md", "exec"), namespace)
    return namespace["ByHand"]


def assert_same_bits(first: np.ndarray, second: np.ndarray) -> None:
    assert first.dtype == second.dtype
    assert first.shape == second.shape
    assert first.tobytes() == second.tobytes()


@pytest.mark.parametrize("name", ["sleeve", "kimono"])
@pytest.mark.parametrize("values", [{}, {"verbatim": True}, {"persistence": {"method": "projection"}}])
def test_the_stages_by_hand_give_the_same_bits(request, name, values):
    clip = request.getfixturevalue(name)
    params = params_for(clip, **values)
    assert_same_by_hand(clip, pucker.Wrinkler(clip.mesh, params), stages_by_hand()(clip.mesh, params))


def test_the_stages_by_hand_give_the_same_bits_where_a_garment_is_thin(kimono):
    # What lies under another layer fades out only after the stages.
    params = pucker.Params(reference={"start": "first_frame"}, shape={"border_fade": 0.0}).for_height(kimono.height)
    widths = pucker.wrinkle_widths(kimono.mesh, kimono.rest, params)
    assert 0.2 <= widths[widths > 0].min() < 0.8
    wrinkler = pucker.Wrinkler(kimono.mesh, params, rest=kimono.rest)
    assert_same_bits(wrinkler.widths, widths)
    assert pucker.Wrinkler(kimono.mesh, params).widths is None
    assert_same_by_hand(kimono, wrinkler, stages_by_hand()(kimono.mesh, params, widths))


def assert_same_by_hand(clip: pucker.Clip, wrinkler: pucker.Wrinkler, by_hand: Any) -> None:
    wrinkler.advance(clip.positions[0], clip.times[0])
    by_hand.start(clip.positions[0], clip.times[0])
    seen = 0
    for frame in list(clip)[1:]:
        state = wrinkler.advance(frame.positions, frame.time)
        labels, stretch, wrinkles, packed = by_hand.advance(frame.positions, frame.time)
        assert_same_bits(labels, state.labels)
        assert_same_bits(by_hand.reference.matrices, state.reference)
        for part in ("minimum", "maximum", "left", "right"):
            assert_same_bits(getattr(stretch, part), getattr(state.stretch, part))
        assert_same_bits(pucker.compression(stretch), state.compression)
        assert wrinkles == state.wrinkles
        for buffer in ("triangles", "overlaps", "points"):
            assert_same_bits(getattr(packed, buffer), getattr(state.packed, buffer))
        seen += len(wrinkles)
    assert seen > 30


# --- the same bits ------------------------------------------------------------------------------------------------


def assert_same_states(first: pucker.State, second: pucker.State) -> None:
    assert first.frame == second.frame
    assert first.time == second.time
    assert first.wrinkles == second.wrinkles
    for name in ("labels", "costs", "reference", "compression"):
        assert_same_bits(getattr(first, name), getattr(second, name))
    for name in ("minimum", "maximum", "left", "right"):
        assert_same_bits(getattr(first.stretch, name), getattr(second.stretch, name))
        assert_same_bits(getattr(first.motion, name), getattr(second.motion, name))
    for name in ("triangles", "overlaps", "points"):
        assert_same_bits(getattr(first.packed, name), getattr(second.packed, name))


def test_two_runs_give_the_same_bits(kimono):
    for first, second in zip(
        run(pucker.Wrinkler(kimono.mesh, params_for(kimono)), kimono),
        run(pucker.Wrinkler(kimono.mesh, params_for(kimono)), kimono),
        strict=True,
    ):
        assert_same_states(first, second)


@pytest.mark.parametrize("copy", [lambda run: pucker.Wrinkler.restore(run.save()), pickle.dumps])
def test_a_run_saved_at_any_frame_goes_on_with_the_same_bits(sleeve, copy):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    copies: list[pucker.Wrinkler] = []
    for frame in sleeve:
        saved = copy(wrinkler)
        copies.append(pickle.loads(saved) if isinstance(saved, bytes) else saved)
        state = wrinkler.advance(frame.positions, frame.time)
        for other in copies:
            assert_same_states(other.advance(frame.positions, frame.time), state)
            assert other.save() == wrinkler.save()
    assert state.wrinkles
    assert copies[0].params == wrinkler.params


def test_a_state_that_is_held_stays_as_it_was(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    held, copies = [], []
    for frame in sleeve:
        state = wrinkler.advance(frame.positions, frame.time)
        held.append(state)
        copies.append(contents(state))
    assert [contents(state) for state in held] == copies


def test_the_wrinkles_of_a_state_are_the_same_objects_each_time(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    state = run(wrinkler, sleeve)[-1]
    assert state.wrinkles
    for first, second in zip(state.wrinkles, state.wrinkles, strict=True):
        assert first is second
    state.wrinkles.clear()  # of a list of one's own
    assert state.wrinkles == wrinkler.wrinkles


def test_an_array_of_a_state_outlives_state_and_run(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    arrays, copies = [], []
    for frame in sleeve:
        state = wrinkler.advance(frame.positions, frame.time)
        arrays += [state.compression, state.stretch.left, state.packed.points, state.frames.matrices]
        copies += [array.tobytes() for array in arrays[-4:]]
    del wrinkler, state
    assert [array.tobytes() for array in arrays] == copies


def contents(state: pucker.State) -> list[object]:
    """Copies of what a state holds."""
    arrays = [state.labels, state.costs, state.reference, state.compression]
    arrays += [
        state.stretch.left,
        state.motion.minimum,
        state.packed.points,
        state.packed.overlaps,
        state.frames.matrices,
    ]
    return [state.frame, state.time, state.wrinkles, *(array.tobytes() for array in arrays)]


def test_a_restored_run_shows_the_wrinkles_it_was_saved_with(kimono):
    wrinkler = pucker.Wrinkler(kimono.mesh, params_for(kimono))
    for frame in kimono:
        wrinkler.advance(frame.positions, frame.time)
        assert pucker.Wrinkler.restore(wrinkler.save()).wrinkles == wrinkler.wrinkles


@pytest.mark.parametrize("damage", [lambda b: b[:0], lambda b: b[:-1], lambda b: b + b"x", lambda b: b"x" + b[1:]])
def test_bytes_that_are_no_saved_run_are_refused(sleeve, damage):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    for frame in list(sleeve)[:12]:
        wrinkler.advance(frame.positions, frame.time)
    with pytest.raises(pucker.Error):
        pucker.Wrinkler.restore(damage(wrinkler.save()))


def test_a_saved_run_cut_short_anywhere_is_refused(rng, sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    for frame in list(sleeve)[:12]:
        wrinkler.advance(frame.positions, frame.time)
    saved = wrinkler.save()
    for length in rng.integers(0, len(saved), 200):
        with pytest.raises(pucker.Error):
            pucker.Wrinkler.restore(saved[:length])


def test_every_damage_to_a_saved_run_is_refused(rng, sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    frames = list(sleeve)
    for frame in frames[:12]:
        wrinkler.advance(frame.positions, frame.time)
    saved = wrinkler.save()
    for place in rng.integers(0, len(saved), 300):
        damaged = bytearray(saved)
        damaged[place] ^= 1 << int(rng.integers(8))
        with pytest.raises(pucker.Error, match=r"damaged|not a saved run"):
            pucker.Wrinkler.restore(bytes(damaged))


@pytest.mark.threads
def test_runs_in_threads_give_the_same_bits(sleeve, kimono):
    def whole(clip: pucker.Clip) -> bytes:
        wrinkler = pucker.Wrinkler(clip.mesh, params_for(clip))
        run(wrinkler, clip)
        return wrinkler.save()

    clips = [sleeve, kimono] * 4
    alone = [whole(clip) for clip in clips[:2]] * 4
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(whole, clips)) == alone


def test_a_state_stays_as_it_was_when_the_run_goes_on(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    kept = []
    for frame in sleeve:
        state = wrinkler.advance(frame.positions, frame.time)
        kept.append((state, pickle.dumps([state.labels, state.compression, state.reference, state.packed.points])))
    for state, bits in kept:
        assert pickle.dumps([state.labels, state.compression, state.reference, state.packed.points]) == bits


def test_a_frame_that_cannot_be_computed_changes_nothing(sleeve):
    # With these parameters a frame 1e60 times as large costs more than a number of 64 bits holds.
    params = params_for(sleeve, verbatim=True, label={"alpha": 500.0})
    wrinkler, undisturbed = (pucker.Wrinkler(sleeve.mesh, params) for _ in range(2))
    for frame in sleeve:
        state = wrinkler.advance(frame.positions, frame.time)
        assert_same_states(state, undisturbed.advance(frame.positions, frame.time))
        saved, shown = wrinkler.save(), contents(state)
        with pytest.raises(ValueError, match="costs must be finite"):
            wrinkler.advance(1e60 * frame.positions, frame.time + 0.001)
        assert wrinkler.save() == saved
        assert contents(state) == shown
        assert wrinkler.wrinkles == state.wrinkles
    assert state.wrinkles


# --- calls at the same time ---------------------------------------------------------------------------------------


def busy_calls() -> dict[str, tuple[Callable[[], object], list[Callable[[], object]]]]:
    """Of each kind of object a call that changes it and takes a while, and calls that must not be made meanwhile."""
    clip = squeezed_sheet(60, 60)
    params, mesh = params_for(clip), clip.mesh
    wrinkler = pucker.Wrinkler(mesh, params)
    states = [wrinkler.advance(frame.positions, frame.time) for frame in list(clip)[:14]]
    state, positions = states[-1], clip.positions[13]
    field = pucker.CompressionField(mesh, positions, state.stretch)
    labeller, packer = pucker.Labeller(mesh, params), pucker.Packer(mesh)
    many = 300_000  # triangles, or a step would be over at once
    apart = pucker.Mesh(np.arange(3 * many).reshape(-1, 3), 3 * many)
    squares = np.tile(np.eye(2), (many, 1, 1))
    reference = pucker.ReferenceShape(apart, squares, params)
    tracer, occupied = pucker.Tracer(mesh, params), pucker.SegmentIndex(mesh)
    persistence, crowd = pucker.Persistence(mesh, params), pucker.Crowd(2)
    motion = pucker.Motion(field, positions, state.motion, 1 / 30, 0.1)
    time = count(1000)
    seed, wrinkle = tracer.seed(field)[0], state.wrinkles[0]
    assert len(state.wrinkles) > 10

    def advance() -> object:
        return wrinkler.advance(positions, next(time))

    return {
        "Wrinkler": (advance, [advance, wrinkler.save, lambda: wrinkler.wrinkles, lambda: pickle.dumps(wrinkler)]),
        "Labeller": (
            lambda: labeller.step(state.costs),
            [lambda: labeller.previous, lambda: setattr(labeller, "previous", None), lambda: labeller.step(state.costs)],
        ),
        "ReferenceShape": (
            lambda: reference.step(np.zeros(many, np.int8), squares, 1 / 30),
            [lambda: reference.matrices],
        ),
        "Tracer": (
            lambda: tracer.grow(field, [], pucker.SegmentIndex(mesh), 0, 0),
            [lambda: tracer.seed(field), lambda: tracer.trace(seed, field)],
        ),
        "SegmentIndex": (
            lambda: pucker.Tracer(mesh, params).grow(field, [], occupied, 0, 0),
            [lambda: occupied.insert(field, wrinkle), lambda: occupied.crossed_by(field, wrinkle),
             lambda: pucker.Tracer(mesh, params).trace(seed, field, occupied)],
        ),
        "Persistence": (
            lambda: persistence.step(state.wrinkles, motion),
            [lambda: persistence.solve(wrinkle, motion), lambda: persistence.energy(wrinkle, motion, wrinkle.t)],
        ),
        "Packer": (lambda: packer.pack(field, state.wrinkles), [lambda: packer.pack(field, [])]),
        "Crowd": (
            lambda: crowd.advance([wrinkler], [positions], float(next(time))),
            [lambda: crowd.advance([], [], 0.0), wrinkler.save],
        ),
    }  # fmt: skip


@pytest.fixture(scope="module")
def busy() -> dict[str, tuple[Callable[[], object], list[Callable[[], object]]]]:
    return busy_calls()


@pytest.mark.threads
@pytest.mark.parametrize(
    "kind", ["Wrinkler", "Labeller", "ReferenceShape", "Tracer", "SegmentIndex", "Persistence", "Packer", "Crowd"]
)
def test_an_object_in_use_refuses_a_second_call(busy, kind):
    changing, others = busy[kind]
    stop = threading.Event()
    refusals: list[str] = []
    failures: list[BaseException] = []

    def keep_busy() -> None:
        while not stop.is_set():
            try:
                changing()
            except pucker.Error as error:
                refusals.append(str(error))  # the other thread was inside
            except BaseException as error:  # noqa: BLE001
                failures.append(error)
                return

    def refusal(call: Callable[[], object]) -> str:
        """What the one of both threads was told that came while the other was inside."""
        refusals.clear()
        end = monotonic() + 60
        while monotonic() < end and not refusals:
            try:
                call()
            except pucker.Error as error:
                return str(error)
        return "".join(refusals[:1])

    thread = threading.Thread(target=keep_busy)
    thread.start()
    try:
        for other in others:
            assert refusal(other).endswith("is in use by another call: an object takes one call at a time")
            assert not failures
    finally:
        stop.set()
        thread.join()
    changing()  # it stays usable


@pytest.mark.threads
def test_refused_calls_change_nothing(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    thread = threading.Thread(target=run, args=(wrinkler, sleeve))
    thread.start()
    while thread.is_alive():
        with suppress(pucker.Error, ValueError):
            wrinkler.save()
            wrinkler.advance(sleeve.positions[0], -1.0)
    thread.join()
    alone = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    run(alone, sleeve)
    assert wrinkler.save() == alone.save()


# --- bad input ----------------------------------------------------------------------------------------------------


def bad_calls(positions: np.ndarray, time: float) -> list[tuple[np.ndarray, float, str]]:
    with_nan, with_infinity = positions.copy(), positions.copy()
    with_nan[5, 1], with_infinity[7, 2] = np.nan, -np.inf
    return [
        (positions[:-1], time + 1, r"positions must have shape"),
        (positions[:, :2], time + 1, r"positions must have shape"),
        (positions[None], time + 1, r"positions must have shape"),
        (with_nan, time + 1, "nan"),
        (with_infinity, time + 1, "inf"),
        (positions, time, "time must grow"),
        (positions, time - 1, "time must grow"),
        (positions, np.nan, "time must be finite, got nan"),
        (positions, np.inf, "time must be finite, got inf"),
    ]


def test_a_bad_frame_is_refused_and_changes_nothing(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    undisturbed = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    for frame in sleeve:
        state = wrinkler.advance(frame.positions, frame.time)
        assert_same_states(state, undisturbed.advance(frame.positions, frame.time))
        saved = wrinkler.save()
        for positions, time, rule in bad_calls(frame.positions.copy(), frame.time):
            with pytest.raises(ValueError, match=rule):
                wrinkler.advance(positions, time)
            assert wrinkler.save() == saved
    assert state.wrinkles


def test_a_bad_first_frame_is_refused_and_changes_nothing(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    with pytest.raises(ValueError, match="call advance first"):
        _ = wrinkler.wrinkles
    with pytest.raises(ValueError, match="nan"):
        wrinkler.advance(np.full_like(sleeve.positions[0], np.nan), 0.0)
    undisturbed = run(pucker.Wrinkler(sleeve.mesh, params_for(sleeve)), sleeve)
    for state, other in zip(run(wrinkler, sleeve), undisturbed, strict=True):
        assert_same_states(state, other)


@pytest.mark.parametrize("factor", [1e6, 1e-6, 0.0, 1e12])
def test_cloth_that_explodes_and_comes_back_leaves_everything_finite(kimono, factor):
    wrinkler = pucker.Wrinkler(kimono.mesh, params_for(kimono))
    for number, frame in enumerate(kimono):
        exploded = number in (10, 11, 20)
        positions = frame.positions * (factor if exploded else 1.0)
        state = wrinkler.advance(positions, frame.time)
        expect_valid(kimono.mesh, state, positions)
    assert wrinkler.wrinkles


def test_a_vertex_that_flies_away_and_comes_back_leaves_everything_finite(rng, sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    for frame in sleeve:
        positions = frame.positions.copy()
        positions[rng.integers(len(positions), size=3)] *= rng.choice([1e6, -1e3, 0.0], (3, 1))
        expect_valid(sleeve.mesh, wrinkler.advance(positions, frame.time), positions)


# --- meshes that hardly are any -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("faces", "rest"),
    [
        (np.zeros((0, 3), int), np.zeros((0, 3))),
        (np.zeros((0, 3), int), np.zeros((4, 3))),
        ([[0, 1, 2]], np.eye(3)),
        ([[0, 1, 2]], np.zeros((3, 3))),
        ([[0, 0, 1], [1, 1, 1], [2, 1, 2]], np.eye(3)),
        ([[0, 1, 2], [0, 1, 3], [0, 1, 4]], [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [0, -1, 0]]),
        ([[0, 1, 2], [0, 3, 4]], [[0, 0, 0], [1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]),
        ([[0, 1, 2], [2, 1, 0], [0, 1, 2]], np.eye(3)),
    ],
    ids=["empty", "no triangles", "triangle", "point", "degenerate", "fan", "bow tie", "sandwich"],
)
def test_any_mesh_runs(rng, faces, rest):
    mesh = pucker.Mesh(faces, len(rest))
    wrinkler = pucker.Wrinkler(mesh, pucker.Params(min_width=0.01))
    motion = waves(rng, np.asarray(rest, float), 0.3) if len(rest) else lambda _time: np.zeros((0, 3))
    for frame in range(40):
        positions = motion(frame / 30)
        expect_valid(mesh, wrinkler.advance(positions, frame / 30), positions)
    assert pucker.Wrinkler.restore(wrinkler.save()).save() == wrinkler.save()


def test_one_triangle_that_is_squeezed_wrinkles():
    rest = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]], float)
    wrinkler = pucker.Wrinkler(pucker.Mesh([[0, 1, 2]], 3), pucker.Params(min_width=0.01))
    seen = 0
    for frame in range(30):
        state = wrinkler.advance(rest * [1.0, 1 - 0.4 * min(frame / 10, 1), 1.0], frame / 30)
        for wrinkle in state.wrinkles:
            if wrinkle.age == 0:
                seen += 1
                assert np.ptp(wrinkle.points[:, 1]) < 1e-9  # squeezed along y, so along x
    assert seen > 0
    assert state.wrinkles


# --- time and units -----------------------------------------------------------------------------------------------


def test_when_a_clip_starts_does_not_matter(sleeve):
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    later = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    for frame in range(len(sleeve)):  # times with few bits, so that their differences are the same
        state = wrinkler.advance(sleeve.positions[frame], frame / 32)
        other = later.advance(sleeve.positions[frame], 1024 + frame / 32)
        assert other.wrinkles == state.wrinkles


@pytest.mark.parametrize("factor", [2.0**-20, 2.0**20])
def test_units_of_length_do_not_matter(sleeve, factor):
    params = params_for(sleeve)
    wrinkler = pucker.Wrinkler(sleeve.mesh, params)
    scaled = pucker.Wrinkler(sleeve.mesh, params.replace(min_width=factor * params.min_width))
    for frame in sleeve:
        state = wrinkler.advance(frame.positions, frame.time)
        other = scaled.advance(factor * frame.positions, frame.time)
        assert_same_bits(other.labels, state.labels)
        assert len(other.wrinkles) == len(state.wrinkles)
        for wrinkle, copy in zip(state.wrinkles, other.wrinkles, strict=True):
            np.testing.assert_allclose(copy.points / factor, wrinkle.points, rtol=1e-12, atol=1e-12)


def test_where_the_cloth_stands_does_not_matter(rng, sleeve):
    turn, shift = rotation(rng), rng.normal(size=3)
    # Without the sleeve's symmetry, which would leave it to rounding which of two like triangles comes first.
    uneven = 0.003 * rng.normal(size=sleeve.positions[0].shape)
    wrinkler = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    moved = pucker.Wrinkler(sleeve.mesh, params_for(sleeve))
    for frame in sleeve:
        state = wrinkler.advance(frame.positions + uneven, frame.time)
        other = moved.advance((frame.positions + uneven) @ turn.T + shift, frame.time)
        assert_same_bits(other.labels, state.labels)
        assert len(other.wrinkles) == len(state.wrinkles)
        for wrinkle, copy in zip(state.wrinkles, other.wrinkles, strict=True):
            np.testing.assert_allclose((copy.points - shift) @ turn, wrinkle.points, atol=1e-9)


@pytest.mark.parametrize("name", ["sheet", "sphere"])
def test_invariants_hold_under_random_motion_at_any_frame_rate(rng, name):
    body = sheet(rng) if name == "sheet" else sphere()
    motion = waves(rng, body.rest, 0.1)
    for method in ("edges", "projection"):
        wrinkler = pucker.Wrinkler(body.mesh, pucker.Params(min_width=0.01, persistence={"method": method}))
        time, seen = 0.0, 0
        for _ in range(150):
            positions = motion(time)
            state = wrinkler.advance(positions, time)
            expect_valid(body.mesh, state, positions)
            seen += len(state.wrinkles)
            time += rng.choice([1 / 120, 1 / 30, 1 / 10])
        assert seen > 150
