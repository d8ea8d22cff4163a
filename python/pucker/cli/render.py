"""``pucker render``."""

import re
from pathlib import Path
from typing import Final, Literal

import click

from pucker._core.draw import LIGHT_PARTS, Mode
from pucker.cli.choices import Cloth, Wrinkles, choice_of_cloth, choice_of_wrinkles
from pucker.cli.common import (
    OUTPUT_PATH,
    Choice,
    Command,
    InputFile,
    PictureSize,
    check_output,
    check_video_size,
    json_option,
    quiet_option,
    rare_option,
    split_names,
)
from pucker.cli.film import SHEET_SUFFIXES, VIDEO_SUFFIXES, Drawing, make_film, print_summary
from pucker.io.files import check_output_path

_ANGLES: Final = re.compile(r"([-+]?[\d.]+),([-+]?[\d.]+)")


class View(click.ParamType[str | tuple[float, float]]):
    """A name, or azimuth and elevation in degrees, written 35,10."""

    name = "NAME|AZ,EL"

    def convert(
        self, value: str, param: click.Parameter | None, ctx: click.Context | None
    ) -> str | tuple[float, float]:
        """The angles, or the name as it is."""
        found = _ANGLES.fullmatch(value)
        if found is None:
            return value
        try:
            return float(found[1]), float(found[2])
        except ValueError:
            self.fail(f"{value!r} is not AZIMUTH,ELEVATION, as in 35,10", param, ctx)


class Frames(click.ParamType[tuple[int, int]]):
    """The first and the last frame, written 3:20, or one."""

    name = "FIRST:LAST"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The numbers, of which the second must not be smaller."""
        found = re.fullmatch(r"(\d+)(?::(\d+))?", value)
        if found is None:
            self.fail(f"{value!r} is not FIRST:LAST, as in 0:29, nor a number", param, ctx)
        first, last = int(found[1]), int(found[2] or found[1])
        if last < first:
            self.fail(f"{value} holds no frame", param, ctx)
        return first, last


@click.command(
    "render",
    cls=Command,
    epilog="Example: pucker render data/kimono_male.gltf --clip Walk --parts Clothes,Band -o walk.mp4",
)
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    help="A video: .mp4, .mov or .mkv; a picture of one frame: .png or .jpg; a folder, for a PNG of each frame.",
)
@choice_of_cloth
@click.option("--size", type=PictureSize(), default="1280x720", help="Size of the pictures.")
@click.option(
    "--view",
    type=View(),
    show_default="three-quarter",
    help="front, left, right, back, top, three-quarter, or azimuth and elevation in degrees, of the way it faces.",
)
@rare_option(
    "--focus",
    type=Choice(["cloth", "all"]),
    default="all",
    help="What fills the picture, in all frames drawn: the whole character, or the cloth alone.",
)
@rare_option("--camera", type=InputFile(), help="A camera file, for a view.")
@rare_option(
    "--mode",
    type=Choice([mode.name for mode in Mode]),
    default="both",
    help="What of the wrinkles is drawn.",
)
@rare_option(
    "--normals",
    type=Choice(["smooth", "file"]),
    default="smooth",
    help="What lights the character: smooth normals, or the file's, with its hard edges, where it has some and the method keeps its mesh.",
)
@rare_option(
    "--without",
    callback=split_names,
    metavar="A,B,…",
    help=f"Parts of the light to leave away: {', '.join(LIGHT_PARTS)}.",
)
@click.option(
    "--overlays",
    callback=split_names,
    metavar="A,B,…",
    help="What is drawn over them: reached, wireframe, tessellation, of the dynamic method labels, paths, ellipses, reference, "
    "and of draped cloth strain_before, strain_after, fold_sizes, wavelengths, hold, hold_force, contact, residual.",
)
@click.option("--frames", type=Frames(), show_default="all", help="The frames that are drawn, both included, or one.")
@rare_option("--transparent", is_flag=True, help="Pictures without a background, in PNG.")
@choice_of_wrinkles()
@rare_option("--sheet", type=OUTPUT_PATH, help="A contact sheet too: .png or .jpg.")
@quiet_option
@json_option
def command(
    file: Path,
    output: Path,
    cloth: Cloth,
    size: tuple[int, int],
    view: str | tuple[float, float] | None,
    focus: Literal["cloth", "all"],
    camera: Path | None,
    mode: str,
    normals: Literal["smooth", "file"],
    without: list[str] | None,
    overlays: list[str] | None,
    frames: tuple[int, int] | None,
    transparent: bool,
    wrinkles: Wrinkles,
    sheet: Path | None,
    quiet: bool,
    as_json: bool,
) -> None:
    """Render a clip of FILE with wrinkles, as a video or as pictures."""
    if view is not None and camera is not None:
        raise click.UsageError("--view and --camera cannot both be given")
    # What is misspelt is told before what it would need.
    params = wrinkles.params()
    drawing = Drawing(
        view, camera, mode, tuple(overlays or ()), frames, transparent, focus, normals, tuple(without or ())
    )
    drawing.check(output)
    check_output_path(output)
    if output.suffix.lower() in VIDEO_SUFFIXES:
        check_video_size(size)
    check_output(sheet, SHEET_SUFFIXES)
    # The file's normals are those of its mesh.
    cloth = cloth.as_it_is() if normals == "file" else cloth
    # A contact sheet shows moments of the whole clip.
    needed = None if frames is None or sheet is not None else frames[1] + 1
    clip = wrinkles.cloth(cloth).load(file, quiet=quiet, frames=needed)
    if not quiet:
        drawing.tell_small_cloth(file, clip)
    tally = make_film(clip, params, output, drawing=drawing, fps=cloth.fps, size=size, sheet=sheet, quiet=quiet)
    print_summary(clip, tally, [output, sheet], quiet=quiet, as_json=as_json)
