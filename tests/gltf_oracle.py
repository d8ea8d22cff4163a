"""An evaluation of glTF skins and clips in NumPy that shares no code with the library."""

import base64
import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

COMPONENTS = {5120: np.int8, 5121: np.uint8, 5122: np.int16, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}


class Gltf:
    def __init__(self, path: Path) -> None:
        data = path.read_bytes()
        if path.suffix == ".glb":
            size = struct.unpack_from("<I", data, 12)[0]
            self.json: dict[str, Any] = json.loads(data[20 : 20 + size])
            self.buffer = data[28 + size :]
        else:
            self.json = json.loads(data)
            self.buffer = base64.b64decode(self.json["buffers"][0]["uri"].split(",", 1)[1])
        self.parents = {child: k for k, node in enumerate(self.json["nodes"]) for child in node.get("children", [])}

    def view(self, index: int) -> bytes:
        view = self.json["bufferViews"][index]
        start = view.get("byteOffset", 0)
        return self.buffer[start : start + view["byteLength"]]

    def rows(self, view: int, start: int, count: int, width: int, kind: type) -> Array:
        """An array (count, width) in a view, whose rows may lie apart."""
        row = width * np.dtype(kind).itemsize
        stride = self.json["bufferViews"][view].get("byteStride", row)
        content = self.view(view)[start:]
        parts = (
            [content[k * stride : k * stride + row] for k in range(count)]
            if stride != row
            else [content[: count * row]]
        )
        return np.frombuffer(b"".join(parts), kind).reshape(count, width)

    def accessor(self, index: int) -> Array:
        accessor = self.json["accessors"][index]
        width, kind, count = WIDTHS[accessor["type"]], COMPONENTS[accessor["componentType"]], accessor["count"]
        values = np.zeros((count, width))
        if accessor.get("bufferView") is not None:
            values = self.rows(accessor["bufferView"], accessor.get("byteOffset", 0), count, width, kind).astype(
                np.float64
            )
        if accessor.get("sparse"):
            places, kept = accessor["sparse"]["indices"], accessor["sparse"]["values"]
            many = accessor["sparse"]["count"]
            chosen = self.rows(places["bufferView"], 0, many, 1, COMPONENTS[places["componentType"]])[:, 0]
            values[chosen] = self.rows(kept["bufferView"], 0, many, width, kind)
        if accessor.get("normalized"):
            values = np.maximum(values / np.iinfo(kind).max, -1.0)
        return values

    def clip_keys(self, name: str) -> dict[tuple[int, str], tuple[Array, Array]]:
        clip = next(a for a in self.json["animations"] if a["name"] == name)
        keys = {}
        for channel in clip["channels"]:
            sampler = clip["samplers"][channel["sampler"]]
            assert sampler.get("interpolation", "LINEAR") == "LINEAR"
            target = channel["target"]["node"], channel["target"]["path"]
            keys[target] = self.accessor(sampler["input"])[:, 0], self.accessor(sampler["output"])
        return keys

    def globals(self, name: str, time: float) -> list[Array]:
        """Global matrices of all nodes at a time of a clip."""
        return self.climbed(self.clip_keys(name), time)

    def stored_globals(self) -> list[Array]:
        """Global matrices of all nodes as the file stores them beside its clips."""
        return self.climbed({}, 0.0)

    def climbed(self, keys: dict[tuple[int, str], tuple[Array, Array]], time: float) -> list[Array]:
        local = [self.local(k, keys, time) for k in range(len(self.json["nodes"]))]

        def climb(k: int) -> Array:
            return climb(self.parents[k]) @ local[k] if k in self.parents else local[k]

        return [climb(k) for k in range(len(local))]

    def local(self, k: int, keys: dict[tuple[int, str], tuple[Array, Array]], time: float) -> Array:
        node = self.json["nodes"][k]
        if "matrix" in node:
            return np.array(node["matrix"], np.float64).reshape(4, 4).T
        parts = {
            "translation": np.array(node.get("translation", [0, 0, 0]), np.float64),
            "rotation": np.array(node.get("rotation", [0, 0, 0, 1]), np.float64),
            "scale": np.array(node.get("scale", [1, 1, 1]), np.float64),
        }
        for part in parts:
            if (k, part) in keys:
                parts[part] = between(*keys[k, part], time, spherical=part == "rotation")
        matrix = np.eye(4)
        matrix[:3, :3] = rotation(parts["rotation"]) * parts["scale"]
        matrix[:3, 3] = parts["translation"]
        return matrix

    def node(self, name: str) -> int:
        """The node of that name that carries a mesh."""
        return next(k for k, node in enumerate(self.json["nodes"]) if node.get("name") == name and "mesh" in node)

    def primitives(self, node: int) -> list[dict[str, Any]]:
        primitives: list[dict[str, Any]] = self.json["meshes"][self.json["nodes"][node]["mesh"]]["primitives"]
        return primitives

    def material(self, primitive: dict[str, Any]) -> str:
        name: str = self.json["materials"][primitive["material"]]["name"]
        return name

    def bind_pose(self, primitive: dict[str, Any]) -> Array:
        return self.accessor(primitive["attributes"]["POSITION"])

    def morphed(self, primitive: dict[str, Any], weights: Array) -> Array:
        """The mesh with its morph targets at the given weights."""
        points = self.bind_pose(primitive)
        for weight, target in zip(weights, primitive["targets"], strict=True):
            points = points + weight * self.accessor(target["POSITION"])
        return points

    def weights(self, node: int, name: str, time: float) -> Array:
        """The weights of the morph targets of a node's mesh at a time of a clip that moves them."""
        times, values = self.clip_keys(name)[node, "weights"]
        return between(times, values.reshape(len(times), -1), time, spherical=False)

    def depth(self, k: int) -> int:
        return 1 + self.depth(self.parents[k]) if k in self.parents else 0

    def skinned_nodes(self) -> list[int]:
        return [k for k, node in enumerate(self.json["nodes"]) if "skin" in node]

    def skin(self, node: int) -> tuple[list[int], dict[int, Array]]:
        """The joints of a node's skin, and the inverse bind matrix of each."""
        skin = self.json["skins"][self.json["nodes"][node]["skin"]]
        inverse = self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        return skin["joints"], dict(zip(skin["joints"], inverse, strict=True))

    def moving_joints(self, node: int) -> set[int]:
        """The joints that move a vertex of the node's mesh."""
        joints, _ = self.skin(node)
        moving: set[int] = set()
        for primitive in self.primitives(node):
            numbers = self.accessor(primitive["attributes"]["JOINTS_0"]).astype(int)
            weights = self.accessor(primitive["attributes"]["WEIGHTS_0"])
            moving |= {joints[k] for k in np.unique(numbers[weights > 0.0])}
        return moving

    def node_bound_to(self, joint: int) -> int:
        return next(node for node in self.skinned_nodes() if joint in self.moving_joints(node))

    def pose(self, node: int, primitive: dict[str, Any], matrices: list[Array], weights: Array | None = None) -> Array:
        shape = self.bind_pose(primitive) if weights is None else self.morphed(primitive, weights)
        points = np.c_[shape, np.ones(len(shape))]
        if "skin" not in self.json["nodes"][node]:
            return (points @ matrices[node].T)[:, :3]
        skin = self.json["skins"][self.json["nodes"][node]["skin"]]
        inverse = self.accessor(skin["inverseBindMatrices"]).reshape(-1, 4, 4).transpose(0, 2, 1)
        bones = np.array([matrices[joint] for joint in skin["joints"]]) @ inverse
        joints = self.accessor(primitive["attributes"]["JOINTS_0"]).astype(int)
        shares = self.accessor(primitive["attributes"]["WEIGHTS_0"])
        shares = shares / shares.sum(1, keepdims=True)
        posed = np.einsum("vk,vkij,vj->vi", shares, bones[joints], points)
        return posed[:, :3]


def between(times: Array, values: Array, time: float, spherical: bool) -> Array:
    k = int(np.clip(np.searchsorted(times, time, side="right") - 1, 0, max(len(times) - 2, 0)))
    if len(times) == 1:
        return values[0]
    share = float(np.clip((time - times[k]) / (times[k + 1] - times[k]), 0.0, 1.0))
    a, b = values[k], values[k + 1]
    if not spherical:
        return np.asarray(a + share * (b - a))
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    if a @ b < 0.0:
        b = -b
    angle = np.arccos(np.clip(a @ b, -1.0, 1.0))
    if angle < 1e-9:
        return np.asarray(a)
    return np.asarray((np.sin((1.0 - share) * angle) * a + np.sin(share * angle) * b) / np.sin(angle))


def rotation(q: Array) -> Array:
    x, y, z, w = q / np.linalg.norm(q)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )
