"""A character subdivided into a smooth surface before it wrinkles."""

import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import trimesh
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from motion import expect_valid

import pucker
from pucker.cli import cli
from pucker.examples import grid_faces
from pucker.io import IsolatedSource
from pucker.sweeps.grid import Grid

KIMONO = {"clip": "Run", "parts": ["Clothes", "Band"]}


@pytest.fixture(scope="module")
def kimono(data_dir: Path) -> pucker.Clip:
    return pucker.load(data_dir / "kimono_male.gltf", **KIMONO)


def _sorted(points):
    return points[np.lexsort(np.round(points, 9).T)]


@given(st.integers(3, 9), st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_places_are_those_of_another_library(across, along, seed):
    tube = (
        trimesh.creation.cylinder(1.0, 2.0, sections=across).subdivide() if along % 2 else trimesh.creation.icosphere(1)
    )
    rng = np.random.default_rng(seed)
    positions = tube.vertices + rng.normal(0.0, 0.1, tube.vertices.shape)
    clip = pucker.Clip.from_arrays(tube.faces, positions[None], [0.0], weld=False)
    places, faces = trimesh.remesh.subdivide_loop(positions, tube.faces, iterations=2)
    fine = clip.smoothed(2)
    assert fine.positions.shape[1] == len(places)
    assert len(fine.faces) == len(faces)
    np.testing.assert_allclose(_sorted(fine.positions[0]), _sorted(places), atol=1e-12)


def test_every_vertex_is_a_fixed_combination_of_the_coarse_ones(kimono):
    fine = kimono.smoothed(1)
    moved = pucker.Clip.from_arrays(kimono.faces, 3.0 * kimono.positions + [1.0, -2.0, 5.0], kimono.times, weld=False)
    alone = pucker.Clip.from_arrays(kimono.faces, kimono.positions, kimono.times, weld=False)
    np.testing.assert_allclose(
        moved.smoothed(1).positions, 3.0 * alone.smoothed(1).positions + [1.0, -2.0, 5.0], atol=1e-12
    )
    assert len(fine.faces) == 4 * len(kimono.faces)
    assert len(fine.body_faces) == 4 * len(kimono.body_faces)
    assert fine.rest.shape == fine.positions.shape[1:]
    # Within the coarse character: every row is a mean of coarse vertices.
    everything = np.concatenate([kimono.positions, kimono.body_positions], axis=1)
    assert (fine.positions.max(axis=1) <= everything.max(axis=1) + 1e-12).all()
    assert (fine.positions.min(axis=1) >= everything.min(axis=1) - 1e-12).all()


def test_no_crack_opens_where_cloth_is_sewn_to_the_body(kimono):
    fine = kimono.smoothed(1)
    assert len(fine.shared_vertices) > len(kimono.shared_vertices) > 0
    gaps = np.linalg.norm(fine.positions[:, fine.shared_vertices, None] - fine.body_positions[:, None], axis=-1)
    assert gaps.min(axis=2).max() < 1e-12


def two_shells(drift):
    """Two sheets side by side that touch at x = 1 in the rest pose and the first frame; then the second goes `drift` away."""
    y, x = (index.ravel() for index in np.mgrid[:5, :5] / 4)
    first = np.stack([x, y, 0.1 * np.sin(3 * y)], axis=1)
    second = first + np.array([1.0, 0.0, 0.0])
    faces = np.concatenate([grid_faces(4, 4), grid_faces(4, 4) + len(first)])
    positions = np.stack([np.concatenate([first, second + step * np.array(drift)]) for step in (0.0, 1.0)])
    left, right = np.flatnonzero(x == 1.0), len(first) + np.flatnonzero(x == 0.0)
    return faces, positions, left, right


def test_no_gap_opens_where_shells_touch_that_do_not_move_as_one_to_the_last_bit():
    faces, positions, left, right = two_shells([0.004, 0.0, 0.003])
    clip = pucker.Clip.from_arrays(faces, positions, [0.0, 1.0], rest=positions[0])
    assert clip.positions.shape[1] == 50, "they are not welded"
    for levels in (1, 2):
        fine = clip.smoothed(levels)
        assert np.array_equal(fine.positions[:, fine.weld[left]], fine.positions[:, fine.weld[right]])
        # One surface: the seam is none of its borders.
        alone = pucker.Clip.from_arrays(faces, positions[:1], [0.0])
        assert alone.positions.shape[1] == 45
        np.testing.assert_allclose(
            fine.positions[0][fine.weld[:50]], alone.smoothed(levels).positions[0][alone.weld], atol=1e-12
        )


def test_a_slit_that_opens_stays_one():
    faces, positions, left, right = two_shells([0.5, 0.0, 0.2])
    clip = pucker.Clip.from_arrays(faces, positions, [0.0, 1.0], rest=positions[0])
    fine = clip.smoothed(1)
    alone = pucker.Clip.from_arrays(faces[32:] - 25, positions[:, 25:], [0.0, 1.0]).smoothed(1)
    assert np.array_equal(fine.positions[:, right], alone.positions[:, right - 25])
    assert np.linalg.norm(fine.positions[1, left] - fine.positions[1, right], axis=1).min() > 0.5


def sleeve(path, names, seed):
    """A tube of 8 vertices a ring: a sleeve of short triangles, sewn to a bare arm of long ones; the places (8, 3) of the hem."""
    rng, across = np.random.default_rng(seed), 8
    turns = 2.0 * np.pi * np.arange(across) / across
    rings = [np.stack([np.cos(turns), np.full(across, y), np.sin(turns)], axis=1) for y in (0.0, 0.2, 0.4, 2.0, 4.0)]
    positions = np.concatenate(rings) + rng.normal(0.0, 0.05, (5 * across, 3))
    ring, k = (index.ravel() for index in np.mgrid[:4, :across])
    a, b = ring * across + k, ring * across + (k + 1) % across
    # Which way each quad is cut is left to chance.
    cut = rng.random(len(a)) < 0.5
    first = np.where(cut[:, None], np.stack([a, a + across, b], 1), np.stack([a, a + across, b + across], 1))
    second = np.where(cut[:, None], np.stack([b, a + across, b + across], 1), np.stack([a, b + across, b], 1))
    materials = np.concatenate([ring >= 2, ring >= 2]).astype(int) % len(names)
    np.savez(
        path,
        faces=np.concatenate([first, second]),
        positions=positions[None],
        materials=materials,
        material_names=names,
    )
    return positions[2 * across : 3 * across]


@pytest.mark.parametrize("seed", range(5))
def test_a_hem_is_a_curve_of_its_own(seed, tmp_path):
    hem = sleeve(tmp_path / "arm.npz", ["sleeve", "skin"], seed)
    fine = pucker.load(tmp_path / "arm.npz", parts="sleeve", smooth=1)
    following = np.roll(hem, -1, axis=0)
    expected = np.concatenate([0.75 * hem + 0.125 * (following + np.roll(hem, 1, axis=0)), 0.5 * (hem + following)])
    np.testing.assert_allclose(_sorted(fine.positions[0][fine.shared_vertices]), _sorted(expected), atol=1e-12)


@pytest.mark.parametrize("levels", [1, 2])
def test_a_flag_keeps_its_corners_and_no_other_place(levels):
    y, x = (index.ravel() for index in np.mgrid[:5, :5] / 4)
    flag = pucker.Clip.from_arrays(grid_faces(4, 4), np.stack([x, y, 0.1 * np.sin(5 * x)], axis=1)[None], [0.0])
    moved = np.linalg.norm(flag.smoothed(levels).positions[0][:25] - flag.positions[0], axis=1) > 1e-9
    corners = np.isin(x, (0.0, 1.0)) & np.isin(y, (0.0, 1.0))
    assert not moved[corners].any()
    assert moved[np.isin(x, (0.25, 0.5, 0.75))].all()


def test_a_hem_of_four_sides_around_a_limb_has_no_corners():
    ring = np.array([[1, 0, 1], [1, 0, -1], [-1, 0, -1], [-1, 0, 1]], float)
    positions = np.concatenate([ring + np.array([0.0, y, 0.0]) for y in (0.0, 1.0, 2.0)])
    k, row = np.tile(np.arange(4), 2), np.repeat([0, 4], 4)
    a, b = row + k, row + (k + 1) % 4
    faces = np.concatenate([np.stack([a, b, a + 4], 1), np.stack([b, b + 4, a + 4], 1)])
    tube = pucker.Clip.from_arrays(faces, positions[None], [0.0], weld=False)
    fine = tube.smoothed(1).positions[0][:4]
    np.testing.assert_allclose(fine, 0.75 * ring + 0.125 * (np.roll(ring, 1, 0) + np.roll(ring, -1, 0)), atol=1e-12)


def test_a_seam_of_three_sheets_is_a_curve_of_its_own():
    """A skirt that is sewn on where a shirt ends and trousers begin."""
    rng = np.random.default_rng(3)
    y, x = (index.ravel() for index in np.mgrid[:4, :5])
    sheet = grid_faces(4, 3)
    steps = ([0.0, 1.0, 0.2], [0.0, -1.0, 0.1], [0.0, -0.6, 1.0])
    seam = np.stack([np.arange(5.0), rng.normal(0.0, 0.1, 5), rng.normal(0.0, 0.1, 5)], axis=1)
    positions = np.concatenate([seam[x] + y[:, None] * np.array(step) for step in steps])
    faces = np.concatenate([sheet + k * len(x) for k in range(3)])
    clip = pucker.Clip.from_arrays(faces, positions[None], [0.0])
    fine = clip.smoothed(1).positions[0][clip.weld[:5]]
    assert len(clip.positions[0]) == 3 * len(x) - 10
    np.testing.assert_allclose(fine[1:-1], 0.75 * seam[1:-1] + 0.125 * (seam[:-2] + seam[2:]), atol=1e-12)


def test_a_smooth_character_wrinkles(kimono):
    fine = kimono.smoothed(1)
    for state in list(pucker.run(fine, pucker.Params()))[5:15:3]:
        expect_valid(fine.mesh, state, state.positions)
        assert state.wrinkles


def test_a_smooth_clip_is_pickled_and_read_in_a_child_process_alike(kimono, data_dir):
    fine = kimono.smoothed(1)
    for other in (
        pickle.loads(pickle.dumps(kimono)).smoothed(1),
        pucker.load(data_dir / "kimono_male.gltf", smooth=1, **KIMONO),
        pucker.load(data_dir / "kimono_male.gltf", smooth=1, isolated=True, **KIMONO),
    ):
        np.testing.assert_array_equal(other.positions, fine.positions)
        np.testing.assert_array_equal(other.body_positions, fine.body_positions)
        np.testing.assert_array_equal(other.rest, fine.rest)
        np.testing.assert_array_equal(other.uv, fine.uv)


def test_levels_there_are_not_are_refused(kimono, data_dir):
    with pytest.raises(ValueError, match="0 to 4 levels, not 5"):
        kimono.smoothed(5)
    with pytest.raises(ValueError, match="not -1"):
        pucker.load(data_dir / "kimono_male.gltf", smooth=-1, **KIMONO)


def test_memory_counts_the_finer_vertices(data_dir):
    limits = pucker.io.Limits(memory=20 * 2**20)
    pucker.load(data_dir / "kimono_male.gltf", limits=limits, **KIMONO)
    with pytest.raises(pucker.Error, match="memory"):
        pucker.load(data_dir / "kimono_male.gltf", smooth=3, limits=limits, **KIMONO)


def test_commands_and_sweeps_smooth_too(data_dir, tmp_path, kimono):
    file = data_dir / "kimono_male.gltf"
    cloth = ["--clip", "Run", "--parts", "Clothes,Band"]
    paths = {}
    for smooth in (0, 1):
        written = tmp_path / f"{smooth}.csv"
        result = CliRunner().invoke(cli, ["export", str(file), *cloth, "--smooth", str(smooth), "-o", str(written)])
        assert result.exit_code == 0, result.output
        paths[smooth] = written.read_text()
    assert paths[0] != paths[1]
    sweep = tmp_path / "sweep.toml"
    sweep.write_text(
        f'[clips.run]\nfile = "{file.as_posix()}"\nclip = "Run"\nparts = ["Clothes", "Band"]\nsmooth = 1\nframes = 3\n'
    )
    assert len(Grid.from_toml(sweep).clips["run"].faces) == 4 * len(kimono.faces)


def _facets(faces, positions):
    """Mean turn in degrees over the length of edges of two triangles, another way."""
    mesh = trimesh.Trimesh(positions, faces, process=False)
    lengths = np.linalg.norm(np.diff(positions[mesh.face_adjacency_edges], axis=1)[:, 0], axis=1)
    return np.degrees(np.average(mesh.face_adjacency_angles, weights=lengths))


@given(st.integers(1, 3), st.integers(0, 2**32 - 1), st.sampled_from([1e-8, 1.0, 1e8]))
def test_facets_are_measured_as_another_library_does(frames, seed, scale):
    ball = trimesh.creation.icosphere(1)
    moved = ball.vertices + np.random.default_rng(seed).normal(0.0, 0.05, (frames, *ball.vertices.shape))
    clip = pucker.Clip.from_arrays(ball.faces, scale * moved, np.arange(frames), weld=False)
    facets = pucker.io.facets_of(clip)
    assert facets.turn == pytest.approx(max(_facets(ball.faces, each) for each in moved), rel=1e-9)
    edges = np.linalg.norm(np.diff(moved[0][clip.mesh.edges], axis=1)[:, 0], axis=1)
    assert facets.edge * clip.height == pytest.approx(scale * np.sort(edges)[len(edges) // 2], rel=1e-12)


def test_a_triangle_the_wrong_way_round_is_no_fold():
    flat = pucker.Clip.from_arrays(
        [[0, 1, 2], [1, 2, 3]], np.array([[[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0.0]]]), [0.0]
    )
    assert pucker.io.facets_of(flat).turn == pytest.approx(0.0, abs=1e-9)


def test_coarse_characters_are_better_smooth_and_fine_cloth_is_fine_already(kimono, data_dir):
    assert pucker.io.facets_of(kimono).smooth == 1
    assert pucker.io.facets_of(kimono.smoothed(1)).smooth == 0
    assert (
        pucker.io.facets_of(pucker.Clip.from_arrays(grid_faces(2, 2), np.zeros((1, 9, 3)), [0.0], weld=False)).smooth
        == 0
    )
    # A ball of facets that turn by less than 8 degrees, and one whose facets are smaller than a fold.
    for subdivisions, smooth in ((2, 1), (3, 0), (6, 0)):
        ball = trimesh.creation.icosphere(subdivisions)
        clip = pucker.Clip.from_arrays(ball.faces, ball.vertices[None], [0.0], weld=False)
        assert pucker.io.facets_of(clip).smooth == smooth


@pytest.mark.parametrize(
    ("options", "triangles"),
    [
        ([], 4),
        (["--smooth", "0"], 1),
        (["--smooth", "1"], 4),
        (["--method", "waves"], 4),
        (["--method", "waves", "--set", "compute=skinned", "--set", "relax.start=random"], 1),
        (["--method", "drape", "--set", "levels=1"], 4),
        (["--trained", "SET"], 64),
    ],
)
def test_commands_show_a_coarse_character_smooth_unless_the_method_does_or_the_user_says_no(
    kimono, data_dir, tmp_path, options, triangles
):
    given = [str(data_dir / "kimono.pose.npz") if each == "SET" else each for each in options]
    levels = [] if "drape" in options or "SET" in options else ["--levels", "1"]
    call = [
        "bake",
        str(data_dir / "kimono_male.gltf"),
        "--clip",
        "Run",
        "--parts",
        "Clothes",
        "--fps",
        "4",
        "--no-body",
    ]
    result = CliRunner().invoke(cli, [*call, *given, *levels, "--json", "-o", str(tmp_path / "run.npz")])
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["triangles"] == triangles * 960
    told = re.search(
        r"taking --smooth 1(.*), as neighbouring triangles turn by \d+° and half of the edges", result.stderr
    )
    all_is = options in ([], ["--method", "waves"])
    assert (None if told is None else told[1]) == (
        None if "--smooth" in options else "" if all_is else " for all but the cloth"
    )


@pytest.mark.parametrize(("smooth", "said"), [("4", True), ("3", False), ("0", False)])
def test_a_command_says_before_it_loads_that_a_very_smooth_character_takes_minutes(smooth, said, data_dir, monkeypatch):
    def loaded(*_: object, **__: object) -> None:
        raise ValueError("loaded")

    monkeypatch.setattr(IsolatedSource, "load", loaded)
    words = ["render", str(data_dir / "kimono_male.gltf"), "--clip", "Walk", "--parts", "Band", "-o", "a.mp4"]
    done = CliRunner().invoke(cli, [*words, "--smooth", smooth], prog_name="pucker")
    assert done.exit_code == 2
    count = pucker.inspect(data_dir / "kimono_male.gltf").triangles * 4 ** int(smooth)
    told = f"--smooth 4 makes {count} triangles, and minutes pass before the first frame; --smooth 3 makes a quarter of them\n"
    assert done.stderr.endswith(f"{told if said else ''}pucker: loaded\n")
    assert ("minutes" in done.stderr) == said


def test_the_rest_of_a_character_is_smooth_where_the_method_takes_the_garment_as_it_is(kimono):
    fine = kimono.with_smooth_body()
    np.testing.assert_array_equal(fine.positions, kimono.positions)
    np.testing.assert_array_equal(fine.skin.influence_weights, kimono.skin.influence_weights)
    assert len(fine.body_faces) == 4 * len(kimono.body_faces)
    assert len(fine.standing_body) == len(fine.body_rest) == fine.body_positions.shape[1]
    # What is nowhere sewn to the cloth lies where it does on a character that is smooth as a whole.
    whole = kimono.smoothed()
    head = kimono.body_positions[0, :, 1] > 0.75 * kimono.height
    for frame in (0, 7):
        np.testing.assert_allclose(
            fine.body_positions[frame, : len(head)][head], whole.body_positions[frame, : len(head)][head], atol=1e-12
        )
    with pytest.raises(ValueError, match="0 to 4 levels, not 5"):
        kimono.with_smooth_body(5)


def test_info_says_whether_a_character_is_shown_smooth(data_dir):
    path = str(data_dir / "kimono_male.gltf")
    assert "shown smooth (--smooth 1; its cloth by byexample as it is): neighbouring triangles turn by" in (
        CliRunner().invoke(cli, ["info", path, "--clip", "Run"]).output
    )
    told = json.loads(CliRunner().invoke(cli, ["info", path, "--clip", "Run", "--json"]).output)["facets"]
    assert told["smooth"] == 1
    assert 8.0 < told["turn"] < 30.0
    assert 0.02 < told["edge"] < 0.05
