"""Files that appear under their name only when they are complete."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def check_folder(folder: Path) -> None:
    """Raises an OSError for a folder in which nothing can be written."""
    if not folder.is_dir():
        raise FileNotFoundError(f"folder {folder} does not exist")
    if not os.access(folder, os.W_OK):
        raise PermissionError(f"folder {folder} is not writable")


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place at the end; after an exception nothing is left.

    An OSError raised inside that tells of no file, as that of a full disk, is given the name of this one.
    """
    final = Path(path)
    check_folder(final.parent)
    temporary = final.with_name(f".{final.stem}-{secrets.token_hex(4)}{final.suffix}")
    try:
        yield temporary
        temporary.replace(final)
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(final)
        raise
    finally:
        temporary.unlink(missing_ok=True)


def write_table(path: Path, frame: "pd.DataFrame") -> None:
    """Writes a .parquet, or else a CSV whose numbers have all their digits."""
    with replacing(path) as temporary:
        if path.suffix.lower() == ".parquet":
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False)
