"""Binary FBX files that assimp takes for damage, or ends the process for, changed in place to what it reads.

These are takes that end before the keys of what they move, and connections of properties of constraints.
"""

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker.io.limits import Limits

_MAGIC: Final = b"Kaydara FBX Binary"
_FIRST: Final = b"FBXHeaderExtension"
_TICKS_PER_SECOND: Final = 46_186_158_000
_FIRST_RECORD: Final = 27
# From this version on records have 64-bit sizes.
_LONG: Final = 7500
_SIZES: Final = {ord("Y"): 2, ord("C"): 1, ord("I"): 4, ord("F"): 4, ord("D"): 8, ord("L"): 8}
# What moves a character: places of nodes, and morph targets.
_MOVING: Final = (b"Lcl Translation", b"Lcl Rotation", b"Lcl Scaling", b"DeformPercent")
_NUMBER: Final = struct.Struct("<q")


@dataclass
class _Record:
    """A record: its name, where its values begin and end, and where it ends itself."""

    name: bytes
    count: int
    values: int
    inside: int
    end: int


@dataclass
class _Keys:
    """Of a curve what it moves, and its first and last key, ticks."""

    moved: str
    first: int
    last: int


@dataclass
class _Take:
    """A take: its name, where its start and stop are stored, and its curves."""

    name: str
    places: dict[bytes, int] = field(default_factory=dict)
    keys: list[_Keys] = field(default_factory=list)


class _Content:
    """The records of a binary file."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        long = struct.unpack_from("<I", content, _FIRST_RECORD - 4)[0] >= _LONG
        self._head = struct.Struct("<QQQB" if long else "<IIIB")

    def records(self, start: int = _FIRST_RECORD, end: int | None = None) -> Iterator[_Record]:
        """Those between two places."""
        at, end = start, len(self._content) if end is None else end
        while at + self._head.size <= end:
            stop, count, length, name = self._head.unpack_from(self._content, at)
            if stop <= at or stop > end:
                return
            values = at + self._head.size + name
            yield _Record(self._content[at + self._head.size : values], count, values, values + length, stop)
            at = stop

    def inside(self, record: _Record) -> Iterator[_Record]:
        return self.records(record.inside, record.end)

    def values(self, record: _Record) -> list[tuple[Any, int]]:
        """Text and whole numbers of 64 bits with their places; others are None."""
        found: list[tuple[Any, int]] = []
        at = record.values
        for _ in range(record.count):
            kind, at = self._content[at], at + 1
            if kind in b"SR":
                (length,) = struct.unpack_from("<I", self._content, at)
                found.append((self._content[at + 4 : at + 4 + length], at + 4))
                at += 4 + length
            elif kind in _SIZES:
                number = _NUMBER.unpack_from(self._content, at)[0] if kind == ord("L") else None
                found.append((number, at))
                at += _SIZES[kind]
            else:
                raise ValueError(f"a value of kind {kind} at byte {at - 1}")
        return found

    def times(self, curve: _Record, most: int) -> npt.NDArray[np.int64]:
        """The times of a curve's keys, ticks. Raises ValueError if they take more than that many bytes."""
        for record in self.inside(curve):
            if record.name != b"KeyTime":
                continue
            at = record.values
            kind, count, packed, length = struct.unpack_from("<BIII", self._content, at)
            if kind != ord("l") or count * _NUMBER.size > most:
                raise ValueError(f"{count} times of keys of kind {kind}, which may take {most} bytes")
            if count == 0:
                break
            stored = self._content[at + 13 : at + 13 + length]
            if packed:
                stored = zlib.decompressobj().decompress(stored, count * _NUMBER.size)
            return np.frombuffer(stored, "<i8", count)
        return np.empty(0, np.int64)


@dataclass
class _Graph:
    """What of a file belongs to what, by the numbers of its objects."""

    takes: dict[int, _Take] = field(default_factory=dict)
    curves: dict[int, _Record] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    moved: dict[int, int] = field(default_factory=dict)
    # Places of kinds of connections from a property of a constraint.
    constraints: list[int] = field(default_factory=list)
    above: dict[int, list[int]] = field(default_factory=dict)

    def take_object(self, content: _Content, record: _Record) -> None:
        if record.name not in {b"AnimationStack", b"AnimationCurve", b"Model", b"Deformer"}:
            return
        (number, _), (name, _), *_ = content.values(record)
        if record.name == b"AnimationStack":
            self.takes[number] = _Take(_name(name), _places(content, record))
        elif record.name == b"AnimationCurve":
            self.curves[number] = record
        else:
            self.names[number] = _name(name)

    def take_connection(self, content: _Content, record: _Record) -> None:
        (kind, place), (child, _), (parent, _), *which = content.values(record)
        if kind == b"PO":
            self.constraints.append(place)
            return
        if which and which[0][0] in _MOVING:
            self.moved[child] = parent
        self.above.setdefault(child, []).append(parent)

    def takes_of(self, node: int) -> list[_Take]:
        """The takes that a node of curves belongs to, by its layers."""
        over = [take for layer in self.above.get(node, []) for take in self.above.get(layer, [])]
        return [self.takes[take] for take in over if take in self.takes]


def _graph(content: _Content, limits: Limits) -> _Graph:
    """All takes of a file, with their curves, and connections of constraints."""
    graph = _Graph()
    for top in content.records():
        if top.name == b"Objects":
            for record in content.inside(top):
                graph.take_object(content, record)
        elif top.name == b"Connections":
            for record in content.inside(top):
                graph.take_connection(content, record)
    left = limits.memory
    for number, curve in graph.curves.items():
        nodes = [node for node in graph.above.get(number, []) if node in graph.moved]
        found = [(take, node) for node in nodes for take in graph.takes_of(node)]
        times = content.times(curve, left) if found else np.empty(0, np.int64)
        left -= times.nbytes
        for take, node in found if len(times) else ():
            take.keys.append(_Keys(graph.names.get(graph.moved[node], ""), int(times.min()), int(times.max())))
    return graph


def _name(name: bytes) -> str:
    return name.partition(b"\0")[0].decode("utf-8", "replace")


def _places(content: _Content, take: _Record) -> dict[bytes, int]:
    """Where the start and the stop of a take are stored."""
    found = {}
    for properties in content.inside(take):
        for record in content.inside(properties) if properties.name == b"Properties70" else ():
            values = content.values(record)
            if values and values[0][0] in {b"LocalStart", b"LocalStop"} and isinstance(values[-1][0], int):
                found[values[0][0]] = values[-1][1]
    return found


def plain(path: Path, limits: Limits) -> tuple[bytes, list[str]] | None:
    """A binary FBX file as assimp reads it, and a sentence for each take that is read otherwise than it says; None for any
    other file, and for one that needs no change.

    Takes run from their first key to their last where they end before the first key of something that they move; one that
    ends between the keys of all that it moves is meant to be cut there, and stays so. Connections of properties of
    constraints are told to be of a kind that is left out, as constraints are.
    """
    if path.suffix.lower() != ".fbx":
        return None
    try:
        if path.stat().st_size > limits.memory:
            return None
        content = path.read_bytes()
        if not content.startswith(_MAGIC):
            return None
        graph = _graph(_Content(content), limits)
    except (OSError, ValueError, IndexError, TypeError, struct.error, zlib.error, MemoryError):
        return None  # its reader tells what is wrong
    changed = bytearray(content)
    for place in graph.constraints:
        changed[place : place + 2] = b"PP"
    told = [sentence for take in graph.takes.values() if (sentence := _lengthen(take, changed))]
    return (bytes(changed), told) if changed != content else None


def told_by_its_end(path: Path) -> str | None:
    """A sentence that says that a binary FBX file ends before what is in it does; None for any other."""
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                return None
            file.seek(_FIRST_RECORD - 4)
            stored = struct.Struct("<Q" if struct.unpack("<I", file.read(4))[0] >= _LONG else "<I")
            # After three numbers and a byte.
            file.seek(_FIRST_RECORD + 3 * stored.size + 1)
            if file.read(len(_FIRST)) != _FIRST:
                return None
            at = file.seek(_FIRST_RECORD)
            # The last record, of zeros, says that there is no more.
            while (stop := stored.unpack(file.read(stored.size))[0]) > at:
                if stop > size:
                    return f"is truncated: it has {size} bytes, and what begins at byte {at} ends at byte {stop}"
                at = file.seek(stop)
    except (OSError, struct.error):
        return None  # its reader tells what is wrong
    return None


def _lengthen(take: _Take, content: bytearray) -> str | None:
    """Has a take run over all its keys where it ends before the first of one curve, and tells so; None where it does not."""
    if len(take.places) < 2:
        return None
    places = take.places[b"LocalStart"], take.places[b"LocalStop"]
    start, stop = (_NUMBER.unpack_from(content, place)[0] for place in places)
    what = next((keys.moved for keys in take.keys if keys.first > stop), None)
    if what is None or (start, stop) == (0, 0):  # which stand for all keys
        return None
    first, last = min(keys.first for keys in take.keys), max(keys.last for keys in take.keys)
    for place, time in zip(places, (first, last), strict=True):
        _NUMBER.pack_into(content, place, time)
    seconds = [f"{time / _TICKS_PER_SECOND:.2f}" for time in (start, stop, first, last)]
    return (
        f"its take {take.name!r} of {seconds[0]} to {seconds[1]} s ends before the first key of {what!r}, and is read from "
        f"the first key to the last, {seconds[2]} to {seconds[3]} s"
    )
