"""The rows of a sweep's points."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from pucker import farm
from pucker._core import Clip

from .grid import Point
from .store import Row


@runtime_checkable
class Measured(Protocol):
    """What a measure may return: `pucker.metrics.Measures`, or anything with these."""

    @property
    def summary(self) -> Mapping[str, float]:
        """The measures by name."""

    @property
    def seconds(self) -> Mapping[str, float]:
        """Mean seconds a frame by stage."""


Measure = Callable[[Clip, Any], Measured | Mapping[str, float]]


def run_point(point: Point, clip: Clip, measure: Measure) -> Row:
    """The row of a point: its columns, the error or None, the measures and ``seconds.STAGE``."""
    row: Row = {**point.columns(), "error": None}
    try:
        return row | _measures(measure(clip, point.params), row)
    except Exception as error:  # noqa: BLE001 - whatever a measure raises is recorded with its point
        return row | {"error": farm.describe(error)}


def _measures(result: Measured | Mapping[str, float], row: Row) -> dict[str, float]:
    summary, seconds = (result.summary, result.seconds) if isinstance(result, Measured) else (result, {})
    measures = {**summary, **{f"seconds.{stage}": time for stage, time in seconds.items()}}
    taken = sorted(measures.keys() & row.keys())
    if taken:
        raise ValueError(f"a measure cannot be called {taken[0]!r}: that is a column of every row")
    return {name: float(value) for name, value in measures.items()}


@contextmanager
def rows_of(
    points: Iterator[Point],
    clips: Mapping[str, Clip],
    measure: Measure,
    *,
    workers: int | None,
    scheduler: str | None,
) -> Iterator[Iterator[Row]]:
    """The rows of the points as they are finished, in any order; see `pucker.farm.finished`.

    A point that kills four workers has that error in its row. Raises ValueError if the workers cannot load the measure.
    """
    if workers == 1 and scheduler is None:
        yield (run_point(point, clips[point.clip], measure) for point in points)
        return
    with farm.client_of(workers, scheduler) as client:
        farm.check_loaded(client, "measure", measure)
        yield _on_workers(client, points, clips, measure)


def _on_workers(client: Any, points: Iterator[Point], clips: Mapping[str, Clip], measure: Measure) -> Iterator[Row]:
    jobs = (
        farm.Job(point.id, run_point, (point, farm.Shared(point.clip, clips[point.clip]), measure)) for point in points
    )
    for done in farm.on_workers(client, jobs):
        point: Point = done.job.arguments[0]
        yield done.result if done.error is None else {**point.columns(), "error": farm.describe(done.error)}
