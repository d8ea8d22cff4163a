"""
Open files, and how an animation that was read elsewhere becomes one: what `pucker.io` builds on.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import os
import pucker._core
import typing

__all__: list[str] = ["Character", "Source", "from_frames", "from_poses", "open_file", "pack_clip", "read_clip"]

class Character:
    """
    The fixed part of a character: everything but its motion.
    """
    def __init__(
        self,
        vertices: typing.SupportsInt | typing.SupportsIndex,
        faces: numpy.typing.ArrayLike,
        *,
        uv: numpy.typing.ArrayLike | None = None,
        face_pieces: numpy.typing.ArrayLike | None = None,
        pieces: collections.abc.Sequence[typing.Annotated[collections.abc.Sequence[str], "FixedSize(2)"]] = [],
        face_materials: numpy.typing.ArrayLike | None = None,
        materials: collections.abc.Sequence[pucker._core.Material] = [],
        joints: collections.abc.Sequence[str] = [],
        influences: typing.Any = None,
        normals: numpy.typing.ArrayLike | None = None,
    ) -> None:
        """
        A character of `vertices` stored vertices, N.

        Args:
            faces: (m, 3) stored vertices.
            uv: (N, 2), (0, 0) in the lower left corner of the picture.
            face_pieces: (m,) index into `pieces`; None: 0.
            pieces: Names of the node and the mesh of triangles, empty where there is none; no pieces: one without names.
            face_materials: (m,) index into `materials`; None: 0.
            materials: No materials: one without name.
            joints: Distinct names.
            influences: Three arrays (k,): vertex, joint and weight; the weights of a vertex sum to 1.
            normals: (N, 3) in the pose beside the clips, zero for a vertex without.

        Raises:
            ValueError: For a wrong shape; indices are checked when the character is given a motion.
        """

class Source:
    """
    An open file.
    """
    def inspect(self) -> pucker._core.FileInfo:
        """
        What the file holds; see `pucker.inspect`.
        """
    def load(
        self,
        *,
        clip: str | None = None,
        parts: collections.abc.Sequence[str] | None = None,
        fps: typing.SupportsFloat | typing.SupportsIndex = 30.0,
        loops: typing.SupportsInt | typing.SupportsIndex = 1,
        smooth: typing.SupportsInt | typing.SupportsIndex = 0,
        memory: typing.SupportsInt | typing.SupportsIndex = 2147483648,
        frames: typing.SupportsInt | typing.SupportsIndex = 100000,
        beginning: typing.SupportsInt | typing.SupportsIndex | None = None,
    ) -> pucker._core.Clip:
        """
        One clip of the file; see `pucker.load`.

        With `beginning`, at least 1, so many of its first frames: the bits of `Clip.beginning`, without the memory of the others.
        """
    def part_numbers(self, kind: str) -> numpy.typing.NDArray[numpy.int32]:
        """
        Which part of a kind, 'materials', 'nodes', 'meshes' or 'joints', each triangle is of, (m,) int32, in the
        order of `select`: its number in the order of `FileInfo`'s, -1 for one without a name or joint.

        Raises ValueError for another kind.
        """
    def select(self, parts: collections.abc.Sequence[str]) -> numpy.typing.NDArray[numpy.bool]:
        """
        Which triangles `parts` means, (m,) bool, in the order of the file: that of `Clip.faces` of the whole character,
        with `Clip.other_sides` among them.

        Raises ValueError for a name that chooses none.
        """

def from_frames(
    path: os.PathLike | str | bytes,
    format: str,
    character: Character,
    positions: numpy.typing.ArrayLike,
    times: numpy.typing.ArrayLike | None = None,
) -> Source:
    """
    A character that is stored frame by frame.

    Args:
        path: Names the source in clips and errors.
        format: `FileInfo.format`.
        positions: (frames, N, 3).
        times: (frames,) seconds, strictly increasing; None: as many frames per second as are asked for.

    Raises:
        ValueError: Unless the arrays fit each other.
    """

def from_poses(
    path: os.PathLike | str | bytes,
    format: str,
    character: Character,
    rest: numpy.typing.ArrayLike,
    clips: collections.abc.Sequence[
        tuple[
            str,
            typing.SupportsFloat | typing.SupportsIndex,
            collections.abc.Callable[[float], typing.Annotated[numpy.typing.ArrayLike, numpy.float64, "[m, 3]"]],
        ]
    ],
    *,
    bind_pose: numpy.typing.ArrayLike | None = None,
) -> Source:
    """
    A character whose pose at any time is computed.

    Args:
        path: Names the source in clips and errors.
        format: `FileInfo.format`.
        rest: (N, 3), the pose beside the clips.
        clips: Name, duration in seconds, and a function from a time in [0, duration] to positions (N, 3) float64.
        bind_pose: (N, 3), the pose the skin was bound in, at the scale of the clips; see `Clip.rest`.

    Raises:
        ValueError: Unless the arrays fit each other.
    """

def open_file(
    path: os.PathLike | str | bytes,
    motion: os.PathLike | str | bytes | None = None,
    *,
    contents: collections.abc.Mapping[os.PathLike | str | bytes, bytes] = {},
    anywhere: bool = False,
    memory: typing.SupportsInt | typing.SupportsIndex = 2147483648,
    frames: typing.SupportsInt | typing.SupportsIndex = 100000,
) -> Source:
    """
    A file of a format the core reads; see `pucker.load`.

    Args:
        contents: By `path` or `motion`, if it is a glTF, FBX or Collada file: the bytes that are read in place of those on
            disk, of the same format or, for glTF, a GLB. Pictures are looked for beside the file, and errors name it.

    Raises:
        pucker.Error: As `pucker.load`.
        ValueError: For contents of another file.
    """

def pack_clip(clip: pucker._core.Clip) -> bytes:
    """
    The bytes of a .npz that `read_clip`, and the native viewer, make the same clip of.
    """

def read_clip(
    path: os.PathLike | str | bytes,
    *,
    memory: typing.SupportsInt | typing.SupportsIndex = 2147483648,
    frames: typing.SupportsInt | typing.SupportsIndex = 100000,
) -> pucker._core.Clip:
    """
    The clip of a file with the bytes of `pack_clip`. Raises pucker.Error.
    """
