"""Coarse meshes made of fine recordings, and what is learned from them."""

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_writer import GltfFile

import pucker
from pucker import byexample
from pucker.cli import cli
from pucker.examples import squeezed_sheet

compare = pytest.importorskip("pucker.metrics.compare")

FRAMES = 12
TIMES = np.arange(FRAMES) / 30
SHEET = squeezed_sheet(20, 20, frames=2)


def waving(phase=0.0):
    """A sheet whose waves grow, and fine ripples with them."""
    rest = np.asarray(SHEET.positions[0])
    side = np.argsort(np.ptp(rest, axis=0))[1:]
    x, y = (rest[:, side] / np.ptp(rest[:, side], axis=0).max()).T
    normal = np.eye(3)[np.argmin(np.ptp(rest, axis=0))]
    size = np.ptp(rest, axis=0).max()
    frames = []
    for k in range(FRAMES):
        grown = k / (FRAMES - 1)
        height = 0.15 * grown * np.sin(4 * x + phase) + 0.01 * grown * np.sin(25 * (x + 0.3 * y))
        squeezed = rest * (1.0 - 0.1 * grown)
        frames.append(squeezed + size * height[:, None] * normal)
    return np.array(frames)


def clip_of(positions):
    return pucker.Clip.from_arrays(SHEET.faces, positions, TIMES, weld=False)


@pytest.fixture(scope="module")
def takes():
    return byexample.decimated([clip_of(waving()), clip_of(waving(0.7))], 60, levels=2)


def test_a_recording_becomes_a_pair(takes):
    for take, fine in zip(takes, (waving(), waving(0.7)), strict=True):
        assert 50 <= len(take.clip.faces) <= 60
        assert np.array_equal(take.clip.faces, takes[0].clip.faces)
        loop = byexample.LoopSubdivision(take.clip.mesh, 2)
        assert take.fine.shape == (FRAMES, loop.fine.vertex_count, 3)
        assert np.array_equal(take.clip.times, TIMES)
        # What is bound to a surface lies on it, whatever it does.
        for frame in (0, 5, FRAMES - 1):
            away = compare.closest_places(take.fine[frame], SHEET.faces, fine[frame]).distances
            assert away.max() < 1e-9 * np.ptp(fine)


def test_turning_shifting_and_another_unit_carry_over(takes):
    turn = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    moved = 100.0 * waving()
    moved[1:] = moved[1:] @ turn.T + [3.0, -500.0, 20.0]
    found = byexample.decimated([clip_of(moved)], 60, levels=2)[0]
    assert np.array_equal(found.clip.faces, takes[0].clip.faces)
    expected = 100.0 * takes[0].fine
    expected[1:] = expected[1:] @ turn.T + [3.0, -500.0, 20.0]
    assert np.abs(found.fine - expected).max() < 1e-4


def test_what_is_learned_comes_back(takes):
    training = byexample.learn(takes, simulated=False, levels=2, poses=5)
    smooth = byexample.SmoothSurface(takes[0].clip.mesh, 2, takes[0].rest)
    synthesis = training.trained.synthesis()
    errors = []
    for take in takes:
        for guide, fine in zip(take.clip.positions, take.fine, strict=True):
            found = synthesis.step(guide).positions
            errors.append([np.square(found - fine).mean(), np.square(smooth.step(guide) - fine).mean()])
    ours, bare = np.sqrt(np.mean(errors, axis=0))
    assert ours < 0.35 * bare
    assert training.error[-1] < training.error[0]


def test_recordings_of_other_meshes_and_none_are_refused():
    other = squeezed_sheet(8, 8, frames=2)
    with pytest.raises(ValueError, match="clips must have the triangles of the first"):
        byexample.decimated([clip_of(waving()), other], 60)
    with pytest.raises(ValueError, match="there must be a recording to decimate"):
        byexample.decimated([], 60)
    with pytest.raises(ValueError, match="triangles must be more than 0 and less than the fine mesh's"):
        byexample.decimated([clip_of(waving())], 10**6)


def test_the_command_writes_the_set_and_the_clip_that_plays_it(tmp_path):
    np.savez(tmp_path / "fine.npz", faces=SHEET.faces, positions=waving(), times=TIMES)
    out = tmp_path / "cloth.pose.npz"
    command = ["train", str(tmp_path / "fine.npz"), "--decimate", "60", "--poses", "4", "-o", str(out)]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    coarse = pucker.load(next((tmp_path / "cloth.pose").glob("*.npz")))
    states = list(pucker.run(coarse, byexample.Params(trained=str(out))))
    assert len(states) == FRAMES
    result = CliRunner().invoke(cli, [*command, "--body", "none"])
    assert result.exit_code != 0
    assert "not for --decimate" in result.output


def test_clips_whose_names_are_alike_for_files_are_all_written(tmp_path):
    file = GltfFile()
    moved = waving()[-1]
    mesh = file.mesh(waving()[0], SHEET.faces, targets=[{"POSITION": moved - waving()[0]}])
    node = file.node(mesh=mesh)
    file.animation("wave|1", {(node, "weights"): ([0.0, 0.2], [[0.0], [1.0]])})
    file.animation("wave 1", {(node, "weights"): ([0.0, 0.1, 0.2], [[0.0], [0.5], [0.25]])})
    path = file.write(tmp_path / "cloth.gltf")
    out = tmp_path / "cloth.pose.npz"
    command = ["train", str(path), "--decimate", "60", "--clips", "wave|1,wave 1", "--poses", "3", "-o", str(out)]
    result = CliRunner().invoke(cli, command, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    first, second = (
        np.load(tmp_path / "cloth.pose" / f"{name}.npz")["positions"] for name in ("cloth_wave_1", "cloth_wave_1-2")
    )
    assert np.abs(first[0] - second[0]).max() == 0.0
    assert np.abs(first[-1] - second[-1]).max() > 0.05 * np.ptp(moved)
