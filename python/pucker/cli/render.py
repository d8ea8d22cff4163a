"""``pucker render``."""

from pathlib import Path

import click

from pucker.cli.common import OUTPUT_PATH, Size, check_output, choice_of_cloth, quiet_option
from pucker.cli.film import SHEET_SUFFIXES, VIDEO_SUFFIXES, make_film, print_summary


@click.command("render")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=OUTPUT_PATH, required=True, help="The video: .mp4, .mov or .mkv.")
@choice_of_cloth
@click.option("--size", type=Size(), default="1280x720", help="Size of the video.")
@click.option("--threshold", type=float, default=1.2, help="Compression from which cloth wrinkles.")
@click.option(
    "--min-width", type=float, default=0.0075, help="Smallest width of a wrinkle, as a share of the character's height."
)
@click.option(
    "--profile",
    type=click.Choice(["quartic", "sinusoidal", "arcs", "bspline"]),
    default="bspline",
    help="Cross-section of a wrinkle.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, help="The same seed gives the same wrinkles.")
@click.option("--sheet", type=OUTPUT_PATH, help="A contact sheet too: .png or .jpg.")
@quiet_option
def command(
    file: Path,
    output: Path,
    clip_name: str | None,
    parts: list[str] | None,
    fps: float,
    loops: int,
    size: tuple[int, int],
    threshold: float,
    min_width: float,
    profile: str,
    seed: int,
    sheet: Path | None,
    quiet: bool,
) -> None:
    """Render a clip of FILE with wrinkles."""
    import pucker

    check_output(output, VIDEO_SUFFIXES)
    check_output(sheet, SHEET_SUFFIXES)
    clip = pucker.load(file, clip=clip_name, parts=parts, fps=fps, loops=loops)
    params = pucker.Params(
        threshold=threshold, min_width=min_width * clip.height, seed=seed, shape={"profile": profile}
    )
    run = make_film(clip, params, output, fps=fps, size=size, sheet=sheet, quiet=quiet)
    if not quiet:
        print_summary(clip, run, [output, sheet])
