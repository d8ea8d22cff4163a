"""Videos, pictures and contact sheets, for the commands that make them."""

import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
import numpy as np
import numpy.typing as npt

from pucker.cli.errors import needing, printable
from pucker.io.files import replacing_in

if TYPE_CHECKING:
    import pucker
    from pucker.method import MethodType
    from pucker.render import Camera, ClipRenderer
    from pucker.render.clip import Focus
    from pucker.render.output import Picture
    from pucker.shading import Normals

_SHEET_COLUMNS: Final = 6
# Cloth is small in a picture whose contents are more than six times as large.
_SMALL: Final = 1.0 / 6.0
VIDEO_SUFFIXES: Final = (".mp4", ".mov", ".mkv")
SHEET_SUFFIXES: Final = (".png", ".jpg", ".jpeg")


@dataclass(frozen=True)
class Drawing:
    """How a clip is drawn, and which of its frames.

    Without a camera the `view` is taken, a name or (azimuth, elevation) in degrees, and the `focus` fills the picture in
    what is drawn, "cloth" or "all"; without `frames`, the first and the last, all are drawn. `transparent` leaves the background away. `normals` light the cloth, "smooth" or the "file"'s. `without` leaves parts of the
    light away, names of `draw.LIGHT_PARTS`.
    """

    view: str | tuple[float, float] | None = None
    camera: Path | None = None
    mode: str = "both"
    overlays: tuple[str, ...] = ()
    frames: tuple[int, int] | None = None
    transparent: bool = False
    focus: "Focus" = "all"
    normals: "Normals" = "smooth"
    without: tuple[str, ...] = ()

    def check(self, output: Path) -> None:
        """Raises ValueError for what a file of its ending cannot show."""
        suffix = output.suffix.lower()
        if suffix not in (*VIDEO_SUFFIXES, *SHEET_SUFFIXES, ""):
            known = ", ".join((*VIDEO_SUFFIXES, *SHEET_SUFFIXES))
            raise ValueError(f"the name of {output} must end in one of {known}, or in none for a folder of pictures")
        if self.transparent and suffix not in (".png", ""):
            raise ValueError(f"{output} cannot be transparent: only a .png or a folder of them can")
        if suffix in SHEET_SUFFIXES and (self.frames is None or self.frames[0] != self.frames[1]):
            raise ValueError(f"{output} shows one frame: --frames says which")

    def tell_small_cloth(self, file: Path, clip: "pucker.Clip") -> None:
        """Says on the error output that cloth is small in the picture, as of a character on a wide ground, and how to come closer."""
        if self.camera is not None or self.focus != "all":
            return
        from pucker.render.clip import points_of

        shown = self.frames_of(clip)
        drawn = slice(shown[0], shown[-1] + 1)
        cloth, whole = (
            float(np.linalg.norm(np.ptp(points, axis=0)))
            for points in (np.reshape(clip.positions[drawn], (-1, 3)), points_of(clip, drawn))
        )
        if 0.0 < cloth < _SMALL * whole:
            told = (
                f"the cloth is {100.0 * cloth / whole:.2g} % as large as all that is drawn; --focus cloth comes closer"
            )
            click.echo(printable(f"{file}: {told}"), err=True)

    def frames_of(self, clip: "pucker.Clip") -> range:
        """The frames of a clip that are drawn."""
        first, last = self.frames or (0, len(clip) - 1)
        if last >= len(clip):
            told = str(first) if first == last else f"{first}:{last}"
            raise ValueError(f"--frames must lie in [0, {len(clip)}), not {told}: the clip has {len(clip)} frames")
        return range(first, last + 1)


@dataclass
class Tally:
    """What a clip was made into by a method, and the time that took."""

    method: "MethodType"
    frames: int = 0
    drawn: int = 0
    counts: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    seconds: dict[str, float] = field(default_factory=lambda: defaultdict(float))

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Adds the time until the end of the block to a stage."""
        begin = time.perf_counter()
        yield
        self.seconds[name] += time.perf_counter() - begin

    def add(self, state: Any) -> None:
        """Takes the times and counts of one frame."""
        self.frames += 1
        for name, count in self.method.counts(state).items():
            self.counts[name] += count
        for name, seconds in state.seconds.items():
            self.seconds[name] += seconds

    def content(self) -> dict[str, object]:
        """Frames, what the method counts a frame, and seconds a frame of each stage."""
        seconds = {name: seconds / self.frames for name, seconds in self.seconds.items()}
        counts = {name: count / self.frames for name, count in self.counts.items()}
        return {"frames": self.frames, "drawn": self.drawn, **counts, "seconds": seconds}

    def lines(self) -> list[str]:
        """One line a stage."""
        lines = [f"{name:<14}{1e3 * seconds / self.frames:9.2f} ms a frame" for name, seconds in self.seconds.items()]
        counts = [f"{count / self.frames:.1f} {name.replace('_', ' ')} a frame" for name, count in self.counts.items()]
        drawn = f"{self.drawn} frame{'s' * (self.drawn != 1)}"
        # A frame's wrinkles depend on all before it.
        ran = f" after a run over {self.frames}" if self.frames != self.drawn else ""
        return [*lines, ", ".join([drawn + ran, *counts])]


class _Sheet:
    """Collects the pictures of a contact sheet, which come frame by frame, that is column by column."""

    def __init__(self, path: Path, times: npt.NDArray[np.float64], overlays: Sequence[str]) -> None:
        # Neither the first frame, which cannot have wrinkles yet, nor the last, which shows the same pose.
        inner = np.linspace(0, len(times) - 1, _SHEET_COLUMNS + 2)[1:-1]
        self.columns = {int(index) for index in np.rint(inner)}
        self._path = path
        self._overlays = overlays
        self._captions = [f"{times[index]:.2f} s" for index in sorted(self.columns)]
        self._pictures: list[list[Picture]] = [[], [], []]

    def draw(self, renderer: "ClipRenderer", index: int, state: Any) -> None:
        """Adds a column."""
        plain, labelled, wrinkled = self._pictures
        plain.append(renderer.frame(index, mode="base"))
        labelled.append(renderer.frame(index, state, mode="base", overlays=self._overlays))
        wrinkled.append(renderer.frame(index, state))

    def write(self) -> None:
        """Writes the sheet."""
        from pucker.render import contact_sheet

        contact_sheet(
            self._path,
            self._pictures,
            column_captions=self._captions,
            row_captions=("mesh", " and ".join(self._overlays) or "mesh", "wrinkled"),
        )


def _wrinkled_places(clip: "pucker.Clip", params: Any) -> npt.NDArray[np.float64]:
    """The corners (k, 3) of all triangles that wrinkle in a run; all garment positions if there are none."""
    import pucker

    points = []
    for state in pucker.run(clip, params):
        wrinkled = np.isfinite(state.detail.feature_sizes)
        points.append(clip.positions[state.frame][clip.faces[wrinkled]].reshape(-1, 3))
    found = np.concatenate(points)
    return found if len(found) else clip.positions.reshape(-1, 3)


def sheet_camera(clip: "pucker.Clip", params: Any, size: tuple[int, int]) -> "Camera":
    """The camera of a contact sheet: close to what wrinkles, with nothing of the character cut open before it."""
    from pucker.render import Camera
    from pucker.render.clip import seen_from

    camera = Camera.fit(_wrinkled_places(clip, params), seen_from(clip), aspect=size[0] / size[1])
    return camera.holding(clip.positions).holding(clip.body_positions)


_PLAIN: Final = Drawing()


def make_film(
    clip: "pucker.Clip",
    params: Any,
    output: Path,
    *,
    drawing: Drawing = _PLAIN,
    fps: float,
    size: tuple[int, int],
    sheet: Path | None,
    quiet: bool,
) -> Tally:
    """Runs a clip and writes its video, a picture, or a folder of pictures; and a contact sheet if there is a path for one.

    Which of them follows from the ending of `output`.
    """
    with needing("render", "drawing"):
        from pucker.render import Camera, ClipRenderer, Overlays
        from pucker.render.camera import DEFAULT_VIEW
    from tqdm import tqdm

    import pucker
    from pucker._core import draw
    from pucker.method import method_of

    tally = Tally(method_of(params))
    shown = drawing.frames_of(clip)
    options: dict[str, Any] = {
        "mode": drawing.mode,
        "overlays": Overlays.of(drawing.overlays, tally.method),
        "alpha": drawing.transparent,
    }
    style = reduce(draw.without, drawing.without, draw.Style())
    camera = None if drawing.camera is None else Camera.from_json(drawing.camera)
    # A figure fills an upright cell; in a wide one it would stand between two empty fields.
    cell = (size[1] // 2, size[1] * 2 // 3)
    columns = None if sheet is None else _Sheet(sheet, clip.times, method_of(params).sheet_overlays)
    # The sheet shows the cloth that wrinkles, close enough to see how.
    close = None if sheet is None else sheet_camera(clip, params, cell)

    with (
        ClipRenderer(
            clip,
            size,
            params=params,
            view=drawing.view or DEFAULT_VIEW,
            focus=drawing.focus,
            frames=(shown[0], shown[-1]),
            camera=camera,
            normals=drawing.normals,
            style=style,
        ) as film,
        ClipRenderer(
            clip, cell, params=params, camera=close, context=film.renderer.context, normals=drawing.normals, style=style
        ) as cells,
    ):

        def pictures() -> "Iterator[Picture]":
            states = tqdm(
                pucker.run(clip, params),
                total=len(clip),
                disable=True if quiet else None,
                unit="frame",
                leave=False,
            )
            for index, state in enumerate(states):
                tally.add(state)
                if columns is not None and index in columns.columns:
                    with tally.stage("sheet"):
                        columns.draw(cells, index, state)
                if index in shown:
                    with tally.stage("draw"):
                        picture = film.frame(index, state, **options)
                    tally.drawn += 1
                    yield picture
                if columns is None and index == shown[-1]:
                    return

        begin = time.perf_counter()
        _write(output, pictures(), shown, fps)
        tally.seconds["encode"] = time.perf_counter() - begin - sum(tally.seconds.values())
    if columns is not None:
        columns.write()
    return tally


def _write(output: Path, pictures: "Iterator[Picture]", frames: range, fps: float) -> None:
    from pucker.render import still, write_video

    if output.suffix.lower() in VIDEO_SUFFIXES:
        write_video(output, pictures, fps=fps)
    elif output.suffix:
        still(output, *pictures)
    else:
        with replacing_in(output) as folder:
            for index, picture in zip(frames, pictures, strict=True):
                still(folder / f"frame_{index:04}.png", picture)


def print_summary(clip: "pucker.Clip", tally: Tally, files: list[Path | None], *, quiet: bool, as_json: bool) -> None:
    """Prints what a film was made of, and which files were written: as one JSON object, in lines, or not at all."""
    written = [str(path) for path in files if path is not None]
    if as_json:
        click.echo(json.dumps({"triangles": len(clip.faces), **tally.content(), "files": written}))
    elif not quiet:
        click.echo(f"{len(clip.faces)} triangles of cloth, {len(clip.mesh.edges)} edges")
        for line in [*tally.lines(), *(f"wrote {path}" for path in written)]:
            click.echo(line)
