"""``pucker params``: what can be changed of a method."""

import json
import shutil
import textwrap
from typing import Any, Final

import click

from pucker.cli.choices import DEFAULT_METHOD
from pucker.cli.common import Command, json_option
from pucker.cli.errors import printable

# Lines are no wider than this where the terminal is.
_WIDEST: Final = 120


@click.command("params", cls=Command, epilog="Example: pucker params drape")
@click.argument("method", default=DEFAULT_METHOD)
@click.option("--all", "every", is_flag=True, help="Every parameter, not only those that most users change.")
@json_option
def command(*, method: str, every: bool, as_json: bool) -> None:
    """List the parameters of METHOD, which --set of the other commands takes: name, default, meaning, range.

    METHOD is drape, byexample, dynamic, waves, or a module that brings a method.
    """
    from pucker.method import method_named

    fields = method_named(method).params.fields()
    shown = [field for field in fields if every or field.common]
    if as_json:
        click.echo(json.dumps([_record(field) for field in shown], indent=2))
        return
    width = min(shutil.get_terminal_size().columns, _WIDEST)
    names = [f"{field.name} = {_value(field.default)}" for field in shown]
    column = 2 + max(map(len, names))
    for field, name in zip(shown, names, strict=True):
        told = printable(f"{field.doc}; {told}" if (told := _values(field)) else field.doc)
        click.echo(
            textwrap.fill(
                told, max(width, column + 24), initial_indent=f"{name:{column}}", subsequent_indent=" " * column
            )
        )
    if len(shown) < len(fields):
        click.echo(f"\n{len(fields) - len(shown)} more: pucker params {method} --all")


def _value(default: Any) -> str:
    """A default as `--set` takes it."""
    value = getattr(default, "name", default)
    if value is None or value == "":
        return "(none)"
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)


def _values(field: Any) -> str:
    """Which values there may be; empty for a switch and a text."""
    if field.choices:
        return f"one of {', '.join(field.choices)}"
    from pucker.data_params import interval

    return "" if field.low is None else f"in {interval(field)}"


def _record(field: Any) -> dict[str, Any]:
    """A parameter as JSON has it; an end that is infinite is null."""
    ends = {
        name: end if end is not None and abs(end) < float("inf") else None
        for name, end in (("low", field.low), ("high", field.high))
    }
    return {
        "name": field.name,
        "default": getattr(field.default, "name", field.default),
        "doc": field.doc,
        **ends,
        "choices": list(field.choices),
        "common": field.common,
    }
