"""A clip with its wrinkles in a notebook: turn it, scrub it, play it, change its parameters, pick from it.

`View(clip, params)` as the value of a cell shows the widget; everything it does can be done from Python too.
"""

try:
    from .view import View
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        f"pucker.notebook needs {error.name}: install the extra pucker[notebook]", name=error.name
    ) from None
from .picking import Pick, Selected

__all__ = ["Pick", "Selected", "View"]
