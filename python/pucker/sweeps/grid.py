"""The grid of a sweep: every value of every parameter × every clip × every seed."""

import hashlib
import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Clip, __version__, did_you_mean
from pucker.method import flat, method_named, methods, nested
from pucker.toml import check_keys, read

Value = float | int | str | bool

_CLIP_KEYS: Final[dict[str, tuple[type, ...]]] = {
    "file": (str,),
    "clip": (str,),
    "parts": (str, list),
    "fps": (int, float),
    "loops": (int,),
    "motion": (str,),
    "smooth": (int,),
    "frames": (int,),
}
_PATHS: Final = frozenset({"file", "motion"})


@dataclass(frozen=True)
class Point:
    """One run of a sweep."""

    clip: str
    """Name of the clip in its grid."""
    method: str
    """Name of the method."""
    params: Any
    """All parameters of the run, its seed among them, with lengths in the clip's unit."""
    measure: str
    """Name of the measure."""
    id: str
    """Hash of everything the measures depend on: content of clip and files, parameters, version and measure."""

    def columns(self) -> dict[str, Value]:
        """What the point's row begins with: all of the above, each parameter by its dotted name, and the version."""
        leaves = flat(self.params.to_dict())
        seed = leaves.pop("seed", 0)
        row = {"id": self.id, "clip": self.clip, "seed": seed, **leaves}
        return row | {"method": self.method, "measure": self.measure, "version": __version__}


class Grid:
    """Which parameters a sweep tries, on which clips, with which seeds.

    Attributes:
        parameters: the values of each parameter, by its dotted name in the method's parameters (``"threshold"``,
            ``"shape.profile"``); what is left out has its default.
        clips: the clips by the names their rows get.
        seeds: the values of the parameter `seed`.
        method: name of the method.
        sources: of the clips that were read from a sweep file what `pucker.load` takes, the file by its path from here.
    """

    def __init__(
        self,
        parameters: Mapping[str, Sequence[Value]],
        clips: Mapping[str, Clip],
        seeds: Sequence[int] = (0,),
        *,
        method: str = "dynamic",
    ) -> None:
        """The same attributes; tables of parameters may be nested, and a single value need not be in a list.

        Raises ValueError for an unknown parameter (naming those there are), a value the parameter cannot have, an
        empty list, a value listed twice, seeds for a method that has none, and a width that is a share of the height of a
        clip without any.
        """
        self._type = method_named(method)
        self.method = self._type.name
        names = [field.name for field in self._type.params.fields()]
        self.parameters = _axes(parameters, names, self.method)
        self.clips = dict(clips)
        self.sources: dict[str, dict[str, Any]] = {}
        self.seeds = _distinct("seeds", seeds)
        self._has_seed = "seed" in names
        if not self._has_seed and self.seeds != [0]:
            raise ValueError(f"the method {self.method} has no seed, but seeds are {self.seeds}")
        if not self.clips:
            raise ValueError("a grid needs at least one clip")
        first = {name: values[0] for name, values in self.parameters.items()}
        for clip, seed in itertools.product(self.clips, self.seeds):
            self._params(clip, first, seed)
            for name, values in self.parameters.items():
                for value in values:
                    self._params(clip, first | {name: value}, seed)

    @classmethod
    def from_toml(
        cls,
        path: str | os.PathLike[str],
        parameters: Mapping[str, Any] | None = None,
        *,
        method: str | None = None,
    ) -> "Grid":
        """Reads a sweep file, whose clips are named relative to it, and loads these.

        `parameters`, by their dotted names, and `method` take the place of the file's.

        Raises pucker.Error or ValueError naming the file if it is missing or no TOML, for an unknown key (naming those
        there are), for a value of another kind than its key's, and for whatever `load` refuses.
        """
        path = Path(path)
        tree = read(path, "sweep file")
        check_keys(tree, ("method", "parameters", "clips", "seeds"), str(path))
        for key in ("parameters", "clips"):
            if not isinstance(tree.get(key, {}), dict):
                raise ValueError(f"{key} in {path} must be a table, not {tree[key]!r}")  # noqa: TRY004 - the user's
        tables = {name: _checked(path, name, table) for name, table in tree.get("clips", {}).items()}
        axes = with_settings(flat(tree.get("parameters", {})), parameters or {})
        clips = {n: _load(path, t) for n, t in tables.items()}
        grid = cls(axes, clips, tree.get("seeds", (0,)), method=method or tree.get("method", "dynamic"))
        for name, table in tables.items():
            grid.sources[name] = {key: path.parent / v if key in _PATHS else v for key, v in table.items()}
            if "frames" in table:
                grid.clips[name] = grid.clips[name].beginning(table["frames"])
        return grid

    def points(self, measure: str) -> list[Point]:
        """Every combination, the last parameter varying fastest; `measure` names what will be measured there."""
        return [point for point, _ in self.valued_points(measure)]

    def valued_points(self, measure: str = "") -> list[tuple[Point, dict[str, Value]]]:
        """`points`, each with its value of every parameter of the grid."""
        return [
            (self._point(name, content, values, seed, measure), values)
            for name, content in [(name, self.content(name)) for name in self.clips]
            for seed in self.seeds
            for values in (
                dict(zip(self.parameters, each, strict=True)) for each in itertools.product(*self.parameters.values())
            )
        ]

    def content(self, clip: str) -> str:
        """What of a clip its points depend on, as a hash."""
        return _digest(self.clips[clip])

    def _params(self, clip: str, values: Mapping[str, Value], seed: int) -> Any:
        seeded = {"seed": seed} if self._has_seed else {}
        params = self._type.params(**seeded, **nested(values))
        try:
            return self._type.resolved(self.clips[clip], params)
        except ValueError as error:
            raise ValueError(f"clip {clip!r}: {error}") from error

    def _point(self, clip: str, content: str, values: Mapping[str, Value], seed: int, measure: str) -> Point:
        params = self._params(clip, values, seed)
        read = [hashlib.sha256(file.read_bytes()).hexdigest() for file in self._type.files(params)]
        key = json.dumps([clip, content, self.method, params.to_dict(), __version__, measure, *read], sort_keys=True)
        return Point(clip, self.method, params, measure, hashlib.sha256(key.encode()).hexdigest()[:24])


# The dynamic method takes either.
_WIDTHS: Final = frozenset({"min_width", "relative_width"})


def with_settings(parameters: Mapping[str, Any], others: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters but for those that others take the place of; a width stands for either kind of width."""
    gone = others.keys() | (_WIDTHS if others.keys() & _WIDTHS else set())
    return {name: value for name, value in parameters.items() if name not in gone} | dict(others)


def _axes(parameters: Mapping[str, Any], names: Sequence[str], method: str) -> dict[str, list[Value]]:
    """The values of each parameter, checked but for the ranges, which the parameters know."""
    axes = flat(parameters)
    if "seed" in axes:
        raise ValueError("the parameter 'seed' is swept by the list 'seeds' of the grid")
    for name in [each for each in axes if each not in names]:
        others = [each.name for each in methods().values() if name in (field.name for field in each.params.fields())]
        if others and not did_you_mean(name, names):
            raise ValueError(f"{name} is a parameter of {' and '.join(others)}, but the grid's method is {method}")
    check_keys(axes, [name for name in names if name != "seed"], "a grid's parameters")
    if axes.keys() >= _WIDTHS:
        raise ValueError("a grid cannot have both min_width and relative_width")
    return {name: _distinct(name, values) for name, values in axes.items()}


def _distinct(name: str, values: Any) -> list[Any]:
    items = [values] if isinstance(values, str) or not isinstance(values, Iterable) else list(values)
    if not items:
        raise ValueError(f"{name} needs at least one value")
    for position, value in enumerate(items):
        if value in items[:position]:
            raise ValueError(f"{name} lists {value!r} twice")
    return items


def _checked(path: Path, name: str, table: Any) -> dict[str, Any]:
    where = f"clip {name!r} in {path}"
    if not isinstance(table, dict) or "file" not in table:
        raise ValueError(f"{where} must be a table with the key 'file'")
    check_keys(table, _CLIP_KEYS, where)
    for key, value in table.items():
        if not isinstance(value, _CLIP_KEYS[key]) or isinstance(value, bool):
            kind = _CLIP_KEYS[key][-1].__name__
            raise ValueError(f"{key} of {where} must be of kind {kind}, got {value!r}")  # noqa: TRY004 - the user's
    return table


def _load(path: Path, table: Mapping[str, Any]) -> Clip:
    options = {key: value for key, value in table.items() if key not in ("file", "frames")}
    if "motion" in options:
        options["motion"] = path.parent / options["motion"]
    return pucker.load(path.parent / table["file"], isolated=True, **options)


def _digest(clip: Clip) -> str:
    """Hash of what a clip's wrinkles depend on."""
    content = hashlib.sha256()
    rest = [] if clip.rest is None else [clip.rest]
    height: npt.NDArray[np.generic] = np.array(clip.height)
    arrays: list[npt.NDArray[np.generic]] = [
        clip.faces,
        clip.positions,
        clip.times,
        clip.shared_vertices,
        height,
        *rest,
    ]
    for array in arrays:
        content.update(f"{array.dtype} {array.shape}".encode())
        content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()
