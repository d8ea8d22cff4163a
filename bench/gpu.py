"""What a graphics card takes for pictures of all methods, by pass, size of the picture and number of characters."""

import math
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

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
# Pictures of one kind, and how often all of them are drawn, with everything made anew.
PICTURES: Final = 5
REPEATS: Final = 3
# Seconds after which larger pictures and more characters are not tried, so that all takes ten minutes at most anywhere.
LONGEST: Final = 1.0
# The frame that is drawn; frames before it are run, so that there are wrinkles.
FRAME: Final = 20
# Milliseconds of the card, and mean FLIP error beside the software rasteriser's picture.
AIM: Final = 0.3
AIMS: Final = {"by example, gpu": 0.2, "draped": 1.0}
CROWD_AIM: Final = 16.0
ALIKE: Final = 0.01
SOFTWARE: Final = "llvmpipe"
_MESA: Final = Path("/usr/share/glvnd/egl_vendor.d/50_mesa.json")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Subject:
    """The running kimono with the detail of one method."""

    name: str
    params: Any

    def characters(self, clip: pucker.Clip, count: int) -> Iterator[tuple[Floats, Any]]:
        """Where each stands, and its state: one run goes from one to the next, as methods do not see where cloth is."""
        if self.params is None:
            yield from ((at, None) for at in _places(clip, count))
            return
        run = start(clip, self.params)
        for index in range(FRAME):
            run.advance(clip.positions[index], float(clip.times[index]))
        step = float(clip.times[1] - clip.times[0])
        for number, at in enumerate(_places(clip, count)):
            yield at, run.advance(clip.positions[FRAME] + at, float(clip.times[FRAME]) + number * step)


SUBJECTS: Final = (
    Subject("no wrinkles", None),
    Subject("dynamic", pucker.Params()),
    Subject("waves", waves.Params()),
    Subject("waves, gpu", waves.Params(compute="gpu", relax={"start": "random"})),
    Subject("by example", byexample.Params(trained=str(scenes.TRAINED[0].trained))),
    Subject("by example, gpu", byexample.Params(trained=str(scenes.TRAINED[0].trained), compute="gpu")),
    # Only what is drawn counts, and a body has no more frames than the clip.
    Subject("draped", drape.Params(levels=2, contact=False)),
)


@cache
def _clip() -> pucker.Clip:
    return scenes.TRAINED[0].load()


def _places(clip: pucker.Clip, count: int) -> Iterator[Floats]:
    """Places in a square."""
    columns = math.ceil(math.sqrt(count))
    for number in range(count):
        row, column = divmod(number, columns)
        yield clip.height * np.array([0.9 * column, 0.0, -0.9 * row])


class Crowd:
    """Characters of one method, ready to be drawn."""

    def __init__(self, subject: Subject, renderer: Renderer, count: int) -> None:
        self._renderer = renderer
        clip = _clip()
        self.surfaces: list[DrawnSurface] = []
        corners: list[Floats] = []
        for at, state in subject.characters(clip, count):
            shown, _, pictures = scene_of(clip)
            for content, positions in ((shown.body, clip.body_positions), (shown.garment, clip.positions)):
                if content is None:
                    continue
                content.set_positions(positions[FRAME] + at)
                self.surfaces.append(renderer.drawn(content, pictures))
                corners.append(np.stack([positions[FRAME].min(axis=0), positions[FRAME].max(axis=0)]) + at)
            if state is not None:
                shown.garment.set_detail(state.detail, draw.Mode.both)
        width, height = renderer.size
        self._camera = Camera.fit(np.concatenate(corners), aspect=width / height)
        self._style = shown.style(draw.Style(), self._camera)

    def picture(self) -> npt.NDArray[np.uint8]:
        """The picture."""
        return self._renderer.render(self.surfaces, self._camera, self._style)[..., :3]


def _seconds(subject: Subject, size: tuple[int, int], count: int) -> dict[str, Any]:
    """Seconds of pictures: by the clock, with reading them back, and of their passes by timer queries."""
    out: dict[str, Any] = {"subject": subject.name, "size": list(size), "characters": count, "repeats": []}
    for _ in range(REPEATS):
        with Renderer(size) as renderer:
            crowd = Crowd(subject, renderer, count)
            crowd.picture()  # sends everything, and a driver makes its programs
            repeat: dict[str, list[float]] = {"picture": [], **{name: [] for name in PASSES}}
            for _ in range(PICTURES):
                begin = time.perf_counter()
                crowd.picture()
                repeat["picture"].append(time.perf_counter() - begin)
                passes = renderer.timings()
                for name in PASSES:
                    repeat[name].append(passes.get(name, 0.0))
                if repeat["picture"][-1] > LONGEST:
                    break
            out["repeats"].append(repeat)
        if _takes_long(out):
            break
    return out


def _takes_long(found: dict[str, Any]) -> bool:
    return report.median(found["repeats"][0]["picture"]) > LONGEST


def _growing(subject: Subject, kinds: Iterable[tuple[tuple[int, int], int]]) -> Iterator[dict[str, Any]]:
    """Of each kind of picture, up to the first one that takes too long."""
    for size, count in kinds:
        found = _seconds(subject, size, count)
        yield found
        if _takes_long(found):
            return


def _software() -> dict[str, str]:
    """The environment in which OpenGL is the software rasteriser's."""
    return {
        **os.environ,
        "LIBGL_ALWAYS_SOFTWARE": "1",
        "GALLIUM_DRIVER": SOFTWARE,
        **({"__EGL_VENDOR_LIBRARY_FILENAMES": str(_MESA)} if _MESA.is_file() else {}),
    }


def keep_picture(name: str, file: Path) -> None:
    """Draws one character of a method, and writes the picture and what drew it."""
    subject = next(each for each in SUBJECTS if each.name == name)
    with Renderer(SIZE) as renderer:
        device = renderer.context.info["GL_RENDERER"]
        np.savez_compressed(file, picture=Crowd(subject, renderer, 1).picture(), device=device)


def _drawn(name: str, environment: dict[str, str], folder: Path) -> tuple[npt.NDArray[np.uint8], str]:
    file = folder / "picture.npz"
    code = f"from pathlib import Path; from bench import gpu; gpu.keep_picture({name!r}, Path({str(file)!r}))"
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    with np.load(file) as kept:
        return kept["picture"], str(kept["device"])


def _compared(subject: Subject) -> dict[str, Any]:
    """Mean FLIP error of this device's picture beside the software rasteriser's; None where there is no such."""
    with TemporaryDirectory() as folder:
        own, device = _drawn(subject.name, dict(os.environ), Path(folder))
        try:
            other, rasteriser = _drawn(subject.name, _software(), Path(folder))
        except subprocess.CalledProcessError:
            return {"subject": subject.name, "device": device, "rasteriser": None, "flip": None}
    found = metrics.flip(other, own) if SOFTWARE in rasteriser else None
    return {"subject": subject.name, "device": device, "rasteriser": rasteriser, "flip": found}


def measure() -> report.Samples:
    """Seconds of every picture, all of them, and how unlike the software rasteriser's they are."""
    timed = [
        found
        for subject in SUBJECTS
        for kinds in (product(SIZES, CHARACTERS[:1]), product([SIZE], CHARACTERS[1:]))
        for found in _growing(subject, kinds)
    ]
    return {"timed": timed, "compared": [_compared(subject) for subject in SUBJECTS]}


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
        f"{PICTURES} pictures, {REPEATS} times with everything made anew (± half of what these are apart); {draw.SAMPLES} samples a "
        f"pixel, shadows and occlusion. A dash: the size or number before took longer than {LONGEST:g} s. All samples are kept in "
        "`build/bench/gpu.json`.\n\n"
    )
    if software:
        text += (
            "This is the software rasteriser on the processor; no graphics card was there to be measured, so that nothing is said "
            "about the aims. On a machine with one the command needs nothing that is compiled beyond the package.\n\n"
        )
    else:
        for name in names:
            one = report.median(_card(timed[name, SIZE, 1]))
            text += report.at_most(f"{name}, one character at {SIZE[0]} × {SIZE[1]}", one, AIMS.get(name, AIM), "ms")
            crowd = timed.get((name, SIZE, CHARACTERS[-1]))
            if crowd is not None:
                all_of_them = report.median(_card(crowd))
                text += report.at_most(f"{name}, {CHARACTERS[-1]} characters", all_of_them, CROWD_AIM, "ms")
        text += "\n"
    text += f"## By pass\n\nOne character, {SIZE[0]} × {SIZE[1]}; `picture` is by the clock, with reading it back.\n\n"
    text += report.table(["detail", *PASSES, "picture"], [[name, *_pass_cells(timed[name, SIZE, 1])] for name in names])
    text += "\n## By size\n\nOne character.\n\n" + report.table(
        ["detail", *(f"{width} × {height}" for width, height in SIZES)],
        [[name, *(_cell(timed.get((name, size, 1))) for size in SIZES)] for name in names],
    )
    text += f"\n## By number of characters\n\nAll in sight, {SIZE[0]} × {SIZE[1]}.\n\n" + report.table(
        ["detail", *map(str, CHARACTERS)],
        [[name, *(_cell(timed.get((name, SIZE, count))) for count in CHARACTERS)] for name in names],
    )
    return text + _page_of_pictures(samples["compared"])


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
