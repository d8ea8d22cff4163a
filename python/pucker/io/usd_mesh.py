"""One mesh of a USD stage: its triangles, and where its vertices are at a time code."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Gf, Sdf, Usd, UsdGeom, UsdSkel

from pucker.io.polygons import fans, split_at_seams
from pucker.io.usd_material import Materials

_Numbers = npt.NDArray[np.float64]
_Indices = npt.NDArray[np.int64]


class MeshPart:
    """A mesh with its points in the order of the stored vertices, which are split where texture coordinates are.

    Args:
        mesh: The prim.
        skin: Skeleton and skin, if it is skinned.
        materials: Takes the materials of the mesh.
        start: Where what has no default value is read.

    Raises:
        ValueError: If the mesh is damaged or uses what is not supported.
    """

    def __init__(
        self,
        mesh: UsdGeom.Mesh,
        skin: tuple[UsdSkel.SkeletonQuery, UsdSkel.SkinningQuery] | None,
        materials: Materials,
        start: Usd.TimeCode,
    ) -> None:
        self._mesh = mesh
        self._start = start
        self._points = mesh.GetPointsAttr()
        self.name = str(mesh.GetPrim().GetName())
        self.node = str(mesh.GetPrim().GetParent().GetName())
        self._point_count = len(self._rest_points)

        corners, polygons, polygon_count = self._triangles()
        points = self._corner_points[corners]
        self.face_materials = materials.of(mesh, polygon_count)[polygons]
        self.faces, self.uv = points, self._uv_of_points
        self._rows: _Indices = np.arange(self._point_count)
        if self._uv_of_corners is not None:
            self._rows, self.faces, self.uv = split_at_seams(points, self._uv_of_corners[corners])
        path = str(mesh.GetPath())
        self._skin: _Skin | None = None
        self._shapes: _BlendShapes | None = None
        if skin is not None and skin[1].HasJointInfluences():
            self._skin = _Skin(*skin, self._point_count, start, path)
        if skin is not None and _has_shapes(*skin):
            self._shapes = _BlendShapes(*skin, self._point_count)

    @property
    def vertex_count(self) -> int:
        """Stored vertices."""
        return len(self._rows)

    @property
    def joints(self) -> list[str]:
        """Names of the joints of its skin, distinct."""
        return [] if self._skin is None else self._skin.joints

    def influences(self) -> tuple[_Indices, _Indices, _Numbers]:
        """Stored vertex, joint and weight of each influence, (k,) each; joints are indices into `joints`."""
        if self._skin is None:
            return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
        joints, weights = self._skin.indices[self._rows], self._skin.weights[self._rows]
        vertices, columns = np.nonzero(weights)
        return vertices, joints[vertices, columns], weights[vertices, columns]

    def time_samples(self) -> set[float]:
        """Time codes at which something that moves the mesh is sampled."""
        samples = set(self._points.GetTimeSamples())
        if self._shapes is not None:
            samples |= self._shapes.time_samples()
        prim = self._mesh.GetPrim()
        if self._skin is not None:
            samples |= self._skin.time_samples()
            prim = self._skin.skeleton_prim
        while not prim.IsPseudoRoot():
            if prim.IsA(UsdGeom.Xformable):
                samples |= set(UsdGeom.Xformable(prim).GetTimeSamples())
            prim = prim.GetParent()
        return samples

    def positions(self, code: Usd.TimeCode) -> _Numbers:
        """Stored vertices (N, 3) in the world at a time code."""
        points = np.asarray(self._points.Get(code), np.float64).reshape(-1, 3)
        if len(points) != self._point_count:
            raise ValueError(
                f"{self._mesh.GetPath()} must keep its {self._point_count} points, got {len(points)} at time code {code}"
            )
        if self._shapes is not None:
            points = self._shapes.moved(points, code)
        return self._placed(points if self._skin is None else self._skin.deformed(points, code), code)

    def rest(self) -> _Numbers:
        """Stored vertices (N, 3) of the pose that the mesh is modelled in, (N, 3), in the world of the start."""
        points = self._rest_points
        return self._placed(points if self._skin is None else self._skin.bound(points), self._start)

    def _placed(self, points: _Numbers, code: Usd.TimeCode) -> _Numbers:
        # A skinned mesh lies in the space of its skeleton, whatever its own transform.
        prim = self._mesh.GetPrim() if self._skin is None else self._skin.skeleton_prim
        return _transformed(points[self._rows], UsdGeom.XformCache(code).GetLocalToWorldTransform(prim))

    @cached_property
    def _rest_points(self) -> _Numbers:
        points = self._points.Get(Usd.TimeCode.Default())
        if points is None:
            points = self._points.Get(self._start)
        if points is None:
            raise ValueError(f"{self._mesh.GetPath()} has no points")
        return np.asarray(points, np.float64).reshape(-1, 3)

    def _constant(self, attribute: Usd.Attribute) -> Any:
        """The value of an attribute that must not change in time."""
        values = [attribute.Get(code) for code in attribute.GetTimeSamples()]
        if any(value != values[0] for value in values):
            raise ValueError(f"the faces of a mesh must stay the same, those of {self._mesh.GetPath()} change in time")
        return values[0] if values else attribute.Get()

    @cached_property
    def _corner_points(self) -> _Indices:
        """The point of each corner of each polygon."""
        points = np.array(self._constant(self._mesh.GetFaceVertexIndicesAttr()) or [], np.int64)
        outside = (points < 0) | (points >= self._point_count)
        if outside.any():
            raise ValueError(
                f"faces of {self._mesh.GetPath()} must name points in [0, {self._point_count}), "
                f"got {points[outside][0]}"
            )
        return points

    def _triangles(self) -> tuple[_Indices, _Indices, int]:
        """The corners (m, 3) and the polygon (m,) of each triangle, and the number of polygons."""
        path = self._mesh.GetPath()
        counts = np.array(self._constant(self._mesh.GetFaceVertexCountsAttr()) or [], np.int64)
        if (counts < 3).any():
            raise ValueError(f"faces of {path} must have at least 3 corners, got {counts.min()}")
        if counts.sum() != len(self._corner_points):
            raise ValueError(f"{path} has faces of {counts.sum()} corners in all, but names {len(self._corner_points)}")
        corners, polygons = fans(counts)
        if self._mesh.GetOrientationAttr().Get() == UsdGeom.Tokens.leftHanded:
            corners = corners[:, ::-1]
        holes = np.array(self._constant(self._mesh.GetHoleIndicesAttr()) or [], np.int64)
        solid = ~np.isin(polygons, holes)
        return corners[solid], polygons[solid], len(counts)

    @cached_property
    def _primvar(self) -> UsdGeom.Primvar | None:
        """Texture coordinates: "st", else the first primvar of their type."""
        primvars = UsdGeom.PrimvarsAPI(self._mesh).FindPrimvarsWithInheritance()
        kinds = (Sdf.ValueTypeNames.TexCoord2fArray, Sdf.ValueTypeNames.TexCoord2dArray)
        usual = (Sdf.ValueTypeNames.Float2Array, Sdf.ValueTypeNames.Double2Array)
        found = [
            p for p in primvars if p.GetTypeName() in kinds or (p.GetPrimvarName() == "st" and p.GetTypeName() in usual)
        ]
        return min(found, key=lambda primvar: primvar.GetPrimvarName() != "st", default=None)

    def _uv_values(self, count: int) -> _Numbers:
        assert self._primvar is not None
        values = self._primvar.ComputeFlattened()
        if values is None:
            values = self._primvar.ComputeFlattened(self._start)
        uv = np.asarray(values, np.float64).reshape(-1, 2)
        if len(uv) != count:
            raise ValueError(
                f"texture coordinates of {self._mesh.GetPath()} must have {count} values for interpolation "
                f"'{self._primvar.GetInterpolation()}', got {len(uv)}"
            )
        return uv

    @cached_property
    def _uv_of_points(self) -> _Numbers | None:
        """(points, 2), if each point has one place in the picture."""
        if self._primvar is None:
            return None
        if self._primvar.GetInterpolation() in (UsdGeom.Tokens.vertex, UsdGeom.Tokens.varying):
            return self._uv_values(self._point_count)
        if self._primvar.GetInterpolation() == UsdGeom.Tokens.constant:
            return np.repeat(self._uv_values(1), self._point_count, axis=0)
        return None

    @cached_property
    def _uv_of_corners(self) -> _Numbers | None:
        """(corners, 2), if corners at one point may have several places in the picture."""
        if self._primvar is None or self._uv_of_points is not None:
            return None
        if self._primvar.GetInterpolation() == UsdGeom.Tokens.uniform:
            counts = np.array(self._mesh.GetFaceVertexCountsAttr().Get(self._start))
            return np.repeat(self._uv_values(len(counts)), counts, axis=0)
        return self._uv_values(len(self._corner_points))


class _BlendShapes:
    """Displacements of points, weighted, with shapes in between where a blend shape has some."""

    def __init__(self, skeleton: UsdSkel.SkeletonQuery, skin: UsdSkel.SkinningQuery, points: int) -> None:
        self._animation = skeleton.GetAnimQuery()
        self._mapper = skin.GetBlendShapeMapper()
        self._query = UsdSkel.BlendShapeQuery(UsdSkel.BindingAPI(skin.GetPrim()))
        self._offsets = [
            np.asarray(offsets, np.float64).reshape(-1, 3) for offsets in self._query.ComputeSubShapePointOffsets()
        ]
        self._points = [np.asarray(indices, np.int64) for indices in self._query.ComputeBlendShapePointIndices()]
        for shape in range(self._query.GetNumSubShapes()):
            self._check(shape, points)

    def _check(self, shape: int, points: int) -> None:
        """Raises ValueError unless a shape's offsets are as many as the points it moves, which are points of the mesh."""
        number = self._query.GetBlendShapeIndex(shape)
        moved, name = self._points[number], self._query.GetBlendShape(number).GetPrim().GetPath()
        offsets = len(self._offsets[shape])
        if offsets and offsets != (len(moved) or points):
            raise ValueError(f"{name} must have an offset for each of {len(moved) or points} points, got {offsets}")
        outside = (moved < 0) | (moved >= points)
        if outside.any():
            raise ValueError(f"{name} must move points in [0, {points}), got {moved[outside][0]}")

    def time_samples(self) -> set[float]:
        return set(self._animation.GetBlendShapeWeightTimeSamples())

    def moved(self, points: _Numbers, code: Usd.TimeCode) -> _Numbers:
        """The points with what the shapes add at a time code."""
        weights = self._mapper.Remap(self._animation.ComputeBlendShapeWeights(code))
        result = points.copy()
        for weight, number, shape in zip(*self._query.ComputeSubShapeWeights(weights), strict=True):
            if len(self._offsets[shape]):
                # Each point occurs once unless a file repeats it, whose offsets then add up.
                rows = self._points[number] if len(self._points[number]) else np.arange(len(points))
                np.add.at(result, rows, weight * self._offsets[shape])
        return result


class _Skin:
    """A linear blend skin.

    A point p of the mesh goes to Σ w_j · p G B_j⁻¹ X_j, in the space of the skeleton, with row vectors as in USD: G is the
    mesh's geomBindTransform, B_j the joint's bind transform, X_j its transform at the time.
    """

    def __init__(
        self,
        skeleton: UsdSkel.SkeletonQuery,
        skin: UsdSkel.SkinningQuery,
        points: int,
        start: Usd.TimeCode,
        mesh: str,
    ) -> None:
        self._skeleton = skeleton
        if skin.GetSkinningMethod() != UsdSkel.Tokens.classicLinear:
            raise ValueError(f"skins must be linear blend skins, that of {mesh} is '{skin.GetSkinningMethod()}'")
        if not skeleton.HasBindPose():
            raise ValueError(f"{skeleton.GetPrim().GetPath()} has no bind transforms")
        self._bind = skin.GetGeomBindTransform(start)
        self.joints = _short_names(skeleton.GetJointOrder())
        self.indices, self.weights = self._read(skin, points, start, mesh)

    @property
    def skeleton_prim(self) -> Usd.Prim:
        return self._skeleton.GetPrim()

    def time_samples(self) -> set[float]:
        animation = self._skeleton.GetAnimQuery()
        return set(animation.GetJointTransformTimeSamples()) if animation else set()

    def bound(self, points: _Numbers) -> _Numbers:
        """The pose the mesh was bound in, in the space of the skeleton."""
        return _transformed(points, self._bind)

    def deformed(self, points: _Numbers, code: Usd.TimeCode) -> _Numbers:
        """The pose at a time code, in the space of the skeleton."""
        # B_j⁻¹ X_j of all joints, (joints, 4, 4).
        joints = np.array(self._skeleton.ComputeSkinningTransforms(code), np.float64)
        blended: _Numbers = (self.weights[:, :, None, None] * joints[self.indices]).sum(axis=1)
        turned = (self.bound(points)[:, None] @ blended[:, :3, :3])[:, 0]
        return turned + blended[:, 3, :3]

    def _read(
        self, skin: UsdSkel.SkinningQuery, points: int, start: Usd.TimeCode, mesh: str
    ) -> tuple[_Indices, _Numbers]:
        """Joint and weight of each influence, (points, k)."""
        width = skin.GetNumInfluencesPerComponent()
        components = 1 if skin.IsRigidlyDeformed() else points
        indices = np.array(skin.GetJointIndicesPrimvar().ComputeFlattened(start), np.int64)
        weights = np.array(skin.GetJointWeightsPrimvar().ComputeFlattened(start), np.float64)
        if len(indices) != components * width or len(weights) != components * width:
            raise ValueError(
                f"{mesh} must have {components * width} joint indices and weights, got {len(indices)} and {len(weights)}"
            )
        order = skin.GetJointOrder()
        if order is not None:
            own = list(self._skeleton.GetJointOrder())
            missing = [name for name in order if name not in own]
            if missing:
                raise ValueError(f"{mesh} names the joint '{missing[0]}', which its skeleton has not")
            limit, numbers = len(order), np.array([own.index(name) for name in order], np.int64)
        else:
            limit, numbers = len(self.joints), np.arange(len(self.joints))
        if not ((indices >= 0) & (indices < limit)).all():
            raise ValueError(f"joint indices of {mesh} must be in [0, {limit})")
        indices = np.broadcast_to(indices.reshape(components, width), (points, width))
        weights = np.broadcast_to(weights.reshape(components, width), (points, width))
        sums = weights.sum(axis=1, keepdims=True)
        if not (np.isfinite(sums) & (sums > 0.0)).all() or (weights < 0.0).any():
            raise ValueError(f"joint weights of each point of {mesh} must be >= 0 and have a sum > 0")
        return numbers[indices], weights / sums


def _has_shapes(skeleton: UsdSkel.SkeletonQuery, skin: UsdSkel.SkinningQuery) -> bool:
    """Whether blend shapes move a mesh."""
    animation = skeleton.GetAnimQuery()
    return bool(skin.HasBlendShapes() and animation and animation.GetBlendShapeOrder())


def _transformed(points: _Numbers, matrix: Gf.Matrix4d) -> _Numbers:
    rows = np.array(matrix, np.float64)
    return points @ rows[:3, :3] + rows[3, :3]


def _short_names(joints: Any) -> list[str]:
    """The last names of the joints' paths; the whole paths if two joints would have one name."""
    paths = [str(joint) for joint in joints]
    short = [path.rsplit("/", 1)[-1] for path in paths]
    return short if len(set(short)) == len(short) else paths
