"""A second solver: the sheet of a truth simulated by MuJoCo, as far as it can be set to the same."""

from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker import byexample, metrics
from pucker.byexample.sheets import POISSON, Fabric, Sheet
from pucker.byexample.simulation import led_in

from . import report, simulate
from .sheet import AREA
from .sheet import Sheet as Wanted
from .worn import WORN, Worn

Array = npt.NDArray[np.float64]

TITLE: Final = "A second solver"
PEERS: Final = ("mujoco-core", "scipy", "libigl")
PLACE: Final = 0.8
"""Correlation of another solver from which a band reproduces."""
STEPS: Final = 8
"""A frame."""
# Metres a frame squared, which Blender takes for gravity.
_GRAVITY: Final = 9.81e-3
_STRETCH_DAMPING: Final = 0.02  # frames


class _Held(Sheet):
    """A sheet whose every vertex a spring holds to a moving guide. The unit of time is a frame."""

    def __init__(self, worn: Worn, level: int, wanted: Wanted) -> None:
        loop = byexample.LoopSubdivision(worn.clip.mesh, level)
        self.scale = np.sqrt(AREA) / worn.side
        rest = self.scale * np.asarray(loop.matrix @ worn.start)
        sheet = wanted.stiffnesses()
        fabric = Fabric(
            bending=sheet.bending,
            stretch=sheet.stretch * (1.0 - POISSON**2),
            density=sheet.hold * wanted.response**2,
            damping=_STRETCH_DAMPING,
        )
        super().__init__(loop.fine, rest, [], fabric, 1.0 / STEPS)
        self._model.opt.gravity = (0.0, -_GRAVITY, 0.0)
        self._hold = sheet.hold * AREA / len(rest)
        self._damping = 2.0 * wanted.damping * wanted.response * self._hold

    def follow(self, before: Array, guide: Array) -> None:
        """One step, in which the guide goes from `before` to `guide` (n, 3)."""
        push = self._hold * (guide - self.positions) + self._damping * ((guide - before) * STEPS - self.velocities)
        self._data.qfrc_applied[self._moved] = push
        self._mujoco.mj_step(self._model, self._data)


def simulated(
    worn: Worn, wanted: Wanted, level: int, still: int, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> Array:
    """Positions (frames, N, 3) of all frames of the clip, on the mesh after `level` subdivisions.

    Not set to the same: there is no body, no border is sewn, and stretch is a plate's and not that of springs. Raises ValueError for what
    has a body or a border, and RuntimeError where MuJoCo gives up.
    """
    if worn.body is not None or len(worn.sewn):
        raise ValueError(f"{worn.source} has a body or a border; this simulator has none")
    held = _Held(worn, level, wanted)
    matrix = byexample.LoopSubdivision(worn.clip.mesh, level).matrix
    guides = [held.scale * np.asarray(matrix @ pose) for pose in led_in(worn.start, worn.clip.positions, still)]
    found = []
    for frame, guide in enumerate(guides):
        last = guides[max(frame - 1, 0)]
        for step in range(STEPS):
            held.follow(last + step / STEPS * (guide - last), last + (step + 1) / STEPS * (guide - last))
        if held.blown_up:
            raise RuntimeError(f"MuJoCo gave up in frame {frame} of {len(guides)}")
        found.append(held.positions / held.scale)
        progress(frame + 1, len(guides))
    return np.array(found[-len(worn.clip) :])


def _agreement(truth: metrics.Truth, positions: Array) -> dict[str, Any]:
    """With the truth, with the lag of either taken out, and left in."""
    surface = (truth.mesh.faces, truth.rest, positions)
    folds, lag = truth.folds_of(*surface)
    rows = {
        "both without lag": metrics.band_agreement(folds, truth.folds, truth.bands),
        "lag left in": metrics.band_agreement(truth.heights_of(*surface), truth.heights, truth.bands),
    }
    told = {name: [[band.correlation, band.rms] for band in bands] for name, bands in rows.items()}
    return {"lags": [truth.lag, lag], "rows": told}


def measure() -> report.Samples:
    """Of every resolved truth without a body; a minute of processor time each."""
    found = []
    for name, fabric in simulate.kept():
        worn = WORN[name]()
        if worn.body is not None or len(worn.sewn):
            continue
        truth = simulate.load(name, fabric)
        if not truth.resolved:
            continue
        positions = simulated(worn, simulate.FABRICS[fabric], truth.levels, simulate.STILL)
        kept = _agreement(truth, positions[truth.first : truth.first + len(truth)])
        finer = next((list(each.correlation) for each in truth.reproduced if each.of == "finer"), None)
        found.append({"name": name, "fabric": fabric, "finer": finer, **kept})
    return {"found": found}


def page(samples: report.Samples) -> str:
    """A table a truth."""
    text = (
        "[Truths](../truths.md), which Blender simulated, against MuJoCo's flexible cloth on the same mesh with the same "
        "stretch, bending, hold, mass, damping and gravity; its stretch is a plate's, not that of springs, and integration is "
        f"implicit, {STEPS} steps a frame. Correlation with the truth by band of wavelength, and size over the truth's in "
        f"brackets; bold from {PLACE:g}. *Lag* is drag over hold per frame. MuJoCo has no contact with skinned bodies and no "
        "sewn borders, so kimono, dress, sleeve and knee cannot be simulated alike.\n"
    )
    head = ("", *metrics.band_names(simulate.EDGES))
    for each in samples["found"]:
        lines = [
            (
                f"MuJoCo, {name}",
                *(f"**{one:.2f} ({size:.2f})**" if one >= PLACE else f"{one:.2f} ({size:.2f})" for one, size in bands),
            )
            for name, bands in each["rows"].items()
        ]
        if each["finer"]:
            lines.append(("Blender, the next finer mesh", *(f"{one:.2f}" for one in each["finer"])))
        text += f"\n## {each['name']}, {each['fabric']}\n\n" + report.table(head, lines)
        text += f"\nLag of the truth {each['lags'][0]:.2f}, of MuJoCo's cloth {each['lags'][1]:.2f} frames.\n"
    return text
