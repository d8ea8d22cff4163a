"""Draped cloth and the body that wears it."""

import itertools
import pickle

import numpy as np
import pytest
from draped_bodies import CLOTHES, FACES, FLAT, MESH, PARAMS, ball, body, box, tube

import pucker
from pucker import drape
from pucker.byexample import LoopSubdivision
from pucker.method import start
from pucker.replay import Replay


def test_distances_are_those_of_another_library():
    igl = pytest.importorskip("igl")
    faces, points = ball()
    contact = drape.Contact(drape.Body(faces, points[None]), LoopSubdivision(MESH, 1), FLAT, PARAMS)
    assert contact.solid == len(faces)
    rng = np.random.default_rng(3)
    directions = rng.normal(size=(len(contact.room), 3))
    asked = rng.uniform(0.9, 1.1, (len(directions), 1)) * directions / np.linalg.norm(directions, axis=1)[:, None]
    found = contact.distances(asked)
    truth = np.asarray(igl.signed_distance(asked, points, faces)[0])
    near = np.isfinite(found)
    assert near.sum() > 100
    np.testing.assert_allclose(found[near], truth[near], atol=1e-12)
    # Within the ball by more than the reach, or outside by more than the clearance, nothing is looked for.
    assert np.abs(truth[~near]).min() > 0.01
    lifted = contact.lift(asked)
    truth = np.asarray(igl.signed_distance(lifted, points, faces)[0])
    extent = np.ptp(FLAT, axis=0).max()
    assert truth[near].min() > 0.01 * extent - 1e-9
    np.testing.assert_array_equal(lifted[~near], asked[~near])


def test_a_sheet_lies_on_a_ball_that_rises_through_it():
    run = drape.Drape(MESH, FLAT, PARAMS, body=body())
    free = drape.Drape(MESH, FLAT, PARAMS)
    for k in range(4):
        lying, through = run.advance(FLAT, k / 30), free.advance(FLAT, k / 30)
        top = [0.0, 0.1 * k, 0.0]
        # The ball's facets lie within it by less than a hundredth.
        assert np.linalg.norm(lying.draped - top, axis=1).min() > 0.99 + 0.01 * 3.0
    assert np.linalg.norm(through.draped - top, axis=1).min() < 0.9
    # What is far away stays where it would be.
    edge = np.abs(lying.guide[:, [0, 2]]).max(axis=1) > 1.4
    np.testing.assert_allclose(lying.draped[edge], through.draped[edge], atol=0.1)
    assert np.abs(lying.draped[edge, 1] - 1.05).max() < 0.1


def test_what_a_gain_adds_stays_out_of_the_body():
    faces, points = ball()
    ground = points * [40.0, 1.0, 40.0]
    run = drape.Drape(MESH, FLAT, PARAMS.replace(gain=3.0), body=drape.Body(faces, ground[None], ground))
    waves = np.sin(5.0 * FLAT[:, :1] + 2.0 * FLAT[:, 2:])
    state = run.advance(FLAT * [0.8, 1.0, 0.8] + 0.02 * waves * [0.0, 1.0, 0.0], 0.0)
    contact = drape.Contact(run.body, state.detail.subdivision, FLAT, PARAMS)
    normals = pucker.vertex_normals(state.detail.subdivision.fine, state.guide)
    contact.step(0)
    contact.set_guide(state.guide, normals)
    heights = ((state.balanced - state.guide) * normals).sum(axis=1, keepdims=True)
    through = state.balanced + 2.0 * heights * normals
    assert contact.distances(through).min() < -0.02
    for points in (state.balanced, state.draped):
        assert (contact.distances(points) >= contact.room - 1e-9).all()


def test_what_is_cut_within_the_body_stays_there_and_what_has_no_back_does_not_count():
    faces, points = ball()
    low = FLAT - [0.0, 0.2, 0.0]
    contact = drape.Contact(drape.Body(faces, points[None]), LoopSubdivision(MESH, 1), low, PARAMS)
    assert contact.room.min() == pytest.approx(-0.16, abs=0.03)
    fine = LoopSubdivision(MESH, 1).matrix @ low
    np.testing.assert_allclose(contact.lift(fine), fine, atol=0.02)
    half = faces[(points[faces][:, :, 1] > -1e-9).all(axis=1)]
    dome = drape.Contact(drape.Body(half, points[None]), LoopSubdivision(MESH, 1), FLAT, PARAMS)
    assert dome.solid == 0
    assert np.isinf(dome.distances(fine)).all()


@pytest.mark.parametrize(("radius", "stays"), [(0.96, True), (1.04, False)])
def test_what_is_cut_behind_an_open_border_may_go_behind_it(radius, stays):
    # Trousers that end below a belt, inside of it or outside; then they slip up.
    faces, belt = tube(1.0, 0.0, 0.5)
    garment, trousers = tube(radius, -1.5, -0.1)
    subdivision = LoopSubdivision(pucker.Mesh(garment, len(trousers)), 1)
    contact = drape.Contact(
        drape.Body(faces, belt[None], belt), subdivision, trousers, drape.Params(levels=1, clearance=0.05)
    )
    assert contact.solid == len(faces)
    fine = subdivision.matrix @ trousers + [0.0, 0.4, 0.0]
    lifted = contact.lift(fine)
    assert (np.abs(lifted - fine).max() == 0) == stays


def test_what_comes_in_by_an_opening_is_not_pushed_through_the_wall():
    # A boot's shaft that ends below a cuff, wider than it; then it is narrower and slips into the cuff, by less than it is from the wall.
    faces, cuff = tube(1.0, 0.0, 0.5)
    garment, shaft = tube(1.04, -1.5, -0.1)
    subdivision = LoopSubdivision(pucker.Mesh(garment, len(shaft)), 1)
    contact = drape.Contact(
        drape.Body(faces, cuff[None], cuff), subdivision, shaft, drape.Params(levels=1, clearance=0.05)
    )
    narrow = subdivision.matrix @ shaft * [0.93, 1.0, 0.93]
    for slipped, stays in ((0.12, True), (0.4, False)):
        fine = narrow + np.array([0.0, slipped, 0.0])
        assert (np.abs(contact.lift(fine) - fine).max() == 0) == stays


def test_what_goes_in_through_the_wall_beside_an_opening_is_taken_out_again():
    # A collar round a neck that is open at its foot, which the cloth is drawn into by more than it is from the opening.
    faces, neck = tube(1.0, 0.0, 0.8, across=64, along=16)
    garment, collar = tube(1.06, -0.5, 0.2, across=64, along=16)
    subdivision = LoopSubdivision(mesh := pucker.Mesh(garment, len(collar)), 1)
    params = drape.Params(levels=1, clearance=0.005)
    contact = drape.Contact(drape.Body(faces, neck[None], neck), subdivision, collar, params)
    guide = subdivision.matrix @ collar
    over, lower = guide[:, 1] > 0.02, guide[:, 1] < -0.02
    drawn_in = guide * np.where(over, 0.85, 1.0)[:, None] ** [1.0, 0.0, 1.0]
    contact.step(0)
    np.testing.assert_array_equal(contact.lift(drawn_in)[over & (guide[:, 1] < 0.14)][:, 1] > 0.0, True)
    contact.set_guide(guide, pucker.vertex_normals(subdivision.fine, guide))
    lifted = contact.lift(drawn_in)
    radii = np.hypot(lifted[:, 0], lifted[:, 2])
    # The flat sides of 64 are within the circle by 0.0012.
    room = params.clearance * np.ptp(collar, axis=0).max()
    assert radii[over].min() > 0.9987 + 0.9 * room
    np.testing.assert_array_equal(lifted[lower], drawn_in[lower])
    # What the guide itself has in the opening stays there.
    contact.step(0)
    contact.set_guide(drawn_in, pucker.vertex_normals(subdivision.fine, drawn_in))
    beside = over & (guide[:, 1] < 0.12)
    np.testing.assert_array_equal(contact.lift(drawn_in)[beside], drawn_in[beside])
    assert mesh.vertex_count == len(collar)


def test_what_the_body_folds_over_stays_inside_with_its_guide():
    """A hem below a thigh, which the shin goes through where the knee is bent: it is nearer to the thigh than to the front of the shin."""
    thigh, shin = (box(*corners) for corners in (((-1, -0.5, -1), (1, 0, 1)), ((0, -2, -1), (0.1, -0.4, 1))))
    faces = np.concatenate([thigh[0], shin[0] + len(thigh[1])])
    straight, bent = (np.concatenate([thigh[1], shin[1] + [0, by, 0]]) for by in (-3.0, 0.0))
    params = drape.Params(levels=1, clearance=0.0005)
    cut = FLAT * [0.25, 0.0, 0.25] + [0.0, -0.512, 0.0]
    subdivision = LoopSubdivision(MESH, 1)
    contact = drape.Contact(drape.Body(faces, bent[None], straight), subdivision, cut, params)
    guide = subdivision.matrix @ cut
    contact.step(0)
    contact.set_guide(guide, np.tile([0.0, -1.0, 0.0], (len(guide), 1)))
    within = (guide[:, 0] > 0.02) & (guide[:, 0] < 0.08)
    behind = (guide[:, 0] < -0.01) & (guide[:, 0] > -0.1)
    assert within.sum() > 5
    assert behind.sum() > 5
    for which, stays in ((within, True), (behind, False)):
        drawn = guide.copy()
        # Just behind the front of the shin, and just behind its back.
        drawn[which, 0] = 0.095 if stays else 0.005
        assert (contact.distances(drawn)[which] < 0.0).all()
        lifted = contact.lift(drawn)
        assert (np.abs(lifted - drawn).max(axis=1)[which] == 0.0).all() == stays


def test_a_piece_of_which_most_has_a_back_is_solid_and_one_of_which_little_has_is_not():
    faces, points = ball()
    middles = points[faces].mean(axis=1)
    # A head with an open neck below, from whose crown rays inwards leave by the neck.
    head = faces[middles[:, 1] > -0.8]
    bowl = faces[middles[:, 1] > 0.3]
    for shape, solid in ((head, len(head)), (bowl, 0)):
        assert drape.Contact(drape.Body(shape, points[None]), LoopSubdivision(MESH, 1), FLAT, PARAMS).solid == solid


def test_cloth_that_is_cut_far_from_the_body_keeps_no_more_than_the_clearance():
    # The ball's top is 0.05 below the sheet, which is 3 wide: a share of 0.01 is less, one of 0.1 more.
    near, far = (
        drape.Contact(body(), LoopSubdivision(MESH, 1), FLAT, PARAMS.replace(clearance=share)).room
        for share in (0.01, 0.1)
    )
    np.testing.assert_allclose(near, 0.03, atol=1e-12)
    assert far.min() == pytest.approx(0.05)
    assert far.max() == pytest.approx(0.3)


def test_a_limb_that_pierces_the_guide_pierces_the_cloth():
    faces, points = ball()
    limb = points * [0.3, 1.5, 0.3]
    subdivision = LoopSubdivision(MESH, 2)
    guide = subdivision.matrix @ FLAT
    normals = pucker.vertex_normals(subdivision.fine, guide)
    below = limb - [0.0, 1.0, 0.0]
    contact = drape.Contact(drape.Body(faces, np.array([below, limb]), below), subdivision, FLAT, PARAMS)
    contact.step(1)
    lying = contact.room
    assert lying.min() > 0.0
    contact.set_guide(guide, normals)
    inside = contact.distances(guide) < 0.0
    assert inside.sum() > 20
    np.testing.assert_allclose(contact.room[inside], contact.distances(guide)[inside], atol=1e-12)
    np.testing.assert_array_equal(contact.room[~inside], lying[~inside])
    np.testing.assert_array_equal(contact.lift(guide)[inside], guide[inside])
    # What lies under the guide lifts it: a ball with its normals along those of the guide.
    wide = drape.Contact(body(frames=3), subdivision, FLAT, PARAMS)
    wide.step(2)
    lying = wide.room
    wide.set_guide(guide, normals)
    np.testing.assert_array_equal(wide.room, lying)
    # The next frame begins with the room of the cut pose.
    contact.step(0)
    assert contact.room.min() > 0.0
    with pytest.raises(ValueError, match="guide"):
        contact.set_guide(FLAT, normals)


def test_cloth_that_was_cut_in_the_body_is_no_deeper_than_its_guide():
    igl = pytest.importorskip("igl")
    # A ball whose top is cut 0.04 above the sheet; then it is lowered, to where it is less deep, outside, and far
    # away, or raised a little.
    faces, points = ball()
    up = np.array([0.09, 0.07, 0.05, 0.02, -0.2, 0.1])[:, None, None] * [0.0, 1.0, 0.0]
    subdivision = LoopSubdivision(MESH, 1)
    contact = drape.Contact(drape.Body(faces, points + up, points + up[0]), subdivision, FLAT, PARAMS)
    guide = subdivision.matrix @ FLAT
    normals = pucker.vertex_normals(subdivision.fine, guide)
    cut = contact.room
    inside = cut < 0.0
    assert 8 < inside.sum() < len(cut) / 4
    for frame in range(6):
        contact.step(frame)
        contact.set_guide(guide, normals)
        distances = np.asarray(igl.signed_distance(guide[inside], points + up[frame], faces)[0])
        # Where it is not within reach it says nothing: 0.09 here.
        near = np.abs(distances) <= 0.03 * 3.0
        assert near.any() == (frame != 4)
        expected = np.where(near, np.maximum(cut[inside], np.minimum(distances, 0.0)), cut[inside])
        np.testing.assert_allclose(contact.room[inside], expected, atol=1e-12)
        np.testing.assert_array_equal(contact.room[~inside], cut[~inside])


@pytest.mark.parametrize(("depth", "share"), [(0.24, 0.0), (0.3, 0.2), (0.375, 0.5), (0.45, 0.8), (0.51, 1.0)])
def test_how_far_a_limb_goes_through_follows_from_its_depth(depth, share):
    # A wall that stands in the middle row of the sheet: that row is half of its thickness deep, its sides are upright.
    reach = 0.03 * 3.0
    corner = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
    wall = corner * [depth * reach, 1.0, 2.0] + [0.0, 1.05, 0.0]
    below = wall - [0.0, 2.0, 0.0]
    faces = [
        [0, 1, 3],
        [0, 3, 2],
        [4, 6, 7],
        [4, 7, 5],
        [0, 4, 5],
        [0, 5, 1],
        [2, 3, 7],
        [2, 7, 6],
        [0, 2, 6],
        [0, 6, 4],
    ]
    faces += [[1, 5, 7], [1, 7, 3]]
    subdivision = LoopSubdivision(MESH, 1)
    contact = drape.Contact(drape.Body(np.array(faces), np.array([below, wall]), below), subdivision, FLAT, PARAMS)
    contact.step(1)
    lying = contact.room
    guide = subdivision.matrix @ FLAT
    contact.set_guide(guide, pucker.vertex_normals(subdivision.fine, guide))
    row = np.abs(guide[:, 0]) < 1e-9
    assert row.sum() > 20
    expected = np.where(row, lying + share * (-depth * reach - lying), lying)
    np.testing.assert_allclose(contact.room, expected, atol=1e-9)


def test_bodies_that_do_not_fit_are_refused():
    faces, points = ball()
    broken = np.array([points, points])
    broken[1, 3] = np.nan
    with pytest.raises(ValueError, match="a body must be finite, frame 1 is not"):
        drape.Body(faces, broken)
    with pytest.raises(ValueError, match="a triangle with vertex 999"):
        drape.Body(np.array([[0, 1, 999]]), points[None])
    with pytest.raises(ValueError, match="cut"):
        drape.Body(faces, points[None], points[1:])
    run = drape.Drape(MESH, FLAT, PARAMS, body=body(frames=2))
    run.advance(FLAT, 0.0)
    run.advance(FLAT, 0.1)
    with pytest.raises(ValueError, match="a body of 2 frames has none for frame 2"):
        run.advance(FLAT, 0.2)
    assert run.state.frame == 1


def test_cloth_that_is_cut_within_the_body_is_told_of_and_goes_on():
    faces, points = ball()
    small = FLAT * [0.2, 1.0, 0.2] - [0.0, 1.05, 0.0]
    still = np.array([points] * 3)
    inside = drape.Drape(MESH, small, PARAMS, body=drape.Body(faces, still))
    assert inside.cut_inside == 1.0
    assert inside.body_warning.startswith("100 % of the garment lies within the body in the pose it was cut for")
    for k in range(3):
        assert np.isfinite(inside.advance(small, k / 30).draped).all()
    outside = drape.Drape(MESH, FLAT, PARAMS, body=body())
    assert (outside.cut_inside, outside.body_warning) == (0.0, "")
    # Between two caps, behind the borders of both, but far away from them.
    caps = drape.Body(faces[(np.abs(points[faces][:, :, 1]) > 0.5).all(axis=1)], still)
    between = FLAT * [0.02, 1.0, 0.3] + [1.0, -1.05, 0.0]
    far = drape.Drape(MESH, between, PARAMS, body=caps)
    assert (drape.Contact(caps, drape.Balance(MESH, between, PARAMS).subdivision, between, PARAMS).room < 0.0).all()
    assert (far.cut_inside, far.body_warning) == (0.0, "")
    free = drape.Drape(MESH, small, PARAMS)
    assert (free.cut_inside, free.body_warning) == (0.0, "")


def test_a_run_that_begins_within_the_body_warns(monkeypatch):
    small = FLAT * [0.2, 1.0, 0.2] - [0.0, 1.05, 0.0]
    clip = pucker.Clip.from_arrays(FACES, np.array([small] * 3), np.arange(3) / 30, weld=False)
    faces, points = ball()
    worn = drape.Body(faces, np.array([points] * 3))
    monkeypatch.setattr("pucker.drape.method.body_of", lambda *_: worn)
    with pytest.warns(UserWarning, match="100 % of the garment lies within the body in the pose it was cut for"):
        run = start(clip, PARAMS)
    assert run.cut_inside == 1.0


def test_a_run_on_a_body_goes_on_with_the_same_bits():
    run = drape.Drape(MESH, FLAT, PARAMS, body=body())
    run.advance(FLAT, 0.0)
    again = pickle.loads(pickle.dumps(run))
    restored = drape.Drape.restore(run.save(), run.body)
    with pytest.raises(pucker.Error, match="goes on only with the body that it had"):
        drape.Drape.restore(run.save())
    with pytest.raises(pucker.Error, match="goes on only with the body that it had"):
        drape.Drape.restore(run.save(), body(frames=5))
    expected = run.advance(FLAT, 0.1).draped
    for other in (again, restored):
        np.testing.assert_array_equal(other.advance(FLAT, 0.1).draped, expected)


@pytest.mark.parametrize(
    ("file", "clip", "frames"),
    [
        ("kimono_male.gltf", "SitDown", range(0, 29, 7)),
        ("kimono_male.gltf", "Run", range(0, 27, 9)),
        ("female_dress.fbx", "Female_Sitting", range(0, 40, 20)),
        pytest.param("kimono_male.gltf", "SitDown", range(29), marks=pytest.mark.slow),
        pytest.param("kimono_male.gltf", "Walk", range(38), marks=pytest.mark.slow),
        pytest.param("female_dress.fbx", "Female_Run", range(27), marks=pytest.mark.slow),
        pytest.param("mage.glb", "Running_A", range(25), marks=pytest.mark.slow),
    ],
)
def test_no_vertex_is_deeper_in_the_body_than_it_was_cut_or_than_its_guide(data_dir, file, clip, frames):
    igl = pytest.importorskip("igl")
    loaded = pucker.load(data_dir / file, clip=clip, parts=CLOTHES[file])
    params = drape.Params(levels=2)
    run = start(loaded, params)
    subdivision = LoopSubdivision(loaded.mesh, 2)
    contact = drape.Contact(run.body, subdivision, drape.cut_of(loaded).pose, params)
    # Those that come from sewn vertices alone stay on the guide.
    sewn = np.zeros_like(loaded.positions[0])
    sewn[loaded.shared_vertices] = 1.0
    free = (subdivision.barycentrics @ sewn)[:, 0] < 1.0 - 1e-9
    assert free.sum() > 0.9 * len(free)
    for k in range(frames[-1] + 1):
        state = run.advance(loaded.positions[k], loaded.times[k])
        if k not in frames:
            continue
        contact.step(k)
        contact.set_guide(state.guide, pucker.vertex_normals(subdivision.fine, state.guide))
        inside, guide = contact.distances(state.draped), contact.distances(state.guide)
        # What is deeper than the reach is not found; cloth between it and the surface comes out as far as it is held.
        lost = np.isinf(guide)
        guide[lost] = np.asarray(igl.signed_distance(state.guide[lost], run.body.positions[k], run.body.faces)[0])
        # Where the body goes through itself, places pass for outside that are not.
        buried = igl.fast_winding_number(run.body.positions[k], run.body.faces.astype(np.int64), state.guide) > 0.5
        assert np.mean(buried & (guide > 0.0)) < 0.05
        free &= ~(buried & (guide > 0.0))
        # In gaps that are narrower than the clearance there is no room for it.
        deepest = np.minimum(np.minimum(contact.room, 0.0), guide)
        assert (inside >= deepest - 1e-4 * loaded.height)[free].all()
        assert np.mean((inside >= np.minimum(contact.room, guide) - 1e-3 * loaded.height)[free]) > 0.999


def test_a_replay_finds_the_body_of_each_frame(data_dir):
    loaded = pucker.load(data_dir / "female_dress.fbx", clip="Female_Walk", parts=["Dress"])
    replay = Replay(loaded, drape.Params(levels=1))
    there = replay.seek(20).draped
    replay.seek(2)
    np.testing.assert_array_equal(replay.seek(20).draped, there)
    assert drape.body_of(pucker.load(data_dir / "female_dress.fbx", clip="Female_Walk")) is None
