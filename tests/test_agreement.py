"""How much two details have in common."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pucker.metrics import correlation, rms


@pytest.fixture
def details(rng):
    return rng.normal(size=(5, 7, 3)), rng.normal(size=(5, 7, 3)), rng.uniform(0.5, 2.0, 7)


@settings(max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), factor=st.floats(1e-3, 1e3), scale=st.floats(0.1, 10))
def test_correlation_is_that_of_the_weighted_numbers(seed, factor, scale):
    rng = np.random.default_rng(seed)
    one, other, shares = rng.normal(size=(4, 6, 3)), rng.normal(size=(4, 6, 3)), rng.uniform(0.1, 2.0, 6)
    roots = np.sqrt(shares)[None, :, None]
    a, b = (roots * one).ravel(), (roots * other).ravel()
    found = correlation(one, other, shares)
    assert found == pytest.approx(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
    assert correlation(factor * one, other, scale * shares) == pytest.approx(found)
    assert correlation(other, one, shares) == pytest.approx(found)
    assert correlation(one, one, shares) == pytest.approx(1.0)
    assert correlation(one, -one, shares) == pytest.approx(-1.0)


def test_without_the_mean_only_what_differs_counts(details):
    one, other, shares = details
    mean = np.full((7, 3), 100.0)
    assert correlation(one + mean, other + mean, shares) > 0.99
    assert correlation(one + mean, other + mean, shares, mean=mean) == pytest.approx(correlation(one, other, shares))


def test_the_size_is_the_root_mean_square_length(details):
    one, _, shares = details
    lengths = np.square(one).sum(axis=2)
    assert rms(one, shares) == pytest.approx(np.sqrt(np.average(lengths, axis=1, weights=shares).mean()))


def test_what_does_not_fit_or_is_nothing_is_refused(details):
    one, other, shares = details
    with pytest.raises(
        ValueError, match=r"two of shape \(frames, 7\) or \(frames, 7, 3\), not \(5, 7, 3\) and \(4, 7, 3\)"
    ):
        correlation(one, other[:4], shares)
    with pytest.raises(ValueError, match=r"two of shape \(frames, 6\)"):
        correlation(one, other, shares[:6])
    with pytest.raises(ValueError, match="a detail that is zero correlates with nothing"):
        correlation(0 * one, other, shares)


def test_heights_are_details_of_one_component(details):
    one, other, shares = details
    along = np.array([0.0, 0.6, 0.8])
    heights = [each @ along for each in (one, other)]
    assert rms(heights[0], shares) == pytest.approx(rms(heights[0][..., None] * along, shares))
    assert correlation(*heights, shares) == pytest.approx(correlation(*(h[..., None] * along for h in heights), shares))
