"""Compiles the programs of what is to be drawn with moderngl; the steps themselves are done by the core."""

from collections.abc import Sequence
from typing import Any

import moderngl

from pucker._core import draw

from .shaders import compile_sources, stages
from .surface import DrawnSurface


class Programs:
    """Does steps in a context, with programs that are compiled when they are first run with their constants."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._compiled: list[Any] = []
        # moderngl has no call that runs several steps, and one by one they take more time than most cards need for them.
        self._execution = draw.Execution(context.mglo._context.load, self._compile)

    def _compile(self, step: draw.Step) -> tuple[int, int]:
        """Names of a step's program, and of the vertex array that it draws with."""
        compiled = compile_sources(self._context, step.program, stages(step.program, step.constants))
        self._compiled.append(compiled)
        if isinstance(compiled, moderngl.ComputeShader):
            return compiled.glo, 0
        array = self._context.vertex_array(compiled, [])
        self._compiled.append(array)
        return compiled.glo, array.glo

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
        for resource in reversed(self._compiled):
            resource.release()
