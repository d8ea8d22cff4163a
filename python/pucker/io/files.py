"""Files that appear under their names only when they are complete."""

import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


class WriteError(OSError):
    """What was to be written could not be; the message names it and the cause. The earlier file, if any, is as it was."""

    def __str__(self) -> str:
        return f"{self.filename} cannot be written: {self.strerror}"


def plain_name(name: str) -> str:
    """A name without what file systems do not take: letters, digits, `-`, `_` and `.` stay, all else becomes `_`."""
    return "".join(each if each.isalnum() or each in "-_." else "_" for each in name) or "clip"


def plain_names(names: Sequence[str]) -> list[str]:
    """Plain names, numbered where they would be those of one file, also where upper and lower case are one."""
    found: list[str] = []
    taken: set[str] = set()
    for name in names:
        plain = free = plain_name(name)
        number = 1
        while free.casefold() in taken:
            number += 1
            free = f"{plain}-{number}"
        taken.add(free.casefold())
        found.append(free)
    return found


def check_folder(folder: Path) -> None:
    """Raises an OSError for a folder in which nothing can be written."""
    if not os.access(folder, os.F_OK):
        raise FileNotFoundError(f"folder {folder} does not exist")
    if not folder.is_dir():
        raise NotADirectoryError(f"{folder} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(f"folder {folder} is not writable")


def check_output_folder(output: Path) -> None:
    """Raises an OSError for a folder, that there is or is to be made, in which nothing can be written."""
    check_folder(output if output.exists() else output.parent)


def check_output_file(output: Path) -> None:
    """Raises an OSError for a file that cannot be written, as its name is that of a folder or its folder takes nothing."""
    check_folder(output.parent)
    if output.is_dir():
        raise IsADirectoryError(f"{output} is a folder, not a file to write")


def check_output_path(output: Path) -> None:
    """Raises an OSError for what cannot be written: a file if the name has an ending, else a folder."""
    (check_output_file if output.suffix else check_output_folder)(output)


def make_folder(folder: Path) -> None:
    """Makes a folder, with those it lies in, where there is none; raises an OSError if nothing can be written in it."""
    check_makeable(folder)
    folder.mkdir(parents=True, exist_ok=True)


def check_makeable(folder: Path) -> None:
    """Raises an OSError for a folder that `make_folder` could not make or nothing could be written in."""
    there = folder
    while not os.access(there, os.F_OK) and there != there.parent:
        there = there.parent
    check_folder(there)


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A temporary path beside `path`, which takes its place and its mode at the end; after an exception nothing is left.

    Raises:
        WriteError: For any OSError raised inside, unless it names another file.
    """
    final = Path(path)
    check_folder(final.parent)
    temporary = _beside(final)
    with _naming_errors(final, temporary):
        try:
            yield temporary
            _store(temporary)
            if final.is_file():
                shutil.copymode(final, temporary)
            temporary.replace(final)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def replacing_in(folder: str | os.PathLike[str], name: str = "") -> Iterator[Path]:
    """A temporary folder whose files go to `folder` at the end, all or none; after an exception nothing is left.

    `folder` is made if it does not exist. Its files of other names stay. `name` is that of the file which errors are about
    that name none; without it they are about the folder.

    Raises:
        WriteError: For any OSError raised inside, unless it names another file.
    """
    final = Path(folder)
    check_folder(final if final.exists() else final.parent)
    # Within the folder if there is one: what lies beside it may be another disk.
    temporary = _beside(final / "pucker" if final.exists() else final)
    with _naming_errors(final, temporary, name):
        try:
            temporary.mkdir()
            yield temporary
            for file in temporary.rglob("*"):
                _store(file)
            if final.exists():
                _move_into(temporary, final)
            else:
                temporary.rename(final)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.stem}-{secrets.token_hex(4)}{path.suffix}")


@contextmanager
def _naming_errors(final: Path, temporary: Path, name: str = "") -> Iterator[None]:
    """Turns an OSError about a temporary path, or about none, into one about the path it stands for."""
    try:
        yield
    except OSError as error:
        named = Path(str(error.filename)) if error.filename is not None else temporary / name
        if not named.is_relative_to(temporary):
            raise
        cause = os.strerror(error.errno) if error.errno else error.strerror or " ".join(str(error).split())
        raise WriteError(error.errno or 0, cause, str(final / named.relative_to(temporary))) from error


def _store(path: Path) -> None:
    """fsync: some file systems report ENOSPC only now."""
    number = os.open(path, os.O_RDONLY)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def _move_into(source: Path, target: Path) -> None:
    """Moves everything in a folder into another on the same disk; if that fails, what is there is as it was."""
    earlier = source.with_name(f"{source.name}.earlier")
    moved: list[tuple[Path, Path]] = []

    def move(path: Path, place: Path) -> None:
        place.parent.mkdir(parents=True, exist_ok=True)
        moved.append((path, place))
        path.replace(place)

    try:
        for path in sorted(path for path in source.rglob("*") if path.is_file()):
            place = target / path.relative_to(source)
            if place.is_file():
                shutil.copymode(place, path)
                move(place, earlier / path.relative_to(source))
            move(path, place)
    except BaseException:
        for path, place in reversed(moved):
            if not path.exists():
                place.replace(path)
        raise
    finally:
        shutil.rmtree(earlier, ignore_errors=True)


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Writes text as UTF-8."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_table(path: Path, frame: "pd.DataFrame") -> None:
    """Writes a .parquet, or else a CSV whose numbers have all their digits."""
    with replacing(path) as temporary:
        if path.suffix.lower() == ".parquet":
            frame.to_parquet(temporary, index=False)
        else:
            frame.to_csv(temporary, index=False)
