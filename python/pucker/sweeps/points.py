"""The rows of a sweep's points."""

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, runtime_checkable

from pucker import farm

from .grid import Point
from .store import Row, Store


@runtime_checkable
class Measured(Protocol):
    """What a measure may return: `pucker.metrics.Measures`, or anything with these."""

    @property
    def summary(self) -> Mapping[str, float]:
        """The measures by name."""

    @property
    def seconds(self) -> Mapping[str, float]:
        """Mean seconds a frame by stage."""


@runtime_checkable
class Keeping(Protocol):
    """What a measure returns that keeps more than numbers in its row."""

    @property
    def kept(self) -> Mapping[str, bytes]:
        """Columns by name, which are no measures."""


Measure = Callable[[Any, Any], Measured | Mapping[str, float]]
"""Called with a clip, or what stands in its place, and parameters."""


def run_point(point: Point, clip: Any, measure: Measure) -> Row:
    """The row of a point: its columns, the error or None, the measures and ``seconds.STAGE``."""
    row: Row = {**point.columns(), "error": None}
    try:
        return row | _measures(measure(clip, point.params), row)
    except Exception as error:  # noqa: BLE001 - whatever a measure raises is recorded with its point
        return row | {"error": farm.describe(error)}


def _measures(result: Measured | Mapping[str, float], row: Row) -> Row:
    summary, seconds = (result.summary, result.seconds) if isinstance(result, Measured) else (result, {})
    measures = {**summary, **{f"seconds.{stage}": time for stage, time in seconds.items()}}
    taken = sorted(measures.keys() & row.keys())
    if taken:
        raise ValueError(f"a measure cannot be called {taken[0]!r}: that is a column of every row")
    kept = result.kept if isinstance(result, Keeping) else {}
    return {**{name: float(value) for name, value in measures.items()}, **kept}


def run_all(
    points: Sequence[Point],
    clips: Mapping[str, Any],
    measure: Measure,
    store: Store,
    *,
    workers: int | None = 1,
    scheduler: str | None = None,
    retry: bool = False,
    quiet: bool = False,
) -> list[Row]:
    """The rows of all points, in their order, of which those are run that the store does not hold; see `Sweep`.

    `clips` are the first argument of the measure, by the name that points have for it.
    """
    from tqdm import tqdm  # noqa: PLC0415 - only a run that shows its progress needs it

    store.make()
    rows = {point.id: store.read(point.id) for point in points if point.id in store}
    again = {name for name, row in rows.items() if retry and row["error"] is not None}
    todo = [point for point in points if point.id in again or point.id not in rows]
    # Two sweeps into one folder then seldom take up the same point at the same time.
    random.shuffle(todo)
    waiting = (point for point in todo if point.id in again or point.id not in store)
    with (
        rows_of(
            waiting, clips, measure, workers=workers if todo else 1, scheduler=scheduler if todo else None
        ) as results,
        tqdm(total=len(points), initial=len(points) - len(todo), unit="point", disable=quiet) as bar,
    ):
        for row in results:
            store.write(row)
            rows[str(row["id"])] = row
            bar.update()
        others = [point.id for point in points if point.id not in rows]
        rows |= {name: store.read(name) for name in others}
        bar.update(len(others))
    return [rows[point.id] for point in points]


@contextmanager
def rows_of(
    points: Iterator[Point],
    clips: Mapping[str, Any],
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


def _on_workers(client: Any, points: Iterator[Point], clips: Mapping[str, Any], measure: Measure) -> Iterator[Row]:
    jobs = (
        farm.Job(point.id, run_point, (point, farm.Shared(point.clip, clips[point.clip]), measure)) for point in points
    )
    for done in farm.on_workers(client, jobs):
        point: Point = done.job.arguments[0]
        yield done.result if done.error is None else {**point.columns(), "error": farm.describe(done.error)}
