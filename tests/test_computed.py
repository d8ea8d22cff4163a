"""The wave field as compute programs, stage by stage against the core: Skin, Crush, Relax, and the pictures of both."""

import pickle
from itertools import islice

import numpy as np
import pytest
from motion import sheet
from shown import Shown
from waves_scenes import squeeze

import pucker
from pucker import method, waves
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.render import ClipRenderer, Style

PICTURE_SIDE = 48
# A descent from random phases passes saddles, where rounding decides on the side: so early none has been reached.
RANDOM = {"start": "random", "start_rounds": 12}

pytestmark = pytest.mark.usefixtures("no_gl_error")


def computed(**params):
    return waves.Params(
        **({"compute": "gpu", "wavelength": 0.03} | params | {"relax": RANDOM | params.get("relax", {})})
    )


@pytest.fixture(scope="module")
def kimono(data_dir):
    return pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])


class ShownWaves(Shown):
    """A surface that shows one state of a wave field after the other."""

    def waves(self):
        """Of the vertices, by name: wave vectors 2π/W k', phases, normals, amplitudes and vectors."""
        rows = self.renderer.read(self.surface, "Waves").reshape(-1, 16).astype(np.float64)
        return {
            "wave_vectors": rows[:, 0:3],
            "phases": rows[:, 3],
            "normals": rows[:, 4:7],
            "amplitudes": rows[:, 7],
            "vectors": rows[:, 8:11],
        }


def assert_close(found, wanted):
    """Cloth that is squeezed nearly as much all round has no direction to speak of: a few vectors may be ten times farther away."""
    apart = np.linalg.norm(found - wanted, axis=1) / np.linalg.norm(wanted, axis=1)
    assert np.quantile(apart, 0.98) <= 1e-4
    assert apart.max() <= 1e-3


def agree(found, state, coordinates="rest"):
    """Whether waves of the GPU are those of the core to 1e-4 of what they can be."""
    planes = state.reference.waves
    highest, turn = planes.wavelengths / 4, (2 * np.pi / planes.wavelengths)[:, None]
    np.testing.assert_allclose(found["normals"], planes.normals, atol=1e-4)
    # h has a root in it, at which rounding of flat cloth grows without bound; its square is what is fitted.
    np.testing.assert_allclose((found["amplitudes"] / highest) ** 2, (planes.amplitudes / highest) ** 2, atol=1e-4)
    waved = planes.amplitudes > 0.05 * highest
    assert waved.sum() > 30
    wanted = turn * planes.wave_vectors
    assert_close(found["wave_vectors"][waved], wanted[waved])
    measured = planes.directions if coordinates == "rest" else planes.wave_vectors
    assert_close(found["vectors"][waved], (turn * measured)[waved])
    turned = np.angle(np.exp(1j * (found["phases"] - state.reference.phases)))
    assert np.abs(turned).max() <= 1e-4 * 2 * np.pi


# Skin


@pytest.mark.parametrize(
    ("name", "clip_name", "parts"),
    [("kimono_male.gltf", "Walk", ["Clothes", "Band"]), ("mage.glb", "Jump_Full_Long", ["Mage_Body"])],
)
def test_four_joints_a_vertex_place_it_where_the_importer_does(renderer, data_dir, name, clip_name, parts):
    clip = pucker.load(data_dir / name, clip=clip_name, parts=parts, fps=10)
    assert clip.skin.cut(4).vertices_cut == 0
    shown = ShownWaves(renderer, clip.mesh)
    for state in pucker.run(clip, computed(compute="skinned")):
        np.testing.assert_allclose(shown.show(state)[0], state.positions, atol=1e-5 * clip.height)
    joints, frames = len(clip.skin.joints), len(clip.positions)
    assert shown.renderer.read(shown.surface, "Motion").size == 12 * joints  # of the last frame
    assert shown.surface.uploaded < 4 * (frames * (12 * joints + 3 * len(state.positions)) + 300 * len(clip.faces))


def test_more_than_four_joints_a_vertex_are_cut_and_said(renderer, data_dir):
    clip = pucker.load(data_dir / "cowboy.dae")
    cut = clip.skin.cut(4)
    assert cut.vertices_cut == 25
    with pytest.warns(
        UserWarning, match=r"25 of 740 vertices follow more than 4 joints: .* weights of up to 0\.06\d* are lost"
    ):
        run = method.start(clip, computed(compute="skinned"))
    shown = ShownWaves(renderer, clip.mesh)
    found, _ = shown.show(run.advance(clip.positions[0], clip.times[0]))
    apart = np.linalg.norm(found - clip.positions[0], axis=1)
    kept = np.asarray(cut.lost) == 0
    assert apart[kept].max() < 1e-5 * clip.height < apart[~kept].max() < 0.01 * clip.height


def test_a_clip_without_skin_cannot_be_skinned():
    with pytest.raises(ValueError, match="compute = skinned needs a skin"):
        method.start(squeezed_sheet(), computed(compute="skinned"))


def test_bones_are_those_of_the_mesh_and_its_frames(kimono, data_dir):
    other = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Band"])
    field = waves.ComputedField(other.mesh, other.positions[0], height=1.8)
    with pytest.raises(ValueError, match="bones must be four a vertex"):
        field.set_bones(kimono.skin)
    field.set_bones(other.skin)
    for frame in range(len(other.positions)):
        field.advance(other.positions[frame], frame)
    with pytest.raises(ValueError, match=rf"there is none for frame {len(other.positions)}$"):
        field.advance(other.positions[0], len(other.positions))
    with pytest.raises(ValueError, match="bones of waves on the GPU must be set before the first frame"):
        field.set_bones(other.skin)


# Crush and Relax


def energy(cloth, state, found):
    """Mean squared phase error, in squared cycles, of what the GPU has found of a frame, on the core's yardstick."""
    planes = state.reference.waves
    # On flat cloth rounding decides on the way that a wave runs, and with it on the sign of its phase.
    sign = np.where((found["vectors"] * planes.directions).sum(axis=1) < 0, -1, 1)
    relax = waves.Relax(cloth.mesh)
    relax.prepare(planes, cloth.rest, "rest")
    relax.phases = sign * found["phases"]
    return relax.energy


@pytest.mark.parametrize("start", ["random", "carried"])
@pytest.mark.parametrize("compute", ["gpu", "skinned"])
def test_waves_and_phases_are_those_of_the_core(renderer, kimono, compute, start):
    shown = ShownWaves(renderer, kimono.mesh)
    for state in islice(pucker.run(kimono, computed(compute=compute, relax={"start": start})), 8):
        shown.take(state)
        agree(shown.waves(), state)


@pytest.mark.parametrize(
    "params",
    [
        {"coordinates": "frame"},
        {"crush": {"turn": 3.0, "growth": 3.0}},
        {"relax": {"slide": 100.0, "rounds": 3, "start_rounds": 7}},
        {"relax": {"influence": "length", "rounds": 5}, "wavelength": 0.2},
        {"crush": {"min_stretch": 0.5}, "interval": 0.02},
        {"crush": {"threshold": 1.2}},
        {"crush": {"bend": 0.1}},
        {"crush": {"smoothing": 0}},
        {"crush": {"smoothing": 3}},
    ],
)
def test_each_number_of_the_parameters_counts_as_in_the_core(renderer, kimono, params):
    shown = ShownWaves(renderer, kimono.mesh)
    for state in islice(pucker.run(kimono, computed(**params)), 4):
        shown.take(state)
        agree(shown.waves(), state, params.get("coordinates", "rest"))


def test_a_long_descent_ends_as_low_as_in_the_core(renderer, kimono):
    shown = ShownWaves(renderer, kimono.mesh)
    state = next(pucker.run(kimono, computed(relax={"start_rounds": 400})))
    shown.take(state)
    assert energy(kimono, state, shown.waves()) == pytest.approx(state.reference.energy, rel=0.02)


def test_painting_and_wavelengths_count_as_in_the_core(renderer, kimono, rng):
    field = waves.ComputedField(kimono.mesh, kimono.rest, computed(), kimono.height)
    field.wavelengths = kimono.height * rng.uniform(0.02, 0.05, len(kimono.rest))
    field.paint = rng.uniform(-0.4, 0.4, kimono.rest.shape)
    field.profile = "pencil"
    shown = ShownWaves(renderer, kimono.mesh)
    for frame in range(3):
        state = field.advance(kimono.positions[frame], kimono.times[frame])
        shown.take(state)
        agree(shown.waves(), state)
    table = shown.renderer.read(shown.surface, "Pleat").reshape(-1, 2)
    np.testing.assert_allclose(table[:, 0], waves.PleatTable("pencil").values, atol=1e-7)
    for name, value in (("wavelengths", 0.1), ("paint", np.zeros_like(kimono.rest)), ("profile", "cosine")):
        with pytest.raises(ValueError, match="must be set before the first frame, not after frame 2"):
            setattr(field, name, value)


def test_flat_cloth_has_no_waves(renderer):
    clip = squeezed_sheet(12, 12, frames=3)
    moved = clip.positions + np.array([0.7, -0.4, 0.2])
    field = waves.ComputedField(clip.mesh, clip.positions[0], computed(), 1.0)
    shown = ShownWaves(renderer, clip.mesh)
    shown.take(field.advance(moved[0], 0.0))
    assert not shown.waves()["amplitudes"].any()


def test_any_unit_and_place_gives_the_same_waves(renderer, kimono):
    found = []
    for scale, away in ((1.0, 0.0), (100.0, 0.0), (1.0, 3e4)):
        rest, positions = scale * kimono.rest + away, scale * kimono.positions + away
        field = waves.ComputedField(kimono.mesh, rest, computed(), scale * kimono.height)
        shown = ShownWaves(renderer, kimono.mesh)
        for frame in range(3):
            shown.take(field.advance(positions[frame], kimono.times[frame]))
        found.append(shown.waves() | {"amplitudes": shown.waves()["amplitudes"] / scale})
    for other in found[1:]:
        np.testing.assert_allclose(
            other["amplitudes"] ** 2, found[0]["amplitudes"] ** 2, atol=1e-4 * found[0]["amplitudes"].max() ** 2
        )
        waved = found[0]["amplitudes"] > 0.05 * found[0]["amplitudes"].max()
        apart = np.angle(np.exp(1j * (other["phases"] - found[0]["phases"])))[waved]
        assert np.quantile(np.abs(apart), 0.99) < 1e-3


def test_ten_thousand_frames_stay_stable(renderer):
    clip = squeezed_sheet(5, 5, frames=20, compression=1.8)
    field = waves.ComputedField(clip.mesh, clip.positions[0], computed(wavelength=0.2), 1.0)
    shown = ShownWaves(renderer, clip.mesh)
    errors = []
    for frame in range(10_000):
        state = field.advance(clip.positions[10 + frame % 10], frame / 30)
        if frame % 500 == 499:
            shown.take(state)
            found = shown.waves()
            assert all(np.isfinite(values).all() for values in found.values())
            assert np.abs(found["phases"]).max() <= np.pi + 1e-6
            errors.append(phase_error(clip, found))
    assert max(errors[1:]) <= 1.05 * errors[0] + 1e-4


def phase_error(clip, found):
    """Mean squared difference of phases halfway along the edges of a sheet, in cycles."""
    a, b = clip.mesh.edges.T
    edges = clip.positions[0][b] - clip.positions[0][a]
    sign = np.where((found["vectors"][a] * found["vectors"][b]).sum(axis=1) < 0, -1, 1)
    along = 0.5 * (sign[:, None] * found["vectors"][b] + found["vectors"][a])
    d = (sign * found["phases"][b] - found["phases"][a] - (along * edges).sum(axis=1)) / (2 * np.pi)
    return np.mean((d - np.round(d)) ** 2)


# New waves


def flat_run(flat, **relax):
    """Waves over about twelve edges of a sheet, of which frames after the first have no rounds unless told."""
    relax = {"start": "carried", "start_rounds": 0, "rounds": 0} | relax
    return waves.ComputedField(flat.mesh, flat.rest, computed(wavelength=0.25, unit="clip", border_fade=0, relax=relax))


def squeezed_up_to(rest, front):
    """The part of a sheet up to x = `front` squeezed along x."""
    return rest - 0.4 * np.minimum(rest[:, :1], front) * [1, 0, 0]


def spread(renderer, flat, **relax):
    """A surface that has shown, and the last state of, frames in which waves spread over four rings of vertices each."""
    field, shown = flat_run(flat, **relax), ShownWaves(renderer, flat.mesh)
    for frame in range(12):
        state = field.advance(squeezed_up_to(flat.rest, 0.1 * frame), frame / 30)
        shown.take(state)
        shown.waves()
    return shown, state


def test_waves_that_spread_over_a_fine_sheet_carry_on_their_crests(renderer, rng):
    flat = sheet(rng, cells=48)
    errors = {}
    for start in ("carried", "random"):
        shown, state = spread(renderer, flat, start=start, rounds=4)
        assert (state.reference.waves.amplitudes > 0.04).mean() > 0.5
        errors[start] = energy(flat, state, shown.waves())
    assert errors["carried"] < 1e-4
    assert errors["random"] > 1e-2


@pytest.mark.parametrize("cells", [24, 200])
def test_one_plane_wave_is_carried_on_without_error(renderer, rng, cells):
    flat = sheet(rng, cells=cells)
    shown = ShownWaves(renderer, flat.mesh)
    state = flat_run(flat).advance(flat.rest @ squeeze(0.6, 0.3).T, 0.0)
    shown.take(state)
    found = shown.waves()
    assert energy(flat, state, found) < 1e-10
    assert found["phases"][0] == np.float32(waves.Relax(flat.mesh).phases[0])


def test_each_part_begins_with_the_phase_of_its_first_vertex(renderer, rng):
    flat = sheet(rng, cells=24)
    x = flat.rest[:, 0]
    between = np.abs(x - 0.5) < 0.1
    moved = squeezed_up_to(flat.rest, 0.3)
    moved[x > 0.7, 0] -= 0.4 * (x[x > 0.7] - 0.7)
    shown = ShownWaves(renderer, flat.mesh)
    state = flat_run(flat).advance(moved, 0.0)
    shown.take(state)
    found = shown.waves()
    assert not found["amplitudes"][between].any()
    agree(found, state)
    random = np.float32(waves.Relax(flat.mesh).phases)
    waved = np.flatnonzero(state.reference.waves.amplitudes > 0.2 * 0.25 / 4)
    seeds = [waved[0], waved[x[waved] > 0.5][0]]
    np.testing.assert_array_equal(found["phases"][seeds], random[seeds])
    assert energy(flat, state, found) < 1e-3


def test_carrying_on_gives_the_same_bits_again(renderer, rng):
    flat = sheet(rng, cells=48)
    (first, _), (second, _) = spread(renderer, flat), spread(renderer, flat)
    np.testing.assert_array_equal(*(renderer.read(shown.surface, "Waves") for shown in (first, second)))


@pytest.mark.parametrize("smooth", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_phases_of_the_kimono_meet_nearly_as_well_as_on_the_processor(renderer, data_dir, smooth):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"], smooth=smooth)
    shown, errors = ShownWaves(renderer, clip.mesh), {"gpu": [], "cpu": []}
    on_gpu = pucker.run(clip, waves.Params(compute="gpu", relax={"start": "carried"}))
    for state, on_processor in islice(zip(on_gpu, pucker.run(clip, waves.Params()), strict=True), 24):
        shown.take(state)
        errors["gpu"].append(energy(clip, state, shown.waves()))
        errors["cpu"].append(on_processor.energy)
    assert np.mean(errors["gpu"]) < 1.5 * np.mean(errors["cpu"])


# What is drawn


def test_what_was_shown_before_does_not_count(renderer, kimono):
    states = list(islice(pucker.run(kimono, computed()), 6))
    others = list(islice(pucker.run(kimono, computed(seed=3)), 2))
    in_order, jumping = ShownWaves(renderer, kimono.mesh), ShownWaves(renderer, kimono.mesh)
    wanted = []
    for state in states:
        in_order.take(state)
        wanted.append(renderer.read(in_order.surface, "Waves"))
    on_processor = next(pucker.run(kimono, computed(compute="cpu")))
    for item in (4, 5, 2, 2, on_processor, 5, others[1], 3, None, 3, 0):
        if item is None:
            jumping.surface.set_positions(kimono.positions[7])
            jumping.surface.set_detail(None)
            renderer.read(jumping.surface, "Positions")
            continue
        state = states[item] if isinstance(item, int) else item
        positions, _ = jumping.show(state)
        found = renderer.read(jumping.surface, "Waves")
        if isinstance(item, int):
            np.testing.assert_array_equal(found, wanted[item])
            np.testing.assert_allclose(positions, state.positions, atol=1e-5)


def test_what_was_sent_and_never_drawn_is_not_gone_on_from(renderer, kimono):
    states = list(islice(pucker.run(kimono, computed()), 3))
    other = next(pucker.run(kimono, computed(seed=3)))
    wanted, shown = ShownWaves(renderer, kimono.mesh), ShownWaves(renderer, kimono.mesh)
    wanted.take(states[2])
    shown.take(states[1])
    shown.waves()
    shown.take(other)
    shown.surface.send()
    shown.take(states[2])
    np.testing.assert_array_equal(renderer.read(shown.surface, "Waves"), renderer.read(wanted.surface, "Waves"))


@pytest.mark.parametrize("mode", ["normals", "both", "parallax"])
def test_pictures_are_those_of_the_core(kimono, mode):
    pictures = {}
    for compute in ("cpu", "gpu", "skinned"):
        with ClipRenderer(kimono, (240, 240), samples=0, style=Style(least_edge=0.0)) as film:
            state = list(islice(pucker.run(kimono, computed(compute=compute)), 9))[-1]
            pictures[compute] = film.frame(8, state, mode=mode).astype(int)
            bare = film.frame(8).astype(int)
    assert (np.abs(pictures["cpu"] - bare).max(axis=2) > 20).sum() > 300
    for compute in ("gpu", "skinned"):
        apart = np.abs(pictures[compute] - pictures["cpu"]).max(axis=2)
        assert (apart > 2).mean() < 2e-3  # pixels of outlines and folds


def test_edges_of_triangles_with_a_wave_are_divided_in_all_their_triangles(renderer, kimono):
    shown = ShownWaves(renderer, kimono.mesh)
    shown.take(next(pucker.run(kimono, computed(relax={"start_rounds": 0}))))
    reached = (shown.waves()["amplitudes"][kimono.faces] > 0).any(axis=1)
    assert 0.1 < reached.mean() < 0.99
    edges = kimono.mesh.triangle_edges
    divided = np.isin(edges, edges[reached])
    patches = renderer.read(shown.surface, "Patches", np.uint32)
    np.testing.assert_array_equal(patches, divided @ [1, 2, 4])


# What it is asked for on the processor


def test_numbers_are_those_of_a_wave_field_of_the_same_frames(kimono):
    states = list(islice(pucker.run(kimono, computed()), 4))
    wanted = list(islice(pucker.run(kimono, computed(compute="cpu")), 4))
    triangles = np.arange(len(kimono.faces))
    middle = np.full((len(triangles), 3), 1 / 3)
    for index in (3, 1, 2):
        state, other = states[index], wanted[index]
        assert (state.frame, state.time) == (other.frame, other.time)
        np.testing.assert_array_equal(state.reference.phases, other.phases)
        found = state.detail.evaluate(triangles, middle).positions
        np.testing.assert_array_equal(found, other.detail.evaluate(triangles, middle).positions)
        np.testing.assert_array_equal(state.detail.feature_sizes, other.detail.feature_sizes)
        assert state.detail.feature_size == other.detail.feature_size
        low, high = state.detail.offset_range
        assert low <= other.detail.offset_range[0] <= other.detail.offset_range[1] <= high


def test_measures_are_those_of_the_processor(kimono):
    short = pucker.Clip.from_arrays(kimono.faces, kimono.positions[:4], kimono.times[:4])
    found, wanted = (pucker.metrics.measure(short, computed(compute=compute)) for compute in ("gpu", "cpu"))
    np.testing.assert_equal(found.summary, wanted.summary)


@pytest.mark.parametrize("start", ["random", "carried"])
def test_a_saved_run_goes_on_with_the_same_waves(renderer, kimono, start):
    run = method.start(kimono, computed(compute="skinned", relax={"start": start}))
    for frame in range(3):
        run.advance(kimono.positions[frame], kimono.times[frame])
    again = [pickle.loads(pickle.dumps(run)), run.restored(run.save()), waves.ComputedField.restore(run.save())]
    found = []
    for each in (run, *again):
        shown = ShownWaves(renderer, kimono.mesh)
        shown.take(each.advance(kimono.positions[3], kimono.times[3]))
        found.append(renderer.read(shown.surface, "Waves"))
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])
    with pytest.raises(pucker.Error, match="checksum"):
        waves.ComputedField.restore(run.save()[:-9])
    with pytest.raises(pucker.Error, match="are not a saved run"):
        waves.ComputedField.restore(b"waves")


def test_phases_of_least_error_are_no_compute_programs():
    with pytest.raises(ValueError, match=r"params\.relax\.start must be carried or random .*, not solved"):
        method.start(squeezed_sheet(), waves.Params(compute="gpu"))


def test_a_refused_frame_changes_nothing():
    clip = bending_sleeve(6, 6, frames=4)
    run = method.start(clip, computed())
    state = run.advance(clip.positions[0], 0.0)
    with pytest.raises(ValueError, match="time must grow"):
        run.advance(clip.positions[1], 0.0)
    with pytest.raises(ValueError, match="positions must be finite"):
        run.advance(np.full_like(clip.positions[1], np.nan), 1.0)
    assert run.state is state


def test_a_mesh_without_triangles_is_drawn(renderer):
    mesh = pucker.Mesh(np.zeros((0, 3), np.int32), 3)
    field = waves.ComputedField(mesh, np.eye(3), computed(), 1.0)
    state = field.advance(np.eye(3), 0.0)
    surface = renderer.surface(mesh.faces, 3)
    surface.set_positions(state.positions)
    surface.set_detail(state.detail)
    assert not renderer.read(surface, "Waves").reshape(-1, 16)[:, 7].any()
