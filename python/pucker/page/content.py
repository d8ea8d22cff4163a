"""The geometry of a page: coarse garment, fine garment and body, frame by frame."""

from collections.abc import Collection
from typing import Any, Final

import numpy as np

import pucker
from pucker.shading import turned, vertex_normals
from pucker.vectors import up_where_zero

from .numbers import COARSE_STEPS, Archive, Floats, Wholes, octahedral
from .surface import WEIGHT_STEPS, FineFrames, Layout

# A coordinate is a whole number of such shares of the largest side that the character has in any frame. Where it is only
# shown, a step is a tenth of a pixel of a person who fills a screen of 2160 lines; strains, which a page computes wrinkles
# from, need finer ones.
SHOWN_STEPS: Final = 16384
COMPUTED_STEPS: Final = 65536


class _Body:
    """The rest of the character, whose vertices that are one point are stored once."""

    def __init__(self, clip: "pucker.Clip") -> None:
        self.first = np.unique(clip.body_weld, return_index=True)[1]
        self.faces = clip.body_weld[clip.body_faces]
        self._mesh = pucker.Mesh(self.faces, len(self.first))
        self._clip = clip

    def positions(self, index: int) -> Floats:
        """Its points (nb, 3)."""
        found: Floats = self._clip.body_positions[index][self.first]
        return found

    def normals(self, index: int, given: Floats | None) -> Floats:
        """Its unit normals (nb, 3); those of points without area point up."""
        normals = pucker.vertex_normals(self._mesh, self.positions(index)) if given is None else given[self.first]
        return up_where_zero(normals)


class Coarse:
    """Collects garment and body of all frames.

    Args:
        clip: The clip.
        body: Whether the body is there too.
        exact: Of what positions are stored as they are, "positions" and "body_positions": what is computed of them may turn on
            their last bits.
        steps: A coordinate is a whole number of such shares of the largest side that the character has in any frame.

    Attributes:
        quantum: The step of coordinates.
        origin: (3,), what they are relative to.
        body_faces: (mb, 3), vertices of the body; None where there is none.
        body_vertices: (nb,), the stored vertex that each is.
    """

    def __init__(
        self, clip: "pucker.Clip", *, body: bool, exact: Collection[str] = (), steps: int = SHOWN_STEPS
    ) -> None:
        self._clip, self._exact = clip, exact
        self._body = _Body(clip) if body and len(clip.body_faces) else None
        self.body_faces = None if self._body is None else self._body.faces
        self.body_vertices = None if self._body is None else self._body.first
        points = [clip.positions] if self._body is None else [clip.positions, clip.body_positions]
        low = np.min([p.min(axis=1) for p in points], axis=0)
        high = np.max([p.max(axis=1) for p in points], axis=0)
        # A mesh without extent has a step too.
        self.quantum = float((high - low).max() / steps) or 1.0
        self.origin: Floats = 0.5 * (low.min(axis=0) + high.max(axis=0))
        self._frames: dict[str, list[Wholes]] = {
            name: []
            for name in ("positions", "normals", *(() if self._body is None else ("body_positions", "body_normals")))
        }

    def whole(self, positions: Floats) -> Wholes:
        """Positions (…, 3) in steps from the origin."""
        return np.rint((positions - self.origin) / self.quantum).astype(np.int64)

    def take(self, index: int) -> tuple[Floats, Floats | None]:
        """A frame: the garment's unit normals, and those that the file gives, if it does."""
        clip, frames = self._clip, self._frames
        given, body_given = vertex_normals(clip, index)
        own = pucker.vertex_normals(clip.mesh, clip.positions[index]) if given is None else given
        normals = up_where_zero(own)
        frames["positions"].append(self.whole(clip.positions[index]))
        frames["normals"].append(octahedral(normals, COARSE_STEPS))
        if self._body is not None:
            frames["body_positions"].append(self.whole(self._body.positions(index)))
            frames["body_normals"].append(octahedral(self._body.normals(index, body_given), COARSE_STEPS))
        return normals, given

    def last(self) -> tuple[Wholes, Wholes]:
        """Positions and normals of the last frame that was taken, in steps."""
        return self._frames["positions"][-1], self._frames["normals"][-1]

    def _exact_positions(self, name: str) -> Floats:
        if name == "positions" or self._body is None:
            return np.asarray(self._clip.positions)
        return np.stack([self._body.positions(index) for index in range(len(self._clip))])

    def write(self, archive: Archive) -> dict[str, Any]:
        """Adds everything; what a page has to know besides."""
        archive.add_wholes("faces", self._clip.faces)
        for name, wholes in self._frames.items():
            if name in self._exact:
                archive.add_doubles(name, self._exact_positions(name))
            else:
                archive.add_wholes(name, wholes)
        if self.body_faces is not None:
            archive.add_wholes("body_faces", self.body_faces)
        times = self._clip.times - self._clip.times[0]
        return {"quantum": self.quantum, "coarseSteps": COARSE_STEPS, "times": times.tolist()}


class Content:
    """Collects the geometry of all frames with the fine surface over it."""

    def __init__(self, clip: "pucker.Clip", fine: "pucker.Subdivision", *, body: bool) -> None:
        self._clip = clip
        self.coarse = Coarse(clip, body=body)
        self.layout = Layout.of(fine, len(clip.faces))
        self._detail = FineFrames(clip.faces, self.layout, self.coarse.quantum)
        # The detail is evaluated where the page has the vertex.
        own = self.layout.own
        self._triangles = self.layout.triangles[own]
        self._weights = self.layout.weights[own] / WEIGHT_STEPS
        self._detail_sizes: list[float] = []

    def take(self, index: int, state: Any) -> None:
        """A frame."""
        normals, given = self.coarse.take(index)
        points = state.detail.evaluate(self._triangles, self._weights)
        detailed = up_where_zero(points.normals)
        if given is not None:
            # At borders sewn to the body the garment is lit by normals of both.
            corners = normals[self._clip.faces[self._triangles]]
            smooth = up_where_zero(np.einsum("kc,kcd->kd", self._weights, corners))
            smooth /= np.linalg.norm(smooth, axis=1)[:, None]
            detailed = turned(detailed, points.base_normals, smooth)
        self._detail.take(*self.coarse.last(), points.displacements, detailed)
        self._detail_sizes.append(float(np.square(points.displacements).sum()))

    def write(self, archive: Archive) -> dict[str, Any]:
        """Adds everything; what a page has to know besides."""
        told = self.coarse.write(archive)
        self.layout.write(archive)
        self._detail.write(archive)
        return told | {
            "weightSteps": WEIGHT_STEPS,
            "fineSteps": self._detail.steps,
            # A page opens where there is most to see.
            "frame": int(np.argmax(self._detail_sizes)),
            "triangles": [len(self._clip.faces), len(self.layout.faces)],
            "vertices": [self._clip.positions.shape[1], len(self.layout.own)],
        }
