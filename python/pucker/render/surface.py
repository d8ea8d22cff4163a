"""A triangle mesh on the GPU, with or without detail."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt
from PIL import Image

from pucker._core import draw
from pucker._core.draw import Mode
from pucker.method import Detail

from .buffers import GrowingBuffer, Releasable
from .current import Device, in_context

_SRGB8_ALPHA8: Final = 0x8C43


@dataclass(frozen=True)
class DrawReport:
    """How a frame is cut up: tessellated triangles, plain ones, and edges that wanted more pieces than there can be."""

    patches: int
    plain: int
    draws: int
    limited_edges: int


# Width, height, and RGBA with the lowest row first.
Texels = tuple[int, int, bytes]


def decoded(content: bytes) -> Texels:
    """The pixels of an encoded image (PNG, JPEG …); texture coordinates start at the lower left."""
    with Image.open(BytesIO(content)) as image:
        pixels = image.convert("RGBA").transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    return (*pixels.size, pixels.tobytes())


def make_texture(context: moderngl.Context, texels: Texels) -> moderngl.Texture:
    """A mipmapped sRGB texture."""
    width, height, content = texels
    texture = context.texture((width, height), 4, content, internal_format=_SRGB8_ALPHA8)
    texture.build_mipmaps()
    texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
    return texture


class DrawnSurface:
    """A mesh on the GPU: connectivity and colours once, positions and detail a frame.

    Args:
        device: Where.
        content: What its buffers hold.
        pictures: Its textures.
    """

    def __init__(self, device: Device, content: draw.Surface, pictures: Sequence[Texels]) -> None:
        self.device = device
        self.content = content
        self._texels = pictures
        self.textures = [make_texture(device.context, texels) for texels in pictures]
        self._buffers = [GrowingBuffer(device.context) for _ in range(draw.SURFACE_BINDINGS)]
        self._sizes = [0] * draw.SURFACE_BINDINGS
        # Growing keeps a buffer's name.
        self.objects = draw.SurfaceObjects(
            [buffer.name for buffer in self._buffers], [texture.glo for texture in self.textures]
        )

    @in_context
    def send(self) -> None:
        """Writes what has changed to the GPU."""
        for binding, content, size in self.content.take_uploads():
            self._sizes[binding] = size
            self._buffers[binding].reserve(size)
            self._buffers[binding].write(content)

    @property
    def triangle_count(self) -> int:
        """Number m of triangles."""
        return self.content.triangle_count

    @property
    def target_edge(self) -> float:
        """Length that tessellated edges are to have; 0 without detail."""
        return self.content.target_edge

    @property
    def origin(self) -> npt.NDArray[np.float64]:
        """The point (3,) that the GPU's positions are relative to: near the mesh, 0 where that is near the origin."""
        return np.array(self.content.origin)

    def report(self, target_edge: float | None = None) -> DrawReport:
        """How the present frame is drawn with its detail displaced, by default at the surface's own target edge."""
        return DrawReport(*self.content.report(self.target_edge if target_edge is None else target_edge))

    @in_context
    def set_positions(
        self,
        positions: npt.ArrayLike,
        normals: npt.ArrayLike | None = None,
        *,
        origin: Sequence[float] | None = None,
        corner_normals: npt.ArrayLike | None = None,
    ) -> None:
        """Moves the vertices (n, 3) and takes the detail off; unit normals (n, 3) are computed unless given.

        `corner_normals` (m, 3, 3) are what is lit by, and what the normals of detail that shaders make are turned with;
        displacement goes along those of the vertices.

        They are drawn relative to `origin`, by default one near them; surfaces that touch must share it.
        """
        self.content.set_positions(positions, normals, origin, corner_normals)

    @in_context
    def set_tints(self, tints: npt.ArrayLike | None) -> None:
        """Lays colours (m, 4) uint8, sRGB with the share as alpha, over the triangles; None takes them off."""
        self.content.set_tints(tints)

    @in_context
    def set_detail(self, detail: Detail | None, mode: Mode = Mode.both) -> None:
        """Puts the detail of a frame, None for none, over the positions of that frame.

        A detail that has shaders is tessellated, as the style of a picture says. One that has none is divided here and
        shows what `mode` says. Raises ValueError, and keeps what there was, for a detail of a mesh of another size.
        """
        self.content.set_detail(detail, mode)

    def suitable_exposure(self) -> float:
        """The factor of light by which the surface, lit, stays below white if it is pale and is seen if it is dark."""
        return self.content.exposure(self._texels)

    def read(self, block: str, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """All numbers of a storage block, of the detail's method or one that every surface has, as programs have left them."""
        bindings = draw.STORAGE_BINDINGS | {
            name: draw.METHOD_BINDING + k for k, name in enumerate(self.content.method_blocks)
        }
        binding = bindings[block]
        return np.frombuffer(self._buffers[binding].read(self._sizes[binding]), dtype=dtype)

    @property
    def uploaded(self) -> int:
        """Bytes sent to the GPU since the surface was made, textures aside."""
        return sum(buffer.written for buffer in self._buffers)

    def release(self) -> None:
        """Frees the GPU memory."""
        resources: list[Releasable] = [*self._buffers, *self.textures]
        for resource in resources:
            resource.release()
