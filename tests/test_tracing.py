"""Paths traced across the compression: where they run, where they stop, and what they do not depend on."""

from concurrent.futures import ThreadPoolExecutor
from itertools import product

import numpy as np
import pytest
from exact import meetings
from motion import Shape, rotation, shape, sheet, sphere, squeeze, tube, waves

import pucker
from pucker.examples import grid_faces

WIDTH = 0.01


def params(**tracing: object) -> pucker.Params:
    """Scattered seeds, one at a time, unless told otherwise; paths where cloth is shorter by a sixth."""
    return pucker.Params(threshold=1.2, min_width=WIDTH, tracing={"seeding": "scattered", "coherence": 0.0, **tracing})


def points_of(points: np.ndarray, other: np.ndarray) -> np.ndarray:
    """`other`, run through in the sense of `points`."""
    return other if np.linalg.norm(points[0] - other[0]) <= np.linalg.norm(points[0] - other[-1]) else other[::-1]


def barycentric_point(faces: np.ndarray, positions: np.ndarray, seed: pucker.Seed) -> np.ndarray:
    return np.asarray(seed.barycentrics) @ positions[faces[seed.triangle]]


def seeds_in_every_triangle(body: Shape, rng: np.random.Generator) -> list[pucker.Seed]:
    return [pucker.Seed(t, rng.dirichlet([2, 2, 2])) for t in range(body.mesh.triangle_count)]


# --- where paths run ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 0.3, 1.2, np.pi / 2, 2.5])
def test_paths_on_a_flat_sheet_are_straight_lines_along_the_known_direction(rng, angle):
    body = sheet(rng)
    turn = rotation(rng)
    current = body.rest @ squeeze(angle, 1.5) @ turn.T
    along = turn @ [np.cos(angle), np.sin(angle), 0]
    field = body.field(current)
    tracer = pucker.Tracer(body.mesh, params())
    for seed in seeds_in_every_triangle(body, rng):
        wrinkle = tracer.trace(seed, field)
        if wrinkle is None:  # a line that cuts off a corner of the sheet
            continue
        offset = wrinkle.points - barycentric_point(body.faces, current, seed)
        assert np.abs(offset - np.outer(offset @ along, along)).max() < 1e-9
        assert (np.diff(offset @ along) > 0).all() or (np.diff(offset @ along) < 0).all()


@pytest.mark.parametrize("angle", [0.3, 1.2])
def test_a_path_crosses_all_of_the_compressed_cloth(rng, angle):
    body = sheet(rng)
    field = body.field(body.rest @ squeeze(angle, 1.5))
    edges = {tuple(edge) for edge in body.mesh.edges}
    count = np.zeros(len(edges), int)
    np.add.at(count, body.mesh.triangle_edges.ravel(), 1)
    boundary = {tuple(edge) for edge, triangles in zip(body.mesh.edges, count, strict=True) if triangles == 1}
    tracer = pucker.Tracer(body.mesh, params(min_length=0.0))
    for seed in seeds_in_every_triangle(body, rng):
        wrinkle = tracer.trace(seed, field)
        assert {tuple(wrinkle.vertices[0]), tuple(wrinkle.vertices[-1])} <= boundary


def test_paths_on_a_squeezed_tube_are_circles_round_it(rng):
    body = tube()
    field = body.field(body.rest * [1, 1, 1 / 1.5])
    tracer = pucker.Tracer(body.mesh, params())
    around = 14 * np.sin(np.pi / 14)
    gap = params().persistence.merge_distance * WIDTH  # between the two ends
    for seed in seeds_in_every_triangle(body, rng):
        wrinkle = tracer.trace(seed, field)
        assert np.ptp(wrinkle.points[:, 2]) < 1e-9
        assert around - gap - 1e-9 < wrinkle.length < around + 1e-9


def test_a_path_through_isotropic_cloth_is_a_geodesic(rng):
    potpourri3d = pytest.importorskip("potpourri3d")
    body = sphere()
    current = body.rest * [1.0, 0.8, 1.3]
    matrices = body.frames(current).matrices
    # Every triangle is compressed, none has a direction of its own: a path keeps the direction it starts with.
    field = pucker.CompressionField(body.mesh, current, pucker.stretch(np.diag([1.5, 1.4]) @ matrices, matrices))
    tracer = pucker.Tracer(body.mesh, params(isotropy=10.0, max_points=40))
    oracle = potpourri3d.GeodesicTracer(current, np.asarray(body.faces))
    frames = body.frames(current)
    left = pucker.stretch(np.diag([1.5, 1.4]) @ matrices, matrices).left
    compared = 0
    for seed in seeds_in_every_triangle(body, rng)[::3]:
        points = tracer.trace(seed, field).points
        along = left[seed.triangle, :, 0] @ frames.axes[seed.triangle]
        for way in (points, points[::-1]):
            # Both begin where they leave the seed's triangle; the path goes on until it would meet itself.
            line = oracle.trace_geodesic_from_face(seed.triangle, np.asarray(seed.barycentrics), 2 * along)[1:-1]
            first = np.linalg.norm(way - line[0], axis=1).argmin()
            onward = way[first : first + 8]
            np.testing.assert_allclose(onward[:-1], line[: len(onward) - 1], atol=1e-8)
            compared += len(onward) - 1
            along = -along
    assert compared > 300


def test_a_direction_is_carried_over_an_edge_as_if_both_triangles_lay_flat(rng):
    strip = shape(grid_faces(6, 1), np.stack([np.tile(np.arange(7.0), 2), np.repeat([0.0, 1.0], 7), np.zeros(14)], 1))
    folded = strip.rest.copy()
    folded[:, 2] = np.where(strip.rest[:, 0] % 2 == 1, 0.7, 0.0)  # pleats keep the lengths along y
    folded[:, 0] *= np.sqrt(1 - 0.49)
    matrices = strip.frames(folded).matrices
    flat, folds = (
        pucker.CompressionField(strip.mesh, positions, pucker.stretch(1.5 * matrices, matrices))
        for positions in (strip.rest, folded)
    )
    tracer = pucker.Tracer(strip.mesh, params(isotropy=10.0))
    for seed in seeds_in_every_triangle(strip, rng):
        np.testing.assert_allclose(tracer.trace(seed, folds).t, tracer.trace(seed, flat).t, atol=1e-9)


# --- what paths do not depend on ----------------------------------------------------------------------------------


def moving_sheet(rng: np.random.Generator) -> tuple[Shape, np.ndarray]:
    body = sheet(rng)
    return body, waves(rng, body.rest, 0.15)(0.0) @ squeeze(0.4, 1.3)


def assert_same_paths(
    rng: np.random.Generator, change: str, body: Shape, current: np.ndarray, seeds: list[pucker.Seed]
) -> None:
    other, points, others, scale, turn = body, current, seeds, 1.0, np.eye(3)
    if change == "rotated":
        turn = rotation(rng)
        points = current @ turn.T
    elif change == "scaled":
        scale = 1000.0
        other, points = shape(body.faces, scale * body.rest), scale * current
    elif change == "vertices permuted":
        order = rng.permutation(len(body.rest))
        other, points = shape(np.argsort(order)[body.faces], body.rest[order]), current[order]
    elif change == "triangles permuted":
        order = rng.permutation(len(body.faces))
        other = shape(body.faces[order], body.rest)
        others = [pucker.Seed(int(np.argsort(order)[seed.triangle]), seed.barycentrics) for seed in seeds]
    elif change == "corners permuted":
        corners = np.array([rng.permutation(3) for _ in body.faces])
        other = shape(np.take_along_axis(body.faces, corners, axis=1), body.rest)
        others = [pucker.Seed(seed.triangle, np.asarray(seed.barycentrics)[corners[seed.triangle]]) for seed in seeds]
    field, other_field = body.field(current), other.field(points)
    tracer = pucker.Tracer(body.mesh, params())
    other_tracer = pucker.Tracer(other.mesh, params().replace(min_width=scale * WIDTH))
    traced = 0
    for seed, other_seed in zip(seeds, others, strict=True):
        wrinkle, copy = tracer.trace(seed, field), other_tracer.trace(other_seed, other_field)
        assert (wrinkle is None) == (copy is None)
        if wrinkle is not None:
            traced += 1
            back = points_of(wrinkle.points, copy.points @ turn / scale)
            np.testing.assert_allclose(back, wrinkle.points, atol=1e-9)
    assert traced > 10


@pytest.mark.parametrize("change", ["rotated", "scaled", "vertices permuted", "triangles permuted", "corners permuted"])
def test_given_seeds_have_the_same_paths_when_the_cloth_is(rng, change):
    body, current = moving_sheet(rng)
    compressed = np.flatnonzero(body.field(current).compression > 1.2)
    seeds = [pucker.Seed(int(t), rng.dirichlet([2, 2, 2])) for t in compressed]
    assert_same_paths(rng, change, body, current, seeds)


# --- where paths stop ---------------------------------------------------------------------------------------------


def test_paths_stay_in_cloth_past_the_threshold(rng):
    body, current = moving_sheet(rng)
    field = body.field(current)
    tracer = pucker.Tracer(body.mesh, params())
    wrinkles, _ = tracer.grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert len(wrinkles) > 5
    for wrinkle in wrinkles:
        assert (field.compression[wrinkle.triangles] >= 1.2).all()
        assert (wrinkle.heights == 0).all()
        assert wrinkle.length >= 8.0 * WIDTH


def test_a_path_keeps_its_distance_from_those_before_it(rng):
    body, current = moving_sheet(rng)
    field = body.field(current)
    tracer = pucker.Tracer(body.mesh, params(seed_distance=0.0))
    wrinkles, next_id = tracer.grow(field, [], pucker.SegmentIndex(body.mesh), 0, 5)
    assert [wrinkle.id for wrinkle in wrinkles] == list(range(5, next_id))
    for wrinkle in wrinkles:
        pucker.require_path(body.mesh, wrinkle)
    assert list(meetings(body.mesh, wrinkles)) == []


def test_a_path_crosses_its_own_copy_of_another_id(rng):
    body, current = moving_sheet(rng)
    field = body.field(current)
    tracer, index = pucker.Tracer(body.mesh, params()), pucker.SegmentIndex(body.mesh)
    seed = tracer.seed(field)[0]
    wrinkle, copy = tracer.trace(seed, field, id=1), tracer.trace(seed, field, id=2)
    index.insert(field, wrinkle)
    assert index.crossed_by(field, copy)
    assert not index.crossed_by(field, wrinkle)
    assert list(meetings(body.mesh, [wrinkle, copy]))


# --- why they stop ------------------------------------------------------------------------------------------------


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


# --- seeds --------------------------------------------------------------------------------------------------------


def key(seeds: list[pucker.Seed]) -> dict[int, list[tuple[float, ...]]]:
    out: dict[int, list[tuple[float, ...]]] = {}
    for seed in seeds:
        out.setdefault(seed.triangle, []).append(tuple(seed.barycentrics))
    return out


@pytest.mark.threads
def test_the_same_points_are_tried_in_every_frame_in_any_thread(rng):
    body, current = moving_sheet(rng)
    field = body.field(current)
    first = key(pucker.Tracer(body.mesh, params()).seed(field, 0))

    def seed(frame: int) -> dict:
        return key(pucker.Tracer(body.mesh, params()).seed(field, frame))

    with ThreadPoolExecutor(4) as pool:
        assert all(seeds == first for seeds in pool.map(seed, range(12)))


def test_a_triangle_s_points_do_not_depend_on_the_other_triangles(rng):
    body, current = moving_sheet(rng)
    seeds = key(pucker.Tracer(body.mesh, params()).seed(body.field(current)))
    others = key(pucker.Tracer(body.mesh, params()).seed(body.field(current * [1, 1, 0.2])))
    common = seeds.keys() & others.keys()
    assert len(common) > 10
    assert seeds.keys() != others.keys()
    for t in common:  # a larger triangle has more points, the first ones are the same
        assert all(point == other for point, other in zip(seeds[t], others[t], strict=False))


def test_the_key_and_verbatim_the_frame_give_other_points(rng):
    body, current = moving_sheet(rng)
    field = body.field(current)
    tracer = pucker.Tracer(body.mesh, params())
    assert key(tracer.seed(field)) != key(pucker.Tracer(body.mesh, params().replace(seed=1)).seed(field))
    verbatim = pucker.Tracer(body.mesh, params().replace(verbatim=True))
    assert key(verbatim.seed(field, 3)) == key(verbatim.seed(field, 3))
    assert key(verbatim.seed(field, 3)) != key(verbatim.seed(field, 4))


def test_seeds_lie_past_the_threshold_the_most_compressed_triangle_first(rng):
    body, current = moving_sheet(rng)
    field = body.field(current)
    compression = field.compression[[seed.triangle for seed in pucker.Tracer(body.mesh, params()).seed(field)]]
    assert (compression > 1.2).all()
    assert (np.diff(compression) <= 0).all()


def test_a_triangle_without_a_direction_has_no_seed(rng):
    body = sheet(rng)
    matrices = body.frames(body.rest).matrices
    field = pucker.CompressionField(body.mesh, body.rest, pucker.stretch(1.5 * matrices, matrices))
    assert pucker.Tracer(body.mesh, params()).seed(field) == []


def test_seeds_are_spread_evenly_over_a_triangle(rng):
    body = sheet(rng, cells=50)
    field = body.field(body.rest @ squeeze(0.3, 1.5))
    seeds = pucker.Tracer(body.mesh, pucker.Params(min_width=1e-4, tracing={"seeds_per_triangle": 4})).seed(field)
    weights = np.array([seed.barycentrics for seed in seeds])
    assert len(seeds) == 4 * body.mesh.triangle_count
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-15)
    assert (weights >= 0).all()
    # Uniform: mean 1/3 and variance 1/18 of each weight; 20 000 samples, so five deviations are 0.008.
    np.testing.assert_allclose(weights.mean(axis=0), 1 / 3, atol=0.008)
    np.testing.assert_allclose(weights.var(axis=0), 1 / 18, atol=0.003)


def distance_to_polyline(point: np.ndarray, line: np.ndarray) -> float:
    start, along = line[:-1], np.diff(line, axis=0)
    u = np.clip(((point - start) * along).sum(axis=1) / (along**2).sum(axis=1), 0, 1)
    return float(np.linalg.norm(start + u[:, None] * along - point, axis=1).min())


@pytest.mark.parametrize("compression", [1.25, 1.5])
def test_trains_are_parallel_and_take_up_the_excess_cloth(rng, compression):
    body = sheet(rng)
    field = body.field(body.rest @ squeeze(np.pi / 2, compression))
    tracer = pucker.Tracer(body.mesh, params(seeding="trains"))
    wrinkles, next_id = tracer.grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert next_id == len(wrinkles)
    across = np.sort([wrinkle.points[:, 0].mean() for wrinkle in wrinkles])
    assert max(np.ptp(wrinkle.points[:, 0]) for wrinkle in wrinkles) < 1e-9
    assert min(wrinkle.length for wrinkle in wrinkles) > 1 - 1e-9
    # Side by side they are as far apart as the cloth of a flat wrinkle is wide now.
    flat = np.pi * WIDTH
    np.testing.assert_allclose(np.diff(across)[1:-1], flat / compression, rtol=1e-9)
    # ∫(1 − 1/λ̃) over the cloth, of which every wrinkle takes up s(1 − 1/λ̃).
    taken = len(wrinkles) * flat * (1 - 1 / compression)
    assert abs(taken - (1 - 1 / compression)) <= 2 * flat * (1 - 1 / compression)
    scattered, _ = pucker.Tracer(body.mesh, params()).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert len(scattered) < 0.75 * len(wrinkles)
    # Nothing is left to start.
    occupied = pucker.SegmentIndex(body.mesh)
    for wrinkle in wrinkles:
        occupied.insert(field, wrinkle)
    assert tracer.grow(field, wrinkles, occupied, 1, next_id)[1] == next_id


def test_trains_of_hairs_end(rng):
    body = sheet(rng)
    field = body.field(body.rest @ squeeze(np.pi / 2, 1.5))
    # 10¹² flat widths fit beside one path.
    hairs = pucker.Params(min_width=1e-12, tracing={"seeding": "trains", "max_points": 50, "max_wrinkles": 20})
    wrinkles, _ = pucker.Tracer(body.mesh, hairs).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert len(wrinkles) == 20


def test_trains_on_a_tube_are_rings(rng):
    body = tube(24, 16)
    field = body.field(body.rest * [1, 1, 1 / 1.4])
    wrinkles, _ = pucker.Tracer(body.mesh, pucker.Params(min_width=0.02, tracing={"seeding": "trains"})).grow(
        field, [], pucker.SegmentIndex(body.mesh), 0, 0
    )
    heights = np.sort([wrinkle.points[:, 2].mean() for wrinkle in wrinkles])
    np.testing.assert_allclose(np.diff(heights)[1:-1], 0.02 * np.pi / 1.4, rtol=1e-6)


def test_verbatim_knows_no_trains(rng):
    body = sheet(rng)
    field = body.field(body.rest @ squeeze(0.3, 1.5))
    found = [
        pucker.Tracer(body.mesh, params(seeding=seeding).replace(verbatim=True)).grow(
            field, [], pucker.SegmentIndex(body.mesh), 0, 0
        )[0]
        for seeding in ("scattered", "trains")
    ]
    assert found[0] == found[1]


def test_exactly_the_seeds_far_enough_from_every_path_grow_one(rng):
    body = sheet(rng)
    current = body.rest @ squeeze(0.4, 1.5)  # paths are straight, so their curves are too
    field = body.field(current)
    tracer = pucker.Tracer(body.mesh, params())
    index = pucker.SegmentIndex(body.mesh)
    expected: list[pucker.Wrinkle] = []
    for seed in tracer.seed(field):
        point = barycentric_point(body.faces, current, seed)
        if any(distance_to_polyline(point, wrinkle.points) < params().flat_width for wrinkle in expected):
            continue
        wrinkle = tracer.trace(seed, field, index, len(expected))
        if wrinkle is not None:
            index.insert(field, wrinkle)
            expected.append(wrinkle)
    grown, _ = tracer.grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    assert len(grown) > 10
    assert grown == expected


def test_of_triangles_that_are_as_compressed_the_first_is_begun_in_first():
    rest = np.stack(np.meshgrid(np.arange(9.0), np.arange(9.0), [0.0]), axis=-1).reshape(-1, 3) / 8
    body = shape(grid_faces(8, 8), rest)
    field = body.field(rest * [0.5, 1, 1])
    found = pucker.Tracer(body.mesh, params()).seed(field, 0)
    order = [(-field.compression[seed.triangle], seed.triangle) for seed in found]
    assert order == sorted(order)
    assert len({compression for compression, _ in order}) < len({triangle for _, triangle in order}) / 4


# --- smoothing ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fold", [0.0, 0.9, 2.5])
def test_smoothing_moves_a_point_half_way_to_the_straight_line(rng, fold):
    # Two triangles over the common edge from (0, 0, 0) to (0, 2, 0), the second turned about it by `fold`.
    rest = np.array([[0, 0, 0], [0, 2, 0], [-1, 0.8, 0], [1.4 * np.cos(fold), 1.1, 1.4 * np.sin(fold)]])
    body = shape(np.array([[0, 1, 2], [1, 0, 3]]), rest)
    matrices = body.frames(rest).matrices
    # Compressed along the edge, slantingly in the second triangle, so that the path bends at the edge.
    shorten = np.array([np.diag([1.5, 1.0]), [[1.4, 0.2], [0.2, 1.1]]])
    field = pucker.CompressionField(body.mesh, rest, pucker.stretch(shorten @ matrices, matrices))
    tracer = pucker.Tracer(body.mesh, params())
    path = tracer.trace(pucker.Seed(0, [0.3, 0.4, 0.3]), field)
    assert len(path.t) == 3
    for _ in range(3):
        ends = path.points[[0, 2]]
        heights = np.array([ends[0, 1], ends[1, 1]])
        away = np.hypot(ends[:, 0], ends[:, 2])
        meeting = (heights[0] * away[1] + heights[1] * away[0]) / away.sum()
        assert abs(path.points[1, 1] - meeting) > 0.01
        smoothed = pucker.smooth_path(field, path)
        assert smoothed.points[1, 1] == pytest.approx(0.5 * (path.points[1, 1] + meeting), abs=1e-14)
        np.testing.assert_array_equal(smoothed.points[[0, 2]], ends)
        path = smoothed


# --- errors -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("triangle", "weights", "message"),
    [
        (-1, [1, 0, 0], r"must lie in \[0, 128\), got -1"),
        (128, [1, 0, 0], r"must lie in \[0, 128\), got 128"),
        (0, [0.5, 0.2, 0.2], "sum to 1, got 0.5 0.2 0.2"),
        (0, [1.5, -0.5, 0], "at least 0"),
        (0, [np.nan, 0.5, 0.5], "at least 0"),
    ],
)
def test_a_seed_outside_the_mesh_is_refused(rng, triangle, weights, message):
    body = sheet(rng)
    with pytest.raises(ValueError, match=message):
        pucker.Tracer(body.mesh, params()).trace(pucker.Seed(triangle, weights), body.field(body.rest))


def test_a_field_or_an_index_of_another_mesh_is_refused(rng):
    body, other = sheet(rng), sheet(rng, cells=9)
    tracer = pucker.Tracer(body.mesh, params())
    seed = pucker.Seed(0, [1 / 3, 1 / 3, 1 / 3])
    with pytest.raises(ValueError, match="the mesh the tracer was made for, got one of 100 vertices and 162 triangles"):
        tracer.trace(seed, other.field(other.rest))
    with pytest.raises(ValueError, match="the mesh the tracer was made for"):
        tracer.seed(other.field(other.rest))
    with pytest.raises(ValueError, match="a mesh of 128 triangles, got one for 162"):
        tracer.trace(seed, body.field(body.rest), pucker.SegmentIndex(other.mesh))


def test_no_path_starts_where_a_single_row_of_narrow_triangles_is_compressed():
    # A sheet of which one strip, narrower than a fold, is squeezed along it.
    flat = np.pi * WIDTH
    y, x = np.mgrid[:81, :21]
    rest = np.stack([0.05 * x.ravel(), 0.2 * flat * y.ravel(), 0.0 * x.ravel()], axis=1)
    body = shape(grid_faces(20, 80), rest)
    squeezed = []
    for rows in (2, 20):
        steps = np.full(80, 1.0)
        steps[40 - rows // 2 : 40 + rows // 2] = 1 / 1.5
        now = rest.copy()
        now[:, 1] = 0.2 * flat * np.concatenate([[0.0], np.cumsum(steps)])[y.ravel()]
        field = body.field(now)
        paths = {
            coherence: pucker.Tracer(body.mesh, params(coherence=coherence)).grow(
                field, [], pucker.SegmentIndex(body.mesh), 0, 0
            )[0]
            for coherence in (0.0, 1.0)
        }
        squeezed.append((len(paths[0.0]), len(paths[1.0])))
    (narrow_any, narrow), (wide_any, wide) = squeezed
    assert narrow_any > 0
    assert narrow == 0
    assert wide_any > 0
    assert wide > 0
