"""A triangle mesh on the GPU, with or without wrinkles."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import Any, Final

import moderngl
import numpy as np
import numpy.typing as npt
from PIL import Image

from .appearance import DEFAULTS
from .buffers import GrowingBuffer, Releasable
from .current import Device, in_context
from .packed import MOST_TRIANGLES, Packed, PackedLike
from .patches import MAX_LEVEL, edge_levels, edge_numbers, edge_twins, find_patches, split_draws, vertex_counts
from .shaders import binding, constants

_SRGB8_ALPHA8 = 0x8C43
# Bytes of a refined sample and of a segment's bounding sphere.
_SAMPLE_BYTES, _SPHERE_BYTES = 32, 16
# Invocations of a work group of the compute programs.
_GROUP = 64
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
        device: Device,
        faces: npt.ArrayLike,
        vertex_count: int,
        *,
        colours: npt.ArrayLike | None = None,
        texcoords: npt.ArrayLike | None = None,
        textures: npt.ArrayLike | None = None,
        images: Sequence[bytes] = (),
        weld: npt.ArrayLike | None = None,
    ) -> None:
        self.device = device
        context = device.context
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
            "Spheres", "Patches", "Twins", "DrawList",
        )  # fmt: skip
        self._buffers = {name: GrowingBuffer(context) for name in names}
        self._buffers["Faces"].write(self._faces)
        self._buffers["Twins"].write(edge_twins(self._edges))
        self._buffers["Texcoords"].write(
            _shaped("texcoords", np.zeros((count, 3, 2)) if texcoords is None else texcoords, (count, 3, 2), np.float32)
        )
        self._buffers["Colours"].write(
            _shaped(
                "colours", np.tile(DEFAULT_COLOUR, (count, 1)) if colours is None else colours, (count, 4), np.uint8
            )
        )
        self._buffers["Tints"].write(np.zeros(count, dtype=np.uint32))
        self._buffers["Triangles"].write(np.zeros((count, 2), dtype=np.uint32))
        self._buffers["Patches"].write(np.zeros(count, dtype=np.uint32))
        self._buffers["DrawList"].write(self._by_texture.astype(np.uint32))
        self._draws = self._grouped_by_texture()
        self._tinted = False
        self._positions = np.zeros((vertex_count, 3), dtype=np.float32)
        self._packed = Packed.empty(count)
        self._has_positions = False
        self._segments = 0
        self._entries = 0
        self._target_edge = 0.0
        self._cut: _Cut | None = None
        self._refined = True

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
            cut.patches,
            self.triangle_count - cut.patches,
            len(self._draws) + len(cut.draws),
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

    @in_context
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

    @in_context
    def set_tints(self, tints: npt.ArrayLike | None) -> None:
        """Lays colours (m, 4) uint8, sRGB with the share as alpha, over the triangles; None takes them off."""
        count = self.triangle_count
        if tints is None and not self._tinted:
            return
        values = (
            np.zeros((count, 4), dtype=np.uint8) if tints is None else _shaped("tints", tints, (count, 4), np.uint8)
        )
        self._buffers["Tints"].write(values)
        self._tinted = tints is not None

    @in_context
    def set_wrinkles(self, packed: PackedLike | None, *, smallest_width: float | None = None) -> None:
        """Takes the wrinkles of a frame, None for none.

        `smallest_width` is the least width L_min a wrinkle may have, in the units of the mesh; tessellated edges are
        3/8 of it. Without it, the least width among the path points counts.
        """
        count = self.triangle_count
        before = self._packed
        self._packed = Packed.empty(count) if packed is None else Packed.checked(packed, count)
        if smallest_width is not None and not smallest_width > 0.0:
            raise ValueError(f"the smallest width of a wrinkle must be positive, not {smallest_width}")
        self._target_edge = TARGET_EDGE_SHARE * (smallest_width or _least_width(self._packed))
        self._cut = None
        if len(before.points) or len(self._packed.points):
            self._write_packed()

    def _write_packed(self) -> None:
        packed = self._packed
        entries = packed.entries
        self._entries = len(entries)
        self._buffers["Reach"].write(entries)
        self._buffers["Points"].write(packed.points)
        samples = constants()["SAMPLES_PER_SEGMENT"] * len(packed.points)
        self._buffers["Samples"].reserve(samples * _SAMPLE_BYTES)
        self._buffers["Spheres"].reserve(len(packed.points) * _SPHERE_BYTES)
        self._segments = len(packed.segments)
        self._refined = False

    def needs_refining(self) -> bool:
        """Whether `refine` has anything to do. Raises ValueError if the surface has no positions yet."""
        if not self._has_positions:
            raise ValueError("a surface must be given positions before it is drawn")
        return not self._refined

    def refine(self, programs: Mapping[str, moderngl.ComputeShader], context: moderngl.Context) -> None:
        """Runs the compute programs over triangles, reach and path points, once for each set of wrinkles."""
        if not self.needs_refining():
            return
        self.bind()
        for name, uniform, count in (
            ("clear", "triangle_count", self.triangle_count),
            ("reach", "reach_count", self._entries),
            ("curve", "segment_count", len(self._packed.points) - 1),
        ):
            if count > 0:
                programs[name][uniform] = count
                programs[name].run((count + _GROUP - 1) // _GROUP)
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
        """Binds the buffers as the manifest says."""
        for name, buffer in self._buffers.items():
            buffer.bind(binding(name))

    @property
    def draws(self) -> list[Draw]:
        """Draws of all triangles."""
        return self._draws

    @property
    def path_points(self) -> int:
        """Number of path points, over all wrinkles."""
        return len(self._packed.points)

    def patch_draws(self, target_edge: float) -> list[Draw]:
        """Draws of all tessellated triangles and, which the control shader drops, of some others."""
        return self._cut_for(target_edge).draws

    def _cut_for(self, target_edge: float) -> "_Cut":
        if self._cut is None or self._cut.target_edge != target_edge:
            self._cut = self._make_cut(target_edge)
        return self._cut

    def _make_cut(self, target_edge: float) -> "_Cut":
        found = find_patches(self._packed.triangles[:, 0], self._edges)
        levels = edge_levels(found, self._faces, self._positions, target_edge)
        vertices = np.zeros(self.triangle_count, dtype=np.int64)
        vertices[found.triangles] = vertex_counts(levels)
        vertices = vertices[self._by_texture]
        draws = [
            Draw(group.first + first, last - first, group.texture)
            for group in self._draws
            for first, last in split_draws(vertices[group.first : group.first + group.count])
        ]
        return _Cut(target_edge, len(found.triangles), draws, int((levels > MAX_LEVEL).sum()))

    def _grouped_by_texture(self) -> list[Draw]:
        """Ranges of one texture in the list of all triangles, which is sorted by texture."""
        numbers = self._texture_of[self._by_texture]
        starts = np.flatnonzero(np.diff(numbers, prepend=-2))
        ends = np.append(starts[1:], len(numbers))
        return [
            Draw(int(first), int(last - first), self._textures[numbers[first]] if numbers[first] >= 0 else None)
            for first, last in zip(starts, ends, strict=True)
        ]

    @property
    def uploaded(self) -> int:
        """Bytes sent to the GPU since the surface was made, textures aside."""
        return sum(buffer.written for buffer in self._buffers.values())

    def release(self) -> None:
        """Frees the GPU memory."""
        resources: list[Releasable] = [*self._buffers.values(), *self._textures]
        for resource in resources:
            resource.release()


@dataclass(frozen=True)
class _Cut:
    """How a frame's patches are drawn, for one target edge."""

    target_edge: float
    patches: int
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
    if len(array) > MOST_TRIANGLES:
        raise ValueError(f"a surface may have at most {MOST_TRIANGLES} triangles, not {len(array)}")
    return np.ascontiguousarray(array, dtype=np.uint32)
