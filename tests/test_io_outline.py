"""glTF of toon characters: hulls that face inwards, which viewers without backs show as outlines, are not read."""

import base64
import copy
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pucker
from pucker.io import open_source


def with_hull(data_dir: Path, to: Path, *, name: str = "Outline", inwards: bool = True, **material: Any) -> Path:
    """The kimono in a hull: its first mesh once more, a little larger and turned inside out, as a node of its own."""
    tree: dict[str, Any] = json.loads((data_dir / "kimono_male.gltf").read_text())
    content = bytearray(base64.b64decode(tree["buffers"][0]["uri"].split(",", 1)[1]))
    number = next(node["mesh"] for node in tree["nodes"] if "skin" in node)
    tree["materials"].append({"name": name, **material})
    primitives = copy.deepcopy(tree["meshes"][number]["primitives"])
    for primitive in primitives:
        entry = tree["accessors"][primitive["indices"]]
        view = tree["bufferViews"][entry["bufferView"]]
        kind = {5121: "u1", 5123: "<u2", 5125: "<u4"}[entry["componentType"]]
        start = view.get("byteOffset", 0) + entry.get("byteOffset", 0)
        corners = np.frombuffer(bytes(content), kind, entry["count"], start).reshape(-1, 3)
        content += bytes(-len(content) % 4)
        turned = (corners[:, ::-1] if inwards else corners).astype("<u4").tobytes()
        tree["bufferViews"].append({"buffer": 0, "byteOffset": len(content), "byteLength": len(turned)})
        content += turned
        tree["accessors"].append(
            {
                "bufferView": len(tree["bufferViews"]) - 1,
                "componentType": 5125,
                "count": entry["count"],
                "type": "SCALAR",
            }
        )
        primitive |= {"indices": len(tree["accessors"]) - 1, "material": len(tree["materials"]) - 1}
    tree["meshes"].append({"name": "Hull", "primitives": primitives})
    skin = next(node["skin"] for node in tree["nodes"] if node.get("mesh") == number)
    tree["nodes"].append({"name": "Hull", "mesh": len(tree["meshes"]) - 1, "skin": skin})
    tree["scenes"][0]["nodes"].append(len(tree["nodes"]) - 1)
    tree["buffers"] = [
        {
            "byteLength": len(content),
            "uri": f"data:application/octet-stream;base64,{base64.b64encode(content).decode()}",
        }
    ]
    to.write_text(json.dumps(tree))
    return to


@pytest.mark.parametrize("name", ["Outline", "toon_outlineMat_R"])
def test_a_hull_that_faces_inwards_is_not_read(name: str, data_dir: Path, tmp_path: Path) -> None:
    plain = data_dir / "kimono_male.gltf"
    path = with_hull(data_dir, tmp_path / "toon.gltf", name=name)
    said = rf"read without the outline '{name}', a hull that faces inwards and would hide the character"
    with pytest.warns(UserWarning, match=said):
        found = pucker.inspect(path)
    assert found.triangles == pucker.inspect(plain).triangles
    assert name not in found.materials
    source = open_source(path, isolated=True)
    assert [note.split(": ", 1)[1] for note in source.notes] == [said]
    clip, alone = (
        each.load(clip="Walk", parts=["Clothes"], fps=5.0) for each in (source, open_source(plain, isolated=True))
    )
    np.testing.assert_array_equal(clip.positions, alone.positions)
    np.testing.assert_array_equal(clip.body_positions, alone.body_positions)


@pytest.mark.parametrize(
    "other", [{"name": "Coat"}, {"inwards": False}, {"doubleSided": True}], ids=["name", "outwards", "both sides"]
)
def test_what_is_no_such_hull_is_read(other: dict[str, Any], data_dir: Path, tmp_path: Path) -> None:
    path = with_hull(data_dir, tmp_path / "toon.gltf", **other)
    assert other.get("name", "Outline") in pucker.inspect(path).materials
