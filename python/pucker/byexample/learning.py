"""From takes of a garment to a trained set, in the way that is best for where the takes come from."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

import numpy as np

from pucker._core import Clip

from .regression import Regressed, rounded_to_play
from .trained import Fine, Floats, Options
from .training import Training, train

# Details of a regression are in a file multiples of the largest over this: an error of a thousandth of it.
_STEPS: Final = 511
# What `pucker train` begins with.
LEVELS: Final = 2
POSES: Final = 48


@dataclass(frozen=True, eq=False)
class Take:
    """A clip of a garment and the fine surface of each of its frames."""

    clip: Clip
    fine: Fine
    """(frames, N, 3), its vertices those of `LoopSubdivision`."""

    @property
    def rest(self) -> Floats:
        """(n, 3): the clip's rest pose, or else its first frame."""
        return np.asarray(self.clip.positions[0] if self.clip.rest is None else self.clip.rest)


def learn(
    takes: Sequence[Take],
    *,
    simulated: bool,
    levels: int = LEVELS,
    poses: int = POSES,
    low_frequency: Literal["keep", "remove"] | None = None,
    choose: Literal["greedy", "farthest"] | None = None,
    fit: float | None = None,
    edges: int = 64,
    falloff: float = 1.0,
    parts: Sequence[str] = (),
    progress: Callable[[int, float], None] = lambda _pose, _error: None,
) -> Training:
    """Trains a set from takes of one garment, rounded for its file; see `train`.

    What is not given is, for a recording, as published: the low-frequency part kept, poses chosen greedily, no fit. A simulation that was
    held to its guide lags and never repeats itself, so that of one the low-frequency part is removed, poses are the farthest, and
    their details are fitted to all frames with λ = 0.3.

    Raises ValueError for no take, and as `train`.
    """
    if not takes:
        raise ValueError("there must be a take to learn from")
    training = train(
        takes[0].clip.mesh,
        np.concatenate([take.clip.positions for take in takes]),
        np.concatenate([take.fine for take in takes]),
        rest=takes[0].rest,
        levels=levels,
        poses=poses,
        low_frequency=low_frequency or ("remove" if simulated else "keep"),
        choose=choose or ("farthest" if simulated else "greedy"),
        fit=(0.3 if simulated else 0.0) if fit is None else fit,
        options=Options(edges=edges, falloff=falloff),
        progress=progress,
    )
    return replace(training, trained=replace(training.trained, parts=tuple(parts)).rounded())


def rounded_for_file(regressed: Regressed, takes: Sequence[Take], balances: Sequence[Floats] = ()) -> Regressed:
    """A regression on these takes, rounded as far as they play as before, by the balances (frames, n, 3) of a guide's cloth if there are
    any; raises as `rounded_to_play`.
    """
    poses = balances or [take.clip.positions for take in takes]
    played = [(pose, take.clip.times) for pose, take in zip(poses, takes, strict=True)]
    guides = [take.clip.positions for take in takes] if balances else []
    return replace(
        regressed,
        trained=rounded_to_play(regressed.trained, played, _STEPS, guides=guides, products=regressed.products),
    )
