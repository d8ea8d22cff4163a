"""What files keep of an object's settings, also older files.

A file has only the properties that someone set. When dynamic wrinkles were the first method, an object for which nobody chose a
method had none in its file, and would be draped now. Settings made today say their version as soon as one of them is set
(`parameters`); older ones say none, and are given the method here that they had, when a file is opened and when objects are
appended or linked.
"""

from typing import Any

import bpy
from bpy.app.handlers import persistent

from .parameters import FIRST_VERSION_DRAPED


def _is_set(group: bpy.types.PropertyGroup) -> bool:
    """Whether one of a group's properties is set, in whatever group within it."""
    for each in group.bl_rna.properties:
        if each.identifier != "rna_type" and group.is_property_set(each.identifier):
            value = getattr(group, each.identifier)
            if not isinstance(value, bpy.types.PropertyGroup) or _is_set(value):
                return True
    return False


def _says_no_version(obj: bpy.types.Object) -> bool:
    return obj.is_property_set("pucker") and obj.pucker.version < FIRST_VERSION_DRAPED


def _keep_first_method(settings: bpy.types.PropertyGroup) -> None:
    """Gives older settings in which nobody chose a method the one that was the default."""
    if not settings.is_property_set("method"):
        settings.method = "dynamic"
    settings.version = FIRST_VERSION_DRAPED


def _take_over(obj: bpy.types.Object) -> None:
    """An object out of a file goes on as it was, if its settings were in use."""
    # A group is made when it is asked for: by a preview of dynamic wrinkles, or by the panel that showed their parameters.
    if _says_no_version(obj) and (obj.pucker.is_property_set("dynamic") or _is_set(obj.pucker)):
        _keep_first_method(obj.pucker)


@persistent
def _opened(*_: Any) -> None:
    for obj in bpy.data.objects:
        _take_over(obj)


@persistent
def _imported(context: Any, *_: Any) -> None:
    for item in context.import_items:
        if isinstance(item.id, bpy.types.Object):
            _take_over(item.id)


@persistent
def _before_saving(*_: Any) -> None:
    """Has all settings say their version and their method, whatever is the default where they are read, and overrides be kept."""
    for obj in bpy.data.objects:
        if obj.library is None and obj.is_property_set("pucker"):
            # Set, but by no version that says so: appended in Blender 4.2, which tells nobody.
            if _says_no_version(obj) and _is_set(obj.pucker):
                _keep_first_method(obj.pucker)
            obj.pucker.version, obj.pucker.method = FIRST_VERSION_DRAPED, obj.pucker.method
        _keep_override(obj)


def _keep_override(obj: bpy.types.Object) -> None:
    """Blender saves the settings that an override has in a group only if the linked object has that group too."""
    if obj.override_library is not None and obj.override_library.reference is not None:
        _make_whole(obj.pucker)
        _make_whole(obj.override_library.reference.pucker)
        # The linked object says none, or else this would be no difference, and would not be saved.
        obj.pucker.version = FIRST_VERSION_DRAPED


def _make_whole(group: bpy.types.PropertyGroup) -> None:
    """Makes all groups within a group: to ask for one makes it."""
    for each in group.bl_rna.properties:
        inner = getattr(group, each.identifier) if each.type == "POINTER" and each.identifier != "rna_type" else None
        if isinstance(inner, bpy.types.PropertyGroup):
            _make_whole(inner)


# Blender 4.2 tells nobody of what is appended or linked.
_HANDLERS = {
    name: handler
    for name, handler in (("load_post", _opened), ("blend_import_post", _imported), ("save_pre", _before_saving))
    if hasattr(bpy.app.handlers, name)
}


def register() -> None:
    """Takes over what is opened or appended from now on, and what is open, which an extension cannot read while it is enabled."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).append(handler)
    bpy.app.timers.register(_opened, first_interval=0.0)


def unregister() -> None:
    """Ends that."""
    for name, handler in _HANDLERS.items():
        getattr(bpy.app.handlers, name).remove(handler)
    if bpy.app.timers.is_registered(_opened):
        bpy.app.timers.unregister(_opened)
