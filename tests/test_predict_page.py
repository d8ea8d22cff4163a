"""Predictors that kernel ridge is compared with: each against what it must give, and the page that shows them."""

import numpy as np
import pytest
from bench import predict, predictors

from pucker import byexample
from pucker.byexample import regression
from pucker.byexample.judged import Judged, mean_of
from pucker.examples import squeezed_sheet
from pucker.farthest import distances_of

POINTS, FRAMES, D, P = 3, 60, 5, 4
EYE = np.tile(np.eye(P, dtype=np.float32), (POINTS, 1, 1))


@pytest.fixture(scope="module")
def places():
    found = np.random.default_rng(7).normal(size=(POINTS, FRAMES, D))
    return (found - found.mean(axis=1, keepdims=True)).astype(np.float32)


def linear(places, seed=3):
    maps = np.random.default_rng(seed).normal(size=(POINTS, 1 + D, P)).astype(np.float32)
    return maps[:, :1] + places @ maps[:, 1:]


def asked(places, weights, groups):
    judged = [Judged(own.astype(np.float64), np.eye(P), np.zeros_like(own, dtype=np.float64)) for own in weights]
    return predict.Asked(places, places[:, :20], weights, EYE, groups, judged, 0, (), ())


def test_kernels_left_out_are_those_of_the_regression(places):
    weights = np.sin(linear(places)).astype(np.float32)
    groups = np.repeat(np.arange(4), FRAMES // 4)
    case = asked(places, weights, groups)
    found = predict.left_out(case, predictors.kernels(case.centres, 0.8, 0.1, 0.05))
    sums = 0.0
    for at, own, judged in zip(places.astype(np.float64), weights.astype(np.float64), case.judged, strict=True):
        basis = regression._basis(distances_of(at, at[:20]), 0.8)
        sums = sums + regression._left_out(basis, np.arange(20), (0.1,), groups, 0.05, own, judged)[0]
    assert found == pytest.approx(regression.correlations(sums), abs=1e-4)  # single precision
    assert min(found) < 0.9  # there is something to get wrong


def test_one_region_is_a_linear_map(places):
    weights = linear(places)
    model = predictors.local_maps(1, D, 1.0, 1e-6)(places, weights, EYE)
    np.testing.assert_allclose(model(places), weights, atol=1e-3)


def test_local_maps_follow_a_fold_that_one_map_cannot(places):
    weights = np.abs(linear(places)).astype(np.float32)
    errors = [
        np.square(predictors.local_maps(regions, D, 0.1, 1e-3)(places, weights, EYE)(places) - weights).mean()
        for regions in (1, 6)
    ]
    assert errors[1] < 0.5 * errors[0]


def test_axes_are_those_of_the_largest_variance(places):
    stretched = places * np.array([1.0, 5.0, 1.0, 1.0, 1.0], np.float32)
    axes = predictors._axes_of(stretched, 1)
    values = np.linalg.svd(stretched[0], compute_uv=True)[2][0]
    assert abs(values @ axes[0, :, 0] / np.linalg.norm(axes[0, :, 0])) == pytest.approx(1.0, abs=1e-4)
    assert np.square(stretched @ axes).sum(axis=2).mean() == pytest.approx(1.0, abs=1e-4)


@pytest.mark.parametrize("regions", [0, 3])
def test_networks_learn_what_is_not_linear(places, regions):
    weights = np.tanh(2.0 * linear(places)).astype(np.float32)
    line = predictors.local_maps(1, D, 1.0, 1e-3)(places, weights, EYE)
    model = predictors.network(40, 0.0, regions=regions, rank=3)(places, weights, EYE)
    assert np.square(model(places) - weights).mean() < 0.7 * np.square(line(places) - weights).mean()


def test_networks_are_the_same_again(places):
    weights = linear(places)
    first, second = (predictors.network(8, 0.5)(places, weights, EYE) for _ in range(2))
    np.testing.assert_array_equal(first.into, second.into)


def test_the_first_step_goes_down_the_error(places, monkeypatch):
    """Adam's goes by the signs of the gradient; of two steps along a cosine the second is of no length."""
    for name, value in (("_STEPS", 2), ("_BATCH", 1.0), ("_DECAY", 0.0), ("_RATE", 1e-3)):
        monkeypatch.setattr(predictors, name, value)
    weights = np.sin(linear(places)).astype(np.float32)
    model = predictors.network(6, 0.0)(places, weights, EYE)
    before = np.zeros_like(model.out)
    before[:, 0] = weights.mean(axis=1)
    # The hidden units hardly move in that step.
    slope = np.einsum("rfh,rfp->rhp", model.hidden(places), model.hidden(places) @ before - weights) / FRAMES
    clear = np.abs(slope) > 0.05
    assert clear.sum() > 20
    assert np.all(np.sign(before - model.out)[clear] == np.sign(slope)[clear])


def test_subspaces_of_as_many_directions_as_weights_hold_all(places):
    weights = linear(places)
    found = predictors._subspaces(predictors.Regions.of(places, 1, D, 1.0), P, places, weights)
    away = weights - found.means
    coordinates = away @ found.directions.transpose(0, 2, 1)
    np.testing.assert_allclose(found.weights(coordinates, found.regions.shares(places)), weights, atol=1e-4)


def test_numbers_are_counted_as_they_are_kept(places):
    weights = linear(places)
    assert predictors.network(7, 0.5)(places, weights, EYE).numbers == 7 * (1 + D) + P * (1 + 7)
    assert predictors.local_maps(2, 3, 1.0, 1.0)(places, weights, EYE).numbers == 3 * D + 2 * 3 + 2 * 4 * P


def test_a_garment_is_asked_as_sets_are(monkeypatch):
    """Kernel ridge is as good here as `learn_draped` says of the set that it makes, at as many points."""
    monkeypatch.setattr(predict, "JUDGED", regression._CHOOSING)
    clips = [squeezed_sheet(8, 8, frames=20), squeezed_sheet(8, 8, frames=13)]
    case = predict._asked(clips)
    fits = predict.tried_on(case)[0].fits
    found = max(mean_of(predict.left_out(case, fit)) for fit in fits)
    params = byexample.teacher(2)
    told = byexample.learn_draped(
        byexample.drape(clips, params), params=params, again=byexample.drape_again(clips, params)
    )
    assert found == pytest.approx(max(told.scores.values()), abs=5e-3)
    assert case.again == pytest.approx(told.again, abs=1e-6)
    assert case.untaught == pytest.approx(told.untaught, abs=1e-6)


def test_the_page_names_the_best_and_what_it_takes():
    rows = {
        name: {"learned": learned, "least": 0.4, "numbers": 1000, "products": 2000, "play": 12.3, "took": 4.0}
        for name, learned in ((predict.SHIPPED, 0.8), ("a linear map", 0.7))
    }
    garment = {"name": "kimono", "clips": 2, "frames": 30, "rows": rows, "exact": 0.99, "untaught": 0.5, "again": 0.9}
    text = predict.page({"garments": [garment]})
    assert "| kernel ridge, 128 centres | 0.800 (0.40) | 0.800 |" in text
    assert "| the balance alone | 0.500 | 0.500 |" in text
    assert (
        "Best in the mean: **kernel ridge, 128 centres**; kernel ridge is 0.100 above the best of the others." in text
    )
    assert "| a linear map | 1 K | 2 K | 12 | 4 |" in text
