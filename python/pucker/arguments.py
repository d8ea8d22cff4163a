"""Which argument of a refused call is wrong, in the place of pybind11's list of signatures."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from .kinds import kind_of

_REFUSAL: Final = re.compile(
    r"(\w+)\(\): incompatible (function|constructor) arguments\. .*? are supported:\n(.*?)\n\nInvoked with: ", re.DOTALL
)
_BRACKETS: Final = {"(": ")", "[": "]", "{": "}"}
_LONGEST: Final = 60


def explained(message: str, args: Sequence[object], kwargs: Mapping[str, object]) -> str | None:
    """What is wrong with a call that pybind11 refused with a message; None for any other message."""
    found = _REFUSAL.match(message)
    if found is None:
        return None
    name, kind, listing = found.groups()
    signatures = [_Signature.parsed(line.split(". ", 1)[1]) for line in listing.splitlines()]
    if kind == "constructor":
        # The object that is being made, which is none yet.
        args = args[1:]
    first = signatures[0].parameters[:1]
    if kind == "constructor":
        title = signatures[0].name
    elif first and first[0].name == "self":
        owner = first[0].kind if first[0].kind != "object" else type(args[0]).__name__
        title = f"{owner.rpartition('.')[2]}.{name}"
    else:
        title = name
    complaints = dict.fromkeys(signature.complaint(args, kwargs) for signature in signatures)
    return f"{title}: {', or '.join(complaints)}"


@dataclass(frozen=True)
class _Parameter:
    name: str
    kind: str
    optional: bool
    by_position: bool


@dataclass(frozen=True)
class _Signature:
    name: str
    parameters: tuple[_Parameter, ...]
    any_keyword: bool

    @classmethod
    def parsed(cls, text: str) -> "_Signature":
        """Of a line like `name(self: A, b: float = 1, *, c: str) -> D`."""
        name, _, rest = text.partition("(")
        parameters: list[_Parameter] = []
        by_position, any_keyword = True, False
        for part in _split(rest, ","):
            if part in ("", "/"):
                continue
            if part.startswith("*"):
                by_position, any_keyword = False, any_keyword or part.startswith("**")
                continue
            declared, *default = _split(part, "=")
            label, _, kind = declared.partition(": ")
            parameters.append(_Parameter(label, kind.strip(), bool(default), by_position))
        return cls(name.rpartition(".")[2], tuple(parameters), any_keyword)

    def complaint(self, args: Sequence[object], kwargs: Mapping[str, object]) -> str:
        """The first thing that is wrong with the arguments."""
        names = [parameter.name for parameter in self.parameters]
        positional = [parameter for parameter in self.parameters if parameter.by_position]
        if len(args) > len(positional):
            # The message of a method does not count the object itself.
            own = int(names[:1] == ["self"])
            return f"takes at most {len(positional) - own} positional arguments, got {len(args) - own}"
        given = {parameter.name: value for parameter, value in zip(positional, args, strict=False)}
        for name in kwargs:
            if name in given:
                return f"{name} is given twice"
            if name not in names and not self.any_keyword:
                return f"has no argument {name!r}; there are {', '.join(n for n in names if n != 'self')}"
        given |= kwargs
        for parameter in self.parameters:
            if parameter.name not in given:
                if not parameter.optional:
                    return f"needs {parameter.name}"
            elif not _fits(given[parameter.name], parameter.kind):
                value = given[parameter.name]
                # Each method has a Params and a State of its own.
                namesake = any(each.rpartition(".")[2] == type(value).__name__ for each in _split(parameter.kind, "|"))
                wanted = _described(parameter.kind, in_full=namesake)
                return f"{parameter.name} must be {wanted}, got {_shown(value, in_full=namesake)}"
        # Of the right kind, but, say, a number of more bits than are held.
        return f"cannot take {', '.join(_shown(value) for value in given.values())}"


def _split(text: str, mark: str) -> Iterator[str]:
    """Parts of a text between marks that stand in no brackets and no quotes, up to a bracket that closes none."""
    closing: list[str] = []
    quote, begin = "", 0
    for place, sign in enumerate(text):
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "'\"":
            quote = sign
        elif sign in _BRACKETS:
            closing.append(_BRACKETS[sign])
        elif closing and sign == closing[-1]:
            closing.pop()
        elif sign in ")]}":
            text = text[:place]
            break
        elif sign == mark and not closing:
            yield text[begin:place].strip()
            begin = place + 1
    yield text[begin:].strip()


def _whole(value: object) -> bool:
    return hasattr(value, "__index__") and np.ndim(value) == 0  # type: ignore[arg-type]  # of anything, that is 0


def _number(value: object) -> bool:
    return _whole(value) or (hasattr(value, "__float__") and np.ndim(value) == 0)  # type: ignore[arg-type]


# Kinds as pybind11 writes them: whether a value is of one, and what it is called.
_KINDS: Final[dict[str, tuple[Callable[[object], bool], str]]] = {
    "object": (lambda _: True, "anything"),
    "typing.Any": (lambda _: True, "anything"),
    "None": (lambda value: value is None, "None"),
    "bool": (lambda value: isinstance(value, bool), "True or False"),
    "str": (lambda value: isinstance(value, str), "a text"),
    "bytes": (lambda value: isinstance(value, bytes), "bytes"),
    "collections.abc.Callable": (callable, "a function"),
    "float": (_number, "a number"),
    "typing.SupportsFloat": (_number, "a number"),
    "int": (_whole, "a whole number"),
    "typing.SupportsInt": (_whole, "a whole number"),
    "typing.SupportsIndex": (_whole, "a whole number"),
    "typing.Annotated[numpy.typing.ArrayLike, numpy.float64]": (
        lambda v: np.asarray(v).dtype.kind in "biuf",
        "numbers",
    ),
    "os.PathLike": (lambda value: hasattr(value, "__fspath__"), "a path"),
}
_LIST: Final = re.compile(r"(?:collections\.abc\.Sequence|list)(?:\[(.*)\])?")
_OF_LENGTH: Final = re.compile(r"typing\.Annotated\[(.*), \"FixedSize\((\d+)\)\"\]")


def _class_of(kind: str) -> type | None:
    from pucker import _core  # noqa: PLC0415 - which imports this module

    found: object = _core
    for name in kind.removeprefix("pucker._core.").split("."):
        found = getattr(found, name, None)
    return found if isinstance(found, type) else None


def _fits(value: object, kind: str) -> bool:
    return any(_fits_one(value, each) for each in _split(kind, "|"))


def _fits_one(value: object, kind: str) -> bool:
    if kind in _KINDS:
        return _KINDS[kind][0](value)
    counted = _OF_LENGTH.fullmatch(kind)
    if counted:
        return _fits(value, counted[1]) and len(value) == int(counted[2])  # type: ignore[arg-type]
    items = _LIST.fullmatch(kind)
    if items:
        if not isinstance(value, Sequence) or isinstance(value, str | bytes):
            return False
        return items[1] is None or all(_fits(item, items[1]) for item in value)
    own = _class_of(kind)
    return own is None or isinstance(value, own)


def _described(kind: str, *, in_full: bool = False) -> str:
    names = dict.fromkeys(_described_one(each, in_full=in_full) for each in _split(kind, "|"))
    # Whatever converts to a number is called one, be it whole or not.
    if "a number" in names:
        names.pop("a whole number", None)
    return " or ".join(names)


def _described_one(kind: str, *, in_full: bool) -> str:
    if kind in _KINDS:
        return _KINDS[kind][1]
    counted = _OF_LENGTH.fullmatch(kind)
    if counted:
        return f"{_described(counted[1])}, {counted[2]} in all"
    items = _LIST.fullmatch(kind)
    if items:
        return "a list" if items[1] is None else f"a list, each {_described(items[1])}"
    own = _class_of(kind) if in_full else None
    name = kind_of(own) if own else kind.rpartition(".")[2]
    return f"{'an' if name[:1] in 'AEIOU' else 'a'} {name}"


def _shown(value: object, *, in_full: bool = False) -> str:
    if value is None or isinstance(value, bool):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    text = " ".join(repr(value).split())
    return f"{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'} ({kind_of(type(value)) if in_full else type(value).__name__})"
