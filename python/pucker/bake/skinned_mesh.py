"""A character that is skinned: what is written of it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.bake.joints import Joints
from pucker.bake.mesh import Part
from pucker.bake.morphs import Component, FineSkin

Floats = npt.NDArray[np.float64]

# A vertex that moves less than that share of a target's largest motion is not stored.
STILL: Final = 1e-4


@dataclass(frozen=True)
class Binding:
    """A skin: nodes of the skeleton (J,), from the bind pose to each (J, 4, 4), and who follows them."""

    nodes: tuple[int, ...]
    inverse_binds: Floats
    influences: FineSkin


@dataclass(frozen=True)
class SkinnedMesh:
    """One mesh in its bind pose, with unit normals as `Part.normal_faces` says; `weights` are those of its targets at rest."""

    part: Part
    positions: Floats
    normals: Floats
    binding: Binding
    targets: list[Component] = field(default_factory=list)
    target_normals: list[npt.NDArray[np.float32]] = field(default_factory=list)
    weights: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Character:
    """All that is written. `frames` says which rows of the targets' weights are those of each clip."""

    garment: SkinnedMesh
    body: SkinnedMesh | None
    joints: Joints
    frames: Mapping[str, slice]
    materials: "list[pucker.Material]"
