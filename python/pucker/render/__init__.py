"""Drawing: wrinkled surfaces into pictures, videos and contact sheets, without a display.

`ClipRenderer` draws the frames of a clip; `Renderer` and `Surface` are what it is made of. Wrinkles come in as packed
arrays (`Packed`), so anything that fills those can be drawn.
"""

from .appearance import LABEL_TINTS, Light, label_tints
from .camera import VIEWS, Camera
from .capture import Captured
from .clip import ClipRenderer, video
from .errors import ContextError, ShaderError
from .output import captioned, contact_sheet, still, write_video
from .packed import Packed
from .renderer import Mode, Output, Profile, Renderer, Style, create_context
from .shaders import shader_dir
from .surface import DrawReport, Surface, vertex_normals

__all__ = [
    "LABEL_TINTS",
    "VIEWS",
    "Camera",
    "Captured",
    "ClipRenderer",
    "ContextError",
    "DrawReport",
    "Light",
    "Mode",
    "Output",
    "Packed",
    "Profile",
    "Renderer",
    "ShaderError",
    "Style",
    "Surface",
    "captioned",
    "contact_sheet",
    "create_context",
    "label_tints",
    "shader_dir",
    "still",
    "vertex_normals",
    "video",
    "write_video",
]
