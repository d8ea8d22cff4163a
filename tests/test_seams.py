"""Seams inside a garment, where three sheets meet: a coat, its tails, and the trousers that begin under them."""

from pathlib import Path

import numpy as np
import pytest
from gltf_writer import GltfFile

import pucker
from pucker import drape
from pucker.examples import grid_faces

AROUND, ALONG = 12, 4


def coat(path: Path) -> Path:
    """A tube of cloth with a cone of skin inside that begins at its middle ring; the lower half of all swings out."""
    file = GltfFile()
    nodes = file.joints({"Hips": None, "Leg": "Hips"})

    def tube(radii: np.ndarray, heights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
        ring = np.stack([np.cos(turn), np.zeros(AROUND), np.sin(turn)], 1)
        points = (radii[:, None, None] * ring + heights[:, None, None] * [0.0, 1.0, 0.0]).reshape(-1, 3)
        faces = grid_faces(AROUND, len(radii) - 1)
        row, column = np.divmod(faces, AROUND + 1)
        return points, row * AROUND + column % AROUND

    cloth, cloth_faces = tube(np.ones(ALONG + 1), np.linspace(2.0, 0.0, ALONG + 1))
    skin, skin_faces = tube(np.linspace(1.0, 0.5, 3), np.linspace(1.0, 0.0, 3))
    points = np.concatenate([cloth, skin])
    numbers = np.zeros((len(points), 4), int)
    numbers[points[:, 1] < 0.9, 0] = 1
    weights = np.zeros((len(points), 4))
    weights[:, 0] = 1.0
    number = file.mesh(points, cloth_faces, numbers, weights)
    primitive = file.json["meshes"][number]["primitives"][0]
    body = file.accessor((skin_faces + len(cloth)).ravel(), "u4")
    primitive["material"] = file.add("materials", {"name": "Coat"})
    rest = primitive | {"indices": body, "material": file.add("materials", {"name": "Skin"})}
    file.json["meshes"][number]["primitives"].append(rest)
    binds = file.accessor(np.tile(np.eye(4), (len(nodes), 1, 1)))
    file.add("skins", {"joints": list(nodes.values()), "inverseBindMatrices": binds})
    file.node(mesh=number, skin=0, name="all")
    swung = [[0.0, 0.0, 0.0], [0.4, 0.2, 0.0]]
    file.animation("Walk", {(nodes["Leg"], "translation"): ([0.0, 1.0], swung)})
    return file.write(path)


def farthest(clip: pucker.Clip, frame: int, points: np.ndarray, ring: np.ndarray) -> float:
    """How far vertices of the seam are from the nearest of the body, as a share of the height."""
    away = np.linalg.norm(points[ring][:, None] - clip.body_positions[frame][None], axis=-1).min(axis=1)
    return float(away.max()) / clip.height


@pytest.mark.parametrize("levels", [0, 1])
def test_a_garment_is_sewn_to_the_body_inside_it_too(tmp_path: Path, levels: int) -> None:
    clip = pucker.load(coat(tmp_path / "coat.gltf"), parts=["Coat"])
    middle = np.flatnonzero(np.abs(clip.positions[0][:, 1] - 1.0) < 1e-6)
    assert len(middle) == AROUND
    np.testing.assert_array_equal(np.intersect1d(clip.shared_vertices, middle), middle)
    smooth = clip.smoothed(levels)
    for state in pucker.run(smooth, drape.Params(cut="first")):
        assert farthest(smooth, state.frame, state.draped, middle) < 1e-6


def test_cloth_on_a_copy_of_itself_is_sewn_at_its_border_alone(tmp_path: Path) -> None:
    file = GltfFile()
    nodes = file.joints({"Hips": None})
    turn = 2.0 * np.pi * np.arange(AROUND) / AROUND
    ring = np.stack([np.cos(turn), np.zeros(AROUND), np.sin(turn)], 1)
    points = (ring + np.linspace(0.0, 2.0, ALONG + 1)[:, None, None] * [0.0, 1.0, 0.0]).reshape(-1, 3)
    row, column = np.divmod(grid_faces(AROUND, ALONG), AROUND + 1)
    faces = row * AROUND + column % AROUND
    weights = np.tile([1.0, 0.0, 0.0, 0.0], (len(points), 1))
    binds = file.accessor(np.eye(4)[None])
    file.add("skins", {"joints": list(nodes.values()), "inverseBindMatrices": binds})
    for name in ("Coat", "Lining"):
        number = file.mesh(points, faces, np.zeros((len(points), 4), int), weights)
        file.json["meshes"][number]["primitives"][0]["material"] = file.add("materials", {"name": name})
        file.node(mesh=number, skin=0, name=name)
    file.animation("Walk", {(nodes["Hips"], "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [0.4, 0.2, 0.0]])})
    clip = pucker.load(file.write(tmp_path / "lining.gltf"), parts=["Coat"])
    heights = clip.positions[0][:, 1]
    border = (heights < heights.min() + 1e-6) | (heights > heights.max() - 1e-6)
    np.testing.assert_array_equal(clip.shared_vertices, np.flatnonzero(border))
