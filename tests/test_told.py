"""Told apart: one process cannot be, what is planted is, and features and patches have their closed forms."""

import dataclasses
import json

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import ndimage, stats
from test_by_truth import truth  # noqa: F401 - a fixture
from test_folds import flat_sheet

import pucker
from pucker import compare, metrics
from pucker.cli import cli
from pucker.metrics.compare.by_statistics import CEILINGS

SCENES = ("arm", "knee", "skirt", "coat")
PATCHES, GRID = 40, 33


def noise(rng, count, *, across=2.0, along=2.0, size=0.03):
    """Relief of smooth noise whose folds are longer along one axis than along the other."""
    found = ndimage.gaussian_filter(rng.normal(size=(count, 48, 48)), (0.0, along, across))[:, 7:40, 7:40]
    return size * found / found.std()


def features_of(relief):
    found = metrics.relief_features(relief, np.full((len(relief), 2), 0.1))
    return tuple(found), np.stack([*found.values()], axis=1)


def samples(rng, one, other):
    """Features by scene of two kinds of relief."""
    names, _ = features_of(one(rng, 1))
    return names, *({scene: features_of(of(rng, PATCHES))[1] for scene in SCENES} for of in (one, other))


def chance():
    """Within which 99 % of guesses are right, of as many as all patches."""
    count = 2 * PATCHES * len(SCENES)
    return np.array(stats.binom.interval(0.99, count, 0.5)) / count


def test_two_samples_of_one_process_cannot_be_told(rng):
    names, one, other = samples(rng, noise, noise)
    told = metrics.told_apart(one, other, features=names)
    low, high = chance()
    assert low <= told.accuracy <= high
    assert told.patches == (PATCHES,) * len(SCENES)
    assert told.scenes == tuple(sorted(SCENES))
    assert sum(each.share for each in told.weights) == pytest.approx(1.0)


def test_a_sample_cannot_be_told_from_itself(rng):
    names, one, _ = samples(rng, noise, noise)
    # Every patch is right in one sample and wrong in the other.
    assert metrics.told_apart(one, one, features=names).accuracies == pytest.approx([0.5] * len(SCENES))


def test_a_planted_difference_is_told_and_named(rng):
    long = lambda rng, count: noise(rng, count, along=5.0)  # noqa: E731 - one line says it
    names, one, other = samples(rng, noise, long)
    told = metrics.told_apart(one, other, features=names)
    assert told.accuracy > 0.95
    assert told.spread < 0.05
    by_name = {each.feature: each for each in told.weights}
    assert by_name["ridges lie across the compression"].difference > 1.0
    assert by_name["slope across the compression"].difference < -1.0
    assert [each.share for each in told.weights] == sorted((each.share for each in told.weights), reverse=True)
    assert told.weights[0].share > 2.0 / len(names)
    lower = lambda rng, count: noise(rng, count, size=0.01)  # noqa: E731
    names, one, other = samples(rng, noise, lower)
    told = metrics.told_apart(one, other, features=names)
    assert told.accuracy > 0.95
    assert next(each for each in told.weights if each.feature == "height").difference < -1.0


def test_permuted_labels_give_a_half(rng):
    names, one, other = samples(rng, noise, lambda rng, count: noise(rng, count, along=5.0))
    mixed = ({}, {})
    for scene in SCENES:
        both = rng.permutation(np.concatenate([one[scene], other[scene]]))
        mixed[0][scene], mixed[1][scene] = both[:PATCHES], both[PATCHES:]
    low, high = chance()
    assert low <= metrics.told_apart(*mixed, features=names).accuracy <= high


def test_the_same_seed_gives_the_same_numbers_in_any_order_of_scenes(rng):
    names, one, other = samples(rng, noise, lambda rng, count: noise(rng, count, along=2.3))
    first = metrics.told_apart(one, other, features=names, seed=3)
    turned = [{scene: each[scene] for scene in reversed(SCENES)} for each in (one, other)]
    assert metrics.told_apart(*turned, features=names, seed=3).accuracies == first.accuracies
    assert metrics.told_apart(one, other, features=names, seed=4).accuracies != first.accuracies


def test_samples_that_do_not_fit_are_refused(rng):
    names, one, other = samples(rng, noise, noise)
    few = {"arm": one["arm"]}
    with pytest.raises(ValueError, match="it takes two scenes to train on one and judge on another, and there is one"):
        metrics.told_apart(few, few, features=names)
    with pytest.raises(ValueError, match="and there is none"):
        metrics.told_apart({}, {}, features=names)
    with pytest.raises(ValueError, match="must have the same scenes, and only one has coat"):
        metrics.told_apart(one, {scene: other[scene] for scene in SCENES if scene != "coat"}, features=names)
    with pytest.raises(ValueError, match="the second sample has no patches of knee"):
        metrics.told_apart(one, {**other, "knee": other["knee"][:0]}, features=names)
    with pytest.raises(ValueError, match=rf"features of arm must be \(k, {len(names) - 1}\), one for each name"):
        metrics.told_apart(one, other, features=names[:-1])
    other["skirt"][3, names.index("height")] = np.nan
    with pytest.raises(ValueError, match="features must be finite, and 'height' of skirt is not"):
        metrics.told_apart(one, other, features=names)


# --- features -----------------------------------------------------------------------------------------------------


@pytest.fixture
def places():
    """Coordinates along the compression and across it, from 0 to 1."""
    row = np.linspace(0.0, 1.0, GRID)
    return np.meshgrid(row, row)


def feature(relief, name, compression=(0.1, 0.0)):
    return float(metrics.relief_features(relief[None], [compression])[name][0])


def test_a_wave_is_in_its_octave_and_direction(places):
    u, v = places
    for relief, sector in (
        (0.02 * np.sin(8.0 * np.pi * u), "folds across the compression"),
        (0.02 * np.sin(8.0 * np.pi * v), "folds along the compression"),
        (0.02 * np.sin(8.0 * np.pi * (u + v) / np.sqrt(2.0)), "oblique folds"),
    ):
        found = metrics.relief_features(relief[None], [(0.1, 0.0)])
        spectra = {name: float(values[0]) for name, values in found.items() if name.endswith("in a patch")}
        assert max(spectra, key=spectra.__getitem__) == f"{sector}, 3 to 6 in a patch"
        # The window keeps the power of a wave.
        assert 10.0 ** max(spectra.values()) == pytest.approx(0.02 / np.sqrt(2.0), rel=0.1)


def test_a_wave_takes_up_half_of_its_mean_square_slope(places):
    u, _ = places
    relief = 0.01 * np.sin(4.0 * np.pi * u)
    slope = 0.01 * 4.0 * np.pi / np.sqrt(2.0)
    assert 10.0 ** feature(relief, "slope along the compression") == pytest.approx(slope, rel=0.05)
    assert 10.0 ** feature(relief, "slope across the compression") < 2e-4
    taken = 10.0 ** feature(relief, "compression taken up", (0.04, 0.0))
    assert taken == pytest.approx(0.5 * slope**2 / 0.05, rel=0.1)


def test_ridges_are_as_long_as_they_are_and_lie_as_they_do(places):
    u, v = places
    across, along = 0.02 * np.sin(8.0 * np.pi * u), 0.02 * np.sin(8.0 * np.pi * v)
    # Four ridges through the patch; none in the outermost rows, which count neither.
    for name in ("ridge length", "valley length"):
        assert feature(across, name) == pytest.approx(4.0, rel=0.15)
    assert feature(across, "ridges lie across the compression") == pytest.approx(1.0, abs=0.01)
    assert feature(along, "ridges lie across the compression") == pytest.approx(-1.0, abs=0.01)
    for each in (across, along):
        assert feature(each, "ridge ends by length") == feature(each, "ridge joints by length") == 0.0


def test_ends_and_joints_are_counted(places):
    u, v = places
    # A ridge that begins in the middle, and three that meet there.
    single = 0.04 * np.exp(-(((u - 0.5) / 0.08) ** 2)) / (1.0 + np.exp(-(v - 0.5) / 0.03))
    assert feature(single, "ridge ends by length") > 0.0
    assert feature(single, "ridge joints by length") == 0.0
    arms = np.zeros_like(u)
    for turn in np.radians([90.0, 210.0, 330.0]):
        along = (u - 0.5) * np.cos(turn) + (v - 0.5) * np.sin(turn)
        off = (u - 0.5) * np.sin(turn) - (v - 0.5) * np.cos(turn)
        arms = np.maximum(arms, 0.04 * np.exp(-((off / 0.08) ** 2)) * (along > -0.02))
    assert feature(arms, "ridge joints by length") > 0.0
    assert feature(arms, "ridge length") == pytest.approx(1.6, rel=0.2)


def test_ridges_alone_are_higher_and_sharper_than_their_valleys(places):
    u, _ = places
    bumps = 0.02 * np.abs(np.sin(4.0 * np.pi * u)) ** 4
    assert feature(bumps, "ridges higher than valleys") > 0.3
    assert feature(-bumps, "ridges higher than valleys") == pytest.approx(-feature(bumps, "ridges higher than valleys"))
    assert feature(bumps, "ridges sharper than valleys") == pytest.approx(
        -feature(-bumps, "ridges sharper than valleys"), abs=1e-9
    )


def test_a_flat_patch_has_finite_features():
    found = metrics.relief_features(np.zeros((2, GRID, GRID)), np.zeros((2, 2)))
    assert all(np.isfinite(values).all() and values.shape == (2,) for values in found.values())


def test_relief_that_does_not_fit_is_refused():
    good = np.zeros((2, GRID, GRID))
    for wrong in (good[:0], good[:, :, 1:], good[0], good[:, :8, :8]):
        with pytest.raises(ValueError, match=r"relief must be \(k, n, n\) of at least one patch and nine points"):
            metrics.relief_features(wrong, np.zeros((len(wrong), 2)))
    with pytest.raises(ValueError, match=r"compression must be \(2, 2\), two numbers a patch, not \(3, 2\)"):
        metrics.relief_features(good, np.zeros((3, 2)))
    good[1, 2, 3] = np.nan
    with pytest.raises(ValueError, match="relief and compression must be finite"):
        metrics.relief_features(good, np.zeros((2, 2)))


# --- patches ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def squeezed():
    """A flat sheet, and three frames of it: at rest, and compressed by a tenth obliquely and then along y."""
    faces, rest = flat_sheet(60, 60, 1.0, 1.0)
    turn = np.radians(30.0)
    way = np.array([np.cos(turn), np.sin(turn), 0.0])
    oblique = rest - 0.1 * (rest @ way)[:, None] * way
    return faces, rest, np.array([rest, oblique, rest * [1.0, 0.9, 1.0]]), way


def test_patches_lie_along_the_compression_and_know_it(squeezed):
    faces, rest, moved, way = squeezed
    patches = metrics.patches_of(faces, rest, moved, width=0.3, count=6)
    # None where nothing is compressed.
    assert sorted(set(patches.frames.tolist())) == [1, 2]
    assert patches.compression == pytest.approx(np.tile([0.1, 0.0], (len(patches), 1)), abs=1e-3)
    wave = 2.0 * np.pi / 0.25
    heights = np.array([0.0 * rest[:, 0], 0.01 * np.sin(wave * rest @ way), 0.01 * np.sin(wave * rest[:, 1])])
    relief = patches.read(heights)
    assert relief.shape == (len(patches), GRID, GRID)
    # Folds run along the first axis, and heights are in widths of the patch.
    assert np.diff(relief, axis=1).std() < 0.05 * np.diff(relief, axis=2).std()
    # A little more than one wave fits, of which the best quadratic takes a part away.
    assert np.all(relief.std(axis=(1, 2)) < 0.01 / 0.3)
    assert np.all(relief.std(axis=(1, 2)) > 0.3 * 0.01 / 0.3)


def test_what_is_longer_than_a_patch_is_no_relief(squeezed):
    faces, rest, moved, _ = squeezed
    patches = metrics.patches_of(faces, rest, moved, width=0.3, count=4, every=2)
    bent = np.broadcast_to(0.3 + rest[:, 0] - 2.0 * rest[:, 1] ** 2 + rest[:, 0] * rest[:, 1], (3, len(rest)))
    # Heights are linear in triangles of a twentieth of the width.
    assert np.abs(patches.read(bent)).max() < 2e-3


def test_patches_are_the_same_for_the_same_seed_and_in_any_unit(squeezed):
    faces, rest, moved, _ = squeezed
    first = metrics.patches_of(faces, rest, moved, width=0.3, count=5, seed=2)
    again = metrics.patches_of(faces, 1024.0 * rest, 1024.0 * moved, width=1024.0 * 0.3, count=5, seed=2)
    assert np.array_equal(first.triangles, again.triangles)
    assert not np.array_equal(
        first.triangles[:, 16, 16], metrics.patches_of(faces, rest, moved, width=0.3, count=5).triangles[:, 16, 16]
    )
    heights = np.sin(30.0 * rest[:, 1]) * np.ones((3, 1))
    assert again.read(1024.0 * heights) == pytest.approx(first.read(heights), abs=1e-9)


def test_patches_that_cannot_be_are_refused(squeezed):
    faces, rest, moved, _ = squeezed
    with pytest.raises(ValueError, match=r"no whole patch of 1\.5 fits on the surface where it is compressed"):
        metrics.patches_of(faces, rest, moved, width=1.5, count=5)
    with pytest.raises(ValueError, match="fits on the surface where it is compressed"):
        metrics.patches_of(faces, rest, moved[:1], width=0.3, count=5)
    with pytest.raises(ValueError, match=r"width, count and every must be positive, not 0\.3, 0 and 1"):
        metrics.patches_of(faces, rest, moved, width=0.3, count=0)
    with pytest.raises(ValueError, match="positions must be finite"):
        metrics.patches_of(faces, rest, moved * np.nan, width=0.3, count=5)
    with pytest.raises(ValueError, match=r"positions must be \(frames, 3721, 3\)"):
        metrics.patches_of(faces, rest, moved[0], width=0.3, count=5)
    patches = metrics.patches_of(faces, rest, moved, width=0.3, count=2)
    with pytest.raises(ValueError, match=r"heights must be \(frames, N\) of at least 3 frames and 3721 vertices"):
        patches.read(np.zeros((2, len(rest))))
    with pytest.raises(ValueError, match="heights must be finite"):
        patches.read(np.full((3, len(rest)), np.inf))


# --- truths -------------------------------------------------------------------------------------------------------


@pytest.fixture
def truths(truth, tmp_path):  # noqa: F811
    """A folder of two scenes, each with another take, which is the truth itself."""
    folder = tmp_path / "truths"
    (folder / "takes").mkdir(parents=True)
    for name, times in (("arm", 1.0), ("leg", -0.7)):
        made = dataclasses.replace(truth, name=name, away=times * truth.away)
        made.save(folder / f"{name}-sine.npz")
        metrics.save_takes(folder / "takes" / f"{name}-sine.npz", {"again": made.folds[::4]})
    return folder


def test_the_command_says_what_can_be_told_from_simulated_cloth(truths, tmp_path):
    where = ["--suite", str(truths), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(cli, ["compare", *where, "--quiet"])
    assert done.exit_code == 0, done.output
    found = json.loads((tmp_path / "out" / "samples.json").read_text())["told_apart"]
    names = [each["surface"] for each in found]
    assert names == [CEILINGS["again"], "guide alone", "noise of the same spectrum", "draped", "dynamic", "waves"]
    accuracy = {each["surface"]: np.mean(each["accuracies"]) for each in found}
    # The take is the truth itself, but for rounding.
    assert accuracy[CEILINGS["again"]] == pytest.approx(0.5, abs=0.1)
    assert accuracy["guide alone"] == 1.0
    page = (tmp_path / "out" / "index.md").read_text()
    assert "## Told from simulated cloth" in page
    assert "### draped, given away by" in page
    one = CliRunner().invoke(cli, ["compare", *where, "--scene", "arm-sine"])
    assert one.exit_code == 0, one.output
    assert "It takes two scenes with resolved truths" in (tmp_path / "out" / "index.md").read_text()


def test_a_truth_that_is_none_and_folds_that_do_not_fit_are_refused(truth):  # noqa: F811
    telling = compare.Telling()
    with pytest.raises(ValueError, match="sleeve, sine, is no truth"):
        telling.add(dataclasses.replace(truth, reproduced=()), [])
    with pytest.raises(ValueError, match=rf"folds must be \({len(truth)}, .*\), as the truth's are, not \(2, 3\)"):
        telling.add(truth, [("short", np.zeros((3, 3)))] if len(truth) == 0 else [("short", np.zeros((2, 3)))])
    with pytest.raises(ValueError, match="heights must be finite"):
        telling.add(truth, [("broken", np.full_like(truth.folds, np.nan))])
    assert telling.told() == []


def test_takes_come_back_rounded_and_only_with_their_truth(truth, tmp_path):  # noqa: F811
    file = tmp_path / "takes.npz"
    metrics.save_takes(file, {"finer": truth.folds[::4], "again": 0.0 * truth.folds[::4]})
    found = metrics.load_takes(file, truth, every=4)
    assert list(found) == ["finer", "again"]
    assert found["finer"] == pytest.approx(truth.folds[::4], abs=np.abs(truth.folds).max() / 60000)
    assert not found["again"].any()
    with pytest.raises(pucker.Error, match="as every 2 frames of sleeve, sine, are"):
        metrics.load_takes(file, truth, every=2)
    np.savez(file, faces=np.zeros(3))
    with pytest.raises(pucker.Error, match="is no file of other takes"):
        metrics.load_takes(file, truth, every=4)
    with pytest.raises(ValueError, match="folds of 'again' must be finite"):
        metrics.save_takes(file, {"again": [[np.nan]]})
