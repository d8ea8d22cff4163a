"""A trained set: the poses with their details, in one file."""

import json
import os
import zipfile
import zlib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Error
from pucker._core import _byexample as byexample
from pucker.io.files import replacing

Floats = npt.NDArray[np.float64]

_FORMAT: Final = "pucker.byexample"
_VERSION: Final = 1
_ARRAYS: Final = ("faces", "rest", "poses", "details")
# What zipfile and NumPy raise for bytes that are not what they should be.
_DAMAGES: Final = (OSError, ValueError, EOFError, RuntimeError, MemoryError, zipfile.BadZipFile, zlib.error)


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

    def __post_init__(self) -> None:
        for name, kind in (("faces", np.int32), ("rest", np.float64), ("poses", np.float64), ("details", np.float64)):
            array = np.array(getattr(self, name), dtype=kind)
            array.setflags(write=False)
            object.__setattr__(self, name, array)
        # Whatever does not fit is refused where it is used.
        self.synthesis()

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

    def check(self, mesh: "pucker.Mesh") -> None:
        """Raises ValueError unless `mesh` is that of the set, saying what differs."""
        for what, have, want in (
            ("vertices", mesh.vertex_count, len(self.rest)),
            ("triangles", mesh.triangle_count, len(self.faces)),
        ):
            if have != want:
                raise ValueError(f"the set was trained on a mesh of {want} {what}, not {have}")
        differing = np.flatnonzero((mesh.faces != self.faces).any(axis=1))
        if len(differing):
            first = differing[0]
            raise ValueError(
                f"the set was trained on another mesh: {len(differing)} triangles differ, triangle {first} is "
                f"{self.faces[first].tolist()} there and {mesh.faces[first].tolist()} here"
            )

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
        }
        with replacing(out) as temporary, temporary.open("wb") as file:
            np.savez_compressed(
                file, header=np.array(json.dumps(header)), **{name: getattr(self, name) for name in _ARRAYS}
            )


def load(path: str | os.PathLike[str]) -> TrainedSet:
    """Reads a trained set.

    Raises pucker.Error, naming the file, if it is missing, truncated or damaged, no trained set, or of a newer version.
    """
    file = Path(path)
    header, arrays = _read(file)
    if header.get("format") != _FORMAT:
        raise Error(f"{file}: is no trained set")
    version = header.get("version")
    if not isinstance(version, int) or version > _VERSION:
        raise Error(f"{file}: is of version {version}, and this pucker reads up to {_VERSION}: a newer one wrote it")
    missing = [name for name in _ARRAYS if name not in arrays]
    if missing:
        raise Error(f"{file}: is damaged: {missing[0]} is missing")
    try:
        return TrainedSet(levels=header["levels"], options=Options(**header["options"]), **arrays)
    except (ValueError, TypeError, KeyError) as error:
        raise Error(f"{file}: is damaged: {error}") from error


def _read(file: Path) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
    if not file.exists():
        raise Error(f"{file}: no such file")
    try:
        # Nothing pickled is read: it could run code.
        with file.open("rb") as stream, np.lib.npyio.NpzFile(stream, allow_pickle=False) as archive:
            if "header" not in archive:
                raise Error(f"{file}: is no trained set")
            header = json.loads(str(archive["header"]))
            arrays = {name: archive[name] for name in _ARRAYS if name in archive}
    except _DAMAGES as error:
        raise Error(f"{file}: is truncated or damaged, or no .npz: {error}") from error
    if not isinstance(header, dict):
        raise Error(f"{file}: is no trained set")
    return header, arrays
