"""One character in files that other programs make of it: mirrored, scaled to nothing, or twice."""

import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pucker
from pucker import drape
from pucker._core.scene import front_of

PARTS = ["Clothes", "Band"]


@pytest.fixture
def tree(data_dir: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((data_dir / "kimono_male.gltf").read_text())
    return found


def below_a_root(tree: dict[str, Any], path: Path, **root: Any) -> Path:
    tree["nodes"].append({"name": "World", "children": tree["scenes"][0]["nodes"], **root})
    tree["scenes"][0]["nodes"] = [len(tree["nodes"]) - 1]
    path.write_text(json.dumps(tree))
    return path


def twice(tree: dict[str, Any], path: Path, at: list[float]) -> Path:
    """With a second one, whose nodes have other names and move as the first one's do."""
    nodes, skins = len(tree["nodes"]), len(tree["skins"])
    for node in tree["nodes"][:nodes]:
        other = copy.deepcopy(node)
        other["name"] += "_2"
        if "children" in other:
            other["children"] = [nodes + k for k in other["children"]]
        if "skin" in other:
            other["skin"] += skins
        tree["nodes"].append(other)
    for skin in tree["skins"][:skins]:
        other = copy.deepcopy(skin)
        other["joints"] = [nodes + k for k in other["joints"]]
        other.pop("skeleton", None)
        tree["skins"].append(other)
    for clip in tree["animations"]:
        for channel in list(clip["channels"]):
            other = copy.deepcopy(channel)
            other["target"]["node"] += nodes
            clip["channels"].append(other)
    scene = tree["scenes"][0]
    tree["nodes"].append({"name": "Second", "translation": at, "children": [nodes + k for k in scene["nodes"]]})
    scene["nodes"].append(len(tree["nodes"]) - 1)
    path.write_text(json.dumps(tree))
    return path


def test_a_mirrored_character_shows_its_face(tree: dict[str, Any], tmp_path: Path) -> None:
    """What is named left is on its right then."""
    path = below_a_root(tree, tmp_path / "mirrored.gltf", scale=[-1.0, 1.0, 1.0])
    assert front_of(pucker.load(path, clip="Walk", parts=PARTS)) == 0.0


def test_a_character_mirrored_at_its_back_looks_back(tree: dict[str, Any], tmp_path: Path) -> None:
    path = below_a_root(tree, tmp_path / "mirrored.gltf", scale=[1.0, 1.0, -1.0])
    assert front_of(pucker.load(path, clip="Walk", parts=PARTS)) == 180.0


def test_a_character_scaled_to_nothing_is_refused(tree: dict[str, Any], tmp_path: Path) -> None:
    path = below_a_root(tree, tmp_path / "nothing.gltf", scale=[0.0, 0.0, 0.0])
    told = (
        r"nothing\.gltf: what moves vertices must have a scale other than 0, but '.+' or a node above it is stored with "
        "scale 0"
    )
    with pytest.raises(pucker.Error, match=told):
        pucker.load(path, clip="Walk", parts=PARTS)


@pytest.mark.parametrize("distance", [0.5, 2.0, 50.0])
def test_two_characters_stand_as_one_does(
    tree: dict[str, Any], data_dir: Path, tmp_path: Path, distance: float
) -> None:
    one = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=PARTS)
    both = pucker.load(twice(tree, tmp_path / "two.gltf", [distance, 0.0, 0.0]), clip="Run", parts=PARTS)
    assert one.standing is not None
    assert both.standing is not None
    assert both.standing_from == one.standing_from == drape.cut_of(both).source
    np.testing.assert_allclose(np.ptp(both.standing[:, 1:], axis=0), np.ptp(one.standing[:, 1:], axis=0), atol=1e-5)


def test_scenery_beside_a_character_does_not_count(tree: dict[str, Any], data_dir: Path, tmp_path: Path) -> None:
    """A second one that no clip moves, far away and of another size."""
    one = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=PARTS)
    for material in copy.deepcopy(tree["materials"]):
        tree["materials"].append(material | {"name": f"{material['name']}_2"})
    statue = copy.deepcopy(tree["meshes"])
    for mesh in statue:
        for primitive in mesh["primitives"]:
            primitive["material"] += len(tree["materials"]) // 2
            primitive["attributes"] = {
                name: each
                for name, each in primitive["attributes"].items()
                if not name.startswith(("JOINTS", "WEIGHTS"))
            }
    first = len(tree["meshes"])
    tree["meshes"] += statue
    for k in range(len(statue)):
        tree["nodes"].append(
            {"name": f"statue {k}", "mesh": first + k, "translation": [9.0, 0.0, 0.0], "scale": [9.0] * 3}
        )
        tree["scenes"][0]["nodes"].append(len(tree["nodes"]) - 1)
    path = tmp_path / "statue.gltf"
    path.write_text(json.dumps(tree))
    beside = pucker.load(path, clip="Run", parts=PARTS)
    assert beside.standing_from == one.standing_from
