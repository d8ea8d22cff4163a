"""How many cores a call may use while several threads of a pool make calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Final

from threadpoolctl import ThreadpoolController

import pucker


class _Threads:
    """A number of threads of the process, which comes back when the last of those that lowered it has ended."""

    def __init__(self, get: Callable[[], int], put: Callable[[int], object]) -> None:
        self.get: Final = get
        self.put: Final = put
        self._lock = Lock()
        self._users = 0
        self._before = 1

    @contextmanager
    def lowered(self) -> Iterator[int]:
        """Gives what it is but for those who lowered it."""
        with self._lock:
            if not self._users:
                self._before = self.get()
            self._users += 1
        try:
            yield self._before
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self.put(self._before)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


def _of_products() -> int:
    return max((each["num_threads"] for each in _blas().info()), default=1)


_CALLS: Final = _Threads(pucker.threads, pucker.threads)
PRODUCTS: Final = _Threads(_of_products, lambda count: _blas().limit(limits=count))
"""Of a matrix product of NumPy."""


@contextmanager
def sharing_cores() -> Iterator[Callable[[int], None]]:
    """Has calls use what cores a pool leaves them: what this gives takes the number of its threads that are at work.

    Each of the core's calls then uses as many threads as `pucker.threads` says, divided by that number, in the whole process; and
    `one_thread_a_product` holds.
    """
    with one_thread_a_product(), _CALLS.lowered() as threads:

        def share(workers: int) -> None:
            _CALLS.put(max(1, threads // max(1, workers)))

        yield share


@contextmanager
def one_thread_a_product() -> Iterator[None]:
    """Has NumPy's matrix products and solvers take one thread a call, in the whole process.

    OpenBLAS' threads wait for each other by spinning, which beside other threads takes as long as the products. With one, sums do not
    depend on the number of cores.
    """
    with PRODUCTS.lowered():
        PRODUCTS.put(1)
        yield
