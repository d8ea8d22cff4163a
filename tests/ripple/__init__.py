"""A fourth method, for the tests: a sine ripple that runs over the mesh. All of it is in this folder."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

import pucker
from pucker.method import DataParams, MethodType, SurfacePoints, number, points_of_mesh, register

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Params(DataParams):
    """A wave along x, and how fast it runs."""

    amplitude: float = number(0.01, "height of the wave, as a share of the clip's height", 0.0)
    wavelength: float = number(0.1, "wavelength, as a share of the clip's height", 0.0, low_included=False)
    speed: float = number(1.0, "wavelengths per second")


@dataclass(frozen=True)
class Detail:
    """offset(x, t) = amplitude · sin(2π (x / wavelength − speed · t)), along the interpolated normal."""

    mesh: pucker.Mesh
    positions: Floats
    time: float
    amplitude: float
    wavelength: float
    speed: float

    @property
    def feature_size(self) -> float:
        """A quarter of a wave."""
        return 0.25 * self.wavelength

    @property
    def feature_sizes(self) -> Floats:
        """The same everywhere; where there is no wave nothing is displaced."""
        return np.full(len(self.mesh.faces), self.feature_size if self.amplitude > 0.0 else np.inf)

    @property
    def offset_range(self) -> tuple[float, float]:
        """The wave goes both ways."""
        return -self.amplitude, self.amplitude

    def evaluate(self, triangles: npt.ArrayLike, barycentrics: npt.ArrayLike) -> SurfacePoints:
        """The surface at points of the mesh."""
        points = points_of_mesh(self.mesh, self.positions, triangles, barycentrics)
        wave = 2.0 * np.pi / self.wavelength
        phase = wave * points.base[:, 0] - 2.0 * np.pi * self.speed * self.time
        normals = points.base_normals
        displacements = (self.amplitude * np.sin(phase))[:, None] * normals
        gradient = (self.amplitude * wave * np.cos(phase))[:, None] * np.array([1.0, 0.0, 0.0])
        along = gradient - np.einsum("nd,nd->n", gradient, normals)[:, None] * normals
        tilted = normals - along
        tilted /= np.linalg.norm(tilted, axis=1)[:, None]
        return SurfacePoints(points.base, normals, displacements, tilted)


@dataclass(frozen=True)
class State:
    """What one frame gave."""

    frame: int
    time: float
    detail: Detail
    seconds: Mapping[str, float]


class Ripple:
    """A run of the ripple, which remembers nothing but how many frames there were."""

    def __init__(self, clip: pucker.Clip, params: Params, frame: int = -1) -> None:
        self._clip, self._params, self._frame = clip, params, frame

    def advance(self, positions: npt.ArrayLike, moment: float) -> State:
        """One frame."""
        begin = time.perf_counter()
        self._frame += 1
        height, params = self._clip.height, self._params
        points = np.array(positions, dtype=np.float64)
        detail = Detail(
            self._clip.mesh,
            points,
            moment,
            params.amplitude * height,
            params.wavelength * height,
            params.speed,
        )
        return State(self._frame, moment, detail, {"ripple": time.perf_counter() - begin})

    def save(self) -> bytes:
        """The run as bytes."""
        return str(self._frame).encode()

    def restored(self, saved: bytes) -> "Ripple":
        """A run that goes on as the saved one."""
        return Ripple(self._clip, self._params, int(saved))


class RippleMeasures:
    """The height of the wave, frame by frame."""

    def __init__(self) -> None:
        self._heights: list[float] = []

    def take(self, state: State, area: float | None) -> None:  # noqa: ARG002
        """A frame."""
        self._heights.append(state.detail.amplitude)

    def results(self, times: Floats) -> tuple[dict[str, Floats], dict[str, float]]:  # noqa: ARG002
        """The heights, and the largest of them."""
        return {"wave_height": np.array(self._heights)}, {"wave_height": max(self._heights)}


class RippleKind(MethodType):
    """The method as the rest of pucker knows it."""

    name: ClassVar[str] = "ripple"
    params: ClassVar[type[Params]] = Params

    def start(self, clip: pucker.Clip, params: Params) -> Ripple:
        """A run over the clip."""
        return Ripple(clip, params)

    def measuring(
        self, clip: pucker.Clip, params: Params, *, directions: npt.ArrayLike | None = None
    ) -> RippleMeasures:
        """The height of the wave."""
        super().measuring(clip, params, directions=directions)
        return RippleMeasures()


register(RippleKind())
