"""Files that are read in a child process, so that whatever a damaged file does to a reader stays there.

Parent and child talk over pipes: an eight-byte length, then a pickle. The parent takes nothing from the child but
numbers, text and bytes, so that even a child that runs foreign code can hand over no more than a wrong clip.
"""

import contextlib
import io
import json
import os
import pickle
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Error, FileInfo
from pucker.io.limits import Limits

LENGTH: Final = struct.Struct("<q")
_CHUNK: Final = 1 << 20
# The limit of seconds is one of computing, which the system ends the child by; on a busy machine these take longer, and a
# child that only waits must be ended too.
_PATIENCE: Final = 10.0
_RAISED: Final = {"Error": Error, "ValueError": ValueError}


class IsolatedSource:
    """An open file in a child process; loads, inspects and selects as `pucker._core.sources.Source` does.

    A child that crashes, takes too long or too much memory is ended, with an Error that says so; the next question starts
    another. The child ends with this object.

    Attributes:
        notes: Sentences that tell what was read otherwise than the file says.

    Args:
        path: The file.
        motion: See `pucker.load`.
        anywhere: See `pucker.load`.
        limits: Those of the child.

    Raises:
        pucker.Error: If the file cannot be opened.
    """

    def __init__(
        self, path: Path, *, motion: Path | None = None, anywhere: bool = False, limits: Limits | None = None
    ) -> None:
        self.path = path
        self.notes: tuple[str, ...] = ()
        self._limits = limits or Limits.from_environment()
        self._file = (str(path), None if motion is None else str(motion), anywhere)
        self._lock = threading.Lock()
        self._child: _Child | None = None
        self._ask("open")

    def load(
        self,
        *,
        clip: str | None = None,
        parts: Sequence[str] | None = None,
        fps: float = 30.0,
        loops: int = 1,
        smooth: int = 0,
        beginning: int | None = None,
    ) -> Clip:
        """One clip of the file; see `pucker.load`.

        With `beginning`, at least 1, so many of its first frames: the bits of `Clip.beginning`, without the memory of the others.
        """
        names = None if parts is None else list(parts)
        made: Clip = Clip.__new__(Clip)
        options = {"clip": clip, "parts": names, "fps": fps, "loops": loops, "smooth": smooth, "beginning": beginning}
        made.__setstate__(self._ask("load", options))
        return made

    def inspect(self) -> FileInfo:
        """What the file holds; see `pucker.inspect`."""
        info: FileInfo = FileInfo.__new__(FileInfo)
        info.__setstate__(self._ask("inspect"))
        return info

    def is_baked(self) -> bool:
        """Whether `pucker.bake` wrote it, so that its cloth has wrinkles already."""
        return bool(self._ask("is_baked"))

    def select(self, parts: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which triangles `parts` means, (m,), in the order of `Clip.faces` of the whole character."""
        return np.frombuffer(self._ask("select", list(parts)), np.bool_)

    def part_numbers(self, kind: str) -> npt.NDArray[np.int32]:
        """Which part of a kind, 'materials', 'nodes', 'meshes' or 'joints', each triangle is of, (m,), -1 for none."""
        return np.frombuffer(self._ask("part_numbers", kind), np.int32)

    def close(self) -> None:
        """Ends the child; the object may still be asked, which starts another."""
        if self._child is not None:
            self._child.end()
            self._child = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _ask(self, question: str, argument: Any = None) -> Any:
        with self._lock:
            deadline = time.monotonic() + _PATIENCE * self._limits.seconds
            try:
                if self._child is None:
                    self._child = _Child(self._limits)
                    weakref.finalize(self, self._child.end)
                    self.notes = tuple(self._answer("open", self._file, deadline))
                return None if question == "open" else self._answer(question, argument, deadline)
            except _EndedError as error:
                self.close()
                raise Error(f"{self.path}: {error}") from None

    def _answer(self, question: str, argument: Any, deadline: float) -> Any:
        assert self._child is not None
        kind, answer = self._child.answer((question, argument), deadline)
        if kind == "ok":
            return answer
        if question == "open":
            self.close()
        raise _RAISED.get(kind, Error)(str(answer))


class _EndedError(Exception):
    """The child is no more, or must be ended; the text says why."""


class _Child:
    """The process that reads, with those that it starts; what they leave in its temporary folder goes with them."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        # The child finds the package where this process did, which may be no place of its own, as for extensions of Blender.
        places = [os.environ.get("PYTHONPATH", ""), str(Path(__file__).resolve().parents[2])]
        path = os.pathsep.join(filter(None, places))
        # Its libraries would start threads of their own, each with memory that counts.
        single = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "PXR_WORK_THREAD_LIMIT"), "1")
        # A child that is killed cannot clean up after itself. Some of what is left may be gone meanwhile.
        self._folder = tempfile.TemporaryDirectory(prefix="pucker-", ignore_cleanup_errors=True)
        self._process = subprocess.Popen(
            [sys.executable, "-m", "pucker.io.reader", json.dumps(asdict(limits))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, **single, "PYTHONPATH": path, "TMPDIR": self._folder.name},
            start_new_session=True,
        )

    def answer(self, question: Any, deadline: float) -> tuple[str, Any]:
        """What the child says; raises _EndedError."""
        assert self._process.stdin is not None
        text = pickle.dumps(question)
        with contextlib.suppress(BrokenPipeError):  # reading tells why
            self._process.stdin.write(LENGTH.pack(len(text)) + text)
            self._process.stdin.flush()
        (length,) = LENGTH.unpack(self._read(LENGTH.size, deadline))
        if not 0 <= length <= self._limits.memory:
            raise _EndedError(f"what is read from it takes {length} bytes; {self._limits.told}")
        return _loads(self._read(length, deadline))

    def _read(self, length: int, deadline: float) -> bytearray:
        assert self._process.stdout is not None
        found = bytearray()
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while len(found) < length:
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise _EndedError(self._too_long())
                chunk = os.read(self._process.stdout.fileno(), min(_CHUNK, length - len(found)))
                if not chunk:
                    raise _EndedError(self._end())
                found += chunk
        return found

    def _end(self) -> str:
        """Why the child ended."""
        status = self._process.wait()
        if -status in (signal.SIGXCPU, signal.SIGKILL):
            return self._too_long()
        cause = signal.Signals(-status).name if status < 0 else f"status {status}"
        return f"is damaged, or takes more memory than it may: its reader ended with {cause}; {self._limits.told}"

    def _too_long(self) -> str:
        return f"takes longer to read than the limit of {self._limits.seconds:g} s"

    def end(self) -> None:
        """Ends the process and those that it has started, whatever they do."""
        self._process.kill()
        # What it has started is of its group; there is none any more where all have ended.
        with contextlib.suppress(AttributeError, OSError):
            os.killpg(self._process.pid, signal.SIGKILL)
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        self._process.wait()
        self._folder.cleanup()


class _Plain(pickle.Unpickler):
    """Numbers, text, bytes, and lists of them."""

    def find_class(self, module: str, name: str) -> Any:
        raise _EndedError(f"its reader answers with {module}.{name}")


def _loads(text: bytearray) -> tuple[str, Any]:
    try:
        kind, answer = _Plain(io.BytesIO(text)).load()
    except (pickle.UnpicklingError, EOFError, ValueError, TypeError, AttributeError, IndexError) as error:
        raise _EndedError(f"its reader's answer makes no sense: {error}") from error
    return str(kind), answer
