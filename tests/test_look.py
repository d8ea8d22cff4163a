"""A look in one line: what is shown where, what is laid over it, what is picked, and what states become elsewhere."""

import os
import shutil
import subprocess
import sys
import webbrowser
from itertools import islice

import nbformat
import numpy as np
import pytest
import trimesh
from nbclient import NotebookClient
from page_browser import browser_page
from PIL import Image
from scipy.ndimage import distance_transform_edt

import pucker
from pucker import byexample, waves
from pucker._core.draw import seen_at
from pucker.convert import FineMesh
from pucker.examples import bending_sleeve
from pucker.notebook import View
from pucker.quantities import live_paths, placed, quantities_of
from pucker.render import ClipRenderer, Overlays
from pucker.render.picking import surface_under

SLEEVE = bending_sleeve()
PARAMS = {"dynamic": pucker.Params(min_width=0.015), "waves": waves.Params()}
FRAME = 20


@pytest.fixture(scope="module")
def states():
    return {name: list(pucker.run(SLEEVE, params))[FRAME] for name, params in PARAMS.items()}


def picture_of(look):
    """What it draws, without bars."""
    return look.picture()[:, : look.size[0]]


def test_without_anything_it_is_what_all_pictures_show(states):
    for name, state in states.items():
        with pucker.show(SLEEVE, params=PARAMS[name], frame=FRAME, how="picture") as look:
            with ClipRenderer(SLEEVE, look.size, params=PARAMS[name], camera=look.camera) as renderer:
                assert np.array_equal(look.picture(), renderer.frame(FRAME, state))
            with Image.open(look.path) as kept:
                assert np.array_equal(np.asarray(kept), look.picture())


def test_names_of_overlays_are_overlays(states):
    with pucker.show(SLEEVE, "labels", "paths", params=PARAMS["dynamic"], frame=FRAME, how="picture") as look:
        assert look.overlays == Overlays.of(["labels", "paths"])


def test_a_state_knows_the_numbers_of_its_triangles_vertices_and_paths(states):
    known = {name: {q.name: q.on for q in quantities_of(state)} for name, state in states.items()}
    assert known["dynamic"]["compression"] == known["dynamic"]["maximum"] == "triangles"
    assert known["dynamic"]["age"] == known["dynamic"]["width"] == "paths"
    assert known["waves"]["amplitudes"] == "vertices"
    state = states["dynamic"]
    minimum = next(q for q in quantities_of(state) if q.name == "minimum")
    np.testing.assert_array_equal(minimum.values, state.stretch.minimum)
    for name, q in ((name, q) for name, state in states.items() for q in quantities_of(state)):
        counts = {"triangles": len(SLEEVE.faces), "vertices": SLEEVE.mesh.vertex_count}
        counts["paths"] = len(live_paths(states[name]))
        assert q.values.shape == (counts[q.on],)


def test_numbers_are_of_what_the_method_says_where_triangles_are_as_many_as_vertices():
    # A ring: each vertex is the start of one triangle.
    angle = np.linspace(0.0, 2.0 * np.pi, 12, endpoint=False)
    ring = np.column_stack([np.cos(angle), np.sin(angle), 0.2 * (np.arange(12) % 2)])
    faces = [(k, (k + 1) % 12, (k + 2) % 12) for k in range(12)]
    clip = pucker.Clip.from_arrays(faces, np.stack([ring, 0.9 * ring]), [0.0, 1.0 / 30], weld=False)
    assert len(clip.faces) == clip.mesh.vertex_count
    for params, name, on in ((pucker.Params(), "compression", "triangles"), (waves.Params(), "phases", "vertices")):
        state = list(pucker.run(clip, params))[-1]
        assert {q.on for q in quantities_of(state)} == {on}
        assert name in [q.name for q in quantities_of(state)]
        with pytest.raises(ValueError, match="12 numbers, and there are as many triangles and vertices: say on="):
            placed(state, np.arange(12.0), "mine", None)
        assert placed(state, np.arange(12.0), "mine", "vertices").on == "vertices"


def middle_of_garment(picture):
    """Column and row of the pixel that lies deepest inside what is not background."""
    garment = (np.abs(picture.astype(int) - picture[0, 0]) > 8).any(axis=2)
    depth = distance_transform_edt(garment)
    row, column = np.unravel_index(np.argmax(depth), depth.shape)
    return int(column), int(row)


def test_numbers_are_seen_where_they_are(states):
    state = states["dynamic"]
    with pucker.show(state, how="picture") as look:
        plain = picture_of(look)
        column, row = middle_of_garment(plain)
        found = look.pick(column, row)
        one = np.zeros(len(SLEEVE.faces))
        one[found["triangle"]] = 1.0
        look.add(one, name="one", colormap="gray", limits=(0.0, 1.0))
        assert look.pick(column, row)["one"] == 1.0
        shown = look.picture()
        assert shown.shape[0] == plain.shape[0]
        assert shown.shape[1] > plain.shape[1]
        # The triangle is white, all others are black.
        assert shown[row, column].min() > 100
        garment = (np.abs(plain.astype(int) - plain[0, 0]) > 8).any(axis=2)
        dark = (shown[:, : plain.shape[1]].max(axis=2) < 90) & garment
        assert dark.sum() > 0.9 * garment.sum()


def test_the_body_hides_what_lies_behind_it(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Band"])
    with pucker.show(clip, how="picture", size=(48, 64), view="front") as look:
        frame = len(clip) // 2
        seen = {
            (x, y): surface_under(clip, frame, look.camera, look.size, x, y) for x in range(0, 48, 2) for y in range(64)
        }
        alone = [seen_at(look.camera, look.size, *at, clip.faces, clip.positions[frame]) is not None for at in seen]
        picked = [look.pick(*at).get("triangle") for at in seen]
    assert picked == [None if hit is None else hit[0] for hit in seen.values()]
    assert sum(alone) > sum(triangle is not None for triangle in picked) > 0


def test_coloured_paths_lie_just_above_the_ridges_of_their_wrinkles(states):
    state = states["dynamic"]
    with pucker.show(state, how="picture") as look:
        (age,) = look.add("age")._quantities
    places = np.asarray(state.positions)
    ends = np.concatenate([group.ends for group in age.lines(state, True, SLEEVE.faces, places)]).reshape(-1, 3)
    field = pucker.CompressionField(SLEEVE.mesh, places, state.stretch)
    ridges, ups, heights = [], [], []
    for path in live_paths(state):
        curve = pucker.sample_curve(field, path)
        each = (len(curve.points) - 1) // len(path.triangles)
        ups.append(state.frames.normals[np.repeat(path.triangles, each)])
        ridges.append(curve.points[:-1])
        heights.append(curve.heights[:-1])
    at, up, height = (np.concatenate(parts) for parts in (ridges, ups, heights))
    nearest = np.linalg.norm(ends[:, None] - at, axis=2).argmin(axis=1)
    above = ((ends - at[nearest]) * up[nearest]).sum(axis=1)
    high = height[nearest] > 0.2 * height.max()
    assert high.sum() > 20
    assert (above[high] > 0.7 * height[nearest][high]).mean() > 0.9
    assert np.median(above[high] / height[nearest][high]) == pytest.approx(1.05, abs=0.02)


@pytest.mark.parametrize(("method", "what"), [("dynamic", "compression"), ("dynamic", "age"), ("waves", "phases")])
def test_every_kind_of_number_changes_the_picture(states, method, what):
    with pucker.show(states[method], how="picture") as look:
        plain = picture_of(look)
        assert np.abs(picture_of(look.add(what)).astype(int) - plain).max() > 40


def test_what_cannot_be_is_refused(states):
    state = states["dynamic"]
    with pucker.show(state, how="picture") as look:
        with pytest.raises(ValueError, match=r"no 'nothing'; there are compression, .*, height"):
            look.add("nothing")
        with pytest.raises(
            ValueError, match=r"values must have a number for each of \d+ triangles, \d+ vertices, \d+ paths"
        ):
            look.add(np.zeros(3))
        with pytest.raises(ValueError, match="values must be finite, but number 5 is not"):
            look.add(np.where(np.arange(len(SLEEVE.faces)) == 5, np.nan, 0.0))
        with pytest.raises(ValueError, match="limits must rise, not go from 2 to 1"):
            look.add("compression", limits=(2.0, 1.0))
        before = picture_of(look)
        assert np.array_equal(before, picture_of(look))
        assert look.pick(0, 0) == {}
    with pytest.raises(TypeError, match="a clip or a state can be shown, not int"):
        pucker.show(3)
    with pytest.raises(ValueError, match=r"frame must lie in \[0, 31\), not 31"):
        pucker.show(SLEEVE, frame=31, how="picture")
    with pytest.raises(ValueError, match="how must be one of widget, window, page, picture, not 'screen'"):
        pucker.show(SLEEVE, how="screen")


@pytest.mark.parametrize(
    ("environment", "how"),
    [({}, "picture"), ({"DISPLAY": ":7"}, "page"), ({"DISPLAY": ":7", "SSH_CONNECTION": "a b c d"}, "picture")],
)
def test_it_is_shown_as_befits_where_it_runs(monkeypatch, states, environment, how):
    opened = []
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(webbrowser, "open", opened.append)
    with pucker.show(states["dynamic"]) as look:
        assert len(opened) == (how == "page")
        assert look.how == how
        assert look.path.exists()
    assert look.path is None


def test_a_page_shows_the_numbers_with_their_colours(monkeypatch, states):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    state = states["dynamic"]
    with pucker.show(state, "compression", "age", how="page", size=(480, 480)) as look, browser_page() as shown:
        shown.open(look.path, opened[-1].partition("#")[2])
        assert shown.complaints == []
        difference = np.abs(shown.picture((480, 480)).astype(int) - picture_of(look)).mean()
        # The page has its own light, without shadows.
        assert difference < 8.0
        assert shown.page.locator("#overlays b").count() == 10


def test_a_widget_shows_a_state_and_follows_what_is_added(states):
    state = states["dynamic"]
    with pucker.show(state, how="widget") as look:
        view = look.widget()
        assert isinstance(view, View)
        assert np.array_equal(view.picture(), picture_of(look))
        look.add("compression")
        assert "compression" in view.panel.legends.value
        assert np.array_equal(view.picture(), picture_of(look))
        assert view.snapshot.state is state


@pytest.mark.parametrize("compute", ["gpu", "skinned"])
def test_waves_of_the_gpu_are_shown_as_those_of_the_processor(data_dir, compute):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Run", parts=["Band"])
    pictures = {}
    for where in (compute, "cpu"):
        state = list(islice(pucker.run(clip, waves.Params(compute=where, relax={"start": "carried"})), 9))[-1]
        with pucker.show(state, "phases", how="picture") as look:
            pictures[where] = look.picture().astype(int)
    assert np.abs(pictures[compute] - pictures["cpu"]).mean() < 0.5


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("Xvfb") is None or shutil.which("xdotool") is None, reason="a window needs a screen")
def test_a_window_of_a_clip_stays_open_until_it_is_closed(monkeypatch, tmp_path):
    number = 60 + os.getpid() % 30
    screen = subprocess.Popen(["Xvfb", f":{number}", "-screen", "0", "1024x768x24"], stderr=subprocess.DEVNULL)
    monkeypatch.setenv("DISPLAY", f":{number}")
    try:
        with pucker.show(SLEEVE, "labels", params=PARAMS["dynamic"], how="window") as look:
            window = subprocess.run(
                ["xdotool", "search", "--sync", "--name", "pucker"],
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            )
            assert window.stdout.strip()
            process = look._process
            assert process.poll() is None
        assert process.poll() is not None
    finally:
        screen.terminate()
        screen.wait()


@pytest.mark.slow
def test_in_a_notebook_it_is_the_widget():
    cells = [
        "import pucker\nclip = pucker.examples.bending_sleeve()",
        "look = pucker.show(clip, 'compression', params=pucker.Params(min_width=0.015), frame=20)\nlook",
        "print(look.how)\nlook.close()",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output["data"] for output in notebook.cells[1].outputs if "data" in output]
    assert any("application/vnd.jupyter.widget-view+json" in data for data in shown)
    assert notebook.cells[2].outputs[0]["text"] == "widget\n"


# --- objects of other packages ---------------------------------------------------------------------------------------


def trained_state(data_dir):
    clip = pucker.load(data_dir / "kimono_male.gltf", clip="Walk", parts=["Clothes"])
    return next(iter(pucker.run(clip, byexample.Params(trained=str(data_dir / "kimono.pose.npz")))))


def test_every_methods_state_is_a_trimesh_with_its_vertices_as_they_are(states, data_dir):
    for state in (*states.values(), trained_state(data_dir)):
        made = state.to_trimesh()
        assert isinstance(made, trimesh.Trimesh)
        fine = FineMesh.of(state)
        np.testing.assert_array_equal(made.vertices, fine.positions)
        np.testing.assert_array_equal(made.faces, fine.faces)
        np.testing.assert_allclose(made.vertex_normals, fine.normals, atol=1e-12)
    state = states["dynamic"]
    made = state.to_trimesh(levels=3)
    assert len(made.faces) == 9 * len(SLEEVE.faces)
    np.testing.assert_array_equal(made.face_attributes["compression"].reshape(-1, 9)[:, 0], state.compression)
    with pytest.raises(ValueError, match="edge_share must be positive, not 0"):
        state.to_trimesh(edge_share=0)


def test_it_is_a_pyvista_multiblock(states):
    pyvista = pytest.importorskip("pyvista")
    state = states["dynamic"]
    made = state.to_pyvista()
    fine = FineMesh.of(state)
    assert isinstance(made, pyvista.MultiBlock)
    np.testing.assert_allclose(made["surface"].points, fine.positions, atol=1e-6)
    np.testing.assert_array_equal(made["surface"].cell_data["compression"], state.compression[fine.source])
    assert made["paths"].n_lines == len(made["paths"].cell_data["age"]) == len(live_paths(state))


def test_it_is_a_structure_of_polyscope(states, tmp_path, monkeypatch):
    polyscope = pytest.importorskip("polyscope")
    monkeypatch.chdir(tmp_path)  # where it keeps what its window was like
    polyscope.init("openGL_mock")
    surface = states["dynamic"].to_polyscope("sleeve")
    assert surface.n_faces() == len(FineMesh.of(states["dynamic"]).faces)
    assert polyscope.has_curve_network("sleeve paths")
    polyscope.remove_all_structures()


@pytest.mark.parametrize(
    ("call", "package"), [("to_trimesh", "trimesh"), ("to_pyvista", "pyvista"), ("to_polyscope", "polyscope")]
)
def test_without_the_package_the_extra_is_named(call, package):
    program = f"""
import sys
sys.modules[{package!r}] = None
import pucker
clip = pucker.examples.folded_sheet(6, 6, frames=3)
next(iter(pucker.run(clip, pucker.Params(min_width=0.05)))).{call}()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    told = f"ModuleNotFoundError: {call} needs {package}: install the extra pucker[{package}]"
    assert done.stderr.splitlines()[-1] == told
