"""The panel in the sidebar of the 3D view."""

import bpy

import pucker.method

from . import clips, operators, preview
from .parameters import METHODS, property_name
from .sidebar import InSidebar


class PuckerPanel(InSidebar, bpy.types.Panel):
    """What to wrinkle, how, and what to do with it."""

    bl_idname = "VIEW3D_PT_pucker"
    bl_label = "Pucker"

    def draw(self, context: bpy.types.Context) -> None:
        """From above to below."""
        layout, obj = self.layout, context.object
        layout.use_property_split = True
        layout.use_property_decorate = False
        if obj is None or obj.type != "MESH":
            layout.label(text="Choose a mesh", icon="INFO")
            return
        source = preview.source_of(obj)
        if source is not None:
            layout.label(text=f"This is the preview of {source.name}", icon="INFO")
            layout.operator("pucker.choose_garment")
            return
        settings = obj.pucker
        if settings.made:
            layout.label(text="Pucker made this; choose the garment", icon="INFO")
            return
        _draw_cloth(layout, obj)
        layout.prop(settings, "method")
        if settings.method in ("drape", "byexample"):
            layout.prop(settings, "body")
        smoothed = not clips.keeps_mesh(obj)
        if smoothed:
            layout.prop(settings, "smooth")
        # Draped cloth and sets are meshes of their own, shown and baked as they are.
        if settings.method not in ("drape", "byexample"):
            layout.prop(settings, "preview_edge")
            layout.prop(settings, "bake_edge")
        layout.prop(settings, "map_size")
        if smoothed and settings.smooth != "0":
            layout.label(text="Maps add to the smooth surface", icon="INFO")
        row = layout.row(align=True)
        row.operator("pucker.load_preset", icon="IMPORT")
        row.operator("pucker.save_preset", icon="EXPORT")
        column = layout.column(align=True)
        column.scale_y = 1.3
        if preview.of(obj) is not None:
            column.operator("pucker.preview", text="Preview anew", icon="FILE_REFRESH")
            column.operator("pucker.end_preview", icon="X")
            if operators.PuckerPaths.poll(context):
                column.operator("pucker.paths", icon="CURVE_DATA")
        else:
            column.operator("pucker.preview", icon="HIDE_OFF")
        column.operator("pucker.bake", icon="RENDER_ANIMATION")


def _draw_cloth(layout: bpy.types.UILayout, obj: bpy.types.Object) -> None:
    settings = obj.pucker
    layout.prop(settings, "cloth")
    if settings.cloth == "GROUP":
        layout.prop_search(settings, "vertex_group", obj, "vertex_groups", text="Group")
    elif settings.cloth == "MATERIALS":
        layout.prop(settings, "materials")
    elif len({slot.material for slot in obj.material_slots}) > 1:
        layout.label(text="Every material is cloth, skin too", icon="INFO")


class PuckerTrainingPanel(InSidebar, bpy.types.Panel):
    """What a set is trained from, and the button that does it."""

    bl_idname = "VIEW3D_PT_pucker_training"
    bl_label = "Training in place"
    bl_parent_id = PuckerPanel.bl_idname

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        """With the method that learns."""
        return _has_method(context, "byexample")

    def draw(self, context: bpy.types.Context) -> None:
        """From above to below."""
        layout, settings = self.layout, context.object.pucker.training
        layout.use_property_split = True
        layout.use_property_decorate = False
        for name in ("simulator", "actions", "levels"):
            layout.prop(settings, name)
        if settings.simulator == "BLENDER":
            layout.prop(settings, "poses")
            column = layout.column(heading="Cloth")
            for field in settings.cloth.tree.fields():
                column.prop(settings.cloth, property_name(field.name))
        layout.operator("pucker.train", icon="PHYSICS")


def _has_method(context: bpy.types.Context, method: str) -> bool:
    obj = context.object
    if obj is None or obj.type != "MESH" or preview.source_of(obj) is not None:
        return False
    return obj.pucker.method == method and not obj.pucker.made


def _node_panel(method: str, node: str, names: list[str]) -> type[bpy.types.Panel]:
    def poll(cls: type, context: bpy.types.Context) -> bool:  # noqa: ARG001
        return _has_method(context, method)

    def draw(self: bpy.types.Panel, context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        for name in names:
            self.layout.prop(getattr(context.object.pucker, method), name)

    identifier = f"VIEW3D_PT_pucker_{method}_{node or 'own'}"
    return type(
        identifier,
        (InSidebar, bpy.types.Panel),
        {
            "bl_idname": identifier,
            "bl_label": node.capitalize() or "Parameters",
            "bl_parent_id": PuckerPanel.bl_idname,
            "bl_options": {"DEFAULT_CLOSED"} if node else set(),
            "__doc__": f"Parameters of {method}.",
            "poll": classmethod(poll),
            "draw": draw,
        },
    )


def _panels() -> list[type[bpy.types.Panel]]:
    made = []
    for method in METHODS:
        # The panel without a title of its own has what most users change.
        nodes: dict[str, list[str]] = {"": []}
        for field in pucker.method.method_named(method).params.fields():
            node = "" if field.common else field.name.rpartition(".")[0] or "more"
            nodes.setdefault(node, []).append(property_name(field.name))
        made += [_node_panel(method, node, names) for node, names in nodes.items()]
    return made


CLASSES = [PuckerPanel, PuckerTrainingPanel, *_panels()]

register, unregister = bpy.utils.register_classes_factory(CLASSES)
