"""Draped cloth as compute programs leave it, for tests."""

import numpy as np

# Of the block Cloth: bytes of Solver and of ClothVertex, and where in the latter numbers of 32 bits stand.
SOLVER_SIZE = 240
CLOTH_VERTEX_SIZE = 288
ROOM, INSIDE = 19, 23


class Shown:
    """A surface that shows one state after the other."""

    def __init__(self, renderer, mesh):
        self.renderer, self.surface = renderer, renderer.surface(mesh.faces, mesh.vertex_count)

    def show(self, state):
        """Positions (N, 3) and normals (N, 3) of a state as the programs make them."""
        self.surface.set_positions(state.positions)
        self.surface.set_detail(state.detail)
        positions = self.renderer.read(self.surface, "Positions").reshape(-1, 3).astype(np.float64)
        return positions + self.surface.origin, self.renderer.read(self.surface, "Normals").reshape(-1, 3)

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
