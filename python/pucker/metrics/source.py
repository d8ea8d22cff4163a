"""Which character a clip is of, so that a scene or a truth has what a user's own call of `pucker.load` gives."""

import json
from collections.abc import Mapping, Sequence
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


def arrays_of_clip(clip: pucker.Clip, source: Source | None, what: str) -> dict[str, Any]:
    """The arrays of a recording from which `clip_of` makes the clip again.

    Raises ValueError, naming `what` is recorded, for a clip that has a body and no source, since the body would be lost.
    """
    if source is None and len(clip.body_faces):
        raise ValueError(f"{what} has a character's body, so that its source must be given")
    arrays: dict[str, Any] = {"coarse_faces": clip.faces, "coarse": clip.positions, "times": clip.times}
    if source is not None:
        arrays["source"] = source.to_json()
    elif clip.rest is not None:
        arrays["rest"] = clip.rest
    return arrays


def clip_of(kept: Mapping[str, npt.NDArray[Any]], folders: Sequence[Path]) -> tuple[pucker.Clip, Source | None]:
    """The clip of a recording, of a character in one of the folders if it has a source. Raises as `Source.beginning` and `from_json`."""
    faces, positions = kept["coarse_faces"], kept["coarse"]
    if "source" in kept:
        source = Source.from_json(str(kept["source"]))
        return source.beginning(folders, faces, positions), source
    return pucker.Clip.from_arrays(faces, positions, kept["times"], weld=False, rest=kept.get("rest")), None
