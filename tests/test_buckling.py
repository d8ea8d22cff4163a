"""The wavelength that cloth buckles in: the law, and how a run's widths follow it."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import pucker
from pucker.examples import squeezed_sheet

COTTON = {"bending": 5e-6, "tension": 0.7, "length": 0.5}


def test_the_wavelength_has_the_least_energy_of_bending_and_tension():
    """Of waves A cos kx that take up a given excess, A²k²/4, over wrinkles of length L that the tension pulls straight."""

    def energy(log_wavelength: float) -> float:
        k = 2 * np.pi / np.exp(log_wavelength)
        amplitude = 2 * np.sqrt(1e-3) / k
        return 0.25 * amplitude**2 * (COTTON["bending"] * k**4 + COTTON["tension"] * (np.pi / COTTON["length"]) ** 2)

    least = minimize_scalar(energy, bracket=(-4.0, -1.0), tol=1e-12)
    assert pucker.buckling_wavelength(**COTTON) == pytest.approx(np.exp(least.x), rel=1e-6)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan, np.inf])
def test_what_is_no_cloth_is_refused(bad):
    for name in COTTON:
        with pytest.raises(ValueError, match="must be finite and > 0"):
            pucker.buckling_wavelength(**COTTON | {name: bad})
    with pytest.raises(ValueError, match=r"Poisson's ratio must lie in \[0, 1\)"):
        pucker.bending_stiffness(1.0, 1.0, 1.0)


def test_a_run_needs_no_width_where_the_fabric_is_known():
    clip = squeezed_sheet(compression=1.5)
    params = pucker.Params(fabric={"bending": 1e-6, "tension": 10.0, "length": 1.0})
    wavelength = pucker.buckling_wavelength(1e-6, 10.0, 1.0)
    wrinkler = pucker.Wrinkler(clip, params)
    # Ridges of creases are two thirds of a width apart.
    assert 2 / 3 * wrinkler.params.flat_width == pytest.approx(wavelength, rel=1e-14)
    assert wrinkler.params.relative_width * clip.height == pytest.approx(wrinkler.params.min_width)
    for frame in clip:
        state = wrinkler.advance(frame.positions, frame.time)
    assert len(state.wrinkles) > 3
    shaper = pucker.Shaper(wrinkler.params)
    for length in (0.1, 0.4, 1.0):
        width, _ = shaper.target(length, 1.5, 0.5)
        assert 2 / 3 * width == pytest.approx(pucker.buckling_wavelength(1e-6, 10.0, length) / 1.5, rel=1e-12)


def test_a_saved_run_keeps_its_fabric():
    clip = squeezed_sheet(compression=1.5)
    wrinkler = pucker.Wrinkler(clip, pucker.Params(fabric=COTTON))
    assert pucker.Wrinkler.restore(wrinkler.save()).params == wrinkler.params
    assert pucker.Params.from_toml(wrinkler.params.to_toml()) == wrinkler.params
