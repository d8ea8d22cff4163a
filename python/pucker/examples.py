"""A character, and clips made in code: small garments whose motion is known exactly, for tests and first tries."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pucker

Faces = npt.NDArray[np.int32]
Positions = npt.NDArray[np.float64]


def kimono() -> Path:
    """The file of a character in a kimono with 17 clips, which comes with the package (Quaternius, CC0 1.0)."""
    from pucker import _core  # noqa: PLC0415 - the package must be importable without its examples

    return Path(_core.__file__).parent / "data" / "kimono_male.gltf"


def grid_faces(columns: int, rows: int, *, closed: bool = False) -> Faces:
    """Triangles (2·columns·rows, 3) of a grid of quads over vertices stored row by row.

    A row has columns + 1 vertices or, if the grid is `closed` into a tube, columns. The diagonals alternate, so that the
    mesh favours no direction. Raises ValueError for less than one quad, or less than three round a tube.
    """
    least = 3 if closed else 1
    if columns < least or rows < 1:
        raise ValueError(f"a grid needs at least {least} columns and 1 row, not {columns} and {rows}")
    length = columns if closed else columns + 1
    y, x = (index.ravel() for index in np.mgrid[:rows, :columns])
    right = (x + 1) % length
    a, b, c, d = y * length + x, y * length + right, (y + 1) * length + right, (y + 1) * length + x
    even = ((x + y) % 2 == 0)[:, None, None]
    quads = np.where(
        even,
        np.stack([np.stack([a, b, c], 1), np.stack([a, c, d], 1)], 1),
        np.stack([np.stack([a, b, d], 1), np.stack([b, c, d], 1)], 1),
    )
    return quads.reshape(-1, 3).astype(np.int32)


def _clip(faces: Faces, positions: Positions, fps: float) -> "pucker.Clip":
    import pucker  # noqa: PLC0415 - the package must be importable without its examples

    return pucker.Clip.from_arrays(faces, positions, np.arange(len(positions)) / fps, weld=False)


def _course(frames: int) -> npt.NDArray[np.float64]:
    """From 0 at the first frame to 1 at the middle one and back, (frames,), at rest at both ends."""
    if frames < 2:
        raise ValueError(f"a clip in motion needs at least 2 frames, not {frames}")
    return 0.5 - 0.5 * np.cos(2.0 * np.pi * np.arange(frames) / (frames - 1))


def squeezed_sheet(
    columns: int = 12, rows: int = 12, *, frames: int = 31, fps: float = 30.0, compression: float = 1.5
) -> "pucker.Clip":
    """A flat unit square in the plane z = 0, squeezed along x to 1/compression of its width and let go again.

    The deformation is the same affine map in every triangle, so wrinkles must run along y.
    """
    if not compression >= 1.0:
        raise ValueError(f"compression must be at least 1, not {compression}")
    y, x = np.mgrid[: rows + 1, : columns + 1]
    rest = np.stack([x.ravel() / columns, y.ravel() / rows, np.zeros(x.size)], axis=1)
    width = 1.0 + _course(frames) * (1.0 / compression - 1.0)
    positions = rest * np.stack([width, np.ones(frames), np.ones(frames)], axis=1)[:, None]
    return _clip(grid_faces(columns, rows), positions, fps)


def folded_sheet(
    columns: int = 12, rows: int = 12, *, frames: int = 31, fps: float = 30.0, angle: float = 2.0
) -> "pucker.Clip":
    """A unit square about the origin whose upper half swings about its middle line by up to `angle` radians, and back.

    Linear blend skinning over two joints: the cloth shortens in the band about the line, so wrinkles must run along x.
    """
    y, x = np.mgrid[: rows + 1, : columns + 1]
    rest = np.stack([x.ravel() / columns, y.ravel() / rows - 0.5, np.zeros(x.size)], axis=1)
    return _clip(grid_faces(columns, rows), _bent(rest, angle * _course(frames)), fps)


def bending_sleeve(
    columns: int = 16, rows: int = 24, *, frames: int = 31, fps: float = 30.0, angle: float = 1.6
) -> "pucker.Clip":
    """A tube of radius 0.12 and length 1 about the y axis that bends by up to `angle` radians, and back.

    Linear blend skinning over two joints: cloth is compressed at the inside of the bend, as in the crook of an arm.
    """
    y, x = (index.ravel() for index in np.mgrid[: rows + 1, :columns])
    turn = 2.0 * np.pi * x / columns
    rest = np.stack([0.12 * np.sin(turn), y / rows - 0.5, 0.12 * np.cos(turn)], axis=1)
    return _clip(grid_faces(columns, rows, closed=True), _bent(rest, angle * _course(frames)), fps)


def _bent(rest: Positions, angles: npt.NDArray[np.float64]) -> Positions:
    """Linear blend skinning by a joint at the origin that turns about x: positions (frames, n, 3).

    The weight of the joint rises from 0 to 1 over the band |y| < 0.15.
    """
    blend = np.clip(0.5 + rest[:, 1] / 0.3, 0.0, 1.0)
    weights = blend * blend * (3.0 - 2.0 * blend)
    cosine, sine = np.cos(angles)[:, None], np.sin(angles)[:, None]
    turned = np.stack(
        [
            np.broadcast_to(rest[:, 0], (len(angles), len(rest))),
            cosine * rest[:, 1] - sine * rest[:, 2],
            sine * rest[:, 1] + cosine * rest[:, 2],
        ],
        axis=2,
    )
    return (1.0 - weights)[:, None] * rest + weights[:, None] * turned


def irregular_sheet(*, triangles: int = 148, seed: int = 0) -> tuple["pucker.Mesh", Positions]:
    """A flat unit square in the plane z = 0 of `triangles` irregular triangles: the mesh and its positions (n, 3).

    Points of the border are spread evenly, six a side; those inside are drawn one after the other, each as far from the
    others as the best of ten tries, and all are joined by Delaunay's triangulation. As in Loviscach 2006, figure 15.
    Raises ValueError for less than 24 triangles or an odd number, which such a border does not allow.
    """
    import pucker  # noqa: PLC0415 - the package must be importable without its examples
    from pucker.extras import needing  # noqa: PLC0415

    with needing("metrics", "the triangulation of an irregular sheet"):
        from scipy.spatial import Delaunay  # noqa: PLC0415
    if triangles < 24 or triangles % 2 != 0:
        raise ValueError(f"an irregular sheet needs an even number of at least 24 triangles, not {triangles}")
    random = np.random.default_rng(seed)
    side = np.arange(6) / 6.0
    border = [np.stack([side, np.zeros(6)], axis=1)]
    for _ in range(3):
        border.append(np.stack([1.0 - border[-1][:, 1], border[-1][:, 0]], axis=1))
    points = np.concatenate(border)
    for _ in range((triangles - len(points) + 2) // 2):
        tries = random.uniform(0.06, 0.94, (10, 2))
        apart = np.linalg.norm(tries[:, None] - points[None], axis=2).min(axis=1)
        points = np.append(points, tries[[np.argmax(apart)]], axis=0)
    faces = Delaunay(points).simplices
    a, b, c = points[faces].transpose(1, 0, 2)
    flipped = np.linalg.det(np.stack([b - a, c - a], axis=1)) < 0
    faces[flipped] = faces[flipped][:, ::-1]
    return pucker.Mesh(faces, len(points)), np.concatenate([points, np.zeros((len(points), 1))], axis=1)
