"""Paths traced across the compression: where they run, where they stop, and what they do not depend on."""

import numpy as np
import pytest
from exact import meetings
from motion import Shape, rotation, shape, sheet, sphere, squeeze, tube
from traced import WIDTH, barycentric_point, moving_sheet, params, seeds_in_every_triangle

import pucker
from pucker.examples import grid_faces


def points_of(points: np.ndarray, other: np.ndarray) -> np.ndarray:
    """`other`, run through in the sense of `points`."""
    return other if np.linalg.norm(points[0] - other[0]) <= np.linalg.norm(points[0] - other[-1]) else other[::-1]


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
