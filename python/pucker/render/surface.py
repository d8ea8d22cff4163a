"""A triangle mesh on the GPU, with or without wrinkles."""

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt
from PIL import Image

from .appearance import DEFAULTS
from .buffers import GrowingBuffer, Releasable
from .packed import Packed, PackedLike
from .patches import MAX_LEVEL, Patches, edge_levels, edge_numbers, find_patches, split_draws, vertex_counts
from .shaders import binding, constants

_SRGB8_ALPHA8 = 0x8C43
# Bytes of a refined sample and of a segment's bounding sphere.
_SAMPLE_BYTES, _SPHERE_BYTES = 32, 16
# Invocations of a work group of the curve program.
_CURVE_GROUP = 64
# The thesis' share of the smallest wrinkle width: four triangles across a wrinkle and a little more (section 7.3).
TARGET_EDGE_SHARE: Final[float] = DEFAULTS["surface"]["target_edge_share"]
DEFAULT_COLOUR: Final = tuple(DEFAULTS["surface"]["colour"])


def vertex_normals(
    positions: npt.NDArray[np.floating], faces: npt.NDArray[np.integer], weld: npt.NDArray[np.integer] | None = None
) -> npt.NDArray[np.float32]:
    """Unit vertex normals (n, 3): the sum of the adjacent triangles' normals, weighted by their areas.

    `weld` (n,) gives the same number to vertices that are one for the surface, which smooths over seams. A vertex whose
    sum vanishes, of no triangle or of triangles that cancel, gets (0, 1, 0).
    """
    corners = positions[faces]
    areas = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    number = np.arange(len(positions)) if weld is None else np.asarray(weld)
    slots = number[faces].ravel()
    count = int(number.max(initial=-1)) + 1
    sums = np.stack([np.bincount(slots, np.repeat(areas[:, k], 3), count) for k in range(3)], axis=1)
    lengths = np.linalg.norm(sums, axis=1)
    unit = np.divide(sums, lengths[:, None], out=np.tile([0.0, 1.0, 0.0], (count, 1)), where=lengths[:, None] > 0.0)
    normals: npt.NDArray[np.float32] = unit[number].astype(np.float32)
    return normals


@dataclass(frozen=True)
class Draw:
    """One range of a draw list that shares a texture: `first` triangle or patch of the list, and how many."""

    first: int
    count: int
    texture: moderngl.Texture | None


@dataclass(frozen=True)
class DrawReport:
    """How a frame is cut up: tessellated triangles, plain ones, and edges that wanted a level beyond `MAX_LEVEL`."""

    patches: int
    plain: int
    draws: int
    limited_edges: int


def load_texture(context: moderngl.Context, content: bytes) -> moderngl.Texture:
    """A mipmapped sRGB texture of an encoded image (PNG, JPEG …); texture coordinates start at the lower left."""
    with Image.open(BytesIO(content)) as image:
        pixels = image.convert("RGBA").transpose(Image.Transpose.FLIP_TOP_BOTTOM)
    texture = context.texture(pixels.size, 4, pixels.tobytes(), internal_format=_SRGB8_ALPHA8)
    texture.build_mipmaps()
    texture.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
    return texture


class Surface:
    """A mesh on the GPU: connectivity and colours once, positions a frame, wrinkles as they come.

    faces (m, 3)
        vertex numbers.
    vertex_count
        number n of vertices.
    colours (m, 4) uint8, optional
        sRGB colour of each triangle.
    texcoords (m, 3, 2), optional
        texture coordinates of each corner, from the lower left of the texture.
    textures (m,), optional
        number of each triangle's texture in `images`, -1 for none.
    images
        encoded images.
    weld (n,), optional
        vertices of one number share their normal.

    Raises ValueError for a wrong shape or a number out of range.
    """

    def __init__(
        self,
        context: moderngl.Context,
        faces: npt.ArrayLike,
        vertex_count: int,
        *,
        colours: npt.ArrayLike | None = None,
        texcoords: npt.ArrayLike | None = None,
        textures: npt.ArrayLike | None = None,
        images: Sequence[bytes] = (),
        weld: npt.ArrayLike | None = None,
    ) -> None:
        self._faces = _checked_faces(faces, vertex_count)
        self._vertex_count = vertex_count
        self._weld = None if weld is None else _shaped("weld", weld, (vertex_count,), np.int64)
        self._edges = edge_numbers(self._faces)
        count = len(self._faces)
        self._texture_of = np.full(count, -1) if textures is None else _shaped("textures", textures, (count,), np.int64)
        outside = np.flatnonzero((self._texture_of < -1) | (self._texture_of >= len(images)))
        if len(outside):
            raise ValueError(
                f"texture numbers must lie in [-1, {len(images)}), but triangle {outside[0]} has "
                f"{self._texture_of[outside[0]]}"
            )
        self._textures = [load_texture(context, image) for image in images]
        self._by_texture = np.argsort(self._texture_of, kind="stable")
        names = (
            "Positions", "Normals", "Faces", "Texcoords", "Colours", "Tints", "Triangles", "Reach", "Points", "Samples",
            "Spheres", "Patches",
        )  # fmt: skip
        self._buffers = {name: GrowingBuffer(context) for name in names}
        self._plain = GrowingBuffer(context)
        self._everything = GrowingBuffer(context)
        self._path_list = GrowingBuffer(context)
        self._buffers["Faces"].write(self._faces)
        self._buffers["Texcoords"].write(
            _shaped("texcoords", np.zeros((count, 3, 2)) if texcoords is None else texcoords, (count, 3, 2), np.float32)
        )
        self._buffers["Colours"].write(
            _shaped(
                "colours", np.tile(DEFAULT_COLOUR, (count, 1)) if colours is None else colours, (count, 4), np.uint8
            )
        )
        self._everything.write(self._by_texture.astype(np.uint32))
        self._everything_draws = self._group(self._by_texture)
        self._positions = np.zeros((vertex_count, 3), dtype=np.float32)
        self._packed = Packed.empty(count)
        self._has_positions = False
        self._segments = 0
        self._target_edge = 0.0
        self._cut: _Cut | None = None
        self._refined = True
        self.set_tints(None)
        self._write_packed()

    @property
    def triangle_count(self) -> int:
        """Number m of triangles."""
        return len(self._faces)

    @property
    def target_edge(self) -> float:
        """Length that tessellated edges are to have; 0 while there is no wrinkle."""
        return self._target_edge

    def report(self, target_edge: float | None = None) -> DrawReport:
        """How the present frame is drawn with its wrinkles displaced, by default at the surface's own target edge."""
        cut = self._cut_for(self._target_edge if target_edge is None else target_edge)
        return DrawReport(
            len(cut.patches.triangles),
            sum(d.count for d in cut.plain),
            len(cut.plain) + len(cut.draws),
            cut.limited_edges,
        )

    @property
    def packed(self) -> Packed:
        """The wrinkles."""
        return self._packed

    @property
    def path_segments(self) -> int:
        """Number of path segments, over all wrinkles."""
        return self._segments

    def set_positions(self, positions: npt.ArrayLike, normals: npt.ArrayLike | None = None) -> None:
        """Moves the vertices (n, 3); unit normals (n, 3) are computed unless given."""
        shape = (self._vertex_count, 3)
        exact = _shaped("positions", positions, shape, np.float64)
        if not np.isfinite(exact).all():
            raise ValueError(f"position of vertex {np.flatnonzero(~np.isfinite(exact).all(axis=1))[0]} is not finite")
        self._positions = exact.astype(np.float32)
        self._has_positions = True
        self._buffers["Positions"].write(self._positions)
        self._buffers["Normals"].write(
            vertex_normals(exact, self._faces, self._weld)
            if normals is None
            else _shaped("normals", normals, shape, np.float32)
        )
        self._cut = None

    def set_tints(self, tints: npt.ArrayLike | None) -> None:
        """Lays colours (m, 4) uint8, sRGB with the share as alpha, over the triangles; None takes them off."""
        count = self.triangle_count
        values = (
            np.zeros((count, 4), dtype=np.uint8) if tints is None else _shaped("tints", tints, (count, 4), np.uint8)
        )
        self._buffers["Tints"].write(values)

    def set_wrinkles(self, packed: PackedLike | None, *, smallest_width: float | None = None) -> None:
        """Takes the wrinkles of a frame, None for none.

        `smallest_width` is the least width L_min a wrinkle may have, in the units of the mesh; tessellated edges are
        3/8 of it. Without it, the least width among the path points counts.
        """
        count = self.triangle_count
        self._packed = Packed.empty(count) if packed is None else Packed.checked(packed, count)
        if smallest_width is not None and not smallest_width > 0.0:
            raise ValueError(f"the smallest width of a wrinkle must be positive, not {smallest_width}")
        self._target_edge = TARGET_EDGE_SHARE * (smallest_width or _least_width(self._packed))
        self._write_packed()
        self._cut = None

    def _write_packed(self) -> None:
        packed = self._packed
        self._buffers["Triangles"].write(packed.triangles)
        self._buffers["Reach"].write(packed.reach)
        self._buffers["Points"].write(packed.points)
        samples = constants()["SAMPLES_PER_SEGMENT"] * len(packed.points)
        self._buffers["Samples"].reserve(samples * _SAMPLE_BYTES)
        self._buffers["Spheres"].reserve(len(packed.points) * _SPHERE_BYTES)
        segments = packed.segments
        self._segments = len(segments)
        self._path_list.write(segments)
        self._refined = len(segments) == 0

    def needs_refining(self) -> bool:
        """Whether `refine` has anything to do. Raises ValueError if the surface has no positions yet."""
        if not self._has_positions:
            raise ValueError("a surface must be given positions before it is drawn")
        return not self._refined

    def refine(self, curve: moderngl.ComputeShader, context: moderngl.Context) -> None:
        """Runs the curve program over the path points, once for each set of wrinkles."""
        if not self.needs_refining():
            return
        self.bind()
        intervals = len(self._packed.points) - 1
        curve["segment_count"] = intervals
        curve.run((intervals + _CURVE_GROUP - 1) // _CURVE_GROUP)
        context.memory_barrier()
        self._refined = True

    def read_samples(self) -> npt.NDArray[np.float32]:
        """The refined paths (p · K, 8) of p path points and K samples a segment, as the curve program wrote them.

        [0:3] position, [3] width, [4:7] unit direction, [7] height. Rows of segments that join two paths mean nothing.
        """
        count = constants()["SAMPLES_PER_SEGMENT"] * len(self._packed.points)
        content = self._buffers["Samples"].read(count * _SAMPLE_BYTES)
        return np.frombuffer(content, dtype=np.float32).reshape(-1, _SAMPLE_BYTES // 4).copy()

    def bind(self) -> None:
        """Binds everything but the draw list."""
        for name, buffer in self._buffers.items():
            buffer.bind(binding(name))

    def bind_paths(self) -> None:
        """Binds the list of path segments as draw list."""
        self._path_list.bind(binding("DrawList"))

    def plain_draws(self, target_edge: float | None) -> list[Draw]:
        """Draws of the triangles left as they are; binds their list. None as target edge: no triangle is displaced."""
        if target_edge is None or len(self._packed.reach) == 0:
            self._everything.bind(binding("DrawList"))
            return self._everything_draws
        draws = self._cut_for(target_edge).plain
        self._plain.bind(binding("DrawList"))
        return draws

    def patch_draws(self, target_edge: float) -> list[Draw]:
        """Draws of the tessellated triangles; binds their list."""
        draws = self._cut_for(target_edge).draws
        self._buffers["Patches"].bind(binding("Patches"))
        return draws

    def _cut_for(self, target_edge: float) -> "_Cut":
        if self._cut is None or self._cut.target_edge != target_edge:
            self._cut = self._make_cut(target_edge)
        return self._cut

    def _make_cut(self, target_edge: float) -> "_Cut":
        found = find_patches(self._packed.triangles[:, 0], self._edges)
        order = np.argsort(self._texture_of[found.triangles], kind="stable")
        patches = found.take(order)
        is_plain = np.ones(self.triangle_count, dtype=np.bool_)
        is_plain[patches.triangles] = False
        plain = self._by_texture[is_plain[self._by_texture]]
        self._plain.write(plain.astype(np.uint32))
        self._buffers["Patches"].write(patches.codes)
        if len(patches.triangles) == 0:
            return _Cut(target_edge, patches, self._group(plain), [], 0)
        levels = edge_levels(patches, self._faces, self._positions, target_edge)
        vertices = vertex_counts(levels)
        draws = [
            Draw(group.first + first, last - first, group.texture)
            for group in self._group(patches.triangles)
            for first, last in split_draws(vertices[group.first : group.first + group.count])
        ]
        return _Cut(target_edge, patches, self._group(plain), draws, int((levels > MAX_LEVEL).sum()))

    def _group(self, triangles: npt.NDArray[np.intp]) -> list[Draw]:
        """Ranges of one texture in a list of triangles that is sorted by texture."""
        if len(triangles) == 0:
            return []
        numbers = self._texture_of[triangles]
        starts = np.flatnonzero(np.diff(numbers, prepend=numbers[0] - 1))
        ends = np.append(starts[1:], len(triangles))
        return [
            Draw(int(first), int(last - first), self._textures[numbers[first]] if numbers[first] >= 0 else None)
            for first, last in zip(starts, ends, strict=True)
        ]

    @property
    def uploaded(self) -> int:
        """Bytes sent to the GPU since the surface was made, textures aside."""
        return sum(buffer.written for buffer in self._all_buffers)

    @property
    def _all_buffers(self) -> list[GrowingBuffer]:
        return [*self._buffers.values(), self._plain, self._everything, self._path_list]

    def release(self) -> None:
        """Frees the GPU memory."""
        resources: list[Releasable] = [*self._all_buffers, *self._textures]
        for resource in resources:
            resource.release()


@dataclass(frozen=True)
class _Cut:
    """A frame's triangles divided between the two programs, for one target edge."""

    target_edge: float
    patches: Patches
    plain: list[Draw]
    draws: list[Draw]
    limited_edges: int


def _least_width(packed: Packed) -> float:
    if len(packed.points) == 0:
        return 0.0
    # The last point of a path starts no segment, so its width half-way along one means nothing.
    starts = packed.segments
    least = float(min(packed.points[:, 3].min(), packed.points[starts, 12].min(initial=np.inf)))
    if not least > 0.0:
        raise ValueError(f"wrinkle widths must be positive, not {least}")
    return least


def _shaped(name: str, values: npt.ArrayLike, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    array = np.ascontiguousarray(values, dtype=dtype)
    if array.shape != shape:
        raise ValueError(f"{name} must have shape {shape}, not {array.shape}")
    return array


def _checked_faces(faces: npt.ArrayLike, vertex_count: int) -> npt.NDArray[np.uint32]:
    array = np.asarray(faces)
    if array.size == 0:
        array = array.reshape(0, 3)
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"faces must have shape (m, 3), not {array.shape}")
    wrong = np.flatnonzero(((array < 0) | (array >= vertex_count)).any(axis=1))
    if len(wrong):
        raise ValueError(
            f"vertex numbers must lie in [0, {vertex_count}), but triangle {wrong[0]} has {array[wrong[0]].tolist()}"
        )
    if len(array) >= 1 << 29:
        raise ValueError(f"a surface may have at most {(1 << 29) - 1} triangles, not {len(array)}")
    return np.ascontiguousarray(array, dtype=np.uint32)
