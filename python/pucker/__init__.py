"""Wrinkles for coarse animated cloth meshes.

`run` gives the frames of a clip with the detail of a method. Every stage of the dynamic method is an object of its own;
`Wrinkler` runs them in order. See the documentation for a tour.
"""

# ruff: noqa: F405 - names of the core come by its star
import importlib
import sys
from typing import TYPE_CHECKING, Any, Final

from pucker import _at_once as _at_once  # before all that takes time
from pucker import _core as _core
from pucker import shown as _shown  # noqa: F401 - has the core's objects say what they are
from pucker._core import *  # noqa: F403
from pucker._core import __version__ as __version__
from pucker._core import profiles as profiles
from pucker.io import inspect as inspect
from pucker.io import load as load
from pucker.method import progress as progress
from pucker.method import run as run

if TYPE_CHECKING:
    from pucker import bake as bake
    from pucker import byexample as byexample
    from pucker import drape as drape
    from pucker import examples as examples
    from pucker import metrics as metrics
    from pucker import notebook as notebook
    from pucker import page as page
    from pucker import plot as plot
    from pucker import render as render
    from pucker import waves as waves
    from pucker.io import export as export
    from pucker.look import show as show
    from pucker.metrics import compare as compare
    from pucker.sweeps import sweep as sweep

# For `import pucker.profiles`, as if it were a file.
sys.modules["pucker.profiles"] = profiles
# Found when first used, and where: drawing needs packages that a run without pictures does not.
_LATE_MODULES: Final = {
    "bake": "pucker.bake",
    "byexample": "pucker.byexample",
    "compare": "pucker.metrics.compare",
    "drape": "pucker.drape",
    "examples": "pucker.examples",
    "export": "pucker.io.export",
    "metrics": "pucker.metrics",
    "notebook": "pucker.notebook",
    "page": "pucker.page",
    "plot": "pucker.plot",
    "render": "pucker.render",
    "waves": "pucker.waves",
}
_LATE_FUNCTIONS: Final = {"show": "pucker.look", "sweep": "pucker.sweeps"}

# What users are meant to see. Modules of the package import more of the core, which may change.
__all__ = [
    "AlphaMode",
    "Clip",
    "ClipReport",
    "CompressionField",
    "Crowd",
    "CurveSamples",
    "CutSkin",
    "Error",
    "FabricParams",
    "FileInfo",
    "Frame",
    "Guide",
    "GuideParams",
    "HeightRule",
    "Label",
    "LabelParams",
    "LabelSolver",
    "Labeller",
    "LocalFrames",
    "Material",
    "Mesh",
    "MeshReport",
    "Motion",
    "Norm",
    "PackedWrinkles",
    "Packer",
    "ParamField",
    "Params",
    "PathCurve",
    "PathDetail",
    "PathEnergy",
    "Persistence",
    "PersistenceMethod",
    "PersistenceParams",
    "Profile",
    "ReferenceParams",
    "ReferenceShape",
    "ReferenceStart",
    "Seed",
    "Seeding",
    "SegmentIndex",
    "ShapeParams",
    "Shaper",
    "SharedBorder",
    "Skeleton",
    "Skin",
    "State",
    "Stretch",
    "Subdivision",
    "Tracer",
    "TracingParams",
    "WalkEnd",
    "Wrinkle",
    "WrinkledSurface",
    "Wrinkler",
    "__version__",
    "bake",
    "bending_stiffness",
    "buckling_wavelength",
    "byexample",
    "compare",
    "compression",
    "drape",
    "edge_levels",
    "examples",
    "export",
    "inspect",
    "junctions",
    "label_costs",
    "libraries",
    "load",
    "local_frames",
    "mean_edge_length",
    "metrics",
    "notebook",
    "page",
    "path_curve",
    "plot",
    "profiles",
    "progress",
    "reference_triangles",
    "render",
    "run",
    "sample_curve",
    "show",
    "smooth_path",
    "stretch",
    "sweep",
    "threads",
    "vertex_normals",
    "waves",
    "weld",
    "wrinkle_widths",
]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    if name in _LATE_FUNCTIONS:
        return getattr(importlib.import_module(_LATE_FUNCTIONS[name]), name)
    if name in _LATE_MODULES:
        return importlib.import_module(_LATE_MODULES[name])
    raise AttributeError(f"module 'pucker' has no attribute {name!r}")
