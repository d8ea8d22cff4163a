"""``pucker render``."""

from pathlib import Path

import click

from pucker.cli.common import (
    OUTPUT_PATH,
    Cloth,
    Size,
    Wrinkles,
    check_output,
    choice_of_cloth,
    choice_of_wrinkles,
    json_option,
    quiet_option,
)
from pucker.cli.film import SHEET_SUFFIXES, VIDEO_SUFFIXES, make_film, print_summary


@click.command(
    "render", epilog="Example: pucker render data/kimono_male.gltf --clip Walk --parts Clothes,Band -o walk.mp4"
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OUTPUT_PATH, required=True, help="The video: .mp4, .mov or .mkv.")
@choice_of_cloth
@click.option("--size", type=Size(), default="1280x720", help="Size of the video.")
@choice_of_wrinkles
@click.option("--sheet", type=OUTPUT_PATH, help="A contact sheet too: .png or .jpg.")
@quiet_option
@json_option
def command(
    file: Path,
    output: Path,
    cloth: Cloth,
    size: tuple[int, int],
    wrinkles: Wrinkles,
    sheet: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Render a clip of FILE with wrinkles."""
    check_output(output, VIDEO_SUFFIXES)
    check_output(sheet, SHEET_SUFFIXES)
    clip = cloth.load(file)
    params = wrinkles.params(clip)
    run = make_film(clip, params, output, fps=cloth.fps, size=size, sheet=sheet, quiet=quiet)
    print_summary(clip, run, [output, sheet], quiet=quiet, as_json=as_json)
