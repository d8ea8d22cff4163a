"""Paths as glTF 2.0 lines: a node for each frame, shown in its turn, whose mesh has a line strip for each wrinkle."""

import base64
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pygltflib as gl

from pucker.io.files import replacing
from pucker.io.write.columns import PathColumns
from pucker.io.write.gltf import Document


def _strips(document: Document, columns: PathColumns, rows: slice) -> list[gl.Primitive]:
    """A line strip for each path; all share the vertices of the frame."""
    attributes = gl.Attributes(POSITION=document.numbers(columns.positions[rows].astype(np.float32), gl.ARRAY_BUFFER))
    for name in ("width", "height"):
        values = columns[name][rows].astype(np.float32)
        setattr(attributes, f"_{name.upper()}", document.numbers(values, gl.ARRAY_BUFFER))
    vertices = np.arange(rows.stop - rows.start, dtype=np.uint32)
    view = document.view(vertices.tobytes(), gl.ELEMENT_ARRAY_BUFFER)
    primitives = []
    first = 0
    for count in columns.paths_in(rows).tolist():
        row = rows.start + first
        extras = {name: columns[name][row].item() for name in ("id", "alive", "age")}
        indices = document.accessor(view, vertices[first : first + count], first * vertices.itemsize)
        primitives.append(gl.Primitive(attributes=attributes, indices=indices, mode=gl.LINE_STRIP, extras=extras))
        first += count
    return primitives


def _show(document: Document, node: int, frame: int, times: npt.NDArray[np.float64]) -> None:
    """Lets a node have its size from its frame's time to the next one's, and none before and after.

    Core glTF knows no visibility that changes in time.
    """
    sizes = {float(times[0]): 0.0} | {float(times[frame]): 1.0}
    if frame + 1 < len(times):
        sizes[float(times[frame + 1])] = 0.0
    scales = np.repeat(np.array(list(sizes.values()))[:, None], 3, axis=1)
    document.animate(node, "scale", np.array(list(sizes)), scales, "STEP")


def write(path: Path, columns: PathColumns, times: npt.NDArray[np.float64]) -> None:
    """Writes one .glb, or a .gltf that holds the buffer as text."""
    document = Document()
    gltf = document.gltf
    for frame in np.unique(columns["frame"]).tolist():
        primitives = _strips(document, columns, columns.rows_of(frame))
        gltf.meshes.append(gl.Mesh(name=f"wrinkles {frame}", primitives=primitives))
        # Programs that do not play animations show the first frame that has wrinkles.
        size = 0.0 if gltf.nodes else 1.0
        node = document.node(name=f"frame {frame}", mesh=len(gltf.meshes) - 1, scale=[size] * 3)
        _show(document, node, frame, times - times[0])

    content = document.content
    gltf.buffers = [gl.Buffer(byteLength=len(content))] if content else []
    with replacing(path) as temporary:
        if path.suffix.lower() == ".glb":
            gltf.set_binary_blob(content)
            gltf.save_binary(str(temporary))
        else:
            for buffer in gltf.buffers:
                buffer.uri = "data:application/octet-stream;base64," + base64.b64encode(content).decode()
            temporary.write_text(gltf.to_json(), encoding="utf-8")
