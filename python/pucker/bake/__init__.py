"""The wrinkled surface as real triangles, for other programs: glTF, USD, OBJ sequences, NumPy archives, and maps."""

from pucker.bake.clip import FORMATS, SurfaceReport, surface
from pucker.bake.maps import MapReport, maps
from pucker.bake.skinned import SkinnedReport, skinned
from pucker.bake.vat import VatReport, vat
from pucker.bake.wrinkle_maps import WrinkleMapReport, wrinkle_maps

__all__ = [
    "FORMATS",
    "MapReport",
    "SkinnedReport",
    "SurfaceReport",
    "VatReport",
    "WrinkleMapReport",
    "maps",
    "skinned",
    "surface",
    "vat",
    "wrinkle_maps",
]
