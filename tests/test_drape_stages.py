"""The stages of draped cloth as objects, against NumPy, SciPy and the balance that is made of them."""

import itertools

import numpy as np
import pytest

import pucker
from pucker import byexample, drape
from pucker.examples import squeezed_sheet

SHEET = squeezed_sheet(8, 6, frames=5)
FLAT, LAST = SHEET.positions[0], SHEET.positions[-1]


@pytest.fixture
def balance():
    return drape.Balance(SHEET.mesh, FLAT, drape.Params(levels=2))


def test_a_draped_flag_keeps_its_corners():
    corners = byexample.sharp_corners(SHEET.mesh, FLAT)
    at_ends = [np.isin(FLAT[:, axis], (FLAT[:, axis].min(), FLAT[:, axis].max())) for axis in (0, 1)]
    np.testing.assert_array_equal(corners, np.all(at_ends, axis=0))
    bent = LAST + 0.1 * np.square(FLAT[:, :1] + FLAT[:, 1:2]) * [0.0, 0.0, 1.0]
    subdivision = byexample.LoopSubdivision(SHEET.mesh, 2, corners)
    state = drape.Drape(SHEET.mesh, FLAT, drape.Params(levels=2)).advance(bent, 0.0)
    np.testing.assert_array_equal(state.guide, subdivision.matrix @ bent)
    np.testing.assert_array_equal(state.guide[: len(bent)][corners], bent[corners])
    assert np.linalg.norm(state.guide[: len(bent)] - bent, axis=1)[~corners].max() > 1e-3
    with pytest.raises(ValueError, match="corners"):
        byexample.LoopSubdivision(SHEET.mesh, 2, corners[1:])


def test_the_guide_is_the_smooth_surface_with_frames_that_turn_along(rng):
    subdivision = byexample.LoopSubdivision(SHEET.mesh, 2)
    guide = drape.Guide(subdivision)
    assert guide.positions.shape == guide.normals.shape == (0, 3)
    bent = LAST + 0.05 * rng.normal(size=LAST.shape)
    np.testing.assert_array_equal(guide.step(bent), subdivision.matrix @ bent)
    np.testing.assert_allclose(guide.normals, pucker.vertex_normals(subdivision.fine, guide.positions), atol=1e-12)
    frames = guide.frames
    np.testing.assert_array_equal(frames[:, :, 2], guide.normals)
    np.testing.assert_allclose(frames @ frames.transpose(0, 2, 1), np.tile(np.eye(3), (len(frames), 1, 1)), atol=1e-12)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.linalg.det(turn)
    guide.step(bent @ turn.T)
    np.testing.assert_allclose(guide.frames, turn @ frames, atol=1e-12)
    # At vertices that the rest of the character has it lies on the coarse edges.
    sewn = drape.Guide(subdivision, shared=range(9))
    np.testing.assert_allclose(sewn.step(bent)[:9], bent[:9], atol=1e-15)
    with pytest.raises(ValueError, match=r"shared vertices must lie in \[0, 63\), got 63"):
        drape.Guide(subdivision, shared=[63])
    with pytest.raises(ValueError, match="positions"):
        guide.step(FLAT[:-1])


def test_springs_have_the_energy_that_numpy_sums_up_and_its_slopes(rng):
    mesh = byexample.LoopSubdivision(SHEET.mesh, 1).fine
    flat = byexample.LoopSubdivision(SHEET.mesh, 1).matrix @ FLAT
    springs = drape.Springs(mesh, flat, creep=0.25, compression=1e6, tightness=np.full(len(flat), 1.25))
    guide = flat * [1.1, 0.8, 1.0]
    springs.aim(guide)
    a, b = mesh.edges.T
    cut, now = (np.linalg.norm(at[b] - at[a], axis=1) for at in (flat, guide))
    rest = cut / 1.25 + 0.25 * np.maximum(0.0, now - cut / 1.25)
    np.testing.assert_allclose(springs.rest_lengths, rest, rtol=1e-12)

    # The guide's edges are in single precision.
    x = guide + 0.01 * rng.normal(size=guide.shape)
    energy, gradient = springs.evaluate(x)
    assert energy == pytest.approx(0.5 * np.square(np.linalg.norm(x[b] - x[a], axis=1) - rest).sum(), rel=1e-5)
    for _ in range(5):
        way = rng.normal(size=x.shape)
        step = 1e-6
        slope = (springs.evaluate(x + step * way)[0] - springs.evaluate(x - step * way)[0]) / (2 * step)
        assert slope == pytest.approx((gradient * way).sum(), abs=1e-6 * np.linalg.norm(gradient) * np.linalg.norm(way))
    np.testing.assert_allclose(gradient.sum(0), 0.0, atol=1e-12)


def test_springs_of_a_balance_have_its_rest_lengths(balance):
    guide = balance.aim(LAST)
    springs = drape.Springs(balance.subdivision.fine, balance.subdivision.matrix @ FLAT)
    springs.aim(guide)
    np.testing.assert_allclose(springs.rest_lengths, balance.rest_lengths, rtol=1e-12)
    # What a balance adds to them pulls nothing where the cloth lies on its guide.
    energy, gradient = springs.evaluate(guide)
    whole, slopes = balance.evaluate(guide)
    assert whole == pytest.approx(energy, rel=1e-6)
    np.testing.assert_allclose(slopes, gradient, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"creep": 1.5}, r"creep must lie in \[0, 1\], got 1.5"),
        ({"compression": 0.5}, "compression must be finite and at least 1, got 0.5"),
        ({"tightness": np.zeros(63)}, "tightness must be finite and above 0, got 0"),
    ],
)
def test_springs_refuse_what_makes_no_length(options, told):
    with pytest.raises(ValueError, match=told):
        drape.Springs(SHEET.mesh, FLAT, **options)


def test_inertia_takes_a_mass_on_along_the_parabola_of_a_constant_force():
    """The formula of second order is exact for it, however long its steps are."""
    force, speed, swing = np.array([[0.0, 0.0, -2.0]]), np.array([[1.0, 0.0, 3.0]]), 0.5

    def at(t: float) -> np.ndarray:
        return speed * t + force * t**2 / 2

    inertia = drape.Inertia(swing)
    times = [0.0, 0.1, 0.25, 0.45, 0.6, 0.75]
    for k, (begin, end) in enumerate(itertools.pairwise(times)):
        passed = end - begin
        target, weight = inertia.pull(at(begin), passed)
        if k == 0:
            assert weight == 0.0
            np.testing.assert_array_equal(target, at(begin))
        else:
            growth = passed / (begin - times[k - 1])
            ahead = passed * (1.0 if k == 1 else (1 + growth) / (1 + 2 * growth))
            assert weight == pytest.approx((swing / ahead) ** 2)
        if k == 4:
            # Both velocities before are of second order: M (x − x̂) / (βΔt)² = F.
            np.testing.assert_allclose(at(end) - target, ahead**2 * force, atol=1e-13)
        inertia.step(at(begin), at(end), passed)
    inertia.start()
    assert inertia.pull(at(0.75), 0.1)[1] == 0.0
    with pytest.raises(ValueError, match="a step must be of a finite time above 0, got 0"):
        inertia.pull(at(0.75), 0.0)
    with pytest.raises(ValueError, match="places"):
        inertia.pull(np.zeros((2, 3)), 0.1)
    with pytest.raises(ValueError, match="swing must be finite and at least 0, got -1"):
        drape.Inertia(-1.0)


def test_inertia_is_the_pull_that_a_balance_takes(balance):
    still = balance.aim(FLAT)
    inertia = drape.Inertia(0.02, np.ones(len(still)))
    moved = np.array([0.0, 0.0, 0.01])
    x = still
    for _ in range(2):
        # A sheet that was moved by hand at 1 a second goes on.
        inertia.step(x, x + moved, 0.01)
        x = x + moved
    target, weight = inertia.pull(x, 0.01)
    np.testing.assert_allclose(target, x + moved, atol=1e-12)
    balance.aim(FLAT, before=target, weight=weight)
    found, _ = balance.solve(x, 300, 1e-9)
    np.testing.assert_allclose(found, still + weight / (1 + weight) * (target - still), atol=1e-6)


def test_the_multilevel_sum_is_that_of_sparse_solves(rng):
    sparse = pytest.importorskip("scipy.sparse")
    linalg = pytest.importorskip("scipy.sparse.linalg")
    levels = 3
    steps, meshes = [], [SHEET.mesh]
    for _ in range(levels):
        once = byexample.LoopSubdivision(meshes[-1], 1)
        s = once.matrix
        steps.append(sparse.csr_matrix((s.data, s.indices, s.indptr), s.shape))
        meshes.append(once.fine)
    subdivision = byexample.LoopSubdivision(SHEET.mesh, levels)
    counts = [mesh.vertex_count for mesh in meshes]
    own = [rng.uniform(1.0, 4.0, n) for n in counts[:-1]]
    hold = [rng.uniform(0.0, 2.0, n) for n in counts[:-1]]
    weights = rng.uniform(1.0, 3.0, counts[-1])
    gradient = rng.normal(size=(counts[-1], 3))

    def expected(diagonals):
        whole = np.zeros_like(gradient)
        for level, diagonal in enumerate(diagonals):
            down = gradient
            for step in reversed(steps[level:]):
                down = step.T @ down
            up = linalg.spsolve(sparse.diags(diagonal).tocsc(), down)
            for step in steps[level:]:
                up = step @ up
            whole += up
        return whole

    multilevel = drape.Multilevel(subdivision, own, hold)
    multilevel.aim(weights)
    diagonals = [a + weights[: len(a)] * b for a, b in zip(own, hold, strict=True)]
    np.testing.assert_allclose(multilevel.apply(gradient), expected(diagonals), atol=2e-5)

    halves = [np.bincount(mesh.edges.ravel(), minlength=mesh.vertex_count) / 2 for mesh in meshes[:-1]]
    np.testing.assert_allclose(drape.Multilevel(subdivision).apply(gradient), expected(halves), atol=2e-5)
    assert not drape.Multilevel(byexample.LoopSubdivision(SHEET.mesh, 0)).apply(FLAT).any()


def test_multilevel_refuses_what_does_not_fit():
    subdivision = byexample.LoopSubdivision(SHEET.mesh, 1)
    with pytest.raises(ValueError, match="own must have an array for each of the 1 levels below the finest, got 2"):
        drape.Multilevel(subdivision, [np.ones(63), np.ones(63)])
    with pytest.raises(ValueError, match="hold must be finite and at least 0, got -1"):
        drape.Multilevel(subdivision, hold=[-np.ones(63)])
    with pytest.raises(ValueError, match="weights must be finite and at least 0, got -1"):
        drape.Multilevel(subdivision).aim(-np.ones(subdivision.fine.vertex_count))


def test_with_the_multilevel_sum_conjugate_gradients_need_few_steps_at_any_level():
    """On the matrix of springs that are straight: as many at three levels as at one, where without it they double."""
    sparse = pytest.importorskip("scipy.sparse")
    linalg = pytest.importorskip("scipy.sparse.linalg")
    taken = {}
    for levels in (1, 3):
        subdivision = byexample.LoopSubdivision(SHEET.mesh, levels)
        fine = subdivision.fine
        a, b = fine.edges.T
        n = fine.vertex_count
        links = sparse.coo_matrix((np.ones(len(a)), (a, b)), (n, n)).tocsr()
        links = links + links.T
        degrees = np.asarray(links.sum(1)).ravel()
        matrix = (sparse.diags(degrees + 1e-3) - links).tocsr()
        multilevel = drape.Multilevel(subdivision)

        def apply(vector, multilevel=multilevel, degrees=degrees):
            columns = np.column_stack([vector, np.zeros_like(vector), np.zeros_like(vector)])
            return 2.0 * vector / degrees + multilevel.apply(columns)[:, 0]

        wanted = np.sin(7.0 * np.arange(n))
        for name, m in (("with", linalg.LinearOperator((n, n), apply)), ("without", None)):
            count = [0]
            linalg.cg(matrix, wanted, M=m, callback=lambda _, count=count: count.__setitem__(0, count[0] + 1))
            taken[name, levels] = count[0]
    assert taken["with", 3] < 1.6 * taken["with", 1]
    assert taken["without", 3] > 2.0 * taken["with", 3]
