"""Sets that are learned from draped cloth: what is taught, how it trails, and the command."""

import json

import numpy as np
import pytest
from byexample_scenes import recorded_tube
from click.testing import CliRunner

import pucker
from pucker import byexample
from pucker.cli import cli

MESH, REST, COARSE, _ = recorded_tube()
TIMES = np.arange(len(COARSE)) / 30
PARAMS = pucker.drape.Params(levels=1, cut="first")


def clip_of(frames, rest=REST):
    return pucker.Clip.from_arrays(MESH.faces, frames, np.arange(len(frames)) / 30, rest=rest, weld=False)


@pytest.fixture(scope="module")
def takes():
    return byexample.drape([clip_of(COARSE[:8]), clip_of(COARSE[8:])], PARAMS)


@pytest.fixture(scope="module")
def trained(takes):
    return byexample.learn_draped(takes, trail=0.05, parts=("Tube",), details=6, centres=10).trained


@pytest.fixture(scope="module")
def file_of_set(trained, tmp_path_factory):
    path = tmp_path_factory.mktemp("sets") / "set.npz"
    trained.save(path)
    return str(path)


def test_what_is_taught_is_the_draped_cloth_without_its_lag(takes):
    clip = takes[1].clip
    wanted = [state.draped for state in pucker.run(clip, PARAMS.replace(lag=0.0))]
    assert np.array_equal(takes[1].fine, wanted)
    lagging = [state.draped for state in pucker.run(clip, PARAMS.replace(lag=0.5))]
    assert not np.allclose(takes[1].fine, lagging)
    told = []
    again = byexample.drape([take.clip for take in takes], PARAMS, workers=2, tell=lambda *done: told.append(done))
    assert all(np.array_equal(one.fine, other.fine) for one, other in zip(takes, again, strict=True))
    assert sorted(told) == [(k + 1, len(COARSE)) for k in range(len(COARSE))]


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
    assert header["version"] == 4
    header["options"]["trail"] = -1.0
    np.savez(path, **{**arrays, "header": np.array(json.dumps(header))})
    with pytest.raises(pucker.Error, match="the time by which cloth trails its guide must be finite and at least 0"):
        byexample.load(path)


def test_clips_that_add_the_most_are_learned_from():
    poses = (REST, 0.5 * (REST + COARSE[10]), COARSE[10])
    still, little, much = (clip_of(np.repeat(pose[None], 4, axis=0)) for pose in poses)
    assert byexample.covering([still, little, much], 4) == [2]
    assert byexample.covering([still, little, much], 8) == [0, 2]
    assert byexample.covering([still, little, much], 100) == [0, 1, 2]
    # One at least, however long.
    assert byexample.covering([clip_of(COARSE)], 3) == [0]
    with pytest.raises(ValueError, match="there must be a clip to learn from"):
        byexample.covering([])
    with pytest.raises(ValueError, match="there must be a take to learn from"):
        byexample.learn_draped([], trail=0.0)


def test_a_character_is_trained_and_played_by_two_commands(data_dir, tmp_path):
    kimono, out = data_dir / "kimono_male.gltf", tmp_path / "set.npz"
    given = ["--clips", "Punch,RecieveHit,Walk", "--fps", "10", "--levels", "1"]
    result = CliRunner().invoke(cli, ["train", str(kimono), *given, "-o", str(out)])
    assert result.exit_code == 0, result.output
    assert f"play it: pucker render {kimono} --method byexample --trained {out} -o out.mp4" in result.stdout
    found = byexample.load(out)
    assert found.origin.file == "kimono_male.gltf"
    assert found.origin.clips == ("kimono_male Punch", "kimono_male RecieveHit", "kimono_male Walk")
    assert found.options.trail == pucker.drape.Params().lag
    clip = pucker.load(kimono, clip="Walk", parts=list(found.parts), fps=10)
    played = np.array([np.array(s.surface.positions) for s in pucker.run(clip, byexample.Params(trained=str(out)))])
    wanted = np.array([np.array(s.draped) for s in pucker.run(clip, pucker.drape.Params(levels=1))])
    smooth = np.array([np.array(s.guide) for s in pucker.run(clip, pucker.drape.Params(levels=1))])
    assert np.linalg.norm(played - wanted) < 0.5 * np.linalg.norm(smooth - wanted)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (["--body", "Skin"], "--body is for --simulator blender and recordings, not for draped cloth"),
        (["--set", "fold_size=-1"], "params.fold_size"),
        (["--clips", "Punch", "--frames", "20"], "--frames chooses among all clips, but --clips names them"),
        (["--simulator", "blender", "--frames", "20"], "--frames is for draped cloth, not for --simulator blender"),
        (["--poses", "3"], "--poses is not for --regression"),
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
