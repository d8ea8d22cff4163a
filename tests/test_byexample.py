"""Wrinkles by example: each stage against formulas in NumPy and SciPy, and against other libraries."""

import dataclasses
import itertools
import json
import pickle
import threading
import time
import zipfile
from contextlib import contextmanager, suppress

import numpy as np
import pytest
from byexample_scenes import matrix_of, recorded_tube
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import rotation, tube

import pucker
from pucker import byexample
from pucker.examples import bending_sleeve

# --- synthesis ----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def recording():
    return recorded_tube()


@pytest.fixture(scope="module")
def training(recording):
    mesh, rest, coarse, fine = recording
    return byexample.train(mesh, coarse, fine, rest=rest, levels=2, poses=5)


def test_a_training_pose_comes_back(recording, training):
    mesh, _, coarse, fine = recording
    synthesis = training.trained.synthesis(mesh)
    for frame in training.frames:
        assert np.abs(synthesis.step(coarse[frame]).positions - fine[frame]).max() < 1e-9


def test_where_poses_are_equal_they_share_and_elsewhere_come_back():
    clip = bending_sleeve(8, 8, frames=21)
    rest, bent, more = (clip.positions[frame] for frame in (0, 5, 10))
    details = np.random.default_rng(5).normal(size=(3, byexample.LoopSubdivision(clip.mesh, 1).fine.vertex_count, 3))
    poses = np.array([rest, bent, more])
    with pytest.raises(ValueError, match=r"poses must differ at every point, but 0 and 1 are equal at point \d+"):
        byexample.Synthesis(clip.mesh, 1, rest, poses, details)
    synthesis = byexample.Synthesis(clip.mesh, 1, rest, poses, details, equal="share")
    for pose, own in enumerate(details):
        state = synthesis.step(poses[pose])
        weights = synthesis.spread(state.pose_weights)
        assert weights.sum(axis=1) == pytest.approx(np.ones(len(weights)))
        alone = np.abs(weights[:, pose] - 1) < 1e-12
        assert 0.1 < alone.mean() < 1.0
        assert np.abs(state.detail[alone] - own[alone]).max() < 1e-9
        # Where it is not alone, it is as much as each of those it is equal to.
        together = state.pose_weights[state.pose_weights[:, pose] < 1 - 1e-6]
        assert np.abs(together[:, pose] - together.max(axis=1)).max() < 1e-4


def test_synthesis_is_its_stages_one_after_the_other(recording, training):
    mesh, rest, coarse, _ = recording
    trained = training.trained
    synthesis = trained.synthesis()
    state = synthesis.step(coarse[7])
    features = byexample.Features(mesh, rest)
    assert np.array_equal(state.features, features.stretch(coarse[7]))
    space = byexample.PoseSpace(features.metric(rest), [features.stretch(p) for p in trained.poses], equal="share")
    at_vertices = space.weights(state.features)
    assert np.array_equal(state.pose_weights, at_vertices)
    loop = byexample.LoopSubdivision(mesh, 2)
    spread = matrix_of(loop.barycentrics) @ at_vertices
    assert synthesis.spread(state.pose_weights) == pytest.approx(spread, abs=1e-12)
    detail = np.einsum("np,pni->ni", spread, trained.details)
    assert state.detail == pytest.approx(detail, abs=1e-12)
    smooth = byexample.SmoothSurface(mesh, 2, coarse[7])
    placed = smooth.positions + np.einsum("nij,nj->ni", smooth.frames, detail)
    assert state.positions == pytest.approx(placed, abs=1e-12)
    assert matrix_of(loop.matrix) @ coarse[7] == pytest.approx(smooth.positions, abs=1e-12)


def test_frames_are_the_edge_the_normal_and_what_is_across_both(recording):
    mesh, _, coarse, _ = recording
    smooth = byexample.SmoothSurface(mesh, 1, coarse[9])
    frames = smooth.frames
    assert np.einsum("nij,nik->njk", frames, frames) == pytest.approx(
        np.tile(np.eye(3), (len(frames), 1, 1)), abs=1e-12
    )
    assert np.linalg.det(frames) == pytest.approx(np.ones(len(frames)))
    assert frames[:, :, 2] == pytest.approx(pucker.vertex_normals(smooth.mesh, smooth.positions), abs=1e-12)


@settings(max_examples=20)
@given(
    seed=st.integers(0, 2**32 - 1),
    shift=st.floats(-100, 100),
    frame=st.integers(1, 20),
    places=st.sampled_from(["sparse", "dense"]),
)
def test_turning_and_shifting_moves_detail_rigidly(training, recording, seed, shift, frame, places):
    mesh, rest, coarse, _ = recording
    turn = rotation(np.random.default_rng(seed))
    trained = training.trained
    synthesis = byexample.Synthesis(mesh, 2, rest, trained.poses, trained.details, places=places, equal="share")
    still, moved = synthesis.step(coarse[frame]), synthesis.step(coarse[frame] @ turn.T + shift)
    assert np.abs(moved.positions - (still.positions @ turn.T + shift)).max() < 1e-9
    assert np.abs(moved.detail - still.detail).max() < 1e-9


@settings(max_examples=15)
@given(scale=st.floats(1e-6, 1e6), frame=st.integers(1, 20))
def test_the_unit_of_length_does_not_matter(training, recording, scale, frame):
    mesh, rest, coarse, _ = recording
    trained = training.trained
    here = trained.synthesis().step(coarse[frame]).positions
    there = byexample.Synthesis(
        mesh, 2, scale * rest, scale * trained.poses, scale * trained.details, equal="share"
    ).step(scale * coarse[frame])
    assert there.positions / scale == pytest.approx(here, abs=1e-8)


def test_results_stay_as_they_are(recording, training):
    _, _, coarse, _ = recording
    synthesis = training.trained.synthesis()
    first = synthesis.step(coarse[3])
    kept = first.positions.copy()
    second = synthesis.step(coarse[12])
    assert np.array_equal(first.positions, kept)
    assert not np.array_equal(first.positions, second.positions)
    with pytest.raises(ValueError, match="read-only"):
        first.positions[0] = 0


def test_sparse_weights_are_near_dense_ones(recording, training):
    mesh, rest, coarse, _ = recording
    trained = training.trained
    ways = [
        byexample.Synthesis(mesh, 2, rest, trained.poses, trained.details, places=places, equal="share")
        for places in ("sparse", "dense")
    ]
    differences = [
        np.abs(np.subtract(*(way.spread(way.step(guide).pose_weights) for way in ways))) for guide in coarse[1:]
    ]
    assert np.mean(differences) < 0.05
    assert np.mean(differences) > 0.0


# --- training -----------------------------------------------------------------------------------------------------


def test_errors_fall_as_poses_are_added_and_are_those_of_the_surfaces(recording, training):
    mesh, rest, coarse, fine = recording
    assert training.errors.shape == (5, 21)
    assert (np.diff(training.error) < 0).all()
    assert training.error[-1] < 0.3 * training.error[0]
    smooth = byexample.SmoothSurface(mesh, 2, rest)
    corners = smooth.positions[smooth.mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    weights = np.bincount(smooth.mesh.faces.ravel(), np.repeat(areas, 3))
    synthesis = training.trained.synthesis()
    for frame in (2, 11):
        away = np.square(synthesis.step(coarse[frame]).positions - fine[frame]).sum(axis=1)
        assert training.errors[-1, frame] == pytest.approx(np.sqrt(np.average(away, weights=weights)))


def test_the_frame_that_is_farthest_becomes_the_next_pose(training, recording):
    _, _, coarse, _ = recording
    for pose, frame in enumerate(training.frames):
        assert frame == np.argmax(training.errors[pose])
        assert np.array_equal(training.trained.poses[pose + 1], coarse[frame])


def test_training_twice_gives_the_same_bits(recording, training):
    mesh, rest, coarse, fine = recording
    again = byexample.train(mesh, coarse, fine, rest=rest, levels=2, poses=5)
    assert again.frames == training.frames
    assert np.array_equal(again.trained.details, training.trained.details)
    assert np.array_equal(again.errors, training.errors)


def test_the_slow_part_is_what_the_subdivision_matrix_fits(recording):
    mesh, rest, coarse, fine = recording
    kept, removed = (
        byexample.train(mesh, coarse, fine, rest=rest, levels=2, poses=3, low_frequency=slow).trained
        for slow in ("keep", "remove")
    )
    rows = matrix_of(byexample.LoopSubdivision(mesh, 2).matrix)
    smooth = byexample.SmoothSurface(mesh, 2, removed.poses[1])
    assert np.abs(rows.T @ (smooth.add(removed.details[1]) - smooth.positions)).max() < 1e-9
    assert np.linalg.norm(removed.details[1]) < np.linalg.norm(kept.details[1])
    frame = next(k for k, guide in enumerate(coarse) if np.array_equal(guide, removed.poses[1]))
    away = fine[frame] - smooth.positions
    slow = rows @ np.linalg.lstsq(rows.toarray(), away, rcond=None)[0]
    assert smooth.add(removed.details[1]) - smooth.positions == pytest.approx(away - slow, abs=1e-9)


def test_without_the_slow_part_a_garment_that_slides_as_a_whole_has_no_detail(recording):
    mesh, rest, coarse, _ = recording
    rows = matrix_of(byexample.LoopSubdivision(mesh, 2).matrix)
    slid = [rows @ (guide + [0.1, -0.2, 0.05] + 0.1 * guide[:, [1, 2, 0]]) for guide in coarse]
    found = byexample.train(mesh, coarse, slid, rest=rest, levels=2, poses=3, low_frequency="remove")
    assert np.abs(found.trained.details).max() < 1e-9
    assert found.errors.max() < 1e-9


def test_farthest_poses_are_those_of_the_stretches(recording):
    mesh, rest, coarse, fine = recording
    found = byexample.train(mesh, coarse, fine, rest=rest, levels=2, poses=6, choose="farthest")
    features = byexample.Features(mesh, rest)
    poses = [features.stretch(rest)]
    for frame in found.frames:
        away = [min(np.linalg.norm(features.stretch(guide) - pose) for pose in poses) for guide in coarse]
        assert away[frame] == pytest.approx(max(away))
        poses.append(features.stretch(coarse[frame]))
    assert found.errors.shape == (1, 21)
    # One frame is at rest, and the last is like the first: of them there is one pose.
    every = byexample.train(mesh, coarse, fine, rest=rest, levels=2, poses=50, choose="farthest")
    assert 15 < len(every.frames) < 21


@pytest.mark.parametrize(("choose", "places"), [("greedy", "sparse"), ("farthest", "dense")])
def test_a_fit_is_the_least_squares_of_all_frames(recording, choose, places):
    mesh, rest, coarse, fine = recording
    options = byexample.Options(places=places)
    given_ = {"rest": rest, "levels": 2, "poses": 4, "choose": choose, "options": options}
    before = byexample.train(mesh, coarse, fine, **given_)
    smooth = byexample.SmoothSurface(mesh, 2, rest)
    details = []
    for guide, surface in zip(coarse, fine, strict=True):
        smooth.step(guide)
        details.append(smooth.detail_of(surface))
    truth = np.array(details)
    for ridge in (1e-9, 0.5, 1e9):
        found = byexample.train(mesh, coarse, fine, fit=ridge, **given_)
        assert found.frames == before.frames
        assert len(found.errors) == len(before.errors) + 1
        for vertex in (3, 77, 500):
            synthesis = found.trained.synthesis()
            weights = np.array([synthesis.spread(synthesis.step(guide).pose_weights)[vertex] for guide in coarse])
            mean = truth[:, vertex].mean(axis=0)
            # As a system of more equations, those of the ridge below.
            stacked = np.concatenate([weights, np.sqrt(ridge) * np.eye(4)])
            wanted = np.concatenate([truth[:, vertex], np.sqrt(ridge) * np.repeat(mean[None], 4, axis=0)])
            solved = np.linalg.lstsq(stacked, wanted, rcond=None)[0]
            assert found.trained.details[:, vertex] == pytest.approx(solved, abs=1e-9)
        if ridge < 1.0:
            assert found.error[-1] < before.error[-1]
        if ridge > 1e6:
            assert found.trained.details == pytest.approx(np.repeat(truth.mean(axis=0)[None], 4, axis=0), abs=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"poses": 0}, "at least one pose, not 0"),
        ({"choose": "best"}, "choose must be 'greedy' or 'farthest', not 'best'"),
        ({"fit": -1.0}, "fit must be finite and at least 0, not -1"),
        ({"fit": np.nan}, "fit must be finite and at least 0, not nan"),
        ({"low_frequency": "some"}, "low_frequency must be 'keep' or 'remove', not 'some'"),
        ({"coarse": np.zeros((2, 3, 3))}, r"coarse must have shape \(frames, \d+, 3\), not \(2, 3, 3\)"),
        ({"fine": np.zeros((21, 3, 3))}, r"fine must have shape"),
        ({"levels": -1}, "at least 0 times, not -1"),
        ({"rest": np.full((1, 3), np.nan)}, "rest must be finite"),
    ],
)
def test_what_cannot_be_trained_on_is_refused(recording, change, message):
    mesh, rest, coarse, fine = recording
    given_ = {"coarse": coarse, "fine": fine, "rest": rest, "levels": 2} | change
    with pytest.raises(ValueError, match=message):
        byexample.train(mesh, given_.pop("coarse"), given_.pop("fine"), **given_)


def test_a_broken_frame_is_named(recording):
    mesh, rest, coarse, fine = recording
    broken = fine.copy()
    broken[4, 2, 1] = np.nan
    with pytest.raises(ValueError, match="fine must be finite, but frame 4 is not"):
        byexample.train(mesh, coarse, broken, rest=rest, levels=2)
    with pytest.raises(ValueError, match="as many coarse as fine frames, not 20 and 21"):
        byexample.train(mesh, coarse[1:], fine, rest=rest, levels=2)


# --- files --------------------------------------------------------------------------------------------------------


def test_a_set_comes_back_from_its_file_to_the_bit(tmp_path, recording, training):
    _, _, coarse, _ = recording
    training.trained.save(tmp_path / "sleeve.npz")
    again = byexample.load(tmp_path / "sleeve.npz")
    for name in ("faces", "rest", "poses", "details"):
        assert np.array_equal(getattr(again, name), getattr(training.trained, name))
    assert (again.levels, again.options) == (training.trained.levels, training.trained.options)
    here, there = (each.synthesis().step(coarse[8]).positions for each in (training.trained, again))
    assert np.array_equal(here, there)


def test_a_rounded_set_is_small_and_comes_back_to_the_bit(tmp_path, recording, training):
    mesh, _, coarse, _ = recording
    whole, rounded = training.trained, dataclasses.replace(training.trained, parts=("Sleeve", "Cuff")).rounded()
    largest = np.abs(whole.details).max()
    assert np.abs(rounded.details - whole.details).max() <= 0.5001 * rounded.step
    assert rounded.step == pytest.approx(largest / 32767)
    assert np.array_equal(rounded.poses, whole.poses)
    rounded.save(tmp_path / "small.npz")
    whole.save(tmp_path / "whole.npz")
    assert (tmp_path / "small.npz").stat().st_size < 0.4 * (tmp_path / "whole.npz").stat().st_size
    again = byexample.load(tmp_path / "small.npz")
    for name in ("faces", "rest", "poses", "details"):
        assert np.array_equal(getattr(again, name), getattr(rounded, name))
    assert (again.parts, again.step) == (("Sleeve", "Cuff"), rounded.step)
    assert np.array_equal(again.rounded().details, again.details)
    surfaces = [each.synthesis(mesh).step(coarse[8]).positions for each in (whole, again)]
    assert np.abs(np.subtract(*surfaces)).max() < 1e-4 * largest


def test_details_that_are_no_multiples_are_refused(training):
    with pytest.raises(ValueError, match=r"details must be whole multiples of 0\.001, 32767 at most"):
        dataclasses.replace(training.trained, step=0.001)
    for step in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="the step of a set must be finite and at least 0"):
            dataclasses.replace(training.trained, step=step)


def test_a_set_of_nothing_rounds_to_itself(training):
    flat = dataclasses.replace(training.trained, details=0.0 * training.trained.details).rounded()
    assert flat.step == 0.0
    assert not flat.details.any()


def test_the_first_version_is_read(tmp_path, training):
    path = tmp_path / "set.npz"
    training.trained.save(path)
    rewritten(path, lambda h: (h.update(version=1), h.pop("parts"), h.pop("step")))
    assert np.array_equal(byexample.load(path).details, training.trained.details)


def rewritten(path, change):
    """The file with another header."""
    with np.load(path) as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays.pop("header")))
    change(header)
    np.savez(path, header=np.array(json.dumps(header)), **arrays)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda h: h.update(version=8), "is of version 8, and this pucker reads up to 7"),
        (lambda h: h.update(format="else"), "is no trained set"),
        (lambda h: h.update(levels=1), "is damaged: details must have"),
        (lambda h: h["options"].update(kernel="cubic"), "is damaged: kernel must be one of distance, squared"),
        (lambda h: h["options"].update(colour=1), "is damaged: .*colour"),
        (lambda h: h.pop("levels"), "is damaged: 'levels'"),
    ],
)
def test_a_header_that_does_not_fit_is_told(tmp_path, training, change, message):
    path = tmp_path / "set.npz"
    training.trained.save(path)
    rewritten(path, change)
    with pytest.raises(pucker.Error, match=f"{path}: {message}"):
        byexample.load(path)


def test_foreign_and_truncated_files_are_told(tmp_path, training, rng):
    path = tmp_path / "set.npz"
    with pytest.raises(pucker.Error, match="no such file"):
        byexample.load(path)
    training.trained.save(path)
    whole = path.read_bytes()
    for length in [0, 1, 100, *rng.integers(200, len(whole) - 1, 20).tolist()]:
        path.write_bytes(whole[:length])
        with pytest.raises(pucker.Error, match=r"set\.npz: is truncated or damaged"):
            byexample.load(path)
    np.savez(path, faces=np.zeros((1, 3)))
    with pytest.raises(pucker.Error, match="is no trained set"):
        byexample.load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("faces.npy", b"nothing")
    with pytest.raises(pucker.Error, match=r"set\.npz: "):
        byexample.load(path)


def test_damaged_bytes_are_told_or_change_nothing(tmp_path, training, rng):
    path = tmp_path / "set.npz"
    training.trained.save(path)
    whole = bytearray(path.read_bytes())
    for place in rng.integers(0, len(whole), 40):
        damaged = whole.copy()
        damaged[place] ^= 0xFF
        path.write_bytes(damaged)
        assert outcome(path, training) in ("told", "unharmed"), place


def outcome(path, training):
    """What loading a damaged file comes to."""
    try:
        again = byexample.load(path)
    except pucker.Error as error:
        return "told" if str(path) in str(error) else "told without its name"
    return "unharmed" if np.array_equal(again.details, training.trained.details) else "other numbers"


def test_another_mesh_is_refused_by_what_differs(recording, training):
    mesh, *_ = recording
    trained = training.trained
    with pytest.raises(ValueError, match=rf"on a mesh of {mesh.vertex_count} vertices, not 4"):
        trained.synthesis(pucker.Mesh([[0, 1, 2], [1, 3, 2]], 4))
    with pytest.raises(ValueError, match="triangles differ, triangle 0 is"):
        trained.synthesis(pucker.Mesh(np.roll(mesh.faces, 1, axis=1), mesh.vertex_count))


def test_a_set_is_an_npz(tmp_path, training):
    with pytest.raises(ValueError, match=r"a trained set is an \.npz, not set\.bin"):
        training.trained.save(tmp_path / "set.bin")


# --- bad input ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda b, f: byexample.PoseSpace(f.metric(b.rest), np.ones((2, 3))), "features as the metric, not 3"),
        (lambda b, f: byexample.PoseSpace(f.metric(b.rest), np.ones((2, len(b.mesh.edges)))), "0 and 1 are equal at point 0"),
        (lambda b, f: byexample.PoseSpace(f.metric(b.rest), np.full((1, len(b.mesh.edges)), np.nan)), "pose 0 has some"),
        (lambda b, f: byexample.PoseSpace(f.metric(b.rest), np.ones((1, len(b.mesh.edges))), kernel="cubic"), "kernel must be one of"),
        (lambda b, f: f.metric(b.rest, falloff=0), "falloff of the metric must be positive, not 0"),
        (lambda b, f: f.metric(b.rest, edges=0), "at least 1 edge at a point, not 0"),
        (lambda b, f: f.stretch(b.rest[:2]), "positions must have shape"),
        (lambda b, _: byexample.Features(b.mesh, 0 * b.rest), "edge 0 of vertices .* has none"),
        (lambda b, _: byexample.SmoothSurface(b.mesh, 1, b.rest).detail_of(b.rest), "fine must have shape"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_by_name(rng, call, message):
    body = tube()
    with pytest.raises(ValueError, match=message):
        call(body, byexample.Features(body.mesh, body.rest))


# --- threads ------------------------------------------------------------------------------------------------------


@pytest.mark.threads
def test_objects_in_use_refuse_a_second_call_and_others_step_beside_them(recording, training):
    mesh, _, coarse, _ = recording
    synthesis, other = (training.trained.synthesis(mesh) for _ in range(2))
    expected = other.step(coarse[5]).positions.copy()
    features = synthesis.features.stretch(coarse[3])
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            with suppress(pucker.Error):
                synthesis.step(coarse[3])

    thread = threading.Thread(target=keep_busy)
    thread.start()
    try:
        for call in (
            lambda: synthesis.step(coarse[4]),
            lambda: synthesis.spread(np.zeros((mesh.vertex_count, synthesis.pose_space.pose_count))),
            lambda: synthesis.pose_space.weights(features),
        ):
            with pytest.raises(pucker.Error, match="is in use by another call: an object takes one call at a time"):
                insist(call)
        for _ in range(20):
            assert np.array_equal(other.step(coarse[5]).positions, expected)
    finally:
        stop.set()
        thread.join()
    assert np.array_equal(synthesis.step(coarse[5]).positions, expected)


@pytest.mark.threads
@pytest.mark.parametrize("name", ["positions", "normals", "frames", "missing"])
def test_a_smooth_surface_that_is_being_moved_is_not_read(recording, name):
    mesh, _, coarse, _ = recording
    surface = byexample.SmoothSurface(mesh, 2, coarse[0])
    with in_use(lambda: surface.step(coarse[3])), pytest.raises(pucker.Error, match="SmoothSurface is in use"):
        insist(lambda: getattr(surface, name))


@pytest.mark.threads
@pytest.mark.parametrize("read", [lambda run: run.state, pickle.dumps], ids=["state", "pickle"])
def test_a_run_that_is_being_advanced_is_not_read(recording, training, read):
    mesh, _, coarse, _ = recording
    run = byexample.ByExample(training.trained.synthesis(mesh), byexample.Params())
    run.advance(coarse[0], 0.0)
    times = itertools.count(1.0)
    with in_use(lambda: run.advance(coarse[3], next(times))), pytest.raises(pucker.Error, match="run is in use"):
        insist(lambda: read(run))


@contextmanager
def in_use(call):
    """Another thread makes the call over and over."""
    stop = threading.Event()

    def keep_busy():
        while not stop.is_set():
            with suppress(pucker.Error):
                call()

    thread = threading.Thread(target=keep_busy)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def insist(call):
    end = time.monotonic() + 60
    while time.monotonic() < end:
        call()
