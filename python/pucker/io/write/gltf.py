"""glTF 2.0 documents as they are written: nodes, one animation, and arrays that lie one after the other in one buffer."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pygltflib as gl

from pucker.io import generator

_Array = npt.NDArray[Any]

_TYPES: Final = {1: gl.SCALAR, 2: gl.VEC2, 3: gl.VEC3, 4: gl.VEC4, 16: gl.MAT4}
_COMPONENTS: Final = {
    "float32": gl.FLOAT,
    "uint32": gl.UNSIGNED_INT,
    "uint16": gl.UNSIGNED_SHORT,
    "uint8": gl.UNSIGNED_BYTE,
    "int16": gl.SHORT,
    "int8": gl.BYTE,
}


class Document:
    """A document that grows, and its buffer."""

    def __init__(self) -> None:
        self.gltf = gl.GLTF2(asset=gl.Asset(version="2.0", generator=generator.NAME))
        self.gltf.scene = 0
        self.gltf.scenes = [gl.Scene(nodes=[])]
        self._chunks: list[bytes] = []
        self._size = 0

    @property
    def content(self) -> bytes:
        """The buffer."""
        return b"".join(self._chunks)

    def view(self, content: bytes, target: int | None = None) -> int:
        """Stores bytes, aligned to four; the number of their view."""
        self.gltf.bufferViews.append(
            gl.BufferView(buffer=0, byteOffset=self._size, byteLength=len(content), target=target)
        )
        padding = bytes(-len(content) % 4)
        self._chunks += [content, padding]
        self._size += len(content) + len(padding)
        return len(self.gltf.bufferViews) - 1

    def accessor(self, view: int | None, values: _Array, offset: int = 0, *, normalized: bool = False) -> int:
        """Describes an array, (k,) or (k, c), that lies in a view from a byte on, with its bounds; without a view it is all 0.

        `normalized`: whole numbers stand for shares of the largest that their kind holds.
        """
        table = values.reshape(len(values), -1)
        self.gltf.accessors.append(
            gl.Accessor(
                bufferView=view,
                byteOffset=offset,
                componentType=_COMPONENTS[values.dtype.name],
                count=len(table),
                type=_TYPES[table.shape[1]],
                normalized=normalized or None,
                min=table.min(axis=0).tolist(),
                max=table.max(axis=0).tolist(),
            )
        )
        return len(self.gltf.accessors) - 1

    def numbers(self, values: npt.NDArray[np.float32], target: int | None = None) -> int:
        """Stores an array of floats, (k,) or (k, c); the number of its accessor."""
        return self.accessor(self.view(values.tobytes(), target), values)

    def packed(self, values: _Array, *, normalized: bool = False) -> int:
        """Stores an attribute (k, c) of any kind, each vertex at a multiple of four bytes; the number of its accessor."""
        row = values.shape[1] * values.itemsize
        stride = row + -row % 4
        padded = np.zeros((len(values), stride), np.uint8)
        padded[:, :row] = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), row)
        view = self.view(padded.tobytes(), gl.ARRAY_BUFFER)
        if stride != row:
            self.gltf.bufferViews[view].byteStride = stride
        return self.accessor(view, values, normalized=normalized)

    def sparse(self, values: _Array, rows: npt.NDArray[np.integer]) -> int:
        """Stores an attribute (k, c) that is 0 but for some ascending rows; the number of its accessor."""
        kept = np.zeros_like(values)
        kept[rows] = values[rows]
        number = self.accessor(None, kept)
        if len(rows) == 0:
            return number
        kind = np.uint16 if len(values) <= np.iinfo(np.uint16).max else np.uint32
        places = self.view(rows.astype(kind).tobytes())
        self.gltf.accessors[number].sparse = gl.Sparse(
            count=len(rows),
            indices=gl.AccessorSparseIndices(
                bufferView=places, byteOffset=0, componentType=_COMPONENTS[np.dtype(kind).name]
            ),
            values=gl.AccessorSparseValues(bufferView=self.view(values[rows].tobytes()), byteOffset=0),
        )
        return number

    def indices(self, values: npt.NDArray[np.integer]) -> int:
        """Stores the vertices (k,) of triangles; the number of their accessor."""
        stored = values.astype(np.uint32)
        return self.accessor(self.view(stored.tobytes(), gl.ELEMENT_ARRAY_BUFFER), stored)

    def node(self, **options: Any) -> int:
        """Adds a node to the scene; its number."""
        self.gltf.nodes.append(gl.Node(**options))
        self.gltf.scenes[0].nodes.append(len(self.gltf.nodes) - 1)
        return len(self.gltf.nodes) - 1

    def animate(
        self,
        node: int,
        path: str,
        times: npt.NDArray[np.floating],
        values: npt.NDArray[np.floating],
        interpolation: str,
    ) -> None:
        """Adds a channel to the animation: what `path` of a node is at each of the times."""
        if not self.gltf.animations:
            self.gltf.animations.append(gl.Animation(name="clip"))
        animation = self.gltf.animations[0]
        animation.samplers.append(
            gl.AnimationSampler(
                input=self.numbers(np.asarray(times, np.float32)),
                output=self.numbers(np.asarray(values, np.float32)),
                interpolation=interpolation,
            )
        )
        target = gl.AnimationChannelTarget(node=node, path=path)
        animation.channels.append(gl.AnimationChannel(sampler=len(animation.samplers) - 1, target=target))
