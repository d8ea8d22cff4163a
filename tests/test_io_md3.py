"""Players of MD3 files, joined by their tags, and the pictures that .skin files name."""

import struct
from pathlib import Path

import numpy as np
import pytest
from gltf_oracle import rotation
from numpy.typing import NDArray

import pucker

Array = NDArray[np.float64]


class Md3:
    """A model of one surface with random vertices and tags."""

    def __init__(self, rng: np.random.Generator, name: str, frames: int, tags: tuple[str, ...], vertices: int) -> None:
        self.name, self.frames, self.tags = name, frames, tags
        self.stored = rng.integers(-2000, 2000, (frames, vertices, 3), np.int16)
        self.origins = rng.normal(size=(frames, len(tags), 3)).astype(np.float32)
        turns = [rotation(rng.normal(size=4)) for _ in range(frames * len(tags))]
        self.turns = np.array(turns, np.float32).reshape(frames, len(tags), 3, 3)  # columns are the axes

    def place(self, tag: str, frame: int) -> Array:
        k = self.tags.index(tag)
        out = np.eye(4)
        out[:3, :3], out[:3, 3] = self.turns[frame, k], self.origins[frame, k]
        return out

    def positions(self, frame: int, place: Array) -> Array:
        points = self.stored[frame] / 64.0
        return np.asarray((points @ place[:3, :3].T + place[:3, 3])[:, [1, 2, 0]])

    def write(self, path: Path) -> Path:
        def named(text: str) -> bytes:
            return text.encode().ljust(64, b"\0")

        vertices = self.stored.shape[1]
        triangles = np.arange(vertices, dtype="<i4").tobytes()
        shader = named(f"models/{self.name}.tga") + bytes(4)
        uv = bytes(8 * vertices)
        points = np.concatenate([self.stored, np.zeros((self.frames, vertices, 1), np.int16)], axis=2).tobytes()
        at = np.cumsum([108, len(triangles), len(shader), len(uv), len(points)]).tolist()
        surface = b"IDP3" + named(f"{self.name[0]}_{self.name}")
        surface += (
            struct.pack("<10i", 0, self.frames, 1, vertices, vertices // 3, *at) + triangles + shader + uv + points
        )
        frames = bytes(56 * self.frames)
        tags = b""
        for frame in range(self.frames):
            for k, tag in enumerate(self.tags):
                axes = self.turns[frame, k].T.astype("<f4").tobytes()
                tags += named(tag) + self.origins[frame, k].astype("<f4").tobytes() + axes
        ends = np.cumsum([108, len(frames), len(tags), len(surface)]).tolist()
        header = b"IDP3" + struct.pack("<i", 15) + named(self.name)
        header += struct.pack("<9i", 0, self.frames, len(self.tags), 1, 0, *ends)
        path.write_bytes(header + frames + tags + surface)
        return path


@pytest.fixture
def player(rng: np.random.Generator) -> dict[str, Md3]:
    return {
        "lower": Md3(rng, "lower", 6, ("tag_other", "tag_torso"), 9),
        "upper": Md3(rng, "upper", 4, ("tag_weapon", "tag_head"), 6),
        "head": Md3(rng, "head", 1, (), 3),
    }


def expected(player: dict[str, Md3], frame: int) -> dict[str, Array]:
    at = {name: min(frame, model.frames - 1) for name, model in player.items()}
    torso = player["lower"].place("tag_torso", at["lower"])
    head = torso @ player["upper"].place("tag_head", at["upper"])
    places = {"lower": np.eye(4), "upper": torso, "head": head}
    return {name: model.positions(at[name], places[name]) for name, model in player.items()}


@pytest.mark.parametrize("given", ["lower", "upper", "head"])
@pytest.mark.parametrize("cased", [False, True])
def test_a_player_is_joined_by_its_tags_whatever_part_is_given(
    tmp_path: Path, player: dict[str, Md3], given: str, cased: bool
) -> None:
    for name, model in player.items():
        model.write(tmp_path / f"{name.capitalize() if cased else name}.md3")
    path = tmp_path / f"{given.capitalize() if cased else given}.md3"
    info = pucker.inspect(path)
    assert info.nodes == {"l_lower": 3, "u_upper": 2, "h_head": 1}
    for name, model in player.items():
        clip = pucker.load(path, parts=[f"{name[0]}_{name}"], fps=15)
        assert len(clip) == player[given].frames
        for frame in clip:
            whole = expected(player, frame.index)
            assert np.abs(frame.positions[clip.weld] - whole[name]).max() < 1e-9
            rest = np.concatenate([points for other, points in whole.items() if other != name])
            assert np.abs(frame.body_positions - rest).max() < 1e-9
        assert len(clip.weld) == model.stored.shape[1]


def test_a_part_chooses_all_surfaces_of_a_model(tmp_path: Path, player: dict[str, Md3]) -> None:
    for name, model in player.items():
        model.write(tmp_path / f"{name}.md3")
    assert len(pucker.load(tmp_path / "head.md3", parts=["upper", "head"]).faces) == 3


@pytest.mark.parametrize(
    ("there", "given", "joined"),
    [
        (["lower", "head"], "lower", ["lower"]),
        (["lower", "head"], "head", ["head"]),
        (["upper", "head"], "upper", ["upper", "head"]),
        (["lower", "upper"], "upper", ["lower", "upper"]),
    ],
)
def test_what_is_missing_is_left_out(
    tmp_path: Path, player: dict[str, Md3], there: list[str], given: str, joined: list[str]
) -> None:
    for name in there:
        player[name].write(tmp_path / f"{name}.md3")
    assert list(pucker.inspect(tmp_path / f"{given}.md3").nodes) == [f"{name[0]}_{name}" for name in joined]


def test_models_of_other_names_stay_alone(tmp_path: Path, player: dict[str, Md3]) -> None:
    for name, model in player.items():
        model.write(tmp_path / f"robot_{name}.md3")
    assert list(pucker.inspect(tmp_path / "robot_lower.md3").nodes) == ["l_lower"]


def test_damaged_neighbour_is_named(tmp_path: Path, player: dict[str, Md3]) -> None:
    player["lower"].write(tmp_path / "lower.md3")
    (tmp_path / "upper.md3").write_bytes(b"IDP3")
    with pytest.raises(pucker.Error, match=r"upper\.md3: is truncated or damaged"):
        pucker.load(tmp_path / "lower.md3")


def test_missing_model_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(pucker.Error, match=r"lower\.md3: no such file"):
        pucker.load(tmp_path / "lower.md3")


# Clips

CONFIG = """// animation config
sex m
0 2 0 10 // BOTH_DEATH1
2 1 1 20 // TORSO_GESTURE
3 1 0 15 // TORSO_STAND
4 2 2 20 // LEGS_WALK
6 1 1 12	// LEGS_IDLE
7 90 0 10 // LEGS_SWIM
"""


def test_clips_are_those_that_animation_cfg_names(tmp_path: Path, player: dict[str, Md3]) -> None:
    for name, model in player.items():
        model.write(tmp_path / f"{name}.md3")
    (tmp_path / "animation.cfg").write_text(CONFIG)
    # One that stands first; frames of the legs are counted without those of the torso, and those that are not there left out.
    assert list(pucker.inspect(tmp_path / "lower.md3").clips) == ["LEGS_IDLE", "LEGS_WALK", "BOTH_DEATH1", "all"]
    assert list(pucker.inspect(tmp_path / "upper.md3").clips) == ["TORSO_STAND", "BOTH_DEATH1", "TORSO_GESTURE", "all"]
    clip = pucker.load(tmp_path / "lower.md3", clip="LEGS_WALK", parts=["l_lower"], fps=20)
    assert len(clip) == 2
    for frame, stored in zip(clip, (2, 3), strict=True):
        assert np.abs(frame.positions[clip.weld] - player["lower"].positions(stored, np.eye(4))).max() < 1e-9
        # Its torso stands meanwhile.
        torso = player["lower"].place("tag_torso", stored)
        upper = player["upper"].positions(3, torso)
        assert np.abs(frame.body_positions[: len(upper)] - upper).max() < 1e-9
    assert len(pucker.load(tmp_path / "lower.md3", clip="BOTH_DEATH1", fps=10)) == 2
    assert len(pucker.load(tmp_path / "lower.md3", clip="1:3", fps=15)) == 3
    with pytest.raises(
        ValueError, match="no clip is named 'LEGS_SWIM'; there are: LEGS_IDLE, LEGS_WALK, BOTH_DEATH1, all"
    ):
        pucker.load(tmp_path / "lower.md3", clip="LEGS_SWIM")


@pytest.mark.parametrize(
    "text", ["", "0 1\n", "-5 2 0 10\n1e9 4 0 10\n0 0 0 10 // BOTH_DEAD1\n", "nan nan nan nan\n", "\0" * 99]
)
def test_configs_of_something_else_are_left_alone(tmp_path: Path, player: dict[str, Md3], text: str) -> None:
    path = player["lower"].write(tmp_path / "lower.md3")
    (tmp_path / "animation.cfg").write_text(text)
    assert list(pucker.inspect(path).clips) == ["all"]


def test_clips_without_names_have_those_of_the_game(tmp_path: Path, player: dict[str, Md3]) -> None:
    path = player["lower"].write(tmp_path / "lower.md3")
    (tmp_path / "animation.cfg").write_text("0 2 0 10\n2 1 0 0\n1 -2 0 10\n")
    assert list(pucker.inspect(path).clips) == ["BOTH_DEATH1", "BOTH_DEAD1", "BOTH_DEATH2", "all"]


# Skins


@pytest.mark.parametrize(
    ("skins", "picture"),
    [
        ({}, "lower"),
        ({"lower_default.skin": "L_LOWER,models/players/robot/grey.tga\ntag_torso,\n"}, "grey"),
        ({"lower_red.skin": "l_lower,models/red.tga", "lower_default.skin": 'l_lower, "grey"\r\n'}, "grey"),
        ({"lower_red.skin": "l_lower,models/red.tga", "lower_blue.skin": "l_lower,blue.png"}, "blue"),
        ({"upper_default.skin": "l_lower,grey.tga"}, "lower"),
        ({"lower_default.skin": "no picture here\nother,grey.tga"}, "lower"),
    ],
)
@pytest.mark.parametrize("suffix", [".tga", ".jpg", ".png"])
def test_skins_name_the_pictures_beside_a_model(
    tmp_path: Path, player: dict[str, Md3], skins: dict[str, str], picture: str, suffix: str
) -> None:
    path = player["lower"].write(tmp_path / "lower.md3")
    for name, text in skins.items():
        (tmp_path / name).write_text(text)
    if picture == "blue":
        suffix = ".png"
    (tmp_path / (picture + suffix)).write_bytes(picture.encode())
    (material,) = pucker.load(path).material_list
    assert Path(material.texture_name).stem == picture
    assert material.texture == picture.encode()
    assert material.name == "l_lower"
