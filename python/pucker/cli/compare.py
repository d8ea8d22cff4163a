"""``pucker compare``."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from pucker.cli.choices import WITH_PATHS, Cloth, Wrinkles, choice_of_cloth, choice_of_workers, choice_of_wrinkles
from pucker.cli.common import Command, quiet_option, rare_option
from pucker.cli.errors import needing, printable
from pucker.io.files import make_folder

if TYPE_CHECKING:
    from pucker.metrics import compare

R = TypeVar("R")


# Triangles of the coarse meshes where nobody chose.
_COARSE: Final = (300, 500, 700)


def _numbers(_ctx: click.Context, _param: click.Parameter, value: str | None) -> list[int] | None:
    if value is None:
        return None
    try:
        return [int(number) for number in value.split(",")]
    except ValueError:
        raise click.BadParameter(f"{value!r} is not a list of numbers, as in 300,500") from None


@click.command(
    "compare",
    cls=Command,
    epilog="Example: pucker compare data/tshirt_wind.zip --fps 90 --triangles 300,500,700 -o docs/compare",
)
@click.argument("file", type=click.Path(path_type=Path), required=False)
@click.option(
    "--suite",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="In the place of FILE: judge every method on the truths or scenes in FOLDER, such as data/truths or data/scenes.",
)
@click.option(
    "--scene", multiple=True, metavar="NAME", help="Of the suite only this scene; may be given several times."
)
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    required=True,
    help="Folder of the results; made if it does not exist.",
)
@choice_of_cloth
@click.option(
    "--triangles",
    callback=_numbers,
    show_default=",".join(map(str, _COARSE)),
    metavar="A,B,…",
    help="Triangles of the coarse meshes.",
)
@choice_of_wrinkles(WITH_PATHS)
@click.option(
    "--beside",
    multiple=True,
    metavar="NAME",
    help="Another method, with its defaults, to measure beside; may be given several times.",
)
@click.option("--every", type=int, default=10, help="Every how many frames are measured.")
@choice_of_workers("Of a suite: ", default="1", option=rare_option)
@quiet_option
@click.option("--json", "as_json", is_flag=True, help="The means as one JSON array.")
def command(
    file: Path | None,
    suite: Path | None,
    scene: tuple[str, ...],
    output: Path,
    cloth: Cloth,
    triangles: list[int] | None,
    wrinkles: Wrinkles,
    beside: tuple[str, ...],
    every: int,
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Wrinkle coarse copies of FILE, cloth fine enough to fold by itself, and measure them against it.

    With --trained SET instead judge the set on a clip of FILE that it did not learn from, by the draped cloth it stands for.
    """
    with needing("metrics,render", "comparing"):
        from pucker.metrics import compare
    from tqdm import tqdm

    from pucker.method import method_of

    if (file is None) == (suite is None):
        raise click.UsageError("needs either FILE or --suite FOLDER")
    if suite is not None:
        crew = Crew(workers, scheduler, quiet=quiet)
        _judge(suite, scene, output, wrinkles, cloth.smooth or 0, crew, quiet=quiet, as_json=as_json)
        return
    if workers is not None or scheduler is not None:
        raise click.UsageError("--workers and --scheduler are for a suite")
    assert file is not None
    if wrinkles.method == "byexample":
        _judge_set(file, output, cloth, wrinkles, quiet=quiet, as_json=as_json)
        return
    fine = cloth.as_it_is().load(file, quiet=quiet)
    if triangles is None and len(fine.faces) <= max(_COARSE):
        raise ValueError(
            f"the cloth of {file} has {len(fine.faces)} triangles, too few to be what copies of {max(_COARSE)} are measured against: it must "
            "be fine enough to fold by itself; --triangles says how many the copies have"
        )
    chosen = [wrinkles, *(Wrinkles(name, None, {}) for name in beside)]
    params = [each.params(compare.fold_width(fine)) for each in chosen]
    # The coarse copies may be a little lower.
    surfaces = compare.surfaces_of(*(method_of(each).resolved(fine, each) for each in params))
    coarse = [compare.coarsen(fine, count) for count in triangles or _COARSE]
    counts = [len(clip.faces) for clip in coarse]
    if len(set(counts)) < len(counts):
        raise ValueError(f"the coarse meshes must differ in their numbers of triangles, not {counts}")
    # Measuring takes minutes: what would fail after it should fail before.
    make_folder(output)
    rows = []
    total = len(coarse) * len(surfaces) * ((len(fine) - 1) // every if every > 0 else 0)
    with tqdm(total=total, unit="surface", disable=True if quiet else None, leave=False) as bar:
        for clip in coarse:
            for row in compare.compare(fine, clip, surfaces, every=every):
                rows.append(row)
                bar.update()
    files = compare.write_report(output, rows, fine, coarse, surfaces)
    if as_json:
        click.echo(json.dumps(compare.summary(rows), indent=2))
    elif not quiet:
        click.echo(compare.in_words(compare.means(rows)).to_string(float_format="{:.2f}".format, na_rep="–"))
        for path in files:
            click.echo(f"wrote {path}")


def _judge_set(file: Path, output: Path, cloth: Cloth, wrinkles: Wrinkles, *, quiet: bool, as_json: bool) -> None:
    """A set on a clip that it did not learn from, or on the one that was named."""
    from pucker import byexample
    from pucker.metrics import compare

    trained = wrinkles.params().trained
    if not trained:
        raise click.UsageError("by example needs a set to judge: --trained SET.npz")
    learned = byexample.load(trained).origin.clips
    cloth = wrinkles.cloth(cloth)
    with cloth.opened(file) as source:
        names = [*source.inspect().clips]
        left_out = [name for name in names if name not in learned]
        if cloth.clip is None and not left_out:
            raise ValueError(
                f"{trained} learned from all clips of {file}: --clip names one to judge it on all the same, or train with --clips without one"
            )
        name = cloth.clip or left_out[0]
        clip = source.load(clip=name, parts=cloth.parts, fps=cloth.fps, loops=cloth.loops)
    make_folder(output)
    rows = compare.agreement_of_set(clip, trained)
    written = compare.write_set(output, rows)
    known = name in learned
    if as_json:
        click.echo(
            json.dumps({"clip": name, "learned": known, **json.loads(written[0].read_text(encoding="utf-8"))}, indent=2)
        )
    elif not quiet:
        click.echo(
            printable(f"{name}, which the set {'learned from' if known else 'did not learn from'}, beside draped cloth")
        )
        click.echo(compare.set_in_words(rows))
        for path in written:
            click.echo(f"wrote {path}")


@dataclass(frozen=True)
class Crew:
    """Who judges the files of a suite: this process where nobody chose, so that nothing disturbs the times of methods."""

    workers: int | None
    scheduler: str | None
    quiet: bool

    def judge(self, call: Callable[..., R], files: Sequence[Path], *others: Any) -> list[R]:
        """What the call says of each file and the other arguments, in the order of the files."""
        from tqdm import tqdm

        from pucker import farm

        # Relative names are those of this process.
        jobs = (farm.Job(f"{k}", call, (file.absolute(), *others)) for k, file in enumerate(files))
        found: dict[int, R] = {}
        with (
            farm.finished(jobs, workers=self.workers or 1, scheduler=self.scheduler) as results,
            tqdm(total=len(files), unit="scene", disable=True if self.quiet else None, leave=False) as bar,
        ):
            for done in results:
                found[int(done.job.name)] = done.result
                bar.update()
        return [found[k] for k in range(len(files))]


def _judge(
    suite: Path,
    scenes: tuple[str, ...],
    output: Path,
    wrinkles: Wrinkles,
    smooth: int,
    crew: Crew,
    *,
    quiet: bool,
    as_json: bool,
) -> None:
    """The suite: all methods with their defaults, and `chosen` if it is anything else."""
    from pucker.metrics import compare
    from pucker.metrics.compare.by_truth import holds_truths
    from pucker.metrics.compare.scene import scenes_of

    make_folder(output)
    files = scenes_of(suite, scenes or None)
    if holds_truths(suite):
        _judge_by_truths(files, output, wrinkles, smooth, crew, quiet=quiet, as_json=as_json)
        return
    judged = [each for found in crew.judge(judge_scene, files, wrinkles, smooth) for each in found]
    written = compare.write_verdicts(output, judged)
    if as_json:
        means = compare.overall(judged).reset_index().astype(object)
        click.echo(json.dumps(means.where(means.notna(), None).to_dict("records"), indent=2))
    elif not quiet:
        click.echo(compare.overall(judged).T.to_string(float_format="{:.3f}".format, na_rep="–"))
        for path in written:
            click.echo(f"wrote {path}")


def judge_scene(file: Path, wrinkles: Wrinkles, smooth: int) -> "list[compare.Judged]":
    """All methods with their defaults on a scene of a suite, and `chosen` if it is anything else."""
    from pucker.metrics import compare
    from pucker.metrics.compare.scene import Scene

    surfaces = compare.standard(Scene.load(file), file.parent)
    if wrinkles != Wrinkles(WITH_PATHS, None, {}) or smooth:
        surfaces["chosen"] = compare.Smoothed(wrinkles.params(None), smooth)
    return list(compare.suite(file.parent, surfaces, scenes=[file.stem]))


def judge_truth(file: Path, wrinkles: Wrinkles) -> "tuple[list[compare.Against], list[compare.Folds]]":
    """As `judge_scene`, on a truth, with the folds by which surfaces are told from it; none of a truth that is not resolved."""
    from pucker.metrics import Truth, compare
    from pucker.metrics.compare.by_truth import takes_of

    truth = Truth.load(file)
    surfaces = compare.standard_on(truth, file.parent)
    if wrinkles != Wrinkles(WITH_PATHS, None, {}):
        surfaces["chosen"] = wrinkles.params(None)
    folds: list[compare.Folds] = []
    rows = compare.against(truth, surfaces, takes=takes_of(truth, file), progress=folds.append)
    return list(rows), folds if truth.resolved else []


def _judge_by_truths(
    files: list[Path], output: Path, wrinkles: Wrinkles, smooth: int, crew: Crew, *, quiet: bool, as_json: bool
) -> None:
    """The suite on truths: all methods with their defaults, and `chosen` if it is anything else."""
    from pucker.metrics import Truth, compare
    from pucker.metrics.compare.by_statistics import statistics_table
    from pucker.metrics.compare.by_truth import found_by, overall_table, tell_apart
    from pucker.metrics.compare.telling import Telling, telling_table

    if smooth:
        raise click.UsageError("--smooth is not for truths: they are judged over the subdivided mesh anyhow")
    rows: list[compare.Against] = []
    telling = Telling()
    for file, (judged, folds) in zip(files, crew.judge(judge_truth, files, wrinkles), strict=True):
        rows += judged
        if folds:
            tell_apart(telling, Truth.load(file), file, folds)
    told = found_by(telling)
    written = compare.write_against(output, rows, told)
    if as_json:
        click.echo(json.dumps([each.plain() for each in rows]))
    elif not quiet:
        click.echo(overall_table(rows))
        click.echo(statistics_table(rows))
        if told:
            click.echo(telling_table(told))
        for path in written:
            click.echo(f"wrote {path}")
