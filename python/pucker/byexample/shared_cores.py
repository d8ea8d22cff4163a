"""How many cores a call may use while several threads of a pool make calls."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, Final

import pucker

try:
    from threadpoolctl import ThreadpoolController
except ModuleNotFoundError:  # Blender's extension has nothing but pucker's wheel.
    ThreadpoolController = None


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
def _blas() -> Any:
    return None if ThreadpoolController is None else ThreadpoolController().select(user_api="blas")


def _of_products() -> int:
    return 1 if _blas() is None else max((each["num_threads"] for each in _blas().info()), default=1)


def _set_products(count: int) -> None:
    if _blas() is not None:
        _blas().limit(limits=count)


_CALLS: Final = _Threads(pucker.threads, pucker.threads)
PRODUCTS: Final = _Threads(_of_products, _set_products)
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
    depend on the number of cores. In Blender, without threadpoolctl, they keep their threads.
    """
    with PRODUCTS.lowered():
        PRODUCTS.put(1)
        yield
