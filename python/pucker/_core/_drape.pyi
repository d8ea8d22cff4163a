"""
Draped cloth: a fine mesh held softly to the coarse motion and brought into balance in every frame.
"""

from __future__ import annotations
import enum
import numpy
import numpy.typing
import pucker._core
import pucker._core._byexample
import pucker._core.method
import typing

__all__: list[str] = [
    "Balance",
    "Body",
    "Cloth",
    "Compute",
    "ComputedDrape",
    "ComputedState",
    "Contact",
    "Drape",
    "DrapeDetail",
    "FabricParams",
    "Guide",
    "Height",
    "Inertia",
    "Layers",
    "Lengths",
    "Maps",
    "Multilevel",
    "Params",
    "Solved",
    "Springs",
    "State",
    "TriangleQuantity",
    "fabric_of",
    "keeps_mesh",
    "legend_of",
    "thickness",
    "tints_of",
    "triangle_values",
]

class Compute:
    """
    Where the cloth is balanced.

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

class Cloth(enum.IntEnum):
    """
    What a garment is sewn of.
    """

    cotton: typing.ClassVar[Cloth]
    denim: typing.ClassVar[Cloth]
    leather: typing.ClassVar[Cloth]
    silk: typing.ClassVar[Cloth]
    unknown: typing.ClassVar[Cloth]
    wool: typing.ClassVar[Cloth]
    @classmethod
    def __new__(cls, value): ...
    def __format__(self, format_spec): ...

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
        bending stiffness, N m; none: that of the cloth; in [1e-12, 1e+06], default None
        """
    @property
    def cloth(self) -> Cloth:
        """
        what the garment is sewn of; unknown: `wavelength` says how long folds are; default 0
        """
    @property
    def size(self) -> float | None:
        """
        largest extent of the garment in metres; none: the clip's unit is the metre; in [1e-06, 1e+06], default None
        """
    @property
    def tension(self) -> float | None:
        """
        tension along the folds, N/m; none: that of the cloth, and 1 if that is unknown; in [1e-12, 1e+12], default None
        """

class Params:
    """
    Every number a run of draped cloth depends on besides its clip: one frozen tree.
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
    def clearance(self) -> float:
        """
        distance that the cloth keeps from the body, and layers from each other, as a share of the largest extent; in [0, 1], default 0.003
        """
    @property
    def compression(self) -> float:
        """
        how much longer than on the guide an edge may be at rest; caps what a collapsed guide leaves over; in [1, inf), default 1.4
        """
    @property
    def compute(self) -> Compute:
        """
        where the cloth is balanced: cpu, or gpu: where it is drawn; default Compute.cpu
        """
    @property
    def contact(self) -> bool:
        """
        whether the cloth is kept out of the body; default True
        """
    @property
    def creep(self) -> float:
        """
        share of a stretch of the guide that the cloth gives way to; in [0, 1], default 0.5
        """
    @property
    def cut(self) -> str:
        """
        pose that the garment was cut for: rest, first (frame), or a file; empty: one of the file in which the character stands with its arms low, else rest, else first; default
        """
    @property
    def depth(self) -> float:
        """
        how deep the cloth may lie inside of the guide, as a share of the largest extent; in [0, inf), default 0.02
        """
    @property
    def edges_per_wave(self) -> float:
        """
        shortest fold, in edges of the subdivided mesh, so that none is as fine as that; in [0, 100], default 5
        """
    @property
    def fabric(self) -> FabricParams:
        """
        what the cloth is made of
        """
    @property
    def fold_size(self) -> float:
        """
        distance over which the cloth may leave the guide, as a share of the garment's largest extent, or of one and a half times that of the piece, all that edges join, if that is less; smaller holds it closer; in (0, 10], default 0.3
        """
    @property
    def gain(self) -> float:
        """
        height over the guide, along its normal, as a multiple of that in balance; in [0, 100], default 1.33
        """
    @property
    def iterations(self) -> int:
        """
        most steps of the solver a frame; in [1, 100000], default 30
        """
    @property
    def lag(self) -> float:
        """
        time by which the cloth trails the guide in the air, in seconds; in [0, inf), default 0
        """
    @property
    def layers(self) -> bool:
        """
        whether what lies under another layer of the garment is kept there; default True
        """
    @property
    def levels(self) -> int:
        """
        how often the mesh is subdivided; each has four times the triangles; -1: as often as folds need, at most three times and to 100 000 triangles; in [-1, 6], default -1
        """
    @property
    def memory(self) -> float:
        """
        time for which folds stay as they were, in seconds; in [0, inf), default 0.02
        """
    @property
    def settling(self) -> int:
        """
        how many times as many in the first frame; in [1, 1000], default 5
        """
    @property
    def sewn(self) -> bool:
        """
        whether vertices shared with the rest of the character stay on the guide; default True
        """
    @property
    def stiffness_map(self) -> str:
        """
        file of what the bending stiffness is multiplied with: a picture in texture coordinates, white as 1, or an .npy of one number a vertex; folds are longer by its fourth root; empty: none; default
        """
    @property
    def swing(self) -> float:
        """
        how long the cloth's own motion carries it on: the root of its mass over its hold, in seconds; what `thickness` holds closer swings less, and `memory` damps it; in [0, 1e+06], default 0.02
        """
    @property
    def thickness(self) -> float:
        """
        largest fold_size as a multiple of half the thickness of what the garment covers there; 0: however thick; in [0, inf), default 2.5
        """
    @property
    def tightness(self) -> float:
        """
        what all rest lengths are divided by; above 1 it is tighter; in [0.1, 10], default 1
        """
    @property
    def tightness_map(self) -> str:
        """
        file of what the tightness is multiplied with at each vertex, as stiffness_map; empty: none; default
        """
    @property
    def tolerance(self) -> float:
        """
        residual, as a strain, at which the solver stops before that; in [0, 1], default 1e-06
        """
    @property
    def wavelength(self) -> float:
        """
        length of a fold, as a share of fold_size; of a fabric that is known, it says that itself; in [0, 10], default 0.3
        """

class Lengths:
    """
    The lengths that say how a garment folds, in the unit of its positions.
    """
    @property
    def extent(self) -> float:
        """
        longest side of the box round the garment
        """
    @property
    def fold_sizes(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): over which the cloth may leave the guide; a view.
        """
    @property
    def tightness(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): what rest lengths are divided by, without a unit; a view.
        """
    @property
    def wavelengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): of the folds; a view.
        """

class Maps:
    """
    What differs over a garment, one number a coarse vertex.

    Args:
        stiffness: (n,), what the bending stiffness is multiplied with, in [1e-9, 1e9]; None: 1 everywhere.
        tightness: (n,), what `params.tightness` is multiplied with, which stays in [0.1, 10]; None: 1 everywhere.
    """
    def __init__(
        self, stiffness: numpy.typing.ArrayLike | None = None, tightness: numpy.typing.ArrayLike | None = None
    ) -> None: ...
    def __repr__(self) -> str: ...
    @property
    def stiffness(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,), or (0,) for 1 everywhere; a view.
        """
    @property
    def tightness(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n,), or (0,) for 1 everywhere; a view.
        """

class Solved:
    """
    How far a solver came.
    """
    def __repr__(self) -> str: ...
    @property
    def energy(self) -> float:
        """
        at the end, the stiffness of a spring being 1
        """
    @property
    def iterations(self) -> int:
        """
        steps it took
        """
    @property
    def residual(self) -> float:
        """
        how far it is from the balance, as a strain
        """

class Balance:
    """
    The balance of a fine mesh between its own lengths and a guide.

    Springs along the edges, as long as in the cut pose; a hold to the guide; bending of what lies between; and a limit to how deep
    inside of the guide it lies. `aim` sets the guide, `evaluate` gives energy and gradient, `solve` makes the energy least.

    Args:
        mesh: The coarse mesh.
        cut: (n, 3), the pose that the garment was cut for.
        params: A Params of this module.
        pinned: (N,) bool, fine vertices that stay on the guide; None for none.
        maps: Maps of what differs over the garment; None: nothing.

    Raises:
        ValueError: For shapes that do not fit, a garment without extent, and maps out of range.
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        cut: numpy.typing.ArrayLike,
        params: Params = ...,
        pinned: numpy.typing.ArrayLike | None = None,
        maps: Maps = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def aim(
        self,
        positions: numpy.typing.ArrayLike,
        before: numpy.typing.ArrayLike | None = None,
        weight: typing.SupportsFloat | typing.SupportsIndex = 0.0,
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        Sets the guide to that of coarse positions (n, 3), and a pull to fine places `before` (N, 3) that is `weight` times the hold. Returns the guide, (N, 3). Raises ValueError for other shapes and a weight below 0.
        """
    def evaluate(self, fine: numpy.typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64]]:
        """
        Energy of fine positions (N, 3) at the last aim, and its gradient (N, 3). Raises ValueError for another shape.
        """
    def solve(
        self,
        fine: numpy.typing.ArrayLike,
        iterations: typing.SupportsInt | typing.SupportsIndex = 30,
        tolerance: typing.SupportsFloat | typing.SupportsIndex = 1e-06,
    ) -> tuple[numpy.typing.NDArray[numpy.float64], Solved]:
        """
        The balance that is found from fine positions (N, 3), and `Solved`. Raises ValueError for another shape.
        """
    @property
    def holds(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): stiffness of the hold of each fine vertex, that of a spring being 1.
        """
    @property
    def lengths(self) -> Lengths:
        """
        `Lengths` of the garment.
        """
    @property
    def rest_lengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (E,) of the springs at the last aim, along the edges of the fine mesh.
        """
    @property
    def subdivision(self) -> pucker._core._byexample.LoopSubdivision:
        """
        The `LoopSubdivision` of the coarse mesh.
        """

class Guide:
    """
    The smooth surface that draped cloth is held to, one frame after the other.

    Args:
        subdivision: The LoopSubdivision of the coarse mesh.
        shared: Coarse vertices that a mesh which is not subdivided has as well; the guide is sewn to it there.

    Raises:
        ValueError: For vertices that there are not.
    """
    def __init__(
        self, subdivision: pucker._core._byexample.LoopSubdivision, shared: numpy.typing.ArrayLike = ()
    ) -> None: ...
    def __repr__(self) -> str: ...
    def step(self, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Takes the guide to coarse positions (n, 3). Returns its own, (N, 3).

        Raises ValueError for another shape and positions that are not finite.
        """
    @property
    def frames(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3, 3): a frame for each vertex, whose columns are an edge made orthogonal to the normal, normal × that, and the normal; zero where there is none.
        """
    @property
    def normals(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3), unit; zero for a vertex without area.
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3); (0, 3) before the first step.
        """

class Springs:
    """
    A spring of stiffness 1 along each edge of a mesh.

    Args:
        mesh: The fine mesh.
        cut: (N, 3), its positions in the pose that the garment was cut for, which the springs are aimed at first.
        creep: Share by which a spring is longer where the guide is longer than cut.
        compression: How many times as long as on the guide a spring may be, at least 1.
        tightness: (N,), what lengths in the cut pose are divided by; None: 1 everywhere.

    Raises:
        ValueError: For shapes that do not fit, and numbers that are not finite and positive.
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        cut: numpy.typing.ArrayLike,
        *,
        creep: typing.SupportsFloat | typing.SupportsIndex = 0.5,
        compression: typing.SupportsFloat | typing.SupportsIndex = 1.4,
        tightness: numpy.typing.ArrayLike | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def aim(self, guide: numpy.typing.ArrayLike) -> None:
        """
        Sets the guide (N, 3) that rest lengths follow. Raises ValueError for another shape and positions that are not finite.
        """
    def evaluate(self, fine: numpy.typing.ArrayLike) -> tuple[float, numpy.typing.NDArray[numpy.float64]]:
        """
        ½ Σ (length − rest length)² of positions (N, 3), and its gradient (N, 3). Raises ValueError for another shape.
        """
    @property
    def rest_lengths(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (E,) at the last aim, along the edges of the mesh.
        """

class Inertia:
    """
    The inertia of draped cloth: where it would be by itself after a step of time.

    Args:
        swing: Root of mass over hold where `shares` is 1, in seconds; 0: no inertia.
        shares: (N,), what the mass of each vertex is multiplied with; empty: 1 everywhere.
        farthest: If a vertex would go farther in a step, times or places have jumped, and it starts anew.

    Raises:
        ValueError: For a swing and shares that are not finite or below 0, and a farthest that is not above 0.
    """
    def __init__(
        self,
        swing: typing.SupportsFloat | typing.SupportsIndex,
        shares: numpy.typing.ArrayLike = (),
        farthest: typing.SupportsFloat | typing.SupportsIndex = ...,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def pull(
        self, places: numpy.typing.ArrayLike, passed: typing.SupportsFloat | typing.SupportsIndex
    ) -> tuple[numpy.typing.NDArray[numpy.float64], float]:
        """
        Where the cloth would be `passed` seconds after it was at `places` (N, 3), and the weight of the pull to it.

        The weight is a multiple of the hold; both are what `Balance.aim` takes as `before` and `weight`. Without inertia the
        places and 0. Raises ValueError for another shape and a time that is not above 0.
        """
    def start(self) -> None:
        """
        Forgets what was: the cloth stands in another place.
        """
    def step(
        self,
        places: numpy.typing.ArrayLike,
        ended: numpy.typing.ArrayLike,
        passed: typing.SupportsFloat | typing.SupportsIndex,
    ) -> None:
        """
        Tells where (N, 3) the step from `places` (N, 3) has ended. Raises ValueError as `pull` does.
        """

class Multilevel:
    """
    Σ P…P D⁻¹ Pᵀ…Pᵀ over all levels of a subdivision below the finest.

    P are Loop's weights from level to level, D the diagonal stiffness of the vertices of a level. In single precision.

    Args:
        subdivision: The LoopSubdivision.
        own: For each level below the finest, from the coarsest on, the stiffness (n,) of its vertices; None: half the edges of
            each, as of springs of stiffness 1.
        hold: The same, of what the weights of `aim` multiply; None: 0.

    Raises:
        ValueError: For other shapes, and numbers that are not finite or below 0.
    """
    def __init__(
        self,
        subdivision: pucker._core._byexample.LoopSubdivision,
        own: list[numpy.typing.ArrayLike] | None = None,
        hold: list[numpy.typing.ArrayLike] | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def aim(self, weights: numpy.typing.ArrayLike) -> None:
        """
        Sets D = own + weight · hold, of weights (N,) of the finest vertices; those of coarser levels come first.

        1 before the first call. Raises ValueError for another shape and weights below 0.
        """
    def apply(self, gradient: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        The sum times a gradient (N, 3), (N, 3). Raises ValueError for another shape.
        """

class Body:
    """
    What of a character is not the garment, in all frames of a clip.

    Args:
        faces: (m, 3), counterclockwise seen from outside. Vertices in one place should be one: only what is closed has an inside.
        positions: (frames, nb, 3).
        cut: (nb, 3) in the pose that the garment was cut for; None: the first frame.

    Raises:
        ValueError: For other shapes, a triangle out of range, and positions that are not finite.
    """
    def __getstate__(
        self,
    ) -> tuple[
        numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64], numpy.typing.NDArray[numpy.float64]
    ]: ...
    def __init__(
        self,
        faces: numpy.typing.ArrayLike,
        positions: numpy.typing.ArrayLike,
        cut: numpy.typing.ArrayLike | None = None,
    ) -> None: ...
    def __len__(self) -> int: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    @property
    def cut(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (nb, 3).
        """
    @property
    def faces(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (m, 3).
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (frames, nb, 3).
        """

class Contact:
    """
    Distances of fine vertices from a body, and what takes them out of it.

    Solid is what of the body has a back, and all of a connected piece most of which has one: capes and strands of hair do not count. A
    vertex has contact where its nearest place is solid and it has not come in by an opening, such as the wrist of a hand, or where its
    straight way from the guide, once that is set in the frame, goes in through the surface. The room that it keeps is
    `params.clearance`, or less where the coarse surface is nearer or inside in the cut pose.

    Args:
        body: A Body.
        subdivision: The LoopSubdivision of the garment.
        cut: (n, 3), the pose that the garment was cut for.
        params: A Params of this module.

    Raises:
        ValueError: For shapes that do not fit, and a garment without extent.
    """
    def __init__(
        self,
        body: Body,
        subdivision: pucker._core._byexample.LoopSubdivision,
        cut: numpy.typing.ArrayLike,
        params: Params = ...,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def distances(self, fine: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,) of fine positions (N, 3) from the body, negative inside; infinite where it is not near. Raises ValueError for another shape.
        """
    def lift(self, fine: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Fine positions (N, 3), those that are too near the body taken to the nearest place where they have their room. Raises ValueError for another shape.
        """
    def set_guide(self, guide: numpy.typing.ArrayLike, normals: numpy.typing.ArrayLike) -> None:
        """
        Changes `room` by the guide in the frame.

        A vertex that was cut in the body, and whose guide is within 3 % of the garment's extent of its surface, keeps to that, or as deep
        as the guide is where that is less deep than where it was cut. And the body pierces the cloth where it pierces the guide, as cloth
        cannot be stretched over it: in a connected region of the guide that is in the body let d be its largest depth, beyond that of the
        cut pose, and c the mean cosine between the normals of guide and body; as d goes from 0.75 to 1.5 % of the garment's extent and c
        from 0.7 to 0.4, `room` goes to the guide's own distance.

        Args:
            guide: (N, 3), fine positions of the guide.
            normals: (N, 3), of unit length, there.

        Raises:
            ValueError: For another shape.
        """
    def step(self, frame: typing.SupportsInt | typing.SupportsIndex) -> None:
        """
        Takes the body to a frame, and the room to that of the cut pose. Raises ValueError for one that it has not.
        """
    @property
    def room(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N,): what each fine vertex keeps from the body in the frame; negative where it is cut within it.
        """
    @property
    def solid(self) -> int:
        """
        Triangles that are solid.
        """

class Height:
    """
    How much higher over the guide cloth is drawn than it is in balance.

    Heights are multiplied by the gain. Where that would turn triangles, by 26° and more, less is added, by 60° nothing; and what is added
    is averaged over the ring of each vertex. A gain below 1 makes all heights less.

    Args:
        mesh: The Mesh of the cloth.
        gain: At least 0; 1 leaves the cloth as it is.
        pinned: (n,) bool, vertices that stay on the guide; None for none.

    Raises:
        ValueError: For a gain that is not finite and at least 0, and a `pinned` of another shape.
    """
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        gain: typing.SupportsFloat | typing.SupportsIndex,
        pinned: numpy.typing.ArrayLike | None = None,
    ) -> None: ...
    def raise_(
        self, guide: numpy.typing.ArrayLike, normals: numpy.typing.ArrayLike, balanced: numpy.typing.ArrayLike
    ) -> numpy.typing.NDArray[numpy.float64]:
        """
        The cloth that is drawn, before body and layers refuse what would go through them.

        Args:
            guide: (n, 3).
            normals: (n, 3), of the guide, unit.
            balanced: (n, 3), the cloth in balance.

        Returns:
            (n, 3).

        Raises:
            ValueError: For arrays of another shape.
        """
    @property
    def gain(self) -> float:
        """
        What heights are multiplied by.
        """

class Layers:
    """
    What keeps one layer of a garment under another.

    A fine vertex is covered where a triangle of the garment lies less than 3 % of the garment's extent over it in the cut pose, facing
    away from it, and hardly anything in front of the vertex is open. Or it is the other side of the same cloth, at most 1 % thick. Beside
    what is covered, vertices are listed as well, with less of a share.

    Args:
        subdivision: The LoopSubdivision of the garment.
        cut: (n, 3), the pose that the garment was cut for.
        params: A Params of this module.
        pinned: (N,) bool, fine vertices that stay on the guide; None for none.

    Raises:
        ValueError: For shapes that do not fit, and a garment without extent.
    """
    def __init__(
        self,
        subdivision: pucker._core._byexample.LoopSubdivision,
        cut: numpy.typing.ArrayLike,
        params: Params = ...,
        pinned: numpy.typing.ArrayLike | None = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def keep(self, guide: numpy.typing.ArrayLike, fine: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
        """
        Fine positions, those that are covered taken under what covers them.

        A vertex keeps `params.clearance` from the plane over it, or as far as the guide is if that is less, and four times as much farther as
        it has slid along it; nearer, it is taken as far as needed towards where it is as the guide is from the layer. The other side of the
        same cloth goes there always.

        Args:
            guide: (N, 3), fine positions of the guide.
            fine: (N, 3).

        Raises:
            ValueError: For another shape.
        """
    def over(
        self, guide: numpy.typing.ArrayLike
    ) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """
        The places over what is covered, on the guide of a frame.

        A place is looked for from the one of the cut pose on, across edges, as far as the garment goes that is not covered itself. The other
        side of the same cloth keeps the place that it has.

        Args:
            guide: (N, 3), fine positions of the guide.

        Returns:
            (k, 3) fine vertices of the triangle over each, and (k, 3) barycentric coordinates in it.

        Raises:
            ValueError: For another shape.
        """
    @property
    def barycentrics(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k, 3): of the place over each, in that triangle.
        """
    @property
    def corners(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (k, 3): fine vertices of the triangle over each in the cut pose.
        """
    @property
    def other_side(self) -> numpy.typing.NDArray[numpy.bool]:
        """
        (k,): whether it is the other side of the same cloth.
        """
    @property
    def shares(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (k,): 1 for what is covered, less for what is beside it.
        """
    @property
    def vertices(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        (k,): fine vertices that are covered, then those beside them.
        """

class DrapeDetail(pucker._core.method.Detail):
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
    def subdivision(self) -> pucker._core._byexample.LoopSubdivision:
        """
        The `LoopSubdivision`, whose `fine` has the triangles.
        """

class State(pucker._core.method.State):
    """
    What one frame gave. It stays as it is when the run goes on; arrays are views of it.
    """
    def __repr__(self) -> str: ...
    @property
    def balanced(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): the cloth in balance, from which the next frame goes on.
        """
    @property
    def cut(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (n, 3): the pose that the garment was cut for.
        """
    @property
    def cut_from(self) -> str:
        """
        Which pose that is, as "the first frame of Idle"; empty if nobody said.
        """
    @property
    def detail(self) -> DrapeDetail:
        """
        The surface, a DrapeDetail.
        """
    @property
    def draped(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): the cloth, which is drawn: `gain` times as high over the guide as in balance, but for what body and layers refuse.
        """
    @property
    def guide(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        (N, 3): the smooth surface that the cloth is held to.
        """
    @property
    def lengths(self) -> Lengths:
        """
        `Lengths` of the garment.
        """
    @property
    def on_body(self) -> numpy.typing.NDArray[numpy.uint8]:
        """
        (N,) uint8: 1 where the cloth lies on the body in balance, with no more room than it keeps.
        """
    @property
    def residuals(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        (N,) float32: how far each vertex is from balance where the solver stopped, as a strain.
        """
    @property
    def solved(self) -> Solved:
        """
        `Solved`: iterations and residual.
        """
    @property
    def started(self) -> bool:
        """
        Whether nothing was taken over from the frame before: in the first, and where the guide has jumped farther than the garment is large.
        """

class Drape(pucker._core.method.Method):
    """
    The whole method: cloth draped over the guide, frame after frame.

    It starts from the last balance, carried along with the guide. `params.cut` is not read.

    Args:
        mesh: The coarse mesh.
        cut: (n, 3), the pose that the garment was cut for.
        params: A Params of this module.
        shared: Vertices that the rest of the character has as well; with `params.sewn` they stay where they are.
        cut_from: Which pose `cut` is, for those who ask.
        body: A Body that the cloth is kept out of, whose frames are those of the run; None for none.
        maps: Maps of what differs over the garment; None: nothing. Those that `params` names are not read.

    Raises:
        ValueError: For parameters out of range, another shape, and vertices that there are not.
    """
    @staticmethod
    def restore(bytes: bytes, body: Body = None) -> Drape:
        """
        A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made, and without the body that the saved run had.
        """
    def __getstate__(self) -> tuple[bytes, Body]: ...
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        cut: numpy.typing.ArrayLike,
        params: Params = ...,
        shared: numpy.typing.ArrayLike = (),
        cut_from: str = "",
        body: Body = None,
        maps: Maps = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    def advance(self, positions: numpy.typing.ArrayLike, time: typing.SupportsFloat | typing.SupportsIndex) -> State:
        """
        One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is not finite or a time that is not later. Whatever it raises, nothing has changed then.
        """
    @property
    def body(self) -> Body:
        """
        What the cloth is kept out of; None if nothing.
        """
    @property
    def body_warning(self) -> str:
        """
        What a user should know of that, one sentence; empty where less than half of the cloth does.
        """
    @property
    def cut_from(self) -> str:
        """
        Which pose the garment was cut for; empty if nobody said.
        """
    @property
    def cut_inside(self) -> float:
        """
        Share of the cloth that lies in the body in the cut pose, which the body does not keep out; 0 without contact.
        """
    @property
    def lengths(self) -> Lengths:
        """
        `Lengths` of the garment.
        """
    @property
    def maps(self) -> Maps:
        """
        Maps of what differs over the garment.
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

class ComputedState(pucker._core.method.State):
    """
    A frame that is balanced where it is drawn. What is asked of it here is what a Drape has of the same frames.
    """
    def __repr__(self) -> str: ...
    @property
    def reference(self) -> State:
        """
        State that a Drape has of the frame; one that follows the last one asked for takes one step, any other all from the first frame on.
        """

class ComputedDrape(pucker._core.method.Method):
    """
    Draped cloth as compute programs balance it, in 32 bits on the GPU.

    Frames are taken in, and the cloth is balanced where a state is drawn, for all frames since the one drawn last. Args and errors
    are those of Drape.
    """
    @staticmethod
    def restore(bytes: bytes, body: Body = None) -> ComputedDrape:
        """
        A run that goes on as the saved one. Raises pucker.Error for bytes that save() has not made, and without the body that the saved run had.
        """
    def __getstate__(self) -> tuple[bytes, Body]: ...
    def __init__(
        self,
        mesh: pucker._core.Mesh,
        cut: numpy.typing.ArrayLike,
        params: Params = ...,
        shared: numpy.typing.ArrayLike = (),
        cut_from: str = "",
        body: Body = None,
        maps: Maps = None,
    ) -> None: ...
    def __repr__(self) -> str: ...
    def __setstate__(self, arg0: tuple) -> None: ...
    def advance(
        self, positions: numpy.typing.ArrayLike, time: typing.SupportsFloat | typing.SupportsIndex
    ) -> ComputedState:
        """
        One frame: `positions` (n, 3) at `time` seconds, later than the frame before. Returns a state that stays valid; memory of one that nobody holds any more is used again. Raises ValueError for a wrong shape, a position that is not finite or a time that is not later. Whatever it raises, nothing has changed then.
        """
    @property
    def body(self) -> Body:
        """
        What the cloth is kept out of; None if nothing.
        """
    @property
    def body_warning(self) -> str:
        """
        What a user should know of that, one sentence; empty where less than half of the cloth does.
        """
    @property
    def cut_from(self) -> str:
        """
        Which pose the garment was cut for; empty if nobody said.
        """
    @property
    def cut_inside(self) -> float:
        """
        Share of the cloth that lies in the body in the cut pose, which the body does not keep out; 0 without contact.
        """
    @property
    def lengths(self) -> Lengths:
        """
        `Lengths` of the garment.
        """
    @property
    def maps(self) -> Maps:
        """
        Maps of what differs over the garment.
        """
    @property
    def params(self) -> Params:
        """
        What the run was made with.
        """
    @property
    def state(self) -> ComputedState:
        """
        Of the last frame.
        """

class TriangleQuantity(enum.IntEnum):
    """
    Numbers of triangles: how much longer edges of the guide (`strain_before`) and the cloth (`strain_after`) are than cut, as a share; `fold_sizes` and `wavelengths` as shares of the garment's largest extent; `hold`: the distance from the guide as a share of the fold size; `hold_force`: what the guide pulls with, per area, over the cloth's stiffness and extent; `contact`: the share that lies on the body; `residual`: how far vertices are from balance, as a strain.
    """

    contact: typing.ClassVar[TriangleQuantity]
    fold_sizes: typing.ClassVar[TriangleQuantity]
    hold: typing.ClassVar[TriangleQuantity]
    hold_force: typing.ClassVar[TriangleQuantity]
    residual: typing.ClassVar[TriangleQuantity]
    strain_after: typing.ClassVar[TriangleQuantity]
    strain_before: typing.ClassVar[TriangleQuantity]
    wavelengths: typing.ClassVar[TriangleQuantity]
    @classmethod
    def __new__(cls, value): ...
    def __format__(self, format_spec): ...

def fabric_of(cloth: Cloth) -> typing.Any:
    """
    Bending stiffness in N m of a cloth, and its tension in N/m, 1 or the weight of half a metre if that is more. None for unknown.
    """

def keeps_mesh(params: Params) -> bool:
    """
    Whether parameters are for a garment's mesh as its file has it: they say how often that is subdivided, or name positions or numbers of its vertices.
    """

def legend_of(what: TriangleQuantity) -> list:
    """
    Words and colours, sRGB in [0, 1], of the ends and the middle of `tints_of`.
    """

def thickness(mesh: pucker._core.Mesh, positions: numpy.typing.ArrayLike) -> numpy.typing.NDArray[numpy.float64]:
    """
    (n,): from each vertex of positions (n, 3) straight inwards to the other side of the mesh, infinite where there is none, and of that the median of each vertex and its neighbours. Raises ValueError for another shape.
    """

def tints_of(state: State, what: TriangleQuantity) -> numpy.typing.NDArray[numpy.uint8]:
    """
    Colours (m, 4) uint8 of `triangle_values`: strains red where shorter, grey as cut and blue where longer, full at a fifth; the others from grey to green, full at a hold of 0.3, a force of 1, where all lies on the body, at a residual of 0.01, and at the garment's largest length.
    """

def triangle_values(state: State, what: TriangleQuantity) -> numpy.typing.NDArray[numpy.float64]:
    """
    Numbers (m,) of the coarse triangles, each the mean over the fine edges or vertices in it; 0 for a triangle without area.
    """
