"""Scenes whose fine answer was simulated: what `judge` measures surfaces on, kept in small files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import factorized

import pucker
from pucker import byexample
from pucker.closest import closest_places
from pucker.io.npz import arrays_of, write_arrays
from pucker.metrics.source import Source, arrays_of_clip, clip_of

Array = npt.NDArray[np.float64]

_HEADER: Final = "pucker scene 1"
_STEPS: Final = 32767
# Of a smooth surface: a triangle of the coarse mesh becomes 65 536.
_MOST_LEVELS: Final = 8
# Characters of what a message quotes.
_SHOWN: Final = 60


@dataclass(frozen=True, eq=False)
class Scene:
    """A coarse clip and the folds that fine cloth has on it in some of its frames.

    The coarse mesh, subdivided by Loop's rules, is the smooth surface. The truth is that surface and, over it, what a fine
    simulation has beyond it: its *detail*, without the part that any coarse positions could show (docs/believe.md).

    Attributes:
        name: Of the scene.
        clip: The coarse clip; a method runs over all its frames. Of a character it is the beginning of what
            `pucker.load` gives: with its height, rest pose, body, and borders that are sewn to it.
        levels: How often its mesh is subdivided.
        first: Frame of the clip that the first detail belongs to; the others follow.
        detail: (frames, N, 3) of the truth.
        again: The same of a second take of the simulation, or None.
        trained: File name of the trained set that knows the garment; empty if there is none.
        faces: (M, 3) of the fine mesh.
        triangles: (N,) triangle of the subdivided mesh that each fine vertex lies in.
        barycentrics: (N, 3) its coordinates there.
        source: The character that the clip is of; None for a clip of its own.
    """

    name: str
    clip: pucker.Clip
    levels: int
    first: int
    detail: Array
    again: Array | None
    trained: str
    faces: npt.NDArray[np.int64]
    triangles: npt.NDArray[np.int64]
    barycentrics: Array
    source: Source | None = None

    @classmethod
    def of_simulation(
        cls,
        name: str,
        clip: pucker.Clip,
        fine: npt.ArrayLike,
        again: npt.ArrayLike | None = None,
        *,
        levels: int,
        first: int,
        count: int,
        trained: str = "",
        source: Source | None = None,
    ) -> Self:
        """Of cloth simulated as `byexample.simulate` does: `fine` (frames, N, 3) and another take of it.

        `source` says where the clip was loaded from, and must for a character, whose body no scene's file holds.
        """
        loop = byexample.LoopSubdivision(clip.mesh, levels)
        faces = np.asarray(loop.fine.faces, dtype=np.int64)
        triangles, barycentrics = _own_corners(faces, loop.fine.vertex_count)
        return cls._of(name, clip, faces, triangles, barycentrics, fine, again, levels, first, count, trained, source)

    @classmethod
    def of_clip(
        cls,
        name: str,
        fine: pucker.Clip,
        triangles: int,
        *,
        levels: int,
        first: int,
        count: int,
        pose: npt.ArrayLike | None = None,
        trained: str = "",
    ) -> Self:
        """Of a fine clip of which `coarsen` makes the coarse one, decimated in its first frame or in `pose` (N, 3)."""
        from pucker.decimation import coarsen  # noqa: PLC0415 - decimation is a package of its own

        clip = coarsen(fine, triangles, pose=pose)
        cut, coarse = np.asarray(fine.positions[0]), clip.positions[0]
        if pose is not None:
            cut = np.asarray(pose, dtype=np.float64)
            still = pucker.Clip.from_arrays(fine.faces, cut[None], [0.0], weld=False)
            coarse = coarsen(still, triangles).positions[0]
        loop = byexample.LoopSubdivision(clip.mesh, levels)
        places = closest_places(cut, loop.fine.faces, _matrix(loop.matrix) @ coarse)
        faces = np.asarray(fine.faces, dtype=np.int64)
        return cls._of(
            name,
            clip,
            faces,
            places.triangles,
            places.barycentrics,
            fine.positions,
            None,
            levels,
            first,
            count,
            trained,
            None,
        )

    @classmethod
    def _of(
        cls,
        name: str,
        clip: pucker.Clip,
        faces: npt.NDArray[np.int64],
        triangles: npt.NDArray[np.int64],
        barycentrics: Array,
        fine: npt.ArrayLike,
        again: npt.ArrayLike | None,
        levels: int,
        first: int,
        count: int,
        trained: str,
        source: Source | None,
    ) -> Self:
        if not (first >= 0 and count > 0 and first + count <= len(clip)):
            raise ValueError(f"frames {first} to {first + count - 1} are not all among the clip's {len(clip)}")
        shown = slice(first, first + count)
        empty = np.zeros((0, len(triangles), 3))
        scene = cls(name, clip, levels, first, empty, None, trained, faces, triangles, barycentrics)
        takes = [
            None if take is None else scene._beyond(np.asarray(take, dtype=np.float64)[shown], clip.positions[shown])
            for take in (fine, again)
        ]
        cut = clip.beginning(shown.stop)
        assert takes[0] is not None
        return cls(name, cut, levels, first, takes[0], takes[1], trained, faces, triangles, barycentrics, source)

    def _beyond(self, fine: Array, coarse: Array) -> Array:
        """Details d − W(WᵀW)⁻¹Wᵀd of d = fine − W coarse: what no coarse positions could show."""
        solve = factorized((self.smooth.T @ self.smooth).tocsc())
        out = []
        for frame, guide in zip(fine, coarse, strict=True):
            away = frame - self.smooth @ guide
            fitted = np.stack([solve(column) for column in (self.smooth.T @ away).T], axis=1)
            out.append(away - self.smooth @ fitted)
        return np.array(out)

    def __len__(self) -> int:
        """Frames that have a truth."""
        return len(self.detail)

    @property
    def frames(self) -> range:
        """Of the clip that have a truth."""
        return range(self.first, self.first + len(self))

    @cached_property
    def _loop(self) -> Any:
        return byexample.LoopSubdivision(self.clip.mesh, self.levels)

    @cached_property
    def _carried(self) -> Any:
        """(N, N') sparse: from the vertices of the subdivided mesh to the fine ones."""
        corners = np.asarray(self._loop.fine.faces)[self.triangles]
        rows = np.repeat(np.arange(len(corners)), 3)
        shape = (len(corners), self._loop.fine.vertex_count)
        return sparse.csr_matrix((self.barycentrics.ravel(), (rows, corners.ravel())), shape=shape)

    @cached_property
    def smooth(self) -> Any:
        """W, (N, n) sparse: the fine vertices on the smooth surface from the coarse positions."""
        return (self._carried @ _matrix(self._loop.matrix)).tocsr()

    @cached_property
    def linear(self) -> Any:
        """(N, n) sparse: the fine vertices on the coarse triangles themselves."""
        found = (self._carried @ _matrix(self._loop.barycentrics)).tocsr()
        found.eliminate_zeros()
        return found

    def truth(self, detail: Array) -> Array:
        """Positions (frames, N, 3) of the smooth surface with a detail (frames, N, 3) over it."""
        guides = self.clip.positions[self.first : self.first + len(self)]
        return np.array([self.smooth @ guide + each for guide, each in zip(guides, detail, strict=True)])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an ``.npz``: details as multiples of 1/32767 of the largest number in them, all else as it is.

        Raises ValueError for a clip that has a body and no `source`, since the body would be lost.
        """
        of_clip = arrays_of_clip(self.clip, self.source, f"scene {self.name!r}")
        largest = max(float(np.abs(self.detail).max()), 0.0 if self.again is None else float(np.abs(self.again).max()))
        step = largest / _STEPS if largest > 0.0 else 1.0
        arrays: dict[str, Any] = {
            "header": _HEADER,
            "name": self.name,
            "trained": self.trained,
            "numbers": np.array([self.levels, self.first]),
            "step": step,
            "detail": _rounded(self.detail, step),
            **of_clip,
            "faces": self.faces.astype(np.int32),
            "triangles": self.triangles.astype(np.int32),
            "barycentrics": self.barycentrics,
        }
        if self.again is not None:
            arrays["again"] = _rounded(self.again, step)
        write_arrays(path, arrays, compressed=True)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """A scene from a file of `save`, whose character lies in the same folder or the one above.

        Raises pucker.Error for a file that is none, and for a character that is missing or another one.
        """
        folder = Path(path).absolute().parent
        try:
            return cls._of_arrays(arrays_of(Path(path)), (folder, folder.parent))
        except Exception as error:  # of arrays of kinds and sizes that no one thought of
            raise pucker.Error(f"{path}: is no scene: {error}") from error

    @classmethod
    def _of_arrays(cls, kept: dict[str, npt.NDArray[Any]], folders: Sequence[Path]) -> Self:
        """Of what `save` has written; raises ValueError for what does not fit."""
        if str(kept["header"]) != _HEADER:
            raise ValueError(f"its version is {str(kept['header'])[:_SHOWN]!r}, not {_HEADER!r}")
        levels, first = (int(number) for number in kept["numbers"])
        if not 0 <= levels <= _MOST_LEVELS:
            raise ValueError(f"levels must lie in [0, {_MOST_LEVELS}], not {levels}")
        step = float(kept["step"])
        clip, source = clip_of(kept, folders)
        faces, triangles = kept["faces"].astype(np.int64), kept["triangles"].astype(np.int64)
        count = len(triangles)
        _check_numbers("faces", faces, (len(faces), 3), count)
        _check_numbers("triangles", triangles, (count,), len(clip.faces) * 4**levels)
        barycentrics = _finite("barycentrics", kept["barycentrics"], (count, 3))
        frames = len(kept["detail"])
        if not (first >= 0 and first + frames <= len(clip)):
            raise ValueError(f"frames {first} to {first + frames - 1} are not all among the clip's {len(clip)}")
        detail = _finite("detail", kept["detail"] * step, (frames, count, 3))
        again = _finite("again", kept["again"] * step, (frames, count, 3)) if "again" in kept else None
        name, trained = str(kept["name"]), str(kept["trained"])
        return cls(name, clip, levels, first, detail, again, trained, faces, triangles, barycentrics, source)


def scenes_of(folder: str | os.PathLike[str], names: Sequence[str] | None = None) -> list[Path]:
    """The recordings in a folder, by name, or those of `names`. Raises pucker.Error if there are none, or not one of these."""
    found = sorted(Path(folder).glob("*.npz"))
    if not found:
        raise pucker.Error(f"{folder} holds no recordings of scenes (*.npz)")
    there = [file.stem for file in found]
    for name in names or ():
        if name not in there:
            raise pucker.Error(f"{folder} has no scene {name!r}; there are {', '.join(there)}")
    return [file for file in found if names is None or file.stem in names]


def _check_numbers(name: str, numbers: npt.NDArray[np.int64], shape: tuple[int, ...], count: int) -> None:
    if numbers.shape != shape or not ((numbers >= 0) & (numbers < count)).all():
        raise ValueError(f"{name} must be {shape} whole numbers in [0, {count}), got shape {numbers.shape}")


def _finite(name: str, numbers: npt.NDArray[Any], shape: tuple[int, ...]) -> Array:
    if numbers.shape != shape or not np.isfinite(numbers).all():
        raise ValueError(f"{name} must be {shape} finite numbers, got shape {numbers.shape}")
    return np.asarray(numbers, dtype=np.float64)


def _matrix(rows: Any) -> Any:
    return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=rows.shape)


def _own_corners(faces: npt.NDArray[np.int64], count: int) -> tuple[npt.NDArray[np.int64], Array]:
    """A triangle that each vertex is a corner of, (count,), and its coordinates there."""
    triangles, corner = np.zeros((2, count), dtype=np.int64)
    for k in range(3):
        triangles[faces[:, k]], corner[faces[:, k]] = np.arange(len(faces)), k
    return triangles, np.eye(3)[corner]


def _rounded(detail: Array, step: float) -> npt.NDArray[np.int16]:
    return np.round(detail / step).astype(np.int16)
