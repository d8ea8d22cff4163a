"""Paths carried between frames: the energy and its minimiser, on edges and in space."""

from collections.abc import Iterator

import numpy as np
import pytest
from carried import DT, WIDTH, Step, grown, moving_sheet, params
from motion import Shape, shape, sheet, squeeze

import pucker


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
    assert moved > 1e-4


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
