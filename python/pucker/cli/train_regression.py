"""The regression of ``pucker train``."""

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

import click

from pucker.cli.train_sources import draped_again
from pucker.cli.train_summary import Recording

if TYPE_CHECKING:
    import pucker
    from pucker.byexample import Options, Origin
    from pucker.byexample.regression import Regressed

# Of what is not draped cloth.
_DETAILS: Final = 40
_CENTRES: Final = 160


def regressed_on(
    takes: Sequence[Recording],
    more: Sequence[Recording],
    *,
    levels: int,
    fps: float,
    details: int | None,
    centres: int | None,
    low_frequency: Literal["keep", "remove"],
    options: "Options",
    draped: "pucker.drape.Params | None",
    workers: int | None,
    scheduler: str | None,
    quiet: bool,
) -> "Regressed":
    """A set that predicts weights, rounded for its file."""
    from pucker import byexample
    from pucker.byexample.learning import rounded_for_file

    report = _report(quiet=quiet)
    learned = [byexample.Take(take.clip, take.fine) for take in takes]
    if draped is not None:
        return byexample.learn_draped(
            learned,
            params=draped,
            again=draped_again(
                [take.clip for take in takes], draped, workers=workers, scheduler=scheduler, quiet=quiet
            ),
            made=[byexample.Take(take.clip, take.fine) for take in more],
            details=details or byexample.DETAILS,
            centres=centres or byexample.CENTRES,
            options=options,
            fps=fps,
            progress=report,
        )
    regressed = byexample.regress(
        takes[0].clip.mesh,
        [(take.clip.positions, take.fine) for take in takes],
        rest=learned[0].rest,
        levels=levels,
        fps=fps,
        details=details or _DETAILS,
        centres=centres or _CENTRES,
        low_frequency=low_frequency,
        options=options,
        progress=report,
    )
    return rounded_for_file(regressed, learned)


def save_regression(regressed: "Regressed", origin: "Origin", parts: Sequence[str], output: Path) -> "Origin":
    """Writes the set, and returns its origin with how well it predicts."""
    correlation = max(regressed.scores.values(), default=0.0)
    found = regressed.trained.origin
    origin = dataclasses.replace(
        origin,
        correlation=correlation,
        left_out=regressed.left_out,
        again=found.again,
        untaught=found.untaught,
    )
    dataclasses.replace(regressed.trained, parts=tuple(parts), origin=origin).save(output)
    return origin


def _report(*, quiet: bool) -> Callable[[float, float, float, float], None]:
    def report(width: float, damping: float, motion: float, score: float) -> None:
        if not quiet:
            click.echo(f"width {width:g}, damping {damping:g}, motion {motion:g}: {score:.3f}", err=True)

    return report
