"""Draped cloth through Python: the balance against another minimiser, and runs of characters."""

import pickle
import warnings
from pathlib import Path

import numpy as np
import pytest

import pucker
from pucker import bake, drape, metrics
from pucker.examples import squeezed_sheet
from pucker.method import start

SHEET = squeezed_sheet(10, 6, frames=5)
FEW = drape.Params(levels=1, iterations=40)


@pytest.fixture(scope="module")
def kimono(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="SitDown", parts=["Clothes", "Band"])
    run = start(clip, drape.Params())
    return clip, [run.advance(clip.positions[k], clip.times[k]) for k in range(8)]


def test_the_balance_is_the_minimum_that_another_minimiser_finds():
    optimize = pytest.importorskip("scipy.optimize")
    balance = drape.Balance(SHEET.mesh, SHEET.positions[0], FEW.replace(depth=10.0))
    guide = balance.aim(SHEET.positions[-1])
    # A smooth bump says to which side it folds.
    begin = guide + 0.02 * np.sin(9.0 * guide[:, :1]) * [0.0, 0.0, 1.0]
    found, solved = balance.solve(begin, 3000, 1e-9)

    def energy(flat):
        value, gradient = balance.evaluate(flat.reshape(guide.shape))
        return value, gradient.ravel()

    other = optimize.minimize(
        energy, found.ravel() + 1e-4 * np.sin(np.arange(found.size)), jac=True, method="L-BFGS-B",
        options={"maxiter": 5000, "maxfun": 20000, "ftol": 1e-15, "gtol": 1e-12},
    )  # fmt: skip
    assert solved.energy > 0.0
    assert other.fun == pytest.approx(solved.energy, rel=1e-6)


def test_a_pull_is_a_share_of_the_hold():
    balance = drape.Balance(SHEET.mesh, SHEET.positions[0], FEW)
    shift = np.array([0.0, 0.02, 0.03])
    guide = balance.aim(SHEET.positions[0])
    guide = balance.aim(SHEET.positions[0], before=guide + shift, weight=3.0)
    found, _ = balance.solve(guide, 200, 1e-12)
    np.testing.assert_allclose(found - guide, np.broadcast_to(0.75 * shift, guide.shape), atol=1e-7)
    with pytest.raises(ValueError, match="a pull must be finite and at least 0, got -1"):
        balance.aim(SHEET.positions[0], before=guide, weight=-1.0)


@pytest.mark.parametrize(
    ("squeezed", "longer"),
    [((0.6, 1.0), (1.4, 1.0)), ((1.0, 0.6), (1.0, 1.4)), ((0.8, 0.8), (1.12, 1.12)), ((0.6, 0.6), (1.0, 1.0))],
)
def test_a_sheet_squeezed_from_all_sides_has_no_more_area_than_compression_allows(squeezed, longer):
    # Each side by itself would have 1.4 or 1 / 0.8 times its length, and the sheet turns over.
    flat = SHEET.positions[0] * [1.0, 1.0, 0.0]
    balance = drape.Balance(SHEET.mesh, flat, FEW.replace(compression=1.4))
    guide = balance.aim(flat * [*squeezed, 1.0])
    edges = balance.subdivision.fine.edges
    ways = guide[edges[:, 1]] - guide[edges[:, 0]]
    found = balance.rest_lengths / np.linalg.norm(ways, axis=1)
    for axis in range(2):
        straight = np.abs(ways[:, 1 - axis]) < 1e-9
        assert straight.sum() > 10
        np.testing.assert_allclose(found[straight], longer[axis])
    assert found.max() <= 1.4 + 1e-9


def test_few_triangles_turn_over_where_the_guide_is_squeezed(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes"])
    run = start(clip, drape.Params(levels=2))
    turned = []
    for positions, time in zip(clip.positions[:12], clip.times[:12], strict=True):
        state = run.advance(positions, time)
        fine = state.detail.subdivision.fine
        outward = pucker.vertex_normals(fine, state.guide)[fine.faces].sum(1)
        corners = state.draped[fine.faces]
        normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
        turned.append(np.mean((normals * outward).sum(1) < 0.0))
    assert np.mean(turned) < 0.015


def test_a_character_folds_and_stays_in_one_piece(kimono):
    clip, states = kimono
    extent = states[0].lengths.extent
    for state in states:
        away = np.linalg.norm(state.draped - state.guide, axis=1)
        assert np.isfinite(state.draped).all()
        assert 0.002 * extent < away.max() < 0.1 * extent
        assert state.solved.residual < 0.01
    assert states[0].started
    assert not any(state.started for state in states[1:])
    # Where it is sewn to the rest of the character it stays on the guide.
    sewn = clip.shared_vertices
    np.testing.assert_array_equal(states[-1].draped[sewn], states[-1].guide[sewn])
    assert states[0].detail.subdivision.fine.triangle_count == 64 * len(clip.faces)


def test_folds_are_no_sandpaper(kimono):
    """Heights of neighbours go together: what differs from the mean of them is less than a third of the heights."""
    _, states = kimono
    state = states[-1]
    fine = state.detail.subdivision.fine
    away = state.draped - state.guide
    sums, counts = np.zeros_like(away), np.zeros(len(away))
    for a, b in (fine.edges.T, fine.edges.T[::-1]):
        np.add.at(sums, a, away[b])
        np.add.at(counts, a, 1.0)
    used = counts > 0
    rough = away[used] - sums[used] / counts[used, None]
    assert np.sqrt(np.square(rough).sum()) < 0.3 * np.sqrt(np.square(away[used]).sum())


def test_gain_draws_the_cloth_farther_from_the_guide_and_leaves_the_balance(kimono):
    clip = kimono[0]
    lower, plain, gained = (
        start(clip, drape.Params(levels=1, contact=False, layers=False, gain=gain)) for gain in (0.5, 1.0, 2.5)
    )
    for positions, time in zip(clip.positions[:4], clip.times[:4], strict=True):
        below, before, after = (run.advance(positions, time) for run in (lower, plain, gained))
        np.testing.assert_array_equal(before.draped, before.balanced)
        np.testing.assert_array_equal(after.balanced, before.balanced)
        normals = pucker.vertex_normals(after.detail.subdivision.fine, after.guide)
        heights, drawn = (((at - after.guide) * normals).sum(axis=1) for at in (after.balanced, after.draped))
        np.testing.assert_allclose(
            below.draped - below.balanced, -0.5 * heights[:, None] * normals, atol=1e-12 * clip.height
        )
        # The shortest folds less; see test_drape_height.py for how much.
        assert 1.8 < np.sqrt(np.mean(drawn**2) / np.mean(heights**2)) < 2.5
        np.testing.assert_array_equal(after.detail.fine_positions, after.draped)


def test_a_run_can_be_pickled_and_goes_on(kimono):
    clip, states = kimono
    run = start(clip, drape.Params())
    for k in range(3):
        run.advance(clip.positions[k], clip.times[k])
    again = pickle.loads(pickle.dumps(run))
    np.testing.assert_array_equal(again.state.draped, states[2].draped)
    np.testing.assert_array_equal(again.state.detail.fine_normals, states[2].detail.fine_normals)
    np.testing.assert_array_equal(again.advance(clip.positions[3], clip.times[3]).draped, states[3].draped)


def test_the_cut_pose_is_named(data_dir, tmp_path, kimono):
    clip, _ = kimono
    np.testing.assert_array_equal(drape.cut_pose(clip, "rest"), clip.rest)
    np.testing.assert_array_equal(drape.cut_pose(clip, "first"), clip.positions[0])
    np.testing.assert_array_equal(drape.cut_pose(SHEET), SHEET.positions[0])
    np.save(tmp_path / "pose.npy", clip.positions[2])
    np.testing.assert_array_equal(drape.cut_pose(clip, str(tmp_path / "pose.npy")), clip.positions[2])
    idle = drape.cut_pose(clip, f"{data_dir / 'kimono_male.gltf'}:Idle")
    assert idle.shape == clip.rest.shape
    assert not np.array_equal(idle, clip.rest)
    np.save(tmp_path / "short.npy", clip.positions[2, 1:])
    for cut, sentence in (
        ("pose", "must be rest, first, an .npy or FILE:CLIP, got 'pose'"),
        (str(tmp_path / "short.npy"), "must hold positions of shape"),
        (f"{data_dir / 'mage.glb'}:", "clip"),
    ):
        with pytest.raises((ValueError, pucker.Error), match=sentence):
            drape.cut_pose(clip, cut)
    with pytest.raises(ValueError, match="needs a rest pose, the clip has none"):
        start(SHEET, drape.Params(cut="rest"))
    # Another garment, of as many vertices or not.
    with pytest.raises(ValueError, match=r"must name a clip of the same garment, but that of .*mage\.glb:Idle has"):
        drape.cut_pose(SHEET, f"{data_dir / 'mage.glb'}:Idle")


def test_a_character_of_one_material_is_draped_as_a_whole(data_dir):
    """Skin, hair and clothes in one piece: all of it is cloth, and nothing is left for a body."""
    clip = pucker.load(data_dir / "cowboy.dae")
    assert drape.body_of(clip) is None
    with warnings.catch_warnings():
        # Its arms are stretched out in the only pose that is known.
        warnings.simplefilter("ignore")
        run = start(clip, drape.Params(levels=1))
    for k in range(3):
        assert np.isfinite(run.advance(clip.positions[k], clip.times[k]).draped).all()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"fold_size": 0.0}, r"params\.fold_size .* must lie in \(0, 10\], got 0"),
        ({"tightness": 1e-300}, r"params\.tightness .* must lie in \[0\.1, 10\]"),
        ({"wavelength": np.nan}, r"params\.wavelength .* must lie in \[0, 10\], got nan"),
        ({"fabric": {"bending": 0.0}}, r"params\.fabric\.bending .* must lie in \[1e-12, 1e\+06\], got 0"),
    ],
)
def test_lengths_that_no_cloth_has_are_refused(change, sentence):
    with pytest.raises(ValueError, match=sentence):
        drape.Params(**change)


def test_a_garment_without_an_extent_or_with_numbers_missing_is_refused():
    point = np.zeros_like(SHEET.positions[0])
    with pytest.raises(ValueError, match="needs a garment with an extent, but all of its 77 vertices lie in one point"):
        drape.Drape(SHEET.mesh, point, FEW)
    broken = SHEET.positions[0].copy()
    broken[5, 1] = np.nan
    with pytest.raises(ValueError, match="finite"):
        drape.Drape(SHEET.mesh, broken, FEW)


@pytest.mark.parametrize(
    ("file", "clip", "found"),
    [
        ("kimono_male.gltf", "Run", "the first frame of Idle"),
        ("female_dress.fbx", "Female_Sitting", "the first frame of HumanArmature|Female_Idle"),
        ("mage.glb", "T-Pose", "the first frame of Idle"),
        ("cowboy.dae", None, None),
        ("kyonshi_lower.md3", "0:3", None),
    ],
)
def test_a_pose_in_which_the_character_stands_is_found_by_itself(data_dir, file, clip, found):
    loaded = pucker.load(data_dir / file, clip=clip)
    cut = drape.cut_of(loaded)
    assert loaded.standing_from == found
    if found is None:
        assert cut.source == ("its first frame" if loaded.rest is None else "its rest pose")
        assert loaded.standing is None
        return
    name = found.removeprefix("the first frame of ")
    stands = pucker.load(data_dir / file, clip=name)
    # Vertices may be welded otherwise where they part in another clip.
    np.testing.assert_array_equal(np.ptp(cut.pose, axis=0), np.ptp(stands.positions[0], axis=0))
    assert np.ptp(cut.pose[:, 0]) < 0.9 * np.ptp(loaded.rest[:, 0])
    assert cut.source == found
    smooth = loaded.smoothed()
    assert smooth.standing.shape == smooth.positions.shape[1:]
    again = pickle.loads(pickle.dumps(loaded))
    np.testing.assert_array_equal(again.standing, loaded.standing)


def test_whoever_only_stretches_his_arms_is_told_of(data_dir):
    mage = pucker.load(data_dir / "mage.glb", clip="T-Pose", parts=["Mage_Body"])
    # The file is not known any more.
    alone = pucker.Clip.from_arrays(mage.faces, mage.positions, mage.times, rest=mage.rest)
    wide = pucker.Clip.from_arrays(mage.faces, mage.positions * [3, 1, 1], mage.times, rest=mage.rest * [3, 1, 1])
    with pytest.warns(UserWarning, match="cut for its rest pose, in which they are stretched out"):
        assert start(wide, FEW).cut_from == "its rest pose"
    # Warnings are errors otherwise.
    assert start(mage, FEW).cut_from == "the first frame of Idle"
    assert start(alone, FEW.replace(cut="rest")).cut_from == "its rest pose"
    assert start(SHEET, FEW).cut_from == "its first frame"


def test_it_is_baked_and_measured(tmp_path):
    states = list(pucker.run(SHEET, FEW))
    bake.surface(SHEET, tmp_path / "sheet.npz", params=FEW, levels=2)
    with np.load(tmp_path / "sheet.npz") as baked:
        # With two pieces an edge, vertices and points of edges are those of the fine mesh; then come centres of triangles.
        wanted = np.array([state.detail.fine_positions for state in states])
        np.testing.assert_allclose(baked["positions"][:, : wanted.shape[1]], wanted, atol=1e-6)
    found = metrics.measure(SHEET, FEW)
    assert found.summary["residual"] == pytest.approx(np.mean([state.solved.residual for state in states]))
    assert found.summary["distance_from_guide"] > 0.0
    assert {"guide", "balance", "normals", "frame"} == found.seconds.keys()
    with pytest.raises(ValueError, match="the method drape has no paths"):
        metrics.measure(SHEET, FEW, directions=np.zeros((len(SHEET), len(SHEET.faces), 3)))


def test_a_damaged_file_that_cloth_is_cut_by_is_told():
    crasher = Path(__file__).parent / "crashers" / "min_polylist.dae"
    with pytest.raises(pucker.Error, match=r"min_polylist\.dae: is damaged, .* its reader ended with SIG"):
        start(SHEET, drape.Params(cut=f"{crasher}:Walk"))
