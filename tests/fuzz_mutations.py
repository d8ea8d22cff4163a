"""Mutations of files: of their bytes, and of what they hold, put back so that checksums, lengths and syntax are right again.

Bytes that change inside an archive are caught by its checksum, and those of a text by its syntax: what lies behind sees them
only if a member, a value, an index, a shape or a reference of a valid file is changed instead.
"""

import base64
import io
import json
import random
import re
import struct
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

_BASE64: Final = ";base64,"
_NUMBER: Final = re.compile(rb"(?<![\w.])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_WORD: Final = re.compile(rb"[A-Za-z_][\w:]*")
_NUMBERS: Final = (0, 1, -1, 2, 3, 255, 256, 65535, 2**31 - 1, -(2**31), 2**32, 2**63, 1e-300, 0.5, 1e30, 1e308, -1e308)
_WORDS: Final = (0, 1, 2, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFF, 0x10000, 0x7F800000, 0x7FC00000, 0x7F7FFFFF)


def bytes_of(data: bytes, others: list[bytes], draws: random.Random) -> bytes:
    """Bytes changed, cut, repeated, and numbers of any kind put in."""
    numbers = (
        b"\xff" * 8,
        b"\x00" * 8,
        b"\x7f\xff\xff\xff",
        b"1e308",
        b"-1",
        b"nan",
        b"99999999999999999999",
        b"''",
        b"[]",
    )
    out = bytearray(data)
    for _ in range(draws.choice((1, 1, 2, 4, 16))):
        at = draws.randrange(len(out) + 1)
        match draws.randrange(5):
            case 0 if at < len(out):
                out[at] ^= draws.randrange(1, 256)
            case 1:
                del out[at : at + draws.choice((1, 4, 50, len(out)))]
            case 2:
                out[at:at] = out[draws.randrange(len(out) + 1) :][: draws.choice((1, 8, 100))]
            case 3:
                number = draws.choice(numbers)
                out[at : at + draws.choice((0, len(number)))] = number
            case 4:
                other = draws.choice(others)
                out[at:] = other[draws.randrange(len(other) + 1) :]
    return bytes(out)


# --- values ------------------------------------------------------------------------------------------------------


def words_of(data: bytes, draws: random.Random) -> bytes:
    """Numbers of four bytes, of either order, changed where they lie: lengths, counts, offsets, floats."""
    if len(data) < 4:
        return data + b"\0" * 4
    out = bytearray(data)
    # Half of the time near the beginning, where a header is.
    end = min(len(out), 256) if draws.random() < 0.5 else len(out)
    for _ in range(draws.choice((1, 1, 2))):
        at = draws.randrange(0, max(end - 3, 1), 4 if draws.random() < 0.8 else 1)
        order = draws.choice("<>")
        was = struct.unpack_from(order + "I", out, at)[0]
        near = (was + draws.choice((-1, 1, 2, 100))) & 0xFFFFFFFF
        struct.pack_into(order + "I", out, at, draws.choice((near, draws.choice(_WORDS))))
    return bytes(out)


def text_of(data: bytes, draws: random.Random) -> bytes:
    """A number, a name or a line of a text changed for another."""
    kind = draws.randrange(5)
    lines = data.splitlines(keepends=True)
    if kind == 0 and lines:
        at = draws.randrange(len(lines))
        return b"".join(lines[:at] + draws.choice(([], [lines[at]] * 2, [draws.choice(lines)])) + lines[at + 1 :])
    found = list((_WORD if kind == 1 else _NUMBER).finditer(data))
    if not found:
        return words_of(data, draws)
    place = draws.choice(found)
    value: Any = draws.choice(found).group() if draws.random() < 0.3 else repr(draws.choice(_NUMBERS)).encode()
    if kind == 1:
        value = draws.choice(found).group()
    elif draws.random() < 0.3:
        value = draws.choice((b"nan", b"inf", b"-inf", b"true", b'""', b"[]"))
    return data[: place.start()] + value + data[place.end() :]


def array_of(array: np.ndarray, draws: random.Random) -> np.ndarray:
    """Values, shape or type of an array changed."""
    out = np.array(array)
    match draws.randrange(7):
        case 0 | 1 | 2 if out.size and out.dtype.kind in "iuf":
            flat = out.reshape(-1)
            limits = (np.nan, np.inf, -1.0, 0.0, 1e300, -1e38, 5e299)
            info = None if out.dtype.kind == "f" else np.iinfo(out.dtype)
            for _ in range(draws.choice((1, 1, 3))):
                at = draws.randrange(flat.size)
                if info is None:
                    with np.errstate(over="ignore"):
                        flat[at] = draws.choice(limits)
                else:
                    near = [int(flat[at]) + 1, int(flat[at]) - 1, int(info.max), int(info.min), 0, flat.size]
                    flat[at] = min(max(draws.choice(near), int(info.min)), int(info.max))
        case 3 if out.ndim:
            axis = draws.randrange(out.ndim)
            out = np.take(
                out, range(draws.choice((0, 1, max(out.shape[axis] - 1, 0)))) if out.shape[axis] else [], axis
            )
        case 4:
            out = draws.choice((out[None], out.reshape(-1), out.T, np.repeat(out.reshape(-1), 2)))
        case 5 if out.dtype.kind in "iuf":
            with np.errstate(all="ignore"):
                out = np.nan_to_num(out).astype(draws.choice(("f2", "f4", ">f8", "i1", "i8", "u4", "c8", "?", "U5")))
        case 6:
            out = draws.choice((np.array("text"), np.zeros(0), np.array(draws.choice(_NUMBERS[:9])), out[..., :0]))
        case _:
            text = str(out) if out.dtype.kind == "U" else "{}"
            out = np.array(json_of(text.encode(), draws).decode("utf-8", "replace"))
    return out


def npy_of(data: bytes, draws: random.Random) -> bytes:
    """An array in NumPy's format: what it holds, or the shape and type that its head tells."""
    if draws.random() < 0.3:
        head, body = data[10:], b""
        at = head.find(b"\n") + 1
        head, body = head[:at], head[at:]
        changed = text_of(head.rstrip(), draws)[:60000] + b"\n"
        return data[:8] + struct.pack("<H", len(changed)) + changed + body
    array = np.load(io.BytesIO(data), allow_pickle=False)
    out = io.BytesIO()
    np.save(out, array_of(array, draws))
    return out.getvalue()


# --- trees and archives ------------------------------------------------------------------------------------------


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every container of a tree with each of its keys."""
    if isinstance(tree, dict):
        for key in tree:
            yield tree, key
            yield from _places(tree[key])
    elif isinstance(tree, list):
        for key in range(len(tree)):
            yield tree, key
            yield from _places(tree[key])


def _tree_of(tree: Any, draws: random.Random) -> Any:
    """One value, index, list or reference of a tree changed."""
    places = list(_places(tree))
    if not places:
        return draws.choice(([], {}, 0, "x", None))
    holder, key = draws.choice(places)
    was = holder[key]
    kind = draws.randrange(8)
    if isinstance(was, str) and _BASE64 in was and kind < 6:
        head, _, packed = was.partition(_BASE64)
        content = base64.b64decode(packed)
        content = words_of(content, draws) if kind < 5 else content[: draws.randrange(len(content) + 1)]
        holder[key] = head + _BASE64 + base64.b64encode(content).decode()
    elif isinstance(was, int | float) and not isinstance(was, bool) and kind < 6:
        holder[key] = draws.choice((was + 1, was - 1, -was, 2 * was, draws.choice(_NUMBERS)))
    elif isinstance(was, list) and was and kind < 4:
        at = draws.randrange(len(was))
        holder[key] = draws.choice((was[:at], was + was[at:], [was[at], *was], was * 50, was[::-1]))
    elif kind == 4:
        del holder[key]
    elif kind == 5 and isinstance(holder, dict):
        holder[draws.choice(list(holder))] = was
    else:
        other, place = draws.choice(places)
        holder[key] = draws.choice((other[place], None, "x", [], {}, True, draws.choice(_NUMBERS)))
    return tree


def json_of(data: bytes, draws: random.Random) -> bytes:
    """A tree of JSON with a value, an index, a list or a reference changed."""
    tree = json.loads(data)
    for _ in range(draws.choice((1, 1, 2))):
        tree = _tree_of(tree, draws)
    try:
        return json.dumps(tree).encode()
    except (ValueError, RecursionError):  # it holds itself
        return text_of(data, draws)


def glb_of(data: bytes, draws: random.Random) -> bytes:
    """The tree or the buffer of a binary glTF, with the lengths of its chunks right again."""
    at, chunks = 12, []
    while at + 8 <= len(data):
        length, kind = struct.unpack_from("<I4s", data, at)
        chunks.append([kind, data[at + 8 : at + 8 + length]])
        at += 8 + length
    chosen = draws.choice(chunks)
    chosen[1] = json_of(chosen[1], draws) if chosen[0] == b"JSON" else words_of(chosen[1], draws)
    body = b""
    for kind, content in chunks:
        padded = content + (b" " if kind == b"JSON" else b"\0") * (-len(content) % 4)
        body += struct.pack("<I4s", len(padded), kind) + padded
    return data[:8] + struct.pack("<I", 12 + len(body)) + body


def zip_of(data: bytes, draws: random.Random) -> bytes:
    """A member of an archive changed, left out, doubled or renamed; checksums and lengths are those of what it then holds."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    at = draws.randrange(len(members))
    name, content = members[at]
    match draws.randrange(12):
        case 0:
            del members[at]
        case 1:
            members[at] = (draws.choice(members)[0], content)
        case 2:
            members.append((draws.choice(("x.npy", "../up.obj", "a/b.obj", "a/")), content))
        case 3:
            members[at] = (name, draws.choice(members)[1])
        case _:
            members[at] = (name, changed(content, "npy" if name.endswith(".npy") else name.rpartition(".")[2], draws))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", draws.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
        written: set[str] = set()
        for name, content in members:
            if name not in written:
                # An entry without a date: the same draws give the same bytes.
                archive.writestr(zipfile.ZipInfo(name), content, archive.compression)
            written.add(name)
    return out.getvalue()


_OF: Final[dict[str, Callable[[bytes, random.Random], bytes]]] = {
    **dict.fromkeys(("npz", "zip", "trained", "painting", "scene", "recording"), zip_of),
    "npy": npy_of,
    "wavelengths": npy_of,
    **dict.fromkeys(("gltf", "motion", "camera"), json_of),
    "glb": glb_of,
    **dict.fromkeys(("toml", "sweep", "shot", "params", "obj", "dae", "usda", "fbx", "skin"), text_of),
}


def changed(data: bytes, kind: str, draws: random.Random) -> bytes:
    """What a valid file of a kind holds, changed; of a kind without a structure that is known, and of a damaged file, its words."""
    try:
        return _OF.get(kind, words_of)(data, draws)
    except Exception:  # noqa: BLE001  # what is changed may be damaged already, in any way
        return words_of(data, draws)


def mutations(start: list[bytes], kind: str, draws: random.Random) -> Iterator[bytes]:
    """Endless: three of four change what a file holds, once or twice, the others its bytes."""
    while True:
        data = draws.choice(start)
        if draws.random() < 0.25:
            yield bytes_of(data, start, draws)
            continue
        for _ in range(draws.choice((1, 1, 2))):
            data = changed(data, kind, draws)
        yield data
