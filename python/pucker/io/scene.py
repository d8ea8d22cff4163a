"""Files that the core reads, of which those that it does not know how to read are written anew first."""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pucker._core import Clip, Error, FileInfo, sources
from pucker.io import dae_plain, fbx_plain, gltf_plain
from pucker.io.beside import copy_pictures
from pucker.io.limits import Limits


@dataclass
class Copies:
    """Files that were written anew for the core: the copy of each, and sentences that tell what of them changed."""

    files: dict[Path, Path] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


class UnpackedSource:
    """A source of which a file was unpacked first; loads, inspects and selects as `pucker._core.sources.Source` does.

    Attributes:
        notes: Sentences that tell what was read otherwise than the file says.

    Args:
        copies: What the core reads in place of the files.
        files: What is opened, and what moves it.
        anywhere: See `pucker.load`.
        limits: Those of reading.

    Raises:
        pucker.Error: If a copy cannot be read; it names the file that was given, as later errors do.
    """

    def __init__(self, copies: Copies, files: tuple[Path, Path | None], *, anywhere: bool, limits: Limits) -> None:
        self.notes = tuple(copies.notes)
        self._copies = copies.files
        path, motion = (None if file is None else copies.files.get(file, file) for file in files)
        assert path is not None
        with self._named():
            self._source = sources.open_file(
                path, motion, anywhere=anywhere, memory=limits.memory, frames=limits.frames
            )

    def load(self, **options: Any) -> Clip:
        """One clip of the file; the options are those of `pucker._core.sources.Source.load`."""
        with self._named():
            return self._source.load(**options)

    def inspect(self) -> FileInfo:
        """What the file holds; see `pucker.inspect`."""
        with self._named():
            return self._source.inspect()

    def select(self, parts: Sequence[str]) -> npt.NDArray[np.bool_]:
        """Which triangles `parts` means, (m,), in the order of `Clip.faces` of the whole character."""
        with self._named():
            return np.asarray(self._source.select(parts), np.bool_)

    def part_numbers(self, kind: str) -> npt.NDArray[np.int32]:
        """Which part of a kind, 'materials', 'nodes', 'meshes' or 'joints', each triangle is of, (m,), -1 for none."""
        with self._named():
            return np.asarray(self._source.part_numbers(kind), np.int32)

    @contextmanager
    def _named(self) -> Iterator[None]:
        """Has errors name the files that were given in place of their copies."""
        try:
            yield
        except (Error, ValueError) as error:
            told = str(error)
            for file, copied in self._copies.items():
                told = told.replace(str(copied), str(file))
            raise type(error)(told) from None


@contextmanager
def unpacked(files: Sequence[Path], *, anywhere: bool, limits: Limits, rare_pictures: bool = True) -> Iterator[Copies]:
    """Copies, while the block runs, of those files that the core does not know how to read; see `gltf_plain.plain`,
    `fbx_plain.plain` and `dae_plain.plain`.

    Pictures that they name are copied with them.

    Raises:
        pucker.Error: If one of them is damaged, or names pictures that are larger than the limits allow.
    """
    how: dict[str, Any] = {"anywhere": anywhere, "limits": limits, "rare_pictures": rare_pictures}
    contents: dict[Path, tuple[bytes, list[str]]] = {}
    for file in files:
        content = gltf_plain.plain(file, **how) or dae_plain.plain(file, limits)
        found = fbx_plain.plain(file, limits) if content is None else (content, [])
        if found is not None:
            contents[file] = found
    if not contents:
        yield Copies()
        return
    with tempfile.TemporaryDirectory(prefix="pucker-") as folder:
        copies = Copies()
        for number, (file, (content, told)) in enumerate(contents.items()):
            copies.files[file] = Path(folder) / str(number) / file.name
            copies.files[file].parent.mkdir()
            copies.files[file].write_bytes(content)
            if file.suffix.lower() not in gltf_plain.SUFFIXES:  # which hold theirs
                copy_pictures(file, content, copies.files[file].parent, anywhere=anywhere, limits=limits)
            copies.notes += [f"{file}: {sentence}" for sentence in told]
        yield copies


def open_file(path: Path, motion: Path | None, *, anywhere: bool, limits: Limits) -> sources.Source | UnpackedSource:
    """A file of a format that the core reads; see `pucker.load`. Raises pucker.Error."""
    with unpacked([path] if motion is None else [path, motion], anywhere=anywhere, limits=limits) as copies:
        if copies.files:
            return UnpackedSource(copies, (path, motion), anywhere=anywhere, limits=limits)
        return sources.open_file(path, motion, anywhere=anywhere, memory=limits.memory, frames=limits.frames)


def notes_of(source: Any) -> tuple[str, ...]:
    """Sentences that tell what of an open file was read otherwise than it says."""
    notes: tuple[str, ...] = getattr(source, "notes", ())
    return notes
