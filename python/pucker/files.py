"""Files that appear under their name only when they are complete."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place at the end; after an exception nothing is left."""
    final = Path(path)
    if not final.parent.is_dir():
        raise FileNotFoundError(f"folder {final.parent} does not exist")
    temporary = final.with_name(f".{final.stem}-{secrets.token_hex(4)}{final.suffix}")
    try:
        yield temporary
        temporary.replace(final)
    finally:
        temporary.unlink(missing_ok=True)
