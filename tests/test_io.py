"""Clips from files against evaluations that share no code with the library, and every error a file can cause."""

import gc
import pickle
import shutil
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from clip_sides import FEMALE, Index, sides
from gltf_oracle import Gltf
from numpy.typing import NDArray

import pucker

COWBOY_CLOTH = [
    f"joint:{name}" for name in ("Torso", "Chest", "Upper_Arm_*", "Lower_Arm_*", "Upper_Leg_*", "Lower_Leg_*")
]


def triangles_per_edge(faces: Index) -> NDArray[np.int64]:
    return np.unique(np.sort(sides(faces), axis=1), axis=0, return_counts=True)[1]


# Counts of data/README.md


@pytest.mark.parametrize(
    ("name", "triangles", "named", "skinned", "clips", "joints"),
    [
        ("kimono_male.gltf", 2540, 2540, 2540, 17, 23),
        ("mage.glb", 5683, 5683, 4029, 76, 41),
        ("female_dress.fbx", 1786, 1786, 1786, 11, 31),
        ("cowboy.dae", 1420, 1420, 1420, 1, 16),
        ("kyonshi_lower.md3", 532, 532, 0, 1, 0),
        ("kyonshi_upper.md3", 1118, 1118, 0, 1, 0),
        ("tshirt_wind.zip", 2745, 0, 0, 1, 0),
    ],
)
def test_a_file_tells_what_it_holds(
    data_dir: Path, name: str, triangles: int, named: int, skinned: int, clips: int, joints: int
) -> None:
    info = pucker.inspect(data_dir / name)
    assert (info.triangles, len(info.clips), len(info.joints)) == (triangles, clips, joints)
    assert sum(info.nodes.values()) == sum(info.materials.values()) == named
    assert sum(info.joints.values()) == skinned


@pytest.mark.parametrize(
    ("name", "clip", "parts", "triangles", "stored", "welded", "boundary", "non_manifold"),
    [
        ("kimono_male.gltf", "Walk", ["Clothes"], 960, 1940, 522, 90, 0),
        ("kimono_male.gltf", "Walk", ["Clothes", "Band"], 1252, 2516, None, None, 0),
        ("mage.glb", "Walking_A", ["Mage_Body"], 1230, 1275, 629, None, None),
        ("mage.glb", "Walking_A", ["Mage_Arm*"], 936, None, None, None, None),
        ("female_dress.fbx", FEMALE + "Walk", ["Dress"], 372, None, 205, 56, 12),
        ("female_dress.fbx", FEMALE + "Idle", None, 1786, None, 903, None, None),
        ("cowboy.dae", None, COWBOY_CLOTH, 658, None, None, None, None),
        ("cowboy.dae", None, None, 1420, None, 740, 60, 5),
        ("kyonshi_lower.md3", "115:123", ["l_lower"], 256, 192, 130, 0, 0),
        ("kyonshi_lower.md3", "115:123", ["l_dress"], 32, 32, 32, 32, 0),
        ("kyonshi_upper.md3", "95:131@13", ["u_torso"], 568, 369, 286, None, None),
        ("tshirt_wind.zip", "0:250@90", None, 2745, 1426, 1426, 111, 0),
    ],
)
def test_counts_are_those_of_the_data(
    data_dir: Path,
    name: str,
    clip: str | None,
    parts: list[str] | None,
    triangles: int,
    stored: int | None,
    welded: int | None,
    boundary: int | None,
    non_manifold: int | None,
) -> None:
    loaded = pucker.load(data_dir / name, clip=clip, parts=parts)
    counts = triangles_per_edge(loaded.faces)
    assert len(loaded.faces) == loaded.report.triangles == triangles
    for value, expected in [
        (len(loaded.weld), stored),
        (loaded.positions.shape[1], welded),
        (int((counts == 1).sum()), boundary),
        (int((counts > 2).sum()), non_manifold),
    ]:
        assert expected is None or value == expected
    assert loaded.report.mesh.boundary_edges == (counts == 1).sum()
    assert loaded.report.mesh.non_manifold_edges == (counts > 2).sum()
    np.testing.assert_array_equal(loaded.weld[loaded.stored_faces], loaded.faces)


# Positions


def test_fbx_with_z_up_is_turned(data_dir: Path, tmp_path: Path) -> None:
    data = bytearray((data_dir / "female_dress.fbx").read_bytes())
    for name, value in ((b"UpAxis", 2), (b"FrontAxis", 1), (b"FrontAxisSign", -1)):
        at = data.index(b"S" + struct.pack("<I", len(name)) + name + b"S")
        for _ in range(4):
            at += 5 + struct.unpack_from("<I", data, at + 1)[0]
        struct.pack_into("<i", data, at + 1, value)
    (tmp_path / "z_up.fbx").write_bytes(data)
    plain = pucker.load(data_dir / "female_dress.fbx", clip=FEMALE + "Walk")
    turned = pucker.load(tmp_path / "z_up.fbx", clip=FEMALE + "Walk")
    expected = plain.positions[..., [0, 2, 1]] * [1, 1, -1]
    np.testing.assert_allclose(turned.positions, expected, atol=1e-9 * plain.height)


# Sampling


def test_frames_are_at_multiples_of_the_interval(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"], fps=24)
    assert len(clip) == 31
    np.testing.assert_array_equal(clip.times, np.arange(31) / 24)


def test_loops_repeat_the_clip_and_end_on_its_last_pose(data_dir: Path) -> None:
    path = data_dir / "kyonshi_lower.md3"
    once = pucker.load(path, clip="30:61@30", parts=["l_lower"])
    thrice = pucker.load(path, clip="30:61@30", parts=["l_lower"], loops=3)
    assert (len(once), len(thrice)) == (32, 94)
    np.testing.assert_array_equal(thrice.times, np.arange(94) / 30)
    assert np.abs(once.positions[0] - once.positions[-1]).max() > 0.1 * once.height
    poses = [*range(31), *range(31), *range(32)]
    np.testing.assert_array_equal(thrice.positions, once.positions[poses])


def test_pose_without_length_is_one_frame(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "mage.glb", clip="T-Pose", parts=["Mage_Body"])
    np.testing.assert_array_equal(clip.times, [0.0])


# Parts, materials, body


def test_one_part_need_not_be_in_a_list(data_dir: Path) -> None:
    alone, listed = (
        pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=parts, fps=2.0)
        for parts in ("Clothes", ["Clothes"])
    )
    np.testing.assert_array_equal(alone.faces, listed.faces)
    assert alone.parts == ["Clothes"]


def test_a_binary_gltf_file_is_read_under_the_ending_of_the_other_kind(data_dir: Path, tmp_path: Path) -> None:
    shutil.copy(data_dir / "mage.glb", tmp_path / "mage.gltf")
    one, other = (
        pucker.load(path, clip="Walking_A", parts=["Mage_Body"])
        for path in (data_dir / "mage.glb", tmp_path / "mage.gltf")
    )
    np.testing.assert_array_equal(other.positions, one.positions)
    assert other.uv is not None


def test_a_path_that_is_none_is_named() -> None:
    with pytest.raises(TypeError, match=r"^path must be a str or os.PathLike, got 3$"):
        pucker.load(3)  # type: ignore[arg-type]


def test_garment_and_body_are_the_whole_character(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    assert len(clip.faces) + len(clip.body_faces) == 2540
    assert len(clip.weld) + clip.body_positions.shape[1] == 4620
    names = [material.name for material in clip.material_list]
    assert {names[k] for k in np.unique(clip.materials)} == {"Clothes", "Band"}
    assert {names[k] for k in np.unique(clip.body_materials)} == {"Skin", "Face"}
    everything = np.concatenate([clip.positions[0], clip.body_positions[0]])
    assert clip.height == np.ptp(everything[:, 1])
    assert clip.uv.shape == clip.body_uv.shape == (0, 2)


def test_body_weld_joins_only_what_stays_together(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    first = np.unique(clip.body_weld, return_index=True)[1]
    assert len(first) < len(clip.body_weld)
    apart = np.abs(clip.body_positions - clip.body_positions[:, first[clip.body_weld]]).max()
    assert apart < 2e-6 * clip.height


def test_textures_are_the_bytes_in_the_file(data_dir: Path) -> None:
    clip = pucker.load(data_dir / "mage.glb", clip="T-Pose")
    oracle = Gltf(data_dir / "mage.glb")
    (material,) = clip.material_list
    assert material.texture == oracle.view(oracle.json["images"][0]["bufferView"])
    assert material.texture.startswith(b"\x89PNG")
    assert material.color == [1.0, 1.0, 1.0, 1.0]


def test_texture_that_is_not_there_leaves_the_colour(data_dir: Path) -> None:
    (material,) = pucker.load(data_dir / "cowboy.dae").material_list
    assert (material.texture_name, material.texture) == ("character Texture.png", b"")


def test_texture_next_to_the_model_is_read(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "cowboy.dae").write_bytes((data_dir / "cowboy.dae").read_bytes())
    (tmp_path / "character Texture.png").write_bytes(b"picture")
    (material,) = pucker.load(tmp_path / "cowboy.dae").material_list
    assert material.texture == b"picture"


def test_colours_are_those_of_the_file(data_dir: Path) -> None:
    materials = pucker.load(data_dir / "kimono_male.gltf", clip="Walk").material_list
    oracle = Gltf(data_dir / "kimono_male.gltf")
    expected = {
        m["name"]: m["pbrMetallicRoughness"]["baseColorFactor"] for m in oracle.json["materials"] if m["name"] != ""
    }
    assert {m.name: m.color for m in materials} == {name: pytest.approx(color) for name, color in expected.items()}


def test_parts_are_a_union_in_the_order_of_the_file(data_dir: Path) -> None:
    path = data_dir / "kimono_male.gltf"
    plain = pucker.load(path, clip="Walk", parts=["Clothes", "Band"])
    mixed = pucker.load(path, clip="Walk", parts=["Band", "Cl*", "Clothes"])
    np.testing.assert_array_equal(mixed.faces, plain.faces)
    assert len(pucker.load(path, clip="Walk", parts=["joint:*"]).faces) == 2540
    head = pucker.inspect(path).joints["Head"]
    assert len(pucker.load(path, clip="Walk", parts=["joint:Head"]).faces) == head > 0


# Errors


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("kimono_male.gltf", {}, "choose one of: Death, Defeat"),
        ("kimono_male.gltf", {"clip": "walk"}, "'walk' \\(did you mean 'Walk'\\?\\); there are: Death"),
        (
            "kimono_male.gltf",
            {"clip": "Walk", "parts": ["Coat"]},
            "'Coat' .*Skin, Clothes, Band, Face.*nodes: Body.*Hips",
        ),
        ("kimono_male.gltf", {"clip": "Walk", "parts": ["joint:Tail"]}, "'joint:Tail'"),
        ("kimono_male.gltf", {"clip": "Walk", "parts": ["C*s"]}, r"'C\*s'"),
        ("kimono_male.gltf", {"clip": "Walk", "parts": [""]}, "''"),
        ("kyonshi_lower.md3", {"clip": "0:210"}, "209"),
        ("kyonshi_lower.md3", {"clip": "run"}, "'run'; there are: all, FIRST:LAST"),
        ("kyonshi_lower.md3", {"parts": ["joint:Head"]}, "joints.*none"),
        ("cowboy.dae", {"fps": 0.0}, "fps must be finite and > 0, got 0"),
        ("cowboy.dae", {"loops": 0}, "loops must be >= 1, got 0"),
    ],
)
def test_wrong_choices_are_refused(data_dir: Path, name: str, arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pucker.load(data_dir / name, **arguments)


def test_one_name_need_not_be_in_a_list(data_dir: Path) -> None:
    one, listed = (pucker.load(data_dir / "cowboy.dae", parts=parts) for parts in ("joint:Torso", ["joint:Torso"]))
    np.testing.assert_array_equal(one.faces, listed.faces)


@pytest.mark.parametrize("name", ["a.gltf", "a.glb", "a.fbx", "a.dae", "a.md3", "a.zip", "a.obj", "a.png", "a"])
@pytest.mark.parametrize("content", [b"", b"\x89PNG\r\n\x1a\n" + bytes(range(256))])
def test_foreign_files_are_refused(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    for read in (pucker.load, pucker.inspect):
        with pytest.raises(pucker.Error, match=name):
            read(tmp_path / name)


def test_missing_files_and_empty_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(pucker.Error, match="no such file"):
        pucker.load(tmp_path / "none.glb")
    with pytest.raises(pucker.Error, match="no OBJ file"):
        pucker.load(tmp_path)


def test_file_without_animation_can_be_inspected_but_not_loaded(data_dir: Path, tmp_path: Path) -> None:
    text = (data_dir / "kimono_male.gltf").read_text().replace('"animations"', '"extras"', 1)
    (tmp_path / "still.gltf").write_text(text)
    assert pucker.inspect(tmp_path / "still.gltf").clips == {}
    with pytest.raises(pucker.Error, match="has no animation"):
        pucker.load(tmp_path / "still.gltf")


def test_a_picture_of_another_machine_is_looked_for_in_the_folders_beside(data_dir: Path, tmp_path: Path) -> None:
    text = (data_dir / "cowboy.dae").read_text()
    written, name = "character%20Texture.png", "skin.png"
    assert written in text
    places = [tmp_path / "Assets" / name, tmp_path / "art" / "Assets" / name, tmp_path / name]
    model = tmp_path / "cowboy.dae"

    def picture(path: str) -> bytes:
        model.write_text(text.replace(written, path))
        (material,) = pucker.load(model).material_list
        return bytes(material.texture)

    # What is nearest to the path as it stands comes first.
    for k, place in enumerate(places):
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(b"picture %d" % k)
    assert picture("C:\\work\\art\\Assets\\" + name) == b"picture 1"
    assert picture("/home/someone/Assets/" + name) == b"picture 0"
    assert picture("/home/someone/textures/" + name) == b"picture 2"
    places[2].unlink()
    assert picture("/home/someone/textures/" + name) == b"picture 0"
    places[0].unlink()
    assert picture("/home/someone/textures/" + name) == b""


def test_damaged_collada_lists_are_refused(data_dir: Path, tmp_path: Path) -> None:
    text = (data_dir / "cowboy.dae").read_text()
    at = text.index("<p>") + 40
    (tmp_path / "damaged.dae").write_text(text[:at] + "x" + text[at + 1 :])
    with pytest.raises(pucker.Error, match="<p>"):
        pucker.load(tmp_path / "damaged.dae")


def test_tags_in_comments_of_collada_files_are_none(data_dir: Path, tmp_path: Path) -> None:
    text = (data_dir / "cowboy.dae").read_text()
    at = text.index("<library_geometries")
    comments = "<!-- each <vcount> > 2 --><!-- <p> --><extra><note><![CDATA[<v>x</v>]]></note></extra>"
    (tmp_path / "told.dae").write_text(text[:at] + comments + text[at:])
    assert len(pucker.load(tmp_path / "told.dae").faces) == 1420
    # A list behind them is still looked at.
    (tmp_path / "damaged.dae").write_text(text[:at] + comments + text[at:].replace("<p>", "<p>x", 1))
    with pytest.raises(pucker.Error, match="<p>"):
        pucker.load(tmp_path / "damaged.dae")


def test_position_that_is_not_finite_is_refused(data_dir: Path, tmp_path: Path) -> None:
    oracle = Gltf(data_dir / "mage.glb")
    data = bytearray((data_dir / "mage.glb").read_bytes())
    keys = next(a for a in oracle.json["animations"] if a["name"] == "Idle")
    for joint in keys["channels"]:
        if joint["target"]["path"] == "translation":
            accessor = oracle.json["accessors"][keys["samplers"][joint["sampler"]]["output"]]
            view = oracle.json["bufferViews"][accessor["bufferView"]].get("byteOffset", 0)
            start = len(data) - len(oracle.buffer) + view + accessor.get("byteOffset", 0)
            struct.pack_into("<f", data, start, np.nan)
    (tmp_path / "nan.glb").write_bytes(data)
    with pytest.raises(pucker.Error, match=r"vertex .*finite .*'Idle'"):
        pucker.load(tmp_path / "nan.glb", clip="Idle")


# The clip as a Python object

FACES = np.array([[0, 1, 2], [4, 3, 5]])
POSITIONS = np.array([[[0, 0, 0], [1, 0, 0], [0, 2, 0], [1, 0, 0], [0, 2, 0], [1, 2, 0]]] * 2, np.float64)
TIMES = [0.0, 0.5]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int16])
def test_any_number_type_and_memory_order(dtype: type) -> None:
    clip = pucker.Clip.from_arrays(
        np.asfortranarray(FACES, dtype=dtype), np.asfortranarray(POSITIONS, dtype=dtype), TIMES
    )
    np.testing.assert_array_equal(clip.faces, [[0, 1, 2], [2, 1, 3]])
    np.testing.assert_array_equal(clip.positions[:, clip.weld], POSITIONS)
    assert (clip.faces.dtype, clip.positions.dtype, clip.weld.dtype) == (np.int32, np.float64, np.int32)


def test_arrays_can_stay_unwelded() -> None:
    uv = np.linspace(0, 1, 12).reshape(6, 2)
    clip = pucker.Clip.from_arrays(FACES, POSITIONS, TIMES, uv=uv, weld=False)
    np.testing.assert_array_equal(clip.faces, FACES)
    np.testing.assert_array_equal(clip.positions, POSITIONS)
    np.testing.assert_array_equal(clip.uv, uv)
    np.testing.assert_array_equal(clip.weld, np.arange(6))


@pytest.mark.parametrize(
    ("faces", "positions", "times", "uv", "words"),
    [
        (FACES[:, :2], POSITIONS, TIMES, None, "faces"),
        (FACES + 0.5, POSITIONS, TIMES, None, "faces"),
        (FACES + 1, POSITIONS, TIMES, None, "got 6 in face 1"),
        (FACES - 1, POSITIONS, TIMES, None, "got -1 in face 0"),
        (FACES, POSITIONS[0], TIMES, None, "positions"),
        (FACES, POSITIONS[..., :2], TIMES, None, "positions"),
        (FACES, POSITIONS[:1], TIMES, None, "positions"),
        (FACES, POSITIONS, [[0.0, 0.5]], None, "times"),
        (FACES, POSITIONS, [0.5, 0.5], None, "times must strictly increase"),
        (FACES, POSITIONS, [0.0, np.inf], None, "times must be finite"),
        (FACES, POSITIONS[:0], [], None, "at least one frame"),
        (FACES, POSITIONS, TIMES, np.zeros((4, 2)), "uv"),
        (FACES, POSITIONS, TIMES, np.full((6, 2), np.nan), "uv must be finite"),
        (FACES, np.where(POSITIONS == 2, np.nan, POSITIONS), TIMES, None, "frame 0, vertex 2"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(faces: Any, positions: Any, times: Any, uv: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        pucker.Clip.from_arrays(faces, positions, times, uv=uv)


def walk(data_dir: Path) -> pucker.Clip:
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])


ARRAYS = [
    *("faces", "positions", "rest", "times", "weld", "stored_faces", "uv", "materials"),
    *("body_faces", "body_positions", "body_uv", "body_materials", "body_weld"),
]


def test_arrays_are_read_only_views_that_outlive_the_clip(data_dir: Path) -> None:
    clip = walk(data_dir)
    for name in ARRAYS:
        array = getattr(clip, name)
        assert not array.flags.writeable
        assert array.flags.c_contiguous
        assert array.size == 0 or np.shares_memory(array, getattr(clip, name)), name
    frame = clip[3]
    assert np.shares_memory(frame.positions, clip.positions)
    positions, expected = frame.positions, clip.positions[3].copy()
    del clip, frame, array
    gc.collect()
    np.testing.assert_array_equal(positions, expected)


def test_clip_is_a_sequence_of_frames(data_dir: Path) -> None:
    clip = walk(data_dir)
    assert [frame.index for frame in clip] == list(range(len(clip)))
    np.testing.assert_array_equal([frame.time for frame in clip], clip.times)
    assert clip[-1].index == len(clip) - 1
    np.testing.assert_array_equal(clip[-2].positions, clip.positions[-2])
    for index in (len(clip), -len(clip) - 1):
        with pytest.raises(IndexError):
            clip[index]


@pytest.mark.parametrize(("name", "clip_name"), [("kimono_male.gltf", "Walk"), ("mage.glb", "T-Pose")])
def test_pickled_clip_has_the_same_bits(data_dir: Path, name: str, clip_name: str) -> None:
    clip = pucker.load(data_dir / name, clip=clip_name, parts=["Clothes" if name.startswith("kimono") else "Mage_Body"])
    copy = pickle.loads(pickle.dumps(clip))
    for array in ARRAYS:
        np.testing.assert_array_equal(getattr(copy, array), getattr(clip, array))
    assert (copy.name, copy.parts, copy.clips, copy.height) == (clip.name, clip.parts, clip.clips, clip.height)
    for ours, theirs in zip(clip.material_list, copy.material_list, strict=True):
        for field in ("name", "color", "texture_name", "texture", "alpha_mode", "alpha_cutoff"):
            assert getattr(ours, field) == getattr(theirs, field)


def test_mesh_is_that_of_the_faces(data_dir: Path) -> None:
    clip = walk(data_dir)
    np.testing.assert_array_equal(clip.mesh.faces, clip.faces)
    assert clip.mesh.vertex_count == clip.positions.shape[1]


def test_clip_says_what_it_is(data_dir: Path) -> None:
    clip = walk(data_dir)
    assert (clip.name, clip.parts) == ("kimono_male Walk", ["Clothes", "Band"])
    assert clip.clips["Walk"] == pytest.approx(1.25)
    assert "38 frames" in repr(clip)
    assert clip.report.duration == clip.times[-1]
    assert (clip.report.stored_vertices, clip.report.welded_vertices) == (2516, clip.positions.shape[1])
    assert (clip.report.zero_area_triangles, clip.report.duplicate_faces) == (0, 0)


def test_the_beginning_of_a_clip_keeps_all_but_frames(data_dir: Path, tmp_path: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    part = clip.beginning(5)
    (tmp_path / "part.npz").write_bytes(pucker._core.sources.pack_clip(part))
    read = pucker._core.sources.read_clip(tmp_path / "part.npz")
    for kept in (part, pickle.loads(pickle.dumps(part)), part.beginning(5), read):
        assert (len(kept), kept.height, kept.name, kept.parts) == (5, clip.height, clip.name, clip.parts)
        for name in ("faces", "rest", "shared_vertices", "body_faces", "weld", "uv", "materials"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(clip, name), err_msg=name)
        for name in ("positions", "times", "body_positions"):
            np.testing.assert_array_equal(getattr(kept, name), getattr(clip, name)[:5], err_msg=name)
        np.testing.assert_array_equal(kept.skin.matrices, clip.skin.matrices[:5])
        np.testing.assert_array_equal(kept.shading_normals(3)[1], clip.shading_normals(3)[1])
    for frames in (0, len(clip) + 1):
        with pytest.raises(
            ValueError, match=rf"frames of clip 'kimono_male Walk' must lie in \[1, {len(clip)}\], got {frames}"
        ):
            clip.beginning(frames)


def test_the_beginning_of_a_clip_that_rises_later_has_the_height_of_all() -> None:
    flat = np.array([[0.0, 0, 0], [1, 0, 0], [0, 0, 1]])
    clip = pucker.Clip.from_arrays([[0, 1, 2]], [flat, 3.0 * flat], [0.0, 1.0])
    assert clip.height == clip.beginning(1).height == 3.0
    assert pucker.Clip.from_arrays([[0, 1, 2]], [flat], [0.0]).height == 1.0
