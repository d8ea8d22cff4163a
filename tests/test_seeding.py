"""Where paths begin: seeds, trains of parallel wrinkles, and the distance kept from other paths."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from motion import shape, sheet, squeeze, tube
from traced import WIDTH, barycentric_point, moving_sheet, params

import pucker
from pucker.examples import grid_faces


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
    wrinkles, _ = pucker.Tracer(body.mesh, pucker.Params.ridges().replace(min_width=0.02)).grow(
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
