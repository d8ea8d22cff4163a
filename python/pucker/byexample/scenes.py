"""The four scenes of Zurdo et al. 2013, made in code."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.examples import grid_faces

from .scene import FPS, PinMotion, PublishedScene, Recording, coarse, learn, record, rest_fine
from .sheets import Fabric

__all__ = [
    "FPS",
    "SCENES",
    "PinMotion",
    "PublishedScene",
    "Recording",
    "coarse",
    "curtain",
    "dress",
    "flag",
    "learn",
    "record",
    "rest_fine",
    "sail",
]

Floats = npt.NDArray[np.float64]


def curtain() -> PublishedScene:
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
    return PublishedScene("curtain", pucker.Mesh(grid_faces(columns, rows), len(rest)), rest, 3, pins, motions)


def sail() -> PublishedScene:
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
    return PublishedScene("sail", mesh, corners, 3, pins.astype(np.intp), motions)


def flag() -> PublishedScene:
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
    return PublishedScene(
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


def dress() -> PublishedScene:
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

    return PublishedScene(
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


SCENES: Final[dict[str, Callable[[], PublishedScene]]] = {
    "curtain": curtain,
    "sail": sail,
    "flag": flag,
    "dress": dress,
}
