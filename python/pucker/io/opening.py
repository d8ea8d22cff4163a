"""Files of every format, opened in this process."""

from importlib.util import find_spec
from pathlib import Path
from typing import Final

from pucker._core import Error, sources
from pucker.io import blender, fbx_plain, formats, scene
from pucker.io.first_bytes import told_by_content, told_by_first_bytes
from pucker.io.limits import Limits

# Of errors, what says that another program may read the file: FBX of an old or rare make, and what assimp takes for wrong.
_READ_ELSEWHERE: Final = ("FBX-", "Validation failed: ")
# What is said of a folder or an archive that may hold a model of another format.
_WITHOUT_OBJ: Final = "holds no OBJ file"


def require_library(path: Path, motion: Path | None) -> None:
    """Raises pucker.Error if what reads the file is of an extra that is not installed."""
    if motion is not None:
        return
    suffix = path.suffix.lower()
    if suffix in formats.USD and find_spec("pxr") is None:
        raise Error(f"{path}: reading USD needs pxr: install the extra pucker[io]")
    if suffix == ".abc":
        blender.require(f"{path}: reading Alembic")


def opened(path: Path, motion: Path | None, *, anywhere: bool, limits: Limits) -> tuple[sources.Source, list[str]]:
    """The source of a file and of what moves it, and sentences that tell what is read otherwise than they say.

    For the arguments and errors see `pucker.io.open_source`.
    """
    require_library(path, motion)
    suffix = path.suffix.lower() if motion is None else ""
    if suffix in formats.USD:
        from pucker.io import usd  # noqa: PLC0415 - needs usd-core, of an extra

        return usd.open_source(path, anywhere=anywhere, limits=limits), []
    if suffix == ".abc":
        from pucker.io import alembic  # noqa: PLC0415 - as few need it as USD

        return alembic.open_source(path, limits=limits), []
    if suffix == ".npz":
        from pucker.io import npz  # noqa: PLC0415

        return npz.open_source(path, limits=limits), []
    try:
        return scene.open_file(path, motion, anywhere=anywhere, limits=limits)
    except Error as error:
        if _WITHOUT_OBJ in str(error) and (held := told_by_content(path)):
            raise Error(f"{error}; {held}") from error
        is_known = "unknown format" not in str(error)
        for file in (path, motion) if is_known and "; known are" not in str(error) else ():
            if file is not None and (told := told_by_first_bytes(file) or fbx_plain.told_by_its_end(file)):
                raise Error(f"{file}: {told}") from error
        if not is_known or any(each in str(error) for each in _READ_ELSEWHERE):
            raise Error(f"{error}; what opens it, such as Blender, can write it as .glb") from error
        raise
