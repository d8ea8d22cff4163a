"""Work on each clip of a garment, on the workers of a dask scheduler."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pucker import farm

from .side_by_side import longest_first

Found = TypeVar("Found")


def on_scheduler(
    call: Callable[..., Found],
    arguments: Sequence[tuple[Any, ...]],
    lengths: Sequence[int],
    scheduler: str,
    progress: Callable[[int, int], None],
) -> list[Found]:
    """What the call returns for each clip, in their order. The longest begin first, so that none is left alone in the end.

    Args:
        call: A function of a module.
        arguments: Of the call, for each clip.
        lengths: Frames of each clip.
        scheduler: Address of a dask scheduler.
        progress: Called with the number of frames done and that of all when a clip is done.

    Raises:
        ConnectionError: As `pucker.farm.finished`.
        pucker.Error: If a clip kills its workers.
        Exception: What the call raises of any clip; the others are not waited for.
    """
    jobs = (farm.Job(f"{k}", _with_warnings, (call, arguments[k])) for k in longest_first(lengths))
    found: dict[int, Found] = {}
    with farm.finished(jobs, scheduler=scheduler) as results:
        for done in results:
            clip = int(done.job.name)
            found[clip], told = done.result
            for each in told:
                warnings.warn(each, stacklevel=3)
            progress(sum(lengths[k] for k in found), sum(lengths))
    return [found[k] for k in range(len(arguments))]


def _with_warnings(call: Callable[..., Found], arguments: tuple[Any, ...]) -> tuple[Found, list[str]]:
    """What a call returns, and its warnings, which would stay on the worker."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(*arguments)
    return found, [str(each.message) for each in caught]
