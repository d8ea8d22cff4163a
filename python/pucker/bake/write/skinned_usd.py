"""USD: a character by UsdSkel: its skeleton, skinned meshes with blend shapes, and an animation for each clip."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pxr import Gf, Sdf, UsdGeom, UsdSkel, Vt

from pucker.bake.joints import Joints, Track
from pucker.bake.skinned_mesh import STILL, Binding, Character, SkinnedMesh
from pucker.bake.write.textures import plain_name
from pucker.bake.write.usd_stage import (
    add_materials,
    bind_materials,
    define_mesh,
    define_stage,
    extent,
    integers,
    vectors,
    written,
)
from pucker.quaternions import rotations

_Floats = npt.NDArray[np.float64]

_ROOT: Final = "/character"
_SKELETON: Final = f"{_ROOT}/skeleton"
# Two bind transforms of one node closer than that, of their largest number, are one.
_SAME_BIND: Final = 1e-6


def _apart(names: Iterable[str], fallback: str) -> list[str]:
    """Names that USD takes, each another."""
    out: list[str] = []
    for number, name in enumerate(names):
        plain = plain_name(name, f"{fallback}_{number}")
        out.append(plain if plain not in out else f"{plain}_{number}")
    return out


class _Skeleton:
    """The joints as UsdSkel has them: each bound in one place, and of no scale that stays.

    A SkelAnimation keeps scales as half floats. Skinning is the same if a joint's frame is scaled in the bind pose and in every
    frame alike, so what a joint's scale is in the bind pose, the mean of its three axes, is taken out of it and of all below.
    """

    def __init__(self, joints: Joints, bindings: Sequence[Binding]) -> None:
        bind = joints.bind
        product = np.abs(bind.scales[0]).prod(axis=1)
        self._own = np.cbrt(np.where(product > 0.0, product, 1.0))
        self._above = np.ones(len(joints.names))
        world = np.zeros((len(joints.names), 4, 4))
        locals_ = _matrices(bind)
        names = _apart(joints.names, "joint")
        self.tokens: list[str] = []
        self.names = list(joints.names)
        scale = np.ones(len(joints.names))
        for k, parent in enumerate(joints.parents):
            world[k] = world[parent] @ locals_[k] if parent >= 0 else locals_[k]
            self._above[k] = scale[parent] if parent >= 0 else 1.0
            scale[k] = self._above[k] * self._own[k]
            self.tokens.append(f"{self.tokens[parent]}/{names[k]}" if parent >= 0 else names[k])
        self.count = len(self.tokens)
        self._scale = scale
        self.rests = list(_matrices(self.unscaled(bind)))
        self.binds = [self._without_scale(matrix, k) for k, matrix in enumerate(world)]
        self._bound: dict[int, list[tuple[int, _Floats]]] = {}
        self.joints_of = [self._bind(binding) for binding in bindings]

    def _without_scale(self, matrix: _Floats, node: int) -> _Floats:
        return matrix @ np.diag([*np.full(3, 1.0 / self._scale[node]), 1.0])

    def unscaled(self, track: Track) -> Track:
        """A track of the joints without the scales that they have in the bind pose."""
        moved = track.translations * self._above[:, None]
        return Track(track.times, moved, track.rotations, track.scales / self._own[:, None])

    def _bind(self, binding: Binding) -> npt.NDArray[np.int64]:
        """The joint that each of a skin is; a node that is bound in a second place gets one below it that stays there."""
        found = []
        for node, inverse in zip(binding.nodes, binding.inverse_binds, strict=True):
            places = self._bound.setdefault(node, [])
            alike = (k for k, other in places if np.abs(other - inverse).max() <= _SAME_BIND * np.abs(inverse).max())
            joint = next(alike, -1)
            if joint < 0:
                joint = self._joint(node, again=len(places))
                self.binds[joint] = self._without_scale(np.linalg.inv(inverse), node)
                places.append((joint, inverse))
            found.append(joint)
        return np.array(found, np.int64)

    def _joint(self, node: int, *, again: int) -> int:
        if not again:
            return node
        self.tokens.append(f"{self.tokens[node]}/again_{again}")
        self.names.append(f"{self.names[node]} again")
        self.rests.append(np.eye(4))
        self.binds.append(np.eye(4))
        return len(self.tokens) - 1


def _matrices(track: Track) -> _Floats:
    """Of a track's first frame, (K, 4, 4)."""
    out = np.zeros((len(track.scales[0]), 4, 4))
    out[:, :3, :3] = rotations(np.roll(track.rotations[0], 1, axis=-1)) * track.scales[0][:, None, :]
    out[:, :3, 3], out[:, 3, 3] = track.translations[0], 1.0
    return out


def _transforms(matrices: Sequence[_Floats]) -> Any:
    """USD multiplies rows with matrices."""
    return Vt.Matrix4dArray([Gf.Matrix4d(*matrix.T.ravel().tolist()) for matrix in matrices])


def _write_stage(file: Path, character: Character, textures: Path) -> None:
    tracks = character.joints.clips
    first = next(iter(tracks.values())).times
    # A time code is a frame where clips are sampled evenly; each begins at 0.
    rate = (len(first) - 1) / float(first[-1]) if len(first) > 1 else 24.0
    longest = max((track.times for track in tracks.values()), key=lambda times: float(times[-1]))
    stage = define_stage(file, _ROOT, UsdSkel.Root, rate, longest * rate)
    materials = add_materials(stage, _ROOT, character.materials, textures)
    meshes = [mesh for mesh in (character.garment, character.body) if mesh is not None]
    joints = _Skeleton(character.joints, [mesh.binding for mesh in meshes])
    skeleton = UsdSkel.Skeleton.Define(stage, _SKELETON)
    skeleton.CreateJointsAttr(joints.tokens)
    skeleton.CreateJointNamesAttr(joints.names)
    skeleton.CreateRestTransformsAttr(_transforms(joints.rests))
    skeleton.CreateBindTransformsAttr(_transforms(joints.binds))
    for mesh, numbers in zip(meshes, joints.joints_of, strict=True):
        bind_materials(_add_mesh(stage, mesh, numbers), mesh.part, materials)
    UsdGeom.Scope.Define(stage, f"{_ROOT}/clips")
    source = UsdSkel.BindingAPI.Apply(skeleton.GetPrim()).CreateAnimationSourceRel
    chosen = stage.GetDefaultPrim().GetVariantSets().AddVariantSet("clip")
    names = _apart(tracks, "clip")
    for name, (clip, track) in zip(names, tracks.items(), strict=True):
        animation = UsdSkel.Animation.Define(stage, f"{_ROOT}/clips/{name}")
        _animate(animation, character, clip, joints.unscaled(track), joints.tokens[: joints.count], rate)
        chosen.AddVariant(name)
        chosen.SetVariantSelection(name)
        with chosen.GetVariantEditContext():
            source().SetTargets([animation.GetPath()])
    chosen.SetVariantSelection(names[0])
    stage.GetRootLayer().Save()


def _add_mesh(stage: Any, mesh: SkinnedMesh, joints: npt.NDArray[np.int64]) -> UsdGeom.Mesh:
    """A mesh whose points are its normals, as blend shapes hold one normal a point: at hard edges there are several."""
    rows = mesh.part.owners
    faces = mesh.part.faces if mesh.part.normal_faces is None else mesh.part.normal_faces
    path = f"{_ROOT}/{mesh.part.name}"
    out = define_mesh(stage, path, mesh.part, faces)
    points = mesh.positions[rows]
    out.CreatePointsAttr(vectors(points))
    out.CreateExtentAttr(extent(points))
    out.CreateNormalsAttr(vectors(mesh.normals))
    out.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
    binding = UsdSkel.BindingAPI.Apply(out.GetPrim())
    binding.CreateSkeletonRel().SetTargets([Sdf.Path(_SKELETON)])
    binding.CreateGeomBindTransformAttr(Gf.Matrix4d(1.0))
    influences = mesh.binding.influences
    width = influences.joints.shape[1]
    binding.CreateJointIndicesPrimvar(False, width).Set(integers(joints[influences.joints[rows]]))
    weights = influences.weights[rows].astype(np.float32).ravel()
    binding.CreateJointWeightsPrimvar(False, width).Set(Vt.FloatArray.FromNumpy(weights))
    if mesh.targets:
        names = _shapes(mesh)
        binding.CreateBlendShapesAttr(names)
        targets = binding.CreateBlendShapeTargetsRel()
        for name, target, turned in zip(names, mesh.targets, mesh.target_normals, strict=True):
            shape = UsdSkel.BlendShape.Define(stage, f"{path}/{name}")
            moved = target.of_all(len(mesh.positions))[rows]
            size = np.abs(moved).max(axis=1)
            moving = np.flatnonzero(size > STILL * size.max(initial=0.0))
            if 4 * len(moving) < 3 * len(moved):
                shape.CreatePointIndicesAttr(integers(moving))
                moved, turned = moved[moving], turned[moving]  # noqa: PLW2901
            shape.CreateOffsetsAttr(vectors(moved))
            shape.CreateNormalOffsetsAttr(vectors(turned))
            targets.AddTarget(shape.GetPath())
    return out


def _shapes(mesh: SkinnedMesh) -> list[str]:
    return [f"fold_{k + 1}" for k in range(len(mesh.targets))]


def _animate(
    animation: UsdSkel.Animation, character: Character, clip: str, track: Track, tokens: list[str], rate: float
) -> None:
    """Samples joints and weights of a clip; what stays has one value."""
    animation.GetPrim().SetDisplayName(clip)
    animation.CreateJointsAttr(tokens)
    garment = character.garment
    sampled = [
        (animation.CreateTranslationsAttr(), track.translations, vectors),
        (animation.CreateRotationsAttr(), track.rotations, _quaternions),
        (animation.CreateScalesAttr(), track.scales, _halves),
    ]
    if garment.targets:
        animation.CreateBlendShapesAttr(_shapes(garment))
        weights = np.stack([target.weights[character.frames[clip]] for target in garment.targets], axis=1)
        sampled.append((animation.CreateBlendShapeWeightsAttr(), weights, _singles))
    for attribute, values, stored in sampled:
        if np.ptp(values, axis=0).max(initial=0.0) == 0.0:
            attribute.Set(stored(values[0]))
            continue
        for time, value in zip(track.times.tolist(), values, strict=True):
            attribute.Set(stored(value), time * rate)


def _quaternions(values: _Floats) -> Any:
    return Vt.QuatfArray([Gf.Quatf(w, x, y, z) for x, y, z, w in values.tolist()])


def _halves(values: _Floats) -> Any:
    return Vt.Vec3hArray.FromNumpy(np.ascontiguousarray(values, np.float16))


def _singles(values: _Floats) -> Any:
    return Vt.FloatArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def write(path: Path, character: Character) -> list[Path]:
    """Writes a .usdc, .usda or .usd with its pictures in a folder beside it, or a .usdz that holds them; the files."""
    return written(path, lambda file, textures: _write_stage(file, character, textures))
