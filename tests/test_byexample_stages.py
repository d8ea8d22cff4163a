"""The stages of wrinkles by example: subdivision, features and weights, against other libraries."""

import numpy as np
import pytest
import trimesh
from byexample_scenes import matrix_of
from motion import rotation, sheet, sphere, tube
from scipy.interpolate import RBFInterpolator

import pucker
from pucker import byexample


def shapes(rng):
    return [sheet(rng, cells=4), tube(columns=6, rows=3), sphere(columns=7, rows=5)]


@pytest.mark.parametrize("levels", [1, 2])
def test_fine_vertices_are_where_trimesh_puts_them(rng, levels):
    for body in shapes(rng):
        loop = byexample.LoopSubdivision(body.mesh, levels)
        ours = loop.matrix @ body.rest
        vertices, faces = body.rest, body.faces
        for _ in range(levels):
            vertices, faces = trimesh.remesh.subdivide_loop(vertices, faces, iterations=1)
        assert len(ours) == len(vertices)
        assert len(loop.fine.faces) == len(faces)
        distance = np.linalg.norm(ours[:, None] - vertices[None], axis=2)
        assert distance.min(axis=1).max() < 1e-12
        assert distance.min(axis=0).max() < 1e-12


def box_spline(barycentrics):
    """The twelve basis functions of a regular patch, by its control points (Stam 1998, appendix A), (N, 12)."""
    v, w = barycentrics[:, 1], barycentrics[:, 2]
    u = 1 - v - w
    rows = [
        u**4 + 2 * u**3 * v,
        u**4 + 2 * u**3 * w,
        u**4 + 2 * u**3 * w + 6 * u**3 * v + 6 * u**2 * v * w + 12 * u**2 * v**2 + 6 * u * v**2 * w + 6 * u * v**3
        + 2 * v**3 * w + v**4,
        6 * u**4 + 24 * u**3 * w + 24 * u**2 * w**2 + 8 * u * w**3 + w**4 + 24 * u**3 * v + 60 * u**2 * v * w
        + 36 * u * v * w**2 + 6 * v * w**3 + 24 * u**2 * v**2 + 36 * u * v**2 * w + 12 * v**2 * w**2 + 8 * u * v**3
        + 6 * v**3 * w + v**4,
        u**4 + 6 * u**3 * w + 12 * u**2 * w**2 + 6 * u * w**3 + w**4 + 2 * u**3 * v + 6 * u**2 * v * w
        + 6 * u * v * w**2 + 2 * v * w**3,
        2 * u * v**3 + v**4,
        u**4 + 6 * u**3 * w + 12 * u**2 * w**2 + 6 * u * w**3 + w**4 + 8 * u**3 * v + 36 * u**2 * v * w
        + 36 * u * v * w**2 + 8 * v * w**3 + 24 * u**2 * v**2 + 60 * u * v**2 * w + 24 * v**2 * w**2 + 24 * u * v**3
        + 24 * v**3 * w + 6 * v**4,
        u**4 + 8 * u**3 * w + 24 * u**2 * w**2 + 24 * u * w**3 + 6 * w**4 + 6 * u**3 * v + 36 * u**2 * v * w
        + 60 * u * v * w**2 + 24 * v * w**3 + 12 * u**2 * v**2 + 36 * u * v**2 * w + 24 * v**2 * w**2 + 6 * u * v**3
        + 8 * v**3 * w + v**4,
        2 * u * w**3 + w**4,
        2 * v**3 * w + v**4,
        2 * u * w**3 + w**4 + 6 * u * v * w**2 + 6 * v * w**3 + 6 * u * v**2 * w + 12 * v**2 * w**2 + 2 * u * v**3
        + 6 * v**3 * w + v**4,
        w**4 + 2 * v * w**3,
    ]  # fmt: skip
    return np.stack(rows, axis=1) / 12


def regular_patch():
    """A lattice whose inner vertices have six neighbours, a triangle of it, and that one's twelve control points.

    Stam numbers them by the corners: 4 where v = w = 0, 7 where v = 1, 8 where w = 1.
    """
    columns, rows = 7, 7
    width = columns + 1

    def at(x, y):
        return y * width + x

    quads = [(at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)) for y in range(rows) for x in range(columns)]
    faces = np.array([[a, b, c] for a, b, c, _ in quads] + [[a, c, d] for a, _, c, d in quads])
    triangle = next(t for t in faces.tolist() if at(3, 3) in t and at(4, 3) in t)
    a, b, c = triangle
    place = {v: np.array([v % width, v // width]) for v in range(width * (rows + 1))}
    p, q, r = place[a], place[b], place[c]
    # Of the lattice with steps q - p and r - p.
    control = [
        p - (r - p),
        p - (q - p),
        q - (r - p),
        p,
        r - (q - p),
        q + (q - r),
        q,
        r,
        r + (r - q),
        2 * q - p,
        q + r - p,
        2 * r - p,
    ]
    # In Stam's order of the patch: 1, 2 | 3, 4, 5 | 6, 7, 8, 9 | 10, 11, 12.
    return faces, triangle, [at(*each) for each in control], len(place)


def test_a_regular_patch_converges_to_its_box_spline(rng):
    faces, triangle, control, count = regular_patch()
    positions = rng.normal(size=(count, 3))
    mesh = pucker.Mesh(faces, count)
    errors = []
    for levels in (2, 4):
        loop = byexample.LoopSubdivision(mesh, levels)
        fine = loop.matrix @ positions
        coordinates = matrix_of(loop.barycentrics)[:, triangle].toarray()
        inside = np.abs(coordinates.sum(axis=1) - 1) < 1e-12
        exact = box_spline(coordinates[inside]) @ positions[control]
        errors.append(np.abs(fine[inside] - exact).max())
    # The control polygon comes nearer to the surface by 1/4 a level.
    assert errors[1] == pytest.approx(errors[0] / 16, rel=0.3)
    assert errors[1] < 0.01


def test_the_box_spline_used_as_oracle_is_one():
    rng = np.random.default_rng(1)
    basis = box_spline(rng.dirichlet([1, 1, 1], 50))
    assert basis.sum(axis=1) == pytest.approx(np.ones(50))
    assert basis.min() >= 0


def test_matrices_are_views_that_outlive_their_owner(rng):
    body = sheet(rng, cells=3)
    rows = byexample.LoopSubdivision(body.mesh, 2).matrix
    assert not rows.data.flags.writeable
    assert matrix_of(rows).sum(axis=1) == pytest.approx(np.ones((rows.shape[0], 1)))
    assert matrix_of(rows) @ body.rest == pytest.approx(rows @ body.rest)


def metric_by_formula(mesh, rest, points, falloff, kept):
    a, b = rest[mesh.edges[:, 0]], rest[mesh.edges[:, 1]]
    length = np.linalg.norm(a - b, axis=1)
    detour = (
        np.linalg.norm(points[:, None] - a[None], axis=2) + np.linalg.norm(points[:, None] - b[None], axis=2) - length
    )
    raw = np.exp(-falloff * detour / length.mean())
    least = np.sort(raw, axis=1)[:, -kept][:, None]
    raw[raw < least] = 0
    return raw / raw.sum(axis=1)[:, None]


@pytest.mark.parametrize(("falloff", "kept"), [(2.0, 16), (0.3, 7), (5.0, 1)])
def test_the_metric_is_its_formula(rng, falloff, kept):
    body = sheet(rng)
    points = rng.uniform(size=(20, 3)) * [1, 1, 0.1]
    features = byexample.Features(body.mesh, body.rest)
    ours = matrix_of(features.metric(points, falloff=falloff, edges=kept)).toarray()
    assert ours == pytest.approx(metric_by_formula(body.mesh, body.rest, points, falloff, kept), abs=1e-12)


def test_features_are_lengths_against_those_at_rest(rng):
    body = tube()
    features = byexample.Features(body.mesh, body.rest)
    assert features.stretch(body.rest) == pytest.approx(np.ones(len(body.mesh.edges)), abs=1e-14)
    moved = body.rest + 0.05 * rng.normal(size=body.rest.shape)
    ends = moved[body.mesh.edges]
    lengths = np.linalg.norm(ends[:, 0] - ends[:, 1], axis=1)
    assert features.stretch(moved) == pytest.approx(lengths / features.rest_lengths)
    assert features.stretch(3 * moved @ rotation(rng).T + 5) == pytest.approx(3 * features.stretch(moved))


@pytest.mark.parametrize(("kernel", "scipy_kernel", "degree"), [("distance", "linear", -1)])
def test_weights_are_those_of_scipys_interpolation(rng, kernel, scipy_kernel, degree):
    body = sheet(rng, cells=5)
    features = byexample.Features(body.mesh, body.rest)
    metric = features.metric(body.rest)
    poses = 1 + 0.2 * rng.normal(size=(7, len(body.mesh.edges)))
    asked = 1 + 0.2 * rng.normal(size=len(body.mesh.edges))
    ours = byexample.PoseSpace(metric, poses, kernel=kernel).weights(asked)
    for point, row in enumerate(matrix_of(metric).toarray()):
        scale = np.sqrt(row)[row > 0]
        interpolate = RBFInterpolator(poses[:, row > 0] * scale, np.eye(7), kernel=scipy_kernel, degree=degree)
        expected = interpolate(asked[None, row > 0] * scale)[0]
        assert ours[point] == pytest.approx(expected / expected.sum(), abs=1e-9)


@pytest.mark.parametrize("kernel", ["distance", "squared"])
def test_weights_solve_the_systems_of_their_points(rng, kernel):
    body = tube()
    features = byexample.Features(body.mesh, body.rest)
    metric = features.metric(body.rest)
    poses = 1 + 0.1 * rng.normal(size=(5, len(body.mesh.edges)))
    asked = 1 + 0.1 * rng.normal(size=len(body.mesh.edges))
    power = 1 if kernel == "distance" else 2
    space = byexample.PoseSpace(matrix_of(metric), poses, kernel=kernel)
    ours = space.weights(asked)
    rows = matrix_of(metric).toarray()
    between = np.sqrt(np.einsum("ke,ije->kij", rows, (poses[:, None] - poses[None]) ** 2)) ** power
    away = np.sqrt(np.einsum("ke,je->kj", rows, (asked - poses) ** 2))
    assert space.distances(asked) == pytest.approx(away)
    expected = np.linalg.solve(between, (away**power)[..., None])[..., 0]
    assert ours == pytest.approx(expected / expected.sum(axis=1)[:, None], abs=1e-8)
