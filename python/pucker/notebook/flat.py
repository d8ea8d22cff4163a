"""Pictures without OpenGL: the plain mesh with the paths of its wrinkles, drawn by matplotlib."""

from typing import Any, Final

import numpy as np
import numpy.typing as npt
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.figure import Figure

import pucker
from pucker.plot.painter import facing, from_behind, painted
from pucker.render import Camera, Lines, Style

from .painters import Picture, Shot

Floats = npt.NDArray[np.float64]

_DPI: Final = 100
_GARMENT: Final = (0.70, 0.67, 0.62)
_BODY: Final = (0.48, 0.48, 0.52)
_STYLE: Final = Style()
_PATH_WIDTH: Final = 1.5
_WIRE_WIDTH: Final = 0.5


class FlatPainter:
    """Draws triangles from the farthest to the nearest, which cannot show displacement; paths stand for the wrinkles."""

    def __init__(self, clip: pucker.Clip, size: tuple[int, int]) -> None:
        self._clip = clip
        self._size = size

    def paint(self, shot: Shot, *, draft: bool) -> Picture:  # noqa: ARG002 - there is but one way to draw
        """A picture (height, width, 3)."""
        width, height = self._size
        figure = Figure((width / _DPI, height / _DPI), dpi=_DPI, facecolor=_STYLE.background)
        canvas: Any = FigureCanvasAgg(figure)
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
        axes.set(xlim=(-1.0, 1.0), ylim=(-1.0, 1.0))
        axes.set_axis_off()
        axes.add_collection(self._triangles(shot))
        for lines in self._lines(shot):
            ends, seen = self._projected(shot.camera, lines.ends)
            axes.add_collection(
                LineCollection(list(ends[seen]), colors=[lines.colour], linewidths=72.0 * lines.width / _DPI)
            )
        canvas.draw()
        return np.ascontiguousarray(np.asarray(canvas.buffer_rgba())[..., :3])

    def close(self) -> None:
        """Nothing is kept."""

    def _triangles(self, shot: Shot) -> PolyCollection:
        clip, snapshot = self._clip, shot.snapshot
        garment = clip.positions[snapshot.frame][clip.faces]
        body = clip.body_positions[snapshot.frame][clip.body_faces] if len(clip.body_faces) else np.zeros((0, 3, 3))
        colours = np.concatenate([np.tile(_GARMENT, (len(garment), 1)), np.tile(_BODY, (len(body), 1))])
        tints = shot.overlays.tints(snapshot.state)
        if tints is not None:
            share = tints[:, 3:] / 255.0
            colours[: len(garment)] += share * (tints[:, :3] / 255.0 - colours[: len(garment)])
        corners = np.concatenate([garment, body])
        # Lit from the camera, from either side.
        colours *= 0.35 + 0.65 * np.abs(facing(corners, shot.camera.axes[2]))[:, None]
        flat, seen = self._projected(shot.camera, corners)
        order = from_behind(corners, shot.camera.axes[2])
        order = order[seen[order]]
        wired = bool(shot.overlays.wireframe)
        # Borders in the triangle's own colour close the seams that antialiasing would leave between neighbours.
        borders = np.tile(_STYLE.wire_colour, (len(order), 1)) if wired else colours[order]
        return painted(list(flat[order]), colours[order], borders, _WIRE_WIDTH)

    def _lines(self, shot: Shot) -> list[Lines]:
        clip, snapshot = self._clip, shot.snapshot
        positions = clip.positions[snapshot.frame]
        paths = [np.stack([w.points[:-1], w.points[1:]], axis=1) for w in snapshot.state.wrinkles if not w.gone]
        lines = shot.overlays.lines(snapshot.state, clip.faces, positions)
        if paths:
            facing = [snapshot.state.frames.normals[w.triangles] for w in snapshot.state.wrinkles if not w.gone]
            ends, normals = np.concatenate(paths), np.concatenate(facing)
            towards = np.einsum("ki,ki->k", normals, np.asarray(shot.camera.eye) - ends.mean(axis=1)) > 0.0
            lines.append(Lines(ends[towards].astype(np.float32), _STYLE.stroke_colour, _PATH_WIDTH))
        return [*lines, *shot.lines]

    def _projected(self, camera: Camera, points: npt.NDArray[np.floating]) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Points (k, c, 3) in [-1, 1]² as (k, c, 2), and whether all c of them lie before the camera, (k,)."""
        width, height = self._size
        homogeneous = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1)
        projected = homogeneous @ camera.view_projection(width / height).T
        before = projected[..., 3] > camera.near
        scale = np.where(before, projected[..., 3], 1.0)
        return projected[..., :2] / scale[..., None], np.asarray(before.all(axis=1))
