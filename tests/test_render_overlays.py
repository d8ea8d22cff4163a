"""What is drawn over a frame: tints, ellipses of stretch, reference triangles, seeds, tessellated edges."""

from types import SimpleNamespace

import numpy as np
import pytest
import render_scenes as scenes

import pucker
from pucker.render import Camera, ClipRenderer, Lines, Overlays, Style, bench
from pucker.render.overlays import ellipses, reached_tints, reference_triangles, seed_positions

DOWN = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=21.0, near=1.0, far=5.0)
NAMES = ["labels", "reached", "paths", "wireframe", "tessellation", "ellipses", "reference"]
GREEN = (0.0, 1.0, 0.0)
PICTURE_SIDE = 240

pytestmark = pytest.mark.usefixtures("no_gl_error")


def stretched_sheet(stretch, turn=0.0, cells=4):
    """A sheet stretched along x and y, then turned, as a state: faces, rest positions, present ones, state."""
    faces, rest = scenes.grid(cells)
    c, s = np.cos(turn), np.sin(turn)
    present = rest * [*stretch, 1.0] @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    mesh = pucker.Mesh(faces, len(rest))
    reference, frames = (pucker.local_frames(mesh, positions) for positions in (rest, present))
    deformation = pucker.stretch(reference.matrices, frames.matrices)
    return faces, rest, present, SimpleNamespace(stretch=deformation, frames=frames, reference=reference.matrices)


def inscribed_radius(corners):
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    return 2.0 * area / sides.sum(axis=1)


def test_without_stretch_ellipses_are_circles_of_half_the_inscribed_radius():
    faces, _, present, state = stretched_sheet((1.0, 1.0), turn=0.4)
    polygons = ellipses(state, present[faces])
    radii = np.linalg.norm(polygons - polygons.mean(axis=1, keepdims=True), axis=2)
    np.testing.assert_allclose(radii, np.tile(0.5 * inscribed_radius(present[faces])[:, None], radii.shape[1]))


def test_axes_of_the_ellipses_are_the_stretches_along_their_directions():
    faces, _, present, state = stretched_sheet((1.5, 0.8))
    polygons = ellipses(state, present[faces])
    extent = 0.5 * np.ptp(polygons, axis=1)
    radius = 0.5 * inscribed_radius(present[faces])
    np.testing.assert_allclose(extent, radius[:, None] * [1.5, 0.8, 0.0], atol=1e-12)


def test_ellipses_of_moderate_stretch_lie_in_their_triangles():
    faces, _, present, state = stretched_sheet((1.9, 0.6), turn=1.1)
    corners = present[faces]
    polygons = ellipses(state, corners)
    for k in range(3):
        edge, normal = corners[:, (k + 1) % 3] - corners[:, k], state.frames.normals
        inward = np.cross(normal, edge)
        assert (np.einsum("mpx,mx->mp", polygons - corners[:, None, k], inward) > 0.0).all()


def test_reference_triangles_are_the_undeformed_ones_turned_with_the_cloth():
    faces, rest, present, state = stretched_sheet((1.5, 0.8), turn=0.7)
    laid = reference_triangles(state, present[faces])
    c, s = np.cos(0.7), np.sin(0.7)
    expected = rest[faces] @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    shift = present[faces].mean(axis=1, keepdims=True) - expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(laid, expected + shift, atol=1e-12)


def test_reference_triangles_of_undeformed_cloth_are_the_mesh():
    faces, _, present, state = stretched_sheet((1.0, 1.0), turn=2.0)
    np.testing.assert_allclose(reference_triangles(state, present[faces]), present[faces], atol=1e-12)


def test_triangles_without_area_have_neither_ellipse_nor_reference():
    faces, rest = scenes.grid(2)
    mesh = pucker.Mesh(faces, len(rest))
    flat = rest.copy()
    flat[:3] = flat[3:6]
    reference, frames = (pucker.local_frames(mesh, positions) for positions in (rest, flat))
    state = SimpleNamespace(
        stretch=pucker.stretch(reference.matrices, frames.matrices), frames=frames, reference=reference.matrices
    )
    left = int((frames.areas > 0.0).sum())
    assert 0 < left < len(faces)
    for found in (ellipses(state, flat[faces]), reference_triangles(state, flat[faces])):
        assert len(found) == left
        assert np.isfinite(found).all()


def test_seeds_of_the_tracer_and_positions_mark_the_same_points():
    faces, positions = scenes.grid(3)
    seeds = [pucker.Seed(4, [0.2, 0.3, 0.5]), pucker.Seed(9, [1.0, 0.0, 0.0])]
    points = seed_positions(seeds, faces, positions)
    np.testing.assert_allclose(points[0], [0.2, 0.3, 0.5] @ positions[faces[4]])
    np.testing.assert_array_equal(points[1], positions[faces[9, 0]])
    np.testing.assert_array_equal(seed_positions(points, faces, positions), points)


def test_more_wrinkles_tint_more_and_none_not_at_all():
    shares = reached_tints([0, 1, 2, 3, 6])[:, 3].astype(int)
    assert shares[0] == 0
    assert (np.diff(shares) > 0).all()


def test_two_tints_together_are_one_laid_over_the_other():
    state = SimpleNamespace(labels=np.array([0, 2, 1]), packed=SimpleNamespace(triangles=np.array([[0], [1], [3]])))
    under, over, both = (
        Overlays.of(names).tints(state).astype(float) for names in (["labels"], ["reached"], ["labels", "reached"])
    )
    base = np.array([90.0, 140.0, 200.0])
    expected = base
    for layer in (under, over):
        expected = expected + layer[:, 3:] / 255.0 * (layer[:, :3] - expected)
    np.testing.assert_allclose(base + both[:, 3:] / 255.0 * (both[:, :3] - base), expected, atol=1.5)


def sheet_surface(renderer):
    faces, positions = scenes.grid(8)
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
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


def test_a_line_of_no_length_is_a_square_dot(renderer):
    point = np.tile([0.1, -0.2, 0.0], (1, 2, 1))
    picture = renderer.render([sheet_surface(renderer)], DOWN, lines=[Lines(point, GREEN, 7.0)])
    assert (picture[..., :3] == [0, 255, 0]).all(axis=2).sum() == 49


def test_lines_behind_a_surface_are_hidden(renderer):
    behind = Lines(np.array([[[-0.3, 0.0, -0.2], [0.3, 0.0, -0.2]]]), GREEN, 5.0)
    surface = sheet_surface(renderer)
    np.testing.assert_array_equal(renderer.render([surface], DOWN, lines=[behind]), renderer.render([surface], DOWN))


def test_tessellated_edges_are_drawn_on_wrinkled_patches_only(renderer):
    faces, positions = scenes.grid(8)
    surface = sheet_surface(renderer)
    rows = scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.03)
    packed = scenes.pack_where_reached(faces, positions, [rows])
    surface.set_wrinkles(packed, smallest_width=0.03)
    style = Style(tessellation=True, tessellation_colour=GREEN, least_edge=8.0)
    green = (renderer.render([surface], DOWN, style)[..., :3] == [0, 255, 0]).all(axis=2)
    y, _ = np.nonzero(green)
    # A neighbour of a wrinkled triangle is a patch too.
    height = np.abs(positions[faces[packed.triangles[:, 0] > 0]][..., 1]).max() + 0.125
    assert green.sum() > 500
    assert np.abs(120.0 - (y + 0.5)).max() * DOWN.pixel_size(240) < height + 0.01
    finer = Style(tessellation=True, tessellation_colour=GREEN, least_edge=5.0)
    assert (renderer.render([surface], DOWN, finer)[..., :3] == [0, 255, 0]).all(axis=2).sum() > 1.2 * green.sum()
    without = Style(mode=Style().mode.NORMALS, tessellation=True, tessellation_colour=GREEN)
    assert not (renderer.render([surface], DOWN, without)[..., :3] == [0, 255, 0]).all(axis=2).any()


@pytest.fixture(scope="module")
def squeezed():
    """A sheet squeezed until it wrinkles, its last state, and seeds of that."""
    faces, rest = scenes.grid(10)
    shares = np.linspace(1.0, 0.6, 12)
    clip = pucker.Clip.from_arrays(faces, [rest * [share, 1.0, 1.0] for share in shares], np.arange(12) / 30.0)
    params = pucker.Params(min_width=0.06, threshold=1.1)
    wrinkler = pucker.Wrinkler(clip.mesh, params)
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
        assert list(film.timings()) == ["plain"]
        film.frame(11, state, overlays=["paths", "tessellation", "ellipses"])
        assert list(film.timings()) == ["curve", "plain", "wrinkled", "tessellation", "paths", "lines"]
        assert film.timings()["wrinkled"] > 0.0
        film.renderer.render(film.surfaces, film.camera)
        assert list(film.timings()) == ["plain", "wrinkled"]


def test_bytes_sent_are_those_of_what_changed(renderer):
    surface = sheet_surface(renderer)
    rows = scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.03)
    packed = scenes.pack_everywhere(surface.triangle_count, [rows])
    before = surface.uploaded
    surface.set_positions(scenes.grid(8)[1])
    assert surface.uploaded - before == 2 * 12 * 81
    before = surface.uploaded
    surface.set_wrinkles(packed)
    segments = 4 * 8
    assert surface.uploaded - before == packed.triangles.nbytes + packed.reach.nbytes + packed.points.nbytes + segments


def test_the_page_of_measurements_names_the_device_and_has_a_row_a_setting(data_dir, monkeypatch):
    monkeypatch.setattr(bench, "SIZE", (64, 36))
    page = bench.page(data_dir)
    assert "64 × 36" in page
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| 1.")]
    assert [row[:2] for row in rows] == [["1.15", "1 %"], ["1.15", "0.5 %"], ["1.25", "1 %"], ["1.25", "0.5 %"]]
    for row in rows:
        wrinkles, patches, sent, pack, upload, *_, picture, whole = map(float, row[2:])
        assert min(wrinkles, patches, sent, pack, upload) > 0.0
        assert whole >= pack + picture - 0.02


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Overlays.of(["paths", "bones"]), r"overlays must be of labels, .*, reference, not 'bones'"),
        (lambda: Overlays.of("seeds"), r"overlays must be of .*, not 'seeds'"),
        (lambda: Lines(np.zeros((3, 3)), GREEN), r"must have shape \(k, 2, 3\), not \(3, 3\)"),
        (lambda: Lines(np.full((1, 2, 3), np.nan), GREEN), r"line 0 is not finite"),
        (lambda: Lines(np.zeros((1, 2, 3)), GREEN, 0.0), r"width of lines must be positive, not 0"),
        (lambda: seed_positions(np.zeros((2, 2)), *scenes.grid(1)), r"positions \(k, 3\), not of shape \(2, 2\)"),
        (lambda: Overlays(ellipses=True).lines(None, *scenes.grid(1)), r"needs a state that has stretch"),
        (
            lambda: Overlays(labels=[0, 1], reached=True).tints(
                SimpleNamespace(packed=SimpleNamespace(triangles=np.zeros((3, 2))))
            ),
            r"not of 2 and 3 triangles",
        ),
    ],
)
def test_overlays_that_break_a_rule_are_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
