"""Truths: folds that were simulated finely enough to be judged by, as what is judged of them, and with how far they can be trusted."""

import os
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.method import detail_of
from pucker.rates import frame_rate

from .agreement import rms
from .bands import BandAgreement, Bands, band_agreement, fitted_lag, heights, lagging
from .long_waves import low_pass, rounding_step
from .reproduced import PLACE, SIZE, Reproduced
from .source import Source
from .truth_files import read, write

Array = npt.NDArray[np.float64]

# A surface whose cut pose is farther away than this share of the garment's extent is another garment.
_FAR: Final = 0.05
# Times of files are rounded.
_SAME_RATE: Final = 1e-3


@dataclass(frozen=True, eq=False)
class Truth:
    """Folds of simulated cloth over a coarse clip, without what is shorter than the shortest wave that is judged.

    The clip's mesh, subdivided by Loop's rules, is the guide. The truth is the guide and, at each of its vertices, how far the
    simulated surface is away, low-passed. Its *folds* are its heights over the guide without its lag, which depends on the solver's steps.
    A band of wavelength is judged by place if the next finer mesh has its folds in the
    same places (correlation at least `PLACE`, size within `SIZE`), and another take too; other bands only by statistics, such as their size.

    Attributes:
        name: Of the scene.
        fabric: What it is sewn of.
        clip: The coarse clip; a method runs over all its frames. Of a character it is the beginning of what
            `pucker.load` gives: with its height, rest pose, body, and borders that are sewn to it.
        start: (n, 3) coarse positions of the pose that the cloth is cut for.
        sewn: (s,) coarse vertices that the rest of the character shares; cloth stays on the guide there.
        levels: How often the mesh is subdivided.
        first: Frame of the clip that the first of the truth belongs to; the others follow.
        away: (frames, N, 3) from the guide to the truth.
        shortest: Wavelength of which half is kept; what is shorter is lost.
        cutoffs: (k - 1,) wavelengths at which bands end, ascending.
        reproduced: By which other simulations, and how far.
        constants: Of the fabric and the simulation.
        made: By what, from what.
        source: The character that the clip is of; None for a clip of its own.
    """

    name: str
    fabric: str
    clip: pucker.Clip
    start: Array
    sewn: npt.NDArray[np.int64]
    levels: int
    first: int
    away: Array
    shortest: float
    cutoffs: tuple[float, ...]
    reproduced: tuple[Reproduced, ...]
    constants: dict[str, float]
    made: str
    source: Source | None = None

    @classmethod
    def of_simulation(
        cls,
        name: str,
        fabric: str,
        clip: pucker.Clip,
        simulated: npt.ArrayLike,
        *,
        start: npt.ArrayLike,
        sewn: npt.ArrayLike = (),
        simulated_levels: int,
        levels: int,
        first: int,
        count: int,
        shortest: float,
        cutoffs: tuple[float, ...],
        constants: dict[str, float] | None = None,
        made: str = "",
        source: Source | None = None,
    ) -> Self:
        """Of positions (frames, M, 3) simulated on `clip`'s mesh after `simulated_levels` subdivisions, a frame for each of the clip's.

        What is kept is low-passed there and read at the vertices of the mesh after `levels` subdivisions, which are the first of it.
        `source` says where the clip was loaded from, and must for a character, whose body no file of a truth holds.

        Raises ValueError for frames that the clip does not have, and for fewer subdivisions simulated than kept.
        """
        if not (first >= 0 and count > 0 and first + count <= len(clip)):
            raise ValueError(f"frames {first} to {first + count - 1} are not all among the clip's {len(clip)}")
        if simulated_levels < levels:
            raise ValueError(f"what has {simulated_levels} subdivisions cannot be kept with {levels}")
        loop = byexample.LoopSubdivision(clip.mesh, simulated_levels)
        frames = slice(first, first + count)
        fine = np.asarray(simulated, dtype=np.float64)
        if fine.shape != (len(clip), loop.fine.vertex_count, 3):
            raise ValueError(
                f"positions must be {(len(clip), loop.fine.vertex_count, 3)}, a frame for each of the clip's, not {fine.shape}"
            )
        cut = np.asarray(start, dtype=np.float64)
        guide = np.array([loop.matrix @ each for each in clip.positions[frames]])
        low = low_pass(loop.fine.faces, loop.matrix @ cut, shortest, fine[frames] - guide)
        kept = byexample.LoopSubdivision(clip.mesh, levels).fine.vertex_count
        away = np.ascontiguousarray(low[:, :kept])
        numbers = np.asarray(sewn, dtype=np.int64)
        step = rounding_step(away)
        return cls(
            name,
            fabric,
            clip.beginning(frames.stop),
            cut,
            numbers,
            levels,
            first,
            np.round(away / step) * step,
            float(shortest),
            tuple(cutoffs),
            (),
            dict(constants or {}),
            made,
            source,
        )

    def __len__(self) -> int:
        """Frames."""
        return len(self.away)

    @property
    def frames(self) -> range:
        """Of the clip that there is a truth of."""
        return range(self.first, self.first + len(self))

    @cached_property
    def _loop(self) -> Any:
        return byexample.LoopSubdivision(self.clip.mesh, self.levels)

    @property
    def mesh(self) -> pucker.Mesh:
        """The subdivided mesh."""
        mesh: pucker.Mesh = self._loop.fine
        return mesh

    @cached_property
    def rest(self) -> Array:
        """(N, 3) the subdivided cut pose, on which lengths are measured."""
        return np.asarray(self._loop.matrix @ self.start)

    @cached_property
    def guide(self) -> Array:
        """(frames, N, 3)."""
        return np.array([self._loop.matrix @ each for each in self.clip.positions[self.first : self.first + len(self)]])

    @cached_property
    def _leading(self) -> Array:
        """The guide from the clip's first frame on, where lag begins."""
        before = [self._loop.matrix @ each for each in self.clip.positions[: self.first]]
        return np.concatenate([np.reshape(before, (-1, *self.guide.shape[1:])), self.guide])

    @property
    def positions(self) -> Array:
        """(frames, N, 3) of the truth."""
        return self.guide + self.away

    @cached_property
    def bands(self) -> Bands:
        """The bands of wavelength, over the cut pose."""
        return Bands(self.mesh.faces, self.rest, self.cutoffs)

    @cached_property
    def heights(self) -> Array:
        """(frames, N) over the guide."""
        return heights(self.mesh.faces, self.guide, self.positions)

    @cached_property
    def lag(self) -> float:
        """Its own, drag over hold a frame."""
        return self.lag_of(self.positions)

    @cached_property
    def folds(self) -> Array:
        """(frames, N): its heights without its lag."""
        return self.heights - self.lagging(self.lag)

    def lag_of(self, positions: npt.ArrayLike) -> float:
        """That of a surface (frames, N, 3) at the guide's vertices, as `fitted_lag`."""
        return fitted_lag(self._leading, positions, self.bands.areas)

    def lagging(self, lag: float) -> Array:
        """Heights (frames, N) of the guide that lags, and does nothing else."""
        if lag == 0.0:
            return np.zeros_like(self.heights)
        return heights(self.mesh.faces, self.guide, lagging(self._leading, lag)[-len(self) :])

    @property
    def side(self) -> float:
        """Root of the garment's area in the cut pose."""
        return float(np.sqrt(self.bands.areas.sum()))

    @property
    def rounding(self) -> float:
        """The most that a number of `away` is from what was simulated and low-passed; files keep 16 bits of it."""
        return rounding_step(self.away) / 2.0

    @property
    def judged(self) -> tuple[bool, ...]:
        """Whether each band, from the shortest waves to the longest, is judged by place; the others are by statistics.

        By the next finer mesh, which must have its folds with a correlation of `PLACE` and a size within `SIZE`; a coarser one may agree by more than a
        finer one does. And by another take, if there is one, which must correlate as much: what folds to either side may do so alike on both
        meshes, and otherwise after some noise.
        The last band has no longest wave, so that how far the cloth is away in the mean is in it, which noise too has by chance: it is never judged.
        """
        finer = self._finer
        if finer is None:
            return (False,) * (len(self.cutoffs) + 1)
        by_place = [
            bool(one >= PLACE and abs(size - 1.0) <= SIZE and again >= PLACE)
            for one, size, again in zip(finer.correlation, finer.rms, self._again, strict=True)
        ]
        return (*by_place[:-1], False)

    @property
    def _finer(self) -> Reproduced | None:
        return next((each for each in self.reproduced if each.of == "finer"), None)

    @property
    def _again(self) -> tuple[float, ...]:
        found = (each.correlation for each in self.reproduced if each.of == "again")
        return next(found, (1.0,) * (len(self.cutoffs) + 1))

    @property
    def resolved(self) -> bool:
        """Whether any band is judged by place. What is not resolved is a picture of cloth, and no truth."""
        return any(self.judged)

    def surface_of(
        self,
        faces: npt.ArrayLike,
        rest: npt.ArrayLike,
        positions: npt.ArrayLike,
        *,
        times: npt.ArrayLike | None = None,
    ) -> Array:
        """Another surface at the guide's vertices, (frames, N, 3), low-passed as the truth is.

        Args:
            faces: (m, 3) its triangles, of whatever mesh.
            rest: (M, 3) its vertices in the cut pose, without folds: by these its places are found.
            positions: (frames, M, 3) for the truth's frames.
            times: (frames,) seconds of these, from whatever instant; without them they are taken to be the truth's.

        Raises:
            ValueError: For another number of frames or of vertices, for frames as far apart as the truth's are not, and for a surface that
                shares no shape with the garment.
        """
        self._require_times(times)
        found, cut = np.asarray(positions, dtype=np.float64), np.asarray(rest, dtype=np.float64)
        if found.ndim != 3 or found.shape[0] != len(self):
            raise ValueError(
                f"positions must be ({len(self)}, M, 3), a frame for each of the truth's, not {found.shape}"
            )
        if cut.shape != found.shape[1:] or cut.shape[1] != 3:
            raise ValueError(
                f"rest must be {found.shape[1:]}, a place for each vertex of the positions, not {cut.shape}"
            )
        if np.array_equal(np.asarray(faces), self.mesh.faces):
            seen = found
        else:
            from pucker.closest import closest_places  # noqa: PLC0415 - a package that only other meshes need

            places = closest_places(self.rest, faces, cut)
            extent = float(np.ptp(self.rest, axis=0).max())
            away = float(np.quantile(places.distances, 0.9)) / extent
            if away > _FAR:
                raise ValueError(
                    f"the surface shares no shape with {self.name}: in the cut pose a tenth of the garment is farther from it than "
                    f"{away:.2f} of its extent; at most {_FAR:g} is the same garment"
                )
            seen = places.carry(found)
        return self.guide + low_pass(self.mesh.faces, self.rest, self.shortest, seen - self.guide)

    def heights_of(
        self,
        faces: npt.ArrayLike,
        rest: npt.ArrayLike,
        positions: npt.ArrayLike,
        *,
        times: npt.ArrayLike | None = None,
    ) -> Array:
        """Heights (frames, N) over the guide of `surface_of`, lag among them; arguments and errors as there."""
        return heights(self.mesh.faces, self.guide, self.surface_of(faces, rest, positions, times=times))

    def folds_of(
        self,
        faces: npt.ArrayLike,
        rest: npt.ArrayLike,
        positions: npt.ArrayLike,
        *,
        times: npt.ArrayLike | None = None,
    ) -> tuple[Array, float]:
        """Folds (frames, N) of another surface, which are its heights without its lag, and the lag; arguments and errors as `surface_of`."""
        found = self.surface_of(faces, rest, positions, times=times)
        lag = self.lag_of(found)
        return heights(self.mesh.faces, self.guide, found) - self.lagging(lag), lag

    def _require_times(self, times: npt.ArrayLike | None) -> None:
        if times is None:
            return
        found, own = np.asarray(times, dtype=np.float64), self.clip.times[self.first : self.first + len(self)]
        if found.shape != own.shape:
            raise ValueError(f"times must be ({len(own)},), one for each of the truth's frames, not {found.shape}")
        if not np.allclose(np.diff(found), np.diff(own), rtol=_SAME_RATE, atol=0.0):
            raise ValueError(
                f"the surface has {frame_rate(found, alone=np.nan):.4g} frames a second, {self.name} has {frame_rate(own, alone=np.nan):.4g}: what is compared must be of the same instants"
            )

    @cached_property
    def _base(self) -> tuple[Any, Any]:
        """What brings surfaces to the guide's vertices, and where on the clip its points are."""
        from .compare.projection import Projection  # noqa: PLC0415 - brings a decimator along

        linear = self._loop.barycentrics @ self.clip.positions[0]
        projection = Projection(self.mesh.faces, linear)
        return projection, projection.over(self.clip)

    def shown(self, states: Iterable[Any]) -> Array:
        """Positions (frames, N, 3), at the guide's vertices, of what a method's states over all frames of `clip` show.

        Of a surface that is finer than the guide's mesh they are the nearest in the mean over its triangles. What displaces the coarse mesh
        displaces the guide here: its facets are no folds.

        Raises ValueError for fewer states than the clip has frames.
        """
        project, base = self._base
        found = []
        for frame, state in zip(range(self.frames.stop), states, strict=False):
            if frame >= self.first:
                detail = detail_of(state, self.clip.mesh, self.clip.positions[frame])
                points = detail.evaluate(base.triangles, base.barycentrics)
                if getattr(detail, "own_mesh", None) is None:
                    guide = self.guide[frame - self.first]
                    found.append(guide + project(points.offsets) * pucker.vertex_normals(self.mesh, guide))
                else:
                    found.append(project(points.positions))
        if len(found) < len(self):
            raise ValueError(f"there are {self.first + len(found)} states; the clip has {self.frames.stop} frames")
        return np.array(found)

    def agreement(
        self,
        faces: npt.ArrayLike,
        rest: npt.ArrayLike,
        positions: npt.ArrayLike,
        *,
        times: npt.ArrayLike | None = None,
    ) -> list[BandAgreement]:
        """Agreement of another surface's folds with the truth's in each band; arguments and errors as `surface_of`.

        Raises ValueError for a truth that is not resolved, too: it is no measure of anything.
        """
        self.require_resolved()
        return band_agreement(self.folds_of(faces, rest, positions, times=times)[0], self.folds, self.bands)

    def beside(
        self,
        of: str,
        faces: npt.ArrayLike,
        rest: npt.ArrayLike,
        positions: npt.ArrayLike,
        *,
        times: npt.ArrayLike | None = None,
    ) -> Self:
        """The same truth, which knows how far another simulation of its sheet has its folds: the next `finer` mesh says what is judged.

        `of` is `Reproduced.of`; a simulation of that name is replaced. Other arguments and errors as `surface_of`.
        """
        folds, lag = self.folds_of(faces, rest, positions, times=times)
        found = Reproduced.of_rows(of, band_agreement(folds, self.folds, self.bands), lag)
        others = (each for each in self.reproduced if each.of != of)
        return replace(self, reproduced=(*others, found))

    def require_resolved(self) -> None:
        """Raises ValueError, which says how far the best band is, unless the truth is `resolved`."""
        if self.resolved:
            return
        finer = self._finer
        found = (
            "the next finer mesh was not simulated"
            if finer is None
            else f"the next finer mesh has the folds of its best band by {max(finer.correlation[:-1]):.2f}"
        )
        raise ValueError(
            f"{self.name}, {self.fabric}, is no truth: no band reaches a correlation of {PLACE:g} and a size within {SIZE:.0%} ({found}); "
            "its pictures may still be shown"
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes an ``.npz``: `away` as multiples of 1/32767 of the largest number in it, all else as it is.

        Raises ValueError for a clip that has a body and no `source`, since the body would be lost.
        """
        write(self, Path(path))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Truth":
        """A truth from a file of `save`, whose character lies in the same folder or the one above.

        Raises pucker.Error for a file that is none, and for a character that is missing or another one.
        """
        return cls(**read(Path(path)))


def storage_error(truth: Truth, whole: npt.ArrayLike) -> list[float]:
    """What a truth has lost in each band, as a share of the band's size: of heights `whole` (frames, N) that were not low-passed."""
    split, kept = truth.bands(whole), truth.bands(truth.heights)
    return [
        rms(one - other, truth.bands.areas) / max(rms(one, truth.bands.areas), np.finfo(float).tiny)
        for one, other in zip(split, kept, strict=True)
    ]
