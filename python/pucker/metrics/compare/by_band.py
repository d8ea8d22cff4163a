"""Heights of surfaces over one guide, judged by band of wavelength after lag has been taken out, and what must fail there."""

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker import metrics

Array = npt.NDArray[np.float64]

EDGES: Final = (4.0, 8.0, 16.0, 32.0, 64.0)
"""Wavelengths at which bands end, in mean edges of the truth's mesh; four are about an edge of the coarse one."""

BANDS: Final = metrics.band_names(EDGES)
"""Names of the bands, by their wavelengths in these edges."""

LEAST_SHARE: Final = 0.02
"""Share of the truth's mean square below which a band of it is no truth: what others have there is compared with nothing."""

_SEED: Final = 1


def correlation_in(band: str) -> str:
    """Name of the measure: correlation of the heights in a band."""
    return f"correlation {band}"


def size_in(band: str) -> str:
    """Name of the measure: size of the heights in a band over the truth's."""
    return f"size {band}"


class Heights:
    """What is known of the truth's heights, and how near others come.

    Attributes:
        bands: The filter, over the pose that lengths are measured on.
        guide: (frames, N, 3) the smooth surface of the frames with a truth, and those before, from which lag begins.
        truth: (frames, N) heights of the truth, with its lag.
        lag: The truth's, drag over hold a frame (`metrics.fitted_lag`).
        shares: (k,) of the mean square of the truth's heights without lag in each band.
    """

    def __init__(
        self, faces: npt.ArrayLike, rest: npt.ArrayLike, guide: npt.ArrayLike, positions: npt.ArrayLike
    ) -> None:
        """Of a truth at `positions` (frames, N, 3), the last frames of the `guide`."""
        self._faces = np.asarray(faces)
        edge = pucker.mean_edge_length(pucker.Mesh(self._faces, len(np.asarray(rest))), rest)
        self.bands = metrics.Bands(self._faces, rest, [edge * count for count in EDGES])
        self.guide = np.asarray(guide, dtype=np.float64)
        found = np.asarray(positions, dtype=np.float64)
        self._frames = len(found)
        self.truth = metrics.heights(self._faces, self.guide[-self._frames :], found)
        self.lag = self.lag_of(found)
        self._folds = self.truth - self.lagging(self.lag)
        rows = metrics.band_agreement(self._folds, self._folds, self.bands)
        self.shares = np.array([row.share for row in rows])

    def lag_of(self, positions: npt.ArrayLike) -> float:
        """The lag of a surface (frames, N, 3) behind the guide."""
        return metrics.fitted_lag(self.guide, positions, self.bands.areas)

    def lagging(self, lag: float) -> Array:
        """Heights (frames, N) of the guide that lags and does nothing else."""
        if lag == 0.0:
            return np.zeros_like(self.truth)
        trailing = metrics.lagging(self.guide, lag)[-self._frames :]
        return metrics.heights(self._faces, self.guide[-self._frames :], trailing)

    def noise(self) -> Array:
        """Heights (frames, N) of the truth's size in each band that have nothing else of it."""
        return metrics.noise_like(self.truth, self.bands, _SEED)

    def split(self, heights: Array, lag: float = 0.0) -> Array:
        """Heights (frames, N) of a surface without its lag in each band, (bands, frames, N)."""
        return self.bands(heights - self.lagging(lag))

    def folds(self, heights: Array, lag: float = 0.0) -> Array:
        """Heights (frames, N) of a surface without its lag and without what is as short as the mesh or longer than any fold."""
        middle: Array = self.split(heights, lag)[1:-1].sum(axis=0)
        return middle

    def judge(self, heights: Array, lag: float = 0.0) -> Mapping[str, float]:
        """Correlation and size in each band without lag, the lag itself, and `with lag`, the correlation of all there is.

        Bands that hold less than `LEAST_SHARE` of the truth are NaN.
        """
        rows = metrics.band_agreement(heights - self.lagging(lag), self._folds, self.bands)
        found = {"lag": lag}
        for band, row in zip(BANDS, rows, strict=True):
            told = row.share >= LEAST_SHARE
            found[correlation_in(band)] = row.correlation if told else float("nan")
            found[size_in(band)] = row.rms if told else float("nan")
        sizes = metrics.rms(heights, self.bands.areas), metrics.rms(self.truth, self.bands.areas)
        found["with lag"] = metrics.correlation(heights, self.truth, self.bands.areas) if min(sizes) > 0.0 else 0.0
        return found
