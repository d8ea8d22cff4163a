"""Wrinkles for coarse animated garments, in Blender.

The panel stands in the sidebar of the 3D view. `cloth` reads a garment out of the scene, `preview` shows its wrinkles at the
current frame, `bake` puts them into files; `parameters` makes Blender's properties of those that pucker's methods have.
"""

import os
import sys

import bpy

from .sidebar import InSidebar

try:
    import pucker  # which is in the wheel, for one version of Python
except ImportError as error:
    MISSING = f"pucker cannot be loaded by Python {sys.version_info.major}.{sys.version_info.minor}: {error}"
else:
    MISSING = ""


class MissingPanel(InSidebar, bpy.types.Panel):
    """What is shown where the extension's wheel does not fit."""

    bl_idname = "VIEW3D_PT_pucker_missing"
    bl_label = "Pucker"

    def draw(self, context: bpy.types.Context) -> None:  # noqa: ARG002
        """One line."""
        self.layout.label(text=MISSING, icon="ERROR")


def register() -> None:
    """Called when the extension is enabled."""
    if MISSING:
        bpy.utils.register_class(MissingPanel)
        return
    from . import files, operators, panel, parameters, preview  # noqa: PLC0415 - they need the wheel

    if "PUCKER_THREADS" not in os.environ:
        pucker.threads(0)  # one a core, as the commands have
    for module in (parameters, files, operators, panel, preview):
        module.register()


def unregister() -> None:
    """Called when it is disabled."""
    if MISSING:
        bpy.utils.unregister_class(MissingPanel)
        return
    from . import files, operators, panel, parameters, preview  # noqa: PLC0415

    for module in (preview, panel, operators, files, parameters):
        module.unregister()
