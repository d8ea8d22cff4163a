import numpy as np
import pytest

import pucker


def random_matrices(rng: np.random.Generator, count: int = 500) -> np.ndarray:
    """Matrices of positive determinant, not too close to singular."""
    matrices = rng.normal(size=(8 * count, 2, 2))
    return matrices[np.linalg.det(matrices) > 0.05][:count]


def rotations(angles: np.ndarray) -> np.ndarray:
    cosine, sine = np.cos(angles), np.sin(angles)
    return np.stack([np.stack([cosine, -sine], -1), np.stack([sine, cosine], -1)], -2)


def product(stretch: pucker.Stretch) -> np.ndarray:
    sizes = np.stack([stretch.maximum, stretch.minimum], axis=1)
    return np.einsum("mij,mj,mkj->mik", stretch.left, sizes, stretch.right)


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_stretches_are_the_singular_values(rng, scale):
    reference, current = random_matrices(rng), scale * random_matrices(rng)
    gradient = current @ np.linalg.inv(reference)
    stretch = pucker.stretch(reference, current)
    expected = np.linalg.svd(gradient, compute_uv=False)
    np.testing.assert_allclose(stretch.maximum, expected[:, 0], rtol=1e-12)
    np.testing.assert_allclose(stretch.minimum / stretch.maximum, expected[:, 1] / expected[:, 0], atol=1e-12)
    np.testing.assert_allclose(product(stretch) / scale, gradient / scale, atol=1e-10)


def test_factors_are_rotations(rng):
    stretch = pucker.stretch(random_matrices(rng), random_matrices(rng))
    for factor in (stretch.left, stretch.right):
        np.testing.assert_allclose(
            factor @ factor.transpose(0, 2, 1), np.broadcast_to(np.eye(2), factor.shape), atol=1e-14
        )
        np.testing.assert_allclose(np.linalg.det(factor), 1, atol=1e-14)


def test_a_triangle_against_itself_is_the_identity_to_the_bit(rng):
    matrices = random_matrices(rng)
    stretch = pucker.stretch(matrices, matrices)
    np.testing.assert_array_equal(stretch.minimum, 1)
    np.testing.assert_array_equal(stretch.maximum, 1)
    np.testing.assert_array_equal(stretch.left, np.broadcast_to(np.eye(2), matrices.shape))


def test_turning_the_reference_in_its_plane_changes_nothing_on_the_surface(rng):
    reference, current = random_matrices(rng), random_matrices(rng)
    plain = pucker.stretch(reference, current)
    turned = pucker.stretch(rotations(rng.uniform(-np.pi, np.pi, len(reference))) @ reference, current)
    np.testing.assert_allclose(turned.maximum, plain.maximum, rtol=1e-11)
    np.testing.assert_allclose(turned.minimum, plain.minimum, rtol=1e-10)
    apart = (plain.maximum - plain.minimum) / plain.maximum
    same_line = np.abs(np.einsum("mi,mi->m", plain.left[:, :, 0], turned.left[:, :, 0]))
    np.testing.assert_allclose(same_line[apart > 1e-3], 1, atol=1e-12)


def test_turning_the_cloth_in_space_changes_no_stretch(rng):
    mesh = pucker.Mesh([[0, 1, 2], [2, 1, 3]], 4)
    rest, moved = rng.normal(size=(2, 4, 3))
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.sign(np.linalg.det(turn))
    reference = pucker.local_frames(mesh, rest).matrices
    plain = pucker.stretch(reference, pucker.local_frames(mesh, moved).matrices)
    turned = pucker.stretch(reference, pucker.local_frames(mesh, moved @ turn.T + 1).matrices)
    np.testing.assert_allclose(turned.maximum, plain.maximum, rtol=1e-12)
    np.testing.assert_allclose(turned.minimum, plain.minimum, rtol=1e-10)


def test_cloth_that_has_collapsed_has_minimum_zero_and_no_compression():
    stretch = pucker.stretch([np.eye(2)] * 2, [[[1, 2], [0, 0]], [[0, 0], [0, 0]]])
    np.testing.assert_array_equal(stretch.minimum, 0)
    np.testing.assert_array_equal(pucker.compression(stretch), 1)


def test_a_reference_without_area_is_inert():
    stretch = pucker.stretch([[[0, 0], [0, 0]], [[1, 2], [0, 0]]], [np.eye(2)] * 2)
    np.testing.assert_array_equal(stretch.minimum, 1)
    np.testing.assert_array_equal(stretch.maximum, 1)


def test_compression_is_the_inverse_of_the_minimum(rng):
    stretch = pucker.stretch(random_matrices(rng), random_matrices(rng))
    np.testing.assert_array_equal(pucker.compression(stretch), 1 / stretch.minimum)


def test_rescaling_is_a_power_and_one_changes_no_bit(rng):
    stretch = pucker.stretch(random_matrices(rng), random_matrices(rng))
    np.testing.assert_array_equal(pucker.rescale_rate(stretch, 1).minimum, stretch.minimum)
    half = pucker.rescale_rate(stretch, 0.5)
    np.testing.assert_allclose(half.minimum, np.sqrt(stretch.minimum), rtol=1e-14)
    np.testing.assert_allclose(half.maximum, np.sqrt(stretch.maximum), rtol=1e-14)
    np.testing.assert_array_equal(half.left, stretch.left)


@pytest.mark.parametrize("exponent", [0, -1, np.nan, np.inf])
def test_an_exponent_that_is_no_ratio_of_times_is_refused(exponent):
    stretch = pucker.stretch([np.eye(2)], [np.eye(2)])
    with pytest.raises(ValueError, match="exponent must be finite and above 0, got"):
        pucker.rescale_rate(stretch, exponent)


def test_no_triangles_have_no_stretch():
    stretch = pucker.stretch(np.zeros((0, 2, 2)), np.zeros((0, 2, 2)))
    assert stretch.minimum.shape == stretch.maximum.shape == (0,)
    assert stretch.left.shape == stretch.right.shape == (0, 2, 2)


@pytest.mark.parametrize(
    ("matrices", "named"),
    [
        (np.eye(2), r"must have shape \(any, 2, 2\), got \(2, 2\)"),
        (np.ones((3, 2, 3)), r"got \(3, 2, 3\)"),
        ([[["1", "0"], ["0", "1"]]], "real numbers"),
        (np.eye(2)[None] * 1j, "real numbers, got dtype complex128"),
        ([[[np.nan, 0], [0, 1]]], r"must be finite, but reference\[0\] is \[\[nan, 0\], \[0, 1\]\]"),
        ([[[1, 0], [0, np.inf]]], "must be finite"),
        ([np.eye(2), [[0, 1], [1, 0]]], r"determinants of at least 0, but that of reference\[1\] is -1"),
    ],
)
def test_triangles_that_are_none_are_refused_by_rule_and_value(matrices, named):
    with pytest.raises(ValueError, match=named):
        pucker.stretch(matrices, [np.eye(2)])


def test_both_lists_must_hold_the_same_triangles():
    with pytest.raises(ValueError, match=r"current must have shape \(3, 2, 2\), got \(2, 2, 2\)"):
        pucker.stretch([np.eye(2)] * 3, [np.eye(2)] * 2)
