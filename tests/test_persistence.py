"""Paths carried between frames: the energy and its minimiser, merging, change of length, and what stays at rest."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pytest
from exact import meetings
from motion import Shape, rotation, shape, sheet, squeeze, waves

import pucker
from pucker.examples import bending_sleeve

WIDTH = 0.01
LEAST_STEP = 2 * 0.05 * WIDTH  # both ends of a path leave out steps smaller than this share of the width
DT = 1 / 30


def params(*, verbatim: bool = False, tracing: dict | None = None, **persistence: object) -> pucker.Params:
    return pucker.Params(min_width=WIDTH, verbatim=verbatim, tracing=tracing or {}, persistence=persistence)


@dataclass(frozen=True)
class Step:
    """Two frames `dt` seconds apart, both compared with the rest shape."""

    body: Shape
    before: np.ndarray
    after: np.ndarray
    dt: float = DT
    interval: float = DT

    @property
    def stretch(self) -> pucker.Stretch:
        return pucker.rescale_rate(self.body.stretch(self.before, self.after), self.interval / self.dt)

    @property
    def edge_length(self) -> float:
        return pucker.mean_edge_length(self.body.mesh, self.body.rest)

    @property
    def field(self) -> pucker.CompressionField:
        return self.body.field(self.after)

    @property
    def motion(self) -> pucker.Motion:
        return pucker.Motion(self.field, self.before, self.stretch, self.dt, self.edge_length)


def grown(body: Shape, positions: np.ndarray, given: pucker.Params) -> list[pucker.Wrinkle]:
    """Wrinkles traced in `positions`, as high as they aim to be."""
    field = body.field(positions)
    wrinkles, _ = pucker.Tracer(body.mesh, given).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    shaper = pucker.Shaper(given)
    return [shaper.step(wrinkle, field, 100.0) for wrinkle in wrinkles]


def moving_sheet(rng: np.random.Generator, dt: float = DT) -> Step:
    body = sheet(rng)
    motion = waves(rng, body.rest, 0.12)
    return Step(body, *(motion(time) @ squeeze(0.4, 1.3) for time in (0.0, dt)), dt)


# --- the minimiser ------------------------------------------------------------------------------------------------


def slopes(wrinkle: pucker.Wrinkle, positions: np.ndarray) -> np.ndarray:
    first, second = np.moveaxis(positions[wrinkle.vertices], 1, 0)
    return (1 - wrinkle.depth)[:, None] * (first - second)


def origins(wrinkle: pucker.Wrinkle, positions: np.ndarray) -> np.ndarray:
    """The points for t = 0."""
    apex = np.where(wrinkle.depth[:, None] > 0, positions[wrinkle.apex], 0.0)
    return (1 - wrinkle.depth)[:, None] * positions[wrinkle.vertices[:, 1]] + wrinkle.depth[:, None] * apex


def laplacian(count: int) -> np.ndarray:
    """(k, k): L = p_i − (p_{i−1} + p_{i+1})/2 with p_{−1} ≡ p_1 and p_k ≡ p_{k−2}."""
    matrix = np.eye(count)
    for i in range(count):
        for j in (i - 1, i + 1):
            matrix[i, 1 if j < 0 else count - 2 if j == count else j] -= 0.5
    return matrix


def polar_rotations(step: Step, triangles: np.ndarray) -> np.ndarray:
    """(s, 3, 3): the rotation of each triangle between the frames, what is left of its motion without the stretch."""
    before, after = (step.body.frames(positions) for positions in (step.before, step.after))
    motion = after.matrices[triangles] @ np.linalg.inv(before.matrices[triangles])
    left, _, right = np.linalg.svd(motion)
    turn = np.zeros((len(triangles), 3, 3))
    turn[:, :2, :2], turn[:, 2, 2] = left @ right, 1.0
    bases = [
        np.concatenate([frames.axes[triangles], frames.normals[triangles, None]], axis=1) for frames in (before, after)
    ]
    return np.swapaxes(bases[1], 1, 2) @ turn @ bases[0]


def surface_rotations(step: Step, wrinkle: pucker.Wrinkle) -> np.ndarray:
    """(k, 3, 3): the rotation of the surface at each point, about the mean normal the mean of both triangles'."""
    triangles = np.stack(
        [np.r_[wrinkle.triangles[:1], wrinkle.triangles], np.r_[wrinkle.triangles, wrinkle.triangles[-1:]]]
    )
    bases, edges = [], []
    for positions in (step.before, step.after):
        normals = step.body.frames(positions).normals
        normal = normals[triangles[0]] + normals[triangles[1]]
        edge = positions[wrinkle.vertices[:, 0]] - positions[wrinkle.vertices[:, 1]]
        edge, normal = (vector / np.linalg.norm(vector, axis=1)[:, None] for vector in (edge, normal))
        edges.append(edge)
        bases.append(np.stack([edge, np.cross(normal, edge), normal], axis=2))
    turn = np.zeros(len(wrinkle.t), complex)
    for side in triangles:
        carried = np.einsum("kxy,ky->kx", polar_rotations(step, side), edges[0])
        normal = step.body.frames(step.after).normals[side]
        sine = np.einsum("kx,kx->k", normal, np.cross(carried, edges[1]))
        turn += np.einsum("kx,kx->k", carried, edges[1]) + 1j * sine
    turn /= abs(turn)
    back = np.zeros((len(turn), 3, 3))
    back[:, 0, 0] = back[:, 1, 1] = turn.real
    back[:, 0, 1], back[:, 1, 0], back[:, 2, 2] = turn.imag, -turn.imag, 1.0
    return bases[1] @ back @ np.swapaxes(bases[0], 1, 2)


def alignment_weights(step: Step, wrinkle: pucker.Wrinkle, given: pucker.Params) -> np.ndarray:
    """α of each segment."""
    p = given.persistence
    if given.verbatim:
        return np.full(len(wrinkle.triangles), p.alpha)
    motion = step.stretch
    deformation = abs(1 / motion.minimum - 1) + abs(motion.maximum - 1)
    acts = 1 - np.exp(-(deformation**2) / (2 * p.motion_sigma**2))
    return (p.alpha * acts * step.dt / step.interval)[wrinkle.triangles]


def least_squares(
    step: Step, wrinkle: pucker.Wrinkle, given: pucker.Params
) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Rows A t = b of the three terms (Gillette 2015, equation 5.2), and where each term's rows end."""
    unit = 1.0 if given.verbatim else step.edge_length
    slope, origin = slopes(wrinkle, step.after), origins(wrinkle, step.after)
    count = len(wrinkle.t)
    frames = step.body.frames(step.after)
    stretch = step.body.stretch(step.body.rest, step.after)
    e = np.einsum("sa,sax->sx", stretch.left[wrinkle.triangles, :, 1], frames.axes[wrinkle.triangles])
    root = np.sqrt(alignment_weights(step, wrinkle, given)) / unit
    rows, targets = [], []
    for i in range(count - 1):
        row = np.zeros(count)
        row[[i, i + 1]] = -slope[i] @ e[i], slope[i + 1] @ e[i]
        rows.append(root[i] * row)
        targets.append(-root[i] * (origin[i + 1] - origin[i]) @ e[i])
    rows += list(np.eye(count))
    targets += list(wrinkle.t)
    matrix = laplacian(count)
    before = origins(wrinkle, step.before) + wrinkle.t[:, None] * slopes(wrinkle, step.before)
    carried = matrix @ before
    if not given.verbatim:
        carried = np.einsum("kxy,ky->kx", surface_rotations(step, wrinkle), carried)
    for x in range(3):
        rows += list(matrix * slope[:, x] / unit)
        targets += list((carried - matrix @ origin)[:, x] / unit)
    return np.array(rows), np.array(targets), [count - 1, 2 * count - 1, 5 * count - 1]


@pytest.mark.parametrize("verbatim", [False, True])
@pytest.mark.parametrize("dt", [DT, DT / 3])
def test_the_minimiser_is_that_of_a_dense_least_squares_problem(rng, verbatim, dt):
    step = moving_sheet(rng, dt)
    given = params(verbatim=verbatim, vertex_fraction=0.0, tracing={"isotropy": 0.0})
    persistence = pucker.Persistence(step.body.mesh, given)
    wrinkles = grown(step.body, step.before, given)
    assert len(wrinkles) > 5
    moved = 0.0
    for wrinkle in wrinkles:
        matrix, target, _ = least_squares(step, wrinkle, given)
        oracle = np.linalg.lstsq(matrix, target, rcond=None)[0]
        solved = persistence.solve(wrinkle, step.motion)
        np.testing.assert_allclose(solved, oracle, atol=1e-10)
        moved = max(moved, abs(solved - wrinkle.t).max())
    assert moved > 1e-3


@pytest.mark.parametrize("verbatim", [False, True])
@pytest.mark.parametrize("dt", [DT, DT / 3])
def test_the_minimiser_in_space_is_that_of_a_dense_least_squares_problem(rng, verbatim, dt):
    step = moving_sheet(rng, dt)
    given = params(verbatim=verbatim, method="projection", tracing={"isotropy": 0.0})
    persistence = pucker.Persistence(step.body.mesh, given)
    unit = 1.0 if verbatim else step.edge_length
    frames, stretch = step.body.frames(step.after), step.body.stretch(step.body.rest, step.after)
    moved = 0.0
    for wrinkle in grown(step.body, step.before, given):
        count = len(wrinkle.t)
        then, now = (
            origins(wrinkle, positions) + wrinkle.t[:, None] * slopes(wrinkle, positions)
            for positions in (step.before, step.after)
        )
        carried = laplacian(count) @ then
        if not verbatim:
            carried = np.einsum("kxy,ky->kx", surface_rotations(step, wrinkle), carried)
        e = np.einsum("sa,sax->sx", stretch.left[wrinkle.triangles, :, 1], frames.axes[wrinkle.triangles])
        along = np.zeros((count - 1, count, 3))  # a row of the matrix for each segment
        for i in range(count - 1):
            along[i, [i, i + 1]] = (
                np.array([[-1.0], [1.0]]) * np.sqrt(alignment_weights(step, wrinkle, given)[i]) * e[i]
            )
        motion, form = np.eye(3 * count), np.kron(laplacian(count), np.eye(3))
        matrix = np.concatenate([along.reshape(count - 1, -1), motion, form]) / unit
        old = then if verbatim else now
        target = np.concatenate([np.zeros(count - 1), old.ravel(), carried.ravel()]) / unit
        oracle = np.linalg.lstsq(matrix, target, rcond=None)[0].reshape(-1, 3)
        solved = persistence.solve_in_space(wrinkle, step.motion)
        np.testing.assert_allclose(solved, oracle, atol=1e-10)
        moved = max(moved, abs(solved - now).max())
    assert moved > 1e-4


def pushed(body: Shape, before: np.ndarray, by: np.ndarray) -> Iterator[tuple[pucker.Wrinkle, pucker.Wrinkle]]:
    """Each path, and it again after the cloth was pushed `by` that far under it: as printed, without alignment, points
    solved in space stay where they were there."""
    given = params(verbatim=True, method="projection", alpha=0.0, length_change=0.0)
    step = Step(body, before, before + by)
    persistence = pucker.Persistence(body.mesh, given)
    for wrinkle in grown(body, before, given):
        (after,), _, _ = persistence.step([wrinkle], step.motion, wrinkle.id + 1)
        yield wrinkle, after


def test_what_is_solved_beyond_the_border_comes_to_lie_at_it(rng):
    body = sheet(rng)
    before = body.rest @ squeeze(0.0, 1.4)
    border, beyond = 0.13, 0
    for old, new in pushed(body, before, np.array([border, 0.0, 0.0])):
        assert ((new.t >= 0.0) & (new.t <= 1.0)).all()
        assert ((new.depth >= 0.0) & (new.depth <= 1.0)).all()
        for was, now in ((old.points[0], new.points[0]), (old.points[-1], new.points[-1])):
            if was[0] < border:
                beyond += 1
                assert border - 1e-12 <= now[0] < border + 0.02
                assert now[1] == pytest.approx(was[1], abs=1 / 8)  # an edge of the border
    assert beyond > 3


def test_a_crossing_that_a_walk_adds_is_as_high_as_the_place_it_comes_from(rng):
    body = sheet(rng)
    before = body.rest @ squeeze(0.0, 1.4)
    added = 0
    for old, new in pushed(body, before, np.array([0.0, 0.13, 0.0])):
        edges = {tuple(edge) for edge in old.vertices.tolist()}
        if any(tuple(edge) in edges for edge in new.vertices.tolist()):
            continue  # a point that stays on its edge keeps its size
        ways = old.points[:, 0] - old.points[0, 0]
        ways = abs(np.insert(ways, np.arange(1, len(ways)), 0.5 * (ways[1:] + ways[:-1])))
        inner = new.points[1:-1]
        expected = np.interp(abs(inner[:, 0] - old.points[0, 0]), ways, old.knot_heights)
        np.testing.assert_allclose(new.heights[1:-1], expected, atol=1e-9)
        added += len(inner)
    assert added > 30


@pytest.mark.parametrize("verbatim", [False, True])
def test_the_energy_is_the_sum_of_squares_of_its_three_terms(rng, verbatim):
    step = moving_sheet(rng)
    given = params(verbatim=verbatim, tracing={"isotropy": 0.0})
    persistence = pucker.Persistence(step.body.mesh, given)
    for wrinkle in grown(step.body, step.before, given):
        t = wrinkle.t + rng.uniform(-0.1, 0.1, len(wrinkle.t))
        matrix, target, ends = least_squares(step, wrinkle, given)
        alignment, motion, form, _ = np.split((matrix @ t - target) ** 2, ends)
        energy = persistence.energy(wrinkle, step.motion, t)
        assert energy.alignment == pytest.approx(alignment.sum(), rel=1e-9, abs=1e-15)
        assert energy.motion == pytest.approx(motion.sum(), rel=1e-9)
        assert energy.shape == pytest.approx(form.sum(), rel=1e-9)
        assert energy.sum == energy.alignment + energy.motion + energy.shape


def test_units_of_length_do_not_matter_but_verbatim_they_do(rng):
    step = moving_sheet(rng)
    large = Step(shape(step.body.faces, 100 * step.body.rest), 100 * step.before, 100 * step.after)
    for verbatim in (False, True):
        given = params(verbatim=verbatim)
        solved = [
            pucker.Persistence(step.body.mesh, given).solve(wrinkle, step.motion)
            for wrinkle in grown(step.body, step.before, given)
        ]
        given = given.replace(min_width=100 * WIDTH)
        scaled = [
            pucker.Persistence(large.body.mesh, given).solve(wrinkle, large.motion)
            for wrinkle in grown(large.body, large.before, given)
        ]
        differences = [abs(a - b).max() for a, b in zip(solved, scaled, strict=True)]
        assert (max(differences) > 1e-3) if verbatim else (max(differences) < 1e-9)


def test_of_the_points_near_one_vertex_only_one_enters_the_solve():
    # A fan about an inner vertex; the path crosses three of its spokes close to it.
    angle = 2 * np.pi * np.arange(8) / 8
    rest = np.concatenate([[[0, 0, 0]], np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)])
    body = shape(np.array([[0, 1 + k, 1 + (k + 1) % 8] for k in range(8)]), rest)
    given = params(vertex_fraction=0.1)
    before = rest @ squeeze(0.2, 1.4)
    field = body.field(before)
    wrinkle = pucker.Tracer(body.mesh, given).trace(pucker.Seed(0, [0.9, 0.05, 0.05]), field)
    near = np.where(wrinkle.vertices[:, 0] == 0, wrinkle.t, 0.0) > 0.9
    assert near.sum() >= 2
    step = Step(body, before, rest @ squeeze(0.3, 1.45))
    solved = pucker.Persistence(body.mesh, given).solve(wrinkle, step.motion)
    assert (solved[near] != wrinkle.t[near]).sum() == 1
    assert (solved[~near] != wrinkle.t[~near]).all()


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
