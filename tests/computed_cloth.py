"""Draped cloth as compute programs leave it, for tests."""

import numpy as np
from shown import Shown

# Of the block Cloth: bytes of Solver and of ClothVertex, and where in the latter numbers of 32 bits stand.
SOLVER_SIZE = 240
CLOTH_VERTEX_SIZE = 288
ROOM, INSIDE = 19, 23


class ShownCloth(Shown):
    """A surface that shows one state of draped cloth after the other."""

    def solver(self):
        """The solver's numbers of 32 bits."""
        return self.renderer.read(self.surface, "Cloth", np.uint32)[: SOLVER_SIZE // 4]

    def numbers(self, which, count):
        """A number (N,) of each vertex, in the unit of the programs."""
        cloth = self.renderer.read(self.surface, "Cloth")[SOLVER_SIZE // 4 :]
        return cloth.reshape(-1, CLOTH_VERTEX_SIZE // 4)[:count, which].astype(np.float64)


def apart(found, state):
    """Largest distance of positions from those of a state, as a share of the garment's extent."""
    return np.linalg.norm(found - state.draped, axis=1).max() / state.lengths.extent
