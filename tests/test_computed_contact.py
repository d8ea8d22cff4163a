"""Draped cloth on a body as compute programs balance it, against the core."""

import pickle

import numpy as np
import pytest
from computed_cloth import INSIDE, ROOM, ShownCloth, apart
from draped_bodies import CLOTHES, FLAT, MESH, PARAMS, ball, body, box, tube

import pucker
from pucker import drape, method
from pucker.byexample import LoopSubdivision
from pucker.render import Renderer

PICTURE_SIDE = 48

pytestmark = pytest.mark.usefixtures("no_gl_error")

ON_GPU = PARAMS.replace(compute="gpu", iterations=20, gain=1.0)
# Frames are one solve each, of so few steps that rounding has not grown.
SHORT = {"swing": 0.0, "memory": 0.0, "iterations": 3, "settling": 1, "tolerance": 0.0}


def on_cpu(params):
    return params.replace(compute="cpu")


def bumped(flat=FLAT, by=0.02):
    """A sheet that is no plane, so that it is decided which place of a body is nearest, and to which side it folds."""
    return flat + by * np.sin(5.0 * flat[:, :1] + 2.0 * flat[:, 2:]) * [0.0, 1.0, 0.0]


def mesh_of(faces, positions):
    return pucker.Mesh(faces, len(positions))


class Scene:
    """A garment and a body in some frames."""

    def __init__(self, mesh, cut, frames, worn, params=ON_GPU):
        self.mesh, self.cut, self.frames, self.body, self.params = mesh, cut, frames, worn, params

    def runs(self, **change):
        params = self.params.replace(**change)
        given = {"body": self.body}
        return (
            drape.ComputedDrape(self.mesh, self.cut, params, **given),
            drape.Drape(self.mesh, self.cut, on_cpu(params), **given),
        )

    def play(self, renderer, **change):
        """States of the core, places (N, 3) of the programs, and the surface, frame by frame."""
        run, other = self.runs(**change)
        shown = ShownCloth(renderer, self.mesh)
        for k, positions in enumerate(self.frames):
            found, _ = shown.show(run.advance(positions, k / 30))
            yield other.advance(positions, k / 30), found, shown

    def contact(self):
        return drape.Contact(self.body, LoopSubdivision(self.mesh, self.params.levels), self.cut, on_cpu(self.params))


def askew():
    """A closed ball without symmetry, as where two places are equally near, rounding decides."""
    faces, points = ball()
    turn, _ = np.linalg.qr(np.array([[1.0, 0.31, -0.17], [-0.29, 1.0, 0.23], [0.19, -0.21, 1.0]]))
    return faces, points @ turn.T + [0.031, 0.0, -0.017]


def rising_ball():
    """A ball that rises through a sheet."""
    faces, points = askew()
    up = np.arange(4)[:, None, None] * [0.0, 0.1, 0.0]
    return Scene(MESH, bumped(), [bumped()] * 4, drape.Body(faces, points + up, points))


def limb():
    """A limb that pierces a sheet deeper and deeper, and a spike beside it that goes through between the coarse vertices."""
    faces, points = askew()
    thin = points * [0.3, 1.5, 0.3] - [0.0, 1.0, 0.0]
    up = np.linspace(0.2, 1.2, 6)[:, None, None] * [0.0, 1.0, 0.0]
    spike = points * [0.06, 1.5, 0.06] - [0.875, 1.0, 0.13]
    frames = np.concatenate([thin + up, spike + up], axis=1)
    worn = drape.Body(np.concatenate([faces, faces + len(points)]), frames, np.concatenate([thin, spike]))
    return Scene(MESH, bumped(), [bumped()] * 6, worn, ON_GPU.replace(levels=2))


def cut_inside():
    """A ball whose top is cut above a sheet, then lowered and raised."""
    faces, points = askew()
    up = np.array([0.11, 0.1, 0.08, 0.05, 0.02, -0.2, 0.13, 0.18])[:, None, None] * [0.0, 1.0, 0.0]
    return Scene(MESH, bumped(), [bumped()] * 7, drape.Body(faces, points + up[1:], points + up[0]))


def turned(shape, by=0.037):
    """Faces and positions about the y axis, turned a little, and no longer quite round."""
    faces, at = shape
    sin, cos = np.sin(by), np.cos(by)
    return faces, at @ np.array([[cos, 0.0, -sin], [0.0, 1.0, 0.0], [sin, 0.0, cos]]) * [1.01, 1.0, 0.995]


def cuff():
    """A boot's shaft below a cuff that becomes narrower and slips into it, by less than it is from the wall, and by more."""
    faces, wall = turned(tube(1.0, 0.0, 0.5))
    garment, shaft = tube(1.04, -1.5, -0.1)
    frames = [shaft * [0.93, 1.0, 0.93] + [0.0, by, 0.0] for by in (0.12, 0.4)]
    params = ON_GPU.replace(clearance=0.03)
    return Scene(mesh_of(garment, shaft), shaft, frames, drape.Body(faces, np.array([wall] * 2), wall), params)


def trousers():
    """Some that slip up behind a belt, below which they end."""
    faces, belt = turned(tube(1.0, 0.0, 0.5))
    garment, below = tube(0.96, -1.5, -0.1)
    frames = [below, below + np.array([0.0, 0.4, 0.0])]
    params = ON_GPU.replace(clearance=0.03)
    return Scene(mesh_of(garment, below), below, frames, drape.Body(faces, np.array([belt] * 2), belt), params)


def hem():
    """A garment below an open border with sharp corners, nearer to it than it would have to be."""
    faces, border = turned(tube(1.0, 0.0, 0.5, across=5))
    garment, below = tube(1.02, -1.5, -0.02)
    params = ON_GPU.replace(clearance=0.05)
    return Scene(mesh_of(garment, below), below, [below], drape.Body(faces, border[None], border), params)


def collar():
    """A tight collar round a neck that is open at its foot, and thin at first, so that the wall comes to lie around the cloth."""
    faces, neck = turned(tube(1.0, 0.0, 0.8, across=64, along=16))
    garment, round_it = tube(1.03, -0.5, 0.2, along=10)
    frames = np.array([neck * [wide, 1.0, wide] for wide in (0.8, 0.8, 0.8, 1.0, 1.0)])
    params = ON_GPU.replace(clearance=0.005, tightness=1.4, depth=0.3)
    return Scene(mesh_of(garment, round_it), round_it, [round_it] * 5, drape.Body(faces, frames, neck), params)


def gap():
    """A sheet between two balls that leave less room than it should have."""
    faces, points = askew()
    frames = [np.concatenate([points, points + np.array([0.11, by, 0.07])]) for by in (2.3, 2.16, 2.13)]
    worn = drape.Body(np.concatenate([faces, faces + len(points)]), np.array(frames[1:]), frames[0])
    return Scene(MESH, bumped(), [bumped()] * 2, worn, ON_GPU.replace(clearance=0.03))


def block():
    """A box, whose triangles are large and whose edges are sharp, rises through a sheet, and turns."""
    faces, corners = box((-0.4, -1.0, -0.3), (0.4, 1.0, 0.3))
    frames = []
    for k in range(5):
        sin, cos = np.sin(0.1 * k), np.cos(0.1 * k)
        frames.append(corners @ np.array([[cos, sin, 0.0], [-sin, cos, 0.0], [0.0, 0.0, 1.0]]) + [0.0, 0.03 * k, 0.0])
    return Scene(MESH, bumped(), [bumped()] * 5, drape.Body(faces, np.array(frames), corners))


def knee():
    """A hem below a thigh, which the shin goes through where the knee is bent; the cloth trails its guide."""
    thigh, shin = box((-1.0, -0.5, -1.0), (1.0, 0.0, 1.0)), box((0.013, -2.0, -1.0), (0.117, -0.4, 1.0))
    faces = np.concatenate([thigh[0], shin[0] + len(thigh[1])])
    straight, bent = (np.concatenate([thigh[1], shin[1] + [0.0, by, 0.0]]) for by in (-3.0, 0.0))
    cut = bumped() * [0.25, 0.004, 0.25] + [0.0, -0.52, 0.0]
    steps = [np.array([-0.01 * k, 0.0, 0.0]) for k in range(4)]
    worn = drape.Body(faces, np.array([bent + step for step in steps]), straight)
    return Scene(MESH, cut, [cut + step for step in steps], worn, ON_GPU.replace(clearance=0.0005, lag=0.05))


SCENES = [rising_ball, limb, cut_inside, cuff, trousers, hem, collar, gap, block, knee]


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_so_many_iterations_end_where_those_of_the_core_do(renderer, scene):
    made = scene()
    # What is squeezed from all sides buckles, and rounding says where.
    short = SHORT | {"iterations": 1 if scene in (cuff, collar, knee) else 3}
    bare = drape.Drape(made.mesh, made.cut, on_cpu(made.params).replace(**short))
    moved = 0.0
    for state, found, _ in made.play(renderer, **short):
        assert apart(found, state) < 2e-5
        moved = max(moved, apart(bare.advance(state.positions, state.time).draped, state))
    # The body counts.
    assert (moved > 1e-3) == (scene not in (trousers, hem))


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_room_and_the_guides_distances_are_those_of_the_core(renderer, scene):
    made = scene()
    contact = made.contact()
    cut, changed = contact.room, 0
    for k, (state, _, shown) in enumerate(made.play(renderer, iterations=1)):
        contact.step(k)
        contact.set_guide(state.guide, pucker.vertex_normals(state.detail.subdivision.fine, state.guide))
        extent, count = state.lengths.extent, len(state.guide)
        room = shown.numbers(ROOM, count)
        unit = (contact.room @ room) / (room @ room)
        np.testing.assert_allclose(unit * room, contact.room, atol=2e-6 * extent)
        changed += np.sum(contact.room != cut)
        distances = contact.distances(state.guide)
        found = unit * shown.numbers(INSIDE, count)
        near = np.isfinite(distances)
        np.testing.assert_allclose(found[near], distances[near], atol=1e-6 * extent)
    assert (changed > 10) == (scene in (limb, cut_inside, block, trousers))


@pytest.mark.parametrize("gain", [1.0, 2.5])
@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: scene.__name__)
def test_no_vertex_is_nearer_than_it_may_be(renderer, scene, gain):
    made = scene()
    contact = made.contact()
    near = 0
    for k, (state, found, _) in enumerate(made.play(renderer, gain=gain)):
        contact.step(k)
        contact.set_guide(state.guide, pucker.vertex_normals(state.detail.subdivision.fine, state.guide))
        distances = contact.distances(found)
        near += np.sum(np.isfinite(distances))
        # In the gap there is no room, and behind the knee some stay with their guide.
        least = contact.room
        if scene in (gap, knee):
            least = np.minimum(least, contact.distances(state.draped))
        assert (distances >= least - 1e-6 * state.lengths.extent).all()
    if gain == 1.0:
        assert (near > 20) == (scene is not hem)


def test_what_goes_in_through_the_wall_beside_an_opening_is_taken_out_again(renderer):
    least = []
    for state, found, _ in collar().play(renderer):
        over = (state.guide[:, 1] > 0.02) & (state.guide[:, 1] < 0.18)
        least.append([np.hypot(at[over, 0], at[over, 2]).min() for at in (state.draped, found)])
    assert np.max(least[:3]) < 0.95
    # The wall's flat sides.
    assert np.min(least[3:]) > 0.99


def test_what_the_body_folds_over_stays_inside_with_its_guide(renderer):
    made = knee()
    contact = made.contact()
    for k, (state, found, _) in enumerate(made.play(renderer, lag=0.1)):
        contact.step(k)
        inside = [contact.distances(at) < -1e-4 * state.lengths.extent for at in (state.draped, found)]
    assert inside[0].sum() > 10
    np.testing.assert_array_equal(*inside)


@pytest.fixture(scope="module")
def kimono(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="SitDown", parts=CLOTHES["kimono_male.gltf"])


def noisy(positions, rng):
    """What rounding to 32 bits might change."""
    return positions + rng.uniform(-1.0, 1.0, positions.shape) * 2.0**-24 * np.abs(positions).max()


@pytest.mark.parametrize(
    ("file", "clip"), [("kimono_male.gltf", "SitDown"), ("female_dress.fbx", "Female_Walk"), ("mage.glb", "Running_A")]
)
def test_characters_are_no_farther_apart_than_rounding_takes_the_core_from_itself(renderer, data_dir, rng, file, clip):
    loaded = pucker.load(data_dir / file, clip=clip, parts=CLOTHES[file])
    params = drape.Params(levels=1)
    runs = [method.start(loaded, params) for _ in range(4)]
    computed, shown = method.start(loaded, params.replace(compute="gpu")), ShownCloth(renderer, loaded.mesh)
    assert len(computed.body) == len(loaded)
    largest, typical = np.zeros(4), np.zeros(4)
    for positions, time in zip(loaded.positions[:8], loaded.times, strict=False):
        state, *others = (run.advance(noisy(positions, rng) if k else positions, time) for k, run in enumerate(runs))
        found, _ = shown.show(computed.advance(positions, time))
        ways = [
            np.linalg.norm(x - state.draped, axis=1) / state.lengths.extent
            for x in (found, *(o.draped for o in others))
        ]
        largest = np.maximum(largest, [way.max() for way in ways])
        typical = np.maximum(typical, [np.sqrt(np.square(way).mean()) for way in ways])
    assert largest[0] < max(2e-5, 4.0 * largest[1:].max())
    assert typical[0] < max(2e-5, 2.0 * typical[1:].max())


@pytest.mark.parametrize(
    ("file", "clip", "frames"),
    [
        ("kimono_male.gltf", "SitDown", 6),
        pytest.param("kimono_male.gltf", "SitDown", 1000, marks=pytest.mark.slow),
        pytest.param("kimono_male.gltf", "Run", 1000, marks=pytest.mark.slow),
        pytest.param("female_dress.fbx", "Female_Sitting", 1000, marks=pytest.mark.slow),
        pytest.param("mage.glb", "Running_A", 1000, marks=pytest.mark.slow),
    ],
)
def test_no_vertex_of_a_character_is_nearer_than_in_the_core(renderer, data_dir, file, clip, frames):
    loaded = pucker.load(data_dir / file, clip=clip, parts=CLOTHES[file])
    params = drape.Params(levels=1, iterations=15)
    run, other = (method.start(loaded, p) for p in (params.replace(compute="gpu"), params))
    subdivision, shown = LoopSubdivision(loaded.mesh, 1), ShownCloth(renderer, loaded.mesh)
    contact = drape.Contact(run.body, subdivision, drape.cut_of(loaded).pose, params)
    sewn = np.zeros_like(loaded.positions[0])
    sewn[loaded.shared_vertices] = 1.0
    free = (subdivision.barycentrics @ sewn)[:, 0] < 1.0 - 1e-9
    for k, (positions, time) in enumerate(zip(loaded.positions[:frames], loaded.times, strict=False)):
        found, _ = shown.show(run.advance(positions, time))
        state = other.advance(positions, time)
        contact.step(k)
        contact.set_guide(state.guide, pucker.vertex_normals(subdivision.fine, state.guide))
        missing, wanted = (np.maximum(0.0, contact.room - contact.distances(x))[free] for x in (found, state.draped))
        assert (missing - wanted).max() < 2e-6 * state.lengths.extent


def test_the_same_frames_give_the_same_bits_whatever_was_shown_before(kimono):
    run = method.start(kimono, drape.Params(levels=1, compute="gpu", iterations=8, settling=2))
    states = [run.advance(kimono.positions[k], kimono.times[k]) for k in range(5)]
    wanted = None
    for order in ([0, 1, 2, 3, 4], [4, 1, 3, 0, 2, 4]):
        with Renderer((8, 8), samples=0) as made:
            shown = ShownCloth(made, kimono.mesh)
            found = {k: shown.show(states[k]) for k in order}
        wanted = found if wanted is None else wanted
        for k, here in found.items():
            for one, other in zip(here, wanted[k], strict=True):
                np.testing.assert_array_equal(one, other)


def test_of_a_body_positions_and_boxes_are_sent(renderer, kimono):
    shown, sent = ShownCloth(renderer, kimono.mesh), []
    run = method.start(kimono, drape.Params(levels=1, compute="gpu", iterations=2, settling=1))
    solid = drape.Contact(
        run.body, LoopSubdivision(kimono.mesh, 1), drape.cut_of(kimono).pose, on_cpu(run.params)
    ).solid
    for k in range(3):
        before = shown.surface.uploaded
        shown.show(run.advance(kimono.positions[k], kimono.times[k]))
        sent.append(shown.surface.uploaded - before - 12 * kimono.mesh.vertex_count)
    vertices = len(run.body.positions[0])
    assert sent[1] == sent[2]
    # Boxes of four to eight triangles, and those round them.
    assert 0.5 * 24 * solid / 8 < sent[1] - 12 * vertices < 2 * 24 * solid / 4


def test_a_body_without_a_back_is_none(renderer):
    faces, points = ball()
    half = faces[(points[faces][:, :, 1] > -1e-9).all(axis=1)]
    scene = Scene(MESH, bumped(), [bumped()] * 2, drape.Body(half, np.array([points] * 2)))
    sent = [0]
    for state, found, shown in scene.play(renderer, **SHORT):
        assert apart(found, state) < 2e-5
        sent.append(shown.surface.uploaded)
    assert sent[2] - sent[1] == 12 * len(FLAT)


def test_contact_may_be_left_out(renderer):
    scene = rising_ball()
    bare = drape.Drape(MESH, scene.cut, on_cpu(ON_GPU).replace(**SHORT))
    for state, found, _ in scene.play(renderer, contact=False, **SHORT):
        np.testing.assert_array_equal(state.draped, bare.advance(state.positions, state.time).draped)
        assert apart(found, state) < 2e-5


def test_sewn_vertices_stay_though_the_body_is_there(renderer):
    scene = rising_ball()
    shared = np.flatnonzero(np.abs(FLAT[:, 0]) < 0.3)
    run = drape.ComputedDrape(MESH, scene.cut, ON_GPU, shared, body=scene.body)
    shown = ShownCloth(renderer, MESH)
    for k in range(3):
        found, _ = shown.show(run.advance(scene.cut, k / 30))
    np.testing.assert_allclose(found[shared], scene.cut[shared], atol=1e-6)


def test_a_saved_run_goes_on_with_the_body_that_it_had(renderer):
    scene = rising_ball()
    run, _ = scene.runs()
    for k in range(2):
        run.advance(scene.cut, k / 30)
    again = [
        pickle.loads(pickle.dumps(run)),
        run.restored(run.save()),
        drape.ComputedDrape.restore(run.save(), scene.body),
    ]
    found = [ShownCloth(renderer, MESH).show(each.advance(scene.cut, 2 / 30))[0] for each in (run, *again)]
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    for wrong in (None, body(frames=5)):
        with pytest.raises(pucker.Error, match="goes on only with the body that it had"):
            drape.ComputedDrape.restore(run.save(), wrong)


def test_numbers_are_those_of_a_run_of_the_same_frames_on_the_same_body():
    run, other = rising_ball().runs()
    for k in range(3):
        state, wanted = run.advance(bumped(), k / 30), other.advance(bumped(), k / 30)
    np.testing.assert_array_equal(state.reference.draped, wanted.draped)
    np.testing.assert_array_equal(state.reference.on_body, wanted.on_body)
    assert wanted.on_body.sum() > 10


def test_a_frame_that_the_body_has_not_is_refused():
    run = drape.ComputedDrape(MESH, FLAT, ON_GPU, body=body(frames=2))
    for k in range(2):
        state = run.advance(FLAT, k / 30)
    with pytest.raises(ValueError, match="a body of 2 frames has none for frame 2"):
        run.advance(FLAT, 0.2)
    assert run.state is state


def test_cloth_that_is_cut_within_the_body_is_told_of(monkeypatch):
    faces, points = ball()
    small = FLAT * [0.2, 1.0, 0.2] - [0.0, 1.05, 0.0]
    clip = pucker.Clip.from_arrays(MESH.faces, np.array([small] * 3), np.arange(3) / 30, weld=False)
    monkeypatch.setattr("pucker.drape.method.body_of", lambda *_: drape.Body(faces, np.array([points] * 3)))
    with pytest.warns(UserWarning, match="100 % of the garment lies within the body in the pose it was cut for"):
        run = method.start(clip, ON_GPU)
    assert run.cut_inside == 1.0
