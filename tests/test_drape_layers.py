"""Layers of one garment: which vertices another layer covers, and that none of them comes through it."""

import numpy as np
import pytest
from computed_cloth import ShownCloth, apart
from draped_bodies import tube, two_sleeves

import pucker
from pucker import drape
from pucker.byexample import LoopSubdivision

PICTURE_SIDE = 48
PARAMS = drape.Params(levels=2)


def outer(subdivision):
    """(N,) whether a fine vertex is the outer sleeve's."""
    rows = subdivision.barycentrics
    return rows.indices[rows.indptr[:-1]] < rows.shape[1] // 2


def through(clip, params):
    """The shares of the outer sleeve's vertices that lie beneath the inner one, in all frames: of cloth and guide."""
    igl = pytest.importorskip("igl")
    shares = []
    for state in pucker.run(clip, params):
        is_outer, faces = outer(state.detail.subdivision), state.detail.subdivision.fine.faces
        inner = np.ascontiguousarray(faces[~is_outer[faces].any(axis=1)], dtype=np.int64)
        for points in (np.array(state.draped), np.array(state.guide)):
            _, nearest, places = igl.point_mesh_squared_distance(points[is_outer], points, inner)
            a, b, c = (points[inner[nearest][:, k]] for k in range(3))
            up = np.einsum("td,td->t", points[is_outer] - places, np.cross(b - a, c - a))
            shares.append(np.mean(up < 0.0))
    return np.reshape(shares, (-1, 2)).mean(axis=0)


def test_a_sleeve_does_not_come_through_the_one_over_it():
    clip = two_sleeves()
    loose, in_guide = through(clip, PARAMS.replace(layers=False))
    kept, _ = through(clip, PARAMS)
    gained, _ = through(clip, PARAMS.replace(gain=2.0))
    assert loose > 5.0 * in_guide
    assert loose > 0.01
    assert max(kept, gained) <= 1.1 * in_guide


def test_what_is_covered_is_what_rays_of_another_library_find_hidden():
    igl = pytest.importorskip("igl")
    clip = two_sleeves(frames=2)
    subdivision = LoopSubdivision(clip.mesh, 1)
    layers = drape.Layers(subdivision, clip.positions[0], PARAMS)
    faces, points = subdivision.fine.faces.astype(np.int64), subdivision.matrix @ clip.positions[0]
    normals = pucker.vertex_normals(subdivision.fine, points)
    extent = np.ptp(points, axis=0).max()
    rng = np.random.default_rng(5)

    def opened(vertex):
        """By rays that are thrown at random, by the cosine to the normal."""
        ways = rng.normal(size=(200, 3))
        ways = ways / np.linalg.norm(ways, axis=1)[:, None] + (1.0 + 1e-9) * normals[vertex]
        start = points[vertex] + 1e-4 * extent * normals[vertex]
        return np.mean([not igl.ray_mesh_intersect(start, way, points, faces) for way in ways])

    covered = layers.vertices[layers.shares == 1.0]
    assert not layers.other_side.any()
    assert not outer(subdivision)[covered].any()
    assert len(covered) > 0.6 * np.sum(~outer(subdivision))
    for vertex in rng.choice(covered, 20, replace=False):
        hits = igl.ray_mesh_intersect(points[vertex] + 1e-6 * normals[vertex], normals[vertex], points, faces)
        first = min(hits, key=lambda hit: hit[1])
        (k,) = np.flatnonzero((layers.vertices == vertex) & (layers.shares == 1.0))
        place = layers.barycentrics[k] @ points[layers.corners[k]]
        np.testing.assert_allclose(place, points[vertex] + first[1] * normals[vertex], atol=2e-6)
        assert opened(vertex) < 0.15
    for vertex in rng.choice(np.flatnonzero(outer(subdivision)), 10, replace=False):
        assert opened(vertex) > 0.5


def test_places_over_what_has_slid_are_those_that_rays_of_another_library_meet():
    igl = pytest.importorskip("igl")
    clip = two_sleeves(frames=2)
    subdivision = LoopSubdivision(clip.mesh, 1)
    layers = drape.Layers(subdivision, clip.positions[0], PARAMS)
    cut = subdivision.matrix @ clip.positions[0]
    guide = cut.copy()
    # The inner sleeve slides along and turns, by several triangles.
    guide[~outer(subdivision)] = (cut @ [[0.98, 0.0, 0.199], [0.0, 1.0, 0.0], [-0.199, 0.0, 0.98]] + [0.0, 0.12, 0.0])[
        ~outer(subdivision)
    ]
    corners, barycentrics = layers.over(guide)
    assert np.mean(corners == layers.corners) < 0.1
    np.testing.assert_allclose(barycentrics.sum(axis=1), 1.0, atol=1e-12)
    assert barycentrics.min() >= 0.0
    assert outer(subdivision)[corners].all()
    places = np.einsum("kc,kcd->kd", barycentrics, guide[corners])
    a, b, c = (guide[corners[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.linalg.norm(normals, axis=1)[:, None]
    faces = subdivision.fine.faces.astype(np.int64)
    faces = np.ascontiguousarray(faces[outer(subdivision)[faces].all(axis=1)])
    met = 0
    for k in np.flatnonzero(layers.shares == 1.0)[::7]:
        hits = igl.ray_mesh_intersect(guide[layers.vertices[k]], normals[k], guide, faces)
        if not hits:  # beyond the border
            continue
        met += 1
        first = min(hits, key=lambda hit: hit[1])
        np.testing.assert_allclose(places[k], guide[layers.vertices[k]] + first[1] * normals[k], atol=2e-6)
    assert met > 100
    # In the cut pose they are those of the cut pose, but where two triangles are over a vertex alike.
    at_rest = places_of(layers.over(cut), cut) - places_of((layers.corners, layers.barycentrics), cut)
    assert np.linalg.norm(at_rest, axis=1)[layers.shares == 1.0].max() < 2e-3


def places_of(over, points):
    corners, barycentrics = over
    return np.einsum("kc,kcd->kd", barycentrics, points[corners])


def test_cloth_over_cloth_keeps_room_for_it_on_the_body():
    # The cut is an eighth of the length off the body, so that it comes near only when it is narrower.
    faces, arm = tube(0.1, -0.6, 0.6)
    clip = two_sleeves(frames=2)
    narrow = clip.positions[0] * [0.7, 1.0, 0.7]
    body = drape.Body(faces, np.array([arm, arm]), arm)
    run = drape.Drape(clip.mesh, clip.positions[0], PARAMS, body=body)
    run.advance(clip.positions[0], 0.0)
    state = run.advance(narrow, 0.1)
    is_outer = outer(state.detail.subdivision)
    middle = np.abs(state.draped[:, 1]) < 0.3
    radius = np.linalg.norm(state.draped[:, [0, 2]], axis=1)
    clearance = PARAMS.clearance * state.lengths.extent
    # The arm's facets lie within its circle by half a hundredth.
    assert radius[middle & ~is_outer].min() > 0.995 * 0.1 + 0.9 * clearance
    assert radius[middle & is_outer].min() > 0.995 * 0.1 + 1.8 * clearance


@pytest.mark.usefixtures("no_gl_error")
@pytest.mark.parametrize("worn", [False, True])
def test_programs_keep_layers_as_the_core_does(renderer, worn):
    clip = two_sleeves(frames=7)
    # On an arm, which is as wide as the inner sleeve is in some frames, and widens.
    faces, arm = tube(0.1, -0.6, 0.6)
    # Turned a little, so that it is decided which place of it is nearest.
    arm = arm @ [[0.998, 0.0, 0.05], [0.0, 1.0, 0.0], [-0.05, 0.0, 0.998]] + [0.003, 0.0, 0.001]
    arms = np.array([arm * [1.0 + 0.05 * k, 1.0, 1.0 + 0.05 * k] for k in range(len(clip))])
    body = drape.Body(faces, arms, arm) if worn else None
    alone = {"levels": 1, "swing": 0.0, "memory": 0.0, "iterations": 3, "settling": 1, "tolerance": 0.0}
    found, worst, lifted = [], [], 0
    for on in (False, True):
        given = {"params": PARAMS.replace(layers=on, **alone), "body": body}
        core = drape.Drape(clip.mesh, clip.positions[0], **given)
        given["params"] = given["params"].replace(compute="gpu")
        run = drape.ComputedDrape(clip.mesh, clip.positions[0], **given)
        shown = ShownCloth(renderer, clip.mesh)
        # Later the core itself goes where rounding of the guide leads it.
        for positions, time in zip(clip.positions[:5], clip.times[:5], strict=True):
            places, _ = shown.show(run.advance(positions, time))
            state = core.advance(positions, time)
            worst.append(apart(places, state))
            lifted += int(state.on_body.sum())
        found.append(places)
    # As near as without layers, where contact on an arm has its own rounding.
    without, kept = np.max(np.reshape(worst, (2, -1)), axis=1)
    assert without < (3e-4 if worn else 2e-5)
    assert kept < max(2e-5, 2.0 * without)
    assert np.abs(found[0] - found[1]).max() > 1e-3
    assert (lifted > 0) == worn


def test_layers_refuse_what_does_not_fit():
    clip = two_sleeves(frames=2)
    subdivision = LoopSubdivision(clip.mesh, 1)
    layers = drape.Layers(subdivision, clip.positions[0], PARAMS)
    fine = subdivision.matrix @ clip.positions[0]
    np.testing.assert_array_equal(layers.keep(fine, fine), fine)
    with pytest.raises(ValueError, match="guide"):
        layers.keep(fine[1:], fine)
    with pytest.raises(ValueError, match="fine"):
        layers.keep(fine, fine[1:])
    with pytest.raises(ValueError, match="guide"):
        layers.over(fine[1:])
    with pytest.raises(ValueError, match="pinned"):
        drape.Layers(subdivision, clip.positions[0], PARAMS, pinned=[True])
    pinned = np.ones(len(fine), dtype=bool)
    assert len(drape.Layers(subdivision, clip.positions[0], PARAMS, pinned).vertices) == 0
