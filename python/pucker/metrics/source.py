"""Which character a clip is of, so that a scene or a truth has what a user's own call of `pucker.load` gives."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

import pucker


@dataclass(frozen=True)
class Source:
    """What `pucker.load` takes for a clip.

    Attributes:
        file: Name of the character's file, without folders.
        clip: Name of the clip.
        parts: What is its garment.
    """

    file: str
    clip: str | None
    parts: tuple[str, ...]

    def __post_init__(self) -> None:
        """Raises ValueError for a file with folders: a recording names nothing elsewhere."""
        if not self.file or Path(self.file).name != self.file:
            raise ValueError(f"a recording's character must be a file name without folders, not {self.file!r}")

    def load(self, folders: Sequence[Path]) -> pucker.Clip:
        """The whole clip, from the first of the folders that has the file. Raises pucker.Error where none has."""
        for folder in folders:
            if (folder / self.file).is_file():
                return pucker.load(folder / self.file, clip=self.clip, parts=list(self.parts))
        raise pucker.Error(f"its character {self.file} is in none of {', '.join(map(str, folders))}")

    def beginning(
        self, folders: Sequence[Path], faces: npt.NDArray[Any], positions: npt.NDArray[np.float64]
    ) -> pucker.Clip:
        """As many frames as `positions` (frames, n, 3) of the clip, which must be those with triangles `faces` (m, 3).

        Raises pucker.Error for a file that is missing or cannot be loaded, or whose clip is another one.
        """
        whole = self.load(folders)
        same = len(whole) >= len(positions) and np.array_equal(whole.faces, faces)
        if not same or not np.array_equal(whole.positions[: len(positions)], positions):
            raise pucker.Error(
                f"its character {self.file} has other triangles or moves otherwise than in the recording"
            )
        return whole.beginning(len(positions))

    def to_json(self) -> str:
        """As `from_json` reads it."""
        return json.dumps({"file": self.file, "clip": self.clip, "parts": list(self.parts)})

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` has written. Raises ValueError for anything else."""
        tree = json.loads(text)
        clip, parts = tree["clip"], tree["parts"]
        if not (clip is None or isinstance(clip, str)) or not all(isinstance(part, str) for part in parts):
            raise ValueError("a recording's character must have a clip and parts that are names")
        return cls(str(tree["file"]), clip, tuple(parts))
