"""A second solver: the sheet of a truth simulated by MuJoCo, as far as it can be set to the same."""

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any, Final

import click
import numpy as np
import numpy.typing as npt

import pucker
from pucker import byexample, metrics
from pucker.byexample.sheets import POISSON, Fabric, Sheet
from pucker.byexample.simulation import led_in
from pucker.closest import closest_places
from pucker.vectors import unit

from . import report, simulate
from .sheet import AREA
from .sheet import Sheet as Wanted
from .worn import WORN, Worn

Array = npt.NDArray[np.float64]

TITLE: Final = "A second solver"
PEERS: Final = ("mujoco-core", "scipy", "libigl")
RECORDINGS: Final = simulate.ROOT / "build" / "bench" / "second"
# Another number makes kept recordings be simulated anew.
_METHOD: Final = 2
FOLDS: Final = "both without lag"
PLACE: Final = 0.8
"""Correlation of another solver from which a band reproduces."""
STEPS: Final = 8
"""A frame."""
# Metres a frame squared, which Blender takes for gravity.
_GRAVITY: Final = 9.81e-3
_STRETCH_DAMPING: Final = 0.02  # frames
_CLOTH: Final = byexample.Cloth()
# To the body's thickness Blender adds 0.015, the cloth's own.
_CLEARANCE: Final = _CLOTH.clearance + 0.015


class _Held(Sheet):
    """A sheet whose every vertex a spring holds to a moving guide, and which sewn vertices go with. The unit of time is a frame."""

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
        loose = np.ones((worn.clip.mesh.vertex_count, 3))
        loose[worn.sewn] = 0.0
        sewn = np.flatnonzero((loop.barycentrics @ loose)[:, 0] == 0.0)
        super().__init__(loop.fine, rest, sewn, fabric, 1.0 / STEPS)
        self._model.opt.gravity = (0.0, -_GRAVITY, 0.0)
        self._hold = sheet.hold * AREA / len(rest)
        self._damping = 2.0 * wanted.damping * wanted.response * self._hold

    def follow(self, before: Array, guide: Array) -> None:
        """One step, at whose beginning the guide is at `guide` (n, 3); a step ago it was at `before`."""
        velocities = (guide - before) * STEPS
        self._data.qpos[self._at[self._pins]] = (guide - self._rest)[self._pins]
        self._data.qvel[self._moved[self._pins]] = velocities[self._pins]
        away = guide - self.positions
        # Blender damps a spring along itself alone.
        way = unit(away)
        along = np.einsum("vd,vd->v", velocities - self.velocities, way)[:, None]
        self._data.qfrc_applied[self._moved] = self._hold * away + self._damping * along * way
        self._mujoco.mj_step(self._model, self._data)


class _Skin:
    """A body that keeps cloth off, without friction. Lengths are the simulation's."""

    def __init__(self, worn: Worn, held: _Held, level: int) -> None:
        assert worn.body is not None
        self._faces, self._mesh = worn.body.faces, pucker.Mesh(worn.body.faces, len(worn.body.start))
        loop = byexample.LoopSubdivision(worn.clip.mesh, level)
        garment = np.asarray(loop.matrix @ worn.start)
        # As for Blender: where the garment would begin too near, the body is drawn in.
        places = closest_places(worn.body.start, loop.fine.faces, garment)
        normals = places.carry(pucker.vertex_normals(loop.fine, garment))
        heights = np.einsum("vd,vd->v", places.carry(garment) - worn.body.start, normals)
        near = places.distances < pucker.mean_edge_length(worn.clip.mesh, worn.start)
        self._room = np.where(near, np.maximum(_CLOTH.room / held.scale - heights, 0.0), 0.0)[:, None]
        self._scale = held.scale

    def at(self, positions: Array) -> Array:
        """The body (n, 3) in the simulation, drawn in."""
        drawn: Array = self._scale * (positions - self._room * pucker.vertex_normals(self._mesh, positions))
        return drawn

    def shift(self, cloth: Array, body: Array) -> Array:
        """(N, 3): what takes cloth out of the body, as it is now, and `_CLEARANCE` away from it."""
        places = closest_places(cloth, self._faces, body)
        normals = unit(places.carry(pucker.vertex_normals(self._mesh, body)))
        away = cloth - places.carry(body)
        heights = np.einsum("vd,vd->v", away, normals)
        # What is beyond an open end is nearest to its rim, and is neither above nor below.
        beyond = np.linalg.norm(away - heights[:, None] * normals, axis=1) > np.abs(heights)
        # What is deep in it, as where skinned parts pass through each other, is left, as Blender does.
        depths = np.where(beyond | (heights < -_CLEARANCE), 0.0, np.clip(_CLEARANCE - heights, 0.0, None))
        pushed: Array = depths[:, None] * normals
        return pushed


def _between(poses: Array, frame: int) -> Iterator[tuple[Array, Array]]:
    """Beginnings and ends of a frame's steps, from the pose before it."""
    last, now = poses[max(frame - 1, 0)], poses[frame]
    for step in range(STEPS):
        yield last + step / STEPS * (now - last), last + (step + 1) / STEPS * (now - last)


def simulated(
    worn: Worn, wanted: Wanted, level: int, still: int, progress: Callable[[int, int], None] = lambda _done, _all: None
) -> Array:
    """Positions (frames, N, 3) of all frames of the clip, on the mesh after `level` subdivisions.

    Not set to the same: contact has no friction and is met after each step, and stretch is a plate's and not that of springs. Raises
    RuntimeError where MuJoCo gives up.
    """
    held = _Held(worn, level, wanted)
    matrix = byexample.LoopSubdivision(worn.clip.mesh, level).matrix
    guides = np.array([held.scale * (matrix @ pose) for pose in led_in(worn.start, worn.clip.positions, still)])
    skin, bodies = None, np.zeros((len(guides), 0, 3))
    if worn.body is not None:
        skin = _Skin(worn, held, level)
        bodies = np.array([skin.at(pose) for pose in led_in(worn.body.start, worn.body.positions, still)])
    found, before = [], guides[0]
    for frame in range(len(guides)):
        for (now, _), (_, body) in zip(_between(guides, frame), _between(bodies, frame), strict=True):
            held.follow(before, now)
            before = now
            if skin is not None:
                held.shift(skin.shift(held.positions, body))
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
        FOLDS: metrics.band_agreement(folds, truth.folds, truth.bands),
        "lag left in": metrics.band_agreement(truth.heights_of(*surface), truth.heights, truth.bands),
    }
    told = {name: [[band.correlation, band.rms] for band in bands] for name, bands in rows.items()}
    return {"lags": [truth.lag, lag], "rows": told}


def _recorded(worn: Worn, fabric: str, truth: metrics.Truth) -> Array:
    """The second solver's positions over a truth's clip; what was simulated before is taken from its recording."""
    wanted = simulate.FABRICS[fabric]
    content = hashlib.sha256(json.dumps([_METHOD, STEPS, truth.levels, simulate.STILL, wanted.constants()]).encode())
    bodies = () if worn.body is None else (worn.body.faces, worn.body.start, worn.body.positions)
    for array in (worn.clip.faces, worn.clip.positions, worn.start, worn.sewn, *bodies):
        content.update(np.ascontiguousarray(array).data)
    file = RECORDINGS / f"{truth.name}-{fabric}-{content.hexdigest()[:12]}.npz"
    if not file.exists():

        def progress(done: int, count: int) -> None:
            click.echo(f"\r{truth.name}, {fabric}: frame {done} of {count}   ", nl=False, err=True)

        RECORDINGS.mkdir(parents=True, exist_ok=True)
        positions = simulated(worn, wanted, truth.levels, simulate.STILL, progress)
        np.savez(file, positions=positions.astype(np.float32))
    with np.load(file) as kept:
        return np.asarray(kept["positions"], dtype=np.float64)


def measure() -> report.Samples:
    """Of every resolved truth; some minutes of processor time each."""
    found, failed = [], {}
    for name, fabric in simulate.kept():
        truth, worn = simulate.load(name, fabric), WORN[name]()
        if not truth.resolved:
            continue
        try:
            positions = _recorded(worn, fabric, truth)
        except RuntimeError as error:
            failed[f"{name}, {fabric}"] = str(error)
            continue
        kept = _agreement(truth, positions[truth.first : truth.first + len(truth)])
        finer = next(list(each.correlation) for each in truth.reproduced if each.of == "finer")
        found.append({"name": name, "fabric": fabric, "judged": list(truth.judged), "finer": finer, **kept})
    return {"found": found, "failed": failed}


def page(samples: report.Samples) -> str:
    """A table a truth."""
    text = (
        "[Truths](../truths.md), which Blender simulated, against MuJoCo's flexible cloth on the same mesh with the same "
        "stretch, bending, hold, mass, damping and gravity, sewn to the same vertices and kept as far off the same body; its stretch is a "
        "plate's, not that of springs, contact is met after each step and without friction (deep in a body, cloth is left), and integration is "
        f"implicit, {STEPS} steps a frame. Correlation with the truth by band of wavelength, and size over the truth's in "
        f"brackets; bold from {PLACE:g}. *Lag* is drag over hold per frame.\n\n"
    )
    cells = [
        (*each["rows"][FOLDS][band], each["finer"][band])
        for each in samples["found"]
        for band, by_place in enumerate(each["judged"])
        if by_place
    ]
    own, size, finer = np.array(cells).T
    text += (
        f"In the {len(cells)} bands that are judged by place, MuJoCo has the folds by {own.mean():.2f} in the mean ({own.min():.2f} to "
        f"{own.max():.2f}) at {size.mean():.2f} of their size, Blender's next finer mesh by {finer.mean():.2f}; in {(own >= PLACE).sum()} of "
        f"them by {PLACE:g} and more.\n"
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
        lines.append(("Blender, the next finer mesh", *(f"{one:.2f}" for one in each["finer"])))
        text += f"\n## {each['name']}, {each['fabric']}\n\n" + report.table(head, lines)
        text += f"\nLag of the truth {each['lags'][0]:.2f}, of MuJoCo's cloth {each['lags'][1]:.2f} frames.\n"
    for name, why in samples["failed"].items():
        text += f"\n{name}: {why}.\n"
    return text
