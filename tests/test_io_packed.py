"""glTF as web tools write it: packed, quantised, with pictures and texture coordinates named by extensions."""

import base64
import io
import json
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import DracoPy
import meshopt
import numpy as np
import pytest
from click.testing import CliRunner
from gltf_oracle import Gltf
from gltf_writer import GltfFile
from numpy.typing import NDArray
from PIL import Image

import pucker
from pucker._core import sources
from pucker.cli import cli
from pucker.cli import view as view_module
from pucker.examples import grid_faces
from pucker.io import Limits, gltf_plain, open_source
from pucker.io.pictures import decoded

Array = NDArray[Any]

FACES = grid_faces(6, 6)
UV = np.stack(np.meshgrid(np.linspace(0, 1, 7), np.linspace(0, 1, 7)), axis=2).reshape(-1, 2)
POINTS = np.c_[UV * 0.9, 0.1 * np.sin(5 * UV[:, 0])]
NORMALS = np.tile([0.0, 0.0, 1.0], (len(POINTS), 1))
WEIGHTS = np.c_[1 - UV[:, 0], UV[:, 0], np.zeros((len(UV), 2))]
JOINTS = np.tile([0, 1, 0, 0], (len(UV), 1))
TURN = np.array([[0, 0, 0, 1], [0, 0.6, 0, 0.8], [0, 0, 0, 1.0]])
TIMES = [0.0, 0.5, 1.0]

Kinds = dict[str, tuple[str, float]]
"""How attributes are stored: the kind of number, and what 1 is in it."""


def character(kinds: Kinds | None = None, **changes: Any) -> GltfFile:
    """A sheet with two joints, of which one turns, and texture coordinates."""
    kinds = kinds or {}
    file = GltfFile()

    def numbers(name: str, values: Array) -> int:
        kind, one = kinds.get(name, ("f4", 1.0))
        more = {"normalized": one > 1.0} if kind != "f4" else {}
        return file.accessor(np.rint(values * one) if one > 1.0 else values, kind, **more)

    attributes = {
        "POSITION": numbers("POSITION", changes.get("points", POINTS)),
        "NORMAL": numbers("NORMAL", NORMALS),
        "TEXCOORD_0": numbers("TEXCOORD_0", UV),
        "JOINTS_0": file.accessor(JOINTS, "u1"),
        "WEIGHTS_0": numbers("WEIGHTS_0", WEIGHTS),
    }
    mesh = file.add(
        "meshes", {"primitives": [{"attributes": attributes, "indices": file.accessor(FACES.ravel(), "u4")}]}
    )
    joints = [file.node(name=name) for name in ("left", "right")]
    skin = file.add("skins", {"joints": joints, "inverseBindMatrices": file.accessor(np.stack([np.eye(4)] * 2))})
    file.node(mesh=mesh, skin=skin)
    output = numbers("rotation", TURN)
    sampler = {"input": file.accessor(TIMES), "output": output}
    target = {"node": joints[1], "path": "rotation"}
    file.add("animations", {"name": "turn", "samplers": [sampler], "channels": [{"sampler": 0, "target": target}]})
    return file


def packed_by_meshopt(file: GltfFile, extension: str = "EXT_meshopt_compression", *, version: int = 0) -> GltfFile:
    """The same with all numbers of vertices, corners and keys packed."""
    primitive = file.json["meshes"][0]["primitives"][0]
    indices = file.json["accessors"][primitive["indices"]]["bufferView"]
    for number, view in enumerate(file.json["bufferViews"]):
        content = np.frombuffer(file.buffer, np.uint8)[view["byteOffset"] :][: view["byteLength"]]
        if number == indices:
            data, mode, stride = meshopt.encode_gltf_buffer(content.view("<u4"), "TRIANGLES"), "TRIANGLES", 4
        else:
            stride = 4 if len(content) % 8 else 8
            rows = content.reshape(-1, stride)
            data, mode = meshopt.encode_gltf_buffer(rows, "ATTRIBUTES", version), "ATTRIBUTES"
        packed = {
            "buffer": 0,
            "byteOffset": len(file.buffer),
            "byteLength": len(data),
            "byteStride": stride,
            "count": len(content) // stride,
            "mode": mode,
        }
        view["extensions"] = {extension: packed}
        file.buffer += data + bytes(-len(data) % 4)
    return requiring(file, extension)


def requiring(file: GltfFile, *extensions: str) -> GltfFile:
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = list(extensions)
    return file


def assert_same(found: pucker.Clip, plain: pucker.Clip) -> None:
    np.testing.assert_array_equal(rolled(found.faces), rolled(plain.faces))
    for name in ("positions", "rest", "uv", "weld"):
        np.testing.assert_array_equal(getattr(found, name), getattr(plain, name), err_msg=name)
    assert found.has_authored_normals == plain.has_authored_normals


def rolled(faces: Array) -> Array:
    """Triangles that begin with their first vertex; packed ones may begin with another corner."""
    first = np.argmin(faces, axis=1)
    return np.take_along_axis(faces, (first[:, None] + np.arange(3)) % 3, axis=1)


@pytest.fixture
def plain(tmp_path: Path) -> pucker.Clip:
    return pucker.load(character().write(tmp_path / "plain.gltf"))


# Packed by meshopt


@pytest.mark.parametrize(
    ("extension", "version"),
    [("EXT_meshopt_compression", 0), ("KHR_meshopt_compression", 0), ("KHR_meshopt_compression", 1)],
)
@pytest.mark.parametrize("ending", [".gltf", ".glb"])
def test_what_meshopt_packs_is_what_was_packed(
    tmp_path: Path, plain: pucker.Clip, extension: str, version: int, ending: str
) -> None:
    file = packed_by_meshopt(character(), extension, version=version)
    path = tmp_path / f"packed{ending}"
    (file.write if ending == ".gltf" else file.write_glb)(path)
    assert_same(pucker.load(path), plain)


def test_filtered_numbers_are_where_they_were(tmp_path: Path, plain: pucker.Clip) -> None:
    """Normals in octahedral form, positions with an exponent, rotations by their smallest three."""
    file = character({"NORMAL": ("i1", 127.0), "rotation": ("i2", 32767.0)})
    primitive = file.json["meshes"][0]["primitives"][0]
    clip = file.json["animations"][0]["samplers"][0]
    normals = np.c_[NORMALS, np.zeros(len(NORMALS))]
    for accessor, rows, name in (
        (primitive["attributes"]["NORMAL"], meshopt.encode_filter_oct(normals, 4, 8), "OCTAHEDRAL"),
        (primitive["attributes"]["POSITION"], meshopt.encode_filter_exp(POINTS, 20), "EXPONENTIAL"),
        (clip["output"], meshopt.encode_filter_quat(TURN, 8, 16), "QUATERNION"),
    ):
        data = meshopt.encode_gltf_buffer(rows, "ATTRIBUTES")
        packed = {"buffer": 0, "byteOffset": len(file.buffer), "byteLength": len(data), "byteStride": rows.shape[1]}
        packed |= {"count": len(rows), "mode": "ATTRIBUTES", "filter": name}
        extensions = {"EXT_meshopt_compression": packed}
        view = file.json["bufferViews"][file.json["accessors"][accessor]["bufferView"]]
        view |= {"extensions": extensions, "byteStride": rows.shape[1]}
        file.buffer += data + bytes(-len(data) % 4)
    clip = pucker.load(requiring(file, "EXT_meshopt_compression", "KHR_mesh_quantization").write(tmp_path / "p.gltf"))
    np.testing.assert_allclose(clip.positions, plain.positions, atol=1e-4)
    assert clip.has_authored_normals


def test_a_file_in_a_child_process_is_unpacked_there(tmp_path: Path, plain: pucker.Clip) -> None:
    path = packed_by_meshopt(character()).write(tmp_path / "packed.gltf")
    assert_same(pucker.load(path, isolated=True), plain)
    source = open_source(path)
    with open_source(path, isolated=True) as child:
        assert source.inspect().clips == child.inspect().clips == {"turn": 1.0}
        np.testing.assert_array_equal(source.part_numbers("joints"), child.part_numbers("joints"))
        np.testing.assert_array_equal(source.select(["joint:left"]), child.select(["joint:left"]))


def test_a_packed_file_moves_another(tmp_path: Path, plain: pucker.Clip) -> None:
    path = packed_by_meshopt(character()).write(tmp_path / "plain.gltf.glb")
    bare = tmp_path / "still.gltf"
    tree = json.loads(character().write(bare).read_text())
    del tree["animations"]
    bare.write_text(json.dumps(tree))
    np.testing.assert_array_equal(pucker.load(bare, motion=path).positions, plain.positions)


# Whole numbers


@pytest.mark.parametrize(
    ("kinds", "near"),
    [
        ({"POSITION": ("i2", 32767.0)}, 1 / 32767),
        ({"POSITION": ("u2", 65535.0)}, 0.11),  # without negative z
        ({"NORMAL": ("i1", 127.0), "TEXCOORD_0": ("u2", 65535.0)}, 1 / 65535),
        ({"TEXCOORD_0": ("u2", 65535.0), "WEIGHTS_0": ("u1", 255.0)}, 1 / 255),
        ({"WEIGHTS_0": ("u2", 65535.0)}, 1 / 65535),
        ({"rotation": ("i2", 32767.0)}, 1 / 32767),
    ],
)
def test_numbers_that_are_normalized_are_what_they_mean(tmp_path: Path, kinds: Kinds, near: float) -> None:
    points = np.maximum(POINTS, 0.0) if kinds.get("POSITION") == ("u2", 65535.0) else POINTS
    path = character(kinds, points=points).write(tmp_path / "small.gltf")
    found, plain = pucker.load(path), pucker.load(character(points=points).write(tmp_path / "plain.gltf"))
    np.testing.assert_array_equal(found.faces, plain.faces)
    for name in ("positions", "rest", "uv"):
        np.testing.assert_allclose(getattr(found, name), getattr(plain, name), atol=near, err_msg=name)
    oracle = Gltf(path)
    node, primitive = 2, oracle.primitives(2)[0]
    shown = oracle.pose(node, primitive, oracle.globals("turn", 0.5))
    np.testing.assert_allclose(found.positions[15][found.weld], shown, atol=1e-6)


def test_whole_numbers_that_are_not_normalized_are_themselves(tmp_path: Path) -> None:
    points = np.c_[np.rint(POINTS * 200)]
    file = character({"POSITION": ("i2", 1.0)}, points=points)
    found = pucker.load(requiring(file, "KHR_mesh_quantization").write(tmp_path / "whole.gltf"))
    plain = pucker.load(character(points=points).write(tmp_path / "plain.gltf"))
    np.testing.assert_array_equal(found.positions, plain.positions)


def test_targets_of_whole_numbers_move_as_they_mean(tmp_path: Path) -> None:
    clips = []
    for kind, one in (("f4", 1.0), ("i2", 32767.0)):
        file = GltfFile()
        mesh = file.mesh(POINTS, FACES)
        moved = file.accessor(np.rint(NORMALS * one) if one > 1 else NORMALS, kind, normalized=one > 1)
        file.json["meshes"][mesh]["primitives"][0]["targets"] = [{"POSITION": moved}]
        node = file.node(mesh=mesh)
        file.animation("rise", {(node, "weights"): ([0.0, 1.0], [[0.0], [1.0]])})
        clips.append(pucker.load(file.write(tmp_path / f"{kind}.gltf")))
    np.testing.assert_allclose(clips[1].positions, clips[0].positions, atol=1e-6)
    assert np.ptp(clips[0].positions[:, 0, 2]) == pytest.approx(1.0)


# Packed by Draco


def packed_by_draco(file: GltfFile, joints: str = "u1") -> GltfFile:
    primitive = file.json["meshes"][0]["primitives"][0]
    own = {1: UV.astype("f4"), 2: JOINTS.astype(joints), 3: WEIGHTS.astype("f4")}
    data = DracoPy.encode(POINTS.astype("f4"), FACES, preserve_order=True, quantization_bits=20, generic_attributes=own)
    names = {"TEXCOORD_0": 1, "JOINTS_0": 2, "WEIGHTS_0": 3, "POSITION": 4}
    del primitive["attributes"]["NORMAL"]
    file.json["accessors"][primitive["attributes"]["JOINTS_0"]]["componentType"] = {"u1": 5121, "u2": 5123}[joints]
    for accessor in (*(primitive["attributes"][name] for name in names), primitive["indices"]):
        del file.json["accessors"][accessor]["bufferView"]
    view = file.add("bufferViews", {"buffer": 0, "byteOffset": len(file.buffer), "byteLength": len(data)})
    file.buffer += data + bytes(-len(data) % 4)
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": view, "attributes": names}}
    return requiring(file, "KHR_draco_mesh_compression")


@pytest.mark.parametrize("joints", ["u1", "u2"])
def test_what_draco_packs_is_what_was_packed(tmp_path: Path, plain: pucker.Clip, joints: str) -> None:
    """With corners of four bytes, a skin and texture coordinates."""
    found = pucker.load(packed_by_draco(character(), joints).write(tmp_path / "packed.gltf"))
    np.testing.assert_array_equal(found.faces, plain.faces)
    np.testing.assert_array_equal(found.uv, plain.uv)
    np.testing.assert_allclose(found.positions, plain.positions, atol=1e-5)


def test_numbers_of_draco_that_an_accessor_cannot_hold_are_told(tmp_path: Path) -> None:
    file = packed_by_draco(character(), "u2")
    joints = file.json["meshes"][0]["primitives"][0]["attributes"]["JOINTS_0"]
    file.json["accessors"][joints]["componentType"] = 5120
    file.json["meshes"][0]["primitives"][0]["extensions"]["KHR_draco_mesh_compression"]["attributes"]["JOINTS_0"] = 3
    with pytest.raises(pucker.Error, match=r"is damaged: accessor \d+ says numbers of int8, and Draco packs others"):
        pucker.load(file.write(tmp_path / "bad.gltf"))


# Skins


def test_a_skin_without_matrices_has_the_identity(tmp_path: Path, plain: pucker.Clip) -> None:
    file = character()
    del file.json["skins"][0]["inverseBindMatrices"]
    assert_same(pucker.load(file.write(tmp_path / "bare.gltf")), plain)


def test_a_clip_without_a_mesh_whose_skin_has_no_matrices_moves_another(tmp_path: Path, plain: pucker.Clip) -> None:
    still, moving = tmp_path / "still.gltf", tmp_path / "moving.gltf"
    for path, without in ((still, ("animations",)), (moving, ("meshes",))):
        tree = json.loads(character().write(path).read_text())
        for kind in without:
            del tree[kind]
        path.write_text(json.dumps(tree))
    tree["nodes"] = [{k: v for k, v in node.items() if k not in {"mesh", "skin"}} for node in tree["nodes"]]
    del tree["skins"][0]["inverseBindMatrices"]
    moving.write_text(json.dumps(tree))
    np.testing.assert_array_equal(pucker.load(still, motion=moving).positions, plain.positions)
    with pytest.raises(pucker.Error, match="has no mesh; its clips can move a character of the same skeleton"):
        pucker.inspect(moving)


# Pictures


def pictured(textures: list[dict[str, Any]], colour: dict[str, Any], **more: Any) -> GltfFile:
    """The character with two pictures, one of WebP, and a material that shows a texture."""
    file = character()
    for kind in ("WEBP", "PNG"):
        content = io.BytesIO()
        Image.new("RGB", (4, 2), (200, 10, 10)).save(content, kind, **({"lossless": True} if kind == "WEBP" else {}))
        view = {"buffer": 0, "byteOffset": len(file.buffer), "byteLength": len(content.getvalue())}
        file.buffer += content.getvalue() + bytes(-len(content.getvalue()) % 4)
        file.add("images", {"bufferView": file.add("bufferViews", view), "mimeType": f"image/{kind.lower()}"})
    file.json["textures"] = textures
    file.add("materials", {"name": "cloth", "pbrMetallicRoughness": {"baseColorTexture": colour}, **more})
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    return file


def test_a_picture_of_webp_is_read(tmp_path: Path) -> None:
    file = pictured([{"extensions": {"EXT_texture_webp": {"source": 0}}}], {"index": 0})
    clip = pucker.load(requiring(file, "EXT_texture_webp").write_glb(tmp_path / "webp.glb"))
    picture = decoded(clip.material_list[0])
    assert picture is not None
    assert (picture.format, picture.size, picture.convert("RGB").getpixel((0, 0))) == ("WEBP", (4, 2), (200, 10, 10))


def test_a_picture_that_every_program_knows_goes_before_one_of_webp(tmp_path: Path) -> None:
    file = pictured([{"source": 1, "extensions": {"EXT_texture_webp": {"source": 0}}}], {"index": 0})
    picture = decoded(pucker.load(file.write(tmp_path / "both.gltf")).material_list[0])
    assert picture is not None
    assert picture.format == "PNG"


def test_a_picture_of_no_known_format_is_told(tmp_path: Path) -> None:
    file = pictured([{"extensions": {"KHR_texture_basisu": {"source": 2}}}], {"index": 0})
    file.add("images", {"uri": "data:image/ktx2;base64," + base64.b64encode(b"\xabKTX 20\xbb").decode()})
    clip = pucker.load(file.write(tmp_path / "ktx.gltf"))
    with pytest.warns(UserWarning, match="of material 'cloth' is left out: cannot identify image file"):
        decoded(clip.material_list[0])


@pytest.mark.parametrize("ending", [".png", " 1.png"])
def test_pictures_beside_a_packed_file_are_found(tmp_path: Path, ending: str) -> None:
    file = packed_by_meshopt(character())
    Image.new("RGB", (2, 2), (1, 2, 3)).save(tmp_path / f"cloth{ending}")
    file.add("images", {"uri": f"cloth{ending}".replace(" ", "%20")})
    file.json["textures"] = [{"source": 0}]
    file.add("materials", {"name": "cloth", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    picture = decoded(pucker.load(file.write(tmp_path / "packed.gltf")).material_list[0])
    assert picture is not None
    assert picture.getpixel((0, 0)) == (1, 2, 3)


# Texture coordinates


@pytest.mark.parametrize(
    ("transform", "placed"),
    [
        ({"offset": [0.25, 0.5]}, lambda u, v: (u + 0.25, v + 0.5)),
        ({"scale": [2.0, 0.5]}, lambda u, v: (2 * u, v / 2)),
        # A quarter of a turn counter-clockwise, v pointing down: right goes up.
        ({"rotation": np.pi / 2}, lambda u, v: (v, -u)),
        ({"offset": [0.5, 0.0], "rotation": np.pi, "scale": [2.0, 1.0]}, lambda u, v: (0.5 - 2 * u, -v)),
    ],
)
def test_texture_coordinates_are_placed(
    tmp_path: Path, transform: dict[str, Any], placed: Callable[[Array, Array], tuple[Array, Array]]
) -> None:
    colour = {"index": 0, "extensions": {"KHR_texture_transform": transform}}
    clip = pucker.load(pictured([{"source": 1}], colour).write(tmp_path / "placed.gltf"))
    u, v = placed(UV[:, 0], UV[:, 1])
    np.testing.assert_allclose(clip.uv, np.c_[u, 1 - v], atol=1e-6)


def test_a_material_shows_its_picture_by_the_set_it_names(tmp_path: Path) -> None:
    colour = {"index": 0, "texCoord": 1}
    file = pictured([{"source": 1}], colour)
    file.json["meshes"][0]["primitives"][0]["attributes"]["TEXCOORD_1"] = file.accessor(UV / 2)
    clip = pucker.load(file.write(tmp_path / "second.gltf"))
    np.testing.assert_allclose(clip.uv, np.c_[UV[:, 0] / 2, 1 - UV[:, 1] / 2], atol=1e-7)


# Keys


def moved_by(path: Path, what: str, times: list[float], values: Array, how: str, **more: Any) -> pucker.Clip:
    """A sheet whose node, or morph target along z, is moved by one sampler; 40 frames a second."""
    file = GltfFile()
    mesh = file.mesh(
        POINTS, FACES, targets=[{"POSITION": NORMALS}, {"POSITION": -NORMALS}] if what == "weights" else ()
    )
    node = file.node(mesh=mesh)
    file.animation("clip", {(node, what): (times, values)})
    file.json["animations"][0]["samplers"][0]["interpolation"] = how
    return pucker.load(file.write(path), fps=40.0, **more)


def test_keys_that_are_held_are_held_until_the_next(tmp_path: Path) -> None:
    clip = moved_by(tmp_path / "step.gltf", "translation", TIMES, np.array([[0, 0, 0], [1, 0, 0], [3.0, 0, 0]]), "STEP")
    at = np.searchsorted(TIMES, clip.times + 1e-9, side="right") - 1
    np.testing.assert_allclose(clip.positions[:, 0, 0] - POINTS[0, 0], np.array([0.0, 1.0, 3.0])[at], atol=1e-6)


def test_weights_that_are_held_are_held_until_the_next(tmp_path: Path) -> None:
    weights = np.array([[0.0, 0.0], [1.0, 0.25], [0.0, 0.5]])
    clip = moved_by(tmp_path / "step.gltf", "weights", TIMES, weights, "STEP")
    at = np.searchsorted(TIMES, clip.times + 1e-9, side="right") - 1
    np.testing.assert_allclose(clip.positions[:, 0, 2], (weights[:, 0] - weights[:, 1])[at], atol=1e-6)


def test_keys_that_splines_join_are_on_them(tmp_path: Path) -> None:
    """A cubic is its own spline."""

    def cubic(t: Array) -> Array:
        return np.asarray(4 * t**3 - 5 * t**2 + t)

    times = np.array(TIMES)
    slope = 12 * times**2 - 10 * times + 1
    along = np.array([1.0, 0.0, 0.0])
    values = np.stack([slope, cubic(times), slope], axis=1).reshape(-1, 1) * along
    clip = moved_by(tmp_path / "spline.gltf", "translation", TIMES, values, "CUBICSPLINE")
    np.testing.assert_allclose(clip.positions[:, 0, 0] - POINTS[0, 0], cubic(clip.times), atol=1e-4)


def test_turns_that_splines_join_are_turns(tmp_path: Path) -> None:
    """Half-way between two keys with tangents of 0 is half-way."""
    values = np.zeros((6, 4))
    values[1], values[4] = [0, 0, 0, 1], [0, 0, np.sqrt(0.5), np.sqrt(0.5)]
    clip = moved_by(tmp_path / "turn.gltf", "rotation", [0.0, 1.0], values, "CUBICSPLINE")
    corner = clip.positions[:, np.argmax(clip.positions[0, :, 0])]
    np.testing.assert_allclose(np.linalg.norm(corner[:, :2], axis=1), np.linalg.norm(corner[0, :2]), atol=1e-6)
    assert np.degrees(np.arctan2(corner[20, 1], corner[20, 0])) == pytest.approx(45.0, abs=1e-3)


def test_the_keys_that_splines_are_cut_at_are_limited(tmp_path: Path) -> None:
    times = np.arange(101) * 10.0
    with pytest.raises(pucker.Error, match=r"has 100001 keys of 4 numbers; the limit of memory is 1048576 bytes"):
        moved_by(
            tmp_path / "long.gltf",
            "translation",
            times.tolist(),
            np.zeros((303, 3)),
            "CUBICSPLINE",
            limits=Limits(memory=1 << 20),
        )


def test_clips_that_move_nothing_keep_no_file_from_being_read(tmp_path: Path, plain: pucker.Clip) -> None:
    file = character()
    file.add("animations", {"name": "empty", "samplers": [], "channels": []})
    path = file.write(tmp_path / "empty.gltf")
    assert pucker.inspect(path).clips == {"turn": 1.0}
    assert_same(pucker.load(path), plain)
    file.json["animations"] = file.json["animations"][1:]
    assert pucker.inspect(file.write(tmp_path / "still.gltf")).clips == {}


# What is wrong with a file


@pytest.mark.parametrize(("package", "how"), [("meshopt", packed_by_meshopt), ("DracoPy", packed_by_draco)])
def test_without_what_unpacks_it_the_extra_is_named(
    tmp_path: Path, package: str, how: Callable[[GltfFile], GltfFile]
) -> None:
    path = how(character()).write(tmp_path / "packed.gltf")
    program = f"import sys; sys.modules[{package!r}] = None; import pucker; pucker.load(sys.argv[1])"
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=False)
    by = "Draco" if package == "DracoPy" else package
    told = f"{path}: a mesh that is packed by {by} needs {package}: install the extra pucker[io]"
    assert done.stderr.splitlines()[-1] == f"pucker._core.Error: {told}"


def _packed(tree: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = tree["bufferViews"][0]["extensions"]["EXT_meshopt_compression"]
    return found


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda tree: _packed(tree).update(byteLength=10**9), "is damaged: view 0 has bytes .* of a buffer of"),
        (lambda tree: _packed(tree).update(byteLength=9), "is damaged: "),
        (
            lambda tree: _packed(tree).update(count=1 << 40),
            "view 0 unpacks to 1099511627776 rows of .* the limit of memory",
        ),
        (lambda tree: _packed(tree).pop("mode"), "is damaged: has no 'mode'"),
        (lambda tree: tree["accessors"][0].update(count=10**6), "is damaged: accessor 0 ends at byte .* of a view of"),
        (
            lambda tree: tree["accessors"][0].update(count=1 << 40),
            "accessor 0 has 1099511627776 rows .* the limit of memory",
        ),
        (lambda tree: tree["buffers"].clear(), "is damaged: "),
    ],
)
def test_a_damaged_file_is_told(tmp_path: Path, change: Callable[[dict[str, Any]], None], told: str) -> None:
    file = packed_by_meshopt(character())
    file.write_glb(tmp_path / "bad.glb")
    change(file.json)
    text = json.dumps(file.json).encode()
    text += b" " * (-len(text) % 4)
    stored = file.buffer + bytes(-len(file.buffer) % 4)
    head = b"glTF" + np.array([2, 28 + len(text) + len(stored), len(text)], "<u4").tobytes() + b"JSON"
    (tmp_path / "bad.glb").write_bytes(head + text + np.array([len(stored)], "<u4").tobytes() + b"BIN\0" + stored)
    with pytest.raises(pucker.Error, match=rf"bad\.glb: .*{told}"):
        pucker.load(tmp_path / "bad.glb")


def test_later_errors_name_the_file_that_was_given(tmp_path: Path) -> None:
    path = packed_by_meshopt(character()).write(tmp_path / "packed.gltf")
    with pytest.raises(pucker.Error, match=r"^.*packed\.gltf: clip 'turn' of 1 s, .* has more frames than") as caught:
        pucker.load(path, loops=10**6)
    assert str(caught.value).startswith(str(path))


def test_a_name_that_no_file_can_have_is_of_none(tmp_path: Path) -> None:
    file = packed_by_meshopt(character())
    file.add("images", {"uri": "a" * 300 + ".png"})
    file.json["textures"] = [{"source": 0}]
    file.add("materials", {"name": "cloth", "pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    path = file.write(tmp_path / "packed.gltf")
    assert bytes(pucker.load(path).material_list[0].texture) == b""
    tree = json.loads(path.read_text())
    tree["buffers"][0]["uri"] = "b" * 300
    path.write_text(json.dumps(tree))
    with pytest.raises(pucker.Error, match=r"packed\.gltf: is damaged: the file of buffer 0, 'bbb.* does not exist"):
        pucker.load(path)


@pytest.mark.parametrize("error", [OSError("the disk is gone"), struct.error("too large for a chunk")])
def test_what_the_system_tells_is_an_error_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def fail(*_: Any) -> bytes:
        raise error

    path = packed_by_meshopt(character()).write(tmp_path / "packed.gltf")
    monkeypatch.setattr(gltf_plain, "glb", fail)
    with pytest.raises(pucker.Error, match=rf"packed\.gltf: is damaged: {error}"):
        pucker.load(path)


def test_a_sparse_accessor_that_changes_rows_before_the_first_is_told(tmp_path: Path) -> None:
    file = packed_by_meshopt(character())
    indices, values = (file.json["accessors"][file.accessor(*each)] for each in (([-1], "i1"), ([[0.0, 0.0, 1.0]],)))
    position = file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"]
    file.json["accessors"][position]["sparse"] = {
        "count": 1,
        "indices": {"bufferView": indices["bufferView"], "componentType": 5120},
        "values": {"bufferView": values["bufferView"]},
    }
    with pytest.raises(pucker.Error, match=r"is damaged: accessor 0 of 49 rows changes row -1"):
        pucker.load(file.write(tmp_path / "sparse.gltf"))


def test_numbers_that_are_none_are_told(tmp_path: Path) -> None:
    file = packed_by_meshopt(character())
    file.json["nodes"][0]["translation"] = [float("nan"), 0.0, 0.0]
    with pytest.raises(pucker.Error, match=r"nan\.gltf: is damaged: Out of range float values"):
        pucker.load(file.write(tmp_path / "nan.gltf"))


def test_a_packed_file_takes_nothing_from_outside_its_folder(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    file = packed_by_meshopt(character())
    (tmp_path / "secret.bin").write_bytes(file.buffer)
    file.write(home / "packed.gltf")
    tree = json.loads((home / "packed.gltf").read_text())
    tree["buffers"][0]["uri"] = "../secret.bin"
    (home / "packed.gltf").write_text(json.dumps(tree))
    with pytest.raises(pucker.Error, match=r"names '\.\./secret\.bin' outside its folder; anywhere=True allows it"):
        pucker.load(home / "packed.gltf")
    assert len(pucker.load(home / "packed.gltf", anywhere=True)) == 31


def test_what_a_file_unpacks_to_is_limited(tmp_path: Path) -> None:
    path = packed_by_meshopt(character()).write(tmp_path / "packed.gltf")
    with pytest.raises(pucker.Error, match="the limit of memory is 20000 bytes"):
        pucker.load(path, limits=Limits(memory=20_000))


def viewed_by(monkeypatch: pytest.MonkeyPatch, folder: Path, commands: str) -> Path:
    """Has commands of the shell stand for the viewer; a packed file."""
    program = folder / "viewer"
    program.write_text(f"#!/bin/sh\n{commands}\n")
    program.chmod(0o755)
    monkeypatch.setattr(view_module, "viewer_program", lambda: str(program))
    return packed_by_meshopt(character()).write(folder / "packed.gltf")


def test_the_viewer_is_given_what_it_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: pucker.Clip
) -> None:
    path = viewed_by(monkeypatch, tmp_path, f'echo "$*" > "{tmp_path}/told"\nshift 5\ncp "$3" "{tmp_path}/content.glb"')
    words = [str(path), f"{tmp_path}/plain.gltf", "--headless", "--clip=turn", "--parts=joint:left"]
    assert CliRunner().invoke(cli, ["view", *words], prog_name="pucker").exit_code == 0
    told = (tmp_path / "told").read_text().split()
    assert told[:-3] == [*words, "--content", str(path)]
    assert not Path(told[-3]).exists()
    content = (tmp_path / "content.glb").read_bytes()
    assert_same(sources.open_file(path, contents={path: content}).load(), plain)


@pytest.mark.parametrize("motion", [["--motion", "{}"], ["--motion={}"]])
@pytest.mark.parametrize("parts", [["--parts", "a" * 300], [f"--parts={'a' * 300}"]])
def test_the_viewer_is_given_the_motion_that_it_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, motion: list[str], parts: list[str]
) -> None:
    path = viewed_by(monkeypatch, tmp_path, f'echo "$*" > "{tmp_path}/told"')
    words = [f"{tmp_path}/plain.gltf", *(word.format(path) for word in motion), *parts, "--clip=turn", "--headless"]
    done = CliRunner().invoke(cli, ["view", *words], prog_name="pucker")
    assert done.exit_code == 0, done.output
    told = (tmp_path / "told").read_text().split()
    assert told[:-3] == [*words, "--content", str(path)]


def test_pictures_that_a_reader_does_not_know_become_png(tmp_path: Path) -> None:
    file = pictured([{"extensions": {"EXT_texture_webp": {"source": 0}}}], {"index": 0})
    path = file.write(tmp_path / "webp.gltf")
    (tmp_path / "plain.glb").write_bytes(
        (gltf_plain.plain(path, anywhere=False, limits=Limits(), rare_pictures=False) or (b"",))[0]
    )
    picture = decoded(pucker.load(tmp_path / "plain.glb").material_list[0])
    assert picture is not None
    assert (picture.format, picture.getpixel((0, 0))) == ("PNG", (200, 10, 10))
