"""A plugin of pytest: the tests use the compiled module whose path is in PUCKER_MODULE, such as one with sanitizers."""

import os
import sys
from importlib.util import module_from_spec, spec_from_file_location

_spec = spec_from_file_location("pucker._core", os.environ["PUCKER_MODULE"])
_module = module_from_spec(_spec)
sys.modules["pucker._core"] = _module
_spec.loader.exec_module(_module)
