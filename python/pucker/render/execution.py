"""Goes through the list of what is to be drawn, with moderngl."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import moderngl

from pucker._core import draw

from .shaders import compile_sources, stages
from .surface import DrawnSurface

# What is drawn covers what was there by its alpha; the picture's own alpha stays that of the surface.
_OVER: Final = (moderngl.SRC_ALPHA, moderngl.ONE_MINUS_SRC_ALPHA, moderngl.ONE, moderngl.ONE_MINUS_SRC_ALPHA)


# A program, and the numbers it is compiled with.
_Key = tuple[str, frozenset[tuple[str, int]]]


def _set(program: moderngl.Program | moderngl.ComputeShader, name: str, value: object) -> None:
    """Sets a uniform, unless the compiler has left it out because nothing depends on it."""
    if name in program:
        program[name] = value


class Programs:
    """The compiled programs, each made when it is first run with its constants."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._compute: dict[_Key, moderngl.ComputeShader] = {}
        self._drawing: dict[_Key, tuple[moderngl.Program, moderngl.VertexArray]] = {}

    def run(self, step: draw.Step, surfaces: Sequence[DrawnSurface]) -> None:
        """Runs one step of a list; `surfaces` are those of the list."""
        if step.surface >= 0:
            surfaces[step.surface].bind()
        if step.is_compute:
            self._run_compute(step)
        elif step.edges:
            self._draw_edges(step, surfaces)
        elif step.blended:
            self._draw_blended(step, surfaces)
        else:
            self._draw(step, surfaces)

    def _compiled(self, step: draw.Step) -> _Key:
        """Where the program of a step lies, which is made if there is none yet."""
        key = (step.program, frozenset(step.constants.items()))
        if key not in self._compute and key not in self._drawing:
            compiled = compile_sources(self._context, step.program, stages(step.program, step.constants))
            if isinstance(compiled, moderngl.ComputeShader):
                self._compute[key] = compiled
            else:
                self._drawing[key] = (compiled, self._context.vertex_array(compiled, []))
        return key

    def _run_compute(self, step: draw.Step) -> None:
        program = self._compute[self._compiled(step)]
        for name, value in step.uniforms.items():
            _set(program, name, value)
        for _, groups, _ in step.ranges:
            program.run(groups)
        self._context.memory_barrier()

    def _draw(self, step: draw.Step, surfaces: Sequence[DrawnSurface]) -> None:
        program, array = self._drawing[self._compiled(step)]
        for name, value in step.uniforms.items():
            _set(program, name, value)
        kind = moderngl.PATCHES if step.is_patches else moderngl.TRIANGLES
        if step.is_patches:
            self._context.patch_vertices = 3
        each, instances = step.vertices_each, step.instances
        for first, count, texture in step.ranges:
            if step.textures:
                _set(program, "textured", texture >= 0)
                if texture >= 0:
                    surfaces[step.surface].textures[texture].use(0)
            array.render(kind, vertices=each * count, first=each * first, instances=instances)

    def _draw_blended(self, step: draw.Step, surfaces: Sequence[DrawnSurface]) -> None:
        context = self._context
        context.fbo.depth_mask = False
        try:
            with self._blending():
                self._draw(step, surfaces)
        finally:
            context.fbo.depth_mask = True

    @contextmanager
    def _blending(self) -> Iterator[None]:
        self._context.enable(moderngl.BLEND)
        self._context.blend_func = _OVER  # type: ignore[assignment]  # typed without the form for alpha of its own
        try:
            yield
        finally:
            self._context.disable(moderngl.BLEND)

    def _draw_edges(self, step: draw.Step, surfaces: Sequence[DrawnSurface]) -> None:
        context = self._context
        context.wireframe = True
        context.polygon_offset = draw.EDGE_OFFSET
        try:
            with self._blending():
                self._draw(step, surfaces)
        finally:
            context.wireframe = False
            context.polygon_offset = (0.0, 0.0)

    def release(self) -> None:
        """Frees the GPU memory."""
        for program, array in self._drawing.values():
            array.release()
            program.release()
        for shader in self._compute.values():
            shader.release()
