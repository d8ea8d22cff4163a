"""Whether surfaces can be told from simulated cloth, over the truths of many scenes."""

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pucker.metrics.patches import Patches, patches_of
from pucker.metrics.relief import relief_features
from pucker.metrics.told_apart import ToldApart, told_apart
from pucker.metrics.truth import Truth

from .judged import LAG
from .report import piped

Array = npt.NDArray[np.float64]

WIDTH: Final = 0.25
"""Of a patch, as a share of the root of the garment's area: 2.4 folds of the truths' coat, 4 of their shirt."""
COUNT: Final = 32
"""Patches of a frame, at the most."""
EVERY: Final = 4
"""Every how many frames of a truth patches are taken."""
SEED: Final = 1
"""Of places and trees."""
MOST: Final = 12
"""Features that a table of weights has."""


def patches_on(truth: Truth) -> Patches:
    """Places of the patches over a truth."""
    return patches_of(
        truth.mesh.faces, truth.rest, truth.guide, width=WIDTH * truth.side, count=COUNT, every=EVERY, seed=SEED
    )


def in_all_frames(folds: Array, frames: int) -> Array:
    """Folds (frames, N) of those in every `EVERY` frames, each repeated until the next."""
    return np.repeat(folds, EVERY, axis=0)[:frames]


class Told(NamedTuple):
    """How well one surface is told from the truths: `surface` its name, `told` by scene."""

    surface: str
    told: ToldApart


class PatchReader:
    """Reads what folds over one truth look like in patches, always in the same places and frames."""

    def __init__(self, truth: Truth) -> None:
        """Chooses the places. Raises ValueError for a truth that is not resolved."""
        truth.require_resolved()
        self._truth, self._patches = truth, patches_on(truth)

    def __call__(self, folds: npt.ArrayLike) -> dict[str, Array]:
        """Features (k,) by name of the patches of folds (frames, N), or of those in every `EVERY` frames, (⌈frames/EVERY⌉, N).

        Raises ValueError for other shapes and for values that are not finite.
        """
        of, shape = np.asarray(folds, dtype=np.float64), self._truth.folds.shape
        if of.shape == (len(range(0, shape[0], EVERY)), shape[1]):
            of = in_all_frames(of, shape[0])
        if of.shape != shape:
            raise ValueError(f"folds must be {shape}, as the truth's are, not {of.shape}")
        return dict(relief_features(self._patches.read(of), self._patches.compression))

    @cached_property
    def simulated(self) -> dict[str, Array]:
        """Of the truth's own folds."""
        return self(self._truth.folds)


class Telling:
    """Gathers patches of truths and of surfaces over them, and tells them apart.

    A surface is compared with the truth in the same places and frames, so that where cloth is compressed gives nothing away.
    """

    def __init__(self) -> None:
        self._patches: dict[str, dict[str, tuple[list[Array], list[Array]]]] = {}
        self._features: tuple[str, ...] = ()

    def add(self, truth: Truth, folds: Iterable[tuple[str, Array]]) -> None:
        """Takes the patches of the folds (frames, N) of surfaces, by name, over a truth; several truths may be of one scene.

        Folds may be of the first of every `EVERY` frames alone, (⌈frames/EVERY⌉, N). Raises ValueError for a truth that is not resolved, for
        other shapes and for values that are not finite.
        """
        reader = PatchReader(truth)
        for surface, values in folds:
            self.add_features(surface, truth.name, reader.simulated, reader(values))

    def add_features(
        self, surface: str, scene: str, simulated: Mapping[str, npt.ArrayLike], other: Mapping[str, npt.ArrayLike]
    ) -> None:
        """Takes what a `PatchReader` has read of a truth of a scene and, in the same places, of a surface."""
        self._features = tuple(simulated)
        both = self._patches.setdefault(surface, {}).setdefault(scene, ([], []))
        for sample, features in zip(both, (simulated, other), strict=True):
            sample.append(np.stack([np.asarray(features[name], dtype=np.float64) for name in self._features], axis=1))

    @property
    def scenes(self) -> int:
        """The most scenes that any surface has patches of; it takes two to tell anything."""
        return max((len(each) for each in self._patches.values()), default=0)

    def told(self) -> list[Told]:
        """Of every surface that is there on two scenes and more, in the order in which they came."""
        rows = []
        for surface, scenes in self._patches.items():
            if len(scenes) < 2:
                continue
            one = {scene: np.concatenate(parts[0]) for scene, parts in scenes.items()}
            other = {scene: np.concatenate(parts[1]) for scene, parts in scenes.items()}
            rows.append(Told(surface, told_apart(one, other, features=self._features, seed=SEED)))
        return rows


def shows_nothing(surface: str) -> bool:
    """Whether a control has no folds once its lag is taken out, as the guide alone has none."""
    return surface == LAG


def telling_table(rows: Sequence[Told]) -> str:
    """A line a surface: how well it is told from simulated cloth, in %, with the spread over the scenes."""
    lines = [["", "scenes", "patches", "told apart", "least to largest"], ["---", *["--:"] * 4]]
    for surface, told in rows:
        span = f"{100 * min(told.accuracies):.0f} to {100 * max(told.accuracies):.0f} %"
        accuracy = f"{100 * told.accuracy:.0f} ± {100 * told.spread:.0f} %"
        lines.append([surface, str(len(told.scenes)), str(sum(told.patches)), accuracy, span])
    return piped(lines)


def weights_table(told: ToldApart, most: int = MOST) -> str:
    """What gives a surface away: the features with the largest shares, and which way the surface differs from the truth."""
    lines = [["feature", "share", "than simulated"], ["---", "--:", "--:"]]
    for each in told.weights[:most]:
        way = "more" if each.difference > 0.0 else "less"
        lines.append([each.feature, f"{100 * each.share:.0f} %", f"{abs(each.difference):.1f} σ {way}"])
    return piped(lines)
