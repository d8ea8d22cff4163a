"""Scenes of `blender_session`: what operators do while they work, when they are stopped, and what they refuse."""

import os
import sys
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from blender_objects import DATA, OUT, activate, coordinates, enable, kimono, play, refused


def slices() -> Any:
    """Work in slices, as with a window, of which there is none here: a stand-in notes what it is asked for."""
    import time  # noqa: PLC0415
    from types import SimpleNamespace  # noqa: PLC0415

    from bl_ext.user_default.pucker import jobs  # noqa: PLC0415

    jobs.bpy = SimpleNamespace(app=SimpleNamespace(background=False))
    found: dict[str, Any] = {}

    def done(steps: Any, keys: int) -> dict[str, Any]:
        """What becomes of some steps if Escape is pressed after so many ticks of the timer."""
        seen: dict[str, Any] = {"shares": [], "told": [], "closed": False, "timers": 0, "moments": []}

        class Operator(jobs.Job):
            def steps(self, _context: Any) -> Any:
                try:
                    yield from steps()
                finally:
                    seen["closed"] = True

            def report(self, kinds: set[str], text: str) -> None:
                seen["told"].append([*kinds, text])

        def timer(by: int) -> Any:
            def change(*_: Any, **_window: Any) -> str:
                seen["timers"] += by
                return "timer"

            return change

        manager = SimpleNamespace(
            event_timer_add=timer(1),
            event_timer_remove=timer(-1),
            progress_begin=lambda *_: None,
            progress_update=seen["shares"].append,
            progress_end=lambda: seen["shares"].append("end"),
            modal_handler_add=lambda _operator: None,
        )
        workspace = SimpleNamespace(status_text_set=lambda _text: None)
        context = SimpleNamespace(window_manager=manager, window=None, workspace=workspace)
        operator = Operator()
        seen["answers"] = [*operator.invoke(context, None)]
        for tick in range(1000):
            before = time.perf_counter()
            kind = "ESC" if tick == keys else "TIMER"
            (answer,) = operator.modal(context, SimpleNamespace(type=kind, value="PRESS"))
            seen["moments"].append(time.perf_counter() - before)
            if answer != "RUNNING_MODAL":
                seen["answers"].append(answer)
                break
        return seen

    def steps() -> Any:
        for k in range(20):
            time.sleep(0.02)
            yield k / 20

    def failing() -> Any:
        yield 0.5
        raise ValueError("params.threshold is wrong")

    def aside() -> Any:
        yield from jobs.section(
            jobs.aside(lambda report: [report(k / 8) or time.sleep(0.03) for k in range(8)]), 0.0, 1.0
        )

    for name, work, keys in (
        ("whole", steps, -1),
        ("escaped", steps, 2),
        ("failing", failing, -1),
        ("aside", aside, -1),
    ):
        found[name] = done(work, keys)
    found["stopped"] = done(aside, 1)
    return found


class Watch:
    """A window manager of its own, which tells how long the main thread worked while no progress bar stood."""

    def __init__(self) -> None:
        self.bare: list[float] = []
        self.barred: list[float] = []
        self.shares: list[float] = []
        self._stands, self._since = False, 0.0

    def call(self, work: Any, *arguments: Any) -> Any:
        """Does a part of work, between whose end and the next one Blender draws."""
        import time  # noqa: PLC0415

        self._since = time.thread_time()
        result = work(*arguments)
        self._note()
        return result

    def _note(self) -> None:
        import time  # noqa: PLC0415

        now = time.thread_time()
        (self.barred if self._stands else self.bare).append(now - self._since)
        self._since = now

    def progress_begin(self, *_: Any) -> None:
        self._note()
        self._stands = True

    def progress_update(self, share: float) -> None:
        self.shares.append(share)

    def progress_end(self) -> None:
        self._note()
        self._stands = False

    def event_timer_add(self, *_: Any, **_window: Any) -> None:
        """The test itself is the timer."""

    def event_timer_remove(self, *_: Any) -> None:
        """Nor is there anything to remove."""

    def modal_handler_add(self, *_: Any) -> None:
        """The test calls `modal`."""


def blocking() -> Any:
    """The operators and the frames after them as a window has them done, with a watch on how long it stands still."""
    from types import SimpleNamespace  # noqa: PLC0415

    from bl_ext.user_default.pucker import jobs, operators  # noqa: PLC0415
    from bl_ext.user_default.pucker import preview as module  # noqa: PLC0415

    obj = kimono()
    scene = bpy.context.scene
    jobs.bpy = SimpleNamespace(app=SimpleNamespace(background=False))
    module.at_once = lambda: False
    found: dict[str, Any] = {}

    class Context:
        """Blender's, with a window."""

        def __init__(self, watch: Watch) -> None:
            self.window_manager, self.window = watch, None
            self.workspace = SimpleNamespace(status_text_set=lambda _text: None)

        def __getattr__(self, name: str) -> Any:
            return getattr(bpy.context, name)

    def told(watch: Watch) -> dict[str, Any]:
        return {"bare": max(watch.bare), "barred": max(watch.barred, default=0.0), "shares": len(watch.shares)}

    def operate(operators_class: Any, **properties: Any) -> dict[str, Any]:
        watch, notes = Watch(), []
        members = {"steps": operators_class.steps, "report": lambda _self, *words: notes.append(words), **properties}
        operator, context = type("Operator", (jobs.Job,), members)(), Context(watch)
        answer = watch.call(operator.invoke, context, None)
        while answer == {"RUNNING_MODAL"}:
            answer = watch.call(operator.modal, context, SimpleNamespace(type="TIMER", value="NOTHING"))
        assert answer == {"FINISHED"}, notes
        return told(watch)

    def frames(numbers: Any) -> dict[str, Any]:
        watch = Watch()
        module._bar = lambda: watch
        for number in numbers:
            # Reading the scene is Blender's own time.
            scene.frame_current = number
            watch.call(module._follow, scene)
            while module.of(obj).way is not None:
                watch.call(module.catch_up)
        return told(watch)

    module._bar = Watch
    obj.pucker.bake_edge, scene.frame_end = 1.5, 12
    scene.frame_set(0)
    for name, share in (("usual", 1.0), ("fine", 0.12)):
        obj.pucker.preview_edge = share
        found[f"preview {name}"] = operate(operators.PuckerPreview)
        found[f"played {name}"] = frames(range(1, 4))
        found[f"jumps {name}"] = frames((12, 2))
    # Frames that are only read are not shown.
    follow, followed = module.Preview.update, []
    module.Preview.update = lambda made, frame: followed.append(frame) or follow(made, frame)
    found["bake"] = operate(operators.PuckerBake, kind="ALEMBIC", folder=str(OUT))
    found["bake"]["followed"] = followed
    return found


def unfit() -> Any:
    """The extension where its wheel is for another Python."""
    import addon_utils  # noqa: PLC0415

    addon_utils.disable("bl_ext.user_default.pucker")
    for name in [each for each in sys.modules if each.partition(".")[0] == "pucker" or "user_default.pucker" in each]:
        del sys.modules[name]
    sys.modules["pucker"] = None
    enable()
    (panel,) = (each for each in dir(bpy.types) if each.startswith("VIEW3D_PT_pucker"))
    module = sys.modules["bl_ext.user_default.pucker"]
    addon_utils.disable("bl_ext.user_default.pucker")
    return {"panel": panel, "missing": module.MISSING, "left": hasattr(bpy.types, panel)}


def cached() -> Any:
    """A mesh that an Alembic file moves, with Blender's own modifier for that."""
    kimono()
    scene = bpy.context.scene
    scene.frame_end = 8
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    scene.frame_set(8)
    expected = coordinates(bpy.data.objects["Body wrinkled"])
    assert bpy.ops.pucker.end_preview() == {"FINISHED"}
    bpy.ops.wm.alembic_export(
        filepath=str(OUT / "coarse.abc"), selected=True, start=0, end=8, as_background_job=False, face_sets=True
    )
    before = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=str(OUT / "coarse.abc"), as_background_job=False)
    again = next(made for made in set(bpy.data.objects) - before if made.type == "MESH")
    again.pucker.cloth, again.pucker.materials = "MATERIALS", "Clothes,Band"
    again.pucker.method, again.pucker.dynamic.threshold, again.pucker.smooth = "dynamic", 1.03, "0"
    activate(again)
    scene.frame_set(0)
    modifiers = [modifier.type for modifier in again.modifiers]
    assert bpy.ops.pucker.preview() == {"FINISHED"}
    scene.frame_set(8)
    found = coordinates(bpy.data.objects[f"{again.name} wrinkled"])
    return {"modifiers": modifiers, "heights": [float(np.ptp(each[:, 2])) for each in (expected, found)]}


def guide() -> Any:
    """The listing of the page about Blender, word by word, after the steps above it."""
    page = (Path(__file__).resolve().parents[1] / "docs/blender.md").read_text(encoding="utf-8")
    listing = page.partition("```python\n")[2].partition("```")[0]
    bpy.ops.import_scene.gltf(filepath=str(DATA / "kimono_male.gltf"))
    play("Walk")
    bpy.context.scene.frame_end = 6
    os.chdir(OUT)
    exec(compile(listing, "blender.md", "exec"), {})
    baked = bpy.data.objects["Body baked"]
    bpy.context.scene.frame_set(6)
    expected = coordinates(baked)
    before = set(bpy.data.objects)
    bpy.ops.wm.alembic_import(filepath=str(OUT / "Body_baked.abc"))
    again = next(made for made in set(bpy.data.objects) - before if made.type == "MESH")
    bpy.context.scene.frame_set(6)
    return float(np.abs(coordinates(again) - expected).max())


def presets() -> Any:
    """Saved, changed, loaded."""
    obj = kimono()
    file = OUT / "preset.toml"
    obj.pucker.dynamic.shape__profile = "arcs"
    assert bpy.ops.pucker.save_preset(filepath=str(file)) == {"FINISHED"}
    saved = obj.pucker.dynamic.params()
    obj.pucker.dynamic.threshold, obj.pucker.dynamic.seed = 1.7, 4
    assert bpy.ops.pucker.load_preset(filepath=str(file)) == {"FINISHED"}
    assert obj.pucker.dynamic.params() == saved
    (OUT / "broken.toml").write_text("threshold = 0.5\n")
    told = refused(bpy.ops.pucker.load_preset, filepath=str(OUT / "broken.toml"))
    assert obj.pucker.dynamic.params() == saved
    return {"preset": file.read_text(), "told": told}


def flat(obj: bpy.types.Object) -> str:
    """What maps of an object without texture coordinates are refused with."""
    obj.data.uv_layers.remove(obj.data.uv_layers[0])
    obj.data.update()
    told = refused(bpy.ops.pucker.bake, folder=str(OUT), kind="NORMALS")
    obj.data.uv_layers.new()
    return told


def refusals() -> Any:
    """What cannot be wrinkled."""
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 10
    told = {}
    bpy.ops.object.empty_add()
    told["empty"] = refused(bpy.ops.pucker.preview)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=4, y_subdivisions=4)
    obj = bpy.context.object
    told["unmoved"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.new("cache", "MESH_CACHE")
    told["still"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.clear()
    obj.keyframe_insert("location", frame=1)
    obj.location.x = 1.0
    obj.keyframe_insert("location", frame=10)
    build = obj.modifiers.new("build", "BUILD")
    build.frame_start, build.frame_duration = 1, 10
    told["faceless"] = refused(bpy.ops.pucker.preview)
    build.frame_start = -2
    told["topology"] = refused(bpy.ops.pucker.preview)
    obj.modifiers.clear()
    obj.pucker.cloth, obj.pucker.vertex_group = "GROUP", "collar"
    told["group"] = refused(bpy.ops.pucker.preview)
    obj.pucker.cloth, obj.pucker.materials = "MATERIALS", "Silk"
    told["material"] = refused(bpy.ops.pucker.preview)
    obj.pucker.cloth = "ALL"
    told["folder"] = refused(bpy.ops.pucker.bake, folder=str(OUT / "none"))
    told["unsaved"] = refused(bpy.ops.pucker.bake, folder="//")
    told["flat"] = flat(obj)
    obj.pucker.method = "byexample"
    told["untrained"] = refused(bpy.ops.pucker.preview)
    file = str(OUT / "set.npz")
    obj.pucker.training.actions = "Walk"
    told["action"] = refused(bpy.ops.pucker.train, filepath=file)
    obj.pucker.training.actions = ""
    told["ending"] = refused(bpy.ops.pucker.train, filepath=str(OUT / "set.txt"))
    obj.pucker.byexample.trained = str(DATA / "dress.pose.npz")
    told["other"] = refused(bpy.ops.pucker.preview)
    obj.pucker.method = "dynamic"
    scene.frame_end = 1
    told["range"] = refused(bpy.ops.pucker.preview)
    scene.frame_end = 10
    bpy.ops.object.mode_set(mode="EDIT")
    told["mode"] = refused(bpy.ops.pucker.preview)
    bpy.ops.object.mode_set(mode="OBJECT")
    library = OUT / "library.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(library), copy=True)
    name = obj.name
    bpy.ops.wm.read_factory_settings(use_empty=True)
    enable()
    with bpy.data.libraries.load(str(library), link=True) as (_, wanted):
        wanted.objects = [name]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    told["linked"] = refused(bpy.ops.pucker.preview)
    return told
