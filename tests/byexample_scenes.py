"""Recordings to learn from, and what they are compared by."""

import numpy as np
from motion import tube
from scipy import sparse

from pucker import byexample


def recorded_tube():
    """A tube that is pushed and pulled all over, and ripples over it that grow with two of the pushes.

    Its mesh, rest pose, coarse and fine frames.
    """
    rng = np.random.default_rng(4)
    body = tube(columns=8, rows=6)
    waves, phases = 3 * rng.normal(size=(3, 3)), rng.uniform(0, 6, 3)
    time = np.linspace(0, 2 * np.pi, 21)
    pushes = np.stack([1 - np.cos(time), np.sin(time), np.sin(2 * time)], axis=1)
    shapes = [
        np.sin(body.rest @ wave + phase)[:, None] * rng.normal(size=3)
        for wave, phase in zip(waves, phases, strict=True)
    ]
    coarse = body.rest + 0.06 * np.einsum("fm,mni->fni", pushes, shapes)
    smooth = byexample.SmoothSurface(body.mesh, 2, body.rest)
    along, round_ = 40 * smooth.positions[:, 2], 7 * np.arctan2(smooth.positions[:, 1], smooth.positions[:, 0])
    fine = []
    for guide, push in zip(coarse, pushes, strict=True):
        smooth.step(guide)
        ripple = np.stack([0.01 * push[1] * np.cos(round_), 0 * along, 0.02 * push[0] * np.sin(along)], axis=1)
        fine.append(smooth.add(ripple))
    return body.mesh, body.rest, coarse, np.array(fine)


def matrix_of(rows: byexample.SparseRows) -> sparse.csr_matrix:
    return sparse.csr_matrix((rows.data, rows.indices, rows.indptr), shape=rows.shape)
