"""Baked maps: each texel holds what the place it shows has, in the file and in tangent space."""

import itertools
import json
import subprocess

import imageio_ffmpeg
import numpy as np
import OpenEXR
import pytest
import render_scenes as scenes
from PIL import Image
from scipy import ndimage
from scipy.spatial import cKDTree

import pucker
from pucker import bake
from pucker.bake import atlas
from pucker.examples import bending_sleeve

SIZE = 48


def flat_clip(corners, cells=8):
    """The unit square in three frames at rest, its texture coordinates the image of its positions + ½ under `corners`."""
    faces, positions = scenes.grid(cells)
    at = positions[:, :2] + 0.5
    return pucker.Clip.from_arrays(
        faces, np.stack([positions] * 3), [0.0, 0.1, 0.2], uv=at @ np.transpose(corners[0]) + corners[1]
    )


# Texture coordinates as u, v = M (x, y) + t of places in the unit square.
UPRIGHT = (np.eye(2), [0.0, 0.0])
TURNED = (np.array([[0.0, -1.0], [1.0, 0.0]]), [1.0, 0.0])
MIRRORED = (np.array([[-1.0, 0.0], [0.0, 1.0]]), [1.0, 0.0])
HALF = (0.5 * np.eye(2), [0.25, 0.25])


def wave_states(clip):
    packed = scenes.pack_everywhere(len(clip.faces), scenes.PATHS["curved"])
    return [packed] * len(clip)


def texel_centres():
    """Texture coordinates (SIZE, SIZE, 2) of the centres, upper row first."""
    at = (np.arange(SIZE) + 0.5) / SIZE
    u, v = np.meshgrid(at, at[::-1])
    return np.stack([u, v], axis=2)


def places_of_texels(mapping):
    """Points (SIZE², 3) of the square that the texels show."""
    places = (texel_centres().reshape(-1, 2) - mapping[1]) @ np.linalg.inv(mapping[0]).T - 0.5
    return np.pad(places, ((0, 0), (0, 1)))


def read_png(path):
    """Numbers in [0, 1]. Pillow keeps the 16 bits of grey pictures only, ffmpeg those of all."""
    with Image.open(path) as image:
        width, height, grey = *image.size, image.mode == "I;16"
        if grey:
            return np.asarray(image).astype(float) / 65535.0
    command = [imageio_ffmpeg.get_ffmpeg_exe(), "-i", path, "-f", "rawvideo", "-pix_fmt", "rgb48le", "-"]
    done = subprocess.run(command, capture_output=True, check=True)
    assert b"rgb48be" in done.stderr
    return np.frombuffer(done.stdout, "<u2").reshape(height, width, 3) / 65535.0


def read_exr(path):
    channels = OpenEXR.File(str(path)).channels()
    return np.squeeze(next(iter(channels.values())).pixels).astype(float)


RIDGES = pucker.Params.ridges()
READERS = {"png": read_png, "exr": read_exr}


@pytest.mark.parametrize("file_format", ["png", "exr"])
@pytest.mark.parametrize("mapping", [UPRIGHT, TURNED, MIRRORED], ids=["upright", "turned", "mirrored"])
def test_maps_hold_height_and_normal_of_the_place_each_texel_shows(tmp_path, mapping, file_format):
    clip = flat_clip(mapping)
    report = bake.maps(
        clip, tmp_path / "maps", params=RIDGES, states=wave_states(clip), size=SIZE, file_format=file_format
    )
    assert report.covered == {"material_0": 1.0}
    points = places_of_texels(mapping)
    heights = scenes.surface_offset(points, scenes.PATHS["curved"], "bspline")
    scale = report.height_scale if file_format == "png" else 1.0
    found = scale * READERS[file_format](tmp_path / "maps" / f"height_0001.{file_format}")
    assert heights.max() > 0.02
    np.testing.assert_allclose(found.ravel(), heights, atol=1e-6)
    stored = 2.0 * READERS[file_format](tmp_path / "maps" / f"normal_0001.{file_format}").reshape(-1, 3) - 1.0
    # x of a tangent-space normal goes along u, y along v: turning and mirroring take them along.
    in_space = scenes.displaced_normals(points, scenes.PATHS["curved"], "bspline")
    expected = np.column_stack([in_space[:, :2] @ np.transpose(mapping[0]), in_space[:, 2]])
    angles = scenes.degrees_between(stored / np.linalg.norm(stored, axis=1)[:, None], expected)
    assert scenes.degrees_between(expected, [0, 0, 1]).max() > 20.0
    assert angles[heights > 0.0].max() < 0.5


def test_normals_in_object_space_do_not_know_of_texture_coordinates(tmp_path):
    clip = flat_clip(TURNED)
    bake.maps(
        clip, tmp_path / "maps", params=RIDGES, states=wave_states(clip), kinds=["normal"], size=SIZE, space="object"
    )
    points = places_of_texels(TURNED)
    expected = scenes.displaced_normals(points, scenes.PATHS["curved"], "bspline")
    stored = 2.0 * read_png(tmp_path / "maps" / "normal_0000.png").reshape(-1, 3) - 1.0
    wrinkled = scenes.surface_offset(points, scenes.PATHS["curved"], "bspline") > 0.0
    assert scenes.degrees_between(stored, expected)[wrinkled].max() < 0.5


def unrolled_sleeve():
    """A sleeve cut open along a line: u goes round it, v along it, and mirrored in one half."""
    sleeve = bending_sleeve(10, 16)
    triangles = sleeve.positions[0][sleeve.faces]
    turn = np.arctan2(triangles[:, :, 0], triangles[:, :, 2]) / (2 * np.pi) % 1.0
    turn[(np.ptp(turn, axis=1) > 0.5)[:, None] & (turn < 0.5)] += 1.0
    uv = np.stack([turn, triangles[:, :, 1] + 0.5], axis=2).clip(0.0, 1.0)
    left = turn.max(axis=1) < 0.5 + 1e-9
    uv[left, :, 0] = 0.5 - uv[left, :, 0]
    clip = pucker.Clip.from_arrays(
        np.arange(3 * len(triangles)).reshape(-1, 3), sleeve.positions[:, sleeve.faces.ravel()], sleeve.times,
        uv=uv.reshape(-1, 2),
    )  # fmt: skip
    assert clip.mesh.vertex_count == sleeve.mesh.vertex_count
    return clip, uv


def tangent_of(corner, triangle, clip, uv, positions, normals):
    """MikkTSpace's tangent of one corner, triangle by triangle."""
    vertex = clip.faces[triangle, corner]
    total = np.zeros(3)
    for other in clip.mesh.ring(vertex):
        k = list(clip.faces[other]).index(vertex)
        sides = uv[[other, triangle], 1:] - uv[[other, triangle], :1]
        alike = np.sign(np.linalg.det(sides[0])) == np.sign(np.linalg.det(sides[1]))
        if not alike or not np.allclose(uv[other, k], uv[triangle, corner], rtol=0.0, atol=1e-12):
            continue
        p = positions[clip.faces[other]]
        along_u = np.linalg.solve(sides[0], p[1:] - p[:1])[0]
        along_u -= along_u @ normals[vertex] * normals[vertex]
        a, b = p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]
        angle = np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))
        total += angle * along_u / np.linalg.norm(along_u)
    return total / np.linalg.norm(total)


def test_tangent_space_normals_decode_as_mikktspace_says(tmp_path):
    clip, uv = unrolled_sleeve()
    steep = {"tracing": {"bend": 0.0}, "shape": {"aspect": 0.0}}
    params, index, size = RIDGES.replace(min_width=0.015, **steep), 15, 128
    wrinkler = pucker.Wrinkler(clip, params)
    states = [wrinkler.advance(frame.positions, frame.time) for frame in itertools.islice(clip, index + 1)]
    still = pucker.Clip.from_arrays(clip.stored_faces, clip.positions[index : index + 1, clip.weld], [0.0], uv=clip.uv)
    bake.maps(still, tmp_path / "maps", params=params, states=states[-1:], kinds=["normal"], size=size)
    stored = 2.0 * read_png(tmp_path / "maps" / "normal_0000.png") - 1.0
    positions, surface = clip.positions[index], pucker.WrinkledSurface(clip.mesh, RIDGES.shape.profile)
    normals = pucker.vertex_normals(clip.mesh, positions)
    tilts = []
    for triangle in range(len(clip.faces)):
        column, row = np.floor(uv[triangle].mean(axis=0) * size).astype(int)
        centre = np.array([column + 0.5, row + 0.5, size]) / size
        at = np.linalg.solve(np.vstack([uv[triangle].T, np.ones(3)]), centre)
        points = surface.evaluate(positions, states[-1].packed, [triangle], at[None])
        tilts.append(scenes.degrees_between(points.normals[0], points.base_normals[0]))
        if tilts[-1] == 0.0:
            continue
        tangent = at @ [tangent_of(k, triangle, clip, uv, positions, normals) for k in range(3)]
        normal = at @ normals[clip.faces[triangle]]
        side = np.sign(np.linalg.det(uv[triangle, 1:] - uv[triangle, :1]))
        decoded = stored[size - 1 - row, column] @ [tangent, side * np.cross(normal, tangent), normal]
        assert scenes.degrees_between(decoded / np.linalg.norm(decoded), points.normals[0]) < 0.01
    assert (np.array(tilts) > 5.0).sum() > 10


def test_values_go_on_beyond_the_seams(tmp_path):
    clip = flat_clip(HALF)
    padding = 5
    report = bake.maps(
        clip, tmp_path / "maps", params=RIDGES, states=wave_states(clip), kinds=["height"], size=SIZE, padding=padding
    )
    heights = report.height_scale * read_png(tmp_path / "maps" / "height_0000.png")
    assert report.covered["material_0"] == pytest.approx(0.25)
    inside = slice(SIZE // 4, 3 * SIZE // 4)
    for beyond in range(1, padding + 1):
        np.testing.assert_array_equal(heights[inside, SIZE // 4 - beyond], heights[inside, SIZE // 4])
    assert not heights[:, : SIZE // 4 - padding].any()
    tight = bake.maps(
        clip, tmp_path / "tight", params=RIDGES, states=wave_states(clip), kinds=["height"], size=SIZE, padding=0
    )
    picture = read_png(tight.files[1])
    assert not picture[:, : SIZE // 4].any()
    np.testing.assert_allclose(picture[inside, inside], heights[inside, inside] / report.height_scale, atol=1e-12)


@pytest.mark.parametrize("padding", [0, 1, 4, 11, 40])
def test_values_are_carried_on_from_the_nearest_texel(rng, padding):
    for share in (0.0, 0.02, 0.4):
        covered = rng.random((23, 31)) < share
        filled, nearest = atlas._carried_on(covered, padding)
        if not covered.any():
            assert not filled.any()
            continue
        distance = ndimage.distance_transform_edt(~covered)
        np.testing.assert_array_equal(filled, distance <= padding)
        rows, columns = nearest[:, filled]
        assert covered[rows, columns].all()
        np.testing.assert_allclose(np.hypot(*(np.nonzero(filled) - nearest[:, filled])), distance[filled], atol=1e-12)


def test_coordinates_that_rounding_put_outside_are_taken(tmp_path):
    inside, beyond = (
        bake.maps(flat_clip((UPRIGHT[0], np.add(UPRIGHT[1], away))), tmp_path / f"{away}", size=SIZE)
        for away in (0.0, -3e-7)
    )
    for one, other in zip(inside.files, beyond.files, strict=True):
        assert one.read_bytes() == other.read_bytes()


def test_progress_is_told_and_can_end_the_work(tmp_path):
    told = []
    bake.maps(flat_clip(HALF), tmp_path / "maps", size=8, progress=lambda done, count: told.append((done, count)))
    frames = len(flat_clip(HALF))
    assert told == [(k, 2 * frames) for k in range(2 * frames)]

    def stop(done, count):
        if done == frames + 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        bake.maps(flat_clip(HALF), tmp_path / "others", size=8, progress=stop)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["maps"]


def test_flat_cloth_has_flat_maps(tmp_path):
    clip = flat_clip(HALF)
    bake.maps(clip, tmp_path / "maps", size=32)
    assert not read_png(tmp_path / "maps" / "height_0002.png").any()
    normals = read_png(tmp_path / "maps" / "normal_0002.png")
    np.testing.assert_allclose(normals, np.broadcast_to([0.5, 0.5, 1.0], normals.shape), atol=1e-5)


def test_a_sidecar_tells_what_the_numbers_mean(tmp_path):
    clip = flat_clip(UPRIGHT)
    report = bake.maps(clip, tmp_path / "maps", params=RIDGES, states=wave_states(clip), size=32)
    facts = json.loads((tmp_path / "maps" / "maps.json").read_text())
    assert facts == {
        "space": "tangent",
        "normal": "(n + 1) / 2, y up",
        "height_scale": report.height_scale,
        "height_zero": 0.0,
    }
    assert sorted(path.name for path in (tmp_path / "maps").iterdir()) == sorted(path.name for path in report.files)


def test_each_material_has_maps_of_its_own(tmp_path):
    folder = tmp_path / "sheet"
    folder.mkdir()
    faces, positions = scenes.grid(4)
    half = (positions[faces].mean(axis=1)[:, 0] > 0.0).astype(int)
    for index in range(2):
        lines = [f"v {x} {y} {z}" for x, y, z in positions]
        lines += [f"vt {x % 1.0} {y + 0.5}" for x, y, _ in positions]
        for number, name in enumerate(("left", "right")):
            lines.append(f"usemtl {name}")
            for face in faces[half == number] + 1:
                lines.append("f " + " ".join(f"{v}/{v}" for v in face))
        (folder / f"{index}.obj").write_text("\n".join(lines) + "\n")
    clip = pucker.load(folder)
    assert [material.name for material in clip.material_list] == ["left", "right"]
    report = bake.maps(clip, tmp_path / "maps", kinds=["height"], size=16, overlap="first")
    assert sorted(path.name for path in report.files) == [
        *(f"left_height_{k:04d}.png" for k in range(2)), "maps.json", *(f"right_height_{k:04d}.png" for k in range(2)),
    ]  # fmt: skip
    assert set(report.covered) == {"left", "right"}


def overlapping_clip():
    """Two triangles of four, each of which covers a place of the picture twice."""
    faces, positions = scenes.grid(2)
    uv = np.abs(positions[:, :2])
    return pucker.Clip.from_arrays(faces, positions[None], [0.0], uv=uv)


REFUSED = {"overlap": "refuse"}


@pytest.mark.parametrize(
    ("clip", "options", "message"),
    [
        (lambda: bending_sleeve(frames=2), REFUSED, "maps need texture coordinates, and .* has none"),
        (
            overlapping_clip,
            REFUSED,
            r"texture coordinates must not overlap, but triangles \d+ and \d+ share \d+ texels",
        ),
        (lambda: flat_clip((np.eye(2), [0.3, 0.0])), REFUSED, r"must lie in \[0, 1\], but triangle \d+ has \(1.\d+, "),
        (lambda: flat_clip(UPRIGHT), {"kinds": ["colour"]}, "maps must be some of normal, height, not colour"),
        (lambda: flat_clip(UPRIGHT), {"kinds": []}, "maps must be some of normal, height, not none"),
        (lambda: flat_clip(UPRIGHT), {"size": 0}, "at least 1 and at most 16384 texels wide, not 0"),
        (lambda: flat_clip(UPRIGHT), {"padding": -1}, "padding must be at least 0 texels, not -1"),
        (lambda: flat_clip(UPRIGHT), {"space": "world"}, "space must be one of tangent, object, not 'world'"),
        (lambda: flat_clip(UPRIGHT), {"file_format": "jpg"}, "file_format must be one of png, exr, not 'jpg'"),
        (lambda: flat_clip(UPRIGHT), {"overlap": "both"}, "overlap must be one of unwrap, refuse, first, not 'both'"),
    ],
)
def test_maps_that_cannot_be_baked_are_refused(tmp_path, clip, options, message):
    with pytest.raises(ValueError, match=message):
        bake.maps(clip(), tmp_path / "maps", **options)
    assert not list(tmp_path.iterdir())


UNWRAPPED = {
    "kimono_male.gltf": ("Run", ["Clothes", "Band"]),
    "mage.glb": ("Walking_A", ["Mage_Body", "Mage_Cape"]),
    "female_dress.fbx": ("HumanArmature|Female_Walk", ["Dress"]),
    "cowboy.dae": (None, ["joint:Torso", "joint:Chest"]),
    "kyonshi_lower.md3": ("115:123", ["l_lower", "l_dress"]),
    "tshirt_wind.zip": ("0:2", None),
}


@pytest.mark.parametrize("name", UNWRAPPED)
def test_maps_of_every_character_lie_where_its_unwrapped_model_says(name, data_dir, tmp_path):
    chosen, parts = UNWRAPPED[name]
    whole = pucker.load(data_dir / name, clip=chosen, parts=parts, fps=8.0 if name == "cowboy.dae" else 30.0)
    # The last of some frames, in which there are wrinkles.
    last = min(len(whole), 12) - 1
    state = list(itertools.islice(pucker.run(whole), last + 1))[-1]
    still = np.stack([whole.positions[last]] * 2)
    clip = pucker.Clip.from_arrays(whole.faces, still, [0.0, 1.0], weld=False)
    size = 256
    report = bake.maps(clip, tmp_path / "maps", params=RIDGES, states=[state] * 2, size=size, file_format="exr")
    assert report.unwrapped is not None
    model = pucker.load(tmp_path / "maps" / "unwrapped.glb", parts=["garment"])
    assert len(model.faces) == len(clip.faces)
    positions = np.asarray(clip.positions[0])
    np.testing.assert_allclose(model.positions[0][model.faces], positions[clip.faces], atol=1e-5 * clip.height)
    corners = model.uv[model.stored_faces]
    assert corners.min() >= 0.0
    assert corners.max() <= 1.0
    normals = pucker.vertex_normals(clip.mesh, positions)
    tangents = atlas.VertexTangents(clip.with_texture(corners))
    seen = 0
    heights, stored = (read_exr(tmp_path / "maps" / f"{kind}_0000.exr") for kind in ("height", "normal"))
    for triangle in range(len(clip.faces)):
        # The texel at the middle of the triangle, if the triangle has it.
        column, row = np.floor(corners[triangle].mean(axis=0) * size).astype(int)
        centre = np.array([column + 0.5, row + 0.5, size]) / size
        system = np.vstack([corners[triangle].T, np.ones(3)])
        if abs(np.linalg.det(system)) < 1e-9:
            continue
        at = np.linalg.solve(system, centre)
        if at.min() < 1e-3:
            continue
        seen += 1
        point = state.detail.evaluate([triangle], at[None])
        height, normal = heights[size - 1 - row, column], stored[size - 1 - row, column]
        assert height == pytest.approx(float(point.offsets[0]), abs=1e-4 * clip.height)
        # Base point, plus the height along the base normal, is the displaced surface.
        base = at @ positions[clip.faces[triangle]]
        up = at @ normals[clip.faces[triangle]]
        displaced = base + height * up / np.linalg.norm(up)
        np.testing.assert_allclose(displaced, point.positions[0], atol=2e-4 * clip.height)
        axes = tangents.at(positions, np.array([triangle]), at[None]).axes[0]
        decoded = (2.0 * normal - 1.0) @ axes
        assert scenes.degrees_between(decoded / np.linalg.norm(decoded), point.normals[0]) < 0.3
    assert seen > 0.3 * len(clip.faces)


def test_unwrapping_is_told_and_the_same_every_time(tmp_path):
    clip = bending_sleeve(frames=2)
    told = [bake.maps(clip, tmp_path / name, kinds=["height"], size=64) for name in ("one", "two")]
    assert told[0].unwrapped == f"maps need texture coordinates, and {clip.name or 'the clip'} has none"
    assert [path.name for path in told[0].files] == ["maps.json", "unwrapped.glb", "height_0000.png", "height_0001.png"]
    assert "unwrapped.glb" in json.loads((tmp_path / "one" / "maps.json").read_text())["coordinates"]
    for one, other in zip(told[0].files, told[1].files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    assert bake.maps(flat_clip(UPRIGHT), tmp_path / "own", kinds=["height"], size=64).unwrapped is None


def test_the_first_of_two_overlapping_triangles_may_have_the_texels(tmp_path):
    report = bake.maps(overlapping_clip(), tmp_path / "maps", size=16, overlap="first")
    assert report.covered == {"material_0": pytest.approx(0.25)}


def test_maps_of_a_real_character_agree_with_its_drawing_points(data_dir, tmp_path):
    clip = pucker.load(data_dir / "cowboy.dae", fps=8.0)
    params = RIDGES.replace(min_width=0.0075 * clip.height, tracing={"bend": 0.0}, shape={"border_fade": 0.0})
    wrinkler = pucker.Wrinkler(clip, params)
    states = [wrinkler.advance(frame.positions, frame.time) for frame in itertools.islice(clip, len(clip))]
    report = bake.maps(
        clip, tmp_path / "maps", params=params, states=states, kinds=["height"], size=256, overlap="first"
    )
    picture = report.height_scale * read_png(tmp_path / "maps" / "height_0003.png")
    surface = pucker.WrinkledSurface(clip.mesh, RIDGES.shape.profile)
    at = np.full((len(clip.faces), 3), 1.0 / 3.0)
    points = surface.evaluate(clip.positions[3], states[3].packed, np.arange(len(clip.faces)), at)
    centres = clip.uv[clip.stored_faces].mean(axis=1)
    column, row = np.floor(centres * [256, 256]).astype(int).T
    size = np.ptp(clip.uv[clip.stored_faces], axis=1).min(axis=1) * 256
    # Triangles much larger than a texel: there the middle's height is the texel's, up to what it changes in a texel.
    large = size > 8.0
    found = picture[255 - row[large], column[large]]
    assert (points.offsets[large] > 0.2 * report.height_scale).sum() > 4
    assert np.median(np.abs(found - points.offsets[large])[points.offsets[large] > 0.0]) < 0.1 * report.height_scale


def test_a_detail_that_is_a_mesh_of_its_own_is_baked_as_that_mesh(data_dir, tmp_path):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"], fps=4.0)
    params = pucker.byexample.Params(trained=str(data_dir / "kimono.pose.npz"))
    report = bake.surface(clip, tmp_path / "walk.npz", params=params, body=False)
    states = list(pucker.run(clip, params))
    own = states[0].detail.own_mesh
    assert (report.triangles, report.vertices) == (len(own.faces), len(own.triangles))
    assert report.limited_edges == 0
    with np.load(tmp_path / "walk.npz") as baked:
        for positions, state in zip(baked["positions"], states, strict=True):
            # Each vertex of the learned surface is there, and nothing else, whatever the order.
            for one, other in ((positions, state.surface.positions), (state.surface.positions, positions)):
                assert cKDTree(one).query(other)[0].max() < 1e-6 * clip.height
