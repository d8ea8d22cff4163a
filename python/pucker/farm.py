"""Jobs that do not depend on each other: in this process, on processes of this machine, or on a dask scheduler's workers."""

import importlib
import itertools
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pucker._core import Error, __version__

if TYPE_CHECKING:
    from dask.typing import Key
    from distributed import Client, Future

R = TypeVar("R")

# Seconds a scheduler, and then its first worker, may take to answer.
_PATIENCE = 10
_GONE = "the dask scheduler went away: the same command again goes on where this one stopped"
# A worker has the next job at hand before it is done with this one; what waits longer might by then be finished by
# another command.
_JOBS_PER_THREAD = 2


@dataclass(frozen=True, eq=False)
class Shared:
    """An argument that several jobs have: it goes to the workers once.

    Attributes:
        name: What tells it from the others of a run.
        value: Anything that can be pickled.
    """

    name: str
    value: Any


@dataclass(frozen=True, eq=False)
class Job(Generic[R]):
    """A call that may run in any process.

    Attributes:
        name: Of the job, unique in a run.
        call: A function of a module that the workers have.
        arguments: Of the call. Those that are `Shared` are passed as their values.
    """

    name: str
    call: Callable[..., R]
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True, eq=False)
class Done(Generic[R]):
    """A job that has run.

    Attributes:
        job: The job.
        value: What it returned; None if it raised.
        error: What it raised, or `distributed.KilledWorker` if it killed its workers; None if it returned.
    """

    job: Job[R]
    value: R | None
    error: Exception | None

    @property
    def result(self) -> R:
        """What the job returned; raises what it raised, and pucker.Error if it killed its workers."""
        if self.error is not None:
            raise Error(reason(self.error)) if _is_killed(self.error) else self.error
        return self.value  # type: ignore[return-value]


def describe(error: BaseException) -> str:
    """An error in one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def reason(error: Exception) -> str:
    """Why a job has failed, in a sentence for whoever wrote neither it nor this package."""
    if _is_killed(error):
        return "its workers died, four in turn and four more with nothing beside it: has each enough memory?"
    return " ".join(str(error).split()) if isinstance(error, ValueError | OSError | Error) else describe(error)


def _is_killed(error: Exception) -> bool:
    # By name: what has run in this process needs no dask.
    return type(error).__name__ == "KilledWorker"


def need(what: str, *packages: str) -> None:
    """Raises pucker.Error, which names the extra to install, if `what` needs a package that is missing."""
    for package in packages:
        try:
            importlib.import_module(package)
        except ModuleNotFoundError as error:
            raise Error(f"{what} needs {error.name}: install the extra pucker[sweep]") from error


@contextmanager
def finished(
    jobs: Iterator[Job[R]], *, workers: int | None = 1, scheduler: str | None = None
) -> Iterator[Iterator[Done[R]]]:
    """The jobs as they are finished, in any order, until the context ends.

    Args:
        jobs: Are asked for one at a time, and of a cluster two a thread of its workers are under way.
        workers: How many processes of this machine run them; 1: this one alone, None: one a core. With more than one, a
            script must call this under ``if __name__ == "__main__"``.
        scheduler: Address of a dask scheduler whose workers run them instead.

    A job whose worker dies runs again on another one. If four die, it runs once more when all others are finished, alone;
    if four die again, that is its error.

    Raises:
        ValueError: For less than one worker.
        ConnectionError: If the scheduler has no workers, cannot be reached, or goes away, and for workers of another
            version of pucker.
        pucker.Error: If the package distributed is missing.
    """
    check_workers(workers)
    if workers == 1 and scheduler is None:
        yield map(_run, jobs)
        return
    with client_of(workers, scheduler) as client:
        yield on_workers(client, jobs)


def check_workers(workers: int | None) -> None:
    """Raises ValueError for less than one worker."""
    if workers is not None and workers < 1:
        raise ValueError(f"there must be at least 1 worker, not {workers}")


def _run(job: Job[R]) -> Done[R]:
    given = (each.value if isinstance(each, Shared) else each for each in job.arguments)
    try:
        return Done(job, job.call(*given), None)
    except Exception as error:  # noqa: BLE001 - as on a worker, whatever it is belongs to its job
        return Done(job, None, error)


@contextmanager
def client_of(workers: int | None, scheduler: str | None) -> Iterator["Client"]:
    """A client of the scheduler at an address, or without one of as many processes of this machine; see `finished`."""
    need("running on workers", "distributed")
    from distributed.comm.core import CommClosedError  # noqa: PLC0415 - slow to import

    try:
        with _remote_client(scheduler) if scheduler is not None else local_client(workers) as client:
            yield client
    except CommClosedError as error:
        raise ConnectionError(_GONE) from error


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
def _remote_client(scheduler: str) -> Iterator["Client"]:
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
                    raise ConnectionError(f"worker {worker} runs pucker {version}, this process {__version__}")
            yield client


def _version() -> str:
    return __version__


def check_loaded(client: "Client", what: str, value: Any) -> None:
    """Raises ValueError unless the workers can load a value, which it calls `what`: one error in place of one a job."""
    error = client.submit(_itself, value, pure=False).exception()
    if error is not None:
        # The scheduler, which loads it too, speaks of all the causes there could be before the one there is.
        raise ValueError(f"the workers cannot load the {what} {value}: {describe(error.__cause__ or error)}")


def on_workers(client: "Client", jobs: Iterator[Job[R]]) -> Iterator[Done[R]]:
    """The jobs as they are finished by the workers of a client; see `finished`."""
    from distributed import as_completed  # noqa: PLC0415 - slow to import

    run = uuid.uuid4().hex
    remote: dict[str, Future[Any]] = {}
    running: dict[Key, Job[R]] = {}
    futures: as_completed = as_completed(loop=client.loop)

    def sent(argument: Any) -> Any:
        if not isinstance(argument, Shared):
            return argument
        if argument.name not in remote:
            # As a task and not as scattered data: should the worker that holds it die, it is sent anew.
            remote[argument.name] = client.submit(_itself, argument.value, key=f"shared-{run}-{len(remote)}")
        return remote[argument.name]

    def begin(job: Job[R], tried: str) -> None:
        future = client.submit(job.call, *map(sent, job.arguments), key=f"{tried}-{run}-{job.name}")
        running[future.key] = job
        futures.add(future)

    def fill() -> None:
        room = _JOBS_PER_THREAD * max(1, sum(client.nthreads().values())) - len(running)
        for job in itertools.islice(jobs, max(0, room)):
            begin(job, "job")

    suspects: list[Job[R]] = []
    fill()
    for future in futures:
        done = _done(future, running.pop(future.key))
        if done.error is not None and _is_killed(done.error):
            suspects.append(done.job)
        else:
            yield done
        fill()
    # dask blames all jobs that a dead worker had at hand: which of them it was shows when each is alone.
    for job in suspects:
        begin(job, "alone")
        yield from (_done(future, running.pop(future.key)) for future in futures)


def _itself(value: R) -> R:
    return value


def _done(future: "Future[R]", job: Job[R]) -> Done[R]:
    if future.status == "finished":
        return Done(job, future.result(), None)
    error = future.exception() if future.status == "error" else None
    if error is None:
        raise ConnectionError(_GONE)
    return Done(job, None, error)
