"""A .gltf file as the .glb that says the same."""

import base64
import json
import struct
from pathlib import Path
from typing import Any


def glb(tree: dict[str, Any], content: bytes) -> bytes:
    """A GLB of a tree whose one buffer is `content`."""
    chunks = b""
    for kind, data, blank in ((b"JSON", json.dumps(tree).encode(), b" "), (b"BIN\0", content, b"\0")):
        padded = data + blank * (-len(data) % 4)
        chunks += struct.pack("<I4s", len(padded), kind) + padded
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def opened(file: Path) -> tuple[dict[str, Any], bytes]:
    """The tree and the buffer of a .gltf with its buffer embedded."""
    tree = json.loads(file.read_text(encoding="utf-8"))
    content = base64.b64decode(tree["buffers"][0].pop("uri").partition(",")[2])
    tree["buffers"][0]["byteLength"] = len(content)
    return tree, content


def packed(file: Path) -> bytes:
    """The bytes of a .glb, or of what a .gltf would be as one."""
    return file.read_bytes() if file.suffix == ".glb" else glb(*opened(file))
