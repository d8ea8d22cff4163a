"""Draws surfaces and reads pictures back."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import groupby
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self, cast

import moderngl
import numpy as np
import numpy.typing as npt

from pucker._core import draw
from pucker._core.draw import Camera, Lines, Output, Style

from .buffers import GrowingBuffer
from .capture import Capture, Captured
from .current import ContextError, Device, in_context
from .execution import Programs
from .maps import Maps
from .shaders import check_storage
from .surface import DrawnSurface, Texels, decoded
from .timing import PassTimer

if TYPE_CHECKING:
    from .buffers import Releasable

_HEADLESS: Final[dict[str, Any]] = {"backend": "egl"}
_USUAL_STYLE: Final = Style()


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
    for from another thread than the one that made it, or after `close`, raises ContextError, as do pictures that OpenGL
    reports an error about.
    """

    def __init__(
        self,
        size: tuple[int, int] = draw.PICTURE_SIZE,
        *,
        samples: int = draw.SAMPLES,
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
        check_storage(self.context)
        self._programs = Programs(self.context)
        self._frames = GrowingBuffer(self.context)
        self._line_ends: list[GrowingBuffer] = []  # one for each group of lines
        self._timer = PassTimer(self.context)
        self._surfaces: list[DrawnSurface] = []
        self._targets: dict[bool, _Target] = {}
        self._capture: Capture | None = None
        self._maps = Maps(self.context)

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
            self._programs,
            self._frames,
            *self._line_ends,
            self._maps,
        ]
        if self._capture is not None:
            resources.append(self._capture)
        for resource in resources:
            resource.release()
        if self._owns_context:
            self.context.release()

    @in_context
    def surface(
        self, faces: npt.ArrayLike, vertex_count: int, *, images: Sequence[bytes] = (), **options: Any
    ) -> DrawnSurface:
        """A mesh to be drawn here. It lives as long as the renderer.

        Args:
            faces: (m, 3), vertex numbers.
            vertex_count: Number n of vertices.
            images: Encoded textures.
            options: Those of what follows that there are.
                `colours` (m, 4) uint8, sRGB colour of each triangle.
                `texcoords` (m, 3, 2), texture coordinates of each corner, from the lower left of the texture.
                `textures` (m,), number of each triangle's texture in `images`, -1 for none.
                `weld` (n,), vertices of one number share their normal.
                `cloth`, whether triangles without a texture may be shown as fabric (`Style.fabric`).
                `alpha_modes` (m,), an `AlphaMode` a triangle: what the alpha of its colour times its texture says.
                `alpha_cutoffs` (m,), least alpha at which those that are masks have a surface; 0.5 without.

        Raises:
            ValueError: For a wrong shape or a number out of range.
        """
        content = draw.Surface(faces, vertex_count, texture_count=len(images), **options)
        return self.drawn(content, [decoded(image) for image in images])

    def drawn(self, content: draw.Surface, pictures: Sequence[Texels]) -> DrawnSurface:
        """What is to be drawn here of a surface with these textures. It lives as long as the renderer."""
        surface = DrawnSurface(self.device, content, pictures)
        self._surfaces.append(surface)
        return surface

    @in_context
    def render(
        self, surfaces: Sequence[DrawnSurface], camera: Camera, style: Style = _USUAL_STYLE, lines: Sequence[Lines] = ()
    ) -> npt.NDArray[np.uint8]:
        """A picture (height, width, 4) of 8-bit sRGB; the alpha is the share of the pixel that is not background."""
        target = self._target(floating=False)
        with self._restored_framebuffer():
            self.draw(target.drawn, surfaces, camera, style, lines=lines)
            return self._read(target, np.uint8, "f1")

    @in_context
    def measure(
        self, surfaces: Sequence[DrawnSurface], camera: Camera, output: Output, style: Style = _USUAL_STYLE
    ) -> npt.NDArray[np.float32]:
        """Normals or positions (height, width, 4) as seen by the camera; the last number is 1 where there is a surface.

        Positions are those of surfaces that share their origin.
        """
        target = self._target(floating=True)
        with self._restored_framebuffer():
            self.draw(target.drawn, surfaces, camera, style, output)
            seen = self._read(target, np.float32, "f4")
        if output is Output.position and surfaces:
            seen[seen[..., 3] == 1.0, :3] += surfaces[0].origin.astype(np.float32)
        return seen

    def _read(self, target: _Target, dtype: npt.DTypeLike, code: str) -> npt.NDArray[Any]:
        """The picture. Raises ContextError if OpenGL reports an error, after which nothing says what the pixels are."""
        pixels = target.pixels(dtype, code)
        error = self.context.error
        if error != "GL_NO_ERROR":
            raise ContextError(f"OpenGL failed while a picture was drawn: {error}")
        return pixels

    @in_context
    def draw(
        self,
        framebuffer: moderngl.Framebuffer,
        surfaces: Sequence[DrawnSurface],
        camera: Camera,
        style: Style = _USUAL_STYLE,
        output: Output = Output.shaded,
        lines: Sequence[Lines] = (),
    ) -> None:
        """Draws into a framebuffer of this context, which is cleared first. Lines are drawn for shaded output only."""
        for surface in surfaces:
            surface.send()
        content = [surface.content for surface in surfaces]
        picture = draw.picture(content, camera, style, framebuffer.size, output, lines)
        for surface in surfaces:
            surface.send()  # what the list asks for
        self._timer.restart()
        framebuffer.use()
        red, green, blue = picture.background
        framebuffer.clear(red, green, blue, 0.0)
        self.context.enable_only(moderngl.DEPTH_TEST)
        self._maps.begin(picture.map_sizes)
        self._frames.write(picture.frames)
        line_ends = self._send_lines(picture.line_ends)
        objects = [surface.objects for surface in surfaces]
        into = -1
        for name, batches in groupby(picture.batches, key=lambda batch: batch.timed_as):
            with self._timer.measured(name):
                for batch in batches:
                    if batch.into != into:
                        into = batch.into
                        framebuffer.use() if into < 0 else self._maps.use(into)
                    self._programs.run_batch(picture, batch, objects, self._frames.name, line_ends)

    def _send_lines(self, groups: Sequence[npt.NDArray[np.float32]]) -> list[int]:
        """Names of the buffers of groups of lines."""
        while len(self._line_ends) < len(groups):
            self._line_ends.append(GrowingBuffer(self.context))
        used = self._line_ends[: len(groups)]
        for buffer, ends in zip(used, groups, strict=True):
            buffer.write(ends)
        return [buffer.name for buffer in used]

    @in_context
    def timings(self) -> dict[str, float]:
        """GPU time of each pass of the last picture [s], in order, by timer queries; waits for the GPU.

        The passes are "compute" (once for each detail), "shadow", "depth" and "occlusion" (as the style says), "plain", "wrinkled" and the overlays "tessellation", "strokes" and
        "lines"; those that were not needed are missing. What a driver does after a query has ended, above all resolving
        samples and reading the picture back, is not in them.
        """
        return self._timer.seconds()

    @in_context
    def capture(self, surface: DrawnSurface) -> Captured:
        """Tessellated points of the triangles that detail reaches and of their neighbours, as the GPU displaces them."""
        self._refine(surface)
        if self._capture is None:
            self._capture = Capture(self.context, self._programs)
        with self._restored_framebuffer():
            return self._capture.run(surface)

    @in_context
    def read(self, surface: DrawnSurface, block: str, dtype: npt.DTypeLike = np.float32) -> npt.NDArray[Any]:
        """The numbers of a storage block of the surface, or of its detail's method, after the method's programs have run."""
        self._refine(surface)
        return surface.read(block, dtype)

    def _refine(self, surface: DrawnSurface) -> None:
        surface.send()
        self._programs.run(draw.refinement(surface.content), [surface])

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
