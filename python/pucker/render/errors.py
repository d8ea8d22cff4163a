"""What can go wrong between the program and the graphics device."""


class ContextError(RuntimeError):
    """No OpenGL 4.3 context could be made."""


class ShaderError(RuntimeError):
    """A shader could not be found, put together or compiled; the message names file and line."""
