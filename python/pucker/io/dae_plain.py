"""Collada files with blanks around numbers, as Better Collada writes them, where assimp 5.2 does not skip them."""

import re
from pathlib import Path
from typing import Final

from pucker.io.limits import Limits

# Of a colour assimp refuses them; of the lists of a skin it crashes in a file that has them there too.
_BLANK_COLOUR: Final = re.compile(rb"<color(?:\s[^<>]*)?>\s")
_BEFORE: Final = re.compile(rb">\s+(?=[-+.0-9])")
_BEHIND: Final = re.compile(rb"(?<=[.0-9])\s+<")


def plain(path: Path, limits: Limits) -> bytes | None:
    """A Collada file without blanks around the numbers of all its elements, if a colour begins with one, which is what the
    exporter's files are known by; None for any other file, and for one that is larger than the limits allow.
    """
    try:
        if path.suffix.lower() != ".dae" or path.stat().st_size > limits.memory:
            return None
        content = path.read_bytes()
    except OSError:
        return None  # its reader tells what is wrong
    if _BLANK_COLOUR.search(content) is None:
        return None
    return _BEHIND.sub(b"<", _BEFORE.sub(b">", content))
