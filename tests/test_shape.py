import itertools

import numpy as np
import pytest
from motion import squeeze
from render_scenes import refine
from scipy.integrate import quad

import pucker
from pucker.examples import bending_sleeve, squeezed_sheet

PROFILES = list(pucker.Profile.__members__.values())
RULES = list(pucker.HeightRule.__members__.values())
WITH_VALLEYS = (pucker.Profile.wave, pucker.Profile.crease)
MIN_WIDTH = 0.02
FLAT = np.pi * MIN_WIDTH
DT = 1 / 30


def params_of(**shape: object) -> pucker.Params:
    return pucker.Params.ridges().replace(min_width=MIN_WIDTH, shape=shape)


def wrinkled(compression: float = 1.5, **values: object) -> tuple[pucker.CompressionField, pucker.Wrinkle]:
    """A new path on a sheet squeezed by a known amount, and the field it was traced in."""
    clip = squeezed_sheet(8, 8)
    rest = clip.positions[0]
    positions = rest @ squeeze(np.pi / 2, compression).T
    matrices = [pucker.local_frames(clip.mesh, p).matrices for p in (rest, positions)]
    field = pucker.CompressionField(clip.mesh, positions, pucker.stretch(*matrices))
    tracer = pucker.Tracer(clip.mesh, pucker.Params.ridges().replace(min_width=MIN_WIDTH, **values))
    paths = (tracer.trace(seed, field) for seed in tracer.seed(field))
    return field, max((path for path in paths if path is not None), key=lambda path: path.length)


def settled(shaper: pucker.Shaper, wrinkle: pucker.Wrinkle, field: pucker.CompressionField) -> pucker.Wrinkle:
    for _ in range(100):
        wrinkle = shaper.step(wrinkle, field, DT)
    return wrinkle


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("compression", [1.0, 1.2, 1.5, 2.5, 100.0])
def test_the_middle_keeps_the_cloth_and_the_ends_are_flat(rule, profile, compression):
    shaper = pucker.Shaper(params_of(profile=profile, height=rule, aspect=0.0))
    width, height = shaper.target(1.0, compression, 0.5)
    narrowest = (2 if profile == pucker.Profile.arcs else 1) * MIN_WIDTH
    assert width == pytest.approx(np.clip(FLAT / compression, narrowest, FLAT), rel=1e-12)
    if rule == pucker.HeightRule.measured:
        exact = profile.measured_height(width, FLAT)
    elif rule == pucker.HeightRule.circle and profile not in WITH_VALLEYS:
        exact = pucker.profiles.circle_height(width, FLAT)
    else:
        exact = profile.height_for(width, FLAT)
    assert height == pytest.approx(exact, abs=1.1e-4 * FLAT)
    theses = pucker.Shaper(params_of(profile=profile, height=rule).replace(verbatim=True))
    for end in (0.0, 1.0):
        assert shaper.target(1.0, compression, end) == (pytest.approx(0.5 * width, rel=1e-12), 0.0)
        assert theses.target(1.0, compression, end) == (pytest.approx(FLAT, rel=1e-12), 0.0)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("compression", [1.1, 1.5, 2.5, 100.0])
def test_no_ridge_is_higher_than_its_width_allows(profile, compression):
    free, bounded = (pucker.Shaper(params_of(profile=profile, **given)) for given in ({"aspect": 0.0}, {}))
    width, height = bounded.target(1.0, compression, 0.5)
    whole = free.target(1.0, compression, 0.5)
    assert width == whole[0]
    # From floor to crest over the distance of two floors.
    steepest = 0.4 * np.arccos(-0.25) / np.pi / (25 / 16) if profile in WITH_VALLEYS else 0.4
    assert height == pytest.approx(min(whole[1], steepest * width), rel=1e-12)
    for along in (0.1, 0.3):
        lower, higher = (shaper.target(1.0, compression, along)[1] for shaper in (bounded, free))
        assert lower * whole[1] == pytest.approx(higher * height, rel=1e-9)
    theses = [pucker.Shaper(params_of(aspect=aspect).replace(verbatim=True)) for aspect in (0.0, 0.4)]
    assert theses[0].target(1.0, compression, 0.5) == theses[1].target(1.0, compression, 0.5)


@pytest.mark.parametrize("profile", PROFILES)
def test_verbatim_every_cross_section_is_as_long_as_the_flat_cloth(profile):
    shaper = pucker.Shaper(params_of(profile=profile, height="profile").replace(verbatim=True))
    for along in (0.1, 0.3, 0.5):
        width, height = shaper.target(1.0, 1.4, along)
        knots = width / 2 * np.array([0, 1 / 3, 1 / 2, np.arccos(-0.25) / np.pi, 1])
        length = 2 * sum(
            quad(lambda x: np.hypot(1, profile.derivative(x, width, height)), a, b, epsrel=1e-10)[0]  # noqa: B023
            for a, b in itertools.pairwise(knots)
        )
        assert length == pytest.approx(FLAT, rel=4e-4)


def test_sizes_settle_at_the_targets_of_the_largest_compression():
    field, wrinkle = wrinkled(1.5)
    shaper = pucker.Shaper(params_of())
    done = settled(shaper, wrinkle, field)
    largest = field.compression[done.triangles].max()
    assert largest == pytest.approx(1.5, rel=1e-9)
    arc = np.concatenate([[0], np.cumsum(np.linalg.norm(np.diff(done.points, axis=0), axis=1))])
    for k, s in enumerate(arc):
        width, height = shaper.target(done.length, largest, min(s / done.length, 1.0))
        assert done.widths[k] == pytest.approx(width, rel=1e-9)
        assert done.heights[k] == pytest.approx(height, abs=1e-9)
    np.testing.assert_array_equal(shaper.step(done, field, DT).knot_heights, done.knot_heights)


@pytest.mark.parametrize("dt", [DT, DT / 4])
def test_sizes_change_no_faster_than_the_stated_rates(dt):
    params = params_of(height_rate=3.0, width_rate=5.0)
    field, wrinkle = wrinkled(1.8)
    shaper = pucker.Shaper(params)
    before, steepest, widest = shaper.step(wrinkle, field, dt), 0.0, 0.0
    relaxed, _ = wrinkled(1.2)
    for frame in range(int(1.2 / dt)):
        after = shaper.step(before, field if frame < int(0.6 / dt) else relaxed, dt)
        steepest = max(steepest, np.abs(after.knot_heights - before.knot_heights).max())
        widest = max(widest, np.abs(after.knot_widths - before.knot_widths).max())
        before = after
    assert steepest == pytest.approx(3.0 * MIN_WIDTH * dt, rel=1e-9)
    assert widest == pytest.approx(5.0 * MIN_WIDTH * dt, rel=1e-9)


def test_verbatim_takes_its_size_at_once():
    field, wrinkle = wrinkled(1.5, verbatim=True)
    shaper = pucker.Shaper(params_of().replace(verbatim=True))
    once = shaper.step(wrinkle, field, 1e-6)
    np.testing.assert_array_equal(shaper.step(once, field, 1.0).knot_heights, once.knot_heights)
    assert once.heights.max() > 0


def test_stepping_leaves_the_given_wrinkle_and_its_path_alone():
    field, wrinkle = wrinkled()
    after = pucker.Shaper(params_of()).step(wrinkle, field, DT)
    np.testing.assert_array_equal(wrinkle.knot_heights, 0)
    np.testing.assert_array_equal(after.points, wrinkle.points)
    assert after.knot_heights.max() > 0


def test_in_a_run_no_height_jumps_and_wrinkles_sink_before_they_are_gone():
    clip = bending_sleeve(frames=41)
    params = pucker.Params.ridges().replace(min_width=0.015)
    wrinkler = pucker.Wrinkler(clip.mesh, params)
    rise = params.shape.height_rate * params.min_width * DT
    before: dict[int, pucker.Wrinkle] = {}
    died = 0
    for frame in clip:
        now = {w.id: w for w in wrinkler.advance(frame.positions, frame.time).wrinkles}
        for key, wrinkle in now.items():
            if key not in before and wrinkle.alive:
                assert wrinkle.knot_heights.max() <= rise * (1 + 1e-9)
        for key in before.keys() - now.keys():
            died += 1
            assert before[key].knot_heights.max() <= rise * (1 + 1e-9)
        before = now
    assert died > 0


def test_the_curve_is_the_one_written_in_numpy():
    """Samples of the smoothed path against the drawing's formulas in NumPy, with SciPy's monotone interpolation."""
    clip = bending_sleeve(frames=41)
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.015))
    for frame in itertools.islice(clip, 16):
        state = wrinkler.advance(frame.positions, frame.time)
    field = pucker.CompressionField(clip.mesh, frame.positions, state.stretch)
    first = 0
    assert len(state.wrinkles) > 3
    for wrinkle in state.wrinkles:
        rows = state.packed.points[first : first + len(wrinkle.points)]
        first += len(rows)
        samples, expected = pucker.sample_curve(field, wrinkle), refine(rows)
        np.testing.assert_allclose(samples.points, expected[:, :3], atol=1e-6)
        np.testing.assert_allclose(samples.tangents, expected[:, 4:7], atol=1e-3)
        np.testing.assert_allclose(samples.widths, expected[:, 3], atol=1e-6)
        np.testing.assert_allclose(samples.heights, expected[:, 7], atol=1e-6)


def test_samples_pass_through_the_path_and_stay_between_its_sizes():
    field, wrinkle = wrinkled()
    wrinkle = settled(pucker.Shaper(params_of()), wrinkle, field)
    samples = pucker.sample_curve(field, wrinkle)
    assert len(samples.points) == 8 * (len(wrinkle.points) - 1) + 1
    np.testing.assert_allclose(samples.points[::8], wrinkle.points, atol=1e-15)
    np.testing.assert_allclose(samples.widths[::4], wrinkle.knot_widths, rtol=1e-12)
    low = np.minimum(wrinkle.knot_heights[:-1], wrinkle.knot_heights[1:]).repeat(4)
    high = np.maximum(wrinkle.knot_heights[:-1], wrinkle.knot_heights[1:]).repeat(4)
    assert (low - 1e-15 <= samples.heights[:-1]).all()
    assert (samples.heights[:-1] <= high + 1e-15).all()


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((-1.0, 1.5, 0.5), "length must be finite and at least 0, got -1"),
        ((np.nan, 1.5, 0.5), "length must be finite and at least 0, got nan"),
        ((1.0, 0.5, 0.5), "compression must be at least 1, got 0.5"),
        ((1.0, np.nan, 0.5), "compression must be at least 1, got nan"),
        ((1.0, 1.5, 1.5), r"along must lie in \[0, 1\], got 1.5"),
        ((1.0, 1.5, np.nan), r"along must lie in \[0, 1\], got nan"),
    ],
)
def test_targets_of_nothing_are_refused_by_rule_and_value(arguments, named):
    with pytest.raises(ValueError, match=named):
        pucker.Shaper(params_of()).target(*arguments)


@pytest.mark.parametrize("dt", [0.0, -1.0, np.nan, np.inf])
def test_a_step_through_no_time_is_refused(dt):
    field, wrinkle = wrinkled()
    with pytest.raises(ValueError, match="dt must be a finite time above 0 s, got"):
        pucker.Shaper(params_of()).step(wrinkle, field, dt)


def test_a_wrinkle_of_another_mesh_is_refused():
    _, wrinkle = wrinkled()
    other = squeezed_sheet(2, 2)
    matrices = pucker.local_frames(other.mesh, other.positions[0]).matrices
    field = pucker.CompressionField(other.mesh, other.positions[0], pucker.stretch(matrices, matrices))
    for call in (
        lambda: pucker.Shaper(params_of()).step(wrinkle, field, DT),
        lambda: pucker.path_curve(field, wrinkle),
        lambda: pucker.sample_curve(field, wrinkle),
    ):
        with pytest.raises(ValueError, match=r"must lie in|does not lie in"):
            call()
