"""What is in the pictures: no holes, the right colours, the overlays."""

from io import BytesIO

import moderngl
import numpy as np
import picture_check
import pytest
import render_scenes as scenes
from PIL import Image
from scipy import ndimage

import pucker
from pucker import LABEL_TINTS, label_tints
from pucker.render import (
    VIEWS,
    Camera,
    ContextError,
    Mode,
    Output,
    Renderer,
    Style,
    create_context,
    vertex_normals,
)

# Spread evenly over the sphere by the golden angle.
DIRECTIONS = [(137.508 * k % 360.0, np.degrees(np.arcsin((2 * k + 1) / 6 - 1))) for k in range(6)]
DOWN = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=21.0, near=1.0, far=5.0)
PICTURE_SIDE = 240

pytestmark = pytest.mark.usefixtures("no_gl_error")


def plane_detail(cells):
    """Wrinkles over a plane."""
    faces, positions = scenes.grid(cells)
    packed = scenes.pack_everywhere(len(faces), [scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.03)])
    return pucker.PathDetail(pucker.Mesh(faces, len(positions)), positions, packed)


def plane(renderer, cells=8, **options):
    faces, positions = scenes.grid(cells)
    surface = renderer.surface(faces, len(positions), **options)
    surface.set_positions(positions)
    return surface


def wrinkled_plane(renderer, profile="bspline"):
    surface = plane(renderer)
    x = np.linspace(-0.4, 0.4, 11)
    rows = scenes.flat_path(x, 0.13 * np.sin(7.0 * x), 0.09, 0.03)
    scenes.wrinkle(surface, scenes.pack_everywhere(surface.triangle_count, [rows]), profile=profile)
    return surface


@pytest.fixture(scope="module", params=["everywhere", "in places"])
def closed_surface(request, renderer):
    faces, positions = scenes.icosphere(2)
    random = np.random.default_rng(3)
    count = 8 if request.param == "everywhere" else 4
    paths = [scenes.section_path(faces, positions, random.normal(size=3), 0.11, 0.05) for _ in range(count)]
    if request.param == "everywhere":
        packed = scenes.pack_everywhere(len(faces), paths)
    else:
        packed = scenes.pack_where_reached(faces, positions, paths)
        assert 0.3 < (packed.triangles[:, 0] == 0).mean() < 0.8
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    scenes.wrinkle(surface, packed)
    return surface


def deepest_seen(renderer, surface, direction, least_edge):
    """How far towards the viewer the farthest point of the picture lies; through a hole it lies on the far half.

    Background inside the outline counts as infinitely far.
    """
    camera = Camera.orbit((0.0, 0.0, 0.0), 5.0, *direction)
    seen = renderer.measure([surface], camera, Output.position, Style(least_edge=least_edge))
    covered = seen[..., 3] == 1.0
    assert covered.sum() > 10_000
    if (ndimage.binary_fill_holes(covered) != covered).any():
        return -np.inf
    return (seen[..., :3] @ (np.asarray(camera.eye) / 5.0))[covered].min()


# A wrinkle on the outline reaches a tenth beyond the centre.
BEHIND_THE_OUTLINE = -0.2


@pytest.mark.parametrize("least_edge", [0.0, 3.0])
@pytest.mark.parametrize("direction", DIRECTIONS)
def test_only_the_front_of_a_closed_mesh_is_seen(renderer, closed_surface, direction, least_edge):
    assert deepest_seen(renderer, closed_surface, direction, least_edge) > BEHIND_THE_OUTLINE


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_a_crack_of_a_pixel_would_be_seen(renderer, direction):
    # The edges of the triangle that faces the viewer come apart.
    faces, positions = scenes.icosphere(2)
    towards = np.asarray(Camera.orbit((0.0, 0.0, 0.0), 5.0, *direction).eye) / 5.0
    front = int(np.argmax(positions[faces].mean(axis=1) @ towards))
    corners = positions[faces[front]]
    shrunk = corners.mean(axis=0) + 0.94 * (corners - corners.mean(axis=0))
    faces = faces.copy()
    faces[front] = len(positions) + np.arange(3)
    surface = renderer.surface(faces, len(positions) + 3)
    surface.set_positions(np.concatenate([positions, shrunk]))
    assert deepest_seen(renderer, surface, direction, least_edge=0.0) < BEHIND_THE_OUTLINE


SCENES = {
    "wrinkled-plane": ((25.0, 30.0), Style(), "bspline"),
    "wrinkled-plane-with-path": ((-30.0, 40.0), Style(stroke_width=2.0), "bspline"),
    "normals-of-arcs": ((60.0, 20.0), Style(mode=Mode.normals), "arcs"),
}


@pytest.mark.parametrize("name", SCENES)
def test_pictures_are_those_of_before(renderer, name):
    direction, style, profile = SCENES[name]
    camera = Camera.orbit((0.0, 0.0, 0.0), 3.0, *direction, field_of_view=26.0)
    picture_check.assert_as_before(renderer.render([wrinkled_plane(renderer, profile)], camera, style)[..., :3], name)


def test_a_failed_comparison_keeps_picture_reference_and_difference(tmp_path, monkeypatch):
    monkeypatch.setattr(picture_check, "FAILED", tmp_path)
    reference = np.full((20, 20, 3), 100, np.uint8)
    picture = reference.copy()
    picture[3, 4] = 110
    with pytest.raises(AssertionError, match=r"0\.250 % of the pixels differ by more than 2, 0\.1 % may"):
        picture_check.assert_same_picture(picture, reference)
    kept = {path.stem.rsplit("-", 1)[1]: np.asarray(Image.open(path)) for path in tmp_path.iterdir()}
    assert kept.keys() == {"picture", "reference", "difference"}
    np.testing.assert_array_equal(kept["picture"], picture)
    np.testing.assert_array_equal(kept["reference"], reference)
    assert kept["difference"][3, 4].tolist() == [80, 80, 80]
    picture_check.assert_same_picture(picture, reference, share=0.003)


def test_both_sides_are_lit(renderer):
    surface = plane(renderer)
    front, back = (
        renderer.render([surface], Camera.orbit((0, 0, 0), 3.0, azimuth, 0.0, field_of_view=19.0))[120, 120, :3]
        for azimuth in (0.0, 180.0)
    )
    assert front.min() > 90
    assert back.min() > 90


def test_wrinkles_are_seen_in_every_mode_but_base(renderer):
    surface = wrinkled_plane(renderer)
    camera = Camera.orbit((0, 0, 0), 3.0, 25.0, 30.0, field_of_view=19.0)
    pictures = {mode: renderer.render([surface], camera, Style(mode=mode)).astype(int) for mode in Mode}
    surface.set_detail(None)
    plain = renderer.render([surface], camera).astype(int)
    assert (pictures[Mode.base] == plain).all()
    for mode in (Mode.normals, Mode.both):
        assert (np.abs(pictures[mode] - plain).max(axis=2) > 15).sum() > 300
    assert (pictures[Mode.both] != pictures[Mode.normals]).any()


def test_colours_and_background_are_those_asked_for(renderer):
    colours = np.tile([200, 30, 40, 255], (128, 1))
    picture = renderer.render([plane(renderer, colours=colours)], DOWN, Style(background=(0.2, 0.4, 0.6)))
    red, green, blue, alpha = picture[120, 120].tolist()
    assert alpha == 255
    assert red > 3 * green > 0
    assert red > 3 * blue > 0
    assert picture[1, 1].tolist() == [51, 102, 153, 0]


def test_a_texture_stands_upright(renderer):
    content = BytesIO()
    quarters = np.zeros((64, 64, 3), np.uint8)
    quarters[:32, :32], quarters[:32, 32:], quarters[32:, :32] = (255, 0, 0), (0, 255, 0), (0, 0, 255)
    Image.fromarray(quarters).save(content, "png")
    faces, positions = scenes.grid(4)
    surface = plane(
        renderer,
        4,
        colours=np.full((32, 4), 255),
        texcoords=(positions[:, :2] + 0.5)[faces],
        textures=np.zeros(32),
        images=[content.getvalue()],
    )
    picture = renderer.render([surface], DOWN)
    upper_left, upper_right, lower_left, lower_right = picture[[70, 70, 170, 170], [70, 170, 70, 170], :3].astype(int)
    assert upper_left.argmax() == 0
    assert upper_right.argmax() == 1
    assert lower_left.argmax() == 2
    assert lower_right.max() < 80


def test_triangles_of_several_textures_keep_their_own_when_tessellated(renderer):
    images = []
    for colour in ((255, 0, 0), (0, 0, 255)):
        content = BytesIO()
        Image.new("RGB", (4, 4), colour).save(content, "png")
        images.append(content.getvalue())
    faces, positions = scenes.grid(8)
    left = positions[faces].mean(axis=1)[:, 0] < 0.0
    surface = plane(renderer, textures=np.where(left, 1, 0), images=images)
    rows = scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.03)
    scenes.wrinkle(surface, scenes.pack_where_reached(faces, positions, [rows]))
    picture = renderer.render([surface], DOWN)[..., :3].astype(int)
    for y in (60, 115, 180):
        assert picture[y, 60].argmax() == 2
        assert picture[y, 180].argmax() == 0


def test_labels_tint_their_triangles(renderer):
    surface = plane(renderer, 1, colours=np.full((2, 4), 255))
    surface.set_tints(label_tints([0, 2]))
    picture = renderer.render([surface], DOWN)[..., :3].astype(int)
    assert picture[150, 170].argmax() == 0
    assert picture[90, 70].argmax() == 2
    surface.set_tints(None)
    untinted = renderer.render([surface], DOWN)[..., :3].astype(int)
    assert np.ptp(untinted[150, 170]) < 20


def test_label_tints_are_red_grey_and_blue():
    red, grey, blue = LABEL_TINTS[:, :3].astype(int)
    assert red.argmax() == 0
    assert np.ptp(grey) == 0
    assert blue.argmax() == 2


def test_paths_are_drawn_where_they_are_and_as_wide_as_asked(renderer):
    surface = wrinkled_plane(renderer)
    style = Style(mode=Mode.base, stroke_colour=(1.0, 0.0, 1.0), stroke_width=4.0)
    magenta = (renderer.render([surface], DOWN, style)[..., :3] == [255, 0, 255]).all(axis=2)
    seen = renderer.measure([surface], DOWN, Output.position, Style(mode=Mode.base))[..., :3]
    curve = renderer.read(surface, "Samples").reshape(-1, 8)[: 10 * scenes.SAMPLES + 1, :3]
    distance = np.linalg.norm(seen[magenta][:, None] - curve, axis=2).min(axis=1)
    pixel = DOWN.pixel_size(240)
    assert distance.max() < 4.0 * pixel
    length = np.linalg.norm(np.diff(curve, axis=0), axis=1).sum() / pixel
    assert magenta.sum() == pytest.approx(4.0 * length, rel=0.1)


def test_a_wireframe_follows_the_mesh_and_not_its_tessellation(renderer):
    surface = wrinkled_plane(renderer)
    style = Style(wire_width=1.5, wire_colour=(0.0, 1.0, 0.0))
    # In sRGB: between the lines of the mesh there is nothing green, on them there is.
    green = renderer.render([surface], DOWN, style)[..., 1].astype(int) > 250
    assert 0.02 < green[30:210, 30:210].mean() < 0.2
    flat = plane(renderer)
    flat_green = renderer.render([flat], DOWN, style)[..., 1].astype(int) > 250
    assert green.sum() == pytest.approx(flat_green.sum(), rel=0.1)


def test_multisampling_smooths_outlines():
    faces, positions = scenes.grid(1)
    with Renderer((64, 64), samples=4) as smooth:
        surface = smooth.surface(faces, len(positions))
        surface.set_positions(positions)
        alpha = smooth.render([surface], Camera.orbit((0, 0, 0), 4.0, 20.0, 20.0))[..., 3]
    assert {0, 255} < set(alpha.ravel().tolist())


def test_a_callers_context_is_left_alive_and_its_framebuffer_bound():
    context = create_context()
    own = context.simple_framebuffer((8, 8))
    own.use()
    faces, positions = scenes.grid(1)
    with Renderer((16, 16), context=context) as renderer:
        surface = renderer.surface(faces, len(positions))
        surface.set_positions(positions)
        renderer.render([surface], DOWN)
        assert context.fbo is own
        renderer.draw(own, [surface], DOWN)
    assert max(own.read()) > 0
    assert context.simple_framebuffer((4, 4)).size == (4, 4)
    assert context.error == "GL_NO_ERROR"
    context.release()


def test_renderers_do_not_draw_into_each_other():
    faces, positions = scenes.grid(1)
    pictures = []
    with Renderer((48, 48)) as first:
        surface = first.surface(faces, len(positions), colours=np.tile([200, 30, 40, 255], (2, 1)))
        surface.set_positions(positions)
        pictures.append(first.render([surface], DOWN))
        with Renderer((32, 32)) as second:
            other = second.surface(faces, len(positions))
            other.set_positions(2.0 * positions)
            pictures.append(first.render([surface], DOWN))
            second.render([other], DOWN)
            surface.set_positions(positions)
            pictures.append(first.render([surface], DOWN))
            assert first.context.error == second.context.error == "GL_NO_ERROR"
        pictures.append(first.render([surface], DOWN))
    for picture in pictures[1:]:
        np.testing.assert_array_equal(picture, pictures[0])
    assert np.ptp(pictures[0]) > 100


def test_closing_twice_does_nothing_more():
    positions, faces = np.array([[-1.0, -1.0, 0.0], [3.0, -1.0, 0.0], [-1.0, 3.0, 0.0]]), [[0, 1, 2]]
    with Renderer((8, 8)) as other:
        left = other.surface(faces, len(positions))
        left.set_positions(positions)
        before = other.render([left], DOWN)
        renderer = Renderer((8, 8))
        drawn = renderer.surface(faces, len(positions))
        drawn.set_positions(positions)
        renderer.close()
        renderer.close()
        assert renderer.device.closed
        assert not other.device.closed
        with pytest.raises(ContextError, match="the renderer is closed; what it drew is freed"):
            renderer.render([drawn], DOWN)
        np.testing.assert_array_equal(other.render([left], DOWN), before)


def test_buffers_grow_geometrically(renderer):
    from pucker.render.buffers import GrowingBuffer  # noqa: PLC0415 - inner parts, tested here only
    from pucker.render.current import make_current  # noqa: PLC0415

    make_current(renderer.context)
    buffer = GrowingBuffer(renderer.context)
    sizes = []
    for count in range(1, 4000, 7):
        buffer.write(np.arange(count, dtype=np.uint32))
        sizes.append(buffer.capacity)
        assert np.frombuffer(buffer.read(4 * count), np.uint32)[-1] == count - 1
    buffer.release()
    assert len(set(sizes)) < 12


def test_a_buffer_beyond_the_device_is_refused_and_the_present_one_stays(renderer):
    from pucker.render.buffers import GrowingBuffer  # noqa: PLC0415
    from pucker.render.current import make_current  # noqa: PLC0415

    make_current(renderer.context)
    buffer = GrowingBuffer(renderer.context)
    buffer.write(np.arange(4, dtype=np.uint32))
    most = renderer.context.info["GL_MAX_SHADER_STORAGE_BLOCK_SIZE"]
    with pytest.raises(ContextError, match=rf"at most {most} bytes a buffer, {most + 1} are needed"):
        buffer.reserve(most + 1)
    assert np.frombuffer(buffer.read(16), np.uint32).tolist() == [0, 1, 2, 3]
    buffer.release()


def test_a_device_that_runs_out_of_room_is_told(renderer, monkeypatch):
    # OpenGL gives no way to fill a device from outside: what it would say is put into its mouth.
    surface = plane(renderer, 1)
    many = [scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.03)] * 40
    scenes.wrinkle(surface, scenes.pack_everywhere(2, many))
    monkeypatch.setattr(type(renderer.context), "error", "GL_OUT_OF_MEMORY")
    with pytest.raises(ContextError, match=r"no room for a buffer of \d+ bytes"):
        renderer.render([surface], DOWN)
    monkeypatch.undo()
    assert renderer.context.error == "GL_NO_ERROR"


def test_a_picture_that_opengl_reports_an_error_about_is_none(renderer, monkeypatch):
    surface = plane(renderer, 1)
    before = renderer.render([surface], DOWN)
    read = moderngl.Framebuffer.read

    def failing(framebuffer, *arguments, **options):
        whole = framebuffer.ctx.viewport
        framebuffer.ctx.viewport = (0, 0, -1, -1)
        framebuffer.ctx.viewport = whole
        return read(framebuffer, *arguments, **options)

    monkeypatch.setattr(moderngl.Framebuffer, "read", failing)
    for draw in (renderer.render, lambda *given: renderer.measure(*given, Output.position)):
        with pytest.raises(ContextError, match="OpenGL failed while a picture was drawn: GL_INVALID_VALUE"):
            draw([surface], DOWN)
    monkeypatch.undo()
    np.testing.assert_array_equal(renderer.render([surface], DOWN), before)


def test_normals_are_weighted_by_area_and_run_over_seams():
    positions = np.array([[0.0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 1.0], [0, 0, 0], [0, 3, 0]])
    faces = np.array([[0, 1, 2], [4, 5, 3]])
    split = vertex_normals(positions, faces)
    np.testing.assert_allclose(split[[0, 4]], [[0, 0, 1], [1, 0, 0]], atol=1e-7)
    welded = vertex_normals(positions, faces, np.array([0, 1, 2, 3, 0, 2]))
    np.testing.assert_allclose(welded[0], np.array([3.0, 0.0, 9.0]) / np.hypot(3, 9), rtol=1e-6)
    np.testing.assert_array_equal(welded[0], welded[4])


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("aspect", [0.6, 16 / 9])
def test_a_fitted_camera_sees_all_points_and_little_else(view, aspect, rng):
    points = rng.normal(size=(200, 3)) * [1.0, 2.0, 0.5] + [5.0, -3.0, 8.0]
    clip = np.c_[points, np.ones(200)] @ Camera.fit(points, view, aspect=aspect).view_projection(aspect).T
    device = clip[:, :3] / clip[:, 3:]
    assert np.abs(device).max() <= 1.0
    assert np.abs(device[:, :2]).max() > 0.85


def test_a_camera_fitted_to_a_flat_sheet_leaves_room_for_its_wrinkles():
    _, positions = scenes.grid(4)
    camera = Camera.fit(positions, "front")
    assert camera.near < camera.eye[2] - 0.1


def test_named_views_look_from_where_they_say():
    eyes = {name: np.array(Camera.fit([[-1, -1, -1], [1, 1, 1]], name).eye) for name in VIEWS}
    assert eyes["front"][2] > 2.0
    assert eyes["back"][2] < -2.0
    assert eyes["left"][0] > 2.0
    assert eyes["right"][0] < -2.0
    assert eyes["top"][1] > 2.0


def test_azimuth_and_elevation_may_be_given_as_numbers():
    assert Camera.fit(np.eye(3), (90.0, 0.0)) == Camera.fit(np.eye(3), "left")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda r: r.surface([[0, 1, 5]], 4), r"faces must lie in \[0, 4\), but faces\[0, 2\] is 5"),
        (lambda r: r.surface([[0, 1]], 4), r"faces must have shape \(any, 3\), got \(1, 2\)"),
        (lambda r: r.surface([[0, 1, 2]], 3, colours=[1, 2]), r"colours must have shape \(1, 4\), got \(2,\)"),
        (
            lambda r: r.surface([[0, 1, 2]], 3, textures=[0]),
            r"texture numbers must lie in \[-1, 0\), but triangle 0 has 0",
        ),
        (lambda r: plane(r).set_positions(np.zeros((3, 3))), r"positions must have shape \(81, 3\), got \(3, 3\)"),
        (lambda r: plane(r, 1).set_positions(np.full((4, 3), np.nan)), r"positions must be finite"),
        (
            lambda r: scenes.wrinkle(plane(r), scenes.pack_everywhere(128, scenes.PATHS["curved"]), 0.0),
            r"feature_size .* positive, got 0",
        ),
        (
            lambda r: plane(r, 1).set_detail(plane_detail(2)),
            r"the detail of 8 triangles and 9 vertices cannot lie over a surface of 2 and 4",
        ),
        (lambda r: r.surface([[0, 1, 2]], 3).set_detail(plane_detail(1)), r"given positions before their detail"),
        (lambda r: r.render([r.surface([[0, 1, 2]], 3)], DOWN), r"must be given positions before it is drawn"),
        (lambda _: Renderer((0, 5)), r"at least 1 and at most \d+ pixels wide and high, not 0 x 5"),
        (lambda _: Renderer((8, 8), samples=999), r"samples must lie in \[0, \d+\] on this device, not 999"),
        (lambda _: Mode("bumpy"), r"Mode must be one of base, normals, displacement, both, parallax, not 'bumpy'"),
        (lambda _: label_tints([0, 3]), r"labels must be 0, 1 or 2, but triangle 1 has 3"),
        (lambda _: Camera.fit([[0, 0, 0]], "below"), r"view must be one of front, .*, not 'below'"),
        (lambda _: Camera.orbit((0, 0, 0), -1.0, 0.0, 0.0), r"distance of a camera must be positive, not -1"),
        (lambda _: Camera.orbit((0, 0, 0), 1.0, 0.0, 90.0), r"strictly between -90 and 90 degrees, not 90"),
    ],
)
def test_arguments_that_break_a_rule_are_refused(renderer, call, message):
    with pytest.raises(ValueError, match=message):
        call(renderer)


def test_a_size_beyond_the_device_is_an_error_and_not_a_picture():
    with pytest.raises(ValueError, match=r"at most \d+ pixels wide and high, not 1048576 x 8"):
        Renderer((1 << 20, 8))
