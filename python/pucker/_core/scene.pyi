"""
A clip with its run and its surfaces, as programs show it.
"""

from __future__ import annotations
import collections.abc
import numpy
import numpy.typing
import pucker._core
import pucker._core._waves
import pucker._core.draw
import typing

__all__: list[str] = ["ClipScene", "Replay", "cloth_at", "drag", "fitted_camera", "front_of", "scenery_of"]

class Replay:
    """
    The states of a clip's frames, in any order.

    A frame's detail depends on all frames before it. They are computed in order, and the run is saved now and then, so that an
    earlier frame is reached sooner than from the start; the bits are the same either way.
    """
    def __init__(self, clip: typing.Any, method: typing.Any) -> None:
        """
        `method` has not seen a frame of the clip yet.
        """
    def approach(self, frame: typing.SupportsInt | typing.SupportsIndex) -> bool:
        """
        Goes one step of the shortest way to `frame`; says whether it stands there now. Raises ValueError for a frame that the clip does not have.
        """
    def seek(self, frame: typing.SupportsInt | typing.SupportsIndex) -> typing.Any:
        """
        The state of `frame`, the same bits in whatever order frames are asked for. Raises ValueError for a frame that the clip does not have.
        """
    @property
    def frame(self) -> int:
        """
        Where the run stands.
        """
    @property
    def saved(self) -> list[int]:
        """
        Frames after which the run was saved.
        """
    @property
    def state(self) -> typing.Any:
        """
        The state of that frame.
        """

class ClipScene:
    """
    Garment and body of a clip as what is drawn of them, frame by frame.
    """
    def __init__(
        self,
        clip: pucker._core.Clip,
        textures: numpy.typing.ArrayLike,
        pictures: collections.abc.Sequence[
            tuple[typing.SupportsInt | typing.SupportsIndex, typing.SupportsInt | typing.SupportsIndex, bytes]
        ],
    ) -> None:
        """
        textures: the number in `pictures` of what each material shows, -1 for none. pictures: (width, height, RGBA).
        Raises ValueError for another number of materials, and for a picture there is not.
        """
    def show(self, frame: typing.SupportsInt | typing.SupportsIndex, authored: bool = False) -> None:
        """
        Moves both to a frame, without detail, unless they stand there; `authored`: lit by the file's normals where it
        has some. Raises ValueError for a frame that the clip does not have.
        """
    def style(self, style: pucker._core.draw.Style, camera: pucker._core.draw.Camera) -> pucker._core.draw.Style:
        """
        The style with what it leaves open as suits the clip: found from the first frame, so that a clip has one light.
        """
    @property
    def body(self) -> pucker._core.draw.Surface | None:
        """
        That of the rest; None if the whole character is cloth.
        """
    @property
    def garment(self) -> pucker._core.draw.Surface:
        """
        The Surface that wrinkles; its mesh is that of the clip.
        """

def cloth_at(
    clip: pucker._core.Clip,
    frame: typing.SupportsInt | typing.SupportsIndex,
    camera: pucker._core.draw.Camera,
    size: typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"],
    x: typing.SupportsFloat | typing.SupportsIndex,
    y: typing.SupportsFloat | typing.SupportsIndex,
) -> tuple[int, typing.Annotated[list[float], "FixedSize(3)"], float] | None:
    """
    Triangle, barycentric coordinates and distance of the cloth under a pixel; None if there is none, or if the body hides it. Raises ValueError for a frame that the clip does not have.
    """

def drag(
    painting: pucker._core._waves.PaintingBase,
    clip: pucker._core.Clip,
    frame: typing.SupportsInt | typing.SupportsIndex,
    camera: pucker._core.draw.Camera,
    size: typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"],
    to: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(2)"],
    way: typing.Annotated[collections.abc.Sequence[typing.SupportsFloat | typing.SupportsIndex], "FixedSize(2)"],
    *,
    erase: bool,
    radius: typing.SupportsFloat | typing.SupportsIndex,
    strength: typing.SupportsFloat | typing.SupportsIndex,
) -> None:
    """
    Paints where the mouse is after it has moved by `way`, pixels right and down: wrinkles across it, none beside the cloth. `radius`: as a share of the clip's height. Raises ValueError for a frame that the clip does not have, and as `stroke` or `erase`.
    """

def fitted_camera(
    clip: pucker._core.Clip,
    view: typing.Any,
    aspect: typing.SupportsFloat | typing.SupportsIndex,
    focus: str,
    frames: typing.Annotated[collections.abc.Sequence[typing.SupportsInt | typing.SupportsIndex], "FixedSize(2)"]
    | None = None,
) -> pucker._core.draw.Camera:
    """
    The nearest camera of a view, see Camera.fit, that sees the garment (focus `cloth`) or the whole character (`all`).

    In `frames`, the first and the last, or in all; of the rest, as of `scenery_of`, what is in sight is not cut off. The azimuth
    counts from where the character faces (`front_of`). Raises ValueError for another focus and for frames that the clip does not
    have.
    """

def front_of(clip: pucker._core.Clip) -> float:
    """
    The azimuth a character faces in its bind pose in quarters of a turn: -90, 0 (+z), 90 (+x) or 180 degrees.

    By the names of its joints: to where its toes are of its feet, else to the front of a left and a right side, as joints that
    have left or L, right or R in them. 0 where neither tells.
    """

def scenery_of(clip: pucker._core.Clip) -> numpy.typing.NDArray[numpy.bool]:
    """
    Which stored vertices of the body are scenery, (nb,) bool, as of a ground that is many times as wide as the character.

    A connected piece of the body is scenery if it stands still in all frames, has no vertex that several joints move, is not
    sewn to the garment, and reaches farther from the box round the character than that box's diagonal. The box is that of the
    garment and of all pieces that move, that joints blend or that are sewn on. So a seat, a plinth, a wall at the character's
    back and a second character are none.
    """
