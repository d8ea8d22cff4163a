"""The clock of a clip that plays."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

# Seconds. What is hidden does not play on, and what is slow plays slower instead of asking for ever more at once.
_LONGEST_STEP: Final = 0.25


class Playback:
    """Says which frame of a clip with these times (frames,) [s] is due; after the last frame comes the first."""

    def __init__(self, times: npt.NDArray[Any]) -> None:
        seconds = np.asarray(times, dtype=np.float64)
        self._starts = seconds - seconds[0]
        # The last frame is shown as long as the others are on average.
        count = len(seconds)
        self._duration = float(self._starts[-1]) * count / (count - 1) if count > 1 else np.inf
        self._position = 0.0
        self._seen = 0.0
        self.frame = 0

    def start(self, frame: int, now: float) -> None:
        """Begins at the start of a frame; `now` is the time in seconds by any clock."""
        self.frame = frame
        self._position = float(self._starts[frame])
        self._seen = now

    def advance(self, now: float) -> int:
        """The frame that is due at `now`, by the clock of `start`."""
        self._position = (self._position + min(now - self._seen, _LONGEST_STEP)) % self._duration
        self._seen = now
        self.frame = int(np.searchsorted(self._starts, self._position, side="right")) - 1
        return self.frame
