"""The child process of `pucker.io.isolated`: opens a file and answers questions about it until its input ends."""

import contextlib
import importlib
import json
import math
import os
import pickle
import sys
from pathlib import Path
from typing import Any, BinaryIO

from pucker._core import Error
from pucker.io import generator, opening
from pucker.io.isolated import LENGTH
from pucker.io.limits import Limits


def _resource() -> Any:
    """The module that sets limits; None on a system without it."""
    try:
        return importlib.import_module("resource")
    except ModuleNotFoundError:
        return None


def _limit_memory(limits: Limits) -> None:
    """Lets the system refuse memory beyond the limit; what the interpreter itself holds is not counted."""
    resource = _resource()
    if resource is None:
        return
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    held = 0
    with contextlib.suppress(OSError):
        status = Path("/proc/self/status").read_text()
        held = 1024 * next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmData"))
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (held + limits.memory,) * 2)


def _limit_time(limits: Limits) -> None:
    """Lets the system end this process if the next answer takes more seconds of computing than the limit."""
    resource = _resource()
    if resource is None:
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    soft = math.ceil(used.ru_utime + used.ru_stime + limits.seconds)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (soft, resource.getrlimit(resource.RLIMIT_CPU)[1]))


def _asked(stream: BinaryIO) -> Any:
    """The next question; None at the end."""
    start = stream.read(LENGTH.size)
    return pickle.loads(stream.read(LENGTH.unpack(start)[0])) if len(start) == LENGTH.size else None


class _Reader:
    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._source: Any = None
        self._path = ""

    def answer(self, question: str, argument: Any) -> tuple[str, Any]:
        try:
            return "ok", getattr(self, question)(argument)
        except Error as error:
            return "Error", str(error)
        except MemoryError:
            return "Error", f"{self._path}: takes more memory than it may; {self._limits.told}"
        except ValueError as error:
            return "ValueError", str(error)

    def open(self, file: tuple[str, str | None, bool]) -> list[str]:
        self._path, other, anywhere = file
        motion = None if other is None else Path(other)
        self._source, notes = opening.opened(Path(self._path), motion, anywhere=anywhere, limits=self._limits)
        return notes

    def load(self, options: dict[str, Any]) -> Any:
        return self._source.load(**options, memory=self._limits.memory, frames=self._limits.frames).__getstate__()

    def inspect(self, _argument: None) -> Any:
        return self._source.inspect().__getstate__()

    def is_baked(self, _argument: None) -> bool:
        return generator.baked(Path(self._path), self._limits)

    def part_numbers(self, kind: str) -> bytes:
        numbers: bytes = self._source.part_numbers(kind).tobytes()
        return numbers

    def select(self, parts: list[str]) -> bytes:
        chosen: bytes = self._source.select(parts).tobytes()
        return chosen


def main() -> None:
    """Answers until there are no more questions."""
    # Libraries print where they like; only answers may get to the parent.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    limits = Limits(**json.loads(sys.argv[1]))
    _limit_memory(limits)
    reader = _Reader(limits)
    while (asked := _asked(sys.stdin.buffer)) is not None:
        _limit_time(limits)
        text = pickle.dumps(reader.answer(*asked), protocol=pickle.HIGHEST_PROTOCOL)
        answers.write(LENGTH.pack(len(text)))
        answers.write(text)
        answers.flush()


if __name__ == "__main__":
    main()
