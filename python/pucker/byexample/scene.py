"""Cloth made in code that is simulated coarse, and fine so that it tracks the coarse one (Zurdo et al. 2013)."""

import dataclasses
import hashlib
import json
import os
import time
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Clip, Error, did_you_mean
from pucker._core import _byexample as byexample
from pucker.areas import vertex_areas
from pucker.io.files import make_folder
from pucker.io.npz import write_arrays

from .limbs import Touching
from .sheets import STEPS, Fabric, Patches, Sheet
from .training import Training, train

Floats = npt.NDArray[np.float64]

FPS: Final = 30.0
_STEP: Final = 1.0 / (FPS * STEPS)
# Another number makes kept recordings be simulated anew.
_METHOD: Final = 1
_CONTACT: Final = 1
# The coarse sheet is kept out of a body with its surface, subdivided so often.
_TOUCHED: Final = 1


@dataclass(frozen=True, eq=False)
class PinMotion:
    """How the pins of a scene are led."""

    frames: int
    """Number of frames after the rest pose, 30 a second."""
    lead: Callable[[float, Floats], Floats]
    """Positions (k, 3) of the pins at a time, from those at rest, in which they begin."""
    wind: Callable[[float], npt.ArrayLike] = field(default=lambda _time: (0.0, 0.0, 0.0))
    """Metres a second, at a time."""
    limbs: Callable[[float], Floats] | None = None
    """Ends (b, 2, 3) of the limbs of the scene's body, at a time."""


@dataclass(frozen=True, eq=False)
class PublishedScene:
    """A sheet of cloth, on its own or over a body, with motions to learn from and to test with. Lengths are in metres, y is up."""

    name: str
    mesh: "pucker.Mesh"
    """The coarse mesh."""
    rest: Floats
    """(n, 3): unstrained."""
    levels: int
    """How often it is subdivided."""
    pins: npt.NDArray[np.intp]
    """(k,): coarse vertices that are led."""
    motions: dict[str, PinMotion]
    """"train" and "test", and others."""
    fine: Fabric = field(default_factory=lambda: Fabric(bending=3e-4))
    """What the fine sheet is made of."""
    coarse: Fabric = field(default_factory=lambda: Fabric(bending=2e-3))
    """And the coarse one: stiffer in bending, or it would fold as finely as its mesh is, and its subdivision shrink."""
    flat: bool = True
    """Whether the fine sheet is cut as flat as the triangles of the coarse one are; if not, as Loop's surface of them."""
    body: Floats | None = None
    """Radii (b, 2) of the limbs of a body: each is all balls between two ends, see `nearest` of `limbs`."""
    clearance: float = 0.005
    """Metres that the fine sheet keeps from the body."""
    safety: float = 0.02
    """And the coarse one's surface besides, so that the detail has room."""


@dataclass(frozen=True, eq=False)
class Recording:
    """One motion of a scene, simulated."""

    clip: Clip
    """Of the coarse mesh; the first frame is at rest."""
    fine: Floats
    """(frames, N, 3) of the fine mesh, whose vertices are those of `LoopSubdivision(clip.mesh, levels)`."""
    coarse_seconds: float
    """Processor time a frame of the coarse simulation."""
    fine_seconds: float
    """That of the fine one."""


def rest_fine(scene: PublishedScene) -> Floats:
    """(N, 3): the fine mesh at rest. Of a flat sheet that is not Loop's surface, which rounds the corners."""
    loop = byexample.LoopSubdivision(scene.mesh, scene.levels)
    found: Floats = (loop.barycentrics if scene.flat else loop.matrix) @ scene.rest
    return found


def coarse(scene: PublishedScene, motion: str) -> Clip:
    """One motion of a scene, simulated coarse, beginning at rest; for what is raised see `record`."""
    steps, _ = _coarse_steps(scene, motion)
    return _clip(scene, steps[::STEPS])


def record(
    scene: PublishedScene,
    motion: str,
    *,
    recordings: str | os.PathLike[str] | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Recording:
    """Simulates one motion of a scene, coarse, and fine so that it tracks the coarse one.

    After each step the fine sheet's averages over patches about the coarse vertices are made those of the guide, which is the
    smooth surface of the coarse sheet with the detail that the flat one has at rest; velocities change by the same shift a
    step. Below the size of a patch the fine sheet is free. After that a body pushes out what of it is too near; the coarse
    sheet keeps `safety` farther away. Warns where the simulator's solver fell short of its tolerance.

    Args:
        scene: The scene.
        motion: The name of one of its motions.
        recordings: A folder in which what is simulated is kept, and taken from. What is kept is also a clip of the coarse mesh
            that `pucker.load` reads.
        progress: Called with the number of fine frames done and that of all.

    Raises:
        ValueError: For a motion that the scene does not have.
        ModuleNotFoundError: Without MuJoCo or SciPy, the extra pucker[simulate].
        pucker.Error: If the simulation blew up.
    """
    digest = _digest(scene, motion)
    kept = None if recordings is None else Path(recordings) / f"{scene.name}-{motion}-{digest[:12]}.npz"
    found = None if kept is None else _kept(kept, digest, scene)
    if found is None:
        found = _simulated(scene, motion, progress)
        if kept is not None:
            make_folder(kept.parent)
            arrays = {
                "digest": digest,
                "faces": scene.mesh.faces,
                "positions": found.clip.positions,
                "times": found.clip.times,
                "fine": found.fine.astype(np.float32),
                "seconds": np.array([found.coarse_seconds, found.fine_seconds]),
            }
            write_arrays(kept, arrays)
    # As it comes back from a file.
    return dataclasses.replace(found, fine=found.fine.astype(np.float32).astype(np.float64))


def learn(
    scene: PublishedScene,
    recording: Recording,
    *,
    poses: int,
    progress: Callable[[int, float], None] = lambda _pose, _error: None,
) -> Training:
    """What a recording of the scene teaches; `poses` and `progress` as `pucker.byexample.train` has them."""
    return train(
        scene.mesh,
        recording.clip.positions,
        recording.fine,
        rest=scene.rest,
        rest_fine=rest_fine(scene),
        levels=scene.levels,
        poses=poses,
        progress=progress,
    )


def _motion(scene: PublishedScene, name: str) -> PinMotion:
    if name not in scene.motions:
        raise ValueError(
            f"the scene {scene.name} has no motion {name!r}{did_you_mean(name, list(scene.motions))}; there are {', '.join(scene.motions)}"
        )
    return scene.motions[name]


def _leads(scene: PublishedScene, motion: PinMotion) -> Floats:
    """Positions of the pins (steps + 1, k, 3)."""
    start = scene.rest[scene.pins]
    return np.array([motion.lead(k * _STEP, start) for k in range(motion.frames * STEPS + 1)])


def _winds(motion: PinMotion) -> Floats:
    """(steps, 3)"""
    return np.array([motion.wind(k * _STEP) for k in range(motion.frames * STEPS)], dtype=np.float64)


class _Contact:
    """The body of a scene in one of its motions, if it has one."""

    def __init__(
        self, scene: PublishedScene, motion: PinMotion, clearance: float, mesh: pucker.Mesh, levels: int
    ) -> None:
        """`mesh`: of the sheet, the points of whose surface, subdivided so often, are kept out."""
        self._radii, self._clearance = scene.body, clearance
        self._ends = _ends(motion)
        if scene.body is not None:
            self._touching = Touching(byexample.LoopSubdivision(mesh, levels).matrix)

    def resolve(self, sheet: Sheet, before: Floats, step: int) -> None:
        """Takes a sheet that was at `before` (n, 3) out of the body after a step."""
        if self._radii is None or self._ends is None:
            return
        now, then = self._ends[step], self._ends[step + 1]
        sheet.shift(self._touching.correction(sheet.positions, before, now, then, self._radii, self._clearance))


def _ends(motion: PinMotion) -> Floats | None:
    """Of the limbs, (steps + 1, b, 2, 3)."""
    if motion.limbs is None:
        return None
    return np.array([motion.limbs(k * _STEP) for k in range(motion.frames * STEPS + 1)])


def _coarse_steps(scene: PublishedScene, motion: str) -> tuple[Floats, float]:
    """Positions (steps + 1, n, 3), and the processor time a frame."""
    chosen = _motion(scene, motion)
    leads, winds = _leads(scene, chosen), _winds(chosen)
    sheet = Sheet(scene.mesh, scene.rest, scene.pins, scene.coarse, _STEP)
    contact = _Contact(scene, chosen, scene.clearance + scene.safety, scene.mesh, _TOUCHED)
    found = [scene.rest]
    begin = time.process_time()
    for k, wind in enumerate(winds):
        sheet.advance(leads[k], leads[k + 1], wind)
        contact.resolve(sheet, found[-1], k)
        found.append(sheet.positions)
    spent = (time.process_time() - begin) / chosen.frames
    _check(f"{scene.name}, {motion}", found, sheet)
    return np.array(found), spent


def _simulated(scene: PublishedScene, motion: str, progress: Callable[[int, int], None]) -> Recording:
    chosen = _motion(scene, motion)
    steps, coarse_seconds = _coarse_steps(scene, motion)
    smooth = byexample.SmoothSurface(scene.mesh, scene.levels, scene.rest)
    rest = rest_fine(scene)
    detail = smooth.detail_of(rest)
    sheet = Sheet(smooth.mesh, rest, scene.pins, scene.fine, _STEP)
    contact = _Contact(scene, chosen, scene.clearance, smooth.mesh, 0)
    patches = Patches(smooth.subdivision, vertex_areas(smooth.mesh.faces, rest))
    fine = [rest]
    before = rest
    begin = time.process_time()
    for k, (positions, wind) in enumerate(zip(steps[1:], _winds(chosen), strict=True)):
        smooth.step(positions)
        guide = np.array(smooth.add(detail))
        start = sheet.positions
        sheet.advance(before[scene.pins], guide[scene.pins], wind)
        sheet.shift(patches.correction(guide - sheet.positions))
        contact.resolve(sheet, start, k)
        before = guide
        if (k + 1) % STEPS == 0:
            fine.append(sheet.positions)
            progress(len(fine) - 1, chosen.frames)
    spent = (time.process_time() - begin) / chosen.frames
    _check(f"{scene.name}, {motion}", fine, sheet)
    return Recording(_clip(scene, steps[::STEPS]), np.array(fine), coarse_seconds, spent)


def _check(what: str, frames: list[Floats], sheet: Sheet) -> None:
    if sheet.blown_up or not np.isfinite(frames).all():
        raise Error(f"{what}: the simulation blew up")
    if sheet.short_steps:
        warnings.warn(f"{what}: MuJoCo's solver fell short of its tolerance in {sheet.short_steps} steps", stacklevel=2)


def _clip(scene: PublishedScene, positions: Floats) -> Clip:
    return Clip.from_arrays(scene.mesh.faces, positions, np.arange(len(positions)) / FPS, weld=False)


def _digest(scene: PublishedScene, motion: str) -> str:
    """Of all that the simulation depends on."""
    chosen = _motion(scene, motion)
    fabrics = [dataclasses.asdict(each) for each in (scene.coarse, scene.fine)]
    content = hashlib.sha256(json.dumps([_METHOD, STEPS, scene.levels, fabrics], sort_keys=True).encode())
    for array in (scene.mesh.faces, scene.rest, scene.pins, _leads(scene, chosen), _winds(chosen)):
        content.update(np.ascontiguousarray(array).data)
    ends = _ends(chosen)
    if scene.body is not None and ends is not None:
        content.update(json.dumps([_CONTACT, scene.clearance, scene.safety]).encode())
        content.update(np.ascontiguousarray(scene.body).data)
        content.update(ends.data)
    return content.hexdigest()


def _kept(file: Path, digest: str, scene: PublishedScene) -> Recording | None:
    """What was simulated before, unless it is of something else or cannot be read."""
    if not file.exists():
        return None
    try:
        # NumPy's own opening of a damaged archive leaves the file open.
        with file.open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
            if str(archive["digest"]) != digest:
                return None
            coarse_seconds, fine_seconds = archive["seconds"].tolist()
            fine = archive["fine"].astype(np.float64)
            return Recording(_clip(scene, archive["positions"]), fine, coarse_seconds, fine_seconds)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
