"""Paths carried between frames: the energy and its minimiser, merging, change of length, and what stays at rest."""

import numpy as np
import pytest
from carried import DT, WIDTH, Step, grown, moving_sheet, params
from exact import meetings
from motion import Shape, rotation, shape, sheet, squeeze

import pucker
from pucker.examples import bending_sleeve

LEAST_STEP = 2 * 0.05 * WIDTH  # both ends of a path leave out steps smaller than this share of the width


# --- rest and rigid motion ----------------------------------------------------------------------------------------


def test_without_motion_no_bit_changes(rng):
    for _ in range(10):
        step = moving_sheet(rng)
        still = Step(step.body, step.before, step.before)
        given = params(length_change=0.0)
        persistence = pucker.Persistence(step.body.mesh, given)
        wrinkles = grown(step.body, step.before, given)
        for wrinkle in wrinkles:
            np.testing.assert_array_equal(persistence.solve(wrinkle, still.motion), wrinkle.t)
        moved, _, _ = persistence.step(wrinkles, still.motion)
        for wrinkle, kept in zip(wrinkles, moved, strict=True):
            np.testing.assert_array_equal(kept.t, wrinkle.t)
            np.testing.assert_array_equal(kept.points, wrinkle.points)
            assert kept.age == DT


def test_rigid_motion_leaves_t_alone_but_not_verbatim(rng):
    drift = []
    for verbatim in (False, True):
        step = moving_sheet(rng)
        turned = step.before @ rotation(rng).T + rng.normal(size=3)
        given = params(verbatim=verbatim, alpha=0.0 if verbatim else 0.4)
        persistence = pucker.Persistence(step.body.mesh, given)
        motion = Step(step.body, step.before, turned).motion
        wrinkles = grown(step.body, step.before, given)
        drift.append(max(abs(persistence.solve(wrinkle, motion) - wrinkle.t).max() for wrinkle in wrinkles))
    ours, theses = drift
    assert ours < 1e-9
    assert theses > 1e-3


def test_verbatim_a_path_at_rest_settles_along_the_compression_each_step_smaller():
    # Narrow quads as high as the strip, so that the path stays on their upright edges while it turns.
    columns = 12
    x = np.linspace(0, 1, columns + 1)
    rest = np.concatenate([np.stack([x, np.full_like(x, y), 0 * x], axis=1) for y in (-1.0, 1.0)])
    faces = np.concatenate(
        [[[k, k + 1, columns + 2 + k], [k, columns + 2 + k, columns + 1 + k]] for k in range(columns)]
    )
    body = shape(faces, 50 * rest)  # the verbatim energy has a unit of length; here its alignment is strong
    given = pucker.Params(min_width=0.5, verbatim=True, persistence={"vertex_fraction": 0.0, "merge_distance": 1e-3})
    angle = 0.2
    wrinkle = pucker.Tracer(body.mesh, given).trace(
        pucker.Seed(12, [1 / 3, 1 / 3, 1 / 3]), body.field(body.rest @ squeeze(0.0, 1.5))
    )
    current = body.rest @ squeeze(angle, 1.5)
    step = Step(body, current, current)
    persistence = pucker.Persistence(body.mesh, given)
    sizes, wrinkles = [], [wrinkle]
    for _ in range(300):
        before = wrinkles[0].t
        wrinkles, _, _ = persistence.step(wrinkles, step.motion)
        assert len(wrinkles) == 1
        sizes.append(np.linalg.norm(wrinkles[0].t - before))
        if sizes[-1] < 1e-12:
            break
    assert len(sizes) > 3
    assert (np.diff(sizes) < 0).all()
    along = np.diff(wrinkles[0].points[[0, -1]], axis=0)[0]
    assert np.arctan2(along[1], along[0]) == pytest.approx(angle, abs=1e-6)


@pytest.mark.parametrize("method", ["edges", "projection"])
def test_a_sleeve_that_stops_comes_to_rest_bit_for_bit(method):
    clip = bending_sleeve()
    given = pucker.Params(min_width=0.0075 * clip.height, persistence={"method": method})
    wrinkler = pucker.Wrinkler(clip.mesh, given)
    for frame in range(16):
        wrinkler.advance(clip.positions[frame], frame * DT)
    previous: list = []
    changed = 0
    for frame in range(16, 136):
        state = wrinkler.advance(clip.positions[15], frame * DT)
        paths = [(w.id, w.alive, w.points.tobytes(), w.knot_widths.tobytes(), w.knot_heights.tobytes())
                 for w in state.wrinkles]  # fmt: skip
        if paths != previous:
            changed = frame
        previous = paths
    assert previous
    assert changed < 16 + 60


# --- length -------------------------------------------------------------------------------------------------------


def compressed_between(body: Shape, low: float, high: float) -> pucker.CompressionField:
    """The sheet at rest, compressed along y in the triangles whose middle lies between two x."""
    matrices = body.frames(body.rest).matrices
    wider = body.frames(body.rest @ np.linalg.inv(squeeze(0.0, 1.5))).matrices
    middle = body.rest[body.faces].mean(axis=1)[:, 0]
    inside = (middle > low) & (middle < high)
    return pucker.CompressionField(
        body.mesh, body.rest, pucker.stretch(np.where(inside[:, None, None], wider, matrices), matrices)
    )


def compressed_everywhere(body: Shape) -> pucker.CompressionField:
    return compressed_between(body, -1.0, 2.0)


def lengths_over_time(
    body: Shape, wrinkle: pucker.Wrinkle, field: pucker.CompressionField, dt: float, steps: int, **values: object
) -> list[float]:
    persistence = pucker.Persistence(body.mesh, params(**values))
    still = body.stretch(body.rest, body.rest)
    motion = pucker.Motion(field, body.rest, still, dt, 0.1)
    lengths, wrinkles = [wrinkle.length], [wrinkle]
    for _ in range(steps):
        wrinkles, _, _ = persistence.step(wrinkles, motion)
        lengths.append(max(w.length for w in wrinkles if w.alive))
    return lengths


def middle_seed(cells: int) -> pucker.Seed:
    return pucker.Seed(cells * cells + cells, [0.4, 0.3, 0.3])


@pytest.mark.parametrize("dt", [DT, DT / 2, 2 * DT])
def test_a_path_grows_by_at_most_15_percent_an_interval(rng, dt):
    body = sheet(rng, cells=10)
    short = pucker.Tracer(body.mesh, params()).trace(middle_seed(10), compressed_between(body, 0.4, 0.6))
    lengths = np.array(lengths_over_time(body, short, compressed_everywhere(body), dt, 45))
    ratios = lengths[1:] / lengths[:-1]
    assert ratios.max() == pytest.approx(1.15 ** (dt / DT), rel=1e-9)
    assert ratios.min() >= 1
    assert lengths[-1] == pytest.approx(1.0, abs=LEAST_STEP)


@pytest.mark.parametrize("dt", [DT, DT / 2, 2 * DT])
@pytest.mark.parametrize("low", [-1.0, 0.4])
def test_a_path_shrinks_by_at_most_15_percent_an_interval(rng, dt, low):
    body = sheet(rng, cells=10)
    tracer = pucker.Tracer(body.mesh, params())
    target = compressed_between(body, low, 0.6)
    long = tracer.trace(middle_seed(10), compressed_everywhere(body))
    lengths = np.array(lengths_over_time(body, long, target, dt, 45))
    ratios = lengths[1:] / lengths[:-1]
    assert ratios.min() == pytest.approx(0.85 ** (dt / DT), rel=1e-9)
    assert ratios.max() <= 1
    assert lengths[-1] == pytest.approx(tracer.trace(middle_seed(10), target).length, abs=LEAST_STEP)


def test_lengths_do_not_depend_on_how_finely_time_is_sampled(rng):
    body = sheet(rng, cells=10)
    short = pucker.Tracer(body.mesh, params()).trace(middle_seed(10), compressed_between(body, 0.4, 0.6))
    coarse = lengths_over_time(body, short, compressed_everywhere(body), DT, 5)
    fine = lengths_over_time(body, short, compressed_everywhere(body), DT / 4, 20)
    np.testing.assert_allclose(fine[::4], coarse, rtol=1e-9)


def test_a_path_in_relaxed_cloth_shrinks_below_half_the_least_length_and_dies(rng):
    body = sheet(rng, cells=10)
    given = params()
    wrinkles = grown(body, body.rest @ squeeze(0.0, 1.5), given)
    still = body.stretch(body.rest, body.rest)
    relaxed = pucker.CompressionField(body.mesh, body.rest, still)
    persistence, motion = pucker.Persistence(body.mesh, given), pucker.Motion(relaxed, body.rest, still, DT, 0.1)
    for _ in range(30):
        alive = [w for w in wrinkles if w.alive]
        wrinkles, _, _ = persistence.step(wrinkles, motion)
    assert alive == []
    assert all(w.length >= 4.0 * WIDTH for w in wrinkles if w.alive)
    # With equal trims at both ends 1.0 · 0.85ⁿ < 0.02 needs 25 frames.


def test_parts_cut_off_keep_the_heights_they_had(rng):
    body = sheet(rng, cells=10)
    given = params()
    wrinkles = grown(body, body.rest @ squeeze(0.0, 1.5), given)
    still = body.stretch(body.rest, body.rest)
    field = compressed_between(body, -1.0, 0.5)
    parts, _, next_id = pucker.Persistence(body.mesh, given).step(
        wrinkles, pucker.Motion(field, body.rest, still, DT, 0.1), 1000
    )
    sinking = [part for part in parts if not part.alive]
    assert [part.id for part in sinking] == list(range(1000, next_id))
    assert len(sinking) == len(wrinkles)
    old = {(*v, t): height for w in wrinkles for v, t, height in zip(w.vertices, w.t, w.heights, strict=True)}
    kept = 0
    for part in parts:
        for vertices, t, height in zip(part.vertices, part.t, part.heights, strict=True):
            before = old.get((*vertices, t))
            if before is not None:
                kept += 1
                assert height == pytest.approx(before, abs=1e-15)
    assert kept > 50
    total = sum(wrinkle.length for wrinkle in wrinkles)
    assert sum(part.length for part in parts) == pytest.approx(total, rel=1e-9)


def test_an_end_that_was_cut_first_sinks_and_then_grows(rng):
    body = sheet(rng, cells=10)
    given = params()
    field, narrow = compressed_everywhere(body), compressed_between(body, 0.4, 0.6)
    persistence, shaper = pucker.Persistence(body.mesh, given), pucker.Shaper(given)
    still = body.stretch(body.rest, body.rest)

    def step(wrinkle: pucker.Wrinkle, to: pucker.CompressionField) -> pucker.Wrinkle:
        after, _, _ = persistence.step([wrinkle], pucker.Motion(to, body.rest, still, DT, 0.1))
        return after[0]

    path = shaper.step(pucker.Tracer(body.mesh, given).trace(middle_seed(10), field), field, 100.0)
    for _ in range(6):
        path = step(path, narrow)
    sinks = given.shape.height_rate * WIDTH * DT
    assert min(path.heights[0], path.heights[-1]) > 2 * sinks
    waited = 0
    while max(path.heights[0], path.heights[-1]) > sinks:
        after = step(path, field)
        assert after.length == path.length
        waited += 1
        path = shaper.step(after, field, DT)
    assert waited >= 2
    assert step(path, field).length > 1.1 * path.length


# --- merging ------------------------------------------------------------------------------------------------------


def crossing_paths(rng: np.random.Generator, given: pucker.Params) -> tuple[Shape, list[pucker.Wrinkle]]:
    """Two paths across the sheet at rest, traced without regard to each other, as high as they aim to be."""
    body = sheet(rng, cells=10)
    matrices = body.frames(body.rest).matrices
    shaper = pucker.Shaper(given)
    out = []
    for number, angle in enumerate((0.15, 1.35)):
        wider = body.frames(body.rest @ np.linalg.inv(squeeze(angle, 1.5))).matrices
        field = pucker.CompressionField(body.mesh, body.rest, pucker.stretch(wider, matrices))
        seed = pucker.Seed(2 * (10 * 4 + 4), [0.4, 0.3, 0.3])
        out.append(shaper.step(pucker.Tracer(body.mesh, given).trace(seed, field, id=number), field, 100.0))
    return body, out


def test_of_two_crossing_paths_the_younger_is_cut_and_its_longest_part_lives_on(rng):
    given = params(length_change=0.0)
    body, paths = crossing_paths(rng, given)
    still = body.stretch(body.rest, body.rest)
    field = compressed_everywhere(body)
    index = pucker.SegmentIndex(body.mesh)
    index.insert(field, paths[0])
    assert index.crossed_by(field, paths[1])
    assert list(meetings(body.mesh, paths))
    merged, _, next_id = pucker.Persistence(body.mesh, given).step(
        paths, pucker.Motion(field, body.rest, still, DT, 0.1), 2
    )
    older, younger = (w for w in merged if w.alive)
    np.testing.assert_array_equal(older.points, paths[0].points)
    assert younger.id == 1
    assert not index.crossed_by(field, younger)
    assert list(meetings(body.mesh, [older, younger])) == []
    sinking = [w for w in merged if not w.alive]
    assert [w.id for w in sinking] == [2] == [next_id - 1]
    assert younger.length > sinking[0].length > 0
    assert younger.length + sinking[0].length == pytest.approx(paths[1].length, rel=1e-12)


def test_merged_paths_stay_as_they_are(rng):
    given = params(length_change=0.0)
    body, paths = crossing_paths(rng, given)
    field = compressed_everywhere(body)
    motion = pucker.Motion(field, body.rest, body.stretch(body.rest, body.rest), DT, 0.1)
    persistence = pucker.Persistence(body.mesh, given)
    merged, _, next_id = persistence.step(paths, motion, 2)
    again, _, last_id = persistence.step(merged, motion, next_id)
    assert last_id == next_id
    assert [w.points.tobytes() for w in again] == [w.points.tobytes() for w in merged]


# --- sizes --------------------------------------------------------------------------------------------------------


def test_sizes_change_at_most_at_their_rates_and_verbatim_at_once(rng):
    body = sheet(rng)
    field = body.field(body.rest @ squeeze(0.3, 1.5))
    given = params()
    flat = pucker.Tracer(body.mesh, given).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)[0][0]
    aim = pucker.Shaper(given.replace(verbatim=True)).step(flat, field, 1e-9).knot_heights
    shaper = pucker.Shaper(given)
    # A flat wrinkle takes its width at once.
    wrinkle, steps = shaper.step(flat, field, DT), 1
    assert wrinkle.knot_heights.max() <= given.shape.height_rate * WIDTH * DT * (1 + 1e-12)
    while True:
        later = shaper.step(wrinkle, field, DT)
        rise = abs(later.knot_heights - wrinkle.knot_heights).max()
        assert rise <= given.shape.height_rate * WIDTH * DT * (1 + 1e-12)
        assert abs(later.knot_widths - wrinkle.knot_widths).max() <= given.shape.width_rate * WIDTH * DT * (1 + 1e-12)
        steps += 1
        if later == wrinkle:
            break
        wrinkle = later
    assert steps > 2
    assert aim.max() > 0


def displaced_surface(
    body: Shape, state: pucker.State, positions: np.ndarray, samples: np.ndarray, given: pucker.Params
) -> np.ndarray:
    """Height of the drawn surface over each sample point of the mesh."""
    field = pucker.CompressionField(body.mesh, positions, state.stretch)
    height = np.zeros(len(samples))
    for wrinkle in state.wrinkles:
        curve = pucker.sample_curve(field, wrinkle)
        start, along = curve.points[:-1], np.diff(curve.points, axis=0)
        offset = samples[:, None] - start
        u = np.clip((offset * along).sum(axis=2) / (along**2).sum(axis=1), 0, 1)
        distance = np.linalg.norm(offset - u[:, :, None] * along, axis=2)
        nearest = distance.argmin(axis=1)
        rows = np.arange(len(samples))
        u, distance = u[rows, nearest], distance[rows, nearest]
        width = (1 - u) * curve.widths[nearest] + u * curve.widths[nearest + 1]
        peak = (1 - u) * curve.heights[nearest] + u * curve.heights[nearest + 1]
        shift = np.abs(2 * distance / width)  # quadratic B-spline, in half widths
        value = np.where(
            shift <= 1 / 3, 4 / 3 * (0.75 - 2.25 * shift**2), 2 / 3 * np.maximum(1.5 - 1.5 * shift, 0) ** 2
        )
        height = np.maximum(height, peak * value)
    return height


def surface_jumps(given: pucker.Params, clip: pucker.Clip, stop: int) -> np.ndarray:
    """Largest change of the drawn surface in each frame after the clip has stopped at frame `stop`."""
    body = Shape(clip.mesh, clip.positions[0])
    positions = clip.positions[stop]
    wrinkler = pucker.Wrinkler(clip.mesh, given)
    for frame in range(stop):
        wrinkler.advance(clip.positions[frame], frame * DT)
    states = [wrinkler.advance(positions, frame * DT) for frame in range(stop, stop + 30)]
    reached = np.any([state.packed.triangles[:, 0] > 0 for state in states], axis=0)
    weights = np.random.default_rng(1).dirichlet([1, 1, 1], 4)
    samples = np.einsum("sk,tkx->tsx", weights, positions[clip.faces[reached]]).reshape(-1, 3)
    surfaces = [displaced_surface(body, state, positions, samples, given) for state in states]
    return abs(np.diff(surfaces, axis=0)).max(axis=1)


def test_the_surface_of_cloth_at_rest_changes_no_faster_than_heights_and_widths_may():
    clip = bending_sleeve()
    given = pucker.Params(min_width=0.0075 * clip.height)
    # A point on the flank also sinks or rises as the profile widens: by |x ∂f/∂x| / width ≤ 3/4 h / width of the change
    # of the width, and no profile is higher than half its width.
    rate = given.shape.height_rate + 0.375 * given.shape.width_rate
    jumps = surface_jumps(given, clip, 12)
    assert jumps[0] > 0
    assert jumps.max() <= rate * given.min_width * DT
    assert (jumps[-10:] == 0).all()
