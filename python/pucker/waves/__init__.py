"""The wave field: a plane wave per vertex, aligned with those of its neighbours.

J. Loviscach, *Wrinkling Coarse Meshes on the GPU*, Computer Graphics Forum 25(3), 2006.
"""

from pucker._core._waves import *  # noqa: F403

from .painting import Painting as Painting
from .wavelengths import factors as factors
