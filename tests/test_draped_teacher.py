"""Sets that are learned from draped cloth: what is taught, how it trails, and the command."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
from time import monotonic, sleep

import farm_jobs
import numpy as np
import pytest
from byexample_scenes import recorded_tube
from click.testing import CliRunner
from farm_jobs import cluster

import pucker
from pucker import byexample
from pucker.byexample import draped
from pucker.byexample.clips_on_workers import on_scheduler
from pucker.cli import cli

MESH, REST, COARSE, _ = recorded_tube()
TIMES = np.arange(len(COARSE)) / 30
PARAMS = pucker.drape.Params(levels=1, cut="rest", lag=0.05)


def clip_of(frames, rest=REST):
    return pucker.Clip.from_arrays(MESH.faces, frames, np.arange(len(frames)) / 30, rest=rest, weld=False)


@pytest.fixture(scope="module")
def takes():
    return byexample.drape([clip_of(COARSE[:8]), clip_of(COARSE[8:])], PARAMS)


@pytest.fixture(scope="module")
def trained(takes):
    return byexample.learn_draped(takes, params=PARAMS, parts=("Tube",), details=6, centres=10).trained


@pytest.fixture(scope="module")
def file_of_set(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("sets") / "set.npz"
    trained.save(path)
    return str(path)


def test_what_is_taught_is_the_draped_cloth_without_lag(takes):
    clip = takes[1].clip
    wanted = [state.draped for state in pucker.run(clip, PARAMS.replace(lag=0.0))]
    assert takes[1].fine.dtype == np.float32
    assert np.array_equal(takes[1].fine, np.float32(wanted))
    for moving in ({"lag": 0.5}, {"swing": 0.0}):
        other = [state.draped for state in pucker.run(clip, PARAMS.replace(**{"lag": 0.0, **moving}))]
        assert not np.allclose(takes[1].fine, other)
    told = []
    again = byexample.drape([take.clip for take in takes], PARAMS, workers=2, progress=lambda *done: told.append(done))
    assert all(np.array_equal(one.fine, other.fine) for one, other in zip(takes, again, strict=True))
    assert sorted(told) == [(k + 1, len(COARSE)) for k in range(len(COARSE))]


def test_the_body_teaches_nothing_unless_it_is_asked_to(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Punch", parts=["Clothes"], fps=5)
    cloth = pucker.drape.Params(levels=2, lag=0.0)
    assert len(clip.body_faces)
    assert cloth.contact
    free, worn = (
        np.array([state.draped for state in pucker.run(clip, cloth.replace(contact=contact))])
        for contact in (False, True)
    )
    assert np.abs(free - worn).max() > 0.01 * np.ptp(clip.positions[0], axis=0).max()
    assert np.array_equal(byexample.drape([clip])[0].fine, np.float32(free))
    assert np.array_equal(byexample.drape([clip], byexample.teacher().replace(contact=True))[0].fine, np.float32(worn))
    assert byexample.teacher(1) == pucker.drape.Params(levels=1, contact=False)


def test_the_cloth_that_taught_a_set_is_known_from_its_guides(takes):
    clip = takes[0].clip
    for cloth in (byexample.teacher(1), byexample.teacher(2).replace(fold_size=0.2, memory=0.3, lag=0.05, swing=0.1)):
        assert byexample.teacher_of(byexample.guide_cloth(clip, cloth), cloth.levels, cloth.lag) == cloth


def test_cloth_that_begins_otherwise_forgets_how_it_began(takes):
    take = takes[1]
    again = byexample.drape_begun_otherwise(take.clip, PARAMS.replace(lag=0.0))
    assert again.shape == take.fine.shape
    apart = np.sqrt(np.square(again - take.fine).mean(axis=(1, 2)))
    assert 0.0 < apart[-1] < 0.5 * apart[0]
    alone = clip_of(take.clip.positions[:1])
    taught = PARAMS.replace(lag=0.0)
    assert np.array_equal(byexample.drape_begun_otherwise(alone, taught), byexample.drape([alone], PARAMS)[0].fine)


def test_draped_frames_are_kept_and_taken_again(tmp_path, takes):
    clips = [take.clip for take in takes]
    first = byexample.drape(clips, PARAMS, recordings=tmp_path / "kept" / "here")
    folder = tmp_path / "kept" / "here"
    files = sorted(folder.iterdir())
    assert len(files) == len(clips)
    for one, other in zip(first, takes, strict=True):
        assert np.array_equal(one.fine, other.fine)
    written = [file.stat().st_mtime_ns for file in files]
    byexample.drape(clips, PARAMS, recordings=folder)
    assert [file.stat().st_mtime_ns for file in files] == written
    # Other cloth and damaged files are draped anew.
    byexample.drape(clips, PARAMS.replace(fold_size=0.1), recordings=folder)
    assert len(list(folder.iterdir())) == 2 * len(clips)
    for file in folder.iterdir():
        file.write_bytes(file.read_bytes()[:100])
    again = byexample.drape(clips, PARAMS, recordings=folder)
    assert np.array_equal(again[0].fine, takes[0].fine)
    (folder / "mine.txt").write_text("stays")
    byexample.remove_recordings(folder, clips, PARAMS)
    byexample.remove_recordings(folder, clips, PARAMS.replace(fold_size=0.1))
    assert [file.name for file in folder.iterdir()] == ["mine.txt"]
    byexample.remove_recordings(tmp_path / "none", clips, PARAMS)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_was_draped_before_an_interruption_is_not_draped_again(tmp_path, takes, workers):
    clips = [take.clip for take in takes]

    def interrupt(done, _count):
        if done == 11:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        byexample.drape(clips, PARAMS, workers=workers, recordings=tmp_path, progress=interrupt)
    frames = sum(len(np.load(file)["fine"]) for file in tmp_path.iterdir())
    # Other processes may be done by the time that they are stopped.
    assert 10 <= frames < len(COARSE) + (workers > 1)
    again = byexample.drape(clips, PARAMS, recordings=tmp_path)
    for one, other in zip(again, takes, strict=True):
        assert np.array_equal(one.fine, other.fine)


def test_a_set_trails_its_guide_by_the_cloths_own_time(file_of_set):
    step = np.array([0.3, -0.1, 0.2])
    frames = np.array([COARSE[0] + k * step for k in range(40)])
    run = pucker.method.start(clip_of(frames), byexample.Params(trained=file_of_set))
    for positions, time in zip(frames, np.arange(len(frames)) / 30, strict=True):
        state = run.advance(positions, time)
    # A guide of steady velocity is followed at a distance of velocity times time.
    assert state.trail.offsets == pytest.approx(np.broadcast_to(-step * 30 * 0.05, REST.shape), abs=1e-9)
    whole = np.array(state.surface.positions)
    none = pucker.method.start(clip_of(frames), byexample.Params(trained=file_of_set, trail=0.0))
    for positions, time in zip(frames, np.arange(len(frames)) / 30, strict=True):
        still = none.advance(positions, time)
    assert still.trail.offsets.size == 0
    assert whole - still.surface.positions == pytest.approx(np.broadcast_to(-step * 1.5, whole.shape), abs=1e-6)


def test_trail_and_sway_add_up(file_of_set):
    both, trail, sway = (
        _last(file_of_set, trail=share, sway=period) for share, period in ((1.0, 0.2), (1.0, 0.0), (0.0, 0.2))
    )
    none = _last(file_of_set, trail=0.0)
    assert both - none == pytest.approx((trail - none) + (sway - none), abs=1e-6)


def test_a_saved_run_trails_on_with_the_same_bits(file_of_set):
    clip = clip_of(COARSE)
    run = pucker.method.start(clip, byexample.Params(trained=file_of_set))
    for frame in range(5):
        run.advance(clip.positions[frame], clip.times[frame])
    again = byexample.ByExample.restore(run.save())
    one = run.advance(clip.positions[5], clip.times[5])
    other = again.advance(clip.positions[5], clip.times[5])
    assert np.array_equal(one.surface.positions, other.surface.positions)
    assert np.array_equal(one.trail.offsets, other.trail.offsets)
    assert np.abs(one.trail.offsets).max() > 0.0


def test_a_jump_leaves_nothing_behind(file_of_set):
    frames = np.concatenate([COARSE[:3], COARSE[3:5] + 100.0])
    run = pucker.method.start(clip_of(frames), byexample.Params(trained=file_of_set))
    states = [run.advance(*frame) for frame in zip(frames, np.arange(5) / 30, strict=True)]
    assert np.array_equal(states[3].trail.offsets, np.zeros_like(REST))


def test_a_file_keeps_the_trail_and_what_was_learned_from(trained, tmp_path):
    path = tmp_path / "set.npz"
    trained.save(path)
    found = byexample.load(path)
    assert found.options.trail == 0.05
    assert found.origin == trained.origin
    assert (found.origin.simulator, len(found.origin.clips)) == ("drape", 2)
    with np.load(path) as archive:
        header = json.loads(str(archive["header"]))
        arrays = {name: archive[name] for name in archive.files}
    assert header["version"] == 7
    header["options"]["trail"] = -1.0
    np.savez(path, **{**arrays, "header": np.array(json.dumps(header))})
    with pytest.raises(pucker.Error, match="the time by which cloth trails its guide must be finite and at least 0"):
        byexample.load(path)


def test_the_coarse_mesh_is_cloth_before_detail_is_put_on_it(trained, file_of_set):
    clip = clip_of(COARSE)
    cloth = byexample.guide_cloth(clip, PARAMS)
    assert cloth.params == trained.cloth.params
    assert np.array_equal(cloth.cut, REST)
    wanted = cloth.on(clip.mesh)
    for state in pucker.run(clip, byexample.Params(trained=file_of_set)):
        balance = wanted.advance(state.positions, state.time).draped
        assert np.array_equal(state.balance, balance)
        # What it was cut for is in balance.
        assert np.allclose(state.balance, state.positions, atol=1e-5) == (state.frame == 0)
    # It is what was learned on: detail is nearer to the cloth than the balance alone.
    takes = byexample.drape([clip], PARAMS)
    played = [np.array(s.surface.positions) for s in pucker.run(clip, byexample.Params(trained=file_of_set, trail=0.0))]
    plain = [
        np.array(s.surface.positions)
        for s in pucker.run(clip, byexample.Params(trained=file_of_set, trail=0.0, gain=0.0))
    ]
    assert np.linalg.norm(played - takes[0].fine) < 0.5 * np.linalg.norm(plain - takes[0].fine)


def test_sets_swing_as_the_cloth_that_taught_them(takes, tmp_path):
    file = str(tmp_path / "set.npz")
    trained = byexample.learn_draped(takes, params=PARAMS, details=6, centres=10).trained
    assert trained.cloth.params.swing == PARAMS.swing
    trained.save(file)
    clip = takes[1].clip

    def off(swing, params):
        """From draped cloth that swings so."""
        played = [np.array(state.surface.positions) for state in pucker.run(clip, params)]
        wanted = [np.array(state.draped) for state in pucker.run(clip, PARAMS.replace(lag=0.0, swing=swing))]
        return np.linalg.norm(np.array(played) - np.array(wanted))

    params = byexample.Params(trained=file, trail=0.0)
    assert off(PARAMS.swing, params) < 0.8 * off(PARAMS.swing, params.replace(swing=0.0))
    assert off(0.0, params.replace(swing=0.0)) < 0.8 * off(0.0, params)


def test_what_the_cloth_of_a_guide_is_like_comes_from_the_draped_cloth():
    given = pucker.drape.Params(fold_size=0.2, creep=0.3, iterations=50, swing=0.1, gain=2.0, cut="first")
    params = byexample.guide_cloth(clip_of(COARSE), given).params
    assert (params.fold_size, params.creep) == (0.2, 0.3)
    assert (params.levels, params.lag, params.swing, params.gain, params.contact, params.cut) == (
        0,
        0.0,
        0.1,
        2.0,
        False,
        "",
    )
    assert params.iterations < 10
    assert params.compression == 1.1
    assert byexample.guide_cloth(clip_of(COARSE), given.replace(compression=1.05)).params.compression == 1.05


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"cloth": 3}, "'cloth' is 3"),
        ({"cloth": {"levels": [1]}}, "'levels' of the cloth is"),
        ({"cloth": {"stretch": 1}}, "stretch"),
        ({"cloth": {"creep": 7}}, "creep"),
        ({"cut": None}, "cut is missing"),
        ({"cut": np.zeros((3, 3))}, "cut must have shape"),
        ({"cut": np.full(REST.shape, np.nan)}, "cut must be finite"),
    ],
)
def test_damaged_cloth_of_a_guide_is_told(trained, tmp_path, change, message):
    path = tmp_path / "set.npz"
    trained.save(path)
    with np.load(path) as archive:
        arrays = {name: archive[name] for name in archive.files}
    header = json.loads(str(arrays["header"]))
    for name, value in change.items():
        if name == "cut":
            arrays.pop("cut")
            arrays |= {} if value is None else {"cut": value}
        else:
            header[name] = value
    np.savez(path, **{**arrays, "header": np.array(json.dumps(header))})
    with pytest.raises(pucker.Error, match=message):
        byexample.load(path)


def test_cloth_that_a_guide_cannot_have_is_refused_when_it_is_played(trained, tmp_path):
    path = tmp_path / "set.npz"
    params = trained.cloth.params.replace(iterations=10001, settling=1)
    dataclasses.replace(trained, cloth=byexample.GuideCloth(params, trained.cloth.cut)).save(path)
    with pytest.raises(ValueError, match="may take 10000 steps in its first frame, not 10001"):
        _last(str(path))


def test_a_set_of_any_cloth_comes_back_from_its_file(trained, tmp_path):
    params = trained.cloth.params.replace(
        thickness=0.1, fabric=trained.cloth.params.fabric.replace(cloth="wool", size=1.5)
    )
    cloth = byexample.GuideCloth(params, trained.cloth.cut)
    dataclasses.replace(trained, cloth=cloth).save(tmp_path / "set.npz")
    found = byexample.load(tmp_path / "set.npz").cloth
    assert found.params == params
    assert np.array_equal(found.cut, cloth.cut)


def test_of_several_clips_no_more_than_24_frames_are_draped_again(monkeypatch):
    asked = []
    monkeypatch.setattr(
        draped, "drape_begun_otherwise", lambda clip, _params, frames: asked.append((len(clip), frames))
    )
    long = clip_of(np.concatenate([COARSE] * 4)[:60])
    byexample.drape_again([long, clip_of(COARSE)], PARAMS)
    byexample.drape_again([long], PARAMS)
    # The longest first, and a single one, of which quarters are left out, whole.
    assert asked == [(60, 24), (len(COARSE), 24), (60, 60)]


def test_cloth_is_draped_again_to_see_what_can_be_predicted(takes):
    clips = [take.clip for take in takes]
    # In so short clips a swing would carry on how cloth began.
    params = PARAMS.replace(swing=0.0)
    told = []
    again = byexample.drape_again(clips, params, workers=2, progress=lambda *done: told.append(done))
    taught = params.replace(lag=0.0)
    for clip, found in zip(clips, again, strict=True):
        assert np.array_equal(found, byexample.drape_begun_otherwise(clip, taught))
    assert told[-1] == (len(COARSE), len(COARSE))
    origin = byexample.learn_draped(
        byexample.drape(clips, params), params=params, again=again, details=6, centres=10
    ).trained.origin
    assert 0.0 < origin.untaught < origin.again
    assert 0.0 < origin.correlation < origin.again <= 1.0


def test_a_set_from_the_workers_of_a_scheduler_has_the_same_bits(data_dir, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    given = [data_dir / "kimono_male.gltf", "--parts", "Clothes", "--clips", "Punch,RecieveHit,Walk", "--fps", "10"]
    given += ["--levels", "1", "--made", "24", "--recordings", tmp_path / "kept"]
    with cluster() as address:
        there = train(*given, "-o", tmp_path / "there.npz", "--scheduler", address)
        with pytest.warns(UserWarning, match="cloth of 3 frames is torn"):
            assert on_scheduler(farm_jobs.torn, [(3,)], [3], address, lambda *_: None) == [3.0]
    assert there.exit_code == 0, there.output
    kept = sorted((tmp_path / "kept").iterdir())
    assert len(kept) == 4
    for file in kept:
        file.unlink()
    here = train(*given, "-o", tmp_path / "here.npz", "--workers", "1")
    assert here.exit_code == 0, here.output
    assert (tmp_path / "there.npz").read_bytes() == (tmp_path / "here.npz").read_bytes()
    assert sorted((tmp_path / "kept").iterdir()) == kept


@pytest.mark.threads
def test_what_a_worker_says_and_how_far_it_is_reaches_the_one_who_asks(takes):
    clips, told, count = [take.clip for take in takes], [], len(COARSE)
    assert len(clips[0]) < len(clips[1])
    with cluster(1, processes=False) as address:
        byexample.drape(clips, PARAMS, scheduler=address, progress=lambda *done: told.append(done))
        assert told in ([(len(clips[k]), count), (count, count)] for k in range(2))
        with pytest.raises(pucker.Error, match=r"nowhere\.gltf"):
            byexample.drape(clips, PARAMS.replace(cut="nowhere.gltf:Walk"), scheduler=address)


def test_clips_that_add_the_most_are_learned_from():
    poses = (REST, 0.5 * (REST + COARSE[10]), COARSE[10])
    still, little, much = (clip_of(np.repeat(pose[None], 4, axis=0)) for pose in poses)
    assert byexample.covering([still, little, much], 4) == [2]
    assert byexample.covering([still, little, much], 8) == [0, 2]
    assert byexample.covering([still, little, much], 100) == [0, 1, 2]
    # One at least, however long.
    assert byexample.covering([clip_of(COARSE), clip_of(COARSE[:9])], 3) == [1]
    with pytest.raises(ValueError, match="there must be a clip to learn from"):
        byexample.covering([])
    with pytest.raises(ValueError, match="there must be a take to learn from"):
        byexample.learn_draped([])


def test_a_character_is_trained_and_played_by_two_commands(data_dir, tmp_path):
    kimono, out = data_dir / "kimono_male.gltf", tmp_path / "set.npz"
    given = ["--clips", "Punch,RecieveHit,Walk", "--fps", "10", "--levels", "1", "--made", "0"]
    result = CliRunner().invoke(cli, ["train", str(kimono), *given, "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert f"play it: pucker render {kimono} --method byexample --trained {out} -o out.mp4" in result.stdout
    found = byexample.load(out)
    assert found.origin.file == "kimono_male.gltf"
    assert found.origin.clips == ("Punch", "RecieveHit", "Walk")
    assert found.origin.frames == sum(len(pucker.load(kimono, clip=name, fps=10)) for name in found.origin.clips)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", found.origin.date)
    assert found.origin.correlation == pytest.approx(np.mean(found.origin.left_out))
    assert f"learned from {found.origin.frames} frames of 3 clips: Punch, RecieveHit, Walk" in result.stdout
    assert "each clip left out in turn is predicted from the rest with a correlation of " in result.stdout
    beside = f"draped cloth that begins otherwise has {found.origin.again:.2f}, the balance of the coarse mesh without what was "
    assert f"{beside}learned {found.origin.untaught:.2f}, the subdivided mesh 0" in result.stdout
    assert 0.0 < found.origin.untaught < found.origin.again
    assert beside in CliRunner().invoke(cli, ["info", str(out)]).stdout
    assert [path.name for path in tmp_path.iterdir()] == ["set.npz"]
    assert found.options.trail == pucker.drape.Params().lag
    clip = pucker.load(kimono, clip="Walk", parts=list(found.parts), fps=10)
    played = np.array([np.array(s.surface.positions) for s in pucker.run(clip, byexample.Params(trained=str(out)))])
    taught = pucker.drape.Params(levels=1)
    wanted = np.array([np.array(s.draped) for s in pucker.run(clip, taught)])
    smooth = np.array([np.array(s.guide) for s in pucker.run(clip, taught)])
    assert np.linalg.norm(played - wanted) < 0.5 * np.linalg.norm(smooth - wanted)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--body", "Skin"], "--body is for --simulator blender and recordings, not for draped cloth"),
        (["--set", "fold_size=-1"], "params.fold_size"),
        (["--clips", "Punch", "--frames", "20"], "--frames chooses among all clips, but --clips names them"),
        (["--simulator", "blender", "--frames", "20"], "--frames is for draped cloth, not for --simulator blender"),
        (["--poses", "3"], "--poses is not for --regression"),
        (
            ["--simulator", "blender", "--scheduler", "tcp://a:1"],
            "--scheduler is for draped cloth, not for --simulator",
        ),
        (["--fine", "a.npz", "--workers", "2"], "--workers is for draped cloth, not for --simulator"),
    ],
)
def test_what_does_not_go_with_draped_cloth_is_refused_at_once(data_dir, tmp_path, monkeypatch, wrong, message):
    monkeypatch.setattr(pucker.io, "open_source", lambda *_given, **_named: pytest.fail("the file was opened"))
    result = CliRunner().invoke(
        cli, ["train", str(data_dir / "kimono_male.gltf"), "-o", str(tmp_path / "set.npz"), *wrong]
    )
    assert result.exit_code == 2
    assert message in result.output


def _last(file_of_set, **params):
    run = pucker.method.start(clip_of(COARSE), byexample.Params(trained=file_of_set, **params))
    for positions, time in zip(COARSE, TIMES, strict=True):
        state = run.advance(positions, time)
    return np.array(state.surface.positions)


def train(*given):
    return CliRunner().invoke(cli, ["train", *map(str, given)], prog_name="pucker")


def test_a_character_without_a_clip_is_refused_with_what_helps(data_dir, tmp_path):
    content = json.loads((data_dir / "kimono_male.gltf").read_text())
    del content["animations"]
    still = tmp_path / "still.gltf"
    still.write_text(json.dumps(content))
    done = train(still, "-o", tmp_path / "set.npz")
    assert done.exit_code == 2
    assert "has no clip to learn from; --motion names another file of the same skeleton that has some" in done.stderr


def test_a_character_of_one_clip_without_a_skin_is_learned_from_its_quarters(data_dir, tmp_path):
    out = tmp_path / "set.npz"
    done = train(data_dir / "kyonshi_lower.md3", "--fps", "5", "--levels", "1", "-o", out)
    assert done.exit_code == 0, done.output
    assert "frames of the clip all" in done.stdout
    assert "each quarter of the clip left out in turn is predicted from the rest with a correlation of" in done.stdout
    assert len(byexample.load(out).origin.left_out) == 4


def test_garments_that_share_vertices_with_each_other_and_with_the_body_are_learned(data_dir, tmp_path):
    out = tmp_path / "set.npz"
    given = ["--parts", "Clothes,Band", "--clips", "Punch,RecieveHit", "--fps", "10", "--levels", "1", "--made", "0"]
    done = train(data_dir / "kimono_male.gltf", *given, "-o", out)
    assert done.exit_code == 0, done.output
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=10)
    for state in pucker.run(clip, byexample.Params(trained=str(out))):
        assert np.isfinite(state.surface.positions).all()


def test_frames_are_as_many_as_there_is_room_for(data_dir, tmp_path):
    done = train(
        data_dir / "female_dress.fbx", "--frames", "30", "--fps", "12", "--levels", "1", "-o", tmp_path / "set.npz"
    )
    assert done.exit_code == 0, done.output
    assert "clips are not learned from, as 30 frames have no room for them: " in done.stderr
    assert byexample.load(tmp_path / "set.npz").origin.frames <= 30
    given = ["--frames", "4", "--fps", "12", "--levels", "1", "-o", tmp_path / "few.npz"]
    done = train(data_dir / "female_dress.fbx", *given)
    assert done.exit_code == 0, done.output
    assert "only the first 4 frames of female_dress" in done.stderr
    assert byexample.load(tmp_path / "few.npz").origin.frames == 4


def test_motion_is_made_for_what_the_clips_leave_room_for(data_dir, tmp_path):
    given = ["--clips", "Punch,RecieveHit", "--fps", "10", "--levels", "1", "--made", "20", "-o", tmp_path / "set.npz"]
    done = train(data_dir / "kimono_male.gltf", *given)
    assert done.exit_code == 0, done.output
    assert "frames of 2 clips: Punch, RecieveHit and 16 frames of motion made of their poses" in done.stdout
    found = byexample.load(tmp_path / "set.npz").origin
    assert (found.made, len(found.left_out)) == (16, 2)
    refused = train(data_dir / "kimono_male.gltf", "--simulator", "blender", "--made", "20", "-o", tmp_path / "set.npz")
    assert "--made is for draped cloth, not for --simulator blender" in refused.output


def test_an_interrupted_training_goes_on_where_it_was(data_dir, tmp_path):
    words = ["train", str(data_dir / "kimono_male.gltf"), "--fps", "15", "-o", str(tmp_path / "set.npz")]
    # A shell's background job would have SIGINT ignored.
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from pucker.cli import main; main()"
    )
    process = subprocess.Popen([sys.executable, "-c", program, *words], stderr=subprocess.PIPE, text=True)
    folder = tmp_path / "set.draped"
    end = monotonic() + 120.0
    while not (folder.exists() and any(folder.glob("*.npz"))) and monotonic() < end:
        sleep(0.02)
    os.kill(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130, said
    assert f"interrupted; what is draped is in {folder}, and the same command goes on from there" in said
    kept = {file.name: file.stat().st_mtime_ns for file in folder.iterdir()}
    assert kept
    assert not (tmp_path / "set.npz").exists()
    done = train(*words[1:], "--recordings", folder, "--details", "5", "--centres", "10")
    assert done.exit_code == 0, done.output
    assert all((folder / name).stat().st_mtime_ns == when for name, when in kept.items())


def test_a_full_disk_is_told_and_leaves_no_set(data_dir, tmp_path):
    words = [
        "train",
        str(data_dir / "kimono_male.gltf"),
        "--clips",
        "Punch",
        "--fps",
        "10",
        "-o",
        str(tmp_path / "set.npz"),
    ]
    program = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)); import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from pucker.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert re.search(r"pucker: .*set\.draped/.*\.npz cannot be written: File too large$", done.stderr.strip())
    assert [file for file in tmp_path.rglob("*") if file.is_file()] == []


def test_sets_of_older_versions_still_play(data_dir, tmp_path, trained):
    stepless = dataclasses.replace(trained.regression, coefficient_steps=())
    whole = dataclasses.replace(trained, step=0.0, by_level=False, regression=stepless)
    undisplaced = dataclasses.replace(
        stepless, displacement=0.0, displacement_step=0.0, displacements=np.zeros((0, 0, 3))
    )
    plain = dataclasses.replace(whole, regression=undisplaced)
    for version, older in (
        (2, dataclasses.replace(byexample.train(MESH, COARSE, _fine(COARSE), rest=REST, levels=1, poses=3).trained)),
        (3, dataclasses.replace(plain, options=dataclasses.replace(trained.options, trail=0.0), cloth=None)),
        (4, dataclasses.replace(plain, cloth=None)),
        (5, plain),
        (6, whole),
        (7, trained),
    ):
        path = tmp_path / f"{version}.npz"
        older.save(path)
        with np.load(path) as archive:
            header = json.loads(str(archive["header"]))
            arrays = {name: archive[name] for name in archive.files}
        assert header["version"] == version
        # What files of before did not say.
        for name in ("left_out", "again", "untaught", "frames", "date"):
            header.get("origin", {}).pop(name, None)
        np.savez(path, **{**arrays, "header": np.array(json.dumps(header))})
        assert np.isfinite(_last(str(path))).all()


def _fine(frames):
    smooth = byexample.SmoothSurface(MESH, 1, REST)
    return np.array([np.array((smooth.step(each), smooth.positions)[1]) for each in frames])


# --- from beginning to end ------------------------------------------------------------------------------------------


def test_teaching_is_draping_and_learning_in_turn(tmp_path):
    clips = [clip_of(COARSE[:8]), clip_of(COARSE[8:])]
    shares = []
    taught = byexample.teach(clips, PARAMS, recordings=tmp_path / "draped", progress=shares.append).trained
    again = byexample.drape_again(clips, PARAMS)
    learned = byexample.learn_draped(byexample.drape(clips, PARAMS), params=PARAMS, again=again).trained
    for name in ("taught", "learned"):
        {"taught": taught, "learned": learned}[name].save(tmp_path / f"{name}.npz")
    assert (tmp_path / "taught.npz").read_bytes() == (tmp_path / "learned.npz").read_bytes()
    assert (np.diff(shares) > 0.0).all()
    assert 0.0 < shares[0] < shares[-1] == 1.0


def test_what_its_progress_raises_ends_teaching_and_what_is_draped_is_kept(tmp_path):
    seen = []

    def stop(share):
        seen.append(share)
        if share > 0.2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        byexample.teach([clip_of(COARSE)], PARAMS, recordings=tmp_path / "draped", progress=stop)
    assert len(seen) < len(COARSE)
    assert list((tmp_path / "draped").iterdir())


@pytest.mark.parametrize(
    ("triangles", "levels", "frames"), [(372, 3, 1200), (960, 3, 651), (3126, 2, 799), (12501, 1, 799), (90000, 0, 444)]
)
def test_cloth_is_as_fine_and_as_long_as_there_is_room_for(triangles, levels, frames):
    assert byexample.levels_with_room(triangles) == levels
    assert byexample.levels_with_room(triangles, 4**levels * triangles - 1) == max(levels - 1, 0)
    assert byexample.frames_with_room(triangles, levels) == frames
