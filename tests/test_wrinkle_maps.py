"""Wrinkle maps: what three.js draws with them, which weights drive them, and what is refused."""

import base64
import json

import numpy as np
import pytest
from click.testing import CliRunner
from engine_scenes import blender_pictures, needs_blender, three_folder, three_pictures
from PIL import Image
from test_bake_maps import read_exr, read_png

import pucker
from pucker import bake
from pucker.bake.morphs import region_shares
from pucker.bake.wrinkle_maps import SHARPNESS, _ramp
from pucker.cli import cli
from pucker.examples import grid_faces

COLUMNS, ROWS, FRAMES, SIZE = 24, 6, 9, 512
PARAMS = pucker.Params(min_width=0.03)
PUSHED = np.sin(np.pi * np.arange(FRAMES) / (FRAMES - 1)) / 3.0


def pushed(side):
    """A strip, 2 long and 1/2 high, one half of which, left or right, is pushed together by up to a third, and let go again."""
    y, x = (each.ravel() for each in np.mgrid[: ROWS + 1, : COLUMNS + 1] / (COLUMNS / 2))
    half = x < 1.0 if side == "left" else x > 1.0
    places = np.zeros((FRAMES, x.size, 3))
    places[..., 0] = x + PUSHED[:, None] * np.where(half, 1.0 - x, 0.0)
    places[..., 1] = y
    rest, uv = np.stack([x, y, np.zeros_like(x)], axis=1), np.stack([x / 2.0, y / 2.0], axis=1)
    times = np.arange(FRAMES) / 30.0
    return pucker.Clip.from_arrays(grid_faces(COLUMNS, ROWS), places, times, uv=uv, rest=rest)


@pytest.fixture(scope="module")
def clips():
    return {side: pushed(side) for side in ("left", "right")}


@pytest.fixture(scope="module")
def baked(clips, tmp_path_factory):
    """The folder, what its JSON says, and the report; of two regions."""
    folder = tmp_path_factory.mktemp("maps") / "sheet"
    report = bake.wrinkle_maps(clips, folder, params=PARAMS, regions=2, size=SIZE)
    return folder, json.loads((folder / "wrinkles.json").read_text()), report


def read_mask(path):
    with Image.open(path) as image:
        assert image.mode == "L"
        return np.asarray(image) / 255.0


def masks_of(baked):
    return [read_mask(baked[0] / region["masks"]["material_0"]) for region in baked[1]["regions"]]


def test_each_region_shows_the_frame_in_which_its_wrinkles_are_deepest(clips, baked, tmp_path):
    folder, told, report = baked
    assert sorted(region.clip for region in report.regions) == ["left", "right"]
    normals = read_png(folder / "normal.png")
    heights = told["height_scale"] * read_png(folder / "height.png") + told["height_zero"]
    for region, mask in zip(report.regions, masks_of(baked), strict=True):
        of_clip = tmp_path / region.clip
        scale = bake.maps(clips[region.clip], of_clip, params=PARAMS, size=SIZE).height_scale
        zero = json.loads((of_clip / "maps.json").read_text())["height_zero"]
        frame = f"{region.frame:04d}.png"
        alone = mask >= 0.99
        assert alone.mean() > 0.04
        deep = read_png(of_clip / f"height_{frame}") * scale + zero
        assert deep[alone].max() > 0.003
        # The other region has a hundredth at most.
        np.testing.assert_allclose(heights[alone], deep[alone], atol=0.012 * np.abs(deep).max())
        np.testing.assert_allclose(normals[alone], read_png(of_clip / f"normal_{frame}")[alone], atol=0.02)


def test_masks_are_the_regions_shares(clips, baked):
    masks = masks_of(baked)
    covered = sum(masks) > 0.0
    assert covered.mean() == pytest.approx(0.25, abs=0.03)
    np.testing.assert_allclose(sum(masks)[covered], 1.0, atol=2 / 255)
    shares = region_shares(clips["left"].rest, 2, sharpness=SHARPNESS)
    for mask, share in zip(masks, shares.T, strict=True):
        # At the strip's vertices; texels lie half a texel beside them.
        rows, columns = (SIZE * np.arange(1, count) // COLUMNS for count in (ROWS, COLUMNS))
        expected = share.reshape(ROWS + 1, COLUMNS + 1)[1:-1, 1:-1]
        np.testing.assert_allclose(mask[::-1][np.ix_(rows, columns)], expected, atol=0.02)


def test_weights_follow_compression(clips, baked):
    _, told, report = baked
    shares = region_shares(clips["left"].rest, 2, sharpness=SHARPNESS)
    for k, region in enumerate(told["regions"]):
        assert region["to"] > region["from"]
        assert report.regions[k].correlation > 0.9
        for side, clip in clips.items():
            # Triangles of the half that is pushed are compressed alike, the others not at all.
            middle = clip.rest[clip.faces].mean(axis=1)[:, 0]
            half = middle < 1.0 if side == "left" else middle > 1.0
            share = shares[clip.faces].mean(axis=1)[:, k]
            compression = PUSHED * share[half].sum() / share.sum()
            expected = np.clip((compression - region["from"]) / (region["to"] - region["from"]), 0.0, 1.0)
            rows = np.array(told["clips"][side]["weights"])
            np.testing.assert_allclose(rows[:, k], expected, atol=1e-5)
            assert told["clips"][side]["times"] == pytest.approx(clip.times)
        own, other = (
            np.array(told["clips"][side]["weights"])[FRAMES // 2, k]
            for side in sorted(clips, key=lambda side: side != report.regions[k].clip)
        )
        assert own > 0.7
        assert other < 0.5


def encoded(path):
    return base64.b64encode(path.read_bytes()).decode()


def drawn_of(positions, faces, normals=None, **more):
    given = {"position": positions.ravel().tolist(), "faces": faces.ravel().tolist()} | more
    return given if normals is None else given | {"normal": normals.ravel().tolist()}


@pytest.mark.skipif(three_folder() is None, reason="three.js is not there: see docs/engines.md")
def test_three_draws_the_wrinkles_of_the_weights(clips, baked):
    """Normals times masks times weights on the coarse sheet shade it as the fine one of that frame is shaded."""
    folder, told, _ = baked
    frame = FRAMES // 2
    maps = {
        "map": encoded(folder / "normal.png"),
        "masks": [encoded(folder / region["masks"]["material_0"]) for region in told["regions"]],
    }
    meshes = []
    for side, clip in clips.items():
        coarse, up = clip.positions[frame], np.tile([0.0, 0.0, 1.0], (len(clip.positions[0]), 1))
        flat = drawn_of(coarse, clip.faces, up, uv=clip.uv.ravel().tolist())
        fine = pucker.Subdivision(clip.mesh, 16)
        points = details(clip)[frame].evaluate(fine.triangles, fine.barycentrics)
        meshes += [
            drawn_of(points.positions, fine.faces, points.normals),
            flat,
            flat | maps | {"clip": side, "time": float(clip.times[frame])},
            flat | maps | {"weights": [0.0, 0.0]},
            flat | maps | {"weights": [1.0, 1.0]},
        ]
    drawn = three_pictures(1000, (0.0, 2.0, -0.75, 1.25), meshes, told)
    for side, row in zip(clips, (drawn[:5], drawn[5:]), strict=True):
        fine, flat, shown, none, all_of_it = row
        np.testing.assert_array_equal(none, flat)
        # The half that is pushed, without its edges.
        rows = slice(390, 610)
        inside, other = np.s_[rows, 200:480], np.s_[rows, 600:980]
        if side == "right":
            inside, other = np.s_[rows, 520:800], np.s_[rows, 20:400]
        assert np.corrcoef((fine - flat)[inside].ravel(), (shown - flat)[inside].ravel())[0, 1] > 0.9
        # The other half's wrinkles are in the map, but have little weight.
        assert np.abs(shown - flat)[other].mean() < 0.5 * np.abs(all_of_it - flat)[other].mean()
        assert np.abs(all_of_it - flat)[other].mean() > 5.0


def details(clip, params=PARAMS):
    return [state.detail for state in pucker.run(clip, params)]


def height_map_of_a_frame(clip, folder):
    """The fine mesh's points, faces and texture coordinates in a frame, and that frame's height map: file, scale and zero."""
    frame = FRAMES // 2
    report = bake.maps(clip, folder, params=PARAMS, kinds=["height"], size=512)
    told = json.loads((folder / "maps.json").read_text())
    fine = pucker.Subdivision(clip.mesh, 16)
    points = details(clip)[frame].evaluate(fine.triangles, fine.barycentrics)
    uv = np.einsum("vc,vcd->vd", fine.barycentrics, clip.uv[clip.stored_faces[fine.triangles]])
    return points, fine.faces, uv, folder / f"height_{frame:04d}.png", report.height_scale, told["height_zero"]


@pytest.mark.skipif(three_folder() is None, reason="three.js is not there: see docs/engines.md")
def test_three_displaces_by_the_height_map_of_a_frame(clips, tmp_path):
    """A fine flat sheet that the height map displaces is shaded as the fine mesh is, both by their triangles' normals."""
    points, faces, uv, picture, scale, zero = height_map_of_a_frame(clips["left"], tmp_path / "maps")
    up = np.tile([0.0, 0.0, 1.0], (len(uv), 1))
    flat = drawn_of(points.base, faces, uv=uv.ravel().tolist())
    height = {
        "height": encoded(picture),
        "scale": scale,
        "bias": zero,
    }
    meshes = [
        drawn_of(points.positions, faces),
        flat,
        flat | height | {"normal": up.ravel().tolist(), "flat": True},
    ]
    shown, plain, displaced = three_pictures(480, (0.4, 0.9, 0.0, 0.5), meshes)
    assert np.abs(shown - plain).mean() > 5.0
    assert np.corrcoef((shown - plain).ravel(), (displaced - plain).ravel())[0, 1] > 0.9


@pytest.mark.blender
@needs_blender
def test_blender_draws_the_wrinkles_of_the_weights(clips, baked, tmp_path):
    """As three.js does, by the example's material in Cycles; and the example finds the same weights from the motion."""
    folder, told, _ = baked
    frame, meshes, followed = FRAMES // 2, [], []
    for side, clip in clips.items():
        uv, up = np.zeros((len(clip.rest), 2)), np.tile([0.0, 0.0, 1.0], (len(clip.rest), 1))
        uv[clip.faces] = clip.uv[clip.stored_faces]
        given = {"faces": clip.faces.tolist(), "uv": uv}
        flat = given | {"position": clip.positions[frame], "normal": up}
        maps = flat | {"maps": str(folder)}
        fine = pucker.Subdivision(clip.mesh, 16)
        points = details(clip)[frame].evaluate(fine.triangles, fine.barycentrics)
        meshes += [
            {"position": points.positions, "faces": fine.faces.tolist(), "normal": points.normals},
            flat,
            maps | {"clip": side, "time": float(clip.times[frame])},
            maps | {"weights": [0.0, 0.0]},
            maps | {"weights": [1.0, 1.0]},
        ]
        pushes = {"pushed": clip.positions[frame], "values": (PUSHED / PUSHED[frame]).tolist()}
        followed.append(given | pushes | {"position": clip.rest, "maps": str(folder)})
    drawn, weights, (refused,) = blender_pictures(500, (0.0, 2.0, -0.75, 1.25), meshes, tmp_path, followed)
    for side, row in zip(clips, (drawn[:5], drawn[5:]), strict=True):
        fine, flat, shown, none, all_of_it = row
        np.testing.assert_allclose(none, flat, atol=1e-4)
        rows = slice(195, 305)
        inside, other = np.s_[rows, 100:240], np.s_[rows, 300:490]
        if side == "right":
            inside, other = np.s_[rows, 260:400], np.s_[rows, 10:200]
        assert np.corrcoef((fine - flat)[inside].ravel(), (shown - flat)[inside].ravel())[0, 1] > 0.9
        assert np.abs(shown - flat)[other].mean() < 0.5 * np.abs(all_of_it - flat)[other].mean()
        assert np.abs(all_of_it - flat)[other].mean() > 0.02
    for side, found in zip(clips, weights, strict=True):
        # Masks have 8 bits.
        np.testing.assert_allclose(found, told["clips"][side]["weights"], atol=1e-3)
    assert len(refused) == 2
    assert refused[0].endswith(f"vertices in frame 0, and {len(clip.rest)} at rest")
    assert refused[1].startswith("maps are for materials ['material_0'], and sheet")
    assert refused[1].endswith("has ['Silk']")


@pytest.mark.blender
@needs_blender
def test_blender_displaces_by_the_height_map_of_a_frame(clips, tmp_path):
    """A fine flat sheet that Cycles displaces is shaded as the fine mesh is, both by their triangles' normals."""
    points, faces, uv, picture, scale, zero = height_map_of_a_frame(clips["left"], tmp_path / "maps")
    flat = {"position": points.base, "faces": faces.tolist(), "uv": uv}
    height = {
        "height": str(picture),
        "scale": scale,
        "middle": -zero / scale,
    }
    meshes = [flat | {"position": points.positions}, flat, flat | height]
    (shown, plain, displaced), *_ = blender_pictures(480, (0.4, 0.9, 0.0, 0.5), meshes, tmp_path)
    assert np.abs(shown - plain).mean() > 0.02
    assert np.corrcoef((shown - plain).ravel(), (displaced - plain).ravel())[0, 1] > 0.98


def test_a_ramp_is_the_line_that_comes_nearest():
    compressions = np.array([0.0, 0.1, 0.2, 0.3])
    begin, end = _ramp(compressions, np.array([0.0, 0.5, 1.0, 1.5]) / 1.5)
    assert (begin, end) == pytest.approx((0.0, 0.3))
    # Wrinkles that do not grow with compression.
    assert _ramp(compressions, 1.0 - compressions) == pytest.approx((0.0, 0.3))
    begin, end = _ramp(np.full(4, 0.2), compressions)
    assert begin < end


def test_maps_as_exr_are_in_the_clips_unit(clips, baked, tmp_path):
    _, told, _ = baked
    report = bake.wrinkle_maps(clips, tmp_path / "exr", params=PARAMS, regions=2, size=SIZE, file_format="exr")
    heights = told["height_scale"] * read_png(baked[0] / "height.png") + told["height_zero"]
    np.testing.assert_allclose(read_exr(tmp_path / "exr" / "height.exr"), heights, atol=2e-5 * report.height_scale)
    assert json.loads((tmp_path / "exr" / "wrinkles.json").read_text())["height_scale"] == 1.0


@pytest.mark.usefixtures("never_run")
def test_bad_input_is_refused_in_a_sentence(clips, tmp_path):
    folder = tmp_path / "maps"
    with pytest.raises(ValueError, match="at least one clip"):
        bake.wrinkle_maps({}, folder)
    with pytest.raises(ValueError, match="1 to 64 regions, not 0"):
        bake.wrinkle_maps(clips, folder, regions=0)
    with pytest.raises(ValueError, match="clip sleeve has another garment than left"):
        bake.wrinkle_maps({**clips, "sleeve": pucker.examples.bending_sleeve()}, folder)
    with pytest.raises(ValueError, match="must be some of normal, height, not colour"):
        bake.wrinkle_maps(clips, folder, kinds=["colour"])
    assert not folder.exists()


def test_clips_without_wrinkles_are_refused(tmp_path):
    clip = pushed("left")
    still = pucker.Clip.from_arrays(clip.faces, clip.positions[:1], [0.0], uv=clip.uv)
    with pytest.raises(ValueError, match="nothing to map: no frame of still has wrinkles"):
        bake.wrinkle_maps({"still": still}, tmp_path / "maps", params=PARAMS)
    assert not (tmp_path / "maps").exists()


def test_from_the_command_line_each_material_has_maps_and_regions_have_names(data_dir, tmp_path):
    out = tmp_path / "maps"
    words = [
        "bake",
        data_dir / "kimono_male.gltf",
        "--wrinkle-maps",
        "--clips",
        "Punch,Jump",
        "--parts",
        "Clothes,Band",
    ]
    words += ["--fps", 6, "--method", "drape", "--set", "levels=1", "--regions", 5, "--map-size", 64, "-o", out]
    result = CliRunner().invoke(cli, [str(word) for word in words])
    assert result.exit_code == 0, result.output
    assert "weights and depth correlate by" in result.output
    told = json.loads((out / "wrinkles.json").read_text())
    names = [region["name"] for region in told["regions"]]
    assert len(set(names)) == 5
    skeleton = pucker.load(data_dir / "kimono_male.gltf", clip="Jump", parts="Clothes", fps=6.0).skeleton.nodes
    assert any(name in skeleton for name in names)
    assert set(told["clips"]) == {"Punch", "Jump"}
    for region in told["regions"]:
        assert set(region["masks"]) == {"Clothes", "Band"}
        assert all((out / name).is_file() for name in region["masks"].values())
    assert {"Clothes_normal.png", "Band_height.png", "unwrapped.glb"} <= {file.name for file in out.iterdir()}
    refused = CliRunner().invoke(cli, [str(word) for word in [*words, "--skinned"]])
    assert refused.exit_code == 2
    assert "goes with neither" in refused.output
