"""What shows how the wrinkles of a frame came about, drawn over it."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Final

import numpy as np
import numpy.typing as npt

from pucker._core import (
    LABEL_TINTS,
    CompressionField,
    Label,
    Mesh,
    ellipse_lines,
    label_tints,
    reference_lines,
    sample_curve,
    seed_dots,
)
from pucker._core.draw import LINE_WIDTH, Lines
from pucker.method import Floats, Overlay
from pucker.render.overlays import line_width


class Labels(Overlay):
    """Triangles tinted by the state's labels, or by an array (m,) of them: contraction red, rest grey, stretching blue."""

    name: ClassVar[str] = "labels"

    def tints(self, state: Any, asked: Any) -> npt.NDArray[np.uint8]:
        """Colour (m, 4) of each triangle by its label."""
        return label_tints(_of_state(state, "labels") if asked is True else asked)

    def legend(self) -> Sequence[tuple[str, tuple[float, float, float]]]:
        """The labels' names."""
        shares = LABEL_TINTS[:, :3] / 255.0
        return [(label.name, (r, g, b)) for label, (r, g, b) in zip(Label, shares.tolist(), strict=True)]


class Paths(Overlay):
    """The curves of the wrinkles' paths."""

    name: ClassVar[str] = "paths"
    strokes: ClassVar[bool] = True

    def curves(self, state: Any, mesh: Mesh) -> Sequence[tuple[Floats, Floats]]:
        """The curves, four straight pieces a segment."""
        field = CompressionField(mesh, _of_state(state, "positions"), _of_state(state, "stretch"))
        samples = [sample_curve(field, wrinkle) for wrinkle in _of_state(state, "wrinkles") if not wrinkle.gone]
        return [(sampled.points[::2], sampled.heights[::2]) for sampled in samples]


class Ellipses(Overlay):
    """Stretch against the reference: an ellipse a triangle with the principal stretches along its axes.

    They are so scaled that an unstretched triangle shows a circle of half its inscribed circle's radius.
    """

    name: ClassVar[str] = "ellipses"

    def lines(
        self, state: Any, asked: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]
    ) -> Sequence[Lines]:
        """The ellipses as polygons."""
        frames, stretch = _of_state(state, "frames"), _of_state(state, "stretch")
        return [ellipse_lines(faces, positions, frames, stretch, line_width(asked, LINE_WIDTH))]


class Reference(Overlay):
    """Outlines of the reference triangles.

    They are laid centroid on centroid into the plane of the present ones and turned by the rotation of their deformation.
    """

    name: ClassVar[str] = "reference"

    def lines(
        self, state: Any, asked: Any, faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]
    ) -> Sequence[Lines]:
        """The triangles."""
        frames, stretch, reference = (_of_state(state, name) for name in ("frames", "stretch", "reference"))
        return [reference_lines(faces, positions, frames, stretch, reference, line_width(asked, LINE_WIDTH))]


class Seeds(Overlay):
    """Points to mark: a sequence of `Seed` as `Tracer.seed` gives them, or positions (k, 3)."""

    name: ClassVar[str] = "seeds"
    named: ClassVar[bool] = False

    def lines(
        self,
        state: Any,  # noqa: ARG002
        asked: Any,
        faces: npt.NDArray[np.integer],
        positions: npt.NDArray[np.floating],
    ) -> Sequence[Lines]:
        """A dot each."""
        points = seed_positions(asked, faces, positions)
        return [seed_dots(points)] if len(points) else []


OVERLAYS: Final = (Labels(), Paths(), Ellipses(), Reference(), Seeds())


def seed_positions(
    seeds: Iterable[Any], faces: npt.NDArray[np.integer], positions: npt.NDArray[np.floating]
) -> npt.NDArray[np.float64]:
    """Positions (k, 3) of seeds, which may be given as such. Raises ValueError for another shape."""
    points = [
        np.asarray(s.barycentrics) @ positions[faces[s.triangle]] if hasattr(s, "barycentrics") else s for s in seeds
    ]
    if not points:
        return np.zeros((0, 3))
    found = np.asarray(points, dtype=np.float64)
    if found.ndim != 2 or found.shape[1] != 3:
        raise ValueError(f"seeds must be of Tracer.seed or positions (k, 3), not of shape {found.shape}")
    return found


def _of_state(state: Any, name: str) -> Any:
    if not hasattr(state, name):
        raise ValueError(f"an overlay needs a state that has {name}; {type(state).__name__} has none")
    return getattr(state, name)
