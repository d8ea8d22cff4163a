"""Why traced paths end: borders, thresholds, gaps, other paths and limits."""

from itertools import product

import numpy as np
import pytest
from exact import meetings
from motion import Shape, shape, sheet, squeeze, tube
from traced import WIDTH, barycentric_point, moving_sheet, params, seeds_in_every_triangle

import pucker


def compressed_between(body: Shape, low: float, high: float, angle: float = 0.0) -> pucker.CompressionField:
    """The sheet at rest, its paths along `angle`, compressed in the triangles whose middle lies between two x."""
    matrices = body.frames(body.rest).matrices
    wider = body.frames(body.rest @ np.linalg.inv(squeeze(angle, 1.5))).matrices
    middle = body.rest[body.faces].mean(axis=1)[:, 0]
    inside = (middle > low) & (middle < high)
    return pucker.CompressionField(
        body.mesh, body.rest, pucker.stretch(np.where(inside[:, None, None], wider, matrices), matrices)
    )


def middle_seed(body: Shape) -> pucker.Seed:
    """In the triangle whose middle is nearest to that of the sheet."""
    middle = body.rest[body.faces].mean(axis=1) - [0.5, 0.5, 0.0]
    return pucker.Seed(int(np.linalg.norm(middle, axis=1).argmin()), [0.4, 0.3, 0.3])


def test_the_index_tells_crossings_as_exact_arithmetic_does(rng):
    body = sheet(rng, cells=5)
    tracer, seeds = pucker.Tracer(body.mesh, params()), seeds_in_every_triangle(body, rng)
    fields = [compressed_between(body, -1, 2, angle) for angle in (0.15, 1.35)]
    traced = [tracer.trace(seed, field, id=i) for i, (field, seed) in enumerate(product(fields, seeds))]
    paths = [wrinkle for wrinkle in traced if wrinkle is not None]
    expected = {frozenset((first, second)) for first, second, _ in meetings(body.mesh, paths)}
    told = set()
    for first in paths:
        index = pucker.SegmentIndex(body.mesh)
        index.insert(fields[0], first)
        told |= {frozenset((first.id, other.id)) for other in paths if index.crossed_by(fields[0], other)}
    assert told == expected
    assert len(expected) > 100


def ends_of(wrinkle: pucker.Wrinkle) -> set[tuple[bool, pucker.WalkEnd]]:
    """Whether each end lies to the right of the sheet's middle, and why it is there."""
    return set(zip(wrinkle.points[[0, -1], 0] > 0.5, wrinkle.ends, strict=True))


def test_a_walk_ends_at_the_border(rng):
    body = sheet(rng)
    wrinkle = pucker.Tracer(body.mesh, params()).trace(middle_seed(body), compressed_between(body, -1, 2))
    assert ends_of(wrinkle) == {(False, pucker.WalkEnd.border), (True, pucker.WalkEnd.border)}
    np.testing.assert_allclose(np.sort(wrinkle.points[[0, -1], 0]), [0, 1], atol=1e-9)


def test_a_walk_ends_below_the_threshold(rng):
    body = sheet(rng)
    wrinkle = pucker.Tracer(body.mesh, params()).trace(middle_seed(body), compressed_between(body, -1, 0.7))
    assert ends_of(wrinkle) == {(False, pucker.WalkEnd.border), (True, pucker.WalkEnd.below_threshold)}


def compressed_but(body: Shape, low: float, high: float, beyond: float = 0.0) -> pucker.CompressionField:
    """The sheet at rest, its paths along x, but for the triangles between two x; beyond them paths turn by an angle."""
    matrices = body.frames(body.rest).matrices
    middle = body.rest[body.faces].mean(axis=1)[:, 0]
    reference = matrices.copy()
    for inside, angle in ((middle < low, 0.0), (middle > high, beyond)):
        reference[inside] = body.frames(body.rest @ np.linalg.inv(squeeze(angle, 1.5))).matrices[inside]
    return pucker.CompressionField(body.mesh, body.rest, pucker.stretch(reference, matrices))


def test_a_path_leads_straight_across_a_gap_in_the_compressed_cloth_that_is_short_enough(rng):
    body = sheet(rng, cells=16)
    seed = middle_seed(body)
    field = compressed_but(body, 0.6, 0.7)
    flat = np.pi * WIDTH
    # What lies between in truth: of the straight line through the seed, the part in triangles that are not compressed.
    start = barycentric_point(body.faces, body.rest, seed)
    line = np.stack([np.linspace(0, 1, 20_001), np.full(20_001, start[1])], axis=1)
    a, b, c = (body.rest[body.faces[:, k], :2] for k in range(3))

    def cross(u, v):
        return u[..., 0] * v[..., 1] - u[..., 1] * v[..., 0]

    inside = [cross(q - p, line[:, None] - p) >= 0 for p, q in ((a, b), (b, c), (c, a))]
    gap = (np.asarray(field.compression)[np.all(inside, axis=0).argmax(axis=1)] < 1.2).mean()
    for share, crosses in ((0.99, False), (1.01, True)):
        path = pucker.Tracer(body.mesh, params(bridge=share * gap / flat)).trace(seed, field)
        right = pucker.WalkEnd.border if crosses else pucker.WalkEnd.below_threshold
        assert ends_of(path) == {(False, pucker.WalkEnd.border), (True, right)}
        assert np.abs(path.points[:, 1] - start[1]).max() < 1e-9
    unbridged = pucker.Tracer(body.mesh, params()).trace(seed, field)
    verbatim = pucker.Params(min_width=WIDTH, verbatim=True)
    for other in (params(bridge=0.99 * gap / flat), verbatim.replace(tracing={"bridge": 2.0})):
        path = pucker.Tracer(body.mesh, other).trace(seed, field)
        np.testing.assert_array_equal(path.points, unbridged.points)


@pytest.mark.parametrize(("turn", "crosses"), [(0.0, True), (0.7, True), (0.85, False), (np.pi / 2, False)])
def test_no_gap_is_bridged_to_cloth_that_wrinkles_another_way(rng, turn, crosses):
    body = sheet(rng, cells=16)
    field = compressed_but(body, 0.6, 0.7, turn)
    path = pucker.Tracer(body.mesh, params(bridge=10.0)).trace(middle_seed(body), field)
    assert (path.points[:, 0].max() > 0.72) == crosses


def test_no_gap_is_bridged_across_another_path_or_to_nothing(rng):
    body = sheet(rng, cells=16)
    seed, field = middle_seed(body), compressed_but(body, 0.6, 0.7)
    tracer, index = pucker.Tracer(body.mesh, params(bridge=10.0)), pucker.SegmentIndex(body.mesh)
    upright = compressed_between(body, -1, 2, np.pi / 2)
    middle = body.rest[body.faces].mean(axis=1) - [0.65, 0.5, 0.0]
    index.insert(
        upright, tracer.trace(pucker.Seed(int(np.linalg.norm(middle, axis=1).argmin()), [0.4, 0.3, 0.3]), upright, id=1)
    )
    for path in (tracer.trace(seed, field, index, 2), tracer.trace(seed, compressed_between(body, -1, 0.6))):
        assert ends_of(path) == {(False, pucker.WalkEnd.border), (True, pucker.WalkEnd.below_threshold)}
        assert path.points[:, 0].max() < 0.7


def test_a_walk_ends_near_another_path(rng):
    body = sheet(rng)
    tracer, index = pucker.Tracer(body.mesh, params()), pucker.SegmentIndex(body.mesh)
    upright = compressed_between(body, -1, 2, np.pi / 2)
    right = body.rest[body.faces].mean(axis=1) - [0.8, 0.5, 0.0]
    across = tracer.trace(pucker.Seed(int(np.linalg.norm(right, axis=1).argmin()), [0.4, 0.3, 0.3]), upright, id=1)
    index.insert(upright, across)
    wrinkle = tracer.trace(middle_seed(body), compressed_between(body, -1, 2), index, 2)
    assert ends_of(wrinkle) == {(False, pucker.WalkEnd.border), (True, pucker.WalkEnd.near_path)}


def test_a_walk_ends_at_the_cap_on_points(rng):
    body = sheet(rng)
    field, seed = compressed_between(body, -1, 2), middle_seed(body)
    whole = pucker.Tracer(body.mesh, params()).trace(seed, field)
    capped = pucker.Tracer(body.mesh, params(max_points=len(whole.t) - 1)).trace(seed, field)
    assert capped.ends == (pucker.WalkEnd.border, pucker.WalkEnd.cap)


def test_a_walk_ends_where_the_direction_leads_back():
    # Two triangles at an edge along x: a path of 10° comes up to it, and beyond it the direction is -10°.
    body = shape(np.array([[0, 2, 1], [0, 1, 3]]), np.array([[0, 0, 0], [2, 0, 0], [1, -1, 0], [1, 1, 0]], float))
    wider = [body.frames(body.rest @ np.linalg.inv(squeeze(angle, 1.5))).matrices for angle in np.radians([10, -10])]
    reference = np.stack([wider[0][0], wider[1][1]])
    field = pucker.CompressionField(body.mesh, body.rest, pucker.stretch(reference, body.frames(body.rest).matrices))
    wrinkle = pucker.Tracer(body.mesh, params()).trace(pucker.Seed(0, [0.45, 0.1, 0.45]), field)
    assert ends_of(wrinkle) >= {(True, pucker.WalkEnd.no_direction)} or pucker.WalkEnd.no_direction in wrinkle.ends
    assert abs(wrinkle.points[:, 1]).min() < 1e-9
    assert set(wrinkle.triangles) == {0}


def test_only_a_wrinkle_just_traced_knows_why_it_ended(rng):
    body = sheet(rng)
    field = compressed_between(body, -1, 2)
    wrinkle = pucker.Tracer(body.mesh, params()).trace(middle_seed(body), field)
    assert pucker.Shaper(params()).step(wrinkle, field, 1 / 30).ends is None


@pytest.mark.parametrize("most", [2, 3, 7, 50])
def test_no_path_has_more_points_than_allowed(rng, most):
    body = tube(30, 4)
    field = body.field(body.rest * [1, 1, 1 / 1.5])
    tracer = pucker.Tracer(body.mesh, params(max_points=most, min_length=0.0))
    sizes = [len(tracer.trace(seed, field).t) for seed in seeds_in_every_triangle(body, rng)]
    assert max(sizes) == most


@pytest.mark.parametrize("most", [0, 1, 4])
def test_no_more_wrinkles_grow_than_allowed(rng, most):
    body, current = moving_sheet(rng)
    tracer = pucker.Tracer(body.mesh, params(max_wrinkles=most))
    wrinkles, _ = tracer.grow(body.field(current), [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert len(wrinkles) == most
    more, _ = tracer.grow(body.field(current), wrinkles, pucker.SegmentIndex(body.mesh), 1, most)
    assert len(more) == most


def test_triangles_without_area_start_nothing_and_stop_every_path(rng):
    body = sheet(rng)
    current = body.rest @ squeeze(0.3, 1.5)
    flat = body.faces[60]
    current[flat[2]] = 0.5 * (current[flat[0]] + current[flat[1]])
    field = body.field(current)
    tracer = pucker.Tracer(body.mesh, params())
    dead = np.flatnonzero(body.frames(current).areas < 1e-15)
    assert 60 in dead
    assert not {seed.triangle for seed in tracer.seed(field)} & set(dead)
    wrinkles, _ = tracer.grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert not np.isin(np.concatenate([wrinkle.triangles for wrinkle in wrinkles]), dead).any()
