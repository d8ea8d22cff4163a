"""What can be done with a garment."""

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy_extras.io_utils import ExportHelper, ImportHelper

import pucker
from pucker.replay import Replay

from . import baking, clips, cloth, preview, surface, training
from .jobs import Job, aside, heard, section
from .parameters import chosen


def _annotated(**properties: Any) -> Any:
    """Has a class of Blender's own have properties."""

    def add(kind: type) -> type:
        kind.__annotations__ = {**inspect.get_annotations(kind), **properties}
        return kind

    return add


class _OfObject:
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - the form that Blender asks for

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an object to ask."""
        return context.object is not None


class PuckerPreview(_OfObject, Job, bpy.types.Operator):
    """Show the wrinkles at the current frame, and from then on at every frame"""

    bl_idname = "pucker.preview"
    bl_label = "Preview"

    def steps(self, context: bpy.types.Context) -> Iterator[float]:
        """Reads the garment and shows it."""
        obj = context.object
        params = chosen(obj).params()
        told = cloth.unapplied_scale(obj)
        frames = cloth.Frames.of(context.scene)
        garment = yield from section(clips.read(context, obj), 0.0, 0.5)
        but = clips.beside_the_point(obj)
        starting = aside(lambda _tell: heard(lambda: Replay(garment.clip, params), but))
        run, warned = yield from section(starting, 0.5, 0.5)
        made = preview.Preview(obj, run, frames, garment.rest)
        if garment.smoothed:
            self.report({"INFO"}, clips.in_words(obj))
        yield from section(made.approach(context.scene.frame_current), 0.5, 1.0)
        preview.begin(obj, made)
        self.warn(told, *warned)


class PuckerEndPreview(bpy.types.Operator):
    """Take the wrinkled surface away"""

    bl_idname = "pucker.end_preview"
    bl_label = "End preview"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is one."""
        return preview.of(context.object) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """At once."""
        preview.end(context.object)
        return {"FINISHED"}


class PuckerChooseGarment(bpy.types.Operator):
    """Choose the garment that this is the preview of"""

    bl_idname = "pucker.choose_garment"
    bl_label = "Choose the garment"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether this is one."""
        return preview.source_of(context.object) is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Alone."""
        source = preview.source_of(context.object)
        for other in context.selected_objects:
            other.select_set(False)
        source.select_set(True)
        context.view_layer.objects.active = source
        return {"FINISHED"}


@_annotated(
    folder=bpy.props.StringProperty(name="Folder", description="Where the files go", subtype="DIR_PATH", default="//"),
    kind=bpy.props.EnumProperty(
        name="Kind",
        description="What is written",
        items=[
            ("CACHE", "Mesh cache", "A point cache (.pc2), which a new object reads"),
            ("ALEMBIC", "Alembic", "An Alembic file, which a new object reads"),
            ("USD", "USD", "A USD file, which a new object reads"),
            (
                "NORMALS",
                "Normal maps",
                "Pictures in the object's texture coordinates, one a frame, for its own mesh, made as smooth as Smooth says",
            ),
            ("MAPS", "Normal and height maps", "Both, and the scale of heights in maps.json"),
        ],
    ),
)
class PuckerBake(_OfObject, Job, bpy.types.Operator):
    """Write the wrinkled surface of all frames of the scene's range"""

    bl_idname = "pucker.bake"
    bl_label = "Bake"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Asks where to."""
        if bpy.app.background or self.properties.is_property_set("folder"):
            return Job.invoke(self, context, event)
        return context.window_manager.invoke_props_dialog(self)

    def steps(self, context: bpy.types.Context) -> Iterator[float]:
        """Reads, runs and writes."""
        obj = context.object
        told = cloth.unapplied_scale(obj)
        if self.kind in baking.MAPS:
            written, done = yield from baking.map_steps(context, obj, chosen(obj).params(), self.folder, self.kind)
            self.warn(told, *done.warned)
            if done.smoothed:
                self.report({"INFO"}, f"{clips.in_words(obj)}. Maps are of what wrinkles add to the smooth surface")
            self.report({"INFO"}, f"Baked {len(written.files)} files over {written.frames} frames")
            return
        baked, done = yield from baking.steps(context, obj, chosen(obj).params(), self.folder, self.kind)
        preview.end(obj)
        obj.hide_render = True
        obj.hide_set(True)
        self.warn(told, *done.warned)
        if done.smoothed:
            self.report({"INFO"}, clips.in_words(obj))
        self.report(
            {"INFO"}, f"Baked {len(baked.data.polygons)} triangles over {len(cloth.Frames.of(context.scene))} frames"
        )


class PuckerPaths(bpy.types.Operator):
    """Make curves of the paths that wrinkles follow at the current frame, as thick as these are wide"""

    bl_idname = "pucker.paths"
    bl_label = "Paths as curves"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is a preview of dynamic wrinkles, which alone have paths."""
        made = preview.of(context.object)
        return made is not None and isinstance(made.run.params, pucker.Params)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One poly spline a path."""
        obj = context.object
        paths = surface.paths_of(preview.of(obj).state(context.scene.frame_current))
        if not paths:
            self.report({"WARNING"}, f"There is no path in frame {context.scene.frame_current}")
            return {"CANCELLED"}
        name = f"{obj.name} paths"
        curve = bpy.data.curves.new(name, "CURVE")
        curve.dimensions = "3D"
        curve.bevel_depth = 0.25
        for path in paths:
            spline = curve.splines.new("POLY")
            spline.points.add(len(path) - 1)
            points = np.ones((len(path), 4), np.float32)
            points[:, :3] = cloth.z_up(path[:, :3])
            spline.points.foreach_set("co", points.ravel())
            spline.points.foreach_set("radius", np.ascontiguousarray(path[:, 3]))
        replaced = surface.shown(name, curve)[1]
        if replaced is not None and replaced.users == 0:
            bpy.data.curves.remove(replaced)
        self.report({"INFO"}, f"{len(paths)} paths")
        return {"FINISHED"}


@_annotated(filter_glob=bpy.props.StringProperty(default="*.npz", options={"HIDDEN"}))
class PuckerTrain(_OfObject, Job, ExportHelper, bpy.types.Operator):
    """Make fine cloth of the garment's motion, and learn its wrinkles; what was made is kept beside the file until that is done"""

    bl_idname = "pucker.train"
    bl_label = "Train in place"
    filename_ext = ".npz"
    cancelled = "what was draped or simulated is kept, and training goes on from there"

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Asks where to, unless that is known."""
        if self.properties.is_property_set("filepath"):
            return Job.invoke(self, context, event)
        return ExportHelper.invoke(self, context, event)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """What the file dialog calls; in slices where there is a window."""
        if bpy.app.background:
            return Job.execute(self, context)
        return Job.invoke(self, context, None)

    def steps(self, context: bpy.types.Context) -> Iterator[float]:
        """Reads, simulates, learns, and has the object use the set."""
        obj = context.object
        result, told = yield from training.steps(context, obj, Path(bpy.path.abspath(self.filepath)))
        obj.pucker.byexample.trained = self.filepath
        obj.pucker.method = "byexample"
        self.warn(*told)
        self.report({"INFO"}, result)


@_annotated(filter_glob=bpy.props.StringProperty(default="*.toml", options={"HIDDEN"}))
class PuckerSavePreset(bpy.types.Operator, ExportHelper):
    """Write the parameters as TOML, which pucker's command line reads too"""

    bl_idname = "pucker.save_preset"
    bl_label = "Save preset"
    filename_ext = ".toml"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an object."""
        return context.object is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """One file."""
        try:
            text = chosen(context.object).params().to_toml()
            with baking.replacing(Path(self.filepath)) as part:
                part.write_text(text, encoding="utf-8")
        except (ValueError, OSError) as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}


@_annotated(filter_glob=bpy.props.StringProperty(default="*.toml", options={"HIDDEN"}))
class PuckerLoadPreset(bpy.types.Operator, ImportHelper):
    """Read the parameters of the chosen method from TOML"""

    bl_idname = "pucker.load_preset"
    bl_label = "Load preset"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """Whether there is an object."""
        return context.object is not None

    def execute(self, context: bpy.types.Context) -> set[str]:
        """All or none."""
        group = chosen(context.object)
        try:
            text = Path(self.filepath).read_text(encoding="utf-8")
            params = group.tree.from_toml(text)
        except (ValueError, OSError, pucker.Error) as error:
            self.report({"ERROR"}, " ".join(str(error).split()))
            return {"CANCELLED"}
        group.take(params)
        return {"FINISHED"}


CLASSES = (
    PuckerPreview,
    PuckerEndPreview,
    PuckerChooseGarment,
    PuckerBake,
    PuckerPaths,
    PuckerTrain,
    PuckerSavePreset,
    PuckerLoadPreset,
)

register, unregister = bpy.utils.register_classes_factory(CLASSES)
