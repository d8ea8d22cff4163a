"""Times, units and sizes of small files whose content is known."""

import base64
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gltf_oracle import Gltf
from gltf_writer import COMPONENTS, GltfFile
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import pucker
from pucker._core import sources
from pucker.examples import grid_faces

Array = NDArray[np.float64]

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def sliding(path: Path, times: list[float], *, mesh: bool = True) -> Path:
    """A triangle whose node is at x = time."""
    file = GltfFile()
    node = file.node(name="slider", **({"mesh": file.mesh(TRIANGLE, np.array([[0, 1, 2]]))} if mesh else {}))
    file.animation("slide", {(node, "translation"): (times, [[time, 0.0, 0.0] for time in times])})
    return file.write(path)


def places(clip: pucker.Clip) -> Array:
    return np.asarray(clip.positions[:, 0, 0])


# Times


@pytest.mark.parametrize("fps", [24.0, 25.0, 29.97, 30.0, 50.0, 60.0])
@pytest.mark.parametrize("frames", [2, 40, 41, 100, 999])
def test_last_frame_is_there_whatever_rounding_the_file_has(tmp_path: Path, fps: float, frames: int) -> None:
    duration = float(np.float32((frames - 1) / fps))
    clip = pucker.load(sliding(tmp_path / "slide.gltf", [0.0, duration]), fps=fps)
    assert len(clip) == frames
    np.testing.assert_array_equal(clip.times, np.arange(frames) / fps)
    assert places(clip)[-1] == pytest.approx(duration, rel=1e-7)
    np.testing.assert_allclose(places(clip), clip.times, rtol=1e-6)


def test_duration_that_a_file_rounds_down_keeps_its_last_frame() -> None:
    character = sources.Character(3, [[0, 1, 2]])
    source = sources.from_poses(
        "turn", "test", character, TRIANGLE, [("turn", 1.666666626, lambda time: TRIANGLE + time)]
    )
    clip = source.load(fps=24)
    assert len(clip) == 41
    assert places(clip)[-1] == 1.666666626
    assert len(source.load(fps=24, loops=100)) == 4001


def test_a_clip_is_chosen_by_its_action_too(tmp_path: Path) -> None:
    file = GltfFile()
    node = file.node(name="slider", mesh=file.mesh(TRIANGLE, np.array([[0, 1, 2]])))
    for number, name in enumerate(["Man|Walk", "Man|Run", "Walk", "Man|Jump", "Woman|Jump"]):
        file.animation(name, {(node, "translation"): ([0.0, 1.0 + number], [[0, 0, 0], [1, 0, 0]])})
    path = file.write(tmp_path / "clips.gltf")
    assert pucker.load(path, clip="Run").times[-1] == 2.0
    assert pucker.load(path, clip="Walk").times[-1] == 3.0
    assert pucker.load(path, clip="Man|Walk").times[-1] == 1.0
    with pytest.raises(ValueError, match=r"several clips are named 'Jump'; there are: Man\|Walk, "):
        pucker.load(path, clip="Jump")
    with pytest.raises(ValueError, match="no clip is named 'Man'"):
        pucker.load(path, clip="Man")


@pytest.mark.parametrize("name", ["Death", "Idle", "Jump", "Roll", "Run", "Shoot_OneHanded", "Walk"])
def test_clips_of_the_kimono_have_all_frames_they_were_made_of(data_dir: Path, name: str) -> None:
    path = data_dir / "kimono_male.gltf"
    clip = pucker.load(path, clip=name, parts=["Band"], fps=24)
    ends = [max(times) for times, _ in Gltf(path).clip_keys(name).values()]
    assert len(clip) == round(24 * max(ends)) + 1


@given(
    steps=st.lists(st.floats(0.01, 2.0), min_size=1, max_size=5),
    fps=st.sampled_from([7.0, 24.0, 30.0, 60.0]),
    loops=st.integers(1, 5),
)
def test_a_clip_in_loops_stays_inside_its_frames(steps: list[float], fps: float, loops: int) -> None:
    times = np.cumsum([0.0, *steps])
    positions = TRIANGLE + times[:, None, None] * [1.0, 0.0, 0.0]
    character = sources.Character(3, [[0, 1, 2]])
    clip = sources.from_frames("steps", "test", character, positions, times).load(fps=fps, loops=loops)
    shown, duration = places(clip), times[-1]
    assert shown.min() >= 0.0
    assert shown.max() <= duration * (1 + 1e-12)
    # The time in the loop, up to the tolerance by which the end of one is the start of the next.
    away = np.abs(shown - clip.times % duration)
    assert np.minimum(away, duration - away).max() < 1e-6 * max(1.0, clip.times[-1])


def test_uneven_frames_in_loops_are_where_they_should_be() -> None:
    """The end of a loop falls on a frame only up to rounding."""
    end = 31 / 30
    character = sources.Character(3, [[0, 1, 2]])
    times = np.array([0.0, 0.37 * end, end])
    clip = sources.from_frames("uneven", "test", character, TRIANGLE + times[:, None, None], times).load(
        fps=30, loops=4
    )
    expected = np.arange(125) % 31 / 30
    expected[-1] = end
    np.testing.assert_allclose(places(clip), expected, atol=1e-9)


@pytest.mark.parametrize("start", [0.0, 0.5, 1 / 24, -0.25])
def test_clip_begins_at_its_first_key(tmp_path: Path, start: float) -> None:
    clip = pucker.load(sliding(tmp_path / "slide.gltf", [start, start + 0.5, start + 2.0]), fps=10)
    assert clip.clips["slide"] == pytest.approx(2.0, rel=1e-6)
    assert len(clip) == 21
    np.testing.assert_allclose(places(clip), start + clip.times, atol=1e-6)


# Collada


def collada(*, unit: str = "", mesh: bool = True, up: str = "Y_UP") -> str:
    geometry = """<library_geometries><geometry id="g" name="g"><mesh>
      <source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 2 0</float_array><technique_common>
        <accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
      <vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
      <triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
      </mesh></geometry></library_geometries>"""
    return f"""<?xml version="1.0"?>
    <COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
    <asset>{unit}<up_axis>{up}</up_axis></asset>{geometry if mesh else ""}
    <library_animations><animation id="a">
      <source id="t"><float_array id="ta" count="2">0 1</float_array><technique_common>
        <accessor source="#ta" count="2" stride="1"><param name="TIME" type="float"/></accessor></technique_common>
      </source>
      <source id="o"><float_array id="oa" count="6">0 0 0 10 0 0</float_array><technique_common>
        <accessor source="#oa" count="2" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
        <param name="Z" type="float"/></accessor></technique_common></source>
      <source id="i"><Name_array id="ia" count="2">LINEAR LINEAR</Name_array><technique_common>
        <accessor source="#ia" count="2" stride="1"><param name="INTERPOLATION" type="name"/></accessor>
        </technique_common></source>
      <sampler id="s"><input semantic="INPUT" source="#t"/><input semantic="OUTPUT" source="#o"/>
        <input semantic="INTERPOLATION" source="#i"/></sampler>
      <channel source="#s" target="n/move"/></animation></library_animations>
    <library_visual_scenes><visual_scene id="scene"><node id="n" name="n"><translate sid="move">0 0 0</translate>
      {'<instance_geometry url="#g"/>' if mesh else '<node id="m" name="m" type="JOINT"/>'}</node></visual_scene>
    </library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>"""


@pytest.mark.parametrize("meter", [None, "1", "0.1", "0.01", "0.0254", "1000"])
@pytest.mark.parametrize("up", ["Y_UP", "Z_UP"])
def test_collada_keeps_its_unit(tmp_path: Path, meter: str | None, up: str) -> None:
    unit = "" if meter is None else f'<unit name="some" meter="{meter}"/>'
    (tmp_path / "slide.dae").write_text(collada(unit=unit, up=up))
    clip = pucker.load(tmp_path / "slide.dae", fps=1)
    x, y, z = np.eye(3) if up == "Y_UP" else np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    expected = np.array([0 * z, x, 2 * y])
    np.testing.assert_allclose(clip.positions, [expected, expected + 10 * x], atol=1e-6)


@pytest.mark.parametrize("meter", ["0", "-1"])
def test_collada_with_a_unit_that_is_none_is_refused(tmp_path: Path, meter: str) -> None:
    (tmp_path / "slide.dae").write_text(collada(unit=f'<unit meter="{meter}"/>'))
    with pytest.raises(pucker.Error, match=r"slide\.dae: the unit of length must be finite and > 0 metres"):
        pucker.load(tmp_path / "slide.dae")


# Files without a mesh


@pytest.mark.parametrize("kind", ["dae", "gltf"])
def test_file_without_a_mesh_is_refused(tmp_path: Path, kind: str) -> None:
    path = tmp_path / f"bones.{kind}"
    if kind == "dae":
        path.write_text(collada(mesh=False))
    else:
        sliding(path, [0.0, 1.0], mesh=False)
    for read in (pucker.load, pucker.inspect):
        with pytest.raises(pucker.Error, match=rf"bones\.{kind}: has no mesh"):
            read(path)


# Size


def rising(rng: np.random.Generator, turn: list[int]) -> Array:
    """A sheet that lies flat at first, then stands up."""
    flat = np.c_[rng.uniform(0, 1, 12), np.zeros(12), rng.uniform(0, 2, 12)]
    return np.stack([flat, flat[:, turn]])


@pytest.mark.parametrize("turn", [[0, 2, 1], [0, 1, 2]])
def test_cloth_that_lies_flat_at_first_has_a_size(rng: np.random.Generator, turn: list[int]) -> None:
    positions = rising(rng, turn)
    clip = pucker.Clip.from_arrays(np.arange(12).reshape(-1, 3), positions, [0, 1])
    assert clip.height == np.ptp(positions[0], axis=0).max()
    pucker.Wrinkler(clip, pucker.Params(min_width=0.0075 * clip.height))


def test_size_of_what_stands_is_its_height(rng: np.random.Generator) -> None:
    positions: Any = rng.uniform(size=(1, 12, 3)) * [1.0, 3.0, 1.0]
    clip = pucker.Clip.from_arrays(np.arange(12).reshape(-1, 3), positions, [0])
    assert clip.height == np.ptp(positions[0, :, 1])


# The sheet of 3 by 3 points (x, y, xy/4), as Google's library packs it: 14 bits a coordinate, Edgebreaker.
DRACO = base64.b64decode(
    "RFJBQ08CAgEBAAAACQgACAIAA3/aB/8BEQH/AAABAAkDAAACAAEBAA83AUABAP///w8A/f8AwP8DAPz/AMD/DwAAAP7//w8AAgD///8HAAQA/3//DwD8"
    "f/8/APD/AQAAAAD/PwAAAAAAAAAAAAAAAAAAAAAAQA4="
)


def sheet_of_draco(path: Path, indices: str) -> Path:
    """The sheet with a node that rises by 2 in a second, packed, unless `indices` is empty: the type of its indices."""
    y, x = (each.ravel() for each in np.mgrid[:3, :3].astype(float))
    faces = np.array([[a, a + 1, a + 4] for a in (0, 1, 3, 4)] + [[a, a + 4, a + 3] for a in (0, 1, 3, 4)])
    file = GltfFile()
    mesh = file.mesh(np.stack([x, y, 0.25 * x * y], axis=1), faces)
    node = file.node(mesh=mesh)
    file.animation("rise", {(node, "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])})
    if indices:
        view = file.add("bufferViews", {"buffer": 0, "byteOffset": len(file.buffer), "byteLength": len(DRACO)})
        file.buffer += DRACO + bytes(-len(DRACO) % 4)
        primitive = file.json["meshes"][mesh]["primitives"][0]
        for accessor in (primitive["attributes"]["POSITION"], primitive["indices"]):
            del file.json["accessors"][accessor]["bufferView"]
        file.json["accessors"][primitive["indices"]]["componentType"] = COMPONENTS[indices]
        extension = "KHR_draco_mesh_compression"
        primitive["extensions"] = {extension: {"bufferView": view, "attributes": {"POSITION": 0}}}
        file.json["extensionsUsed"] = file.json["extensionsRequired"] = [extension]
    return file.write(path)


def test_a_mesh_that_draco_packs_is_what_was_packed(tmp_path: Path) -> None:
    plain, unpacked = (
        pucker.load(sheet_of_draco(tmp_path / f"sheet{indices}.gltf", indices)) for indices in ("", "u2")
    )
    assert unpacked.positions.shape == plain.positions.shape
    keys = [list(map(tuple, np.rint(64 * clip.positions[0]).astype(int).tolist())) for clip in (plain, unpacked)]
    order = [keys[1].index(key) for key in keys[0]]
    np.testing.assert_allclose(unpacked.positions[:, order], plain.positions, atol=1e-3)
    number = np.argsort(order)
    assert {tuple(sorted(number[face])) for face in unpacked.faces} == {tuple(sorted(face)) for face in plain.faces}


def test_indices_of_four_bytes_that_draco_packs_are_told_by_the_core(tmp_path: Path) -> None:
    with pytest.raises(pucker.Error, match=r"packed\.gltf: mesh 0 is packed by Draco with indices of four bytes"):
        sources.open_file(sheet_of_draco(tmp_path / "packed.gltf", "u4"))


def test_a_skin_without_matrices_is_told_by_the_core(tmp_path: Path) -> None:
    file = GltfFile()
    bound = {"joints": np.zeros((3, 4), int), "weights": np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))}
    skin = file.add("skins", {"joints": [file.node(name="hips")]})
    file.node(mesh=file.mesh(np.eye(3), np.array([[0, 1, 2]]), **bound), skin=skin)
    with pytest.raises(pucker.Error, match=r"bare\.gltf: skin 0 has no inverseBindMatrices"):
        sources.open_file(file.write(tmp_path / "bare.gltf"))


@pytest.mark.parametrize("own_vertices", [False, True])
@pytest.mark.parametrize("smooth", [0, 1])
def test_cloth_that_is_modelled_from_both_sides_is_one_surface(tmp_path: Path, own_vertices: bool, smooth: int) -> None:
    y, x = (each.ravel() for each in np.mgrid[:5, :5].astype(float))
    points = np.stack([x, y, 0.1 * x * y], axis=1)
    faces = grid_faces(4, 4)
    clips = []
    for sides in (1, 2):
        file = GltfFile()
        other = faces[:, ::-1] + (len(points) if own_vertices else 0)
        stored = np.concatenate([points, points]) if own_vertices and sides == 2 else points
        node = file.node(mesh=file.mesh(stored, np.concatenate([faces, other]) if sides == 2 else faces))
        file.animation("rise", {(node, "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])})
        clips.append(pucker.load(file.write(tmp_path / f"{sides}.gltf"), smooth=smooth))
    one, two = clips
    np.testing.assert_array_equal(two.mesh.faces, one.mesh.faces)
    np.testing.assert_array_equal(two.positions, one.positions)
    assert (one.report.other_sides, two.report.other_sides) == (0, len(faces))
    np.testing.assert_array_equal(two.other_sides, np.arange(len(faces), 2 * len(faces)))
    assert two.report.duplicate_faces == 0
    assert two.mesh.report.boundary_edges == one.mesh.report.boundary_edges > 0
    assert pickle.loads(pickle.dumps(two)).report.other_sides == len(faces)


def test_colours_beyond_one_give_back_all_light(tmp_path: Path) -> None:
    """As rounding makes them, and what glows."""
    file = GltfFile()
    cloth = file.mesh(np.eye(3), np.array([[0, 1, 2]]))
    paint = {"name": "sun", "pbrMetallicRoughness": {"baseColorFactor": [1.0000001, 2.5, 0.25, 1.0]}}
    file.json["meshes"][cloth]["primitives"][0]["material"] = file.add("materials", paint)
    node = file.node(mesh=cloth)
    file.animation("move", {(node, "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])})
    (material,) = pucker.load(file.write(tmp_path / "sun.gltf")).material_list
    assert list(material.color) == [1.0, 1.0, 0.25, 1.0]
