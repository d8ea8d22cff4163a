"""``pucker train`` and the simulation it learns from. What needs Blender's module is marked so; all else has a stand-in for it."""

import json
import struct
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from byexample_scenes import recorded_tube
from click.testing import CliRunner
from motion import tube
from scipy import spatial

import pucker
from pucker import byexample
from pucker.byexample import simulation
from pucker.cli import cli, train_sources
from pucker.io import blender

needs_blender = pytest.mark.skipif(find_spec("bpy") is None, reason="needs Blender's module")
MESH, REST, COARSE, FINE = recorded_tube()
TIMES = np.arange(len(COARSE)) / 30
CLIP = pucker.Clip.from_arrays(MESH.faces, COARSE, TIMES, weld=False)


def read_pc2(path):
    data = path.read_bytes()
    mark, version, points, start, rate, frames = struct.unpack("<12siiffi", data[:32])
    assert (mark, version, start, rate) == (b"POINTCACHE2\0", 1, 0.0, 1.0)
    return np.frombuffer(data[32:], np.float32).reshape(frames, points, 3)


@pytest.fixture
def stand_in(monkeypatch):
    """Takes the place of Blender: the guide raised by a hundredth, or what `change` makes of that."""
    seen = {"runs": 0, "change": lambda frames: frames}

    def frames_done(folder, name):
        guide = read_pc2(folder / "guide.pc2")
        seen["runs"] += 1
        seen["job"] = json.loads((folder / "job.json").read_text())
        seen["guide"] = guide
        seen["faces"] = np.fromfile(folder / "guide.i32", np.int32).reshape(-1, 3)
        seen["body"] = read_pc2(folder / "body.pc2") if (folder / "body.pc2").exists() else None
        lifted = guide + np.array([0, 0, 0.01], np.float32)
        np.asarray(seen["change"](lifted), np.float32).tofile(folder / "fine.f32")
        yield from range(1, len(guide) + 1)

    monkeypatch.setattr(simulation, "_frames_done", frames_done)
    monkeypatch.setattr(blender, "find_spec", lambda _name: object())
    return seen


def ball(radius=0.2):
    body = tube(columns=6, rows=3)
    start = radius * body.rest
    return byexample.Body(body.faces, start, np.repeat(start[None], len(CLIP), axis=0))


def scale_of(cloth=byexample.Cloth(), start=COARSE[0]):  # noqa: B008 - frozen
    corners = start[MESH.faces]
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    return np.sqrt(cloth.area / area)


# --- what is simulated --------------------------------------------------------------------------------------------


def test_the_guide_is_the_subdivided_clip_after_a_way_from_the_start(stand_in):
    told = []
    fine = byexample.simulate(CLIP, start=COARSE[7], progress=lambda done, count: told.append((done, count)))
    loop = byexample.LoopSubdivision(MESH, 2)
    guide = np.array([loop.matrix @ positions for positions in COARSE])
    lift = 0.01 / scale_of(start=COARSE[7])
    assert fine == pytest.approx(guide + np.array([0, lift, 0]), abs=1e-6)
    assert np.array_equal(stand_in["faces"], loop.fine.faces)
    count = len(stand_in["guide"])
    assert stand_in["job"]["frames"] == count == len(CLIP) + 19
    assert told == [(k + 1, count) for k in range(count)]
    # Blender's z is up; cloth of its area; still at first, without a jump afterwards.
    sent = stand_in["guide"][..., [0, 2, 1]] * [1, 1, -1] / scale_of(start=COARSE[7])
    at_rest = loop.matrix @ COARSE[7]
    assert sent[:5] == pytest.approx(np.repeat(at_rest[None], 5, axis=0), abs=1e-6)
    assert sent[19:] == pytest.approx(guide, abs=1e-6)
    way = np.abs(np.diff(sent[4:20], axis=0)).max(axis=(1, 2))
    assert way.max() < 3 * np.abs(guide[0] - at_rest).max() / 15
    assert stand_in["job"]["bending"] == byexample.Cloth().bending
    assert not stand_in["job"]["body"]


def test_it_stands_as_long_as_it_is_told(stand_in):
    short, long = (byexample.simulate(CLIP, start=REST, still=still) for still in (1, 21))
    assert np.array_equal(short, long)
    assert stand_in["job"]["frames"] == len(CLIP) + 35


def test_the_clip_begins_in_its_first_frame_if_it_has_no_rest(stand_in):
    byexample.simulate(CLIP)
    assert np.array_equal(stand_in["guide"][0], stand_in["guide"][19])


@pytest.mark.parametrize("scale", [0.01, 100.0])
def test_the_unit_of_length_does_not_matter(stand_in, scale):
    here = byexample.simulate(CLIP, ball())
    larger = pucker.Clip.from_arrays(MESH.faces, scale * COARSE, TIMES, weld=False)
    body = ball()
    there = byexample.simulate(larger, byexample.Body(body.faces, scale * body.start, scale * body.positions))
    assert there / scale == pytest.approx(here, rel=1e-5, abs=1e-6)


def test_the_body_gives_the_garment_room_where_it_is_near(stand_in):
    cloth = byexample.Cloth(room=0.05)
    wide, tight = ball(0.2), ball(1.0)
    byexample.simulate(CLIP, wide, cloth=cloth)
    assert stand_in["body"][0][..., [0, 2, 1]] * [1, 1, -1] / scale_of() == pytest.approx(wide.start, abs=1e-5)
    byexample.simulate(CLIP, tight, cloth=cloth)
    drawn_in = stand_in["body"][0][..., [0, 2, 1]] * [1, 1, -1] / scale_of()
    moved = np.linalg.norm(drawn_in - tight.start, axis=1)
    assert moved.max() > 0.03
    mesh = pucker.Mesh(tight.faces, len(tight.start))
    inwards = -np.einsum("vi,vi->v", drawn_in - tight.start, pucker.vertex_normals(mesh, tight.start))
    assert inwards == pytest.approx(moved, abs=1e-5)
    with pytest.raises(ValueError, match="still must be at least 1, not 0"):
        byexample.simulate(CLIP, still=0)
    with pytest.raises(ValueError, match="the body must have a frame for each of the clip's 21, not 3"):
        byexample.simulate(CLIP, byexample.Body(wide.faces, wide.start, wide.positions[:3]))


def test_recordings_are_taken_again_if_nothing_changed(stand_in, tmp_path):
    folder = tmp_path / "new" / "kept"
    first = byexample.simulate(CLIP, recordings=folder)
    again = byexample.simulate(CLIP, recordings=folder)
    assert stand_in["runs"] == 1
    assert np.array_equal(first, again)
    byexample.simulate(CLIP, cloth=byexample.Cloth(bending=0.1), recordings=folder)
    byexample.simulate(CLIP, ball(), recordings=folder)
    assert stand_in["runs"] == 3
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:100])
    assert np.array_equal(byexample.simulate(CLIP, recordings=folder), first)
    assert stand_in["runs"] == 4


def torn(frames):
    out = frames.copy()
    out[-1, ::9] += 1000.0
    return out


def broken(frames):
    out = frames.copy()
    out[-3, 5] = np.nan
    return out


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (torn, r"blew up: in frame 20 one of 100 edges is \d+\.\d+ times as long"),
        (broken, "blew up: frame 18 is not finite"),
    ],
)
def test_cloth_that_came_apart_is_told(stand_in, change, message):
    stand_in["change"] = change
    with pytest.raises(byexample.BlownUpError, match=message):
        byexample.simulate(CLIP)


def test_what_blender_did_not_finish_is_told(stand_in):
    stand_in["change"] = lambda frames: frames[:3]
    with pytest.raises(pucker.Error, match=r"Blender wrote \d+ numbers, not \d+"):
        byexample.simulate(CLIP)


def test_without_blender_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(blender, "find_spec", lambda _name: None)
    with pytest.raises(
        pucker.Error,
        match=r"simulating needs bpy, Blender.s module for Python 3\.11: pip install --no-deps bpy==5\.0\.1",
    ):
        byexample.simulate(CLIP)


def test_a_process_that_fails_is_told_by_its_last_line(monkeypatch, tmp_path):
    monkeypatch.setattr(simulation, "__file__", str(tmp_path / "simulation.py"))
    monkeypatch.setattr(blender, "find_spec", lambda _name: object())
    (tmp_path / "blender.py").write_text("import sys\nsys.stderr.write('no room\\n')\nsys.exit(3)\n")
    with pytest.raises(pucker.Error, match="Blender ended with status 3: no room"):
        byexample.simulate(CLIP)


@pytest.mark.parametrize("count", [3, 2000])
def test_the_nearest_point_is_that_of_a_tree(rng, count):
    points, asked = rng.normal(size=(count, 3)) + 50.0, rng.normal(size=(1500, 3)) + 50.0
    distances, nearest = simulation._nearest(points, asked)
    expected = spatial.cKDTree(points).query(asked)
    np.testing.assert_array_equal(nearest, expected[1])
    np.testing.assert_allclose(distances, expected[0], rtol=1e-12)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"area": 0}, r"cloth.area \(square metres .*\) must lie in \(0, inf\), got 0"),
        ({"hold": 1.5}, r"cloth.hold \(how much .*\) must lie in \[0, 1\], got 1.5"),
        ({"mass": np.nan}, r"cloth.mass \(kilograms\) must lie in \(0, inf\), got nan"),
        ({"bending": "stiff"}, r"cloth.bending \(.*\) must lie in \[0, inf\), got 'stiff'"),
        ({"quality": -1}, r"cloth.quality \(.*\) must lie in \[1, inf\), got -1"),
        ({"quality": 2.5}, r"cloth.quality \(.*\) must be a whole number, got 2.5"),
    ],
)
def test_cloth_that_there_is_not_is_refused(values, message):
    with pytest.raises(ValueError, match=message):
        byexample.Cloth(**values)


def test_a_garment_without_area_is_refused():
    flat = pucker.Clip.from_arrays(MESH.faces, 0.0 * COARSE, TIMES, weld=False)
    with pytest.raises(ValueError, match="a garment without area cannot be simulated"):
        byexample.simulate(flat)


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded")
    np.savez(folder / "coarse.npz", faces=MESH.faces, positions=COARSE, times=TIMES)
    np.savez(folder / "fine.npz", faces=byexample.LoopSubdivision(MESH, 2).fine.faces, positions=FINE, times=TIMES)
    return folder


def pucker_train(*arguments):
    return CliRunner().invoke(cli, ["train", *map(str, arguments)])


def train_simulated(*arguments):
    return pucker_train(*arguments, "--simulator", "blender")


def test_it_learns_from_a_recording(files, tmp_path):
    out = tmp_path / "tube.npz"
    result = pucker_train(
        files / "coarse.npz", "--clips", "all", "--fine", files / "fine.npz", "--poses", 5, "--json", "-o", out
    )
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    options = byexample.Options(edges=64, falloff=1.0)
    direct = byexample.train(MESH, COARSE, FINE, rest=COARSE[0], levels=2, poses=5, options=options)
    assert [pose["frame"] for pose in told["poses"]] == list(direct.frames)
    assert told["errors"] == pytest.approx(direct.error, rel=1e-6)
    assert told["bytes"] == out.stat().st_size
    trained = byexample.load(out)
    assert trained.details == pytest.approx(direct.trained.details, abs=trained.step)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--fine", "fine.npz", "--levels", "1"],
            "must have 208 vertices, those of the clip subdivided 1 times, not 800",
        ),
        (["--fine", "fine.npz", "--cut", "all"], "are for simulations, not for --fine"),
        (["--fine", "fine.npz", "--clips", "0:3,4:8"], "is a recording of one clip, but --clips names more"),
        (["--simulator", "blender", "--set", "stiffness=3"], "cloth has no 'stiffness'; there are area, hold"),
        (["--simulator", "blender", "--set", "hold=3"], "cloth.hold (how much"),
        (["--fine", "none.npz"], "none.npz"),
        (["-o", "set.bin"], "must end in one of .npz"),
    ],
)
def test_what_it_cannot_learn_from_is_refused(files, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(files)
    given = ["--clips", "all", "-o", tmp_path / "set.npz", *arguments]
    result = pucker_train("coarse.npz", *given)
    assert result.exit_code == 2
    assert message in result.output


def test_it_simulates_a_character_and_keeps_what_it_simulated(stand_in, data_dir, tmp_path):
    kimono = data_dir / "kimono_male.gltf"
    arguments = [kimono, "--parts", "Clothes", "--clips", "Punch,RecieveHit", "--fps", 10, "--levels", 1, "--poses", 4]
    first = train_simulated(*arguments, "--quiet", "-o", tmp_path / "set.npz")
    assert first.exit_code == 0, first.output
    assert stand_in["runs"] == 2
    body = pucker.load(kimono, clip="Punch", parts=["Band", "Face", "Skin"], fps=10)
    assert stand_in["body"].shape[1] == body.mesh.vertex_count
    trained = byexample.load(tmp_path / "set.npz")
    clip = pucker.load(kimono, clip="Punch", parts=["Clothes"], fps=10)
    trained.check(clip.mesh)
    trained.check_rest(clip.rest)
    assert trained.parts == ("Clothes",)
    whole = (tmp_path / "set.npz").read_bytes()
    again = train_simulated(*arguments, "--quiet", "-o", tmp_path / "again.npz", "--recordings", tmp_path / "set")
    assert again.exit_code == 0, again.output
    assert stand_in["runs"] == 2
    assert (
        byexample.load(tmp_path / "again.npz").details.tobytes()
        == byexample.load(tmp_path / "set.npz").details.tobytes()
    )
    assert len(whole) == (tmp_path / "again.npz").stat().st_size


@pytest.mark.parametrize(
    ("file", "clip", "parts", "worn"),
    [
        ("kimono_male.gltf", "Punch", ["Clothes", "Band"], ["Face", "Skin"]),
        ("female_dress.fbx", "HumanArmature|Female_Punch", ["Dress"], ["Eyes", "Hair", "Shoes", "Skin"]),
        # One material for all: a part that has triangles of the garment is no body.
        (
            "mage.glb",
            "Running_A",
            ["Mage_Body", "Mage_Arm*"],
            [
                "1H_Wand",
                "2H_Staff",
                "Mage_Cape",
                "Mage_Hat",
                "Mage_Head",
                "Mage_LegLeft",
                "Mage_LegRight",
                "Spellbook",
                "Spellbook_open",
            ],
        ),
        (
            "cowboy.dae",
            None,
            ["joint:Torso", "joint:Chest", "joint:Upper_*", "joint:Lower_*"],
            ["joint:Foot_L", "joint:Foot_R", "joint:Hand_L", "joint:Hand_R", "joint:Head", "joint:Neck"],
        ),
        ("kyonshi_lower.md3", "115:117", ["l_lower", "l_dress"], ["l_legs"]),
        ("tshirt_wind.zip", "0:2", None, []),
    ],
)
def test_the_body_is_all_that_has_no_garment(data_dir, file, clip, parts, worn):
    assert sorted(train_sources._body_parts(data_dir / file, parts)) == worn
    if parts:
        pucker.load(data_dir / file, clip=clip, parts=worn, fps=5)


def test_the_garment_can_be_cut_for_another_pose_and_worn_over_nothing(stand_in, data_dir, tmp_path):
    kimono = data_dir / "kimono_male.gltf"
    result = train_simulated(
        kimono, "--parts", "Clothes", "--clips", "Punch", "--fps", 10, "--levels", 1, "--poses", 2, "--body", "none",
        "--cut", "Idle", "--set", "area=5", "--quiet", "-o", tmp_path / "set.npz",
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert stand_in["body"] is None
    idle = pucker.load(kimono, clip="Idle", parts=["Clothes"], fps=10)
    sent = stand_in["guide"][0][..., [0, 2, 1]] * [1, 1, -1]
    cut = byexample.LoopSubdivision(idle.mesh, 1).matrix @ idle.positions[0]
    assert np.ptp(sent, axis=0) / np.ptp(cut, axis=0) == pytest.approx(np.full(3, np.median(sent / cut)), rel=1e-4)


def test_what_the_garment_is_worn_over_is_told_and_no_part_of_it(stand_in, data_dir, tmp_path):
    arguments = [data_dir / "kimono_male.gltf", "--parts", "Clothes", "--clips", "Punch", "--fps", 10, "--levels", 1]
    result = train_simulated(*arguments, "--poses", 2, "-o", tmp_path / "set.npz")
    assert result.exit_code == 0, result.output
    assert "worn over " in result.stderr
    assert "Skin" in result.stderr.split("worn over ")[1].splitlines()[0]
    runs = stand_in["runs"]
    result = train_simulated(*arguments, "--poses", 2, "--body", "Skin,Clothes", "-o", tmp_path / "other.npz")
    assert result.exit_code == 2
    assert "the garment cannot be worn over itself" in result.output
    assert "--body Clothes" in result.output
    assert stand_in["runs"] == runs


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--regression", "--poses", "3"], "--poses is not for --regression"),
        (["--details", "3"], "--details is for --regression"),
        (["--levels", "0"], "0 is not in the range x>=1"),
        (["--set", "hold=3"], "cloth.hold"),
        (["-o", "taken.npz"], "taken.npz is a folder, not a file to write"),
        (["--recordings", "file/below"], "file is not a folder"),
    ],
)
def test_what_cannot_end_well_is_refused_before_anything_is_simulated(
    stand_in, data_dir, tmp_path, monkeypatch, wrong, message
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken.npz").mkdir()
    (tmp_path / "file").write_text("")
    loaded = []
    monkeypatch.setattr(pucker.io, "open_source", lambda *_given, **_named: loaded.append(1))
    kimono = data_dir / "kimono_male.gltf"
    result = train_simulated(kimono, "--parts", "Clothes", "--clips", "Punch", "-o", "set.npz", *wrong)
    assert result.exit_code == 2
    assert message in result.output
    assert (stand_in["runs"], loaded) == (0, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "taken.npz"]


def test_the_frames_before_a_simulation_blew_up_are_learned_from(stand_in, data_dir, tmp_path):
    kimono = data_dir / "kimono_male.gltf"
    frames = len(pucker.load(kimono, clip="Punch", parts=["Clothes"], fps=10))
    stand_in["change"] = torn
    given = ["--parts", "Clothes", "--clips", "Punch", "--fps", 10, "--levels", 1, "--poses", 3, "--quiet", "--json"]
    result = train_simulated(kimono, *given, "-o", tmp_path / "set.npz")
    assert result.exit_code == 0, result.output
    assert f"only the {frames - 1} frames before are learned from" in result.stderr
    told = json.loads(result.stdout)
    assert (told["clips"], told["frames"]) == (["kimono_male Punch"], frames - 1)
    byexample.load(tmp_path / "set.npz")


def test_a_clip_that_blew_up_at_once_is_left_out(stand_in, data_dir, tmp_path):
    def at_once(frames):
        out = frames.copy()
        out[-len(frames) + 19 :, ::9] += 1000.0
        return out

    stand_in["change"] = lambda frames: at_once(frames) if stand_in["runs"] == 1 else frames
    arguments = [
        data_dir / "kimono_male.gltf",
        "--parts",
        "Clothes",
        "--fps",
        10,
        "--levels",
        1,
        "--poses",
        3,
        "--json",
    ]
    result = train_simulated(*arguments, "--quiet", "--clips", "Punch,RecieveHit", "-o", tmp_path / "set.npz")
    assert result.exit_code == 0, result.output
    assert "Punch: the simulation blew up" in result.stderr
    assert json.loads(result.stdout)["clips"] == ["kimono_male RecieveHit"]
    stand_in["change"] = at_once
    result = train_simulated(*arguments, "--quiet", "--clips", "Shoot_OneHanded", "-o", tmp_path / "none.npz")
    assert result.exit_code == 2
    assert "no clip is left to learn from" in result.output
    assert not (tmp_path / "none.npz").exists()


def test_it_learns_from_a_simulation_recorded_once(data_dir, tmp_path):
    # Eight frames, simulated by Blender for this test, cut for the first frame of Idle.
    fine = Path(__file__).parent / "data" / "kimono_punch_fine.npz"
    kimono, out = data_dir / "kimono_male.gltf", tmp_path / "punch.npz"
    result = pucker_train(
        kimono, "--parts", "Clothes", "--clips", "Punch", "--fps", 10, "--levels", 1, "--fine", fine, "--no-low-frequency",
        "--poses", 6, "--quiet", "--json", "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["errors"][0] == pytest.approx(0.0103, abs=0.0002)
    assert (np.diff(told["errors"]) < 0).all()
    assert told["errors"][-1] < 0.3 * told["errors"][0]
    clip = pucker.load(kimono, clip="Punch", parts=["Clothes"], fps=10)
    with np.load(fine) as archive:
        recorded = archive["positions"].astype(np.float64)
    smooth = byexample.SmoothSurface(clip.mesh, 1, clip.rest)
    details = byexample.details_of(smooth, clip.positions, recorded, low_frequency="remove")
    # At a pose the surface is the recorded one but for its low-frequency part.
    run = pucker.method.start(clip, byexample.Params(trained=str(out)))
    states = [run.advance(*frame) for frame in zip(clip.positions, clip.times, strict=True)]
    for pose in told["poses"]:
        frame = pose["frame"]
        smooth.step(clip.positions[frame])
        wanted = smooth.add(details[frame])
        away = np.linalg.norm(states[frame].surface.positions - wanted, axis=1)
        assert np.median(away) < 1e-5


# --- with Blender -------------------------------------------------------------------------------------------------


@pytest.mark.blender
@needs_blender
def test_blender_drapes_a_tube_over_a_ball():
    fine = byexample.simulate(CLIP, ball(0.5), start=REST, levels=1)
    loop = byexample.LoopSubdivision(MESH, 1)
    guide = np.array([loop.matrix @ positions for positions in COARSE])
    away = np.linalg.norm(fine - guide, axis=2)
    assert 1e-4 < away.mean() < 0.1
    again = byexample.simulate(CLIP, ball(0.5), start=REST, levels=1)
    assert np.abs(again - fine).max() < 1e-3


@pytest.mark.blender
@needs_blender
def test_two_seconds_of_a_character_are_simulated_and_learned(data_dir, tmp_path):
    out = tmp_path / "kimono.npz"
    result = train_simulated(
        data_dir / "kimono_male.gltf", "--parts", "Clothes", "--clips", "Walk,Punch", "--levels", 1, "--poses", 6,
        "--json", "--quiet", "-o", out,
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["frames"] == 61
    assert told["errors"][-1] < 0.8 * told["errors"][0]
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    states = list(pucker.run(clip, byexample.Params(trained=str(out))))
    smooth = list(pucker.run(clip, byexample.Params(trained=str(out), gain=0.0)))
    away = [
        np.linalg.norm(a.surface.positions - b.surface.positions, axis=1) for a, b in zip(states, smooth, strict=True)
    ]
    assert 1e-3 < np.mean(away) < 0.05
