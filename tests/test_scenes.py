"""Scenes made in code: their cloth, the tracking of a coarse sheet by a fine one, and what is learned from recordings of them."""

import dataclasses
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

import pucker
from pucker import byexample, metrics
from pucker.byexample import limbs, scenes, sheets
from pucker.byexample import scene as scene_module
from pucker.cli import cli
from pucker.examples import grid_faces

# Every sixth frame of the flag's motion to learn from and every tenth of that to test with, in multiples of a step.
RECORDED = Path(__file__).with_name("data") / "flag.npz"


def sheet(columns=4, rows=4):
    y, x = np.mgrid[: rows + 1, : columns + 1]
    rest = np.stack([x.ravel() / columns, 1.0 - y.ravel() / rows, np.zeros(x.size)], axis=1)
    return pucker.Mesh(grid_faces(columns, rows), len(rest)), rest


def small(levels=1, frames=6):
    """A sheet that hangs from its upper edge, which sways."""
    mesh, rest = sheet(3, 3)

    def lead(time, start):
        return start + np.array([0.0, 0.0, 0.1 * np.sin(6.0 * time) ** 2])

    motions = {"train": scenes.PinMotion(frames, lead)}
    return scenes.PublishedScene("small", mesh, rest, levels, np.arange(4), motions)


# --- air ----------------------------------------------------------------------------------------------------------


@given(st.floats(-9, 9), st.floats(0, 6))
def test_air_pushes_along_normals_by_the_square_of_its_speed(speed, turn):
    mesh, rest = sheet()
    cosine, sine = np.cos(turn), np.sin(turn)
    turned = rest @ np.array([[cosine, 0, -sine], [0, 1, 0], [sine, 0, cosine]])
    wind = np.array([0.0, 0.3, speed])
    found = sheets.wind_forces(turned, np.zeros_like(turned), mesh.faces, wind)
    normal = np.array([sine, 0.0, cosine])
    through = float(np.abs(normal @ wind))
    # Either side of the sheet may be the front; its area is 1.
    expected = 0.6 * through * (normal @ wind) * normal
    assert found.sum(axis=0) == pytest.approx(expected, abs=1e-9)
    moving = sheets.wind_forces(turned, np.broadcast_to(wind, turned.shape), mesh.faces, 2.0 * wind)
    assert moving == pytest.approx(found, abs=1e-9)


# --- patches ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("levels", [1, 2])
def test_a_correction_is_the_least_change_to_other_averages(levels):
    mesh, rest = sheet()
    loop = byexample.LoopSubdivision(mesh, levels)
    flat = loop.barycentrics @ rest
    patches = sheets.Patches(loop, metrics.vertex_areas(loop.fine.faces, flat))
    away = np.random.default_rng(levels).normal(size=flat.shape)
    found = patches.correction(away)
    averages = patches.averages.toarray()
    assert averages.sum(axis=1) == pytest.approx(np.ones(mesh.vertex_count))
    assert averages @ found == pytest.approx(averages @ away, abs=1e-12)
    assert patches.correction(found) == pytest.approx(found, abs=1e-12)
    assert found == pytest.approx(np.linalg.lstsq(averages, averages @ away, rcond=None)[0], abs=1e-10)


# --- the scenes ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "coarse", "fine"),
    [("curtain", 400, 25600), ("sail", 256, 16384), ("flag", 400, 6400), ("dress", 381, 24384)],
)
def test_scenes_have_the_published_numbers_of_triangles(name, coarse, fine):
    scene = scenes.SCENES[name]()
    assert scene.mesh.triangle_count == coarse
    assert byexample.LoopSubdivision(scene.mesh, scene.levels).fine.triangle_count == fine
    corners = scene.rest[scene.mesh.faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    assert (normals.any(axis=1) if scene.body is not None else normals[:, 2] != 0).all()
    start = scene.rest[scene.pins]
    for motion in scene.motions.values():
        assert motion.lead(0.0, start) == pytest.approx(start, abs=1e-12)
        steps = np.array([motion.lead(k / 90, start) for k in range(3 * motion.frames)])
        # Nothing that is led jumps: 0.1 m a step is 9 m/s.
        assert np.abs(np.diff(steps, axis=0)).max() < 0.1
    shorter = min(motion.frames for motion in scene.motions.values())
    ways = [np.array([motion.lead(k / 30, start) for k in range(shorter)]) for motion in scene.motions.values()]
    assert np.abs(ways[0] - ways[1]).max() > 0.05


def test_a_motion_that_there_is_not_is_refused():
    with pytest.raises(ValueError, match="the scene small has no motion 'test'; there are train"):
        scenes.record(small(), "test")


# --- a body of limbs ------------------------------------------------------------------------------------------------


@given(st.integers(0, 1000))
def test_the_nearest_place_of_a_limb_is_that_of_all_its_balls(seed):
    rng = np.random.default_rng(seed)
    ends, radii = rng.normal(size=(3, 2, 3)), rng.uniform(0.01, 0.6, size=(3, 2))
    # One ball within another, and a limb without length.
    ends[1, 1] = ends[1, 0] + 1e-2
    ends[2, 1] = ends[2, 0]
    points = 1.5 * rng.normal(size=(40, 3))
    found = limbs.nearest(points, ends, radii)
    along = np.linspace(0.0, 1.0, 4001)[:, None]
    balls = [(1 - along) * a + along * b for a, b in ends]
    sizes = [((1 - along) * r + along * s)[:, 0] for r, s in radii]
    every = np.array(
        [np.linalg.norm(points[:, None] - c, axis=2) - r for c, r in zip(balls, sizes, strict=True)]
    )  # fmt: skip
    assert found.distances == pytest.approx(every.min(axis=(0, 2)), abs=1e-5)
    assert np.array_equal(found.limbs, every.min(axis=2).argmin(axis=0))
    # The way out goes on at the rate of one, also from the inside.
    step = 1e-5
    assert limbs.nearest(points + step * found.normals, ends, radii).distances == pytest.approx(
        found.distances + step, abs=1e-7
    )


def test_a_point_comes_out_of_a_limb_and_slips_no_farther_than_friction_lets_it():
    ends, radii = np.array([[[0.0, 0, 0], [1.0, 0, 0]]]), np.array([[0.1, 0.1]])
    points = np.array([[0.5, 0.08, 0], [0.5, 0.2, 0], [0.9, 0.0, -0.105]])
    for led in (np.zeros(3), np.array([0.02, 0.0, 0.0])):
        # It slips by 0.05 more than the limb, but for the last, which goes along.
        before = points - led - np.array([[0.05, 0, 0], [0.05, 0, 0], [0, 0, 0]])
        shifts = limbs.pushed_out(points, before, ends, ends + led, radii, 0.01)
        assert shifts[0] == pytest.approx([-0.3 * 0.03, 0.03, 0.0], abs=1e-12)
        assert not shifts[1].any()
        assert shifts[2] == pytest.approx([0.0, 0.0, -0.005], abs=1e-12)


def test_a_body_is_drawn_where_it_is():
    scene = scenes.dress()
    for radii in (scene.body, np.array([[0.2, 0.2]]), np.array([[0.2, 0.1]])):
        ends = scene.motions["test"].limbs(0.7)[: len(radii)]
        points, faces = limbs.surface(ends, radii)
        each = len(points) // len(radii)
        for limb in range(len(radii)):
            own = points[limb * each : (limb + 1) * each]
            assert limbs.nearest(own, ends[limb : limb + 1], radii[limb : limb + 1]).distances == pytest.approx(
                0.0, abs=1e-9
            )
        corners = points[faces]
        volume = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6.0
        assert volume > 0.0


def over_a_ball(safety=0.02):
    """A sheet that falls onto a ball that rises."""
    mesh, rest = sheet(4, 4)
    flat = np.stack([rest[:, 0] - 0.5, np.zeros(len(rest)), 0.5 - rest[:, 1]], axis=1)

    def ball(time):
        return np.array([[[0.0, -0.3 + 0.4 * time, 0.0], [0.05, -0.3 + 0.4 * time, 0.0]]])

    motion = scenes.PinMotion(12, lambda _time, start: start, limbs=ball)
    return scenes.PublishedScene(
        "ball", mesh, flat, 2, np.zeros(0, np.intp), {"train": motion}, body=np.array([[0.28, 0.28]]), safety=safety
    )


def test_both_sheets_keep_their_distance_from_a_body():
    pytest.importorskip("mujoco")
    scene = over_a_ball()
    found = scenes.record(scene, "train")
    smooth = byexample.LoopSubdivision(scene.mesh, scene.levels).matrix
    for frame, (guide, fine) in enumerate(zip(found.clip.positions, found.fine, strict=True)):
        ends = scene.motions["train"].limbs(frame / 30)
        assert limbs.nearest(fine, ends, scene.body).distances.min() > 0.0049
        assert limbs.nearest(smooth @ guide, ends, scene.body).distances.min() > 0.012
    # It was lifted, and falls beside the ball.
    assert found.fine[-1][:, 1].max() > 0.12
    assert found.fine[-1][:, 1].min() < -0.1
    without = scenes.coarse(dataclasses.replace(scene, body=None), "train")
    assert without.positions[-1][:, 1].max() < -0.3


def test_what_is_recorded_over_a_body_is_of_that_body(tmp_path):
    pytest.importorskip("mujoco")
    scene = over_a_ball()
    digests = {
        scene_module._digest(each, "train")
        for each in (scene, over_a_ball(0.03), dataclasses.replace(scene, body=np.array([[0.28, 0.27]])))
    }
    assert len(digests) == 3


def test_the_dancer_keeps_her_limbs_and_wears_the_dress_at_rest():
    scene = scenes.dress()
    for motion in scene.motions.values():
        ends = np.array([motion.limbs(k / 90) for k in range(3 * motion.frames)])
        lengths = np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=2)
        # Bones keep their length; the trunk, which bends, nearly.
        assert np.ptp(lengths, axis=0).max() < 1e-12
        assert np.abs(np.diff(ends, axis=0)).max() < 0.06
        assert limbs.nearest(scene.rest, ends[0], scene.body).distances.min() > scene.clearance + scene.safety
        assert limbs.nearest(scenes.rest_fine(scene), ends[0], scene.body).distances.min() > scene.clearance
        # The border is carried by the chest.
        start = scene.rest[scene.pins]
        for time in (0.5, 1.7):
            assert np.linalg.norm(np.diff(motion.lead(time, start), axis=0), axis=1) == pytest.approx(
                np.linalg.norm(np.diff(start, axis=0), axis=1)
            )


# --- the simulation -----------------------------------------------------------------------------------------------


def test_a_falling_sheet_reaches_the_speed_at_which_air_carries_it():
    pytest.importorskip("mujoco")
    mesh, rest = sheet()
    flat = rest[:, [0, 2, 1]] * [1.0, 1.0, -1.0]
    fabric = sheets.Fabric(bending=1.0)
    falling = sheets.Sheet(mesh, flat, [], fabric, 1 / 90)
    nothing = np.zeros((0, 3))
    for _ in range(180):
        falling.advance(nothing, nothing)
    speed = np.sqrt(2.0 * fabric.density * 9.81 / 1.2)
    assert falling.velocities.mean(axis=0) == pytest.approx([0.0, -speed, 0.0], rel=0.01, abs=1e-3)
    assert falling.short_steps == 0


def test_the_fine_sheet_keeps_the_averages_of_the_coarse_one(tmp_path):
    pytest.importorskip("mujoco")
    scene = small()
    told = []
    found = scenes.record(scene, "train", recordings=tmp_path, progress=lambda done, count: told.append((done, count)))
    assert told == [(k + 1, 6) for k in range(6)]
    assert found.clip.positions.shape == (7, 16, 3)
    assert found.clip.positions[0] == pytest.approx(scene.rest)
    smooth = byexample.SmoothSurface(scene.mesh, 1, scene.rest)
    flat = scenes.rest_fine(scene)
    detail = smooth.detail_of(flat)
    patches = sheets.Patches(smooth.subdivision, metrics.vertex_areas(smooth.mesh.faces, flat))
    free = np.setdiff1d(np.arange(16), np.concatenate([scene.pins, scene.pins + 4]))
    for guide, fine in zip(found.clip.positions, found.fine, strict=True):
        smooth.step(guide)
        away = patches.averages @ (smooth.add(detail) - fine)
        assert np.abs(away[free]).max() < 2e-3
        assert fine[scene.pins] == pytest.approx(smooth.add(detail)[scene.pins], abs=1.3e-3)
    again = scenes.coarse(scene, "train")
    assert np.array_equal(again.positions, found.clip.positions)


def test_what_was_recorded_is_not_simulated_again(tmp_path, monkeypatch):
    pytest.importorskip("mujoco")
    scene = small(frames=2)
    first = scenes.record(scene, "train", recordings=tmp_path)
    (file,) = tmp_path.iterdir()
    assert np.array_equal(pucker.load(file).positions, first.clip.positions)
    runs = []
    simulated = scene_module._simulated
    monkeypatch.setattr(scene_module, "_simulated", lambda *given_: runs.append(given_[1]) or simulated(*given_))
    assert np.array_equal(scenes.record(scene, "train", recordings=tmp_path).fine, first.fine)
    assert runs == []
    other = dataclasses.replace(scene, fine=sheets.Fabric(bending=1e-3))
    assert not np.array_equal(scenes.record(other, "train", recordings=tmp_path).fine, first.fine)
    file.write_bytes(file.read_bytes()[:200])
    assert np.array_equal(scenes.record(scene, "train", recordings=tmp_path).fine, first.fine)
    assert len(runs) == 2


def test_a_scene_that_blows_up_is_told():
    pytest.importorskip("mujoco")
    scene = small(frames=2)
    away = scenes.PinMotion(2, lambda time, start: start + (1e12 if time > 0.01 else 0.0))
    with pytest.raises(pucker.Error, match="small, train: the simulation blew up"):
        scenes.record(dataclasses.replace(scene, motions={"train": away}), "train")


def test_without_mujoco_one_line_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(
        ModuleNotFoundError, match=r"simulating a sheet needs mujoco: install the extra pucker\[simulate\]"
    ):
        scenes.record(small(), "train")


# --- learning from it ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def flag():
    scene = scenes.flag()
    with np.load(RECORDED) as kept:
        found = {name: float(kept["step"]) * kept[name] for name in kept.files if name != "step"}
    return scene, found


def learned(scene, found, poses):
    return byexample.train(
        scene.mesh, found["train"], found["train_fine"], rest=scene.rest, rest_fine=scenes.rest_fine(scene), levels=2, poses=poses
    )  # fmt: skip


def test_a_flag_foretells_its_folds_in_a_motion_it_was_not_learned_from(flag):
    scene, found = flag
    training = learned(scene, found, 6)
    assert (np.diff(training.error) < 0).all()
    smooth = byexample.SmoothSurface(scene.mesh, 2, scene.rest)
    truth = byexample.details_of(smooth, found["test"], found["test_fine"])
    synthesis = training.trained.synthesis()
    steps = [synthesis.step(guide) for guide in found["test"]]
    detail = np.array([np.array(step.detail) for step in steps])
    areas = metrics.vertex_areas(smooth.mesh.faces, scenes.rest_fine(scene))
    assert metrics.correlation(detail, truth, areas) > 0.5
    assert metrics.rms(detail - truth, areas) < 0.85 * metrics.rms(truth, areas)

    def away(surfaces):
        bends = [metrics.curvature(smooth.mesh.faces, positions) for positions in (*surfaces, *found["test_fine"])]
        values = [(np.concatenate([b.largest, b.smallest]), np.tile(b.areas, 2)) for b in bends]
        half = len(values) // 2
        return np.mean([metrics.curvature_distance(*a, *b) for a, b in zip(values[:half], values[half:], strict=True)])

    plain = away([smooth.subdivision.matrix @ guide for guide in found["test"]])
    assert away([step.positions for step in steps]) < 0.85 * plain


def test_recordings_in_another_order_of_frames_give_the_same_poses(flag):
    scene, found = flag
    order = np.random.default_rng(2).permutation(len(found["train"]))
    mixed = {name: found[name][order] for name in ("train", "train_fine")}
    poses = [learned(scene, each, 4).trained.poses for each in (found, mixed)]
    assert np.array_equal(*poses)


# --- the command --------------------------------------------------------------------------------------------------


@pytest.fixture
def recorded_flag(monkeypatch, flag):
    scene, found = flag
    times = np.arange(len(found["train"])) / 30
    clip = pucker.Clip.from_arrays(scene.mesh.faces, found["train"], times, weld=False)
    monkeypatch.setattr(scenes, "record", lambda *_, **__: scenes.Recording(clip, found["train_fine"], 1.0, 1.0))


def test_one_command_learns_from_a_scene_and_leaves_clips_to_play_it_on(recorded_flag, tmp_path):
    pytest.importorskip("mujoco")
    out = tmp_path / "flag.pose.npz"
    result = CliRunner().invoke(cli, ["train", "--scene", "flag", "-o", str(out), "--quiet"])
    assert result.exit_code == 0, result.output
    trained = byexample.load(out)
    assert len(trained.poses) == 6
    clip = pucker.load(tmp_path / "flag.pose" / "flag-test.npz")
    state = next(iter(pucker.run(clip, byexample.Params(trained=str(out)))))
    assert len(state.detail.fine_positions) == 3321


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name a FILE or a --scene"),
        (["--scene", "flag", "walk.gltf"], "FILE is not for --scene"),
        (["--scene", "flag", "--fit", "0.3"], "--fit is not for --scene"),
    ],
)
def test_a_scene_takes_no_file_and_no_more_than_it_uses(arguments, message, tmp_path):
    result = CliRunner().invoke(cli, ["train", *arguments, "-o", str(tmp_path / "a.npz")])
    assert result.exit_code == 2
    assert message in result.output
