"""``pucker demo``."""

from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from pucker.cli.common import Size, check_video_size, json_option, quiet_option
from pucker.cli.film import make_film, print_summary
from pucker.io.files import make_folder

if TYPE_CHECKING:
    import pucker

SIZE: Final = (1280, 720)


def clip() -> "pucker.Clip":
    """The kimono's walk, twice and made smooth."""
    import pucker

    return pucker.load(pucker.examples.kimono(), clip="Walk", parts=["Clothes", "Band"], loops=2, smooth=1)


@click.command("demo", epilog="Example: pucker demo -o out")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    help="Folder of the results; made if it does not exist.",
)
@click.option("--size", type=Size(), default="{}x{}".format(*SIZE), help="Size of the video.")
@quiet_option
@json_option
def command(output: Path, size: tuple[int, int], quiet: bool, as_json: bool) -> None:
    """Let the kimono walk, made smooth, and show how it wrinkles."""
    import pucker

    check_video_size(size)
    walk = clip()
    params = pucker.Params()
    make_folder(output)
    video, sheet = output / "demo.mp4", output / "demo.png"
    tally = make_film(walk, params, video, fps=30.0, size=size, sheet=sheet, quiet=quiet)
    print_summary(walk, tally, [video, sheet], quiet=quiet, as_json=as_json)
