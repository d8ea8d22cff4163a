"""glTF as web tools write it, packed and quantised, written plainly before it is read.

The reader of glTF knows numbers that are stored as floats, keys that straight lines join, pictures that textures name
themselves, and the first set of texture coordinates. What a file stores otherwise is unpacked here into a GLB that says the same.
"""

import copy
import math
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker._core import Error
from pucker.io import formats
from pucker.io.gltf_file import MESHOPT, GltfFile, glb, read_tree
from pucker.io.gltf_keys import SPLINE, joins_otherwise, straightened
from pucker.io.gltf_numbers import DRACO, FLOAT, KINDS, UNSIGNED_INT, WIDTHS, Numbers
from pucker.io.gltf_outline import hulls, outlines, without
from pucker.io.limits import Limits
from pucker.io.pictures import as_png

_UNPACKED: Final = (*MESHOPT, "KHR_mesh_quantization", DRACO)
# Textures may name their picture in one of these, whose format Pillow knows or tells of.
_PICTURES: Final = ("EXT_texture_webp", "EXT_texture_avif", "MSFT_texture_dds", "KHR_texture_basisu")
_TRANSFORM: Final = "KHR_texture_transform"
_PNG: Final = b"\x89PNG"
_JPEG: Final = b"\xff\xd8\xff"
_COORDINATES: Final = "TEXCOORD_0"
# What a character is read of; other attributes stay as they are.
_READ: Final = ("POSITION", "NORMAL", "TEXCOORD", "WEIGHTS")
_MEANT: Final = (*_READ, "TANGENT", "COLOR")
_NONSENSE: Final = (KeyError, IndexError, TypeError, ValueError, AttributeError, OverflowError, RecursionError)


def plain(path: Path, *, anywhere: bool, limits: Limits, rare_pictures: bool = True) -> tuple[bytes, list[str]] | None:
    """A GLB that says plainly what a glTF file says, and sentences on what it leaves out; None for any other file, and where
    the file's own reader knows how it stores what a character is read of.

    Args:
        path: The file.
        anywhere: See `pucker.load`.
        limits: Those of the file, of what it names, and of what it unpacks to.
        rare_pictures: Leave pictures of all formats as they are; else those that are neither PNG nor JPEG become PNG.

    Raises:
        pucker.Error: If it is packed and damaged, or by what a package must unpack that is not installed.
    """
    found = read_tree(path, limits) if path.suffix.lower() in formats.GLTF else None
    try:
        if found is None:
            return None
        packed = _is_packed(found[0])
        if not packed and not outlines(found[0]):
            return None
    except _NONSENSE:
        return None  # its reader tells what is wrong
    try:
        file = GltfFile(path, *found, anywhere=anywhere, limits=limits)
        made = _Plain(file, rare_pictures=rare_pictures)
        notes = made.leave_outlines_out()
        return (made.written(), notes) if packed or notes else None
    except (Error, ModuleNotFoundError) as error:
        raise Error(f"{path}: {error}") from None
    except (*_NONSENSE, OSError, struct.error) as error:
        told = f"has no {error}" if isinstance(error, KeyError) else str(error)
        raise Error(f"{path}: is damaged: {told}") from error


def _is_packed(tree: dict[str, Any]) -> bool:
    """Whether anything of a file that a character is read of is stored otherwise than its reader knows."""
    accessors = tree.get("accessors", [])

    def is_other(number: int) -> bool:
        return bool(accessors[number]["componentType"] != FLOAT)

    def is_drawn(primitive: dict[str, Any]) -> bool:
        # Draco itself is read with smaller indices.
        return DRACO in primitive.get("extensions", {}) and (
            accessors[primitive["indices"]]["componentType"] == UNSIGNED_INT
        )

    return (
        any(name in tree.get("extensionsRequired", []) for name in _UNPACKED if name != DRACO)
        or any(name in view.get("extensions", {}) for view in tree.get("bufferViews", []) for name in MESHOPT)
        or any(
            is_drawn(primitive)
            or any(is_other(k) for name, k in primitive["attributes"].items() if name.startswith(_READ))
            for primitive in _primitives(tree)
        )
        or any(is_other(k) for primitive in _primitives(tree) for k in _moved(primitive))
        or any(not clip["channels"] for clip in tree.get("animations", []))
        or any(is_other(k) for k in _keys(tree))
        or any(joins_otherwise(sampler, accessors) for sampler in _samplers(tree))
        or any("inverseBindMatrices" not in skin for skin in tree.get("skins", []))
        or any("source" not in each and _elsewhere(each) for each in tree.get("textures", []))
        or any(_placed(material) != _UNPLACED for material in tree.get("materials", []))
        or any(_with_another_skin(tree))
    )


def _with_another_skin(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The nodes whose mesh an earlier node has with another skin, as two characters have that wear the same."""
    first: dict[int, int | None] = {}
    for node in tree.get("nodes", []):
        if "mesh" in node and first.setdefault(node["mesh"], node.get("skin")) != node.get("skin"):
            yield node


def _primitives(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for mesh in tree.get("meshes", []):
        yield from mesh["primitives"]


def _moved(primitive: dict[str, Any]) -> Iterator[int]:
    """Accessors of positions of morph targets; those without numbers are all 0, which the reader knows."""
    yield from (target["POSITION"] for target in primitive.get("targets", []) if "POSITION" in target)


def _samplers(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for clip in tree.get("animations", []):
        yield from clip["samplers"]


def _keys(tree: dict[str, Any]) -> Iterator[int]:
    for sampler in _samplers(tree):
        yield from (sampler["input"], sampler["output"])


_Placed = tuple[int, tuple[float, float], float, tuple[float, float]]
_UNPLACED: Final[_Placed] = (0, (0.0, 0.0), 0.0, (1.0, 1.0))


def _elsewhere(texture: dict[str, Any]) -> dict[str, Any]:
    """What of a texture names a picture of a format of its own; empty where nothing does."""
    extensions: dict[str, dict[str, Any]] = texture.get("extensions", {})
    return next((extensions[name] for name in _PICTURES if name in extensions), {})


def _colour(material: dict[str, Any]) -> dict[str, Any]:
    """What says which picture a material shows."""
    glossy = material.get("extensions", {}).get("KHR_materials_pbrSpecularGlossiness", {}).get("diffuseTexture", {})
    found: dict[str, Any] = material.get("pbrMetallicRoughness", {}).get("baseColorTexture", glossy)
    return found


def _placed(material: dict[str, Any]) -> _Placed:
    """Which set of texture coordinates a material shows its picture by, and offset, rotation (radians) and scale of it."""
    colour = _colour(material)
    transform = colour.get("extensions", {}).get(_TRANSFORM, {})
    return (
        int(transform.get("texCoord", colour.get("texCoord", 0))),
        _pair(transform.get("offset", (0.0, 0.0))),
        float(transform.get("rotation", 0.0)),
        _pair(transform.get("scale", (1.0, 1.0))),
    )


def _pair(values: Sequence[float]) -> tuple[float, float]:
    x, y = values
    return float(x), float(y)


def transformed(uv: npt.NDArray[np.float32], placed: _Placed) -> npt.NDArray[np.float32]:
    """Texture coordinates (n, 2), whose origin is the picture's upper left corner, as KHR_texture_transform places them.

    They turn counter-clockwise as the picture is looked at, which the extension's text says and its test model shows.
    """
    _, offset, rotation, scale = placed
    sine, cosine = math.sin(rotation), math.cos(rotation)
    turn = np.array([[cosine, sine], [-sine, cosine]])
    return np.asarray((uv * scale) @ turn.T + offset, np.float32)


class _Plain:
    """The tree of a file, written anew."""

    def __init__(self, file: GltfFile, *, rare_pictures: bool) -> None:
        self._file = file
        self._rare_pictures = rare_pictures
        self._numbers = Numbers(file)
        self._tree = copy.deepcopy(file.tree)
        self._buffer = bytearray()
        self._views: list[dict[str, int]] = []
        self._accessors: list[dict[str, Any]] = []
        self._known: dict[tuple[int, str], int] = {}

    def leave_outlines_out(self) -> list[str]:
        """Says which."""
        found = hulls(self._tree, self._numbers)
        if not found:
            return []
        names = ", ".join(map(repr, without(self._tree, found)))
        return [f"read without the outline {names}, a hull that faces inwards and would hide the character"]

    def written(self) -> bytes:
        tree = self._tree
        # The reader knows one skin of a mesh.
        copies: dict[tuple[int, int | None], int] = {}
        for node in _with_another_skin(tree):
            key = node["mesh"], node.get("skin")
            if key not in copies:
                copies[key] = len(tree["meshes"])
                tree["meshes"].append(copy.deepcopy(tree["meshes"][node["mesh"]]))
            node["mesh"] = copies[key]
        for primitive in _primitives(tree):
            self._write_primitive(primitive)
        # Clips that move nothing are taken for damage.
        clips = [clip for clip in tree.pop("animations", []) if clip["channels"]]
        tree |= {"animations": clips} if clips else {}
        for clip in clips:
            self._write_clip(clip)
        for skin in tree.get("skins", []):
            skin["inverseBindMatrices"] = self._binds(skin)
        for image in tree.get("images", []):
            self._write_picture(image)
        for texture in tree.get("textures", []):
            if "source" not in texture and (picture := _elsewhere(texture)):
                texture["source"] = picture["source"]
        for material in tree.get("materials", []):
            colour = _colour(material)
            colour.pop("texCoord", None)
            colour.get("extensions", {}).pop(_TRANSFORM, None)
        for kind in ("extensionsUsed", "extensionsRequired"):
            kept = [name for name in tree.pop(kind, []) if name not in (*_UNPACKED, *_PICTURES, _TRANSFORM)]
            tree |= {kind: kept} if kept else {}
        tree["accessors"], tree["bufferViews"] = self._accessors, self._views
        tree["buffers"] = [{"byteLength": len(self._buffer)}]
        return glb(tree, bytes(self._buffer))

    def _write_primitive(self, primitive: dict[str, Any]) -> None:
        attributes: dict[str, int] = primitive["attributes"]
        materials = self._file.tree.get("materials", [])
        placed = _placed(materials[primitive["material"]]) if "material" in primitive else _UNPLACED
        drawn = self._numbers.drawn(primitive)
        own, corners = drawn if drawn is not None else ({}, None)
        uv = self._coordinates(attributes, own, placed)
        for name, number in attributes.items():
            is_meant = name.startswith(_MEANT)
            if name in own:
                entry = self._numbers.entry(number)
                values = Numbers.meant(own[name], entry) if is_meant else own[name]
                attributes[name] = self._add(values, entry["type"])
            else:
                attributes[name] = self._floats(number) if is_meant else self._stored(number)
        if uv is not None:
            attributes[_COORDINATES] = uv
        if corners is not None:
            primitive["indices"] = self._add(corners[:, None], "SCALAR")
            del primitive["extensions"][DRACO]
        elif "indices" in primitive:
            primitive["indices"] = self._stored(primitive["indices"])
        for target in primitive.get("targets", []):
            target |= {name: self._floats(number) for name, number in target.items()}

    def _write_clip(self, clip: dict[str, Any]) -> None:
        turning = {
            channel["sampler"] for channel in clip["channels"] if channel.get("target", {}).get("path") == "rotation"
        }
        for number, sampler in enumerate(clip["samplers"]):
            if not joins_otherwise(sampler, self._file.tree["accessors"]):
                sampler |= {name: self._floats(sampler[name]) for name in ("input", "output")}
                continue
            times = self._numbers.floats(sampler["input"])[:, 0]
            values = self._numbers.floats(sampler["output"])
            how = sampler.pop("interpolation")
            # Weights of morph targets follow each other, those of all targets for each key.
            rows = len(times) * (3 if how == SPLINE else 1)
            whole = values.reshape(rows, -1) if rows else values
            times, whole = straightened(times, whole, how, turn=number in turning, limits=self._file.limits)
            sampler["input"] = self._add(times[:, None], "SCALAR")
            kind = self._numbers.entry(sampler["output"])["type"]
            sampler["output"] = self._add(whole.reshape(-1, values.shape[1]), kind)

    def _coordinates(self, attributes: dict[str, int], own: dict[str, Any], placed: _Placed) -> int | None:
        """The accessor of texture coordinates that a material shows its picture by, where they are not the first set as
        stored.
        """
        name = f"TEXCOORD_{placed[0]}"
        if placed == _UNPLACED or name not in attributes:
            return None
        stored = own[name] if name in own else self._numbers.stored(attributes[name])
        uv = Numbers.meant(stored, self._numbers.entry(attributes[name]))
        return self._add(transformed(uv, placed), "VEC2")

    def _floats(self, number: int) -> int:
        return self._once(number, "floats")

    def _stored(self, number: int) -> int:
        return self._once(number, "stored")

    def _once(self, number: int, how: str) -> int:
        if (number, how) not in self._known:
            entry = self._numbers.entry(number)
            values = getattr(self._numbers, how)(number)
            self._known[number, how] = self._add(values, entry["type"], normalized=entry.get("normalized", False))
        return self._known[number, how]

    def _binds(self, skin: dict[str, Any]) -> int:
        """Matrices of a skin; they are the identity where it has none (glTF 2.0, 3.7.3.1)."""
        if "inverseBindMatrices" in skin:
            return self._floats(skin["inverseBindMatrices"])
        return self._add(np.tile(np.eye(4, dtype=np.float32).ravel(), (len(skin["joints"]), 1)), "MAT4")

    def _write_picture(self, image: dict[str, Any]) -> None:
        content = self._file.picture(image)
        if content is None:
            return
        if not self._rare_pictures and not content.startswith((_PNG, _JPEG)):
            content = as_png(content, self._file.limits) or content
            image.pop("mimeType", None)
        image.pop("uri", None)
        image["bufferView"] = self._add_view(content)
        image.setdefault("mimeType", "image/png" if content.startswith(_PNG) else "image/jpeg")

    def _add(self, values: npt.NDArray[Any], type_name: str, *, normalized: bool = False) -> int:
        """A new accessor of (count, width) numbers."""
        if values.ndim != 2 or values.shape[1] != WIDTHS[type_name]:
            raise ValueError(f"rows of {type_name} have {WIDTHS[type_name]} numbers, got {values.shape}")
        kind = next((number for number, name in KINDS.items() if np.dtype(name) == values.dtype), None)
        if kind is None:
            raise ValueError(f"glTF has no numbers of {values.dtype}")
        entry: dict[str, Any] = {"componentType": kind, "count": len(values), "type": type_name}
        if kind == FLOAT and len(values):
            entry |= {"min": values.min(0).tolist(), "max": values.max(0).tolist()}
        elif normalized:
            entry["normalized"] = True
        entry["bufferView"] = self._add_view(np.ascontiguousarray(values).tobytes())
        self._accessors.append(entry)
        return len(self._accessors) - 1

    def _add_view(self, content: bytes) -> int:
        self._buffer += bytes(-len(self._buffer) % 4)
        self._views.append({"buffer": 0, "byteOffset": len(self._buffer), "byteLength": len(content)})
        self._buffer += content
        if len(self._buffer) > self._file.limits.memory:
            raise ValueError(f"unpacks to more than {len(self._buffer)} bytes; {self._file.limits.told}")
        return len(self._views) - 1
