"""Pictures that a Collada or binary FBX file names, copied beside a copy of the file, where the core finds them."""

import html
import re
import shutil
import struct
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote

from pucker._core import Error
from pucker.io.limits import Limits

_COLLADA_NAME: Final = re.compile(rb"<(?:init_from|ref)(?:\s[^<>]*)?>([^<]*)<")
_FBX_NAME: Final = re.compile(rb"(?:RelativeFilename|Filename|FileName)S(.{4})", re.DOTALL)
# Characters of a path, which no system takes more of.
_MOST: Final = 1 << 15
# Of a path, how many parts before the end the core looks for beside a model.
_LONGEST: Final = 6


def copy_pictures(model: Path, content: bytes, folder: Path, *, anywhere: bool, limits: Limits) -> None:
    """Copies the pictures that a model names, and that the core would find for it, to where it finds them for a model in
    another folder.

    Args:
        model: The file, in whose folder and below they are looked for.
        content: What it holds.
        folder: That of the other model; what is there already stays.
        anywhere: See `pucker.load`.
        limits: Of each picture, and of all together.

    Raises:
        pucker.Error: If a picture is larger than the limits allow, or all are together.
    """
    taken = 0
    try:
        deeper = sorted(each for each in model.parent.iterdir() if each.is_dir())
    except OSError:
        deeper = []
    for name in sorted(set(_names(model, content))):
        found = next((file for file in _places(model, name, deeper) if _may_be_read(model, file, anywhere)), None)
        target = folder / _end(name)
        if found is None or target.exists():
            continue
        limits.check_size(found)
        taken += found.stat().st_size
        if taken > limits.memory:
            raise Error(f"{model}: names pictures of more than {taken} bytes; {limits.told}")
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found, target)
        except OSError:
            continue  # a model is worth loading without its pictures


def _names(model: Path, content: bytes) -> Iterator[PurePosixPath]:
    """What a file may name a picture by."""
    if model.suffix.lower() == ".dae":
        stored = [html.unescape(_text(found[1]).strip()) for found in _COLLADA_NAME.finditer(content)]
        stored += [unquote(each).removeprefix("file://") for each in stored]
    else:
        stored = []
        for found in _FBX_NAME.finditer(content):
            (length,) = struct.unpack("<I", found[1])
            if length <= _MOST:
                stored.append(_text(content[found.end() : found.end() + length]))
    for name in stored:
        path = PurePosixPath(name[:_MOST].replace("\\", "/"))
        if len(name) <= _MOST and "\0" not in name and path.name not in {"", ".."}:
            yield path


def _text(stored: bytes) -> str:
    try:
        return stored.decode()
    except UnicodeDecodeError:
        return stored.decode("latin-1")


def _end(name: PurePosixPath) -> Path:
    """Of a path, the end that leads to no other folder or drive."""
    parts = list(name.parts)
    leaving = [k for k, part in enumerate(parts) if part in {"..", "/", "//"} or part.endswith(":")]
    return Path(*(parts[leaving[-1] + 1 :][-_LONGEST:] if leaving else parts))


def _places(model: Path, name: PurePosixPath, deeper: list[Path]) -> Iterator[Path]:
    """Where the core looks for a picture, in its order."""
    folder, parts = model.parent, name.parts
    yield folder / name
    for count in range(min(_LONGEST, len(parts)), 0, -1):
        yield folder / Path(*parts[-count:])
    yield from (each / name.name for each in deeper)


def _may_be_read(model: Path, file: Path, anywhere: bool) -> bool:
    try:
        return file.is_file() and (anywhere or file.resolve().is_relative_to(model.parent.resolve()))
    except (OSError, ValueError, RuntimeError):
        return False  # such as a name that no file can have
