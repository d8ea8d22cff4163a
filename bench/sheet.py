"""Cloth by what it does and not by its mesh: Blender's settings with which a mesh of any fineness is the same sheet."""

from dataclasses import asdict, dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample

Array = npt.NDArray[np.float64]

AREA: Final = 5.0
"""Square metres that every garment has in the simulation, so that a fabric's numbers are the same on all."""

# Of the springs along the edges; that of the sheet, of even triangles, is 2/√3 times 9/8 of it. Only ratios to it matter.
_SPRING: Final = 25.0
_SHEET: Final = 1.3
# Blender takes the fourth power of a vertex' weight.
_WEIGHT: Final = 0.8
# A hinge of moment κ a radian makes a sheet of even triangles of stiffness 0.433 κ.
_HINGE: Final = 0.433
# Blender pushes the wing of a hinge by a third of the force, at √3/2 of the edge: the moment is that much of force times edge.
_ARM: Final = 0.2887
# It multiplies bending by the edge, and by this.
_BLENDER: Final = 0.1
# The largest eigenvalue of the squared Laplacian of even triangles, times edge⁴.
_FINEST: Final = 36.0
# Found on flat sheets of right triangles, at which 4 is not enough: edges differ, and so do hinges.
_SPARE: Final = 4.5
LEAST_STEPS: Final = 8
"""A frame: cloth is held to where the guide was a step ago."""
_STRETCH_DAMPING: Final = 0.02  # frames
_BENDING_DAMPING: Final = 0.15  # steps


@dataclass(frozen=True)
class Stiffnesses:
    """Of a sheet of `AREA` square metres, with a frame for the unit of time.

    Attributes:
        stretch: N/m, of a strip that keeps its width.
        hold: N/m a square metre, of the springs that hold it to its guide.
        bending: N m, of a plate.
    """

    stretch: float
    hold: float
    bending: float


@dataclass(frozen=True)
class Sheet:
    """A fabric. Lengths are shares of the square root of the garment's area in the cut pose.

    `side` below is that root.

    Attributes:
        wavelength: Of folds, λ = 2π (B/h)^¼: bending over hold.
        reach: How far from where it is held the sheet feels it, ℓ = √(K/h): stretch over hold.
        response: Frames in which it comes back to the guide, √(mass/hold).
        damping: Of that, against the guide's motion, as a share of the critical.
    """

    wavelength: float
    reach: float
    response: float = 0.5
    damping: float = 0.7

    def stiffnesses(self) -> "Stiffnesses":
        """Of the sheet in the simulation, whatever simulates it."""
        unit = np.sqrt(AREA)
        stretch = _SHEET * _SPRING
        hold = stretch / (self.reach * unit) ** 2
        return Stiffnesses(stretch, hold, hold * (self.wavelength * unit / (2.0 * np.pi)) ** 4)

    def constants(self) -> dict[str, float]:
        """By name."""
        return {key: float(value) for key, value in asdict(self).items()}

    def edges(self, mesh: pucker.Mesh, rest: Array, side: float) -> float:
        """Edges of the mesh in a fold."""
        return self.wavelength * side / pucker.mean_edge_length(mesh, rest)

    def steps(self, mesh: pucker.Mesh, rest: Array, side: float) -> int:
        """The least steps a frame at which bending, which Blender integrates explicitly, is stable.

        It is, as long as the stiffness of the shortest waves is below 4 m/Δt²: mass is what keeps them in place. With fewer steps
        they swing up, and the sheet looks as if it were a few hundredths larger than it was cut.
        """
        stiffness = _SPARE * _FINEST * (self.edges(mesh, rest, side) / (2.0 * np.pi)) ** 4
        needed = np.sqrt(stiffness) / (2.0 * self.response)
        return max(int(np.ceil(needed)), LEAST_STEPS)

    def cloth(self, mesh: pucker.Mesh, rest: Array, side: float) -> byexample.Cloth:
        """Blender's settings for a mesh (its vertices `rest`, (N, 3), in the cut pose).

        With an edge half as long: tension ÷ 2, as Blender divides it by the mean edge; hold ÷ 8, as it does so there too and a vertex
        holds a quarter of the area; bending × 4, as a hinge is pushed by a force of which the moment has half the arm, and that is
        multiplied by the edge besides.
        """
        unit = np.sqrt(AREA)
        edge = pucker.mean_edge_length(mesh, rest) / side * unit
        count = mesh.vertex_count
        sheet = self.stiffnesses()
        vertex = sheet.hold * AREA / count
        bending = sheet.bending / _HINGE / (_ARM * edge) / (_BLENDER * edge)
        steps = self.steps(mesh, rest, side)
        return byexample.Cloth(
            area=AREA,
            hold=_WEIGHT,
            hold_stiffness=float(vertex * edge / _WEIGHT**4),
            hold_damping=float(100.0 * 2.0 * self.damping * self.response * vertex),
            tension=float(_SPRING * edge),
            shear=0.0,
            bending=float(bending),
            damping=_STRETCH_DAMPING * _SPRING,
            bending_damping=float(_BENDING_DAMPING * bending * _BLENDER / steps),
            air=0.0,
            mass=float(self.response**2 * vertex * count),
            quality=steps,
        )


COAT: Final = Sheet(wavelength=0.104, reach=0.18, response=0.8)
"""Folds broadly."""
SHIRT: Final = Sheet(wavelength=0.062, reach=0.12)
"""Folds finely."""
