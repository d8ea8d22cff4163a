"""Work that takes longer than a moment: with a progress bar, and cancelled by Escape."""

import time
from collections.abc import Iterator

import bpy

import pucker

from .cloth import Refusal

# Seconds of work between two looks at the keyboard.
SLICE = 0.05


class Job:
    """Base of operators whose work is a generator of the share that is done.

    Whatever ends it early, the generator is closed, so that its `finally` takes half-made things away.
    """

    _steps: Iterator[float] | None = None
    _timer: bpy.types.Timer | None = None

    def steps(self, context: bpy.types.Context) -> Iterator[float]:
        """The work. Raises Refusal, ValueError, OSError or pucker.Error, which are reported."""
        raise NotImplementedError

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
            self.report({"WARNING"}, "Cancelled; nothing was made")
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
