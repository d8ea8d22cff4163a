"""Writes a small FBX file, as text, whose mesh has morph targets that a clip moves."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

_TICKS_PER_SECOND: Final = 46_186_158_000


@dataclass(frozen=True)
class Channel:
    """A morph target and how the clip moves it.

    Attributes:
        name: Its name.
        shapes: Displacements of all vertices, (n, 3) each: the target's, after those of shapes in between.
        times: Seconds of the keys.
        weights: The weight at each key, 1 for the whole target.
    """

    name: str
    shapes: list[NDArray[np.float64]]
    times: list[float]
    weights: list[float]


def _array(name: str, values: NDArray[np.generic] | list[int] | list[float]) -> str:
    numbers = np.asarray(values).ravel().tolist()
    return f"{name}: *{len(numbers)} {{ a: {','.join(str(number) for number in numbers)} }}\n"


def write(path: Path, points: NDArray[np.float64], faces: NDArray[np.integer], channels: list[Channel]) -> Path:
    """A node "cloth" with one mesh, and the clip "flap"."""
    ends = np.array(faces)
    ends[:, -1] = -ends[:, -1] - 1  # the last corner of a polygon is stored as its complement
    duration = round(max(time for channel in channels for time in channel.times) * _TICKS_PER_SECOND)
    objects = [
        'Geometry: 1, "Geometry::cloth", "Mesh" {\n'
        + _array("Vertices", points)
        + _array("PolygonVertexIndex", ends)
        + 'LayerElementMaterial: 0 { Version: 101\nName: ""\nMappingInformationType: "AllSame"\n'
        + 'ReferenceInformationType: "IndexToDirect"\nMaterials: *1 { a: 0 } }\n'
        + 'Layer: 0 { Version: 100\nLayerElement: { Type: "LayerElementMaterial"\nTypedIndex: 0 } }\n'
        + "}\n",
        'Model: 2, "Model::cloth", "Mesh" { Version: 232 }\n',
        'Deformer: 3, "Deformer::targets", "BlendShape" { Version: 100 }\n',
        (
            'AnimationStack: 4, "AnimStack::flap", "" { Properties70: { '
            f'P: "LocalStop", "KTime", "Time", "",{duration} }} }}\n'
        ),
        'AnimationLayer: 5, "AnimLayer::flap", "" { }\n',
    ]
    connections = ['"OO",2,0', '"OO",1,2', '"OO",3,1', '"OO",5,4']
    for number, channel in enumerate(channels):
        deformer, node, curve = 100 * (number + 1), 100 * (number + 1) + 1, 100 * (number + 1) + 2
        fulls = [100.0 * (k + 1) / len(channel.shapes) for k in range(len(channel.shapes))]
        objects += [
            f'Deformer: {deformer}, "SubDeformer::{channel.name}", "BlendShapeChannel" {{\nDeformPercent: 0\n'
            + _array("FullWeights", fulls)
            + "}\n",
            f'AnimationCurveNode: {node}, "AnimCurveNode::DeformPercent", "" {{ }}\n',
            f'AnimationCurve: {curve}, "AnimCurve::", "" {{\nDefault: 0\nKeyVer: 4008\n'
            + _array("KeyTime", [round(time * _TICKS_PER_SECOND) for time in channel.times])
            + _array("KeyValueFloat", [100.0 * weight for weight in channel.weights])
            + "}\n",
        ]
        connections += [
            f'"OO",{deformer},3',
            f'"OO",{node},5',
            f'"OP",{node},{deformer},"DeformPercent"',
            f'"OP",{curve},{node},"d|DeformPercent"',
        ]
        for k, shape in enumerate(channel.shapes):
            objects.append(
                f'Geometry: {deformer + 10 + k}, "Geometry::{channel.name}", "Shape" {{\nVersion: 100\n'
                + _array("Indexes", list(range(len(shape))))
                + _array("Vertices", shape)
                + _array("Normals", np.zeros_like(shape))
                + "}\n"
            )
            connections.append(f'"OO",{deformer + 10 + k},{deformer}')
    path.write_text(
        "; FBX 7.4.0 project file\nFBXHeaderExtension: {\nFBXHeaderVersion: 1003\nFBXVersion: 7400\n}\n"
        "Objects: {\n" + "".join(objects) + "}\nConnections: {\n" + "".join(f"C: {c}\n" for c in connections) + "}\n"
    )
    return path
