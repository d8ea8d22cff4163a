"""
The wave field: a plane wave per vertex, aligned with its neighbours.

J. Loviscach, Wrinkling Coarse Meshes on the GPU, Computer Graphics Forum 25(3), 2006.
"""

from __future__ import annotations
import numpy
import numpy.typing
import pucker._core
import pucker._core.method
import typing

__all__: list[str] = [
    "Compute",
    "ComputedField",
    "ComputedState",
    "Coordinates",
    "Crush",
    "CrushParams",
    "CrushReport",
    "FieldPoints",
    "Gradient",
    "Influence",
    "PaintingBase",
    "Params",
    "PhaseReport",
    "PlaneWaves",
    "Pleat",
    "PleatTable",
    "Relax",
    "RelaxParams",
    "Start",
    "State",
    "WaveDetail",
    "WaveField",
    "WavelengthUnit",
]

class WavelengthUnit:
    """
    What a wavelength is measured in.

    Members:

      height

      clip
    """

    __members__: typing.ClassVar[dict[str, WavelengthUnit]]
    clip: typing.ClassVar[WavelengthUnit]
    height: typing.ClassVar[WavelengthUnit]
    @typing.overload
    def __eq__(self, other: WavelengthUnit) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: WavelengthUnit) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Pleat:
    """
    Cross-section of the waves.

    Members:

      cosine

      accordion

      pencil
    """

    __members__: typing.ClassVar[dict[str, Pleat]]
    accordion: typing.ClassVar[Pleat]
    cosine: typing.ClassVar[Pleat]
    pencil: typing.ClassVar[Pleat]
    @typing.overload
    def __eq__(self, other: Pleat) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Pleat) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Gradient:
    """
    Slope of the field without or with the change of the corners' weights.

    Members:

      printed

      full
    """

    __members__: typing.ClassVar[dict[str, Gradient]]
    full: typing.ClassVar[Gradient]
    printed: typing.ClassVar[Gradient]
    @typing.overload
    def __eq__(self, other: Gradient) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Gradient) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Coordinates:
    """
    What phases are measured along: the rest pose, or the frame as printed.

    Members:

      rest

      frame
    """

    __members__: typing.ClassVar[dict[str, Coordinates]]
    frame: typing.ClassVar[Coordinates]
    rest: typing.ClassVar[Coordinates]
    @typing.overload
    def __eq__(self, other: Coordinates) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Coordinates) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Compute:
    """
    Where frames are computed.

    Members:

      cpu

      gpu

      skinned
    """

    __members__: typing.ClassVar[dict[str, Compute]]
    cpu: typing.ClassVar[Compute]
    gpu: typing.ClassVar[Compute]
    skinned: typing.ClassVar[Compute]
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

class Start:
    """
    The phases of waves that appear.

    Members:

      random

      solved

      carried
    """

    __members__: typing.ClassVar[dict[str, Start]]
    carried: typing.ClassVar[Start]
    random: typing.ClassVar[Start]
    solved: typing.ClassVar[Start]
    @typing.overload
    def __eq__(self, other: Start) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Start) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Influence:
    """
    The height by which a neighbour weighs: relative, or a length as printed.

    Members:

      relative

      length
    """

    __members__: typing.ClassVar[dict[str, Influence]]
    length: typing.ClassVar[Influence]
    relative: typing.ClassVar[Influence]
    @typing.overload
    def __eq__(self, other: Influence) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Influence) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class CrushParams:
    """
    Local deformation (Loviscach 2006, section 4.2).
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
    def replace(self, **kwargs) -> CrushParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def bend(self) -> float:
        """
        largest height where the surface bends, as a share of its radius of curvature; 1e9: as printed; in (0, inf), default 0.35
        """
    @property
    def growth(self) -> float:
        """
        largest growth of waves per interval, as a share of the greatest height; from 1 on: at once; in (0, inf), default 0.2
        """
    @property
    def min_stretch(self) -> float:
        """
        stretch below which cloth counts as so stretched when wave vectors are carried to it; in [1e-06, 1], default 0.05
        """
    @property
    def smoothing(self) -> int:
        """
        rounds in which a vertex takes the mean of its neighbours' compression and its own; 0: as printed; in [0, 1000], default 2
        """
    @property
    def threshold(self) -> float:
        """
        compression from which cloth waves; 1: as printed, from the least on; in [1, inf), default 1.05
        """
    @property
    def turn(self) -> float:
        """
        largest turn of the highest waves per interval, in radians, lower ones turn faster; from 2 on: at once; in (0, inf), default 0.02
        """

class RelaxParams:
    """
    Alignment of the waves of neighbours (Loviscach 2006, section 5.2).
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
    def replace(self, **kwargs) -> RelaxParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def influence(self) -> Influence:
        """
        a neighbour weighs by its height relative to the highest, or by its length; default Influence.relative
        """
    @property
    def rounds(self) -> int:
        """
        steps of the descent per interval; in [0, 1e+06], default 4
        """
    @property
    def slide(self) -> float:
        """
        largest slide of the highest waves per interval, in radians, lower ones slide faster; in (0, inf), default 0.1
        """
    @property
    def start(self) -> Start:
        """
        first phases: random, solved: those of least error by one eigenproblem, or carried: in each part those that follow from its first vertex; default Start.solved
        """
    @property
    def start_rounds(self) -> int:
        """
        steps of the descent in the first frame; in [0, 1e+06], default 200
        """
    @property
    def step(self) -> float:
        """
        step of the descent; 2*pi^2 at most, else errors grow; in (0, 19.7392], default 9.8696
        """

class Params:
    """
    Every number a run of the wave field depends on besides its clip.
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
    def border_fade(self) -> float:
        """
        wavelengths within which waves fade out towards a border shared with what is not cloth, and towards what another layer covers; 0: never; in [0, inf), default 1
        """
    @property
    def compute(self) -> Compute:
        """
        where frames are computed: cpu, gpu: where they are drawn, skinned: there, from the clip's bones; default Compute.cpu
        """
    @property
    def coordinates(self) -> Coordinates:
        """
        what phases are measured along: rest: the cloth, frame: space, as printed; default Coordinates.rest
        """
    @property
    def crush(self) -> CrushParams:
        """
        local deformation
        """
    @property
    def gradient(self) -> Gradient:
        """
        slope of the field: printed: without, full: with the change of the weights; default Gradient.printed
        """
    @property
    def interval(self) -> float:
        """
        interval all rates are stated for, in seconds; in (0, inf), default 0.0333333
        """
    @property
    def painting(self) -> str:
        """
        file of painted wrinkles; default
        """
    @property
    def profile(self) -> Pleat:
        """
        cross-section of the waves; default Pleat.cosine
        """
    @property
    def relax(self) -> RelaxParams:
        """
        alignment of the waves of neighbours
        """
    @property
    def seed(self) -> int:
        """
        key of the random phases; in [0, inf), default 0
        """
    @property
    def unit(self) -> WavelengthUnit:
        """
        of the wavelength: height of the clip, or clip: its unit of length; default WavelengthUnit.height
        """
    @property
    def wavelength(self) -> float:
        """
        wavelength in the rest pose, in `unit`; in (0, inf), default 0.08
        """
    @property
    def wavelength_map(self) -> str:
        """
        file of what the wavelength is multiplied with: a picture, white as 1, or an .npy of a number a vertex; default
        """

class PleatTable:
    """
    Cross-section of a wave: an even function f of period 2π with values in [-1, 1], and its slope.

    32 values of each at 2πi/32, linearly interpolated between them (Loviscach 2006, section 6.3). Even, because the sign of
    a wave's direction is free.

    Args:
        profile: A Pleat or its name; (32,) values of f, whose slopes are their symmetric differences; or a function that
            takes the phases (32,) in radians and returns such values.

    Raises:
        ValueError: For another shape, and for values that are not finite, above 1 or not even, to 1e-9.
    """
    def __init__(self, profile: typing.Any) -> None: ...
    def __repr__(self) -> str: ...
    def slope(self, phase: numpy.typing.ArrayLike) -> typing.Any:
        """
        f' at phases in radians, of any shape.
        """
    def value(self, phase: numpy.typing.ArrayLike) -> typing.Any:
        """
        f at phases in radians, of any shape.
        """
    @property
    def slopes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (32,): f' at 2πi/32; a view.
        """
    @property
    def values(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (32,): f at 2πi/32; a view.
        """

class CrushReport:
    """
    Vertices that have no wave, or a bounded one.
    """
    def __repr__(self) -> str: ...
    @property
    def bounded(self) -> int:
        """
        With a stretch below `min_stretch` in this frame.
        """
    @property
    def flattened(self) -> int:
        """
        Without a tangent plane in this frame.
        """
    @property
    def isolated(self) -> int:
        """
        Without neighbours.
        """
    @property
    def singular(self) -> int:
        """
        Whose neighbours lie on one line in the rest pose, or that have no normal there.
        """

class PlaneWaves:
    """
    The wave of each vertex v of a frame, without its phase; arrays are views.

    height(x') = amplitude · f(2π/wavelength · wave_vector·(x' - x'_v) + phase).
    """
    def __repr__(self) -> str: ...
    @property
    def amplitudes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): h, in [0, W/4].
        """
    @property
    def directions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): k, unit, in the rest pose's tangent plane.
        """
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): of the frame's vertices.
        """
    @property
    def stretches(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): r >= 0, the smallest stretch against the rest pose, 1 = none.
        """
    @property
    def wave_vectors(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): k', in the frame's tangent plane, 1/r long without painting.
        """
    @property
    def wavelengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): W, in the rest pose.
        """

class Crush:
    """
    Where and how strongly cloth is compressed: a plane wave per vertex.

    M = (Σ v'⊗v)(Σ v⊗v)⁻¹ fits the edges v' round a vertex, in its tangent plane, to those of the rest pose. r² is the
    smaller eigenvalue of MᵀM, k its eigenvector, h = W/4·sqrt(max(1 - (t r)², 0)) with t = `threshold`, k' the vector with k'·(x' - x'0) =
    k·(x - x0) (Loviscach 2006, equations 1 to 4). The sign of k is free; it is the one that turns k the least from the
    frame before, and by no more than `params.turn` allows.

    Args:
        mesh: The Mesh.
        rest: (n, 3), the pose without wrinkles.
        wavelength: W in the unit of `rest`: a number, or (n,).
        params: A CrushParams.

    Raises:
        ValueError: For a wrong shape, positions that are not finite, and wavelengths out of [1e-30, 1e30].
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        rest: numpy.typing.ArrayLike,
        wavelength: numpy.typing.ArrayLike,
        params: CrushParams = ...,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def step(self, positions: numpy.typing.ArrayLike) -> PlaneWaves:
        """
        PlaneWaves of a frame with `positions` (n, 3). Raises ValueError for a wrong shape or a position that is not finite; nothing has changed then.
        """
    @property
    def mesh(self) -> pucker._core.Mesh:
        """
        The Mesh that was given.
        """
    @property
    def paint(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): painted wrinkles p, each across its wrinkle in the rest pose, shorter than 1. Raises ValueError otherwise.
        """
    @paint.setter
    def paint(self, arg1: numpy.typing.ArrayLike) -> None: ...
    @property
    def report(self) -> CrushReport:
        """
        CrushReport of the last frame.
        """
    @property
    def wavelengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): W, from the next frame on; may be set to one number. Raises ValueError unless all are finite and above 0.
        """
    @wavelengths.setter
    def wavelengths(self, arg1: numpy.typing.ArrayLike) -> None: ...

class PhaseReport:
    """
    What a global solution is worth.
    """
    def __repr__(self) -> str: ...
    @property
    def eigenvalue(self) -> float:
        """
        Largest of the parts' smallest eigenvalues, in [0, 2]; 0 = no error at all.
        """
    @property
    def parts(self) -> int:
        """
        Connected parts of the wrinkled cloth, each solved by itself.
        """
    @property
    def products(self) -> int:
        """
        Solutions of the linear system that were needed.
        """
    @property
    def residual(self) -> float:
        """
        Largest ‖N y - λ y‖ of a part, for ‖y‖ = 1.
        """

class Relax:
    """
    The phases of the waves, relaxed until the waves of neighbours meet.

    E0 = 1/N Σ g_n d² over the neighbours n of a vertex 0, d the difference in cycles of both waves' phases halfway along
    the edge, g_n = clamp(4 a_n - 0.2, 0, 1); a step is φ0 <- φ0 - ε ∂E0/∂φ0, every vertex from the phases before it
    (Loviscach 2006, section 5.2). Steps are stable, and never raise `energy`, for ε <= 2π².

    Args:
        mesh: The Mesh.
        params: A RelaxParams.
        seed: Key of the random phases.

    Raises:
        ValueError: For parameters out of range, a step above 2π² among them.
    """
    def __init__(
        self, mesh: pucker._core.Mesh, params: RelaxParams = ..., seed: typing.SupportsInt | typing.SupportsIndex = 0
    ) -> None: ...
    def __repr__(self) -> str: ...
    def carry_on(self, kept: numpy.typing.ArrayLike) -> bool:
        """
        Carries the phases of vertices that are true in `kept` (n,) on to the others that have a weight, ring by ring.

        Each takes the mean of the phases that its neighbours of the rings before predict, then once more with those of its own
        ring. Connected parts without a kept vertex are left alone; returns whether there are any. Raises ValueError for another length.
        """
    def carry_on_everywhere(self, kept: numpy.typing.ArrayLike) -> None:
        """
        As `carry_on`; parts without a kept vertex are given the phase of their first vertex, ring by ring.
        """
    def prepare(self, waves: PlaneWaves, places: numpy.typing.ArrayLike, coordinates: typing.Any = "frame") -> None:
        """
        Takes the waves of a frame: from now on phases are compared over its edges between `places` (n, 3), the positions of the frame, or with `coordinates` = rest those of the rest pose. Raises ValueError for a wrong shape or a place that is not finite; nothing has changed then.
        """
    def solve(self) -> PhaseReport:
        """
        Phases of least error of the whole frame at once, with every phase as a unit number z = (cos φ, sin φ).

        The smallest eigenvector of the graph of the edges, weighted by g0 gn, that carries z from end to end. Returns a
        PhaseReport. Raises pucker.Error if it was not found; the phases are then unchanged.
        """
    def step(self, rounds: typing.SupportsInt | typing.SupportsIndex = 1) -> None:
        """
        `rounds` steps of the descent. Raises ValueError below 0.
        """
    @property
    def bifurcations(self) -> numpy.typing.NDArray[numpy.int8]:
        """
        (m,) int8: crests that end in each triangle; -1 where the directions do not agree on signs.
        """
    @property
    def differences(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (e,): d of each edge of the mesh in cycles, in [-1/2, 1/2], seen from its first vertex.
        """
    @property
    def energy(self) -> float:
        """
        Mean of d² over the edges, weighted by g0 gn, in squared cycles: what no step raises.
        """
    @property
    def errors(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): E0 of each vertex, in squared cycles.
        """
    @property
    def influences(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): g of each vertex.
        """
    @property
    def offsets(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (e,): of each edge (a, b): sign·φ_b and φ_a should differ by -2π·offset.
        """
    @property
    def phases(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): φ in radians, the whole state. Setting it raises ValueError unless all are finite.
        """
    @phases.setter
    def phases(self, arg1: numpy.typing.ArrayLike) -> None: ...
    @property
    def signs(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (e,): -1 where the waves of an edge's ends run towards each other, else 1.
        """

class FieldPoints:
    """
    The height field at points of the mesh; arrays are views.
    """
    def __repr__(self) -> str: ...
    @property
    def gradients(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): ∂h/∂x', without a unit.
        """
    @property
    def heights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): along the normal of the surface, negative inwards.
        """

class WaveDetail(pucker._core.method.Detail):
    """
    The surface that the waves of one frame make of the mesh.
    """
    def evaluate_field(self, triangles: numpy.typing.ArrayLike, barycentrics: numpy.typing.ArrayLike) -> FieldPoints:
        """
        The height field at N points of the mesh (Loviscach 2006, equations 5 and 8).

        Args:
            triangles: (N,) the triangle each point lies in.
            barycentrics: (N, 3) its coordinates there.

        Returns:
            FieldPoints.

        Raises:
            ValueError: For a wrong shape, a triangle out of range, or coordinates outside of it.
        """

class State(pucker._core.method.State):
    """
    What one frame gave. It stays as it is when the run goes on; arrays are views of it.
    """
    def __repr__(self) -> str: ...
    @property
    def detail(self) -> WaveDetail:
        """
        The surface, a WaveDetail.
        """
    @property
    def energy(self) -> float:
        """
        Mean squared phase error in squared cycles, see Relax.energy.
        """
    @property
    def phases(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): φ in radians.
        """
    @property
    def report(self) -> CrushReport:
        """
        CrushReport.
        """
    @property
    def waves(self) -> PlaneWaves:
        """
        PlaneWaves of the vertices.
        """

class WaveField(pucker._core.method.Method):
    """
    The whole method of the wave field: one frame after the other.

    Args:
        mesh: The Mesh.
        rest: (n, 3), the pose without wrinkles.
        params: A Params of this module.
        height: Of the character, which `params.wavelength` is a share of if `params.unit` is height.
        shared: Vertices that the rest of the character has as well: waves fade out towards them as `params.border_fade` says,
            and they stay where they are.

    Raises:
        ValueError: For parameters out of range, a rest pose that is not (n, 3) and finite, a height that is missing or
            not finite and positive, and shared vertices that there are not.
    """
    @staticmethod
    def restore(bytes: bytes) -> WaveField:
        """
        A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.
        """
    def __getstate__(self) -> bytes: ...
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        rest: numpy.typing.ArrayLike,
        params: Params = ...,
        height: typing.SupportsFloat | typing.SupportsIndex | None = None,
        *,
        shared: numpy.typing.ArrayLike = (),
    ) -> None: ...
    def __setstate__(self, arg0: bytes) -> None: ...
    def advance(self, positions: numpy.typing.ArrayLike, time: typing.SupportsFloat | typing.SupportsIndex) -> State:
        """
        One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is not finite or a time that is not later. Whatever it raises, nothing has changed then.
        """
    def solve(self) -> PhaseReport:
        """
        Gives the last frame the phases of least error, see Relax.solve; `state` then is that. Raises ValueError before the first frame.
        """
    @property
    def paint(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): painted wrinkles, from the next frame on; see Crush.paint.
        """
    @paint.setter
    def paint(self, arg1: numpy.typing.ArrayLike) -> None: ...
    @property
    def params(self) -> Params:
        """
        What the run was made with.
        """
    @property
    def profile(self) -> PleatTable:
        """
        PleatTable, from the next frame on; may be set to whatever a PleatTable is made of.
        """
    @profile.setter
    def profile(self, arg1: typing.Any) -> None: ...
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): the pose without wrinkles.
        """
    @property
    def state(self) -> State:
        """
        Of the last frame.
        """
    @property
    def wavelengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): W of each vertex in the unit of the clip, from the next frame on; may be set to one number.
        """
    @wavelengths.setter
    def wavelengths(self, arg1: numpy.typing.ArrayLike) -> None: ...

class ComputedState(pucker._core.method.State):
    """
    A frame that is computed where it is drawn. What is asked of it here is what a WaveField has of the same frames.
    """
    def __repr__(self) -> str: ...
    @property
    def reference(self) -> State:
        """
        State that a WaveField has of the frame; one that follows the last one asked for takes one step, any other all from the first frame on.
        """

class ComputedField(pucker._core.method.Method):
    """
    The wave field as compute programs run it, in 32 bits on the GPU.

    Frames are taken in; Skin, Crush and Relax run where a state is drawn, for all frames since the one drawn last. Args and
    errors are those of WaveField; `params.relax.start` must be carried or random.
    """
    @staticmethod
    def restore(bytes: bytes) -> ComputedField:
        """
        A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.
        """
    def __getstate__(self) -> bytes: ...
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        rest: numpy.typing.ArrayLike,
        params: Params = ...,
        height: typing.SupportsFloat | typing.SupportsIndex | None = None,
        *,
        shared: numpy.typing.ArrayLike = (),
    ) -> None: ...
    def __setstate__(self, arg0: bytes) -> None: ...
    def advance(
        self, positions: numpy.typing.ArrayLike, time: typing.SupportsFloat | typing.SupportsIndex
    ) -> ComputedState:
        """
        One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is not finite or a time that is not later. Whatever it raises, nothing has changed then.
        """
    def set_bones(self, skin: pucker._core.Skin) -> str:
        """
        Has vertices placed by their joints, four at most; the positions of the frames must be those of the skin.

        Args:
            skin: The Skin of the clip.

        Returns:
            How its influences were cut; empty if they were not.

        Raises:
            ValueError: For the skin of another mesh, and after the first frame.
        """
    @property
    def paint(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): painted wrinkles, to be set before the first frame.
        """
    @paint.setter
    def paint(self, arg1: numpy.typing.ArrayLike) -> None: ...
    @property
    def params(self) -> Params:
        """
        What the run was made with.
        """
    @property
    def profile(self) -> PleatTable:
        """
        PleatTable, to be set before the first frame.
        """
    @profile.setter
    def profile(self, arg1: typing.Any) -> None: ...
    @property
    def state(self) -> ComputedState:
        """
        Of the last frame.
        """
    @property
    def wavelengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,): W of each vertex, to be set before the first frame.
        """
    @wavelengths.setter
    def wavelengths(self, arg1: numpy.typing.ArrayLike) -> None: ...

class PaintingBase:
    """
    A vector p a vertex, across its wrinkle in the rest pose's tangent plane and shorter than 1, zero at first.

    `Crush.paint` says what waves make of it: those of cloth that was shortened along p before. Only the methods of
    `Painting` make several changes one and write files.

    Args:
        mesh: The Mesh.
        rest: (n, 3), the pose without wrinkles.
        path: A file of a painting to go on with.

    Raises:
        ValueError: For a rest pose of another shape or that is not finite, and for a painting of another mesh or rest pose,
            saying what differs.
        pucker.Error: For a file that is no painting.
    """
    def __init__(self, mesh: pucker._core.Mesh, rest: numpy.typing.ArrayLike, path: str | None = None) -> None: ...
    def __repr__(self) -> str: ...
    def begin(self) -> None:
        """
        What is painted until the `end` of the first `begin` is undone together.
        """
    def carried(
        self,
        triangle: typing.SupportsInt | typing.SupportsIndex,
        positions: numpy.typing.ArrayLike,
        direction: numpy.typing.ArrayLike,
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        A direction (3,) seen in a frame, as it lies in the rest pose: the part of it in the triangle moves with the cloth.

        Args:
            triangle: Its number.
            positions: (n, 3) of the frame.
            direction: (3,) in the frame.

        Raises:
            ValueError: For a triangle out of range, and positions or a direction of another shape.
        """
    def clear(self) -> None:
        """
        Erases everything.
        """
    def end(self) -> None:
        """
        Raises ValueError without a `begin`.
        """
    def erase(
        self,
        triangle: typing.SupportsInt | typing.SupportsIndex,
        barycentric: numpy.typing.ArrayLike,
        *,
        radius: typing.SupportsFloat | typing.SupportsIndex,
        strength: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> None:
        """
        Shortens vectors around a point to the share 1 - w `strength`, w as of `stroke`; raises what it does. `strength` lies in [0, 1].
        """
    def random(
        self,
        seed: typing.SupportsInt | typing.SupportsIndex,
        *,
        strength: typing.SupportsFloat | typing.SupportsIndex = 0.5,
        smoothing: typing.SupportsInt | typing.SupportsIndex = 4,
    ) -> None:
        """
        Paints everything anew at random: directions and lengths of a normal distribution, smoothed over neighbours.

        Args:
            seed: The same seed gives the same painting.
            strength: Length of the longest vector, in [0, 1).
            smoothing: How often each vertex takes the mean of itself and its neighbours.

        Raises:
            ValueError: For a strength outside of [0, 1) and a smoothing below 0. Nothing has changed then.
        """
    def stroke(
        self,
        triangle: typing.SupportsInt | typing.SupportsIndex,
        barycentric: numpy.typing.ArrayLike,
        direction: numpy.typing.ArrayLike,
        *,
        radius: typing.SupportsFloat | typing.SupportsIndex,
        strength: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None:
        """
        Blends wrinkles across `direction` in, around a point of the mesh.

        A vertex takes them up by its share w = (1 - (d/radius)²)², d its distance from the point in the rest pose, if edges lead
        to it over vertices that are within the radius: p becomes (1 - w) p ± w strength t, t the direction in its tangent
        plane, of the sign that is nearer to p, as wrinkles across t and -t are the same. No vector gets longer than `strength`
        or than it was.

        Args:
            triangle: Its number.
            barycentric: (3,), the point in it.
            direction: (3,) in the rest pose; see `carried`.
            radius: In the unit of the rest pose.
            strength: In [0, 1).

        Raises:
            ValueError: For a triangle out of range, a point outside of it, a direction that is not finite or zero, a radius
                that is not finite and positive, and a strength outside of [0, 1). Nothing has changed then.
        """
    def undo(self) -> bool:
        """
        Takes the last change back, between `begin` and `end` all of it so far; whether there was one.
        """
    @property
    def arrays(self) -> dict:
        """
        What a file keeps, by name: a dict.
        """
    @property
    def mesh(self) -> pucker._core.Mesh:
        """
        The Mesh that was given.
        """
    @property
    def vectors(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): p of each vertex; a copy.
        """
