"""Characters from USD: skins of UsdSkel, time-sampled points, transforms, and the materials that bind them.

A stage is one clip, "all", from its first time code to its last. Its pose at any time is what USD's own interpolation
gives, computed in float64; nothing is baked to frames before.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt
from pxr import Sdf, Tf, Usd, UsdGeom, UsdSkel

from pucker._core import Error, sources
from pucker.io.limits import Limits
from pucker.io.usd_material import Materials
from pucker.io.usd_mesh import MeshPart

_Positions = npt.NDArray[np.float64]

_WHOLE_CLIP: Final = "all"
_UNDRAWN_PURPOSES: Final = (UsdGeom.Tokens.guide, UsdGeom.Tokens.proxy)
# Characters of a message of pxr that are passed on.
_LONGEST: Final = 1000
_Z_UP_TO_Y_UP: Final = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])


@dataclass(frozen=True)
class _Span:
    """The time codes of the clip."""

    start: float
    end: float
    codes_per_second: float

    @property
    def duration(self) -> float:
        return (self.end - self.start) / self.codes_per_second

    def code(self, time: float) -> Usd.TimeCode:
        """The time code of a time in seconds from the start; a sample that falls on a whole code is at that code."""
        code = self.start + time * self.codes_per_second
        return Usd.TimeCode(float(round(code)) if abs(code - round(code)) < 1e-6 else code)


@dataclass(frozen=True)
class _Animation:
    """All meshes of a stage, turned so that y is up."""

    path: Path
    stage: Usd.Stage  # prims do not keep their stage alive
    parts: list[MeshPart]
    span: _Span | None
    home: Path | None
    """The folder that layers must lie in."""
    has_clips: bool

    @property
    def turn(self) -> _Positions:
        return _Z_UP_TO_Y_UP if UsdGeom.GetStageUpAxis(self.stage) == UsdGeom.Tokens.z else np.eye(3)

    def rest(self) -> _Positions:
        return np.concatenate([part.rest() for part in self.parts]) @ self.turn.T

    def pose(self, time: float) -> _Positions:
        """Positions (N, 3) at a time in seconds from the start of the span."""
        assert self.span is not None
        code = self.span.code(time)
        try:
            positions = [part.positions(code) for part in self.parts]
            # Layers of value clips are opened when a value of theirs is asked for.
            if self.home is not None and self.has_clips:
                _check_layers(self.stage, self.home)
        except Exception as error:  # pxr raises whatever the values lead it to
            raise Error(f"{self.path}: {_said(error)}") from error
        return np.concatenate(positions) @ self.turn.T


def open_source(path: Path, *, anywhere: bool = False, limits: Limits | None = None) -> sources.Source:
    """A stage with all its meshes that are drawn: invisible ones, guides and proxies are left out.

    Raises:
        pucker.Error: If the file is missing or damaged, has no mesh, or uses what is not supported: dual quaternion
            skins, point instancers, faces that change in time.
    """
    limits = limits or Limits.from_environment()
    stage = _open(path, limits)
    home = None if anywhere else path.resolve().parent
    try:
        has_clips = any(prim.HasMetadata("clips") for prim in stage.TraverseAll())
        if home is not None:
            _check_layers(stage, home)
        start = _start(stage)
        skins, materials = _skins(stage), Materials(home)
        parts = [MeshPart(mesh, skins.get(mesh.GetPath()), materials, start) for mesh in _drawn_meshes(stage, start)]
        animation = _Animation(path, stage, parts, _span(stage, parts), home, has_clips)
        clips = [] if animation.span is None else [(_WHOLE_CLIP, animation.span.duration, animation.pose)]
        extension = path.suffix.lower().removeprefix(".")
        rest = animation.rest()
        if home is not None:
            _check_layers(stage, home)  # those of value clips that were opened meanwhile too
        bind_pose = rest if any(part.joints for part in parts) else None
        return sources.from_poses(path, extension, _character(parts, materials), rest, clips, bind_pose=bind_pose)
    except Exception as error:  # pxr raises whatever the values lead it to
        raise Error(f"{path}: {_said(error)}") from error


def _said(error: Exception) -> str:
    """What an error says, in one line that can be read; pxr's own hold a list of what went wrong, which may take megabytes."""
    try:
        text = error.args[0].commentary if isinstance(error, Tf.ErrorException) and error.args else error
        said = " ".join(str(text).split())
        return said if len(said) <= _LONGEST else f"{said[:_LONGEST]} …"
    except UnicodeDecodeError:  # pxr quotes the bytes it stumbled over
        return "it holds text that is not UTF-8"


def _open(path: Path, limits: Limits) -> Usd.Stage:
    limits.check_size(path)
    try:
        return Usd.Stage.Open(str(path))
    except Exception as error:  # pxr raises whatever the bytes lead it to
        raise Error(f"{path}: is truncated or damaged: {_said(error)}") from error


def _check_layers(stage: Usd.Stage, home: Path) -> None:
    """Raises ValueError unless all that the stage is composed of, and that was opened for its value clips, lies in its own
    folder or below.
    """
    for layer in stage.GetUsedLayers():
        if layer.realPath and not Path(layer.realPath).resolve().is_relative_to(home):
            raise ValueError(f"takes the layer {layer.realPath} from outside its folder; anywhere=True allows it")


def _start(stage: Usd.Stage) -> Usd.TimeCode:
    """Where what has no default value is read."""
    return Usd.TimeCode(stage.GetStartTimeCode()) if stage.HasAuthoredTimeCodeRange() else Usd.TimeCode.EarliestTime()


def _drawn_meshes(stage: Usd.Stage, start: Usd.TimeCode) -> list[UsdGeom.Mesh]:
    meshes = []
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if prim.IsA(UsdGeom.PointInstancer):
            raise ValueError(f"point instancers are not supported, {prim.GetPath()} is one")
        if not prim.IsA(UsdGeom.Mesh):
            continue
        mesh = UsdGeom.Mesh(prim)
        if mesh.ComputePurpose() not in _UNDRAWN_PURPOSES and mesh.ComputeVisibility(start) != UsdGeom.Tokens.invisible:
            meshes.append(mesh)
    if not meshes:
        raise ValueError("has no mesh")
    return meshes


def _skins(stage: Usd.Stage) -> dict[Sdf.Path, tuple[UsdSkel.SkeletonQuery, UsdSkel.SkinningQuery]]:
    """Skeleton and skin of each skinned mesh."""
    skins: dict[Sdf.Path, tuple[UsdSkel.SkeletonQuery, UsdSkel.SkinningQuery]] = {}
    cache = UsdSkel.Cache()
    for prim in Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies()):
        if not prim.IsA(UsdSkel.Root):
            continue
        root = UsdSkel.Root(prim)
        cache.Populate(root, Usd.TraverseInstanceProxies())
        for binding in cache.ComputeSkelBindings(root, Usd.TraverseInstanceProxies()):
            skeleton = cache.GetSkelQuery(binding.GetSkeleton())
            skins |= {skin.GetPrim().GetPath(): (skeleton, skin) for skin in binding.GetSkinningTargets()}
    return skins


def _span(stage: Usd.Stage, parts: list[MeshPart]) -> _Span | None:
    """The stage's range of time codes, else that of its samples; None if nothing moves."""
    codes = sorted({code for part in parts for code in part.time_samples()})
    if not codes:
        return None
    rate = stage.GetTimeCodesPerSecond()
    if not rate > 0.0:
        raise ValueError(f"time codes per second must be > 0, got {rate}")
    authored = stage.HasAuthoredTimeCodeRange()
    start, end = (stage.GetStartTimeCode(), stage.GetEndTimeCode()) if authored else (codes[0], codes[-1])
    if start > end:
        raise ValueError(f"the first time code must not be after the last, got {start} and {end}")
    return _Span(start, end, rate)


def _character(parts: list[MeshPart], materials: Materials) -> sources.Character:
    """All meshes as one character; the node of a triangle is the prim that holds its mesh."""
    first = np.cumsum([0, *(part.vertex_count for part in parts)])
    joints = list(dict.fromkeys(name for part in parts for name in part.joints))
    influences = [np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)]
    for part, offset in zip(parts, first, strict=False):
        numbers = np.array([joints.index(name) for name in part.joints], np.int64)
        vertices, own_joints, weights = part.influences()
        found = (vertices + offset, numbers[own_joints] if len(numbers) else own_joints, weights)
        influences = [np.concatenate([old, new]) for old, new in zip(influences, found, strict=True)]
    has_uv = any(part.uv is not None for part in parts)
    uv = [np.zeros((part.vertex_count, 2)) if part.uv is None else part.uv for part in parts]
    return sources.Character(
        int(first[-1]),
        np.concatenate([part.faces + offset for part, offset in zip(parts, first, strict=False)]),
        uv=np.concatenate(uv) if has_uv else None,
        face_pieces=np.repeat(np.arange(len(parts)), [len(part.faces) for part in parts]),
        pieces=[(part.node, part.name) for part in parts],
        face_materials=np.concatenate([part.face_materials for part in parts]),
        materials=materials.found,
        joints=joints,
        influences=influences,
    )
