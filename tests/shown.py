"""Surfaces as compute programs leave them, for tests."""

import numpy as np


class Shown:
    """A surface that shows one state after the other."""

    def __init__(self, renderer, mesh):
        self.renderer, self.surface = renderer, renderer.surface(mesh.faces, mesh.vertex_count)

    def take(self, state):
        """Gives the surface a state, which no program has worked on yet."""
        self.surface.set_positions(state.positions)
        self.surface.set_detail(state.detail)

    def show(self, state):
        """Positions (N, 3) and normals (N, 3) of a state as the programs make them."""
        self.take(state)
        positions = self.renderer.read(self.surface, "Positions").reshape(-1, 3).astype(np.float64)
        return positions + self.surface.origin, self.renderer.read(self.surface, "Normals").reshape(-1, 3)
