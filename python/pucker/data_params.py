"""Parameters of what is written in Python: a frozen dataclass of numbers, each with its meaning and its range."""

import dataclasses
import tomllib
from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from pucker import toml
from pucker._core import did_you_mean


@dataclasses.dataclass(frozen=True)
class DataField:
    """One entry of `DataParams.fields()`; the same attributes as `pucker.ParamField`."""

    name: str
    doc: str
    default: Any
    low: float = -np.inf
    high: float = np.inf
    low_included: bool = True
    choices: tuple[str, ...] = ()
    common: bool = True


def interval(field: Any) -> str:
    """The range of a number, a `DataField` or a `pucker.ParamField`, as intervals are written: "[0, inf)"."""
    opening = "[" if field.low_included and np.isfinite(field.low) else "("
    closing = "]" if np.isfinite(field.high) else ")"
    return f"{opening}{field.low:g}, {field.high:g}{closing}"


def described(field: Any) -> str:
    """Meaning, range and default of a parameter, a `DataField` or a `pucker.ParamField`, in one line."""
    if field.choices:
        return f"{field.doc}; {', '.join(field.choices)}, default {getattr(field.default, 'name', field.default)}"
    if field.low is None:
        default = {True: "true", False: "false", "": "none"}.get(field.default, field.default)
        return f"{field.doc}; default {default}"
    default = "none" if field.default is None else f"{field.default:g}"
    return f"{field.doc}; in {interval(field)}, default {default}"


def number(default: float, doc: str, low: float = -np.inf, high: float = np.inf, *, low_included: bool = True) -> Any:
    """A field of `DataParams`: its default, its meaning with its unit, and its range."""
    metadata = {"doc": doc, "low": low, "high": high, "low_included": low_included}
    return dataclasses.field(default=default, metadata=metadata)


class DataParams:
    """Base of a frozen dataclass of numbers (`number`), such as the parameters of a method written in Python."""

    noun: ClassVar[str] = "params"
    """What errors call it."""

    def __post_init__(self) -> None:
        """Raises ValueError naming the first number out of its range."""
        for item in self.fields():
            value = getattr(self, item.name)
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            whole = not isinstance(item.default, int) or isinstance(value, int)
            if is_number and not whole:
                raise ValueError(f"{self.noun}.{item.name} ({item.doc}) must be a whole number, got {value!r}")
            above = is_number and (value >= item.low if item.low_included else value > item.low)
            if not (above and value <= item.high and np.isfinite(value)):
                raise ValueError(f"{self.noun}.{item.name} ({item.doc}) must lie in {interval(item)}, got {value!r}")

    @classmethod
    def fields(cls) -> list[DataField]:
        """All fields in order."""
        return [DataField(item.name, default=item.default, **item.metadata) for item in dataclasses.fields(cls)]  # type: ignore[arg-type]

    def replace(self, **values: Any) -> Self:
        """The same with the fields given replaced. Raises ValueError for an unknown field or a value out of its range."""
        return self._of(self.to_dict() | values)

    def to_dict(self) -> dict[str, Any]:
        """All fields by name."""
        return dataclasses.asdict(self)  # type: ignore[call-overload, no-any-return]

    def to_toml(self) -> str:
        """The fields as a TOML document."""
        return toml.dumps(self.to_dict())

    @classmethod
    def from_toml(cls, text: str) -> Self:
        """Parameters from a TOML document; fields left out have their defaults."""
        return cls._of(tomllib.loads(text))

    @classmethod
    def _of(cls, values: Mapping[str, Any]) -> Self:
        known = [item.name for item in cls.fields()]
        for name in values:
            if name not in known:
                raise ValueError(f"{cls.noun} has no {name!r}{did_you_mean(name, known)}; there are {', '.join(known)}")
        return cls(**values)
