"""Which way a character faces, and the camera before it."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pucker
from pucker._core.scene import front_of
from pucker.render import Camera, ClipRenderer, fitted_camera
from pucker.render.clip import seen_from

SIZE = (160, 120)
PARTS = ["Clothes", "Band"]


def turned(path: Path, degrees: float, to: Path, rename: dict[str, str] | None = None) -> Path:
    """A glTF below a node that is turned round y."""
    content: dict[str, Any] = json.loads(path.read_text())
    half = np.radians(degrees) / 2.0
    scene = content["scenes"][0]
    node = {"name": "turn", "rotation": [0.0, np.sin(half), 0.0, np.cos(half)], "children": scene["nodes"]}
    content["nodes"].append(node)
    scene["nodes"] = [len(content["nodes"]) - 1]
    for each in content["nodes"]:
        for old, new in (rename or {}).items():
            each["name"] = each["name"].replace(old, new)
    to.write_text(json.dumps(content))
    return to


@pytest.fixture(scope="module")
def clip(data_dir: Path) -> pucker.Clip:
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=PARTS)


@pytest.mark.parametrize("degrees", [0, 90, -90, 180, 130, -30])
def test_a_turned_character_faces_the_nearest_quarter(degrees: float, data_dir: Path, tmp_path: Path) -> None:
    path = turned(data_dir / "kimono_male.gltf", degrees, tmp_path / "turned.gltf")
    found = front_of(pucker.load(path, clip="Walk", parts=PARTS))
    assert found == 90.0 * round(degrees / 90.0)


@pytest.mark.parametrize(
    "names",
    [
        {".L": "_l", ".R": "_r"},
        {"Foot.L": "LeftFoot", "Foot.R": "RightFoot"},
        {"UpperLeg.L": "左足", "UpperLeg.R": "右足", ".L": "", ".R": "."},
    ],
)
def test_sides_are_known_by_many_names(names: dict[str, str], data_dir: Path, tmp_path: Path) -> None:
    path = turned(data_dir / "kimono_male.gltf", 180.0, tmp_path / "turned.gltf", names)
    assert front_of(pucker.load(path, clip="Walk", parts=PARTS)) == 180.0


def test_a_subdivided_character_faces_as_the_one_it_was_made_of(data_dir: Path, tmp_path: Path) -> None:
    path = turned(data_dir / "kimono_male.gltf", 180.0, tmp_path / "turned.gltf")
    coarse = pucker.load(path, clip="Walk", parts=PARTS)
    for smooth in (coarse.smoothed(1), coarse.with_smooth_body(1), pucker.load(path, clip="Walk", smooth=1)):
        assert front_of(smooth) == 180.0
        assert front_of(smooth.beginning(3)) == 180.0
        assert front_of(pickle.loads(pickle.dumps(smooth))) == 180.0


def test_toes_say_more_than_sides(data_dir: Path) -> None:
    mage = pucker.load(data_dir / "mage.glb", clip="Idle")
    assert {"toes.l", "foot.l"} <= set(mage.skeleton.nodes)
    assert front_of(mage) == 0.0


def test_no_name_tells(data_dir: Path, tmp_path: Path, clip: pucker.Clip) -> None:
    names = {".L": ".one", ".R": ".other"}
    path = turned(data_dir / "kimono_male.gltf", 180.0, tmp_path / "turned.gltf", names)
    assert front_of(pucker.load(path, clip="Walk", parts=PARTS)) == 0.0
    assert front_of(pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times)) == 0.0


@pytest.mark.parametrize("view", ["three-quarter", "front", (20.0, 5.0)])
def test_cameras_go_round_with_the_character(
    view: str | tuple[float, float], data_dir: Path, tmp_path: Path, clip: pucker.Clip
) -> None:
    path = turned(data_dir / "kimono_male.gltf", 180.0, tmp_path / "turned.gltf")
    backwards = pucker.load(path, clip="Walk", parts=PARTS)
    before, behind = fitted_camera(clip, view, SIZE), fitted_camera(backwards, view, SIZE)
    np.testing.assert_allclose(behind.eye, np.multiply(before.eye, (-1.0, 1.0, -1.0)), atol=1e-4 * clip.height)
    np.testing.assert_allclose(seen_from(backwards, view), np.add(seen_from(clip, view), (180.0, 0.0)))
    with ClipRenderer(clip, SIZE, view=view) as one, ClipRenderer(backwards, SIZE, view=view) as other:
        difference = np.abs(one.frame(3).astype(float) - other.frame(3))
    assert difference.mean() < 0.5


def test_a_camera_of_some_frames(clip: pucker.Clip) -> None:
    for focus in ("cloth", "all"):
        camera = fitted_camera(clip, "front", SIZE, focus=focus, frames=(3, 4))
        points = [clip.positions[3:5].reshape(-1, 3)]
        if focus == "all":
            points.append(clip.body_positions[3:5].reshape(-1, 3))
        alone = Camera.fit(np.concatenate(points), "front", aspect=SIZE[0] / SIZE[1])
        assert (camera.eye, camera.target) == (alone.eye, alone.target)
    whole = fitted_camera(clip, "front", SIZE, frames=(0, len(clip) - 1))
    assert whole == fitted_camera(clip, "front", SIZE)
    for frames in ((0, len(clip)), (-1, 2), (3, 2)):
        with pytest.raises(ValueError, match=rf"frames must lie in \[0, {len(clip)}\) and rise, not {frames[0]} to "):
            fitted_camera(clip, "front", SIZE, frames=frames)
