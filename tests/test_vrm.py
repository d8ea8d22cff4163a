"""Avatars in VRM, 0 and 1: what of them is suggested as cloth, and the motion of spring bones where a clip has it."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile

import pucker
from pucker.cli import cli

VRM_0: dict[str, Any] = {"VRM": {"specVersion": "0.0"}}
VRM_1: dict[str, Any] = {"VRMC_vrm": {"specVersion": "1.0"}}
VROID = {
    "Clothes": "N00_002_03_Tops_01_CLOTH (Instance)",
    "Band": "N00_001_02_Bottoms_01_CLOTH (Instance)",
    "Skin": "N00_000_00_Body_00_SKIN (Instance)",
    "Face": "N00_000_00_Face_00_SKIN (Instance)",
}
JAPANESE = {"Clothes": "着物", "Band": "帯", "Skin": "肌", "Face": "顔"}


def avatar(kimono: Path, path: Path, names: dict[str, str], extensions: dict[str, Any], *, moved: bool) -> Path:
    """The character of the data folder as a VRM: under other names, without clips unless `moved`."""
    tree = json.loads(kimono.read_text(encoding="utf-8"))
    for material in tree["materials"]:
        material["name"] = names[material["name"]]
    if not moved:
        del tree["animations"]
    tree |= {"extensions": extensions, "extensionsUsed": list(extensions)}
    content = base64.b64decode(tree["buffers"][0].pop("uri").partition(",")[2])
    content += bytes(-len(content) % 4)
    tree["buffers"][0]["byteLength"] = len(content)
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(content), b"BIN\0") + content
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


@pytest.mark.parametrize(
    ("names", "extensions"), [(VROID, VRM_0), (VROID, VRM_1), (JAPANESE, VRM_0)], ids=["vroid-0", "vroid-1", "japanese"]
)
def test_garments_of_an_avatar_are_suggested_by_their_materials(
    data_dir: Path, tmp_path: Path, names: dict[str, str], extensions: dict[str, Any]
) -> None:
    """It brings no clip: another avatar of the same skeleton lends one."""
    kimono = data_dir / "kimono_male.gltf"
    still = avatar(kimono, tmp_path / "still.vrm", names, extensions, moved=False)
    dance = avatar(kimono, tmp_path / "dance.vrm", names, extensions, moved=True)
    result = CliRunner().invoke(cli, ["info", str(still), "--motion", str(dance), "--clip", "Run", "--json"])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["suggestion"]["parts"] == [names["Clothes"], names["Band"]]
    own, lent = pucker.load(dance, clip="Walk"), pucker.load(still, motion=dance, clip="Walk")
    np.testing.assert_allclose(lent.positions, own.positions, atol=1e-6 * own.height)


SPRING_0 = {"VRM": {"secondaryAnimation": {"boneGroups": [{"stiffiness": 1.0, "bones": [1]}]}}}
SPRING_1 = VRM_1 | {"VRMC_springBone": {"specVersion": "1.0", "springs": [{"joints": [{"node": 1}]}]}}


@pytest.mark.parametrize("baked", [True, False])
@pytest.mark.parametrize(("extensions", "side"), [(SPRING_0, -1.0), (SPRING_1, 1.0)], ids=["vrm-0", "vrm-1"])
def test_spring_bones_move_as_the_clip_has_it(
    tmp_path: Path, extensions: dict[str, Any], side: float, *, baked: bool
) -> None:
    """A skirt of one triangle hangs from a spring bone, whose swing is in the clip or is not."""
    file = GltfFile()
    hips = file.node(name="J_Bip_C_Hips")
    spring = file.node(parent=hips, name="J_Sec_L_SkirtFront1", translation=[0.0, 1.0, 0.0])
    assert spring == 1
    points = np.array([[0.0, 1.0, 0.0], [0.3, 0.4, 0.0], [-0.3, 0.4, 0.0]])
    mesh = file.mesh(points, np.array([[0, 1, 2]]), np.zeros((3, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))
    bind = np.eye(4)
    bind[1, 3] = -1.0
    skin = file.add("skins", {"joints": [spring], "inverseBindMatrices": file.accessor(bind[None])})
    file.node(name="skirt", mesh=mesh, skin=skin)
    channels: dict[tuple[int, str], Any] = {(hips, "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])}
    if baked:
        channels[spring, "rotation"] = ([0.0, 1.0], [[0.0, 0.0, 0.0, 1.0], [0.6, 0.0, 0.0, 0.8]])
    file.animation("walk", channels)
    file.json["extensions"] = extensions
    file.json["extensionsUsed"] = list(extensions)
    clip = pucker.load(file.write_glb(tmp_path / "skirt.vrm"), fps=1.0)
    # About x by twice the angle whose sine is 0.6.
    cosine, sine = (0.28, 0.96) if baked else (1.0, 0.0)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, cosine, -sine], [0.0, sine, cosine]])
    pivot = np.array([0.0, 1.0, 0.0])
    expected = ((points - pivot) @ turn.T + pivot + [0.0, 0.0, 2.0]) * [side, 1.0, side]
    np.testing.assert_allclose(clip.positions[-1], expected, atol=1e-6)
