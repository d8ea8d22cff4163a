"""The frame that is asked for, computed beside whatever else goes on."""

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

import pucker
from pucker.replay import Replay

# A slider in motion asks for another run many times a second. What has begun is finished first, or nothing ever would
# be, unless it has taken so many seconds.
_PATIENCE: Final = 0.5


@dataclass(frozen=True)
class Snapshot:
    """One frame of a clip under one set of parameters."""

    params: Any
    frame: int
    state: Any


@dataclass(frozen=True)
class _Goal:
    params: Any
    frame: int


class Runner:
    """Computes on a thread of its own the snapshot that was asked for last.

    Args:
        on_arrival: Called on that thread whenever a snapshot is ready or could not be computed.
        states: A state a frame, in place of a run: whatever the parameters, they stay.
    """

    def __init__(
        self,
        clip: pucker.Clip,
        params: Any,
        frame: int,
        on_arrival: Callable[[], None],
        states: Sequence[Any] | None = None,
    ) -> None:
        self._clip = clip
        self._states = states
        self._on_arrival = on_arrival
        self._worker = ThreadPoolExecutor(1, "pucker-run")
        self._changed = threading.Condition()
        self._working = False
        self._closed = False
        self._failure: Exception | None = None
        self._latest: Snapshot | None = None
        self._replay: Replay | None = None
        self._goal = _Goal(params, frame)
        self.ask(params, frame)

    def ask(self, params: Any, frame: int) -> None:
        """Sets the snapshot that is wanted, and returns at once."""
        with self._changed:
            if self._closed:
                return
            self._goal = _Goal(params, frame)
            self._failure = None
            if not self._working:
                self._working = True
                self._worker.submit(self._work)

    @property
    def latest(self) -> Snapshot | None:
        """The last snapshot that was wanted and is ready; None before the first."""
        return self._latest

    @property
    def failure(self) -> Exception | None:
        """Why the snapshot that is wanted cannot be had; None if it can or is not known yet."""
        return self._failure

    @property
    def busy(self) -> bool:
        """Whether the snapshot that is wanted is still being computed."""
        return self._working

    def settled(self) -> Snapshot:
        """Waits for the snapshot that is wanted. Raises what its computation raised, and ValueError after `close`."""
        with self._changed:
            self._changed.wait_for(lambda: not self._working)
            if self._failure is not None:
                raise self._failure
            if self._closed or self._latest is None:
                raise ValueError("a view that is closed computes no more frames")
            return self._latest

    def close(self) -> None:
        """Stops the computation and ends the thread."""
        with self._changed:
            self._closed = True
        self._worker.shutdown()

    def _work(self) -> None:
        going_on = True
        while going_on:
            goal = self._goal
            outcome = self._pursue(goal)
            with self._changed:
                going_on = self._working = self._goal is not goal and not self._closed
                if isinstance(outcome, Snapshot):
                    self._latest = outcome
                elif outcome is not None and not going_on:
                    self._failure = outcome
                self._changed.notify_all()
            self._on_arrival()

    def _pursue(self, goal: _Goal) -> Snapshot | Exception | None:
        """The snapshot, why it cannot be had, or None if it is no longer wanted."""
        if self._states is not None:
            return Snapshot(goal.params, goal.frame, self._states[goal.frame])
        begin = time.monotonic()
        try:
            if self._replay is None or self._replay.params != goal.params:
                self._replay = Replay(self._clip, goal.params)
            while not self._replay.approach(goal.frame):
                overdue = self._goal is not goal and time.monotonic() - begin > _PATIENCE
                if overdue or self._closed:
                    return None
        except Exception as error:  # noqa: BLE001 - it is raised where the snapshot is waited for
            return error
        return Snapshot(goal.params, goal.frame, self._replay.state)
