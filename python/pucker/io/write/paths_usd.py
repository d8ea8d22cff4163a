"""Paths as USD curves: one prim of linear BasisCurves whose points are sampled at every frame."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
from pxr import Sdf, Usd, UsdGeom, Vt

from pucker.io.files import replacing
from pucker.io.write.columns import PathColumns
from pucker.io.write.usd import writing

# Time codes of a clip of one frame, which has no rate of its own.
_DEFAULT_RATE = 24.0
# Codes this close to a whole one are that one but for the rounding of times.
_ROUNDING = 1e-6


class _Curves:
    """The prim. What a wrinkle has besides its points and widths are primvars of the columns' names."""

    def __init__(self, stage: Usd.Stage) -> None:
        self._curves = UsdGeom.BasisCurves.Define(stage, "/wrinkles")
        stage.SetDefaultPrim(self._curves.GetPrim())
        self._curves.CreateTypeAttr(UsdGeom.Tokens.linear)
        self._curves.CreateWrapAttr(UsdGeom.Tokens.nonperiodic)
        self._curves.SetWidthsInterpolation(UsdGeom.Tokens.vertex)
        api = UsdGeom.PrimvarsAPI(self._curves)
        types = Sdf.ValueTypeNames
        self._height = api.CreatePrimvar("height", types.FloatArray, UsdGeom.Tokens.vertex)
        self._id = api.CreatePrimvar("id", types.Int64Array, UsdGeom.Tokens.uniform)
        self._age = api.CreatePrimvar("age", types.FloatArray, UsdGeom.Tokens.uniform)
        self._alive = api.CreatePrimvar("alive", types.BoolArray, UsdGeom.Tokens.uniform)

    def add(self, code: float, columns: PathColumns, rows: slice) -> None:
        """Samples one frame, also one without wrinkles, which would otherwise show those before."""
        counts = columns.paths_in(rows)
        heads = rows.start + np.cumsum(counts) - counts
        points = columns.positions[rows].astype(np.float32)
        widths = columns["width"][rows].astype(np.float32)
        self._curves.CreateCurveVertexCountsAttr().Set(Vt.IntArray.FromNumpy(counts.astype(np.int32)), code)
        self._curves.CreatePointsAttr().Set(Vt.Vec3fArray.FromNumpy(points), code)
        self._curves.CreateWidthsAttr().Set(Vt.FloatArray.FromNumpy(widths), code)
        self._curves.CreateExtentAttr().Set(_extent(points, widths), code)
        self._height.Set(Vt.FloatArray.FromNumpy(columns["height"][rows].astype(np.float32)), code)
        self._id.Set(Vt.Int64Array.FromNumpy(columns["id"][heads]), code)
        self._age.Set(Vt.FloatArray.FromNumpy(columns["age"][heads].astype(np.float32)), code)
        self._alive.Set(Vt.BoolArray.FromNumpy(columns["alive"][heads]), code)


def _extent(points: npt.NDArray[np.float32], widths: npt.NDArray[np.float32]) -> Vt.Vec3fArray:
    """The box that holds the curves with their widths."""
    if len(points) == 0:
        return Vt.Vec3fArray()
    half = widths.max() / 2
    return Vt.Vec3fArray.FromNumpy(np.stack([points.min(axis=0) - half, points.max(axis=0) + half]))


def write(path: Path, columns: PathColumns, times: npt.NDArray[np.float64]) -> None:
    """Writes a .usd, .usda or .usdc; a time code is a frame where the clip is sampled evenly."""
    rate = (len(times) - 1) / float(times[-1] - times[0]) if len(times) > 1 else _DEFAULT_RATE
    exact = (times - times[0]) * rate
    codes = np.where(np.abs(exact - np.rint(exact)) < _ROUNDING, np.rint(exact), exact).tolist()
    with replacing(path) as temporary, writing(temporary):
        stage = Usd.Stage.CreateNew(str(temporary))
        UsdGeom.SetStageUpAxis(stage, UsdGeom.Tokens.y)
        UsdGeom.SetStageMetersPerUnit(stage, 1.0)
        stage.SetTimeCodesPerSecond(rate)
        stage.SetFramesPerSecond(rate)
        stage.SetStartTimeCode(codes[0])
        stage.SetEndTimeCode(codes[-1])
        curves = _Curves(stage)
        for frame, code in enumerate(codes):
            curves.add(code, columns, columns.rows_of(frame))
        stage.GetRootLayer().Save()
