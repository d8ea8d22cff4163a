import pickle

import numpy as np
import pytest
from draped_bodies import two_sleeves
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import rotation, sheet
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from waves_scenes import squeeze

import pucker
from pucker import drape, waves
from pucker.byexample import LoopSubdivision
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.method import method_named, method_of

CLIP_UNIT = {"unit": "clip", "wavelength": 0.1}


def run(field: waves.WaveField, clip: pucker.Clip) -> list[waves.State]:
    return [field.advance(frame.positions, frame.time) for frame in clip]


def sleeve(**params: object) -> tuple[pucker.Clip, waves.WaveField]:
    clip = bending_sleeve(frames=12)
    return clip, waves.WaveField(clip.mesh, clip.positions[0], waves.Params(**params), clip.height)


def test_a_clip_run_twice_gives_the_same_bits():
    clip, first = sleeve()
    _, second = sleeve()
    for a, b in zip(run(first, clip), run(second, clip), strict=True):
        np.testing.assert_array_equal(a.phases, b.phases)
        np.testing.assert_array_equal(a.waves.wave_vectors, b.waves.wave_vectors)
    assert first.save() == second.save()


@pytest.mark.parametrize("copy", [lambda f: waves.WaveField.restore(f.save()), lambda f: pickle.loads(pickle.dumps(f))])
def test_a_saved_run_goes_on_with_the_same_bits(copy):
    clip, whole = sleeve(profile="pencil", relax={"start": "random"})
    frames = list(clip)
    for frame in frames[:6]:
        whole.advance(frame.positions, frame.time)
    other = copy(whole)
    for frame in frames[6:]:
        a = whole.advance(frame.positions, frame.time)
        b = other.advance(frame.positions, frame.time)
        np.testing.assert_array_equal(a.phases, b.phases)
        np.testing.assert_array_equal(a.waves.amplitudes, b.waves.amplitudes)


def border_corners(clip: pucker.Clip) -> tuple[np.ndarray, np.ndarray]:
    """A triangle and its corner for each vertex of the border."""
    sides = clip.mesh.triangle_edges
    alone = np.bincount(sides[sides >= 0], minlength=len(clip.mesh.edges)) == 1
    border = np.unique(clip.mesh.edges[alone])
    at = {v: (t, k) for t, face in enumerate(clip.faces) for k, v in enumerate(face)}
    triangles, corners = np.array([at[v] for v in border.tolist()]).T
    return np.column_stack([triangles, corners]), border


def test_waves_lift_no_border_that_is_sewn_to_the_body_and_hems_as_before(data_dir):
    clip = pucker.load(data_dir / "female_dress.fbx", clip="HumanArmature|Female_Run", parts=["Dress"])
    at, border = border_corners(clip)
    sewn = np.isin(border, clip.shared_vertices)
    assert sewn.sum() > 10
    assert (~sewn).sum() > 10
    reach = waves.Params().wavelength * clip.height
    rest = clip.positions[0] if clip.rest is None else clip.rest
    # The bodice ends under the skirt.
    layers = drape.Layers(LoopSubdivision(clip.mesh, 0), rest, drape.Params())
    faded = np.concatenate([clip.shared_vertices, layers.vertices[layers.shares == 1.0]])
    away = np.linalg.norm(rest[:, None] - rest[faded], axis=2).min(axis=1) > reach
    lifted = {}
    heights = {}
    for fade in (0.0, 1.0):
        states = pucker.run(clip, waves.Params(border_fade=fade))
        moved = np.zeros(len(border))
        heights[fade] = []
        for state in states:
            points = state.detail.evaluate(at[:, 0], np.eye(3)[at[:, 1]])
            moved = np.maximum(moved, np.linalg.norm(points.displacements, axis=1))
            heights[fade].append(np.array(state.waves.amplitudes))
        lifted[fade] = moved
    assert lifted[0.0][sewn].max() > 0.1 * reach
    assert lifted[1.0][sewn].max() <= 1e-12
    # Farther away than a wavelength waves are as high as without, hems too.
    np.testing.assert_array_equal(np.array(heights[1.0])[:, away], np.array(heights[0.0])[:, away])
    assert lifted[1.0][~sewn & away[border]].max() > 0.1 * reach


def test_waves_leave_out_what_lies_under_another_layer():
    clip = two_sleeves()
    half = clip.mesh.vertex_count // 2
    middle = np.abs(clip.positions[0][:, 1]) < 0.4
    outer = np.arange(len(middle)) < half
    highest = np.zeros((2, 2))
    for k, fade in enumerate((0.0, 1.0)):
        field = waves.WaveField(clip.mesh, clip.positions[0], waves.Params(border_fade=fade), clip.height)
        for state in run(field, clip):
            found = state.waves.amplitudes
            highest[k] = np.maximum(highest[k], [found[middle & ~outer].max(), found[middle & outer].max()])
    assert highest[0].min() > 0.1 * clip.height * waves.Params().wavelength / 4.0
    np.testing.assert_array_equal(highest[1], [0.0, highest[0, 1]])


def test_waves_fade_in_a_smooth_step_towards_what_is_shared():
    clip = squeezed_sheet()
    rest = clip.positions[0]
    corner = int(np.argmin(rest.sum(axis=1)))
    params = waves.Params(unit="clip", wavelength=0.4)
    plain = waves.WaveField(clip.mesh, rest, params).advance(clip.positions[len(clip) // 2], 0.0)
    field = waves.WaveField(clip.mesh, rest, params, shared=[corner])
    faded = field.advance(clip.positions[len(clip) // 2], 0.0)
    found = faded.waves.amplitudes / np.where(plain.waves.amplitudes > 0.0, plain.waves.amplitudes, 1.0)
    ends = np.array(clip.mesh.edges)
    graph = sparse.coo_matrix((np.linalg.norm(rest[ends[:, 0]] - rest[ends[:, 1]], axis=1), ends.T), (len(rest),) * 2)
    x = np.minimum(dijkstra(graph.tocsr(), directed=False, indices=corner) / 0.4, 1.0)
    waved = plain.waves.amplitudes > 0.0
    np.testing.assert_allclose(found[waved], (x * x * (3.0 - 2.0 * x))[waved], atol=1e-12)
    assert ((found[waved] > 0.01) & (found[waved] < 0.99)).sum() > 3
    other = waves.WaveField.restore(field.save())
    a, b = (run.advance(clip.positions[len(clip) // 3], 1.0).waves.amplitudes for run in (field, other))
    np.testing.assert_array_equal(a, b)
    with pytest.raises(ValueError, match=rf"shared vertices must lie in \[0, {len(rest)}\), got {len(rest)}"):
        waves.WaveField(clip.mesh, rest, params, shared=[len(rest)])


@pytest.mark.parametrize(
    ("file", "clip", "parts"),
    [("kimono_male.gltf", "Run", ["Clothes", "Band"]), ("mage.glb", "Sit_Floor_Down", ["Mage_Body"])],
)
def test_cloth_that_is_not_compressed_has_no_waves(data_dir, file, clip, parts):
    clip = pucker.load(data_dir / file, clip=clip, parts=parts, smooth=1)
    params = waves.Params()
    threshold = params.crush.threshold
    at = np.repeat(np.arange(len(clip.faces)), 4), np.random.default_rng(0).dirichlet([1, 1, 1], 4 * len(clip.faces))
    unsqueezed = lifted = waved = 0
    for state in pucker.run(clip, params):
        planes = state.waves
        flat = planes.stretches * threshold >= 1
        assert not planes.amplitudes[flat].any()
        assert (
            planes.amplitudes
            <= planes.wavelengths / 4 * np.sqrt(np.maximum(1 - (threshold * planes.stretches) ** 2, 0)) + 1e-12
        ).all()
        of_flat = np.repeat(flat[clip.faces].all(axis=1), 4)
        heights = np.abs(state.detail.evaluate_field(*at).heights)
        unsqueezed += of_flat.sum()
        lifted += np.count_nonzero(heights[of_flat])
        waved += np.count_nonzero(heights[~of_flat] > 0.01 * planes.wavelengths[0])
    assert unsqueezed > 1000
    assert waved > 1000
    assert lifted == 0


@given(seed=st.integers(0, 2**32 - 1), unit=st.sampled_from([1e-3, 1, 1e3]))
@settings(max_examples=20)
def test_neither_rigid_motion_nor_the_unit_changes_the_field(seed, unit):
    rng = np.random.default_rng(seed)
    flat = sheet(rng, cells=4)
    turn, shift, angle = rotation(rng), rng.normal(size=3), rng.uniform(0, np.pi)
    params = waves.Params(wavelength=0.15, unit="height")
    plain = waves.WaveField(flat.mesh, flat.rest, params, 1.0)
    other = waves.WaveField(flat.mesh, unit * flat.rest, params, unit)
    for i in range(3):
        moved = flat.rest @ squeeze(0.9 - 0.1 * i, angle + 0.2 * i).T
        a = plain.advance(moved, i / 30)
        b = other.advance(unit * (moved @ turn.T + shift), i / 30)
    at = {"triangles": np.arange(len(flat.faces)), "barycentrics": np.full((len(flat.faces), 3), 1 / 3)}
    one, two = a.detail.evaluate(**at), b.detail.evaluate(**at)
    np.testing.assert_allclose(two.positions / unit, one.positions @ turn.T + shift, atol=1e-6)
    np.testing.assert_allclose(two.normals, one.normals @ turn.T, atol=1e-4)


@pytest.mark.parametrize("profile", ["cosine", "accordion", "pencil"])
def test_one_wave_over_the_whole_sheet_is_the_closed_form(profile):
    clip = squeezed_sheet(compression=1.6)
    params = waves.Params(profile=profile, crush={"threshold": 1}, **CLIP_UNIT)
    field = waves.WaveField(clip.mesh, clip.positions[0], params)
    state = run(field, clip)[15]
    field.solve()
    rng = np.random.default_rng(1)
    triangles = rng.integers(0, len(clip.faces), 500)
    at = rng.dirichlet([1, 1, 1], 500)
    state = waves.WaveField(clip.mesh, clip.positions[0], params).advance(clip.positions[15], 0)
    points = state.detail.evaluate(triangles, at)
    field = state.detail.evaluate_field(triangles, at)
    r = 1 / 1.6
    k = state.waves.wave_vectors[0]
    phase = 2 * np.pi / 0.1 * (points.base - clip.positions[15][0]) @ k + state.phases[0]
    table = waves.PleatTable(profile)
    height = 0.1 / 4 * np.sqrt(1 - r * r)
    np.testing.assert_allclose(field.heights, height * table.value(phase), atol=1e-4 * height)
    slope = 2 * np.pi / 0.1 * height * table.slope(phase)
    np.testing.assert_allclose(field.gradients, slope[:, None] * k, atol=2e-3 * height * 2 * np.pi / 0.1 / r)
    np.testing.assert_allclose(points.offsets, field.heights, atol=1e-15)


@pytest.mark.parametrize(("profile", "most"), [("accordion", 1e-9), ("cosine", 0.036), ("pencil", 0.036)])
def test_waves_are_as_long_as_the_cloth_or_little_longer(profile, most):
    phases = np.linspace(-np.pi, np.pi, 32 * 200 + 1)
    heights = waves.PleatTable(profile).value(phases)
    # Of a wave as long as 1 in the rest pose, squeezed to r.
    lengths = [
        np.hypot(r * np.diff(phases) / (2 * np.pi), np.diff(heights) * np.sqrt(1 - r * r) / 4).sum()
        for r in np.linspace(0.05, 1.0, 96)
    ]
    assert min(lengths) > 1.0 - 1e-9
    assert max(lengths) - 1.0 < most


def test_a_profile_of_the_users_is_sampled_checked_and_drawn():
    clip, field = sleeve()
    field.profile = lambda phase: np.cos(phase) ** 3
    np.testing.assert_allclose(field.profile.values, np.cos(2 * np.pi * np.arange(32) / 32) ** 3, atol=1e-15)
    state = field.advance(clip.positions[6], 0)
    heights = state.detail.evaluate_field([0], [[1, 0, 0]]).heights
    vertex = clip.faces[0, 0]
    expected = state.waves.amplitudes[vertex] * field.profile.value(state.phases[vertex])
    np.testing.assert_allclose(heights, expected, atol=1e-15)
    for profile, named in (
        (np.sin, "must be even"),
        (np.zeros(31), r"shape \(32,\), got \(31,\)"),
        (np.full(32, 1.1), r"must lie in \[-1, 1\], but value 0 is 1.1"),
        (lambda phase: phase * np.nan, "value 0 is nan"),
        ("zigzag", "one of cosine, accordion, pencil, got 'zigzag'"),
    ):
        with pytest.raises(ValueError, match=named):
            field.profile = profile
    np.testing.assert_allclose(field.profile.values[16], -1)


def test_waves_that_appear_begin_with_phases_of_least_error():
    # The sleeve is at rest in its first frame, where there is nothing to solve.
    clip, solved = sleeve(wavelength=0.06)
    _, random = sleeve(wavelength=0.06, relax={"start": "random"})
    first = next(i for i, state in enumerate(run(random, clip)) if state.energy > 0)
    assert first > 0
    _, random = sleeve(wavelength=0.06, relax={"start": "random"})
    ours, theirs = run(solved, clip), run(random, clip)
    assert ours[first].energy < 0.5 * theirs[first].energy
    assert np.mean([state.energy for state in ours]) < np.mean([state.energy for state in theirs])


AS_PRINTED = {
    "coordinates": "frame",
    "crush": {"threshold": 1, "turn": 2, "growth": 1, "bend": 1e9},
    "relax": {"slide": 1e9},
}


def changes(clip: pucker.Clip, **params: object) -> np.ndarray:
    """By how much the height at points of the cloth changes from frame to frame, as a share of the greatest."""
    rng = np.random.default_rng(0)
    points = rng.integers(0, len(clip.faces), 4000), rng.dirichlet([1, 1, 1], 4000)
    chosen = waves.Params(**params)
    heights = [np.array(state.detail.evaluate_field(*points).heights) for state in pucker.run(clip, chosen)]
    return np.abs(np.diff(heights, axis=0)) / (chosen.wavelength * clip.height / 4)


@pytest.mark.parametrize("wavelength", [0.06, waves.Params().wavelength])
def test_waves_hardly_swim(data_dir, wavelength):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    ours = changes(clip, wavelength=wavelength)
    assert ours.mean() < 0.045
    assert np.quantile(ours, 0.99) < 0.25


def test_waves_swim_less_than_as_printed(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    printed, ours = changes(clip, wavelength=0.06, **AS_PRINTED), changes(clip, wavelength=0.06)
    assert ours.mean() < 0.7 * printed.mean()
    assert np.quantile(ours, 0.99) < 0.6 * np.quantile(printed, 0.99)


@pytest.mark.parametrize("angle", [60.0, 89.0, 90.0])
def test_nothing_pops_where_the_direction_of_compression_changes(rng, angle):
    flat = sheet(rng, cells=6)
    field = waves.WaveField(flat.mesh, flat.rest, waves.Params(unit="clip", wavelength=0.2))
    points = rng.integers(0, len(flat.faces), 500), rng.dirichlet([1, 1, 1], 500)
    heights = []
    for i in range(60):
        one, other = min(1, 0.6 + 0.4 * i / 30), min(1, 0.6 + 0.4 * (60 - i) / 30)
        moved = flat.rest @ (squeeze(one) @ squeeze(other, np.radians(angle))).T
        heights.append(np.array(field.advance(moved, i / 30).detail.evaluate_field(*points).heights) / 0.05)
    change = np.abs(np.diff(heights, axis=0))
    # The height of the cloth that is squeezed by 0.4/30 a frame changes by up to 0.16 where it begins.
    assert change.max() < 0.5
    assert change.mean() < 0.05
    assert np.abs(heights[-1]).max() > 0.6


def test_held_states_stay_as_they_are():
    clip, field = sleeve()
    states = run(field, clip)
    phases = [np.array(state.phases) for state in states]
    run_on = [field.advance(clip.positions[0], 10 + i) for i in range(3)]
    assert run_on
    for state, before in zip(states, phases, strict=True):
        np.testing.assert_array_equal(state.phases, before)


def test_parameters_have_a_text_form_and_ranges():
    params = waves.Params(wavelength=0.05, profile="accordion", relax={"rounds": 7}, crush={"min_stretch": 0.1})
    assert waves.Params.from_toml(params.to_toml()) == params
    assert pickle.loads(pickle.dumps(params)) == params
    for values, named in (
        ({"wavelength": 0}, r"params.wavelength .* must lie in \(0, inf\), got 0"),
        ({"relax": {"step": 20}}, r"params.relax.step .* \(0, 19.7392\], got 20"),
        ({"crush": {"min_stretch": 2}}, "params.crush.min_stretch"),
        ({"profile": "zigzag"}, "params.profile must be one of cosine, accordion, pencil, got 'zigzag'"),
        ({"relax": {"speed": 1}}, "no 'relax.speed'; there are start, influence, step, slide, rounds, start_rounds"),
    ):
        with pytest.raises(ValueError, match=named):
            waves.Params(**values)


def test_a_wavelength_that_is_a_share_needs_a_height():
    clip = bending_sleeve(frames=2)
    with pytest.raises(ValueError, match="share of the character's height, which is not given"):
        waves.WaveField(clip.mesh, clip.positions[0], waves.Params())
    with pytest.raises(ValueError, match="height must be finite and above 0, got 0"):
        waves.WaveField(clip.mesh, clip.positions[0], waves.Params(), 0)
    field = waves.WaveField(clip.mesh, clip.positions[0], waves.Params(wavelength=0.1), 3)
    np.testing.assert_allclose(field.wavelengths, 0.3)


def test_bytes_that_are_no_run_are_refused():
    clip, field = sleeve()
    field.advance(clip.positions[0], 0)
    for saved in (b"", b"pucker run 1\n", field.save()[:-3], pucker.Wrinkler(clip, pucker.Params()).save()):
        with pytest.raises(pucker.Error, match="a saved run of the wave field"):
            waves.WaveField.restore(saved)


def test_it_is_a_method_like_the_others():
    clip = bending_sleeve(frames=12)
    params = waves.Params(wavelength=0.06)
    kind = method_of(params)
    assert kind is method_named("waves")
    assert kind.resolved(clip, params) == params.replace(unit="clip", wavelength=0.06 * clip.height)
    by_hand = waves.WaveField(clip.mesh, clip.positions[0], params, clip.height)
    for state, expected in zip(pucker.run(clip, params), run(by_hand, clip), strict=True):
        np.testing.assert_array_equal(state.phases, expected.phases)
    measuring = kind.measuring(clip, params)
    measuring.take(expected, None)
    frames, total = measuring.results(clip.times[:1])
    assert frames.keys() == total.keys() == {"phase_error", "wave_height"}
    with pytest.raises(ValueError, match="the method waves has no paths"):
        kind.measuring(clip, params, directions=np.zeros((12, len(clip.faces), 3)))
