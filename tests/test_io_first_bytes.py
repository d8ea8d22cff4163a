"""Files that are not what their names say: the error says what they are and what to do."""

import zipfile
from pathlib import Path

import pytest

import pucker
from pucker.io import open_source

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n"


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("a.glb", b"", "is empty"),
        ("a.glb", POINTER, "pointer of Git LFS, .* git lfs pull"),
        ("a.fbx", POINTER, "pointer of Git LFS, .* git lfs pull"),
        ("a.md3", POINTER, "pointer of Git LFS, .* git lfs pull"),
        ("a.vrm", b"<!DOCTYPE html><html>404</html>", "is a web page"),
        ("a.glb", b'{"asset": {"version": "2.0"}}', r"is glTF in text, whose name must end in \.gltf"),
        (
            "a.glb",
            b"glTF\x02\x00\x00\x00\xef\xbf\xbd\xef\xbf\xbd\x0a\x00\x00\x08JSON{",
            "was saved as text, which has lost the bytes that are no letters; it must be fetched again as it is",
        ),
        ("a.glb", "\ufeffglTF\x02 JSON{".encode("utf-16-le"), "was saved as text, .* fetched again as it is"),
        ("a.fbx", "\ufeffKaydara FBX Binary  \0".encode("utf-16-be"), "was saved as text, .* fetched again as it is"),
        ("a.gltf", b"glTF\x02\x00\x00\x00\x64\x00\x00\x00", "is truncated: it has 12 bytes, where its header says 100"),
        (
            "a.md5mesh",
            b"MD5Version 10",
            r"unknown format 'md5mesh'; known are .*; what opens it, .* can write it as \.glb",
        ),
        # FBX that assimp does not read may be fine for other programs.
        (
            "a.fbx",
            b"Kaydara FBX Binary  \x00\x1a\x00\x84\x1c\x00\x00" + 40 * b"no record",
            r"FBX-.*; what opens it, such as Blender, can write it as \.glb",
        ),
    ],
)
@pytest.mark.parametrize("isolated", [False, True])
def test_what_a_file_is_in_place_of_what_its_name_says(
    name: str, content: bytes, told: str, isolated: bool, tmp_path: Path
) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(pucker.Error, match=told):
        open_source(tmp_path / name, isolated=isolated).inspect()


def test_a_truncated_file_says_what_it_lacks(data_dir: Path, tmp_path: Path) -> None:
    whole = (data_dir / "mage.glb").read_bytes()
    (tmp_path / "a.glb").write_bytes(whole[:100_000])
    with pytest.raises(pucker.Error, match=rf"it has 100000 bytes, where its header says {len(whole)}"):
        pucker.inspect(tmp_path / "a.glb")
    (tmp_path / "a.fbx").write_bytes((data_dir / "female_dress.fbx").read_bytes()[:50_000])
    with pytest.raises(pucker.Error, match=r"a\.fbx: is truncated: it has 50000 bytes, and what begins at byte"):
        pucker.inspect(tmp_path / "a.fbx")


def test_of_two_files_the_one_that_is_wrong_is_named(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "walk.fbx").write_bytes(POINTER)
    with pytest.raises(pucker.Error, match=r"walk\.fbx: is a pointer"):
        pucker.inspect(data_dir / "mage.glb", motion=tmp_path / "walk.fbx")


def test_other_errors_stay_as_they_are(data_dir: Path, tmp_path: Path) -> None:
    """Also of what is missing, and of what is no file."""
    content = bytearray((data_dir / "female_dress.fbx").read_bytes())
    content[-300:] = bytes(300)
    content[27:31] = bytes(4)
    (tmp_path / "a.fbx").write_bytes(content)
    for path, told in (
        ("a.fbx", "FBX-Parser unexpected end of file"),
        ("none.glb", "no such file"),
        ("", "holds no OBJ file"),
    ):
        with pytest.raises(pucker.Error, match=told):
            pucker.inspect(tmp_path / path)


def test_a_model_in_an_archive_or_a_folder_is_named(tmp_path: Path) -> None:
    """As sites that share models pack them."""
    folder = tmp_path / "model"
    (folder / "source").mkdir(parents=True)
    (folder / "license.txt").write_text("free")
    (folder / "source" / "scene.gltf").write_text("{}")
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.write(folder / "source" / "scene.gltf", "source/scene.gltf")
    for path, how in ((folder, "itself"), (tmp_path / "model.zip", "once the archive is unpacked")):
        with pytest.raises(
            pucker.Error, match=f"holds no OBJ file; it holds source/scene.gltf, which can be read {how}$"
        ):
            pucker.inspect(path, isolated=True)
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("license.txt", "free")
    with pytest.raises(pucker.Error, match=r"holds no OBJ file$"):
        pucker.inspect(tmp_path / "other.zip")
