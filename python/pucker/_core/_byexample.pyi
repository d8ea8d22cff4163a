"""
Wrinkles by example (Zurdo, Brito and Otaduy 2013): detail of recorded poses on any deformation.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import pucker._core
import pucker._core._drape
import pucker._core.method
import typing

__all__: list[str] = [
    "ByExample",
    "Compute",
    "DetailCode",
    "EqualPoses",
    "ExampleDetail",
    "Features",
    "GuideCloth",
    "Kernel",
    "LoopReport",
    "LoopSubdivision",
    "LowFrequencyPart",
    "Params",
    "PoseSpace",
    "Regions",
    "Regression",
    "SmoothSurface",
    "SparseRows",
    "State",
    "Sway",
    "Synthesis",
    "Synthesised",
    "Trail",
    "WeightPlaces",
    "read_trained",
    "require_mesh_of_set",
    "require_rest_of_set",
    "require_unit_of_set",
    "sharp_corners",
]

class SparseRows:
    """
    A matrix of few entries a row. `scipy.sparse.csr_matrix((s.data, s.indices, s.indptr), s.shape)` is the same one; `s @ positions` multiplies (columns, 3).
    """
    def __matmul__(self, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (rows, 3): the matrix times positions (columns, 3).
        """
    def __repr__(self) -> str: ...
    @property
    def data(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        The entries, row by row; a view.
        """
    @property
    def indices(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        int32: the column of each; a view.
        """
    @property
    def indptr(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (rows + 1,) int32: where each row begins; a view.
        """
    @property
    def shape(self) -> tuple[int, int]:
        """
        Rows and columns.
        """

class LoopReport:
    """
    Vertices that stay where they are, and triangles that are left out.
    """
    @property
    def degenerate(self) -> int:
        """
        coarse triangles that name a vertex twice
        """
    @property
    def fans(self) -> int:
        """
        coarse vertices whose triangles form more than one fan
        """
    @property
    def isolated(self) -> int:
        """
        coarse vertices of no triangle
        """

class LoopSubdivision:
    """
    A mesh subdivided any number of times at once: fine vertices are a sparse matrix times the coarse ones.

    Loop's rules (1987), at the boundary those of a cubic B-spline (Hoppe et al. 1994). The vertices are those of the coarse
    mesh in their order, then those of the edges of each level in theirs. A vertex of several fans that no two edges
    bound, or of no triangle, stays.

    Args:
        mesh: The coarse mesh.
        levels: How often each triangle becomes four; at least 0.
        corners: (n,) bool, vertices that stay where they are, as `sharp_corners` finds them; None: none.

    Raises:
        ValueError: For fewer levels and another number of corners.
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        levels: typing.SupportsInt | typing.SupportsIndex,
        corners: numpy.typing.ArrayLike | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def barycentrics(self) -> SparseRows:
        """
        (N, n) SparseRows: what values are interpolated with that reach the fine vertices linearly.
        """
    @property
    def coarse(self) -> pucker._core.Mesh:
        """
        The mesh that is subdivided.
        """
    @property
    def fine(self) -> pucker._core.Mesh:
        """
        The mesh of N vertices.
        """
    @property
    def levels(self) -> int:
        """
        How often each triangle became four.
        """
    @property
    def matrix(self) -> SparseRows:
        """
        (N, n) SparseRows: fine vertices from coarse ones; rows sum to 1, no entry is negative.
        """
    @property
    def report(self) -> LoopReport:
        """
        What no rule of a smooth surface fits.
        """

class LowFrequencyPart:
    """
    What of a displacement a subdivided mesh would follow as a whole: its least-squares fit by the subdivision matrix W.

    Args:
        subdivision: The LoopSubdivision.
    """
    def __init__(self, subdivision: LoopSubdivision) -> None: ...
    def __repr__(self) -> str: ...
    def of(self, displacements: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        W (WᵀW)⁻¹ Wᵀ d, (N, 3), of displacements d (N, 3). Raises ValueError for another shape and what is not finite.
        """

class Features:
    """
    The feature vector of a mesh: the length of each edge against that at rest (Zurdo 2013, equation 1).

    Args:
        mesh: The feature mesh.
        rest: (n, 3) its positions at rest.

    Raises ValueError for another shape, positions that are not finite, a mesh without edges, and an edge without length.
    """
    def __init__(self, mesh: pucker._core.Mesh, rest: numpy.typing.ArrayLike) -> None: ...
    def __repr__(self) -> str: ...
    def metric(
        self,
        points: numpy.typing.ArrayLike,
        *,
        falloff: typing.SupportsFloat | typing.SupportsIndex = 2.0,
        edges: typing.SupportsInt | typing.SupportsIndex = 16,
    ) -> SparseRows:
        """
        (k, e) SparseRows: how much each edge counts at points (k, 3) of the rest pose; rows sum to 1.

        m̄ = exp(-falloff detour / mean length) (Bickel et al. 2008), the detour being how much longer the way from one end of the
        edge to the other becomes by the point, of which the
        `edges` largest are kept. Raises ValueError for another shape, points that are not finite, and options out of range.
        """
    def stretch(self, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (e,) the feature vector f of positions (n, 3), 1 at rest.
        """
    @property
    def mean_length(self) -> float:
        """
        Mean of `rest_lengths`.
        """
    @property
    def mesh(self) -> pucker._core.Mesh:
        """
        The feature mesh.
        """
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3), a view.
        """
    @property
    def rest_lengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (e,) in the unit of `rest`; a view.
        """

class Kernel:
    """
    The radial basis function of the distance r: r itself, or r squared, which equation 3 prints.

    Members:

      distance

      squared
    """

    __members__: typing.ClassVar[dict[str, Kernel]]
    distance: typing.ClassVar[Kernel]
    squared: typing.ClassVar[Kernel]
    @typing.overload
    def __eq__(self, other: Kernel) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Kernel) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class EqualPoses:
    """
    What becomes of poses that are the same at a point, though not everywhere: an error that names them, or they are one pose there, and share its weight.

    Members:

      refuse

      share
    """

    __members__: typing.ClassVar[dict[str, EqualPoses]]
    refuse: typing.ClassVar[EqualPoses]
    share: typing.ClassVar[EqualPoses]
    @typing.overload
    def __eq__(self, other: EqualPoses) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: EqualPoses) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class PoseSpace:
    """
    Weighted pose-space deformation: how much of each pose a deformation is, point by point.

    Weights w(f) = sum of lambda phi(dist(f, f_i)), 1 at their own pose and 0 at the others, divided by their sum (Zurdo 2013,
    section 4.2). A single pose has the weight 1; where the sum is below 1e-6 the nearest have.

    Args:
        metric: (k, e): `Features.metric`, or SciPy's csr_matrix.
        poses: (P, e) feature vectors.
        kernel: `Kernel` or its name.
        equal: `EqualPoses` or its name.

    Raises ValueError for shapes that do not fit, numbers that are not finite, poses equal at a point (naming both and the
    point) unless they share, and a singular system, as the squared kernel has for more poses than edges at a point, plus 2.
    """
    def __init__(
        self,
        metric: numpy.typing.ArrayLike,
        poses: numpy.typing.ArrayLike,
        *,
        kernel: typing.Any = "distance",
        equal: typing.Any = "refuse",
    ) -> None: ...
    def __repr__(self) -> str: ...
    def distances(self, features: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, P) distances of a feature vector (e,) from the poses.
        """
    def weights(self, features: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, P) weights of a feature vector (e,); rows sum to 1.
        """
    @property
    def point_count(self) -> int:
        """
        k, rows of the metric.
        """
    @property
    def pose_count(self) -> int:
        """
        P
        """
    @property
    def poses(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (P, e), a view.
        """
    @property
    def shared_points(self) -> int:
        """
        Points at which poses share a weight.
        """

class Regions:
    """
    A few points of a feature mesh, spread over it, and what vertices take from them.

    Distances d are those along edges at rest. A vertex takes from its four nearest points in the proportion of
    exp(-(1.5 d/h)^2), h being the distance of the vertex that is farthest from any.

    Args:
        features: Of the mesh.
        points: (R,) vertices, or how many: then each is the vertex farthest from those before it, and the first is vertex 0.

    Raises ValueError for no points, vertices that there are not, the same one twice, and a vertex that no point is connected
    with.
    """
    def __init__(self, features: Features, points: numpy.typing.ArrayLike) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def points(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (R,) int32, a view.
        """
    @property
    def shares(self) -> SparseRows:
        """
        (n, R) SparseRows: how much each vertex takes from each point; rows sum to 1.
        """

class Regression:
    """
    Weights of P details by kernel ridge regression on C recorded frames, at R points of the garment.

    At a point the distance of a deformation f that moves with the velocity v from centre c is dist^2 = sum of
    m_e (f_e - f_ce)^2 + motion^2 norm(v - v_c)^2 + displacement^2 sum of m_k norm(u_k - u_ck)^2, with the metric m_e of the point,
    the displacement u_k of vertex k from the guide, and m_k half the sum of m_e over its edges. The weight of detail i > 0 is
    a_0i + sum of a_ci exp(-dist_c/width). Detail 0, the mean, has the weight 1. Vertices take weights from points as `Regions`
    says. Computed in single precision.

    Args:
        features: Of the feature mesh.
        poses: (C, n, 3): the deformations of the centres.
        points: (R,) vertices of the feature mesh.
        velocities: (C, R, 3): those of the points in their frames, in mean edge lengths a second.
        coefficients: (R, 1 + C, P - 1): a_0i, then a_ci.
        width: Of the kernel, in stretch.
        motion: What a velocity of 1 counts, in stretch.
        displacements: (C, n, 3): where the vertices are beyond the guide, in the guide's frames and mean edge lengths; given where
            `displacement` is above 0, and only there.
        displacement: What one of 1 counts, in stretch.
        falloff, edges: As `Features.metric`.

    Raises ValueError for shapes that do not fit each other, numbers that are not finite, and what `Regions` refuses.
    """
    def __init__(
        self,
        features: Features,
        poses: numpy.typing.ArrayLike,
        points: numpy.typing.ArrayLike,
        velocities: numpy.typing.ArrayLike,
        coefficients: numpy.typing.ArrayLike,
        *,
        width: typing.SupportsFloat | typing.SupportsIndex,
        motion: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        displacements: numpy.typing.ArrayLike | None = None,
        displacement: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        falloff: typing.SupportsFloat | typing.SupportsIndex = 2.0,
        edges: typing.SupportsInt | typing.SupportsIndex = 16,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def weights(
        self,
        features: Features,
        positions: numpy.typing.ArrayLike,
        before: numpy.typing.ArrayLike | None = None,
        seconds: typing.Any = None,
        guide: numpy.typing.ArrayLike | None = None,
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, P) weights of positions (n, 3), which moved there from those `before` in so many seconds, and are displaced from those of the `guide`.
        """
    @property
    def centre_count(self) -> int:
        """
        C
        """
    @property
    def detail_count(self) -> int:
        """
        P
        """
    @property
    def regions(self) -> Regions:
        """
        The points, and how their weights reach the vertices.
        """

class SmoothSurface:
    """
    The smooth surface of a feature mesh, and what lies over it in frames that move with it.

    The frame of a vertex has the columns edge, normal x edge, normal: the edge to one chosen neighbour, made orthogonal to the
    normal (Zurdo 2013, section 3); zero where there is none.

    Args:
        mesh: The feature mesh.
        levels: How often it is subdivided.
        positions: (n, 3) of the feature mesh.
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        levels: typing.SupportsInt | typing.SupportsIndex,
        positions: numpy.typing.ArrayLike,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def add(self, detail: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): the surface with a detail (N, 3) in its frames; the inverse of `detail_of`.
        """
    def detail_of(self, fine: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): what fine positions (N, 3) are beyond the surface, in its frames.
        """
    def step(self, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Moves the surface to feature positions (n, 3), and returns its own, (N, 3).
        """
    @property
    def frames(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3, 3)
        """
    @property
    def mesh(self) -> pucker._core.Mesh:
        """
        The fine mesh.
        """
    @property
    def missing(self) -> int:
        """
        Vertices without a frame.
        """
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3), unit; zero for a vertex without area.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3)
        """
    @property
    def subdivision(self) -> LoopSubdivision:
        """
        The `LoopSubdivision`.
        """

class DetailCode:
    """
    Details as whole multiples of a step, of what they are beyond the next coarser level.

    The detail of a vertex that subdivision puts on an edge is predicted by the mean of those of the edge's ends, turned from their
    frames on the smooth surface at rest into its own; a vertex of the feature mesh by 0. Ends have their decoded details, so that
    each number of a detail is off by half a step at most.

    Args:
        mesh: The feature mesh.
        levels: How often it is subdivided.
        rest: (n, 3) of the feature mesh.

    Raises ValueError as `SmoothSurface`.
    """
    def __init__(
        self, mesh: pucker._core.Mesh, levels: typing.SupportsInt | typing.SupportsIndex, rest: numpy.typing.ArrayLike
    ) -> None: ...
    def __repr__(self) -> str: ...
    def decode(
        self, multiples: numpy.typing.ArrayLike, step: typing.SupportsFloat | typing.SupportsIndex
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3) the detail that multiples (N, 3) stand for; encoded it gives them again. Raises as `encode`.
        """
    def encode(
        self, details: numpy.typing.ArrayLike, step: typing.SupportsFloat | typing.SupportsIndex
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3) whole numbers that stand for a detail (N, 3). Raises ValueError for another shape, what is not finite, and a step that is not positive.
        """

class WeightPlaces:
    """
    Where weights are computed: at the vertices of the feature mesh, from which they spread linearly, or at all vertices of the smooth mesh.

    Members:

      sparse

      dense
    """

    __members__: typing.ClassVar[dict[str, WeightPlaces]]
    dense: typing.ClassVar[WeightPlaces]
    sparse: typing.ClassVar[WeightPlaces]
    @typing.overload
    def __eq__(self, other: WeightPlaces) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: WeightPlaces) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Synthesised:
    """
    What one deformation gave; the arrays are views.
    """
    def __repr__(self) -> str: ...
    @property
    def detail(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3) in the frames of the smooth surface.
        """
    @property
    def features(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (e,) the feature vector.
        """
    @property
    def pose_weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, P) where weights are computed.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3) of the detailed surface.
        """

class Synthesis:
    """
    Detail from example poses on the smooth surface of any deformation.

    At a pose whose weights are its own alone the result is that pose's fine surface; turning or shifting the feature mesh turns
    and shifts the result alike (Zurdo 2013, sections 4 and 5.2).

    Args:
        mesh: The feature mesh.
        levels: How often it is subdivided.
        rest: (n, 3) of the feature mesh.
        poses: (P, n, 3) of the feature mesh.
        details: (P, N, 3) in the frames of the smooth surface, as `SmoothSurface.detail_of` gives them.
        places: `WeightPlaces` or its name.
        falloff, edges: As `Features.metric`.
        kernel, equal: As `PoseSpace`.
        regression: Where weights come from instead of a pose space, of the same mesh; `poses` are then those of its centres,
            and there are as many details as it has weights for.
        trail: Seconds by which the examples' cloth trails its guide, which the details leave out.

    Raises ValueError for shapes that do not fit, numbers that are not finite, and what `Features` and `PoseSpace` refuse.
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        levels: typing.SupportsInt | typing.SupportsIndex,
        rest: numpy.typing.ArrayLike,
        poses: numpy.typing.ArrayLike,
        details: numpy.typing.ArrayLike,
        *,
        places: typing.Any = "sparse",
        falloff: typing.SupportsFloat | typing.SupportsIndex = 2.0,
        edges: typing.SupportsInt | typing.SupportsIndex = 16,
        kernel: typing.Any = "distance",
        equal: typing.Any = "refuse",
        regression: typing.Any = None,
        trail: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def copy(self) -> Synthesis:
        """
        Another one of the same numbers, for use beside this one.
        """
    def spread(self, pose_weights: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, P): weights (k, P) as they reach the vertices of the smooth mesh.
        """
    def step(
        self,
        positions: numpy.typing.ArrayLike,
        before: numpy.typing.ArrayLike | None = None,
        seconds: typing.Any = None,
        guide: numpy.typing.ArrayLike | None = None,
    ) -> Synthesised:
        """
        The detailed surface over feature positions (n, 3): `Synthesised`; it stays as it is. A regression takes the velocity from the positions `before`, so many seconds ago; without them nothing moves. One whose displacements count takes these from the `guide` (n, 3), and raises ValueError without it.
        """
    @property
    def features(self) -> Features:
        """
        Of the feature mesh.
        """
    @property
    def pose_space(self) -> PoseSpace:
        """
        Of the poses. Raises ValueError where weights come from a regression.
        """
    @property
    def regression(self) -> Regression:
        """
        Where weights come from; None for a pose space.
        """
    @property
    def subdivision(self) -> LoopSubdivision:
        """
        The `LoopSubdivision` of the feature mesh.
        """

class Compute:
    """
    Where surfaces are made.

    Members:

      cpu

      gpu
    """

    __members__: typing.ClassVar[dict[str, Compute]]
    cpu: typing.ClassVar[Compute]
    gpu: typing.ClassVar[Compute]
    @typing.overload
    def __eq__(self, other: Compute) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Compute) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Params:
    """
    Every number a run by example depends on besides its clip: one frozen tree.
    """
    @staticmethod
    def fields() -> list[pucker._core.ParamField]:
        """
        List of ParamField: all fields in order, those of nodes included.
        """
    @staticmethod
    def from_toml(text: str) -> Params:
        """
        A tree from a TOML document; fields left out have their defaults.
        """
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __getstate__(self) -> dict: ...
    def __hash__(self) -> int: ...
    def __init__(self, **kwargs) -> None:
        """
        Defaults, but for the fields given. Enums may be given by name, nodes as dicts. Raises ValueError for an unknown field or a value of the wrong kind; the whole tree also for a value out of its range.
        """
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: dict) -> None: ...
    def replace(self, **kwargs) -> Params:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    def to_toml(self) -> str:
        """
        The tree as a TOML document; from_toml gives an equal tree back.
        """
    def validate(self) -> None:
        """
        Raises ValueError naming the first parameter out of its range.
        """
    @property
    def compute(self) -> Compute:
        """
        where surfaces are made: cpu: with each frame, gpu: where they are drawn, else when they are asked for; default Compute.cpu
        """
    @property
    def damping(self) -> float:
        """
        of that spring, as a share of the critical; in [0.01, 1], default 0.3
        """
    @property
    def gain(self) -> float:
        """
        detail as a multiple of the examples'; in [0, 1e+06], default 1
        """
    @property
    def lag(self) -> float:
        """
        time constant with which weights follow the deformation, in seconds; in [0, inf), default 0
        """
    @property
    def reach(self) -> float:
        """
        distance from the nearest pose up to which detail is whole; at twice it there is none; 0: however far; in [0, inf), default 0
        """
    @property
    def sewn(self) -> bool:
        """
        whether vertices shared with the rest of the character stay where they are; default True
        """
    @property
    def sway(self) -> float:
        """
        period in seconds of the spring by which each vertex follows its place, the detail with it; 0: no spring; in [0, inf), default 0
        """
    @property
    def swing(self) -> float | None:
        """
        how long the motion of the guide's cloth carries it on, in seconds, as of draped cloth; 0: at rest in every frame; none: as that of the cloth that taught the set; in [0, 1e+06], default None
        """
    @property
    def trail(self) -> float:
        """
        time by which the garment trails its guide, as a multiple of what the trained set was taught; in [0, 1e+06], default 1
        """
    @property
    def trained(self) -> str:
        """
        file of the trained set; default
        """

class GuideCloth:
    """
    The coarse mesh as cloth, held to the guide as the examples' cloth is.

    It is brought into balance before detail is predicted for it: what finer cloth adds to that depends on less.

    Args:
        params: A `drape.Params` of at most one level, without contact and maps.
        cut: (n, 3), the pose that the garment was cut for.

    Raises:
        ValueError: For a cut of another shape.
    """
    def __getstate__(self) -> tuple[pucker._core._drape.Params, numpy.typing.NDArray[numpy.float64]]: ...
    def __init__(self, params: pucker._core._drape.Params, cut: numpy.typing.ArrayLike) -> None: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    def balances(
        self,
        mesh: pucker._core.Mesh,
        positions: numpy.typing.ArrayLike,
        times: numpy.typing.ArrayLike,
        shared: numpy.typing.ArrayLike = (),
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        The cloth on one frame after the other, (frames, n, 3) of the mesh.

        Of subdivided cloth x they are the least-squares fit by the subdivision matrix, (WᵀW)⁻¹ Wᵀ x, but for shared vertices.

        Args:
            mesh: The coarse mesh.
            positions: (frames, n, 3) of the guide.
            times: (frames,) in seconds.
            shared: Vertices that the rest of the character has as well, which stay on the guide.

        Raises:
            ValueError: As `on`, for shapes that do not fit and for times that do not grow.
        """
    def on(self, mesh: pucker._core.Mesh, shared: numpy.typing.ArrayLike = ()) -> pucker._core._drape.Drape:
        """
        A `drape.Drape` of the mesh, before its first frame.

        `shared` are vertices that the rest of the character has as well, which stay on the guide.

        Raises:
            ValueError: For parameters of more than one level, with contact or maps, and a cut of another mesh.
        """
    @property
    def cut(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): the pose that the garment was cut for.
        """
    @property
    def params(self) -> pucker._core._drape.Params:
        """
        Of the cloth.
        """

class ExampleDetail(pucker._core.method.Detail):
    """
    The fine mesh that one frame puts over the coarse one; arrays are views.
    """
    @property
    def fine_normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3), unit; zero for a vertex without area.
        """
    @property
    def fine_positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3) of the fine mesh.
        """
    @property
    def subdivision(self) -> LoopSubdivision:
        """
        The `LoopSubdivision`, whose `fine` has the triangles.
        """

class Sway:
    """
    Masses on springs to the coarse vertices; arrays are views. Both empty without `params.sway`.
    """
    @property
    def offsets(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): how far each is from its vertex.
        """
    @property
    def speeds(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): velocities over 2π / `params.sway`, lengths.
        """

class Trail:
    """
    By how much the garment trails its guide; a view. Empty for a set that does not.
    """
    @property
    def offsets(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): how far each coarse vertex is behind its place.
        """

class State(pucker._core.method.State):
    """
    What one frame gave. It stays as it is when the run goes on; arrays are views of it.
    """
    def __repr__(self) -> str: ...
    @property
    def balance(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): the coarse mesh that detail is put on, the guide's cloth; `positions` for a set without.
        """
    @property
    def detail(self) -> ExampleDetail:
        """
        The surface, an ExampleDetail.
        """
    @property
    def pose_weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, P) where weights are computed, after the lag.
        """
    @property
    def surface(self) -> Synthesised:
        """
        `Synthesised`, with the weights after the lag. With `compute` gpu it is made when it is first asked for.
        """
    @property
    def sway(self) -> Sway:
        """
        `Sway`: how far the garment lags and swings as a whole.
        """
    @property
    def trail(self) -> Trail:
        """
        `Trail`: how far the garment is behind its guide.
        """

class ByExample(pucker._core.method.Method):
    """
    The whole method: the detail of recorded poses, frame after frame.

    The weights of the poses follow those of the deformation with a time constant of `params.lag`; with `params.sway` the garment
    follows its guide on damped springs of that period. `params.trained`, the name of a file, is not read.

    Args:
        synthesis: A Synthesis, which is copied.
        params: A Params of this module.
        shared: Vertices that the rest of the character has as well; with `params.sewn` they stay where they are.
        cloth: Of the guide, whose balance detail is predicted for; None: for the positions themselves.

    Raises:
        ValueError: For parameters out of range, vertices that there are not, and a cut of another mesh.
    """
    @staticmethod
    def restore(bytes: bytes) -> ByExample:
        """
        A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.
        """
    def __getstate__(self) -> bytes: ...
    def __init__(
        self,
        synthesis: Synthesis,
        params: Params = ...,
        shared: numpy.typing.ArrayLike = (),
        cloth: GuideCloth | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: bytes) -> None: ...
    def advance(self, positions: numpy.typing.ArrayLike, time: typing.SupportsFloat | typing.SupportsIndex) -> State:
        """
        One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is not finite or a time that is not later. Whatever it raises, nothing has changed then.
        """
    @property
    def params(self) -> Params:
        """
        What the run was made with.
        """
    @property
    def state(self) -> State:
        """
        Of the last frame.
        """

def read_trained(path: str) -> dict:
    """
    What the file of a trained set holds, as `TrainedSet` takes it; `options`, `origin` and `regression` are dicts, `cloth` a GuideCloth.

    Raises pucker.Error, naming the file, if it is missing, truncated or damaged, no trained set, or of a newer version.
    """

def require_mesh_of_set(
    faces: numpy.typing.ArrayLike,
    vertex_count: typing.SupportsInt | typing.SupportsIndex,
    mesh: pucker._core.Mesh,
    *,
    parts: collections.abc.Sequence[str] = [],
    file: str = "",
) -> None:
    """
    Raises ValueError unless `mesh` has these vertices and triangles (m, 3), saying what differs, and which parts of which file the set is for.
    """

def require_rest_of_set(set: Features, rest: numpy.typing.ArrayLike) -> None:
    """
    Raises ValueError unless the edges of `rest` (n, 3) are as long as those of the features' rest pose, to a thousandth.
    """

def require_unit_of_set(set: Features, positions: numpy.typing.ArrayLike) -> None:
    """
    Raises ValueError if positions (n, 3) of any pose are of another unit of length than the features: if the median of the edges' stretch is not within a factor of 1.5.
    """

def sharp_corners(mesh: pucker._core.Mesh, rest: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.bool]:
    """
    (n,) bool: corners, as a flag has four. Vertices of a border whose triangles make less than 120° together there.

    Args:
        mesh: The mesh.
        rest: (n, 3), the pose it was made in. A hem around a limb, however coarse, has about 180° there.

    Raises:
        ValueError: For positions that do not fit the mesh or are not finite.
    """
