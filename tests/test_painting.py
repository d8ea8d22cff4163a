from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from motion import rotation, sheet
from PIL import Image
from test_waves_commands import call

import pucker
from pucker import waves
from pucker.examples import bending_sleeve, squeezed_sheet
from pucker.method import method_of

CENTRE = [1 / 3, 1 / 3, 1 / 3]


@pytest.fixture
def painting():
    clip = bending_sleeve(frames=3)
    return waves.Painting(clip.mesh, clip.positions[0])


def lengths(painting: waves.Painting) -> np.ndarray:
    return np.linalg.norm(painting.vectors, axis=1)


@given(seed=st.integers(0, 2**32 - 1), strength=st.floats(0, 0.999), radius=st.floats(0.01, 10))
@settings(max_examples=60)
def test_vectors_lie_in_the_tangent_plane_and_are_no_longer_than_the_brush_is_strong(seed, strength, radius):
    rng = np.random.default_rng(seed)
    clip = bending_sleeve(frames=3)
    painting = waves.Painting(clip.mesh, clip.positions[0])
    for _ in range(4):
        painting.stroke(
            int(rng.integers(len(clip.faces))),
            rng.dirichlet([1, 1, 1]),
            rng.normal(size=3),
            radius=radius,
            strength=strength,
        )
    assert lengths(painting).max() <= strength + 1e-12
    normals = pucker.vertex_normals(clip.mesh, clip.positions[0])
    np.testing.assert_allclose(np.einsum("nd,nd->n", painting.vectors, normals), 0, atol=1e-12)
    waves.Crush(clip.mesh, clip.positions[0], 0.1).paint = painting.vectors


def test_a_stroke_fades_out_towards_its_radius(rng):
    flat = sheet(rng, cells=10)
    painting = waves.Painting(flat.mesh, flat.rest)
    painting.stroke(90, CENTRE, [2, 0, 5], radius=0.3, strength=0.8)
    distances = np.linalg.norm(flat.rest - flat.rest[flat.mesh.faces[90]].mean(axis=0), axis=1)
    expected = 0.8 * np.where(distances < 0.3, (1 - (distances / 0.3) ** 2) ** 2, 0)
    np.testing.assert_allclose(painting.vectors, expected[:, None] * [1, 0, 0], atol=1e-12)
    # Wrinkles across a direction and its opposite are the same: they do not cancel.
    painting.stroke(90, CENTRE, [-1, 0, 0], radius=0.3, strength=0.8)
    assert (painting.vectors[:, 0] >= 0.999 * expected).all()
    painting.erase(90, CENTRE, radius=10)
    assert lengths(painting)[distances < 0.3].max() < 0.01


def test_a_stroke_reaches_over_edges_only():
    # Two sheets face to face, 0.01 apart.
    faces = np.array([[0, 1, 2], [2, 1, 3]])
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], float)
    mesh = pucker.Mesh(np.concatenate([faces, faces + 4]), 8)
    painting = waves.Painting(mesh, np.concatenate([corners, corners + np.array([0, 0, 0.01])]))
    painting.stroke(0, CENTRE, [1, 0, 0], radius=5, strength=0.5)
    assert (lengths(painting)[:4] > 0.1).all()
    assert (lengths(painting)[4:] == 0).all()


@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=20)
def test_directions_are_carried_as_the_cloth_of_the_triangle_is(seed):
    rng = np.random.default_rng(seed)
    flat = sheet(rng, cells=3)
    painting = waves.Painting(flat.mesh, flat.rest)
    deformed = rng.uniform(0.3, 2) * np.eye(2) + 0.2 * rng.normal(size=(2, 2))
    plane = np.zeros((3, 3))
    plane[:2, :2] = deformed
    turn = rotation(rng)
    direction = np.array([*rng.normal(size=2), 0])
    carried = painting.carried(4, flat.rest @ plane.T @ turn.T + rng.normal(size=3), turn @ plane @ direction)
    np.testing.assert_allclose(carried, direction, atol=1e-9)


def test_changes_are_undone_one_by_one_or_together(painting):
    empty = painting.vectors
    painting.stroke(3, CENTRE, [0, 1, 0], radius=1, strength=0.5)
    first = painting.vectors
    with painting.together():
        for triangle in range(5):
            painting.stroke(triangle, CENTRE, [0, 1, 0], radius=1, strength=0.9)
        painting.erase(40, CENTRE, radius=0.5)
    assert not np.array_equal(painting.vectors, first)
    painting.clear()
    assert not painting.vectors.any()
    assert painting.undo()
    assert painting.undo()
    np.testing.assert_array_equal(painting.vectors, first)
    assert painting.undo()
    np.testing.assert_array_equal(painting.vectors, empty)
    assert not painting.undo()


def test_random_paintings_differ_by_seed_and_are_smooth(painting):
    painting.random(1, strength=0.7)
    one = painting.vectors
    painting.random(1, strength=0.7)
    np.testing.assert_array_equal(painting.vectors, one)
    np.testing.assert_allclose(lengths(painting).max(), 0.7)
    a, b = np.asarray(painting.mesh.edges).T
    smooth = np.linalg.norm(one[a] - one[b], axis=1).mean()
    painting.random(2, strength=0.7)
    assert not np.array_equal(painting.vectors, one)
    painting.random(1, strength=0.7, smoothing=0)
    assert smooth < 0.5 * np.linalg.norm(painting.vectors[a] - painting.vectors[b], axis=1).mean()


def test_the_core_packs_and_reads_what_numpy_does(painting, tmp_path):
    painting.random(6)
    painting.save(tmp_path / "sleeve.npz")
    with np.load(tmp_path / "sleeve.npz") as content:
        assert str(content["format"]) == "pucker painting 1"
        assert content["faces"].dtype == np.int32
        np.testing.assert_array_equal(content["faces"], painting.mesh.faces)
        np.testing.assert_array_equal(content["vectors"], painting.vectors)


def test_a_file_holds_the_painting_of_its_mesh_and_no_other(painting, tmp_path):
    clip = bending_sleeve(frames=3)
    painting.random(5)
    painting.save(tmp_path / "sleeve.npz")
    again = waves.Painting.load(tmp_path / "sleeve.npz", clip.mesh, clip.positions[0])
    np.testing.assert_array_equal(again.vectors, painting.vectors)
    other = squeezed_sheet()
    with pytest.raises(ValueError, match=r"was painted on another mesh, of \d+ vertices"):
        waves.Painting.load(tmp_path / "sleeve.npz", other.mesh, other.positions[0])
    with pytest.raises(ValueError, match=r"another mesh, .* connected so"):
        waves.Painting.load(
            tmp_path / "sleeve.npz", pucker.Mesh(clip.faces[:, [1, 2, 0]], len(clip.positions[0])), clip.positions[0]
        )
    moved = np.array(clip.positions[0])
    moved[7] += 0.1
    with pytest.raises(ValueError, match=r"another rest pose: vertex 7 is 0\.17"):
        waves.Painting.load(tmp_path / "sleeve.npz", clip.mesh, moved)
    with pytest.raises(ValueError, match=r"a painting is an .npz, not sleeve.txt"):
        painting.save(tmp_path / "sleeve.txt")
    content = (tmp_path / "sleeve.npz").read_bytes()
    for damaged in (b"", b"PK", content[: len(content) // 2], content[:-200]):
        (tmp_path / "bad.npz").write_bytes(damaged)
        with pytest.raises(pucker.Error, match="is no painting"):
            waves.Painting.load(tmp_path / "bad.npz", clip.mesh, clip.positions[0])
    np.savez(
        tmp_path / "bad.npz",
        format="pucker painting 1",
        faces=clip.faces,
        rest=clip.positions[0],
        vectors=clip.positions[0] * 9,
    )
    with pytest.raises(pucker.Error, match="the vector of vertex"):
        waves.Painting.load(tmp_path / "bad.npz", clip.mesh, clip.positions[0])


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda p: p.stroke(0, CENTRE, [1, 0, 0], radius=1, strength=1), r"strength must lie in \[0, 1\), got 1"),
        (lambda p: p.stroke(0, CENTRE, [1, 0, 0], radius=1, strength=np.nan), "strength must lie in .* got nan"),
        (lambda p: p.stroke(0, CENTRE, [0, 0, 0], radius=1, strength=0.5), "direction must be"),
        (lambda p: p.stroke(0, CENTRE, [1, np.nan, 0], radius=1, strength=0.5), "direction must be"),
        (lambda p: p.stroke(0, CENTRE, [1, 0, 0], radius=0, strength=0.5), "radius must be finite and above 0, got 0"),
        (lambda p: p.stroke(-1, CENTRE, [1, 0, 0], radius=1, strength=0.5), r"triangle must lie in \[0, \d+\), got -1"),
        (lambda p: p.stroke(0, [2, -1, 0], [1, 0, 0], radius=1, strength=0.5), "barycentric must be"),
        (lambda p: p.erase(0, CENTRE, radius=1, strength=1.5), r"strength must lie in \[0, 1\], got 1.5"),
        (lambda p: p.random(0, strength=1.0), r"strength must lie in \[0, 1\)"),
        (lambda p: p.random(0, smoothing=-1), "smoothing must be at least 0, got -1"),
    ],
)
def test_what_cannot_be_painted_is_refused_and_changes_nothing(painting, change, named):
    painting.random(3)
    before = painting.vectors
    with pytest.raises(ValueError, match=named):
        change(painting)
    np.testing.assert_array_equal(painting.vectors, before)
    assert painting.undo()
    assert not painting.vectors.any()


# --- files beside the parameters ----------------------------------------------------------------------------------


def test_a_painting_beside_the_parameters_wrinkles_cloth_at_rest(tmp_path):
    clip = bending_sleeve(frames=3)
    painting = waves.Painting(clip.mesh, clip.positions[0])
    painting.stroke(10, CENTRE, [0, 1, 0], radius=2, strength=0.8)
    painting.save(tmp_path / "sleeve.npz")
    plain, painted = (
        next(pucker.run(clip, waves.Params(painting=file))).waves.amplitudes
        for file in ("", str(tmp_path / "sleeve.npz"))
    )
    assert plain.max() < 1e-3 * painted.max()
    # Equation 2 of cloth shortened along p: to 1 - |p|².
    wavelength = waves.Params().wavelength * clip.height
    expected = wavelength / 4 * np.sqrt(1 - (1 - lengths(painting) ** 2) ** 2)
    np.testing.assert_allclose(painted, expected, atol=1e-6 * wavelength)
    with pytest.raises(FileNotFoundError, match=r"none\.npz"):
        next(pucker.run(clip, waves.Params(painting=str(tmp_path / "none.npz"))))


def textured() -> pucker.Clip:
    """A sheet squeezed along x, whose texture coordinates are its place in the plane."""
    clip = squeezed_sheet(compression=1.5)
    flat = np.array(clip.positions[0])[:, :2]
    uv = (flat - flat.min(axis=0)) / np.ptp(flat, axis=0)
    return pucker.Clip.from_arrays(clip.faces, clip.positions, clip.times, uv=uv, weld=False)


def test_wavelengths_are_read_from_a_picture_at_the_texture_coordinates(tmp_path):
    clip = textured()
    # White above, half as bright below, rising linearly: what bilinear sampling keeps.
    rows = np.linspace(65535, 32768, 64).round().astype(np.uint16)
    Image.fromarray(np.tile(rows[:, None], (1, 16))).save(tmp_path / "map.png")
    found = waves.factors(tmp_path / "map.png", clip)
    v = np.asarray(clip.uv)[:, 1]
    middle = (v > 0.02) & (v < 0.98)
    # The first pixel's middle is at 1 - 1/128, the last one's at 1/128.
    expected = 0.5 + 0.5 * (v - 1 / 128) / (1 - 1 / 64)
    np.testing.assert_allclose(found[middle], expected[middle], atol=2e-4)
    params = waves.Params(wavelength=0.2, unit="clip", wavelength_map=str(tmp_path / "map.png"))
    states = list(pucker.run(clip, params))
    np.testing.assert_allclose(states[0].waves.wavelengths, 0.2 * found, rtol=1e-12)


def test_wavelengths_are_read_by_vertex(tmp_path):
    clip = textured()
    given = np.linspace(0.5, 2, len(clip.positions[0]))
    np.save(tmp_path / "map.npy", given)
    np.testing.assert_array_equal(waves.factors(tmp_path / "map.npy", clip), given)
    with pytest.raises(FileNotFoundError, match=r"none\.npy"):
        waves.factors(tmp_path / "none.npy", clip)
    (tmp_path / "none.npy").write_bytes(b"no array")
    with pytest.raises(pucker.Error, match=r"none\.npy: is truncated or damaged, or no \.npy: it is no \.npy"):
        waves.factors(tmp_path / "none.npy", clip)
    np.save(tmp_path / "short.npy", given[:-1])
    with pytest.raises(ValueError, match=rf"a number for each of {len(given)} vertices"):
        waves.factors(tmp_path / "short.npy", clip)
    for value in (0.0, -1.0, np.nan, np.inf):
        given[11] = value
        np.save(tmp_path / "map.npy", given)
        with pytest.raises(ValueError, match=rf"finite and above 0, but .*map.npy has {value:g} at vertex 11"):
            waves.factors(tmp_path / "map.npy", clip)


def test_a_picture_in_floating_point_keeps_its_numbers_and_what_is_none_is_refused(tmp_path):
    clip = textured()
    Image.fromarray(np.full((8, 8), 1.75, np.float32)).save(tmp_path / "map.tiff")
    np.testing.assert_array_equal(waves.factors(tmp_path / "map.tiff", clip), 1.75)
    for value in (np.nan, np.inf, -0.5):
        Image.fromarray(np.full((8, 8), value, np.float32)).save(tmp_path / "map.tiff")
        with pytest.raises(ValueError, match=rf"finite and above 0, but .*map.tiff has {value:g} at vertex 0"):
            next(pucker.run(clip, waves.Params(wavelength_map=str(tmp_path / "map.tiff"))))


def test_pictures_that_are_none_or_black_are_refused(tmp_path):
    clip = textured()
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(tmp_path / "black.png")
    with pytest.raises(ValueError, match="has 0 at vertex 0"):
        waves.factors(tmp_path / "black.png", clip)
    (tmp_path / "bad.png").write_bytes(b"no picture")
    with pytest.raises(pucker.Error, match="is no picture"):
        waves.factors(tmp_path / "bad.png", clip)
    bare = squeezed_sheet()
    with pytest.raises(ValueError, match="there are no texture coordinates"):
        waves.factors(tmp_path / "black.png", bare)


def test_the_command_line_takes_both_files(data_dir, tmp_path):
    file = data_dir / "kyonshi_lower.md3"
    clip = pucker.load(file, clip="115:117", parts=["l_dress"])
    painting = waves.Painting(clip.mesh, clip.positions[0])
    painting.random(1)
    painting.save(tmp_path / "p.npz")
    np.save(tmp_path / "w.npy", np.full(clip.mesh.vertex_count, 0.5))
    options = [
        "--method",
        "waves",
        "--clip",
        "115:117",
        "--parts",
        "l_dress",
        "--smooth",
        "0",
        "--levels",
        "2",
        "--quiet",
    ]
    plain = call("bake", file, *options, "-o", tmp_path / "plain.npz")
    result = call(
        "bake", file, *options, "--set", f"painting={tmp_path / 'p.npz'}", "--set", f"wavelength_map={tmp_path / 'w.npy'}",
        "-o", tmp_path / "painted.npz",
    )  # fmt: skip
    assert plain.exit_code == result.exit_code == 0, result.output
    with np.load(tmp_path / "plain.npz") as one, np.load(tmp_path / "painted.npz") as other:
        assert np.abs(one["positions"][0] - other["positions"][0]).max() > 1e-3 * clip.height
    refused = call(
        "bake",
        file,
        *options[:-1],
        "--parts",
        "l_lower",
        "--set",
        f"painting={tmp_path / 'p.npz'}",
        "-o",
        tmp_path / "x.npz",
    )
    assert refused.exit_code == 2
    assert "was painted on another mesh" in refused.stderr


def test_a_run_reads_the_files_that_its_parameters_name():
    kind = method_of(waves.Params())
    assert kind.files(waves.Params()) == ()
    assert kind.files(waves.Params(painting="a.npz", wavelength_map="b.png")) == (Path("a.npz"), Path("b.png"))
