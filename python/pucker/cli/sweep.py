"""``pucker sweep``."""

import functools
import importlib
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pucker.cli.choices import choice_of_settings, choice_of_workers
from pucker.cli.common import OUTPUT_PATH, check_output, quiet_option, shows_progress
from pucker.cli.errors import needing
from pucker.io.files import make_folder, write_table

if TYPE_CHECKING:
    import pandas as pd

    from pucker.sweeps.grid import Grid
    from pucker.sweeps.on_truths import JudgedSettings, OnTruths

_TABLE_SUFFIXES = (".csv", ".parquet")
_PAGE_SUFFIXES = (".html", ".htm")
# Status of a sweep that is finished but for points that failed.
_SOME_FAILED = 1


@dataclass(frozen=True)
class Outputs:
    """What a sweep is to write beside its points."""

    table: Path | None
    report: Path | None
    html: Path | None
    rank_by: str | None

    @property
    def any(self) -> bool:
        """Whether there is anything to write."""
        return not (self.table is None and self.report is None and self.html is None)

    def check(self, points: Path) -> None:
        """Ends the command if anything could not be written in the end; the folder `points` is made before that."""
        check_output(self.table, _TABLE_SUFFIXES, made=points)
        check_output(self.html, _PAGE_SUFFIXES, made=points)
        if self.rank_by is not None and self.html is None:
            raise click.UsageError("--rank-by is of the page, which --html names")
        if self.html is not None:
            with needing("render", "a page"):
                importlib.import_module("pucker.sweeps.page")
        if self.report is not None:
            with needing("plot", "a report"):
                importlib.import_module("pucker.plot")
            with needing("render", "a report"):
                importlib.import_module("pucker.sweeps.report")
            make_folder(self.report)

    def write(
        self, frame: "pd.DataFrame", judged: "JudgedSettings | None", grid: "Grid", title: str, *, shown: bool
    ) -> None:
        """Writes what was asked for: of the rows, and of what truths say."""
        from tqdm import tqdm

        if self.table is not None:
            write_table(self.table, frame if judged is None else judged.after(frame))
        pictures = functools.partial(tqdm, total=len(frame), unit="picture", disable=not shown)
        if self.report is not None:
            from pucker.sweeps.report import write_report

            with pictures() as bar:
                write_report(frame, self.report, title=title, grid=grid, judged=judged, progress=lambda _: bar.update())
        if self.html is not None:
            from pucker.sweeps.page import write_page

            with pictures() as bar:
                write_page(
                    frame,
                    self.html,
                    title=title,
                    grid=grid,
                    rank_by=self.rank_by,
                    judged=judged,
                    progress=lambda _: bar.update(),
                )


def _truths(grid: "Grid", suite: Path, scenes: tuple[str, ...]) -> "OnTruths":
    with needing("metrics,render", "judging by truths"):
        from pucker.sweeps.on_truths import OnTruths
    return OnTruths(grid, suite, scenes or None)


def _failures(frame: "pd.DataFrame", what: str = "points") -> list[str]:
    """A line for each error there was, with the number of its points."""
    return [f"{count} of {len(frame)} {what} failed: {error}" for error, count in frame["error"].value_counts().items()]


def _check_ranking(rank_by: str | None, grid: "Grid", truths: "OnTruths | None") -> None:
    """Refuses what no ranking can be by, before anything runs."""
    from pucker._core import did_you_mean
    from pucker.method import method_named
    from pucker.metrics.meanings import MEANINGS
    from pucker.sweeps.ranking import COST, SUITE, TOLD

    if rank_by in SUITE and truths is None:
        raise click.UsageError(f"--rank-by {rank_by} needs --suite FOLDER, the truths to judge by, such as data/truths")
    if rank_by == TOLD and truths is not None and len(truths.scenes) < 2:
        raise ValueError(
            f"it takes truths of two scenes to train on one and judge on another, and all of the suite are of {truths.scenes[0]}"
        )
    known = [*SUITE, COST, *MEANINGS]
    # Methods of others may have measures of their own.
    if (
        rank_by is not None
        and rank_by not in known
        and type(method_named(grid.method)).__module__.startswith("pucker.")
    ):
        guess = did_you_mean(rank_by, known)
        raise ValueError(f"there is no measure {rank_by!r}{guess}; there are {', '.join(known)}")


@click.command(
    "sweep",
    epilog="Example: pucker sweep sweeps/profiles.toml -o out/profiles --table out/profiles.csv",
)
@click.argument("grid", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="Folder of the points; made if it does not exist. A sweep that was interrupted goes on there.",
)
@choice_of_settings
@click.option("--method", metavar="NAME", show_default="that of GRID", help="The method, or a module that brings one.")
@click.option("--table", type=OUTPUT_PATH, help="All rows in one file too: .csv or .parquet.")
@click.option(
    "--report",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder for a page with a table and a plot of each measure, and a picture of each point.",
)
@click.option(
    "--html",
    type=OUTPUT_PATH,
    help="One page to send: a ranking, differences, cross-sections and pictures side by side, and what plays each row.",
)
@click.option(
    "--rank-by",
    metavar="WHAT",
    help="What the page ranks by at first: told or suite, by --suite; cost, or a measure.  "
    "[default: told with --suite, else what tells most apart]",
)
@click.option(
    "--suite",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="Judge every setting on the truths in FOLDER too, such as data/truths: whether it has the folds of simulated cloth, and can be "
    "told from it.",
)
@click.option(
    "--scene", multiple=True, metavar="NAME", help="Of the suite only this truth; may be given several times."
)
@choice_of_workers()
@click.option(
    "--surface/--no-surface",
    default=True,
    help="Whether to measure the wrinkled surface too, which takes most of the time.",
)
@click.option("--retry", is_flag=True, help="Run the points again that failed.")
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="All rows as one JSON array.")
def command(
    grid: Path,
    output: Path,
    settings: dict[str, Any],
    method: str | None,
    table: Path | None,
    report: Path | None,
    html: Path | None,
    rank_by: str | None,
    suite: Path | None,
    scene: tuple[str, ...],
    workers: int | None,
    scheduler: str | None,
    surface: bool,
    retry: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure every combination of parameters, clips and seeds that the sweep file GRID names."""
    import pucker

    outputs = Outputs(table, report, html, rank_by)
    outputs.check(output)
    if scene and suite is None:
        raise click.UsageError("--scene is of the suite, which --suite names")
    if suite is not None and not (outputs.any or as_json):
        raise click.UsageError("what --suite finds goes to --html, --report, --table or --json, and none is given")
    measure = None if surface else functools.partial(pucker.metrics.measure, surface=False)
    shown = shows_progress(quiet=quiet)
    points = pucker.sweep.Grid.from_toml(grid, settings, method=method)
    truths = None if suite is None else _truths(points, suite, scene)
    _check_ranking(rank_by, points, truths)
    if truths is not None and not quiet and (expected := truths.expected(output, retry=retry)):
        click.echo(expected, err=True)
    how: dict[str, Any] = {"workers": workers, "scheduler": scheduler, "retry": retry, "quiet": not shown}
    frame = pucker.sweep(points, output, measure=measure, **how)
    judged = None if truths is None else truths.run(output, **how)
    outputs.write(frame, judged, points, grid.stem, shown=shown)
    failures = _failures(frame) + ([] if judged is None else _failures(judged.by_truth, "runs on truths"))
    if as_json:
        every = frame if judged is None else judged.after(frame)
        rows = every.astype(object).where(every.notna(), None).to_dict("records")
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif not quiet:
        on_truths = "" if judged is None else f", and {len(judged.by_truth)} runs on truths"
        click.echo(f"{len(frame)} points in {output}{on_truths}")
    for line in failures:
        click.echo(f"pucker: {line}", err=True)
    if failures:
        sys.exit(_SOME_FAILED)
