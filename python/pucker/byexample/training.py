"""Choosing the poses of a trained set from a recorded motion."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample

from .trained import Floats, Options, TrainedSet


@dataclass(frozen=True, eq=False)
class Training:
    """What `train` found."""

    trained: TrainedSet
    """The set."""
    frames: tuple[int, ...]
    """Frames that became poses 1, 2, …; pose 0 is the rest pose."""
    errors: Floats
    """(P, frames): with the first p + 1 poses, the root mean square over the rest area of a frame's distance between the
    synthesised and the recorded vertices, in the clip's unit of length."""

    @property
    def error(self) -> Floats:
        """(P,): the root mean square of `errors` over the frames."""
        mean: Floats = np.sqrt(np.square(self.errors).mean(axis=1))
        return mean


def train(
    mesh: "pucker.Mesh",
    coarse: npt.ArrayLike,
    fine: npt.ArrayLike,
    *,
    rest: npt.ArrayLike,
    rest_fine: npt.ArrayLike | None = None,
    levels: int,
    poses: int = 6,
    slow: Literal["keep", "remove"] = "keep",
    options: Options | None = None,
    tell: Callable[[int, float], None] = lambda _pose, _error: None,
) -> Training:
    """Chooses poses from pairs of a coarse and a fine recording of one motion (Zurdo et al. 2013, section 5.1).

    The set begins with the rest pose. Then the frame whose synthesised surface is farthest from the recorded one becomes a
    pose, again and again, until there are `poses` or none is left that differs from them.

    Args:
        mesh: The coarse mesh.
        coarse: (frames, n, 3) its positions.
        fine: (frames, N, 3) positions of the fine mesh, whose vertices are those of `LoopSubdivision(mesh, levels)`.
        rest: (n, 3) the coarse mesh at rest, which stretches are measured against.
        rest_fine: (N, 3) the fine mesh at rest; without it the smooth surface itself.
        levels: How often the coarse mesh is subdivided.
        poses: How many poses the set has at most, the rest pose among them.
        slow: "remove" takes out of what each fine frame is beyond the smooth surface its least-squares fit by the subdivision
            matrix: what the garment as a whole lags or slides, which no pose tells. Needs SciPy, extra pucker[metrics].
        options: How weights are computed.
        tell: Called with the number of poses and the error, each time these are known.

    Returns:
        The set, the frames chosen, and the errors.

    Raises:
        ValueError: For shapes that do not fit, numbers that are not finite (naming the frame), less than one pose, and
            what `Synthesis` refuses.
    """
    if poses < 1:
        raise ValueError(f"a set needs at least one pose, not {poses}")
    if slow not in ("keep", "remove"):
        raise ValueError(f"slow must be 'keep' or 'remove', not {slow!r}")
    at_rest = _finite(rest, "rest")
    smooth = byexample.SmoothSurface(mesh, levels, at_rest)
    guides, surfaces = _frames(coarse, mesh.vertex_count, "coarse"), _frames(fine, smooth.mesh.vertex_count, "fine")
    if len(guides) != len(surfaces):
        raise ValueError(f"there must be as many coarse as fine frames, not {len(guides)} and {len(surfaces)}")
    weights = _areas(smooth.mesh.faces, smooth.positions)
    fit = _slow_fit(smooth.subdivision.matrix) if slow == "remove" else None

    def detail_of(guide: Floats, surface: Floats) -> Floats:
        positions = smooth.step(guide)
        # Fitted in space: frames of neighbours are turned against each other, so that there nothing is smooth.
        return smooth.detail_of(surface if fit is None else surface - fit(surface - positions))

    details = np.array([detail_of(guide, surface) for guide, surface in zip(guides, surfaces, strict=True)])
    first = (
        np.zeros_like(smooth.positions) if rest_fine is None else detail_of(at_rest, _finite(rest_fine, "rest_fine"))
    )
    chosen: list[int] = []
    errors: list[Floats] = []
    while True:
        trained = TrainedSet(
            mesh.faces,
            at_rest,
            levels,
            np.array([at_rest, *guides[chosen]]),
            np.array([first, *details[chosen]]),
            options or Options(),
        )
        errors.append(_errors(trained.synthesis(mesh), guides, details, weights))
        tell(len(chosen) + 1, float(np.sqrt(np.square(errors[-1]).mean())) if len(guides) else 0.0)
        left = [frame for frame in range(len(guides)) if frame not in chosen and errors[-1][frame] > 0.0]
        if len(chosen) + 1 >= poses or not left:
            return Training(trained, tuple(chosen), np.array(errors))
        chosen.append(max(left, key=errors[-1].__getitem__))


def _errors(synthesis: byexample.Synthesis, guides: Floats, details: Floats, weights: Floats) -> Floats:
    """(frames,): both surfaces stand in the same frames, so that their distance is that of the details."""
    found = np.empty(len(guides))
    for frame, (guide, detail) in enumerate(zip(guides, details, strict=True)):
        away = synthesis.step(guide).detail - detail
        found[frame] = np.sqrt(np.einsum("v,vi,vi->", weights, away, away))
    return found


def _finite(values: npt.ArrayLike, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite")
    return array


def _frames(values: npt.ArrayLike, vertices: int, name: str) -> Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 3 or array.shape[1:] != (vertices, 3):
        raise ValueError(f"{name} must have shape (frames, {vertices}, 3), not {array.shape}")
    broken = np.flatnonzero(~np.isfinite(array).all(axis=(1, 2)))
    if len(broken):
        raise ValueError(f"{name} must be finite, but frame {broken[0]} is not")
    return array


def _areas(faces: npt.NDArray[np.int32], positions: Floats) -> Floats:
    """Share of the area that each vertex stands for."""
    corners = positions[faces]
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1)
    shares = np.bincount(faces.ravel(), np.repeat(areas, 3), minlength=len(positions)).astype(np.float64)
    total: Floats = shares / shares.sum()
    return total


def _slow_fit(matrix: byexample.SparseRows) -> Callable[[Floats], Floats]:
    """Gives W (WᵀW)⁻¹ Wᵀ d of displacements d (N, 3)."""
    try:
        from scipy import sparse  # noqa: PLC0415 - only this needs it
        from scipy.sparse.linalg import factorized  # noqa: PLC0415 - only this needs it
    except ModuleNotFoundError as error:
        raise pucker.Error(f"slow='remove' needs {error.name}: install the extra pucker[metrics]") from error
    rows = sparse.csr_matrix((matrix.data, matrix.indices, matrix.indptr), shape=matrix.shape)
    solve = factorized((rows.T @ rows).tocsc())

    def fit(away: Floats) -> Floats:
        fitted: Floats = rows @ np.stack([solve(column) for column in (rows.T @ away).T], axis=1)
        return fitted

    return fit
