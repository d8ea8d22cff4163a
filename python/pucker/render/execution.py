"""Compiles the programs of what is to be drawn with moderngl; the steps themselves are done by the core."""

from collections.abc import Callable, Sequence
from typing import Any

import moderngl

from pucker._core import draw

from .shaders import compile_sources, stages
from .surface import DrawnSurface


def _compiler(context: moderngl.Context, made: list[Any]) -> Callable[[draw.Step], tuple[int, int]]:
    """What compiles a step's program, and gives its name and that of the vertex array that it draws with; both are put into `made`."""

    def compiled(step: draw.Step) -> tuple[int, int]:
        program = compile_sources(context, step.program, stages(step.program, step.constants))
        made.append(program)
        if isinstance(program, moderngl.ComputeShader):
            return program.glo, 0
        array = context.vertex_array(program, [])
        made.append(array)
        return program.glo, array.glo

    return compiled


class Programs:
    """Does steps in a context, with programs that are compiled when they are first run with their constants."""

    def __init__(self, context: moderngl.Context) -> None:
        self._made: list[Any] = []
        # moderngl has no call that runs several steps, and one by one they take more time than most cards need for them. What
        # compiles must not hold these programs: Python's collector does not see that the core holds it.
        self._execution = draw.Execution(context.mglo._context.load, _compiler(context, self._made))

    def run(self, steps: Sequence[draw.Step], surfaces: Sequence[DrawnSurface]) -> None:
        """Does steps that read nothing but these surfaces, which they count from 0."""
        self._execution.run(steps, [surface.objects for surface in surfaces])

    def run_batch(
        self,
        picture: draw.Picture,
        batch: draw.Batch,
        objects: Sequence[draw.SurfaceObjects],
        frames: int,
        line_ends: Sequence[int],
    ) -> None:
        """Does a batch of a picture; its blocks Frame, and its groups of lines, lie in buffers of these names."""
        self._execution.run_batch(picture, batch, objects, frames, line_ends)

    def release(self) -> None:
        """Frees the GPU memory."""
        for resource in reversed(self._made):
            resource.release()
