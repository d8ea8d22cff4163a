"""Motion made for learning: turning joints, the tree of joints found from their motion, and the poses that are chosen."""

import numpy as np
import pytest

import pucker
from pucker import byexample
from pucker.byexample import made, rotations
from pucker.io import open_source


def turned(axis, angle):
    axis = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.cross(np.eye(3), -axis)
    found = np.eye(4)
    found[:3, :3] = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    return found


@pytest.fixture(scope="module")
def kimono(data_dir):
    names = ("Walk", "Punch", "SitDown")
    with open_source(data_dir / "kimono_male.gltf", isolated=True) as source:
        garments = [source.load(clip=name, parts=["Clothes"], fps=12) for name in names]
        return garments, [source.load(clip=name, fps=12) for name in names]


@pytest.fixture(scope="module")
def motion(kimono):
    return byexample.made_motion(*kimono, 5 * made.HOP + 3, fps=12)


@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.7, np.pi - 1e-9, np.pi])
def test_halfway_a_joint_has_turned_half_its_angle(angle):
    first, last = turned((1, 2, -1), 0.3), turned((1, 2, -1), 0.3 + angle)
    last[:3, :3] *= 1.4
    last[:3, 3] = 1, 2, 3
    way = rotations.between(first[None], last[None], np.array([0.0, 0.5, 1.0]))[:, 0]
    assert way[0] == pytest.approx(first, abs=1e-12)
    assert way[2] == pytest.approx(last, abs=1e-7)
    assert way[1][:3, 3] == pytest.approx([0.5, 1, 1.5])
    assert np.linalg.det(way[1][:3, :3]) == pytest.approx(1.2**3)
    if angle < 3:
        assert way[1][:3, :3] == pytest.approx(1.2 * turned((1, 2, -1), 0.3 + angle / 2)[:3, :3])


def test_a_mirrored_joint_stays_mirrored():
    mirrored = turned((1, 0, 1), 0.4) @ np.diag([1.0, -1.0, 1.0, 1.0])
    other = turned((0, 1, 1), 1.4) @ np.diag([1.0, -1.0, 1.0, 1.0])
    way = rotations.between(mirrored[None], other[None], np.linspace(0, 1, 5))[:, 0]
    assert np.linalg.det(way[:, :3, :3]) == pytest.approx(-1.0)
    assert way[4] == pytest.approx(other)


def test_a_wider_turn_is_about_the_mean_rotation():
    among = np.array([turned((0, 1, 0), angle) for angle in (-0.4, 0.0, 0.4)])
    found = rotations.widened(among, among, np.array([1.5, 1.5, 0.5]))
    for one, angle in zip(found, (-0.6, 0.0, 0.2), strict=True):
        assert one == pytest.approx(turned((0, 1, 0), angle), abs=1e-9)


def test_joints_hang_on_those_they_turn_about(kimono):
    """The file's own tree, but for the directions at the trunk, where it may begin anywhere."""
    whole = kimono[1][0]
    rig = made._Rig(kimono[1])
    names = whole.skin.joints
    hangs = {(names[joint], names[rig._parents[joint]]) for joint in rig._order[1:]}
    for pair in (
        ("LowerArm.L", "UpperArm.L"),
        ("LowerArm.R", "UpperArm.R"),
        ("LowerLeg.L", "UpperLeg.L"),
        ("Head", "Neck"),
    ):
        assert pair in hangs
    assert rig.shows(whole)
    # What is mixed of one frame alone, and not widened, is that frame.
    assert rig.positions(rig.local[3:4], np.arange(5)).shape == (1, 5, 3)


def test_made_poses_are_far_from_those_of_the_clips_and_no_worse(kimono, motion):
    garments, _ = kimono
    assert len(motion.clip) == 5 * made.HOP
    assert len(motion.body) == 5 * made.HOP
    assert np.array_equal(motion.clip.faces, garments[0].faces)
    assert np.array_equal(motion.clip.rest, garments[0].rest)
    features = byexample.Features(garments[0].mesh, garments[0].rest)
    known = np.array([features.stretch(pose) for clip in garments for pose in clip.positions])
    found = np.array([features.stretch(pose) for pose in motion.clip.positions[made.HOP - 1 :: made.HOP]])
    away = np.sqrt(np.square(found[:, None] - known).mean(axis=-1)).min(axis=1)
    assert away.min() > motion.covered > 0.0
    assert np.abs(found - 1).max() < 1.5 * np.abs(known - 1).max()


def test_making_twice_gives_the_same_bits(kimono, motion):
    again = byexample.made_motion(*kimono, 5 * made.HOP + 3, fps=12)
    assert np.array_equal(again.clip.positions, motion.clip.positions)
    assert np.array_equal(again.body.positions, motion.body.positions)
    other = byexample.made_motion(*kimono, 5 * made.HOP, fps=12, seed=1)
    assert not np.array_equal(other.clip.positions, motion.clip.positions)


def test_poses_nearer_than_asked_for_are_known(kimono, motion):
    garments, wholes = kimono
    near = 1.01 * motion.covered
    few = byexample.made_motion(garments, wholes, 1000, near=near)
    assert len(few.clip) <= len(motion.clip)
    assert few.covered <= near
    assert byexample.made_motion(garments, wholes, 1000, near=10.0) is None


def test_nothing_is_made_where_no_joint_moves(kimono, data_dir):
    garments, wholes = kimono
    still = [each[0].beginning(1) for each in (garments, wholes)]
    assert byexample.made_motion([still[0]], [still[1]], 80) is None
    assert byexample.made_motion(garments, wholes, made.HOP - 1) is None
    skirt = pucker.load(data_dir / "kyonshi_lower.md3", parts=["l_lower"], fps=3)
    assert byexample.made_motion([skirt], [skirt], 80) is None


def test_made_motion_is_draped_with_its_body_and_kept(motion, tmp_path):
    params = pucker.drape.Params(levels=1)
    (take,) = byexample.drape([motion], params, recordings=tmp_path / "kept")
    body = pucker.drape.Drape(
        motion.clip.mesh,
        motion.cut.pose,
        params.replace(lag=0.0),
        motion.shared,
        motion.cut.source,
        motion.body,
    )
    for frame, time in enumerate(motion.clip.times):
        state = body.advance(motion.clip.positions[frame], time)
        assert np.array_equal(take.fine[frame], np.float32(state.draped))
    byexample.remove_recordings(tmp_path / "kept", [motion], params)
    assert not (tmp_path / "kept").exists()
