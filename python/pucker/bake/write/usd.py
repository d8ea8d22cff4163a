"""USD: points and normals sampled in time, with the model's texture coordinates and materials."""

import shutil
import struct
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, Vt

from pucker import AlphaMode
from pucker.bake.mesh import BakedClip, Part, Shape
from pucker.bake.write.textures import picture_of, plain_name
from pucker.io.files import replacing_in
from pucker.io.write.usd import writing

_ROOT = "/clip"
# Where contents begin in a .usdz: bytes of an entry's header but for its name, and the field that takes up the room before
# the contents (of what kind, how long).
_USDZ_ALIGNMENT: Final = 64
_ZIP_HEADER: Final = 30
_PADDING: Final = struct.Struct("<HH")
_PADDING_ID: Final = 0x1986


def _vectors(values: npt.NDArray[np.float64]) -> Any:
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def _integers(values: npt.NDArray[np.integer]) -> Any:
    return Vt.IntArray.FromNumpy(np.ascontiguousarray(values.ravel(), np.int32))


class _Mesh:
    """A mesh of one connectivity whose points move."""

    def __init__(self, stage: Usd.Stage, part: Part, materials: list[UsdShade.Material]) -> None:
        self._mesh = UsdGeom.Mesh.Define(stage, f"{_ROOT}/{part.name}")
        self._mesh.CreateFaceVertexCountsAttr(_integers(np.full(len(part.faces), 3)))
        self._mesh.CreateFaceVertexIndicesAttr(_integers(part.faces))
        self._mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
        self._mesh.CreateDoubleSidedAttr(True)
        primvars = UsdGeom.PrimvarsAPI(self._mesh)
        if part.normal_faces is None:
            self._normals = self._mesh.CreateNormalsAttr()
            self._mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        else:  # Which of the normals a corner has never changes: only they themselves are sampled.
            normals = primvars.CreatePrimvar("normals", Sdf.ValueTypeNames.Normal3fArray, UsdGeom.Tokens.faceVarying)
            normals.SetIndices(_integers(part.normal_faces))
            self._normals = normals.GetAttr()
        if part.uv is not None and part.uv_faces is not None:
            coordinates = primvars.CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying)
            coordinates.Set(Vt.Vec2fArray.FromNumpy(part.uv.astype(np.float32)))
            coordinates.SetIndices(_integers(part.uv_faces))
        self._bind(part, materials)

    def _bind(self, part: Part, materials: list[UsdShade.Material]) -> None:
        used = np.unique(part.materials)
        binding = UsdShade.MaterialBindingAPI.Apply(self._mesh.GetPrim())
        if len(used) == 1:
            binding.Bind(materials[used[0]])
            return
        for number in used:
            material = materials[number]
            subset = binding.CreateMaterialBindSubset(
                material.GetPrim().GetName(), _integers(np.flatnonzero(part.materials == number))
            )
            UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
        binding.SetMaterialBindSubsetsFamilyType(UsdGeom.Tokens.partition)

    def add(self, code: float, shape: Shape) -> None:
        """Samples the points at a time code."""
        self._mesh.CreatePointsAttr().Set(_vectors(shape.positions), code)
        self._normals.Set(_vectors(shape.normals), code)
        low, high = shape.positions.min(axis=0), shape.positions.max(axis=0)
        self._mesh.CreateExtentAttr().Set(_vectors(np.stack([low, high])), code)


def _add_materials(stage: Usd.Stage, baked: BakedClip, folder: Path) -> list[UsdShade.Material]:
    """Defines the clip's materials; their pictures are written into `folder`."""
    made: list[UsdShade.Material] = []
    if baked.clip.material_list:
        UsdGeom.Scope.Define(stage, f"{_ROOT}/materials")
    for number, material in enumerate(baked.clip.material_list):
        name = plain_name(material.name, f"material_{number}")
        path = f"{_ROOT}/materials/{name}"
        if stage.GetPrimAtPath(path):
            path = f"{path}_{number}"
        prim = UsdShade.Material.Define(stage, path)
        surface = UsdShade.Shader.Define(stage, f"{path}/surface")
        surface.CreateIdAttr("UsdPreviewSurface")
        surface.CreateInput("roughness", Sdf.ValueTypeNames.Float).Set(0.9)
        opacity = surface.CreateInput("opacity", Sdf.ValueTypeNames.Float)
        opaque = material.alpha_mode is AlphaMode.opaque
        opacity.Set(1.0 if opaque else float(material.color[3]))
        if material.alpha_mode is AlphaMode.mask:
            surface.CreateInput("opacityThreshold", Sdf.ValueTypeNames.Float).Set(material.alpha_cutoff)
        colour = surface.CreateInput("diffuseColor", Sdf.ValueTypeNames.Color3f)
        prim.CreateSurfaceOutput().ConnectToSource(surface.ConnectableAPI(), "surface")
        picture = picture_of(material)
        if picture is None:
            colour.Set(Gf.Vec3f(*map(float, material.color[:3])))
        else:
            folder.mkdir(exist_ok=True)
            file = folder / f"{prim.GetPrim().GetName()}_{picture.stem}{picture.suffix}"
            file.write_bytes(picture.content)
            reader = UsdShade.Shader.Define(stage, f"{path}/coordinates")
            reader.CreateIdAttr("UsdPrimvarReader_float2")
            reader.CreateInput("varname", Sdf.ValueTypeNames.String).Set("st")
            texture = UsdShade.Shader.Define(stage, f"{path}/texture")
            texture.CreateIdAttr("UsdUVTexture")
            texture.CreateInput("file", Sdf.ValueTypeNames.Asset).Set(f"./{folder.name}/{file.name}")
            texture.CreateInput("sourceColorSpace", Sdf.ValueTypeNames.Token).Set("sRGB")
            texture.CreateInput("scale", Sdf.ValueTypeNames.Float4).Set(Gf.Vec4f(*map(float, material.color)))
            for wrap in ("wrapS", "wrapT"):
                texture.CreateInput(wrap, Sdf.ValueTypeNames.Token).Set("repeat")
            texture.CreateInput("st", Sdf.ValueTypeNames.Float2).ConnectToSource(reader.ConnectableAPI(), "result")
            texture.CreateOutput("rgb", Sdf.ValueTypeNames.Float3)
            reader.CreateOutput("result", Sdf.ValueTypeNames.Float2)
            colour.ConnectToSource(texture.ConnectableAPI(), "rgb")
            if not opaque:
                texture.CreateOutput("a", Sdf.ValueTypeNames.Float)
                opacity.ConnectToSource(texture.ConnectableAPI(), "a")
        made.append(prim)
    return made


def _write_stage(file: Path, baked: BakedClip, frames: Iterable[int], textures: Path) -> None:
    stage = Usd.Stage.CreateNew(str(file))
    # A time code is a frame where the clip is sampled evenly.
    rate = (len(baked) - 1) / float(baked.times[-1]) if len(baked) > 1 else 24.0
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    codes = baked.times * rate
    stage.SetStartTimeCode(float(codes[0]))
    stage.SetEndTimeCode(float(codes[-1]))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    root = UsdGeom.Xform.Define(stage, _ROOT)
    Usd.ModelAPI(root).SetKind("component")
    stage.SetDefaultPrim(root.GetPrim())
    materials = _add_materials(stage, baked, textures)
    garment = _Mesh(stage, baked.garment_part, materials)
    body = None if baked.body is None else _Mesh(stage, baked.body.part, materials)
    for index in frames:
        garment.add(float(codes[index]), baked.garment(index)[1])
        if body is not None and baked.body is not None:
            body.add(float(codes[index]), baked.body.shape(index))
    stage.GetRootLayer().Save()


def _pack(path: Path, folder: Path, files: Iterable[Path]) -> None:
    """Writes files of a folder as a .usdz: a zip archive without compression, whose contents are aligned.

    pxr's own writer takes no notice of a disk that is full.
    """
    with path.open("wb") as file, zipfile.ZipFile(file, "w") as package:
        for part in files:
            name = part.relative_to(folder).as_posix()
            begin = file.tell() + _ZIP_HEADER + len(name.encode()) + _PADDING.size
            gap = -begin % _USDZ_ALIGNMENT
            entry = zipfile.ZipInfo.from_file(part, name)
            entry.extra = _PADDING.pack(_PADDING_ID, gap) + bytes(gap)
            with part.open("rb") as source, package.open(entry, "w") as target:
                shutil.copyfileobj(source, target)


def write(path: Path, baked: BakedClip, frames: Iterable[int]) -> list[Path]:
    """Writes a .usdc, .usda or .usd with its pictures in a folder beside it, or a .usdz that holds them."""
    with replacing_in(path.parent) as temporary, writing(temporary / path.name):
        if path.suffix.lower() != ".usdz":
            textures = temporary / f"{path.stem}_textures"
            _write_stage(temporary / path.name, baked, frames, textures)
            pictures = [path.parent / textures.name / picture.name for picture in sorted(textures.glob("*"))]
            return [path, *pictures]
        parts = temporary / path.stem
        parts.mkdir()
        stage, textures = parts / f"{path.stem}.usdc", parts / "textures"
        _write_stage(stage, baked, frames, textures)
        _pack(temporary / path.name, parts, [stage, *sorted(textures.glob("*"))])
        shutil.rmtree(parts)
        return [path]
