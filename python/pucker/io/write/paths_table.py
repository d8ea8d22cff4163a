"""Paths as a table, Parquet or CSV."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa  # noqa: F401 - what pandas writes Parquet with; if it is missing, that is reported before anything is computed

from pucker.io.files import write_table
from pucker.io.write.columns import PathColumns


def frame(columns: PathColumns) -> pd.DataFrame:
    """The columns, one row a point."""
    return pd.DataFrame(columns.columns)


def write(path: Path, columns: PathColumns, times: npt.NDArray[np.float64]) -> None:  # noqa: ARG001
    """Writes a .parquet or a .csv."""
    write_table(path, frame(columns))
