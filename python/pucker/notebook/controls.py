"""Sliders and pickers, one for each parameter of the list that the parameters are made from."""

import html
from collections.abc import Callable
from typing import Any, Final

import ipywidgets
import numpy as np

import pucker
from pucker.data_params import described
from pucker.method import method_of

# A parameter without an upper bound gets a slider up to so many times its default, or over a decade to either side.
_REACH: Final = 4.0
_DECADES: Final = 1.0
# Times its least from which on the most of a number says nothing of how large it usually is.
_ANY_SIZE: Final = 1e6
# So many steps at least: what a slider shows is then right to the digits it shows.
_STEPS: Final = 5000
# Up to so many whole numbers a slider is finer than typing.
_SLIDER_COUNT: Final = 100
# JavaScript has no larger whole numbers.
_LARGEST_WHOLE: Final = 2**53 - 1
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
        self._fields = {field.name: _field_widget(field, value_of(params, field.name)) for field in params.fields()}
        for name, widget in self._fields.items():
            widget.observe(self._changed(name), "value")
        nodes: dict[str, list[ipywidgets.Widget]] = {"common": []}
        for field in params.fields():
            node, _, leaf = field.name.rpartition(".")
            title, name = ("common", field.name) if field.common else (node or "run", leaf)
            nodes.setdefault(title, []).append(labelled(self._fields[field.name], name, described(field)))
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
        for name, widget in self._fields.items():
            _set(widget, _shown(value_of(params, name)))

    def _changed(self, name: str) -> Callable[[Any], None]:
        def take(change: Any) -> None:
            owner = change["owner"]
            new = owner.number if isinstance(owner, OptionalNumber) else change["new"]
            if _is_moved(owner, _shown(value_of(self._params, name)), new):
                self._params = replaced(self._params, name, new)
                self._on_change(self._params)

        return take


def value_of(params: Any, name: str) -> Any:
    """The value of the parameter `name`, as "threshold" or "shape.profile"."""
    value: Any = params
    for part in name.split("."):
        value = getattr(value, part)
    return value


def replaced(params: Any, name: str, value: Any) -> Any:
    """The tree with the parameter `name` replaced. Raises ValueError for a value it may not have."""
    return method_of(params).replaced(params, {name: value})


def _shown(value: Any) -> Any:
    """A value as its widget holds it: members of enumerations by name."""
    return getattr(value, "name", value)


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
    if field.choices:
        return ipywidgets.Dropdown(options=field.choices, value=_shown(value))
    if isinstance(field.default, bool):
        return ipywidgets.Checkbox(value=value)
    if isinstance(field.default, str):
        return ipywidgets.Text(value=value, continuous_update=False)
    if value is None:
        return OptionalNumber(placeholder="none", continuous_update=False)
    low, high = float(field.low or 0.0), float(np.inf if field.high is None else field.high)
    widget = _whole_widget(low, high) if isinstance(field.default, int) else _real_widget(field, value)
    _set(widget, value)
    return widget


def _whole_widget(low: float, high: float) -> Any:
    last = int(min(high, _LARGEST_WHOLE))
    kind = ipywidgets.IntSlider if last - low < _SLIDER_COUNT else ipywidgets.BoundedIntText
    return kind(value=int(low), min=int(low), max=last)


def _real_widget(field: pucker.ParamField, value: float) -> Any:
    low, high = float(field.low or 0.0), float(np.inf if field.high is None else field.high)
    if _is_of_any_size(field, low, high):
        middle = float(np.log10(value))
        first, last = (float(np.log10(end)) if 0.0 < end < np.inf else end for end in (low or -np.inf, high))
        ends = {
            "min": max(middle - _DECADES, first),
            "max": min(middle + _DECADES, last),
            "step": 2.0 * _DECADES / _STEPS,
        }
        return ipywidgets.FloatLogSlider(value=value, readout_format=".4g", **ends)
    if np.isinf(high):
        # A default at the lower end says nothing of a range.
        high = low + (_REACH * (max(float(field.default or 0.0), value) - low) or 1.0)
    step = float(10.0 ** np.floor(np.log10((high - low) / _STEPS)))
    ends = {"min": low if field.low_included else low + step, "max": high, "step": step}
    return ipywidgets.FloatSlider(value=value, readout_format=".4g", **ends)


def _is_of_any_size(field: pucker.ParamField, low: float, high: float) -> bool:
    """Whether a number may have any size, so that a slider shows its logarithm."""
    if low > 0.0:
        return low * _ANY_SIZE < high < np.inf
    return low == 0.0 and not field.low_included and high == np.inf


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
