"""Where the panels stand. Nothing here needs the wheel."""


class InSidebar:
    """Mixed into a panel, puts it into the tab Pucker of the 3D view's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Pucker"
