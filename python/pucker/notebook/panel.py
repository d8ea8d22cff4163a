"""What stands beside and below the picture: playback, pickers, parameters, and the numbers of what was picked."""

import html
from collections.abc import Sequence
from typing import Any, Final

import ipywidgets
import traitlets

from pucker.method import method_of
from pucker.render import VIEWS, Mode, Overlays

from .controls import ParamControls, labelled

_NARROW: Final = {"width": "auto"}


class Panel:
    """The controls of a view, tied to its traits; `errors` is a widget put below them."""

    def __init__(self, view: Any, frame_count: int, picture_width: int, errors: ipywidgets.Widget) -> None:
        self._view = view
        self.play = ipywidgets.ToggleButton(icon="play", tooltip="Play or pause", layout=_NARROW)
        self.frame = ipywidgets.IntSlider(min=0, max=frame_count - 1, layout={"width": "auto", "flex": "1"})
        self.steps = [
            _button("step-backward", "The frame before", lambda: self._step(-1)),
            _button("step-forward", "The next frame", lambda: self._step(1)),
        ]
        self.mode = ipywidgets.Dropdown(options=[mode.name for mode in Mode])
        self.overlays = {
            name: ipywidgets.Checkbox(description=name, indent=False, layout=_NARROW)
            for name in Overlays.names(method_of(view.params))
        }
        self.views = [_button("", f"Look from {name}", lambda name=name: view.look(name), name) for name in VIEWS]
        self.params = ParamControls(view.params, lambda params: setattr(view, "params", params))
        self.reset = _button("undo", "The parameters this view began with", view.reset_params, "reset parameters")
        self.status = ipywidgets.HTML()
        self.numbers = ipywidgets.HTML()
        self.legends = ipywidgets.HTML()
        tie(view, "playing", self.play)
        tie(view, "frame", self.frame)
        tie(view, "mode", self.mode)
        view.observe(lambda change: self.params.show(change["new"]), "params")
        view.observe(lambda change: self._show_overlays(change["new"]), "overlays")
        self._show_overlays(view.overlays)
        for name, box in self.overlays.items():
            box.observe(self._taker(name), "value")
        transport = ipywidgets.HBox(
            [self.play, *self.steps, self.frame], layout={"width": "auto", "max_width": f"{picture_width}px"}
        )
        self.below = [transport, self.status, self.legends, self.numbers, errors]
        self.beside = [
            ipywidgets.HBox(self.views, layout={"flex_flow": "row wrap"}),
            labelled(
                self.mode, "mode", "What of the wrinkles is drawn: displacement, the normals they bend, both, or none"
            ),
            ipywidgets.GridBox(list(self.overlays.values()), layout={"grid_template_columns": "repeat(2, 1fr)"}),
            self.params.widget,
            self.reset,
        ]

    def show_status(self, text: str) -> None:
        """Shows a line below the picture."""
        self.status.value = html.escape(text)

    def show_numbers(self, rows: Sequence[tuple[str, str]]) -> None:
        """Shows names and values as a table."""
        cells = "".join(f"<tr><td>{html.escape(name)}</td><td>{html.escape(value)}</td></tr>" for name, value in rows)
        self.numbers.value = f"<table>{cells}</table>" if rows else ""

    def show_legends(self, legends: Sequence[tuple[str, Sequence[tuple[str, tuple[float, float, float]]]]]) -> None:
        """Shows names, and beside each its words with their colours."""
        rows = []
        for name, entries in legends:
            keys = "".join(
                f'<span style="margin-left:8px;border-left:12px solid rgb({",".join(f"{255.0 * c:.0f}" for c in colour)});'
                f'padding-left:3px">{html.escape(word)}</span>'
                for word, colour in entries
            )
            rows.append(f"<div>{html.escape(name)}{keys}</div>")
        self.legends.value = "".join(rows)

    def _step(self, by: int) -> None:
        self._view.playing = False
        self._view.frame = (self._view.frame + by) % (self.frame.max + 1)

    def _show_overlays(self, overlays: Overlays) -> None:
        for name, box in self.overlays.items():
            box.value = _is_on(getattr(overlays, name))

    def _taker(self, name: str) -> Any:
        def take(change: Any) -> None:
            shown = self._view.overlays
            if _is_on(getattr(shown, name)) != change["new"]:
                self._view.overlays = shown.replace(**{name: change["new"]})

        return take


def tie(view: traitlets.HasTraits, name: str, widget: Any) -> None:
    """Keeps a trait of the view and the value of a widget equal; equal values send no change, so it ends."""
    widget.value = getattr(view, name)
    view.observe(lambda change: setattr(widget, "value", change["new"]), name)
    widget.observe(lambda change: setattr(view, name, change["new"]), "value")


def _is_on(value: Any) -> bool:
    """Whether an overlay is drawn; some are switched on by a width or an array."""
    return bool(value) if isinstance(value, bool | float | int) else True


def _button(icon: str, tooltip: str, call: Any, text: str = "") -> ipywidgets.Button:
    button = ipywidgets.Button(description=text, icon=icon, tooltip=tooltip, layout=_NARROW)
    button.on_click(lambda _: call())
    return button
