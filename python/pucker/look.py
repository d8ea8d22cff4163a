"""A look at a clip or a state in one line: a widget in a notebook, a window on a desktop, a picture elsewhere."""

import atexit
import json
import os
import shutil
import subprocess
import sys
import tempfile
import webbrowser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal, Self, get_args
from urllib.parse import quote

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import did_you_mean
from pucker._core.sources import pack_clip
from pucker.extras import needing
from pucker.method import Overlay, method_of, method_of_state
from pucker.native_viewer import viewer_program
from pucker.quantities import Place, Quantity, placed, quantity_of

with needing("show", "pucker.show"):
    from pucker.quantity_overlay import QuantityOverlay
    from pucker.render import Camera, ClipRenderer, Lines, Overlays, fitted_camera, still
    from pucker.render.camera import DEFAULT_VIEW, View
    from pucker.render.output import Picture, with_bar
    from pucker.render.picking import surface_under

How = Literal["widget", "window", "page", "picture"]
SIZE: Final = (640, 480)


class Look:
    """A clip or a state, and what is laid over it; `pucker.show` makes it.

    Args:
        clip: The clip; of a state one of its frame alone.
        params: Of the run, or of the method that the state is of.
        states: A state a frame, in place of a run.
        frame: What is shown at first.
        plays: Whether a window plays the clip at first, from its beginning.
    """

    def __init__(
        self,
        clip: "pucker.Clip",
        params: Any,
        *,
        states: Sequence[Any] | None,
        frame: int,
        plays: bool,
        how: How,
        size: tuple[int, int],
        view: View,
    ) -> None:
        if not 0 <= frame < len(clip):
            raise ValueError(f"frame must lie in [0, {len(clip)}), not {frame}")
        self._clip, self._params, self._states = clip, params, states
        self._frame, self._how, self._size = frame, how, size
        self._plays = plays
        self.camera: Camera = fitted_camera(clip, view, size)
        self._names: list[str] = []
        self._quantities: list[QuantityOverlay] = []
        self._state: Any = None
        self._folder: Path | None = None
        self._widget: Any = None
        self._process: subprocess.Popen[bytes] | None = None
        self.is_open = False
        # Of the picture or the page that shows it.
        self.path: Path | None = None

    @property
    def how(self) -> How:
        """How it shows itself."""
        return self._how

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels, without bars."""
        return self._size

    @property
    def state(self) -> Any:
        """The state of the frame that is shown."""
        if self._state is None:
            if self._states is not None:
                self._state = self._states[self._frame]
            else:
                for state in pucker.run(self._clip, self._params):
                    if state.frame == self._frame:
                        self._state = state
                        break
        return self._state

    def add(
        self,
        what: str | npt.ArrayLike,
        *,
        name: str | None = None,
        on: Place | None = None,
        limits: tuple[float, float] | None = None,
        colormap: str = "magma_r",
    ) -> Self:
        """Lays something over it, and returns itself.

        Args:
            what: The name of an overlay, as "labels", "paths" or "wireframe"; or of what the state knows of its
                triangles, vertices or paths, as "compression", "maximum", "age"; or numbers, one for each of these.
            name: What numbers are called; by default "values".
            on: Of what numbers are, where their count does not tell.
            limits: Numbers of the first and the last colour; by default the least and the largest of the frame shown.
            colormap: Name of a colour map of matplotlib.

        Of several with numbers of triangles or vertices the last is shown.

        Raises:
            ValueError: For a name that neither an overlay nor the state has, numbers that fit nothing, and limits that
                do not rise.
        """
        if isinstance(what, str) and what in Overlays.names(method_of(self._params)):
            self._names.append(what)
            return self._changed()
        if isinstance(what, str):
            called = what
            shown = quantity_of(self.state, what)

            def find(state: Any) -> Quantity:
                return quantity_of(state, called)
        else:
            called = name or "values"
            shown = placed(self.state, what, called, on)

            def find(state: Any) -> Quantity:  # noqa: ARG001
                return shown

        low, high = limits or (float(shown.values.min(initial=np.inf)), float(shown.values.max(initial=-np.inf)))
        if limits is not None and not low < high:
            raise ValueError(f"limits must rise, not go from {low:g} to {high:g}")
        if not low < high:
            # A single number has a colour too.
            low, high = (low - 0.5, low + 0.5) if np.isfinite(low) else (0.0, 1.0)
        self._quantities = [other for other in self._quantities if other.name != called]
        self._quantities.append(QuantityOverlay(called, find, (low, high), colormap))
        return self._changed()

    @property
    def overlays(self) -> Overlays:
        """All of it, as `ClipRenderer.frame` takes it."""
        of_data: dict[str, Any] = {}
        if self._quantities:
            of_data = {"tints": self._tints, "marks": self._marks}
        return Overlays(**dict.fromkeys(self._names, True), **of_data)

    def picture(self) -> Picture:
        """The picture (height, width, 3) uint8 of the frame, with a bar for each quantity beside it."""
        with ClipRenderer(self._clip, self._size, params=self._params, camera=self.camera) as renderer:
            drawn = renderer.frame(self._frame, self.state, overlays=self.overlays)
        for quantity in self._quantities:
            drawn = with_bar(drawn, quantity.name, quantity.limits, quantity.colours)
        return drawn

    def screenshot(self, path: str | os.PathLike[str]) -> Path:
        """Writes `picture` as a PNG or JPEG, and returns where."""
        still(path, self.picture())
        return Path(path)

    def pick(self, x: float, y: float) -> dict[str, Any]:
        """What lies under column x and row y of the picture: the triangle, its corners, and the quantities there.

        Empty where there is no garment, or the body lies before it.
        """
        hit = surface_under(self._clip, self._frame, self.camera, self._size, x, y)
        if hit is None:
            return {}
        triangle, faces = hit[0], self._clip.faces
        found: dict[str, Any] = {"triangle": triangle, "vertices": faces[triangle].tolist()}
        for overlay in self._quantities:
            quantity = overlay.of(self.state)
            if quantity.on == "triangles":
                found[quantity.name] = float(quantity.values[triangle])
            elif quantity.on == "vertices":
                found[quantity.name] = quantity.values[faces[triangle]].tolist()
        return found

    def open(self) -> None:
        """Shows it anew, outside of a notebook: in a window, a browser or a file."""
        if self._how == "window" and not self._quantities and self._states is None:
            self._open_window()
        elif self._how in ("window", "page"):
            self._open_page()
        elif self._how == "picture":
            self.path = self.screenshot(self._place("picture.png"))

    def wait(self) -> None:
        """Returns when the user has closed the window; at once where there is none.

        A script that ends waits for its windows by itself.
        """
        if self._process is not None:
            self._process.wait()

    def close(self) -> None:
        """Ends the window or the widget, and removes the files made for it."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
            self._process = None
        atexit.unregister(self._at_exit)
        if self._widget is not None:
            self._widget.close()
            self._widget = None
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = self.path = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        where = "" if self.path is None else f", {self.path}"
        return f"<Look, {self._clip.name or 'a state'}, frame {self._frame}, {self._how}{where}>"

    def _ipython_display_(self) -> None:
        from IPython.display import display  # noqa: PLC0415 - of an extra

        if self._how != "widget":
            display({"text/plain": repr(self)}, raw=True)  # type: ignore[no-untyped-call]
            return
        display(self.widget())  # type: ignore[no-untyped-call]

    def widget(self) -> Any:
        """The widget, a `pucker.notebook.View`, which follows what is added; needs the extra pucker[notebook]."""
        if self._widget is None:
            from pucker.notebook import View  # noqa: PLC0415 - of an extra

            self._widget = View(
                self._clip,
                self._params,
                size=self._size,
                frame=self._frame,
                states=self._states,
                overlays=self.overlays,
                smooth=0,  # numbers that are laid over it, and what is picked, are of the clip's own triangles
            )
            self._widget.camera = self.camera
            self._widget.show_legends([(q.name, q.legend()) for q in self._quantities])
        return self._widget

    def _changed(self) -> Self:
        if self._widget is not None:
            self._widget.overlays = self.overlays
            self._widget.show_legends([(q.name, q.legend()) for q in self._quantities])
        elif self.is_open:
            self.open()
        return self

    def _tints(self, state: Any) -> npt.NDArray[np.uint8] | None:
        found = [tints for q in self._quantities if (tints := q.tints(state, True)) is not None]
        return found[-1] if found else None

    def _marks(self, state: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]) -> list[Lines]:
        return [group for q in self._quantities for group in q.lines(state, True, faces, positions)]

    def _place(self, name: str) -> Path:
        """Where a file goes. It stays when the program ends, as a browser may read it only then; `close` removes it."""
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="pucker-"))
        return self._folder / name

    def _open_page(self) -> None:
        from pucker import page  # noqa: PLC0415 - of an extra

        self.path = self._place("look.html")
        overlays: list[str | Overlay] = [*dict.fromkeys(self._names), *self._quantities]
        page.write(self._clip, self.path, params=self._params, states=self._states, overlays=overlays)
        shown = ",".join([*self._names, *(quantity.name for quantity in self._quantities)])
        webbrowser.open(f"{self.path.as_uri()}#frame={self._frame}&split=0&show={quote(shown)}")

    def _open_window(self) -> None:
        """The native viewer, which is handed the clip as it is; it ends with this process."""
        program = viewer_program()
        if program is None:
            raise pucker.Error("the native viewer, pucker-view, is not installed; how='page' needs none")
        self.close()
        command = [program, "--method", method_of(self._params).name, "--parent", str(os.getpid())]
        command += [] if self._plays else ["--frame", str(self._frame)]
        command += [f"--{name}" for name in dict.fromkeys(self._names)]
        # Files without names are gone with the viewer, however it or this process ends.
        with tempfile.TemporaryFile() as clip, tempfile.TemporaryFile() as camera, tempfile.TemporaryFile() as params:
            clip.write(pack_clip(self._clip))
            params.write(self._params.to_toml().encode())
            camera.write(json.dumps(self.camera.to_dict()).encode())
            for option, file in (("--given", clip), ("--params", params), ("--camera", camera)):
                file.flush()
                command += [option, f"/dev/fd/{file.fileno()}"]
            handed = (clip.fileno(), params.fileno(), camera.fileno())
            self._process = subprocess.Popen(command, pass_fds=handed)
        atexit.register(self._at_exit)

    def _at_exit(self) -> None:
        """The end of a script would take the window along; that of a session at a prompt is meant to."""
        if not hasattr(sys, "ps1"):
            with suppress(KeyboardInterrupt):
                self.wait()
        self.close()


def show(
    thing: Any,
    *what: str | npt.ArrayLike,
    params: Any = None,
    frame: int | None = None,
    how: How | None = None,
    size: tuple[int, int] = SIZE,
    view: View = DEFAULT_VIEW,
) -> Look:
    """A look at a clip with its wrinkles, or at a state of any method.

    In a notebook it is the widget, as the value of a cell. On a desktop a clip is shown in the window of the native viewer, and
    a state, or a clip with numbers laid over it, on a page in the browser. Elsewhere, as over ssh, it is a picture, whose file is
    `Look.path`. A script that ends waits until its windows are closed; files of pages and pictures stay until `Look.close`.

    Args:
        thing: The clip or the state.
        what: What is laid over it; see `Look.add`, which adds more.
        params: Parameters of any method; of a state those of its run, if known.
        frame: What is shown of a clip at first, by default the middle one; a window stands there, and without it plays.
        how: "widget", "window", "page" or "picture", where it is not to be chosen.
        size: Width and height of widget and picture in pixels.
        view: From where it is seen at first.

    Raises:
        TypeError: For what is neither.
        ValueError: For a frame that the clip has not and what `Look.add` refuses.
    """
    if how is not None and how not in get_args(How):
        raise ValueError(
            f"how must be one of {', '.join(get_args(How))}, not {how!r}{did_you_mean(str(how), get_args(How))}"
        )
    states: list[Any] | None = None
    if hasattr(thing, "detail"):
        positions = np.asarray(thing.detail.positions)
        clip = pucker.Clip.from_arrays(thing.detail.faces, positions[None], [thing.time], weld=False)
        states, frame = [thing], 0
        params = method_of_state(thing).params() if params is None else params
    elif isinstance(thing, pucker.Clip):
        clip = thing
    else:
        raise TypeError(f"a clip or a state can be shown, not {type(thing).__qualname__}")
    params = pucker.Params() if params is None else params
    resolved = method_of(params).resolved(clip, params)
    look = Look(
        clip,
        resolved,
        states=states,
        frame=len(clip) // 2 if frame is None else frame,
        plays=frame is None,
        how=how or _usual(states is not None),
        size=size,
        view=view,
    )
    for item in what:
        look.add(item)
    if look.how != "widget":
        look.open()
    look.is_open = True
    return look


def _usual(of_state: bool) -> How:
    """Default display for this environment."""
    if _in_notebook():
        return "widget"
    remote = "SSH_CONNECTION" in os.environ
    if remote or not (sys.platform != "linux" or {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys()):
        return "picture"
    return "page" if of_state or viewer_program() is None else "window"


def _in_notebook() -> bool:
    """Whether an IPython kernel runs this, which none does that has not been imported."""
    shell = sys.modules.get("IPython")
    return shell is not None and type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
