"""Shadows, occlusion, fabric and the key light that grazes the cloth: where geometry says they are, and nowhere else."""

import numpy as np
import pytest
import render_scenes as scenes

import pucker
from pucker._core import draw
from pucker._core.draw import PLAIN_STYLE, ClipStyle, grazing_direction
from pucker.examples import bending_sleeve
from pucker.render import Camera, ClipRenderer, Light, Mode, Output, Renderer, Style

pytestmark = pytest.mark.usefixtures("no_gl_error")

SIDE = 480
DOWN = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0), field_of_view=21.0, near=1.0, far=5.0)
DARK = (0.0, 0.0, 0.0)
BOX = np.array([[-0.1, -0.15, 0.2], [0.15, 0.1, 0.4]])
BOX_FACES = [
    *((0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4)),
    *((2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6), (1, 3, 5), (3, 7, 5)),
]
SUN = np.array([0.6, 0.0, 0.8])


def sunlight(direction):
    """A key light alone that stands in the world."""
    return Light(
        key_direction=tuple(direction), key_colour=(1.0, 1.0, 1.0), fill_colour=DARK, sky_colour=DARK, ground_colour=DARK,
        specular=0.0, attached=False,
    )  # fmt: skip


SKY = Light(key_colour=DARK, fill_colour=DARK, sky_colour=(1.0, 1.0, 1.0), ground_colour=(1.0, 1.0, 1.0), specular=0.0)


@pytest.fixture(scope="module")
def renderer():
    with Renderer((SIDE, SIDE), samples=0) as made:
        yield made


def surface_of(renderer, faces, positions, **options):
    surface = renderer.surface(faces, len(positions), **options)
    surface.set_positions(positions)
    return surface


def plane(renderer, **options):
    return surface_of(renderer, *scenes.grid(8), **options)


def linear(picture):
    return draw.linear_from_srgb(picture[..., 0] / 255.0)


def hits_box(points, direction, grown):
    """Whether rays meet the box, made larger by so much on all sides."""
    with np.errstate(divide="ignore", invalid="ignore"):
        times = (BOX[:, None] + np.array([-grown, grown])[:, None, None] - points) / direction
        flat = direction == 0.0
        inside = (points >= BOX[0] - grown) & (points <= BOX[1] + grown)
        entered = np.where(flat, np.where(inside, -np.inf, np.inf), times.min(axis=0)).max(axis=1)
        left = np.where(flat, np.where(inside, np.inf, -np.inf), times.max(axis=0)).min(axis=1)
    return (entered < left) & (left > 0.0)


def test_a_box_casts_its_shadow_where_geometry_says_so_and_nowhere_else(renderer):
    corners = np.array([[BOX[k, 0], BOX[j, 1], BOX[i, 2]] for i in (0, 1) for j in (0, 1) for k in (0, 1)])
    box = surface_of(renderer, BOX_FACES, corners)
    surfaces = [plane(renderer), box]
    style = Style(light=sunlight(SUN))
    lit = linear(renderer.render(surfaces, DOWN, style))
    shadowed = linear(renderer.render(surfaces, DOWN, style.replace(shadows=True)))
    places = renderer.measure(surfaces, DOWN, Output.position)
    ground = (places[..., 3] == 1.0) & (np.abs(places[..., 2]) < 1e-6)
    points = places[ground][:, :3].astype(np.float64)
    inside, outside = hits_box(points, SUN, -0.01), ~hits_box(points, SUN, 0.01)
    assert inside.sum() > 2000
    assert outside.sum() > 50000
    assert (shadowed[ground][inside] == 0.0).all()
    np.testing.assert_array_equal(shadowed[ground][outside], lit[ground][outside])
    soft = ~inside & ~outside
    assert len(np.unique(shadowed[ground][soft])) > 5


@pytest.mark.parametrize("angle", [0.0, 30.0, 60.0, 80.0, 88.0])
def test_a_plane_casts_no_shadow_on_itself_however_the_light_grazes_it(renderer, angle):
    direction = (np.sin(np.radians(angle)), 0.3 * np.sin(np.radians(angle)), np.cos(np.radians(angle)))
    style, surfaces = Style(light=sunlight(direction)), [plane(renderer)]
    shadowed = renderer.render(surfaces, DOWN, style.replace(shadows=True))
    np.testing.assert_array_equal(shadowed, renderer.render(surfaces, DOWN, style))


def test_the_triangles_of_a_round_surface_are_not_seen_in_its_shadow(renderer):
    faces, positions = scenes.icosphere(2)
    surfaces, style = [surface_of(renderer, faces, 0.5 * positions)], Style(light=sunlight((0.9, 0.1, 0.4)))
    lit = linear(renderer.render(surfaces, DOWN, style))
    shadowed = linear(renderer.render(surfaces, DOWN, style.replace(shadows=True)))
    seen = renderer.measure(surfaces, DOWN, Output.position)[..., 3] == 1.0
    assert seen.sum() > 50000
    assert (np.abs(shadowed - lit)[seen] > 0.02).mean() < 1e-3


def test_what_is_displaced_casts_shadows_and_what_is_not_casts_none(renderer):
    surface = plane(renderer)
    rows = scenes.flat_path(np.linspace(-0.4, 0.4, 9), 0.03, 0.1, 0.04)
    scenes.wrinkle(surface, scenes.pack_everywhere(surface.triangle_count, [rows]))
    for mode, least in ((Mode.both, 500), (Mode.normals, 0), (Mode.base, 0)):
        style = Style(light=sunlight((0.0, 0.97, 0.24)), mode=mode)
        lit, shadowed = (
            renderer.render([surface], DOWN, style.replace(shadows=shadows)).astype(int) for shadows in (False, True)
        )
        darker = (lit - shadowed).max(axis=2) > 40
        assert darker.sum() >= least
        if least == 0:
            np.testing.assert_array_equal(lit, shadowed)


def test_a_plane_and_a_ball_are_not_occluded(renderer):
    faces, positions = scenes.icosphere(3)
    style = Style(light=SKY)
    for surface in (plane(renderer), surface_of(renderer, faces, 0.4 * positions)):
        for camera in (DOWN, Camera.orbit((0.0, 0.0, 0.0), 3.0, 20.0, 30.0, field_of_view=21.0)):
            open_sky = linear(renderer.render([surface], camera, style))
            occluded = linear(renderer.render([surface], camera, style.replace(occlusion=True)))
            covered = renderer.measure([surface], camera, Output.position)[..., 3] == 1.0
            share = occluded[covered] / open_sky[covered]
            # Where a ball turns away its distances change by much from texel to texel.
            assert np.quantile(share, 0.02) > 0.9
            assert np.median(share) > 0.98


def test_occlusion_in_a_corner_approaches_a_half():
    with Renderer((1200, 1200), samples=0) as large:
        check_corner(large)


def check_corner(renderer):
    faces, positions = scenes.grid(1)
    wall = np.stack([positions[:, 0], np.zeros(len(positions)), positions[:, 1] + 0.5], axis=1)
    floor = positions + np.array([0.0, -0.5, 0.0])
    corner = surface_of(
        renderer, np.concatenate([faces, faces + len(positions)]), np.concatenate([floor, wall])
    )  # the wall stands on the floor's edge y = 0
    camera = Camera(eye=(0.0, -2.0, 2.0), target=(0.0, 0.0, 0.0), field_of_view=10.0, near=0.5, far=6.0)
    radius = 0.05 * 2.0 * np.tan(np.radians(5.0)) * np.hypot(2.0, 2.0)
    style = Style(light=SKY)
    open_sky = linear(renderer.render([corner], camera, style))
    occluded = linear(renderer.render([corner], camera, style.replace(occlusion=True)))
    places = renderer.measure([corner], camera, Output.position)
    for axis, other in ((1, 2), (2, 1)):
        flat = (places[..., 3] == 1.0) & (np.abs(places[..., other]) < 1e-6) & (np.abs(places[..., 0]) < 0.15)
        share, away = (occluded / np.maximum(open_sky, 1e-6))[flat], np.abs(places[flat][:, axis]) / radius
        found = [np.median(share[(away >= low) & (away < low + 0.1)]) for low in np.arange(0.0, 1.3, 0.1)]
        # So far away a wall as high as the radius leaves more than the half of one without end, and samples miss some of it.
        assert 0.5 < found[0] < 0.75
        assert (np.diff(found) > -0.02).all()
        assert found[-1] > 0.97


def random_normals(count=200):
    random = np.random.default_rng(5)
    return random.normal(size=(count, 3)) + np.array([0.3, 0.2, 1.0])


@pytest.mark.parametrize("angle", [0.0, 45.0, 70.0, 90.0])
@pytest.mark.parametrize("azimuth", [0.0, 35.0, 200.0])
def test_the_key_light_stands_at_its_angle_to_the_mean_normal(angle, azimuth):
    normals = random_normals()
    camera = Camera.orbit((0.0, 0.0, 0.0), 3.0, azimuth, 12.0)
    axes = np.array(camera.axes)
    towards = (np.array(camera.eye) - np.array(camera.target)) / 3.0
    areas = np.linalg.norm(normals, axis=1)
    mean = (normals / areas[:, None] * np.maximum(normals @ towards, 0.0)[:, None]).sum(axis=0)
    mean /= np.linalg.norm(mean)
    direction = np.array(grazing_direction(normals, camera, angle))
    assert np.linalg.norm(direction) == pytest.approx(1.0)
    in_camera = axes @ mean
    assert np.degrees(np.arccos(np.clip(direction @ in_camera, -1.0, 1.0))) == pytest.approx(angle, abs=1e-5)
    if angle == 90.0:
        assert direction[0] < 0.0 < direction[1]


def test_a_key_light_that_grazes_does_not_leave_the_half_space():
    for angle in (-1.0, 90.1):
        with pytest.raises(ValueError, match=r"a light must stand 0 to 90 degrees off the cloth's normal, not"):
            grazing_direction(random_normals(), DOWN, angle)


def test_a_clip_has_one_light_whatever_the_frame():
    clip = bending_sleeve()
    pictures = []
    for before in (0, 12):
        with ClipRenderer(clip, (160, 120)) as film:
            film.frame(before)
            pictures.append(film.frame(20))
            style = film.drawn_style()
    np.testing.assert_array_equal(*pictures)
    assert (style.shadows, style.occlusion, style.fabric) == (True, True, True)
    surface = draw.Surface(clip.faces, clip.positions.shape[1])
    surface.set_positions(clip.positions[0])
    assert ClipStyle(surface, style.exposure).of(Style(), film.camera).light == style.light


def test_what_the_style_says_is_what_is_drawn():
    clip = bending_sleeve()
    with ClipRenderer(clip, (160, 120), style=PLAIN_STYLE) as film:
        plain = film.frame(20)
        assert list(film.timings()) == ["plain"]
        bare = film.renderer.render(film.surfaces, film.camera, Style(exposure=film.drawn_style().exposure))
        np.testing.assert_array_equal(plain, bare[..., :3])
        found = {}
        for part in draw.LIGHT_PARTS:
            film.style = draw.without(Style(), part)
            found[part] = film.frame(20)
        film.style = Style()
        whole = film.frame(20)
    for picture in (plain, *found.values()):
        assert (np.abs(picture.astype(int) - whole.astype(int)).max(axis=2) > 3).sum() > 20
    with pytest.raises(ValueError, match="must be grazing, shadows, occlusion or fabric, not 'sun'"):
        draw.without(Style(), "sun")


def test_fabric_leaves_textured_cloth_and_all_that_is_no_cloth_as_they_are(data_dir):
    clip = pucker.load(data_dir / "mage.glb", clip="Walking_A", parts=["Mage_Body"], fps=2.0)
    pictures = []
    for style in (Style(), Style(fabric=False)):
        with ClipRenderer(clip, (160, 200), style=style, focus="all") as film:
            pictures.append(film.frame(0))
    np.testing.assert_array_equal(*pictures)


def test_a_weave_is_seen_from_near_and_fades_before_it_would_alias(renderer):
    # A square of 1 has 636 threads along a side; DOWN shows it in 429 pixels.
    surface = plane(renderer, cloth=True)
    style = Style(light=sunlight((0.7, 0.5, 0.5)), fabric=True)
    far = renderer.render([surface], DOWN, style).astype(int)
    inner = far[SIDE // 4 : -SIDE // 4, SIDE // 4 : -SIDE // 4]
    assert np.ptp(inner.reshape(-1, 4), axis=0).max() <= 1
    near = Camera(eye=(0.0, 0.0, 0.1), target=(0.0, 0.0, 0.0), field_of_view=21.0, near=0.05, far=1.0)
    woven = linear(renderer.render([surface], near, style))
    assert np.std(woven) / np.mean(woven) > 0.03
    # On the mean it is as bright as it was.
    smooth = linear(renderer.render([surface], near, style.replace(fabric=False)))
    assert np.mean(woven) == pytest.approx(np.mean(smooth), rel=0.05)


@pytest.mark.parametrize("cloth", [False, True])
def test_what_is_lit_too_brightly_keeps_its_shape_and_its_hue(renderer, cloth):
    colours = np.tile([230, 160, 120, 255], (128, 1))
    albedo = draw.linear_from_srgb(colours[0, :3] / 255.0)
    faces, positions = scenes.grid(8)
    surface = surface_of(renderer, faces, positions, colours=colours, cloth=cloth)
    before = 0.0
    for brightness in (0.3, 0.6, 0.9, 1.3, 1.8):
        style = Style(light=sunlight((0.0, 0.0, 1.0)), exposure=brightness, occlusion=False, fabric=cloth)
        shown = renderer.render([surface], DOWN, style.replace(shadows=True))[
            SIDE // 4 : -SIDE // 4, SIDE // 4 : -SIDE // 4
        ]
        colour = draw.linear_from_srgb(shown.reshape(-1, 4)[:, :3].mean(axis=0) / 255.0)
        wanted = brightness * albedo
        if wanted.max() > 0.6:
            wanted *= (1.0 - 0.4 * np.exp((0.6 - wanted.max()) / 0.4)) / wanted.max()
        np.testing.assert_allclose(colour, wanted, atol=0.01)
        assert before < colour.max() < 1.0
        before = colour.max()
        # Without any of these it is cut off.
        bare = linear(renderer.render([surface], DOWN, style.replace(fabric=False)))
        assert np.median(bare) == pytest.approx(min(brightness * albedo[0], 1.0), abs=0.01)


def test_highlights_do_not_grow_with_the_exposure(renderer):
    black = surface_of(renderer, *scenes.grid(8), colours=np.tile([0, 0, 0, 255], (128, 1)))
    light = Light(key_direction=(0.0, 0.0, 1.0), key_colour=(1.0, 1.0, 1.0), specular=0.2, exponent=4.0, attached=False)
    shown = [linear(renderer.render([black], DOWN, Style(light=light, exposure=e))) for e in (0.5, 1.0, 1.7, 2.5)]
    seen = [np.median(each[200:280, 200:280]) for each in shown]
    assert seen[0] == pytest.approx(0.1, abs=0.003)
    np.testing.assert_allclose(seen[1:], 0.2, atol=0.003)
