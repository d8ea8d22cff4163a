"""Formats beyond the core's scenes: files written by other libraries come back as the positions that went in."""

import re
import struct
import time
from pathlib import Path
from typing import Any

import meshio
import numpy as np
import pytest
import trimesh
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from motion import waves
from numpy.typing import NDArray
from sheet_in_motion import FACES, FPS, FRAMES, QUADS, TIMES, Array, assert_moves, rest_sheet

import pucker
from pucker._core import sources
from pucker.io import Limits
from pucker.io.npz import write_arrays


@pytest.fixture
def motion(rng: np.random.Generator) -> Array:
    """A sheet of 42 vertices in motion, (frames, 42, 3)."""
    at = waves(rng, rest_sheet())
    return np.stack([at(time) for time in TIMES])


# Point caches


def write_obj(path: Path, points: Array, faces: NDArray[np.integer] = FACES) -> Path:
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in points.tolist()]
    lines += ["f " + " ".join(str(vertex + 1) for vertex in face) for face in faces.tolist()]
    path.write_text("\n".join(lines))
    return path


def mdd_bytes(positions: Array, times: Array) -> bytes:
    frames, points = positions.shape[:2]
    return struct.pack(">ii", frames, points) + times.astype(">f4").tobytes() + positions.astype(">f4").tobytes()


def pc2_bytes(positions: Array, *, start: float = 0.0, step: float = 1.0) -> bytes:
    frames, points = positions.shape[:2]
    header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, points, start, step, frames)
    return header + positions.astype("<f4").tobytes()


def test_mdd_beside_its_obj_moves_it(tmp_path: Path, motion: Array) -> None:
    write_obj(tmp_path / "cloth.obj", rest_sheet())
    (tmp_path / "cloth.mdd").write_bytes(mdd_bytes(motion, TIMES))
    clip = pucker.load(tmp_path / "cloth.mdd", fps=FPS)
    assert_moves(clip, motion)
    np.testing.assert_array_equal(clip.stored_faces, FACES)
    np.testing.assert_array_equal(clip.times, TIMES)
    assert pucker.inspect(tmp_path / "cloth.mdd").format == "mdd"


def test_cache_of_another_name_is_given_with_the_obj(tmp_path: Path, motion: Array) -> None:
    obj = write_obj(tmp_path / "cloth.obj", rest_sheet())
    (tmp_path / "wind.pc2").write_bytes(pc2_bytes(motion))
    assert_moves(pucker.load(obj, motion=tmp_path / "wind.pc2", fps=FPS), motion)
    assert pucker.inspect(obj, motion=tmp_path / "wind.pc2").clips == {"all": 6 / 30}


@pytest.mark.parametrize("fps", [24.0, 25.0, 29.97, 30.0, 60.0])
@pytest.mark.parametrize("frames", [2, 30, 1201])
def test_no_frame_is_lost_to_times_stored_as_floats(tmp_path: Path, fps: float, frames: int) -> None:
    rate = 30.0 / 1.001 if fps == 29.97 else fps
    positions = np.arange(frames)[:, None, None] * 1e-3 + rest_sheet()
    write_obj(tmp_path / "cloth.obj", rest_sheet())
    (tmp_path / "cloth.mdd").write_bytes(mdd_bytes(positions, np.arange(frames) / rate + 4.0))
    clip = pucker.load(tmp_path / "cloth.mdd", fps=rate)
    np.testing.assert_array_equal(clip.positions[:, clip.weld], positions.astype(np.float32))


def test_times_of_an_mdd_may_be_uneven(tmp_path: Path) -> None:
    times = np.array([1.0, 1.25, 2.0])
    positions = np.stack([rest_sheet() + np.array([0, 0, time * time]) for time in times])
    write_obj(tmp_path / "cloth.obj", rest_sheet())
    (tmp_path / "cloth.mdd").write_bytes(mdd_bytes(positions, times))
    clip = pucker.load(tmp_path / "cloth.mdd", fps=8.0)
    height = clip.positions[:, 0, 2]
    np.testing.assert_allclose(height, np.interp(np.arange(9) / 8, times - 1, times**2), atol=1e-6)
    assert len(pucker.load(tmp_path / "cloth.mdd", clip="1:2", fps=8.0)) == 7
    assert len(pucker.load(tmp_path / "cloth.mdd", clip="0:2@2", fps=8.0)) == 9


def test_samples_of_a_pc2_are_counted_in_frames(tmp_path: Path, motion: Array) -> None:
    write_obj(tmp_path / "cloth.obj", rest_sheet())
    (tmp_path / "cloth.pc2").write_bytes(pc2_bytes(motion, start=101.0, step=0.5))
    clip = pucker.load(tmp_path / "cloth.pc2", fps=FPS)
    np.testing.assert_array_equal(clip.times, np.arange(4) / FPS)
    assert_moves(clip, motion[::2])


def test_cache_moves_the_points_of_an_obj_with_seams(tmp_path: Path, motion: Array) -> None:
    lines = [f"v {x} {y} {z}" for x, y, z in rest_sheet().tolist()]
    lines += [f"vt {u} {v}" for u, v in np.linspace(0, 1, 2 * FACES.size).reshape(-1, 2).tolist()]
    for k, face in enumerate(FACES.tolist()):
        lines.append("f " + " ".join(f"{vertex + 1}/{3 * k + corner + 1}" for corner, vertex in enumerate(face)))
    (tmp_path / "cloth.obj").write_text("\n".join(lines))
    (tmp_path / "cloth.mdd").write_bytes(mdd_bytes(motion, TIMES))
    clip = pucker.load(tmp_path / "cloth.mdd", fps=FPS)
    assert (len(clip.weld), clip.positions.shape[1]) == (FACES.size, 42)
    assert_moves(clip, motion[:, FACES.ravel()])


FLOATS = st.floats(-1e6, 1e6, width=32)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    values=arrays(np.float32, st.tuples(st.integers(1, 5), st.just(3), st.just(3)), elements=FLOATS),
    steps=arrays(np.float32, 5, elements=st.floats(0.0625, 4, width=32)),
    kind=st.sampled_from(["mdd", "pc2"]),
)
def test_any_cache_comes_back_bit_for_bit(tmp_path: Path, values: Array, steps: Array, kind: str) -> None:
    times = np.cumsum(steps)[: len(values)].astype(np.float64)
    write_obj(tmp_path / "a.obj", np.eye(3), np.array([[0, 1, 2]]))
    cache = tmp_path / f"a.{kind}"
    cache.write_bytes(mdd_bytes(values, times) if kind == "mdd" else pc2_bytes(values))
    for k, frame in enumerate(values):
        clip = pucker.load(cache, clip=f"{k}:{k}")
        np.testing.assert_array_equal(clip.positions[:, clip.weld], frame[None])


@pytest.mark.parametrize(
    ("suffix", "spoil", "words"),
    [
        ("mdd", lambda b: b[:5], "truncated: its header takes 8 bytes, the file has 5"),
        ("mdd", lambda b: b[:-1], "7 frames of 42 points take 508 bytes each"),
        ("mdd", lambda b: b + b"\0", "truncated or damaged"),
        ("mdd", lambda b: struct.pack(">ii", 0, 42) + b[8:], "has 0 frames"),
        ("mdd", lambda b: struct.pack(">ii", 2**31 - 1, 2**31 - 1) + b[8:], "truncated or damaged"),
        ("mdd", lambda b: b[:12] + struct.pack(">f", 0.0) + b[16:], "times must strictly increase, got 0 after 0"),
        ("mdd", lambda b: b[:8] + struct.pack(">f", np.nan) + b[12:], "time 0 must be finite"),
        ("mdd", lambda b: b[:-4] + struct.pack(">f", np.nan), "vertex 41 .*not finite"),
        ("pc2", lambda b: b[:31], "truncated: its header takes 32 bytes, the file has 31"),
        ("pc2", lambda b: b[:-5], "truncated or damaged"),
        ("pc2", lambda b: b"POINTCACHE3" + b[11:], "does not start with POINTCACHE2"),
        ("pc2", lambda b: b[:12] + struct.pack("<i", 2) + b[16:], "PC2 version 2, expected 1"),
        ("pc2", lambda b: b[:24] + struct.pack("<f", 0) + b[28:], "frames per sample .* got 0"),
        ("pc2", lambda b: b[:28] + struct.pack("<i", -7), "has -7 frames"),
    ],
)
def test_damaged_caches_are_refused(tmp_path: Path, motion: Array, suffix: str, spoil: Any, words: str) -> None:
    write_obj(tmp_path / "cloth.obj", rest_sheet())
    whole = mdd_bytes(motion, TIMES) if suffix == "mdd" else pc2_bytes(motion)
    (tmp_path / f"cloth.{suffix}").write_bytes(spoil(whole))
    with pytest.raises(pucker.Error, match=rf"cloth\.{suffix}: .*{words}"):
        pucker.load(tmp_path / f"cloth.{suffix}")


def test_cache_must_move_as_many_points_as_the_obj_has(tmp_path: Path, motion: Array) -> None:
    write_obj(tmp_path / "cloth.obj", rest_sheet()[:-1], FACES[:-2])
    (tmp_path / "cloth.pc2").write_bytes(pc2_bytes(motion))
    with pytest.raises(pucker.Error, match=r"cloth\.pc2: moves 42 points, but .*cloth\.obj has 41 vertices"):
        pucker.load(tmp_path / "cloth.pc2")


def test_cache_goes_with_an_obj_and_nothing_else(tmp_path: Path, data_dir: Path, motion: Array) -> None:
    (tmp_path / "alone.mdd").write_bytes(mdd_bytes(motion, TIMES))
    with pytest.raises(pucker.Error, match=r"alone\.obj: cannot be opened"):
        pucker.load(tmp_path / "alone.mdd")
    with pytest.raises(pucker.Error, match=r"alone\.mdd: cannot move .*kimono_male\.gltf: its format must .*'mdd'"):
        pucker.load(data_dir / "kimono_male.gltf", motion=tmp_path / "alone.mdd")
    obj = write_obj(tmp_path / "cloth.obj", rest_sheet())
    (tmp_path / "cache.abc").write_bytes(b"")
    with pytest.raises(pucker.Error, match=r"cache\.abc: unknown point cache 'abc'; known are mdd and pc2"):
        pucker.load(obj, motion=tmp_path / "cache.abc")
    with pytest.raises(pucker.Error, match=r"missing\.mdd: cannot be opened"):
        pucker.load(obj, motion=tmp_path / "missing.mdd")


# NumPy archives


def test_npz_comes_back_bit_for_bit(tmp_path: Path, motion: Array) -> None:
    uv = rest_sheet()[:, :2]
    np.savez(tmp_path / "cloth.npz", faces=FACES, positions=motion, times=TIMES + 3.0, uv=uv, normals=motion)
    clip = pucker.load(tmp_path / "cloth.npz", fps=FPS)
    np.testing.assert_array_equal(clip.positions[:, clip.weld], motion)
    np.testing.assert_array_equal(clip.times, TIMES)
    np.testing.assert_array_equal(clip.uv, uv)
    np.testing.assert_array_equal(clip.stored_faces, FACES)


@pytest.mark.parametrize("compressed", [False, True])
def test_archives_have_the_same_bytes_whenever_they_are_written(tmp_path, monkeypatch, motion, compressed):
    arrays = {"positions": motion, "names": np.array(["warp"]), "pinned": np.zeros(10_000)}
    written = []
    for seconds in (1e9, 1.5e9):
        monkeypatch.setattr(time, "time", lambda seconds=seconds: seconds)
        write_arrays(tmp_path / "cloth.npz", arrays, compressed=compressed)
        written.append((tmp_path / "cloth.npz").read_bytes())
    assert written[0] == written[1]
    assert (len(written[0]) < arrays["pinned"].nbytes) == compressed
    with np.load(tmp_path / "cloth.npz") as archive:
        np.testing.assert_array_equal(archive["positions"], motion)
        assert archive["names"].tolist() == ["warp"]


def test_npz_without_times_runs_at_the_rate_asked_for(tmp_path: Path, motion: Array) -> None:
    np.savez_compressed(tmp_path / "cloth.npz", faces=FACES.astype(np.uint16), positions=motion.astype(np.float32))
    clip = pucker.load(tmp_path / "cloth.npz", clip="1:5", fps=12.0)
    np.testing.assert_array_equal(clip.times, np.arange(5) / 12)
    np.testing.assert_array_equal(clip.positions[:, clip.weld], motion[1:6].astype(np.float32))


def test_npz_of_one_pose_may_leave_out_the_frames(tmp_path: Path) -> None:
    np.savez(tmp_path / "cloth.npz", faces=FACES, positions=rest_sheet())
    assert len(pucker.load(tmp_path / "cloth.npz")) == 1


def test_npz_with_coordinates_at_corners_is_split_at_seams(tmp_path: Path, motion: Array) -> None:
    uv = np.repeat(np.arange(2.0), len(FACES) // 2)[:, None, None] + rest_sheet()[FACES][..., :2]
    np.savez(tmp_path / "cloth.npz", faces=FACES, positions=motion, times=TIMES, uv=uv)
    clip = pucker.load(tmp_path / "cloth.npz", fps=FPS)
    assert clip.positions.shape[1] == 42
    assert 42 < len(clip.weld) < 84
    np.testing.assert_array_equal(clip.uv[clip.stored_faces], uv)
    np.testing.assert_array_equal(clip.positions[:, clip.faces], motion[:, FACES])


def test_materials_of_an_npz_are_parts(tmp_path: Path, motion: Array) -> None:
    numbers = np.arange(len(FACES)) % 2
    arrays = {"faces": FACES, "positions": motion, "materials": numbers}
    np.savez(tmp_path / "named.npz", **arrays, material_names=["warp", "weft"])
    np.savez(tmp_path / "bare.npz", **arrays)
    assert pucker.inspect(tmp_path / "named.npz").materials == {"warp": 30, "weft": 30}
    assert pucker.inspect(tmp_path / "bare.npz").materials == {"0": 30, "1": 30}
    clip = pucker.load(tmp_path / "named.npz", parts=["weft"])
    np.testing.assert_array_equal(clip.positions[:, clip.faces], motion[:, FACES[1::2]])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"faces": None}, "must hold the arrays faces and positions, faces is missing"),
        ({"positions": None}, "positions is missing"),
        ({"positions": np.zeros((2, 42, 2))}, r"positions must have shape .* got \(2, 42, 2\)"),
        ({"positions": np.full((FRAMES, 42, 3), np.nan)}, "vertex 0 .* not finite"),
        ({"faces": FACES + 1}, r"faces must name vertices in \[0, 42\), got 42"),
        ({"faces": FACES[:, :2]}, "faces must have shape"),
        ({"times": TIMES[:-1]}, "times must have shape"),
        ({"times": np.zeros(FRAMES)}, "times must strictly increase, got 0 after 0 for frame 1"),
        ({"uv": np.zeros((41, 2))}, "uv must have shape"),
        ({"uv": np.zeros((59, 3, 2))}, "uv must have shape"),
        ({"uv": np.zeros((60, 3, 2)), "faces": FACES - 1}, r"faces must name vertices in \[0, 42\)"),
        ({"materials": np.zeros(59)}, "face_materials must have shape"),
        ({"materials": np.full(60, 2), "material_names": ["a"]}, r"face_materials must be in \[0, 1\), got 2"),
        ({"faces": np.array(["a"])}, "faces must hold real numbers"),
        ({"faces": np.array([None])}, "damaged, or no .npz"),
    ],
)
def test_arrays_of_an_npz_that_do_not_fit_are_refused(
    tmp_path: Path, motion: Array, change: dict[str, Any], words: str
) -> None:
    stored = {"faces": FACES, "positions": motion, "times": TIMES} | change
    np.savez(tmp_path / "cloth.npz", **{key: value for key, value in stored.items() if value is not None})
    with pytest.raises(pucker.Error, match=rf"cloth\.npz: .*{words}"):
        pucker.load(tmp_path / "cloth.npz")


@pytest.mark.parametrize("kept", [0, 10, 700, -40])
def test_truncated_npz_is_refused(tmp_path: Path, motion: Array, kept: int) -> None:
    np.savez(tmp_path / "cloth.npz", faces=FACES, positions=motion)
    (tmp_path / "cloth.npz").write_bytes((tmp_path / "cloth.npz").read_bytes()[:kept])
    with pytest.raises(pucker.Error, match=r"cloth\.npz: is truncated or damaged"):
        pucker.load(tmp_path / "cloth.npz")


def test_npz_with_a_flipped_bit_is_refused(tmp_path: Path, motion: Array) -> None:
    np.savez_compressed(tmp_path / "cloth.npz", faces=FACES, positions=motion)
    data = bytearray((tmp_path / "cloth.npz").read_bytes())
    data[len(data) // 2] ^= 16
    (tmp_path / "cloth.npz").write_bytes(data)
    with pytest.raises(pucker.Error, match=r"cloth\.npz: "):
        pucker.load(tmp_path / "cloth.npz")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(place=st.integers(0, 2**16), value=st.integers(0, 255), compressed=st.booleans())
def test_npz_with_any_byte_changed_loads_or_says_why_not(
    tmp_path: Path, place: int, value: int, compressed: bool
) -> None:
    save = np.savez_compressed if compressed else np.savez
    save(tmp_path / "cloth.npz", faces=[[0, 1, 2]], positions=np.eye(3))
    data = bytearray((tmp_path / "cloth.npz").read_bytes())
    data[place % len(data)] = value
    (tmp_path / "cloth.npz").write_bytes(data)
    told = f"{tmp_path / 'cloth.npz'}: "
    try:
        pucker.load(tmp_path / "cloth.npz")
    except pucker.Error as error:
        told = str(error)
    assert told.startswith(f"{tmp_path / 'cloth.npz'}: ")


# Mesh objects of other libraries


def test_trimesh_with_positions_is_a_clip(motion: Array) -> None:
    mesh = trimesh.Trimesh(rest_sheet(), FACES, process=False)
    clip = pucker.io.from_trimesh(mesh, motion, TIMES)
    np.testing.assert_array_equal(clip.positions[:, clip.weld], motion)
    np.testing.assert_array_equal(clip.stored_faces, FACES)
    assert clip.uv.shape == (0, 2)


def test_trimesh_keeps_its_texture_coordinates(motion: Array) -> None:
    uv = rest_sheet()[:, :2]
    visual = trimesh.visual.TextureVisuals(uv=uv)
    mesh = trimesh.Trimesh(rest_sheet(), FACES, process=False, visual=visual)
    np.testing.assert_array_equal(pucker.io.from_trimesh(mesh, motion, TIMES).uv, uv)


def test_mesh_alone_is_one_frame() -> None:
    mesh = trimesh.Trimesh(rest_sheet(), FACES, process=False)
    clip = pucker.io.from_trimesh(mesh)
    np.testing.assert_array_equal(clip.times, [0.0])
    np.testing.assert_array_equal(clip.positions[0, clip.weld], rest_sheet())


def test_meshio_polygons_become_fans(motion: Array) -> None:
    cells = [("quad", QUADS[:10]), ("triangle", FACES[20:40]), ("polygon", QUADS[20:])]
    mesh = meshio.Mesh(rest_sheet()[:, :2], cells)
    clip = pucker.io.from_meshio(mesh, motion, TIMES)
    np.testing.assert_array_equal(clip.positions[:, clip.weld], motion)
    fans = [[[a, b, c], [a, c, d]] for a, b, c, d in [*QUADS[:10].tolist(), *QUADS[20:].tolist()]]
    expected = np.concatenate([np.reshape(fans[:10], (-1, 3)), FACES[20:40], np.reshape(fans[10:], (-1, 3))])
    np.testing.assert_array_equal(clip.stored_faces, expected)


def test_mesh_file_of_another_library_comes_in(tmp_path: Path, motion: Array) -> None:
    meshio.write_points_cells(tmp_path / "cloth.vtk", rest_sheet(), [("quad", QUADS)])
    clip = pucker.io.from_meshio(meshio.read(tmp_path / "cloth.vtk"), motion, TIMES)
    assert len(clip.faces) == 60


def test_objects_that_do_not_fit_are_refused(motion: Array) -> None:
    mesh = trimesh.Trimesh(rest_sheet(), FACES, process=False)
    with pytest.raises(ValueError, match=r"positions must have shape \(frames, 42, 3\).*\(7, 41, 3\)"):
        pucker.io.from_trimesh(mesh, motion[:, :-1], TIMES)
    with pytest.raises(ValueError, match=r"times must be given .*none for 7"):
        pucker.io.from_trimesh(mesh, motion)
    with pytest.raises(ValueError, match="Scene has not"):
        pucker.io.from_trimesh(trimesh.Scene([mesh]))
    with pytest.raises(ValueError, match="Trimesh has not"):
        pucker.io.from_meshio(mesh)
    tetrahedra = meshio.Mesh(rest_sheet(), [("triangle", FACES), ("tetra", [[0, 1, 7, 8]])])
    with pytest.raises(ValueError, match="cells must be triangles, quads or polygons, got 1 of type tetra"):
        pucker.io.from_meshio(tetrahedra)


# USD: points


# USD: texture coordinates and materials


# USD: skins


# USD: what cannot be read


def test_missing_files_are_told(tmp_path: Path) -> None:
    for name in ("no.usda", "no.npz", "no.mdd"):
        with pytest.raises(pucker.Error, match=f"{name}: no such file or folder"):
            pucker.load(tmp_path / name)


def test_unknown_format_lists_those_there_are(tmp_path: Path) -> None:
    (tmp_path / "cloth.xyz").write_bytes(b"")
    with pytest.raises(pucker.Error, match=r"unknown format 'xyz'; known are .*usd.*npz"):
        pucker.load(tmp_path / "cloth.xyz")


def test_a_vrm_is_read_as_the_glb_that_it_is(data_dir, tmp_path):
    (tmp_path / "mage.vrm").write_bytes((data_dir / "mage.glb").read_bytes())
    found, wanted = (
        pucker.load(path, clip="Walking_A", fps=4.0, isolated=isolated)
        for path, isolated in ((tmp_path / "mage.vrm", True), (data_dir / "mage.glb", False))
    )
    assert np.array_equal(found.positions, wanted.positions)
    assert np.array_equal(found.faces, wanted.faces)
    assert len(found.uv) == len(wanted.uv)


@pytest.mark.parametrize("elements", ["color", "color|matrix|bind_shape_matrix|float_array|vcount|v|p"])
def test_blanks_around_the_numbers_of_collada_are_skipped(data_dir: Path, tmp_path: Path, elements: str) -> None:
    """As the exporter that Godot advises writes them."""
    content = (data_dir / "cowboy.dae").read_bytes()
    blank = re.sub(rf"(<(?:{elements})(?: [^<>]*)?>)([^<]*)".encode(), rb"\1\n  \2  ", content)
    assert blank != content
    (tmp_path / "blank.dae").write_bytes(blank)
    found, plain = (pucker.load(path, fps=5.0) for path in (tmp_path / "blank.dae", data_dir / "cowboy.dae"))
    np.testing.assert_array_equal(found.positions, plain.positions)
    assert [each.color for each in found.material_list] == [each.color for each in plain.material_list]
    with pytest.raises(pucker.Error, match="as a real number"):
        sources.open_file(tmp_path / "blank.dae")


def blanked(data_dir: Path, path: Path, picture: str) -> Path:
    """The cowboy with blanks around its colours and another name of its picture."""
    content = re.sub(rb"(<color(?: [^<>]*)?>)([^<]*)", rb"\1\n  \2  ", (data_dir / "cowboy.dae").read_bytes())
    path.write_bytes(content.replace(b"character%20Texture.png", picture.encode()))
    return path


@pytest.mark.parametrize(
    ("picture", "place"),
    [
        ("a%20b.png", "a b.png"),
        ("file:///C:/work/a%20b.png", "a b.png"),
        ("maps/b.png", "maps/b.png"),
        ("../other/b.png", "deeper/b.png"),
    ],
)
def test_a_picture_beside_a_collada_file_with_blanks_is_found(
    data_dir: Path, tmp_path: Path, picture: str, place: str
) -> None:
    (tmp_path / place).parent.mkdir(exist_ok=True)
    (tmp_path / place).write_bytes(b"picture")
    (tmp_path / "plain.dae").write_bytes(
        (data_dir / "cowboy.dae").read_bytes().replace(b"character%20Texture.png", picture.encode())
    )
    blank = blanked(data_dir, tmp_path / "blank.dae", picture)
    found, plain = (pucker.load(path, fps=5.0).material_list for path in (blank, tmp_path / "plain.dae"))
    assert [bytes(each.texture) for each in found] == [bytes(each.texture) for each in plain]
    assert b"picture" in [bytes(each.texture) for each in found]


def test_a_picture_outside_the_folder_of_a_collada_file_with_blanks_is_not_read(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "secret.png").write_bytes(b"secret")
    (tmp_path / "home" / "link.png").symlink_to(tmp_path / "secret.png")
    for name in ("../secret.png", "link.png"):
        path = blanked(data_dir, tmp_path / "home" / "blank.dae", name)
        assert not any(bytes(each.texture) for each in pucker.load(path, fps=5.0).material_list)
        assert any(bytes(each.texture) for each in pucker.load(path, fps=5.0, anywhere=True).material_list)
    (tmp_path / "home" / "link.png").unlink()
    (tmp_path / "home" / "link.png").write_bytes(bytes(20 << 20))
    with pytest.raises(pucker.Error, match=r"link\.png: has 20971520 bytes; the limit of memory"):
        pucker.load(path, fps=5.0, limits=Limits(memory=19 << 20))


def naming_another(data_dir: Path, path: Path, shown: str, other: str) -> Path:
    """The cowboy with blanks around its colours, whose picture is one and who names another that nothing shows."""
    content = blanked(data_dir, path, shown).read_text()
    image = f'<library_images><image id="other"><init_from>{other}</init_from></image>'
    path.write_text(content.replace("<library_images>", image))
    return path


def test_pictures_of_one_name_in_two_folders_are_told_apart(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "cloth.png").write_bytes(b"other")
    (tmp_path / "home" / "cloth.png").write_bytes(b"shown")
    path = naming_another(data_dir, tmp_path / "home" / "blank.dae", "cloth.png", "../cloth.png")
    found = [bytes(each.texture) for each in pucker.load(path, fps=5.0, anywhere=True).material_list]
    assert b"shown" in found
    assert b"other" not in found


def test_a_picture_that_nothing_shows_may_have_any_size(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "cloth.png").write_bytes(b"shown")
    (tmp_path / "huge.png").write_bytes(bytes(20 << 20))
    path = naming_another(data_dir, tmp_path / "blank.dae", "cloth.png", "huge.png")
    found = pucker.load(path, fps=5.0, limits=Limits(memory=19 << 20)).material_list
    assert b"shown" in [bytes(each.texture) for each in found]
