"""A trained set: the poses with their details, in one file."""

import json
import os
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Error
from pucker._core import _byexample as byexample
from pucker.io.files import replacing

Floats = npt.NDArray[np.float64]

_FORMAT: Final = "pucker.byexample"
_VERSION: Final = 2
_ARRAYS: Final = ("faces", "rest", "poses", "details")
# Of the multiples of a step in a file.
_LARGEST: Final = 32767


@dataclass(frozen=True)
class Options:
    """How weights are computed; see `Synthesis`."""

    places: Literal["sparse", "dense"] = "sparse"
    """Where: at the vertices of the feature mesh, from which they spread linearly, or at all."""
    falloff: float = 2.0
    """How fast an edge's weight falls with distance, in mean edge lengths."""
    edges: int = 16
    """Edges that count at a point."""
    kernel: Literal["distance", "squared"] = "distance"
    """Radial basis function."""
    equal: Literal["refuse", "share"] = "share"
    """What becomes of poses that are the same at a point, though not everywhere."""


@dataclass(frozen=True, eq=False)
class TrainedSet:
    """P poses of a garment's coarse mesh and the detail of each.

    Raises ValueError for arrays that do not fit each other or are not finite.
    """

    faces: npt.NDArray[np.int32]
    """(m, 3) of the feature mesh."""
    rest: Floats
    """(n, 3) of the feature mesh, in the clip's unit of length."""
    levels: int
    """How often it is subdivided."""
    poses: Floats
    """(P, n, 3) of the feature mesh, the first at rest."""
    details: Floats
    """(P, N, 3) in the frames of the smooth surface."""
    options: Options = field(default_factory=Options)
    """How weights are computed."""
    parts: tuple[str, ...] = ()
    """Names of the parts of a character that the feature mesh is, as `pucker.load` takes them; empty if it is all."""
    step: float = 0.0
    """Details are whole multiples of it, 32767 at most, and stored as such; 0: they are any numbers."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not 0.0 <= self.step < np.inf:
            raise ValueError(f"the step of a set must be finite and at least 0, not {self.step}")
        for name, kind in (("faces", np.int32), ("rest", np.float64), ("poses", np.float64), ("details", np.float64)):
            array = np.array(getattr(self, name), dtype=kind)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        # Whatever does not fit is refused where it is used.
        self.synthesis()
        if self.step and not np.array_equal(self.details, self.step * _multiples(self.details, self.step)):
            raise ValueError(f"details must be whole multiples of {self.step:g}, {_LARGEST} at most")

    def rounded(self) -> "TrainedSet":
        """The same with rounded details, which take a quarter of the room in a file.

        They become whole multiples of the smallest step of which the largest is no more than 32767: an error of at most 1/65534
        of the largest. Poses stay, as weights between poses that are nearly the same depend on their last digits.
        """
        step = float(np.abs(self.details).max(initial=0.0)) / _LARGEST
        if step == 0.0:
            return replace(self, step=0.0)
        rounded: Floats = step * _multiples(self.details, step).astype(np.float64)
        return replace(self, details=rounded, step=step)

    @property
    def mesh(self) -> "pucker.Mesh":
        """The feature mesh."""
        return pucker.Mesh(self.faces, len(self.rest))

    def synthesis(self, mesh: "pucker.Mesh | None" = None) -> byexample.Synthesis:
        """A synthesis from these poses, on a mesh that must be that of the set.

        Raises ValueError for another mesh, saying what differs.
        """
        if mesh is not None:
            self.check(mesh)
        chosen = self.options
        return byexample.Synthesis(
            self.mesh if mesh is None else mesh,
            self.levels,
            self.rest,
            self.poses,
            self.details,
            places=chosen.places,
            falloff=chosen.falloff,
            edges=chosen.edges,
            kernel=chosen.kernel,
            equal=chosen.equal,
        )

    def check_rest(self, rest: npt.ArrayLike) -> None:
        """Raises ValueError unless the edges of `rest` (n, 3) are as long as those of the set's rest pose, to a thousandth."""
        byexample.require_rest_of_set(self._features, rest)

    def check_unit(self, positions: npt.ArrayLike) -> None:
        """Raises ValueError if positions (n, 3) of any pose are of another unit of length than the set.

        They are if the median of the edges' stretch is not within a factor of 1.5.
        """
        byexample.require_unit_of_set(self._features, positions)

    @property
    def _features(self) -> byexample.Features:
        return byexample.Features(self.mesh, self.rest)

    def check(self, mesh: "pucker.Mesh") -> None:
        """Raises ValueError unless `mesh` is that of the set, saying what differs."""
        byexample.require_mesh_of_set(self.faces, len(self.rest), mesh)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the set to an .npz, whole or not at all; `load` gives back the same numbers.

        Raises ValueError for another ending, and OSError if it cannot be written.
        """
        out = Path(path)
        if out.suffix != ".npz":
            raise ValueError(f"a trained set is an .npz, not {out.name}")
        header = {
            "format": _FORMAT,
            "version": _VERSION,
            "levels": self.levels,
            "options": {each.name: getattr(self.options, each.name) for each in fields(Options)},
            "parts": self.parts,
            "step": self.step,
        }
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        if self.step:
            arrays["details"] = _multiples(self.details, self.step)
        with replacing(out) as temporary, temporary.open("wb") as file:
            np.savez_compressed(file, header=np.array(json.dumps(header)), **arrays)


def _multiples(details: Floats, step: float) -> npt.NDArray[np.int16]:
    return np.clip(np.rint(details / step), -_LARGEST, _LARGEST).astype(np.int16)


def load(path: str | os.PathLike[str]) -> TrainedSet:
    """Reads a trained set.

    Raises pucker.Error, naming the file, if it is missing, truncated or damaged, no trained set, or of a newer version.
    """
    found = byexample.read_trained(os.fspath(path))
    try:
        return TrainedSet(**{**found, "options": Options(**found["options"])})
    except ValueError as error:
        raise Error(f"{os.fspath(path)}: is damaged: {error}") from error
