"""Videos of clips."""

import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import ExitStack
from itertools import repeat
from typing import Any

import numpy as np

from pucker._core import Clip, draw
from pucker._core.draw import Mode
from pucker._core.scene import scenery_of
from pucker.method import run
from pucker.rates import frame_rate

from .camera import DEFAULT_VIEW, View, orbit_cameras
from .clip import ClipRenderer, Focus, drawn_points, points_of
from .output import Picture, captioned, paired_in_full, write_video
from .overlays import Overlays
from .renderer import Renderer


def video(
    clip: Clip,
    path: str | os.PathLike[str],
    *,
    params: Any = None,
    states: Iterable[Any] | None = None,
    size: tuple[int, int] = draw.PICTURE_SIZE,
    fps: float | None = None,
    captions: Iterable[str] | None = None,
    view: View = DEFAULT_VIEW,
    focus: Focus = "cloth",
    mode: Mode | str = Mode.both,
    overlays: Overlays | Collection[str] = (),
) -> int:
    """Draws all frames of a clip into an H.264 file and returns their number.

    Args:
        clip: The garment and the rest of the character.
        path: Where the video is written.
        params: Parameters of a method; those of the dynamic one without.
        states: One state or packed wrinkles a frame; without them the wrinkles are computed with `params`.
        size: Of the pictures, (width, height).
        fps: Pictures a second, by default those of the clip's times.
        captions: A line of text a picture.
        view: As of `ClipRenderer`.
        focus: As of `ClipRenderer`.
        mode: As of `ClipRenderer.frame`.
        overlays: As of `ClipRenderer.frame`.

    Raises:
        ValueError: For more or fewer states than frames, and for captions as `write_video` does.
    """
    if states is None:
        states = run(clip, params)
    rate = fps if fps is not None else frame_rate(clip.times)
    with ClipRenderer(clip, size, params=params, view=view, focus=focus) as renderer:
        frames = paired_in_full(range(len(clip.positions)), states, "frames", "states")
        images = (renderer.frame(index, state, mode=mode, overlays=overlays) for index, state in frames)
        return write_video(path, images, fps=rate, captions=captions)


def side_by_side(
    clip: Clip,
    path: str | os.PathLike[str],
    runs: Mapping[str, Any],
    *,
    size: tuple[int, int] = draw.PICTURE_SIZE,
    fps: float | None = None,
    view: View = DEFAULT_VIEW,
    focus: Focus = "cloth",
    mode: Mode | str = Mode.both,
    overlays: Overlays | Collection[str] = (),
) -> int:
    """Draws a clip several times beside each other into an H.264 file and returns the number of its frames.

    Args:
        clip: The garment and the rest of the character.
        path: Where the video is written.
        runs: A caption and the parameters of each run, from left to right; None for the mesh without wrinkles.
        size: Of one picture, so the video is as many times as wide.
        fps: Pictures a second, by default those of the clip's times.
        view: As of `ClipRenderer`.
        focus: As of `ClipRenderer`.
        mode: As of `ClipRenderer.frame`.
        overlays: As of `ClipRenderer.frame`.
    """
    if not runs:
        raise ValueError("pictures side by side need at least one run")
    states = [repeat(None) if params is None else run(clip, params) for params in runs.values()]
    with ExitStack() as stack:
        first = stack.enter_context(Renderer(size))
        columns = [
            stack.enter_context(ClipRenderer(clip, size, params=params, view=view, focus=focus, context=first.context))
            for params in runs.values()
        ]

        def pictures() -> Iterator[Picture]:
            for index, *row in zip(range(len(clip.positions)), *states, strict=False):
                cells = [
                    captioned(column.frame(index, state, mode=mode, overlays=overlays), caption)
                    for column, state, caption in zip(columns, row, runs, strict=True)
                ]
                yield np.concatenate(cells, axis=1)

        return write_video(path, pictures(), fps=frame_rate(clip.times) if fps is None else fps)


def turntable(
    clip: Clip,
    path: str | os.PathLike[str],
    index: int,
    state: Any = None,
    *,
    params: Any = None,
    size: tuple[int, int] = draw.PICTURE_SIZE,
    pictures: int = 120,
    fps: float = 30.0,
    elevation: float = 12.0,
    mode: Mode | str = Mode.both,
    overlays: Overlays | Collection[str] = (),
) -> int:
    """Goes once round frame `index` of a clip, in an H.264 file, and returns the number of its pictures.

    The camera keeps its distance from the vertical axis through the middle of the frame, and all of it stays in the picture;
    `elevation` is in degrees. The other arguments are those of `ClipRenderer` and of `ClipRenderer.frame`.
    """
    if pictures < 1:
        raise ValueError(f"a turntable needs at least one picture, not {pictures}")
    shown = slice(index, index + 1)
    cameras = orbit_cameras(points_of(clip, shown), pictures, elevation, size[0] / size[1])
    if scenery_of(clip).any():
        around = drawn_points(clip, shown)
        cameras = [camera.holding(around) for camera in cameras]
    with ClipRenderer(clip, size, params=params, camera=cameras[0]) as renderer:

        def turned() -> Iterator[Picture]:
            for camera in cameras:
                renderer.camera = camera
                yield renderer.frame(index, state, mode=mode, overlays=overlays)

        return write_video(path, turned(), fps=fps)
