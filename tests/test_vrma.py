"""VRM Animations on avatars in VRM, by the bones that both name as those of a human."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from humanoids import IDENTITY, PLACES, Human, by_node, random_turns
from numpy.typing import NDArray

import pucker
from pucker.cli import cli

# Keys and vertices are float32.
NEAR = 2e-6
TURNS = random_turns(1, 1.2)
WAY = np.array([0.3, -0.2, 0.5])
STILL = np.zeros(3)
PLAIN = Human()
DANCER = Human(size=0.8, rest=random_turns(2, 3.0))


def of_vrm_1(bones: Any) -> dict[str, Any]:
    return {"VRMC_vrm": {"specVersion": "1.0", "humanoid": {"humanBones": bones}}}


def last(character: Path, motion: Path) -> NDArray[np.float64]:
    """The stored vertices in the last frame of the motion."""
    clip = pucker.load(character, motion=motion, fps=1.0)
    assert len(clip) == 2
    return np.asarray(clip.positions[-1][clip.weld])


@pytest.mark.parametrize("version", [0, 1])
@pytest.mark.parametrize("source", [PLAIN, DANCER], ids=["plain", "turned"])
@pytest.mark.parametrize(
    "human",
    [
        Human(size=1.3),
        Human(size=0.4, rest=random_turns(3, 3.0)),
        Human(rest=random_turns(4, 2.0), without=("upperChest", "neck")),
    ],
    ids=["plain", "turned", "fewer"],
)
def test_each_bone_turns_in_the_world_as_the_clip_turns_its_own(
    tmp_path: Path, human: Human, source: Human, version: int
) -> None:
    human = Human(human.size, human.rest, human.without, version)
    character = human.character(tmp_path / "girl.vrm")
    motion = source.motion(tmp_path / "dance.vrma", TURNS, WAY)
    np.testing.assert_allclose(last(character, motion), human.moved(source, TURNS, WAY), atol=NEAR)


def test_a_bone_that_the_clip_lacks_stays_on_the_one_above(tmp_path: Path) -> None:
    human = Human(rest=random_turns(3, 3.0))
    source = Human(rest=random_turns(5, 3.0), without=("upperChest", "chest", "leftHand", "leftThumbMetacarpal"))
    character = human.character(tmp_path / "girl.vrm")
    motion = source.motion(tmp_path / "dance.vrma", TURNS, WAY)
    np.testing.assert_allclose(last(character, motion), human.moved(source, TURNS, WAY), atol=NEAR)


@pytest.mark.parametrize("version", [0, 1])
def test_a_clip_that_turns_nothing_leaves_the_rest_pose(tmp_path: Path, version: int) -> None:
    human = Human(size=1.7, rest=random_turns(6, 3.0), version=version)
    character = human.character(tmp_path / "girl.vrm")
    still = DANCER.motion(tmp_path / "still.vrma", dict.fromkeys(PLACES, IDENTITY), STILL)
    clip = pucker.load(character, motion=still, fps=1.0)
    assert clip.rest is not None
    for positions in clip.positions:
        np.testing.assert_allclose(positions, clip.rest, atol=NEAR)


def test_the_way_of_the_hips_is_scaled_by_their_height(tmp_path: Path) -> None:
    tall = Human(size=2.0)
    character = tall.character(tmp_path / "girl.vrm")
    motion = PLAIN.motion(tmp_path / "walk.vrma", {}, WAY)
    clip = pucker.load(character, motion=motion, fps=1.0)
    assert clip.rest is not None
    np.testing.assert_allclose(
        clip.positions[1] - clip.positions[0], np.broadcast_to(2.0 * WAY, clip.rest.shape), atol=NEAR
    )


def test_vrm_0_and_vrm_1_of_one_character_move_alike(tmp_path: Path) -> None:
    """Triangles apart, which the helper makes alike in the file."""
    motion = DANCER.motion(tmp_path / "dance.vrma", TURNS, WAY)
    old, new = (Human(version=version, rest=DANCER.rest) for version in (0, 1))
    corners = [last(each.character(tmp_path / f"{each.version}.vrm"), motion)[::3] for each in (old, new)]
    np.testing.assert_allclose(corners[0], corners[1], atol=NEAR)


@pytest.mark.parametrize(
    ("root", "factor", "offset"),
    [
        ({"scale": [-1.0, 1.0, 1.0]}, [-1.0, 1.0, 1.0], 0.0),
        ({"scale": [2.5, 2.5, 2.5]}, 2.5, 0.0),
        ({"translation": [5.0, 0.0, 0.0]}, 1.0, [5.0, 0.0, 0.0]),
    ],
    ids=["mirrored", "scaled", "moved"],
)
def test_the_root_of_a_character_takes_the_motion_along(
    tmp_path: Path, root: dict[str, Any], factor: Any, offset: Any
) -> None:
    motion = DANCER.motion(tmp_path / "dance.vrma", TURNS, STILL)
    found = last(Human(rest=DANCER.rest, root=root).character(tmp_path / "girl.vrm"), motion)
    expected = Human(rest=DANCER.rest).moved(DANCER, TURNS, STILL) * factor + offset
    np.testing.assert_allclose(found, expected, atol=5e-6)


def test_turns_are_those_of_the_world_whatever_the_root(tmp_path: Path) -> None:
    """What looks back below a root that is turned, as the extension of a VRM 0 turns it."""
    motion = DANCER.motion(tmp_path / "dance.vrma", TURNS, WAY)
    back = Human(rest=DANCER.rest, version=0, root={"rotation": [0.0, 1.0, 0.0, 0.0]})
    bones = by_node({bone: 2 + k for k, bone in enumerate(back.bones())})
    found = last(back.character(tmp_path / "girl.vrm", of_vrm_1(bones)), motion)
    np.testing.assert_allclose(found, back.moved(DANCER, TURNS, WAY), atol=NEAR)


@pytest.mark.parametrize("name", ["", "bone"])
def test_nodes_are_found_whatever_their_names(tmp_path: Path, name: str) -> None:
    human = Human(rest=random_turns(3, 3.0), root={"rotation": [0.0, 0.0, 0.0, 1.0]})
    motion = DANCER.motion(tmp_path / "dance.vrma", TURNS, WAY, name=name)
    found = last(human.character(tmp_path / "girl.vrm"), motion)
    np.testing.assert_allclose(found, human.moved(DANCER, TURNS, WAY), atol=NEAR)


def test_commands_take_it(tmp_path: Path) -> None:
    character = PLAIN.character(tmp_path / "girl.vrm")
    motion = DANCER.motion(tmp_path / "dance.vrma", TURNS, WAY)
    result = CliRunner().invoke(cli, ["info", str(character), "--motion", str(motion)])
    assert result.exit_code == 0, result.output
    assert "dance" in result.output
    alone = CliRunner().invoke(cli, ["info", str(motion)])
    assert alone.exit_code != 0
    assert "is a VRM Animation, which has no mesh; it moves a character in VRM (motion=, --motion)" in alone.output


def test_a_glb_of_the_same_extension_is_one_too(tmp_path: Path) -> None:
    motion = DANCER.motion(tmp_path / "dance.glb", TURNS, WAY)
    human = Human(rest=random_turns(3, 3.0))
    found = last(human.character(tmp_path / "girl.vrm"), motion)
    np.testing.assert_allclose(found, human.moved(DANCER, TURNS, WAY), atol=NEAR)


NODES = {bone: 1 + k for k, bone in enumerate(PLACES)}


@pytest.mark.parametrize(
    ("extensions", "told"),
    [
        ({}, r"dance\.vrma: is a VRM Animation, .*girl\.vrm has neither the extension VRM nor VRMC_vrm"),
        (of_vrm_1([1, 2]), r"girl\.vrm: VRMC_vrm\.humanoid\.humanBones must be an object of bones"),
        (of_vrm_1(None), r"girl\.vrm: VRMC_vrm\.humanoid\.humanBones must be an object of bones"),
        ({"VRM": {"humanoid": {"humanBones": {}}}}, r"VRM\.humanoid\.humanBones must be a list of bones and nodes"),
        ({"VRM": {"humanoid": {"humanBones": [{}]}}}, r"VRM\.humanoid\.humanBones must be a list of bones and nodes"),
        (of_vrm_1(by_node({**NODES, "head": 99})), r"the node of 'head' must be one of the scene's 23, got 99"),
        (of_vrm_1(by_node({**NODES, "head": 0})), r"the node of 'head' must be one of the scene's 23, got 0"),
        (of_vrm_1({"head": {"node": "six"}}), r"the node of 'head' must be one of the scene's 23, got \"six\""),
        (of_vrm_1({"head": 6}), r"the node of 'head' must be one of the scene's 23, got null"),
        (
            of_vrm_1(by_node({**NODES, "head": 1})),
            r"each bone must have a node of its own, but node 1 is 'hips' and 'head'",
        ),
        (
            of_vrm_1(by_node({"hips": 1, "spine": 2, "head": 6})),
            r"girl\.vrm: VRMC_vrm\.humanoid\.humanBones lacks bones that VRM requires: leftUpperLeg, leftLowerLeg, ",
        ),
    ],
)
def test_a_character_without_the_bones_is_refused(tmp_path: Path, extensions: dict[str, Any], told: str) -> None:
    character = PLAIN.character(tmp_path / "girl.vrm", extensions)
    motion = PLAIN.motion(tmp_path / "dance.vrma", TURNS, WAY)
    with pytest.raises(pucker.Error, match=told):
        pucker.load(character, motion=motion)
    # Without the motion its extension does not matter.
    assert pucker.inspect(character).clips == {}


@pytest.mark.parametrize(
    ("bones", "told"),
    [
        ({}, r"dance\.vrma: VRMC_vrm_animation\.humanoid\.humanBones must name the hips"),
        (3, r"dance\.vrma: VRMC_vrm_animation\.humanoid\.humanBones must be an object of bones"),
        ({"hips": {"node": -1}}, r"dance\.vrma: VRMC_vrm_animation\..* the node of 'hips' must be .* got -1"),
    ],
)
def test_a_motion_without_the_bones_is_refused(tmp_path: Path, bones: Any, told: str) -> None:
    character = PLAIN.character(tmp_path / "girl.vrm")
    extensions = {"VRMC_vrm_animation": {"humanoid": {"humanBones": bones}}}
    motion = PLAIN.motion(tmp_path / "dance.vrma", TURNS, WAY, extensions)
    with pytest.raises(pucker.Error, match=told):
        pucker.load(character, motion=motion)


def test_hips_on_the_ground_are_refused(tmp_path: Path) -> None:
    low = Human(root={"translation": [0.0, -1.5, 0.0]})
    motion = PLAIN.motion(tmp_path / "dance.vrma", TURNS, WAY)
    with pytest.raises(pucker.Error, match=r"girl\.vrm: the hips at rest must be above y = 0, .* got y = -0\.5"):
        pucker.load(low.character(tmp_path / "girl.vrm"), motion=motion)
