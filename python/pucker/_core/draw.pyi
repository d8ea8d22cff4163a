"""
What is to be drawn, without OpenGL.
"""

from __future__ import annotations
import collections.abc
import enum
import numpy
import numpy.typing
import pucker._core
import typing

__all__: list[str] = [
    "Batch",
    "Camera",
    "ClipStyle",
    "EFFECTS",
    "Execution",
    "FOLD_LIGHT",
    "FRAME_BINDING",
    "LIGHT_PARTS",
    "LINE_WIDTH",
    "Light",
    "Lines",
    "MAPS",
    "MAX_LEVEL",
    "METHOD_BINDING",
    "Mode",
    "Output",
    "PICTURE_SIZE",
    "PLAIN_STYLE",
    "Picture",
    "SAMPLES",
    "STORAGE_BINDINGS",
    "STROKE_SHARE",
    "SURFACE_BINDINGS",
    "SURFACE_COLOUR",
    "ShaderLibrary",
    "Source",
    "Step",
    "StorageLimits",
    "Style",
    "Surface",
    "SurfaceObjects",
    "TARGET_EDGE_SHARE",
    "USUAL_VIEW",
    "VIEWS",
    "WIRE_WIDTH",
    "capture_step",
    "grazing_direction",
    "linear_from_srgb",
    "missing_storage",
    "picture",
    "refinement",
    "seen_at",
    "srgb_from_linear",
    "vertex_normals",
    "without",
]

class Camera:
    """
    A perspective camera: `eye` looks at `target`.

    `field_of_view` is the vertical opening angle in degrees; there is a picture between the planes at the distances `near` and
    `far`. y is up and characters look along +z. Raises ValueError for an eye at its target, an opening angle outside (0, 180),
    and planes that are not 0 < near < far.
    """
    @staticmethod
    def fit(
        points: numpy.typing.ArrayLike,
        view: typing.Any = "three-quarter",
        *,
        aspect: typing.SupportsFloat | typing.SupportsIndex = 1.7777777777777777,
        field_of_view: typing.SupportsFloat | typing.SupportsIndex = 30.0,
        margin: typing.SupportsFloat | typing.SupportsIndex = 1.06,
    ) -> Camera:
        """
        The nearest camera of a view that sees all points (…, 3).

        `view` is a name of `VIEWS` or (azimuth, elevation) in degrees; `aspect` is width over height; `margin` is the share by
        which the picture is wider than what it shows.
        """
    @staticmethod
    def from_json(path: typing.Any) -> Camera:
        """
        A camera from a file of `to_json`; fields but `eye` and `target` may be left out.

        Raises ValueError for anything else than such an object, and for what the constructor refuses.
        """
    @staticmethod
    def orbit(
        target: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"],
        distance: typing.SupportsFloat | typing.SupportsIndex,
        azimuth: typing.SupportsFloat | typing.SupportsIndex,
        elevation: typing.SupportsFloat | typing.SupportsIndex,
        *,
        field_of_view: typing.SupportsFloat | typing.SupportsIndex = 30.0,
    ) -> Camera:
        """
        A camera on a sphere round `target`; angles in degrees, azimuth 0 looks from +z, 90 from +x.
        """
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(
        self,
        eye: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"],
        target: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"],
        field_of_view: typing.SupportsFloat | typing.SupportsIndex = 30.0,
        near: typing.SupportsFloat | typing.SupportsIndex = 0.01,
        far: typing.SupportsFloat | typing.SupportsIndex = 100.0,
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple]: ...
    def __repr__(self) -> str: ...
    def holding(self, points: numpy.typing.ArrayLike) -> Camera:
        """
        The same with planes so far apart that no point (…, 3) before it is cut off; what is nearer than a fiftieth of the distance to the target may be.
        """
    def pixel_size(self, picture_height: typing.SupportsInt | typing.SupportsIndex) -> float:
        """
        Length that one pixel covers at the target, in the units of the scene.
        """
    def replace(self, **kwargs) -> typing.Any:
        """
        The same with other values of some fields.
        """
    def shifted(
        self,
        right: typing.SupportsFloat | typing.SupportsIndex,
        up: typing.SupportsFloat | typing.SupportsIndex,
        picture_height: typing.SupportsInt | typing.SupportsIndex,
    ) -> Camera:
        """
        Moved in its own plane, by what so many pixels are at its target.
        """
    def to_dict(self) -> dict:
        """
        All fields by name.
        """
    def to_json(self, path: typing.Any) -> None:
        """
        Writes the camera as a JSON object of its fields, which the native viewer reads too.
        """
    def turned(
        self,
        azimuth: typing.SupportsFloat | typing.SupportsIndex,
        elevation: typing.SupportsFloat | typing.SupportsIndex,
    ) -> Camera:
        """
        Gone round its target by angles in degrees, no higher or lower than 89 degrees over the horizon.
        """
    def view_projection(
        self, aspect: typing.SupportsFloat | typing.SupportsIndex
    ) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[4, 4]"]:
        """
        World to clip space, (4, 4), for column vectors.
        """
    def zoomed(self, factor: typing.SupportsFloat | typing.SupportsIndex) -> Camera:
        """
        At `factor` times its distance from its target.
        """
    @property
    def axes(self) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[3, 3]"]:
        """
        (3, 3): unit vectors to the right, up and towards the viewer.
        """
    @property
    def eye(self) -> tuple:
        """
        Where it stands, (x, y, z).
        """
    @property
    def far(self) -> float:
        """
        Distance up to which there is a picture.
        """
    @property
    def field_of_view(self) -> float:
        """
        Vertical opening angle in degrees.
        """
    @property
    def near(self) -> float:
        """
        Distance from which on there is a picture.
        """
    @property
    def target(self) -> tuple:
        """
        What it looks at, (x, y, z).
        """

class Mode(enum.IntEnum):
    """
    What of the detail is drawn. `parallax` moves nothing, as `normals`, but shifts textures by how high the detail stands (Loviscach 2006).
    """

    base: typing.ClassVar[Mode]
    both: typing.ClassVar[Mode]
    displacement: typing.ClassVar[Mode]
    normals: typing.ClassVar[Mode]
    parallax: typing.ClassVar[Mode]
    @classmethod
    def __new__(cls, value): ...
    def __format__(self, format_spec): ...

class Output(enum.IntEnum):
    """
    What a pixel holds: the shaded colour, or the surface's unit normal or position as floats.
    """

    normal: typing.ClassVar[Output]
    position: typing.ClassVar[Output]
    shaded: typing.ClassVar[Output]
    @classmethod
    def __new__(cls, value): ...
    def __format__(self, format_spec): ...

class Light:
    """
    A key light, a weaker fill light from the other side, and a sky; directions are towards the light, colours linear.
    """
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(
        self,
        key_direction: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (-0.55, 0.75, 0.5),
        key_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (1.08, 1.05, 1.0),
        fill_direction: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.8, 0.05, 0.45),
        fill_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.17, 0.185, 0.21),
        sky_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.18, 0.19, 0.21),
        ground_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.09, 0.088, 0.085),
        specular: typing.SupportsFloat | typing.SupportsIndex = 0.07,
        exponent: typing.SupportsFloat | typing.SupportsIndex = 18.0,
        grazing: typing.SupportsFloat | typing.SupportsIndex | None = None,
        attached: bool = True,
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple]: ...
    def __repr__(self) -> str: ...
    def replace(self, **kwargs) -> typing.Any:
        """
        The same with other values of some fields.
        """
    def to_dict(self) -> dict:
        """
        All fields by name.
        """
    @property
    def attached(self) -> bool:
        """
        Whether key and fill turn with the camera (x right, y up, z towards the viewer); otherwise they stand in the world.
        """
    @property
    def exponent(self) -> float:
        """
        How narrow they are.
        """
    @property
    def fill_colour(self) -> tuple[float, float, float]:
        """
        Of the fill light.
        """
    @property
    def fill_direction(self) -> tuple[float, float, float]:
        """
        Towards the fill light.
        """
    @property
    def grazing(self) -> float | None:
        """
        Degrees between the key light and the mean normal of the cloth in view, from above the camera's left, where a ClipRenderer draws; None: key_direction.
        """
    @property
    def ground_colour(self) -> tuple[float, float, float]:
        """
        Of what comes from below.
        """
    @property
    def key_colour(self) -> tuple[float, float, float]:
        """
        Of the key light.
        """
    @property
    def key_direction(self) -> tuple[float, float, float]:
        """
        Towards the key light.
        """
    @property
    def sky_colour(self) -> tuple[float, float, float]:
        """
        Of what comes from above.
        """
    @property
    def specular(self) -> float:
        """
        Strength of the highlights.
        """

class Style:
    """
    How a picture is drawn. Colours are sRGB in [0, 1], line widths in pixels; a width of 0 draws no lines.

    Tessellated edges are 3/8 of the smallest feature, but no shorter than `least_edge` pixels at the camera's target: normals
    are evaluated for each pixel, so smaller triangles change no more than single pixels of an outline.
    """
    def __eq__(self, arg0: typing.Any) -> bool: ...
    def __hash__(self) -> int: ...
    def __init__(
        self,
        mode: Mode = ...,
        light: Light | None = None,
        shadows: bool | None = None,
        occlusion: bool | None = None,
        fabric: bool | None = None,
        exposure: typing.SupportsFloat | typing.SupportsIndex | None = None,
        background: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.875, 0.88, 0.89),
        least_edge: typing.SupportsFloat | typing.SupportsIndex = 3.0,
        stroke_width: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        stroke_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.98, 0.86, 0.15),
        wire_width: typing.SupportsFloat | typing.SupportsIndex = 0.0,
        wire_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.12, 0.12, 0.14),
        reached: bool = False,
        reached_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.922, 0.588, 0.078),
        reached_left: typing.SupportsFloat | typing.SupportsIndex = 0.55,
        tessellation: bool = False,
        tessellation_colour: typing.Annotated[
            collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"
        ] = (0.05, 0.3, 0.7),
    ) -> None: ...
    def __reduce__(self) -> tuple[type, tuple]: ...
    def __repr__(self) -> str: ...
    def replace(self, **kwargs) -> typing.Any:
        """
        The same with other values of some fields.
        """
    def to_dict(self) -> dict:
        """
        All fields by name.
        """
    @property
    def background(self) -> tuple[float, float, float]:
        """
        What is seen beside the surfaces.
        """
    @property
    def exposure(self) -> float | None:
        """
        Factor of all light; None stands for 1, and for what suits the cloth where a ClipRenderer draws.
        """
    @property
    def fabric(self) -> bool | None:
        """
        Whether untextured cloth has a fine weave and a sheen; None as for shadows.
        """
    @property
    def least_edge(self) -> float:
        """
        Shortest tessellated edge in pixels at the camera's target; 0 takes the limit away.
        """
    @property
    def light(self) -> Light | None:
        """
        The light; None stands for Light(), and for FOLD_LIGHT where a ClipRenderer draws.
        """
    @property
    def mode(self) -> Mode:
        """
        What of the detail is drawn.
        """
    @property
    def occlusion(self) -> bool | None:
        """
        Whether what is near keeps the other light away; None as for shadows.
        """
    @property
    def reached(self) -> bool:
        """
        Tints the triangles that detail reaches.
        """
    @property
    def reached_colour(self) -> tuple[float, float, float]:
        """
        That tint.
        """
    @property
    def reached_left(self) -> float:
        """
        Share of its colour that each piece of detail leaves a triangle.
        """
    @property
    def shadows(self) -> bool | None:
        """
        Whether the key light casts shadows; None stands for no, and for yes where a ClipRenderer draws.
        """
    @property
    def stroke_colour(self) -> tuple[float, float, float]:
        """
        Of those lines.
        """
    @property
    def stroke_width(self) -> float:
        """
        Of the lines that the method's own shaders draw, such as the paths of wrinkles.
        """
    @property
    def tessellation(self) -> bool:
        """
        Draws the edges of the tessellated triangles, one pixel wide; they fade where they are close.
        """
    @property
    def tessellation_colour(self) -> tuple[float, float, float]:
        """
        Of those edges.
        """
    @property
    def wire_colour(self) -> tuple[float, float, float]:
        """
        Of the mesh's edges.
        """
    @property
    def wire_width(self) -> float:
        """
        Of the mesh's edges.
        """

class Surface:
    """
    What a mesh is for the shaders, as bytes.
    """
    def __init__(
        self,
        faces: numpy.typing.ArrayLike,
        vertex_count: typing.SupportsInt | typing.SupportsIndex,
        colours: numpy.typing.ArrayLike | None = None,
        texcoords: numpy.typing.ArrayLike | None = None,
        textures: numpy.typing.ArrayLike | None = None,
        texture_count: typing.SupportsInt | typing.SupportsIndex = 0,
        weld: numpy.typing.ArrayLike | None = None,
        cloth: bool = False,
        alpha_modes: numpy.typing.ArrayLike | None = None,
        alpha_cutoffs: numpy.typing.ArrayLike | None = None,
    ) -> None: ...
    def exposure(
        self,
        textures: collections.abc.Sequence[
            tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex, bytes]
        ],
    ) -> float:
        """
        The factor of light that suits the surface; textures are (width, height, RGBA).
        """
    def report(self, target_edge: typing.SupportsFloat | typing.SupportsIndex) -> tuple[int, int, int, int]:
        """
        Tessellated triangles, plain ones, draws, and edges that wanted more pieces than there can be.
        """
    def set_detail(self, detail: typing.Any = None, mode: Mode = ...) -> None:
        """
        Puts the detail of a frame, None for none, over the mesh, which shows what `mode` says.
        """
    def set_positions(
        self,
        positions: numpy.typing.ArrayLike,
        normals: numpy.typing.ArrayLike | None = None,
        origin: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"]
        | None = None,
        corner_normals: numpy.typing.ArrayLike | None = None,
    ) -> None:
        """
        Moves the vertices (n, 3); normals (n, 3) and origin are found where they are None. corner_normals
        (m, 3, 3): what is lit by; None: the vertices' normals.
        """
    def set_tints(self, tints: numpy.typing.ArrayLike | None = None) -> None:
        """
        Lays colours (m, 4) over the triangles; None takes them off.
        """
    def take_uploads(self) -> list:
        """
        (binding, content, size) of each buffer that has changed since the last call.
        """
    @property
    def alphas(self) -> tuple[numpy.typing.NDArray[numpy.int32], numpy.typing.NDArray[numpy.float64]]:
        """
        Alpha modes (m,) int32 and cutoffs (m,) of the triangles.
        """
    @property
    def colours(self) -> numpy.typing.NDArray[numpy.uint8]:
        """
        Of each triangle (m, 4) uint8, sRGB and opacity.
        """
    @property
    def displaced(self) -> bool:
        """
        Whether shaders displace some of it.
        """
    @property
    def mesh(self) -> pucker._core.Mesh:
        """
        The mesh.
        """
    @property
    def method(self) -> str:
        """
        Folder of the shaders that draw it.
        """
    @property
    def method_blocks(self) -> dict:
        """
        Sizes of the blocks of its detail's method, by name.
        """
    @property
    def origin(self) -> tuple:
        """
        The point that positions on the GPU are relative to, (x, y, z).
        """
    @property
    def positions(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        The vertices (n, 3), as they were set.
        """
    @property
    def target_edge(self) -> float:
        """
        Wanted length of tessellated edges; 0 without detail.
        """
    @property
    def texcoords(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        Texture coordinates (m, 3, 2) float32 of the corners, from the lower left.

        Of cloth without a texture those of its threads.
        """
    @property
    def textures(self) -> numpy.typing.NDArray[numpy.int32]:
        """
        Number (m,) int32 of each triangle's texture, -1 for none.
        """
    @property
    def triangle_count(self) -> int:
        """
        Number m of triangles.
        """

class ClipStyle:
    """
    What suits all pictures of a clip, found from its first frame, so that none flickers.
    """
    def __init__(self, garment: Surface, exposure: typing.SupportsFloat | typing.SupportsIndex) -> None:
        """
        From the garment's surface in the first frame. Raises ValueError if it has no positions.
        """
    def of(self, style: Style, camera: Camera) -> Style:
        """
        The style with everything set that it leaves open, and the key light where it grazes the cloth.
        """

class Lines:
    """
    Straight lines in space, by both ends of each, (k, 2, 3); one of no length is a square dot.

    `colour` is sRGB in [0, 1], `width` in pixels. Raises ValueError for another shape, an end that is not finite, or a width
    that is not positive.
    """
    @staticmethod
    def loops(
        corners: numpy.typing.ArrayLike,
        colour: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"],
        width: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> Lines:
        """
        Closed polygons of c corners each, (k, c, 3).
        """
    def __init__(
        self,
        ends: numpy.typing.ArrayLike,
        colour: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(3)"],
        width: typing.SupportsFloat | typing.SupportsIndex = 1.0,
    ) -> None: ...
    @property
    def colour(self) -> tuple:
        """
        sRGB in [0, 1].
        """
    @property
    def ends(self) -> numpy.typing.NDArray[numpy.float64]:
        """
        Both ends of each, (k, 2, 3).
        """
    @property
    def width(self) -> float:
        """
        Pixels.
        """

class Step:
    """
    Draws, or runs, of one program over one surface.
    """
    @property
    def constants(self) -> dict:
        """
        Whole numbers by name that the program is compiled with in the place of uniforms.
        """
    @property
    def program(self) -> str:
        """
        Name of the program.
        """

class Batch:
    """
    Steps of a pass, one after the other, that draw into the same.
    """
    @property
    def into(self) -> int:
        """
        Number in MAPS of the texture that they draw into, -1 for the picture.
        """
    @property
    def timed_as(self) -> str:
        """
        Name of the pass.
        """

class Picture:
    """
    What is to be drawn of one picture, in order.
    """
    @property
    def background(self) -> typing.Annotated[list[float], "FixedSize(3)"]:
        """
        Colour that the picture is cleared to.
        """
    @property
    def batches(self) -> list[Batch]:
        """
        All steps, in batches.
        """
    @property
    def frames(self) -> numpy.typing.NDArray[numpy.float32]:
        """
        Uniform blocks Frame (k, 128) float32, the last numbers of which are room: of the camera, and of the light, for each origin.
        """
    @property
    def line_ends(self) -> list:
        """
        Both ends of the lines of each group, (6 k,) float32.
        """
    @property
    def map_sizes(self) -> tuple:
        """
        (width, height) of each texture of MAPS, (0, 0) for one that is not drawn.
        """
    @property
    def steps(self) -> list[Step]:
        """
        What is done, one after the other.
        """

class SurfaceObjects:
    """
    Names of OpenGL's objects that hold a surface: of its buffers by binding, and its textures.
    """
    def __init__(
        self,
        buffers: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
        textures: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> None: ...
    @property
    def buffers(self) -> list[int]:
        """
        Of its buffers, by binding.
        """
    @property
    def textures(self) -> list[int]:
        """
        Of its textures, by number.
        """

class Execution:
    """
    Does the steps of pictures with OpenGL, in the context that is current.

    They go into the framebuffer that is bound. Blending is off, depths are tested and written, and polygons are filled, before
    and after.

    Args:
        load: The address of one of OpenGL's functions by its name, 0 for one that there is not.
        compile: Names of the program of a step, compiled for its constants, and of the vertex array, of no attributes, that it
            draws with, 0 if it computes; asked for once for each.

    Raises pucker.Error for a function that there is not.
    """
    def __init__(self, load: collections.abc.Callable, compile: collections.abc.Callable) -> None: ...
    def run(self, steps: collections.abc.Sequence[Step], objects: collections.abc.Sequence[SurfaceObjects]) -> None:
        """
        Does steps that read nothing but surfaces, whose objects these are by number. Raises ValueError for one that reads more, and what compiling raises.
        """
    def run_batch(
        self,
        picture: Picture,
        batch: Batch,
        objects: collections.abc.Sequence[SurfaceObjects],
        frames: typing.SupportsInt | typing.SupportsIndex,
        line_ends: collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex],
    ) -> None:
        """
        Does a batch of a picture. `frames` holds all its blocks Frame, `line_ends` one group of lines each. Raises ValueError for a batch of another picture, too few objects and another number of groups, and what compiling raises.
        """

class Source:
    """
    A shader stage with its includes put in.
    """
    def explain(self, log: str) -> str:
        """
        The compiler's log with the author's files and lines in place of those of the expanded source.
        """
    @property
    def text(self) -> str:
        """
        What the compiler gets.
        """

class StorageLimits:
    """
    Numbers of storage blocks.
    """
    def __init__(
        self,
        bindings: typing.SupportsInt | typing.SupportsIndex,
        stages: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex],
        combined: typing.SupportsInt | typing.SupportsIndex,
    ) -> None: ...
    @property
    def bindings(self) -> int:
        """
        Blocks bound at once.
        """
    @property
    def combined(self) -> int:
        """
        Blocks of all stages of a program.
        """
    @property
    def stages(self) -> dict[str, int]:
        """
        Blocks of one stage, by its name.
        """

class ShaderLibrary:
    """
    The shader files: which make up a program, with their includes.
    """
    def __init__(self, read: collections.abc.Callable) -> None: ...
    def expand(self, path: str, detail: str = "") -> Source:
        """
        A file with its includes put in.
        """
    def needed_storage(self) -> StorageLimits:
        """
        What a device must offer for all programs.
        """
    def programs(self) -> list[str]:
        """
        Names of all programs.
        """
    def stages(
        self, program: str, constants: collections.abc.Mapping[str, typing.SupportsInt | typing.SupportsIndex] = {}
    ) -> dict[str, Source]:
        """
        The stages of a program, by name, with constants in the place of uniforms; what it has no uniform for is left out. Raises pucker.Error for a file there is not.
        """

def capture_step(surface: Surface) -> Step:
    """
    The step that appends the tessellated points of a surface to the block Captured.
    """

def grazing_direction(
    area_normals: numpy.typing.ArrayLike, camera: Camera, angle: typing.SupportsFloat | typing.SupportsIndex
) -> tuple:
    """
    The unit direction, in the camera's axes, towards a light that stands so many degrees off the mean normal of the triangles that face the camera, above its left; area_normals (m, 3) are as long as the areas. Raises ValueError unless the angle lies in [0, 90].
    """

def linear_from_srgb(colours: numpy.typing.ArrayLike) -> typing.Any:
    """
    Linear light of sRGB colour in [0, 1]; any shape.
    """

def missing_storage(needed: StorageLimits, offered: StorageLimits) -> str:
    """
    The sentence for a device that offers less than is needed; empty for one that is enough.
    """

def picture(
    surfaces: collections.abc.Sequence[Surface],
    camera: Camera,
    style: Style,
    size: typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"],
    output: Output,
    lines: collections.abc.Sequence[Lines],
) -> Picture:
    """
    The list of a picture (width, height) of surfaces; what one needs once for its detail is listed once.
    """

def refinement(surface: Surface, index: typing.SupportsInt | typing.SupportsIndex = 0) -> list[Step]:
    """
    The steps that run the programs of a surface's detail, none if that was done since it was set.
    """

def seen_at(
    camera: Camera,
    size: typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"],
    x: typing.SupportsFloat | typing.SupportsIndex,
    y: typing.SupportsFloat | typing.SupportsIndex,
    faces: numpy.typing.ArrayLike,
    positions: numpy.typing.ArrayLike,
    other_faces: numpy.typing.ArrayLike | None = None,
    other_positions: numpy.typing.ArrayLike | None = None,
) -> tuple[int, typing.Annotated[list[float], "FixedSize(3)"], float] | None:
    """
    The triangle (m, 3) that is seen in the middle of a pixel of a picture (width, height), barycentric coordinates of the place, and its distance from the eye; None if there is none, or if others lie before it. `x` and `y` are column and row from the upper left corner. The mesh is hit from either side (Möller and Trumbore 1997).
    """

def srgb_from_linear(colours: numpy.typing.ArrayLike) -> typing.Any:
    """
    8-bit sRGB (IEC 61966-2-1) of linear colour in [0, 1]; any shape. Raises ValueError outside.
    """

def vertex_normals(
    positions: numpy.typing.ArrayLike, faces: numpy.typing.ArrayLike, weld: numpy.typing.ArrayLike | None = None
) -> typing.Annotated[numpy.typing.NDArray[numpy.float64], "[m, 3]"]:
    """
    Unit vertex normals (n, 3): the sum of the adjacent triangles' normals, weighted by their areas.

    `weld` (n,) gives the same number to vertices that are one for the surface, which smooths over seams. A vertex whose sum
    vanishes, of no triangle or of triangles that cancel, gets (0, 1, 0).
    """

def without(style: Style, part: str) -> Style:
    """
    The style without a part of the light that suits a clip, a name of LIGHT_PARTS. Raises ValueError for another.
    """

EFFECTS: dict = {"shadowed": 1, "occluded": 2, "fabric": 4, "round": 8}
FOLD_LIGHT: Light
FRAME_BINDING: int = 0
LIGHT_PARTS: dict = {
    "grazing": "The key light grazes the cloth in view, so that its folds show",
    "shadows": "The key light casts soft shadows",
    "occlusion": "What is near keeps the other light away",
    "fabric": "Cloth without a texture has a fine weave and a sheen",
}
LINE_WIDTH: float = 1.0
MAPS: tuple = (("shadow", 1, 0, True), ("depth", 2, 1, True), ("occlusion", 3, 2, False), ("smoothed", 4, 2, False))
MAX_LEVEL: int = 64
METHOD_BINDING: int = 9
PICTURE_SIZE: tuple = (1280, 720)
PLAIN_STYLE: Style
SAMPLES: int = 4
STORAGE_BINDINGS: dict = {
    "Positions": 0,
    "Normals": 1,
    "Faces": 2,
    "Texcoords": 3,
    "Colours": 4,
    "Tints": 5,
    "Patches": 6,
    "DrawList": 7,
    "Twins": 8,
    "Grid": 14,
    "Captured": 15,
    "Lines": 15,
}
STROKE_SHARE: float = 0.003125
SURFACE_BINDINGS: int = 15
SURFACE_COLOUR: tuple = (0.6980392156862745, 0.6666666666666666, 0.6196078431372549)
TARGET_EDGE_SHARE: float = 0.375
USUAL_VIEW: str = "three-quarter"
VIEWS: dict = {
    "front": [0.0, 0.0],
    "left": [90.0, 0.0],
    "right": [-90.0, 0.0],
    "back": [180.0, 0.0],
    "top": [0.0, 89.0],
    "three-quarter": [35.0, 12.0],
}
WIRE_WIDTH: float = 1.0
