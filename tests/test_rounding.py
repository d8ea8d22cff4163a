"""Rounding the numbers of a trained set, and what a file holds of them."""

import dataclasses
import json
import pickle

import numpy as np
import pytest
from test_regression import MESH, REST, found  # noqa: F401 - a fixture

import pucker
from pucker import byexample
from pucker.byexample import rounding

STEPS = np.array([0.5, 0.125, 2.0])


def correlated(rng, points=4, rows=12):
    """(R, K, K): products of rows that are nearly alike, as those of centres that resemble each other."""
    sides = rng.normal(size=(points, 40, 1)) + 0.1 * rng.normal(size=(points, 40, rows))
    return sides.transpose(0, 2, 1) @ sides + 1e-3 * np.eye(rows)


def lost(products, off):
    """(P - 1,) Σ xᵀ M x over the points."""
    return np.einsum("rip,rij,rjp->p", off, products, off)


def test_coefficients_are_off_by_half_a_step_of_each_row_that_is_left(rng):
    """Babai: with M = UᵀU what is lost is at most Σ (U_ii s / 2)²."""
    products, coefficients = correlated(rng), rng.normal(size=(4, 12, 3))
    kept, steps = rounding.rounded_coefficients(coefficients, STEPS, products)
    sides = np.linalg.cholesky(products)
    bound = 0.25 * np.square(np.diagonal(sides, axis1=1, axis2=2)).sum() * STEPS**2
    assert steps == tuple(STEPS)
    assert np.array_equal(kept, STEPS * np.rint(kept / STEPS))
    assert (lost(products, kept - coefficients) <= bound * (1 + 1e-9)).all()


def test_what_others_make_up_for_is_not_lost(rng):
    products, coefficients = correlated(rng), rng.normal(size=(4, 12, 3))
    made_up, nearest = (
        rounding.rounded_coefficients(coefficients, STEPS, each)[0] - coefficients for each in (products, None)
    )
    assert (np.abs(nearest) <= 0.5 * STEPS).all()
    assert (lost(products, made_up) < 0.2 * lost(products, nearest)).all()


def test_coefficients_of_no_step_or_too_many_keep_single_precision(rng):
    coefficients = rng.normal(size=(4, 12, 3))
    for steps in (np.zeros(3), np.full(3, 1e-8)):
        kept, none = rounding.rounded_coefficients(coefficients, steps, None)
        assert none == ()
        assert np.array_equal(kept, coefficients.astype(np.float32))


@pytest.mark.parametrize(("largest", "planes"), [(0, 1), (127, 1), (128, 2), (32767, 2), (32768, 3), (2**23 - 1, 3)])
def test_planes_hold_whole_numbers_in_as_many_bytes_as_needed(largest, planes):
    wholes = np.array([[0.0, 1.0, -1.0], [largest, -largest, 0.0]])
    kept = rounding.planes_of(wholes)
    assert kept.shape == (planes, 2, 3)
    folded = sum(plane.astype(np.int64) << 8 * k for k, plane in enumerate(kept))
    assert np.array_equal(np.where(folded % 2, -(folded + 1) // 2, folded // 2), wholes)


def test_details_by_level_are_off_by_half_a_step(found):  # noqa: F811
    rounded = found.trained.rounded(255)
    assert rounded.by_level
    assert rounded.step == pytest.approx(np.abs(found.trained.details).max() / 255)
    assert np.abs(rounded.details - found.trained.details).max() <= 0.5 * rounded.step * (1 + 1e-9)
    code = byexample.DetailCode(MESH, rounded.levels, REST)
    again = np.array([code.decode(code.encode(each, rounded.step), rounded.step) for each in rounded.details])
    assert np.array_equal(again, rounded.details)


def test_a_step_of_a_coefficient_moves_the_surface_as_far_as_one_of_the_details(found):  # noqa: F811
    trained = found.trained
    rounded = trained.rounded(255)
    surface = byexample.SmoothSurface(MESH, trained.levels, REST)
    corners = surface.positions[surface.mesh.faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    at = np.zeros(len(surface.positions))
    np.add.at(at, surface.mesh.faces, areas[:, None])
    sizes = np.sqrt(np.square(trained.details[1:]).sum(axis=2) @ (at / at.sum()))
    assert np.array(rounded.regression.coefficient_steps) * sizes == pytest.approx(rounded.step)


def test_velocities_that_do_not_count_are_not_kept(found):  # noqa: F811
    still = dataclasses.replace(found.trained, regression=dataclasses.replace(found.trained.regression, motion=0.0))
    assert not still.rounded().regression.velocities.any()
    moving = dataclasses.replace(found.trained, regression=dataclasses.replace(found.trained.regression, motion=0.1))
    assert moving.rounded().regression.velocities.any()


def test_sets_by_level_are_made_without_encoding_and_checked_where_they_are_saved(tmp_path, monkeypatch, found):  # noqa: F811
    rounded = found.trained.rounded(511)
    rounded.save(tmp_path / "set.npz")
    off = dataclasses.replace(rounded, details=rounded.details + 0.3 * rounded.step)
    with pytest.raises(ValueError, match=r"details must be what whole multiples of .* beyond the next coarser level"):
        off.save(tmp_path / "off.npz")
    assert not (tmp_path / "off.npz").exists()

    def refuse(*_given):
        raise AssertionError("encoded")

    monkeypatch.setattr("pucker._core._byexample.DetailCode.encode", refuse)
    for again in (
        byexample.load(tmp_path / "set.npz"),
        pickle.loads(pickle.dumps(rounded)),
        dataclasses.replace(rounded, parts=("Sleeve",)),
    ):
        assert np.array_equal(again.details, rounded.details)


def test_a_set_by_level_comes_back_to_the_bit(tmp_path, found):  # noqa: F811
    rounded = found.trained.rounded(511, products=found.products)
    rounded.save(tmp_path / "set.npz")
    again = byexample.load(tmp_path / "set.npz")
    for name in ("poses", "details", "step", "by_level"):
        assert np.array_equal(getattr(again, name), getattr(rounded, name)), name
    for name in ("velocities", "coefficients", "coefficient_steps"):
        assert np.array_equal(getattr(again.regression, name), getattr(rounded.regression, name)), name
    again.save(tmp_path / "again.npz")
    assert (tmp_path / "again.npz").read_bytes() == (tmp_path / "set.npz").read_bytes()


def test_sets_of_before_are_read_and_written_as_before(tmp_path, found):  # noqa: F811
    """Multiples of two bytes, of the details themselves, and one step for all coefficients."""
    trained, learned = found.trained, found.trained.regression
    steps = {"details": 1e-4, "poses": 2e-4, "velocities": 5e-4, "coefficients": 3e-4}
    values = {"details": trained.details, "poses": trained.poses} | {
        name: getattr(learned, name) for name in ("velocities", "coefficients")
    }
    wholes = {name: np.rint(values[name] / step).astype(np.int16) for name, step in steps.items()}
    trained.save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        arrays = {**archive, **wholes}
    header = json.loads(str(arrays["header"])) | {"step": steps["details"]}
    header["regression"] |= {
        "pose_step": steps["poses"],
        "velocity_step": steps["velocities"],
        "coefficient_step": steps["coefficients"],
    }
    np.savez_compressed(tmp_path / "before.npz", **{**arrays, "header": np.array(json.dumps(header))})
    again = byexample.load(tmp_path / "before.npz")
    assert not again.by_level
    assert again.regression.coefficient_steps == (steps["coefficients"],) * (len(trained.details) - 1)
    for name, step in steps.items():
        kept = getattr(again if name in ("details", "poses") else again.regression, name)
        assert np.array_equal(kept, step * wholes[name]), name
    again.save(tmp_path / "written.npz")
    with np.load(tmp_path / "written.npz") as archive:
        assert json.loads(str(archive["header"]))["version"] == header["version"] == 3
        for name, whole in wholes.items():
            assert archive[name].dtype == np.int16
            assert np.array_equal(archive[name], whole), name


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"details": np.zeros((4, 3, 2, 2), np.uint8)}, "details must be 1 to 3 planes of bytes, of three axes each"),
        ({"poses": np.full((1, 3, 2, 2), 256)}, "poses must be planes of bytes, got 256"),
        ({"planes": ["holes"]}, "there are no planes of holes"),
        ({"step": 0.0}, "the step of details must be positive, not 0"),
        ({"coefficient_step": [1.0]}, "a step of the coefficients of each of 2 details, not of 1"),
        ({"coefficient_step": [1.0, 0.0]}, "the step of coefficients must be finite and positive, not 0"),
    ],
)
def test_planes_that_are_none_are_told(tmp_path, found, change, told):  # noqa: F811
    found.trained.rounded(511).save(tmp_path / "set.npz")
    with np.load(tmp_path / "set.npz") as archive:
        arrays = dict(archive)
    header = json.loads(str(arrays["header"]))
    for name, value in change.items():
        if name in arrays:
            arrays[name] = value
        else:
            (header["regression"] if name == "coefficient_step" else header)[name] = value
    arrays["header"] = np.array(json.dumps(header))
    np.savez(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(pucker.Error, match=rf"wrong\.npz: is damaged: .*{told}"):
        byexample.load(tmp_path / "wrong.npz")


def test_the_kimonos_set_is_small(data_dir):
    file = data_dir / "kimono.pose.npz"
    assert file.stat().st_size < 3e6
    assert byexample.load(file).by_level
