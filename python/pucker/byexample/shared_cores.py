"""How many cores a call may use while several threads of a pool make calls."""

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Final

import numpy as np

import pucker

# As OpenBLAS names what gets and sets its number of threads in NumPy's wheels, and in builds of its own.
_NAMES: Final = ("scipy_openblas_{}_num_threads64_", "openblas_{}_num_threads64_", "openblas_{}_num_threads")


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


_CALLS: Final = _Threads(pucker.threads, pucker.threads)


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
    depend on the number of cores. Another BLAS than OpenBLAS keeps its threads.
    """
    products = products_by_openblas()
    with products.lowered():
        products.put(1)
        yield


@cache
def products_by_openblas() -> _Threads:
    """Of matrix products; of another BLAS than OpenBLAS they stay 1."""
    # Whatever NumPy's own module is linked with is looked through too.
    library = ctypes.CDLL(np.linalg._umath_linalg.__file__)
    for name in _NAMES:
        get, put = (getattr(library, name.format(what), None) for what in ("get", "set"))
        if get is not None and put is not None:
            put.argtypes, put.restype = [ctypes.c_int], None
            return _Threads(get, put)
    return _Threads(lambda: 1, lambda _count: None)
