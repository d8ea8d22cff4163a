"""The native viewer's program, and pictures of both programs."""

import os
import subprocess
from pathlib import Path

import numpy as np
import numpy.typing as npt
import picture_check
from PIL import Image

from pucker.cli import view as view_module

VIEWER = view_module.viewer_program()
SIZE = (640, 360)
WALK = ["--clip", "Walk", "--parts", "Clothes,Band"]
# As the library has it where nothing is said.
PLAIN = ["--smooth", "0", "--focus", "cloth"]


def view(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(VIEWER), *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
        timeout=120,
    )


def refusal(*arguments: str | Path, **environment: str) -> str:
    """The one sentence of a call that must fail with status 2."""
    done = view(*arguments, **environment)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("pucker-view: ")
    return done.stderr


def pixels(path: Path) -> npt.NDArray[np.int64]:
    with Image.open(path) as image:
        return np.asarray(image, dtype=np.int64)


def picture(folder: Path, frame: int) -> npt.NDArray[np.int64]:
    return pixels(folder / f"frame_{frame:04}.png")


def native(folder: Path, file: Path, frame: int, *options: str | Path) -> npt.NDArray[np.int64]:
    size = "x".join(map(str, SIZE))
    shown = [] if "--smooth" in options else PLAIN
    method = [] if "--method" in options else ["--method", "dynamic"]
    frames = ["--frames", f"{frame}:{frame}"]
    done = view(file, "--headless", *frames, "--size", size, "-o", folder, *shown, *method, *options)
    assert done.returncode == 0, done.stderr
    assert done.stdout == done.stderr == ""
    return picture(folder, frame)


def assert_equal_pictures(a: npt.NDArray[np.int64], b: npt.NDArray[np.int64]) -> None:
    """At most one pixel in a thousand differs by more than 2 of 255."""
    picture_check.assert_same_picture(a, b)
    assert np.ptp(a) > 100  # not an empty picture
