"""The widget of the notebook without a browser: runs, pictures, mouse, picking, parameters, playback."""

import asyncio
import base64
import gc
import io
import re
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor

import ipywidgets
import moderngl
import numpy as np
import pytest
import traitlets
from PIL import Image

import pucker
from pucker._core.draw import seen_at
from pucker.method import start
from pucker.notebook import Pick, View
from pucker.notebook.controls import OptionalNumber, ParamControls, replaced, value_of
from pucker.notebook.playback import Playback
from pucker.notebook.run import Runner
from pucker.render import Camera, ClipRenderer, Output, Overlays, Style, fitted_camera
from pucker.replay import Replay

SIZE = (160, 120)
FIELDS = pucker.Params.fields()


@pytest.fixture(scope="module")
def clip():
    return pucker.examples.squeezed_sheet()


@pytest.fixture(scope="module")
def params():
    return pucker.Params(min_width=0.03)


@pytest.fixture(scope="module")
def offline(clip):
    with ClipRenderer(clip, SIZE) as made:
        yield made


@pytest.fixture(scope="module")
def shared(clip, params):
    view = View(clip, params, size=SIZE)
    yield view
    view.close()


@pytest.fixture
def view(shared, params):
    """A view as it was when it was made."""
    shared.params, shared.frame, shared.mode, shared.overlays = params, 0, "both", ()
    shared.picked, shared.playing = None, False
    shared.look("three-quarter")
    return shared


def states(clip, params):
    wrinkler = pucker.Wrinkler(clip, params)
    return [wrinkler.advance(frame.positions, frame.time) for frame in clip]


def is_same_state(a, b):
    return a.wrinkles == b.wrinkles and np.array_equal(a.labels, b.labels) and np.array_equal(a.reference, b.reference)


def offline_picture(offline, view, state, **options):
    offline.camera = view.camera
    return offline.frame(view.frame, state, mode=view.mode, overlays=view.overlays, **options)


# --- runs ------------------------------------------------------------------------------------------------------------


def test_any_order_of_frames_gives_the_states_of_a_straight_run(clip, params, rng):
    expected = states(clip, params)
    replay = Replay(clip, params)
    for frame in rng.integers(0, len(clip), 40).tolist():
        assert is_same_state(replay.seek(frame), expected[frame])
        assert replay.frame == frame


def test_a_frame_passed_before_is_never_more_than_sixteen_steps_away(clip, params, rng):
    replay = Replay(clip, params)
    replay.seek(len(clip) - 1)
    assert replay.saved == list(range(0, len(clip), 16))
    for frame in rng.integers(0, len(clip), 40).tolist():
        assert any(replay.approach(frame) for _ in range(17))


def test_the_last_of_many_wishes_is_computed(clip, params):
    runner = Runner(clip, params, 0, lambda: None)
    wishes = [(params.replace(threshold=1.1 + 0.01 * k), 30 - k) for k in range(20)]
    for wish in wishes:
        runner.ask(*wish)
    snapshot = runner.settled()
    assert (snapshot.params, snapshot.frame) == wishes[-1]
    assert is_same_state(snapshot.state, states(clip, wishes[-1][0])[wishes[-1][1]])
    runner.close()


class BrokenClip:
    """A clip whose frames from 5 on cannot be read; `gate` holds the reading of any frame up. Runs are those of `whole`."""

    def __init__(self, clip):
        self.whole = clip
        self.gate = threading.Event()
        self.gate.set()

    def __len__(self):
        return len(self.whole)

    def __getitem__(self, index):
        assert self.gate.wait(10.0)
        if index >= 5:
            raise OSError(f"frame {index} is damaged")
        return self.whole[index]


@pytest.fixture
def runs_of_the_whole(monkeypatch):
    monkeypatch.setattr("pucker.replay.start", lambda clip, params: start(clip.whole, params))


@pytest.mark.usefixtures("runs_of_the_whole")
def test_what_goes_wrong_in_a_run_is_told_and_ends_with_the_next_wish(clip, params):
    runner = Runner(BrokenClip(clip), params, 9, lambda: None)
    with pytest.raises(OSError, match="frame 5 is damaged"):
        runner.settled()
    runner.ask(params, 4)
    assert runner.settled().frame == 4
    assert runner.failure is None
    runner.close()


@pytest.mark.usefixtures("runs_of_the_whole")
def test_asking_returns_at_once_and_arrival_is_told(clip, params):
    slow = BrokenClip(clip)
    slow.gate.clear()
    arrived = threading.Event()
    runner = Runner(slow, params, 2, arrived.set)
    assert runner.busy
    assert runner.latest is None
    assert not arrived.is_set()
    slow.gate.set()
    assert arrived.wait(10.0)
    assert runner.settled().frame == 2
    runner.close()


# --- pictures --------------------------------------------------------------------------------------------------------


def test_any_frame_is_the_picture_drawn_offline(clip, params, view, offline, rng):
    expected = states(clip, params)
    for frame in rng.permutation(len(clip))[:6].tolist():
        view.frame = frame
        assert np.array_equal(view.picture(), offline_picture(offline, view, expected[frame]))


@pytest.mark.parametrize(
    ("name", "value"), [("threshold", 1.05), ("min_width", 0.05), ("shape.profile", "arcs"), ("verbatim", True)]
)
def test_other_parameters_give_the_picture_of_a_run_from_the_start(clip, params, view, offline, name, value):
    view.frame = 15
    before = view.picture()
    view.params = replaced(params, name, value)
    picture = view.picture()
    assert not np.array_equal(picture, before)
    assert np.array_equal(picture, offline_picture(offline, view, states(clip, view.params)[15]))


def test_modes_overlays_and_cameras_are_those_of_the_picture_drawn_offline(clip, params, view, offline):
    view.frame = 15
    state = states(clip, params)[15]
    seen = [view.picture()]
    for change in (
        {"mode": "base"},
        {"overlays": ["labels", "paths"]},
        {"overlays": Overlays(ellipses=2.0, wireframe=True)},
        {"camera": view.camera.turned(40.0, -10.0)},
    ):
        for name, value in change.items():
            setattr(view, name, value)
        seen.append(view.picture())
        assert np.array_equal(seen[-1], offline_picture(offline, view, state))
        assert not np.array_equal(seen[-1], seen[-2])


def test_what_is_picked_is_marked_by_lines_anybody_can_draw(clip, params, view, offline):
    view.frame = 15
    state = states(clip, params)[15]
    view.picked = Pick(100, state.wrinkles[0].id)
    assert len(view.marks()) == 2
    assert np.array_equal(view.picture(), offline_picture(offline, view, state, lines=view.marks()))


def test_parameters_of_another_method_are_refused_by_their_public_name(view):
    said = r"^params must be pucker\.Params in a view of this method, not pucker\.drape\.Params; View\(clip, params\) shows"
    before = view.params
    with pytest.raises(traitlets.TraitError, match=said):
        view.params = pucker.drape.Params()
    assert view.params == before


def test_a_view_of_what_is_no_clip_is_refused_in_a_sentence():
    with pytest.raises(TypeError, match=r"^a view shows a pucker\.Clip, which pucker\.load gives, not a str$"):
        View("kimono_male.gltf")


def test_pictures_are_right_on_whatever_thread_they_are_asked_for(view):
    view.frame = 15
    expected = view.picture()
    time.sleep(0.25)
    for _ in range(3):
        with ThreadPoolExecutor(1) as other:
            assert np.array_equal(other.submit(view.canvas.get_frame).result(), expected)


def test_a_draft_differs_from_the_picture_by_antialiasing_alone(view):
    view.params = pucker.Params.ridges().replace(min_width=0.03)  # whose edges are few
    view.frame = 15
    expected = view.picture().astype(float)
    view.camera = view.camera.zoomed(1.0)
    draft = view.canvas.get_frame().astype(float)
    assert 0.0 < np.abs(draft - expected).mean() < 2.0


def test_the_examples_of_the_page_run_as_they_stand_there(data_dir, monkeypatch, capsys):
    text = (data_dir.parent / "docs" / "notebook.md").read_text(encoding="utf-8")
    examples = re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)
    assert len(examples) == 2
    monkeypatch.chdir(data_dir.parent)
    names = {}
    exec(compile("\n".join(examples), "docs/notebook.md", "exec"), names)
    assert capsys.readouterr().out.endswith("frame 25\n")
    assert names["picture"].shape == (480, 640, 3)


def test_linked_views_turn_together(view, clip, params):
    other = View(clip, params, size=(40, 30))
    ipywidgets.link((view, "camera"), (other, "camera"))
    view.camera = view.camera.turned(20.0, 5.0)
    assert other.camera == view.camera
    other.close()


def test_a_cell_shows_the_widget_and_keeps_the_picture(view, monkeypatch):
    view.frame = 15
    shown = []
    monkeypatch.setattr("pucker.notebook.view.display", lambda bundle, **options: shown.append((bundle, options)))
    view._ipython_display_()
    (widget, raw), (still, also_raw) = shown
    assert raw == also_raw == {"raw": True}
    assert widget["application/vnd.jupyter.widget-view+json"]["model_id"] == view.model_id
    (content,) = re.findall(r'src="data:image/png;base64,([^"]*)"', still["text/html"])
    with Image.open(io.BytesIO(base64.b64decode(content))) as image:
        assert np.array_equal(np.asarray(image), view.picture())


# --- the page --------------------------------------------------------------------------------------------------------


class Page:
    """Takes what a canvas sends and confirms it, as a browser does."""

    def __init__(self, canvas, monkeypatch):
        self.canvas = canvas
        self.pictures = []
        monkeypatch.setattr(canvas, "send", self._take)

    def open(self):
        self.canvas._has_visible_views = True
        self.canvas.request_draw()

    def _take(self, message, buffers):
        with Image.open(io.BytesIO(buffers[0])) as image:
            self.pictures.append(np.asarray(image.convert("RGB")))
        confirmed = {key: message[key] for key in ("index", "timestamp")} | {"localtime": message["timestamp"]}
        loop = asyncio.get_running_loop()
        loop.call_soon(lambda: setattr(self.canvas, "_frame_feedback", confirmed))

    async def until(self, condition):
        for _ in range(1000):
            if condition():
                return
            await asyncio.sleep(0.01)
        raise AssertionError("the page waited in vain for 10 s")


@pytest.fixture
def page(view, monkeypatch):
    yield Page(view.canvas, monkeypatch)
    view.canvas._has_visible_views = False


def is_shown(page, view):
    return bool(page.pictures) and np.array_equal(page.pictures[-1], view.picture())


def test_the_page_comes_to_rest_at_the_picture_after_each_change(view, page, params):
    async def use():
        page.open()
        for name, value in {"frame": 15, "params": params.replace(threshold=1.1), "mode": "base"}.items():
            setattr(view, name, value)
            await page.until(lambda: is_shown(page, view))
        assert view.panel.status.value == "frame 15, 0.500 s, 0 wrinkles".replace(
            "0 wrinkles", f"{sum(not w.gone for w in view.snapshot.state.wrinkles)} wrinkles"
        )

    asyncio.run(use())


def test_a_clip_plays_as_long_as_it_is_watched(view, page):
    async def use():
        page.open()
        view.panel.play.value = True
        await page.until(lambda: view.frame >= 3 and view.panel.frame.value == view.frame)
        view.panel.play.value = False
        stopped = view.frame
        await page.until(lambda: is_shown(page, view))
        assert view.frame == stopped

    asyncio.run(use())
    assert len(page.pictures) > 2


def test_changes_made_on_another_thread_reach_the_page(view, page, clip, params, offline):
    async def use():
        page.open()
        await page.until(lambda: is_shown(page, view))
        before = page.pictures[-1]
        await asyncio.to_thread(setattr, view, "frame", 14)
        await page.until(lambda: is_shown(page, view))
        assert not np.array_equal(page.pictures[-1], before)

    asyncio.run(use())
    offline.camera = view.camera
    assert np.array_equal(page.pictures[-1], offline_picture(offline, view, states(clip, params)[14]))


# --- the mouse -------------------------------------------------------------------------------------------------------


def mouse(view, kind, x, y, button=1, modifiers=(), **more):
    view.canvas.handle_event({"type": kind, "x": x, "y": y, "button": button, "modifiers": modifiers, **more})


def drag(view, way, *, button=1, modifiers=()):
    mouse(view, "pointer_down", 50, 40, button, modifiers)
    mouse(view, "pointer_move", 50 + way[0] // 2, 40 + way[1] // 2, button, modifiers)
    mouse(view, "pointer_up", 50 + way[0], 40 + way[1], button, modifiers)


def place(camera, point):
    """Column and row at which a point is seen."""
    clip_space = camera.view_projection(SIZE[0] / SIZE[1]) @ np.append(point, 1.0)
    x, y = clip_space[:2] / clip_space[3]
    return np.array([0.5 * (1.0 + x) * SIZE[0], 0.5 * (1.0 - y) * SIZE[1]])


def assert_same_camera(a, b):
    assert a.eye == pytest.approx(b.eye, abs=1e-12)
    assert a.target == pytest.approx(b.target, abs=1e-12)


def test_a_drag_turns_the_camera_by_its_whole_way(view):
    before = view.camera
    drag(view, (25, -10))
    assert_same_camera(view.camera, before.turned(-10.0, -4.0))


@pytest.mark.parametrize("options", [{"button": 2}, {"button": 3}, {"modifiers": ("Shift",)}])
def test_a_drag_with_another_button_or_shift_moves_what_is_seen_along(view, options):
    before = view.camera
    drag(view, (25, -10), **options)
    assert place(view.camera, before.target) - place(before, before.target) == pytest.approx([25, -10], abs=1e-9)


def test_the_wheel_zooms_by_a_tenth_a_notch(view):
    before = view.camera
    mouse(view, "wheel", 5, 5, dx=0.0, dy=-200.0)
    assert_same_camera(view.camera, before.zoomed(1.1**-2))


def test_a_move_without_a_button_does_nothing(view):
    before = view.camera
    mouse(view, "pointer_move", 90, 90, 0)
    mouse(view, "pointer_up", 90, 90)
    assert view.camera == before
    assert view.picked is None


def test_the_mouse_is_right_where_a_narrow_page_shows_the_picture_smaller(view):
    try:
        view.canvas.handle_event({"type": "resize", "width": SIZE[0] / 2, "height": SIZE[1] / 2})
        before = view.camera
        drag(view, (10, 6))
        assert_same_camera(view.camera, before.turned(-8.0, 4.8))
    finally:
        view.canvas.handle_event({"type": "resize", "width": SIZE[0], "height": SIZE[1]})


def test_turning_keeps_the_distance_and_undoes_itself_but_does_not_go_over_the_top():
    camera = Camera.orbit((0.1, 0.2, 0.3), 2.0, 30.0, 12.0, field_of_view=25.0)
    assert_same_camera(camera.turned(50.0, 20.0).turned(-50.0, -20.0), camera)
    assert camera.turned(10.0, 500.0) == Camera.orbit(camera.target, 2.0, 40.0, 89.0, field_of_view=25.0)
    assert camera.zoomed(0.5).pixel_size(100) == pytest.approx(0.5 * camera.pixel_size(100))
    assert_same_camera(camera.shifted(3.0, 4.0, 100).shifted(-3.0, -4.0, 100), camera)


# --- picking ---------------------------------------------------------------------------------------------------------


def measured_positions(offline, camera, state=None, **style):
    offline.show(15, state)
    return offline.renderer.measure(offline.surfaces, camera, Output.position, Style(**style))


def test_the_triangle_under_a_pixel_is_the_one_that_is_drawn_there(clip, view, offline, rng):
    view.frame = 15
    positions = clip.positions[15]
    measured = measured_positions(offline, view.camera)
    differing = 0
    for x, y in rng.integers((0, 0), SIZE, (400, 2)).tolist():
        hit = seen_at(view.camera, SIZE, x, y, clip.faces, positions)
        if (hit is not None) != (measured[y, x, 3] > 0.5):
            differing += 1
        elif hit is not None:
            corners = positions[clip.faces[hit[0]]]
            weights = np.linalg.lstsq(np.vstack([corners.T, np.ones(3)]), np.append(measured[y, x, :3], 1.0))[0]
            assert weights.min() > -1e-3
            assert weights @ corners == pytest.approx(measured[y, x, :3], abs=1e-5)
    # A pixel whose middle lies on an outline may fall to either side.
    assert differing <= 2


def test_a_click_on_a_crest_picks_its_wrinkle_and_one_beside_all_wrinkles_none(clip, view):
    view.frame = 15
    view.look("front")
    found = 0
    for wrinkle in (wrinkle for wrinkle in view.snapshot.state.wrinkles if not wrinkle.gone):
        middle = wrinkle.points[len(wrinkle.points) // 2]
        x, y = place(view.camera, middle)
        mouse(view, "pointer_down", x, y)
        mouse(view, "pointer_up", x, y)
        if view.picked is not None and view.picked.triangle in wrinkle.triangles:
            assert view.picked.wrinkle == wrinkle.id
            found += 1
    assert found >= 3
    assert view.pick(0, 0) is None
    assert view.selected is None


def test_a_wrinkle_is_picked_wherever_it_raises_the_cloth_and_nowhere_else(view, offline, rng):
    view.params = pucker.Params.ridges().replace(min_width=0.02, tracing={"seed_distance": 2.5})
    view.frame = 15
    view.look("front")
    raised = measured_positions(offline, view.camera, view.snapshot.state, least_edge=0.0)
    pixels = [pixel for pixel in rng.integers((0, 0), SIZE, (400, 2)).tolist() if raised[pixel[1], pixel[0], 3] > 0.5]
    expected = [raised[y, x, 2] > 1e-6 for x, y in pixels]
    picked = [view.pick(x, y).wrinkle is not None for x, y in pixels]
    assert 0.1 < np.mean(expected) < 0.8
    # At a wrinkle's rim, and where a crest stands before the cloth beside it, less than a pixel decides.
    inside = [len(set((raised[y - 1 : y + 2, x - 1 : x + 2, 2] > 1e-6).flat)) == 1 for x, y in pixels]
    assert np.mean(inside) > 0.5
    assert np.mean(np.not_equal(picked, expected)) < 0.1
    np.testing.assert_array_equal(np.array(picked)[inside], np.array(expected)[inside])


def test_the_numbers_are_those_of_the_state_in_the_present_frame(clip, params, view):
    expected = states(clip, params)
    wrinkle = expected[15].wrinkles[0]
    view.picked = Pick(int(wrinkle.triangles[0]), wrinkle.id)
    for frame in (15, 16, 0):
        view.frame = frame
        state, triangle, selected = expected[frame], view.picked.triangle, view.selected
        assert selected.label == ("compress", "rest", "stretch")[state.labels[triangle]]
        assert (selected.minimum, selected.maximum) == (
            state.stretch.minimum[triangle],
            state.stretch.maximum[triangle],
        )
        assert selected.compression == state.compression[triangle]
        assert np.array_equal(selected.reference, state.reference[triangle])
        assert selected.wrinkle == next((w for w in state.wrinkles if w.id == wrinkle.id), None)
    assert view.selected.wrinkle is None


def test_the_character_hides_the_cloth_behind_it(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes", "Band"])
    view = View(clip, size=SIZE, view="front")
    eyes = clip.body_positions[0].max(axis=0) * [0.0, 0.85, 0.0]
    column, row = place(view.camera, eyes)
    assert seen_at(view.camera, SIZE, column, row, clip.body_faces, clip.body_positions[0]) is not None
    assert view.pick(column, row) is None
    assert view.pick(*place(view.camera, clip.positions[0].mean(axis=0))) is not None
    view.close()


# --- parameters ------------------------------------------------------------------------------------------------------


OPTIONAL = [field.name for field in FIELDS if value_of(pucker.Params(min_width=0.02), field.name) is None]
SET = [field for field in FIELDS if field.name not in OPTIONAL]


@pytest.mark.parametrize("field", SET, ids=[field.name for field in SET])
def test_every_parameter_has_a_widget_that_changes_it_alone(field):
    params = pucker.Params(min_width=0.02)
    changes = []
    controls = ParamControls(params, changes.append)
    widget, old = controls[field.name], value_of(params, field.name)
    assert field.doc in widget.tooltip
    assert widget.value == getattr(old, "name", old)
    if field.choices:
        new = next(name for name in field.choices if name != old.name)
    elif isinstance(old, bool):
        new = not old
    else:
        new = old + 1 if isinstance(old, int) else old * 0.95 or 0.5
        new = old * 1.05 if field.low is not None and new < field.low else new
    widget.value = new
    assert changes == [replaced(params, field.name, new)]
    assert changes != [params]


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_number_that_may_be_left_out_is_typed(name):
    params = pucker.Params(min_width=0.02)
    changes = []
    controls = ParamControls(params, changes.append)
    widget = controls[name]
    assert isinstance(widget, OptionalNumber)
    assert widget.value == ""
    widget.value = "2.5e-6"
    assert changes == [replaced(params, name, 2.5e-6)]
    controls.show(replaced(params, name, 0.1))
    assert (widget.value, len(changes)) == ("0.1", 1)
    with pytest.raises(ValueError, match="could not convert"):
        widget.value = "much"
    widget.value = " "
    assert changes[1:] == [params]


@pytest.mark.parametrize("name", OPTIONAL)
def test_a_number_that_is_left_out_later_is_typed_from_then_on(name):
    given = replaced(pucker.Params(min_width=0.02), name, 0.5)
    changes = []
    controls = ParamControls(given, changes.append)
    slider = controls[name]
    assert not isinstance(slider, OptionalNumber)
    left_out = replaced(given, name, None)
    controls.show(left_out)
    assert isinstance(controls[name], OptionalNumber)
    assert (controls[name].value, controls[name].tooltip, changes) == ("", slider.tooltip, [])
    rows = [row for page in controls.widget.children for row in page.children]
    assert sum(controls[name] in row.children for row in rows) == 1
    assert not any(slider in row.children for row in rows)
    controls[name].value = "0.25"
    assert changes == [replaced(left_out, name, 0.25)]


def test_there_are_numbers_that_may_be_left_out():
    assert {"fabric.bending", "shape.clearance"} <= set(OPTIONAL)


@pytest.mark.parametrize("name", ["min_width", "label.sigma"])
def test_a_number_of_any_size_has_a_slider_of_its_logarithm_within_its_range(name):
    (field,) = (field for field in FIELDS if field.name == name)
    for value in (3e-6, 0.02, 1e20):
        slider = ParamControls(replaced(pucker.Params(min_width=0.02), name, value), lambda _: None)[name]
        assert isinstance(slider, ipywidgets.FloatLogSlider)
        assert slider.value == pytest.approx(value, rel=1e-12)
        assert 10.0**slider.max > value > 10.0**slider.min >= field.low * (1 - 1e-12)


def test_the_page_rounds_the_values_it_shows_but_not_the_parameters():
    params = pucker.Params(min_width=0.0234567, threshold=1.23456789, reference={"keep": 0.9123456})
    changes = []
    controls = ParamControls(params, changes.append)
    for field in FIELDS:
        widget, value = controls[field.name], value_of(params, field.name)
        if isinstance(widget, ipywidgets.FloatLogSlider):
            widget.value = 10.0 ** (widget.min + widget.step * round((np.log10(value) - widget.min) / widget.step))
        elif isinstance(widget, ipywidgets.FloatSlider):
            widget.value = widget.min + widget.step * round((value - widget.min) / widget.step)
    assert changes == []


def test_values_beyond_a_sliders_ends_widen_it(view):
    params = pucker.Params(threshold=7.0, min_width=3.0, seed=2**60 + 1, tracing={"isotropy": 10.0, "max_points": 2})
    view.params = params
    for field in FIELDS:
        value = value_of(view.params, field.name)
        shown = "" if value is None else getattr(value, "name", value)
        assert view.panel.params[field.name].value == shown
    assert view.params == params.replace(relative_width=view.params.relative_width)


def test_a_slider_changes_the_run_and_the_reset_button_undoes_it(view, clip, params):
    view.panel.params["threshold"].value = 1.4
    view.panel.params["shape.profile"].value = "quartic"
    assert view.params == params.replace(threshold=1.4, shape={"profile": "quartic"}).for_height(clip.height)
    assert view.snapshot.params == view.params
    view.panel.reset.click()
    assert view.params == params.for_height(clip.height)
    assert view.panel.params["threshold"].value == params.threshold


def test_pickers_and_attributes_follow_each_other(view):
    view.panel.mode.value = "normals"
    view.panel.overlays["paths"].value = True
    view.panel.frame.value = 7
    assert (view.mode, view.overlays, view.frame) == ("normals", Overlays(paths=True), 7)
    view.mode, view.overlays, view.frame = "base", Overlays(labels=True, paths=3.0), 9
    assert (view.panel.mode.value, view.panel.frame.value) == ("base", 9)
    assert [name for name, box in view.panel.overlays.items() if box.value] == ["labels", "paths"]
    view.panel.overlays["labels"].value = False
    assert view.overlays == Overlays(paths=3.0)


def test_steps_go_round_and_stop_the_playing(view, clip):
    back, forth = view.panel.steps
    view.playing = True
    back.click()
    assert (view.frame, view.playing) == (len(clip) - 1, False)
    forth.click()
    assert view.frame == 0


# --- playback --------------------------------------------------------------------------------------------------------


def test_a_clip_plays_by_its_own_times_and_begins_anew():
    playback = Playback(np.array([1.0, 1.1, 1.3, 1.4]))
    playback.start(0, 50.0)
    assert [playback.advance(now) for now in (50.05, 50.15, 50.25, 50.35, 50.45, 50.52, 50.57)] == [0, 1, 1, 2, 3, 3, 0]
    playback.start(2, 60.0)
    assert playback.advance(60.05) == 2
    assert playback.advance(60.15) == 3


def test_what_is_not_seen_for_a_while_does_not_play_on():
    playback = Playback(np.arange(300) / 30.0)
    playback.start(0, 0.0)
    assert playback.advance(5.0) == playback.advance(5.0) <= 8


def test_a_clip_of_one_frame_stays_at_it():
    playback = Playback(np.array([0.5]))
    playback.start(0, 1.0)
    assert playback.advance(1.2) == 0


# --- without OpenGL, bad input, the end ------------------------------------------------------------------------------


def test_without_opengl_it_says_why_and_matplotlib_draws(clip, params, monkeypatch):
    def refuse(**_options):
        raise RuntimeError("no libEGL")

    monkeypatch.setattr(moderngl, "create_context", refuse)
    view = View(clip, params, size=SIZE, frame=15)
    assert "no libEGL" in view.notice
    assert "libegl1" in view.notice
    pictures = [view.picture()]
    for name, value in {
        "overlays": ["labels", "ellipses"],
        "frame": 8,
        "camera": view.camera.turned(60.0, 0.0),
    }.items():
        setattr(view, name, value)
        pictures.append(view.picture())
        assert pictures[-1].shape == (SIZE[1], SIZE[0], 3)
        assert np.abs(pictures[-1].astype(int) - pictures[-2]).mean() > 0.2
    view.close()


def test_a_picture_without_opengl_lies_where_the_other_does(clip, params, offline, monkeypatch):
    monkeypatch.setattr(moderngl, "create_context", lambda **_: 1 / 0)
    view = View(clip, params, size=SIZE, frame=5, mode="base")
    flat = view.picture()
    view.close()
    drawn = offline_picture(offline, view, None)
    covered = []
    for picture in (flat, drawn):
        contrast = np.abs(picture.astype(int) - picture[0, 0]).max(axis=2)
        covered.append(contrast > 0.5 * np.median(contrast[contrast > 8]))
    middles = [np.argwhere(pixels).mean(axis=0) for pixels in covered]
    assert middles[0] == pytest.approx(middles[1], abs=0.35)
    # The borders that close the seams between triangles go round the outline too, a third of a pixel wide.
    assert covered[0].sum() == pytest.approx(covered[1].sum(), rel=0.04)


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({"frame": 31}, r"frame must lie in \[0, 31\), not 31"),
        ({"frame": -1}, r"frame must lie in \[0, 31\), not -1"),
        ({"mode": "bumps"}, "Mode must be one of base, normals, displacement, both, parallax, not 'bumps'"),
        ({"overlays": ["label"]}, "overlays must be of .*labels, .*, not 'label'"),
        ({"view": "below"}, "view must be one of .*, not 'below'"),
        ({"size": (0, 100)}, "a picture must be at least 1 pixel wide and high, not 0 x 100"),
    ],
)
def test_what_cannot_be_shown_is_refused_with_its_rule(clip, params, options, rule):
    with pytest.raises(ValueError, match=rule):
        View(clip, params, **({"size": SIZE} | options))


def test_a_frame_is_any_whole_number(view):
    view.frame = np.int64(3)
    assert (view.frame, type(view.frame)) == (3, int)
    with pytest.raises(TypeError, match="integer"):
        view.frame = 3.5
    assert view.frame == 3


def test_a_clip_of_one_frame_can_be_viewed(clip, params):
    still = pucker.Clip.from_arrays(clip.faces, clip.positions[:1], [0.0])
    view = View(still, params, size=SIZE)
    view.panel.steps[1].click()
    assert view.snapshot.frame == 0
    assert view.picture().std() > 0.0
    view.close()


def test_what_is_refused_changes_nothing(view):
    for name, value in {"frame": 99, "mode": "x", "overlays": ["x"], "picked": Pick(10**6)}.items():
        before = getattr(view, name)
        with pytest.raises(ValueError, match="not"):
            setattr(view, name, value)
        assert getattr(view, name) == before


def test_a_view_takes_the_smallest_width_from_the_clip_if_it_is_given_none(clip):
    view = View(clip, size=SIZE)
    assert view.params == pucker.Params().for_height(clip.height)
    assert view.camera == fitted_camera(clip, "three-quarter", SIZE)
    view.close()


@pytest.mark.parametrize(
    ("params", "options", "levels"),
    [
        (pucker.Params(), {}, 1),
        (pucker.Params(), {"smooth": 0}, 0),
        (pucker.drape.Params(), {}, 1),
        (pucker.drape.Params(levels=1), {}, 0),
    ],
)
def test_a_character_whose_facets_would_be_seen_is_made_smooth_as_by_commands(data_dir, params, options, levels):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    view = View(clip, params, size=(40, 30), **options)
    assert np.array_equal(view.clip.faces, clip.smoothed(levels).faces)
    assert view.picture().std() > 0.0
    view.close()


def test_states_are_shown_on_the_mesh_that_they_are_of(data_dir):
    whole = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    clip = pucker.Clip.from_arrays(whole.faces, whole.positions[:1], [0.0])
    view = View(clip, size=(40, 30), states=list(pucker.run(clip)))
    assert view.clip is clip
    view.close()


def test_closing_leaves_no_thread_no_widget_and_no_object_behind(clip, params):
    threads = set(threading.enumerate())
    view = View(clip, params, size=SIZE)
    view.frame = 5
    view.picture()
    made = _widgets(view)
    assert len(made) > 60
    gone = weakref.ref(view)
    view.close()
    view.close()
    assert all(widget.comm is None for widget in made)
    assert set(threading.enumerate()) == threads
    with pytest.raises(ValueError, match="closed"):
        view.picture()
    del view, made
    gc.collect()
    assert gone() is None


def _widgets(widget):
    inside = [widget]
    for child in getattr(widget, "children", ()):
        inside += _widgets(child)
    return inside
