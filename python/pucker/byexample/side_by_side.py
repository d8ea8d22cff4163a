"""The same work on many things by all cores, in threads: the core and NumPy let go of Python's lock."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import TypeVar

from .shared_cores import sharing_cores

Tool = TypeVar("Tool")
Item = TypeVar("Item")
Found = TypeVar("Found")


def side_by_side(make: Callable[[], Tool], work: Callable[[Tool, Item], Found], items: Sequence[Item]) -> list[Found]:
    """What `work` finds of each item, in their order; every thread has a tool of its own, which `make` gives it.

    Meanwhile calls have what cores are left; see `sharing_cores`.
    """
    own = threading.local()
    workers = max(1, min(os.cpu_count() or 1, len(items)))

    def done(item: Item) -> Found:
        if not hasattr(own, "tool"):
            own.tool = make()
        return work(own.tool, item)

    with sharing_cores() as share, ThreadPoolExecutor(workers) as pool:
        share(workers)
        return list(pool.map(done, items))


def by_workers(
    work: Callable[[int], Found], lengths: Sequence[int], workers: int, stop: Callable[[], None] = lambda: None
) -> list[Found]:
    """What `work` finds of the numbers of things that take so long, in their order, by so many threads.

    The longest begin first, and cores that none of them needs any more go to the others. When one fails, or this is interrupted, those
    that wait do not begin; `stop` tells those that have begun, which are waited for.
    """
    left = len(lengths)
    counting = threading.Lock()
    with sharing_cores() as share:

        def done(k: int) -> Found:
            nonlocal left
            try:
                return work(k)
            finally:
                with counting:
                    left -= 1
                    share(min(left, workers))

        share(min(left, workers))
        pool = ThreadPoolExecutor(workers)
        try:
            begun = {k: pool.submit(done, k) for k in longest_first(lengths)}
            waiting = [begun[k] for k in range(len(lengths))]
            wait(waiting, return_when=FIRST_EXCEPTION)
            for each in waiting:
                if each.done():
                    each.result()
            return [each.result() for each in waiting]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            stop()
            pool.shutdown()


def longest_first(lengths: Sequence[int]) -> list[int]:
    """The numbers of things that take so long, in the order to begin them in, so that no long one is left alone in the end."""
    return sorted(range(len(lengths)), key=lambda k: -lengths[k])
