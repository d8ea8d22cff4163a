"""Wrinkles by example: the detail of recorded poses of a garment, put on any deformation of it.

J. S. Zurdo, J. P. Brito, M. A. Otaduy: *Animating Wrinkles by Example on Non-Skinned Cloth*, 2013. Each stage is an object
of its own; `train` chooses the poses, `TrainedSet` keeps them.
"""

from pucker._core._byexample import (
    EqualPoses,
    Features,
    Kernel,
    LoopReport,
    LoopSubdivision,
    PoseSpace,
    SmoothSurface,
    SparseRows,
    Synthesis,
    Synthesised,
    WeightPlaces,
)

from .trained import TrainedSet, load
from .training import Training, train

__all__ = [
    "EqualPoses",
    "Features",
    "Kernel",
    "LoopReport",
    "LoopSubdivision",
    "PoseSpace",
    "SmoothSurface",
    "SparseRows",
    "Synthesis",
    "Synthesised",
    "TrainedSet",
    "Training",
    "WeightPlaces",
    "load",
    "train",
]
