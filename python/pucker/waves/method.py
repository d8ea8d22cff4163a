"""The wave field as the rest of pucker knows it."""

import warnings
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from pucker._core import Clip
from pucker._core._waves import Compute, ComputedField, ComputedState, Params, State, WaveField
from pucker.method import MethodType, register

from .painting import Painting
from .wavelengths import factors

if TYPE_CHECKING:
    from .brush import Brush

Floats = npt.NDArray[np.float64]


def _reference(state: State | ComputedState) -> State:
    """What the processor has of a frame."""
    return state.reference if isinstance(state, ComputedState) else state


class WaveMeasures:
    """How well the waves of neighbours meet, and how high they are."""

    def __init__(self) -> None:
        self._error: list[float] = []
        self._height: list[float] = []

    def take(self, state: State | ComputedState, area: float | None) -> None:  # noqa: ARG002
        """A frame."""
        state = _reference(state)
        planes = state.waves
        self._error.append(float(np.sqrt(state.energy)))
        self._height.append(float(np.mean(4.0 * planes.amplitudes / planes.wavelengths)))

    def results(self, times: Floats) -> tuple[dict[str, Floats], dict[str, float]]:  # noqa: ARG002
        """Root mean square phase error, in cycles, and mean amplitude, as a share of the highest."""
        frames = {"phase_error": np.array(self._error), "wave_height": np.array(self._height)}
        return frames, {name: float(values.mean()) for name, values in frames.items()}


class Waves(MethodType):
    """Loviscach 2006."""

    name: ClassVar[str] = "waves"
    params: ClassVar[type[Params]] = Params
    state: ClassVar[tuple[type[Any], ...]] = (State, ComputedState)

    def keeps_mesh(self, params: Params) -> bool:
        """If waves follow the clip's skin."""
        return bool(params.compute == Compute.skinned)

    def start(self, clip: Clip, params: Params) -> WaveField | ComputedField:
        """A WaveField, or with `params.compute` a ComputedField, whose rest pose is the one the clip's skin was bound in, or else the
        first frame. Waves fade out towards the vertices that the clip shares with its body.

        Raises pucker.Error for a file of a painting or of wavelengths that is none, and ValueError for one that does not go with the
        clip, and for waves from the bones of a clip that has none. Warns of influences of bones that are cut.
        """
        rest = clip.positions[0] if clip.rest is None else clip.rest
        kind = WaveField if params.compute == Compute.cpu else ComputedField
        field = kind(clip.mesh, rest, params, clip.height, shared=clip.shared_vertices)
        if isinstance(field, ComputedField) and params.compute == Compute.skinned:
            if clip.skin is None:
                raise ValueError(f"params.compute = skinned needs a skin, the clip {clip.name} has none")
            if cut := field.set_bones(clip.skin):
                warnings.warn(cut, stacklevel=2)
        if params.wavelength_map:
            field.wavelengths = field.wavelengths * factors(params.wavelength_map, clip)
        if params.painting:
            field.paint = Painting.load(params.painting, clip.mesh, rest).vectors
        return field

    def resolved(self, clip: Clip, params: Params) -> Params:
        """The parameters with the wavelength in the clip's unit."""
        if params.unit.name == "clip":
            return params
        return params.replace(unit="clip", wavelength=params.wavelength * clip.height)

    def files(self, params: Params) -> tuple[Path, ...]:
        """The painting and the wavelengths."""
        return tuple(Path(name) for name in (params.painting, params.wavelength_map) if name)

    def measuring(self, clip: Clip, params: Params, *, directions: npt.ArrayLike | None = None) -> WaveMeasures:
        """Measures of the waves; they have no paths whose `directions` could be followed."""
        super().measuring(clip, params, directions=directions)
        return WaveMeasures()

    def description(self, clip: Clip, params: Params) -> str:
        """Wavelength and profile."""
        length = self.resolved(clip, params).wavelength
        share = 100.0 * length / clip.height
        return f"a wavelength of {length:.4g} ({share:.1f} % of the height) and the profile {params.profile.name}."

    def counts(self, state: State | ComputedState) -> dict[str, float]:
        """Vertices that have a wave."""
        return {"waved_vertices": int(np.count_nonzero(_reference(state).waves.amplitudes))}

    def folds_of_width(self, width: float, named: Collection[str]) -> dict[str, Any]:
        """The wavelength, unless it is named: a crest and a trough."""
        return {} if "wavelength" in named else {"wavelength": width, "unit": "clip"}

    def brush(self, view: Any, clip: Clip) -> "Brush":
        """Paints wrinkles."""
        from .brush import Brush  # noqa: PLC0415 - of an extra

        return Brush(view, clip)

    def candidates(self, params: Params) -> dict[str, Any]:
        """From phases of least error, and from random ones as printed."""
        return {"waves": params, "waves, from random phases": params.replace(relax={"start": "random"})}


register(Waves())
