"""Kernel ridge regression of the weights of details: against its closed forms in NumPy, from files and on the command line."""

import dataclasses
import itertools
import json
import os

import numpy as np
import pytest
from byexample_scenes import recorded_tube
from click.testing import CliRunner

import pucker
from pucker import byexample
from pucker.byexample import judged, places, targets
from pucker.byexample import regression as learning
from pucker.byexample.shared_cores import PRODUCTS
from pucker.cli import cli

FPS = 30.0
MESH, REST, COARSE, FINE = recorded_tube()
CLIPS = [(COARSE[:8], FINE[:8]), (COARSE[8:14], FINE[8:14]), (COARSE[14:], FINE[14:])]
ONE = {"widths": (0.3,), "dampings": (0.05,), "motions": (0.002,)}


def regressed(clips=CLIPS, **changes):
    kept = {"rest": REST, "levels": 2, "fps": FPS, "details": 3, "points": 9, "low_frequency": "keep", **ONE}
    return byexample.regress(MESH, clips, **{**kept, **changes})


@pytest.fixture(scope="module")
def found():
    return regressed()


def played(trained, frames=COARSE):
    synthesis = trained.synthesis(MESH)
    first = [synthesis.step(frames[0])]
    return first + [synthesis.step(now, before, 1 / FPS) for before, now in itertools.pairwise(frames)]


def displaced_balances():
    """Of each clip, somewhat beside it."""
    noise = np.random.default_rng(4)
    return [coarse + 0.02 * noise.normal(size=coarse.shape) for coarse, _ in CLIPS]


def local_displacements(poses):
    """(frames, n, 3): of poses from the whole recording, in its frames and mean edge lengths."""
    surface = byexample.SmoothSurface(MESH, 0, REST)
    length = np.linalg.norm(np.diff(REST[MESH.edges], axis=1), axis=2).mean()
    out = np.empty_like(poses)
    for frame, (pose, guide) in enumerate(zip(poses, COARSE, strict=True)):
        surface.step(guide)
        out[frame] = np.einsum("vij,vi->vj", surface.frames, pose - guide) / length
    return out


def local_velocities(points, frames):
    """(frames, R, 3): of the whole recording, whose clips begin at rest."""
    surface = byexample.SmoothSurface(MESH, 0, REST)
    lengths = np.linalg.norm(np.diff(REST[MESH.edges], axis=1), axis=2)
    out = np.zeros((len(frames), len(points), 3))
    for frame in range(1, len(frames)):
        if frame in (8, 14):
            continue
        surface.step(frames[frame])
        for k, point in enumerate(points):
            away = frames[frame, point] - frames[frame - 1, point]
            out[frame, k] = surface.frames[point].T @ away * FPS / lengths.mean()
    return out


@pytest.mark.parametrize("displacement", [0.0, 0.6])
def test_with_all_frames_for_centres_it_is_kernel_ridge_regression(displacement):
    """Its dual form, (K + 1/c + λ)⁻¹ T (Saunders et al. 1998), of targets by least squares."""
    balances = displaced_balances() if displacement else []
    poses = np.concatenate(balances) if displacement else COARSE
    found = regressed(centres=1000, balances=balances, displacement=displacement)
    trained = found.trained
    learned = trained.regression
    assert len(found.frames) == len(COARSE)
    features = byexample.Features(MESH, REST)
    stretches = np.array([features.stretch(pose) for pose in poses])
    velocities = local_velocities(learned.points, poses)
    displaced = local_displacements(poses)
    smooth = byexample.SmoothSurface(MESH, 2, REST)
    away = byexample.details_of(smooth, poses, FINE) - trained.details[0]
    smooth.step(REST)
    corners = smooth.positions[smooth.mesh.faces]
    sizes = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    areas = np.zeros(len(smooth.positions))
    for face, size in zip(smooth.mesh.faces, sizes, strict=True):
        areas[face] += size / sizes.sum()
    regions = byexample.Regions(features, learned.points)
    per_vertex = smooth.subdivision.barycentrics
    shares = np.zeros((len(REST), len(learned.points)))
    for row in range(len(REST)):
        for k in range(*regions.shares.indptr[row : row + 2]):
            shares[row, regions.shares.indices[k]] = regions.shares.data[k]
    metric = features.metric(REST[learned.points], falloff=trained.options.falloff, edges=trained.options.edges)
    at_points = []
    for point in range(len(learned.points)):
        weights = (per_vertex @ np.repeat(shares[:, point : point + 1], 3, axis=1))[:, 0] * areas
        roots = np.sqrt(weights)[None, :, None]
        shapes = (trained.details[1:] * roots).reshape(2, -1)
        hold = np.sqrt(1e-3 * np.square(shapes).sum() / 2)
        left = np.vstack([shapes.T, hold * np.eye(2)])
        right = np.vstack([(away * roots).reshape(len(away), -1).T, np.zeros((2, len(away)))])
        wanted = np.linalg.lstsq(left, right)[0].T
        row = slice(*metric.indptr[point : point + 2])
        squared = np.einsum(
            "e,fge->fg",
            metric.data[row],
            np.square(stretches[:, None, metric.indices[row]] - stretches[None][..., metric.indices[row]]),
        )
        squared += np.square(0.002 * (velocities[:, None, point] - velocities[None, :, point])).sum(axis=2)
        corners, counts = MESH.edges[metric.indices[row]].ravel(), np.repeat(metric.data[row], 2) / 2
        apart = np.square(displaced[:, None, corners] - displaced[None][:, :, corners]).sum(axis=3)
        squared += displacement**2 * np.einsum("k,fgk->fg", counts, apart)
        kernel = np.exp(-np.sqrt(squared) / 0.3) + 1 / 0.1
        at_points.append(kernel @ np.linalg.solve(kernel + 0.05 * np.eye(len(kernel)), wanted))
    expected = np.einsum("vr,rfp->fvp", shares, at_points)
    # A clip's first frame does not move.
    synthesis = trained.synthesis(MESH)
    for frame, pose in enumerate(poses):
        before = (poses[frame - 1], 1 / FPS) if frame not in (0, 8, 14) else ()
        step = synthesis.step(pose, *before, guide=COARSE[frame])
        assert np.abs(step.pose_weights[:, 1:] - expected[frame]).max() < 2e-4


def test_what_is_foretold_of_a_clip_was_learned_from_the_others(rng):
    basis = np.hstack([np.ones((12, 1)), rng.uniform(size=(12, 4))])
    centres = np.array([0, 3, 5, 9])
    clips = np.repeat([0, 1, 2], 4)
    wanted, half = rng.normal(size=(12, 2)), rng.normal(size=(2, 2))
    squares = half @ half.T
    sums = learning._left_out(basis, centres, (0.1, 2.0), clips, 1e-9, wanted, judged.of_weights(wanted, squares))
    for damping, found in zip((0.1, 2.0), sums, strict=True):
        ridge = np.zeros((5, 5))
        ridge[0, 0] = 0.1
        ridge[1:, 1:] = (basis[centres][:, 1:] + basis[centres][:, 1:].T) / 2
        foretold = np.zeros_like(wanted)
        for clip in range(3):
            others = clips != clip
            normal = basis[others].T @ basis[others] + damping * (ridge + 1e-9 * np.eye(5))
            foretold[~others] = basis[~others] @ np.linalg.inv(normal) @ basis[others].T @ wanted[others]
        for clip in range(3):
            own = clips == clip
            mean = wanted[own].mean(axis=0)
            whole, truth = (foretold[own] - mean) @ half, (wanted[own] - mean) @ half
            assert found[clip] == pytest.approx(
                [(whole * truth).sum(), np.square(whole).sum(), np.square(truth).sum()], rel=1e-5
            )


def test_what_is_made_of_clips_is_not_learned_from_where_they_are_left_out(rng):
    basis = np.hstack([np.ones((12, 1)), rng.uniform(size=(12, 4))])
    wanted, squares, groups = rng.normal(size=(12, 2)), np.eye(2), np.repeat([0, 1], 4)

    def left_out():
        known = judged.of_weights(wanted, squares)
        return learning._left_out(basis, np.array([0, 3, 5, 9]), (0.1,), groups, 0.1, wanted, known)

    with_it = left_out()
    wanted[8:] = 1e3
    assert np.array_equal(left_out(), with_it)
    found = byexample.regress(MESH, CLIPS[:2], others=CLIPS[2:], rest=REST, levels=2, low_frequency="keep")
    assert len(found.left_out) == 2
    assert {clip for clip, _ in found.frames} == {0, 1, 2}


def test_beyond_a_balance_long_folds_are_judged():
    """Of the balance alone by W (WᵀW)⁻¹ Wᵀ of what it adds to the guide, and of what the fine clip does."""
    rng = np.random.default_rng(3)
    balances = [coarse + 0.02 * rng.normal(size=coarse.shape) for coarse, _ in CLIPS]
    found = regressed(balances=balances, points=20)
    smooth = byexample.SmoothSurface(MESH, 2, REST)
    low = byexample.LowFrequencyPart(smooth.subdivision)
    count = MESH.vertex_count
    weights = np.sqrt(pucker.areas.vertex_shares(smooth.mesh.faces, smooth.positions)[:count])[:, None]
    for clip, ((coarse, fine), balance) in enumerate(zip(CLIPS, balances, strict=True)):
        true, alone = [], []
        for guide, surface, settled in zip(coarse, fine, balance, strict=True):
            smooth.step(settled)
            under = smooth.subdivision.matrix @ guide
            for kept, positions in ((true, surface), (alone, smooth.positions)):
                away = np.einsum("nij,ni->nj", np.array(smooth.frames), positions - under)
                kept.append(weights * low.of(away)[:count])
        mean = np.mean(true, axis=0)
        true, alone = true - mean, alone - mean
        wanted = (alone * true).sum() / (np.linalg.norm(alone) * np.linalg.norm(true))
        assert found.untaught[clip] == pytest.approx(wanted, abs=1e-6)


def test_the_weights_of_a_balance_are_learned_from_its_own_stretches():
    """A balance that is the guide of other clips, on which the same detail lies, has their coefficients."""
    moved = [(coarse, fine) for coarse, fine in CLIPS]
    same = regressed(balances=[coarse.copy() for coarse, _ in moved])
    plain = regressed()
    assert same.trained.details == pytest.approx(plain.trained.details, abs=1e-9)
    assert same.trained.regression.coefficients == pytest.approx(plain.trained.regression.coefficients, abs=1e-6)
    assert same.untaught == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)
    other = regressed(balances=[1.02 * coarse for coarse, _ in moved])
    assert not np.allclose(other.trained.poses, plain.trained.poses)


def test_the_ceiling_is_how_other_cloth_agrees():
    balances = [coarse.copy() for coarse, _ in CLIPS]
    assert regressed(balances=balances, again=[fine for _, fine in CLIPS]).again == pytest.approx([1.0] * 3)
    still = regressed(balances=balances, again=[np.repeat(fine[:1], len(fine), axis=0) for _, fine in CLIPS]).again
    assert all(each < 0.9 for each in still)
    assert regressed(balances=balances).again == ()
    assert regressed().untaught == ()


def test_balances_that_do_not_fit_are_refused():
    balances = [coarse for coarse, _ in CLIPS]
    with pytest.raises(ValueError, match="there must be a balance of each of 3 clips, not 2"):
        regressed(balances=balances[:2])
    with pytest.raises(ValueError, match="on each of 3 clips; there are 0 balances and it is on 3"):
        regressed(again=balances)
    with pytest.raises(ValueError, match="balances"):
        regressed(balances=[balances[0][:, :5], *balances[1:]])
    with pytest.raises(ValueError, match="there must be as many coarse as fine frames, not 4 and 8"):
        regressed(balances=[balances[0][:4], *balances[1:]])


def test_the_best_of_all_scores_is_taken():
    told = []
    found = regressed(
        widths=(0.1, 0.5), dampings=(0.01, 1.0), motions=(0.0, 0.01), progress=lambda *tried: told.append(tried)
    )
    assert len(found.scores) == len(told) == 8
    assert {(width, damping, motion): score for width, damping, motion, score in told} == found.scores
    learned = found.trained.regression
    assert found.scores[learned.width, found.damping, learned.motion] == max(found.scores.values())
    assert found.scores[learned.width, found.damping, learned.motion] == pytest.approx(np.mean(found.left_out))
    assert len(found.left_out) == len(CLIPS)


def test_of_one_clip_its_quarters_are_left_out_in_turn():
    found = byexample.regress(MESH, [(COARSE, FINE)], rest=REST, levels=2, low_frequency="keep")
    assert len(found.left_out) == 4
    assert max(found.scores.values()) == pytest.approx(np.mean(found.left_out))
    few = byexample.regress(MESH, [(COARSE[:7], FINE[:7])], rest=REST, levels=2, low_frequency="keep")
    assert not few.scores
    assert not few.left_out


def test_a_clip_in_which_nothing_changes_says_nothing_of_the_others():
    still = (np.repeat(COARSE[3:4], 6, axis=0), np.repeat(FINE[3:4], 6, axis=0))
    found = byexample.regress(
        MESH, [*CLIPS, still], rest=REST, levels=2, low_frequency="keep", widths=(0.4,), dampings=(0.05,)
    )
    assert np.isnan(found.left_out[-1])
    assert np.isfinite(found.left_out[:-1]).all()
    assert max(found.scores.values()) == pytest.approx(np.mean(found.left_out[:-1]))


def test_two_ripples_are_two_components_and_come_back(found):
    """The recording is a sum of two ripples by two pushes: besides the mean, two details show all of it."""
    assert found.kept == pytest.approx(1.0)
    assert len(regressed(details=40).trained.details) == 3
    smooth = byexample.SmoothSurface(MESH, 2, REST)
    truth = byexample.details_of(smooth, COARSE, FINE)
    foretold = np.array([step.detail for step in played(found.trained)])
    mean = found.trained.details[0]
    assert np.abs(foretold - truth).mean() < 0.25 * np.abs(truth - mean).mean()
    # Hardly damped, with all frames, they come back.
    exact = regressed(centres=1000, points=1000, dampings=(1e-7,), widths=(2.0,)).trained.synthesis(MESH)
    step = exact.step(COARSE[5], COARSE[4], 1 / FPS)
    assert np.abs(step.detail - truth[5]).max() < 0.02 * np.abs(truth).max()


def test_a_velocity_that_counts_changes_weights_and_none_that_does_not():
    for motion, differs in ((0.01, True), (0.0, False)):
        synthesis = regressed(motions=(motion,)).trained.synthesis(MESH)
        still, moving = synthesis.step(COARSE[4]), synthesis.step(COARSE[4], COARSE[2], 1 / FPS)
        assert np.array_equal(still.pose_weights, moving.pose_weights) != differs


@pytest.mark.parametrize("cores", [1, 5])
def test_learning_again_on_other_cores_gives_the_same_bits(monkeypatch, found, cores):
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    with PRODUCTS.lowered():
        PRODUCTS.put(cores)
        again = regressed()
    assert again.frames == found.frames
    for name in ("poses", "details"):
        assert np.array_equal(getattr(again.trained, name), getattr(found.trained, name))
    for name in ("points", "velocities", "coefficients"):
        assert np.array_equal(getattr(again.trained.regression, name), getattr(found.trained.regression, name))


def test_frames_in_single_precision_teach_the_same(found):
    single = regressed(clips=[(poses, np.float32(fine)) for poses, fine in CLIPS])
    for one, other in zip(played(single.trained), played(found.trained), strict=True):
        assert np.abs(one.positions - other.positions).max() < 1e-6
    assert single.left_out == pytest.approx(found.left_out, abs=1e-4)


@pytest.mark.parametrize("largest", [None, 1023])
def test_a_set_comes_back_from_its_file_to_the_bit(tmp_path, found, largest):
    trained = dataclasses.replace(found.trained, parts=("Sleeve",))
    trained = trained if largest is None else trained.rounded(largest)
    trained.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        assert json.loads(str(archive["header"]))["version"] == (3 if largest is None else 7)
    again = byexample.load(tmp_path / "set.npz")
    for name in ("faces", "rest", "poses", "details"):
        assert np.array_equal(getattr(again, name), getattr(trained, name))
    for item in dataclasses.fields(byexample.Learned):
        assert np.array_equal(getattr(again.regression, item.name), getattr(trained.regression, item.name))
    assert (again.options, again.parts, again.step) == (trained.options, ("Sleeve",), trained.step)
    assert again.by_level == (largest is not None)
    again.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "set.npz").read_bytes()
    if largest is not None:
        surfaces = [np.array([step.positions for step in played(each)]) for each in (found.trained, again)]
        assert np.abs(np.subtract(*surfaces)).max() < 5e-3 * np.abs(found.trained.details).max()


@pytest.fixture(scope="module")
def displaced():
    return regressed(balances=displaced_balances(), displacement=0.5).trained


@pytest.mark.parametrize("rounded", [False, True])
def test_displacements_come_back_from_their_file(tmp_path, displaced, rounded):
    trained = displaced.rounded(1023) if rounded else displaced
    trained.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        assert json.loads(str(archive["header"]))["version"] == (7 if rounded else 6)
        assert archive["displacements"].dtype == (np.uint8 if rounded else np.float64)
    again = byexample.load(tmp_path / "set.npz").regression
    for item in dataclasses.fields(byexample.Learned):
        assert np.array_equal(getattr(again, item.name), getattr(trained.regression, item.name))
    assert again.displacement == 0.5


def test_a_set_whose_displacements_count_needs_the_guide(tmp_path, displaced):
    synthesis = displaced.synthesis(MESH)
    with pytest.raises(ValueError, match="where displacements count, there must be the guide"):
        synthesis.step(COARSE[3])
    here, there = (synthesis.step(COARSE[3], guide=guide).pose_weights for guide in (COARSE[3], COARSE[5]))
    assert not np.allclose(here, there)
    with pytest.raises(ValueError, match="there must be balances, which are displaced from the coarse positions"):
        regressed(displacement=0.5)
    with pytest.raises(ValueError, match="what a displacement counts must be finite and at least 0, not -1"):
        regressed(displacement=-1.0, balances=displaced_balances())
    displaced.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        arrays = {key: archive[key] for key in archive.files if key != "displacements"}
    np.savez(tmp_path / "less.npz", **arrays)
    with pytest.raises(pucker.Error, match=r"less\.npz: is damaged: displacements is missing"):
        byexample.load(tmp_path / "less.npz")


def test_displacements_are_rounded_as_far_as_clips_play_as_before(displaced):
    times = [np.arange(len(coarse)) / FPS for coarse, _ in CLIPS]
    played = list(zip(displaced_balances(), times, strict=True))
    kept = byexample.rounded_to_play(displaced, played, 1023, guides=[coarse for coarse, _ in CLIPS])
    assert kept.regression.displacement_step > 0.0
    with pytest.raises(ValueError, match="where displacements count, there must be the guide"):
        byexample.rounded_to_play(displaced, played)


def test_multiples_that_are_none_are_refused(found):
    learned = found.trained.regression
    for wrong in ({"velocity_step": 1.0}, {"coefficient_steps": (1.0, 1.0)}):
        with pytest.raises(ValueError, match="must be whole multiples of"):
            dataclasses.replace(learned, **wrong)
    with pytest.raises(ValueError, match="a step of the coefficients of each of 2 details, not of 1"):
        dataclasses.replace(learned, coefficient_steps=(1.0,))
    learned = dataclasses.replace(found.trained.regression, pose_step=1.0)
    with pytest.raises(ValueError, match="poses must be whole multiples of 1"):
        dataclasses.replace(found.trained, regression=learned)
    for largest in (0, 32768):
        with pytest.raises(ValueError, match="the largest multiple must lie in"):
            found.trained.rounded(largest)


@pytest.mark.parametrize("name", ["points", "velocities", "coefficients"])
def test_a_file_without_a_part_is_told(tmp_path, found, name):
    found.trained.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        arrays = {key: archive[key] for key in archive.files if key != name}
    np.savez(tmp_path / "less.npz", **arrays)
    with pytest.raises(pucker.Error, match=f"less.npz: is damaged: {name} is missing"):
        byexample.load(tmp_path / "less.npz")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"details": 0}, "a regression needs at least 1 of details, not 0"),
        ({"centres": 0}, "a regression needs at least 1 of centres, not 0"),
        ({"points": 0}, "a regression needs at least 1 of points, not 0"),
        ({"widths": ()}, "widths must be finite and positive"),
        ({"dampings": (0.0,)}, "dampings must be finite and positive"),
        ({"motions": (-1.0,)}, "motions must be finite and positive, motions at least 0"),
        ({"fps": 0.0}, "fps must be positive, not 0.0"),
        ({"held": 0.0}, "held must be positive, not 0.0"),
    ],
)
def test_numbers_out_of_range_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        regressed(**changes)


def test_no_clips_and_broken_ones_are_refused():
    with pytest.raises(ValueError, match="a regression needs at least one clip"):
        byexample.regress(MESH, [], rest=REST, levels=2)
    broken = COARSE.copy()
    broken[3, 4, 0] = np.nan
    with pytest.raises(ValueError, match="coarse must be finite, but frame 3 is not"):
        byexample.regress(MESH, [(broken, FINE)], rest=REST, levels=2)


def test_frames_that_are_equal_are_centres_of_their_own():
    chosen = places._farthest(np.ones((5, 4)), np.zeros((5, 1, 3)), 5)
    assert sorted(chosen) == [0, 1, 2, 3, 4]


def test_components_show_most_where_they_are_added(rng):
    for _ in range(4):
        away, areas = rng.normal(size=(9, 20, 3)), rng.uniform(0.5, 1.0, 20)
        shapes, _ = targets._components(away - away.mean(axis=0), areas, 5)
        weights = np.einsum("fvi,kvi,v->kf", away - away.mean(axis=0), shapes, areas)
        assert (weights[np.arange(5), np.abs(weights).argmax(axis=1)] > 0).all()


def test_a_file_without_details_is_told(tmp_path, found):
    found.trained.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        arrays = dict(archive)
    arrays["details"] = arrays["details"][:0]
    np.savez(tmp_path / "none.npz", **arrays)
    with pytest.raises(pucker.Error, match=r"none\.npz: .*a set needs at least one detail"):
        byexample.load(tmp_path / "none.npz")


def test_a_file_of_coefficients_beyond_single_precision_is_told(tmp_path, found):
    found.trained.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    header["regression"]["coefficient_step"] = 0.0
    arrays["header"] = np.array(json.dumps(header))
    arrays["coefficients"] = np.full(arrays["coefficients"].shape, 5e299)
    np.savez(tmp_path / "large.npz", **arrays)
    with pytest.raises(pucker.Error, match=r"coefficients must be finite and at most 1e\+15 in magnitude, got 5e\+299"):
        byexample.load(tmp_path / "large.npz")


def test_a_single_frame_is_its_own_mean():
    found = byexample.regress(MESH, [(COARSE[5:6], FINE[5:6])], rest=REST, levels=2, low_frequency="keep")
    assert len(found.trained.details) == 1
    step = found.trained.synthesis(MESH).step(COARSE[5])
    # In single precision.
    assert np.abs(step.positions - FINE[5]).max() < 1e-7


def test_runs_take_the_velocity_from_the_frame_before(tmp_path, found):
    found.trained.save(tmp_path / "set.npz")
    times = np.arange(len(COARSE)) / FPS
    clip = pucker.Clip.from_arrays(MESH.faces, COARSE, times, weld=False)
    states = list(pucker.run(clip, byexample.Params(trained=str(tmp_path / "set.npz"))))
    for state, step in zip(states, played(found.trained), strict=True):
        assert np.abs(state.surface.positions - step.positions).max() < 1e-6


def with_equal_centres(trained, size):
    """The same set with a centre three times, whose coefficients are so large and make up for each other."""
    learned = trained.regression
    first = learned.coefficients[:, 1:2]
    one, other = np.full_like(first, size / 3.0), np.full_like(first, size / 7.0)
    coefficients = np.concatenate([learned.coefficients, one, other], axis=1)
    coefficients[:, 1:2] -= one + other
    velocities = np.concatenate([learned.velocities, *[learned.velocities[:1]] * 2])
    poses = np.concatenate([trained.poses, *[trained.poses[:1]] * 2])
    return dataclasses.replace(
        trained, poses=poses, regression=dataclasses.replace(learned, velocities=velocities, coefficients=coefficients)
    )


def lost(before, after):
    """Of the detail of the whole recording, in the root mean square."""
    detail = np.array([step.detail for step in played(before)])
    apart = np.array([step.detail for step in played(after)]) - detail
    return np.sqrt((apart**2).mean() / (detail**2).mean())


def test_coefficients_that_are_too_large_for_multiples_keep_single_precision(tmp_path, found):
    hard = with_equal_centres(found.trained, 1e5)
    kept = byexample.rounded_to_play(hard, [(COARSE, np.arange(len(COARSE)) / FPS)], 1023)
    assert lost(hard, kept) < 0.05
    assert kept.regression.coefficient_steps == ()
    kept.save(tmp_path / "set.npz")
    again = byexample.load(tmp_path / "set.npz")
    assert again.regression.coefficients.tobytes() == kept.regression.coefficients.tobytes()
    with np.load(tmp_path / "set.npz") as archive:
        assert archive["coefficients"].dtype == np.float32


def test_details_that_few_steps_lose_have_more(found):
    clips = [(COARSE, np.arange(len(COARSE)) / FPS)]
    kept = byexample.rounded_to_play(found.trained, clips, 3, products=found.products)
    steps = np.abs(found.trained.details).max() / kept.step
    assert steps in [pytest.approx(3 * 4**k) for k in range(1, 7)]
    assert lost(found.trained, kept) < 0.05
    assert lost(found.trained, found.trained.rounded(round(steps / 4), products=found.products)) > 0.05


def test_a_set_that_no_rounding_keeps_is_refused(found):
    hard = with_equal_centres(found.trained, 1e9)
    with pytest.raises(pucker.Error, match=r"rounded for its file it shows them with an error of .* of their detail"):
        byexample.rounded_to_play(hard, [(COARSE, np.arange(len(COARSE)) / FPS)], 1023)
    poses = byexample.train(MESH, COARSE, FINE, rest=REST, levels=2, poses=3).trained
    with pytest.raises(ValueError, match="only a regression is played again after rounding"):
        byexample.rounded_to_play(poses, [])


def test_the_command_learns_it_from_a_recording(tmp_path):
    times = np.arange(len(COARSE)) / FPS
    np.savez(tmp_path / "coarse.npz", faces=MESH.faces, positions=COARSE, times=times)
    fine = byexample.LoopSubdivision(MESH, 2).fine
    np.savez(tmp_path / "fine.npz", faces=fine.faces, positions=FINE, times=times)
    out = tmp_path / "set.npz"
    given = [
        "train",
        str(tmp_path / "coarse.npz"),
        "--clips",
        "all",
        "--fine",
        str(tmp_path / "fine.npz"),
        "-o",
        str(out),
    ]
    result = CliRunner().invoke(cli, [*given, "--regression", "--details", "3", "--centres", "12", "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["details"], len(told["centres"]), told["bytes"]) == (3, 12, out.stat().st_size)
    assert len(byexample.load(out).regression.velocities) == 12
    for wrong, message in (
        (["--regression", "--poses", "5"], "--poses is not for --regression"),
        (["--centres", "5"], "--centres is for --regression"),
    ):
        result = CliRunner().invoke(cli, [*given, *wrong])
        assert result.exit_code == 2
        assert message in result.output
