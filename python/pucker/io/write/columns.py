"""The wrinkle paths of a clip as columns: one row a point."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pucker

Column = npt.NDArray[Any]

# In the order of the table.
_TYPES = {
    "frame": np.int32,
    "time": np.float64,
    "id": np.int64,
    "alive": np.bool_,
    "age": np.float64,
    "point": np.int32,
    "x": np.float64,
    "y": np.float64,
    "z": np.float64,
    "t": np.float64,
    "vertex_0": np.int32,
    "vertex_1": np.int32,
    "apex": np.int32,
    "depth": np.float64,
    "triangle": np.int32,
    "width": np.float64,
    "height": np.float64,
}


@dataclass(frozen=True)
class PathColumns:
    """Columns by name, (rows,) each, sorted by frame and then by wrinkle as the states list them."""

    columns: dict[str, Column]

    def __len__(self) -> int:
        return len(self.columns["frame"])

    def __getitem__(self, name: str) -> Column:
        return self.columns[name]

    @property
    def wrinkle_count(self) -> int:
        """Distinct wrinkles."""
        return len(np.unique(self["id"]))

    @property
    def positions(self) -> npt.NDArray[np.float64]:
        """(rows, 3)."""
        return np.stack([self["x"], self["y"], self["z"]], axis=1)

    def rows_of(self, frame: int) -> slice:
        """The rows of a frame."""
        first, last = np.searchsorted(self["frame"], [frame, frame + 1])
        return slice(int(first), int(last))

    def paths_in(self, rows: slice) -> npt.NDArray[np.int64]:
        """Numbers of points (k,) of the paths in the rows of a frame."""
        starts = np.flatnonzero(self["point"][rows] == 0)
        return np.diff(np.append(starts, rows.stop - rows.start))


def _rows(frame: int, time: float, wrinkle: "pucker.Wrinkle") -> dict[str, Column]:
    count = len(wrinkle.points)
    x, y, z = wrinkle.points.T
    vertex_0, vertex_1 = wrinkle.vertices.T
    return {
        "frame": np.full(count, frame),
        "time": np.full(count, time),
        "id": np.full(count, wrinkle.id),
        "alive": np.full(count, wrinkle.alive),
        "age": np.full(count, wrinkle.age),
        "point": np.arange(count),
        "x": x,
        "y": y,
        "z": z,
        "t": wrinkle.t,
        "vertex_0": vertex_0,
        "vertex_1": vertex_1,
        "apex": wrinkle.apex,
        "depth": wrinkle.depth,
        "triangle": np.append(wrinkle.triangles, -1),
        "width": wrinkle.widths,
        "height": wrinkle.heights,
    }


def _parts(clip: "pucker.Clip", states: "Iterable[pucker.State]") -> Iterator[dict[str, Column]]:
    count = 0
    for count, state in enumerate(states, start=1):
        if count > len(clip):
            break
        for wrinkle in state.wrinkles:
            yield _rows(count - 1, float(clip.times[count - 1]), wrinkle)
    if count != len(clip):
        raise ValueError(f"there must be one state a frame: {len(clip)}, got {'more' if count > len(clip) else count}")


def gather(clip: "pucker.Clip", states: "Iterable[pucker.State]") -> PathColumns:
    """The columns of all paths of all frames.

    Raises:
        ValueError: If there are more or fewer states than frames.
    """
    parts = list(_parts(clip, states))
    return PathColumns(
        {
            name: np.concatenate([np.empty(0, kind), *(part[name] for part in parts)]).astype(kind)
            for name, kind in _TYPES.items()
        }
    )
