"""``pucker study``."""

import json
from dataclasses import asdict
from math import isnan
from pathlib import Path

import click

from pucker.cli.common import (
    OUTPUT_PATH,
    Command,
    PictureSize,
    check_output,
    check_video_size,
    json_option,
    quiet_option,
    rare_option,
)
from pucker.cli.errors import needing, printable


@click.command(
    "study",
    cls=Command,
    epilog="Example: pucker study data/truths -o study.html, and then pucker study --scores answers-*.json",
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path), metavar="FOLDER|ANSWERS…")
@click.option("-o", "--output", type=OUTPUT_PATH, help="The page: .html.")
@click.option("--scores", is_flag=True, help="Scores from files of answers, which the page of a study saved.")
@click.option(
    "--scene", multiple=True, metavar="NAME", help="Of the folder only this truth; may be given several times."
)
@click.option("--questions", type=click.IntRange(min=1), default=24, help="Pairs that one person is asked.")
@rare_option("--orders", type=click.IntRange(min=2), default=16, help="Counterbalanced orders, an even number.")
@rare_option("--seed", type=int, default=1, help="Of the orders.")
@rare_option("--size", type=PictureSize(), default="480x480", help="Size of a video.")
@rare_option("--limit", type=float, default=20.0, help="Megabytes that the page may have.")
@json_option
@quiet_option
def command(
    files: tuple[Path, ...],
    output: Path | None,
    scores: bool,
    scene: tuple[str, ...],
    questions: int,
    orders: int,
    seed: int,
    size: tuple[int, int],
    limit: float,
    as_json: bool,
    quiet: bool,
) -> None:
    """Write a page that asks people which of two videos is simulated, and score the methods by their answers.

    FOLDER holds truths, such as data/truths; every resolved one is shown simulated and with each method.
    """
    if scores:
        if output is not None:
            raise click.UsageError("--scores reads answers and writes no page: leave -o away")
        _scores(files, as_json=as_json)
        return
    if output is None or len(files) != 1:
        raise click.UsageError("needs one FOLDER of truths and -o PAGE.html, or --scores and files of answers")
    check_output(output, (".html", ".htm"))
    check_video_size(size)
    with needing("metrics,render", "a study"):
        from pucker.study.page import write_study
    from tqdm import tqdm

    with tqdm(unit="video", disable=True if quiet else None, leave=False) as bar:

        def step(name: str, count: int) -> None:
            bar.total = count
            bar.set_postfix_str(name)
            bar.update()

        report = write_study(
            files[0],
            output,
            scenes=scene or None,
            questions=questions,
            orders=orders,
            seed=seed,
            size=size,
            limit=round(1e6 * limit),
            progress=step,
        )
    if as_json:
        click.echo(json.dumps({**asdict(report), "path": str(report.path)}))
    elif not quiet:
        click.echo(f"{report.videos} videos, {report.pairs} pairs, {report.questions} questions to each person")
        click.echo(f"wrote {report.path}, {report.bytes / 1e6:.1f} MB")


def _scores(files: tuple[Path, ...], *, as_json: bool) -> None:
    from pucker.study import item_scores, read_all

    answers = read_all(files)
    rows = item_scores(answers)
    if as_json:
        told = [
            {key: None if isinstance(value, float) and isnan(value) else value for key, value in asdict(row).items()}
            for row in rows
        ]
        click.echo(json.dumps({"people": len(answers), "items": told}, indent=2))
        return
    count = sum(len(each.answers) for each in answers)
    click.echo(f"{len(answers)} {'person' if len(answers) == 1 else 'people'}, {count} answers")
    wide = max(len(row.item) for row in rows)
    click.echo(f"{'':<{wide}}   score   95 %              taken for simulated, beside it")
    for row in rows:
        taken = (
            "–"
            if isnan(row.taken)
            else f"{100 * row.taken:3.0f} %  ({100 * row.taken_low:.0f} to {100 * row.taken_high:.0f} %)"
        )
        ends = f"{row.low:+.2f} to {row.high:+.2f}"
        click.echo(printable(f"{row.item:<{wide}}   {row.score:+.2f}   {ends:<15}   {taken}"))
