"""Measures of cross-sections: how much of the cloth's length they keep."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.special import ellipe

import pucker

Array = npt.NDArray[np.float64]


def section_length(profile: pucker.Profile, width: npt.ArrayLike, height: npt.ArrayLike) -> Array:
    """Length of a cross-section as it is drawn, of the shape that `width` and `height` have together.

    `Profile.arc_length`, but for arcs higher than half their width: those are drawn as four quarters of an ellipse with
    semi-axes width/4 and height/2.
    """
    across, up = np.broadcast_arrays(np.asarray(width, dtype=np.float64), np.asarray(height, dtype=np.float64))
    if profile != pucker.Profile.arcs:
        return np.asarray(profile.arc_length(across, up), dtype=np.float64)
    low = np.minimum(up, 0.5 * across)
    circular = np.asarray(profile.arc_length(across, low), dtype=np.float64)
    return np.where(up > low, across * ellipe(1.0 - np.square(2.0 * up / across)), circular)


def section(profile: pucker.Profile, width: float, height: float, count: int = 129) -> Array:
    """The cross-section as it is drawn: points (count, 2), across in [-width/2, width/2] and up; see `section_length`."""
    across = np.linspace(-0.5 * width, 0.5 * width, count)
    low = min(height, 0.5 * width) if profile == pucker.Profile.arcs else height
    up = np.asarray(profile.value(across, width, low), dtype=np.float64)
    return np.column_stack([across, up * (height / low) if low > 0.0 else up])


def arc_length_deficit(wrinkles: Sequence[pucker.Wrinkle], params: pucker.Params) -> float:
    """Share of the cloth across the living wrinkles that their cross-sections do not keep: 1 − Σ ℓ arc / Σ ℓ s.

    Sums run over the points of the paths and the middles of their segments; ℓ is the length of path that each stands
    for, arc the `section_length` there, and s the width of the same wrinkle in flat cloth, which is the length a
    cross-section is to keep (Gillette 2015, section 6.1). Negative where a cross-section is longer than s. NaN without a
    living wrinkle.
    """
    shaper = pucker.Shaper(params)
    drawn = kept = 0.0
    for wrinkle in wrinkles:
        if not wrinkle.alive:
            continue
        pieces = np.repeat(0.5 * np.linalg.norm(np.diff(wrinkle.points, axis=0), axis=1), 2)
        spans = 0.5 * (np.append(pieces, 0.0) + np.insert(pieces, 0, 0.0))
        flat, _ = shaper.target(wrinkle.length, 1.0, 0.5)
        drawn += float(spans @ section_length(params.shape.profile, wrinkle.knot_widths, wrinkle.knot_heights))
        kept += float(spans.sum() * flat)
    return 1.0 - drawn / kept if kept > 0.0 else float("nan")
