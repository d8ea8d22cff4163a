"""The wrinkled surface as real triangles, for other programs: glTF, USD, OBJ sequences, NumPy archives, and maps."""

from pucker.bake.clip import FORMATS, SurfaceReport, surface
from pucker.bake.maps import MapReport, maps

__all__ = ["FORMATS", "MapReport", "SurfaceReport", "maps", "surface"]
