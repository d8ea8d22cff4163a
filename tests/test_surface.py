"""The wrinkled surface point by point, against the same formulas in NumPy, and meshes with divided edges."""

import itertools
import threading
from dataclasses import replace

import numpy as np
import pytest
import render_scenes as scenes

import pucker
from pucker.examples import bending_sleeve

SCENES = ("straight", "curved", "crossing", "ends", "medial axis")


def places(faces, rng, count):
    """Random points: triangles (count,) and barycentric coordinates (count, 3)."""
    return rng.integers(len(faces), size=count), rng.dirichlet(np.ones(3), size=count)


def flat_points(name, kind, rng, count=4000):
    faces, positions = scenes.grid(8)
    paths = scenes.PATHS[name]
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.__members__[kind])
    packed = scenes.pack_everywhere(len(faces), paths)
    return surface.evaluate(positions, packed, *places(faces, rng, count)), paths


def sleeve_frame():
    clip = bending_sleeve(10, 16)
    wrinkler = pucker.Wrinkler(clip.mesh, pucker.Params(min_width=0.015))
    for frame in itertools.islice(clip, 16):
        state = wrinkler.advance(frame.positions, frame.time)
    return clip.mesh, frame.positions, state.packed


@pytest.mark.parametrize("kind", scenes.PROFILES)
@pytest.mark.parametrize("name", SCENES)
def test_offsets_are_those_of_the_formulas(name, kind, rng):
    points, paths = flat_points(name, kind, rng)
    expected = scenes.surface_offset(points.base, paths, kind)
    assert np.abs(expected).max() > 0.02
    np.testing.assert_allclose(points.offsets, expected, atol=1e-10)
    np.testing.assert_allclose(points.positions, points.base + expected[:, None] * [0, 0, 1], atol=1e-10)


def test_offsets_are_those_of_the_formulas_on_a_curved_surface(rng):
    faces, positions, paths = scenes.sphere_scene()
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.bspline)
    points = surface.evaluate(positions, scenes.pack_everywhere(len(faces), paths), *places(faces, rng, 4000))
    expected = scenes.surface_offset(points.base, paths, "bspline")
    assert (expected > 0.01).sum() > 200
    np.testing.assert_allclose(points.offsets, expected, atol=1e-10)


@pytest.mark.parametrize("kind", scenes.PROFILES)
@pytest.mark.parametrize("name", ["straight", "curved"])
def test_normals_are_those_of_the_displaced_surface(name, kind, rng):
    points, paths = flat_points(name, kind, rng)
    wrinkled = points.offsets != 0.0
    expected = scenes.displaced_normals(points.base[wrinkled], paths, kind)
    assert scenes.degrees_between(expected, [0, 0, 1]).max() > 20.0
    # Finite differences over a millionth miss the kinks between pieces of the curve by a little.
    assert scenes.degrees_between(points.normals[wrinkled], expected).max() < 0.5
    np.testing.assert_array_equal(points.normals[~wrinkled], points.base_normals[~wrinkled])


def test_a_wrinkle_on_few_large_triangles_has_no_bands_across_it():
    faces, positions = scenes.grid(1)
    rows = scenes.constant_path(np.array([[-0.9, 0.0, 0.0], [0.9, 0.0, 0.0]]), 0.2, 0.0)
    rows[:, 13] = 0.1  # in the middle of the only segment
    # Along the flank, where the height's slope tilts the normal most.
    at = np.stack([np.linspace(-0.85, 0.85, 4001), np.full(4001, 0.03), np.zeros(4001)], axis=1)
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.bspline)
    packed = scenes.pack_everywhere(len(faces), [rows])
    for triangle in range(len(faces)):
        corners = positions[faces[triangle]]
        weights = np.linalg.solve(
            np.vstack([corners[:, :2].T, np.ones(3)]), np.vstack([at[:, :2].T, np.ones(len(at))])
        ).T
        inside = (weights >= 0).all(axis=1)
        found = surface.evaluate(positions, packed, np.full(inside.sum(), triangle), weights[inside])
        turns = scenes.degrees_between(found.normals[1:], found.normals[:-1])
        assert found.offsets.max() > 0.05
        # Straight between the samples it would jump by several degrees.
        assert turns.max() < 0.1


def test_normals_of_several_wrinkles_are_averaged_with_their_offsets_as_weights(rng):
    points, paths = flat_points("crossing", "bspline", rng)
    offsets = np.stack([scenes.path_offset(points.base, scenes.refine(rows), "bspline") for rows in paths])
    both = (offsets > 0.0).all(axis=0)
    assert both.sum() > 20
    expected = sum(
        offset[both, None] * scenes.displaced_normals(points.base[both], [rows], "bspline")
        for offset, rows in zip(offsets, paths, strict=True)
    )
    expected /= np.linalg.norm(expected, axis=1)[:, None]
    assert scenes.degrees_between(points.normals[both], expected).max() < 0.5


def test_the_surface_moves_with_its_mesh_and_its_unit(rng):
    mesh, positions, packed = sleeve_frame()
    at = places(mesh.faces, rng, 2000)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    turn *= np.sign(np.linalg.det(turn))
    moved = packed.points.copy()
    for columns in (slice(0, 3), slice(4, 7), slice(8, 11)):
        moved[:, columns] = packed.points[:, columns] @ turn.T
    moved[:, [0, 1, 2, 3, 7, 11, 12, 13]] *= 8.0
    still = pucker.WrinkledSurface(mesh).evaluate(positions, packed, *at)
    other = pucker.WrinkledSurface(mesh).evaluate(
        8.0 * positions @ turn.T, scenes.Packed(packed.triangles, packed.overlaps, moved), *at
    )
    assert still.offsets.max() > 0.003
    np.testing.assert_allclose(other.offsets, 8.0 * still.offsets, atol=1e-5)
    assert np.median(scenes.degrees_between(other.normals, still.normals @ turn.T)) < 1e-3


@pytest.mark.parametrize("kind", scenes.PROFILES)
def test_without_wrinkles_the_surface_is_the_mesh(kind, rng):
    faces, positions = scenes.icosphere(1)
    empty = scenes.Packed(np.zeros((len(faces), 2)), np.zeros((0, 2)), np.zeros((0, 16)))
    at = places(faces, rng, 100)
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)), pucker.Profile.__members__[kind])
    points = surface.evaluate(positions, empty, *at)
    np.testing.assert_allclose(points.base, np.einsum("kc,kcd->kd", at[1], positions[faces[at[0]]]), atol=1e-15)
    np.testing.assert_array_equal(points.positions, points.base)
    np.testing.assert_array_equal(points.normals, points.base_normals)
    assert not points.offsets.any()


def test_both_triangles_of_an_edge_place_its_points_alike(rng):
    mesh, positions, packed = sleeve_frame()
    fine = pucker.Subdivision(mesh, rng.integers(1, 12, len(mesh.edges)))
    surface = pucker.WrinkledSurface(mesh)
    once = surface.evaluate(positions, packed, fine.triangles, fine.barycentrics)
    each = surface.evaluate(positions, packed, np.repeat(fine.source, 3), fine.corners.reshape(-1, 3))
    assert once.offsets.max() > 0.003
    np.testing.assert_allclose(once.positions[fine.faces.ravel()], each.positions, atol=1e-10)
    np.testing.assert_allclose(once.normals[fine.faces.ravel()], each.normals, atol=1e-6)


def test_the_shape_of_packed_arrays_may_come_from_anywhere(rng):
    mesh, positions, packed = sleeve_frame()
    at = places(mesh.faces, rng, 200)
    copied = scenes.Packed(packed.triangles.astype(float), packed.overlaps.tolist(), np.asfortranarray(packed.points))
    surface = pucker.WrinkledSurface(mesh)
    one, other = (surface.evaluate(positions, given, *at).positions for given in (packed, copied))
    np.testing.assert_array_equal(one, other)


@pytest.mark.threads
def test_threads_may_share_a_surface(rng):
    mesh, positions, packed = sleeve_frame()
    at = places(mesh.faces, rng, 5000)
    surface = pucker.WrinkledSurface(mesh)
    expected = surface.evaluate(positions, packed, *at).positions
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(surface.evaluate(positions, packed, *at).positions))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((positions == expected).all() for positions in found)
    assert len(found) == 4


STRAIGHT, WAVE = scenes.PATHS["straight"][0], scenes.PATHS["curved"][0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda p: replace(p, points=p.points[:, :15]), r"packed points must have shape \(any, 16\), got \(20, 15\)"),
        (lambda p: replace(p, triangles=p.triangles[:1]), r"one row a triangle: 2, got 1"),
        (lambda p: replace(p, triangles=[[2, 0], [2, -1]]), r"packed triangles must be at least 0, but row 1 has -1"),
        (lambda p: replace(p, triangles=[[2, 0], [2, 9]]), r"triangle 1 reads packed overlaps up to 11 of 2 rows"),
        (lambda p: p.points.__setitem__((4, 2), np.nan), r"packed points must be finite, but point 4 is not"),
        (lambda p: p.overlaps.__setitem__((0, 1), 12), r"packed overlap 0 joins two paths: \[0, 12\]"),
        (lambda p: p.points.__setitem__((3, 3), 0.0), r"widths of packed points must be positive, .* point 3 is 0"),
        (lambda p: p.points.__setitem__((3, 7), -1), r"heights of packed points must be at least 0, .* point 3 is -1"),
        (lambda p: p.points.__setitem__((3, 11), 9.0), r"increase strictly from 0 along a path, but that of point 4"),
        (lambda p: p.points.__setitem__((0, 11), 0.01), r"increase strictly from 0 along a path, but that of point 0"),
    ],
)
def test_packed_wrinkles_that_break_a_rule_are_refused(change, message):
    faces, positions = scenes.grid(1)
    packed = scenes.pack_everywhere(2, [STRAIGHT, WAVE])
    packed = change(packed) or packed
    mesh = pucker.Mesh(faces, len(positions))
    with pytest.raises(ValueError, match=message):
        pucker.WrinkledSurface(mesh).evaluate(positions, packed, [0], [[1, 0, 0]])
    with pytest.raises(ValueError, match=message):
        pucker.edge_levels(mesh, positions, packed, 0.1)


@pytest.mark.parametrize(
    ("triangles", "barycentrics", "message"),
    [
        ([0, 2], np.eye(3)[:2], r"triangles must lie in \[0, 2\), but triangles\[1\] is 2"),
        ([0], np.eye(3), r"barycentrics must have shape \(1, 3\), got \(3, 3\)"),
        ([0], [[0.5, 0.6, 0.0]], r"those of point 0 are"),
        ([0], [[1.5, -0.5, 0.0]], r"those of point 0 are"),
        ([0], [[np.nan, 0.5, 0.5]], r"those of point 0 are"),
    ],
)
def test_points_outside_of_the_mesh_are_refused(triangles, barycentrics, message):
    faces, positions = scenes.grid(1)
    surface = pucker.WrinkledSurface(pucker.Mesh(faces, len(positions)))
    with pytest.raises(ValueError, match=message):
        surface.evaluate(positions, scenes.pack_everywhere(2, [WAVE]), triangles, barycentrics)


def test_edge_levels_divide_what_is_reached_as_finely_as_asked():
    mesh, positions, packed = sleeve_frame()
    levels = pucker.edge_levels(mesh, positions, packed, 0.006)
    lengths = np.linalg.norm(np.diff(positions[mesh.edges], axis=1)[:, 0], axis=1)
    reached = np.unique(mesh.triangle_edges[packed.triangles[:, 0] > 0])
    np.testing.assert_array_equal(levels[reached], np.clip(np.ceil(lengths[reached] / 0.006), 1, 64))
    assert (np.delete(levels, reached) == 1).all()
    assert len(np.unique(levels)) > 5
    assert pucker.edge_levels(mesh, positions, packed, 1e-4, limit=7).max() == 7


def edges_of(faces):
    """Directed edges of faces, and how often each occurs."""
    directed = np.stack([faces, np.roll(faces, -1, axis=1)], axis=2).reshape(-1, 2)
    return np.unique(directed, axis=0, return_counts=True)


@pytest.mark.parametrize("most", [1, 2, 3, 5, 24])
def test_a_subdivision_of_a_closed_mesh_is_closed_and_oriented(most, rng):
    faces, positions = scenes.icosphere(1)
    mesh = pucker.Mesh(faces, len(positions))
    fine = pucker.Subdivision(mesh, rng.integers(1, most + 1, len(mesh.edges)))
    directed, counts = edges_of(fine.faces)
    assert (counts == 1).all()
    assert {tuple(edge) for edge in directed} == {tuple(edge[::-1]) for edge in directed}
    # Euler's number of a ball's surface.
    assert len(fine.triangles) - len(directed) // 2 + len(fine.faces) == 2


@pytest.mark.parametrize("most", [1, 2, 3, 5, 24])
def test_the_faces_of_a_subdivision_share_out_each_triangle(most, rng):
    mesh, _, _ = sleeve_frame()
    fine = pucker.Subdivision(mesh, rng.integers(1, most + 1, len(mesh.edges)))
    a, b, c = np.moveaxis(fine.corners, 1, 0)
    areas = np.cross(b - a, c - a)[:, 0]
    assert (areas > 0.0).all()
    np.testing.assert_allclose(np.bincount(fine.source, areas), 1.0, atol=1e-12)


def test_values_at_corners_follow_their_own_triangle(rng):
    mesh, positions, _ = sleeve_frame()
    fine = pucker.Subdivision(mesh, rng.integers(1, 9, len(mesh.edges)))
    vertices = np.einsum("kc,kcd->kd", fine.barycentrics, positions[mesh.faces[fine.triangles]])
    corners = np.einsum("fkc,fcd->fkd", fine.corners, positions[mesh.faces[fine.source]])
    np.testing.assert_allclose(vertices[fine.faces], corners, atol=1e-14)


def test_one_level_for_all_edges_divides_all_alike():
    mesh, _, _ = sleeve_frame()
    fine = pucker.Subdivision(mesh, 6)
    assert len(fine.faces) == 36 * len(mesh.faces)
    np.testing.assert_array_equal(pucker.Subdivision(mesh, 1).faces, mesh.faces)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (0, r"levels must be at least 1, but levels\[0\] is 0"),
        ([1, 2], r"levels must have shape \(5,\), got \(2,\)"),
        ([1, 2, -3, 1, 1], r"levels\[2\] is -3"),
        (1.5, "levels must hold whole numbers of 32 bits, got 1.5"),
        (100_000, "a subdivision may have at most 2147483647 vertices"),
    ],
)
def test_levels_that_are_none_are_refused(levels, message):
    faces, positions = scenes.grid(1)
    with pytest.raises(ValueError, match=message):
        pucker.Subdivision(pucker.Mesh(faces, len(positions)), levels)
