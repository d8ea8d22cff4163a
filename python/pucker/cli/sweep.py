"""``pucker sweep``."""

import functools
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from pucker.cli.choices import choice_of_settings, choice_of_workers
from pucker.cli.common import OUTPUT_PATH, check_output, quiet_option
from pucker.cli.errors import needing
from pucker.io.files import make_folder, write_table

if TYPE_CHECKING:
    import pandas as pd

_TABLE_SUFFIXES = (".csv", ".parquet")
_PAGE_SUFFIXES = (".html", ".htm")
# Status of a sweep that is finished but for points that failed.
_SOME_FAILED = 1


def _failures(frame: "pd.DataFrame") -> list[str]:
    """A line for each error there was, with the number of its points."""
    return [f"{count} of {len(frame)} points failed: {error}" for error, count in frame["error"].value_counts().items()]


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
@click.option("--rank-by", metavar="MEASURE", help="What the page ranks by at first.  [default: what tells most apart]")
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
    workers: int | None,
    scheduler: str | None,
    surface: bool,
    retry: bool,
    quiet: bool,
    as_json: bool,
) -> None:
    """Measure every combination of parameters, clips and seeds that the sweep file GRID names."""
    from tqdm import tqdm

    import pucker

    check_output(table, _TABLE_SUFFIXES)
    check_output(html, _PAGE_SUFFIXES)
    if rank_by is not None and html is None:
        raise click.UsageError("--rank-by is of the page, which --html names")
    if html is not None:
        with needing("render", "a page"):
            from pucker.sweeps.page import write_page
    if report is not None:
        with needing("plot", "a report"):
            import pucker.plot
        with needing("render", "a report"):
            from pucker.sweeps.report import write_report
        make_folder(report)
    measure = None if surface else functools.partial(pucker.metrics.measure, surface=False)
    shows_progress = not quiet and sys.stderr.isatty()
    points = pucker.sweep.Grid.from_toml(grid, settings, method=method)
    frame = pucker.sweep(
        points,
        output,
        measure=measure,
        workers=workers,
        scheduler=scheduler,
        retry=retry,
        quiet=not shows_progress,
    )
    if table is not None:
        write_table(table, frame)
    if report is not None:
        with tqdm(total=len(frame), unit="picture", disable=not shows_progress) as bar:
            write_report(frame, report, title=grid.stem, grid=points, progress=lambda _: bar.update())
    if html is not None:
        with tqdm(total=len(frame), unit="picture", disable=not shows_progress) as bar:
            write_page(frame, html, title=grid.stem, grid=points, rank_by=rank_by, progress=lambda _: bar.update())
    failures = _failures(frame)
    if as_json:
        rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
        click.echo(json.dumps(rows, indent=2, ensure_ascii=False))
    elif not quiet:
        click.echo(f"{len(frame)} points in {output}")
    for line in failures:
        click.echo(f"pucker: {line}", err=True)
    if failures:
        sys.exit(_SOME_FAILED)
