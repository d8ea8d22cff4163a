"""``pucker demo``."""

from pathlib import Path

import click

from pucker.cli.common import Size, check_video_size, json_option, quiet_option
from pucker.cli.film import make_film, print_summary
from pucker.io.files import make_folder


@click.command("demo", epilog="Example: pucker demo -o out")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    help="Folder of the results; made if it does not exist.",
)
@click.option("--size", type=Size(), default="1280x720", help="Size of the video.")
@quiet_option
@json_option
def command(output: Path, size: tuple[int, int], quiet: bool, as_json: bool) -> None:
    """Let the kimono walk, made smooth, and show how it wrinkles."""
    import pucker

    check_video_size(size)
    clip = pucker.load(pucker.examples.kimono(), clip="Walk", parts=["Clothes", "Band"], loops=2, smooth=1)
    params = pucker.Params()
    make_folder(output)
    video, sheet = output / "demo.mp4", output / "demo.png"
    tally = make_film(clip, params, video, fps=30.0, size=size, sheet=sheet, quiet=quiet)
    print_summary(clip, tally, [video, sheet], quiet=quiet, as_json=as_json)
