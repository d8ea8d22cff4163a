"""All measures of a run that need no other mesh."""

import itertools
import time
from collections import defaultdict
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import pucker

from .paths import (
    History,
    alive,
    births,
    deaths,
    direction_error,
    length_ratios,
    survival,
    wrinkle_directions,
)
from .sections import arc_length_deficit
from .surface import MIN_FRAMES, Samples, area, area_deficit, compressed_area, flicker

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Measures:
    """What `measure` finds.

    Attributes:
        per_frame: (frames,) float64 by name; NaN in a frame that has nothing to measure.
        summary: One number by name, the same names for every run; NaN where nothing could be measured.
        seconds: Mean wall clock of a frame by stage, as `State.seconds`, and of all stages together as "frame".
    """

    per_frame: dict[str, Array]
    summary: dict[str, float]
    seconds: dict[str, float]


def measure(
    clip: pucker.Clip,
    params: pucker.Params,
    *,
    surface: bool = True,
    directions: npt.ArrayLike | None = None,
    spacing: float = 0.5,
) -> Measures:
    """Runs `clip` once with `params` and measures the run.

    Args:
        clip: Its frames must be at equal distances in time if the surface is measured.
        params: Of the run.
        surface: Whether to evaluate the wrinkled surface, for area and flicker, which takes most of the time; those
            measures are NaN otherwise.
        directions: (frames, m, 3) directions that paths should have, for `direction_error`; a_max of each frame's own
            stretch if left out.
        spacing: Distance of the points at which the surface is evaluated, in `params.min_width`.

    Returns:
        The measures; docs/metrics.md lists them by name.

    Raises:
        ValueError: For a clip without frames or without area, directions of another shape, a spacing that is not
            positive, and frames at unequal distances in time.
    """
    field = _checked_directions(clip, directions)
    samples = _samples(clip, params, spacing) if surface else None
    history: list[list[pucker.Wrinkle]] = []
    # Single precision: a long clip has hundreds of megabytes of offsets.
    offsets = np.zeros((len(clip), 0 if samples is None else len(samples.weights)), dtype=np.float32)
    rows: dict[str, list[float]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    wrinkler = pucker.Wrinkler(clip.mesh, params)
    for frame in clip:
        begin = time.perf_counter()
        state = wrinkler.advance(frame.positions, frame.time)
        seconds["frame"] += time.perf_counter() - begin
        for stage, spent in state.seconds.items():
            seconds[stage] += spent

        history.append(state.wrinkles)
        wanted = wrinkle_directions(state) if field is None else field[frame.index]
        rows["direction_error"].append(direction_error(state.wrinkles, wanted))
        rows["arc_length_deficit"].append(arc_length_deficit(state.wrinkles, params))
        coarse = float(state.frames.areas.sum())
        rows["area_deficit_coarse"].append(area_deficit(state.reference, coarse))
        rows["compressed_area"].append(compressed_area(state.compression, state.frames.areas, params.threshold))
        if samples is not None:
            points = samples.evaluate(frame.positions, state.packed)
            wrinkled = area(samples.faces, points.positions)
            offsets[frame.index] = points.offsets
            rows["area_deficit"].append(area_deficit(state.reference, wrinkled))
            rows["gained_area"].append(wrinkled - coarse)

    ratios = [np.empty(0), *(length_ratios(*pair) for pair in itertools.pairwise(history))]
    rows["length_ratio"] = [_geometric_mean(found) for found in ratios]
    per_frame = {name: np.array(values) for name, values in rows.items()}
    per_frame |= {"alive": alive(history), "births": births(history), "deaths": deaths(history)}
    summary = _path_summary(history, clip.times, per_frame, np.concatenate(ratios))
    if samples is None:
        per_frame |= {name: np.full(len(clip), np.nan) for name in ("area_deficit", "gained_area", "flicker")}
    else:
        per_frame["flicker"] = _flicker(offsets, samples.weights, clip.times)
    summary |= _surface_summary(per_frame, offsets, samples)
    return Measures(per_frame, summary, {stage: spent / len(clip) for stage, spent in seconds.items()})


def _checked_directions(clip: pucker.Clip, directions: npt.ArrayLike | None) -> Array | None:
    if directions is None:
        return None
    field = np.asarray(directions, dtype=np.float64)
    wanted = (len(clip), len(clip.faces), 3)
    if field.shape != wanted:
        raise ValueError(f"directions must have shape {wanted}, not {field.shape}")
    return field


def _samples(clip: pucker.Clip, params: pucker.Params, spacing: float) -> Samples:
    if not spacing > 0.0:
        raise ValueError(f"spacing must be positive, not {spacing}")
    edge = pucker.mean_edge_length(clip.mesh, clip.positions[0])
    level = max(1, int(np.ceil(edge / (spacing * params.min_width))))
    return Samples(clip.mesh, clip.positions[0], params.shape.profile, level)


def frame_rate(times: npt.ArrayLike) -> float:
    """Frames per second of frames at `times` (frames,), at least two.

    Raises ValueError unless they are at equal distances, to a thousandth of it.
    """
    steps = np.diff(np.asarray(times, dtype=np.float64))
    mean = float(steps.mean())
    if np.abs(steps - mean).max() > 1e-3 * mean:
        raise ValueError(
            f"flicker needs frames at equal distances in time, not {steps.min():g} to {steps.max():g} seconds apart"
        )
    return 1.0 / mean


def _flicker(offsets: npt.NDArray[np.float32], weights: Array, times: Array) -> Array:
    """Flicker of each frame; NaN for a clip too short for a band-pass."""
    if len(offsets) < MIN_FRAMES:
        return np.full(len(offsets), np.nan)
    return flicker(offsets, weights, frame_rate(times))


def _geometric_mean(ratios: Array) -> float:
    return float(np.exp(np.log(ratios).mean())) if len(ratios) else float("nan")


def _mean(values: Array) -> float:
    """The mean of the values that are not NaN; NaN if there is none."""
    found = values[~np.isnan(values)]
    return float(found.mean()) if len(found) else float("nan")


def _path_summary(history: History, times: Array, per_frame: dict[str, Array], ratios: Array) -> dict[str, float]:
    return {
        "alive": float(per_frame["alive"].mean()),
        "births": float(per_frame["births"].sum()),
        "deaths": float(per_frame["deaths"].sum()),
        "survival": survival(history, times).mean,
        "length_ratio": _geometric_mean(ratios),
        "length_ratio_least": float(ratios.min()) if len(ratios) else float("nan"),
        "length_ratio_most": float(ratios.max()) if len(ratios) else float("nan"),
        "direction_error": _mean(per_frame["direction_error"]),
        "arc_length_deficit": _mean(per_frame["arc_length_deficit"]),
        "area_deficit_coarse": _mean(per_frame["area_deficit_coarse"]),
    }


def _root_mean_square(values: Array) -> float:
    return float(np.sqrt(np.square(values).mean()))


def _surface_summary(
    per_frame: dict[str, Array], offsets: npt.NDArray[np.float32], samples: Samples | None
) -> dict[str, float]:
    trembling = _root_mean_square(per_frame["flicker"])
    lost = float(per_frame["compressed_area"].sum())
    height = float("nan")
    if samples is not None:
        height = float(np.sqrt(np.square(offsets).mean(axis=0, dtype=np.float64) @ samples.weights))
    return {
        "area_deficit": _mean(per_frame["area_deficit"]),
        "area_restored": float(per_frame["gained_area"].sum()) / lost if lost > 0.0 else float("nan"),
        "offset": height,
        "flicker": trembling,
        "flicker_share": trembling / height if height > 0.0 else float("nan"),
    }
