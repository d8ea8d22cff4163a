"""A simulator of one's own as a truth: how far it agrees with itself on a finer mesh, and methods judged by it.

    python examples/python/own_simulator.py sleeve.npz

The simulator here is a sheet of springs by projective dynamics (Bouaziz et al. 2014) over a bending sleeve; any other can stand in its
place. All that is asked of it are positions, a frame for each of the coarse clip's, on the mesh that Loop's rules make of the coarse one.
Its constants must be those of a sheet and not of a mesh, and it runs on two meshes: bands of wavelength in which the finer one has
the same folds in the same places are judged by place. Needs the extras pucker[metrics,render].
"""

import sys
from pathlib import Path

import igl
import numpy as np
import numpy.typing as npt
from scipy import sparse
from scipy.sparse.linalg import splu

import pucker
from pucker import byexample, compare
from pucker.areas import vertex_areas
from pucker.examples import bending_sleeve
from pucker.metrics import Truth

LEVELS = 2
"""Of the truth; the finer mesh has one more."""
FRAMES = 20
FIRST = 5
"""Frame from which it is judged: until then the sheet settles."""
STEPS = 3
"""A frame."""
ITERATIONS = 10
# Of the sheet, by area; lengths in metres, time in frames.
STRETCH, BENDING, HOLD, MASS = 1.0, 2e-6, 6.0, 3.0


def simulated(clip: pucker.Clip, levels: int) -> npt.NDArray[np.float64]:
    """Positions (frames, N, 3) of a sheet that is held softly to the subdivided clip and cut for its first frame."""
    loop = byexample.LoopSubdivision(clip.mesh, levels)
    guides = [np.asarray(loop.matrix @ pose) for pose in clip.positions]
    rest, edges = guides[0], np.asarray(loop.fine.edges)
    areas = vertex_areas(loop.fine.faces, rest)
    ends = sparse.coo_matrix(
        (np.tile([-1.0, 1.0], len(edges)), (np.repeat(np.arange(len(edges)), 2), edges.ravel())),
        shape=(len(edges), len(rest)),
    ).tocsr()
    lengths = np.linalg.norm(ends @ rest, axis=1)
    laplacian = igl.cotmatrix(rest, loop.fine.faces)
    mass, hold = sparse.diags(MASS * STEPS**2 * areas), sparse.diags(HOLD * areas)
    # Springs along edges are as stiff on every mesh; bending is the square of the mean curvature, whatever the triangulation.
    bending = BENDING * laplacian.T @ sparse.diags(1.0 / areas) @ laplacian
    solver = splu((mass + hold + bending + STRETCH * ends.T @ ends).tocsc(), permc_spec="MMD_AT_PLUS_A")
    rounded = bending @ rest
    now, before, found = rest.copy(), rest.copy(), []
    for frame, guide in enumerate(guides):
        last = guides[max(frame - 1, 0)]
        for step in range(STEPS):
            target = last + (step + 1) / STEPS * (guide - last)
            outer = mass @ (now + 0.7 * (now - before)) + hold @ target + rounded
            before, x = now, now + (now - before)
            for _ in range(ITERATIONS):
                spans = ends @ x
                spans *= (lengths / np.linalg.norm(spans, axis=1))[:, None]
                x = solver.solve(outer + STRETCH * (ends.T @ spans))
            now = x
        found.append(now)
    return np.array(found)


def main(file: Path, columns: int = 12, rows: int = 18) -> Truth:
    """Makes the truth, says how far it can be trusted, and judges draped cloth by it."""
    clip = bending_sleeve(columns, rows, frames=FRAMES)
    start = clip.positions[0]
    kept, loop = (byexample.LoopSubdivision(clip.mesh, levels) for levels in (LEVELS, LEVELS + 1))
    edge = pucker.mean_edge_length(kept.fine, kept.matrix @ start)
    truth = Truth.of_simulation(
        "sleeve",
        "springs",
        clip,
        simulated(clip, LEVELS),
        start=start,
        simulated_levels=LEVELS,
        levels=LEVELS,
        first=FIRST,
        count=FRAMES - FIRST,
        shortest=3.0 * edge,
        cutoffs=tuple(count * edge for count in (4.0, 8.0, 16.0, 32.0)),
        made="examples/python/own_simulator.py",
    )
    finer = simulated(clip, LEVELS + 1)[truth.first : truth.first + len(truth)]
    truth = truth.beside("finer", loop.fine.faces, loop.matrix @ start, finer)
    truth.save(file)
    print(compare.table_of_truth(list(compare.against(truth, {"draped": pucker.drape.Params(cut="first")}))))
    return truth


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: own_simulator.py TRUTH.npz")
    main(Path(sys.argv[1]))
