"""A triangle mesh on the GPU, with or without wrinkles."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt
from PIL import Image

from pucker._core import draw

from .buffers import GrowingBuffer, Releasable
from .current import Device, in_context
from .packed import PackedLike

_SRGB8_ALPHA8: Final = 0x8C43
# Floats of a refined sample.
_SAMPLE_COLUMNS: Final = 8
_CAPTURED_OR_LINES: Final = ("Captured", "Lines")


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


class Surface:
    """A mesh on the GPU: connectivity and colours once, positions a frame, wrinkles as they come.

    Args:
        faces: (m, 3), vertex numbers.
        vertex_count: Number n of vertices.
        colours: (m, 4) uint8, optional, sRGB colour of each triangle.
        texcoords: (m, 3, 2), optional, texture coordinates of each corner, from the lower left of the texture.
        textures: (m,), optional, number of each triangle's texture in `images`, -1 for none.
        images: Encoded images.
        weld: (n,), optional, vertices of one number share their normal.

    Raises ValueError for a wrong shape or a number out of range.
    """

    def __init__(
        self,
        device: Device,
        faces: npt.ArrayLike,
        vertex_count: int,
        *,
        colours: npt.ArrayLike | None = None,
        texcoords: npt.ArrayLike | None = None,
        textures: npt.ArrayLike | None = None,
        images: Sequence[bytes] = (),
        weld: npt.ArrayLike | None = None,
    ) -> None:
        self.device = device
        self.content = draw.Surface(faces, vertex_count, colours, texcoords, textures, len(images), weld)
        self._texels = [decoded(image) for image in images]
        self.textures = [make_texture(device.context, texels) for texels in self._texels]
        self._buffers = {
            name: GrowingBuffer(device.context) for name in draw.STORAGE_BINDINGS if name not in _CAPTURED_OR_LINES
        }
        self._send()

    def _send(self) -> None:
        """Writes what has changed to the GPU."""
        for name, content, size in self.content.take_uploads():
            self._buffers[name].reserve(size)
            self._buffers[name].write(content)

    @property
    def triangle_count(self) -> int:
        """Number m of triangles."""
        return self.content.triangle_count

    @property
    def target_edge(self) -> float:
        """Length that tessellated edges are to have; 0 while there is no wrinkle."""
        return self.content.target_edge

    @property
    def path_segments(self) -> int:
        """Number of path segments, over all wrinkles."""
        return self.content.path_segments

    @property
    def origin(self) -> npt.NDArray[np.float64]:
        """The point (3,) that the GPU's positions are relative to: near the mesh, 0 where that is near the origin."""
        return np.array(self.content.origin)

    def report(self, target_edge: float | None = None) -> DrawReport:
        """How the present frame is drawn with its wrinkles displaced, by default at the surface's own target edge."""
        return DrawReport(*self.content.report(self.target_edge if target_edge is None else target_edge))

    @in_context
    def set_positions(
        self,
        positions: npt.ArrayLike,
        normals: npt.ArrayLike | None = None,
        *,
        origin: Sequence[float] | None = None,
    ) -> None:
        """Moves the vertices (n, 3); unit normals (n, 3) are computed unless given.

        They are drawn relative to `origin`, by default one near them; surfaces that touch must share it.
        """
        self.content.set_positions(positions, normals, origin)
        self._send()

    @in_context
    def set_tints(self, tints: npt.ArrayLike | None) -> None:
        """Lays colours (m, 4) uint8, sRGB with the share as alpha, over the triangles; None takes them off."""
        self.content.set_tints(tints)
        self._send()

    @in_context
    def set_wrinkles(self, packed: PackedLike | None, *, smallest_width: float | None = None) -> None:
        """Takes the wrinkles of a frame, None for none.

        `smallest_width` is the least width L_min a wrinkle may have, in the units of the mesh; tessellated edges are
        3/8 of it. Without it, the least width among the path points counts. Raises ValueError, and keeps the wrinkles
        there were, for packed arrays that do not fit each other or the mesh.
        """
        self.content.set_wrinkles(packed, smallest_width)
        self._send()

    def suitable_exposure(self) -> float:
        """The factor of light by which the surface, lit, stays below white if it is pale and is seen if it is dark."""
        return self.content.exposure(self._texels)

    def read_samples(self) -> npt.NDArray[np.float32]:
        """The refined paths (p · K, 8) of p path points and K samples a segment, as the curve program wrote them.

        [0:3] position from `origin`, [3] width, [4:7] unit direction, [7] height. Rows of segments that join two paths
        mean nothing.
        """
        count = draw.SAMPLES_PER_SEGMENT * self.content.path_points * _SAMPLE_COLUMNS
        samples = np.frombuffer(self._buffers["Samples"].read(4 * count), dtype=np.float32)
        return samples.reshape(-1, _SAMPLE_COLUMNS).copy()

    def bind(self) -> None:
        """Binds the buffers where the shaders read them."""
        for name, buffer in self._buffers.items():
            buffer.bind(draw.STORAGE_BINDINGS[name])

    @property
    def uploaded(self) -> int:
        """Bytes sent to the GPU since the surface was made, textures aside."""
        return sum(buffer.written for buffer in self._buffers.values())

    def release(self) -> None:
        """Frees the GPU memory."""
        resources: list[Releasable] = [*self._buffers.values(), *self.textures]
        for resource in resources:
            resource.release()
