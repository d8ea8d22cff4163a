"""Keys of clips that are held or joined by splines, as keys that straight lines join to the same (glTF 2.0, appendix C)."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker.io.limits import Limits

_Singles = npt.NDArray[np.float32]

STEP: Final = "STEP"
SPLINE: Final = "CUBICSPLINE"
# Seconds between the keys that a spline is cut at, at most.
_CUT: Final = 1.0 / 120.0
# Of one part of a spline, at most.
_MOST_CUTS: Final = 1000


def joins_otherwise(sampler: dict[str, Any], accessors: list[dict[str, Any]]) -> bool:
    """Whether straight lines between the keys of a sampler are not what it means."""
    how = sampler.get("interpolation", "LINEAR")
    return bool(how == SPLINE or (how == STEP and accessors[sampler["input"]]["count"] > 1))


def straightened(
    times: _Singles, values: _Singles, how: str, *, turn: bool, limits: Limits
) -> tuple[_Singles, _Singles]:
    """Keys that straight lines join to what the sampler means: exactly where it holds them, else to a spline cut at least
    120 times a second.

    Args:
        times: (k,) seconds.
        values: (k, w), of a spline (3 k, w): in-tangent, value and out-tangent of each key.
        how: The sampler's interpolation.
        turn: Whether the values are quaternions.
        limits: Of the memory that all keys take.

    Returns:
        times (n,) and values (n, w).

    Raises:
        ValueError: If times and values do not fit each other, times are not finite, or the keys take more than the limits
            allow.
    """
    if len(times) < 1 or len(values) != len(times) * (3 if how == SPLINE else 1):
        raise ValueError(f"a sampler has {len(times)} times for {len(values)} values")
    if not np.all(np.isfinite(times)):
        raise ValueError("a sampler has times that are not finite")
    cuts = np.clip(np.ceil(np.diff(times.astype(np.float64)) / _CUT), 1, _MOST_CUTS).astype(np.int64)
    count = 1 + (2 * len(cuts) if how == STEP else int(cuts.sum()))
    width = 1 + values.shape[1]
    if count * width * 8 > limits.memory:
        raise ValueError(f"a sampler has {count} keys of {width} numbers; {limits.told}")
    if how == STEP:
        before = np.nextafter(times[1:], np.float32(-np.inf))
        held = np.stack([values[:-1], values[1:]], axis=1).reshape(-1, values.shape[1])
        kept = np.concatenate([values[:1], held]) if len(times) > 1 else values
        return np.concatenate([times[:1], np.stack([before, times[1:]], axis=1).ravel()]), kept
    into, at, out = (values.reshape(len(times), 3, -1)[:, k].astype(np.float64) for k in range(3))
    shown_times, shown = [times[:1].astype(np.float64)], [at[:1]]
    for k in range(len(times) - 1):
        span = float(times[k + 1]) - float(times[k])
        s = np.arange(1, cuts[k] + 1)[:, None] / cuts[k]
        shown.append(
            (2 * s**3 - 3 * s**2 + 1) * at[k]
            + span * (s**3 - 2 * s**2 + s) * out[k]
            + (3 * s**2 - 2 * s**3) * at[k + 1]
            + span * (s**3 - s**2) * into[k + 1]
        )
        shown_times.append(float(times[k]) + span * s[:, 0])
    found = np.concatenate(shown)
    if turn:
        found /= np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-30)
    return np.concatenate(shown_times).astype(np.float32), found.astype(np.float32)
