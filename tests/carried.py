"""What the tests of paths carried between frames share."""

from dataclasses import dataclass

import numpy as np
from motion import Shape, sheet, squeeze, waves

import pucker

WIDTH = 0.01
DT = 1 / 30


def params(*, verbatim: bool = False, tracing: dict | None = None, **persistence: object) -> pucker.Params:
    fixed = pucker.Params.printed() if verbatim else pucker.Params.ridges()
    return fixed.replace(min_width=WIDTH, tracing=tracing or {}, persistence=persistence)


@dataclass(frozen=True)
class Step:
    """Two frames `dt` seconds apart, both compared with the rest shape."""

    body: Shape
    before: np.ndarray
    after: np.ndarray
    dt: float = DT
    interval: float = DT

    @property
    def stretch(self) -> pucker.Stretch:
        return pucker.rescale_rate(self.body.stretch(self.before, self.after), self.interval / self.dt)

    @property
    def edge_length(self) -> float:
        return pucker.mean_edge_length(self.body.mesh, self.body.rest)

    @property
    def field(self) -> pucker.CompressionField:
        return self.body.field(self.after)

    @property
    def motion(self) -> pucker.Motion:
        return pucker.Motion(self.field, self.before, self.stretch, self.dt, self.edge_length)


def grown(body: Shape, positions: np.ndarray, given: pucker.Params) -> list[pucker.Wrinkle]:
    """Wrinkles traced in `positions`, as high as they aim to be."""
    field = body.field(positions)
    wrinkles, _ = pucker.Tracer(body.mesh, given).grow(field, [], pucker.SegmentIndex(body.mesh), 0, 0)
    shaper = pucker.Shaper(given)
    return [shaper.step(wrinkle, field, 100.0) for wrinkle in wrinkles]


def moving_sheet(rng: np.random.Generator, dt: float = DT) -> Step:
    body = sheet(rng)
    motion = waves(rng, body.rest, 0.12)
    return Step(body, *(motion(time) @ squeeze(0.4, 1.3) for time in (0.0, dt)), dt)
