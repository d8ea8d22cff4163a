import numpy as np
import pytest

import pucker
from pucker.examples import bending_sleeve, grid_faces, squeezed_sheet

INTERVAL = 1 / 30
COMPRESS, REST, STRETCH = 0, 1, 2


@pytest.fixture
def mesh() -> pucker.Mesh:
    return pucker.Mesh(grid_faces(8, 8), 81)


@pytest.fixture
def first(rng, mesh) -> np.ndarray:
    return triangles(rng, mesh)


@pytest.fixture
def current(rng, mesh, first) -> np.ndarray:
    return triangles(rng, mesh)


def triangles(rng: np.random.Generator, mesh: pucker.Mesh) -> np.ndarray:
    shape = mesh.triangle_count
    rows = [[rng.uniform(0.5, 2, shape), rng.uniform(-1, 1, shape)], [np.zeros(shape), rng.uniform(0.5, 2, shape)]]
    return np.array(rows).transpose(2, 0, 1)


def stepped(mesh, first, current, label, dt=INTERVAL, **params) -> np.ndarray:
    reference = pucker.ReferenceShape(mesh, first, pucker.Params(**params))
    reference.step(np.full(mesh.triangle_count, label), current, dt)
    return reference.matrices


def relaxed_independently(first: np.ndarray, current: np.ndarray, keep: float) -> np.ndarray:
    """B S^-1 A^T [u1 u2] with S = keep * stretches + (1 - keep), by NumPy's singular value decomposition."""
    left, sizes, right = np.linalg.svd(current @ np.linalg.inv(first))
    inverse = 1 / (keep * sizes + (1 - keep))
    return np.einsum("mji,mj,mkj->mik", right, inverse, left) @ current


@pytest.mark.parametrize("dt", [INTERVAL, INTERVAL / 2, 0.4])
@pytest.mark.parametrize("keep", [0.95, 0.5, 1.0])
def test_compress_is_the_formula_written_in_numpy(mesh, first, current, dt, keep):
    expected = relaxed_independently(first, current, keep ** (dt / INTERVAL))
    found = stepped(mesh, first, current, COMPRESS, dt, reference={"keep": keep})
    # Reference triangles may lie any way in their plane: what counts is their shape.
    np.testing.assert_allclose(
        found.transpose(0, 2, 1) @ found, expected.transpose(0, 2, 1) @ expected, rtol=0, atol=1e-11
    )


def test_rest_changes_no_bit(mesh, first, current):
    np.testing.assert_array_equal(stepped(mesh, first, current, REST), first)


def test_stretch_replaces_what_has_grown_both_ways(mesh, first, current):
    grown = pucker.stretch(first, current).minimum > 1
    assert 0 < grown.sum() < len(grown)
    np.testing.assert_array_equal(
        stepped(mesh, first, current, STRETCH), np.where(grown[:, None, None], current, first)
    )


def test_many_short_steps_equal_a_long_one(mesh, first, current):
    once = stepped(mesh, first, current, COMPRESS, dt=0.1)
    reference = pucker.ReferenceShape(mesh, first, pucker.Params())
    for _ in range(10):
        reference.step(np.zeros(mesh.triangle_count), current, 0.01)
    stretches = [pucker.stretch(matrices, current) for matrices in (once, reference.matrices)]
    np.testing.assert_allclose(stretches[0].minimum, stretches[1].minimum, atol=1e-12)
    np.testing.assert_allclose(stretches[0].maximum, stretches[1].maximum, atol=1e-12)


def test_verbatim_keeps_its_share_per_frame_whatever_the_time(mesh, first, current):
    np.testing.assert_array_equal(
        stepped(mesh, first, current, COMPRESS, 1.0, verbatim=True),
        stepped(mesh, first, current, COMPRESS, 0.001, verbatim=True),
    )


@pytest.mark.parametrize(("frames", "forgets"), [(7, True), (61, False)])
def test_cloth_forgets_while_it_is_squeezed_fast_and_remembers_while_it_rests(frames, forgets):
    clip = squeezed_sheet(frames=frames, compression=1.5)
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.02))
    most = max(wrinkler.advance(frame.positions, frame.time).compression.max() for frame in clip)
    assert most > 1.3
    assert (most < 1.499) == forgets


def test_matrices_are_a_copy_that_stays(mesh, first, current):
    reference = pucker.ReferenceShape(mesh, first, pucker.Params())
    before = reference.matrices
    reference.step(np.zeros(mesh.triangle_count), current, INTERVAL)
    np.testing.assert_array_equal(before, first)
    assert np.abs(reference.matrices - first).max() > 1e-3


def test_an_empty_mesh_has_an_empty_reference():
    reference = pucker.ReferenceShape(pucker.Mesh(np.zeros((0, 3), int), 0), np.zeros((0, 2, 2)), pucker.Params())
    reference.step(np.zeros(0, np.int8), np.zeros((0, 2, 2)), INTERVAL)
    assert reference.matrices.shape == (0, 2, 2)


def test_triangles_without_area_stay_as_they_are(mesh, current):
    nothing = np.zeros((mesh.triangle_count, 2, 2))
    for label in (COMPRESS, REST, STRETCH):
        np.testing.assert_array_equal(stepped(mesh, nothing, current, label), nothing)
        np.testing.assert_array_equal(stepped(mesh, current, nothing, label), current)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"labels": np.zeros(5)}, r"labels must have shape \(128,\), got \(5,\)"),
        ({"labels": np.full(128, 3)}, r"labels must be 0, 1 or 2, but labels\[0\] is 3"),
        ({"labels": np.full(128, -1)}, r"labels\[0\] is -1"),
        ({"labels": np.full(128, 256)}, r"whole numbers of 8 bits, but labels\[0\] is 256"),
        ({"labels": np.full(128, 0.5)}, "whole numbers of 32 bits, got 0.5"),
        ({"labels": np.full(128, "C")}, "real numbers"),
        ({"current": np.zeros((127, 2, 2))}, r"current must have shape \(128, 2, 2\), got \(127, 2, 2\)"),
        ({"current": np.full((128, 2, 2), np.nan)}, r"current must be finite, but current\[0\]"),
        ({"current": np.tile([[0.0, 1], [1, 0]], (128, 1, 1))}, "determinants of at least 0"),
        ({"dt": 0.0}, "dt must be a finite time above 0 s, got 0"),
        ({"dt": -0.1}, "got -0.1"),
        ({"dt": np.nan}, "got nan"),
    ],
)
def test_wrong_input_is_refused_by_rule_and_value_and_changes_nothing(mesh, first, current, change, named):
    reference = pucker.ReferenceShape(mesh, first, pucker.Params())
    arguments = {"labels": np.zeros(128, np.int8), "current": current, "dt": INTERVAL}
    with pytest.raises(ValueError, match=named):
        reference.step(**(arguments | change))
    np.testing.assert_array_equal(reference.matrices, first)
    reference.step(**arguments)
    np.testing.assert_array_equal(reference.matrices, stepped(mesh, first, current, COMPRESS))


def test_the_first_triangles_must_be_those_of_the_mesh(mesh, first):
    with pytest.raises(ValueError, match=r"current must have shape \(128, 2, 2\), got \(127, 2, 2\)"):
        pucker.ReferenceShape(mesh, first[1:], pucker.Params())


# --- where they start ---------------------------------------------------------------------------------------------


def bent_from_the_start() -> tuple[pucker.Clip, np.ndarray]:
    """A sleeve that stays as bent as it is at its most, and its straight rest pose."""
    clip = bending_sleeve(20, 24, frames=31)
    bent = clip.positions[np.argmax(np.linalg.norm(clip.positions - clip.positions[0], axis=(1, 2)))]
    positions = np.repeat(bent[None], 20, axis=0)
    still = pucker.Clip.from_arrays(clip.mesh.faces, positions, np.arange(20) / 30, weld=False, rest=clip.positions[0])
    return still, clip.positions[0]


def counts(clip: pucker.Clip, **reference: object) -> list[int]:
    wrinkler = pucker.Wrinkler(clip, pucker.Params(min_width=0.015, reference=reference))
    return [len(wrinkler.advance(frame.positions, frame.time).wrinkles) for frame in clip]


def test_a_clip_that_begins_bent_has_wrinkles_only_from_its_rest_pose():
    clip, _ = bent_from_the_start()
    assert max(counts(clip, start="first_frame")) == 0
    found = counts(clip, start="rest")
    assert found[0] == 0
    assert found[-1] > 3
    assert counts(clip) == found


def test_by_default_they_start_at_rest_where_that_is_known_but_not_in_the_theses():
    clip, rest = bent_from_the_start()
    plain = pucker.Params(min_width=0.015)
    for params, of, known in (
        (plain, clip, rest),
        (plain, clip.mesh, clip.positions[0]),
        (plain.replace(verbatim=True), clip, clip.positions[0]),
        (plain.replace(reference={"start": "first_frame"}), clip, clip.positions[0]),
    ):
        first = pucker.Wrinkler(of, params).advance(clip.positions[0], 0.0)
        np.testing.assert_array_equal(first.reference, pucker.local_frames(clip.mesh, known).matrices)


def test_reference_triangles_start_as_those_of_the_rest_pose():
    clip, rest = bent_from_the_start()
    params = pucker.Params(min_width=0.015, reference={"start": "rest"})
    first = pucker.Wrinkler(clip, params).advance(clip.positions[0], 0.0)
    np.testing.assert_array_equal(first.reference, pucker.local_frames(clip.mesh, rest).matrices)
    given = pucker.Wrinkler(clip.mesh, params, rest=rest).advance(clip.positions[0], 0.0)
    np.testing.assert_array_equal(given.compression, first.compression)


def test_a_rest_pose_that_is_the_first_frame_changes_no_bit():
    clip = bending_sleeve()
    runs = [
        pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.015)),
        pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.015, reference={"start": "rest"}), rest=clip.positions[0]),
    ]
    for frame in clip:
        one, other = (run.advance(frame.positions, frame.time) for run in runs)
        np.testing.assert_array_equal(one.packed.points, other.packed.points)


def test_a_run_from_the_rest_pose_is_saved_with_it():
    clip, _ = bent_from_the_start()
    wrinkler = pucker.Wrinkler(clip, pucker.Params(min_width=0.015, reference={"start": "rest"}))
    runs = [wrinkler, pucker.Wrinkler.restore(wrinkler.save())]
    for frame in clip:
        one, other = (run.advance(frame.positions, frame.time) for run in runs)
        np.testing.assert_array_equal(one.packed.points, other.packed.points)
        runs[1] = pucker.Wrinkler.restore(runs[1].save())


def test_a_rest_pose_that_is_missing_or_does_not_fit_is_refused():
    clip = bending_sleeve()
    params = pucker.Params(min_width=0.015, reference={"start": "rest"})
    for given in (clip, clip.mesh):
        with pytest.raises(ValueError, match=r"reference\.start is rest, but there is no rest pose"):
            pucker.Wrinkler(given, params)
    with pytest.raises(ValueError, match="rest"):
        pucker.Wrinkler(clip.mesh, params, rest=clip.positions[0][:-1])
