"""Draws surfaces and reads pictures back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from enum import IntEnum
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, cast

import moderngl
import numpy as np
import numpy.typing as npt

from .appearance import DEFAULT_SAMPLES, DEFAULT_SIZE, DEFAULTS, Colour, Light, linear_from_srgb
from .buffers import GrowingBuffer
from .camera import Camera
from .capture import Capture, Captured
from .current import ContextError, Device, in_context
from .overlays import Lines
from .shaders import binding, compile_compute, compile_program, constants, manifest
from .surface import Draw, Surface
from .timing import PassTimer

if TYPE_CHECKING:
    from .buffers import Releasable

_HEADLESS: Final[dict[str, Any]] = {"backend": "egl"}
_FRAME_FLOATS: Final = 16 + 11 * 4
_COMPUTE_PROGRAMS: Final = ("clear", "reach", "curve")
_DRAWING_PROGRAMS: Final = ("surface", "wrinkled", "path", "line", "tessellation")
# Slope and constant of the depth by which tessellated edges stand before the surface they lie on.
_EDGE_OFFSET: Final = (-1.0, -2.0)
# What is drawn covers what was there by its alpha; the picture's own alpha stays that of the surface.
_OVER: Final = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)
_STYLE: Final[dict[str, Any]] = {name: tuple(v) if isinstance(v, list) else v for name, v in DEFAULTS["style"].items()}


class Mode(IntEnum):
    """What of the wrinkles is drawn."""

    BASE = 0
    NORMALS = 1
    DISPLACEMENT = 2
    BOTH = 3

    @classmethod
    def of(cls, mode: "Mode | str") -> "Mode":
        """A mode or its name in lower case."""
        if isinstance(mode, cls):
            return mode
        names = {member.name.lower(): member for member in cls}
        if mode not in names:
            raise ValueError(f"mode must be one of {', '.join(names)}, not {mode!r}")
        return names[str(mode)]


class Output(IntEnum):
    """What a pixel holds: the shaded colour, or the surface's unit normal or position as floats."""

    SHADED = 0
    NORMAL = 1
    POSITION = 2


class Profile(IntEnum):
    """Cross-section of a wrinkle, numbered as in the core."""

    QUARTIC = 0
    SINUSOIDAL = 1
    ARCS = 2
    BSPLINE = 3

    @classmethod
    def of(cls, profile: Any) -> "Profile":
        """A profile, its name in lower case, or a member of the core's enumeration."""
        name = str(getattr(profile, "name", profile)).upper()
        if name not in cls.__members__:
            raise ValueError(f"profile must be one of {', '.join(cls.__members__).lower()}, not {profile!r}")
        return cls[name]


@dataclass(frozen=True)
class Style:
    """How a picture is drawn. Colours are sRGB in [0, 1], line widths in pixels; a width of 0 draws no lines.

    `reached` tints the triangles that wrinkles reach: each wrinkle leaves the share `reached_left` of the colour. `tessellation`
    draws the edges of the tessellated triangles, one pixel wide; they fade where they are close.

    Tessellated edges are 3/8 of the smallest wrinkle width, but no shorter than `least_edge` pixels at the camera's target:
    normals are evaluated for each pixel, so smaller triangles change no more than single pixels of an outline. A
    `least_edge` of 0 takes the limit away.
    """

    mode: Mode = Mode.BOTH
    profile: Profile = Profile.BSPLINE
    light: Light = field(default_factory=Light)
    background: Colour = _STYLE["background"]
    least_edge: float = _STYLE["least_edge"]
    path_width: float = 0.0
    path_colour: Colour = _STYLE["path_colour"]
    wire_width: float = 0.0
    wire_colour: Colour = _STYLE["wire_colour"]
    reached: bool = False
    reached_colour: Colour = _STYLE["reached_colour"]
    reached_left: float = _STYLE["reached_left"]
    tessellation: bool = False
    tessellation_colour: Colour = _STYLE["tessellation_colour"]


def create_context() -> moderngl.Context:
    """A headless OpenGL 4.3 context through EGL. Raises ContextError where there is none, saying what there is."""
    try:
        return _headless(430)
    except Exception as error:  # the loader raises whatever went wrong, down to plain Exception
        found = f"none ({error}); on Debian install libegl1 libegl-mesa0 libgl1-mesa-dri libgl1 libgles2"
        with suppress(Exception):  # as above
            found = _offered_version()
        raise ContextError(f"OpenGL 4.3 is needed, found {found}") from error


def _headless(version: int) -> moderngl.Context:
    return moderngl.create_context(require=version, standalone=True, **_HEADLESS)


def _offered_version() -> str:
    """The version of a context that asks for as little as moderngl does."""
    context = _headless(330)
    version = str(context.info["GL_VERSION"])
    context.release()
    return version


class _Target:
    """A framebuffer to draw into and, if it is multisampled, another to read from."""

    def __init__(self, context: moderngl.Context, size: tuple[int, int], samples: int, dtype: str) -> None:
        self._parts: list[Any] = []
        self._context = context
        self.drawn = self._framebuffer(size, samples, dtype)
        self.read = self._framebuffer(size, 0, dtype) if samples else self.drawn

    def _framebuffer(self, size: tuple[int, int], samples: int, dtype: str) -> moderngl.Framebuffer:
        colour = self._context.renderbuffer(size, 4, samples=samples, dtype=dtype)
        depth = self._context.depth_renderbuffer(size, samples=samples)
        framebuffer = self._context.framebuffer([colour], depth)
        self._parts += [colour, depth, framebuffer]
        return framebuffer

    def pixels(self, dtype: npt.DTypeLike, code: str) -> npt.NDArray[Any]:
        if self.read is not self.drawn:
            self._context.copy_framebuffer(self.read, self.drawn)
        width, height = self.read.size
        content = self.read.read(components=4, dtype=code, alignment=1)
        return np.frombuffer(content, dtype=dtype).reshape(height, width, 4)[::-1].copy()

    def release(self) -> None:
        for part in reversed(self._parts):
            part.release()


def _check_device(context: moderngl.Context, size: tuple[int, int], samples: int) -> None:
    most = context.info["GL_MAX_RENDERBUFFER_SIZE"]
    width, height = size
    if not (1 <= width <= most and 1 <= height <= most):
        raise ValueError(
            f"a picture must be at least 1 and at most {most} pixels wide and high, not {width} x {height}"
        )
    if not 0 <= samples <= context.max_samples:
        raise ValueError(f"samples must lie in [0, {context.max_samples}] on this device, not {samples}")


class Renderer:
    """Draws surfaces into pictures of one size, headless or in a caller's context.

    `size` is (width, height) in pixels, `samples` the number of samples a pixel (0 or 1 for none). Raises ContextError
    without OpenGL 4.3 and ValueError for a size or a number of samples the device does not offer. Everything it is asked
    for from another thread than the one that made it, or after `close`, raises ContextError.
    """

    def __init__(
        self,
        size: tuple[int, int] = DEFAULT_SIZE,
        *,
        samples: int = DEFAULT_SAMPLES,
        context: moderngl.Context | None = None,
    ) -> None:
        self._owns_context = context is None
        self.context = create_context() if context is None else context
        self.device = Device(self.context)
        self.size = size
        self._samples = 0 if samples == 1 else samples
        try:
            _check_device(self.context, size, samples)
            self._make_programs()
        except Exception:
            if self._owns_context:
                self.context.release()
            raise

    def _make_programs(self) -> None:
        self._compute = {name: compile_compute(self.context, name) for name in _COMPUTE_PROGRAMS}
        self._programs = {name: compile_program(self.context, name) for name in _DRAWING_PROGRAMS}
        self._arrays = {name: self.context.vertex_array(program, []) for name, program in self._programs.items()}
        self._frame = self.context.buffer(reserve=4 * _FRAME_FLOATS, dynamic=True)
        self._line_ends = GrowingBuffer(self.context)
        self._timer = PassTimer(self.context)
        self._surfaces: list[Surface] = []
        self._targets: dict[bool, _Target] = {}
        self._capture: Capture | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees the GPU memory, and the context if it was made here. Closing twice does nothing more."""
        if self.device.closed:
            return
        self.device.enter()
        self.device.close()
        resources: list[Releasable] = [
            *self._surfaces,
            *self._targets.values(),
            *self._arrays.values(),
            *self._programs.values(),
            *self._compute.values(),
            self._frame,
            self._line_ends,
        ]
        if self._capture is not None:
            resources.append(self._capture)
        for resource in resources:
            resource.release()
        if self._owns_context:
            self.context.release()

    @in_context
    def surface(self, faces: npt.ArrayLike, vertex_count: int, **options: Any) -> Surface:
        """A mesh to be drawn here; see `Surface` for the options. It lives as long as the renderer."""
        surface = Surface(self.device, faces, vertex_count, **options)
        self._surfaces.append(surface)
        return surface

    @in_context
    def render(
        self, surfaces: Sequence[Surface], camera: Camera, style: Style = Style(), lines: Sequence[Lines] = ()
    ) -> npt.NDArray[np.uint8]:
        """A picture (height, width, 4) of 8-bit sRGB; the alpha is the share of the pixel that is not background."""
        target = self._target(floating=False)
        with self._restored_framebuffer():
            self.draw(target.drawn, surfaces, camera, style, lines=lines)
            return target.pixels(np.uint8, "f1")

    @in_context
    def measure(
        self, surfaces: Sequence[Surface], camera: Camera, output: Output, style: Style = Style()
    ) -> npt.NDArray[np.float32]:
        """Normals or positions (height, width, 4) as seen by the camera; the last number is 1 where there is a surface."""
        target = self._target(floating=True)
        with self._restored_framebuffer():
            self.draw(target.drawn, surfaces, camera, style, output)
            return target.pixels(np.float32, "f4")

    @in_context
    def draw(
        self,
        framebuffer: moderngl.Framebuffer,
        surfaces: Sequence[Surface],
        camera: Camera,
        style: Style = Style(),
        output: Output = Output.SHADED,
        lines: Sequence[Lines] = (),
    ) -> None:
        """Draws into a framebuffer of this context, which is cleared first. Lines are drawn for shaded output only."""
        self._timer.restart()
        unrefined = [surface for surface in surfaces if surface.needs_refining()]
        if unrefined:
            with self._timer.measured("curve"):
                for surface in unrefined:
                    surface.refine(self._compute, self.context)
        framebuffer.use()
        background = style.background if output is Output.SHADED else (0.0, 0.0, 0.0)
        framebuffer.clear(*background, 0.0)
        self.context.enable_only(moderngl.DEPTH_TEST)
        self._write_frame(camera, style, framebuffer.size)
        edges = [self._target_edge(surface, camera, style, framebuffer.height) for surface in surfaces]
        wrinkled = [(surface, edge) for surface, edge in zip(surfaces, edges, strict=True) if edge is not None]
        with self._timer.measured("plain"):
            for surface, edge in zip(surfaces, edges, strict=True):
                surface.bind()
                self._programs["surface"]["without_patches"] = edge is not None
                self._draw_shaded("surface", moderngl.TRIANGLES, surface.draws, style, output)
        if wrinkled:
            with self._timer.measured("wrinkled"):
                for surface, edge in wrinkled:
                    self._bind_patches("wrinkled", surface, edge)
                    self._draw_shaded("wrinkled", moderngl.PATCHES, surface.patch_draws(edge), style, output)
        if output is Output.SHADED:
            self._draw_overlays(surfaces, wrinkled, style, lines)

    @in_context
    def timings(self) -> dict[str, float]:
        """GPU time of each pass of the last picture [s], in order, by timer queries; waits for the GPU.

        The passes are "curve" (once for each set of wrinkles), "plain", "wrinkled" and the overlays "tessellation", "paths"
        and "lines"; those that were not needed are missing. What a driver does after a query has ended, above all resolving
        samples and reading the picture back, is not in them.
        """
        return self._timer.seconds()

    @in_context
    def capture(self, surface: Surface, profile: Profile = Profile.BSPLINE) -> Captured:
        """Tessellated points of the triangles that wrinkles reach and of their neighbours, as the GPU displaces them."""
        surface.refine(self._compute, self.context)
        if self._capture is None:
            self._capture = Capture(self.context)
        with self._restored_framebuffer():
            return self._capture.run(surface, int(profile))

    @in_context
    def samples(self, surface: Surface) -> npt.NDArray[np.float32]:
        """The refined wrinkle paths; see `Surface.read_samples` for the columns."""
        surface.refine(self._compute, self.context)
        return surface.read_samples()

    @contextmanager
    def _restored_framebuffer(self) -> Iterator[None]:
        """Leaves the framebuffer bound that was bound before, or the context's own if none ever was."""
        # Typed as never None, which it is until a framebuffer has been bound.
        before = cast("moderngl.Framebuffer | None", self.context.fbo)
        try:
            yield
        finally:
            (self.context.detect_framebuffer(0) if before is None else before).use()

    def _target(self, *, floating: bool) -> _Target:
        if floating not in self._targets:
            samples, dtype = (0, "f4") if floating else (self._samples, "f1")
            self._targets[floating] = _Target(self.context, self.size, samples, dtype)
        return self._targets[floating]

    def _write_frame(self, camera: Camera, style: Style, size: tuple[int, int]) -> None:
        values = frame_values(camera, style, size)
        self._frame.write(values)
        self._frame.bind_to_uniform_block(int(manifest()["uniform_blocks"]["Frame"]))

    @staticmethod
    def _target_edge(surface: Surface, camera: Camera, style: Style, picture_height: int) -> float | None:
        """Length of tessellated edges, None where nothing is displaced."""
        if not style.mode & constants()["MODE_DISPLACEMENT"] or surface.path_segments == 0:
            return None
        return max(surface.target_edge, style.least_edge * camera.pixel_size(picture_height))

    def _bind_patches(self, name: str, surface: Surface, target_edge: float) -> None:
        surface.bind()
        self._programs[name]["target_edge"] = target_edge
        self.context.patch_vertices = 3

    def _draw_shaded(self, name: str, kind: int, draws: Sequence[Draw], style: Style, output: Output) -> None:
        program = self._programs[name]
        program["mode"] = int(style.mode)
        program["profile"] = int(style.profile)
        program["output_kind"] = int(output)
        for draw in draws:
            program["textured"] = draw.texture is not None
            if draw.texture is not None:
                draw.texture.use(0)
            self._draw_range(name, kind, draw)

    def _draw_range(self, name: str, kind: int, draw: Draw) -> None:
        self._arrays[name].render(kind, vertices=3 * draw.count, first=3 * draw.first)

    def _draw_overlays(
        self,
        surfaces: Sequence[Surface],
        wrinkled: Sequence[tuple[Surface, float]],
        style: Style,
        lines: Sequence[Lines],
    ) -> None:
        if style.tessellation and wrinkled:
            with self._timer.measured("tessellation"):
                self._draw_tessellation(wrinkled, style)
        if style.path_width > 0.0 and any(surface.path_segments for surface in surfaces):
            with self._timer.measured("paths"):
                for surface in surfaces:
                    self._draw_paths(surface)
        if lines:
            with self._timer.measured("lines"):
                for group in lines:
                    self._draw_lines(group)

    def _draw_tessellation(self, wrinkled: Sequence[tuple[Surface, float]], style: Style) -> None:
        program = self._programs["tessellation"]
        program["profile"] = int(style.profile)
        program["flat_colour"] = tuple(linear_from_srgb(style.tessellation_colour))
        self.context.wireframe = True
        self.context.polygon_offset = _EDGE_OFFSET
        self.context.enable(moderngl.BLEND)
        self.context.blend_func = _OVER  # type: ignore[assignment]  # typed without the form for alpha of its own
        try:
            for surface, edge in wrinkled:
                self._bind_patches("tessellation", surface, edge)
                for draw in surface.patch_draws(edge):
                    self._draw_range("tessellation", moderngl.PATCHES, draw)
        finally:
            self.context.wireframe = False
            self.context.polygon_offset = (0.0, 0.0)
            self.context.disable(moderngl.BLEND)

    def _draw_paths(self, surface: Surface) -> None:
        if surface.path_segments == 0:
            return
        surface.bind()
        corners = 6 * constants()["SAMPLES_PER_SEGMENT"]
        self._arrays["path"].render(moderngl.TRIANGLES, vertices=corners, instances=surface.path_points - 1)

    def _draw_lines(self, lines: Lines) -> None:
        if len(lines.ends) == 0:
            return
        self._line_ends.write(lines.ends)
        self._line_ends.bind(binding("Lines"))
        self._programs["line"]["flat_colour"] = tuple(linear_from_srgb(lines.colour))
        self._programs["line"]["line_width"] = lines.width
        self._arrays["line"].render(moderngl.TRIANGLES, vertices=6, instances=len(lines.ends))


def frame_values(camera: Camera, style: Style, size: tuple[int, int]) -> npt.NDArray[np.float32]:
    """The uniform block Frame, laid out by std140."""
    light = style.light
    turn = np.stack(camera.axes, axis=1) if light.attached else np.eye(3)
    values = np.zeros((_FRAME_FLOATS // 4, 4), dtype=np.float32)
    # std140 stores matrices by columns.
    values[0:4] = camera.view_projection(size[0] / size[1]).T
    values[4, :3] = camera.eye
    for row, direction in ((5, light.key_direction), (7, light.fill_direction)):
        vector = turn @ np.asarray(direction, dtype=np.float64)
        values[row, :3] = vector / np.linalg.norm(vector)
    values[5, 3] = light.specular
    values[6] = (*light.key_colour, light.exponent)
    values[8, :3] = light.fill_colour
    values[9, :3] = light.sky_colour
    values[10, :3] = light.ground_colour
    values[11] = (*linear_from_srgb(style.path_colour), style.path_width)
    values[12] = (*linear_from_srgb(style.wire_colour), style.wire_width)
    values[13] = (*linear_from_srgb(style.reached_colour), style.reached_left if style.reached else 1.0)
    values[14, :2] = size
    return values
