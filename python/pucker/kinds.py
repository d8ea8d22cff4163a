"""What types are called in messages, and what is mistaken for another."""

import os
from typing import Any


def kind_of(kind: type) -> str:
    """The name by which a program knows a type: `pucker.drape.Params`, of the module that shows it, and `dict`."""
    module = kind.__module__.replace("._core._", ".").removesuffix("._core")
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def check_clip(clip: Any) -> None:
    """Raises TypeError for the path of a file in place of the clip it holds."""
    if isinstance(clip, str | os.PathLike):
        raise TypeError(f"a clip must be given, not the path {os.fspath(clip)!r}: pucker.load reads it")
