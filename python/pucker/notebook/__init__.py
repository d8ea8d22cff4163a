"""A clip with its wrinkles in a notebook: turn it, scrub it, play it, change its parameters, pick from it.

`View(clip, params)` as the value of a cell shows the widget; everything it does can be done from Python too.
"""

from pucker.extras import needing

with needing("notebook", "pucker.notebook"):
    from .picking import Pick, Selected
    from .view import View

__all__ = ["Pick", "Selected", "View"]
