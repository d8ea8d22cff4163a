"""``pucker view``."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import NoReturn

import click

from pucker.cli.common import fail


def viewer_program() -> str | None:
    """The native viewer: beside the compiled core, else wherever programs are looked for."""
    from pucker import _core

    beside = Path(_core.__file__).parent / "bin" / "pucker-view"
    return str(beside) if beside.is_file() else shutil.which("pucker-view")


@click.command("view", context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[FILE] [OPTIONS]")
def command(arguments: tuple[str, ...]) -> NoReturn:
    """Open FILE in the native viewer; `pucker view --help` lists its options."""
    program = viewer_program()
    if program is None:
        fail("pucker-view is not installed: ./run view builds it, as does CMake with -DPUCKER_VIEWER=ON")
    sys.exit(subprocess.run([program, *arguments], check=False).returncode)
