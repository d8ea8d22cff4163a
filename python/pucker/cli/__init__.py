"""The command line; each module beside `common` and `film` is a command.

Whatever draws or computes is imported by the command that needs it, so that ``pucker --help`` answers at once.
"""

import os
import warnings
from typing import Any

import click

from pucker import _at_once
from pucker.cli import bake, compare, demo, export, info, page, params, render, study, sweep, train, view
from pucker.cli.errors import Group, printable


def _print_versions(ctx: click.Context, _: click.Parameter, asked: Any) -> None:
    if not asked or ctx.resilient_parsing:
        return
    import platform

    import numpy as np

    import pucker

    inside = ", ".join(f"{name} {version}" for name, version in pucker.libraries().items())
    click.echo(f"pucker {pucker.__version__} with {inside}; Python {platform.python_version()}, NumPy {np.__version__}")
    ctx.exit()


def _warning(message: Warning | str, *_: object) -> str:
    """A warning as a command tells it: one sentence, as an error."""
    return f"pucker: {printable(' '.join(str(message).split()))}\n"


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_versions,
    help="Show the versions of the program and of what is inside.",
)
def cli() -> None:
    """Wrinkles for coarse animated cloth meshes."""


for _module in (bake, compare, demo, export, info, page, params, render, study, sweep, train, view):
    cli.add_command(_module.command)


def main() -> None:
    """Entry point of the program ``pucker``."""
    _at_once.ready()
    warnings.formatwarning = _warning  # type: ignore[assignment]
    # A program, unlike the library, has what it runs on to itself: one thread a core unless the user says otherwise.
    os.environ.setdefault("PUCKER_THREADS", "0")
    cli(prog_name="pucker")
