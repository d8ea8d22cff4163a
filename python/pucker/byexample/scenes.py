"""The scenes of Zurdo et al. 2013, made in code: cloth that is simulated coarse, and fine so that it tracks the coarse one."""

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
from pucker._core import Clip, Error
from pucker._core import _byexample as byexample
from pucker.areas import vertex_areas
from pucker.examples import grid_faces
from pucker.io.files import make_folder, replacing

from .sheets import STEPS, Fabric, Patches, Sheet
from .training import Training, train

Floats = npt.NDArray[np.float64]

FPS: Final = 30.0
_STEP: Final = 1.0 / (FPS * STEPS)
# Another number makes kept recordings be simulated anew.
_METHOD: Final = 1


@dataclass(frozen=True, eq=False)
class PinMotion:
    """How the pins of a scene are led."""

    frames: int
    """Number of frames after the rest pose, 30 a second."""
    lead: Callable[[float, Floats], Floats]
    """Positions (k, 3) of the pins at a time, from those at rest, in which they begin."""
    wind: Callable[[float], npt.ArrayLike] = field(default=lambda _time: (0.0, 0.0, 0.0))
    """Metres a second, at a time."""


@dataclass(frozen=True, eq=False)
class Scene:
    """A sheet of cloth, with motions to learn from and to test with. Lengths are in metres, y is up."""

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


def rest_fine(scene: Scene) -> Floats:
    """(N, 3): the fine mesh at rest, flat as the coarse one. Loop's surface, which rounds the corners of a sheet, is not it."""
    found: Floats = byexample.LoopSubdivision(scene.mesh, scene.levels).barycentrics @ scene.rest
    return found


def coarse(scene: Scene, motion: str) -> Clip:
    """One motion of a scene, simulated coarse, beginning at rest; for what is raised see `record`."""
    steps, _ = _coarse_steps(scene, motion)
    return _clip(scene, steps[::STEPS])


def record(
    scene: Scene,
    motion: str,
    *,
    recordings: str | os.PathLike[str] | None = None,
    tell: Callable[[int, int], None] = lambda _done, _all: None,
) -> Recording:
    """Simulates one motion of a scene, coarse, and fine so that it tracks the coarse one.

    After each step the fine sheet's averages over patches about the coarse vertices are made those of the guide, which is the
    smooth surface of the coarse sheet with the detail that the flat one has at rest; velocities change by the same shift a
    step. Below the size of a patch the fine sheet is free. Warns where the simulator's solver fell short of its tolerance.

    Args:
        scene: The scene.
        motion: The name of one of its motions.
        recordings: A folder in which what is simulated is kept, and taken from. What is kept is also a clip of the coarse mesh
            that `pucker.load` reads.
        tell: Called with the number of fine frames done and that of all.

    Raises:
        ValueError: For a motion that the scene does not have.
        ModuleNotFoundError: Without MuJoCo or SciPy, the extra pucker[simulate].
        pucker.Error: If the simulation blew up.
    """
    digest = _digest(scene, motion)
    kept = None if recordings is None else Path(recordings) / f"{scene.name}-{motion}-{digest[:12]}.npz"
    found = None if kept is None else _kept(kept, digest, scene)
    if found is None:
        found = _simulated(scene, motion, tell)
        if kept is not None:
            make_folder(kept.parent)
            with replacing(kept) as temporary, temporary.open("wb") as file:
                np.savez(
                    file,
                    digest=np.array(digest),
                    faces=scene.mesh.faces,
                    positions=found.clip.positions,
                    times=found.clip.times,
                    fine=found.fine.astype(np.float32),
                    seconds=np.array([found.coarse_seconds, found.fine_seconds]),
                )
    # As it comes back from a file.
    return dataclasses.replace(found, fine=found.fine.astype(np.float32).astype(np.float64))


def learn(
    scene: Scene, recording: Recording, *, poses: int, tell: Callable[[int, float], None] = lambda _pose, _error: None
) -> Training:
    """What a recording of the scene teaches; `poses` and `tell` as `pucker.byexample.train` has them."""
    return train(
        scene.mesh,
        recording.clip.positions,
        recording.fine,
        rest=scene.rest,
        rest_fine=rest_fine(scene),
        levels=scene.levels,
        poses=poses,
        tell=tell,
    )


def _motion(scene: Scene, name: str) -> PinMotion:
    if name not in scene.motions:
        raise ValueError(f"the scene {scene.name} has no motion {name!r}; there are {', '.join(scene.motions)}")
    return scene.motions[name]


def _leads(scene: Scene, motion: PinMotion) -> Floats:
    """Positions of the pins (steps + 1, k, 3)."""
    start = scene.rest[scene.pins]
    return np.array([motion.lead(k * _STEP, start) for k in range(motion.frames * STEPS + 1)])


def _winds(motion: PinMotion) -> Floats:
    """(steps, 3)"""
    return np.array([motion.wind(k * _STEP) for k in range(motion.frames * STEPS)], dtype=np.float64)


def _coarse_steps(scene: Scene, motion: str) -> tuple[Floats, float]:
    """Positions (steps + 1, n, 3), and the processor time a frame."""
    chosen = _motion(scene, motion)
    leads, winds = _leads(scene, chosen), _winds(chosen)
    sheet = Sheet(scene.mesh, scene.rest, scene.pins, scene.coarse, _STEP)
    found = [scene.rest]
    begin = time.process_time()
    for now, then, wind in zip(leads[:-1], leads[1:], winds, strict=True):
        sheet.advance(now, then, wind)
        found.append(sheet.positions)
    spent = (time.process_time() - begin) / chosen.frames
    _check(f"{scene.name}, {motion}", found, sheet)
    return np.array(found), spent


def _simulated(scene: Scene, motion: str, tell: Callable[[int, int], None]) -> Recording:
    chosen = _motion(scene, motion)
    steps, coarse_seconds = _coarse_steps(scene, motion)
    smooth = byexample.SmoothSurface(scene.mesh, scene.levels, scene.rest)
    flat = rest_fine(scene)
    detail = smooth.detail_of(flat)
    sheet = Sheet(smooth.mesh, flat, scene.pins, scene.fine, _STEP)
    patches = Patches(smooth.subdivision, vertex_areas(smooth.mesh.faces, flat))
    fine = [flat]
    before = flat
    begin = time.process_time()
    for k, (positions, wind) in enumerate(zip(steps[1:], _winds(chosen), strict=True)):
        smooth.step(positions)
        guide = np.array(smooth.add(detail))
        sheet.advance(before[scene.pins], guide[scene.pins], wind)
        sheet.shift(patches.correction(guide - sheet.positions))
        before = guide
        if (k + 1) % STEPS == 0:
            fine.append(sheet.positions)
            tell(len(fine) - 1, chosen.frames)
    spent = (time.process_time() - begin) / chosen.frames
    _check(f"{scene.name}, {motion}", fine, sheet)
    return Recording(_clip(scene, steps[::STEPS]), np.array(fine), coarse_seconds, spent)


def _check(what: str, frames: list[Floats], sheet: Sheet) -> None:
    if sheet.blown_up or not np.isfinite(frames).all():
        raise Error(f"{what}: the simulation blew up")
    if sheet.short_steps:
        warnings.warn(f"{what}: MuJoCo's solver fell short of its tolerance in {sheet.short_steps} steps", stacklevel=2)


def _clip(scene: Scene, positions: Floats) -> Clip:
    return Clip.from_arrays(scene.mesh.faces, positions, np.arange(len(positions)) / FPS, weld=False)


def _digest(scene: Scene, motion: str) -> str:
    """Of all that the simulation depends on."""
    chosen = _motion(scene, motion)
    fabrics = [dataclasses.asdict(each) for each in (scene.coarse, scene.fine)]
    content = hashlib.sha256(json.dumps([_METHOD, STEPS, scene.levels, fabrics], sort_keys=True).encode())
    for array in (scene.mesh.faces, scene.rest, scene.pins, _leads(scene, chosen), _winds(chosen)):
        content.update(np.ascontiguousarray(array).data)
    return content.hexdigest()


def _kept(file: Path, digest: str, scene: Scene) -> Recording | None:
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


def curtain() -> Scene:
    """A curtain of 400 triangles, 1 m wide and 2 m long, on a rail, with a bar at its lower end that turns about the vertical.

    The motion "shear" moves the bar sideways instead: what is learned from it says little of "test".
    """
    columns, rows = 10, 20
    y, x = np.mgrid[: rows + 1, : columns + 1]
    rest = np.stack([x.ravel() / columns - 0.5, 1.0 - 2.0 * y.ravel() / rows, np.zeros(x.size)], axis=1)
    pins = np.concatenate([np.arange(columns + 1), rows * (columns + 1) + np.arange(columns + 1)])

    def twisted(angle: float, gathered: float, aside: float, start: Floats) -> Floats:
        found = start * [gathered, 1.0, 1.0]
        lower = found[:, 1] < 0.0
        x = found[lower, 0].copy()
        found[lower, 0] = x * np.cos(angle) + aside
        found[lower, 2] = x * np.sin(angle)
        # As much as the border must rise so as not to stretch, and a little more.
        reach = np.hypot(gathered * np.sin(0.5 * angle), aside)
        found[lower, 1] += 2.0 - np.sqrt(4.0 - reach**2) + 0.1 * (1.0 - gathered)
        return found

    def train(time: float, start: Floats) -> Floats:
        angle = np.radians(130.0) * np.sin(2.0 * np.pi * time / 2.6) * _eased(time / 0.3)
        return twisted(angle, 1.0 - 0.15 * _eased(time / 0.4), 0.0, start)

    def test(time: float, start: Floats) -> Floats:
        angle = np.radians(105.0) * np.sin(2.0 * np.pi * time / 1.7 + 2.6) * _eased(time / 0.4)
        return twisted(angle, 1.0 - 0.12 * _eased(time / 0.3), 0.05 * np.sin(5.0 * time), start)

    def shear(time: float, start: Floats) -> Floats:
        aside = 0.45 * np.sin(2.0 * np.pi * time / 2.0) * _eased(time / 0.3)
        return twisted(0.0, 1.0 - 0.15 * _eased(time / 0.4), aside, start)

    motions = {"train": PinMotion(78, train), "test": PinMotion(51, test), "shear": PinMotion(45, shear)}
    return Scene("curtain", pucker.Mesh(grid_faces(columns, rows), len(rest)), rest, 3, pins, motions)


def sail() -> Scene:
    """A triangular sail of 256 triangles, 2 m at the foot and 3 m high, on a mast, with its clew on a sheet that is veered and
    hauled in gusts.
    """
    side = 16
    rest, faces = [], []
    starts = np.cumsum([0] + [side + 1 - row for row in range(side + 1)])
    for row in range(side + 1):
        rest += [[2.0 * place / side, 3.0 * row / side, 0.0] for place in range(side + 1 - row)]
        for place in range(side - row):
            a, b = starts[row] + place, starts[row + 1] + place
            faces.append([a, a + 1, b])
            if place + 1 < side - row:
                faces.append([a + 1, b + 1, b])
    corners = np.array(rest)
    pins = np.concatenate([starts[:-1], [side]])
    clew = len(pins) - 1

    def sheeted(slack: float, angle: float, start: Floats) -> Floats:
        found = start * [1.0, 1.0 - slack, 1.0]
        reach = (1.0 - slack) * start[clew, 0]
        found[clew] = [reach * np.cos(angle), start[clew, 1], reach * np.sin(angle)]
        return found

    def train(time: float, start: Floats) -> Floats:
        eased = _eased(time / 0.5)
        return sheeted(eased * (0.06 + 0.04 * np.sin(4.0 * time)), 0.6 * np.sin(2.0 * np.pi * time / 2.4), start)

    def test(time: float, start: Floats) -> Floats:
        eased = _eased(time / 0.5)
        return sheeted(eased * (0.06 - 0.035 * np.sin(3.0 * time)), 0.5 * np.sin(2.0 * np.pi * time / 1.7), start)

    def gusts(time: float) -> Floats:
        return _eased(time / 0.5) * np.array([1.0, 0.0, 3.5 + 1.5 * np.sin(2.0 * np.pi * time / 1.3)])

    def squalls(time: float) -> Floats:
        return _eased(time / 0.5) * np.array([1.2, 0.2, 3.2 + 1.6 * np.sin(2.0 * np.pi * time / 1.0 + 1.0)])

    motions = {"train": PinMotion(54, train, gusts), "test": PinMotion(40, test, squalls)}
    mesh = pucker.Mesh(np.array(faces, dtype=np.int32), len(corners))
    return Scene("sail", mesh, corners, 3, pins.astype(np.intp), motions)


def flag() -> Scene:
    """A flag of 400 triangles, 2 m long and 1 m high, whose hoist is carried along in a veering wind."""
    columns, rows = 20, 10
    y, x = np.mgrid[: rows + 1, : columns + 1]
    rest = np.stack([2.0 * x.ravel() / columns, 1.0 - 1.0 * y.ravel() / rows, np.zeros(x.size)], axis=1)
    pins = (columns + 1) * np.arange(rows + 1)

    def carried(time: float, start: Floats) -> Floats:
        eased = _eased(time / 0.5)
        return start * [1.0, 1.0 - 0.15 * eased, 1.0] + eased * np.array([0.0, 0.0, 0.15 * np.sin(4.2 * time)])

    def waved(time: float, start: Floats) -> Floats:
        eased = _eased(time / 0.5)
        return start * [1.0, 1.0 - 0.12 * eased, 1.0] + eased * np.array(
            [0.0, 0.06 * np.sin(4.0 * time), 0.18 * np.sin(5.5 * time)]
        )

    def veering(time: float) -> Floats:
        angle = 0.6 * np.sin(2.0 * np.pi * time / 1.9)
        return 6.0 * np.array([np.cos(angle), 0.0, np.sin(angle)])

    def backing(time: float) -> Floats:
        angle = 0.5 * np.sin(2.0 * np.pi * time / 1.3 + 1.0)
        return 5.5 * np.array([np.cos(angle), 0.0, np.sin(angle)])

    motions = {"train": PinMotion(90, carried, veering), "test": PinMotion(60, waved, backing)}
    return Scene(
        "flag",
        pucker.Mesh(grid_faces(columns, rows), len(rest)),
        rest,
        2,
        pins,
        motions,
        Fabric(bending=6e-4),
        Fabric(bending=3e-3),
    )


def _eased(share: float) -> float:
    """From 0 to 1 without a jump in speed, constant beyond."""
    x = min(max(share, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


SCENES: Final[dict[str, Callable[[], Scene]]] = {"curtain": curtain, "sail": sail, "flag": flag}
