"""What a suite says of a surface: the measures, how near one comes to the truth by each, and the names of surfaces that are no method's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from .by_band import BANDS, correlation_in, size_in

PLAIN: Final = "coarse"
AGAIN: Final = "second take on the same mesh"
MEAN: Final = "mean detail"
GUIDE: Final = "guide alone"
LAG: Final = "lag alone"
NOISE: Final = "noise of the same spectrum"

CONTROLS: Final = (GUIDE, LAG, NOISE)
"""Surfaces that know nothing of the folds: what they reach in a measure, no method has earned."""

MEASURES: Final[Mapping[str, str]] = {
    "curvature": "less",
    "curvedness": "less",
    "distance": "less",
    "normals": "less",
    "area": "less",
    "silhouette": "less",
    "direction": "less",
    "where": "more",
    **{correlation_in(band): "more" for band in BANDS},
    **{size_in(band): "nearer to 1" for band in BANDS},
    "lag": "neither",
    "with lag": "neither",
    "wavelength": "nearer to 1",
    "flicker": "nearer to 1",
    "births": "nearer to 1",
    "flip": "less",
    "wrinkles": "neither",
    "milliseconds": "less",
}
"""The measures of `Judged`, and which way each is better."""


@dataclass(frozen=True)
class Judged:
    """How near one surface comes to the truth of one scene.

    `samples` holds every number by the name of its measure, and `means` their means without NaN, NaN if there is none:

    ``curvature``, ``curvedness``, ``distance``, ``normals``, ``area``, ``silhouette``, ``direction``: as in `Row`, by frame.
    ``where``: `metrics.where` of curvedness, by frame.
    ``correlation BAND``, ``size BAND``: of the heights over the guide in each of `BANDS`, as `metrics.band_agreement`, after the
    lag of both has been taken out. ``lag``: of the surface, as `metrics.fitted_lag`. ``with lag``: correlation of all heights, lag
    among them.
    ``wavelength``: `metrics.wavelength` of the folds, which are the heights of all bands but the first and the last without lag,
    over that of the truth's, by frame.
    ``flicker``: size of what of the folds trembles, over the truth's.
    ``births``: `metrics.fold_births` of the folds, higher than the rms of the truth's, over the truth's, with one added to both.
    ``flip``: mean FLIP error, by picture.
    ``wrinkles``: alive, by frame. ``milliseconds``: processor time of a frame of the method.
    """

    scene: str
    surface: str
    samples: Mapping[str, Sequence[float]]

    def plain(self) -> dict[str, Any]:
        """As JSON has it; `Judged(**plain)` is the same again."""
        return {"scene": self.scene, "surface": self.surface, "samples": {n: list(self.samples[n]) for n in MEASURES}}

    @property
    def means(self) -> dict[str, float]:
        """Mean of each measure."""
        found = {name: np.array(self.samples[name], dtype=np.float64) for name in MEASURES}
        return {name: float(np.nanmean(v)) if np.isfinite(v).any() else float("nan") for name, v in found.items()}


@dataclass(frozen=True)
class Smoothed:
    """A method over the coarse clip made smooth (`Clip.smoothed`): its `params` are whatever else `Judge.judge` takes."""

    params: Any
    levels: int = 1
