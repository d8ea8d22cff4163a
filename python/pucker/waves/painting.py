"""Wrinkles painted on a garment in its rest pose (Loviscach 2006, section 7), and their files."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy.typing as npt

from pucker._core import Mesh
from pucker._core._waves import PaintingBase
from pucker.io.npz import write_arrays


class Painting(PaintingBase):
    """A vector p a vertex, across its wrinkle in the rest pose's tangent plane and shorter than 1, zero at first.

    `Crush.paint` says what waves make of it: those of cloth that was shortened along p before.

    Args:
        mesh: The Mesh.
        rest: (n, 3), the pose without wrinkles.

    Raises:
        ValueError: For a rest pose of another shape, or that is not finite.
    """

    @contextmanager
    def together(self) -> Iterator[None]:
        """What is painted inside is undone together, as a drag of the mouse is."""
        self.begin()
        try:
            yield
        finally:
            self.end()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the painting with the mesh it belongs to as an .npz, atomically.

        Raises ValueError for another ending, and OSError if it cannot be written.
        """
        if Path(path).suffix != ".npz":
            raise ValueError(f"a painting is an .npz, not {Path(path).name}")
        write_arrays(path, self.arrays)

    @classmethod
    def load(cls, path: str | os.PathLike[str], mesh: Mesh, rest: npt.ArrayLike) -> "Painting":
        """The painting of a file that `save` or the native viewer has written for this mesh and rest pose.

        Raises:
            OSError: For a file that cannot be opened.
            pucker.Error: For a file that is no painting.
            ValueError: For a painting of another mesh or rest pose, saying what differs.
        """
        with Path(path).open("rb"):
            pass
        return cls(mesh, rest, os.fspath(path))
