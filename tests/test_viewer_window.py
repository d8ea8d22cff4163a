"""The native viewer's window, driven by the mouse and keys of a virtual display."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from viewer_program import PLAIN, SIZE, VIEWER, WALK, assert_equal_pictures, native, pixels, refusal

import pucker
from pucker import render, waves

pytestmark = pytest.mark.skipif(VIEWER is None, reason="pucker-view is not built; ./run test builds it")


@pytest.fixture(scope="module")
def kimono(data_dir: Path) -> Path:
    return data_dir / "kimono_male.gltf"


@pytest.fixture(scope="module")
def display() -> Iterator[str]:
    """The name of a virtual display."""
    if shutil.which("Xvfb") is None or shutil.which("xdotool") is None:
        pytest.skip("a window needs Xvfb and xdotool; ./run test installs them")
    ready, told = os.pipe()
    arguments = ["Xvfb", "-displayfd", str(told), "-screen", "0", "1280x800x24"]
    with subprocess.Popen(arguments, pass_fds=[told], stderr=subprocess.DEVNULL) as server:
        os.close(told)
        with os.fdopen(ready) as pipe:
            yield f":{pipe.readline().strip()}"
        server.terminate()


class Window:
    """The viewer on a virtual display, with its hands on mouse and keyboard."""

    def __init__(self, display: str, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._environment = {**os.environ, "DISPLAY": display}
        self.number = self.hand("search", "--sync", "--onlyvisible", "--name", "^pucker$")
        self.hand("windowfocus", "--sync", self.number)

    def is_there(self) -> bool:
        command = ["xdotool", "getwindowname", self.number]
        return subprocess.run(command, env=self._environment, capture_output=True, check=False).returncode == 0

    def hand(self, *actions: str) -> str:
        done = subprocess.run(
            ["xdotool", *actions], env=self._environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    def resize(self, width: int, height: int) -> None:
        self.hand("windowsize", self.number, str(width), str(height))

    def drag(self, *course: tuple[int, int]) -> None:
        """Presses the left button at the first place and lets go at the last, slowly enough to be seen."""
        for index, (x, y) in enumerate(course):
            self.hand("mousemove", str(x), str(y), "sleep", "0.4", *(["mousedown", "1", "sleep", "0.4"] * (index == 0)))
        self.hand("mouseup", "1", "sleep", "0.4")


def wait_until_drawn(window: Window, folder: Path) -> None:
    """A busy machine takes its time until there is a picture that can be saved."""
    limit = time.monotonic() + 120.0
    count = -1
    while count < 1 or len(list(folder.glob("*.png"))) != count:
        assert time.monotonic() < limit, "the window has drawn nothing"
        assert window.process.poll() is None
        count = len(list(folder.glob("*.png")))
        if count == 0:
            window.hand("key", "s")
        time.sleep(1.5)
    for path in folder.glob("*.png"):
        path.unlink()


@contextmanager
def method_window(display: str, kimono: Path, folder: Path, method: str) -> Iterator[Window]:
    """The viewer's window with the kimono; it goes whatever becomes of the test."""
    size = "x".join(map(str, SIZE))
    arguments = [str(VIEWER), str(kimono), *WALK, "--method", method, "--size", size, "-o", str(folder)]
    with subprocess.Popen(
        [*arguments, *PLAIN, "--frame", "0"], env={**os.environ, "DISPLAY": display}, stderr=subprocess.PIPE, text=True
    ) as viewer:
        try:
            window = Window(display, viewer)
            wait_until_drawn(window, folder)
            yield window
        finally:
            viewer.terminate()


@pytest.fixture
def window(display: str, kimono: Path, tmp_path: Path) -> Iterator[Window]:
    with method_window(display, kimono, tmp_path, "dynamic") as opened:
        yield opened


def saved(folder: Path, pattern: str, count: int) -> list[Path]:
    """The files of a name, in the order of their making, as soon as there are so many."""
    limit = time.monotonic() + 60.0
    while time.monotonic() < limit:
        found = sorted(folder.glob(pattern), key=lambda path: path.stat().st_mtime_ns)
        if len(found) == count:
            return found
        time.sleep(0.1)
    raise AssertionError(f"no {count} files {pattern} in {folder}")


def picture_of_window(
    window: Window, folder: Path, wanted: Callable[[int, npt.NDArray[np.int64]], bool], name: str = "kimono_male"
) -> tuple[int, npt.NDArray[np.int64]]:
    """Number of a frame and its picture, saved again and again until it is what is wanted: a busy machine takes its time."""
    limit = time.monotonic() + 60.0
    count = len(list(folder.glob(f"{name}_*.png")))
    while time.monotonic() < limit:
        window.hand("key", "s", "sleep", "0.5")
        count += 1
        path = saved(folder, f"{name}_*.png", count)[-1]
        frame, picture = int(path.stem.removeprefix(f"{name}_").split("_")[0]), pixels(path)
        if wanted(frame, picture):
            return frame, picture
    raise AssertionError("the window does not come to what is wanted")


@pytest.mark.slow
def test_the_window_plays_changes_the_profile_and_saves_what_headless_draws(
    window: Window, kimono: Path, tmp_path: Path
) -> None:
    drawn = tmp_path / "headless"
    window.hand("key", "space")
    picture_of_window(window, tmp_path, lambda frame, _: frame > 0)
    window.hand("key", "space", "sleep", "1")
    frame, picture = picture_of_window(window, tmp_path, lambda *_: True)
    np.testing.assert_array_equal(picture, native(drawn, kimono, frame, *WALK))

    window.hand("key", "Home", "sleep", "1", *["key", "Left"] * 10)
    _, picture = picture_of_window(window, tmp_path, lambda frame, _: frame == 28)
    plain = native(drawn, kimono, 28, *WALK)
    np.testing.assert_array_equal(picture, plain)

    window.hand("key", "p")
    following = native(drawn, kimono, 28, *WALK, "--set", "profile=wave")
    assert (following != plain).any()
    _, picture = picture_of_window(window, tmp_path, lambda frame, shown: frame == 28 and (shown != plain).any())
    np.testing.assert_array_equal(picture, following)
    assert window.process.poll() is None


@contextmanager
def shown_by_script(display: str, folder: Path, *lines: str) -> Iterator[subprocess.Popen[str]]:
    """A script that shows something and has nothing to do after that; it goes whatever becomes of the test."""
    program = "\n".join(["import pucker", *lines])
    environment = {**os.environ, "DISPLAY": display}
    with subprocess.Popen([sys.executable, "-c", program], env=environment, cwd=folder, text=True) as script:
        try:
            yield script
        finally:
            script.kill()


@pytest.mark.slow
def test_a_script_shows_a_clip_as_it_is_until_the_window_is_closed(display: str, kimono: Path, tmp_path: Path) -> None:
    clip = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"])
    load = f"clip = pucker.load({str(kimono)!r}, clip='Walk', parts=['Clothes', 'Band'])"
    with shown_by_script(display, tmp_path, load, "pucker.show(clip, frame=12, how='window')") as script:
        window = Window(display, script)
        wait_until_drawn(window, tmp_path)
        _, picture = picture_of_window(window, tmp_path, lambda frame, _: frame == 12, "kimono_male Walk")
        state = list(islice(pucker.run(clip), 13))[-1]
        camera = render.fitted_camera(clip, "three-quarter", (640, 480))
        with render.ClipRenderer(clip, picture.shape[1::-1], camera=camera) as renderer:
            assert_equal_pictures(picture, renderer.frame(12, state).astype(np.int64))
        # However the script ends, the window goes.
        script.kill()
        script.wait()
        limit = time.monotonic() + 30.0
        while window.is_there() and time.monotonic() < limit:
            time.sleep(0.2)
        assert not window.is_there()


@pytest.mark.slow
def test_a_clip_that_is_shown_plays_and_the_script_ends_with_its_window(
    display: str, kimono: Path, tmp_path: Path
) -> None:
    load = f"clip = pucker.load({str(kimono)!r}, clip='Walk', parts=['Clothes', 'Band'])"
    with shown_by_script(display, tmp_path, load, "pucker.show(clip, how='window')") as script:
        window = Window(display, script)
        wait_until_drawn(window, tmp_path)
        picture_of_window(window, tmp_path, lambda frame, _: frame > 0, "kimono_male Walk")
        os.kill(int(window.hand("getwindowpid", window.number)), signal.SIGTERM)
        assert script.wait(timeout=30) == 0


@pytest.mark.slow
def test_the_window_runs_another_method_and_changes_its_profile(display: str, kimono: Path, tmp_path: Path) -> None:
    options = [*WALK, "--method", "waves"]
    with method_window(display, kimono, tmp_path, "waves") as window:
        window.hand("key", "Right", "sleep", "0.5", "key", "Right", "sleep", "0.5")
        cosine = native(tmp_path / "headless", kimono, 2, *options)
        _, picture = picture_of_window(window, tmp_path, lambda frame, _: frame == 2)
        np.testing.assert_array_equal(picture, cosine)
        window.hand("key", "p")
        accordion = native(tmp_path / "headless", kimono, 2, *options, "--set", "profile=accordion")
        assert (accordion != cosine).any()
        _, picture = picture_of_window(window, tmp_path, lambda frame, shown: frame == 2 and (shown != cosine).any())
        np.testing.assert_array_equal(picture, accordion)
        assert window.process.poll() is None


@pytest.mark.slow
def test_the_window_takes_the_next_method_that_can_run(display: str, kimono: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "headless"
    with method_window(display, kimono, tmp_path, "dynamic") as window:
        window.hand("key", "Right", "sleep", "0.5", "key", "Right", "sleep", "0.5")
        plain = native(drawn, kimono, 2, *WALK)
        for method in ("waves", "drape"):  # by example needs a set
            window.hand("key", "m")
            expected = native(drawn, kimono, 2, *WALK, "--method", method)
            _, picture = picture_of_window(window, tmp_path, lambda _, shown, other=plain: (shown != other).any())
            np.testing.assert_array_equal(picture, expected)
            plain = picture
        assert window.process.poll() is None


@pytest.mark.slow
def test_the_window_paints_undoes_saves_and_loads(display: str, kimono: Path, tmp_path: Path) -> None:
    loaded = pucker.load(kimono, clip="Walk", parts=["Clothes", "Band"])

    def painted() -> npt.NDArray[np.float64]:
        """The vectors of the painting that the window saves."""
        count = len(list(tmp_path.glob("*_painting*.npz")))
        window.hand("sleep", "0.5", "key", "w")
        path = saved(tmp_path, "*_painting*.npz", count + 1)[-1]
        vectors: npt.NDArray[np.float64] = waves.Painting.load(path, loaded.mesh, loaded.rest).vectors
        return vectors

    def dragged(before: npt.NDArray[np.float64], *course: tuple[int, int]) -> npt.NDArray[np.float64]:
        """What a drag makes of the painting; again where a busy machine has missed it, which then is no change."""
        for _ in range(8):
            window.drag(*course)
            after = painted()
            if (after != before).any():
                return after
        raise AssertionError("the window does not paint")

    with method_window(display, kimono, tmp_path, "waves") as window:
        window.hand("key", "s")
        plain = pixels(saved(tmp_path, "*.png", 1)[-1])
        # The middle of the figure; the panel is folded away in a window of this size.
        y, x = (int(value) for value in np.argwhere((plain != plain[0, 0]).any(axis=2)).mean(axis=0))
        across, along = ((x - 20, y), (x, y), (x + 20, y)), ((x, y - 20), (x, y), (x, y + 20))
        window.drag(*across)
        empty = painted()
        assert not empty.any()  # the brush is off: this has turned the camera
        window.hand("key", "f", "sleep", "0.5", "key", "b", "sleep", "0.5")
        once = dragged(empty, *across)
        file = saved(tmp_path, "*_painting*.npz", len(list(tmp_path.glob("*_painting*.npz"))))[-1]
        assert 0.01 < np.linalg.norm(once, axis=1).max() < 0.61
        dragged(once, *along)
        window.hand("key", "z")
        np.testing.assert_array_equal(painted(), once)
        window.hand("key", "e")
        erased = dragged(once, *across)
        assert np.linalg.norm(erased, axis=1).sum() < 0.95 * np.linalg.norm(once, axis=1).sum()
        window.hand("key", "z", "sleep", "0.5", "key", "r")
        assert (painted() != 0).any(axis=1).mean() > 0.9
        window.hand("key", "z")
        np.testing.assert_array_equal(painted(), once)
        # What the window shows is what both programs draw of the file it has saved of it.
        drawn = native(tmp_path / "headless", kimono, 0, *WALK, "--method", "waves", "--set", f"painting={file}")
        picture_of_window(window, tmp_path, lambda _, shown: bool((shown == drawn).all()))
        assert (np.abs(drawn - plain).max(axis=2) > 20).any()
        assert window.process.poll() is None


@pytest.mark.slow
def test_the_window_survives_being_resized_to_nothing_and_orbits(window: Window, tmp_path: Path) -> None:
    window.resize(1, 1)
    time.sleep(1.0)
    window.resize(600, 400)
    time.sleep(1.0)
    window.hand("key", "s")
    (before,) = saved(tmp_path, "*.png", 1)
    assert pixels(before).shape == (400, 600, 3)
    window.drag((450, 150), (470, 160), (530, 180))
    window.hand("key", "s")
    after = saved(tmp_path, "*.png", 2)[-1]
    # Turned by some thirty degrees, the figure covers other pixels; without its hands it would be the same picture.
    assert 0.02 < (np.abs(pixels(after) - pixels(before)).max(axis=2) > 20).mean() < 0.5
    assert window.process.poll() is None


@pytest.mark.slow
def test_the_panel_saves_a_camera_that_both_programs_read(window: Window, kimono: Path, tmp_path: Path) -> None:
    time.sleep(1.0)
    window.hand("key", "s")
    (shown,) = saved(tmp_path, "*.png", 1)
    # The panel, and in it all that stands above the button but for what is folded.
    window.hand("key", "Tab", "sleep", "1", "mousemove", "100", "178", "sleep", "0.5", "click", "1", "sleep", "0.5")
    window.hand("mousemove", "150", "293", "sleep", "0.5", "click", "1")
    (path,) = saved(tmp_path, "*_camera.json", 1)
    assert set(json.loads(path.read_text())) == {"eye", "target", "field_of_view", "near", "far"}
    render.Camera.from_json(path)
    np.testing.assert_array_equal(pixels(shown), native(tmp_path, kimono, 0, *WALK, "--camera", path))


@pytest.mark.slow
def test_in_a_narrow_window_the_panel_is_folded_away_until_asked_for(window: Window, tmp_path: Path) -> None:
    def dragged_on_the_left(count: int) -> npt.NDArray[np.int64]:
        window.drag((120, 300), (140, 310), (200, 330))
        window.hand("key", "s")
        return pixels(saved(tmp_path, "*.png", count)[-1])

    first, second = dragged_on_the_left(1), dragged_on_the_left(2)
    assert (first != second).any()
    window.hand("key", "Tab", "sleep", "1")
    np.testing.assert_array_equal(dragged_on_the_left(3), second)
    window.hand("key", "Tab", "sleep", "1")
    assert (dragged_on_the_left(4) != second).any()


@pytest.mark.slow
def test_the_panel_opens_files(window: Window, kimono: Path, tmp_path: Path) -> None:
    assert sorted(path.name for path in kimono.parent.iterdir() if path.suffix != ".md")[1] == "cowboy.dae"
    window.hand("key", "Tab", "sleep", "1", "mousemove", "30", "18", "sleep", "0.5", "click", "1", "sleep", "1")
    # The first file of the folder, below the folder above it.
    window.hand("mousemove", "120", "86", "sleep", "0.5", "click", "1", "sleep", "3", "key", "s")
    (path,) = saved(tmp_path, "cowboy_*.png", 1)
    assert np.ptp(pixels(path)) > 100


def test_a_context_that_is_too_old_for_a_window_is_told(kimono: Path, display: str) -> None:
    told = refusal(kimono, *WALK, DISPLAY=display, MESA_GL_VERSION_OVERRIDE="3.3")
    assert "OpenGL 4.3 is needed, found 3.3" in told
