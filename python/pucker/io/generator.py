"""The program that wrote a file, as files of `pucker.bake` name it: by that they are known when they are opened again."""

from pathlib import Path
from typing import Any, Final

from pucker._core import __version__
from pucker.io import formats
from pucker.io.gltf_file import read_tree
from pucker.io.limits import Limits
from pucker.io.npz import arrays_of

NAME: Final = f"pucker {__version__}"
# Of arrays in an .npz, and of what a USD layer says of itself.
KEY: Final = "generator"
_OWN: Final = "pucker "
_TRIANGLES: Final = 4
# Characters of an OBJ file's first line that are read.
_LONGEST: Final = 100


def baked(path: Path, limits: Limits) -> bool:
    """Whether `pucker.bake` wrote the triangles of a file that can be opened; of Alembic files, which Blender writes, False."""
    suffix = path.suffix.lower()
    if path.is_dir():
        return _of_obj(path).startswith(f"# {_OWN}")
    if suffix in formats.GLTF:
        return _of_gltf(path, limits)
    if suffix in formats.USD:
        return _of_usd(path).startswith(_OWN)
    if suffix == ".npz":
        return str(arrays_of(path, limits, (KEY,)).get(KEY, "")).startswith(_OWN)
    return False


def _of_obj(folder: Path) -> str:
    """The first line of a folder's first OBJ file."""
    files = sorted(folder.glob("*.obj"))
    if not files:
        return ""
    with files[0].open(encoding="utf-8", errors="replace") as file:
        return file.readline(_LONGEST)


def _of_gltf(path: Path, limits: Limits) -> bool:
    # Paths are exported as glTF too, as lines.
    found = read_tree(path, limits)
    if found is None:
        return False
    try:
        return str(found[0]["asset"]["generator"]).startswith(_OWN) and any(
            primitive.get("mode", _TRIANGLES) == _TRIANGLES
            for mesh in found[0].get("meshes", [])
            for primitive in mesh["primitives"]
        )
    except (KeyError, TypeError, AttributeError):
        return False


def _of_usd(path: Path) -> str:
    from pxr import Sdf  # noqa: PLC0415 - of an extra

    layer = Sdf.Layer.FindOrOpen(str(path))
    said: dict[str, Any] = {} if layer is None else layer.customLayerData
    return str(said.get(KEY, ""))
