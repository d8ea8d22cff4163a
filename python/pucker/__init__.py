"""Dynamic wrinkles for coarse animated cloth meshes.

Every stage of the method is an object of its own; `Wrinkler` runs them in order. See the documentation for a tour.
"""

from pucker import _core as _core
from pucker._core import *  # noqa: F403
from pucker._core import __version__ as __version__
