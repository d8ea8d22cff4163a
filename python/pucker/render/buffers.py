"""Storage buffers that grow with what is written to them."""

from typing import Any, Protocol

import moderngl

from .current import ContextError

# A buffer of no bytes cannot be bound.
_SMALLEST = 64


class Releasable(Protocol):
    """Anything that holds GPU memory."""

    def release(self) -> None:
        """Frees it."""


class GrowingBuffer:
    """A GPU buffer that at least doubles when it grows, so that its total reallocation cost stays linear."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._buffer = context.buffer(reserve=_SMALLEST, dynamic=True)
        self.written = 0  # bytes, over all calls of `write`

    @property
    def name(self) -> int:
        """Its name in OpenGL, which growing keeps."""
        return int(self._buffer.glo)

    @property
    def capacity(self) -> int:
        """Bytes it holds without growing."""
        return int(self._buffer.size)

    def reserve(self, byte_count: int) -> None:
        """Makes room for `byte_count` bytes; growing loses the content. Raises ContextError if the device has no room."""
        if byte_count <= self.capacity:
            return
        most = int(self._context.info["GL_MAX_SHADER_STORAGE_BLOCK_SIZE"])
        if byte_count > most:
            raise ContextError(f"the device offers at most {most} bytes a buffer, {byte_count} are needed")
        size = min(max(byte_count, 2 * self.capacity), most)
        self._buffer.orphan(size)
        if self._context.error == "GL_OUT_OF_MEMORY":
            raise ContextError(f"the device has no room for a buffer of {size} bytes")

    def write(self, values: Any) -> None:
        """Replaces the content by what has the buffer protocol."""
        count = memoryview(values).nbytes
        self.reserve(count)
        self.written += count
        if count:
            self._buffer.write(values)

    def read(self, byte_count: int, offset: int = 0) -> bytes:
        """The first bytes of the content, from `offset` on."""
        return bytes(self._buffer.read(byte_count, offset=offset)) if byte_count else b""

    def bind(self, binding: int) -> None:
        """Binds the buffer to a storage binding."""
        self._buffer.bind_to_storage_buffer(binding)

    def release(self) -> None:
        """Frees the GPU memory."""
        self._buffer.release()
