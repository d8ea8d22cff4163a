"""The mesh of vertex animation textures as glTF 2.0: each vertex names its texel."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pygltflib as gl

import pucker
from pucker.bake.mesh import Part, Shape
from pucker.bake.write.gltf import Document, Primitive
from pucker.io import generator
from pucker.io.gltf_file import read_tree
from pucker.io.limits import Limits

_Singles = npt.NDArray[np.float32]


class Mesh:
    """Parts with the vertices that glTF has of them, one after the other: `vertices` in all."""

    def __init__(self, parts: Sequence[Part]) -> None:
        self.parts = [
            (part, [Primitive(part, int(material)) for material in np.unique(part.materials)]) for part in parts
        ]
        self.vertices = sum(len(primitive.rows) for _, primitives in self.parts for primitive in primitives)

    def attributes(self, shapes: Sequence[Shape]) -> tuple[_Singles, _Singles]:
        """Positions and normals (V, 3) of the parts' shapes."""
        found = [p.attributes(shape) for (_, each), shape in zip(self.parts, shapes, strict=True) for p in each]
        return np.concatenate([positions for positions, _ in found]), np.concatenate([normals for _, normals in found])


def write(
    path: Path,
    mesh: Mesh,
    positions: _Singles,
    normals: _Singles,
    texels: npt.NDArray[np.float64],
    materials: "list[pucker.Material]",
) -> None:
    """Writes the mesh with positions and normals (V, 3), and the coordinates (V, 2) of texels from the upper left corner."""
    document = Document()
    document.add_materials(materials)
    at = 0
    for part, primitives in mesh.parts:
        made = []
        for primitive in primitives:
            own = slice(at, at + len(primitive.rows))
            at = own.stop
            # glTF counts its sets of coordinates without gaps.
            uv = primitive.uv if primitive.uv is not None else np.zeros((len(primitive.rows), 2), np.float32)
            attributes = gl.Attributes(
                POSITION=document.numbers(positions[own], gl.ARRAY_BUFFER),
                NORMAL=document.numbers(normals[own], gl.ARRAY_BUFFER),
                TEXCOORD_0=document.numbers(uv, gl.ARRAY_BUFFER),
                TEXCOORD_1=document.numbers(texels[own].astype(np.float32), gl.ARRAY_BUFFER),
            )
            indices = document.indices(primitive.indices)
            made.append(gl.Primitive(attributes=attributes, indices=indices, material=primitive.material))
        document.gltf.meshes.append(gl.Mesh(name=part.name, primitives=made))
        document.node(name=part.name, mesh=len(document.gltf.meshes) - 1)
    document.write(path)


def is_mesh_of_textures(path: Path) -> bool:
    """Whether a file is what `write` writes: without skin and animation, and with a texel for each vertex."""
    limits = Limits.from_environment()
    try:
        found = read_tree(path, limits)
        if found is None or not generator.baked(path, limits):
            return False
        primitives = [each for mesh in found[0]["meshes"] for each in mesh["primitives"]]
        return not {"animations", "skins"} & found[0].keys() and all(
            "TEXCOORD_1" in p["attributes"] for p in primitives
        )
    except (pucker.Error, LookupError, TypeError):
        return False
