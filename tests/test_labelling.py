import maxflow
import numpy as np
import pytest

import pucker

SOLVERS = ["exact", "expansion", "swap"]


def grid_faces(across: int, along: int) -> np.ndarray:
    corner = (np.arange(along)[:, None] * (across + 1) + np.arange(across)).reshape(-1, 1)
    lower, upper = np.array([[0, 1, across + 2], [0, across + 2, across + 1]])
    return np.concatenate([corner + lower, corner + upper])


def irregular_faces(rng: np.random.Generator) -> np.ndarray:
    """Triangles of a grid, some missing, the others shuffled and turned over."""
    faces = grid_faces(9, 8)
    faces = faces[rng.permutation(len(faces))[:110]]
    return np.array([rng.permutation(face) for face in faces])


def make_labeller(faces: np.ndarray, **label: object) -> pucker.Labeller:
    return pucker.Labeller(pucker.Mesh(faces, faces.max() + 1), pucker.Params(label=label))


def neighbour_pairs(faces: np.ndarray) -> np.ndarray:
    """Pairs of triangles with a common edge, from the faces alone."""
    edges: dict[tuple[int, int], list[int]] = {}
    for triangle, face in enumerate(faces):
        for k in range(3):
            edges.setdefault(tuple(sorted((face[k], face[k - 1]))), []).append(triangle)
    return np.array([pair for pair in edges.values() if len(pair) == 2])


def independent_energy(
    costs: np.ndarray, labels: np.ndarray, previous: np.ndarray | None, pairs: np.ndarray, smoothness: float
) -> float:
    labels = labels.astype(int)
    energy = costs[np.arange(len(costs)), labels].sum()
    energy += smoothness * np.abs(labels[pairs[:, 0]] - labels[pairs[:, 1]]).sum()
    if previous is not None:
        energy += smoothness * np.abs(labels - previous).sum()
    return float(energy)


def independent_optimum(costs: np.ndarray, previous: np.ndarray | None, pairs: np.ndarray, smoothness: float) -> float:
    """The lowest energy by PyMaxflow: node (t, k) is on the source's side if the label of t is above k."""
    unary = costs.copy()
    if previous is not None:
        unary += smoothness * np.abs(np.arange(3) - previous[:, None])
    lowest = unary.min(axis=1)
    unary -= lowest[:, None]
    graph = maxflow.Graph[float](2 * len(costs), 3 * len(costs) + 2 * len(pairs))
    nodes = graph.add_nodes(2 * len(costs)).reshape(-1, 2)
    for t, (above, below) in enumerate(nodes):
        graph.add_tedge(above, unary[t, 0], 0)
        graph.add_edge(above, below, unary[t, 1], 1e6)
        graph.add_tedge(below, 0, unary[t, 2])
    for first, second in pairs:
        for k in range(2):
            graph.add_edge(nodes[first, k], nodes[second, k], smoothness, smoothness)
    return float(graph.maxflow() + lowest.sum())


def numpy_costs(minimum: np.ndarray, maximum: np.ndarray, norm: str, verbatim: bool) -> np.ndarray:
    sigma, alpha, beta = 0.05, 9.0, 90.0

    def c(a: np.ndarray, b: np.ndarray) -> np.ndarray:
        high, low = np.exp(-alpha * (a - 1)), np.exp(-beta * a)
        dominating = (high - low) * np.exp(-(0.5 * (a - b) ** 2) / (2 * sigma**2)) + low
        return np.where(a > b, dominating, (b / a if verbatim else a / b) * (high - 1) + 1)

    a, b = 1 / minimum, maximum
    difference = np.abs([a - 1, b - 1])
    squared = difference.sum(axis=0) ** 2 if norm == "one" else (difference**2).sum(axis=0)
    return np.stack([c(a, b), 1 - np.exp(-squared / (2 * sigma**2)), c(b, a)], axis=1)


@pytest.mark.parametrize("verbatim", [False, True])
@pytest.mark.parametrize("norm", ["one", "two"])
def test_costs_are_the_formulas_of_the_thesis(rng, norm, verbatim):
    minimum = rng.uniform(0.5, 1.2, 500)
    maximum = minimum * rng.uniform(1, 1.5, 500)
    costs = pucker.label_costs(minimum, maximum, pucker.Params(label={"norm": norm}, verbatim=verbatim))
    assert costs.shape == (500, 3)
    np.testing.assert_allclose(costs, numpy_costs(minimum, maximum, norm, verbatim), rtol=1e-12, atol=1e-14)


def test_costs_mirror_compression_and_stretch(rng):
    a, b = rng.uniform(0.8, 1.5, (2, 100))
    costs = pucker.label_costs(1 / a, b, pucker.Params())
    mirrored = pucker.label_costs(1 / b, a, pucker.Params())
    np.testing.assert_allclose(costs, mirrored[:, ::-1], atol=1e-12)


def test_labels_are_numbers_with_names():
    assert [(label.name, int(label)) for label in pucker.Label] == [("compress", 0), ("rest", 1), ("stretch", 2)]
    mesh = pucker.Mesh([[0, 1, 2]], 3)
    for label in pucker.Label:
        costs = np.ones((1, 3))
        costs[0, label] = 0.0
        labels = pucker.Labeller(mesh, pucker.Params()).step(costs)
        assert (labels == label).all()
        assert pucker.Label(labels[0]) is label


@pytest.mark.parametrize("verbatim", [False, True])
def test_costs_are_finite_for_all_parameters_in_range(rng, verbatim):
    minimum = 10 ** rng.uniform(-6, 3, 4000)
    maximum = minimum * 10 ** rng.uniform(0, 3, 4000)
    fields = {field.name: field for field in pucker.Params.fields()}
    for sigma, alpha in [
        (fields["label.sigma"].low, 1e-300),
        (0.05, fields["label.alpha"].high),
        (fields["label.sigma"].high, 9.0),
    ]:
        params = pucker.Params(verbatim=verbatim, label={"sigma": sigma, "alpha": alpha})
        assert np.isfinite(pucker.label_costs(minimum, maximum, params)).all()
        assert np.isfinite(pucker.label_costs([1.0], [1.0], params)).all()


def test_costs_of_inert_triangles_are_zero():
    costs = pucker.label_costs([0.9, 0.0], [1.0, np.nan], pucker.Params(), inert=[False, True])
    assert costs[0].all()
    assert not costs[1].any()


@pytest.mark.parametrize(
    ("minimum", "maximum", "message"),
    [
        ([1.0, 0.0], [1.0, 1.0], r"minimum\[1\] is 0"),
        ([1.0, 1.0], [np.inf, 1.0], r"maximum\[0\] is inf"),
        ([1.0, 1.0], [1.0], r"maximum must have shape \(2,\), got \(1,\)"),
        ([[1.0]], [1.0], r"minimum must have shape"),
    ],
)
def test_costs_refuse_what_is_no_stretch(minimum, maximum, message):
    with pytest.raises(ValueError, match=message):
        pucker.label_costs(minimum, maximum, pucker.Params())


@pytest.mark.parametrize("smoothness", [0.0, 0.05, 0.2, 1.0])
@pytest.mark.parametrize("regular", [True, False])
def test_exact_has_the_optimum_of_an_independent_max_flow(rng, regular, smoothness):
    faces = grid_faces(8, 6) if regular else irregular_faces(rng)
    pairs = neighbour_pairs(faces)
    labeller = make_labeller(faces, smoothness=smoothness)
    previous = None
    for _ in range(20):
        costs = rng.uniform(-0.5, 1, (len(faces), 3))
        labels = labeller.step(costs)
        optimum = independent_optimum(costs, previous, pairs, smoothness)
        assert labeller.energy(costs, labels, previous) == pytest.approx(optimum, abs=1e-9)
        assert independent_energy(costs, labels, previous, pairs, smoothness) == pytest.approx(optimum, abs=1e-9)
        previous = labels.astype(int)


@pytest.mark.parametrize("solver", SOLVERS)
def test_energy_is_the_sum_of_equation_4_3(rng, solver):
    faces = irregular_faces(rng)
    labeller = make_labeller(faces, solver=solver, smoothness=0.3)
    costs = rng.normal(size=(len(faces), 3))
    labels, previous = rng.integers(0, 3, (2, len(faces)))
    expected = independent_energy(costs, labels, previous, neighbour_pairs(faces), 0.3)
    assert labeller.energy(costs, labels, previous) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("solver", ["expansion", "swap"])
def test_moves_lie_between_the_optimum_and_their_start(rng, solver):
    faces = irregular_faces(rng)
    moves, exact = make_labeller(faces, solver=solver), make_labeller(faces)
    for _ in range(30):
        costs = rng.uniform(0, 1, (len(faces), 3))
        moves.previous = exact.previous = None
        moved = moves.energy(costs, moves.step(costs))
        assert exact.energy(costs, exact.step(costs)) <= moved + 1e-9
        assert moved <= moves.energy(costs, costs.argmin(axis=1)) + 1e-9


def test_reordered_triangles_have_reordered_labels(rng):
    faces = irregular_faces(rng)
    order = rng.permutation(len(faces))
    labeller, reordered = make_labeller(faces), make_labeller(faces[order])
    for _ in range(10):
        costs = rng.uniform(0, 1, (len(faces), 3))
        np.testing.assert_array_equal(reordered.step(costs[order]), labeller.step(costs)[order])


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_clip_at_once_is_not_worse_than_frame_by_frame(rng, solver):
    faces = grid_faces(5, 5)
    labeller = make_labeller(faces, solver=solver)
    clip = rng.uniform(0, 1, (10, len(faces), 3))
    at_once = labeller.solve_clip(clip)
    assert at_once.shape == (10, len(faces))
    assert at_once.dtype == np.int8

    def energy(frames: np.ndarray) -> float:
        return sum(labeller.energy(clip[f], frames[f], frames[f - 1] if f else None) for f in range(len(clip)))

    assert energy(at_once) < energy(np.array([labeller.step(costs) for costs in clip]))


def test_previous_is_the_whole_state(rng):
    faces = grid_faces(6, 4)
    labeller, continued = make_labeller(faces), make_labeller(faces)
    assert (labeller.previous == -1).all()
    inert = np.zeros(len(faces), dtype=bool)
    inert[5] = True
    labels = labeller.step(rng.uniform(0, 1, (len(faces), 3)), inert)
    assert labels[5] == 1
    np.testing.assert_array_equal(labeller.previous, np.where(inert, -1, labels))
    continued.previous = labeller.previous
    costs = rng.uniform(0, 1, (len(faces), 3))
    np.testing.assert_array_equal(continued.step(costs), labeller.step(costs))


def test_labels_stay_valid_after_later_frames(rng):
    labeller = make_labeller(grid_faces(4, 4))
    first = labeller.step(rng.uniform(0, 1, (32, 3)))
    kept = first.copy()
    labeller.step(rng.uniform(0, 1, (32, 3)))
    np.testing.assert_array_equal(first, kept)


def test_any_number_type_and_memory_order_is_taken(rng):
    labeller = make_labeller(grid_faces(4, 4))
    costs = rng.integers(0, 5, (32, 3))
    expected = labeller.step(costs.astype(float))
    for same in (costs, costs.astype(np.float32), np.asfortranarray(costs), costs.tolist()):
        labeller.previous = None
        labels = labeller.step(same)
        assert labels.dtype == np.int8
        np.testing.assert_array_equal(labels, expected)


def test_no_triangles_and_no_frames_have_no_labels():
    labeller = pucker.Labeller(pucker.Mesh(np.zeros((0, 3), dtype=int), 0), pucker.Params())
    assert labeller.step(np.zeros((0, 3))).shape == (0,)
    assert labeller.solve_clip(np.zeros((4, 0, 3))).shape == (4, 0)
    assert make_labeller(grid_faces(1, 1)).solve_clip(np.zeros((0, 2, 3))).shape == (0, 2)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda it: it.step(np.zeros((7, 3))), r"costs must have shape \(8, 3\), got \(7, 3\)"),
        (lambda it: it.step(np.zeros(24)), r"costs must have shape \(8, 3\), got \(24,\)"),
        (lambda it: it.step(np.full((8, 3), np.nan)), r"costs\[0, 0\] is nan"),
        (lambda it: it.step(np.zeros((8, 3)), inert=[True]), r"inert must have shape \(8,\), got \(1,\)"),
        (lambda it: it.solve_clip(np.zeros((8, 3))), r"costs must have shape \(any, 8, 3\), got \(8, 3\)"),
        (lambda it: it.energy(np.zeros((8, 3)), np.full(8, 3)), r"labels\[0\] is 3"),
        (lambda it: it.energy(np.zeros((8, 3)), np.full(8, 300)), r"labels\[0\] is 300"),
        (lambda it: it.energy(np.zeros((8, 3)), np.full(8, -1)), r"labels\[0\] is -1"),
        (lambda it: it.energy(np.zeros((8, 3)), np.zeros(8), np.zeros(7)), r"previous must have shape \(8,\)"),
        (lambda it: setattr(it, "previous", np.full(8, -2)), r"previous\[0\] is -2"),
    ],
)
def test_wrong_arguments_name_the_rule_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call(make_labeller(grid_faces(2, 2)))
