"""Cloth without a body, simulated by MuJoCo; a fine sheet that tracks a coarse one (Bergou et al. 2007).

MuJoCo's flexible cloth has a quadratic bending energy and stretch as finite elements; here it runs with its integrator
`discrete`. The tracking stands outside of it.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.areas import triangle_areas
from pucker.extras import needing

Floats = npt.NDArray[np.float64]
Indices = npt.NDArray[np.intp]

STEPS: Final = 3  # a frame
POISSON: Final = 0.2
# Kilograms a cubic metre.
_AIR: Final = 1.2
# MuJoCo has no pins for elastic cloth on moving bodies: pinned vertices are too heavy for the cloth to move.
_HEAVY: Final = 1e4
_MODEL: Final = """
<mujoco>
  <option integrator="discrete" timestep="{step:.9g}" gravity="0 -9.81 0"/>
  <size memory="4G"/>
  <worldbody>
    <flexcomp name="sheet" type="direct" dim="2" mass="{mass:.9g}" radius="0.002" point="{points}" element="{triangles}">
      <elasticity young="{young:.9g}" poisson="{poisson:.9g}" thickness="{thickness:.9g}" elastic2d="both" damping="{damping:.9g}"/>
      <contact selfcollide="none" contype="0" conaffinity="0"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""


@dataclass(frozen=True)
class Fabric:
    """What a sheet is made of."""

    bending: float
    """Newton metres: stiffness against bending, of a plate."""
    stretch: float = 80.0
    """Newtons a metre: Young's modulus times thickness. A sheet of smaller bending over stretch folds finer."""
    density: float = 0.15
    """Kilograms a square metre."""
    damping: float = 0.02
    """Seconds: damping of stretch and bending, in proportion to their stiffness."""

    @property
    def thickness(self) -> float:
        """Metres: of the plate that has these stiffnesses, D = E t³ / 12 (1 - ν²)."""
        return float(np.sqrt(12.0 * (1.0 - POISSON**2) * self.bending / self.stretch))


class Sheet:
    """A simulated sheet of cloth, with gravity along -y and no contact. Lengths are in metres."""

    def __init__(
        self, mesh: "pucker.Mesh", rest: npt.ArrayLike, pins: npt.ArrayLike, fabric: Fabric, step: float
    ) -> None:
        """At rest: `rest` (n, 3) is the unstrained shape. `pins` (k,): vertices that are led; `step`: seconds.

        Raises ModuleNotFoundError without MuJoCo or SciPy.
        """
        with needing("simulate", "simulating a sheet"):
            import mujoco  # noqa: PLC0415 - only a simulation needs it
            from scipy.sparse import coo_array  # noqa: PLC0415
            from scipy.sparse.csgraph import reverse_cuthill_mckee  # noqa: PLC0415
        at_rest = np.asarray(rest, dtype=np.float64)
        self._faces = mesh.faces
        self._pins = np.asarray(pins, dtype=np.intp)
        # MuJoCo takes a hundred times as long over vertices whose neighbours have distant numbers.
        a, b = np.concatenate([mesh.edges, mesh.edges[:, ::-1]]).T
        neighbours = coo_array((np.ones(len(a)), (a, b)), shape=(len(at_rest), len(at_rest))).tocsr()
        order = reverse_cuthill_mckee(neighbours, symmetric_mode=True)
        places = np.empty_like(order)
        places[order] = np.arange(len(order))
        text = _MODEL.format(
            step=step,
            mass=fabric.density * float(triangle_areas(mesh.faces, at_rest).sum()),
            young=fabric.stretch / fabric.thickness,
            poisson=POISSON,
            thickness=fabric.thickness,
            damping=fabric.damping,
            points=" ".join(f"{value:.9g}" for value in at_rest[order].ravel()),
            triangles=" ".join(map(str, places[mesh.faces].ravel())),
        )
        self._mujoco: Any = mujoco
        kinds = mujoco.mjtWarning
        self._short = int(kinds.mjWARN_INERTIA)
        # At these it begins anew.
        self._broken = [int(kind) for kind in (kinds.mjWARN_BADQPOS, kinds.mjWARN_BADQVEL, kinds.mjWARN_BADQACC)]
        self._model = mujoco.MjModel.from_xml_string(text)
        self._data = mujoco.MjData(self._model)
        bodies = self._model.flex_vertbodyid[places]
        joints = self._model.body_jntadr[bodies]
        self._at = self._model.jnt_qposadr[joints][:, None] + np.arange(3)
        self._moved = self._model.jnt_dofadr[joints][:, None] + np.arange(3)
        self._model.body_mass[bodies[self._pins]] *= _HEAVY
        mujoco.mj_setConst(self._model, self._data)
        self._rest = at_rest

    @property
    def short_steps(self) -> int:
        """Steps in which the solver fell short of its tolerance."""
        return int(self._data.warning[self._short].number)

    @property
    def blown_up(self) -> bool:
        """Whether numbers were so large, or none, that the simulator went back to rest."""
        return any(self._data.warning[kind].number for kind in self._broken)

    @property
    def positions(self) -> Floats:
        """(n, 3)."""
        found: Floats = self._rest + self._data.qpos[self._at]
        return found

    @property
    def velocities(self) -> Floats:
        """(n, 3), metres a second."""
        return np.array(self._data.qvel[self._moved])

    def advance(self, now: Floats, then: Floats, wind: npt.ArrayLike = (0.0, 0.0, 0.0)) -> None:
        """Moves on by one step, in which the pins go from `now` to `then` (k, 3), in a wind of so many metres a second.

        Pins are heavy, not fixed: they fall by gravity times the step squared (1.2 mm at 1/90 s), until the next step puts
        them back.
        """
        self._data.qpos[self._at[self._pins]] = now - self._rest[self._pins]
        self._data.qvel[self._moved[self._pins]] = (then - now) / self._model.opt.timestep
        self._data.qfrc_applied[self._moved] = wind_forces(self.positions, self.velocities, self._faces, wind)
        # It would write warnings into a file where the program was started; `short_steps` has what they say.
        before = self._mujoco.get_mju_user_warning()
        self._mujoco.set_mju_user_warning(lambda _text: None)
        try:
            self._mujoco.mj_step(self._model, self._data)
        finally:
            self._mujoco.set_mju_user_warning(before)

    def shift(self, by: Floats) -> None:
        """Moves the vertices by `by` (n, 3), as if they had come there in the last step; pins stay."""
        away = np.array(by)
        away[self._pins] = 0.0
        self._data.qpos[self._at] += away
        self._data.qvel[self._moved] += away / self._model.opt.timestep


def wind_forces(positions: Floats, velocities: Floats, faces: npt.NDArray[np.int32], wind: npt.ArrayLike) -> Floats:
    """Forces (n, 3) of the air, in newtons: ρ/2 A v² along each triangle's normal, the way of the air, which comes along it at v."""
    corners = positions[faces]
    normals = 0.5 * np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1, keepdims=True)
    normals /= np.maximum(areas, 1e-300)
    speeds = np.einsum("ti,ti->t", np.asarray(wind) - velocities[faces].mean(axis=1), normals)[:, None]
    pushes = 0.5 * _AIR * areas * np.abs(speeds) * speeds * normals
    found = np.zeros_like(positions)
    for corner in range(3):
        np.add.at(found, faces[:, corner], pushes / 3.0)
    return found


class Patches:
    """Averages of a fine sheet over patches about the coarse vertices, and the least change that gives them other values.

    Row k of A has the areas of fine vertices times the hat function of coarse vertex k, divided by their sum.
    """

    def __init__(self, subdivision: byexample.LoopSubdivision, areas: Floats) -> None:
        with needing("simulate", "tracking a coarse sheet"):
            from scipy.sparse import csr_array, diags_array  # noqa: PLC0415
            from scipy.sparse.linalg import splu  # noqa: PLC0415
        rows = subdivision.barycentrics
        hats = csr_array((rows.data, rows.indices, rows.indptr), shape=rows.shape).T @ diags_array(areas)
        self.averages = (diags_array(1.0 / hats.sum(axis=1)) @ hats).tocsr()
        self._solve = splu((self.averages @ self.averages.T).tocsc()).solve

    def correction(self, away: Floats) -> Floats:
        """The smallest (N, 3) with the averages of `away` (N, 3): Aᵀ(AAᵀ)⁻¹A times it."""
        found: Floats = self.averages.T @ self._solve(self.averages @ away)
        return found
