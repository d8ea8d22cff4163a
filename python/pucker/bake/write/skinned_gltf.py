"""glTF 2.0: a character with its skeleton, skinned meshes and corrective morph targets."""

from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pygltflib as gl

from pucker.bake.joints import Track
from pucker.bake.skinned_mesh import STILL, Binding, Character, SkinnedMesh
from pucker.bake.write.gltf import Document, Primitive

_Array = npt.NDArray[Any]
_Singles = npt.NDArray[np.float32]

_EXTENSION: Final = "KHR_mesh_quantization"
_QUANTIZED: Final[dict[str, Any]] = {"POSITION": np.int16, "NORMAL": np.int8}
# Displacements below that share of a target's largest number have too few of the steps of 16 bits.
_LEAST: Final = 2.0**-8


def write(path: Path, character: Character, *, quantized: bool) -> tuple[list[Path], bool, list[float]]:
    """Writes the character; the files, whether targets are quantized: only where the unit of length allows it, and what weights are
    multiplied with.
    """
    document = Document()
    document.add_materials(character.materials)
    joints = character.joints
    nodes = _add_nodes(document, character)
    scales = _scales(character.garment)
    fits = bool(scales) and all(
        _LEAST * s <= _largest(t.displacements) for s, t in zip(scales, character.garment.targets, strict=True)
    )
    # Weights, which are multiplied with the scale, must stay below 1, or some programs cut them off.
    quantized = quantized and fits and max(scales) <= 1.0
    if not quantized:
        scales = [1.0] * len(scales)
    garment = _add_mesh(document, character.garment, nodes, scales, quantized=quantized)
    if character.body is not None:
        _add_mesh(document, character.body, nodes, [], quantized=False)
    for name, track in joints.clips.items():
        weights = [
            c.weights[character.frames[name]] * s for c, s in zip(character.garment.targets, scales, strict=True)
        ]
        document.gltf.animations.append(gl.Animation(name=name))
        times = document.numbers(track.times.astype(np.float32))
        _animate_joints(document, nodes, track, joints.bind, times)
        if weights:
            _channel(document, garment, "weights", times, np.stack(weights, axis=1).ravel())
    if quantized:
        document.gltf.extensionsUsed = [_EXTENSION]
        document.gltf.extensionsRequired = [_EXTENSION]
    return document.write(path), quantized, scales


def _add_nodes(document: Document, character: Character) -> list[int]:
    """The skeleton where the bind pose has it; the number of each node."""
    joints = character.joints
    bind, nodes = joints.bind, document.gltf.nodes
    for k, name in enumerate(joints.names):
        nodes.append(
            gl.Node(
                name=name,
                translation=bind.translations[0, k].tolist(),
                rotation=bind.rotations[0, k].tolist(),
                scale=bind.scales[0, k].tolist(),
                children=[child for child, parent in enumerate(joints.parents) if parent == k],
            )
        )
        if joints.parents[k] < 0:
            document.gltf.scenes[0].nodes.append(k)
    return list(range(len(joints.names)))


def _add_skin(document: Document, nodes: list[int], binding: Binding) -> int:
    """A skin. A node that is bound in two places is one joint in the first, and a node that stays on it is the other."""
    joints: list[int] = []
    for node in binding.nodes:
        if nodes[node] not in joints:
            joints.append(nodes[node])
            continue
        parent = document.gltf.nodes[nodes[node]]
        document.gltf.nodes.append(gl.Node(name=f"{parent.name} again"))
        parent.children.append(len(document.gltf.nodes) - 1)
        joints.append(len(document.gltf.nodes) - 1)
    # glTF stores matrices column by column.
    matrices = np.stack([bind.T.ravel() for bind in binding.inverse_binds]).astype(np.float32)
    document.gltf.skins.append(gl.Skin(joints=joints, inverseBindMatrices=document.numbers(matrices)))
    return len(document.gltf.skins) - 1


def _add_mesh(document: Document, mesh: SkinnedMesh, nodes: list[int], scales: list[float], *, quantized: bool) -> int:
    """A mesh with its skin; the number of its node."""
    skin = _add_skin(document, nodes, mesh.binding)
    primitives = []
    for material in np.unique(mesh.part.materials):
        primitive = Primitive(mesh.part, int(material))
        rows, normal_rows = primitive.rows, primitive.normal_rows
        influences = mesh.binding.influences
        joints = influences.joints[rows]
        attributes = gl.Attributes(
            POSITION=document.numbers(mesh.positions[rows].astype(np.float32), gl.ARRAY_BUFFER),
            NORMAL=document.numbers(mesh.normals[normal_rows].astype(np.float32), gl.ARRAY_BUFFER),
            JOINTS_0=document.packed(joints.astype(np.uint8 if joints.max(initial=0) < 256 else np.uint16)),
            # Several readers take weights as floats whatever their kind.
            WEIGHTS_0=document.numbers(influences.weights[rows].astype(np.float32), gl.ARRAY_BUFFER),
        )
        if primitive.uv is not None:
            attributes.TEXCOORD_0 = document.numbers(primitive.uv, gl.ARRAY_BUFFER)
        moved = [
            {
                "POSITION": _target(
                    document, target.of_all(len(mesh.positions))[rows] / scale, "POSITION", quantized=quantized
                ),
                "NORMAL": _target(document, normals[normal_rows] / scale, "NORMAL", quantized=quantized),
            }
            for target, normals, scale in zip(mesh.targets, mesh.target_normals, scales, strict=True)
        ]
        primitives.append(
            gl.Primitive(
                attributes=attributes,
                indices=document.indices(primitive.indices),
                material=primitive.material,
                targets=moved,
            )
        )
    weights = [weight * scale for weight, scale in zip(mesh.weights, scales, strict=True)]
    extras = {"targetNames": [f"fold {k + 1}" for k in range(len(weights))]} if weights else {}
    document.gltf.meshes.append(
        gl.Mesh(name=mesh.part.name, primitives=primitives, weights=weights or None, extras=extras)
    )
    return document.node(name=mesh.part.name, mesh=len(document.gltf.meshes) - 1, skin=skin)


def _largest(values: _Array) -> float:
    return float(np.abs(values).max(initial=0.0))


def _scales(mesh: SkinnedMesh) -> list[float]:
    """What each target is divided by, and its weights multiplied with, so that all it stores lies in [-1, 1].

    Normals that turn by more than 1 are cut off, which only shading shows.
    """
    return [
        max(_largest(target.displacements), min(_largest(normals), 1.0), 1e-30)
        for target, normals in zip(mesh.targets, mesh.target_normals, strict=True)
    ]


def _target(document: Document, values: _Singles, name: str, *, quantized: bool) -> int:
    """Stores displacements, those of few vertices sparsely."""
    stored: _Array = values
    if quantized:
        kind = _QUANTIZED[name]
        stored = np.rint(np.clip(values, -1.0, 1.0) * np.iinfo(kind).max).astype(kind)
    moving = np.flatnonzero(np.abs(stored).max(axis=1) > STILL * _largest(stored))
    # Where they are normalized, three.js before r170 normalizes sparse numbers twice.
    if not quantized and 4 * len(moving) < 3 * len(stored):
        return document.sparse(stored, moving)
    return document.packed(stored, normalized=quantized)


def _animate_joints(document: Document, nodes: list[int], track: Track, bind: Track, times: int) -> None:
    """Channels of what moves; what stays but is not where the bind pose has it has the same key throughout."""
    paths = (
        ("translation", track.translations, bind.translations),
        ("rotation", track.rotations, bind.rotations),
        ("scale", track.scales, bind.scales),
    )
    for path, values, still in paths:
        apart = np.abs(values - still).max(axis=(0, 2))
        size = np.abs(values).max(axis=(0, 2))
        for k in np.flatnonzero(apart > 1e-6 * np.maximum(size, 1e-30)):
            _channel(document, nodes[k], path, times, values[:, k])


def _channel(document: Document, node: int, path: str, times: int, values: _Array) -> None:
    animation = document.gltf.animations[-1]
    animation.samplers.append(
        gl.AnimationSampler(input=times, output=document.numbers(values.astype(np.float32)), interpolation="LINEAR")
    )
    animation.channels.append(
        gl.AnimationChannel(sampler=len(animation.samplers) - 1, target=gl.AnimationChannelTarget(node=node, path=path))
    )
