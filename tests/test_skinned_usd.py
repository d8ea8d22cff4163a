"""Skinned characters as USD: where OpenUSD's own skinning has them, and how clips are kept."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from engine_scenes import blender_usd_corners, needs_blender, oracle_corners, usd_corners
from pxr import Usd, UsdSkel, UsdValidation

import pucker
from pucker import bake
from pucker.bake.joints import Joints, Track
from pucker.bake.mesh import Garment
from pucker.bake.morphs import FineSkin
from pucker.bake.skinned_mesh import Binding
from pucker.bake.write.skinned_usd import _Skeleton
from pucker.cli import cli
from pucker.drape import Params
from pucker.quaternions import quaternions, rotations

CLOTHES = ["Clothes", "Band"]
TIMES = [k / 10 for k in range(10)]
PARAMS = Params(levels=1, iterations=5)


@pytest.fixture(scope="module")
def clips(data_dir):
    return {
        name: pucker.load(data_dir / "kimono_male.gltf", clip=name, parts=CLOTHES, fps=10.0)
        for name in ("Walk", "Punch")
    }


@pytest.fixture(scope="module")
def baked(clips, tmp_path_factory):
    """With as many targets as there are frames, and the report."""
    file = tmp_path_factory.mktemp("skinned") / "kimono.usdc"
    return file, bake.skinned(clips, file, params=PARAMS, targets=256)


@pytest.fixture(scope="module")
def run(clips):
    """Of each clip the corners (frames, M, 3) and their normals, ten frames at most."""
    found = {}
    for name, clip in clips.items():
        garment, frames = None, []
        for state in pucker.run(clip.beginning(min(len(clip), len(TIMES))), PARAMS):
            garment = garment or Garment(clip, state.detail.own_mesh, "file")
            shape = garment.shape(state.detail, state.frame)
            normals = shape.normals[garment.part.normal_faces]
            frames.append((shape.positions[garment.part.faces].reshape(-1, 3), normals.reshape(-1, 3)))
        found[name] = tuple(np.array(each) for each in zip(*frames, strict=True))
    return found


@pytest.mark.parametrize("clip", ["Walk", "Punch"])
def test_usd_shows_the_run_in_every_variant(baked, clips, run, clip):
    file, report = baked
    assert report.clips == ("Walk", "Punch")
    positions, normals = run[clip]
    shown, shaded = usd_corners(file, clip, TIMES[: len(positions)])
    apart = np.linalg.norm(shown - positions, axis=2) / clips[clip].height
    # Where joints flatten the cloth it is held to the bind pose.
    assert apart.max() < 2e-4
    assert np.median(apart) < 1e-5
    assert (shaded * normals).sum(axis=2).mean() > 0.99


def test_the_first_clip_is_chosen(baked):
    chosen, walk, punch = (usd_corners(baked[0], clip, TIMES[3:4])[0] for clip in (None, "Walk", "Punch"))
    np.testing.assert_array_equal(chosen, walk)
    assert np.abs(chosen - punch).max() > 0.01


def test_it_is_where_the_gltf_is(baked, clips, tmp_path):
    """Of regions too, whose blend shapes name the points that they move."""
    clip = {"Walk": clips["Walk"]}
    for basis in ("whole", "regions"):
        files = [tmp_path / f"{basis}{suffix}" for suffix in (".glb", ".usdc")]
        for file in files:
            bake.skinned(clip, file, params=PARAMS, targets=4, basis=basis, quantized=False)
        shown, _ = usd_corners(files[1], "Walk", TIMES)
        # The file's triangles are those of the mesh; in glTF they are sorted by material.
        stage = Usd.Stage.Open(str(files[1]))
        prim = stage.GetDefaultPrim().GetChild("garment")
        subsets = {
            child.GetName(): np.array(child.GetAttribute("indices").Get())
            for child in prim.GetChildren()
            if child.GetTypeName() == "GeomSubset"
        }
        order = np.concatenate(
            [subsets[material.name] for material in clips["Walk"].material_list if material.name in subsets]
        )
        corners = shown.reshape(len(TIMES), -1, 3, 3)[:, order].reshape(len(TIMES), -1, 3)
        # USD keeps scales of joints as half floats, and the clip's legs grow by 5e-5.
        assert np.abs(corners - oracle_corners(files[0], "Walk", TIMES)).max() < 1e-5 * clips["Walk"].height
        sparse = [
            each.HasAttribute("pointIndices") and each.GetAttribute("pointIndices").IsAuthored()
            for each in prim.GetChildren()
            if each.GetTypeName() == "BlendShape"
        ]
        assert any(sparse) == (basis == "regions")


def test_the_rest_of_the_character_is_where_the_clip_has_it(baked, clips):
    clip = clips["Walk"]
    body = clip.body_positions[: len(TIMES), clip.body_faces].reshape(len(TIMES), -1, 3)
    assert np.abs(usd_corners(baked[0], "Walk", TIMES, "body")[0] - body).max() < 1e-5 * clip.height


@pytest.mark.blender
@needs_blender
@pytest.mark.parametrize("clip", ["Walk", "Punch"])
def test_blender_shows_the_same(baked, clips, clip, tmp_path):
    """Of the file itself the first clip, a time code a frame; another one by the layer that the page shows."""
    file, count = baked[0], min(len(clips[clip]), len(TIMES))
    if clip == "Walk":
        shown = blender_usd_corners(file, range(count), tmp_path)
    else:
        page = Path(__file__).parents[1] / "docs" / "bake.md"
        layer = page.read_text("utf-8").partition("```usda\n")[2].partition("```")[0]
        assert f"@{file.name}@" in layer
        assert '"Run"' in layer
        (tmp_path / file.name).write_bytes(file.read_bytes())
        (tmp_path / "run.usda").write_text(layer.replace('"Run"', f'"{clip}"'))
        # There, a second is 30 time codes, not 10.
        shown = blender_usd_corners(tmp_path / "run.usda", range(0, 3 * count, 3), tmp_path)
    for name, corners in shown.items():
        expected = usd_corners(file, clip, TIMES[:count], name)[0]
        assert np.ptp(expected, axis=0).max() > 0.1
        # Blender's bones have rotations as floats.
        assert np.abs(corners - expected).max() < 1e-5 * clips[clip].height


def test_clips_are_animations_of_their_own_length(baked, clips):
    stage = Usd.Stage.Open(str(baked[0]))
    root = stage.GetDefaultPrim()
    assert root.GetVariantSet("clip").GetVariantNames() == sorted(clips)
    for name, clip in clips.items():
        animation = UsdSkel.Animation(stage.GetPrimAtPath(f"/character/clips/{name}"))
        assert animation.GetRotationsAttr().GetTimeSamples() == pytest.approx(np.arange(len(clip)))
        assert len(animation.GetBlendShapesAttr().Get()) == baked[1].fits[-1].targets
    assert stage.GetEndTimeCode() == pytest.approx(max(map(len, clips.values())) - 1)


@pytest.mark.parametrize("suffix", [".usdc", ".usda", ".usdz"])
def test_files_pass_the_validators(clips, tmp_path, suffix):
    file = tmp_path / f"kimono{suffix}"
    clip = {"Walk": clips["Walk"].beginning(3), "Run again": clips["Walk"].beginning(2)}
    bake.skinned(clip, file, params=PARAMS)
    stage = Usd.Stage.Open(str(file))
    assert stage.GetDefaultPrim().GetVariantSet("clip").GetVariantNames() == ["Run_again", "Walk"]
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    found = UsdValidation.ValidationContext(validators).Validate(stage)
    assert [error.GetMessage() for error in found] == []


def test_scales_leave_the_joints_and_skinning_is_the_same(rng):
    """Joints a hundred times as large as the world, one of which is scaled by its clip."""
    parents = (-1, 0, 1, 1)
    turns = np.roll(quaternions(np.linalg.qr(rng.normal(size=(5, 4, 3, 3)))[0]), -1, axis=-1)
    scales = np.tile([[100.0], [0.3], [1.7], [-1.0]], (5, 1, 3)).astype(float)
    track = Track(np.arange(5.0), rng.normal(size=(5, 4, 3)), turns, scales.copy())
    track.scales[3, 2] *= 1.5
    world, bind = chained(track, parents, 3), chained(track, parents, 0)
    still = Track(np.zeros(1), track.translations[:1], turns[:1], scales[:1])
    bound = Binding((1, 2, 3), np.linalg.inv(bind[1:]), FineSkin.of(np.eye(3)))
    again = Binding((2,), np.linalg.inv(bind[2:3] @ np.diag([2.0, 2.0, 2.0, 1.0])), FineSkin.of(np.ones((1, 1))))
    skeleton = _Skeleton(Joints(("a", "b", "c.L", "c_L"), parents, still, {}), [bound, again])
    assert skeleton.tokens == ["a", "a/b", "a/b/c_L", "a/b/c_L_3", "a/b/c_L/again_1"]
    assert [numbers.tolist() for numbers in skeleton.joints_of] == [[1, 2, 3], [4]]
    free = skeleton.unscaled(track)
    np.testing.assert_allclose(np.abs(free.scales[0]), 1.0)
    np.testing.assert_allclose(np.abs(free.scales[3, 2]), 1.5)
    there = chained(free, parents, 3)
    for binding, numbers in zip((bound, again), skeleton.joints_of, strict=True):
        for node, inverse, joint in zip(binding.nodes, binding.inverse_binds, numbers, strict=True):
            np.testing.assert_allclose(
                there[node] @ np.linalg.inv(skeleton.binds[joint]), world[node] @ inverse, atol=1e-10
            )


def chained(track, parents, frame):
    """Where nodes are in a frame, (K, 4, 4)."""
    out = []
    for k, parent in enumerate(parents):
        local = np.eye(4)
        local[:3, :3] = rotations(np.roll(track.rotations[frame, k], 1)) * track.scales[frame, k]
        local[:3, 3] = track.translations[frame, k]
        out.append(out[parent] @ local if parent >= 0 else local)
    return np.array(out)


def test_from_the_command_line(data_dir, tmp_path):
    out = tmp_path / "kimono.usdz"
    words = ["bake", data_dir / "kimono_male.gltf", "--skinned", "--clips", "Punch,Jump", "--parts", "Clothes,Band"]
    words += ["--fps", 6, "--method", "drape", "--set", "levels=1", "--set", "iterations=2", "-o", out]
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert "2 targets: correlation 0.95" in result.output
    assert Usd.Stage.Open(str(out)).GetDefaultPrim().GetVariantSet("clip").GetVariantNames() == ["Jump", "Punch"]
