"""The wrinkled surface at the scene's frame, beside the object that it is made of."""

import time
from collections.abc import Generator
from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from pucker.bake.mesh import MAX_LEVEL
from pucker.method import levels_for
from pucker.replay import Replay

from . import surface
from .cloth import Frames
from .jobs import SLICE

# Seconds that Blender has for itself between two moments of work.
PAUSE = 0.01


class Preview:
    """The wrinkled surface of one object."""

    def __init__(self, obj: bpy.types.Object, run: Replay, frames: Frames) -> None:
        self.run = run
        self.frames = frames
        self.name = obj.name
        self.display = obj.display_type
        self.way: Generator[float, None, None] | None = None
        self.shown = f"{obj.name} wrinkled"

    def index(self, frame: int) -> int:
        """The clip's frame that a frame of the scene shows: outside of the range its nearest end."""
        return int(np.clip(frame, self.frames.first, self.frames.last)) - self.frames.first

    def state(self, frame: int) -> Any:
        """The state at a frame of the scene."""
        return self.run.seek(self.index(frame))

    def approach(self, frame: int) -> Generator[float, None, None]:
        """Takes the run to a frame of the scene, step by step; yields the share of the way that is done."""
        goal, steps = self.index(frame), 0
        while not self.run.approach(goal):
            steps += 1
            yield steps / (steps + abs(goal - self.run.frame))

    def update(self, frame: int) -> None:
        """Shows a frame of the scene."""
        clip, state = self.run.clip, self.state(frame)
        positions = clip.positions[self.index(frame)]
        share = bpy.data.objects[self.name].pucker.preview_edge
        levels = levels_for(state.detail, clip.mesh, positions, share)
        divided = surface.Divided(clip, np.minimum(levels, MAX_LEVEL))
        obj = bpy.data.objects.get(self.shown)
        if obj is None:
            obj = surface.shown(self.shown, surface.empty_mesh(self.shown, bpy.data.objects[self.name]))
        surface.fill(
            obj.data,
            divided.positions(state.detail, self.index(frame)),
            divided.faces,
            uv=divided.uv,
            materials=divided.materials,
            tints=divided.tints(state),
        )


previews: dict[str, Preview] = {}


def begin(obj: bpy.types.Object, made: Preview) -> None:
    """Shows an object's wrinkles from now on, in place of what was shown of it."""
    end(obj.name)
    made.display = obj.display_type
    made.update(bpy.context.scene.frame_current)
    obj.display_type = "WIRE"
    previews[obj.name] = made


def end(name: str) -> None:
    """Takes the preview of an object away, if there is one."""
    made = previews.pop(name, None)
    if made is None:
        return
    source, obj = bpy.data.objects.get(name), bpy.data.objects.get(made.shown)
    if source is not None:
        source.display_type = made.display
    if obj is not None:
        mesh = obj.data
        bpy.data.objects.remove(obj)
        bpy.data.meshes.remove(mesh)


def at_once() -> bool:
    """Whether a frame must be there when it is asked for: without a window, and where Blender renders."""
    return bpy.app.background or bpy.app.is_job_running("RENDER")


@persistent
def _follow(scene: bpy.types.Scene, *_: Any) -> None:
    for name, made in list(previews.items()):
        if name not in bpy.data.objects or made.shown not in bpy.data.objects:
            previews.pop(name)
        elif at_once():
            made.way = None
            made.update(scene.frame_current)
        else:
            made.way = made.approach(scene.frame_current)
    if any(made.way for made in previews.values()) and catch_up() is not None:
        bpy.context.window_manager.progress_begin(0.0, 1.0)
        if not bpy.app.timers.is_registered(catch_up):
            bpy.app.timers.register(catch_up, first_interval=PAUSE)


def catch_up() -> float | None:
    """Takes previews a moment farther on their way to the scene's frame; when to call it again, None if all are there."""
    until = time.perf_counter() + SLICE
    manager = bpy.context.window_manager
    for made in [each for each in previews.values() if each.way]:
        for share in made.way:
            manager.progress_update(share)
            if time.perf_counter() > until:
                return PAUSE
        made.way = None
        made.update(bpy.context.scene.frame_current)
    manager.progress_end()
    return None


@persistent
def _forget(*_: Any) -> None:
    previews.clear()


def register() -> None:
    """Follows the scene's frame."""
    bpy.app.handlers.frame_change_post.append(_follow)
    bpy.app.handlers.load_pre.append(_forget)


def unregister() -> None:
    """Ends that, and what is shown."""
    for name in list(previews):
        end(name)
    bpy.app.handlers.frame_change_post.remove(_follow)
    if bpy.app.timers.is_registered(catch_up):
        bpy.app.timers.unregister(catch_up)
    bpy.app.handlers.load_pre.remove(_forget)
