"""Sliders and pickers, one for each parameter of the list that the parameters are made from."""

import html
from collections.abc import Callable
from typing import Any, Final

import ipywidgets
import numpy as np

import pucker
from pucker.data_params import described
from pucker.method import method_of
from pucker.sliders import control_of, shown, value_of

_LAYOUT: Final = {"width": "auto"}


class OptionalNumber(ipywidgets.Text):  # type: ignore[misc]
    """A number as text, empty for none."""

    @property
    def number(self) -> float | None:
        """Raises ValueError for a text that is no number."""
        return float(self.value) if self.value.strip() else None


class ParamControls:
    """A widget for each parameter: the common ones first, the others under the names of their nodes.

    Args:
        on_change: Called with the whole tree after the reader has changed something.
    """

    def __init__(self, params: Any, on_change: Callable[[Any], None]) -> None:
        self._params = params
        self._on_change = on_change
        self._fields: dict[str, Any] = {}
        self._rows: dict[str, ipywidgets.VBox] = {}
        nodes: dict[str, list[ipywidgets.Widget]] = {"common": []}
        for field in params.fields():
            node, _, leaf = field.name.rpartition(".")
            title, name = ("common", field.name) if field.common else (node or "run", leaf)
            widget = self._new_widget(field, value_of(params, field.name))
            self._rows[field.name] = labelled(widget, name, described(field))
            nodes.setdefault(title, []).append(self._rows[field.name])
        self.widget = ipywidgets.Accordion(
            [ipywidgets.VBox(widgets) for widgets in nodes.values()], titles=tuple(nodes)
        )
        self.widget.selected_index = 0

    def __getitem__(self, name: str) -> Any:
        """The widget of the parameter `name`, as "threshold" or "shape.profile"."""
        return self._fields[name]

    def show(self, params: Any) -> None:
        """Sets all widgets, and widens the sliders that end before their value."""
        # What the widgets tell while they are being set is then no change.
        self._params = params
        for field in params.fields():
            value, widget = shown(value_of(params, field.name)), self._fields[field.name]
            if value is None and not isinstance(widget, OptionalNumber):
                # A slider cannot show that a number is left out.
                row = self._rows[field.name]
                typed = self._new_widget(field, None)
                typed.tooltip, typed.layout = widget.tooltip, widget.layout
                row.children = (*row.children[:-1], typed)
            else:
                _set(widget, value)

    def _new_widget(self, field: pucker.ParamField, value: Any) -> Any:
        widget = self._fields[field.name] = _field_widget(field, value)
        widget.observe(self._changed(field.name), "value")
        return widget

    def _changed(self, name: str) -> Callable[[Any], None]:
        def take(change: Any) -> None:
            owner = change["owner"]
            new = owner.number if isinstance(owner, OptionalNumber) else change["new"]
            if _is_moved(owner, shown(value_of(self._params, name)), new):
                self._params = replaced(self._params, name, new)
                self._on_change(self._params)

        return take


def replaced(params: Any, name: str, value: Any) -> Any:
    """The tree with the parameter `name` replaced. Raises ValueError for a value it may not have."""
    return method_of(params).replaced(params, {name: value})


def labelled(widget: Any, name: str, tooltip: str) -> ipywidgets.VBox:
    """The widget with its name above it, so that it has the whole width; both tell the tooltip.

    A page shows the tooltip of a list of choices only if the list has no description of its own.
    """
    widget.tooltip, widget.layout = tooltip, _LAYOUT
    if isinstance(widget, ipywidgets.Checkbox):
        widget.description, widget.indent, rows = name, False, [widget]
    else:
        label = f'<label title="{html.escape(tooltip)}">{html.escape(name)}</label>'
        rows = [ipywidgets.HTML(label, layout={"height": "22px", "margin": "2px 2px 0"}), widget]
    row = ipywidgets.VBox(rows)
    row.add_class("pucker-field")
    return row


def _field_widget(field: pucker.ParamField, value: Any) -> Any:
    control = control_of(field, value)
    ends = {"min": control.low, "max": control.high, "step": control.step}
    match control.kind:
        case "choice":
            return ipywidgets.Dropdown(options=field.choices, value=shown(value))
        case "switch":
            return ipywidgets.Checkbox(value=value)
        case "text":
            return ipywidgets.Text(value=value, continuous_update=False)
        case "optional":
            return OptionalNumber(placeholder="none", continuous_update=False)
        case "whole":
            widget = ipywidgets.IntSlider(value=control.low, **ends)
        case "typed":
            widget = ipywidgets.BoundedIntText(value=control.low, **ends)
        case "logarithm":
            widget = ipywidgets.FloatLogSlider(value=value, readout_format=".4g", **ends)
        case "real":
            widget = ipywidgets.FloatSlider(value=value, readout_format=".4g", **ends)
    _set(widget, value)
    return widget


def _set(widget: Any, value: Any) -> None:
    """Sets a widget's value; a slider would cut off what lies beyond its ends, so they are moved first."""
    if isinstance(widget, OptionalNumber):
        value = "" if value is None else repr(value)
    elif isinstance(widget, ipywidgets.FloatLogSlider):
        # A step more, as the power of a logarithm may come out a little beside the value.
        place = float(np.log10(value))
        widget.max, widget.min = max(widget.max, place + widget.step), min(widget.min, place - widget.step)
    elif hasattr(widget, "max"):
        widget.max, widget.min = max(widget.max, value), min(widget.min, value)
    widget.value = value


def _is_moved(widget: Any, old: Any, new: Any) -> bool:
    """Whether a widget's new value is another than the parameter's.

    The page rounds the value of a slider to its steps and sends it back, which must not change the parameter.
    """
    if not isinstance(new, float) or isinstance(widget, OptionalNumber):
        return bool(new != old)
    way = np.log10(new / old) if isinstance(widget, ipywidgets.FloatLogSlider) else new - old
    return bool(abs(way) > 0.51 * widget.step)
