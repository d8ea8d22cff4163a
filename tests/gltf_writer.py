"""Writes small glTF files whose content a test knows."""

import base64
import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

COMPONENTS = {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123, "u4": 5125, "f4": 5126}
TYPES = {1: "SCALAR", 2: "VEC2", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class GltfFile:
    """A glTF with its buffer embedded; `json` may be changed as one likes before it is written."""

    def __init__(self) -> None:
        self.buffer = b""
        self.json: dict[str, Any] = {"asset": {"version": "2.0"}, "scene": 0, "scenes": [{"nodes": []}]}

    def add(self, kind: str, thing: dict[str, Any]) -> int:
        """Adds a node, mesh, skin … and gives its number."""
        things: list[dict[str, Any]] = self.json.setdefault(kind, [])
        things.append(thing)
        return len(things) - 1

    def accessor(self, values: Any, dtype: str = "f4", **more: Any) -> int:
        """Stores an array: (k,) numbers, (k, w) vectors, (k, 4, 4) matrices."""
        array = np.asarray(values)
        if array.ndim == 3:
            array = array.transpose(0, 2, 1).reshape(len(array), 16)
        array = array.reshape(len(array), -1).astype("<" + dtype)
        view = {"buffer": 0, "byteOffset": len(self.buffer), "byteLength": array.nbytes}
        self.buffer += array.tobytes() + bytes(-array.nbytes % 4)
        if dtype == "f4":
            more = {"min": array.min(0).tolist(), "max": array.max(0).tolist(), **more}
        entry = {"componentType": COMPONENTS[dtype], "count": len(array), "type": TYPES[array.shape[1]], **more}
        return self.add("accessors", {"bufferView": self.add("bufferViews", view), **entry})

    def mesh(
        self,
        points: NDArray[np.float64],
        faces: NDArray[np.integer],
        joints: NDArray[np.integer] | None = None,
        weights: NDArray[np.float64] | None = None,
        normals: NDArray[np.float64] | None = None,
        targets: Sequence[dict[str, NDArray[np.float64]]] = (),
    ) -> int:
        """A mesh of one primitive; `joints` and `weights` are (n, 4 k), k sets of four influences; each morph target has
        the displacements of some attributes."""
        attributes = {"POSITION": self.accessor(points)}
        if normals is not None:
            attributes["NORMAL"] = self.accessor(normals)
        if joints is not None and weights is not None:
            for k in range(joints.shape[1] // 4):
                attributes[f"JOINTS_{k}"] = self.accessor(joints[:, 4 * k : 4 * k + 4], "u2")
                attributes[f"WEIGHTS_{k}"] = self.accessor(weights[:, 4 * k : 4 * k + 4])
        primitive: dict[str, Any] = {"attributes": attributes, "indices": self.accessor(faces.ravel(), "u4")}
        if targets:
            primitive["targets"] = [{name: self.accessor(moved[name]) for name in moved} for moved in targets]
        return self.add("meshes", {"primitives": [primitive]})

    def node(self, matrix: NDArray[np.float64] | None = None, parent: int | None = None, **more: Any) -> int:
        """A node, of the scene unless it has a parent."""
        if matrix is not None:
            more["matrix"] = matrix.T.ravel().tolist()
        number = self.add("nodes", more)
        if parent is None:
            self.json["scenes"][0]["nodes"].append(number)
        else:
            self.json["nodes"][parent].setdefault("children", []).append(number)
        return number

    def joints(self, parents: dict[str, str | None]) -> dict[str, int]:
        """Nodes by name, each below its parent, which comes before it; None: of the scene."""
        nodes: dict[str, int] = {}
        for name, parent in parents.items():
            nodes[name] = self.node(parent=None if parent is None else nodes[parent], name=name)
        return nodes

    def animation(self, name: str, keys: dict[tuple[int, str], tuple[Any, Any]]) -> None:
        """A clip: times and values of each node's "translation", "rotation", "scale" or "weights", those as (keys, targets)."""
        samplers: list[dict[str, int]] = []
        channels = []
        for (node, path), (times, values) in keys.items():
            channels.append({"sampler": len(samplers), "target": {"node": node, "path": path}})
            samplers.append(
                {
                    "input": self.accessor(times),
                    "output": self.accessor(np.ravel(values) if path == "weights" else values),
                }
            )
        self.add("animations", {"name": name, "samplers": samplers, "channels": channels})

    def write(self, path: Path) -> Path:
        uri = "data:application/octet-stream;base64," + base64.b64encode(self.buffer).decode()
        self.json["buffers"] = [{"uri": uri, "byteLength": len(self.buffer)}]
        path.write_text(json.dumps(self.json))
        return path

    def write_glb(self, path: Path) -> Path:
        """The same with its buffer in a chunk of its own."""
        self.json["buffers"] = [{"byteLength": len(self.buffer)}]
        tree = json.dumps(self.json).encode()
        chunks = b""
        for kind, data, blank in ((b"JSON", tree, b" "), (b"BIN\0", self.buffer, b"\0")):
            padded = data + blank * (-len(data) % 4)
            chunks += struct.pack("<I4s", len(padded), kind) + padded
        path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
        return path
