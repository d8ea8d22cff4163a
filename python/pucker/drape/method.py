"""Draped cloth as the rest of pucker knows it."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker._core._drape import Drape, Params, State
from pucker.method import Kind, register

Floats = npt.NDArray[np.float64]


def cut_pose(clip: Clip, cut: str = "") -> Floats:
    """The pose that a garment was cut for, (n, 3).

    Args:
        clip: The clip.
        cut: `rest` for the clip's rest pose; `first` for its first frame; an .npy that holds the positions; `FILE:CLIP` for the
            first frame of a clip of a file that has the same garment; empty for the rest pose where there is one, else the
            first frame.

    Raises:
        OSError: For a file that cannot be opened.
        pucker.Error: For a file that cannot be read.
        ValueError: For a rest pose that the clip does not have, and a pose of another garment.
    """
    if cut == "first" or (not cut and clip.rest is None):
        return np.asarray(clip.positions[0])
    if cut in ("", "rest"):
        if clip.rest is None:
            raise ValueError("params.cut = rest needs a rest pose, the clip has none")
        return np.asarray(clip.rest, dtype=np.float64)
    pose = np.load(cut, allow_pickle=False) if cut.endswith(".npy") else _pose_of_clip(clip, cut)
    if pose.shape != clip.positions.shape[1:]:
        raise ValueError(
            f"params.cut must hold positions of shape {clip.positions.shape[1:]}, but {cut} has {pose.shape}"
        )
    return np.asarray(pose, dtype=np.float64)


def _pose_of_clip(clip: Clip, cut: str) -> Floats:
    from pucker.io import load  # noqa: PLC0415 - most runs read no other file

    path, colon, name = cut.rpartition(":")
    if not colon:
        raise ValueError(f"params.cut must be rest, first, an .npy or FILE:CLIP, got {cut!r}")
    other = load(path, clip=name, parts=clip.parts or None, isolated=True)
    if not np.array_equal(other.faces, clip.faces):
        raise ValueError(
            f"params.cut must name a clip of the same garment, but that of {cut} has {len(other.faces)} other triangles"
        )
    return np.asarray(other.positions[0])


class DrapeMeasures:
    """How far the solver came, and how far the cloth is from its guide."""

    def __init__(self) -> None:
        self._residual: list[float] = []
        self._distance: list[float] = []

    def take(self, state: State, area: float | None) -> None:  # noqa: ARG002
        """A frame."""
        self._residual.append(state.solved.residual)
        self._distance.append(float(np.sqrt(np.square(state.draped - state.guide).sum(axis=1).mean())))

    def results(self, times: Floats) -> tuple[dict[str, Floats], dict[str, float]]:  # noqa: ARG002
        """The residual as a strain, and the root mean square distance from the guide in the clip's unit of length."""
        frames = {"residual": np.array(self._residual), "distance_from_guide": np.array(self._distance)}
        return frames, {name: float(values.mean()) for name, values in frames.items()}


class DrapeKind(Kind):
    """Müller and Chentanez 2010."""

    name: ClassVar[str] = "drape"
    params: ClassVar[type[Params]] = Params
    state: ClassVar[type[State]] = State

    def start(self, clip: Clip, params: Params) -> Drape:
        """A run with the garment cut for the pose that `params.cut` names.

        Raises ValueError for a pose that the clip does not have, and what `cut_pose` raises for a file.
        """
        return Drape(clip.mesh, cut_pose(clip, params.cut), params, clip.shared_vertices)

    def files(self, params: Params) -> tuple[Path, ...]:
        """The file of the cut pose."""
        if params.cut in ("", "rest", "first"):
            return ()
        return (Path(params.cut if params.cut.endswith(".npy") else params.cut.rpartition(":")[0]),)

    def measuring(self, clip: Clip, params: Params, *, directions: npt.ArrayLike | None = None) -> DrapeMeasures:
        """Measures of the solver and the cloth; there are no paths whose `directions` could be followed."""
        super().measuring(clip, params, directions=directions)
        return DrapeMeasures()

    def description(self, clip: Clip, params: Params) -> str:
        """Size of the folds and of the mesh."""
        size = (
            f"of {len(clip.faces) * 4**params.levels} triangles" if params.levels >= 0 else "as fine as its folds need"
        )
        return (
            f"a mesh {size} in balance, held to the guide over "
            f"{100 * params.fold_size:g} % of the garment's extent at most, {params.iterations} iterations a frame."
        )

    def counts(self, state: State) -> dict[str, float]:
        """Iterations of the solver."""
        return {"iterations": state.solved.iterations}

    def candidates(self, params: Any) -> dict[str, Any]:
        """The smooth surface without detail, and with it."""
        return {"smooth": params.replace(gain=0.0), "draped": params}


register(DrapeKind())
