"""Textures that are drawn before a picture and read while it is drawn: depths seen from the light, and occlusion."""

from collections.abc import Sequence
from typing import Any

import moderngl

from pucker._core import draw


class _Map:
    """A texture of `draw.MAPS` with the framebuffer that is drawn into to fill it."""

    def __init__(self, context: moderngl.Context, size: tuple[int, int], numbers: int, *, has_depth: bool) -> None:
        self.size = size
        self._depth: Any = None
        if numbers:
            self.texture = context.texture(size, numbers, dtype="f4")
            self.texture.filter = (moderngl.NEAREST, moderngl.NEAREST)
            self._depth = context.depth_renderbuffer(size) if has_depth else None
            self.framebuffer = context.framebuffer([self.texture], self._depth)
        else:
            self.texture = context.depth_texture(size)
            self.texture.filter = (moderngl.LINEAR, moderngl.LINEAR)
            self.texture.compare_func = "<="
            self.framebuffer = context.framebuffer([], self.texture)
        self.texture.repeat_x = self.texture.repeat_y = False

    def release(self) -> None:
        self.framebuffer.release()
        self.texture.release()
        if self._depth is not None:
            self._depth.release()


class Maps:
    """The textures of one renderer, made when they are first drawn and anew when their size changes."""

    def __init__(self, context: moderngl.Context) -> None:
        self._context = context
        self._maps: dict[int, _Map] = {}

    def begin(self, sizes: Sequence[tuple[int, int]]) -> None:
        """Makes those of a picture and binds them where the shaders read them; the size (0, 0) is that of none."""
        for number, (size, (_, unit, numbers, has_depth)) in enumerate(zip(sizes, draw.MAPS, strict=True)):
            width, height = size
            if (width, height) == (0, 0):
                continue
            made = self._maps.get(number)
            if made is None or made.size != (width, height):
                if made is not None:
                    made.release()
                made = self._maps[number] = _Map(self._context, (width, height), numbers, has_depth=has_depth)
            made.texture.use(unit)

    def use(self, number: int) -> None:
        """Has what follows be drawn into a texture, which is cleared."""
        framebuffer = self._maps[number].framebuffer
        framebuffer.use()
        framebuffer.clear()

    def release(self) -> None:
        """Frees the GPU memory."""
        for made in self._maps.values():
            made.release()
        self._maps.clear()
