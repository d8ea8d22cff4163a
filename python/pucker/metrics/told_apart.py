"""Can a small classifier tell two kinds of cloth apart? A two-sample test that does not ask where a fold lies (Lopez-Paz and Oquab 2017)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]

TREES: Final = 300
# Patches in a leaf: fewer learn single patches by heart.
_LEAF: Final = 3


@dataclass(frozen=True)
class Weight:
    """What one feature says of a sample that is told from another.

    Attributes:
        feature: Its name.
        share: Of all the decrease in impurity over the forests' splits, mean over the scenes left out; the shares sum to 1, or are 0
            where the samples are the same.
        difference: Mean of the second sample less that of the first, in standard deviations of both together.
    """

    feature: str
    share: float
    difference: float


@dataclass(frozen=True)
class ToldApart:
    """How well two samples are told apart.

    Attributes:
        scenes: Names of the scenes, each left out in turn.
        accuracies: Balanced accuracy on each scene of a classifier trained on the others: 0.5 cannot be told, 1 is told always.
            Less than 0.5 is no better: what the other scenes taught is false on this one.
        patches: How many patches of either sample each scene has.
        weights: Of the features, largest share first.
    """

    scenes: tuple[str, ...]
    accuracies: tuple[float, ...]
    patches: tuple[int, ...]
    weights: tuple[Weight, ...]

    @property
    def accuracy(self) -> float:
        """Mean over the scenes."""
        return float(np.mean(self.accuracies))

    @property
    def spread(self) -> float:
        """Standard deviation over the scenes; patches of one scene are not independent, so that no narrower interval is honest."""
        return float(np.std(self.accuracies, ddof=1))


def told_apart(
    one: Mapping[str, npt.ArrayLike],
    other: Mapping[str, npt.ArrayLike],
    *,
    features: Sequence[str],
    seed: int = 0,
) -> ToldApart:
    """A classifier two-sample test: trained to tell patches of two samples on all scenes but one, judged on that one, each in turn.

    The classifier is a forest of `TREES` extremely randomised trees (Geurts, Ernst and Wehenkel 2006), in which both samples weigh the same. The same input and seed give the
    same numbers, with the same scikit-learn. Needs the extra ``pucker[metrics]``.

    Args:
        one: Features (k, f) of the patches of the first sample, of each scene, by its name.
        other: The same of the second sample; the same scenes, each of as many patches as it has.
        features: (f,) names of the features.
        seed: Of the trees.

    Raises:
        ValueError: For fewer than two scenes, scenes that only one sample has, scenes without patches, another number of features than
            there are names, and values that are not finite.
    """
    names = tuple(features)
    first, second = _checked(one, names, "first"), _checked(other, names, "second")
    if first.keys() != second.keys():
        raise ValueError(
            f"both samples must have the same scenes, and only one has {min(first.keys() ^ second.keys())}"
        )
    scenes = tuple(sorted(first))
    if len(scenes) < 2:
        raise ValueError(
            f"it takes two scenes to train on one and judge on another, and there {'is one' if scenes else 'is none'}"
        )
    accuracies, shares = [], []
    for left_out in scenes:
        found, share = _judged_on(left_out, scenes, first, second, seed)
        accuracies.append(found)
        shares.append(share)
    patches = tuple(min(len(first[scene]), len(second[scene])) for scene in scenes)
    return ToldApart(scenes, tuple(accuracies), patches, _weights(names, np.mean(shares, axis=0), first, second))


def _checked(sample: Mapping[str, npt.ArrayLike], names: tuple[str, ...], which: str) -> dict[str, Array]:
    found = {scene: np.asarray(values, dtype=np.float64) for scene, values in sample.items()}
    for scene, values in found.items():
        if values.ndim != 2 or values.shape[1] != len(names):
            raise ValueError(f"features of {scene} must be (k, {len(names)}), one for each name, not {values.shape}")
        if not len(values):
            raise ValueError(f"the {which} sample has no patches of {scene}")
        if not np.isfinite(values).all():
            bad = names[int(np.argwhere(~np.isfinite(values))[0, 1])]
            raise ValueError(f"features must be finite, and {bad!r} of {scene} is not")
    return found


def _judged_on(
    left_out: str, scenes: Sequence[str], first: Mapping[str, Array], second: Mapping[str, Array], seed: int
) -> tuple[float, Array]:
    """Balanced accuracy on the scene left out, and the shares of the features."""
    from sklearn.ensemble import ExtraTreesClassifier  # noqa: PLC0415 - takes a second, and few measures need it

    known = [sample[scene] for sample in (first, second) for scene in scenes if scene != left_out]
    count = sum(len(first[scene]) for scene in scenes if scene != left_out)
    values = np.concatenate(known)
    labels = np.arange(len(values)) >= count
    forest = ExtraTreesClassifier(
        TREES, min_samples_leaf=_LEAF, class_weight="balanced", random_state=np.random.RandomState(seed)
    )
    forest.fit(values, labels)
    # A probability of one half, as of patches that are the same in both samples, is right half of the time.
    rates = [
        np.mean(np.sign(sign * (forest.predict_proba(sample[left_out])[:, 1] - 0.5)) * 0.5 + 0.5)
        for sample, sign in ((first, -1.0), (second, 1.0))
    ]
    # Samples that are the same in every patch leave no split any worth.
    with np.errstate(invalid="ignore"):
        shares = np.nan_to_num(np.asarray(forest.feature_importances_))
    return float(np.mean(rates)), shares


def _weights(
    names: tuple[str, ...], shares: Array, first: Mapping[str, Array], second: Mapping[str, Array]
) -> tuple[Weight, ...]:
    one, other = np.concatenate([*first.values()]), np.concatenate([*second.values()])
    deviation = np.sqrt(0.5 * (one.var(axis=0) + other.var(axis=0)))
    apart = other.mean(axis=0) - one.mean(axis=0)
    differences = np.divide(apart, deviation, out=np.zeros_like(apart), where=deviation > 0.0)
    order = np.argsort(-shares, kind="stable")
    return tuple(Weight(names[index], float(shares[index]), float(differences[index])) for index in order)
