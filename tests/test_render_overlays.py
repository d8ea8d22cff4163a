"""What is drawn over a frame: tints, lines, tessellated edges; and what a frame sends to the GPU."""

from types import SimpleNamespace

import numpy as np
import picture_check
import pytest
import render_scenes as scenes

import pucker
from pucker.dynamic import Packed
from pucker.dynamic.overlays import seed_positions
from pucker.render import Camera, ClipRenderer, Lines, Mode, Output, Overlays, Style

DOWN = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=21.0, near=1.0, far=5.0)
NAMES = ["reached", "wireframe", "tessellation", "labels", "paths", "ellipses", "reference"]
GREEN = (0.0, 1.0, 0.0)
PACKED = ("triangles", "overlaps", "points")
PICTURE_SIDE = 240
STRAIGHT = scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.03)

pytestmark = pytest.mark.usefixtures("no_gl_error")


def test_seeds_of_the_tracer_and_positions_mark_the_same_points():
    faces, positions = scenes.grid(3)
    seeds = [pucker.Seed(4, [0.2, 0.3, 0.5]), pucker.Seed(9, [1.0, 0.0, 0.0])]
    points = seed_positions(seeds, faces, positions)
    np.testing.assert_allclose(points[0], [0.2, 0.3, 0.5] @ positions[faces[4]])
    np.testing.assert_array_equal(points[1], positions[faces[9, 0]])
    np.testing.assert_array_equal(seed_positions(points, faces, positions), points)


def sheet_surface(renderer, cells=8):
    faces, positions = scenes.grid(cells)
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    surface.send()
    return surface


def test_a_line_is_where_it_is_and_as_long_and_wide_as_asked(renderer):
    ends = np.array([[[-0.3, -0.2, 0.0], [0.35, 0.25, 0.0]]])
    picture = renderer.render([sheet_surface(renderer)], DOWN, lines=[Lines(ends, GREEN, 5.0)])
    green = (picture[..., :3] == [0, 255, 0]).all(axis=2)
    pixel = DOWN.pixel_size(240)
    y, x = np.nonzero(green)
    places = np.stack([x + 0.5 - 120.0, 120.0 - (y + 0.5)], axis=1) * pixel
    a, b = ends[0, :, :2]
    along = (b - a) / np.linalg.norm(b - a)
    across = (places - a) @ [-along[1], along[0]]
    assert np.abs(across).max() == pytest.approx(2.5 * pixel, abs=pixel)
    assert ((places - a) @ along).min() == pytest.approx(-2.5 * pixel, abs=pixel)
    assert ((places - b) @ along).max() == pytest.approx(2.5 * pixel, abs=pixel)


# On either side of 0, as rounding has it on some devices; along (1, 2) a square of its own would stand askew.
@pytest.mark.parametrize("pixels", [0.0, 1e-4, -1e-4])
def test_a_line_of_no_length_is_a_square_dot(renderer, pixels):
    point = np.tile([0.1, -0.2, 0.0], (1, 2, 1))
    point[0, 1, :2] += pixels * DOWN.pixel_size(240) * np.array([1.0, 2.0])
    picture = renderer.render([sheet_surface(renderer)], DOWN, lines=[Lines(point, GREEN, 7.0)])
    assert (picture[..., :3] == [0, 255, 0]).all(axis=2).sum() == 49


def test_lines_behind_a_surface_are_hidden(renderer):
    behind = Lines(np.array([[[-0.3, 0.0, -0.2], [0.3, 0.0, -0.2]]]), GREEN, 5.0)
    surface = sheet_surface(renderer)
    np.testing.assert_array_equal(renderer.render([surface], DOWN, lines=[behind]), renderer.render([surface], DOWN))


def wrinkled_sheet(renderer):
    faces, positions = scenes.grid(8)
    surface = sheet_surface(renderer)
    packed = scenes.pack_where_reached(faces, positions, [STRAIGHT])
    scenes.wrinkle(surface, packed, 0.03)
    # A neighbour of a wrinkled triangle is a patch too.
    height = np.abs(positions[faces[packed.triangles[:, 0] > 0]][..., 1]).max() + 0.125
    return surface, height


def greener(renderer, surface, **style):
    """How much greener (h, w) a picture is with tessellated edges than without."""
    without = renderer.render([surface], DOWN, Style(**style)).astype(int)
    drawn = renderer.render([surface], DOWN, Style(**style, tessellation=True, tessellation_colour=GREEN)).astype(int)
    np.testing.assert_array_equal(drawn[..., 3], without[..., 3])
    return drawn[..., 1] - without[..., 1]


def test_tessellated_edges_are_drawn_on_patches_only(renderer):
    surface, height = wrinkled_sheet(renderer)
    y, _ = np.nonzero(greener(renderer, surface, least_edge=8.0) > 10)
    assert len(y) > 500
    assert np.abs(120.0 - (y + 0.5)).max() * DOWN.pixel_size(240) < height + 0.01
    assert not greener(renderer, surface, mode=Mode.normals).any()


def test_tessellated_edges_fade_where_they_are_close_and_are_opaque_where_they_are_not(renderer):
    surface, _ = wrinkled_sheet(renderer)
    by_edge = {edge: greener(renderer, surface, least_edge=edge) for edge in (4.0, 8.0, 20.0)}
    strength = {edge: np.median(green[green > 5]) for edge, green in by_edge.items()}
    assert strength[4.0] < 0.7 * strength[8.0] < 0.7 * strength[20.0]
    opaque = Style(least_edge=20.0, tessellation=True, tessellation_colour=GREEN)
    assert (renderer.render([surface], DOWN, opaque)[..., :3] == [0, 255, 0]).all(axis=2).sum() > 500
    # What is tessellated more finely is covered more densely, yet the surface is seen everywhere.
    assert (by_edge[4.0] > 5).sum() > 1.2 * (by_edge[8.0] > 5).sum()


def test_triangles_that_more_wrinkles_reach_are_tinted_more(renderer):
    faces, positions = scenes.grid(8)
    surface = sheet_surface(renderer)
    upright = scenes.flat_path(0.03, np.linspace(-0.4, 0.4, 9), 0.1, 0.03)
    packed = scenes.pack_where_reached(faces, positions, [STRAIGHT, upright])
    scenes.wrinkle(surface, packed)
    style = Style(mode=Mode.base, reached=True, reached_colour=GREEN)
    seen = renderer.measure([surface], DOWN, Output.position, style)[..., :3]
    counts = reached_counts(seen, positions[faces], packed.triangles[:, 0])
    colour = renderer.render([surface], DOWN, style).astype(int)
    red = [np.median(colour[counts == number][:, 0]) for number in (0, 1, 2)]
    assert red[0] - red[1] > 20
    assert red[1] - red[2] > 20
    np.testing.assert_array_equal(
        colour[counts == 0], renderer.render([surface], DOWN, Style(mode=Mode.base))[counts == 0]
    )


def reached_counts(points, corners, counts):
    """How many wrinkles reach the triangle (h, w) whose inside a point is in; -1 for points near an edge or in none."""
    found = np.full(points.shape[:2], -1)
    for triangle, count in zip(corners[..., :2], counts, strict=True):
        edges = np.roll(triangle, -1, axis=0) - triangle
        off = points[..., None, :2] - triangle
        inside = (edges[:, 0] * off[..., 1] - edges[:, 1] * off[..., 0] > 1e-3).all(axis=2)
        found[inside] = count
    return found


@pytest.fixture(scope="module")
def squeezed():
    """A sheet squeezed until it wrinkles, its last state, and seeds of that."""
    faces, rest = scenes.grid(10)
    shares = np.linspace(1.0, 0.6, 12)
    clip = pucker.Clip.from_arrays(faces, [rest * [share, 1.0, 1.0] for share in shares], np.arange(12) / 30.0)
    params = pucker.Params(min_width=0.06, threshold=1.1)
    wrinkler = pucker.Wrinkler(clip, params)
    for positions, time in zip(clip.positions, clip.times, strict=True):
        state = wrinkler.advance(positions, time)
    assert state.wrinkles
    seeds = pucker.Tracer(clip.mesh, params).seed(
        pucker.CompressionField(clip.mesh, clip.positions[-1], state.stretch), 11
    )
    assert seeds
    return clip, params, state, seeds


def test_every_overlay_is_seen_alone_and_all_are_together(squeezed):
    clip, params, state, seeds = squeezed
    single = [Overlays.of(name) for name in NAMES] + [Overlays(seeds=seeds)]
    everything = Overlays(**dict.fromkeys(NAMES, True), seeds=seeds)
    with ClipRenderer(clip, (240, 240), params=params, view="front") as film:
        plain = film.frame(11, state).astype(int)
        for overlay in [*single, everything]:
            picture = film.frame(11, state, overlays=overlay).astype(int)
            assert (np.abs(picture - plain).max(axis=2) > 20).sum() > 100, overlay
        np.testing.assert_array_equal(film.frame(11, state), plain)
        assert film.renderer.context.error == "GL_NO_ERROR"


def test_passes_are_timed_and_only_those_that_ran(squeezed):
    clip, params, state, _ = squeezed
    with ClipRenderer(clip, (240, 240), params=params) as film:
        film.frame(11)
        lit = ["shadow", "depth", "occlusion"]
        assert list(film.timings()) == [*lit, "plain"]
        film.frame(11, state, overlays=["paths", "tessellation", "ellipses"])
        assert list(film.timings()) == ["compute", *lit, "plain", "wrinkled", "tessellation", "strokes", "lines"]
        assert film.timings()["wrinkled"] > 0.0
        film.renderer.render(film.surfaces, film.camera)
        assert list(film.timings()) == ["plain", "wrinkled"]


def sent(surface, renderer, change):
    """Bytes sent to the GPU by a change and the picture after it."""
    before = surface.uploaded
    change()
    renderer.render([surface], DOWN)
    return surface.uploaded - before


def pairs(packed):
    """How many triangles wrinkles reach, a triangle of several wrinkles counted for each."""
    return int(packed.triangles[:, 0].sum())


@pytest.mark.parametrize("cells", [8, 40])
def test_a_frame_sends_64_bytes_a_path_point_and_8_a_triangle_a_wrinkle_reaches(renderer, cells):
    faces, positions = scenes.grid(cells)
    surface = sheet_surface(renderer, cells)
    packed = scenes.pack_where_reached(faces, positions, [STRAIGHT])
    assert 0 < pairs(packed) < 0.6 * len(faces)
    wrinkles = sent(surface, renderer, lambda: scenes.wrinkle(surface, packed))
    # Of the grid no more than 16 bytes a tessellated triangle and 4 for 64 of its points.
    words = renderer.read(surface, "Grid", np.uint32)
    grid = 4 * int(words[2])
    assert grid <= 16 * surface.report().patches + (int(words[0]) - int(words[2])) / 64 + 16
    assert wrinkles == 64 * len(STRAIGHT) + 8 * pairs(packed) + grid
    assert sent(surface, renderer, lambda: surface.set_detail(None)) == 0
    assert sent(surface, renderer, lambda: surface.set_positions(positions)) == 2 * 12 * len(positions)


def test_what_has_not_changed_is_not_sent_again(renderer):
    surface = sheet_surface(renderer)
    for change in (lambda: None, lambda: surface.set_detail(None), lambda: surface.set_tints(None)):
        assert sent(surface, renderer, change) == 0


def test_frames_of_a_clip_send_what_moved_and_the_wrinkles(squeezed):
    clip, params, state, _ = squeezed
    packed = state.packed
    with ClipRenderer(clip, (240, 240), params=params) as film:
        film.frame(10, state)
        before = film.garment.uploaded
        film.frame(11, state, overlays=["paths", "tessellation", "reached"])
        moved = 2 * 12 * clip.positions.shape[1]
        assert film.garment.uploaded - before == moved + 64 * len(packed.points) + 8 * pairs(packed)


@pytest.mark.parametrize(("near", "far"), [(0.01, 100.0), (2.4, 4.6)])
def test_lines_are_hidden_alike_wherever_the_planes_are(renderer, near, far):
    faces, positions, paths = scenes.sphere_scene(8)
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    scenes.wrinkle(surface, scenes.pack_where_reached(faces, positions, paths))
    style = Style(mode=Mode.base, stroke_width=3.0, stroke_colour=(1.0, 0.0, 1.0))
    camera = Camera.orbit((0.0, 0.0, 0.0), 3.5, 20.0, 10.0, field_of_view=40.0)
    lines = [Lines(scenes.refine(paths[0])[:-1, None, :3].repeat(2, axis=1), GREEN, 3.0)]
    first, other = (
        renderer.render([surface], camera.replace(near=n, far=f), style, lines).astype(int)
        for n, f in ((2.0, 5.0), (near, far))
    )
    assert ((first[..., 0] > 250) & (first[..., 1] < 5)).sum() > 500
    assert (np.abs(first - other).max(axis=2) > 10).sum() <= 5


def test_far_from_the_origin_everything_is_drawn_as_near_it(squeezed):
    clip, params, state, seeds = squeezed
    away = np.array([3e6, -2e6, 1e6])
    moved = pucker.Clip.from_arrays(clip.faces, clip.positions + away, clip.times)
    far = SimpleNamespace(packed=Packed(*(getattr(state.packed, name) for name in PACKED), origin=tuple(away)))
    overlays = Overlays(paths=True, tessellation=True, seeds=seeds)
    # A shadow map lies by whole texels of the world: elsewhere its edges lie elsewhere, by less than a texel.
    style = Style(shadows=False)
    with (
        ClipRenderer(clip, (240, 240), params=params, view="front", style=style) as here,
        ClipRenderer(moved, (240, 240), params=params, view="front", style=style) as there,
    ):
        expected = here.frame(11, state, overlays=overlays)
        picture_check.assert_same_picture(there.frame(11, far, overlays=overlays), expected, share=3e-3)
        near, distant = (drawn.renderer.capture(drawn.garment) for drawn in (here, there))
    assert (near.offset > 0.005).sum() > 100
    order = [np.lexsort((*np.round(c.barycentric.T, 5), c.triangle)) for c in (near, distant)]
    np.testing.assert_allclose(
        distant.position[order[1]] - away, near.position[order[0]], atol=2e-6 * np.ptp(clip.positions)
    )


def test_wrinkles_are_packed_relative_to_a_point_near_them(squeezed):
    clip, params, state, _ = squeezed
    assert tuple(state.packed.origin) == (0.0, 0.0, 0.0)
    away = np.array([3e6, -2e6, 1e6])
    wrinkler = pucker.Wrinkler(clip, params)
    for positions, time in zip(clip.positions, clip.times, strict=True):
        moved = wrinkler.advance(positions + away, time)
    packed = moved.packed
    assert np.abs(np.subtract(packed.origin, away)).max() < 16.0 * np.ptp(clip.positions)
    points = np.concatenate([wrinkle.points for wrinkle in moved.wrinkles])
    np.testing.assert_allclose(packed.points[:, :3] + np.array(packed.origin), points, atol=2e-6)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Overlays.of(["paths", "bones"]), r"overlays must be of reached, .*, reference, not 'bones'"),
        (lambda: Overlays.of(["paths", "labels", "paths"]), r"differ by name, but 'paths' is given twice"),
        (lambda: Overlays.of("seeds"), r"overlays must be of .*, not 'seeds'"),
        (lambda: Lines(np.zeros((3, 3)), GREEN), r"must have shape \(any, 2, 3\), got \(3, 3\)"),
        (lambda: Lines(np.full((1, 2, 3), np.nan), GREEN), r"line 0 is not finite"),
        (lambda: Lines(np.zeros((1, 2, 3)), GREEN, 0.0), r"width of lines must be positive, not 0"),
        (lambda: seed_positions(np.zeros((2, 2)), *scenes.grid(1)), r"positions \(k, 3\), not of shape \(2, 2\)"),
        (lambda: Overlays(ellipses=True).lines(None, *scenes.grid(1)), r"needs a state that has frames"),
    ],
)
def test_overlays_that_break_a_rule_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
