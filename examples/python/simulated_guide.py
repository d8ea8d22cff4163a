"""A coarse simulation, streamed into draped cloth: a simulator moves 800 triangles, pucker lays 12 800 over them, step by step.

    python examples/python/simulated_guide.py picture.png [newton]

A curtain is gathered to two thirds of its width while the wind blows. The simulator is MuJoCo, or Newton on the processor; any other can
stand in their place: all that is asked of it are triangles, where their vertices lie at rest, and from then on where they are. Needs
the extra pucker[render] and either pucker[simulate] or newton (`pip install newton`, which compiles for a minute when it first runs).
"""

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt

import pucker
from pucker import drape
from pucker.byexample.sheets import Fabric, Sheet

CELLS = 20
STEP = 1.0 / 90.0
SECONDS = 1.5
WIND = (0.0, 0.0, 3.0)
GATHERED = 0.65


def curtain() -> tuple[pucker.Mesh, npt.NDArray[np.float64]]:
    """The mesh of a square metre, and its vertices (n, 3) at rest; the first row is the top."""
    x, y = np.meshgrid(np.linspace(-0.5, 0.5, CELLS + 1), np.linspace(0.0, -1.0, CELLS + 1))
    corners = np.arange((CELLS + 1) ** 2).reshape(CELLS + 1, CELLS + 1)
    a, b, c, d = (part.ravel() for part in (corners[:-1, :-1], corners[1:, :-1], corners[1:, 1:], corners[:-1, 1:]))
    faces = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])]).astype(np.int32)
    return pucker.Mesh(faces, corners.size), np.column_stack([x.ravel(), y.ravel(), 0.02 * np.sin(9.0 * x.ravel())])


def in_mujoco(mesh: pucker.Mesh, rest: npt.NDArray[np.float64]) -> Iterator[tuple[float, npt.NDArray[np.float64]]]:
    """Seconds and vertices (n, 3), step by step. Too stiff to fold between its few vertices, the sheet is squeezed instead."""
    top = np.arange(CELLS + 1)
    sheet = Sheet(mesh, rest, top, Fabric(bending=2e-4, stretch=15.0, damping=0.1), STEP)
    now = rest[top]
    for k in range(1, round(SECONDS / STEP) + 1):
        width = 1.0 - (1.0 - GATHERED) * min(k * STEP, 1.0)
        then = rest[top] * [width, 1.0, 1.0]
        sheet.advance(now, then, WIND)
        now = then
        yield k * STEP, sheet.positions


def in_newton(mesh: pucker.Mesh, rest: npt.NDArray[np.float64]) -> Iterator[tuple[float, npt.NDArray[np.float64]]]:
    """The same by vertex block descent (Chen et al. 2024), the wind as the drag of the air."""
    import newton  # noqa: PLC0415 - of a package that only this needs
    import warp  # noqa: PLC0415

    substeps, air = 4, 0.3 / len(rest)
    top = np.arange(CELLS + 1)
    with warp.ScopedDevice("cpu"):
        builder = newton.ModelBuilder(up_axis=newton.Axis.Y)
        builder.add_cloth_mesh(
            pos=warp.vec3(), rot=warp.quat_identity(), scale=1.0, vel=warp.vec3(), vertices=[warp.vec3(*point) for point in rest],
            indices=mesh.faces.ravel().tolist(), density=0.2, tri_ke=15.0, tri_ka=15.0, tri_kd=0.1, edge_ke=2e-4, edge_kd=1e-3,
        )  # fmt: skip
        for vertex in top:  # moved by hand
            builder.particle_mass[vertex] = 0.0
        builder.color(include_bending=True)
        model = builder.finalize()
        solver = newton.solvers.SolverVBD(model=model, iterations=10)
        now, then, control = model.state(), model.state(), model.control()
        for k in range(1, round(SECONDS / STEP) + 1):
            for part in range(1, substeps + 1):
                moment = (k - 1 + part / substeps) * STEP
                places = now.particle_q.numpy()
                places[top] = rest[top] * [1.0 - (1.0 - GATHERED) * min(moment, 1.0), 1.0, 1.0]
                now.particle_q.assign(places)
                now.clear_forces()
                now.particle_f.assign(air * (np.array(WIND) - now.particle_qd.numpy()).astype(np.float32))
                solver.step(now, then, control, None, STEP / substeps)
                now, then = then, now
            yield k * STEP, now.particle_q.numpy().astype(np.float64)


Simulator = Callable[[pucker.Mesh, npt.NDArray[np.float64]], Iterator[tuple[float, npt.NDArray[np.float64]]]]


def main(simulated: Simulator = in_mujoco) -> tuple[pucker.Clip, list[drape.State]]:
    """Runs both; returns what the simulator gave, as a clip, and a state for each of its frames."""
    mesh, rest = curtain()
    run = drape.Drape(mesh, rest, drape.Params(levels=2))
    states, seconds = [], []
    for moment, positions in simulated(mesh, rest):
        began = time.perf_counter()
        states.append(run.advance(positions, moment))
        seconds.append(time.perf_counter() - began)
    fine = states[-1].detail.subdivision.fine
    print(
        f"{len(states)} frames, {len(mesh.faces)} triangles simulated, {fine.triangle_count} draped, "
        f"{1000.0 * float(np.median(seconds)):.0f} ms a frame"
    )
    # What came in as a stream can be drawn and baked as anything else: a clip of it, and the states.
    came = np.array([state.positions for state in states])
    return pucker.Clip.from_arrays(mesh.faces, came, [state.time for state in states], weld=False), states


def picture(clip: pucker.Clip, states: list[drape.State], path: Path) -> None:
    """The last frame, as it was simulated and draped."""
    from PIL import Image  # noqa: PLC0415 - of an extra that only this needs

    from pucker import render  # noqa: PLC0415

    last = len(clip) - 1
    with render.ClipRenderer(clip, (480, 480), view="front") as film:
        beside = [film.frame(last), film.frame(last, states[last])]
    Image.fromarray(np.hstack([each[..., :3] for each in beside])).save(path)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["newton"]):
        sys.exit("usage: simulated_guide.py PICTURE.png [newton]")
    picture(*main(in_newton if sys.argv[2:] else in_mujoco), Path(sys.argv[1]))
