"""Truths: what a file keeps of a simulation, with what error, and which bands are judged by place."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest

import pucker
from pucker import byexample, metrics
from pucker.examples import bending_sleeve
from pucker.metrics import Reproduced, Truth

DATA = Path(__file__).resolve().parents[1] / "data"
FRAMES, FIRST, COUNT = 8, 2, 5
LEVELS = 1


def rippled(loop, clip, *, wave=0.3, height=0.01):
    """The guide, lifted by waves along the sleeve."""
    out = []
    for pose in clip.positions:
        guide = np.asarray(loop.matrix @ pose)
        rest = np.asarray(loop.matrix @ clip.positions[0])
        lift = height * np.sin(2.0 * np.pi * rest[:, 1] / wave)
        out.append(guide + lift[:, None] * pucker.vertex_normals(loop.fine, guide))
    return np.array(out)


@pytest.fixture(scope="module")
def clip():
    return bending_sleeve(12, 18, frames=FRAMES)


def of(clip, positions, simulated_levels=LEVELS, **options):
    rest = clip.positions[0]
    edge = pucker.mean_edge_length(clip.mesh, rest)
    given = {
        "start": rest,
        "levels": LEVELS,
        "first": FIRST,
        "count": COUNT,
        "shortest": edge,
        "cutoffs": (2.0 * edge, 4.0 * edge),
        "constants": {"wavelength": 0.3},
        "made": "by a sine",
    } | options
    return Truth.of_simulation("sleeve", "sine", clip, positions, simulated_levels=simulated_levels, **given)


@pytest.fixture(scope="module")
def truth(clip):
    made = of(clip, rippled(byexample.LoopSubdivision(clip.mesh, LEVELS), clip))
    return dataclasses.replace(made, reproduced=(Reproduced("finer", (0.95, 0.8, 0.99), (1.05, 1.0, 1.0)),))


def test_a_file_gives_back_what_was_written(truth, tmp_path):
    truth.save(tmp_path / "truth.npz")
    back = Truth.load(tmp_path / "truth.npz")
    # Rounded when it was made, so that a file loses nothing more.
    assert np.array_equal(back.away, truth.away)
    assert np.array_equal(back.positions, truth.positions)
    for name in ("name", "fabric", "levels", "first", "shortest", "cutoffs", "reproduced", "constants", "made"):
        assert getattr(back, name) == getattr(truth, name), name
    assert np.array_equal(back.clip.positions, truth.clip.positions)
    assert np.array_equal(back.start, truth.start)
    assert list(back.frames) == list(range(FIRST, FIRST + COUNT))
    # Frames after the last that there is a truth of are not kept.
    assert len(back.clip) == FIRST + COUNT


def test_rounding_is_as_said_and_the_rest_is_the_filter(clip, truth):
    loop = byexample.LoopSubdivision(clip.mesh, LEVELS)
    whole = rippled(loop, clip)[FIRST : FIRST + COUNT]
    guide = truth.guide
    low = metrics.low_pass(loop.fine.faces, truth.rest, truth.shortest, whole - guide)
    assert np.abs(truth.away - low).max() <= truth.rounding * 1.001
    assert truth.rounding < 1e-4 * np.abs(truth.away).max()
    # Waves of six coarse edges keep all but (1/6)⁴ of themselves.
    lost = metrics.storage_error(truth, metrics.heights(loop.fine.faces, guide, whole))
    assert lost[-1] < 0.02


def test_a_finer_simulation_is_kept_on_the_same_mesh(clip, truth):
    finer = byexample.LoopSubdivision(clip.mesh, LEVELS + 1)
    kept = of(clip, rippled(finer, clip), LEVELS + 1)
    assert kept.away.shape == truth.away.shape
    assert metrics.correlation(kept.heights, truth.heights, truth.bands.areas) > 0.99


def test_bands_are_judged_by_place_where_the_finer_mesh_has_them(truth):
    # By place needs both: the second band correlates too little. The last, which has the mean in it, is never judged.
    assert truth.judged == (True, False, False)
    assert truth.resolved
    coarser = Reproduced("coarser", (0.99, 0.99, 0.99), (1.0, 1.0, 1.0))
    assert dataclasses.replace(truth, reproduced=(coarser, *truth.reproduced)).judged == (True, False, False)
    assert dataclasses.replace(truth, reproduced=(coarser,)).judged == (False, False, False)
    larger = Reproduced("finer", (0.95, 0.95, 0.99), (1.05, 1.2, 1.0))
    assert dataclasses.replace(truth, reproduced=(larger,)).judged == (True, False, False)
    # What folds to either side: both meshes alike, another take to the other.
    again = Reproduced("again", (0.95, 0.95, 0.99), (1.0, 1.0, 1.0))
    assert dataclasses.replace(truth, reproduced=(*truth.reproduced, again)).judged == (True, False, False)
    mirrored = dataclasses.replace(again, correlation=(-0.3, 0.95, 0.99))
    assert not dataclasses.replace(truth, reproduced=(*truth.reproduced, mirrored)).resolved
    unknown = dataclasses.replace(truth, reproduced=())
    assert not unknown.resolved
    with pytest.raises(ValueError, match=r"sleeve, sine, is no truth: .*the next finer mesh was not simulated"):
        unknown.require_resolved()
    poor = dataclasses.replace(truth, reproduced=(Reproduced("finer", (0.3, 0.5, 0.4), (1.0, 1.0, 1.0)),))
    with pytest.raises(ValueError, match=r"by 0\.50"):
        poor.agreement(truth.mesh.faces, truth.rest, truth.positions)


def test_surfaces_of_any_mesh_are_judged(clip, truth):
    itself = truth.agreement(truth.mesh.faces, truth.rest, truth.positions)
    assert [row.correlation for row in itself][1:] == pytest.approx([1.0, 1.0], abs=2e-3)
    nothing = truth.agreement(truth.mesh.faces, truth.rest, truth.guide)
    assert [row.correlation for row in nothing] == [0.0, 0.0, 0.0]
    finer = byexample.LoopSubdivision(clip.mesh, LEVELS + 1)
    rows = truth.agreement(finer.fine.faces, finer.matrix @ truth.start, rippled(finer, clip)[FIRST : FIRST + COUNT])
    # What is left is the sag of chords, twelve to a ring.
    assert rows[-1].correlation > 0.95
    assert rows[-1].rms == pytest.approx(1.0, abs=0.05)


def test_a_method_is_read_at_the_vertices_of_the_truth(clip, truth):
    params = pucker.drape.Params(levels=2, cut="first", swing=0.0)
    shown = truth.shown(pucker.run(truth.clip, params))
    assert shown.shape == truth.away.shape
    # A sleeve that has hardly bent yet hardly folds, and is the smooth one.
    assert np.abs(shown - truth.guide).max() < 0.05 * truth.side
    # On a mesh of the truth's own fineness it is what was draped.
    as_fine = [np.array(state.draped) for state in pucker.run(truth.clip, params.replace(levels=LEVELS))]
    found = truth.shown(pucker.run(truth.clip, params.replace(levels=LEVELS)))
    np.testing.assert_allclose(found, as_fine[FIRST:], atol=1e-9)
    # The coarse mesh's facets are no folds: without wrinkles it is the guide.
    np.testing.assert_allclose(
        truth.shown(pucker.run(truth.clip, pucker.Params(threshold=9.0))), truth.guide, atol=1e-12
    )
    with pytest.raises(ValueError, match="there are 3 states"):
        truth.shown(list(pucker.run(truth.clip, params))[:3])


def test_lag_is_taken_out_of_both_and_told(truth):
    faces, rest = truth.mesh.faces, truth.rest
    loop = byexample.LoopSubdivision(truth.clip.mesh, LEVELS)
    # It begins with the clip, two frames before the truth.
    late = metrics.lagging([loop.matrix @ pose for pose in truth.clip.positions], 0.3)[-len(truth) :]
    waves = truth.positions - truth.guide
    folds, lag = truth.folds_of(faces, rest, late + waves)
    assert lag == pytest.approx(0.3 + truth.lag, abs=0.05)
    rows = metrics.band_agreement(folds, truth.folds, truth.bands)
    assert rows[1].correlation > 0.98
    assert truth.lagging(0.0) == pytest.approx(0.0)


def test_what_does_not_fit_is_told_in_a_sentence(clip, truth, tmp_path):
    faces, rest, positions = truth.mesh.faces, truth.rest, truth.positions
    with pytest.raises(ValueError, match="a frame for each of the truth's"):
        truth.heights_of(faces, rest, positions[1:])
    with pytest.raises(ValueError, match="a place for each vertex"):
        truth.heights_of(faces, rest[1:], positions)
    times = truth.clip.times[FIRST:]
    assert truth.agreement(faces, rest, positions, times=times + 3.0)[-1].correlation == pytest.approx(1.0, abs=2e-3)
    with pytest.raises(ValueError, match=r"the surface has 15 frames a second, sleeve has 30: .* the same instants"):
        truth.agreement(faces, rest, positions, times=2.0 * times)
    with pytest.raises(ValueError, match=r"times must be \(5,\)"):
        truth.heights_of(faces, rest, positions, times=times[1:])
    with pytest.raises(ValueError, match="shares no shape with sleeve"):
        truth.heights_of(faces[:-1], rest + np.array([5.0, 0.0, 0.0]), positions)
    loop = byexample.LoopSubdivision(clip.mesh, LEVELS)
    with pytest.raises(ValueError, match="are not all among the clip's 8"):
        of(clip, rippled(loop, clip), first=6)
    with pytest.raises(ValueError, match="cannot be kept with 2"):
        of(clip, rippled(loop, clip), levels=2)
    with pytest.raises(ValueError, match="a frame for each of the clip's"):
        of(clip, rippled(loop, clip)[:-1])
    (tmp_path / "other.npz").write_bytes(b"nothing")
    with pytest.raises(pucker.Error, match="is no truth"):
        Truth.load(tmp_path / "other.npz")


def test_a_character_of_a_truth_is_what_a_user_loads(data_dir, tmp_path):
    kept = Truth.load(DATA / "truths" / "kimono-run-coat.npz")
    users = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    assert kept.frames.stop == len(kept.clip)
    assert kept.clip.height == users.height
    assert len(kept.clip.shared_vertices) > 10
    for name in ("faces", "shared_vertices", "rest", "body_faces", "weld", "standing"):
        np.testing.assert_array_equal(getattr(kept.clip, name), getattr(users, name), err_msg=name)
    for name in ("positions", "times", "body_positions"):
        expected = getattr(users, name)[: len(kept.clip)]
        np.testing.assert_array_equal(getattr(kept.clip, name), expected, err_msg=name)
    # What it was simulated in is what cloth is draped from.
    np.testing.assert_array_equal(kept.start, users.standing)
    (tmp_path / "truths").mkdir()
    alone = tmp_path / "truths" / "run.npz"
    kept.save(alone)
    with pytest.raises(pucker.Error, match=r"its character kimono_male\.gltf is in none of"):
        Truth.load(alone)
    with pytest.raises(ValueError, match="has a character's body, so that its source must be given"):
        dataclasses.replace(kept, source=None).save(alone)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("header", "pucker scene 1", "its version is 'pucker scene 1'"),
        ("away", np.zeros((5, 3, 3), np.int16), "away must be"),
        ("sewn", np.array([-1]), "sewn must be"),
        ("start", np.zeros((3, 3)), "start must be"),
        ("step", np.nan, "away must be"),
    ],
)
def test_a_damaged_file_is_refused(truth, tmp_path, name, value, told):
    truth.save(tmp_path / "truth.npz")
    with np.load(tmp_path / "truth.npz") as archive:
        arrays = dict(archive)
    arrays[name] = value
    np.savez(tmp_path / "bad.npz", **arrays)
    with pytest.raises(pucker.Error, match=told):
        Truth.load(tmp_path / "bad.npz")
