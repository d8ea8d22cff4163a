"""What a camera that shows the whole character leaves out: a ground, a sky; and what it keeps in the picture."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import render_scenes as scenes

import pucker
from pucker._core import sources
from pucker._core.scene import scenery_of
from pucker.page.appearance import camera_of
from pucker.render import Camera, fitted_camera
from pucker.render.clip import points_of
from pucker.render.films import turntable

SIZE = (160, 120)
FRAMES = 3
Array = np.ndarray


def sheet(frame: int) -> Array:
    """The garment, a square of side 1 that is lifted."""
    return scenes.grid(4)[1] + [0.0, 0.1 * frame, 0.0]


def waving(frame: int) -> Array:
    """That garment, held by one corner."""
    rest = sheet(0)
    return rest + 0.1 * frame * np.array([0.0, 0.0, 1.0]) * (rest - rest[0])[:, :1]


def clip_with(
    *pieces: tuple[Array, Array | Callable[[int], Array]], garment: Callable[[int], Array] = sheet, scale: float = 1.0
) -> pucker.Clip:
    """A garment, and a body of pieces: triangles, and their places or what tells them of each frame."""
    faces, start = scenes.grid(4)[0], 25
    triangles, places = [faces], [[garment(k) for k in range(FRAMES)]]
    for piece, where in pieces:
        triangles.append(piece + start)
        places.append([where(k) if callable(where) else where for k in range(FRAMES)])
        start += len(places[-1][0])
    positions = scale * np.stack([np.concatenate([piece[k] for piece in places]) for k in range(FRAMES)])
    numbers = np.repeat([0, 1], [len(faces), sum(map(len, triangles)) - len(faces)])
    materials = [pucker.Material(name=name) for name in ("cloth", "rest")]
    character = sources.Character(start, np.concatenate(triangles), face_materials=numbers, materials=materials)
    source = sources.from_frames("sheet", "sheet", character, positions, np.arange(FRAMES) / 25.0)
    return source.load(parts=["cloth"], fps=25.0)


def ground(half: float, y: float = -0.5) -> tuple[Array, Array]:
    """A square under the sheet."""
    corners = half * np.array([[-1.0, 0.0, -1.0], [1.0, 0.0, -1.0], [1.0, 0.0, 1.0], [-1.0, 0.0, 1.0]])
    return np.array([[0, 2, 1], [0, 3, 2]]), corners + np.array([0.0, y, 0.0])


def ball(size: float, *at: float) -> tuple[Array, Array]:
    faces, corners = scenes.icosphere(1)
    return faces, size * corners + np.array(at)


def moved(piece: tuple[Array, Array], by: float = 0.05) -> tuple[Array, Callable[[int], Array]]:
    return piece[0], lambda frame: piece[1] + by * frame


def share(camera: Camera, points: Array) -> float:
    """The height that points have of a picture."""
    seen = np.c_[np.reshape(points, (-1, 3)), np.ones(points.size // 3)] @ camera.view_projection(SIZE[0] / SIZE[1]).T
    return float(0.5 * np.ptp(seen[:, 1] / seen[:, 3]))


WIDE: list[Any] = [
    pytest.param([ground(10.0)], id="ground"),
    pytest.param([ball(30.0, 0.0, 0.0, 0.0)], id="sky"),
    pytest.param([ground(10.0), ball(0.3, 9.0, 0.0, 0.0), ball(0.3, -6.0, 0.0, 4.0)], id="ground and stones"),
]
NEAR: list[Any] = [
    pytest.param([ball(0.4, 0.0, -0.7, -0.4)], id="seat"),
    pytest.param([ground(1.2)], id="plinth"),
    pytest.param([moved(ball(0.4, 3.0, 0.0, 0.0))], id="a second that moves"),
    pytest.param([moved(ground(10.0))], id="water"),
    pytest.param([moved(ball(0.2, 0.0, 0.7, 0.0)), ball(0.3, 1.2, 0.0, 0.0)], id="head and post"),
]


@pytest.mark.parametrize("scale", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("pieces", WIDE)
def test_scenery_does_not_make_the_character_small(pieces: list[Any], scale: float) -> None:
    head = moved(ball(0.2, 0.0, 0.7, 0.0))
    alone, around = clip_with(head, scale=scale), clip_with(head, *pieces, scale=scale)
    camera = fitted_camera(around, "front", SIZE, focus="all")
    wanted = fitted_camera(alone, "front", SIZE, focus="all")
    np.testing.assert_allclose(camera.eye, wanted.eye, rtol=1e-9, atol=1e-12 * scale)
    np.testing.assert_allclose(camera.target, wanted.target, rtol=1e-9, atol=1e-12 * scale)
    assert share(camera, around.positions) > 0.4
    # What is before the camera is not cut off.
    depths = (np.asarray(camera.eye) - np.reshape(around.body_positions, (-1, 3))) @ camera.axes[2]
    assert camera.far > depths.max()
    assert scenery_of(around).any()


@pytest.mark.parametrize("pieces", NEAR)
def test_what_is_near_or_moves_stays_in_the_picture(pieces: list[Any]) -> None:
    clip = clip_with(*pieces)
    assert not scenery_of(clip).any()
    camera = fitted_camera(clip, "front", SIZE, focus="all")
    for points in (clip.positions, clip.body_positions):
        assert share(camera, points) <= 1.0


def test_what_is_sewn_to_the_garment_stays_in_the_picture() -> None:
    pole = np.concatenate([sheet(0)[:1], [[-0.5, -8.0, 0.0], [-0.4, -8.0, 0.0]]])
    assert scenery_of(clip_with((np.array([[0, 1, 2]]), pole))).all()
    flag = clip_with((np.array([[0, 1, 2]]), pole), garment=waving)
    assert len(flag.shared_vertices)
    assert not scenery_of(flag).any()


def test_a_character_that_stands_still_beside_a_moving_one_is_kept(data_dir: Any) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Band"])
    # All but the band is of the character, however small the band is.
    assert not scenery_of(clip).any()


def test_pages_and_turntables_fit_what_pictures_fit(tmp_path: Any) -> None:
    head = moved(ball(0.2, 0.0, 0.7, 0.0))
    clip, alone = clip_with(head, ground(10.0)), clip_with(head)
    np.testing.assert_array_equal(points_of(clip, slice(1, 2)), points_of(alone, slice(1, 2)))
    camera = fitted_camera(clip, "front", SIZE, focus="all")
    shares = [camera_of(each, camera, np.zeros(3), "all")["camera"]["shares"] for each in (clip, alone)]
    assert shares[0] == shares[1]
    assert turntable(clip, tmp_path / "a.mp4", 1, size=(64, 48), pictures=2) == 2
