"""What the benchmarks run on: characters of the example data, and a sheet of any fineness."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import pucker
from pucker import byexample

DATA: Final = Path(__file__).resolve().parents[1] / "data"

# The theses' grid: compression from which cloth wrinkles, smallest width as a share of the height.
THRESHOLDS: Final = (1.15, 1.25)
WIDTHS: Final = (0.01, 0.005)


@dataclass(frozen=True)
class Character:
    """A clip of the example data."""

    file: str
    clip: str
    parts: tuple[str, ...]

    @property
    def name(self) -> str:
        """File and clip."""
        return f"{self.file} {self.clip}"

    def load(self, loops: int = 1) -> pucker.Clip:
        """The clip, run through `loops` times."""
        return _load(self, loops)


@cache
def _load(character: Character, loops: int) -> pucker.Clip:
    return pucker.load(DATA / character.file, clip=character.clip, parts=list(character.parts), loops=loops)


CHARACTERS: Final = (
    Character("female_dress.fbx", "HumanArmature|Female_Walk", ("Dress",)),
    Character("female_dress.fbx", "HumanArmature|Female_Run", ("Dress",)),
    Character("kyonshi_lower.md3", "115:123", ("l_lower", "l_dress")),
    Character("kimono_male.gltf", "Walk", ("Clothes", "Band")),
    Character("mage.glb", "Sit_Floor_Down", ("Mage_Body", "Mage_Arm*")),
)


@dataclass(frozen=True)
class Garment:
    """A clip of the example data, for whose garment there is a trained set."""

    file: str
    clip: str
    trained: Path

    @property
    def name(self) -> str:
        """File and clip."""
        return f"{self.file} {self.clip}"

    def load(self) -> pucker.Clip:
        """The clip of the parts that were trained."""
        return pucker.load(DATA / self.file, clip=self.clip, parts=list(byexample.load(str(self.trained)).parts))


TRAINED: Final = (
    Garment("kimono_male.gltf", "Run", DATA / "kimono.pose.npz"),
    Garment("female_dress.fbx", "HumanArmature|Female_Run", DATA / "dress.pose.npz"),
)


def params(clip: pucker.Clip, threshold: float, width: float) -> pucker.Params:
    """Ridges of the theses' grid; `width` is the smallest width as a share of the height."""
    return pucker.Params.ridges().replace(threshold=threshold, min_width=width * clip.height)


def grid() -> Iterator[tuple[float, float]]:
    """Pairs of threshold and smallest width."""
    for threshold in THRESHOLDS:
        for width in WIDTHS:
            yield threshold, width
