"""Reads back the points that the tessellation stages make."""

from dataclasses import dataclass
from typing import Final

import moderngl
import numpy as np
import numpy.typing as npt

from pucker._core import draw

from .buffers import GrowingBuffer, Releasable
from .execution import Programs
from .surface import DrawnSurface

_RASTERIZER_DISCARD: Final = 0x8C89
# Count and capacity, padded to the alignment of the records; then one record a point.
_HEADER_BYTES: Final = 16
_RECORD_BYTES: Final = 64


@dataclass(frozen=True)
class Captured:
    """Tessellated points of a surface, in no particular order.

    Attributes:
        position: (k, 3), displaced point: undisplaced (k, 3) + offset (k,) · normal (k, 3).
        barycentric: (k, 3), coordinates of the undisplaced point with respect to the corners of triangle (k,).
    """

    position: npt.NDArray[np.float64]
    undisplaced: npt.NDArray[np.float64]
    barycentric: npt.NDArray[np.float32]
    normal: npt.NDArray[np.float32]
    offset: npt.NDArray[np.float32]
    triangle: npt.NDArray[np.uint32]


class Capture:
    """The tessellation stages without drawing: their points are appended to a storage buffer.

    moderngl's transform feedback refuses patches, which would be the usual way.
    """

    def __init__(self, context: moderngl.Context, programs: Programs) -> None:
        self._context = context
        self._programs = programs
        self._buffer = GrowingBuffer(context)
        # Nothing is drawn, yet a context without a window refuses to draw unless some framebuffer is bound.
        self._framebuffer = context.simple_framebuffer((1, 1))

    def release(self) -> None:
        """Frees the GPU memory."""
        resources: list[Releasable] = [self._buffer, self._framebuffer]
        for resource in resources:
            resource.release()

    def run(self, surface: DrawnSurface) -> Captured:
        """Points of a surface whose programs have run. A first run with no room counts them."""
        self._framebuffer.use()
        step = draw.capture_step(surface.content)
        capacity, count = 0, self._append(surface, step, 0)
        while count > capacity:
            capacity = count
            count = self._append(surface, step, capacity)
        content = self._buffer.read(_RECORD_BYTES * count, _HEADER_BYTES)
        records = np.frombuffer(content, dtype=np.float32).reshape(-1, 4, 4).copy()
        return Captured(
            position=records[:, 0, :3] + surface.origin,
            offset=records[:, 0, 3],
            undisplaced=records[:, 1, :3] + surface.origin,
            barycentric=records[:, 2, :3],
            normal=records[:, 3, :3],
            triangle=np.ascontiguousarray(records[:, 3, 3]).view(np.uint32),
        )

    def _append(self, surface: DrawnSurface, step: draw.Step, capacity: int) -> int:
        """Number of points made, of which the buffer holds the first `capacity`."""
        self._buffer.reserve(_HEADER_BYTES + _RECORD_BYTES * capacity)
        self._buffer.write(np.array([0, capacity, 0, 0], dtype=np.uint32))
        self._buffer.bind(draw.STORAGE_BINDINGS["Captured"])
        self._context.enable_direct(_RASTERIZER_DISCARD)
        try:
            self._programs.run([step], [surface])
        finally:
            self._context.disable_direct(_RASTERIZER_DISCARD)
        self._context.memory_barrier()
        return int(np.frombuffer(self._buffer.read(4), dtype=np.uint32)[0])
