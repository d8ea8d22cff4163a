"""Running points: in this process, or on the workers of a dask scheduler."""

import itertools
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

from pucker._core import Clip, __version__

from .grid import Point
from .store import Row

if TYPE_CHECKING:
    from dask.typing import Key
    from distributed import Client, Future

T = TypeVar("T")

# Seconds a scheduler, and then its first worker, may take to answer.
_PATIENCE = 10
_GONE = "the dask scheduler went away: the same sweep again goes on where this one stopped"
# A worker has the next point at hand before it is done with this one; what waits longer might by then be finished by
# another sweep.
_POINTS_PER_THREAD = 2


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
        return row | {"error": describe(error)}


def _measures(result: Measured | Mapping[str, float], row: Row) -> dict[str, float]:
    summary, seconds = (result.summary, result.seconds) if isinstance(result, Measured) else (result, {})
    measures = {**summary, **{f"seconds.{stage}": time for stage, time in seconds.items()}}
    taken = sorted(measures.keys() & row.keys())
    if taken:
        raise ValueError(f"a measure cannot be called {taken[0]!r}: that is a column of every row")
    return {name: float(value) for name, value in measures.items()}


def describe(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def in_process(points: Iterator[Point], clips: Mapping[str, Clip], measure: Measure) -> Iterator[Row]:
    """The rows of the points, one after the other."""
    for point in points:
        yield run_point(point, clips[point.clip], measure)


@contextmanager
def local_client(workers: int | None) -> Iterator["Client"]:
    """A client of as many worker processes on this machine; of one a core for None."""
    import dask  # noqa: PLC0415 - slow to import
    from distributed import Client, LocalCluster  # noqa: PLC0415 - slow to import

    with (
        # dask has workers give memory back at every turn; getting it again took two fifths of their time.
        dask.config.set({"distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_": None}),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=1,
            env={"PUCKER_THREADS": "1"},  # each has a core
            dashboard_address="127.0.0.1:0",
            silence_logs="CRITICAL",
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@contextmanager
def remote_client(scheduler: str) -> Iterator["Client"]:
    """A client of the scheduler at an address, whose workers have this version of pucker.

    Raises ConnectionError if there is none or it has no workers.
    """
    from distributed import Client  # noqa: PLC0415 - slow to import
    from distributed.utils import silence_logging_cmgr  # noqa: PLC0415 - slow to import

    # The error says what the log says of a lost connection.
    with silence_logging_cmgr("CRITICAL"):
        try:
            client = Client(scheduler, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError) as error:
            raise ConnectionError(f"no dask scheduler answers at {scheduler}") from error
        with client:
            try:
                client.wait_for_workers(1, timeout=_PATIENCE)
            except TimeoutError as error:
                raise ConnectionError(f"the dask scheduler at {scheduler} has no workers") from error
            for worker, version in client.run(_version).items():
                if version != __version__:
                    raise ConnectionError(f"worker {worker} runs pucker {version}, this sweep {__version__}")
            yield client


def _version() -> str:
    return __version__


def on_dask(client: "Client", points: Iterator[Point], clips: Mapping[str, Clip], measure: Measure) -> Iterator[Row]:
    """The rows of the points as they are finished, in any order.

    A point whose worker dies runs again on another one; if that happens again and again, its row has that error.
    Raises ValueError if the workers cannot load the measure, and ConnectionError if the scheduler goes away.
    """
    from distributed.comm.core import CommClosedError  # noqa: PLC0415 - slow to import

    try:
        _check_loaded(client, measure)
        yield from _rows(client, points, clips, measure)
    except CommClosedError as error:
        raise ConnectionError(_GONE) from error


def _check_loaded(client: "Client", measure: Measure) -> None:
    """One sentence in the place of as many failed points as there are."""
    error = client.submit(_itself, measure, pure=False).exception()
    if error is not None:
        # The scheduler, which loads it too, speaks of all the causes there could be before the one there is.
        raise ValueError(f"the workers cannot load the measure {measure}: {describe(error.__cause__ or error)}")


def _rows(client: "Client", points: Iterator[Point], clips: Mapping[str, Clip], measure: Measure) -> Iterator[Row]:
    from distributed import as_completed  # noqa: PLC0415 - slow to import

    sweep = uuid.uuid4().hex
    remote: dict[str, Future[Clip]] = {}
    running: dict[Key, Point] = {}
    futures: as_completed = as_completed(loop=client.loop)

    def fill() -> None:
        room = _POINTS_PER_THREAD * max(1, sum(client.nthreads().values())) - len(running)
        for point in itertools.islice(points, max(0, room)):
            if point.clip not in remote:
                # As a task and not as scattered data: should the worker that holds it die, it is sent anew.
                remote[point.clip] = client.submit(_itself, clips[point.clip], key=f"clip-{sweep}-{len(remote)}")
            future = client.submit(run_point, point, remote[point.clip], measure, key=f"point-{sweep}-{point.id}")
            running[future.key] = point
            futures.add(future)

    fill()
    for future in futures:
        yield _row(future, running.pop(future.key))
        fill()


def _itself(value: T) -> T:
    return value


def _row(future: "Future[Row]", point: Point) -> Row:
    if future.status == "finished":
        return future.result()
    error: BaseException | None = future.exception() if future.status == "error" else None
    if error is None:
        raise ConnectionError(_GONE)
    return {**point.columns(), "error": describe(error)}
