"""The parameters of pucker's methods as properties of an object, made of the one list that pucker itself has."""

from collections.abc import Iterable
from typing import Any

import bpy
import numpy as np

import pucker.byexample
import pucker.method
from pucker.bake.mesh import COMMON_EDGE_SHARE
from pucker.byexample.learning import LEVELS, POSES

METHODS = ("drape", "dynamic", "waves", "byexample")
# What settings say of themselves once one of them is set. Those from when dynamic wrinkles were the default say 0; see `files`.
FIRST_VERSION_DRAPED = 1
_LARGEST = 2**31 - 1


def property_name(field: str) -> str:
    """The name of the property of a parameter, whose own may have a dot."""
    return field.replace(".", "__")


def _words(name: str) -> str:
    return name.rpartition(".")[2].replace("_", " ").capitalize()


def _property(field: Any) -> Any:
    words: dict[str, Any] = {"name": _words(field.name), "description": field.doc[:1].upper() + field.doc[1:]}
    default = field.default
    if isinstance(default, bool):
        return bpy.props.BoolProperty(default=default, **words)
    if field.choices:
        items = [(choice, _words(choice), "") for choice in field.choices]
        return bpy.props.EnumProperty(items=items, default=default.name, **words)
    if isinstance(default, str):
        return bpy.props.StringProperty(default=default, subtype="FILE_PATH", **words)
    if isinstance(default, int):
        low, high = (int(np.clip(end, -_LARGEST, _LARGEST)) for end in (field.low, field.high))
        return bpy.props.IntProperty(default=default, min=low, max=high, **words)
    ends = {key: float(end) for key, end in (("min", field.low), ("max", field.high)) if np.isfinite(end)}
    if default is None:  # which a property shows as 0
        words["description"] += " (0)"
        ends["min"] = 0.0
    if "in seconds" in field.doc:
        words["unit"] = "TIME_ABSOLUTE"
    elif "unit of length" in field.doc:
        words["unit"] = "LENGTH"
    return bpy.props.FloatProperty(default=default or 0.0, precision=4, **ends, **words)


def _number(value: float, default: float | None) -> float | None:
    """The number that was meant by a property, which keeps it in single precision."""
    if default is None:
        return None if value == 0.0 else float(str(np.float32(value)))
    return default if np.float32(default) == np.float32(value) else float(str(np.float32(value)))


class Parameters(bpy.types.PropertyGroup):
    """Base of the groups of properties below: one a method, and one of what simulated cloth is like."""

    tree: Any = None

    def params(self) -> Any:
        """The parameters. Raises ValueError naming the first that is out of its range."""
        values = {}
        for field in self.tree.fields():
            value = getattr(self, property_name(field.name))
            if isinstance(value, str) and isinstance(field.default, str) and not field.choices:
                value = bpy.path.abspath(value)
            elif isinstance(value, float):
                value = _number(value, field.default)
            values[field.name] = value
        return self.tree().replace(**pucker.method.nested(values))

    def take(self, params: Any) -> None:
        """Shows other parameters of the same kind."""
        for field in params.fields():
            value = params
            for name in field.name.split("."):
                value = getattr(value, name)
            shown = value.name if field.choices else 0.0 if value is None else value
            setattr(self, property_name(field.name), shown)


def _say_version(group: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    group.id_data.pucker.version = FIRST_VERSION_DRAPED


def _kept(properties: dict[str, Any]) -> dict[str, Any]:
    """Properties that an object keeps which overrides a linked one, and that say the version of the settings when they are set."""
    for each in properties.values():
        each.keywords["override"] = {"LIBRARY_OVERRIDABLE"}
        each.keywords["update"] = _say_version
    return properties


def _group(name: str, tree: Any) -> type[Parameters]:
    properties = _kept({property_name(field.name): _property(field) for field in tree.fields()})
    return type(
        f"Pucker{name.capitalize()}", (Parameters,), {"__annotations__": properties, "tree": tree, "__doc__": name}
    )


GROUPS = {method: _group(method, pucker.method.method_named(method).params) for method in METHODS}
SIMULATED = _group("simulated", pucker.byexample.Cloth)


def _completed(text: str, names: Iterable[str]) -> list[str]:
    """A list of names with commas between them, the last of which is being typed, with each name that may stand there."""
    *before, typed = (name.strip() for name in text.split(","))
    return [",".join([*before, name]) for name in names if name not in before and typed.lower() in name.lower()]


def _materials_like(settings: bpy.types.PropertyGroup, _context: bpy.types.Context, text: str) -> list[str]:
    return _completed(text, [slot.material.name for slot in settings.id_data.material_slots if slot.material])


def _actions_like(_settings: bpy.types.PropertyGroup, _context: bpy.types.Context, text: str) -> list[str]:
    return _completed(text, [action.name for action in bpy.data.actions])


_TRAINING = {
    "simulator": bpy.props.EnumProperty(
        name="Cloth",
        description="What makes fine cloth of the motion, from which is learned",
        items=[
            ("DRAPE", "Draped", "Draped cloth, with the parameters of the method Draped"),
            ("BLENDER", "Blender's", "A second Blender in the background simulates it"),
        ],
    ),
    "actions": bpy.props.StringProperty(
        name="Actions",
        description="What to learn from: names of actions with commas between them; none: the scene's frames as they are",
        search=_actions_like,
        search_options={"SUGGESTION"},
    ),
    "levels": bpy.props.IntProperty(
        name="Levels",
        description="How often each triangle becomes four; of draped cloth fewer, unless they are chosen, where "
        "that would be more than 65 536 triangles",
        default=LEVELS,
        min=0,
        max=4,
    ),
    "poses": bpy.props.IntProperty(name="Poses", description="Poses of the set at most", default=POSES, min=1),
    "cloth": bpy.props.PointerProperty(type=SIMULATED),
}
Training = type(
    "PuckerTraining",
    (bpy.types.PropertyGroup,),
    {"__annotations__": _kept(_TRAINING), "__doc__": "How a set is trained."},
)

_SETTINGS = {
    "method": bpy.props.EnumProperty(
        name="Method",
        description="How wrinkles come about",
        # The numbers are what files have.
        items=[
            ("drape", "Draped", "A fine cloth that is held softly to the motion and is in balance in every frame", 3),
            ("dynamic", "Dynamic", "Wrinkles form where cloth is compressed, stay where it carries them, and fade", 0),
            ("waves", "Waves", "A plane wave at every vertex, whose phases are brought into line", 1),
            ("byexample", "By example", "Detail learned from a simulation", 2),
        ],
        default="drape",
    ),
    "cloth": bpy.props.EnumProperty(
        name="Cloth",
        description="What of the object is cloth",
        items=[
            ("ALL", "Whole object", "Every face"),
            ("GROUP", "Vertex group", "Faces all of whose vertices weigh half or more in a group"),
            ("MATERIALS", "Materials", "Faces of some materials"),
        ],
    ),
    "vertex_group": bpy.props.StringProperty(name="Vertex group", description="The group that cloth belongs to"),
    "materials": bpy.props.StringProperty(
        name="Materials",
        description="Names with commas between them; a * at the end stands for any ending",
        search=_materials_like,
        search_options={"SUGGESTION"},
    ),
    "body": bpy.props.PointerProperty(
        name="Body",
        description="What draped and simulated cloth is worn over; none: the rest of its own object",
        type=bpy.types.Object,
        poll=lambda _self, obj: obj.type == "MESH",
    ),
    "smooth": bpy.props.EnumProperty(
        name="Smooth",
        description="How often the object is subdivided before it wrinkles, so that its triangles are not seen. Maps are of what "
        "wrinkles add to that surface",
        items=[
            ("AUTO", "As needed", "Once, unless the cloth is fine already"),
            ("0", "As it is", "The mesh as it is"),
            ("1", "Once", "Four triangles for each"),
            ("2", "Twice", "16 triangles for each"),
        ],
    ),
    "preview_edge": bpy.props.FloatProperty(
        name="Preview edges",
        description="Length of the preview's edges, as a share of the width of the wrinkles there; "
        "what is a mesh of its own is shown as it is",
        default=1.0,
        min=0.05,
        max=10.0,
    ),
    "bake_edge": bpy.props.FloatProperty(
        name="Baked edges",
        description="Length of a bake's edges, as a share of the width of the wrinkles there; "
        "what is a mesh of its own is baked as it is",
        default=COMMON_EDGE_SHARE,
        min=0.05,
        max=10.0,
    ),
    "map_size": bpy.props.IntProperty(
        name="Map size", description="Texels of a side of baked maps", default=1024, min=1, max=16384
    ),
    "training": bpy.props.PointerProperty(type=Training),
    "made": bpy.props.StringProperty(
        description="What pucker made the object as; empty if it did not", options={"HIDDEN"}
    ),
    **{method: bpy.props.PointerProperty(type=group) for method, group in GROUPS.items()},
}
_VERSION = bpy.props.IntProperty(
    description="Version of these settings; 0: from before draped cloth was the first method, or never set",
    options={"HIDDEN"},
    override={"LIBRARY_OVERRIDABLE"},
)
Settings = type(
    "PuckerSettings",
    (bpy.types.PropertyGroup,),
    {"__annotations__": {**_kept(_SETTINGS), "version": _VERSION}, "__doc__": "What an object is set to."},
)
GROUPED = (*GROUPS.values(), SIMULATED, Training, Settings)


def chosen(obj: bpy.types.Object) -> Parameters:
    """The parameters of the method that an object is set to."""
    return getattr(obj.pucker, obj.pucker.method)


def register() -> None:
    """Gives every object its settings."""
    for group in GROUPED:
        bpy.utils.register_class(group)
    bpy.types.Object.pucker = bpy.props.PointerProperty(type=Settings, override={"LIBRARY_OVERRIDABLE"})


def unregister() -> None:
    """Takes them away."""
    del bpy.types.Object.pucker
    for group in reversed(GROUPED):
        bpy.utils.unregister_class(group)
