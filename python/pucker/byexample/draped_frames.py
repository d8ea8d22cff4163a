"""Draped frames of a clip on disk, so that an interrupted draping goes on where it was."""

import hashlib
import os
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

import pucker
from pucker._core import Clip
from pucker._core._drape import Params
from pucker.io.files import make_folder, plain_name
from pucker.io.npz import write_arrays


class Stretch(NamedTuple):
    """Consecutive frames, and the run after the last of them."""

    fine: npt.NDArray[np.float32]
    """(frames, N, 3)"""
    run: bytes
    """As `Drape.save` gives it."""


class DrapedFrames:
    """The stretches of one clip's draped frames in a folder; of another clip, cut, body or cloth there is nothing."""

    def __init__(
        self, folder: str | os.PathLike[str], clip: Clip, params: Params, others: Sequence[npt.NDArray[Any] | None]
    ) -> None:
        """The folder is made with the first stretch that is written. `others` is what the frames depend on besides."""
        content = hashlib.sha256(f"{pucker.__version__}\n{params.to_toml()}".encode())
        for array in (clip.faces, clip.positions, clip.times, *others):
            content.update(repr(None if array is None else array.shape).encode())
            content.update(b"" if array is None else np.ascontiguousarray(array).data)
        self._digest = content.hexdigest()
        self._folder = Path(folder)
        self._stem = f"{plain_name(clip.name)}-{self._digest[:12]}"

    def read(self) -> list[Stretch]:
        """The stretches from the first frame on, as far as they are there and whole."""
        found: list[Stretch] = []
        while (stretch := self._read(sum(len(each.fine) for each in found))) is not None:
            found.append(stretch)
        return found

    def write(self, first: int, fine: Sequence[npt.NDArray[np.float32]], run: bytes) -> None:
        """A stretch that begins with frame `first`. Raises an OSError if it cannot be written."""
        make_folder(self._folder)
        arrays = {"fine": np.array(fine), "run": np.frombuffer(run, np.uint8), "digest": self._digest}
        write_arrays(self._path(first), arrays)

    def remove(self) -> None:
        """Deletes the stretches, and the folder if nothing else is in it."""
        if not self._folder.is_dir():
            return
        for file in self._folder.glob(f"{self._stem}-*.npz"):
            file.unlink()
        if not any(self._folder.iterdir()):
            self._folder.rmdir()

    def _path(self, first: int) -> Path:
        return self._folder / f"{self._stem}-{first:06}.npz"

    def _read(self, first: int) -> Stretch | None:
        try:
            # NumPy's own opening of a damaged archive leaves the file open.
            with self._path(first).open("rb") as stream, np.load(stream, allow_pickle=False) as archive:
                if str(archive["digest"]) == self._digest and len(archive["fine"]):
                    return Stretch(np.asarray(archive["fine"], dtype=np.float32), archive["run"].tobytes())
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return None
        return None
