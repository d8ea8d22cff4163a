"""Wrinkles by example as the rest of pucker knows them."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker._core._byexample import ByExample, Params, State, read_trained
from pucker.method import MethodType, register

from .trained import load

Floats = npt.NDArray[np.float64]


class ExampleMeasures:
    """How far weights are from those of a single pose, and how high the detail is."""

    def __init__(self) -> None:
        self._extrapolation: list[float] = []
        self._detail: list[float] = []

    def take(self, state: State, area: float | None) -> None:  # noqa: ARG002
        """A frame."""
        self._extrapolation.append(float(np.maximum(-state.surface.pose_weights, 0.0).sum(axis=1).mean()))
        self._detail.append(float(np.sqrt(np.square(state.surface.detail).sum(axis=1).mean())))

    def results(self, times: Floats) -> tuple[dict[str, Floats], dict[str, float]]:  # noqa: ARG002
        """Mean of the sums of negative weights, also where a regression gives them, and root mean square detail.

        The latter is in the clip's unit of length.
        """
        frames = {"extrapolation": np.array(self._extrapolation), "detail": np.array(self._detail)}
        return frames, {name: float(values.mean()) for name, values in frames.items()}


class ExampleMethod(MethodType):
    """Zurdo, Brito and Otaduy 2013."""

    name: ClassVar[str] = "byexample"
    params: ClassVar[type[Params]] = Params
    state: ClassVar[type[State]] = State

    def keeps_mesh(self, params: Params) -> bool:  # noqa: ARG002
        """As its set was learned from the mesh of the file."""
        return True

    def start(self, clip: Clip, params: Params) -> ByExample:
        """A run with the trained set of the file `params.trained`.

        Raises pucker.Error for a file that is no trained set, and ValueError for none and for that of another mesh, rest pose
        or unit of length, saying what differs. A clip without a rest pose has its first frame's edges looked at.
        """
        trained = load(_file(params))
        synthesis = trained.synthesis(clip.mesh)
        if clip.rest is None:
            trained.check_unit(clip.positions[0])
        else:
            trained.check_rest(clip.rest)
        return ByExample(synthesis, params, clip.shared_vertices, trained.cloth)

    def parts(self, params: Params) -> tuple[str, ...]:
        """Those of the trained set."""
        return tuple(read_trained(_file(params))["parts"])

    def files(self, params: Params) -> tuple[Path, ...]:
        """The trained set."""
        return (Path(params.trained),) if params.trained else ()

    def measuring(self, clip: Clip, params: Params, *, directions: npt.ArrayLike | None = None) -> ExampleMeasures:
        """Measures of weights and detail; there are no paths whose `directions` could be followed."""
        super().measuring(clip, params, directions=directions)
        return ExampleMeasures()

    def description(self, clip: Clip, params: Params) -> str:  # noqa: ARG002
        """Poses and triangles of the trained set."""
        trained = read_trained(_file(params))
        learned = "" if trained["regression"] is None else f" and a regression on {len(trained['poses'])} frames"
        what = f"{len(trained['details'])} {'details' if learned else 'poses'}"
        swaying = f", swaying with a period of {params.sway:g} s" if params.sway else ""
        return (
            f"the detail of {what}{learned}, {len(trained['faces']) * 4 ** trained['levels']} triangles, "
            f"{params.gain:g} times as high as recorded, lagging by {params.lag:g} s{swaying}."
        )

    def candidates(self, params: Params) -> dict[str, Any]:
        """The smooth surface without detail, and with it."""
        return {"smooth": params.replace(gain=0.0), "by example": params}


def _file(params: Params) -> str:
    if not params.trained:
        raise ValueError("the method byexample needs a trained set: --trained FILE.npz, or params.trained in a program")
    return str(params.trained)


register(ExampleMethod())
