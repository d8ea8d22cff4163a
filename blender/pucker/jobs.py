"""Work that takes longer than a moment: with a progress bar, and cancelled by Escape."""

import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

import bpy

import pucker

from .cloth import Refusal

# Seconds of work between two looks at the keyboard.
SLICE = 0.05

Result = TypeVar("Result")


class _Stopped(BaseException):
    """Ends work whose result nobody waits for."""


def aside(work: Callable[[Callable[[float], None]], Result]) -> Generator[float, None, Result]:
    """Does work on a thread of its own, which must not touch Blender's data; yields the share that is done.

    The work calls what it is given with that share. Once the generator is closed, the next such call ends the work, and
    closing waits for that.
    """
    share, stopping = 0.0, threading.Event()

    def report(done: float) -> None:
        nonlocal share
        if stopping.is_set():
            raise _Stopped
        share = done

    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(work, report)
        try:
            while not wait([future], timeout=0.2 * SLICE).done:
                yield share
            return future.result()
        finally:
            stopping.set()


def heard(work: Callable[[], Result], but: tuple[type[Warning], ...] = ()) -> tuple[Result, list[str]]:
    """What work gives, and its warnings but for some, each once: Blender shows none by itself."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        for kind in but:
            warnings.simplefilter("ignore", kind)
        result = work()
    return result, list(dict.fromkeys(" ".join(str(each.message).split()) for each in found))


def section(steps: Generator[float, None, Result], first: float, last: float) -> Generator[float, None, Result]:
    """Steps that are the part from `first` to `last` of a whole."""
    try:
        while True:
            yield first + (last - first) * next(steps)
    except StopIteration as finished:
        return finished.value
    finally:
        steps.close()


class Job:
    """Base of operators whose work is a generator of the share that is done.

    Whatever ends it early, the generator is closed, so that its `finally` takes half-made things away.
    """

    cancelled = "nothing was made"

    _steps: Iterator[float] | None = None
    _timer: bpy.types.Timer | None = None

    def steps(self, context: bpy.types.Context) -> Iterator[float]:
        """The work. Raises Refusal, ValueError, OSError or pucker.Error, which are reported."""
        raise NotImplementedError

    def warn(self, *lines: str) -> None:
        """Reports what may not be as someone wanted it; nothing where a line is empty."""
        for line in filter(None, lines):
            self.report({"WARNING"}, line)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All of it at once, for scripts."""
        try:
            for _ in self.steps(context):
                pass
        except (Refusal, ValueError, OSError, pucker.Error) as error:
            self.report({"ERROR"}, _sentence(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[str]:
        """In slices, while the window stays alive."""
        if bpy.app.background:
            return self.execute(context)
        self._steps = self.steps(context)
        self._timer = context.window_manager.event_timer_add(0.01, window=context.window)
        context.window_manager.progress_begin(0.0, 1.0)
        context.window_manager.modal_handler_add(self)
        context.workspace.status_text_set("Pucker is at work; Escape cancels")
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """One slice."""
        if event.type == "ESC" and event.value == "PRESS":
            self._finish(context)
            self.report({"WARNING"}, f"Cancelled; {self.cancelled}")
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"RUNNING_MODAL"}
        until = time.perf_counter() + SLICE
        try:
            while time.perf_counter() < until:
                context.window_manager.progress_update(next(self._steps))
        except StopIteration:
            self._finish(context)
            return {"FINISHED"}
        except (Refusal, ValueError, OSError, pucker.Error) as error:
            self._finish(context)
            self.report({"ERROR"}, _sentence(error))
            return {"CANCELLED"}
        return {"RUNNING_MODAL"}

    def _finish(self, context: bpy.types.Context) -> None:
        self._steps.close()
        context.window_manager.event_timer_remove(self._timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)


def _sentence(error: Exception) -> str:
    return " ".join(str(error).split())
