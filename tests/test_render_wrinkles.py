"""The GPU's wrinkles as functions: refined paths against the formulas in NumPy, points and normals against the core.

The core's own evaluation is proved against NumPy in `test_surface`.
"""

import itertools

import numpy as np
import pytest
import render_scenes as scenes

import pucker
from pucker.dynamic import Packed
from pucker.render import Camera, Mode, Output, Style

DOWN = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=20.0, near=1.0, far=5.0)
PICTURE_SIDE = 200

pytestmark = pytest.mark.usefixtures("no_gl_error")


def diagonal(positions):
    """Length of the bounding box's diagonal."""
    return np.linalg.norm(np.ptp(positions, axis=0))


def make_surface(renderer, faces, positions, packed, smallest_width=None, profile="bspline"):
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    scenes.wrinkle(surface, packed, smallest_width, profile)
    return surface


PATHS = scenes.PATHS
(STRAIGHT,), (WAVE,) = PATHS["straight"], PATHS["curved"]


def test_refined_paths_match_bezier_and_monotone_interpolation(renderer):
    faces, positions, paths = scenes.sphere_scene()
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths))
    samples = renderer.read(surface, "Samples").reshape(-1, 8)
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
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [rows]))
    samples = renderer.read(surface, "Samples").reshape(-1, 8)
    widths = samples[: (len(rows) - 1) * scenes.SAMPLES + 1, 3]
    assert widths.min() >= 0.05 - 1e-6
    assert widths.max() <= 0.15 + 1e-6


def evaluated(faces, positions, packed, captured, kind):
    """The captured points as the core evaluates them."""
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.__members__[kind])
    return surface.evaluate(positions, packed, captured.triangle, captured.barycentric)


@pytest.fixture(scope="module")
def walking_kimono(data_dir):
    """A character in motion: its clip, the positions of one frame, and the state there."""
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    wrinkler = pucker.Wrinkler(clip, pucker.Params(min_width=0.0075 * clip.height))
    for frame in itertools.islice(clip, 12):
        state = wrinkler.advance(frame.positions, frame.time)
    return clip, frame.positions, state


@pytest.mark.parametrize("kind", scenes.PROFILES)
@pytest.mark.parametrize("name", PATHS)
def test_displaced_points_are_those_of_the_core(renderer, name, kind):
    faces, positions = scenes.grid(8)
    packed = scenes.pack_everywhere(len(faces), PATHS[name])
    surface = make_surface(renderer, faces, positions, packed, 0.04, kind)
    captured = renderer.capture(surface)
    expected = evaluated(faces, positions, packed, captured, kind)
    assert np.abs(expected.offsets).max() > 0.02
    np.testing.assert_allclose(captured.position, expected.positions, atol=1e-5)


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_points_on_the_medial_axis_have_the_offset_of_either_leg(renderer, kind):
    faces, positions = scenes.grid(8)
    packed = scenes.pack_everywhere(len(faces), PATHS["medial axis"])
    captured = renderer.capture(make_surface(renderer, faces, positions, packed, profile=kind))
    points = captured.undisplaced.astype(np.float64)
    on_axis = (points[:, 1] == 0.0) & (np.abs(points[:, 0]) < 0.15)
    # A leg is 0.05 away, within half the width of 0.08.
    np.testing.assert_allclose(captured.offset[on_axis], scenes.profile(kind, 0.05, 0.08, 0.05), atol=1e-5)
    assert on_axis.sum() > 10


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_ends_that_are_not_flat_are_round(renderer, kind):
    (rows,) = PATHS["ends"]
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [rows]), 0.04, kind)
    captured = renderer.capture(surface)
    for end, outward in ((rows[0], -1.0), (rows[-1], 1.0)):
        off = captured.undisplaced - end[:3]
        beyond = outward * (off @ end[8:11]) > 1e-6
        distance = np.linalg.norm(off, axis=1)
        assert (beyond & (distance < 0.06)).sum() > 10
        expected = scenes.profile(kind, distance[beyond], 0.06, 0.05)
        np.testing.assert_allclose(captured.offset[beyond], expected, atol=1e-5)


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_displaced_points_are_those_of_the_core_on_a_ball(renderer, kind):
    faces, positions, paths = scenes.sphere_scene()
    packed = scenes.pack_everywhere(len(faces), paths)
    captured = renderer.capture(make_surface(renderer, faces, positions, packed, profile=kind))
    expected = evaluated(faces, positions, packed, captured, kind)
    assert (expected.offsets > 0.01).sum() > 1000
    np.testing.assert_allclose(captured.normal, expected.base_normals, atol=1e-6)
    np.testing.assert_allclose(captured.position, expected.positions, atol=1e-5 * diagonal(positions))


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_displaced_points_are_those_of_the_core_on_a_garment(renderer, walking_kimono, kind):
    clip, positions, state = walking_kimono
    surface = make_surface(renderer, clip.faces, positions, state.packed, 0.0075 * clip.height, kind)
    captured = renderer.capture(surface)
    expected = evaluated(clip.faces, positions, state.packed, captured, kind)
    assert (expected.offsets > 1e-3 * clip.height).sum() > 300
    np.testing.assert_allclose(captured.position, expected.positions, atol=1e-5 * diagonal(positions))


def test_captured_points_lie_on_their_triangles(renderer):
    faces, positions, paths = scenes.sphere_scene(2)
    captured = renderer.capture(make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths)))
    corners = positions[faces[captured.triangle]]
    np.testing.assert_allclose(captured.undisplaced, np.einsum("kc,kcd->kd", captured.barycentric, corners), atol=1e-6)


def test_nothing_beyond_the_flat_ends_of_a_path(renderer):
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


@pytest.mark.parametrize("pack", [scenes.pack_everywhere, scenes.pack_where_reached])
def test_both_triangles_of_an_edge_place_its_points_at_the_same_bits(renderer, pack):
    faces, positions, paths = scenes.sphere_scene(6, 1 if pack is scenes.pack_where_reached else 2)
    packed = pack(len(faces), paths) if pack is scenes.pack_everywhere else pack(faces, positions, paths)
    found = scenes.shared_edge_points(renderer.capture(make_surface(renderer, faces, positions, packed)), faces)
    shared = [sides for sides in found.values() if len({triangle for triangle, _ in sides}) == 2]
    assert len(shared) > 500
    assert all(len({bits for _, bits in sides}) == 1 for sides in shared)


def test_an_edge_has_the_same_points_from_both_its_triangles(renderer):
    faces, positions, paths = scenes.sphere_scene(3, 1)
    packed = scenes.pack_where_reached(faces, positions, paths)
    assert 0 < (packed.triangles[:, 0] == 0).sum() < len(faces)
    captured = renderer.capture(make_surface(renderer, faces, positions, packed))
    inner = {key: sides for key, sides in scenes.shared_edge_points(captured, faces).items() if 0.0 < key[2] < 1.0}
    assert len(inner) > 300
    assert all(len({triangle for triangle, _ in sides}) == 2 for sides in inner.values())


def test_tessellated_edges_are_no_longer_than_the_target(renderer):
    faces, positions, paths = scenes.sphere_scene(3)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths), smallest_width=0.08)
    assert surface.target_edge == pytest.approx(0.03)
    along = {}
    for low, high, at in scenes.shared_edge_points(renderer.capture(surface), faces):
        along.setdefault((low, high), []).append(at)
    longest = max(
        np.diff(sorted(at)).max() * np.linalg.norm(positions[low] - positions[high])
        for (low, high), at in along.items()
    )
    assert 0.02 < longest <= 0.03 * (1 + 1e-5)


def test_edges_are_divided_into_as_many_pieces_as_the_core_says(renderer):
    faces, positions, paths = scenes.sphere_scene(3, 1)
    packed = scenes.pack_where_reached(faces, positions, paths)
    surface = make_surface(renderer, faces, positions, packed, smallest_width=0.08)
    mesh = pucker.Mesh(faces, len(positions))
    levels = pucker.edge_levels(mesh, positions, packed, surface.target_edge)
    expected = {tuple(ends): int(level) for ends, level in zip(mesh.edges.tolist(), levels, strict=True)}
    pieces = dict.fromkeys(expected, 1)
    for low, high, at in scenes.shared_edge_points(renderer.capture(surface), faces):
        pieces[low, high] += 0.0 < at < 1.0
    assert pieces == expected
    assert max(expected.values()) > 10
    assert min(expected.values()) == 1


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


def seen_on_the_square(renderer, packed, kind):
    """Normals (k, 3) of pixels that show a displaced part of the unit square, and the points (k, 3) they show."""
    faces, positions = scenes.grid(8)
    style = Style(least_edge=0.0)
    surface = make_surface(renderer, faces, positions, packed, profile=kind)
    normals = renderer.measure([surface], DOWN, Output.normal, style)[..., :3].reshape(-1, 3)
    seen = renderer.measure([surface], DOWN, Output.position, style).reshape(-1, 4)
    displaced = (seen[:, 3] == 1.0) & (seen[:, 2] > 0.0)
    return normals[displaced], seen[displaced, :3].astype(np.float64) * [1.0, 1.0, 0.0]


def on_square(points, cells=8):
    """Triangle (k,) of `grid` and barycentric coordinates (k, 3) of points of the plane."""
    at = np.clip((points[:, :2] + 0.5) * cells, 1e-9, cells - 1e-9)
    column, row = np.floor(at).T.astype(int)
    x, y = (at - np.floor(at)).T
    lower = x >= y
    coordinates = np.where(lower[:, None], np.stack([1.0 - x, x - y, y], axis=1), np.stack([1.0 - y, x, y - x], axis=1))
    return row * cells + column + np.where(lower, 0, cells * cells), coordinates


def differenced_normals(surface, positions, packed, points, sides=(1.0, -1.0)):
    """Unit normals (k, 3) of the displaced square at its points (k, 3), by differences between both sides of each."""
    step = 1e-6
    one, other = sides
    across = [
        surface.evaluate(positions, packed, *on_square(points + one * shift)).positions
        - surface.evaluate(positions, packed, *on_square(points + other * shift)).positions
        for shift in step * np.eye(3)[:2]
    ]
    normals = np.cross(*across)
    return normals / np.linalg.norm(normals, axis=1)[:, None]


@pytest.mark.parametrize("kind", scenes.PROFILES)
@pytest.mark.parametrize("name", ["straight", "curved", "ends", "medial axis"])
def test_fragment_normals_are_those_of_the_displaced_surface(renderer, name, kind):
    faces, positions = scenes.grid(8)
    packed = scenes.pack_everywhere(len(faces), PATHS[name])
    normals, points = seen_on_the_square(renderer, packed, kind)
    # On the medial axis and at a blunt end the surface has no normal.
    if name == "medial axis":
        smooth = np.abs(points[:, 1]) > 1e-3
        normals, points = normals[smooth], points[smooth]
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.__members__[kind])
    evaluated = surface.evaluate(positions, packed, *on_square(points)).normals
    differenced = differenced_normals(surface, positions, packed, points)
    # Nor where a crease lies within a difference, which it does for one point of 10⁵; which are seen, the device says.
    ahead, behind = (differenced_normals(surface, positions, packed, points, (side, 0.0)) for side in (1.0, -1.0))
    smooth = scenes.degrees_between(ahead, behind) < 1.0
    assert smooth.mean() > 0.999
    normals, evaluated, differenced = normals[smooth], evaluated[smooth], differenced[smooth]
    assert len(normals) > 600
    assert scenes.degrees_between(differenced, [0, 0, 1]).max() > 20.0
    assert scenes.degrees_between(evaluated, differenced).max() <= 1.0
    assert scenes.degrees_between(normals, evaluated).max() <= 1.0
    assert scenes.degrees_between(normals, differenced).max() <= 1.0


def test_normals_of_several_wrinkles_are_those_of_the_core(renderer):
    faces, positions = scenes.grid(8)
    packed = scenes.pack_everywhere(len(faces), PATHS["crossing"])
    normals, points = seen_on_the_square(renderer, packed, "bspline")
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.bspline)
    evaluated = surface.evaluate(positions, packed, *on_square(points)).normals
    assert scenes.degrees_between(normals, evaluated).max() <= 1.0


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_fragment_normals_are_those_of_the_core_on_a_garment(renderer, walking_kimono, kind):
    clip, positions, state = walking_kimono
    surface = make_surface(renderer, clip.faces, positions, state.packed, 0.0075 * clip.height, kind)
    camera = Camera.fit(positions, "front", aspect=1.0)
    # Without displacement a pixel shows the very point whose normal it has.
    style = Style(mode=Mode.normals)
    normals = renderer.measure([surface], camera, Output.normal, style)[..., :3].reshape(-1, 3)
    seen = renderer.measure([surface], camera, Output.position, style).reshape(-1, 4)
    shown = np.flatnonzero(seen[:, 3] == 1.0)
    at = scenes.places_of(seen[shown, :3].astype(np.float64), clip.faces, positions)
    core = pucker.WrinkledSurface(clip.mesh, pucker.Profile.__members__[kind])
    expected = core.evaluate(positions, state.packed, *at)
    assert (expected.offsets != 0.0).sum() > 100
    assert scenes.degrees_between(normals[shown], expected.normals).max() <= 1.0


def test_normals_do_not_jump_where_a_wrinkle_ends_sideways(renderer):
    faces, positions = scenes.grid(8)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [WAVE]))
    normals = renderer.measure([surface], DOWN, Output.normal, Style(least_edge=0.0))
    covered = normals[..., 3] == 1.0
    steps = np.degrees(np.arccos(np.clip((normals[:, 1:, :3] * normals[:, :-1, :3]).sum(axis=2), -1.0, 1.0)))
    assert steps[covered[:, 1:] & covered[:, :-1]].max() < 25.0


def test_thousands_of_wrinkles_on_one_triangle_are_all_drawn(renderer):
    count = 3000
    faces, positions = scenes.grid(1)
    heights = np.linspace(0.01, 0.04, count)
    rows = [scenes.constant_path(np.array([[-0.3, 0.1, 0.0], [-0.1, 0.1, 0.0]]), 0.1, height) for height in heights]
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
    packed = scenes.pack_everywhere(len(faces), [rows])
    surface = make_surface(renderer, faces, positions, packed, profile="arcs")
    captured = renderer.capture(surface)
    normals = renderer.measure([surface], DOWN, Output.normal, Style())
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
        style = Style(mode=Mode(name))
        heights = renderer.measure([surface], DOWN, Output.position, style)[..., 2]
        normals = renderer.measure([surface], DOWN, Output.normal, style)
        assert (heights.max() > 0.02) == moved
        assert (normals[normals[..., 3] == 1.0][:, 2].min() < 0.95) == turned


def test_paths_that_follow_each_other_in_the_buffer_are_not_joined(renderer):
    faces, positions = scenes.grid(8)
    left, right = (scenes.flat_path(np.linspace(*ends, 4), 0.1, 0.08, 0.03) for ends in ((-0.4, -0.2), (0.2, 0.4)))
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), [left, right]))
    captured = renderer.capture(surface)
    between = np.abs(captured.undisplaced[:, 0]) < 0.19
    assert not captured.offset[between].any()
    assert captured.offset[captured.undisplaced[:, 0] > 0.25].max() > 0.02


def test_a_second_run_gives_the_same_bits(renderer):
    faces, positions, paths = scenes.sphere_scene(3)
    surface = make_surface(renderer, faces, positions, scenes.pack_everywhere(len(faces), paths))
    camera = Camera.fit(positions, "front", aspect=1.0)
    first, second = (renderer.render([surface], camera).tobytes() for _ in range(2))
    assert first == second


@pytest.mark.parametrize(("row", "column"), [(0, 0), (0, 1), (1, 0), (1, 1)])
def test_overlaps_outside_of_the_points_is_refused(renderer, row, column):
    packed = scenes.pack_everywhere(2, [STRAIGHT, WAVE])
    packed.overlaps[row, column] = 24
    faces, positions = scenes.grid(1)
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    with pytest.raises(ValueError, match=rf"packed overlap {row} "):
        scenes.wrinkle(surface, packed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda p: setattr(p, "points", p.points[:, :15]),
            r"packed points must have shape \(any, 16\), got \(20, 15\)",
        ),
        (lambda p: setattr(p, "triangles", p.triangles[:1]), r"one row a triangle: 2, got 1"),
        (lambda p: p.triangles.__setitem__((1, 1), 9), r"triangle 1 reads packed overlaps up to 11 of 2 rows"),
        (lambda p: p.points.__setitem__((4, 2), np.nan), r"packed points must be finite, but point 4 is not"),
        (lambda p: p.overlaps.__setitem__((0, 1), 12), r"packed overlap 0 joins two paths: \[0, 12\]"),
        (
            lambda p: (
                setattr(p, "points", np.tile(p.points[:1], (1030, 1))),
                p.points[:, 11].__setitem__(slice(None), np.arange(1030)),
                p.points[:, 12].fill(0.1),
                p.overlaps.__setitem__((0, 1), 1024),
            ),
            r"packed overlap 0 must span at most 1023 segments, not 1024",
        ),
        (
            lambda p: p.points.__setitem__((3, 3), 0.0),
            r"widths of packed points must be positive, but that of point 3 is 0",
        ),
    ],
)
def test_packed_wrinkles_that_break_a_rule_are_refused(renderer, change, message):
    packed = scenes.pack_everywhere(2, [STRAIGHT, WAVE])
    change(packed)
    faces, positions = scenes.grid(1)
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    with pytest.raises(ValueError, match=message):
        scenes.wrinkle(surface, packed)
