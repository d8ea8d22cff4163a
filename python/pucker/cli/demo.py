"""``pucker demo``."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np

from pucker.cli.common import Command, InputFile, PictureSize, check_video_size, json_option, quiet_option
from pucker.cli.errors import needing
from pucker.cli.film import Tally, print_summary
from pucker.io.files import make_folder

if TYPE_CHECKING:
    import pucker
    import pucker.render
    from pucker.render.output import Picture

SIZE: Final = (1280, 720)
_FPS: Final = 30.0
_COLUMNS: Final = 4
# A cell of the contact sheet, as shares of the video's height.
_CELL: Final = (0.58, 0.62)


def clip() -> "pucker.Clip":
    """The kimono's run, twice: of the second round nothing shows that cloth began at rest."""
    import pucker

    return pucker.load(pucker.examples.kimono(), clip="Run", parts=["Clothes"], fps=_FPS, loops=2)


def rows(coarse: "pucker.Clip", trained: Path | None) -> "dict[str, tuple[pucker.Clip, Any]]":
    """The clip and the parameters of each row of the sheet, the most believable first.

    The character is made smooth, as by the other commands; all but its cloth by example, which is trained for the mesh of the file.
    """
    import pucker
    from pucker import byexample, drape, waves

    smooth = coarse.smoothed()
    by_example = (
        {} if trained is None else {"by example": (coarse.with_smooth_body(), byexample.Params(trained=str(trained)))}
    )
    return {
        "draped": (smooth, drape.Params()),
        **by_example,
        "waves": (smooth, waves.Params()),
        "dynamic": (smooth, pucker.Params()),
    }


def columns(count: int) -> list[int]:
    """The frames of the sheet, of `count`: evenly spread over the second of two rounds."""
    return [round(frame) for frame in np.linspace(count / 2, count - 1, _COLUMNS + 1)[:-1]]


def draw(coarse: "pucker.Clip", trained: Path | None, size: tuple[int, int], video: Path, sheet: Path) -> Tally:
    """Writes a video of a clip as it came beside draped cloth, and a sheet with a row a method."""
    import pucker
    from pucker.method import method_of
    from pucker.render import ClipRenderer, captioned, contact_sheet, fitted_camera, write_video
    from pucker.render.camera import DEFAULT_VIEW

    half = (size[0] // 2, size[1])
    cell = (max(1, round(_CELL[0] * size[1])), max(1, round(_CELL[1] * size[1])))
    methods = rows(coarse, trained)
    frames = columns(len(coarse))
    tally = Tally(method_of(methods["draped"][1]))
    cells: dict[str, list[Picture]] = {"coarse": [], **{name: [] for name in methods}}
    # The garment fills them: of whole characters no fold would be seen.
    of_cells = {frame: fitted_camera(coarse, DEFAULT_VIEW, cell, frames=(frame, frame)) for frame in frames}

    with ExitStack() as stack:
        smooth, draped = methods["draped"]
        plain = stack.enter_context(ClipRenderer(coarse, half, focus="all"))
        context = plain.renderer.context
        film = stack.enter_context(ClipRenderer(smooth, half, params=draped, camera=plain.camera, context=context))

        def small(shown: "pucker.Clip", params: Any) -> "Callable[..., Picture]":
            renderer = stack.enter_context(ClipRenderer(shown, cell, params=params, context=context))

            def picture(frame: int, *state: Any) -> "Picture":
                renderer.camera = of_cells[frame]
                return renderer.frame(frame, *state)

            return picture

        small_plain, small_draped = small(coarse, None), small(smooth, draped)

        def pictures() -> "Iterator[Picture]":
            for state in pucker.run(smooth, draped):
                tally.add(state)
                tally.drawn += 1
                if state.frame in frames:
                    with tally.stage("sheet"):
                        cells["coarse"].append(small_plain(state.frame))
                        cells["draped"].append(small_draped(state.frame, state))
                with tally.stage("draw"):
                    beside = captioned(plain.frame(state.frame), "coarse")
                    yield np.hstack([beside, captioned(film.frame(state.frame, state), "draped")])

        with tally.stage("film"):
            write_video(video, pictures(), fps=_FPS)
        inner = sum(seconds for name, seconds in tally.seconds.items() if name != "film")
        tally.seconds["encode"] = max(0.0, tally.seconds.pop("film") - inner)
        with tally.stage("other methods"):
            for name, (shown, params) in methods.items():
                if name == "draped":
                    continue
                picture = small(shown, params)
                for state in islice(pucker.run(shown, params), frames[-1] + 1):
                    if state.frame in frames:
                        cells[name].append(picture(state.frame, state))
    captions = [f"{coarse.times[frame]:.2f} s" for frame in frames]
    contact_sheet(sheet, list(cells.values()), column_captions=captions, row_captions=tuple(cells))
    return tally


@click.command("demo", cls=Command, epilog="Example: pucker demo -o out")
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    help="Folder of the results; made if it does not exist.",
)
@click.option("--size", type=PictureSize(), default="{}x{}".format(*SIZE), help="Size of the video.")
@click.option(
    "--trained",
    type=InputFile(),
    metavar="FILE.npz",
    help="A trained set of the kimono, for a row of cloth by example.",
    show_default="none",
)
@quiet_option
@json_option
def command(output: Path, size: tuple[int, int], trained: Path | None, quiet: bool, as_json: bool) -> None:
    """Let the kimono run, as it came beside draped, and show each method in a row of pictures."""
    check_video_size(size)
    if size[0] % 4:
        raise click.BadParameter(
            f"two pictures beside each other need a width that 4 divides, not {size[0]}", param_hint="--size"
        )
    with needing("render", "drawing"):
        import pucker.render  # noqa: F401 - so that what is missing is reported before anything is loaded
    shown = clip()
    make_folder(output)
    video, sheet = output / "demo.mp4", output / "demo.png"
    tally = draw(shown, trained, size, video, sheet)
    print_summary(shown, tally, [video, sheet], quiet=quiet, as_json=as_json)
