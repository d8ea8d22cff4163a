"""Damaged and hostile files: none ends, hangs or bloats the process that reads them isolated."""

import base64
import gc
import io
import json
import os
import pickle
import re
import resource
import struct
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from fuzz_seeds import DAE
from gltf_writer import GltfFile
from PIL import Image
from pxr import Sdf, Usd, UsdGeom, UsdShade, Vt

import pucker
from pucker._core import sources
from pucker.bake.write.textures import picture_of
from pucker.cli import cli
from pucker.io import Limits, isolated, open_source
from pucker.io.pictures import decoded, distinct
from pucker.render import ClipRenderer

CRASHERS = Path(__file__).parent / "crashers"
SMALL = Limits(memory=256 << 20, seconds=10.0)
TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def peak() -> int:
    """The most memory that this process has held, bytes."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


# What ends, hangs or bloats a reader

ANSWERS = {
    "claims.mdd": "has more frames than the limit, 100000",
    "claims.npz": "numbers of materials without names must be less than 256, got 2147483647",
    "dae_p_blank.dae": "the <p> at byte 4203 holds more than whole numbers",
    "fbx_SIGABRT.fbx": "its reader ended with SIG",
    "frames.md3": "50000000 frames at byte 108 do not fit its 216 bytes",
    "latin1_names.zip": None,
    "long1e5.gltf": "clip 'bend' of 100000 s, .* has more frames than the limit, 100000",
    "long_message.usdc": "ignoring invalid specs: spec </> has unknown spec type, .{1,1000} …$",
    "min_polylist.dae": "its reader ended with SIG",
    "min_weights.gltf": "has no animation",
    "not_utf8.usda": "is truncated or damaged: it holds text that is not UTF-8",
    "py_small_dae_116_SIGABRT.dae": "its reader ended with SIG",
    "py_small_gltf_1360_SIGSEGV.gltf": "skin 0 has no inverseBindMatrices",
    "usdc_SIGSEGV.usdc": "its reader ended with SIG",
}


PICTURES = {"chunk.png": "broken PNG file", "claims.gbr": "has 6 x 16973825 pixels, the limit of pixels is"}


def test_every_crasher_has_its_answer() -> None:
    assert {path.name for path in CRASHERS.iterdir()} == set(ANSWERS) | set(PICTURES)


@pytest.mark.parametrize("name", PICTURES)
def test_damaged_pictures_are_refused(name: str) -> None:
    clip = pucker.Clip.from_arrays(np.array([[0, 1, 2]]), TRIANGLE[None], [0.0], uv=TRIANGLE[:, :2])
    with pytest.raises(pucker.Error, match=f"{name} is no picture: {PICTURES[name]}"):
        pucker.waves.factors(CRASHERS / name, clip)


@pytest.mark.parametrize("name", sorted(ANSWERS))
def test_no_crasher_reaches_the_process_that_reads_it(tmp_path: Path, name: str) -> None:
    path, motion = CRASHERS / name, None
    if name.endswith(".mdd"):
        (points,) = struct.unpack(">i", path.read_bytes()[4:8])
        path = tmp_path / "cloth.obj"
        path.write_text("".join(f"v {k} {k % 2} 0\n" for k in range(points)) + "f 1 2 3\n")
        motion = CRASHERS / name
    before = peak()
    if ANSWERS[name] is None:
        assert len(pucker.load(path, isolated=True, limits=SMALL)) == 3
    else:
        with pytest.raises(pucker.Error, match=rf"{name}: .*{ANSWERS[name]}"):
            pucker.load(path, motion=motion, isolated=True, limits=SMALL)
    assert peak() - before < 32 << 20


def test_command_line_outlives_a_crasher() -> None:
    result = CliRunner().invoke(cli, ["info", str(CRASHERS / "min_polylist.dae")], prog_name="pucker")
    assert result.exit_code == 2
    assert "min_polylist.dae: is damaged" in result.stderr


# What an isolated file gives


@pytest.mark.parametrize(
    ("name", "clip", "parts"),
    [
        ("kimono_male.gltf", "Walk", ["Clothes"]),
        ("kyonshi_lower.md3", "115:123", None),
        ("cowboy.dae", None, ["joint:Torso"]),
    ],
)
def test_isolated_clip_has_the_same_bits(data_dir: Path, name: str, clip: str | None, parts: list[str] | None) -> None:
    plain = pucker.load(data_dir / name, clip=clip, parts=parts)
    with open_source(data_dir / name, isolated=True) as source:
        assert pickle.dumps(source.load(clip=clip, parts=parts)) == pickle.dumps(plain)
        names = parts or ["l_lower"]
        np.testing.assert_array_equal(source.select(names), open_source(data_dir / name).select(names))
        info, expected = source.inspect(), pucker.inspect(data_dir / name)
    for field in ("format", "clips", "materials", "nodes", "meshes", "joints", "stored_vertices", "triangles"):
        assert getattr(info, field) == getattr(expected, field)


def test_isolated_mistakes_are_those_of_the_same_process(data_dir: Path) -> None:
    path = data_dir / "kimono_male.gltf"
    for options, kind in (({"clip": "walk"}, ValueError), ({"clip": "Walk", "parts": ["Coat"]}, ValueError)):
        with pytest.raises(kind) as plain:
            pucker.load(path, **options)
        with pytest.raises(kind) as found:
            pucker.load(path, isolated=True, **options)
        assert str(found.value) == str(plain.value)
    with pytest.raises(pucker.Error, match=r"nowhere\.gltf: no such file"):
        pucker.inspect("nowhere.gltf", isolated=True)


def test_source_answers_again_after_its_child_was_ended(data_dir: Path) -> None:
    source: Any = open_source(data_dir / "cowboy.dae", isolated=True)
    source._child._process.kill()
    with pytest.raises(pucker.Error, match=r"cowboy\.dae"):
        source.inspect()
    assert source.inspect().triangles == 1420


def test_child_ends_with_its_source(data_dir: Path) -> None:
    source: Any = open_source(data_dir / "cowboy.dae", isolated=True)
    process = source._child._process
    del source
    gc.collect()
    assert process.poll() is not None


def test_endless_reading_is_ended(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "cloth.usda")
    begin = time.monotonic()
    with pytest.raises(pucker.Error, match=r"cloth\.usda: takes longer to read than the limit of 0\.3 s"):
        pucker.load(tmp_path / "cloth.usda", isolated=True, limits=Limits(seconds=0.3))
    assert time.monotonic() - begin < 30.0


def test_computing_beyond_the_limit_is_ended(tmp_path: Path) -> None:
    """Zeros pack to almost nothing; reading them takes long."""
    with zipfile.ZipFile(tmp_path / "cloth.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(40):
            archive.writestr(f"{k}.obj", OBJ + "v 0 0 0\n" * 1_000_000)
    with pytest.raises(pucker.Error, match=r"cloth\.zip: takes longer to read than the limit of 1 s"):
        pucker.load(tmp_path / "cloth.zip", isolated=True, limits=Limits(seconds=1.0, memory=8 << 30))


class _Evil:
    def __reduce__(self) -> Any:
        return os.system, ("touch /tmp/never",)


def test_foreign_answers_of_a_child_are_refused() -> None:
    for text in (pickle.dumps(("ok", _Evil())), b"\x80", pickle.dumps(7), b""):
        with pytest.raises(isolated._EndedError):
            isolated._loads(bytearray(text))


# Claims


def sliding(path: Path, end: float, vertices: int = 3) -> Path:
    file = GltfFile()
    points = np.tile(TRIANGLE, (vertices // 3, 1))
    node = file.node(name="slider", mesh=file.mesh(points, np.arange(vertices).reshape(-1, 3)))
    file.animation("slide", {(node, "translation"): ([0.0, end], np.zeros((2, 3)))})
    return file.write(path)


def test_key_times_beyond_the_limits_are_refused_before_memory_is_taken(tmp_path: Path) -> None:
    before = peak()
    with pytest.raises(pucker.Error, match=r"slide\.gltf: clip 'slide' of 3600 s.*more frames than the limit, 100000"):
        pucker.load(sliding(tmp_path / "slide.gltf", 3600.0))
    with pytest.raises(pucker.Error, match=r"90003 frames of 3000 vertices, which take .* the limit of memory"):
        pucker.load(sliding(tmp_path / "slide.gltf", 3000.0, 3000))
    assert peak() - before < 32 << 20
    assert len(pucker.load(sliding(tmp_path / "slide.gltf", 3600.0), limits=Limits(frames=200_000))) == 108_001


def test_frames_that_take_too_much_memory_are_refused_with_a_rate_at_which_they_fit(tmp_path: Path) -> None:
    path = sliding(tmp_path / "slide.gltf", 20.0, 300)
    small = Limits(memory=1 << 20)
    with pytest.raises(pucker.Error, match=r"603 frames .*; those of 3 frames per second \(fps=, --fps\) fit$"):
        pucker.load(path, limits=small)
    assert len(pucker.load(path, fps=3.0, limits=small)) == 61
    with pytest.raises(pucker.Error, match=r"PUCKER_MAX_MEMORY=BYTES lifts$"):
        pucker.load(path, limits=Limits(memory=1 << 16))


def test_environment_sets_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = sliding(tmp_path / "slide.gltf", 1.0)
    assert len(pucker.load(path)) == 31
    monkeypatch.setenv("PUCKER_MAX_FRAMES", "30")
    with pytest.raises(pucker.Error, match="more frames than the limit, 30"):
        pucker.load(path)
    with pytest.raises(pucker.Error, match="more frames than the limit, 30"):
        pucker.load(path, isolated=True)
    assert len(pucker.load(path, limits=Limits())) == 31
    monkeypatch.setenv("PUCKER_MAX_FRAMES", "many")
    with pytest.raises(ValueError, match="PUCKER_MAX_FRAMES must be a number, got 'many'"):
        pucker.load(path)
    with pytest.raises(ValueError, match="the limit of memory must be > 0, got 0"):
        Limits(memory=0)


def write_zip(path: Path, text: str) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for k in range(2):
            archive.writestr(f"{k}.obj", text)
    return path


def test_archives_that_unpack_to_too_much_are_refused(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "bomb.zip", OBJ + "v 0 0 0\n" * 10_000_000)
    before = peak()
    with pytest.raises(pucker.Error, match=r"bomb\.zip: 0\.obj unpacks to 80000032 bytes"):
        pucker.load(path, limits=SMALL)
    with (
        zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("positions.npy", "w") as stream,
    ):
        np.lib.format.write_array_header_1_0(
            stream, {"descr": "<f8", "fortran_order": False, "shape": (1, 10_000_000, 3)}
        )
        for _ in range(240):
            stream.write(bytes(1_000_000))
    with pytest.raises(pucker.Error, match=r"bomb\.npz: .*unpacks to 240000"):
        pucker.load(tmp_path / "bomb.npz", limits=SMALL)
    assert peak() - before < 32 << 20


def test_arrays_that_claim_more_than_they_hold_are_refused(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": "<f8", "fortran_order": False, "shape": (1 << 40, 3)})
    with zipfile.ZipFile(tmp_path / "claims.npz", "w") as archive:
        archive.writestr("positions.npy", stream.getvalue() + bytes(72))
    with pytest.raises(pucker.Error, match=r"claims\.npz: .*claims 26388279066624 bytes .* and holds 72"):
        pucker.load(tmp_path / "claims.npz")


def test_many_materials_take_no_longer_than_few(tmp_path: Path) -> None:
    text = OBJ.replace("f 1 2 3\n", "") + "".join(f"usemtl m{k}\nf 1 2 3\n" for k in range(60_000))
    path = write_zip(tmp_path / "cloth.zip", text)
    begin = time.process_time()
    info = pucker.inspect(path)
    assert len(info.materials) == 60_000
    with pytest.raises(ValueError, match=r"m0, m1, .* and 59800 more") as error:
        pucker.load(path, parts=["coat"])
    assert len(str(error.value)) < 10_000
    assert time.process_time() - begin < 10.0


def test_large_files_are_refused_by_their_size(tmp_path: Path) -> None:
    for name in ("cloth.md3", "cloth.usdc", "cloth.dae", "cloth.gltf"):
        with (tmp_path / name).open("wb") as file:
            file.truncate(300 << 20)
        with pytest.raises(pucker.Error, match=name.replace(".", r"\.")):
            pucker.inspect(tmp_path / name, limits=SMALL)


# Files outside the model's folder


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.png"
    Image.new("RGB", (1, 1)).save(path)
    (tmp_path / "model" / "sub").mkdir(parents=True)
    return path


def names_of(secret: Path) -> list[str]:
    (secret.parent / "model" / "link.png").symlink_to(secret)
    return [str(secret), "../secret.png", "sub/../../secret.png", "..\\secret.png", "link.png"]


def gltf_with(folder: Path, name: str) -> Path:
    file = GltfFile()
    node = file.node(name="slider", mesh=file.mesh(TRIANGLE, np.array([[0, 1, 2]])))
    file.animation("slide", {(node, "translation"): ([0.0, 1.0], np.zeros((2, 3)))})
    file.add("images", {"uri": name.replace("\\", "/")})
    file.add("textures", {"source": 0})
    file.add("materials", {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}})
    file.json["meshes"][0]["primitives"][0]["material"] = 0
    return file.write(folder / "cloth.gltf")


def usd_with(folder: Path, name: str) -> Path:
    stage = Usd.Stage.CreateNew(str(folder / "cloth.usda"))
    mesh = UsdGeom.Mesh.Define(stage, "/cloth")
    for time_code in (0, 1):
        mesh.CreatePointsAttr().Set(Vt.Vec3fArray.FromNumpy(TRIANGLE.astype(np.float32) + time_code), time_code)
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    material = UsdShade.Material.Define(stage, "/paint")
    surface = UsdShade.Shader.Define(stage, "/paint/surface")
    surface.CreateIdAttr("UsdPreviewSurface")
    picture = UsdShade.Shader.Define(stage, "/paint/picture")
    picture.CreateIdAttr("UsdUVTexture")
    picture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(name.replace("\\", "/"))
    picture.CreateOutput("rgb", Sdf.ValueTypeNames.Float3)
    surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f).ConnectToSource(picture.ConnectableAPI(), "rgb")
    surface.CreateOutput("surface", Sdf.ValueTypeNames.Token)
    material.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
    UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim()).Bind(material)
    stage.Save()
    return folder / "cloth.usda"


@pytest.mark.parametrize("which", range(5))
@pytest.mark.parametrize("write", [gltf_with, usd_with])
def test_pictures_outside_the_folder_are_left_alone(
    secret: Path, which: int, write: Callable[[Path, str], Path]
) -> None:
    path = write(secret.parent / "model", names_of(secret)[which])
    (material,) = pucker.load(path).material_list
    assert material.texture == b""
    (material,) = pucker.load(path, anywhere=True).material_list
    assert material.texture == secret.read_bytes()


def test_skins_of_an_md3_stay_in_their_folder(secret: Path, data_dir: Path) -> None:
    path = secret.parent / "model" / "lower.md3"
    path.write_bytes((data_dir / "kyonshi_lower.md3").read_bytes())
    (path.parent / "lower_default.skin").write_text(f"l_lower,{secret}\nl_dress,../secret.png\n")
    assert all(not material.texture for material in pucker.load(path, clip="0:0").material_list)
    assert any(material.texture for material in pucker.load(path, clip="0:0", anywhere=True).material_list)


def test_buffers_outside_the_folder_are_left_alone(secret: Path) -> None:
    path = gltf_with(secret.parent / "model", "none.png")
    content = json.loads(path.read_text())
    (secret.parent / "buffer.bin").write_bytes(base64.b64decode(content["buffers"][0]["uri"].split(",")[1]))
    content["buffers"][0]["uri"] = "../buffer.bin"
    path.write_text(json.dumps(content))
    with pytest.raises(pucker.Error, match=r"cloth\.gltf"):
        pucker.load(path)
    assert len(pucker.load(path, anywhere=True)) == 31


def test_layers_outside_the_folder_are_refused(secret: Path) -> None:
    below = usd_with(secret.parent, "none.png")
    stage = Usd.Stage.CreateNew(str(secret.parent / "model" / "other.usda"))
    stage.GetRootLayer().subLayerPaths = ["../cloth.usda"]
    stage.GetRootLayer().Save()
    with pytest.raises(pucker.Error, match=r"other\.usda: takes the layer .*\.usda from outside its folder"):
        pucker.load(secret.parent / "model" / "other.usda")
    assert len(pucker.load(secret.parent / "model" / "other.usda", anywhere=True)) == len(pucker.load(below))


# Names


def test_names_that_are_not_utf8_are_taken_as_latin1() -> None:
    info = pucker.inspect(CRASHERS / "latin1_names.zip")
    names = [*info.materials, *info.nodes]
    assert any(not name.isascii() for name in names)
    for name in names:
        assert len(pucker.load(CRASHERS / "latin1_names.zip", parts=[name]).faces) > 0
    with pytest.raises(ValueError, match=names[0]):
        pucker.load(CRASHERS / "latin1_names.zip", parts=["coat"])


@pytest.mark.parametrize("name", [b"\xff.obj", b"caf\xe9.dae", b"\xed\xa0\x80.md3"])
def test_files_whose_names_are_not_utf8_are_told(tmp_path: Path, name: bytes) -> None:
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/" + name))
    with pytest.raises(pucker.Error, match="no such file"):
        pucker.load(path)
    path.write_bytes(b"nothing")
    with pytest.raises(pucker.Error):
        pucker.load(path)


# Changed bytes


def seeds(folder: Path, data_dir: Path) -> dict[str, bytes]:
    """Small files of every format."""
    found = {"small.gltf": gltf_with(folder, "none.png").read_bytes()}
    found["small.usda"] = usd_with(folder, "none.png").read_bytes()
    Usd.Stage.Open(str(folder / "cloth.usda")).Export(str(folder / "small.usdc"))
    found["small.usdc"] = (folder / "small.usdc").read_bytes()
    found["small.dae"] = (CRASHERS / "dae_p_blank.dae").read_bytes().replace(b"<p >", b"<p>")
    found["small.fbx"] = (CRASHERS / "fbx_SIGABRT.fbx").read_bytes()
    found["small.zip"] = write_zip(folder / "small.zip", OBJ).read_bytes()
    stream = io.BytesIO()
    np.savez(stream, faces=[[0, 1, 2]], positions=np.stack([TRIANGLE, TRIANGLE + 1]), materials=[1], times=[0, 1])
    found["small.npz"] = stream.getvalue()
    found["small.md3"] = (data_dir / "kyonshi_lower.md3").read_bytes()[:20_000]
    found["small.mdd"] = struct.pack(">iiff", 2, 3, 0.0, 1.0) + np.tile(TRIANGLE, (2, 1)).astype(">f4").tobytes()
    return found


def mutated(rng: np.random.Generator, content: bytes) -> bytes:
    """Bytes changed, a piece doubled or dropped, a number blown up, or the end cut off."""
    data = bytearray(content)
    for _ in range(int(rng.integers(1, 6))):
        at, length = int(rng.integers(len(data))), int(rng.integers(1, 40))
        match int(rng.integers(5)):
            case 0:
                data[at] = int(rng.integers(256))
            case 1:
                data[at:at] = data[at : at + length]
            case 2:
                del data[at : at + length]
            case 3:
                data[at : at + 4] = struct.pack("<i", int(rng.choice([-1, 0, 2**31 - 1, 2**24])))
            case 4:
                digits = [k for k in range(len(data)) if chr(data[k]).isdigit()]
                if digits:
                    data[int(rng.choice(digits))] = int(rng.choice(list(b"0129-e. ")))
        if not data:
            return b""
    return bytes(data)


def survives(folder: Path, name: str, content: bytes) -> str:
    """What is said of a file, nothing if it can be read; fails if that takes too long."""
    (folder / "small.obj").write_text(OBJ)
    path = folder / name
    path.write_bytes(content)
    begin = time.monotonic()
    answer = ""
    try:
        info = pucker.inspect(path, isolated=True, limits=SMALL)
        if info.clips:
            pucker.load(path, clip=next(iter(info.clips)), isolated=True, limits=SMALL)
    except (pucker.Error, ValueError) as error:
        answer = str(error)
    assert answer == "" or any(words in answer for words in (name, "small.obj")), answer
    assert time.monotonic() - begin < 60.0
    return answer


@pytest.mark.parametrize("count", [2, pytest.param(400, marks=pytest.mark.slow)])
def test_no_changed_file_reaches_the_process_that_reads_it(
    tmp_path: Path, data_dir: Path, rng: np.random.Generator, count: int
) -> None:
    before = peak()
    for name, content in seeds(tmp_path, data_dir).items():
        for _ in range(count):
            survives(tmp_path, name, mutated(rng, content))
    assert peak() - before < 64 << 20


# Pictures


def painted(tmp_path: Path, picture: bytes) -> pucker.Clip:
    path = gltf_with(tmp_path, "paint.png")
    (tmp_path / "paint.png").write_bytes(picture)
    return pucker.load(path)


def png_of_claimed_size(side: int) -> bytes:
    """A picture of one colour, which packs to a thousandth."""
    stream = io.BytesIO()
    Image.new("L", (side, side)).save(stream, "PNG")
    return stream.getvalue()


@pytest.mark.parametrize(
    ("picture", "words"),
    [
        (b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(100), "cannot identify image file"),
        (b"\x89PNG\r\n\x1a\n", "cannot identify image file"),
        (png_of_claimed_size(64)[:-30], "truncated"),
        (png_of_claimed_size(9000), "has 9000 x 9000 pixels, the limit of pixels is 67108864"),
    ],
)
def test_pictures_that_cannot_be_read_are_left_out_with_a_warning(tmp_path: Path, picture: bytes, words: str) -> None:
    clip = painted(tmp_path, picture)
    (material,) = clip.material_list
    before = peak()
    with pytest.warns(UserWarning, match=rf"texture 'paint\.png' of material .* is left out: .*{words}"):
        assert decoded(material) is None
    assert peak() - before < 32 << 20
    if "9000" in words:
        assert decoded(material, Limits(pixels=1 << 27)) is not None


def test_pictures_together_take_no_more_memory_than_the_limit_and_each_counts_once() -> None:
    pictures = [png_of_claimed_size(side) for side in (64, 65, 66)]
    order = (0, 1, 0, 2, 1)
    materials = [SimpleNamespace(name=f"m{n}", texture=pictures[n], texture_name=f"{n}.png") for n in order]
    materials.append(SimpleNamespace(name="plain", texture=b"", texture_name=""))
    assert distinct(materials) == (pictures, [0, 1, 0, 2, 1, -1])
    enough_for_two = Limits(memory=16 * (64**2 + 65**2))
    with pytest.warns(
        UserWarning, match=r"'2\.png' of material 'm2' is left out: with those before it .* the limit of memory"
    ):
        assert distinct(materials, enough_for_two) == (pictures[:2], [0, 1, 0, -1, 1, -1])


def test_clip_with_an_unreadable_picture_is_drawn_and_baked(tmp_path: Path) -> None:
    clip = painted(tmp_path, b"\xabKTX 20\xbb\r\n\x1a\n" + bytes(100))
    with pytest.warns(UserWarning, match="is left out"), ClipRenderer(clip, (32, 32)) as renderer:
        assert np.asarray(renderer.frame(0)).shape == (32, 32, 3)
    with pytest.warns(UserWarning, match="is left out"):
        assert picture_of(clip.material_list[0]) is None


# Nodes that hold one another


def gltf_of_nested_nodes(path: Path, depth: int) -> Path:
    """Each node holds the next one twice, so that 4 kB are 2**depth nodes."""
    file = GltfFile()
    mesh = file.mesh(TRIANGLE, np.array([[0, 1, 2]]))
    file.node(name="top", children=[1, 1])
    for k in range(1, depth):
        file.add("nodes", {"name": f"n{k}", "children": [k + 1, k + 1]})
    file.add("nodes", {"name": "leaf", "mesh": mesh})
    file.animation("slide", {(0, "translation"): ([0.0, 1.0], np.zeros((2, 3)))})
    return file.write(path)


def dae_of_nested_nodes(path: Path, depth: int) -> Path:
    nodes = "".join(
        f'<node id="n{k}"><instance_node url="#n{k + 1}"/><instance_node url="#n{k + 1}"/></node>' for k in range(depth)
    )
    text = DAE.decode()
    at = text.index("<library_visual_scenes>")
    nodes = f'<library_nodes>{nodes}<node id="n{depth}"/></library_nodes>'
    text = text[:at] + nodes + text[at:]
    path.write_text(
        re.sub(r"(<visual_scene [^>]*>)", r'\1<node id="top"><instance_node url="#n0"/></node>', text, count=1)
    )
    return path


def fbx_of_nested_nodes(path: Path, depth: int) -> Path:
    models = "".join(f'\tModel: {k}, "Model::n{k}", "Null" {{\n\t\tVersion: 232\n\t}}\n' for k in range(1, depth + 1))
    hung = "".join(f'\tC: "OO",{k + 1},{k}\n' * 2 for k in range(1, depth))
    path.write_text(
        "; FBX 7.4.0 project file\nFBXHeaderExtension:  {\n\tFBXHeaderVersion: 1003\n\tFBXVersion: 7400\n}\n"
        f'Objects:  {{\n{models}}}\nConnections:  {{\n\tC: "OO",1,0\n{hung}}}\n'
    )
    return path


@pytest.mark.parametrize("write", [gltf_of_nested_nodes, dae_of_nested_nodes, fbx_of_nested_nodes])
def test_nodes_that_hold_one_another_are_bounded_before_they_are_written_out(
    tmp_path: Path, write: Callable[[Path, int], Path]
) -> None:
    path = write(tmp_path / f"nested.{write.__name__.partition('_')[0]}", 40)
    assert path.stat().st_size < 20_000
    before = peak()
    with pytest.raises(
        pucker.Error, match=rf"{path.name}: its nodes, written out .*; the limit of memory is .* PUCKER_MAX_MEMORY"
    ):
        pucker.inspect(path)
    assert peak() - before < 64 << 20
    write(path, 6)
    if path.suffix != ".fbx":  # which has no mesh
        assert pucker.inspect(path).triangles >= 1


def test_nodes_below_themselves_are_told(tmp_path: Path) -> None:
    path = gltf_of_nested_nodes(tmp_path / "ring.gltf", 4)
    tree = json.loads(path.read_text())
    tree["nodes"][4]["children"] = [2]
    path.write_text(json.dumps(tree))
    with pytest.raises(pucker.Error, match=r"ring\.gltf: node 2 of the file is below itself"):
        pucker.inspect(path)
    tree["nodes"] = [{"children": [k + 1]} for k in range(5000)] + [{"mesh": 0}]
    path.write_text(json.dumps(tree))
    with pytest.raises(pucker.Error, match=r"ring\.gltf: its nodes are nested deeper than 2000"):
        pucker.inspect(path)
    tree["nodes"], tree["scenes"] = "x", [{"nodes": [0, "y", {}]}, 3]
    path.write_text(json.dumps(tree))
    with pytest.raises(pucker.Error, match=r"ring\.gltf: "):
        pucker.inspect(path)


def test_meshes_that_many_nodes_place_are_bounded_before_they_are_placed(tmp_path: Path) -> None:
    path = sliding(tmp_path / "many.gltf", 1.0, 3000)
    tree = json.loads(path.read_text())
    tree["nodes"] += [{"mesh": 0}] * 4000
    tree["scenes"][0]["nodes"] = list(range(4001))
    path.write_text(json.dumps(tree))
    before = peak()
    with pytest.raises(pucker.Error, match=r"many\.gltf: its nodes, .* are 4001 with 1.2003e.07 vertices"):
        pucker.inspect(path)
    assert peak() - before < 64 << 20


@pytest.mark.parametrize("name", ["EXT_meshopt_compression", "KHR_mesh_quantization"])
def test_data_that_is_packed_is_named_by_the_core_with_what_unpacks_it(tmp_path: Path, name: str) -> None:
    path = sliding(tmp_path / "packed.gltf", 1.0)
    tree = json.loads(path.read_text())
    tree["extensionsRequired"] = tree["extensionsUsed"] = [name]
    path.write_text(json.dumps(tree))
    with pytest.raises(
        pucker.Error,
        match=rf"packed by {name}, which is not read; gltfpack -noq -kn -km -i packed\.gltf -o unpacked\.glb",
    ):
        sources.open_file(path)


# What belongs to a model


def with_value_clips(folder: Path, other: str, clip: str) -> Path:
    """A mesh whose points are those of another file, by a manifest."""
    stage = Usd.Stage.CreateNew(str(folder / "main.usda"))
    mesh = UsdGeom.Mesh.Define(stage, "/cloth")
    mesh.CreatePointsAttr()
    mesh.CreateFaceVertexCountsAttr([3])
    mesh.CreateFaceVertexIndicesAttr([0, 1, 2])
    stage.SetStartTimeCode(0)
    stage.SetEndTimeCode(1)
    clips = Usd.ClipsAPI(mesh.GetPrim())
    clips.SetClipAssetPaths([Sdf.AssetPath(clip)])
    clips.SetClipManifestAssetPath(Sdf.AssetPath(other))
    clips.SetClipPrimPath("/cloth")
    clips.SetClipActive([(0, 0)])
    clips.SetClipTimes([(0, 0), (1, 1)])
    stage.Save()
    return folder / "main.usda"


@pytest.mark.parametrize("which", ["manifest", "clip", "both", "link"])
def test_value_clips_outside_the_folder_are_refused(secret: Path, which: str) -> None:
    model = secret.parent / "model"
    for folder in (secret.parent, model):
        usd_with(folder, "none.png")
    (model / "link.usda").symlink_to(secret.parent / "cloth.usda")
    outside = "./link.usda" if which == "link" else "../cloth.usda"
    names = {"manifest": (outside, "./cloth.usda"), "clip": ("./cloth.usda", outside)}.get(which, (outside, outside))
    path = with_value_clips(model, *names)
    with pytest.raises(pucker.Error, match=r"main\.usda: takes the layer .*\.usda from outside its folder"):
        pucker.load(path)
    assert len(pucker.load(path, anywhere=True)) > 1
    assert len(pucker.load(with_value_clips(model, "./cloth.usda", "./cloth.usda"))) > 1


def test_files_beside_a_model_that_are_links_to_outside_are_refused(secret: Path, data_dir: Path) -> None:
    model = secret.parent / "model"
    (secret.parent / "cloth.obj").write_text(OBJ)
    for k in range(2):
        (model / f"{k}.obj").symlink_to(secret.parent / "cloth.obj")
    with pytest.raises(pucker.Error, match=r"takes .*0\.obj from outside its folder"):
        pucker.load(model)
    assert len(pucker.load(model, anywhere=True)) == 2
    (model / "cloth.obj").symlink_to(secret.parent / "cloth.obj")
    points = struct.pack(">iiff", 2, 3, 0.0, 1.0) + np.tile(TRIANGLE, (2, 1)).astype(">f4").tobytes()
    (model / "cloth.mdd").write_bytes(points)
    with pytest.raises(pucker.Error, match=r"cloth\.mdd: takes .*cloth\.obj from outside its folder"):
        pucker.load(model / "cloth.mdd")
    (model / "lower.md3").write_bytes((data_dir / "kyonshi_lower.md3").read_bytes())
    (model / "lower_default.skin").symlink_to(secret)
    with pytest.raises(pucker.Error, match=r"takes .*lower_default\.skin from outside its folder"):
        pucker.inspect(model / "lower.md3")
    (model / "lower_default.skin").unlink()
    (secret.parent / "upper.md3").write_bytes((data_dir / "kyonshi_upper.md3").read_bytes())
    (model / "upper.md3").symlink_to(secret.parent / "upper.md3")
    with pytest.raises(pucker.Error, match=r"takes .*upper\.md3 from outside its folder"):
        pucker.inspect(model / "lower.md3")


def test_a_model_that_is_itself_a_link_is_read(secret: Path, data_dir: Path) -> None:
    # As caches of models have them. Files that such a model names must still lie beside it.
    model = secret.parent / "model"
    (model / "mage.glb").symlink_to(data_dir / "mage.glb")
    assert pucker.inspect(model / "mage.glb", isolated=True).clips
    gltf_with(secret.parent, "secret.png")
    (model / "cloth.gltf").symlink_to(secret.parent / "cloth.gltf")
    assert pucker.load(model / "cloth.gltf").material_list[0].texture == b""
    (model / "secret.png").write_bytes(secret.read_bytes())
    assert pucker.load(model / "cloth.gltf").material_list[0].texture == secret.read_bytes()


# Pictures that hide what they take


def tiff(**tags: int) -> bytes:
    """A packed picture of 16 x 16 pixels whose numbered tags claim something else."""
    stream = io.BytesIO()
    Image.new("L", (16, 16)).save(stream, "TIFF", compression="tiff_lzw")
    data = bytearray(stream.getvalue())
    (start,) = struct.unpack_from("<I", data, 4)
    (count,) = struct.unpack_from("<H", data, start)
    entries = {struct.unpack_from("<H", data, start + 2 + 12 * k)[0]: start + 2 + 12 * k for k in range(count)}
    kept = [bytes(data[at : at + 12]) for at in entries.values()]
    kept = [entry for entry in kept if f"t{struct.unpack_from('<H', entry)[0]}" not in tags]
    kept += [struct.pack("<HHII", int(name[1:]), 4, 1, value) for name, value in tags.items()]
    kept.sort(key=lambda entry: struct.unpack_from("<H", entry)[0])
    end = len(data)
    data += struct.pack("<H", len(kept)) + b"".join(kept) + bytes(4)
    struct.pack_into("<I", data, 4, end)
    return bytes(data)


@pytest.mark.parametrize(
    "tags",
    [
        {"t322": 20_000, "t323": 20_000, "t324": 8, "t325": 29},  # one tile far larger than the picture
        {"t278": 2**31 - 1, "t257": 2**22},  # a strip of all rows
        {"t277": 4096, "t258": 8},
    ],
)
def test_pictures_that_claim_more_than_their_pixels_are_left_out_before_memory_is_taken(
    tmp_path: Path, tags: dict[str, int]
) -> None:
    clip = painted(tmp_path, tiff(**tags))
    before = peak()
    with pytest.warns(UserWarning, match=r"is left out"):
        assert decoded(clip.material_list[0]) is None
    assert peak() - before < 64 << 20


def test_ordinary_tiffs_are_decoded(tmp_path: Path) -> None:
    for options in ({"compression": "raw"}, {"compression": "tiff_lzw"}, {"compression": "jpeg"}):
        stream = io.BytesIO()
        Image.new("RGB", (300, 200), (10, 200, 30)).save(stream, "TIFF", **options)
        picture = decoded(painted(tmp_path, stream.getvalue()).material_list[0])
        assert picture is not None
        assert picture.size == (300, 200)
