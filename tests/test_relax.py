import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import rotation, sheet
from scipy.sparse.linalg import eigsh
from waves_scenes import Relaxed, field_on_grid, normalised_matrix, squeeze, strongest_wave

import pucker
from pucker import waves
from pucker.examples import irregular_sheet

LARGEST_STEP = next(field.high for field in waves.Params.fields() if field.name == "relax.step")
SEEDS = st.integers(0, 2**32 - 1)


def relaxed(seed: int, **params: object) -> tuple[Relaxed, np.ndarray]:
    """Relax, on a crumpled sheet in a random motion."""
    rng = np.random.default_rng(seed)
    flat = sheet(rng, cells=6)
    moved = flat.rest @ (0.5 * rng.normal(size=(3, 3))) + 0.02 * rng.normal(size=flat.rest.shape)
    out = Relaxed.of(flat.mesh, flat.rest, rng.uniform(0.1, 0.5), seed, **params)
    out.prepare(moved)
    return out, moved


@given(seed=SEEDS, share=st.floats(0.001, 1), influence=st.sampled_from(["relative", "length"]))
@settings(max_examples=100)
def test_no_step_up_to_the_bound_raises_the_energy(seed, share, influence):
    scene, _ = relaxed(seed, step=share * LARGEST_STEP, influence=influence)
    energies = [scene.relax.energy]
    for _ in range(20):
        scene.relax.step()
        energies.append(scene.relax.energy)
    assert (np.diff(energies) <= 1e-14).all()


@given(seed=SEEDS, step=st.floats(0.1, LARGEST_STEP))
@settings(max_examples=30)
def test_a_step_is_the_papers_formula(seed, step):
    scene, moved = relaxed(seed, step=step)
    planes = scene.crush.step(moved)
    before = scene.relax.phases
    edges = np.concatenate([scene.mesh.edges, scene.mesh.edges[:, ::-1]])
    count = np.bincount(edges[:, 0], minlength=len(moved))
    gain = np.clip(4 * (planes.amplitudes / (scene.wavelength / 4)) - 0.2, 0, 1)
    np.testing.assert_allclose(scene.relax.influences, gain, atol=1e-14)
    k, turn = planes.wave_vectors, 2 * np.pi / scene.wavelength
    zero, n = edges.T
    middle = (moved[zero] + moved[n]) / 2
    sign = np.where(np.einsum("ij,ij->i", k[zero], k[n]) < 0, -1, 1)
    psi_0 = turn * np.einsum("ij,ij->i", k[zero], middle - moved[zero]) + before[zero]
    psi_n = sign * (turn * np.einsum("ij,ij->i", k[n], middle - moved[n]) + before[n])
    cycles = (psi_n - psi_0) / (2 * np.pi)
    cycles -= np.round(cycles)
    safe = np.full(len(moved), True)
    safe[zero[np.abs(np.abs(cycles) - 0.5) < 1e-6]] = False  # where both ways round are as short
    errors = np.bincount(zero, gain[n] * cycles**2, len(moved)) / count
    np.testing.assert_allclose(scene.relax.errors[safe], errors[safe], atol=1e-10)
    slope = -np.bincount(zero, gain[n] * cycles, len(moved)) / (np.pi * count)
    scene.relax.step()
    apart = np.remainder(scene.relax.phases - (before - step * slope) + np.pi, 2 * np.pi) - np.pi
    np.testing.assert_allclose(apart[safe], 0, atol=1e-9)


@given(seed=SEEDS)
@settings(max_examples=30)
def test_neither_the_pose_nor_the_unit_nor_the_numbering_matters(seed):
    rng = np.random.default_rng(seed)
    flat = sheet(rng, cells=4)
    moved = flat.rest @ squeeze(0.6, rng.uniform(0, np.pi)).T
    order = rng.permutation(len(moved))
    number = np.argsort(order)
    plain = Relaxed.of(flat.mesh, flat.rest, 0.3)
    other = Relaxed.of(pucker.Mesh(number[flat.mesh.faces], len(moved)), 9 * flat.rest[order], 2.7)
    directions = plain.prepare(moved).directions
    # The sign of a direction is free, and the phase's with it.
    flipped = np.sign(
        np.einsum("ij,ij->i", other.prepare(9 * moved[order] @ rotation(rng).T).directions, directions[order])
    )
    other.relax.phases = flipped * plain.relax.phases[order]
    for scene in (plain, other):
        scene.relax.step(5)
    apart = np.exp(1j * flipped * other.relax.phases) - np.exp(1j * plain.relax.phases[order])
    np.testing.assert_allclose(np.abs(apart), 0, atol=1e-6)


def predicted(relax: waves.Relax, edges: np.ndarray, phases: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The sums (n,) of g exp(iψ) over the neighbours of each vertex that are `known`."""
    (a, b), signs, turns = edges.T, relax.signs, 2 * np.pi * relax.offsets
    sums = np.zeros(len(phases), complex)
    np.add.at(sums, a, (known * relax.influences)[b] * np.exp(1j * (signs * phases[b] + turns)))
    np.add.at(sums, b, (known * relax.influences)[a] * np.exp(1j * signs * (phases[a] - turns)))
    return sums


@given(seed=SEEDS)
@settings(max_examples=30)
def test_phases_are_carried_on_ring_by_ring(seed):
    scene, _ = relaxed(seed)
    relax, edges = scene.relax, scene.mesh.edges
    waved = relax.influences > 0
    kept = np.random.default_rng(seed).random(len(waved)) < 0.05
    known, wanted, ring = kept & waved, relax.phases, waved
    while ring.any():
        beside = np.zeros(len(waved), bool)
        beside[edges[known[edges[:, 1]], 0]] = beside[edges[known[edges[:, 0]], 1]] = True
        ring = beside & waved & ~known
        for seen in (known, known | ring):
            wanted = np.where(ring, np.angle(predicted(relax, edges, wanted, seen)), wanted)
        known = known | ring
    assert relax.carry_on(kept) == (waved & ~known).any()
    np.testing.assert_allclose(np.abs(np.exp(1j * relax.phases) - np.exp(1j * wanted)), 0, atol=1e-6)


@given(seed=SEEDS)
@settings(max_examples=30)
def test_phases_are_carried_on_alike_however_vertices_are_numbered(seed):
    rng = np.random.default_rng(seed)
    flat = sheet(rng, cells=6)
    moved = flat.rest @ (0.5 * rng.normal(size=(3, 3))) + 0.02 * rng.normal(size=flat.rest.shape)
    order = rng.permutation(len(moved))
    plain = Relaxed.of(flat.mesh, flat.rest, 0.3)
    other = Relaxed.of(pucker.Mesh(np.argsort(order)[flat.mesh.faces], len(moved)), flat.rest[order], 0.3)
    directions = plain.prepare(moved).directions
    flipped = np.sign(np.einsum("ij,ij->i", other.prepare(moved[order]).directions, directions[order]))
    other.relax.phases = flipped * plain.relax.phases[order]
    kept = rng.random(len(moved)) < 0.1
    left = plain.relax.carry_on(kept), other.relax.carry_on(kept[order])
    assert left[0] == left[1]
    apart = np.exp(1j * flipped * other.relax.phases) - np.exp(1j * plain.relax.phases[order])
    np.testing.assert_allclose(np.abs(apart), 0, atol=1e-6)


def test_the_global_solution_is_scipys():
    for seed in range(8):
        scene, _ = relaxed(seed)
        matrix, degree = normalised_matrix(scene.mesh, scene.relax)
        report = scene.relax.solve()
        assert report.residual < 1e-9
        assert report.parts == 1
        assert (degree > 0).all()
        values, vectors = eigsh(matrix, k=4, sigma=-1e-3)
        np.testing.assert_allclose(report.eigenvalue, values.min(), atol=1e-9)
        # Where signs agree the eigenvalue is double, and every combination of its vectors is as good.
        space = vectors[:, values < values.min() + 1e-7]
        phases = scene.relax.phases
        ours = np.stack([np.cos(phases), np.sin(phases)], axis=1).ravel()
        z = (space @ (space.T @ ours)).reshape(-1, 2)
        apart = np.exp(1j * (np.arctan2(z[:, 1], z[:, 0]) - phases))
        strong = np.linalg.norm(z, axis=1) > 1e-3 * np.abs(z).max()
        np.testing.assert_allclose(apart[strong], 1, atol=1e-5)


def test_the_global_solution_comes_again_from_itself_to_the_digit():
    scene, _ = relaxed(3)
    scene.relax.solve()
    first = scene.relax.phases
    scene.relax.solve()
    np.testing.assert_allclose(np.exp(1j * scene.relax.phases), np.exp(1j * first), atol=1e-7)


def test_random_phases_differ_by_seed_and_are_spread_evenly():
    mesh, _ = irregular_sheet()
    first, second = (waves.Relax(mesh, seed=seed).phases for seed in (1, 2))
    assert (first != second).all()
    np.testing.assert_array_equal(waves.Relax(mesh, seed=1).phases, first)
    assert np.histogram(first, 4, (-np.pi, np.pi))[0].min() > len(first) / 10


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"step": 19.75}, r"params.step .* must lie in \(0, 19.7392\], got 19.75"),
        ({"step": 0}, "params.step .* got 0"),
        ({"rounds": -1}, "params.rounds"),
    ],
)
def test_parameters_out_of_range_are_refused_by_rule_and_value(params, named):
    with pytest.raises(ValueError, match=named):
        waves.Relax(pucker.Mesh([[0, 1, 2]], 3), waves.RelaxParams(**params))


@pytest.mark.parametrize(
    ("coordinates", "error", "says"),
    [
        ("sideways", ValueError, "coordinates must be one of rest, frame, got 'sideways'"),
        (None, TypeError, "coordinates must be a member or its name, got None"),
    ],
)
def test_coordinates_that_are_none_are_refused_by_the_name_of_the_argument(coordinates, error, says):
    mesh, rest = irregular_sheet()
    relax = waves.Relax(mesh)
    planes = waves.Crush(mesh, rest, wavelength=0.2).step(rest)
    with pytest.raises(error, match=says):
        relax.prepare(planes, rest, coordinates)


def test_a_profile_that_is_none_is_refused_by_the_name_of_the_argument():
    with pytest.raises(ValueError, match="profile must be one of cosine, accordion, pencil, got 'zigzag'"):
        waves.PleatTable("zigzag")


def test_phases_that_are_none_are_refused_and_change_nothing():
    relax = waves.Relax(pucker.Mesh([[0, 1, 2]], 3))
    before = relax.phases
    for phases, named in (([0, np.nan, 0], r"phases\[1\] is nan"), ([0, 0], r"shape \(3,\)")):
        with pytest.raises(ValueError, match=named):
            relax.phases = phases
    with pytest.raises(ValueError, match="rounds must be at least 0, got -1"):
        relax.step(-1)
    np.testing.assert_array_equal(relax.phases, before)


# --- the paper's figure 15 ----------------------------------------------------------------------------------------

WAVELENGTH = 0.2


def figure_15(start: str, profile: str = "cosine", seed: int = 0, rounds: int = 400) -> tuple[pucker.Mesh, list]:
    mesh, rest = irregular_sheet()
    params = waves.Params(
        wavelength=WAVELENGTH,
        unit="clip",
        profile=profile,
        seed=seed,
        crush={"threshold": 1},
        relax={"start": start, "start_rounds": rounds, "rounds": rounds},
    )
    field = waves.WaveField(mesh, rest, params)
    return mesh, [field.advance(rest @ squeeze(ratio).T, i) for i, ratio in enumerate((0.98, 0.75, 0.5))]


def mean_error(mesh: pucker.Mesh, state: waves.State, phases: np.ndarray) -> float:
    relax = waves.Relax(mesh)
    relax.prepare(state.waves, state.positions)
    relax.phases = phases
    return relax.errors.mean()


def bifurcations(mesh: pucker.Mesh, state: waves.State) -> np.ndarray:
    relax = waves.Relax(mesh)
    relax.prepare(state.waves, state.positions)
    relax.phases = state.phases
    return relax.bifurcations


@pytest.mark.parametrize("seed", range(5))
def test_the_descent_alone_takes_more_than_half_of_the_phase_error_away(seed):
    mesh, states = figure_15("random", seed=seed)
    random = waves.Relax(mesh, seed=seed).phases
    for state in states:
        assert mean_error(mesh, state, state.phases) <= 0.5 * mean_error(mesh, state, random)
        assert (bifurcations(mesh, state) > 0).sum() < 30


def test_the_global_solution_has_no_bifurcation():
    mesh, states = figure_15("solved", rounds=0)
    for state in states:
        assert not bifurcations(mesh, state).any()
        assert mean_error(mesh, state, state.phases) <= 1e-6 * mean_error(mesh, state, waves.Relax(mesh).phases)


def test_the_strongest_wave_of_the_field_is_the_true_one():
    mesh, states = figure_15("solved")
    for ratio, state in zip((0.98, 0.75, 0.5), states, strict=True):
        found = strongest_wave(*field_on_grid(state, mesh))
        assert abs(np.degrees(np.arctan2(found[1], found[0]))) < 2
        np.testing.assert_allclose(np.linalg.norm(found), 1 / (WAVELENGTH * ratio), rtol=0.03)


def test_accordion_pleats_keep_the_length_of_the_cloth():
    mesh, states = figure_15("solved", "accordion")
    heights, size = field_on_grid(states[-1], mesh, samples=400)
    steps = np.hypot(np.diff(heights, axis=1), size[0] / heights.shape[1])
    length = steps.sum(axis=1).mean() * heights.shape[1] / (heights.shape[1] - 1)
    np.testing.assert_allclose(length, 1, rtol=0.05)


@pytest.mark.threads
def test_no_call_meets_one_that_changes_the_phases():
    mesh, rest = irregular_sheet()
    scene = Relaxed.of(mesh, rest, 0.2)
    scene.prepare(rest * [0.5, 1, 1])
    thread = threading.Thread(target=scene.relax.step, args=(200_000,))
    thread.start()
    refused = []
    try:
        while thread.is_alive() and len(refused) < 3:
            for call in (
                lambda: scene.relax.phases,
                lambda: setattr(scene.relax, "phases", np.zeros(mesh.vertex_count)),
                lambda: scene.relax.energy,
                lambda: scene.relax.bifurcations,
            ):
                try:
                    call()
                except pucker.Error as error:
                    refused.append(str(error))
    finally:
        thread.join()
    assert len(refused) >= 3
    assert all("Relax" in told for told in refused)
