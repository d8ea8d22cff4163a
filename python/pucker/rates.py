"""Frames per second of frames at given times."""

import numpy as np
import numpy.typing as npt


def frame_rate(times: npt.ArrayLike, *, alone: float = 30.0, within: float = np.inf, what: str = "this") -> float:
    """Frames per second, on average, of frames at `times` (frames,) in seconds; `alone` for a single frame.

    Raises ValueError, which says what needs it, unless all frames are equally far apart to the share `within`.
    """
    seconds = np.asarray(times, dtype=np.float64)
    if len(seconds) < 2:
        return alone
    steps = np.diff(seconds)
    mean = float(steps.mean())
    if np.abs(steps - mean).max() > within * mean:
        raise ValueError(
            f"{what} needs frames at equal distances in time, not {steps.min():g} to {steps.max():g} seconds apart"
        )
    return float((len(seconds) - 1) / (seconds[-1] - seconds[0]))
