"""The page of sets that draped cloth taught: what is asked of them is compared with what they have, strangers' characters too."""

import copy
import shutil

import pytest
from bench import taught_sets, teacher

from pucker import byexample
from pucker.examples import bending_sleeve
from pucker.metrics.compare import Against
from pucker.metrics.compare.by_statistics import CEILINGS

BANDS = ("below 4", "4 to 8", "8 to 16", "16 to 32", "above 32")


def row(surface, correlation, judged=(False, True, False, True, False), lag=0.1):
    return Against("kimono, coat", surface, "method", judged, BANDS, correlation, (1.0,) * 5, lag).plain()


FOLDS = [
    row(CEILINGS["finer"], (0.5, 0.8, 0.5, 0.9, 1.0)),
    row(taught_sets.SET, (0.1, 0.4, 0.1, 0.9, 0.1)),
]


def bands(pose, rms):
    return [{"correlation": 0.5, "pose": pose, "rms": rms}] * 5


def a_set(name, truths, *, learned=0.6, rms=0.8):
    judged = {
        "bands": {
            taught_sets.SET: bands(0.4, rms),
            taught_sets.AGAIN: bands(0.8, 1.0),
            taught_sets.NOISE: bands(0.0, 1.0),
        },
        "rough": {taught_sets.SET: 0.2, taught_sets.DRAPED: 0.3},
    }
    return {
        "name": name,
        "clips": 15,
        "frames": 659,
        "triangles": 15360,
        "learned": learned,
        "least": 0.1,
        "untaught": 0.4,
        "again": 0.8,
        "bytes": 2_500_000,
        "took": 90.0,
        "processor": 70.0,
        "height": 0.2,
        "play": 0.8,
        "weights": 0.05,
        "judged": {"Run": judged},
        "truths": truths,
    }


SAMPLES = {
    "sets": [
        a_set("kimono_male", {"folds": FOLDS, "lagging": FOLDS[1:]}),
        a_set("female_dress", {"folds": [], "lagging": []}, learned=0.75, rms=1.0),
    ],
    "strangers": [
        {**a_set(name, {}, learned=learned), "parts": ["Coat", "-joint:hand/"]}
        for name, learned in (("one", 0.4), ("two", 0.72), ("three", 0.8))
    ]
    + [{"name": "four", "failed": "has no clip"}],
    "growing": [],
}


def verdict(page, begin):
    (line,) = [each for each in page.splitlines() if each.startswith(f"- {begin}")]
    return line


def test_every_aim_is_compared_with_its_figure():
    page = teacher.page(SAMPLES)
    # Half of the ceiling in one band that is judged, all of it in the other; the others do not count.
    assert "**0.75 of the ceiling**, aim ≥ 0.95" in verdict(page, "kimono, coat, bands judged by place, lag in")
    assert "**0.75 of the ceiling**, aim ≥ 0.85" in verdict(page, "kimono, coat, lag taken out")
    assert "**0.5 of the ceiling**, aim ≥ 0.9 " in verdict(page, "female_dress Run, of which there is no truth")
    assert "**0.6 **, aim ≥ 0.7 : missed by 14 %" in verdict(page, "kimono_male, clips left out")
    assert "met" in verdict(page, "female_dress, clips left out")
    assert "**0 bands**, aim ≥ 5" in verdict(page, "kimono_male Run, bands 0.9 to 1.1")
    assert "**5 bands**, aim ≥ 5" in verdict(page, "female_dress Run, bands 0.9 to 1.1")
    assert "**0.2 of the heights**, aim ≤ 0.3" in verdict(page, "kimono_male, roughness")
    assert "**2.5 MB**, aim ≤ 3 " in verdict(page, "kimono_male, size")
    assert "missed by 100 %" in verdict(page, "kimono_male, 15360 triangles, a frame")
    assert "**0.05 ms**, aim ≤ 0.1 " in verdict(page, "kimono_male, a frame without its surface")
    assert "**90 s**, aim ≤ 60 s: missed by 50 %" in verdict(page, "`pucker train` on kimono_male")
    assert "**0.9 of the ceiling**, aim ≥ 0.85" in verdict(page, "3 strangers, the median")
    assert "**0.5 of the ceiling**, aim ≥ 0.7" in verdict(page, "3 strangers, the least")


def test_strangers_have_a_row_each_and_those_that_fail_a_reason():
    page = teacher.page(SAMPLES)
    assert [line.split("|")[1].strip() for line in page.splitlines() if line.startswith(("| one ", "| two ", "| thr"))]
    assert "- one: Coat, -joint:hand/" in page
    assert "- four: has no clip" in page
    none = teacher.page({**SAMPLES, "strangers": []})
    assert "strangers, the median" not in none
    assert "./run bench teacher --file PATH" in none


def test_what_no_clip_says_is_no_figure():
    samples = copy.deepcopy(SAMPLES)
    samples["strangers"][0] |= {"learned": None, "least": None, "again": 0.0}
    assert "**0 of the ceiling**" in verdict(teacher.page(samples), "3 strangers, the least")


def test_draped_cloth_agrees_with_itself_and_noise_does_not():
    clip = bending_sleeve(12, 18, frames=6)
    guide, draped = taught_sets.draped_on(clip, 1)
    assert guide.shape == draped.shape
    found = taught_sets.agreement(clip, 1, {"itself": draped, "half": guide + 0.5 * (draped - guide)})
    assert [each["correlation"] for each in found["bands"]["itself"]] == pytest.approx([1.0] * 5)
    assert [each["rms"] for each in found["bands"]["half"]] == pytest.approx([0.5] * 5)
    assert max(each["pose"] for each in found["bands"][taught_sets.NOISE]) < 0.5
    assert found["rough"]["itself"] == found["rough"][taught_sets.DRAPED]


def test_the_command_trains_on_characters_and_tells_why_it_does_not(data_dir, tmp_path, monkeypatch):
    (tmp_path / "broken.glb").write_bytes(b"glTF no more")
    shutil.copy(data_dir / "kimono_male.gltf", tmp_path / "kimono.gltf")
    real = taught_sets.trained
    quick = ("--clips", "RecieveHit", "--parts", "Clothes", "--levels", "1", "--details", "4", "--centres", "8")
    monkeypatch.setattr(taught_sets, "trained", lambda file, output: real(file, output, *quick))
    broken, kimono = taught_sets.of_strangers([tmp_path])
    assert set(broken) == {"name", "failed"}
    assert "broken.glb" in broken["failed"]
    assert (kimono["name"], kimono["parts"], kimono["clips"], kimono["frames"]) == ("kimono", ["Clothes"], 1, 19)
    assert kimono["triangles"] == 3840
    assert 0.0 < kimono["weights"] < kimono["play"] < 1e3 * kimono["took"]
    assert 0.005 < kimono["height"] < 0.5
    assert 0 < kimono["bytes"] < 1_000_000
    assert -1.0 <= kimono["least"] <= kimono["learned"] <= 1.0
    assert 0.0 < kimono["again"] <= 1.0


def test_the_sets_are_those_of_data(data_dir):
    for garment, file in ((taught_sets.KIMONO, "kimono.pose.npz"), (taught_sets.DRESS, "dress.pose.npz")):
        shipped = byexample.load(str(data_dir / file))
        assert shipped.parts == (garment.part,)
        assert shipped.origin.file == garment.file
        assert set(shipped.origin.clips) == {garment.prefix + name for name in garment.learned}
        assert not set(garment.judged) & set(garment.learned)
