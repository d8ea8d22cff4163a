"""The program that measures what must not be seen through Python."""

import json
import subprocess
from pathlib import Path
from typing import Any, Final

from . import scenes

PROGRAM: Final = Path(__file__).resolve().parents[1] / "build" / "python" / "cpp" / "bench" / "pucker_bench"


def run(measurement: str) -> Any:
    """The samples of `measurement`, as pucker_bench prints them."""
    command = [str(PROGRAM), measurement, str(scenes.DATA)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
