"""Frames per second from the times of frames."""

import numpy as np
import pytest

from pucker.rates import frame_rate


@pytest.mark.parametrize("fps", [23.976, 24.0, 30.0, 120.0])
def test_the_rate_is_that_of_the_times_wherever_they_begin(fps):
    times = np.arange(100) / fps
    assert frame_rate(times, within=1e-6) == pytest.approx(fps, rel=1e-12)
    assert frame_rate(times + 86400.0, within=1e-6) == pytest.approx(fps, rel=1e-9)


def test_a_single_frame_has_the_rate_it_is_given():
    assert frame_rate([2.5]) == 30.0
    assert frame_rate([2.5], alone=24.0, within=0.0) == 24.0


def test_uneven_times_have_a_mean_and_are_refused_where_that_says_nothing():
    uneven = [0.0, 0.1, 0.4]
    assert frame_rate(uneven) == pytest.approx(5.0)
    with pytest.raises(ValueError, match=r"flicker needs frames at equal distances in time, not 0\.1 to 0\.3 seconds"):
        frame_rate(uneven, within=1e-3, what="flicker")


def test_times_may_be_uneven_by_the_share_that_is_asked_for():
    steps = np.array([0.1, 0.1, 0.1, 0.1])
    steps[1], steps[2] = 0.109, 0.091
    times = np.concatenate([[0.0], np.cumsum(steps)])
    assert frame_rate(times, within=0.095) == pytest.approx(10.0)
    with pytest.raises(ValueError, match="equal distances in time"):
        frame_rate(times, within=0.085)
