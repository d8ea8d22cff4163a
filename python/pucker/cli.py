"""The command line: ``pucker demo``, ``pucker render``, ``pucker info``, ``pucker view``.

Whatever draws or computes is imported by the command that needs it, so that ``pucker --help`` answers at once.
"""

import json
import re
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

import click
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pucker
    from pucker.render import ClipRenderer
    from pucker.render.output import Picture

_SHEET_COLUMNS: Final = 6
_SHEET_ROWS: Final = ("mesh", "labels and paths", "wrinkled")
_VIDEO_SUFFIXES: Final = (".mp4", ".mov", ".mkv")
_SHEET_SUFFIXES: Final = (".png", ".jpg", ".jpeg")
# Compressions that `info` counts: a little under the default threshold, and a little over.
_COUNTED: Final = (1.15, 1.25)
_PART_KINDS: Final = ("materials", "nodes", "meshes", "joints")


class _Failure(click.ClickException):
    """What was asked for cannot be done: one sentence, exit status 2."""

    exit_code = 2

    def show(self, file: Any = None) -> None:
        """Prints the sentence, on the error output unless told otherwise."""
        click.echo(f"pucker: {self.format_message()}", file=file, err=file is None)


def _fail(reason: object) -> NoReturn:
    raise _Failure(" ".join(str(reason).split()))


class _Group(click.Group):
    """Turns the errors a user can cause into one sentence; any other keeps its traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Runs the command that was asked for."""
        import pucker

        try:
            return super().invoke(ctx)
        except (ValueError, OSError, pucker.Error) as error:
            _fail(error)


class _Size(click.ParamType[tuple[int, int]]):
    """Width and height in pixels, written 1280x720."""

    name = "WxH"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """The numbers of the text; both must be positive and even, as H.264 stores colour for blocks of 2 × 2."""
        found = re.fullmatch(r"(\d+)x(\d+)", value)
        if found is None:
            self.fail(f"{value!r} is not WIDTHxHEIGHT, as in 1280x720", param, ctx)
        width, height = int(found[1]), int(found[2])
        if min(width, height) < 2 or width % 2 or height % 2:
            self.fail(f"width and height must be positive and even, not {width} and {height}", param, ctx)
        return width, height


def _split(_ctx: click.Context, _param: click.Parameter, value: str | None) -> list[str] | None:
    return None if value is None else [part.strip() for part in value.split(",")]


@dataclass
class _Run:
    """What a clip was made into, and the time that took."""

    frames: int = 0
    wrinkles: int = 0
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time until the end of the block to a stage."""
        begin = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - begin

    def add(self, state: "pucker.State") -> None:
        """Takes the times and wrinkles of one frame."""
        self.frames += 1
        self.wrinkles += len(state.wrinkles)
        for name, seconds in state.seconds.items():
            self.seconds[name] += seconds

    def lines(self) -> list[str]:
        """One line a stage."""
        lines = [f"{name:<14}{1e3 * seconds / self.frames:9.2f} ms a frame" for name, seconds in self.seconds.items()]
        return [*lines, f"{self.frames} frames, {self.wrinkles / self.frames:.1f} wrinkles a frame"]


class _Sheet:
    """Collects the pictures of a contact sheet, which come frame by frame, that is column by column."""

    def __init__(self, path: Path, times: npt.NDArray[np.float64]) -> None:
        # Neither the first frame, which cannot have wrinkles yet, nor the last, which shows the same pose.
        inner = np.linspace(0, len(times) - 1, _SHEET_COLUMNS + 2)[1:-1]
        self.columns = {int(index) for index in np.rint(inner)}
        self._path = path
        self._captions = [f"{times[index]:.2f} s" for index in sorted(self.columns)]
        self._pictures: list[list[Picture]] = [[], [], []]

    def draw(self, renderer: "ClipRenderer", index: int, state: "pucker.State") -> None:
        """Adds a column."""
        plain, labelled, wrinkled = self._pictures
        plain.append(renderer.frame(index, mode="base"))
        labelled.append(renderer.frame(index, state, mode="base", overlays=("labels", "paths")))
        wrinkled.append(renderer.frame(index, state))

    def write(self) -> None:
        """Writes the sheet."""
        from pucker.render import contact_sheet

        contact_sheet(self._path, self._pictures, column_captions=self._captions, row_captions=_SHEET_ROWS)


def _wrinkled_places(clip: "pucker.Clip", params: "pucker.Params") -> npt.NDArray[np.float64]:
    """The points (k, 3) of all wrinkles of a run; of all garment positions if there are none."""
    import pucker

    wrinkler = pucker.Wrinkler(clip.mesh, params)
    states = (wrinkler.advance(frame.positions, frame.time) for frame in clip)
    points = [wrinkle.points for state in states for wrinkle in state.wrinkles]
    return np.concatenate(points) if points else clip.positions.reshape(-1, 3)


def _check_output(path: Path | None, suffixes: tuple[str, ...]) -> None:
    if path is None:
        return
    if path.suffix.lower() not in suffixes:
        raise ValueError(f"the name of {path} must end in one of {', '.join(suffixes)}")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"folder {path.parent} does not exist")


def _film(
    clip: "pucker.Clip",
    params: "pucker.Params",
    video: Path,
    *,
    fps: float,
    size: tuple[int, int],
    sheet: Path | None,
    quiet: bool,
) -> _Run:
    """Runs a clip and writes its video, and a contact sheet if there is a path for one."""
    try:
        from pucker.render import Camera, ClipRenderer, ContextError, write_video
    except ModuleNotFoundError as error:
        _fail(f"drawing needs {error.name}: install the extra pucker[render]")
    from tqdm import tqdm

    import pucker

    run = _Run()
    wrinkler = pucker.Wrinkler(clip.mesh, params)
    # A figure fills an upright cell; in a wide one it would stand between two empty fields.
    cell = (size[1] // 2, size[1] * 2 // 3)
    columns = None if sheet is None else _Sheet(sheet, clip.times)
    # The sheet shows the cloth that wrinkles, close enough to see how; the video shows the whole character.
    close = None if sheet is None else Camera.fit(_wrinkled_places(clip, params), aspect=cell[0] / cell[1])

    try:
        film = ClipRenderer(clip, size, params=params)
    except ContextError as error:
        _fail(error)
    with film, ClipRenderer(clip, cell, params=params, camera=close, context=film.renderer.context) as cells:

        def pictures() -> "Iterator[Picture]":
            for frame in tqdm(clip, disable=True if quiet else None, unit="frame", leave=False):
                state = wrinkler.advance(frame.positions, frame.time)
                run.add(state)
                if columns is not None and frame.index in columns.columns:
                    with run.stage("sheet"):
                        columns.draw(cells, frame.index, state)
                with run.stage("draw"):
                    picture = film.frame(frame.index, state)
                yield picture

        begin = time.perf_counter()
        write_video(video, pictures(), fps=fps)
        run.seconds["encode"] = time.perf_counter() - begin - sum(run.seconds.values())
    if columns is not None:
        columns.write()
    return run


def _summary(clip: "pucker.Clip", run: _Run, files: list[Path | None]) -> None:
    click.echo(f"{len(clip.faces)} triangles of cloth, {len(clip.mesh.edges)} edges")
    for line in run.lines():
        click.echo(line)
    for path in files:
        if path is not None:
            click.echo(f"wrote {path}")


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "show_default": True})
@click.version_option(package_name="pucker")
def cli() -> None:
    """Dynamic wrinkles for coarse animated cloth meshes."""


_OUTPUT_PATH: Final = click.Path(dir_okay=False, path_type=Path)
_quiet: Final = click.option("--quiet", is_flag=True, help="No progress, no summary.")


def _choice_of_cloth(command: Callable[..., None]) -> Callable[..., None]:
    """Adds the options that choose what of a file is loaded."""
    for option in (
        click.option("--loops", type=int, default=1, help="How often the clip is run through."),
        click.option("--fps", type=float, default=30.0, help="Frames per second."),
        click.option(
            "--parts",
            callback=_split,
            metavar="A,B,…",
            help="What is cloth: materials, nodes or joint:NAME; * at the end of a name stands for any rest.  "
            "[default: the whole character]",
        ),
        click.option(
            "--clip",
            "clip_name",
            metavar="NAME",
            help="Name of the clip, or frames FIRST:LAST[@RATE].  [default: the only one]",
        ),
    ):
        command = option(command)
    return command


@cli.command()
@click.option(
    "-o",
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("out"),
    help="Folder of the results; made if it does not exist.",
)
@click.option(
    "--data",
    type=click.Path(path_type=Path),
    default=Path(__file__).resolve().parents[2] / "data",
    show_default="that of the checkout",
    help="Folder of the example data.",
)
@click.option("--size", type=_Size(), default="1280x720", help="Size of the video.")
@_quiet
def demo(output: Path, data: Path, size: tuple[int, int], quiet: bool) -> None:
    """Let the kimono of the example data walk, and show how it wrinkles."""
    import pucker

    clip = pucker.load(data / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=30.0, loops=2)
    params = pucker.Params(min_width=0.0075 * clip.height)
    output.mkdir(parents=True, exist_ok=True)
    video, sheet = output / "demo.mp4", output / "demo.png"
    run = _film(clip, params, video, fps=30.0, size=size, sheet=sheet, quiet=quiet)
    if not quiet:
        _summary(clip, run, [video, sheet])


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--output", type=_OUTPUT_PATH, required=True, help="The video: .mp4, .mov or .mkv.")
@_choice_of_cloth
@click.option("--size", type=_Size(), default="1280x720", help="Size of the video.")
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
@click.option("--sheet", type=_OUTPUT_PATH, help="A contact sheet too: .png or .jpg.")
@_quiet
def render(
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

    _check_output(output, _VIDEO_SUFFIXES)
    _check_output(sheet, _SHEET_SUFFIXES)
    clip = pucker.load(file, clip=clip_name, parts=parts, fps=fps, loops=loops)
    params = pucker.Params(
        threshold=threshold, min_width=min_width * clip.height, seed=seed, shape={"profile": profile}
    )
    run = _film(clip, params, output, fps=fps, size=size, sheet=sheet, quiet=quiet)
    if not quiet:
        _summary(clip, run, [output, sheet])


def _attributes(value: Any) -> dict[str, Any]:
    """The numbers of a report by name, those of reports in it included."""
    names = [name for name in dir(value) if not name.startswith("_") and not callable(getattr(value, name))]
    numbers = {name: getattr(value, name) for name in names}
    return {name: n if isinstance(n, int | float | str) else _attributes(n) for name, n in numbers.items()}


def _compressed(clip: "pucker.Clip") -> dict[str, list[int]]:
    """How many triangles are past each counted compression, frame by frame."""
    import pucker

    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.0075 * clip.height))
    counts: dict[str, list[int]] = {str(limit): [] for limit in _COUNTED}
    for frame in clip:
        compression = wrinkler.advance(frame.positions, frame.time).compression
        for limit in _COUNTED:
            counts[str(limit)].append(int(np.count_nonzero(compression > limit)))
    return counts


def _describe(file: Path) -> dict[str, Any]:
    import pucker

    found = pucker.inspect(file)
    return {
        "file": str(file),
        "format": found.format,
        "triangles": found.triangles,
        "stored_vertices": found.stored_vertices,
        "clips": found.clips,
        **{kind: getattr(found, kind) for kind in _PART_KINDS},
    }


def _print_table(title: str, rows: Mapping[str, Any], unit: str) -> None:
    if not rows:
        return
    click.echo(f"{title}:")
    for name, value in rows.items():
        number = f"{value:10.3f}" if isinstance(value, float) else f"{value:10}"
        click.echo(f"{number} {unit}  {name}")


def _print_report(title: str, report: Mapping[str, Any]) -> None:
    click.echo(f"{title}:")
    for name, value in report.items():
        if not isinstance(value, dict):
            number, unit = (f"{value:10.3f}", " s ") if isinstance(value, float) else (f"{value:10}", " ")
            click.echo(f"{number}{unit} {name.replace('_', ' ')}")


def _print_compression(counts: Mapping[str, list[int]]) -> None:
    click.echo("triangles past a compression, in a frame:")
    for limit, numbers in counts.items():
        click.echo(f"{limit:>10}  {min(numbers)} to {max(numbers)}, mean {np.mean(numbers):.1f}")


@cli.command()
@click.argument("file", type=click.Path(path_type=Path))
@_choice_of_cloth
@click.option("--json", "as_json", is_flag=True, help="One JSON object.")
def info(file: Path, clip_name: str | None, parts: list[str] | None, fps: float, loops: int, as_json: bool) -> None:
    """List clips and parts of FILE; with --clip or --parts, how the garment is made and how much it compresses."""
    import pucker

    content = _describe(file)
    if clip_name is not None or parts is not None:
        clip = pucker.load(file, clip=clip_name, parts=parts, fps=fps, loops=loops)
        content |= {"report": _attributes(clip.report), "triangles_past_compression": _compressed(clip)}
    if as_json:
        click.echo(json.dumps(content, indent=2, ensure_ascii=False))
        return
    click.echo(f"{file}: {content['format']}, {content['triangles']} triangles, {content['stored_vertices']} vertices")
    _print_table("clips", content["clips"], "s")
    for kind in _PART_KINDS:
        _print_table(kind, content[kind], "triangles")
    if "report" in content:
        _print_report("clip", content["report"])
        _print_report("connectivity", content["report"]["mesh"])
        _print_compression(content["triangles_past_compression"])


def _viewer() -> str | None:
    """The native viewer: beside the compiled core, else wherever programs are looked for."""
    from pucker import _core

    beside = Path(_core.__file__).parent / "bin" / "pucker-view"
    return str(beside) if beside.is_file() else shutil.which("pucker-view")


@cli.command(context_settings={"ignore_unknown_options": True, "help_option_names": []})
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[FILE] [OPTIONS]")
def view(arguments: tuple[str, ...]) -> NoReturn:
    """Open FILE in the native viewer; `pucker view --help` lists its options."""
    program = _viewer()
    if program is None:
        _fail("pucker-view is not installed: ./run view builds it, as does CMake with -DPUCKER_VIEWER=ON")
    sys.exit(subprocess.run([program, *arguments], check=False).returncode)


def main() -> None:
    """Entry point of the program ``pucker``."""
    cli(prog_name="pucker")
