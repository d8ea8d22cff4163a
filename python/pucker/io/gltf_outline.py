"""Outlines of toon characters in glTF: black hulls around them that face inwards, seen where a viewer draws no backs.

pucker draws both sides, as cloth has two, and a hull would hide all that it is around.
"""

import itertools
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker.io.gltf_numbers import Numbers

_NAME: Final = "outline"
_TRIANGLES: Final = 4
# Volume over area to the power of 3/2, 0.094 for a sphere: a hull that faces inwards has less than none.
_INWARDS: Final = -1e-3


def outlines(tree: dict[str, Any]) -> list[tuple[int, int]]:
    """The primitives, by the numbers of their meshes and their own there, that are named as outlines and have no backs."""
    materials, nodes = tree.get("materials", []), tree.get("nodes", [])
    named = {node["mesh"] for node in nodes if "mesh" in node and _is_named(node)}
    return [
        (number, k)
        for number, mesh in enumerate(tree.get("meshes", []))
        for k, primitive in enumerate(mesh["primitives"])
        for material in [materials[primitive["material"]] if "material" in primitive else {}]
        if primitive.get("mode", _TRIANGLES) == _TRIANGLES
        and not material.get("doubleSided", False)
        and (number in named or _is_named(mesh) or _is_named(material))
    ]


def hulls(tree: dict[str, Any], numbers: Numbers) -> list[tuple[int, int]]:
    """Those outlines that face inwards; none if nothing else would be left."""
    found = [
        (number, k) for number, k in outlines(tree) if _faces_inwards(tree["meshes"][number]["primitives"][k], numbers)
    ]
    return found if len(found) < sum(len(mesh["primitives"]) for mesh in tree.get("meshes", [])) else []


def without(tree: dict[str, Any], left_out: list[tuple[int, int]]) -> list[str]:
    """Leaves primitives out of a tree, with the meshes that have no others, and gives the names they went by."""
    told = [_called(tree, number, k) for number, k in left_out]
    meshes = tree["meshes"]
    for number, k in sorted(left_out, reverse=True):
        del meshes[number]["primitives"][k]
    kept = [number for number, mesh in enumerate(meshes) if mesh["primitives"]]
    tree["meshes"] = [meshes[number] for number in kept]
    bare = set()
    for number, node in enumerate(tree.get("nodes", [])):
        if "mesh" in node and node["mesh"] in kept:
            node["mesh"] = kept.index(node["mesh"])
        elif "mesh" in node:
            bare.add(number)
            for name in ("mesh", "skin", "weights"):
                node.pop(name, None)
    for clip in tree.get("animations", []):
        clip["channels"] = [each for each in clip["channels"] if not _sets_weights_of(each, bare)]
    return list(dict.fromkeys(told))


def _sets_weights_of(channel: dict[str, Any], nodes: set[int]) -> bool:
    target = channel.get("target", {})
    return target.get("path") == "weights" and target.get("node") in nodes


def _called(tree: dict[str, Any], number: int, k: int) -> str:
    """The name that says it is an outline."""
    mesh = tree["meshes"][number]
    material = mesh["primitives"][k].get("material")
    has: Iterator[dict[str, Any]] = itertools.chain(
        [] if material is None else [tree["materials"][material]],
        [mesh],
        (node for node in tree.get("nodes", []) if node.get("mesh") == number),
    )
    return next(str(each["name"]) for each in has if _is_named(each))


def _is_named(each: dict[str, Any]) -> bool:
    return _NAME in str(each.get("name", "")).casefold()


def _faces_inwards(primitive: dict[str, Any], numbers: Numbers) -> bool:
    drawn = numbers.drawn(primitive)
    own, corners = drawn if drawn is not None else ({}, None)
    number = primitive["attributes"]["POSITION"]
    if "POSITION" in own:
        positions: npt.NDArray[Any] = Numbers.meant(own["POSITION"], numbers.entry(number))
    else:
        positions = numbers.floats(number)
    if corners is None:
        corners = numbers.stored(primitive["indices"]) if "indices" in primitive else np.arange(len(positions))
    points = (positions - positions.mean(axis=0)).astype(np.float64)
    a, b, c = np.moveaxis(points[np.reshape(corners, (-1, 3)).astype(np.int64)], 1, 0)
    area = float(0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum())
    volume = float(np.einsum("ij,ij->", a, np.cross(b, c))) / 6.0
    return bool(volume < _INWARDS * area**1.5)
