"""Bytes that are read in place of a file's, as those of files that are written anew first."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fbx_binary import write as write_fbx
from gltf_writer import GltfFile

import pucker
from pucker._core import sources
from pucker.io import Limits, open_source

TRIANGLE = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])


def sliding(end: float = 1.0, names: tuple[str, ...] = ()) -> GltfFile:
    """Triangles of which the first slides along x; each has a material that shows a picture of one name."""
    file = GltfFile()
    for name in names or ("",):
        mesh = file.mesh(TRIANGLE, np.array([[0, 1, 2]]))
        file.node(name="slider", mesh=mesh)
        if name:
            texture = file.add("textures", {"source": file.add("images", {"uri": name})})
            colour = {"pbrMetallicRoughness": {"baseColorTexture": {"index": texture}}}
            file.json["meshes"][mesh]["primitives"][0]["material"] = file.add("materials", {"name": name, **colour})
    file.animation("slide", {(0, "translation"): ([0.0, 1.0], [[0.0, 0.0, 0.0], [end, 0.0, 0.0]])})
    return file


def text_of(file: GltfFile, folder: Path) -> bytes:
    return file.write(folder / "text").read_bytes()


def glb_of(file: GltfFile, folder: Path) -> bytes:
    return file.write_glb(folder / "glb").read_bytes()


def on_disk(path: Path, content: bytes = b"something else") -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.mark.parametrize(
    ("name", "of"), [("a.gltf", text_of), ("a.gltf", glb_of), ("a.glb", glb_of), ("a.vrm", glb_of)]
)
def test_contents_are_read_in_place_of_what_is_on_disk(tmp_path: Path, name: str, of: Any) -> None:
    path = on_disk(tmp_path / name)
    clip = sources.open_file(path, contents={path: of(sliding(2.0), tmp_path)}).load(fps=1.0)
    np.testing.assert_array_equal(clip.positions[:, 0, 0], [0.0, 2.0])
    assert clip.name == "a slide"


def test_contents_of_both_files_are_read(tmp_path: Path) -> None:
    path, motion = on_disk(tmp_path / "still.glb"), on_disk(tmp_path / "moves.gltf")
    contents = {path: glb_of(sliding(1.0), tmp_path), motion: text_of(sliding(3.0), tmp_path)}
    clip = sources.open_file(path, motion, contents=contents).load(fps=1.0)
    np.testing.assert_array_equal(clip.positions[:, 0, 0], [0.0, 3.0])


def test_contents_may_be_gone_once_the_file_is_open(tmp_path: Path) -> None:
    """Also where nodes of one name are told apart, for which the content is parsed twice."""
    path = on_disk(tmp_path / "a.glb")
    names = ("one.png", "two.png")
    source = sources.open_file(path, contents={path: glb_of(sliding(2.0, names), tmp_path)})
    assert list(source.inspect().nodes) == ["slider", "slider (2)"]
    np.testing.assert_array_equal(source.load(fps=1.0).positions[:, 0, 0], [0.0, 2.0])


@pytest.mark.parametrize(
    ("name", "place"),
    [("maps/b.png", "maps/b.png"), ("C:/work/maps/b.png", "maps/b.png"), ("other/b.png", "deeper/b.png")],
)
def test_pictures_are_found_as_those_of_the_file_on_disk(tmp_path: Path, name: str, place: str) -> None:
    on_disk(tmp_path / place, b"picture")
    file = sliding(1.0, (name,))
    plain, path = file.write(tmp_path / "plain.gltf"), on_disk(tmp_path / "a.gltf")
    for source in (sources.open_file(plain), sources.open_file(path, contents={path: plain.read_bytes()})):
        (material,) = source.load().material_list
        assert bytes(material.texture) == b"picture"


def test_pictures_outside_the_folder_are_left_alone(tmp_path: Path) -> None:
    on_disk(tmp_path / "secret.png", b"secret")
    path = on_disk(tmp_path / "home" / "a.gltf")
    contents = {path: text_of(sliding(1.0, ("../secret.png",)), tmp_path)}
    for anywhere, found in ((False, b""), (True, b"secret")):
        (material,) = sources.open_file(path, contents=contents, anywhere=anywhere).load().material_list
        assert bytes(material.texture) == found


def test_buffers_beside_the_file_are_read(tmp_path: Path) -> None:
    tree = json.loads(text_of(sliding(2.0), tmp_path))
    on_disk(tmp_path / "home" / "cloth.bin", bytes(sliding(2.0).buffer))
    tree["buffers"][0]["uri"] = "cloth.bin"
    path = on_disk(tmp_path / "home" / "a.gltf")
    clip = sources.open_file(path, contents={path: json.dumps(tree).encode()}).load(fps=1.0)
    np.testing.assert_array_equal(clip.positions[:, 0, 0], [0.0, 2.0])


@pytest.mark.parametrize(
    ("content", "told"), [(b"", "is empty"), (b"glTF", ""), (b'{"asset": {"version": "2.0"}}', ""), (b"Kaydara", "")]
)
def test_errors_name_the_file_that_was_given(tmp_path: Path, content: bytes, told: str) -> None:
    path = on_disk(tmp_path / "a.vrm", glb_of(sliding(), tmp_path))
    with pytest.raises(pucker.Error, match=rf"^{path}: {told}") as caught:
        sources.open_file(path, contents={path: content})
    assert ".vrm.glb" not in str(caught.value)


def test_a_file_that_is_missing_is_told(tmp_path: Path) -> None:
    path = tmp_path / "a.gltf"
    with pytest.raises(pucker.Error, match=r"a\.gltf: no such file"):
        sources.open_file(path, contents={path: text_of(sliding(), tmp_path)})


@pytest.mark.parametrize(("opened", "named"), [("a.gltf", "b.gltf"), ("a.md3", "a.md3"), ("a.obj", "a.obj")])
def test_contents_of_what_is_not_read_are_refused(tmp_path: Path, opened: str, named: str) -> None:
    path = on_disk(tmp_path / opened)
    with pytest.raises(ValueError, match=rf"contents must be of a gltf, .* that is opened, got those of .*{named}$"):
        sources.open_file(path, contents={tmp_path / named: b"content"})


def test_contents_are_limited_as_files_are(tmp_path: Path) -> None:
    path = on_disk(tmp_path / "a.gltf")
    content = text_of(sliding(), tmp_path)
    with pytest.raises(pucker.Error, match=rf"a\.gltf: has {len(content)} bytes; the limit of memory is 500 bytes"):
        sources.open_file(path, contents={path: content}, memory=500)


def test_pictures_of_all_materials_are_limited_together(tmp_path: Path) -> None:
    """One picture that many materials show is held by each."""
    on_disk(tmp_path / "cloth.png", bytes(1 << 20))
    path = sliding(1.0, ("cloth.png",) * 5).write(tmp_path / "a.gltf")
    assert len(open_source(path, limits=Limits(memory=5 << 20)).load().material_list) == 5
    with pytest.raises(pucker.Error, match=r"a\.gltf: the pictures of its materials take more than 5242880 bytes"):
        open_source(path, limits=Limits(memory=(5 << 20) - 1))


def test_an_open_file_tells_what_is_read_otherwise(tmp_path: Path) -> None:
    path = write_fbx(tmp_path / "late.fbx", {"cloth": [3.0, 5.0]}, (1 / 30, 0.8))
    with pytest.warns(UserWarning, match=r"late\.fbx: its take 'turn' .* is read from the first key to the last"):
        open_source(path)
