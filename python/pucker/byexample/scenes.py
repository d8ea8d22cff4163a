"""The scenes of Zurdo et al. 2013, made in code: cloth that is simulated coarse, and fine so that it tracks the coarse one."""

import dataclasses
import hashlib
import itertools
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
from pucker.examples import grid_faces
from pucker.io.files import make_folder, replacing

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
class Scene:
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


def rest_fine(scene: Scene) -> Floats:
    """(N, 3): the fine mesh at rest. Of a flat sheet that is not Loop's surface, which rounds the corners."""
    loop = byexample.LoopSubdivision(scene.mesh, scene.levels)
    found: Floats = (loop.barycentrics if scene.flat else loop.matrix) @ scene.rest
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
    step. Below the size of a patch the fine sheet is free. After that a body pushes out what of it is too near; the coarse
    sheet keeps `safety` farther away. Warns where the simulator's solver fell short of its tolerance.

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
        raise ValueError(
            f"the scene {scene.name} has no motion {name!r}{did_you_mean(name, list(scene.motions))}; there are {', '.join(scene.motions)}"
        )
    return scene.motions[name]


def _leads(scene: Scene, motion: PinMotion) -> Floats:
    """Positions of the pins (steps + 1, k, 3)."""
    start = scene.rest[scene.pins]
    return np.array([motion.lead(k * _STEP, start) for k in range(motion.frames * STEPS + 1)])


def _winds(motion: PinMotion) -> Floats:
    """(steps, 3)"""
    return np.array([motion.wind(k * _STEP) for k in range(motion.frames * STEPS)], dtype=np.float64)


class _Contact:
    """The body of a scene in one of its motions, if it has one."""

    def __init__(self, scene: Scene, motion: PinMotion, clearance: float, mesh: pucker.Mesh, levels: int) -> None:
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


def _coarse_steps(scene: Scene, motion: str) -> tuple[Floats, float]:
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


def _simulated(scene: Scene, motion: str, tell: Callable[[int, int], None]) -> Recording:
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
    ends = _ends(chosen)
    if scene.body is not None and ends is not None:
        content.update(json.dumps([_CONTACT, scene.clearance, scene.safety]).encode())
        content.update(np.ascontiguousarray(scene.body).data)
        content.update(ends.data)
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


# Joints of the dancer who wears the dress, at rest: metres.
_HIPS: Final = np.array([0.0, 0.92, 0.0])
_HIP: Final = np.array([0.085, -0.02, 0.0])
_KNEE: Final = np.array([0.0, -0.41, 0.0])
_ANKLE: Final = np.array([0.0, -0.40, 0.0])
_WAIST: Final = np.array([0.0, 0.18, 0.0])
_CHEST: Final = np.array([0.0, 0.18, 0.0])
# Of the limbs in the order in which `_Dance.limbs` has them.
_DANCER: Final = np.array(
    [
        *[[0.105, 0.105], [0.100, 0.100], [0.105, 0.105]],  # across hips, waist and chest
        *[[0.105, 0.100], [0.100, 0.105]],  # hips to waist to chest
        *[[0.090, 0.060], [0.058, 0.040]] * 2,  # thigh and shin of the left, of the right
    ]
)
# How many vertices each ring of the dress has, its height, half its width and half its depth at rest.
_RINGS: Final = (12, 12, 12, 14, 17, 19, 21, 23, 25, 27, 29)
_OUTLINE: Final = np.array(
    [
        *[[1.320, 0.190, 0.140], [1.235, 0.190, 0.145], [1.150, 0.182, 0.142], [1.065, 0.190, 0.152]],
        *[[0.980, 0.245, 0.205], [0.895, 0.305, 0.268], [0.810, 0.365, 0.330], [0.725, 0.425, 0.392]],
        *[[0.640, 0.485, 0.455], [0.555, 0.545, 0.518], [0.470, 0.605, 0.580]],
    ]
)


@dataclass(frozen=True)
class _Dance:
    """A dancer's pose: radians and metres."""

    turn: float
    """About the vertical, of the whole body."""
    aside: float
    """Of the hips, to the left."""
    lean: float
    """Of the chest over the waist, to the left."""
    bow: float
    """Forward."""
    lifts: tuple[float, float]
    """Of the left and the right thigh, forward."""
    spreads: tuple[float, float]
    """Sideways, outward."""
    bends: tuple[float, float]
    """Of the knees."""

    def limbs(self) -> Floats:
        """Ends (b, 2, 3)."""
        across = self._placed(self._hips(np.array([[0.08, 0.0, 0.0], [-0.08, 0.0, 0.0]])))
        hips, waist, chest = (self._placed(place[None])[0] for place in self._spine())
        at_waist = self._placed(self._spine()[1] + np.array([[0.04, 0.0, 0.0], [-0.04, 0.0, 0.0]]))
        at_chest = self._placed(self.on_chest(np.array([[0.06, 0.0, 0.0], [-0.06, 0.0, 0.0]])))
        found = [across, at_waist, at_chest, [hips, waist], [waist, chest]]
        for side, lift, spread, bend in zip((1.0, -1.0), self.lifts, self.spreads, self.bends, strict=True):
            outward = _about(2, side * spread)
            hip = self._hips(_HIP * [side, 1.0, 1.0])
            knee = hip + outward @ _about(0, -lift) @ _KNEE
            ankle = knee + outward @ _about(0, bend - lift) @ _ANKLE
            joints = self._placed(np.array([hip, knee, ankle]))
            found += [joints[:2], joints[1:]]
        return np.array(found)

    def dress(self, start: Floats) -> Floats:
        """Where the chest carries points (k, 3) that are at `start` at rest."""
        return self._placed(self.on_chest(start - (_HIPS + _WAIST + _CHEST)))

    def on_chest(self, away: Floats) -> Floats:
        """Points (k, 3) that are so far from the middle of the chest at rest, before the whole body turns."""
        return self._spine()[2] + away @ self._tilt().T

    def _hips(self, away: Floats) -> Floats:
        found: Floats = _HIPS + np.array([self.aside, 0.0, 0.0]) + away
        return found

    def _tilt(self) -> Floats:
        return np.array(_about(2, -self.lean) @ _about(0, self.bow))

    def _spine(self) -> tuple[Floats, Floats, Floats]:
        """Hips, waist, chest."""
        hips = self._hips(np.zeros(3))
        # The waist leans half as far as the chest.
        waist = hips + _about(2, -0.5 * self.lean) @ _about(0, 0.5 * self.bow) @ _WAIST
        return hips, waist, waist + self._tilt() @ _CHEST

    def _placed(self, points: Floats) -> Floats:
        return np.array(points @ _about(1, self.turn).T)


def _about(axis: int, angle: float) -> Floats:
    """Turns by radians about an axis."""
    a, b = (axis + 1) % 3, (axis + 2) % 3
    found = np.eye(3)
    found[a, a] = found[b, b] = np.cos(angle)
    found[a, b], found[b, a] = -np.sin(angle), np.sin(angle)
    return found


def _tube(rings: tuple[int, ...]) -> npt.NDArray[np.int32]:
    """Triangles between rings of so many vertices each, the first of all rings above each other: a + b in each band."""
    faces: list[list[int]] = []
    start = 0
    for upper, lower in itertools.pairwise(rings):
        a = b = 0
        while a < upper or b < lower:
            top, bottom = start + a % upper, start + upper + b % lower
            # The one whose next vertex is less far round goes on.
            if b == lower or (a < upper and (a + 1) * lower <= (b + 1) * upper):
                faces.append([top, bottom, start + (a + 1) % upper])
                a += 1
            else:
                faces.append([top, bottom, start + upper + (b + 1) % lower])
                b += 1
        start += upper
    return np.array(faces, dtype=np.int32)


def dress() -> Scene:
    """A dress of 381 triangles on a dancer, whom its upper border goes with; learned from a slow dance, played on a faster one."""
    rest = []
    for count, (height, width, depth) in zip(_RINGS, _OUTLINE, strict=True):
        angles = 2.0 * np.pi * np.arange(count) / count
        rest.append(np.stack([width * np.sin(angles), np.full(count, height), depth * np.cos(angles)], axis=1))
    places = np.concatenate(rest)

    def slow(time: float) -> _Dance:
        eased = _eased(time / 0.5)
        beat = 2.0 * np.pi * time / 2.4
        return _Dance(
            turn=eased * 0.9 * np.sin(0.8 * beat),
            aside=eased * 0.07 * np.sin(beat),
            lean=eased * 0.15 * np.sin(beat + 0.6),
            bow=eased * 0.12 * np.sin(0.7 * beat),
            lifts=(eased * 0.9 * max(np.sin(beat), 0.0) ** 2, eased * 0.9 * max(-np.sin(beat), 0.0) ** 2),
            spreads=(0.08 + eased * 0.25 * np.sin(0.5 * beat) ** 2, 0.08 + eased * 0.25 * np.sin(0.5 * beat) ** 2),
            bends=(eased * 0.8 * max(np.sin(beat), 0.0) ** 2, eased * 0.8 * max(-np.sin(beat), 0.0) ** 2),
        )

    def fast(time: float) -> _Dance:
        eased = _eased(time / 0.5)
        beat = 2.0 * np.pi * time / 1.5
        kick, other = max(np.sin(beat + 0.4), 0.0) ** 2, max(-np.sin(beat + 0.4), 0.0) ** 2
        return _Dance(
            turn=eased * (1.1 * np.sin(0.7 * beat) - 0.2),
            aside=eased * 0.06 * np.sin(beat + 0.3),
            lean=-eased * 0.12 * np.sin(beat),
            bow=eased * 0.10 * np.sin(0.9 * beat + 0.5),
            lifts=(eased * 0.75 * kick, eased * 1.0 * other),
            spreads=(0.08 + eased * 0.30 * kick, 0.08 + eased * 0.15 * other),
            bends=(eased * 0.5 * kick, eased * 1.0 * other),
        )

    def moved(frames: int, dance: Callable[[float], _Dance]) -> PinMotion:
        return PinMotion(
            frames,
            lambda time, start: dance(time).dress(start),
            limbs=lambda time: dance(time).limbs(),
        )

    return Scene(
        "dress",
        pucker.Mesh(_tube(_RINGS), len(places)),
        places,
        3,
        np.arange(_RINGS[0]),
        {"train": moved(90, slow), "test": moved(60, fast)},
        # Twice as heavy as the other sheets, or air would carry it like a parachute.
        Fabric(bending=3e-4, stretch=160.0, density=0.3),
        Fabric(bending=2e-3, stretch=160.0, density=0.3),
        flat=False,
        body=_DANCER,
    )


def _eased(share: float) -> float:
    """From 0 to 1 without a jump in speed, constant beyond."""
    x = min(max(share, 0.0), 1.0)
    return x * x * (3.0 - 2.0 * x)


SCENES: Final[dict[str, Callable[[], Scene]]] = {"curtain": curtain, "sail": sail, "flag": flag, "dress": dress}
