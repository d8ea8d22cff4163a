"""Drawing: wrinkled surfaces into pictures, videos and contact sheets, without a display.

`ClipRenderer` draws the frames of a clip; `Renderer` and `DrawnSurface` are what it is made of. What lies over a surface is the
detail of any method.
"""

from pucker.extras import needing

with needing("render", "pucker.render"):
    from pucker._core.draw import Light, Lines, Mode, Output, Style, vertex_normals

    from .camera import VIEWS, Camera
    from .capture import Captured
    from .clip import ClipRenderer, fitted_camera
    from .current import ContextError
    from .films import side_by_side, turntable, video
    from .output import captioned, contact_sheet, still, write_video
    from .overlays import Overlays
    from .renderer import Renderer, create_context
    from .shaders import ShaderError, shader_dir
    from .surface import DrawnSurface, DrawReport

__all__ = [
    "VIEWS",
    "Camera",
    "Captured",
    "ClipRenderer",
    "ContextError",
    "DrawReport",
    "DrawnSurface",
    "Light",
    "Lines",
    "Mode",
    "Output",
    "Overlays",
    "Renderer",
    "ShaderError",
    "Style",
    "captioned",
    "contact_sheet",
    "create_context",
    "fitted_camera",
    "shader_dir",
    "side_by_side",
    "still",
    "turntable",
    "vertex_normals",
    "video",
    "write_video",
]
