"""Measures of a run of the dynamic method: of its paths, and of what they restore of the cloth."""

import itertools
from collections import defaultdict

import numpy as np
import numpy.typing as npt

import pucker
from pucker.metrics.paths import (
    History,
    alive,
    births,
    deaths,
    direction_error,
    length_ratios,
    survival,
    wrinkle_directions,
)
from pucker.metrics.sections import arc_length_deficit
from pucker.metrics.surface import area_deficit, compressed_area

Array = npt.NDArray[np.float64]


class PathMeasures:
    """Takes the states of a run; see `pucker.method.Measuring`.

    Args:
        clip: The clip.
        params: Of the run, with `min_width`.
        directions: (frames, m, 3) that paths should have, for `direction_error`; a_max of each frame's own stretch if
            left out.

    Raises:
        ValueError: For directions of another shape.
    """

    def __init__(self, clip: pucker.Clip, params: pucker.Params, *, directions: npt.ArrayLike | None = None) -> None:
        self._params = params
        self._field = _checked_directions(clip, directions)
        self._history: list[list[pucker.Wrinkle]] = []
        self._rows: dict[str, list[float]] = defaultdict(list)

    def take(self, state: pucker.State, area: float | None) -> None:
        """A frame, whose wrinkled surface has this area; None if that is not measured."""
        rows, params = self._rows, self._params
        wrinkles = state.wrinkles
        wanted = wrinkle_directions(state) if self._field is None else self._field[len(self._history)]
        self._history.append(wrinkles)
        rows["direction_error"].append(direction_error(wrinkles, wanted))
        rows["arc_length_deficit"].append(arc_length_deficit(wrinkles, params))
        coarse = float(state.frames.areas.sum())
        rows["area_deficit_coarse"].append(area_deficit(state.reference, coarse))
        rows["compressed_area"].append(compressed_area(state.compression, state.frames.areas, params.threshold))
        rows["area_deficit"].append(np.nan if area is None else area_deficit(state.reference, area))
        rows["gained_area"].append(np.nan if area is None else area - coarse)

    def results(self, times: Array) -> tuple[dict[str, Array], dict[str, float]]:
        """Numbers of each frame and of the run, both by name."""
        history = self._history
        ratios = [np.empty(0), *(length_ratios(*pair) for pair in itertools.pairwise(history))]
        self._rows["length_ratio"] = [_geometric_mean(found) for found in ratios]
        per_frame = {name: np.array(values) for name, values in self._rows.items()}
        per_frame |= {"alive": alive(history), "births": births(history), "deaths": deaths(history)}
        lost = float(per_frame["compressed_area"].sum())
        summary = _path_summary(history, times, per_frame, np.concatenate(ratios)) | {
            "area_deficit": _mean(per_frame["area_deficit"]),
            "area_restored": float(per_frame["gained_area"].sum()) / lost if lost > 0.0 else float("nan"),
        }
        return per_frame, summary


def _checked_directions(clip: pucker.Clip, directions: npt.ArrayLike | None) -> Array | None:
    if directions is None:
        return None
    field = np.asarray(directions, dtype=np.float64)
    wanted = (len(clip), len(clip.faces), 3)
    if field.shape != wanted:
        raise ValueError(f"directions must have shape {wanted}, not {field.shape}")
    return field


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
