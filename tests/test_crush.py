import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import rotation, sheet
from waves_scenes import squeeze

import pucker
from pucker import waves

AS_PRINTED = waves.CrushParams(smoothing=0, threshold=1, bend=1e9)
SEEDS = st.integers(0, 2**32 - 1)


@given(seed=SEEDS, ratio=st.floats(0.1, 0.98), angle=st.floats(0, np.pi), unit=st.sampled_from([1e-8, 1, 1e8]))
@settings(max_examples=50)
def test_an_affine_squeeze_has_the_closed_form_at_every_vertex(seed, ratio, angle, unit):
    rng = np.random.default_rng(seed)
    flat = sheet(rng, cells=5)
    before, after = rotation(rng), rotation(rng)
    planes = waves.Crush(flat.mesh, unit * flat.rest @ before.T, 0.1 * unit, AS_PRINTED).step(
        unit * flat.rest @ (after @ squeeze(ratio, angle)).T
    )
    along = np.array([np.cos(angle), np.sin(angle), 0])
    np.testing.assert_allclose(planes.stretches, ratio, atol=1e-12)
    np.testing.assert_allclose(planes.amplitudes, unit * 0.1 / 4 * np.sqrt(1 - ratio**2), rtol=1e-11)
    sign = np.sign(planes.directions @ before @ along)[:, None]
    np.testing.assert_allclose(planes.directions, sign * (before @ along), atol=1e-12)
    np.testing.assert_allclose(planes.wave_vectors, sign * (after @ along) / ratio, atol=1e-12 / ratio)


def random_motion(rng):
    flat = sheet(rng, cells=5)
    return flat.mesh, flat.rest, flat.rest @ rng.uniform(-1, 1, (3, 3)) + 0.02 * rng.normal(size=flat.rest.shape)


@given(seed=SEEDS)
@settings(max_examples=50)
def test_the_fit_is_that_of_a_least_squares_solver(seed):
    rng = np.random.default_rng(seed)
    mesh, rest, moved = random_motion(rng)
    planes = waves.Crush(mesh, rest, 1, AS_PRINTED).step(moved)
    normals = np.array([0, 0, 1])
    for v in rng.choice(len(rest), 8, replace=False):
        ring = np.unique(mesh.edges[(mesh.edges == v).any(axis=1)])
        ring = ring[ring != v]

        def flat(points, normal, v=v, ring=ring):
            first = points[ring[0]] - points[v]
            t = first - first @ normal * normal
            t /= np.linalg.norm(t)
            return (points[ring] - points[v]) @ np.stack([t, np.cross(normal, t)], axis=1)

        fit, *_ = np.linalg.lstsq(flat(rest, normals), flat(moved, planes.normals[v]), rcond=None)
        r = np.linalg.svd(fit, compute_uv=False)[1]
        np.testing.assert_allclose(planes.stretches[v], r, atol=1e-9 * np.linalg.norm(fit))
        np.testing.assert_allclose(planes.amplitudes[v], 0.25 * np.sqrt(max(1 - r * r, 0)), atol=1e-7)


@given(seed=SEEDS, bend=st.floats(0.01, 1))
@settings(max_examples=30)
def test_no_edge_points_the_other_way_when_its_ends_are_moved_by_their_waves(seed, bend):
    mesh, rest, moved = random_motion(np.random.default_rng(seed))
    free = waves.Crush(mesh, rest, 1, AS_PRINTED).step(moved)
    held = waves.Crush(mesh, rest, 1, waves.CrushParams(smoothing=0, threshold=1, bend=bend)).step(moved)
    edges = moved[mesh.edges[:, 1]] - moved[mesh.edges[:, 0]]
    turns = held.normals[mesh.edges[:, 1]] - held.normals[mesh.edges[:, 0]]
    highest = np.array(free.amplitudes)
    for end, edge, turn in zip(mesh.edges, edges, turns, strict=True):
        for v in end:
            highest[v] = min(highest[v], bend * (edge @ edge) / abs(edge @ turn))
            for side in (-1, 1):
                shortened = edge @ (edge + side * held.amplitudes[v] * turn)
                assert shortened >= (1 - bend - 1e-9) * (edge @ edge)
    np.testing.assert_allclose(held.amplitudes, highest, rtol=1e-9)
    np.testing.assert_array_equal(held.directions, free.directions)


def in_plane(points, ring, v, normal):
    """Edges (k, 3) from a vertex, without what stands across its tangent plane."""
    edges = points[ring] - points[v]
    return edges - np.outer(edges @ normal, normal)


def smallest_rotation(before, after):
    """The rotation matrix that takes one unit vector to the other one (Rodrigues)."""
    axis = np.cross(before, after)
    across = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    return np.eye(3) + across + across @ across / (1 + before @ after)


@given(seed=SEEDS, rounds=st.integers(1, 3))
@settings(max_examples=20, deadline=None)
def test_what_is_lost_is_averaged_over_neighbours_whose_planes_are_turned_into_one(seed, rounds):
    rng = np.random.default_rng(seed)
    mesh, rest, moved = random_motion(rng)
    rest = rest + 0.3 * np.stack([0 * rest[:, 0], 0 * rest[:, 0], np.sin(3 * rest[:, 0] + rest[:, 1])], axis=1)
    moved = 0.5 * moved + 0.5 * rest
    settings_of = waves.CrushParams(smoothing=rounds, threshold=1, bend=1e9)
    normals = waves.Crush(mesh, rest, 1, AS_PRINTED).step(rest).normals
    planes = waves.Crush(mesh, rest, 1, settings_of).step(moved)
    rings = [np.setdiff1d(mesh.edges[(mesh.edges == v).any(axis=1)], v) for v in range(len(rest))]
    losses = []
    for v, ring in enumerate(rings):
        before, after = in_plane(rest, ring, v, normals[v]), in_plane(moved, ring, v, planes.normals[v])
        fit = np.linalg.pinv(before, rcond=1e-9) @ after  # of rank 2, from plane to plane
        losses.append(np.eye(3) - np.outer(normals[v], normals[v]) - fit @ fit.T)
    for _ in range(rounds):
        losses = [
            np.mean(
                [losses[v], *(r @ losses[n] @ r.T for n in ring for r in [smallest_rotation(normals[n], normals[v])])],
                axis=0,
            )
            for v, ring in enumerate(rings)
        ]
    for v, loss in enumerate(losses):
        # Across the plane there is neither loss nor gain: with that put far below, the largest lies in the plane.
        (_, second, most), vectors = np.linalg.eigh(loss - 1e3 * np.outer(normals[v], normals[v]))
        np.testing.assert_allclose(planes.stretches[v], np.sqrt(1 - most), atol=1e-7)
        np.testing.assert_allclose(planes.amplitudes[v], 0.25 * np.sqrt(max(most, 0)), atol=1e-6)
        if most - second > 0.01:
            np.testing.assert_allclose(abs(planes.directions[v] @ vectors[:, 2]), 1, atol=1e-6)


def test_averaging_leaves_even_compression_and_its_direction():
    flat = sheet(np.random.default_rng(3), cells=5)
    squeezed = flat.rest * [0.7, 1.0, 1.0]
    for rounds in (0, 1, 8):
        planes = waves.Crush(flat.mesh, flat.rest, 1, waves.CrushParams(smoothing=rounds, threshold=1)).step(squeezed)
        np.testing.assert_allclose(planes.stretches, 0.7, atol=1e-12)
        np.testing.assert_allclose(np.abs(planes.directions[:, 0]), 1, atol=1e-12)


@given(seed=SEEDS)
@settings(max_examples=50)
def test_neither_pose_matters_as_a_whole_nor_does_the_unit(seed):
    rng = np.random.default_rng(seed)
    mesh, rest, moved = random_motion(rng)
    plain = waves.Crush(mesh, rest, 0.1).step(moved)
    before, after = rotation(rng), rotation(rng)
    shift = rng.normal(size=3)
    other = waves.Crush(mesh, 7 * rest @ before.T + shift, 0.7).step(7 * moved @ after.T - shift)
    np.testing.assert_allclose(other.stretches, plain.stretches, atol=1e-9)
    np.testing.assert_allclose(other.amplitudes, 7 * plain.amplitudes, atol=1e-6)
    ratios = plain.stretches < 0.8
    np.testing.assert_allclose(other.directions[ratios], plain.directions[ratios] @ before.T, atol=1e-6)


@given(seed=SEEDS)
@settings(max_examples=30)
def test_the_numbering_of_the_mesh_does_not_matter(seed):
    rng = np.random.default_rng(seed)
    mesh, rest, moved = random_motion(rng)
    order = rng.permutation(len(rest))
    number = np.argsort(order)
    other = waves.Crush(pucker.Mesh(number[mesh.faces], len(rest)), rest[order], 0.1).step(moved[order])
    plain = waves.Crush(mesh, rest, 0.1).step(moved)
    np.testing.assert_allclose(other.stretches[number], plain.stretches, atol=1e-9)


def test_wavelengths_may_differ_from_vertex_to_vertex(rng):
    flat = sheet(rng)
    lengths = rng.uniform(0.05, 0.2, len(flat.rest))
    crush = waves.Crush(flat.mesh, flat.rest, lengths, AS_PRINTED.replace(growth=1))
    np.testing.assert_array_equal(crush.wavelengths, lengths)
    planes = crush.step(flat.rest @ squeeze(0.6).T)
    np.testing.assert_allclose(planes.amplitudes, 0.2 * lengths, rtol=1e-12)
    crush.wavelengths = 0.3
    np.testing.assert_allclose(crush.step(flat.rest @ squeeze(0.6).T).amplitudes, 0.06, rtol=1e-12)
    np.testing.assert_allclose(planes.amplitudes, 0.2 * lengths, rtol=1e-12)  # a result stays as it is


def test_painting_meets_a_squeeze_as_printed(rng):
    flat = sheet(rng)
    crush = waves.Crush(flat.mesh, flat.rest, 1.0)
    crush.paint = np.tile([0, 0.7, 0], (len(flat.rest), 1))
    planes = crush.step(flat.rest @ squeeze(0.8).T)
    # M (E - q q^T) = diag(0.8, 1 - 0.49)
    np.testing.assert_allclose(planes.stretches, 0.51, atol=1e-12)
    np.testing.assert_allclose(np.abs(planes.directions @ [0, 1, 0]), 1, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(planes.wave_vectors, axis=1), 1, atol=1e-12)


def test_a_line_of_vertices_and_a_lonely_one_have_no_wave_and_are_counted():
    mesh = pucker.Mesh([[0, 1, 2]], 4)
    crush = waves.Crush(mesh, [[0, 0, 0], [1, 0, 0], [2, 0, 0], [5, 5, 5]], 1)
    assert (crush.report.singular, crush.report.isolated) == (3, 1)
    planes = crush.step([[0, 0, 0], [1, 0, 0], [1, 1, 0], [5, 5, 5]])
    assert not planes.amplitudes.any()
    assert not planes.wave_vectors.any()
    assert repr(crush.report) == "<CrushReport: 1 isolated, 3 singular, 0 flattened, 0 bounded>"


@pytest.mark.parametrize(
    ("wavelength", "named"),
    [
        (0, r"wavelength must lie in \[1e-30, 1e\+30\], got 0"),
        (np.nan, r"wavelength must lie in \[1e-30, 1e\+30\], got nan"),
        ([1, 1, -2], r"must lie in \[1e-30, 1e\+30\], but wavelengths\[2\] is -2"),
        ([1, np.nan, 1], r"wavelengths\[1\] is nan"),
        ([1, 1], r"wavelengths must have shape \(3,\), got \(2,\)"),
    ],
)
def test_wavelengths_that_are_none_are_refused_by_rule_and_value(wavelength, named):
    mesh = pucker.Mesh([[0, 1, 2]], 3)
    with pytest.raises(ValueError, match=named):
        waves.Crush(mesh, np.eye(3), wavelength)


@pytest.mark.parametrize(
    ("paint", "named"),
    [
        (np.ones((3, 3)), r"paint must be shorter than 1, but paint\[0\] is \(1, 1, 1\), 1.73"),
        ([[0, 0, 0], [0, 1, 0], [0, 0, 0]], r"paint\[1\] is \(0, 1, 0\), 1 long"),
        (np.full((3, 3), np.inf), r"paint must be finite, but paint\[0\]"),
        (np.zeros((4, 3)), r"paint must have shape \(3, 3\), got \(4, 3\)"),
    ],
)
def test_paintings_that_are_none_or_of_another_mesh_are_refused_and_change_nothing(paint, named):
    crush = waves.Crush(pucker.Mesh([[0, 1, 2]], 3), np.eye(3), 1)
    crush.paint = np.full((3, 3), 0.1)
    with pytest.raises(ValueError, match=named):
        crush.paint = paint
    np.testing.assert_array_equal(crush.paint, np.full((3, 3), 0.1))


def test_positions_that_are_none_are_refused_and_change_nothing(rng):
    flat = sheet(rng)
    crush = waves.Crush(flat.mesh, flat.rest, 1)
    with pytest.raises(ValueError, match="must be finite"):
        crush.step(np.full_like(flat.rest, np.nan))
    with pytest.raises(ValueError, match="shape"):
        crush.step(flat.rest[:-1])
    with pytest.raises(TypeError):
        waves.Crush(None, flat.rest, 1)
