"""What a graphics card takes for pictures of all methods, by pass, size of the picture and number of characters."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product, repeat
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, drape, metrics, waves
from pucker._core import draw
from pucker.method import start
from pucker.render import Camera, Renderer
from pucker.render.clip import scene_of
from pucker.render.surface import DrawnSurface

from . import report, scenes
from .render import PASSES

TITLE: Final = "Performance on graphics cards"
PEERS: Final = ("moderngl",)
SIZES: Final = ((1280, 720), (1920, 1080), (2560, 1440), (3840, 2160))
SIZE: Final = (1920, 1080)
CHARACTERS: Final = (1, 10, 100, 1000)
# Pictures of one kind that are timed, after as many seconds of others, in which a card that has slept comes to its clock; how
# many at least, where they take longer than LONGEST together; and how often all are drawn, with everything made anew.
PICTURES: Final = 20
FEWEST: Final = 3
WARM: Final = 0.2
REPEATS: Final = 3
# Seconds of a picture after which larger ones and more characters are not tried, and seconds after which no others are begun,
# so that all takes ten minutes at most anywhere.
LONGEST: Final = 1.0
ALL: Final = 500.0
# The frame that is drawn; frames before it are run, so that there are wrinkles.
FRAME: Final = 20
# Milliseconds of the card, and mean FLIP error beside the software rasteriser's picture.
AIM: Final = 0.3
AIMS: Final = {"by example, gpu": 0.2, "draped": 1.0, "draped, gpu": 1.0}
CROWD_AIM: Final = 16.0
ALIKE: Final = 0.01
SOFTWARE: Final = "llvmpipe"
# The device's pictures. Those of a card without a software rasteriser beside it are compared where the page is written.
KEPT: Final = Path(__file__).resolve().parents[1] / "build" / "bench" / "gpu"
_MESA: Final = Path("/usr/share/glvnd/egl_vendor.d/50_mesa.json")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Shown:
    """What a picture shows of a character: a frame of the clip, moved, with detail or without."""

    frame: int
    at: Floats
    detail: Any = None


@dataclass(frozen=True)
class Subject:
    """The running kimono with the detail of one method."""

    name: str
    params: Any
    # Whether its programs go on from what they have left of the frame before, so that a frame drawn again is none for them.
    goes_on: bool = False

    def characters(self, clip: pucker.Clip, number: int) -> Iterator[Iterator[Shown]]:
        """Of each character, what one picture after another shows."""
        step = float(clip.times[1] - clip.times[0])
        if self.params is None:
            yield from (repeat(Shown(FRAME, at)) for at in _places(clip, number))
        elif self.goes_on:
            yield from (self._frames(clip, at) for at in _places(clip, number))
        else:
            # One run goes from one character to the next, as methods do not see where cloth is.
            run = start(clip, self.params)
            for index in range(FRAME):
                run.advance(clip.positions[index], step * index)
            for index, at in enumerate(_places(clip, number), FRAME):
                yield repeat(Shown(FRAME, at, run.advance(clip.positions[FRAME] + at, step * index).detail))

    def _frames(self, clip: pucker.Clip, at: Floats) -> Iterator[Shown]:
        """The frames of runs of its own, one through the clip after the other."""
        while True:
            run = self._start(clip, at)
            for frame, (positions, moment) in enumerate(zip(clip.positions, clip.times, strict=True)):
                yield Shown(frame, at, run.advance(positions + at, float(moment)).detail)

    def _start(self, clip: pucker.Clip, at: Floats) -> Any:
        if not isinstance(self.params, drape.Params):
            return start(clip, self.params)
        cut = drape.cut_of(clip)
        body = drape.body_of(clip, cut)
        if body is None:
            return start(clip, self.params)
        # It stands there too.
        moved = drape.Body(body.faces, body.positions + at, body.cut)
        return drape.ComputedDrape(clip.mesh, cut.pose, self.params, clip.shared_vertices, cut.source, moved)


SUBJECTS: Final = (
    Subject("no wrinkles", None),
    Subject("dynamic", pucker.Params()),
    Subject("waves", waves.Params()),
    Subject("waves, gpu", waves.Params(compute="gpu", relax={"start": "random"}), goes_on=True),
    Subject("by example", byexample.Params(trained=str(scenes.TRAINED[0].trained))),
    Subject("by example, gpu", byexample.Params(trained=str(scenes.TRAINED[0].trained), compute="gpu")),
    # Only what is drawn counts, and a body has no more frames than the clip.
    Subject("draped", drape.Params(levels=2, contact=False)),
    Subject("draped, gpu", drape.Params(levels=2, compute="gpu"), goes_on=True),
)


@cache
def _clip() -> pucker.Clip:
    return scenes.TRAINED[0].load()


def _places(clip: pucker.Clip, number: int) -> Iterator[Floats]:
    """Places in a square."""
    columns = math.ceil(math.sqrt(number))
    for index in range(number):
        row, column = divmod(index, columns)
        yield clip.height * np.array([0.9 * column, 0.0, -0.9 * row])


class Crowd:
    """Characters, ready to be drawn. Args: renderer: Where. shown: Of each, what one picture after another shows."""

    def __init__(self, renderer: Renderer, shown: Iterable[Iterator[Shown]]) -> None:
        self._renderer = renderer
        self._clip = _clip()
        self._scenes: list[Any] = []
        self._shown = list(shown)
        number = len(self._shown)
        self.surfaces: list[DrawnSurface] = []
        for _ in range(number):
            made, _, pictures = scene_of(self._clip)
            self._scenes.append(made)
            contents = [content for content in (made.body, made.garment) if content is not None]
            self.surfaces += [renderer.drawn(content, pictures) for content in contents]
        width, height = renderer.size
        positions = np.concatenate([self._clip.body_positions[FRAME], self._clip.positions[FRAME]])
        corners = np.array(list(product(*np.stack([positions.min(axis=0), positions.max(axis=0)], axis=1))))
        everywhere = np.concatenate([corners + at for at in _places(self._clip, number)])
        self._camera = Camera.fit(everywhere, aspect=width / height)
        self._style = made.style(draw.Style(), self._camera)

    def show(self) -> None:
        """Hands over the next frame of all."""
        for drawn, frames in zip(self._scenes, self._shown, strict=True):
            shown = next(frames)
            if drawn.body is not None:
                drawn.body.set_positions(self._clip.body_positions[shown.frame] + shown.at)
            drawn.garment.set_positions(self._clip.positions[shown.frame] + shown.at)
            drawn.garment.set_detail(shown.detail, draw.Mode.both)

    def draw(self, framebuffer: moderngl.Framebuffer) -> None:
        """The picture, which is not read back."""
        self._renderer.draw(framebuffer, self.surfaces, self._camera, self._style)

    def picture(self) -> npt.NDArray[np.uint8]:
        """The picture."""
        return self._renderer.render(self.surfaces, self._camera, self._style)[..., :3]


def _seconds(subject: Subject, size: tuple[int, int], number: int) -> dict[str, Any]:
    """Seconds of pictures: by the clock, and of their passes by timer queries."""
    out: dict[str, Any] = {"subject": subject.name, "size": list(size), "characters": number, "repeats": []}
    shown = list(subject.characters(_clip(), number))
    for _ in range(REPEATS):
        if subject.goes_on:  # a new context would have to catch up with the frames of the others
            shown = list(subject.characters(_clip(), number))
        with Renderer(size) as renderer:
            out["repeats"].append(_repeat(renderer, Crowd(renderer, shown)))
        if _takes_long(out):
            break
    return out


def _repeat(renderer: Renderer, crowd: Crowd) -> dict[str, list[float]]:
    out: dict[str, list[float]] = {"picture": [], **{name: [] for name in PASSES}}
    framebuffer = _framebuffer(renderer)

    def picture() -> tuple[float, dict[str, float]]:
        crowd.show()
        begin = time.perf_counter()
        crowd.draw(framebuffer)
        passes = renderer.timings()  # waits for the card
        return time.perf_counter() - begin, passes

    picture()  # in which a driver may compile its programs for seconds
    warm = time.perf_counter() + WARM
    while time.perf_counter() < warm:
        picture()
    while len(out["picture"]) < PICTURES:
        seconds, passes = picture()
        out["picture"].append(seconds)
        for name in PASSES:
            out[name].append(passes.get(name, 0.0))
        if seconds > LONGEST or (len(out["picture"]) >= FEWEST and sum(out["picture"]) > LONGEST):
            break
    return out


def _framebuffer(renderer: Renderer) -> moderngl.Framebuffer:
    """One like those that pictures are drawn into."""
    context, samples = renderer.context, draw.SAMPLES
    return context.framebuffer(
        [context.renderbuffer(renderer.size, 4, samples=samples)],
        context.depth_renderbuffer(renderer.size, samples=samples),
    )


def _takes_long(found: dict[str, Any]) -> bool:
    return report.median(found["repeats"][0]["picture"]) > LONGEST


def _growing(
    subjects: Iterable[Subject], kinds: Iterable[tuple[tuple[int, int], int]], until: float
) -> Iterator[dict[str, Any]]:
    """One kind of picture after the other, of each subject up to the first one that takes too long; none is begun after `until`."""
    left = list(subjects)
    for size, number in kinds:
        for subject in list(left):
            if time.perf_counter() > until:
                return
            found = _seconds(subject, size, number)
            yield found
            if _takes_long(found):
                left.remove(subject)


def _software() -> dict[str, str]:
    """The environment in which OpenGL is the software rasteriser's."""
    return {
        **os.environ,
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "GALLIUM_DRIVER": SOFTWARE,
        **({"__EGL_VENDOR_LIBRARY_FILENAMES": str(_MESA)} if _MESA.is_file() else {}),
    }


def keep_picture(name: str, file: Path, size: tuple[int, int]) -> None:
    """Draws one character of a method, and writes the picture and what drew it."""
    subject = next(each for each in SUBJECTS if each.name == name)
    with Renderer(size) as renderer:
        crowd = Crowd(renderer, subject.characters(_clip(), 1))
        for _ in range(FRAME + 1 if subject.goes_on else 1):
            crowd.show()
        np.savez_compressed(file, picture=crowd.picture(), device=renderer.context.info["GL_RENDERER"])


def _drawn_by_software(name: str, file: Path) -> tuple[npt.NDArray[np.uint8], str]:
    code = f"from pathlib import Path; from bench import gpu; gpu.keep_picture({name!r}, Path({str(file)!r}), {SIZE!r})"
    subprocess.run([sys.executable, "-c", code], check=True, env=_software())
    return _kept(file)


def _kept(file: Path) -> tuple[npt.NDArray[np.uint8], str]:
    with np.load(file) as kept:
        return kept["picture"], str(kept["device"])


def _compared(subject: Subject) -> dict[str, Any]:
    """A picture of this device's, which is kept, beside the software rasteriser's."""
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{subject.name}.npz"
    keep_picture(subject.name, file, SIZE)
    return _beside_software({"subject": subject.name, "device": _kept(file)[1], "flip": None})


def _beside_software(compared: dict[str, Any]) -> dict[str, Any]:
    """The same with the mean FLIP error, if there is a software rasteriser here, and the picture is."""
    name = compared["subject"]
    if compared["flip"] is not None or not (KEPT / f"{name}.npz").is_file():
        return compared
    own, _ = _kept(KEPT / f"{name}.npz")
    with TemporaryDirectory() as folder:
        try:
            other, rasteriser = _drawn_by_software(name, Path(folder) / "picture.npz")
        except subprocess.CalledProcessError:
            return compared
    return compared | {"flip": metrics.flip(other, own) if SOFTWARE in rasteriser else None}


def measure() -> report.Samples:
    """Seconds of every picture, all of them, and how unlike the software rasteriser's they are."""
    until = time.perf_counter() + ALL
    timed = [
        found
        for kinds in (product(SIZES, CHARACTERS[:1]), product([SIZE], CHARACTERS[1:]))
        for found in _growing(SUBJECTS, kinds, until)
    ]
    return {"timed": timed, "within": ALL, "compared": [_compared(subject) for subject in SUBJECTS]}


def _card(found: dict[str, Any]) -> list[float]:
    """Milliseconds of the passes of a picture, the median of each repeat."""
    return [
        1e3 * report.median(sum(each) for each in zip(*(repeat[name] for name in PASSES), strict=True))
        for repeat in found["repeats"]
    ]


def _cell(found: dict[str, Any] | None) -> str:
    """Milliseconds of the passes, the median over the repeats and how far these are apart; a dash where none was drawn."""
    if found is None:
        return "–"
    each = _card(found)
    spread = max(each) - min(each)
    return f"{report.median(each):.3g}" + (f" ± {spread / 2:.2g}" if len(each) > 1 else "")


def _pass_cells(found: dict[str, Any]) -> list[str]:
    of_passes = [
        report.median(report.median(repeat[name]) for repeat in found["repeats"]) for name in (*PASSES, "picture")
    ]
    return [f"{1e3 * seconds:.3g}" for seconds in of_passes]


def page(samples: report.Samples) -> str:
    """The page's text."""
    device = samples["compared"][0]["device"]
    software = SOFTWARE in device
    timed = {(each["subject"], tuple(each["size"]), each["characters"]): each for each in samples["timed"]}
    names = [subject.name for subject in SUBJECTS]
    text = (
        f"Milliseconds that pictures of the running kimono take on **{device}**: the sum of the passes by timer queries, medians of "
        f"{FEWEST} to {PICTURES} pictures, {REPEATS} times with everything made anew (± half of what these are apart); {draw.SAMPLES} samples a "
        f"pixel, shadows and occlusion. Each picture is of a detail handed over anew. A dash: the size or number before took longer "
        f"than {LONGEST:g} s, or {samples['within']:g} s were over. All samples are kept in "
        "`build/bench/gpu.json`.\n\n"
    )
    text += str(samples.get("note", ""))
    if software:
        text += (
            "This is the software rasteriser on the processor; no graphics card was there to be measured, so that nothing is said "
            "about the aims. On a machine with one the command needs nothing that is compiled beyond the package.\n\n"
        )
    else:
        for name in names:
            if (name, SIZE, 1) not in timed:
                continue
            one = report.median(_card(timed[name, SIZE, 1]))
            text += report.at_most(f"{name}, one character at {SIZE[0]} × {SIZE[1]}", one, AIMS.get(name, AIM), "ms")
            crowd = timed.get((name, SIZE, CHARACTERS[-1]))
            if crowd is not None:
                all_of_them = report.median(_card(crowd))
                text += report.at_most(f"{name}, {CHARACTERS[-1]} characters", all_of_them, CROWD_AIM, "ms")
        text += "\n"
    text += f"## By pass\n\nOne character, {SIZE[0]} × {SIZE[1]}; `picture` is by the clock, until the card has drawn it.\n\n"
    text += report.table(
        ["detail", *PASSES, "picture"],
        [[name, *_pass_cells(timed[name, SIZE, 1])] for name in names if (name, SIZE, 1) in timed],
    )
    text += "\n## By size\n\nOne character.\n\n" + report.table(
        ["detail", *(f"{width} × {height}" for width, height in SIZES)],
        [[name, *(_cell(timed.get((name, size, 1))) for size in SIZES)] for name in names],
    )
    text += f"\n## By number of characters\n\nAll in sight, {SIZE[0]} × {SIZE[1]}.\n\n" + report.table(
        ["detail", *map(str, CHARACTERS)],
        [[name, *(_cell(timed.get((name, SIZE, count))) for count in CHARACTERS)] for name in names],
    )
    return text + _page_of_pictures([_beside_software(each) for each in samples["compared"]])


def _page_of_pictures(compared: list[dict[str, Any]]) -> str:
    text = "\n## Pictures\n\n"
    if SOFTWARE in compared[0]["device"]:
        return text + "On a card they are compared with the software rasteriser's, which these are.\n"
    found = {each["subject"]: each["flip"] for each in compared if each["flip"] is not None}
    if not found:
        return text + "Not compared: there is no software rasteriser on this machine.\n"
    rows = [[name, f"{error:.2g}"] for name, error in found.items()]
    return (
        text
        + f"Mean FLIP error beside the pictures of the software rasteriser, {SIZE[0]} × {SIZE[1]}, in [0, 1].\n\n"
        + report.table(["detail", "FLIP"], rows)
        + "\n"
        + report.at_most("The least alike", max(found.values()), ALIKE, "FLIP")
    )
