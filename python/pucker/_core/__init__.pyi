"""
Compiled core of pucker.
"""

from __future__ import annotations
import collections.abc
import enum
import numpy
import numpy.typing
import typing
from . import method
from . import sources
from . import profiles
from . import _waves
from . import _byexample
from . import _drape
from . import draw
from . import scene

__all__: list[str] = [
    "AlphaMode",
    "Clip",
    "ClipReport",
    "CompressionField",
    "Crowd",
    "CurveSamples",
    "CutSkin",
    "Error",
    "FabricParams",
    "Facets",
    "FileInfo",
    "Frame",
    "Guide",
    "GuideParams",
    "HeightRule",
    "LABEL_TINTS",
    "Label",
    "LabelParams",
    "LabelSolver",
    "Labeller",
    "LocalFrames",
    "Material",
    "Mesh",
    "MeshReport",
    "Motion",
    "Norm",
    "PackedWrinkles",
    "Packer",
    "ParamField",
    "Params",
    "PathCurve",
    "PathDetail",
    "PathEnergy",
    "Persistence",
    "PersistenceMethod",
    "PersistenceParams",
    "Profile",
    "ReferenceParams",
    "ReferenceShape",
    "ReferenceStart",
    "Seed",
    "Seeding",
    "SegmentIndex",
    "ShapeParams",
    "Shaper",
    "SharedBorder",
    "Skeleton",
    "Skin",
    "State",
    "Stretch",
    "Subdivision",
    "Tracer",
    "TracingParams",
    "WalkEnd",
    "Wrinkle",
    "WrinkledSurface",
    "Wrinkler",
    "bending_stiffness",
    "buckling_wavelength",
    "compression",
    "did_you_mean",
    "draw",
    "edge_levels",
    "ellipse_lines",
    "facets_of",
    "junctions",
    "label_costs",
    "label_tints",
    "libraries",
    "local_frames",
    "mean_edge_length",
    "method",
    "path_curve",
    "profiles",
    "reference_lines",
    "reference_triangles",
    "require_path",
    "rescale_rate",
    "sample_curve",
    "scene",
    "seed_dots",
    "smooth_path",
    "sources",
    "stretch",
    "stretch_ellipses",
    "threads",
    "vertex_factors",
    "vertex_normals",
    "weld",
    "wrinkle_widths",
]

class Error(Exception):
    """
    A file or a device could not be used.
    """

class Norm:
    """
    Norm of (a-1, b-1) in the label costs.

    Members:

      one

      two
    """

    __members__: typing.ClassVar[dict[str, Norm]]
    one: typing.ClassVar[Norm]
    two: typing.ClassVar[Norm]
    @typing.overload
    def __eq__(self, other: Norm) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Norm) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class LabelSolver:
    """
    How labels are found.

    Members:

      exact

      expansion

      swap
    """

    __members__: typing.ClassVar[dict[str, LabelSolver]]
    exact: typing.ClassVar[LabelSolver]
    expansion: typing.ClassVar[LabelSolver]
    swap: typing.ClassVar[LabelSolver]
    @typing.overload
    def __eq__(self, other: LabelSolver) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: LabelSolver) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class PersistenceMethod:
    """
    How paths are carried between frames.

    Members:

      edges

      projection
    """

    __members__: typing.ClassVar[dict[str, PersistenceMethod]]
    edges: typing.ClassVar[PersistenceMethod]
    projection: typing.ClassVar[PersistenceMethod]
    @typing.overload
    def __eq__(self, other: PersistenceMethod) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: PersistenceMethod) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Profile:
    """
    Cross-section of a wrinkle.

    Members:

      quartic

      sinusoidal

      arcs

      bspline

      wave

      crease
    """

    __members__: typing.ClassVar[dict[str, Profile]]
    arcs: typing.ClassVar[Profile]
    bspline: typing.ClassVar[Profile]
    crease: typing.ClassVar[Profile]
    quartic: typing.ClassVar[Profile]
    sinusoidal: typing.ClassVar[Profile]
    wave: typing.ClassVar[Profile]
    @typing.overload
    def __eq__(self, other: Profile) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Profile) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    def arc_length(
        self,
        width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        height: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Any:
        """
        Length of the cross-section over its width, to a relative error of 1e-12. Raises ValueError as `value` does.
        """
    def derivative(
        self,
        x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        height: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Any:
        """
        Slope of the cross-section at `x`: 0 at 0 and from width/2 on.

        Infinite for arcs of height width/2 at x = ±width/4. Raises ValueError as `value` does.
        """
    def height_for(
        self,
        width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        arc: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Any:
        """
        The height that gives the cross-section the length `arc`, to a residual of 1e-13·arc; 0 for arc = width.

        Raises:
            ValueError: For arc < width, for arc > π/2·width with arcs, and for lengths that are not finite and positive.
        """
    def measured_height(
        self,
        width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        arc: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Any:
        """
        The height that folds of simulated cloth have over a mesh compressed to width/arc.

        From crest to valley floor 0.56·ε^0.8 of the distance between two valleys, ε = arc/width - 1; without valleys the floor is
        at both ends. Measured by `metrics.ridges_of` on the truths, to a fifth for ε from 0.03 to 0.6: folds take up an eighth to
        a half of the compression.

        Raises:
            ValueError: For arc < width, and for lengths that are not finite and positive.
        """
    def value(
        self,
        x: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        width: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
        height: typing.Annotated[numpy.typing.ArrayLike, numpy.float64],
    ) -> typing.Any:
        """
        Height of the cross-section at `x` from its middle; 0 from width/2 on.

        With w = width/2: quartic, height·(1 - x²/w²)²; sinusoidal, height/2·(1 + cos πx/w); arcs, four quarter pieces of a
        circle that meet at (±w/2, height/2); bspline, a quadratic B-spline of three pieces; wave, height/2·(cos πx/w +
        cos 2πx/w), a ridge between valleys 9/16 as deep, of mean 0.

        Raises:
            ValueError: For a width that is not finite and positive, a height that is not finite and >= 0, a NaN for `x`, and a
                height above width/2 for arcs.
        """
    @property
    def name(self) -> str: ...

class ReferenceStart:
    """
    What the reference triangles start as.

    Members:

      first_frame

      rest

      rest_if_known
    """

    __members__: typing.ClassVar[dict[str, ReferenceStart]]
    first_frame: typing.ClassVar[ReferenceStart]
    rest: typing.ClassVar[ReferenceStart]
    rest_if_known: typing.ClassVar[ReferenceStart]
    @typing.overload
    def __eq__(self, other: ReferenceStart) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: ReferenceStart) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Seeding:
    """
    Where new paths may start.

    Members:

      scattered

      trains
    """

    __members__: typing.ClassVar[dict[str, Seeding]]
    scattered: typing.ClassVar[Seeding]
    trains: typing.ClassVar[Seeding]
    @typing.overload
    def __eq__(self, other: Seeding) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: Seeding) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class HeightRule:
    """
    What keeps the cloth's length across a wrinkle.

    Members:

      circle

      profile

      measured
    """

    __members__: typing.ClassVar[dict[str, HeightRule]]
    circle: typing.ClassVar[HeightRule]
    measured: typing.ClassVar[HeightRule]
    profile: typing.ClassVar[HeightRule]
    @typing.overload
    def __eq__(self, other: HeightRule) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: HeightRule) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class ParamField:
    """
    What a parameter is: one entry of Params.fields().
    """
    def __repr__(self) -> str: ...
    @property
    def choices(self) -> list[str]:
        """
        Names of an enumeration's members; empty for all others.
        """
    @property
    def common(self) -> bool:
        """
        Whether most users change it; the others are for experts.
        """
    @property
    def default(self) -> typing.Any:
        """
        A number, bool, text or member of an enumeration; None for a number that may be left out.
        """
    @property
    def doc(self) -> str:
        """
        Meaning and unit.
        """
    @property
    def high(self) -> float | None:
        """
        Upper end of a number's range, itself allowed unless infinite.
        """
    @property
    def low(self) -> float | None:
        """
        Lower end of a number's range, None for all others.
        """
    @property
    def low_included(self) -> bool:
        """
        Whether the lower end itself is allowed.
        """
    @property
    def name(self) -> str:
        """
        As in the text form, 'threshold' or 'shape.profile'.
        """

class LabelParams:
    """
    Compress / rest / stretch labelling (Gillette 2015, chapter 4).
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
    def replace(self, **kwargs) -> LabelParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def alpha(self) -> float:
        """
        fall of the Compress cost with compression; in (0, 500], default 9
        """
    @property
    def beta(self) -> float:
        """
        fall of the floor of the Compress cost with compression; in (0, inf), default 90
        """
    @property
    def norm(self) -> Norm:
        """
        norm of (a-1, b-1) in the cost of Rest; the theses print both; default Norm.one
        """
    @property
    def sigma(self) -> float:
        """
        spread of the data costs, in stretch; in [1e-06, 1e+150], default 0.05
        """
    @property
    def smoothness(self) -> float:
        """
        cost of one step between neighbouring labels C < R < S; in [0, inf), default 0.2
        """
    @property
    def solver(self) -> LabelSolver:
        """
        exact: the optimum by one cut; expansion, swap: the theses' moves; default LabelSolver.exact
        """

class ReferenceParams:
    """
    Reference triangles (Gillette 2015, section 4.2).
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
    def replace(self, **kwargs) -> ReferenceParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def keep(self) -> float:
        """
        share of the stretch a compressing triangle keeps per interval; in (0, 1], default 0.95
        """
    @property
    def start(self) -> ReferenceStart:
        """
        first_frame: they start as the triangles of the first frame; rest: of the rest pose; rest_if_known: of the rest pose where there is one and verbatim is off; default ReferenceStart.rest_if_known
        """

class FabricParams:
    """
    What the cloth is made of (Cerda and Mahadevan 2003).
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
    def replace(self, **kwargs) -> FabricParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def bending(self) -> float | None:
        """
        bending stiffness, N m with the clip in metres, from which min_width follows; none: not known; in [1e-30, 1e+30], default None
        """
    @property
    def length(self) -> float:
        """
        length of the wrinkles that buckle as widely, in the clip's unit; shorter ones are narrower by its root; in [1e-30, 1e+30], default 1
        """
    @property
    def tension(self) -> float:
        """
        tension along the wrinkles, N/m; in [1e-30, 1e+30], default 1
        """

class GuideParams:
    """
    What stands for the cloth when its stretch is measured.
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
    def replace(self, **kwargs) -> GuideParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def narrowing(self) -> float:
        """
        Poisson's ratio by which cloth stretched one way narrows the other and wrinkles; 0: it does not; in [0, 4], default 0
        """
    @property
    def rounds(self) -> int:
        """
        how often stretch is averaged to the vertices and back; 0: never; in [0, 100], default 1
        """

class TracingParams:
    """
    Seeding and tracing of paths (Gillette 2015, section 5.1).
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
    def replace(self, **kwargs) -> TracingParams:
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
        most degrees that a path turns within three flat widths; 0: any, as with verbatim; in [0, 180], default 45
        """
    @property
    def bridge(self) -> float:
        """
        flat widths of cloth below the threshold that a path leads across to cloth above it; 0: none; in [0, 100], default 1
        """
    @property
    def coherence(self) -> float:
        """
        flat widths across which cloth must be compressed alike for a path to start; 0, verbatim: a point is enough; in [0, 100], default 0.5
        """
    @property
    def hysteresis(self) -> float:
        """
        share of the threshold above 1 by which a wrinkle goes on below it; in [0, 1], default 0
        """
    @property
    def isotropy(self) -> float:
        """
        difference of the stretches below which there is no direction; in [0, inf), default 0.01
        """
    @property
    def max_points(self) -> int:
        """
        most points of one path; in [2, 1e+06], default 4096
        """
    @property
    def max_wrinkles(self) -> int:
        """
        most wrinkles alive at once; in [0, 1e+07], default 4096
        """
    @property
    def min_length(self) -> float | None:
        """
        shortest new wrinkle, in min_width, which dies at half of it; none: 3, with verbatim 4; in [0, inf), default None
        """
    @property
    def seed_distance(self) -> float:
        """
        distance of a seed to every path, in flat widths; in [0, inf), default 0.45
        """
    @property
    def seeding(self) -> Seeding:
        """
        scattered: at random points; trains: first beside paths, as close as the excess cloth says; default Seeding.trains
        """
    @property
    def seeds_per_triangle(self) -> int:
        """
        most points tried in one triangle; in [1, 64], default 4
        """

class PersistenceParams:
    """
    Motion of paths between frames (Gillette 2015, section 5.2).
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
    def replace(self, **kwargs) -> PersistenceParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def alpha(self) -> float:
        """
        weight of the alignment with the compression per interval; in [0, inf), default 0.4
        """
    @property
    def length_change(self) -> float:
        """
        largest relative change of a length per interval; in [0, 0.99], default 0.15
        """
    @property
    def merge_distance(self) -> float:
        """
        paths closer than this are merged, in min_width; in (0, inf), default 1
        """
    @property
    def method(self) -> PersistenceMethod:
        """
        edges: points slide on their edges; projection: points move in space; default PersistenceMethod.edges
        """
    @property
    def motion_sigma(self) -> float:
        """
        stretch per frame at which the alignment acts; in [1e-06, 1e+150], default 0.005
        """
    @property
    def vertex_fraction(self) -> float:
        """
        points nearer to a vertex than this share of their edge move as one; in [0, 0.5], default 0.1
        """

class ShapeParams:
    """
    Widths and heights (Gillette 2015, chapter 6).
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
    def replace(self, **kwargs) -> ShapeParams:
        """
        The same with the fields given replaced; a node given as a dict keeps its other fields.
        """
    def to_dict(self) -> dict:
        """
        All fields as a dict of numbers, strings and dicts.
        """
    @property
    def aspect(self) -> float:
        """
        largest height of a wrinkle over its width, of wave and crease over the distance of two valleys or ridges; 0: as high as takes up the cloth, as with verbatim; in [0, 100], default 0.5
        """
    @property
    def border_fade(self) -> float:
        """
        flat widths within which wrinkles fade out towards a border shared with what is not cloth, and towards what another layer covers; 0: never; in [0, inf), default 1
        """
    @property
    def clearance(self) -> float | None:
        """
        deepest a valley of the profiles wave and crease may be, in the clip's unit of length; none: as deep as it comes; in [0, inf), default None
        """
    @property
    def height(self) -> HeightRule:
        """
        circle: height of an arc of a circle, as profile for wave and crease; profile: exact arc length of the profile; measured: as high as folds of simulated cloth; default HeightRule.circle
        """
    @property
    def height_rate(self) -> float:
        """
        largest change of a height, min_width per second; in (0, inf), default 8
        """
    @property
    def junctions(self) -> float:
        """
        flat widths from another wrinkle within which an end that leads to it runs into it; 0: all ends are flat; in [0, 10], default 0.5
        """
    @property
    def profile(self) -> Profile:
        """
        cross-section of a wrinkle; default Profile.crease
        """
    @property
    def slenderness(self) -> float:
        """
        a path shorter than this many flat widths is thinner in proportion; 0: never; in [0, inf), default 1
        """
    @property
    def taper(self) -> float:
        """
        flat widths from an end within which a wrinkle rises to its height; 0: half its length; in [0, inf), default 1
        """
    @property
    def width_rate(self) -> float:
        """
        largest change of a width, min_width per second; in (0, inf), default 16
        """

class Params:
    """
    Every number a run depends on besides its clip: one frozen tree.
    """
    @staticmethod
    def fields() -> list[ParamField]:
        """
        List of ParamField: all fields in order, those of nodes included.
        """
    @staticmethod
    def from_toml(text: str) -> Params:
        """
        A tree from a TOML document; fields left out have their defaults.
        """
    @staticmethod
    def printed() -> Params:
        """
        Single narrow ridges by the theses' formulas as printed, without this library's additions.
        """
    @staticmethod
    def ridges() -> Params:
        """
        Single narrow ridges, where cloth is compressed by a tenth and more.
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
    def for_height(self, height: typing.SupportsFloat | typing.SupportsIndex) -> Params:
        """
        The same for a clip of that height, with both widths: min_width, which is relative_width of it unless it or fabric.bending was given, and then the share that it is. Raises ValueError for a height of which there is no share.
        """
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
    def fabric(self) -> FabricParams:
        """
        what the cloth is made of
        """
    @property
    def flat_width(self) -> float:
        """
        Width of a flat wrinkle and arc length of every cross-section: pi * min_width. Raises ValueError unless min_width is given.
        """
    @property
    def guide(self) -> GuideParams:
        """
        what stands for the cloth when its stretch is measured
        """
    @property
    def interval(self) -> float:
        """
        interval all rates are stated for, in seconds; in (0, inf), default 0.0333333
        """
    @property
    def label(self) -> LabelParams:
        """
        compress / rest / stretch labelling
        """
    @property
    def min_width(self) -> float | None:
        """
        smallest wrinkle width, in the clip's unit of length; none: relative_width of the clip's height; in [1e-30, 1e+30], default None
        """
    @property
    def persistence(self) -> PersistenceParams:
        """
        motion of wrinkle paths between frames
        """
    @property
    def reference(self) -> ReferenceParams:
        """
        reference triangles
        """
    @property
    def relative_width(self) -> float:
        """
        smallest wrinkle width where min_width is not given, as a share of the clip's height; in (0, inf), default 0.04
        """
    @property
    def seed(self) -> int:
        """
        key of the seeding; in [0, inf), default 0
        """
    @property
    def shape(self) -> ShapeParams:
        """
        widths and heights of wrinkles
        """
    @property
    def thickness(self) -> float:
        """
        most width of a flat wrinkle, in thicknesses of the garment there in its rest pose; 0, verbatim: any; in [0, inf), default 1.25
        """
    @property
    def threshold(self) -> float:
        """
        compression from which cloth wrinkles; in (1, inf), default 1.02
        """
    @property
    def tracing(self) -> TracingParams:
        """
        seeding and tracing of wrinkle paths
        """
    @property
    def verbatim(self) -> bool:
        """
        the theses' formulas without this library's additions; default False
        """

class MeshReport:
    """
    What the connectivity of a mesh holds; all are counts.
    """
    def __repr__(self) -> str: ...
    @property
    def boundary_edges(self) -> int:
        """
        edges of one triangle
        """
    @property
    def degenerate_triangles(self) -> int:
        """
        triangles that name a vertex twice, inert
        """
    @property
    def edges(self) -> int:
        """
        each counted once
        """
    @property
    def fan_vertices(self) -> int:
        """
        vertices whose triangles form more than one fan
        """
    @property
    def isolated_vertices(self) -> int:
        """
        vertices of no triangle
        """
    @property
    def non_manifold_edges(self) -> int:
        """
        edges of three or more triangles, treated as boundary
        """
    @property
    def triangles(self) -> int:
        """
        all, degenerate ones too
        """
    @property
    def vertices(self) -> int:
        """
        all, isolated ones too
        """

class Mesh:
    """
    Connectivity of a triangle mesh, fixed for its life.
    """
    def __getstate__(self) -> tuple[numpy.typing.NDArray[numpy.int32], int]: ...
    def __init__(self, faces: numpy.typing.ArrayLike, vertex_count: typing.SupportsInt | typing.SupportsIndex) -> None:
        """
        faces: (m, 3) whole numbers in [0, vertex_count). Raises ValueError for another shape or a number outside.
        """
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    def edge_levels(
        self,
        positions: numpy.typing.ArrayLike,
        targets: numpy.typing.ArrayLike,
        limit: typing.SupportsInt | typing.SupportsIndex = 2147483647,
    ) -> numpy.typing.NDArray[numpy.int32]:
        """
        Number of pieces (e,) int32 of each edge with vertices at `positions` (n, 3).

        As many as make them no longer than the least of the targets (m,) of the edge's triangles, but `limit` at most; 1 where
        none of these is finite. Raises ValueError for another shape, a target that is not positive, and a limit below 1.
        """
    def fans(self, vertex: typing.SupportsInt | typing.SupportsIndex) -> list:
        """
        List of (triangles, closed): runs of triangles that share edges at `vertex`.
        """
    def ring(self, vertex: typing.SupportsInt | typing.SupportsIndex) -> numpy.typing.NDArray[numpy.int32]:
        """
        The triangles round `vertex` in order, its fans one after the other; int32. Raises ValueError for no vertex.
        """
    def wanted_patches(
        self, wishes: numpy.typing.ArrayLike, borders: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.int32]:
        """
        Triangles divided in two by a minimum cut: (m,) int32, the patch that each is in, from 0, -1 for none.

        Triangles of a patch are connected across edges. The sum of all costs is least, and of equal sums that with the fewest
        triangles is taken (Greig, Porteous and Seheult 1989).

        Args:
            wishes: (m,) what it costs that a triangle is in no patch; where negative, what it costs that it is in one, as an
                absolute value.
            borders: (e,) what it costs that an edge has a patch on one side only, at least 0.

        Raises:
            ValueError: For another shape, a number that is not finite, or a negative border.
        """
    @property
    def edges(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (e, 2) int32, smaller vertex first, sorted; a view.
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (m, 3) int32, a view.
        """
    @property
    def report(self) -> MeshReport:
        """
        What the connectivity holds.
        """
    @property
    def triangle_count(self) -> int:
        """
        Number of triangles, degenerate ones too.
        """
    @property
    def triangle_edges(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (m, 3) int32: the edge (k, k+1), -1 in a degenerate triangle; a view.
        """
    @property
    def triangle_neighbours(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (m, 3) int32: the neighbour across edge (k, k+1), -1 for none; a view.
        """
    @property
    def vertex_count(self) -> int:
        """
        Number of vertices, isolated ones too.
        """

class LocalFrames:
    """
    Each triangle as a 2x2 matrix in its own plane.
    """
    def __repr__(self) -> str: ...
    @property
    def areas(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m,), square of the clip's unit of length.
        """
    @property
    def axes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 2, 3): x and y of the frame in space, unit.
        """
    @property
    def matrices(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 2, 2): columns v1-v0 and v2-v0 in the frame; a view.
        """
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 3), unit; zero for a triangle without area.
        """

class CutSkin:
    """
    The largest influences of each vertex of a skin.
    """
    def __repr__(self) -> str: ...
    @property
    def joints(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (n, most) int32; 0 where a vertex has fewer.
        """
    @property
    def lost(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        The weight each vertex had on what was cut, (n,) float64.
        """
    @property
    def vertices_cut(self) -> int:
        """
        How many vertices lost any weight.
        """
    @property
    def weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, most) float64, of a vertex sum 1; 0 where it has fewer.
        """

class Skin:
    """
    A linear blend skin: vertex v of frame f is the sum of weight * matrices[f, joint] @
    inverse_binds[joint] @ (rest[v], 1) over its influences. What moves with a node and has no skin
    follows that node as its one joint. Arrays are read-only views that keep the clip alive.
    """
    def __repr__(self) -> str: ...
    def cut(self, most: typing.SupportsInt | typing.SupportsIndex = 4) -> CutSkin:
        """
        The `most` largest influences of each vertex, scaled to sum 1, and what each vertex lost by it. Raises
        ValueError unless most >= 1.
        """
    @property
    def first(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Where the influences of each vertex begin, (n + 1,) int32.
        """
    @property
    def influence_joints(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        The joint of each influence, (k,) int32.
        """
    @property
    def influence_weights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        The weight of each influence, (k,) float64; those of a vertex sum to 1.
        """
    @property
    def inverse_binds(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        From the rest pose to each joint, (J, 3, 4) float64.
        """
    @property
    def joints(self) -> list[str]:
        """
        Names, J of them; one may occur twice, where two meshes are bound to it.
        """
    @property
    def matrices(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        From each joint to the world in each frame, (frames, J, 3, 4) float64.
        """
    @property
    def nodes(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        The node of `Clip.skeleton` that each joint is, (J,) int32.
        """

class Skeleton:
    """
    The nodes that move a character, garment and body, and all above them: parents come before
    their children. Arrays are read-only views that keep the clip alive.
    """
    def __repr__(self) -> str: ...
    @property
    def matrices(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        From each node to the world in each frame, (frames, K, 3, 4) float64.
        """
    @property
    def nodes(self) -> list[str]:
        """
        Names, K of them.
        """
    @property
    def parents(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        The node each hangs on, (K,) int32; -1 for none.
        """

class AlphaMode(enum.IntEnum):
    """
    What the alpha of a material says, as in glTF 2.0: nothing (opaque); that there is no surface where it is less than the cutoff (mask); the material's share of what is seen (blend).
    """

    blend: typing.ClassVar[AlphaMode]
    mask: typing.ClassVar[AlphaMode]
    opaque: typing.ClassVar[AlphaMode]
    @classmethod
    def __new__(cls, value): ...
    def __format__(self, format_spec): ...

class Material:
    """
    How a triangle is painted.
    """
    def __init__(
        self,
        *,
        name: str = "",
        color: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(4)"
        ] = [0.8, 0.8, 0.8, 1.0],
        texture_name: str = "",
        texture: bytes = b"",
        alpha_mode: AlphaMode = ...,
        alpha_cutoff: typing.SupportsFloat | typing.SupportsIndex = 0.5,
    ) -> None:
        """
        For the meaning see the properties of the same names. Raises ValueError for a cutoff that is negative or not finite.
        """
    def __repr__(self) -> str: ...
    @property
    def alpha_cutoff(self) -> float:
        """
        The least alpha at which a mask has a surface; other modes ignore it.
        """
    @property
    def alpha_mode(self) -> AlphaMode:
        """
        What the alpha of `color` times that of the texture says.
        """
    @property
    def color(self) -> typing.Annotated[list[float], "FixedSize(4)"]:
        """
        Linear RGBA, four floats; multiplies the texture.
        """
    @property
    def name(self) -> str:
        """
        Name in the file.
        """
    @property
    def texture(self) -> bytes:
        """
        The encoded picture (PNG, JPEG ...) as bytes, empty if it was not found.
        """
    @property
    def texture_name(self) -> str:
        """
        The texture as the file names it, empty if there is none.
        """

class ClipReport:
    """
    What a clip holds.
    """
    def __repr__(self) -> str: ...
    @property
    def body_triangles(self) -> int:
        """
        Triangles of the body.
        """
    @property
    def body_vertices(self) -> int:
        """
        Stored vertices of the body.
        """
    @property
    def duplicate_faces(self) -> int:
        """
        Garment triangles with the same three welded vertices as an earlier one.
        """
    @property
    def duration(self) -> float:
        """
        Seconds from the first frame to the last.
        """
    @property
    def frames(self) -> int:
        """
        Frames of the clip.
        """
    @property
    def mesh(self) -> MeshReport:
        """
        Report of the garment's connectivity.
        """
    @property
    def other_sides(self) -> int:
        """
        Triangles of the file, of garment and body, that were left out as the other side of another one.
        """
    @property
    def stored_vertices(self) -> int:
        """
        Vertices of the garment as stored.
        """
    @property
    def triangles(self) -> int:
        """
        Triangles of the garment.
        """
    @property
    def welded_vertices(self) -> int:
        """
        Vertices of the garment after welding.
        """
    @property
    def zero_area_triangles(self) -> int:
        """
        Garment triangles without area in the first frame.
        """

class FileInfo:
    """
    What can be asked of a file.
    """
    def __getstate__(self) -> tuple: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    @property
    def clips(self) -> dict:
        """
        Duration in seconds by name. Frames without a rate of their own are taken at 30 frames per second.
        """
    @property
    def format(self) -> str:
        """
        The extension of the file; 'obj' for a sequence.
        """
    @property
    def joints(self) -> dict:
        """
        Triangles by the joint that governs them.
        """
    @property
    def materials(self) -> dict:
        """
        Triangles by material.
        """
    @property
    def meshes(self) -> dict:
        """
        Triangles by mesh.
        """
    @property
    def nodes(self) -> dict:
        """
        Triangles by node; by surface of an MD3, by object or group of an OBJ.
        """
    @property
    def prefixes(self) -> tuple[str, str] | None:
        """
        What is taken off the names of nodes, this file's and those of the file that moves it, where they agree without it only; else None.
        """
    @property
    def stored_vertices(self) -> int:
        """
        Vertices as stored.
        """
    @property
    def triangles(self) -> int:
        """
        Triangles, polygons cut into fans.
        """

class Frame:
    """
    One frame of a clip; its arrays are read-only views of the clip's.
    """
    def __repr__(self) -> str: ...
    @property
    def body_positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Body, (nb, 3) float64.
        """
    @property
    def index(self) -> int:
        """
        Number of the frame in the clip.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Garment, (n, 3) float64, welded.
        """
    @property
    def time(self) -> float:
        """
        Seconds.
        """

class Clip:
    """
    One animated character, cut into the garment that wrinkles and the body that is only drawn.

    Made by `load` and `Clip.from_arrays`. All arrays are read-only views that keep the clip alive.
    `len(clip)` is the number of frames; `clip[i]` and iteration give `Frame` objects.
    """
    @staticmethod
    def _repr_html_(clip: Clip) -> str | None:
        """
        The middle frame.
        """
    @staticmethod
    def from_arrays(
        faces: numpy.typing.ArrayLike,
        positions: numpy.typing.ArrayLike,
        times: numpy.typing.ArrayLike,
        *,
        uv: numpy.typing.ArrayLike | None = None,
        weld: bool = True,
        rest: numpy.typing.ArrayLike | None = None,
    ) -> Clip:
        """
        A clip of a garment alone.

        faces: (m, 3) vertex numbers. positions: (frames, n, 3). times: (frames,) seconds, strictly
        increasing. uv: (n, 2), (0, 0) in the lower left corner of the picture. Any dtype of integers or
        floats and any memory order. With `weld`, vertices that coincide in every frame, and in `rest` if it
        is given, become one. rest: (n, 3), see the property of that name.

        Raises ValueError if a shape is wrong, a number is not finite, a face names a vertex out of range,
        or times do not increase.
        """
    def __getitem__(self, index: typing.SupportsInt | typing.SupportsIndex) -> Frame:
        """
        The frame; negative numbers count from the end.
        """
    def __getstate__(self) -> tuple: ...
    def __iter__(self) -> collections.abc.Iterator: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    def beginning(self, frames: typing.SupportsInt | typing.SupportsIndex) -> Clip:
        """
        The first frames of the clip, so many, and all else as it is.

        Rest pose, skin, body and materials stay, and so do `height` and `shared_vertices`, which are those of the whole clip: a
        run over the beginning gives the same bits as the first frames of a run over all of it. Raises ValueError for less than
        one frame or more than there are.
        """
    def shading_normals(
        self, frame: typing.SupportsInt | typing.SupportsIndex, authored: bool = True
    ) -> tuple[numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]]:
        """
        Unit normals to shade a frame by: of the garment (N, 3) and of the body (nb, 3), stored vertices.

        They are the mean of the triangles' normals round a vertex, weighted by area, of garment and body together where they are
        sewn to each other. With `authored` they are the file's where it has some, carried by the triangles from the pose that it
        gives them in: by the inverse transpose of the map of a triangle's plane, along whose normal lengths go as the root of the
        area, and the mean over a stored vertex's triangles, weighted by area. (0, 1, 0) where nothing has area. Raises
        ValueError for a frame there is not.
        """
    def smoothed(self, levels: typing.SupportsInt | typing.SupportsIndex = 1) -> Clip:
        """
        The clip with garment and body subdivided by Loop's rules (1987), both as one mesh.

        So no crack opens where they are sewn to each other. Each triangle becomes 4**levels, whose facets are no longer seen;
        the surface lies within the coarse one. Edges stay sharp at which the file has two normals and which bend by more than 60
        degrees in their pose.

        Stored vertices keep their numbers and those on edges and inside follow; they stay split where the file splits them, and
        texture coordinates are interpolated linearly. So positions and `rest` are fixed sparse combinations of this clip's. Left
        out are triangles that name a vertex twice; the file's normals, which are those of the coarse shape; and the skin, which
        the smooth surface does not follow. No level changes nothing. Raises ValueError for levels outside of 0 to 4.
        """
    def with_smooth_body(self, levels: typing.SupportsInt | typing.SupportsIndex = 1) -> Clip:
        """
        The clip with its body alone subdivided as by `smoothed`, and the garment as it is.

        For methods that make a smooth surface of the garment's own triangles, as by example. Where it is sewn to the garment the
        body stays on the coarse edges, as such a surface does; its normals and skin are left out. Raises ValueError as that does.
        """
    def with_texture(self, corners: numpy.typing.ArrayLike) -> Clip:
        """
        The clip with other texture coordinates (m, 3, 2) of the corners of the garment's triangles.

        Stored vertices are those of before, each as often as it has different coordinates; all else stays.

        Raises ValueError for another shape and for coordinates that are not finite.
        """
    @property
    def body_faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Triangles of the rest of the character, (mb, 3) int32 stored body vertices.
        """
    @property
    def body_materials(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Index into `material_list` of each body triangle, (mb,) int32.
        """
    @property
    def body_positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Body, (frames, nb, 3) float64, stored vertices, not welded.
        """
    @property
    def body_rest(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        The body in the pose `rest`, (nb, 3) float64, stored vertices; None if the file has no skin.
        """
    @property
    def body_skin(self) -> Skin:
        """
        That of the body's stored vertices; None without a skin, and where morph targets move the body.
        """
    @property
    def body_uv(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Texture coordinates of the body, (nb, 2) float64, as `uv`.
        """
    @property
    def body_weld(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (nb,) int32: body vertices with the same number are one point, for normals that are smooth over seams.
        """
    @property
    def clips(self) -> dict:
        """
        Duration in seconds by name of all clips of the file.
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Garment triangles, (m, 3) int32 welded vertices.
        """
    @property
    def has_authored_normals(self) -> bool:
        """
        Whether the file has normals of its own, for the garment or the body.
        """
    @property
    def height(self) -> float:
        """
        The size of the character: the extent along y of garment and body in the first frame; of what lies
        flat there, less than a tenth as high as wide, the longest side of the box round any frame.
        """
    @property
    def material_list(self) -> list[Material]:
        """
        The character's materials.
        """
    @property
    def materials(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Index into `material_list` of each garment triangle, (m,) int32.
        """
    @property
    def mesh(self) -> Mesh:
        """
        Connectivity of the welded garment.
        """
    @property
    def name(self) -> str:
        """
        The file's name without extension, and the clip's.
        """
    @property
    def other_sides(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Triangles of the garment that were left out as the other side of another one, (k,) int32, rising: their
        numbers among the garment's triangles in the file, those left out included.
        """
    @property
    def parts(self) -> list[str]:
        """
        The names that chose the garment; empty: all of it.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Garment, (frames, n, 3) float64, welded vertices, in the file's unit of length, y up.
        """
    @property
    def report(self) -> ClipReport:
        """
        What the clip holds.
        """
    @property
    def rest(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        The pose the garment was bound to its joints in, (n, 3) float64, welded vertices; None if the file has no
        skin. In the space and at the scale of `positions`: the skin's topmost joint is where the pose stored beside
        the clips has it, the others are to it as their bind transforms say, and what has no skin follows its nodes.
        """
    @property
    def shared_vertices(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Garment vertices that are in the same place as a body vertex in every frame, int32, ascending.

        There the garment is sewn to the rest of the character, at its border or at seams inside it, and wrinkles fade out.
        """
    @property
    def skeleton(self) -> Skeleton:
        """
        The nodes that the joints of both are; None without a skin.
        """
    @property
    def skin(self) -> Skin:
        """
        The garment's linear blend skin, with all its influences; None if the file has none, or frames instead.
        """
    @property
    def standing(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        A pose in which the character stands upright with its arms low, as clothes are cut, (n, 3) float64, or None.

        It is the first frame of a clip of the file whose name has the word idle, stand, standing, relaxed or apose in it, the name of
        fewest words first; else of one with walk or walking; else, if the bind pose is a T-pose, at least 0.8 times as wide or deep
        as high, of any clip, or a frame of this one: that whose vertices are nearest to their vertical. Upright is what is at least 0.9
        times as high as the bind pose, 0.97 times where no name decides, and arms are low where the vertices are less than 0.9 times as
        far, root mean square, from the vertical through their middle. None if there is no such pose, if a file without
        skin has one clip only, and of a clip from no file.
        """
    @property
    def standing_body(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        The body in the pose `standing`, (nb, 3) float64, stored vertices; None without.
        """
    @property
    def standing_from(self) -> str | None:
        """
        Where `standing` is from, as "the first frame of Idle"; None without.
        """
    @property
    def stored_faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Garment triangles, (m, 3) int32 stored vertices: vertices are split at seams of texture or normal.
        """
    @property
    def times(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (frames,) float64 seconds, strictly increasing.
        """
    @property
    def uv(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Texture coordinates of the stored garment vertices, (N, 2) float64; (0, 0) is the lower left corner of the
        picture, as in OpenGL. (0, 2) if the file has none; 0 for vertices without, if others have some.
        """
    @property
    def weld(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Welded vertex of each stored garment vertex, (N,) int32.
        """

class Facets:
    """
    What the triangles of a garment look like; see `facets_of`.
    """
    @property
    def edge(self) -> float:
        """
        Median length of edges at rest, as a share of the clip's height.
        """
    @property
    def is_fine(self) -> bool:
        """
        Whether edges are so short that the garment is shown as it is, whatever the frames.
        """
    @property
    def smooth(self) -> int:
        """
        Levels of `Clip.smoothed` to show the garment with: 0 or 1.
        """
    @property
    def turn(self) -> float:
        """
        Degrees that neighbouring triangles turn by, mean over the length of their edges, in the frame
        where that is largest.
        """

class Label(enum.IntEnum):
    """
    What a triangle does between two frames. Neighbours cost the more the farther apart they are in this order.
    """

    compress: typing.ClassVar[Label]
    rest: typing.ClassVar[Label]
    stretch: typing.ClassVar[Label]
    @classmethod
    def __new__(cls, value): ...
    def __format__(self, format_spec): ...

class Labeller:
    """
    Labels that agree with the data costs and change little over the surface and over time.

    They minimise the sum of the costs of the labels and of `params.label.smoothness` for each step in the order
    0 compress < 1 rest < 2 stretch between neighbours across an edge and between a triangle and itself a frame before
    (Gillette 2015, equation 4.3). The solver `exact` finds the optimum by one minimum cut (Ishikawa 2003); of several
    optima it takes the one whose labels are lowest in every triangle at once. `expansion` and `swap` make the moves of
    Boykov, Veksler and Zabih (2001) from the cheapest label of each triangle until none lowers the energy.

    Costs are rounded to multiples of 2^-40 (of a larger power of two if those of one triangle differ by more than 512).
    Triangles that the mesh calls degenerate, and those marked inert, have the label rest and no part in the energy.
    Raises pucker.Error when it is stepped while another call is in it.

    Args:
        mesh: The Mesh of the clip.
        params: A Params; its node `label` is read.
    """
    def __init__(self, mesh: Mesh, params: Params) -> None: ...
    def energy(
        self,
        costs: numpy.typing.ArrayLike,
        labels: numpy.typing.ArrayLike,
        previous: numpy.typing.ArrayLike | None = None,
        inert: numpy.typing.ArrayLike | None = None,
    ) -> float:
        """
        The energy of the labels of one frame. That of a clip is the sum over its frames.

        Args:
            costs: (m, 3).
            labels: (m,) integers 0, 1, 2.
            previous: (m,) integers, the labels of the previous frame, -1 for a triangle that has none; None for a first frame.
            inert: (m,) bool, or None.

        Raises:
            ValueError: For a wrong shape or a value that is not a label.
        """
    def solve_clip(
        self, costs: numpy.typing.ArrayLike, inert: numpy.typing.ArrayLike | None = None
    ) -> numpy.typing.NDArray[numpy.int8]:
        """
        The labels of all frames of a clip, solved at once over space and time.

        Independent of `previous`, which it leaves alone. Takes about 550 bytes of memory a triangle and frame.

        Args:
            costs: (frames, m, 3) finite numbers.
            inert: (frames, m) bool, or None.

        Returns:
            (frames, m) int8.

        Raises:
            ValueError: For a wrong shape or a cost that is not finite.
        """
    def step(
        self, costs: numpy.typing.ArrayLike, inert: numpy.typing.ArrayLike | None = None
    ) -> numpy.typing.NDArray[numpy.int8]:
        """
        The labels of the next frame, those of the previous frame being fixed.

        Args:
            costs: (m, 3) finite numbers, as from label_costs.
            inert: (m,) bool, or None.

        Returns:
            (m,) int8, 0 compress, 1 rest, 2 stretch. A new array.

        Raises:
            ValueError: For a wrong shape or a cost that is not finite; the state is then unchanged.
        """
    @property
    def previous(self) -> numpy.typing.NDArray[numpy.int8]:
        """
        (m,) int8: what the next frame is tied to, -1 for a triangle that was inert or had no frame yet.

        It is the whole state: setting it to a copy continues a run with the same bits, setting it to None starts anew.
        """
    @previous.setter
    def previous(self, arg1: numpy.typing.ArrayLike | None) -> None: ...

class Stretch:
    """
    F = left . diag(maximum, minimum) . right^T for each triangle (Gillette 2015, equation 4.1).
    """
    def __repr__(self) -> str: ...
    @property
    def left(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 2, 2): rotations; columns a_max, a_min in the current triangle's frame.
        """
    @property
    def maximum(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m,): larger principal stretch; a view.
        """
    @property
    def minimum(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m,): smaller principal stretch, 1 = no deformation; a view.
        """
    @property
    def right(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 2, 2): rotations; the same directions in the reference triangle's frame.
        """

class Guide:
    """
    The stretch that wrinkles follow: of the skin, or as params.guide says.
    """
    def __init__(self, mesh: Mesh, params: Params) -> None: ...
    def measure(self, reference: numpy.typing.ArrayLike, positions: numpy.typing.ArrayLike) -> Stretch:
        """
        Stretch from reference triangles (m, 2, 2) to positions (n, 3), in the frames of those. Raises ValueError for other shapes, a triangle that is mirrored or not finite, and a position that is not finite.
        """

class ReferenceShape:
    """
    A reference shape per triangle that remembers where the cloth is compressed (Gillette 2015, section 4.2). Starts as the triangles of the first frame.
    """
    def __init__(self, mesh: Mesh, current: numpy.typing.ArrayLike, params: Params) -> None:
        """
        current: (m, 2, 2) of local_frames.
        """
    def step(
        self,
        labels: numpy.typing.ArrayLike,
        current: numpy.typing.ArrayLike,
        dt: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None:
        """
        One frame of `dt` seconds. C (0): stretches move toward 1 by keep^(dt/interval), directions stay; S (2) with both stretches above 1: the current triangle; else unchanged. Raises ValueError for wrong shapes, a triangle that is mirrored or not finite, labels outside 0..2 or dt <= 0; the reference is then unchanged.
        """
    @property
    def matrices(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 2, 2): a copy, valid after the next step.
        """

class WalkEnd:
    """
    Why a walk ended: below the threshold, at the border of the cloth, near a path (another, or its own), where no direction leads on, after the length asked for, or at the cap on points.

    Members:

      below_threshold

      border

      near_path

      no_direction

      too_sharp

      length

      cap
    """

    __members__: typing.ClassVar[dict[str, WalkEnd]]
    below_threshold: typing.ClassVar[WalkEnd]
    border: typing.ClassVar[WalkEnd]
    cap: typing.ClassVar[WalkEnd]
    length: typing.ClassVar[WalkEnd]
    near_path: typing.ClassVar[WalkEnd]
    no_direction: typing.ClassVar[WalkEnd]
    too_sharp: typing.ClassVar[WalkEnd]
    @typing.overload
    def __eq__(self, other: WalkEnd) -> bool: ...
    @typing.overload
    def __eq__(self, other: typing.Any) -> bool: ...
    def __getstate__(self) -> int: ...
    def __hash__(self) -> int: ...
    def __index__(self) -> int: ...
    def __init__(self, value: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __int__(self) -> int: ...
    @typing.overload
    def __ne__(self, other: WalkEnd) -> bool: ...
    @typing.overload
    def __ne__(self, other: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: typing.SupportsInt | typing.SupportsIndex) -> None: ...
    def __str__(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def value(self) -> int: ...

class Wrinkle:
    """
    A wrinkle path with its widths and heights, as it was when handed out; it stays valid.
    """

    __hash__: typing.ClassVar[None] = None
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __repr__(self) -> str: ...
    @property
    def age(self) -> float:
        """
        Seconds since it was traced.
        """
    @property
    def alive(self) -> bool:
        """
        False for a dying wrinkle, which only sinks where it lies.
        """
    @property
    def apex(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (k,) int32: for an end inside a triangle its third vertex, else -1.
        """
    @property
    def depth(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): share of `apex` in the point; 0 on an edge.
        """
    @property
    def ends(self) -> tuple[WalkEnd, WalkEnd] | None:
        """
        Of a wrinkle that Tracer.trace has returned: why the walks to its first and last point ended; None for any other.
        """
    @property
    def gone(self) -> bool:
        """
        Dying and flat: nothing of it is left to see.
        """
    @property
    def heights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): height at each point.
        """
    @property
    def id(self) -> int:
        """
        Unique in a run, grows.
        """
    @property
    def knot_heights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (2k-1,): heights at the points and the middles of the segments.
        """
    @property
    def knot_widths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (2k-1,): full widths at the points and the middles of the segments.
        """
    @property
    def length(self) -> float:
        """
        Length of the path.
        """
    @property
    def points(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, 3): the path's points in space; a view.
        """
    @property
    def t(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): where on its edge each point lies.
        """
    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (k-1,) int32: the triangle of each segment.
        """
    @property
    def vertices(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (k, 2) int32: ends (v0, v1) of the crossed edges; p = t v0 + (1-t) v1.
        """
    @property
    def widths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): full width at each point.
        """

class Seed:
    """
    A point at which a path may start.
    """
    def __init__(
        self,
        triangle: typing.SupportsInt | typing.SupportsIndex,
        barycentrics: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ],
    ) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def barycentrics(self) -> typing.Annotated[list[float], "FixedSize(3)"]:
        """
        (3,): where in the triangle.
        """
    @property
    def triangle(self) -> int:
        """
        The triangle it lies in.
        """

class CompressionField:
    """
    Positions and stretch of one frame: what paths are traced and moved through.
    """
    def __init__(
        self,
        mesh: Mesh,
        positions: numpy.typing.ArrayLike,
        stretch: Stretch,
        widths: numpy.typing.ArrayLike | None = None,
    ) -> None:
        """
        positions: (n, 3); stretch: from the reference to these positions; widths: (m,), of flat wrinkles, as
        wrinkle_widths has them, none: 1 everywhere. Raises ValueError for other shapes.
        """
    def __repr__(self) -> str: ...
    @property
    def compression(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m,): 1 / minimum stretch; 1 for triangles that cannot be measured; a view.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3); a view.
        """
    @property
    def stretch(self) -> Stretch:
        """
        From the reference to the positions.
        """
    @property
    def widths(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        (m,): of flat wrinkles, in flat widths of the parameters; None: 1 everywhere.
        """

class SegmentIndex:
    """
    The segments of living paths by triangle.
    """
    def __init__(self, mesh: Mesh) -> None: ...
    def crossed_by(self, field: CompressionField, wrinkle: Wrinkle) -> bool:
        """
        Whether the path crosses or touches a segment of another wrinkle, by id, or one of its own.
        """
    def insert(self, field: CompressionField, wrinkle: Wrinkle) -> None:
        """
        Takes up all segments of the path as it lies in `field`.
        """

class Tracer:
    """
    Starts wrinkle paths and traces them across the compression (Gillette 2015, 5.1).
    """
    def __init__(self, mesh: Mesh, params: Params) -> None: ...
    def grow(
        self,
        field: CompressionField,
        wrinkles: collections.abc.Sequence[Wrinkle],
        occupied: SegmentIndex,
        frame: typing.SupportsInt | typing.SupportsIndex,
        next_id: typing.SupportsInt | typing.SupportsIndex,
    ) -> tuple[list[Wrinkle], int]:
        """
        Seeds and traces all new paths of a frame. Returns (wrinkles, next_id); `occupied` takes the new paths up.
        """
    def seed(self, field: CompressionField, frame: typing.SupportsInt | typing.SupportsIndex = 0) -> list[Seed]:
        """
        The points tried in a frame, the most compressed triangle first. They depend on (params.seed, triangle, attempt) only; `frame` counts if params.verbatim.
        """
    def trace(
        self,
        seed: Seed,
        field: CompressionField,
        occupied: SegmentIndex = None,
        id: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> Wrinkle | None:
        """
        The path through `seed`, traced both ways and smoothed once, heights 0; None if it is too short. Its `ends` say why the two walks ended.
        """

class PathEnergy:
    """
    The terms of the energy that places a path (Gillette 2015, equation 5.2).
    """
    def __repr__(self) -> str: ...
    @property
    def alignment(self) -> float:
        """
        How far segments deviate from the compression's ridges: Σ α ((p[i+1] - p[i])·e)².
        """
    @property
    def motion(self) -> float:
        """
        How far points slide along their edges: Σ (t - t')².
        """
    @property
    def shape(self) -> float:
        """
        How far the path changes its shape: the sum of the squares of L - L', L the Laplacian of its points.
        """
    @property
    def sum(self) -> float:
        """
        Of the three terms.
        """

class Motion:
    """
    What happened to the cloth between two frames: what paths are carried through.
    """
    def __init__(
        self,
        field: CompressionField,
        previous_positions: numpy.typing.ArrayLike,
        stretch: Stretch,
        dt: typing.SupportsFloat | typing.SupportsIndex,
        edge_length: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None:
        """
        From `previous_positions` (n, 3) to those of `field`, `dt` seconds later. `stretch`: of the previous to the current triangles, per reference interval; its directions are not used. `edge_length`: the unit of length of the energy, the mean edge length of the mesh. Raises ValueError for positions that are not finite or have a wrong shape, a stretch of another mesh, a `dt` that is not above 0 and an edge length below 0.
        """
    def __repr__(self) -> str: ...
    @property
    def dt(self) -> float:
        """
        Seconds between the frames.
        """
    @property
    def edge_length(self) -> float:
        """
        Unit of length of the energy.
        """
    @property
    def field(self) -> CompressionField:
        """
        CompressionField of the current frame.
        """

class Persistence:
    """
    Carries wrinkle paths from one frame to the next (Gillette 2015, 5.2).
    """
    def __init__(self, mesh: Mesh, params: Params) -> None: ...
    def energy(self, wrinkle: Wrinkle, motion: Motion, t: numpy.typing.ArrayLike) -> PathEnergy:
        """
        The energy's terms for path parameters `t` (k,).
        """
    def solve(self, wrinkle: Wrinkle, motion: Motion) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): the minimiser of the energy, not restricted to [0, 1]. Of points that lie near the same vertex only one is free, the others keep their t, so that the energy of all points need not fall.
        """
    def solve_in_space(self, wrinkle: Wrinkle, motion: Motion) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, 3): the minimiser of the second solution's energy (Gillette 2015, equation 5.3), points in space that the method `projection` then carries back onto the mesh.
        """
    def step(
        self,
        wrinkles: collections.abc.Sequence[Wrinkle],
        motion: Motion,
        next_id: typing.SupportsInt | typing.SupportsIndex = 0,
    ) -> tuple[list[Wrinkle], SegmentIndex, int]:
        """
        Moves, merges, trims and lengthens `wrinkles`. Returns (wrinkles, occupied, next_id). Raises ValueError for a motion of another mesh.
        """

class PathCurve:
    """
    A path in space, as drawing and distances need it; a snapshot.
    """
    @property
    def arc_lengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): from the first point.
        """
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k-1, 3), unit: of each segment's triangle.
        """
    @property
    def points(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, 3).
        """
    @property
    def tangents(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, 3), unit: mean tangent of the two segments at the point.
        """

class CurveSamples:
    """
    A smoothed wrinkle as a polyline, 8 straight parts of each segment.
    """
    def __repr__(self) -> str: ...
    @property
    def heights(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (s,).
        """
    @property
    def points(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (s, 3), s = 8 (k-1) + 1.
        """
    @property
    def tangents(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (s, 3), unit: mean tangent of the two segments; at path points the path's.
        """
    @property
    def widths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (s,): full widths.
        """

class Shaper:
    """
    Widths and heights that keep the cloth's length across a wrinkle (Gillette 2015, 6.1).
    """
    def __init__(self, params: Params) -> None: ...
    def step(
        self,
        wrinkle: Wrinkle,
        field: CompressionField,
        dt: typing.SupportsFloat | typing.SupportsIndex,
        end_heights: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(2)"
        ] = [0.0, 0.0],
    ) -> Wrinkle:
        """
        The wrinkle `dt` seconds later: sizes follow their targets, those of a dying wrinkle sink, both at most at the rates of the parameters; with params.verbatim at once. The path stays. `end_heights`: heights that its ends keep, as `junctions` finds them. Raises ValueError for dt <= 0.
        """
    def target(
        self,
        length: typing.SupportsFloat | typing.SupportsIndex,
        compression: typing.SupportsFloat | typing.SupportsIndex,
        along: typing.SupportsFloat | typing.SupportsIndex,
        end_heights: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(2)"
        ] = [0.0, 0.0],
        flat_width: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> tuple[float, float]:
        """
        (width, height) aimed at, at the share `along` of a path of `length` with the largest `compression`. `end_heights`: heights that its ends keep, as `junctions` finds them; `flat_width`: of a flat wrinkle there, in flat widths of the parameters.
        """

class PackedWrinkles:
    """
    Wrinkles packed for the GPU (Gillette 2015, section 7.2); the arrays are views.
    """
    def __repr__(self) -> str: ...
    @property
    def origin(self) -> tuple[float, float, float]:
        """
        The point that positions are relative to: near the mesh, and (0, 0, 0) where that is near the origin.
        """
    @property
    def overlaps(self) -> numpy.typing.NDArray[numpy.uint32]:
        """
        (k, 2) uint32: first and last point, inclusive, of the part of a wrinkle that overlaps.
        """
    @property
    def points(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (p, 16) float32: position from `origin`, width; normal, height; tangent, arc length; width and height at the middle of the segment that starts here; two unused.
        """
    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.uint32]:
        """
        (m, 2) uint32: number of wrinkles that overlap the triangle, first entry in `overlaps`.
        """

class Packer:
    """
    Packs wrinkles and finds the triangles they overlap (Gillette 2015, section 7.2).
    """
    def __init__(self, mesh: Mesh) -> None: ...
    def pack(self, field: CompressionField, wrinkles: collections.abc.Sequence[Wrinkle]) -> PackedWrinkles:
        """
        The three buffers for `wrinkles` as they lie in `field`. A flat wrinkle is packed but overlaps nothing; a triangle that is left out is not displaced. Raises ValueError for a field of another mesh.
        """

class SharedBorder:
    """
    Where wrinkles fade out: cloth is sewn there to what is not cloth, or lies under another layer of the garment.
    """
    def __init__(self, mesh: Mesh, shared: numpy.typing.ArrayLike, rest: numpy.typing.ArrayLike | None = None) -> None:
        """
        shared: vertices that are also vertices of what is not cloth, in any order, as Clip.shared_vertices. rest: (n, 3), where layers of cloth are looked for, as Clip.rest; None for none. Raises ValueError for a vertex outside the mesh and for another shape.
        """
    def fade_out(
        self,
        field: CompressionField,
        wrinkles: collections.abc.Sequence[Wrinkle],
        packed: PackedWrinkles,
        params: Params,
    ) -> PackedWrinkles:
        """
        Packed wrinkles, of which from params.shape.border_fade flat widths on heights fall in a smooth step to 0 at
        the border and half widths to less than the distance: no point of the border is displaced. Wrinkles
        have no height, too, where another layer covers the cloth. packed: of the
        same wrinkles in the same field. Raises ValueError for packed wrinkles of another number of points and for
        a field of another mesh.
        """

class PathDetail(method.Detail):
    """
    The wrinkled surface of one frame.

    Args:
        mesh: The mesh.
        positions: (n, 3) vertices of the frame.
        packed: The frame's packed wrinkles: `State.packed`, or anything with the arrays `triangles`, `overlaps` and `points`.
        feature_size: The smallest width that a wrinkle may have; the least that one has if left out.
        profile: Cross-section of the wrinkles.

    Raises ValueError for a wrong shape, a position that is not finite, and packed buffers that do not fit each other or the
    mesh.
    """

    OVERLAP_TRIANGLE_BITS: typing.ClassVar[int] = 22
    SAMPLES_PER_SEGMENT: typing.ClassVar[int] = 8
    def __init__(
        self,
        mesh: Mesh,
        positions: numpy.typing.ArrayLike,
        packed: typing.Any,
        feature_size: typing.SupportsFloat | typing.SupportsIndex | None = None,
        *,
        profile: Profile = ...,
    ) -> None: ...
    @property
    def profile(self) -> Profile:
        """
        Cross-section of the wrinkles.
        """

class WrinkledSurface:
    """
    The wrinkled surface of a mesh, evaluated point by point in double precision.

    The formulas are those of the shaders (Gillette 2015, chapter 7), so that a point comes out where it is drawn.

    Args:
        mesh: The mesh.
        profile: Cross-section of the wrinkles.
    """
    def __init__(self, mesh: Mesh, profile: Profile = ...) -> None: ...
    def evaluate(
        self,
        positions: numpy.typing.ArrayLike,
        packed: typing.Any,
        triangles: numpy.typing.ArrayLike,
        barycentrics: numpy.typing.ArrayLike,
    ) -> method.SurfacePoints:
        """
        The surface at N points of the mesh.

        Args:
            positions: (n, 3) vertices of the frame.
            packed: The frame's packed wrinkles: `State.packed`, or anything with the arrays `triangles`, `overlaps` and `points`.
            triangles: (N,) the triangle each point lies in.
            barycentrics: (N, 3) its coordinates there.

        Returns:
            SurfacePoints. Points of an edge are the same from both its triangles.

        Raises:
            ValueError: For a wrong shape, a position that is not finite, packed buffers that do not fit each other or the mesh,
                a triangle out of range, or coordinates outside of it.
        """
    @property
    def mesh(self) -> Mesh:
        """
        The coarse mesh.
        """
    @property
    def profile(self) -> Profile:
        """
        Cross-section of the wrinkles.
        """

class Subdivision:
    """
    A mesh with divided edges, without cracks, and where its parts lie on the coarse one.

    Args:
        mesh: The coarse mesh.
        levels: Number of equal pieces of each edge, (e,), or one number for all; at least 1.

    Vertices are those of the mesh in their order, then the points of its edges, then those inside triangles. A vertex of no
    triangle is left out. Raises ValueError for another shape or a level below 1.
    """
    def __init__(self, mesh: Mesh, levels: numpy.typing.ArrayLike) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def barycentrics(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): its coordinates there; a view.
        """
    @property
    def corners(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (M, 3, 3): coordinates of each face's corners in its own coarse triangle.

        For values that differ between the triangles of a vertex, such as texture coordinates at seams.
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (M, 3) int32, oriented as the coarse triangles; a view.
        """
    @property
    def source(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (M,) int32: the coarse triangle that each face is part of; a view.
        """
    @property
    def triangles(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (N,) int32: a coarse triangle that each vertex lies in; a view.
        """

class State(method.State):
    """
    What one frame gave. It stays as it is when the run goes on; arrays are views of it.
    """
    @staticmethod
    def _repr_html_(state: State) -> str | None:
        """
        The garment with its wrinkles.
        """
    def __repr__(self) -> str: ...
    @property
    def compression(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m,): 1 / minimum stretch against the reference.
        """
    @property
    def costs(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 3): label costs, columns C, R, S.
        """
    @property
    def frames(self) -> LocalFrames:
        """
        Local frames of the triangles.
        """
    @property
    def labels(self) -> numpy.typing.NDArray[numpy.int8]:
        """
        (m,) int8: a Label of each triangle.
        """
    @property
    def motion(self) -> Stretch:
        """
        Stretch against the previous frame, per reference interval.
        """
    @property
    def packed(self) -> PackedWrinkles:
        """
        The wrinkles packed for the GPU.
        """
    @property
    def reference(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (m, 2, 2): reference triangles.
        """
    @property
    def stretch(self) -> Stretch:
        """
        Stretch against the reference triangles.
        """
    @property
    def wrinkles(self) -> list:
        """
        List of Wrinkle, alive and dying; the same objects each time.
        """

class Wrinkler(method.Method):
    """
    The whole dynamic method: one frame after the other through all stages.
    """
    @staticmethod
    def restore(bytes: bytes) -> Wrinkler:
        """
        A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made.
        """
    def __getstate__(self) -> bytes: ...
    @typing.overload
    def __init__(self, clip: Clip, params: Params = ...) -> None:
        """
        A run over the clip's cloth, which knows its rest pose and where it is sewn to the rest of the character;
        without params.min_width its smallest wrinkle width is params.relative_width of the clip's height. Raises ValueError if it has none.
        """
    @typing.overload
    def __init__(
        self,
        mesh: Mesh,
        params: Params,
        *,
        rest: numpy.typing.ArrayLike | None = None,
        shared: numpy.typing.ArrayLike = (),
    ) -> None:
        """
        A run over any frames of the mesh. rest: (n, 3), the pose that the cloth was made in. shared: vertices that
        are also vertices of what is not cloth, towards which wrinkles fade out. Raises ValueError unless
        params.min_width is given.
        """
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
    def widths(self) -> numpy.typing.NDArray[numpy.float64] | None:
        """
        (m,): of flat wrinkles, as wrinkle_widths has them; None: 1 everywhere, as without a rest pose.
        """
    @property
    def wrinkles(self) -> list[Wrinkle]:
        """
        Wrinkles of the last frame.
        """

class Crowd:
    """
    Many characters that are advanced at once, on the threads that all calls share.

    Characters share nothing, so each gets the same bits as by itself, on any number of threads. One thread of Python at a
    time may use a crowd, in the process that made it.

    Args:
        threads: How many characters are advanced at the same time; 0: as many as `pucker.threads` or PUCKER_THREADS says, one a
            core if nobody has said.

    Raises:
        ValueError: For more than 1024 threads.
    """
    def __init__(self, threads: typing.SupportsInt | typing.SupportsIndex = 0) -> None: ...
    def __repr__(self) -> str: ...
    def advance(
        self,
        runs: collections.abc.Sequence[method.Method],
        positions: collections.abc.Sequence,
        times: numpy.typing.ArrayLike,
    ) -> list[method.State]:
        """
        One frame of every character: `advance` of each, over all threads.

        Args:
            runs: The characters' runs, of any method, each named once.
            positions: For each of them the positions (n, 3) of its next frame.
            times: Seconds; one for all or one for each.

        Returns:
            A list of states, in the order of `runs`.

        Raises:
            ValueError: For lists of different lengths, a frame that `advance` would refuse, or a run named twice;
                nothing has changed then.
            pucker.Error: While another call is under way in the crowd or in one of the runs, and in a process forked from the
                one that made the crowd.
        """
    @property
    def threads(self) -> int:
        """
        How many characters are advanced at the same time.
        """

def bending_stiffness(
    young: typing.SupportsFloat | typing.SupportsIndex,
    thickness: typing.SupportsFloat | typing.SupportsIndex,
    poisson: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    Bending stiffness of a sheet in N m, young * thickness^3 / 12(1 - poisson^2): Young's modulus in N/m^2, thickness in m, Poisson's ratio in [0, 1). Raises ValueError for other values.
    """

def buckling_wavelength(
    bending: typing.SupportsFloat | typing.SupportsIndex,
    tension: typing.SupportsFloat | typing.SupportsIndex,
    length: typing.SupportsFloat | typing.SupportsIndex,
) -> float:
    """
    Wavelength in m of wrinkles of that length in m in cloth of that bending stiffness, N m, under that tension along them, N/m: 2 sqrt(pi) (bending/tension)^(1/4) sqrt(length) (Cerda and Mahadevan 2003). Raises ValueError unless all are positive and finite.
    """

def compression(stretch: Stretch) -> numpy.typing.NDArray[numpy.float64]:
    """
    (m,): compression 1 / minimum stretch of each triangle, 1 = none; exactly 1 for a triangle that has collapsed to less than 1e-6 of its reference.
    """

def did_you_mean(name: str, known: collections.abc.Sequence[str]) -> str:
    """
    The known name nearest to a misspelt one, in " (did you mean 'x'?)" to stand behind it in a message; empty if none is near.
    """

def edge_levels(
    mesh: Mesh,
    positions: numpy.typing.ArrayLike,
    packed: typing.Any,
    target_edge: typing.SupportsFloat | typing.SupportsIndex,
    *,
    limit: typing.SupportsInt | typing.SupportsIndex = 64,
) -> numpy.typing.NDArray[numpy.int32]:
    """
    Number of pieces (e,) int32 that drawing divides each edge of `mesh` into.

    As many as make the pieces no longer than `target_edge`, but `limit` at most; 1 where no wrinkle overlaps a triangle of
    the edge. Raises ValueError as `WrinkledSurface.evaluate` does, and for a target or a limit that is not positive.
    """

def ellipse_lines(
    faces: numpy.typing.ArrayLike,
    positions: numpy.typing.ArrayLike,
    frames: LocalFrames,
    stretch: Stretch,
    width: typing.SupportsFloat | typing.SupportsIndex = 1.0,
) -> draw.Lines:
    """
    The ellipses of stretch_ellipses, which raises, as lines.
    """

def facets_of(clip: Clip) -> Facets:
    """
    What a clip's garment looks like in up to 16 frames, evenly spread, the first among them.

    The one rule by which every command shows a character smooth or as it is: cloth is fine already if neighbouring triangles
    turn by less than 8 degrees, or if half of the edges are shorter than 0.02 of the height. Clips whose positions would take
    more than 1 GiB when smooth are left as they are, too.
    """

def junctions(
    field: CompressionField, wrinkles: collections.abc.Sequence[Wrinkle], params: Params
) -> list[typing.Annotated[list[float], "FixedSize(2)"]]:
    """
    Heights that the two ends of each of the wrinkles keep because they run into another of them, as params.shape.junctions says; 0 for ends that are free.
    """

def label_costs(
    minimum: numpy.typing.ArrayLike,
    maximum: numpy.typing.ArrayLike,
    params: Params,
    inert: numpy.typing.ArrayLike | None = None,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    Data costs of the labels from the principal stretches against the previous frame.

    Gillette 2015, equations 4.4-4.7.

    Args:
        minimum: (m,) λ_min, 1 = no deformation.
        maximum: (m,) λ_max.
        params: A Params; its node `label` and `verbatim` are read.
        inert: (m,) bool, or None. Stretches of marked triangles are not looked at; their costs are 0.

    Returns:
        (m, 3) float64, columns compress, rest, stretch. With `verbatim` a triangle that shrinks one way and grows the
        other strongly has negative costs.

    Raises:
        ValueError: For arrays of different lengths, or a stretch that is not finite and positive.
    """

def label_tints(labels: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Tints (m, 4) uint8 of labels (m,): red for contraction (0), grey for rest (1), blue for stretching (2). Raises ValueError for any other label.
    """

def libraries() -> dict:
    """
    Versions by name of the libraries the core was built with.
    """

def local_frames(mesh: Mesh, positions: numpy.typing.ArrayLike) -> LocalFrames:
    """
    Local frames of all triangles for `positions` (n, 3): x along v1-v0, y = normal x x (Gillette 2015, section 4.1). Raises ValueError for another shape or a position that is not finite.
    """

def mean_edge_length(mesh: Mesh, positions: numpy.typing.ArrayLike) -> float:
    """
    Mean length of the edges, in the unit of `positions`; 0 for a mesh without edges. Raises ValueError for another shape or a position that is not finite.
    """

def path_curve(field: CompressionField, wrinkle: Wrinkle) -> PathCurve:
    """
    The path as it lies in `field` (Gillette 2015, section 6.2).
    """

def reference_lines(
    faces: numpy.typing.ArrayLike,
    positions: numpy.typing.ArrayLike,
    frames: LocalFrames,
    stretch: Stretch,
    reference: numpy.typing.ArrayLike,
    width: typing.SupportsFloat | typing.SupportsIndex = 1.0,
) -> draw.Lines:
    """
    The outlines of reference_triangles, which raises, as lines.
    """

def reference_triangles(
    faces: numpy.typing.ArrayLike,
    positions: numpy.typing.ArrayLike,
    frames: LocalFrames,
    stretch: Stretch,
    reference: numpy.typing.ArrayLike,
) -> numpy.typing.NDArray[numpy.float64]:
    """
    (k, 3, 3): the reference triangles (m, 2, 2), laid centroid on centroid into the planes of the present ones and turned by A B^T of F = A S B^T (Gillette 2015, equation 4.1). Triangles without area have none. Raises ValueError as stretch_ellipses does.
    """

def require_path(mesh: Mesh, wrinkle: Wrinkle) -> None:
    """
    Raises ValueError, naming the first broken rule, unless every point lies on its edge or in its triangle, consecutive points share the segment's triangle, inner points lie on edges, and sizes are finite, widths above 0 and heights at least 0.
    """

def rescale_rate(stretch: Stretch, exponent: typing.SupportsFloat | typing.SupportsIndex) -> Stretch:
    """
    The stretches to the power `exponent` = interval / dt: what a reference interval would have shown. Raises ValueError for an exponent that is not finite or not above 0.
    """

def sample_curve(field: CompressionField, wrinkle: Wrinkle) -> CurveSamples:
    """
    The smooth curve through the path as it lies in `field`: a cubic Bezier curve a segment; widths and heights are interpolated monotonically over arc length. What is drawn.
    """

def seed_dots(points: numpy.typing.ArrayLike) -> draw.Lines:
    """
    Points (k, 3) at which paths may start, as dots.
    """

def smooth_path(field: CompressionField, wrinkle: Wrinkle) -> Wrinkle:
    """
    One tangential Laplacian step: every inner point moves half way to where the straight line between its neighbours meets its edge, the two triangles laid flat; all from the old points. Points stay on their edges.
    """

def stretch(reference: numpy.typing.ArrayLike, current: numpy.typing.ArrayLike) -> Stretch:
    """
    Principal stretches from reference to current triangles, both (m, 2, 2) with determinant >= 0. A triangle whose reference has no area has both stretches 1. Raises ValueError for other shapes, a triangle that is mirrored or not finite.
    """

def stretch_ellipses(
    faces: numpy.typing.ArrayLike, positions: numpy.typing.ArrayLike, frames: LocalFrames, stretch: Stretch
) -> numpy.typing.NDArray[numpy.float64]:
    """
    (k, 32, 3): closed polygons in the planes of triangles (m, 3) at positions (n, 3), of which `frames` are. The axes are the principal stretches from the reference along their directions; an unstretched triangle has a circle of half its inscribed circle's radius. Triangles without area have none. Raises ValueError for another shape, a vertex there is not, or other than one frame and one stretch with directions a triangle.
    """

def threads(count: typing.SupportsInt | typing.SupportsIndex | None = None) -> int:
    """
    How many threads one call may use, draped cloth's `advance` say; the results do not depend on it.

    Without it what the environment variable PUCKER_THREADS says counts, else it is 1. A crowd that was made without a number
    has as many as well, or one a core if nobody has said.

    Args:
        count: Sets it for the process, from the next call on; 0: one a core. None: leaves it.

    Returns:
        How many it is now.

    Raises:
        ValueError: For more than 1024, and a PUCKER_THREADS that is not a whole number from 0 to 1024.
    """

def vertex_factors(
    path: str, what: str, clip: Clip, pixels: numpy.typing.ArrayLike | None = None
) -> numpy.typing.NDArray[numpy.float64]:
    """
    What a quantity is multiplied with at each vertex of a clip's mesh, (n,).

    Args:
        path: An .npy, which is read, or the name of a picture.
        what: The quantity, as messages name it.
        clip: The Clip.
        pixels: Of the picture, (rows, columns) from top to bottom, white as 1.

    Raises:
        pucker.Error: For a file that is no .npy.
        ValueError: For numbers of another count, a clip without texture coordinates, a picture without pixels, and factors
            that are not finite and above 0, naming the vertex.
    """

def vertex_normals(mesh: Mesh, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """
    (n, 3): area-weighted mean normals of the triangles round each vertex, unit; zero where there is no area.
    """

def weld(positions: numpy.typing.ArrayLike, tolerance: typing.SupportsFloat | typing.SupportsIndex = 1e-06) -> tuple:
    """
    Finds the vertices that have the same position in every frame.

    positions: (frames, n, 3) or (n, 3). tolerance: the largest distance of 'the same position', as a share of the
    diagonal of the frame's bounding box; vertices within it of a common vertex are one too.
    Returns the welded vertex of each stored one, (N,) int32, and the first stored vertex of each welded one, (n,)
    int32; welded vertices are numbered in the order of their first stored vertex.

    Raises ValueError if the shape is wrong, a position is not finite, or the tolerance is not in [0, 1).
    """

def wrinkle_widths(mesh: Mesh, rest: numpy.typing.ArrayLike, params: Params) -> numpy.typing.NDArray[numpy.float64]:
    """
    (m,): width of a flat wrinkle in each triangle, in flat widths of the parameters: at most params.thickness times
    how thick the garment is there in its rest pose (n, 3). 0, for no wrinkles, where that would be less than a fifth,
    and on connected parts that fit into a ball a flat width across, as buttons. 1 everywhere for params.thickness = 0
    and with params.verbatim. Raises ValueError for a rest pose of another shape and unless params.min_width is given.
    """

LABEL_TINTS: numpy.ndarray
__version__: str = "0.1.0"
