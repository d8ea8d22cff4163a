"""Detail that is evaluated at the points of a grid: against the core, over edges, and pictures against those of every pixel."""

from typing import NamedTuple

import numpy as np
import pytest
import render_scenes as scenes
from scipy import ndimage

import pucker
from pucker._core import draw
from pucker.method import Detail
from pucker.render import Camera, DrawnSurface, Light, Mode, Output, Renderer, Style, execution

PICTURE_SIDE = 640
USUAL = Style()
GRAZING = Light(key_direction=(-0.95, 0.2, 0.25), sky_colour=(0.1, 0.1, 0.1), attached=True)
DISPLACED = [Mode.displacement, Mode.both]

pytestmark = pytest.mark.usefixtures("no_gl_error")


class Scene(NamedTuple):
    profile: str
    surface: DrawnSurface
    detail: Detail
    faces: np.ndarray


@pytest.fixture(params=["bspline", "wave"])
def scene(request, renderer):
    """A ball with wrinkles in places."""
    return made_scene(request.param, renderer)


def made_scene(profile, renderer):
    faces, positions, paths = scenes.sphere_scene(3)
    packed = scenes.pack_where_reached(faces, positions, paths)
    assert (packed.triangles[:, 0] == 0).any()
    detail = pucker.PathDetail(
        pucker.Mesh(faces, len(positions)), positions, packed, profile=pucker.Profile.__members__[profile]
    )
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    surface.set_detail(detail)
    return Scene(profile, surface, detail, faces)


def camera_of(scene, pixels=10.0, direction=(30.0, 20.0)):
    """A camera that sees the pieces of edges so many pixels long, whatever part of the surface is in sight then."""
    middle = scene.surface.content.positions.mean(axis=0)
    near = Camera.orbit(middle, 1.0, *direction)
    wanted = scene.surface.target_edge / pixels
    return Camera.orbit(middle, wanted / near.pixel_size(PICTURE_SIDE), *direction)


def steps_of(scene, camera, style=USUAL, size=(PICTURE_SIDE, PICTURE_SIDE), output=Output.shaded):
    scene.surface.send()
    return draw.picture([scene.surface.content], camera, style, size, output, []).steps


def is_laid(scene, camera, style=USUAL, **options):
    """Whether what is drawn is interpolated on a grid."""
    return any(step.constants.get("gridded") for step in steps_of(scene, camera, style, **options))


def unpacked(bits):
    """Unit vectors of octahedral coordinates of 16 bits."""
    at = np.ascontiguousarray(bits).view(np.int16).reshape(-1, 2) / 32767.0
    z = 1.0 - np.abs(at).sum(axis=1)
    at = np.where(z[:, None] < 0.0, (1.0 - np.abs(at[:, ::-1])) * np.where(at < 0.0, -1.0, 1.0), at)
    found = np.column_stack([at, z])
    return found / np.linalg.norm(found, axis=1)[:, None]


def grids_of(renderer, scene):
    """Of each triangle with points: number, levels, points inside, and barycentric coordinates, displacements and normals."""
    words = renderer.read(scene.surface, "Grid", np.uint32)
    heads = words[words[0] :].reshape(-1, 3)
    assert len(heads) == len(scene.faces)
    number = 0
    while 1 + 4 * number + 2 < words[2] and words[1 + 4 * number + 1] < words[0]:
        triangle, first, side, packed = words[1 + 4 * number :][:4].astype(int)
        end = words[1 + 4 * number + 5]
        assert (heads[triangle] == (first, side, packed)).all()
        number += 1
        if side == 0:
            assert end == first + 4
            continue
        levels = [packed >> 8 * k & 255 for k in range(3)]
        at = [np.array([(side - i - j, i, j) for j in range(side + 1) for i in range(side + 1 - j)]) / side]
        for k, level in enumerate(levels):
            along = np.zeros((level - 1, 3))
            along[:, k], along[:, (k + 1) % 3] = np.arange(level - 1, 0, -1) / level, np.arange(1, level) / level
            at.append(along)
        points = words[first:end].reshape(-1, 4)
        yield triangle, levels, len(at[0]), np.concatenate(at), points[:, :3].view(np.float32), unpacked(points[:, 3])


def test_points_are_those_of_the_core(renderer, scene):
    renderer.render([scene.surface], camera_of(scene))
    count = moved = 0
    for triangle, _, _, barycentric, displacements, normals in grids_of(renderer, scene):
        expected = scene.detail.evaluate(np.full(len(barycentric), triangle), barycentric)
        np.testing.assert_allclose(displacements, expected.displacements, atol=2e-5)
        assert np.median(scenes.degrees_between(normals, expected.normals)) < 0.05
        count += len(barycentric)
        moved += (np.abs(expected.offsets) > 1e-3).sum()
    assert count > 5000
    assert moved > 0.1 * count


def test_both_triangles_of_an_edge_place_its_points_at_the_same_bits(renderer, scene):
    renderer.render([scene.surface], camera_of(scene))
    edges = {}
    for triangle, levels, inside, _, displacements, _ in grids_of(renderer, scene):
        rows = np.split(displacements[inside:], np.cumsum(np.array(levels) - 1)[:2])
        for k, row in enumerate(rows):
            a, b = int(scene.faces[triangle, k]), int(scene.faces[triangle, (k + 1) % 3])
            edges.setdefault((min(a, b), max(a, b)), []).append((row if a < b else row[::-1]).tobytes())
    shared = [sides for sides in edges.values() if len(sides) == 2]
    assert len(shared) > 100
    assert all(one == other for one, other in shared)


@pytest.mark.parametrize("mode", [Mode.normals, *DISPLACED, Mode.parallax])
def test_pictures_are_those_whose_every_pixel_is_evaluated(renderer, scene, mode, monkeypatch):
    camera, style = camera_of(scene, 9.0), Style(mode=mode, light=GRAZING, shadows=True, occlusion=True)
    picture = renderer.render([scene.surface], camera, style).astype(int)
    assert is_laid(scene, camera, style)
    stages = execution.stages
    monkeypatch.setattr(execution, "stages", lambda name, constants: stages(name, constants | {"gridded": 0}))
    with Renderer((PICTURE_SIDE, PICTURE_SIDE), samples=0) as exact:
        surface = made_scene(scene.profile, exact).surface
        reference = exact.render([surface], camera, style).astype(int)
        flat = exact.render([surface], camera, Style(mode=Mode.base, light=GRAZING)).astype(int)
    covered = reference[..., 3] > 0
    off = np.abs(picture - reference)[covered][:, :3]
    assert covered.sum() > 20_000
    assert np.abs(flat - reference)[covered].mean() > 8.0 * off.mean()
    assert (off.max(axis=1) > 16).mean() < 0.01


@pytest.mark.parametrize("mode", DISPLACED)
@pytest.mark.parametrize("direction", [(0.0, 0.0), (70.0, 30.0), (200.0, -50.0)])
def test_no_hole_is_seen(renderer, mode, direction):
    # Without the far half of the ball, through a crack the background would be seen.
    faces, positions, paths = scenes.sphere_scene(6)
    towards = np.asarray(Camera.orbit((0.0, 0.0, 0.0), 1.0, *direction).eye)
    faces = faces[positions[faces].mean(axis=1) @ towards > 0.2]
    surface = renderer.surface(faces, len(positions))
    surface.set_positions(positions)
    scenes.wrinkle(surface, scenes.pack_where_reached(faces, positions, paths))
    camera = Camera.orbit((0.0, 0.0, 0.0), 5.0, *direction)
    seen = Scene("bspline", surface, None, faces)
    covered = renderer.render([surface], camera, Style(mode=mode))[..., 3] > 0
    assert is_laid(seen, camera, Style(mode=mode))
    assert covered.sum() > 50_000
    assert (ndimage.binary_fill_holes(covered) == covered).all()


def test_what_is_seen_from_far_or_near_or_measured_is_evaluated_at_every_pixel(renderer, scene):
    assert is_laid(scene, camera_of(scene))
    assert is_laid(scene, camera_of(scene), Style(mode=Mode.normals))
    assert not is_laid(scene, camera_of(scene, 4.0))
    assert not is_laid(scene, camera_of(scene, 30.0))
    assert not is_laid(scene, camera_of(scene), Style(mode=Mode.base))
    assert not is_laid(scene, camera_of(scene), output=Output.normal)
    # More points than two fifths of the pixels.
    few = (60, PICTURE_SIDE)
    assert not is_laid(scene, camera_of(scene), size=few)


def test_points_are_evaluated_once_for_a_detail_and_again_for_another_grid(renderer, scene):
    def evaluates(pixels):
        return any(step.program.endswith("/grid") for step in steps_of(scene, camera_of(scene, pixels)))

    assert [evaluates(pixels) for pixels in (8.0, 9.0, 13.0, 13.0, 8.0)] == [True, False, True, False, True]
    scene.surface.set_detail(scene.detail)
    assert evaluates(8.0)
