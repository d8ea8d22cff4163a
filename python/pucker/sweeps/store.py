"""The folder of a sweep: one Parquet file a point, whole or not there at all."""

import io
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from pucker._core import Error
from pucker.io.files import make_folder, replacing

from .grid import Point

Row = dict[str, float | int | str | bool | bytes | None]

# What Python's int and None do not say.
_TYPES = {"seed": pa.uint64(), "error": pa.string()}


class Store:
    """A folder that several sweeps may share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def make(self) -> None:
        """Makes the folder if it does not exist; raises OSError if nothing can be written there."""
        make_folder(self.folder)
        with tempfile.TemporaryFile(dir=self.folder):
            pass

    def __contains__(self, point: str) -> bool:
        return self._path(point).exists()

    def missing(self, points: Iterable[Point], *, retry: bool) -> list[Point]:
        """Those of the points that are to be run; with `retry` also those that failed."""
        return [each for each in points if each.id not in self or (retry and self.read(each.id)["error"] is not None)]

    def write(self, row: Mapping[str, float | int | str | bool | bytes | None]) -> None:
        """Writes the row of a point under its final name once it is complete; raises OSError if it cannot be."""
        arrays = {name: pa.array([value], _TYPES.get(name)) for name, value in row.items()}
        content = io.BytesIO()
        # Of a single row neither statistics nor a dictionary tell more than the row.
        parquet.write_table(pa.table(arrays), content, use_dictionary=False, write_statistics=False)
        with replacing(self._path(str(row["id"]))) as part:
            part.write_bytes(content.getbuffer())

    def read(self, point: str) -> Row:
        """The row of a finished point; raises pucker.Error naming the file if it is damaged."""
        return _read(self._path(point))

    def rows(self) -> Iterator[Row]:
        """The rows of all finished points, by name of their files; raises as `read` does."""
        # What begins with a dot was being written when its process was killed.
        for path in sorted(self.folder.glob("[!.]*.parquet")):
            yield _read(path)

    def _path(self, point: str) -> Path:
        return self.folder / f"{point}.parquet"


def _read(path: Path) -> Row:
    try:
        rows: list[Row] = parquet.ParquetFile(path).read().to_pylist()
    except pa.ArrowException as error:
        reason = "is damaged: delete it, and the next sweep makes its point anew"
        raise Error(f"{path} {reason}") from error
    if len(rows) != 1 or "id" not in rows[0]:
        raise Error(f"{path} is not a point of a sweep")
    return rows[0]
