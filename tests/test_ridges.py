"""Ridges of folds: closed forms on sheets of known waves."""

import numpy as np
import pytest
from motion import rotation

from pucker import metrics
from pucker.examples import grid_faces
from pucker.metrics.ridges import ENDS, SECTION

WAVE, HIGH = 0.25, 0.02


def sheet(columns: int = 160, rows: int = 80) -> tuple[np.ndarray, np.ndarray]:
    y, x = (index.ravel() / n for index, n in zip(np.mgrid[: rows + 1, : columns + 1], (rows, columns), strict=True))
    return grid_faces(columns, rows), np.stack([2.0 * x, y, 0.0 * x], axis=1)


def cosine(points: np.ndarray) -> np.ndarray:
    return HIGH * np.cos(2.0 * np.pi * points[:, 0] / WAVE)


def test_a_cosine_has_ridges_as_high_wide_and_far_apart_as_its_formula_says():
    faces, points = sheet()
    found = metrics.ridges_of(faces, points * [1.2, 1.0, 1.0], points, cosine(points), WAVE, count=80)
    assert len(found) > 40
    assert found.heights == pytest.approx(2.0 * HIGH, rel=0.02)
    assert found.crests == pytest.approx(HIGH, rel=0.02)
    assert found.widths == pytest.approx(WAVE, rel=0.04)
    assert found.distances[np.isfinite(found.distances)] == pytest.approx(WAVE, rel=0.04)
    assert found.compression == pytest.approx(1.2)
    share = np.linspace(0.0, 1.0, SECTION)
    assert found.sections.mean(axis=0) == pytest.approx(0.5 * (1.0 + np.cos(np.pi * share)), abs=0.01)
    # No end is near, and the compression ends nowhere.
    assert np.isnan(found.courses).all()
    assert np.isnan(found.extents).all()


def test_the_course_of_a_ridge_is_read_from_its_end_on():
    faces, points = sheet()
    rise = np.clip((points[:, 1] - 0.4) / WAVE, 0.0, 1.0)
    found = metrics.ridges_of(faces, points, points, cosine(points) * rise, WAVE, count=400, seed=3)
    # Cut where it is level; what is below a tenth of the height has ended.
    level = np.isfinite(found.courses[:, 4]) & (found.heights > 1.99 * HIGH)
    assert level.sum() > 5
    expected = np.clip(0.1 + 0.25 * np.arange(ENDS), 0.1, 1.0)
    assert np.nanmean(found.courses[level], axis=0)[1:5] == pytest.approx(expected[1:5], abs=0.15)


def test_the_extent_is_the_length_of_what_is_compressed():
    faces, points = sheet()
    pressed = points.copy()
    inside = np.abs(points[:, 0] - 1.0) < 0.2
    pressed[:, 0] += np.where(inside, 0.3 * (points[:, 0] - 1.0), 0.06 * np.sign(points[:, 0] - 1.0))
    found = metrics.ridges_of(faces, pressed, points, cosine(points), WAVE, count=300)
    across = found.extents[(found.compression > 1.25) & np.isfinite(found.extents)]
    assert len(across) > 10
    assert across == pytest.approx(0.4, abs=0.05)


def test_ridges_do_not_see_units_nor_how_the_surface_is_turned():
    faces, points = sheet(80, 40)
    one = metrics.ridges_of(faces, points, points, cosine(points), WAVE, count=50)
    turned = 100.0 * points @ rotation(np.random.default_rng(4)).T
    other = metrics.ridges_of(faces, turned, turned, 100.0 * cosine(points), 100.0 * WAVE, count=50)
    assert other.heights == pytest.approx(100.0 * one.heights, rel=1e-6)
    assert other.widths == pytest.approx(100.0 * one.widths)


def test_flat_cloth_has_no_ridges():
    faces, points = sheet(20, 10)
    found = metrics.ridges_of(faces, points, points, np.zeros(len(points)), WAVE, count=20)
    assert len(found) == 0
    assert found.sections.shape == (0, SECTION)
    assert found.courses.shape == (0, ENDS)


def test_what_cannot_be_cut_is_refused_by_name():
    faces, points = sheet(20, 10)
    flat = np.zeros(len(points))
    with pytest.raises(ValueError, match="width must be finite and positive, not 0"):
        metrics.ridges_of(faces, points, points, flat, 0)
    with pytest.raises(ValueError, match="count must be at least 1, not 0"):
        metrics.ridges_of(faces, points, points, flat, WAVE, count=0)
    with pytest.raises(ValueError, match="must be of the same vertices"):
        metrics.ridges_of(faces, points, points, flat[:-1], WAVE)
    with pytest.raises(ValueError, match="must be finite"):
        metrics.ridges_of(faces, points, points, flat + np.nan, WAVE)
