"""The GPU's wrinkles as functions: refined paths and displaced points against the same formulas in NumPy."""

import itertools

import numpy as np
import pytest
import render_scenes as scenes

from pucker.render import Camera, Output, Packed, Profile, Style
from pucker.render.patches import MAX_DRAW_VERTICES, edge_numbers, edge_twins, split_draws

DOWN = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=20.0, near=1.0, far=5.0)
PICTURE_SIDE = 200

pytestmark = pytest.mark.usefixtures("no_gl_error")


def make_surface(renderer, faces, positions, packed, smallest_width=None):
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    surface.set_wrinkles(packed, smallest_width=smallest_width)
    return surface


STRAIGHT = scenes.flat_path(np.linspace(-0.37, 0.41, 9), 0.043, 0.11, 0.04)
WAVE_X = np.linspace(-0.4, 0.4, 11)
WAVE = scenes.flat_path(WAVE_X, 0.13 * np.sin(7.0 * WAVE_X), 0.09, 0.03)
UPRIGHT = scenes.flat_path(0.07, np.linspace(-0.39, 0.4, 11), 0.07, 0.035)
PATHS = {"straight": [STRAIGHT], "curved": [WAVE], "crossing": [WAVE, UPRIGHT]}


def sphere_scene(count=5, subdivisions=2):
    faces, positions = scenes.icosphere(subdivisions)
    random = np.random.default_rng(7)
    paths = [scenes.section_path(faces, positions, random.normal(size=3), 0.12, 0.05) for _ in range(count)]
    return faces, positions, paths


def test_refined_paths_match_bezier_and_monotone_interpolation(renderer):
    faces, positions, paths = sphere_scene()
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths))
    samples = renderer.samples(surface)
    start = 0
    for rows in paths:
        expected = scenes.refine(rows)
        np.testing.assert_allclose(samples[start * scenes.SAMPLES :][: len(expected)], expected, atol=2e-5)
        start += len(rows)


def test_width_never_leaves_the_range_of_its_knots(renderer):
    rows = WAVE.copy()
    rows[:, 3] = 0.05 + 0.1 * (np.arange(len(rows)) % 3 == 0)
    rows[:-1, 12] = 0.05 + 0.1 * (np.arange(len(rows) - 1) % 2 == 0)
    faces, positions = scenes.grid(2)
    samples = renderer.samples(make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [rows])))
    widths = samples[: (len(rows) - 1) * scenes.SAMPLES + 1, 3]
    assert widths.min() >= 0.05 - 1e-6
    assert widths.max() <= 0.15 + 1e-6


@pytest.mark.parametrize("kind", scenes.PROFILES)
@pytest.mark.parametrize("name", PATHS)
def test_displaced_points_match_the_formulas(renderer, name, kind):
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), PATHS[name]))
    captured = renderer.capture(surface, Profile.of(kind))
    expected = scenes.surface_offset(captured.undisplaced.astype(np.float64), PATHS[name], kind)
    assert expected.max() > 0.02
    np.testing.assert_allclose(captured.offset, expected, atol=1e-5)
    np.testing.assert_allclose(captured.position, captured.undisplaced + expected[:, None] * [0, 0, 1], atol=1e-5)


def constant_path(points, width, height):
    """A path as wide and high at its ends as elsewhere."""
    rows = scenes.path(points, (0.0, 0.0, 1.0), width, height)
    rows[:, 3], rows[:, 7] = width, height
    rows[:-1, 12], rows[:-1, 13] = width, height
    return rows


def hairpin():
    """Two legs a tenth apart and the half circle that joins them, mirrored in y: the line between them is a medial axis."""
    angle = np.linspace(-0.5, 0.5, 9) * np.pi
    bend = np.stack([0.2 + 0.05 * np.cos(angle), 0.05 * np.sin(angle)], axis=1)
    leg = np.stack([np.linspace(-0.31, 0.15, 7), np.full(7, -0.05)], axis=1)
    return np.pad(np.concatenate([leg, bend, leg[::-1] * [1.0, -1.0]]), ((0, 0), (0, 1)))


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_points_at_the_end_of_a_path_match_the_formulas(renderer, kind):
    rows = constant_path(np.array([[-0.2713, 0.031, 0.0], [0.043, 0.052, 0.0], [0.2377, 0.017, 0.0]]), 0.12, 0.05)
    faces, positions = scenes.grid(8)
    packed = scenes.pack_everywhere(len(faces), [rows])
    captured = renderer.capture(make_surface(renderer, faces, positions, packed, 0.04), Profile.of(kind))
    points = captured.undisplaced.astype(np.float64)
    near_end = np.minimum(*(np.linalg.norm(points - end, axis=1) for end in rows[[0, -1], :3])) < 0.04
    expected = scenes.surface_offset(points[near_end], [rows], kind)
    assert (expected == 0.0).sum() > 10
    assert (expected > 0.02).sum() > 10
    np.testing.assert_allclose(captured.offset[near_end], expected, atol=1e-5)


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_points_on_the_medial_axis_match_the_formulas(renderer, kind):
    rows = constant_path(hairpin(), 0.16, 0.05)
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [rows]))
    captured = renderer.capture(surface, Profile.of(kind))
    points = captured.undisplaced.astype(np.float64)
    on_axis = (points[:, 1] == 0.0) & (np.abs(points[:, 0]) < 0.15)
    # A leg is 0.05 away, within half the width of 0.08.
    np.testing.assert_allclose(captured.offset[on_axis], scenes.profile(kind, 0.05, 0.08, 0.05), atol=1e-5)
    assert on_axis.sum() > 10
    np.testing.assert_allclose(captured.offset, scenes.surface_offset(points, [rows], kind), atol=1e-5)


def test_displaced_points_match_the_formulas_on_a_curved_surface(renderer):
    faces, positions, paths = sphere_scene()
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths))
    captured = renderer.capture(surface)
    expected = scenes.surface_offset(captured.undisplaced.astype(np.float64), paths, "bspline")
    assert (expected > 0.01).sum() > 1000
    # 1e-5 of the bounding box's diagonal.
    np.testing.assert_allclose(captured.offset, expected, atol=2e-5 * 3**0.5)


def test_captured_points_lie_on_their_triangles(renderer):
    faces, positions, paths = sphere_scene(2)
    captured = renderer.capture(make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths)))
    corners = positions[faces[captured.triangle]]
    np.testing.assert_allclose(captured.undisplaced, np.einsum("kc,kcd->kd", captured.barycentric, corners), atol=1e-6)


def test_nothing_beyond_the_ends_of_a_path(renderer):
    faces, positions = scenes.grid(8)
    captured = renderer.capture(
        make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [STRAIGHT]))
    )
    beyond = (captured.undisplaced[:, 0] < -0.371) | (captured.undisplaced[:, 0] > 0.411)
    assert beyond.sum() > 100
    assert not captured.offset[beyond].any()


def test_a_very_short_segment_leaves_no_hole(renderer):
    # A path that passes close by a vertex has segments of nearly no length; every point beside it must still be found.
    x = np.sort(np.concatenate([np.linspace(-0.4, 0.4, 6), [0.08 - 2e-6, 0.08 + 1e-6]]))
    rows = scenes.flat_path(x, 0.02, 0.1, 0.03)
    faces, positions = scenes.grid(8)
    captured = renderer.capture(make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [rows])))
    beside = (np.abs(captured.undisplaced[:, 1] - 0.02) < 0.02) & (np.abs(captured.undisplaced[:, 0]) < 0.3)
    assert beside.sum() > 50
    assert captured.offset[beside].min() > 0.01


def shared_edge_points(captured, faces):
    """Points on edges, by edge and by exact place along it."""
    found = {}
    for k, on_edge in enumerate((captured.barycentric == 0.0).T):
        for index in np.flatnonzero(on_edge):
            face = faces[captured.triangle[index]]
            a, b = int(face[(k + 1) % 3]), int(face[(k + 2) % 3])
            at = {a: captured.barycentric[index, (k + 1) % 3], b: captured.barycentric[index, (k + 2) % 3]}
            key = (min(a, b), max(a, b), float(at[min(a, b)]))
            found.setdefault(key, set()).add((int(captured.triangle[index]), captured.position[index].tobytes()))
    return found


@pytest.mark.parametrize("pack", [scenes.pack_everywhere, scenes.pack_where_reached])
def test_both_triangles_of_an_edge_place_its_points_at_the_same_bits(renderer, pack):
    faces, positions, paths = sphere_scene(6, 1 if pack is scenes.pack_where_reached else 2)
    packed = pack(len(faces), paths) if pack is scenes.pack_everywhere else pack(faces, positions, paths)
    found = shared_edge_points(renderer.capture(make_surface(renderer, faces, positions, packed)), faces)
    shared = [sides for sides in found.values() if len({triangle for triangle, _ in sides}) == 2]
    assert len(shared) > 500
    assert all(len({bits for _, bits in sides}) == 1 for sides in shared)


def test_an_edge_has_the_same_points_from_both_its_triangles(renderer):
    faces, positions, paths = sphere_scene(3, 1)
    packed = scenes.pack_where_reached(faces, positions, paths)
    assert 0 < (packed.triangles[:, 0] == 0).sum() < len(faces)
    captured = renderer.capture(make_surface(renderer, faces, positions, packed))
    inner = {key: sides for key, sides in shared_edge_points(captured, faces).items() if 0.0 < key[2] < 1.0}
    assert len(inner) > 300
    assert all(len({triangle for triangle, _ in sides}) == 2 for sides in inner.values())


def test_tessellated_edges_are_no_longer_than_the_target(renderer):
    faces, positions, paths = sphere_scene(3)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths), smallest_width=0.08)
    assert surface.target_edge == pytest.approx(0.03)
    along = {}
    for low, high, at in shared_edge_points(renderer.capture(surface), faces):
        along.setdefault((low, high), []).append(at)
    longest = max(
        np.diff(sorted(at)).max() * np.linalg.norm(positions[low] - positions[high])
        for (low, high), at in along.items()
    )
    assert 0.02 < longest <= 0.03 * (1 + 1e-5)


def test_edges_beyond_the_largest_level_are_counted(renderer):
    faces, positions = scenes.grid(1)
    packed = scenes.pack_everywhere(2, [STRAIGHT])
    coarse = make_surface(renderer, faces, positions, packed, smallest_width=0.1)
    fine = make_surface(renderer, faces, positions, packed, smallest_width=0.01)
    assert coarse.report().limited_edges == 0
    assert fine.report().limited_edges == 6


def test_draws_are_split_and_leave_nothing_out(renderer):
    faces, positions = scenes.grid(16)
    packed = scenes.pack_everywhere(len(faces), [STRAIGHT])
    surface = make_surface(renderer, faces, positions, packed, smallest_width=0.01)
    assert surface.report().draws > 2
    captured = renderer.capture(surface)
    assert len(captured.offset) > 65_535
    assert len(np.unique(captured.triangle)) == len(faces)


def test_all_triangles_of_an_edge_divide_it(renderer):
    # Three wings of one spine; only the first is reached, yet the spine has the same points in all of them.
    positions = np.array([[0, -1, 0], [0, 1, 0], [1, 0, 0.2], [-1, 0, 0.2], [0, 0, 1], [1.5, 2, 0]], float)
    faces = np.array([[0, 1, 2], [1, 0, 3], [0, 1, 4], [2, 1, 5]])
    rows = scenes.path(np.array([[0.3, -0.3, 0.06], [0.3, 0.3, 0.06]]), (0.0, 0.0, 1.0), 0.2, 0.05)
    packed = Packed(np.array([[1, 0], [0, 0], [0, 0], [0, 0]]), np.array([[0, 1]]), rows)
    captured = renderer.capture(make_surface(renderer, faces, positions, packed))
    assert set(captured.triangle) == {0, 1, 2, 3}
    on_spine = (captured.undisplaced[:, [0, 2]] == 0.0).all(axis=1)
    along = [set(captured.undisplaced[on_spine & (captured.triangle == wing), 1].tolist()) for wing in range(3)]
    assert len(along[0]) > 10
    assert along[0] == along[1] == along[2]


def test_edge_twins_go_once_round_all_triangles_of_an_edge(rng):
    faces = rng.integers(0, 12, (60, 3))
    edges = edge_numbers(faces.astype(np.uint32))
    twins = edge_twins(edges).ravel()
    for slot, edge in enumerate(edges.ravel()):
        ring = [slot]
        while twins[ring[-1]] != slot:
            ring.append(int(twins[ring[-1]]))
        assert sorted(ring) == np.flatnonzero(edges.ravel() == edge).tolist()


@pytest.mark.parametrize("counts", [[], [0, 0], [5], [70_000], [0, 40_000, 0, 30_000, 30_000, 0, 70_000, 1, 0]])
def test_split_draws_hold_every_vertex_once_and_none_too_many(counts):
    draws = split_draws(np.array(counts, dtype=np.int64))
    totals = [sum(counts[first:last]) for first, last in draws]
    assert sum(totals) == sum(counts)
    assert all(last <= first for (_, last), (first, _) in itertools.pairwise(draws))
    for (first, last), total in zip(draws, totals, strict=True):
        assert total > 0
        assert total <= MAX_DRAW_VERTICES or last - first == 1


def displaced_normals(points, paths, kind):
    """Unit normals of the displaced plane by central differences of the formulas."""
    step = 1e-6
    along_x, along_y = (
        (scenes.surface_offset(points + shift, paths, kind) - scenes.surface_offset(points - shift, paths, kind))
        / (2 * step)
        for shift in (np.array([step, 0, 0]), np.array([0, step, 0]))
    )
    normals = np.stack([-along_x, -along_y, np.ones(len(points))], axis=1)
    return normals / np.linalg.norm(normals, axis=1)[:, None]


@pytest.mark.parametrize("kind", scenes.PROFILES)
@pytest.mark.parametrize("name", ["straight", "curved"])
def test_fragment_normals_are_those_of_the_displaced_surface(renderer, name, kind):
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), PATHS[name]))
    style = Style(profile=Profile.of(kind), least_edge=0.0)
    normals = renderer.measure([surface], DOWN, Output.NORMAL, style)[..., :3].reshape(-1, 3)
    seen = renderer.measure([surface], DOWN, Output.POSITION, style).reshape(-1, 4)
    points = np.where([True, True, False], seen[:, :3], 0.0).astype(np.float64)
    chosen = np.flatnonzero((seen[:, 3] == 1.0) & (scenes.surface_offset(points, PATHS[name], kind) > 0.0))
    assert len(chosen) > 1000
    expected = displaced_normals(points[chosen], PATHS[name], kind)
    angles = np.degrees(np.arccos(np.clip((normals[chosen] * expected).sum(axis=1), -1.0, 1.0)))
    assert np.degrees(np.arccos(expected[:, 2])).max() > 20.0
    assert angles.max() <= 1.0


def test_normals_of_several_wrinkles_are_averaged_with_their_offsets_as_weights(renderer):
    faces, positions = scenes.grid(8)
    paths = PATHS["crossing"]
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths))
    normals = renderer.measure([surface], DOWN, Output.NORMAL, Style(least_edge=0.0))[..., :3].reshape(-1, 3)
    seen = renderer.measure([surface], DOWN, Output.POSITION, Style(least_edge=0.0)).reshape(-1, 4)
    points = np.where([True, True, False], seen[:, :3], 0.0).astype(np.float64)
    offsets = np.stack([scenes.path_offset(points, scenes.refine(rows), "bspline") for rows in paths])
    both = np.flatnonzero((offsets > 0.0).all(axis=0))
    assert len(both) > 30
    expected = sum(
        offsets[k, both, None] * displaced_normals(points[both], [rows], "bspline") for k, rows in enumerate(paths)
    )
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    angles = np.degrees(np.arccos(np.clip((normals[both] * expected).sum(axis=1), -1.0, 1.0)))
    assert angles.max() <= 1.0


def test_normals_do_not_jump_where_a_wrinkle_ends_sideways(renderer):
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [WAVE]))
    normals = renderer.measure([surface], DOWN, Output.NORMAL, Style(least_edge=0.0))
    covered = normals[..., 3] == 1.0
    steps = np.degrees(np.arccos(np.clip((normals[:, 1:, :3] * normals[:, :-1, :3]).sum(axis=2), -1.0, 1.0)))
    assert steps[covered[:, 1:] & covered[:, :-1]].max() < 25.0


def test_thousands_of_wrinkles_on_one_triangle_are_all_drawn(renderer):
    count = 3000
    faces, positions = scenes.grid(1)
    heights = np.linspace(0.01, 0.04, count)
    rows = [constant_path(np.array([[-0.3, 0.1, 0.0], [-0.1, 0.1, 0.0]]), 0.1, height) for height in heights]
    packed = Packed(
        np.array([[0, 0], [count, 0]], np.uint32),
        np.stack([2 * np.arange(count), 2 * np.arange(count) + 1], axis=1).astype(np.uint32),
        np.concatenate(rows),
    )
    captured = renderer.capture(make_surface(renderer, faces, positions, packed))
    assert captured.offset.max() == pytest.approx(heights[-1], abs=1e-3)
    np.testing.assert_allclose(
        captured.offset, scenes.surface_offset(captured.undisplaced.astype(np.float64), rows[-1:], "bspline"), atol=1e-5
    )


def test_a_tall_wrinkle_of_arcs_stays_finite(renderer):
    rows = STRAIGHT.copy()
    rows[:, [7, 13]] *= 4.0
    faces, positions = scenes.grid(6)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [rows]))
    captured = renderer.capture(surface, Profile.ARCS)
    normals = renderer.measure([surface], DOWN, Output.NORMAL, Style(profile=Profile.ARCS))
    assert 0.1 < captured.offset.max() <= 0.16 + 1e-6
    assert np.isfinite(captured.position).all()
    assert np.isfinite(normals).all()


def test_modes_move_points_and_turn_normals_as_they_say(renderer):
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [WAVE]))
    for name, moved, turned in (
        ("base", False, False),
        ("normals", False, True),
        ("displacement", True, False),
        ("both", True, True),
    ):
        style = Style(mode=Style().mode.of(name))
        heights = renderer.measure([surface], DOWN, Output.POSITION, style)[..., 2]
        normals = renderer.measure([surface], DOWN, Output.NORMAL, style)
        assert (heights.max() > 0.02) == moved
        assert (normals[normals[..., 3] == 1.0][:, 2].min() < 0.95) == turned


def test_paths_that_follow_each_other_in_the_buffer_are_not_joined(renderer):
    faces, positions = scenes.grid(8)
    left, right = (scenes.flat_path(np.linspace(*ends, 4), 0.1, 0.08, 0.03) for ends in ((-0.4, -0.2), (0.2, 0.4)))
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [left, right]))
    captured = renderer.capture(surface)
    between = np.abs(captured.undisplaced[:, 0]) < 0.19
    assert surface.path_segments == 6
    assert not captured.offset[between].any()
    assert captured.offset[captured.undisplaced[:, 0] > 0.25].max() > 0.02


def test_a_second_run_gives_the_same_bits(renderer):
    faces, positions, paths = sphere_scene(3)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths))
    camera = Camera.fit(positions, "front", aspect=1.0)
    first, second = (renderer.render([surface], camera).tobytes() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_reach_outside_of_the_points_is_refused(renderer, row, column):
    packed = scenes.pack_everywhere(2, [STRAIGHT, WAVE])
    packed.reach[row, column] = 24
    faces, positions = scenes.grid(1)
    surface = renderer.surface(faces, len(positions))
    with pytest.raises(ValueError, match=rf"packed reach {row} "):
        surface.set_wrinkles(packed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: setattr(p, "points", p.points[:, :15]), r"packed points must have shape \(·, 16\), not \(20, 15\)"),
        (lambda p: setattr(p, "triangles", p.triangles[:1]), r"one row a triangle \(2\), not 1"),
        (lambda p: p.triangles.__setitem__((1, 1), 9), r"triangle 1 reads packed reach up to 11 of 2 rows"),
        (lambda p: p.points.__setitem__((4, 2), np.nan), r"packed point 4 is not finite"),
        (lambda p: p.reach.__setitem__((0, 1), 12), r"packed reach 0 joins two paths: \[0, 12\]"),
        (
            lambda p: (
                setattr(p, "points", np.tile(p.points, (103, 1))),
                p.points[1:, 11].fill(1.0),
                p.reach.__setitem__((0, 1), 1024),
            ),
            r"packed reach 0 must span at most 1023 segments, not 1024",
        ),
        (lambda p: p.points.__setitem__((3, 3), 0.0), r"wrinkle widths must be positive, not 0"),
    ],
)
def test_packed_wrinkles_that_break_a_rule_are_refused(renderer, change, message):
    packed = scenes.pack_everywhere(2, [STRAIGHT, WAVE])
    change(packed)
    faces, positions = scenes.grid(1)
    surface = renderer.surface(faces, len(positions))
    with pytest.raises(ValueError, match=message):
        surface.set_wrinkles(packed)
