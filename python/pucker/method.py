"""The methods that put detail over a clip, and a run of any of them over its frames.

A method is chosen by the type of its parameters. Every folder of this package with a module `method` in it is one;
a method of another package joins them by `register`, when the module that calls it is imported.
"""

import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol, overload, runtime_checkable

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Frame, Mesh, Params, did_you_mean
from pucker._core.method import SurfacePoints, points_of_mesh
from pucker.data_params import DataField, DataParams, number
from pucker.kinds import check_clip, kind_of

if TYPE_CHECKING:
    import pucker
    import pucker.io.export
    import pucker.render

__all__ = [
    "DataField",
    "DataParams",
    "Detail",
    "Measuring",
    "Method",
    "MethodType",
    "Overlay",
    "State",
    "SurfacePoints",
    "detail_of",
    "flat",
    "levels_for",
    "method_named",
    "method_of",
    "method_of_state",
    "methods",
    "nested",
    "number",
    "points_of_mesh",
    "progress",
    "register",
    "run",
    "start",
]

Floats = npt.NDArray[np.float64]


@runtime_checkable
class Detail(Protocol):
    """The fine surface that one frame of a method puts over the coarse one."""

    def evaluate(self, triangles: npt.ArrayLike, barycentrics: npt.ArrayLike) -> SurfacePoints:
        """The surface at N points, given by a triangle (N,) and barycentric coordinates (N, 3) in it.

        Points of an edge come out the same from both its triangles, to rounding.
        """

    @property
    def feature_size(self) -> float:
        """Length of the smallest feature that there can be, in the unit of the positions."""

    @property
    def feature_sizes(self) -> Floats:
        """Length (m,) of the smallest feature in each triangle; infinite where nothing is displaced."""

    @property
    def offset_range(self) -> tuple[float, float]:
        """Between which ends every displacement along the base normal lies, negative inwards."""


@runtime_checkable
class State(Protocol):
    """What one frame gave. A method's own state has more."""

    @property
    def frame(self) -> int:
        """Its number, from 0."""

    @property
    def time(self) -> float:
        """Seconds."""

    @property
    def detail(self) -> Detail:
        """The fine surface over the coarse one."""

    @property
    def seconds(self) -> Mapping[str, float]:
        """Wall clock of each stage, by name, in order."""


@runtime_checkable
class Method(Protocol):
    """A run of one method: one frame after the other."""

    def advance(self, positions: npt.ArrayLike, time: float) -> Any:
        """One frame: `positions` (n, 3) at `time` seconds, later than the frame before.

        Returns a `State`, which stays as it is when the run goes on.
        """

    def save(self) -> bytes:
        """The whole run as bytes."""

    def restored(self, saved: bytes) -> "Method":
        """A run that goes on with the same bits as the saved one."""


class Measuring(Protocol):
    """Takes the states of a run one after the other and measures what only its own method knows of them."""

    def take(self, state: Any, area: float | None) -> None:
        """A frame, whose detailed surface has this area; None if that is not measured."""

    def results(self, times: Floats) -> tuple[dict[str, Floats], dict[str, float]]:
        """Numbers of each frame (frames,) and of the whole run, both by name, for frames at `times` in seconds."""


class Overlay:
    """Something that a method can have drawn over a frame to show how its detail came about. Each is one of three things.

    Attributes:
        name: As `pucker.render.Overlays` takes it.
        named: Whether the name says all; otherwise it stands for data that come along.
        strokes: Whether it is what the method's own shaders draw as lines.
    """

    name: ClassVar[str]
    named: ClassVar[bool] = True
    strokes: ClassVar[bool] = False

    def tints(self, state: Any, asked: Any) -> npt.NDArray[np.uint8] | None:  # noqa: ARG002
        """Colours (m, 4) laid over the triangles, sRGB with the share as alpha; None for an overlay of other kind.

        `asked` is True or what was given instead. Raises ValueError for a state that lacks what is to be shown.
        """
        return None

    def lines(
        self,
        state: Any,  # noqa: ARG002
        asked: Any,  # noqa: ARG002
        faces: npt.NDArray[np.integer],  # noqa: ARG002
        positions: npt.NDArray[np.floating],  # noqa: ARG002
    ) -> "Sequence[pucker.render.Lines]":
        """Lines on a mesh (m, 3) with positions (n, 3); as `tints`."""
        return []

    def curves(self, state: Any, mesh: Mesh) -> Sequence[tuple[Floats, Floats]]:  # noqa: ARG002
        """What `strokes` show, for what draws without the method's shaders: points (k, 3) of each line on the mesh.

        With them come heights (k,): by so much the detail may stand before the line.
        """
        return []

    def legend(self) -> Sequence[tuple[str, tuple[float, float, float]]]:
        """Words and their colours, sRGB in [0, 1]; empty where there is nothing to tell apart."""
        return []


class Brush(Protocol):
    """What the mouse paints with in the widget: while it is `on`, drags with the left button are its own."""

    @property
    def on(self) -> bool:
        """Whether it is."""

    @property
    def controls(self) -> Any:
        """A widget beside the picture."""

    def down(self, x: float, y: float) -> None:
        """A drag begins at column x and row y of the picture."""

    def to(self, x: float, y: float) -> None:
        """It goes on to there."""

    def up(self) -> None:
        """It ends."""

    def close(self) -> None:
        """The view is closed."""


class MethodType(ABC):
    """Descriptor of a method: what the rest of pucker knows of it. Each method derives one and registers it.

    Attributes:
        name: As `--method` takes it.
        params: The class of its parameters. They are equal and hashed by value, can be pickled, and have `replace`,
            `to_dict`, `to_toml`, `from_toml` and `fields` as `pucker.Params` has; `DataParams` has all of that.
        sheet_overlays: What contact sheets draw over the mesh in their middle row.
        state: The class of its states, or several; None if a state does not say its method.
        numbers_on: What the numbers of its states are of on a mesh with as many triangles as vertices, where their count
            is ambiguous.
    """

    name: ClassVar[str]
    params: ClassVar[type[Any]]
    sheet_overlays: ClassVar[Sequence[str]] = ("wireframe",)
    state: ClassVar[type[Any] | tuple[type[Any], ...] | None] = None
    numbers_on: ClassVar[Literal["triangles", "vertices"]] = "vertices"

    @abstractmethod
    def start(self, clip: Clip, params: Any) -> Method:
        """A run over the clip that has not seen a frame yet."""

    def overlays(self) -> Sequence[Overlay]:
        """What it can have drawn over a frame."""
        return ()

    def resolved(self, clip: Clip, params: Any) -> Any:  # noqa: ARG002
        """The parameters with every length that is a share of the clip's height in its unit of length."""
        return params

    def replaced(self, params: Any, values: Mapping[str, Any]) -> Any:
        """The parameters with some replaced, by their dotted names. Raises ValueError for a value they may not have."""
        return params.replace(**nested(values))

    def parts(self, params: Any) -> Sequence[str]:  # noqa: ARG002
        """The parts of a character that the parameters are for, as `pucker.load` takes them; empty if they do not say."""
        return ()

    def keeps_mesh(self, params: Any) -> bool:  # noqa: ARG002
        """Whether a run takes the garment's mesh as it is: because its parameters are for the file's own, or it needs the clip's skin.

        Otherwise commands may give it the clip made smooth (`pucker.io.facets`), else one whose body alone is (`Clip.with_smooth_body`).
        """
        return False

    def files(self, params: Any) -> Sequence[Path]:  # noqa: ARG002
        """What a run reads besides its clip."""
        return ()

    def measuring(self, clip: Clip, params: Any, *, directions: npt.ArrayLike | None = None) -> Measuring | None:  # noqa: ARG002
        """What measures a run with resolved parameters, or None if there is nothing to measure but the surface.

        Raises ValueError for `directions` if the method has no paths to follow them.
        """
        if directions is not None:
            raise ValueError(f"the method {self.name} has no paths whose directions could be measured")
        return None

    def detail_of(self, item: Any, mesh: Mesh, positions: npt.ArrayLike, params: Any = None) -> Detail | None:  # noqa: ARG002
        """The detail over positions (n, 3) that something stands for which is no state, such as data from elsewhere.

        `params` are those of the run that made it, if known. None for what is none of this method's.
        """
        return None

    def description(self, clip: Clip, params: Any) -> str:  # noqa: ARG002
        """What follows "Wrinkles have" in a report: the end of a sentence about the parameters."""
        return f"the parameters {params}."

    def counts(self, state: Any) -> dict[str, float]:  # noqa: ARG002
        """What a summary says of a frame: numbers by their words, in lower case with `_` between them; the plural."""
        return {}

    def sections(self, states: Sequence[Any], params: Sequence[Any]) -> Sequence[Floats]:  # noqa: ARG002
        """Cross-sections of one fold as each of several runs has it in the same frame, from their states and parameters.

        Curves (k, 2), across and up, in the clip's unit. Empty if the runs have no fold in common, or folds no sections.
        """
        return []

    def folds_of_width(self, width: float, named: Collection[str]) -> dict[str, Any]:  # noqa: ARG002
        """Parameters by their dotted names with which the narrowest flat fold is `width` wide, in the clip's unit.

        Empty if those `named`, which have values already, say how wide it is, and of a method that has no such parameters.
        """
        return {}

    def brush(self, view: Any, clip: Clip) -> "Brush | None":  # noqa: ARG002
        """What a drag of the mouse may do in the widget besides turning the camera; None if there is nothing to paint."""
        return None

    def candidates(self, params: Any) -> dict[str, Any]:
        """What `compare` measures beside the mesh without detail: parameters by name."""
        return {"ours": params}

    def export(self, clip: Clip, path: Path, params: Any, *, progress: bool) -> "pucker.io.export.PathReport":  # noqa: ARG002
        """Writes what a run made, in the format that the ending of `path` says. Raises pucker.Error if there is nothing."""
        from pucker._core import Error  # noqa: PLC0415 - what other methods do not need

        raise Error(f"the method {self.name} has nothing to export")


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Values by dotted names as tables in tables, which trees of parameters take."""
    tree: dict[str, Any] = {}
    for path, value in values.items():
        *nodes, name = path.split(".")
        table = tree
        for node in nodes:
            table = table.setdefault(node, {})
        table[name] = value
    return tree


def flat(tree: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """The leaves of nested tables by their dotted names."""
    leaves: dict[str, Any] = {}
    for name, value in tree.items():
        leaves |= flat(value, f"{prefix}{name}.") if isinstance(value, Mapping) else {prefix + name: value}
    return leaves


_methods: dict[str, MethodType] = {}


def register(method: MethodType) -> None:
    """Makes a method known. Raises ValueError for a name or a class of parameters that another one has."""
    for other in _methods.values():
        if (other.name == method.name or other.params is method.params) and type(other) is not type(method):
            raise ValueError(f"there is a method {other.name!r} with parameters {other.params.__qualname__} already")
    _methods[method.name] = method


@cache
def _load_own() -> None:
    """Imports the modules `method` in the folders of this package, which register theirs."""
    for folder in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if folder.ispkg and Path(__file__).parent.joinpath(folder.name, "method.py").is_file():
            importlib.import_module(f"pucker.{folder.name}.method")


def methods() -> Mapping[str, MethodType]:
    """All methods by name."""
    _load_own()
    return dict(_methods)


def method_named(name: str) -> MethodType:
    """The method of a name, or that which the module of this name registers.

    Raises ValueError for a name of neither, listing the methods there are.
    """
    _load_own()
    if name in _methods:
        return _methods[name]
    before = set(_methods)
    with suppress(ModuleNotFoundError):
        importlib.import_module(name)
    added = [method for other, method in _methods.items() if other not in before]
    if not added:
        raise ValueError(
            f"there is no method {name!r}{did_you_mean(name, list(_methods))}; there are {', '.join(_methods)}"
        )
    return added[-1]


def method_of(params: Any) -> MethodType:
    """The method that parameters belong to. Raises TypeError for what are no method's parameters."""
    _load_own()
    for method in _methods.values():
        if type(params) is method.params:
            return method
    known = ", ".join(kind_of(method.params) for method in _methods.values())
    raise TypeError(f"params must be the parameters of a method ({known}), got {kind_of(type(params))}")


def method_of_state(state: Any) -> MethodType:
    """The method that a state is of. Raises TypeError for what is no method's state."""
    for method in methods().values():
        if method.state is not None and isinstance(state, method.state):
            return method
    raise TypeError(f"a {type(state).__qualname__} does not say its method: give its params")


def detail_of(item: Any, mesh: Mesh, positions: npt.ArrayLike, params: Any = None) -> Detail:
    """The detail of a state; or a detail itself, or what a method makes one of over positions (n, 3).

    `params` are those of the run that made it, if known. Raises TypeError for what is nothing of this.
    """
    if hasattr(item, "detail") or hasattr(item, "evaluate"):
        found: Detail = getattr(item, "detail", item)
        return found
    for method in methods().values() if params is None else [method_of(params)]:
        detail = method.detail_of(item, mesh, positions, params)
        if detail is not None:
            return detail
    raise TypeError(f"a frame must be a state of a method, a detail or data of one, got {type(item).__qualname__}")


def levels_for(detail: Detail, mesh: Mesh, positions: npt.ArrayLike, edge_share: float) -> npt.NDArray[np.int32]:
    """Pieces (e,) of each edge, no longer than `edge_share` of the smallest feature in its triangles.

    Edges whose triangles have no detail stay whole. Raises ValueError for a share that is not positive.
    """
    if not edge_share > 0.0:
        raise ValueError(f"edge_share must be positive, not {edge_share}")
    return mesh.edge_levels(positions, edge_share * np.asarray(detail.feature_sizes))


def progress(clip: Clip, *, quiet: bool = False) -> Iterator[Frame]:
    """Every frame of `clip` in order, with a progress bar on the standard error stream unless `quiet`."""
    from tqdm import tqdm  # noqa: PLC0415 - only a run that shows its progress needs it

    with tqdm(total=len(clip), desc=clip.name, unit="frame", disable=quiet) as bar:
        for frame in clip:
            yield frame
            bar.update()


def start(clip: Clip, params: Any = None) -> Method:
    """A run over `clip` that has not seen a frame yet, of the method that `params` belongs to; the dynamic one without."""
    check_clip(clip)
    chosen = Params() if params is None else params
    return method_of(chosen).start(clip, chosen)


@overload
def run(clip: Clip, params: Params | None = None, *, quiet: bool = True) -> "Iterator[pucker.State]": ...
@overload
def run(clip: Any, params: Any, *, quiet: bool = True) -> Iterator[Any]: ...
def run(clip: Any, params: Any = None, *, quiet: bool = True) -> Iterator[Any]:
    """The states of all frames of `clip`, one after the other, of the method that `params` belongs to.

    Args:
        clip: The clip.
        params: Parameters of a method; those of the dynamic one without.
        quiet: Without a progress bar on the standard error stream.

    Raises:
        TypeError: For what are no method's parameters, and a path in place of the clip.
        ValueError: For parameters that do not go with the clip.
    """
    method = start(clip, params)
    return _states(method, clip, quiet=quiet)


def _states(method: Method, clip: Clip, *, quiet: bool) -> Iterator[Any]:
    frames: Iterable[Any] = zip(clip.positions, clip.times, strict=True)
    if not quiet:
        from tqdm import tqdm  # noqa: PLC0415 - only a run that shows its progress needs it

        frames = tqdm(frames, total=len(clip.times), desc=clip.name, unit="frame")
    for positions, time in frames:
        yield method.advance(positions, time)
