"""What the commands share: commands whose help is short, parameter types, checks."""

import functools
import re
import sys
from pathlib import Path
from typing import Any, Final

import click

from pucker._core import did_you_mean
from pucker.io.files import check_makeable, check_output_file

OUTPUT_PATH: Final = click.Path(dir_okay=False, path_type=Path)


# Of a context's meta: help is about every option.
_EVERY: Final = "pucker.every"


class RareOption(click.Option):
    """An option that few users need: `--help` only names it, `--help-all` describes it."""


class Command(click.Command):
    """A command whose `--help` describes what a first look needs and names its rare options."""

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        if any(isinstance(param, RareOption) for param in self.params):
            everything = click.Option(
                ["--help-all"],
                is_flag=True,
                is_eager=True,
                expose_value=False,
                callback=self._show_all,
                help="Describe the other options too and exit.",
            )
            self.params.append(everything)

    def _show_all(self, ctx: click.Context, _param: click.Parameter, asked: Any) -> None:
        if not asked or ctx.resilient_parsing:
            return
        ctx.meta[_EVERY] = True
        click.echo(ctx.get_help())
        ctx.exit()

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """As click's, with the names alone of the rare options."""
        params = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        rare = [] if _EVERY in ctx.meta else [param for param in params if isinstance(param, RareOption)]
        records = [param.get_help_record(ctx) for param in params if param not in rare]
        with formatter.section("Options"):
            formatter.write_dl([record for record in records if record is not None])
        if rare:
            names = ", ".join(max(param.opts, key=len) for param in rare)
            with formatter.section("More options, which --help-all describes"):
                formatter.write_text(names)


rare_option: Final = functools.partial(click.option, cls=RareOption)
quiet_option: Final = click.option("--quiet", is_flag=True, help="No progress, no summary.")
json_option: Final = rare_option("--json", "as_json", is_flag=True, help="The summary as one JSON object.")


class Choice(click.Choice[str]):
    """One of several words; the error of another names the nearest of them."""

    def get_invalid_choice_message(self, value: Any, ctx: click.Context | None) -> str:
        """As click's, with a guess at what was meant."""
        return super().get_invalid_choice_message(value, ctx) + did_you_mean(str(value), list(self.choices))


class InputFile(click.Path):
    """A file that an option names and a command reads; of one that is not there or is a folder one sentence tells, as of FILE."""

    def __init__(self) -> None:
        super().__init__(exists=True, dir_okay=False, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """The path; raises ValueError, which a command ends with."""
        try:
            return super().convert(value, param, ctx)
        except click.BadParameter as error:
            told = "is a folder, not a file" if Path(value).is_dir() else "cannot be opened"
            named = f"{max(param.opts, key=len)} " if param is not None else ""
            raise ValueError(f"{named}{value} {told}") from error


class PictureSize(click.ParamType[tuple[int, int]]):
    """Width and height in pixels, written 1280x720."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The numbers of the text; both must be positive."""
        found = re.fullmatch(r"(\d+)x(\d+)", value)
        if found is None:
            self.fail(f"{value!r} is not WIDTHxHEIGHT, as in 1280x720", param, ctx)
        width, height = int(found[1]), int(found[2])
        if min(width, height) < 1:
            self.fail(f"width and height must be positive, not {width} and {height}", param, ctx)
        return width, height


def check_video_size(size: tuple[int, int]) -> None:
    """Raises click.BadParameter for a size that H.264, which stores colour for blocks of 2 × 2, cannot have."""
    if size[0] % 2 or size[1] % 2:
        raise click.BadParameter(
            f"a video must be even in width and height, not {size[0]} x {size[1]}", param_hint="--size"
        )


def split_names(_ctx: click.Context | None, _param: click.Parameter | None, value: str | None) -> list[str] | None:
    """The names of a list like A,B."""
    return None if value is None else [part.strip() for part in value.split(",")]


def shows_progress(*, quiet: bool) -> bool:
    """Whether progress is shown: where someone looks on, not in a log."""
    return not quiet and sys.stderr.isatty()


def check_output(path: Path | None, suffixes: tuple[str, ...], *, made: Path | None = None) -> None:
    """Raises ValueError or OSError for a file that could not be written in the end.

    Its folder must exist, or be made by the time with `made`, a folder that the command makes.
    """
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"the name of {path} must end in one of {', '.join(suffixes)}")
    folder = path.parent.absolute()
    if made is not None and made.absolute().is_relative_to(folder) and not path.is_dir():
        check_makeable(folder)
    else:
        check_output_file(path)
