"""Texture coordinates for cloth whose own cannot hold maps."""

from typing import Any

import numpy as np
import numpy.typing as npt

import pucker

_Floats = npt.NDArray[np.float64]


def needed_library() -> Any:
    """The library that unwraps. Raises pucker.Error if it is missing."""
    try:
        import xatlas  # noqa: PLC0415 - of an extra
    except ModuleNotFoundError as error:
        raise pucker.Error("unwrapping needs xatlas: install the extra pucker[io]") from error
    return xatlas


def unwrapped(clip: "pucker.Clip", size: int, padding: int) -> "pucker.Clip":
    """The clip with texture coordinates of its own for each material, which lay no two triangles over one texel.

    It is unwrapped in its rest pose, or else the first frame, for maps of `size` texels a side with charts `padding` texels
    apart. The same clip gives the same coordinates. Triangles without area get coordinates without area.
    """
    library = needed_library()
    rest = clip.positions[0] if clip.rest is None else clip.rest
    corners = np.zeros((len(clip.faces), 3, 2))
    for number in np.unique(clip.materials):
        chosen = np.flatnonzero(clip.materials == number)
        corners[chosen] = _charts(library, np.asarray(rest), clip.faces[chosen], size, padding)
    return clip.with_texture(corners)


def _charts(library: Any, positions: _Floats, faces: npt.NDArray[np.integer], size: int, padding: int) -> _Floats:
    """Coordinates (m, 3, 2) in [0, 1] of the corners of triangles (m, 3)."""
    used, local = np.unique(faces, return_inverse=True)
    atlas = library.Atlas()
    # A chart is as large in its atlas as in space; the unit of the file must not count.
    points = positions[used] - positions[used].mean(axis=0)
    points /= np.abs(points).max() or 1.0
    atlas.add_mesh(points.astype(np.float32), local.reshape(-1, 3).astype(np.uint32))
    charts, packing = library.ChartOptions(), library.PackOptions()
    # Without mirrored charts every decoder makes the same tangent frames.
    charts.fix_winding = True
    packing.resolution, packing.padding = size, padding
    atlas.generate(charts, packing)
    if atlas.atlas_count != 1:
        raise pucker.Error(f"xatlas laid {len(faces)} triangles out in {atlas.atlas_count} atlases of {size} texels")
    _, indices, uv = atlas.get_mesh(0)
    found: _Floats = np.asarray(uv, dtype=np.float64)[np.asarray(indices, dtype=np.int64).reshape(-1, 3)]
    return found
