"""Writes a small binary FBX file in which a clip moves a triangle."""

import struct
import zlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np

TICKS: Final = 46_186_158_000

Record = tuple[str, list[Any], list[Any]]
"""Name, values and records inside. Values are text, whole numbers of 64 bits, NumPy's of 32, NumPy's floats of 64, and arrays."""


@dataclass(frozen=True)
class Bomb:
    """An array that packs that many more bytes than it says."""

    said: Any
    size: int


_ONE_MATERIAL: Final[list[Record]] = [
    (
        "LayerElementMaterial",
        [np.int32(0)],
        [
            ("MappingInformationType", ["AllSame"], []),
            ("ReferenceInformationType", ["IndexToDirect"], []),
            ("Materials", [np.zeros(1, np.int32)], []),
        ],
    ),
    (
        "Layer",
        [np.int32(0)],
        [("LayerElement", [], [("Type", ["LayerElementMaterial"], []), ("TypedIndex", [np.int32(0)], [])])],
    ),
]

_PIVOT: Final[Record] = (
    "Properties70",
    [],
    [("P", ["RotationPivot", "Vector3D", "Vector", "", np.float64(0), np.float64(2), np.float64(0)], [])],
)


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return b"S" + struct.pack("<I", len(value.encode())) + value.encode()
    if isinstance(value, np.int32):
        return b"I" + struct.pack("<i", value)
    if isinstance(value, np.float64):
        return b"D" + struct.pack("<d", value)
    if isinstance(value, int):
        return b"L" + struct.pack("<q", value)
    bomb = value.size if isinstance(value, Bomb) else 0
    array = np.asarray(value.said if isinstance(value, Bomb) else value)
    kind = {"int64": b"l", "int32": b"i", "float64": b"d", "float32": b"f"}[array.dtype.name]
    packed = zlib.compress(array.tobytes() + bytes(bomb))
    return kind + struct.pack("<III", array.size, 1, len(packed)) + packed


def _written(record: Record, at: int, head: struct.Struct) -> bytes:
    name, values, inside = record
    stored = b"".join(_value(value) for value in values)
    content = name.encode() + stored
    for each in inside:
        content += _written(each, at + head.size + len(content), head)
    content += bytes(head.size) if inside else b""
    return head.pack(at + head.size + len(content), len(values), len(stored), len(name)) + content


def write(
    path: Path,
    keys: dict[str, list[float]],
    take: tuple[float, float],
    *,
    version: int = 7400,
    constraint: bool = False,
    picture: str | None = None,
    bomb: int = 0,
    bare: Collection[str] = (),
    pivots: Collection[str] = (),
    above: Mapping[str, str] | None = None,
) -> Path:
    """Nodes of those names, each with a triangle that is moved along x from 0 at its first key by 1 a second.

    The take's start and stop and all keys are in seconds. A constraint may hold the first node, and a
    material with a picture of that name be on it; times of keys pack `bomb` bytes more than they say.
    Bare nodes have no triangle, those of `pivots` turn about another point than their origin, and `above`
    names for a node the one that it hangs on, which comes earlier.
    """
    places = [
        ("P", [name, "KTime", "Time", "", round(time * TICKS)], [])
        for name, time in zip(("LocalStart", "LocalStop"), take, strict=True)
    ]
    objects: list[Any] = [
        ("AnimationStack", [1, "turn\0\1AnimStack", ""], [("Properties70", [], places)]),
        ("AnimationLayer", [2, "base\0\1AnimLayer", ""], [("Version", [np.int32(100)], [])]),
    ]
    links: list[Any] = [("C", ["OO", 2, 1], [])]
    numbers = {name: 100 * (number + 1) for number, name in enumerate(keys)}
    for number, (name, times) in enumerate(keys.items()):
        model, mesh, node, curve = (numbers[name] + k for k in range(4))
        points = np.array([[0, 0, number], [1, 0, number], [0, 1, number]], float)
        objects += [
            (
                "Model",
                [model, f"{name}\0\1Model", "Null" if name in bare else "Mesh"],
                [("Version", [np.int32(232)], []), *([_PIVOT] if name in pivots else [])],
            ),
            (
                "Geometry",
                [mesh, f"{name}\0\1Geometry", "Mesh"],
                [
                    ("Vertices", [points.ravel()], []),
                    ("PolygonVertexIndex", [np.array([0, 1, -3], np.int32)], []),
                    *_ONE_MATERIAL,
                ],
            ),
            ("AnimationCurveNode", [node, "T\0\1AnimCurveNode", ""], [("Version", [np.int32(100)], [])]),
            (
                "AnimationCurve",
                [curve, "\0\1AnimCurve", ""],
                [
                    ("KeyTime", [Bomb(np.rint(np.array(times) * TICKS).astype(np.int64), bomb)], []),
                    ("KeyValueFloat", [(np.array(times) - times[0]).astype(np.float32)], []),
                ],
            ),
        ]
        links += [
            ("C", ["OO", model, numbers[(above or {})[name]] if name in (above or {}) else 0], []),
            *([] if name in bare else [("C", ["OO", mesh, model], [])]),
            ("C", ["OO", node, 2], []),
            ("C", ["OP", node, model, "Lcl Translation"], []),
            ("C", ["OP", curve, node, "d|X"], []),
        ]
    if constraint:
        objects.append(("Constraint", [3, "held\0\1Constraint", ""], [("Version", [np.int32(100)], [])]))
        links.append(("C", ["PO", 3, "Constrained Object", 100], []))
    if picture is not None:
        names: list[Any] = [("FileName", [picture], []), ("RelativeFilename", [picture], [])]
        objects.append(("Material", [4, "shown\0\1Material", ""], [("ShadingModel", ["phong"], [])]))
        objects.append(("Texture", [5, "picture\0\1Texture", ""], names))
        links += [("C", ["OO", 4, 100], []), ("C", ["OP", 5, 4, "DiffuseColor"], [])]
    head = struct.Struct("<QQQB" if version >= 7500 else "<IIIB")
    content = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", version)
    for record in (
        ("FBXHeaderExtension", [], [("FBXVersion", [np.int32(version)], [])]),
        ("Objects", [], objects),
        ("Connections", [], links),
    ):
        content += _written(record, len(content), head)
    path.write_bytes(content + bytes(head.size) + bytes(160))
    return path
