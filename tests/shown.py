"""Surfaces as compute programs leave them, for tests."""

from itertools import islice

import numpy as np

import pucker
from pucker.render import ClipRenderer


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


def assert_pictures_of_the_core(clip, params, frame, outlines):
    """Pictures by compute programs are those of the core but for a share of pixels, at most `outlines`, and the same when drawn again."""
    pictures = {}
    for compute in ("cpu", "gpu"):
        chosen = params.replace(compute=compute)
        with ClipRenderer(clip, (300, 300), samples=0) as film:
            state = list(islice(pucker.run(clip, chosen), frame + 1))[-1]
            pictures[compute] = film.frame(frame, state).astype(int)
            # Parts of the detail are divided by the core either way.
            pictures[compute, "normals"] = film.frame(frame, state, mode="normals").astype(int)
            again = film.frame(frame, state).astype(int)
            bare = film.frame(frame).astype(int)
        np.testing.assert_array_equal(again, pictures[compute])
    assert (np.abs(pictures["cpu"] - bare).max(axis=2) > 8).sum() > 1000
    assert (np.abs(pictures["gpu"] - pictures["cpu"]).max(axis=2) > 2).mean() < outlines
    np.testing.assert_array_equal(pictures["gpu", "normals"], pictures["cpu", "normals"])
