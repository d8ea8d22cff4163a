"""How the steps of pictures are done: what is refused, and that nothing stays behind."""

import gc
import re
import weakref

import numpy as np
import pytest
import render_scenes as scenes

from pucker._core import draw
from pucker.render import Camera, Output, Renderer, Style
from pucker.render.execution import Programs

CAMERA = Camera(eye=(0.0, 0.0, 3.0), target=(0.0, 0.0, 0.0))


def a_sheet() -> draw.Surface:
    faces, positions = scenes.grid(2)
    surface = draw.Surface(faces, len(positions))
    surface.set_positions(positions)
    return surface


def a_picture(*surfaces: draw.Surface) -> draw.Picture:
    return draw.picture(list(surfaces), CAMERA, Style(), (64, 64), Output.shaded, [])


def test_programs_go_without_pythons_collector():
    with Renderer((64, 64)) as renderer:
        programs = Programs(renderer.context)
        programs.run([], [])
        programs.release()
        gone = weakref.ref(programs)
        gc.disable()
        try:
            del programs
            assert gone() is None
        finally:
            gc.enable()


def test_batches_hold_all_steps_and_blocks_are_far_enough_apart():
    picture = a_picture(a_sheet(), a_sheet())
    assert [batch.timed_as for batch in picture.batches] == ["plain"]
    assert picture.frames.dtype == np.float32
    assert picture.frames.strides[0] % 256 == 0


def test_steps_of_other_surfaces_are_refused():
    with Renderer((64, 64)) as renderer:
        programs = Programs(renderer.context)
        picture = a_picture(a_sheet(), a_sheet())
        objects = [draw.SurfaceObjects([], [])]
        with pytest.raises(ValueError, match=re.escape("objects must hold number 1, which a step draws, got 1")):
            programs.run_batch(picture, picture.batches[0], objects, 0, [])
        with pytest.raises(ValueError, match=re.escape("line_ends must hold 0 buffers, got 1")):
            programs.run_batch(picture, picture.batches[0], 2 * objects, 0, [1])
        with pytest.raises(
            ValueError, match="steps must read surfaces alone, but plain/surface reads what is a picture's"
        ):
            draw.Execution(renderer.context.mglo._context.load, lambda _: (0, 0)).run(picture.steps, 2 * objects)
        other = a_picture()
        with pytest.raises(ValueError, match="batch must be one of the picture's, which has 0 steps, but ends at 2"):
            programs.run_batch(other, picture.batches[0], 2 * objects, 0, [])
