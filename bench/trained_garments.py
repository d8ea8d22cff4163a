"""The garments that sets are trained on: their clips, what is simulated of these, and which sets are learned."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics

ROOT: Final = Path(__file__).resolve().parents[1]
DATA: Final = ROOT / "data"
# Simulated clips are kept: they take minutes.
RECORDINGS: Final = ROOT / "build" / "bench" / "byexample"
SIX: Final = ("Walk", "Jump", "PickUp", "Victory", "Punch", "SwordSlash")
FIFTEEN: Final = (
    *SIX, "Death", "Defeat", "Idle", "RecieveHit", "Roll", "Run_Carry", "Shoot_OneHanded", "StandUp", "Walk_Carry",
)  # fmt: skip
NINE: Final = (
    "Walk", "Clapping", "Death", "Idle", "Jump", "Punch", "RunningJump", "Standing", "SwordSlash",
)  # fmt: skip
CUT: Final = "Idle"
FPS: Final = 30.0
STILL: Final = 5
# Width over which folds count as in the same place, in fine edges: that of a flat fold of four.
FOLD_EDGES: Final = 4.0
# What unseen folds keep of their height, made good.
GAIN: Final = 1.25
# What leaving clips out chooses, so that it is not chosen anew for each set.
LEARNED: Final[dict[str, Any]] = {"widths": (0.1,), "dampings": (0.2,), "motions": (0.0025,)}


@dataclass(frozen=True, eq=False)
class Subject:
    """A garment, what is learned of it and what is not."""

    title: str
    file: str
    part: str
    prefix: str
    """Of the clips' names."""
    levels: int
    unseen: tuple[str, ...]
    sets: dict[str, dict[str, Any]]
    judged: str
    """Which of the sets the aims are for, and all methods are held against."""

    @property
    def learned(self) -> tuple[str, ...]:
        """All clips that some set learns from."""
        return tuple(dict.fromkeys(clip for how in self.sets.values() for clip in how["clips"]))


KIMONO: Final = Subject(
    "The kimono",
    "kimono_male.gltf",
    "Clothes",
    "",
    2,
    ("Run", "SitDown"),
    {
        "6 clips, 8 poses, as published": {"clips": SIX, "poses": 8, "choose": "greedy", "fit": 0.0},
        "15 clips, 48 poses": {"clips": FIFTEEN, "poses": 48, "choose": "farthest", "fit": 0.3},
        "6 clips, regression": {"clips": SIX, "regression": LEARNED},
        "15 clips, regression without motion": {"clips": FIFTEEN, "regression": {**LEARNED, "motions": (0.0,)}},
        "15 clips, regression": {"clips": FIFTEEN, "regression": LEARNED},
        "15 clips, regression, gain 1.25": {"clips": FIFTEEN, "regression": LEARNED, "gain": GAIN},
    },
    "15 clips, regression, gain 1.25",
)
DRESS: Final = Subject(
    "The dress",
    "female_dress.fbx",
    "Dress",
    "HumanArmature|Female_",
    3,
    ("Run", "Sitting"),
    {
        "9 clips, 36 poses": {"clips": NINE, "poses": 36, "choose": "farthest", "fit": 0.3},
        "9 clips, 46 poses": {"clips": NINE, "poses": 46, "choose": "farthest", "fit": 0.3},
        "9 clips, regression": {
            "clips": NINE,
            "regression": {"widths": (0.2,), "dampings": (0.05,), "motions": (0.0,)},
        },
        "9 clips, 36 poses, gain 1.25": {"clips": NINE, "poses": 36, "choose": "farthest", "fit": 0.3, "gain": GAIN},
    },
    "9 clips, 36 poses, gain 1.25",
)

Array = npt.NDArray[np.float64]


@cache
def _loaded(subject: Subject, name: str, part: str) -> pucker.Clip:
    return pucker.load(DATA / subject.file, clip=subject.prefix + name, parts=[part])


class Garment:
    """The clips of a garment and what is simulated of them."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.levels = subject, subject.levels
        first = self.clip(CUT)
        self.mesh, self.rest = first.mesh, np.asarray(first.rest)
        self.start = np.asarray(first.positions[0])
        self._body_start = np.asarray(self.body_clip(CUT).positions[0])
        self.smooth = byexample.SmoothSurface(self.mesh, self.levels, self.rest)
        fold = FOLD_EDGES * pucker.mean_edge_length(self.smooth.mesh, self.smooth.positions)
        self.smoothing = metrics.Smoothing(self.smooth.mesh.faces, self.smooth.positions, fold)
        self.shares = self.smoothing.areas

    def clip(self, name: str) -> pucker.Clip:
        """The garment in a clip."""
        return _loaded(self.subject, name, self.subject.part)

    def body_clip(self, name: str) -> pucker.Clip:
        """The body that wears it, in the same clip."""
        return _loaded(self.subject, name, "Skin")

    def simulated(self, name: str, still: int = STILL) -> Array:
        """Fine positions (frames, N, 3) of a clip, from a recording if there is one."""
        body = byexample.Body.of(self.body_clip(name), self._body_start)
        return byexample.simulate(
            self.clip(name), body, start=self.start, levels=self.levels, still=still, recordings=RECORDINGS
        )

    def details(self, name: str, fine: Array) -> Array:
        """What the frames of a clip are beyond the smooth surface, (frames, N, 3), without their low-frequency part."""
        guides = self.clip(name).positions
        return np.asarray(byexample.details_of(self.smooth, guides, fine, low_frequency="remove"))

    def surfaces(self, name: str, details: Array) -> Iterator[Array]:
        """The smooth surface of each frame of a clip with its detail, (N, 3)."""
        for guide, detail in zip(self.clip(name).positions, details, strict=True):
            self.smooth.step(guide)
            yield np.asarray(self.smooth.add(detail))
