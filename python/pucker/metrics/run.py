"""All measures of a run that need no other mesh."""

import time
from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker.kinds import check_clip
from pucker.method import method_of
from pucker.rates import frame_rate

from .surface import MIN_FRAMES, Samples, area, flicker

Array = npt.NDArray[np.float64]

# How far, against their mean, the times between frames may be from it for their flicker to be measured.
EVEN: Final = 1e-3


@dataclass(frozen=True)
class Measures:
    """What `measure` finds.

    Attributes:
        per_frame: (frames,) float64 by name; NaN in a frame that has nothing to measure.
        summary: One number by name, the same names for every run of a method; NaN where nothing could be measured.
        seconds: Mean wall clock of a frame by stage, as `State.seconds`, and of all stages together as "frame".
    """

    per_frame: dict[str, Array]
    summary: dict[str, float]
    seconds: dict[str, float]


def measure(
    clip: pucker.Clip,
    params: Any,
    *,
    surface: bool = True,
    directions: npt.ArrayLike | None = None,
    spacing: float = 0.5,
) -> Measures:
    """Runs `clip` once with `params` and measures the run.

    Args:
        clip: Its frames must be at equal distances in time if the surface is measured.
        params: Of the run, which is of the method they belong to.
        surface: Whether to evaluate the detailed surface, for area and flicker, which takes most of the time; those
            measures are NaN otherwise.
        directions: (frames, m, 3) directions that paths should have, for `direction_error`; a_max of each frame's own
            stretch if left out. Only the dynamic method has paths.
        spacing: Distance of the points at which the surface is evaluated, in the detail's feature size (the dynamic
            method's `min_width`).

    Returns:
        The measures; docs/metrics.md lists them by name. Those of the surface are there for every method.

    Raises:
        ValueError: For a clip without frames or without area, directions of another shape or for a method without
            paths, a spacing that is not positive, and frames at unequal distances in time.
        TypeError: For a path in place of the clip.
    """
    check_clip(clip)
    if not spacing > 0.0:
        raise ValueError(f"spacing must be positive, not {spacing}")
    own = _measuring(clip, params, directions)
    samples: Samples | None = None
    # Single precision: a long clip has hundreds of megabytes of offsets.
    offsets = np.zeros((len(clip), 0), dtype=np.float32)
    seconds: dict[str, float] = defaultdict(float)
    states = pucker.run(clip, params)
    for index in range(len(clip)):
        begin = time.perf_counter()
        state = next(states)
        seconds["frame"] += time.perf_counter() - begin
        for stage, spent in state.seconds.items():
            seconds[stage] += spent
        if surface and samples is None:
            samples = _samples(clip, state.detail.feature_size, spacing)
            offsets = np.zeros((len(clip), len(samples.weights)), dtype=np.float32)
        wrinkled: float | None = None
        if samples is not None:
            points = samples.evaluate(state.detail)
            wrinkled = area(samples.faces, points.positions)
            offsets[index] = points.offsets
        if own is not None:
            own.take(state, wrinkled)

    per_frame, summary = ({}, {}) if own is None else own.results(clip.times)
    per_frame["flicker"] = (
        np.full(len(clip), np.nan) if samples is None else _flicker(offsets, samples.weights, clip.times)
    )
    summary |= _surface_summary(per_frame["flicker"], offsets, samples)
    return Measures(per_frame, summary, {stage: spent / len(clip) for stage, spent in seconds.items()})


def _measuring(clip: pucker.Clip, params: Any, directions: npt.ArrayLike | None) -> Any:
    method = method_of(params)
    return method.measuring(clip, method.resolved(clip, params), directions=directions)


def _samples(clip: pucker.Clip, feature_size: float, spacing: float) -> Samples:
    edge = pucker.mean_edge_length(clip.mesh, clip.positions[0])
    return Samples(clip.mesh, clip.positions[0], max(1, int(np.ceil(edge / (spacing * feature_size)))))


def _flicker(offsets: npt.NDArray[np.float32], weights: Array, times: Array) -> Array:
    """Flicker of each frame; NaN for a clip too short for a band-pass."""
    if len(offsets) < MIN_FRAMES:
        return np.full(len(offsets), np.nan)
    return flicker(offsets, weights, frame_rate(times, within=EVEN, what="flicker"))


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))


def _surface_summary(trembling: Array, offsets: npt.NDArray[np.float32], samples: Samples | None) -> dict[str, float]:
    flickering = _root_mean_square(trembling)
    height = float("nan")
    if samples is not None:
        height = float(np.sqrt(np.square(offsets).mean(axis=0, dtype=np.float64) @ samples.weights))
    return {
        "offset": height,
        "flicker": flickering,
        "flicker_share": flickering / height if height > 0.0 else float("nan"),
    }
