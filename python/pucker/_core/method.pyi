"""
What the methods have in common.
"""

from __future__ import annotations
import numpy
import numpy.typing
import pucker._core
import typing

__all__: list[str] = ["Detail", "Method", "State", "SurfacePoints", "points_of_mesh"]

class SurfacePoints:
    """
    Points of a detailed surface, one row each; the arrays are views.
    """
    def __init__(
        self,
        base: numpy.typing.ArrayLike,
        base_normals: numpy.typing.ArrayLike,
        displacements: numpy.typing.ArrayLike,
        normals: numpy.typing.ArrayLike,
    ) -> None:
        """
        Copies of the arrays. Raises ValueError unless all are (N, 3).
        """
    def __repr__(self) -> str: ...
    @property
    def base(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): on the mesh.
        """
    @property
    def base_normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3), unit: interpolated from the area-weighted normals of the vertices.
        """
    @property
    def displacements(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): vectors from the base.
        """
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3), unit: of the displaced surface.
        """
    @property
    def offsets(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): how far along the base normal, negative inwards.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): base + displacement.
        """

class Detail:
    """
    The fine surface that one frame of a method puts over the coarse one. It keeps the frame alive.
    """
    def edge_levels(
        self,
        target_edge: typing.SupportsFloat | typing.SupportsIndex,
        *,
        limit: typing.SupportsInt | typing.SupportsIndex = 64,
    ) -> numpy.typing.NDArray[numpy.int32]:
        """
        Number of pieces (e,) int32 that drawing divides each edge of the mesh into.

        As many as make the pieces no longer than `target_edge`, but `limit` at most; 1 where none of the edge's triangles is
        reached. Raises ValueError for a target or a limit that is not positive.
        """
    def evaluate(self, triangles: numpy.typing.ArrayLike, barycentrics: numpy.typing.ArrayLike) -> SurfacePoints:
        """
        The surface at N points of the mesh.

        Args:
            triangles: (N,) the triangle each point lies in.
            barycentrics: (N, 3) its coordinates there.

        Returns:
            SurfacePoints. Points of an edge are the same from both its triangles, to rounding.

        Raises:
            ValueError: For a wrong shape, a triangle out of range, or coordinates outside of it.
        """
    @property
    def draw_buffers(self) -> dict:
        """
        What they begin with: the bytes of storage blocks by their names, in their order.
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (m, 3) int32: the triangles of the coarse mesh; a view.
        """
    @property
    def feature_size(self) -> float:
        """
        Length of the smallest feature, in the unit of the positions.
        """
    @property
    def feature_sizes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m,): length of the smallest feature in each triangle, at least feature_size; infinite where nothing is displaced.
        """
    @property
    def offset_range(self) -> tuple[float, float]:
        """
        (low, high): between which every displacement along the base normal lies, negative inwards.
        """
    @property
    def own_mesh(self) -> typing.Any:
        """
        The mesh that the detail is, a Subdivision, if it is the same one in all frames; else None.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): the vertices of the frame; a view.
        """
    @property
    def reached(self) -> numpy.typing.NDArray[numpy.bool]:
        """
        (m,) bool: whether a point of each triangle may be displaced; the others are drawn as they are.
        """
    @property
    def shaders(self) -> str:
        """
        Folder of the shaders that tessellate it; empty for a detail that is divided on the processor.
        """

class State:
    """
    What one frame gave. It stays as it is when the run goes on; arrays are views of it.
    """
    def __repr__(self) -> str: ...
    def to_polyscope(self, name: str = "pucker", *, edge_share: float = 0.5, levels: int | None = None) -> typing.Any:
        """
        Registers the wrinkled surface with Polyscope, and its paths as the curve network "NAME paths".

            Returns the `polyscope.SurfaceMesh`.

            What the state knows of triangles and paths becomes their quantities, switched off. `polyscope.init()` must have been
            called. For the arguments see `FineMesh.of`; needs the extra pucker[polyscope].

        """
    def to_pyvista(self, *, edge_share: float = 0.5, levels: int | None = None) -> typing.Any:
        """
        The wrinkled surface and the paths as a `pyvista.MultiBlock`: "surface", and "paths" where the method has some.

            What the state knows of triangles and paths stands in `cell_data`. For the arguments see `FineMesh.of`; needs the extra
            pucker[pyvista].

        """
    def to_trimesh(self, *, edge_share: float = 0.5, levels: int | None = None) -> typing.Any:
        """
        The wrinkled surface as a `trimesh.Trimesh`; what the state knows of triangles stands in `face_attributes`.

            Vertices stay as they are and in their order. For the arguments see `FineMesh.of`; needs the extra pucker[trimesh].

        """
    @property
    def detail(self) -> Detail:
        """
        The fine surface over the coarse one.
        """
    @property
    def frame(self) -> int:
        """
        Number of the frame in the run, from 0.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): the vertices of the frame.
        """
    @property
    def seconds(self) -> dict:
        """
        Wall clock of each stage, by name, in order.
        """
    @property
    def time(self) -> float:
        """
        Seconds.
        """

class Method:
    """
    A run of one method: one frame after the other.
    """
    def advance(self, positions: numpy.typing.ArrayLike, time: typing.SupportsFloat | typing.SupportsIndex) -> State:
        """
        One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is not finite or a time that is not later. Whatever it raises, nothing has changed then.
        """
    def restored(self, bytes: bytes) -> Method:
        """
        A run of this method that goes on as the saved one. Raises pucker.Error for bytes that save() of this method has not made.
        """
    def save(self) -> bytes:
        """
        The whole run as bytes; `restore` of its class goes on with the same bits.
        """
    @property
    def mesh(self) -> pucker._core.Mesh:
        """
        The coarse mesh.
        """
    @property
    def name(self) -> str:
        """
        As `--method` takes it.
        """
    @property
    def stages(self) -> list[str]:
        """
        Names of the stages in the order in which a frame runs through them.
        """

def points_of_mesh(
    mesh: pucker._core.Mesh,
    positions: numpy.typing.ArrayLike,
    triangles: numpy.typing.ArrayLike,
    barycentrics: numpy.typing.ArrayLike,
) -> SurfacePoints:
    """
    Points of the mesh itself, displaced by nothing: what a detail starts from.

    Args:
        mesh: The mesh.
        positions: (n, 3) its vertices.
        triangles: (N,) the triangle each point lies in.
        barycentrics: (N, 3) its coordinates there.

    Raises:
        ValueError: For a wrong shape, a position that is not finite, a triangle out of range, or coordinates outside of it.
    """
