"""The wave field on the GPU against the core: displaced points, edges, and normals of the pixels."""

from io import BytesIO
from itertools import islice

import numpy as np
import pytest
import render_scenes as scenes
from PIL import Image

import pucker
from pucker import waves
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.render import Camera, ClipRenderer, Light, Mode, Output, Style

PICTURE_SIDE = 200
PROFILES = list(waves.Pleat.__members__)
CLIP = bending_sleeve(14, 18, frames=13)
BENT = 6

pytestmark = pytest.mark.usefixtures("no_gl_error")


def last_state(clip=CLIP, frames=BENT + 1, **params):
    """The state of the last of so many frames; waves of 8 % of the height unless said otherwise."""
    return list(islice(pucker.run(clip, waves.Params(**({"wavelength": 0.08} | params))), frames))[-1]


def make_surface(renderer, state):
    surface = renderer.surface(state.detail.faces, len(state.positions))
    surface.set_positions(state.positions)
    surface.set_detail(state.detail)
    return surface


def diagonal(state):
    """Length of the bounding box's diagonal."""
    return np.linalg.norm(np.ptp(state.positions, axis=0))


@pytest.mark.parametrize("profile", PROFILES)
def test_displaced_points_are_those_of_the_core(renderer, profile):
    state = last_state(profile=profile)
    captured = renderer.capture(make_surface(renderer, state))
    expected = state.detail.evaluate(captured.triangle, captured.barycentric)
    height = 0.25 * 0.08 * CLIP.height
    assert np.ptp(expected.offsets) > 0.5 * height
    np.testing.assert_allclose(captured.normal, expected.base_normals, atol=1e-6)
    np.testing.assert_allclose(captured.offset, expected.offsets, atol=1e-5 * height)
    np.testing.assert_allclose(captured.position, expected.positions, atol=1e-5 * diagonal(state))


def test_displaced_points_are_those_of_the_core_on_a_garment(renderer, data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    state = last_state(clip, 8, wavelength=0.03)
    captured = renderer.capture(make_surface(renderer, state))
    expected = state.detail.evaluate(captured.triangle, captured.barycentric)
    assert (np.abs(expected.offsets) > 1e-3 * clip.height).sum() > 1000
    np.testing.assert_allclose(captured.position, expected.positions, atol=1e-5 * diagonal(state))


def test_far_from_the_origin_points_are_as_exact(renderer):
    away = np.array([3e5, -2e5, 1e5])
    moved = pucker.Clip.from_arrays(CLIP.faces, CLIP.positions + away, CLIP.times)
    state = last_state(moved)
    captured = renderer.capture(make_surface(renderer, state))
    expected = state.detail.evaluate(captured.triangle, captured.barycentric)
    np.testing.assert_allclose(captured.position, expected.positions, atol=1e-5 * diagonal(state))


def test_both_triangles_of_an_edge_place_its_points_at_the_same_bits(renderer):
    state = last_state(profile="accordion")
    found = scenes.shared_edge_points(renderer.capture(make_surface(renderer, state)), state.detail.faces)
    shared = [sides for sides in found.values() if len({triangle for triangle, _ in sides}) == 2]
    assert len(shared) > 1000
    assert all(len({bits for _, bits in sides}) == 1 for sides in shared)


def test_edges_are_divided_in_all_their_triangles(renderer):
    state = last_state()
    reached = np.asarray(state.detail.reached)
    assert reached.any()
    captured = renderer.capture(make_surface(renderer, state))
    inner = {
        key: sides
        for key, sides in scenes.shared_edge_points(captured, state.detail.faces).items()
        if 0.0 < key[2] < 1.0
    }
    sides_of = np.bincount(np.asarray(CLIP.mesh.triangle_edges).ravel(), minlength=len(CLIP.mesh.edges))
    count = {tuple(ends): sides for ends, sides in zip(CLIP.mesh.edges.tolist(), sides_of.tolist(), strict=True)}
    assert len(inner) > 1000
    assert all(len({triangle for triangle, _ in sides}) == count[key[:2]] for key, sides in inner.items())


@pytest.mark.parametrize("gradient", list(waves.Gradient.__members__))
@pytest.mark.parametrize("profile", PROFILES)
def test_normals_of_pixels_are_those_of_the_core(renderer, profile, gradient):
    state = last_state(profile=profile, gradient=gradient)
    surface = make_surface(renderer, state)
    camera = Camera.fit(state.positions, "front", aspect=1.0)
    # What is not displaced shows the very point whose normal it has.
    style = Style(mode=Mode.normals)
    seen = renderer.measure([surface], camera, Output.position, style).reshape(-1, 4)
    normals = renderer.measure([surface], camera, Output.normal, style)[..., :3].reshape(-1, 3)
    shown = np.flatnonzero(seen[:, 3] == 1.0)
    at = scenes.places_of(seen[shown, :3].astype(np.float64), state.detail.faces, np.asarray(state.positions))
    expected = state.detail.evaluate(*at)
    assert scenes.degrees_between(expected.normals, expected.base_normals).max() > 20.0
    # On an edge the full gradient is that of either triangle.
    inside = at[1].min(axis=1) > 1e-3
    assert inside.mean() > 0.9
    apart = scenes.degrees_between(normals[shown], expected.normals)[inside]
    # A fold of the table bends the slope between two of its entries, where a millionth of a phase is seen.
    assert np.quantile(apart, 0.999) < 0.1
    assert apart.max() < 1.0


@pytest.mark.parametrize("output", [Output.position, Output.normal])
def test_a_film_draws_what_the_core_divides(output):
    state = last_state()
    fine = pucker.Subdivision(CLIP.mesh, 24)
    points = state.detail.evaluate(fine.triangles, fine.barycentrics)
    with ClipRenderer(CLIP, (160, 160), samples=0) as film:
        film.show(BENT, state)
        assert film.garment.content.method == "waves"
        style = Style(least_edge=0.0)
        seen = film.renderer.measure(film.surfaces, film.camera, output, style)
        divided = film.renderer.surface(fine.faces, len(fine.triangles))
        divided.set_positions(points.positions, points.normals)
        wanted = film.renderer.measure([divided], film.camera, output)
    there, wanted_there = (picture[..., 3] == 1.0 for picture in (seen, wanted))
    both = there & wanted_there
    assert both.sum() > 0.98 * max(there.sum(), wanted_there.sum())
    apart = np.linalg.norm(seen[both, :3] - wanted[both, :3], axis=1)
    assert np.quantile(apart, 0.98) < (2e-3 * CLIP.height if output is Output.position else 0.1)


def ramp(size=256):
    """A picture whose red grows to the right and whose green grows upwards, as PNG."""
    levels = np.linspace(0, 255, size).round().astype(np.uint8)
    pixels = np.zeros((size, size, 3), np.uint8)
    pixels[..., 0], pixels[..., 1] = levels, levels[::-1, None]
    content = BytesIO()
    Image.fromarray(pixels).save(content, "PNG")
    return content.getvalue()


def test_parallax_shifts_textures_by_the_height(renderer):
    clip = squeezed_sheet(6, 6, frames=5, compression=1.6)
    state = last_state(clip, 3, wavelength=0.3)
    faces, positions, scale = state.detail.faces, np.asarray(state.positions), 2.0
    texcoords = scale * positions[faces][..., :2]
    surface = renderer.surface(
        faces,
        len(positions),
        colours=np.full((len(faces), 4), 255),
        texcoords=texcoords,
        textures=np.zeros(len(faces), int),
        images=[ramp()],
    )
    surface.set_positions(positions)
    surface.set_detail(state.detail)
    camera = Camera.orbit(positions.mean(axis=0), 2.5, 35.0, 30.0)
    dark, white = (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)
    light = Light(key_colour=dark, fill_colour=dark, sky_colour=white, ground_colour=white, specular=0.0)
    seen = renderer.measure([surface], camera, Output.position, Style(mode=Mode.parallax)).reshape(-1, 4)
    shown = np.flatnonzero(seen[:, 3] == 1.0)
    points = seen[shown, :3].astype(np.float64)
    expected = state.detail.evaluate(*scenes.places_of(points, faces, positions))
    view = np.asarray(camera.eye) - points
    ahead = view[:, 2]
    along = view * [1.0, 1.0, 0.0]
    shift = (expected.offsets * ahead / (ahead**2 + 0.1 * (view**2).sum(axis=1)))[:, None] * along
    assert np.abs(shift).max() > 0.02

    def texture_at(mode):
        picture = renderer.render([surface], camera, Style(mode=mode, light=light, exposure=1.0))
        return picture[..., :2].reshape(-1, 2)[shown] / 255.0

    for mode, moved in ((Mode.normals, 0.0 * shift), (Mode.parallax, shift)):
        wanted = np.mod(scale * (points + moved)[:, :2], 1.0)
        inside = (np.abs(wanted - 0.5) < 0.44).all(axis=1)  # where the texture does not repeat
        assert inside.sum() > 5000
        apart = np.abs(texture_at(mode) - wanted)[inside]
        assert np.quantile(apart, 0.995) < 0.012
