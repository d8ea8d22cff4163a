"""The widget: a clip with its wrinkles, and what can be changed about it."""

import asyncio
import base64
import io
import operator
import time
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import ipywidgets
import traitlets
from IPython.display import display
from PIL import Image

import pucker
from pucker.io import facets_of
from pucker.kinds import kind_of
from pucker.method import method_of
from pucker.render import Camera, ContextError, Lines, Mode, Overlays, fitted_camera
from pucker.render.camera import DEFAULT_VIEW

from .canvas import Canvas
from .painters import GlPainter, Painter, Picture, Shot
from .panel import Panel
from .picking import Pick, Selected, marks, pick
from .playback import Playback
from .run import Runner, Snapshot

_SIZE: Final = (640, 480)
# Pixels of the lines below the picture.
_BELOW: Final = 80
# Seconds without a change after which a picture is drawn as finely as it can be.
_REST: Final = 0.2
# In a saved notebook that is opened again JupyterLab says of the widget, in its place, that there is no model of it.
_STILL: Final = """<style>
body:has(.{live}) .{still} {{ display: none }}
body:not(:has(.{live})) .jp-OutputArea-child:has(+ .jp-OutputArea-child .{still}) {{ display: none }}
</style><img class="{still}" src="data:image/png;base64,{content}">"""


class View(ipywidgets.VBox):  # type: ignore[misc]
    """A clip with its wrinkles in a notebook.

    A drag with the left mouse button turns the camera, one with the right button or with Shift shifts it, the wheel zooms
    (after a click into the picture), and a click picks a triangle and the wrinkle there. While something moves the picture
    is a coarser draft; at rest it is that of `picture`.

    All of it can be done from Python as well: `params`, `frame`, `mode`, `overlays`, `camera`, `playing` and `picked` may
    be read, assigned and observed (`view.observe(call, "frame")`). Assigning returns at once; a new frame or new parameters
    are computed on another thread, from the start of the clip if need be, as the wrinkles of a frame depend on all
    before it.

    Args:
        clip: The garment and the rest of the character.
        params: Parameters of any method, by default `Params()`; lengths that are shares of the clip's height are shown
            in its unit too. A view stays with its method.
        size: Width and height of the picture in pixels.
        view: Name of a view of `render.VIEWS`, or (azimuth, elevation) in degrees.
        frame, mode, overlays: What is shown at first.
        states: A state a frame, in place of a run: parameters then change nothing.
        smooth: Levels of `Clip.smoothed` that the clip is shown and wrinkled with. By default as many as
            `pucker.io.facets_of` says, as commands do: of the body alone (`Clip.with_smooth_body`) for methods that, by the first
            parameters, need the garment's mesh as it is, and none with states.

    Without OpenGL 4.3, `notice` says why, and matplotlib draws the mesh with the paths of its wrinkles instead.

    A view holds threads and GPU memory until it is closed.
    """

    params = traitlets.Any(help="The parameters of the run.")
    frame = traitlets.Any(0, help="Number of the frame, from 0. Raises ValueError for one the clip does not have.")
    mode = traitlets.Any(help='What of the wrinkles is drawn: "base", "normals", "displacement" or "both".')
    overlays = traitlets.Any(help="What is drawn over it: an `Overlays`; may be assigned as names.")
    camera = traitlets.Instance(Camera, help="Where the picture is taken from.")
    playing = traitlets.Bool(False, help="Whether the clip goes on by itself, as long as the picture is in sight.")
    picked = traitlets.Instance(Pick, allow_none=True, help="The triangle and wrinkle that were picked, or None.")

    _closed = True

    def __init__(
        self,
        clip: pucker.Clip,
        params: Any = None,
        *,
        size: tuple[int, int] = _SIZE,
        view: str | tuple[float, float] = DEFAULT_VIEW,
        frame: int = 0,
        mode: Mode | str = Mode.both,
        overlays: Overlays | Collection[str] = (),
        states: Sequence[Any] | None = None,
        smooth: int | None = None,
    ) -> None:
        super().__init__()
        if not isinstance(clip, pucker.Clip):
            raise TypeError(f"a view shows a pucker.Clip, which pucker.load gives, not a {kind_of(type(clip))}")
        self._size = size
        self._loop: asyncio.AbstractEventLoop | None = None
        self._remember_loop()
        self._last_change = 0.0
        self._will_rest = False
        self._playback = Playback(clip.times)
        params = pucker.Params() if params is None else params
        self._method = method_of(params)
        if smooth is not None:
            clip = clip.smoothed(smooth)
        elif states is None:
            levels = facets_of(clip).smooth
            clip = clip.with_smooth_body(levels) if self._method.keeps_mesh(params) else clip.smoothed(levels)
        self._clip = clip
        params = self._method.resolved(clip, params)
        self._first_params = params
        self.params, self.frame, self.mode, self.overlays = params, frame, mode, overlays
        self.camera = fitted_camera(clip, view, size)
        self._notice = ""
        # A context of OpenGL belongs to the thread that made it, but the browser's messages come on several.
        self._drawing = ThreadPoolExecutor(1, "pucker-drawing")
        try:
            self._painter = self._drawing.submit(self._make_painter).result()
        except BaseException:
            self._drawing.shutdown()
            raise
        self._runner = Runner(clip, params, frame, self._arrived, states)
        self._closed = False
        self._canvas = Canvas(size, paint=self._next_picture, move=self._move, click=self._click)
        self._panel = Panel(self, len(clip), size[0], self._canvas.errors)
        self._brush = self._canvas.brush = self._method.brush(self, clip)
        tools = [] if self._brush is None else [self._brush.controls]
        left = ipywidgets.VBox(
            [self._canvas, *self._panel.below], layout={"flex": f"0 1 {size[0]}px", "min_width": "0"}
        )
        # It scrolls by itself, so that the picture stays in sight whichever parameter is changed.
        right = ipywidgets.Box(
            [ipywidgets.VBox([*tools, *self._panel.beside])],
            layout={
                "display": "block",
                "flex": "1 1 260px",
                "max_width": "360px",
                "min_width": "260px",
                "max_height": f"{size[1] + _BELOW}px",
                "overflow": "hidden auto",
                "margin": "0 0 0 12px",
            },
        )
        right.add_class("pucker-panel")
        self.add_class(self._live_class)
        # Where there is no room beside the picture it stands below.
        self.children = [ipywidgets.HBox([left, right], layout={"flex_flow": "row wrap"})]
        self.observe(self._ask, ["params", "frame"])
        self.observe(self._changed, ["mode", "overlays", "camera", "picked", "playing"])

    def _make_painter(self) -> Painter:
        try:
            return GlPainter(self._clip, self._size, self.camera)
        except ContextError as error:
            from .flat import FlatPainter  # noqa: PLC0415 - matplotlib is needed only here

            self._notice = f"Drawn by matplotlib, without displacement: {error}"
            return FlatPainter(self._clip, self._size)

    # --- what may be asked and done from Python ----------------------------------------------------------------------

    @property
    def notice(self) -> str:
        """Why the picture is not drawn by OpenGL; empty if it is."""
        return self._notice

    @property
    def clip(self) -> pucker.Clip:
        """The clip that is shown, whose triangles are picked and whose frames the snapshots are of."""
        return self._clip

    @property
    def canvas(self) -> Canvas:
        """The widget of the picture; its `get_stats()` tells the frames per second."""
        return self._canvas

    @property
    def panel(self) -> Panel:
        """The controls."""
        return self._panel

    @property
    def brush(self) -> Any:
        """What the mouse paints with, or None for a method that has nothing to paint."""
        return self._brush

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture in pixels."""
        return self._size

    @property
    def shown(self) -> Snapshot | None:
        """What was computed last; None before the first."""
        return self._runner.latest

    @property
    def snapshot(self) -> Snapshot:
        """Parameters, frame and `State` that are asked for; waits until they are computed.

        Raises what the computation raised, and ValueError if the view is closed.
        """
        return self._runner.settled()

    @property
    def selected(self) -> Selected | None:
        """The numbers of what is picked, in the present frame; waits for it as `snapshot` does."""
        return None if self.picked is None else Selected.of(self.picked, self.snapshot.state)

    def picture(self) -> Picture:
        """The picture (height, width, 3) uint8 of the present frame, as `render.ClipRenderer` draws it.

        Waits until the frame is computed. What is picked is marked by the lines `marks()`.
        """
        return self._painted(self.snapshot, draft=False)

    def marks(self) -> list[Lines]:
        """The lines that mark what is picked in the present frame."""
        return [] if self.picked is None else marks(self._clip, self.snapshot, self.picked)

    def pick(self, x: float, y: float) -> Pick | None:
        """Picks what is under column x and row y of the picture, from the upper left corner, or nothing."""
        self.picked = pick(self._clip, self.snapshot, self.camera, self._size, x, y)
        return self.picked

    def look(self, view: str | tuple[float, float]) -> None:
        """Looks from a view of `render.VIEWS`, or from (azimuth, elevation) in degrees, at all frames of the clip."""
        self.camera = fitted_camera(self._clip, view, self._size)

    def show_legends(self, legends: Sequence[tuple[str, Sequence[tuple[str, tuple[float, float, float]]]]]) -> None:
        """Tells below the picture what colours mean: names, and words with their colours, sRGB in [0, 1]."""
        self._panel.show_legends(legends)

    def reset_params(self) -> None:
        """Takes the parameters the view began with."""
        self.params = self._first_params

    def close(self) -> None:
        """Stops what is being computed, frees the GPU memory, and takes the widget off the page."""
        if not self._closed:
            self._closed = True
            self._runner.close()
            if self._brush is not None:
                self._brush.close()
            self._drawing.submit(self._painter.close).result()
            self._drawing.shutdown()
            for widget in _descendants(self):
                widget.close()
        super().close()

    def _ipython_display_(self) -> None:
        """Shows the widget, and below it a picture that a page shows only if the widget is not alive on it."""
        widget = self._repr_mimebundle_() | {"text/plain": f"View of frame {self.frame}"}
        still = {"text/html": self._still(), "text/plain": f"Picture of frame {self.frame}"}
        for bundle in (widget, still):
            display(bundle, raw=True)  # type: ignore[no-untyped-call]

    def _still(self) -> str:
        with io.BytesIO() as file:
            Image.fromarray(self.picture()).save(file, format="png")
            content = base64.b64encode(file.getvalue()).decode()
        return _STILL.format(live=self._live_class, still=f"pucker-still-{self.model_id}", content=content)

    @property
    def _live_class(self) -> str:
        return f"pucker-live-{self.model_id}"

    # --- traits ------------------------------------------------------------------------------------------------------

    @traitlets.validate("frame")
    def _valid_frame(self, proposal: Any) -> int:
        frame, count = operator.index(proposal["value"]), len(self._clip)
        if not 0 <= frame < count:
            raise ValueError(f"frame must lie in [0, {count}), not {frame}")
        return frame

    @traitlets.validate("params")
    def _valid_params(self, proposal: Any) -> Any:
        params = proposal["value"]
        if type(params) is not self._method.params:
            raise traitlets.TraitError(
                f"params must be {kind_of(self._method.params)} in a view of this method, not {kind_of(type(params))}; "
                "View(clip, params) shows another"
            )
        return self._method.resolved(self._clip, params)

    @traitlets.validate("mode")
    def _valid_mode(self, proposal: Any) -> str:
        return Mode(proposal["value"]).name

    @traitlets.validate("overlays")
    def _valid_overlays(self, proposal: Any) -> Overlays:
        return Overlays.of(proposal["value"])

    @traitlets.validate("picked")
    def _valid_picked(self, proposal: Any) -> Pick | None:
        picked: Pick | None = proposal["value"]
        count = len(self._clip.faces)
        if picked is not None and not 0 <= picked.triangle < count:
            raise ValueError(f"the picked triangle must lie in [0, {count}), not {picked.triangle}")
        return picked

    def _ask(self, change: Any) -> None:
        self._remember_loop()
        if change["name"] == "frame" and self.frame != self._playback.frame:
            self._playback.start(self.frame, time.monotonic())
        self._runner.ask(self.params, self.frame)
        self._changed(change)

    def _changed(self, change: Any) -> None:
        self._remember_loop()
        if change["name"] == "playing":
            self._playback.start(self.frame, time.monotonic())
        self._last_change = time.monotonic()
        self._on_loop(self._refresh)

    # --- the browser's side ------------------------------------------------------------------------------------------

    def _remember_loop(self) -> None:
        """Keeps the event loop that runs here: the page's messages and what other threads ask for go through it."""
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:  # a script has none
            return

    def _on_loop(self, call: Callable[[], None]) -> None:
        loop = self._loop
        if loop is None or self._closed:
            return
        try:
            loop.call_soon_threadsafe(call)
        except RuntimeError:  # its page has been closed, so nothing can be sent
            return

    def _arrived(self) -> None:
        self._on_loop(self._refresh)

    def _refresh(self) -> None:
        """Shows how things stand and asks for a picture."""
        if self._closed:
            return
        snapshot = self._runner.latest
        self._panel.show_status(self._status(snapshot))
        shown = None if snapshot is None or self.picked is None else Selected.of(self.picked, snapshot.state)
        self._panel.show_numbers([] if shown is None else shown.rows())
        self._canvas.request_draw()

    def _status(self, snapshot: Snapshot | None) -> str:
        parts = []
        if self._runner.failure is not None:
            parts.append(str(self._runner.failure))
        elif snapshot is not None:
            counts = self._method.counts(snapshot.state).items()
            told = [f"{count:g} {name.replace('_', ' ')}" for name, count in counts]
            parts.append(", ".join([f"frame {snapshot.frame}", f"{snapshot.state.time:.3f} s", *told]))
        if self._runner.busy:
            parts.append("computing …")
        return " · ".join([*parts, self._notice] if self._notice else parts)

    def _next_picture(self) -> Picture | None:
        self._remember_loop()
        snapshot = self._runner.latest
        if snapshot is None or self._closed:
            return None
        now = time.monotonic()
        if self.playing:
            if not self._runner.busy:
                self.frame = self._playback.advance(now)
            self._canvas.request_draw()
        draft = self.playing or now - self._last_change < _REST
        if draft and not self._will_rest and self._loop is not None:
            self._will_rest = True
            self._loop.call_later(_REST, self._rested)
        return self._painted(snapshot, draft=draft)

    def _rested(self) -> None:
        self._will_rest = False
        if not self._closed:
            self._canvas.request_draw()

    def _painted(self, snapshot: Snapshot, *, draft: bool) -> Picture:
        lines = [] if self.picked is None else marks(self._clip, snapshot, self.picked)
        shot = Shot(snapshot, self.camera, Mode(self.mode), self.overlays, lines)
        return self._drawing.submit(self._painter.paint, shot, draft=draft).result()

    def _move(self, change: Callable[[Camera], Camera]) -> None:
        self.camera = change(self.camera)

    def _click(self, x: float, y: float) -> None:
        snapshot = self._runner.latest
        if snapshot is not None:
            self.picked = pick(self._clip, snapshot, self.camera, self._size, x, y)


def _descendants(widget: Any) -> list[Any]:
    """All widgets inside a widget."""
    inside = []
    for child in getattr(widget, "children", ()):
        inside += [*_descendants(child), child]
    return inside
