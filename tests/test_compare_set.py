"""``pucker compare`` of a trained set on a clip that it did not learn from."""

import json
from dataclasses import replace

import pytest
from click.testing import CliRunner

import pucker
from pucker import byexample
from pucker.cli import cli
from pucker.metrics import compare

KNOWN = ("Walk", "Run_Carry", "Punch")


@pytest.fixture(scope="module")
def trained(data_dir, tmp_path_factory):
    out = tmp_path_factory.mktemp("sets") / "set.npz"
    given = [
        "--parts",
        "Clothes",
        "--clips",
        ",".join(KNOWN),
        "--fps",
        "15",
        "--levels",
        "1",
        "--made",
        "0",
        "-o",
        str(out),
    ]
    done = CliRunner().invoke(cli, ["train", str(data_dir / "kimono_male.gltf"), *given])
    assert done.exit_code == 0, done.output
    return out


def compared(data_dir, out, *given):
    words = ["compare", str(data_dir / "kimono_male.gltf"), "--fps", "15", "-o", str(out), *map(str, given)]
    return CliRunner().invoke(cli, words, prog_name="pucker")


def test_a_set_is_nearer_to_the_cloth_than_noise_on_a_clip_that_it_did_not_learn_from(data_dir, tmp_path, trained):
    done = compared(data_dir, tmp_path / "out", "--trained", trained, "--clip", "Run", "--json")
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert (found["clip"], found["learned"]) == ("Run", False)
    for ours, noise, mean in zip(
        found["by example"][1:], found["noise of the same spectrum"][1:], found["mean of the clip"][1:], strict=True
    ):
        assert ours["correlation"] > noise["correlation"] + 0.2
        assert ours["pose"] > 0.2
        assert mean["pose"] == pytest.approx(0.0, abs=1e-9)
    for ours, ceiling in zip(found["by example"], found["draped, begun otherwise"], strict=True):
        assert ours["pose"] < ceiling["pose"] < 0.9999
    assert (tmp_path / "out" / "bands.md").read_text().startswith("| | below 4 |")
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"], fps=15)
    assert compare.agreement_of_set(clip, str(trained))["by example"][2].pose == found["by example"][2]["pose"]


def test_without_a_clip_it_is_the_first_that_the_set_did_not_learn_from(data_dir, tmp_path, trained):
    done = compared(data_dir, tmp_path, "--trained", trained)
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("Death, which the set did not learn from, beside draped cloth\n")
    done = compared(data_dir, tmp_path, "--trained", trained, "--clip", "Punch")
    assert done.stdout.startswith("Punch, which the set learned from, beside draped cloth\n")


def test_a_set_that_knows_all_clips_is_refused(data_dir, tmp_path, trained):
    names = tuple(pucker.load(data_dir / "kimono_male.gltf", clip="Walk").clips)
    known = byexample.load(trained)
    replace(known, origin=replace(known.origin, clips=names, left_out=())).save(tmp_path / "all.npz")
    done = compared(data_dir, tmp_path / "out", "--trained", tmp_path / "all.npz")
    assert done.exit_code == 2
    assert "learned from all clips of" in done.stderr
    assert "by example needs a set to judge" in compared(data_dir, tmp_path, "--method", "byexample").output
