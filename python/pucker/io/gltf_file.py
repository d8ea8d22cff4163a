"""The tree of a glTF or GLB file with its buffers and pictures; and a GLB made from a tree."""

import base64
import binascii
import json
import struct
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, unquote_to_bytes

from pucker.extras import needing
from pucker.io.limits import Limits

# Magic, version and length; length and kind of a chunk (glTF 2.0, 4.4).
_HEADER: Final = struct.Struct("<4sII")
_CHUNK: Final = struct.Struct("<I4s")
_MAGIC: Final = b"glTF"
MESHOPT: Final = ("EXT_meshopt_compression", "KHR_meshopt_compression")


def read_tree(path: Path, limits: Limits) -> tuple[dict[str, Any], bytes] | None:
    """The tree of a file and the chunk of bytes that a GLB has behind it; None where the file makes no sense, or is larger
    than the limits allow.
    """
    try:
        if path.stat().st_size > limits.memory:
            return None
        content = path.read_bytes()
        chunk = b""
        if content[:4] == _MAGIC:
            end = _HEADER.size + _CHUNK.size + _CHUNK.unpack_from(content, _HEADER.size)[0]
            if end + _CHUNK.size <= len(content):
                start = end + _CHUNK.size
                chunk = content[start : start + _CHUNK.unpack_from(content, end)[0]]
            content = content[_HEADER.size + _CHUNK.size : end]
        tree = json.loads(content)
    except (OSError, ValueError, struct.error, RecursionError):
        return None
    return (tree, chunk) if isinstance(tree, dict) else None


class GltfFile:
    """A tree with what it names.

    Args:
        path: The file, beside which what it names is looked for.
        tree: Its tree.
        chunk: The buffer that a GLB holds.
        anywhere: See `pucker.load`.
        limits: Those of each buffer and picture, and of what each view unpacks to.
    """

    def __init__(self, path: Path, tree: dict[str, Any], chunk: bytes, *, anywhere: bool, limits: Limits) -> None:
        self.path = path
        self.tree = tree
        self.limits = limits
        self._chunk = chunk
        self._anywhere = anywhere
        self._buffers: dict[int, bytes] = {}
        self._views: dict[int, tuple[bytes, int | None]] = {}

    def view(self, number: int) -> tuple[bytes, int | None]:
        """The bytes of a view, unpacked, and how far apart its rows are, None where they follow each other.

        Raises ValueError, KeyError, IndexError or TypeError for a tree that makes no sense.
        """
        if number < 0:
            raise ValueError(f"views are numbered from 0, got {number}")
        if number not in self._views:
            self._views[number] = self._read_view(number)
        return self._views[number]

    def picture(self, image: dict[str, Any]) -> bytes | None:
        """The encoded picture of an image; None if there is no such file."""
        if "bufferView" in image:
            return self.view(image["bufferView"])[0]
        return self._named(str(image["uri"]))

    def _read_view(self, number: int) -> tuple[bytes, int | None]:
        view = self.tree["bufferViews"][number]
        extensions = view.get("extensions", {})
        packed = next((extensions[name] for name in MESHOPT if name in extensions), None)
        if packed is None:
            return self._bytes_of(view, number), view.get("byteStride")
        count, stride = int(packed["count"]), int(packed["byteStride"])
        if count < 0 or stride < 1 or count * stride > self.limits.memory:
            raise ValueError(f"view {number} unpacks to {count} rows of {stride} bytes; {self.limits.told}")
        with needing("io", "a mesh that is packed by meshopt"):
            import meshopt  # noqa: PLC0415 - few files need it
        content = meshopt.decode_gltf_buffer(
            self._bytes_of(packed, number), count, stride, packed["mode"], packed.get("filter", "NONE")
        )
        return content.tobytes(), view.get("byteStride")

    def _bytes_of(self, view: dict[str, Any], number: int) -> bytes:
        buffer = self._buffer(view["buffer"])
        start, length = view.get("byteOffset", 0), view["byteLength"]
        if min(start, length) < 0 or start + length > len(buffer):
            raise ValueError(f"view {number} has bytes {start} to {start + length} of a buffer of {len(buffer)}")
        return buffer[start : start + length]

    def _buffer(self, number: int) -> bytes:
        if number not in self._buffers:
            buffer = self.tree["buffers"][number]
            content = self._named(str(buffer["uri"])) if "uri" in buffer else self._chunk
            if content is None:
                raise ValueError(f"the file of buffer {number}, {buffer['uri']!r}, does not exist beside it")
            self._buffers[number] = content
        return self._buffers[number]

    def _named(self, uri: str) -> bytes | None:
        if uri.startswith("data:"):
            head, _, content = uri.partition(",")
            try:
                return base64.b64decode(content) if head.endswith(";base64") else unquote_to_bytes(content)
            except binascii.Error as error:
                raise ValueError(f"holds data that is no base64: {error}") from error
        named = self.path.parent / unquote(uri)
        try:
            is_there = named.is_file()
        except OSError:  # such as a name that no file can have
            is_there = False
        if not is_there:
            return None
        if not self._anywhere and not named.resolve().is_relative_to(self.path.parent.resolve()):
            raise ValueError(f"names {uri!r} outside its folder; anywhere=True allows it")
        self.limits.check_size(named)
        return named.read_bytes()


def glb(tree: dict[str, Any], buffer: bytes) -> bytes:
    """A GLB of a tree whose one buffer is given. Raises ValueError for numbers that are not finite."""
    chunks = b""
    text = json.dumps(tree, allow_nan=False).encode()
    for kind, content, blank in ((b"JSON", text, b" "), (b"BIN\0", buffer, b"\0")):
        padded = content + blank * (-len(content) % 4)
        chunks += _CHUNK.pack(len(padded), kind) + padded
    return _HEADER.pack(_MAGIC, 2, _HEADER.size + len(chunks)) + chunks
