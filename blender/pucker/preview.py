"""The wrinkled surface at the scene's frame, beside the object that it is made of."""

from typing import Any

import bpy
import numpy as np
from bpy.app.handlers import persistent

from pucker.bake.mesh import MAX_LEVEL
from pucker.method import levels_for
from pucker.replay import Replay

from . import surface
from .cloth import Frames


class Preview:
    """The wrinkled surface of one object."""

    def __init__(self, obj: bpy.types.Object, run: Replay, frames: Frames) -> None:
        self.run = run
        self.frames = frames
        self.name = obj.name
        self.display = obj.display_type
        self.shown = f"{obj.name} wrinkled"

    def index(self, frame: int) -> int:
        """The clip's frame that a frame of the scene shows: outside of the range its nearest end."""
        return int(np.clip(frame, self.frames.first, self.frames.last)) - self.frames.first

    def state(self, frame: int) -> Any:
        """The state at a frame of the scene."""
        return self.run.seek(self.index(frame))

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


def begin(obj: bpy.types.Object, run: Replay, frames: Frames, frame: int) -> Preview:
    """Shows an object's wrinkles from now on, in place of what was shown of it."""
    end(obj.name)
    made = Preview(obj, run, frames)
    made.update(frame)
    obj.display_type = "WIRE"
    previews[obj.name] = made
    return made


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


@persistent
def _follow(scene: bpy.types.Scene, *_: Any) -> None:
    for name, made in list(previews.items()):
        if name in bpy.data.objects and made.shown in bpy.data.objects:
            made.update(scene.frame_current)
        else:
            previews.pop(name)


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
    bpy.app.handlers.load_pre.remove(_forget)
