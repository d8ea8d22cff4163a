import numpy as np
import pytest

import pucker
from pucker.examples import grid_faces

FACES = np.array([[0, 1, 2], [2, 1, 3]])
FLAT = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]])

STAGES = [pucker.local_frames, pucker.vertex_normals, pucker.mean_edge_length]


def flat_but(row: int, column: int, value: float) -> np.ndarray:
    positions = FLAT.copy()
    positions[row, column] = value
    return positions


def random_soup(rng: np.random.Generator) -> tuple[pucker.Mesh, np.ndarray]:
    """Triangles between random vertices in space."""
    faces = np.array([rng.choice(30, 3, replace=False) for _ in range(80)])
    return pucker.Mesh(faces, 30), rng.normal(size=(30, 3))


def independent_matrices(mesh: pucker.Mesh, positions: np.ndarray) -> np.ndarray:
    """The R factor, with positive diagonal, of the QR decomposition of each triangle's two edges."""
    corners = positions[mesh.faces]
    edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=2)
    upper = np.linalg.qr(edges).R
    return upper * np.sign(np.diagonal(upper, axis1=1, axis2=2))[:, :, None]


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_matrices_are_the_triangular_factor_of_the_edges(rng, scale):
    mesh, positions = random_soup(rng)
    frames = pucker.local_frames(mesh, scale * positions)
    expected = scale * independent_matrices(mesh, positions)
    np.testing.assert_allclose(frames.matrices, expected, atol=1e-13 * scale)


def test_axes_carry_matrices_to_the_edges_in_space(rng):
    mesh, positions = random_soup(rng)
    frames = pucker.local_frames(mesh, positions)
    corners = positions[mesh.faces]
    edges = np.stack([corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]], axis=1)
    np.testing.assert_allclose(np.einsum("mik,mix->mkx", frames.matrices, frames.axes), edges, atol=1e-13)


def test_normals_and_areas_are_those_of_the_cross_product(rng):
    mesh, positions = random_soup(rng)
    frames = pucker.local_frames(mesh, positions)
    corners = positions[mesh.faces]
    cross = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    np.testing.assert_allclose(frames.areas, np.linalg.norm(cross, axis=1) / 2, rtol=1e-12)
    np.testing.assert_allclose(frames.normals * 2 * frames.areas[:, None], cross, atol=1e-12)


def test_vertex_normals_are_area_weighted_means(rng):
    mesh, positions = random_soup(rng)
    frames = pucker.local_frames(mesh, positions)
    sums = np.zeros_like(positions)
    for k in range(3):
        np.add.at(sums, mesh.faces[:, k], frames.normals * frames.areas[:, None])
    lengths = np.linalg.norm(sums, axis=1)
    expected = np.divide(sums, lengths[:, None], out=np.zeros_like(sums), where=lengths[:, None] > 0)
    np.testing.assert_allclose(pucker.vertex_normals(mesh, positions), expected, atol=1e-12)


def test_mean_edge_length_counts_each_edge_once(rng):
    mesh, positions = random_soup(rng)
    expected = np.linalg.norm(positions[mesh.edges[:, 0]] - positions[mesh.edges[:, 1]], axis=1).mean()
    assert pucker.mean_edge_length(mesh, positions) == pytest.approx(expected, rel=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_any_number_type_and_memory_order_is_taken(dtype, order):
    positions = np.array(FLAT, dtype=dtype, order=order)
    frames = pucker.local_frames(pucker.Mesh(FACES, 4), positions)
    assert frames.matrices.dtype == np.float64
    np.testing.assert_array_equal(frames.areas, [0.5, 0.5])


def test_lists_and_strided_views_are_taken():
    mesh = pucker.Mesh(FACES.tolist(), 4)
    np.testing.assert_array_equal(pucker.local_frames(mesh, FLAT.tolist()).areas, [0.5, 0.5])
    np.testing.assert_array_equal(pucker.local_frames(mesh, np.repeat(FLAT, 2, axis=0)[::2]).areas, [0.5, 0.5])


def test_views_cannot_be_written_and_outlive_their_frames():
    matrices = pucker.local_frames(pucker.Mesh(FACES, 4), FLAT).matrices
    with pytest.raises(ValueError, match="read-only"):
        matrices[0, 0, 0] = 1
    np.testing.assert_array_equal(matrices[0], np.eye(2))


def test_input_is_not_changed():
    positions = FLAT.copy()
    pucker.local_frames(pucker.Mesh(FACES, 4), positions)
    np.testing.assert_array_equal(positions, FLAT)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("positions", "named"),
    [
        (FLAT[:3], r"\(4, 3\), got \(3, 3\)"),
        (FLAT[:, :2], r"\(4, 3\), got \(4, 2\)"),
        (FLAT.ravel(), r"\(4, 3\), got \(12,\)"),
        (FLAT[None], r"got \(1, 4, 3\)"),
        (np.full((4, 3), "0"), "real numbers, got dtype <U1"),
        (FLAT + 0j, "real numbers, got dtype complex128"),
        (FLAT.astype(object), "real numbers, got dtype object"),
        ([[0, 0, 0], [1, 0]], "array of numbers, got <class 'list'>"),
        (flat_but(2, 1, np.nan), r"positions\[2, 1\] is -?nan"),
        (flat_but(0, 2, np.inf), r"positions\[0, 2\] is inf"),
    ],
    ids=["rows", "columns", "flat", "deep", "strings", "complex", "objects", "ragged", "nan", "inf"],
)
def test_positions_that_are_none_are_refused_by_rule_and_value(stage, positions, named):
    mesh = pucker.Mesh(FACES, 4)
    with pytest.raises(ValueError, match=named):
        stage(mesh, positions)


@pytest.mark.parametrize(
    ("faces", "vertices", "named"),
    [
        ([[0, 1, 4]], 4, r"faces must lie in \[0, 4\), but faces\[0, 2\] is 4"),
        ([[0, -1, 2]], 4, r"faces\[0, 1\] is -1"),
        ([[0, 1, 1.5]], 4, "whole numbers of 32 bits, got 1.5"),
        ([[0, 1, np.nan]], 4, "whole numbers of 32 bits, got nan"),
        ([[0, 1, 2**40]], 4, "whole numbers of 32 bits"),
        ([[0, 1]], 4, r"\(any, 3\), got \(1, 2\)"),
        ([0, 1, 2], 4, r"\(any, 3\), got \(3,\)"),
        ([["a", "b", "c"]], 4, "real numbers"),
        ([[0, 1, 2]], -1, "at least 0 vertices, got -1"),
        (np.zeros((0, 3)), 2**31, "at most 2147483647 vertices, got 2147483648"),
    ],
)
def test_faces_that_are_none_are_refused_by_rule_and_value(faces, vertices, named):
    with pytest.raises(ValueError, match=named):
        pucker.Mesh(faces, vertices)


def test_an_empty_mesh_has_no_frames():
    mesh = pucker.Mesh(np.zeros((0, 3), int), 0)
    frames = pucker.local_frames(mesh, np.zeros((0, 3)))
    assert frames.matrices.shape == (0, 2, 2)
    assert frames.axes.shape == (0, 2, 3)
    assert frames.normals.shape == (0, 3)
    assert pucker.vertex_normals(mesh, np.zeros((0, 3))).shape == (0, 3)
    assert pucker.mean_edge_length(mesh, np.zeros((0, 3))) == 0


def test_triangles_without_area_are_all_zero():
    faces = grid_faces(3, 3)
    mesh = pucker.Mesh(faces, 16)
    frames = pucker.local_frames(mesh, np.ones((16, 3)))
    for array in (frames.matrices, frames.axes, frames.normals, frames.areas):
        np.testing.assert_array_equal(array, 0)
