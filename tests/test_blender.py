"""The extension, installed from its zip into Blender, with nothing else than what Blender has and the wheel in the zip."""

import json
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from blender_process import Blender, assert_shown
from PIL import Image

import pucker
from pucker import byexample, drape

pytestmark = pytest.mark.blender


def texels(path: Path) -> np.ndarray:
    """Rows of the 16-bit numbers of a PNG as pucker writes it, unfiltered in one chunk."""
    content = path.read_bytes()
    width, height = np.frombuffer(content, ">u4", 2, 16)
    size = int(np.frombuffer(content, ">u4", 1, 33)[0])
    rows = np.frombuffer(zlib.decompress(content[41 : 41 + size]), np.uint8).reshape(height, -1)
    assert (rows.shape[1] - 1) % width == 0
    return np.ascontiguousarray(rows[:, 1:]).view(">u2").astype(int)


def test_it_is_installed_with_its_wheel_and_has_every_parameter(blender: Blender) -> None:
    assert blender.installed == ["bl_ext.user_default.pucker"]
    found = blender.run("settings")
    assert found["panel"]
    # Materials are completed from those of the object, after each comma anew.
    assert found["listed"] == [["Clothes", "Band", "Skin"], ["Clothes,Band"], ["Skin,Clothes", "Skin,Band"], []]
    assert "extensions/.local" in found["file"]
    for method, properties in found["properties"].items():
        fields = pucker.method.method_named(method).params.fields()
        assert list(properties) == [field.name.replace(".", "__") for field in fields]
        for field in fields:
            assert properties[field.name.replace(".", "__")].lower().startswith(field.doc.lower())


def test_the_preview_shows_what_python_computes(blender: Blender, data_dir: Path) -> None:
    found = blender.run("preview")
    assert found["saved"] == [0, 16, 32]
    assert found["paths"] <= found["wrinkles"]
    assert found["paths"] > 0.8 * found["wrinkles"] > 20
    assert found["tints"] >= 2
    assert found["display"] == "WIRE"
    kept = np.load(blender.out / "preview.npz")
    clip = pickle.loads((blender.out / "clip.pickle").read_bytes())

    # Blender reads the same motion as pucker does.
    own = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=30.0)
    assert len(clip) in (38, 39)
    assert clip.height == pytest.approx(own.height, rel=1e-3)
    for positions, expected in zip(clip.positions, own.positions, strict=False):
        nearest = np.abs(positions[:, None] - expected[None]).max(axis=2).min(axis=1)
        assert nearest.max() < 2e-3

    params = pucker.Params.from_toml(found["params"])
    assert params == pucker.Params(threshold=1.03)
    states = list(pucker.run(clip, params))
    for frame in (0, 12, 36):
        fine = assert_shown(kept[f"positions{frame}"], clip, states[frame].detail, frame)
        faces = kept[f"faces{frame}"]
        np.testing.assert_array_equal(faces[: len(fine.faces)], fine.faces)
        assert len(faces) == len(fine.faces) + len(clip.body_faces)


def test_a_bake_that_is_cancelled_leaves_nothing(blender: Blender) -> None:
    assert blender.run("cancelled") == []


def test_a_preview_can_be_undone_and_done_again(blender: Blender) -> None:
    found = blender.run("undone")
    without, shown = [["Grid", "Grid"], "TEXTURED", False], [["Grid", "Grid", *2 * ["Grid wrinkled"]], "WIRE", True]
    assert found["found"] == [without, shown, without, shown, without]
    assert found["moved"] > 0.1


def test_a_preview_stays_with_its_object_whatever_that_is_called(blender: Blender) -> None:
    found = blender.run("renamed")
    assert found["moved"] > 0.1
    assert found["display"] == "WIRE"
    assert len(found["both"]) == 8
    assert "Surface" not in found["one"]
    assert len(found["one"]) == 6
    assert found["displays"] == ["TEXTURED", "WIRE"]


def test_a_preview_goes_with_its_objects_and_comes_back_with_them(blender: Blender) -> None:
    found = blender.run("deleted")
    assert found["Grid"]["left"] == ["Grid"]
    assert found["Grid"]["display"] == "TEXTURED"
    assert found["Grid wrinkled"]["left"] == []
    for seen in found.values():
        assert seen["back"] > 0.1
        assert seen["wires"] == "WIRE"


def test_a_file_is_saved_without_its_previews(blender: Blender) -> None:
    found = blender.run("saved")
    assert found["same"]
    assert found["display"] == "WIRE"
    assert found["moved"] > 0.1
    assert found["opened"] == [["Grid", "Grid"], "TEXTURED"]
    assert found["again"] == ["Grid", "Grid wrinkled"]


def test_what_is_the_artists_own_is_left_alone(blender: Blender) -> None:
    found = blender.run("neighbours")
    assert found["apart"]
    assert found["untouched"]
    own = ["Grid baked", "Grid paths", "Grid wrinkled", "Lamp"]
    # The preview ended with the bake; the second bake took the place of the first.
    assert found["names"] == sorted(["Grid", "Grid baked.001", *own])


def test_alembic_of_the_command_line_is_what_numpy_gets(blender: Blender, data_dir: Path) -> None:
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    params = pucker.Params(threshold=1.03)
    pucker.bake.surface(clip, blender.out / "walk.abc", params=params, levels=2)
    pucker.bake.surface(clip, blender.out / "walk.npz", params=params, levels=2)
    counts = blender.run("alembic")
    found, expected = np.load(blender.out / "alembic.npz"), np.load(blender.out / "walk.npz")
    assert counts == {"garment": len(expected["faces"]), "body": len(expected["body_faces"])}
    for name, key in (("garment", "positions"), ("body", "body_positions")):
        x, y, z = np.moveaxis(expected[key], -1, 0)
        np.testing.assert_allclose(found[name], np.stack([x, -z, y], axis=-1), rtol=0, atol=1e-6)


def test_bakes_can_be_opened_again(blender: Blender) -> None:
    found = blender.run("bakes")
    assert found["triangles"] > 5000
    assert found["moved"] > 0.1
    assert found["hidden"]
    assert max(found["distances"].values()) < 1e-5
    assert len(found["distances"]) == 6
    # One file each, which the object of the bake reads as it does a point cache; what an earlier bake read is closed.
    assert found["left"] == {
        kind: [f"Body_baked{end}"] for kind, end in (("ALEMBIC", ".abc"), ("USD", ".usdc"), ("CACHE", ".pc2"))
    }
    assert max(found["apart"].values()) < 1e-5
    assert found["caches"] == 2
    assert found["areas"]["baked"] == pytest.approx(found["areas"]["coarse"], rel=0.1)
    picture = np.asarray(Image.open(blender.out / "kimono.png").convert("RGB"), dtype=float)
    assert picture.std() > 10


def test_a_dress_whose_scale_is_not_applied_wrinkles_too(blender: Blender) -> None:
    found = blender.run("dress")
    for method in ("dynamic", "waves"):
        assert found[method]["triangles"] > 2000
        assert found[method]["height"] == pytest.approx(found["coarse"], rel=0.5)


def test_cloth_of_blenders_own_is_read(blender: Blender) -> None:
    found = blender.run("drape")
    assert found["lowest"] < -0.2
    assert found["half"] == found["whole"] // 2


def test_it_does_not_matter_how_a_garment_is_rigged(blender: Blender) -> None:
    found = blender.run("rigged")
    assert found["same"]
    assert "switched off in viewports" in found.pop("off")
    for name in ("action", "strip", "mirrored", "divided", "bound"):
        assert found[name]["outward"] == 1.0, name
        assert 0.005 < found[name]["offset"] < 0.1, name
    assert found["divided"]["triangles"] > found["action"]["triangles"]
    assert found["constrained"]["offset"] < 1e-12


def test_a_set_is_trained_in_place_and_shown(blender: Blender) -> None:
    found = blender.run("trained")
    # What was given up left the motion that was done, and nothing else.
    assert [name.partition("-")[2][12:] for name in found["kept"]] == [".npz"]
    assert found["left"] == {"file": False, "action": "turn"}
    assert set(found["kept"]) < set(found["recordings"])
    assert len(found["recordings"]) == 2
    shares = np.array(found["shares"])
    assert (np.diff(shares) >= 0.0).all()
    assert shares[-1] <= 1.0
    # The longest of them is a machine that does something else.
    assert found["usual"] < 0.1
    assert found["cloth"] == byexample.Cloth(quality=3).to_dict()

    # The same code on the same clip gives the same bits outside.
    clip = pickle.loads((blender.out / "sleeve.pickle").read_bytes())
    params = byexample.Params.from_toml(found["params"])
    trained = byexample.load(params.trained)
    assert 2 <= len(trained.poses) <= 6
    kept = np.load(blender.out / "trained.npz")
    states = list(pucker.run(clip, params))
    for frame in (1, 6, 9):
        assert_shown(kept[f"positions{frame}"], clip, states[frame - 1].detail, frame - 1)
    smooth = byexample.SmoothSurface(clip.mesh, trained.levels, clip.positions[5]).positions
    assert np.ptp(kept["baked"], axis=0) == pytest.approx(np.ptp(smooth, axis=0)[[0, 2, 1]], rel=0.3)


def test_a_set_trained_outside_is_shown(blender: Blender) -> None:
    found = blender.run("chosen")
    clip = pickle.loads((blender.out / "chosen.pickle").read_bytes())
    states = list(pucker.run(clip, byexample.Params.from_toml(found["params"])))
    assert_shown(np.load(blender.out / "chosen.npy"), clip, states[9].detail, 9)
    picture = np.asarray(Image.open(blender.out / "chosen.png").convert("RGB"), dtype=float)
    assert picture.std() > 10


def test_draped_cloth_is_shown_and_baked_as_the_mesh_that_it_is(blender: Blender) -> None:
    found = blender.run("draped")
    clip = pickle.loads((blender.out / "draped.pickle").read_bytes())
    params = drape.Params.from_toml(found["params"])
    assert params == drape.Params()
    # A frame that was seen is kept, and only moves the mesh.
    assert found["same"] == [True, True]
    assert found["filled"] == [0, 1]
    assert found["turned"] < 1e-6
    state = list(pucker.run(clip, params))[-1]
    fine = assert_shown(np.load(blender.out / "draped.npy"), clip, state.detail, len(clip) - 1)
    assert len(fine.faces) == len(state.detail.subdivision.fine.faces) > len(clip.faces)
    x, y, z = state.draped.T
    baked = np.load(blender.out / "draped_baked.npy")
    assert len(baked) == len(x) + len(np.unique(clip.body_weld))
    assert np.abs(baked[: len(x)] - np.stack([x, -z, y], axis=1)).max() < 1e-5 * clip.height
    picture = np.asarray(Image.open(blender.out / "draped.png").convert("RGB"), dtype=float)
    assert picture.std() > 10


def test_clothes_are_cut_for_the_pose_that_the_commands_take(blender: Blender, data_dir: Path) -> None:
    found = blender.run("cut")
    own = pucker.load(data_dir / "kimono_male.gltf", clip="SitDown", parts=["Clothes", "Band"])
    # Before Blender 4.4 an action is imported under its name and that of what it moves.
    assert own.standing_from == "the first frame of Idle"
    assert found["from"] in (own.standing_from, f"{own.standing_from}_CharacterArmature")
    assert abs(found["frames"] - len(own)) <= 1
    kept = np.load(blender.out / "cut.npz")
    # Smooth, edges that the file shades sharp stay sharp.
    smooth = own.smoothed(1)
    pairs = (("standing", own.standing), ("body", own.standing_body), ("smooth", smooth.standing))
    for mine, expected in ((kept[name], expected) for name, expected in pairs):
        assert np.abs(mine[:, None] - expected[None]).max(axis=2).min(axis=1).max() < 2e-3
    assert np.abs(kept["standing"] - kept["first"]).max() > 0.01
    # Everything stands as before; what somebody chose is not searched for.
    assert found["same"]
    assert found["playing"]
    assert found["chosen"] != found["from"]
    assert found["file"].startswith("Error: Cut is rest, first or an .npy here")
    assert found["read"] > 1
    # Draped cloth has no paths of which curves could be made.
    assert not found["paths"]


def test_maps_are_those_that_python_bakes(blender: Blender, tmp_path: Path) -> None:
    found = blender.run("maps")
    assert found["objects"] == ["Cylinder", "armature"]
    clip = pickle.loads((blender.out / "mapped.pickle").read_bytes())
    report = pucker.bake.maps(clip, tmp_path / "maps", params=pucker.Params.from_toml(found["params"]), size=64)
    assert found["names"] == sorted(path.name for path in report.files)
    assert len(found["names"]) == 21
    facts = [
        json.loads((folder / "maps.json").read_text()) for folder in (blender.out / "Cylinder_maps", tmp_path / "maps")
    ]
    assert facts[0] == facts[1]
    varying = {"normal": False, "height": False}
    for path in (each for each in report.files if each.suffix == ".png"):
        own, expected = texels(blender.out / "Cylinder_maps" / path.name), texels(path)
        varying[path.name.partition("_")[0]] |= bool((expected != expected[0]).any())
        # Blender has another NumPy.
        np.testing.assert_allclose(own, expected, rtol=0, atol=1)
    assert varying == {"normal": True, "height": True}


def test_a_jump_goes_step_by_step_and_shows_the_same_bits(blender: Blender) -> None:
    found = blender.run("jumps")
    assert found["waiting"] == [True, True]
    assert found["calls"] >= 4
    assert found["there"]
    assert found["back"]


def test_work_is_done_in_slices_and_given_up_cleanly(blender: Blender) -> None:
    found = blender.run("slices")
    for seen in found.values():
        assert seen["closed"]
        assert seen["timers"] == 0
        assert seen["shares"][-1] == "end"
        assert np.median(seen["moments"]) < 0.1
        assert seen["answers"][0] == "RUNNING_MODAL"
    assert found["whole"]["shares"][:-1] == [k / 20 for k in range(20)]
    assert [found[name]["answers"][1] for name in found] == [
        "FINISHED", "CANCELLED", "CANCELLED", "FINISHED", "CANCELLED",
    ]  # fmt: skip
    assert found["escaped"]["told"] == [["WARNING", "Cancelled; nothing was made"]]
    assert len(found["escaped"]["shares"]) < 15
    assert found["failing"]["told"] == [["ERROR", "params.threshold is wrong"]]
    assert len(set(found["aside"]["shares"])) >= 4


def test_nothing_stands_still_for_a_tenth_of_a_second_without_a_progress_bar(
    blender: Blender, record_property: Callable[[str, object], None]
) -> None:
    found = blender.run("blocking")
    for name, seen in found.items():
        record_property(name, seen)
        assert seen["bare"] < 0.1, name
    assert found["bake"]["followed"] == [2]
    # A finer surface takes longer for a frame, so that without a bar this would fail.
    assert found["played fine"]["barred"] > 0.1
    assert all(seen["shares"] > 10 for name, seen in found.items() if name.startswith(("preview", "bake")))


def test_a_wheel_for_another_python_is_told_in_the_panel(blender: Blender) -> None:
    found = blender.run("unfit")
    assert found["panel"] == "VIEW3D_PT_pucker_missing"
    assert found["missing"].startswith("pucker cannot be loaded by Python 3.")
    assert not found["left"]


def test_a_mesh_that_alembic_moves_wrinkles_as_well(blender: Blender) -> None:
    found = blender.run("cached")
    assert found["modifiers"] == ["MESH_SEQUENCE_CACHE"]
    assert found["heights"][1] == pytest.approx(found["heights"][0], rel=1e-3)


def test_the_listing_of_the_page_is_followed_literally(blender: Blender) -> None:
    assert blender.run("guide") < 1e-5


def test_presets_are_those_of_the_command_line(blender: Blender) -> None:
    found = blender.run("presets")
    params = pucker.Params.from_toml(found["preset"])
    assert params == pucker.Params(threshold=1.03, shape={"profile": "arcs"})
    assert "threshold" in found["told"]


def test_what_cannot_be_wrinkled_is_told_and_nothing_is_left(blender: Blender) -> None:
    told = blender.run("refusals")
    expected = {
        "empty": "Choose a mesh",
        "unmoved": "nothing that moves it",
        "still": "does not move from frame 1 to 10",
        "faceless": "has no faces in frame 1",
        "topology": "vertices in frame 2, ",
        "group": "no vertex group 'collar'",
        "material": "no material 'Silk'",
        "folder": "no folder",
        "unsaved": "Save the file first",
        "untrained": "Choose a trained set, or make one by Train in place",
        "flat": "maps need texture coordinates, and Grid Scene has none; unwrap Grid (UV > Unwrap, in edit mode)",
        "action": "no action 'Walk'",
        "ending": "is an .npz, not set.txt",
        "other": "trained on a mesh of 205 vertices, not 25",
        "range": "1 frame",
        "mode": "being edited",
        "linked": "linked from",
    }
    assert told.keys() == expected.keys()
    for name, words in expected.items():
        assert words in told[name], told[name]
        assert "Traceback" not in told[name]
