"""USD: stages written by its own library come back as what went in, and what is damaged is refused."""

from pathlib import Path

import numpy as np
import pytest
from motion import rotation, waves
from numpy.typing import NDArray
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, UsdSkel, UsdUtils, Vt
from sheet_in_motion import FACES, FPS, FRAMES, QUADS, TIMES, Array, assert_moves, rest_sheet

import pucker


@pytest.fixture
def motion(rng: np.random.Generator) -> Array:
    """A sheet of 42 vertices in motion, (frames, 42, 3)."""
    at = waves(rng, rest_sheet())
    return np.stack([at(time) for time in TIMES])


def stage_at(path: Path, *, up: str = "Y", start: float | None = 0.0) -> Usd.Stage:
    stage = Usd.Stage.CreateNew(str(path))
    UsdGeom.SetStageUpAxis(stage, up)
    stage.SetTimeCodesPerSecond(FPS)
    if start is not None:
        stage.SetStartTimeCode(start)
        stage.SetEndTimeCode(start + FRAMES - 1)
    return stage


def add_mesh(stage: Usd.Stage, path: str, points: Array | None, faces: NDArray[np.integer] = FACES) -> UsdGeom.Mesh:
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreateFaceVertexCountsAttr(Vt.IntArray.FromNumpy(np.full(len(faces), faces.shape[1], np.int32)))
    mesh.CreateFaceVertexIndicesAttr(Vt.IntArray.FromNumpy(faces.astype(np.int32).ravel()))
    if points is not None:
        mesh.CreatePointsAttr(points_of(points))
    return mesh


def points_of(points: Array) -> Vt.Vec3fArray:
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(points, np.float32))


def sample_points(mesh: UsdGeom.Mesh, motion: Array, start: float = 0.0) -> None:
    for k, frame in enumerate(motion):
        mesh.CreatePointsAttr().Set(points_of(frame), start + k)


@pytest.mark.parametrize("suffix", ["usd", "usda", "usdc"])
def test_time_sampled_points_come_back(tmp_path: Path, motion: Array, suffix: str) -> None:
    stage = stage_at(tmp_path / f"cloth.{suffix}", start=101.0)
    sample_points(add_mesh(stage, "/garment/cloth", rest_sheet()), motion, 101.0)
    stage.Save()
    info = pucker.inspect(tmp_path / f"cloth.{suffix}")
    assert info.clips == {"all": pytest.approx(6 / FPS)}
    assert (info.format, info.nodes, info.meshes) == (suffix, {"garment": 60}, {"cloth": 60})
    clip = pucker.load(tmp_path / f"cloth.{suffix}", fps=FPS)
    assert_moves(clip, motion)
    np.testing.assert_array_equal(clip.times, TIMES)
    np.testing.assert_array_equal(clip.stored_faces, FACES)


def test_usd_package_comes_back_with_its_picture(tmp_path: Path, motion: Array) -> None:
    (tmp_path / "weave.png").write_bytes(b"\x89PNG of a weave")
    stage = stage_at(tmp_path / "cloth.usdc")
    mesh = add_mesh(stage, "/cloth", rest_sheet())
    sample_points(mesh, motion)
    bind(stage, mesh, preview_material(stage, "linen", texture="weave.png"))
    stage.SetDefaultPrim(mesh.GetPrim())
    stage.Save()
    assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "cloth.usdc"), str(tmp_path / "cloth.usdz"))
    (tmp_path / "weave.png").unlink()
    clip = pucker.load(tmp_path / "cloth.usdz", fps=FPS)
    assert_moves(clip, motion)
    (material,) = clip.material_list
    assert (material.name, material.texture) == ("linen", b"\x89PNG of a weave")


def test_range_of_time_codes_is_that_of_the_samples_if_the_stage_has_none(tmp_path: Path, motion: Array) -> None:
    stage = stage_at(tmp_path / "cloth.usda", start=None)
    sample_points(add_mesh(stage, "/cloth", None), motion, 12.0)
    stage.Save()
    assert_moves(pucker.load(tmp_path / "cloth.usda", fps=FPS), motion)


def test_polygons_handedness_and_holes_are_those_of_the_stage(tmp_path: Path) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    mesh = add_mesh(stage, "/cloth", rest_sheet(), QUADS)
    sample_points(mesh, rest_sheet() * [[[1, 1, 1]], [[2, 1, 1]]])
    mesh.CreateOrientationAttr(UsdGeom.Tokens.leftHanded)
    mesh.CreateHoleIndicesAttr([0, 29])
    stage.Save()
    clip = pucker.load(tmp_path / "cloth.usda", fps=FPS)
    assert len(clip.faces) == 56
    a, b, c = (clip.positions[0, clip.faces[:, k]] for k in range(3))
    np.testing.assert_array_less(np.cross(b - a, c - a)[:, 2], 0.0)


def test_transforms_place_a_mesh_and_z_up_is_turned(tmp_path: Path, rng: np.random.Generator) -> None:
    stage = stage_at(tmp_path / "cloth.usda", up="Z")
    parent = UsdGeom.Xform.Define(stage, "/parent")
    child = UsdGeom.Xform.Define(stage, "/parent/child")
    shift, turn = parent.AddTranslateOp(), child.AddTransformOp()
    matrices = [rotation(rng) * 2.0 for _ in range(FRAMES)]
    for k, matrix in enumerate(matrices):
        shift.Set(Gf.Vec3d(k, 0, 0), k)
        rows = np.eye(4)
        rows[:3, :3] = matrix.T
        turn.Set(Gf.Matrix4d(*rows.ravel().tolist()), k)
    add_mesh(stage, "/parent/child/cloth", rest_sheet())
    stage.Save()
    points = rest_sheet().astype(np.float32)
    world = np.stack([points @ matrix.T + [k, 0, 0] for k, matrix in enumerate(matrices)])
    assert_moves(pucker.load(tmp_path / "cloth.usda", fps=FPS), world[..., [0, 2, 1]] * [1, 1, -1])


def test_what_is_not_drawn_is_left_out(tmp_path: Path, motion: Array) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    sample_points(add_mesh(stage, "/cloth", rest_sheet()), motion)
    add_mesh(stage, "/guide", rest_sheet()).CreatePurposeAttr(UsdGeom.Tokens.guide)
    add_mesh(stage, "/hidden", rest_sheet()).MakeInvisible()
    stage.Save()
    assert pucker.inspect(tmp_path / "cloth.usda").meshes == {"cloth": 60}


def test_instances_are_meshes_of_their_own(tmp_path: Path, motion: Array) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    sample_points(add_mesh(stage, "/prototype/cloth", rest_sheet()), motion)
    stage.GetPrimAtPath("/prototype").SetSpecifier(Sdf.SpecifierClass)
    for k in range(2):
        instance = UsdGeom.Xform.Define(stage, f"/instance_{k}")
        instance.AddTranslateOp().Set(Gf.Vec3d(0, 0, 5 * k))
        instance.GetPrim().GetReferences().AddInternalReference("/prototype")
        instance.GetPrim().SetInstanceable(True)
    stage.Save()
    clip = pucker.load(tmp_path / "cloth.usda", fps=FPS)
    assert_moves(clip, np.concatenate([motion, motion + np.array([0, 0, 5])], axis=1))
    assert pucker.inspect(tmp_path / "cloth.usda").nodes == {"instance_0": 60, "instance_1": 60}


def preview_material(
    stage: Usd.Stage, name: str, *, color: tuple[float, float, float] = (0.5, 0.5, 0.5), texture: str = ""
) -> UsdShade.Material:
    material = UsdShade.Material.Define(stage, f"/materials/{name}")
    shader = UsdShade.Shader.Define(stage, f"/materials/{name}/surface")
    shader.CreateIdAttr("UsdPreviewSurface")
    shader.CreateInput("opacity", Sdf.ValueTypeNames.Float).Set(0.5)
    diffuse = shader.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
    material.CreateSurfaceOutput().ConnectToSource(shader.ConnectableAPI(), "surface")
    if not texture:
        diffuse.Set(Gf.Vec3f(*color))
        return material
    picture = UsdShade.Shader.Define(stage, f"/materials/{name}/picture")
    picture.CreateIdAttr("UsdUVTexture")
    picture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(texture)
    picture.CreateInput("scale", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(*color, 1.0))
    diffuse.ConnectToSource(picture.ConnectableAPI(), "rgb")
    return material


def bind(stage: Usd.Stage, prim: UsdGeom.Imageable | UsdGeom.Subset, material: UsdShade.Material) -> None:
    UsdShade.MaterialBindingAPI.Apply(prim.GetPrim()).Bind(material)


@pytest.mark.parametrize("texture", ["", "cloth.png"])
def test_colours_beyond_one_give_back_all_light(tmp_path: Path, motion: Array, texture: str) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    cloth = add_mesh(stage, "/cloth", rest_sheet())
    sample_points(cloth, motion)
    bind(stage, cloth, preview_material(stage, "sun", color=(1.5, 2.5, -0.25), texture=texture))
    bare = add_mesh(stage, "/bare", rest_sheet())
    bare.CreateDisplayColorAttr([Gf.Vec3f(1.0000001, 0.5, 3.0)])
    stage.Save()
    colours = {material.name: list(material.color) for material in pucker.load(tmp_path / "cloth.usda").material_list}
    assert colours == {"sun": [1.0, 1.0, 0.0, 0.5], "": [1.0, 0.5, 1.0, 1.0]}


def set_uv(mesh: UsdGeom.Mesh, interpolation: str, uv: Array, indices: NDArray[np.integer] | None = None) -> None:
    primvar = UsdGeom.PrimvarsAPI(mesh).CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, interpolation)
    primvar.Set(Vt.Vec2fArray.FromNumpy(np.ascontiguousarray(uv, np.float32)))
    if indices is not None:
        primvar.SetIndices(Vt.IntArray.FromNumpy(indices.astype(np.int32)))


@pytest.mark.parametrize("interpolation", ["vertex", "varying", "faceVarying", "uniform", "constant"])
def test_texture_coordinates_of_every_interpolation(tmp_path: Path, motion: Array, interpolation: str) -> None:
    corners = {
        "vertex": rest_sheet()[QUADS][..., :2],
        "varying": rest_sheet()[QUADS][..., :2],
        "faceVarying": np.linspace(0, 1, 2 * QUADS.size).reshape(30, 4, 2),
        "uniform": np.repeat(np.linspace(0, 1, 60).reshape(30, 1, 2), 4, axis=1),
        "constant": np.broadcast_to([0.25, 0.75], (30, 4, 2)),
    }[interpolation]
    values = {
        "faceVarying": corners.reshape(-1, 2),
        "uniform": corners[:, 0],
        "constant": corners[0, :1],
    }.get(interpolation, rest_sheet()[:, :2])
    stage = stage_at(tmp_path / "cloth.usda")
    mesh = add_mesh(stage, "/cloth", rest_sheet(), QUADS)
    sample_points(mesh, motion)
    # Each value through an index, in turned order, as exporters do that join equal ones.
    set_uv(mesh, interpolation, values[::-1], np.arange(len(values))[::-1])
    stage.Save()
    clip = pucker.load(tmp_path / "cloth.usda", fps=FPS)
    fans = corners[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3, 2)
    np.testing.assert_allclose(clip.uv[clip.stored_faces], fans, atol=1e-6)
    triangles = QUADS[:, [[0, 1, 2], [0, 2, 3]]].reshape(-1, 3)
    np.testing.assert_allclose(clip.positions[:, clip.faces], motion[:, triangles], atol=1e-6)


def test_usd_is_told_from_materials(tmp_path: Path, motion: Array) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    mesh = add_mesh(stage, "/cloth", rest_sheet())
    sample_points(mesh, motion)
    bind(stage, mesh, preview_material(stage, "linen", color=(0.1, 0.2, 0.3)))
    subset = UsdGeom.Subset.CreateGeomSubset(
        mesh, "hem", UsdGeom.Tokens.face, Vt.IntArray([0, 1, 2]), "materialBind", "nonOverlapping"
    )
    bind(stage, subset, preview_material(stage, "silk", color=(1.0, 0.5, 0.25), texture="missing.png"))
    bare = add_mesh(stage, "/bare", rest_sheet() + np.array([0, 0, 1]))
    bare.CreateDisplayColorAttr([Gf.Vec3f(0.75, 0.5, 0.25)])
    stage.Save()
    clip = pucker.load(tmp_path / "cloth.usda", fps=FPS)
    names = [material.name for material in clip.material_list]
    assert [names[k] for k in clip.materials] == ["silk"] * 3 + ["linen"] * 57 + [""] * 60
    linen, silk, plain = (clip.material_list[names.index(name)] for name in ("linen", "silk", ""))
    assert linen.color == pytest.approx([0.1, 0.2, 0.3, 0.5])
    assert silk.color == pytest.approx([1.0, 0.5, 0.25, 0.5])
    assert (silk.texture_name, silk.texture) == ("missing.png", b"")
    assert plain.color == pytest.approx([0.75, 0.5, 0.25, 1.0])
    assert len(clip.material_list) == 3
    assert len(pucker.load(tmp_path / "cloth.usda", parts=["silk"]).faces) == 3


def test_material_that_no_triangle_has_is_left_out(tmp_path: Path, motion: Array) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    mesh = add_mesh(stage, "/cloth", rest_sheet())
    sample_points(mesh, motion)
    bind(stage, mesh, preview_material(stage, "linen"))
    for name, members in (("silk", range(60)), ("wool", [])):
        subset = UsdGeom.Subset.CreateGeomSubset(
            mesh, name, UsdGeom.Tokens.face, Vt.IntArray(list(members)), "materialBind", "nonOverlapping"
        )
        bind(stage, subset, preview_material(stage, name))
    stage.Save()
    clip = pucker.load(tmp_path / "cloth.usda", fps=FPS)
    assert [material.name for material in clip.material_list] == ["silk"]


class SkinnedStage:
    """A sheet over a chain of three joints, written with pxr, and the same in NumPy."""

    def __init__(self, path: Path, rng: np.random.Generator, *, own_order: bool = False, rigid: bool = False) -> None:
        self.rng = rng
        self.stage = stage_at(path)
        root = UsdSkel.Root.Define(self.stage, "/character")
        self.skeleton = UsdSkel.Skeleton.Define(self.stage, "/character/skeleton")
        self.names = ["hip", "hip/spine", "hip/spine/head"]
        self.parents = [-1, 0, 1]
        self.bind = self.chain([self.matrix(0.3) for _ in self.names])
        self.skeleton.CreateJointsAttr(self.names)
        self.skeleton.CreateBindTransformsAttr(matrices(self.bind))
        self.skeleton.CreateRestTransformsAttr(matrices(self.bind))
        self.world = self.matrix(1.0)
        self.skeleton.AddTransformOp().Set(Gf.Matrix4d(*self.world.T.ravel().tolist()))

        animation = UsdSkel.Animation.Define(self.stage, "/character/animation")
        animation.CreateJointsAttr(self.names)
        self.local = []
        for frame in range(FRAMES):
            parts = [(rotation(rng), rng.normal(size=3)) for _ in self.names]
            animation.CreateRotationsAttr().Set(Vt.QuatfArray([quaternion(r) for r, _ in parts]), frame)
            animation.CreateTranslationsAttr().Set(Vt.Vec3fArray([Gf.Vec3f(*map(float, t)) for _, t in parts]), frame)
            animation.CreateScalesAttr().Set(Vt.Vec3hArray([Gf.Vec3h(1)] * 3), frame)
            self.local.append([affine(r, t) for r, t in parts])

        self.mesh = add_mesh(self.stage, "/character/cloth", rest_sheet())
        self.mesh.AddTranslateOp().Set(Gf.Vec3d(100, 0, 0))  # has no effect on a skinned mesh
        self.order = [2, 0, 1] if own_order else [0, 1, 2]
        self.weights = rng.dirichlet(np.ones(3), 1 if rigid else 42).astype(np.float32)
        self.indices = np.tile(self.order, (len(self.weights), 1))  # of the mesh's own list, if it has one
        self.geometry = self.matrix(0.5)
        binding = UsdSkel.BindingAPI.Apply(self.mesh.GetPrim())
        binding.CreateSkeletonRel().SetTargets([self.skeleton.GetPath()])
        binding.CreateGeomBindTransformAttr(Gf.Matrix4d(*self.geometry.T.ravel().tolist()))
        if own_order:
            binding.CreateJointsAttr([self.names[k] for k in (1, 2, 0)])
            self.lookup = [1, 2, 0]
        else:
            self.lookup = [0, 1, 2]
        binding.CreateJointIndicesPrimvar(rigid, 3).Set(Vt.IntArray.FromNumpy(self.indices.astype(np.int32).ravel()))
        binding.CreateJointWeightsPrimvar(rigid, 3).Set(Vt.FloatArray.FromNumpy(self.weights.ravel()))
        UsdSkel.BindingAPI.Apply(self.skeleton.GetPrim()).CreateAnimationSourceRel().SetTargets([animation.GetPath()])
        assert root

    def matrix(self, strength: float) -> Array:
        return affine(rotation(self.rng), strength * self.rng.normal(size=3))

    def chain(self, local: list[Array]) -> list[Array]:
        out: list[Array] = []
        for parent, own in zip(self.parents, local, strict=True):
            out.append(own if parent < 0 else out[parent] @ own)
        return out

    def positions(self, offsets: Array | float = 0.0) -> Array:
        """Linear blend skinning with column vectors: W Σ w_j X_j B_j⁻¹ G p; `offsets` (frames, 42, 3) are added to p."""
        sheets = np.broadcast_to(rest_sheet().astype(np.float32) + offsets, (FRAMES, 42, 3))
        joints = np.array(self.lookup)[self.indices]
        weights = np.broadcast_to(self.weights, (42, 3)).astype(np.float64)
        frames = []
        for local, sheet in zip(self.local, sheets, strict=True):
            points = np.c_[sheet, np.ones(42)] @ self.geometry.T
            bones = np.array([x @ np.linalg.inv(b) for x, b in zip(self.chain(local), self.bind, strict=True)])
            blended = np.einsum("vk,vkij->vij", weights, np.broadcast_to(bones[joints], (42, 3, 4, 4)))
            frames.append((np.einsum("vij,vj->vi", blended, points) @ self.world.T)[:, :3])
        return np.stack(frames)


def affine(turn: Array, shift: Array) -> Array:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = turn, shift
    return out


def moved(matrix: Array, points: Array) -> Array:
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def matrices(values: list[Array]) -> Vt.Matrix4dArray:
    return Vt.Matrix4dArray([Gf.Matrix4d(*value.T.ravel().tolist()) for value in values])


def quaternion(turn: Array) -> Gf.Quatf:
    rows = Gf.Matrix3d(*turn.T.ravel().tolist())
    return Gf.Quatf(rows.ExtractRotation().GetQuat())


@pytest.mark.parametrize("own_order", [False, True])
@pytest.mark.parametrize("rigid", [False, True])
def test_skinned_usd_moves_as_linear_blend_skinning_says(
    tmp_path: Path, rng: np.random.Generator, own_order: bool, rigid: bool
) -> None:
    scene = SkinnedStage(tmp_path / "character.usda", rng, own_order=own_order, rigid=rigid)
    scene.stage.Save()
    clip = pucker.load(tmp_path / "character.usda", fps=FPS)
    # The file's quaternions are float32.
    assert_moves(clip, scene.positions(), 2e-6)
    bound = moved(scene.world @ scene.geometry, rest_sheet().astype(np.float32))
    assert np.abs(clip.rest[clip.weld] - bound).max() < 1e-6 * np.ptp(bound)


def add_shapes(stage: Usd.Stage, mesh: UsdGeom.Mesh, animation: str, rng: np.random.Generator) -> Array:
    """Two blend shapes, the second of some points and with a shape in between, moved in time: what they add to the points,
    (FRAMES, 42, 3), computed in NumPy."""
    bulge, half, full = (rng.normal(size=(count, 3)).astype(np.float32) for count in (42, 9, 9))
    some = rng.choice(42, 9, replace=False)
    weights = rng.uniform(-0.5, 1.5, (FRAMES, 2)).astype(np.float32)
    binding = UsdSkel.BindingAPI.Apply(mesh.GetPrim())
    shapes = [UsdSkel.BlendShape.Define(stage, f"{mesh.GetPath()}/{name}") for name in ("bulge", "fold")]
    shapes[0].CreateOffsetsAttr(Vt.Vec3fArray.FromNumpy(bulge))
    shapes[1].CreateOffsetsAttr(Vt.Vec3fArray.FromNumpy(full))
    shapes[1].CreatePointIndicesAttr(Vt.IntArray.FromNumpy(some.astype(np.int32)))
    between = shapes[1].CreateInbetween("half")
    between.SetWeight(0.25)
    between.SetOffsets(Vt.Vec3fArray.FromNumpy(half))
    binding.CreateBlendShapesAttr(["bulge", "fold"])
    binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath() for shape in shapes])
    moving = UsdSkel.Animation.Define(stage, animation)
    moving.CreateBlendShapesAttr(["fold", "unused", "bulge"])
    added = np.zeros((FRAMES, 42, 3))
    for frame, (first, second) in enumerate(weights.astype(np.float64)):
        moving.CreateBlendShapeWeightsAttr().Set(Vt.FloatArray([float(second), 1.0, float(first)]), frame)
        added[frame] = first * bulge.astype(np.float64)
        # Piecewise linear through nothing at 0, half at 1/4 and full at 1, its ends going on.
        knots = [(0.0, np.zeros((9, 3))), (0.25, half.astype(np.float64)), (1.0, full.astype(np.float64))]
        (low, start), (high, end) = knots[:2] if second < 0.25 else knots[1:]
        added[frame, some] += start + (second - low) / (high - low) * (end - start)
    return added


def test_blend_shapes_of_a_usd_move_the_points_before_the_skin(tmp_path: Path, rng: np.random.Generator) -> None:
    scene = SkinnedStage(tmp_path / "character.usda", rng)
    added = add_shapes(scene.stage, scene.mesh, "/character/animation", rng)
    scene.stage.Save()
    assert_moves(pucker.load(tmp_path / "character.usda", fps=FPS), scene.positions(added), 2e-6)


def test_blend_shapes_move_a_usd_without_joints(tmp_path: Path, rng: np.random.Generator) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    UsdSkel.Root.Define(stage, "/character")
    skeleton = UsdSkel.Skeleton.Define(stage, "/character/skeleton")
    mesh = add_mesh(stage, "/character/cloth", rest_sheet())
    mesh.AddTranslateOp().Set(Gf.Vec3d(1, 2, 3))
    added = add_shapes(stage, mesh, "/character/animation", rng)
    UsdSkel.BindingAPI(mesh.GetPrim()).CreateSkeletonRel().SetTargets([skeleton.GetPath()])
    source = UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel()
    source.SetTargets(["/character/animation"])
    stage.Save()
    clip = pucker.load(tmp_path / "cloth.usda", fps=FPS)
    assert_moves(clip, rest_sheet().astype(np.float32) + added + [1.0, 2.0, 3.0], 2e-6)
    assert clip.rest is None


def test_joints_of_a_usd_are_parts(tmp_path: Path, rng: np.random.Generator) -> None:
    scene = SkinnedStage(tmp_path / "character.usda", rng)
    scene.stage.Save()
    info = pucker.inspect(tmp_path / "character.usda")
    governing = scene.weights[FACES].sum(axis=1)[:, np.argsort(scene.order)].argmax(axis=1)
    names = ["hip", "spine", "head"]
    assert info.joints == dict(zip(names, np.bincount(governing, minlength=3).tolist(), strict=True))
    clip = pucker.load(tmp_path / "character.usda", parts=["joint:spine"])
    assert len(clip.faces) == info.joints["spine"]


def test_between_time_codes_a_skin_follows_its_joints(tmp_path: Path, rng: np.random.Generator) -> None:
    """Half way between two turns the chain is turned half way; positions are not mixed."""
    scene = SkinnedStage(tmp_path / "character.usda", rng)
    scene.stage.Save()
    cache = UsdSkel.Cache()
    stage = Usd.Stage.Open(str(tmp_path / "character.usda"))
    cache.Populate(UsdSkel.Root(stage.GetPrimAtPath("/character")), Usd.PrimDefaultPredicate)
    skeleton = cache.GetSkelQuery(UsdSkel.Skeleton(stage.GetPrimAtPath("/character/skeleton")))
    skin = cache.GetSkinningQuery(stage.GetPrimAtPath("/character/cloth"))
    points = points_of(rest_sheet())
    assert skin.ComputeSkinnedPoints(skeleton.ComputeSkinningTransforms(2.5), points, 2.5)
    expected = np.asarray(points) @ scene.world[:3, :3].T + scene.world[:3, 3]
    clip = pucker.load(tmp_path / "character.usda", fps=2 * FPS)
    assert np.abs(clip.positions[5, clip.weld] - expected).max() < 1e-5


def spoiled(stage: Usd.Stage, mesh: UsdGeom.Mesh, how: str) -> None:
    match how:
        case "corner":
            mesh.CreateFaceVertexIndicesAttr([0, 1, 99] * 60)
        case "counts":
            mesh.CreateFaceVertexCountsAttr([3] * 59)
        case "two corners":
            mesh.CreateFaceVertexCountsAttr([2] * 90)
        case "changing":
            mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(FACES.ravel()), 0)
            mesh.GetFaceVertexIndicesAttr().Set(Vt.IntArray.FromNumpy(FACES[::-1].ravel()), 3)
        case "fewer points":
            mesh.GetPointsAttr().Set(points_of(rest_sheet()[:-1]), 3)
        case "uv":
            set_uv(mesh, "vertex", np.zeros((41, 2)))
        case "order":
            stage.SetEndTimeCode(-1)
        case "instancer":
            UsdGeom.PointInstancer.Define(stage, "/crowd")
        case "subset":
            UsdGeom.Subset.CreateGeomSubset(
                mesh, "hem", UsdGeom.Tokens.face, Vt.IntArray([60]), "materialBind", "nonOverlapping"
            )
        case "none":
            stage.RemovePrim("/cloth")
        case "still":
            mesh.GetPointsAttr().Clear()
            mesh.CreatePointsAttr(points_of(rest_sheet()))


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("corner", r"faces of /cloth must name points in \[0, 42\), got 99"),
        ("counts", "faces of 177 corners in all, but names 180"),
        ("two corners", "at least 3 corners, got 2"),
        ("changing", "faces of a mesh must stay the same, those of /cloth change"),
        ("fewer points", "/cloth must keep its 42 points, got 41 at time code 3"),
        ("uv", "must have 42 values for interpolation 'vertex', got 41"),
        ("order", "first time code must not be after the last, got 0.0 and -1.0"),
        ("instancer", "point instancers are not supported, /crowd is one"),
        ("subset", r"indices of /cloth/hem must be in \[0, 60\)"),
        ("none", "has no mesh"),
        ("still", "has no animation"),
    ],
)
def test_usd_that_cannot_be_read_says_why(tmp_path: Path, motion: Array, how: str, words: str) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    mesh = add_mesh(stage, "/cloth", rest_sheet())
    sample_points(mesh, motion)
    spoiled(stage, mesh, how)
    stage.Save()
    with pytest.raises(pucker.Error, match=rf"cloth\.usda: .*{words}"):
        pucker.load(tmp_path / "cloth.usda", fps=FPS)


def test_usd_without_animation_can_be_inspected(tmp_path: Path) -> None:
    stage = stage_at(tmp_path / "cloth.usda")
    add_mesh(stage, "/cloth", rest_sheet())
    stage.Save()
    info = pucker.inspect(tmp_path / "cloth.usda")
    assert (info.clips, info.triangles) == ({}, 60)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("weights", "joint weights of each point of /character/cloth must be >= 0"),
        ("index", r"joint indices of /character/cloth must be in \[0, 3\)"),
        ("few", "must have 126 joint indices and weights, got 126 and 123"),
        ("method", "must be linear blend skins, that of /character/cloth is 'dualQuaternion'"),
        ("shapes", "/character/cloth/shape must have an offset for each of 42 points, got 41"),
        ("shape points", r"/character/cloth/shape must move points in \[0, 42\), got 42"),
        ("joint", "names the joint 'tail', which its skeleton has not"),
    ],
)
def test_skins_that_cannot_be_read_say_why(tmp_path: Path, rng: np.random.Generator, how: str, words: str) -> None:
    scene = SkinnedStage(tmp_path / "character.usda", rng)
    binding = UsdSkel.BindingAPI(scene.mesh.GetPrim())
    match how:
        case "weights":
            binding.GetJointWeightsPrimvar().Set(Vt.FloatArray([0.0] * 126))
        case "index":
            binding.GetJointIndicesPrimvar().Set(Vt.IntArray([3] * 126))
        case "few":
            binding.GetJointWeightsPrimvar().Set(Vt.FloatArray([1.0] * 123))
        case "method":
            binding.CreateSkinningMethodAttr("dualQuaternion")
        case "shapes" | "shape points":
            shape = UsdSkel.BlendShape.Define(scene.stage, "/character/cloth/shape")
            shape.CreateOffsetsAttr([Gf.Vec3f(1)] * (41 if how == "shapes" else 2))
            shape.CreatePointIndicesAttr([] if how == "shapes" else [0, 42])
            binding.CreateBlendShapesAttr(["shape"])
            binding.CreateBlendShapeTargetsRel().SetTargets([shape.GetPath()])
            animation = UsdSkel.Animation(scene.stage.GetPrimAtPath("/character/animation"))
            animation.CreateBlendShapesAttr(["shape"])
            animation.CreateBlendShapeWeightsAttr([0.5])
        case "joint":
            binding.CreateJointsAttr(["hip", "hip/spine", "tail"])
    scene.stage.Save()
    with pytest.raises(pucker.Error, match=rf"character\.usda: .*{words}"):
        pucker.load(tmp_path / "character.usda")


@pytest.mark.parametrize("suffix", ["usda", "usdc", "usdz"])
def test_truncated_usd_is_refused(tmp_path: Path, motion: Array, suffix: str) -> None:
    stage = stage_at(tmp_path / "cloth.usdc")
    sample_points(add_mesh(stage, "/cloth", rest_sheet()), motion)
    stage.Save()
    path = tmp_path / f"half.{suffix}"
    if suffix == "usdz":
        assert UsdUtils.CreateNewUsdzPackage(str(tmp_path / "cloth.usdc"), str(path))
    else:
        stage.Export(str(path))
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    with pytest.raises(pucker.Error, match=rf"half\.{suffix}: is truncated or damaged: "):
        pucker.load(path)
