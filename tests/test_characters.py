"""The page of faults: what is planted is counted, and an interrupted run goes on."""

import json
import shutil
from types import SimpleNamespace

import numpy as np
import pytest
from bench import characters, report, scenes
from bench.__main__ import main
from click.testing import CliRunner
from render_scenes import icosphere
from test_folds import flat_sheet

import pucker
from pucker import drape
from pucker.metrics.compare import Scene

FRAMES = 4


@pytest.fixture(scope="module")
def clip(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"]).beginning(FRAMES)


@pytest.fixture(scope="module")
def states(clip):
    return list(pucker.run(clip, drape.Params(levels=1)))


def planted(states, change):
    """The states with other places of the cloth, `change` of each frame's number and a copy of them."""
    return [
        SimpleNamespace(
            detail=each.detail, guide=each.guide, cut=each.cut, draped=change(each.frame, np.array(each.draped))
        )
        for each in states
    ]


def test_cloth_as_shipped_has_its_frames_and_triangles_counted(clip, states):
    found = characters.faults(clip, states)
    assert (found["frames"], found["triangles"]) == (FRAMES, 3840)
    assert found["in the body"] < 1e-3
    assert found["turned over"] < 0.02
    assert 0.0 < found["rough"] < 0.5
    guide = characters.faults(clip, planted(states, lambda frame, _: np.array(states[frame].guide)))
    assert {guide[name] for name in (*characters.AIMS, "rough")} == {0.0}


def test_vertices_that_are_planted_in_the_body_are_counted_and_those_of_the_guide_are_not(clip, states):
    body = drape.body_of(clip)
    low, high = body.positions[0].min(axis=0), body.positions[0].max(axis=0)
    asked = low + (high - low) * np.random.default_rng(2).uniform(size=(4000, 3))
    depth = characters.in_the_body(asked, body.positions[0], body.faces)
    deep = asked[np.argmax(depth)]
    assert depth.max() > 10.0 * characters.DEEPER * np.ptp(states[0].cut, axis=0).max()
    own = characters.in_the_body(states[0].guide, body.positions[0], body.faces)
    outside = np.flatnonzero(own == 0.0)[:7]

    def pushed(frame, places):
        places[outside if frame == 0 else []] = deep
        return places

    before = characters.faults(clip, planted(states, lambda _frame, places: places))
    after = characters.faults(clip, planted(states, pushed))
    for name in ("in the body", "gone in"):
        assert round((after[name] - before[name]) * FRAMES * len(own)) == 7
    # Where the guide is in the body, cloth that is deeper has not gone in.
    hidden = np.flatnonzero((own > 0.0) & (own < 0.1 * depth.max()))[:1]
    outside = hidden
    deeper = characters.faults(clip, planted(states, pushed))
    assert len(hidden) == round((deeper["in the body"] - before["in the body"]) * FRAMES * len(own)) == 1
    assert deeper["gone in"] == before["gone in"]
    # Where the guide is as deep, the cloth may be.
    with_guide = [SimpleNamespace(**{**vars(each), "guide": each.draped}) for each in planted(states, pushed)]
    assert characters.faults(clip, with_guide)["in the body"] == 0.0


def test_depth_in_a_ball_is_the_distance_to_its_surface():
    faces, points = icosphere(3)
    asked = np.array([[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.5, 0.0, 0.0]])
    assert characters.in_the_body(asked, points, faces) == pytest.approx([1.0, 0.5, 0.0], abs=0.02)
    assert characters.in_the_body(asked[:0], points, faces).shape == (0,)


def test_triangles_that_are_turned_over_are_counted():
    faces, points = flat_sheet(6, 6, 1.0, 1.0)
    assert not characters.turned_over(faces, points, points + np.array([0.0, 0.0, 0.3])).any()
    over = np.array(points)
    # A vertex pulled over its neighbours on one side.
    inner = 3 * 7 + 3
    over[inner, 0] += 0.4
    turned = characters.turned_over(faces, points, over)
    assert 0 < turned.sum() < 6
    assert (faces[turned] == inner).any(axis=1).all()


def test_heights_that_jump_are_counted():
    heights = np.tile(np.sin(np.linspace(0.0, 6.0, 50)), (10, 1))
    assert characters.jumping(heights) == 0.0
    heights[5:, 7] += 4.0
    assert characters.jumping(heights) == pytest.approx(1 / (9 * 50))
    assert characters.jumping(0.0 * heights) == 0.0
    assert characters.jumping(heights[:1]) == 0.0


def test_heights_that_jump_there_and_back_flicker():
    heights = np.tile(np.sin(np.linspace(0.0, 6.0, 50)), (10, 1))
    heights[5:, 7] += 4.0
    assert characters.flickering(heights) == 0.0
    heights[5, 9] += 4.0
    assert characters.flickering(heights) == pytest.approx(1 / (8 * 50))
    assert characters.flickering(0.0 * heights) == 0.0
    assert characters.flickering(heights[:2]) == 0.0


def test_what_differs_from_vertex_to_vertex_is_rough_and_waves_are_not():
    faces, points = flat_sheet(40, 40, 1.0, 1.0)
    edges = pucker.Mesh(faces, len(points)).edges
    smooth = np.sin(2.0 * np.pi * points[:, 0])[None]
    assert characters.roughness(edges, smooth) < 0.05
    noise = np.random.default_rng(1).normal(size=smooth.shape)
    assert characters.roughness(edges, noise) > 0.9
    assert characters.roughness(edges, 0.0 * noise) == 0.0


def row(file="coat.glb", clip="Walk", **values):
    return {
        "file": file,
        "garment": "Coat",
        "clip": clip,
        "frames": 10,
        "triangles": 1000,
        "in the body": 0.0,
        "gone in": 0.0,
        "turned over": 0.001,
        "jumps": 0.0,
        "flickers": 0.0,
        "rough": 0.1,
        "told": [],
    } | values


def test_a_truth_jumps_as_its_heights_do(data_dir):
    path = data_dir / "truths" / "knee-coat.npz"
    found = characters.of_truth(path)
    assert found["truth"] == "knee-coat"
    assert found["flickers"] <= found["jumps"] == characters.jumping(pucker.metrics.Truth.load(path).heights)
    assert 0.0 < found["jumps"] < 0.1


TRUTHS = [
    {"truth": "coat", "jumps": 0.04, "flickers": 0.003},
    {"truth": "knee", "jumps": 0.0, "flickers": 0.0},
    {"truth": "towel", "jumps": 0.01, "flickers": 0.001},
]
TURNED = [
    {"scene": "knee", "simulated": 0.012, "draped": 0.002},
    {"scene": "towel", "simulated": 0.0, "draped": 0.001},
    {"scene": "dress", "simulated": 0.004, "draped": 0.003},
]


def test_triangles_in_tucks_are_counted_of_a_simulation_and_of_draped_cloth(data_dir):
    path = data_dir / "scenes" / "knee.npz"
    found = characters.of_scene(path)
    scene = Scene.load(path)
    turned = []
    for frame, detail in zip(scene.frames, scene.detail, strict=True):
        guide = scene.smooth @ scene.clip.positions[frame]
        outward, seen = (
            np.cross(*(at[scene.faces[:, k]] - at[scene.faces[:, 0]] for k in (1, 2))) for at in (guide, guide + detail)
        )
        turned.append(((outward * seen).sum(axis=1) < 0.0).mean())
    assert found["simulated"] == pytest.approx(np.mean(turned))
    assert 0.0 < found["draped"] < found["simulated"] < 0.05


def test_the_page_says_which_aims_are_met_and_by_whom_they_are_missed():
    page = characters.page({"clips": [row(), row("robe.glb", rough=0.2)], "truths": TRUTHS, "scenes": TURNED})
    assert "2 clips, 20 frames" in page
    assert "- of the vertices in the body beyond the guide, worst garment (robe.glb): **0 %**, aim none: met." in page
    assert "missed" not in page
    bad = [
        row(),
        row(
            "robe.glb",
            "Run",
            **{"in the body": 0.002, "gone in": 0.001, "turned over": 0.01},
            jumps=0.003,
            flickers=0.001,
            rough=0.6,
        ),
        row("robe.glb", "Sit", frames=30, told=["a T-pose"]),
        row("flag.zip", None, **{"in the body": None, "gone in": None}),
        {"file": "ruin.glb", "garment": "all", "clip": "Walk", "failed": "it has no mesh"},
    ]
    page = characters.page({"clips": bad, "truths": TRUTHS, "scenes": TURNED})
    # Over all of a garment's frames, of which the bad clip has a quarter.
    assert "| robe.glb | Coat | 2 | 1000 | 0.050 % | 0.025 % | 0.325 % | 0.075 % | 0.025 % | 0.60 |" in page
    assert "(robe.glb): **0.05 %**, aim none: missed." in page
    assert "- of the triangles turned over, worst garment (robe.glb): **0.325 %**, aim ≤ 0.3 %: missed by 8 %." in page
    assert "- of the heights jump, worst garment (robe.glb): **0.075 %**, aim ≤ 0.15 %: met." in page
    assert (
        "roughness, worst clip (robe.glb): **0.6 of the heights**, aim ≤ 0.3 of the heights: missed by 100 %." in page
    )
    assert "| robe.glb | 0.200 %, Run | 0.100 %, Run | 1.000 %, Run | 0.300 %, Run | 0.100 %, Run | 0.60, Run |" in page
    assert "4.00 % jumps at most (coat), 1.00 % in the median, 0.30 % flickers at most (coat), 0.10 %" in page
    assert (
        "1.20 % are at most (knee; draped cloth on the same guide 0.20 %), 0.40 % in the median (draped 0.20 %)" in page
    )
    assert "simulated cloth has more of them in 2." in page
    assert "| flag.zip | – |" in page
    assert "- robe.glb, Sit: a T-pose" in page
    assert "- ruin.glb, Walk: it has no mesh" in page


def test_an_interrupted_run_goes_on_with_the_clips_that_are_left(monkeypatch, tmp_path, data_dir):
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("cowboy.dae", "kyonshi_lower.md3"):
        shutil.copy(data_dir / name, folder)
    (folder / "README.md").write_text("no character")
    monkeypatch.setattr(scenes, "DATA", folder)
    monkeypatch.setattr(characters, "PART", tmp_path / "bench" / "part.jsonl")
    played = []

    def count(clip, _states):
        played.append(clip.name)
        if len(played) == 2:
            raise KeyboardInterrupt
        return {key: value for key, value in row().items() if key not in ("file", "garment", "clip", "told")}

    monkeypatch.setattr(characters, "faults", count)
    with pytest.raises(KeyboardInterrupt):
        characters.measure()
    assert len(characters.PART.read_text().splitlines()) == 1
    found = characters.measure()["clips"]
    assert len(played) == 3
    assert [each["file"] for each in found] == ["cowboy.dae", "kyonshi_lower.md3"]
    assert not characters.PART.exists()
    assert json.loads(json.dumps(found)) == found


def test_a_clip_that_cannot_be_played_is_told_and_the_others_go_on(monkeypatch, data_dir):
    def refuse(_clip, _states):
        raise ValueError("no garment")

    monkeypatch.setattr(characters, "faults", refuse)
    (found,) = characters.played(data_dir / "cowboy.dae")
    assert found["failed"] == "no garment"
    assert list(characters.played(data_dir / "cowboy.dae", [found])) == []


def test_files_and_folders_are_characters_or_refused(data_dir, tmp_path):
    found = characters.files_of([data_dir, data_dir / "mage.glb"])
    assert [each.name for each in found] == [
        "cowboy.dae",
        "female_dress.fbx",
        "kimono_male.gltf",
        "kyonshi_lower.md3",
        "kyonshi_upper.md3",
        "mage.glb",
        "tshirt_wind.zip",
        "mage.glb",
    ]
    for path in (tmp_path, tmp_path / "no.glb"):
        with pytest.raises(pucker.Error, match=f"{path.name} must be a character's file or a folder that holds some"):
            characters.files_of([path])
    refused = CliRunner().invoke(main, ["drape", "--file", str(tmp_path)])
    assert "--file is for one of characters, teacher, predict alone" in refused.output


def test_an_aim_of_none_is_met_by_none():
    assert report.at_most("x", 0.0, 0.0, "%").endswith("aim none: met.\n")
    assert report.at_most("x", 0.001, 0.0, "%").endswith("aim none: missed.\n")
