"""What a file may take, however much it claims."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from pucker._core import Error

MEMORY_VARIABLE: Final = "PUCKER_MAX_MEMORY"
FRAMES_VARIABLE: Final = "PUCKER_MAX_FRAMES"
SECONDS_VARIABLE: Final = "PUCKER_MAX_SECONDS"
PIXELS_VARIABLE: Final = "PUCKER_MAX_PIXELS"


@dataclass(frozen=True)
class Limits:
    """Limits on what reading a file takes; they are checked before memory is taken.

    Attributes:
        memory: Bytes, about: of a file that is read at once, of what is unpacked from an archive with what is made of it,
            and of all positions of a clip with the copies made on the way; and of a character's pictures together. In a child
            process, of all it takes.
        frames: Of a clip, stored and sampled.
        seconds: That a child process may take for an answer; within the calling process nothing can be stopped.
        pixels: Of a picture.
    """

    memory: int = 2 << 30
    frames: int = 100_000
    seconds: float = 30.0
    pixels: int = 1 << 26

    def __post_init__(self) -> None:
        for name in ("memory", "frames", "seconds", "pixels"):
            if not getattr(self, name) > 0:
                raise ValueError(f"the limit of {name} must be > 0, got {getattr(self, name)}")

    @classmethod
    def from_environment(cls) -> "Limits":
        """The limits that PUCKER_MAX_MEMORY (bytes), _FRAMES, _SECONDS and _PIXELS set, the usual ones where they do not.

        Raises:
            ValueError: For a variable that is no positive number.
        """
        usual = cls()
        return cls(
            memory=_from_environment(MEMORY_VARIABLE, int, usual.memory),
            frames=_from_environment(FRAMES_VARIABLE, int, usual.frames),
            seconds=_from_environment(SECONDS_VARIABLE, float, usual.seconds),
            pixels=_from_environment(PIXELS_VARIABLE, int, usual.pixels),
        )

    @property
    def told(self) -> str:
        """What the limit of memory is, and what lifts it."""
        return f"the limit of memory is {self.memory} bytes, which {MEMORY_VARIABLE}=BYTES lifts"

    def check_size(self, path: Path) -> None:
        """Raises pucker.Error unless a file is there and no larger than what reading it may take."""
        if not path.exists():
            raise Error(f"{path}: no such file or folder")
        if path.stat().st_size > self.memory:
            raise Error(f"{path}: has {path.stat().st_size} bytes; {self.told}")


def _from_environment(variable: str, kind: Callable[[str], Any], usual: Any) -> Any:
    text = os.environ.get(variable)
    if text is None:
        return usual
    try:
        return kind(text)
    except ValueError as error:
        raise ValueError(f"{variable} must be a number, got {text!r}") from error
