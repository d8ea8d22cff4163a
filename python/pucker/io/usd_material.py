"""Materials of a USD stage: the constant colour or the picture that UsdPreviewSurface takes as its diffuse colour."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from pxr import Ar, Sdf, UsdGeom, UsdShade

from pucker._core import AlphaMode, Material

_Indices = npt.NDArray[np.int64]

_NONE = -1


def _inputs(shader: UsdShade.Shader, name: str) -> list[Any]:
    """The attributes that a shader's input gets its value from: inputs that hold one, or outputs of other shaders."""
    found = shader.GetInput(name)
    return list(UsdShade.Utils.GetValueProducingAttributes(found)) if found else []


def _value(shader: UsdShade.Shader, name: str, default: Any) -> Any:
    for attribute in _inputs(shader, name):
        value = attribute.Get()
        if value is not None:
            return value
    return default


def _picture(asset: Sdf.AssetPath, home: Path | None) -> bytes:
    """The bytes of a picture, also inside a package; none if it was not found, as a model is worth loading without, or if it
    lies neither in the folder `home` nor below.
    """
    if not asset.resolvedPath:
        return b""
    # package.usdz[picture.png]
    package = Path(Ar.SplitPackageRelativePathOuter(asset.resolvedPath)[0])
    if home is not None and not package.resolve().is_relative_to(home):
        return b""
    opened = Ar.GetResolver().OpenAsset(Ar.ResolvedPath(asset.resolvedPath))
    if opened is None:
        return b""
    with opened as stored:
        return bytes(stored.GetBuffer())


def _reflected(color: Sequence[float]) -> list[float]:
    """A colour as the core draws it: cloth gives back no more light than it gets, whatever rounding or a glow makes of it."""
    return [min(max(float(share), 0.0), 1.0) for share in color]


def _read(material: UsdShade.Material, home: Path | None) -> Material:
    name = str(material.GetPrim().GetName())
    surface = material.ComputeSurfaceSource()[0]
    if not surface:
        return Material(name=name)
    opacity, texture_alpha = _opacity(surface)
    threshold = float(_value(surface, "opacityThreshold", 0.0))
    alpha: dict[str, Any] = {}
    if threshold > 0.0:
        alpha = {"alpha_mode": AlphaMode.mask, "alpha_cutoff": threshold}
    elif opacity < 1.0 or texture_alpha:
        alpha = {"alpha_mode": AlphaMode.blend}
    for attribute in _inputs(surface, "diffuseColor"):
        texture = UsdShade.Shader(attribute.GetPrim())
        if UsdShade.Utils.GetType(attribute.GetName()) == UsdShade.AttributeType.Input:
            return Material(name=name, color=_reflected([*attribute.Get(), opacity]), **alpha)
        asset = _value(texture, "file", None)
        if asset is not None:
            scale = [float(number) for number in _value(texture, "scale", (1.0, 1.0, 1.0, 1.0))]
            color = _reflected([*scale[:3], scale[3] if texture_alpha else opacity])
            return Material(name=name, color=color, texture_name=asset.path, texture=_picture(asset, home), **alpha)
    return Material(name=name)


def _opacity(surface: UsdShade.Shader) -> tuple[float, bool]:
    """The constant opacity of a surface; and whether it is the alpha of a picture instead."""
    for attribute in _inputs(surface, "opacity"):
        if UsdShade.Utils.GetType(attribute.GetName()) == UsdShade.AttributeType.Output:
            return 1.0, UsdShade.Utils.GetBaseNameAndType(attribute.GetName())[0] == "a"
    return float(_value(surface, "opacity", 1.0)), False


class Materials:
    """The materials of a stage, each read when a mesh first uses it; pictures from the folder `home` and below, None for
    any.
    """

    def __init__(self, home: Path | None) -> None:
        self._home = home
        self.found: list[Material] = []
        self._numbers: dict[Sdf.Path, int] = {}

    def of(self, mesh: UsdGeom.Mesh, polygons: int) -> _Indices:
        """The material of each polygon of a mesh, (polygons,), as an index into `found`."""
        binding = UsdShade.MaterialBindingAPI(mesh)
        result = np.full(polygons, _NONE, np.int64)
        for subset in binding.GetMaterialBindSubsets():
            members = np.array(subset.GetIndicesAttr().Get() or [], np.int64)
            if not ((members >= 0) & (members < polygons)).all():
                raise ValueError(f"indices of {subset.GetPath()} must be in [0, {polygons})")
            if len(members):
                result[members] = self._number(mesh, UsdShade.MaterialBindingAPI(subset))
        if (result == _NONE).any():
            result[result == _NONE] = self._number(mesh, binding)
        return result

    def _number(self, mesh: UsdGeom.Mesh, binding: UsdShade.MaterialBindingAPI) -> int:
        material = binding.ComputeBoundMaterial()[0]
        path = material.GetPath() if material else mesh.GetPath()
        if path not in self._numbers:
            self._numbers[path] = len(self.found)
            self.found.append(_read(material, self._home) if material else _display_color(mesh))
        return self._numbers[path]


def _display_color(mesh: UsdGeom.Mesh) -> Material:
    """What a mesh without a material is painted with: its display colour, if it has one for all of it."""
    colors = mesh.GetDisplayColorPrimvar().ComputeFlattened()
    return Material() if colors is None or len(colors) != 1 else Material(color=_reflected([*colors[0], 1.0]))
