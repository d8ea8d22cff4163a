"""Measures: closed forms, balances and invariances."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from motion import rotation, run

import pucker
from pucker import metrics
from pucker.examples import bending_sleeve, grid_faces, squeezed_sheet

FRAMES = 60
FPS = 30.0
TIMES = np.arange(FRAMES) / FPS


@dataclass(frozen=True)
class Path:
    """A straight wrinkle of chosen sizes, with the attributes of `pucker.Wrinkle` that measures read."""

    id: int = 0
    alive: bool = True
    length: float = 1.0
    direction: Sequence[float] = (1.0, 0.0, 0.0)
    triangles: np.ndarray = field(default_factory=lambda: np.array([0, 1]))
    width: float = 1.0
    height: float = 0.0

    @property
    def points(self) -> np.ndarray:
        steps = np.linspace(0.0, self.length, len(self.triangles) + 1)
        return steps[:, None] * np.asarray(self.direction) / np.linalg.norm(self.direction)

    @property
    def knot_widths(self) -> np.ndarray:
        return np.full(2 * len(self.triangles) + 1, self.width)

    @property
    def knot_heights(self) -> np.ndarray:
        return np.full(2 * len(self.triangles) + 1, self.height)


def living(*frames: Sequence[int]) -> list[list[Path]]:
    """A history in which the wrinkles of these ids live."""
    return [[Path(number) for number in ids] for ids in frames]


@pytest.fixture(scope="module")
def sleeve() -> tuple[pucker.Clip, pucker.Params, list[pucker.State]]:
    clip = bending_sleeve(frames=61)
    params = pucker.Params(min_width=0.01)
    return clip, params, run(pucker.Wrinkler(clip, params), clip)


def test_counts_of_a_history_known_by_hand():
    history = living([], [1, 2], [2, 3, 4], [4], [])
    np.testing.assert_array_equal(metrics.alive(history), [0, 2, 3, 1, 0])
    np.testing.assert_array_equal(metrics.births(history), [0, 2, 2, 0, 0])
    np.testing.assert_array_equal(metrics.deaths(history), [0, 0, 1, 2, 1])


def test_births_less_deaths_are_the_change_of_the_living(sleeve):
    history = [state.wrinkles for state in sleeve[2]]
    alive = metrics.alive(history)
    assert alive.max() > 10
    balance = np.cumsum(metrics.births(history) - metrics.deaths(history))
    np.testing.assert_array_equal(balance, alive)


def test_dying_wrinkles_do_not_count():
    history = [[Path(1)], [Path(1, alive=False)]]
    np.testing.assert_array_equal(metrics.alive(history), [1, 0])
    np.testing.assert_array_equal(metrics.deaths(history), [0, 1])


def test_lifetimes_end_with_the_death_or_with_the_clip():
    found = metrics.survival(living([1], [1, 2], [2], [2]), [0.0, 0.5, 1.5, 3.0])
    np.testing.assert_allclose(np.sort(found.seconds), [1.5, 2.5])
    assert found.ended[np.argmin(found.seconds)]
    assert not found.ended[np.argmax(found.seconds)]


def test_mean_lifetime_without_survivors_is_the_plain_mean(rng):
    seconds = rng.exponential(2.0, 50)
    assert metrics.Survival(seconds, np.ones(50, bool)).mean == pytest.approx(seconds.mean(), rel=1e-12)


def test_mean_lifetime_of_wrinkles_that_all_outlive_the_clip_is_the_longest_seen():
    assert metrics.Survival(np.array([1.0, 3.0]), np.zeros(2, bool)).mean == 3.0


def test_mean_lifetime_with_survivors_is_the_area_under_kaplan_and_meiers_curve():
    # One of three dies at 1, one is lost sight of at 2, so that at 3 the half that was left all die: 1 + 2/3 · 2.
    found = metrics.Survival(np.array([1.0, 2.0, 3.0]), np.array([True, False, True]))
    assert found.mean == pytest.approx(1.0 + 2.0 / 3.0 * 2.0)


def test_length_ratios_are_of_wrinkles_that_live_in_both_frames():
    before = [Path(1, length=2.0), Path(2, length=1.0), Path(3, alive=False)]
    after = [Path(3, length=9.0), Path(2, length=0.5), Path(1, length=3.0), Path(4)]
    np.testing.assert_allclose(metrics.length_ratios(before, after), [0.5, 1.5])


@pytest.mark.parametrize(("angle", "error"), [(0.0, 0.0), (30.0, 30.0), (90.0, 90.0), (150.0, 30.0), (180.0, 0.0)])
def test_direction_error_is_the_undirected_angle(angle, error):
    turned = np.radians(angle)
    field = np.tile([np.cos(turned), np.sin(turned), 0.0], (2, 1)) * 7.0
    assert metrics.direction_error([Path()], field) == pytest.approx(error, abs=1e-12)


def test_direction_error_weighs_paths_by_length_and_leaves_out_triangles_without_direction():
    field = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 0.0]])
    along = Path(1, length=3.0, triangles=np.array([0]))
    across = Path(2, length=1.0, triangles=np.array([1]))
    nowhere = Path(3, length=100.0, triangles=np.array([2]))
    assert metrics.direction_error([along, across, nowhere], field) == pytest.approx(90.0 / 4.0)
    assert np.isnan(metrics.direction_error([nowhere], field))


def test_direction_error_does_not_change_when_everything_turns(rng):
    paths = [Path(i, length=1.0 + i, direction=rng.normal(size=3), triangles=np.array([i])) for i in range(8)]
    field = rng.normal(size=(8, 3))
    turn = rotation(rng)
    turned = [Path(p.id, length=p.length, direction=turn @ p.direction, triangles=p.triangles) for p in paths]
    assert metrics.direction_error(turned, field @ turn.T) == pytest.approx(metrics.direction_error(paths, field))


def test_paths_of_a_squeezed_sheet_run_across_the_squeeze():
    clip = squeezed_sheet()
    found = metrics.measure(
        clip, pucker.Params(min_width=0.02), surface=False, directions=np.tile([0.0, 1.0, 0.0], (31, 288, 1))
    )
    assert np.nanmax(found.per_frame["direction_error"]) < 1e-6


@pytest.mark.parametrize("profile", pucker.Profile.__members__.values(), ids=lambda profile: profile.name)
@pytest.mark.parametrize("height", [0.0, 0.2, 0.5])
def test_length_of_a_section_is_that_of_the_profile(profile, height):
    assert metrics.section_length(profile, 1.0, height) == pytest.approx(profile.arc_length(1.0, height), rel=1e-14)


@pytest.mark.parametrize("height", [0.51, 0.8, 3.0])
def test_arcs_that_are_too_high_have_the_length_of_the_stretched_curve(height):
    # Points crowd where the curve is upright, at a quarter of the width.
    turn = np.linspace(0.0, 0.5 * np.pi, 20001)
    x = np.concatenate([0.25 * np.sin(turn), 0.5 - 0.25 * np.sin(turn[::-1])])
    y = pucker.Profile.arcs.value(x, 1.0, 0.5) * height / 0.5
    half = np.hypot(np.diff(x), np.diff(y)).sum()
    assert metrics.section_length(pucker.Profile.arcs, 1.0, height) == pytest.approx(2.0 * half, rel=1e-6)


@pytest.mark.parametrize("profile", pucker.Profile.__members__.values(), ids=lambda profile: profile.name)
def test_a_section_made_as_long_as_the_cloth_has_no_deficit(profile):
    params = pucker.Params(min_width=0.1, shape={"profile": profile})
    kept = params.flat_width
    width = 0.7 * kept
    exact = Path(length=10.0, width=width, height=float(profile.height_for(width, kept)))
    assert metrics.arc_length_deficit([exact], params) == pytest.approx(0.0, abs=1e-12)
    flat = Path(length=10.0, width=width)
    assert metrics.arc_length_deficit([flat], params) == pytest.approx(0.3)
    assert metrics.arc_length_deficit([exact, flat], params) == pytest.approx(0.15)


def test_a_short_wrinkle_is_to_keep_less_cloth():
    params = pucker.Params(min_width=0.1)
    whole = params.shape.slenderness * params.flat_width
    assert metrics.arc_length_deficit(
        [Path(length=0.5 * whole, width=0.5 * params.flat_width)], params
    ) == pytest.approx(0.0, abs=1e-12)


def squeezed_deficit(**shape: object) -> float:
    """Arc-length deficit of a squeezed sheet whose wrinkles have their sizes at once."""
    params = pucker.Params(min_width=0.02, verbatim=True, shape=shape)
    return metrics.measure(squeezed_sheet(), params, surface=False).summary["arc_length_deficit"]


@pytest.mark.parametrize("profile", ["quartic", "sinusoidal", "bspline"])
def test_heights_by_the_profile_keep_the_length_that_those_by_the_circle_miss(profile):
    assert abs(squeezed_deficit(profile=profile, height="profile")) < 1e-4
    assert abs(squeezed_deficit(profile=profile, height="circle")) > 1e-3


def test_a_profile_made_of_circles_keeps_the_length_by_either_rule():
    assert abs(squeezed_deficit(profile="arcs", height="circle")) < 1e-4


def test_area_of_triangles_known_by_hand(rng):
    faces, corners = [[0, 1, 2], [2, 1, 3]], np.array([[0, 0, 0], [3, 0, 0], [0, 4, 0], [3, 4, 0]], float)
    assert metrics.area(faces, corners) == pytest.approx(12.0)
    assert metrics.area(faces, corners @ rotation(rng).T) == pytest.approx(12.0)


def test_area_deficit_of_a_sheet_squeezed_to_a_share_of_its_width():
    clip = squeezed_sheet(compression=1.5)
    half_way = len(clip) // 2
    rest, squeezed = (pucker.local_frames(clip.mesh, clip.positions[frame]) for frame in (0, half_way))
    assert metrics.area_deficit(rest.matrices, squeezed.areas.sum()) == pytest.approx(1.0 - 1.0 / 1.5)
    assert metrics.area_deficit(rest.matrices, rest.areas.sum()) == pytest.approx(0.0, abs=1e-14)


def test_compressed_area_is_the_area_lost_to_the_squeeze():
    clip = squeezed_sheet(compression=1.5)
    rest, squeezed = (pucker.local_frames(clip.mesh, clip.positions[frame]) for frame in (0, len(clip) // 2))
    compression = pucker.compression(pucker.stretch(rest.matrices, squeezed.matrices))
    lost = metrics.compressed_area(compression, squeezed.areas, 1.2)
    assert lost == pytest.approx(1.0 - 1.0 / 1.5)
    assert metrics.compressed_area(compression, squeezed.areas, 1.6) == 0.0


def sines(frequency: float, points: int = 5) -> np.ndarray:
    return 0.1 + np.sin(2.0 * np.pi * frequency * TIMES)[:, None] * np.linspace(1.0, 0.5, points)


def test_flicker_of_a_sine_inside_the_band_is_its_root_mean_square():
    trembling = metrics.flicker(sines(7.5, points=1), [1.0], FPS)
    assert np.sqrt(np.mean(trembling[8:-8] ** 2)) == pytest.approx(np.sqrt(0.5), rel=0.02)


@pytest.mark.parametrize("frequency", [0.0, 0.5, 1.0])
def test_slow_motion_does_not_flicker(frequency):
    assert metrics.flicker(sines(frequency), np.ones(5), FPS)[8:-8].max() < 0.01


def test_flicker_is_proportional_to_the_offsets_and_weighs_points_by_area(rng):
    offsets = rng.normal(size=(FRAMES, 3))
    weights = np.array([1.0, 2.0, 0.0])
    found = metrics.flicker(offsets, weights, FPS)
    np.testing.assert_allclose(metrics.flicker(-4.0 * offsets, 5.0 * weights, FPS), 4.0 * found)
    one, two = (metrics.flicker(offsets[:, [k]], [1.0], FPS) for k in (0, 1))
    np.testing.assert_allclose(found**2, (one**2 + 2.0 * two**2) / 3.0)


def test_flicker_of_many_points_is_that_of_all_at_once(rng):
    offsets, weights = rng.normal(size=(20, 10_000)), rng.uniform(0.1, 1.0, 10_000)
    at_once = np.sqrt(np.average(metrics.band_pass(offsets, FPS) ** 2, axis=1, weights=weights))
    np.testing.assert_allclose(metrics.flicker(offsets, weights, FPS), at_once)


def test_the_band_follows_the_frame_rate_unless_given():
    offsets = sines(7.5)
    np.testing.assert_allclose(
        metrics.band_pass(offsets, FPS), metrics.band_pass(offsets, FPS, (metrics.BAND[0] * FPS, metrics.BAND[1] * FPS))
    )
    assert np.abs(metrics.band_pass(offsets, FPS, (1.0, 3.0))[25:-25]).max() < 0.05


@pytest.mark.parametrize(
    ("frames", "band", "named"), [(60, (0.0, 3.0), "0 to 3"), (60, (3.0, 15.0), "3 to 15"), (15, None, "not 15")]
)
def test_bands_and_clips_that_cannot_be_filtered_are_refused(frames, band, named):
    with pytest.raises(ValueError, match=named):
        metrics.band_pass(np.zeros((frames, 1)), FPS, band)


def ball(radius: float, columns: int = 40, rows: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """A sphere without its poles, about the z axis."""
    y, x = (index.ravel() for index in np.mgrid[: rows + 1, :columns])
    polar, turn = np.pi * (0.1 + 0.8 * y / rows), 2 * np.pi * x / columns
    around = np.stack([np.sin(polar) * np.cos(turn), np.sin(polar) * np.sin(turn), np.cos(polar)], axis=1)
    return grid_faces(columns, rows, closed=True)[:, ::-1], radius * around


def test_curvature_of_a_sphere_is_one_over_its_radius():
    found = metrics.curvature(*ball(2.0))
    np.testing.assert_allclose(found.mean, 0.5, rtol=0.05)
    np.testing.assert_allclose(found.curvedness, 0.5, rtol=0.05)


def test_curvature_of_a_cylinder_is_across_its_axis():
    y, x = (index.ravel() for index in np.mgrid[:21, :60])
    turn = 2 * np.pi * x / 60
    positions = np.stack([0.5 * np.cos(turn), 0.5 * np.sin(turn), 0.1 * y], axis=1)
    found = metrics.curvature(grid_faces(60, 20, closed=True), positions)
    inner = (y > 2) & (y < 18)
    np.testing.assert_allclose(found.largest[inner], 2.0, rtol=0.05)
    np.testing.assert_allclose(found.smallest[inner], 0.0, atol=0.02)
    assert np.abs(found.along[inner, 2]).min() > np.cos(np.radians(1.0))


@pytest.mark.parametrize("seed", range(60))
def test_collapsed_parts_of_a_surface_have_no_curvature_and_spoil_no_other(seed):
    rng = np.random.default_rng(seed)
    sleeve = bending_sleeve(10, 8, frames=2)
    faces, points = sleeve.faces, np.array(sleeve.positions[0])
    for _ in range(3):
        some = rng.choice(len(points), rng.integers(1, len(points) // 2), replace=False)
        points[some] = [
            points[some[0]],
            points[some] * [1.0, 0.0, 0.0],
            points[some] * [1.0, 1.0, 0.0],
            np.round(points[some]),
            points[some] * 10.0 ** rng.integers(-100, 100),
        ][rng.integers(5)]
    found = metrics.curvature(faces, points)
    for values in (found.largest, found.smallest, found.along, found.areas):
        assert np.isfinite(values).all()
    nowhere = found.areas == 0.0
    assert not found.largest[nowhere].any()
    assert not found.along[nowhere].any()
    lengths = np.linalg.norm(found.along, axis=1)
    assert (np.isclose(lengths, 1.0) | (lengths == 0.0)).all()


def test_a_surface_without_area_has_no_curvature_to_compare():
    faces = grid_faces(4, 4)
    points = np.zeros((faces.max() + 1, 3))
    found = metrics.curvature(faces, points)
    assert not found.areas.any()
    with pytest.raises(ValueError, match="degenerate"):
        metrics.curvature_distance(found.mean, found.areas, found.mean, found.areas)


def test_areas_of_the_vertices_sum_to_the_area():
    faces, positions = ball(2.0)
    assert metrics.curvature(faces, positions).areas.sum() == pytest.approx(metrics.area(faces, positions))


def test_curvature_distance_of_two_spheres_is_the_difference_of_their_curvatures():
    small, large = metrics.curvature(*ball(1.0)), metrics.curvature(*ball(2.0))
    distance = metrics.curvature_distance(small.mean, small.areas, large.mean, large.areas)
    assert distance == pytest.approx(0.5, rel=0.05)
    assert metrics.curvature_distance(small.mean, small.areas, small.mean, small.areas) == 0.0


def test_curvature_distance_does_not_depend_on_how_finely_a_surface_is_divided(rng):
    values, areas = rng.normal(size=30), rng.uniform(0.1, 1.0, 30)
    twice = (np.repeat(values, 2), np.repeat(0.5 * areas, 2))
    assert metrics.curvature_distance(values, areas, *twice) == pytest.approx(0.0, abs=1e-12)


def test_a_histogram_of_curvature_holds_shares_of_area():
    shares = metrics.curvature_histogram([-1.0, 0.5, 0.6, 9.0], [1.0, 2.0, 3.0, 4.0], [-2.0, 0.0, 1.0])
    np.testing.assert_allclose(shares, [0.1, 0.5])


def test_quadrics_need_two_rings():
    with pytest.raises(ValueError, match="not 1"):
        metrics.curvature(*ball(1.0), radius=1)


@pytest.fixture(scope="module")
def measured(sleeve) -> metrics.Measures:
    return metrics.measure(sleeve[0], sleeve[1])


def test_every_run_has_the_same_measures(measured):
    still = pucker.Clip.from_arrays([[0, 1, 2]], np.tile(np.eye(3), (20, 1, 1)), np.arange(20) / FPS)
    for found in (metrics.measure(still, pucker.Params()), metrics.measure(still, pucker.Params(), surface=False)):
        assert found.summary.keys() == measured.summary.keys()
        assert found.per_frame.keys() == measured.per_frame.keys()
        assert found.seconds.keys() == measured.seconds.keys()
        assert {len(values) for values in found.per_frame.values()} == {20}
    assert all(np.isfinite(value) for value in measured.summary.values())


def test_cloth_without_wrinkles_has_no_flicker_and_nothing_restored(measured):
    clip = squeezed_sheet(compression=1.1)
    found = metrics.measure(clip, pucker.Params(min_width=0.02, threshold=1.2))
    assert found.summary["alive"] == found.summary["flicker"] == found.summary["offset"] == 0.0
    np.testing.assert_allclose(found.per_frame["gained_area"], 0.0, atol=1e-12)
    np.testing.assert_allclose(found.per_frame["area_deficit"], found.per_frame["area_deficit_coarse"], atol=1e-12)
    assert np.isnan(found.summary["survival"])
    assert np.isnan(found.summary["area_restored"])


def test_measures_of_the_paths_do_not_depend_on_whether_the_surface_is_measured(sleeve, measured):
    without = metrics.measure(sleeve[0], sleeve[1], surface=False).summary
    for name in ("alive", "births", "deaths", "survival", "length_ratio", "direction_error", "arc_length_deficit"):
        assert without[name] == measured.summary[name]


def test_measures_are_those_of_the_frames_of_the_run(sleeve, measured):
    _, params, states = sleeve
    assert measured.summary["alive"] == np.mean([sum(w.alive for w in state.wrinkles) for state in states])
    assert measured.per_frame["arc_length_deficit"][30] == metrics.arc_length_deficit(states[30].wrinkles, params)


def test_area_gained_is_that_of_the_cross_sections():
    clip, params = squeezed_sheet(), pucker.Params(min_width=0.02, tracing={"max_wrinkles": 1})
    gained = metrics.measure(clip, params, spacing=0.2).per_frame["gained_area"]
    half_way = len(clip) // 2
    (wrinkle,) = run(pucker.Wrinkler(clip, params), clip)[half_way].wrinkles
    longer = (
        metrics.section_length(params.shape.profile, wrinkle.knot_widths, wrinkle.knot_heights) - wrinkle.knot_widths
    )
    along = np.repeat(np.linalg.norm(np.diff(wrinkle.points, axis=0), axis=1) / 2, 2)
    assert gained[half_way] == pytest.approx(along @ (longer[1:] + longer[:-1]) / 2, rel=0.02)


def test_measures_follow_the_unit_of_length(sleeve, measured):
    clip, params, _ = sleeve
    doubled = pucker.Clip.from_arrays(clip.faces, 2.0 * clip.positions, clip.times, weld=False)
    found = metrics.measure(doubled, params.replace(min_width=2.0 * params.min_width)).summary
    for name, value in measured.summary.items():
        factor = 2.0 if name in ("offset", "flicker") else 1.0
        assert found[name] == pytest.approx(factor * value, rel=1e-6), name


def test_wrinkles_that_take_their_sizes_at_once_flicker_more(sleeve, measured):
    clip, params, _ = sleeve
    at_once = metrics.measure(clip, params.replace(shape={"height_rate": 1e6, "width_rate": 1e6})).summary
    assert at_once["flicker_share"] > 1.1 * measured.summary["flicker_share"]


def test_a_clip_too_short_for_the_band_has_no_flicker():
    clip = bending_sleeve(frames=metrics.MIN_FRAMES - 1)
    assert np.isnan(metrics.measure(clip, pucker.Params(min_width=0.01)).summary["flicker"])


def test_frames_at_unequal_distances_are_refused():
    clip = bending_sleeve(frames=20)
    uneven = pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times**2, weld=False)
    with pytest.raises(ValueError, match="equal distances"):
        metrics.measure(uneven, pucker.Params(min_width=0.01))
    assert metrics.measure(uneven, pucker.Params(min_width=0.01), surface=False).summary["alive"] > 0.0


@pytest.mark.parametrize(
    ("options", "named"), [({"spacing": 0.0}, "not 0.0"), ({"directions": np.zeros((3, 3))}, r"not \(3, 3\)")]
)
def test_options_that_make_no_sense_are_refused(options, named):
    with pytest.raises(ValueError, match=named):
        metrics.measure(squeezed_sheet(), pucker.Params(min_width=0.02), **options)
