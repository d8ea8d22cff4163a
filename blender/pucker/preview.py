"""The wrinkled surface at the scene's frame, beside the object that it is made of."""

import time
from collections.abc import Generator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
import numpy.typing as npt
from bpy.app.handlers import persistent

import pucker
from pucker.bake.mesh import MAX_LEVEL, own_mesh
from pucker.method import levels_for
from pucker.replay import Replay

from . import surface
from .cloth import Frames, is_unseen
from .jobs import SLICE

# Seconds that Blender has for itself between two moments of work.
PAUSE = 0.01
# Of frames that are kept, in all previews: 250 of a surface of 350 000 vertices.
_KEPT_BYTES = 2**30


def _object(number: int) -> bpy.types.Object | None:
    return next((obj for obj in bpy.data.objects if obj.session_uid == number), None)


@dataclass(frozen=True)
class _Looks:
    """How an object is shown in the viewport, and whether renders leave it out."""

    display: str
    hidden: bool

    def give(self, obj: bpy.types.Object) -> None:
        """Has an object look so."""
        obj.display_type, obj.hide_render = self.display, self.hidden


# Of what is previewed: a render that had both would show two surfaces in one place.
_AS_WIRES = _Looks("WIRE", hidden=True)


class Preview:
    """The wrinkled surface of one object.

    Both objects are known by numbers that stay when they are renamed, and when something is undone. Where one of them is
    gone, by undoing or by hand, the preview waits for it to come back.
    """

    def __init__(self, obj: bpy.types.Object, run: Replay, frames: Frames, rest: int) -> None:
        self.run = run
        self._rest = rest
        self.frames = frames
        self.way: Generator[float, None, None] | None = None
        # Seconds of the longest step so far, which says whether the next one needs a progress bar.
        self.longest = 0.0
        self._looks = _Looks("", hidden=False)
        self._source = obj.session_uid
        self._shown = 0  # the number of none
        self._stands = False
        self._aside: tuple[list[bpy.types.Collection], bpy.types.Mesh] | None = None
        # Of a method with a mesh of its own, which is the same in all frames: that, and positions by the clip's frame.
        self._own: surface.Divided | None = None
        self._kept: dict[int, npt.NDArray[np.float32]] = {}

    @property
    def source(self) -> bpy.types.Object | None:
        """What it is the preview of."""
        return _object(self._source)

    @property
    def shown(self) -> bpy.types.Object | None:
        """What shows it."""
        return _object(self._shown)

    def index(self, frame: int) -> int:
        """The clip's frame that a frame of the scene shows: outside of the range its nearest end."""
        return int(np.clip(frame, self.frames.first, self.frames.last)) - self.frames.first

    @property
    def kept_bytes(self) -> int:
        """Memory of the frames that are kept."""
        return sum(each.nbytes for each in self._kept.values())

    def state(self, frame: int) -> Any:
        """The state at a frame of the scene."""
        return self.run.seek(self.index(frame))

    def keeps(self, frame: int) -> bool:
        """Whether a frame of the scene can be shown without computing it."""
        return self.index(frame) in self._kept

    def approach(self, frame: int) -> Generator[float, None, None]:
        """Takes the run to a frame of the scene that is not kept, step by step; yields the share of the way that is done."""
        goal, steps = self.index(frame), 0
        while not self.keeps(frame) and not self._timed(self.run.approach, goal):
            steps += 1
            yield steps / (steps + abs(goal - self.run.frame))

    def appear(self, frame: int) -> None:
        """Shows a frame of the scene in a new object, in the place of the source, which becomes wires."""
        source = self.source
        name = f"{source.name} wrinkled"
        shown = bpy.data.objects.new(name, surface.empty_mesh(name, source))
        bpy.context.scene.collection.objects.link(shown)
        self._shown = shown.session_uid
        try:
            self.update(frame)
        except BaseException:
            _clear(None, shown, self._looks)
            raise
        self._looks = _Looks(source.display_type, hidden=source.hide_render)
        _AS_WIRES.give(source)
        self._stands = True

    def update(self, frame: int) -> None:
        """Shows a frame of the scene."""
        self._timed(self._fill, frame)

    def check(self) -> bool:
        """Whether both objects are there. Where one is gone, the other one is left as if there had been no preview."""
        source, shown = self.source, self.shown
        there = source is not None and shown is not None
        if self._stands and not there:
            self.way = None
            _clear(source, shown, self._looks)
        self._stands = there
        return there

    def leave(self) -> None:
        """Takes it away."""
        _clear(self.source, self.shown, self._looks)

    def step_aside(self) -> None:
        """Takes it out of the scene while that is saved: what nothing uses is not written."""
        self._aside = None
        if self.check():
            source, shown = self.source, self.shown
            self._aside = list(shown.users_collection), shown.data
            for collection in shown.users_collection:
                collection.objects.unlink(shown)
            shown.data = source.data
            self._looks.give(source)

    def step_back(self) -> None:
        """Puts it where it was before `step_aside`."""
        if self._aside is not None:
            collections, self.shown.data = self._aside
            for collection in collections:
                collection.objects.link(self.shown)
            _AS_WIRES.give(self.source)
            self._aside = None

    def _timed(self, step: Any, *arguments: Any) -> Any:
        before = time.perf_counter()
        try:
            return step(*arguments)
        finally:
            self.longest = max(self.longest, time.perf_counter() - before)

    def _fill(self, frame: int) -> None:
        mesh, index = self.shown.data, self.index(frame)
        if not self.keeps(frame):
            state = self.state(frame)
            fine = own_mesh(state.detail)
            if fine is None:
                self._fill_with_paths(mesh, state, index)
                return
            self._own = self._own or surface.Divided(self.run.clip, fine, self._rest)
            positions = self._own.positions(state.detail, index).astype(np.float32)
            if sum(made.kept_bytes for made in _previews.values()) + positions.nbytes <= _KEPT_BYTES:
                self._kept[index] = positions
        else:
            positions = self._kept[index]
        if not surface.moved(mesh, positions, self._own.faces):
            surface.fill(mesh, positions, self._own.faces, uv=self._own.uv, materials=self._own.materials)

    def _fill_with_paths(self, mesh: bpy.types.Mesh, state: Any, index: int) -> None:
        clip = self.run.clip
        levels = levels_for(state.detail, clip.mesh, clip.positions[index], self.source.pucker.preview_edge)
        fine = pucker.Subdivision(clip.mesh, np.minimum(levels, MAX_LEVEL))
        divided = surface.Divided(clip, fine, self._rest)
        surface.fill(
            mesh,
            divided.positions(state.detail, index),
            divided.faces,
            uv=divided.uv,
            materials=divided.materials,
            tints=divided.tints(state),
        )


def _clear(source: bpy.types.Object | None, shown: bpy.types.Object | None, looks: _Looks) -> None:
    if source is not None:
        looks.give(source)
    if shown is not None:
        mesh = shown.data
        bpy.data.objects.remove(shown)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)


_previews: dict[int, Preview] = {}


def of(obj: bpy.types.Object | None) -> Preview | None:
    """The preview of an object, None if it has none."""
    made = None if obj is None else _previews.get(obj.session_uid)
    return made if made is not None and made.shown is not None else None


def source_of(obj: bpy.types.Object | None) -> bpy.types.Object | None:
    """What an object shows the preview of, None if it shows none."""
    return next((made.source for made in _previews.values() if obj is not None and made.shown == obj), None)


def begin(obj: bpy.types.Object, made: Preview) -> None:
    """Shows an object's wrinkles from now on, in place of what was shown of it."""
    end(obj)
    made.appear(bpy.context.scene.frame_current)
    _previews[obj.session_uid] = made


def end(obj: bpy.types.Object) -> None:
    """Takes the preview of an object away, if there is one."""
    made = _previews.pop(obj.session_uid, None)
    if made is not None:
        made.leave()


def at_once() -> bool:
    """Whether a frame must be there when it is asked for: without a window, and where Blender renders."""
    return bpy.app.background or bpy.app.is_job_running("RENDER")


def _bar() -> bpy.types.WindowManager:
    """Who shows a progress bar."""
    return bpy.context.window_manager


def _standing(scene: bpy.types.Scene) -> list[Preview]:
    """The previews in a scene."""
    return [made for made in _previews.values() if made.check() and made.source.name in scene.objects]


@persistent
def _follow(scene: bpy.types.Scene, *_: Any) -> None:
    standing = [] if is_unseen() else _standing(scene)
    if at_once():
        for made in standing:
            made.way = None
            made.update(scene.frame_current)
        return
    if not standing:
        return
    # One step of what is slow may take longer than a moment; the bar has to stand before.
    slow = any(made.longest > SLICE and not made.keeps(scene.frame_current) for made in standing)
    if slow:
        _bar().progress_begin(0.0, 1.0)
    for made in standing:
        made.way = made.approach(scene.frame_current)
    if catch_up() is not None:
        if not slow:
            _bar().progress_begin(0.0, 1.0)
        if not bpy.app.timers.is_registered(catch_up):
            bpy.app.timers.register(catch_up, first_interval=PAUSE)


def catch_up() -> float | None:
    """Takes previews a moment farther on their way to the scene's frame; when to call it again, None if all are there."""
    until = time.perf_counter() + SLICE
    for made in [each for each in _previews.values() if each.way and each.check()]:
        for share in made.way:
            _bar().progress_update(share)
            if time.perf_counter() > until:
                return PAUSE
        made.way = None
        made.update(bpy.context.scene.frame_current)
    _bar().progress_end()
    return None


@persistent
def _forget(*_: Any) -> None:
    _previews.clear()


@persistent
def _step_aside(*_: Any) -> None:
    for made in _previews.values():
        made.step_aside()


@persistent
def _step_back(*_: Any) -> None:
    for made in _previews.values():
        made.step_back()


_HANDLERS = {
    "frame_change_post": _follow,
    "load_pre": _forget,
    "save_pre": _step_aside,
    "save_post": _step_back,
    "save_post_fail": _step_back,
}


def register() -> None:
    """Follows the scene's frame."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)


def unregister() -> None:
    """Ends that, and what is shown."""
    for made in _previews.values():
        made.leave()
    _previews.clear()
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(catch_up):
        bpy.app.timers.unregister(catch_up)
