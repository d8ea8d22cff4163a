"""Baking a clip into one file, or a folder."""

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

import pucker
from pucker.bake.mesh import COMMON_EDGE_SHARE, FRAME_EDGE_SHARE, MAX_LEVEL, BakedClip, own_mesh, wanted_levels
from pucker.io import blender
from pucker.io.files import check_output_path
from pucker.method import Detail, detail_of, method_of
from pucker.shading import Normals, check_normals

# Endings, the modules that write them, and the packages these need.
_WRITERS: Final = {
    ".glb": ("gltf", "pygltflib"),
    ".gltf": ("gltf", "pygltflib"),
    ".usdc": ("usd", "pxr"),
    ".usda": ("usd", "pxr"),
    ".usd": ("usd", "pxr"),
    ".usdz": ("usd", "pxr"),
    ".abc": ("alembic", "bpy"),
    ".npz": ("npz", "numpy"),
    "": ("obj", "numpy"),
}
FORMATS: Final = tuple(_WRITERS)
# What can hold frames of different connectivity.
_FREE: Final = ("gltf", "obj")

# Whether a progress bar is shown; or what is called with the steps done and those of all. What it raises ends the work.
Progress: TypeAlias = bool | Callable[[int, int], None]


@dataclass(frozen=True)
class Written:
    """The files of a bake; reports of each kind of bake say more."""

    files: tuple[Path, ...]

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(path.stat().st_size for path in self.files)


@dataclass(frozen=True)
class SurfaceReport(Written):
    """What was baked.

    Attributes:
        vertices, triangles: Of the garment, of the largest frame where they differ.
        limited_edges: Edges that wanted more pieces than `MAX_LEVEL` and are therefore longer than asked.
    """

    frames: int
    vertices: int
    triangles: int
    limited_edges: int


class Details:
    """The detail of each frame of a clip, run through as often as it is asked for: a run's states hold much memory."""

    def __init__(self, clip: "pucker.Clip", states: Iterable[Any] | None, params: Any) -> None:
        """`states`: a state or packed wrinkles a frame; without them the clip is run with `params`.

        Raises ValueError for another number of them than of frames, and for packed wrinkles that break a rule.
        """
        self._clip, self._params = clip, params
        self._details: list[Detail] | None = None
        if states is not None:
            given = list(states)
            if len(given) != len(clip):
                raise ValueError(f"there must be one state a frame: {len(clip)}, not {len(given)}")
            # Whatever breaks a rule is refused before anything is written.
            self._details = [self._detail_of(index, item) for index, item in enumerate(given)]

    def _detail_of(self, index: int, item: Any) -> Detail:
        params = method_of(self._params).resolved(self._clip, self._params)
        return detail_of(item, self._clip.mesh, self._clip.positions[index], params)

    def __len__(self) -> int:
        return len(self._clip)

    def __iter__(self) -> Iterator[Detail]:
        if self._details is not None:
            return iter(self._details)
        return (state.detail for state in pucker.run(self._clip, self._params))


def progressing(count: int, name: str, *, shown: Progress, before: int = 0, after: int = 0) -> Iterable[int]:
    """The numbers of frames, with a progress bar on the standard error stream, or passed to a function.

    `before` and `after` say how many steps of the whole are no part of these.
    """
    if callable(shown):
        for index in range(count):
            shown(before + index, before + count + after)
            yield index
        return
    if not shown:
        yield from range(count)
        return
    from tqdm import tqdm  # noqa: PLC0415 - only a run that shows its progress needs it

    yield from tqdm(range(count), desc=name, unit="frame", leave=False)


def writer_of(path: Path) -> Any:
    """The module that writes a surface under a name.

    Raises:
        ValueError: For an unknown ending.
        OSError: For a folder in which nothing can be written, or in place of a file.
        pucker.Error: If a package for the format is missing.
    """
    if path.suffix.lower() not in _WRITERS:
        raise ValueError(f"the name of {path} must end in one of {', '.join(FORMATS[:-1])}, or in none for OBJ files")
    check_output_path(path)
    name, package = _WRITERS[path.suffix.lower()]
    try:
        return importlib.import_module(f"pucker.bake.write.{name}")
    except ModuleNotFoundError as error:
        missing = error.name or package
        how = blender.INSTALL if missing == "bpy" else "install the extra pucker[io]"
        join = ", " if missing == "bpy" else ": "
        raise pucker.Error(f"baking {path.suffix} needs {missing}{join}{how}") from error


def divided(
    clip: "pucker.Clip", details: Details, levels: int | None, edge_share: float | None, *, fixed: bool
) -> "tuple[list[npt.NDArray[np.int32]] | pucker.Subdivision, int]":
    """How finely each frame is divided, as `surface` says, and how many edges are longer than asked."""
    own = own_mesh(next(iter(details))) if levels is None and edge_share is None else None
    if own is not None:
        return own, 0
    if levels is not None:
        return [np.full(len(clip.mesh.edges), levels, np.int32)] * len(clip), 0
    default_share = COMMON_EDGE_SHARE if fixed else FRAME_EDGE_SHARE
    wanted = wanted_levels(clip, details, default_share if edge_share is None else edge_share)
    limited = int((np.max(wanted, axis=0) > MAX_LEVEL).sum())
    return [np.minimum(of_frame, MAX_LEVEL) for of_frame in wanted], limited


def surface(
    clip: "pucker.Clip",
    path: str | os.PathLike[str],
    *,
    params: Any = None,
    states: Iterable[Any] | None = None,
    levels: int | None = None,
    edge_share: float | None = None,
    per_frame: bool | None = None,
    body: bool = True,
    interpolation: Literal["linear", "step"] = "linear",
    normals: Normals = "file",
    progress: Progress = False,
) -> SurfaceReport:
    """Writes the wrinkled surface of all frames as triangles.

    Args:
        clip: The clip.
        path: A file whose ending says the format: .glb, .gltf, .usdc, .usda, .usd, .usdz, .abc or .npz; or, without an ending,
            the folder of an OBJ sequence.
        params: Parameters of a method; those of the dynamic one without.
        states: A state or packed wrinkles a frame; without them the clip is run with `params`.
        levels: Number of pieces of every edge. Without it the wrinkles decide: pieces are no longer than
            `edge_share` of the smallest feature of the detail there (the width of the narrowest wrinkle, none counted as
            narrower than `params.min_width`); 64 pieces at most. A detail that is a mesh of its own, as by example, is
            that mesh.
        edge_share: See `levels`; by default 1/2 for one mesh, 3/8 where each frame has triangles of its own. If given, a
            detail that is a mesh of its own is sampled anew.
        per_frame: Whether each frame has triangles of its own, as its wrinkles need them; otherwise there is one mesh
            fine enough for all frames, whose vertices move. By default only an OBJ sequence has; glTF may.
        body: Whether the rest of the character is there too, as it is.
        interpolation: What a player of a glTF shows between two frames: a blend, or the earlier one.
        normals: "file": those of the file where it has some, with its hard edges, and the wrinkles turned with them;
            "smooth": the means over the triangles round a vertex. Of garment and body together where they are sewn to
            each other.
        progress: Whether a progress bar is shown on the standard error stream; or a function that is called with the steps done and
            those of all, and may end the work by raising.

    Returns:
        What was written. Files appear under their names only when all are complete.

    Raises:
        ValueError: For an unknown ending, a format that cannot do what is asked, a number out of its range, or packed
            wrinkles that break a rule.
        OSError: If something cannot be written; everything is then as it was.
        pucker.Error: If a package for the format is missing.
    """
    out = Path(path)
    writer = writer_of(out)
    if interpolation not in ("linear", "step"):
        raise ValueError(f"interpolation must be 'linear' or 'step', not {interpolation!r}")
    check_normals(normals)
    kind = _WRITERS[out.suffix.lower()][0]
    if per_frame and kind not in _FREE:
        raise ValueError(f"{out.suffix} files hold one mesh for all frames; only glTF and OBJ can have one a frame")
    if levels is not None and levels < 1:
        raise ValueError(f"the number of pieces of an edge must be at least 1, not {levels}")
    chosen = pucker.Params() if params is None else params
    details = Details(clip, states, chosen)
    fixed = not (kind == "obj" if per_frame is None else per_frame)
    divisions, limited = divided(clip, details, levels, edge_share, fixed=fixed)
    baked = BakedClip(clip, details, divisions, fixed=fixed, body=body, normals=normals)
    frames = progressing(len(baked), out.name, shown=progress)
    files = writer.write(out, baked, frames, interpolation) if kind == "gltf" else writer.write(out, baked, frames)
    return SurfaceReport(
        files=tuple(files),
        frames=len(baked),
        vertices=baked.most_vertices,
        triangles=baked.most_triangles,
        limited_edges=limited,
    )
