"""Paths bend no more sharply than their width allows: the measure, and that traced and living paths keep to it."""

from pathlib import Path

import numpy as np
import pytest
from motion import rotation, shape, sheet, squeeze, tube

import pucker
from pucker import metrics
from pucker.examples import grid_faces

WIDTH = 0.01
SHARP = 60.0
PARTS = {"kimono_male.gltf": ["Clothes", "Band"], "mage.glb": None, "cowboy.dae": None}


def paths(body, positions, given):
    field = body.field(positions)
    return pucker.Tracer(body.mesh, given).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)[0]


def noisy(rng, spread, given, wound=None):
    """Paths over a flat sheet, each triangle of which is squeezed in a direction of its own, up to `spread` degrees off.

    `wound` says of each triangle whether it is wound the other way round.
    """
    body = sheet(rng, cells=24)
    if wound is not None:
        faces = np.array(body.mesh.faces)
        body = shape(np.where(wound[:, None], faces[:, ::-1], faces), body.rest)
    current = body.frames(body.rest)
    angles = np.radians(spread) * rng.uniform(-1.0, 1.0, len(body.mesh.faces))
    reference = np.empty_like(current.matrices)
    for t, angle in enumerate(angles):
        # In the plane of the triangle: its x axis lies along its first edge.
        axes = current.axes[t][:, :2]
        reference[t] = np.linalg.inv(axes @ squeeze(angle, 1.5)[:2, :2] @ axes.T) @ current.matrices[t]
    stretch = pucker.stretch(reference, current.matrices)
    field = pucker.CompressionField(body.mesh, body.rest, stretch)
    found = pucker.Tracer(body.mesh, given).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)[0]
    return found, metrics.sharpest_bends(found, body.mesh.faces, body.rest)


def test_a_straight_path_and_a_ring_round_a_tube_do_not_bend(rng):
    given = pucker.Params(min_width=WIDTH)
    flat = sheet(rng)
    squeezed = flat.rest @ squeeze(0.3, 1.5)
    bends = metrics.sharpest_bends(paths(flat, squeezed, given), flat.mesh.faces, squeezed)
    assert len(bends) > 5
    assert bends.max() < 1e-5
    body = tube()
    short = body.rest * [1.0, 1.0, 0.6]
    for turn in (np.eye(3), rotation(rng)):
        bends = metrics.sharpest_bends(paths(body, short @ turn, given), body.mesh.faces, short @ turn)
        assert len(bends) > 3
        assert bends.max() < 1e-5


def test_a_circle_bends_by_its_curvature():
    # Shortened along the radius, cloth folds in circles.
    angle, radius = (each.ravel() for each in np.meshgrid(2 * np.pi * np.arange(96) / 96, np.linspace(0.6, 1.4, 24)))
    rest = np.stack([radius * np.cos(angle), radius * np.sin(angle), 0.0 * angle], axis=1)
    body = shape(grid_faces(96, 23, closed=True), rest)
    current = rest / np.sqrt(radius)[:, None]
    given = pucker.Params.ridges().replace(min_width=WIDTH, tracing={"bend": 0.0})
    found = paths(body, current, given)
    assert len(found) > 5
    distance = np.array([np.linalg.norm(wrinkle.points, axis=1).mean() for wrinkle in found])
    width = np.array([wrinkle.knot_widths.max() for wrinkle in found])
    bends = metrics.sharpest_bends(found, body.mesh.faces, current, widths=10.0)
    assert np.median(bends / np.degrees(10.0 * width / distance)) == pytest.approx(1.0, abs=0.25)


def test_mirrored_and_permuted_cloth_bends_alike(rng):
    body = sheet(rng)
    positions = body.rest @ squeeze(0.3, 1.5)
    positions[:, 2] = 0.1 * np.sin(7 * positions[:, 0])
    given = pucker.Params(min_width=WIDTH)
    found = paths(body, positions, given)
    bends = metrics.sharpest_bends(found, body.mesh.faces, positions)
    assert bends.max() > 1.0
    mirrored = positions * [-1.0, 1.0, 1.0]
    wrinkles = paths(shape(body.mesh.faces, body.rest * [-1.0, 1.0, 1.0]), mirrored, given)
    assert len(wrinkles) == len(found)
    with pytest.raises(ValueError, match="widths must be positive, not 0"):
        metrics.sharpest_bends(found, body.mesh.faces, positions, widths=0.0)


def test_the_way_in_which_triangles_are_wound_does_not_matter(rng):
    free = pucker.Params(min_width=WIDTH, tracing={"bend": 0.0})
    body = sheet(rng, cells=24)
    positions = body.rest @ squeeze(0.3, 1.5)
    positions[:, 2] = 0.1 * np.sin(7 * positions[:, 0])
    found = paths(body, positions, free)
    faces = np.array(body.mesh.faces)
    turned = np.where(rng.random(len(faces))[:, None] < 0.5, faces[:, ::-1], faces)
    bends = metrics.sharpest_bends(found, faces, positions)
    assert len(found) > 5
    assert bends.max() > 1.0
    np.testing.assert_allclose(metrics.sharpest_bends(found, turned, positions), bends, atol=1e-9)


@pytest.mark.parametrize("spread", [60.0, 89.0])
def test_no_path_over_triangles_that_are_wound_at_random_bends_more_sharply(rng, spread):
    given = pucker.Params(min_width=WIDTH)
    found, bends = noisy(rng, spread, given, wound=rng.random(2 * 24 * 24) < 0.5)
    assert len(found) > 3 or spread > 60.0
    assert (bends <= SHARP).all()


@pytest.mark.parametrize("spread", [30.0, 60.0, 89.0])
def test_no_path_is_traced_that_bends_more_sharply_than_its_width_allows(rng, spread):
    found, bends = noisy(rng, spread, pucker.Params(min_width=WIDTH))
    assert len(found) > 3 or spread > 60.0
    assert (bends <= SHARP).all()
    _, free = noisy(rng, spread, pucker.Params(min_width=WIDTH, tracing={"bend": 0.0}))
    _, printed = noisy(rng, spread, pucker.Params(min_width=WIDTH, verbatim=True))
    least = 0.2 if spread > 30.0 else -1.0  # which bends no path so much, but each by some
    assert min((free > SHARP).mean(), (printed > SHARP).mean()) > least
    assert np.median(bends) < np.median(free)


@pytest.mark.parametrize(
    ("name", "clip"), [("kimono_male.gltf", "Run"), ("mage.glb", "Sit_Floor_Down"), ("cowboy.dae", None)]
)
def test_paths_of_a_character_do_not_come_to_bend_more_sharply(data_dir: Path, name, clip):
    character = pucker.load(data_dir / name, **({"clip": clip} if clip else {}), parts=PARTS[name])
    shares = {}
    for bend in (0.0, 45.0):
        bends = []
        given = pucker.Params(tracing={"bend": bend}).for_height(character.height)
        for state in pucker.run(character, given):
            # As high as a quarter of the smallest width, which is narrower on a thin limb.
            living = [
                w for w in state.wrinkles if w.alive and w.knot_heights.max() > 0.25 / np.pi * w.knot_widths.max()
            ]
            bends += metrics.sharpest_bends(living, character.mesh.faces, state.positions).tolist()
        assert len(bends) > 300
        shares[bend] = float((np.array(bends) > SHARP).mean())
    assert shares[0.0] > 0.1
    assert shares[45.0] < 0.005
