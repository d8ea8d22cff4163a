"""Characters as artists have them in Blender: keys, modifiers that follow others, nodes, linked files, simulated cloth, final renders."""

import pickle
from typing import Any

import numpy as np
import pytest
from blender_process import Blender, assert_shown

import pucker

pytestmark = pytest.mark.blender


def _assert_wrinkled(blender: Blender, name: str, found: dict[str, Any]) -> pucker.Clip:
    """What was read is what Blender has, and what is shown is what Python makes of it; gives the clip."""
    clip = pickle.loads((blender.out / f"{name}.pickle").read_bytes())
    kept = np.load(blender.out / f"{name}.npz")
    x, y, z = np.moveaxis(clip.positions, -1, 0)
    np.testing.assert_allclose(kept["own"], np.stack([x, -z, y], axis=-1), rtol=0, atol=1e-5)
    details = [state.detail for state in pucker.run(clip, pucker.Params.from_toml(found["params"]))]
    frames = [int(key.removeprefix("shown")) for key in kept.files if key.startswith("shown")]
    assert frames
    for frame in frames:
        assert_shown(kept[f"shown{frame}"], clip, details[frame], frame, found["edge"])
    smooth = np.array([detail.evaluate(*_middles(clip)).positions for detail in details])
    assert np.abs(smooth - clip.positions[:, clip.faces].mean(axis=2)).max() > 1e-3  # there are wrinkles
    return clip


def _middles(clip: pucker.Clip) -> tuple[np.ndarray, np.ndarray]:
    return np.arange(len(clip.faces), dtype=np.int32), np.full((len(clip.faces), 3), 1 / 3)


def test_shape_keys_move_the_guide_and_those_that_rest_are_how_it_was_made(blender: Blender) -> None:
    found = blender.run("shape_keys")
    basis = np.load(blender.out / "keys_basis.npy")
    worn = basis * (1.2, 1.2, 1.0)  # 0.8 of a key that is a quarter wider
    for name, seen in (("keys", found), ("keys_alone", found["alone"])):
        clip = _assert_wrinkled(blender, name, seen)
        x, y, z = clip.rest.T
        np.testing.assert_allclose(np.stack([x, -z, y], axis=1), worn, rtol=0, atol=1e-5)
    # Without an armature the keys are all that moves it: to 0.7 of its length.
    x, y, z = clip.positions[5].T
    np.testing.assert_allclose(np.stack([x, -z, y], axis=1), worn - basis * (0.0, 0.0, 0.3), rtol=0, atol=1e-5)
    absolute = _assert_wrinkled(blender, "keys_absolute", found["absolute"])
    x, y, z = absolute.rest.T
    np.testing.assert_allclose(np.stack([x, -z, y], axis=1), basis, rtol=0, atol=1e-5)


def test_what_is_coarse_is_shown_smooth_unless_someone_says_no(blender: Blender) -> None:
    found = blender.run("smooth")
    assert found["default"] == "AUTO"
    coarse = _assert_wrinkled(blender, "smooth_0", found["0"])
    for choice, levels in (("AUTO", 1), ("2", 2)):
        clip = pickle.loads((blender.out / f"smooth_{choice}.pickle").read_bytes())
        np.testing.assert_array_equal(clip.positions, coarse.smoothed(levels).positions)
        np.testing.assert_array_equal(clip.rest, coarse.smoothed(levels).rest)
        details = [state.detail for state in pucker.run(clip, pucker.Params.from_toml(found[choice]["params"]))]
        kept = np.load(blender.out / f"smooth_{choice}.npz")
        assert_shown(kept["shown5"], clip, details[5], 5, found[choice]["edge"])
    # Nobody chooses for a set, which was learned on the mesh as it is: all but the cloth is smooth.
    free, kept = [1, False], [1, True]
    levels = {"dynamic": free, "waves": free, "drape": free, "byexample": kept, "drape with levels": kept}
    assert found["levels"] == levels
    made = "Cylinder is made smooth, as its triangles would be seen; Smooth in the panel changes that"
    maps = "Maps are of what wrinkles add to the smooth surface"
    assert [said[:-1] for said in found["said"].values()] == [[made], [], [f"{made}. {maps}"], []]
    assert all(said[-1].startswith("Baked ") for said in found["said"].values())
    for panel, (choice, note) in {
        "dynamic AUTO": (True, True),
        "dynamic 0": (True, False),
        "waves 1": (True, True),
        "drape AUTO": (True, True),
        "byexample 1": (False, False),
        "waves skinned": (False, False),
        "drape with levels": (False, False),
    }.items():
        shown = found["panel"][panel]
        assert ("smooth" in shown, "Maps add to the smooth surface" in shown) == (choice, note), panel
    fine = _assert_wrinkled(blender, "smooth_fine", found["fine"])
    # Subdivided by Blender itself: three quadrilaterals of each triangle, twice in four.
    assert fine.mesh.triangle_count == 96 * coarse.mesh.triangle_count
    # What wears it is as smooth, and nothing of it is lost; a smooth surface is smaller.
    (before, areas), (after, smoothed) = found["worn"]
    assert after == 4 * before
    for part in ("Skin", "Face"):
        assert 0.8 * areas[part] < smoothed[part] < areas[part]
    assert found["kept"] == [1252, after]


def test_a_garment_follows_a_body_by_surface_deform(blender: Blender) -> None:
    found = blender.run("surface_deform")
    clip = _assert_wrinkled(blender, "deformed", found)
    hidden = _assert_wrinkled(blender, "deformed_hidden", found["hidden"])
    np.testing.assert_array_equal(hidden.positions, clip.positions)
    moves = "Error: Skirt does not move from frame 1 to 10: bind its modifier 'follow'"
    assert found["unbound"] == moves
    assert found["changed"] == f"{moves} again, if the mesh that it follows has changed"


def test_draped_cloth_is_worn_over_another_object(blender: Blender) -> None:
    found = blender.run("worn")
    assert found["itself"] == "Error: Skirt cannot be worn over itself: choose another body, or none"
    clip = pickle.loads((blender.out / "worn.pickle").read_bytes())
    params = pucker.drape.Params.from_toml(found["params"])
    states = [np.array(state.draped) for state in pucker.run(clip, params)]
    kept = np.load(blender.out / "worn.npz")
    for frame in (2, 5):
        x, y, z = states[frame].T
        # Nothing but the skirt.
        np.testing.assert_array_equal(kept[f"shown{frame}"], np.stack([x, -z, y], axis=1).astype(np.float32))
    np.testing.assert_allclose(np.load(blender.out / "worn_baked.npy"), kept["shown5"], rtol=0, atol=1e-6)
    x, y, z = clip.body_positions[5][np.unique(clip.body_weld, return_index=True)[1]].T
    np.testing.assert_allclose(np.stack([x, -z, y], axis=1), np.load(blender.out / "worn_body.npy"), rtol=0, atol=1e-5)
    # Where the body swells it pushes the skirt out.
    without = [np.array(state.draped) for state in pucker.run(clip, params.replace(contact=False))]
    inside = [(_depth(clip, cloth[5]) > 1e-3).mean() for cloth in (states, without)]
    assert inside[0] < 0.04, inside
    assert inside[1] > 0.4, inside


def test_the_panel_leads_back_to_the_garment(blender: Blender) -> None:
    found = blender.run("clicked")
    assert found["surface"] == ["This is the preview of Grid", "pucker.choose_garment", "nothing below"]
    assert found["chosen"] == ["Grid", ["Grid"]]
    assert found["baked"] == ["Pucker made this; choose the garment", "nothing below"]
    # Skin that wrinkles is seldom meant.
    note = "Every material is cloth, skin too"
    assert note in found["whole"]
    assert note not in found["parts"]
    assert {"method", "preview_edge", "bake_edge"} < set(found["parts"])
    assert {"preview_edge", "bake_edge"}.isdisjoint(found["draped"])


def test_what_a_method_warns_of_is_told(blender: Blender) -> None:
    found = blender.run("warned")
    # It is as wide as a character with its arms stretched out, but no armature moves it.
    assert found.pop("sheet") == []
    for name, notes in found.items():
        assert any("lies within the body" in note for note in notes), (name, notes)


def _depth(clip: pucker.Clip, points: np.ndarray) -> np.ndarray:
    """How deep points lie below the body's nearest triangle in frame 5."""
    corners = clip.body_positions[5][clip.body_faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    away = points[:, None] - corners.mean(axis=1)[None]
    nearest = np.square(away).sum(axis=2).argmin(axis=1)
    return -np.einsum("pd,pd->p", away[np.arange(len(points)), nearest], normals[nearest])


def test_a_garment_that_nodes_make_is_read_as_they_make_it(blender: Blender) -> None:
    found = blender.run("geometry_nodes")
    clip = _assert_wrinkled(blender, "nodes", found)
    assert clip.mesh.vertex_count > found["vertices"]
    assert clip.rest is None
    # The material that the nodes give is one to choose, and goes to what is shown.
    assert found["materials"] == ["Skin", "Cloth"]
    assert [material.name for material in clip.material_list] == ["Skin", "Cloth"]
    assert found["skin"] == "Error: No face of Cylinder is cloth"
    group = pickle.loads((blender.out / "nodes_group.pickle").read_bytes())
    assert 0.3 < len(group.faces) / len(clip.faces) < 0.7


def test_nodes_that_make_nothing_to_wrinkle_are_told(blender: Blender) -> None:
    found = blender.run("geometry_nodes_refused")
    assert found == {
        "points": "Error: Cylinder has no faces in frame 1; its modifiers make no mesh, but pointcloud",
        "instances": "Error: Cylinder has no faces in frame 1; its modifiers make instances, which a Realize Instances "
        "node makes a mesh",
        "growing": "Error: Cylinder changes: 4000 vertices in frame 3, 720 in frame 1; bake or remove the modifier that "
        "makes them",
    }


def test_a_final_render_shows_what_the_viewport_does(blender: Blender) -> None:
    assert blender.run("rendered") == [True, "WIRE", False, "TEXTURED"]
    kept = np.load(blender.out / "rendered.npz")
    viewport = kept["viewport"]
    for way in ("film", "persistent", "single"):
        np.testing.assert_array_equal(kept[way], viewport)
    assert not np.array_equal(viewport[0], viewport[1])
    # That of the coarse garment differs, and so does one that has both surfaces in one place.
    for way in ("coarse", "both"):
        assert ((np.abs(kept[way] - viewport) > 0.01).any(axis=3).mean(axis=(1, 2)) > 0.05).all()


def test_a_linked_character_is_wrinkled_through_its_override(blender: Blender) -> None:
    found = blender.run("overridden")
    assert found["instance"] == (
        "Error: Instance only shows the collection Character: make its objects real (Object > Library Override > Make), "
        "and choose the garment"
    )
    assert found["linked"].endswith("character.blend: override it (Object > Library Override > Make)")
    assert found["override"]["mesh"]
    clip = _assert_wrinkled(blender, "override", found["override"])
    assert found["looks"] == ["WIRE", True]
    assert found["opened"] == ["TEXTURED", False, 7, 0.0625]
    assert found["again"]["params"] == found["override"]["params"]
    again = _assert_wrinkled(blender, "override_again", found["again"])
    np.testing.assert_array_equal(again.positions, clip.positions)
    baked, shown = np.load(blender.out / "override_baked.npy"), np.load(blender.out / "override_again.npz")["shown5"]
    assert np.ptp(baked, axis=0) == pytest.approx(np.ptp(shown, axis=0), abs=0.01)
    _assert_wrinkled(blender, "appended", found["appended"])


def test_cloth_that_blender_simulates_is_a_guide_in_order_and_by_jumps(blender: Blender) -> None:
    found = blender.run("simulated")
    clip = _assert_wrinkled(blender, "simulated", found)
    assert found["same"]
    assert np.ptp(clip.positions[:, :, 1]) > 0.2  # it fell
