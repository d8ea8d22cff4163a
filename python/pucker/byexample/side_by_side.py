"""The same work on many things by all cores, in threads: the core and NumPy let go of Python's lock."""

import os
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Tool = TypeVar("Tool")
Item = TypeVar("Item")
Found = TypeVar("Found")


def side_by_side(make: Callable[[], Tool], work: Callable[[Tool, Item], Found], items: Sequence[Item]) -> list[Found]:
    """What `work` finds of each item, in their order; every thread has a tool of its own, which `make` gives it."""
    own = threading.local()

    def done(item: Item) -> Found:
        if not hasattr(own, "tool"):
            own.tool = make()
        return work(own.tool, item)

    with ThreadPoolExecutor(max(1, min(os.cpu_count() or 1, len(items)))) as pool:
        return list(pool.map(done, items))


def longest_first(lengths: Sequence[int]) -> list[int]:
    """The numbers of things that take so long, in the order to begin them in, so that no long one is left alone in the end."""
    return sorted(range(len(lengths)), key=lambda k: -lengths[k])
