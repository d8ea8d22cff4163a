"""Blender as a process of its own, for what it alone can do: its module, or the program that this runs in."""

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pucker._core import Error

VERSION: Final = "5.0.1"
# Its own requirements would bring an older NumPy back, which nothing that runs in it uses.
INSTALL: Final = f"Blender's module for Python 3.11: pip install --no-deps bpy=={VERSION}"


def require(what: str) -> None:
    """Raises pucker.Error, which says how it is installed, if there is no Blender to do `what`."""
    if find_spec("bpy") is None:
        raise Error(f"{what} needs bpy, {INSTALL}")


def command(script: Path, folder: Path) -> list[str]:
    """What runs a script with a folder for its argument."""
    running = sys.modules.get("bpy")
    program = running.app.binary_path if running else ""
    if not program:
        return [sys.executable, str(script), str(folder)]
    options = ["--background", "--factory-startup", "--python-exit-code", "1"]
    return [program, *options, "--python", str(script), "--", str(folder)]


def environment(folder: Path) -> dict[str, str]:
    """That of such a process: `folder` has the user's files.

    A Blender that starts with the factory's settings takes the wheels of all extensions that it does not know out of the
    user's own folder; where this is one of them, that would be the program that runs.
    """
    places = ("RESOURCES", "CONFIG", "SCRIPTS", "EXTENSIONS", "DATAFILES")
    return {**os.environ, **{f"BLENDER_USER_{place}": str(folder / "user" / place.lower()) for place in places}}


def run(script: Path, folder: Path, what: str) -> None:
    """Runs a script to its end. Raises pucker.Error with the last that it said if it fails."""
    done = subprocess.run(
        command(script, folder),
        env=environment(folder),
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise Error(f"{what}: Blender ended with status {done.returncode}: {last_line(done.stderr)}")


def last_line(said: str) -> str:
    """The last line that says something."""
    return next((line.strip() for line in reversed(said.splitlines()) if line.strip()), "without a word")
