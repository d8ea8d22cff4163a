"""What the benchmarks' reports and their guard are made of."""

import dataclasses
import math
import re

import numpy as np
import pytest
from bench import bits, drape, gpu, guard, native, render, report, scenes, setup, sheet, sweep, tracing

import pucker
from pucker import byexample
from pucker.areas import triangle_areas
from pucker.examples import bending_sleeve, grid_faces
from pucker.metrics import compare
from pucker.render import Renderer


def test_a_percentile_is_a_sample_that_enough_others_do_not_exceed(rng):
    values = rng.normal(size=137).tolist()
    for share in (0.01, 0.5, 0.9, 0.99, 1.0):
        found = report.percentile(values, share)
        assert found in values
        assert sum(value <= found for value in values) >= share * len(values)
        assert sum(value < found for value in values) < share * len(values)


def test_an_aim_is_met_at_its_own_value_and_says_by_how_much_it_is_missed():
    assert report.at_least("x", 5, 5).endswith("met.\n")
    assert report.at_least("x", 4, 5).endswith("missed by 20 %.\n")
    assert report.at_most("x", 5, 5, "ms").endswith("met.\n")
    assert report.at_most("x", 6, 5, "ms").endswith("missed by 20 %.\n")


def test_what_the_compiler_spends_is_added_up_by_unit_and_phase():
    printed = """
[1/3] /usr/bin/c++ -O1 -o cpp/CMakeFiles/pucker_core.dir/Unity/unity_0_cxx.cxx.o -c unity_0_cxx.cxx
 phase parsing                      :   3.25 ( 31%)   1.50 ( 59%)   4.78 ( 37%)   494M ( 52%)
 phase opt and generate             :   4.00 ( 38%)   0.25 ( 10%)   4.30 ( 33%)   200M ( 21%)
 |name lookup                       :   0.60 (  6%)   0.20 (  8%)   0.80 (  6%)    20M (  2%)
 TOTAL                              :  10.35          2.55         12.96          948M
[2/3] /usr/bin/c++ -o cpp/bindings/CMakeFiles/_core.dir/draw.cpp.o -c draw.cpp
 phase lang. deferred               :   1.00 ( 10%)   0.50 (  0%)   1.50 (  4%)    94M (  2%)
[3/3] : && /usr/bin/c++ -shared -o _core.so draw.cpp.o && :
 phase parsing                      :   9.00 ( 31%)   1.50 ( 59%)   4.78 ( 37%)   494M ( 52%)
"""
    units = setup.by_unit(printed)
    assert list(units) == ["cpp/pucker_core/Unity/unity_0", "cpp/bindings/_core/draw.cpp"]
    assert list(units["cpp/pucker_core/Unity/unity_0"].values()) == [4.75, 0.0, 4.25]
    assert list(units["cpp/bindings/_core/draw.cpp"].values()) == [0.0, 1.5, 0.0]


def test_prose_of_a_page_is_wrapped_and_its_tables_are_not():
    row = "| " + "cell " * 40 + "|"
    prose = "word [link](../page.md) " * 20
    page = report.wrapped(f"# Title\n\n{prose}\n\n{row}\n- {prose}\nshort  line\n")
    assert row in page.split("\n")
    assert all(len(line) <= 120 for line in page.split("\n") if line != row)
    assert page.split() == f"# Title\n\n{prose}\n\n{row}\n- {prose}\nshort line\n".split()
    assert page.endswith("\nshort  line\n")


def test_the_guard_counts_a_call_with_all_it_calls_and_a_recursion_once():
    calls = {name: f"({k}) {prefix}int)" for k, (name, prefix) in enumerate(guard.STAGES.items(), 1)}
    lines = ["fn=(99) main", "1 5"]
    for name in calls.values():
        lines += [f"cfn={name}", "calls=1 0", "+3 100"]
    # A stage of 100 of which 60 are in a call of itself.
    lines += [
        "",
        f"fn={calls['packing'].split()[0]}",
        "7 40",
        f"cfn={calls['packing'].split()[0]}",
        "calls=1 0",
        "* 60",
    ]
    # And 30 in a function of its own.
    lines += ["cfn=(98) pucker::Packer::pack(int)::{lambda(int)#1}::operator()(int) const", "calls=1 0", "* 30"]
    assert guard.count("\n".join(lines)) == dict.fromkeys(guard.STAGES, 100)


def test_the_guard_does_not_take_a_stage_it_cannot_see_for_a_fast_one():
    with pytest.raises(RuntimeError, match="callgrind has not seen pucker::Wrinkler::advance"):
        guard.count("fn=(1) main\n1 5\n")


def test_the_peers_of_the_labels_find_the_optimum():
    pytest.importorskip("gco", reason="needs gco-wrapper: install the extra pucker[bench]")
    from bench import labels  # noqa: PLC0415 - needs gco-wrapper

    assert [len(labels._measure(cells, 2)["energies"]["PyMaxflow"]) for cells in (4, 9)] == [2, 2]


def test_the_peer_of_the_tracer_ends_where_pucker_does(monkeypatch):
    monkeypatch.setattr(tracing, "SEEDS", 40)
    monkeypatch.setattr(tracing, "ROUNDS", 1)
    found = tracing._measure(12)
    assert found["worst"] < tracing.TOLERANCE
    assert found["crossed"]["pucker"] == found["crossed"]["potpourri3d"]
    assert len(found["crossed"]["pucker"]) > 30


def test_the_digest_of_a_run_is_that_of_its_repetition_and_of_no_other():
    clip = scenes.CHARACTERS[2].load()
    params = scenes.params(clip, 1.15, 0.01)
    first = bits._digest(clip, params)
    assert first == bits._digest(clip, params)
    assert first != bits._digest(clip, params.replace(seed=1))


def test_the_page_of_drawing_names_the_device_and_has_a_row_a_setting(monkeypatch):
    monkeypatch.setattr(render, "SIZE", (64, 36))
    page = render.page(render.measure())
    assert "64 × 36" in page
    film = re.search(r"\| the video: coarse and draped \| (\d+) \| (\d+) \|", page)
    assert film is not None
    assert min(map(int, film.groups())) > 0
    assert "- the video, 4 samples: **" in page
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| 1.")]
    assert [row[:2] for row in rows] == [["1.15", "1 %"], ["1.15", "0.5 %"], ["1.25", "1 %"], ["1.25", "0.5 %"]]
    for row in rows:
        wrinkles, patches, sent, pack, upload, *_, picture, whole = map(float, row[2:])
        assert min(wrinkles, patches, sent, upload) > 0.0
        assert pack >= 0.0  # of a few wrinkles it is rounded to nothing
        assert whole >= pack + picture - 0.02
    examples = [line.strip("| ").split(" | ") for line in page.splitlines() if re.match(r"\| (kimono|dress) ", line)]
    assert [row[:4] for row in examples] == [
        [garment, compute, triangles, details]
        for garment, triangles, details in (("kimono", "61440", "32"), ("dress", "23808", "34"))
        for compute in ("cpu", "gpu")
    ]
    for on_processor, drawn in zip(examples[::2], examples[1::2], strict=True):
        assert float(on_processor[4]) > 1.3 * float(drawn[4])  # bytes
        assert (float(on_processor[7]), float(drawn[7]) > 0.0) == (0.0, True)  # compute


def test_the_page_of_graphics_cards_has_a_row_a_method_and_judges_no_software(monkeypatch):
    monkeypatch.setattr(gpu, "SIZES", ((64, 36),))
    monkeypatch.setattr(gpu, "SIZE", (64, 36))
    monkeypatch.setattr(gpu, "CHARACTERS", (1, 3))
    monkeypatch.setattr(gpu, "SUBJECTS", [each for each in gpu.SUBJECTS if each.name in ("dynamic", "draped")])
    monkeypatch.setattr(gpu, "PICTURES", 1)
    monkeypatch.setattr(gpu, "WARM", 0.0)
    monkeypatch.setattr(gpu, "FRAME", 6)
    monkeypatch.setattr(gpu, "REPEATS", 2)
    monkeypatch.setattr(gpu, "LONGEST", 60.0)
    samples = gpu.measure()
    page = gpu.page(samples)
    for name in ("dynamic", "draped"):
        assert len([line for line in page.splitlines() if line.startswith(f"| {name} |") and "–" not in line]) == 3
    assert all(len(each["repeats"]) == gpu.REPEATS for each in samples["timed"])
    assert "software rasteriser" in page
    assert "aim" not in page.replace("about the aims", "")
    # The same samples of a card.
    of_card = {**samples, "compared": [each | {"device": "a card", "flip": 0.02} for each in samples["compared"]]}
    assert "aim ≤ 0.01 FLIP: missed by 100 %" in gpu.page(of_card)
    assert "dynamic, 3 characters" in gpu.page(of_card)
    monkeypatch.setattr(gpu, "LONGEST", 0.0)
    kinds = [((64, 36), 1), ((96, 54), 1)]
    short = list(gpu._growing(gpu.SUBJECTS[:1], kinds, math.inf))
    assert [(each["size"], len(each["repeats"])) for each in short] == [([64, 36], 1)]
    assert not list(gpu._growing(gpu.SUBJECTS[:1], kinds, 0.0))


def test_programs_that_go_on_run_anew_for_each_picture():
    subject = next(each for each in gpu.SUBJECTS if each.name == "draped, gpu")
    shown = next(iter(subject.characters(gpu._clip(), 1)))
    assert [next(shown).frame for _ in range(3)] == [0, 1, 2]
    with Renderer((64, 36)) as renderer:
        crowd = gpu.Crowd(renderer, subject.characters(gpu._clip(), 1))
        for _ in range(2):
            crowd.show()
            crowd.picture()
            assert renderer.timings()["compute"] > 0.0


def test_a_kept_picture_of_a_card_is_compared_where_there_is_a_software_rasteriser(monkeypatch, tmp_path):
    monkeypatch.setattr(gpu, "KEPT", tmp_path)
    compared = {"subject": "no wrinkles", "device": "a card", "flip": None}
    assert gpu._beside_software(compared) == compared
    own = gpu._compared(gpu.SUBJECTS[0])
    assert (own["subject"], own["flip"]) == ("no wrinkles", 0.0)
    assert gpu._beside_software(compared)["flip"] == 0.0


def test_characters_stand_apart_and_have_the_folds_of_one():
    with Renderer((320, 180)) as renderer:
        subject = next(each for each in gpu.SUBJECTS if each.name == "draped")
        shown = [next(frames) for frames in subject.characters(gpu._clip(), 2)]
        apart = shown[1].at - shown[0].at
        assert np.linalg.norm(apart) > 0.5 * gpu._clip().height
        one, other = (np.asarray(each.detail.fine_positions) for each in shown)
        assert np.abs(other - apart - one).max() < 0.05 * gpu._clip().height
        crowd = gpu.Crowd(renderer, subject.characters(gpu._clip(), 2))
        crowd.show()
        picture = crowd.picture()
    assert len(crowd.surfaces) == 4
    # Each half of the picture shows one.
    ground = picture[0, 0]
    for half in (picture[:, :160], picture[:, 160:]):
        assert (half != ground).any(axis=-1).mean() > 0.03


@pytest.mark.slow
def test_the_page_of_sweeps_counts_the_time_of_all_points(monkeypatch):
    monkeypatch.setattr(sweep, "THRESHOLDS", (1.2, 1.3))
    samples = sweep.measure()
    assert len(samples["points"]) == 2 * len(sweep.PROFILES)
    assert 0 < sum(samples["points"]) < samples["wall"] * samples["cores"]
    assert "8 points" in sweep.page(samples)


def test_frames_of_waves_allocate_nothing_in_steady_state():
    allocations = native.run("wave_allocations")
    # The first two have the memory of two states made.
    assert min(allocations[:2]) > 0
    assert set(allocations[2:]) == {0}


def test_draped_cloth_takes_few_bytes_a_triangle():
    """Of the process: 813 on the machine that this was written on, of which a tenth is memory that set-up has freed."""
    assert 400 < drape.memory_alone(3) < 900


def test_the_page_of_draped_cloth_has_rows_with_and_without_contact_each_with_its_own_aim(monkeypatch):
    for name, small in (("LEVELS", (1,)), ("FRAMES", {1: 3}), ("CROWD_FRAMES", 1), ("CROWD_ROUNDS", 1)):
        monkeypatch.setattr(drape, name, small)
    timed = [[1, contact, drape._timed(1, contact)] for contact in drape.CONTACT]
    assert [entry["triangles"] for _, _, entry in timed] == [3840, 3840]
    # Distances to the body are not for nothing.
    assert timed[0][2]["setup"] > timed[1][2]["setup"]
    crowd = [drape._crowd(count) for count in (1, 2)]
    assert [len(walls) for each in crowd for walls in each["walls"].values()] == [1] * 4
    walls = {"1": [0.2, 0.3], "2": [0.1]}
    samples = {
        "timed": [
            *timed,
            *([2, contact, {**timed[0][2], "frames": [0.01], "triangles": 15360}] for contact in (True, False)),
        ],
        "shared": [[2, contact, walls | {"1": [0.01], "2": [0.005]}] for contact in (True, False)],
        "memory": {},
        "crowd": [{**crowd[0], "characters": 1}, {**crowd[1], "characters": 100, "walls": walls}],
        **{name: {} for name in ("nearness", "levels", "rough")},
    }
    page = drape.page(samples)
    assert "- 15360 triangles: **10 ms a frame**, aim ≤ 12 ms a frame: met." in page
    assert "- 15360 triangles, without contact: **10 ms a frame**, aim ≤ 8 ms a frame: missed by 25 %." in page
    assert "- level 2, on two threads: **5 ms a frame**, aim ≤ 7 ms a frame: met." in page
    assert "- level 2, without contact, on two threads: **5 ms a frame**, aim ≤ 4.5 ms a frame: missed by 11 %." in page
    assert "| 100 | 250.0 | 100.0 | 1.00 | 125 % |" in page
    assert "- 100 characters on two cores: **1.25 of one core's speed, by core**, aim ≥ 0.95" in page
    assert sum(line.startswith("| 1") and ", without contact |" in line for line in page.splitlines()) == 1


def test_a_finer_mesh_is_made_of_the_same_sheet():
    clip = bending_sleeve(12, 18, frames=2)
    fabric, rest = sheet.COAT, clip.positions[0]
    side = np.sqrt(triangle_areas(clip.faces, rest).sum())
    cloths, edges, counts = [], [], []
    for level in (3, 4):
        loop = byexample.LoopSubdivision(clip.mesh, level)
        fine = loop.matrix @ rest
        cloths.append(fabric.cloth(loop.fine, fine, side))
        edges.append(pucker.mean_edge_length(loop.fine, fine))
        counts.append(loop.fine.vertex_count)
    coarse, finer = cloths
    half, quarter = edges[1] / edges[0], counts[0] / counts[1]
    # Blender divides tension and hold by the edge; springs are as stiff on every mesh, and hold is by area.
    assert finer.tension / half == pytest.approx(coarse.tension)
    assert finer.hold_stiffness / half == pytest.approx(quarter * coarse.hold_stiffness)
    assert finer.hold_damping == pytest.approx(quarter * coarse.hold_damping)
    # It multiplies bending by the edge and pushes the wings of a hinge by the force: half as long, they need twice the force.
    assert finer.bending * half**2 == pytest.approx(coarse.bending)
    assert (finer.hold, finer.damping, finer.area) == (coarse.hold, coarse.damping, coarse.area)
    assert finer.mass == pytest.approx(coarse.mass)
    # Waves of plates are four times as fast at half the length.
    assert finer.quality == pytest.approx(4 * coarse.quality, rel=0.1)


def test_the_second_solver_sags_under_gravity_as_far_as_mass_over_hold_lets_it():
    pytest.importorskip("mujoco", reason="needs MuJoCo: install the extra pucker[simulate]")
    from bench import second, worn  # noqa: PLC0415 - needs MuJoCo

    clip = pucker.Clip.from_arrays(
        grid_faces(4, 4), np.repeat(grid_points(4)[None], 12, axis=0), np.arange(12) / 30, weld=False
    )
    still = worn.Worn(clip, None, clip.positions[0], 0, 1, "a flat sheet", np.zeros(0, dtype=np.int64))
    fabric = sheet.Sheet(wavelength=0.3, reach=0.3, response=0.8)
    found = second.simulated(still, fabric, 1, 2)
    mesh = byexample.LoopSubdivision(clip.mesh, 1)
    sag = found[-1] - mesh.matrix @ clip.positions[0]
    # Nothing but the springs of the hold carries a sheet that hangs straight down: x = g m / h, in metres of the simulation.
    expected = 9.81e-3 * 0.8**2 * still.side / np.sqrt(sheet.AREA)
    assert -sag[:, 1].mean() == pytest.approx(expected, rel=0.02)
    sewn = second.simulated(dataclasses.replace(still, sewn=np.arange(5)), fabric, 1, 2)[-1]
    upper = mesh.barycentrics @ np.repeat(np.arange(25)[:, None] < 5, 3, axis=1)
    away = np.linalg.norm(sewn - mesh.matrix @ clip.positions[0], axis=1)
    # What is sewn falls for one step, until it is put back.
    assert away[upper[:, 0] == 1.0].max() < 0.03 * expected
    assert away[upper[:, 0] == 0.0].min() > 0.3 * expected


def test_the_second_solver_keeps_cloth_off_a_body_and_leaves_what_is_beyond_it():
    pytest.importorskip("mujoco", reason="needs MuJoCo: install the extra pucker[simulate]")
    from bench import second, worn  # noqa: PLC0415 - needs MuJoCo

    # The guide goes through a plate that stands behind the middle of the sheet.
    way = np.linspace(0.0, -0.2, 16)[:, None, None] * np.array([0.0, 0.0, 1.0])
    faces = grid_faces(8, 8)
    clip = pucker.Clip.from_arrays(faces, grid_points(8)[None] + way, np.arange(16) / 30, weld=False)
    plate = 0.5 * (grid_points(8) - [0.5, 0.5, 0.0]) + [0.5, 0.5, -0.1]
    body = byexample.Body(faces, plate, np.repeat(plate[None], 16, axis=0))
    moved = worn.Worn(clip, None, clip.positions[0], 0, 1, "a flat sheet", np.zeros(0, dtype=np.int64))
    fabric = sheet.Sheet(wavelength=0.3, reach=0.3, response=0.8)
    free = second.simulated(moved, fabric, 1, 2)[-1]
    kept = second.simulated(dataclasses.replace(moved, body=body), fabric, 1, 2)[-1]
    start = byexample.LoopSubdivision(clip.mesh, 1).matrix @ clip.positions[0]
    middle = (np.abs(start[:, :2] - 0.5) < 0.2).all(axis=1)
    corner = (np.abs(start[:, :2] - 0.5) > 0.4).all(axis=1)
    assert free[middle, 2].max() < -0.15
    clearance = second._CLEARANCE / np.sqrt(sheet.AREA) * moved.side
    assert kept[middle, 2].min() > -0.1 + 0.9 * clearance
    assert kept[corner, 2].max() < -0.14
    # As Blender, it leaves what is deep in the body: there parts of a skin pass through each other.
    held = second._Held(moved, 1, fabric)
    skin = second._Skin(dataclasses.replace(moved, body=body), held, 1)
    depths = second._CLEARANCE * np.array([-0.5, 0.5, 2.0])
    middle = held.scale * np.array([0.5, 0.5, -0.1]) - depths[:, None] * [0.0, 0.0, 1.0]
    shifts = skin.shift(middle, skin.at(plate))[:, 2] / second._CLEARANCE
    assert shifts == pytest.approx([0.5, 1.5, 0.0], abs=1e-6)


def test_the_dress_is_simulated_over_what_is_under_it():
    from bench import worn  # noqa: PLC0415 - reads the character

    dress = worn.WORN["dress-run"]()
    whole = pucker.load(worn.scenes.DATA / "female_dress.fbx", clip="HumanArmature|Female_Run", parts=["Skin"])
    assert 0 < len(dress.body.faces) < len(whole.faces)
    # Legs and neck go on, hands and arms do not: within the shoulders nothing hangs between the waist and the knees but the legs.
    hands = np.abs(dress.body.start[:, 0]) > 58.0
    assert not hands.any()
    assert dress.body.start[:, 1].min() < 20.0
    assert dress.body.start[:, 1].max() > 450.0
    assert dress.body.positions.shape == (len(dress.clip), *dress.body.start.shape)


def test_a_published_scene_says_what_of_it_another_mesh_has_too(monkeypatch, tmp_path):
    pytest.importorskip("mujoco", reason="needs MuJoCo: install the extra pucker[simulate]")
    from bench import published  # noqa: PLC0415 - needs MuJoCo

    monkeypatch.setattr(published, "RECORDINGS", tmp_path)

    def lead(time, start):
        return start + np.array([0.0, 0.0, 0.1 * np.sin(6.0 * time) ** 2])

    motions = {"train": published.scenes.PinMotion(14, lead)}
    mesh = pucker.Mesh(grid_faces(3, 3), 16)
    scene = published.scenes.PublishedScene("small", mesh, grid_points(3), 2, np.arange(4), motions)
    found = published.resolution(scene)
    assert [row["of"] for row in found["rows"]] == ["finer", "again", "coarser"]
    assert min(found["rows"][1]["correlation"]) > max(0.9, np.nanmin(found["rows"][2]["correlation"]))
    assert sum(found["shares"]) == pytest.approx(1.0)
    assert "% of the mean square is in bands that the next finer mesh" in published._resolved(found)
    monkeypatch.setattr(published, "FINEST", 18 * 4**2)
    coarse = published.resolution(scene)
    assert [row["of"] for row in coarse["rows"]] == ["again", "coarser"]
    assert not any(coarse["judged"])
    assert "The next finer mesh is more than the memory" in published._resolved(coarse)


def test_a_measure_that_a_control_reaches_is_no_aim_of_the_scenes():
    pytest.importorskip("pandas", reason="needs the extra pucker[metrics]")
    from bench import believe  # noqa: PLC0415 - needs the extra

    measures = dict.fromkeys(compare.judged.MEASURES, 1.0)
    surfaces = {
        "coarse": measures,
        "dynamic": measures | {"curvature": 0.5, "direction": 20.0, "normals": 3.0},
        "dynamic, smooth": measures | {"curvature": 0.5, "direction": 30.0, "normals": 3.0},
        "guide alone": measures | {"direction": np.nan, "wavelength": np.nan, "normals": 0.5},
        "noise of the same spectrum": measures | {"curvature": 0.6, "direction": np.nan, "wavelength": 2.0},
    }
    judged = [
        compare.Judged("a", name, {key: [value] for key, value in found.items()}) for name, found in surfaces.items()
    ]
    text = believe._aims(compare.overall(judged), compare.verdicts(judged))
    assert "direction of folds: **20 degrees**, aim ≤ 25 degrees: met." in text
    assert "direction of folds: **30 degrees**, aim ≤ 25 degrees: missed by 20 %." in text
    assert "- curvature" not in text
    assert "curvature (noise of the same spectrum)" in text
    assert "- normals" not in text
    assert "normals (guide alone, noise of the same spectrum)" in text


def grid_points(cells):
    """A sheet of one by one that stands upright, (n, 3)."""
    y, x = np.mgrid[: cells + 1, : cells + 1] / cells
    return np.stack([x.ravel(), y.ravel(), 0.0 * x.ravel()], axis=1)
