"""The command line; each module beside `common` and `film` is a command.

Whatever draws or computes is imported by the command that needs it, so that ``pucker --help`` answers at once.
"""

import click

from pucker.cli import bake, compare, demo, export, info, render, sweep, train, view
from pucker.cli.common import Group


@click.group(cls=Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="pucker")
def cli() -> None:
    """Wrinkles for coarse animated cloth meshes."""


for _module in (bake, compare, demo, export, info, render, sweep, train, view):
    cli.add_command(_module.command)


def main() -> None:
    """Entry point of the program ``pucker``."""
    cli(prog_name="pucker")
