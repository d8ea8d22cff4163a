"""Wrinkles by example: the detail of recorded poses of a garment, put on any deformation of it.

J. S. Zurdo, J. P. Brito, M. A. Otaduy: *Animating Wrinkles by Example on Non-Skinned Cloth*, 2013. Each stage is an object
of its own; `train` chooses the poses, `TrainedSet` keeps them.
"""

from pucker._core._byexample import (
    ByExample,
    Compute,
    DetailCode,
    EqualPoses,
    ExampleDetail,
    Features,
    GuideCloth,
    Kernel,
    LoopReport,
    LoopSubdivision,
    LowFrequencyPart,
    Params,
    PoseSpace,
    Regions,
    Regression,
    SmoothSurface,
    SparseRows,
    State,
    Synthesis,
    Synthesised,
    WeightPlaces,
    sharp_corners,
)

from . import scenes
from .covering import FRAMES, covering
from .decimated import decimated
from .draped import (
    CENTRES,
    DETAILS,
    EDGES,
    drape,
    drape_again,
    drape_begun_otherwise,
    guide_cloth,
    learn_draped,
    remove_recordings,
    teacher,
    teacher_of,
)
from .graph import GraphReport, write_onnx
from .learning import LEVELS, Take, learn
from .made import MadeMotion, made_motion
from .regression import Regressed, regress, rounded_to_play
from .simulation import BlownUpError, Body, Cloth, simulate
from .taught import frames_with_room, levels_with_room, teach
from .trained import Learned, Options, Origin, TrainedSet, load
from .training import Training, details_of, train

__all__ = [
    "CENTRES",
    "DETAILS",
    "EDGES",
    "FRAMES",
    "LEVELS",
    "BlownUpError",
    "Body",
    "ByExample",
    "Cloth",
    "Compute",
    "DetailCode",
    "EqualPoses",
    "ExampleDetail",
    "Features",
    "GraphReport",
    "GuideCloth",
    "Kernel",
    "Learned",
    "LoopReport",
    "LoopSubdivision",
    "LowFrequencyPart",
    "MadeMotion",
    "Options",
    "Origin",
    "Params",
    "PoseSpace",
    "Regions",
    "Regressed",
    "Regression",
    "SmoothSurface",
    "SparseRows",
    "State",
    "Synthesis",
    "Synthesised",
    "Take",
    "TrainedSet",
    "Training",
    "WeightPlaces",
    "covering",
    "decimated",
    "details_of",
    "drape",
    "drape_again",
    "drape_begun_otherwise",
    "frames_with_room",
    "guide_cloth",
    "learn",
    "learn_draped",
    "levels_with_room",
    "load",
    "made_motion",
    "regress",
    "remove_recordings",
    "rounded_to_play",
    "scenes",
    "sharp_corners",
    "simulate",
    "teach",
    "teacher",
    "teacher_of",
    "train",
    "write_onnx",
]
