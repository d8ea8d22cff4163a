"""Skinned characters: what they show in pucker, Blender and three.js, and what is refused before anything is computed."""

import importlib.util
import itertools
import json
import re
import shutil
import sys

import numpy as np
import pytest
from click.testing import CliRunner
from engine_scenes import blender_corners, godot_corners, needs_blender, oracle_corners, three_corners, three_folder
from gltf_oracle import Gltf

import pucker
from pucker import bake
from pucker.bake.joints import Rig
from pucker.bake.morphs import FineSkin, by_region, followed, principal, raised, rebuilt, unposed
from pucker.cli import cli
from pucker.drape import Params

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
    """Quantized and not, with as many targets as there are frames, and their reports."""
    folder = tmp_path_factory.mktemp("skinned")
    files = {True: folder / "small.glb", False: folder / "floats.glb"}
    return {k: (file, bake.skinned(clips, file, params=PARAMS, targets=256, quantized=k)) for k, file in files.items()}


@pytest.fixture(scope="module")
def expected(clips):
    """Corners (10, M, 3) of the run over the first clip, triangles sorted by material."""
    clip = clips["Walk"]
    fine, frames = None, []
    for state in pucker.run(clip, PARAMS):
        fine = fine or state.detail.own_mesh
        order = np.argsort(clip.materials[fine.source], kind="stable")
        frames.append(state.detail.fine_positions[fine.faces[order]].reshape(-1, 3))
    return np.array(frames[: len(TIMES)])


@pytest.mark.parametrize("quantized", [True, False])
def test_with_all_components_it_is_where_the_run_is(baked, clips, expected, quantized):
    file, report = baked[quantized]
    assert report.quantized == quantized
    assert report.fits[-1].correlation > 0.9999
    shown = oracle_corners(file, "Walk", TIMES)
    apart = np.linalg.norm(shown - expected, axis=2) / clips["Walk"].height
    # Where joints flatten the cloth it is held to the bind pose.
    assert apart.max() < 2e-4
    assert np.median(apart) < 1e-5


def test_the_rest_of_the_character_is_where_the_clip_has_it(baked, clips):
    clip = clips["Walk"]
    order = np.argsort(clip.body_materials, kind="stable")
    body = clip.body_positions[: len(TIMES), clip.body_faces[order]].reshape(len(TIMES), -1, 3)
    assert np.abs(oracle_corners(baked[True][0], "Walk", TIMES, "body") - body).max() < 1e-5 * clip.height


@pytest.mark.parametrize("quantized", [True, False])
def test_pucker_reads_it_again(baked, clips, quantized):
    file = baked[quantized][0]
    again = pucker.load(file, clip="Walk", parts="garment", fps=10.0)
    shown = again.positions[: len(TIMES), again.faces].reshape(len(TIMES), -1, 3)
    assert np.abs(shown - oracle_corners(file, "Walk", TIMES)).max() < 1e-6 * clips["Walk"].height


@pytest.mark.blender
@needs_blender
@pytest.mark.parametrize("quantized", [True, False])
def test_blender_shows_the_same(baked, clips, quantized, tmp_path):
    file = baked[quantized][0]
    shown = blender_corners(file, "Walk", TIMES, tmp_path)
    assert np.abs(shown - oracle_corners(file, "Walk", TIMES)).max() < 2e-5 * clips["Walk"].height


@pytest.mark.skipif(three_folder() is None, reason="three.js with its glTF loader is not there: see docs/engines.md")
@pytest.mark.parametrize("quantized", [True, False])
def test_three_shows_the_same(baked, clips, quantized):
    file = baked[quantized][0]
    assert (
        np.abs(three_corners(file, "Walk", TIMES) - oracle_corners(file, "Walk", TIMES)).max()
        < 1e-6 * clips["Walk"].height
    )


@pytest.mark.skipif(shutil.which("godot3-server") is None, reason="no Godot: apt-get install godot3-server")
def test_godot_shows_the_same(baked, clips, tmp_path):
    """Without quantization, which Godot 3 does not know."""
    file = baked[False][0]
    shown = godot_corners(file, "Walk", TIMES, tmp_path)
    assert np.abs(shown - oracle_corners(file, "Walk", TIMES)).max() < 1e-5 * clips["Walk"].height


def test_what_the_report_says_is_what_the_file_shows(clips, expected, tmp_path):
    """Correlation and error of few targets, over the one clip that is baked."""
    clip = clips["Walk"].beginning(len(TIMES))
    file = tmp_path / "few.glb"
    report = bake.skinned({"Walk": clip}, file, params=PARAMS, targets=4, quantized=False)
    fits = report.fits
    assert [fit.targets for fit in fits] == [0, 1, 2, 4]
    assert all(a.error > b.error for a, b in itertools.pairwise(fits))
    shown = oracle_corners(file, "Walk", TIMES)
    # Corners are the vertices, each as often as it has triangles: nearly the same mean.
    error = np.sqrt(np.square(shown - expected).sum(axis=2).mean())
    assert error == pytest.approx(fits[-1].error, rel=0.15)


def test_weights_lie_between_0_and_1_and_joints_are_four_of_sum_1(baked):
    gltf = Gltf(baked[True][0])
    node = gltf.node("garment")
    for name in ("Walk", "Punch"):
        weights = gltf.clip_keys(name)[node, "weights"][1]
        assert weights.min() >= 0.0
        assert weights.max() <= 1.0
    for primitive in gltf.primitives(node):
        shares = gltf.accessor(primitive["attributes"]["WEIGHTS_0"])
        joints = gltf.accessor(primitive["attributes"]["JOINTS_0"])
        np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
        for joint, share in zip(joints, shares, strict=True):
            used = joint[share > 0.0]
            assert len(used) == len(set(used))


def test_normals_follow_the_folds(baked, clips):
    """Of the posed file they are nearer to those of the run with the targets' normals than without."""
    gltf = Gltf(baked[False][0])
    node, clip = gltf.node("garment"), clips["Walk"]
    weights = gltf.weights(node, "Walk", 0.5)
    with_targets, without = [], []
    for state in pucker.run(clip, PARAMS):
        if state.frame == 5:
            break
    fine = state.detail.own_mesh
    order = np.argsort(clip.materials[fine.source], kind="stable")
    from pucker.bake.mesh import Garment  # noqa: PLC0415

    garment = Garment(clip, fine, "file")
    run = garment.shape(state.detail, 5).normals[garment.part.normal_faces[order]].reshape(-1, 3)
    matrices = gltf.globals("Walk", 0.5)
    for primitive in gltf.primitives(node):
        corners = gltf.accessor(primitive["indices"])[:, 0].astype(int)
        joints, binds = gltf.skin(node)
        bones = np.array([matrices[j] @ binds[j] for j in joints])[:, :3, :3]
        which = gltf.accessor(primitive["attributes"]["JOINTS_0"]).astype(int)
        blend = np.einsum("vk,vkij->vij", gltf.accessor(primitive["attributes"]["WEIGHTS_0"]), bones[which])
        plain = gltf.accessor(primitive["attributes"]["NORMAL"])
        moved = plain + sum(w * gltf.accessor(t["NORMAL"]) for w, t in zip(weights, primitive["targets"], strict=True))
        for found, normals in ((without, plain), (with_targets, moved)):
            turned = np.einsum("vij,vj->vi", blend, normals)
            found.append((turned / np.linalg.norm(turned, axis=1, keepdims=True))[corners])
    near = [(np.concatenate(found) * run).sum(axis=1).mean() for found in (without, with_targets)]
    assert near[1] > 0.99
    assert near[1] > near[0]


def test_same_input_same_bytes(clips, tmp_path):
    clip = {"Walk": clips["Walk"].beginning(4)}
    files = [tmp_path / name for name in ("a.glb", "b.glb")]
    for file in files:
        bake.skinned(clip, file, params=PARAMS)
    assert files[0].read_bytes() == files[1].read_bytes()


# The mathematics


def test_unposing_undoes_a_blend(rng):
    blended = np.concatenate([rng.normal(size=(20, 3, 3)) + 3.0 * np.eye(3), rng.normal(size=(20, 3, 1))], axis=2)
    points = rng.normal(size=(20, 3))
    posed = np.einsum("vij,vj->vi", blended[:, :, :3], points) + blended[:, :, 3]
    np.testing.assert_allclose(unposed(blended, posed, points), points, atol=1e-12)
    flat = np.zeros((1, 3, 4))
    np.testing.assert_allclose(unposed(flat, np.ones((1, 3)), points[:1]), points[:1])


def test_a_fine_skin_keeps_the_four_largest(rng):
    weights = rng.dirichlet(np.ones(7), size=30)
    skin = FineSkin.of(weights)
    np.testing.assert_allclose(skin.weights.sum(axis=1), 1.0)
    np.testing.assert_allclose(skin.lost, np.sort(weights, axis=1)[:, :3].sum(axis=1))
    assert FineSkin.of(np.ones((3, 1))).joints.shape == (3, 4)


def test_components_are_those_of_the_singular_values(rng):
    rows = rng.normal(size=(9, 40, 3)).astype(np.float32)
    components = principal(rows, 4)
    values = np.linalg.svd(rows.reshape(9, -1).astype(np.float64), compute_uv=False)
    left = sum(np.square(rows[f] - rebuilt(components, f, 40)).sum() for f in range(9))
    assert left == pytest.approx(np.square(values[4:]).sum(), rel=1e-4)
    assert all(np.abs(component.weights).max() == pytest.approx(1.0) for component in components)


def test_all_components_of_regions_are_all_there_is(rng):
    rows, places = rng.normal(size=(6, 200, 3)).astype(np.float32), rng.normal(size=(200, 3))
    components = by_region(rows, places, 10**6, 256)
    assert any(component.vertices is not None and len(component.vertices) < 150 for component in components)
    for frame in range(6):
        assert np.abs(rebuilt(components, frame, 200) - rows[frame]).max() < 0.02
    few = by_region(rows, places, 500, 256)
    assert sum(len(component.displacements) for component in few) <= 500


def test_components_of_nothing_but_rounding_are_left_out():
    rng = np.random.default_rng(4)
    rows = 0.05 * rng.normal(size=(12, 500, 3)).astype(np.float32)
    rows -= rows.mean(axis=0)
    # Twelve rows without a mean have eleven dimensions, whatever 32 bits make of the twelfth.
    assert len(principal(rows, 256)) == 11


def test_raising_changes_no_frame(rng):
    rows = rng.normal(size=(6, 30, 3)).astype(np.float32)
    components = principal(rows, 3)
    mean = rng.normal(size=(30, 3))
    raised_ones, base, rest = raised(components, mean)
    for frame in range(6):
        np.testing.assert_allclose(
            base + rebuilt(raised_ones, frame, 30), mean + rebuilt(components, frame, 30), atol=1e-5
        )
    still = base + sum(w * each.displacements for w, each in zip(rest, raised_ones, strict=True))
    np.testing.assert_allclose(still, mean, atol=1e-5)


def test_values_that_follow_weights_are_found(rng):
    components = principal(rng.normal(size=(8, 10, 3)).astype(np.float32), 3)
    turns = rng.normal(size=(3, 10, 3))
    values = np.einsum("pf,pvd->fvd", [component.weights for component in components], turns)
    found = followed(components, values, np.arange(10))
    np.testing.assert_allclose(found, turns, atol=1e-4)


# What is refused, before anything is computed


@pytest.mark.usefixtures("never_run")
def test_bad_input_is_refused_in_a_sentence(clips, data_dir, tmp_path):
    file = tmp_path / "out.glb"
    sheet = pucker.examples.folded_sheet()
    with pytest.raises(ValueError, match="clip sheet has no skin"):
        bake.skinned({"sheet": sheet}, file)
    mage = pucker.load(data_dir / "mage.glb", clip="Walking_A", parts=["Mage_Body"], fps=5.0)
    with pytest.raises(ValueError, match="clip Mage has another skeleton than Walk"):
        bake.skinned({"Walk": clips["Walk"], "Mage": mage}, file)
    other = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"], fps=10.0)
    with pytest.raises(ValueError, match="clip Run has another"):
        bake.skinned({"Walk": clips["Walk"], "Run": other}, file)
    with pytest.raises(ValueError, match="1 to 256 targets"):
        bake.skinned(clips, file, targets=257)
    with pytest.raises(ValueError, match="at least one clip"):
        bake.skinned({}, file)
    with pytest.raises(ValueError, match=r"must end in one of \.glb, \.gltf, \.usdc, \.usda, \.usd, \.usdz: a skinned"):
        bake.skinned(clips, tmp_path / "out.fbx")
    with pytest.raises(ValueError, match="quantized must be off"):
        bake.skinned(clips, file, basis="regions")
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("never_run")
def test_more_joints_than_gltf_numbers_are_refused(clips, monkeypatch, tmp_path):
    monkeypatch.setattr(sys.modules["pucker.bake.skinned"], "MOST_JOINTS", 20)
    with pytest.raises(ValueError, match=r"a skin in glTF has 20 joints at most, and that of clip Walk has \d+"):
        bake.skinned(clips, tmp_path / "out.glb")
    assert not list(tmp_path.iterdir())


def test_what_garment_and_body_lose_by_four_joints_is_reported(data_dir, tmp_path):
    clip = pucker.load(data_dir / "female_dress.fbx", clip="HumanArmature|Female_Run", parts=["Dress"], fps=5.0)
    report = bake.skinned({"Run": clip.beginning(2)}, tmp_path / "dress.glb", params=PARAMS)
    weights = Rig.of(clip.body_skin).weights
    assert report.body_vertices_cut == ((weights > 0.0).sum(axis=1) > 4).sum() > 0
    assert report.body_most_lost == pytest.approx((1.0 - np.sort(weights, axis=1)[:, -4:].sum(axis=1)).max(), abs=1e-6)
    assert report.vertices_cut > 0


@pytest.mark.usefixtures("never_run")
def test_a_sheared_joint_is_refused(data_dir, tmp_path):
    """A matrix that no turn and scale along its own axes make."""
    content = json.loads((data_dir / "kimono_male.gltf").read_text())
    torso = next(k for k, node in enumerate(content["nodes"]) if node["name"] == "Torso")
    node = content["nodes"][torso]
    for part in ("translation", "rotation", "scale"):
        node.pop(part, None)
    node["matrix"] = [1, 0.5, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0.5, 0, 1]
    for clip in content["animations"]:
        clip["channels"] = [channel for channel in clip["channels"] if channel["target"]["node"] != torso]
    uneven = tmp_path / "uneven.gltf"
    uneven.write_text(json.dumps(content))
    clip = pucker.load(uneven, clip="Punch", parts=CLOTHES, fps=10.0)
    with pytest.raises(ValueError, match=r"Torso' is sheared by .* of clip Punch"):
        bake.skinned({"Punch": clip}, tmp_path / "out.glb")
    assert [file.name for file in tmp_path.iterdir()] == ["uneven.gltf"]


def test_from_the_command_line(data_dir, tmp_path):
    out = tmp_path / "kimono.glb"
    words = [
        "bake",
        data_dir / "kimono_male.gltf",
        "--skinned",
        "--clips",
        "Punch,Jump",
        "--parts",
        "Clothes,Band",
        "--fps",
        6,
    ]
    words += ["--method", "drape", "--set", "levels=1", "--set", "iterations=2", "-o", out]
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert "2 targets: correlation 0.95" in result.output
    assert [clip["name"] for clip in Gltf(out).json["animations"]] == ["Punch", "Jump"]
    refused = CliRunner().invoke(cli, [str(word) for word in [*words, "--clip", "Run"]])
    assert refused.exit_code == 2
    assert "chosen twice" in refused.output


@pytest.mark.parametrize("more", [[], ["--clip", "SitDown"], ["--clips", "SitDown,Run"], ["--quiet"]])
def test_a_command_says_that_it_bakes_every_clip_and_how_to_bake_fewer(data_dir, tmp_path, monkeypatch, more):
    monkeypatch.chdir(tmp_path)
    kimono = shutil.copy(data_dir / "kimono_male.gltf", "kimono.gltf")
    count = len(pucker.inspect(kimono).clips)
    words = ["bake", kimono, "--skinned", "--parts", "Band", "--fps", "1", "--method", "waves", "--levels", "1"]
    result = CliRunner().invoke(cli, [*words, "-o", "out.glb", *more])
    assert result.exit_code == 0, result.output
    told = re.findall(
        r"kimono.gltf: baking all (\d+) clips, \d+ frames; --clips A,B takes some of them\n", result.stderr
    )
    assert told == ([] if more else [str(count)])


def test_three_is_found_where_it_is_installed():
    assert (three_folder() is not None) or importlib.util.find_spec("nicegui") is None
