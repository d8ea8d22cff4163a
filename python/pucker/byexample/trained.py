"""A trained set: the poses with their details, in one file."""

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Error
from pucker._core import _byexample as byexample
from pucker.areas import vertex_shares
from pucker.io.npz import arrays_of, write_arrays
from pucker.method import flat

from .rounding import (
    LARGEST,
    check_coefficients,
    check_multiples,
    encoded,
    planes_of,
    rounded,
    rounded_by_level,
    rounded_coefficients,
    rounded_poses,
    stored,
)

Floats = npt.NDArray[np.float64]
# Fine positions: of draped cloth in single precision.
Fine = Floats | npt.NDArray[np.float32]

_FORMAT: Final = "pucker.byexample"
# Of a set whose multiples are by level, of one whose displacements count, of one with a guide's cloth, of one that trails, of a regression, and of poses: who reads only older ones can read those.
_VERSIONS: Final = (7, 6, 5, 4, 3, 2)
# From which on multiples are planes of bytes.
_PLANES: Final = _VERSIONS[0]
_ARRAYS: Final = ("faces", "rest", "poses", "details")
_LEARNED_NUMBERS: Final = ("width", "motion", "pose_step", "velocity_step")
_DISPLACED_NUMBERS: Final = ("displacement", "displacement_step")


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
    trail: float = 0.0
    """Seconds by which the examples' cloth trails its guide, which their details leave out and playing adds again."""


@dataclass(frozen=True)
class Origin:
    """What a set was learned from, for whoever finds its file."""

    file: str = ""
    """Name of the character's file, without its folder; empty if it is not known."""
    clips: tuple[str, ...] = ()
    """Those that were learned from."""
    simulator: str = ""
    """Of the garment, drape or blender; empty for a recording."""
    correlation: float = 0.0
    """Mean over the clips, each left out in turn, of the correlation of what is predicted for it from the others with what it has,
    without the latter's mean over its frames; 0 if that was not tried. Of draped cloth, of folds of two coarse edges and longer."""
    left_out: tuple[float, ...] = ()
    """That of each clip, or of each quarter of a single one; NaN where nothing changes. Empty if it was not tried."""
    again: float = 0.0
    """The correlation, in the mean over the clips, of the cloth with itself begun otherwise: the ceiling. 0 if that was not tried."""
    untaught: float = 0.0
    """That of the balance of the guide's cloth alone, without anything learned; 0 without such cloth."""
    frames: int = 0
    """Of the clips, how many were learned from; 0 if it is not known."""
    made: int = 0
    """Frames besides, of motion made of the clips' poses."""
    date: str = ""
    """Of the learning, as 2026-11-24; empty if it is not known."""
    motion: str = ""
    """Name of the file whose clips moved the character, without its folder; empty if they are the character's own."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "clips", tuple(self.clips))
        object.__setattr__(self, "left_out", tuple(self.left_out))

    def as_json(self) -> dict[str, object]:
        """What a file has of it; a number that is none is null there."""
        left_out = [each if np.isfinite(each) else None for each in self.left_out]
        return {**asdict(self), "left_out": left_out}


@dataclass(frozen=True, eq=False)
class Learned:
    """What a regression on C recorded frames found at R points of a garment, for P details; see `Regression`."""

    points: npt.NDArray[np.int32]
    """(R,) vertices of the feature mesh."""
    velocities: Floats
    """(C, R, 3): those of the points in their frames, in mean edge lengths a second."""
    coefficients: Floats
    """(R, 1 + C, P - 1): a constant, then one of each frame."""
    width: float
    """Of the kernel, in stretch."""
    motion: float
    """What a velocity of 1 counts, in stretch."""
    pose_step: float = 0.0
    """The poses of the set are whole multiples of it, as with the set's own step; 0: any numbers."""
    velocity_step: float = 0.0
    """So are the velocities of this one,"""
    coefficient_steps: tuple[float, ...] = ()
    """the coefficients of each detail but the first of its own here (P - 1,), or any numbers if there are none,"""
    displacement_step: float = 0.0
    """and the displacements of this one."""
    displacement: float = 0.0
    """What a displacement of 1 counts, in stretch."""
    displacements: Floats = field(default_factory=lambda: np.zeros((0, 0, 3)))
    """(C, n, 3): where the vertices of the feature mesh are beyond the guide, in the guide's frames and mean edge lengths; none where
    they do not count."""

    def __post_init__(self) -> None:
        for name, kind in (
            ("points", np.int32),
            ("velocities", np.float64),
            ("coefficients", np.float64),
            ("displacements", np.float64),
        ):
            object.__setattr__(self, name, _kept(getattr(self, name), kind))
        check_multiples("velocities", self.velocities, self.velocity_step)
        check_multiples("displacements", self.displacements, self.displacement_step)
        object.__setattr__(self, "coefficient_steps", tuple(self.coefficient_steps))
        check_coefficients(self.coefficients, self.coefficient_steps)


@dataclass(frozen=True, eq=False)
class TrainedSet:
    """P poses of a garment's coarse mesh and the detail of each, or the P details of a regression.

    Raises ValueError for arrays that do not fit each other or are not finite.
    """

    faces: npt.NDArray[np.int32]
    """(m, 3) of the feature mesh."""
    rest: Floats
    """(n, 3) of the feature mesh, in the clip's unit of length."""
    levels: int
    """How often it is subdivided."""
    poses: Floats
    """(P, n, 3) of the feature mesh, the first at rest; (C, n, 3) with a regression on C frames, those of the frames."""
    details: Floats
    """(P, N, 3) in the frames of the smooth surface."""
    options: Options = field(default_factory=Options)
    """How weights are computed."""
    parts: tuple[str, ...] = ()
    """Names of the parts of a character that the feature mesh is, as `pucker.load` takes them; empty if it is all."""
    origin: Origin = field(default_factory=Origin)
    """What it was learned from."""
    step: float = 0.0
    """Details are whole multiples of it, and stored as such; 0: they are any numbers."""
    cloth: byexample.GuideCloth | None = None
    """Of the guide, in whose balance the feature mesh is; None: the guide is the feature mesh."""
    regression: Learned | None = None
    """Where the weights of the details come from; None: from the distances of the poses (`PoseSpace`)."""
    by_level: bool = False
    """Whether multiples are of what details are beyond the next coarser level (`DetailCode`), not of the details. `save` checks that they
    are, as it encodes them anyway."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", tuple(self.parts))
        if not 0.0 <= self.step < np.inf:
            raise ValueError(f"the step of a set must be finite and at least 0, not {self.step}")
        for name, kind in (("faces", np.int32), ("rest", np.float64), ("poses", np.float64), ("details", np.float64)):
            object.__setattr__(self, name, _kept(getattr(self, name), kind))
        # Whatever does not fit is refused where it is used.
        _ = self._synthesis
        if not self.by_level:
            check_multiples("details", self.details, self.step)
        if self.regression is not None:
            check_multiples("poses", self.poses, self.regression.pose_step)

    def __reduce__(self) -> tuple[Any, ...]:
        """What it is made of, of which it makes the rest again."""
        return TrainedSet, tuple(getattr(self, each.name) for each in fields(self))

    def rounded(self, largest: int = LARGEST, *, products: Floats | None = None) -> "TrainedSet":
        """The same with rounded details, which take a quarter of the room in a file, or less.

        They become whole multiples of the smallest step of which the largest is no more than `largest`, 32767 at most: an error
        of at most half a step. Poses stay, as weights between poses that are nearly the same depend on their last digits.

        Of a regression the multiples are of what details are beyond the next coarser level (`DetailCode`), and its other numbers are
        rounded too: displacements, and velocities if they count, as the details; poses to 32767 multiples at most; the coefficients of each
        detail to a step that moves the surface, in the root mean square, as far as one of the details, or to single precision where
        multiples would be more than 8388607.

        Args:
            largest: See above.
            products: (R, 1 + C, 1 + C) by which squares of changes of the coefficients count at each point, as `Regressed` has
                them: for what is lost where one is rounded others make up. None: each becomes the nearest multiple.

        Raises:
            ValueError: For another `largest` than 1 to 32767.
        """
        if not 1 <= largest <= LARGEST:
            raise ValueError(f"the largest multiple must lie in [1, {LARGEST}], not {largest}")
        learned = self.regression
        if learned is None:
            details, step = rounded(self.details, largest)
            return replace(self, details=details, step=step)
        step = float(np.abs(self.details).max(initial=0.0)) / largest
        details = rounded_by_level(self._code, self.details, step) if step else self.details
        poses, pose_step = rounded_poses(self.poses)
        # They take up room, and nobody compares them where they do not count.
        moving = learned.velocities if learned.motion else np.zeros_like(learned.velocities)
        velocities, velocity_step = rounded(moving, largest)
        displacements, displacement_step = rounded(learned.displacements, largest)
        coefficients, coefficient_steps = rounded_coefficients(learned.coefficients, self._even_steps(step), products)
        numbers = replace(
            learned,
            velocities=velocities,
            coefficients=coefficients,
            pose_step=pose_step,
            velocity_step=velocity_step,
            coefficient_steps=coefficient_steps,
            displacements=displacements,
            displacement_step=displacement_step,
        )
        return replace(self, poses=poses, details=details, step=step, regression=numbers, by_level=step > 0.0)

    def _even_steps(self, step: float) -> Floats:
        """(P - 1,): weights of the details by which they move the surface as far as the step, in the root mean square over its area at rest."""
        surface = byexample.SmoothSurface(self.mesh, self.levels, self.rest)
        areas = vertex_shares(surface.mesh.faces, surface.positions)
        sizes = np.sqrt(np.square(self.details[1:]).sum(axis=2) @ areas)
        steps: Floats = np.divide(step, sizes, out=np.zeros_like(sizes), where=sizes > 0.0)
        return steps

    @property
    def _code(self) -> byexample.DetailCode:
        return byexample.DetailCode(self.mesh, self.levels, self.rest)

    @property
    def mesh(self) -> "pucker.Mesh":
        """The feature mesh."""
        return pucker.Mesh(self.faces, len(self.rest))

    def synthesis(self, mesh: "pucker.Mesh | None" = None) -> byexample.Synthesis:
        """A synthesis from these poses, one for each call; it is of the set's own `mesh`.

        Raises ValueError for a mesh that is another than that of the set, saying what differs.
        """
        if mesh is not None:
            self.check(mesh)
        return self._synthesis.copy()

    @cached_property
    def _synthesis(self) -> byexample.Synthesis:
        """Takes as long as everything else of a set; all that are given away are copies of it."""
        chosen, learned = self.options, self.regression
        regression = None
        if learned is not None:
            regression = byexample.Regression(
                self.features,
                self.poses,
                learned.points,
                learned.velocities,
                learned.coefficients,
                width=learned.width,
                motion=learned.motion,
                displacements=learned.displacements if learned.displacement else None,
                displacement=learned.displacement,
                falloff=chosen.falloff,
                edges=chosen.edges,
            )
        return byexample.Synthesis(
            self.mesh,
            self.levels,
            self.rest,
            self.poses,
            self.details,
            places=chosen.places,
            falloff=chosen.falloff,
            edges=chosen.edges,
            kernel=chosen.kernel,
            equal=chosen.equal,
            regression=regression,
            trail=chosen.trail,
        )

    def check_rest(self, rest: npt.ArrayLike) -> None:
        """Raises ValueError unless the edges of `rest` (n, 3) are as long as those of the set's rest pose, to a thousandth."""
        byexample.require_rest_of_set(self.features, rest)

    def check_unit(self, positions: npt.ArrayLike) -> None:
        """Raises ValueError if positions (n, 3) of any pose are of another unit of length than the set.

        They are if the median of the edges' stretch is not within a factor of 1.5.
        """
        byexample.require_unit_of_set(self.features, positions)

    @property
    def features(self) -> byexample.Features:
        """Of the feature mesh at rest."""
        return byexample.Features(self.mesh, self.rest)

    def check(self, mesh: "pucker.Mesh") -> None:
        """Raises ValueError unless `mesh` is that of the set, saying what differs and what the set is for."""
        byexample.require_mesh_of_set(self.faces, len(self.rest), mesh, parts=list(self.parts), file=self.origin.file)

    @property
    def _version(self) -> int:
        """Of the file: the oldest that has all of the set."""
        learned = self.regression
        needed = (
            self.by_level or (learned is not None and len(set(learned.coefficient_steps)) > 1),
            learned is not None and learned.displacement > 0.0,
            self.cloth is not None,
            self.options.trail != 0.0,
            learned is not None,
            True,
        )
        return _VERSIONS[needed.index(True)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the set to an .npz, atomically; `load` gives back the same numbers.

        Raises ValueError for another ending and for details `by_level` that are no decoded multiples, and OSError if it cannot be written.
        """
        out = Path(path)
        if out.suffix != ".npz":
            raise ValueError(f"a trained set is an .npz, not {out.name}")
        learned = self.regression
        header: dict[str, object] = {
            "format": _FORMAT,
            "version": self._version,
            "levels": self.levels,
            "options": {
                each.name: getattr(self.options, each.name)
                for each in fields(Options)
                if each.name != "trail" or self.options.trail
            },
            "parts": self.parts,
            "step": self.step,
        }
        if self.origin != Origin():
            # Files of before have none, and those who read only these pass over it.
            header["origin"] = {name: each for name, each in self.origin.as_json().items() if each or name != "motion"}
        arrays = {name: getattr(self, name) for name in _ARRAYS}
        steps: dict[str, float | Floats] = {"details": self.step}
        if self.cloth is not None:
            leaves = flat(self.cloth.params.to_dict())
            header["cloth"] = {name: value for name, value in leaves.items() if value is not None}
            arrays["cut"] = np.array(self.cloth.cut)
        if learned is not None:
            numbers = _LEARNED_NUMBERS + (_DISPLACED_NUMBERS if learned.displacement else ())
            # A list in files of planes, where all details had one before.
            each = learned.coefficient_steps or (0.0,)
            one = each[0] if len(set(each)) == 1 else None
            header["regression"] = {
                **{name: getattr(learned, name) for name in numbers},
                "coefficient_step": each if one is None else one,
            }
            arrays |= {name: getattr(learned, name) for name in ("points", "velocities", "coefficients")}
            steps |= {"poses": learned.pose_step, "velocities": learned.velocity_step}
            steps["coefficients"] = np.array(each) if one is None else one
            if learned.displacement:
                arrays["displacements"] = learned.displacements
                steps["displacements"] = learned.displacement_step
        planes: list[str] = []
        if self._version >= _PLANES:
            planes = [name for name, step in steps.items() if np.any(step)]
            header |= {"planes": planes, "by_level": self.by_level}
        for name, step in steps.items():
            arrays[name] = (
                self._planes(name, arrays[name], step) if name in planes else stored(arrays[name], float(step))
            )
        write_arrays(out, {"header": json.dumps(header), **arrays}, compressed=True)

    def _planes(self, name: str, values: Floats, step: float | Floats) -> npt.NDArray[np.uint8]:
        """What a file holds of multiples of a step; arrays (count, rows, 3) as (planes, 3, rows, count), so that like numbers lie together."""
        if name == "details" and self.by_level:
            wholes = encoded(self._code, values, float(step))
        else:
            wholes = np.rint(values / step)
        return planes_of(wholes if name == "coefficients" else wholes.transpose(2, 1, 0))


def _kept(values: npt.ArrayLike, kind: type) -> npt.NDArray[Any]:
    """A copy that nobody changes."""
    array: npt.NDArray[Any] = np.array(values, dtype=kind)
    array.setflags(write=False)
    return array


def origin_in(path: str | os.PathLike[str], found: Mapping[str, Any]) -> Origin:
    """What a set's file says that it was learned from; `found` is what `read_trained` read of it."""
    header = json.loads(str(arrays_of(Path(path), names=("header",))["header"]))
    motion = header.get("origin", {}).get("motion", "")
    if not isinstance(motion, str):
        raise Error(f"{os.fspath(path)}: is damaged: 'motion' is {json.dumps(motion)}")
    return Origin(**{**found["origin"], "motion": motion})


def load(path: str | os.PathLike[str]) -> TrainedSet:
    """Reads a trained set.

    Raises pucker.Error, naming the file, if it is missing, truncated or damaged, no trained set, or of a newer version.
    """
    found = byexample.read_trained(os.fspath(path))
    try:
        learned = None if found["regression"] is None else Learned(**found["regression"])
        return TrainedSet(
            **{
                **found,
                "options": Options(**found["options"]),
                "origin": origin_in(path, found),
                "regression": learned,
            }
        )
    except ValueError as error:
        raise Error(f"{os.fspath(path)}: is damaged: {error}") from error
