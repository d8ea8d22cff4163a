"""What a garment is sewn of: how long its folds are, and what differs over it, by maps."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

import pucker
from pucker import drape
from pucker.cli import cli
from pucker.examples import grid_faces, squeezed_sheet
from pucker.method import method_of, start

SHEET = squeezed_sheet(10, 6, frames=3)
# A sheet without an other side, whose mesh does not limit its folds.
PLAIN = drape.Params(levels=1, thickness=0.0, edges_per_wave=0.0, iterations=20)
LENGTH = 64


def strip(share=1.0):
    """A long strip, flat: faces, and positions squeezed to a share of its length."""
    row, column = (index.ravel() for index in np.mgrid[:3, : LENGTH + 1])
    return grid_faces(LENGTH, 2), np.stack([share * column / LENGTH, -row / LENGTH, np.zeros(row.size)], axis=1)


def folds(params, maps=None, part=(0.0, 1.0)):
    """Lengths of folds of the squeezed strip, counted where its middle line crosses the guide."""
    faces, flat = strip()
    mesh = pucker.Mesh(faces, len(flat))
    balance = drape.Balance(mesh, flat, params, maps=maps)
    guide = balance.aim(strip(0.9)[1])
    noise = np.random.default_rng(3).normal(size=guide.shape)
    x, _ = balance.solve(guide + 1e-4 * noise, 3000, 1e-9)
    middle = np.flatnonzero(np.abs(guide[:, 1] + 1.0 / LENGTH) < 1e-6)
    middle = middle[np.argsort(guide[middle, 0])]
    inside = (guide[middle, 0] >= 0.9 * part[0]) & (guide[middle, 0] <= 0.9 * part[1])
    heights = x[middle[inside], 2]
    assert np.abs(heights).max() > 0.003
    crossings = np.count_nonzero(heights[1:] * heights[:-1] < 0.0)
    return 2.0 * 0.9 * (part[1] - part[0]) / crossings


# --- fabrics ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("cloth", ["silk", "cotton", "wool", "denim", "leather"])
def test_folds_of_a_cloth_are_as_long_as_its_bending_and_tension_make_them(cloth):
    bending, tension = drape.fabric_of(drape.Cloth(cloth))
    lengths = drape.Balance(SHEET.mesh, SHEET.positions[0], PLAIN.replace(fabric={"cloth": cloth})).lengths
    wanted = [pucker.buckling_wavelength(bending, tension, size) for size in lengths.fold_sizes]
    np.testing.assert_allclose(lengths.wavelengths, wanted, rtol=1e-12)


def test_stiffer_cloths_have_longer_folds_and_numbers_go_before_names():
    def length(**fabric):
        return drape.Balance(SHEET.mesh, SHEET.positions[0], PLAIN.replace(fabric=fabric)).lengths.wavelengths[0]

    found = [length(cloth=cloth) for cloth in ("silk", "cotton", "wool", "denim", "leather")]
    assert (np.diff(found) > 0.1 * found[0]).all()
    assert length() == PLAIN.wavelength * 0.3
    assert length(bending=16e-5) == pytest.approx(2.0 * length(bending=1e-5))
    assert length(cloth="silk", bending=1e-5) == pytest.approx(length(cloth="cotton"))
    assert length(cloth="cotton", tension=16.0) == pytest.approx(length(cloth="cotton") / 2.0)
    # A tension alone says nothing: it is not known how the cloth bends.
    assert length(tension=16.0) == length()
    assert drape.fabric_of(drape.Cloth.unknown) is None


def test_a_garment_in_another_unit_says_how_large_it_is():
    cotton = PLAIN.replace(fabric={"cloth": "cotton"})
    metres = drape.Balance(SHEET.mesh, SHEET.positions[0], cotton).lengths.wavelengths
    large = 100.0 * SHEET.positions[0]
    with pytest.raises(ValueError, match=r"params\.fabric\.size must be given, in metres, for a garment 100 large"):
        drape.Balance(SHEET.mesh, large, cotton)
    said = cotton.replace(fabric={"size": 1.0})
    np.testing.assert_allclose(drape.Balance(SHEET.mesh, large, said).lengths.wavelengths, 100.0 * metres, rtol=1e-12)
    # A doll of a quarter the size has shorter folds, but longer ones for its size.
    doll = drape.Balance(SHEET.mesh, large, cotton.replace(fabric={"size": 0.25})).lengths.wavelengths
    np.testing.assert_allclose(doll, 200.0 * metres, rtol=1e-12)


def test_a_squeezed_strip_folds_as_its_fabric_says():
    # Cerda and Mahadevan's length for a fold size of 0.1, by bending alone.
    fabric = {"bending": 1e-5, "tension": 6.0}
    wanted = pucker.buckling_wavelength(1e-5, 6.0, 0.1)
    assert folds(PLAIN.replace(levels=2, fold_size=0.1, depth=10.0, fabric=fabric)) == pytest.approx(wanted, rel=0.15)


def test_a_finer_mesh_is_taken_for_a_cloth_of_shorter_folds():
    fine = PLAIN.replace(levels=-1)
    counts = [
        drape.Drape(SHEET.mesh, SHEET.positions[0], fine.replace(fabric={"bending": bending})).lengths.fold_sizes.size
        for bending in (1e-2, 1e-6)
    ]
    assert counts[1] > 3 * counts[0]


# --- maps -------------------------------------------------------------------------------------------------------------


def test_sixteen_times_as_stiff_is_folded_twice_as_long():
    faces, flat = strip()
    stiff = np.where(flat[:, 0] > 0.5, 16.0, 1.0)
    params = PLAIN.replace(levels=2, fold_size=0.1, wavelength=0.6, depth=10.0)
    maps = drape.Maps(stiffness=stiff)
    lengths = drape.Balance(pucker.Mesh(faces, len(flat)), flat, params, maps=maps).lengths
    assert (lengths.wavelengths.min(), lengths.wavelengths.max()) == pytest.approx((0.06, 0.12))
    soft, hard = (folds(params, maps, part) for part in ((0.05, 0.45), (0.55, 0.95)))
    assert soft == pytest.approx(0.06, rel=0.15)
    assert hard == pytest.approx(0.12, rel=0.2)


def test_what_is_sewn_tighter_is_shorter_there_alone():
    flat = SHEET.positions[0]
    tight = np.where(flat[:, 0] < np.median(flat[:, 0]), 1.25, 1.0)
    balance = drape.Balance(SHEET.mesh, flat, PLAIN.replace(tightness=2.0, creep=0.0), maps=drape.Maps(tightness=tight))
    guide = balance.aim(flat)
    edges = balance.subdivision.fine.edges
    lengths = np.linalg.norm(guide[edges[:, 0]] - guide[edges[:, 1]], axis=1)
    ends = balance.lengths.tightness[edges]
    assert (balance.lengths.tightness.min(), balance.lengths.tightness.max()) == (2.0, 2.5)
    np.testing.assert_allclose(balance.rest_lengths, lengths / ends.mean(axis=1), rtol=1e-12)
    # What is tight is not squeezed, though its guide has more area than it.
    assert (balance.rest_lengths < lengths).all()


def test_a_map_of_ones_keeps_the_bits_and_a_saved_run_its_maps(tmp_path):
    ones = np.ones(len(SHEET.positions[0]))
    plain = list(pucker.run(SHEET, PLAIN))
    same = drape.Drape(SHEET.mesh, SHEET.positions[0], PLAIN, maps=drape.Maps(ones, ones))
    for state, positions, time in zip(plain, SHEET.positions, SHEET.times, strict=True):
        np.testing.assert_array_equal(same.advance(positions, time).draped, state.draped)
    file = tmp_path / "stiff.npy"
    np.save(file, np.linspace(1.0, 100.0, len(ones)))
    run = start(SHEET, PLAIN.replace(stiffness_map=str(file)))
    first = run.advance(SHEET.positions[0], 0.0)
    assert first.lengths.wavelengths.max() > 2.0 * first.lengths.wavelengths.min()
    file.unlink()
    again = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(again.maps.stiffness, run.maps.stiffness)
    expected = run.advance(SHEET.positions[1], 0.1).draped
    np.testing.assert_array_equal(again.advance(SHEET.positions[1], 0.1).draped, expected)
    assert not np.array_equal(expected, plain[1].draped)


def test_a_picture_and_numbers_are_read_by_programs(data_dir, tmp_path):
    clip = pucker.load(data_dir / "mage.glb", clip="Sit_Floor_Down", parts=["Mage_Body"])
    Image.fromarray(np.full((8, 8), 0.5, np.float32)).save(tmp_path / "map.tiff")
    np.save(tmp_path / "map.npy", np.full(len(clip.positions[0]), 0.5))
    runs = [start(clip, PLAIN.replace(stiffness_map=str(tmp_path / name))) for name in ("map.tiff", "map.npy")]
    for run in runs:
        np.testing.assert_allclose(run.lengths.wavelengths, 0.5**0.25 * 0.3 * run.lengths.fold_sizes, rtol=1e-6)
    params = PLAIN.replace(cut="a.npy", stiffness_map="b.png", tightness_map="c.npy")
    assert method_of(params).files(params) == (Path("a.npy"), Path("b.png"), Path("c.npy"))
    assert method_of(PLAIN).files(PLAIN) == ()
    call = [
        "bake", str(data_dir / "mage.glb"), "--clip", "Sit_Floor_Down", "--parts", "Mage_Body", "--fps", "4", "--quiet",
        "--method", "drape", "--set", "levels=1", "--set", "fabric.cloth=leather", "--set", "fabric.size=1.2",
        "--set", f"tightness_map={tmp_path / 'map.npy'}", "-o", str(tmp_path / "mage.npz"),
    ]  # fmt: skip
    result = CliRunner().invoke(cli, call)
    assert result.exit_code == 0, result.output
    assert (tmp_path / "mage.npz").exists()


@pytest.mark.parametrize(
    ("name", "values", "sentence"),
    [
        ("stiffness", [1.0, 1.0], r"map.npy must hold a number for each of 77 vertices"),
        ("stiffness", np.append(np.ones(76), np.nan), r"stiffness must be finite and above 0, but .*map.npy has nan at vertex 76"),
        ("tightness", np.append(np.ones(76), 0.0), r"tightness must be finite and above 0, but .*map.npy has 0 at vertex 76"),
        ("tightness", np.append(np.ones(76), 11.0), r"tightness must lie in \[0\.1, 10\], but the map has 11 at vertex 76"),
        ("stiffness", np.append(np.ones(76), 1e10), r"stiffness must lie in \[1e-0?9, 1e\+0?9\], but the map has 1e\+10"),
    ],
)  # fmt: skip
def test_maps_that_cannot_be_are_refused(tmp_path, name, values, sentence):
    file = tmp_path / "map.npy"
    np.save(file, values)
    with pytest.raises(ValueError, match=sentence):
        start(SHEET, PLAIN.replace(**{f"{name}_map": str(file)}))
    with pytest.raises(FileNotFoundError, match=r"none\.npy"):
        start(SHEET, PLAIN.replace(**{f"{name}_map": str(tmp_path / "none.npy")}))


def test_maps_given_as_arrays_are_checked():
    flat = SHEET.positions[0]
    with pytest.raises(ValueError, match="a map of stiffness must be of 77 vertices, got 3"):
        drape.Drape(SHEET.mesh, flat, PLAIN, maps=drape.Maps(stiffness=np.ones(3)))
    with pytest.raises(ValueError, match=r"tightness must lie in \[0\.05, 5\], but the map has 6 at vertex 0"):
        drape.Drape(SHEET.mesh, flat, PLAIN.replace(tightness=2.0), maps=drape.Maps(tightness=np.full(77, 6.0)))
    with pytest.raises(ValueError, match=r"params\.tightness"):
        drape.Drape(SHEET.mesh, flat, PLAIN.replace(tightness=0.01))
