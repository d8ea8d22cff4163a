"""What the tests of seeds and of traced paths share."""

import numpy as np
from motion import Shape, sheet, squeeze, waves

import pucker

WIDTH = 0.01


def params(**tracing: object) -> pucker.Params:
    """Scattered seeds, one at a time, unless told otherwise; paths where cloth is shorter by a sixth."""
    fixed = {"seeding": "scattered", "coherence": 0.0, **tracing}
    return pucker.Params.ridges().replace(threshold=1.2, min_width=WIDTH, tracing=fixed)


def barycentric_point(faces: np.ndarray, positions: np.ndarray, seed: pucker.Seed) -> np.ndarray:
    return np.asarray(seed.barycentrics) @ positions[faces[seed.triangle]]


def moving_sheet(rng: np.random.Generator) -> tuple[Shape, np.ndarray]:
    body = sheet(rng)
    return body, waves(rng, body.rest, 0.15)(0.0) @ squeeze(0.4, 1.3)


def seeds_in_every_triangle(body: Shape, rng: np.random.Generator) -> list[pucker.Seed]:
    return [pucker.Seed(t, rng.dirichlet([2, 2, 2])) for t in range(body.mesh.triangle_count)]
