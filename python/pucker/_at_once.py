"""The program ``pucker`` while its packages are imported, which takes half a second: Ctrl-C ends it quietly there too."""

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Final

INTERRUPTED: Final = "interrupted; what was not complete is not there"
STATUS: Final = 130
_PROGRAM: Final = "pucker"


def _end(*_: object) -> None:
    # A KeyboardInterrupt within an import ends as whatever that makes of it: an ImportError of NumPy's, say.
    os.write(2, f"{_PROGRAM}: {INTERRUPTED}\n".encode())
    os._exit(STATUS)


def ready() -> None:
    """From here on the commands tell what was interrupted."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _is_program() -> bool:
    """Whether this process is the program, and neither another one nor a worker, and does not ignore Ctrl-C."""
    # A worker that was started anew has the arguments of the program, and this module loaded before all else.
    processes = sys.modules.get("multiprocessing.process")
    return (
        (processes is None or processes.parent_process() is None)
        and Path(sys.argv[0] if sys.argv else "").stem == _PROGRAM
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )


if _is_program():
    signal.signal(signal.SIGINT, _end)
