"""USD: what baked files of every kind have in common: arrays, materials, and the packing of files."""

import shutil
import struct
import zipfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from pxr import Gf, Sdf, Usd, UsdGeom, UsdShade, Vt

import pucker
from pucker import AlphaMode
from pucker.bake.mesh import Part
from pucker.bake.write.textures import picture_of, plain_name
from pucker.io import generator
from pucker.io.files import replacing_in
from pucker.io.write.usd import writing

# Where contents begin in a .usdz: bytes of an entry's header but for its name, and the field that takes up the room before
# the contents (of what kind, how long).
_USDZ_ALIGNMENT: Final = 64
_ZIP_HEADER: Final = 30
_PADDING: Final = struct.Struct("<HH")
_PADDING_ID: Final = 0x1986


def vectors(values: npt.NDArray[np.floating]) -> Any:
    """An array of vectors of three floats."""
    return Vt.Vec3fArray.FromNumpy(np.ascontiguousarray(values, np.float32))


def integers(values: npt.NDArray[np.integer]) -> Any:
    """An array of integers."""
    return Vt.IntArray.FromNumpy(np.ascontiguousarray(values.ravel(), np.int32))


def extent(positions: npt.NDArray[np.floating]) -> Any:
    """The corners of the box that holds points (N, 3)."""
    return vectors(np.stack([positions.min(axis=0), positions.max(axis=0)]))


def define_stage(file: Path, root: str, kind: Any, rate: float, codes: npt.NDArray[np.float64]) -> Usd.Stage:
    """A new stage with a default prim of a kind, y up, and samples from the first to the last of `codes`, `rate` a second."""
    stage = Usd.Stage.CreateNew(str(file))
    stage.SetTimeCodesPerSecond(rate)
    stage.SetFramesPerSecond(rate)
    stage.SetStartTimeCode(float(codes[0]))
    stage.SetEndTimeCode(float(codes[-1]))
    UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
    UsdGeom.SetStageMetersPerUnit(stage, 1.0)
    prim = kind.Define(stage, root)
    Usd.ModelAPI(prim).SetKind("component")
    stage.SetDefaultPrim(prim.GetPrim())
    stage.GetRootLayer().customLayerData = {generator.KEY: generator.NAME}
    return stage


def define_mesh(stage: Usd.Stage, path: str, part: Part, faces: npt.NDArray[np.integer]) -> UsdGeom.Mesh:
    """A mesh of triangles, with the part's texture coordinates."""
    mesh = UsdGeom.Mesh.Define(stage, path)
    mesh.CreateFaceVertexCountsAttr(integers(np.full(len(faces), 3)))
    mesh.CreateFaceVertexIndicesAttr(integers(faces))
    mesh.CreateSubdivisionSchemeAttr(UsdGeom.Tokens.none)
    mesh.CreateDoubleSidedAttr(True)
    if part.uv is not None and part.uv_faces is not None:
        primvars = UsdGeom.PrimvarsAPI(mesh)
        coordinates = primvars.CreatePrimvar("st", Sdf.ValueTypeNames.TexCoord2fArray, UsdGeom.Tokens.faceVarying)
        coordinates.Set(Vt.Vec2fArray.FromNumpy(part.uv.astype(np.float32)))
        coordinates.SetIndices(integers(part.uv_faces))
    return mesh


def bind_materials(mesh: UsdGeom.Mesh, part: Part, materials: list[UsdShade.Material]) -> None:
    """Gives each triangle the material that its part says."""
    used = np.unique(part.materials)
    binding = UsdShade.MaterialBindingAPI.Apply(mesh.GetPrim())
    if len(used) == 1:
        binding.Bind(materials[used[0]])
        return
    for number in used:
        material = materials[number]
        subset = binding.CreateMaterialBindSubset(
            material.GetPrim().GetName(), integers(np.flatnonzero(part.materials == number))
        )
        UsdShade.MaterialBindingAPI.Apply(subset.GetPrim()).Bind(material)
    binding.SetMaterialBindSubsetsFamilyType(UsdGeom.Tokens.partition)


def add_materials(
    stage: Usd.Stage, root: str, materials: "Sequence[pucker.Material]", folder: Path
) -> list[UsdShade.Material]:
    """Defines a clip's materials below `root`; their pictures are written into `folder`."""
    made: list[UsdShade.Material] = []
    if materials:
        UsdGeom.Scope.Define(stage, f"{root}/materials")
    for number, material in enumerate(materials):
        name = plain_name(material.name, f"material_{number}")
        path = f"{root}/materials/{name}"
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


def written(path: Path, write_stage: Callable[[Path, Path], None]) -> list[Path]:
    """Writes a .usdc, .usda or .usd with its pictures in a folder beside it, or a .usdz that holds them; the files.

    `write_stage` writes a stage to a file, and its pictures into a folder.
    """
    with replacing_in(path.parent) as temporary, writing(temporary / path.name):
        if path.suffix.lower() != ".usdz":
            textures = temporary / f"{path.stem}_textures"
            write_stage(temporary / path.name, textures)
            pictures = [path.parent / textures.name / picture.name for picture in sorted(textures.glob("*"))]
            return [path, *pictures]
        parts = temporary / path.stem
        parts.mkdir()
        stage, textures = parts / f"{path.stem}.usdc", parts / "textures"
        write_stage(stage, textures)
        _pack(temporary / path.name, parts, [stage, *sorted(textures.glob("*"))])
        shutil.rmtree(parts)
        return [path]
