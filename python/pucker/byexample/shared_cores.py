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


class _Pools:
    """Those that share the cores now, and what the first of them found."""

    lock = Lock()
    count = 0
    calls = 1
    products = 1


@contextmanager
def sharing_cores() -> Iterator[Callable[[int], None]]:
    """Has calls use what cores a pool leaves them: what this gives takes the number of its threads that are at work.

    Each of the core's calls then uses as many threads as `pucker.threads` says, divided by that number. NumPy's matrix products and
    solvers use one: OpenBLAS' threads wait for each other by spinning, which takes as long as the products. So sums do not depend on the
    number of cores; another BLAS than OpenBLAS keeps its threads. Both are of the whole process; the last of several pools gives
    back what the first has found.
    """
    get, put = _of_openblas()
    with _Pools.lock:
        if not _Pools.count:
            _Pools.calls, _Pools.products = pucker.threads(), get()
            put(1)
        _Pools.count += 1

    def share(workers: int) -> None:
        pucker.threads(max(1, _Pools.calls // max(1, workers)))

    try:
        yield share
    finally:
        with _Pools.lock:
            _Pools.count -= 1
            if not _Pools.count:
                pucker.threads(_Pools.calls)
                put(_Pools.products)


@cache
def _of_openblas() -> tuple[Callable[[], int], Callable[[int], None]]:
    """What gets and sets the number of threads; nothing does that of another BLAS."""
    # Whatever NumPy's own module is linked with is looked through too.
    library = ctypes.CDLL(np.linalg._umath_linalg.__file__)
    for name in _NAMES:
        get, put = (getattr(library, name.format(what), None) for what in ("get", "set"))
        if get is not None and put is not None:
            put.argtypes, put.restype = [ctypes.c_int], None
            return get, put
    return lambda: 1, lambda _count: None
