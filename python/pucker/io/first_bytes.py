"""What is wrong with a file that no reader takes, as far as its size and its first bytes tell, or what it holds."""

import struct
import zipfile
from itertools import islice
from pathlib import Path
from typing import Final

from pucker.io import formats

_POINTER: Final = b"version https://git-lfs."
_PAGES: Final = (b"<!doctype html", b"<html")
_BINARY_GLTF: Final = b"glTF"
# What programs that take bytes for text write in place of those that are none. No length of a file or chunk has it.
_LOST: Final = "\N{REPLACEMENT CHARACTER}".encode()
# How binary files begin that a console's > has written, as text of two bytes a letter.
_REDIRECTED: Final = tuple(
    f"\N{ZERO WIDTH NO-BREAK SPACE}{magic}".encode(code)
    for magic in ("glTF", "Kaydara FBX Binary")
    for code in ("utf-16-le", "utf-16-be")
)
# Enough for the line of a pointer and for the header of a binary glTF.
_FIRST: Final = 64
# Magic, version and length (glTF 2.0, 4.4.2).
_HEADER: Final = struct.Struct("<4sII")
# What else a folder or an archive without OBJ files may hold.
_MODELS: Final = (*formats.CHARACTERS, ".npz")
# Files that are looked for it, at most.
_MOST_FILES: Final = 10_000


def told_by_content(path: Path) -> str | None:
    """Half a sentence that names a model that a folder or an archive holds, and how to have it read; None without one."""
    try:
        if path.is_dir():
            names = sorted(each.relative_to(path).as_posix() for each in islice(path.rglob("*"), _MOST_FILES))
        else:
            with zipfile.ZipFile(path) as archive:
                names = sorted(archive.namelist()[:_MOST_FILES])
    except (OSError, ValueError, zipfile.BadZipFile, NotImplementedError):
        return None
    found = next((name for name in names if Path(name).suffix.lower() in _MODELS), None)
    if found is None:
        return None
    return f"it holds {found}, which can be read {'itself' if path.is_dir() else 'once the archive is unpacked'}"


def told_by_first_bytes(path: Path) -> str | None:
    """Half a sentence that says what a file is in place of what its name says; None where its first bytes look right."""
    try:
        if not path.is_file():
            return None
        size = path.stat().st_size
        with path.open("rb") as file:
            first = file.read(_FIRST)
    except OSError:
        return None
    suffix, binary = path.suffix.lower(), first.startswith(_BINARY_GLTF)
    told: str | None = None
    if size == 0:
        told = "is empty"
    elif first.startswith(_POINTER):
        told = "is a pointer of Git LFS, not the file it stands for, which git lfs pull brings"
    elif first.lstrip().lower().startswith(_PAGES):
        told = "is a web page, as a download that failed leaves it"
    elif (binary and _LOST in first) or first.startswith(_REDIRECTED):
        told = "was saved as text, which has lost the bytes that are no letters; it must be fetched again as it is"
    elif suffix in formats.GLB and first.lstrip().startswith(b"{"):
        told = "is glTF in text, whose name must end in .gltf"
    elif suffix in formats.GLTF and binary and len(first) >= _HEADER.size:
        length = _HEADER.unpack_from(first)[2]
        told = f"is truncated: it has {size} bytes, where its header says {length}" if size < length else None
    return told
