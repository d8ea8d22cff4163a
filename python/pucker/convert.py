"""States as meshes of other packages: trimesh, PyVista and Polyscope; the functions become methods of states."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from pucker._core import Mesh, Subdivision, draw
from pucker.extras import needing
from pucker.quantities import paths_of, quantities_of

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class FineMesh:
    """The wrinkled surface of a state as triangles.

    Attributes:
        positions, normals: (N, 3) both, the latter unit.
        faces: (M, 3), its triangles.
        source: (M,), the coarse triangle that each is part of.
    """

    positions: Floats
    normals: Floats
    faces: npt.NDArray[np.int32]
    source: npt.NDArray[np.int32]

    @classmethod
    def of(cls, state: Any, *, edge_share: float = 0.5, levels: int | None = None) -> "FineMesh":
        """Of a state of any method.

        Args:
            state: What a frame gave.
            edge_share: Length of edges as a share of the smallest feature there, as `pucker.bake.surface` has it.
            levels: Number of pieces of every edge, in place of a share. Without it a detail that is a finer mesh of its own
                is that mesh.

        Raises:
            ValueError: For a share that is not positive.
        """
        detail = state.detail
        mesh = Mesh(detail.faces, len(detail.positions))
        if levels is not None:
            fine = Subdivision(mesh, levels)
        elif detail.own_mesh is not None:
            fine = detail.own_mesh
        else:
            from pucker.method import levels_for  # noqa: PLC0415 - states are given this before there are methods

            wanted = levels_for(detail, mesh, detail.positions, edge_share)
            fine = Subdivision(mesh, np.minimum(wanted, draw.MAX_LEVEL))
        points = detail.evaluate(fine.triangles, fine.barycentrics)
        return cls(points.positions, points.normals, fine.faces, fine.source)


def to_trimesh(self: Any, *, edge_share: float = 0.5, levels: int | None = None) -> Any:
    """The wrinkled surface as a `trimesh.Trimesh`; what the state knows of triangles stands in `face_attributes`.

    Vertices stay as they are and in their order. For the arguments see `FineMesh.of`; needs the extra pucker[trimesh].
    """
    with needing("trimesh", "to_trimesh"):
        import trimesh  # noqa: PLC0415 - of an extra
    fine = FineMesh.of(self, edge_share=edge_share, levels=levels)
    made = trimesh.Trimesh(fine.positions, fine.faces, vertex_normals=fine.normals, process=False)
    for quantity in quantities_of(self):
        if quantity.on == "triangles":
            made.face_attributes[quantity.name] = quantity.values[fine.source]
    return made


def to_pyvista(self: Any, *, edge_share: float = 0.5, levels: int | None = None) -> Any:
    """The wrinkled surface and the paths as a `pyvista.MultiBlock`: "surface", and "paths" where the method has some.

    What the state knows of triangles and paths stands in `cell_data`. For the arguments see `FineMesh.of`; needs the extra
    pucker[pyvista].
    """
    with needing("pyvista", "to_pyvista"):
        import pyvista  # noqa: PLC0415 - of an extra
    fine = FineMesh.of(self, edge_share=edge_share, levels=levels)
    surface = pyvista.PolyData.from_regular_faces(fine.positions, fine.faces)
    surface.point_data["Normals"] = fine.normals
    blocks = {"surface": surface}
    curves = paths_of(self)
    if curves:
        lengths = [len(points) for points in curves]
        starts = np.concatenate([[0], np.cumsum(lengths)])
        lines = [np.concatenate([[n], np.arange(a, a + n)]) for a, n in zip(starts[:-1], lengths, strict=True)]
        blocks["paths"] = pyvista.PolyData(np.concatenate(curves), lines=np.concatenate(lines))
    for quantity in quantities_of(self):
        if quantity.on == "triangles":
            surface.cell_data[quantity.name] = quantity.values[fine.source]
        elif quantity.on == "paths" and curves:
            blocks["paths"].cell_data[quantity.name] = quantity.values
    return pyvista.MultiBlock(blocks)


def to_polyscope(self: Any, name: str = "pucker", *, edge_share: float = 0.5, levels: int | None = None) -> Any:
    """Registers the wrinkled surface with Polyscope, and its paths as the curve network "NAME paths".

    Returns the `polyscope.SurfaceMesh`.

    What the state knows of triangles and paths becomes their quantities, switched off. `polyscope.init()` must have been
    called. For the arguments see `FineMesh.of`; needs the extra pucker[polyscope].
    """
    with needing("polyscope", "to_polyscope"):
        import polyscope  # noqa: PLC0415 - of an extra
    fine = FineMesh.of(self, edge_share=edge_share, levels=levels)
    surface = polyscope.register_surface_mesh(name, fine.positions, fine.faces)
    curves = paths_of(self)
    if curves:
        lengths = np.array([len(points) for points in curves])
        starts = np.concatenate([[0], np.cumsum(lengths)])
        edges = np.concatenate(
            [np.column_stack([np.arange(a, b - 1), np.arange(a + 1, b)]) for a, b in pairwise(starts)]
        )
        network = polyscope.register_curve_network(f"{name} paths", np.concatenate(curves), edges)
    for quantity in quantities_of(self):
        if quantity.on == "triangles":
            surface.add_scalar_quantity(quantity.name, quantity.values[fine.source].astype(float), defined_on="faces")
        elif quantity.on == "paths" and curves:
            values = np.repeat(quantity.values.astype(float), lengths - 1)
            network.add_scalar_quantity(quantity.name, values, defined_on="edges")
    return surface
