"""Scenes of `blender_session`: files that the extension saved when dynamic wrinkles were its first method."""

from typing import Any

import addon_utils
import bpy
from blender_objects import OUT, activate, enable, turning

OLD = str(OUT / "old.blend")
NAME = "bl_ext.user_default.pucker"


def _empty() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable()


def _reopened() -> None:
    """Saves the file and opens it again."""
    file = str(OUT / "again.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    bpy.ops.wm.open_mainfile(filepath=file)


def _made(name: str) -> bpy.types.Object:
    obj = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    bpy.context.scene.collection.objects.link(obj)
    return obj


def _methods() -> dict[str, str]:
    """The methods of all objects, "" of one without settings."""
    return {
        f"{obj.name} linked" if obj.library else obj.name: obj.pucker.method
        if obj.is_property_set("pucker") and obj.pucker.is_property_set("method")
        else ""
        for obj in bpy.data.objects
    }


def _save_old_file() -> None:
    """A file as the extension saved it before: without a version, and with dynamic wrinkles as the default."""
    addon_utils.disable(NAME)

    def group(name: str, **properties: Any) -> Any:
        made = type(name, (bpy.types.PropertyGroup,), {"__annotations__": properties})
        bpy.utils.register_class(made)
        return made

    dynamic = group("OldDynamic", threshold=bpy.props.FloatProperty(default=1.2))
    drape = group("OldDrape", levels=bpy.props.IntProperty(default=-1))
    names = ("dynamic", "waves", "byexample", "drape")
    settings = group(
        "OldSettings",
        method=bpy.props.EnumProperty(items=[(name, name, "") for name in names]),
        materials=bpy.props.StringProperty(),
        dynamic=bpy.props.PointerProperty(type=dynamic),
        drape=bpy.props.PointerProperty(type=drape),
    )
    bpy.types.Object.pucker = bpy.props.PointerProperty(type=settings)
    _made("untouched")
    # What is asked for is made, as by a panel that shows it.
    assert _made("passed").pucker.materials == ""
    assert _made("previewed").pucker.dynamic.threshold > 1.0
    _made("threshold").pucker.dynamic.threshold = 1.05
    _made("materials").pucker.materials = "Clothes"
    _made("levels").pucker.drape.levels = 2
    for name in names:
        _made(name).pucker.method = name
    bpy.ops.wm.save_as_mainfile(filepath=OLD)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    del bpy.types.Object.pucker
    for each in (settings, drape, dynamic):
        bpy.utils.unregister_class(each)
    enable()


def old_files() -> Any:
    """Such a file opened, saved and opened again; its objects appended and linked."""
    _save_old_file()
    bpy.ops.wm.open_mainfile(filepath=OLD)
    found: dict[str, Any] = {"opened": _methods(), "none": bpy.data.objects["untouched"].is_property_set("pucker")}
    found["told"] = hasattr(bpy.app.handlers, "blend_import_post")
    _reopened()
    found["again"] = _methods()
    names = list(found["opened"])
    for way in ("appended", "linked"):
        _empty()
        with bpy.data.libraries.load(OLD, link=way == "linked") as (_, wanted):
            wanted.objects = list(names)  # whose items Blender replaces
        found[way] = _methods()
        if way == "appended":
            for obj in bpy.data.objects:  # or else it would not be saved
                bpy.context.scene.collection.objects.link(obj)
            _reopened()
            found["saved"] = _methods()
    _empty()
    bpy.ops.wm.append(directory=f"{OLD}/Object/", filename="threshold")
    found["by menu"] = _methods()
    return found


def old_overrides() -> Any:
    """An object of such a file with a library override, whose method is then changed."""
    _save_old_file()
    _empty()
    with bpy.data.libraries.load(OLD, link=True) as (_, wanted):
        wanted.objects = ["threshold", "untouched"]
    for linked in list(bpy.data.objects):
        bpy.context.scene.collection.objects.link(linked.override_create())

    def local() -> dict[str, str]:
        return {obj.name: obj.pucker.method for obj in bpy.data.objects if obj.library is None}

    found: dict[str, Any] = {"made": local(), "told": hasattr(bpy.app.handlers, "blend_import_post")}
    bpy.data.objects["untouched", None].pucker.dynamic.threshold = 1.07
    _reopened()
    found["again"] = local()
    bpy.data.objects["threshold", None].pucker.method = "drape"
    bpy.data.objects["untouched", None].pucker.method = "waves"
    _reopened()
    found["changed"] = local()
    found["threshold"] = round(bpy.data.objects["untouched", None].pucker.dynamic.threshold, 3)
    return found


def new_files() -> Any:
    """Settings made today, saved and opened again, also by what knows nothing of the extension, such as automatic saving."""
    from bl_ext.user_default.pucker import files  # noqa: PLC0415

    def fill() -> None:
        _empty()
        _made("untouched")
        assert _made("asked").pucker.dynamic.threshold > 1.0
        _made("threshold").pucker.dynamic.threshold = 1.05
        _made("materials").pucker.materials = "Clothes"
        _made("quality").pucker.training.cloth.quality = 7
        _made("body").pucker.body = bpy.data.objects["untouched"]
        _made("dynamic").pucker.method = "dynamic"

    def methods() -> dict[str, str]:
        return {obj.name: obj.pucker.method for obj in bpy.data.objects}

    fill()
    _reopened()
    found = {"saved": methods(), "named": _methods()}
    fill()
    bpy.app.handlers.save_pre.remove(files._before_saving)
    _reopened()
    bpy.app.handlers.save_pre.append(files._before_saving)
    found["recovered"] = methods()
    # Turned off and on in between.
    fill()
    addon_utils.disable(NAME)
    enable()
    files._opened()
    found["turned off"] = methods()
    # A preview leaves no settings at objects that it has nothing to do with.
    _empty()
    other, obj = _made("other"), turning()
    activate(obj)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    found["other"] = other.is_property_set("pucker")
    return found
