"""Training by one button in Blender gives the set that the command line and Python give."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from blender_process import Blender, assert_shown
from click.testing import CliRunner

import pucker
from pucker import byexample
from pucker.cli import cli

pytestmark = pytest.mark.blender


def _assert_same_set(found: Path, expected: Path) -> None:
    """All arrays of two sets are equal, and so is what they say of themselves but for file and date."""
    one, other = np.load(found), np.load(expected)
    assert sorted(one.files) == sorted(other.files)
    for name in one.files:
        if name != "header":
            np.testing.assert_array_equal(one[name], other[name], err_msg=name)
    sets = [byexample.load(path) for path in (found, expected)]
    assert sets[0].options == sets[1].options
    # Blender has another NumPy, whose sums differ in their last digits.
    assert sets[0].origin.left_out == pytest.approx(sets[1].origin.left_out, rel=1e-9)
    assert sets[0].origin.again == pytest.approx(sets[1].origin.again, rel=1e-9)
    assert sets[0].origin.again > 0.0


def test_the_button_trains_what_the_command_does(blender: Blender, tmp_path: Path) -> None:
    found = blender.run("button")
    assert (found["frame"], found["method"], found["left"]) == (3, "byexample", False)
    (clip,) = pickle.loads((blender.out / "button.pickle").read_bytes())
    assert clip.rest is None
    np.savez(tmp_path / "sleeve.npz", faces=clip.faces, positions=clip.positions, times=clip.times)
    result = CliRunner().invoke(cli, ["train", str(tmp_path / "sleeve.npz"), "-o", str(tmp_path / "set.npz")])
    assert result.exit_code == 0, result.output
    _assert_same_set(blender.out / "button.npz", tmp_path / "set.npz")
    assert byexample.load(blender.out / "button.npz").origin.clips == ("Scene",)
    params = byexample.Params.from_toml(found["played"])
    states = list(pucker.run(clip, params))
    assert_shown(np.load(blender.out / "button_shown.npy"), clip, states[6].detail, 6)


def test_a_garment_learns_over_the_actions_of_the_body_that_it_follows(blender: Blender, tmp_path: Path) -> None:
    found = blender.run("button_over_body")
    # Given up, it left what was draped; then it went on from there, and took that away.
    assert found["kept"] == [False, True, "turn"]
    assert not found["left"]
    assert found["same"] == [2, 2]
    shares = np.array(found["shares"])
    assert (np.diff(shares) >= 0.0).all()
    assert shares[-1] <= 1.0
    assert len(set(found["shares"])) > 20
    assert "no action 'walk'" in found["none"]
    clips = pickle.loads((blender.out / "body.pickle").read_bytes())
    assert [len(clip) for clip in clips] == [10, 10]
    assert all(np.ptp(clip.positions, axis=0).max() > 0.1 for clip in clips)
    for clip in clips:  # all of the body, where it is
        body = clip.body_positions[0][np.unique(clip.body_weld, return_index=True)[1]]
        x, y, z = body.T
        np.testing.assert_allclose(np.stack([x, -z, y], axis=1), np.load(blender.out / "body.npy"), rtol=0, atol=1e-5)
    params = pucker.drape.Params.from_toml(found["params"])
    assert params == pucker.drape.Params(levels=1, fold_size=0.0625)
    byexample.teach(clips, params).trained.save(tmp_path / "set.npz")
    _assert_same_set(blender.out / "body.npz", tmp_path / "set.npz")
    assert byexample.load(blender.out / "body.npz").origin.clips == ("bend", "turn")
