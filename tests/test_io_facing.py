"""Which way characters look: along +z, whatever their files have."""

from pathlib import Path

import numpy as np
import pytest
from gltf_writer import GltfFile

import pucker

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.2]])
HALF_TURN = np.array([-1.0, 1.0, -1.0])


def character(path: Path, extensions: dict[str, object], *, skinned: bool) -> Path:
    """A triangle that the one node of the scene moves, by a skin or because it hangs on it."""
    file = GltfFile()
    hips = file.node(name="hips", translation=[0.1, 0.2, 0.3])
    if skinned:
        mesh = file.mesh(POINTS, np.array([[0, 1, 2]]), np.zeros((3, 4), int), np.tile([1.0, 0.0, 0.0, 0.0], (3, 1)))
        bound = np.eye(4)
        bound[:3, 3] = [0.0, -0.5, 0.0]
        skin = file.add("skins", {"joints": [hips], "inverseBindMatrices": file.accessor(bound[None])})
        file.node(parent=hips, name="sheet", mesh=mesh, skin=skin)
    else:
        file.node(parent=hips, name="sheet", mesh=file.mesh(POINTS, np.array([[0, 1, 2]])))
    turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8]]
    file.animation(
        "walk", {(hips, "translation"): ([0.0, 1.0], [[0, 0, 0], [1, 2, 3]]), (hips, "rotation"): ([0.0, 1.0], turns)}
    )
    file.json["extensions"] = extensions
    file.json["extensionsUsed"] = list(extensions)
    return file.write_glb(path)


@pytest.mark.parametrize("skinned", [False, True])
@pytest.mark.parametrize("ending", ["vrm", "glb"])
def test_a_vrm_0_looks_back_and_is_turned(tmp_path: Path, skinned: bool, ending: str) -> None:
    plain = pucker.load(character(tmp_path / "plain.glb", {}, skinned=skinned), fps=8)
    turned = pucker.load(
        character(tmp_path / f"back.{ending}", {"VRM": {"specVersion": "0.0"}}, skinned=skinned), fps=8
    )
    np.testing.assert_array_equal(turned.positions, HALF_TURN * plain.positions)
    if skinned:
        assert plain.rest is not None
        assert turned.rest is not None
        np.testing.assert_allclose(turned.rest, HALF_TURN * plain.rest, atol=1e-12)


def test_a_vrm_1_looks_ahead_and_stays(tmp_path: Path) -> None:
    plain = pucker.load(character(tmp_path / "plain.glb", {}, skinned=True))
    ahead = pucker.load(character(tmp_path / "ahead.vrm", {"VRMC_vrm": {"specVersion": "1.0"}}, skinned=True))
    np.testing.assert_array_equal(ahead.positions, plain.positions)


def test_a_vrm_0_is_moved_by_another(tmp_path: Path) -> None:
    dance = character(tmp_path / "dance.vrm", {"VRM": {}}, skinned=True)
    own, lent = pucker.load(dance, fps=8), pucker.load(dance, motion=dance, fps=8)
    np.testing.assert_allclose(lent.positions, own.positions, atol=1e-9)
