"""Where the native viewer is."""

import shutil
from pathlib import Path

from pucker import _core


def viewer_program() -> str | None:
    """The native viewer: beside the compiled core, else wherever programs are looked for; None if it is not installed."""
    beside = Path(_core.__file__).parent / "bin" / "pucker-view"
    return str(beside) if beside.is_file() else shutil.which("pucker-view")
