"""Agreement by band of wavelength: closed forms of the filter and of lag, balances, and what the controls must give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import sphere
from scipy.optimize import minimize
from test_folds import flat_sheet

from pucker import metrics


@pytest.fixture
def sheet():
    faces, points = flat_sheet(160, 16, 1.6, 0.16)
    return faces, points, metrics.Bands(faces, points, [0.1, 0.2, 0.4])


@pytest.mark.parametrize("wave", [0.1, 0.16, 0.2, 0.32, 0.4, 0.8])
def test_a_wave_is_split_as_by_a_butterworth_filter(sheet, wave):
    _, points, bands = sheet
    # Whole waves between borders with level ends: their cosine is an eigenfunction of the sheet.
    values = np.cos(2.0 * np.pi * points[:, 0] / wave)
    kept = [1.0, *(1.0 / (1.0 + (cut / wave) ** 4) for cut in bands.cutoffs), 0.0]
    for band, low, high in zip(bands(values), kept[:-1], kept[1:], strict=True):
        # The cotangent Laplacian is of second order in the edge length.
        assert band == pytest.approx((low - high) * values, abs=3.0 * (0.01 / wave) ** 2 + 1e-3)


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32 - 1), scale=st.sampled_from([1e-6, 1.0, 1e6]))
def test_bands_sum_to_the_values_and_do_not_see_the_unit(seed, scale):
    body = sphere(columns=12, rows=8)
    values = np.random.default_rng(seed).normal(size=(3, len(body.rest)))
    split = metrics.Bands(body.mesh.faces, body.rest, [0.5, 1.0])(values)
    assert split.shape == (3, 3, len(body.rest))
    assert split.sum(axis=0) == pytest.approx(values)
    scaled = metrics.Bands(body.mesh.faces, scale * body.rest, [0.5 * scale, 1.0 * scale])(values)
    assert scaled == pytest.approx(split, abs=1e-9)


def test_a_constant_is_in_the_longest_band(sheet):
    _, points, bands = sheet
    split = bands(np.full(len(points), 2.0))
    assert split[:-1] == pytest.approx(0.0, abs=1e-9)
    assert split[-1] == pytest.approx(2.0)


def test_meshes_of_other_sizes_split_the_same_heights_alike():
    split = {}
    for columns in (80, 160, 320):
        faces, points = flat_sheet(columns, columns // 10, 1.6, 0.16)
        values = np.cos(2.0 * np.pi * points[:, 0] / 0.16) + 0.5 * np.cos(2.0 * np.pi * points[:, 0] / 0.8)
        bands = metrics.Bands(faces, points, [0.2, 0.4])
        split[columns] = [metrics.rms(band[None], bands.areas) for band in bands(values)]
    # Eight edges to the shorter wave, then sixteen: the difference falls with the square.
    assert split[80] == pytest.approx(split[320], rel=0.08)
    assert split[160] == pytest.approx(split[320], rel=0.02)


def test_lag_is_the_minimum_of_hold_and_drag(rng):
    guide = rng.normal(size=(6, 4, 3))
    ratio, hold = 0.3, 7.0
    found = metrics.lagging(guide, ratio)

    def energy(flat, target, last):
        x = flat.reshape(4, 3)
        return 0.5 * hold * np.square(x - target).sum() + 0.5 * ratio * hold * np.square(x - last).sum()

    assert found[0] == pytest.approx(guide[0])
    for index in range(1, 6):
        least = minimize(energy, np.zeros(12), args=(guide[index], found[index - 1]), tol=1e-12)
        assert found[index].ravel() == pytest.approx(least.x, abs=1e-5)


@pytest.mark.parametrize("ratio", [0.0, 0.05, 0.2, 3.0])
def test_the_lag_that_was_put_in_is_found(rng, ratio):
    guide = np.cumsum(rng.normal(size=(20, 9, 3)), axis=0)
    assert metrics.fitted_lag(guide, metrics.lagging(guide, ratio), np.ones(9)) == pytest.approx(ratio, abs=1e-4)


def test_cloth_that_runs_ahead_has_no_lag(rng):
    guide = np.cumsum(rng.normal(size=(20, 9, 3)), axis=0)
    ahead = 2.0 * guide - metrics.lagging(guide, 0.5)
    assert metrics.fitted_lag(guide, ahead, np.ones(9)) == 0.0


def test_heights_are_along_the_guides_normals(sheet):
    faces, points, _ = sheet
    guide = np.array([points, points + np.array([0.1, 0.2, 0.3])])
    raised = guide + np.array([5.0, 6.0, 0.0])
    raised[1, :, 2] += 0.25
    found = metrics.heights(faces, guide, raised)
    assert found[0] == pytest.approx(0.0, abs=1e-12)
    assert np.abs(found[1]) == pytest.approx(0.25)


def waves_of(points, *, phase, count=4):
    """Heights (frames, n) of one wave in the middle band, whose place depends on the phase."""
    shift = np.arange(count)[:, None] * 0.4
    return np.cos(2.0 * np.pi * points[:, 0] / 0.25 + shift + phase) + 0.2


def test_controls_are_as_they_must_be(sheet):
    _, points, bands = sheet
    truth = waves_of(points, phase=0.0)
    same = metrics.band_agreement(truth, truth, bands)
    assert [row.correlation for row in same] == pytest.approx([1.0] * 4)
    assert [row.rms for row in same] == pytest.approx([1.0] * 4)
    nothing = metrics.band_agreement(0.0 * truth, truth, bands)
    assert [row.correlation for row in nothing] == [0.0] * 4
    assert [row.rms for row in nothing] == [0.0] * 4
    assert [(row.shortest, row.longest) for row in same] == [(0.0, 0.1), (0.1, 0.2), (0.2, 0.4), (0.4, np.inf)]
    assert sum(row.share for row in same) == pytest.approx(1.0)


def test_waves_a_quarter_apart_do_not_correlate_and_half_apart_oppose(sheet):
    _, points, bands = sheet
    truth = waves_of(points, phase=0.0)
    quarter = metrics.band_agreement(waves_of(points, phase=np.pi / 2), truth, bands)[2]
    half = metrics.band_agreement(waves_of(points, phase=np.pi), truth, bands)[2]
    assert quarter.correlation == pytest.approx(0.0, abs=0.06)
    assert half.correlation == pytest.approx(-1.0, abs=0.06)
    assert half.rms == pytest.approx(1.0, abs=0.06)


def test_the_mean_over_the_frames_is_no_knowledge_of_the_pose(sheet):
    _, points, bands = sheet
    truth = waves_of(points, phase=0.0) + 3.0 * np.cos(2.0 * np.pi * points[:, 0] / 0.25)
    mean = np.broadcast_to(truth.mean(axis=0), truth.shape)
    row = metrics.band_agreement(mean, truth, bands)[2]
    assert row.correlation > 0.9
    assert row.pose == 0.0
    assert metrics.band_agreement(truth, truth, bands)[2].pose == pytest.approx(1.0)


def test_noise_has_the_spectrum_and_nothing_else():
    # Round a sphere a few hundred waves fit: their correlation with another few hundred is small.
    body = sphere(columns=48, rows=32)
    bands = metrics.Bands(body.mesh.faces, body.rest, [0.3, 0.6])
    rng = np.random.default_rng(3)
    truth = metrics.noise_like(np.ones((2, 1)) * bands(rng.normal(size=len(body.rest)))[1], bands, 5)
    noise = metrics.noise_like(truth, bands, 6)
    rows = metrics.band_agreement(noise, truth, bands)
    assert [row.rms for row in rows[:2]] == pytest.approx([1.0, 1.0], abs=0.35)
    assert abs(rows[0].correlation) < 0.1
    assert abs(rows[1].correlation) < 0.2
    assert noise == pytest.approx(metrics.noise_like(truth, bands, 6))


def test_what_does_not_fit_is_refused(sheet, rng):
    faces, points, bands = sheet
    for wrong in ([], [0.2, 0.1], [0.0, 0.1], [0.1, np.inf], [-1.0]):
        with pytest.raises(ValueError, match="cut-offs must be positive, finite and ascending, not"):
            metrics.Bands(faces, points, wrong)
    with pytest.raises(ValueError, match=rf"one for each vertex, not \({len(points) - 1},\)"):
        bands(np.zeros(len(points) - 1))
    frames = rng.normal(size=(3, len(points)))
    with pytest.raises(ValueError, match=r"two of one shape \(frames, n\)"):
        metrics.band_agreement(frames, frames[:2], bands)
    with pytest.raises(ValueError, match=r"two of one shape \(frames, n, 3\)"):
        metrics.heights(faces, points[None], np.stack([points, points]))
    with pytest.raises(ValueError, match=r"two of one shape \(frames, n, 3\)"):
        metrics.fitted_lag(points[None], np.stack([points, points]), np.ones(len(points)))
    for ratio in (-0.1, np.nan, np.inf):
        with pytest.raises(ValueError, match="the ratio of drag to hold must be at least 0 and finite, not"):
            metrics.lagging(points[None], ratio)
