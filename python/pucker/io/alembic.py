"""Alembic, which Blender reads, in a process of its own that serves one file.

A file is one clip, "all", from its first sample to its last; between two samples Blender's own interpolation holds.
"""

import json
import subprocess
import tempfile
import weakref
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pucker._core import Error, Material, sources
from pucker.io import blender
from pucker.io.limits import Limits
from pucker.io.polygons import split_at_seams

_Positions = npt.NDArray[np.float64]

_WHOLE_CLIP: Final = "all"


class _Server:
    """The process; it ends with this object."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._folder = tempfile.TemporaryDirectory()
        self.folder = Path(self._folder.name)
        (self.folder / "path.txt").write_text(str(path.resolve()), encoding="utf-8")
        with (self.folder / "log.txt").open("w") as log:
            self._process = subprocess.Popen(
                blender.command(Path(__file__).with_name("blender_read_abc.py"), self.folder),
                env=blender.environment(self.folder),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                errors="replace",
            )
        weakref.finalize(self, _end, self._process, self._folder)
        self._wait_for("meshes")

    def ask(self, time: float) -> npt.NDArray[np.float32]:
        """The numbers of all positions at a time in seconds from the start."""
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(f"{time!r}\n")
            self._process.stdin.flush()
        except OSError:
            self._failed()
        self._wait_for("positions")
        return np.fromfile(self.folder / "positions.f32", dtype=np.float32)

    def _wait_for(self, word: str) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            if line.strip() == word:
                return
        self._failed()

    def _failed(self) -> None:
        self._process.wait()
        said = blender.last_line((self.folder / "log.txt").read_text(errors="replace"))
        raise Error(f"{self._path}: cannot be read as Alembic: {said.removeprefix('ValueError: ')}")


def _end(process: "subprocess.Popen[str]", folder: "tempfile.TemporaryDirectory[str]") -> None:
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout):
        if stream is not None:
            stream.close()
    folder.cleanup()


def open_source(path: Path, *, limits: Limits | None = None) -> sources.Source:
    """A file with all its meshes.

    Raises:
        pucker.Error: If the file is missing or damaged, has no mesh, or Blender is not there; later if its vertices change.
    """
    limits = limits or Limits.from_environment()
    limits.check_size(path)
    server = _Server(path)
    facts: dict[str, Any] = json.loads((server.folder / "meshes.json").read_text(encoding="utf-8"))
    with np.load(server.folder / "meshes.npz") as archive:
        arrays = {name: archive[name] for name in archive.files}
    faces, uv, rows = arrays["faces"].astype(np.int64), None, np.arange(sum(facts["counts"]))
    if facts["has_uv"]:
        rows, faces, uv = split_at_seams(faces, arrays["uv"].astype(np.float64))

    def pose(time: float) -> _Positions:
        found = server.ask(time).reshape(-1, 3).astype(np.float64)[rows]
        return np.stack([found[:, 0], found[:, 2], -found[:, 1]], axis=1)

    character = sources.Character(
        len(rows),
        faces,
        uv=uv,
        face_pieces=arrays["pieces"],
        pieces=[(node, mesh) for node, mesh in facts["names"]],
        face_materials=arrays["materials"],
        materials=[Material(name=name, color=color) for name, color in facts["materials"]],
    )
    clips = [(_WHOLE_CLIP, facts["duration"], pose)] if facts["moves"] else []
    return sources.from_poses(path, "abc", character, pose(0.0), clips)
