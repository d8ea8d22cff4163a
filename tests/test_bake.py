"""Baked files, opened again by readers that share no code with the writers."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import render_scenes as scenes
import trimesh
from gltf_oracle import Gltf
from PIL import Image
from pxr import Usd, UsdGeom, UsdShade, UsdValidation

import pucker
from pucker import bake
from pucker._core.draw import PLAIN_STYLE, srgb_from_linear
from pucker.bake.clip import Details
from pucker.bake.mesh import BakedClip, wanted_levels
from pucker.examples import bending_sleeve
from pucker.render import Camera, ClipRenderer, Mode, Renderer, Style
from pucker.shading import detailed_normals

LEVELS = 3


@pytest.fixture(scope="module")
def walk(data_dir):
    """A garment of two materials with a body, without texture coordinates; its parameters, and its wrinkles by frame."""
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"], fps=6.0)
    params = pucker.Params.ridges().replace(min_width=0.0075 * clip.height, threshold=1.15)
    wrinkler = pucker.Wrinkler(clip, params)
    packed = [wrinkler.advance(frame.positions, frame.time).packed for frame in clip]
    assert sum(len(frame.overlaps) > 0 for frame in packed) > 4
    return clip, params, packed


@pytest.fixture(scope="module")
def mage(data_dir):
    """A textured character, part of which is cloth."""
    return pucker.load(data_dir / "mage.glb", clip="Walking_A", parts=["Cube.155"], fps=4.0)


def expected_corners(walk, levels=LEVELS):
    """Positions and normals (frames, M, 3, 3) of the garment's corners, triangles sorted by material, and materials."""
    clip, params, packed = walk
    fine = pucker.Subdivision(clip.mesh, levels)
    surface = pucker.WrinkledSurface(clip.mesh, params.shape.profile)
    points = [
        surface.evaluate(positions, frame, fine.triangles, fine.barycentrics)
        for positions, frame in zip(clip.positions, packed, strict=True)
    ]
    order = np.argsort(clip.materials[fine.source], kind="stable")
    return (
        np.stack([frame.positions[fine.faces[order]] for frame in points]),
        np.stack(
            [
                detailed_normals(
                    clip.shading_normals(k)[0][clip.stored_faces], fine, frame.base_normals, frame.normals
                )[order]
                for k, frame in enumerate(points)
            ]
        ),
    )


def body_corners(clip):
    order = np.argsort(clip.body_materials, kind="stable")
    return clip.body_positions[:, clip.body_faces[order]]


class GlbReader:
    """Meshes of a GLB as a player shows them at a time."""

    def __init__(self, path):
        self.gltf = Gltf(path)

    def weights(self, node, time):
        (animation,) = self.gltf.json["animations"]
        (channel,) = (c for c in animation["channels"] if c["target"] == {"node": node, "path": "weights"})
        sampler = animation["samplers"][channel["sampler"]]
        times, values = self.gltf.accessor(sampler["input"])[:, 0], self.gltf.accessor(sampler["output"])
        table = values.reshape(len(times), -1)
        if sampler["interpolation"] == "STEP":
            return table[np.searchsorted(times, time, "right") - 1]
        return np.array([np.interp(time, times, column) for column in table.T])

    def corners(self, name, time):
        """Positions and normals (M, 3, 3) of a mesh's corners."""
        (node,) = (k for k, item in enumerate(self.gltf.json["nodes"]) if item["name"] == name)
        weights = self.weights(node, time)
        found = {"POSITION": [], "NORMAL": []}
        for primitive in self.gltf.json["meshes"][self.gltf.json["nodes"][node]["mesh"]]["primitives"]:
            indices = self.gltf.accessor(primitive["indices"])[:, 0].astype(int)
            for kind, corners in found.items():
                value = self.gltf.accessor(primitive["attributes"][kind])
                for weight, target in zip(weights, primitive["targets"], strict=True):
                    if weight:
                        value = value + weight * self.gltf.accessor(target[kind])
                corners.append(value[indices].reshape(-1, 3, 3))
        return np.concatenate(found["POSITION"]), np.concatenate(found["NORMAL"])


def usd_corners(path, name, frame):
    """Positions and normals (M, 3, 3) of the corners, triangles sorted by material."""
    stage = Usd.Stage.Open(str(path))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath(f"/clip/{name}"))
    faces = np.array(mesh.GetFaceVertexIndicesAttr().Get()).reshape(-1, 3)
    subsets = UsdShade.MaterialBindingAPI(mesh).GetMaterialBindSubsets()
    order = np.concatenate([np.array(s.GetIndicesAttr().Get()) for s in subsets]) if subsets else np.arange(len(faces))
    code = stage.GetStartTimeCode() + frame
    indexed = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals")
    if indexed.HasValue():
        assert indexed.GetInterpolation() == "faceVarying"
        of_corners = np.array(indexed.ComputeFlattened(code)).reshape(-1, 3, 3)
    else:
        assert mesh.GetNormalsInterpolation() == "vertex"
        of_corners = np.array(mesh.GetNormalsAttr().Get(code))[faces]
    return np.array(mesh.GetPointsAttr().Get(code))[faces[order]], of_corners[order]


def mesh_sizes(path, name):
    """Number of triangles of each material of a mesh of a USD stage."""
    stage = Usd.Stage.Open(str(path))
    binding = UsdShade.MaterialBindingAPI(stage.GetPrimAtPath(f"/clip/{name}"))
    return [len(subset.GetIndicesAttr().Get()) for subset in binding.GetMaterialBindSubsets()]


def obj_corners(path, materials):
    """Positions and normals (M, 3, 3) of the corners of what has some materials, one after the other, by trimesh."""
    geometry = trimesh.load(path, process=False, force="scene").geometry
    meshes = [geometry[name] for name in materials]
    return tuple(
        np.concatenate([values(mesh)[mesh.faces] for mesh in meshes])
        for values in (lambda mesh: mesh.vertices, lambda mesh: mesh.vertex_normals)
    )


@pytest.mark.parametrize("suffix", [".glb", ".usdc", ".usda", ".usdz", ".npz", ""])
def test_a_baked_file_holds_the_evaluated_surface_of_every_frame(walk, tmp_path, suffix):
    clip, params, packed = walk
    path = tmp_path / f"walk{suffix}"
    report = bake.surface(clip, path, params=params, states=packed, levels=LEVELS, per_frame=False)
    positions, normals = expected_corners(walk)
    body = body_corners(clip)
    assert (report.frames, report.triangles) == (len(clip), positions.shape[1])
    assert report.bytes == sum(file.stat().st_size for file in report.files) > 0
    for index in range(len(clip)):
        if suffix == ".glb":
            reader = GlbReader(path)
            found, body_found = reader.corners("garment", clip.times[index]), reader.corners("body", clip.times[index])
        elif suffix.startswith(".usd"):
            found, body_found = usd_corners(path, "garment", index), usd_corners(path, "body", index)
        elif suffix == ".npz":
            archive = np.load(path)
            sides = (("", archive["materials"]), ("body_", archive["body_materials"]))
            found, body_found = (
                tuple(
                    archive[f"{prefix}{kind}"][index][archive[f"{prefix}{rows}"][np.argsort(materials, kind="stable")]]
                    for kind, rows in (("positions", "faces"), ("normals", "faces" if prefix else "normal_faces"))
                )
                for prefix, materials in sides
            )
        else:
            file = path / f"walk_{index:04d}.obj"
            found, body_found = obj_corners(file, ("Clothes", "Band")), obj_corners(file, ("Skin", "Face"))
        np.testing.assert_allclose(found[0], positions[index], atol=1e-6 * clip.height)
        np.testing.assert_allclose(found[1], normals[index], atol=2e-5)
        np.testing.assert_allclose(body_found[0], body[index], atol=1e-6 * clip.height)
        np.testing.assert_allclose(np.linalg.norm(body_found[1], axis=2), 1.0, atol=1e-4)


def test_between_two_frames_a_player_blends_them_or_keeps_the_earlier(walk, tmp_path):
    clip, params, packed = walk
    time = 0.75 * clip.times[3] + 0.25 * clip.times[4]
    positions, _ = expected_corners(walk)
    for interpolation, expected in (("linear", 0.75 * positions[3] + 0.25 * positions[4]), ("step", positions[3])):
        path = tmp_path / f"{interpolation}.glb"
        bake.surface(clip, path, params=params, states=packed, levels=LEVELS, interpolation=interpolation)
        np.testing.assert_allclose(GlbReader(path).corners("garment", time)[0], expected, atol=1e-6 * clip.height)


def test_frames_of_their_own_are_shown_one_at_a_time(walk, tmp_path):
    clip, params, packed = walk
    path = tmp_path / "walk.glb"
    bake.surface(clip, path, params=params, states=packed, per_frame=True)
    gltf = Gltf(path)
    (animation,) = gltf.json["animations"]
    scales = {}
    for channel in animation["channels"]:
        if channel["target"]["path"] == "scale":
            sampler = animation["samplers"][channel["sampler"]]
            assert sampler["interpolation"] == "STEP"
            scales[channel["target"]["node"]] = [gltf.accessor(sampler[side]) for side in ("input", "output")]
    for index, time in enumerate(clip.times):
        shown = [
            gltf.json["nodes"][node]["name"]
            for node, (times, values) in scales.items()
            if values[np.searchsorted(times[:, 0], np.float32(time), "right") - 1].any()
        ]
        assert shown == [f"frame_{index:04d}_garment"]


def test_frames_of_their_own_have_the_triangles_their_wrinkles_need(walk, tmp_path):
    clip, params, packed = walk
    levels = wanted_levels(clip, Details(clip, packed, params), 3 / 8)
    surface = pucker.WrinkledSurface(clip.mesh, params.shape.profile)
    bake.surface(clip, tmp_path / "walk.glb", params=params, states=packed, per_frame=True)
    bake.surface(clip, tmp_path / "walk", params=params, states=packed)
    scene = trimesh.load(tmp_path / "walk.glb", process=False)
    for index in (3, 4):
        fine = pucker.Subdivision(clip.mesh, levels[index])
        points = surface.evaluate(clip.positions[index], packed[index], fine.triangles, fine.barycentrics)
        order = np.argsort(clip.materials[fine.source], kind="stable")
        expected = points.positions[fine.faces[order]]
        meshes = [mesh for name, mesh in scene.geometry.items() if name.startswith(f"frame_{index:04d}_garment")]
        from_glb = np.concatenate([mesh.vertices[mesh.faces] for mesh in meshes])
        from_obj, _ = obj_corners(tmp_path / "walk" / f"walk_{index:04d}.obj", ("Clothes", "Band"))
        np.testing.assert_allclose(from_glb, expected, atol=1e-6 * clip.height)
        np.testing.assert_allclose(from_obj, expected, atol=1e-6 * clip.height)


def test_one_mesh_for_all_frames_is_fine_enough_for_each(walk, tmp_path):
    clip, params, packed = walk
    wanted = wanted_levels(clip, Details(clip, packed, params), 0.5)
    common = bake.surface(clip, tmp_path / "one.npz", params=params, states=packed)
    own = bake.surface(clip, tmp_path / "own.glb", params=params, states=packed, edge_share=0.5, per_frame=True)
    assert common.triangles == len(pucker.Subdivision(clip.mesh, np.max(wanted, axis=0)).faces)
    assert own.triangles == max(len(pucker.Subdivision(clip.mesh, levels).faces) for levels in wanted)
    assert len(clip.faces) < own.triangles < common.triangles


def test_edges_are_a_share_of_the_width_of_the_wrinkles_there(walk):
    clip, params, packed = walk
    for positions, frame, levels in zip(
        clip.positions, packed, wanted_levels(clip, Details(clip, packed, params), 0.5), strict=True
    ):
        for triangle, (count, start) in enumerate(frame.triangles.astype(int)):
            for first, last in frame.overlaps[start : start + count].astype(int):
                part = frame.points[first : last + 1]
                width = max(min(part[:, 3].min(), part[:-1, 12].min()), params.min_width)
                corners = positions[clip.faces[triangle]]
                lengths = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
                pieces = lengths / levels[clip.mesh.triangle_edges[triangle]]
                assert pieces.max() <= 0.5 * width * (1 + 1e-6)
        reached = np.unique(clip.mesh.triangle_edges[frame.triangles[:, 0] > 0])
        assert (np.delete(levels, reached) == 1).all()


def test_finer_triangles_come_closer_to_the_surface(walk, rng):
    clip, params, packed = walk
    surface, index = pucker.WrinkledSurface(clip.mesh, params.shape.profile), 4
    errors = []
    for share in (1.0, 0.5, 0.25):
        fine = pucker.Subdivision(clip.mesh, wanted_levels(clip, Details(clip, packed, params), share)[index])
        corners = surface.evaluate(clip.positions[index], packed[index], fine.triangles, fine.barycentrics).offsets
        at, weights = rng.integers(len(fine.faces), size=20_000), rng.dirichlet(np.ones(3), size=20_000)
        places = np.einsum("kc,kcd->kd", weights, fine.corners[at])
        exact = surface.evaluate(clip.positions[index], packed[index], fine.source[at], places).offsets
        between = np.einsum("kc,kc->k", weights, corners[fine.faces[at]])
        errors.append(np.sqrt(np.mean((between - exact)[exact > 0.0] ** 2)))
    assert errors[2] < 0.7 * errors[1] < 0.5 * errors[0]
    assert errors[1] < 0.05 * corners.max()


def test_a_body_is_baked_only_if_asked_for(walk, tmp_path):
    clip, params, packed = walk
    bake.surface(clip, tmp_path / "walk.npz", params=params, states=packed, levels=1, body=False)
    assert not [name for name in np.load(tmp_path / "walk.npz") if name.startswith("body")]
    bake.surface(clip, tmp_path / "walk.glb", params=params, states=packed, levels=1, body=False)
    assert [node["name"] for node in Gltf(tmp_path / "walk.glb").json["nodes"]] == ["garment"]


def texture_corners(clip, levels):
    fine = pucker.Subdivision(clip.mesh, levels)
    return np.einsum("fkc,fcd->fkd", fine.corners, clip.uv[clip.stored_faces[fine.source]])


def test_a_gltf_keeps_texture_coordinates_and_pictures(mage, tmp_path):
    bake.surface(mage, tmp_path / "mage.glb", levels=2)
    gltf = Gltf(tmp_path / "mage.glb")
    (primitive,) = gltf.json["meshes"][0]["primitives"]
    uv = gltf.accessor(primitive["attributes"]["TEXCOORD_0"])[gltf.accessor(primitive["indices"])[:, 0].astype(int)]
    np.testing.assert_allclose(uv.reshape(-1, 3, 2) * [1, -1] + [0, 1], texture_corners(mage, 2), atol=1e-6)
    (picture,) = gltf.json["images"]
    content = gltf.view(picture["bufferView"])
    assert content[: len(mage.material_list[0].texture)] == bytes(mage.material_list[0].texture)
    loaded = trimesh.load(tmp_path / "mage.glb", process=False).geometry["garment"]
    with Image.open(io.BytesIO(bytes(mage.material_list[0].texture))) as expected:
        assert loaded.visual.material.baseColorTexture.size == expected.size


def test_usd_keeps_texture_coordinates_materials_and_pictures(mage, tmp_path):
    report = bake.surface(mage, tmp_path / "mage.usdc", levels=2)
    stage = Usd.Stage.Open(str(tmp_path / "mage.usdc"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/clip/garment"))
    coordinates = np.array(UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st").ComputeFlattened())
    np.testing.assert_allclose(coordinates.reshape(-1, 3, 2), texture_corners(mage, 2), atol=1e-6)
    material = UsdShade.MaterialBindingAPI(mesh).ComputeBoundMaterial()[0]
    assert material.GetPrim().GetName() == "mage_texture"
    texture = UsdShade.Shader(stage.GetPrimAtPath(material.GetPath().AppendChild("texture")))
    file = Path(texture.GetInput("file").Get().resolvedPath)
    assert file in [path.resolve() for path in report.files]
    assert file.read_bytes() == bytes(mage.material_list[0].texture)


def test_obj_files_keep_texture_coordinates_and_pictures(mage, tmp_path):
    bake.surface(mage, tmp_path / "mage", levels=2)
    lines = (tmp_path / "mage" / "mage_0000.obj").read_text().split("o body")[0].splitlines()
    uv = np.array([line.split()[1:] for line in lines if line.startswith("vt ")], float)
    faces = [[int(corner.split("/")[1]) for corner in line.split()[1:]] for line in lines if line.startswith("f ")]
    np.testing.assert_allclose(uv[np.array(faces) - 1], texture_corners(mage, 2), atol=1e-6)
    (picture,) = (
        line.split()[1]
        for line in (tmp_path / "mage" / "materials.mtl").read_text().splitlines()
        if line.startswith("map_Kd")
    )
    assert (tmp_path / "mage" / picture).read_bytes() == bytes(mage.material_list[0].texture)


def test_vertices_of_a_gltf_are_split_at_seams_only(mage, tmp_path):
    bake.surface(mage, tmp_path / "mage.glb", levels=1)
    loaded = trimesh.load(tmp_path / "mage.glb", process=False).geometry["garment"]
    corners = np.column_stack([mage.faces.ravel(), mage.uv[mage.stored_faces].reshape(-1, 2).round(6)])
    assert len(np.unique(corners, axis=0)) <= len(loaded.vertices) <= len(mage.uv)


@pytest.mark.parametrize("suffix", [".usdc", ".usda", ".usdz"])
def test_usd_files_pass_the_validators(walk, mage, tmp_path, suffix):
    clip, params, packed = walk
    bake.surface(clip, tmp_path / f"walk{suffix}", params=params, states=packed, levels=2)
    bake.surface(mage, tmp_path / f"mage{suffix}", levels=1)
    validators = UsdValidation.ValidationRegistry().GetOrLoadAllValidators()
    for name in ("walk", "mage"):
        stage = Usd.Stage.Open(str(tmp_path / f"{name}{suffix}"))
        found = UsdValidation.ValidationContext(validators).Validate(stage)
        assert [error.GetMessage() for error in found] == []


def test_assimp_opens_a_baked_gltf(walk, tmp_path):
    clip, params, packed = walk
    bake.surface(clip, tmp_path / "walk.glb", params=params, states=packed, levels=2)
    found = pucker.inspect(tmp_path / "walk.glb")
    assert found.triangles == len(pucker.Subdivision(clip.mesh, 2).faces) + len(clip.body_faces)
    assert set(found.materials) == {"Clothes", "Band", "Skin", "Face"}


@pytest.mark.parametrize(
    ("name", "parts"),
    [
        ("walk.npz", None),
        *((name, ["garment"]) for name in ("walk.usdc", "walk.usdz", "walk.glb", "walk.gltf", "walk")),
    ],
)
def test_what_was_baked_can_be_loaded_as_a_clip(walk, tmp_path, name, parts):
    clip, params, packed = walk
    bake.surface(clip, tmp_path / name, params=params, states=packed, levels=2, per_frame=False)
    again = pucker.load(tmp_path / name, fps=6.0, parts=parts)
    positions, _ = expected_corners(walk, 2)
    order = np.argsort([clip_material(again, number) for number in again.materials], kind="stable")
    np.testing.assert_allclose(again.positions[:, again.faces[order]], positions, atol=1e-6 * clip.height)
    np.testing.assert_allclose(again.times, clip.times, atol=1e-6)


def clip_material(clip, number):
    """The place of a material in the list of the kimono's file."""
    return ("Skin", "Clothes", "Band", "Face").index(clip.material_list[number].name)


@pytest.mark.parametrize("name", ["mage.npz", "mage.usdc", "mage.glb", "mage"])
def test_texture_coordinates_come_back(mage, tmp_path, name):
    bake.surface(mage, tmp_path / name, levels=2, per_frame=False, body=False)
    again = pucker.load(tmp_path / name, fps=4.0)
    np.testing.assert_allclose(again.uv[again.stored_faces], texture_corners(mage, 2), atol=1e-6)
    if name == "mage.usdc":
        assert bytes(again.material_list[0].texture) == bytes(mage.material_list[0].texture)


def test_a_gltf_with_its_numbers_beside_it_is_the_same(walk, tmp_path):
    clip, params, packed = walk
    for suffix in (".glb", ".gltf"):
        report = bake.surface(clip, tmp_path / f"walk{suffix}", params=params, states=packed, levels=2)
    assert [file.name for file in report.files] == ["walk.gltf", "walk.bin"]
    one, other = (trimesh.load(tmp_path / f"walk{suffix}", process=False).geometry for suffix in (".glb", ".gltf"))
    assert list(one) == list(other)
    for name in one:
        np.testing.assert_array_equal(one[name].vertices, other[name].vertices)


def test_one_frame_is_a_still(walk, tmp_path):
    clip = bending_sleeve(frames=2)
    still = pucker.Clip.from_arrays(clip.faces, clip.positions[:1], [0.0])
    for name in ("still.glb", "still.usdc", "still.npz", "still", "own.glb"):
        report = bake.surface(still, tmp_path / name, per_frame=True if name == "own.glb" else None)
        assert report.frames == 1
    assert "animations" not in Gltf(tmp_path / "still.glb").json
    assert len(trimesh.load(tmp_path / "own.glb").geometry["frame_0000_garment"].faces) == len(clip.faces)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        (
            "walk.fbx",
            {},
            r"must end in one of .glb, .gltf, .usdc, .usda, .usd, .usdz, .abc, .npz, or in none for OBJ files",
        ),
        ("walk.usdc", {"per_frame": True}, ".usdc files hold one mesh for all frames"),
        ("walk.npz", {"per_frame": True}, ".npz files hold one mesh for all frames"),
        ("walk.glb", {"levels": 0}, "number of pieces of an edge must be at least 1, not 0"),
        ("walk.glb", {"edge_share": 0.0}, "must be positive, not 0.0"),
        ("walk.glb", {"interpolation": "cubic"}, "interpolation must be 'linear' or 'step', not 'cubic'"),
        ("walk.glb", {"states": []}, "one state a frame: 8, not 0"),
    ],
)
def test_what_cannot_be_baked_is_refused(walk, tmp_path, name, options, message):
    clip, params, packed = walk
    with pytest.raises(ValueError, match=message):
        bake.surface(clip, tmp_path / name, params=params, **{"states": packed, **options})
    assert not list(tmp_path.iterdir())


def test_a_folder_that_does_not_exist_is_named(walk, tmp_path):
    clip, params, packed = walk
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        bake.surface(clip, tmp_path / "nowhere" / "walk.glb", params=params, states=packed)
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        bake.maps(clip, tmp_path / "nowhere" / "maps", params=params, states=packed)


def test_a_folder_that_holds_other_obj_files_is_left_alone(walk, tmp_path):
    clip, params, packed = walk
    folder = tmp_path / "walk"
    folder.mkdir()
    (folder / "walk_0900.obj").write_text("# of a longer clip\n")
    with pytest.raises(ValueError, match=r"holds walk_0900.obj, which is no frame of this clip"):
        bake.surface(clip, folder, params=params, states=packed)
    assert [path.name for path in folder.iterdir()] == ["walk_0900.obj"]


@pytest.fixture
def failing_late(monkeypatch):
    """The fourth frame cannot be evaluated."""
    evaluate = BakedClip.garment

    def fail(self, index):
        if index == 3:
            raise MemoryError("no room for the fourth frame")
        return evaluate(self, index)

    monkeypatch.setattr(BakedClip, "garment", fail)


@pytest.mark.parametrize("name", ["walk.glb", "walk.gltf", "walk.usdc", "walk.usdz", "walk.npz"])
def test_a_file_that_was_not_finished_leaves_the_earlier_one(walk, tmp_path, failing_late, name):
    clip, params, packed = walk
    (tmp_path / name).write_text("earlier")
    with pytest.raises(MemoryError):
        bake.surface(clip, tmp_path / name, params=params, states=packed, levels=2)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [(name, "earlier")]


def test_a_sequence_that_was_not_finished_leaves_nothing(walk, tmp_path, failing_late):
    clip, params, packed = walk
    with pytest.raises(MemoryError):
        bake.surface(clip, tmp_path / "walk", params=params, states=packed, levels=2)
    assert list(tmp_path.iterdir()) == []


def test_packed_wrinkles_that_break_a_rule_are_refused_before_anything_is_written(walk, tmp_path):
    clip, params, packed = walk
    bad = scenes.Packed(packed[3].triangles, packed[3].overlaps, packed[3].points.copy())
    bad.points[0, 0] = np.nan
    states = [*packed[:3], bad, *packed[4:]]
    with pytest.raises(ValueError, match="packed points must be finite, but point 0 is not"):
        bake.surface(clip, tmp_path / "walk", params=params, states=states)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("lit_by", ["smooth", "file"])
def test_a_baked_frame_looks_as_it_is_drawn(walk, tmp_path, lit_by):
    clip, params, packed = walk
    index, size = 4, (300, 400)
    bake.surface(clip, tmp_path / "walk.usdc", params=params, states=packed, edge_share=0.3, normals=lit_by)
    camera = Camera.fit(clip.positions[index], (35.0, 10.0), aspect=size[0] / size[1])
    with ClipRenderer(clip, size, params=params, camera=camera, normals=lit_by, style=PLAIN_STYLE) as renderer:
        drawn, smooth = (renderer.frame(index, frame).astype(int) for frame in (packed[index], None))
    colours = srgb_from_linear(np.array([material.color for material in clip.material_list]))
    with Renderer(size) as renderer:
        surfaces = []
        for name, materials in (("garment", (1, 2)), ("body", (0, 3))):
            positions, normals = usd_corners(tmp_path / "walk.usdc", name, index)
            sizes = mesh_sizes(tmp_path / "walk.usdc", name)
            surface = renderer.surface(
                np.arange(3 * len(positions)).reshape(-1, 3),
                3 * len(positions),
                colours=np.repeat(colours[list(materials)], sizes, axis=0),
            )
            surface.set_positions(positions.reshape(-1, 3), normals.reshape(-1, 3))
            surfaces.append(surface)
        baked = renderer.render(surfaces, camera, Style(mode=Mode.base))[..., :3].astype(int)
    different = (np.abs(baked - drawn).max(axis=2) > 16).mean()
    assert (np.abs(smooth - drawn).max(axis=2) > 16).mean() > 0.004
    assert different < 0.002


def test_usd_with_hard_edges_writes_which_normal_a_corner_has_once(walk, tmp_path):
    clip, params, packed = walk
    bake.surface(clip, tmp_path / "walk.usdc", params=params, states=packed, edge_share=0.3, normals="file")
    stage = Usd.Stage.Open(str(tmp_path / "walk.usdc"))
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/clip/garment"))
    corners = len(mesh.GetFaceVertexIndicesAttr().Get())
    normals = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("normals")
    assert not normals.GetIndicesAttr().GetTimeSamples()
    assert len(normals.GetAttr().GetTimeSamples()) == len(packed)
    assert len(normals.Get(stage.GetStartTimeCode())) < 0.6 * corners


def test_frames_do_not_depend_on_how_they_are_grouped(walk, tmp_path):
    clip, params, packed = walk
    first = bake.surface(clip, tmp_path / "a.glb", params=params)
    second = bake.surface(clip, tmp_path / "b.glb", params=params, states=packed)
    assert first.files[0].read_bytes() == second.files[0].read_bytes()


# --- the command -----------------------------------------------------------------------------------------------------


def run_bake(*arguments, **options):
    return subprocess.run(
        [Path(sys.executable).with_name("pucker"), "bake", *map(str, arguments)],
        capture_output=True, text=True, check=False, timeout=120, **options,
    )  # fmt: skip


def test_the_command_bakes_and_tells_what_it_wrote(data_dir, tmp_path):
    cloth = (data_dir / "kimono_male.gltf", "--clip", "Walk", "--parts", "Clothes,Band", "--fps", 4)
    done = run_bake(*cloth, "-o", tmp_path / "walk.glb", "--levels", 2, "--json", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    content = json.loads(done.stdout)
    assert content["files"] == [str(tmp_path / "walk.glb")]
    assert content["bytes"] == (tmp_path / "walk.glb").stat().st_size
    assert content["triangles"] == sum(
        len(mesh.faces)
        for name, mesh in trimesh.load(tmp_path / "walk.glb").geometry.items()
        if name.startswith("garment")
    )


@pytest.mark.slow
def test_the_kimono_s_walk_is_baked_at_full_rate(data_dir, tmp_path):
    done = run_bake(
        data_dir / "kimono_male.gltf",
        "--clip",
        "Walk",
        "--parts",
        "Clothes,Band",
        "-o",
        tmp_path / "walk.glb",
        "--json",
    )
    content = json.loads(done.stdout)
    assert content["frames"] == 38
    assert content["limited_edges"] == 0
    assert content["bytes"] < 1e8
