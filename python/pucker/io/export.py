"""The wrinkle paths of a clip, for other programs: lines of glTF, curves of USD, tables."""

import importlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pucker
from pucker.io.files import check_folder
from pucker.io.write.columns import PathColumns, gather

if TYPE_CHECKING:
    import pandas as pd

# Each needs packages of its own, imported when it is used.
_WRITERS: Final = {
    ".glb": "paths_gltf",
    ".gltf": "paths_gltf",
    ".usd": "paths_usd",
    ".usda": "paths_usd",
    ".usdc": "paths_usd",
    ".csv": "paths_table",
    ".parquet": "paths_table",
}
FORMATS: Final = tuple(_WRITERS)


@dataclass(frozen=True)
class PathReport:
    """What was written."""

    path: Path
    frames: int
    wrinkles: int  # distinct ones
    points: int  # over all frames


def _module(suffix: str) -> Any:
    try:
        return importlib.import_module(f"pucker.io.write.{_WRITERS[suffix]}")
    except ModuleNotFoundError as error:
        raise pucker.Error(f"exporting {suffix} needs {error.name}: install the extra pucker[io]") from error


def _columns(
    clip: "pucker.Clip", params: "pucker.Params | None", states: "Iterable[pucker.State] | None", progress: bool
) -> PathColumns:
    if states is None:
        states = pucker.run(clip, params, quiet=not progress)
    return gather(clip, states)


def table(
    clip: "pucker.Clip",
    *,
    params: "pucker.Params | None" = None,
    states: "Iterable[pucker.State] | None" = None,
    progress: bool = False,
) -> "pd.DataFrame":
    """One row for each point of each wrinkle in each frame.

    The columns: `frame`, `time` in seconds; the wrinkle's `id`, whether it is `alive`, its `age` in seconds; `point`, its
    number along the path from 0; `x`, `y`, `z`; `t`, `vertex_0`, `vertex_1`, the place t·v0 + (1 - t)·v1 on the edge it
    lies on; `apex`, `depth`, for an end inside a triangle the third vertex and its share, else -1 and 0; `triangle`, that
    of the segment to the next point, -1 for the last; `width` and `height` of the wrinkle there. Vertices and triangles
    are those of `clip.mesh`.

    Args:
        clip: The clip.
        params: Parameters of the wrinkles.
        states: A state a frame; without them the wrinkles are computed with `params`.
        progress: Shows a progress bar on the standard error stream.

    Raises:
        ValueError: If there are more or fewer states than frames.
        pucker.Error: If pandas is not installed.
    """
    made: pd.DataFrame = _module(".csv").frame(_columns(clip, params, states, progress))
    return made


def paths(
    clip: "pucker.Clip",
    path: str | os.PathLike[str],
    *,
    params: "pucker.Params | None" = None,
    states: "Iterable[pucker.State] | None" = None,
    progress: bool = False,
) -> PathReport:
    """Writes the wrinkle paths of all frames.

    Args:
        clip: The clip.
        path: A file whose ending says the format: .glb or .gltf, a line strip for each wrinkle of each frame; .usd,
            .usda or .usdc, one prim of curves sampled in time; .csv or .parquet, the rows of `table`.
        params: Parameters of the wrinkles.
        states: A state a frame; without them the wrinkles are computed with `params`.
        progress: Shows a progress bar on the standard error stream.

    Returns:
        What was written. The file appears under its name only when it is complete.

    Raises:
        ValueError: For an unknown ending, or if there are more or fewer states than frames.
        OSError: If the file cannot be written.
        pucker.Error: If a package for the format is not installed.
    """
    out = Path(path)
    suffix = out.suffix.lower()
    if suffix not in _WRITERS:
        raise ValueError(f"the name of {out} must end in one of {', '.join(FORMATS)}")
    check_folder(out.parent)
    writer = _module(suffix)
    columns = _columns(clip, params, states, progress)
    writer.write(out, columns, clip.times)
    return PathReport(out, len(clip), columns.wrinkle_count, len(columns))
