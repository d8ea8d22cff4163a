import itertools
import pickle

import numpy as np
import pytest
from scipy.integrate import quad

import pucker
from pucker import HeightRule, Profile

PROFILES = [Profile.quartic, Profile.sinusoidal, Profile.arcs, Profile.bspline, Profile.wave, Profile.crease]
SCALES = [1e-8, 1.0, 1e8]


def quadrature_length(profile: Profile, width: float, height: float) -> float:
    """Twice the arc length over [0, w], in pieces between the knots of all profiles."""
    w = width / 2
    knots = w * np.array([0, 1 / 3, 1 / 2, np.arccos(-0.25) / np.pi, 1])
    return 2 * sum(
        quad(lambda x: np.hypot(1, profile.derivative(x, width, height)), a, b, epsabs=0, epsrel=1e-12, limit=400)[0]
        for a, b in itertools.pairwise(knots)
    )


def test_the_profiles_module_holds_the_enum_of_the_parameters():
    assert pucker.profiles.Profile is Profile
    assert pucker.Params().shape.profile == Profile.crease
    assert pickle.loads(pickle.dumps(Profile.arcs)) == Profile.arcs
    assert [int(profile) for profile in PROFILES] == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("profile", PROFILES)
def test_boundary_conditions(profile, scale):
    w, height = 1.5 * scale, 0.9 * scale
    middle = -height if profile == Profile.crease else height
    assert profile.value(0, 2 * w, height) == pytest.approx(middle, rel=1e-15)
    np.testing.assert_array_equal(profile.value([-w, w, 2 * w], 2 * w, height), 0)
    np.testing.assert_array_equal(profile.derivative([0, -w, w, 2 * w], 2 * w, height), 0)


def test_a_wave_has_mean_zero_and_valleys_nine_sixteenths_as_deep_as_it_is_high():
    assert abs(quad(lambda x: Profile.wave.value(x, 1.3, 0.4), -0.65, 0.65, epsabs=1e-13)[0]) < 1e-13
    x = np.linspace(-0.65, 0.65, 100_001)
    assert Profile.wave.value(x, 1.3, 0.4).min() == pytest.approx(-0.4 * 9 / 16, rel=1e-8)
    assert Profile.wave.value(0.65 / 3, 1.3, 0.4) == pytest.approx(0.0, abs=1e-15)


def test_a_crease_is_a_wave_upside_down():
    x = np.linspace(-0.7, 0.7, 101)
    np.testing.assert_array_equal(Profile.crease.value(x, 1.3, 0.4), -Profile.wave.value(x, 1.3, 0.4))


@pytest.mark.parametrize("profile", PROFILES)
def test_the_measured_height_from_crest_to_floor_is_that_of_simulated_folds(profile):
    excess = np.geomspace(0.01, 0.5, 20)
    heights = profile.measured_height(0.7, 0.7 * (1.0 + excess))
    x = np.linspace(-0.35, 0.35, 20_001)
    for height, expected in zip(heights, 0.56 * excess**0.8, strict=True):
        section = np.asarray(profile.value(x, 0.7, height))
        # Between two ridges of a crease, two valleys of a wave, the two ends of all others.
        middle = np.argmax(section) if profile == Profile.crease else np.argmin(section)
        apart = 0.7 if profile not in (Profile.wave, Profile.crease) else 2.0 * abs(x[middle])
        assert np.ptp(section) / apart == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("profile", PROFILES)
def test_derivative_is_that_of_the_value(profile):
    x = np.linspace(-0.995, 0.995, 83)
    step = 1e-6
    difference = (profile.value(x + step, 2, 0.6) - profile.value(x - step, 2, 0.6)) / (2 * step)
    np.testing.assert_allclose(profile.derivative(x, 2, 0.6), difference, atol=1e-5)


@pytest.mark.parametrize("profile", PROFILES)
def test_arrays_broadcast(profile):
    x = np.linspace(-1, 1, 5)
    widths = np.array([[1.0], [2.0], [3.0]])
    table = profile.value(x, widths, 0.2)
    assert table.shape == (3, 5)
    for i in range(3):
        np.testing.assert_array_equal(table[i], [profile.value(p, widths[i, 0], 0.2) for p in x])
    assert isinstance(profile.value(0, 1, 0.2), float)


@pytest.mark.parametrize("ratio", [0.0, 0.01, 0.2, 0.5, 0.9, 1.0, 2.0, 3.0, 4.0])
@pytest.mark.parametrize("profile", PROFILES)
def test_arc_length_is_the_integral(profile, ratio):
    if profile == Profile.arcs and ratio >= 1:
        expected = np.pi * 0.35
        ratio = 1.0
    else:
        expected = quadrature_length(profile, 0.7, ratio * 0.35)
    assert profile.arc_length(0.7, ratio * 0.35) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("profile", PROFILES)
def test_height_for_inverts_arc_length(profile, scale):
    arcs = scale * np.linspace(1, 1.57 if profile == Profile.arcs else 3.1416, 50)
    heights = profile.height_for(scale, arcs)
    assert heights[0] == 0
    assert (np.diff(heights) > 0).all()
    np.testing.assert_allclose(profile.arc_length(scale, heights), arcs, rtol=1e-13)


def test_circle_height_keeps_the_arc():
    width = np.linspace(1 / np.pi, 1, 200)[:-1]
    height = pucker.profiles.circle_height(width, 1)
    phi = 2 * np.arctan(2 * height / width)
    np.testing.assert_allclose(width * phi / np.sin(phi), 1, atol=1e-12)
    assert pucker.profiles.circle_height(1, 1) == 0


@pytest.mark.parametrize("rule", [HeightRule.circle, HeightRule.profile, HeightRule.measured])
@pytest.mark.parametrize("profile", PROFILES)
def test_table_is_within_a_ten_thousandth_of_the_arc(profile, rule):
    table = pucker.profiles.HeightTable(rule, profile)
    width = np.clip(1 - (1 - table.lowest_ratio) * np.linspace(0, 1, 4001) ** 2, table.lowest_ratio, 1)
    if rule == HeightRule.measured:
        exact = profile.measured_height(width, 1)
    elif rule == HeightRule.circle and profile not in (Profile.wave, Profile.crease):
        exact = pucker.profiles.circle_height(width, 1)
    else:
        exact = profile.height_for(width, 1)
    assert np.abs(table.height(width, 1) - exact).max() <= 1e-4
    np.testing.assert_allclose(table.height(7 * width, 7), 7 * table.height(width, 1), atol=1e-12)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Profile.bspline.value(0, -1, 0.1), "width must be finite and positive, got -1"),
        (lambda: Profile.bspline.derivative(0, 1, -2), "height must be finite and >= 0, got -2"),
        (lambda: Profile.arcs.value(0, 1, 0.6), "the height of arcs must be at most half the width 1, got 0.6"),
        (lambda: Profile.bspline.height_for(1, 0.9), "arc must be at least the width 1, got 0.9"),
        (lambda: Profile.arcs.height_for(1, 1.6), "arc must be at most pi/2 times the width 1 for arcs, got 1.6"),
        (lambda: Profile.crease.measured_height(1, 0.9), "arc must be at least the width 1, got 0.9"),
        (lambda: pucker.profiles.circle_height(0.2, 1), "got 0.2/1 = 0.2"),
        (lambda: pucker.profiles.HeightTable(HeightRule.circle, Profile.arcs).height(0.5, 1), "got 0.5/1 = 0.5"),
    ],
)
def test_wrong_arguments_name_the_rule_and_the_value(call, message):
    with pytest.raises(ValueError, match=message):
        call()
