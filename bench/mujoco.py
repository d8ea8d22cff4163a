"""Wrinkles on coarse motion next to a simulation fine enough to fold by itself: MuJoCo's flexible cloth."""

import time
from typing import Any, Final

import mujoco
import numpy as np
import numpy.typing as npt

import pucker
from pucker.examples import grid_faces

from . import report

TITLE: Final = "Instead of simulating"
PEERS: Final = ("mujoco-core",)
# Vertices along a side of the curtain, and frames simulated.
SIZES: Final = ((21, 45), (41, 45), (81, 45))
STEPS: Final = 3  # a frame
FPS: Final = 30.0
PINS: Final = 10
COARSE: Final = 20  # quads along a side of the coarse mesh
SPACING: Final = "{0:.9g} {0:.9g} 0.01"
MODEL: Final = """
<mujoco>
  <option integrator="discrete" timestep="{timestep:.9g}"/>
  <size memory="2G"/>
  <worldbody>
    <flexcomp name="curtain" type="grid" count="{side} {side} 1" spacing="{spacing}" dim="2" mass="0.15" radius="0.002"
              euler="90 0 0">
      <elasticity young="3e5" poisson="0.2" thickness="1e-3" elastic2d="both" damping="0.001"/>
      <contact selfcollide="none" contype="0" conaffinity="0"/>
    </flexcomp>
  </worldbody>
</mujoco>
"""

Array = npt.NDArray[np.float64]


class _Curtain:
    """A curtain of one square metre that hangs from moving pins, which gather it to 70 % and sway."""

    def __init__(self, side: int) -> None:
        text = MODEL.format(timestep=1 / (FPS * STEPS), side=side, spacing=SPACING.format(1 / (side - 1)))
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data = mujoco.MjData(self.model)
        mujoco.mj_forward(self.model, self.data)
        start = self.positions()
        top = np.flatnonzero(start[:, 2] > start[:, 2].max() - 1e-6)
        pins = top[np.argsort(start[top, 0])][np.linspace(0, side - 1, PINS).round().astype(int)]
        bodies = self.model.flex_vertbodyid[pins]
        self.start = start[pins]
        # Every so many vertices a coarse mesh has one, in rows.
        rows = np.lexsort((start[:, 0], start[:, 2])).reshape(side, side)
        stride = (side - 1) // COARSE
        self.coarse = rows[::stride, ::stride].ravel()
        self.addresses = self.model.jnt_qposadr[self.model.body_jntadr[bodies]][:, None] + np.arange(3)
        # MuJoCo has no pins for elastic cloth on moving bodies: these are too heavy for the cloth to move.
        self.model.body_mass[bodies] *= 1e4
        mujoco.mj_setConst(self.model, self.data)

    def positions(self) -> Array:
        """The vertices, (n, 3)."""
        return np.array(self.data.flexvert_xpos).reshape(-1, 3)

    def faces(self) -> npt.NDArray[np.int32]:
        """The triangles, (m, 3)."""
        return np.array(self.model.flex_elem, dtype=np.int32).reshape(-1, 3)

    def _shift(self, instant: float) -> Array:
        gathered = 0.5 - 0.5 * np.cos(np.pi * min(instant, 1.0))
        shift = np.zeros((PINS, 3))
        shift[:, 0] = -0.3 * gathered * self.start[:, 0]
        shift[:, 1] = 0.1 * np.sin(2 * np.pi * instant)
        return shift

    def frame(self) -> float:
        """Moves on by one frame; returns the seconds it took."""
        begin = time.perf_counter()
        for _ in range(STEPS):
            now, step = self.data.time, self.model.opt.timestep
            self.data.qpos[self.addresses] = self._shift(now)
            self.data.qvel[self.addresses] = (self._shift(now + step) - self._shift(now)) / step
            mujoco.mj_step(self.model, self.data)
        return time.perf_counter() - begin


def _edge_ratio(mesh: pucker.Mesh, rest: Array, positions: Array) -> float:
    """Mean length of the edges by that at rest: a solution that is not converged stretches."""
    a, b = mesh.edges.T
    return float(
        np.mean(np.linalg.norm(positions[a] - positions[b], axis=1) / np.linalg.norm(rest[a] - rest[b], axis=1))
    )


def _measure(side: int, frames: int) -> dict[str, Any]:
    curtain = _Curtain(side)
    rest = curtain.positions()
    mesh = pucker.Mesh(curtain.faces(), len(rest))
    coarse = pucker.Mesh(grid_faces(COARSE, COARSE), len(curtain.coarse))
    params = pucker.Params.ridges().replace(threshold=1.15, min_width=0.01)
    fine_run, coarse_run = pucker.Wrinkler(mesh, params), pucker.Wrinkler(coarse, params)
    fine_run.advance(rest, 0.0)
    coarse_run.advance(rest[curtain.coarse], 0.0)
    out: dict[str, Any] = {"triangles": mesh.triangle_count, "coarse_triangles": coarse.triangle_count}
    out |= {name: [] for name in ("simulate", "wrinkle_fine", "wrinkle_coarse", "wrinkles")}
    for frame in range(1, frames + 1):
        out["simulate"].append(curtain.frame())
        positions = curtain.positions()
        sampled = positions[curtain.coarse]
        begin = time.perf_counter()
        fine_run.advance(positions, frame / FPS)
        middle = time.perf_counter()
        state = coarse_run.advance(sampled, frame / FPS)
        out["wrinkle_coarse"].append(time.perf_counter() - middle)
        out["wrinkle_fine"].append(middle - begin)
        out["wrinkles"].append(len(state.wrinkles))
    out["edge_ratio"] = _edge_ratio(mesh, rest, positions)
    if not 0.9 < out["edge_ratio"] < 1.1:
        raise RuntimeError(f"the simulated curtain of {mesh.triangle_count} triangles has edges of {out['edge_ratio']}")
    return out


def measure() -> report.Samples:
    """Seconds of each simulated frame, and of the wrinkles on the same mesh in the same motion."""
    return {"sizes": [_measure(side, frames) for side, frames in SIZES]}


def page(samples: report.Samples) -> str:
    """The page's text."""
    coarse = samples["sizes"][0]
    base = report.median(coarse["simulate"])
    rows = []
    lines = ""
    for size in samples["sizes"]:
        simulated = report.median(size["simulate"])
        own = report.median(size["wrinkle_coarse"])
        same = report.median(size["wrinkle_fine"])
        rows.append(
            [
                f"{size['triangles']}",
                f"{1e3 * simulated:.1f}",
                f"{size['edge_ratio']:.4f}",
                f"{1e3 * own:.3f}",
                f"{max(size['wrinkles'])}",
                f"{1e3 * (base + own):.1f}",
                f"{simulated / (base + own):.1f}",
                f"{1e3 * same:.3f}",
                f"{simulated / same:.0f}",
            ]
        )
        lines += (
            f"- {size['triangles']} triangles simulated take **{simulated / own:.0f}** times as long as wrinkling "
            f"{size['coarse_triangles']} in the same motion, and **{simulated / (base + own):.1f}** times as long as "
            f"simulating {coarse['triangles']} and wrinkling them.\n"
        )
    head = [
        "triangles",
        "MuJoCo ms",
        "edges by rest",
        "coarse wrinkles ms",
        "most wrinkles",
        "coarse MuJoCo + wrinkles ms",
        "ratio",
        "wrinkles on all triangles ms",
        "ratio",
    ]
    return (
        "A curtain of one square metre on ten moving pins, gathered to 70 % and swayed, simulated by MuJoCo as flexible cloth "
        f"(integrator `discrete`, `elastic2d`, {STEPS} steps a frame, no contact). A coarse mesh of "
        f"{coarse['coarse_triangles']} triangles follows some of the simulated vertices and wrinkles (τ 1.15, L_min 1 cm). With "
        "an animated motion only the wrinkles cost; otherwise simulate the coarse mesh and wrinkle it. Wrinkling all simulated "
        "triangles is measured too. This compares costs without drawing, not pictures.\n\n"
        + lines
        + "\n"
        + report.table(head, rows)
    )
