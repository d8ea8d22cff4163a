"""Wrinkles for coarse animated cloth meshes.

`run` gives the frames of a clip with the detail of a method. Every stage of the dynamic method is an object of its own;
`Wrinkler` runs them in order. See the documentation for a tour.
"""

import importlib
import sys
from typing import Any, Final

from pucker import _core as _core
from pucker import shown as _shown  # noqa: F401 - has the core's objects say what they are
from pucker._core import *  # noqa: F403
from pucker._core import __version__ as __version__
from pucker._core import profiles as profiles
from pucker.io import inspect as inspect
from pucker.io import load as load
from pucker.method import progress as progress
from pucker.method import run as run
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


def __getattr__(name: str) -> Any:
    if name == "show":
        return importlib.import_module("pucker.look").show
    if name in _LATE_MODULES:
        return importlib.import_module(_LATE_MODULES[name])
    raise AttributeError(f"module 'pucker' has no attribute {name!r}")
