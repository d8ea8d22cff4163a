"""With what a reader changes a parameter, in a notebook and on a page: from the list that the parameters are made from."""

from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

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


@dataclass(frozen=True)
class Control:
    """What changes one parameter.

    Attributes:
        kind: Of a member of an enumeration, a bool, a text, a number that may be left out, a whole number by a slider or by
            typing, a real number, and one whose slider shows its logarithm.
        low, high: Ends of the slider, of "logarithm" those of the decimal logarithm; there may be values beyond.
        step: Between two values of the slider.
    """

    kind: Literal["choice", "switch", "text", "optional", "whole", "typed", "real", "logarithm"]
    low: float = 0.0
    high: float = 0.0
    step: float = 0.0


def value_of(params: Any, name: str) -> Any:
    """The value of the parameter `name`, as "threshold" or "shape.profile"."""
    value: Any = params
    for part in name.split("."):
        value = getattr(value, part)
    return value


def shown(value: Any) -> Any:
    """A value as a control has it: members of enumerations by name."""
    return getattr(value, "name", value)


def control_of(field: Any, value: Any) -> Control:
    """What changes a parameter that has a value.

    Args:
        field: Its entry of `Params.fields()`.
        value: What it is now.
    """
    simple: dict[str, Any] = {
        "choice": bool(field.choices),
        "switch": isinstance(field.default, bool),
        "text": isinstance(field.default, str),
        "optional": value is None,
    }
    for kind, is_so in simple.items():
        if is_so:
            return Control(kind)  # type: ignore[arg-type]
    low, high = float(field.low or 0.0), float(np.inf if field.high is None else field.high)
    if isinstance(field.default, int):
        least, most = int(low), int(min(high, _LARGEST_WHOLE))
        return Control("whole" if most - least < _SLIDER_COUNT else "typed", least, most, 1)
    if _is_of_any_size(field, low, high):
        middle = float(np.log10(value))
        first, last = (float(np.log10(end)) if 0.0 < end < np.inf else end for end in (low or -np.inf, high))
        return Control(
            "logarithm", max(middle - _DECADES, first), min(middle + _DECADES, last), 2.0 * _DECADES / _STEPS
        )
    if np.isinf(high):
        # A default at the lower end says nothing of a range.
        high = low + (_REACH * (max(float(field.default or 0.0), value) - low) or 1.0)
    step = float(10.0 ** np.floor(np.log10((high - low) / _STEPS)))
    return Control("real", low if field.low_included else low + step, high, step)


def _is_of_any_size(field: Any, low: float, high: float) -> bool:
    """Whether a number may have any size, so that a slider shows its logarithm."""
    if low > 0.0:
        return low * _ANY_SIZE < high < np.inf
    return low == 0.0 and not field.low_included and high == np.inf
