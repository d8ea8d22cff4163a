"""Seams inside a garment, where three sheets meet: a coat, its tails, and the trousers that begin under them."""

from pathlib import Path

import numpy as np
import pytest
from gltf_writer import GltfFile

import pucker
from pucker import drape
from pucker.examples import grid_faces

AROUND, ALONG = 12, 4


def tube(radii: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Vertices and triangles of rings round y."""
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.cos(turn), np.zeros(AROUND), np.sin(turn)], 1)
    points = (radii[:, None, None] * ring + heights[:, None, None] * [0.0, 1.0, 0.0]).reshape(-1, 3)
    row, column = np.divmod(grid_faces(AROUND, len(radii) - 1), AROUND + 1)
    return points, row * AROUND + column % AROUND


CLOTH = tube(np.ones(ALONG + 1), np.linspace(2.0, 0.0, ALONG + 1))


def character(path: Path, inside: tuple[np.ndarray, np.ndarray]) -> pucker.Clip:
    """The `Coat` of a character that is a tube and, of another material, what is inside; the lower half of all swings out."""
    file = GltfFile()
    nodes = file.joints({"Hips": None, "Leg": "Hips"})
    points = np.concatenate([CLOTH[0], inside[0]])
    numbers = np.zeros((len(points), 4), int)
    numbers[points[:, 1] < 0.9, 0] = 1
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
    mesh = file.mesh(points, CLOTH[1], numbers, weights)
    primitives = file.json["meshes"][mesh]["primitives"]
    primitives[0]["material"] = file.add("materials", {"name": "Coat"})
    indices = file.accessor((inside[1] + len(CLOTH[0])).ravel(), "u4")
    primitives.append(primitives[0] | {"indices": indices, "material": file.add("materials", {"name": "Skin"})})
    binds = file.accessor(np.tile(np.eye(4), (len(nodes), 1, 1)))
    file.add("skins", {"joints": list(nodes.values()), "inverseBindMatrices": binds})
    file.node(mesh=mesh, skin=0, name="all")
    swung = [[0.0, 0.0, 0.0], [0.4, 0.2, 0.0]]
    file.animation("Walk", {(nodes["Leg"], "translation"): ([0.0, 1.0], swung)})
    return pucker.load(file.write(path), parts=["Coat"])


def farthest(clip: pucker.Clip, frame: int, points: np.ndarray, ring: np.ndarray) -> float:
    """How far vertices of the seam are from the nearest of the body, as a share of the height."""
    away = np.linalg.norm(points[ring][:, None] - clip.body_positions[frame][None], axis=-1).min(axis=1)
    return float(away.max()) / clip.height


@pytest.mark.parametrize("levels", [0, 1])
def test_a_garment_is_sewn_to_the_body_inside_it_too(tmp_path: Path, levels: int) -> None:
    # A cone of skin that begins at the middle ring.
    clip = character(tmp_path / "coat.gltf", tube(np.linspace(1.0, 0.5, 3), np.linspace(1.0, 0.0, 3)))
    middle = np.flatnonzero(np.abs(clip.positions[0][:, 1] - 1.0) < 1e-6)
    assert len(middle) == AROUND
    np.testing.assert_array_equal(np.intersect1d(clip.shared_vertices, middle), middle)
    smooth = clip.smoothed(levels)
    for state in pucker.run(smooth, drape.Params(cut="first")):
        assert farthest(smooth, state.frame, state.draped, middle) < 1e-6


def test_cloth_on_a_copy_of_itself_is_sewn_at_its_border_alone(tmp_path: Path) -> None:
    clip = character(tmp_path / "lining.gltf", CLOTH)
    heights = clip.positions[0][:, 1]
    border = (heights < heights.min() + 1e-6) | (heights > heights.max() - 1e-6)
    np.testing.assert_array_equal(clip.shared_vertices, np.flatnonzero(border))
