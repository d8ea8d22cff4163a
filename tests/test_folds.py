"""Measures of folds: closed forms on sheets and tubes, and invariances."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import rotation, sphere

from pucker import metrics
from pucker.examples import grid_faces


def flat_sheet(columns: int, rows: int, width: float, height: float) -> tuple[np.ndarray, np.ndarray]:
    y, x = (index.ravel() / n for index, n in zip(np.mgrid[: rows + 1, : columns + 1], (rows, columns), strict=True))
    return grid_faces(columns, rows), np.stack([width * x, height * y, 0.0 * x], axis=1)


def tube(columns: int, rows: int, radius: float, height: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A tube round the y axis, closed round it: faces, positions, angle of each vertex."""
    faces, points = flat_sheet(columns, rows, 2.0 * np.pi, height)
    numbers = np.arange(len(points)).reshape(rows + 1, columns + 1)
    numbers[:, -1] = numbers[:, 0]
    used, renumbered = np.unique(numbers.ravel()[faces], return_inverse=True)
    angle = points[used, 0]
    positions = np.stack([radius * np.cos(angle), points[used, 1], -radius * np.sin(angle)], axis=1)
    return renumbered.reshape(-1, 3), positions, angle


@pytest.mark.parametrize("wave", [0.2, 0.4, 0.8])
def test_smoothing_leaves_of_a_wave_what_the_heat_equation_says(wave):
    faces, points = flat_sheet(160, 16, 1.6, 0.16)
    # Whole waves between borders with level ends: their cosine is an eigenfunction of the sheet.
    values = np.cos(2.0 * np.pi * points[:, 0] / wave)
    width, k = 0.15, 2.0 * np.pi / wave
    after = metrics.Smoothing(faces, points, width)(values)
    assert after == pytest.approx((1.0 + k**2 * width**2 / 32.0) ** -4 * values, abs=3e-3)


def test_smoothing_keeps_constants_and_the_integral():
    body = sphere(columns=12, rows=8)
    smoothing = metrics.Smoothing(body.mesh.faces, body.rest, 0.5)
    assert smoothing(np.full(len(body.rest), 3.0)) == pytest.approx(3.0)
    noise = np.random.default_rng(2).normal(size=len(body.rest))
    assert smoothing.areas @ smoothing(noise) == pytest.approx(smoothing.areas @ noise)
    assert smoothing(noise).std() < 0.5 * noise.std()
    with pytest.raises(ValueError, match="width must be positive, not 0"):
        metrics.Smoothing(body.mesh.faces, body.rest, 0)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(1e-3, 1e3), offset=st.floats(-10, 10))
def test_where_does_not_see_units_nor_how_much_but_sees_what_moved(seed, factor, offset):
    rng = np.random.default_rng(seed)
    body = sphere(columns=24, rows=16)
    faces, points = np.asarray(body.mesh.faces), np.asarray(body.rest)
    there = rng.normal(size=3)
    bump = np.exp(-8.0 * np.square(points - there / np.linalg.norm(there)).sum(axis=1))
    other = np.exp(-8.0 * np.square(points + there / np.linalg.norm(there)).sum(axis=1))
    smoothing = metrics.Smoothing(faces, points, 0.3)
    assert metrics.where(bump, bump, smoothing) == pytest.approx(1.0)
    assert metrics.where(bump, -bump, smoothing) == pytest.approx(-1.0)
    assert metrics.where(bump, other, smoothing) < 0.0
    found = metrics.where(bump, bump + 0.5 * other, smoothing)
    turned = metrics.Smoothing(faces, factor * points @ rotation(rng).T, 0.3 * factor)
    assert metrics.where(bump, factor * (bump + 0.5 * other) + offset, turned) == pytest.approx(found, abs=1e-6)
    assert np.isnan(metrics.where(bump, 0.0 * bump, smoothing))


@pytest.mark.parametrize("angle", [0.0, 20.0, 45.0, 90.0])
@pytest.mark.parametrize("wave", [0.1, 0.25])
def test_the_wavelength_of_a_corrugated_sheet_is_its_own(angle, wave):
    faces, points = flat_sheet(100, 60, 2.0, 1.2)
    direction = np.array([np.cos(np.radians(angle)), np.sin(np.radians(angle)), 0.0])
    heights = 0.02 + 0.01 * np.sin(2.0 * np.pi * points @ direction / wave)
    found = metrics.wavelength(heights, metrics.Smoothing(faces, points, 0.15))
    assert found == pytest.approx(wave, rel=0.05)


@settings(max_examples=10)
@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(1e-3, 1e3))
def test_the_wavelength_is_measured_along_the_surface_in_its_own_unit(seed, factor):
    faces, points, angle = tube(72, 24, 0.3, 0.8)
    heights = 0.01 * np.cos(9 * angle)
    turned = factor * points @ rotation(np.random.default_rng(seed)).T
    found = metrics.wavelength(factor * heights, metrics.Smoothing(faces, turned, 0.2 * factor), lines=128)
    assert found == pytest.approx(factor * 2.0 * np.pi * 0.3 / 9, rel=0.05)


def test_what_has_no_folds_has_no_wavelength():
    faces, points = flat_sheet(20, 10, 2.0, 1.0)
    smoothing = metrics.Smoothing(faces, points, 0.1)
    assert np.isnan(metrics.wavelength(np.zeros(len(points)), smoothing))
    assert np.isnan(metrics.wavelength(np.full(len(points), 0.1), smoothing))
    # A slope is not a wave within reach.
    assert np.isnan(metrics.wavelength(points[:, 0], smoothing))


def test_folds_are_born_where_there_were_none():
    faces, points = flat_sheet(60, 10, 6.0, 1.0)
    ridge = [np.exp(-20.0 * np.square(points[:, 0] - x)) for x in (1.0, 1.2, 3.0, 5.0)]
    frames = [0 * ridge[0], ridge[0], ridge[1], ridge[1] + ridge[2] - ridge[3], ridge[1] - ridge[3]]
    assert metrics.fold_births(faces, frames, 0.5).tolist() == [0, 1, 0, 2, 0]
    # Round a threshold it is no new one each time.
    trembling = [(0.52 if frame % 2 else 0.48) * ridge[0] for frame in range(8)]
    assert metrics.fold_births(faces, trembling, 0.5).sum() == 0
    with pytest.raises(ValueError, match="threshold must be positive, not 0"):
        metrics.fold_births(faces, frames, 0)


def test_flip_is_nothing_for_the_same_picture_and_grows_with_the_difference(rng):
    picture = rng.integers(60, 200, size=(48, 64, 3), dtype=np.uint8)
    assert metrics.flip(picture, picture) == 0.0
    errors = [metrics.flip(picture, picture + np.uint8(step)) for step in (4, 16, 48)]
    assert 0.0 < errors[0] < errors[1] < errors[2] < 1.0
    assert metrics.flip(picture / 255.0, (picture + np.uint8(16)) / 255.0) == pytest.approx(errors[1], abs=1e-6)
    assert metrics.flip(np.zeros((32, 32, 3)), np.ones((32, 32, 3))) == pytest.approx(0.97, abs=0.03)
    with pytest.raises(ValueError, match=r"two of one shape \(height, width, 3\), not"):
        metrics.flip(picture, picture[:, :-1])


def test_folds_that_one_flat_row_parts_are_two():
    columns = 5
    faces = [[k, k + 1, columns + k] for k in range(columns - 1)]
    faces += [[k + 1, columns + k + 1, columns + k] for k in range(columns - 1)]
    ridges = np.tile([1.0, 0.0, 1.0, 1.0, 0.0], 2)
    births = metrics.fold_births(faces, [np.zeros(2 * columns), ridges, ridges, -ridges], 0.5)
    assert births.tolist() == [0.0, 2.0, 0.0, 2.0]


def test_a_ripple_does_not_count_before_the_wave_turns():
    faces, points = flat_sheet(120, 30, 2.4, 0.6)
    along = 2.0 * np.pi * points[:, 0]
    heights = 0.02 * np.sin(along / 0.6) + 0.012 * np.sin(along / 0.1)
    lags = np.linspace(0.0, 0.6, 6001)
    correlation = 0.02**2 * np.cos(2.0 * np.pi * lags / 0.6) + 0.012**2 * np.cos(2.0 * np.pi * lags / 0.1)
    least = 1 + np.flatnonzero((correlation[1:-1] < correlation[:-2]) & (correlation[1:-1] <= correlation[2:]))
    assert correlation[least[0]] > 0.0
    expected = 2.0 * lags[least[correlation[least] < 0.0][0]]
    found = metrics.wavelength(heights, metrics.Smoothing(faces, points, 0.2), lines=256)
    assert found == pytest.approx(expected, rel=0.1)
