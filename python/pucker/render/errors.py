"""What can go wrong between the program and the graphics device."""

from pucker._core import Error


class ContextError(Error):
    """No OpenGL 4.3 context could be made, or it lacks room for what is to be drawn."""


class ShaderError(Error):
    """A shader could not be found, put together or compiled; the message names file and line."""
