"""Parameter sweeps: every combination of parameters, clips and seeds, measured; nothing finished is ever lost."""

import functools
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pucker import farm
from pucker._core import Error

from . import grid as _grid

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from .on_truths import JudgedSettings
    from .points import Measure

__all__ = ["Sweep", "sweep"]


class Sweep:
    """What `pucker.sweep` is: called, it runs a sweep; its methods read what earlier ones found."""

    Grid: Final = _grid.Grid

    def __call__(
        self,
        grid: _grid.Grid | str | os.PathLike[str],
        folder: str | os.PathLike[str],
        *,
        measure: "Measure | None" = None,
        workers: int | None = 1,
        scheduler: str | None = None,
        retry: bool = False,
        quiet: bool = False,
    ) -> "pd.DataFrame":
        """Measures every point of a grid that `folder` does not hold yet, and returns the rows of all of the grid's.

        A point is written to `folder`, which is made if need be, as soon as it is finished, so that a sweep that was
        interrupted by whatever goes on where it stopped. Several sweeps may run into one folder at once. A point that
        fails has the error in its row, and the others go on.

        Args:
            grid: A `Grid`, or the path of a sweep file.
            folder: Where the points are kept.
            measure: Called with a clip and the parameters; returns numbers by name, or `pucker.metrics.Measures`. A measure
                is known by its module and name: one whose content changes needs another folder. None stands for
                `pucker.metrics.measure`.
            workers: How many processes of this machine do the work; 1: this one alone, None: one a core. With more
                than one, a script must call this under ``if __name__ == "__main__"``.
            scheduler: Address of a dask scheduler whose workers do the work instead.
            retry: Whether to run the points again that failed.
            quiet: Without a progress bar on the standard error stream.

        Returns:
            One row a point, in the order of the grid: ``id``, ``clip``, ``seed``, every parameter
            by its dotted name, ``method``, ``measure``, ``version``, ``error`` (missing if there was none), the measures, and
            ``seconds.STAGE``, mean seconds a frame.

        Raises:
            ValueError: For a wrong grid, less than one worker, a measure without a name, and one that the workers
                cannot load.
            OSError: If a point cannot be written, or the scheduler cannot be reached or goes away. Points finished
                until then are kept.
            pucker.Error: If a file cannot be read, or a package of the extra pucker[sweep] is missing.
        """
        farm.check_workers(workers)
        _need("pyarrow", "pandas", *(() if workers == 1 and scheduler is None else ("distributed",)))
        from .points import run_all  # noqa: PLC0415 - needs packages of the extra
        from .store import Store  # noqa: PLC0415 - needs packages of the extra
        from .table import frame_of  # noqa: PLC0415 - needs packages of the extra

        if measure is None:
            _need("pucker.metrics")
            from pucker import metrics  # noqa: PLC0415 - needs packages of the extra

            measure = metrics.measure
        if not isinstance(grid, _grid.Grid):
            grid = _grid.Grid.from_toml(grid)
        rows = run_all(
            grid.points(_name(measure)),
            grid.clips,
            measure,
            Store(Path(folder)),
            workers=workers,
            scheduler=scheduler,
            retry=retry,
            quiet=quiet,
        )
        return frame_of(rows)

    @staticmethod
    def on_truths(
        grid: _grid.Grid | str | os.PathLike[str],
        suite: str | os.PathLike[str],
        folder: str | os.PathLike[str],
        *,
        scenes: Sequence[str] | None = None,
        workers: int | None = 1,
        scheduler: str | None = None,
        retry: bool = False,
        quiet: bool = False,
    ) -> "JudgedSettings":
        """Runs the settings of a grid on truths: how far each has their folds, and whether it can be told from simulated cloth.

        The grid's own clips do not matter. Runs are kept in `folder` as the points of a sweep are, and the folder may be that of one.

        Args:
            grid: A `Grid`, or the path of a sweep file.
            suite: Folder of the truths, as ``data/truths``; those that are not resolved judge nothing and are left out.
            folder: Where the runs are kept.
            scenes: File names without ending of the truths to take; all without.
            workers: As of a sweep.
            scheduler: As of a sweep.
            retry: As of a sweep.
            quiet: As of a sweep.

        Raises:
            ValueError: For settings that do not go with the truths, as `OnTruths` says, before anything runs, and for less than one worker.
            OSError: As of a sweep.
            pucker.Error: If a file cannot be read, or a package of the extras pucker[sweep,metrics,render] is missing.
        """
        farm.check_workers(workers)
        _need("pyarrow", "pandas", *(() if workers == 1 and scheduler is None else ("distributed",)))
        from .on_truths import OnTruths  # noqa: PLC0415 - needs packages of the extras

        if not isinstance(grid, _grid.Grid):
            grid = _grid.Grid.from_toml(grid)
        judging = OnTruths(grid, suite, scenes)
        return judging.run(folder, workers=workers, scheduler=scheduler, retry=retry, quiet=quiet)

    @staticmethod
    def load(folder: str | os.PathLike[str]) -> "pd.DataFrame":
        """The rows of all points in a folder, those of every sweep that wrote there, by clip, parameters and seed.

        Raises pucker.Error if the folder holds no points or a damaged one, which is named.
        """
        _need("pyarrow", "pandas")
        from .store import Store  # noqa: PLC0415 - needs packages of the extra
        from .table import frame_of, in_order  # noqa: PLC0415 - needs packages of the extra

        rows = list(Store(Path(folder)).rows())
        if not rows:
            raise Error(f"folder {folder} holds no points of a sweep")
        return in_order(frame_of(rows))

    @staticmethod
    def to_xarray(frame: "pd.DataFrame") -> "xr.Dataset":
        """The rows of a sweep as a dataset: a dimension for each of clip, seed, version and parameter that varies.

        What all rows share stands in the dataset's ``attrs``. Points that failed are left out, and combinations without
        a point are NaN. Raises ValueError if all failed, or if two rows differ in nothing but their measures.
        """
        _need("pyarrow", "pandas", "xarray")
        from .table import dataset_of  # noqa: PLC0415 - needs packages of the extra

        return dataset_of(frame)


sweep: Final = Sweep()


def _need(*packages: str) -> None:
    farm.need("a sweep", *packages)


def _name(measure: Callable[..., Any]) -> str:
    """What identifies a measure: module, name, and arguments that are fixed."""
    if isinstance(measure, functools.partial):
        fixed = [*map(repr, measure.args), *(f"{name}={value!r}" for name, value in sorted(measure.keywords.items()))]
        return f"{_name(measure.func)}({', '.join(fixed)})"
    if not hasattr(measure, "__qualname__"):
        raise ValueError(f"a measure must be a function, so that it has a name, not {measure!r}")
    return f"{measure.__module__}.{measure.__qualname__}"
