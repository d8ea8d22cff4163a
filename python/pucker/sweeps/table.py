"""The rows of a sweep as a table, and what tells them apart."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from .store import Row

if TYPE_CHECKING:
    import xarray as xr


def frame_of(rows: Sequence[Row]) -> pd.DataFrame:
    """One line a row; what a row does not have is missing there."""
    return pd.DataFrame(rows)


def settings(frame: pd.DataFrame) -> list[str]:
    """The columns that say what was run: all before the error, but for the id."""
    names = list(map(str, frame.columns))
    return [name for name in names[: names.index("error")] if name != "id"]


def measures(frame: pd.DataFrame) -> list[str]:
    """The columns that say what was measured, without the times of the stages."""
    names = list(map(str, frame.columns))
    return [name for name in names[names.index("error") + 1 :] if not name.startswith("seconds.")]


def axes(frame: pd.DataFrame) -> list[str]:
    """The settings that vary and do not follow from others."""
    # Of the two widths of the dynamic method one follows from the other and the clip: that with more values.
    widths = [name for name in ("min_width", "relative_width") if name in frame]
    follows = max(widths, key=lambda name: frame[name].nunique(), default="")
    return [name for name in settings(frame) if frame[name].nunique() > 1 and name != follows]


def in_order(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows by what tells them apart."""
    return frame.sort_values([*axes(frame), "id"], ignore_index=True)


def dataset_of(frame: pd.DataFrame) -> "xr.Dataset":
    """See `Sweep.to_xarray`."""
    done = frame[frame["error"].isna()]
    if done.empty:
        raise ValueError("a dataset needs a row without an error")
    dimensions = axes(done) or ["clip"]
    shared = [name for name in settings(done) if done[name].nunique() == 1 and name not in dimensions]
    indexed = done.drop(columns=["id", "error", *shared]).set_index(dimensions)
    if not indexed.index.is_unique:
        first = indexed.index[indexed.index.duplicated()][0]
        raise ValueError(f"more than one row for {', '.join(dimensions)} = {first}")
    dataset: xr.Dataset = indexed.to_xarray()
    return dataset.assign_attrs(done[shared].iloc[0].to_dict())
