"""The picture in the browser and the mouse on it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import jupyter_rfb
import numpy as np
import numpy.typing as npt
from IPython.utils.capture import capture_output

from pucker.method import Brush
from pucker.render import Camera

# As in the native viewer.
_DEGREES_PER_PIXEL: Final = 0.4
_ZOOM_PER_NOTCH: Final = 1.1
_PIXELS_PER_NOTCH: Final = 100.0
# A hand that clicks moves the mouse by a pixel or two.
_CLICK_PIXELS: Final = 3.0
_LEFT: Final = 1


@dataclass
class _Drag:
    """A button that is held down: where the mouse was last seen, and how far it has gone since."""

    shifts: bool
    x: float
    y: float
    way: float = 0.0


class Canvas(jupyter_rfb.RemoteFrameBuffer):  # type: ignore[misc]
    """Shows pictures of one size (width, height) and reports mouse events.

    A drag with the left button turns the camera; one with another button, or with Shift, shifts it; the wheel zooms.

    Args:
        paint: Gives the next picture.
        move: Called with what is to be done to the camera.
        click: Called with column and row of the picture at a click with the left button.

    Attributes:
        brush: While it is on, drags with the left button are its own and do not turn the camera.
    """

    def __init__(
        self,
        size: tuple[int, int],
        *,
        paint: Callable[[], npt.NDArray[np.uint8] | None],
        move: Callable[[Callable[[Camera], Camera]], None],
        click: Callable[[float, float], None],
    ) -> None:
        width, height = size
        # The base class displays the widget that shows its errors as it is made, outside of whatever the canvas stands in.
        with capture_output():
            # In a narrower page it is smaller, and as high as its picture is then.
            super().__init__(css_width=f"min({width}px, 100%)", css_height="auto", resizable=False, cursor="grab")
        self._size = size
        self._shown_size: tuple[float, float] = (width, height)
        self._paint, self._move, self._click = paint, move, click
        self._drag: _Drag | None = None
        self.brush: Brush | None = None
        self._painting: Brush | None = None

    @property
    def errors(self) -> Any:
        """The widget that shows what went wrong in a handler."""
        return self._output_context

    def get_frame(self) -> npt.NDArray[np.uint8] | None:
        """The next picture; called by the base class."""
        return self._paint()

    def handle_event(self, event: dict[str, Any]) -> None:
        """Takes a message of the browser; called by the base class."""
        match event["type"]:
            case "resize":
                self._shown_size = (max(event["width"], 1.0), max(event["height"], 1.0))
            case "pointer_down" | "pointer_move" | "pointer_up" if self._paints(event):
                pass
            case "pointer_down":
                shifts = event["button"] != _LEFT or "Shift" in event["modifiers"]
                self._drag = _Drag(shifts, *self._place(event))
            case "pointer_move":
                self._follow(event)
            case "pointer_up":
                # The browser holds moves back, so that the last of them may still be missing.
                self._follow(event)
                if self._drag is not None and self._drag.way <= _CLICK_PIXELS and event["button"] == _LEFT:
                    self._click(*self._place(event))
                self._drag = None
            case "wheel":
                factor = _ZOOM_PER_NOTCH ** (event["dy"] / _PIXELS_PER_NOTCH)
                self._move(lambda camera: camera.zoomed(factor))

    def _paints(self, event: dict[str, Any]) -> bool:
        """Gives the brush what is its own; whether it was."""
        if event["type"] == "pointer_down":
            takes = self.brush is not None and self.brush.on
            self._painting = (
                self.brush if takes and event["button"] == _LEFT and "Shift" not in event["modifiers"] else None
            )
        brush = self._painting
        if brush is None:
            return False
        if event["type"] == "pointer_down":
            brush.down(*self._place(event))
            return True
        brush.to(*self._place(event))
        if event["type"] == "pointer_up":
            self._painting = None
            brush.up()
        return True

    def _follow(self, event: dict[str, Any]) -> None:
        drag = self._drag
        if drag is None:
            return
        x, y = self._place(event)
        right, down = x - drag.x, y - drag.y
        drag.x, drag.y, drag.way = x, y, drag.way + abs(right) + abs(down)
        if right == down == 0.0:
            return
        if drag.shifts:
            self._move(lambda camera: camera.shifted(-right, down, self._size[1]))
        else:
            self._move(lambda camera: camera.turned(-_DEGREES_PER_PIXEL * right, _DEGREES_PER_PIXEL * down))

    def _place(self, event: dict[str, Any]) -> tuple[float, float]:
        """Column and row of the picture, which a narrow page shows smaller than it is."""
        (width, height), (shown_width, shown_height) = self._size, self._shown_size
        return event["x"] * width / shown_width, event["y"] * height / shown_height
