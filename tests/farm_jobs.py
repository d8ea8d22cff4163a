"""Jobs for workers in tests, where worker processes can import them."""

import os
import signal
import time


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
