"""A skeleton as nodes that turn, move and scale is where the clip has it."""

from pathlib import Path

import numpy as np
import pytest
from gltf_writer import GltfFile
from numpy.typing import NDArray

import pucker
from pucker.bake.joints import Track, joints_of

POINTS = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.2]])


def composed(track: Track, parents: tuple[int, ...]) -> NDArray[np.float64]:
    """Where the nodes are, (frames, K, 3, 4), by T · R · S and the node above."""
    x, y, z, w = np.moveaxis(track.rotations, -1, 0)
    turns = np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)], -1),
            np.stack([2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)], -1),
            np.stack([2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)], -1),
        ],
        axis=-2,
    )
    world = np.tile(np.eye(4), (*track.translations.shape[:2], 1, 1))
    world[..., :3, :3] = turns * track.scales[..., None, :]
    world[..., :3, 3] = track.translations
    for node, parent in enumerate(parents):
        if parent >= 0:
            world[:, node] = world[:, parent] @ world[:, node]
    return world[..., :3, :]


@pytest.mark.parametrize("scale", [[1.0, 1.0, 1.0], [-1.0, 1.0, 1.0], [2.0, -0.5, 1.5], [-1.0, -1.0, -2.0]])
def test_joints_that_mirror_are_where_the_clip_has_them(tmp_path: Path, scale: list[float]) -> None:
    file = GltfFile()
    hips = file.node(name="hips", translation=[0.1, 0.2, 0.3])
    spine = file.node(parent=hips, name="spine", translation=[0.0, 1.0, 0.0], scale=scale)
    joints, weights = np.tile([0, 1, 0, 0], (3, 1)), np.tile([0.5, 0.5, 0.0, 0.0], (3, 1))
    skin = file.add("skins", {"joints": [hips, spine], "inverseBindMatrices": file.accessor(np.stack([np.eye(4)] * 2))})
    file.node(name="sheet", mesh=file.mesh(POINTS, np.array([[0, 1, 2]]), joints, weights), skin=skin)
    turns = [[0.0, 0.0, 0.0, 1.0], [0.0, 0.6, 0.0, 0.8], [0.6, 0.0, 0.0, -0.8], [0.0, 0.0, 1.0, 0.0]]
    file.animation("turn", {(node, "rotation"): ([0.0, 0.25, 0.5, 1.0], turns) for node in (hips, spine)})
    clip = pucker.load(file.write(tmp_path / "mirrored.gltf"), fps=16)
    assert clip.skeleton is not None
    found = joints_of({"turn": clip})
    track = found.clips["turn"]
    np.testing.assert_allclose(composed(track, found.parents), clip.skeleton.matrices, atol=1e-6)
    # From one frame to the next no quaternion leaps to its negative, and all turn.
    assert (np.sum(track.rotations[1:] * track.rotations[:-1], axis=-1) >= 0.0).all()
    np.testing.assert_allclose(np.linalg.norm(track.rotations, axis=-1), 1.0, atol=1e-12)
