"""Normals that garments are shaded by: the file's own, and those of both sides where one is sewn to the body."""

import itertools
import pickle
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from gltf_oracle import Gltf
from gltf_writer import GltfFile
from motion import params_for
from PIL import Image
from scipy.spatial.transform import Rotation

import pucker
from pucker import bake
from pucker.cli import cli
from pucker.examples import bending_sleeve
from pucker.render import Camera, ClipRenderer, Output
from pucker.shading import turned

DATA = Path(__file__).resolve().parents[1] / "data"
TIMES = np.array([0.0, 0.5, 1.0])
QUARTERS = np.array([[0, 0, 0, 1], [0, 0.382683, 0, 0.923880], [0, 0.707107, 0, 0.707107]])


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def face_normals(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    a, b, c = np.moveaxis(points[faces], 1, 0)
    return unit(np.cross(b - a, c - a))


def cube(divisions: int = 3) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Points (n, 3), normals (n, 3) and triangles of a cube about the origin whose sides share no vertex."""
    v, u = np.mgrid[: divisions + 1, : divisions + 1].reshape(2, -1) / divisions - 0.5
    corner = (np.arange(divisions)[:, None] * (divisions + 1) + np.arange(divisions)).ravel()
    side = np.stack(
        [corner, corner + 1, corner + divisions + 2, corner, corner + divisions + 2, corner + divisions + 1]
    )
    points, normals, faces = [], [], []
    for axis in range(3):
        for sign in (-1.0, 1.0):
            place = np.zeros((len(u), 3))
            place[:, axis], place[:, (axis + 1) % 3], place[:, (axis + 2) % 3] = 0.5 * sign, sign * u, v
            faces.append(side.T.reshape(-1, 3) + sum(map(len, points)))
            points.append(place)
            normals.append(np.tile(sign * np.eye(3)[axis], (len(u), 1)))
    return np.concatenate(points), np.concatenate(normals), np.concatenate(faces)


def turning_file(path: Path, *, with_normals: bool = True, scale: float = 1.0) -> pucker.Clip:
    points, normals, faces = cube()
    file = GltfFile()
    mesh = file.mesh(points, faces, normals=normals if with_normals else None)
    file.animation("turn", {(file.node(mesh=mesh, scale=[scale] * 3), "rotation"): (TIMES, QUARTERS)})
    return pucker.load(file.write(path))


def test_directions_are_turned_by_the_least_rotation():
    draw = np.random.default_rng(5)
    origin, target, directions = unit(draw.normal(size=(3, 200, 3)))
    axis = np.cross(origin, target)
    angle = np.arctan2(np.linalg.norm(axis, axis=1), (origin * target).sum(axis=1))
    expected = Rotation.from_rotvec(unit(axis) * angle[:, None]).apply(directions)
    np.testing.assert_allclose(turned(directions, origin, target), expected, atol=1e-9)
    np.testing.assert_allclose(turned(origin, origin, target), target, atol=1e-9)
    np.testing.assert_allclose(turned(directions, origin, origin), directions, atol=1e-12)
    np.testing.assert_allclose(turned(directions, origin, -origin), -origin, atol=1e-12)


@pytest.mark.parametrize("scale", [0.01, 1.0, 300.0])
def test_a_turning_cube_keeps_the_hard_edges_of_its_file(tmp_path, scale):
    clip = turning_file(tmp_path / "cube.gltf", scale=scale)
    assert clip.has_authored_normals
    copied = pickle.loads(pickle.dumps(clip))
    np.testing.assert_array_equal(copied.shading_normals(5)[0], clip.shading_normals(5)[0])
    for frame in range(0, len(clip), 7):
        garment, body = clip.shading_normals(frame)
        assert body.shape == (0, 3)
        stored = clip.positions[frame][clip.weld]
        expected = face_normals(stored, clip.stored_faces)[:, None]
        np.testing.assert_allclose(garment[clip.stored_faces], np.repeat(expected, 3, axis=1), atol=1e-6)


def test_a_file_without_normals_is_shaded_by_its_triangles(tmp_path):
    clip = turning_file(tmp_path / "cube.gltf", with_normals=False)
    assert not clip.has_authored_normals
    expected = pucker.vertex_normals(clip.mesh, clip.positions[3])[clip.weld]
    np.testing.assert_allclose(clip.shading_normals(3)[0], expected, atol=1e-12)
    authored = turning_file(tmp_path / "cube.gltf")
    np.testing.assert_allclose(authored.shading_normals(3, authored=False)[0], expected, atol=1e-12)


def test_authored_normals_survive_baking(tmp_path):
    clip = turning_file(tmp_path / "cube.gltf")
    bake.surface(clip, tmp_path / "baked.glb", params=params_for(clip), levels=2)
    bake.surface(clip, tmp_path / "baked", params=params_for(clip), levels=2)
    bake.surface(clip, tmp_path / "baked.npz", params=params_for(clip), levels=2)
    document = Gltf(tmp_path / "baked.glb")
    ((primitive,),) = (mesh["primitives"] for mesh in document.json["meshes"])
    points, normals = (document.accessor(primitive["attributes"][name]) for name in ("POSITION", "NORMAL"))
    faces = document.accessor(primitive["indices"]).astype(int).reshape(-1, 3)
    expected = np.repeat(face_normals(points, faces)[:, None], 3, axis=1)
    np.testing.assert_allclose(normals[faces], expected, atol=1e-5)
    arrays = np.load(tmp_path / "baked.npz")
    for frame in (0, len(clip) - 1):
        expected = np.repeat(face_normals(arrays["positions"][frame], arrays["faces"])[:, None], 3, axis=1)
        np.testing.assert_allclose(arrays["normals"][frame][arrays["normal_faces"]], expected, atol=1e-5)
    lines = max((tmp_path / "baked").glob("*.obj")).read_text().splitlines()
    rows = {
        kind: np.array([line.split()[1:] for line in lines if line.startswith(kind + " ")]) for kind in ("v", "vn", "f")
    }
    corners = np.array([[corner.split("/") for corner in row] for row in rows["f"]])
    faces, places = corners[:, :, 0].astype(int) - 1, corners[:, :, 2].astype(int) - 1
    expected = np.repeat(face_normals(rows["v"].astype(float), faces)[:, None], 3, axis=1)
    np.testing.assert_allclose(rows["vn"].astype(float)[places], expected, atol=1e-4)


def test_the_command_line_takes_either_normals(tmp_path):
    turning_file(tmp_path / "cube.gltf")
    cube, baked, drawn = str(tmp_path / "cube.gltf"), {}, {}
    for normals in ("file", "smooth"):
        for words, output, kept in ((["bake", "--levels", "2"], "x.npz", baked), (["render"], "x.png", drawn)):
            path = tmp_path / normals / output
            path.parent.mkdir(exist_ok=True)
            options = ["--frames", "9", "--size", "96x96", "--method", "dynamic"] if words == ["render"] else []
            done = CliRunner().invoke(
                cli, [*words, cube, "-o", str(path), "--normals", normals, *options, "--quiet", "--smooth", "0"]
            )
            assert done.exit_code == 0, done.output
            kept[normals] = np.load(path)["normals"] if output.endswith("npz") else np.asarray(Image.open(path), int)
    assert len(baked["file"][0]) > len(baked["smooth"][0])
    assert (abs(drawn["file"] - drawn["smooth"]).max(axis=2) > 16).sum() > 500


def test_a_cube_is_drawn_with_the_hard_edges_of_its_file(tmp_path):
    clip = turning_file(tmp_path / "cube.gltf")
    sides = face_normals(clip.positions[9][clip.weld], clip.stored_faces)
    shares = []
    for normals in ("file", "smooth"):
        with ClipRenderer(clip, (160, 160), normals=normals) as renderer:
            renderer.show(9)
            seen = renderer.renderer.measure(renderer.surfaces, renderer.camera, Output.normal)
        drawn = seen[seen[..., 3] == 1.0, :3]
        assert len(drawn) > 2000
        shares.append(((drawn @ sides.T).max(axis=1) > 1.0 - 1e-5).mean())
    # A pixel on an edge has the mean of two sides.
    assert shares[0] > 0.97
    assert shares[1] < 0.5


def test_no_triangle_of_the_kimono_is_shaded_against_itself():
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    faces = clip.stored_faces

    def against(normals: np.ndarray, frame: int) -> int:
        own = face_normals(clip.positions[frame][clip.weld], faces)[:, None]
        return int(((normals[faces] * own).sum(axis=2) < 0.0).all(axis=1).sum())

    frames = range(0, len(clip), 6)
    assert sum(against(clip.shading_normals(frame, authored=False)[0], frame) for frame in frames) > 0
    assert sum(against(clip.shading_normals(frame)[0], frame) for frame in frames) == 0


def sewn_strips(folder: Path) -> pucker.Clip:
    """Two strips that meet at right angles along x = 0, in a file without normals; one of them is the garment."""
    v, u = np.mgrid[:5, :3].reshape(2, -1)
    corner = (3 * np.arange(4)[:, None] + np.arange(2)).ravel()
    faces = np.stack([corner, corner + 1, corner + 4, corner, corner + 4, corner + 3], axis=1).reshape(-1, 3)
    flat = np.stack([u - 2.0, v, 0.0 * u], axis=1)
    upright = np.stack([0.0 * u, v, u], axis=1)
    file = GltfFile()
    nodes = [file.node(name=name, mesh=file.mesh(points, faces)) for name, points in (("a", flat), ("b", upright))]
    file.animation("turn", {(node, "rotation"): (TIMES, QUARTERS) for node in nodes})
    return pucker.load(file.write(folder / "strips.gltf"), parts=["a"])


def test_where_a_garment_is_sewn_to_the_body_both_are_shaded_alike(tmp_path):
    clip = sewn_strips(tmp_path)
    assert len(clip.shared_vertices) == 5
    assert not clip.has_authored_normals
    for frame in (0, len(clip) - 1):
        garment, body = clip.shading_normals(frame)
        sewn = clip.shared_vertices[np.searchsorted(clip.shared_vertices, clip.weld) % 5] == clip.weld
        places = clip.positions[frame][clip.weld]
        both = np.linalg.norm(places[:, None] - clip.body_positions[frame], axis=2) < 1e-5
        at, other = np.nonzero(both)
        assert set(at) == set(np.flatnonzero(sewn))
        np.testing.assert_array_equal(garment[at], body[other])
        sides = [
            face_normals(p, f)[0]
            for p, f in ((places, clip.stored_faces), (clip.body_positions[frame], clip.body_faces))
        ]
        inner = at[(places[at, 1] > 0.5) & (places[at, 1] < 3.5)]
        np.testing.assert_allclose(garment[inner], np.tile(unit(sides[0] + sides[1]), (len(inner), 1)), atol=1e-6)
        far = ~sewn
        np.testing.assert_allclose(garment[far], np.tile(sides[0], (far.sum(), 1)), atol=1e-6)


def test_points_of_a_sewn_border_lie_on_both_sides_of_the_picture():
    """Every drawn point of the garment's sewn edges is on the body's edge between the same two vertices."""
    clip = pucker.load(DATA / "kimono_male.gltf", clip="Run", parts=["Clothes", "Band"])
    params = params_for(clip)
    states = list(itertools.islice(pucker.run(clip, params), 10))
    with ClipRenderer(clip, (64, 64), params=params) as renderer:
        renderer.frame(9, states[-1])
        captured = renderer.renderer.capture(renderer.garment)
    shared = np.isin(clip.faces[captured.triangle], clip.shared_vertices)
    sewn_edges = {tuple(sorted(pair)) for pair in lone_edges(clip.faces) if np.isin(pair, clip.shared_vertices).all()}
    checked = 0
    for corner in range(3):
        ends = [(corner + 1) % 3, (corner + 2) % 3]
        on_edge = np.flatnonzero((captured.barycentric[:, corner] == 0.0) & shared[:, ends].all(axis=1))
        for k in on_edge:
            pair = clip.faces[captured.triangle[k], ends]
            if tuple(sorted(pair.tolist())) not in sewn_edges:
                continue
            a, b = clip.positions[9][pair]
            share = captured.barycentric[k, ends[1]]
            assert np.linalg.norm(captured.position[k] - a - share * (b - a)) <= 1e-6 * clip.height
            checked += 1
    assert checked > 50


def test_no_seam_is_drawn_where_two_strips_are_sewn_together(tmp_path):
    """Of two strips that meet at right angles, pixels on both sides of the border have nearly the same normal."""
    clip = sewn_strips(tmp_path)
    with ClipRenderer(clip, (400, 400), camera=Camera.orbit((0.0, 2.0, 0.0), 12.0, -45.0, 0.0)) as renderer:
        renderer.show(0)
        garment, body = (
            renderer.renderer.measure([surface], renderer.camera, Output.normal)
            for surface in reversed(renderer.surfaces)
        )
    ours, theirs = garment[..., 3] == 1.0, body[..., 3] == 1.0
    row = 200
    beside = (ours[row, :-1] & theirs[row, 1:]) | (theirs[row, :-1] & ours[row, 1:])
    at = [(k, k + 1) for k in np.flatnonzero(beside)]
    assert len(at) >= 1
    for k, after in at:
        left, right = (np.where(ours[row, j, None], garment[row, j], body[row, j])[:3] for j in (k, after))
        assert left @ right > np.cos(np.radians(5.0))


def lone_edges(faces: np.ndarray) -> np.ndarray:
    pairs = np.sort(np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]]), axis=1)
    found, counts = np.unique(pairs, axis=0, return_counts=True)
    return found[counts == 1]


def test_md3_models_are_shaded_by_the_normals_of_the_game():
    clip = pucker.load(DATA / "kyonshi_lower.md3")
    means = pucker.vertex_normals(clip.mesh, clip.positions[0])[clip.weld]
    normals = clip.shading_normals(0)[0]
    np.testing.assert_allclose(np.linalg.norm(normals, axis=1), 1.0, atol=1e-9)
    assert np.median((normals * means).sum(axis=1)) > 0.9


def test_normals_of_no_known_kind_are_refused(tmp_path):
    for make in (ClipRenderer, lambda clip, normals: bake.surface(clip, tmp_path / "x.glb", normals=normals)):
        with pytest.raises(ValueError, match="normals must be one of smooth, file, not 'flat'"):
            make(bending_sleeve(), normals="flat")


def test_a_frame_that_there_is_not_is_refused():
    clip = pucker.load(DATA / "kyonshi_lower.md3", clip="0:3")
    assert len(clip) == 7
    for frame in (-1, 7):
        with pytest.raises(ValueError, match=rf"frame must lie in \[0, 7\), not {frame}"):
            clip.shading_normals(frame)
