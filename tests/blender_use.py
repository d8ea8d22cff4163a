"""Scenes of `blender_session`: characters as artists have them, and what the extension makes of them."""

import pickle
from types import SimpleNamespace
from typing import Any

import bpy
import numpy as np
from blender_objects import OUT, activate, areas, coordinates, enable, kimono, refused, sleeve, turning
from mathutils import Matrix


def garment() -> bpy.types.Object:
    """The sleeve, which wrinkles early and coarsely, so that a frame takes a moment."""
    obj = sleeve()
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width, obj.pucker.preview_edge = 1.02, 0.04, 1.5
    return obj


def seen_in(obj: bpy.types.Object, frames: Any) -> np.ndarray:
    """Positions (frames, N, 3) of an object as Blender itself has it, frame by frame."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(coordinates(obj))
    return np.array(found)


def shown(obj: bpy.types.Object, name: str, frames: tuple[int, ...]) -> dict[str, Any]:
    """Previews an object, and writes the clip that was read, the frames that Blender has and those that are shown, as OUT/NAME."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    scene = bpy.context.scene
    every = range(scene.frame_start, scene.frame_end + 1)
    own = seen_in(obj, every)
    scene.frame_set(scene.frame_start)
    activate(obj)
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    run, surface = module.of(obj).run, module.of(obj).shown
    arrays = {f"shown{frame - scene.frame_start}": seen_in(surface, [frame])[0] for frame in frames}
    np.savez(OUT / f"{name}.npz", own=own, **arrays)
    (OUT / f"{name}.pickle").write_bytes(pickle.dumps(run.clip))
    return {"params": run.params.to_toml(), "edge": obj.pucker.preview_edge, "vertices": len(obj.data.vertices)}


def key(obj: bpy.types.Object, name: str, scale: tuple[float, float, float]) -> bpy.types.ShapeKey:
    """A shape key in which an object's mesh is scaled."""
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis")
    added = obj.shape_key_add(name=name, from_mix=False)
    points = np.array([vertex.co for vertex in obj.data.vertices]) * scale
    added.data.foreach_set("co", points.astype(np.float32).ravel())
    return added


class Layout:
    """Stands in for a panel's layout, and keeps what is put there."""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def prop(self, _of: Any, name: str) -> None:
        """A property."""
        self.shown.append(name)

    def label(self, *, text: str, icon: str = "NONE") -> None:  # noqa: ARG002
        """A line of text."""
        self.shown.append(text)

    def prop_search(self, *_: Any, **__: Any) -> None:
        """A property that is one of a list."""

    def operator(self, name: str, **__: Any) -> None:
        """A button."""
        self.shown.append(name)

    def row(self, **_: Any) -> "Layout":
        """What stands side by side."""
        return self

    column = row


def panel_of(method: str, choice: str) -> list[str]:
    """What the panel shows of the active object, set to a method and to be made smooth or not."""
    from bl_ext.user_default.pucker import panel  # noqa: PLC0415

    settings, layout = bpy.context.object.pucker, Layout()
    settings.method, settings.smooth = method, choice
    panel.PuckerPanel.draw(SimpleNamespace(layout=layout), bpy.context)
    return layout.shown


def clicked() -> Any:
    """What the panel shows where someone clicks on what pucker made, and of a character all of which is cloth."""
    from bl_ext.user_default.pucker import panel  # noqa: PLC0415
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    def shown_of(obj: bpy.types.Object) -> list[str]:
        layout = Layout()
        activate(obj)
        panel.PuckerPanel.draw(SimpleNamespace(layout=layout), bpy.context)
        below = [each for each in panel.CLASSES if hasattr(each, "poll") and each.poll(bpy.context)]
        return [*layout.shown, *([] if below else ["nothing below"])]

    obj = turning()
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    found = {"surface": shown_of(module.of(obj).shown)}
    assert bpy.ops.pucker.choose_garment() == {"FINISHED"}
    found["chosen"] = [bpy.context.object.name, [each.name for each in bpy.context.selected_objects]]
    assert not bpy.ops.pucker.choose_garment.poll()
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    found["baked"] = shown_of(bpy.data.objects["Grid baked"])
    worn = kimono()
    found["parts"] = shown_of(worn)
    worn.pucker.cloth = "ALL"
    found["whole"] = shown_of(worn)
    worn.pucker.method = "drape"
    found["draped"] = shown_of(worn)
    return found


def said_by_bakes(obj: bpy.types.Object) -> dict[str, list[str]]:
    """What bakes of an object report, by kind and how smooth it is to be made."""
    from bl_ext.user_default.pucker import operators  # noqa: PLC0415

    found = {}
    for kind in ("CACHE", "NORMALS"):
        for choice in ("AUTO", "1"):
            notes: list[str] = []
            obj.pucker.smooth = choice
            activate(obj)
            work(operators.PuckerBake.steps, notes, kind=kind, folder=str(OUT))
            obj.hide_set(False)
            found[f"{kind} {choice}"] = notes
    return found


def work(steps: Any, notes: list[str], **properties: Any) -> None:
    """Does what an operator does, and notes what it reports."""
    from bl_ext.user_default.pucker import jobs  # noqa: PLC0415

    members = {"report": lambda _self, _kinds, text: notes.append(text), **properties}
    for _ in steps(type("Operator", (jobs.Job,), members)(), bpy.context):
        pass


def warned() -> Any:
    """What a preview and bakes report of a skirt most of which is cut inside the body."""
    from bl_ext.user_default.pucker import operators  # noqa: PLC0415

    skirt, body = bound()
    skirt.pucker.method, skirt.pucker.body, skirt.pucker.drape.levels, skirt.pucker.map_size = "drape", body, 1, 16
    body.data.transform(Matrix.Diagonal((1.5, 1.5, 1.0, 1.0)))
    assert bpy.ops.object.surfacedeform_bind(modifier="follow") == {"FINISHED"}
    found: dict[str, list[str]] = {name: [] for name in ("preview", "CACHE", "NORMALS", "sheet")}
    work(operators.PuckerPreview.steps, found["preview"])
    for kind in ("CACHE", "NORMALS"):
        activate(skirt)
        work(operators.PuckerBake.steps, found[kind], kind=kind, folder=str(OUT))
    sheet = turning()
    sheet.pucker.method, sheet.pucker.smooth = "drape", "0"
    work(operators.PuckerPreview.steps, found["sheet"])
    return found


def smooth() -> Any:
    """The sleeve as it is, as smooth as it needs to be, and as chosen; then a fine one, and the kimono with its wearer."""
    from bl_ext.user_default.pucker import clips  # noqa: PLC0415
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = garment()
    coarser(obj, 0.15)
    assert bpy.ops.object.modifier_apply(modifier="coarser") == {"FINISHED"}
    found: dict[str, Any] = {"default": obj.pucker.bl_rna.properties["smooth"].default}
    for choice in ("0", "AUTO", "2"):
        obj.pucker.smooth = choice
        found[choice] = shown(obj, f"smooth_{choice}", (6,))
    obj.pucker.smooth = "AUTO"
    coarse = pickle.loads((OUT / "smooth_0.pickle").read_bytes())
    found["levels"] = {}
    for method in ("dynamic", "waves", "drape", "byexample"):
        obj.pucker.method = method
        found["levels"][method] = clips.levels_of(obj, coarse)
    obj.pucker.method, obj.pucker.drape.levels = "drape", 2
    found["levels"]["drape with levels"] = clips.levels_of(obj, coarse)
    obj.pucker.drape.property_unset("levels")
    obj.pucker.method, obj.pucker.map_size, obj.pucker.bake_edge = "dynamic", 16, 1.5
    found["said"] = said_by_bakes(obj)
    activate(obj)
    found["panel"] = {
        f"{method} {choice}": panel_of(method, choice)
        for method, choice in (
            ("dynamic", "AUTO"),
            ("dynamic", "0"),
            ("waves", "1"),
            ("drape", "AUTO"),
            ("byexample", "1"),
        )
    }
    # Waves that follow the garment's skin take the mesh as it is.
    obj.pucker.waves.compute = "skinned"
    found["panel"]["waves skinned"] = panel_of("waves", "1")
    obj.pucker.drape.levels = 2
    found["panel"]["drape with levels"] = panel_of("drape", "1")
    obj.pucker.method, obj.pucker.smooth = "dynamic", "AUTO"
    obj.modifiers.new("fine", "SUBSURF").levels = 3
    found["fine"] = shown(obj, "smooth_fine", (6,))
    worn = kimono()
    bpy.context.scene.frame_end = bpy.context.scene.frame_start + 1
    kept = []
    for choice in ("0", "1"):
        worn.pucker.smooth = choice
        assert bpy.ops.pucker.preview() == {"FINISHED"}
        preview = module.of(worn)
        kept.append([len(preview.run.clip.body_faces), areas(preview.shown)])
    found["worn"] = kept
    # Of a method that keeps the mesh, all but the cloth, whatever was chosen for others.
    worn.pucker.method, worn.pucker.drape.levels, worn.pucker.smooth = "drape", 1, "0"
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    clip = module.of(worn).run.clip
    found["kept"] = [len(clip.faces), len(clip.body_faces)]
    return found


def shape_keys() -> Any:
    """A sleeve that one key fits to its arm and another squashes, beside the armature that bends it."""
    obj = garment()
    worn = key(obj, "worn", (1.25, 1.25, 1.0))
    worn.value = 0.8
    unused = key(obj, "unused", (3.0, 3.0, 3.0))
    unused.value, unused.mute = 1.0, True
    squash = key(obj, "squash", (1.0, 1.0, 0.7))
    for frame, value in ((1, 0.0), (6, 1.0), (10, 0.5)):
        squash.value = value
        squash.keyframe_insert("value", frame=frame)
    found = shown(obj, "keys", (6, 3))
    np.save(OUT / "keys_basis.npy", np.array([vertex.co for vertex in obj.data.vertices]))
    # By keys alone.
    obj.modifiers.clear()
    found["alone"] = shown(obj, "keys_alone", (6,))
    # Keys that follow a time of their own.
    obj.animation_data_clear()
    obj.data.shape_keys.animation_data_clear()
    obj.data.shape_keys.use_relative = False
    for frame, time in ((1, 0.0), (10, 30.0)):
        obj.data.shape_keys.eval_time = time
        obj.data.shape_keys.keyframe_insert("eval_time", frame=frame)
    found["absolute"] = shown(obj, "keys_absolute", (6,))
    return found


def bound() -> tuple[bpy.types.Object, bpy.types.Object]:
    """A skirt that Surface Deform has follow the sleeve that the armature bends."""
    body = garment()
    skirt = body.copy()
    skirt.data = body.data.copy()
    skirt.name = "Skirt"
    bpy.context.scene.collection.objects.link(skirt)
    skirt.modifiers.clear()
    skirt.vertex_groups.clear()
    for vertex in skirt.data.vertices:
        vertex.co.x, vertex.co.y = 1.2 * vertex.co.x, 1.2 * vertex.co.y
    skirt.modifiers.new("follow", "SURFACE_DEFORM").target = body
    bpy.context.scene.frame_set(1)
    activate(skirt)
    return skirt, body


def coarser(obj: bpy.types.Object, ratio: float = 0.3) -> None:
    """Leaves an object a share of its triangles, before anything moves them."""
    obj.modifiers.new("coarser", "DECIMATE").ratio = ratio
    obj.modifiers.move(len(obj.modifiers) - 1, 0)


def surface_deform() -> Any:
    """That skirt before it is bound, and bound; its body is hidden in the end."""
    skirt, body = bound()
    unbound = refused(bpy.ops.pucker.preview)
    assert bpy.ops.object.surfacedeform_bind(modifier="follow") == {"FINISHED"}
    found = shown(skirt, "deformed", (6, 3))
    body.hide_set(True)
    body.hide_viewport = True
    hidden = shown(skirt, "deformed_hidden", (6,))
    # The body gets fewer vertices, so that Blender does not move the skirt any more.
    body.hide_viewport = False
    body.modifiers.new("coarser", "DECIMATE").ratio = 0.5
    return {**found, "unbound": unbound, "hidden": hidden, "changed": refused(bpy.ops.pucker.preview)}


def worn() -> Any:
    """That skirt as draped cloth over an object of its own that swells; only the skirt is shown and baked."""
    skirt, body = bound()
    coarser(skirt)
    assert bpy.ops.object.modifier_apply(modifier="coarser") == {"FINISHED"}
    assert bpy.ops.object.surfacedeform_bind(modifier="follow") == {"FINISHED"}
    skirt.pucker.method, skirt.pucker.body, skirt.pucker.drape.levels = "drape", skirt, 1
    found = {"itself": refused(bpy.ops.pucker.preview)}
    swelling = body.copy()
    swelling.data = body.data.copy()
    bpy.context.scene.collection.objects.link(swelling)
    wide = key(swelling, "wide", (1.3, 1.3, 1.0))
    for frame, value in ((2, 0.0), (6, 1.0)):
        wide.value = value
        wide.keyframe_insert("value", frame=frame)
    skirt.pucker.body = swelling
    found |= shown(skirt, "worn", (6, 3))
    np.save(OUT / "worn_body.npy", seen_in(swelling, [6])[0])
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    np.save(OUT / "worn_baked.npy", seen_in(bpy.data.objects["Skirt baked"], [6])[0])
    return found


def nodes(obj: bpy.types.Object, *made: tuple[str, dict[str, Any]]) -> bpy.types.NodeTree:
    """A geometry-nodes modifier whose nodes follow one another, each with the values of its sockets."""
    tree = bpy.data.node_groups.new("made", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket(name="Geometry", in_out=way, socket_type="NodeSocketGeometry")
    last = tree.nodes.new("NodeGroupInput").outputs[0]
    for kind, values in made:
        node = tree.nodes.new(kind)
        for name, value in values.items():
            node.inputs[name].default_value = value
        tree.links.new(last, node.inputs[0])
        last = node.outputs[0]
    tree.links.new(last, tree.nodes.new("NodeGroupOutput").inputs[0])
    obj.modifiers.new("nodes", "NODES").node_group = tree
    return tree


def geometry_nodes() -> Any:
    """A sleeve that nodes divide, move and paint."""
    obj = garment()
    skin, cloth = bpy.data.materials.new("Skin"), bpy.data.materials.new("Cloth")
    obj.data.materials.append(skin)
    divided = ("GeometryNodeSubdivideMesh", {"Level": 1})
    tree = nodes(
        obj, divided, ("GeometryNodeSetPosition", {"Offset": (0.0, 0.1, 0.0)}), ("GeometryNodeSetMaterial", {})
    )
    tree.nodes["Set Material"].inputs["Material"].default_value = cloth
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Cloth"
    found = shown(obj, "nodes", (6, 3))
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    found["materials"] = [material.name for material in module.of(obj).shown.data.materials]
    obj.pucker.materials = "Skin"
    found["skin"] = refused(bpy.ops.pucker.preview)
    # A group of vertices goes through the nodes.
    obj.pucker.cloth, obj.pucker.vertex_group = "GROUP", "lower"
    found["group"] = shown(obj, "nodes_group", (6,))
    return found


def geometry_nodes_refused() -> Any:
    """Nodes that make nothing to wrinkle."""
    obj = garment()
    obj.modifiers.clear()
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 1.0
    obj.keyframe_insert("location", frame=10)
    told = {}
    nodes(obj, ("GeometryNodeMeshToPoints", {}))
    told["points"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.clear()
    nodes(obj, ("GeometryNodeGeometryToInstance", {}))
    told["instances"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.clear()
    tree = nodes(obj, ("GeometryNodeSubdivideMesh", {"Level": 0}))
    level = tree.nodes["Subdivide Mesh"].inputs["Level"]
    for frame, value in ((1, 0), (5, 1)):
        level.default_value = value
        level.keyframe_insert("default_value", frame=frame)
    told["growing"] = refused(bpy.ops.pucker.preview)
    return told


def pixels(name: str) -> np.ndarray:
    """A picture that was rendered, (height, width, 4), 0 to 1."""
    image = bpy.data.images.load(str(OUT / name))
    found = np.array(image.pixels[:]).reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return found


def lit(obj: bpy.types.Object) -> None:
    """Sun and camera before an object, and what makes a frame of Cycles quick."""
    scene = bpy.context.scene
    points = coordinates(obj)
    camera = bpy.data.objects.new("camera", bpy.data.cameras.new("camera"))
    camera.location = points.mean(axis=0) + np.array([0.0, -1.6 * np.ptp(points[:, 2]), 0.0])
    camera.rotation_euler = (np.pi / 2, 0.0, 0.0)
    sun = bpy.data.objects.new("sun", bpy.data.lights.new("sun", "SUN"))
    sun.rotation_euler, sun.data.angle, sun.data.energy = (0.9, -0.9, 0.0), 0.0, 2.5
    for made in (camera, sun):
        scene.collection.objects.link(made)
    scene.camera = camera
    scene.render.engine, scene.cycles.samples, scene.cycles.use_denoising = "CYCLES", 1, False
    scene.cycles.max_bounces, scene.cycles.pixel_filter_type = 0, "BOX"
    scene.render.resolution_x = scene.render.resolution_y = 96
    scene.view_settings.view_transform = "Raw"
    scene.render.image_settings.color_depth = "16"


def rendered() -> Any:
    """Two frames of the sleeve's final render, beside pictures of what the viewport had in these frames, and of the coarse sleeve."""
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = garment()
    scene, render = bpy.context.scene, bpy.context.scene.render
    lit(obj)
    frames = (5, 6)
    begin, end = scene.frame_start, scene.frame_end

    def film(name: str) -> None:
        scene.frame_start, scene.frame_end = frames
        render.filepath = str(OUT / f"{name}_")
        bpy.ops.render.render(animation=True)
        scene.frame_start, scene.frame_end = begin, end

    film("coarse")
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    wrinkled = module.of(obj).shown
    kept = []
    for frame in frames:
        scene.frame_set(frame)
        kept.append(wrinkled.data.copy())
    scene.frame_set(1)
    film("film")
    render.use_persistent_data = True
    film("persistent")
    render.use_persistent_data = False
    obj.hide_render = False  # as it was before the preview
    film("both")
    obj.hide_render = True
    for frame in frames:  # single pictures
        scene.frame_set(frame)
        render.filepath = str(OUT / f"single_{frame:04d}.png")
        bpy.ops.render.render(write_still=True)
    hidden = [obj.hide_render, obj.display_type]
    scene.frame_set(scene.frame_end)
    assert bpy.ops.pucker.end_preview() == {"FINISHED"}
    hidden += [obj.hide_render, obj.display_type]
    obj.hide_render = True
    for frame, mesh in zip(frames, kept, strict=True):
        alone = bpy.data.objects.new("alone", mesh)
        scene.collection.objects.link(alone)
        render.filepath = str(OUT / f"viewport_{frame:04d}.png")
        bpy.ops.render.render(write_still=True)
        bpy.data.objects.remove(alone)
    names = ("coarse", "film", "persistent", "single", "both", "viewport")
    np.savez(
        OUT / "rendered.npz", **{name: np.array([pixels(f"{name}_{k:04d}.png") for k in frames]) for name in names}
    )
    return hidden


def library() -> str:
    """A file with the sleeve and its armature in a collection, as from someone who does not know pucker; leaves an empty file open."""
    obj = sleeve()
    armature = obj.modifiers["armature"].object
    character = bpy.data.collections.new("Character")
    bpy.context.scene.collection.children.link(character)
    for each in (obj, armature):
        character.objects.link(each)
        bpy.context.scene.collection.objects.unlink(each)
    path = str(OUT / "character.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 1, 10
    return path


def overridden() -> Any:
    """The sleeve of another file: shown as a collection, linked, with a library override, saved and opened again, and appended."""
    path = library()
    scene = bpy.context.scene
    found = {}
    with bpy.data.libraries.load(path, link=True) as (_, wanted):
        wanted.collections = ["Character"]
    linked = wanted.collections[0]
    empty = bpy.data.objects.new("Instance", None)
    empty.instance_type, empty.instance_collection = "COLLECTION", linked
    scene.collection.objects.link(empty)
    activate(empty)
    found["instance"] = refused(bpy.ops.pucker.preview)
    bpy.data.objects.remove(empty)
    scene.collection.children.link(linked)
    bpy.context.view_layer.objects.active = linked.objects["Cylinder"]
    found["linked"] = refused(bpy.ops.pucker.preview)
    scene.collection.children.unlink(linked)
    linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
    obj = next(each for each in scene.objects if each.type == "MESH")
    assert obj.override_library is not None
    obj.data = linked.objects["Cylinder"].data
    obj.pucker.method, obj.pucker.preview_edge = "dynamic", 1.5
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width = 1.04, 0.04
    obj.pucker.training.poses, obj.pucker.drape.lag = 7, 0.0625
    found["override"] = {**shown(obj, "override", (6, 3)), "mesh": obj.data.library is not None}
    name, file = obj.name, str(OUT / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    found["looks"] = [obj.display_type, obj.hide_render]
    bpy.ops.wm.open_mainfile(filepath=file)
    obj = bpy.data.objects[name]
    found["opened"] = [obj.display_type, obj.hide_render, obj.pucker.training.poses, obj.pucker.drape.lag]
    found["again"] = shown(obj, "override_again", (6,))
    assert bpy.ops.pucker.bake(folder=str(OUT), kind="CACHE") == {"FINISHED"}
    np.save(OUT / "override_baked.npy", seen_in(bpy.data.objects[f"{name} baked"], [6])[0])

    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 1, 10
    with bpy.data.libraries.load(path, link=False) as (_, wanted):
        wanted.collections = ["Character"]
    scene.collection.children.link(wanted.collections[0])
    found["appended"] = shown(bpy.data.objects["Cylinder"], "appended", (6,))
    return found


def simulated() -> Any:
    """A coarse sheet that Blender's own cloth lets hang from corners that come together, from before the scene's range on."""
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=10, y_subdivisions=10, size=1.0)
    obj = bpy.context.object
    group = obj.vertex_groups.new(name="pinned")
    group.add([v.index for v in obj.data.vertices if v.co.y > 0.49 and abs(v.co.x) > 0.2], 1.0, "REPLACE")
    cloth = obj.modifiers.new("cloth", "CLOTH")
    cloth.settings.vertex_group_mass, cloth.settings.quality = "pinned", 3
    closer = key(obj, "closer", (0.6, 1.0, 1.0))
    for frame, value in ((1, 0.0), (20, 1.0)):
        closer.value = value
        closer.keyframe_insert("value", frame=frame)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    obj.pucker.method, obj.pucker.preview_edge = "dynamic", 1.5
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.min_width = 1.02, 0.05
    obj.pucker.smooth = "0"
    played = seen_in(obj, range(1, 25))
    # Forgets what was simulated, as a change of the cloth does, and works on the end of the motion alone.
    cloth.settings.quality = 4
    cloth.settings.quality = 3
    scene.frame_set(16)
    scene.frame_start = 12
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    run, surface = module.of(obj).run, module.of(obj).shown
    in_order = [seen_in(surface, [frame])[0] for frame in range(12, 25)]
    jumps = {frame: seen_in(surface, [frame])[0] for frame in (20, 13, 24, 12)}
    (OUT / "simulated.pickle").write_bytes(pickle.dumps(run.clip))
    np.savez(OUT / "simulated.npz", own=played[11:], **{f"shown{frame - 12}": jumps[frame] for frame in jumps})
    same = all(np.array_equal(seen, in_order[frame - 12]) for frame, seen in jumps.items())
    return {"params": run.params.to_toml(), "edge": obj.pucker.preview_edge, "same": same}
