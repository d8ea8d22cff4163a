"""Which nodes of a character are rigid pieces: guns, packs, a helmet that are of the same material as its clothes."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pucker.cli.deformation import RIGID
from pucker.names import is_cloth

if TYPE_CHECKING:
    import pucker
    from pucker._core.sources import Source
    from pucker.io import IsolatedSource


class RigidPieces:
    """The nodes of a character nearly all of whose triangles keep their shape, but for those that are named like cloth.

    Args:
        source: The file.
        found: What it holds.
        clip: A clip of all of it.
        stays: (m,) which of its triangles keep their shape.

    Attributes:
        triangles: (m,) whether each is of such a node.
    """

    def __init__(
        self,
        source: "Source | IsolatedSource",
        found: "pucker.FileInfo",
        clip: "pucker.Clip",
        stays: npt.NDArray[np.bool_],
    ) -> None:
        self._names = list(found.nodes)
        self._numbers = np.delete(source.part_numbers("nodes"), clip.other_sides)
        known = self._numbers >= 0
        all_of, stiff = (
            np.bincount(self._numbers[known & chosen], minlength=len(self._names))
            for chosen in (np.ones_like(stays), stays)
        )
        cloth = np.array([is_cloth(name) for name in self._names], bool)
        rigid = (all_of > 0) & (stiff >= RIGID * all_of) & ~cloth
        # What another part is called too, or --parts reads otherwise, cannot be left out by its name.
        others = {*found.materials, *found.meshes} - {*found.nodes}
        rigid &= np.array([name not in others and not _is_read_otherwise(name) for name in self._names], bool)
        self.triangles = np.append(rigid, False)[self._numbers]

    def left_out(self, inside: npt.NDArray[np.bool_]) -> list[str]:
        """Those that some triangles are of, as --parts leaves them out."""
        numbers = np.unique(self._numbers[inside & self.triangles])
        return [f"-{self._names[number]}" for number in numbers.tolist()]


def _is_read_otherwise(name: str) -> bool:
    return (
        not name or "," in name or name.endswith(("*", "/")) or name.startswith(("-", "joint:")) or name != name.strip()
    )
