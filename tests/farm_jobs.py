"""Workers in tests, and jobs for them where worker processes can import them."""

import os
import signal
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def cluster(workers: int = 2, *, processes: bool = True) -> Iterator[str]:
    """The address of a dask scheduler with workers of one thread."""
    from distributed import LocalCluster  # noqa: PLC0415 - slow to import

    with LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address="127.0.0.1:0",
        silence_logs="CRITICAL",
    ) as made:
        yield made.scheduler_address


def square(number: int, of: list[int]) -> int:
    """The square of one of the numbers."""
    return of[number] ** 2


def root(number: float) -> float:
    """The square root of a number that has one."""
    if number < 0.0:
        raise ArithmeticError(f"{number} has no root")
    return float(number**0.5)


def deadly(number: int) -> int:
    """The number, but 0 kills the process."""
    if number == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
    return number


def torn(frames: int) -> float:
    """The number of frames, with a warning."""
    warnings.warn(f"cloth of {frames} frames is torn", stacklevel=1)
    return float(frames)
