"""The characters of the data folder against what their files and descriptions say."""

import struct
import xml.etree.ElementTree as ET
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clip_sides import FEMALE, Index, sides
from gltf_oracle import Gltf
from numpy.typing import NDArray

import pucker

Array = NDArray[np.float64]


def lengths(positions: Array, pairs: Index) -> Array:
    return np.asarray(np.linalg.norm(positions[..., pairs[:, 0], :] - positions[..., pairs[:, 1], :], axis=-1))


def ratio_range(clip: pucker.Clip, reference: Array, percentiles: tuple[float, float]) -> Array:
    """Lowest and highest over the frames of the percentiles of the triangles' side lengths over reference lengths."""
    pairs = sides(clip.faces)
    low, high = np.percentile(lengths(clip.positions, pairs) / lengths(reference, pairs), percentiles, axis=1)
    return np.array([low.min(), high.max()])


@pytest.mark.parametrize(
    ("name", "durations"),
    [
        ("kimono_male.gltf", {"Death": 2.29, "Idle": 4.17, "Shoot_OneHanded": 0.54, "Walk": 1.25, "Walk_Carry": 1.25}),
        ("mage.glb", {"Idle": 1.07, "Walking_A": 1.07, "Jump_Full_Long": 2.33, "Lie_Down": 3.0, "T-Pose": 0.0}),
        ("female_dress.fbx", {FEMALE + "Walk": 1.04, FEMALE + "Sitting": 8.33, FEMALE + "Punch": 0.92}),
        ("kyonshi_lower.md3", {"all": 209 / 15}),
        ("tshirt_wind.zip", {"all": 250 / 30}),
    ],
)
def test_clips_last_as_long_as_the_data_says(data_dir: Path, name: str, durations: dict[str, float]) -> None:
    clips = pucker.inspect(data_dir / name).clips
    assert {clip: clips[clip] for clip in durations} == pytest.approx(durations, abs=0.0051)


@pytest.mark.parametrize("clip_name", ["Walk", "SitDown", "Death"])
def test_kimono_moves_as_the_file_says(data_dir: Path, clip_name: str) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip=clip_name, parts=["Clothes", "Band"], fps=24)
    oracle = Gltf(data_dir / "kimono_male.gltf")
    node = oracle.node("Body")
    layers = {oracle.material(p): p for p in oracle.primitives(node)}
    for frame in list(clip)[::7]:
        matrices = oracle.globals(clip_name, frame.time)
        posed = {name: oracle.pose(node, primitive, matrices) for name, primitive in layers.items()}
        garment = np.concatenate([posed["Clothes"], posed["Band"]])
        body = np.concatenate([posed["Skin"], posed["Face"]])
        assert np.abs(frame.positions[clip.weld] - garment).max() < 2e-6 * clip.height
        assert np.abs(frame.body_positions - body).max() < 1e-6 * clip.height


def test_mage_moves_as_the_file_says_rigid_parts_too(data_dir: Path) -> None:
    parts = ["Mage_Body", "Mage_Cape", "Mage_Hat"]
    oracle = Gltf(data_dir / "mage.glb")
    for part in parts:
        clip = pucker.load(data_dir / "mage.glb", clip="Jump_Full_Long", parts=[part], fps=10)
        node = oracle.node(part)
        (primitive,) = oracle.primitives(node)
        for frame in list(clip)[::6]:
            expected = oracle.pose(node, primitive, oracle.globals("Jump_Full_Long", frame.time))
            assert np.abs(frame.positions[clip.weld] - expected).max() < 2e-6 * clip.height
        uv = oracle.accessor(primitive["attributes"]["TEXCOORD_0"])
        np.testing.assert_allclose(clip.uv, np.c_[uv[:, 0], 1.0 - uv[:, 1]], atol=1e-7)
        np.testing.assert_array_equal(
            clip.stored_faces, oracle.accessor(primitive["indices"]).astype(np.int32).reshape(-1, 3)
        )


@pytest.mark.parametrize(
    ("clip_name", "low", "high"), [("Walk", 0.51, 1.53), ("Run", 0.38, 1.60), ("SitDown", 0.43, 1.48)]
)
def test_kimono_stretches_as_much_as_the_data_says(data_dir: Path, clip_name: str, low: float, high: float) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip=clip_name, parts=["Clothes", "Band"])
    oracle = Gltf(data_dir / "kimono_male.gltf")
    layers = {oracle.material(p): oracle.bind_pose(p) for p in oracle.primitives(oracle.node("Body"))}
    bind = np.empty((clip.positions.shape[1], 3))
    bind[clip.weld] = np.concatenate([layers["Clothes"], layers["Band"]])
    assert ratio_range(clip, bind, (1, 99)) == pytest.approx([low, high], abs=0.03)


def fbx_array(data: bytes, name: str) -> NDArray[Any]:
    """The first array property of the first node of that name in a binary FBX."""
    at = data.index(bytes([len(name)]) + name.encode()) + 1 + len(name)
    kind = {b"d": np.float64, b"i": np.int32}[data[at : at + 1]]
    count, encoding, size = struct.unpack_from("<III", data, at + 1)
    raw = data[at + 13 : at + 13 + size] if encoding else data[at + 13 : at + 13 + count * np.dtype(kind).itemsize]
    return np.frombuffer(zlib.decompress(raw) if encoding else raw, kind)


@pytest.mark.parametrize(
    ("clip_name", "low", "high"), [("Walk", 0.77, 1.40), ("Run", 0.63, 1.54), ("Sitting", 0.47, 1.75)]
)
def test_dress_stretches_as_much_as_the_data_says(data_dir: Path, clip_name: str, low: float, high: float) -> None:
    clip = pucker.load(data_dir / "female_dress.fbx", clip=FEMALE + clip_name, parts=["Dress"], fps=24)
    data = (data_dir / "female_dress.fbx").read_bytes()
    corners = fbx_array(data, "PolygonVertexIndex")
    polygon = np.cumsum(np.r_[0, corners[:-1] < 0])
    materials = fbx_array(data, "Materials")[polygon]
    (dress_number,) = np.flatnonzero(np.bincount(materials) == len(clip.weld))
    dress = materials == dress_number
    vertices = np.where(corners < 0, ~corners, corners)[dress]
    bind = np.empty((clip.positions.shape[1], 3))
    bind[clip.weld] = 100.0 * fbx_array(data, "Vertices").reshape(-1, 3)[vertices]
    assert len(np.unique(vertices)) == len(bind)
    assert ratio_range(clip, bind, (1, 99)) == pytest.approx([low, high], abs=0.03)


def collada_numbers(element: ET.Element, path: str, kind: type = float) -> NDArray[Any]:
    found = element.find(path)
    assert found is not None
    assert found.text is not None
    return np.array(found.text.split(), dtype=kind)


def test_cowboy_is_at_its_keys_where_the_file_says(data_dir: Path) -> None:
    text = (data_dir / "cowboy.dae").read_text().replace('xmlns="http://www.collada.org/2005/11/COLLADASchema"', "")
    root = ET.fromstring(text)
    skin = root.find(".//controller/skin")
    assert skin is not None
    sources = {"#" + str(s.get("id")): s for s in skin.findall("source")}

    def source(semantic: str) -> ET.Element:
        entry = skin.find(f"joints/input[@semantic='{semantic}']")
        assert entry is not None
        return sources[str(entry.get("source"))]

    names = collada_numbers(source("JOINT"), "Name_array", str).tolist()
    inverse = collada_numbers(source("INV_BIND_MATRIX"), "float_array").reshape(-1, 4, 4)
    shape = collada_numbers(skin, "bind_shape_matrix").reshape(4, 4)
    weight_input = skin.find("vertex_weights/input[@semantic='WEIGHT']")
    assert weight_input is not None
    weights = collada_numbers(sources[str(weight_input.get("source"))], "float_array")
    counts = collada_numbers(skin, "vertex_weights/vcount", int)
    pairs = collada_numbers(skin, "vertex_weights/v", int).reshape(-1, 2)
    share = np.zeros((len(counts), len(names)))
    np.add.at(share, (np.repeat(np.arange(len(counts)), counts), pairs[:, 0]), weights[pairs[:, 1]])
    share /= share.sum(1, keepdims=True)

    mesh = root.find(".//geometry/mesh")
    assert mesh is not None
    points = np.c_[collada_numbers(mesh, "source/float_array").reshape(-1, 3), np.ones(len(counts))]
    polygons = mesh.find("polylist")
    assert polygons is not None
    width = len(polygons.findall("input"))
    corners = collada_numbers(polygons, "p", int).reshape(-1, width)[:, 0]

    keys = {}
    for animation in root.findall(".//library_animations//animation"):
        channel = animation.find("channel")
        if channel is None:
            continue
        outputs = [s for s in animation.findall("source") if str(s.get("id")).endswith("output")]
        keys[str(channel.get("target")).split("/")[0]] = collada_numbers(outputs[0], "float_array").reshape(-1, 4, 4)
    visual = root.find(".//visual_scene")
    assert visual is not None
    parents = {child: node for node in visual.iter("node") for child in node.findall("node")}
    nodes = {str(node.get("sid")): node for node in visual.iter("node") if node.get("type") == "JOINT"}

    clip = pucker.load(data_dir / "cowboy.dae", fps=4.800001)
    assert len(clip) == 5
    for frame in clip:

        def climb(node: ET.Element, k: int = frame.index) -> Array:
            own = np.eye(4)  # the armature's translation, rotation and scale do nothing
            if str(node.get("id")) in keys:
                own = keys[str(node.get("id"))][k]
            return np.asarray(climb(parents[node], k) @ own if node in parents else own)

        bones = np.array([climb(nodes[name]) for name in names]) @ inverse @ shape
        z_up = np.einsum("vk,kij,vj->vi", share, bones, points)[:, :3]
        expected = z_up[corners][:, [0, 2, 1]] * [1, 1, -1]
        assert np.abs(frame.positions[clip.weld] - expected).max() < 2e-5 * clip.height


@pytest.mark.parametrize(
    ("name", "rest", "frames", "part", "low", "high"),
    [
        ("kyonshi_lower.md3", 180, "115:123", "l_lower", 0.84, 1.25),
        ("kyonshi_lower.md3", 180, "115:123", "l_dress", 0.85, 1.50),
        ("kyonshi_lower.md3", 0, "30:61@30", "l_lower", 0.59, 1.97),
        ("kyonshi_upper.md3", 165, "95:131@13", "u_torso", 0.63, 1.58),
    ],
)
def test_robe_stretches_as_much_as_the_data_says(
    data_dir: Path, name: str, rest: int, frames: str, part: str, low: float, high: float
) -> None:
    rate = float(frames.partition("@")[2] or 15)
    clip = pucker.load(data_dir / name, clip=frames, parts=[part], fps=rate)
    pose = pucker.load(data_dir / name, clip=f"{rest}:{rest}", parts=[part])
    bind = np.empty((clip.positions.shape[1], 3))
    bind[clip.weld] = pose.positions[0][pose.weld]
    assert ratio_range(clip, bind, (2, 98)) == pytest.approx([low, high], abs=0.03)


def test_closed_skirt_faces_outward(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kyonshi_lower.md3", clip="180:180", parts=["l_lower"])
    a, b, c = (clip.positions[0][clip.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) > 0.0


def test_shirt_has_the_bits_of_its_files(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "tshirt_wind.zip", clip="0:250", fps=90)
    assert len(clip) == 251
    with zipfile.ZipFile(data_dir / "tshirt_wind.zip") as archive:
        for k in (0, 97, 250):
            lines = archive.read(f"frames/tshirt_{k:04}.obj").decode().splitlines()
            points = np.array([line.split()[1:4] for line in lines if line.startswith("v ")], dtype=np.float64)
            np.testing.assert_array_equal(clip[k].positions[clip.weld], points)
    assert ratio_range(clip, clip.positions[0], (1, 99)) == pytest.approx([0.98, 1.24], abs=0.02)
