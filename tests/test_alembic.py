"""Alembic files, which Blender's module reads and writes, opened by pucker."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest

import pucker
from pucker.examples import folded_sheet

pytestmark = pytest.mark.blender

# A quad that a keyframed empty carries along x at 24 frames per second, and a still triangle with a material and
# texture coordinates; written by Blender alone.
SCENE = """
import sys
import bpy

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 13
carrier = bpy.data.objects.new("carrier", None)
scene.collection.objects.link(carrier)
carrier.location = (0, 0, 0)
carrier.keyframe_insert("location", frame=1)
carrier.location = (12, 0, 0)
carrier.keyframe_insert("location", frame=13)
for layer in carrier.animation_data.action.layers:
    for strip in layer.strips:
        for bag in strip.channelbags:
            for curve in bag.fcurves:
                for key in curve.keyframe_points:
                    key.interpolation = "LINEAR"

def mesh(name, corners, faces):
    made = bpy.data.meshes.new(name)
    made.from_pydata(corners, [], faces)
    obj = bpy.data.objects.new(name, made)
    scene.collection.objects.link(obj)
    return obj

quad = mesh("quad", [(0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1)], [(0, 1, 2, 3)])
quad.parent = carrier
triangle = mesh("triangle", [(0, 0, 0), (2, 0, 0), (0, 2, 0)], [(0, 1, 2)])
for obj in (quad, triangle):
    layer = obj.data.uv_layers.new(name="UVMap")
    for loop in obj.data.loops:
        x, y, _ = obj.data.vertices[loop.vertex_index].co
        layer.uv[loop.index].vector = (x / 2, y / 2)
    obj.data.materials.append(bpy.data.materials.new(f"silk_{obj.name}"))
bpy.ops.wm.alembic_export(filepath=sys.argv[1], start=1, end=13, as_background_job=False, uvs=True, face_sets=True)
"""


@pytest.fixture(scope="module")
def moved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("alembic") / "moved.abc"
    subprocess.run([sys.executable, "-c", SCENE, path], check=True, capture_output=True)
    return path


def test_what_pucker_wrote_is_read_again(tmp_path, data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=24.0)
    for suffix in ("abc", "npz"):
        pucker.bake.surface(clip, tmp_path / f"walk.{suffix}", levels=1)
    expected = np.load(tmp_path / "walk.npz")
    found = pucker.load(tmp_path / "walk.abc", parts=["garment"], fps=24.0)
    np.testing.assert_array_equal(found.faces, expected["faces"])
    np.testing.assert_allclose(found.positions, expected["positions"], rtol=0, atol=1e-6)
    np.testing.assert_allclose(found.times, clip.times, atol=1e-9)
    body = pucker.load(tmp_path / "walk.abc", parts=["body"], fps=24.0)
    assert len(body.faces) == len(expected["body_faces"])


def test_a_file_of_another_program_has_its_parts_transforms_and_coordinates(moved):
    info = pucker.io.inspect(moved)
    assert info.clips == {"all": pytest.approx(0.5)}
    assert info.nodes == {"quad": 2, "triangle": 1}
    assert set(info.materials) == {"silk_quad", "silk_triangle"}
    clip = pucker.load(moved, fps=24.0, parts=["quad"])
    assert len(clip) == 13
    # Blender's y is pucker's −z; the quad lies at a height of 1 and goes along x, one unit a frame.
    corners = np.array([[0, 1, 0], [1, 1, 0], [1, 1, -1], [0, 1, -1]])
    steps = np.arange(13)[:, None, None] * [1.0, 0.0, 0.0]
    np.testing.assert_allclose(clip.positions, corners + steps, atol=1e-5)
    np.testing.assert_allclose(clip.uv, 0.5 * corners[:, [0, 2]] * [1, -1], atol=1e-6)


@pytest.mark.parametrize("fps", [12.0, 24.0, 30.0, 48.0])
def test_it_is_read_at_any_rate(moved, fps):
    clip = pucker.load(moved, fps=fps, parts=["quad"])
    np.testing.assert_allclose(clip.positions[:, 0, 0], 24.0 * clip.times, atol=2e-3)


def test_a_child_process_reads_the_same(moved):
    own, other = (pucker.load(moved, isolated=isolated) for isolated in (False, True))
    np.testing.assert_array_equal(own.positions, other.positions)
    np.testing.assert_array_equal(own.faces, other.faces)


def test_what_is_no_alembic_is_refused(tmp_path):
    for content in (b"", b"Ogawa", np.random.default_rng(1).bytes(1000)):
        (tmp_path / "broken.abc").write_bytes(content)
        with pytest.raises(pucker.Error, match=r"broken\.abc: cannot be read as Alembic: ."):
            pucker.load(tmp_path / "broken.abc")
    with pytest.raises(pucker.Error, match="no such file"):
        pucker.load(tmp_path / "none.abc")


def test_a_file_that_does_not_move_has_no_clip(tmp_path):
    sheet = folded_sheet(4, 4, frames=2)
    still = pucker.Clip.from_arrays(sheet.faces, sheet.positions[:1], [0.0])
    pucker.bake.surface(still, tmp_path / "still.abc", levels=1)
    assert pucker.io.inspect(tmp_path / "still.abc").nodes == {"garment": len(sheet.faces)}


def test_an_isolated_read_leaves_nothing_behind(moved, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    clip = pucker.load(moved, isolated=True)
    assert len(clip) > 1
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(pucker.Error, match="takes longer"):
        pucker.load(moved, isolated=True, limits=pucker.io.Limits(seconds=0.05))
    assert list(tmp_path.iterdir()) == []
