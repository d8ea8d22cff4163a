"""Pictures of a clip, frame by frame."""

from collections.abc import Collection, Sequence
from types import TracebackType
from typing import Any, Literal, Self, get_args

import moderngl
import numpy as np
import numpy.typing as npt

from pucker._core import Clip, draw, scene
from pucker._core.draw import Lines, Mode, Style
from pucker._core.scene import front_of, scenery_of
from pucker.method import detail_of
from pucker.shading import Normals, check_normals

from ..io.pictures import distinct
from .camera import DEFAULT_VIEW, VIEWS, Camera, View
from .output import Picture, straight_alpha
from .overlays import Overlays, line_width
from .renderer import Renderer
from .surface import DrawnSurface, Texels, decoded

Focus = Literal["cloth", "all"]


class ClipRenderer:
    """Draws the frames of a clip in pictures of one size (width, height).

    Args:
        clip: The garment with its positions, and the rest of the character.
        params: Parameters of the run that made the detail, for what does not bring them along as a state does.
        view, focus, frames: Name of a view or (azimuth, elevation) in degrees, from which the frames, the first and the
            last of them or all, fill the picture: "cloth" those of the garment, "all" those of the whole character. See
            `fitted_camera`.
        camera: Takes their place.
        normals: What is lit by: "smooth", the means over the triangles round a vertex, of garment and body together
            where they are sewn to each other; or "file", with its hard edges, the file's where it has some.
    """

    def __init__(
        self,
        clip: Clip,
        size: tuple[int, int] = draw.PICTURE_SIZE,
        *,
        params: Any = None,
        view: View = DEFAULT_VIEW,
        focus: Focus = "cloth",
        frames: tuple[int, int] | None = None,
        camera: Camera | None = None,
        normals: Normals = "smooth",
        style: Style | None = None,
        samples: int = draw.SAMPLES,
        context: moderngl.Context | None = None,
    ) -> None:
        check_normals(normals)
        self._clip, self._normals = clip, normals
        self.style = style or Style()
        self._params = params
        self.camera = camera or fitted_camera(clip, view, size, focus=focus, frames=frames)
        self._renderer = Renderer(size, samples=samples, context=context)
        self._scene, _, pictures = scene_of(clip)
        self._garment = self._renderer.drawn(self._scene.garment, pictures)
        self._body = None if self._scene.body is None else self._renderer.drawn(self._scene.body, pictures)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Frees what the pictures needed."""
        self._renderer.close()

    @property
    def renderer(self) -> Renderer:
        """What draws, for pictures beyond those of `frame`."""
        return self._renderer

    @property
    def garment(self) -> DrawnSurface:
        """The surface that wrinkles."""
        return self._garment

    @property
    def surfaces(self) -> list[DrawnSurface]:
        """Everything that is drawn."""
        return [self._garment] if self._body is None else [self._body, self._garment]

    def frame(
        self,
        index: int,
        state: Any = None,
        *,
        mode: Mode | str = Mode.both,
        overlays: Overlays | Collection[str] = (),
        lines: Sequence[Lines] = (),
        alpha: bool = False,
    ) -> Picture:
        """A picture (height, width, 3) of frame `index`.

        Args:
            index: Its number.
            state: A state of any method, its detail, packed wrinkles, or None for the mesh without wrinkles.
            mode: What of the detail is drawn: "base", "normals", "displacement" or "both".
            overlays: What is drawn over it: names of `Overlays`, or such an object.
            lines: Further lines in space.
            alpha: Leaves the background away: the picture is (height, width, 4) with straight alpha.

        Raises:
            ValueError: For a frame, a mode or an overlay there is not, and for an overlay of what the state has not.
        """
        shown = Overlays.of(overlays)
        self.show(index, state, mode=mode, overlays=shown)
        style = self.drawn_style(mode=mode, overlays=shown)
        lines = [*shown.lines(state, self._clip.faces, self._clip.positions[index]), *lines]
        if not alpha:
            return np.ascontiguousarray(self._renderer.render(self.surfaces, self.camera, style, lines)[..., :3])
        # Over black, what a pixel holds is its colour times its alpha.
        over_black = style.replace(background=(0.0, 0.0, 0.0))
        return straight_alpha(self._renderer.render(self.surfaces, self.camera, over_black, lines))

    def drawn_style(self, *, mode: Mode | str = Mode.both, overlays: Overlays | Collection[str] = ()) -> Style:
        """The style of the pictures, with what it leaves open as suits the clip."""
        overlays = Overlays.of(overlays)
        stroke_width = draw.STROKE_SHARE * self._renderer.size[1]
        chosen: Style = self._scene.style(self.style, self.camera).replace(
            mode=Mode(mode),
            stroke_width=line_width(overlays.strokes, stroke_width),
            wire_width=line_width(overlays.wireframe, draw.WIRE_WIDTH),
            reached=overlays.reached,
            tessellation=overlays.tessellation,
        )
        return chosen

    def show(
        self,
        index: int,
        state: Any = None,
        *,
        mode: Mode | str = Mode.both,
        overlays: Overlays | Collection[str] = (),
    ) -> None:
        """Sends a frame and the tints of its overlays to the GPU without drawing it."""
        tints = Overlays.of(overlays).tints(state)
        garment = self._garment
        self._scene.show(index, authored=self._normals == "file")
        positions = self._clip.positions[index]
        detail = None if state is None else detail_of(state, garment.content.mesh, positions, self._params)
        garment.set_detail(detail, Mode(mode))
        garment.set_tints(tints)
        for surface in self.surfaces:
            surface.send()

    def timings(self) -> dict[str, float]:
        """GPU time of each pass of the last picture [s]; see `Renderer.timings`."""
        return self._renderer.timings()


def scene_of(clip: Clip) -> tuple[scene.ClipScene, list[bytes], list[Texels]]:
    """The surfaces of a clip with the pictures of its materials: as files hold these, and decoded, see `decoded`."""
    images, numbers = distinct(clip.material_list)
    pictures = [decoded(image) for image in images]
    return scene.ClipScene(clip, numbers, pictures), images, pictures


def fitted_camera(
    clip: Clip,
    view: View,
    size: tuple[int, int],
    *,
    focus: Focus = "cloth",
    frames: tuple[int, int] | None = None,
) -> Camera:
    """The nearest camera of a view, see `Camera.fit`, that has frames of a clip in pictures of a size.

    Azimuths count from where the character faces, see `front_of`. `focus` "cloth" fits the camera to the garment: of the
    rest of the character there is what is in sight, not cut off in depth. "all" fits it to the whole character, without the
    ground and other scenery around it, see `scenery_of`. `frames` are the first and the last of those that it fits, all
    without. Raises ValueError for frames that the clip does not have.
    """
    if min(size) < 1:
        raise ValueError(f"a picture must be at least 1 pixel wide and high, not {size[0]} x {size[1]}")
    if focus not in get_args(Focus):
        raise ValueError(f"focus must be one of {', '.join(get_args(Focus))}, not {focus!r}")
    return scene.fitted_camera(clip, view, size[0] / size[1], focus, frames)


def seen_from(clip: Clip, view: View = DEFAULT_VIEW) -> tuple[float, float]:
    """Azimuth and elevation in degrees, as of `Camera.fit`, from which a clip is seen in a view of its own."""
    azimuth, elevation = VIEWS[view] if isinstance(view, str) else view
    return azimuth + front_of(clip), elevation


def points_of(clip: Clip, frames: slice) -> npt.NDArray[np.float64]:
    """All positions (k, 3) of some frames that a camera fits: of the garment, and of the body without `scenery_of`."""
    scenery = scenery_of(clip)
    return _stacked(clip, frames, ~scenery if scenery.any() else slice(None))


def drawn_points(clip: Clip, frames: slice) -> npt.NDArray[np.float64]:
    """All positions (k, 3) of some frames, garment and body."""
    return _stacked(clip, frames, slice(None))


def _stacked(clip: Clip, frames: slice, body: slice | npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    garment = np.asarray(clip.positions[frames], dtype=np.float64).reshape(-1, 3)
    if not len(clip.body_faces):
        return garment
    return np.concatenate([garment, np.asarray(clip.body_positions[frames][:, body], dtype=np.float64).reshape(-1, 3)])
