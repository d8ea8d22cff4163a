"""Truths in files."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import _byexample as byexample
from pucker.io.npz import arrays_of, write_arrays

from .long_waves import rounding_step
from .reproduced import Reproduced
from .source import arrays_of_clip, clip_of

if TYPE_CHECKING:
    from .truth import Truth

_HEADER: Final = "pucker truth 1"
# Of a smooth surface: a triangle of the coarse mesh becomes 65 536.
_MOST_LEVELS: Final = 8
# Characters of what a message quotes.
_SHOWN: Final = 60


def write(truth: "Truth", path: Path) -> None:
    """What `Truth.save` does."""
    of_clip = arrays_of_clip(truth.clip, truth.source, f"truth {truth.name!r}")
    step = rounding_step(truth.away)
    told = {
        "name": truth.name,
        "fabric": truth.fabric,
        "levels": truth.levels,
        "first": truth.first,
        "shortest": truth.shortest,
        "cutoffs": list(truth.cutoffs),
        "reproduced": [asdict(each) for each in truth.reproduced],
        "constants": truth.constants,
        "made": truth.made,
    }
    arrays: dict[str, Any] = {
        "header": _HEADER,
        "told": json.dumps(told),
        "step": step,
        "away": np.round(truth.away / step).astype(np.int16),
        **of_clip,
        "start": truth.start,
        "sewn": truth.sewn.astype(np.int32),
    }
    write_arrays(path, arrays, compressed=True)


def read(path: Path) -> dict[str, Any]:
    """The attributes of the truth that `Truth.load` gives."""
    folder = path.absolute().parent
    try:
        return _of_arrays(arrays_of(path), (folder, folder.parent))
    except Exception as error:  # of arrays of kinds and sizes that no one thought of
        raise pucker.Error(f"{path}: is no truth: {error}") from error


def _of_arrays(kept: dict[str, npt.NDArray[Any]], folders: Sequence[Path]) -> dict[str, Any]:
    """Of what `write` has written; raises ValueError for what does not fit."""
    if str(kept["header"]) != _HEADER:
        raise ValueError(f"its version is {str(kept['header'])[:_SHOWN]!r}, not {_HEADER!r}")
    told = json.loads(str(kept["told"]))
    levels, first = int(told["levels"]), int(told["first"])
    if not 0 <= levels <= _MOST_LEVELS:
        raise ValueError(f"levels must lie in [0, {_MOST_LEVELS}], not {levels}")
    clip, source = clip_of(kept, folders)
    start = np.asarray(kept["start"], dtype=np.float64)
    if start.shape != clip.positions.shape[1:] or not np.isfinite(start).all():
        raise ValueError(f"start must be {clip.positions.shape[1:]} finite numbers, got shape {start.shape}")
    sewn = kept["sewn"].astype(np.int64)
    if sewn.ndim != 1 or not ((sewn >= 0) & (sewn < len(start))).all():
        raise ValueError(f"sewn must be whole numbers in [0, {len(start)}), got shape {sewn.shape}")
    frames = len(kept["away"])
    if not (first >= 0 and frames > 0 and first + frames <= len(clip)):
        raise ValueError(f"frames {first} to {first + frames - 1} are not all among the clip's {len(clip)}")
    away = kept["away"] * float(kept["step"])
    count = byexample.LoopSubdivision(clip.mesh, levels).fine.vertex_count
    if away.shape != (frames, count, 3) or not np.isfinite(away).all():
        raise ValueError(f"away must be {(frames, count, 3)} finite numbers, got shape {away.shape}")
    cutoffs = tuple(float(each) for each in told["cutoffs"])
    return {
        "name": str(told["name"]),
        "fabric": str(told["fabric"]),
        "clip": clip,
        "start": start,
        "sewn": sewn,
        "levels": levels,
        "first": first,
        "away": away,
        "shortest": float(told["shortest"]),
        "cutoffs": cutoffs,
        "reproduced": _reproduced(told["reproduced"], len(cutoffs) + 1),
        "constants": {str(key): float(value) for key, value in told["constants"].items()},
        "made": str(told["made"]),
        "source": source,
    }


def _reproduced(told: Sequence[Any], bands: int) -> tuple[Reproduced, ...]:
    found = tuple(
        Reproduced(str(each["of"]), tuple(each["correlation"]), tuple(each["rms"]), float(each["lag"])) for each in told
    )
    for each in found:
        if not len(each.correlation) == len(each.rms) == bands:
            raise ValueError(f"{each.of[:_SHOWN]!r} must tell of {bands} bands, not {len(each.rms)}")
    return found
