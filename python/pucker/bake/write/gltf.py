"""glTF 2.0: frames as morph targets, or as meshes that are shown in turn."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, Literal

import numpy as np
import numpy.typing as npt
import pygltflib as gl

import pucker
from pucker.bake.mesh import BakedClip, Part, Shape
from pucker.bake.write.textures import picture_of
from pucker.io.files import replacing, replacing_in
from pucker.io.write.gltf import Document as Plain

Interpolation = Literal["linear", "step"]

# A position and a normal a vertex take 24 bytes.
_MORPHED: Final = ("POSITION", "NORMAL")


class Primitive:
    """What of a part has one material, with vertices of its own: glTF knows one texture coordinate and normal a vertex."""

    def __init__(self, part: Part, material: int) -> None:
        chosen = part.materials == material
        of_corners = [part.faces, part.faces if part.uv_faces is None else part.uv_faces]
        of_corners.append(part.faces if part.normal_faces is None else part.normal_faces)
        keys = np.zeros(3 * int(chosen.sum()), np.int64)
        for column in of_corners:
            # Numbered anew each time, so that a key of two never overflows.
            numbers = column[chosen].ravel().astype(np.int64)
            keys = np.unique(keys * (int(numbers.max(initial=0)) + 1) + numbers, return_inverse=True)[1]
        first = np.unique(keys, return_index=True)[1]
        self.indices = keys
        self.rows, coordinates, self.normal_rows = (column[chosen].ravel()[first] for column in of_corners)
        self.uv: npt.NDArray[np.float32] | None = None
        if part.uv is not None:
            # glTF counts from the upper left corner.
            self.uv = (part.uv[coordinates] * [1.0, -1.0] + [0.0, 1.0]).astype(np.float32)
        self.material = material

    def attributes(self, shape: Shape) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Positions and normals of its vertices."""
        return shape.positions[self.rows].astype(np.float32), shape.normals[self.normal_rows].astype(np.float32)


class Document(Plain):
    """A document with materials."""

    def add_materials(self, materials: "list[pucker.Material]") -> None:
        """Adds them, with their pictures."""
        for material in materials:
            texture = None
            picture = picture_of(material)
            if picture is not None:
                self.gltf.images.append(
                    gl.Image(bufferView=self.view(picture.content), mimeType=picture.mime, name=picture.stem)
                )
                if not self.gltf.samplers:
                    self.gltf.samplers.append(gl.Sampler())
                self.gltf.textures.append(gl.Texture(source=len(self.gltf.images) - 1, sampler=0))
                texture = gl.TextureInfo(index=len(self.gltf.textures) - 1)
            surface = gl.PbrMetallicRoughness(
                baseColorFactor=list(material.color), baseColorTexture=texture, metallicFactor=0.0, roughnessFactor=0.9
            )
            self.gltf.materials.append(
                gl.Material(
                    name=material.name or None,
                    pbrMetallicRoughness=surface,
                    alphaMode=material.alpha_mode.name.upper(),
                    alphaCutoff=material.alpha_cutoff if material.alpha_mode is pucker.AlphaMode.mask else None,
                    doubleSided=True,
                )
            )

    def write(self, path: Path) -> list[Path]:
        """Writes one .glb, or a .gltf and the .bin it names."""
        content = self.content
        self.gltf.buffers = [gl.Buffer(byteLength=len(content))]
        if path.suffix.lower() == ".glb":
            self.gltf.set_binary_blob(content)
            with replacing(path) as temporary:
                self.gltf.save_binary(str(temporary))
            return [path]
        data = path.with_suffix(".bin")
        self.gltf.buffers[0].uri = data.name
        with replacing_in(path.parent, path.name) as temporary:
            (temporary / data.name).write_bytes(content)
            (temporary / path.name).write_text(self.gltf.to_json(), encoding="utf-8")
        return [path, data]


class _MorphedMesh:
    """A mesh whose frames are morph targets, relative to the first."""

    def __init__(self, document: Document, part: Part) -> None:
        self._document = document
        self._part = part
        self._primitives = [Primitive(part, int(material)) for material in np.unique(part.materials)]
        self._bases: list[tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]] = []
        self._made: list[gl.Primitive] = []

    def add(self, shape: Shape) -> None:
        if not self._made:
            self._made = [_primitive(self._document, primitive, shape) for primitive in self._primitives]
            self._bases = [primitive.attributes(shape) for primitive in self._primitives]
            return
        for primitive, made, bases in zip(self._primitives, self._made, self._bases, strict=True):
            moved = (value - base for value, base in zip(primitive.attributes(shape), bases, strict=True))
            # A dict as pygltflib writes it: its Attributes would add every other attribute as null.
            made.targets.append(
                {name: self._document.numbers(delta) for name, delta in zip(_MORPHED, moved, strict=True)}
            )

    def finish(self, times: npt.NDArray[np.float64], interpolation: Interpolation) -> None:
        count = len(self._made[0].targets)
        self._document.gltf.meshes.append(
            gl.Mesh(name=self._part.name, primitives=self._made, weights=[0.0] * count if count else None)
        )
        node = self._document.node(name=self._part.name, mesh=len(self._document.gltf.meshes) - 1)
        if count:
            weights = np.eye(count + 1)[:, 1:].ravel()
            self._document.animate(node, "weights", times, weights, interpolation.upper())


def _primitive(document: Document, primitive: Primitive, shape: Shape) -> gl.Primitive:
    positions, normals = primitive.attributes(shape)
    attributes = gl.Attributes(
        POSITION=document.numbers(positions, gl.ARRAY_BUFFER), NORMAL=document.numbers(normals, gl.ARRAY_BUFFER)
    )
    if primitive.uv is not None:
        attributes.TEXCOORD_0 = document.numbers(primitive.uv, gl.ARRAY_BUFFER)
    return gl.Primitive(
        attributes=attributes,
        indices=document.indices(primitive.indices),
        material=primitive.material,
        targets=[],
    )


def _add_frame(document: Document, baked: BakedClip, index: int) -> None:
    """The garment of one frame as a mesh of its own, which is shown until the next."""
    part, shape = baked.garment(index)
    primitives = [_primitive(document, Primitive(part, int(m)), shape) for m in np.unique(part.materials)]
    name = f"frame_{index:04d}_{part.name}"
    document.gltf.meshes.append(gl.Mesh(name=name, primitives=primitives))
    mesh = len(document.gltf.meshes) - 1
    node = document.node(name=name, mesh=mesh, scale=[float(index == 0)] * 3)
    if len(baked) == 1:
        return
    shown = {0.0: False, baked.times[index]: True}
    if index + 1 < len(baked):
        shown[baked.times[index + 1]] = False
    scales = np.repeat(np.array(list(shown.values()), float)[:, None], 3, axis=1)
    document.animate(node, "scale", np.array(list(shown)), scales, "STEP")


def write(path: Path, baked: BakedClip, frames: Iterable[int], interpolation: Interpolation) -> list[Path]:
    """Writes a clip and returns the files; `frames` are its frames, as a progress bar hands them out."""
    document = Document()
    document.add_materials(baked.clip.material_list)
    garment = _MorphedMesh(document, baked.garment_part) if baked.fixed else None
    body = None if baked.body is None else _MorphedMesh(document, baked.body.part)
    for index in frames:
        if garment is None:
            _add_frame(document, baked, index)
        else:
            garment.add(baked.garment(index)[1])
        if body is not None and baked.body is not None:
            body.add(baked.body.shape(index))
    for mesh in (garment, body):
        if mesh is not None:
            mesh.finish(baked.times, interpolation)
    return document.write(path)
