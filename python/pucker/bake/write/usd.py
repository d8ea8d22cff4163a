"""USD: points and normals sampled in time, with the model's texture coordinates and materials."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from pxr import Sdf, Usd, UsdGeom, UsdShade

from pucker.bake.mesh import BakedClip, Part, Shape
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

_ROOT: Final = "/clip"


class _Mesh:
    """A mesh of one connectivity whose points move."""

    def __init__(self, stage: Usd.Stage, part: Part, materials: list[UsdShade.Material]) -> None:
        self._mesh = define_mesh(stage, f"{_ROOT}/{part.name}", part, part.faces)
        if part.normal_faces is None:
            self._normals = self._mesh.CreateNormalsAttr()
            self._mesh.SetNormalsInterpolation(UsdGeom.Tokens.vertex)
        else:  # Which of the normals a corner has never changes: only they themselves are sampled.
            normals = UsdGeom.PrimvarsAPI(self._mesh).CreatePrimvar(
                "normals", Sdf.ValueTypeNames.Normal3fArray, UsdGeom.Tokens.faceVarying
            )
            normals.SetIndices(integers(part.normal_faces))
            self._normals = normals.GetAttr()
        bind_materials(self._mesh, part, materials)

    def add(self, code: float, shape: Shape) -> None:
        """Samples the points at a time code."""
        self._mesh.CreatePointsAttr().Set(vectors(shape.positions), code)
        self._normals.Set(vectors(shape.normals), code)
        self._mesh.CreateExtentAttr().Set(extent(shape.positions), code)


def _write_stage(file: Path, baked: BakedClip, frames: Iterable[int], textures: Path) -> None:
    # A time code is a frame where the clip is sampled evenly.
    rate = (len(baked) - 1) / float(baked.times[-1]) if len(baked) > 1 else 24.0
    codes = baked.times * rate
    stage = define_stage(file, _ROOT, UsdGeom.Xform, rate, codes)
    materials = add_materials(stage, _ROOT, baked.clip.material_list, textures)
    garment = _Mesh(stage, baked.garment_part, materials)
    body = None if baked.body is None else _Mesh(stage, baked.body.part, materials)
    for index in frames:
        garment.add(float(codes[index]), baked.garment(index)[1])
        if body is not None and baked.body is not None:
            body.add(float(codes[index]), baked.body.shape(index))
    stage.GetRootLayer().Save()


def write(path: Path, baked: BakedClip, frames: Iterable[int]) -> list[Path]:
    """Writes a .usdc, .usda or .usd with its pictures in a folder beside it, or a .usdz that holds them."""
    return written(path, lambda file, textures: _write_stage(file, baked, frames, textures))
